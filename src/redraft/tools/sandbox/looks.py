"""What an interpreter behind walls reported, read as results; and when a suite is run a second time, and what both runs say together. Pure."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import Any

from redraft.claims.suites import Suite
from redraft.tools.sandbox import Execution, Outcome, StepOutcome, StepResult, all_steps

__all__ = ["FAILING", "SLOW_FACTOR", "agreed", "execution_of", "second_look", "step_results"]

SLOW_FACTOR = 5
"""A test that does not finish gets so many times its time in the second look: slow is not wrong."""
FAILING: frozenset[StepOutcome] = frozenset({"failed", "error", "timeout", "memory", "output", "crashed"})


def second_look(suite: Suite, first: Sequence[tuple[StepResult, bool]]) -> bool | None:
    """Whether the second run keeps program and tests apart; None where none is needed, because nothing failed or nothing could be loaded."""
    if not any(result.outcome in FAILING or result.outcome == "undecidable" for result, _ in first):
        return None
    if all(result.message.startswith("SyntaxError") for result, _ in first):
        return None
    # A value that stays with the program acts through a proxy: what fails that way must also fail without one before it counts as failed
    return not (suite.reaches_out or any(remote for _, remote in first))


def execution_of(report: bytes, stdout: str, status: int | None, times: tuple[float, float]) -> Execution:
    """What the guest reported of its program; without a report, how it died."""
    seconds, allowed = times
    try:
        result: dict[str, Any] = json.loads(report)
        kind, message, line = result.get("error") or ("", "", None)
        value = str(result.get("value", ""))
    except (ValueError, TypeError, AttributeError):
        # Gone without a word after its time: the limit of processor time has ended it
        gone: Outcome = "timeout" if seconds >= allowed else "crashed"
        return Execution(outcome=gone, stdout=stdout, error_message=f"ended without a report (status {status})", seconds=seconds)
    outcome = "memory" if kind == "MemoryError" else "error" if kind else "ok"
    return Execution(outcome=outcome, stdout=stdout, value=value, error_type=kind, error_message=message, error_line=line, seconds=seconds)


def step_results(report: bytes, suite: Suite, cut: str) -> tuple[tuple[StepResult, bool], ...]:
    """One result for each step, and whether a proxy took part in it. Steps without a line did not run."""
    results: list[tuple[StepResult, bool]] = []
    with contextlib.suppress(ValueError):  # a last line that was cut off
        for line in report.decode("utf-8", "replace").splitlines():
            entry: dict[str, Any] = json.loads(line)
            result = StepResult(
                outcome=entry["outcome"], message=entry["message"] if "message" in entry else "", left=entry.get("left", ""), right=entry.get("right", "")
            )
            if entry.get("load"):
                return tuple((one, False) for one in all_steps(suite, result))
            results.append((result, bool(entry.get("remote"))))
    if len(results) < len(suite.steps) and not cut and not (results and results[-1][0].outcome in ("timeout", "crashed")):
        results.append((StepResult(outcome="crashed"), False))
    missing = len(suite.steps) - len(results)
    return (*results, *((StepResult(outcome="not_run", message="an earlier step ended the run"), False) for _ in range(missing)))


def agreed(one: StepResult, two: StepResult, *, apart: bool) -> StepResult:
    """What two runs say together: a failure counts if it comes back, and what the program could have disturbed never makes it pass."""
    if one.outcome == "passed":
        return StepResult(outcome="undecidable", message="passed once and failed once") if apart and two.outcome in FAILING else one
    if one.outcome == "timeout" and two.outcome in ("timeout", "not_run"):  # not run: its time went into an earlier step
        return one if two.outcome == "not_run" else two
    if one.outcome in ("timeout", "not_run") and two.outcome == "passed" and apart:  # slow is not wrong
        return two
    if one.outcome in FAILING:
        if two.outcome in FAILING or (one.outcome == "crashed" and not one.message):  # without a message it was the sandbox, not the program
            return one
        return StepResult(outcome="undecidable", message=f"failed, and did not fail again ({one.message})")
    return two if one.outcome == "undecidable" and not apart and two.outcome in FAILING else one
