"""Critique: what conflicts with the evidence, and only that.

Composed from the checks: a computed, executed or quoted contradiction carries its own words, a judged one the judge's reason and quotation. Nothing
that could not be decided is a problem, so nothing is rewritten on insufficient evidence alone.
"""

from __future__ import annotations

from redraft.effects import Effects
from redraft.policy import Policy
from redraft.types import Check, Evidence, Problem, State, Task

__all__ = ["critique"]


async def critique(task: Task, policy: Policy, state: State, effects: Effects) -> tuple[Problem, ...]:
    """The problems of the retained text, the most important first; empty where nothing is contradicted."""
    contradicted = [check for check in state.checks if check.status == "contradicted"]
    ordered = sorted(contradicted, key=lambda check: (-check.claim.importance, check.claim.span))
    return tuple(compose(check, state) for check in ordered)


def compose(check: Check, state: State) -> Problem:
    """One problem in words: what the text says, what the evidence says, and where that stands."""
    focus = check.claim.focus
    said = state.text[focus[0] : focus[1]] if focus else check.claim.text
    parts = [check.note or "The evidence says otherwise."]
    if check.expected is not None and check.expected not in parts[0]:
        parts.append(f"It should read {check.expected!r}, not {said!r}.")
    elif check.alternatives:
        parts.append("Possible repairs: " + "; ".join(repr(item) for item in check.alternatives) + ".")
    first: Evidence | None = next((state.evidence[name] for name in check.evidence if name in state.evidence), None)
    if check.quote and first is not None:
        parts.append(f"{first.title or first.source or first.tool}: “{check.quote}”")
    return Problem(claim=check.claim, message=" ".join(parts), evidence=check.evidence, expected=check.expected)
