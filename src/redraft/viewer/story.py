"""One run, as its page tells it: from the record alone, as far as the record is intact."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from redraft.errors import InputError
from redraft.events import Event, ModelCalled, Started, StoppedRun, ToolCalled
from redraft.exporting.runs import Reading, Text, Turn
from redraft.records import Records, RunRow
from redraft.records.reading import event_of
from redraft.trace import Record, Verification, read_jsonl, verify
from redraft.types import Evidence, Problem, Task, Usage
from redraft.viewer.figures import CallLine, Figure, calls_of, figures_of, summed
from redraft.viewer.reason import Reason, reason_of
from redraft.viewer.showing import Card, Difference, cards_of, difference

__all__ = ["GOES_ON_SECONDS", "Story", "TurnView", "read_story", "stored_events", "verified"]

GOES_ON_SECONDS = 600.0
"""A record without an end whose last event is older was left by a run that was killed."""


LARGEST_BYTES = 64 << 20
"""Of a record that a page is made of."""
NO_TEXT, UNCHANGED, NO_REASON = Text(text=""), Difference(pieces=(), same=True), Reason(sentence="", changed=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnView:
    """One turn: what was found wrong, what the rewrite changes, and what was decided by which figures."""

    turn: Turn
    problems: tuple[tuple[Problem, tuple[Card, ...]], ...]
    change: Difference
    figures: tuple[Figure, ...]
    counts: tuple[tuple[str, int, int], ...]
    """Name, before, after: claims contradicted, citations, lost."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Story:
    """Everything that the page of a run shows. Without a start event `task` is None, and nothing of the run can be told."""

    row: RunRow
    verification: Verification
    goes_on: bool
    """Whether more events may come."""
    task: Task | None = None
    policy: Mapping[str, Any] = field(default_factory=dict[str, Any])
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    has_draft: bool = False
    given: bool = False
    draft: Text = NO_TEXT
    final: Text = NO_TEXT
    change: Difference = UNCHANGED
    reason: Reason = NO_REASON
    turns: tuple[TurnView, ...] = ()
    waiting: tuple[Problem, ...] = ()
    """Problems of a turn that has not been decided yet."""
    calls: tuple[CallLine, ...] = ()
    calls_said: str = ""
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    usage: Usage | None = None
    events: tuple[tuple[Record, str], ...] = ()
    """Every intact record with its kind."""
    unread: int = 0
    """Events of kinds that this version does not know."""

    @property
    def damaged(self) -> bool:
        return not self.verification.ok

    def text(self, key: str) -> Text | None:
        """A text of the run by its key: `draft`, `answer`, or `turn-N`."""
        if key == "draft":
            return self.draft
        if key == "answer":
            return self.final
        return next((view.turn.candidate for view in self.turns if key == f"turn-{view.turn.number}"), None)


def read_story(records: Records, run: str, now: float) -> Story:
    """The story of a run at this moment (seconds since 1970).

    Raises:
        InputError: there is no such run, or it is too large for a page.
    """
    row = records.get(run)
    if row.bytes > LARGEST_BYTES:
        raise InputError(f"this record has {row.bytes >> 20} MB, more than a page can show; redraft trace show {row.id} prints it event by event")
    found = verified(records, row)
    stored = stored_events(records, row.id, found)
    goes_on = found.ok and not found.complete and row.ended is not None and now - row.ended < GOES_ON_SECONDS
    return _told(row, found, stored, goes_on=goes_on)


def verified(records: Records, row: RunRow) -> Verification:
    """The result of re-hashing a run's record. Where it has events of a later version, its list entry cannot be compared, and the chain alone is."""
    try:
        found = records.verify(row.id)
        if found.ok or found.first_bad_seq is not None or not _read(records.events(row.id))[1]:
            return found
    except InputError:  # an event that is none of those known
        pass
    return verify(records.export(row.id), row.trace_hash or None)


