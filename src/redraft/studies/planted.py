"""Statistics on simulated studies whose truth is known: how often they find what is not there, what is, and whether their intervals hold it.

All figures are shares over simulated studies, given as (found, out of), so that whoever reports them can give their own interval. The statistics are those of
`stats.py` and its companions; where many studies are tested at once it is by the same function over columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

from redraft.errors import InputError
from redraft.studies.clustering import cluster_interval
from redraft.studies.power import power_paired, power_tost
from redraft.studies.simulate import World, two_by_two
from redraft.studies.stats import Interval, bootstrap_interval, flipped_sums, holm, laboratory, mcnemar_exact, tost, wilson_interval
from redraft.studies.threshold import Labelled, learn_then_test
from redraft.studies.tuning import choose

__all__ = [
    "CROSS",
    "SAME",
    "Share",
    "broken_promises",
    "coverage",
    "false_positives",
    "family_errors",
    "interaction_study",
    "null_calibrations",
    "planted_calibrations",
    "planted_power",
    "rejections_of",
]

SAME = World(repair=0.25, regress=0.4, rejections=2, bias=0.06, noise=0.08)
"""An evaluator that is the writer's own model: it likes each rewrite more than it is worth, and sees dimly; going on to the hard cap gains little."""
CROSS = World(repair=0.25, regress=0.4, rejections=2, bias=0.0, noise=0.02)
"""One of another family: no bias, less noise, so that going on pays, and stopping early costs."""
AXES = (7, 6, 5, 4, 3)
"""Values of five settings: 2,520 together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """So many simulated studies of so many, and what was stated beforehand (None: nothing was)."""

    found: int
    total: int
    stated: float | None = None

    @property
    def share(self) -> float:
        return self.found / self.total

    @property
    def interval(self) -> Interval:
        """Wilson's, of the simulation itself."""
        return wilson_interval(self.found, self.total)


def rejections_of(columns: Any, *, seed: int = 0, alpha: float = 0.05) -> dict[str, int]:
    """How many columns of differences each test calls different from 0."""
    stats = laboratory("scipy.stats")
    return {
        "permutation": int((_permutation(columns, seed) <= alpha).sum()),
        "Wilcoxon": int((stats.wilcoxon(columns, zero_method="pratt", axis=0).pvalue <= alpha).sum()),
        "t": int((stats.ttest_1samp(columns, 0.0, axis=0).pvalue <= alpha).sum()),
    }


