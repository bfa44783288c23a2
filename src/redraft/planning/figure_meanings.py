"""What one figure of a sentence may be the value of: the part of the sentence that belongs to it, the rows and measures named there, and its bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from redraft.claims.numbers import Quantity
from redraft.claims.words import STOP_WORDS
from redraft.planning.figure_bounds import count_conditions, counts_labels, counts_too, end_of_range, is_condition, rows_meant, whole_of
from redraft.planning.mentions import Reading, ValueMention, read_mentions
from redraft.planning.named_columns import ColumnMention
from redraft.planning.period_coverage import has_periods
from redraft.planning.qualities import CHANGES
from redraft.planning.sheets import Sheet
from redraft.planning.table_readings import Meaning
from redraft.planning.table_words import DIRECTIONS, GENERIC, NEUTRAL, SYNONYMS
from redraft.types import Span

__all__ = ["BY_UNIT", "UNNAMED", "Place", "figure_meaning", "says"]

UNNAMED = 0.72
"""How surely the only measure of a table is meant that has no name."""
IMPLIED = 0.48
"""How surely the only measure of a table is meant by a sentence that does not name it."""
BY_UNIT = 0.6
"""How surely the only measure in the unit of a figure is meant."""
_BREAK = re.compile(r"[,;:]\s|[，；：。]|\s(?:while|whereas|but|although|though|and|with)\s|\s[–—-]\s|[()]")
_HEDGE = r"(?:about |around |nearly |some |almost |roughly )?$"
_BY = re.compile(r"\bby " + _HEDGE)
_REACHED = re.compile(r"(?:\bto|\bat|\breach(?:ed|ing|es)?|\bhit|\bhitting|:) " + _HEDGE)
_BESIDE = re.compile(r"\s+(?:(?:\w+\s+)?(?:in|for|during|at|from)\s+(?:the\s+)?)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """One sentence, its heading and the sentence before."""

    span: Span
    heading: Span | None
    before: Span | None
    subject: Span | None = None
    """The earlier sentence whose subject a pronoun at the beginning takes up."""


def figure_meaning(text: str, place: Place, figure: Quantity, figures: Sequence[Quantity], sheet: Sheet, reading: Reading) -> Meaning | None:
    """The reading of the sentence for this figure; None if the sentence does not refer to the table."""
    heading = read_mentions(sheet, text, place.heading) if place.heading else None
    clause = part_of(text, place.span, figure, figures)
    local = reading.within(clause)
    later = _later(text, clause, place.span, figure, figures)
    elsewhere = [*later, *(part_of(text, place.span, other, figures) for other in figures if other is not figure)]
    counting = counts_labels(figure, reading, sheet) or counts_too(text, figure, figures, reading, sheet)
    operations = _operations(text, figure, figures, reading, local, [span for span in elsewhere if span != clause], later, counting=counting)
    measures = _measures(sheet, reading, local, heading, figure, figures)
    dimensions = tuple(dict.fromkeys(mention.field for mention in (local.dimensions(sheet) or reading.dimensions(sheet))))
    if not reading.values and not any(strength >= 0.7 for _, strength in measures) and not dimensions:
        return None
    if measures and measures[0][1] >= 0.5 and set(sheet.fields[measures[0][0]].stems) & CHANGES:
        operations -= {"change", "difference"}
    moved = operations & {"change", "difference", "ratio"}
    labels = [mention for mention in reading.values if moved or not _within(mention.span, later)]
    if not frozenset(reading.operations) & {"change", "difference", "ratio"}:
        labels = _spanned(sheet, text, labels)
    groups, inherited = _groups(labels, heading, _subject(sheet, text, place))
    conditions = tuple(count_conditions(text, figure, figures, reading, sheet, measures))
    if is_condition(text, figure, figures, reading, sheet):
        return None
    said = {name for name, entries in DIRECTIONS.items() if any(says(local, entry) for entry in entries)}
    said = said or {name for name, entries in DIRECTIONS.items() if any(says(reading, entry) for entry in entries)}
    before = text[max(place.span[0], figure.span[0] - 14) : figure.span[0]].lower()
    measured = any(text[mention.span[1] : figure.span[0]].strip() == "of" for mention in local.measures(sheet))
    level = "to" if measured or _REACHED.search(before) else "by" if _BY.search(before) else ""
    said_of = _up_to(reading, later[0][0] if later else place.span[1])
    if heading is not None and has_periods(sheet) and not any(sheet.fields[field].ordered for mention in reading.values for field in mention.fields):
        said_of = replace(said_of, unresolved=(*said_of.unresolved, *heading.unresolved))  # "## Third quarter", of which the table has two months
    return Meaning(
        sheet=sheet,
        reading=said_of,
        operations=operations,
        measures=measures,
        dimensions=dimensions,
        groups=groups,
        preferred=_preferred(text, figure, figures, groups, clause),
        inherited=inherited,
        conditions=conditions,
        percent=figure.percent,
        direction=1 if said == {"up"} else -1 if said == {"down"} else 0,
        level=level,
        counting=counting,
        excluded=tuple(condition for mention in reading.values if mention.excluded for condition in mention.filters),
        rows=figure.percent and "share" in operations and rows_meant(sheet, reading, measures),
        noun=_counted_measure(sheet, reading, figure) is not None,
        each=tuple(place for place in sheet.dimensions if _one_by_one(sheet, place, local)),
        foreign=any(not _within(span, later) for span in reading.beside),
    )


def _operations(
    text: str,
    figure: Quantity,
    figures: Sequence[Quantity],
    reading: Reading,
    local: Reading,
    elsewhere: Sequence[Span],
    later: Sequence[Span],
    *,
    counting: bool,
) -> frozenset[str]:
    """What the sentence says was done for this figure: of its own clause, and what no clause of another figure has."""
    shared = {name for name, spans in reading.operations.items() if any(not any(start <= span[0] < end for start, end in elsewhere) for span in spans)}
    operations = frozenset(local.operations) | frozenset(shared)
    if not operations & {"change", "share", "difference", "ratio", "count"} and figure.percent:
        earlier = {name for name, spans in reading.operations.items() if any(not _within(span, later) for span in spans)}
        operations |= earlier & {"change", "share", "difference", "ratio"}
    if counting:
        operations |= {"count"}
        if whole_of(text, figure, figures):
            operations = frozenset({"count"})
    end = end_of_range(text, figure, figures, reading)
    if end:
        operations = frozenset({end})
    if figure.percent and re.match(r"\s*of\b", text[figure.span[1] : figure.span[1] + 5]):
        operations |= {"share"}
    return operations


_EACH = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "annual": "year", "annually": "year", "yearly": "year"}


def _one_by_one(sheet: Sheet, place: int, reading: Reading) -> bool:
    """Whether the labels of a dimension are taken one by one: "monthly", "per month", "a month", "each region"."""
    column = sheet.fields[place]
    kind = column.periods[0][0] if column.ordered and column.periods[0] is not None else ""
    for at, word in enumerate(reading.words):
        low = word.text.lower()
        before = reading.words[at - 1].text.lower() if at else ""
        own = word.stem in column.stems or low in (kind, f"{kind}s")
        if (kind and _EACH.get(low) == kind) or (own and before in ("per", "a", "an", "each", "every")):
            return True
    return False


_LOOSE = re.compile(r"[,;:(，；：（]\s?|\s(?:while|whereas|but|although|though)\s|\s[–—-]\s")


def _later(text: str, clause: Span, sentence: Span, figure: Quantity, figures: Sequence[Quantity]) -> list[Span]:
    """The parts that belong to later figures and are set off by more than "and": ", against a budget of 600"."""
    parts: list[Span] = []
    for other in figures:
        breaks = list(_LOOSE.finditer(text, figure.span[1], other.span[0])) if other.span[0] > figure.span[1] else []
        if breaks and breaks[-1].end() >= clause[1]:
            parts.append((breaks[-1].end(), part_of(text, sentence, other, figures)[1]))
    clause_end = text.find("; ", figure.span[1], sentence[1])
    if clause_end >= 0:
        parts.append((clause_end, sentence[1]))
    return sorted(parts)


def _within(span: Span, parts: Sequence[Span]) -> bool:
    return any(start <= span[0] < end for start, end in parts)


def _up_to(reading: Reading, end: int) -> Reading:
    """The reading with the words before that place only; what it names is kept."""
    if end >= reading.span[1]:
        return reading
    return replace(reading, span=(reading.span[0], end), words=tuple(word for word in reading.words if word.span[1] <= end))


def says(reading: Reading, entry: tuple[str, ...]) -> bool:
    stems = [word.stem for word in reading.words]
    return any(tuple(stems[at : at + len(entry)]) == entry for at in range(len(stems) - len(entry) + 1))


def part_of(text: str, span: Span, figure: Quantity, figures: Sequence[Quantity]) -> Span:
    """The part of the sentence that belongs to the figure: up to the nearest break on each side."""
    start, end = span
    for match in _BREAK.finditer(text, *span):
        if any(other.span[0] <= match.start() < other.span[1] for other in figures):
            continue
        if match.end() <= figure.span[0]:
            start = match.end()
        elif match.start() >= figure.span[1]:
            end = match.start()
            break
    return start, end


def _counted_measure(sheet: Sheet, reading: Reading, figure: Quantity) -> int | None:
    """The one measure that the noun right behind a figure names: the losses of "15 points after 21 defeats"."""
    following = next((word for word in reading.words if 0 <= word.span[0] - figure.span[1] <= 1), None)
    if figure.percent or following is None or following.text.lower() in STOP_WORDS or following.stem in GENERIC or counts_labels(figure, reading, sheet):
        return None
    named = [place for place in sheet.measures if following.stem in sheet.fields[place].stems]
    if not named and following.stem not in NEUTRAL:
        groups = [group for group in SYNONYMS if following.stem in group]
        named = [place for place in sheet.measures if any(group & set(sheet.fields[place].stems) for group in groups)]
    return named[0] if len(named) == 1 else None


def _of_another(reading: Reading, mention: ColumnMention, figure: Quantity, figures: Sequence[Quantity]) -> bool:
    """Whether a measure named behind the figure is that of a later one: the price of "140 hammers at a unit price of €12.90"."""
    if mention.span[0] < figure.span[1]:
        return False
    for other in figures:
        if other is not figure and 0 < other.span[0] - mention.span[1] <= 16:
            between = [word.text.lower() for word in reading.words if mention.span[1] <= word.span[0] < other.span[0]]
            if all(word in _LINKS for word in between):
                return True
    return False


_LINKS = frozenset("of is was were are at reached stood about around nearly roughly almost only just".split())


def _measures(
    sheet: Sheet, reading: Reading, local: Reading, heading: Reading | None, figure: Quantity, figures: Sequence[Quantity]
) -> tuple[tuple[int, float], ...]:
    """The columns that the figure may be a value of, with how surely: those named nearest, else those of the sentence, of the heading, or any."""

    def strongest(mentions: Sequence[ColumnMention]) -> dict[int, float]:
        found: dict[int, float] = {}
        for mention in mentions:
            found[mention.field] = max(found.get(mention.field, 0), mention.strength)
        return found

    free = [mention for mention in reading.measures(sheet) if not _of_another(reading, mention, figure, figures)]
    found = strongest([mention for mention in free if mention in local.columns]) or strongest(free)
    for field, strength in strongest(free).items():
        found.setdefault(field, min(strength, 0.69) * 0.8)
    if not found and heading is not None:
        found = {field: strength for field, strength in strongest(heading.measures(sheet)).items() if strength >= 0.7}
    following = next((word for word in reading.words if 0 <= word.span[0] - figure.span[1] <= 2), None)
    unit = figure.unit.strip().lower().lstrip("°") or (following.text.lower() if following is not None and following.text.lower() in reading.units else "")
    same = [field for field in sheet.measures if unit and unit in sheet.fields[field].units]
    for field in sheet.measures:
        column = sheet.fields[field]
        if field in same:
            found[field] = max(found.get(field, 0), 0.45 if len(same) > 1 or (column.unit and column.unit in "$€£¥₹") else 0.7)
        elif following is not None and following.stem in GENERIC and following.stem in column.stems and following.text.lower() not in STOP_WORDS:
            found[field] = max(found.get(field, 0), 0.9)
    noun = _counted_measure(sheet, reading, figure)
    if noun is not None:
        return ((noun, 0.9),)
    if len(sheet.measures) == 1:
        found.setdefault(sheet.measures[0], UNNAMED if not sheet.fields[sheet.measures[0]].stems else IMPLIED)
    _by_currency(sheet, figure, found)
    if not found:
        found = dict.fromkeys(sheet.measures, 0.4)
    typed = {field: strength for field, strength in found.items() if sheet.fields[field].percent == figure.percent}
    if typed and (figure.percent or re.search(r"[$€£¥₹]", figure.before + figure.after)):
        found = typed
    return tuple(sorted(found.items(), key=lambda item: -item[1]))


CURRENCIES = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}


def _by_currency(sheet: Sheet, figure: Quantity, found: dict[int, float]) -> None:
    """The only column in the currency of the figure is meant, if words name none more surely."""
    sign = next((mark for mark in CURRENCIES if mark in figure.before + figure.after), "")
    if not sign:
        return
    same = [
        field
        for field in sheet.measures
        if sheet.fields[field].unit == sign
        or {sign, CURRENCIES[sign]} & set(re.findall(r"[a-z]+|[$€£¥]", f"{sheet.fields[field].name} {sheet.fields[field].unit}".lower()))
    ]
    if len(same) == 1:
        found[same[0]] = max(found.get(same[0], 0), BY_UNIT)


def _subject(sheet: Sheet, text: str, place: Place) -> ValueMention | None:
    """The label with which the sentence began that a pronoun takes up."""
    if place.subject is None:
        return None
    labels = [mention for mention in read_mentions(sheet, text, place.subject).values if len(mention.filters) == 1 and not mention.excluded]
    labels = [mention for mention in labels if not sheet.fields[mention.filters[0].field].ordered]
    first = next(iter(labels), None)
    if (
        first is None
        or not re.fullmatch(r"(?:The )?", text[place.subject[0] : first.span[0]])
        or re.match(r"\s*(?:and|,|&)", text[first.span[1] : first.span[1] + 5])
    ):
        return None
    return first


def _spanned(sheet: Sheet, text: str, labels: Sequence[ValueMention]) -> list[ValueMention]:
    """The labels, with "from April to June" as all periods between."""
    found: list[ValueMention] = []
    for mention in labels:
        before = found[-1] if found else None
        column = sheet.fields[mention.fields[0]]
        if (
            before is not None
            and before.fields == mention.fields
            and len(mention.filters) == len(before.filters) == 1
            and column.ordered
            and re.fullmatch(r"\s*(?:to|through|until|till|and|[–-])\s*", text[before.span[1] : mention.span[0]])
            and re.search(r"\b(?:[Ff]rom|[Bb]etween)\s+$", text[max(0, before.span[0] - 9) : before.span[0]])
        ):
            first, last = column.values.index(before.filters[0].values[0]), column.values.index(mention.filters[0].values[-1])
            condition = replace(mention.filters[0], values=column.values[first : last + 1])
            if first < last:
                found[-1] = replace(mention, span=(before.span[0], mention.span[1]), filters=(condition,))
                continue
        found.append(mention)
    return found


def _groups(
    labels: Sequence[ValueMention], heading: Reading | None, subject: ValueMention | None
) -> tuple[tuple[tuple[ValueMention, ...], ...], tuple[ValueMention, ...]]:
    by_fields: dict[tuple[int, ...], list[ValueMention]] = {}
    for mention in labels:
        if not mention.excluded:
            known = by_fields.setdefault(mention.fields, [])
            if all(mention.filters != other.filters for other in known):
                known.append(mention)
    inherited: list[ValueMention] = []
    if subject is not None and not any(set(subject.fields) & set(fields) for fields in by_fields):
        by_fields[subject.fields] = [subject]
    if heading is not None:
        own = {field for fields in by_fields for field in fields}
        for mention in heading.values:
            if not own & set(mention.fields) and not mention.excluded:
                by_fields.setdefault(mention.fields, []).append(mention)
                inherited.append(mention)
    return tuple(tuple(group) for group in by_fields.values()), tuple(inherited)


def _preferred(text: str, figure: Quantity, figures: Sequence[Quantity], groups: Sequence[Sequence[ValueMention]], clause: Span) -> tuple[ValueMention, ...]:
    """Of a group with several labels, the one that the figure belongs to: alone in its part of the sentence, or paired by order."""
    found: list[ValueMention] = []
    plain = [other for other in figures if other.percent == figure.percent]
    for group in groups:
        if len(group) < 2:
            continue
        inside = [mention for mention in group if clause[0] <= mention.span[0] and mention.span[1] <= clause[1]]
        if len(inside) == 1:
            found.append(inside[0])
        elif beside := [mention for mention in group if _BESIDE.fullmatch(text[figure.span[1] : mention.span[0]])]:
            found.append(beside[0])
        elif len(plain) == len(group) and figure in plain and (plain[0].span[0] > group[-1].span[1] or _alternate(plain, group)):
            found.append(group[plain.index(figure)])
        else:
            reached = [mention for mention in group if re.search(r"\bto $", text[max(0, mention.span[0] - 4) : mention.span[0]])]
            if len(reached) == 1 and figure.span[0] > reached[0].span[1]:
                found.append(reached[0])
    return tuple(found)


def _alternate(figures: Sequence[Quantity], group: Sequence[ValueMention]) -> bool:
    order = sorted([(figure.span, "f") for figure in figures] + [(mention.span, "m") for mention in group])
    return all(one[1] != other[1] for one, other in pairwise(order))
