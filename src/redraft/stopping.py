"""When a run ends (design section 4). Pure: reads the policy, the retained state, the history, what was spent, and one moment.

Rules about the history look at nothing else, so that a run that stops early is the exact prefix of the one that goes on to the hard cap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from redraft.control import EPSILON, safety_score, score_of, text_key
from redraft.policy import STOP_ORDER, Policy, StopReason
from redraft.types import State, Status, Turn, Usage

__all__ = ["FEWEST_TURNS", "Moment", "status_of", "stop"]

FEWEST_TURNS = 2
"""Turns that an automatic hard cap grants before any problem has disappeared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """What the resource rules need to know of the present, besides what was spent."""

    elapsed_seconds: float
    cancelled: bool = False
    tools_down: bool = False
    """Whether no tool that the run needs remains."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Situation:
    policy: Policy
    state: State
    history: Sequence[Turn]
    usage: Usage
    now: Moment


def stop(policy: Policy, state: State, history: Sequence[Turn], usage: Usage, now: Moment) -> StopReason | None:
    """The first reason, in `STOP_ORDER`, that holds and that the policy knows; None to go on."""
    situation = _Situation(policy=policy, state=state, history=history, usage=usage, now=now)
    known = policy.stop_rules
    return next((reason for reason in STOP_ORDER if reason in known and _RULES[reason](situation)), None)


def status_of(state: State | None, draft: str) -> Status:
    """What may be said of a retained text, by the checks that ran; the first that holds (design section 2)."""
    if state is None or not state.text.strip():
        return "failed"
    if any(check.status == "contradicted" for check in state.checks):
        return "disputed"
    undecided = any(check.undecided and check.claim.checkworthy for check in state.checks)
    if undecided or not any(check.status == "supported" for check in state.checks):
        return "unverified"
    return "verified" if state.text == draft else "corrected"


def _verified(at: _Situation) -> bool:
    worthy = [check for check in at.state.checks if check.claim.checkworthy]
    return bool(worthy) and all(check.status == "supported" for check in worthy) and not _contradicted(at.state)


def _no_problem(at: _Situation) -> bool:
    if at.history and not at.history[-1].problems:
        return True
    return at.policy.critique == "composed" and not _contradicted(at.state)


def _contradicted(state: State) -> bool:
    return any(check.status == "contradicted" for check in state.checks)


def _deadline(at: _Situation) -> bool:
    bound = at.policy.budgets.deadline_seconds
    return bound is not None and at.now.elapsed_seconds >= bound


def _token_budget(at: _Situation) -> bool:
    bound = at.policy.budgets.tokens
    return bound is not None and at.usage.input_tokens + at.usage.output_tokens >= bound


def _cost_budget(at: _Situation) -> bool:
    bound = at.policy.budgets.cost_usd
    return bound is not None and (at.usage.cost_usd or 0.0) >= bound


def _call_budget(at: _Situation) -> bool:
    models, tools = at.policy.budgets.llm_calls, at.policy.budgets.tool_calls
    return (models is not None and at.usage.llm_calls >= models) or (tools is not None and at.usage.tool_calls >= tools)


def _target(at: _Situation) -> bool:
    if at.policy.accept == "falls":
        safety = safety_score(at.state)
        return safety is not None and safety < at.policy.target
    score = score_of(at.policy, at.state)
    return score is not None and score >= at.policy.target - EPSILON


def _unchanged(at: _Situation) -> bool:
    """Two consecutive candidates equal the text that was retained when they were proposed, up to white space."""
    if len(at.history) < 2:
        return False
    before = _retained_keys(at)
    return all(before[index] == text_key(at.history[index].candidate.text) for index in (-2, -1))


def _cycle(at: _Situation) -> bool:
    """The last candidate equals an earlier text of the run other than the one retained when it was proposed."""
    if not at.history:
        return False
    before = _retained_keys(at)
    last = text_key(at.history[-1].candidate.text)
    earlier = {*before, *(text_key(turn.candidate.text) for turn in at.history[:-1])}
    return last in earlier and last != before[-1]


def _retained_keys(at: _Situation) -> list[str | None]:
    """Keys of the text retained at the start of each turn; None where the history does not tell (a first text that was replaced)."""
    keys: list[str | None] = []
    last_accepted: str | None = None
    never_replaced = not any(turn.decision.accepted for turn in at.history)
    for turn in at.history:
        recorded = _recorded(turn).get("text")
        known = last_accepted or (str(recorded) if recorded else None)
        keys.append(known or (text_key(at.state.text) if never_replaced else None))
        if turn.decision.accepted:
            last_accepted = text_key(turn.candidate.text)
    return keys


def _recorded(turn: Turn) -> Mapping[str, object]:
    """What the controller noted about the text that was retained when this turn began."""
    side = turn.decision.figures.get("retained")
    return side if isinstance(side, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]


def _rejections(at: _Situation) -> bool:
    latest = at.history[-at.policy.rejections :] if at.policy.rejections > 0 else ()
    return len(latest) == at.policy.rejections > 0 and not any(turn.decision.accepted for turn in latest)


def _stagnation(at: _Situation) -> bool:
    window = at.policy.window
    if window < 1 or len(at.history) < window:
        return False
    if not any(turn.decision.accepted for turn in at.history[-window:]):
        return True
    before, after = _recorded(at.history[-window]).get("P"), score_of(at.policy, at.state)
    return isinstance(before, float) and after is not None and after - before < at.policy.control.gain - EPSILON


def _stable(at: _Situation) -> bool:
    scores = [score_of(at.policy, turn.candidate) for turn in at.history[-3:]]
    known = [score for score in scores if score is not None]
    if len(known) < 3:
        return False
    return all(abs(second - first) <= at.policy.stable_change + EPSILON for first, second in pairwise(known))


def _cap(at: _Situation) -> int:
    """T. Where it is automatic: two turns, and one more for each turn that left fewer problems than it found."""
    if not at.policy.auto_turns:
        return at.policy.max_turns
    left = [len(turn.problems) for turn in at.history]
    if left and at.policy.critique == "composed":
        left.append(sum(check.status == "contradicted" for check in at.state.checks))
    return min(at.policy.max_turns, FEWEST_TURNS + sum(after < before for before, after in pairwise(left)))


_RULES: Mapping[StopReason, Callable[[_Situation], bool]] = {
    "cancelled": lambda at: at.now.cancelled,
    "no_answer": lambda at: not at.state.text.strip(),
    "nothing_to_check": lambda at: not any(check.claim.checkworthy for check in at.state.checks),
    "verified": _verified,
    "no_problem": _no_problem,
    "breaker_open": lambda at: at.now.tools_down,
    "deadline": _deadline,
    "token_budget": _token_budget,
    "cost_budget": _cost_budget,
    "call_budget": _call_budget,
    "target": _target,
    "unchanged": _unchanged,
    "cycle": _cycle,
    "rejections": _rejections,
    "stagnation": _stagnation,
    "stable": _stable,
    "hard_cap": lambda at: len(at.history) >= _cap(at),
    "checked": lambda at: True,
}
