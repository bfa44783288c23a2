"""The controller: whether a candidate replaces the retained text (design section 3). Pure and deterministic.

The rules, in order; the first that fails is the reason, and all that fail are logged:
`hard_fail`, `scope`, `veto`, `critical_guard`, then `repair` or else `gain` accepts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from redraft.claims.edits import same_but_space
from redraft.claims.signature import keeps, signature, without_figures
from redraft.policy import Control, Policy
from redraft.types import Check, Claim, Decision, Problem, Scorecard, Span, State, Turn

__all__ = ["Counts", "anchor_of", "counts_of", "decide", "mean_score", "penalised", "safety_score", "score_of", "shown", "text_key"]

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


def mean_score(scorecard: Scorecard, dimensions: Collection[str] | None = None) -> float | None:
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


def _compare(retained: State, candidate: State, problems: Sequence[Problem]) -> _Comparison:
    pairs = _pairs(retained, candidate, problems)
    standing = {pair.new.claim.id for pair in pairs if pair.new is not None}
    new = [check for check in candidate.checks if check.claim.id not in standing]
    newly = [
        pair.claim.id
        for pair in pairs
        if pair.old.status != "contradicted" and not pair.unconfirmed and pair.new is not None and pair.new.status == "contradicted"
    ]
    newly += [check.claim.id for check in new if check.status == "contradicted"]
    # What was contradicted and has been taken out, although the evidence offers what to put in its place, earns nothing: it counts as it did.
    after = [pair.new if pair.new is not None else pair.old for pair in pairs if not pair.unconfirmed and (pair.new is not None or pair.offers_replacement)]
    return _Comparison(
        pairs=pairs,
        fixed=tuple(pair.claim.id for pair in pairs if _fixed(pair)),
        newly_contradicted=tuple(newly),
        out_of_scope=_out_of_scope(pairs, problems),
        before=counts_of(retained.checks),
        after=counts_of([*after, *new], lost=sum(pair.lost for pair in pairs)),
    )


def _pairs(retained: State, candidate: State, problems: Sequence[Problem]) -> tuple[_Pair, ...]:
    pairs: list[_Pair] = []
    expected = {problem.claim.id: problem.expected for problem in problems if problem.expected is not None}
    for old in retained.checks:
        key = old.claim.id
        new = candidate.check(key if old.claim.requirement else candidate.matching.get(key, ""))
        if old.expected is None and key in expected:
            old = replace(old, expected=expected[key])
        judged = old.method == "judged" and new is not None and new.status != "supported" and new.method in ("judged", None)
        pairs.append(
            _Pair(
                old=old,
                new=new,
                named=any(_names(problem, old.claim) for problem in problems),
                vague=key in candidate.vague,
                unconfirmed=old.status == "supported" and judged and key not in candidate.confirmed_flips,
            )
        )
    return tuple(pairs)


def _names(problem: Problem, claim: Claim) -> bool:
    """Whether the problem is about this claim: it is the problem's, or it contains what the problem wants changed."""
    if problem.claim.id == claim.id:
        return True
    return not claim.requirement and not problem.claim.requirement and _overlap(problem.claim.focus or problem.claim.span, claim.span)


