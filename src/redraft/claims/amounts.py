"""Amounts, dates and times of a sentence that are of the kind a question wants, each with how well it fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from redraft.claims.questions import LIFESPAN, Question, lifespan
from redraft.claims.slots import Slot, slots
from redraft.claims.thesaurus import alike
from redraft.claims.wanted import Wanted
from redraft.claims.words import STOP_WORDS, stem, words
from redraft.types import Span

__all__ = ["AMOUNTS", "Graded", "Kin", "amounts", "clocks", "dates", "weekdays", "when", "with_unit"]

Kin = Mapping[str, Mapping[str, float]]
"""For the stem of a word of the question the stems of words near it in meaning, with their nearness."""
Graded = tuple[Span, float]
"""A span with how well it fits, in [0, 1]."""


# Amounts

AMOUNTS = frozenset("count money length mass duration span age percent measure".split())
_DIMENSIONS: dict[str, frozenset[str]] = {
    "length": frozenset({"length"}), "mass": frozenset({"mass"}), "duration": frozenset({"time", "years"}), "span": frozenset({"time", "years", "length"}),
}  # fmt: skip
_AGE = re.compile(r"\b(?:aged?(?: of)? ([\w-]+)\b|([\w-]+?)[ -]years?[ -]olds?\b|([\w-]+) years of age\b)", re.IGNORECASE)
_UNIT = re.compile(r"(?:[ -]|\b)(?:(?:million|billion|thousand|square|cubic) )?[^\W\d_]+(?: per [a-z]+)?\b")


def amounts(want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    typed = [slot for slot in slots(sentence) if slot.kind == "quantity" and slot.quantity is not None]
    if want.want == "age":
        yield from ((match.span(next(n for n in (1, 2, 3) if match[n])), 1.0) for match in _AGE.finditer(sentence))
        return
    for slot in _joined(typed, sentence):
        fit = _amount_fit(want, slot, sentence, kin)
        if fit > 0:
            bare = want.want == "count"
            yield (slot.span if bare else with_unit(slot, sentence)), fit


def _joined(typed: Sequence[Slot], sentence: str) -> list[Slot]:
    """Amounts of one measure that stand side by side ("5 hours 12 minutes") as one, with the span of all."""
    found: list[Slot] = []
    for slot in typed:
        last = found[-1] if found else None
        if last and slot.dimension and last.dimension == slot.dimension and re.fullmatch(r" [a-z]+(?: and)? ", sentence[last.span[1] : slot.span[0]]):
            found[-1] = replace(last, span=(last.span[0], slot.span[1]))
        else:
            found.append(slot)
    return found


def _amount_fit(want: Wanted, slot: Slot, sentence: str, kin: Kin) -> float:
    percent = slot.quantity is not None and slot.quantity.percent
    if want.want == "percent":
        return 1.0 if percent else 0.0
    if percent:
        return 0.0
    if want.want == "count":
        return _count_fit(want, slot, sentence, kin)
    if want.want == "span" and want.still and slot.dimension in ("time", "years"):
        return 0.6
    if want.want == "mass" and slot.counts and slot.counts[0] in _MASSES:
        return 1.0
    if want.want == "length" and slot.dimension == "length":
        measured = [word for word in words(sentence[slot.span[1] :])[:3] if word.text.lower() in _EXTENTS]
        if measured and want.head in _FAR and _EXTENTS[measured[0].text.lower()] != "long":
            return 0.0
        if measured and want.head in _EXTENT_NOUNS:
            return 1.0 if _EXTENTS[measured[0].text.lower()] == _EXTENT_NOUNS[want.head] else 0.0
        if _EXTENT_NOUNS.get(want.head) in ("wide", "deep", "thick"):
            return 1.0 if any(_EXTENT_NOUNS.get(word.stem) == _EXTENT_NOUNS[want.head] for word in words(sentence)) else 0.3
    if want.want in _DIMENSIONS:
        return 1.0 if slot.dimension in _DIMENSIONS[want.want] else 0.0
    if want.want == "money":
        if slot.dimension == "money":
            return 1.0
        headed = want.head and any(word.stem == want.head for word in words(sentence[: slot.span[0]])[-4:])
        return 0.0 if slot.dimension or not slot.counts else 1.0 if headed else 0.9 if _paid(sentence, slot) else 0.4
    return 0.8


def _count_fit(want: Wanted, slot: Slot, sentence: str, kin: Kin) -> float:
    near = {want.head, *kin.get(want.head, {}), *alike(want.head)}
    if want.head in slot.counts:
        return 1.0
    if slot.dimension:
        return 0.2 if want.head in _GENERIC or not want.head else 0.0
    if want.head in _UNITS:
        return 0.0  # litres are no lorries
    if want.head and near & set(slot.counts):
        return 0.85
    if want.head == stem("people") and slot.counts and _PEOPLE.search(slot.counts[0]):
        return 0.9
    if re.match(r" of (?:them|these|those)\b", sentence[slot.span[1] :]):
        return 0.8
    if re.match(r" (?:was|were|are|is|have|had)\b", sentence[slot.span[1] :]) and want.head in {word.stem for word in words(sentence[: slot.span[0]])}:
        return 0.85  # "740 bicycles were repaired and 260 were sold"
    if want.head in _GENERIC or not want.head:
        return 0.7
    before = words(sentence[: slot.span[0]])[-4:]
    return 0.6 if any(word.stem == want.head for word in before) else 0.35


_GENERIC = frozenset(stem(word) for word in "number total maximum minimum population capacity score".split())
_UNITS = frozenset(
    stem(word) for word in "litre liter gallon metre meter kilometre kilometer mile hectare acre kilogram kilo tonne ton gram degree watt volt".split()
)
_PEOPLE = re.compile(r"(?:er|or|ist|ian|man|ant|ent)$")
_MASSES = frozenset(stem(word) for word in "tonne ton kilo kilogram gram pound ounce stone kg hundredweight".split())
_EXTENTS = {"long": "long", "tall": "high", "high": "high", "deep": "deep", "wide": "wide", "broad": "wide", "thick": "thick"}
_EXTENT_NOUNS = {
    stem(word): extent
    for line, extent in (
        ("long length", "long"), ("tall high height altitude elevation", "high"), ("deep depth", "deep"), ("wide width broad breadth", "wide"),
        ("thick thickness", "thick"),
    )
    for word in line.split()
}  # fmt: skip
_FAR = frozenset({stem("far"), stem("distance")})
_PAID = re.compile(
    r"\b(?:costs?|prices?|pay|pays|paid|fines?|fees?|charges?|charged|sold|bought|for|worth|earns?|cheque|grant|donated|raised|tickets?|admission|fares?|rent|is|at)\b"
)


def _paid(sentence: str, slot: Slot) -> bool:
    return bool(_PAID.search(" ".join(sentence[: slot.span[0]].split()[-5:]).lower()))


def with_unit(slot: Slot, sentence: str) -> Span:
    start, end = slot.span
    unit = _UNIT.match(sentence, end) if slot.counts and not re.match(r"\W*[%$€£]", sentence[end:]) else None
    if unit and unit[0].strip(" -") and not (set(unit[0].lower().split()) & STOP_WORDS):
        end = unit.end()
    return start, end


# Dates


def dates(sentence: str, *, year: bool = False, day: bool = False) -> Iterator[Graded]:
    for slot in slots(sentence):
        if slot.kind != "date" or slot.date is None:
            continue
        if year and slot.date.year:
            figure = re.search(r"\b\d{3,4}s?\b", sentence[slot.span[0] : slot.span[1]])
            yield ((slot.span[0] + figure.start(), slot.span[0] + figure.end()) if figure else slot.span), 1.0
        elif day and slot.date.month:
            yield slot.span, 1.0 if slot.date.day else 0.6
        elif not year and not day:
            yield slot.span, 1.0
    if day:
        yield from ((match.span(), 0.7) for match in _FEAST.finditer(sentence))


_WEEKDAY = "Mon|Tues|Wednes|Thurs|Fri|Satur|Sun"
_FEAST = re.compile(r"\b(?:the )?(?:first|second|third|fourth|last) (?:\w+day)(?: (?:in|of) [A-Z]\w+)?|\bthe anniversary of [^,.;]+")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_SEASON = re.compile(
    rf"\b(?:the )?(?:first|second|third|last|every|each) (?:{_WEEKDAY})day(?: (?:in|of) (?:[A-Z]\w+|every month|each month))?"
    rf"|\b(?:on )?(?:{_WEEKDAY})days?(?: (?:and|to) (?:{_WEEKDAY})days?)?"
    r"|\bin (?:the )?(?:early |late )?(?:spring|summer|autumn|winter)(?: of \d{4})?|\bthe (?:spring|summer|autumn|winter) of \d{4}"
    r"|\bat (?:dawn|dusk|noon|midnight|night|sunrise|sunset)\b"
    rf"|\b(?:\w+ (?:years?|months?|weeks?|days?) ago)\b|\bafter [A-Z]\w+\b|\b(?:{_MONTHS})\b"
)  # fmt: skip


_DAY = re.compile(
    rf"\b(?:{_WEEKDAY})days?(?:(?:, (?:{_WEEKDAY})days?)*(?:,? and | to |[–-])(?:{_WEEKDAY})days?)?(?! (?:mornings?|afternoons?|evenings?|nights?)? ?[A-Z])"
)


def weekdays(sentence: str) -> Iterator[Graded]:
    """Days of the week, those of a list or a range as one."""
    yield from ((match.span(), 1.0) for match in _DAY.finditer(sentence))


def when(question: Question, sentence: str) -> Iterator[Graded]:
    dated = list(dates(sentence))
    life = LIFESPAN.search(sentence) if lifespan(question, sentence) else None
    inside = [span for span, _ in dated if life and life.start() <= span[0] < life.end()]
    born = stem("born") in {word.stem for word in question.content}
    yield from ((span, 0.4 if span in inside and (span == inside[0]) != born else fit) for span, fit in dated)
    for match in _SEASON.finditer(sentence):
        if not any(start < match.end() and match.start() < end for (start, end), _ in dated):
            lead = re.match(r"(?:on|in|at) (?!the )", match[0])
            yield (match.start() + (lead.end() if lead and not match[0].startswith("at ") else 0), match.end()), 0.75
    yield from ((span, 0.7) for span, _ in clocks(sentence))


_CLOCK = re.compile(
    r"\b\d{1,2}(?:[.:]\d{2})?\s?(?:a\.?m\.?|p\.?m\.?|o['’]clock)(?=\W|$)"
    r"|\b(?:at|from|until|till|by|after|before|between) (\d{1,2}[.:]\d{2})\b|\b([01]?\d|2[0-3]):[0-5]\d\b"
    r"|\b(?:half past |quarter (?:past|to) )?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) o['’]clock|\b(?:noon|midday|midnight)\b",
    re.IGNORECASE,
)


def clocks(sentence: str) -> Iterator[Graded]:
    for match in _CLOCK.finditer(sentence):
        yield match.span(1) if match[1] else match.span(), 1.0
