"""Quotations and citations in a text, and where a quotation stands in a source: verbatim up to white space and typographic marks, or nearly.

Nothing here is ever read as a pattern: a quotation may contain any character.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from redraft.types import Span

__all__ = ["Located", "locate"]

_MARKS = {
    **dict.fromkeys("‘’‚‛′`´＇", "'"),
    **dict.fromkeys("“”„‟″«»「」『』＂〝〞", '"'),
    **dict.fromkeys("‐‑‒–—―−－﹣", "-"),
    "…": "...",
}
_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\x00")
_CJK_SPACE = re.compile(r"(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]) | (?=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])")
_OMISSION = re.compile(r"\s*(?:[\[(]\s*(?:\.\.\.|\. \. \.)\s*[\])]|(?:\.\.\.|\. \. \.)+\.?)\s*")
_INSERTION = re.compile(r"\[([^\[\]]{0,60})\]")
MAX_GAP = 1500
NEAR = 0.80


@dataclass(frozen=True, kw_only=True, slots=True)
class Located:
    """Where a quotation stands in a passage; where not `exact`, `difference` says in words how the source differs and `ratio` how near it is."""

    span: Span
    exact: bool
    difference: str = ""
    ratio: float = 1.0


@lru_cache(maxsize=256)
def _plain(text: str) -> tuple[str, tuple[int, ...]]:
    """The text with one kind of quotation mark, dash, ellipsis and space, without invisible characters, and for each character its place in the text."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char in _INVISIBLE:
            continue
        shown = _MARKS.get(char) or (char if char < "\x80" else unicodedata.normalize("NFKC", char))
        for part in shown:
            if part.isspace():
                if chars and chars[-1] != " ":
                    chars.append(" ")
                    places.append(place)
            else:
                chars.append(_MARKS.get(part, part)[:1])
                places.append(place)
    plain = "".join(chars)
    drop = {match.start() for match in _CJK_SPACE.finditer(plain)}
    if drop:
        kept = [number for number in range(len(plain)) if number not in drop]
        return "".join(plain[number] for number in kept), tuple(places[number] for number in kept)
    return plain, tuple(places)


def locate(quote: str, passage: str) -> Located | None:
    """Where the quotation stands in the passage: verbatim up to white space, typographic marks, omissions and editorial brackets, else the nearest wording.

    None if nothing near it is there. A near miss needs at least five words (or ten characters of a script without spaces).
    """
    plain, places = _plain(passage)
    parts = _parts(_plain(quote)[0])
    if not parts or not plain:
        return None
    spans = _in_order(parts, plain)
    if spans:
        return Located(span=(places[spans[0][0]], places[spans[-1][1] - 1] + 1), exact=True)
    return _nearest(parts, plain, places)


def _parts(quote: str) -> list[str]:
    """What must stand in the source in this order: the quotation without marks at its ends, cut where words were left out or put in."""
    quote = _INSERTION.sub(lambda match: match[1] if len(match[1]) == 1 else "..." if match[1].casefold() != "sic" else "", quote)
    parts = [part.strip(" \"'-,;:.!?。，；：！？、") for part in _OMISSION.split(quote)]
    return [part for part in parts if re.search(r"\w", part)]


def _in_order(parts: list[str], plain: str) -> list[Span]:
    """The first places where all parts stand one after the other, at borders of words; a first letter may differ in case."""
    begin = 0
    while True:
        spans: list[Span] = []
        place = begin
        for part in parts:
            found = _find(part, plain, place)
            if found < 0 or (spans and found - spans[-1][1] > MAX_GAP):
                break
            spans.append((found, found + len(part)))
            place = found + len(part)
        if len(spans) == len(parts):
            return spans
        if not spans:
            return []
        begin = spans[0][0] + 1


def _find(part: str, plain: str, begin: int) -> int:
    for first in dict.fromkeys((part[0], part[0].swapcase())):
        wanted, place = first + part[1:], begin
        while (place := plain.find(wanted, place)) >= 0:
            if _at_border(plain, place) and _at_border(plain, place + len(wanted)):
                return place
            place += 1
    return -1


def _at_border(text: str, place: int) -> bool:
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    spaced = before.isalnum() and after.isalnum() and before < "\u2e80" and after < "\u2e80"
    return not spaced


def _nearest(parts: list[str], plain: str, places: tuple[int, ...]) -> Located | None:
    from rapidfuzz import fuzz

    quote = " ".join(parts)
    if len(re.findall(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+", quote)) < (10 if re.search(r"[\u3040-\u9fff]", quote) else 5):
        return None
    found = fuzz.partial_ratio_alignment(quote.casefold(), plain.casefold(), score_cutoff=100 * NEAR) if len(plain.casefold()) == len(plain) else None
    if found is None:
        return None
    start, end = found.dest_start, found.dest_end
    while not _at_border(plain, start):
        start -= 1
    while not _at_border(plain, end):
        end += 1
    there = plain[start:end]
    difference = _difference(quote, there)
    span = (places[start], places[end - 1] + 1)
    return Located(span=span, exact=not difference, difference=difference, ratio=round(found.score / 100, 4))


def _difference(quote: str, there: str) -> str:
    """The words that differ, in words; empty where only marks at the ends do."""
    from rapidfuzz.distance import Levenshtein

    cut = re.compile(r"[\u3040-\u9fff]|[^\s\u3040-\u9fff]+")
    ours, theirs = cut.findall(quote), cut.findall(there)
    changes: list[str] = []
    for step in Levenshtein.opcodes(ours, theirs):
        if step.tag == "equal":
            continue
        said, is_there = " ".join(ours[step.src_start : step.src_end]), " ".join(theirs[step.dest_start : step.dest_end])
        if said.strip("'\",.;:!? ") == is_there.strip("'\",.;:!? "):
            continue
        if said and is_there:
            changes.append(f"the source has “{is_there}” where the quotation has “{said}”")
        else:
            changes.append(f"the source does not have “{said}”" if said else f"the quotation leaves out “{is_there}”")
    return "; ".join(changes)
