"""How the words around a figure make it a bound, a count, an end of a range, or the condition of a count beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from redraft.claims.numbers import Quantity
from redraft.claims.numerals import english_value
from redraft.claims.words import STOP_WORDS
from redraft.planning.answer_types import PERSONS, denotes, key_of
from redraft.planning.derivations import Condition
from redraft.planning.mentions import Reading
from redraft.planning.sheets import Sheet
from redraft.planning.table_words import NEUTRAL
from redraft.types import Span

__all__ = [
    "BOUND",
    "count_conditions",
    "counts_labels",
    "counts_too",
    "end_of_range",
    "is_condition",
    "multiplier",
    "operator_after",
    "operator_before",
    "rows_meant",
    "whole_of",
]

BOUND = re.compile(
    r"\b(?P<over>more than|over|above|greater than|higher than|larger than|in excess of|exceed(?:s|ed|ing)?|upwards of|topped|beyond|north of)"
    r"|(?P<under>less than|fewer than|under|below|lower than|smaller than|short of)"
    r"|(?P<least>at least|no (?:less|fewer) than|not less than|minimum of)|(?P<at_most>at most|no more than|not more than|up to|maximum of)",
    re.IGNORECASE,
)


def multiplier(sheet: Sheet, measure: int | None) -> Fraction:
    """What one unit of the column stands for: "Population (millions)" holds 3.6 for 3,600,000."""
    if measure is None:
        return Fraction(1)
    name = f"{sheet.fields[measure].name} {sheet.fields[measure].unit}".replace("_", " ")
    if cjk := re.search(r"[（(](万|億|亿)", name):
        return Fraction(10**4 if cjk[1] == "万" else 10**8)
    for pattern, factor in ((r"\b(?:thousands?|tsd|'?000s?|[kK])\b", 10**3), (r"\b(?:millions?|mio|mn|M)\b", 10**6), (r"\b(?:billions?|bn|mrd)\b", 10**9)):
        if re.search(pattern, name):
            return Fraction(factor)
    return Fraction(1)


def is_condition(text: str, figure: Quantity, figures: Sequence[Quantity], reading: Reading, sheet: Sheet) -> bool:
    """Whether the figure is a bound that another, counted figure depends on: "four regions sold more than 100"."""
    if not operator_of(text, figure, reading.span):
        return False
    return any(other is not figure and counts_labels(other, reading, sheet) for other in figures)


def counts_labels(figure: Quantity, reading: Reading, sheet: Sheet) -> bool:
    """Whether the figure counts labels or rows: the name of a dimension follows it, or "of the" does."""
    if figure.percent or figure.value.denominator != 1 or figure.value > 10_000:
        return False
    following = [
        word for word in reading.words if word.span[0] >= figure.span[0] + len(figure.text.rstrip()) - len(figure.unit) and word.span[0] >= figure.span[0]
    ]
    following = [word for word in following if word.span[0] > figure.span[0]][:5]
    end = figure.span[1]
    for word in following:
        if word.span[0] - end > 1:
            break
        end = word.span[1]
        if any(mention.span[0] <= word.span[0] < mention.span[1] for mention in reading.dimensions(sheet) if _countable(sheet, mention.field)):
            return True
        if word.stem in ("row", "entry", "entri", "record") or (word.text.lower() in PEOPLE and _persons(sheet)):
            return True
        if word.text.lower() not in STOP_WORDS and word.stem not in NEUTRAL and not word.text.isdigit() and english_value(word.text) is None:
            break
    named = [mention for mention in reading.dimensions(sheet) if mention.span[1] <= figure.span[0] and _countable(sheet, mention.field)]
    if named and any(word.text.lower() in ("numbered", "number") and 0 <= figure.span[0] - word.span[1] <= 1 for word in reading.words):
        return True
    before = [mention for mention in reading.dimensions(sheet) if mention.span[1] <= figure.span[0] and figure.span[0] - mention.span[1] <= 3]
    lead = [word.text.lower() for word in reading.words if before and word.span[1] <= before[-1].span[0]]
    return bool(before) and any(word in ("of", "among", "amongst", "out") for word in lead[-3:])


_RANGING = re.compile(
    r"\b(?:rang(?:e|es|ed|ing)|runs?|ran|var(?:y|ies|ied|ying)|spans?|spanned)\b[^.;]{0,40}?\b(?:from|between)\s+(?:\w+ ){0,2}[$€£]?$", re.IGNORECASE
)


def end_of_range(text: str, figure: Quantity, figures: Sequence[Quantity], reading: Reading) -> str:
    """Whether the figure is the low or the high end that "ranged from X to Y" gives: `min`, `max`, or nothing."""
    for one, other in pairwise(figures):
        first = text[reading.span[0] : one.span[0]]
        if figure in (one, other) and _RANGING.search(first) and re.search(r"\b(?:to|and)\s+[$€£]?$", text[one.span[1] : other.span[0]]):
            return ("min" if one.value <= other.value else "max") if figure is one else ("max" if one.value <= other.value else "min")
    return ""


def counts_too(text: str, figure: Quantity, figures: Sequence[Quantity], reading: Reading, sheet: Sheet) -> bool:
    """Whether it counts what the figure before it does: the two of "four people work in London and two in Milan"."""
    before = [other for other in figures if other.span[1] <= figure.span[0]]
    if not before or figure.percent or figure.value.denominator != 1 or not counts_labels(before[-1], reading, sheet):
        return False
    label = next((mention for mention in reading.values if mention.span[0] >= figure.span[1]), None)
    gap = text[before[-1].span[1] : figure.span[0]]
    return (
        label is not None
        and bool(re.search(r"(?:\band|,)\s*$", gap))
        and bool(re.fullmatch(r"\s(?:in|at|from|for)\s(?:the )?", text[figure.span[1] : label.span[0]]))
    )


PEOPLE = frozenset("people persons men women".split())


def _persons(sheet: Sheet) -> bool:
    key = key_of(sheet)
    return key is not None and len(sheet.fields[key].values) == sheet.count and bool(set(sheet.fields[key].stems) & PERSONS)


def rows_meant(sheet: Sheet, reading: Reading, measures: Sequence[tuple[int, float]]) -> bool:
    """Whether a share is one of the number of rows: these are named, by their name or by a date that each of them has, and no measure is."""
    key = key_of(sheet)
    if key is None or len(sheet.fields[key].values) < sheet.count or any(strength >= 0.5 for _, strength in measures):
        return False
    moments = [sheet.fields[place] for place in sheet.dimensions if sheet.fields[place].temporal]
    if any(mention.field == key for mention in reading.dimensions(sheet)):
        return True
    return any(denotes(word, column) for word in reading.words for column in moments)


def _countable(sheet: Sheet, field: int) -> bool:
    column = sheet.fields[field]
    return "(" not in column.sql and not {value.lower() for value in column.values} <= {"yes", "no", "true", "false", "y", "n"}


def whole_of(text: str, figure: Quantity, figures: Sequence[Quantity]) -> bool:
    """Whether it is the five of "three of the five regions"."""
    return bool(re.search(r"\b(?:of|out of)\s+(?:the |all |its |our |these )?$", text[max(0, figure.span[0] - 16) : figure.span[0]])) and any(
        0 <= figure.span[0] - other.span[1] <= 14 for other in figures if other is not figure
    )


def operator_before(text: str, figure: Quantity, span: Span) -> str:
    """How the words before a figure make it a bound: `>`, `>=`, `<`, `<=`, or nothing."""
    window = text[max(span[0], figure.span[0] - 28) : figure.span[0]]
    last = next(reversed(list(BOUND.finditer(window))), None)
    if last is None or len(re.findall(r"\w+", window[last.end() :])) > 3 or re.search(r"[\d,;:]", window[last.end() :]):
        return ""
    if re.match(r"(?i:over) the\b", window[last.start() :]):
        return ""  # "over the five years" is a time, no bound
    return ">" if last["over"] else "<" if last["under"] else ">=" if last["least"] else "<="


_AFTER = re.compile(
    r"\s*(?:%|(?!or\b|and\b)[^\W\d]+)?\s*(?:(?:long|old|high|tall|wide|deep|of age|in \w+)\s+)?"
    r"(?:(?P<least>(?:or|and) (?:more|over|above|older|higher|longer|later|greater|heavier|taller|up|upwards|better|after)\b|\+|onwards?)"
    r"|(?P<most>(?:or|and) (?:less|fewer|under|below|younger|lower|shorter|earlier|lighter|smaller|cheaper|before)\b))",
    re.IGNORECASE,
)


def operator_after(text: str, figure: Quantity) -> tuple[str, str]:
    """How the words behind a figure make it a bound ("80 or over", "ten nights or longer"), and the word that does."""
    after = _AFTER.match(text, figure.span[1])
    if after is None or after.lastgroup is None:
        return "", ""
    return ">=" if after.lastgroup == "least" else "<=", after.group().split()[-1].lower()


def operator_of(text: str, figure: Quantity, span: Span) -> str:
    """The bound that a figure is by the words before or behind it, or nothing."""
    return operator_before(text, figure, span) or operator_after(text, figure)[0]


def count_conditions(
    text: str, figure: Quantity, figures: Sequence[Quantity], reading: Reading, sheet: Sheet, measures: Sequence[tuple[int, float]]
) -> list[Condition]:
    """The bounds that a counted figure depends on."""
    if not counts_labels(figure, reading, sheet) or whole_of(text, figure, figures):
        return []
    found: list[Condition] = []
    for other in figures:
        operator = operator_of(text, other, reading.span) if other is not figure else ""
        if operator:
            for measure, _ in measures:
                factor = multiplier(sheet, measure)
                bound = other.value / 100 if other.percent and not sheet.fields[measure].percent else other.value
                found.append(Condition(measure, operator, bound / factor if factor != 1 and bound >= factor else bound))
    return found
