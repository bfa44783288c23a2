"""What stands around an expression: whether it is complete, whether a false equality can mean nothing else, whether its units agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from redraft.claims.expression import Operand, Run, Token
from redraft.claims.figures import Quantity
from redraft.claims.measures import unit_factor

__all__ = ["begins", "clear", "doubtful", "ends", "same_units"]


def begins(line: list[Token], run: Run) -> bool:
    """Whether the expression really begins where the run does, and is not the tail of something that was not understood."""
    opening = line[run.first]
    if run.first == 0:
        return True
    before = line[run.first - 1]
    if opening.kind == "op" and line[run.first + 1].start > opening.end and before.text not in ":,;(" and before.kind not in ("eq", "rel"):
        return False
    spaced = before.end < run.start
    if before.kind in ("op", "power"):
        lone = run.first == 1 or line[run.first - 2].end < before.start
        bullet = run.first == 1 and before.text in "-*+•·–" and spaced
        return bullet or (before.text in ("*", "**") and lone and not spaced)
    if before.kind == "word":
        name = len(before.text) == 1 and before.text.isascii() and before.text not in "aAI"
        return spaced and before.text.lower() not in _LEFT_OPEN and not name and not _operator_behind(line, run.first - 1)
    if before.kind == "open" and run.first > 1:
        return line[run.first - 2].kind not in ("op", "power", "num", "close")  # a bracket that was never closed
    if before.kind == "close":
        return spaced and run.first > 1 and (line[run.first - 2].kind == "word" or run.first <= 3)
    if before.kind == "other" and before.text not in "\"'“”‘’;,:`":
        return (before.text in ".!?#|_•☐✓✔→" and spaced) or before.text in "，。：；、（"
    return before.kind not in ("pct", "sup", "num", "mark", "rel")


def _operator_behind(line: list[Token], index: int) -> bool:
    """Whether the words in front belong to an operand: an operator stands before them."""
    for place in range(index, max(-1, index - 6), -1):
        token = line[place]
        if token.kind != "word":
            return token.kind in ("op", "power") and place > 0
    return False


_LEFT_OPEN = frozenset(
    "of half twice double triple thrice times plus minus by divided multiplied over squared cubed root sum product difference quotient total average"
    " mean log ln sin cos tan exp mod modulo"
    " add subtract multiply divide sqrt than and more less per base percent".split()
) - {"total", "average", "mean", "sum", "product", "difference", "and"}


def ends(line: list[Token], run: Run) -> bool:
    """Whether the last side ends where the run does."""
    if run.last >= len(line):
        return True
    after = line[run.last]
    glued = after.start == run.end
    if after.kind in ("op", "power"):
        follows = line[run.last + 1] if run.last + 1 < len(line) else None
        if after.text in ("*", "**") and (follows is None or (glued and follows.start > after.end)):
            return True
        dash = after.text in "-–" and not glued and follows is not None and follows.kind == "word" and len(follows.text) > 1
        return dash or (follows is None and after.text in "*-–")
    if after.kind == "word" and after.text.lower() in ("x", "times", "plus", "minus", "divided", "multiplied", "mod", "remainder", "r", "rem", "or"):
        return False
    if after.kind == "word" and _goes_on(line, run.last):
        return False
    if after.kind in ("sup", "pct", "rel", "num"):
        return False
    return (not (after.kind == "open" and glued) and after.text not in ("!", ":", "^", "/")) or (after.text in "!:" and not _digit_follows(line, run.last))


def _goes_on(line: list[Token], index: int) -> bool:
    """Whether a second measure follows the first: 2 hours 15 minutes, 2 hours and 15 minutes."""
    following = [token for token in line[index + 1 : index + 4] if token.text.lower() not in ("and", ",")][:2]
    measured = len(following) == 2 and following[0].kind == "num" and following[1].kind == "word" and unit_factor(following[1].text) is not None
    return measured and unit_factor(line[index].text) is not None


def _digit_follows(line: list[Token], index: int) -> bool:
    return index + 1 < len(line) and line[index + 1].kind == "num" and line[index + 1].start == line[index].end


_DOUBTFUL = re.compile(
    r"\b(?:binary|hex(?:adecimal)?|octal|base[- ]?\d+|mod(?:ulo)?|bitwise|xor|wrong(?:ly)?|incorrect(?:ly)?|false|mistake(?:n|nly)?|error|not equal"
    r"|not (?:be )?(?:right|true|so)|untrue|isn't|is not|does not|doesn't|cannot|never|myth|fallacy|misconception"
    r"|suppose|assum(?:e|ing)|imagine|pretend|instead of|joke|typo|boolean|remainder|left ?over|matrix|vector|clock|o'clock)\b|错误|错了|不等于|间違",
    re.IGNORECASE,
)


_WHOLE = re.compile(
    r"\b(?:whole|full|complete|fully|only|at most|at least|rounded|round(?:ing)?|up|down|integer|floor|ceil(?:ing)?|nearest|so|can|needs?|must"
    r"|approximately|about|roughly|almost|nearly|around)\b|~",
    re.IGNORECASE,
)


def clear(flat: str, line: list[Token], left: Run, right: Run, shown: Quantity, value: Fraction) -> bool:
    """Whether a statement that does not hold can mean nothing else."""
    if left.uncertain or right.uncertain:
        return False
    start, end = max(line[0].start, left.start - 200), min(line[-1].end, right.end + 200)
    if _DOUBTFUL.search(flat, start, end) or _quoted_or_asked(flat, left.start, max(left.end, right.end)):
        return False
    if shown.percent or any(o.percent for o in left.operands[1:]):
        additive = any(item in ("+", "-") for item in left.items)
        if additive and any(o.percent for o in left.operands):
            return False
    if left.items[0] == "~" and "**" in left.items:
        return False
    if _span_of_days(left, value, shown) or _DATE.fullmatch(flat, left.start, left.end):
        return False
    if (
        value.denominator != 1
        and shown.quantum == 1
        and abs(value - shown.value) < 1
        and _WHOLE.search(flat, max(0, left.start - 60), min(len(flat), right.end + 40))
    ):
        return False
    return same_units(left.operands, right.operands[-1], shown)


def doubtful(flat: str, start: int, end: int) -> bool:
    """Whether what stands here is said to be false, supposed, asked, or quoted as somebody's words, as far as its line tells."""
    first, last = max(0, start - 200), end + 200
    first = max(first, flat.rfind("\n", first, start) + 1)
    stop = flat.find("\n", end, last)
    return _DOUBTFUL.search(flat, first, last if stop < 0 else stop) is not None or _quoted_or_asked(flat, start, end)


