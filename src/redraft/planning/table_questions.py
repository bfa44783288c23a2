"""The well-typed calls of the table tool that a question may mean, executed and scored: what a small model chooses from when the words leave more than one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from redraft.claims.numbers import Quantity, read, show
from redraft.effects import Effects
from redraft.planning import derivations
from redraft.planning.accounting import question_doubt
from redraft.planning.answer_types import Asked, key_of, read_asked
from redraft.planning.derivations import Condition, Derivation, comparisons
from redraft.planning.extremes import End, ends, extreme
from redraft.planning.figure_bounds import operator_before
from redraft.planning.label_derivations import groups
from redraft.planning.mentions import Reading, read_mentions
from redraft.planning.options import Option
from redraft.planning.question_meanings import compares, question_meaning
from redraft.planning.rounding import Rounding, read_rounding
from redraft.planning.sheet_reading import load_sheets
from redraft.planning.sheets import Filter, Sheet
from redraft.planning.superlatives import LESS, MORE
from redraft.planning.table_conditions import bounds
from redraft.planning.table_readings import Meaning, candidates
from redraft.planning.table_words import root
from redraft.types import Failure, Task, ToolCall

__all__ = ["options"]

EXECUTED = 12
KEPT = 8
MISFIT = 0.2
"""What is left of the fit of an answer of another type than the one asked for."""
CLEAR = 0.06
"""How far the best must fit better than the next for the rules alone to decide."""
APART = 0.26
_MEASURED_ONCE = frozenset(
    root(word) for word in "age price rate rating temperature score grade percentage speed height weight elevation altitude average median index".split()
)
"""Columns whose figures are not added up unless a sum is asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Answer:
    """One possible answer before its call is executed."""

    sql: str
    label: str
    answer: str
    fit: float


@dataclass(frozen=True, kw_only=True, slots=True)
class _Question:
    """A question read against one table."""

    text: str
    asked: Asked
    meaning: Meaning
    conditions: tuple[Condition, ...]
    loose: tuple[Quantity, ...]
    """Figures that are no bounds: the question may ask for the row that has them."""
    ends: tuple[End, ...]
    rounding: Rounding

    @property
    def sheet(self) -> Sheet:
        return self.meaning.sheet

    @property
    def named(self) -> tuple[Filter, ...]:
        """The rows that labels and periods choose, one of each group, and the conditions."""
        return self.meaning.excluded + tuple(condition for group in self.meaning.groups for condition in group[0].filters)


async def options(task: Task, effects: Effects) -> tuple[Option, ...]:
    """The best few calls that could answer the question, executed, best first; empty where the question is not about a table of the run.

    Raises:
        Stopped: a budget forbids a call.
    """
    rounding, question = read_rounding(task.query.strip()[:2000])
    if not question.strip():
        return ()
    found: dict[str, _Answer] = {}
    for sheet in await load_sheets(effects):
        for answer in _answers(question, rounding, sheet):
            known = found.get(answer.sql)
            if known is None or answer.fit > known.fit:
                found[answer.sql] = answer
    best = sorted(found.values(), key=lambda answer: -answer.fit)[:EXECUTED]
    made: list[Option] = []
    for answer in _spread(best):
        call = ToolCall(tool="table", input=answer.sql)
        result = await effects.use(call)
        if not isinstance(result, Failure) and len(made) < KEPT:
            made.append(Option(call=call, label=answer.label, result=result, answer=answer.answer, fit=min(1.0, answer.fit)))
    return tuple(made)


def _spread(ranked: Sequence[_Answer]) -> list[_Answer]:
    """The answers with those set apart that fit clearly worse than the best: a small model chooses among near equals only."""
    if not ranked:
        return []
    best = ranked[0].fit
    return [each if each.fit > best - CLEAR else replace(each, fit=max(0.0, min(each.fit, round(best - APART, 4)))) for each in ranked]


def _answers(question: str, rounding: Rounding, sheet: Sheet) -> Iterator[_Answer]:
    reading = read_mentions(sheet, question, (0, len(question)), question=True)
    about = any(word.stem in sheet.stems for word in reading.words) and bool(reading.operations)
    if not reading.values and not reading.columns and not about and not _everyday(question, sheet, reading):
        return
    if question_doubt(question, sheet, reading, read(question)):
        return
    asked = _question(question, rounding, sheet, reading)
    yield from _figures(asked)
    yield from _row_shares(asked)
    yield from _names(asked)
    yield from _look_ups(asked)
    if asked.asked.wanted == "truth":
        yield from _truths(question, asked.meaning, asked.loose)


