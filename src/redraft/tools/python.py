"""The `python` tool: runs Python source in a sandbox and returns what it printed, the value of its last expression, or its error.

The input is Python source, or a test suite as `suite_input` writes it. The order is monty, then CPython under bubblewrap where monty cannot,
then a typed failure: never the interpreter that runs Redraft.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Sequence
from typing import Any, Literal

from redraft.errors import UnknownName
from redraft.tools.sandbox import Available, Execution, Limits, Sandbox, Step, Suite
from redraft.types import Evidence, Failure, FailureKind, ToolCall, ToolResult

__all__ = ["PythonTool", "SandboxName", "read_suite", "suite_input"]

SandboxName = Literal["auto", "monty", "bubblewrap"]
SANDBOXES: tuple[SandboxName, ...] = ("auto", "monty", "bubblewrap")
MAX_SOURCE = 200_000
MAX_STEPS = 500
SUITE_KEYS = {"program", "steps"}
FAILURES: dict[str, FailureKind] = {
    "timeout": "timeout",
    "memory": "too_large",
    "output": "too_large",
    "unsupported": "unsupported",
    "crashed": "broken",
}


class PythonTool:
    """Runs Python in a sandbox.

    Raises:
        UnknownName: there is no sandbox of that name.
    """

    name = "python"
    summary = "Runs Python source in a sandbox and returns what it prints, or the value of its last expression."

    def __init__(self, sandbox: SandboxName = "auto", *, limits: Limits | None = None) -> None:
        if sandbox not in SANDBOXES:
            raise UnknownName("sandbox", sandbox, SANDBOXES)
        self.limits = limits or Limits()
        self.sandboxes: tuple[Sandbox, ...] = _sandboxes(sandbox)

    @property
    def timeout_seconds(self) -> float:
        """An upper bound on all attempts together; each program has a tighter one of its own."""
        return 4 * self.limits.total_seconds

    def available(self) -> dict[str, Available]:
        """For each sandbox in the order of use: whether it can be used here, and why not."""
        return {sandbox.name: sandbox.available() for sandbox in self.sandboxes}

    async def run(self, call: ToolCall) -> ToolResult:
        """Evidence of what the source does (one piece), or of every step of a test suite (one piece each, in order)."""
        problem = _bad_input(call.input)
        if problem:
            return _failure(call, "bad_input", problem)
        usable, reasons = await self._usable()
        if not usable:
            return _failure(call, "unsupported", "no sandbox is available: " + "; ".join(reasons))
        suite = read_suite(call.input)
        if suite is not None:
            return _failure(call, "unsupported", "test suites are not run yet")
        return await self._run_program(call, usable, reasons)

    async def close(self) -> None:
        for sandbox in self.sandboxes:
            await sandbox.close()

    async def _usable(self) -> tuple[list[Sandbox], list[str]]:
        usable: list[Sandbox] = []
        reasons: list[str] = []
        for sandbox in self.sandboxes:
            there, why = await asyncio.to_thread(sandbox.available)
            if there:
                usable.append(sandbox)
            else:
                reasons.append(f"{sandbox.name}: {why}")
        return usable, reasons

    async def _run_program(self, call: ToolCall, usable: Sequence[Sandbox], reasons: Sequence[str]) -> ToolResult:
        execution = Execution(outcome="crashed")
        for sandbox in usable:
            execution = await sandbox.run(call.input, self.limits)
            if execution.outcome not in ("unsupported", "crashed"):
                break
        if execution.outcome in ("ok", "error"):
            return (_evidence(call, execution),)
        return _failure(call, FAILURES[execution.outcome], _why(execution, self.limits, reasons))


def _sandboxes(name: SandboxName) -> tuple[Sandbox, ...]:
    from redraft.tools.sandbox.monty import MontySandbox

    return (MontySandbox(),)


def suite_input(suite: Suite) -> str:
    """A test suite as the input of a tool call: equal suites give the equal text."""
    steps = [{key: value for key, value in dataclasses.asdict(step).items() if value not in ("", 0)} for step in suite.steps]
    return json.dumps({"program": suite.program, "steps": steps}, ensure_ascii=False, separators=(",", ":"))


def read_suite(text: str) -> Suite | None:
    """The test suite that a tool call's input holds, or None where it is Python source."""
    if not text.startswith('{"program":'):
        return None
    try:
        value: Any = json.loads(text)
        if set(value) != SUITE_KEYS:
            return None
        steps: list[dict[str, Any]] = value["steps"]
        return Suite(program=str(value["program"]), steps=tuple(Step(**step) for step in steps))
    except (ValueError, TypeError):
        return None


def _bad_input(text: str) -> str:
    if not text.strip():
        return "there is no code"
    if len(text) > MAX_SOURCE:
        return f"the code has {len(text):,} characters; the bound is {MAX_SOURCE:,}"
    if "\0" in text:
        return "the code holds a NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "the code is not valid Unicode"
    return ""


def _evidence(call: ToolCall, execution: Execution) -> Evidence:
    printed = execution.stdout.rstrip("\n")
    if execution.outcome == "error":
        line = f" (line {execution.error_line})" if execution.error_line else ""
        error = f"{execution.error_type}: {execution.error_message}{line}" if execution.error_message else execution.error_type + line
        text = f"{printed}\n{error}" if printed else error
        return Evidence(tool=call.tool, input=call.input, title="error", text=text, value="")
    parts = [part for part in (printed, execution.value) if part]
    return Evidence(tool=call.tool, input=call.input, title="output", text="\n".join(parts) or "it printed nothing", value=printed or execution.value)


def _why(execution: Execution, limits: Limits, reasons: Sequence[str]) -> str:
    match execution.outcome:
        case "timeout":
            return f"the code did not finish within {limits.seconds:g} s"
        case "memory":
            return f"the code needed more than {limits.memory_bytes >> 20} MB of memory"
        case "output":
            return f"the code printed more than {limits.output_bytes >> 10} KB"
        case "unsupported":
            return f"the code needs what the small interpreter lacks ({execution.error_type}), and no full one is available: " + "; ".join(reasons)
        case _:
            return "the sandbox broke while the code ran"


def _failure(call: ToolCall, kind: FailureKind, message: str) -> Failure:
    return Failure(tool=call.tool, input=call.input, kind=kind, message=message)
