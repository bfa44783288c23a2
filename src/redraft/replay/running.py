"""`replay`: the loop, or whatever strategy a policy names, over the recorded effects. It is the same code that ran then; only the world is the record."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast, get_args
from uuid import uuid4

from redraft.catalogue import read_prompts
from redraft.effects import ENTAILMENT, MEMORY, ORACLE
from redraft.errors import InputError, RedraftError, UsageError
from redraft.events import Corrected, Criticised, Decided, Event, Started, StoppedRun, plain
from redraft.loop import Setting
from redraft.policies import policy_from_mapping
from redraft.policy import Policy
from redraft.prompts import Prompts
from redraft.protocols import Model, Planner, Tool, TraceSink
from redraft.records.reading import events_of
from redraft.refiner import outcome_of, planner_for
from redraft.replay.recorded import RESOURCES, Calls, Needed, NeedsCall, RecordedClock, RecordedEffects, RecordedModel, RecordedTool
from redraft.strategies import runner_of
from redraft.trace import Record, RecordKeeper, Trace
from redraft.types import Ability, Outcome

__all__ = ["Live", "Replayed", "replay"]

PARTS = ("writer", "judge", "evaluator")
_NOT_COMPARED: Mapping[str, frozenset[str]] = {
    "started": frozenset({"policy", "policy_hash"}),
    "model_called": frozenset({"key", "started_seconds", "seconds"}),
    "tool_called": frozenset({"key", "started_seconds", "seconds"}),
    "stopped": frozenset({"usage"}),
}
"""What may differ between a run and its replay: times, keys of calls that a shield had changed, and a policy that was asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Live:
    """What goes on where the record ends: models by part (`writer`, `judge`, `evaluator`), tools by name; `sink` shields the new record (`privacy.Shield`)."""

    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    sink: Callable[[TraceSink], TraceSink] = lambda sink: sink


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """What a replay came to.

    `outcome` is None where the record did not reach: then `needed` is the first call that was missing, and the trace holds what happened before it.
    `same`: every event is the recorded one, times apart; `difference` says in words where the first other one is. `decided_alike`: every decision, the
    reason why it stopped and the status are the recorded ones; a record that privacy has changed may be decided alike without being the same, because the
    places of words in its texts are others.
    """

    outcome: Outcome | None
    trace: Trace
    needed: Needed | None
    decisions: int
    """Decisions that were made."""
    same: bool
    decided_alike: bool
    difference: str = ""


async def replay(
    records: Sequence[Record],
    *,
    policy: Policy | None = None,
    planner: Planner | None = None,
    live: Live | None = None,
    keeper: RecordKeeper | None = None,
    run_id: str | None = None,
) -> Replayed:
    """Run a record again: under its own policy, or under another one as far as it reaches. With `live`, what is missing is called for.

    `planner` is needed where the recorded one was the caller's own. `keeper` is given the new record.

    Raises:
        InputError: these are no records of a run, or none that can be replayed.
        UsageError: the recorded planner is not one of ours, and none is given.
    """
    events = events_of(records)
    if not events or not isinstance(started := events[0], Started):
        raise InputError("this is no record of a run: it does not begin with its start")
    if not started.setup:
        raise InputError("this record was made before records could be replayed")
    chosen = policy or policy_from_mapping(dict(started.policy), where="the policy of the record")
    end = events[-1] if isinstance(events[-1], StoppedRun) else None
    _known_setup(started)
    clock = RecordedClock(datetime.fromisoformat(records[0].at))
    calls = Calls(events, clock)
    trace = Trace(clock, keeper=keeper)
    watch = _Watch(trace, events, clock, end if policy is None and live is None else None)
    effects = _effects(started, chosen, calls, watch, live, _refusal(end, chosen) if policy is None else "")
    watch.effects = effects
    setting = Setting(task=started.task, policy=chosen, planner=planner or _planner(started, effects, chosen), effects=effects)
    effects.emit(started if policy is None else dataclasses.replace(started, policy=plain(chosen), policy_hash=chosen.hash))
    outcome, needed = None, None
    try:
        ending = await runner_of(chosen.strategy)(setting)
        outcome = outcome_of(started.task, chosen, ending, effects, trace, started.models.get("writer", ""), run_id or f"r{uuid4().hex[:16]}")
    except NeedsCall as signal:
        needed = signal.needed
    difference = _difference(events, trace, needed)
    return Replayed(
        outcome=outcome, trace=trace, needed=needed, decisions=watch.decisions, same=not difference, decided_alike=_alike(events, trace), difference=difference
    )


def _refusal(end: StoppedRun | None, policy: Policy) -> str:
    """Why a call that a complete record lacks was not made then: a resource ran out, the deadline where the run ended for another reason in the end."""
    if end is None:
        return ""
    if end.reason in RESOURCES:
        return end.reason
    return "deadline" if policy.budgets.deadline_seconds is not None else ""


