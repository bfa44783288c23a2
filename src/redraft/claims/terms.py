"""How long somebody or something did what lasts: a term with another begin or end, or one that does not reach the claim's year, excludes the claim."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.claims.alignment import Alignment, lacking, negated_there
from redraft.claims.conflicts import Conflict
from redraft.claims.sentence import Sentence
from redraft.claims.words import stem, words
from redraft.types import Span

__all__ = ["served_otherwise"]

_Term = tuple[int | None, int | None, Span]

_LASTING = frozenset(
    map(stem, "served serving serve sat sitting held reigned ruled presided governed hosted coached managed captained tenure term reign office".split())
)
_YEAR = r"(?:(?:[A-Z][a-z]+\.? )?(?:\d{1,2},? )?)?"
_TERMS = (
    re.compile(rf"\bfrom\s+{_YEAR}(?P<a>[12]\d{{3}})\s+(?:to|until|till|through)\s+(?:(?:his|her|its|their)\s+\w+\s+(?:in|on)\s+)?{_YEAR}(?P<b>[12]\d{{3}})\b"),
    re.compile(r"(?<![-–—\d])(?P<a>[12]\d{3})\s?[-–—]\s?(?P<b>[12]\d{3})(?![-–—\d])"),
    re.compile(rf"\bbetween\s+{_YEAR}(?P<a>[12]\d{{3}})\s+and\s+{_YEAR}(?P<b>[12]\d{{3}})\b"),
)
_END = re.compile(rf"\b(?:retired|resigned|stepped down|left office)\b(?: from [\w ]{{1,40}})?,? (?:in|on)\s+{_YEAR}(?P<b>[12]\d{{3}})\b")
_IN = re.compile(rf"\b(?:in|during)\s+{_YEAR}(?P<y>[12]\d{{3}})\b", re.IGNORECASE)
NEAR = 1
"""Years by which two accounts of one term may differ: an election and the day of taking office."""


def served_otherwise(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """The sentence gives the claim's office or service a term that the claim's does not fit; several terms decide nothing unless all exclude it."""
    if said.negated or said.hedged or source.hedged or source.conditional or negated_there(source, alignment):
        return None
    if not any(token.stem in _LASTING for token in said.tokens) or not any(token.subject and token.name for token in said.tokens):
        return None
    if any(token.name or token.subject for token in lacking(said, source, alignment)):
        return None
    ours = list(_terms(said.text, ends=False))
    theirs = list(_terms(source.text, ends=True))
    if not any(token.stem in _LASTING for token in source.tokens) and not all(first is None for first, _, _ in theirs):
        return None
    year = list(_IN.finditer(said.text))
    if not theirs or len(ours) > 1 or (not ours and len(year) != 1):
        return None
    if ours:
        first, last, span = ours[0]
    else:
        first = last = int(year[0]["y"])
        span = year[0].span("y")
    if not all(_excludes(first, last, bool(ours), begin, end) for begin, end, _ in theirs):
        return None
    shown = source.text[theirs[0][2][0] : theirs[0][2][1]]
    reason = f"the sentence has “{shown}” where the claim has “{said.text[span[0] : span[1]]}”"
    return Conflict(words_claim=(span,), words_passage=(theirs[0][2],), reason=reason)


def _excludes(first: int | None, last: int | None, term: bool, begin: int | None, end: int | None) -> bool:
    if first is None or last is None or end is None:
        return False
    if begin is None:
        return first > end + NEAR
    if term:
        return abs(first - begin) > NEAR or abs(last - end) > NEAR
    return first < begin - NEAR or first > end + NEAR


def _terms(text: str, *, ends: bool) -> Iterator[_Term]:
    """Begin, end and place of each term; years of a life are none."""
    for pattern in _TERMS:
        for match in pattern.finditer(text):
            if not _of_a_life(text, match):
                yield int(match["a"]), int(match["b"]), match.span()
    if ends:
        for match in _END.finditer(text):
            yield None, int(match["b"]), match.span()


def _of_a_life(text: str, match: re.Match[str]) -> bool:
    """Whether two years in brackets after a name are those of a birth and a death."""
    before = words(text[: match.start()])[-1:]
    if not text[: match.start()].rstrip().endswith("(") or not before or not before[0].capital:
        return False
    return before[0].stem not in _LASTING and int(match["b"]) - int(match["a"]) > 30
