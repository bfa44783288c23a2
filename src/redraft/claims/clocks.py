"""Arithmetic with times of day: how long it is from one to another, and what time it is some while after or before one.

A time without a.m. and p.m. may be either where both are open; hours that cross midnight belong to the next day. Where time zones, breaks or days
may come in, nothing is held against the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from redraft.claims.context import doubtful
from redraft.claims.numerals import english_value
from redraft.claims.statement import Statement
from redraft.types import Span

__all__ = ["clocks"]

_DAY, _HALF = 1440, 720
_MERIDIEM = r"(?: ?(?:[ap]\.m\.|[ap]m\b))"
_TIME = rf"(?:(?<![\d:.])\d{{1,2}}:[0-5]\d(?![:\d]){_MERIDIEM}?|(?<![\d:.])\d{{1,2}}(?:\.[0-5]\d)?{_MERIDIEM}|\b(?:noon|midday|midnight)\b)"
_NUMBER = r"(?:\d+(?:\.\d+)?|an?|half an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|forty-five|fifty)"
_HOUR, _MINUTE = r"(?:hours?|hrs?|h)", r"(?:minutes?|mins?|m)"
_ENDS = r"(?![\w.]\w)(?![a-z½¼¾]| (?:and )?(?:a half|a quarter|three quarters|½|¼|¾|\d))"
_LENGTH = rf"(?<![\w.,:/½¼¾])(?:{_NUMBER}[ -]?{_HOUR}(?:(?:,| and|, and)? ?{_NUMBER}[ -]?{_MINUTE})?|{_NUMBER}[ -]?{_MINUTE}){_ENDS}"
_HEDGE = r"(?P<hedge>(?:about|around|roughly|approximately|nearly|almost|just over|just under|over|under|more than|less than|some|~|≈) ?)?"
_IS = (
    r"(?:is|are|was|were|=|equals|makes?|made|takes?|took|lasts?|lasted|runs? for|ran for|means|gives|spans?|comes to|amounts to|totals?|will (?:take|last|be)"
    r"|would (?:take|last|be))"
)
_WHOLE = (
    r"(?:journey|trip|ride|drive|walk|meeting|session|interval|duration|shift|time|difference|gap|span|period|total|whole|class|film|movie|lesson|lecture|event"
    r"|exam|show|game|match|call|interview|outage|ceremony)"
)
"""What is said to take the time from one to the other. A crossing of a ferry that runs from nine to five is no such thing."""
_LINK = (
    rf"(?:(?:[,;]? (?:so |and )?(?:that|which|this|it|there|(?:the|this|that|a|an|our|your|my) (?:\w+ )?{_WHOLE}))? {_IS}"
    r" (?:exactly |a total of |an interval of |a duration of |a period of )?|,? ?\(| ?= ?|: |, (?:i\.e\.,? |a total of ))"
)
_SO = (
    r"[,;.]? (?:and |so |thus |therefore |hence |which means |meaning )?(?:that |which |this |it |(?:the|this|that|a|our|her|his|my|their|its) (?:\w+ )?"
    rf"{_WHOLE} )"
)
_FREE = r"[^.;:\n\d]"
_FORMS = tuple(
    (kind, re.compile(form, re.IGNORECASE))
    for kind, form in (
        ("span", rf"\b(?:from|between) (?P<a>{_TIME}) (?:to|until|till|and|through|[-–]) (?P<b>{_TIME}){_LINK}{_HEDGE}(?P<l>{_LENGTH})"),
        ("span", rf"(?P<a>{_TIME}) ?(?:to|until|till|[-–]) ?(?P<b>{_TIME}) ?(?:\(|= ?){_HEDGE}(?P<l>{_LENGTH})"),
        (
            "trip",
            rf"\b(?:depart|leav|start|begin|set|board)\w*{_FREE}{{0,40}}?(?P<a>{_TIME}){_FREE}{{0,60}}?\b(?:arriv|end|finish|reach|return)\w*"
            rf"{_FREE}{{0,40}}?(?P<b>{_TIME})(?:{_SO}{_IS} (?:exactly )?|, ?(?:lasting |making |a (?:\w+ )?{_WHOLE} of )| ?\(){_HEDGE}(?P<l>{_LENGTH})",
        ),
        (
            "end",
            rf"\b(?:depart|leav|start|begin|set|board|open)\w*{_FREE}{{0,40}}?(?P<a>{_TIME}){_FREE}{{0,40}}?\b(?:takes?|lasts?|runs?)(?: for)? {_HEDGE}"
            rf"(?P<l>{_LENGTH}){_FREE}{{0,40}}?\b(?:arriv|end|finish|over|out)\w*{_FREE}{{0,20}}?(?P<b>{_TIME})",
        ),
        ("end", rf"(?P<a>{_TIME}) ?(?:plus|\+) ?{_HEDGE}(?P<l>{_LENGTH})(?: later)? (?:is|=|makes|gives|equals|will be|would be|comes to) (?P<b>{_TIME})"),
        ("end", rf"(?P<l>{_LENGTH}) (?:after|past|later than) (?P<a>{_TIME}) (?:is|=|will be|would be|makes|gives) {_HEDGE}(?P<b>{_TIME})"),
        ("end", rf"\badd(?:ing)? (?P<l>{_LENGTH}) to (?P<a>{_TIME}),? (?:gives|makes|is|yields|results in|you get|we get) {_HEDGE}(?P<b>{_TIME})"),
        ("begin", rf"(?P<a>{_TIME}) ?(?:minus|−) ?(?P<l>{_LENGTH}) (?:is|=|makes|gives|equals|will be|would be) {_HEDGE}(?P<b>{_TIME})"),
        ("begin", rf"(?P<l>{_LENGTH}) before (?P<a>{_TIME}) (?:is|=|was|will be|would be) {_HEDGE}(?P<b>{_TIME})"),
    )
)
_ELSEWHERE = re.compile(
    r"\b(?:time ?zones?|local|GMT|UTC|[ECMP][SD]?T|CES?T|WES?T|BST|JST|IST|AES?T|flights?|fl(?:y|ies|ew|ying)|planes?|airports?|land(?:s|ed|ing)?|daylight"
    r"|DST|breaks?|lunch|paus\w+|intervals?|intermissions?|stop(?:s|ped|over|ping)?|net|exclud\w+|except|without|not counting|delay\w*|late|layover|wait\w*"
    r"|days?|tomorrow|daily|each|every|per|open|respectively)\b"
)
_RUNS = re.compile(r"\b(?:runs?|running|operat\w+|sails?|serv\w+|available|tours?|shuttles?|valid|allowed|hours)\b[^.;]*$", re.IGNORECASE)
"""What goes on from one time to another, again and again."""
_OF_ELSE = re.compile(r"\s(?:to|of|per|each|more|longer|later|earlier|early|late|behind|ahead|before|after|for|apart)\b", re.IGNORECASE)
"""What says that the length of time is that of something else."""
_SMALL = {"half an": Fraction(1, 2), "a": Fraction(1), "an": Fraction(1)}
_PARTS = re.compile(rf"(?P<n>{_NUMBER})(?P<gap>[ -]?)(?P<unit>{_HOUR}|{_MINUTE})(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Clock:
    """A time of day: the minutes since midnight in each of its readings, and how it is written."""

    readings: tuple[int, ...]
    text: str


def clocks(line: str) -> Iterator[Statement]:
    """The statements of one line about lengths between times of day and times some while apart."""
    taken: list[Span] = []
    for kind, form in _FORMS:
        for match in form.finditer(line):
            focus = match.span("l" if kind in ("span", "trip") else "b")
            if any(focus[0] < end and start < focus[1] for start, end in taken):
                continue
            statement = _statement(line, match, kind, focus)
            if statement is not None:
                taken.append(focus)
                yield statement


def _statement(line: str, match: re.Match[str], kind: str, focus: Span) -> Statement | None:
    a, b = _read(match["a"], match["b"]), _read(match["b"], match["a"])
    length = _minutes(match["l"])
    start, end = match.span()
    if a is None or b is None or length is None or re.match(r"\s?[-–/:]\d", line[end : end + 3]):
        return None
    sign = -1 if kind == "begin" else 1
    pairs = [(one, other) for one in a.readings for other in b.readings]
    true = next((pair for pair in pairs if (pair[1] - pair[0] - sign * length) % _DAY == 0), None)
    holds = true is not None and length < _DAY
    around = line[max(0, start - 80) : end + 60]
    if kind in ("span", "trip") and (_OF_ELSE.match(line, end) or (line[focus[0] - 1] == "(" and line[end : end + 1] != ")")):
        return None
    if kind == "span" and _RUNS.search(line[max(0, start - 40) : start]):
        return None
    if match["hedge"] or (_ELSEWHERE.search(around) and not (holds and kind == "span")):
        return None
    one, other = true or min(pairs, key=lambda pair: (pair[1] - pair[0]) % _DAY)
    between = (other - one) % _DAY
    certain = not holds and length < _DAY and not doubtful(line, start, end) and not (kind == "trip" and _abroad(match, length - between))
    if kind in ("span", "trip"):
        lengths = {(pair[1] - pair[0]) % _DAY for pair in pairs}
        unique, word, expression = len(lengths) == 1 or one < other, str(length), f'minutes_between("{_hours(one)}", "{_hours(other)}")'
        amended = _length_like(match["l"], between)
    else:
        results = {(reading + sign * length) % _DAY for reading in a.readings}
        unique, word, expression = True, _hours(other), f'add_minutes("{_hours(one)}", {sign * length})'
        shown = _time_like(match["b"], (one + sign * length) % _DAY)
        amended, certain = shown, certain and not results & set(b.readings)
    return Statement(
        span=(start, end),
        kind="clock",
        left=line[start : focus[0]].strip(" (,;") if kind in ("span", "trip") else f"{match['a']} {'minus' if sign < 0 else 'plus'} {match['l']}",
        expression=expression,
        tool="dates",
        word=word,
        amended=amended if unique else "",
        focus=focus,
        certain=certain,
        unique=unique,
        holds=holds,
    )


def _abroad(match: re.Match[str], off: int) -> bool:
    """Whether places are named and the difference could be that of their time zones, which lie whole quarters of an hour apart."""
    return off % 15 == 0 and re.search(r"(?<=[\w,] )[A-Z]", match.group()) is not None


def _read(text: str, beside: str) -> _Clock | None:
    """A time, in one reading where it or the one beside it shows which half of the day is meant."""
    low = text.lower()
    if low in ("noon", "midday", "midnight"):
        return _Clock((0 if low == "midnight" else _HALF,), text)
    digits = re.match(r"(\d{1,2})(?:[:.](\d{2}))?", text)
    if digits is None:
        return None
    hour, minute = int(digits[1]), int(digits[2] or 0)
    if "m" in low:
        return _Clock((hour % 12 * 60 + minute + (_HALF if "p" in low else 0),), text) if 1 <= hour <= 12 else None
    if hour > 24 or (hour == 24 and minute):
        return None
    if _whole_day(text) or _whole_day(beside):
        return _Clock((hour % 24 * 60 + minute,), text)
    return _Clock((hour % 24 * 60 + minute, (hour * 60 + minute + _HALF) % _DAY), text)


def _whole_day(text: str) -> bool:
    """Whether the hours are counted to 24: 13:05, 09:40."""
    return re.match(r"0\d:|00:|1[3-9]:|2\d:", text) is not None and "m" not in text.lower()


def _minutes(text: str) -> int | None:
    total = Fraction(0)
    for part in _PARTS.finditer(text):
        words = part["n"].lower()
        number = _SMALL.get(words) or (Fraction(words) if words[0].isdigit() else english_value(words))
        if number is None:
            return None
        total += number * (60 if part["unit"][0] in "hH" else 1)
    return int(total) if total.denominator == 1 and total < 10**6 else None


def _hours(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _length_like(text: str, minutes: int) -> str:
    """A length of time in the form of another one."""
    parts = list(_PARTS.finditer(text))
    hours = next((part for part in parts if part["unit"][0] in "hH"), None)
    small = next((part for part in parts if part["unit"][0] in "mM"), None)
    if hours is None and small is not None:
        return _unit_like(small["unit"], small["gap"], minutes)
    assert hours is not None
    joint = text[hours.end() : small.start()] if small is not None else " "
    long = hours["unit"].lower().startswith("hour")
    unit, gap = (small["unit"], small["gap"]) if small is not None else ("minutes" if long else "min", " ")
    whole, rest = divmod(minutes, 60)
    said = [_unit_like(hours["unit"], hours["gap"], whole)] if whole else []
    return joint.join((*said, _unit_like(unit, gap, rest)) if rest or not whole else said)


def _unit_like(unit: str, gap: str, n: int) -> str:
    if unit.lower().startswith(("hour", "minute")):
        unit = unit.removesuffix("s") + ("" if n == 1 else "s")
    return f"{n}{gap}{unit}"


def _time_like(text: str, minutes: int) -> str:
    """A time of day in the form of another one; "" where that form has no hours and minutes."""
    found = re.match(r"(?P<h>\d{1,2})(?P<mark>[:.])?(?:\d{2})?(?P<gap> ?)(?P<half>[ap]\.?m\.?)?", text, re.IGNORECASE)
    if found is None:
        return ""
    hour, minute = divmod(minutes, 60)
    mark = found["mark"] or ":"
    shown = f"{mark}{minute:02d}" if found["mark"] or minute else ""
    if not found["half"]:
        if not _whole_day(text) and hour > 12:
            hour -= 12
        return f"{hour:02d}{shown}" if found["h"].startswith("0") else f"{hour}{shown}"
    letter = ("a" if hour < 12 else "p") if found["half"].islower() else ("A" if hour < 12 else "P")
    return f"{hour % 12 or 12}{shown}{found['gap']}{letter}{found['half'][1:]}"
