"""Figures and superlatives in prose, checked against tables by rule.

A figure is contradicted only if its sentence certainly names a measure and rows of a table and no well-typed derivation gives the figure within its
rounding. What is not understood stays undecided.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from redraft.claims.numbers import Quantity, agrees, read, show
from redraft.claims.segment import blocks, claim_id, sentences
from redraft.claims.words import STOP_WORDS, words
from redraft.effects import Effects
from redraft.planning.accounting import claim_doubt, earlier_value, name_doubt, said_currencies
from redraft.planning.answer_types import denotes
from redraft.planning.derivations import Derivation, known
from redraft.planning.figure_meanings import BOUND, BY_UNIT, UNNAMED, Place, figure_meaning, multiplier, says
from redraft.planning.mentions import Reading, read_mentions
from redraft.planning.sheets import Sheet, load_sheets
from redraft.planning.superlatives import name_claims
from redraft.planning.table_readings import Meaning, Scored, candidates, rescue
from redraft.planning.table_words import NEUTRAL, UNIVERSAL, root
from redraft.planning.text_tables import text_sheets, text_tables
from redraft.planning.written_cells import cell_routes
from redraft.planning.written_totals import table_routes
from redraft.protocols import Route
from redraft.types import Claim, Evidence, Failure, Span, ToolCall, ToolResult, Verdict

__all__ = ["routes"]

SUPPORT = 0.5
"""The least fit with which a derivation that gives the figure supports it."""
EXPECT = 0.8
NEAR = 2
"""Prose is checked against so many tables of its own text: the nearest."""


async def routes(text: str, effects: Effects) -> tuple[Route, ...]:
    """One route for each figure (and each superlative) whose sentence refers to a table of the run.

    Raises:
        Stopped: a budget forbids reading the tables.
    """
    written = text_tables(text)
    given = await load_sheets(effects)
    beside = text_sheets(written)
    if not (given or beside) or not text.strip():
        return ()
    places = _places(text)
    figures = [figure for figure in read(text) if figure.high is None]
    starts = [figure.span[0] for figure in figures]
    seen: Counter[str] = Counter()
    made = [*(table_routes(text, written) if "calculator" in effects.tools else ()), *cell_routes(text, written, given)]
    for place in places:
        inside = [one for one in figures[bisect_left(starts, place.span[0]) : bisect_left(starts, place.span[1])] if one.span[1] <= place.span[1]]
        near = sorted(beside, key=lambda one: abs(one[0] - place.span[0]))[:NEAR]
        sheets = (*given, *(sheet for _, forms in near for sheet in forms))
        readings = {sheet: read_mentions(sheet, text, place.span) for sheet in sheets}
        ranked = sorted(readings.items(), key=lambda item: -_relevance(item[0], item[1]))
        read_figures = [(figure, found) for figure in inside if (found := _figure_finding(text, place, figure, inside, ranked))]
        made.extend(_agreed(text, place, read_figures, inside, seen))
        for claim, calls, decide, results in name_claims(text, place.span, ranked, inside, name_doubt):
            made.append(Route(claim=_claim(text, claim[0], claim[1], seen, "fact"), calls=calls, decide=decide, results=results))
    return tuple(sorted(made, key=lambda route: (route.claim.span, route.claim.focus or route.claim.span)))


_PRONOUN = re.compile(r"(?:They|It|He|She|Their|Its|His|Her)\b")


def _places(text: str) -> list[Place]:
    found: list[Place] = []
    heading: Span | None = None
    before: Span | None = None
    spans = sentences(text)
    subject: Span | None = None
    for block in blocks(text):
        subject = None
        if block.kind in ("code", "table_row"):
            before = None
            continue
        if block.kind == "heading":
            heading, before = block.span, None
            continue
        for span in spans:
            if block.span[0] <= span[0] and span[1] <= block.span[1]:
                took_up = bool(_PRONOUN.match(text, *span))
                subject = (subject if before is not None and subject is not None else before) if took_up else None
                found.append(Place(span=span, heading=heading, before=before, subject=subject))
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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Finding:
    """What the tables say of one figure: the derivation that gives it, or the meaning by which nothing does, or why it is open."""

    right: Scored | None = None
    wrong: tuple[Meaning, list[Scored]] | None = None
    note: str = ""
    meaning: Meaning | None = None
    scope: Span = (0, 0)
    """What of the sentence is said of this figure, without what is set off for later ones."""


def _agreed(text: str, place: Place, found: Sequence[tuple[Quantity, _Finding]], figures: Sequence[Quantity], seen: Counter[str]) -> Iterator[Route]:
    """The routes of the figures of one sentence: none is decided beside another that is not accounted for."""
    findings = _bound(text, found, figures)
    for figure, finding in findings:
        claim = _claim(text, _clause(text, place.span, figure), figure.span, seen, "number")
        others = [other for one, other in findings if one is not figure and not (finding.scope[1] and one.span[0] >= finding.scope[1])]
        beside = [other for other in others if other.right is None and other.wrong is None]
        if finding.right is not None and not beside and sum(other.wrong is not None for other in others) <= 1:
            yield _supported(claim, finding.right, finding.meaning)
        elif finding.wrong is not None and all(other.right is not None for other in others):
            yield _contradicted(claim, finding.wrong, figure)
        else:
            yield Route(claim=claim, decide=_undecided(finding.note or "another figure of the sentence is not accounted for"))


def _bound(text: str, found: Sequence[tuple[Quantity, _Finding]], figures: Sequence[Quantity]) -> list[tuple[Quantity, _Finding]]:
    """The findings, with X of "from X to Y" read as the value of the period before that of Y."""
    bound: list[tuple[Quantity, _Finding]] = []
    for place, (figure, finding) in enumerate(found):
        following = found[place + 1][1] if place + 1 < len(found) else None
        if finding.right is None and following is not None and following.right is not None and following.meaning is not None:
            earlier = earlier_value(text, figure, figures, following.meaning, following.right.derivation)
            if earlier is not None:
                finding = _Finding(right=Scored(earlier, EXPECT), meaning=following.meaning, scope=finding.scope)
        bound.append((figure, finding))
    return bound


def _figure_finding(text: str, place: Place, figure: Quantity, figures: Sequence[Quantity], ranked: Sequence[tuple[Sheet, Reading]]) -> _Finding | None:
    """What the tables that its sentence refers to say of one figure, the likeliest first."""
    best: list[tuple[Meaning, list[Scored]]] = []
    note = ""
    for sheet, reading in ranked:
        taken = [mention.span for mention in reading.values] + list(reading.unresolved)
        if any(start < figure.span[1] and figure.span[0] < end for start, end in taken) or not figure.text.strip():
            return None
        said = [other for other in figures if not any(start < other.span[1] and other.span[0] < end for start, end in taken)]
        meaning = figure_meaning(text, place, figure, said, sheet, reading)
        if meaning is None:
            continue
        scored = candidates(meaning)
        fitting = [one for one in scored if _gives(one.derivation, figure, meaning) is True]
        if figure.bound:
            leading = [one for one in scored if one.fit >= max(EXPECT, scored[0].fit - 0.05)]
            fitting = fitting if leading and all(_gives(one.derivation, figure, meaning) for one in leading) else []
        if fitting and fitting[0].fit >= SUPPORT and not reading.hypothetical:
            note = claim_doubt(text, figure, said, meaning, fitting[0].derivation)
            scope = meaning.reading.span
            return _Finding(note=note, scope=scope) if note else _Finding(right=fitting[0], meaning=meaning, scope=scope)
        best.append((meaning, scored))
    if not best:
        return None
    doubts = [_doubt(meaning, scored, figure, figures, text) or claim_doubt(text, figure, figures, meaning, None) for meaning, scored in best]
    certain = [one for one, doubt in zip(best, doubts, strict=True) if not doubt]
    if certain and not any(_possible(meaning, scored, figure, figures) for meaning, scored in best):
        return _Finding(wrong=certain[0], scope=best[0][0].reading.span)
    note = next((doubt for doubt in doubts if doubt), "a value of the table agrees with the figure, but not in the way the words say")
    return _Finding(note=note, scope=best[0][0].reading.span)


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


def _scaled(meaning: Meaning, values: Iterable[Fraction], figure: Quantity) -> list[Fraction]:
    factors = {Fraction(1)} | {multiplier(meaning.sheet, measure) for measure, _ in meaning.measures}
    if figure.percent:
        factors.add(Fraction(100))
    return [value * factor for value in values for factor in factors]


def _gives(derivation: Derivation, figure: Quantity, meaning: Meaning) -> bool | None:
    """Whether the derivation gives the figure within its rounding; the sign of a change or difference is said by words, not by the figure."""
    values = exact_forms(derivation, figure, meaning.sheet)
    verdicts = [agrees(value, figure) for value in values]
    if grouped := _with_groups(figure):
        verdicts += [agrees(value, grouped) for value in exact_forms(derivation, grouped, meaning.sheet)]
    if derivation.operation in ("change", "difference") and figure.value >= 0:
        verdicts += [agrees(-value, figure) for value in values]
    return True if True in verdicts else None if None in verdicts else False


def _with_groups(figure: Quantity) -> Quantity | None:
    """The figure with its point read as a separator of thousands, where it may be one: "1.402" in a German text."""
    if figure.mark != "." or figure.grouping or figure.scale != 1 or not re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", figure.text.strip()):
        return None
    return replace(figure, value=figure.value * 1000, quantum=Fraction(1), decimals=0, mark=",", grouping=".")


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
        beyond = derivation.kind == "rank" and figure.value > sheet.count
        return [] if figure.percent or money or beyond or figure.value.denominator != 1 else [derivation.value]
    column = sheet.fields[derivation.measure] if derivation.measure is not None else None
    if figure.percent:
        if column is None:
            return []
        return [derivation.value] if column.percent or column.unit == "%" else [derivation.value * 100] if abs(derivation.value) <= 1 else []
    factor = multiplier(sheet, derivation.measure)
    return [derivation.value] if factor == 1 else [derivation.value * factor, derivation.value]


def _doubt(meaning: Meaning, scored: Sequence[Scored], figure: Quantity, figures: Sequence[Quantity], text: str) -> str:
    """Why the figure must not be contradicted by this table, or nothing."""
    surest = max((strength for _, strength in meaning.measures), default=0)
    found = _doubt_of_reference(meaning, figure, figures, text, surest) or _doubt_of_kind(meaning, figure, figures, text)
    if found:
        return found
    if not meaning.counting and (surest < 0.9 or meaning.reading.unexplained(figures)) and _far(meaning, scored, figure):
        return "the figure is of another magnitude than those of the table"
    if said_currencies(text, figure) and _far(meaning, scored, figure, 5):
        return "the figure is of another magnitude than those of the table"
    if not scored or scored[0].fit < SUPPORT:
        return "no derivation fits the words"
    asked = meaning.operations & {"difference", "ratio", "change", "share", "median"}
    if asked and not meaning.counting and scored[0].derivation.operation not in asked | {"range"} and not any(one.derivation.operation in asked for one in scored[:40]):
        return "what the words ask for cannot be derived from the table"
    return ""


def _doubt_of_reference(meaning: Meaning, figure: Quantity, figures: Sequence[Quantity], text: str, surest: float) -> str:
    """Whether the sentence certainly names a measure and rows of this table and nothing that narrows them further."""
    sheet, reading = meaning.sheet, meaning.reading
    if not sheet.certain:
        return "the table has broken rows or a row of totals that does not agree with the others"
    summed = bool(meaning.operations & {"sum", "average", "median"}) and not reading.unexplained(figures)
    if surest < (0.5 if meaning.groups or summed else 0.7) and not meaning.counting and not meaning.rows:
        return "the sentence does not name a measure of the table"
    everything = meaning.operations & {"sum", "average", "max", "min", "median", "count", "distinct"} or any(says(reading, entry) for entry in UNIVERSAL)
    if not meaning.groups and not everything and not meaning.counting and sheet.count > 1:
        return "the sentence does not say which rows it speaks of"
    if meaning.foreign or reading.excluding:
        return "the sentence speaks of something beside the figures of the table, or in a way that is not computed"
    if reading.unresolved:
        return "the sentence names a period that the table does not have"
    if BY_UNIT == surest and reading.unexplained(figures):
        return "only the unit of the figure tells which measure is meant"
    unnamed = surest == UNNAMED and bool(reading.unexplained(figures))
    if unnamed or reading.restricted(figures) or not _unit_known(meaning, figure, text):
        return "the sentence narrows what it means by words that the table does not have"
    return ""


def _doubt_of_kind(meaning: Meaning, figure: Quantity, figures: Sequence[Quantity], text: str) -> str:
    """Whether it is certain what kind of value the figure is: an amount, a count, a percentage of something."""
    sheet, reading, operations = meaning.sheet, meaning.reading, meaning.operations
    if re.search(r"\bout of\s+$", text[max(0, figure.span[0] - 8) : figure.span[0]]) and not meaning.counting:
        return "the figure is the end of a scale"
    if re.search(r"\bof (?:the|a|all) (?:\w+ )?total (?:of )?$", text[max(0, figure.span[0] - 40) : figure.span[0]], re.IGNORECASE):
        return "the figure is said of the whole"
    if figure.style == "words" and figure.value <= 20 and not meaning.counting and not operations & {"difference", "ratio"} and not meaning.noun:
        return "the figure may count something"
    if figure.approximate and figure.significant < 2:
        return "the figure is too vague to be compared"
    tail = text[figure.span[0] + len(figure.text.rstrip("xX ")) :]
    if "ratio" in operations and not figure.percent and not re.match(r"[\s-]*(?:times|x\b|×|fold)", tail):
        return "the sentence speaks of one thing for another, which is not computed"
    if meaning.counting:
        beyond = operations - {"count", "distinct", "change", "sum", "share"} and not meaning.conditions
        if not meaning.conditions and "change" not in operations and any(strength >= 0.7 for _, strength in meaning.measures) and _measured(meaning, figure):
            return "it is not clear whether the figure counts rows or is an amount"
        named = [mention for mention in meaning.reading.dimensions(sheet) if mention.strength >= 0.7 or len(sheet.fields[mention.field].values) == sheet.count]
        if not named and reading.dimensions(sheet):
            return "what is counted is not understood"
        if _attribute_dates(meaning):
            return "the sentence does not say that its date is that of the table"
        return "what is counted is not understood" if beyond or _unexplained(text, reading, figures) else ""
    whole = figure.value.denominator == 1 and not figure.decimals and not figure.percent
    if whole and 0 <= figure.value <= sheet.count and reading.dimensions(sheet):
        return "the figure may count something"
    if figure.percent and not operations & {"share", "change", "ratio", "difference"}:
        if not any(sheet.fields[measure].percent or (strength >= 0.9 and _fractions(sheet, measure)) for measure, strength in meaning.measures if strength >= 0.65):
            return "it is not said what the percentage is of"
    return ""


def _fractions(sheet: Sheet, measure: int) -> bool:
    """Whether all figures of a column lie between nothing and the whole, as a spreadsheet keeps percentages."""
    figures = sheet.figures(measure, ())
    return all(0 <= figure <= 1 for figure in figures) and any(figure.denominator != 1 for figure in figures)


def _measured(meaning: Meaning, figure: Quantity) -> bool:
    """Whether a measure is named before the figure: "items in stock number 362"."""
    return any(mention.strength >= 0.7 and mention.span[1] <= figure.span[0] for mention in meaning.reading.measures(meaning.sheet))


def _attribute_dates(meaning: Meaning) -> bool:
    """Whether rows are chosen by a date that each of them merely has (the start of a project), without a word that speaks of it."""
    sheet = meaning.sheet
    for group in meaning.groups:
        for place in group[0].fields:
            column = sheet.fields[place]
            owner = next((one for one in sheet.fields if "(" in column.sql and one.sql == column.sql.partition("(")[2][:-1]), column)
            if owner.temporal and not set(owner.stems) <= _PLAIN_DATES and not any(denotes(word, owner) for word in meaning.reading.words):
                return True
    return False


_PLAIN_DATES = frozenset(root(word) for word in "date day month time period year week quarter timestamp order sale sales transaction invoice booking of".split())


def _far(meaning: Meaning, scored: Sequence[Scored], figure: Quantity, times: int = 30) -> bool:
    """Whether the figure is so far from what fits best that it may well speak of something else."""
    every = [values for one in scored if one.fit >= SUPPORT and (values := exact_forms(one.derivation, figure, meaning.sheet))]
    if _with_groups(figure):
        return True
    sizes = [abs(value) for values in (every[:1] if times > 5 else every) for value in values if value]
    return not sizes or not figure.value or all(not size / times <= abs(figure.value) <= size * times for size in sizes)


def _unexplained(text: str, reading: Reading, figures: Sequence[Quantity]) -> bool:
    bounds = [match.span() for match in BOUND.finditer(text, *reading.span)]
    return any(not any(start <= word.span[0] < end for start, end in bounds) for word in reading.unexplained(figures))


def _unit_known(meaning: Meaning, figure: Quantity, text: str) -> bool:
    """Whether the word after the figure, if it names what is counted, belongs to the table."""
    following = next((word for word in meaning.reading.words if word.span[0] >= figure.span[1] - len(figure.unit) and word.span[0] > figure.span[0]), None)
    if following is None or following.span[0] - figure.span[1] > 1:
        return True
    if re.search(r"[.,;:()]", text[figure.span[0] : following.span[0]].replace(figure.text.strip(), "")):
        return True
    low = following.text.lower()
    sheet = meaning.sheet
    meant = {measure for measure, strength in meaning.measures if strength >= 0.45} | set(sheet.dimensions)
    own = {root(word.text) for place in meant for word in words(sheet.fields[place].name + " " + sheet.fields[place].unit)}
    own |= {name for place in meant for name in sheet.fields[place].stems}
    if low in {unit for place in meant for unit in sheet.fields[place].units}:
        return True
    if any(not sheet.fields[place].stems for place in meant):
        own |= set(sheet.stems)
    others = {root(word.text) for column in sheet.fields for word in words(column.name + " " + column.unit)} - own
    if following.stem in others:
        return False
    if low in STOP_WORDS or following.stem in NEUTRAL or following.stem in own or low.endswith(("ed", "ing", "ly")):
        return True
    if any(denotes(following, sheet.fields[place]) for place, strength in meaning.measures if strength >= 0.5):
        return True
    if meaning.counting and following.stem in meaning.reading.table:
        return True
    covered = [mention.span for mention in (*meaning.reading.values, *meaning.reading.columns)] + [
        place for spans in meaning.reading.operations.values() for place in spans
    ]
    return any(start <= following.span[0] < end for start, end in covered)


def _supported(claim: Claim, scored: Scored, meaning: Meaning | None) -> Route:
    derivation = scored.derivation

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        evidence = _confirmed(results[0], derivation) if results else None
        if evidence is None:
            return Verdict(status="insufficient", note="the table could not be read again to confirm the figure")
        return Verdict(status="supported", method="computed", confidence=1.0, evidence=(evidence,), note=f"{derivation.label} = {_shown(derivation.value)}")

    given = known(meaning.sheet, (derivation,)) if meaning is not None else None
    return Route(claim=claim, calls=(ToolCall(tool="table", input=derivation.sql),), decide=decide, results=given)


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

    calls = tuple(ToolCall(tool="table", input=one.derivation.sql) for one in chosen)
    return Route(claim=claim, calls=calls, decide=decide, results=known(meaning.sheet, [one.derivation for one in chosen]))


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
