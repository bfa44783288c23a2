"""Well-typed derivations over a table: each an exact value, the SQL that gives it, and a name. What is asked of them is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from redraft.claims.numbers import show
from redraft.planning.sheets import Filter, Sheet
from redraft.types import Evidence, ToolResult

__all__ = [
    "AGGREGATES",
    "Condition",
    "Derivation",
    "Filters",
    "Kind",
    "amounts",
    "changes",
    "comparisons",
    "counts",
    "described",
    "known",
    "pairs",
    "plain",
    "shares",
    "two_measures",
]

Filters = tuple[Filter, ...]
Kind = str
"""`amount` (in the measure's unit), `ratio` (a share, change or quotient: 0.17 for 17%), `count`, `rank` or `name`."""
AGGREGATES = {"sum": "sum", "average": "avg", "max": "max", "min": "min", "median": "median"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Derivation:
    """One value that the table gives, and how."""

    operation: str
    value: Fraction
    sql: str
    label: str
    kind: Kind = "amount"
    measure: int | None = None
    name: str = ""
    """For kind `name`: the label found."""
    direction: int = 0
    """For a change or difference: the sign, of the later (first named) over the earlier (other); 0 where it does not matter."""
    natural: bool = True
    """Whether it is the usual reading: the change from the earlier to the later period, and not the other way round."""
    filters: Filters = ()
    dimension: int | None = None
    """For a number of labels, and for amounts of labels: the dimension that they belong to."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What a counted row or group must fulfil: its figure compares so with a bound."""

    measure: int
    operator: str
    bound: Fraction

    def holds(self, figure: Fraction) -> bool:
        if self.operator in (">", ">="):
            return figure > self.bound or (figure == self.bound and self.operator == ">=")
        return figure < self.bound or (figure == self.bound and self.operator == "<=")


def known(sheet: Sheet, found: Sequence[Derivation]) -> tuple[ToolResult, ...] | None:
    """What the look-ups find, where the table stands in the text itself and no tool holds it; else None, and the tool is asked."""
    if not sheet.place:
        return None
    return tuple(
        (
            Evidence(
                tool="table",
                input=one.sql,
                title=sheet.name,
                source=sheet.place,
                text=f"{one.label} = {one.name or show(one.value)}",
                value=one.name or str(one.value),
            ),
        )
        for one in found
    )


def amounts(sheet: Sheet, measure: int, filters: Filters) -> Iterator[Derivation]:
    """The cell, or sum, mean, extremes and median of the rows that pass."""
    figures = sorted(sheet.figures(measure, filters))
    if not figures:
        return
    column = sheet.fields[measure]
    where = described(sheet, filters)
    if len(figures) == 1:
        sql = sheet.select(column.sql, filters) + ("" if len(sheet.rows(filters)) == 1 else f" AND {column.sql} IS NOT NULL")
        yield Derivation(operation="cell", value=figures[0], sql=sql, label=f"{column.name}({where})", measure=measure, filters=filters)
        return
    middle = len(figures) // 2
    median = figures[middle] if len(figures) % 2 else (figures[middle - 1] + figures[middle]) / 2
    total = sum(figures, Fraction(0))
    values = {"sum": total, "average": total / len(figures), "max": figures[-1], "min": figures[0], "median": median}
    for name, value in values.items():
        exact = f"CAST({column.sql} AS DOUBLE)" if name == "median" else column.sql
        sql = sheet.select(f"{AGGREGATES[name]}({exact})", filters)
        yield Derivation(operation=name, value=value, sql=sql, label=f"{name}({column.name}{', ' + where if where else ''})", measure=measure, filters=filters)
    sql = sheet.select(f"max({column.sql}) - min({column.sql})", filters)
    yield Derivation(operation="range", value=figures[-1] - figures[0], sql=sql, label=f"range({column.name})", measure=measure, filters=filters)


def described(sheet: Sheet, filters: Filters) -> str:
    """The filters in words, for labels."""
    return ", ".join(
        f"{sheet.fields[each.field].name} {each.operator} {' or '.join(each.values[:4])}" if each.operator != "=" else " or ".join(each.values[:4])
        for each in filters
    )


def comparisons(sheet: Sheet, measure: int, one: Filters, other: Filters) -> Iterator[Derivation]:
    """Difference, ratio and relative difference of the first over the second, by their sums and by their means."""
    column = sheet.fields[measure]
    for name in ("sum", "average"):
        first, second = _aggregate(sheet, name, measure, one), _aggregate(sheet, name, measure, other)
        if first is None or second is None:
            return
        a = f"({sheet.select(f'{AGGREGATES[name]}({column.sql})', one)})"
        b = f"({sheet.select(f'{AGGREGATES[name]}({column.sql})', other)})"
        pair = f"{column.name}: {described(sheet, one)}, {described(sheet, other)}"
        sign = (first > second) - (first < second)
        natural = name == "sum"
        both = one + other
        yield Derivation(
            operation="difference",
            value=first - second,
            sql=f"SELECT {a} - {b}",
            label=f"difference({pair})",
            measure=measure,
            direction=sign,
            natural=natural,
            filters=both,
        )
        if second:
            yield Derivation(
                operation="ratio",
                value=first / second,
                sql=f"SELECT 1e0 * {a} / {b}",
                label=f"ratio({pair})",
                kind="ratio",
                measure=measure,
                natural=natural,
                filters=both,
            )
            yield Derivation(
                operation="change",
                value=(first - second) / abs(second),
                sql=f"SELECT 1e0 * ({a} - {b}) / abs({b})",
                label=f"relative_change({pair})",
                kind="ratio",
                measure=measure,
                direction=sign,
                natural=natural,
                filters=both,
            )
        if len(sheet.rows(one)) == 1 and len(sheet.rows(other)) == 1:
            return


def _aggregate(sheet: Sheet, name: str, measure: int, filters: Filters) -> Fraction | None:
    if name == "sum":
        return sheet.total(measure, filters)
    figures = sheet.figures(measure, filters)
    return sum(figures, Fraction(0)) / len(figures) if figures else None


def changes(sheet: Sheet, measure: int, dimension: int, filters: Filters, ends: tuple[str, ...] = ()) -> Iterator[Derivation]:
    """Changes along a dimension of periods: to each of `ends` from the period before, from a year before and from the first; without ends first to last."""
    column = sheet.fields[dimension]
    order = column.values
    for end in ends or order[-1:]:
        place = order.index(end) if end in order else -1
        starts: dict[str, None] = {}
        if place > 0:
            starts[order[place - 1] if ends else order[0]] = None
            own = column.periods[place]
            for earlier in range(place):
                before = column.periods[earlier]
                if own and before and own[1] and before[1] == own[1] - 1 and before[2] == own[2]:
                    starts[order[earlier]] = None
        for start in starts:
            yield from comparisons(sheet, measure, (*filters, Filter(dimension, (end,))), (*filters, Filter(dimension, (start,))))


def shares(sheet: Sheet, measure: int | None, part: Filters, whole: Filters) -> Iterator[Derivation]:
    """The part of the whole that some rows make up: of a measure, or of the number of rows."""
    if measure is None:
        some, every = len(sheet.rows(part)), len(sheet.rows(whole))
        what, name = "count(*)", "rows"
    else:
        some, every = sheet.total(measure, part), sheet.total(measure, whole)
        what, name = f"sum({sheet.fields[measure].sql})", sheet.fields[measure].name
    if some is None or not every:
        return
    sql = f"SELECT 1e0 * ({sheet.select(what, part)}) / ({sheet.select(what, whole)})"
    yield Derivation(
        operation="share", value=Fraction(some) / every, sql=sql, label=f"share({name}: {described(sheet, part)})", kind="ratio", measure=measure, filters=part
    )


def two_measures(sheet: Sheet, one: int, other: int, filters: Filters) -> Iterator[Derivation]:
    """Sum, difference and quotient of two measures over the same rows."""
    first, second = sheet.total(one, filters), sheet.total(other, filters)
    if first is None or second is None:
        return
    a, b = f"sum({sheet.fields[one].sql})", f"sum({sheet.fields[other].sql})"
    names = f"{sheet.fields[one].name}, {sheet.fields[other].name}"
    yield Derivation(
        operation="difference", value=first - second, sql=sheet.select(f"{a} - {b}", filters), label=f"difference({names})", measure=one, filters=filters
    )
    yield Derivation(
        operation="sum", value=first + second, sql=sheet.select(f"{a} + {b}", filters), label=f"sum({names})", measure=one, natural=False, filters=filters
    )
    if second:
        yield Derivation(
            operation="ratio",
            value=first / second,
            sql=sheet.select(f"1e0 * {a} / {b}", filters),
            label=f"ratio({names})",
            kind="ratio",
            measure=one,
            filters=filters,
        )


def counts(sheet: Sheet, filters: Filters, dimensions: Sequence[int], condition: Condition | None = None) -> Iterator[Derivation]:
    """How many rows pass, and how many different labels of each dimension they have; with a condition, those whose figure fulfils it."""
    if condition is not None:
        filters = (*filters, Filter(condition.measure, (plain(condition.bound),), condition.operator))
    rows = sheet.rows(filters)
    where = described(sheet, filters)
    yield Derivation(
        operation="count", value=Fraction(len(rows)), sql=sheet.select("count(*)", filters), label=f"count({where or 'rows'})", kind="count", filters=filters
    )
    for dimension in dimensions:
        column = sheet.fields[dimension]
        labels = {sheet.cells[dimension][row] for row in rows} - {None}
        sql = sheet.select(f"count(DISTINCT {column.sql})", filters)
        label = f"count_different({column.name}{', ' + where if where else ''})"
        yield Derivation(operation="distinct", value=Fraction(len(labels)), sql=sql, label=label, kind="count", filters=filters, dimension=dimension)


def plain(value: Fraction) -> str:
    text = f"{value.numerator}" if value.denominator == 1 else f"{float(value):.12g}"
    return text if "e" not in text else f"{float(value):f}"


def pairs(sheet: Sheet, measure: int, alternatives: Sequence[Filters], base: Filters) -> Iterator[tuple[int, int, Derivation]]:
    """Comparisons of every two alternatives, with their places in the order named."""
    for (first, one), (second, other) in permutations(list(enumerate(alternatives[:4])), 2):
        for derivation in comparisons(sheet, measure, (*base, *one), (*base, *other)):
            yield first, second, derivation
