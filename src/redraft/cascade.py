"""Cascade: when a figure is put right, the figures that are certainly derived from it follow, in the same edit group (design section 2, correct).

A use is certainly linked where a later arithmetic statement takes the figure as an operand: same value, same unit, and no other figure of the text
that it could come from. Derived figures are recomputed until nothing moves; operands that come from elsewhere are never touched.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence

from redraft.claims.edits import apply
from redraft.claims.statements import Statement, find
from redraft.effects import Effects
from redraft.errors import Stopped
from redraft.planning.arithmetic import routes
from redraft.types import Edit, Failure, Problem, Span

__all__ = ["cascade"]


class _Changes(dict[Span, tuple[str, str, int]]):
    """What is put in place of which figure, with the evidence's id and the group; `within` finds those of one passage without looking at all."""

    def __init__(self) -> None:
        super().__init__()
        self._ordered: list[Span] = []

    def __setitem__(self, span: Span, change: tuple[str, str, int]) -> None:
        if span not in self:
            insort(self._ordered, span)
        super().__setitem__(span, change)

    def within(self, start: int, end: int) -> list[Span]:
        """The spans that lie in the passage, in order."""
        first, last = bisect_left(self._ordered, (start, start)), bisect_left(self._ordered, (end + 1, 0))
        return [span for span in self._ordered[first:last] if span[1] <= end]


async def cascade(text: str, problems: Sequence[Problem], effects: Effects) -> tuple[Edit, ...]:
    """Edits, in the order of the text, that put the problems' figures right and carry the change through; one group for each chain."""
    changes = _Changes()
    for group, problem in enumerate(problems):
        if problem.claim.focus is not None and problem.expected is not None:
            if problem.claim.focus not in changes:
                changes[problem.claim.focus] = (problem.expected, (problem.evidence or ("",))[0], group)
    statements = find(text)
    derived: dict[str, list[Span]] = {}
    for statement in statements:
        derived.setdefault(text[statement.focus[0] : statement.focus[1]], []).append(statement.focus)
    if changes:
        for _ in range(len(statements) + 1):
            before = dict(changes)
            for statement in statements:
                await _follow(text, statement, derived, changes, effects)
            if changes == before:
                break
    edits = [Edit(span=span, replacement=new, because=because, group=group) for span, (new, because, group) in sorted(changes.items())]
    return _disjoint(edits)


async def _follow(text: str, statement: Statement, derived: Mapping[str, Sequence[Span]], changes: _Changes, effects: Effects) -> None:
    """Carry changed figures into one statement's operands, and recompute its derived figure."""
    moved: list[int] = []
    for operand in statement.operands:
        if operand in changes:
            continue
        source = _source(text, operand, derived)
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


def _source(text: str, operand: Span, derived: Mapping[str, Sequence[Span]]) -> Span | None:
    """The one earlier derived figure that this operand repeats, letter for letter; None where there is none or more than one."""
    found: Span | None = None
    for focus in derived.get(text[operand[0] : operand[1]], ()):
        if focus[1] <= operand[0] and focus != found:
            if found is not None:
                return None
            found = focus
    return found


async def _recomputed(text: str, statement: Statement, changes: _Changes, effects: Effects) -> tuple[str, str] | None:
    """What the statement's derived figure must be once its operands have changed, with the evidence's id; None where it cannot be told."""
    start, end = statement.span
    inside = [Edit(span=(span[0] - start, span[1] - start), replacement=changes[span][0]) for span in changes.within(start, end) if span != statement.focus]
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
