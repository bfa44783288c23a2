"""Critique: what is wrong with the retained text, each problem tied to its words.

Composed from the checks, a computed, executed or quoted contradiction carries its own words, a judged one the judge's reason and quotation: what conflicts
with the evidence, and only that, so that nothing is rewritten on insufficient evidence alone. Other methods take a model's word (`reflect.py`), what the
critic found who examined the text (`interact.py`, `probe.py`), or the evaluator's diagnosis.
"""

from __future__ import annotations

from collections.abc import Sequence

from redraft.effects import Effects
from redraft.policy import Policy
from redraft.reflect import aspects, judged, recalled, whole
from redraft.types import Check, Evidence, Problem, Scorecard, State, Task, Turn

__all__ = ["critique"]

FULL = 0.995
"""A score from which on a dimension has nothing left to improve."""


async def critique(task: Task, policy: Policy, state: State, effects: Effects, history: Sequence[Turn] = ()) -> tuple[Problem, ...]:
    """The problems of the retained text, the most important first; empty where there is none.

    Raises:
        Stopped: a budget forbids a call.
    """
    turn = len(history)
    match policy.critique:
        case "none":
            return ()
        case "evaluator":
            return diagnosed(state)
        case "aspects":
            return await aspects(task, state, history, effects, turn=turn)
        case "model" if policy.checks == "model":
            return await recalled(task, state, effects, turn=turn)
        case "model" if policy.checks == "none":
            return await judged(task, state, effects, turn=turn)
        case "model":
            return state.found
        case _:
            contradicted = [check for check in state.checks if check.status == "contradicted"]
            ordered = sorted(contradicted, key=lambda check: (-check.claim.importance, check.claim.span))
            return tuple(compose(check, state) for check in ordered)


def diagnosed(state: State) -> tuple[Problem, ...]:
    """The evaluator's defects, and what keeps its weakest dimension from scoring more; before them what checks contradict, where there are any."""
    problems = [compose(check, state) for check in state.checks if check.status == "contradicted"]
    card = state.scorecard
    if card is None:
        return tuple(problems)
    problems += [Problem(claim=whole(state.text), message=defect) for defect in card.diagnostics]
    weakest = min(card.scores, key=lambda name: card.scores[name], default=None)
    if weakest is not None and card.scores[weakest] < FULL:
        problems.append(Problem(claim=whole(state.text), message=_weakness(card, weakest)))
    return tuple(problems)


def _weakness(card: Scorecard, weakest: str) -> str:
    reason = {str(name): text for name, text in card.reasons.items()}.get(weakest, "")
    return f"The weakest dimension is {weakest}." + (f" {reason}" if reason else "")


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
