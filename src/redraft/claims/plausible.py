"""Plausibility, the cheap first look: whether type, sign, unit and magnitude of an answer fit what was asked. It only speaks where nothing else is possible."""

from __future__ import annotations

import re

from redraft.claims.measures import unit_factor
from redraft.claims.numbers import Quantity, read

__all__ = ["implausible"]

_COUNT = re.compile(r"\bhow many (?P<noun>[a-z]+(?: [a-z]+)?)|几(?:个|名|人|只|本|次|天)|多少(?:个|名|人|只|本|次)|何(?:人|個|本|枚|匹|回|冊)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\bhow (?:much (?:money|time|water|does .* (?:cost|weigh)|did .* (?:cost|pay|spend|earn))|old|tall|heavy|far|fast|deep|high|wide)\b"
    r"|\bwhat (?:percentage|percent|fraction|proportion)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:in )?(?:what|which) year\b|哪一?年|何年", re.IGNORECASE)
_CHANCE = re.compile(r"\b(?:probability|chance|likelihood)\b|概率|確率", re.IGNORECASE)
_YES_NO = re.compile(r"^\s*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b(?!.*\bor\b).*\?\s*$", re.IGNORECASE | re.DOTALL)
_OF = re.compile(r"\bhow many of (?:the |these |those |its |their |his |her )?(?P<n>\d[\d,]*|[a-z]+(?:-[a-z]+)?)\b", re.IGNORECASE)
_AVERAGE = re.compile(r"\b(?:average|mean|per|each|expected|estimated|rate|approximately|about|median|ratio|rounded|fraction)\b|平均", re.IGNORECASE)
_PEOPLE = frozenset(
    "people persons students children men women boys girls players employees workers passengers guests teachers soldiers members brothers sisters"
    " siblings kids adults".split()
)
_NUMBERLESS = re.compile(
    r"\b(?:none|no|zero|nil|one|once|single|both|several|few|many|most|all|every|unknown|unclear|never|a|an|first|second|half|third|quarter"
    r"|infinite\w*|countless|cannot|can't|unlimited|not|hundreds|thousands|millions|billions|dozens"
    r"|pair|couple|double|twice|nobody|everyone|nothing|majority|minority|lots|plenty|enough|alone|nonexistent|un\w+ed|[ivxlc]+)\b|[零一二两三四五六七八九十百千万亿]"
    r"|没有|无|π|\bpi\b|∞|√",
    re.IGNORECASE,
)
_IN_UNIT = re.compile(r"\bhow many (?P<a>[a-z]+)\b|\bin (?P<b>[a-z]+)s?\s*\?|\b(?:to|into) (?P<c>[a-z]+)\s*\?", re.IGNORECASE)


def implausible(query: str, answer: str) -> str | None:
    """Why the answer cannot be one to this question, in a few words; None where it may be. Long answers are not judged."""
    words = answer.split()
    if not words or len(words) > 12 or len(answer) > 200:
        return None
    figures = read(answer)
    count = _COUNT.search(query)
    if _number_asked(query) and not figures and re.search(r"\w", answer) and not re.search(r"\d", answer) and not _NUMBERLESS.search(answer):
        return "a number was asked for, and the answer has none"
    if len(figures) != 1:
        return None
    figure = figures[0]
    return (
        _sign(query, answer, figure, count)
        or _magnitude(query, figure, count)
        or _beyond(query, answer, figure)
        or _unit(query, answer, figure)
        or _kind(query, answer, figure)
    )


def _number_asked(query: str) -> bool:
    """Whether the question is for a number and for nothing else."""
    start = _LEAD.match(query)
    found = next((m for m in (_COUNT.search(query), _AMOUNT.search(query), _YEAR.search(query)) if m), None)
    if found is None or start is None or (found.start() > start.end() and query.isascii()):
        return False
    return not re.search(r"\b(?:and|or)\b.{0,20}\b(?:who|which|what|where|when|why|how)\b", query, re.IGNORECASE)


_LEAD = re.compile(
    r"\s*(?:(?:and|so|about|approximately|exactly|in|for|since|by|at|of|on average|in total|to the nearest \w+),? )*(?:(?:can|could) you (?:tell me|say) )?",
    re.IGNORECASE,
)


def _sign(query: str, answer: str, figure: Quantity, count: re.Match[str] | None) -> str | None:
    if figure.value >= 0 or not figure.text.lstrip("$€£¥").startswith(("-", "−")):
        return None
    if count and not re.search(r"degree|point|below|change|difference|net|profit|loss|score|temperature|electron volt", query, re.IGNORECASE):
        return "a count cannot be negative"
    if re.search(r"\bhow (?:old|tall|heavy|far|deep|wide|long)\b", query, re.IGNORECASE) and not re.search(
        r"below|depth|sea level|before|change", f"{query} {answer}", re.IGNORECASE
    ):
        return "a measure of size or age cannot be negative"
    return "a probability cannot be negative" if _CHANCE.search(query) else None


def _magnitude(query: str, figure: Quantity, count: re.Match[str] | None) -> str | None:
    if (
        _CHANCE.search(query)
        and figure.value > 100
        and re.search(r"\b(?:what|find|calculate)\b.{0,30}\b(?:probability|chance|likelihood)\b", query, re.IGNORECASE)
    ):
        return "a probability cannot be above 100 %"
    if count and count["noun"] and not _AVERAGE.search(query) and not figure.approximate:
        noun = count["noun"].lower().split()
        if _PEOPLE & set(noun) and figure.value.denominator != 1 and not figure.percent and figure.scale == 1 and figure.style == "digits":
            return "people are counted in whole numbers"
    part = _OF.search(query)
    whole = read(part["n"] + " items") if part else ()
    if part and whole and figure.value > whole[0].value and not figure.percent and not query[part.end("n") :].lstrip().startswith(("-", "%")):
        return f"the answer is more than the {part['n']} there are"
    if _YEAR.search(query) and figure.value.denominator != 1:
        return "a year is a whole number"
    return None