def _everyday(question: str, sheet: Sheet, reading: Reading) -> bool:
    """Whether the question speaks of the table in other words than its own: an end, or a bound in a unit of it, of columns that are meant."""
    if any(end.weight >= 0.9 for end in ends(question, sheet, reading, set())) and len(reading.words) <= 12 and not reading.unresolved:
        return True
    conditions, _ = bounds(question, sheet, reading, read(question))
    return bool(conditions) and bool(re.search(r"\b(?:how many|number of|which|who)\b", question, re.IGNORECASE))


def _question(question: str, rounding: Rounding, sheet: Sheet, reading: Reading) -> _Question:
    figures = [figure for figure in read(question) if not any(m.span[0] < figure.span[1] and figure.span[0] < m.span[1] for m in reading.values)]
    asked = read_asked(question, sheet, reading, compares=compares(question, reading))
    conditions, used = ([], set[int]()) if asked.wanted == "truth" else bounds(question, sheet, reading, figures)
    meaning = question_meaning(question, sheet, reading, asked, conditions)
    return _Question(
        text=question,
        asked=asked,
        meaning=meaning,
        conditions=tuple(conditions),
        loose=tuple(figure for place, figure in enumerate(figures) if place not in used),
        ends=tuple(ends(question, sheet, reading, {condition.measure for condition in conditions})),
        rounding=rounding,
    )


def _figures(question: _Question) -> Iterator[_Answer]:
    nested = _nested(question)
    for scored in candidates(question.meaning)[:60]:
        derivation = scored.derivation
        fit = scored.fit * _type_weight(derivation, question)
        if derivation.operation in ("max", "min") and nested:
            fit *= 0.5
        if question.loose and question.asked.wanted in ("count", "amount") and not question.conditions:
            fit *= 0.9
        if fit >= 0.05:
            yield _Answer(sql=derivation.sql, label=derivation.label, answer=_written(derivation, question), fit=round(fit, 4))
    for end, field, strength in nested:
        if found := extreme(question.sheet, end, field, _outside(question, field)):
            answer = _number(Fraction(found[0]), question.rounding)
            yield _Answer(sql=found[1], label=found[2], answer=answer, fit=round(0.97 * strength * end.weight, 4))


def _nested(question: _Question) -> list[tuple[End, int, float]]:
    """A figure asked for of the row at an end of another column: "how many employees has the plant with the most accidents?"."""
    best = max((end for end in question.ends if end.certain), key=lambda end: end.weight, default=None)
    if best is None or question.asked.wanted not in ("amount", "percent"):
        return []
    before = [mention for mention in question.meaning.reading.measures(question.sheet) if mention.span[1] <= best.at and mention.strength >= 0.7]
    measures = dict(question.meaning.measures)
    fields = dict.fromkeys(mention.field for mention in before if mention.field != best.field and mention.field in measures)
    return [(best, field, measures[field]) for field in fields]


def _type_weight(derivation: Derivation, question: _Question) -> float:
    """How well the kind of value suits the kind of answer that is asked for."""
    wanted, sheet = question.asked.wanted, question.sheet
    column = sheet.fields[derivation.measure] if derivation.measure is not None else None
    if wanted == "percent":
        if column is not None and column.percent and derivation.operation == "share":
            return MISFIT
        weight = 1.0 if derivation.kind == "ratio" and derivation.operation != "ratio" else 0.6 if derivation.kind == "ratio" else MISFIT
        return weight * (0.6 if _counts_rows(question) else 1.0)
    if wanted == "count":
        return _count_weight(derivation, question)
    if wanted == "rank":
        return 1.0 if derivation.kind == wanted else MISFIT
    if wanted == "ratio":
        return 1.0 if derivation.operation == "ratio" else MISFIT
    if wanted in ("name", "truth") or derivation.kind in ("count", "rank"):
        return MISFIT
    if derivation.kind == "ratio":
        return 0.4
    once = column is not None and (column.percent or column.years or bool(set(column.stems) & _MEASURED_ONCE))
    return 0.6 if once and derivation.operation == "sum" and "sum" not in question.meaning.operations else 1.0


def _count_weight(derivation: Derivation, question: _Question) -> float:
    """Rows are counted unless different labels are asked for, or the labels of a column that does not name the rows."""
    if derivation.kind != "count":
        return MISFIT
    asked, sheet = question.asked, question.sheet
    chosen = {condition.field for group in question.meaning.groups for mention in group for condition in mention.filters if condition.operator == "="}
    distinct = "distinct" in question.meaning.operations
    if derivation.operation == "count":
        rows = asked.counted is None or len(sheet.fields[asked.counted].values) == sheet.count
        return 0.6 if distinct or not rows else 1.0
    if derivation.dimension is None:
        return 1.0
    if derivation.dimension in chosen:
        return 0.1
    if asked.counted is not None:
        return (0.95 if len(sheet.fields[asked.counted].values) == sheet.count else 1.0) if derivation.dimension == asked.counted else 0.3
    if not distinct:
        return 0.7 if derivation.dimension == key_of(sheet) else 0.3
    return 0.6 if derivation.dimension == key_of(sheet) else 1.0 if derivation.dimension in question.meaning.dimensions else 0.7


