"""What a superlative in a question is said of: which column, which end of it, and the row that stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from redraft.planning.answer_types import asked_end, denotes
from redraft.planning.mentions import Reading
from redraft.planning.qualities import COMPARATIVES, SUPERLATIVES, VERBS, is_bad, points
from redraft.planning.sheets import Filter, Sheet

__all__ = ["End", "ends", "extreme"]

_FIRST = re.compile(r"\b(?:(?P<first>first|earliest|soonest)|(?P<last>last|latest|final|most recent(?:ly)?|newest))\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """One end of a column, and how well the words point there."""

    field: int
    high: bool
    rank: int
    weight: float
    at: int
    """Where in the question it is said."""
    certain: bool
    """Whether the words name the column, so that another column named is asked for in its row."""


def ends(question: str, sheet: Sheet, reading: Reading, bound: set[int]) -> Iterator[End]:
    """The columns that the superlative of the question may be said of; those that only bound the rows last."""
    asked = asked_end(question, reading)
    moments = [place for place in sheet.dimensions if sheet.fields[place].temporal or _years(sheet, place)]
    timed = list(_first_or_last(question, sheet, reading, moments))
    if asked is None or (timed and _FIRST.fullmatch(question[slice(*asked[2])])):
        yield from timed
        return
    high, rank, span = asked
    said = question[slice(*span)].lower()
    following = next((word.text.lower() for word in reading.words if word.span[0] >= span[1]), "")
    quality = COMPARATIVES.get(following, ()) if said in _DEGREES else SUPERLATIVES.get(said, COMPARATIVES.get(said, ()))
    fields = [*sheet.measures, *moments]
    groups = ([place for place in fields if names & set(sheet.fields[place].stems)] for names, _ in quality)
    meant = next((group for group in groups if group), list[int]())
    named = _named(sheet, reading, span)
    for place in fields:
        stems = sheet.fields[place].stems
        own = points(following if said in _DEGREES else said, stems, superlative=said in SUPERLATIVES and said not in _DEGREES)
        top = high if own is None else own if said not in ("least", "less", "fewer") else not own
        if own is None and any(not up and names & set(stems) for word in reading.words for names, up in VERBS.get(word.text.lower(), ())):
            top = not top
        if said in ("worst", "best") and is_bad(stems):
            top = not top
        weight = named.get(place, 0.0)
        if place in meant and (not named or weight or said not in _GENERAL):
            weight = max(weight, 1.0 if len(meant) == 1 else 0.9)
        certain = weight >= 0.9
        if not weight:
            weight = 0.3 if named or meant else 0.9 if len(sheet.measures) == 1 and place in sheet.measures else 0.5
        if place in moments and not meant and not named.get(place):
            continue
        if place in bound and len(fields) > 1 and place not in meant:
            weight *= 0.6
        yield End(field=place, high=top, rank=rank, weight=weight, at=span[0], certain=certain)


_DEGREES = frozenset("most least more less fewer".split())
_GENERAL = frozenset("biggest largest smallest highest lowest greatest best worst longest shortest".split())
"""Superlatives of so many things that a column named decides."""


def _named(sheet: Sheet, reading: Reading, span: tuple[int, int]) -> dict[int, float]:
    """Measures named, the one behind the superlative and nearest to it surest."""
    found: dict[int, float] = {}
    mentions = reading.measures(sheet)
    behind = [mention for mention in mentions if mention.span[0] >= span[0]]
    first = min((mention.span[0] for mention in behind), default=None)
    for mention in mentions:
        strength = {1.0: 1.0, 0.85: 0.97, 0.7: 0.95}.get(mention.strength, 0.9)
        if first is not None and mention.span[0] != first:
            strength *= 0.9
        found[mention.field] = max(found.get(mention.field, 0), strength)
    return found


def _years(sheet: Sheet, place: int) -> bool:
    column = sheet.fields[place]
    return column.numeric and column.ordered and column.periods[0] is not None and column.periods[0][0] == "year" and "(" not in column.sql


def _first_or_last(question: str, sheet: Sheet, reading: Reading, moments: Sequence[int]) -> Iterator[End]:
    """ "Which train leaves first?", "who was admitted last?": the ends of a column of dates, times or years."""
    match = _FIRST.search(question)
    fields = [*moments, *(place for place in sheet.measures if sheet.fields[place].years)]
    if match is None or not fields:
        return
    others = [word for word in reading.words if word.span[1] <= match.start() or word.span[0] >= match.end()]
    meant = [place for place in fields if any(denotes(word, sheet.fields[place]) for word in others)]
    for place in meant or fields:
        yield End(field=place, high=bool(match["last"]), rank=1, weight=0.95 if len(meant or fields) == 1 else 0.6, at=match.start(), certain=True)


def extreme(sheet: Sheet, end: End, target: int, filters: Sequence[Filter]) -> tuple[str, str, str] | None:
    """What the target column has in the row at the end, the SQL and a label; None where rows share the place."""
    order, column = sheet.cells[end.field], sheet.cells[target]
    rows = [row for row in sheet.rows(filters) if order[row] is not None]
    rows.sort(key=lambda row: order[row], reverse=end.high)
    if len(rows) < end.rank:
        return None
    best = rows[end.rank - 1]
    if sum(order[row] == order[best] for row in rows) > 1 or column[best] is None:
        return None
    what, by = sheet.fields[target], sheet.fields[end.field]
    where = sheet.condition(filters)
    where = (where + " AND " if where else " WHERE ") + f"{by.sql} IS NOT NULL"
    offset = f" OFFSET {end.rank - 1}" if end.rank > 1 else ""
    sql = f"SELECT {what.sql} FROM {sheet.source}{where} ORDER BY {by.sql} {'DESC' if end.high else 'ASC'} LIMIT 1{offset}"
    value = str(Fraction(column[best], sheet.scales[target])) if what.role == "measure" else str(column[best])
    return value, sql, f"{'highest' if end.high else 'lowest'}({what.name} by {by.name})"
