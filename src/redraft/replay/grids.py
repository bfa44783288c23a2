"""Many settings over many records, exactly and without running anything: what the pure rules would have said at each boundary between turns.

Stopping rules are evaluated over the states, decisions and bills of a record that went on to its hard cap: a run that stops early is the exact prefix of
one that goes on. Rules about resources read the recorded clock and bills at the boundaries; a run that really had such a bound may have been stopped within
the turn before. Other settings of the controller are followed up to the first decision that differs, and the result says where that is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from redraft.control import anchor_of, decide
from redraft.errors import InputError, UsageError
from redraft.events import Corrected, Criticised, Decided, Drafted, Event, ModelCalled, Scored, Started, StoppedRun, ToolCalled, Verified
from redraft.loop import nothing_found, unexamined
from redraft.policies import policy_from_mapping
from redraft.policy import Policy
from redraft.records.reading import events_of
from redraft.stopping import Moment, status_of, stop
from redraft.trace import Record
from redraft.types import Decision, State, Status, Task, Turn, Usage

__all__ = ["Ended", "History", "grid", "history_of"]

STOPPING = frozenset(
    {"name", "summary", "source", "stops", "max_turns", "turns_by_kind", "auto_turns", "target", "rejections", "stable_change", "window", "budgets"}
)
"""Settings that a record of any other value of them can answer for."""
CONTROLLER = frozenset({"control", "accept", "guard"})
"""Settings that it can answer for up to the first decision that differs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Boundary:
    """What had been spent when a turn could begin, and whether a model was asked after it."""

    usage: Usage
    elapsed_seconds: float
    asked_later: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """A run as the pure rules see it: the draft's state, the turns that were taken, and the bill before each and at the end."""

    task: Task
    policy: Policy
    draft: str
    initial: State
    turns: tuple[Turn, ...]
    boundaries: tuple[_Boundary, ...]
    """One more than turns."""
    reason: str = ""
    """Why it really stopped; empty for an incomplete record."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How the run would have ended under other settings.

    `exact` is False where the record does not say: then `note` tells what would have been needed, and the other fields hold for the turns before it.
    `differs_at` is the first turn whose decision is another one, or None.
    """

    turns: int
    reason: str
    answer: str
    status: Status
    usage: Usage
    exact: bool = True
    differs_at: int | None = None
    note: str = ""


def history_of(records: Sequence[Record]) -> History:
    """The states, decisions and bills of a record of the loop.

    Raises:
        InputError: it is no record of a run, or of a strategy that is not the loop.
    """
    events = events_of(records)
    if not events or not isinstance(started := events[0], Started):
        raise InputError("this is no record of a run: it does not begin with its start")
    policy = policy_from_mapping(dict(started.policy), where="the policy of the record")
    if policy.strategy != "loop":
        raise InputError(f"the policy {policy.name!r} is not the loop: its records can be replayed one by one, not in a grid")
    reading = _Reading()
    for event in events[1:]:
        reading.take(event)
    if reading.initial is None:
        raise InputError("the record ends before its draft was examined")
    reading.boundary()
    last_asked = max((place for place, count in enumerate(reading.asked) if count), default=-1)
    boundaries = (dataclasses.replace(item, asked_later=last_asked >= place) for place, item in enumerate(reading.boundaries))
    end = events[-1].reason if isinstance(events[-1], StoppedRun) else ""
    return History(
        task=started.task, policy=policy, draft=reading.draft, initial=reading.initial, turns=tuple(reading.turns), boundaries=tuple(boundaries), reason=end
    )


def grid(histories: Iterable[History], policies: Sequence[Policy]) -> Iterator[tuple[Ended, ...]]:
    """For each history, how it would have ended under each policy.

    Raises:
        UsageError: a policy differs from the recorded one in a setting that decides what is called, not when to stop or what to keep.
    """
    plans: list[_Plan] = []
    made_for: tuple[Policy, str] | None = None
    for history in histories:
        if made_for is None or made_for != (history.policy, history.task.kind):
            made_for = (history.policy, history.task.kind)
            plans = [_plan(*made_for, policy) for policy in policies]
        yield tuple(_ended(history, plan) for plan in plans)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Plan:
    """A policy for one kind of task, and whether it makes the controller decide anew."""

    policy: Policy
    decides_anew: bool


def _plan(recorded: Policy, kind: str, policy: Policy) -> _Plan:
    changed = {item.name for item in dataclasses.fields(Policy) if getattr(policy, item.name) != getattr(recorded, item.name)}
    if others := changed - STOPPING - CONTROLLER:
        raise UsageError(f"{', '.join(sorted(others))}: a record answers for other stopping rules and controller settings only; replay it with --policy")
    return _Plan(policy=policy.for_kind(kind), decides_anew=bool(changed & CONTROLLER))


