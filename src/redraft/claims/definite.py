"""Who or what a definite description stands for: "the capital of Peru" is one place, so that another one excludes the claim's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from redraft.claims.conflicts import Conflict
from redraft.claims.sentence import Sentence
from redraft.claims.slots import names
from redraft.claims.words import stem, words
from redraft.types import Span

__all__ = ["described_otherwise"]

_LASTING = frozenset(
    map(stem, "capital author composer inventor discoverer birthplace sculptor architect screenwriter songwriter currency setting namesake".split())
)
"""Descriptions that hold for good, or nearly."""
_OFFICE = frozenset(
    map(
        stem,
        "president king queen ceo chairman chairwoman chairperson mayor governor captain coach manager chancellor monarch emperor pope principal dean minister "
        "commander editor director headquarters owner leader head".split(),
    )
)
"""Descriptions that hold for a time: two of them are of one time only where both are said in the present and carry no date."""
_BEING = re.compile(r"\s*(?:\([^()]*\)\s*)?,?\s*(?P<verb>is|was|are|were)\s+(?:currently |now |also )?(?=the\b)")
_APPOSED = re.compile(r"\s*(?:\([^()]*\)\s*)?,\s*(?=the\b)")
_HEADED = re.compile(r"^(?:[A-Z][\w ,]{0,30}, )?(?P<the>[Tt]he\s[^.;:]{3,80}?)\s+(?P<verb>is|was)\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class _Description:
    holder: Span
    nouns: frozenset[str]
    of: frozenset[str]
    verb: str


def described_otherwise(said: Sentence, source: Sentence, there: Set[str]) -> Conflict | None:
    """The sentence gives the claim's definite description another bearer, and the passage (`there`, its stems) never names the claim's."""
    if said.negated or said.hedged or said.one_of or source.negated or source.hedged or source.one_of or source.conditional or said.conditional:
        return None
    ours = next(_descriptions(said), None)
    if ours is None:
        return None
    own = {word.stem for word in words(said.text[ours.holder[0] : ours.holder[1]]) if word.content}
    for other in _descriptions(source):
        theirs = {word.stem for word in words(source.text[other.holder[0] : other.holder[1]]) if word.content}
        same = ours.nouns == other.nouns and ours.of <= other.of and _one_time(ours, other, said, source)
        if same and own and theirs and not own & theirs and not own & there and said.restricting == source.restricting:
            name = source.text[other.holder[0] : other.holder[1]]
            return Conflict(words_claim=(ours.holder,), words_passage=(other.holder,), expected=name, reason=f"the sentence names “{name}”")
    return None


def _one_time(ours: _Description, other: _Description, said: Sentence, source: Sentence) -> bool:
    if any(slot.kind == "date" for slot in said.slots):
        return False
    if ours.nouns & _LASTING:
        return True
    return ours.verb == other.verb == "is" and not any(slot.kind == "date" for slot in source.slots)


def _descriptions(sentence: Sentence) -> Iterator[_Description]:
    """Each "N, the … of …", "N is the … of …" and "the … of … is N" with a noun that one bearer has at a time."""
    text = sentence.text
    found = list(names(text, known=sentence.names))
    for span in found:
        for pattern in (_BEING, _APPOSED):
            match = pattern.match(text, span[1])
            if match is not None:
                yield from _described(text, span, match.end(), match.groupdict().get("verb", "is"))
    match = _HEADED.match(text)
    if match is not None:
        holder = next((span for span in found if span[0] == match.end()), None)
        if holder is not None:
            yield from _described(text, holder, match.start("the"), match["verb"], match.end("the"))


def _described(text: str, holder: Span, begin: int, verb: str, limit: int | None = None) -> Iterator[_Description]:
    phrase = text[begin : limit if limit is not None else begin + 90]
    phrase = re.split(r"[,;:.()](?:\s|$)|\b(?:and|which|who|that|where|with|in|since|from|for|by)\b", phrase)[0]
    head, _, whole = phrase.partition(" of ")
    nouns = frozenset(word.stem for word in words(head) if word.content)
    of = frozenset(word.stem for word in words(whole) if word.content)
    last = next(reversed([word.stem for word in words(head) if word.content]), "")
    if of and last in _LASTING | _OFFICE and len(nouns) <= 3 and any(word.capital for word in words(whole)):
        yield _Description(holder, nouns, of, verb)
