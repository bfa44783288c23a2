"""Comparing words of an answer with the exact value that a tool returned."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from redraft.claims.numbers import read, rounds_to, show

__all__ = ["agrees", "amend", "exact"]

_EXACT = re.compile(r"[+-]?\d+(?:/\d+|\.\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def exact(value: str) -> Fraction | None:
    """A tool's canonical number ("397.8", "1989/5") as a fraction, or None where the value is no number."""
    return Fraction(value) if _EXACT.fullmatch(value) and not value.endswith("/0") else None


def agrees(shown: str, value: str) -> bool | None:
    """Whether words of an answer give the value: numbers within the rounding of the digits shown, other values letter for letter up to form.

    None where the two cannot be compared: no single number in the words, or a text that may be the same thing in other words.
    """
    number = exact(value)
    if number is not None:
        quantities = read(shown)
        if len(quantities) != 1:
            return None
        quantity = quantities[0]
        return rounds_to(number, quantity) or (quantity.percent and rounds_to(number * 100, quantity))
    if _DATE.fullmatch(value):
        return True if shown.strip() == value else None
    return True if _folded(shown) == _folded(value) else None


def amend(shown: str, value: str) -> str | None:
    """The value in the format of the words it replaces; None where the words are not one figure."""
    number = exact(value)
    quantities = read(shown)
    if number is None or len(quantities) != 1:
        return None
    quantity = quantities[0]
    return shown[: quantity.span[0]] + show(number, quantity) + shown[quantity.span[1] :]


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", unicodedata.normalize("NFKC", text).casefold()).split())