class _Watch:
    """The sink of a replay. At the place where the recorded run was stopped by the world, it lets the world do so again."""

    def __init__(self, trace: Trace, events: Sequence[Event], clock: RecordedClock, end: StoppedRun | None) -> None:
        self._trace, self._clock, self._end = trace, clock, end
        self._before_end = len(events) - 1
        self.decisions = 0
        self.effects: RecordedEffects | None = None

    def write(self, event: Event) -> None:
        self._trace.write(event)
        effects = self.effects
        assert effects is not None
        if isinstance(event, Criticised | Corrected):
            effects.turn = event.turn
        elif isinstance(event, Decided):
            self.decisions += 1
            effects.turn = event.turn + 1
        if self._end is not None and len(self._trace.records) == self._before_end:
            self._stop_as_then(effects, self._end)

    def _stop_as_then(self, effects: RecordedEffects, end: StoppedRun) -> None:
        if end.reason == "deadline":
            self._clock.advance_to(end.usage.seconds)
        elif end.reason == "cancelled":
            effects.cancelled = True
        elif end.reason == "breaker_open":
            for tool in effects.tools.values():
                if isinstance(tool, RecordedTool):
                    tool.down = True


def _effects(started: Started, policy: Policy, calls: Calls, watch: _Watch, live: Live | None, stopped: str) -> RecordedEffects:
    setup = started.setup
    alive = live or Live()
    names, abilities = started.models, setup["abilities"]
    models = {part: RecordedModel(names[part], abilities[part], calls, alive.models.get(part)) for part in PARTS}
    tools = {name: RecordedTool(name, summary, calls, alive.tools.get(name)) for name, summary in setup["summaries"].items()}
    parts = {name: RecordedTool(name, "", calls, alive.tools.get(name)) for name in (ENTAILMENT, ORACLE, MEMORY) if name in setup.get("parts", ())}
    task = started.task
    return RecordedEffects(
        calls=calls,
        stopped=stopped,
        live=live is not None,
        writer=models["writer"],
        judge=models["judge"],
        evaluator=models["evaluator"] if setup["evaluator"] else None,
        tools=tools,
        sink=alive.sink(watch),
        budgets=policy.budgets,
        clock=calls.clock,
        seed=started.seed,
        concurrency=policy.concurrency,
        marker_key="\x1f".join((task.query, task.answer or "", task.context)),
        prices=setup.get("prices"),
        prompts=_prompts(started),
        **parts,
    )


def _known_setup(started: Started) -> None:
    """The start says all that a replay needs, in the form it needs.

    Raises:
        InputError: it does not.
    """
    setup = started.setup
    abilities, summaries, prices = setup.get("abilities"), setup.get("summaries"), setup.get("prices")
    known = (
        all(part in started.models for part in PARTS)
        and isinstance(abilities, Mapping)
        and all(cast("Mapping[str, object]", abilities).get(part) in get_args(Ability) for part in PARTS)
        and isinstance(summaries, Mapping)
        and all(isinstance(summary, str) for summary in cast("Mapping[str, object]", summaries).values())
        and isinstance(setup.get("evaluator"), bool)
        and isinstance(setup.get("parts", []), list)
        and (prices is None or (isinstance(prices, Mapping) and all(isinstance(one, int | float) for one in cast("Mapping[str, object]", prices).values())))
    )
    if not known:
        raise InputError("the record does not say how its run was set up, as this version of redraft writes it: it was changed, or made by another version")


def _prompts(started: Started) -> Prompts:
    """The prompts of the recorded run, checked like those of a user.

    Raises:
        InputError: this version of redraft has no such prompts.
    """
    replaced = started.prompts.get("replaced", {})
    try:
        return read_prompts(dict(replaced))
    except (RedraftError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"the prompts of the record cannot be used: {error}") from None


def _planner(started: Started, effects: RecordedEffects, policy: Policy) -> Planner:
    recorded = str(started.setup.get("planner"))
    own = policy_from_mapping(dict(started.policy))
    if recorded != planner_for(effects.writer, started.task, own).name:
        raise UsageError(f"the record was made with the planner {recorded!r}, which is not one of ours; give it to replay(planner=...)")
    return planner_for(effects.writer, started.task, policy)


def _alike(events: Sequence[Event], trace: Trace) -> bool:
    before = [_decided(event.payload()) for event in events if isinstance(event, Decided | StoppedRun)]
    return before == [_decided(record.payload) for record in trace.records if record.payload["type"] in ("decided", "stopped")]


def _decided(payload: dict[str, Any]) -> tuple[Any, ...]:
    decision = payload.get("decision")
    return (payload["reason"], payload["status"]) if decision is None else (payload["turn"], decision["accepted"], decision["rule"], decision["failed"])


def _difference(events: Sequence[Event], trace: Trace, needed: Needed | None) -> str:
    """Where the new events are not the recorded ones, in words; times, and the usage of a run that the world stopped, do not count."""
    for seq, (old, new) in enumerate(zip(events, trace.records, strict=False)):
        before, after = _compared(old.payload()), _compared(new.payload)
        if before != after:
            return f"record {seq} ({after['type']}) is another one: {_where(before, after)}"
    if needed is not None:
        return needed.in_words()
    if len(events) != len(trace.records):
        return f"the record has {len(events)} events, the replay {len(trace.records)}"
    return ""


def _compared(payload: dict[str, Any]) -> dict[str, Any]:
    left_out = _NOT_COMPARED.get(payload["type"], frozenset[str]())
    return {name: value for name, value in payload.items() if name not in left_out}


def _where(before: dict[str, Any], after: dict[str, Any]) -> str:
    if before["type"] != after["type"]:
        return f"then it was {before['type']}"
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return f"{', '.join(names)} differs"
