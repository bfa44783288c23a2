"""The last gate before a figure is contradicted: that it stands nowhere in the rows that its sentence names, and that what was derived is what is said. Pure.

A sentence may name a measure by a word that no vocabulary has ("842 parcels on time"), choose rows by a column of yes and no ("vegetarian dishes"), set a
figure beside a label in brackets, or compare two columns of one row ("exceeded its budget by 6.3%"). In each the figure is right and the rule that misses
it sees another one. So before a contradiction every column and every choice of the rows named is tried: what agrees by accident is a finding lost, not a
false alarm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, permutations, product

from redraft.claims.numbers import Quantity, agrees
from redraft.planning.derivations import Derivation
from redraft.planning.figure_bounds import multiplier
from redraft.planning.named_columns import ColumnMention
from redraft.planning.sheets import Filter, Sheet
from redraft.planning.table_readings import Meaning, Scored

__all__ = ["uncertainty"]

MAX_CHOICES = 48
"""So many choices of the rows named are tried."""
MOST_ROWS = 2_000
FEW_ROWS = 12
"""Each single figure of so few rows is looked at; among more, one that agrees by accident is too likely."""
FARTHEST = 4
"""A wrong figure is no more than so many times the right one, or so many times smaller; what lies farther off speaks of something else."""
_TRUTHS = ("yes", "true", "y", "1", "x", "ja", "oui", "si", "sí")
Filters = tuple[Filter, ...]


_BESIDE = re.compile(
    r"\b(?:than|compared|comparison|versus|vs|against|between|difference|gap|ahead|behind|from|exceed\w*|out[a-z]{3,}ed|times|twice|double|half|as)\b",
    re.IGNORECASE,
)
"""Words without which two labels of a sentence are listed and not compared."""
_BETWEEN_COLUMNS = re.compile(r"\b(?:under|over|above|below|short of|beyond|within|beat|missed|overs[a-z]+|unders[a-z]+)\b", re.IGNORECASE)
"""Words that set one column against another: "56 under budget"."""


def uncertainty(text: str, meaning: Meaning, scored: Sequence[Scored], figure: Quantity) -> str:
    """Why the figure must not be contradicted though no derivation that the words ask for gives it, or nothing; `scored` are those, the best first."""
    best = scored[0].derivation
    if _only_listed(text, meaning, best):
        return "the sentence lists the labels and does not compare them"
    if not meaning.counting and _far_off(best, figure, meaning.sheet):
        return "the figure is of another magnitude than those of the table"
    return _coincidence(text, meaning, figure)


def _only_listed(text: str, meaning: Meaning, best: Derivation) -> bool:
    """Whether what fits best sets two labels against each other, and no word of the sentence does."""
    if best.operation not in ("change", "difference", "ratio"):
        return False
    labels = {(condition.field, condition.values) for condition in best.filters if not meaning.sheet.fields[condition.field].ordered}
    fields = [field for field, _ in labels]
    return len(set(fields)) < len(fields) and not _BESIDE.search(text, *meaning.reading.span)


def _far_off(best: Derivation, figure: Quantity, sheet: Sheet) -> bool:
    """Whether the figure is out of all proportion to what fits best, in the unit of the column as well as in the one its name states."""
    sizes = [abs(best.value), abs(best.value * multiplier(sheet, best.measure)), *([abs(best.value * 100)] if figure.percent else [])]
    said = abs(figure.value)
    return bool(said) and not any(size and size <= said * FARTHEST and said <= size * FARTHEST for size in sizes)


def _coincidence(text: str, meaning: Meaning, figure: Quantity) -> str:
    """Where else in the rows that the sentence names the figure stands, in words; nothing where it stands nowhere.

    Looks at every column of figures (not only at those named): at each figure, the sum, the mean and the ends of the rows of each choice of the labels said
    anywhere in the sentence, and at two columns of the same rows where the words compare; of rows that only a part of the labels names, at the sum.
    """
    compared = figure.percent or bool(_BESIDE.search(text, *meaning.reading.span)) or bool(_BETWEEN_COLUMNS.search(text, *meaning.reading.span))
    for filters, whole in islice(_choices(meaning), MAX_CHOICES):
        sums = dict[int, Fraction]()
        for place in _columns(meaning.sheet):
            figures = meaning.sheet.figures(place, filters)
            if not figures or len(figures) > MOST_ROWS:
                continue
            sums[place] = sum(figures, Fraction(0))
            factors = {Fraction(1), multiplier(meaning.sheet, place)}
            values = _of_rows(figures, sums[place]) if whole and filters else {sums[place]}
            if any(_is(value * each, figure) for value in values for each in factors):
                return f"the figure may be one of {meaning.sheet.fields[place].name}, which the sentence does not name in a way that is understood"
        if filters and whole and compared and any(_is(value, figure) for value in _of_columns(sums)):
            return "the figure may compare two columns of the rows that the sentence names"
    return ""


def _columns(sheet: Sheet) -> list[int]:
    return [place for place, column in enumerate(sheet.fields) if column.role == "measure" or (column.role == "other" and column.numeric)]


def _of_rows(figures: Sequence[Fraction], total: Fraction) -> set[Fraction]:
    """What the rows give: their sum, mean and ends, and each of them where they are few."""
    values = {total, total / len(figures), min(figures), max(figures)}
    return values | set(figures) if len(figures) <= FEW_ROWS else values


def _of_columns(sums: Mapping[int, Fraction]) -> Iterator[Fraction]:
    for first, second in permutations(sums.values(), 2):
        yield first - second
        if second:
            yield first / second
            yield (first - second) / abs(second)


def _is(value: Fraction, figure: Quantity) -> bool:
    """Whether the value may be the figure, whichever sign the words give it; as a percentage also a part of one."""
    sizes = {value, -value} | ({value * 100, -value * 100} if figure.percent else set[Fraction]())
    return any(agrees(size, figure) is not False for size in sizes)


def _choices(meaning: Meaning) -> Iterator[tuple[Filters, bool]]:
    """The rows that the labels of the sentence and its heading may choose, and whether by a label of every kind that is said; those of most labels first."""
    by_fields = dict[tuple[int, ...], list[Filters]]()
    for mention in (*meaning.reading.values, *(mention for group in meaning.groups for mention in group)):
        options = by_fields.setdefault(mention.fields, [])
        if mention.filters not in options:
            options.append(mention.filters)
    for options in by_fields.values():
        labels = tuple(dict.fromkeys(value for option in options if len(option) == 1 and option[0].operator == "=" for value in option[0].values))
        if len(labels) > 1:
            options.append((Filter(options[0][0].field, labels),))
        options.append(())
    kinds = len(by_fields)
    found = dict[Filters, bool]()
    for chosen in islice(product(*by_fields.values(), *_flags(meaning)), 4 * MAX_CHOICES):
        filters = tuple(condition for part in chosen for condition in part)
        found[filters] = found.get(filters, False) or all(chosen[:kinds])
    yield from sorted(found.items(), key=lambda item: (-len(item[0]), str(item[0])))


def _flags(meaning: Meaning) -> list[tuple[Filters, ...]]:
    """Columns of yes and no that the sentence names: "vegetarian dishes" are those that have a yes there."""
    named: tuple[ColumnMention, ...] = meaning.reading.columns
    flags: list[tuple[Filters, ...]] = []
    for place in dict.fromkeys(mention.field for mention in named):
        values = meaning.sheet.fields[place].values
        if 1 <= len(values) <= 2 and any(value.strip().lower() in _TRUTHS for value in values):
            flags.append(((), *((Filter(place, (value,)),) for value in values)))
    return flags
