"""Which columns of a table the words of a sentence name: by the whole name, a part of it, its initials, or another word for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from redraft.claims.words import STOP_WORDS, Word
from redraft.planning.qualities import COMPARATIVES, LIGHT, SUPERLATIVES, VERBS
from redraft.planning.sheets import Sheet
from redraft.planning.table_words import (
    ADJECTIVE_MEASURES,
    GENERIC,
    SYNONYMS,
    root,
)
from redraft.types import Span

__all__ = ["ColumnMention", "columns_named", "phrases_in"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnMention:
    """A column said in the text: by its whole name (1.0), by a part of it (0.7), by another word for it (0.5)."""

    span: Span
    field: int
    strength: float


def columns_named(sheet: Sheet, found: Sequence[Word], taken: Sequence[Span], *, question: bool) -> tuple[ColumnMention, ...]:
    free = [not any(start <= word.span[0] < end for start, end in taken) for word in found]
    mentions: list[ColumnMention] = []
    used: set[int] = set()
    cores = {place: tuple(part for part in column.stems if part not in GENERIC) or column.stems for place, column in enumerate(sheet.fields)}
    for place, core in sorted(cores.items(), key=lambda item: -len(item[1])):
        for start in range(len(found) - len(core) + 1) if core else ():
            stretch = range(start, start + len(core))
            if all(free[at] for at in stretch) and tuple(found[at].stem for at in stretch) == core:
                if used & set(stretch) and not any(mention.span == (found[start].span[0], found[stretch[-1]].span[1]) for mention in mentions):
                    continue
                used |= set(stretch)
                mentions.append(ColumnMention(span=(found[start].span[0], found[stretch[-1]].span[1]), field=place, strength=1.0))
    mentions.extend(_by_parts(found, free, used, cores, {mention.field for mention in mentions}))
    mentions.extend(mention for mention in _by_initials(found, used, cores) if mention.field not in {other.field for other in mentions})
    if not any(sheet.fields[mention.field].role == "measure" and mention.strength >= 0.7 for mention in mentions):
        mentions.extend(_by_other_words(sheet, found, free, used, cores, question=question))
    dimensions = [place for place in sheet.dimensions if place not in {mention.field for mention in mentions}]
    for at, word in enumerate(found):
        if free[at] and at not in used and not any(mention.span == word.span for mention in mentions):
            fits = [place for place in dimensions if any(word.stem in group and group & set(sheet.fields[place].stems) for group in SYNONYMS)]
            if len(fits) == 1:
                mentions.append(ColumnMention(span=word.span, field=fits[0], strength=0.5))
    return tuple(sorted(mentions, key=lambda mention: mention.span))


def _by_parts(found: Sequence[Word], free: Sequence[bool], used: set[int], cores: Mapping[int, tuple[str, ...]], named: set[int]) -> Iterable[ColumnMention]:
    """Columns with a part of a longer name in the text; of those that share the word, the ones that have more of their name there."""
    places = [at for at in range(len(found)) if at not in used and free[at]]
    other = {name for at in range(len(found)) if free[at] for name in _meant(found[at])}
    strengths: dict[int, float] = {}
    for place, core in cores.items():
        said = {found[at].stem for at in places} & set(core)
        if place not in named and len(core) > 1 and said:
            strengths[place] = 0.85 if set(core) <= said | other else 0.7
    for at in places:
        owners = [place for place in strengths if found[at].stem in cores[place]]
        best = max((strengths[place] for place in owners), default=0)
        for place in owners:
            if strengths[place] == best:
                yield ColumnMention(span=found[at].span, field=place, strength=best)


def _meant(word: Word) -> frozenset[str]:
    """Stems of the column names that an everyday word may stand for."""
    return frozenset(name for names, _ in VERBS.get(word.text.lower(), ()) for name in names)


def _by_initials(found: Sequence[Word], used: set[int], cores: Mapping[int, tuple[str, ...]]) -> Iterable[ColumnMention]:
    """Columns whose abbreviation is written out: "gross domestic product" for GDP."""
    for place, core in cores.items():
        for part in core:
            size = len(part)
            for at in range(len(found) - size + 1) if 3 <= size <= 5 else ():
                stretch = found[at : at + size]
                if "".join(word.text[0].lower() for word in stretch) == part and not used & set(range(at, at + size)) and not (set(core) & STOP_WORDS):
                    yield ColumnMention(span=(stretch[0].span[0], stretch[-1].span[1]), field=place, strength=0.7)


def _by_other_words(
    sheet: Sheet, found: Sequence[Word], free: Sequence[bool], used: set[int], cores: Mapping[int, tuple[str, ...]], *, question: bool
) -> Iterable[ColumnMention]:
    """Measures meant by another noun, an adjective or a verb, each where it is the only one that is."""
    for at, word in enumerate(found):
        low = word.text.lower()
        if at in used or not free[at]:
            continue
        meant = {root(name) for name in ADJECTIVE_MEASURES.get(low, "").split()}
        for group in SYNONYMS:
            if word.stem in group:
                meant |= group
        verbs = VERBS.get(low, ()) if question or low not in LIGHT else ()
        for names in [meant, *(names for names, _ in (*SUPERLATIVES.get(low, ()), *COMPARATIVES.get(low, ()), *verbs))]:
            fits = [place for place in sheet.measures if names & set(cores[place])]
            shares = [place for place in fits if sheet.fields[place].percent]
            if len(fits) == 1 or len(shares) == len(fits) - 1 == 1:
                yield from (ColumnMention(span=word.span, field=place, strength=0.5) for place in fits)
                break


@lru_cache(maxsize=64)
def _by_first(entries: frozenset[tuple[str, ...]]) -> Mapping[str, Sequence[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for entry in entries:
        found.setdefault(entry[0], []).append(entry)
    return found


def phrases_in(found: Sequence[Word], entries: frozenset[tuple[str, ...]], taken: Sequence[Span]) -> tuple[Span, ...]:
    by_first = _by_first(entries)
    places: list[Span] = []
    for at, word in enumerate(found):
        if any(start <= word.span[0] < end for start, end in taken) or word.text.lower() == "followed":
            continue
        for entry in by_first.get(word.stem, ()):
            if tuple(other.stem for other in found[at : at + len(entry)]) == entry:
                places.append((word.span[0], found[at + len(entry) - 1].span[1]))
    return tuple(places)
