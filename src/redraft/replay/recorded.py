"""Model, tools and clock that answer from a record, by the key of each call.

Calls that ran together end in the order they ended in then: each waits until no branch of the run has anything else to do, and then the one that ended
first goes on. So branches that share a call, or a budget, meet as they met.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from redraft import errors
from redraft.course import charge, failing
from redraft.effects import Effects, call_key
from redraft.errors import ModelError, Stopped
from redraft.events import Event, ModelCalled, ToolCalled
from redraft.protocols import Model, Tool
from redraft.types import Ability, ModelReply, ModelRequest, ToolCall, ToolResult

__all__ = ["RESOURCES", "Calls", "Needed", "NeedsCall", "RecordedClock", "RecordedEffects", "RecordedModel", "RecordedTool"]

RESOURCES = frozenset({"cancelled", "deadline", "token_budget", "cost_budget", "call_budget", "breaker_open"})
"""Stop reasons that come from the world, not from the history of the run."""
_QUIET_ROUNDS = 12
"""Rounds of the event loop after which all branches that had something to do have done it: a chain of awaits takes one round for each link."""
_PATIENT_ROUNDS, _PATIENCE_SECONDS = 5, 0.01
"""How long a call that is not in the record waits for branches whose work is done in a thread."""
_EXCERPT = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Needed:
    """The call that a replay would have had to make: the record has no answer to it."""

    kind: str
    """`model` or `tool`."""
    name: str
    """Role of the request, or the tool."""
    excerpt: str
    """The beginning of what would have been asked: the last message, or the tool's input."""
    key: str
    turn: int
    """The turn that it belongs to; 0 is the draft."""

    def in_words(self) -> str:
        what = f"a {self.name} call of the model" if self.kind == "model" else f"a call of {self.name}"
        return f"turn {self.turn} needs {what} that was not recorded: {self.excerpt!r}"


class NeedsCall(Exception):  # a signal, not an error
    """The record does not reach further."""

    def __init__(self, needed: Needed) -> None:
        self.needed = needed
        super().__init__(needed.in_words())


class RecordedClock:
    """The time as it passed then: it stands still but for the calls, and starts at the start of the record. Once live, real time is added."""

    def __init__(self, began: datetime) -> None:
        self._began = began
        self._elapsed = 0.0
        self._live_since: float | None = None

    def now(self) -> datetime:
        return self._began + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return self._elapsed + (time.monotonic() - self._live_since if self._live_since is not None else 0.0)

    def advance_to(self, seconds: float) -> None:
        self._elapsed = max(self._elapsed, seconds)

    def go_live(self) -> None:
        if self._live_since is None:
            self._live_since = time.monotonic()


class Calls:
    """The recorded calls of a run by key, each given out once and in order; and the order in which they end."""

    def __init__(self, events: Sequence[Event], clock: RecordedClock) -> None:
        self.clock = clock
        self._left: dict[str, deque[ModelCalled | ToolCalled]] = defaultdict(deque)
        self._ending: list[tuple[float, int, asyncio.Future[None]]] = []
        self._asked = 0
        self._pump: asyncio.Task[None] | None = None
        for event in events:
            if isinstance(event, ModelCalled):
                self._take(f"{call_key(event.request)}@{event.model}", event)
            elif isinstance(event, ToolCalled):
                self._take(call_key(event.call), event)

    def _take(self, key: str, event: ModelCalled | ToolCalled) -> None:
        """Under its own key, and under the one that the run used, where a shield had changed what is recorded."""
        self._left[key].append(event)
        if event.key != key:
            self._left[event.key].append(event)

    def has(self, key: str) -> bool:
        return bool(self._left.get(key))

    async def next(self, key: str) -> ModelCalled | ToolCalled:
        """The recorded call, when its time has come."""
        event = self._left[key].popleft()
        self._asked += 1
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._ending, (event.started_seconds + event.seconds, self._asked, ended))
        if self._pump is None or self._pump.done():
            self._pump = asyncio.create_task(self._let_end())
        await ended
        self.clock.advance_to(event.started_seconds + event.seconds)
        return event

    async def all_ended(self) -> None:
        """Wait until no call is under way and no branch has one to make: then all that was spent before a refusal is spent."""
        asked = -1
        while asked != self._asked or self._ending:
            asked = self._asked
            if self._pump is not None and not self._pump.done():
                await asyncio.wait([self._pump])
            for _ in range(_PATIENT_ROUNDS):
                await asyncio.sleep(_PATIENCE_SECONDS)

    async def _let_end(self) -> None:
        while self._ending:
            asked = -1
            while asked != self._asked:  # somebody may still be about to ask
                asked = self._asked
                for _ in range(_QUIET_ROUNDS):
                    await asyncio.sleep(0)
            _, _, first = heapq.heappop(self._ending)
            if not first.done():
                first.set_result(None)


