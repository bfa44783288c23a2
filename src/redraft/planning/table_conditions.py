"""Bounds that a question puts on the rows it asks about: "over 2,000", "aged 80 or more", "before 1910", "between 10 and 20", "after 18:00"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redraft.claims.numbers import Quantity
from redraft.claims.written_dates import find_dates
from redraft.planning.answer_types import denotes
from redraft.planning.derivations import Condition
from redraft.planning.figure_bounds import multiplier, operator_after, operator_before
from redraft.planning.mentions import Reading
from redraft.planning.qualities import COMPARATIVES
from redraft.planning.sheets import Filter, Sheet

__all__ = ["bounds", "moments"]

_BEFORE = re.compile(
    r"\b(?:(?P<over>after|later than)|(?P<under>before|prior to|earlier than|until)|(?P<least>since|from)|(?P<most>by|up to))\s+(?:the year\s+)?$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|from)\s*$", re.IGNORECASE)
_CLOCK = re.compile(r"\b([01]?\d|2[0-3])(?:[:.]([0-5]\d))?\s*(a\.?m\b\.?|p\.?m\b\.?|o['’]clock)?|\b(noon|midday|midnight)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"\b(?:(?P<least>since|from|on or after)|(?P<most>by|until|on or before)|(?P<over>after|later than|past)|(?P<under>before|earlier than|prior to))\s+$",
    re.IGNORECASE,
)
OPERATORS = {"over": ">", "under": "<", "least": ">=", "most": "<="}


UNITS = {
    "m": "metre metres meter meters",
    "km": "kilometre kilometres kilometer kilometers",
    "kg": "kilo kilos kilogram kilograms kilogramme kilogrammes",
    "t": "tonne tonnes ton tons",
    "min": "minute minutes mins",
    "h": "hour hours",
    "€": "eur euro euros",
    "£": "gbp pound pounds",
    "$": "usd dollar dollars",
}


def bracketed(name: str) -> set[str]:
    """The words that stand in brackets in a column's name: its unit."""
    return set(re.findall(r"[^\W\d]+|[€£$]", " ".join(re.findall(r"\(([^)]*)\)", name.lower()))))


def bounds(question: str, sheet: Sheet, reading: Reading, figures: Sequence[Quantity]) -> tuple[list[Condition], set[int]]:
    """The conditions, each on the column that its words are nearest to, and the places of the figures that they use."""
    found: list[Condition] = []
    used: set[int] = set()
    for place, figure in enumerate(figures):
        if place in used:
            continue
        second = figures[place + 1] if place + 1 < len(figures) else None
        paired = second is not None and re.fullmatch(r"\W*(?:and|to|[-–])\W*", question[figure.span[1] : second.span[0]])
        if second is not None and paired and _BETWEEN.search(question[: figure.span[0]]):
            column = _column(question, sheet, reading, figure, "")
            if column is not None:
                found += [_made(sheet, column, ">=", figure), _made(sheet, column, "<=", second)]
                used |= {place, place + 1}
            continue
        operator, said = _operator(question, figure)
        if operator:
            column = _column(question, sheet, reading, figure, said)
            if column is not None:
                found.append(_made(sheet, column, operator, figure))
                used.add(place)
    return found, used


def _made(sheet: Sheet, column: int, operator: str, figure: Quantity) -> Condition:
    factor = multiplier(sheet, column)
    return Condition(column, operator, figure.value / factor if factor != 1 and figure.value >= factor else figure.value)


def _operator(question: str, figure: Quantity) -> tuple[str, str]:
    """The comparison that the words around a figure make, and the comparative that makes it."""
    after, said = operator_after(question, figure)
    if after:
        return after, said
    window = question[max(0, figure.span[0] - 34) : figure.span[0]]
    than = re.search(r"\b(\w+)\s+than\s+(?:[a-z]+\s+)?$", window, re.IGNORECASE)
    if than is not None and than[1].lower() in COMPARATIVES:
        signs = COMPARATIVES[than[1].lower()]
        return (">" if signs[0][1] else "<"), than[1].lower()
    before = operator_before(question, figure, (0, len(question)))
    if before:
        return before, ""
    if (when := _BEFORE.search(window)) is not None and when.lastgroup and 1000 <= figure.value <= 2100 and figure.value.denominator == 1:
        return OPERATORS[when.lastgroup], "year"
    return "", ""


