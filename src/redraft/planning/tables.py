"""Figures and superlatives in prose, checked against tables by rule.

A figure is contradicted only if its sentence certainly names a measure and rows of a table and no well-typed derivation gives the figure within its
rounding. What is not understood stays undecided.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from redraft.claims.numbers import Quantity, agrees, read, show
from redraft.claims.numerals import english_value
from redraft.claims.segment import blocks, claim_id, sentences
from redraft.claims.words import STOP_WORDS, words
from redraft.effects import Effects
from redraft.planning.derivations import Condition, Derivation
from redraft.planning.mentions import ColumnMention, Reading, ValueMention, read_mentions
from redraft.planning.sheets import Sheet, load_sheets
from redraft.planning.superlatives import name_claims
from redraft.planning.table_readings import Meaning, Scored, candidates, rescue
from redraft.planning.table_words import DIRECTIONS, NEUTRAL, UNIVERSAL, root
from redraft.protocols import Route
from redraft.types import Claim, Evidence, Failure, Span, ToolCall, ToolResult, Verdict

__all__ = ["exact_forms", "multiplier", "operator_before", "routes"]

SUPPORT = 0.5
"""The least fit with which a derivation that gives the figure supports it."""
EXPECT = 0.8
UNNAMED = 0.72
"""How surely the only measure of a table is meant that has no name."""
IMPLIED = 0.48
"""How surely the only measure of a table is meant by a sentence that does not name it."""
MAX_FIGURES = 400
_BREAK = re.compile(r"[,;:]\s|\s(?:while|whereas|but|although|though|and|with)\s|\s[–—-]\s|[()]")
_HEDGE = r"(?:about |around |nearly |some |almost |roughly )?$"
_BY = re.compile(r"\bby " + _HEDGE)
_REACHED = re.compile(r"(?:\bto|\bat|\breach(?:ed|ing|es)?|\bhit|\bhitting|:) " + _HEDGE)
_BESIDE = re.compile(r"\s+(?:(?:\w+\s+)?(?:in|for|during|at|from)\s+(?:the\s+)?)?")
_BOUND = re.compile(
    r"\b(?P<over>more than|over|above|greater than|higher than|larger than|in excess of|exceed(?:s|ed|ing)?|upwards of|topped|beyond|north of)|(?P<under>less than|fewer than|under|below|lower than|smaller than|short of)"
    r"|(?P<least>at least|no (?:less|fewer) than|not less than|minimum of)|(?P<at_most>at most|no more than|not more than|up to|maximum of)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """One sentence, its heading and the sentence before."""

    span: Span
    heading: Span | None
    before: Span | None


async def routes(text: str, effects: Effects) -> tuple[Route, ...]:
    """One route for each figure (and each superlative) whose sentence refers to a table of the run.

    Raises:
        Stopped: a budget forbids reading the tables.
    """
    sheets = await load_sheets(effects)
    if not sheets or not text.strip():
        return ()
    figures = [figure for figure in read(text) if figure.high is None][:MAX_FIGURES]
    seen: Counter[str] = Counter()
    made: list[Route] = []
    for place in _places(text):
        inside = [figure for figure in figures if place.span[0] <= figure.span[0] and figure.span[1] <= place.span[1]]
        readings = {sheet: read_mentions(sheet, text, place.span) for sheet in sheets}
        ranked = sorted(readings.items(), key=lambda item: -_relevance(item[0], item[1]))
        for figure in inside:
            route = _figure_route(text, place, figure, inside, ranked, seen)
            if route is not None:
                made.append(route)
        for claim, calls, decide in name_claims(text, place.span, ranked, inside):
            made.append(Route(claim=_claim(text, claim[0], claim[1], seen, "fact"), calls=calls, decide=decide))
    return tuple(sorted(made, key=lambda route: (route.claim.span, route.claim.focus or route.claim.span)))


def _places(text: str) -> list[_Place]:
    found: list[_Place] = []
    heading: Span | None = None
    before: Span | None = None
    spans = sentences(text)
    for block in blocks(text):
        if block.kind in ("code", "table_row"):
            before = None
            continue
        if block.kind == "heading":
            heading, before = block.span, None
            continue
        for span in spans:
            if block.span[0] <= span[0] and span[1] <= block.span[1]:
                found.append(_Place(span=span, heading=heading, before=before))
                before = span
    return found


def _relevance(sheet: Sheet, reading: Reading) -> float:
    """How much of the sentence is about this table."""
    named = {mention.field: mention.strength for mention in reading.columns}
    hints = sum(word.stem in sheet.stems for word in reading.words) * 0.3
    return sum(named.values()) + len({mention.span for mention in reading.values}) * 1.2 + hints - 0.2 * len(reading.unresolved)


def _claim(text: str, span: Span, focus: Span, seen: Counter[str], kind: str) -> Claim:
    said = text[span[0] : span[1]]
    identity = claim_id(said, kind, seen[said])
    seen[said] += 1
    return Claim(id=identity, text=said, span=span, focus=focus, kind="number" if kind == "number" else "fact")


def _figure_route(
    text: str, place: _Place, figure: Quantity, figures: Sequence[Quantity], ranked: Sequence[tuple[Sheet, Reading]], seen: Counter[str]
) -> Route | None:
    """The route of one figure against the tables that its sentence refers to, the likeliest first."""
    open_route: Route | None = None
    best: list[tuple[Meaning, list[Scored]]] = []
    for sheet, reading in ranked:
        taken = [mention.span for mention in reading.values] + list(reading.unresolved)
        if any(start < figure.span[1] and figure.span[0] < end for start, end in taken) or not figure.text.strip():
            return None
        meaning = _meaning(text, place, figure, figures, sheet, reading)
        if meaning is None:
            continue
        scored = candidates(meaning)
        fitting = [one for one in scored if _gives(one.derivation, figure, meaning) is True]
        if figure.bound:
            leading = [one for one in scored if one.fit >= max(EXPECT, scored[0].fit - 0.05)]
            fitting = fitting if leading and all(_gives(one.derivation, figure, meaning) for one in leading) else []
        if fitting and fitting[0].fit >= SUPPORT and not reading.hypothetical:
            claim = _claim(text, _clause(text, place.span, figure), figure.span, seen, "number")
            return _supported(claim, fitting[0], figure)
        best.append((meaning, scored))
    if not best:
        return None
    claim = _claim(text, _clause(text, place.span, figure), figure.span, seen, "number")
    doubts = [doubt for meaning, scored in best if (doubt := _doubt(meaning, scored, figure, figures, text))]
    certain = [(meaning, scored) for meaning, scored in best if not _doubt(meaning, scored, figure, figures, text)]
    if certain and not any(_possible(meaning, scored, figure, figures) for meaning, scored in best):
        return _contradicted(claim, certain[0], figure)
    note = doubts[0] if doubts else "a value of the table agrees with the figure, but not in the way the words say"
    open_route = Route(claim=claim, decide=_undecided(note))
    return open_route


def _possible(meaning: Meaning, scored: Sequence[Scored], figure: Quantity, figures: Sequence[Quantity]) -> bool:
    """Whether the figure may be right in a way that was not understood. Where every word is, only the derivations that the words ask for count."""
    explicit = meaning.operations & {"sum", "average", "median", "max", "min", "count", "distinct", "share", "change", "difference", "ratio"}
    single = bool(scored) and scored[0].derivation.operation == "cell"
    understood = not meaning.reading.unexplained(figures) and (explicit or single) and scored[0].fit >= 0.6
    least = 0.3 if understood else 0.0
    if any(_gives(one.derivation, figure, meaning) is not False for one in scored if one.fit >= least):
        return True
    return not understood and any(agrees(value, figure) is not False for value in _scaled(meaning, rescue(meaning), figure))


def _clause(text: str, span: Span, figure: Quantity) -> Span:
    from redraft.claims.segment import clauses

    return next((part for part in clauses(text, span) if part[0] <= figure.span[0] and figure.span[1] <= part[1]), span)


def _scaled(meaning: Meaning, values: Sequence[Fraction] | object, figure: Quantity) -> list[Fraction]:
    found = list(values)  # type: ignore[call-overload]
    factors = {Fraction(1)} | {multiplier(meaning.sheet, measure) for measure, _ in meaning.measures}
    if figure.percent:
        factors.add(Fraction(100))
    return [value * factor for value in found for factor in factors]


def multiplier(sheet: Sheet, measure: int | None) -> Fraction:
    """What one unit of the column stands for: "Population (millions)" holds 3.6 for 3,600,000."""
    if measure is None:
        return Fraction(1)
    name = sheet.fields[measure].name + " " + sheet.fields[measure].unit
    for pattern, factor in ((r"\b(?:thousands?|tsd|'?000s?|[kK])\b", 10**3), (r"\b(?:millions?|mio|mn|M)\b", 10**6), (r"\b(?:billions?|bn|mrd)\b", 10**9)):
        if re.search(pattern, name):
            return Fraction(factor)
    return Fraction(1)


def _gives(derivation: Derivation, figure: Quantity, meaning: Meaning) -> bool | None:
    """Whether the derivation gives the figure within its rounding; the sign of a change or difference is said by words, not by the figure."""
    values = exact_forms(derivation, figure, meaning.sheet)
    verdicts = [agrees(value, figure) for value in values]
    if derivation.operation in ("change", "difference") and figure.value >= 0:
        verdicts += [agrees(-value, figure) for value in values]
    return True if True in verdicts else None if None in verdicts else False


def exact_forms(derivation: Derivation, figure: Quantity, sheet: Sheet) -> list[Fraction]:
    """The exact value as it would stand in the place of the figure: a ratio as per cent, an amount with the scale of its column. None if ill-typed."""
    money = bool(re.search(r"[$€£¥₹]", figure.before + figure.after))
    if derivation.kind == "ratio":
        if money:
            return []
        if figure.percent:
            return [derivation.value * 100]
        return [derivation.value] if derivation.operation == "ratio" or (figure.decimals and abs(figure.value) < 2) else []
    if derivation.kind in ("count", "rank"):
        return [] if figure.percent or money or figure.value.denominator != 1 else [derivation.value]
    column = sheet.fields[derivation.measure] if derivation.measure is not None else None
    if figure.percent:
        if column is None:
            return []
        return [derivation.value] if column.percent or column.unit == "%" else [derivation.value * 100] if abs(derivation.value) <= 1 else []
    factor = multiplier(sheet, derivation.measure)
    return [derivation.value] if factor == 1 else [derivation.value * factor, derivation.value]


# what the sentence says around one figure


def _meaning(text: str, place: _Place, figure: Quantity, figures: Sequence[Quantity], sheet: Sheet, reading: Reading) -> Meaning | None:
    """The reading of the sentence for this figure; None if the sentence does not refer to the table."""
    heading = read_mentions(sheet, text, place.heading) if place.heading else None
    clause = _part(text, place.span, figure, figures)
    local = reading.within(clause)
    elsewhere = [_part(text, place.span, other, figures) for other in figures if other is not figure]
    shared = {
        name
        for name, spans in reading.operations.items()
        if any(not any(start <= span[0] < end for start, end in elsewhere if (start, end) != clause) for span in spans)
    }
    operations = frozenset(local.operations) | frozenset(shared)
    if not operations & {"change", "share", "difference", "ratio", "count"} and figure.percent:
        operations |= frozenset(reading.operations) & {"change", "share", "difference", "ratio"}
    if _counts_labels(figure, reading, sheet):
        operations |= {"count"}
        if _whole_of(text, figure, figures):
            operations = frozenset({"count"})
    if figure.percent and re.match(r"\s*of\b", text[figure.span[1] : figure.span[1] + 5]):
        operations |= {"share"}
    measures = _measures(sheet, reading, local, heading, figure)
    dimensions = tuple(dict.fromkeys(mention.field for mention in (local.dimensions(sheet) or reading.dimensions(sheet))))
    if not reading.values and not any(strength >= 0.7 for _, strength in measures) and not dimensions:
        return None
    groups, inherited = _groups(reading, heading)
    conditions = tuple(_conditions(text, figure, figures, reading, sheet, measures))
    if _is_condition(text, figure, figures, reading, sheet):
        return None
    said = {name for name, entries in DIRECTIONS.items() if any(_has(local, entry) for entry in entries)}
    said = said or {name for name, entries in DIRECTIONS.items() if any(_has(reading, entry) for entry in entries)}
    before = text[max(place.span[0], figure.span[0] - 14) : figure.span[0]].lower()
    measured = any(text[mention.span[1] : figure.span[0]].strip() == "of" for mention in local.measures(sheet))
    level = "to" if measured or _REACHED.search(before) else "by" if _BY.search(before) else ""
    return Meaning(
        sheet=sheet,
        reading=reading,
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
        counting=_counts_labels(figure, reading, sheet),
        excluded=tuple(condition for mention in reading.values if mention.excluded for condition in mention.filters),
    )


def _has(reading: Reading, entry: tuple[str, ...]) -> bool:
    stems = [word.stem for word in reading.words]
    return any(tuple(stems[at : at + len(entry)]) == entry for at in range(len(stems) - len(entry) + 1))


def _part(text: str, span: Span, figure: Quantity, figures: Sequence[Quantity]) -> Span:
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


def _measures(sheet: Sheet, reading: Reading, local: Reading, heading: Reading | None, figure: Quantity) -> tuple[tuple[int, float], ...]:
    """The columns that the figure may be a value of, with how surely: those named nearest, else those of the sentence, of the heading, or any."""

    def strongest(mentions: Sequence[ColumnMention]) -> dict[int, float]:
        found: dict[int, float] = {}
        for mention in mentions:
            found[mention.field] = max(found.get(mention.field, 0), mention.strength)
        return found

    found = strongest(local.measures(sheet)) or strongest(reading.measures(sheet))
    for field, strength in strongest(reading.measures(sheet)).items():
        found.setdefault(field, min(strength, 0.69) * 0.8)
    if not found and heading is not None:
        found = {field: strength for field, strength in strongest(heading.measures(sheet)).items() if strength >= 0.7}
    unit = figure.unit.strip().lower()
    for field in sheet.measures:
        column = sheet.fields[field]
        if unit and unit in (column.unit.lower(), *re.findall(r"[\w€$£]+", " ".join(re.findall(r"\(([^)]*)\)", column.name.lower())))):
            found[field] = max(found.get(field, 0), 0.45 if column.unit in "$€£¥₹" else 0.7)
    if len(sheet.measures) == 1:
        found.setdefault(sheet.measures[0], UNNAMED if not sheet.fields[sheet.measures[0]].stems else IMPLIED)
    if not found:
        found = dict.fromkeys(sheet.measures, 0.4)
    return tuple(sorted(found.items(), key=lambda item: -item[1]))


def _groups(reading: Reading, heading: Reading | None) -> tuple[tuple[tuple[ValueMention, ...], ...], tuple[ValueMention, ...]]:
    by_fields: dict[tuple[int, ...], list[ValueMention]] = {}
    for mention in reading.values:
        if not mention.excluded:
            known = by_fields.setdefault(mention.fields, [])
            if all(mention.filters != other.filters for other in known):
                known.append(mention)
    inherited: list[ValueMention] = []
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
    return all(one[1] != other[1] for one, other in zip(order, order[1:], strict=False))


def _is_condition(text: str, figure: Quantity, figures: Sequence[Quantity], reading: Reading, sheet: Sheet) -> bool:
    """Whether the figure is a bound that another, counted figure depends on: "four regions sold more than 100"."""
    if not operator_before(text, figure, reading.span):
        return False
    return any(other is not figure and _counts_labels(other, reading, sheet) for other in figures)


def _counts_labels(figure: Quantity, reading: Reading, sheet: Sheet) -> bool:
    """Whether the figure counts labels or rows: the name of a dimension follows it, or "of the" does."""
    if figure.percent or figure.value.denominator != 1 or figure.value > 10_000:
        return False
    following = [
        word for word in reading.words if word.span[0] >= figure.span[0] + len(figure.text.rstrip()) - len(figure.unit) and word.span[0] >= figure.span[0]
    ]
    following = [word for word in following if word.span[0] > figure.span[0]][:5]
    for word in following:
        if any(mention.span[0] <= word.span[0] < mention.span[1] for mention in reading.dimensions(sheet) if _countable(sheet, mention.field)):
            return True
        if word.stem in ("row", "entry", "entri", "record"):
            return True
        if word.text.lower() not in STOP_WORDS and word.stem not in NEUTRAL and not word.text.isdigit() and english_value(word.text) is None:
            break
    before = [mention for mention in reading.dimensions(sheet) if mention.span[1] <= figure.span[0] and figure.span[0] - mention.span[1] <= 3]
    lead = [word.text.lower() for word in reading.words if before and word.span[1] <= before[-1].span[0]]
    return bool(before) and any(word in ("of", "among", "amongst", "out") for word in lead[-3:])


def _countable(sheet: Sheet, field: int) -> bool:
    column = sheet.fields[field]
    return "(" not in column.sql and not {value.lower() for value in column.values} <= {"yes", "no", "true", "false", "y", "n"}


def _whole_of(text: str, figure: Quantity, figures: Sequence[Quantity]) -> bool:
    """Whether it is the five of "three of the five regions"."""
    return bool(re.search(r"\b(?:of|out of)\s+(?:the |all |its |our |these )?$", text[max(0, figure.span[0] - 16) : figure.span[0]])) and any(
        0 <= figure.span[0] - other.span[1] <= 14 for other in figures if other is not figure
    )


def operator_before(text: str, figure: Quantity, span: Span) -> str:
    """How the words before a figure make it a bound: `>`, `>=`, `<`, `<=`, or nothing."""
    window = text[max(span[0], figure.span[0] - 28) : figure.span[0]]
    last = None
    for last in _BOUND.finditer(window):
        pass
    if last is None or len(re.findall(r"\w+", window[last.end() :])) > 3 or re.search(r"\d", window[last.end() :]):
        return ""
    return ">" if last["over"] else "<" if last["under"] else ">=" if last["least"] else "<="


def _conditions(
    text: str, figure: Quantity, figures: Sequence[Quantity], reading: Reading, sheet: Sheet, measures: Sequence[tuple[int, float]]
) -> list[Condition]:
    """The bounds that a counted figure depends on."""
    if not _counts_labels(figure, reading, sheet) or _whole_of(text, figure, figures):
        return []
    found: list[Condition] = []
    for other in figures:
        operator = operator_before(text, other, reading.span) if other is not figure else ""
        if operator:
            for measure, _ in measures:
                factor = multiplier(sheet, measure)
                bound = other.value / 100 if other.percent and not sheet.fields[measure].percent else other.value
                found.append(Condition(measure, operator, bound / factor if factor != 1 and bound >= factor else bound))
    return found


# verdicts


def _doubt(meaning: Meaning, scored: Sequence[Scored], figure: Quantity, figures: Sequence[Quantity], text: str) -> str:
    """Why the figure must not be contradicted by this table, or nothing."""
    sheet, reading = meaning.sheet, meaning.reading
    surest = max((strength for _, strength in meaning.measures), default=0)
    counting = _counts_labels(figure, reading, sheet)
    if not sheet.certain:
        return "the table has broken rows or a row of totals that does not agree with the others"
    if figure.approximate and figure.significant < 2:
        return "the figure is too vague to be compared"
    if surest < (0.5 if meaning.groups else 0.7) and not counting:
        return "the sentence does not name a measure of the table"
    if surest == UNNAMED and reading.unexplained(figures):
        return "the sentence narrows what it means by words that the table does not have"
    if (
        "ratio" in meaning.operations
        and not figure.percent
        and not re.match(r"[\s-]*(?:times|x\b|×|fold)", text[figure.span[0] + len(figure.text.rstrip("xX ")) :])
    ):
        return "the sentence speaks of one thing for another, which is not computed"
    everything = meaning.operations & {"sum", "average", "max", "min", "median", "count", "distinct"} or any(_has(reading, entry) for entry in UNIVERSAL)
    if not meaning.groups and not everything and not counting and sheet.count > 1:
        return "the sentence does not say which rows it speaks of"
    if reading.foreign or reading.excluding:
        return "the sentence speaks of something beside the figures of the table, or in a way that is not computed"
    if reading.unresolved:
        return "the sentence names a period that the table does not have"
    if reading.restricted(figures) or not _unit_known(meaning, figure, text):
        return "the sentence narrows what it means by words that the table does not have"
    if not counting and figure.value.denominator == 1 and 0 <= figure.value <= sheet.count and reading.dimensions(sheet) and not figure.percent:
        return "the figure may count something"
    if counting and (
        _unexplained(text, reading, figures) or (meaning.operations - {"count", "distinct", "change", "difference", "sum"} and not meaning.conditions)
    ):
        return "what is counted is not understood"
    if counting and "difference" in meaning.operations and not meaning.conditions:
        return "what is counted is not understood"
    if not counting and (surest < 0.9 or reading.unexplained(figures)) and _far(meaning, scored, figure):
        return "the figure is of another magnitude than those of the table"
    if figure.percent and not meaning.operations & {"share", "change", "ratio", "difference"}:
        if not any(sheet.fields[measure].percent for measure, strength in meaning.measures if strength >= 0.65):
            return "it is not said what the percentage is of"
    if not scored or scored[0].fit < SUPPORT:
        return "no derivation fits the words"
    return ""


def _far(meaning: Meaning, scored: Sequence[Scored], figure: Quantity) -> bool:
    """Whether the figure is so far from what fits best that it may well speak of something else."""
    best = next((values for one in scored if (values := exact_forms(one.derivation, figure, meaning.sheet))), [])
    sizes = [abs(value) for value in best if value]
    return not sizes or not figure.value or all(not size / 30 <= abs(figure.value) <= size * 30 for size in sizes)


def _unexplained(text: str, reading: Reading, figures: Sequence[Quantity]) -> bool:
    bounds = [match.span() for match in _BOUND.finditer(text, *reading.span)]
    return any(not any(start <= word.span[0] < end for start, end in bounds) for word in reading.unexplained(figures))


def _unit_known(meaning: Meaning, figure: Quantity, text: str) -> bool:
    """Whether the word after the figure, if it names what is counted, belongs to the table."""
    following = next((word for word in meaning.reading.words if word.span[0] >= figure.span[1] - len(figure.unit) and word.span[0] > figure.span[0]), None)
    if following is None or following.span[0] - figure.span[1] > 1:
        return True
    if re.search(r"[.,;:()]", text[figure.span[0] : following.span[0]].replace(figure.text.strip(), "")):
        return True
    low = following.text.lower()
    named = {name for column in meaning.sheet.fields for name in column.stems}
    named |= {root(word.text) for column in meaning.sheet.fields for word in words(column.name + " " + column.unit)}
    if low in STOP_WORDS or following.stem in NEUTRAL or following.stem in named or low.endswith(("ed", "ing", "ly")):
        return True
    covered = [mention.span for mention in (*meaning.reading.values, *meaning.reading.columns)] + [
        place for spans in meaning.reading.operations.values() for place in spans
    ]
    return any(start <= following.span[0] < end for start, end in covered)


def _supported(claim: Claim, scored: Scored, figure: Quantity) -> Route:
    derivation = scored.derivation

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        evidence = _confirmed(results[0], derivation) if results else None
        if evidence is None:
            return Verdict(status="insufficient", note="the table could not be read again to confirm the figure")
        return Verdict(status="supported", method="computed", confidence=1.0, evidence=(evidence,), note=f"{derivation.label} = {_shown(derivation.value)}")

    return Route(claim=claim, calls=(ToolCall(tool="table", input=derivation.sql),), decide=decide)


def _shown(value: Fraction) -> str:
    return show(value)


def _confirmed(result: ToolResult, derivation: Derivation) -> Evidence | None:
    """The evidence, if the database found what the rule computed (but for the noise of binary floating point)."""
    if isinstance(result, Failure) or not result:
        return None
    try:
        found = Fraction(result[0].value)
    except (ValueError, ZeroDivisionError):
        return None
    return result[0] if abs(found - derivation.value) * 10**9 <= max(Fraction(1), abs(derivation.value)) else None


def _contradicted(claim: Claim, best: tuple[Meaning, list[Scored]], figure: Quantity) -> Route:
    meaning, scored = best
    typed = [one for one in scored if exact_forms(one.derivation, figure, meaning.sheet)]
    leading = [one for one in typed if typed and one.fit >= typed[0].fit - 1e-9][:3]
    chosen = leading or scored[:1]
    expected = _expected(leading, figure, meaning)

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        evidence = [found for one, result in zip(chosen, results, strict=True) if (found := _confirmed(result, one.derivation))]
        if len(evidence) != len(chosen):
            return Verdict(status="insufficient", note="the table could not be read again to confirm the figure")
        said = "; ".join(f"{one.derivation.label} = {_shown(exact_forms(one.derivation, figure, meaning.sheet)[0])}" for one in chosen if one in leading)
        note = f"no derivation from the table gives {figure.text.strip()}" + (f"; {said}" if said else "")
        return Verdict(status="contradicted", method="computed", confidence=1.0, evidence=tuple(evidence), note=note, expected=expected)

    return Route(claim=claim, calls=tuple(ToolCall(tool="table", input=one.derivation.sql) for one in chosen), decide=decide)


def _expected(leading: Sequence[Scored], figure: Quantity, meaning: Meaning) -> str | None:
    """What stands in place of the figure: only if the best fitting derivations agree on it."""
    if not leading or leading[0].fit < EXPECT:
        return None
    shown = set[str]()
    for one in leading:
        value = exact_forms(one.derivation, figure, meaning.sheet)[0]
        if one.derivation.operation in ("change", "difference") and figure.value >= 0:
            if one.derivation.direction and meaning.direction and one.derivation.direction != meaning.direction:
                return None
            value = abs(value)
        shown.add(_like(value, figure))
    return next(iter(shown)) if len(shown) == 1 else None


def _like(value: Fraction, figure: Quantity) -> str:
    """The value in the format of the figure, with as many digits as the figure shows where it was rounded."""
    if figure.style == "digits" and figure.scale == 1 and figure.decimals == 0 and value.denominator != 1 and not figure.percent and abs(value) >= 1000:
        value = Fraction(round(value))
    if figure.style == "digits" and (figure.decimals or figure.percent or figure.scale > 1):
        step = Fraction(figure.scale, 10**figure.decimals)
        value = Fraction(int(abs(value) / step + Fraction(1, 2))) * step * (1 if value >= 0 else -1)
    return show(value, replace(figure, approximate=False))


def _undecided(note: str) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        return Verdict(status="insufficient", note=note)

    return decide
