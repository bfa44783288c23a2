"""Tools by name, each imported when chosen. Any object with the methods of `redraft.protocols.Tool` can be passed in instead."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
    keys: tuple[str, ...] = ()
    """Environment variables of which one must be set."""
    instead: tuple[str, ...] = ()
    """Modules that make do without any of them, and the extra that brings them."""
    instead_extra: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules that it needs and that are not installed."""
        return tuple(module for module in self.needs if find_spec(module) is None)

    @property
    def why_not(self) -> str | None:
        """Why the tool cannot be used here and what adds it, or None."""
        if self.missing:
            return f"{', '.join(self.missing)} is not installed; run: pip install 'redraft[{self.extra}]'"
        if self.keys and not any(os.environ.get(key) for key in self.keys):
            if self.instead:
                if all(find_spec(module) for module in self.instead):
                    return None
                return f"set one of {', '.join(self.keys)}, or run: pip install 'redraft[{self.instead_extra}]'"
            return f"set {self.keys[0]}" if len(self.keys) == 1 else f"set one of {', '.join(self.keys)}"
        return None


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
        ToolInfo(
            name="search",
            summary="Searches the web with the engines that have a key, or those that REDRAFT_SEARCH names, one after the other until one answers.",
            needs=("httpx2",),
            extra="search",
            keys=("TAVILY_API_KEY", "BRAVE_API_KEY", "SERPER_API_KEY", "SERPAPI_API_KEY", "EXA_API_KEY", "BOCHA_API_KEY", "REDRAFT_SEARCH"),
        ),
        ToolInfo(name="tavily", summary="Searches the web (Tavily).", needs=("httpx2",), extra="search", keys=("TAVILY_API_KEY",)),
        ToolInfo(name="brave", summary="Searches the web (Brave).", needs=("httpx2",), extra="search", keys=("BRAVE_API_KEY",)),
        ToolInfo(name="serper", summary="Searches Google (Serper).", needs=("httpx2",), extra="search", keys=("SERPER_API_KEY",)),
        ToolInfo(name="serpapi", summary="Searches Google (SerpAPI).", needs=("httpx2",), extra="search", keys=("SERPAPI_API_KEY",)),
        ToolInfo(name="exa", summary="Searches the web by meaning (Exa).", needs=("httpx2",), extra="search", keys=("EXA_API_KEY",)),
        ToolInfo(name="bocha", summary="Searches the web, the Chinese one above all (Bocha).", needs=("httpx2",), extra="search", keys=("BOCHA_API_KEY",)),
        ToolInfo(name="wikipedia", summary="Searches Wikipedia, without a key.", needs=("httpx2",), extra="search"),
        ToolInfo(name="duckduckgo", summary="Searches the web without a key (DuckDuckGo), the last resort.", needs=("ddgs",), extra="search"),
        ToolInfo(name="wolfram", summary="Computes and looks up figures (WolframAlpha).", needs=("httpx2",), extra="search", keys=("WOLFRAM_APP_ID",)),
        ToolInfo(
            name="safety",
            summary="Scores how harmful a text is, with the scorers that have a key, or those that REDRAFT_SAFETY names; offline a signal of profanity.",
            needs=("httpx2",),
            extra="safety",
            keys=("OPENAI_API_KEY", "PERSPECTIVE_API_KEY", "REDRAFT_PERSPECTIVE_URL", "REDRAFT_SAFETY"),
            instead=("profanity_check",),
            instead_extra="safety",
        ),
        ToolInfo(
            name="mcp",
            summary="All tools of an MCP server: --tool 'mcp:COMMAND …' or mcp:http://…; #TOOL takes one of them, #search=TOOL binds it as the search.",
            needs=("mcp",),
            extra="mcp",
        ),
        ToolInfo(name="fetch", summary="Reads a web page of the open web, or of a host that REDRAFT_FETCH_ALLOW names.", needs=("httpx2",), extra="search"),
    )
}


