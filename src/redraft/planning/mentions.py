"""What a sentence says of a table: which columns and rows it names, which operations its words ask for, and what in it the table does not explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from redraft.claims.numbers import Quantity
from redraft.claims.words import STOP_WORDS, Word, fold, words
from redraft.planning.glosses import glossed
from redraft.planning.named_columns import ColumnMention, columns_named, phrases_in
from redraft.planning.qualities import COMPARATIVES, SUPERLATIVES, VERBS
from redraft.planning.sheets import Filter, Sheet
from redraft.planning.table_words import (
    EXCLUDING,
    EXCLUDING_AFTER,
    FOREIGN,
    HEADS,
    HYPOTHETICAL,
    NEUTRAL,
    NOBODY,
    OPERATIONS,
    RESTRICTING,
    SYNONYMS,
    root,
)
from redraft.planning.written_periods import written_periods
from redraft.types import Span

__all__ = ["Reading", "ValueMention", "read_mentions"]

_SKIPPED_VALUES = frozenset("yes no true false other others none unknown n/a y n".split())


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueMention:
    """A row label, or a period, said in the text, and the condition it puts on the rows."""

    span: Span
    filters: tuple[Filter, ...]
    partial: bool = False
    excluded: bool = False

    @property
    def fields(self) -> tuple[int, ...]:
        return tuple(sorted(condition.field for condition in self.filters))


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One stretch of text read against one table."""

    span: Span
    words: tuple[Word, ...]
    values: tuple[ValueMention, ...]
    columns: tuple[ColumnMention, ...]
    operations: Mapping[str, tuple[Span, ...]]
    unresolved: tuple[Span, ...]
    """Periods that the table does not have."""
    foreign: bool
    """Whether it speaks of plans, forecasts, negations or operations that are not derived."""
    excluding: bool = False
    hypothetical: bool = False
    """Whether it speaks of plans or wishes, or denies something."""
    table: frozenset[str] = frozenset()
    """Words of the names of the table and its columns."""
    named: frozenset[str] = frozenset()
    """Words of the names of the measures that are mentioned."""
    dated: frozenset[str] = frozenset()
    """Words of the names of columns of dates."""
    units: frozenset[str] = frozenset()
    """Units of the columns of the table, in all their spellings."""
    beside: tuple[Span, ...] = ()
    """The words that make it foreign."""

    def within(self, span: Span) -> Reading:
        """What of it lies inside the span."""
        return replace(
            self,
            span=span,
            words=tuple(word for word in self.words if _inside(word.span, span)),
            values=tuple(value for value in self.values if _inside(value.span, span)),
            columns=tuple(column for column in self.columns if _inside(column.span, span)),
            operations={name: kept for name, spans in self.operations.items() if (kept := tuple(place for place in spans if _inside(place, span)))},
        )

    def measures(self, sheet: Sheet) -> tuple[ColumnMention, ...]:
        return tuple(mention for mention in self.columns if sheet.fields[mention.field].role == "measure")

    def dimensions(self, sheet: Sheet) -> tuple[ColumnMention, ...]:
        return tuple(mention for mention in self.columns if sheet.fields[mention.field].role == "dimension")

    def unexplained(self, figures: Sequence[Quantity]) -> tuple[Word, ...]:
        """Content words that name nothing of the table, no operation and nothing neutral."""
        known = [mention.span for mention in (*self.values, *self.columns)] + [place for spans in self.operations.values() for place in spans]
        known += [figure.span for figure in figures] + list(self.unresolved)
        ends = [figure.span[1] for figure in figures]
        behind = {mention.span[1] for mention in self.values}
        known += [word.span for word in self.words if word.text.lower() in HEADS and word.span[0] - 1 in behind]
        known += [word.span for word in self.words if word.text.lower() in self.units and any(0 <= word.span[0] - end <= 2 for end in ends)]
        return tuple(
            word
            for word in self.words
            if word.text.lower() not in STOP_WORDS | NOBODY | {"not"}
            and word.stem not in NEUTRAL | self.table
            and not self.explains(word)
            and not any(word.span[0] < end and start < word.span[1] for start, end in known)
        )

    def explains(self, word: Word) -> bool:
        """Whether the word says no more than a column that is named: "stayed" of nights, "longer" of minutes."""
        low = word.text.lower()
        if any(word.stem in group and group & self.table for group in SYNONYMS):
            return True
        if low in ("people", "persons") and self.named & _COUNTED_PERSONS:
            return True
        if any(names & self.dated for names, _ in VERBS.get(low, ())):
            return True
        return low == "far" or any(names & self.named for names, _ in (*VERBS.get(low, ()), *COMPARATIVES.get(low, ()), *SUPERLATIVES.get(low, ())))

    def restricted(self, figures: Sequence[Quantity]) -> bool:
        """Whether a word that the table does not explain may narrow what is meant: a name, a noun beside a preposition, a measure or a figure."""
        unknown = {word.span for word in self.unexplained(figures)}
        if not unknown:
            return False
        ends = {mention.span[1] for mention in self.columns if mention.strength >= 0.7} | {figure.span[1] for figure in figures}
        starts = {mention.span[0] for mention in self.columns}
        firsts = {figure.span[0] for figure in figures}
        for place, word in enumerate(self.words):
            if word.span not in unknown:
                continue
            rest = self.words[place + 1 : place + 5]
            reached = next((other for other in rest if other.text.lower() not in STOP_WORDS), None)
            if reached is not None and any(abs(reached.span[0] - first) <= 1 for first in firsts) and not word.text.lower().endswith("ly"):
                return True
            before = self.words[place - 1] if place else None
            after = self.words[place + 1] if place + 1 < len(self.words) else None
            if word.capital and place > 0:
                return True
            ended = word.text.lower().endswith(("ed", "ing", "ly", "s")) or word.stem != fold(word.text)
            if after is not None and after.span[0] in starts and after.span[0] - word.span[1] <= 1 and not word.text.lower().endswith(("ed", "es", "ly")):
                return True
            if before is not None and before.span[1] in ends and word.span[0] - before.span[1] <= 1 and not ended:
                return True
            for back in self.words[max(0, place - 3) : place]:
                between = self.words[max(0, place - 3) : place]
                if back.text.lower() in RESTRICTING and all(
                    other.text.lower() in STOP_WORDS or other.span in unknown for other in between[between.index(back) :]
                ):
                    return True
        return False