def _counts_rows(question: _Question) -> bool:
    """Whether a percentage is one of the number of rows: these are named as such, and no measure is but in a bound."""
    sheet, key = question.sheet, key_of(question.sheet)
    bound = {condition.measure for condition in question.conditions}
    if key is None or any(condition.field == key and condition.operator == "=" for condition in question.named):
        return False
    if len(sheet.fields[key].values) < sheet.count and key not in question.meaning.dimensions:
        return False
    return not any(mention.field not in bound and mention.strength >= 0.7 for mention in question.meaning.reading.measures(sheet))


def _row_shares(question: _Question) -> Iterator[_Answer]:
    if question.asked.wanted != "percent" or not question.named or question.meaning.operations & {"change", "difference"}:
        return
    for derivation in derivations.shares(question.sheet, None, question.named, ()):
        yield _Answer(sql=derivation.sql, label=derivation.label, answer=_written(derivation, question), fit=0.9 if _counts_rows(question) else 0.3)


def _written(derivation: Derivation, question: _Question) -> str:
    value, wanted = derivation.value, question.asked.wanted
    if derivation.operation in ("change", "difference") and wanted in ("percent", "amount"):
        value = abs(value)
    percent = derivation.kind == "ratio" and (wanted == "percent" or derivation.operation in ("share", "change"))
    return _number(value * 100 if percent else value, question.rounding) + ("%" if percent else "")


def _number(value: Fraction, rounding: Rounding) -> str:
    """The value rounded as the question asks; without that, exactly where few digits do, else with two decimals or four significant digits."""
    if rounding != Rounding():
        return rounding.shown(value)
    shown = show(value)
    return f"{float(round(value, 2)):.2f}" if abs(value) >= 100 and (value * 10**6).denominator != 1 else shown


def _outside(question: _Question, field: int) -> tuple[Filter, ...]:
    """What chooses rows, but for a label of the column that is asked for."""
    return tuple(condition for condition in question.named if condition.field != field or condition.operator != "=")


def _targets(question: _Question) -> list[tuple[int, float]]:
    """Columns whose label may be the answer, with how well the words ask for them."""
    sheet, asked = question.sheet, question.asked
    mentioned = {condition.field for group in question.meaning.groups for mention in group for condition in mention.filters}
    key = key_of(sheet)
    found: list[tuple[int, float]] = []
    for place in sheet.dimensions:
        if asked.target is not None:
            weight = 1.0 if place == asked.target else 0.3
        elif asked.temporal:
            weight = 0.9 if sheet.fields[place].temporal or sheet.fields[place].ordered else MISFIT
        else:
            weight = 0.95 if place == key else 0.35 if sheet.fields[place].ordered or sheet.fields[place].temporal else 0.5
        if place in mentioned and place != asked.target and not _alternatives(question, place):
            weight *= 0.3
        found.append((place, weight))
    return found


def _alternatives(question: _Question, dimension: int) -> tuple[Filter, ...]:
    """The labels between which the question lets choose: "which is cheaper, A or B?"."""
    labels = [mention.filters[0].values for group in question.meaning.groups for mention in group if mention.fields == (dimension,)]
    return (Filter(dimension, tuple(value for values in labels for value in values)),) if len(labels) > 1 else ()


def _names(question: _Question) -> Iterator[_Answer]:
    """The label that has the most, the least, the second most, the earliest."""
    if not question.ends:
        return
    factor = 1.0 if question.asked.wanted == "name" else MISFIT * 1.5
    wants_mean = "average" in question.meaning.operations
    sheet = question.sheet
    key = key_of(sheet)
    for end in question.ends:
        for dimension, weight in _targets(question):
            if dimension == end.field:
                continue
            rest = _outside(question, dimension) + _alternatives(question, dimension)
            by_row = key is not None and key != dimension and key in question.meaning.dimensions and len(sheet.fields[key].values) == sheet.count
            if sheet.fields[end.field].role == "measure":
                for derivation in groups(sheet, end.field, dimension, rest, high=end.high, place=end.rank):
                    mean = "avg(" in derivation.sql
                    way = (1.0 if mean == wants_mean and (derivation.natural or mean) else 0.6) * (0.6 if by_row else 1.0)
                    yield _Answer(sql=derivation.sql, label=derivation.label, answer=derivation.name, fit=round(factor * end.weight * weight * way, 4))
            if (by_row or sheet.fields[end.field].role == "dimension") and (found := extreme(sheet, end, dimension, rest)):
                yield _Answer(sql=found[1], label=found[2], answer=found[0], fit=round(factor * end.weight * weight * 0.98, 4))


