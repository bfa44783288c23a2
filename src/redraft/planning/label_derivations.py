"""Derivations that go through the labels of a dimension: who is highest, which place a label takes, how many labels do something, the ends of their sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from redraft.planning.derivations import AGGREGATES, Condition, Derivation, Filters, described, plain
from redraft.planning.sheets import Filter, Sheet, text_literal

__all__ = ["group_counts", "grouped", "groups", "label_amounts", "moved_counts", "ranks"]


def grouped(sheet: Sheet, measure: int, dimension: int, filters: Filters, aggregate: str) -> Mapping[str, Fraction]:
    """The figure of each label: its sum, or its mean."""
    figures: dict[str, list[Fraction]] = {}
    column, scale = sheet.cells[measure], sheet.scales[measure]
    for row in sheet.rows(filters):
        label, cell = sheet.cells[dimension][row], column[row]
        if label is not None and cell is not None:
            figures.setdefault(str(label), []).append(Fraction(cell, scale))
    return {label: _combined(aggregate, found) for label, found in figures.items()}


def _combined(aggregate: str, found: Sequence[Fraction]) -> Fraction:
    if aggregate in ("max", "min"):
        return max(found) if aggregate == "max" else min(found)
    total = sum(found, Fraction(0))
    return total if aggregate == "sum" else total / len(found)


def aggregates(sheet: Sheet, measure: int, dimension: int, filters: Filters) -> tuple[str, ...]:
    """The ways of giving a label one figure: one where each label has a single row, else sum, mean and extremes."""
    rows = [row for row in sheet.rows(filters) if sheet.cells[measure][row] is not None]
    single = len({sheet.cells[dimension][row] for row in rows}) == len(rows)
    return ("sum",) if single else ("sum", "average", "max", "min")


def groups(sheet: Sheet, measure: int, dimension: int, filters: Filters, *, high: bool, place: int = 1) -> Iterator[Derivation]:
    """The label with the highest (lowest) figure, or the next ones; nothing where two share the place."""
    for aggregate in aggregates(sheet, measure, dimension, filters):
        if aggregate in ("max", "min") and ((aggregate == "max") != high or place > 1):
            continue
        figures = grouped(sheet, measure, dimension, filters, aggregate)
        order = sorted(figures, key=lambda label: figures[label], reverse=high)
        if len(order) < place or sum(figures[label] == figures[order[place - 1]] for label in order) > 1:
            continue
        label = order[place - 1]
        what, by = sheet.fields[measure], sheet.fields[dimension]
        direction = "DESC" if high else "ASC"
        offset = f" OFFSET {place - 1}" if place > 1 else ""
        where = sheet.condition(filters)
        where = (where + " AND " if where else " WHERE ") + f"{what.sql} IS NOT NULL AND {by.sql} IS NOT NULL"
        sql = f"SELECT {by.sql} FROM {sheet.source}{where} GROUP BY {by.sql} ORDER BY {AGGREGATES[aggregate]}({what.sql}) {direction} LIMIT 1{offset}"
        name = ("highest" if high else "lowest") + (f"_{place}" if place > 1 else "")
        yield Derivation(
            operation="max" if high else "min",
            value=figures[label],
            sql=sql,
            label=f"{name}({by.name} by {what.name}{', ' + described(sheet, filters) if filters else ''})",
            kind="name",
            measure=measure,
            name=label,
            natural=aggregate == "sum",
            filters=filters,
        )


def ranks(sheet: Sheet, measure: int, dimension: int, label: str, filters: Filters) -> Iterator[Derivation]:
    """The place of a label when ordered by the measure, from the top and from the bottom."""
    what, by = sheet.fields[measure], sheet.fields[dimension]
    for aggregate in aggregates(sheet, measure, dimension, filters)[:2]:
        figures = grouped(sheet, measure, dimension, filters, aggregate)
        if label not in figures:
            return
        for high in (True, False):
            better = sum(other > figures[label] if high else other < figures[label] for other in figures.values())
            sign = ">" if high else "<"
            total = f"{AGGREGATES[aggregate]}({what.sql})"
            inner = f"SELECT {by.sql} FROM {sheet.source}{sheet.condition(filters)} GROUP BY {by.sql}"
            own = sheet.select(total, (*filters, Filter(dimension, (label,))))
            yield Derivation(
                operation="rank",
                value=Fraction(better + 1),
                sql=f"SELECT count(*) + 1 FROM ({inner} HAVING {total} {sign} ({own})) AS better",
                label=f"rank({label} by {what.name})",
                kind="rank",
                measure=measure,
                natural=high and aggregate == "sum",
                filters=filters,
            )


def group_counts(sheet: Sheet, measure: int, dimension: int, filters: Filters, condition: Condition) -> Iterator[Derivation]:
    """How many labels have a figure (over all their rows) that fulfils the condition."""
    what, by = sheet.fields[measure], sheet.fields[dimension]
    for aggregate in aggregates(sheet, measure, dimension, filters)[:2]:
        figures = grouped(sheet, measure, dimension, filters, aggregate)
        inner = f"SELECT {by.sql} FROM {sheet.source}{sheet.condition(filters)} GROUP BY {by.sql}"
        sql = f"SELECT count(*) FROM ({inner} HAVING {AGGREGATES[aggregate]}({what.sql}) {condition.operator} {plain(condition.bound)}) AS counted"
        yield Derivation(
            operation="distinct",
            value=Fraction(sum(condition.holds(figure) for figure in figures.values())),
            sql=sql,
            label=f"count({by.name} with {what.name} {condition.operator} {plain(condition.bound)})",
            kind="count",
            measure=measure,
            natural=aggregate == "sum",
            filters=filters,
            dimension=dimension,
        )


def moved_counts(
    sheet: Sheet, measure: int, dimension: int, filters: Filters, ends: tuple[tuple[int, str], tuple[int, str]], sign: int
) -> Iterator[Derivation]:
    """How many labels rose (fell) from one period to another."""
    (axis, start), (_, end) = ends
    before = grouped(sheet, measure, dimension, (*filters, Filter(axis, (start,))), "sum")
    after = grouped(sheet, measure, dimension, (*filters, Filter(axis, (end,))), "sum")
    moved = sum(sign * (after[label] - before[label]) > 0 for label in before.keys() & after.keys())
    what, by, period = sheet.fields[measure], sheet.fields[dimension], sheet.fields[axis]
    total = [f"sum({what.sql}) FILTER (WHERE {period.sql} = {value if period.numeric else text_literal(value)})" for value in (end, start)]
    inner = f"SELECT {by.sql} FROM {sheet.source}{sheet.condition(filters)} GROUP BY {by.sql} HAVING {total[0]} {'>' if sign > 0 else '<'} {total[1]}"
    yield Derivation(
        operation="distinct",
        value=Fraction(moved),
        sql=f"SELECT count(*) FROM ({inner}) AS moved",
        label=f"count({by.name} whose {what.name} {'rose' if sign > 0 else 'fell'} from {start} to {end})",
        kind="count",
        measure=measure,
        filters=filters,
    )


def label_amounts(sheet: Sheet, measure: int, dimension: int, filters: Filters) -> Iterator[Derivation]:
    """The highest, lowest and mean of the labels' sums, and the distance of the ends."""
    figures = grouped(sheet, measure, dimension, filters, "sum")
    if len(figures) < 2 or len(aggregates(sheet, measure, dimension, filters)) == 1:
        return
    what, by = sheet.fields[measure], sheet.fields[dimension]
    inner = f"SELECT sum({what.sql}) AS amount FROM {sheet.source}{sheet.condition(filters)} GROUP BY {by.sql}"
    found = list(figures.values())
    for name, formula, value in (
        ("max", "max(amount)", max(found)),
        ("min", "min(amount)", min(found)),
        ("average", "avg(amount)", sum(found, Fraction(0)) / len(found)),
        ("range", "max(amount) - min(amount)", max(found) - min(found)),
    ):
        sql = f"SELECT {formula} FROM ({inner}) AS labels"
        yield Derivation(
            operation=name,
            value=value,
            sql=sql,
            label=f"{name}({what.name} by {by.name})",
            measure=measure,
            natural=False,
            filters=filters,
            dimension=dimension,
        )
