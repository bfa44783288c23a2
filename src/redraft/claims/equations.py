"""Equalities and chains of equalities in symbols: which figure is said to follow from which expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from redraft.claims.context import begins, clear, ends, same_units
from redraft.claims.evaluation import evaluate
from redraft.claims.expression import Run, Token, tokens
from redraft.claims.figures import Quantity, read_at
from redraft.claims.measures import unit_factor
from redraft.claims.numbers import agrees
from redraft.claims.runs import runs
from redraft.claims.statement import Statement, exact
from redraft.types import Span

__all__ = ["equations"]

_ANNOTATION = re.compile(r"<<([^<>\n]*)>>")


def equations(text: str, flat: str, span: Span, mark: str) -> Iterator[Statement]:
    """The statements of one line; `flat` is `plain(text)`, `mark` the decimal mark of the text."""
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
    if len(line) > 1 and line[0].kind == "op" and line[0].text in "-+*•" and line[0].end < line[1].start:
        line = line[1:]  # the bullet of a list
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
        elif sign is None and (token.text in ("*", "**", "`", "_", "__", ",") or (token.kind == "other" and token.text in "\\$")):
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
    opens, closes = begins(line, chain[0]), ends(line, chain[-1])
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
    left, figures = computed[-1], (*computed[-1].operands, *right.operands)
    value, expression, certain = left.value, _shown_units(left.expression, shown), True
    also = tuple(_shown_units(run.expression, shown) for run in computed[:-1] if len(run.items) < 60)
    if value is None:
        holds, certain = None, False
    elif ("+" in left.items or "-" in left.items) and not same_units(left.operands, right.operands[-1], shown):
        measured = _in_one_unit(left, shown)
        if measured is None:
            return None
        holds, expression, also = agrees(measured[0], shown), measured[1], ()
    else:
        holds = agrees(value * 100 if shown.percent else value, shown)
        other = None if holds else _other_reading(left, shown, value)
        if other is not None:
            holds, expression = True, other
        elif not holds:
            certain = clear(flat, line, left, right, shown, value) and not _signed_bullet(flat, left, shown)
    return Statement(
        span=(min(left.start, shown.span[0]), max(left.end, shown.span[1])),
        kind="equation",
        left=flat[left.start : left.end],
        expression=expression,
        shown=shown,
        focus=shown.span,
        operands=tuple(operand.span for operand in left.operands),
        also=also,
        certain=certain,
        holds=holds,
        ambiguous=any(o.ambiguous for o in figures),
        unique=not any(o.ambiguous and "." in o.literal for o in figures),
    )


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
    powers = _TIMES_TEN.sub(r"(\1)", left.expression)
    if "/" in powers and powers != left.expression:
        grouped = exact(powers)
        if grouped is not None and agrees(grouped, shown):
            return powers
    scale = max((o.scale for o in left.operands), default=1)
    if shown.scale > 1 and agrees(value * shown.scale, shown):
        return f"({left.expression})*{shown.scale}"
    if scale > 1 and shown.scale == 1 and agrees(value / scale, shown):
        return f"({left.expression})/{scale}"
    return None


def _signed_bullet(flat: str, left: Run, shown: Quantity) -> bool:
    """Whether what was taken for the bullet of a list would make the statement true as a sign."""
    if re.search(r"(?:^|\n)[ \t]*- $", flat[max(0, left.start - 20) : left.start]) is None:
        return False
    value = evaluate(["~", *left.items])
    return value is not None and agrees(value, shown) is not False


_TIMES_TEN = re.compile(r"(?<![\d.*])(\d+(?:\.\d+)?\*10\*\*-?\d+)")


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
