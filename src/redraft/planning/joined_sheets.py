"""Two tables read as one, where a column certainly links the rows of the first to one row each of the second, and the sentence names both. Pure.

"The orders of German customers came to 1,200" needs the amounts of one table and the countries of another. The link must leave nothing open: the same
name, every label of the first table found in the second, and there only once, so that no row is lost and none is counted twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from redraft.planning.mentions import Reading
from redraft.planning.sheets import Sheet

__all__ = ["Joined", "joined_sheets", "names_both"]

MAX_ROWS = 5_000
MAX_JOINED = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Joined:
    """A sheet whose fields from `first_added` on are labels of the second table; the figures are those of the first."""

    sheet: Sheet
    first: Sheet
    first_added: int


def joined_sheets(sheets: Sequence[Sheet]) -> tuple[Joined, ...]:
    """Every certain link of one of the tables with another; none where two columns could link them."""
    plain = [sheet for sheet in sheets if sheet.certain and not sheet.place and not sheet.where and sheet.source.startswith('"') and sheet.count <= MAX_ROWS]
    found: list[Joined] = []
    for one, other in permutations(plain, 2):
        links = list(_links(one, other))
        if one.name != other.name and len(links) == 1 and (made := _join(one, other, links[0])) is not None:
            found.append(made)
    return tuple(found[:MAX_JOINED])


def names_both(joined: Joined, reading: Reading, alone: Reading) -> bool:
    """Whether the sentence names a measure of the first table, and a label that only the second one has; `alone` is its reading against the first."""
    own = {mention.span for mention in alone.values}
    added = any(min(mention.fields) >= joined.first_added and mention.span not in own for mention in reading.values if mention.fields)
    return added and any(mention.strength >= 0.7 for mention in reading.measures(joined.sheet))


def _links(one: Sheet, other: Sheet) -> Iterator[tuple[int, int]]:
    """Columns of the same name that lead from every row of the first table to exactly one of the second."""
    for place, column in enumerate(one.fields):
        for at, opposite in enumerate(other.fields):
            if column.name.casefold() != opposite.name.casefold() or "(" in column.sql or "measure" in (column.role, opposite.role):
                continue
            keys, targets = _labels(one, place), _labels(other, at)
            if keys and None not in keys and None not in targets and len(set(targets)) == len(targets) and set(keys) <= set(targets):
                yield place, at


def _labels(sheet: Sheet, place: int) -> list[str | None]:
    """The cells of a column in one notation, whether they are figures or texts."""
    scale = sheet.scales[place]
    return [None if cell is None else cell if isinstance(cell, str) else str(Fraction(cell, scale)) for cell in sheet.cells[place]]


def _join(one: Sheet, other: Sheet, link: tuple[int, int]) -> Joined | None:
    names = {column.name.casefold() for column in one.fields}
    added = [
        place
        for place, column in enumerate(other.fields)
        if column.role == "dimension" and "(" not in column.sql and not column.ordered and column.name.casefold() not in names
    ]
    if not added or not one.measures:
        return None
    row_of = {label: row for row, label in enumerate(_labels(other, link[1]))}
    rows = [row_of[label] for label in _labels(one, link[0])]
    cells: list[tuple[Any, ...]] = [*one.cells, *(tuple(other.cells[place][row] for row in rows) for place in added)]
    picked = "".join(f", there.{other.fields[place].sql}" for place in added)
    key, opposite = one.fields[link[0]].sql, other.fields[link[1]].sql
    sheet = Sheet(
        name=f"{one.name} and {other.name}",
        source=f"(SELECT here.*{picked} FROM {one.source} AS here JOIN {other.source} AS there ON here.{key} = there.{opposite}) AS joined",
        where="",
        fields=(*one.fields, *(other.fields[place] for place in added)),
        cells=tuple(cells),
        scales=(*one.scales, *(other.scales[place] for place in added)),
        certain=True,
        stems=(*one.stems, *other.stems),
        count=one.count,
    )
    return Joined(sheet=sheet, first=one, first_added=len(one.fields))
