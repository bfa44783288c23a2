"""A tool that fails well: `Guarded` wraps any tool with time-out, retry, rate limit, cache, single flight, circuit breaker and accounting.

An object of this class is meant to be kept for the life of the process and handed to every run: breaker, cache and limits are its own, so an outage
is paid for once and not by every run. It is bound to no event loop. Clock, sleep and jitter are injected; that, and results that are values instead of
exceptions, is why retry, rate, cache and breaker are the few lines beside this file and not four libraries that each bring a clock of their own.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from redraft.course import charge, failing, sound
from redraft.effects import SystemClock
from redraft.protocols import Clock, Tool
from redraft.tools.toolbox.breaker import Breaker
from redraft.tools.toolbox.cache import Key, ResultCache, Unseen
from redraft.tools.toolbox.queries import normal_query
from redraft.tools.toolbox.rate import Rate
from redraft.types import Failure, FailureKind, ToolCall, ToolResult

__all__ = ["GuardSettings", "Guarded", "Timing"]

T = TypeVar("T")

PROVIDERS_FAULT: frozenset[FailureKind] = frozenset({"timeout", "unreachable", "quota", "broken"})
"""Failures that count against the provider. A refused key, a bad query or a search without a hit says that it is there."""
MOST_PROVIDERS = 256


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardSettings:
    """How a tool is guarded. An outage costs at most `threshold` x `timeout_seconds`, once, and one time-out per probe after that."""

    timeout_seconds: float = 8.0
    """Of one try."""
    total_seconds: float = 30.0
    """Of one call, with waiting in line and retries."""
    retries: int = 2
    pause_seconds: float = 0.5
    """Before the first retry; doubled before each further one, with jitter. Where the provider says how long to wait, that holds instead."""
    longest_pause_seconds: float = 10.0
    """A provider that asks for a longer wait is not asked again until it is over: the failure says how long."""
    threshold: int = 5
    """Failures in a row that open the breaker, each try counted."""
    cooldown_seconds: float = 30.0
    longest_cooldown_seconds: float = 600.0
    concurrency: int = 4
    rate_per_second: float | None = None
    burst: int = 1
    ttl_seconds: float = 3600.0
    """How long a result holds; 0 keeps none."""
    empty_ttl_seconds: float = 300.0
    cached: int = 1024
    similarity: float | None = None
    """Share of content words in common from which another query's result is taken (`queries.likeness`, with its error); None: never.
    Only 1.0, the same words in the same order, is worth its error."""
    unseen: bool = False
    """Whether a further attempt leaves out the sources that earlier ones brought."""
    price_usd: float | None = None
    """Of one call; None: not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Timing:
    """The world's time, as it is injected."""

    clock: Clock = field(default_factory=SystemClock)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random  # spreads retries, keeps no secret
    """In [0, 1)."""


class _Late(Exception):
    """The time was up first."""


class _Lane:
    """What all calls to one provider share."""

    def __init__(self, settings: GuardSettings, clock: Clock) -> None:
        self.breaker = Breaker(
            clock, threshold=settings.threshold, cooldown_seconds=settings.cooldown_seconds, longest_cooldown_seconds=settings.longest_cooldown_seconds
        )
        self.rate = Rate(clock, settings.rate_per_second, settings.burst)
        self._concurrency = max(1, settings.concurrency)
        self._slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @property
    def slots(self) -> asyncio.Semaphore:
        """A semaphore belongs to the loop it is used in; loops follow one another where runs are started one by one."""
        return self._slots.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._concurrency))


@dataclass(slots=True)
class _Flight:
    """One call under way, and how many wait for it."""

    task: asyncio.Task[ToolResult]
    waiting: int = 0