def _overlap(a: Span, b: Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def _fixed(pair: _Pair) -> bool:
    if pair.old.status != "contradicted":
        return False
    if pair.new is None:
        return not pair.claim.requirement and not pair.offers_replacement
    if pair.new.status != "supported":
        return False
    # An answer's own doctest that was rewritten along with the code proves nothing.
    own_doctest = pair.claim.kind == "code" and not pair.claim.requirement and pair.claim.text.lstrip().startswith(">>>")
    return not own_doctest or same_but_space(pair.claim.text, pair.new.claim.text)


def _out_of_scope(pairs: Sequence[_Pair], problems: Sequence[Problem]) -> tuple[str, ...]:
    """Claims that no problem names and that do not reappear with the same figures, names and negation; figures that follow from a repair may change."""
    gone = [pair.claim.id for pair in pairs if pair.new is None and not pair.named and not pair.claim.requirement and pair.claim.checkworthy]
    changed = [
        pair for pair in pairs if pair.new is not None and not pair.named and not pair.claim.requirement and not keeps(pair.claim.text, pair.new.claim.text)
    ]
    linked = _linked(changed, pairs, problems)
    outside = {*gone, *(pair.claim.id for pair in changed if pair.claim.id not in linked)}
    return tuple(pair.claim.id for pair in pairs if pair.claim.id in outside)


def _linked(changed: Sequence[_Pair], pairs: Sequence[_Pair], problems: Sequence[Problem]) -> set[str]:
    """The changed claims whose new figures follow from a repair: recomputed and right, or a declared dependant that took over a repaired figure."""
    moved = {problem.claim.id for problem in problems}
    out: set[str] = set()
    into: set[str] = set()
    for pair in pairs:
        if pair.named and pair.new is not None:
            removed, added = _figure_change(pair)
            out, into = out | removed, into | added
    linked: set[str] = set()
    while True:
        grown = False
        for pair in changed:
            if pair.claim.id in linked or pair.new is None or not _only_figures_change(pair):
                continue
            removed, added = _figure_change(pair)
            recomputed = pair.new.status == "supported" and pair.new.method in ("computed", "executed") and bool(removed & out)
            carried = bool(moved & set(pair.claim.depends_on)) and removed <= out and added <= into
            if recomputed or carried:
                linked.add(pair.claim.id)
                moved.add(pair.claim.id)
                out, into, grown = out | removed, into | added, True
        if not grown:
            return linked


def _figure_change(pair: _Pair) -> tuple[set[str], set[str]]:
    before, after = set(signature(pair.claim.text).figures), set(signature(pair.new.claim.text).figures if pair.new else ())
    return before - after, after - before


def _only_figures_change(pair: _Pair) -> bool:
    return pair.new is not None and keeps(without_figures(pair.claim.text), without_figures(pair.new.claim.text))


def _hard_fail(retained: State, candidate: State, comparison: _Comparison) -> str:
    if not candidate.text.strip():
        return "The candidate is empty."
    if not candidate.parses:
        return "The candidate does not parse."
    if candidate.refusal and not retained.refusal:
        return "The candidate is a refusal where the retained answer was none."
    broken = [pair for pair in comparison.pairs if pair.lost_support]
    tests = [pair for pair in broken if pair.claim.kind == "code"]
    if tests:
        return f"{_count(len(tests), 'check')} of code passed and passes no longer: {_quoted(tests[0].claim.text)}."
    if broken:
        return f"{_count(len(broken), 'claim')} supported before is not supported any more: {_quoted(broken[0].claim.text)}."
    lost = [pair for pair in comparison.pairs if pair.lost and pair.claim.importance == 3]
    if lost:
        return f"{_count(len(lost), 'important supported claim')} is gone or has become vague: {_quoted(lost[0].claim.text)}."
    return ""


def _scope(comparison: _Comparison) -> str:
    if not comparison.out_of_scope:
        return ""
    first = next(pair for pair in comparison.pairs if pair.claim.id == comparison.out_of_scope[0])
    return f"{_count(len(comparison.out_of_scope), 'claim')} that no problem names was changed or removed: {_quoted(first.claim.text)}."


def _veto(candidate: State) -> str:
    return "The evaluator rejected the candidate." if candidate.scorecard is not None and candidate.scorecard.veto else ""


def _no_progress(control: Control, comparison: _Comparison, scale: _Scale) -> tuple[str, str]:
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
    def of(cls, policy: Policy, retained: State, candidate: State, anchor: Scorecard | None, comparison: _Comparison) -> _Scale:
        control = policy.control
        guard = _guard_failure(control, anchor, candidate.scorecard)
        if retained.scorecard is None or candidate.scorecard is None:
            return cls(means=None, scores=None, gain=None, guard_failure=guard)
        common = [dimension for dimension in retained.scorecard.scores if dimension in candidate.scorecard.scores]
        before, after = mean_score(retained.scorecard, common), mean_score(candidate.scorecard, common)
        if before is None or after is None:
            return cls(means=None, scores=None, gain=None, guard_failure=guard)
        scores = penalised(policy, before, comparison.before), penalised(policy, after, comparison.after)
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


def _figures(control: Control, retained: State, candidate: State, comparison: _Comparison, scale: _Scale) -> dict[str, Any]:
    """Every number that the rules used, as plain values."""
    before, after = _side(retained, comparison.before, scale, 0), _side(candidate, comparison.after, scale, 1)
    pairs = comparison.pairs
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
        "lost_support": [pair.claim.id for pair in pairs if pair.lost_support],
        "lost_claims": [pair.claim.id for pair in pairs if pair.lost],
        "unconfirmed_flips": [pair.claim.id for pair in pairs if pair.unconfirmed],
        "out_of_scope": list(comparison.out_of_scope),
    }


def _side(state: State, counts: Counts, scale: _Scale, index: int) -> dict[str, Any]:
    side: dict[str, Any] = {"text": text_key(state.text), "contradicted": counts.contradicted, "citations": counts.citations, "lost": counts.lost}
    if state.scorecard is not None:
        side["scores"] = dict(state.scorecard.scores)
    if scale.means is not None and scale.scores is not None:
        side |= {"S": scale.means[index], "P": scale.scores[index], "shown": shown(scale.scores[index])}
    safety = safety_score(state)
    return side if safety is None else side | {"safety": safety}


def text_key(text: str) -> str:
    """A short digest of a text up to white space: equal keys are equal texts."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= 80 else flat[:79] + "…")
