"""Well-typed derivations over a table: each an exact value, the SQL that gives it, and a name. What is asked of them is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from redraft.claims.numbers import show
from redraft.planning.sheets import Filter, Sheet
from redraft.types import Evidence, ToolResult

__all__ = [
    "Condition",
    "Derivation",
    "Kind",
    "amounts",
    "changes",
    "comparisons",
    "counts",
    "described",
    "group_counts",
    "grouped",
    "groups",
    "known",
    "moved_counts",
    "pairs",
    "plain",
    "ranks",
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
    total = [f"sum({what.sql}) FILTER (WHERE {period.sql} = {value if period.numeric else _text(value)})" for value in (end, start)]
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


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def pairs(sheet: Sheet, measure: int, alternatives: Sequence[Filters], base: Filters) -> Iterator[tuple[int, int, Derivation]]:
    """Comparisons of every two alternatives, with their places in the order named."""
    for (first, one), (second, other) in permutations(list(enumerate(alternatives[:4])), 2):
        for derivation in comparisons(sheet, measure, (*base, *one), (*base, *other)):
            yield first, second, derivation


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