def stored_events(records: Records, run: str, found: Verification) -> list[Record]:
    """The records of a run; of a damaged one those before the damage."""
    if found.ok or found.first_bad_seq is None:
        return records.events(run)
    lines = records.export(run).split(b"\n")
    ends = [place + 1 for place, line in enumerate(lines) if line and not _is_text(line)]
    for count in range(min(found.first_bad_seq, len(ends)), 0, -1):
        try:
            return read_jsonl(b"\n".join(lines[: ends[count - 1]]) + b"\n")
        except InputError:
            continue
    return []


def _is_text(line: bytes) -> bool:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "blob" in value


def _told(row: RunRow, found: Verification, stored: Sequence[Record], *, goes_on: bool) -> Story:
    events, unread = _read(stored)
    kinds = tuple((record, str(record.payload.get("type"))) for record in stored)
    if not events or not isinstance(started := events[0], Started):
        return Story(row=row, verification=found, goes_on=goes_on, events=kinds, unread=unread)
    reading = Reading()
    for event in events:
        reading.take(event)
    stopped = next((event for event in events if isinstance(event, StoppedRun)), None)
    draft = reading.texts.get(reading.draft, Text(text=reading.draft))
    final = reading.texts.get(stopped.answer, Text(text=stopped.answer, checks=_abiding(reading, stopped.answer))) if stopped else reading.retained
    calls = calls_of([event for event in events if isinstance(event, ModelCalled | ToolCalled)])
    initial: dict[str, float] = {str(name): score for name, score in draft.scorecard.scores.items()} if draft.scorecard else {}
    turns = tuple(_turn(turn, started.policy, initial, reading.evidence) for turn in reading.turns)
    decided = reading.turns[-1].number if reading.turns else 0
    return Story(
        row=row,
        verification=found,
        goes_on=goes_on,
        task=started.task,
        policy=started.policy,
        models=started.models,
        has_draft=any(event.type == "drafted" for event in events),
        given=any(getattr(event, "given", False) for event in events if event.type == "drafted"),
        draft=draft,
        final=final,
        change=difference(draft.text, final.text),
        reason=reason_of(reading.turns, final.checks, draft=draft.text, answer=final.text, ended=stopped is not None),
        turns=turns,
        waiting=reading.problems if any(event.type == "criticised" and getattr(event, "turn", 0) > decided for event in events) else (),
        calls=calls,
        calls_said=summed(calls),
        evidence=reading.evidence,
        usage=stopped.usage if stopped else None,
        events=kinds,
        unread=unread,
    )


def _abiding(reading: Reading, answer: str) -> tuple[Any, ...]:
    """The checks of the retained text, where the answer is that text in the form that the policy wants it shown in: their places may differ."""
    return reading.retained.checks if answer.startswith(reading.retained.text) and reading.retained.text else ()


def _read(stored: Sequence[Record]) -> tuple[list[Event], int]:
    """The events of the records, and how many are of a kind that this version does not know."""
    events: list[Event] = []
    unread = 0
    for record in stored:
        try:
            events.append(event_of(record.payload, record.seq))
        except InputError:
            unread += 1
    return events, unread


def _turn(turn: Turn, policy: Mapping[str, Any], initial: Mapping[str, float], evidence: Mapping[str, Evidence]) -> TurnView:
    numbers = {check.claim.id: number for number, check in enumerate(turn.retained.checks)}
    problems = tuple(
        (problem, cards_of(turn.retained, evidence, [numbers[problem.claim.id]] if problem.claim.id in numbers else [])) for problem in turn.problems[:40]
    )
    figures = turn.decision.figures
    before, after = figures.get("retained"), figures.get("candidate")
    counts: list[tuple[str, int, int]] = []
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key, name in (("contradicted", "contradicted claims"), ("citations", "wrong citations"), ("lost", "claims lost")):
            old, new = before.get(key, 0), after.get(key, 0)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            if old or new:
                counts.append((name, int(old), int(new)))  # pyright: ignore[reportUnknownArgumentType]
    return TurnView(
        turn=turn,
        problems=problems,
        change=difference(turn.retained.text, turn.candidate.text),
        figures=figures_of(figures, policy, initial),
        counts=tuple(counts),
    )
