"""The controller: whether a candidate replaces the retained text (design section 3). Pure and deterministic.

The rules, in order; the first that fails is the reason, and all that fail are logged:
`hard_fail`, `scope`, `veto`, `critical_guard`, then `repair` or else `gain` accepts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

from redraft.comparison import Comparison, Counts, compare, counts_of
from redraft.policy import Control, Policy
from redraft.types import Decision, Problem, Scorecard, State, Turn

__all__ = ["EPSILON", "anchor_of", "decide", "mean_score", "penalised", "safety_score", "score_of", "shown", "text_key"]

EPSILON = 1e-9
"""Thresholds are inclusive up to this much."""


def decide(policy: Policy, retained: State, candidate: State, problems: Sequence[Problem], anchor: Scorecard | None = None) -> Decision:
    """Whether `candidate` replaces `retained`; looks at nothing but its arguments, and changes none of them.

    `anchor` is the scorecard that the critical guard compares with (`anchor_of`); None means the retained text's own.
    """
    comparison = compare(retained, candidate, problems)
    scale = _Scale.of(policy, retained, candidate, anchor or retained.scorecard, comparison)
    figures = _figures(policy.control, retained, candidate, comparison, scale)
    other = _without_controller(policy, retained, candidate, figures)
    if other is not None:
        return other
    failures: list[tuple[str, str]] = []
    for rule, reason in (
        ("hard_fail", _hard_fail(retained, candidate, comparison)),
        ("scope", _scope(comparison)),
        ("veto", _veto(candidate)),
        ("critical_guard", scale.guard_failure),
    ):
        if reason:
            failures.append((rule, reason))
    repaired = bool(comparison.fixed) and not comparison.newly_contradicted
    gained = scale.gain is not None and scale.gain >= policy.control.gain - EPSILON
    if not repaired and not gained:
        failures.append(_no_progress(policy.control, comparison, scale))
    if failures:
        rule, reason = failures[0]
        return Decision(accepted=False, rule=rule, failed=tuple(name for name, _ in failures), figures=figures, reason=reason)
    if repaired:
        return Decision(
            accepted=True, rule="repair", figures=figures, reason=f"{_count(len(comparison.fixed), 'contradicted claim')} repaired and none newly contradicted."
        )
    return Decision(accepted=True, rule="gain", figures=figures, reason=f"The penalised score rises by {scale.gain:.4f}, at least {policy.control.gain:g}.")


def anchor_of(policy: Policy, initial: State, history: Sequence[Turn], retained: State) -> Scorecard | None:
    """The scorecard that the critical guard compares with: the retained text's, the first one's, or the best of all that were once retained."""
    kind = policy.control.anchor
    if kind == "retained":
        return retained.scorecard
    if kind == "initial":
        return initial.scorecard or retained.scorecard
    kept = [initial, *(turn.candidate for turn in history if turn.decision.accepted), retained]
    scored = [(score, state) for state in kept if (score := score_of(policy, state)) is not None]
    return max(scored, key=lambda fate: fate[0])[1].scorecard if scored else None


def mean_score(scorecard: Scorecard, dimensions: Collection[str] | None = None) -> float | None:
    """S: the mean over the available dimensions, or over those given; None without any."""
    scores = [score for dimension, score in scorecard.scores.items() if dimensions is None or dimension in dimensions]
    return fmean(scores) if scores else None


def penalised(policy: Policy, mean: float, counts: Counts, scorecard: Scorecard | None = None) -> float:
    """P = S − Σ λ·n, not clipped. Of the scorecard the diagnosed defects count too, where the policy penalises them."""
    control = policy.control
    serious, minor = (scorecard.serious, scorecard.minor) if scorecard is not None and control.diagnosed else (0.0, 0.0)
    return mean - control.penalty_contradicted * (counts.contradicted + serious) - control.penalty_minor * (counts.citations + counts.lost + minor)


def shown(score: float) -> float:
    """A penalised score as it is displayed: clipped to [0, 1]."""
    return min(1.0, max(0.0, score))


def score_of(policy: Policy, state: State) -> float | None:
    """P of one state by its own claims; None without a scorecard."""
    mean = mean_score(state.scorecard) if state.scorecard is not None else None
    return None if mean is None else penalised(policy, mean, counts_of(state.checks), state.scorecard)


def safety_score(state: State) -> float | None:
    """The worst score that a safety tool gave the text (0 harmless, 1 worst), or None where none was measured."""
    scores: list[float] = []
    for check in state.checks:
        if check.claim.kind == "safety":
            scores.extend(_numbers(state.evidence[key].value for key in check.evidence if key in state.evidence))
    return max(scores, default=None)


def _numbers(values: Iterable[str]) -> list[float]:
    numbers: list[float] = []
    for value in values:
        try:
            numbers.append(float(value))
        except ValueError:
            continue
    return numbers


def _without_controller(policy: Policy, retained: State, candidate: State, figures: Mapping[str, Any]) -> Decision | None:
    """The decision of policies that accept by another rule, or None where the controller decides. An empty text is never an answer."""
    rule = policy.accept if policy.guard else "no_guard"
    if rule == "controller":
        return None
    if not candidate.text.strip():
        return Decision(accepted=False, rule=rule, failed=(rule,), figures=figures, reason="The candidate is empty.")
    if rule != "falls":
        return Decision(accepted=True, rule=rule, figures=figures, reason="This policy accepts every candidate that is not empty.")
    before, after = safety_score(retained), safety_score(candidate)
    if before is not None and after is not None and after < before:
        return Decision(accepted=True, rule=rule, figures=figures, reason=f"The safety score falls from {before:.4f} to {after:.4f}.")
    return Decision(accepted=False, rule=rule, failed=(rule,), figures=figures, reason="The safety score does not fall.")


def _hard_fail(retained: State, candidate: State, comparison: Comparison) -> str:
    if not candidate.text.strip():
        return "The candidate is empty."
    if not candidate.parses:
        return "The candidate does not parse."
    if candidate.refusal and not retained.refusal:
        return "The candidate is a refusal where the retained answer was none."
    broken = [fate for fate in comparison.fates if fate.lost_support]
    tests = [fate for fate in broken if fate.claim.kind == "code"]
    if tests:
        return f"{_count(len(tests), 'check')} of code passed and passes no longer: {_quoted(tests[0].claim.text)}."
    if broken:
        return f"{_count(len(broken), 'claim')} supported before is not supported any more: {_quoted(broken[0].claim.text)}."
    lost = [fate for fate in comparison.fates if fate.lost and fate.claim.importance == 3]
    if lost:
        return f"{_count(len(lost), 'important supported claim')} is gone or has become vague: {_quoted(lost[0].claim.text)}."
    return ""


def _scope(comparison: Comparison) -> str:
    if not comparison.out_of_scope:
        return f"It brings in what no problem asked for and nothing bears out: {_quoted(comparison.unasked[0])}." if comparison.unasked else ""
    first = next(fate for fate in comparison.fates if fate.claim.id == comparison.out_of_scope[0])
    return f"{_count(len(comparison.out_of_scope), 'claim')} that no problem names was changed or removed: {_quoted(first.claim.text)}."


def _veto(candidate: State) -> str:
    return "The evaluator rejected the candidate." if candidate.scorecard is not None and candidate.scorecard.veto else ""


def _no_progress(control: Control, comparison: Comparison, scale: _Scale) -> tuple[str, str]:
    if scale.gain is not None:
        return "gain", f"The penalised score changes by {scale.gain:+.4f}, less than {control.gain:g}, and no repair makes up for it."
    if comparison.newly_contradicted:
        return "repair", f"{_count(len(comparison.newly_contradicted), 'claim')} is newly contradicted."
    return "repair", "No contradicted claim was repaired."


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scale:
    """The scores of both texts over the dimensions that both have, and what the rules make of them."""

    means: tuple[float, float] | None
    scores: tuple[float, float] | None
    gain: float | None
    guard_failure: str

    @classmethod
    def of(cls, policy: Policy, retained: State, candidate: State, anchor: Scorecard | None, comparison: Comparison) -> _Scale:
        control = policy.control
        guard = _guard_failure(control, anchor, candidate.scorecard)
        if retained.scorecard is None or candidate.scorecard is None:
            return cls(means=None, scores=None, gain=None, guard_failure=guard)
        common = [dimension for dimension in retained.scorecard.scores if dimension in candidate.scorecard.scores]
        before, after = mean_score(retained.scorecard, common), mean_score(candidate.scorecard, common)
        if before is None or after is None:
            return cls(means=None, scores=None, gain=None, guard_failure=guard)
        scores = (
            penalised(policy, before, comparison.before, retained.scorecard),
            penalised(policy, after, comparison.after, candidate.scorecard),
        )
        return cls(means=(before, after), scores=scores, gain=_gain(control, *scores), guard_failure=guard)


def _gain(control: Control, before: float, after: float) -> float:
    if control.gain_kind == "absolute":
        return after - before
    headroom = 1.0 - before
    return (after - before) / headroom if headroom > EPSILON else 0.0


def _guard_failure(control: Control, anchor: Scorecard | None, new: Scorecard | None) -> str:
    if anchor is None or new is None:
        return ""
    for dimension, floor in anchor.scores.items():
        if dimension not in control.critical or dimension not in new.scores:
            continue
        score = new.scores[dimension]
        if not score >= floor - control.tolerance - EPSILON:
            return f"The score for {dimension} falls from {floor:.4f} to {score:.4f}, more than {control.tolerance:g}."
    return ""


def _figures(control: Control, retained: State, candidate: State, comparison: Comparison, scale: _Scale) -> dict[str, Any]:
    """Every number that the rules used, as plain values."""
    before, after = _side(retained, comparison.before, scale, 0), _side(candidate, comparison.after, scale, 1)
    fates = comparison.fates
    return {
        "retained": before,
        "candidate": after,
        "gain": scale.gain,
        "thresholds": {
            "gain": control.gain,
            "gain_kind": control.gain_kind,
            "tolerance": control.tolerance,
            "penalty_contradicted": control.penalty_contradicted,
            "penalty_minor": control.penalty_minor,
        },
        "fixed": list(comparison.fixed),
        "newly_contradicted": list(comparison.newly_contradicted),
        "lost_support": [fate.claim.id for fate in fates if fate.lost_support],
        "lost_claims": [fate.claim.id for fate in fates if fate.lost],
        "unconfirmed_flips": [fate.claim.id for fate in fates if fate.unconfirmed],
        "out_of_scope": list(comparison.out_of_scope),
        "unasked": list(comparison.unasked),
    }


def _side(state: State, counts: Counts, scale: _Scale, index: int) -> dict[str, Any]:
    side: dict[str, Any] = {"text": text_key(state.text), "contradicted": counts.contradicted, "citations": counts.citations, "lost": counts.lost}
    if state.scorecard is not None:
        side["scores"] = dict(state.scorecard.scores)
        if state.scorecard.serious or state.scorecard.minor:
            side |= {"serious": state.scorecard.serious, "minor": state.scorecard.minor}
    if scale.means is not None and scale.scores is not None:
        side |= {"S": scale.means[index], "P": scale.scores[index], "shown": shown(scale.scores[index])}
    safety = safety_score(state)
    return side if safety is None else side | {"safety": safety}


@lru_cache(maxsize=512)  # the stopping rules ask for the same few texts at every boundary
def text_key(text: str) -> str:
    """A short digest of a text up to white space: equal keys are equal texts."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= 80 else flat[:79] + "…")
