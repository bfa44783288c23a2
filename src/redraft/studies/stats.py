"""Paired statistics: exact where a closed form exists, seeded where one resamples.

What `eval` needs has no dependencies: McNemar, Wilson, Newcombe, BCa, shares, dz, Cliff's delta. The tests of the laboratory use numpy, scipy and
statsmodels (the extra `lab`), which are imported when a test is asked for. Empty input is an error everywhere; NaN and infinity are too.

    power.py       what a sample can see, and how large one must be
    clustering.py  the same questions asked by group (a domain, a document), where items of one group are not independent
    judged.py      rates that a fallible judge reported, corrected for what it misses and what it invents
"""

from __future__ import annotations

import bisect
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from statistics import NormalDist, stdev
from typing import Any

from redraft.errors import MissingExtra

__all__ = [
    "FLIPS",
    "RESAMPLES",
    "TIED",
    "Contrast",
    "Effect",
    "Equivalence",
    "Interval",
    "Odds",
    "Shares",
    "TestResult",
    "bca_interval",
    "bootstrap_interval",
    "cliffs_delta",
    "dz",
    "effect",
    "finite",
    "flipped_sums",
    "holm",
    "interaction",
    "laboratory",
    "mcnemar_exact",
    "odds",
    "paired_interval",
    "permutation_test",
    "resampled_means",
    "shares",
    "tost",
    "wilcoxon_test",
    "wilson_interval",
]

Interval = tuple[float, float]
RESAMPLES = 2000
FLIPS = 9_999
"""Random sign changes of a permutation test, where all of them are too many."""
EXACT_PAIRS = 16
"""Differences that are not zero up to which every one of their 2^n sign changes is counted."""
TIED = 1e-12
"""A difference no larger than this is a tie."""
BATCH = 1 << 22
"""Signs that are held in memory at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TestResult:
    """A statistic and its two-sided p-value over `n` differences; `how` says whether all cases were counted or some drawn."""

    __test__ = False  # not a test of pytest

    statistic: float
    p_value: float
    n: int
    how: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Shares:
    """Shares of pairs whose second value is better, worse, tied; they add up to 1."""

    better: float
    worse: float
    tied: float
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Odds:
    """gained ÷ lost of the discordant pairs, with its exact (Clopper-Pearson) interval; None where nothing was lost (no upper bound) or nothing differs."""

    ratio: float | None
    low: float
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Equivalence:
    """Two one-sided t tests of a mean difference against ±bound (Schuirmann 1987). `interval` is the 1 − 2α interval, which lies within the bounds exactly
    where both tests reject."""

    bound: float
    p_value: float
    below: float
    above: float
    interval: Interval
    equivalent: bool
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Contrast:
    """(CrossDyn − CrossHard) − (SameDyn − SameHard), per item. `f_value` is F of the interaction in a repeated-measures analysis of variance."""

    mean: float
    interval: Interval
    t_value: float
    f_value: float
    p_value: float
    """Of the one-sample t test."""
    permutation: TestResult
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect:
    """All that is reported of paired scores, second − first."""

    n: int
    mean: float
    interval: Interval
    permutation: TestResult
    wilcoxon: TestResult
    dz: float | None
    cliffs_delta: float
    shares: Shares


def laboratory(name: str) -> Any:
    """A library of the extra `lab`, imported now.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(f"the laboratory's statistics ({name.partition('.')[0]})", "lab") from None


def finite(values: Iterable[float], what: str = "difference") -> list[float]:
    """The values as numbers.

    Raises:
        ValueError: there is none, or one is not finite.
    """
    found = [float(value) for value in values]
    if not found:
        raise ValueError(f"at least one {what} is needed, and there is none")
    if not all(map(math.isfinite, found)):
        raise ValueError(f"a {what} is not a finite number; leave out what could not be measured, and say so")
    return found


def mcnemar_exact(gained: int, lost: int) -> float:
    """Two-sided exact McNemar p-value of `gained` (wrong → right) against `lost` (right → wrong): the binomial test of the discordant pairs at ½.

    Without a discordant pair nothing speaks against equality: 1.0.
    """
    discordant = gained + lost
    tail = sum(math.comb(discordant, k) for k in range(min(gained, lost) + 1))
    return min(1.0, 2 * tail / 2**discordant)