class _Reading:
    """Events of a run, taken one after the other, to the turns that they were."""

    def __init__(self) -> None:
        self.draft = ""
        self.initial: State | None = None
        self.turns: list[Turn] = []
        self.boundaries: list[_Boundary] = []
        self.asked: list[int] = [0]
        """Model calls of each turn; of the draft first."""
        self._retained = State(text="")
        self._usage: Usage = Usage()
        self._unpriced = False
        self._elapsed = 0.0
        self._problems: Criticised | None = None
        self._candidate: Corrected | None = None
        self._new: State | None = None

    def take(self, event: Event) -> None:
        match event:
            case ModelCalled() | ToolCalled():
                self._bill(event)
            case Drafted():
                self.draft = event.text
                self.initial = self._retained = unexamined(event.text)
            case Verified():
                self._verified(event)
            case Scored():
                self._scored(event)
            case Criticised():
                self._criticised(event)
            case Corrected():
                self._candidate = event
                same = {check.claim.id: check.claim.id for check in self._retained.checks}
                self._new = dataclasses.replace(self._retained, text=event.text, matching=same, vague=frozenset(), confirmed_flips=frozenset())
            case Decided():
                self._decided(event)
            case _:
                pass

    def boundary(self) -> None:
        self.boundaries.append(_Boundary(usage=self._usage, elapsed_seconds=self._elapsed))

    def _verified(self, event: Verified) -> None:
        state = State(
            text=event.text,
            checks=event.checks,
            evidence={item.id: item for item in event.evidence},
            matching=event.matching,
            vague=event.vague,
            confirmed_flips=event.confirmed_flips,
            parses=event.parses,
            refusal=event.refusal,
        )
        if event.turn == 0:
            self.initial = self._retained = state
        else:
            self._new = state

    def _scored(self, event: Scored) -> None:
        if event.turn == 0:
            self.initial = self._retained = dataclasses.replace(self._retained, scorecard=event.scorecard)
        elif self._new is not None:
            self._new = dataclasses.replace(self._new, scorecard=event.scorecard)

    def _criticised(self, event: Criticised) -> None:
        self._before_turn()
        self._problems = event
        if not event.problems:
            self.turns.append(nothing_found(self._retained, event.turn))
            self.asked.append(0)

    def _before_turn(self) -> None:
        while len(self.boundaries) <= len(self.turns):
            self.boundary()

    def _decided(self, event: Decided) -> None:
        problems = self._problems.problems if self._problems is not None else ()
        edits = self._candidate.edits if self._candidate is not None else ()
        new = self._new or self._retained
        self.turns.append(Turn(number=event.turn, problems=problems, candidate=new, decision=event.decision, edits=edits))
        self.asked.append(0)
        if event.decision.accepted:
            self._retained = new

    def _bill(self, event: ModelCalled | ToolCalled) -> None:
        usage: Usage = self._usage
        self._elapsed = max(self._elapsed, event.started_seconds + event.seconds)
        if isinstance(event, ToolCalled):
            self._usage = dataclasses.replace(usage, tool_calls=usage.tool_calls + 1, cost_usd=self._cost(event.cost_usd))
            return
        self.asked[-1] += 1
        reply = event.reply
        if reply is None:
            self._usage = dataclasses.replace(usage, llm_calls=usage.llm_calls + 1)
            return
        self._unpriced = self._unpriced or reply.cost_usd is None
        self._usage = dataclasses.replace(
            usage,
            llm_calls=usage.llm_calls + 1,
            input_tokens=usage.input_tokens + reply.input_tokens,
            output_tokens=usage.output_tokens + reply.output_tokens,
            cached_tokens=usage.cached_tokens + reply.cached_tokens,
            cost_usd=self._cost(reply.cost_usd),
        )

    def _cost(self, cost_usd: float | None) -> float | None:
        if self._unpriced:
            return None
        return self._usage.cost_usd if cost_usd is None else (self._usage.cost_usd or 0.0) + cost_usd


def _ended(history: History, plan: _Plan) -> Ended:
    policy = plan.policy
    state, taken, differs_at = history.initial, list[Turn](), None
    for place, boundary in enumerate(history.boundaries):
        moment = Moment(elapsed_seconds=boundary.elapsed_seconds)
        reason = stop(policy, state, taken, boundary.usage, moment)
        if reason is not None:
            return _end(history, taken, state, reason, boundary, differs_at=differs_at)
        if differs_at is not None:
            return _end(history, taken, state, "", boundary, differs_at=differs_at, note=f"turn {differs_at} is decided otherwise: what follows was not run")
        if place == len(history.turns):
            break
        turn = history.turns[place]
        if plan.decides_anew and turn.problems:
            decision, note = _decided_anew(policy, history, taken, state, turn, asked=history.boundaries[place + 1].asked_later)
            if note:
                return _end(history, taken, state, "", boundary, note=note)
            if decision.accepted != turn.decision.accepted:
                differs_at = turn.number
            turn = dataclasses.replace(turn, decision=decision)
        taken.append(turn)
        if turn.decision.accepted:
            state = turn.candidate
    return _end(history, taken, state, "", history.boundaries[-1], note=f"the record ends after {len(history.turns)} turns ({history.reason or 'incomplete'})")


def _decided_anew(policy: Policy, history: History, taken: Sequence[Turn], state: State, turn: Turn, *, asked: bool) -> tuple[Decision, str]:
    """The decision under other settings, and why it cannot be told."""
    decision = decide(policy, state, turn.candidate, turn.problems, anchor_of(policy, history.initial, taken, state))
    if decision.accepted and decision.rule == "gain" and policy.control.confirm:
        return decision, f"turn {turn.number} would need fresh scores to confirm a gain"
    unscored = turn.candidate.scorecard is None and state.scorecard is not None and turn.decision.rule == "hard_fail"
    if unscored and decision.rule != "hard_fail":
        return decision, f"turn {turn.number} would need a score of a candidate that failed before it was scored"
    retold = not decision.accepted and not turn.decision.accepted and (decision.reason or decision.rule) != (turn.decision.reason or turn.decision.rule)
    if retold and asked:
        return decision, f"turn {turn.number} is refused for another reason, which the model that went on was told"
    return decision, ""


def _end(history: History, taken: Sequence[Turn], state: State, reason: str, boundary: _Boundary, *, differs_at: int | None = None, note: str = "") -> Ended:
    status = status_of(state if state.text.strip() else None, history.draft)
    return Ended(turns=len(taken), reason=reason, answer=state.text, status=status, usage=boundary.usage, exact=not note, differs_at=differs_at, note=note)
