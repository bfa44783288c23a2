"""The calendar is the Gregorian one; what can be read as two dates is refused."""

from __future__ import annotations

import calendar
from contextlib import suppress
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.written_dates import DateError, find_dates, read_date, written
from redraft.tools.dates import DatesTool
from redraft.types import Failure, ToolCall


async def value(call: str) -> str:
    result = await DatesTool().run(ToolCall(tool="dates", input=call))
    assert not isinstance(result, Failure), result
    return result[0].value


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("weekday(2024-03-01)", "Friday"),
        ('weekday("March 1st, 2024")', "Friday"),
        ('weekday("Friday, 1 March 2024")', "Friday"),
        ('weekday("1.3.2024")', "Friday"),
        ('weekday("25/12/2024")', "Wednesday"),
        ('weekday("2024年3月1日")', "Friday"),
        ("add_days(2024-03-03, 45)", "2024-04-17"),
        ("add_days(2024-01-01, -400)", "2022-11-27"),
        ("add_weeks(2024-01-01, 2)", "2024-01-15"),
        ('add_months("31 January 2024", 1)', "2024-02-29"),
        ("add_years(2024-02-29, 1)", "2025-02-28"),
        ("days_between(2024-01-01, 2024-12-25)", "359"),
        ("days_between(2024-12-25, 2024-01-01)", "359"),
        ("days_inclusive(2024-03-01, 2024-03-31)", "31"),
        ("weeks_between(2024-01-01, 2024-01-16)", "2"),
        ("months_between(2024-01-31, 2024-02-29)", "1"),
        ("years_between(2000-02-29, 2023-02-27)", "22"),
        ("age(1990-05-05, 2024-05-04)", "33"),
        ("age(1990-05-05, 2024-05-05)", "34"),
        ("duration(2020-02-29, 2024-03-01)", "4 years, 1 day"),
        ("day_of_year(2024-12-31)", "366"),
        ("days_left_in_year(2023-12-01)", "30"),
        ("week_number(2021-01-01)", "53"),
        ("end_of_month(2023-02-10)", "2023-02-28"),
        ("is_leap_year(1900)", "no"),
        ("is_leap_year(2000)", "yes"),
        ("next_leap_year(2096)", "2104"),
        ("days_in_month(2024, 2)", "29"),
        ('days_in_month(2024, "April")', "30"),
        ('nth_weekday(2024, 5, "Monday", 1)', "2024-05-06"),
        ('nth_weekday(2024, 5, "Fri", -1)', "2024-05-31"),
        ('next_weekday(2024-03-01, "Friday")', "2024-03-08"),
        ('previous_weekday(2024-03-01, "Monday")', "2024-02-26"),
        ("nth_day_of_year(2024, 100)", "2024-04-09"),
        ("business_days_between(2024-03-01, 2024-03-11)", "6"),
        ("add_business_days(2024-03-01, 1)", "2024-03-04"),
        ("quarter(2024-05-05)", "2"),
        ("earlier(2024-05-05, 2023-05-05)", "2023-05-05"),
    ],
)
async def test_calendar_facts(call: str, expected: str) -> None:
    assert await value(call) == expected


@pytest.mark.parametrize(
    ("call", "kind", "part"),
    [
        ("", "empty", "empty"),
        ("tomorrow", "bad_input", "write a call"),
        ('weekday("03/04/2024")', "bad_input", "day first or month first"),
        ('weekday("1/2/24")', "bad_input", "two digits"),
        ('weekday("29 February 2023")', "bad_input", "no date"),
        ("weekday(2024-13-01)", "bad_input", "no date"),
        ('weekday("15 March 44 BC")', "bad_input", "date"),
        ('weekday("15 March 0044 BC")', "bad_input", "before the year 1"),
        ("add_days(9999-12-31, 1)", "too_large", "9999"),
        ("add_days(2024-01-01, 99999999999)", "too_large", "9999"),
        ("add_months(2024-01-01, -99999)", "too_large", "9999"),
        ("age(2024-01-01, 2023-01-01)", "bad_input", "before the birth"),
        ("weekday()", "bad_input", "1 arguments"),
        ("weekday(3)", "bad_input", "a date"),
        ("open('x')", "unsupported", "not a function"),
        ("weekday(__import__('os'))", "bad_input", "arguments"),
        ('nth_weekday(2024, 2, "Monday", 6)', "bad_input", "Mondays"),
        ('next_weekday(2024-03-01, "Someday")', "bad_input", "day of the week"),
    ],
)
async def test_what_is_no_date_fails_in_words(call: str, kind: str, part: str) -> None:
    result = await DatesTool().run(ToolCall(tool="dates", input=call))
    assert isinstance(result, Failure)
    assert result.kind == kind
    assert part in result.message


def test_dates_are_found_in_a_text_with_their_style() -> None:
    found = find_dates("From 3 March 2024 (or 2024-03-05) to March 7th, 2024, never 03/04/2024.")
    assert [(item.value, item.style) for item in found] == [
        (date(2024, 3, 3), "day_first"),
        (date(2024, 3, 5), "iso"),
        (date(2024, 3, 7), "month_first"),
        (None, "numeric"),
    ]


@given(st.dates(min_value=date(1000, 1, 1)), st.sampled_from(["iso", "day_first", "month_first", "cjk"]))
def test_a_written_date_is_read_back(day: date, style: str) -> None:
    assert read_date(written(day, style)) == day  # type: ignore[arg-type]


@given(st.dates(min_value=date(1000, 1, 1), max_value=date(9000, 1, 1)), st.integers(min_value=-100_000, max_value=100_000))
async def test_days_added_and_counted_agree(day: date, n: int) -> None:
    later = date.fromisoformat(await value(f"add_days({day.isoformat()}, {n})"))
    assert later == day + timedelta(days=n)
    assert await value(f"days_between({day.isoformat()}, {later.isoformat()})") == str(abs(n))
    assert await value(f"weekday({day.isoformat()})") == calendar.day_name[day.weekday()]


@given(st.text(max_size=40))
def test_any_text_is_a_date_or_refused(text: str) -> None:
    with suppress(DateError):
        assert isinstance(read_date(text), date)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ('minutes_between("09:40", "11:15")', "95"),
        ('minutes_between("22:30", "01:15")', "165"),
        ('add_minutes("20:30", 45)', "21:15"),
        ('add_minutes("00:15", -30)', "23:45"),
        ('minutes_between("09:40", "25:00")', None),
        ('minutes_between("9.40", "10:00")', None),
        ('add_minutes("09:40", 99999999)', None),
    ],
)
async def test_times_of_day(call: str, value: str | None) -> None:
    found = await DatesTool().run(ToolCall(tool="dates", input=call))
    assert isinstance(found, Failure) if value is None else (isinstance(found, tuple) and found[0].value == value)
