"""All that the loop asks of the outside. Whatever has these methods can be passed in; nothing is registered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from redraft.types import Ability, Check, Claim, ModelReply, ModelRequest, Plan, Task, ToolCall, ToolResult, Verdict

if TYPE_CHECKING:
    from redraft.effects import Effects
    from redraft.events import Event

__all__ = ["Clock", "Model", "Planner", "Route", "Tool", "TraceSink"]


@runtime_checkable
class Model(Protocol):
    """A language model. `ability` says what it may be asked: a `small` one drafts and chooses among given options, and never judges."""

    @property
    def name(self) -> str: ...

    @property
    def ability(self) -> Ability: ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer the request.

        Raises:
            ModelError: the call failed; a subclass says how.
        """
        ...

    async def close(self) -> None:
        """Release connections and processes; may be called twice."""
        ...


@runtime_checkable
class Tool(Protocol):
    """A source of evidence. It never raises: what goes wrong comes back as a `Failure`."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str:
        """One sentence for people and planners: what it answers and what its input looks like."""
        ...

    @property
    def timeout_seconds(self) -> float: ...

    async def run(self, call: ToolCall) -> ToolResult: ...

    async def close(self) -> None: ...


class Clock(Protocol):
    def now(self) -> datetime:
        """The present moment, with a time zone."""
        ...

    def monotonic(self) -> float:
        """Seconds since some fixed moment."""
        ...


class TraceSink(Protocol):
    def write(self, event: Event) -> None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """How one claim is to be checked: the calls to make, and the pure rule that reads their results.

    `decide` gets one result for each call, in order, and returns None where the results do not decide, so that a judge may look at them.
    `results` is given where the planner has run the calls already.
    """

    claim: Claim
    calls: tuple[ToolCall, ...] = ()
    plan: Plan = "rule"
    decide: Callable[[Sequence[ToolResult]], Verdict | None]
    results: tuple[ToolResult, ...] | None = None


class Planner(Protocol):
    """Finds the claims of a text and says how each is to be checked."""

    @property
    def name(self) -> str: ...

    async def plan(self, task: Task, text: str, effects: Effects, known: Mapping[str, Check]) -> tuple[Route, ...]:
        """Routes in the order of the text, one for each claim.

        `known` maps the text of claims already checked in this run to their checks: a planner need not look for calls for those.
        """
        ...
