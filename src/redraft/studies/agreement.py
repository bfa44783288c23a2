"""How far judges can be relied on: agreement between them and with themselves, whether they saw through the blinding, and what length alone explains."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev
from typing import Literal, TypeVar

from redraft.studies.stats import TIED, Interval, finite, laboratory, mcnemar_exact, wilson_interval

__all__ = [
    "Adjusted",
    "Agreement",
    "Guesses",
    "Retest",
    "adjusted_for_length",
    "agreement_of",
    "cohens_kappa",
    "guesses_of",
    "krippendorff_alpha",
    "retest_of",
    "spearman",
]

T = TypeVar("T")
Ratings = Sequence[Sequence[float | None]]
"""For each judge what it gave each text, None where it gave nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Of two or more judges. `kappa` and `spearman` are means over all pairs of judges; what is undefined is None."""

    judges: int
    texts: int
    kappa: float | None
    """Cohen's, of the verdicts."""
    alpha_verdicts: float | None
    """Krippendorff's, nominal."""
    alpha_scores: float | None
    """Krippendorff's, interval."""
    spearman: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Retest:
    """The same texts scored again by the same judge. `noise` is the standard deviation of one score: that of the differences ÷ √2."""

    n: int
    mean_change: float
    mean_absolute_change: float
    noise: float
    spearman: float | None
    verdicts_kept: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Guesses:
    """How often the judge, shown two answers, said which had been refined. Blinding holds where that is a coin toss."""

    right: int
    n: int
    accuracy: float
    interval: Interval
    p_value: float
    """Two-sided exact binomial test against ½."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Adjusted:
    """The difference that is left where both texts are equally long: the constant of a least-squares line of the differences in score over those in the
    logarithm of the length. `slope` is what a text e times as long gains. Where refining makes answers better by making them longer, this takes it away
    too: read it beside the plain difference, not instead of it."""

    mean: float
    interval: Interval
    slope: float
    n: int


def agreement_of(verdicts: Sequence[Sequence[str | None]], scores: Ratings) -> Agreement:
    """Agreement of two or more judges on the same texts.

    Raises:
        ValueError: fewer than two judges.
    """
    if len(scores) < 2:
        raise ValueError("agreement needs at least two judges")
    pairs = list(combinations(range(len(scores)), 2))
    kinds = {word: float(place) for place, word in enumerate(sorted({word for row in verdicts for word in row if word is not None}))}
    coded = [[None if word is None else kinds[word] for word in row] for row in verdicts]
    return Agreement(
        judges=len(scores),
        texts=len(scores[0]),
        kappa=_mean([cohens_kappa(*_both(verdicts[a], verdicts[b])) for a, b in pairs]),
        alpha_verdicts=krippendorff_alpha(coded, "nominal"),
        alpha_scores=krippendorff_alpha(scores, "interval"),
        spearman=_mean([spearman(*_both(scores[a], scores[b])) for a, b in pairs]),
    )


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Agreement of two judges beyond chance (Cohen 1960); None without texts, or where chance alone would agree always."""
    pairs = list(zip(first, second, strict=True))
    if not pairs:
        return None
    total = len(pairs)
    chance = sum(first.count(word) * second.count(word) for word in set(first)) / total**2
    return None if chance >= 1 - TIED else (sum(a == b for a, b in pairs) / total - chance) / (1 - chance)


def krippendorff_alpha(ratings: Ratings, level: Literal["nominal", "interval"]) -> float | None:
    """1 − observed ÷ expected disagreement, over texts with at least two ratings (Krippendorff 2004, chapter 11); None where nothing varies."""
    units = [[row[place] for row in ratings if row[place] is not None] for place in range(len(ratings[0]))] if ratings else []
    rated = [[value for value in unit if value is not None] for unit in units if len(unit) >= 2]
    values = [value for unit in rated for value in unit]
    total = len(values)
    if total < 2:
        return None
    apart: Callable[[float, float], float] = (lambda a, b: float(a != b)) if level == "nominal" else (lambda a, b: (a - b) ** 2)
    observed = math.fsum(2 * apart(a, b) / (len(unit) - 1) for unit in rated for a, b in combinations(unit, 2)) / total
    expected = math.fsum(2 * apart(a, b) for a, b in combinations(values, 2)) / (total * (total - 1))
    return None if expected <= TIED else 1 - observed / expected


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Rank correlation; None with fewer than three pairs, or where one side is constant."""
    if len(first) < 3 or max(first) - min(first) < TIED or max(second) - min(second) < TIED:
        return None
    return float(laboratory("scipy.stats").spearmanr(first, second).statistic)


def retest_of(first: Sequence[float], second: Sequence[float], verdicts: Sequence[tuple[str, str]]) -> Retest:
    """What a judge's scores change by when it is asked again.

    Raises:
        ValueError: nothing was asked again.
    """
    changes = finite((after - before for before, after in zip(first, second, strict=True)), "repeated score")
    return Retest(
        n=len(changes),
        mean_change=fmean(changes),
        mean_absolute_change=fmean(map(abs, changes)),
        noise=math.sqrt(fmean(change * change for change in changes) / 2),
        spearman=spearman(first, second),
        verdicts_kept=fmean(float(a == b) for a, b in verdicts),
    )


def guesses_of(right: int, n: int) -> Guesses:
    """How well the judge guessed.

    Raises:
        ValueError: it was never asked.
    """
    return Guesses(right=right, n=n, accuracy=right / n if n else math.nan, interval=wilson_interval(right, n), p_value=mcnemar_exact(right, n - right))


def adjusted_for_length(differences: Sequence[float], log_lengths: Sequence[float], *, level: float = 0.95) -> Adjusted | None:
    """The difference in score at equal length; None with fewer than four pairs, or where lengths differ by the same factor everywhere."""
    values, lengths = finite(differences), finite(log_lengths, "length")
    n = len(values)
    if n != len(lengths):
        raise ValueError("each difference needs the difference in length beside it")
    if n < 4 or pstdev(lengths) < 1e-9:
        return None
    middle, mean = fmean(lengths), fmean(values)
    spread = math.fsum((length - middle) ** 2 for length in lengths)
    slope = math.fsum((length - middle) * (value - mean) for length, value in zip(lengths, values, strict=True)) / spread
    constant = mean - slope * middle
    left = math.fsum((value - constant - slope * length) ** 2 for length, value in zip(lengths, values, strict=True)) / (n - 2)
    error = math.sqrt(left * (1 / n + middle**2 / spread))
    half = float(laboratory("scipy.stats").t.ppf(0.5 + level / 2, n - 2)) * error
    return Adjusted(mean=constant, interval=(constant - half, constant + half), slope=slope, n=n)


def _both(first: Sequence[T | None], second: Sequence[T | None]) -> tuple[list[T], list[T]]:
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
