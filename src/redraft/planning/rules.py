"""Plan by rule: every claim that can be found and decided without a model, and the rest named so that nothing looks checked that was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redraft.claims.segment import claiming
from redraft.claims.words import content_words
from redraft.effects import Effects
from redraft.planning import arithmetic
from redraft.planning.pace import unhurried
from redraft.protocols import Route
from redraft.types import Check, Claim, Span, Task, ToolResult, Verdict

__all__ = ["RulePlanner", "merge", "rule_routes", "undecidable"]


WORDS_AROUND = 3
"""Content words that may stand around a checked statement without saying more than it does ("With shipping, … euros are due")."""


class RulePlanner:
    """Arithmetic, figures against tables, quotations and facts against documents, code against tests. Sentences that none of them takes stay unchecked."""

    name = "rules"

    async def plan(self, task: Task, text: str, effects: Effects, known: Mapping[str, Check]) -> tuple[Route, ...]:
        found = await rule_routes(task, text, effects)
        rest = [undecidable(claim, task, effects) for claim in await unhurried(claiming(text))]
        return merge(text, found, rest)


async def rule_routes(task: Task, text: str, effects: Effects) -> tuple[Route, ...]:
    """The routes that rules find, the surest first where two take the same words: code, arithmetic, tables, documents.

    Raises:
        Stopped: a budget forbids a look-up.
    """
    found: list[Route] = []
    if task.kind == "code" or task.tests or "```" in text or "~~~" in text:
        from redraft.planning import code

        found += await code.routes(text, task, effects)
    if task.kind == "code":
        return merge(text, found)
    found += await unhurried(arithmetic.routing(text))
    if task.bare:
        return merge(text, found)  # a bare answer says nothing of itself: it is checked together with the query
    if "table" in effects.tools or "|" in text:
        from redraft.planning import tables

        found += await tables.routes(text, effects)
    if "documents" in effects.tools:
        from redraft.planning import documents

        found += await documents.routes(text, effects)
    return merge(text, found)


def merge(text: str, *layers: Sequence[Route]) -> tuple[Route, ...]:
    """All routes in the order of the text; a later one gives way where an earlier one has its focus, or where a whole clause is already taken."""
    kept: list[Route] = []
    names: set[str] = set()
    foci, clauses = bytearray(len(text) + 1), bytearray(len(text) + 1)  # which characters are taken: linear where comparing claims would not be
    for layer in layers:
        start = len(kept)
        for route in layer:
            claim = route.claim
            if claim.requirement or claim.kind in ("coverage", "code"):
                taken = claim.id in names
            elif claim.focus is None:
                taken = clauses.find(1, *claim.span) >= 0 and not says_more(text, claim.span, clauses)
            else:
                taken = foci.find(1, *claim.focus) >= 0
            if not taken:
                kept.append(route)
                names.add(claim.id)
                if claim.kind != "coverage" and claim.focus is not None:
                    foci[slice(*claim.focus)] = b"\x01" * (claim.focus[1] - claim.focus[0])
        for route in kept[start:]:
            if route.claim.kind != "coverage":
                clauses[slice(*route.claim.span)] = b"\x01" * (route.claim.span[1] - route.claim.span[0])
    return tuple(sorted(kept, key=lambda route: (route.claim.span, route.claim.focus or route.claim.span)))


def says_more(text: str, span: Span, taken: bytearray) -> bool:
    """Whether a sentence says something besides the statements in it that are checked: a few words around a figure are no statement of their own."""
    left = "".join(text[at] if not taken[at] else " " for at in range(*span))
    return len(content_words(left)) > WORDS_AROUND


def undecidable(claim: Claim, task: Task, effects: Effects) -> Route:
    """The route of a claim that no rule takes: `unavailable`, with the reason and what would help."""
    if not {"documents", "table"} & effects.tools.keys():
        note = "nothing was given to check this against: give sources or tables, or a model that can choose a tool"
    else:
        note = "no rule decides this against what was given; a capable model could judge it"

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        return Verdict(status="unavailable", note=note)

    return Route(claim=claim, decide=decide)
