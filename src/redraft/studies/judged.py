"""Rates that a fallible judge reported. What it calls right is not what is right: with some labels its errors are known, and the rate can be corrected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from redraft.studies.stats import Interval

__all__ = ["CorrectedRate", "JudgeErrors", "corrected_difference", "corrected_rate"]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeErrors:
    """How often the judge agreed with labels, of those that are truly right and of those that are truly wrong."""

    right_called_right: int
    right: int
    wrong_called_wrong: int
    wrong: int

    def __post_init__(self) -> None:
        for agreed, total, name in ((self.right_called_right, self.right, "right"), (self.wrong_called_wrong, self.wrong, "wrong")):
            if total < 1:
                raise ValueError(f"the judge's labels hold no answer that is {name}; label at least one of each kind")
            if not 0 <= agreed <= total:
                raise ValueError(f"{agreed} of {total} is no count of labels")

    @property
    def sensitivity(self) -> float:
        return self.right_called_right / self.right

    @property
    def specificity(self) -> float:
        return self.wrong_called_wrong / self.wrong

    @property
    def informedness(self) -> float:
        """Youden's J: 0 is a judge that tosses a coin, 1 one that never errs."""
        return self.sensitivity + self.specificity - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedRate:
    """`observed` is the judge's rate; `rate` the corrected one, cut to [0, 1]; `interval` carries the uncertainty of the judge's errors too."""

    observed: float
    rate: float
    interval: Interval
    n: int


def corrected_rate(called_right: int, n: int, judge: JudgeErrors, level: float = 0.95) -> CorrectedRate:
    """The true rate behind a judge's: (observed + specificity − 1) ÷ (sensitivity + specificity − 1) (Rogan and Gladen 1978).

    Interval: Lang and Reiczigel (2014), which adds pseudo-observations to all three proportions and shifts the centre.

    Raises:
        ValueError: no observation, or a judge no better than chance, whose verdicts say nothing of the truth.
    """
    if n < 1 or not 0 <= called_right <= n:
        raise ValueError("a rate needs at least one observation, and no more successes than observations")
    _check_better_than_chance(judge)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    observed = called_right / n
    rate = (observed + judge.specificity - 1) / judge.informedness
    size, rights, wrongs = n + z * z, judge.right + 2, judge.wrong + 2
    seen = (called_right + z * z / 2) / size
    sensitivity, specificity = (judge.right_called_right + 1) / rights, (judge.wrong_called_wrong + 1) / wrongs
    informedness = sensitivity + specificity - 1
    if informedness <= 0:
        return CorrectedRate(observed=observed, rate=min(1.0, max(0.0, rate)), interval=(0.0, 1.0), n=n)
    centre = (seen + specificity - 1) / informedness
    missed, invented = sensitivity * (1 - sensitivity) / rights, specificity * (1 - specificity) / wrongs
    shift = 2 * z * z * (centre * missed - (1 - centre) * invented)
    half = z * math.sqrt(seen * (1 - seen) / size + centre**2 * missed + (1 - centre) ** 2 * invented) / informedness
    low, high = min(1.0, max(0.0, centre + shift - half)), min(1.0, max(0.0, centre + shift + half))
    return CorrectedRate(observed=observed, rate=min(1.0, max(0.0, rate)), interval=(low, high), n=n)


def corrected_difference(difference: float, interval: Interval, judge: JudgeErrors) -> tuple[float, Interval]:
    """A difference of two rates by the same judge, and its interval, divided by the judge's informedness: a fallible judge shrinks every difference.

    The informedness is taken as known; where it rests on few labels, the interval is too narrow, and `corrected_rate` of each arm shows by how much.

    Raises:
        ValueError: a judge no better than chance.
    """
    _check_better_than_chance(judge)
    low, high = interval
    return difference / judge.informedness, (low / judge.informedness, high / judge.informedness)


def _check_better_than_chance(judge: JudgeErrors) -> None:
    if judge.informedness <= 0:
        raise ValueError(
            f"the judge is no better than chance (sensitivity {judge.sensitivity:.2f} + specificity {judge.specificity:.2f} ≤ 1): "
            "its verdicts say nothing of the truth; choose another judge"
        )
