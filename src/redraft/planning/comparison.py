"""Whether a draft gives the answer of an option, where in the draft the answer stands, and what would have to stand there instead. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

from redraft.claims import numbers
from redraft.claims.numbers import Quantity
from redraft.claims.written_dates import WEEKDAYS, find_dates, written
from redraft.types import Span

__all__ = ["Comparison", "compare"]

NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|isn['’]t|wasn['’]t|aren['’]t|doesn['’]t|didn['’]t|cannot|can['’]t|won['’]t)\b", re.IGNORECASE)
YES = re.compile(r"\W*(?:yes|true|correct|indeed|yeah|yep)\b", re.IGNORECASE)
NO = re.compile(r"\W*(?:no|false|incorrect|nope)\b(?! (?:idea|information))", re.IGNORECASE)
PERCENT_ASKED = re.compile(r"(?<!\d)(?<!\d )(?:\bper ?cent(?:age)?\b|%)", re.IGNORECASE)
ARTICLES = frozenset({"a", "an", "the"})
MAX_WORDS = 16
"""A longer draft is no bare answer: it is replaced whole rather than searched for the answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """`agrees`: whether the draft gives the answer; `focus` decides it; `expected` is what would stand there."""

    agrees: bool
    focus: Span
    expected: str


def compare(draft: str, answer: str, query: str) -> Comparison:
    """How the draft stands to the answer: numbers as numbers, dates as dates, yes and no by what is said, other texts word for word."""
    if NUMBER.fullmatch(answer):
        return compare_number(draft, answer, query)
    if answer in ("yes", "no"):
        return compare_truth(draft, answer)
    days = find_dates(answer)
    if len(days) == 1 and days[0].span == (0, len(answer)) and days[0].value is not None:
        return compare_date(draft, days[0].value, answer, query)
    return compare_text(draft, answer, query)


def whole(draft: str) -> Span:
    """The draft without outer white space."""
    start = len(draft) - len(draft.lstrip())
    return start, max(start, len(draft.rstrip()))


def compare_number(draft: str, answer: str, query: str) -> Comparison:
    value = Fraction(answer.replace(",", ""))
    figures = [figure for figure in numbers.read(draft) if figure.high is None]
    if not figures:
        return Comparison(agrees=False, focus=whole(draft), expected=answer)
    asked = {figure.value for figure in numbers.read(query)}
    fresh = [figure for figure in figures if figure.value not in asked]
    final = fresh[0] if len(fresh) == 1 else figures[-1]
    if same_number(final, value) and not (len(figures) > 1 and NEGATION.search(draft)):
        return Comparison(agrees=True, focus=final.span, expected=like(final, answer, query))
    if len(figures) == 1 and framed(draft, final.span, query):
        return Comparison(agrees=False, focus=final.span, expected=like(final, answer, query))
    return Comparison(agrees=False, focus=whole(draft), expected=answer)


def framed(draft: str, focus: Span, query: str) -> bool:
    """Whether only a lead-in stands before the figure and only words of the question after it: the rest of such a draft may stay."""
    before = {word.casefold() for word in WORD.findall(draft[: focus[0]])}
    after = folded(draft[focus[1] :])
    known = set(folded(query))
    return before <= LEAD_IN and len(after) <= 2 and all(word in known for word in after)


LEAD_IN = frozenset("the a an final correct answer result solution total sum is was are be equals of it approximately about roughly so therefore thus".split())


def same_number(figure: Quantity, value: Fraction) -> bool:
    """Equal, or rounded where the exact value has no short decimal form: at least two decimals or three significant digits must be shown."""
    if figure.value == value:
        return True
    if figure.approximate:  # "roughly 29.8" says that it is rounded, and is right to the digits shown
        return figure.significant >= 3 and numbers.rounds_to(value, replace(figure, approximate=False, percent=False))
    if value.denominator == 1 or (value * 100).denominator == 1:
        return False
    if figure.decimals < 2 and figure.significant < 3:
        return False
    return figure.style == "digits" and numbers.agrees(value, figure if not figure.percent else unpercented(figure)) is True


def unpercented(figure: Quantity) -> Quantity:
    return replace(figure, percent=False)


