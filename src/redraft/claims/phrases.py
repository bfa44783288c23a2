"""Arithmetic said in words, one builder for each operation: from the figures that a pattern found to the statement they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import factorial, isqrt

from redraft.claims.figures import Quantity
from redraft.claims.numbers import agrees
from redraft.claims.sketch import N, P, Sketch
from redraft.claims.statement import Statement, StatementKind, exact
from redraft.claims.unit_names import read_unit

__all__ = [
    "FACTORS", "OPERATIONS", "change", "difference", "division", "factorial_sign", "is_share_of", "mean", "multiple", "part_of", "power", "product",
    "ratio", "root", "root_sign", "running_total", "share_of", "total", "worded",
]  # fmt: skip

_MEASURES = frozenset(
    "mm cm m km meter meters metre metres kilometers kilometres inch inches in foot feet ft yard yards mile miles mi mg g kg gram grams kilogram"
    " kilograms lb lbs pound pounds oz"
    " ounce ounces ton tons tonne tonnes second seconds sec minute minutes min hour hours h hr hrs day days week weeks month months year years cent"
    " cents dollar dollars euro euros"
    " ml l liter liters litre litres cup cups gallon gallons dozen".split()
)
_TIME = re.compile(r"[ -]?(?:years?|months?|days?|weeks?)\b")
_CLAUSE_END = re.compile(r"\s*(?:$|[.,;:!?)\]*。，；]|and\b|so\b|but\b|which\b|because\b|or\b|in total\b)")


def _made(seen: Sketch, match: re.Match[str], expression: str, operands: Sequence[Quantity], shown: Quantity) -> Statement:
    """The statement that `shown` is what the expression gives; bounds, ranges and hedged operands leave it uncertain."""
    start, end = seen.place(match.start()), seen.place(match.end())
    value = exact(expression)
    left_end = shown.span[0] if shown.span[0] > operands[0].span[0] else end
    return Statement(
        span=(min(start, shown.span[0]), max(shown.span[1], operands[-1].span[1])),
        kind="equation",
        left=seen.text[min(start, operands[0].span[0]) : left_end],
        expression=expression,
        shown=shown,
        focus=shown.span,
        operands=tuple(q.span for q in operands),
        certain=not shown.bound and not any(q.bound or q.approximate or q.high is not None for q in operands),
        holds=None if value is None else agrees(value, shown),
    )


def _of_kind(statement: Statement, kind: StatementKind, *, certain: bool) -> Statement:
    return replace(statement, kind=kind, certain=statement.certain and certain)


def _n(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value) if value >= 0 else f"({value})"
    return f"({value})"


def _kin(*figures: Quantity) -> bool:
    """Whether figures can be added and compared: no two different currencies, no currency beside a measured amount, no scale left open."""
    money = {q.unit for q in figures if re.search(r"[$€£¥₹₩元円]", q.before + q.after)}
    return len(money) <= 1


def _is_share(figure: Quantity) -> bool:
    return figure.percent or (figure.style in ("fraction", "words") and 0 < figure.value < 1)


def share_of(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """17% of 2,340 is 397.8; three quarters of 200 is 150."""
    share, whole, shown = seen.figure(match.start("p")), seen.figure(match.start("n")), seen.figure(match.start("r"))
    if not _is_share(share) or (shown.percent and not whole.percent):
        return None
    if seen.words[match.end("n")] == "-":
        return None  # 5% of 18-year-olds
    made = _made(seen, match, f"{_n(share.amount)}*{_n(whole.value)}", (share, whole), shown)
    return _of_kind(made, "percent", certain=_kin(whole, shown) and not _year(whole) and _said_alone(seen, match.end("r"), shown, whole))


def is_share_of(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """90 is 25% of 360: either figure may be the one that is wrong."""
    shown, share, whole = seen.figure(match.start("r")), seen.figure(match.start("p")), seen.figure(match.start("n"))
    if not _is_share(share) or shown.percent or _year(whole) or _year(shown):
        return None
    made = _made(seen, match, f"{_n(share.amount)}*{_n(whole.value)}", (share, whole), shown)
    return replace(_of_kind(made, "percent", certain=_kin(whole, shown) and _said_alone(seen, match.end("n"), whole, shown)), unique=False)


def part_of(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """45 of 60 students (75%)."""
    part, whole, shown = seen.figure(match.start("n")), seen.figure(match.start("m")), seen.figure(match.start("r"))
    if whole.value == 0 or part.percent or whole.percent or part.high is not None:
        return None
    made = _made(seen, match, f"{_n(part.value)}/{_n(whole.value)}*100", (part, whole), shown)
    return _of_kind(made, "percent", certain=0 < part.value <= whole.value and _kin(part, whole) and not _year(whole))


def _year(figure: Quantity) -> bool:
    return (
        figure.value.denominator == 1
        and 1500 <= figure.value <= 2100
        and not figure.grouping
        and not figure.before.strip()
        and figure.scale == 1
        and figure.decimals == 0
    )


def _said_alone(seen: Sketch, end: int, shown: Quantity, whole: Quantity) -> bool:
    """Whether the figure is the whole of what is said: it ends the clause, or the unit of the amount follows."""
    rest = seen.words[end : end + 40]
    if _TIME.match(rest) and not _TIME.match(whole.unit):
        return False
    same = shown.unit == whole.unit or not shown.unit or re.match(rf" {re.escape(whole.unit)}\b", rest) is not None
    return same or _CLAUSE_END.match(rest) is not None or len(rest.split()) < 4


def change(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """From 80 to 100, an increase of 25%; between percentages, points and per cent are both right."""
    old, new, shown = seen.figure(match.start("a")), seen.figure(match.start("b")), seen.figure(match.start("r"))
    if old.value == 0 or (_year(old) and _year(new)) or old.percent != new.percent or not _kin(old, new) or _measured_apart(old, new):
        return None
    distance = _made(seen, match, _distance(old, new), (old, new), _positive(shown))
    if shown.percent:
        relative = _made(seen, match, f"({_distance(old, new)})/{_n(abs(old.value))}*100", (old, new), _positive(shown))
        if old.percent and not relative.holds:
            return replace(distance if distance.holds else relative, kind="change", certain=False)
        to_what_it_was = relative.holds is False and agrees(new.value / old.value * 100, shown) is not False
        return _of_kind(relative, "change", certain=not to_what_it_was)
    if not _kin(old, new, shown) or (old.percent and not shown.unit.startswith("percent")):
        return None
    units = shown.unit in ("", "percentage", "points", "point", old.unit, new.unit) and old.unit in ("", new.unit)
    return _of_kind(distance, "change", certain=units)


def _measured_apart(old: Quantity, new: Quantity) -> bool:
    """Whether both are measured, in different units: from 1.0 GB to 700 MB."""
    if old.unit == new.unit or not (old.unit and new.unit):
        return False
    one, other = read_unit(old.unit), read_unit(new.unit)
    return one is not None and other is not None and one[0].factors != other[0].factors


def _distance(a: Quantity, b: Quantity) -> str:
    low, high = sorted((a.value, b.value))
    return f"{_n(high)} - {_n(low)}"


def _positive(shown: Quantity) -> Quantity:
    return shown if shown.value >= 0 else replace(shown, value=-shown.value)


def _listed(seen: Sketch, match: re.Match[str], group: str = "list") -> list[Quantity]:
    return seen.within(match.start(group), match.end(group))


def _uniform(items: Sequence[Quantity], shown: Quantity) -> bool:
    units = {q.unit for q in items if q.unit}
    measured = units & _MEASURES
    return _kin(*items, shown) and len(measured) <= 1 and not any(q.percent for q in items) and (not measured or shown.unit in measured or not shown.unit)


def total(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """The sum of 3, 4 and 5 is 12."""
    items, shown = _listed(seen, match), seen.figure(match.start("r"))
    if len(items) < 2 or shown in items or any(q.high is not None for q in items):
        return None
    made = _made(seen, match, " + ".join(_n(q.value) for q in items), items, shown)
    return _of_kind(made, "total", certain=_uniform(items, shown) and not all(_year(q) for q in items))


def running_total(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """10 apples, 20 pears and 30 plums, for a total of 60: certain only where no other figure stands before the list in its sentence."""
    statement, items = total(seen, match), _listed(seen, match)
    if statement is None or len(items) < 2:
        return None
    alone = not seen.within(seen.sentence_start(match.start()), match.start())
    return replace(statement, certain=statement.certain and alone and all(q.style == "digits" or q.value.denominator == 1 for q in items))


def mean(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """The average of 2, 4 and 6 is 4; the median of 1, 9 and 4 is 4."""
    items, shown = _listed(seen, match), seen.figure(match.start("r"))
    if len(items) < 2 or shown in items:
        return None
    values = [q.value for q in items]
    if "median" in match.group():
        ordered = sorted(values)
        values = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    made = _made(seen, match, f"({' + '.join(map(_n, values))})/{len(values)}", items, shown)
    return _of_kind(made, "average", certain=(shown.percent and all(q.percent for q in items)) or _uniform(items, shown))


def product(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """The product of 6 and 7 is 42."""
    items, shown = _listed(seen, match), seen.figure(match.start("r"))
    made = _made(seen, match, "*".join(_n(q.value) for q in items), items, shown)
    return _of_kind(made, "equation", certain=not any(q.percent for q in items) and _kin(*items, shown))


def difference(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """The difference between 10 and 4 is 6, whichever is the larger."""
    a, b, shown = seen.figure(match.start("a")), seen.figure(match.start("b")), seen.figure(match.start("r"))
    if _year(a) and _year(b) and shown.unit not in ("years", "year"):
        return None
    made = _made(seen, match, _distance(a, b), (a, b), _positive(shown))
    return _of_kind(made, "equation", certain=_uniform((a, b), shown) and not shown.percent)


def ratio(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """The ratio of 6 to 4 is 1.5."""
    a, b, shown = seen.figure(match.start("a")), seen.figure(match.start("b")), seen.figure(match.start("r"))
    if b.value == 0 or re.match(rf"\s?(?::|to|/)\s?{N}", seen.words[match.end() : match.end() + 6]):
        return None
    made = _made(seen, match, f"{_n(a.amount)}/{_n(b.amount)}{'*100' if shown.percent else ''}", (a, b), shown)
    return _of_kind(made, "ratio", certain=_uniform((a, b), replace(shown, unit="")))


OPERATIONS = {
    "plus": "+", "added to": "+", "minus": "-", "times": "*", "multiplied by": "*", "divided by": "/", "to the power of": "**", "raised to the power of": "**",
    "加": "+", "加上": "+", "减": "-", "减去": "-", "乘": "*", "乘以": "*", "除以": "/", "足す": "+", "引く": "-", "かける": "*", "掛ける": "*", "割る": "/",
    "プラス": "+", "マイナス": "-",
}  # fmt: skip
FACTORS = {
    "half": "/2", "twice": "*2", "double": "*2", "two times": "*2", "triple": "*3", "thrice": "*3", "a third": "/3", "one third": "/3", "one-third": "/3",
    "a quarter": "/4", "one quarter": "/4", "a tenth": "/10", "quadruple": "*4", "一半": "/2",
}  # fmt: skip
_OPERATION = re.compile(rf"(?<=[{N}{P}\w\s])(?:{'|'.join(sorted(OPERATIONS, key=len, reverse=True))})(?=[{N}{P}\s])")


_OPEN_LEFT = re.compile(r"(?:half|twice|double|triple|times|plus|minus|by|of|sum|root|square|and)\s*$")


def worded(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """Seven times eight is fifty-six; with several different operations the order is open, and the statement uncertain."""
    figures, shown = _listed(seen, match), seen.figure(match.start("r"))
    between = _OPERATION.findall(match["list"])
    if len(between) != len(figures) - 1:
        return None
    symbols = [OPERATIONS[word] for word in between]
    expression = _n(figures[0].amount) + "".join(f" {symbol} {_n(q.amount)}" for symbol, q in zip(symbols, figures[1:], strict=True))
    made = _made(seen, match, f"({expression})*100" if shown.percent else expression, figures, shown)
    alike = _uniform(figures, shown) if {"+", "-"} & set(symbols) else _kin(*figures, shown)
    complete = _OPEN_LEFT.search(seen.words[max(0, match.start() - 12) : match.start()]) is None
    return _of_kind(made, "equation", certain=alike and complete and len(set(symbols)) == 1 and not any(q.percent for q in figures))


def multiple(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """Half of 10 is 5; twice 4 is 8."""
    whole, shown = seen.figure(match.start("n")), seen.figure(match.start("r"))
    made = _made(seen, match, f"{_n(whole.value)}{FACTORS[match['f']]}", (whole,), shown)
    sound = _kin(whole, shown) and whole.percent == shown.percent and not _year(whole)
    return _of_kind(made, "equation", certain=sound and _said_alone(seen, match.end("r"), shown, whole))


def power(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """5 squared is 25; the cube of 3 is 27."""
    base, shown = seen.figure(match.start("n")), seen.figure(match.start("r"))
    if base.percent or shown.percent or base.unit in _MEASURES or _OPEN_LEFT.search(seen.words[max(0, match.start() - 12) : match.start()]):
        return None
    return _made(seen, match, f"{_n(base.value)}**{3 if re.search('cube|立方', match.group()) else 2}", (base,), shown)


def root(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """The square root of 16 is 4; roots are positive here, and a negative one is taken by its size."""
    base, shown = seen.figure(match.start("n")), _positive(seen.figure(match.start("r")))
    if base.value < 0 or base.percent or shown.percent or base.value.numerator.bit_length() > 2000:
        return None
    cube = "cube" in match.group()
    made = replace(_made(seen, match, f"{'cbrt' if cube else 'sqrt'}({_n(base.value)})", (base,), shown), kind="root")
    if cube:
        low, high = shown.value - shown.quantum / 2, shown.value + shown.quantum / 2
        return replace(made, holds=low**3 <= base.value <= high**3)
    scale = 10**40
    return replace(made, holds=agrees(Fraction(isqrt(base.value.numerator * scale**2 // base.value.denominator), scale), shown))


def root_sign(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """√16 = 4, where it is the whole left side."""
    return None if _operator_before(seen, match.start()) else root(seen, match)


def factorial_sign(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """5! = 120."""
    base, shown = seen.figure(match.start("n")), seen.figure(match.start("r"))
    if _operator_before(seen, match.start()) or base.value.denominator != 1 or not 0 <= base.value <= 200 or base.text != str(base.value):
        return None
    return replace(_made(seen, match, f"factorial({base.value})", (base,), shown), holds=agrees(Fraction(factorial(int(base.value))), shown))


def _operator_before(seen: Sketch, start: int) -> bool:
    """Whether an operator or a name stands in front, so that more belongs to the expression than was read."""
    window = seen.words[max(0, start - 12) : start]
    before = window.rstrip()
    return before.endswith(tuple("+-*/×÷·^√)]}" + N + P)) or (before == window and before[-1:].isalnum())


def division(seen: Sketch, match: re.Match[str]) -> Statement | None:
    """100 / 3 = 33 remainder 1."""
    whole, part, quotient, rest = (seen.figure(match.start(group)) for group in ("a", "b", "q", "r"))
    if any(q.value.denominator != 1 for q in (whole, part, quotient, rest)) or part.value <= 0 or _operator_before(seen, match.start()):
        return None
    made = _made(seen, match, f"{_n(whole.value)} - {_n(part.value)}*{_n(quotient.value)}", (whole, part, quotient), rest)
    return replace(made, unique=False) if not made.holds or 0 <= rest.value < part.value else None
