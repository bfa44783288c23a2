"""What a list shows of a run, read from the run's own events, so that a stored row can be compared with the record behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

__all__ = ["COLUMNS", "SHOWN_CHARACTERS", "Filters", "Page", "RunRow", "Sort", "advanced"]

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


@dataclass(kw_only=True, slots=True)
class Progress:
    """A row with what is needed to go on reading events: texts in full, and the checks of the last candidate."""

    row: RunRow
    draft: str = ""
    query: str = ""
    answer: str = ""
    checks: dict[str, _Counts] = field(default_factory=dict[str, _Counts])
    """Verdicts by text."""
    candidate: str = ""


def advanced(progress: Progress, payload: Mapping[str, Any], at: str, digest: str, size: int) -> None:
    """Read one more event into the row."""
    row = replace(progress.row, events=progress.row.events + 1, bytes=progress.row.bytes + size, trace_hash=digest, ended=_seconds(at))
    match payload.get("type"):
        case "started":
            task = payload["task"]
            progress.query = str(task["query"])
            models, policy = payload["models"], payload["policy"]
            row = replace(
                row,
                started=_seconds(at),
                query=progress.query[:SHOWN_CHARACTERS],
                kind=str(task["kind"]),
                policy=str(policy.get("name", "")),
                policy_hash=str(payload["policy_hash"]),
                model=str(models.get("writer", "")),
            )
        case "drafted":
            progress.draft = str(payload["text"])
            row = _answered(progress, row, progress.draft)
        case "verified":
            progress.checks[payload["text"]] = _counted(payload["checks"])
            row = _answered(progress, row, progress.answer)
        case "corrected":
            progress.candidate = str(payload["text"])
        case "decided":
            row = replace(row, turns=int(payload["turn"]))
            if payload["decision"]["accepted"]:
                row = _answered(progress, row, progress.candidate)
        case "model_called":
            reply = payload["reply"]
            tokens = int(reply["input_tokens"]) + int(reply["output_tokens"]) if reply else 0
            row = replace(row, llm_calls=row.llm_calls + 1, tokens=row.tokens + tokens)
        case "tool_called":
            row = replace(row, tool_calls=row.tool_calls + 1)
        case "stopped":
            row = _stopped(progress, row, payload)
        case _:
            pass
    progress.row = row


def _stopped(progress: Progress, row: RunRow, payload: Mapping[str, Any]) -> RunRow:
    usage = payload["usage"]
    row = _answered(progress, row, str(payload["answer"]))
    return replace(
        row,
        status=str(payload["status"]),
        stop_reason=str(payload["reason"]),
        llm_calls=int(usage["llm_calls"]),
        tool_calls=int(usage["tool_calls"]),
        tokens=int(usage["input_tokens"]) + int(usage["output_tokens"]),
        cost_usd=usage["cost_usd"],
        seconds=float(usage["seconds"]),
        complete=True,
    )


def _answered(progress: Progress, row: RunRow, answer: str) -> RunRow:
    progress.answer = answer
    counts = progress.checks.get(answer, _Counts())
    return replace(
        row,
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
