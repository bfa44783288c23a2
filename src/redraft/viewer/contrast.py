"""Two runs side by side: what their answers, verdicts, decisions and costs have in common and what not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from redraft.types import Check
from redraft.viewer.showing import Difference, difference
from redraft.viewer.story import Story
from redraft.viewer.wording import amount, duration, said_stop

__all__ = ["Contrast", "Fact", "Pair", "contrast"]

PAIRS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One property of both."""

    name: str
    left: str
    right: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """A claim with its check in each run, None where it does not stand there."""

    claim: str
    left: Check | None
    right: Check | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Contrast:
    left: Story
    right: Story
    facts: tuple[Fact, ...]
    drafts: Difference
    answers: Difference
    pairs: tuple[Pair, ...]
    """Claims whose verdicts differ, or that only one of the answers makes."""
    more_pairs: int
    agreeing: int


def contrast(left: Story, right: Story) -> Contrast:
    """The two runs, compared."""
    ours, theirs = _by_claim(left.final.checks), _by_claim(right.final.checks)
    names = list(dict.fromkeys([*ours, *theirs]))
    pairs = [Pair(claim=name, left=ours.get(name), right=theirs.get(name)) for name in names]
    differing = [pair for pair in pairs if pair.left is None or pair.right is None or pair.left.status != pair.right.status]
    return Contrast(
        left=left,
        right=right,
        facts=tuple(_facts(left, right)),
        drafts=difference(left.draft.text, right.draft.text),
        answers=difference(left.final.text, right.final.text),
        pairs=tuple(differing[:PAIRS]),
        more_pairs=max(0, len(differing) - PAIRS),
        agreeing=len(pairs) - len(differing),
    )


def _by_claim(checks: Sequence[Check]) -> Mapping[str, Check]:
    return {" ".join(check.claim.text.split()): check for check in checks if check.status != "skipped"}


def _facts(left: Story, right: Story) -> list[Fact]:
    def both(name: str, said: tuple[str, str]) -> Fact:
        return Fact(name=name, left=said[0], right=said[1])

    a, b = left.row, right.row
    return [
        both("status", (a.status or "no end", b.status or "no end")),
        both("stopped because", (said_stop(a.stop_reason) or "no end", said_stop(b.stop_reason) or "no end")),
        both("policy", (a.policy, b.policy)),
        both("model", (a.model, b.model)),
        both("answer", ("changed" if a.changed else "unchanged", "changed" if b.changed else "unchanged")),
        both("turns", (_turns(left), _turns(right))),
        both("model calls", (f"{a.llm_calls:,}", f"{b.llm_calls:,}")),
        both("tool calls", (f"{a.tool_calls:,}", f"{b.tool_calls:,}")),
        both("tokens", (f"{a.tokens:,}", f"{b.tokens:,}")),
        both("cost", (amount(a.cost_usd), amount(b.cost_usd))),
        both("time", (duration(a.seconds), duration(b.seconds))),
    ]


def _turns(story: Story) -> str:
    refused = sum(not view.turn.decision.accepted for view in story.turns)
    return f"{len(story.turns)}" + (f", {refused} refused" if refused else "")