class RecordedModel:
    """Replies as they were recorded, failures too."""

    def __init__(self, name: str, ability: Ability, calls: Calls, live: Model | None = None) -> None:
        self.name = name
        self.ability: Ability = ability
        self._calls = calls
        self._live = live

    async def complete(self, request: ModelRequest) -> ModelReply:
        key = f"{call_key(request)}@{self.name}"
        if not self._calls.has(key) and self._live is not None:
            self._calls.clock.go_live()
            return await self._live.complete(request)
        event = await self._calls.next(key)
        assert isinstance(event, ModelCalled)
        if event.reply is None:
            kind = getattr(errors, event.error_type, ModelError)
            raise (kind if isinstance(kind, type) and issubclass(kind, ModelError) else ModelError)(event.error)
        return event.reply

    async def close(self) -> None:
        """Nothing to release: a live model belongs to whoever opened it."""


class RecordedTool:
    """Results as they were recorded, with what they cost and what failed on the way."""

    def __init__(self, name: str, summary: str, calls: Calls, live: Tool | None = None) -> None:
        self.name = name
        self.timeout_seconds = live.timeout_seconds if live is not None else 3600.0
        self.summary = summary
        self.down = False
        self._calls = calls
        self._live = live

    async def run(self, call: ToolCall) -> ToolResult:
        key = call_key(call)
        if not self._calls.has(key) and self._live is not None:
            self._calls.clock.go_live()
            return await self._live.run(call)
        event = await self._calls.next(key)
        assert isinstance(event, ToolCalled)
        if event.cost_usd is not None:
            charge(event.cost_usd)
        for failure in event.failed:
            failing(failure)
        return event.failure if event.failure is not None else event.evidence

    async def close(self) -> None:
        """Nothing to release."""


class RecordedEffects(Effects):
    """Effects that say so when a call is not in the record, before it counts. `stopped`: the reason for which a call of the same run was not made then."""

    def __init__(self, *, calls: Calls, stopped: str, live: bool, **parts: Any) -> None:
        super().__init__(**parts)
        self._calls = calls
        self._stopped = stopped
        self._live = live
        self.turn = 0

    async def _ask(self, model: Model, request: ModelRequest, key: str) -> ModelReply:
        self._guard(model_call=True)
        if not self._calls.has(key) and not self._live:
            await self._calls.all_ended()
            self._guard(model_call=True)
            self._missing(Needed(kind="model", name=request.role, excerpt=request.messages[-1].content[:_EXCERPT], key=key, turn=self.turn))
        return await super()._ask(model, request, key)

    async def _use(self, call: ToolCall, key: str) -> ToolResult:
        if call.tool in self.known and not self._calls.has(key) and not self._live:
            self._guard(model_call=False, tool=call.tool)
            await self._calls.all_ended()
            self._guard(model_call=False, tool=call.tool)
            self._missing(Needed(kind="tool", name=call.tool, excerpt=call.input[:_EXCERPT], key=key, turn=self.turn))
        return await super()._use(call, key)

    @property
    def known(self) -> Mapping[str, Tool]:
        """Everything that can be called in this run, by name."""
        others = {"entailment": self.entailment, "oracle": self.oracle, "memory": self.memory}
        return {**self.tools, **{name: tool for name, tool in others.items() if tool is not None}}

    def _missing(self, needed: Needed) -> None:
        if self._stopped:
            raise Stopped(self._stopped)
        raise NeedsCall(needed)
