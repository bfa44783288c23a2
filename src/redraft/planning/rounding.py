"""How a question wants its number: `to the nearest ten`, `to two decimal places`, `rounded to 3 significant figures`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from redraft.claims.decimals import shown

__all__ = ["Rounding", "read_rounding"]

COUNTS = {"no": 0, "zero": 0, "one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
PLACES = {"tenth": 1, "hundredth": 2, "thousandth": 3, "cent": 2, "penny": 2, "ten": -1, "hundred": -2, "thousand": -3}
CLAUSE = (
    r"[,;(]?\s*(?:\(?(?:and\s+)?(?:please\s+)?(?:give|express|write|state|show)?\s*(?:your\s+|the\s+)?(?:answer|result|it)?\s*"
    r"(?:rounded|round|correct|accurate)?\s*(?:off\s*)?)?"
)
DECIMALS = re.compile(
    rf"{CLAUSE}\b(?:to|with|at)\s+(?:the\s+)?(\d|{'|'.join(COUNTS)})\s+(?:decimals?|decimal\s+(?:places?|digits?)|d\.?p\.?|places?)\b\.?\)?", re.IGNORECASE
)
SIGNIFICANT = re.compile(rf"{CLAUSE}\b(?:to|with|at)\s+(\d|{'|'.join(COUNTS)})\s+(?:significant\s+(?:figures?|digits?)|s\.?f\.?)\b\)?", re.IGNORECASE)
NEAREST = re.compile(rf"{CLAUSE}\b(?:to\s+)?the\s+(?:nearest|closest)\s+((?:whole\s+)?[a-z]+)\b\)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rounding:
    """The precision asked for; both None where none is."""

    places: int | None = None
    significant: int | None = None

    def shown(self, value: Fraction) -> str:
        """The value as it is asked for; exactly, or to six significant digits, where nothing is asked."""
        if self.significant is not None and value:
            size = math.floor(math.log10(abs(value)))
            return shown(self.rounded(value, self.significant - 1 - size))
        if self.places is None:
            return shown(value)
        return shown(self.rounded(value, self.places))

    @staticmethod
    def rounded(value: Fraction, places: int) -> Fraction:
        scale = Fraction(10) ** places
        nearest = math.floor(abs(value) * scale + Fraction(1, 2)) / scale
        return nearest if value >= 0 else -nearest


def read_rounding(query: str) -> tuple[Rounding, str]:
    """The precision asked for, and the question without those words."""
    if (match := DECIMALS.search(query)) is not None:
        return Rounding(places=count(match.group(1))), cut(query, match)
    if (match := SIGNIFICANT.search(query)) is not None:
        return Rounding(significant=max(1, count(match.group(1)))), cut(query, match)
    if (match := NEAREST.search(query)) is not None:
        word = match.group(1).lower()
        return Rounding(places=PLACES.get(word.split()[-1].removesuffix("s"), 0)), cut(query, match)
    return Rounding(), query


def count(text: str) -> int:
    return int(text) if text.isdigit() else COUNTS[text.lower()]


def cut(query: str, match: re.Match[str]) -> str:
    return query[: match.start()] + " " + query[match.end() :]
