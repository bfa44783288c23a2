"""calibrate --live: a short list of controller settings, its price, and its live runs on the held-out records."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from redraft.cli.safe import safe
from redraft.errors import InputError, UsageError

if TYPE_CHECKING:
    from redraft.cli.tuning import Material, Request
    from redraft.policy import Policy
    from redraft.settings import Settings
    from redraft.studies.calls import CallStore
    from redraft.studies.controllers import Candidate, LiveEnd, Price
    from redraft.studies.prefixes import Prefixes, Score
    from redraft.studies.tuning import Gain, StopGrid
    from redraft.trace import Record
    from redraft.types import Outcome, Task

__all__ = ["LiveResult", "live_calibration"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveResult:
    """The short list, what it costs, and, where it was run, what each setting gains on the held-out records."""

    candidates: tuple[Candidate, ...]
    price: Price
    gains: tuple[Gain, ...] = ()

    @property
    def best(self) -> tuple[Candidate, Gain] | None:
        """The setting with the highest lower bound, of those that gain enough."""
        enough = [(candidate, gain) for candidate, gain in zip(self.candidates, self.gains, strict=False) if gain.recommended]
        return max(enough, key=lambda pair: pair[1].interval[0], default=None)

    def plain(self) -> dict[str, Any]:
        from redraft.events import plain

        listed = [{"label": item.label, "seen": item.seen, "differs": item.differs, "n": item.n} for item in self.candidates]
        return {"shortlist": listed, "price": plain(self.price), "dry_run": not self.gains, "gains": [plain(gain) for gain in self.gains]}


def live_calibration(request: Request, material: Material, prefixes: Prefixes, stop_grid: StopGrid, score: Score, settings: Settings) -> LiveResult:
    """Choose the short list, say its price, and with --yes run it.

    Raises:
        UsageError: a model or a tool cannot be opened, or nobody can judge what the live runs give.
    """
    from redraft.studies.controllers import live_gain, price_of, shortlist
    from redraft.studies.tuning import split

    choosing, held = split(prefixes.clusters, request.seed)
    base = stop_grid.default
    chosen = tuple(shortlist([prefixes.histories[i] for i in choosing], base, score, size=request.shortlist, strictness=request.strictness))
    price = price_of([prefixes.histories[i] for i in held], chosen)
    _say(request, "no other setting of the controller decides anything else on these records" if not chosen else f"short list: {price.in_words()}")
    for candidate in chosen:
        seen = "unknown" if candidate.seen is None else f"{candidate.seen:.3f}"
        _say(request, f"  {candidate.label}: decides otherwise on {candidate.differs} of {candidate.n} records; quality as far as these tell {seen}")
    if not chosen or not request.yes:
        _say(request, "--yes runs it" if chosen else "")
        return LiveResult(candidates=chosen, price=price)
    outcomes = _run(request, [(candidate.policy, material.records[prefixes.names[i]]) for candidate in chosen for i in held], settings)
    scored = _scored(request, material, outcomes, score, settings)
    gains: list[Gain] = []
    for place, candidate in enumerate(chosen):
        ends = [_end(prefixes, stop_grid, i, outcomes[place * len(held) + k], scored) for k, i in enumerate(held)]
        gains.append(live_gain(ends, candidates=len(chosen), seed=request.seed, price=request.price))
        _say(request, f"  {candidate.label}: {gains[-1].reason}")
    return LiveResult(candidates=chosen, price=price, gains=tuple(gains))


def _run(request: Request, runs: Sequence[tuple[Policy, Sequence[Record]]], settings: Settings) -> list[Outcome]:
    """Each record again under another policy, live from the first call that it lacks. Replies are kept: an interrupted calibration pays for none twice."""
    from datetime import UTC, datetime

    from redraft.cli.replay import opened_live
    from redraft.records.reading import event_of
    from redraft.replay import replay
    from redraft.studies.calls import CallStore

    async def one(policy: Policy, records: Sequence[Record], store: CallStore) -> Outcome:
        started: Any = event_of(records[0].payload)
        live = opened_live(started, settings, "off")
        try:
            replayed = await replay(records, policy=policy, live=replace(live, models=_stored(live.models, store)))
        finally:
            for part in (*live.models.values(), *live.tools.values()):
                await part.close()
        if replayed.outcome is None:
            raise InputError("a live run came to no end: " + replayed.difference)
        return replayed.outcome

    store = CallStore(settings.home / "calibration.sqlite", datetime.now(UTC))
    bar: Any = click.progressbar(length=len(runs), label="runs", file=sys.stderr, hidden=request.quiet or not sys.stderr.isatty())
    found: list[Outcome] = []
    try:
        with bar:
            for policy, records in runs:
                found.append(asyncio.run(one(policy, records, store)))
                bar.update(1)
    finally:
        store.close()
    return found


def _stored(models: Mapping[str, Any], store: CallStore) -> dict[str, Any]:
    from redraft.studies.calls import StoredModel

    wrapped = {id(model): StoredModel(model, store) for model in models.values()}
    return {part: wrapped[id(model)] for part, model in models.items()}


def _scored(request: Request, material: Material, outcomes: Sequence[Outcome], score: Score, settings: Settings) -> Score:
    """The score that the prefixes had, and where that was a judge's, its judgements of the new texts too."""
    if request.judge is None:
        return score
    from redraft.cli.tuning_judge import judged_now, makers_of
    from redraft.types import Task

    asked = [(Task(query=outcome.query), outcome.answer) for outcome in outcomes]
    newly = judged_now(request, asked, makers_of(material), settings)
    assert newly is not None

    def either(task: Task, text: str) -> float | None:
        known = score(task, text)
        return newly(task, text) if known is None else known

    return either


def _end(prefixes: Prefixes, stop_grid: StopGrid, record: int, outcome: Outcome, score: Score) -> LiveEnd:
    from redraft.studies.controllers import LiveEnd

    quality = score(prefixes.histories[record].task, outcome.answer)
    if quality is None:
        raise UsageError(f"nobody judged what a live run gave to {prefixes.names[record]}; --live needs rows with gold, or --judge NAME")
    stop = int(stop_grid.stops[-1, record])
    return LiveEnd(
        cluster=prefixes.clusters[record],
        draft_quality=float(prefixes.quality[record, 0]),
        quality=quality,
        tokens=float(outcome.usage.input_tokens + outcome.usage.output_tokens),
        default_quality=float(prefixes.quality[record, stop]),
        default_tokens=float(prefixes.tokens[record, stop]),
    )


def _say(request: Request, text: str) -> None:
    if not request.as_json and text:
        sys.stdout.write(safe(text) + "\n")
