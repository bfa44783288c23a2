"""The server's three tools. Arguments are data from whoever is connected: validated, bounded, and never a path; results are the Outcome and a short text.

What may be read (`--sources`, `--table`) and who may be asked (`--model`, `--tool`) is fixed where the server is started, and no client can change it.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from mcp.server import Server, ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from redraft import __version__
from redraft.errors import ModelError, RedraftError
from redraft.mcp.explain import brief, explain_outcome
from redraft.outcome import to_json
from redraft.types import Outcome, Task, TaskKind

__all__ = ["Act", "Arguments", "Runs", "build_server"]

LONGEST_ANSWER = 400_000
LONGEST_TEXT = 100_000
KEPT = 50
"""Runs that can be explained afterwards."""

Act = Callable[[Task, bool], Awaitable[Outcome]]
"""Run a task that brings its answer: check it, or with True correct it too."""


class Arguments(BaseModel):
    """What `check_answer` and `fix_answer` take."""

    model_config = ConfigDict(extra="forbid", strict=True)

    answer: str = Field(min_length=1, max_length=LONGEST_ANSWER, description="The text to be checked, as it is.")
    query: str = Field(default="", max_length=LONGEST_TEXT, description="The question that it answers, if there is one.")
    kind: TaskKind | None = Field(default=None, description="What kind of answer it is; default: qa with a query, else report; code with tests.")
    context: str = Field(default="", max_length=LONGEST_TEXT, description="Text that came with the question; it is evidence too.")
    tests: str = Field(default="", max_length=LONGEST_TEXT, description="Python assertions for the code in the answer, run in a sandbox.")


class Explained(BaseModel):
    """What `explain_run` takes."""

    model_config = ConfigDict(extra="forbid", strict=True)

    run_id: str = Field(min_length=1, max_length=100, description="The run_id of an outcome of this server.")


TOOLS: Mapping[str, tuple[type[BaseModel], str]] = {
    "check_answer": (
        Arguments,
        "Check every claim of a text with real tools (arithmetic, units, dates, tables, documents, code) and return a verdict with evidence for each. "
        "Nothing is changed.",
    ),
    "fix_answer": (
        Arguments,
        "Check a text as check_answer does and correct only what the evidence contradicts; `answer` of the outcome is the corrected text.",
    ),
    "explain_run": (Explained, "Say in words what a run found, on what evidence, what it changed and what it refused to change."),
}


class Runs:
    """Does the work of the tools: at most `at_once` runs at a time, the rest in line; outcomes are kept for `explain_run`."""

    def __init__(self, act: Act, *, files: Task | None = None, stored: Callable[[str], str | None] | None = None, at_once: int = 4) -> None:
        self._act = act
        self._files = files or Task(query="")
        self._stored = stored
        self._slots = asyncio.Semaphore(at_once)
        self._kept: OrderedDict[str, Outcome] = OrderedDict()

    async def call(self, name: str, given: Mapping[str, Any]) -> CallToolResult:
        """The result of a call: never an exception but a cancellation."""
        if name not in TOOLS:
            return _error("unknown_tool", f"there is no tool {name[:60]!r}; known: {', '.join(TOOLS)}")
        try:
            arguments = TOOLS[name][0].model_validate(dict(given))
        except ValidationError as error:
            return _error("bad_arguments", _first(error))
        try:
            if isinstance(arguments, Explained):
                return await self._explain(arguments.run_id)
            assert isinstance(arguments, Arguments)
            return await self._run(arguments, change=name == "fix_answer")
        except ModelError as error:
            return _error("model", str(error))
        except RedraftError as error:
            return _error("refused", str(error))
        except Exception as error:  # what went wrong inside is no business of the client's
            return _error("internal", f"internal error ({type(error).__name__})")

    async def _run(self, given: Arguments, *, change: bool) -> CallToolResult:
        kind = given.kind or ("code" if given.tests else "qa" if given.query.strip() else "report")
        task = dataclasses.replace(self._files, query=given.query, kind=kind, answer=given.answer, context=given.context, tests=given.tests)
        async with self._slots:
            outcome = await self._act(task, change)
        self._kept[outcome.run_id] = outcome
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return CallToolResult(content=[TextContent(type="text", text=brief(outcome))], structured_content=to_json(outcome))

    async def _explain(self, run_id: str) -> CallToolResult:
        outcome = self._kept.get(run_id)
        text = explain_outcome(outcome) if outcome is not None else await asyncio.to_thread(self._stored, run_id) if self._stored else None
        if text is None:
            return _error("unknown_run", "there is no such run here; the runs of this session can be explained, the last 50 of them")
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content={"run_id": run_id, "text": text})


def build_server(runs: Runs) -> Server[Any]:
    """The MCP server around the runs; it is served over standard input and output, or as an ASGI application."""

    async def list_tools(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=name,
                    description=description,
                    input_schema=shape.model_json_schema(),
                    annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False),
                )
                for name, (shape, description) in TOOLS.items()
            ]
        )

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        return await runs.call(params.name, params.arguments or {})

    return Server("redraft", version=__version__, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool)


Problem = Literal["unknown_tool", "bad_arguments", "unknown_run", "refused", "model", "internal"]


def _error(kind: Problem, message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], structured_content={"error": {"kind": kind, "message": message}}, is_error=True)


def _first(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part)[:60] for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"there is no argument {place!r}; known: {', '.join(Arguments.model_fields)} (explain_run: run_id); files are given where the server is started"
    return f"{place}: {first['msg']}"


INSTRUCTIONS = """\
Redraft checks statements against real tools. Give check_answer or fix_answer a text, and the question it answers if there is one. `unavailable` and \
`insufficient` mean that a claim was not checked: never take them for true."""
