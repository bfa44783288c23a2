"""What says something against a claim although it lacks some of the claim's words: another date, term, rank, school, maker, place or number.

Each of these is held against the claim only where one value can be right, both are of one type, and the sentence is certainly about the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from redraft.claims.alignment import Alignment, align, called_alone, lends, refers
from redraft.claims.conflicts import Conflict, denied, never
from redraft.claims.counts import counted_otherwise, measured_otherwise
from redraft.claims.definite import described_otherwise
from redraft.claims.events import dated_otherwise
from redraft.claims.ranks import ranked_otherwise
from redraft.claims.sentence import Sentence, read_sentence
from redraft.claims.slots import Date
from redraft.claims.sole import another_value
from redraft.claims.terms import served_otherwise
from redraft.claims.thread import Before, thread, with_subject
from redraft.claims.words import words
from redraft.types import Span

__all__ = ["excluded"]


def excluded(claim: str, passage: str, spans: Sequence[Span], *, title: str, subject: str) -> Iterator[tuple[int, Conflict, float]]:
    """The number of each sentence that excludes the claim, how, and the share of the claim's words that it has; `spans` are the passage's sentences."""
    lower = frozenset(word.text for word in (*words(claim), *words(passage)) if not word.capital)
    said, read = _read(claim, lower), [_read(passage[start:end], lower) for start, end in spans]
    known = said.names.union(*(sentence.names for sentence in read))
    said, read = read_sentence(claim, known=known), [read_sentence(sentence.text, known=known) for sentence in read]
    if subject:
        said = with_subject(said, subject)
    if said.conditional or said.negated or said.hedged or not said.tokens:
        return
    dates = [slot.date for source in read for slot in source.slots if slot.date is not None]
    there = frozenset(word.stem for word in words(passage))
    called = called_alone(said, read)
    for place, (source, before) in enumerate(thread(said, read, title)):
        if source.question or source.conditional or source.hedged:
            continue
        alignment = align(said, source, before.context, before.topics, called)
        conflict = _conflict(said, source, alignment, before, dates, there) if alignment.pairs or alignment.by_context else None
        if conflict is not None:
            yield place, conflict, alignment.coverage


def _conflict(said: Sentence, source: Sentence, alignment: Alignment, before: Before, dates: Sequence[Date], there: Set[str]) -> Conflict | None:
    found = ranked_otherwise(said, source, alignment) or described_otherwise(said, source, there) or denied(said, source, alignment)
    found = found or never(said, source, alignment)
    if found is not None or (alignment.by_context and not (refers(source, alignment) and lends(said, source, alignment, before.kinds))):
        return found
    return (
        dated_otherwise(said, source, alignment, dates)
        or served_otherwise(said, source, alignment)
        or counted_otherwise(said, source, alignment)
        or measured_otherwise(said, source, alignment)
        or another_value(said, source, alignment, there)
    )


def _read(text: str, lower: Set[str]) -> Sentence:
    """The sentence, its first word taken for a name where it is written with a capital, is no plural, and never occurs in lower case."""
    first = next(iter(words(text)), None)
    if first is None or not first.capital or not first.content or first.text.lower() in lower or re.search(r"(?:s|ly|ing|ed)$", first.text):
        return read_sentence(text)
    return read_sentence(text, known=frozenset({first.stem}))
