"""What the words around a figure say of its precision: about, nearly, more than, up to."""

from __future__ import annotations

import re
from typing import Literal, TypedDict

__all__ = ["Bound", "Hedge", "hedge"]

Bound = Literal["", ">", "<"]

_APPROXIMATE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|circa|ca\.|some|close to|just (?:over|under)|in the region of|an estimated)"
    r"|[~≈≃≅]|约|大约|約|近|将近|およそ|ほぼ)"
    r"[ \u202f]?(?:a |an |the )?$",
    re.IGNORECASE,
)


_LOOSE = re.compile(r"\b(?:some|about)[ \u202f]?$", re.IGNORECASE)
_ABOVE = re.compile(
    r"(?:\b(?:more than|over|above|at least|upwards of|greater than|exceed(?:s|ed|ing)?|no (?:less|fewer) than|in excess of)|>=?|≥|超过|至少|多于)[ \u202f]?$",
    re.IGNORECASE,
)


_BELOW = re.compile(
    r"(?:\b(?:less than|fewer than|under|below|at most|(?<!add )(?<!adds )(?<!sum )(?<!sums )(?<!ing )(?<!ed )up to|no more than|not more than"
    r"|as many as|as much as)|<=?|≤|不到|最多|少于|至多)[ \u202f]?$",
    re.IGNORECASE,
)


_HEDGE_MARKS = frozenset("~≈≃≅<>=≥≤.")


_AROUND_AFTER = re.compile(r" ?(?:左右|上下|多|余|or so\b|前後|ほど|程度)")


class Hedge(TypedDict, total=False):
    approximate: bool
    bound: Bound


def hedge(flat: str, first: int, last: int, *, exact: bool = False) -> Hedge:
    """What the words around say of the precision; "some" and "about" before decimals say nothing: 25.1 % is meant to the digit shown."""
    said: Hedge = {}
    close = flat[first - 1 : first]
    if close == " " or close == "\u202f":
        close = flat[first - 2 : first - 1]
    if close.isalpha() or close in _HEDGE_MARKS:
        window = flat[max(0, first - 24) : first]
        if _APPROXIMATE.search(window):
            if not (exact and _LOOSE.search(window)):
                said["approximate"] = True
        elif _ABOVE.search(window):
            said["bound"] = ">"
        elif _BELOW.search(window):
            said["bound"] = "<"
    if _AROUND_AFTER.match(flat, last):
        said["approximate"] = True
    return said
