"""Days that a month does not have: 31 June, 29 February 2025, 2025-02-30. Only what is used as a date is a statement, not what is spoken of.

Only the Gregorian calendar is known: a 29 February that another calendar may have had is left alone.
"""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from collections.abc import Iterator
from fractions import Fraction

from redraft.claims.context import doubtful
from redraft.claims.figures import Quantity
from redraft.claims.statement import Statement
from redraft.claims.written_dates import MONTH_NAMES, MONTHS

__all__ = ["impossible_dates"]

_MONTH = "feb(?:ruary)?|apr(?:il)?|june?|sept?(?:ember)?|nov(?:ember)?"
_TAIL = r"(?:st|nd|rd|th)?"
_LEAD = r"(?:on|by|until|till|from|since|before|after|due|dated|through|of|for|date:|to|between|and|starting|beginning|ending|expires|ends)"
_STOP = r"(?=\s*(?:[.,;:!?)\]]|$|\n)|\s+(?:at|and|to|until|through|is|was|will|the|this|next|last)\b)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?<![\w/-])(?P<y>\d{4})-(?P<n>02|04|06|09|11)-(?P<d>29|3[01])(?![\w/-]|\.\d)",
        r"(?<![\d.])(?P<d>29|3[01])\.(?:0?(?P<n>[2469])|(?P<n2>11))\.(?P<y>(?:19|20)\d{2})(?![\w-]|\.\d)",
        r"(?P<y>\d{4})\s?年\s?0?(?P<n>[2469]|11)\s?月\s?(?P<d>29|3[01])\s?[日号]",
        rf"(?<![\w./:-])(?P<d>29|3[01]){_TAIL}(?: of)?[ -](?P<m>{_MONTH})\.?,?[ -](?P<y>[12]\d{{3}})(?![\w-])",
        rf"(?<![\w-])(?P<m>{_MONTH})\.?[ -](?P<d>29|3[01]){_TAIL},?[ -](?P<y>[12]\d{{3}})(?![\w-])",
        rf"(?:\b{_LEAD} (?:the )?|^\W*)(?P<d>3[01]){_TAIL}(?: of)? (?P<m>{_MONTH})\b{_STOP}",
        rf"(?:\b(?:on|by|until|till|since|dated|due|through|before|after) |^\W*)(?P<m>{_MONTH}) (?P<d>3[01]){_TAIL}{_STOP}",
    )
)
_SPOKEN = re.compile(
    r"\b(?:no|nobody|none|nothing|not|never|n['’]t|cannot|without|such|exists?|invalid|valid\w*|impossible|nonexist\w+|non-exist\w+|error|exceptions?|rais(?:es?|ed|ing)"
    r"|reject\w*|refus\w+|pars\w+|typos?|tests?|bugs?|jokes?|if|unless|would|could|suppose|imagine|hypothetical\w*|fictional|fictitious|example|e\.g|like"
    r"|called|named|titled|entitled|calendar|Julian|Swed\w+|placeholder|sentinel|default|overflow\w*|rolls?|normali[sz]e\w*|leap|format\w*)\b"
    r"|n['’]t\b|不存在|没有|無い|ない|无效",
    re.IGNORECASE,
)
_GREGORIAN = 1924
"""Before this year some countries still used the Julian calendar, whose leap years differ."""


def impossible_dates(line: str) -> Iterator[Statement]:
    """The dates of one line that are none, each with the length of its month as what decides it."""
    ends = 0
    for form in _FORMS:
        for match in form.finditer(line):
            statement = _statement(line, match)
            if statement is not None and match.end() > ends:
                ends = match.end()
                yield statement


def _statement(line: str, match: re.Match[str]) -> Statement | None:
    named = match.groupdict()
    month = int(named.get("n") or named.get("n2") or MONTHS[named["m"].lower()])
    year = int(named.get("y") or 0)
    day = int(named["d"])
    if year and year < 1583:
        return None
    days = monthrange(year, month)[1] if year else 29 if month == 2 else 30
    if day <= days or (month == 2 and day == 29 and (year < _GREGORIAN or isleap(year))):
        return None
    start = min(match.start(name) for name in ("d", "m", "n", "n2", "y") if named.get(name))
    if _spoken(line, start, match.end()):
        return None
    span = match.span("d")
    return Statement(
        span=(start, match.end()),
        kind="date",
        left=f"the length of {MONTH_NAMES[month - 1]}" + (f" {year}" if year else ""),
        expression=f"days_in_month({year or 2024}, {month})",
        tool="dates",
        shown=Quantity(span=span, text=line[slice(*span)], value=Fraction(day)),
        relation=">=",
        focus=span,
        unique=False,
        holds=False,
    )


def _spoken(line: str, start: int, end: int) -> bool:
    """Whether the date is spoken of rather than used: denied, supposed, quoted, an example."""
    around = line[max(0, start - 100) : end + 100]
    return bool(_SPOKEN.search(around)) or line[start - 1 : start] in ('"', "'", "“", "‘", "`", "「", "<") or doubtful(line, start, end)
