"""Tools by name, each imported when chosen. Any object with the methods of `redraft.protocols.Tool` can be passed in instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from redraft.errors import MissingExtra, UnknownName, UsageError
from redraft.protocols import Tool
from redraft.types import Task

__all__ = ["TOOLS", "ToolInfo", "open_tools"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolInfo:
    """What `redraft tools` says about one tool, without importing it."""

    name: str
    summary: str
    needs: tuple[str, ...] = ()
    """Modules of an optional dependency."""
    extra: str = ""

    @property
    def why_not(self) -> str | None:
        """Why the tool cannot be used here and what adds it, or None."""
        missing = [module for module in self.needs if find_spec(module) is None]
        return f"{', '.join(missing)} is not installed; run: pip install 'redraft[{self.extra}]'" if missing else None


TOOLS: dict[str, ToolInfo] = {
    info.name: info
    for info in (
        ToolInfo(name="calculator", summary="Exact arithmetic: fractions, percentages, powers within bounds."),
        ToolInfo(name="units", summary="Conversion between units of measurement."),
        ToolInfo(name="dates", summary="Weekdays, durations and calendar arithmetic."),
        ToolInfo(name="text", summary="Facts about a text: letters, length, reverse, order."),
        ToolInfo(name="table", summary="Read-only SQL over CSV, XLSX and Parquet files.", needs=("duckdb", "python_calamine"), extra="tables"),
        ToolInfo(name="documents", summary="Passages and verbatim quotations from the given documents and context."),
        ToolInfo(name="python", summary="Runs Python in a sandbox: code blocks, doctests, given tests.", needs=("pydantic_monty",), extra="sandbox"),
    )
}


def open_tools(task: Task, names: Sequence[str] | None = None) -> tuple[Tool, ...]:
    """The tools that can serve this task, or exactly the named ones.

    Without names: the exact tools always; `table` and `documents` where the task brings tables, documents or context; `python` where it is installed.

    Raises:
        UnknownName: there is no tool of that name.
        MissingExtra: a tool that was named, or that the task's files need, is not installed.
        UsageError: `table` or `documents` was named but the task brings nothing to look in.
        InputError: a given file cannot be read.
    """
    for name in names or ():
        if name not in TOOLS:
            raise UnknownName("tool", name, TOOLS)
    return tuple(_open(name, task) for name in (names if names is not None else _fitting(task)))


def _fitting(task: Task) -> list[str]:
    chosen = ["calculator", "units", "dates", "text"]
    if task.tables:
        chosen.append("table")
    if task.documents or task.context:
        chosen.append("documents")
    if task.tests or TOOLS["python"].why_not is None:
        chosen.append("python")
    return chosen


def _open(name: str, task: Task) -> Tool:
    info = TOOLS[name]
    if info.why_not is not None:
        raise MissingExtra(f"the tool {name!r}", info.extra)
    match name:
        case "calculator":
            from redraft.tools.calculator import CalculatorTool

            return CalculatorTool()
        case "units":
            from redraft.tools.units import UnitsTool

            return UnitsTool()
        case "dates":
            from redraft.tools.dates import DatesTool

            return DatesTool()
        case "text":
            from redraft.tools.text import TextTool

            return TextTool()
        case "table":
            from redraft.tools.table import TableTool

            if not task.tables:
                raise UsageError("the tool 'table' has nothing to look in; give a file with --table")
            TableTool.validate(task.tables)
            return TableTool(task.tables)
        case "documents":
            from redraft.tools.documents import DocumentsTool

            if not task.documents and not task.context:
                raise UsageError("the tool 'documents' has nothing to look in; give files or folders with --sources")
            documents = DocumentsTool(task.documents, context=task.context)
            documents.load()
            return documents
        case _:
            from redraft.tools.python import PythonTool

            return PythonTool()