def _column(question: str, sheet: Sheet, reading: Reading, figure: Quantity, said: str) -> int | None:
    """The column that the bound is on: by the comparative, the year, the unit, or the nearest mention."""
    numeric = [place for place, column in enumerate(sheet.fields) if column.role == "measure" or (column.numeric and column.ordered)]
    if said == "year":
        years = [place for place in numeric if sheet.fields[place].years or (sheet.fields[place].ordered and len(sheet.fields[place].values[0]) == 4)]
        meant = [place for place in years if any(denotes(word, sheet.fields[place]) for word in reading.words)]
        return (meant or years or [None])[0]
    for names, _ in COMPARATIVES.get(said, ()):
        fits = [place for place in numeric if names & set(sheet.fields[place].stems)]
        if len(fits) == 1:
            return fits[0]
    unit = figure.unit.strip().lower() or (figure.before + figure.after).strip().lower()
    if unit:
        short = next((symbol for symbol, names in UNITS.items() if unit in names.split()), unit)
        own = {place: {sheet.fields[place].unit.lower(), *sheet.fields[place].stems, *bracketed(sheet.fields[place].name)} for place in numeric}
        same = [place for place in numeric if {unit, short} & own[place]]
        if len(same) == 1:
            return same[0]
    if figure.percent:
        shares = [place for place in numeric if sheet.fields[place].percent]
        numeric = shares or numeric

    named = [(mention.span, mention.field) for mention in reading.columns if mention.field in numeric and mention.strength >= 0.7]
    meant = [(word.span, place) for word in reading.words for place in numeric if denotes(word, sheet.fields[place])]
    for spans in (named, meant):
        near = [(float(figure.span[0] - end if end <= figure.span[0] else (start - figure.span[1]) * 1.2), place) for (start, end), place in spans]
        if near:
            return min(near)[1]
    return numeric[0] if len(numeric) == 1 else None


def moments(question: str, sheet: Sheet, reading: Reading) -> list[Filter]:
    """Bounds on dates and times of day."""
    found: list[Filter] = []
    columns = {kind: [place for place in sheet.dimensions if sheet.fields[place].temporal == kind] for kind in ("date", "time")}
    if columns["date"]:
        for date in find_dates(question):
            if date.value is not None:
                operator = _WHEN.search(question[: date.span[0]])
                place = _meant(sheet, reading, columns["date"])
                sign = OPERATORS[operator.lastgroup] if operator and operator.lastgroup else "="
                found.append(Filter(place, (date.value.isoformat(),), sign))
    if columns["time"]:
        for match in _CLOCK.finditer(question):
            operator = _WHEN.search(question[: match.start()])
            if operator is None or not operator.lastgroup or not (match[2] or match[3] or match[4]):
                continue
            found.append(Filter(_meant(sheet, reading, columns["time"]), (_clock(match),), OPERATORS[operator.lastgroup]))
    return found


def _meant(sheet: Sheet, reading: Reading, places: Sequence[int]) -> int:
    return next((place for place in places if any(denotes(word, sheet.fields[place]) for word in reading.words)), places[0])


def _clock(match: re.Match[str]) -> str:
    if match[4]:
        return "00:00" if match[4].lower() == "midnight" else "12:00"
    hour = int(match[1])
    half = (match[3] or "").lower()
    if half.startswith("p") and hour < 12:
        hour += 12
    elif half.startswith("a") and hour == 12:
        hour = 0
    return f"{hour:02d}:{match[2] or '00'}"
