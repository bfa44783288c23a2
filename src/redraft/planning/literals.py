"""The literals of a question: numbers in digits and words, quoted words, dates, and the plain words between them, as one list of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from redraft.claims.numbers import plain, read_figure
from redraft.claims.numerals import ENGLISH_NUMERAL, VULGAR, english_value
from redraft.claims.written_dates import WrittenDate, find_dates

__all__ = ["Token", "asks_otherwise", "asks_truth", "number_text", "tokens"]

TokenKind = Literal["number", "word", "quote", "mark", "date"]

QUOTE = re.compile(
    r"\"([^\"\n]{1,2000})\"|“([^”\n]{1,2000})”|„([^“”\n]{1,2000})[“”]|«([^»\n]{1,2000})»|‘([^’\n]{1,200})’(?!\w)|`([^`\n]{1,2000})`|(?<!\w)'([^\n]{1,200}?)'(?!\w)"
)
DIGITS = re.compile(r"\d+(?:[.,]\d+)*|(?<![\w.])\.\d+|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞]")
FRACTION = re.compile(r"(?:[ \u202f-]([1-9]\d{0,3}))?/([1-9]\d{0,3})(?![\d/.,]*\d)")
VULGAR_TAIL = re.compile(r" ?([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞])")
ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
PERCENT = re.compile(r"[ -]?(?:%|per ?cent\b|percent\b|pct\b)(?! points)", re.IGNORECASE)
SCALE = re.compile(r"[ -]?(?:(thousand|million|billion|trillion|dozen|hundred)s?\b|(k)\b)(?<!\sK)", re.IGNORECASE)
HALF_DOZEN = re.compile(r"(?:(?:an?|one) )?half[ -](?:a[ -])?dozen\b", re.IGNORECASE)
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12, "hundred": 100, "k": 1000}
NUMERAL = re.compile(rf"(?:{ENGLISH_NUMERAL})(?!\w|['’-]\w)", re.IGNORECASE)
AND_A_PART = re.compile(r"\s+and\s+(?:a|one)\s+(half|third|quarter|fourth|fifth|eighth)\b", re.IGNORECASE)
A_PART = re.compile(
    r"(?:(?:a|one)[ -])?(half|third|quarter|fourth|fifth|sixth|eighth|tenth)\b(?=\s+(?:of|as)\b)"
    r"|(?:a\s+)?half\s+an?\b(?!\s+(?:dozen|million|billion|hundred|thousand))",
    re.IGNORECASE,
)
PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
CURRENCY = re.compile(r"(?:US)?[$€£¥₹]\s?$")
MONEY_AFTER = re.compile(r"\s?(?:dollars?|euros?|pounds sterling|cents?|bucks|yen|yuan|rupees|€|£)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """One literal or word. `value` is the number shown, scale words included; 17 for "17%", with `percent` set."""

    kind: TokenKind
    text: str
    start: int
    end: int
    value: Fraction | None = None
    percent: bool = False
    money: bool = False
    ordinal: bool = False
    spelled: bool = False
    """Whether a number is written in words."""
    date: WrittenDate | None = None

    @property
    def lower(self) -> str:
        return self.text.lower().replace("’", "'")


def tokens(text: str, *, quotes: bool = True) -> tuple[Token, ...]:
    """All tokens in order; white space and hyphens between words are dropped."""
    flat = plain(text)
    dates = {item.span[0]: item for item in find_dates(flat)}
    found: list[Token] = []
    position = 0
    while position < len(flat):
        token = token_at(flat, text, position, found, dates, quotes)
        if token is None:
            position += 1
            continue
        found.append(token)
        position = token.end
    return tuple(found)


def token_at(flat: str, text: str, position: int, found: list[Token], dates: dict[int, WrittenDate], quotes: bool) -> Token | None:
    character = flat[position]
    if position in dates:
        item = dates[position]
        return Token(kind="date", text=text[position : item.span[1]], start=position, end=item.span[1], date=item)
    if quotes and (quote := QUOTE.match(flat, position)) is not None:
        inner = next(part for part in quote.groups() if part is not None)
        return Token(kind="quote", text=inner, start=position, end=quote.end())
    if (ordinal := ORDINAL.match(flat, position)) is not None:
        return Token(kind="number", text=ordinal.group(), start=position, end=ordinal.end(), value=Fraction(int(ordinal[1][:30])), ordinal=True)
    if (digits := DIGITS.match(flat, position)) is not None:
        return digit_token(flat, digits, found)
    if character.isalpha():
        return word_token(flat, text, position)
    if character.isspace() or character in "\u200b\ufeff":
        return None
    return Token(kind="mark", text=character, start=position, end=position + 1)


def digit_token(flat: str, digits: re.Match[str], found: list[Token]) -> Token:
    start, end = digits.span()
    figure = read_figure(digits.group()) if len(digits.group()) < 60 else None
    if figure is None:
        return Token(kind="word", text=digits.group(), start=start, end=end)
    value = figure[0]
    if (tail := VULGAR_TAIL.match(flat, end)) is not None and digits.group().isdigit():
        value, end = value + VULGAR[tail[1]], tail.end()
    elif digits.group().isdigit() and flat[start - 1 : start] != "/" and (slashed := FRACTION.match(flat, end)) is not None:
        top = int(slashed[1]) if slashed[1] else int(value)
        if (slashed[1] is None or top < int(slashed[2])) and "-" not in slashed.group():
            value, end = (value if slashed[1] else 0) + Fraction(top, int(slashed[2])), slashed.end()
    elif (part := AND_A_PART.match(flat, end)) is not None:
        value, end = value + Fraction(1, PARTS[part[1].lower()]), part.end()
    if (scale := SCALE.match(flat, end)) is not None:
        value, end = value * SCALES[(scale[1] or scale[2]).lower()], scale.end()
    money = CURRENCY.search(flat[max(0, start - 4) : start]) is not None
    if found and found[-1].text == "-" and found[-1].end == (start - 1 if money else start) and negative(flat, found):
        value, start = -value, found.pop().start
    return finished(flat, start, end, value, money)


def negative(flat: str, found: list[Token]) -> bool:
    """Whether a dash directly before a figure is its sign: nothing that could be subtracted from stands directly before it."""
    dash = found[-1]
    before = found[-2] if len(found) > 1 else None
    if before is None:
        return True
    if before.end == dash.start:
        return before.kind == "mark" and before.text not in ")%"
    return before.kind != "number" or before.ordinal


def finished(flat: str, start: int, end: int, value: Fraction, money: bool, *, spelled: bool = False) -> Token:
    percent = PERCENT.match(flat, end)
    after = MONEY_AFTER.match(flat, end)
    last = percent.end() if percent else end
    return Token(kind="number", text=flat[start:last], start=start, end=last, value=value, percent=bool(percent), money=money or bool(after), spelled=spelled)


def word_token(flat: str, text: str, position: int) -> Token:
    if (six := HALF_DOZEN.match(flat, position)) is not None:
        return finished(flat, position, six.end(), Fraction(6), False, spelled=True)
    if (part := A_PART.match(flat, position)) is not None:
        end = part.end()
        return Token(kind="number", text=part.group(), start=position, end=end, value=Fraction(1, PARTS[(part[1] or "half").lower()]), spelled=True)
    if (numeral := NUMERAL.match(flat, position)) is not None:
        value = english_value(numeral.group())
        if value is not None and numeral.group().lower() not in ("one", "a", "an"):
            end = numeral.end()
            if (more := AND_A_PART.match(flat, end)) is not None:
                value, end = value + Fraction(1, PARTS[more[1].lower()]), more.end()
            return finished(flat, position, end, value, False, spelled=True)
    word = WORD.match(flat, position)
    end = word.end() if word else position + 1
    return Token(kind="word", text=text[position:end], start=position, end=end)


def number_text(value: Fraction) -> str:
    """The number as the calculator takes it: decimal where it ends, else a fraction in brackets."""
    if value.denominator == 1:
        return str(value.numerator)
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1 and value.denominator.bit_length() < 64:
        places = max(power for power in range(1, 64) if value.denominator % 2**power == 0 or value.denominator % 5**power == 0)
        whole = value * 10**places
        sign, digits = ("-" if whole < 0 else ""), str(abs(whole.numerator)).rjust(places + 1, "0")
        return f"{sign}{digits[:-places]}.{digits[-places:]}"
    return f"({value.numerator}/{value.denominator})"


def asks_otherwise(read: Sequence[Token]) -> bool:
    """Whether the question asks for a person, a place, a time or a reason: nothing that is calculated or counted."""
    words = [token.lower for token in read]
    if any(pair in (("end", "up"), ("do", "i")) for pair in pairwise(words)) and "where" in words:
        return False  # "where do I end up" asks for a result
    asking = [word for token in read if token.kind == "word" and (word := token.lower.removesuffix("'s")) in COUNTING | OTHER]
    return bool(asking) and not any(word in COUNTING for word in asking)


def asks_truth(read: Sequence[Token]) -> bool:
    """Whether the question wants yes or no, which no figure, date or letter answers: `Is 12 more than 10?`; not `Can you add 3 and 4?`."""
    words = [token.lower.removesuffix("'s") for token in read if token.kind in ("word", "number", "date")]
    joined = " ".join(words)
    if "yes or no" in joined or "true or false" in joined or "yes no" in joined:
        return True
    opening = next((place for place, word in enumerate(words) if word not in GREETINGS), None)
    if opening is None or words[opening] not in AUXILIARIES or set(words) & (COUNTING | TELLING):
        return False
    return words[opening] not in ORDERING or words[opening + 1 : opening + 2] not in ORDERED


GREETINGS = frozenset("hi hello hey hiya ok okay so well please and but now quick question".split())
AUXILIARIES = frozenset("is are was were does do did has have had isn't aren't wasn't doesn't don't didn't am will can could would should".split())
ORDERING = frozenset("do will can could would should".split())
ORDERED = tuple([word] for word in "you u i we the this these some a".split())
"""What follows where it is an order or a request: `do the sum`, `can you add`."""
TELLING = frozenset("tell name say state where when who why let".split())
COUNTING = frozenset("what how find calculate compute work determine evaluate give much many which whats".split())
OTHER = frozenset("who whose whom when where why".split())
