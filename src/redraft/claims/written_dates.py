"""Dates as people write them: `2024-03-01`, `1 March 2024`, `March 1st, 2024`, `25/12/2024`, `1.3.2024`, `2024年3月1日`.

A figure like 03/04/2024, which is March or April, is never guessed; nor is a year of two digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

__all__ = ["MONTHS", "MONTH_NAMES", "WEEKDAYS", "DateError", "DateStyle", "WrittenDate", "find_dates", "read_date", "written"]

DateStyle = Literal["iso", "day_first", "month_first", "numeric", "cjk"]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH_NAMES = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
MONTHS: dict[str, int] = (
    {name.lower(): number for number, name in enumerate(MONTH_NAMES, 1)}
    | {name[:3].lower(): number for number, name in enumerate(MONTH_NAMES, 1)}
    | {"sept": 9}
)
MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
YEAR = r"(?P<year>\d{4})(?!\d)"
ERA = r"(?P<era>\s*(?:BCE|BC|B\.C\.(?:E\.)?))?(?![^\W_])"
FORMS: tuple[tuple[DateStyle, re.Pattern[str]], ...] = (
    ("iso", re.compile(r"(?<![\d\w/-])(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d/-])(?:T[\d:.]+Z?)?")),
    ("cjk", re.compile(r"(?P<year>\d{4})\s*年\s*(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]")),
    ("day_first", re.compile(rf"(?<![\w.]){DAY}\s*(?:of\s+|-)?{MONTH}[\s,-]*(?:of\s+|in\s+)?{YEAR}{ERA}", re.IGNORECASE)),
    ("month_first", re.compile(rf"(?<![^\W_]){MONTH}[\s-]*(?:the\s+)?{DAY}(?:\s*,\s*|\s+|-)(?:of\s+)?{YEAR}{ERA}", re.IGNORECASE)),
    ("numeric", re.compile(r"(?<![\d\w/.-])(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})(?![\d/-])")),
)


class DateError(ValueError):
    """The text is no date, or can be read as more than one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenDate:
    """A date in a text: `value` is None where it cannot be read in one way, and `why_not` says why."""

    value: date | None
    span: tuple[int, int]
    style: DateStyle
    why_not: str = ""


def find_dates(text: str) -> tuple[WrittenDate, ...]:
    """All full dates in a text, in order, ambiguous and impossible ones too."""
    found: list[WrittenDate] = []
    for style, form in FORMS:
        for match in form.finditer(text):
            if all(match.end() <= other.span[0] or match.start() >= other.span[1] for other in found):
                found.append(reading(style, match))
    return tuple(sorted(found, key=lambda item: item.span))


def reading(style: DateStyle, match: re.Match[str]) -> WrittenDate:
    parts = match.groupdict()
    span = match.span()
    if parts.get("era"):
        return WrittenDate(value=None, span=span, style=style, why_not="dates before the year 1 are not taken")
    year = int(parts["year"])
    if style == "numeric":
        first, second = int(parts["first"]), int(parts["second"])
        if len(parts["year"]) < 4:
            return WrittenDate(value=None, span=span, style=style, why_not="a year of two digits can be read in two ways; write all four")
        if first <= 12 and second <= 12 and first != second and parts["mark"] != ".":
            why = f"{match.group()} can be read day first or month first; write it like {year}-{second:02d}-{first:02d}"
            return WrittenDate(value=None, span=span, style=style, why_not=why)
        day, month = (first, second) if second <= 12 else (second, first)
    else:
        day = int(parts["day"])
        month = int(parts["month"]) if parts["month"].isdigit() else MONTHS[parts["month"].lower()]
    try:
        return WrittenDate(value=date(year, month, day), span=span, style=style)
    except ValueError:
        return WrittenDate(value=None, span=span, style=style, why_not=f"there is no date {match.group()}")


def read_date(text: str) -> date:
    """The one date that the text is; a weekday before it is allowed.

    Raises:
        DateError: it is no date, or can be read as more than one.
    """
    spelled = text.strip().strip(".,")
    for name in WEEKDAYS:
        if spelled.lower().startswith(name.lower()):
            spelled = spelled[len(name) :].lstrip(" ,")
    found = find_dates(spelled)
    if len(found) != 1 or found[0].span != (0, len(spelled)):
        raise DateError(f"{text[:60]!r} is not a date in full; write it like 2024-03-01")
    if found[0].value is None:
        raise DateError(found[0].why_not)
    return found[0].value


def written(value: date, style: DateStyle = "iso") -> str:
    """The date in the style of another one."""
    if style == "day_first":
        return f"{value.day} {MONTH_NAMES[value.month - 1]} {value.year:04d}"
    if style == "month_first":
        return f"{MONTH_NAMES[value.month - 1]} {value.day}, {value.year:04d}"
    if style == "cjk":
        return f"{value.year}年{value.month}月{value.day}日"
    return value.isoformat()
