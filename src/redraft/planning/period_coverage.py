"""Whether a table has every part of a period: the figure of a quarter, of which it has two months, cannot be computed from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from redraft.claims.written_dates import WEEKDAYS
from redraft.planning.sheets import Filter, Period, Sheet
from redraft.types import Span

__all__ = ["covered", "half_filled", "has_periods", "of_one_part"]

_MONTHS_OF = {"year": 12, "half": 6, "quarter": 3, "month": 1}
_WHOLE = re.compile(
    r"\b(?P<year>year(?![ -]to[ -]date)|annual(?:ly)?|yearly)\b(?!-)|\b(?P<half>half[- ]year(?:ly)?)\b"
    r"|\b(?P<quarter>quarter(?:ly)?)\b|\b(?P<week>week(?:ly)?)\b"
    r"|(?P<todate>\byear[- ]to[- ]date\b|\bYTD\b|\bso far this year\b|今年以来|本年累计)"
    r"|(?P<year_cjk>全年|年度|年間)|(?P<quarter_cjk>本季度?|该季度?|四半期)|(?P<week_cjk>本周|全周|一周|这周|该周|週間)",
    re.IGNORECASE,
)
"""Words for a stretch of time that do not say which one."""
_PART = re.compile(r"\b(?:quarter of (?:the|all|its|their|our)\b|half of\b)", re.IGNORECASE)


def covered(sheet: Sheet, period: Period, filters: Sequence[Filter]) -> bool:
    """Whether the rows that the filters choose have every part of the period that rows of this table stand for.

    A column of periods must have each month (or quarter, or half) of it. A column of dates must have one in each month, where the period is the first or the
    last of the table: between others, a month without a row is one in which nothing happened. A series of days must have each day.
    """
    for place in sheet.dimensions:
        column = sheet.fields[place]
        if column.ordered and "(" not in column.sql:
            size = _size(column.periods)
            if size and size < _MONTHS_OF[period[0]] and len(_months(sheet, place, filters)) * size < _MONTHS_OF[period[0]]:
                return False
        elif column.temporal == "date" and not _dates_cover(sheet, place, period, filters):
            return False
    return True


def has_periods(sheet: Sheet) -> bool:
    """Whether rows of the table stand for periods or days: one without any is all of one time, which a heading may name ("# Q3 report")."""
    columns = [sheet.fields[place] for place in sheet.dimensions]
    return any(column.ordered or column.temporal == "date" for column in columns)


def of_one_part(text: str, span: Span, period: Period, named: Sequence[Period]) -> bool:
    """Whether the text names a part of the period too and speaks of nothing that takes all parts: "In 2024, income in July was 2,800"."""
    parts = any(_MONTHS_OF[other[0]] < _MONTHS_OF[period[0]] for other in named)
    return parts and not _OF_ALL.search(text, *span)


_OF_ALL = re.compile(
    r"\b(?:total\w*|sums?|overall|altogether|together|combined|average\w*|mean|median|annual\w*|whole|entire|full|highest|lowest|most|least|best|worst|peak\w*"
    r"|top|share|percent|max\w*|min\w*|all|of the)\b|%|合计|总|共|平均|最|全|占",
    re.IGNORECASE,
)


def half_filled(sheet: Sheet, text: str, span: Span, named: Sequence[Period]) -> tuple[Span, ...]:
    """Where the text says "the year", "the quarter" or "the week" and the table has only a part of one; `named` are the periods it names."""
    found: list[Span] = []
    for match in _WHOLE.finditer(text, *span):
        kind = next(name for name, said in match.groupdict().items() if said).removesuffix("_cjk")
        if _PART.match(text, match.start()) or any(period[0] == kind for period in named):
            continue
        if not _has_whole(sheet, kind):
            found.append(match.span())
    return tuple(found)


def _has_whole(sheet: Sheet, kind: str) -> bool:
    """Whether the table has all parts of such a period, or no parts of it at all."""
    for place in sheet.dimensions:
        column = sheet.fields[place]
        if kind == "week":
            days = {value.strip().lower()[:3] for value in column.values}
            if days and days <= _DAYS and not _WORKING <= days:
                return False
        elif column.ordered and "(" not in column.sql:
            size = _size(column.periods)
            if kind == "todate":
                numbers = {period[2] for period in column.periods if period is not None}
                if 0 < size < _MONTHS_OF["year"] and numbers != set(range(1, len(numbers) + 1)):
                    return False
            elif size and size < _MONTHS_OF[kind] and len(set(column.periods)) * size < _MONTHS_OF[kind]:
                return False
    return True


_DAYS = frozenset(name.lower()[:3] for name in WEEKDAYS)
_WORKING = frozenset(name.lower()[:3] for name in WEEKDAYS[:5])


def _size(periods: Sequence[Period | None]) -> int:
    """Months of each of the periods; 0 where they are of several kinds."""
    kinds = {period[0] for period in periods if period is not None}
    return _MONTHS_OF[next(iter(kinds))] if len(kinds) == 1 else 0


def _months(sheet: Sheet, place: int, filters: Sequence[Filter]) -> set[Period]:
    by_label = dict(zip(sheet.fields[place].values, sheet.fields[place].periods, strict=True))
    cells = sheet.cells[place]
    return {period for row in sheet.rows(filters) if cells[row] is not None and (period := by_label.get(str(cells[row]))) is not None}


def _dates_cover(sheet: Sheet, place: int, period: Period, filters: Sequence[Filter]) -> bool:
    try:
        every = sorted({date.fromisoformat(value[:10]) for value in sheet.fields[place].values})
        cells = sheet.cells[place]
        inside = sorted({date.fromisoformat(str(cells[row])[:10]) for row in sheet.rows(filters) if cells[row] is not None})
    except ValueError:
        return True
    if not inside or len({day.year for day in inside}) > 1:
        return True
    daily = len(every) > 2 and (every[-1] - every[0]).days == len(every) - 1
    if daily and (inside[0] == every[0] or inside[-1] == every[-1]):
        return len(inside) >= 28 * _MONTHS_OF[period[0]]
    if every[0] < inside[0] and inside[-1] < every[-1]:
        return True
    return period[0] == "month" or len({day.month for day in inside}) >= _MONTHS_OF[period[0]]
