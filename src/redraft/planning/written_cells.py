"""Cells of a text's own tables against the caller's: a column of figures that agrees with one derivation in most rows, and the cells that do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from redraft.claims.numbers import agrees
from redraft.planning import derivations
from redraft.planning.derivations import Derivation
from redraft.planning.sheets import Filter, Sheet, column_words, period_of
from redraft.planning.table_words import ABBREVIATIONS, GENERIC, root
from redraft.planning.text_tables import TextTable
from redraft.planning.written_totals import cell_route
from redraft.protocols import Route
from redraft.types import ToolCall

__all__ = ["cell_routes"]

LEAST = 3
"""So many cells of a column must agree before one that does not is called wrong."""
FACTORS = (Fraction(1), Fraction(1000), Fraction(10**6), Fraction(10**9), Fraction(1, 1000), Fraction(1, 10**6), Fraction(100))


def cell_routes(text: str, tables: Sequence[TextTable], sheets: Sequence[Sheet]) -> Iterator[Route]:
    """A route for each cell of a column that is certainly taken from one of the sheets; none for the others."""
    for table in tables:
        for place in range(1, len(table.header)):
            found = max(
                (_column(table, place, sheet) for sheet in sheets if sheet.certain),
                key=lambda one: sum(right for *_, right in one),
                default=list[tuple[int, Derivation, Fraction, bool]](),
            )
            right = sum(agreed for *_, agreed in found)
            for row, derivation, factor, agreed in found:
                if agreed or (right >= LEAST and right > 2 * (len(found) - right)):
                    call = ToolCall(tool="table", input=derivation.sql)
                    yield cell_route(text, table.rows[row][place], agreed, derivation.value * factor, derivation.label, call)


def _column(table: TextTable, place: int, sheet: Sheet) -> list[tuple[int, Derivation, Fraction, bool]]:
    """Of all ways to read a column from the sheet the one that most cells agree with: row, derivation, scale, and whether the cell agrees."""
    best: list[tuple[int, Derivation, Fraction, bool]] = []
    for dimension in sheet.dimensions:
        labels = {value.casefold(): value for value in sheet.fields[dimension].values}
        rows = [row for row in range(len(table.rows)) if table.rows[row][0].text.casefold() in labels and table.rows[row][place].figure is not None]
        if len(rows) < 2 or len(rows) * 10 < 6 * sum(not table.is_total(row) for row in range(len(table.rows))):
            continue
        for measure, extra in _meant(table.header[place], sheet, dimension):
            found = {
                row: {
                    one.operation: one
                    for one in derivations.amounts(sheet, measure, (Filter(dimension, (labels[table.rows[row][0].text.casefold()],)), *extra))
                    if one.operation in ("cell", "sum", "average")
                }
                for row in rows
            }
            for operation in ("sum", "average"):
                chosen = {row: each.get(operation) or each.get("cell") for row, each in found.items()}
                for factor in FACTORS:
                    judged = [(row, one, factor, _fits(table, row, place, one, factor)) for row, one in chosen.items() if one is not None]
                    if sum(right for *_, right in judged) > sum(right for *_, right in best):
                        best = judged
    return best


def _fits(table: TextTable, row: int, place: int, derivation: Derivation, factor: Fraction) -> bool:
    figure = table.rows[row][place].figure
    return figure is not None and agrees(derivation.value * factor, figure) is not False


def _meant(header: str, sheet: Sheet, dimension: int) -> Iterator[tuple[int, tuple[Filter, ...]]]:
    """The measures that a header may name, with the period or label in it: "Revenue", "Q1", "Revenue Q1"."""
    said = [ABBREVIATIONS.get(word.lower(), word) for word in column_words(header)]
    own = tuple(root(word) for word in said if root(word) not in GENERIC)
    for measure in sheet.measures:
        stems = tuple(part for part in sheet.fields[measure].stems if part not in GENERIC) or sheet.fields[measure].stems
        if own == stems:
            yield measure, ()
    for other in sheet.dimensions:
        for value in sheet.fields[other].values if other != dimension else ():
            wanted, named = period_of(header), period_of(value)
            if header.casefold() == value.casefold() or (wanted is not None and wanted == named):
                yield from ((measure, (Filter(other, (value,)),)) for measure in sheet.measures)