def open_tools(task: Task, names: Sequence[str] | None = None, environment: Mapping[str, str] | None = None, *, safety: bool = False) -> tuple[Tool, ...]:
    """The tools that can serve this task, or exactly the named ones.

    Without names: the exact tools always; `table` and `documents` where the task brings tables, documents or context; `python` where it is installed;
    `search` where an engine has a key or REDRAFT_SEARCH names one; `safety` for a task of that kind, or with `safety`, where there is a scorer.
    `environment` holds keys and settings of search engines and scorers, by default the process's.
    Search engines and `fetch` are the same objects for every run: their breakers, limits and caches outlive it. A name `mcp:…` brings all tools of a
    server (`redraft.tools.mcp`), whose process runs until they are closed.

    Raises:
        UnknownName: there is no tool of that name.
        MissingExtra: a tool that was named, or that the task's files need, is not installed.
        MissingKey: an engine that was named has no key.
        UsageError: `table` or `documents` was named but the task brings nothing to look in; `search` was named but has no engine; an MCP server does
            not start or answer.
        InputError: a given file cannot be read.
    """
    for name in names or ():
        if name not in TOOLS and not name.startswith("mcp:"):
            raise UnknownName("tool", name, TOOLS)
    values = os.environ if environment is None else environment
    opened: list[Tool] = []
    for name in names if names is not None else _fitting(task, values, safety):
        if not name.startswith("mcp:"):
            opened.append(_open(name, task, values))
    servers = [name for name in names or () if name.startswith("mcp:")]  # last, so that a wrong name elsewhere starts no process
    if servers:
        from redraft.tools.mcp import open_servers

        opened += open_servers(servers, values, frozenset(tool.name for tool in opened))
    return tuple(opened)


def _fitting(task: Task, environment: Mapping[str, str], safety: bool) -> list[str]:
    chosen = ["calculator", "units", "dates", "text"]
    if task.tables:
        chosen.append("table")
    if task.documents or task.context:
        chosen.append("documents")
    if task.tests or TOOLS["python"].why_not is None:
        chosen.append("python")
    if not TOOLS["search"].missing and any(environment.get(key) for key in TOOLS["search"].keys):
        chosen.append("search")
    if safety or task.kind == "safety":
        from redraft.tools.safety import scorer_names

        chosen += ["safety"] if not TOOLS["safety"].missing and scorer_names(environment) else []
    return chosen


def _open(name: str, task: Task, environment: Mapping[str, str]) -> Tool:
    info = TOOLS[name]
    if info.missing:
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
            table = TableTool(task.tables)
            table.load()
            return table
        case "documents":
            from redraft.tools.documents import DocumentsTool

            if not task.documents and not task.context:
                raise UsageError("the tool 'documents' has nothing to look in; give files or folders with --sources")
            documents = DocumentsTool(task.documents, context=task.context)
            documents.load()
            return documents
        case "python":
            from redraft.tools.python import PythonTool

            return PythonTool(environment.get("REDRAFT_SANDBOX", "").strip().lower() or "auto")
        case "search":
            from redraft.tools.search import open_search

            return open_search(environment)
        case "safety":
            from redraft.tools.safety import open_safety

            return open_safety(environment)
        case "mcp":
            raise UsageError("'mcp' needs the command that starts a server, or its address: --tool 'mcp:COMMAND …' or --tool mcp:http://HOST:PORT/mcp")
        case "fetch":
            return _shared_fetch(environment.get("REDRAFT_FETCH_ALLOW", ""))
        case _:
            from redraft.tools.search import open_engine

            return open_engine(name, environment)


@lru_cache(maxsize=4)
def _shared_fetch(allow: str) -> Tool:
    """One object for the process; every host has a breaker and limits of its own."""
    from redraft.tools.fetch import FetchTool, host_of_call
    from redraft.tools.toolbox.guarded import Guarded, GuardSettings
    from redraft.tools.toolbox.queries import unchanged

    tool = FetchTool(allow=tuple(part.strip() for part in allow.split(",") if part.strip()))
    settings = GuardSettings(timeout_seconds=tool.timeout_seconds, total_seconds=40.0, retries=1, threshold=3, concurrency=2)
    return Guarded(tool, settings, normal=unchanged, provider_of=host_of_call)
