"""From which confidence to answer, so that a named risk stays below a bound: Learn-then-Test (Angelopoulos et al. 2021, arXiv 2110.01052).

Two risks, each a share of mistakes among those that a threshold lets through:

    error         wrong answers among those that are given
    regressions   right drafts made wrong among the rewrites that are taken

The labelled rows are split in two. The learning half puts the thresholds in an order; the calibration half, which has no other part, tests them in that
order, each by the exact binomial test of "the risk is above the bound", until one is not rejected (fixed sequence testing, which spends no level on what
was rejected before). What is promised: with probability 1 − δ over the drawing of the calibration rows, the risk at the threshold is at most the bound,
for questions like those. Too few rows promise nothing and are refused, with the number that would do.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from redraft.errors import InputError
from redraft.studies.stats import Interval, laboratory, wilson_interval

__all__ = ["RISKS", "Labelled", "Risk", "Threshold", "answer_confidence", "binomial_p_value", "learn_then_test", "rows_needed"]

Risk = Literal["error", "regressions"]
RISKS: tuple[Risk, ...] = ("error", "regressions")
LEVELS = 40
"""Thresholds that are tried at most: quantiles of the confidences of the learning half."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """How sure a run was of what it returned, and whether that is right; `right_before`: whether its draft was, where the draft was rewritten."""

    confidence: float
    right: bool
    right_before: bool | None = None

    def counts(self, risk: Risk) -> bool:
        """Whether the row has a decision that this risk is about."""
        return risk == "error" or self.right_before is not None

    def mistake(self, risk: Risk) -> bool:
        return not self.right if risk == "error" else bool(self.right_before) and not self.right


@dataclass(frozen=True, kw_only=True, slots=True)
class Threshold:
    """Let through what has at least this confidence. `share` and `risk` are of the calibration half, `interval` Wilson's."""

    risk: Risk
    at_most: float
    delta: float
    threshold: float
    n: int
    """Rows of the calibration half."""
    passed: int
    """Those at or above the threshold."""
    mistakes: int
    p_value: float
    interval: Interval
    seed: int

    @property
    def share(self) -> float:
        return self.passed / self.n

    def passes(self, confidence: float) -> bool:
        """Whether what has this confidence is given, or taken."""
        return confidence >= self.threshold

    def in_words(self) -> str:
        what = "wrong answers among those given" if self.risk == "error" else "right drafts made wrong among the rewrites taken"
        return (
            f"From confidence {self.threshold:.4f} on, {what} are at most {self.at_most:.1%}, with probability {1 - self.delta:.0%} over the drawing of the "
            f"{self.n} calibration rows: {self.mistakes} of {self.passed} were mistakes there ({self.interval[0]:.1%} to {self.interval[1]:.1%}), "
            f"p = {self.p_value:.4f}. {self.share:.0%} of the rows pass."
        )


def answer_confidence(status: str, checks: Iterable[tuple[str, float]]) -> float:
    """How sure a run is of its answer: the least confidence of its supported claims, and 0 unless its status is `verified` or `corrected`.

    `checks`: status and confidence of each.
    """
    if status not in ("verified", "corrected"):
        return 0.0
    return min((confidence for verdict, confidence in checks if verdict == "supported"), default=0.0)


def binomial_p_value(mistakes: int, passed: int, at_most: float) -> float:
    """p-value of "the risk is above `at_most`": the probability of no more mistakes than these if the risk were just the bound. 1 without a row."""
    return float(laboratory("scipy.stats").binom.cdf(mistakes, passed, at_most)) if passed else 1.0


