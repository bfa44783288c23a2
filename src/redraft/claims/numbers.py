"""Comparing and writing figures: whether an exact amount is what a figure shows, and how it looks in that figure's format.

Amounts are exact fractions. A percentage keeps the number that is shown (17 for "17%") with `percent` set; `amount` is 17/100.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from fractions import Fraction

from redraft.claims.figures import MAX_DIGITS, Quantity, decimal_mark, plain, read, read_at, read_figure

__all__ = ["MAX_DIGITS", "Quantity", "agrees", "decimal_mark", "equal", "final", "plain", "read", "read_at", "read_figure", "rounds_to", "show"]


def equal(a: Quantity, b: Quantity) -> bool:
    """Whether both show exactly the same amount (17% equals 0.17; -5 is not 5)."""
    return a.amount == b.amount and (a.high is None) == (b.high is None) and (a.high == b.high or a.percent != b.percent)


def agrees(exact: Fraction, shown: Quantity) -> bool | None:
    """Whether `exact` is what the figure shows, judged by the digits shown; None where it is too close to call either way.

    Rounding half up or half down are both right. A figure cut off instead of rounded is undecided if at least two decimals are shown or an
    ellipsis follows; "about" and "nearly" allow 5 %, and up to 10 % stays undecided; a bound is right if it holds.
    """
    value = shown.value
    if shown.high is not None:
        return True if value <= exact <= shown.high else None
    if shown.bound:
        holds = exact >= value if shown.bound == ">" else exact <= value
        return holds or None
    error = abs(exact - value)
    if 2 * error <= shown.quantum or error == 0:
        return True
    if shown.approximate:
        return True if 20 * error <= abs(exact) else None if 10 * error <= abs(exact) else False
    if shown.significant >= 12 and error * 10**11 <= abs(exact):
        return True  # the noise of binary floating point
    if error < shown.quantum and abs(value) < abs(exact) and (shown.truncated or shown.decimals >= 2):
        return True if shown.truncated else None
    return False


def rounds_to(exact: Fraction, shown: Quantity) -> bool:
    """Whether the figure shows `exact` within its rounding: 3.3 for 10/3 does, 3.4 does not."""
    return agrees(exact, shown) is True


def show(value: Fraction, like: Quantity | None = None) -> str:
    """The exact value written in the format of an existing figure: separators, decimals, currency, percent sign, scale word.

    What does not terminate, or has too many decimals, is rounded to at least four significant digits (money keeps its two decimals).
    """
    if like is not None and like.style == "fraction":
        return _as_fraction(value, like)
    scaled = abs(value) / (like.scale if like else 1)
    point, group, least = (like.mark, like.grouping, like.decimals) if like else (".", "", 0)
    money = like is not None and least == 2 and bool(re.search(r"[$€£¥₹]", like.before + like.after))
    decimals = least if money else _decimals(scaled, least)
    units = round(scaled * 10**decimals)
    if 2 * abs(scaled * 10**decimals - units) == 1:
        units = int(scaled * 10**decimals) + 1
    digits = str(units).rjust(decimals + 1, "0")
    whole, part = (digits[:-decimals], digits[-decimals:]) if decimals else (digits, "")
    if not group and like is not None and like.style == "digits" and like.value < 1000 and len(whole) > 4 and like.before:
        group = "," if point == "." else "."
    if group:
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", group, whole)
    before = like.before.replace("-", "") if like else ""
    return ("-" if value < 0 and units else "") + before + whole + (point + part if part else "") + (like.after if like else "")


def _as_fraction(value: Fraction, like: Quantity) -> str:
    whole, rest = divmod(abs(value), 1)
    sign = "-" if value < 0 else ""
    if rest == 0:
        return f"{sign}{whole}{like.after}"
    if " " in like.text.strip() and whole:
        return f"{sign}{whole} {rest}{like.after}"
    return f"{sign}{abs(value)}{like.after}"


def _decimals(value: Fraction, least: int) -> int:
    """Decimals that show the value exactly where six suffice, and otherwise at least four significant digits."""
    for decimals in range(least, max(least, 6) + 1):
        if (value * 10**decimals).denominator == 1:
            return decimals
    decimals = least
    while decimals < 60 and value and value * 10**decimals < 1000:
        decimals += 1
    return decimals


_ANSWER = re.compile(
    r"####|\\boxed\{|\b(?:final answer|answer|result|solution)\b(?: (?:is|was|would be|equals|comes to|becomes))?\s*(?:[:=]|\bis\b|\bequals\b|(?<=is)"
    r"|(?<=be))|^\s*A\s*:|(?:答案|答え|结果|結果)[是为はが：:]+",
    re.IGNORECASE | re.MULTILINE,
)


def final(text: str) -> Quantity | None:
    """The final answer of a solution: what follows the last "#### ", "A:", "The answer is …" or \\boxed{…}, otherwise the last figure."""
    figures = read(text)
    if not figures:
        return None
    cues = [m.end() for m in _ANSWER.finditer(text)]
    starts = [q.span[0] for q in figures]
    for cue in reversed(cues):
        place = bisect_left(starts, cue)
        if place < len(figures) and "\n" not in text[cue : starts[place]].strip():
            return _after_equals(text, figures, place)
    return figures[-1]


def _after_equals(text: str, figures: tuple[Quantity, ...], place: int) -> Quantity:
    """The figure at `place`, or the end of a chain of equalities that begins with it on the same line ("The answer is 3 * 4 = 12")."""
    line = text.find("\n", figures[place].span[0])
    stop = line if line >= 0 else len(text)
    best = figures[place]
    for before, after in zip(figures[place:], figures[place + 1 :], strict=False):
        if after.span[0] >= stop:
            break
        if "=" in text[before.span[1] : after.span[0]]:
            best = after
    return best