def _inside(span: Span, outer: Span) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


@lru_cache(maxsize=128)
def read_mentions(sheet: Sheet, text: str, span: Span, *, question: bool = False) -> Reading:
    """Read one stretch of the text against the table; in a question also light verbs ("takes", "leaves") may stand for a column."""
    found = tuple(Word(word.text, (word.span[0] + span[0], word.span[1] + span[0]), root(word.text)) for word in words(text[span[0] : span[1]]))
    found = glossed(sheet, text, found)
    written, unresolved = written_periods(sheet, text, span)
    periods = [ValueMention(span=place, filters=filters) for place, filters in written]
    values = _values(sheet, found, [mention.span for mention in periods])
    taken = [mention.span for mention in (*periods, *values)]
    columns = columns_named(sheet, found, taken, question=question)
    whole = [mention.span for mention in columns if mention.strength == 1.0]
    operations = _operations(found, [*taken, *whole])
    excluding = phrases_in(found, EXCLUDING, taken)
    everything = tuple(sorted((*periods, *values), key=lambda mention: mention.span))
    if excluding:
        after = phrases_in(found, EXCLUDING_AFTER, taken)
        everything = tuple(_excluded(mention, excluding, after, everything) for mention in everything)
    named = [mention.span for mention in columns if mention.strength >= 0.7]
    handled = [mention.span for mention in everything if mention.excluded]
    beside = phrases_in(found, FOREIGN - (EXCLUDING if handled else frozenset()), [*taken, *named])
    per = _per(found, columns)
    return Reading(
        span=span,
        words=found,
        values=everything,
        columns=columns,
        operations={name: spans for name, spans in operations.items() if spans},
        unresolved=tuple(unresolved),
        foreign=bool(per or beside),
        beside=(*per, *beside),
        excluding=bool(excluding) and not handled,
        hypothetical=bool(phrases_in(found, HYPOTHETICAL, [*taken, *named])),
        named=frozenset(part for mention in columns if sheet.fields[mention.field].role == "measure" for part in sheet.fields[mention.field].stems),
        dated=frozenset(part for column in sheet.fields if column.temporal for part in column.stems) - {"date", "time"},
        units=frozenset(unit for column in sheet.fields for unit in column.units),
        table=frozenset(sheet.stems) | _persons(sheet) | {part for column in sheet.fields for part in (*column.stems, column.unit.lower())},
    )


