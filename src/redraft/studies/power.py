"""What a sample can see: power of the laboratory's tests, and the sample a study needs. Computed before a study, stated beside its results."""

from __future__ import annotations

import math
from collections.abc import Callable

from redraft.studies.stats import laboratory, mcnemar_exact

__all__ = ["detectable", "power_mcnemar", "power_paired", "power_statement", "power_tost", "required_n", "required_n_mcnemar", "required_n_tost"]

LARGEST = 1_000_000
"""Pairs beyond which no study is planned."""


def power_paired(effect: float, n: int, alpha: float = 0.05) -> float:
    """Probability that a two-sided paired t test over n pairs finds a true effect (dz)."""
    _check(n, alpha)
    return float(laboratory("statsmodels.stats.power").TTestPower().power(effect_size=abs(effect), nobs=n, alpha=alpha, alternative="two-sided"))


def required_n(effect: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """The fewest pairs with which a two-sided paired t test finds a true effect (dz) with this probability."""
    if not abs(effect) > 0:
        raise ValueError("no sample finds an effect of 0; name the smallest effect that matters")
    return _fewest(lambda n: power_paired(effect, n, alpha), power)


def detectable(n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest true effect (dz) that n pairs find with this probability."""
    _check(n, alpha)
    return float(laboratory("statsmodels.stats.power").TTestPower().solve_power(nobs=n, alpha=alpha, power=power, alternative="two-sided"))


def power_tost(n: int, bound: float, true: float = 0.0, alpha: float = 0.05) -> float:
    """Probability that n pairs show equivalence within ±bound where the true effect is `true`; both in standard deviations of the differences.

    Exact for normal differences: the two one-sided tests both reject where the mean lies within bounds that shrink with the observed deviation, which is
    integrated over.
    """
    _check(n, alpha)
    if not bound > 0:
        raise ValueError("a bound of equivalence is above 0")
    stats, free = laboratory("scipy.stats"), n - 1
    critical = float(stats.t.ppf(1 - alpha, free))
    largest = math.sqrt(n) * bound / critical
    chi = stats.chi(df=free, scale=1 / math.sqrt(free))
    scale = math.log(2) + free / 2 * math.log(free / 2) - math.lgamma(free / 2)

    def both(deviation: float) -> float:
        upper, lower = math.sqrt(n) * (bound - true) - critical * deviation, -math.sqrt(n) * (bound + true) + critical * deviation
        density = math.exp(scale + (free - 1) * math.log(deviation) - free * deviation**2 / 2) if deviation > 0 else 0.0
        return (math.erfc(-upper / math.sqrt(2)) - math.erfc(-lower / math.sqrt(2))) / 2 * density

    found, _ = laboratory("scipy.integrate").quad(both, 0.0, min(largest, float(chi.ppf(1 - 1e-12))), limit=200)
    return min(1.0, max(0.0, float(found)))


def required_n_tost(bound: float, true: float = 0.0, power: float = 0.8, alpha: float = 0.05) -> int:
    """The fewest pairs with which equivalence within ±bound is shown with this probability.

    Raises:
        ValueError: the true effect is not within the bound.
    """
    if abs(true) >= bound:
        raise ValueError("what lies outside the bound is not equivalent, whatever the sample")
    return _fewest(lambda n: power_tost(n, bound, true, alpha), power)


def power_mcnemar(n: int, gained: float, lost: float, alpha: float = 0.05) -> float:
    """Probability that the exact McNemar test over n pairs rejects, where these shares of pairs are truly gained and lost. Exact."""
    _check(n, alpha)
    if min(gained, lost) < 0 or not 0 < gained + lost <= 1:
        raise ValueError("the shares gained and lost are not negative, and their sum is above 0 and at most 1")
    binom, total = laboratory("scipy.stats").binom, 0.0
    differing = gained + lost
    for count in range(n + 1):
        weight = float(binom.pmf(count, n, differing))
        if weight < 1e-12:
            continue
        few = -1  # the largest number of the rarer kind that is still significant
        while few + 1 <= count // 2 and mcnemar_exact(few + 1, count - few - 1) <= alpha:
            few += 1
        if few >= 0:
            total += weight * float(binom.cdf(few, count, gained / differing) + binom.sf(count - few - 1, count, gained / differing))
    return min(1.0, total)


def required_n_mcnemar(gained: float, lost: float, power: float = 0.8, alpha: float = 0.05, largest: int = 4096) -> int:
    """The fewest pairs, in steps of a twentieth, with which the exact McNemar test finds these shares with this probability."""
    n = 8
    while power_mcnemar(n, gained, lost, alpha) < power:
        n += max(1, n // 20)
        if n > largest:
            raise ValueError(f"more than {largest} pairs would be needed to tell {gained:.3f} from {lost:.3f}")
    return n


def power_statement(n: int, *, alpha: float = 0.05, power: float = 0.8) -> str:
    """What n pairs can see, in words for a report."""
    return (
        f"With n = {n} pairs a two-sided paired test at {alpha:g} finds a true effect of dz ≥ {detectable(n, power, alpha):.2f} with {power:.0%} probability; "
        f"smaller effects may exist and be missed, so that no difference found is not equivalence."
    )


def _fewest(power_at: Callable[[int], float], power: float) -> int:
    """The smallest n ≥ 2 whose power is reached, which grows with n."""
    if not 0 < power < 1:
        raise ValueError("a power lies between 0 and 1")
    high = 4
    while power_at(high) < power:
        high *= 2
        if high > LARGEST:
            raise ValueError(f"more than {LARGEST:,} pairs would be needed")
    low = max(1, high // 2)
    if low < 2 or power_at(2) >= power:
        low = 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if middle >= 2 and power_at(middle) >= power else (middle, high)
    return high


def _check(n: int, alpha: float) -> None:
    if n < 2 or not 0 < alpha < 1:
        raise ValueError("a test needs at least two pairs and a level between 0 and 1")
