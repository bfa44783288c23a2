"""Periods as prose writes them ("the third quarter of 2024", "March", "in 2023"), and the rows of a table that they choose."""

from __future__ import annotations

import re

from redraft.planning.period_coverage import covered, half_filled, of_one_part
from redraft.planning.sheets import CJK_PERIOD, Filter, Period, Sheet, cjk_period, period_of
from redraft.planning.table_words import FOREIGN_MONTHS, MONTHS, root
from redraft.types import Span

__all__ = ["written_periods"]

_ENGLISH_MONTH = "|".join(f"{name[:3].title()}(?:{name[3:]})?" if name != "may" else "May" for name in MONTHS).replace("Sep(?:tember)?", "Sept?(?:ember)?")
_MONTH = "|".join(name.title() for name in FOREIGN_MONTHS) + "|" + _ENGLISH_MONTH
_ORDINAL = r"(?i:first|second|third|fourth|1st|2nd|3rd|4th|last|final)"
_WRITTEN_PERIOD = re.compile(
    rf"\b(?:(?P<quarter>[Qq][1-4]|{_ORDINAL}[ -][Qq]uarter)|(?P<half>H[12]|(?i:first|second|1st|2nd)[ -][Hh]alf)|(?P<month>(?:{_MONTH})\b\.?))"
    r"(?:[\s,]*(?:of|in)?\s*(?:FY\s?|CY\s?)?(?P<of>(?:19|20)\d\d)\b)?"
    r"|\b(?P<iso>(?:19|20)\d\d-(?:0[1-9]|1[0-2]|Q[1-4]))\b(?!-)"
    r"|(?<![\d.,$€£¥])\b(?P<year>(?:19|20)\d\d)\b(?![.,]\d|\s?%|\s(?:thousand|million|billion)\b|-\d)(?:\s(?P<yearof>[Qq][1-4])\b)?",
)
_SAID_TO_BE = re.compile(r"(?:\b(?:was|is|were|are|reached|hit|totall?ed|sold|had|has|recorded|came to|stood at|=)|[:$€£¥])\s*$", re.IGNORECASE)
_NUMBERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1, "final": -1}


def written_periods(sheet: Sheet, text: str, span: Span) -> tuple[list[tuple[Span, tuple[Filter, ...]]], list[Span]]:
    """Periods said in the text with the rows of the table that they choose, and those that the table does not have, or not wholly."""
    named: list[Period] = []
    partial: list[tuple[Period, Span]] = []
    found: list[tuple[Span, tuple[Filter, ...]]] = []
    unresolved: list[Span] = []
    for match in _WRITTEN_PERIOD.finditer(text, *span):
        start = match.start("year") if match["year"] else match.start()
        period = _read_period(match)
        if period is None:
            continue
        filters = _period_filters(sheet, period)
        if filters is not None:
            named.append(period)
            found.append(((start, match.end()), filters))
            if not covered(sheet, period, filters):
                partial.append((period, (start, match.end())))
        elif not match["year"] or not _figure_like(text, start, match.end(), sheet):
            unresolved.append((start, match.end()))
    for match in CJK_PERIOD.finditer(text, *span) if _CJK_TEXT.search(text, *span) else ():
        period = cjk_period(match) if match.group().strip() else None
        before = text[max(span[0], match.start() - 1) : match.start()]
        if period is None or before in ("个", "几", "数"):
            continue
        filters = _first_periods(sheet, period) if before == "前" else _period_filters(sheet, period) if before not in ("后", "近", "每") else None
        if filters is not None:
            named.append(period)
            found.append((match.span(), filters))
            if not covered(sheet, period, filters):
                partial.append((period, match.span()))
        else:
            unresolved.append(match.span())
    unresolved.extend(place for period, place in partial if not of_one_part(text, span, period, named))
    unresolved.extend(place for place in half_filled(sheet, text, span, named) if not any(place[0] < end and start < place[1] for (start, end), _ in found))
    return found, unresolved


def _first_periods(sheet: Sheet, period: Period) -> tuple[Filter, ...] | None:
    """The rows of the first three quarters of "前三季度"."""
    kind, year, number = period
    each = [_period_filters(sheet, (kind, year, earlier)) for earlier in range(1, number + 1)]
    if any(one is None or len(one) != 1 for one in each):
        return None
    conditions = [one[0] for one in each if one]
    return (Filter(conditions[0].field, tuple(value for condition in conditions for value in condition.values)),)


_CJK_TEXT = re.compile("[年季月]")


def _figure_like(text: str, start: int, end: int, sheet: Sheet) -> bool:
    """Whether four digits that may be a year are an amount: said to be one, or followed by what is counted."""
    if _SAID_TO_BE.search(text[max(0, start - 14) : start]):
        return True
    dated = {name for column in sheet.fields if column.years for name in column.stems}
    if dated & {root(word) for word in re.findall(r"[^\W\d]+", text[max(0, start - 24) : start])}:
        return True
    following = re.match(r"\s+([^\W\d]+)", text[end : end + 30])
    counted = {name for column in sheet.fields for name in column.stems}
    return following is not None and not re.search(r"(?:['’]s?|\b[Ii]n|\bthe)\s*$", text[:start]) and root(following[1]) in counted


def _read_period(match: re.Match[str]) -> Period | None:
    year = int(match["of"]) if match["of"] else None
    if match["quarter"] or match["half"]:
        kind = "quarter" if match["quarter"] else "half"
        said = (match["quarter"] or match["half"]).lower()
        number = int(said[1]) if said[1].isdigit() else _NUMBERS[re.split("[ -]", said)[0]]
        return kind, year, number if number > 0 else (4 if kind == "quarter" else 2)
    if match["month"]:
        said = match["month"].lower().rstrip(".")
        number = FOREIGN_MONTHS.get(said) or next(number for number, name in enumerate(MONTHS, 1) if name.startswith(said[:3]))
        return "month", year, number
    if match["iso"]:
        return period_of(match["iso"])
    if match["yearof"]:
        return "quarter", int(match["year"]), int(match["yearof"][1])
    return "year", int(match["year"]), int(match["year"])


def _period_filters(sheet: Sheet, period: Period) -> tuple[Filter, ...] | None:
    kind, year, _ = period
    for place in sheet.dimensions:
        column = sheet.fields[place]
        if not column.ordered:
            continue
        fits = tuple(value for value, own in zip(column.values, column.periods, strict=True) if own is not None and _covers(period, own))
        if not fits:
            continue
        if kind != "year" and year is not None and column.periods[0] is not None and column.periods[0][1] is None:
            rest = _period_filters(sheet, ("year", year, year))
            if rest is None:
                continue
            return (Filter(place, fits), *rest)
        return (Filter(place, fits),)
    return None


def _covers(wanted: Period, own: Period) -> bool:
    kind, year, number = wanted
    if kind == "year":
        return own[1] == year
    if year is not None and own[1] is not None and own[1] != year:
        return False
    if own[0] == kind:
        return own[2] == number
    if own[0] == "month" and kind in ("quarter", "half"):
        return (own[2] - 1) // (3 if kind == "quarter" else 6) + 1 == number
    return own[0] == "quarter" and kind == "half" and (own[2] + 1) // 2 == number
