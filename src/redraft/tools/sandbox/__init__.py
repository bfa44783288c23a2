"""Running code that nobody trusts: what every sandbox promises, and the values it works with.

A sandbox never falls back to the interpreter that runs Redraft. What it cannot run it calls `unsupported`, what breaks it `crashed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from redraft.claims.suites import Suite

__all__ = ["Available", "Execution", "Limits", "Outcome", "Sandbox", "StepOutcome", "StepResult", "all_steps"]

Available = tuple[bool, str]
"""Whether a sandbox can be used here, and why not (or which version)."""

Outcome = Literal["ok", "error", "timeout", "memory", "output", "unsupported", "crashed"]
StepOutcome = Literal["passed", "failed", "error", "timeout", "memory", "output", "undecidable", "unsupported", "crashed", "not_run"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Bounds of one run. Time is per program or per test assertion; `total_seconds` bounds all that one call starts."""

    seconds: float = 2.0
    total_seconds: float = 12.0
    memory_bytes: int = 100 << 20
    output_bytes: int = 64 << 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """How one program ended: what it printed, the value of its last expression (as `repr`), and the error if there was one."""

    outcome: Outcome
    stdout: str = ""
    value: str = ""
    error_type: str = ""
    error_message: str = ""
    error_line: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class StepResult:
    outcome: StepOutcome
    message: str = ""
    """Of an error: `Type: message`; of anything else a few words."""
    left: str = ""
    right: str = ""


def all_steps(suite: Suite, result: StepResult) -> tuple[StepResult, ...]:
    """The same result for every step: what became of the program became of them all."""
    return (result,) * len(suite.steps)


class Sandbox(Protocol):
    """A place to run code. Both methods return whatever happens, and nothing that they start outlives its limits."""

    @property
    def name(self) -> str: ...

    def available(self) -> Available: ...

    async def run(self, code: str, limits: Limits) -> Execution:
        """Run a program."""
        ...

    async def check(self, suite: Suite, limits: Limits) -> tuple[StepResult, ...]:
        """Run a test suite: one result for each step, in order."""
        ...

    async def close(self) -> None: ...