_COUNTED_PERSONS = frozenset(
    root(word) for word in "employees staff headcount hires leavers members visitors patients pupils students passengers guests inhabitants residents".split()
)
"""Measures that count persons: beside them "people" says no more."""
_PERSON_COLUMNS = frozenset(root(word) for word in "name employee person player patient student member staff".split())


def _persons(sheet: Sheet) -> frozenset[str]:
    """Words for people, where each row is one."""
    rows = any(set(sheet.fields[place].stems) & _PERSON_COLUMNS and len(sheet.fields[place].values) == sheet.count for place in sheet.dimensions)
    return frozenset(root(word) for word in ("people", "persons", "colleagues")) if rows else frozenset()


def _operations(found: Sequence[Word], taken: Sequence[Span]) -> dict[str, tuple[Span, ...]]:
    """Words that ask for an operation; a word inside a longer expression ("add up", "more than") counts as that expression only."""
    every = {name: phrases_in(found, entries, taken) for name, entries in OPERATIONS.items()}
    spans = {span for places in every.values() for span in places}
    verbs = [word.span[1] for word in found if word.stem in ("add", "sum", "tot", "bring", "mak")]
    particles = {word.span for word in found if word.stem == "up" and any(0 < word.span[0] - end < 20 for end in verbs)}

    def kept(span: Span) -> bool:
        return span not in particles and not any(other != span and _inside(span, other) for other in spans)

    return {name: tuple(span for span in places if kept(span)) for name, places in every.items()}


def _per(found: Sequence[Word], columns: Sequence[ColumnMention]) -> tuple[Span, ...]:
    """Where something is said "per" a thing that is no column."""
    return tuple(
        (word.span[0], following.span[1])
        for word, following in pairwise(found)
        if word.text.lower() == "per"
        and following.text.lower() not in ("cent", "row", "entry")
        and not any(mention.span[0] <= following.span[0] < mention.span[1] for mention in columns)
    )


def _excluded(mention: ValueMention, cues: Sequence[Span], after: Sequence[Span], every: Sequence[ValueMention]) -> ValueMention:
    """Turned round, if a word of exclusion stands before it with nothing but other labels between, or one like "aside" right behind it."""
    near = any(0 <= mention.span[0] - cue[1] <= 6 for cue in cues)
    near = near or any(0 <= cue[0] - mention.span[1] <= 2 for cue in after)
    near = near or any(other.excluded and 0 <= mention.span[0] - other.span[1] <= 6 for other in every)
    if not near:
        return mention
    return replace(mention, excluded=True, filters=tuple(Filter(condition.field, condition.values, "!=") for condition in mention.filters))


@lru_cache(maxsize=64)
def _index(sheet: Sheet) -> Mapping[str, tuple[tuple[tuple[str, ...], int, str], ...]]:
    """Labels of the dimensions by their first stem, the longest first."""
    index: dict[str, list[tuple[tuple[str, ...], int, str]]] = {}
    for place in sheet.dimensions:
        column = sheet.fields[place]
        if column.ordered or column.numeric:
            continue
        for value in column.values:
            parts = tuple(root(word.text) for word in words(value))
            size = len(parts)
            if 0 < size <= 8 and value.lower() not in _SKIPPED_VALUES and not value.isdigit():
                index.setdefault(next(iter(parts)), []).append((parts, place, value))
    return {first: tuple(sorted(entries, key=lambda entry: -len(entry[0]))) for first, entries in index.items()}