def false_positives(n: int, studies: int, *, seed: int = 0) -> dict[str, Share]:
    """Studies in which nothing is planted, and a test says otherwise at 0.05: blind scores of equal arms, right and wrong, and items in eight domains."""
    np = laboratory("numpy")
    draw = np.random.default_rng(seed)
    arms = two_by_two(SAME, SAME, n * studies, draw)
    shape = (n, studies)
    found = rejections_of((arms["cross_hard"] - arms["same_hard"]).reshape(shape), seed=seed)
    shares = {f"{name}, two equal arms": Share(found=count, total=studies, stated=0.05) for name, count in found.items()}
    contrast = (arms["cross_dynamic"] - arms["cross_hard"]) - (arms["same_dynamic"] - arms["same_hard"])
    found = rejections_of(contrast.reshape(shape), seed=seed + 1)
    shares |= {f"{name}, interaction of equal evaluators": Share(found=count, total=studies, stated=0.05) for name, count in found.items()}
    right = {name: (arms[name] > 0.55).reshape(shape) for name in ("cross_hard", "same_hard")}
    gained, lost = (right["cross_hard"] & ~right["same_hard"]).sum(axis=0), (right["same_hard"] & ~right["cross_hard"]).sum(axis=0)
    hits = sum(_mcnemar(int(a), int(b)) <= 0.05 for a, b in zip(gained, lost, strict=True))
    shares["exact McNemar, right or wrong"] = Share(found=hits, total=studies, stated=0.05)
    domains, each = 8, max(2, n // 8)
    items = draw.normal(0, 1, (domains, each, studies)) + draw.normal(0, 0.7, (domains, 1, studies))
    by_domain = (_permutation(items.sum(axis=1), seed) <= 0.05).sum()
    shares["permutation of whole domains, items of a domain alike"] = Share(found=int(by_domain), total=studies, stated=0.05)
    naive = (_permutation(items.reshape(domains * each, studies), seed) <= 0.05).sum()
    shares["(permutation of items, which ignores domains)"] = Share(found=int(naive), total=studies)
    bound = 0.3
    claimed = sum(tost([float(x) for x in column], bound).equivalent for column in draw.normal(bound, 1, (studies, n)))
    shares["equivalence claimed of a difference at its bound"] = Share(found=claimed, total=studies, stated=0.05)
    return shares


def family_errors(n: int, studies: int, *, arms: int = 4, seed: int = 0) -> dict[str, Share]:
    """Families of comparisons with one control in which nothing is planted: how often at least one is called different, with and without Holm."""
    np = laboratory("numpy")
    draw = np.random.default_rng(seed)
    control = draw.normal(0, 1, (n, studies))
    p_values = np.stack([_permutation(draw.normal(0, 1, (n, studies)) - control, seed + arm) for arm in range(arms)])
    adjusted = [min(holm({"family": {str(arm): float(p) for arm, p in enumerate(column)}})["family"].values()) for column in p_values.T]
    return {
        f"at least one of {arms}, after Holm": Share(found=sum(p <= 0.05 for p in adjusted), total=studies, stated=0.05),
        f"(at least one of {arms}, unadjusted)": Share(found=int((p_values.min(axis=0) <= 0.05).sum()), total=studies),
    }


def planted_power(n: int, effect: float, studies: int, *, seed: int = 0) -> dict[str, Share]:
    """Studies with a planted effect (dz, normal differences): how often it is found, and the power that was stated for the t test."""
    np = laboratory("numpy")
    columns = np.random.default_rng(seed).normal(effect, 1, (n, studies))
    stated = power_paired(effect, n)
    shares = {f"{name} finds dz = {effect:g}": Share(found=count, total=studies, stated=stated) for name, count in rejections_of(columns, seed=seed).items()}
    bound = 0.5
    shown = sum(tost([float(x) for x in column], bound).equivalent for column in (columns - effect).T)
    shares[f"equivalence within ±{bound:g} shown of equal arms"] = Share(found=shown, total=studies, stated=power_tost(n, bound))
    return shares


def interaction_study(n: int, studies: int, *, truth_from: int = 400_000, intervals: int = 500, seed: int = 0) -> dict[str, float | Share]:
    """A planted interaction: a biased evaluator against one without. The truth is the mean over very many items, the power stated follows from its dz."""
    np = laboratory("numpy")
    draw = np.random.default_rng(seed)
    whole = _contrast(two_by_two(SAME, CROSS, truth_from, draw))
    truth, spread = float(whole.mean()), float(whole.std(ddof=1))
    columns = _contrast(two_by_two(SAME, CROSS, n * studies, draw)).reshape(n, studies)
    means = columns.mean(axis=0)
    held = 0
    checked = min(studies, intervals)
    for place in range(checked):
        low, high = bootstrap_interval([float(x) for x in columns[:, place]], seed=place)
        held += low <= truth <= high
    stated = power_paired(truth / spread, n)
    shares = {f"{name} finds it": Share(found=count, total=studies, stated=stated) for name, count in rejections_of(columns, seed=seed).items()}
    return {
        "planted": truth,
        "planted, in standard deviations": truth / spread,
        "mean estimate": float(means.mean()),
        "standard error of that mean": float(means.std(ddof=1)) / math.sqrt(studies),
        **shares,
        "BCa interval holds the planted value": Share(found=held, total=checked, stated=0.95),
    }


def coverage(n: int, studies: int, *, seed: int = 0) -> dict[str, Share]:
    """How often an interval of 95 % holds the truth: BCa of symmetric and of skewed differences, BCa by cluster."""
    np = laboratory("numpy")
    draw = np.random.default_rng(seed)
    normal, skewed = draw.normal(0.2, 1, (studies, n)), draw.exponential(1, (studies, n))
    held = {
        "BCa, normal differences": sum(_holds(bootstrap_interval([float(x) for x in row], seed=i), 0.2) for i, row in enumerate(normal)),
        "BCa, exponential differences": sum(_holds(bootstrap_interval([float(x) for x in row], seed=i), 1.0) for i, row in enumerate(skewed)),
    }
    clusters = [place % 20 for place in range(2 * n)]
    shared = draw.normal(0, 0.7, (studies, 20))
    items = draw.normal(0.2, 1, (studies, 2 * n)) + shared[:, clusters]
    held["BCa by cluster, 20 clusters"] = sum(_holds(cluster_interval([float(x) for x in row], clusters, seed=i), 0.2) for i, row in enumerate(items))
    return {name: Share(found=count, total=studies, stated=0.95) for name, count in held.items()}


def null_calibrations(n: int, calibrations: int, *, binary: bool = False, turns: int = 10, seed: int = 0) -> Share:
    """Calibrations over 2,520 stopping settings that are all equally good: how often another than the default is recommended.

    Each question has its own quality, and each of its prefixes differs from it by chance alone; settings stop where they stop whatever the quality.
    """
    draw = laboratory("numpy").random.default_rng(seed)

    def quality(questions: Any) -> Any:
        levels = 0.3 + 0.4 * questions
        if binary:
            return (draw.random((n, turns + 1)) < levels[:, None]).astype(float)
        return laboratory("numpy").clip(levels[:, None] + draw.normal(0, 0.1, (n, turns + 1)), 0, 1)

    return _calibrations(n, calibrations, turns, seed, draw, quality, stated=0.05)


def planted_calibrations(n: int, calibrations: int, *, slope: float, turns: int = 10, seed: int = 0) -> Share:
    """The same with quality that falls by `slope` each turn, so that stopping early is better than most defaults: how often it is recommended."""
    np = laboratory("numpy")
    draw = np.random.default_rng(seed)

    def quality(questions: Any) -> Any:
        return np.clip(0.5 + 0.4 * questions[:, None] + draw.normal(0, 0.1, (n, turns + 1)) - slope * np.arange(turns + 1), 0, 1)

    return _calibrations(n, calibrations, turns, seed, draw, quality, stated=None)


def broken_promises(n: int, studies: int, *, at_most: float = 0.1, delta: float = 0.1, seed: int = 0) -> dict[str, Share]:
    """Thresholds by Learn-then-Test: how often one is found, and how often the true risk there is above the bound. True: P(right) = 0.7 + 0.3·confidence²."""
    draw = laboratory("numpy").random.default_rng(seed)
    found = broken = 0
    for study in range(studies):
        confidence = draw.random(n)
        right = draw.random(n) < 0.7 + 0.3 * confidence**2
        try:
            rows = [Labelled(confidence=float(c), right=bool(r)) for c, r in zip(confidence, right, strict=True)]
            threshold = learn_then_test(rows, at_most=at_most, delta=delta, seed=study).threshold
        except InputError:
            continue
        found += 1
        true_risk = 0.3 - 0.1 * (1 + threshold + threshold**2)  # 1 − mean of 0.7 + 0.3·c² over c from the threshold to 1
        broken += true_risk > at_most
    return {"a threshold is found": Share(found=found, total=studies), "its true risk is above the bound": Share(found=broken, total=studies, stated=delta)}


def _calibrations(n: int, calibrations: int, turns: int, seed: int, draw: Any, quality: Callable[[Any], Any], stated: float | None) -> Share:
    np = laboratory("numpy")
    questions = [str(place) for place in range(n)]
    found = 0
    for number in range(calibrations):
        tables = [_first_stops(draw, size, n, turns) for size in AXES]
        stops = reduce(lambda done, table: np.minimum(done[:, None, :], table[None]).reshape(-1, n), tables, np.full((1, n), turns))
        stops = np.vstack([stops, stops[draw.integers(len(stops))][None]])
        tokens = np.cumsum(draw.integers(100, 400, (n, turns + 1)), axis=1).astype(float)
        result = choose(stops, quality(draw.random(n)), tokens, questions, seed=seed + number, with_front=False)
        found += result.recommended != len(stops) - 1
    return Share(found=found, total=calibrations, stated=stated)


def _first_stops(draw: Any, size: int, n: int, turns: int) -> Any:
    """Where each value of a setting would end each question; its first value never does."""
    np = laboratory("numpy")
    table = np.sort(draw.integers(1, turns + 2, (size, n)), axis=0)
    table[0] = turns + 1
    return table


def _permutation(columns: Any, seed: int) -> Any:
    """p-values of the permutation test, one for each column."""
    extreme, total, exact = flipped_sums(columns, seed=seed)
    return extreme / total if exact else (extreme + 1) / (total + 1)


@cache
def _mcnemar(gained: int, lost: int) -> float:
    return mcnemar_exact(gained, lost)


def _contrast(arms: Mapping[str, Any]) -> Any:
    return (arms["cross_dynamic"] - arms["cross_hard"]) - (arms["same_dynamic"] - arms["same_hard"])


def _holds(interval: Interval, truth: float) -> bool:
    return interval[0] <= truth <= interval[1]
