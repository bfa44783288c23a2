"""What a list shows of a run, read from the run's own events, so that a stored row can be compared with the record behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal

__all__ = ["COLUMNS", "SHOWN_CHARACTERS", "Filters", "Page", "Progress", "RunRow", "Sort", "advanced"]

SHOWN_CHARACTERS = 500
"""How much of a query or an answer a row holds; all of both is in the record."""
Sort = Literal["started", "seconds", "cost_usd", "tokens", "llm_calls", "turns", "contradicted", "undecided", "status", "policy", "model"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """One run in a list. `status` is empty while the run goes on, and stays so where it was killed (`complete` is False)."""

    id: str
    started: float = 0.0
    """Seconds since 1970, UTC."""
    ended: float | None = None
    query: str = ""
    answer: str = ""
    kind: str = ""
    status: str = ""
    stop_reason: str = ""
    policy: str = ""
    policy_hash: str = ""
    model: str = ""
    changed: bool = False
    supported: int = 0
    contradicted: int = 0
    undecided: int = 0
    """Check-worthy claims of the retained text by verdict."""
    turns: int = 0
    llm_calls: int = 0
    tool_calls: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    events: int = 0
    bytes: int = 0
    """Of its lines and the long texts that it is the first to name."""
    complete: bool = False
    trace_hash: str = ""
    """Hash of its last record."""
    tags: tuple[str, ...] = ()

    @property
    def started_at(self) -> str:
        """The start in ISO 8601, UTC."""
        return datetime.fromtimestamp(self.started, UTC).isoformat(timespec="seconds")


COLUMNS: tuple[str, ...] = (
    "id", "started", "ended", "query", "answer", "kind", "status", "stop_reason", "policy", "policy_hash", "model", "changed", "supported", "contradicted",
    "undecided", "turns", "llm_calls", "tool_calls", "tokens", "cost_usd", "seconds", "events", "bytes", "complete", "trace_hash", "tags",
)  # fmt: skip
"""Fields of a row as the table has them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """Which runs a list shows; None and empty do not filter, several values of one field are alternatives."""

    status: Sequence[str] = ()
    stop_reason: Sequence[str] = ()
    policy: Sequence[str] = ()
    model: Sequence[str] = ()
    kind: Sequence[str] = ()
    tag: str = ""
    changed: bool | None = None
    complete: bool | None = None
    contradicted: bool | None = None
    """Whether a claim of the returned answer is still contradicted."""
    undecided: bool | None = None
    since: float | None = None
    """Seconds since 1970."""
    until: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A part of a list; `next` is the cursor of the part that follows, or None at the end."""

    rows: tuple[RunRow, ...]
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Counts:
    supported: int = 0
    contradicted: int = 0
    undecided: int = 0


class Progress:
    """A row while it is being read from events: its values, those that changed since they were last written, and what is needed to read on."""

    def __init__(self, run_id: str) -> None:
        self.values: dict[str, Any] = {**_DEFAULTS, "id": run_id}
        self.changed: set[str] = set(COLUMNS)
        self.query = self.answer = self.draft = self.candidate = ""
        self.checks: dict[str, _Counts] = {}
        """Verdicts by text."""

    @property
    def row(self) -> RunRow:
        return RunRow(**self.values)

    def set(self, **values: Any) -> None:
        for name, value in values.items():
            if self.values[name] != value:
                self.values[name] = value
                self.changed.add(name)


_DEFAULTS: Mapping[str, Any] = {item.name: item.default for item in fields(RunRow)}


def advanced(progress: Progress, payload: Mapping[str, Any], at: str, digest: str, size: int) -> None:
    """Read one more event into the row."""
    values = progress.values
    progress.set(events=values["events"] + 1, bytes=values["bytes"] + size, trace_hash=digest, ended=_seconds(at))
    match payload.get("type"):
        case "started":
            _started(progress, payload, at)
        case "drafted":
            progress.draft = str(payload["text"])
            _answered(progress, progress.draft)
        case "verified":
            progress.checks[payload["text"]] = _counted(payload["checks"])
            _answered(progress, progress.answer)
        case "corrected":
            progress.candidate = str(payload["text"])
        case "decided":
            progress.set(turns=int(payload["turn"]))
            if payload["decision"]["accepted"]:
                _answered(progress, progress.candidate)
        case "model_called":
            reply = payload["reply"]
            tokens = int(reply["input_tokens"]) + int(reply["output_tokens"]) if reply else 0
            progress.set(llm_calls=values["llm_calls"] + 1, tokens=values["tokens"] + tokens)
        case "tool_called":
            progress.set(tool_calls=values["tool_calls"] + 1)
        case "stopped":
            _stopped(progress, payload)
        case _:
            pass


def _started(progress: Progress, payload: Mapping[str, Any], at: str) -> None:
    task, models, policy = payload["task"], payload["models"], payload["policy"]
    progress.query = str(task["query"])
    progress.set(
        started=_seconds(at),
        query=progress.query[:SHOWN_CHARACTERS],
        kind=str(task["kind"]),
        policy=str(policy.get("name", "")),
        policy_hash=str(payload["policy_hash"]),
        model=str(models.get("writer", "")),
    )


def _stopped(progress: Progress, payload: Mapping[str, Any]) -> None:
    usage = payload["usage"]
    _answered(progress, str(payload["answer"]))
    progress.set(
        status=str(payload["status"]),
        stop_reason=str(payload["reason"]),
        llm_calls=int(usage["llm_calls"]),
        tool_calls=int(usage["tool_calls"]),
        tokens=int(usage["input_tokens"]) + int(usage["output_tokens"]),
        cost_usd=usage["cost_usd"],
        seconds=float(usage["seconds"]),
        complete=True,
    )


def _answered(progress: Progress, answer: str) -> None:
    progress.answer = answer
    counts = progress.checks.get(answer, _Counts())
    progress.set(
        answer=answer[:SHOWN_CHARACTERS],
        changed=answer != progress.draft,
        supported=counts.supported,
        contradicted=counts.contradicted,
        undecided=counts.undecided,
    )


def _counted(checks: Sequence[Mapping[str, Any]]) -> _Counts:
    counts = {"supported": 0, "contradicted": 0, "undecided": 0}
    for check in checks:
        status = str(check["status"])
        name = "undecided" if status in ("insufficient", "unavailable") else status
        if name == "contradicted" or (name in counts and check["claim"]["checkworthy"]):
            counts[name] += 1
    return _Counts(**counts)


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
