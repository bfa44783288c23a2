"""Arithmetic as people write it inside prose: its tokens, its figures, and the expressions they make."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from redraft.claims.evaluation import evaluate, written
from redraft.claims.separators import plain
from redraft.types import Span

__all__ = ["Operand", "Run", "Token", "tokens"]


class Token(NamedTuple):
    """One token of a line, with its offsets; a plain tuple because there are very many."""

    kind: str
    text: str
    start: int
    end: int


class Operand(NamedTuple):
    """One figure of an expression with what was written around it."""

    span: Span
    value: Fraction
    literal: str
    decimals: int = 0
    percent: bool = False
    currency: str = ""
    unit: str = ""
    scale: int = 1
    ambiguous: bool = False
    """Whether the other convention for separators would give another value (1.234)."""


@dataclass(slots=True)
class Run:
    """One maximal expression: its items are values and operators in order, brackets included."""

    start: int
    end: int
    first: int
    last: int
    """Indices of its first token and the one after its last."""
    items: list[Fraction | str] = field(default_factory=list[Fraction | str])
    operands: list[Operand] = field(default_factory=list[Operand])
    operators: int = 0
    uncertain: bool = False
    """Whether a mark in it may be punctuation or a range rather than an operator."""

    @property
    def span(self) -> Span:
        return self.start, self.end

    @property
    def single(self) -> bool:
        """Whether it is one figure, perhaps signed or in brackets, or a fraction of a unit such as 1/2 cup."""
        return self.operators == 0 or (self.operators == 1 and self.items[1:2] == ["/"] and bool(self.operands[-1].unit) and not self.operands[0].unit)

    @property
    def fraction(self) -> bool:
        """Whether it is one fraction of whole numbers written without spaces, such as 5/6."""
        return len(self.items) == 3 and self.items[1] == "/" and len(self.operands) == 2 and self.operands[1].span[0] - self.operands[0].span[1] == 1

    @property
    def expression(self) -> str:
        """The run in the calculator's syntax."""
        return written(self.items)

    @property
    def value(self) -> Fraction | None:
        return evaluate(self.items)


_TOKEN = re.compile(
    r"(?P<num>(?:\d{1,3}(?:[ \u202f'’]\d{3})+(?![\d'’])|\d+)(?:[.,_]\d+)*(?:[eE][-+]?\d{1,3}(?![\w.]))?|\.\d+)"
    r"|(?P<mark>[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒])"
    r"|(?P<sup>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<latex>\\(?:times|cdot|div|frac|dfrac|tfrac|left|right|approx|[%$,;! ()\[\]]|\w+))"
    r"|(?P<rel>≠|!=|=/=|<=|>=|=>|=<|≤|≥|->|→|:=|≡|==>)"
    r"|(?P<eq>==?=?|≈|≃|≅|~=|≒)"
    r"|(?P<power>\*\*|\^)"
    r"|(?P<op>[-+*/×÷·∙⋅•–∕⁄])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<pct>%|per ?cent\b)"
    r"|(?P<cur>(?:US|A|C|NZ|HK)?[$€£¥₹])"
    r"|(?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)"
    r"|(?P<other>\S)"
)


_LATEX = {
    "\\times": ("op", "*"),
    "\\cdot": ("op", "*"),
    "\\div": ("op", "/"),
    "\\approx": ("eq", "≈"),
    "\\%": ("pct", "%"),
    "\\$": ("cur", "$"),
    "\\frac": ("frac", ""),
    "\\dfrac": ("frac", ""),
    "\\tfrac": ("frac", ""),
}


_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069\x00]")


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of one line; offsets are those of the text."""
    flat = plain(text)
    if not flat.isascii() and _INVISIBLE.search(flat, start, len(flat) if end is None else end):
        flat = _INVISIBLE.sub(" ", flat)
    found: list[Token] = []
    begin = -1
    for match in _TOKEN.finditer(flat, start, len(flat) if end is None else end):
        kind = match.lastgroup or ""
        word = match.group()
        if kind == "latex":
            if word in ("\\,", "\\;", "\\!", "\\ "):
                continue
            if word in ("\\left", "\\right"):
                begin = match.start()
                continue
            kind, word = _LATEX.get(word, ("open" if word in ("\\(", "\\[") else "close" if word in ("\\)", "\\]") else "other", word))
            if kind in ("open", "close"):
                kind = "other"
        first, last = match.span()
        if begin >= 0:
            first, begin = begin, -1
        found.append(Token(kind, word, first, last))
    return found
