"""Why a figure must not be contradicted by a table: what the sentence leaves open, by what it refers to and by what kind of value it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from redraft.claims.numbers import Quantity, agrees
from redraft.claims.words import STOP_WORDS, words
from redraft.planning.accounting import said_currencies
from redraft.planning.answer_types import denotes
from redraft.planning.derivations import Derivation, amounts
from redraft.planning.figure_bounds import BOUND, multiplier
from redraft.planning.figure_meanings import BY_UNIT, UNNAMED, says
from redraft.planning.mentions import Reading
from redraft.planning.sheets import Filter, Sheet
from redraft.planning.table_readings import Meaning, Scored
from redraft.planning.table_words import NEUTRAL, UNIVERSAL, root

__all__ = ["SUPPORT", "exact_forms", "figure_doubt", "gives"]

SUPPORT = 0.5
"""The least fit with which a derivation that gives the figure supports it."""


def gives(derivation: Derivation, figure: Quantity, meaning: Meaning) -> bool | None:
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


def figure_doubt(meaning: Meaning, scored: Sequence[Scored], figure: Quantity, figures: Sequence[Quantity], text: str) -> str:
    """Why the figure must not be contradicted by this table, or nothing."""
    if re.search(r"%\s+of\b.*\b(?:that is|i\.e\.|meaning|which is|or)[,:]?\s*(?:about |around )?[$€£]?$", text[meaning.reading.span[0] : figure.span[0]]):
        return "the figure is a part that the sentence computes itself"
    if _line_items(meaning):
        return "the rows of the table are not of one kind, so that they do not add up"
    if _one_period(meaning, scored, figure):
        return "the figure is that of a period which the sentence does not name"
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
    if (
        asked
        and not meaning.counting
        and scored[0].derivation.operation not in asked | {"range"}
        and not any(one.derivation.operation in asked for one in scored[:40])
    ):
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
        return "the sentence names a period that the table does not have, or not wholly"
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
        if not any(
            sheet.fields[measure].percent or (strength >= 0.9 and _fractions(sheet, measure)) for measure, strength in meaning.measures if strength >= 0.65
        ):
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


_PLAIN_DATES = frozenset(
    root(word) for word in "date day month time period year week quarter timestamp order sale sales transaction invoice booking of".split()
)


_ITEMS = frozenset(
    root(word) for word in "revenue sales cost costs profit expense expenses income loss asset assets liability equity ebit ebitda tax margin cash debt".split()
)


def _line_items(meaning: Meaning) -> bool:
    """Whether the rows are the items of a statement (revenue, costs, profit) and the sentence does not say which."""
    named = {place for group in meaning.groups for place in group[0].fields}
    for place in meaning.sheet.dimensions:
        column = meaning.sheet.fields[place]
        if place not in named and not column.ordered and sum(bool({root(word.text) for word in words(value)} & _ITEMS) for value in column.values[:60]) > 1:
            return True
    return False


def _one_period(meaning: Meaning, scored: Sequence[Scored], figure: Quantity) -> bool:
    """Whether the best derivation gives the figure for a single period, of a table with several, where the sentence names none: the text around may."""
    named = {place for group in meaning.groups for place in group[0].fields}
    best = next((one.derivation for one in scored if one.derivation.kind == "amount"), None)
    if best is None or best.measure is None:
        return False
    for place in meaning.sheet.dimensions:
        column = meaning.sheet.fields[place]
        for value in column.values[:40] if column.ordered and place not in named else ():
            for one in amounts(meaning.sheet, best.measure, (*best.filters, Filter(place, (value,)))):
                if one.operation in (best.operation, "cell") and gives(one, figure, meaning) is not False:
                    return True
    return False


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
