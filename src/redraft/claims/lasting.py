"""How long what is said stays as it is: the words and years of a statement tell whether it may be another tomorrow. Pure.

"This year" is another year next year: a statement is given its date before it is remembered, so that it is never taken for the same words of another time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Literal

from redraft.claims.written_dates import MONTH_NAMES

__all__ = ["Lasting", "dated", "lasting", "stands_alone"]

Lasting = Literal["moment", "year", "open", "past"]
"""True at the moment; of a year that is not over; without a date of its own; of years that are long over."""

_THIS_YEAR = r"this year|dieses Jahr|in diesem Jahr|cette année|este año|今年"
_LAST_YEAR = r"last year|letztes Jahr|im letzten Jahr|l'année dernière|el año pasado|去年|昨年"
_NEXT_YEAR = r"next year|nächstes Jahr|im nächsten Jahr|l'année prochaine|el próximo año|明年|来年"
_NOW = re.compile(
    r"\b(?:now|nowadays|today|tonight|yesterday|tomorrow|current(?:ly)?|latest|newest|recent(?:ly)?|at present|presently|at the moment|so far|to date|as of|"
    r"(?:this|last|next) (?:week|month|season|quarter)|incumbent|reigning|still|"
    r"aktuell\w*|derzeit\w*|heute|jetzt|momentan|neueste\w*|actuel(?:le)?(?:ment)?|aujourd'hui|maintenant|dernier|actual(?:mente)?|hoy|ahora)\b"
    r"|现在|目前|当前|今天|最新|如今|現在|今日|最近",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:it|its|itself|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|here|there|such|former|latter|same|said|above|below|other|another|"
    r"I|me|my|we|us|our|you|your|er|sie|es|ihn|ihm|ihr|ihre[nmrs]?|sein|seine[nmrs]?|dies|diese[nmrs]?|jene[nmrs]?|dort|il|elle|ils|elles|lui|leur|leurs|ce|cet|"
    r"cette|ces|celui|celle|y|él|ella|ellos|ellas|su|sus|este|esta|estos|estas|ese|esa|aquel|aquella|allí)\b|[它他她这那其此]",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20\d\d|21\d\d)(?!\d)")


def stands_alone(statement: str) -> bool:
    """Whether a statement certainly means the same wherever it stands: it names something, and points at nothing outside itself. In doubt it does not."""
    names = re.findall(r"(?<=[\w,;:)\]\"”’] )[A-Z][\w.-]*\w", statement)
    return bool(names) and not _POINTING.search(statement)


def dated(statement: str, today: date) -> str:
    """The statement with "this year", "last month", "today" and the like replaced by what they mean on that day; other words stay."""
    months = today.year * 12 + today.month - 1
    meanings: tuple[tuple[str, str], ...] = (
        (_THIS_YEAR, str(today.year)),
        (_LAST_YEAR, str(today.year - 1)),
        (_NEXT_YEAR, str(today.year + 1)),
        (r"this month", _month(months)),
        (r"last month", _month(months - 1)),
        (r"next month", _month(months + 1)),
        (r"today|heute|aujourd'hui|hoy|今天|今日", today.isoformat()),
        (r"yesterday|gestern|hier(?= )|ayer|昨天|昨日", (today - timedelta(days=1)).isoformat()),
        (r"tomorrow|morgen(?= )|demain|mañana|明天|明日", (today + timedelta(days=1)).isoformat()),
    )
    for words, meaning in meanings:
        statement = re.sub(_bounded(words), _always(meaning), statement, flags=re.IGNORECASE)
    return statement


def _always(meaning: str) -> Callable[[re.Match[str]], str]:
    return lambda _: meaning


def _month(count: int) -> str:
    return f"{MONTH_NAMES[count % 12]} {count // 12}"


def _bounded(words: str) -> str:
    """As whole words, where the script has spaces between them."""
    return rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])"


def lasting(statement: str, today: date) -> Lasting:
    """What time the statement speaks of, by its words alone: in doubt the one that is over sooner."""
    if _NOW.search(statement):
        return "moment"
    if re.search(_bounded("|".join((_THIS_YEAR, _LAST_YEAR, _NEXT_YEAR))), statement, re.IGNORECASE):
        return "year"
    years = [int(found) for found in _YEAR.findall(statement)]
    if any(year >= today.year - 1 for year in years):
        return "year"
    return "past" if years else "open"
