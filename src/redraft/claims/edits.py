"""Span edits: applying them, following a span through them, finding a quotation, and the smallest edits between two texts.

All offsets are code points of the text the edits belong to; text that no edit touches stays byte for byte.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from redraft.claims.signature import keeps
from redraft.types import Edit, Span

__all__ = ["align", "apply", "diff_edits", "map_span", "same_but_space"]

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+(?:['’][^\W\d_]+)*|\s+|.", re.S)
_FUZZY_THRESHOLD = 90.0
_FUZZY_LEAST_CHARACTERS = 12
_FUZZY_MOST_CHARACTERS = 1500
"""Longer quotations must stand there: the time for a near match grows with the cube of their length."""
_MOST_REACH = 60
_MOST_PLACES = 50
_LARGEST_TABLE = 10_000_000_000
"""Words times words that are compared at once: about a second, in little memory."""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits applied, or nothing at all.

    Raises:
        ValueError: an edit lies outside the text, or two edits overlap.
    """
    parts: list[str] = []
    at = 0
    for edit in _ordered(edits):
        start, end = edit.span
        if not 0 <= start <= end <= len(text):
            raise ValueError(f"edit {edit.span} lies outside a text of {len(text)} characters")
        parts += (text[at:start], edit.replacement)
        at = end
    return "".join((*parts, text[at:]))


def map_span(span: Span, edits: Iterable[Edit]) -> Span | None:
    """Where the old text's span lies in the new text; None where an edit straddles one of its ends. An insertion at an end stays outside."""
    start, end = span
    shift_start = shift_end = 0
    for edit in _ordered(edits):
        low, high = edit.span
        grown = len(edit.replacement) - (high - low)
        if high <= start and (low < start or low == high):
            shift_start += grown
            shift_end += grown
        elif low >= end:
            continue
        elif start <= low and high <= end:
            shift_end += grown
        else:
            return None
    return start + shift_start, end + shift_end


def _ordered(edits: Iterable[Edit]) -> list[Edit]:
    ordered = sorted({(edit.span, edit.replacement): edit for edit in edits}.values(), key=lambda edit: edit.span)
    for first, second in pairwise(ordered):
        if second.span[0] < first.span[1] or first.span == second.span:
            raise ValueError(f"edits {first.span} and {second.span} overlap")
    return ordered


def align(quote: str, text: str, *, start: int = 0) -> Span | None:
    """The span of `text`, at or after `start`, that `quote` stands for: exactly, else up to white space and typographic marks, else nearly.

    A near match keeps every figure, name and negation of the quotation. A word or a figure is never cut.
    """
    wanted = quote.strip()
    if not wanted:
        return None
    at = text.find(wanted, start)
    while at >= 0:
        if _whole(text, at, at + len(wanted)):
            return at, at + len(wanted)
        at = text.find(wanted, at + 1)
    return _align_folded(wanted, text, start)


def _align_folded(quote: str, text: str, start: int) -> Span | None:
    whole, spans = _fold(text)
    wanted, _ = _fold(quote)
    if not wanted:
        return None
    first = bisect_left(spans, (start, start))
    folded, places = whole[first:], spans[first:]
    at = folded.find(wanted)
    while at >= 0:
        span = places[at][0], places[at + len(wanted) - 1][1]
        if _whole(text, *span):
            return span
        at = folded.find(wanted, at + 1)
    if not _FUZZY_LEAST_CHARACTERS <= len(wanted) <= _FUZZY_MOST_CHARACTERS:
        return None
    for low, high in _near(wanted, folded):
        span = places[low][0], places[high - 1][1]
        if keeps(quote, text[span[0] : span[1]]):
            return span
    return None


def _near(wanted: str, folded: str) -> list[Span]:
    """Spans of whole words nearly like what is wanted, the likest first: one at each place of its rarest figure, or the one best of all."""
    windows = [(0, len(folded))]
    figures = set(re.findall(r"\d+", wanted))
    if figures:
        rarest = min(sorted(figures, key=lambda figure: (-len(figure), figure)), key=folded.count)
        reach = len(wanted) + len(wanted) // 4
        places = [found.start() for found in re.finditer(rarest, folded)][:_MOST_PLACES]
        windows = [(max(0, at - reach), min(len(folded), at + reach)) for at in places]
    scored: list[tuple[float, Span]] = []
    for first, last in windows:
        found = fuzz.partial_ratio_alignment(wanted, folded[first:last], score_cutoff=_FUZZY_THRESHOLD)
        if found is not None and found.dest_start < found.dest_end:
            span = _nearest_words(wanted, folded, (first + found.dest_start, first + found.dest_end))
            scored.append((-fuzz.ratio(wanted, folded[span[0] : span[1]]), span))
    return [span for score, span in sorted(scored) if score <= -_FUZZY_THRESHOLD]


