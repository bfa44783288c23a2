"""Questions about the calendar: the dates, months, years and durations of the question, and every well-typed call on them that its words allow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from redraft.claims.written_dates import MONTHS, WEEKDAYS, DateStyle, written
from redraft.effects import Effects
from redraft.planning.literals import Token, asks_truth, tokens
from redraft.planning.options import Option
from redraft.types import Failure, Task, ToolCall

__all__ = ["options"]

MAX_QUERY = 1500
STEPS = {"day": "add_days", "week": "add_weeks", "month": "add_months", "year": "add_years", "fortnight": "add_weeks", "decade": "add_years"}
FACTORS = {"fortnight": 2, "decade": 10}
LATER = frozenset("after from later past following plus add adding added forward ahead hence since later on in beyond onwards".split())
EARLIER = frozenset("before earlier prior ago previous preceding minus subtract subtracting back preceded backwards until".split())
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "final": -1}
SHORT_NAMES = dict(zip("mon tue wed thu fri sat sun".split(), WEEKDAYS, strict=True)) | {"tues": "Tuesday", "weds": "Wednesday", "thurs": "Thursday"}
WEEKDAY_NAMES = {name.lower(): name for name in WEEKDAYS} | {name.lower() + "s": name for name in WEEKDAYS}


@dataclass(frozen=True, kw_only=True, slots=True)
class Calendar:
    """What the question names."""

    dates: tuple[date, ...]
    style: DateStyle
    steps: tuple[tuple[int, str], ...]
    """Durations: how many of which unit."""
    months: tuple[tuple[int, int], ...]
    """Year and month, where no day is given."""
    years: tuple[int, ...]
    weekdays: tuple[str, ...]
    ordinals: tuple[int, ...]
    words: tuple[str, ...]
    unread: bool
    """Whether a date cannot be read in one way."""
    leap_day: bool = False
    """Whether 29 February is named apart from its year."""

    def has(self, *words: str) -> bool:
        return any(word in self.words for word in words)


JANUARY = r"(?:1(?:st)?(?:\s+of)?\s+Jan(?:uary)?\b\.?|first\s+of\s+January|Jan(?:uary)?\.?\s+(?:the\s+)?(?:1st|1|first)\b|New\s+Year's\s+Day)"
FIRST_DAY = re.compile(
    rf"[(\[,;]?\s*(?:\b(?:if|where|when|with|taking|counting|given that|assuming)\s+)?(?:the\s+)?{JANUARY}\s*(?:,\s*)?"
    r"(?:is|being|counts?|counted|=|as|was|to\s+be|:|would\s+be|gets?)\s*(?:as\s+|being\s+)?(?:the\s+)?(?:day\s+)?(?:number\s+|no\.?\s*|#)?"
    r"(?:1|one|first|1st)\b(?:\s+day)?[)\]]?",
    re.IGNORECASE,
)
"""What a question may say of the first of January before it asks for the number of a day in its year."""


async def options(task: Task, effects: Effects) -> tuple[Option, ...]:
    """Calendar facts that could answer, executed, the likeliest first.

    Raises:
        Stopped: a budget forbids a call.
    """
    if "dates" not in effects.tools or len(task.query) > MAX_QUERY:
        return ()
    query, numbered = FIRST_DAY.subn(" ", task.query)
    read = tokens(query, quotes=False)
    named = read_calendar(read, effects.clock.now().date())
    if named.unread:
        return ()
    if numbered:
        named = replace(named, words=(*named.words, "day", "number", "year"), weekdays=())
    truth = asks_truth(read)
    found: list[Option] = []
    for text, fit in sorted(wanted(named, truth or named.has("whether")), key=lambda item: -item[1]):
        inner, _, outer = text.partition(" > ")
        call = ToolCall(tool="dates", input=inner)
        result = await effects.use(call)
        if isinstance(result, Failure):
            continue
        if outer:
            call = ToolCall(tool="dates", input=f"{outer}({result[0].value})")
            second = await effects.use(call)
            if isinstance(second, Failure):
                continue
            result = (*second, *result)
        answer = shown(result[0].value, named.style)
        if truth and answer not in ("yes", "no"):
            continue
        if not any(option.answer == answer for option in found):
            found.append(Option(call=call, label=call.input, result=result, answer=answer, fit=fit))
    return tuple(found[:8])


def shown(value: str, style: DateStyle) -> str:
    return written(date.fromisoformat(value), style) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value) else value


def read_calendar(read: Sequence[Token], today: date) -> Calendar:
    dates: list[tuple[int, date]] = []
    unread = False
    leap_day = False
    leap_years: list[int] = []
    styles: list[DateStyle] = []
    for token in read:
        if token.date is not None:
            styles.append(token.date.style)
            if re.search(r"\bfeb", token.lower) and re.search(r"\b29", token.lower) and token.text[-4:].isdigit():
                leap_day, leap_years = True, [*leap_years, int(token.text[-4:])]
            elif token.date.value is None:
                unread = True
            if token.date.value is not None:
                dates.append((token.start, token.date.value))
    dates += same_month(read)
    month_years, partial, taken = month_literals(read)
    years = [int(t.value) for i, t in enumerate(read) if i not in taken and t.kind == "number" and t.value is not None and year_like(read, i)]
    if partial:
        year = next((value.year for _, value in dates), years[0] if len(years) == 1 else None)
        for start, month, day, style in partial:
            try:
                if year is not None:
                    made = date(year, month, day)
                    leap_day = leap_day or ((month, day) == (2, 29) and start > 0 and not dates)
                    dates.append((start, made))
                    styles.append(style)
            except ValueError:
                leap_day = (month, day) == (2, 29) and not dates
                unread = not leap_day
        unread = unread or year is None
    given = bool(dates)
    relative = given or not counts_something(read, taken)
    for index, token in enumerate(read):
        if not relative:
            break
        if given and index + 1 < len(read) and read[index + 1].lower in ("is", "was", "were", "be", "being", ",", "'s", "=", ":", "-"):
            continue  # "if today is 3 March 2024": the date says it
        shift = {"today": 0, "tomorrow": 1, "yesterday": -1}.get(token.lower)
        if shift is not None and token.kind == "word":
            dates.append((token.start, date.fromordinal(today.toordinal() + shift)))
    words = tuple(token.lower.removesuffix("'s") for token in read if token.kind == "word")
    short = [SHORT_NAMES[word] for word in words if word in SHORT_NAMES]
    short = short if len(short) > 1 else []  # "sun" and "sat" alone are other words
    return Calendar(
        dates=tuple(value for _, value in sorted(dates)),
        style=styles[0] if styles else "month_first",
        steps=tuple(dict.fromkeys(durations(read))),
        months=tuple(month_years),
        years=(*years, *leap_years) if not dates or leap_day else (),
        weekdays=(*(WEEKDAY_NAMES[word] for word in words if word in WEEKDAY_NAMES), *short),
        ordinals=tuple(ordinals(read)),
        words=words,
        unread=unread,
        leap_day=leap_day,
    )


def same_month(read: Sequence[Token]) -> Iterator[tuple[int, date]]:
    """The 3 of `from 3 to 9 August 2025`."""
    for index, token in enumerate(read[1:-2], 1):
        later = read[index + 2].date
        named = read[index - 1].lower in ("from", "between", "the") and read[index + 1].lower in ("to", "and", "until", "till", "-", "–")
        if named and later is not None and later.value is not None and later.style == "day_first" and day_like(read, index):
            try:
                yield token.start, later.value.replace(day=int(token.value or 0))
            except ValueError:
                return


def counts_something(read: Sequence[Token], taken: set[int]) -> bool:
    """Whether a number of the question is no duration, year or place: then today and yesterday are only scenery."""
    for index, token in enumerate(read):
        following = read[index + 1].lower.removesuffix("s") if index + 1 < len(read) else ""
        if (
            token.kind == "number"
            and not token.ordinal
            and index not in taken
            and following not in (*STEPS, "business", "working")
            and not year_like(read, index)
        ):
            return True
    return False


def year_like(read: Sequence[Token], index: int) -> bool:
    token = read[index]
    if token.percent or token.money or token.ordinal or token.value is None or token.value.denominator != 1 or not 1 <= token.value <= 9999:
        return False
    following = read[index + 1].lower if index + 1 < len(read) else ""
    return len(token.text) == 4 and token.text.isdigit() and following.removesuffix("s") not in STEPS


def month_literals(read: Sequence[Token]) -> tuple[list[tuple[int, int]], list[tuple[int, int, int, DateStyle]], set[int]]:
    """Months with a year, days of a month without one, and the tokens they take."""
    months: list[tuple[int, int]] = []
    partial: list[tuple[int, int, int, DateStyle]] = []
    taken: set[int] = set()
    for index, token in enumerate(read):
        before_year = index + 1 < len(read) and year_like(read, index + 1)
        spoken = token.kind == "word" and (token.text[0].isupper() or before_year or token.lower == "february")
        month = MONTHS.get(token.lower.rstrip(".")) if spoken else None
        if month is None:
            continue
        ahead = [place for place in range(index + 1, min(index + 4, len(read))) if read[place].lower not in ("of", ",", "in", "the", "year", ".")][:1]
        behind = [place for place in range(index - 1, max(index - 3, -1), -1) if read[place].lower not in ("of", "the")][:1]
        dated = behind and day_like(read, behind[0]) and (read[behind[0]].ordinal or behind[0] == index - 1)
        if ahead and year_like(read, ahead[0]) and dated:
            partial.append((read[behind[0]].start, month, int(read[behind[0]].value or 0), "day_first"))
            taken.add(behind[0])
        elif ahead and year_like(read, ahead[0]):
            months.append((int(read[ahead[0]].value or 0), month))
            taken.add(ahead[0])
        elif ahead and day_like(read, ahead[0]) and ahead[0] == index + 1:
            partial.append((token.start, month, int(read[ahead[0]].value or 0), "month_first"))
            taken.add(ahead[0])
        elif behind and day_like(read, behind[0]):
            partial.append((read[behind[0]].start, month, int(read[behind[0]].value or 0), "day_first"))
            taken.add(behind[0])
    return months, partial, taken


def day_like(read: Sequence[Token], index: int) -> bool:
    token = read[index]
    following = read[index + 1].lower.removesuffix("s") if index + 1 < len(read) else ""
    return (
        token.kind == "number"
        and token.value is not None
        and not token.percent
        and 1 <= token.value <= 31
        and token.value.denominator == 1
        and following not in STEPS
    )


def durations(read: Sequence[Token]) -> Iterator[tuple[int, str]]:
    for index, token in enumerate(read):
        following = [item.lower.removesuffix("s") for item in read[index + 1 : index + 4]]
        work = following[:1] and following[0] in ("business", "working", "work", "calendar", "full", "whole", "more", "-")
        unit = following[1] if work and len(following) > 1 else following[0] if following else ""
        if unit == "weekday" or (unit == "day" and following[0] in ("business", "working", "work")):
            unit = "business"
        if unit not in STEPS and unit != "business":
            continue
        if token.kind == "number" and token.value is not None and token.value.denominator == 1 and not token.ordinal:
            yield int(token.value), unit
        elif (
            token.lower in ("a", "one", "an")
            and unit != "business"
            and not (token.lower in ("a", "an") and "year" in unit and "leap" in [t.lower for t in read])
        ):
            yield 1, unit


def ordinals(read: Sequence[Token]) -> Iterator[int]:
    for index, token in enumerate(read):
        if token.kind == "number" and token.ordinal and token.value is not None:
            yield int(token.value)
        elif token.kind == "word" and token.lower in ORDINALS and not (token.lower == "second" and index and read[index - 1].lower == "a"):
            yield ORDINALS[token.lower]


def wanted(named: Calendar, truth: bool) -> Iterator[tuple[str, float]]:
    """Every call whose arguments are there, with how strongly the words ask for it; `a > b` is the second on the result of the first."""
    asks_weekday = (
        named.has("weekday")
        or len(named.weekdays) > 1
        or ("day" in named.words and (named.has("week") or (named.has("what", "which", "name") and not named.has("date"))))
    )
    if truth and named.leap_day and len(named.years) == 1 and not asks_weekday:
        yield f"is_leap_year({named.years[0]})", 0.95
        return
    if truth and not named.dates and len(named.months) == 1 and named.months[0][1] == 2 and (29 in named.ordinals or (29, "day") in named.steps):
        yield f"is_leap_year({named.months[0][0]})", 0.95
        return
    if named.steps and len(named.dates) == 1:
        yield from stepped(named, asks_weekday)
    elif len(named.dates) == 2:
        yield from between(named)
    elif len(named.dates) == 1:
        yield from of_date(named, asks_weekday)
    elif len(named.months) == 1 and not named.dates:
        yield from of_month(named, asks_weekday)
    elif named.years and not named.dates:
        yield from of_years(named)


def stepped(named: Calendar, asks_weekday: bool) -> Iterator[tuple[str, float]]:
    day = named.dates[0].isoformat()
    earlier, later = named.has(*EARLIER), named.has(*LATER - {"in", "on", "from", "since", "back"})
    earlier = earlier and not named.has("after", "later")
    back = earlier and not (later and not named.has("before", "ago", "earlier", "prior", "minus", "subtract"))
    sure = earlier or later or named.has("from", "in", "since")
    calls: list[str] = []
    current = day
    if len(named.steps) > 1 and len({unit for _, unit in named.steps}) != len(named.steps):
        return
    for number, unit in named.steps[:1]:
        name = "add_business_days" if unit == "business" else STEPS[unit]
        count = number * FACTORS.get(unit, 1) * (-1 if back else 1)
        calls.append(f"{name}({current}, {count})")
    if len(named.steps) == 2:
        return
    fit = 1.0 if sure else 0.6
    yield calls[0] + (" > weekday" if asks_weekday else ""), fit
    if asks_weekday and named.has("date"):
        yield calls[0], 0.5


def between(named: Calendar) -> Iterator[tuple[str, float]]:
    first, second = (value.isoformat() for value in named.dates)
    pair = f"({first}, {second})"
    if named.has("old", "age", "aged", "birthday", "born") and not named.has("days", "weeks", "months"):
        first, second = sorted((first, second))
        yield f"age({first}, {second})", 1.0
        return
    if named.has("business", "working", "weekdays", "workdays"):
        yield f"business_days_between{pair}", 0.95
        return
    if named.has("earlier", "first", "sooner", "before") and named.has("which") and not named.has("many"):
        yield f"earlier{pair}", 0.95
        return
    if named.has("later", "last", "after") and named.has("which") and not named.has("many"):
        yield f"later{pair}", 0.95
        return
    both = any(one == "both" and other in ("the", "days", "dates", "ends", "start", "first", "end") for one, other in pairwise(named.words))
    inclusive = (both or named.has("inclusive", "inclusively", "included", "including")) and not named.has("excluding", "exclude", "not")
    if named.has("day", "days", "nights", "night"):
        plural = named.has("weeks", "months", "years")
        yield f"{'days_inclusive' if inclusive else 'days_between'}{pair}", 0.6 if plural else 1.0
        if plural:
            yield f"duration{pair}", 0.65
    for unit in ("weeks", "months", "years"):
        if named.has(unit) and not named.has("day", "days"):
            yield f"{unit}_between{pair}", 1.0 if sum(named.has(u) for u in ("weeks", "months", "years")) == 1 else 0.6
    if not named.has("day", "days", "weeks", "months", "years", "nights") and named.has(
        "long", "time", "far", "apart", "between", "difference", "elapsed", "passed"
    ):
        yield f"days_between{pair}", 0.6
        yield f"duration{pair}", 0.55


def of_date(named: Calendar, asks_weekday: bool) -> Iterator[tuple[str, float]]:
    day = named.dates[0].isoformat()
    if named.weekdays and named.has("after", "following", "next", "before", "preceding", "previous"):
        name = "previous_weekday" if named.has("before", "preceding", "previous") else "next_weekday"
        yield f'{name}({day}, "{named.weekdays[0]}")', 0.95
        return
    if named.has("leap"):
        yield f"is_leap_year({named.dates[0].year})", 0.9
    elif named.has("quarter"):
        yield f"quarter({day})", 0.95
    elif named.has("week") and named.has("number", "calendar", "iso") and not named.has("day"):
        yield f"week_number({day})", 0.95
    elif named.has("left", "remain", "remaining", "remains", "until", "end") and named.has("days") and named.has("year"):
        yield f"days_left_in_year({day})", 0.95
    elif named.has("year") and named.has("day", "number") and not named.has("week", "weekday"):
        yield f"day_of_year({day})", 0.95
    elif named.has("month") and named.has("last", "end"):
        yield f"end_of_month({day})", 0.9
    elif named.has("after", "following", "next", "follows", "succeeds") and named.has("day", "date", "comes") and not named.has("week", "weekday"):
        yield f"add_days({day}, 1)", 0.9
    elif named.has("before", "preceding", "previous", "precedes") and named.has("day", "date", "comes") and not named.has("week", "weekday"):
        yield f"add_days({day}, -1)", 0.9
    elif asks_weekday or (named.weekdays and named.has("is", "was", "did", "does", "fall", "will")):
        if len(named.weekdays) == 1 and not named.has("what", "which"):
            return
        yield f"weekday({day})", 1.0 if named.has("week", "weekday") or named.has("what", "which") else 0.7


def of_month(named: Calendar, asks_weekday: bool) -> Iterator[tuple[str, float]]:
    year, month = named.months[0]
    if named.weekdays and named.ordinals:
        yield f'nth_weekday({year}, {month}, "{named.weekdays[0]}", {named.ordinals[0]})', 1.0
    elif asks_weekday and named.has("start", "starts", "begin", "begins", "started", "began", "first"):
        yield f"weekday({year:04d}-{month:02d}-01)", 0.9
    elif asks_weekday and named.has("end", "ends", "ended", "last"):
        yield f"end_of_month({year:04d}-{month:02d}-01) > weekday", 0.9
    elif (
        named.has("days")
        and not named.has("week")
        and not named.steps
        and (named.has("many", "number", "count", "long", "length", "total") or len(named.words) < 6)
    ):
        yield f"days_in_month({year}, {month})", 1.0
    elif named.has("last", "final") and named.has("day", "date"):
        yield f"end_of_month({year:04d}-{month:02d}-01)", 0.9
    elif named.has("long", "length"):
        yield f"days_in_month({year}, {month})", 0.7


def of_years(named: Calendar) -> Iterator[tuple[str, float]]:
    year = named.years[0]
    if len(named.years) == 1 and (366, "day") in named.steps and not named.has("leap"):
        yield f"is_leap_year({year})", 0.9
    elif named.has("leap") and len(named.years) == 1:
        if (named.has("next", "after", "following", "first") and not named.has("is", "was")) or named.has("next", "after"):
            yield f"next_leap_year({year})", 0.95
        elif named.has("previous", "before", "last", "preceding"):
            yield f"previous_leap_year({year})", 0.95
        else:
            yield f"is_leap_year({year})", 1.0
    elif len(named.years) == 1 and named.ordinals and "day" in named.words and named.ordinals[0] > 0:
        yield f"nth_day_of_year({year}, {named.ordinals[0]})", 0.95
    elif len(named.years) == 1 and named.has("days") and named.has("many", "number") and not named.steps and len(named.words) < 14:
        yield f"days_in_year({year})", 0.9
