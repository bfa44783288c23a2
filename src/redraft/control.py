"""The controller: whether a candidate replaces the retained text (design section 3). Pure and deterministic.

The rules, in order; the first that fails is the reason, and all that fail are logged:
`hard_fail`, `scope`, `veto`, `critical_guard`, then `repair` or else `gain` accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from redraft.policy import Policy
from redraft.types import Check, Claim, Decision, Dimension, Problem, Scorecard, State, Turn

__all__ = ["Counts", "anchor_of", "counts_of", "decide", "mean_score", "penalised", "safety_score", "score_of", "shown"]

EPSILON = 1e-9
"""Thresholds are inclusive up to this much."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """What the penalised score takes off: `contradicted` by the large λ, `citations` and `lost` by the small one."""

    contradicted: int = 0
    citations: int = 0
    lost: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pair:
    """A claim of the retained text with its check there, and the check of the claim that stands for it in the candidate, or None."""

    old: Check
    new: Check | None
    named: bool
    vague: bool
    unconfirmed: bool
    """Whether its loss of support is a judge's, and no second look confirmed it: such a flip counts for nothing."""

    @property
    def claim(self) -> Claim:
        return self.old.claim

    @property
    def lost_support(self) -> bool:
        """A claim that was supported is anything but supported; a claim of the task cannot be removed, so that its absence is a loss of support."""
        if self.old.status != "supported" or self.unconfirmed:
            return False
        return self.claim.requirement if self.new is None else self.new.status != "supported"

    @property
    def lost(self) -> bool:
        """A supported claim is gone that no problem named, or has become vague."""
        if self.old.status != "supported" or self.claim.requirement:
            return False
        return not self.named if self.new is None else self.vague

    @property
    def offers_replacement(self) -> bool:
        return self.old.expected is not None or bool(self.old.alternatives)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Comparison:
    """Everything the rules look at, worked out once."""

    pairs: tuple[_Pair, ...]
    fixed: tuple[str, ...]
    newly_contradicted: tuple[str, ...]
    out_of_scope: tuple[str, ...]
    before: Counts
    after: Counts


def decide(policy: Policy, retained: State, candidate: State, problems: Sequence[Problem], anchor: Scorecard | None = None) -> Decision:
    """Whether `candidate` replaces `retained`; looks at nothing but its arguments, and changes none of them.

    `anchor` is the scorecard that the critical guard compares with (`anchor_of`); None means the retained text's own.
    """
    comparison = _compare(retained, candidate, problems)
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
    return max(scored, key=lambda pair: pair[0])[1].scorecard if scored else None


def mean_score(scorecard: Scorecard, dimensions: Sequence[Dimension] | None = None) -> float | None:
    """S: the mean over the available dimensions, or over those given; None without any."""
    scores = [score for dimension, score in scorecard.scores.items() if dimensions is None or dimension in dimensions]
    return fmean(scores) if scores else None


def penalised(policy: Policy, mean: float, counts: Counts) -> float:
    """P = S − Σ λ·n, not clipped."""
    control = policy.control
    return mean - control.penalty_contradicted * counts.contradicted - control.penalty_minor * (counts.citations + counts.lost)


def shown(score: float) -> float:
    """A penalised score as it is displayed: clipped to [0, 1]."""
    return min(1.0, max(0.0, score))


def counts_of(checks: Sequence[Check], *, lost: int = 0) -> Counts:
    """Contradicted claims of a text: citations apart, since they weigh less."""
    contradicted = [check for check in checks if check.status == "contradicted"]
    citations = sum(check.claim.kind == "citation" for check in contradicted)
    return Counts(contradicted=len(contradicted) - citations, citations=citations, lost=lost)


def score_of(policy: Policy, state: State) -> float | None:
    """P of one state by its own claims; None without a scorecard."""
    mean = mean_score(state.scorecard) if state.scorecard is not None else None
    return None if mean is None else penalised(policy, mean, counts_of(state.checks))


def safety_score(state: State) -> float | None:
    """The worst score that a safety tool gave the text (0 harmless, 1 worst), or None where none was measured."""
    scores: list[float] = []
    for check in state.checks:
        if check.claim.kind == "safety":
            scores.extend(_numbers(state.evidence[key].value for key in check.evidence if key in state.evidence))
    return max(scores, default=None)


def _numbers(values: Any) -> list[float]:
    numbers: list[float] = []
    for value in values:
        try:
            numbers.append(float(value))
        except ValueError:
            continue
    return numbers
