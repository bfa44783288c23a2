"""Arithmetic said in words: percentages of amounts, changes from one figure to another, totals, averages, products, ratios, roots.

Each sentence is reduced to its words with a mark for every figure, so that the grammar below sees operation words and figures and nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import factorial, isqrt

from redraft.claims.numbers import Quantity, agrees, read
from redraft.claims.statement import Statement, StatementKind, exact
from redraft.types import Span

__all__ = ["Sketch", "phrases", "sketch"]

N, P = "\ue000", "\ue001"


@dataclass(slots=True)
class Sketch:
    """A text with a mark in place of every figure: N for an amount, P for a percentage."""

    text: str
    words: str
    figures: tuple[Quantity, ...]
    marks: list[int]
    """Offsets of the marks in `words`."""
    shifts: list[tuple[int, int]]
    """Offset in `words` and the offset in the text that belongs to it, for each piece."""

    def figure(self, offset: int) -> Quantity:
        """The figure whose mark stands at this offset of `words`."""
        return self.figures[bisect_left(self.marks, offset)]

    def within(self, start: int, end: int) -> list[Quantity]:
        return list(self.figures[bisect_left(self.marks, start) : bisect_left(self.marks, end)])

    def place(self, offset: int) -> int:
        """The offset in the text."""
        index = bisect_left(self.shifts, (offset + 1, -1)) - 1
        mine, theirs = self.shifts[index]
        return theirs + offset - mine


def sketch(text: str, figures: Sequence[Quantity] | None = None) -> Sketch:
    """The text in lower case with its figures replaced by marks."""
    found = tuple(read(text)) if figures is None else tuple(figures)
    lower = _fold(text)
    pieces: list[str] = []
    marks: list[int] = []
    shifts: list[tuple[int, int]] = [(0, 0)]
    length = position = 0
    for figure in found:
        start, end = figure.span
        pieces.append(lower[position:start])
        length += start - position
        marks.append(length)
        shifts.append((length, start))
        pieces.append(P if figure.percent else N)
        length += 1
        shifts.append((length, end))
        position = end
    pieces.append(lower[position:])
    return Sketch(text=text, words="".join(pieces), figures=found, marks=marks, shifts=shifts)


def _fold(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    return lower.replace(N, " ").replace(P, " ").replace("\u2019", "'")


_HEDGE = r"(?:exactly|precisely|about|approximately|roughly|around|nearly|almost|just|only|over|under|some|equal to|therefore|thus|then|also|a total of|an average of)"
_VERB = (
    rf"(?:(?:is|are|was|were|equals?|=|≈|makes?|gives?|comes? (?:out )?to|amounts? to|yields?|works? out (?:to|at)|would be|will be|should be|being|totals?|becomes?|results? in|corresponds? to)(?: {_HEDGE}){{0,2}},?)"
)
_UNIT = r"(?:[ -](?!(?:is|are|was|were|equals?|and|or|but|to|from|of|for|with|in|on|at|by|plus|minus|times|per|if|when|which|that|makes?|gives?)\b)[a-zµ°\u00e0-\u017f][\w'-]*){0,3}"
_ONE = rf"{N}{_UNIT}"
_LIST = rf"{_ONE}(?:, (?:and )?{_ONE}){{0,40}},? (?:and|&|plus) {_ONE}"
_LIST3 = rf"{_ONE}(?:, {_ONE}){{0,40}},? (?:and|&|plus) {_ONE}"
_END = rf"(?![\w%]|[.,:/^]\d|{N}|{P}| ?[-+*/×÷^=] ?[{N}{P}\d(])"
_UP_DOWN = (
    r"(?:rose|rises?|risen|rising|increas(?:e[sd]?|ing)|gr[eo]ws?|grown|growing|climb(?:s|ed|ing)?|jump(?:s|ed|ing)?|surg(?:es?|ed|ing)|soar(?:s|ed|ing)?|gain(?:s|ed|ing)?|went up|goes up|going up|advanced?"
    r"|expand(?:s|ed)?|fell|falls?|fallen|falling|drop(?:s|ped|ping)?|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|shr[ai]nks?|went down|goes down|going down|slipp?(?:s|ed)?|dip(?:s|ped)?|plunge[sd]?|sank|sinks?"
    r"|reduc(?:e[sd]?|ing|tion)|lower(?:ed|s)?|cut|raised?|up|down|chang(?:e[sd]?|ing)|growth|rise|hike|reduction|improve[sd]?|improvement|appreciat\w+|depreciat\w+|discount\w*|marked)"
)
_LINK = (
    r"(?:,|\(|:|;|-|–|—| |an?\b|the\b|which\b|this\b|that\b|it\b|i\.e\.|is\b|was\b|means?\b|meaning\b|represents?\b|representing\b|or\b|of\b|by\b|for\b|about\b|approximately\b|roughly\b|nearly\b|almost\b|around\b"
    rf"|some\b|overall\b|total\b|net\b|marking\b|equals?\b|equal to\b|corresponds? to\b|equivalent to\b|relative\b|percentage\b|percent\b|{_UP_DOWN}){{0,24}}"
)
_Build = Callable[[Sketch, re.Match[str]], "Statement | None"]


def phrases(text: str, figures: Sequence[Quantity] | None = None) -> Iterator[Statement]:
    """The statements in words of a text, with what our own evaluation says of them."""
    seen = sketch(text, figures)
    if len(seen.figures) < 2 and not _ROOT_WORDS.search(seen.words):
        return
    taken: set[Span] = set()
    for trigger, pattern, build in _GRAMMAR:
        if not trigger.search(seen.words):
            continue
        for match in pattern.finditer(seen.words):
            statement = build(seen, match)
            if statement is not None and statement.focus not in taken:
                taken.add(statement.focus)
                yield _doubted(seen, match, statement)


_ROOT_WORDS = re.compile(r"squared|cubed|square|cube")
_DOUBTFUL = re.compile(
    r"\b(?:not|n't|never|wrong(?:ly)?|incorrect(?:ly)?|false(?:ly)?|mistake(?:n|nly)?|error|myth|fallacy|suppose|assum(?:e|ing)|imagine|pretend|instead of|if|unless|joke|binary|base|modulo|mod|hypothetical(?:ly)?|would have)\b"
    r"|不是|不等于|错|如果|假如|ではない|もし"
)
_SENTENCE_MARK = re.compile(r"[.!?;](?=\s)|[。！？；\n]")


def _doubted(seen: Sketch, match: re.Match[str], statement: Statement) -> Statement:
    """False statements in a negation, a supposition or a question are not held against the text."""
    if statement.holds or not statement.certain:
        return statement
    begin = max((m.end() for m in _SENTENCE_MARK.finditer(seen.words, max(0, match.start() - 300), match.start())), default=max(0, match.start() - 300))
    stop = _SENTENCE_MARK.search(seen.words, match.end(), match.end() + 200)
    end = stop.start() if stop else min(len(seen.words), match.end() + 200)
    asked = seen.words[end : end + 1] in "?？" and end < len(seen.words)
    return replace(statement, certain=not asked and _DOUBTFUL.search(seen.words, begin, end) is None)


def _made(
    seen: Sketch, match: re.Match[str], kind: StatementKind, expression: str, shown: Quantity, operands: Sequence[Quantity], *, certain: bool = True, unique: bool = True
) -> Statement:
    start, end = seen.place(match.start()), seen.place(match.end())
    value = exact(expression)
    holds = None if value is None else agrees(value, shown)
    left_end = shown.span[0] if shown.span[0] > operands[0].span[0] else end
    left = seen.text[min(start, operands[0].span[0]) : left_end]
    return Statement(
        span=(min(start, shown.span[0]), max(shown.span[1], operands[-1].span[1] if operands else 0)),
        kind=kind,
        left=_TRAIL.sub("", left) or left,
        expression=expression,
        shown=shown,
        focus=shown.span,
        operands=tuple(q.span for q in operands),
        certain=certain and value is not None and not shown.bound and not any(q.bound or q.approximate or q.high is not None for q in operands),
        holds=holds,
        unique=unique,
    )


_TRAIL = re.compile(
    rf"(?:[\s,(:;–—-]|\b(?:for|making|giving|with|which|that|this|an?|the|of|to|up|increase|decrease|total|grand|combined|sum|adds?|{_HEDGE}|{_VERB})|等于|是|得|为|は)+$",
    re.IGNORECASE,
)


def _n(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value) if value >= 0 else f"({value})"
    return f"({value})"


def _kin(*figures: Quantity) -> bool:
    """Whether figures can be added and compared: no two different currencies, no currency beside a measured amount, no scale left open."""
    money = {q.unit for q in figures if re.search(r"[$€£¥₹₩元円]", q.before + q.after)}
    return len(money) <= 1


# Percentages and shares of an amount.


def _share_of(seen: Sketch, match: re.Match[str]) -> Statement | None:
    share, whole, shown = seen.figure(match.start("p")), seen.figure(match.start("n")), seen.figure(match.start("r"))
    if not share.percent and not (share.style in ("fraction", "words") and 0 < share.value < 1):
        return None
    if shown.percent and not whole.percent:
        return None
    certain = _kin(whole, shown) and not _year(whole) and _said_alone(seen, match.end("r"), shown, whole)
    return _made(seen, match, "percent", f"{_n(share.amount)}*{_n(whole.value)}", shown, (share, whole), certain=certain)


def _is_share_of(seen: Sketch, match: re.Match[str]) -> Statement | None:
    shown, share, whole = seen.figure(match.start("r")), seen.figure(match.start("p")), seen.figure(match.start("n"))
    if not share.percent and not (share.style in ("fraction", "words") and 0 < share.value < 1):
        return None
    value = share.amount * whole.value
    if shown.percent or _year(whole) or _year(shown) or value == 0:
        return None
    return _made(seen, match, "percent", f"{_n(share.amount)}*{_n(whole.value)}", shown, (share, whole), certain=_kin(whole, shown) and _said_alone(seen, match.end("n"), whole, shown), unique=False)


def _part_of(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """45 of 60 students (75%)."""
    part, whole, shown = seen.figure(match.start("n")), seen.figure(match.start("m")), seen.figure(match.start("r"))
    if whole.value == 0 or part.percent or whole.percent or part.high is not None:
        return None
    sound = 0 < part.value <= whole.value and _kin(part, whole)
    return _made(seen, match, "percent", f"{_n(part.value)}/{_n(whole.value)}*100", shown, (part, whole), certain=sound and not _year(whole))


def _year(figure: Quantity) -> bool:
    return figure.value.denominator == 1 and 1500 <= figure.value <= 2100 and not figure.grouping and not figure.before.strip() and figure.scale == 1 and figure.decimals == 0


def _said_alone(seen: Sketch, end: int, shown: Quantity, whole: Quantity) -> bool:
    """Whether the figure is the whole of what is said: it ends the clause, or the unit of the amount follows."""
    rest = seen.words[end : end + 40]
    if re.match(r"[ -]?(?:years?|months?|days?|weeks?)\b", rest) and not re.match(r"years?|months?|days?|weeks?", whole.unit):
        return False
    return bool(re.match(r"\s*(?:$|[.,;:!?)\]*。，；]|and\b|so\b|but\b|which\b|because\b|or\b|in total\b)", rest)) or shown.unit == whole.unit or not shown.unit or bool(re.match(rf" {re.escape(whole.unit)}\b", rest)) or len(rest.split()) < 4


# Changes.


def _change(seen: Sketch, match: re.Match[str]) -> Statement | None:
    old, new, shown = seen.figure(match.start("a")), seen.figure(match.start("b")), seen.figure(match.start("r"))
    if old.value == 0 or (_year(old) and _year(new)) or old.percent != new.percent or not _kin(old, new):
        return None
    if shown.percent:
        relative = f"abs({_n(new.value)} - {_n(old.value)})/{_n(abs(old.value))}*100" if new.value >= old.value else f"({_n(old.value)} - {_n(new.value)})/{_n(abs(old.value))}*100"
        relative = relative.removeprefix("abs") if new.value >= old.value else relative
        made = _made(seen, match, "change", relative, _positive(shown), (old, new))
        if not made.holds and old.percent:
            points = _made(seen, match, "change", _distance(old, new), _positive(shown), (old, new))
            return points if points.holds else replace(made, certain=False)
        if made.holds is False and _near(new.value / old.value * 100, shown):
            return replace(made, certain=False)  # "to 125% of what it was"
        return made
    if not _kin(old, new, shown) or (old.percent and not shown.unit.startswith("percent")):
        return None
    certain = shown.unit == old.unit or not shown.unit or shown.unit in ("percentage", "points", "point") or shown.unit == new.unit
    return _made(seen, match, "change", _distance(old, new), _positive(shown), (old, new), certain=certain and old.unit in ("", new.unit))


def _near(value: Fraction, shown: Quantity) -> bool:
    return agrees(value, shown) is not False


def _distance(a: Quantity, b: Quantity) -> str:
    low, high = sorted((a.value, b.value))
    return f"{_n(high)} - {_n(low)}"


def _positive(shown: Quantity) -> Quantity:
    return shown if shown.value >= 0 else replace(shown, value=-shown.value)


# Sums, means, products.


def _listed(seen: Sketch, match: re.Match[str], group: str = "list") -> list[Quantity]:
    return seen.within(match.start(group), match.end(group))


def _uniform(items: Sequence[Quantity], shown: Quantity) -> bool:
    units = {q.unit for q in items if q.unit}
    measured = units & _MEASURES
    return _kin(*items, shown) and len(measured) <= 1 and not any(q.percent for q in items) and (not measured or shown.unit in measured or not shown.unit)


_MEASURES = frozenset(
    "mm cm m km meter meters metre metres kilometers kilometres inch inches in foot feet ft yard yards mile miles mi mg g kg gram grams kilogram kilograms lb lbs pound pounds oz ounce ounces ton tons tonne tonnes"
    " second seconds sec minute minutes min hour hours h hr hrs day days week weeks month months year years cent cents dollar dollars euro euros ml l liter liters litre litres cup cups gallon gallons dozen".split()
)


def _total(seen: Sketch, match: re.Match[str]) -> Statement | None:
    items, shown = _listed(seen, match), seen.figure(match.start("r"))
    if len(items) < 2 or shown in items or any(q.high is not None for q in items):
        return None
    certain = _uniform(items, shown) and not all(_year(q) for q in items)
    if match.re is _FOR_A_TOTAL:
        certain = certain and not _earlier_figures(seen, match) and all(q.style == "digits" or q.value.denominator == 1 for q in items)
    return _made(seen, match, "total", " + ".join(_n(q.value) for q in items), shown, items, certain=certain)


def _earlier_figures(seen: Sketch, match: re.Match[str]) -> bool:
    """Whether other figures stand before the list in its sentence, which may belong to the total as well."""
    begin = max((m.end() for m in _SENTENCE_MARK.finditer(seen.words, max(0, match.start() - 300), match.start())), default=max(0, match.start() - 300))
    return bool(seen.within(begin, match.start()))


def _mean(seen: Sketch, match: re.Match[str]) -> Statement | None:
    items, shown = _listed(seen, match), seen.figure(match.start("r"))
    if len(items) < 2 or shown in items:
        return None
    if shown.percent and all(q.percent for q in items):
        certain = True
    else:
        certain = _uniform(items, shown)
    values = [_n(q.value) for q in items]
    if "median" in match.group():
        ordered = sorted(q.value for q in items)
        half = len(ordered) // 2
        expression = _n(ordered[half]) if len(ordered) % 2 else f"({_n(ordered[half - 1])} + {_n(ordered[half])})/2"
        expression = f"median({', '.join(str(v) for v in ordered)})" if all(v.denominator == 1 for v in ordered) else expression
        value = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
        made = _made(seen, match, "average", expression, shown, items, certain=certain)
        return replace(made, holds=agrees(value, shown), certain=certain)
    return _made(seen, match, "average", f"({' + '.join(values)})/{len(values)}", shown, items, certain=certain)


def _product(seen: Sketch, match: re.Match[str]) -> Statement | None:
    items, shown = _listed(seen, match), seen.figure(match.start("r"))
    return _made(seen, match, "equation", "*".join(_n(q.value) for q in items), shown, items, certain=not any(q.percent for q in items) and _kin(*items, shown))


def _difference(seen: Sketch, match: re.Match[str]) -> Statement | None:
    a, b, shown = seen.figure(match.start("a")), seen.figure(match.start("b")), seen.figure(match.start("r"))
    if (_year(a) and _year(b)) and shown.unit not in ("years", "year"):
        return None
    return _made(seen, match, "equation", _distance(a, b), _positive(shown), (a, b), certain=_uniform((a, b), shown) and not shown.percent)


def _ratio(seen: Sketch, match: re.Match[str]) -> Statement | None:
    a, b, shown = seen.figure(match.start("a")), seen.figure(match.start("b")), seen.figure(match.start("r"))
    if b.value == 0:
        return None
    scale = "*100" if shown.percent else ""
    made = _made(seen, match, "ratio", f"{_n(a.amount)}/{_n(b.amount)}{scale}", shown, (a, b), certain=_uniform((a, b), replace(shown, unit="")))
    tail = seen.words[match.end() : match.end() + 6]
    return None if re.match(rf"\s?(?::|to|/)\s?{N}", tail) else made


# Operations said in words.

_WORDED = {
    "plus": "+", "added to": "+", "and": "+", "minus": "-", "less": "-", "times": "*", "multiplied by": "*", "divided by": "/", "over": "/", "加": "+", "加上": "+", "减": "-", "减去": "-",
    "乘": "*", "乘以": "*", "除以": "/", "足す": "+", "引く": "-", "かける": "*", "掛ける": "*", "割る": "/", "プラス": "+", "マイナス": "-", "to the power of": "**", "raised to the power of": "**",
}  # fmt: skip
_WORDED_PATTERN = "|".join(sorted((re.escape(word) for word in _WORDED if word not in ("and", "less", "over")), key=len, reverse=True))


def _worded(seen: Sketch, match: re.Match[str]) -> Statement | None:
    figures, shown = _listed(seen, match), seen.figure(match.start("r"))
    between = [w.strip() for w in re.findall(rf"(?<=[{N}{P}\s])(?:{_WORDED_PATTERN})(?=[{N}{P}\s])", match["list"])]
    if len(between) != len(figures) - 1:
        return None
    symbols = [_WORDED[word] for word in between]
    expression = _n(figures[0].amount) + "".join(f" {symbol} {_n(q.amount)}" for symbol, q in zip(symbols, figures[1:], strict=True))
    mixed = len(set(symbols)) > 1
    certain = not any(q.percent for q in figures) and _kin(*figures, shown) and not mixed
    if shown.percent:
        expression = f"({expression})*100"
    if certain and {"+", "-"} & set(symbols):
        certain = _uniform(figures, shown)
    made = _made(seen, match, "equation", expression, shown, figures, certain=certain)
    opened = re.search(r"(?:half|twice|double|triple|times|plus|minus|by|of|sum|root|square)\s*$", seen.words[max(0, match.start() - 12) : match.start()])
    return replace(made, certain=False) if opened else made


def _multiple(seen: Sketch, match: re.Match[str]) -> Statement | None:
    factor = {"half": "/2", "twice": "*2", "double": "*2", "two times": "*2", "triple": "*3", "thrice": "*3", "a third": "/3", "one third": "/3", "one-third": "/3", "a quarter": "/4", "one quarter": "/4", "a tenth": "/10", "quadruple": "*4"}
    whole, shown = seen.figure(match.start("n")), seen.figure(match.start("r"))
    return _made(seen, match, "equation", f"{_n(whole.value)}{factor[match['f']]}", shown, (whole,), certain=_kin(whole, shown) and whole.percent == shown.percent and not _year(whole) and _said_alone(seen, match.end("r"), shown, whole))


def _power(seen: Sketch, match: re.Match[str]) -> Statement | None:
    base, shown = seen.figure(match.start("n")), seen.figure(match.start("r"))
    exponent = 3 if re.search(r"cube|立方|三次方", match.group()) else 2
    if base.percent or shown.percent or base.unit in _MEASURES:
        return None
    return _made(seen, match, "equation", f"{_n(base.value)}**{exponent}", shown, (base,))


def _root(seen: Sketch, match: re.Match[str]) -> Statement | None:
    base, shown = seen.figure(match.start("n")), seen.figure(match.start("r"))
    if base.value < 0 or base.percent or shown.percent or base.value.numerator.bit_length() > 2000:
        return None
    cube = bool(re.search(r"cube|立方根", match.group()))
    made = _made(seen, match, "root", f"{'cbrt' if cube else 'sqrt'}({_n(base.value)})", _positive(shown), (base,))
    if cube:
        low, high = shown.value - shown.quantum / 2, shown.value + shown.quantum / 2
        return replace(made, holds=low**3 <= base.value <= high**3, certain=True)
    scale = 10**40
    value = Fraction(isqrt(base.value.numerator * scale**2 // base.value.denominator), scale)
    exactly = value if value * value == base.value else value
    return replace(made, holds=agrees(exactly, _positive(shown)), certain=True)


def _sign_root(seen: Sketch, match: re.Match[str]) -> Statement | None:
    return None if _operator_before(seen, match.start()) else _root(seen, match)


def _factorial(seen: Sketch, match: re.Match[str]) -> Statement | None:
    base, shown = seen.figure(match.start("n")), seen.figure(match.start("r"))
    if _operator_before(seen, match.start()) or base.value.denominator != 1 or not 0 <= base.value <= 200 or base.text != str(base.value):
        return None
    made = _made(seen, match, "equation", f"factorial({base.value})", shown, (base,))
    return replace(made, holds=agrees(Fraction(factorial(int(base.value))), shown), certain=True)


def _operator_before(seen: Sketch, start: int) -> bool:
    """Whether an operator or a name stands in front, so that more belongs to the expression than was read."""
    before = seen.words[max(0, start - 12) : start].rstrip()
    return before[-1:] in tuple("+-*/×÷·^=√)]}" + N + P) and before[-1:] != "=" or (before[-1:].isalnum() and before == seen.words[max(0, start - 12) : start])


def _division(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """100 / 3 = 33 remainder 1."""
    whole, part, quotient, rest = (seen.figure(match.start(group)) for group in ("a", "b", "q", "r"))
    if any(q.value.denominator != 1 for q in (whole, part, quotient, rest)) or part.value <= 0 or _operator_before(seen, match.start()):
        return None
    made = _made(seen, match, "equation", f"{_n(whole.value)} - {_n(part.value)}*{_n(quotient.value)}", rest, (whole, part, quotient), unique=False)
    return made if not made.holds or 0 <= rest.value < part.value else None


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


_R = rf"(?P<r>{N}|{P}){_END}"
_AMOUNT = r"(?:the |a |an |your |its |their |our |his |her |all |these |those )?"
_FOR_A_TOTAL = _pattern(
    rf"(?P<list>{_LIST3})(?:,? |: | ?[-–—] | ?\()(?:(?:for|making|giving|bringing|yielding|which (?:makes|gives|is|totals)|that(?:'s| is)|adding up to|so|or|i\.e\.,?)(?: (?:it|this|that|us|you|him|her|them))? )?"
    rf"(?:(?:to )?(?:a |the |an )?(?:grand |combined |overall )?(?:total(?:s|ing|ling|led)?|sum)(?: \w+)?(?: of| is| to|:)?|adding up to|add up to|sum(?:s|ming)? to) (?:{_HEDGE} )?(?P<r>{N}){_END}"
)
_GRAMMAR: tuple[tuple[re.Pattern[str], re.Pattern[str], _Build], ...] = (
    (_pattern(rf"{P}|{N} of"), _pattern(rf"(?P<p>{P}|{N}) of {_AMOUNT}(?P<n>{N}){_UNIT} {_VERB} (?P<r>{N}){_END}"), _share_of),
    (_pattern(rf"{P}|{N} of"), _pattern(rf"(?P<r>{N}){_UNIT} (?:is|are|was|were|equals|represents?|makes? up|=)(?: {_HEDGE})? (?P<p>{P}|{N}) of {_AMOUNT}(?P<n>{N}){_END}"), _is_share_of),
    (_pattern(P), _pattern(rf"(?P<n>{N}){_UNIT} (?:out )?of {_AMOUNT}(?P<m>{N}){_UNIT}(?:,? \(?(?:or|i\.e\.,?|that is,?|namely)? ?| ?\(|,? {_VERB} |,? (?:represents?|representing|makes? up|which is) ){_HEDGE}? ?(?P<r>{P})(?! of)"), _part_of),
    (_pattern(r"from"), _pattern(rf"from (?P<a>{N}|{P}){_UNIT}(?: (?:in|per|each|a)(?: [\w-]+){{1,3}}| {N})? to (?:just |only |about |nearly |over )?(?P<b>{N}|{P}){_UNIT}(?: (?:in|per|each|a)(?: [\w-]+){{1,3}})?{_LINK}(?:{_UP_DOWN}{_LINK})(?P<r>{P}|{N}){_END}"), _change),
    (_pattern(r"from"), _pattern(rf"{_UP_DOWN} (?:by |of )?(?:{_HEDGE} )?(?P<r>{P})(?:,? | \()from (?P<a>{N}|{P}){_UNIT} to (?:just |only |about |nearly |over )?(?P<b>{N}|{P}){_END}"), _change),
    (_pattern(r"from"), _pattern(rf"(?P<r>{P}) {_UP_DOWN} from (?P<a>{N}|{P}){_UNIT} to (?:just |only |about |nearly |over )?(?P<b>{N}|{P}){_END}"), _change),
    (_pattern(r"from"), _pattern(rf"from (?P<a>{N}){_UNIT} to (?P<b>{N}){_UNIT},? (?:is|was|represents|means|equals) an? (?:{_HEDGE} )?(?P<r>{P}) {_UP_DOWN}"), _change),
    (_pattern(r"sum|total|add"), _pattern(rf"(?:sum|total) of (?P<list>{_LIST}) {_VERB} {_R}"), _total),
    (_pattern(r"sum|total|add|make|equal"), _pattern(rf"(?P<list>{_LIST}) (?:together |combined )?(?:add(?:s|ed)? up to|sum(?:s|med)? (?:up )?to|together (?:make|total|equal|are|is)|combine to|total) (?:{_HEDGE} )?(?P<r>{N}){_END}"), _total),
    (_pattern(r"total|sum"), _FOR_A_TOTAL, _total),
    (_pattern(r"average|mean|median"), _pattern(rf"(?:average|(?:arithmetic )?mean|median)(?: value| score| price)? (?:of|for) (?:the )?(?:numbers |values |figures )?(?P<list>{_LIST.replace(N, f'[{N}{P}]')}) {_VERB} {_R}"), _mean),
    (_pattern(r"average"), _pattern(rf"(?P<list>{_LIST}) (?:have an average of|average(?:s)?(?: out)? (?:to|at)?) ?(?P<r>{N}){_END}"), _mean),
    (_pattern(r"product"), _pattern(rf"product of (?P<list>{_LIST}) {_VERB} {_R}"), _product),
    (_pattern(r"difference"), _pattern(rf"difference (?:between|of) (?P<a>{N}){_UNIT} and (?P<b>{N}){_UNIT} {_VERB} {_R}"), _difference),
    (_pattern(r"subtract"), _pattern(rf"subtracting (?P<a>{N}){_UNIT} from (?P<b>{N}){_UNIT},? (?:{_VERB}|leaves?) {_R}"), _difference),
    (_pattern(r"ratio|quotient"), _pattern(rf"(?:ratio|quotient) of (?P<a>{N}|{P}){_UNIT} (?:to|and) (?P<b>{N}|{P}){_UNIT} {_VERB} {_R}"), _ratio),
    (_pattern(r"plus|minus|times|multiplied|divided|added|power|[加减乘除]|足す|引く|掛|かけ|割|プラス|マイナス"),
     _pattern(rf"(?P<list>[{N}{P}]{_UNIT}(?:\s?(?:{_WORDED_PATTERN})\s?[{N}{P}]{_UNIT}){{1,20}}),?\s?(?:{_VERB}|等于|是|得|为|は|イコール|だと|で)\s?{_R}"), _worded),
    (_pattern(r"half|twice|double|triple|thrice|third|quarter|tenth|quadruple"), _pattern(rf"\b(?P<f>half|twice|double|triple|thrice|two times|a third|one third|one-third|a quarter|one quarter|a tenth|quadruple)(?: of)? (?P<n>{N}|{P}){_UNIT} {_VERB} {_R}"), _multiple),
    (_pattern(r"square[^d]|cube[^d]"), _pattern(rf"(?:square|cube) of (?P<n>{N}) {_VERB} {_R}"), _power),
    (_pattern(r"squared|cubed"), _pattern(rf"(?P<n>{N}) (?:squared|cubed) {_VERB} {_R}"), _power),
    (_pattern(r"root"), _pattern(rf"(?:square|cube) root of (?P<n>{N}) {_VERB} {_R}"), _root),
    (_pattern(r"√|sqrt"), _pattern(rf"(?:√|\\?sqrt\s?[({{]?)\s?(?P<n>{N})[)}}]?\s?(?:=|≈|is|equals)\s?{_R}"), _sign_root),
    (_pattern(r"!"), _pattern(rf"(?P<n>{N})!\s?(?:=|is|equals)\s?{_R}"), _factorial),
    (_pattern(r"\br |rem"), _pattern(rf"(?P<a>{N}){_UNIT} ?(?:/|÷|divided by) ?(?P<b>{N}){_UNIT} ?(?:=|is|equals|gives) ?(?P<q>{N}){_UNIT},? ?(?:with |and )?(?:a )?(?:remainder|rem\.?|r)(?: of| is)?:? ?(?P<r>{N}){_END}"), _division),
    (_pattern(r"的|の"), _pattern(rf"(?P<n>{N})(?:的|の)(?:平方|立方|2乗|二乗)(?:是|为|等于|得|は)\s?{_R}"), _power),
    (_pattern(r"的|の"), _pattern(rf"(?P<n>{N})(?:的|の)(?P<p>{P}|{N})(?:是|为|等于|=|约为|は|即)\s?(?P<r>{N}){_END}"), _share_of),
    (_pattern(r"和|合计|合計|总"), _pattern(rf"(?P<list>{N}(?:、{N}){{0,40}}(?:和|与|と|、){N})(?:的|の)(?:总)?(?:和|合計|合计)(?:是|为|等于|は)\s?{_R}"), _total),
    (_pattern(r"平均"), _pattern(rf"(?P<list>{N}(?:、{N}){{0,40}}(?:和|与|と|、){N})(?:的|の)平均(?:数|值|値)?(?:是|为|等于|は)\s?{_R}"), _mean),
)  # fmt: skip
