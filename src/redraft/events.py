"""What happened in a run, as a tagged union of small immutable events. `EVENT_VERSION` changes when a payload does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, ClassVar

from redraft.types import Check, Decision, Edit, Evidence, Failure, ModelReply, ModelRequest, Problem, Scorecard, State, Task, ToolCall, Usage

__all__ = [
    "EVENT_VERSION",
    "Corrected",
    "Criticised",
    "Decided",
    "Drafted",
    "Event",
    "ModelCalled",
    "Scored",
    "Started",
    "StoppedRun",
    "ToolCalled",
    "Verified",
    "plain",
]

EVENT_VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """Base of all events. `type` is the tag under which it is stored; the payload is its fields."""

    type: ClassVar[str] = ""

    def payload(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return {"type": self.type, "version": EVENT_VERSION} | {f.name: plain(getattr(self, f.name)) for f in fields(self)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Started(Event):
    type: ClassVar[str] = "started"
    task: Task
    policy: Mapping[str, Any]
    policy_hash: str
    models: Mapping[str, str]
    tools: tuple[str, ...]
    seed: int
    setup: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What else a replay needs: `planner`, `abilities` of the models by part, `summaries` of the tools in their order, `evaluator` (whether one was given)."""
    prompts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`hash` over all prompt templates of the run, and the texts of those that were `replaced`, by name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelCalled(Event):
    """One model call; `reply` is None where it failed, and `error` says how in our words."""

    type: ClassVar[str] = "model_called"
    key: str
    model: str
    request: ModelRequest
    reply: ModelReply | None
    error: str = ""
    error_type: str = ""
    started_seconds: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCalled(Event):
    type: ClassVar[str] = "tool_called"
    key: str
    call: ToolCall
    evidence: tuple[Evidence, ...] = ()
    failure: Failure | None = None
    failed: tuple[Failure, ...] = ()
    """What failed on the way to the result, each once: tries that were repeated, and engines of a chain after which another was asked."""
    cost_usd: float | None = None
    """What it cost; None where nothing was charged or no price is known."""
    started_seconds: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Drafted(Event):
    type: ClassVar[str] = "drafted"
    text: str
    given: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified(Event):
    """What the checks of one text found, as the controller sees it (`types.State`): turn 0 is the draft."""

    type: ClassVar[str] = "verified"
    turn: int
    text: str
    checks: tuple[Check, ...]
    evidence: tuple[Evidence, ...] = ()
    matching: Mapping[str, str] = field(default_factory=dict[str, str])
    vague: frozenset[str] = frozenset()
    confirmed_flips: frozenset[str] = frozenset()
    parses: bool = True
    refusal: bool = False

    @classmethod
    def of(cls, turn: int, state: State) -> Verified:
        """The event for a state that was just verified."""
        return cls(
            turn=turn,
            text=state.text,
            checks=state.checks,
            evidence=tuple(state.evidence.values()),
            matching=state.matching,
            vague=state.vague,
            confirmed_flips=state.confirmed_flips,
            parses=state.parses,
            refusal=state.refusal,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored(Event):
    type: ClassVar[str] = "scored"
    turn: int
    scorecard: Scorecard


@dataclass(frozen=True, kw_only=True, slots=True)
class Criticised(Event):
    type: ClassVar[str] = "criticised"
    turn: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Corrected(Event):
    type: ClassVar[str] = "corrected"
    turn: int
    text: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided(Event):
    type: ClassVar[str] = "decided"
    turn: int
    decision: Decision


@dataclass(frozen=True, kw_only=True, slots=True)
class StoppedRun(Event):
    """The last event of every complete record."""

    type: ClassVar[str] = "stopped"
    reason: str
    status: str
    answer: str
    usage: Usage


_PLAIN = frozenset({str, int, float, bool, type(None)})


@cache
def _names_of(kind: type[Any]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))


def plain(value: Any) -> Any:
    """A value of this package as JSON values: mappings, lists, text, numbers."""
    kind = value.__class__  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if kind in _PLAIN:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _names_of(kind)}  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, frozenset | set):
        return sorted(plain(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value
