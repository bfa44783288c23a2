"""Items that come in groups (a domain, a document, an author): what is shared within a group is not evidence n times over.

A mean over items is kept as the estimate; its uncertainty comes from groups. With few groups no method is exact but the permutation of whole groups, and
its smallest p-value is 2 ÷ 2^groups, which the result says.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Sequence

from redraft.studies.stats import FLIPS, RESAMPLES, TIED, Interval, TestResult, bca_interval, finite, flipped_sums, laboratory

__all__ = ["cluster_interval", "cluster_permutation_test", "design_effect"]

FEW = 6
"""Clusters up to which the smallest possible p-value is worth a word."""


def cluster_interval(differences: Sequence[float], clusters: Sequence[Hashable], *, seed: int = 0, level: float = 0.95, resamples: int = RESAMPLES) -> Interval:
    """BCa bootstrap interval of the mean difference over items, whole clusters drawn with replacement (Davison and Hinkley 1997, section 3.8).

    Raises:
        ValueError: no difference, a cluster missing, or fewer than two clusters.
    """
    groups = _groups(differences, clusters)
    if len(groups) < 2:
        raise ValueError("an interval by cluster needs at least two clusters")
    mean = _mean(groups)
    means = [total / count for total, count in groups]
    if max(means) - min(means) < TIED:
        return mean, mean
    draw = random.Random(seed)
    resampled = [_mean(draw.choices(groups, k=len(groups))) for _ in range(resamples)]
    left_out = [_mean([*groups[:place], *groups[place + 1 :]]) for place in range(len(groups))]
    return bca_interval(resampled, mean, left_out, level=level)


def cluster_permutation_test(differences: Sequence[float], clusters: Sequence[Hashable], *, seed: int = 0, flips: int = FLIPS) -> TestResult:
    """Paired permutation test in which the differences of one cluster change sign together: exact whatever the dependence within clusters.

    Raises:
        ValueError: no difference, or a cluster missing.
    """
    np = laboratory("numpy")
    groups = _groups(differences, clusters)
    sums = np.array([total for total, _ in groups if abs(total) > TIED])
    mean, n = _mean(groups), sum(count for _, count in groups)
    if not len(sums):
        return TestResult(statistic=mean, p_value=1.0, n=n, how="every cluster is tied")
    extreme, total, exact = flipped_sums(sums[:, None], seed=seed, flips=flips)
    share = int(extreme[0]) / total if exact else (int(extreme[0]) + 1) / (total + 1)
    how = f"{len(groups)} clusters, " + (f"all {total} sign changes" if exact else f"{total} sign changes drawn with seed {seed}")
    if len(sums) <= FEW:
        how += f"; p cannot be below {2 / 2 ** len(sums):.3g}"
    return TestResult(statistic=mean, p_value=min(1.0, share), n=n, how=how)


def design_effect(differences: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """How many times the variance of the mean is what independent items would give (Kish): 1 + (m − 1)·ρ, with ρ from the analysis of variance, not below 1."""
    groups = _groups(differences, clusters)
    items = finite(differences)
    if len(groups) < 2 or len(items) == len(groups):
        return 1.0
    n, mean = len(items), math.fsum(items) / len(items)
    between = math.fsum(count * (total / count - mean) ** 2 for total, count in groups) / (len(groups) - 1)
    whole = math.fsum((item - mean) ** 2 for item in items)
    within = (whole - between * (len(groups) - 1)) / (n - len(groups))
    size = (n - math.fsum(count * count for _, count in groups) / n) / (len(groups) - 1)
    spread = between + (size - 1) * within
    rho = (between - within) / spread if spread > 0 else 0.0
    return max(1.0, 1 + (n / len(groups) - 1) * rho)


def _groups(differences: Sequence[float], clusters: Sequence[Hashable]) -> list[tuple[float, int]]:
    """Sum and size of each cluster, in the order of their first item."""
    found: dict[Hashable, list[float]] = {}
    for value, cluster in zip(finite(differences), clusters, strict=True):
        found.setdefault(cluster, []).append(value)
    return [(math.fsum(values), len(values)) for values in found.values()]


def _mean(groups: Sequence[tuple[float, int]]) -> float:
    return math.fsum(total for total, _ in groups) / sum(count for _, count in groups)
