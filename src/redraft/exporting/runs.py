"""A record as one value that every export reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redraft.errors import InputError
from redraft.events import Corrected, Criticised, Decided, Drafted, Event, ModelCalled, Scored, Started, StoppedRun, ToolCalled, Verified
from redraft.records import Records
from redraft.records.reading import events_of
from redraft.trace import Record
from redraft.types import Check, Decision, Edit, Evidence, Method, Problem, Scorecard, Task, Usage

__all__ = ["EXACT", "Reading", "Run", "Text", "Turn", "read_runs", "run_of"]

EXACT: frozenset[Method] = frozenset({"computed", "executed", "quoted"})
"""Ways of deciding that take no model's word for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A text of a run with what was found about it."""

    text: str
    checks: tuple[Check, ...] = ()
    scorecard: Scorecard | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One turn: what was to be mended in which text, the rewrite, and what became of it."""

    number: int
    retained: Text
    problems: tuple[Problem, ...]
    candidate: Text
    edits: tuple[Edit, ...]
    decision: Decision


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A complete run."""

    id: str
    at: str
    """When it began, ISO 8601."""
    ended: str
    task: Task
    policy: Mapping[str, Any]
    policy_hash: str
    models: Mapping[str, str]
    seed: int
    draft: Text
    final: Text
    turns: tuple[Turn, ...]
    calls: tuple[ModelCalled | ToolCalled, ...]
    evidence: Mapping[str, Evidence]
    reason: str
    status: str
    usage: Usage
    trace_hash: str
    hashes: tuple[tuple[str, str], ...]
    """Type and hash of every event."""


def read_runs(records: Records, ids: Iterable[str]) -> Iterator[Run]:
    """The complete ones of these runs, intact ones only.

    Raises:
        InputError: a run is not there, or its record does not verify; it is named.
    """
    for name in ids:
        row = records.get(name)
        found = records.verify(row.id)
        if not found.ok:
            raise InputError(f"run {row.id} is not exported: {found.problem}")
        if found.complete:
            yield run_of(row.id, records.events(row.id))


def run_of(run_id: str, records: Sequence[Record]) -> Run:
    """The run of a record.

    Raises:
        InputError: it is no record of a complete run.
    """
    events = events_of(records)
    if not events or not isinstance(started := events[0], Started) or not isinstance(stopped := events[-1], StoppedRun):
        raise InputError(f"{run_id} is no complete run: it has no start or no end")
    reading = Reading()
    for event in events:
        reading.take(event)
    final = reading.texts.get(stopped.answer, Text(text=stopped.answer))
    return Run(
        id=run_id,
        at=records[0].at,
        ended=records[-1].at,
        task=started.task,
        policy=started.policy,
        policy_hash=started.policy_hash,
        models=started.models,
        seed=started.seed,
        draft=reading.texts.get(reading.draft, Text(text=reading.draft)),
        final=final,
        turns=tuple(reading.turns),
        calls=tuple(event for event in events if isinstance(event, ModelCalled | ToolCalled)),
        evidence=reading.evidence,
        reason=stopped.reason,
        status=stopped.status,
        usage=stopped.usage,
        trace_hash=records[-1].hash,
        hashes=tuple((event.type, record.hash) for event, record in zip(events, records, strict=True)),
    )


class Reading:
    """Events, taken one after the other, of a run that may still go on. A text that was not verified again has the checks it had."""

    def __init__(self) -> None:
        self.draft = ""
        self.texts: dict[str, Text] = {}
        self.turns: list[Turn] = []
        self.evidence: dict[str, Evidence] = {}
        self.retained = Text(text="")
        self.last = ""
        self.problems: tuple[Problem, ...] = ()
        self.candidate = Corrected(turn=0, text="")

    def take(self, event: Event) -> None:
        match event:
            case Drafted():
                self.draft = self.last = event.text
                self.retained = Text(text=event.text)
            case Verified():
                self.evidence |= {item.id: item for item in event.evidence}
                self.last = event.text
                self._known(Text(text=event.text, checks=event.checks))
            case Scored():
                known = self.texts.get(self.last, Text(text=self.last))
                self._known(Text(text=known.text, checks=known.checks, scorecard=event.scorecard))
            case Criticised():
                self.problems = event.problems
            case Corrected():
                self.candidate, self.last = event, event.text
            case Decided():
                self._decided(event)
            case _:
                pass

    def _known(self, text: Text) -> None:
        self.texts[text.text] = text
        if text.text == self.retained.text:
            self.retained = text

    def _decided(self, event: Decided) -> None:
        new = self.texts.get(self.candidate.text, Text(text=self.candidate.text))
        self.turns.append(
            Turn(
                number=event.turn,
                retained=self.retained,
                problems=self.problems,
                candidate=new,
                edits=self.candidate.edits,
                decision=event.decision,
            )
        )
        if event.decision.accepted:
            self.retained = new
