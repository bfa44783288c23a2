"""Arithmetic statements of a text: what is claimed to equal what, which figure is derived, and the expression that decides it.

Precision first: where a text can be read in a way that makes the statement true, that reading is taken; where a reading is open, the statement is
marked uncertain and can be supported but never contradicted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from redraft.claims.expression import Operand, Run, Token, runs, tokens
from redraft.claims.measures import calendar, conversions, unit_factor
from redraft.claims.numbers import Quantity, agrees, decimal_mark, plain, read, read_at
from redraft.claims.phrases import phrases
from redraft.claims.segment import blocks
from redraft.claims.statement import Statement, StatementKind
from redraft.claims.symbols import identities
from redraft.types import Span

__all__ = ["Statement", "StatementKind", "find"]

MAX_EXPRESSION = 1900
"""Longer expressions are not for the calculator."""


def find(text: str) -> tuple[Statement, ...]:
    """All arithmetic statements of a text, in the order of the figures they derive."""
    flat = _without_code(plain(text))
    mark = decimal_mark(flat) if any(c in flat for c in ".,") else ""
    found: list[Statement] = []
    lines = list(re.finditer(r"[^\n]+", flat))
    for line in lines:
        if _SIGN.search(flat, *line.span()):
            here = list(_equations(text, flat, line.span(), mark))
            if any(s.ambiguous and s.holds is False for s in here):
                here = _other_convention(here, list(_equations(text, flat, line.span(), ",")))
            found.extend(here)
    for line in lines:
        found.extend(_said(text, flat, line.span(), {s.focus for s in found}))
    return tuple(sorted(found, key=lambda s: (s.focus, s.span)))


def _other_convention(here: list[Statement], there: list[Statement]) -> list[Statement]:
    """Statements that are false under the usual convention, in the reading of the other one where that makes them true."""
    true = {s.focus: s for s in there if s.holds}
    return [true.get(s.focus, s) if s.ambiguous and s.holds is False else s for s in here]


def _without_code(text: str) -> str:
    """The text with fenced code blanked out, equally long: code is executed, not read."""
    if "```" not in text and "~~~" not in text:
        return text
    for block in blocks(text):
        if block.kind == "code":
            start, end = block.span
            text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _said(text: str, flat: str, span: Span, known: set[Span]) -> Iterator[Statement]:
    """Statements of one line that are made in words, not with signs, except those whose figure is known to be derived already."""
    start, end = span
    line = flat[start:end]
    low = line.lower()
    worded, measured = _WORDS.search(low), _MEASURED.search(low)
    dated = ("day" in low or "leap" in low or _WEEKDAY.search(low)) and _DATED.search(low)
    lettered = "=" in low and _LETTER.search(low)
    if not (worded or measured or dated or lettered):
        return
    figures = read(line) if worded or measured or dated else ()
    said = (
        *(phrases(line, figures) if worded else ()),
        *(conversions(line, figures) if measured else ()),
        *(calendar(line, figures) if dated else ()),
        *(identities(line) if lettered else ()),
    )
    for statement in said:
        moved = _moved(statement, start, text)
        if moved.focus not in known:
            known.add(moved.focus)
            yield moved


def _moved(statement: Statement, by: int, text: str) -> Statement:
    """The statement of a line as one of the whole text, with the figure as it is written there."""
    shown = statement.shown
    if shown is not None:
        span = _shift(shown.span, by)
        shown = replace(shown, span=span, text=text[span[0] : span[1]])
    return replace(
        statement, span=_shift(statement.span, by), focus=_shift(statement.focus, by), operands=tuple(_shift(o, by) for o in statement.operands), shown=shown
    )


def _shift(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


_WORDS = re.compile(
    r"(?:%|percent|per cent|half|halves|thirds?|quarters?|fourths?|fifths?|tenths?|\d|[½¼¾⅓⅔]) (?:[a-z]+ ){0,2}?(?:out )?of\b|(?:%|percent|per cent)(?=.{0,60}\bfrom\b)|\bfrom\b.{1,60}\bto\b.{1,90}(?:%|percent|per cent|\d)"
    r"|\b(?:sum|total|totals|average|averages|mean|median|plus|minus|times|multiplied|divided|product|difference|ratio|quotient|twice|double|triple|thrice|quadruple|square|cube|squared|cubed|root|added|subtracting)\b"
    r"|\b(?:half|third|quarter|tenth)\b(?: of)? \d|\badds? up|√|sqrt|\d!|\b(?:remainder|rem|r) \d|\btotal(?:l?ing|l?ed)\b|[加减乘除]|[的の](?:\d|平均|平方|立方|总|和|合|二乗|百分)|足す|引く|掛け|かける|割る|プラス|マイナス",
)
_MEASURED = re.compile(
    r"[\d½¼¾][ -]?(?:degrees? )?(?:[°º] ?[cf]\b|km/h|m/s|[a-z]{1,12})\s?(?:\(|=|≈|,? or |is |are |was |equals? |equates |converts? |corresponds |comes |makes |contains? |has |have )[^.\n]{0,20}\d|(?:公里|千米|米|公斤|小时|分钟)(?:是|等于)",
)
_DATED = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b.{0,30}\d{4}|\d{4}.{0,24}\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bleap year\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.{0,60}\bdays\b|\bdays\b.{0,30}\b(?:between|from)\b.{0,40}\d{4}|\d{4}-\d\d-\d\d.{0,40}\bdays\b",
)
_WEEKDAY = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)\b")
_LETTER = re.compile(r"(?<![a-z'’])[a-z](?![a-z'’])[^=\n]{0,60}=[^=\n]{0,60}(?<![a-z])[a-z](?![a-z'’])")
_SIGN = re.compile(r"[=≈≃≅≒]|\\approx")
_ANNOTATION = re.compile(r"<<([^<>\n]*)>>")


def _equations(text: str, flat: str, span: Span, mark: str) -> Iterator[Statement]:
    start, end = span
    outer = flat
    if flat.find("<<", start, end) >= 0:
        for annotation in _ANNOTATION.finditer(flat, start, end):
            yield from _chains(text, flat, tokens(flat, *annotation.span(1)), mark)
        line = _ANNOTATION.sub(lambda found: " " * len(found.group()), flat[start:end])
        outer = flat[:start] + line + flat[end:]
    blanked = outer if outer is not flat else text  # equally long, so that a figure behind an annotation is read without it
    yield from _chains(blanked, outer, tokens(outer, start, end), mark)


def _chains(text: str, flat: str, line: list[Token], mark: str) -> Iterator[Statement]:
    """Runs linked by signs of equality, one statement for each link."""
    chain: list[Run] = []
    signs: list[Token] = []
    for run in runs(line, mark):
        link = _link(line, chain[-1], run) if chain else None
        if link is None:
            yield from _statements(text, flat, line, chain, signs, mark)
            chain, signs = [], []
        else:
            signs.append(link)
        chain.append(run)
    yield from _statements(text, flat, line, chain, signs, mark)


def _link(line: list[Token], left: Run, right: Run) -> Token | None:
    """The sign of equality between two runs, if nothing but decoration and a hedge stand there."""
    sign: Token | None = None
    for token in line[left.last : right.first]:
        if token.kind == "eq" and sign is None:
            sign = token
        elif sign is None and (token.text in ("*", "**", "`", "_", "__", ",") or token.kind == "other" and token.text in "\\$"):
            continue
        elif sign is not None and (
            token.text in ("*", "**", "`", "_", "~", "$")
            or token.text.lower() in ("about", "approximately", "roughly", "around", "approx", "just", "约", "exactly")
        ):
            continue
        else:
            return None
    return sign


def _statements(text: str, flat: str, line: list[Token], chain: list[Run], signs: list[Token], mark: str) -> Iterator[Statement]:
    if len(chain) < 2:
        return
    opens, closes = _context_before(line, chain[0]), _context_after(line, chain[-1])
    used = False
    computed: list[Run] = []
    for index in range(1, len(chain)):
        left, right = chain[index - 1], chain[index]
        if not left.single:
            computed = [*computed[-2:], left]
        if (index == 1 and not opens) or (index == len(chain) - 1 and not closes):
            continue
        if right.single and left.single and _other_unit(left, right):
            continue
        if (right.single or (right.fraction and len(left.items) > 3)) and computed:
            shown = _figure(text, flat, right, signs[index - 1], mark)
            statement = _equation(flat, line, computed, right, shown) if shown is not None else None
            if statement is not None:
                used = True
                yield statement
        elif not right.single and left.single and not used and index == 1:
            shown = _figure(text, flat, left, signs[0], mark)
            if shown is not None:
                statement = _equation(flat, line, [right], left, shown)
                if statement is not None:
                    yield replace(statement, certain=statement.certain and len(chain) == 2 and _announced(line, left))
        elif not right.single and not left.single:
            yield _identity(flat, left, right)


def _other_unit(left: Run, right: Run) -> bool:
    a, b = left.operands[-1], right.operands[-1]
    return bool(a.unit) and (a.unit != b.unit)


def _announced(line: list[Token], run: Run) -> bool:
    """Whether a figure in front of its calculation ("the total is 8 = 5 + 3") is certainly its result."""
    if run.operands[-1].unit or not run.first:
        return False
    return line[run.first - 1].text.lower() in _ANNOUNCES


_ANNOUNCES = frozenset("is are total sum answer result product difference average :".split())


def _figure(text: str, flat: str, run: Run, sign: Token, mark: str) -> Quantity | None:
    operand = run.operands[0]
    place = operand.span[0]
    while place < operand.span[1] and not (text[place].isdigit() or text[place] in ".½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"):
        place += 1
    shown = read_at(text, place, mark, flat)
    value = run.value
    if shown is None or value is None or ("~" in run.items and "  " in text[run.start : shown.span[1]]):
        return None
    if (value < 0) != (shown.value < 0) and value != 0:
        start = run.span[0] if text[run.span[0]] in "-−" else shown.span[0]
        shown = replace(shown, value=-shown.value, before="-" + shown.before, span=(start, shown.span[1]), text=text[start : shown.span[1]])
    return replace(shown, approximate=True) if sign.text in "≈≃≅≒~=" and sign.text != "=" else shown


def _equation(flat: str, line: list[Token], computed: list[Run], right: Run, shown: Quantity) -> Statement | None:
    """A figure against the nearest expression, in the first reading that makes it true; None if it adds up what cannot be added as it stands."""
    left = computed[-1]
    span = (min(left.start, shown.span[0]), max(left.end, shown.span[1]))
    statement = Statement(
        span=span,
        kind="equation",
        left=flat[left.start : left.end],
        expression=_shown_units(left.expression, shown),
        shown=shown,
        focus=shown.span,
        operands=tuple(operand.span for operand in left.operands),
        also=tuple(_shown_units(run.expression, shown) for run in computed[:-1] if len(run.items) < 60),
        ambiguous=any(o.ambiguous for o in (*left.operands, *right.operands)),
        unique=not any(o.ambiguous and "." in o.literal for o in (*left.operands, *right.operands)),
    )
    value = left.value
    if value is None:
        return replace(statement, certain=False)
    if {"+", "-"} & {item for item in left.items if isinstance(item, str)} and not _same_units(left.operands, right.operands[-1], shown):
        measured = _in_one_unit(left, shown)
        return None if measured is None else replace(statement, expression=measured[1], holds=agrees(measured[0], shown), also=())
    holds = agrees(value * 100 if shown.percent else value, shown)
    if holds:
        return replace(statement, holds=True)
    other = _other_reading(left, shown, value)
    if other is not None:
        return replace(statement, expression=other, holds=True)
    return replace(statement, certain=_clear(flat, line, left, right, shown, value), holds=holds)


def _shown_units(expression: str, shown: Quantity) -> str:
    return f"({expression})*100" if shown.percent else expression


def _other_reading(left: Run, shown: Quantity, value: Fraction) -> str | None:
    """An expression for another reading of the same words under which the figure is right."""
    if (shown.percent or any(o.percent for o in left.operands)) and agrees(value, shown):
        return left.expression
    if not shown.percent and any(o.percent for o in left.operands) and agrees(value * 100, shown):
        return f"({left.expression})*100"
    last = left.operands[-1]
    if last.percent and len(left.items) >= 3 and left.items[-2] in ("+", "-") and not left.operands[0].percent:
        head = Run(left.start, left.end, left.first, left.last, left.items[:-2], left.operands[:-1], left.operators - 1)
        base = head.value
        if base is not None and agrees(base * (1 + (last.value if left.items[-2] == "+" else -last.value)), shown):
            return f"({head.expression})*(1 {left.items[-2]} {_decimal(last.value)})"
    scale = max((o.scale for o in left.operands), default=1)
    if shown.scale > 1 and agrees(value * shown.scale, shown):
        return f"({left.expression})*{shown.scale}"
    if scale > 1 and shown.scale == 1 and agrees(value / scale, shown):
        return f"({left.expression})/{scale}"
    return None


def _in_one_unit(left: Run, shown: Quantity) -> tuple[Fraction, str] | None:
    """The sum of measured amounts in the unit of the result: 2 hours + 30 minutes = 2.5 hours."""
    target = unit_factor(shown.unit)
    if (
        target is None
        or target[0] == "temperature"
        or not all(item in ("+", "-") for item in left.items[1::2])
        or len(left.items) != 2 * len(left.operands) - 1
    ):
        return None
    factors = [unit_factor(operand.unit.split()[0]) if operand.unit else target for operand in left.operands]
    if any(factor is None or factor[0] != target[0] for factor in factors):
        return None
    total, parts = Fraction(0), list[str]()
    for operand, factor, sign in zip(left.operands, factors, ("+", *left.items[1::2]), strict=True):
        assert factor is not None
        part = operand.value * factor[1] / target[1]
        total += part if sign == "+" else -part
        parts.append(f"{sign} {_decimal(operand.value)}*{_decimal(factor[1] / target[1])}")
    return total, " ".join(parts).removeprefix("+ ")


def _decimal(value: Fraction) -> str:
    return f"({value.numerator}/{value.denominator})"


def _identity(flat: str, left: Run, right: Run) -> Statement:
    """Two expressions that are said to be equal. A running calculation (5 + 3 = 8 * 2 = 16) is no such statement."""
    a, b = left.value, right.value
    lead = _leading(right)
    certain = not (left.uncertain or right.uncertain) and a is not None and b is not None
    if certain and a != b and a is not None and b is not None:
        rounded = any(o.decimals for o in right.operands) and abs(a - b) * 50 <= abs(a)
        certain = not rounded and lead != a and not any(o.percent or o.ambiguous for o in (*left.operands, *right.operands))
        certain = certain and not any(o.unit or o.currency for o in (*left.operands, *right.operands))
    return Statement(
        span=(left.start, right.end),
        kind="identity",
        left=flat[left.start : left.end],
        expression=left.expression,
        other=right.expression,
        focus=right.span,
        operands=tuple(operand.span for operand in left.operands),
        certain=certain,
        holds=None if a is None or b is None else a == b,
        ambiguous=any(o.ambiguous for o in (*left.operands, *right.operands)),
    )


def _leading(run: Run) -> Fraction | None:
    value = next((item for item in run.items if isinstance(item, Fraction)), None)
    return -value if value is not None and run.items[0] == "~" else value


def _context_before(line: list[Token], run: Run) -> bool:
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
    if before.kind == "close":
        return spaced and run.first > 1 and (line[run.first - 2].kind == "word" or run.first <= 3)
    if before.kind == "other" and before.text not in "\"'“”‘’;,:`":
        return before.text in ".!?#|_•☐✓✔→" and spaced or before.text in "，。：；、（"
    return before.kind not in ("pct", "sup", "num", "mark", "rel")


def _operator_behind(line: list[Token], index: int) -> bool:
    """Whether the words in front belong to an operand: an operator stands before them."""
    for place in range(index, max(-1, index - 6), -1):
        token = line[place]
        if token.kind != "word":
            return token.kind in ("op", "power") and place > 0
    return False


_LEFT_OPEN = frozenset(
    "of half twice double triple thrice times plus minus by divided multiplied over squared cubed root sum product difference quotient total average mean log ln sin cos tan exp mod modulo"
    " add subtract multiply divide sqrt than and more less per base percent".split()
) - {"total", "average", "mean", "sum", "product", "difference", "and"}


def _context_after(line: list[Token], run: Run) -> bool:
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
    if after.kind in ("sup", "pct", "rel", "num"):
        return False
    return not (after.kind == "open" and glued) and after.text not in ("!", ":", "^", "/") or (after.text in "!:" and not _digit_follows(line, run.last))


def _digit_follows(line: list[Token], index: int) -> bool:
    return index + 1 < len(line) and line[index + 1].kind == "num" and line[index + 1].start == line[index].end


_DOUBTFUL = re.compile(
    r"\b(?:binary|hex(?:adecimal)?|octal|base[- ]?\d+|mod(?:ulo)?|bitwise|xor|wrong(?:ly)?|incorrect(?:ly)?|false|mistake(?:n|nly)?|error|not equal|isn't|is not|does not|doesn't|cannot|never|myth|fallacy"
    r"|misconception|suppose|assum(?:e|ing)|imagine|pretend|instead of|joke|typo|remainder|left ?over|matrix|vector|clock|o'clock)\b|错误|错了|不等于|间違",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\b(?:whole|full|complete|fully|only|at most|at least|rounded|round(?:ing)?|up|down|integer|floor|ceil(?:ing)?|nearest|so|can|needs?|must|approximately|about|roughly|almost|nearly|around)\b|~",
    re.IGNORECASE,
)


def _clear(flat: str, line: list[Token], left: Run, right: Run, shown: Quantity, value: Fraction) -> bool:
    """Whether a statement that does not hold can mean nothing else."""
    if left.uncertain or right.uncertain:
        return False
    start, end = max(line[0].start, left.start - 200), min(line[-1].end, right.end + 200)
    if _DOUBTFUL.search(flat, start, end):
        return False
    if shown.percent or any(o.percent for o in left.operands[1:]):
        additive = any(item in ("+", "-") for item in left.items)
        if additive and any(o.percent for o in left.operands):
            return False
    if left.items[0] == "~" and "**" in left.items:
        return False
    if _span_of_days(left, value, shown):
        return False
    if (
        value.denominator != 1
        and shown.quantum == 1
        and abs(value - shown.value) < 1
        and _WHOLE.search(flat, max(0, left.start - 60), min(len(flat), right.end + 40))
    ):
        return False
    return _same_units(left.operands, right.operands[-1], shown)


def _span_of_days(left: Run, value: Fraction, shown: Quantity) -> bool:
    """A hyphen between two figures without spaces may be a range: 3-5 is no statement about -2."""
    return len(left.operands) == 2 and left.items[1:2] == ["-"] and left.end - left.start < 12 and value <= 0 and shown.value >= 0


_FACTORS: dict[str, tuple[str, Fraction]] = {}
for _dimension, _table in {
    "time": {"second": 1, "sec": 1, "s": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "h": 3600, "day": 86400, "week": 604800, "month": 2629800, "year": 31557600, "decade": 315576000},
    "length": {"mm": Fraction(1, 1000), "cm": Fraction(1, 100), "m": 1, "meter": 1, "metre": 1, "km": 1000, "kilometer": 1000, "kilometre": 1000, "inch": Fraction(254, 10000), "in": Fraction(254, 10000),
               "foot": Fraction(3048, 10000), "feet": Fraction(3048, 10000), "ft": Fraction(3048, 10000), "yard": Fraction(9144, 10000), "yd": Fraction(9144, 10000), "mile": Fraction(1609344, 1000), "mi": Fraction(1609344, 1000)},
    "mass": {"mg": Fraction(1, 10**6), "g": Fraction(1, 1000), "gram": Fraction(1, 1000), "kg": 1, "kilogram": 1, "tonne": 1000, "ton": 1000, "lb": Fraction(45359237, 10**8), "pound": Fraction(45359237, 10**8), "oz": Fraction(45359237, 16 * 10**8), "ounce": Fraction(45359237, 16 * 10**8)},
    "volume": {"ml": Fraction(1, 1000), "cl": Fraction(1, 100), "l": 1, "liter": 1, "litre": 1, "gallon": Fraction(3785, 1000), "quart": Fraction(946, 1000), "pint": Fraction(473, 1000), "cup": Fraction(237, 1000)},
    "money": {"cent": Fraction(1, 100), "$": 1, "dollar": 1, "penny": Fraction(1, 100), "pennies": Fraction(1, 100), "dime": Fraction(1, 10), "nickel": Fraction(1, 20), "quarter": Fraction(1, 4), "¢": Fraction(1, 100)},
    "count": {"dozen": 12, "pair": 2, "score": 20},
}.items():  # fmt: skip
    for _name, _factor in _table.items():
        _FACTORS[_name] = (_dimension, Fraction(_factor))


def _measure(operand: Operand | None, unit: str, currency: str) -> tuple[str, Fraction] | None:
    del operand
    if currency:
        return "money", Fraction(1)
    for word in reversed(unit.split()[:2]):
        found = _FACTORS.get(word) or _FACTORS.get(word.removesuffix("s")) or _FACTORS.get(word.removesuffix("es"))
        if found:
            return found
    return None


def _same_units(operands: list[Operand], right: Operand, shown: Quantity) -> bool:
    """Whether no unit known to be convertible into another occurs beside that other one."""
    seen: dict[str, Fraction] = {}
    for measure in (*(_measure(o, o.unit, o.currency) for o in operands), _measure(right, shown.unit if not shown.before.strip(" -") else "", right.currency)):
        if measure is not None and seen.setdefault(measure[0], measure[1]) != measure[1]:
            return False
    return True
