"""A text reduced to its words, with a mark in place of every figure: what the grammar of arithmetic in words is matched against."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from redraft.claims.figures import Quantity, read

__all__ = ["SENTENCE_END", "N", "P", "Sketch", "sketch"]

N, P = "\ue000", "\ue001"
"""The marks of an amount and of a percentage."""
SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|[。！？；\n]")


@dataclass(slots=True)
class Sketch:
    """A text with a mark in place of every figure: N for an amount, P for a percentage."""

    text: str
    words: str
    figures: tuple[Quantity, ...]
    marks: list[int]
    """Offsets of the marks in `words`."""
    shifts: list[tuple[int, int]]
    """Offset in `words` and the offset in the text that belongs to it, for each piece."""

    def figure(self, offset: int) -> Quantity:
        """The figure whose mark stands at this offset of `words`."""
        return self.figures[bisect_left(self.marks, offset)]

    def within(self, start: int, end: int) -> list[Quantity]:
        return list(self.figures[bisect_left(self.marks, start) : bisect_left(self.marks, end)])

    def sentence_start(self, offset: int) -> int:
        """Where the sentence around this offset begins, at most 300 characters before."""
        first = max(0, offset - 300)
        return max((match.end() for match in SENTENCE_END.finditer(self.words, first, offset)), default=first)

    def place(self, offset: int) -> int:
        """The offset in the text."""
        index = bisect_left(self.shifts, (offset + 1, -1)) - 1
        mine, theirs = self.shifts[index]
        return theirs + offset - mine


def sketch(text: str, figures: Sequence[Quantity] | None = None) -> Sketch:
    """The text in lower case with its figures replaced by marks."""
    found = tuple(read(text)) if figures is None else tuple(figures)
    lower = _fold(text)
    pieces: list[str] = []
    marks: list[int] = []
    shifts: list[tuple[int, int]] = [(0, 0)]
    length = position = 0
    for figure in found:
        start, end = figure.span
        pieces.append(lower[position:start])
        length += start - position
        marks.append(length)
        shifts.append((length, start))
        pieces.append(P if figure.percent else N)
        length += 1
        shifts.append((length, end))
        position = end
    pieces.append(lower[position:])
    return Sketch(text=text, words="".join(pieces), figures=found, marks=marks, shifts=shifts)


def _fold(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    return lower.replace(N, " ").replace(P, " ").replace("\u2019", "'")
