"""Numbers written as words: English cardinals and fractions, Chinese and Japanese numerals.

Ordinals ("first", "twenty-first") are names of places in an order, not amounts, and are never read as numbers.
"""

from __future__ import annotations

import re
from fractions import Fraction

__all__ = ["CJK_NUMERAL", "ENGLISH_NUMERAL", "VULGAR", "cjk_value", "english_value"]

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL: dict[str, int] = {word: value for value, word in enumerate(_UNITS)} | {word: 10 * value for value, word in enumerate(_TENS, 2)} | {"fourty": 40}
_LARGE: dict[str, int] = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONE_PART = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
_PARTS: dict[str, int] = {"half": 2, "halves": 2} | _ONE_PART | {word + "s": value for word, value in _ONE_PART.items()}

_SMALL_WORD = "|".join(sorted(_SMALL, key=len, reverse=True))
_LARGE_WORD = "hundred|thousand|million|billion|trillion|dozen"
_ORDINAL_TAIL = r"(?:[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b)"
ENGLISH_NUMERAL = (
    rf"(?:(?:half a|an?)[ ](?:{_LARGE_WORD})|(?:{_SMALL_WORD})\b|(?:{_SMALL_WORD})(?=-))"
    rf"(?:(?:[ -]|,[ ]|[ ]and[ ])(?:{_SMALL_WORD}|{_LARGE_WORD})\b)*"
    rf"(?:[ -](?:{'|'.join(sorted(_PARTS, key=len, reverse=True))})\b)?(?!{_ORDINAL_TAIL})"
)
"""A candidate cardinal, to be read by `english_value`, which refuses what is no well-formed number. Matched without regard to case."""

VULGAR: dict[str, Fraction] = {
    "½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅕": Fraction(1, 5), "⅖": Fraction(2, 5),
    "⅗": Fraction(3, 5), "⅘": Fraction(4, 5), "⅙": Fraction(1, 6), "⅚": Fraction(5, 6), "⅐": Fraction(1, 7), "⅛": Fraction(1, 8), "⅜": Fraction(3, 8),
    "⅝": Fraction(5, 8), "⅞": Fraction(7, 8), "⅑": Fraction(1, 9), "⅒": Fraction(1, 10),
}  # fmt: skip


def english_value(words: str) -> Fraction | None:
    """The value of an English cardinal ("two hundred and five", "three quarters", "half a million"); None if it is no well-formed number."""
    tokens = re.split(r"[ ,-]+", words.lower())
    if tokens[:2] == ["half", "a"]:
        whole = _cardinal(["one", *tokens[2:]])
        return None if whole is None else Fraction(whole, 2)
    if tokens[0] in ("a", "an"):
        tokens[0] = "one"
    if tokens[-1] in _PARTS:
        top = _cardinal(tokens[:-1])
        plural = tokens[-1].endswith("s") or tokens[-1] == "halves"
        if top is None or top < 1 or plural != (top != 1):
            return None
        return Fraction(top, _PARTS[tokens[-1]])
    value = _cardinal(tokens)
    return None if value is None else Fraction(value)


def _cardinal(tokens: list[str]) -> int | None:
    total, group, room = 0, 0, 10**18
    """`room` is the smallest unit used so far inside the group: a later word must be smaller, so that "five six" is no number."""
    inner = 1000
    seen = False
    for token in tokens:
        if token == "and":
            if not seen:
                return None
        elif token in _SMALL:
            value = _SMALL[token]
            if value >= inner or (inner == 10 and value == 0):
                return None
            group += value
            inner = 10 if value >= 20 else 0
            seen = True
        elif token in ("hundred", "dozen"):
            if not 0 < group < 100 or inner >= 1000:
                return None
            group, inner = group * (100 if token == "hundred" else 12), 100 if token == "hundred" else 0
        elif token in _LARGE:
            if _LARGE[token] >= room or group == 0:
                return None
            room = _LARGE[token]
            total, group, inner = total + group * room, 0, 1000
        else:
            return None
    return total + group if seen and tokens[-1] != "and" else None


_CJK_DIGITS = {c: v for v, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_CJK_SMALL = {"十": 10, "百": 100, "千": 1000}
_CJK_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
CJK_NUMERAL = "[零〇一二两兩三四五六七八九十百千万萬亿億兆]+"


def cjk_value(numeral: str) -> Fraction | None:
    """The value of a Chinese or Japanese numeral such as 一百二十 or 三亿五千万; None if it is not well formed."""
    if len(numeral) > 40:
        return None
    if all(c in _CJK_DIGITS for c in numeral):
        return Fraction(int("".join(str(_CJK_DIGITS[c]) for c in numeral)))
    total, section, digit, last = 0, 0, -1, 10**16
    small = 10**4
    for c in numeral:
        if c in _CJK_DIGITS:
            if digit > 0:
                return None
            digit = _CJK_DIGITS[c]
        elif c in _CJK_SMALL:
            unit = _CJK_SMALL[c]
            if unit >= small or (digit < 1 and not ((unit == 10 and digit <= 0) or (digit == -1 and section == 0))):
                return None
            section, small, digit = section + unit * (digit if digit > 0 else 1), unit, -1
        else:
            unit = _CJK_LARGE[c]
            section += max(digit, 0)
            if unit >= last or section == 0:
                return None
            total, section, digit, small, last = total + section * unit, 0, -1, 10**4, unit
    return Fraction(total + section + max(digit, 0))
