"""The `python` tool: runs Python source in a sandbox and returns what it printed, the value of its last expression, or its error.

The input is Python source, or a test suite as `claims.suites.suite_input` writes it. The order is monty, then CPython under bubblewrap where monty cannot,
then a typed failure: never the interpreter that runs Redraft.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

from redraft.claims.suites import Step, Suite, read_suite
from redraft.errors import UnknownName
from redraft.tools.sandbox import Available, Execution, Limits, Sandbox, StepResult
from redraft.types import Evidence, Failure, FailureKind, ToolCall, ToolResult

__all__ = ["PythonTool", "SandboxName"]

SandboxName = Literal["auto", "monty", "bubblewrap", "e2b", "modal"]
SANDBOXES: tuple[SandboxName, ...] = ("auto", "monty", "bubblewrap", "e2b", "modal")
"""`auto` is what runs here; a rented machine is used only where it is chosen, and then nothing else is."""
MAX_SOURCE = 200_000
PARTIAL = frozenset({"TypeError", "SyntaxError", "RuntimeError", "AttributeError", "Exception"})
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

    def __init__(self, sandbox: str = "auto", *, limits: Limits | None = None) -> None:
        if sandbox not in SANDBOXES:
            raise UnknownName("sandbox", sandbox, SANDBOXES)
        self.limits = limits or Limits()
        self.sandboxes: tuple[Sandbox, ...] = _sandboxes(sandbox)
        self._remote = sandbox in ("e2b", "modal")

    @property
    def timeout_seconds(self) -> float:
        """An upper bound on all attempts together; each program has a tighter one of its own."""
        return (10 if self._remote else 4) * self.limits.total_seconds

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
            return await self._run_suite(call, suite, usable, reasons)
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

    async def _run_suite(self, call: ToolCall, suite: Suite, usable: Sequence[Sandbox], reasons: Sequence[str]) -> ToolResult:
        results = await usable[0].check(suite, self.limits)
        if usable[0].name == "monty" and any(result.outcome != "passed" for result in results):
            # The small interpreter's word is taken for what passes; what does not is looked at again, by the full one where there is one
            full = len(usable) > 1
            second = await usable[-1].check(suite, self.limits)
            results = second if full else tuple(map(_confirmed, results, second))
        decisive = [result for step, result in zip(suite.steps, results, strict=True) if step.kind != "setup"]
        if all(result.outcome == "unsupported" for result in decisive):
            return _failure(call, "unsupported", "the code needs what the sandbox lacks" + "".join(f"; {reason}" for reason in reasons))
        if all(result.outcome == "crashed" and not result.message for result in decisive):
            return _failure(call, "broken", "the sandbox broke while the tests ran")
        return tuple(_step_evidence(step, result, self.limits) for step, result in zip(suite.steps, results, strict=True))


def _confirmed(one: StepResult, two: StepResult) -> StepResult:
    """What two runs of the small interpreter say together. Errors that may only mean that it is small do not count as failures."""
    if one.outcome == "error" and one.message.split(":")[0] in PARTIAL:
        return StepResult(outcome="unsupported", message=one.message)
    return one if one.outcome == two.outcome else StepResult(outcome="undecidable", message="two runs did not end alike")


def _step_evidence(step: Step, result: StepResult, limits: Limits) -> Evidence:
    """One step as evidence: `title` is the outcome, `value` the value that was found, `text` says both in words."""
    words: dict[str, str] = {
        "passed": "passed",
        "failed": f"failed: expected {result.right}, got {result.left}" if result.left else f"failed: {result.message or 'the assertion is false'}",
        "error": f"failed with {result.message}",
        "timeout": f"did not finish within {result.message or f'{limits.seconds:g} s'}",
        "memory": "needed more memory than allowed",
        "output": f"printed more than {limits.output_bytes >> 10} KB",
        "undecidable": f"not decided: {result.message}",
        "unsupported": f"not run: {result.message}",
        "crashed": result.message or "the sandbox broke",
        "not_run": f"not run: {result.message}",
    }
    text = f"{step.source}\n{words[result.outcome]}"
    return Evidence(tool="python", input=step.source, title=result.outcome, text=text, value=result.left)


def _sandboxes(name: str) -> tuple[Sandbox, ...]:
    from redraft.tools.sandbox.bubblewrap import BubblewrapSandbox
    from redraft.tools.sandbox.monty import MontySandbox

    match name:
        case "monty":
            return (MontySandbox(),)
        case "bubblewrap":
            return (BubblewrapSandbox(),)
        case "e2b" | "modal":
            from redraft.tools.sandbox.remote import E2b, Modal, RemoteSandbox

            return (RemoteSandbox(E2b() if name == "e2b" else Modal()),)
        case _:
            return (MontySandbox(), BubblewrapSandbox())


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