def wilson_interval(successes: int, total: int, level: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion.

    Raises:
        ValueError: there is no observation.
    """
    if total <= 0:
        raise ValueError("an interval needs at least one observation")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return max(0.0, centre - half), min(1.0, centre + half)


def paired_interval(before: Sequence[bool], after: Sequence[bool], level: float = 0.95) -> Interval:
    """Interval of the difference of two paired proportions, after − before: Newcombe (1998), method 10.

    It stays within [−1, 1] and, unlike a bootstrap, does not shrink to a point when every pair agrees.

    Raises:
        ValueError: no pair, or sequences of unequal length.
    """
    pairs = list(zip(before, after, strict=True))
    both, lost = pairs.count((True, True)), pairs.count((True, False))
    gained, neither = pairs.count((False, True)), pairs.count((False, False))
    total = len(pairs)
    first, second = (both + lost) / total if total else 0.0, (both + gained) / total if total else 0.0
    low1, high1 = wilson_interval(both + lost, total, level)
    low2, high2 = wilson_interval(both + gained, total, level)
    phi = _phi(both, lost, gained, neither)
    difference = second - first
    below = (second - low2) ** 2 - 2 * phi * (second - low2) * (high1 - first) + (high1 - first) ** 2
    above = (high2 - second) ** 2 - 2 * phi * (high2 - second) * (first - low1) + (first - low1) ** 2
    return max(-1.0, difference - math.sqrt(max(0.0, below))), min(1.0, difference + math.sqrt(max(0.0, above)))


def bootstrap_interval(differences: Sequence[float], *, seed: int = 0, level: float = 0.95, resamples: int = RESAMPLES) -> Interval:
    """BCa bootstrap interval of the mean of paired differences (Efron 1987); equal on every machine for an equal seed.

    Where the correction is undefined (all differences equal), the interval is the point itself.

    Raises:
        ValueError: there is no difference.
    """
    values = finite(differences)
    if max(values) - min(values) < TIED:
        mean = math.fsum(values) / len(values)
        return mean, mean
    left_out = [(math.fsum(values) - value) / (len(values) - 1) for value in values]
    return bca_interval(resampled_means(values, seed=seed, resamples=resamples), math.fsum(values) / len(values), left_out, level=level)


def resampled_means(values: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES) -> list[float]:
    """The means of as many resamples, drawn with replacement."""
    draw, total = random.Random(seed), len(values)  # reproducible resampling, not secrets
    return [math.fsum(draw.choices(values, k=total)) / total for _ in range(resamples)]


def bca_interval(resampled: Sequence[float], observed: float, left_out: Sequence[float], *, level: float = 0.95) -> Interval:
    """The interval that a statistic's bootstrap distribution gives, corrected for bias and acceleration (Efron 1987).

    `left_out`: the statistic without each observation (or cluster) in turn. Quantiles lie between the two nearest resamples, as in numpy.
    """
    ordered, count = sorted(resampled), len(resampled)
    below = (bisect.bisect_left(ordered, observed) + bisect.bisect_right(ordered, observed)) / 2
    normal = NormalDist()
    bias = normal.inv_cdf(min(max(below / count, 1 / (2 * count)), 1 - 1 / (2 * count)))
    acceleration = _acceleration(left_out)
    bounds: list[float] = []
    for quantile in ((1 - level) / 2, (1 + level) / 2):
        z = bias + normal.inv_cdf(quantile)
        place = normal.cdf(bias + z / (1 - acceleration * z)) * (count - 1)
        lower = min(int(place), count - 2)
        bounds.append(ordered[lower] + (ordered[lower + 1] - ordered[lower]) * (place - lower))
    return bounds[0], bounds[1]


def permutation_test(differences: Sequence[float], *, seed: int = 0, flips: int = FLIPS) -> TestResult:
    """Paired permutation test of a mean difference of 0: the signs of the differences are exchangeable if the two arms are equal.

    All 2^n sign changes are counted up to `EXACT_PAIRS` differences that are not zero (a zero has no sign, and changes nothing); beyond, `flips` of them
    are drawn, and the observed one counts as one more, so that p is never 0 and the level is kept (Phipson and Smyth 2010).
    """
    np = laboratory("numpy")
    values = finite(differences)
    signed = np.array([value for value in values if abs(value) > TIED])
    mean = math.fsum(values) / len(values)
    if not len(signed):
        return TestResult(statistic=mean, p_value=1.0, n=len(values), how="every pair is tied")
    extreme, total, exact = flipped_sums(signed[:, None], seed=seed, flips=flips)
    share = int(extreme[0]) / total if exact else (int(extreme[0]) + 1) / (total + 1)
    how = f"all {total} sign changes" if exact else f"{total} sign changes drawn with seed {seed}"
    return TestResult(statistic=mean, p_value=min(1.0, float(share)), n=len(values), how=how)


def flipped_sums(columns: Any, *, seed: int = 0, flips: int = FLIPS) -> tuple[Any, int, bool]:
    """For each column of differences: how many sign changes give a sum at least as far from 0 as the observed one; out of how many; whether these are all.

    Columns share their sign changes, so that a thousand simulated studies cost little more than one.
    """
    np = laboratory("numpy")
    rows = columns.shape[0]
    observed = np.abs(columns.sum(axis=0)) - 1e-12 * np.abs(columns).sum(axis=0)
    exact = rows <= EXACT_PAIRS
    total = 2**rows if exact else flips
    random_bits = np.random.default_rng(seed)
    extreme = np.zeros(columns.shape[1], dtype=np.int64)
    for start in range(0, total, step := max(1, BATCH // max(rows, columns.shape[1]))):
        size = min(step, total - start)
        if exact:
            bits = (np.arange(start, start + size)[:, None] >> np.arange(rows)[None, :]) & 1
        else:
            bits = random_bits.integers(0, 2, size=(size, rows), dtype=np.int8)
        extreme += (np.abs((2.0 * bits - 1.0) @ columns) >= observed).sum(axis=0)
    return extreme, total, exact


def wilcoxon_test(differences: Sequence[float]) -> TestResult:
    """Wilcoxon's signed-rank test, two-sided, with ties at zero ranked and then left out (Pratt 1959): scipy's, exact where it can be."""
    values = finite(differences)
    if all(abs(value) <= TIED for value in values):
        return TestResult(statistic=0.0, p_value=1.0, n=len(values), how="every pair is tied")
    found = laboratory("scipy.stats").wilcoxon(values, zero_method="pratt")
    return TestResult(statistic=float(found.statistic), p_value=float(found.pvalue), n=len(values), how="scipy, zero_method pratt")


def dz(differences: Sequence[float]) -> float | None:
    """Cohen's d of paired differences: mean ÷ standard deviation; None with fewer than two, or where all are equal."""
    values = finite(differences)
    if len(values) < 2 or max(values) - min(values) < TIED:
        return None
    return math.fsum(values) / len(values) / stdev(values)


def cliffs_delta(first: Sequence[float], second: Sequence[float]) -> float:
    """P(second > first) − P(second < first) over all pairs of a first and a second value (Cliff 1993), in [−1, 1]."""
    ordered, others = sorted(finite(first, "value")), finite(second, "value")
    more = sum(bisect.bisect_left(ordered, value) for value in others)
    fewer = sum(len(ordered) - bisect.bisect_right(ordered, value) for value in others)
    return (more - fewer) / (len(ordered) * len(others))


def odds(gained: int, lost: int, level: float = 0.95) -> Odds:
    """The conditional odds ratio of paired proportions: wrong → right for each right → wrong.

    Raises:
        ValueError: nothing was gained and nothing lost.
    """
    if gained < 0 or lost < 0 or gained + lost == 0:
        raise ValueError("an odds ratio needs at least one pair that differs")
    beta, tail = laboratory("scipy.stats").beta, (1 - level) / 2
    low = float(beta.ppf(tail, gained, lost + 1)) if gained else 0.0
    high = float(beta.ppf(1 - tail, gained + 1, lost)) if lost else 1.0
    return Odds(ratio=gained / lost if lost else None, low=low / (1 - low), high=high / (1 - high) if lost else None)


def shares(differences: Sequence[float], tied: float = 1e-9) -> Shares:
    """Shares of pairs that became better, worse, or stayed within `tied`."""
    values = finite(differences)
    better, worse = sum(value > tied for value in values), sum(value < -tied for value in values)
    total = len(values)
    return Shares(better=better / total, worse=worse / total, tied=(total - better - worse) / total, n=total)


def holm(families: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Adjusted p-values (Holm 1979), each family for itself; a family is all the tests of one question, and is named before they are run."""
    adjusted: dict[str, dict[str, float]] = {}
    for family, tests in families.items():
        if not tests:
            raise ValueError(f"the family {family!r} has no test")
        if not all(0 <= value <= 1 for value in tests.values()):
            raise ValueError(f"the family {family!r} has a p-value outside 0 to 1")
        largest, found = 0.0, dict[str, float]()
        for place, name in enumerate(sorted(tests, key=lambda name: tests[name])):
            found[name] = largest = max(largest, min(1.0, (len(tests) - place) * tests[name]))
        adjusted[family] = {name: found[name] for name in tests}
    return adjusted


def tost(differences: Sequence[float], bound: float, alpha: float = 0.05) -> Equivalence:
    """Whether a mean difference is shown to lie within ±bound. "No difference was found" is not that.

    Raises:
        ValueError: fewer than two differences, or a bound that is not above 0.
    """
    values = finite(differences)
    if len(values) < 2 or not bound > 0:
        raise ValueError("equivalence needs at least two differences and a bound above 0")
    mean, count = math.fsum(values) / len(values), len(values)
    error = stdev(values) / math.sqrt(count)
    student = laboratory("scipy.stats").t
    if error <= TIED * bound:
        below, above, half = float(mean <= -bound), float(mean >= bound), 0.0
    else:
        below, above = float(student.sf((mean + bound) / error, count - 1)), float(student.cdf((mean - bound) / error, count - 1))
        half = float(student.ppf(1 - alpha, count - 1)) * error
    p_value = max(below, above)
    return Equivalence(
        bound=bound, p_value=p_value, below=below, above=above, interval=(mean - half, mean + half), equivalent=p_value < alpha, n=count
    )  # fmt: skip


def interaction(
    *, cross_dynamic: Sequence[float], cross_hard: Sequence[float], same_dynamic: Sequence[float], same_hard: Sequence[float], seed: int = 0
) -> Contrast:
    """Whether stopping dynamically costs more under one evaluator than under the other: the one-sample test of the contrast of each item.

    Raises:
        ValueError: fewer than two items, or arms of unequal length.
    """
    arms = zip(cross_dynamic, cross_hard, same_dynamic, same_hard, strict=True)
    values = finite((cd - ch) - (sd - sh) for cd, ch, sd, sh in arms)
    if len(values) < 2:
        raise ValueError("an interaction needs at least two items")
    mean, permutation = math.fsum(values) / len(values), permutation_test(values, seed=seed)
    if max(values) - min(values) < TIED:
        apart = abs(mean) > TIED
        t_value, p_value = (math.copysign(math.inf, mean), 0.0) if apart else (0.0, 1.0)
    else:
        found = laboratory("scipy.stats").ttest_1samp(values, 0.0)
        t_value, p_value = float(found.statistic), float(found.pvalue)
    interval = bootstrap_interval(values, seed=seed)
    return Contrast(
        mean=mean, interval=interval, t_value=t_value, f_value=t_value**2, p_value=p_value, permutation=permutation, n=len(values)
    )  # fmt: skip


def effect(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> Effect:
    """Everything that is reported of the paired scores of two arms, second − first.

    Raises:
        ValueError: no pair, or arms of unequal length.
    """
    differences = finite(after - before for before, after in zip(first, second, strict=True))
    return Effect(
        n=len(differences),
        mean=math.fsum(differences) / len(differences),
        interval=bootstrap_interval(differences, seed=seed),
        permutation=permutation_test(differences, seed=seed),
        wilcoxon=wilcoxon_test(differences),
        dz=dz(differences),
        cliffs_delta=cliffs_delta(first, second),
        shares=shares(differences),
    )


def _acceleration(left_out: Sequence[float]) -> float:
    centre = math.fsum(left_out) / len(left_out)
    spread = math.fsum((centre - item) ** 2 for item in left_out)
    return math.fsum((centre - item) ** 3 for item in left_out) / (6 * spread**1.5) if spread > 0 else 0.0


def _phi(both: int, lost: int, gained: int, neither: int) -> float:
    """Correlation of the pairs, with Newcombe's continuity correction where it is positive."""
    margins = (both + lost) * (gained + neither) * (both + gained) * (lost + neither)
    if margins == 0:
        return 0.0
    total = both + lost + gained + neither
    cross = both * neither - lost * gained
    if cross > 0:
        cross = max(cross - total / 2, 0)
    return cross / math.sqrt(margins)