@lru_cache(maxsize=64)
def _pieces(sheet: Sheet) -> Mapping[str, tuple[int, str]]:
    """Capitalised words that belong to one label only: a surname, the telling part of a product's name."""
    owners: dict[str, set[tuple[int, str]]] = {}
    for place in sheet.dimensions:
        for value in sheet.fields[place].values:
            parts = words(value)
            if len(parts) > 1:
                for part in parts:
                    if part.capital and len(part.text) > 2 and part.text.lower() not in STOP_WORDS and root(part.text) not in NEUTRAL:
                        owners.setdefault(root(part.text), set()).add((place, value))
    names = {name for column in sheet.fields for name in column.stems}
    return {piece: next(iter(owner)) for piece, owner in owners.items() if len(owner) == 1 and piece not in names}


def _values(sheet: Sheet, found: Sequence[Word], taken: Sequence[Span]) -> list[ValueMention]:
    index, pieces = _index(sheet), _pieces(sheet)
    mentions: list[ValueMention] = []
    names = {name for column in sheet.fields for name in column.stems}
    place = 0
    while place < len(found):
        word = found[place]
        step = 1
        if not any(start <= word.span[0] < end for start, end in taken):
            fits = [entry for entry in index.get(word.stem, ()) if _matches(found, place, entry, names)]
            longest = [entry for entry in fits if len(entry[0]) == len(fits[0][0])]
            if longest:
                step = len(longest[0][0])
                span = (word.span[0], found[place + step - 1].span[1])
                by_field: dict[int, list[str]] = {}
                for _, field, value in longest:
                    by_field.setdefault(field, []).append(value)
                field = next(iter(by_field))
                mentions.append(ValueMention(span=span, filters=(Filter(field, tuple(by_field[field])),), partial=len(by_field) > 1))
            elif gender := _gender(sheet, word):
                mentions.append(ValueMention(span=word.span, filters=(gender,)))
            elif word.capital and word.stem in pieces:
                field, value = pieces[word.stem]
                mentions.append(ValueMention(span=word.span, filters=(Filter(field, (value,)),), partial=True))
        place += step
    return mentions


_WOMEN = frozenset("woman women female females girl girls lady ladies".split())
_MEN = frozenset("man men male males boy boys gentleman gentlemen".split())


def _gender(sheet: Sheet, word: Word) -> Filter | None:
    """The rows of women or of men, where a column has nothing but such labels."""
    low = word.text.lower()
    initials = ("f", "w") if low in _WOMEN else ("m",) if low in _MEN else ()
    for place in sheet.dimensions if initials else ():
        values = sheet.fields[place].values
        if values and {value.lower() for value in values} <= {"f", "m", "w", "female", "male", "woman", "man", "women", "men"}:
            meant = tuple(value for value in values if value.lower().startswith(initials))
            if meant and len(values) > 1:
                return Filter(place, meant)
    return None


def _matches(found: Sequence[Word], place: int, entry: tuple[tuple[str, ...], int, str], names: set[str]) -> bool:
    parts, _, value = entry
    stretch = found[place : place + len(parts)]
    if tuple(word.stem for word in stretch) != parts:
        return False
    word = stretch[0]
    if len(parts) == 1:
        common = word.text.lower() in STOP_WORDS or word.stem in NEUTRAL or len(value) < 3
        if len(value) == 1:
            return word.text == value and place > 0 and found[place - 1].stem in names
        if common and (word.text != value or (place == 0 and not value.isupper() and word.text.lower() in STOP_WORDS)):
            return False
        if value[:1].isupper() and word.text.islower() and (common or word.stem in names):
            return False
    return True
