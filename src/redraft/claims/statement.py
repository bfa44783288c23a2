"""The value that stands for one arithmetic statement of a text."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from redraft.claims.expression import tokens
from redraft.claims.figures import Quantity
from redraft.claims.runs import runs
from redraft.types import Span

__all__ = ["Relation", "Statement", "StatementKind", "exact"]

Relation = Literal["", "<", "<=", ">", ">=", "!="]

StatementKind = Literal[
    "equation", "identity", "percent", "change", "total", "average", "ratio", "root", "conversion", "measure", "date", "clock", "duration", "comparison"
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One arithmetic statement: `expression` gives, in the units of the figure shown, what the derived figure must be."""

    span: Span
    kind: StatementKind
    left: str
    """The words of the side that is computed."""
    expression: str
    """In the syntax of the tool."""
    tool: Literal["calculator", "units", "dates"] = "calculator"
    shown: Quantity | None = None
    """The derived figure; None where both sides are expressions, or where it is a word."""
    word: str = ""
    """The derived word, such as a weekday, in the form that the tool gives."""
    amended: str = ""
    """The derived word as it must be, in the form it is written in; "" where several would do."""
    other: str = ""
    """The other side, where both are expressions."""
    relation: Relation = ""
    """How the value of the expression must stand to the figure shown, or to the other side; equal, where nothing is said."""
    points: tuple[tuple[str, str], ...] = ()
    """Both sides of an identity with a variable at further values of it: equal at all of them, they are equal everywhere."""
    focus: Span = (0, 0)
    operands: tuple[Span, ...] = ()
    also: tuple[str, ...] = ()
    """Further expressions (of the same chain, or of another reading): a repair is unique only if they give the same value."""
    either: bool = False
    """Whether agreeing with one of `also` makes the statement true as well."""
    certain: bool = True
    """Whether a disagreement would contradict it; otherwise it can only be supported."""
    unique: bool = True
    """Whether the figure shown is the only one that a repair could replace."""
    holds: bool | None = None
    """What our own exact evaluation says; None where it was not made or is too close to call."""
    ambiguous: bool = False
    """Whether a figure in it has another value under the other convention for separators."""


def exact(expression: str) -> Fraction | None:
    """The exact value of an expression in the calculator's syntax; None where it has none, or uses a function."""
    line = tokens(expression)
    found = next(iter(runs(line, ".")), None)
    return found.value if found is not None and found.first == 0 and found.last == len(line) else None
