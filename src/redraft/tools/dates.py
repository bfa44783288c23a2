"""The calendar and the clock: weekdays, durations, dates and times before and after others, in the Gregorian calendar (used for all years from 1 to 9999)."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from redraft.claims.written_dates import MONTH_NAMES, MONTHS, WEEKDAYS, DateError, read_date, written
from redraft.tools.calls import CallError, read_call
from redraft.types import Evidence, Failure, ToolCall, ToolResult

__all__ = ["FUNCTIONS", "DatesTool", "add_months", "whole_months"]

MAX_STEP = 4_000_000
"""Days: more than the calendar holds."""
DAY_MINUTES = 24 * 60


def long(value: date) -> str:
    return f"{WEEKDAYS[value.weekday()]}, {written(value, 'day_first')}"


def plural(n: int, what: str) -> str:
    return f"{n} {what}" if abs(n) == 1 else f"{n} {what}s"


def shifted(start: date, days: int) -> date:
    if abs(days) > MAX_STEP:
        raise CallError("the calendar ends with the year 9999", "too_large")
    try:
        return start + timedelta(days=days)
    except OverflowError:
        raise CallError("the calendar reaches from the year 1 to 9999", "too_large") from None


def add_months(start: date, months: int) -> date:
    """The same day of another month, or that month's last day where it is shorter.

    Raises:
        CallError: outside the years 1 to 9999.
    """
    index = start.year * 12 + start.month - 1 + months
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        raise CallError("the calendar reaches from the year 1 to 9999", "too_large")
    return date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))


def whole_months(start: date, end: date) -> int:
    """Whole months from the earlier to the later date."""
    start, end = min(start, end), max(start, end)
    months = (end.year - start.year) * 12 + end.month - start.month
    return months - (add_months(start, months) > end)


def weekday(day: date) -> tuple[str, str]:
    """The day of the week."""
    return WEEKDAYS[day.weekday()], f"{written(day, 'day_first')} is a {WEEKDAYS[day.weekday()]}"


def days_between(start: date, end: date) -> tuple[str, str]:
    """Days from one date to the other, the first not counted."""
    days = abs((end - start).days)
    return str(days), f"from {long(min(start, end))} to {long(max(start, end))}: {plural(days, 'day')}"


def days_inclusive(start: date, end: date) -> tuple[str, str]:
    """Days from one date to the other, both counted."""
    days = abs((end - start).days) + 1
    return str(days), f"from {long(min(start, end))} to {long(max(start, end))}, both counted: {plural(days, 'day')}"


def weeks_between(start: date, end: date) -> tuple[str, str]:
    """Whole weeks from one date to the other."""
    weeks, days = divmod(abs((end - start).days), 7)
    rest = f" and {plural(days, 'day')}" if days else ""
    return str(weeks), f"from {long(min(start, end))} to {long(max(start, end))}: {plural(weeks, 'week')}{rest}"


def months_between(start: date, end: date) -> tuple[str, str]:
    """Whole months from one date to the other."""
    months = whole_months(start, end)
    return str(months), f"from {long(min(start, end))} to {long(max(start, end))}: {plural(months, 'whole month')}"


def years_between(start: date, end: date) -> tuple[str, str]:
    """Whole years from one date to the other."""
    years = whole_months(start, end) // 12
    return str(years), f"from {long(min(start, end))} to {long(max(start, end))}: {plural(years, 'whole year')}"


def age(born: date, on: date) -> tuple[str, str]:
    """Whole years of life on a day; born on 29 February counts as 28 February in other years."""
    if on < born:
        raise CallError("that day is before the birth")
    years = whole_months(born, on) // 12
    return str(years), f"born on {written(born, 'day_first')}, {plural(years, 'year')} old on {written(on, 'day_first')}"


def duration(start: date, end: date) -> tuple[str, str]:
    """Years, months and days from one date to the other."""
    start, end = min(start, end), max(start, end)
    months = whole_months(start, end)
    days = (end - add_months(start, months)).days
    parts = [plural(n, what) for n, what in ((months // 12, "year"), (months % 12, "month"), (days, "day")) if n]
    said = ", ".join(parts) or "0 days"
    return said, f"from {long(start)} to {long(end)}: {said}"


def moved(day: date, new: date, step: str) -> tuple[str, str]:
    return new.isoformat(), f"{long(day)} {step} is {long(new)}"


def add_days(day: date, n: int) -> tuple[str, str]:
    """The date some days later, earlier where negative."""
    return moved(day, shifted(day, n), signed(n, "day"))


def add_weeks(day: date, n: int) -> tuple[str, str]:
    """The date some weeks later, earlier where negative."""
    return moved(day, shifted(day, 7 * n), signed(n, "week"))


def add_calendar_months(day: date, n: int) -> tuple[str, str]:
    """The same day some months later, earlier where negative; the last day where the month is shorter."""
    return moved(day, add_months(day, n), signed(n, "month"))


def add_years(day: date, n: int) -> tuple[str, str]:
    """The same day some years later, earlier where negative; 29 February becomes the 28th where there is none."""
    return moved(day, add_months(day, 12 * n), signed(n, "year"))


def add_business_days(day: date, n: int) -> tuple[str, str]:
    """The date some working days later, earlier where negative: Monday to Friday, holidays not considered."""
    if abs(n) > 100_000:
        raise CallError("at most 100000 working days are taken", "too_large")
    new, step = day, 1 if n >= 0 else -1
    for _ in range(abs(n)):
        new = shifted(new, step)
        while new.weekday() > 4:
            new = shifted(new, step)
    return moved(day, new, signed(n, "working day") + " (holidays not considered)")


def business_days_between(start: date, end: date) -> tuple[str, str]:
    """Days from Monday to Friday from one date to the other, the first not counted, holidays not considered."""
    start, end = min(start, end), max(start, end)
    weeks, rest = divmod((end - start).days, 7)
    days = 5 * weeks + sum((start.weekday() + step) % 7 < 5 for step in range(1, rest + 1))
    return str(days), f"from {long(start)} to {long(end)}: {plural(days, 'working day')} (holidays not considered)"


def signed(n: int, what: str) -> str:
    return f"{'plus' if n >= 0 else 'minus'} {plural(abs(n), what)}"


def day_of_year(day: date) -> tuple[str, str]:
    """The number of the day in its year."""
    n = day.timetuple().tm_yday
    return str(n), f"{written(day, 'day_first')} is day {n} of its year"


def days_left_in_year(day: date) -> tuple[str, str]:
    """Days after this one until the end of its year."""
    n = (date(day.year, 12, 31) - day).days
    return str(n), f"after {written(day, 'day_first')} there are {plural(n, 'day')} left in {day.year}"


def week_number(day: date) -> tuple[str, str]:
    """The number of the week (ISO 8601: weeks begin on Monday, week 1 has the first Thursday)."""
    year, week, _ = day.isocalendar()
    return str(week), f"{written(day, 'day_first')} is in ISO week {week} of {year}"


def quarter(day: date) -> tuple[str, str]:
    """The quarter of the year."""
    n = (day.month + 2) // 3
    return str(n), f"{written(day, 'day_first')} is in quarter {n}"


def end_of_month(day: date) -> tuple[str, str]:
    """The last day of the month."""
    last = day.replace(day=calendar.monthrange(day.year, day.month)[1])
    return last.isoformat(), f"the last day of {MONTH_NAMES[day.month - 1]} {day.year} is {long(last)}"


def next_weekday(day: date, name: str) -> tuple[str, str]:
    """The first such weekday after the date."""
    new = shifted(day, (weekday_index(name) - day.weekday() - 1) % 7 + 1)
    return new.isoformat(), f"the first {WEEKDAYS[new.weekday()]} after {long(day)} is {long(new)}"


def previous_weekday(day: date, name: str) -> tuple[str, str]:
    """The last such weekday before the date."""
    new = shifted(day, -((day.weekday() - weekday_index(name) - 1) % 7 + 1))
    return new.isoformat(), f"the last {WEEKDAYS[new.weekday()]} before {long(day)} is {long(new)}"


def weekday_index(name: str) -> int:
    for index, known in enumerate(WEEKDAYS):
        if known.lower().startswith(name.strip().lower().rstrip(".")) and len(name.strip().rstrip(".")) >= 2:
            return index
    raise CallError(f"{name!r} is not a day of the week")


def earlier(one: date, other: date) -> tuple[str, str]:
    """The earlier of two dates."""
    return min(one, other).isoformat(), f"{long(min(one, other))} is before {long(max(one, other))}"


def later(one: date, other: date) -> tuple[str, str]:
    """The later of two dates."""
    return max(one, other).isoformat(), f"{long(max(one, other))} is after {long(min(one, other))}"


def checked_year(year: int) -> int:
    if not 1 <= year <= 9999:
        raise CallError("the calendar reaches from the year 1 to 9999", "too_large")
    return year


def is_leap_year(year: int) -> tuple[str, str]:
    """Whether a year has 366 days."""
    yes = calendar.isleap(checked_year(year))
    return "yes" if yes else "no", f"{year} is {'a' if yes else 'no'} leap year"


def next_leap_year(year: int) -> tuple[str, str]:
    """The first leap year after a year."""
    found = next((n for n in range(checked_year(year) + 1, min(year + 9, 10000)) if calendar.isleap(n)), None)
    if found is None:
        raise CallError("the calendar reaches from the year 1 to 9999", "too_large")
    return str(found), f"the first leap year after {year} is {found}"


def previous_leap_year(year: int) -> tuple[str, str]:
    """The last leap year before a year."""
    found = next((n for n in range(checked_year(year) - 1, max(year - 9, 0), -1) if calendar.isleap(n)), None)
    if found is None:
        raise CallError("the calendar reaches from the year 1 to 9999", "too_large")
    return str(found), f"the last leap year before {year} is {found}"


def days_in_year(year: int) -> tuple[str, str]:
    """The number of days of a year."""
    n = 365 + calendar.isleap(checked_year(year))
    return str(n), f"{year} has {n} days"


def days_in_month(year: int, month: int) -> tuple[str, str]:
    """The number of days of a month."""
    if not 1 <= month <= 12:
        raise CallError("a month is a number from 1 to 12")
    n = calendar.monthrange(checked_year(year), month)[1]
    return str(n), f"{MONTH_NAMES[month - 1]} {year} has {n} days"


def nth_weekday(year: int, month: int, name: str, n: int) -> tuple[str, str]:
    """The nth such weekday of a month; -1 is the last."""
    days = days_in_month(year, month)[0]
    index = weekday_index(name)
    found = [date(year, month, day) for day in range(1, int(days) + 1) if date(year, month, day).weekday() == index]
    if n == 0 or not -len(found) <= n <= len(found):
        raise CallError(f"{MONTH_NAMES[month - 1]} {year} has {len(found)} {WEEKDAYS[index]}s")
    day = found[n - 1] if n > 0 else found[n]
    return day.isoformat(), f"{WEEKDAYS[index]} number {n} of {MONTH_NAMES[month - 1]} {year} is {written(day, 'day_first')}"


def clock_minutes(text: str) -> int:
    hour, _, minute = text.strip().partition(":")
    if not (re.fullmatch(r"\d{1,2}", hour) and re.fullmatch(r"[0-5]\d", minute) and int(hour) < 24):
        raise CallError(f"{text[:40]!r} is not a time of day; write it like 09:40 or 21:15")
    return int(hour) * 60 + int(minute)


def clock_time(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def minutes_between(start: str, end: str) -> tuple[str, str]:
    """Minutes from one time of day to the next time it is the other, within 24 hours."""
    minutes = (clock_minutes(end) - clock_minutes(start)) % DAY_MINUTES
    hours, rest = divmod(minutes, 60)
    parts = [plural(n, what) for n, what in ((hours, "hour"), (rest, "minute")) if n] or ["0 minutes"]
    following = " of the next day" if clock_minutes(end) < clock_minutes(start) else ""
    return str(minutes), f"from {clock_time(clock_minutes(start))} to {clock_time(clock_minutes(end))}{following}: {' '.join(parts)}"


def add_minutes(start: str, n: int) -> tuple[str, str]:
    """The time of day some minutes later, earlier where negative."""
    if abs(n) > MAX_STEP:
        raise CallError(f"at most {MAX_STEP} minutes are taken", "too_large")
    new = clock_time((clock_minutes(start) + n) % DAY_MINUTES)
    return new, f"{clock_time(clock_minutes(start))} {signed(n, 'minute')} is {new}"


def nth_day_of_year(year: int, n: int) -> tuple[str, str]:
    """The date of the nth day of a year."""
    if not 1 <= n <= int(days_in_year(year)[0]):
        raise CallError(f"{year} has {days_in_year(year)[0]} days")
    day = date(year, 1, 1) + timedelta(days=n - 1)
    return day.isoformat(), f"day {n} of {year} is {long(day)}"


Parameters = tuple[type, ...]
FUNCTIONS: Mapping[str, tuple[Callable[..., tuple[str, str]], Parameters]] = {
    ("add_months" if function is add_calendar_months else function.__name__): (function, parameters)
    for parameters, functions in {
        (date,): (day_of_year, days_left_in_year, end_of_month, quarter, week_number, weekday),
        (date, date): (
            age, business_days_between, days_between, days_inclusive, duration, earlier, later, months_between, weeks_between, years_between,
        ),
        (date, int): (add_business_days, add_calendar_months, add_days, add_weeks, add_years),
        (date, str): (next_weekday, previous_weekday),
        (int,): (days_in_year, is_leap_year, next_leap_year, previous_leap_year),
        (int, int): (days_in_month, nth_day_of_year),
        (int, int, str, int): (nth_weekday,),
    }.items()
    for function in functions
}  # fmt: skip
"""Every function of the calendar by name, with the types of its arguments; each returns the exact value and a sentence."""
CLOCK: Mapping[str, tuple[Callable[..., tuple[str, str]], Parameters]] = {
    "add_minutes": (add_minutes, (str, int)),
    "minutes_between": (minutes_between, (str, str)),
}
"""Functions of times of day, which rules plan; no model is told of them."""


def typed(item: str | int, kind: type) -> date | str | int:
    if kind is date and isinstance(item, str):
        return read_date(item)
    if kind is int and isinstance(item, str) and item.strip().lower() in MONTHS:
        return MONTHS[item.strip().lower()]
    if not isinstance(item, kind):
        wanted = {date: "a date, such as 2024-03-01", int: "a whole number", str: "a text"}[kind]
        raise CallError(f"{str(item)[:40]!r} stands where {wanted} is needed")
    return item


class DatesTool:
    """Calendar arithmetic."""

    name = "dates"
    summary = (
        f"The calendar: `weekday(2024-03-01)`, `add_days(2024-03-01, 45)`, `days_between(2024-01-01, 2024-12-25)`; functions: {', '.join(sorted(FUNCTIONS))}."
    )
    timeout_seconds = 2.0

    async def run(self, call: ToolCall) -> ToolResult:
        """Evidence whose value is an ISO date, a number, a weekday, or `yes` or `no`; or a Failure."""
        try:
            name, arguments = read_call(call.input)
            known = {**FUNCTIONS, **CLOCK}
            if name not in known:
                raise CallError(f"{name[:40]!r} is not a function of this tool; known: {', '.join(sorted(known))}", "unsupported")
            function, parameters = known[name]
            if len(arguments) != len(parameters):
                raise CallError(f"{name} takes {len(parameters)} arguments")
            value, text = function(*(typed(item, kind) for item, kind in zip(arguments, parameters, strict=True)))
        except CallError as error:
            return Failure(tool=self.name, input=call.input[:500], kind=error.kind, message=str(error))
        except DateError as error:
            return Failure(tool=self.name, input=call.input[:500], kind="bad_input", message=str(error))
        return (Evidence(tool=self.name, input=call.input, text=text, value=value),)

    async def close(self) -> None:
        """Nothing is held."""
