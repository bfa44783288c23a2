"""Other settings of the controller: γ, τ, the anchor, the penalties, the strictness of looking things up.

A record answers for them up to the first decision that differs; what would have followed was never run. So replay chooses a short list, by what each setting
would have retained as far as the records tell, on the choosing half of the questions. The list is then run live on the held-out half: each record is
replayed, which costs nothing, and goes on with real calls from the first one that it lacks. The price is told before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from redraft.policy import Control, Policy
from redraft.replay.grids import Ended, History, grid
from redraft.studies.prefixes import Score
from redraft.studies.tuning import Gain, held_out_gain
from redraft.types import Usage

__all__ = ["GAINS", "Candidate", "LiveEnd", "Price", "controller_settings", "default_ends", "live_gain", "price_of", "shortlist"]

GAINS, TOLERANCES = (0.0, 0.01, 0.02, 0.05, 0.10), (0.0, 0.05, 0.10, 1.0)
PENALTIES = ((0.0, 0.0), (0.05, 0.025), (0.10, 0.05), (0.20, 0.10))
STRICTNESS = ("low", "high")
"""What differs from `normal`; it decides what is looked up, so that no record answers for it and all of its runs are live."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A setting of the short list. `seen` is the mean quality of what it retains as far as the records tell; `differs` counts the records that it leaves."""

    policy: Policy
    label: str
    seen: float | None
    differs: int
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What the live runs are expected to cost, by what was recorded, and the calls that they cannot exceed. `cost_usd` is None where a price is unknown."""

    runs: int
    replayed: int
    """Runs that the records answer for whole, at no cost."""
    calls: float
    most_calls: int
    tokens: float
    cost_usd: float | None

    def in_words(self) -> str:
        money = "an unknown price" if self.cost_usd is None else f"${self.cost_usd:.4f}"
        return (
            f"{self.runs} live runs (and {self.replayed} that the records answer for): about {self.calls:.0f} model calls ({self.most_calls} at most, "
            f"judgements of single claims aside) and {self.tokens:,.0f} tokens, {money}"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveEnd:
    """How one held-out record ended under a candidate: quality and tokens, and those of the default."""

    cluster: str
    draft_quality: float
    quality: float
    tokens: float
    default_quality: float
    default_tokens: float


def controller_settings(base: Policy, *, strictness: bool = False) -> list[tuple[str, Policy]]:
    """Settings of the controller, 239 beside the base's own, with what differs in words; with `strictness` also those of looking things up."""
    anchors: tuple[Literal["retained", "best", "initial"], ...] = ("retained", "best", "initial")
    found: dict[Control, None] = {}
    for gain, tolerance, anchor, (serious, minor) in product(GAINS, TOLERANCES, anchors, PENALTIES):
        found[dataclasses.replace(base.control, gain=gain, tolerance=tolerance, anchor=anchor, penalty_contradicted=serious, penalty_minor=minor)] = None
    found.pop(base.control, None)
    settings = [(_difference(base.control, control), dataclasses.replace(base, control=control)) for control in found]
    if strictness:
        levels: tuple[Literal["low", "normal", "high"], ...] = ("low", "normal", "high")
        settings += [(f"strictness {level}", dataclasses.replace(base, strictness=level)) for level in levels if level != base.strictness]
    return settings


def shortlist(histories: Sequence[History], base: Policy, score: Score, *, size: int, strictness: bool = False) -> list[Candidate]:
    """The settings that retain the best texts as far as the records tell, first; of settings that are alike on every record the one nearest to the base.

    A setting under which no decision differs anywhere is the base in other words, and left out. Settings of strictness come on top of `size`.
    """
    settings = [(label, policy) for label, policy in controller_settings(base) if policy.strictness == base.strictness]
    found: dict[tuple[Any, ...], Candidate] = {}
    rows = list(grid(histories, [policy for _, policy in settings]))
    for place, (label, policy) in enumerate(settings):
        ends = [row[place] for row in rows]
        differs = sum(not ended.exact for ended in ends)
        scores = [score(history.task, ended.answer) for history, ended in zip(histories, ends, strict=True)]
        known = [value for value in scores if value is not None]
        same = tuple((ended.turns, ended.answer, ended.differs_at) for ended in ends)
        candidate = Candidate(policy=policy, label=label, seen=sum(known) / len(known) if known else None, differs=differs, n=len(ends))
        if differs and (same not in found or _distance(candidate, base) < _distance(found[same], base)):
            found[same] = candidate
    ranked = sorted(found.values(), key=lambda item: (-(item.seen if item.seen is not None else -1.0), _distance(item, base), item.label))
    others = [
        Candidate(policy=policy, label=label, seen=None, differs=len(histories), n=len(histories))
        for label, policy in controller_settings(base, strictness=strictness)
        if policy.strictness != base.strictness
    ]
    return [*ranked[:size], *others]


def price_of(histories: Sequence[History], candidates: Sequence[Candidate]) -> Price:
    """What it is expected to cost to run the candidates over these records: of each run what the recorded one spent after the first decision that differs."""
    runs = replayed = most = 0
    calls = tokens = cost = 0.0
    unpriced = False
    for candidate in candidates:
        replayable = all(candidate.policy.strictness == history.policy.strictness for history in histories)
        rows = list(grid(histories, [candidate.policy])) if replayable else [(None,)] * len(histories)
        for history, (ended,) in zip(histories, rows, strict=True):
            if ended is not None and ended.exact:
                replayed += 1
                continue
            runs += 1
            whole, before = history.boundaries[-1].usage, ended.usage if ended is not None else history.boundaries[0].usage
            calls += whole.llm_calls - before.llm_calls if ended is not None else whole.llm_calls
            tokens += _tokens(whole) - (_tokens(before) if ended is not None else 0)
            most += candidate.policy.bound(history.task.kind)
            if whole.cost_usd is None:
                unpriced = True
            else:
                cost += whole.cost_usd - ((before.cost_usd or 0.0) if ended is not None else 0.0)
    return Price(runs=runs, replayed=replayed, calls=calls, most_calls=most, tokens=tokens, cost_usd=None if unpriced else cost)


def live_gain(ends: Sequence[LiveEnd], *, candidates: int, seed: int = 0, price: float = 0.0) -> Gain:
    """What a candidate gains over the default on held-out questions. The level of its interval allows for as many candidates (Bonferroni)."""
    return held_out_gain(
        [end.quality - end.default_quality - price * (end.tokens - end.default_tokens) / 1000 for end in ends],
        [end.cluster for end in ends],
        tokens=sum(end.tokens - end.default_tokens for end in ends) / len(ends),
        regressions=sum(end.quality < end.draft_quality - 1e-9 for end in ends),
        default_regressions=sum(end.default_quality < end.draft_quality - 1e-9 for end in ends),
        seed=seed,
        level=1 - 0.05 / candidates,
    )


def default_ends(histories: Sequence[History], base: Policy) -> list[Ended]:
    """How the records end under the base's own settings: exact prefixes."""
    return [row[0] for row in grid(histories, [base])]


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _difference(base: Control, control: Control) -> str:
    names: Mapping[str, str] = {
        "gain": "γ",
        "tolerance": "τ",
        "anchor": "anchor",
        "penalty_contradicted": "λ for contradictions",
        "penalty_minor": "λ for minor faults",
    }
    changed = [f"{words} {getattr(control, name)}" for name, words in names.items() if getattr(control, name) != getattr(base, name)]
    return ", ".join(changed)


def _distance(candidate: Candidate, base: Policy) -> int:
    return sum(getattr(candidate.policy.control, item.name) != getattr(base.control, item.name) for item in dataclasses.fields(Control))