def rows_needed(at_most: float, delta: float = 0.1, *, expected: float = 0.0, power: float = 0.8) -> int:
    """Calibration rows at or above a threshold that are needed: without a mistake ⌈ln δ ÷ ln(1 − bound)⌉, and more where mistakes are expected.

    With `expected` > 0 it is the fewest with which the test rejects with probability `power`.

    Raises:
        ValueError: the expected risk is not below the bound, so that no number would do.
    """
    _check(at_most, delta)
    least = math.ceil(math.log(delta) / math.log1p(-at_most))
    if not 0 <= expected < at_most:
        raise ValueError(f"an expected risk of {expected:.1%} is not below the bound of {at_most:.1%}: no number of rows would do")
    if expected == 0:
        return least
    binom, n = laboratory("scipy.stats").binom, least
    while True:
        allowed = int(binom.ppf(delta, n, at_most))
        allowed -= binom.cdf(allowed, n, at_most) > delta
        if allowed >= 0 and binom.cdf(allowed, n, expected) >= power:
            return n
        n += max(1, n // 50)
        if n > 1_000_000:
            raise ValueError(f"more than a million rows would be needed to tell {expected:.2%} from {at_most:.2%}")


def learn_then_test(rows: Sequence[Labelled], *, risk: Risk = "error", at_most: float = 0.05, delta: float = 0.1, seed: int = 0) -> Threshold:
    """The lowest threshold whose risk is shown to be at most the bound.

    Raises:
        InputError: too few labelled rows, or none of the thresholds keeps the bound; the message says which, and what would do.
    """
    _check(at_most, delta)
    usable = [row for row in rows if row.counts(risk)]
    if any(not 0 <= row.confidence <= 1 for row in usable):
        raise InputError("a confidence lies in [0, 1]")
    least = rows_needed(at_most, delta)
    what = "labelled rows" if risk == "error" else "labelled rows whose draft was rewritten"
    if len(usable) < 2 * least:
        raise InputError(
            f"{len(usable)} {what} are too few: half of them calibrate, and even without one mistake {least} of those must pass to show a risk of at most "
            f"{at_most:.1%} with probability {1 - delta:.0%}; label at least {2 * least}, or allow a higher risk"
        )
    drawn = sorted(usable, key=lambda row: (row.confidence, row.right, row.right_before or False))
    random.Random(seed).shuffle(drawn)
    learning, calibrating = drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]
    found: Threshold | None = None
    for threshold in _order(learning, risk, at_most):
        tested = _tested(calibrating, threshold, risk=risk, at_most=at_most, delta=delta, seed=seed)
        if tested.p_value > delta:
            break
        if found is None or threshold < found.threshold:
            found = tested
    if found is None:
        raise InputError(_none_found(learning, calibrating, risk=risk, at_most=at_most, delta=delta))
    return found


def _order(learning: Sequence[Labelled], risk: Risk, at_most: float) -> list[float]:
    """Thresholds by how clearly the learning half says that they keep the bound; first the clearest, of equals the higher."""
    ordered = sorted({row.confidence for row in learning})
    step = max(1, math.ceil(len(ordered) / LEVELS))

    def p_value(threshold: float) -> float:
        passed = [row for row in learning if row.confidence >= threshold]
        return binomial_p_value(sum(row.mistake(risk) for row in passed), len(passed), at_most)

    return sorted(ordered[::step], key=lambda threshold: (p_value(threshold), -threshold))


def _tested(calibrating: Sequence[Labelled], threshold: float, *, risk: Risk, at_most: float, delta: float, seed: int) -> Threshold:
    passed = [row for row in calibrating if row.confidence >= threshold]
    mistakes = sum(row.mistake(risk) for row in passed)
    return Threshold(
        risk=risk,
        at_most=at_most,
        delta=delta,
        threshold=threshold,
        n=len(calibrating),
        passed=len(passed),
        mistakes=mistakes,
        p_value=binomial_p_value(mistakes, len(passed), at_most),
        interval=wilson_interval(mistakes, len(passed)) if passed else (0.0, 1.0),
        seed=seed,
    )


def _none_found(learning: Sequence[Labelled], calibrating: Sequence[Labelled], *, risk: Risk, at_most: float, delta: float) -> str:
    """Why no threshold was found, with the number of rows that would do where the risk seems low enough."""
    first = _order(learning, risk, at_most)[0]
    tested = _tested(calibrating, first, risk=risk, at_most=at_most, delta=delta, seed=0)
    passed = [row for row in (*learning, *calibrating) if row.confidence >= first]
    expected = sum(row.mistake(risk) for row in passed) / len(passed) if passed else 1.0
    seen = f"{tested.mistakes} mistakes among {tested.passed} of {tested.n} calibration rows at the most promising threshold {first:.4f}"
    if expected >= at_most:
        return f"no threshold keeps {risk} at or below {at_most:.1%}: {seen}; the confidence does not tell right from wrong well enough, whatever the number"
    share = len(passed) / (len(learning) + len(calibrating))
    total = 2 * math.ceil(rows_needed(at_most, delta, expected=expected) / share)
    return (
        f"too few rows to show {risk} at or below {at_most:.1%}: {seen}; if the risk is {expected:.1%} as it seems, "
        f"about {total} labelled rows would do in four of five cases"
    )


def _check(at_most: float, delta: float) -> None:
    if not 0 < at_most < 1 or not 0 < delta < 1:
        raise ValueError("a risk bound and δ lie between 0 and 1")
