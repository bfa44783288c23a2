"""Recorded series of attempts, run through the real loop again: the recorded answers are what the model proposes, the recorded verdicts what checks say.

That a run which stops early is the exact prefix of the one that goes on to its hard cap is checked on them: state, usage and log.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from redraft.effects import Effects
from redraft.errors import InputError
from redraft.events import Event, ModelCalled, Started, StoppedRun, ToolCalled
from redraft.policies import DYNAMIC, POLICIES
from redraft.policy import Policy, StopReason, with_turns
from redraft.protocols import Route
from redraft.refiner import Refiner
from redraft.tools.scripted import ScriptedTool, page
from redraft.types import DIMENSIONS, Ability, Check, Claim, Evidence, ModelReply, ModelRequest, Outcome, Task, ToolCall, ToolResult, Verdict

__all__ = ["HISTORY_RULES", "LOOP_POLICIES", "Replayed", "Series", "difference", "dynamic_policies", "hotpot_series", "replayed"]

HISTORY_RULES: tuple[StopReason, ...] = (
    "nothing_to_check", "verified", "no_problem", "target", "unchanged", "cycle", "rejections", "stagnation", "stable",
)  # fmt: skip
"""Stop rules that look at the history alone, and so promise an exact prefix."""
LOOP_POLICIES = tuple(name for name, policy in POLICIES.items() if policy.strategy == "loop" and policy.max_turns > 0)
SOURCE = "The record says so of this attempt."


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """The answers of several attempts at one question, and whether each was recorded as right."""

    id: str
    query: str
    answers: tuple[str, ...]
    right: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """One run over a series: what came out, and its events but for the header."""

    outcome: Outcome
    events: tuple[Event, ...]


def hotpot_series(data: Path, *, every: int = 1) -> list[Series]:
    """The recorded trajectories on HotpotQA questions; `every` n-th of them.

    Raises:
        InputError: the data are not there.
    """
    path = data / "reflexion_hotpot" / "trajectories.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except OSError as error:
        raise InputError(f"cannot read the recorded data {path}: {error.strerror or error}") from None
    found: list[Series] = []
    for row in rows[::every]:
        trials = [trial for trial in row["trials"] if (trial["answer"] or "").strip()]
        if trials:
            answers = tuple(trial["answer"].strip() for trial in trials)
            right = tuple(trial["recorded"] == "correct" for trial in trials)
            found.append(Series(id=f"{row['strategy']}/{row['id']}", query=row["question"], answers=answers, right=right))
    return found


def dynamic_policies(name: str, turns: int) -> list[Policy]:
    """The policy with each rule about the history switched on alone, with its own rules, and with those that make `controlled` dynamic."""
    base = with_turns(POLICIES[name], turns)
    sets: list[tuple[StopReason, ...]] = [(rule, "hard_cap") for rule in HISTORY_RULES]
    sets += [tuple(dict.fromkeys((*base.stops, "hard_cap"))), DYNAMIC]
    return [dataclasses.replace(base, stops=stops) for stops in sets]


def replayed(series: Series, policy: Policy) -> Replayed:
    """Run the series under a policy, from its first answer on."""
    events: list[Event] = []
    model = _Recorded(series)
    refiner = Refiner(
        model,
        tools=[ScriptedTool(lambda call: page(call, SOURCE, source="record"))],
        policy=policy,
        evaluator=model if policy.evaluator == "on" else None,
        planner=_RecordedChecks(series, safety=policy.checks == "safety"),
        clock=_StandingClock(),
        on_event=events.append,
        calibration="none",
        oracle=_verdicts(series).__getitem__ if policy.oracle else None,
    )
    outcome = asyncio.run(refiner.revise(Task(query=series.query), series.answers[0]))
    return Replayed(outcome=outcome, events=tuple(event for event in events if not isinstance(event, Started)))


def difference(dynamic: Replayed, whole: Replayed) -> str:
    """In what the dynamic run is not the exact prefix of the hard-cap run; empty if it is. Payloads are compared, without header, stop event and times."""
    log, full = _payloads(dynamic.events), _payloads(whole.events)
    if log != full[: len(log)]:
        return "log"
    turns = len(dynamic.outcome.turns)
    if dynamic.outcome.turns != whole.outcome.turns[:turns]:
        return "turns"
    kept = [turn.candidate.text for turn in whole.outcome.turns[:turns] if turn.decision.accepted]
    if dynamic.outcome.answer != (kept[-1] if kept else whole.outcome.draft):
        return "state"
    spent = dynamic.outcome.usage
    if (spent.llm_calls, spent.tool_calls, spent.input_tokens, spent.output_tokens) != _spent(whole.events[: len(log)]):
        return "usage"
    return ""


def _payloads(events: Sequence[Event]) -> list[Mapping[str, Any]]:
    times = ("started_seconds", "seconds")
    return [{key: value for key, value in event.payload().items() if key not in times} for event in events if not isinstance(event, StoppedRun)]


def _spent(events: Sequence[Event]) -> tuple[int, int, int, int]:
    models = [event for event in events if isinstance(event, ModelCalled)]
    replies = [event.reply for event in models if event.reply is not None]
    tools = sum(isinstance(event, ToolCalled) for event in events)
    return len(models), tools, sum(reply.input_tokens for reply in replies), sum(reply.output_tokens for reply in replies)


def _verdicts(series: Series) -> dict[str, bool]:
    """What was recorded of each text; of equal texts the first, as equal texts have equal verdicts."""
    return {text: right for text, right in reversed(list(zip(series.answers, series.right, strict=True)))}


class _StandingClock:
    """Time stands still: a replay takes no time that a rule could look at."""

    def now(self) -> Any:
        from datetime import UTC, datetime

        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


class _RecordedChecks:
    """A planner whose one claim is the whole answer, and whose verdict is the recorded one."""

    name = "recorded"

    def __init__(self, series: Series, *, safety: bool) -> None:
        self._series, self._safety, self._verdicts = series, safety, _verdicts(series)

    async def plan(self, task: Task, text: str, effects: Effects, known: Mapping[str, Check]) -> tuple[Route, ...]:
        right = self._verdicts.get(text.strip(), False)
        score = _score(self._series, text)
        claim = Claim(id="answer", text=text, span=(0, len(text)), focus=(0, len(text)), kind="safety" if self._safety else "fact", importance=3)
        call = ToolCall(tool="search", input=f"{self._series.query} {text}")

        def decide(results: Sequence[ToolResult]) -> Verdict | None:
            value = f"{1 - score / 100:.4f}" if self._safety else ""
            evidence = Evidence(tool="search", input=call.input, text=SOURCE, source="record", value=value)
            return Verdict(status="supported" if right else "contradicted", method="executed", confidence=1.0, evidence=(evidence,), note="as recorded")

        return (Route(claim=claim, calls=(call,), decide=decide),)


def _score(series: Series, text: str) -> float:
    """A score for a text that an evaluator might have given: above 90 where it was recorded as right, else anywhere below; always the same."""
    spread = int(hashlib.sha256(f"{series.id}\x1f{text}".encode()).hexdigest()[:4], 16) % 50
    return 92.0 + spread / 10 if _verdicts(series).get(text.strip(), False) else 30.0 + spread


class _Recorded:
    """A model that proposes the recorded answers, one after the other, in whatever form it is asked for one, and criticises the latest by the record."""

    name = "recorded"
    ability: Ability = "capable"

    def __init__(self, series: Series) -> None:
        self._series = series
        self._at = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        schema: Mapping[str, Any] = (request.schema or {}).get("properties", {})
        text = json.dumps(self._reply(request.role, schema), ensure_ascii=False)
        words = sum(len(message.content.split()) for message in request.messages)
        return ModelReply(text=text, input_tokens=words, output_tokens=len(text.split()), cost_usd=0.0, model=self.name)

    async def close(self) -> None:
        """Nothing to release."""

    def _reply(self, role: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        latest = self._series.answers[self._at]
        right = self._series.right[self._at]
        if role == "evaluator":
            score = _score(self._series, latest)
            ratings = [{"dimension": name, "score": score, "reason": "as recorded", "quote": latest} for name in DIMENSIONS]
            return {"ratings": ratings, "defects": [], "decision": "accept"}
        if "text" in schema:
            return {"edits": [], "text": self._next()}
        if "aspects" in schema:
            return {"aspects": [{"aspect": "truth", "satisfied": right, "feedback": "It was recorded as wrong."}]}
        if "problems" in schema:
            return {"verdict": "right" if right else "wrong", "problems": []}
        if "claim" in schema:
            return {"claim": latest, "tool": "search", "input": f"{self._series.query} {self._at}"}
        if "truthful" in schema:
            said: Literal["yes", "no"] = "yes" if right else "no"
            answer = latest if right else self._next()
            return {"action": "finding", "plausible": said, "truthful": said, "problem": "" if right else "It was recorded as wrong.", "answer": answer}
        return {"verdict": "supported" if right else "contradicted", "quote": SOURCE, "problem": "It was recorded as wrong."}

    def _next(self) -> str:
        self._at = min(self._at + 1, len(self._series.answers) - 1)
        return self._series.answers[self._at]
