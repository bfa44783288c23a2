"""Paired statistics without dependencies: exact where a closed form exists, seeded where one resamples."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import NormalDist

__all__ = ["bootstrap_interval", "mcnemar_exact", "paired_interval", "wilson_interval"]

Interval = tuple[float, float]
RESAMPLES = 2000


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
    if not differences:
        raise ValueError("an interval needs at least one observation")
    values, total = list(differences), len(differences)
    mean = math.fsum(values) / total
    if max(values) - min(values) < 1e-12:
        return mean, mean
    draw = random.Random(seed)  # reproducible resampling, not secrets
    means = sorted(math.fsum(draw.choices(values, k=total)) / total for _ in range(resamples))
    below = sum(1 for item in means if item < mean) + sum(1 for item in means if item == mean) / 2
    normal = NormalDist()
    bias = normal.inv_cdf(min(max(below / resamples, 1 / (2 * resamples)), 1 - 1 / (2 * resamples)))
    acceleration = _acceleration(values)
    bounds: list[float] = []
    for quantile in ((1 - level) / 2, (1 + level) / 2):
        z = bias + normal.inv_cdf(quantile)
        share = normal.cdf(bias + z / (1 - acceleration * z))
        bounds.append(means[min(resamples - 1, max(0, math.floor(share * resamples)))])
    return bounds[0], bounds[1]


def _acceleration(values: Sequence[float]) -> float:
    total, whole = len(values), math.fsum(values)
    if total < 2:
        return 0.0
    left_out = [(whole - value) / (total - 1) for value in values]
    centre = math.fsum(left_out) / total
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