def _look_ups(question: _Question) -> Iterator[_Answer]:
    """Labels of the rows that are named, that fulfil a condition, or that have a figure."""
    sheet, meaning, wanted = question.sheet, question.meaning, question.asked.wanted
    if wanted not in ("name", "amount"):
        return
    factor = (1.0 if wanted == "name" else 0.3 if question.asked.sure else 0.6) * (0.4 if question.ends else 1.0)
    for dimension, weight in _targets(question):
        column = sheet.fields[dimension]
        filters = _outside(question, dimension)
        chosen = bool(meaning.groups and filters) or bool(question.conditions) or len(meaning.excluded) > 0
        if chosen and not question.loose:
            labels = _labels(sheet, dimension, filters)
            if 1 <= len(labels) <= 12:
                sql = sheet.select(f"DISTINCT {column.sql}", filters)
                fit = factor * weight * (0.95 if len(labels) == 1 else 0.85)
                yield _Answer(sql=sql, label=f"{column.name}({derivations.described(sheet, filters)})", answer=", ".join(labels), fit=round(fit, 4))
        for measure, strength in meaning.measures:
            for figure in question.loose:
                extra = Filter(measure, (derivations.plain(figure.value),), "is")
                labels = _labels(sheet, dimension, (*filters, extra))
                if 1 <= len(labels) <= 10:
                    sql = sheet.select(f"DISTINCT {column.sql}", (*filters, extra))
                    label = f"{column.name}({sheet.fields[measure].name} is {extra.values[0]})"
                    yield _Answer(sql=sql, label=label, answer=", ".join(labels), fit=round(factor * weight * strength * 0.9, 4))


def _labels(sheet: Sheet, dimension: int, filters: Sequence[Filter]) -> list[str]:
    cells = sheet.cells[dimension]
    return list(dict.fromkeys(str(cells[row]) for row in sheet.rows(filters) if cells[row] is not None))


def _truths(question: str, meaning: Meaning, figures: Sequence[Quantity]) -> Iterator[_Answer]:
    """Yes or no: whether the first named has more (or less) than the second, or a figure holds."""
    words = question.lower()
    stems = {word.stem for word in meaning.reading.words}
    more = bool(stems & MORE) or bool(
        re.search(
            r"\b(?:more|higher|larger|greater|bigger|exceed\w*|above|over|older|longer|heavier|taller|warmer|outs\w+|faster|better|pricier)\b",
            words,
        )
    )
    less = bool(stems & LESS) or bool(re.search(r"\b(?:less|lower|smaller|fewer|below|under|younger|shorter|lighter|cheaper|colder|slower|worse)\b", words))
    if more == less:
        return
    for position, group in enumerate(meaning.groups):
        if len(group) != 2:
            continue
        base = meaning.excluded + tuple(condition for place, other in enumerate(meaning.groups) if place != position for condition in other[0].filters)
        for measure, strength in meaning.measures:
            for derivation in comparisons(meaning.sheet, measure, base + group[0].filters, base + group[1].filters):
                if derivation.operation == "difference":
                    yes = derivation.value > 0 if more else derivation.value < 0
                    fit = strength * (0.95 if derivation.natural else 0.6)
                    yield _Answer(
                        sql=derivation.sql, label=f"{'more' if more else 'less'}({derivation.label})", answer="yes" if yes else "no", fit=round(fit, 4)
                    )
    for figure in figures:
        operator = operator_before(question, figure, (0, len(question)))
        if operator and all(len(group) == 1 for group in meaning.groups):
            filters = meaning.excluded + tuple(condition for group in meaning.groups for condition in group[0].filters)
            for measure, strength in meaning.measures:
                total = meaning.sheet.total(measure, filters)
                if total is not None:
                    yes = {">": total > figure.value, ">=": total >= figure.value, "<": total < figure.value, "<=": total <= figure.value}[operator]
                    sql = meaning.sheet.select(f"sum({meaning.sheet.fields[measure].sql})", filters)
                    label = f"compare({meaning.sheet.fields[measure].name} {operator} {show(figure.value)})"
                    yield _Answer(sql=sql, label=label, answer="yes" if yes else "no", fit=round(strength * 0.9, 4))
