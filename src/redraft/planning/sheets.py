"""The caller's tables as rules see them: exact figures, dimensions, periods, and wide tables read as long ones. Everything comes through the table tool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from redraft.planning.table_words import CJK_DIGITS, FOREIGN_MONTHS, MONTHS, UNIT_WORDS

__all__ = ["CJK_PERIOD", "Field", "Filter", "Period", "Sheet", "cjk_period", "column_words", "period_of", "quoted_name", "text_literal"]

Period = tuple[str, int | None, int]
"""Kind (`year`, `half`, `quarter`, `month`), year where known, number within the year (the year itself for a year)."""
_ENGLISH_MONTH = "|".join(name[:3] + f"(?:{name[3:]})?" if name != "may" else name for name in MONTHS).replace("sep(?:tember)?", "sept?(?:ember)?")
_MONTH = "|".join(FOREIGN_MONTHS) + "|" + _ENGLISH_MONTH
CJK_PERIOD = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d)\s*年度?)?\s*(?:第?(?P<quarter>[一二三四1-4])季度?|(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?|(?P<half>[上下])半年)?"
)
_YEAR = r"(?:fy\s?|cy\s?)?((?:19|20)\d\d)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("quarter", re.compile(rf"q([1-4])(?:[\s/_'-]*{_YEAR})?$|{_YEAR}[\s/_-]*q([1-4])$", re.IGNORECASE)),
    ("half", re.compile(rf"h([12])(?:[\s/_'-]*{_YEAR})?$|{_YEAR}[\s/_-]*h([12])$", re.IGNORECASE)),
    ("month", re.compile(rf"({_MONTH})\.?(?:[\s/_,'-]*{_YEAR})?$|{_YEAR}[\s/_-]*({_MONTH}|0[1-9]|1[0-2])$", re.IGNORECASE)),
    ("year", re.compile(rf"{_YEAR}()$", re.IGNORECASE)),
)


def period_of(text: str) -> Period | None:
    """The period that a label names: `Q3`, `Q3 2024`, `March`, `2024-03`, `FY2023`, `H1`."""
    text = text.strip()
    if text and (cjk := CJK_PERIOD.fullmatch(text)):
        return cjk_period(cjk)
    for kind, form in _FORMS:
        match = form.fullmatch(text)
        if match is None:
            continue
        if kind == "year":
            return "year", int(match[1]), int(match[1])
        number, year = (match[1], match[2]) if match[1] else (match[4], match[3])
        return kind, int(year) if year else None, _number_of(number.lower(), kind)
    return None


def cjk_period(match: re.Match[str]) -> Period | None:
    """The period of a match of the form "2023年第三季度", "3月", "2024年", "上半年"."""
    year = int(match["year"]) if match["year"] else None
    for kind in ("quarter", "month"):
        if match[kind]:
            return kind, year, CJK_DIGITS.get(match[kind]) or int(match[kind])
    if match["half"]:
        return "half", year, 1 if match["half"] == "上" else 2
    return ("year", year, year) if year is not None else None


def _number_of(text: str, kind: str) -> int:
    if text in FOREIGN_MONTHS:
        return FOREIGN_MONTHS[text]
    if kind == "month" and not text.isdigit():
        return next(number for number, name in enumerate(MONTHS, 1) if name.startswith(text[:3]))
    return int(text)


def column_words(name: str) -> tuple[str, ...]:
    """The words of a column name, without what stands in brackets: `unit_price`, `UnitPrice` and `Unit price (€)` are all unit, price."""
    bare = re.sub(r"\([^)]*\)|\[[^\]]*\]|（[^）]*）", " ", name)
    bare = re.sub(r"(?<=[a-zäöü])(?=[A-Z])|[_\-/.,:;#%€$£]+", " ", bare)
    return tuple(re.findall(r"\w+", bare))


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on rows: the column's value is (not) one of these, or compares so with a bound."""

    field: int
    values: tuple[str, ...]
    operator: str = "="
    """`=` and `!=` compare labels, `is`, `>`, `>=`, `<` and `<=` figures."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One column: a `measure` holds figures to compute with, a `dimension` labels or periods to choose rows by."""

    name: str
    sql: str
    role: str
    """`measure`, `dimension` or `other`."""
    unit: str = ""
    stems: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    """The distinct labels of a dimension, in the order in which they appear (periods in the order of time)."""
    periods: tuple[Period | None, ...] = ()
    numeric: bool = False
    years: bool = False
    """Whether the figures are years."""

    @property
    def ordered(self) -> bool:
        return bool(self.periods) and all(period is not None for period in self.periods)

    @property
    def temporal(self) -> str:
        """`date` or `time` if every label is one, written so that their order as text is that of time."""
        if self.role != "dimension" or not self.values:
            return ""
        forms = (("date", r"\d{4}-\d\d-\d\d.*"), ("time", r"(?:[01]\d|2[0-4]):[0-5]\d(?::\d\d)?"))
        return next((name for name, form in forms if all(re.fullmatch(form, value) for value in self.values)), "")

    @property
    def units(self) -> frozenset[str]:
        """The units that stand beside its figures or in brackets in its name, with their other spellings: "h", "hour", "hours"."""
        said = [self.unit, *(part for inside in re.findall(r"[(\[（]([^)\]）]*)[)\]）]", self.name) for part in inside.split())]
        return frozenset(word for unit in said if unit for word in UNIT_WORDS.get(unit.lower().lstrip("°"), (unit.lower().lstrip("°"),)))

    @property
    def percent(self) -> bool:
        return self.unit == "%" or bool(re.search(r"%|\bpercent|\bpct\b|\brate\b|\bshare\b", self.name, re.IGNORECASE))


