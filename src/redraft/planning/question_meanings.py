"""What a question about a table is about: the rows, measures and operations that it names, as the derivations need them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redraft.planning import derivations
from redraft.planning.answer_types import Asked
from redraft.planning.derivations import Condition
from redraft.planning.mentions import Reading, ValueMention
from redraft.planning.qualities import CHANGES, COMPARATIVES
from redraft.planning.sheets import Filter, Sheet
from redraft.planning.table_conditions import moments
from redraft.planning.table_readings import Meaning
from redraft.planning.table_words import DIRECTIONS

__all__ = ["compares", "question_meaning"]


def compares(question: str, reading: Reading) -> bool:
    """Whether it asks by how much one of two things named exceeds the other."""
    if len(reading.values) < 2:
        return False
    found = re.search(r"\bhow (?:much|many|far)\b|\bby (?:what|how)\b", question, re.IGNORECASE)
    rest = [word.text.lower() for word in reading.words if found and word.span[0] >= found.end()]
    return any(word in _LEADS or (word in COMPARATIVES and word.endswith("er")) for word in rest)


_LEADS = frozenset("more less fewer better worse higher lower greater ahead behind exceed exceeds exceeded outsell outsold surpass surpassed".split())


def question_meaning(question: str, sheet: Sheet, reading: Reading, asked: Asked, conditions: Sequence[Condition]) -> Meaning:
    by_fields: dict[tuple[int, ...], list[ValueMention]] = {}
    for mention in reading.values:
        if not mention.excluded and all(mention.filters != other.filters for other in by_fields.get(mention.fields, [])):
            by_fields.setdefault(mention.fields, []).append(mention)
    stems = {word.stem for word in reading.words}
    said = {name for name, entries in DIRECTIONS.items() if any(len(entry) == 1 and entry[0] in stems for entry in entries)}
    operations = _operations(question, reading, asked)
    measures = _measures(sheet, reading, asked, {condition.measure for condition in conditions})
    if measures and measures[0][1] >= 0.9 and set(sheet.fields[measures[0][0]].stems) & CHANGES:
        operations -= {"change"}
    filters = tuple(Filter(each.measure, (derivations.plain(each.bound),), each.operator) for each in conditions)
    grouped = asked.wanted == "count" and asked.counted is not None and len(sheet.fields[asked.counted].values) < sheet.count
    excluded = tuple(condition for mention in reading.values if mention.excluded for condition in mention.filters)
    return Meaning(
        sheet=sheet,
        reading=reading,
        operations=operations,
        measures=measures,
        dimensions=tuple(dict.fromkeys(mention.field for mention in reading.dimensions(sheet))),
        groups=tuple(tuple(group) for group in by_fields.values()),
        conditions=tuple(conditions) if grouped else (),
        percent=True if asked.wanted == "percent" else None,
        direction=1 if said == {"up"} else -1 if said == {"down"} else 0,
        level="by" if "difference" in operations else "",
        counting=asked.wanted == "count",
        excluded=excluded + tuple(moments(question, sheet, reading)) + (() if grouped else filters),
    )


def _operations(question: str, reading: Reading, asked: Asked) -> frozenset[str]:
    operations = frozenset(reading.operations)
    if asked.wanted == "count":
        operations |= {"count"}
    if asked.wanted == "percent" and not operations & {"change", "difference"}:
        operations |= {"share"}
    if asked.wanted == "amount":
        operations -= {"count"}
    if asked.wanted in ("ratio", "rank"):
        operations |= {asked.wanted}
    if compares(question, reading):
        operations = operations - {"max", "min"} | {"difference"}
    if re.search(r"\b(?:do|does|did|it|this|that|which|what|you)\b[^.?!]{0,30}\bmean\W*$", question.lower()):
        operations -= {"average"}
    return operations


def _measures(sheet: Sheet, reading: Reading, asked: Asked, bound: set[int]) -> tuple[tuple[int, float], ...]:
    """The columns that may be meant, with how surely; a column that only bounds the rows is hardly the one that is asked for."""
    if asked.target is not None and sheet.fields[asked.target].role == "measure":
        return ((asked.target, 1.0),)
    found: dict[int, float] = {}
    for mention in reading.measures(sheet):
        strength = {1.0: 1.0, 0.85: 0.97, 0.7: 0.95}.get(mention.strength, 0.9)
        found[mention.field] = max(found.get(mention.field, 0), strength)
    if len(found) > 1:
        found = {field: strength * (0.6 if field in bound else 1.0) for field, strength in found.items()}
    if not found or set(found) <= bound:
        found |= {field: 0.9 if len(sheet.measures) == 1 else 0.5 for field in sheet.measures if field not in found}
    return tuple(sorted(found.items(), key=lambda item: -item[1]))