def _quoted_or_asked(flat: str, start: int, end: int) -> bool:
    """Whether the equality is quoted as somebody's words, supposed, or asked."""
    if flat[start - 1 : start] in _OPENING and flat[end : end + 1] in _CLOSING and start and end < len(flat):
        return True
    if re.match(r"[^.!\n]{0,60}\?", flat[end : end + 70]) is not None:
        return True
    return _SUPPOSED.search(flat[max(0, start - 40) : start]) is not None


_OPENING, _CLOSING = frozenset("\"'“‘«「『"), frozenset("\"'”’»」』")
_SUPPOSED = re.compile(
    r"\b(?:if|suppose|whether|unless|say|saying|says|said|wrote|writes|told|claim(?:s|ed|ing)?|believ(?:e[sd]?|ing)|thinks?|thought|argu(?:e[sd]?"
    r"|ing)|insist(?:s|ed)?)"
    r"(?: that)?[ ,:\"'“‘]*$",
    re.IGNORECASE,
)


_DATE = re.compile(r"\d{1,2}([-/])\d{1,2}\1\d{2}(?:\d{2})?|\d{4}([-/])\d{1,2}\2\d{1,2}")


def _span_of_days(left: Run, value: Fraction, shown: Quantity) -> bool:
    """A hyphen between two figures without spaces may be a range: 3-5 is no statement about -2."""
    return len(left.operands) == 2 and left.items[1:2] == ["-"] and left.end - left.start < 12 and value <= 0 and shown.value >= 0


_SIZES = {
    "time": {"month": 2629800, "year": 31557600, "decade": 315576000},
    "mass": {"ton": 907, "tonne": 1000},
    "volume": {"gallon": 4, "quart": 0.95, "pint": 0.47, "cup": 0.24},
    "money": {"cent": 0.01, "¢": 0.01, "dollar": 1, "penny": 0.01, "pennie": 0.01, "dime": 0.1, "nickel": 0.05, "quarter": 0.25},
    "count": {"dozen": 12, "pair": 2, "score": 20},
}
_OTHERS = {unit: (dimension, Fraction(str(size))) for dimension, sizes in _SIZES.items() for unit, size in sizes.items()}
"""Units of several sizes or of no exact one: good enough to see that two units are not the same."""


def _measure(unit: str, currency: str) -> tuple[str, Fraction] | None:
    if currency:
        return "money", Fraction(1)
    for word in reversed(unit.split()[:2]):
        found = unit_factor(word) or _OTHERS.get(word) or _OTHERS.get(word.removesuffix("s"))
        if found:
            return found
    return None


def same_units(operands: Sequence[Operand], right: Operand, shown: Quantity) -> bool:
    """Whether no unit known to be convertible into another occurs beside that other one."""
    seen: dict[str, Fraction] = {}
    unit = "" if shown.before.strip(" -") else shown.unit
    for measure in (*(_measure(o.unit, o.currency) for o in operands), _measure(unit, right.currency)):
        if measure is not None and seen.setdefault(measure[0], measure[1]) != measure[1]:
            return False
    return True
