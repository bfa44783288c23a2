"""Reading figures: what amount a text shows, how precisely, and in what format; the text around decides the convention for separators."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from redraft.claims.hedges import Bound, hedge
from redraft.claims.numerals import CJK_NUMERAL, ENGLISH_NUMERAL, VULGAR, cjk_value, english_value
from redraft.claims.separators import MAX_DIGITS, decimal_mark, plain, read_figure
from redraft.types import Span

__all__ = ["MAX_DIGITS", "Quantity", "decimal_mark", "plain", "read", "read_at", "read_figure"]

MAX_EXPONENT = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """One figure of a text: its amount, the precision shown, and the format it is written in."""

    span: Span
    """Sign, currency, digits, scale word and percent sign: what a correction replaces."""
    text: str
    value: Fraction
    """The number shown, scale words included; 17 for "17%"."""
    quantum: Fraction = Fraction(1)
    """One unit of the last digit shown; 0 for a fraction or a word, which claim to be exact."""
    decimals: int = 0
    significant: int = 1
    unit: str = ""
    """Currency symbol, or the word or symbol that follows, as written in lower case."""
    percent: bool = False
    approximate: bool = False
    bound: Bound = ""
    """"more than 400" is `>`, "up to 400" is `<`."""
    high: Fraction | None = None
    """The upper end of a range such as 3–5, whose lower end is `value`."""
    truncated: bool = False
    """Whether the digits end in an ellipsis."""
    mark: str = "."
    grouping: str = ""
    before: str = ""
    after: str = ""
    scale: int = 1
    style: Literal["digits", "fraction", "words"] = "digits"

    @property
    def amount(self) -> Fraction:
        """The value as a plain number: 17% is 17/100."""
        return self.value / 100 if self.percent else self.value


_GROUPED = r"\d{1,3}(?:[ \u202f'’]\d{3})+(?:[.,]\d+)?(?![\d'’])(?![.,]\d)"


_DIGITS = r"\d+(?:[.,_]\d+)*"


_OPAQUE = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\d)|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})(?!\d)|\d{1,2}:\d{2}(?::\d{2})?(?!\d)|\d+(?:-\d+){2,}(?!\d)"
    r"|\d{1,4}(?:st|nd|rd|th)\b|\d{4}s\b|\d{1,2}/\d{1,2}/\d{2,4}|24/7\b|9/11\b"
)


"""Dates, times, telephone numbers, ordinals and decades: digits that are no amount."""


_LITERAL = re.compile(rf"(?:{_GROUPED}|{_DIGITS}|(?<![\w.)])\.\d+|(?<![\d/])[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒])")


_EXPONENT = re.compile(
    r"[eE]([-+]?\d{1,4})(?![\w.])|\s?(?:[x×*·]|\\times)\s?10(?:\^\{?\(?([-+]?\d{1,4})\)?\}?|\*\*\(?([-+]?\d{1,4})\)?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))(?![\d.])"
)


_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


_SCALES = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "mn": 10**6, "bn": 10**9, "mio": 10**6, "mrd": 10**9,
    "dozen": 12, "hundred": 100, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "千": 10**3, "百": 100, "兆": 10**12, "万亿": 10**12, "百万": 10**6,
    "千万": 10**7, "十亿": 10**9, "百亿": 10**10, "千亿": 10**11, "k": 10**3, "K": 10**3, "M": 10**6, "m": 10**6, "B": 10**9, "b": 10**9, "T": 10**12,
}  # fmt: skip


_SCALE = re.compile(
    r"(?P<word>[ \u202f-]?(?:thousand|million|billion|trillion|dozen|hundred)s?\b|[ \u202f]?(?:mn|bn|mio|mrd)\b\.?)"
    r"|\s?(?P<cjk>万亿|百万|千万|十亿|百亿|千亿|万|萬|亿|億|千|百|兆)"
    r"|(?P<letter>[kKMmBbT](?![\w/]))",
    re.IGNORECASE,
)


_NO_DIGIT = re.compile(r"\D")
_PERCENT = re.compile(r"[ \u202f]?%(?![A-Za-z0-9])|[ -]?per ?cent\b|[ -]?percent\b(?! points?)|[ -]?pct\b", re.IGNORECASE)


_FRACTION = re.compile(r"(?:[ \u202f]|(?<=\d)-)?([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒])")


_SLASHED = re.compile(r"(?:[ \u202f](\d{1,4}))?/(\d{1,4})(?![\d/.,]\d|\d|/)")


_CURRENCY = re.compile(r"(?:(?:US|A|C|NZ|HK|S|R)?[$€£¥₹₩₽₪₫฿]|(?:USD|EUR|GBP|JPY|CNY|INR|CHF)[ \u202f]?)[ \u202f]?$")


_AFTER_CURRENCY = re.compile(
    r"[ \u202f]?([€£¥₹₩₽]|(?:USD|EUR|GBP|JPY|CNY|INR|CHF|RMB)\b|dollars?\b|euros?\b|pounds? sterling\b|yen\b|yuan\b|元|円|美元|人民币)", re.IGNORECASE
)


_UNIT = re.compile(
    r"[ \u202f-]?(?!(?:and|or|to|of|in|on|at|is|are|was|were|by|for|from|with|the|a|an|as|but|that|this|times|plus|minus|per|if|than|which|x)\b)"
    r"((?:°|º) ?[CF]\b|[A-Za-zµμΩ°][A-Za-z²³]*(?:/[A-Za-z]+)?|(?![零〇一二两三四五六七八九十百千万亿左右上下多余是的加减乘除等和与])[\u4e00-\u9fff])"
)


_TIMES = re.compile(r"[xX](?=\s+[^\W\d]{2}|[.,;:!?)]|\s*$)")
"""The x of "2.4x that of last year", unlike that of "2.4x + 3"."""


_WORDS = re.compile(rf"\b(?=an? [bdhmt]|half a|ze|one|tw|th[ir]|fo|fi|si|se|ei|ni|te|el)(?:{ENGLISH_NUMERAL})(?![\w-])", re.IGNORECASE)
"""A numeral at a glance at how its word begins: most words are none."""


_CJK = re.compile(rf"(?P<percent>百分之)?(?P<numeral>{CJK_NUMERAL})")


_MEASURE = re.compile(r"[个個位名人年月日天次元块米公里斤吨岁只条件本张家台辆倍分秒度页]")


def read(text: str, *, numerals: bool = False) -> tuple[Quantity, ...]:
    """All amounts of a text in order: digits, fractions, percentages, currency, scale words, number words, Chinese and Japanese numerals.

    Dates, times, ordinals, versions and digits inside names are no amounts. "3-5" is one range from 3 to 5, "-5" is negative. Single Chinese
    numerals (一, 二) are often no amounts but parts of words; `numerals` reads them all the same.
    """
    flat = plain(text)
    found: list[Quantity] = []
    for quantity in _digits(text, flat, decimal_mark(flat)):
        if not found or found[-1].span[1] <= quantity.span[0]:  # "0%€0": a currency sign belongs to one figure only
            found.append(quantity)
    starts = [q.span[0] for q in found]

    def free(start: int, end: int) -> bool:
        place = bisect_left(starts, end)
        return place == 0 or found[place - 1].span[1] <= start

    words = [q for q in _words(text, numerals) if free(*q.span)]
    return tuple(sorted(found + words, key=lambda q: q.span)) if words else tuple(found)


def _digits(text: str, flat: str, mark: str) -> Iterator[Quantity]:
    position = 0
    opaque = _OPAQUE
    pending: Quantity | None = None
    for match in _LITERAL.finditer(flat):
        start, end = match.span()
        if start < position:
            continue
        if blocked := opaque.match(flat, start):
            position = blocked.end()
            continue
        if start and ((flat[start - 1].isalpha() and flat[start - 1].isascii()) or flat[start - 1] in "_#@\\"):
            position = end
            continue
        quantity = _quantity(text, flat, start, end, mark)
        if quantity is None:
            position = end
            continue
        position = quantity.span[1]
        if pending is not None:
            joined = _join(text, flat, pending, quantity)
            if joined is not None:
                pending = joined
                continue
            yield pending
        pending = quantity
    if pending is not None:
        yield pending


def _join(text: str, flat: str, low: Quantity, high: Quantity) -> Quantity | None:
    """Two figures as one range, where only a dash stands between them and the second is the larger."""
    gap = flat[low.span[1] : high.span[0]]
    value = high.value
    if gap in ("–", "—", "~", " – ", " — "):
        pass
    elif gap == "" and high.text.startswith(("-", "−")):
        value = -high.value
    else:
        return None
    if low.high is not None or value <= low.value or low.style != "digits":
        return None
    return replace(high, span=(low.span[0], high.span[1]), text=text[low.span[0] : high.span[1]], value=low.value, high=value, before=low.before)


def _quantity(text: str, flat: str, start: int, end: int, mark: str) -> Quantity | None:
    parsed = read_figure(flat[start:end], mark)
    if parsed is None:
        return None
    value, decimals, point, grouping = parsed
    core = flat[start:end]
    quantum, style, scale = Fraction(1, 10**decimals), "digits", 1
    if core in VULGAR:
        quantum, style = Fraction(0), "fraction"
    stop = end
    if (power := _EXPONENT.match(flat, stop)) is not None:
        exponent = int((power[1] or power[2] or power[3] or power[4]).translate(_SUPERSCRIPT))
        if abs(exponent) > MAX_EXPONENT:
            return None
        value, quantum = value * Fraction(10) ** exponent, quantum * Fraction(10) ** exponent
        stop = power.end()
    elif decimals == 0 and (vulgar := _FRACTION.match(flat, stop)) is not None:
        value, quantum, style, stop = value + VULGAR[vulgar[1]], Fraction(0), "fraction", vulgar.end()
    elif decimals == 0 and (slashed := _SLASHED.match(flat, stop)) is not None and _is_fraction(core, slashed):
        whole, top = (value, int(slashed[1])) if slashed[1] else (Fraction(0), int(value))
        value, quantum, style, stop = whole + Fraction(top, int(slashed[2])), Fraction(0), "fraction", slashed.end()
    first, before = _before(flat, start)
    currency = before.strip(" \u202f+-")
    scaled = _SCALE.match(flat, stop)
    if scaled is not None and (scaled["letter"] is None or currency or (scaled["letter"] in "kKMB" and not (flat[stop] == "K" and " " in core))):
        scale = _SCALES.get(scaled["letter"] or scaled["cjk"] or scaled["word"].strip(" -.\u202f").lower().removesuffix("s"), 0)
        if scale:
            value, quantum, stop = value * scale, quantum * scale, scaled.end()
        else:
            scale = 1
    elif flat[stop : stop + 1].isascii() and flat[stop : stop + 1].isalpha() and not _known_tail(flat, stop) and not (decimals and _TIMES.match(flat, stop)):
        return None
    percent = _PERCENT.match(flat, stop)
    negative = "-" in before
    last = percent.end() if percent else stop
    unit, last = _unit(flat, last, currency)
    return Quantity(
        span=(first, last),
        text=text[first:last],
        value=-value if negative else value,
        quantum=quantum,
        decimals=decimals,
        significant=len(core.lstrip("0")) or 1 if core.isdecimal() else len(_NO_DIGIT.sub("", core).lstrip("0")) or 1,
        unit=unit,
        percent=percent is not None,
        mark=point,
        grouping=grouping,
        before=before,
        after=text[end:last] if style == "digits" else text[stop:last],
        scale=scale,
        style="fraction" if style == "fraction" else "digits",
        truncated=bool(decimals) and flat.startswith(("...", "…"), end),
        **hedge(flat, first, last, exact=bool(decimals)),
    )


def _is_fraction(core: str, slashed: re.Match[str]) -> bool:
    top, bottom = slashed[1] or core, slashed[2]
    if not top.isdigit() or len(top) > 4 or int(bottom) == 0:
        return False
    return slashed[1] is None or int(top) < int(bottom)


def _before(flat: str, start: int) -> tuple[int, str]:
    """Where the figure begins, with its sign and currency, and that text."""
    first = start
    if flat[start - 1 : start] == "-" and flat[start - 2 : start - 1] in ("$", "€", "£", "¥"):
        first = start - 1
    window = flat[max(0, first - 6) : first]
    if (symbol := _CURRENCY.search(window)) is not None and not (symbol.start() and window[symbol.start() - 1].isalnum()):
        first = first - len(window) + symbol.start()
    sign = flat[first - 1] if first else ""
    if sign == "-":
        behind = flat[first - 2] if first > 1 else " "
        if not (behind.isalnum() or behind in ")]}%.-_") or _is_range(flat, first - 1):
            first -= 1
    return first, flat[first:start]


def _is_range(flat: str, dash: int) -> bool:
    """Whether a hyphen directly between two figures: it is read with the second, and `_join` makes a range of both."""
    return flat[dash - 1 : dash].isdigit() or flat[dash - 1 : dash] == "%"


def _known_tail(flat: str, stop: int) -> bool:
    tail = re.compile(r"[A-Za-z]+").match(flat, stop)
    return tail is not None and (tail.group() in _ATTACHED or (tail.group() in ("x", "X") and flat[tail.end() : tail.end() + 1].isdigit()))


_ATTACHED = frozenset(
    "km m cm mm nm kg g mg t lb lbs oz mi ft in yd mph kph h hr hrs min mins s sec ms l L ml mL cl gal C F K W kW MW GW kWh Wh MWh J kJ V mV A mA Hz"
    " kHz MHz GHz B KB kB MB GB TB"
    " bps Mbps Gbps Pa kPa MPa bar N mol ha px pt dB am pm bn mn pp bp bps USD EUR GBP and percent dollars years days hours minutes seconds e".split()
)


def _unit(flat: str, last: int, currency: str) -> tuple[str, int]:
    if currency:
        return currency, last
    money = _AFTER_CURRENCY.match(flat, last)
    if money is not None and not (flat[money.end() : money.end() + 1].isnumeric() and not money[1].isalpha()):  # "$5 €8": the mark of the next figure
        return money[1].lower(), money.end() if not money[1].isalpha() else last
    word = _UNIT.match(flat, last)
    return (word[1].lower() if word else "", last)


def _words(text: str, numerals: bool) -> Iterator[Quantity]:
    for match in _WORDS.finditer(text):
        for part in _cardinals(match.group()):
            value = english_value(match.group()[part[0] : part[1]])
            if value is not None and match.group()[part[0] : part[1]].lower() != "one":
                yield _word_quantity(text, match.start() + part[0], match.start() + part[1], value)
    if text.isascii():
        return
    for match in _CJK.finditer(text):
        numeral, start, end = match["numeral"], match.start(), match.end()
        if match["percent"]:
            value = cjk_value(numeral)
            if value is not None:
                yield replace(_word_quantity(text, start, end, value), percent=True)
            continue
        counted = numerals or len(numeral) > 1 or (numeral in "二两三四五六七八九十" and _MEASURE.match(text, end))
        value = cjk_value(numeral) if counted and numeral not in ("万一", "千万", "百万", "千百", "一一") else None
        if value is not None and not (numeral[0] in "百千万亿" or text[start - 1 : start] in ("第", "星", "周") or text[start - 2 : start] == "星期"):
            yield _word_quantity(text, start, end, value)


def _cardinals(words: str) -> list[Span]:
    """The whole, if it is one cardinal, and otherwise its parts between commas and "and"."""
    if english_value(words) is not None:
        return [(0, len(words))]
    ends = [match.span() for match in re.finditer(r", (?:and )?| and ", words)]
    return [(a, b) for a, b in zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(words)], strict=True) if a < b]


def _word_quantity(text: str, start: int, end: int, value: Fraction) -> Quantity:
    percent = _PERCENT.match(text, end)
    last = percent.end() if percent else end
    unit = _UNIT.match(text, last)
    quantum = Fraction(0)
    if value and value.denominator == 1 and value % 1000 == 0:
        quantum = Fraction(10 ** (len(str(value.numerator)) - len(str(value.numerator).rstrip("0"))))
    return Quantity(
        span=(start, last),
        text=text[start:last],
        value=value,
        quantum=quantum,
        unit=unit[1].lower() if unit else "",
        percent=percent is not None,
        style="words",
        after=text[end:last],
        **hedge(text, start, last),
    )


def read_at(text: str, start: int, mark: str = "", flat: str | None = None) -> Quantity | None:
    """The figure whose digits begin at `start`, or None if none does; `flat` is `plain(text)` where that is known."""
    flat = plain(text) if flat is None else flat
    match = _LITERAL.match(flat, start)
    return _quantity(text, flat, start, match.end(), mark) if match else None