@dataclass(kw_only=True, slots=True, eq=False)
class Sheet:
    """One table held exactly: figures as integers over a common denominator, labels as text."""

    name: str
    source: str
    """What follows FROM."""
    where: str
    """A condition that leaves out rows of totals, or empty."""
    fields: tuple[Field, ...]
    cells: tuple[tuple[Any, ...], ...]
    """By column: labels as text, figures as integers; None where the cell is empty."""
    scales: tuple[int, ...]
    certain: bool
    stems: tuple[str, ...]
    count: int
    place: str = ""
    """Where it stands, if it is a table of the checked text itself: then no tool holds it."""
    _rows: dict[tuple[Filter, ...], tuple[int, ...]] = field(default_factory=dict[tuple[Filter, ...], tuple[int, ...]])

    @property
    def measures(self) -> tuple[int, ...]:
        return tuple(index for index, column in enumerate(self.fields) if column.role == "measure")

    @property
    def dimensions(self) -> tuple[int, ...]:
        return tuple(index for index, column in enumerate(self.fields) if column.role == "dimension")

    def rows(self, filters: Iterable[Filter]) -> tuple[int, ...]:
        """Indices of the rows that pass all filters."""
        key = tuple(filters)
        if key not in self._rows:
            found = range(self.count)
            for condition in key:
                found = [row for row in found if self._passes(row, condition)]
            self._rows[key] = tuple(found)
        return self._rows[key]

    def _passes(self, row: int, condition: Filter) -> bool:
        cell = self.cells[condition.field][row]
        if cell is None:
            return False
        if condition.operator == "=":
            return str(cell) in condition.values
        if condition.operator == "!=":
            return str(cell) not in condition.values
        if condition.operator == "is":
            return Fraction(cell, self.scales[condition.field]) == Fraction(condition.values[0])
        if isinstance(cell, str):
            bound_text = condition.values[0]
            return {">": cell > bound_text, ">=": cell >= bound_text, "<": cell < bound_text, "<=": cell <= bound_text}[condition.operator]
        figure, bound = Fraction(cell, self.scales[condition.field]), Fraction(condition.values[0])
        return {">": figure > bound, ">=": figure >= bound, "<": figure < bound, "<=": figure <= bound}[condition.operator]

    def figures(self, measure: int, filters: Iterable[Filter]) -> list[Fraction]:
        column, scale = self.cells[measure], self.scales[measure]
        return [Fraction(column[row], scale) for row in self.rows(filters) if column[row] is not None]

    def total(self, measure: int, filters: Iterable[Filter]) -> Fraction | None:
        column = self.cells[measure]
        found = [column[row] for row in self.rows(filters) if column[row] is not None]
        return Fraction(sum(found), self.scales[measure]) if found else None

    def condition(self, filters: Iterable[Filter]) -> str:
        """The filters as SQL, with WHERE, or nothing."""
        parts = [self.where] if self.where else []
        for condition in filters:
            column = self.fields[condition.field]
            values = [value if column.numeric else text_literal(value) for value in condition.values]
            if condition.operator in ("=", "!="):
                word = ("IN" if condition.operator == "=" else "NOT IN") if len(values) > 1 else condition.operator
                parts.append(f"{column.sql} {word} ({', '.join(values)})" if len(values) > 1 else f"{column.sql} {word} {values[0]}")
            else:
                bound = condition.values[0] if column.numeric else text_literal(condition.values[0])
                parts.append(f"{column.sql} {condition.operator.replace('is', '=')} {bound}")
        return " WHERE " + " AND ".join(parts) if parts else ""

    def select(self, what: str, filters: Iterable[Filter] = ()) -> str:
        return f"SELECT {what} FROM {self.source}{self.condition(filters)}"


def text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