_PART = re.compile(
    r"\b(?:percent(?:age)?|per cent|share|proportion) of (?:all |the |these |those |our |their |her |his )*(?P<noun>\w+)(?! of\b)", re.IGNORECASE
)
_COUNTED = _PEOPLE | frozenset(
    "class pupils voters votes answers questions respondents patients households members women inhabitants residents citizens graduates applicants readers"
    " customers users visitors books cars houses trees items days hours lessons matches games schools seats electorate population".split()
)
"""What is divided into parts: of them no part is more than all."""
_COMPARED = re.compile(
    r"\b(?:increas|decreas|chang|grow|grew|rise|rose|fell|fall|more|less|compar|than|reach|growth|extra|over|up|down|drop|return|gain|los[st]"
    r"|number|ratio|relativ|equal|correspond|as many|is \d|of capacity)",
    re.IGNORECASE,
)
_WITHIN = (
    (
        24,
        re.compile(
            r"\bhow many hours (?:a|per|each|every|of the|of that|of each) day (?:does|did|do|is|was|has|had) (?:he|she|it|you|i|the \w+|an? \w+)\b(?<!s)",
            re.IGNORECASE,
        ),
    ),
    (60, re.compile(r"\bhow many minutes (?:of|in) (?:the|that|this|each|every|an|one) hour\b", re.IGNORECASE)),
    (60, re.compile(r"\bhow many seconds (?:of|in) (?:the|that|this|each|every|a|one) minute\b", re.IGNORECASE)),
    (7, re.compile(r"\bhow many days (?:a week|per week|(?:of|are there in|in|were there in) (?:the|that|this|each|every|a|one) week)\b", re.IGNORECASE)),
    (12, re.compile(r"\bhow many months (?:a year|per year|(?:of|are there in|in) (?:the|that|this|each|every|a|one) year)\b", re.IGNORECASE)),
    (29, re.compile(r"\bhow many days (?:of|in|does|did) February\b", re.IGNORECASE)),
    (31, re.compile(r"\bhow many days (?:of|in|does|did) (?:January|March|April|May|June|July|August|September|October|November|December)\b", re.IGNORECASE)),
)
"""How much there is at most of a part of time in a longer one, on this planet and for one that lives it once."""
_ELSEWHERE = re.compile(
    r"\b(?:on|of) (?:Mercury|Venus|Mars|Jupiter|Saturn|Uranus|Neptune|Pluto|the moon)\b|\b(?:total|altogether|combined|together|man|person|all the)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\bhow old (?:is|was|were|are) (?:the |a |an )?(?:\w+ )?(?:pupil|student|child|boy|girl|player|actor|actress|teacher"
    r"|employee|winner|candidate|applicant)\b",
    re.IGNORECASE,
)


def _beyond(query: str, answer: str, figure: Quantity) -> str | None:
    """Why so much cannot be: more than the whole, more than a day has hours, a year of five digits, an age that nobody reaches."""
    part = _PART.search(query)
    if part and part["noun"].lower() in _COUNTED and not _COMPARED.search(query):
        bare = answer.strip(" .!%") == figure.text.strip(" %")
        if (figure.percent or bare) and not 0 <= figure.value <= 100:
            return "a part of a whole lies between 0 and 100 %"
    within = next((most for most, form in _WITHIN if form.search(query)), None)
    if within is not None and figure.value > within and not figure.unit and not figure.percent and not _ELSEWHERE.search(query):
        return f"there are no more than {within}"
    if (
        _YEAR.search(query)
        and figure.value > 9999
        and figure.scale == 1
        and not re.search(r"\b(?:bc|bce|ago|will|calendar|era)\b", f"{query} {answer}", re.IGNORECASE)
    ):
        return "a year has no more than four digits"
    return "nobody reaches that age" if _PERSON.search(query) and figure.value > 130 and re.fullmatch(r"\W*\d+(?: years?(?: old)?)?\W*", answer) else None


_SIZES = frozenset({"length", "mass", "temperature", "time"})


def _unit(query: str, answer: str, figure: Quantity) -> str | None:
    asked = _IN_UNIT.search(query)
    if asked is None or not figure.unit:
        return None
    wanted = next(word for word in asked.groups() if word)
    a, b = unit_factor(wanted), unit_factor(figure.unit)
    if a is None or b is None or (a[0] == "temperature" and len(wanted) < 3) or a == b:
        return None
    if a[0] != b[0] and {a[0], b[0]} <= _SIZES and min(len(wanted), len(figure.unit)) > 1:
        return f"asked for in {wanted}, answered in {figure.unit}"
    if a[0] == b[0] and not re.search(rf"\b{re.escape(wanted)}", answer, re.IGNORECASE):
        return f"asked for in {wanted}, answered in {figure.unit}"
    return None


def _kind(query: str, answer: str, figure: Quantity) -> str | None:
    bare = answer.strip(" .!") == figure.text
    if bare and _YES_NO.match(query) and not re.search(r"\bhow\b|\bwhat\b|\bwhich\b", query, re.IGNORECASE):
        return "yes or no was asked, and the answer is a number"
    if bare and re.match(r"\s*(?:who|where)\b", query, re.IGNORECASE) and (figure.percent or figure.decimals or figure.before.strip()):
        return "a person or a place was asked for, and the answer is an amount"
    return None
