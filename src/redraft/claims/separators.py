"""Bare digits with separators: which mark is the decimal one, and what number they write. Both conventions are read ("1,234.56" and "1.234,56")."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from redraft.claims.numerals import VULGAR

__all__ = ["MAX_DIGITS", "decimal_mark", "plain", "read_figure"]

MAX_DIGITS = 400


"""Longer figures are left unread: no answer depends on them, and arithmetic with them must stay cheap."""


_FULLWIDTH = {ord(wide): ord(narrow) for wide, narrow in zip("０１２３４５６７８９．，％＋－＝（）／＊＄￥＜＞＾：", "0123456789.,%+-=()/*$¥<>^:", strict=True)}


_MARKS = {0x2212: ord("-"), 0xFE63: ord("-"), 0x2010: ord("-"), 0x2011: ord("-"), 0x00A0: ord("\u202f"), 0x2009: ord("\u202f")}
_DIGITS = {zero + digit: ord("0") + digit for zero in (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50) for digit in range(10)}
_PLAIN = _FULLWIDTH | _MARKS | _DIGITS


_CLAUSE_COMMA = re.compile(r"(?<=[0-9])，(?=[0-9])(?![0-9]{3}(?![0-9]))")
"""A full-width comma between ASCII digits ends a clause, unless it sets thousands apart."""


def plain(text: str) -> str:
    """The text with full-width and typographic marks of arithmetic as ASCII: equally long, so that offsets keep their meaning."""
    if text.isascii():
        return text
    return (_CLAUSE_COMMA.sub(";", text) if "，" in text else text).translate(_PLAIN)


def decimal_mark(text: str) -> Literal[".", ",", ""]:
    """The decimal mark that the figures of this text show beyond doubt, or "" where they do not (or contradict each other)."""
    points = commas = 0
    for match in re.finditer(r"(?<![\d.,])\d+(?:[.,]\d+)+(?![\d]|[.,]\d)", plain(text)):
        decided = _decisive(match.group())
        points += decided == "."
        commas += decided == ","
    if points and commas:
        return ""
    return "." if points else "," if commas else ""


def _decisive(literal: str) -> str:
    marks = [c for c in literal if c in ".,"]
    parts = re.split(r"[.,]", literal)
    if len(set(marks)) == 2:
        grouped = parts[1:-1] if marks[-1] != marks[0] and len(set(marks[:-1])) == 1 else [""]
        return marks[-1] if all(len(p) == 3 for p in grouped) else ""
    if len(marks) > 1:
        groups = all(len(p) == 3 for p in parts[1:]) and len(parts[0]) <= 3
        return ("," if marks[0] == "." else ".") if groups else ""
    if len(parts[1]) != 3 or len(parts[0]) > 3 or parts[0] == "0":
        return marks[0]
    return ""


@lru_cache(maxsize=4096)
def read_figure(literal: str, mark: str = "") -> tuple[Fraction, int, str, str] | None:
    """Value, decimals, decimal mark and grouping of bare digits with separators; None if they are no figure under any convention.

    `mark` is the convention of the text around, used where the digits alone leave it open.
    """
    if len(literal) > MAX_DIGITS:
        return None
    if literal.isdecimal():
        return Fraction(int(literal)), 0, mark or ".", ""
    if literal in VULGAR:
        return VULGAR[literal], 0, mark or ".", ""
    for separator in ("_", "'", "’", " ", "\u202f"):
        if separator in literal:
            whole = literal.replace(separator, "").replace(",", ".")
            if whole.count(".") > 1:
                return None
            return Fraction(whole), len(whole.partition(".")[2]), "," if "," in literal else ".", separator
    if "," not in literal:
        if literal.count(".") == 1 and (mark != "," or _decisive(literal) == "."):
            return Fraction("0" + literal), len(literal.partition(".")[2]), ".", ""
    if literal.startswith("."):
        return None
    decided = _decisive(literal)
    point = decided or (mark if mark else ".")
    group = "," if point == "." else "."
    whole, _, part = literal.partition(point)
    groups = whole.split(group)
    if point in part or group in part or any(not g for g in groups):
        return None
    well = len(groups) == 1 or (len(groups[0]) <= 3 and all(len(g) == 3 for g in groups[1:]))
    indian = group == "," and len(groups) > 2 and len(groups[0]) <= 2 and all(len(g) == 2 for g in groups[1:-1]) and len(groups[-1]) == 3
    if not (well or indian):
        return None
    number = Fraction("".join(groups) + ("." + part if part else ""))
    return number, len(part), point, group if len(groups) > 1 else ""