class Guarded:
    """A tool around a tool: the same name, the same answers, and every failure in time, typed and in our words.

    `normal` brings an input to the form that the cache knows it by: `normal_query` for searches, `unchanged` where every character counts.
    `provider_of` names who answers a call, where that differs from call to call (the host of an address): each has its own breaker, rate and slots.
    """

    def __init__(
        self,
        tool: Tool,
        settings: GuardSettings | None = None,
        *,
        timing: Timing | None = None,
        normal: Callable[[str], str] = normal_query,
        provider_of: Callable[[ToolCall], str] | None = None,
    ) -> None:
        self.tool = tool
        self.settings = settings or GuardSettings()
        self.calls = 0
        """Calls made to this object."""
        self.upstream_calls = 0
        """Calls passed on to the tool, retries included."""
        self._timing = timing or Timing()
        self._normal = normal
        self._provider_of = provider_of
        self._cache = ResultCache(self._timing.clock, size=self.settings.cached, similarity=self.settings.similarity)
        self._unseen = Unseen(self.settings.cached)
        self._lanes: OrderedDict[str, _Lane] = OrderedDict()
        self._flights: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Key, _Flight]] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"<guarded {self.name}>"

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def summary(self) -> str:
        return self.tool.summary

    @property
    def timeout_seconds(self) -> float:
        """A little more than the guard itself allows, so that it is the guard that ends a call."""
        return self.settings.total_seconds + 1

    @property
    def down(self) -> bool:
        """Whether the breaker is open. Never for a tool with many providers: another one may answer."""
        lane = self._lanes.get("")
        return self._provider_of is None and lane is not None and lane.breaker.down

    @property
    def price_usd(self) -> float | None:
        """Of one call that goes out; None where it is not known."""
        return self.settings.price_usd

    @property
    def cost_usd(self) -> float | None:
        """What the calls so far cost; None where the price is not known."""
        if self.settings.price_usd is None:
            return None if self.upstream_calls else 0.0
        return self.settings.price_usd * self.upstream_calls

    async def run(self, call: ToolCall) -> ToolResult:
        """The tool's evidence, from memory where it still holds, or a typed failure. Equal calls under way at the same time are one call."""
        self.calls += 1
        key = (self._normal(call.input), max(0, call.attempt))
        result = self._cache.get(key)
        if result is None:
            result = await self._joined(key, call)
        if self.settings.unseen:
            result = self._unseen.fresh(key, call, result)
        return _relabelled(result, call)

    async def close(self) -> None:
        """Close the tool; what was learnt stays, and the object may be used again."""
        await self.tool.close()

    def forget(self) -> None:
        """Empty the cache."""
        self._cache.clear()
        self._unseen.clear()

    async def _joined(self, key: Key, call: ToolCall) -> ToolResult:
        """The call is a task of its own, so that a caller who gives up takes it from nobody; the last one to leave ends it."""
        flights = self._flights.setdefault(asyncio.get_running_loop(), {})
        flight = flights.get(key)
        if flight is None:
            flight = flights[key] = _Flight(asyncio.create_task(self._called(key, call)))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if flight.task.done() or not flight.waiting:
                flight.task.cancel()
                if flights.get(key) is flight:
                    del flights[key]

    async def _called(self, key: Key, call: ToolCall) -> ToolResult:
        try:
            result = await self._within(self.settings.total_seconds, self._tried(call))
        except _Late:
            return self._failure(call, "timeout", f"gave no answer within {self.settings.total_seconds:g} s, waiting in line included")
        if not isinstance(result, Failure):
            self._cache.put(key, result, self.settings.ttl_seconds)
        elif result.kind == "empty":
            self._cache.put(key, result, min(self.settings.ttl_seconds, self.settings.empty_ttl_seconds))
        return result

    async def _tried(self, call: ToolCall) -> ToolResult:
        lane = self._lane(call)
        began = self._timing.clock.monotonic()
        number = 0
        while True:
            result = await self._try(lane, call)
            pause = self._pause(result, number, lane)
            if pause is None or self._timing.clock.monotonic() - began + pause > self.settings.total_seconds:
                return result
            await self._timing.sleep(pause)
            number += 1

    def _lane(self, call: ToolCall) -> _Lane:
        name = self._provider_of(call) if self._provider_of else ""
        lane = self._lanes.get(name)
        if lane is None:
            lane = self._lanes[name] = _Lane(self.settings, self._timing.clock)
            if len(self._lanes) > MOST_PROVIDERS:
                self._lanes.popitem(last=False)
        self._lanes.move_to_end(name)
        return lane

    async def _try(self, lane: _Lane, call: ToolCall) -> ToolResult:
        if lane.breaker.down:  # before waiting in line, so that an outage keeps nobody
            return self._not_asked(lane, call)
        async with lane.slots:
            if lane.breaker.down:
                return self._not_asked(lane, call)
            if lane.rate.wait_seconds > self.settings.longest_pause_seconds:
                wait = lane.rate.wait_seconds
                return self._failure(call, "quota", f"is not to be asked for another {math.ceil(wait)} s", wait)
            await self._timing.sleep(lane.rate.take())
            admission = lane.breaker.admit()
            if admission == "refused":
                return self._not_asked(lane, call)
            try:
                result = await self._ask(call)
            except BaseException:  # given up from outside
                lane.breaker.released(admission)
                raise
            if isinstance(result, Failure) and result.kind in PROVIDERS_FAULT:
                lane.breaker.failed(admission)
                failing(result)
                if result.kind == "quota" and result.retry_after_seconds:
                    lane.rate.hold(result.retry_after_seconds)
            else:
                lane.breaker.succeeded()
            return result

    async def _ask(self, call: ToolCall) -> ToolResult:
        self.upstream_calls += 1
        if self.settings.price_usd:
            charge(self.settings.price_usd)  # to the run that asked first: those that wait for the same call, and those that find it in memory, pay nothing
        try:
            result: Any = await self._within(self.settings.timeout_seconds, self.tool.run(call))
        except _Late:
            return self._failure(call, "timeout", f"gave no answer within {self.settings.timeout_seconds:g} s")
        except Exception as error:  # a tool that breaks its promise must not end the run
            return self._failure(call, "broken", f"failed unexpectedly ({type(error).__name__})")
        return sound(result) or self._failure(call, "broken", "gave something that is neither evidence nor a failure")

    def _pause(self, result: ToolResult, number: int, lane: _Lane) -> float | None:
        """How long to wait before the next try; None where none is made."""
        settings = self.settings
        if not isinstance(result, Failure) or result.kind not in PROVIDERS_FAULT or number >= settings.retries or lane.breaker.down:
            return None
        asked = result.retry_after_seconds
        if asked is not None:
            return asked if asked <= settings.longest_pause_seconds else None
        if result.kind == "quota":  # used up, and nobody says when there will be more
            return None
        return min(settings.longest_pause_seconds, settings.pause_seconds * 2**number) * (1 + self._timing.jitter()) / 2

    async def _within(self, seconds: float, work: Coroutine[Any, Any, T]) -> T:
        """What the work returns. Work that will not be cancelled when its time is up is left behind, not waited for.

        Raises:
            _Late: the time was up first.
        """
        task, alarm = asyncio.create_task(work), asyncio.ensure_future(self._timing.sleep(seconds))
        task.add_done_callback(_retrieved)
        try:
            await asyncio.wait({task, alarm}, return_when=asyncio.FIRST_COMPLETED)
            if task.cancelled():
                raise RuntimeError("the work cancelled itself")
            if not task.done():
                raise _Late
            return task.result()
        finally:
            task.cancel()
            alarm.cancel()

    def _not_asked(self, lane: _Lane, call: ToolCall) -> Failure:
        wait = lane.breaker.wait_seconds
        when = f"it is tried again in {math.ceil(wait)} s" if wait else "it is being tried"
        return self._failure(call, "unreachable", f"was not asked: it failed {lane.breaker.failures} times in a row, {when}", wait)

    def _failure(self, call: ToolCall, kind: FailureKind, message: str, retry_after_seconds: float | None = None) -> Failure:
        return Failure(tool=call.tool, input=call.input, kind=kind, message=message, retry_after_seconds=retry_after_seconds)


def _retrieved(task: asyncio.Task[Any]) -> None:
    """Nobody waits for it any more: its exception is no news."""
    if not task.cancelled():
        task.exception()


def _relabelled(result: ToolResult, call: ToolCall) -> ToolResult:
    """As the answer to this call, whoever asked first and in whatever spelling."""
    if isinstance(result, Failure):
        return dataclasses.replace(result, tool=call.tool, input=call.input)
    return tuple(dataclasses.replace(item, tool=call.tool, input=call.input) for item in result)
