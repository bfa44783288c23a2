"""Comparisons in signs: 3 × 14 > 40, 17% of 300 ≤ 50, 2^10 ≥ 1000, 7 * 6 ≠ 43. Which side is off cannot be told, so none has a repair.

A sign between two bare figures may be a path through menus, a version or a rank: at least one side has to be computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from redraft.claims.context import begins, doubtful, ends, same_units
from redraft.claims.expression import Run, Token, tokens
from redraft.claims.figures import read_at
from redraft.claims.runs import runs
from redraft.claims.statement import Relation, Statement
from redraft.types import Span

__all__ = ["inequalities", "relates"]

_RELATIONS: dict[str, Relation] = {
    "<": "<", ">": ">", "<=": "<=", "≤": "<=", "⩽": "<=", ">=": ">=", "≥": ">=", "⩾": ">=", "!=": "!=", "≠": "!=", "=/=": "!=",
    "\\le": "<=", "\\leq": "<=", "\\ge": ">=", "\\geq": ">=", "\\ne": "!=", "\\neq": "!=", "\\lt": "<", "\\gt": ">",
}  # fmt: skip
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|while|until|unless|whether|where|for|once|only|should|must|need|require[sd]?|want)\b[^.;\n]{0,40}$", re.IGNORECASE
)

_PAIR = re.compile(r"\d+[-–]\d+|\d{1,4}([-/.])\d{1,2}\1\d{1,4}")
"""A score, a range or a date, which a comparison may treat as something else than a number."""


def relates(left: Fraction, relation: Relation, right: Fraction) -> bool:
    """Whether the relation holds between two exact values."""
    if relation in ("", "!="):
        return (left == right) == (relation == "")
    return left == right if left == right and relation.endswith("=") else left != right and (left < right) == (relation[0] == "<")


def inequalities(flat: str, span: Span, mark: str) -> Iterator[Statement]:
    """The comparisons of one line; `flat` is `plain(text)`, `mark` the decimal mark of the text."""
    line = tokens(flat, *span)
    before: Run | None = None
    for run in runs(line, mark):
        if before is not None and run.first == before.last + 1:
            relation = _relation(line, before.last)
            if relation:
                yield from _comparison(flat, line, before, relation, run)
        before = run


def _relation(line: list[Token], place: int) -> Relation:
    """The sign at this place, unless it is part of an arrow, a shift, a tag or a quotation mark."""
    sign = line[place]
    relation = _RELATIONS.get(sign.text, "")
    if relation and sign.kind == "other" and sign.text in "<>":
        for beside in (line[place - 1], line[place + 1]):
            if beside.text in ("<", ">", "=", "-", "/"):
                return ""
        spaced = line[place - 1].end < sign.start, sign.end < line[place + 1].start
        return relation if spaced[0] == spaced[1] else ""
    return relation


def _comparison(flat: str, line: list[Token], left: Run, relation: Relation, right: Run) -> Iterator[Statement]:
    a, b = left.value, right.value
    if (left.operators == 0 and right.operators == 0) or a is None or b is None:
        return
    opens = begins(line, left) or _related(line, left.first - 1)
    closes = ends(line, right) or _related(line, right.last)
    if not opens or not closes or any(operand.percent for run in (left, right) for operand in run.operands[1:]) or not _one_measure(flat, left, right):
        return
    holds = relates(a, relation, b)
    start, end = left.start, right.end
    pair = any(_PAIR.fullmatch(flat, run.start, run.end) for run in (left, right))
    clear = holds or not (pair or left.uncertain or right.uncertain or _CONDITION.search(flat[max(0, start - 60) : start]) or doubtful(flat, start, end))
    ambiguous = any(operand.ambiguous for run in (left, right) for operand in run.operands)
    yield Statement(
        span=(start, end),
        kind="comparison",
        left=flat[left.start : left.end],
        expression=left.expression,
        other=right.expression,
        relation=relation,
        focus=(start, end),
        operands=tuple(operand.span for run in (left, right) for operand in run.operands),
        certain=clear and not ambiguous,
        unique=False,
        holds=holds,
        ambiguous=ambiguous,
    )


def _related(line: list[Token], place: int) -> bool:
    """Whether a sign of equality or comparison stands here: the chain goes on."""
    return 0 <= place < len(line) and (line[place].kind == "eq" or line[place].text in _RELATIONS)


def _one_measure(flat: str, left: Run, right: Run) -> bool:
    """Whether both sides are amounts of one thing: 3 km > 500 m is not decided by its figures."""
    last = right.operands[-1]
    shown = read_at(flat, last.span[1] - len(last.literal)) if not last.unit and not last.percent and last.scale == 1 else None
    if shown is None:
        return not any(operand.unit for operand in (*left.operands, *right.operands))
    units = {operand.unit for operand in (*left.operands, *right.operands[:-1]) if operand.unit}
    mixed = {operand.currency for operand in (*left.operands, *right.operands) if operand.currency}
    return same_units((*left.operands, *right.operands[:-1]), last, shown) and len(mixed) < 2 and (not units or {shown.unit} == units)
