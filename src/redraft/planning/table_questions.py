"""The well-typed calls of the table tool that a question may mean, executed and scored: what a small model chooses from when the words leave more than one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from redraft.claims.numbers import Quantity, read, show
from redraft.effects import Effects
from redraft.planning.derivations import Condition, Derivation, comparisons, groups
from redraft.planning.figure_meanings import multiplier, operator_before
from redraft.planning.mentions import Reading, ValueMention, read_mentions
from redraft.planning.options import Option
from redraft.planning.sheets import Filter, Sheet, load_sheets
from redraft.planning.superlatives import LESS, MORE, superlative
from redraft.planning.table_readings import Meaning, candidates
from redraft.planning.table_words import DIRECTIONS
from redraft.types import Failure, Task, ToolCall

__all__ = ["options"]

EXECUTED = 12
KEPT = 8
Wanted = str
"""`amount`, `count`, `percent`, `ratio`, `name`, `rank`, `truth` or `any`."""
_PERCENT = re.compile(r"\b(?:per ?cent|percentage|proportion)\b|%", re.IGNORECASE)
_TRUTH = re.compile(r"^\W*(?:is|are|was|were|does|do|did|has|have|had|true or false|so,? (?:is|does))\b", re.IGNORECASE)
_COUNTING = re.compile(r"\b(?:how many|(?:the )?number of|count(?: of| the)?|how often)\b", re.IGNORECASE)
_NAMING = re.compile(r"\b(?:which|who|whose|whom|where|when|name|identify)\b", re.IGNORECASE)
_NAMING_WHAT = re.compile(r"\bwhat\s+(?:kind of\s+|type of\s+)?$|\bwhat(?:'s| is| was)? (?:the name of )(?:the )?$", re.IGNORECASE)
_RANKING = re.compile(r"\b(?:rank|ranks|ranked|position|what place)\b", re.IGNORECASE)
_TIMES = re.compile(r"\bhow many times\b(?! (?:was|were|did|has|have)\b)|\bratio\b|\btimes (?:as|more|larger|higher|bigger|greater)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\bhow (?:much|many) \w*\s?\w*\s?(?:more|less|fewer|higher|lower|larger|smaller|bigger|older|younger|longer|shorter|heavier|taller|cheaper)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Answer:
    """One possible answer before its call is executed."""

    sql: str
    label: str
    answer: str
    fit: float
    value: str = ""


async def options(task: Task, effects: Effects) -> tuple[Option, ...]:
    """The best few calls that could answer the question, executed, best first; empty where the question is not about a table of the run.

    Raises:
        Stopped: a budget forbids a call.
    """
    question = task.query.strip()
    if not question:
        return ()
    found: dict[str, _Answer] = {}
    for sheet in await load_sheets(effects):
        for answer in _answers(question[:2000], sheet):
            known = found.get(answer.sql)
            if known is None or answer.fit > known.fit:
                found[answer.sql] = answer
    best = sorted(found.values(), key=lambda answer: -answer.fit)[:EXECUTED]
    made: list[Option] = []
    for answer in best:
        call = ToolCall(tool="table", input=answer.sql)
        result = await effects.use(call)
        if not isinstance(result, Failure) and len(made) < KEPT:
            made.append(Option(call=call, label=answer.label, result=result, answer=answer.answer, fit=min(1.0, answer.fit)))
    return tuple(made)


def _answers(question: str, sheet: Sheet) -> Iterator[_Answer]:
    reading = read_mentions(sheet, question, (0, len(question)))
    if not reading.values and not reading.columns and not (reading.operations and any(word.stem in sheet.stems for word in reading.words)):
        return
    figures = [figure for figure in read(question) if not any(m.span[0] < figure.span[1] and figure.span[0] < m.span[1] for m in reading.values)]
    wanted = _wanted(question, sheet, reading)
    meaning = _meaning(question, sheet, reading, figures, wanted)
    yield from _figures(meaning, wanted)
    yield from _names(question, meaning, wanted)
    yield from _look_ups(question, meaning, figures, wanted)
    if wanted == "truth":
        yield from _truths(question, meaning, figures)


def _wanted(question: str, sheet: Sheet, reading: Reading) -> Wanted:
    """The kind of answer that the question asks for."""
    if _TRUTH.search(question):
        return "truth"
    if _RANKING.search(question) and superlative(reading, question) is None:
        return "rank"
    if _TIMES.search(question):
        return "ratio"
    if _PERCENT.search(question) and not any(sheet.fields[mention.field].percent for mention in reading.measures(sheet)):
        return "percent"
    if _compares(question, reading):
        return "amount"
    counting = _COUNTING.search(question)
    if counting:
        following = [mention for mention in reading.columns if mention.span[0] >= counting.end() and mention.strength >= 0.5]
        first = min(following, key=lambda mention: (mention.span[0], -mention.strength), default=None)
        return "amount" if first is not None and sheet.fields[first.field].role == "measure" and first.span[0] - counting.end() <= 20 else "count"
    naming = _NAMING.search(question)
    if naming or any(_NAMING_WHAT.search(question[: mention.span[0]]) for mention in reading.dimensions(sheet)):
        return "name"
    if "share" in reading.operations and reading.values:
        return "percent"
    return "amount"


def _compares(question: str, reading: Reading) -> bool:
    """Whether it asks by how much one of two things named exceeds the other."""
    return len(reading.values) > 1 and bool(_DIFFERENCE.search(question))


def _meaning(question: str, sheet: Sheet, reading: Reading, figures: Sequence[Quantity], wanted: Wanted) -> Meaning:
    by_fields: dict[tuple[int, ...], list[ValueMention]] = {}
    for mention in reading.values:
        if not mention.excluded and all(mention.filters != other.filters for other in by_fields.get(mention.fields, [])):
            by_fields.setdefault(mention.fields, []).append(mention)
    measures: dict[int, float] = {}
    for mention in reading.measures(sheet):
        measures[mention.field] = max(measures.get(mention.field, 0), {1.0: 1.0, 0.7: 0.95}.get(mention.strength, 0.9))
    if not measures:
        measures = dict.fromkeys(sheet.measures, 0.9 if len(sheet.measures) == 1 else 0.5)
    operations = frozenset(reading.operations)
    if wanted == "count":
        operations |= {"count"}
    if wanted == "percent" and not operations & {"change", "difference"}:
        operations |= {"share"}
    if wanted in ("ratio", "rank"):
        operations |= {wanted}
    if _compares(question, reading):
        operations = operations - {"max", "min"} | {"difference"}
    if re.search(r"\b(?:do|does|did|it|this|that|which|what|you)\b[^.?!]{0,30}\bmean\W*$", question.lower()):
        operations -= {"average"}
    stems = {word.stem for word in reading.words}
    said = {name for name, entries in DIRECTIONS.items() if any(len(entry) == 1 and entry[0] in stems for entry in entries)}
    return Meaning(
        sheet=sheet,
        reading=reading,
        operations=operations,
        measures=tuple(sorted(measures.items(), key=lambda item: -item[1])),
        dimensions=tuple(dict.fromkeys(mention.field for mention in reading.dimensions(sheet))),
        groups=tuple(tuple(group) for group in by_fields.values()),
        conditions=tuple(_conditions(question, sheet, figures, measures)),
        percent=True if wanted == "percent" else None,
        direction=1 if said == {"up"} else -1 if said == {"down"} else 0,
        level="by" if "difference" in operations else "",
        counting=wanted == "count",
        excluded=tuple(condition for mention in reading.values if mention.excluded for condition in mention.filters),
    )


def _conditions(question: str, sheet: Sheet, figures: Sequence[Quantity], measures: dict[int, float]) -> Iterator[Condition]:
    for figure in figures:
        operator = operator_before(question, figure, (0, len(question)))
        if operator:
            for measure in measures:
                factor = multiplier(sheet, measure)
                yield Condition(measure, operator, figure.value / factor if factor != 1 and figure.value >= factor else figure.value)


def _figures(meaning: Meaning, wanted: Wanted) -> Iterator[_Answer]:
    for scored in candidates(meaning)[:40]:
        derivation = scored.derivation
        fit = scored.fit * _type_weight(derivation, wanted)
        if fit >= 0.05:
            yield _Answer(sql=derivation.sql, label=derivation.label, answer=_written(derivation, wanted), fit=round(fit, 4))


def _type_weight(derivation: Derivation, wanted: Wanted) -> float:
    if wanted == "percent":
        return 1.0 if derivation.kind == "ratio" and derivation.operation != "ratio" else 0.6 if derivation.kind == "ratio" else 0.2
    if wanted in ("count", "rank"):
        return 1.0 if derivation.kind == wanted else 0.2
    if wanted == "ratio":
        return 1.0 if derivation.operation == "ratio" else 0.2
    if wanted in ("name", "truth"):
        return 0.2
    return 1.0 if derivation.kind == "amount" else 0.4


def _written(derivation: Derivation, wanted: Wanted) -> str:
    value = derivation.value
    if derivation.operation in ("change", "difference") and wanted in ("percent", "amount"):
        value = abs(value)
    if derivation.kind == "ratio" and (wanted == "percent" or derivation.operation in ("share", "change")):
        return show(value * 100) + "%"
    return show(value)


def _named_dimensions(question: str, meaning: Meaning) -> list[tuple[int, float]]:
    """Dimensions whose label may be the answer, with how well the words ask for it."""
    sheet, reading = meaning.sheet, meaning.reading
    mentioned = {condition.field for group in meaning.groups for mention in group for condition in mention.filters}
    naming = _NAMING.search(question) or re.search(r"\bwhat\b", question, re.IGNORECASE)
    asked = [mention for mention in reading.dimensions(sheet) if naming and mention.span[0] >= naming.end()]
    first = min(asked, key=lambda mention: mention.span[0], default=None)
    word = naming.group().lower() if naming else ""
    found: list[tuple[int, float]] = []
    for place in sheet.dimensions:
        column = sheet.fields[place]
        weight = 0.6
        if first is not None:
            weight = 1.0 if place == first.field else 0.3
        elif word == "when":
            weight = 0.9 if column.ordered else 0.3
        elif word in ("who", "whose", "whom", "where") or first is None:
            most = max((len(sheet.fields[other].values) for other in sheet.dimensions if not sheet.fields[other].ordered), default=0)
            weight = 0.3 if column.ordered else 0.85 if len(column.values) == most else 0.6
        if place in mentioned:
            weight *= 0.3
        found.append((place, weight))
    return found


def _names(question: str, meaning: Meaning, wanted: Wanted) -> Iterator[_Answer]:
    asked = superlative(meaning.reading, question)
    if asked is None:
        return
    high, rank, _ = asked
    factor = 1.0 if wanted == "name" else 0.4
    filters = meaning.excluded + tuple(condition for group in meaning.groups for condition in group[0].filters)
    wants_mean = "average" in meaning.operations
    for measure, strength in meaning.measures:
        for dimension, weight in _named_dimensions(question, meaning):
            rest = tuple(condition for condition in filters if condition.field != dimension)
            for derivation in groups(meaning.sheet, measure, dimension, rest, high=high, place=rank):
                mean = "avg(" in derivation.sql
                way = 1.0 if mean == wants_mean and (derivation.natural or mean) else 0.6
                yield _Answer(sql=derivation.sql, label=derivation.label, answer=derivation.name, fit=round(factor * strength * weight * way, 4))


def _look_ups(question: str, meaning: Meaning, figures: Sequence[Quantity], wanted: Wanted) -> Iterator[_Answer]:
    """Labels of the rows that are named, and labels of the rows that have a figure, or fulfil a condition."""
    if wanted not in ("name", "amount"):
        return
    sheet = meaning.sheet
    filters = meaning.excluded + tuple(condition for group in meaning.groups for condition in group[0].filters)
    factor = 1.0 if wanted == "name" else 0.75
    if asked := superlative(meaning.reading, question):
        factor *= 0.4 if asked else 1.0
    for dimension, weight in _named_dimensions(question, meaning):
        column = sheet.fields[dimension]
        named = dimension in meaning.dimensions
        if meaning.groups and dimension not in {condition.field for condition in filters}:
            labels = list(dict.fromkeys(str(sheet.cells[dimension][row]) for row in sheet.rows(filters) if sheet.cells[dimension][row] is not None))
            if len(labels) == 1:
                sql = sheet.select(f"DISTINCT {column.sql}", filters)
                yield _Answer(
                    sql=sql, label=f"{column.name}({filters[0].values[0]})", answer=labels[0], fit=round(factor * weight * (0.95 if named else 0.5), 4)
                )
        for measure, strength in meaning.measures:
            for extra in _figure_filters(question, sheet, measure, figures):
                rows = sheet.rows((*filters, extra))
                labels = list(dict.fromkeys(str(sheet.cells[dimension][row]) for row in rows if sheet.cells[dimension][row] is not None))
                if 1 <= len(labels) <= 10:
                    sql = sheet.select(f"DISTINCT {column.sql}", (*filters, extra))
                    label = f"{column.name}({sheet.fields[measure].name} {extra.operator} {extra.values[0]})"
                    yield _Answer(sql=sql, label=label, answer=", ".join(labels), fit=round(factor * weight * strength * 0.9, 4))


def _figure_filters(question: str, sheet: Sheet, measure: int, figures: Sequence[Quantity]) -> Iterator[Filter]:
    for figure in figures:
        operator = operator_before(question, figure, (0, len(question)))
        bound = figure.value / multiplier(sheet, measure) if multiplier(sheet, measure) != 1 and figure.value > 1000 else figure.value
        text = str(bound.numerator) if bound.denominator == 1 else f"{float(bound):.12g}"
        if operator:
            yield Filter(measure, (text,), operator)
        else:
            yield Filter(measure, (text,), "is")


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
