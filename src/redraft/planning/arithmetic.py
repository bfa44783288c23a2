"""Routes for what can be computed: one for each arithmetic statement of a text, decided by an exact tool and the digits shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

from redraft.claims.numbers import Quantity, agrees, show
from redraft.claims.segment import claim_id
from redraft.claims.statements import Statement, find
from redraft.protocols import Route
from redraft.types import Claim, Evidence, ToolCall, ToolResult, Verdict

__all__ = ["routes"]


def routes(text: str) -> tuple[Route, ...]:
    """One route for each arithmetic statement of the text, in order; the plan is a rule, the verdict computed."""
    seen: Counter[str] = Counter()
    made: list[Route] = []
    derived: list[tuple[Statement, str]] = []
    for statement in find(text):
        words = text[statement.span[0] : statement.span[1]]
        identity = claim_id(words, "number", seen[words])
        seen[words] += 1
        claim = Claim(
            id=identity,
            text=words,
            span=statement.span,
            focus=statement.focus,
            kind="number",
            depends_on=_links(text, statement, derived),
        )
        derived.append((statement, identity))
        calls = tuple(ToolCall(tool=statement.tool, input=expression) for expression in _inputs(statement))
        made.append(Route(claim=claim, calls=calls, plan="rule", decide=_decide(statement)))
    return tuple(made)


def _inputs(statement: Statement) -> tuple[str, ...]:
    other = (statement.other,) if statement.other else ()
    return (statement.expression, *other, *statement.also)


def _links(text: str, statement: Statement, derived: list[tuple[Statement, str]]) -> tuple[str, ...]:
    """Earlier statements whose derived figure is certainly used here: an operand with the same value that no other figure before it shows."""
    found: list[str] = []
    for span in statement.operands:
        operand = text[span[0] : span[1]]
        sources = {identity for earlier, identity in derived if earlier.shown and earlier.focus[1] <= span[0] and _same_figure(earlier.shown, operand)}
        if len(sources) == 1:
            found.extend(sources - set(found))
    return tuple(found)


def _same_figure(shown: Quantity, operand: str) -> bool:
    return shown.text.strip("$€£¥ ").replace(",", "") == operand.strip("$€£¥ ").replace(",", "")


def _decide(statement: Statement) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        values = [_value(result) for result in results]
        evidence = tuple(item for result in results if isinstance(result, tuple) for item in result[:1])
        if not values or values[0] is None:
            return None
        if statement.other:
            return _compared(statement, values, evidence)
        shown = statement.shown
        return None if shown is None else _figure(statement, shown, values, evidence)

    return decide


def _value(result: ToolResult) -> Fraction | None:
    if not isinstance(result, tuple) or not result:
        return None
    try:
        return Fraction(result[0].value)
    except (ValueError, ZeroDivisionError):
        return None


def _compared(statement: Statement, values: list[Fraction | None], evidence: tuple[Evidence, ...]) -> Verdict | None:
    a, b = values[0], values[1]
    if a is None or b is None:
        return None
    if a == b:
        return Verdict(status="supported", method="computed", confidence=1.0, evidence=evidence, note=f"{statement.left} is {show(a)}")
    if not statement.certain:
        return None
    note = f"{statement.left} is {show(a)}, the other side is {show(b)}"
    return Verdict(status="contradicted", method="computed", confidence=1.0, evidence=evidence, note=note)


def _figure(statement: Statement, shown: Quantity, values: list[Fraction | None], evidence: tuple[Evidence, ...]) -> Verdict | None:
    value = values[0]
    assert value is not None
    right = agrees(value, shown)
    written = show(value, shown)
    note = f"{' '.join(statement.left.split())} is {written}"
    if right:
        return Verdict(status="supported", method="computed", confidence=1.0, evidence=evidence, note=note)
    if right is None or not statement.certain:
        return None
    repairs = tuple(dict.fromkeys(show(v, shown) for v in values if v is not None))
    unique = len(repairs) == 1 and len(values) == sum(v is not None for v in values)
    return Verdict(
        status="contradicted",
        method="computed",
        confidence=1.0,
        evidence=evidence,
        note=note,
        expected=written if unique else None,
        alternatives=() if unique else repairs,
    )
