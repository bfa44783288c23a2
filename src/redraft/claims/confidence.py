"""What a stated confidence is worth: isotonic curves from raw confidence to the share that was right, and how well either is calibrated. Pure.

A curve is a sequence of (raw, calibrated) points, rising in both; between points it is linear, outside them constant. An empty curve changes nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

__all__ = ["CEILING", "FLOOR", "Curve", "Labelled", "brier", "calibrated", "expected_calibration_error", "isotonic"]

Curve = tuple[tuple[float, float], ...]
Labelled = tuple[float, bool]
"""A raw confidence, and whether the verdict that had it was right."""

CEILING = 0.99
"""Nothing that a model judged or chose is ever certain."""
FLOOR = 0.5
"""A judgement that is worth less than this says nothing: the opposite is as likely."""
_LEAST_BLOCK = 10
"""A level that rests on fewer rows is pooled with its neighbour, so that three lucky rows do not become certainty."""


class _Block:
    """Neighbouring rows that share one level."""

    def __init__(self, low: float, high: float, count: int, right: int) -> None:
        self.low, self.high, self.count, self.right = low, high, count, right

    @property
    def level(self) -> float:
        return self.right / self.count

    def absorb(self, other: _Block) -> None:
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.count, self.right = self.count + other.count, self.right + other.right


def isotonic(rows: Iterable[Labelled]) -> Curve:
    """The rising step function nearest to the rows in least squares, by pooling adjacent violators (Ayer and others, 1955), as a curve."""
    blocks: list[_Block] = []
    for raw, group in groupby(sorted(rows), key=lambda row: row[0]):
        labels = [right for _, right in group]
        blocks.append(_Block(raw, raw, len(labels), sum(labels)))
        while len(blocks) > 1 and blocks[-2].level >= blocks[-1].level:
            blocks[-2].absorb(blocks.pop())
    blocks = _large_enough(blocks)
    points = [(raw, min(max(block.level, 1 - CEILING), CEILING)) for block in blocks for raw in (block.low, block.high)]
    return tuple(dict.fromkeys(points))


def _large_enough(blocks: Sequence[_Block]) -> list[_Block]:
    """The same rising levels with small blocks pooled into a neighbour: pooling neighbours of a rising sequence leaves it rising."""
    kept: list[_Block] = []
    for block in blocks:
        if kept and kept[-1].count < _LEAST_BLOCK:
            kept[-1].absorb(block)
        else:
            kept.append(block)
    if len(kept) > 1 and kept[-1].count < _LEAST_BLOCK:
        last = kept.pop()
        kept[-1].absorb(last)
    return kept


def calibrated(curves: Mapping[str, Curve], method: str, confidence: float) -> float:
    """The confidence by the curve of its method; as it is where there is none."""
    curve = curves.get(method, ())
    if not curve:
        return confidence
    place = bisect_right(curve, confidence, key=lambda point: point[0])
    if place == 0:
        return curve[0][1]
    if place == len(curve):
        return curve[-1][1]
    (left, low), (right, high) = curve[place - 1], curve[place]
    return low + (high - low) * (confidence - left) / (right - left)


def brier(rows: Sequence[Labelled]) -> float | None:
    """The mean squared difference between confidence and truth; None without rows (Brier, 1950)."""
    return sum((confidence - right) ** 2 for confidence, right in rows) / len(rows) if rows else None


def expected_calibration_error(rows: Sequence[Labelled], *, bins: int = 10) -> float | None:
    """The mean gap between confidence and share right over equally wide bins, weighted by their rows; None without rows (Naeini and others, 2015)."""
    if not rows:
        return None
    parts: dict[int, list[Labelled]] = {}
    for row in rows:
        parts.setdefault(min(int(row[0] * bins), bins - 1), []).append(row)
    gaps = (abs(sum(confidence - right for confidence, right in part)) for part in parts.values())
    return sum(gaps) / len(rows)
