"""How a question wants its number: `to the nearest ten`, `to two decimal places`, `rounded to 3 significant figures`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from redraft.claims.decimals import shown
from redraft.claims.unit_names import read_unit

__all__ = ["Rounding", "read_rounding"]

COUNTS = {"no": 0, "zero": 0, "one": 1, "a": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
PLACES = {"tenth": 1, "hundredth": 2, "thousandth": 3, "cent": 2, "penny": 2, "pence": 2, "ten": -1, "hundred": -2, "thousand": -3}
UNITY = frozenset("number integer one unit whole dollar euro pound percent percentage degree point buck".split())
COUNT = rf"(\d|{'|'.join(COUNTS)})"
CLAUSE = (
    r"[,;(]?\s*(?:\(?(?:and\s+)?(?:please\s+)?(?:give|express|write|state|show)?\s*(?:your\s+|the\s+)?(?:answer|result|it|that)?\s*"
    r"(?:rounded|rounding|round|correct|accurate)?\s*(?:off\s*)?)?"
)
AFTER_POINT = r"(?:digits?|places?|figures?)\s+after\s+the\s+(?:decimal\s+)?(?:point|comma)\b"
DECIMAL = rf"(?:decimals?\b(?:\s+(?:places?|digits?|figures?|points?)\b)?|d\.?\s?p\b\.?|{AFTER_POINT})"
DECIMALS = re.compile(
    rf"{CLAUSE}(?:\b(?:to|with|at|in|using)\s+)?(?:the\s+|just\s+|exactly\s+)?\b(?!a\s+decimals?\b(?!\s+(?:place|digit))){COUNT}[\s-]*{DECIMAL}"
    r"(?:,?\s+please)?\)?",
    re.IGNORECASE,
)
"""A preposition may be missing, as in afterthoughts: `Two decimals, please.`"""
BARE_PLACES = re.compile(rf"{CLAUSE}\b(?:to|with|at)\s+(?:the\s+)?{COUNT}\s+places?\b\)?", re.IGNORECASE)
SIGNIFICANT = re.compile(rf"{CLAUSE}\b(?:to|with|at)\s+{COUNT}\s+(?:significant\s+(?:figures?|digits?)|sig\.?\s+figs?|s\.?f\.?)\b\)?", re.IGNORECASE)
WHOLE = re.compile(rf"{CLAUSE}\b(?:as|to|in)\s+(?:a\s+|the\s+)?(?:nearest\s+)?(?:whole\s+numbers?|integers?|full\s+\w+)\b\.?\)?", re.IGNORECASE)
NEAREST = re.compile(rf"{CLAUSE}\b(?:(?:to|at|up to)\s+)?(?:the\s+)?\b(?:nearest|closest)\s+((?:whole\s+|full\s+)?)([a-z°]+|0\.0*1\b|10*\b)\)?", re.IGNORECASE)
INTEGER = re.compile(
    rf"{CLAUSE}(?:\b(?:to|as|in|into|with)\s+)?(?:an?\s+|the\s+next\s+)?\b(?:whole\s+numbers?|integers?)\b(?:\s+(?:only|please|will\s+do))?\)?", re.IGNORECASE
)
TO_THE_CENT = re.compile(r"[,;(]?\s*\b(?:down\s+)?to\s+the\s+(cent|penny)\b\)?", re.IGNORECASE)
AT_LEAST = re.compile(r"\b(?:at\s+least|no\s+fewer\s+than|minimum(?:\s+of)?)\s*$", re.IGNORECASE)


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
        nearest = self.rounded(value, self.places)
        return decimals(nearest, self.places) if self.places > 0 else shown(nearest)

    @staticmethod
    def rounded(value: Fraction, places: int) -> Fraction:
        scale = Fraction(10) ** places
        nearest = math.floor(abs(value) * scale + Fraction(1, 2)) / scale
        return nearest if value >= 0 else -nearest


def decimals(value: Fraction, places: int) -> str:
    """The value, which ends within so many decimals, with all of them: `59.0` where one is asked for."""
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def read_rounding(query: str, *, keep_unit: bool = False) -> tuple[Rounding, str]:
    """The precision asked for, and the question without those words.

    `keep_unit` leaves the unit of `to the nearest mile`, which may be asked for there alone.
    """
    for form in (DECIMALS, BARE_PLACES):
        if (match := form.search(query)) is not None:
            least = AT_LEAST.search(query[: match.start(1)]) is not None
            return Rounding() if least else Rounding(places=count(match.group(1))), cut(query, match)
    if (match := SIGNIFICANT.search(query)) is not None:
        return Rounding(significant=max(1, count(match.group(1)))), cut(query, match)
    for match in NEAREST.finditer(query):
        if (found := nearest(query, match, keep_unit)) is not None:
            return found
    if (match := TO_THE_CENT.search(query)) is not None:
        return Rounding(places=2), cut(query, match)
    if (match := INTEGER.search(query)) is not None and re.search(r"\b(?:round|nearest|will do|only|please|as|to|in)", match.group(), re.IGNORECASE):
        return Rounding(places=0), cut(query, match)
    if (match := WHOLE.search(query)) is not None:
        return Rounding(places=0), cut(query, match)
    return Rounding(), query


def nearest(query: str, match: re.Match[str], keep_unit: bool) -> tuple[Rounding, str] | None:
    """`the nearest ten`, `nearest 0.1`, `nearest whole degree Celsius`; None for the nearest town, which is no precision."""
    whole, word = match.group(1), match.group(2).lower()
    if word[0].isdigit():
        return Rounding(places=len(word) - 2 if word.startswith("0.") else 1 - len(word)), cut(query, match)
    place = PLACES.get(word.removesuffix("s"))
    if place is not None and not whole:
        return Rounding(places=place), cut(query, match)
    unit = read_unit(query, match.start(2))
    if unit is not None and keep_unit and unit[0].text.lower() not in ("number", "point"):
        return Rounding(places=0), f"{query[: match.start()]} to {query[match.start(2) :]}"
    if whole or word.removesuffix("s") in UNITY or word == "whole":
        return Rounding(places=0), cut(query, match)
    return None if unit is None else (Rounding(places=0), f"{query[: match.start()]} {query[unit[1] :]}")


def count(text: str) -> int:
    return int(text) if text.isdigit() else COUNTS[text.lower()]


def cut(query: str, match: re.Match[str]) -> str:
    return query[: match.start()] + " " + query[match.end() :]
