"""Cascade: when a figure is put right, the figures that are certainly derived from it follow, in the same edit group (design section 2, correct).

A use is certainly linked where a later arithmetic statement takes the figure as an operand: same value, same unit, and no other figure of the text
that it could come from. Derived figures are recomputed until nothing moves; operands that come from elsewhere are never touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redraft.claims.edits import apply
from redraft.claims.statements import Statement, find
from redraft.effects import Effects
from redraft.errors import Stopped
from redraft.planning.arithmetic import routes
from redraft.types import Edit, Failure, Problem, Span

__all__ = ["cascade"]


async def cascade(text: str, problems: Sequence[Problem], effects: Effects) -> tuple[Edit, ...]:
    """Edits, in the order of the text, that put the problems' figures right and carry the change through; one group for each chain."""
    changes: dict[Span, tuple[str, str, int]] = {}
    for group, problem in enumerate(problems):
        if problem.claim.focus is not None and problem.expected is not None:
            changes.setdefault(problem.claim.focus, (problem.expected, (problem.evidence or ("",))[0], group))
    statements = find(text)
    for _ in range(len(statements) + 1):
        before = dict(changes)
        for statement in statements:
            await _follow(text, statement, statements, changes, effects)
        if changes == before:
            break
    edits = [Edit(span=span, replacement=new, because=because, group=group) for span, (new, because, group) in sorted(changes.items())]
    return _disjoint(edits)


async def _follow(text: str, statement: Statement, statements: Sequence[Statement], changes: dict[Span, tuple[str, str, int]], effects: Effects) -> None:
    """Carry changed figures into one statement's operands, and recompute its derived figure."""
    moved: list[int] = []
    for operand in statement.operands:
        if operand in changes:
            continue
        source = _source(text, operand, statements)
        if source is not None and source in changes:
            new, because, group = changes[source]
            changes[operand] = (new, because, group)
            moved.append(group)
    touched = [changes[operand][2] for operand in statement.operands if operand in changes]
    if not touched:
        return
    result = await _recomputed(text, statement, changes, effects)
    if result is not None:
        changes[statement.focus] = (result[0], result[1], min(touched))


def _source(text: str, operand: Span, statements: Sequence[Statement]) -> Span | None:
    """The one earlier derived figure that this operand repeats, letter for letter; None where there is none or more than one."""
    words = text[operand[0] : operand[1]]
    derived = {statement.focus for statement in statements if statement.focus[1] <= operand[0] and text[statement.focus[0] : statement.focus[1]] == words}
    return derived.pop() if len(derived) == 1 else None


async def _recomputed(text: str, statement: Statement, changes: Mapping[Span, tuple[str, str, int]], effects: Effects) -> tuple[str, str] | None:
    """What the statement's derived figure must be once its operands have changed, with the evidence's id; None where it cannot be told."""
    start, end = statement.span
    inside = [
        Edit(span=(span[0] - start, span[1] - start), replacement=new)
        for span, (new, _, _) in sorted(changes.items())
        if start <= span[0] and span[1] <= end and span != statement.focus
    ]
    clause = apply(text[start:end], inside)
    old = text[statement.focus[0] : statement.focus[1]]
    for route in routes(clause):
        focus = route.claim.focus
        if focus is None or clause[focus[0] : focus[1]] != old:
            continue
        gathered = await effects.together([effects.use(call) for call in route.calls])
        results = [Failure(tool="", input="", kind="timeout", message=item.reason) if isinstance(item, Stopped) else item for item in gathered]
        verdict = route.decide(results)
        if verdict is None or verdict.status not in ("supported", "contradicted"):
            return None
        because = verdict.evidence[0].id if verdict.evidence else ""
        return (old if verdict.status == "supported" else verdict.expected or old, because)
    return None


def _disjoint(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    kept: list[Edit] = []
    for edit in edits:
        if not kept or kept[-1].span[1] <= edit.span[0]:
            kept.append(edit)
    return tuple(kept)
