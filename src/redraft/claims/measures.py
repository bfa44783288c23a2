"""Statements about units and the calendar: conversions, weekdays of dates, days between dates, lengths of months, spans of clock time."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from calendar import isleap, monthrange
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

from redraft.claims.figures import Quantity, read
from redraft.claims.numbers import agrees
from redraft.claims.statement import Statement
from redraft.types import Span

__all__ = ["calendar", "conversions", "unit_factor"]

_TABLE: dict[str, dict[str, tuple[str, str]]] = {
    "length": {
        "mm": ("1/1000", "millimeter millimetre"), "cm": ("1/100", "centimeter centimetre"), "m": ("1", "meter metre"), "km": ("1000", "kilometer kilometre"),
        "in": ("127/5000", "inch inche"), "ft": ("381/1250", "foot feet"), "yd": ("1143/1250", "yard"), "mi": ("201168/125", "mile"),
    },
    "mass": {
        "mg": ("1/1000000", "milligram"), "g": ("1/1000", "gram gramme"), "kg": ("1", "kilogram kilo kilogramme"), "lb": ("45359237/100000000", "lbs pound"),
        "oz": ("45359237/1600000000", "ounce"),
    },
    "time": {"s": ("1", "sec second"), "min": ("60", "minute mins"), "h": ("3600", "hr hrs hour"), "day": ("86400", ""), "week": ("604800", "")},
    "volume": {"ml": ("1/1000", "milliliter millilitre"), "l": ("1", "liter litre")},
    "speed": {"km/h": ("5/18", "kph kmh"), "mph": ("1397/3125", ""), "m/s": ("1", "")},
    "temperature": {"°c": ("1", "celsius"), "°f": ("1", "fahrenheit")},
}  # fmt: skip
_EASTERN = {
    "公里": "km", "千米": "km", "米": "m", "公尺": "m", "厘米": "cm", "公分": "cm", "毫米": "mm", "英里": "mi", "英尺": "ft", "英寸": "in",
    "公斤": "kg", "千克": "kg", "毫克": "mg", "克": "g", "磅": "lb", "毫升": "ml", "升": "l", "摄氏度": "°c", "华氏度": "°f", "小时": "h", "分钟": "min",
    "キロメートル": "km", "センチメートル": "cm", "ミリメートル": "mm", "メートル": "m", "マイル": "mi", "フィート": "ft", "インチ": "in",
    "キログラム": "kg", "グラム": "g", "ポンド": "lb", "ミリリットル": "ml", "リットル": "l", "時間": "h",
}  # fmt: skip
"""Names in Chinese and Japanese that have one meaning. 斤 is none: 500 g on the mainland, 600 g in Taiwan."""
_EASTERN_NAMES = "|".join(sorted(_EASTERN, key=len, reverse=True))


def _named() -> dict[str, tuple[str, Fraction, str]]:
    """Every name of every unit: dimension, factor to the unit of reference, symbol."""
    named: dict[str, tuple[str, Fraction, str]] = {}
    for dimension, units in _TABLE.items():
        for symbol, (factor, others) in units.items():
            for name in (symbol, *others.split()):
                named[name] = named[name + "s"] = (dimension, Fraction(factor), symbol)
    for degree in "°º":
        named |= {f"{degree}{gap}{letter}": named[f"°{letter}"] for gap in ("", " ") for letter in "cf"}
    return named | {name: named[symbol] for name, symbol in _EASTERN.items()}


_UNITS = _named()
_SYMBOLS = {"°c": "°C", "°f": "°F", "l": "L", "ml": "mL"}


def unit_factor(word: str) -> tuple[str, Fraction] | None:
    """Dimension of a unit and its factor to the unit of reference, for units whose conversion is exact and that have one meaning."""
    found = _UNITS.get(word.lower())
    return (found[0], found[1]) if found else None


_UNIT_AFTER = re.compile(
    rf"[ \u202f-]?(?:degrees? )?(?P<unit>[°º] ?[CF]\b|km/h|m/s|{_EASTERN_NAMES}|[A-Za-z]+)"
    r"(?![每的多半のァ-ヿ]|以[上下内]|左右|より|[a-zA-Z0-9_²³/^]|[ -](?:per|squared?|cubed?|an hour|a second)\b|-\d)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\s*(?:(?:is|are|equals?|=|==|≈|is equal to|is equivalent to|equates to|converts to|corresponds to|comes to|makes|was|contains?|has|have)\s+"
    r"|\s*(?:等于|约等于|相当于|等於|就是|是|约为|は|が)\s*(?:约|大约|約)?)"
    r"(?:about |approximately |roughly |around |nearly |almost |exactly |≈ ?|~)?",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*(?:\(|,? or |,? i\.e\.,? )(?:about |approximately |roughly |around |nearly |some |≈ ?|~ ?|c\. ?)?", re.IGNORECASE)


def conversions(text: str, figures: Sequence[Quantity] | None = None) -> Iterator[Statement]:
    """Measurements said to equal another in a different unit: "5 feet is 60 inches", "100 km (62 mi)"."""
    found = tuple(read(text)) if figures is None else figures
    previous_end = -1
    for given, shown in itertools.pairwise(found):
        left = _unit(text, given)
        clean = previous_end < 0 or not _joined(text[previous_end : given.span[0]])
        previous_end = given.span[1]
        if left is None or (given.high is None) != (shown.high is None) or given.percent or shown.percent or shown.span[0] - left[1] > 40:
            continue
        right = _unit(text, shown)
        if right is None or not clean or right[0][2] == left[0][2] or right[0][0] != left[0][0] or _compound(text, right[1]):
            continue
        between = text[left[1] : shown.span[0]]
        says, aside = _SAYS.fullmatch(between), _ASIDE.fullmatch(between)
        if (says is None and aside is None) or (says is None and _of_several(text, given.span[0], right[1])):
            continue
        if says is not None and re.search("[约約]", between):
            shown = replace(shown, approximate=True)
        if given.high is None:
            yield _conversion(text, given, shown, left[0], right[0], right[1], loose=says is None)
            continue
        for low, high in zip(_ends(text, given), _ends(text, shown), strict=False):
            yield replace(_conversion(text, low, high, left[0], right[0], right[1], loose=says is None), span=(given.span[0], right[1]))


def _of_several(text: str, start: int, end: int) -> bool:
    """Whether the first measurement is that of one of several and the second that of all: "30 exposures of 60 s, or 30 minutes in total"."""
    before = re.search(r"\d[\w,.]*\s+(?:\w+\s+){1,3}(?:of|at|lasting|each|×|x)\s+$", text[max(0, start - 60) : start])
    return bool(before or re.match(r"\s+(?:in (?:total|all)|altogether|combined|overall)\b", text[end : end + 16]))


def _ends(text: str, figure: Quantity) -> Iterator[Quantity]:
    """Both ends of a range as figures of their own; none where one of them is not read so."""
    last = max(text.rfind(dash, *figure.span) for dash in "-–—~−")
    low, high = read(text[figure.span[0] : last]), read(text[last + 1 : figure.span[1]])
    if len(low) == len(high) == 1 and (low[0].value, high[0].value) == (figure.value, figure.high):
        for end, start in ((low[0], figure.span[0]), (high[0], last + 1)):
            span = end.span[0] + start, end.span[1] + start
            yield replace(end, span=span, approximate=figure.approximate, bound=figure.bound, unit=figure.unit)


def _joined(between: str) -> bool:
    """Whether a figure belongs to the one before it: 6 ft 2 in, 5-6 m, 3 × 4 m."""
    return bool(re.fullmatch(r"\s?(?:[A-Za-z°'′]+\.?)?\s?(?:,|and|[-–x×*+/])?\s?", between))


def _compound(text: str, end: int) -> bool:
    """Whether more of the same measure follows: 1 h 30 min, 6 ft 2 in."""
    return bool(re.match(r",?\s?(?:and )?\d", text[end : end + 7]))


def _unit(text: str, figure: Quantity) -> tuple[tuple[str, Fraction, str], int] | None:
    match = _UNIT_AFTER.match(text, figure.span[1])
    unit = _UNITS.get(match["unit"].lower()) if match else None
    return (unit, match.end()) if unit and match else None


def _conversion(
    text: str, given: Quantity, shown: Quantity, left: tuple[str, Fraction, str], right: tuple[str, Fraction, str], end: int, *, loose: bool
) -> Statement:
    value = _converted(given.value, left, right)
    figure = replace(shown, approximate=True) if (loose and left[0] != "temperature") or given.approximate else shown
    source, target = _SYMBOLS.get(left[2], left[2]), _SYMBOLS.get(right[2], right[2])
    amount = str(given.value) if given.value.denominator == 1 else _decimal(given.value)
    holds = agrees(value, figure)
    if holds is False and given.approximate:
        holds = None
    least = _converted(given.value - given.quantum / 2, left, right), _converted(given.value + given.quantum / 2, left, right)
    if holds is False and left[0] == "temperature" and agrees(_difference(given.value, left), figure) is not False:
        holds = None  # a difference of temperatures
    if holds is False and loose and left[0] == "temperature" and abs(value - shown.value) <= _coarse(shown, right[2]):
        holds = None  # a round figure for a temperature
    if holds is False and (loose or given.decimals) and min(least) - figure.quantum / 2 <= figure.value <= max(least) + figure.quantum / 2:
        holds = None  # the given figure is itself rounded
    return Statement(
        span=(given.span[0], end),
        kind="conversion",
        left=f"{text[given.span[0] : given.span[1]]} {source} in {target}",
        expression=f"{amount} {source} to {target}",
        tool="units",
        shown=figure,
        focus=shown.span,
        operands=(given.span,),
        certain=holds is not None and not given.bound and not shown.bound,
        holds=holds,
    )


def _coarse(figure: Quantity, symbol: str) -> Fraction:
    """How far a round figure may be off: it may be rounded to fives or tens, and that of an oven to what its dial shows."""
    value = figure.value
    if (symbol == "°f" and value >= 200 and value % 25 == 0) or (symbol == "°c" and value >= 90 and value % 10 == 0):
        return Fraction(15 if symbol == "°f" else 10)
    return Fraction(5) if value % 10 == 0 else Fraction(5, 2) if value % 5 == 0 else Fraction(0)


def _converted(value: Fraction, left: tuple[str, Fraction, str], right: tuple[str, Fraction, str]) -> Fraction:
    if left[0] == "temperature":
        return value * Fraction(9, 5) + 32 if right[2] == "°f" else (value - 32) * Fraction(5, 9)
    return value * left[1] / right[1]


def _difference(value: Fraction, unit: tuple[str, Fraction, str]) -> Fraction:
    """A difference of temperatures in the other unit."""
    return value * Fraction(9, 5) if unit[2] == "°c" else value * Fraction(5, 9)


def _decimal(value: Fraction) -> str:
    for places in range(1, 12):
        if (value * 10**places).denominator == 1:
            return f"{float(value):.{places}f}" if abs(value) < 10**6 else str(value)
    return f"{value.numerator}/{value.denominator}"


# The calendar.

_MONTH_NAMES = "january february march april may june july august september october november december".split()
_MONTHS = {name[:length]: number for number, name in enumerate(_MONTH_NAMES, 1) for length in (3, len(name))} | {"sept": 9}
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_DAY = r"(?P<day>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = (
    rf"(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<m1>{_MONTH})\.? (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y1>\d{{4}})|(?:the )?(?P<d2>\d{{1,2}})(?:st|nd"
    rf"|rd|th)?(?: of)? (?P<m2>{_MONTH})\.?,? (?P<y2>\d{{4}}))"
)
_EASTERN_DATE = r"(?P<y3>(?:19|20)\d{2})\s?年\s?(?P<m3>\d{1,2})\s?月\s?(?P<d3>\d{1,2})\s?[日号號]"
_EASTERN_WEEKDAY = re.compile(
    rf"(?<!\d){_EASTERN_DATE}\s?(?:，|、|,)?\s?(?:(?:那天)?(?:正好|恰好)?(?:是|为|為)|は|が|（|\()?\s?"
    r"(?:(?:星期|礼拜|禮拜|周|週)(?P<day>[一二三四五六日天])|(?P<youbi>[月火水木金土日])曜日?)(?!曜|[至到~〜、和与及或还的之前后の])"
)
_NOT_SAID = re.compile("如果|假如|假设|若|要是|以为|并非|もし|仮に")
_NOT_SO = re.compile("[吗嗎？?不错误假誤違]|ない|ですか|なら")
_EASTERN_DAYS = ("一月", "二火", "三水", "四木", "五金", "六土", "日天日")
"""The signs of each weekday from Monday on, Chinese and Japanese."""
_WEEKDAY_FIRST = re.compile(rf"\b{_DAY}(?P<abbreviated>\.)?,? (?:the )?{_DATE}(?![\d-])", re.IGNORECASE)
_WEEKDAY_AFTER = re.compile(rf"\b{_DATE}(?:,? (?:is|was|will be|falls|fell|will fall|lands|landed)(?: on)? (?:a )?| \(a?|, a ){_DAY}\b", re.IGNORECASE)
_ANY_DATE = re.compile(rf"\b{_DATE}(?![\d-])", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:to|until|till|through|and|-|–|—)\s*", re.IGNORECASE)
_DAYS_SAID = re.compile(
    r"\s*,?\s*(?:there (?:are|were)|is|are|was|were|=|lasts?|lasted|spans?|makes?|takes?|took|comes to|equals?|\()?\s*(?:exactly |about |a total of "
    r"|a period of )?$",
    re.IGNORECASE,
)
_ZONE = 1924
"""Before this year some countries still used the Julian calendar: weekdays of earlier dates are never held against a text."""


def calendar(text: str, figures: Sequence[Quantity] | None = None) -> Iterator[Statement]:
    """Statements about dates: the weekday of a date, days between dates, days in a month, leap years."""
    for pattern in (_WEEKDAY_FIRST, _WEEKDAY_AFTER):
        for match in pattern.finditer(text):
            day = _day(match)
            if day is not None:
                yield _weekday(text, match, day)
    yield from _eastern_weekdays(text)
    dates = [(match, day) for match in _ANY_DATE.finditer(text) if (day := _day(match)) is not None]
    found = tuple(read(text)) if figures is None else figures
    for (first, a), (second, b) in itertools.pairwise(dates):
        if _BETWEEN.fullmatch(text[first.end() : second.start()]):
            yield from _span(text, (first.start(), second.end()), a, b, found)
    yield from _months(text, found)
    yield from _leap_years(text)


def _eastern_weekdays(text: str) -> Iterator[Statement]:
    """ "2024年7月3日是星期三", "2024年7月3日は水曜日": a wrong weekday is amended in the same script."""
    for match in _EASTERN_WEEKDAY.finditer(text):
        before, after = re.split("[。！？\n]", text[: match.start()])[-1], re.split("[。！\n]", text[match.end() :], maxsplit=1)[0]
        if _NOT_SAID.search(before) or _NOT_SO.search(after):
            continue
        try:
            day = date(int(match["y3"]), int(match["m3"]), int(match["d3"]))
        except ValueError:
            continue
        place = "day" if match["day"] else "youbi"
        signs = _EASTERN_DAYS[day.weekday()]
        yield Statement(
            span=match.span(),
            kind="date",
            left=f"{day:%Y-%m-%d}",
            expression=f"weekday({day:%Y-%m-%d})",
            tool="dates",
            word=_DAYS[day.weekday()],
            focus=match.span(place),
            certain=day.year >= _ZONE,
            holds=match[place] in (signs[:-1] if place == "day" else signs[-1:]),
            amended=signs[0] if place == "day" else signs[-1],
        )


def _day(match: re.Match[str]) -> date | None:
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
        month = (match["m1"] or match["m2"]).lower()
        return date(int(match["y1"] or match["y2"]), _MONTHS[month], int(match["d1"] or match["d2"]))
    except ValueError:
        return None


def _weekday(text: str, match: re.Match[str], day: date) -> Statement:
    focus = match.span("day")
    stop = focus[1] + 3 if text[focus[1] : focus[1] + 3].lower() == "day" else focus[1]
    right = _DAYS[day.weekday()]
    return Statement(
        span=match.span(),
        kind="date",
        left=f"{day:%Y-%m-%d}",
        expression=f"weekday({day:%Y-%m-%d})",
        tool="dates",
        word=right,
        focus=(focus[0], stop),
        certain=day.year >= _ZONE,
        holds=right.lower().startswith(match["day"].lower()[:3]),
    )


def _span(text: str, place: Span, a: date, b: date, figures: Sequence[Quantity]) -> Iterator[Statement]:
    """Days said to lie between two dates: counting neither, one or both of them is right."""
    for figure in _near(figures, place[0] - 40, place[1] + 30):
        behind = figure.span[0] >= place[1] and figure.span[0] - place[1] < 30 and _DAYS_SAID.fullmatch(text[place[1] : figure.span[0]])
        ahead = figure.span[1] <= place[0] and re.fullmatch(
            r"[ -]days? (?:long |elapsed |passed |there are )?(?:from|between) ", text[figure.span[1] : place[0]], re.IGNORECASE
        )
        if not (behind or ahead) or not re.match(r"[ -]?(?:days?\b|天|日)", text[figure.span[1] :][:6]) or figure.value.denominator != 1:
            continue
        days = abs((b - a).days)
        value = int(figure.value)
        start, end = f"{min(a, b):%Y-%m-%d}", f"{max(a, b):%Y-%m-%d}"
        calls = (f"days_between({start}, {end})", f"days_inclusive({start}, {end})")
        holds = agrees(Fraction(days + 1 if value == days + 1 else days), figure)
        if value == days - 1:
            holds = None  # the days in between
        yield Statement(
            span=(min(place[0], figure.span[0]), max(place[1], figure.span[1])),
            kind="duration",
            left=text[place[0] : place[1]],
            expression=calls[1] if value == days + 1 else calls[0],
            tool="dates",
            shown=figure,
            focus=figure.span,
            operands=(),
            also=(calls[0] if value == days + 1 else calls[1],),
            either=True,
            certain=holds is False and not figure.bound,
            holds=holds,
        )
        return


def _near(figures: Sequence[Quantity], start: int, end: int) -> Iterator[Quantity]:
    """The figures that end at or after `start` and begin before `end`; they are in the order of the text."""
    for place in range(bisect_left(figures, start, key=lambda figure: figure.span[1]), len(figures)):
        if figures[place].span[0] >= end:
            return
        yield figures[place]


_SAME_MONTH = re.compile(
    rf"\b(?P<a>\d{{1,2}})(?:st|nd|rd|th)?(?: (?P<m0>{_MONTH}))? ?(?:to|-|–|until|through) ?(?P<b>\d{{1,2}})(?:st|nd|rd|th)? (?P<m>{_MONTH})(?: \d{{4}})?\b",
    re.IGNORECASE,
)
_MONTH_LENGTH = re.compile(rf"(?<!\d )\b(?P<m>{_MONTH})(?: (?P<y>\d{{4}}))? (?:has|had|have|contains) ", re.IGNORECASE)


def _months(text: str, figures: Sequence[Quantity]) -> Iterator[Statement]:
    for match in _SAME_MONTH.finditer(text):
        if match["m0"] and _MONTHS[match["m0"].lower()] != _MONTHS[match["m"].lower()]:
            continue
        a, b = int(match["a"]), int(match["b"])
        if 1 <= a < b <= monthrange(2024, _MONTHS[match["m"].lower()])[1]:
            month = _MONTHS[match["m"].lower()]
            yield from _span(text, match.span(), date(2024, month, a), date(2024, month, b), figures)
    for match in _MONTH_LENGTH.finditer(text):
        figure = next((q for q in _near(figures, match.end(), match.end() + 3) if q.span[0] >= match.end()), None)
        month = _MONTHS[match["m"].lower()]
        if (
            figure is None
            or not re.match(r" days\b", text[figure.span[1] : figure.span[1] + 6])
            or (month == 2 and not match["y"])
            or (len(match["m"]) < 4 and match["m"].lower() != "may")
        ):
            continue
        year = int(match["y"] or 2023)
        if not 1 <= year <= 9999:
            continue
        days = monthrange(year, month)[1]
        yield Statement(
            span=(match.start(), figure.span[1]), kind="date", left=f"the number of days in {match['m']}"
                f" {match['y'] or ''}".strip(), expression=f"days_in_month({year}, {month})", tool="dates", shown=figure,
            focus=figure.span, certain=re.match(r"\d+$", figure.text) is not None, holds=figure.value == days,
        )  # fmt: skip


_LEAP = re.compile(r"\b(?P<y>\d{4}) (?:is|was|will be) (?P<no>not )?(?:an? )?leap year\b", re.IGNORECASE)


def _leap_years(text: str) -> Iterator[Statement]:
    for match in _LEAP.finditer(text):
        year = int(match["y"])
        if year < 1583:
            continue
        right = isleap(year) == (match["no"] is None)
        yield Statement(
            span=match.span(),
            kind="date",
            left=match["y"],
            expression=f"is_leap_year({year})",
            tool="dates",
            word="no" if match["no"] else "yes",
            focus=match.span("y"),
            holds=right,
            unique=False,
        )