def like(figure: Quantity, answer: str, query: str) -> str:
    """The answer with the currency, grouping and percent sign of the figure it replaces."""
    digits = answer
    if figure.grouping == "," and figure.mark == "." and "." not in answer.partition(".")[0] and "e" not in answer:
        head, point, tail = answer.partition(".")
        digits = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", head.replace(",", "")) + point + tail
    currency = re.sub(r"[+\-−]", "", figure.before) if figure.before else ""
    sign = ""
    if figure.percent and PERCENT_ASKED.search(query):
        sign = "%" if "%" in figure.after else figure.after
    after = figure.after if not figure.percent and figure.scale == 1 and figure.after and not figure.after.strip()[:1].isalpha() else sign
    return f"{currency}{digits}{after}"


def compare_truth(draft: str, answer: str) -> Comparison:
    match = YES.match(draft) or NO.match(draft)
    if match is not None:
        said = "yes" if YES.match(draft) else "no"
        word = WORD.search(draft)
        focus = word.span() if word is not None else whole(draft)
        alone = len(WORD.findall(draft)) == 1
        capital = draft[focus[0] : focus[1]][:1].isupper()
        expected = answer.capitalize() if capital else answer
        return Comparison(agrees=said == answer, focus=focus if alone else whole(draft), expected=expected)
    said = "no" if NEGATION.search(draft) else "yes" if len(WORD.findall(draft)) > 2 else ""
    return Comparison(agrees=said == answer, focus=whole(draft), expected=answer.capitalize())


def compare_date(draft: str, value: date, answer: str, query: str) -> Comparison:
    found = [item for item in find_dates(draft) if item.value is not None]
    asked = {item.value for item in find_dates(query)}
    fresh = [item for item in found if item.value not in asked]
    final = fresh[0] if len(fresh) == 1 else found[-1] if found else None
    if final is not None and final.value == value and not NEGATION.search(draft):
        return Comparison(agrees=True, focus=final.span, expected=answer)
    if final is not None and len(found) == 1 and framed(draft, final.span, query):
        expected = written(value, final.style) if final.style != "numeric" else answer
        return Comparison(agrees=False, focus=final.span, expected=expected)
    return Comparison(agrees=False, focus=whole(draft), expected=answer)


def folded(text: str) -> list[str]:
    return [word for word in WORD.findall(unicodedata.normalize("NFKC", text).casefold()) if word not in ARTICLES]


def compare_text(draft: str, answer: str, query: str) -> Comparison:
    wanted = folded(answer)
    if not wanted:
        return Comparison(agrees=draft.strip() == answer.strip(), focus=whole(draft), expected=answer)
    if folded(draft) == wanted and (case(draft) == case(answer) or not cased(query)):
        return Comparison(agrees=True, focus=whole(draft), expected=answer)
    place = stands(draft, answer, wanted)
    if (
        place is not None
        and not NEGATION.search(draft)
        and len(WORD.findall(draft)) <= MAX_WORDS
        and (not cased(query) or draft[place[0] : place[1]] == answer)
    ):
        lone = len(answer) == 1 and sum(len(word) == 1 for word in folded(draft)) > 1
        rest = [word for word in folded(draft[: place[0]] + " " + draft[place[1] :]) if word not in folded(query)]
        if not lone and (sum(day.casefold() in rest for day in WEEKDAYS) == 0 or answer not in WEEKDAYS):
            return Comparison(agrees=True, focus=place, expected=answer)
    return Comparison(agrees=False, focus=whole(draft), expected=answer)


def cased(query: str) -> bool:
    """Whether capitals are what the question is about."""
    return re.search(r"\b(?:upper|lower|capitals?|caps|capitali[sz]e)", query, re.IGNORECASE) is not None


def case(text: str) -> str:
    return " ".join(WORD.findall(text))


def stands(draft: str, answer: str, wanted: Sequence[str]) -> Span | None:
    """Where the words of the answer stand next to each other, as whole words; None where they do not."""
    words = [match for match in WORD.finditer(draft) if match.group().casefold() not in ARTICLES]
    plain = [unicodedata.normalize("NFKC", match.group()).casefold() for match in words]
    for start in range(len(plain) - len(wanted) + 1):
        if plain[start : start + len(wanted)] == list(wanted):
            return words[start].start(), words[start + len(wanted) - 1].end()
    return None