def _nearest_words(wanted: str, folded: str, about: Span) -> Span:
    """The span of whole words most like what is wanted, with ends close to the given ones."""
    reach = min(max(4, len(wanted) // 8), _MOST_REACH)

    def near(at: int) -> list[int]:
        about = range(max(0, at - reach), min(len(folded), at + reach) + 1)
        return [end for end in about if end in (0, len(folded)) or not _joined(folded, end)]

    lows = [low for low in near(about[0]) if not folded[low : low + 1].isspace()]
    highs = [high for high in near(about[1]) if high and not folded[high - 1].isspace()]
    spans = [(low, high) for low in lows for high in highs if low < high]
    return max(spans, key=lambda span: fuzz.ratio(wanted, folded[span[0] : span[1]]), default=about)


def _whole(text: str, low: int, high: int) -> bool:
    """Whether the span cuts no word and no figure."""
    return not (low > 0 and _joined(text, low)) and not (high < len(text) and _joined(text, high))


def _joined(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if _is_cjk(before) or _is_cjk(after):
        return False
    if before.isalnum() and after.isalnum():
        return True
    if before.isdigit() and after in ".,":
        return text[at + 1 : at + 2].isdigit()
    return before in ".," and after.isdigit() and text[at - 2 : at - 1].isdigit()


def _is_cjk(character: str) -> bool:
    return "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff"


_MARKS = str.maketrans(dict.fromkeys("‘’‚‛´`′", "'") | dict.fromkeys("“”„‟«»″「」『』", '"') | dict.fromkeys("‐‑‒–—―−", "-"))
_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f")
_EMPHASIS = re.compile(r"(?<![\w*_`~])[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}(?![\w*_`~])")
"""Marks of Markdown at the edge of words; between figures or spaces they are signs of arithmetic and stay."""


@lru_cache(maxsize=8)
def _fold(text: str) -> tuple[str, tuple[Span, ...]]:
    """The text in a form for comparison, and for each of its characters the span of the text it came from.

    White space counts once, and not at all between CJK characters; typographic and Markdown marks and invisible characters count for nothing.
    """
    dropped = {at for mark in _EMPHASIS.finditer(text) for at in range(*mark.span())}
    characters: list[str] = []
    places: list[Span] = []
    for at, character in enumerate(text):
        if character in _INVISIBLE or at in dropped:
            continue
        if character.isspace():
            if characters and characters[-1] != " ":
                characters.append(" ")
                places.append((at, at + 1))
            continue
        if len(characters) > 1 and characters[-1] == " " and _is_cjk(characters[-2]) and _is_cjk(character):
            characters.pop()
            places.pop()
        for part in character if character.isascii() else unicodedata.normalize("NFKC", character).translate(_MARKS):
            characters.append("'" if part == "`" else part)
            places.append((at, at + 1))
    if characters and characters[-1] == " ":
        characters.pop()
        places.pop()
    return "".join(characters), tuple(places)


def diff_edits(old: str, new: str) -> tuple[Edit, ...]:
    """The smallest word-level edits that turn `old` into `new`; very long texts are first compared by lines."""
    return _merged(_diff(_TOKEN.findall(old), _TOKEN.findall(new), 0))


def _diff(before: Sequence[str], after: Sequence[str], offset: int) -> Iterator[Edit]:
    head = next((at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after)))
    offset += sum(map(len, before[:head]))
    before, after = before[head:], after[head:]
    if len(before) * len(after) > _LARGEST_TABLE:
        yield from _diff_lines(before, after, offset)
        return
    starts = _offsets(before, offset)
    for operation in Levenshtein.opcodes(before, after):
        if operation.tag != "equal":
            replacement = "".join(after[operation.dest_start : operation.dest_end])
            yield Edit(span=(starts[operation.src_start], starts[operation.src_end]), replacement=replacement)


def _diff_lines(before: Sequence[str], after: Sequence[str], offset: int) -> Iterator[Edit]:
    """As `_diff`, for texts whose words are too many for one table: equal lines are set apart first, and a long changed passage is one edit."""
    lines, other = "".join(before).splitlines(keepends=True), "".join(after).splitlines(keepends=True)
    starts = _offsets(lines, offset)
    if len(lines) * len(other) > _LARGEST_TABLE:
        yield Edit(span=(starts[0], starts[-1]), replacement="".join(other))
        return
    for operation in Levenshtein.opcodes(lines, other):
        if operation.tag == "equal":
            continue
        old, new = "".join(lines[operation.src_start : operation.src_end]), "".join(other[operation.dest_start : operation.dest_end])
        words, others = _TOKEN.findall(old), _TOKEN.findall(new)
        if len(words) * len(others) <= _LARGEST_TABLE:
            yield from _diff(words, others, starts[operation.src_start])
        else:
            yield Edit(span=(starts[operation.src_start], starts[operation.src_end]), replacement=new)


def _offsets(tokens: Sequence[str], offset: int) -> list[int]:
    offsets = [offset]
    for token in tokens:
        offsets.append(offsets[-1] + len(token))
    return offsets


def _merged(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    merged: list[Edit] = []
    for edit in edits:
        if merged and merged[-1].span[1] == edit.span[0]:
            last = merged.pop()
            edit = Edit(span=(last.span[0], edit.span[1]), replacement=last.replacement + edit.replacement)
        merged.append(edit)
    return tuple(merged)


def same_but_space(a: str, b: str) -> bool:
    """Whether two texts are equal up to white space."""
    return a.split() == b.split()
