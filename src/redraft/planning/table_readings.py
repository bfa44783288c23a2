"""Which derivations a stretch of text may mean, each with how well its words fit: the part shared by claims and questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from redraft.planning import derivations, label_derivations
from redraft.planning.derivations import Condition, Derivation
from redraft.planning.mentions import Reading, ValueMention
from redraft.planning.sheets import Filter, Sheet

__all__ = ["Meaning", "Scored", "candidates", "rescue"]

Filters = tuple[Filter, ...]
MAX_CONTEXTS = 24
MAX_DERIVATIONS = 1500


@dataclass(frozen=True, slots=True)
class Scored:
    """A derivation and how well the words fit it, from 0 to 1."""

    derivation: Derivation
    fit: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """What one claim or question is about: the table, the rows and measures it names (or its heading does), the operations its words ask for."""

    sheet: Sheet
    reading: Reading
    operations: frozenset[str]
    measures: tuple[tuple[int, float], ...]
    """Columns it may be about, with how surely."""
    dimensions: tuple[int, ...]
    """Dimensions that it names as such ("regions")."""
    groups: tuple[tuple[ValueMention, ...], ...]
    """Labels and periods by the column they belong to."""
    preferred: tuple[ValueMention, ...] = ()
    """Where a group has several, the one that stands with the figure in question."""
    inherited: tuple[ValueMention, ...] = ()
    """Those of `groups` that only the heading names."""
    conditions: tuple[Condition, ...] = ()
    percent: bool | None = None
    """Whether a percentage is asked for; None if that is open."""
    direction: int = 0
    """Whether the words say up (1) or down (-1)."""
    level: str = ""
    """`to` if the figure is said to be reached, `by` if it is a change or difference."""
    counting: bool = False
    """Whether a number of labels or rows is said or asked for."""
    excluded: Filters = field(default=())
    rows: bool = False
    """Whether a share of the number of rows is meant."""
    noun: bool = False
    """Whether the noun behind the figure names its measure."""
    each: tuple[int, ...] = ()
    """Dimensions of which it speaks one by one: the months of "the average monthly cost"."""
    foreign: bool = False
    """Whether plans, denials or what is not derived are said of this very figure."""


def candidates(meaning: Meaning) -> list[Scored]:
    """All derivations that the words allow, best first; bounded."""
    found: dict[str, Scored] = {}
    for derivation, weight in _weighted(meaning):
        fit = round(weight * _operation_weight(meaning, derivation) * (1.0 if derivation.natural else 0.7), 4)
        known = found.get(derivation.sql)
        if known is None or fit > known.fit:
            found[derivation.sql] = Scored(derivation, fit)
        if len(found) >= MAX_DERIVATIONS:
            break
    return sorted(found.values(), key=lambda scored: -scored.fit)


def _weighted(meaning: Meaning) -> Iterator[tuple[Derivation, float]]:
    sheet = meaning.sheet
    contexts = list(_contexts(meaning))
    for filters, weight in contexts:
        for derivation in _numbers_of(meaning, filters):
            yield derivation, weight
        if meaning.rows and filters:
            for derivation in derivations.shares(sheet, None, filters, ()):
                yield derivation, weight
    for measure, strength in meaning.measures:
        for filters, weight in contexts:
            for derivation in _over_rows(meaning, measure, filters):
                yield derivation, weight * _sureness(strength)
        for derivation, weight in _between_groups(meaning, measure):
            yield derivation, weight * _sureness(strength)
    named = [measure for measure, strength in meaning.measures if strength >= 0.7]
    for one, other in product(named[:3], repeat=2):
        if one != other:
            for filters, weight in contexts:
                for derivation in derivations.two_measures(sheet, one, other, filters):
                    yield derivation, weight * (0.9 if named.index(one) < named.index(other) else 0.7)


def _numbers_of(meaning: Meaning, filters: Filters) -> Iterator[Derivation]:
    """How many rows and labels there are, of those that fulfil the conditions where there are any."""
    counted = _counted(meaning)
    if not meaning.conditions:
        yield from derivations.counts(meaning.sheet, filters, counted)
    for condition in meaning.conditions:
        yield from derivations.counts(meaning.sheet, filters, counted, condition)
        for dimension in counted:
            yield from label_derivations.group_counts(meaning.sheet, condition.measure, dimension, filters, condition)


def _sureness(strength: float) -> float:
    """What the way of naming a measure does to the fit: little, as long as it is named at all."""
    return 1.0 if strength >= 0.9 else 0.97 if strength >= 0.7 else 0.93 if strength >= 0.5 else 0.85 if strength >= 0.45 else 0.6


def _counted(meaning: Meaning) -> tuple[int, ...]:
    return meaning.dimensions or tuple(place for place in meaning.sheet.dimensions if "(" not in meaning.sheet.fields[place].sql)[:4]


def _contexts(meaning: Meaning) -> Iterator[tuple[Filters, float]]:
    """Rows that may be meant: one label of each group named, or all of a group together."""
    choices: list[list[tuple[Filters, float]]] = []
    for group in meaning.groups:
        options: list[tuple[Filters, float]] = []
        from_heading = group[0] in meaning.inherited
        for mention in group:
            weight = 1.0 if len(group) == 1 or mention in meaning.preferred else 0.5
            options.append((mention.filters, weight * (0.9 if mention.partial else 1.0)))
        if len(group) > 1:
            together = bool(meaning.operations & {"sum", "average", "share", "count"}) and not any(mention in meaning.preferred for mention in group)
            options.append((_union(group), 0.95 if together else 0.5))
        if from_heading:
            options.append(((), 0.5))
        choices.append(options)
    for number, chosen in enumerate(product(*choices)):
        if number >= MAX_CONTEXTS:
            return
        filters: Filters = meaning.excluded
        weight = 1.0
        for part, factor in chosen:
            filters += part
            weight *= factor
        yield filters, weight


def _union(group: Sequence[ValueMention]) -> Filters:
    """All labels of a group as one condition; groups of several columns have no such condition and keep their first."""
    if any(len(mention.filters) != 1 for mention in group):
        return group[0].filters
    values = tuple(dict.fromkeys(value for mention in group for value in mention.filters[0].values))
    return (Filter(group[0].filters[0].field, values),)


def _over_rows(meaning: Meaning, measure: int, filters: Filters) -> Iterator[Derivation]:
    sheet = meaning.sheet
    yield from derivations.amounts(sheet, measure, filters)
    fields = {condition.field for condition in filters if condition.operator == "="}
    for field_ in fields:
        part_of = tuple(condition for condition in filters if condition.field != field_ or condition.operator != "=")
        yield from derivations.shares(sheet, measure, filters, part_of)
        if not sheet.fields[field_].ordered:
            label = next(condition.values for condition in filters if condition.field == field_ and condition.operator == "=")
            if len(label) == 1:
                yield from label_derivations.ranks(sheet, measure, field_, label[0], part_of)
    if len(fields) > 1:
        yield from derivations.shares(sheet, measure, filters, ())
    for dimension in sheet.dimensions:
        column = sheet.fields[dimension]
        if dimension not in fields and column.ordered and len(column.values) > 1:
            yield from derivations.changes(sheet, measure, dimension, filters)
        elif dimension in fields and column.ordered:
            ends = next(condition.values for condition in filters if condition.field == dimension)
            rest = tuple(condition for condition in filters if condition.field != dimension)
            if len(ends) == 1:
                yield from derivations.changes(sheet, measure, dimension, rest, ends)
        several = any(condition.field == dimension and (condition.operator != "=" or len(condition.values) > 1) for condition in filters)
        named = dimension in meaning.dimensions or len(sheet.dimensions) == 1 or dimension in meaning.each
        if (dimension not in fields or several) and (named or meaning.operations & {"max", "min"}):
            yield from _by_label(meaning, measure, dimension, filters)


def _by_label(meaning: Meaning, measure: int, dimension: int, filters: Filters) -> Iterator[Derivation]:
    """Figures of labels as amounts: the highest, the lowest, the mean of their sums, the spread; and how many labels rose or fell."""
    sheet = meaning.sheet
    yield from label_derivations.label_amounts(sheet, measure, dimension, filters)
    if not meaning.operations & {"change", "difference"} or dimension not in _counted(meaning):
        return
    for axis in sheet.dimensions:
        column = sheet.fields[axis]
        if axis == dimension or not column.ordered or len(column.values) < 2:
            continue
        named = [mention.filters[0].values[0] for group in meaning.groups for mention in group if mention.fields == (axis,)]
        ends = (named[0], named[-1]) if len(named) > 1 else (column.values[0], column.values[-1])
        if len(named) == 1 and (place := column.values.index(named[0])):
            ends = (column.values[place - 1], named[0])
        rest = tuple(condition for condition in filters if condition.field != axis)
        for sign in (1, -1) if not meaning.direction else (meaning.direction,):
            yield from label_derivations.moved_counts(sheet, measure, dimension, rest, ((axis, ends[0]), (axis, ends[1])), sign)


def _between_groups(meaning: Meaning, measure: int) -> Iterator[tuple[Derivation, float]]:
    """Comparisons of labels of one group, within what the other groups say."""
    for position, group in enumerate(meaning.groups):
        if len(group) < 2:
            continue
        others = [other for place, other in enumerate(meaning.groups) if place != position]
        bases = [
            meaning.excluded + tuple(condition for part in chosen for condition in part)
            for chosen in product(*([m.filters for m in other] for other in others))
        ]
        for base in bases[:6]:
            weight = 1.0 if len(bases) == 1 else 0.5
            for first, second, derivation in derivations.pairs(meaning.sheet, measure, [mention.filters for mention in group], base):
                yield derivation, weight * _order_weight(meaning, group, first, second)


def _order_weight(meaning: Meaning, group: Sequence[ValueMention], first: int, second: int) -> float:
    """A change between periods runs from the earlier to the later; other comparisons set the first named against the second."""
    column = meaning.sheet.fields[group[0].filters[0].field]
    if column.ordered and len(group[first].filters) == 1:
        places = [column.values.index(group[place].filters[0].values[0]) for place in (first, second)]
        return 1.0 if places[0] > places[1] else 0.4
    return 1.0 if first < second else 0.7


def _operation_weight(meaning: Meaning, derivation: Derivation) -> float:
    if derivation.dimension is not None and derivation.dimension in meaning.each and derivation.operation in meaning.operations | {"average"}:
        return 1.4
    asked, operation = meaning.operations, derivation.operation
    explicit = asked & {"sum", "average", "median", "share", "change", "difference", "ratio", "count", "distinct", "rank", "range"}
    if meaning.counting and derivation.kind != "count":
        return 0.15
    if derivation.kind == "ratio":
        return _ratio_weight(meaning, derivation, asked)
    if derivation.kind in ("count", "rank"):
        name = "rank" if derivation.kind == "rank" else "count"
        if name == "count" and "change" in asked and derivation.measure is None:
            return 0.2
        wanted = name in asked or ("distinct" in asked and name == "count")
        return 0.95 if wanted else 0.55 if name == "count" and meaning.dimensions and not asked else 0.1
    moving = asked & {"change", "difference", "range"}
    if (operation == "range" and not asked & {"difference", "range"}) or (operation == "range" and any(len(group) > 1 for group in meaning.groups)):
        return 0.1
    if meaning.level == "by" and moving:
        return 0.95 if operation in ("difference", "range") and _agrees(meaning, derivation) else 0.3
    if operation in ("difference", "range"):
        if meaning.level == "to" or not moving:
            return 0.3
        return (0.9 if operation == "difference" else 0.8) if _agrees(meaning, derivation) else 0.3
    base = 0.95 if operation in asked else {"cell": 0.9, "sum": 0.85}.get(operation, 0.25)
    if operation == "cell" and asked & {"sum", "average", "max", "min", "median"}:
        base = 0.9
    if explicit & {"sum", "average", "median"} and operation not in explicit and operation != "cell":
        base *= 0.4
    if asked & {"max", "min"} and operation == "sum" and "sum" not in asked and not derivation.filters:
        base *= 0.5
    if (moving and meaning.level != "to") or (explicit & {"share", "ratio"} and not _percent_measure(meaning, derivation)):
        base *= 0.75
    return base


def _percent_measure(meaning: Meaning, derivation: Derivation) -> bool:
    return derivation.measure is not None and meaning.sheet.fields[derivation.measure].percent


def _agrees(meaning: Meaning, derivation: Derivation) -> bool:
    return not meaning.direction or not derivation.direction or derivation.direction == meaning.direction


def _ratio_weight(meaning: Meaning, derivation: Derivation, asked: frozenset[str]) -> float:
    if derivation.operation == "share":
        return 0.95 if "share" in asked else 0.6 if meaning.percent and not asked & {"change", "difference"} else 0.2
    if derivation.operation == "change":
        if not _agrees(meaning, derivation):
            return 0.3
        return 0.95 if "change" in asked else 0.9 if meaning.percent and "difference" in asked else 0.3
    return 0.95 if "ratio" in asked else 0.55 if meaning.percent and "share" in asked else 0.3


def rescue(meaning: Meaning) -> Iterable[Fraction]:
    """Every single figure in the rows that are named: what a sentence may mean in a way that was not understood."""
    for measure, _ in meaning.measures:
        for filters, _ in _contexts(meaning):
            yield from meaning.sheet.figures(measure, filters)[:2000]
