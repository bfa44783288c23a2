"""A test suite taken apart into steps, and its spelling as the input of a tool call."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Step", "Suite", "read_suite", "suite_input"]

SUITE_KEYS = {"program", "steps", "names", "reaches_out"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One statement of a test suite. A `test` decides something, `setup` only prepares, a `doctest` is an example with the output it shows."""

    kind: Literal["setup", "test", "doctest"]
    source: str
    left: str = ""
    """For `assert left == right`: both sides, so that a failure can show them."""
    right: str = ""
    want: str = ""
    """For a doctest: the output that is shown."""
    group: int = 0
    """Steps of one group share their names; a new group starts from the names of group 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """A program and the steps to run against it. The program never sees the steps: they run where it cannot reach."""

    program: str
    steps: tuple[Step, ...]
    names: tuple[str, ...] = ()
    """Names that the steps take from the program; all others are their own or built in."""
    reaches_out: bool = False
    """Whether the tests look at what only one process has (standard output, patched modules): failures then need a look inside one process."""


def suite_input(suite: Suite) -> str:
    """A test suite as the input of a tool call: equal suites give the equal text."""
    steps = [{key: value for key, value in dataclasses.asdict(step).items() if value not in ("", 0)} for step in suite.steps]
    value = {"program": suite.program, "steps": steps, "names": suite.names, "reaches_out": suite.reaches_out}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_suite(text: str) -> Suite | None:
    """The test suite that a tool call's input holds, or None where it is Python source."""
    if not text.startswith('{"program":'):
        return None
    try:
        value: Any = json.loads(text)
        if set(value) != SUITE_KEYS:
            return None
        steps: list[dict[str, Any]] = value["steps"]
        names = tuple(str(name) for name in value["names"])
        return Suite(program=str(value["program"]), steps=tuple(Step(**step) for step in steps), names=names, reaches_out=bool(value["reaches_out"]))
    except (ValueError, TypeError):
        return None
