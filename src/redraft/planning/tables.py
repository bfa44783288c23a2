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
from redraft.effects import Effects
from redraft.planning.accounting import claim_doubt, earlier_value, name_doubt
from redraft.planning.certainty import uncertainty
from redraft.planning.derivations import Derivation, known
from redraft.planning.figure_bounds import multiplier
from redraft.planning.figure_doubts import SUPPORT, exact_forms, figure_doubt, gives
from redraft.planning.figure_meanings import Place, figure_meaning
from redraft.planning.joined_sheets import joined_sheets, names_both
from redraft.planning.mentions import Reading, read_mentions
from redraft.planning.sheet_reading import load_sheets
from redraft.planning.sheets import Sheet
from redraft.planning.superlatives import name_claims
from redraft.planning.table_readings import Meaning, Scored, candidates, rescue
from redraft.planning.text_tables import text_sheets, text_tables
from redraft.planning.written_cells import cell_routes
from redraft.planning.written_totals import table_routes
from redraft.protocols import Route
from redraft.types import Claim, Evidence, Failure, Span, ToolCall, ToolResult, Verdict

__all__ = ["routes"]

EXPECT = 0.8
MAX_FIGURES = 3_000
"""So many figures of the prose are looked at; what follows them stays unchecked and is said to be."""
NEAR = 2
"""Prose is checked against so many tables of its own text: the nearest."""


async def routes(text: str, effects: Effects) -> tuple[Route, ...]:
    """One route for each figure (and each superlative) whose sentence refers to a table of the run.

    Raises:
        Stopped: a budget forbids reading the tables.
    """
    written = text_tables(text)
    given = await load_sheets(effects)
    joins = joined_sheets(given)
    beside = text_sheets(written)
    if not (given or beside) or not text.strip():
        return ()
    places = _places(text)
    figures = [figure for figure in read(text) if figure.high is None]
    starts = [figure.span[0] for figure in figures]
    seen: Counter[str] = Counter()
    made = [*(table_routes(text, written) if "calculator" in effects.tools else ()), *cell_routes(text, written, given)]
    looked_at = 0
    for place in places:
        inside = [one for one in figures[bisect_left(starts, place.span[0]) : bisect_left(starts, place.span[1])] if one.span[1] <= place.span[1]]
        looked_at += len(inside)
        if looked_at > MAX_FIGURES:
            break
        near = sorted(beside, key=lambda one: abs(one[0] - place.span[0]))[:NEAR]
        sheets = (*given, *(sheet for _, forms in near for sheet in forms))
        readings = {sheet: read_mentions(sheet, text, place.span) for sheet in sheets}
        for join in joins:
            together = read_mentions(join.sheet, text, place.span)
            if names_both(join, together, readings[join.first]):
                readings[join.sheet] = together
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
        fitting = [one for one in scored if gives(one.derivation, figure, meaning) is True]
        if figure.bound:
            leading = [one for one in scored if one.fit >= max(EXPECT, scored[0].fit - 0.05)]
            fitting = fitting if leading and all(gives(one.derivation, figure, meaning) for one in leading) else []
        if fitting and fitting[0].fit >= SUPPORT and not reading.hypothetical:
            note = claim_doubt(text, figure, said, meaning, fitting[0].derivation)
            scope = meaning.reading.span
            return _Finding(note=note, scope=scope) if note else _Finding(right=fitting[0], meaning=meaning, scope=scope)
        best.append((meaning, scored))
    if not best:
        return None
    doubts = [figure_doubt(meaning, scored, figure, figures, text) or claim_doubt(text, figure, figures, meaning, None) for meaning, scored in best]
    certain = [one for one, doubt in zip(best, doubts, strict=True) if not doubt]
    if certain and not any(_possible(meaning, scored, figure, figures) for meaning, scored in best):
        doubts = [uncertainty(text, meaning, scored, figure) for meaning, scored in certain]
        if not any(doubts):
            return _Finding(wrong=certain[0], scope=best[0][0].reading.span)
    note = next((doubt for doubt in doubts if doubt), "a value of the table agrees with the figure, but not in the way the words say")
    return _Finding(note=note, scope=best[0][0].reading.span)


def _possible(meaning: Meaning, scored: Sequence[Scored], figure: Quantity, figures: Sequence[Quantity]) -> bool:
    """Whether the figure may be right in a way that was not understood. Where every word is, only the derivations that the words ask for count."""
    explicit = meaning.operations & {"sum", "average", "median", "max", "min", "count", "distinct", "share", "change", "difference", "ratio"}
    single = bool(scored) and scored[0].derivation.operation == "cell"
    understood = not meaning.reading.unexplained(figures) and (explicit or single) and scored[0].fit >= 0.6
    least = 0.3 if understood else 0.0
    if any(gives(one.derivation, figure, meaning) is not False for one in scored if one.fit >= least):
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
