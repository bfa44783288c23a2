"""The guard around a tool: time-outs, retries, limits, cache, single flight and breaker, in a time of its own; nothing here waits."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.claims.words import content_words
from redraft.events import Event, ToolCalled
from redraft.models.scripted import ScriptedModel
from redraft.policy import Budgets, Policy
from redraft.refiner import Refiner
from redraft.tools.search.chain import SearchChain
from redraft.tools.toolbox.breaker import Breaker
from redraft.tools.toolbox.cache import ResultCache
from redraft.tools.toolbox.guarded import Guarded, GuardSettings, Timing
from redraft.tools.toolbox.queries import likeness, normal_query, unchanged
from redraft.tools.toolbox.rate import Rate
from redraft.types import Evidence, Failure, ModelRequest, Outcome, Task, ToolCall, ToolResult

T = TypeVar("T")
QUERY = "How high is the Eiffel Tower?"


class Time:
    """A clock that moves when told, and sleepers that wake when their moment has come."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.slept: list[float] = []
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return datetime(2024, 5, 2, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return
        self.slept.append(seconds)
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.seconds + seconds, woken))
        await woken

    async def settle(self) -> None:
        """Let everything run that waits for nothing."""
        for _ in range(60):
            await asyncio.sleep(0)

    async def pass_by(self, seconds: float) -> None:
        """Move on, waking whoever is due on the way."""
        end = self.seconds + seconds
        await self.settle()
        while due := self._next(end):
            self.seconds = due
            for moment, woken in self._sleepers:
                if moment <= due and not woken.done():
                    woken.set_result(None)
            await self.settle()
        self.seconds = end

    def _next(self, end: float) -> float | None:
        self._sleepers = [(moment, woken) for moment, woken in self._sleepers if not woken.done()]
        return min((moment for moment, _ in self._sleepers if moment <= end), default=None)

    async def finish(self, work: Coroutine[Any, Any, T] | asyncio.Task[T]) -> T:
        """Run something to its end, as far as time has to go for it."""
        task = work if isinstance(work, asyncio.Task) else asyncio.create_task(work)
        await self.settle()
        while not task.done():
            due = self._next(float("inf"))
            assert due is not None, "it waits for something that never comes"
            await self.pass_by(due - self.seconds)
        return task.result()


class Engine:
    """A tool that does what a function says, and counts."""

    name = "engine"
    summary = "Finds things."
    timeout_seconds = 8.0

    def __init__(self, act: Callable[[ToolCall, int], Awaitable[Any]]) -> None:
        self._act = act
        self.asked: list[ToolCall] = []
        self.under_way = 0
        self.most_under_way = 0
        self.closed = 0

    async def run(self, call: ToolCall) -> ToolResult:
        self.asked.append(call)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            return await self._act(call, len(self.asked))
        finally:
            self.under_way -= 1

    async def close(self) -> None:
        self.closed += 1


def ask(text: str = QUERY, attempt: int = 0) -> ToolCall:
    return ToolCall(tool="search", input=text, attempt=attempt)


def hit(call: ToolCall, text: str = "330 m", source: str = "") -> tuple[Evidence, ...]:
    return (Evidence(tool=call.tool, input=call.input, text=text, source=source),)


def fault(call: ToolCall, kind: Any = "unreachable", wait: float | None = None) -> Failure:
    return Failure(tool=call.tool, input=call.input, kind=kind, message="failed", retry_after_seconds=wait)


async def finds(call: ToolCall, number: int) -> ToolResult:
    return hit(call)


async def hangs(call: ToolCall, number: int) -> ToolResult:
    await asyncio.Event().wait()
    raise AssertionError


def fails(kind: str = "unreachable", wait: float | None = None, times: int = 10**9) -> Callable[[ToolCall, int], Awaitable[ToolResult]]:
    async def act(call: ToolCall, number: int) -> ToolResult:
        return fault(call, kind, wait) if number <= times else hit(call)

    return act


def guard(time: Time, act: Callable[[ToolCall, int], Awaitable[Any]], **options: Any) -> tuple[Guarded, Engine]:
    engine = Engine(act)
    return Guarded(engine, GuardSettings(**options), timing=Timing(clock=time, sleep=time.sleep, jitter=lambda: 1.0)), engine


def failure(result: object, kind: str) -> Failure:
    assert isinstance(result, Failure), result
    assert result.kind == kind
    return result


class TestTimeout:
    async def test_a_tool_that_hangs_is_given_up(self):
        time = Time()
        tool, engine = guard(time, hangs, retries=0, timeout_seconds=8)
        assert "8 s" in failure(await time.finish(tool.run(ask())), "timeout").message
        assert (time.seconds, engine.under_way) == (8, 0)

    async def test_a_tool_that_will_not_be_cancelled_is_left_behind(self):
        time = Time()

        async def stubborn(call: ToolCall, number: int) -> ToolResult:
            while len(time.slept) < 5:
                try:
                    await time.sleep(100)
                except asyncio.CancelledError:
                    continue
            return hit(call)

        tool, _ = guard(time, stubborn, retries=0)
        failure(await time.finish(tool.run(ask())), "timeout")
        assert time.seconds == 8
        await time.pass_by(1000)

    async def test_a_call_ends_in_all_with_its_total(self):
        time = Time()
        tool, _ = guard(time, hangs, retries=50, threshold=99, timeout_seconds=8, total_seconds=20, pause_seconds=0)
        failure(await time.finish(tool.run(ask())), "timeout")
        assert time.seconds == 20
        assert tool.timeout_seconds > 20


class TestRetry:
    async def test_the_pauses_double_up_to_a_bound(self):
        time = Time()
        tool, engine = guard(time, fails(times=5), retries=5, threshold=99, pause_seconds=1, longest_pause_seconds=5, total_seconds=99)
        assert await time.finish(tool.run(ask())) == hit(ask())
        assert [seconds for seconds in time.slept if seconds not in (8, 99)] == [1, 2, 4, 5, 5]
        assert (tool.calls, tool.upstream_calls, len(engine.asked)) == (1, 6, 6)

    async def test_the_provider_says_how_long_to_wait(self):
        time = Time()
        tool, engine = guard(time, fails("quota", 7.0, times=1))
        assert await time.finish(tool.run(ask())) == hit(ask())
        assert (time.seconds, len(engine.asked)) == (7, 2)

    async def test_a_longer_wait_is_told_instead_of_waited_for_and_holds_for_all(self):
        time = Time()
        tool, engine = guard(time, fails("quota", 60.0, times=1))
        assert failure(await time.finish(tool.run(ask())), "quota").retry_after_seconds == 60
        assert failure(await time.finish(tool.run(ask("another"))), "quota").retry_after_seconds == 60
        assert (time.seconds, len(engine.asked)) == (0, 1)
        await time.pass_by(60)
        assert await time.finish(tool.run(ask())) == hit(ask())

    @pytest.mark.parametrize("kind", ["denied", "bad_input", "empty", "unsupported", "too_large", "quota"])
    async def test_what_would_fail_again_is_not_tried_again(self, kind: str):
        time = Time()
        tool, engine = guard(time, fails(kind))
        failure(await time.finish(tool.run(ask())), kind)
        assert len(engine.asked) == 1

    async def test_no_retry_begins_after_the_total(self):
        time = Time()
        tool, engine = guard(time, fails("quota", 9.0), retries=9, threshold=99, total_seconds=20)
        failure(await time.finish(tool.run(ask())), "quota")
        assert (time.seconds, len(engine.asked)) == (18, 3)


class TestPromises:
    @pytest.mark.parametrize("garbage", [None, (), "text", [1], (1,), {"a": 1}, b"", 7, (Evidence(tool="t", input="i", text=None),)], ids=repr)  # type: ignore[arg-type]
    async def test_garbage_is_a_failure(self, garbage: Any):
        async def act(call: ToolCall, number: int) -> Any:
            return garbage

        time = Time()
        tool, _ = guard(time, act, retries=0, timeout_seconds=8)
        result = await time.finish(tool.run(ask()))
        failure(result, "broken")
        assert time.seconds == 0

    @pytest.mark.parametrize("error", [RuntimeError("secret words"), TimeoutError("secret words"), asyncio.CancelledError(), StopAsyncIteration()], ids=repr)
    async def test_an_exception_is_a_failure_without_its_words(self, error: BaseException):
        async def act(call: ToolCall, number: int) -> Any:
            raise error

        time = Time()
        tool, _ = guard(time, act, retries=0)
        assert "secret" not in failure(await time.finish(tool.run(ask())), "broken").message

    async def test_scores_are_brought_into_range(self):
        async def act(call: ToolCall, number: int) -> Any:
            return (Evidence(tool="t", input="i", text="x", trust=float("nan"), relevance=7), Evidence(tool="t", input="i", text="y", trust=-1, relevance=0.5))

        tool, _ = guard(time := Time(), act)
        result = await time.finish(tool.run(ask()))
        assert isinstance(result, tuple)
        assert [(item.trust, item.relevance) for item in result] == [(0, 1), (0, 0.5)]

    async def test_it_is_a_tool_and_closes_what_it_wraps(self):
        tool, engine = guard(Time(), finds)
        await tool.close()
        assert (tool.name, tool.summary, engine.closed) == ("engine", "Finds things.", 1)


class TestCache:
    async def test_equal_queries_are_paid_once_whatever_their_spelling(self):
        tool, engine = guard(time := Time(), finds, price_usd=0.01)
        await time.finish(tool.run(ask()))
        result = await time.finish(tool.run(ask("  how high is the “Eiffel  Tower”".replace("“", "").replace("”", ""))))
        assert isinstance(result, tuple)
        assert (len(engine.asked), tool.calls, tool.upstream_calls, tool.cost_usd) == (1, 2, 1, 0.01)
        assert result[0].input == "  how high is the Eiffel  Tower"

    async def test_a_result_holds_for_its_time_and_nothing_found_for_less(self):
        tool, engine = guard(time := Time(), finds, ttl_seconds=100)
        for wait, asked in ((0, 1), (99, 1), (2, 2)):
            await time.pass_by(wait)
            await time.finish(tool.run(ask()))
            assert len(engine.asked) == asked
        tool, engine = guard(time, fails("empty"), ttl_seconds=100, empty_ttl_seconds=10)
        for wait, asked in ((0, 1), (9, 1), (2, 2)):
            await time.pass_by(wait)
            failure(await time.finish(tool.run(ask())), "empty")
            assert len(engine.asked) == asked

    async def test_failures_are_not_kept_nor_is_anything_when_off(self):
        tool, engine = guard(time := Time(), fails(times=1), retries=0)
        failure(await time.finish(tool.run(ask())), "unreachable")
        assert await time.finish(tool.run(ask())) == hit(ask())
        tool, engine = guard(time, finds, ttl_seconds=0)
        for _ in range(2):
            await time.finish(tool.run(ask()))
        assert len(engine.asked) == 2

    async def test_a_fresh_attempt_is_asked_for_and_brings_only_what_is_unseen(self):
        async def act(call: ToolCall, number: int) -> ToolResult:
            return tuple(Evidence(tool="t", input="i", text=source, source=source) for source in ("a", "b", "c")[: 2 + call.attempt])

        tool, engine = guard(time := Time(), act, unseen=True)
        results = [await time.finish(tool.run(ask(attempt=attempt))) for attempt in (0, 1, 2, 0, 1)]
        assert [[item.text for item in result] if isinstance(result, tuple) else result.kind for result in results] == [
            ["a", "b"],
            ["c"],
            "empty",
            ["a", "b"],
            ["c"],
        ]
        assert len(engine.asked) == 3
        tool.forget()
        await time.finish(tool.run(ask()))
        assert len(engine.asked) == 4

    def test_the_least_used_goes_first(self):
        cache = ResultCache(Time(), size=2)
        for name in ("a", "b"):
            cache.put((name, 0), hit(ask()), 10)
        cache.get(("a", 0))
        cache.put(("c", 0), hit(ask()), 10)
        assert [cache.get((name, 0)) is not None for name in ("a", "b", "c")] == [True, False, True]
        assert len(cache) == 2

    async def test_a_similar_query_where_that_is_allowed(self):
        tool, engine = guard(time := Time(), finds, similarity=0.99)
        for text in (QUERY, "So how high is it, the Eiffel Tower", "What is the Eiffel Tower?", "How high is the Eiffel Tower in 1930?"):
            await time.finish(tool.run(ask(text)))
        assert [call.input for call in engine.asked] == [QUERY, "What is the Eiffel Tower?", "How high is the Eiffel Tower in 1930?"]


class TestSingleFlight:
    async def test_fifty_equal_queries_at_once_are_one_call(self):
        time = Time()

        async def slow(call: ToolCall, number: int) -> ToolResult:
            await time.sleep(3)
            return hit(call)

        tool, engine = guard(time, slow)
        results = await time.finish(asyncio.create_task(_all([tool.run(ask(QUERY + " " * number)) for number in range(50)])))
        assert len(engine.asked) == 1
        assert (tool.calls, tool.upstream_calls) == (50, 1)
        assert [result[0].input for result in results] == [QUERY + " " * number for number in range(50)]

    async def test_one_who_leaves_takes_it_from_nobody_and_the_last_one_ends_it(self):
        time = Time()

        async def slow(call: ToolCall, number: int) -> ToolResult:
            await time.sleep(3)
            return hit(call)

        tool, engine = guard(time, slow)
        first, second, third = (asyncio.create_task(tool.run(ask())) for _ in range(3))
        await time.settle()
        first.cancel()
        assert await time.finish(second) == hit(ask())
        assert await third == hit(ask())
        tool.forget()
        alone = asyncio.create_task(tool.run(ask()))
        await time.settle()
        alone.cancel()
        await time.settle()
        assert (engine.under_way, len(engine.asked)) == (0, 2)
        assert await time.finish(tool.run(ask())) == hit(ask())

    async def test_a_shared_failure_is_one_failure(self):
        tool, engine = guard(time := Time(), fails(), retries=0, threshold=2)
        await time.finish(asyncio.create_task(_all([tool.run(ask()) for _ in range(50)])))
        assert len(engine.asked) == 1
        assert not tool.down


class TestLimits:
    async def test_so_many_at_once_and_no_more(self):
        time = Time()

        async def slow(call: ToolCall, number: int) -> ToolResult:
            await time.sleep(1)
            return hit(call)

        tool, engine = guard(time, slow, concurrency=3)
        await time.finish(asyncio.create_task(_all([tool.run(ask(str(number))) for number in range(12)])))
        assert (engine.most_under_way, time.seconds) == (3, 4)

    async def test_so_many_a_second_and_no_more(self):
        tool, engine = guard(time := Time(), finds, rate_per_second=2, burst=2, concurrency=99)
        await time.finish(asyncio.create_task(_all([tool.run(ask(str(number))) for number in range(10)])))
        assert (len(engine.asked), time.seconds) == (10, 4)

    def test_the_rate_holds_over_any_window(self):
        time = Time()
        rate = Rate(time, 5, burst=3)
        moments: list[float] = []
        for number in range(200):
            moments.append(time.seconds + rate.take())
            time.seconds += random.Random(number).choice((0, 0, 0.05, 0.7))
        assert all(sum(start <= moment < start + 1 for moment in moments) <= 5 + 3 for start in moments)


class TestBreaker:
    async def test_an_outage_costs_threshold_times_timeout_once(self):
        time = Time()
        tool, engine = guard(time, hangs, timeout_seconds=8, threshold=5, retries=2, pause_seconds=0.5, cooldown_seconds=30)
        for run in range(100):
            result = await time.finish(tool.run(ask(str(run))))
            assert isinstance(result, Failure)
        assert len(engine.asked) == 5
        assert 40 <= time.seconds <= 40 + 3 * 1.0  # the rest are pauses between tries
        assert tool.down

    async def test_an_outage_met_by_many_at_once(self):
        time = Time()
        tool, engine = guard(time, hangs, threshold=5, concurrency=4)
        await time.finish(asyncio.create_task(_all([tool.run(ask(str(number))) for number in range(100)])))
        assert time.seconds <= 3 * 8 + 2
        assert len(engine.asked) <= 12

    async def test_one_probe_goes_and_the_others_are_told_at_once(self):
        time = Time()
        tool, engine = guard(time, fails(times=3), threshold=3, retries=0, cooldown_seconds=30, concurrency=99)
        for number in range(3):
            await time.finish(tool.run(ask(str(number))))
        assert "30 s" in failure(await time.finish(tool.run(ask("x"))), "unreachable").message
        await time.pass_by(30)
        assert not tool.down

        release = asyncio.Event()

        async def probe(call: ToolCall, number: int) -> ToolResult:
            await release.wait()
            return hit(call)

        engine._act = probe
        waiting = [asyncio.create_task(tool.run(ask(str(number)))) for number in range(20)]
        await time.settle()
        assert (len(engine.asked), sum(task.done() for task in waiting), tool.down) == (4, 19, True)
        release.set()
        await time.settle()
        results = [task.result() for task in waiting]
        assert sum(isinstance(result, tuple) for result in results) == 1
        assert not tool.down

    async def test_a_probe_that_fails_doubles_the_wait_and_one_that_is_given_up_frees_its_place(self):
        time = Time()
        tool, engine = guard(time, fails(), threshold=1, retries=0, cooldown_seconds=30, longest_cooldown_seconds=100)
        for wait, asked in ((0, 1), (29, 1), (1, 2), (59, 2), (1, 3), (99, 3), (1, 4), (99, 4), (1, 5)):
            await time.pass_by(wait)
            await time.finish(tool.run(ask()))
            assert len(engine.asked) == asked
        await time.pass_by(100)
        engine._act = hangs
        given_up = asyncio.create_task(tool.run(ask()))
        await time.settle()
        given_up.cancel()
        await time.settle()
        engine._act = finds
        assert await time.finish(tool.run(ask())) == hit(ask())

    @pytest.mark.parametrize(
        ("kind", "opens"),
        [("timeout", True), ("unreachable", True), ("quota", True), ("broken", True)]
        + [(k, False) for k in ("denied", "bad_input", "empty", "unsupported", "too_large")],
    )
    async def test_only_the_providers_fault_opens_it(self, kind: str, opens: bool):
        tool, _ = guard(time := Time(), fails(kind), threshold=3, retries=0)
        for number in range(3):
            await time.finish(tool.run(ask(str(number))))
        assert tool.down is opens

    async def test_a_success_in_between_closes_the_count(self):
        async def act(call: ToolCall, number: int) -> ToolResult:
            return hit(call) if number % 3 == 0 else fault(call)

        tool, _ = guard(time := Time(), act, threshold=3, retries=0)
        for number in range(30):
            await time.finish(tool.run(ask(str(number))))
        assert not tool.down

    async def test_every_host_has_one_of_its_own(self):
        async def act(call: ToolCall, number: int) -> ToolResult:
            return fault(call) if "dead" in call.input else hit(call)

        time = Time()
        engine = Engine(act)
        tool = Guarded(
            engine,
            GuardSettings(threshold=2, retries=0),
            timing=Timing(clock=time, sleep=time.sleep),
            normal=unchanged,
            provider_of=lambda call: call.input[:4],
        )
        for number in range(400):
            await time.finish(tool.run(ask(f"dead{number}")))
        assert len(engine.asked) == 2
        assert await time.finish(tool.run(ask("live"))) == hit(ask("live"))
        assert not tool.down

    @settings(max_examples=200)
    @given(st.lists(st.sampled_from(["admit", "ok", "fail", "give up", "wait"]), max_size=60))
    def test_never_two_probes_and_never_stuck(self, steps: list[str]):
        time = Time()
        breaker = Breaker(time, threshold=2, cooldown_seconds=10)
        held: list[Any] = []
        for step in steps:
            if step == "admit":
                admission = breaker.admit()
                if admission != "refused":
                    held.append(admission)
            elif step == "wait":
                time.seconds += 7
            elif held:
                admission = held.pop(0)
                match step:
                    case "ok":
                        breaker.succeeded()
                    case "fail":
                        breaker.failed(admission)
                    case _:
                        breaker.released(admission)
            assert held.count("probe") <= 1 or not breaker.down
        for admission in held:
            breaker.released(admission)
        time.seconds += 10_000
        assert breaker.admit() != "refused"


class TestLoops:
    def test_the_same_object_serves_one_event_loop_after_the_other(self):
        calls = 0

        async def act(call: ToolCall, number: int) -> ToolResult:
            nonlocal calls
            calls += 1
            await asyncio.sleep(0)
            return hit(call)

        tool = Guarded(Engine(act), GuardSettings(concurrency=1, retries=0, rate_per_second=1e6))

        async def some(first: int) -> None:
            results = await asyncio.gather(*(tool.run(ask(str(first + number))) for number in range(5)))
            assert all(isinstance(result, tuple) for result in results)

        for first in (0, 100, 200):
            asyncio.run(some(first))
        asyncio.run(some(0))
        assert calls == 15


async def test_random_failures_hangs_and_garbage_leave_every_call_with_an_answer():
    """30 % errors, 10 % hangs, 10 % garbage, a thousand calls through a chain of two engines: all end, in time, with evidence or a typed failure."""
    time = Time()
    chance = random.Random(4)

    async def act(call: ToolCall, number: int) -> Any:
        roll = chance.random()
        if roll < 0.3:
            if chance.random() < 0.5:
                raise RuntimeError("the engine's own words")
            return fault(call, chance.choice(["quota", "unreachable", "denied", "broken"]), chance.choice([None, 1.0]))
        if roll < 0.4:
            await asyncio.Event().wait()
        return hit(call) if roll < 0.9 else chance.choice([None, (), "the engine's own words", (3,)])

    chain = SearchChain([guard(time, act, unseen=True)[0], guard(time, act, unseen=True)[0]])
    found = 0
    for number in range(1000):
        await time.pass_by(5)
        began = time.seconds
        result = await time.finish(chain.run(ask(str(number))))
        assert isinstance(result, Failure) or all(item.text == "330 m" for item in result)
        assert "own words" not in repr(result)
        assert time.seconds - began <= chain.timeout_seconds
        found += isinstance(result, tuple)
    assert found > 800


DRAFT = "The Eiffel Tower is 330 metres high."


def answering(request: ModelRequest) -> str:
    """A capable model that plans one search and finds the claim in whatever page it is shown."""
    if request.role == "planner":
        claim = {"quote": DRAFT, "focus": "330", "statement": DRAFT, "tool": "search", "input": QUERY}
        return json.dumps({"claims": [claim], "requirements": []})
    return json.dumps({"verdict": "supported", "quote": "330 metres high", "replacement": None, "reason": "so it says", "confidence": 0.9})


class TestRuns:
    """The whole loop with a guarded search."""

    async def test_an_outage_is_paid_for_once_and_not_by_every_run(self):
        time = Time()
        tool, engine = guard(time, hangs, timeout_seconds=8, threshold=5, cooldown_seconds=300)
        chain = SearchChain([tool])
        for _ in range(50):
            refiner = Refiner(ScriptedModel([answering] * 20), tools=[chain])
            outcome = await time.finish(refiner.revise(Task(query="", kind="report"), DRAFT))
            await refiner.close()
            assert (outcome.answer, outcome.status) == (DRAFT, "unverified")
            assert {check.status for check in outcome.checks} == {"unavailable"}
            assert outcome.warnings
        assert len(engine.asked) == 5
        assert time.seconds <= 45
        assert chain.down

    async def test_failures_at_random_never_make_a_claim_supported_that_was_not_looked_up(self):
        time = Time()
        chance = random.Random(7)

        async def act(call: ToolCall, number: int) -> Any:
            roll = chance.random()
            if roll < 0.3:
                return fault(call, chance.choice(["quota", "unreachable", "denied", "broken", "empty"]))
            if roll < 0.4:
                await asyncio.Event().wait()
            return None if roll < 0.5 else hit(call, "It is 330 metres high, the Eiffel Tower.", "https://a.org")

        statuses: Counter[str] = Counter()
        for _ in range(200):
            tool, _ = guard(time, act, retries=0)
            refiner = Refiner(ScriptedModel([answering] * 20), tools=[SearchChain([tool])])
            outcome = await time.finish(refiner.revise(Task(query="", kind="report"), DRAFT))
            assert outcome.answer == DRAFT
            assert all(check.evidence for check in outcome.checks if check.status == "supported")
            statuses[outcome.status] += 1
        assert set(statuses) == {"verified", "unverified"}
        assert 80 < statuses["verified"] < 120


class TestQueries:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("How high is the Eiffel Tower?", "how high  is the eiffel tower"),
            ("Tower—height", "Tower-height"),
            ("“Eiffel Tower”", '"Eiffel Tower"'),
            ("埃菲尔铁塔有多高？", "埃菲尔铁塔有多高"),
            ("ＡＢＣ", "abc"),
            ("a, b; c.", "a b c"),
        ],
    )
    def test_the_same_search(self, one: str, other: str):
        assert normal_query(one) == normal_query(other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("C++", "C"),
            ("C#", "C"),
            ("3.14", "314"),
            ("-5 degrees", "5 degrees"),
            ("1,000", "1 000 x"),
            ('"to be"', "to be"),
            ("site:a.org x", "site a.org x"),
            ("$5", "5"),
            ("a+b", "a b"),
        ],
    )
    def test_another_search(self, one: str, other: str):
        assert normal_query(one) != normal_query(other)

    @given(st.text())
    def test_normal_is_normal(self, text: str):
        once = normal_query(text)
        assert normal_query(once) == once

    @pytest.mark.parametrize(
        ("one", "other", "least", "most"),
        [
            ("What is the capital of France?", "capital of France", 1, 1),
            ("capital of Austria", "capital of Australia", 0, 0.5),
            ("Who won the 2020 election?", "Who won the 2016 election?", 0, 0),
            ("Did Brazil beat Germany?", "Did Germany beat Brazil?", 0, 0),
            ("Is a tomato a fruit?", "Is a tomato not a fruit?", 0, 0),
            ("What is his name before the fight?", "What is his name after the fight?", 0, 0),
            ("Who bought Alaska?", "When was Alaska bought?", 0, 0),
            ("the", "a", 0, 0),
            ("", "", 0, 0),
        ],
    )
    def test_how_alike(self, one: str, other: str, least: float, most: float):
        assert least <= likeness(one, other) <= most
        assert likeness(one, other) == likeness(other, one)


def test_what_reuse_by_similarity_costs(shared_data: Path):
    """The error that `likeness` tells: of all pairs of different questions that it calls the same, how many have no gold answer in common."""
    answers: dict[str, set[str]] = defaultdict(set)
    spelt: dict[str, str] = {}
    for question, gold in _questions(shared_data):
        spelt.setdefault(normal_query(question), question)
        answers[normal_query(question)] |= {text.lower().strip() for text in gold}
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for normal, question in spelt.items():
        alike[tuple(dict.fromkeys(word.stem for word in content_words(question, question=True)))].append(normal)
    pairs = [pair for group in alike.values() for pair in combinations(group, 2) if likeness(spelt[pair[0]], spelt[pair[1]]) == 1]
    apart = [pair for pair in pairs if not answers[pair[0]] & answers[pair[1]]]
    assert len(spelt) > 10_000
    assert len(pairs) >= 50
    assert len(apart) <= 0.25 * len(pairs)


def _questions(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for name in ("nq_open/NQ-open.dev", "corpus_wiki/xquad_en_questions", "corpus_wiki/hotpot_questions"):
        for row in map(json.loads, (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
            yield row["question"], row.get("answer") or row["answers"]
    for row in map(json.loads, (folder / "ambignq/dev_light.jsonl").read_text(encoding="utf-8").splitlines()):
        for note in row["annotations"]:
            yield from (
                [(row["question"], note["answer"])] if note["type"] == "singleAnswer" else [(pair["question"], pair["answer"]) for pair in note["qaPairs"]]
            )


async def _all(work: list[Coroutine[Any, Any, Any]]) -> list[Any]:
    return list(await asyncio.gather(*work))


class TestTheBill:
    """What services charge, and what failed on the way, belongs to the run whose call it was."""

    QUOTE = "330 m is the height of the Eiffel Tower in Paris."

    def run(self, tool: Any, *answers: str, events: list[Event] | None = None, **budgets: Any) -> Outcome:
        claims = [{"quote": text, "statement": text, "tool": tool.name, "input": text} for text in answers]

        def respond(request: ModelRequest) -> str:
            if request.role == "planner":
                return json.dumps({"claims": claims, "requirements": []})
            return json.dumps({"verdict": "supported", "quote": self.QUOTE, "confidence": 0.9})

        policy = Policy(budgets=Budgets(**budgets), concurrency=4)
        refiner = Refiner(ScriptedModel([respond] * 20), tools=[tool], policy=policy, on_event=events.append if events is not None else None)
        return refiner.check_sync(Task(query="", kind="report"), " ".join(answers))

    def engine(self, **settings: Any) -> tuple[Guarded, Engine]:
        async def act(call: ToolCall, number: int) -> ToolResult:
            return hit(call, self.QUOTE)

        tool, engine = guard(Time(), act, **settings)
        return tool, engine

    ANSWERS = ("The Eiffel Tower is 330 m high.", "The height of the Eiffel Tower in Paris is 330 m.")

    def test_each_run_pays_for_its_own_calls_and_nothing_for_what_is_cached(self):
        tool, _ = self.engine(price_usd=0.01)
        events: list[Event] = []
        first = self.run(tool, *self.ANSWERS, events=events)
        again = self.run(tool, *self.ANSWERS)
        assert (first.usage.cost_usd, again.usage.cost_usd) == (pytest.approx(0.02), 0.0)
        assert [event.cost_usd for event in events if isinstance(event, ToolCalled)] == [0.01, 0.01]

    def test_a_service_without_a_price_adds_nothing(self):
        assert self.run(self.engine()[0], *self.ANSWERS).usage.cost_usd == 0.0

    @pytest.mark.parametrize(("limit", "asked", "judged"), [(0.005, 0, 0), (0.01, 1, 0), (0.015, 1, 1), (0.025, 2, 2)])
    def test_a_call_that_would_exceed_the_budget_is_not_made_not_even_beside_another(self, limit: float, asked: int, judged: int):
        tool, engine = self.engine(price_usd=0.01)
        outcome = self.run(tool, *self.ANSWERS, cost_usd=limit)
        assert len(engine.asked) == asked
        assert [check.status for check in outcome.checks].count("supported") == judged, "a budget that is used up pays for no judge either"
        assert (outcome.usage.cost_usd or 0) <= limit

    def test_runs_at_once_share_a_call_and_one_of_them_pays(self):
        tool, engine = self.engine(price_usd=0.01)

        async def both() -> list[Outcome]:
            async def one() -> Outcome:
                claims = [{"quote": self.ANSWERS[0], "statement": self.ANSWERS[0], "tool": "engine", "input": "q"}]
                reply = json.dumps({"claims": claims, "requirements": []})
                judged = json.dumps({"verdict": "supported", "quote": self.QUOTE, "confidence": 0.9})
                return await Refiner(ScriptedModel([reply, judged]), tools=[tool]).check(Task(query="", kind="report"), self.ANSWERS[0])

            return await _all([one(), one()])

        costs = sorted(outcome.usage.cost_usd or 0.0 for outcome in asyncio.run(both()))
        assert (len(engine.asked), costs) == (1, [0.0, 0.01])

    def test_an_engine_that_failed_is_named_in_the_event_although_the_next_answered(self):
        broken, fine = Engine(fails("quota")), Engine(finds)
        broken.name, fine.name = "tavily", "brave"  # type: ignore[misc]
        time = Time()
        timing = Timing(clock=time, sleep=time.sleep, jitter=lambda: 0.0)
        chain = SearchChain([Guarded(tool, GuardSettings(), timing=timing) for tool in (broken, fine)])
        events: list[Event] = []
        outcome = self.run(chain, self.ANSWERS[0], events=events)
        called = next(event for event in events if isinstance(event, ToolCalled))
        assert called.failure is None
        assert [(item.tool, item.kind) for item in called.failed] == [("tavily", "quota")]
        assert "tavily: failed" in outcome.warnings

    def test_engines_that_all_failed_are_all_named(self):
        engines = [Engine(fails("denied")), Engine(fails("unreachable"))]
        for engine, name in zip(engines, ("tavily", "brave"), strict=True):
            engine.name = name  # type: ignore[misc]
        events: list[Event] = []
        outcome = self.run(SearchChain(engines), self.ANSWERS[0], events=events)
        called = next(event for event in events if isinstance(event, ToolCalled))
        assert {item.tool for item in called.failed} == {"tavily", "brave"}
        assert called.failure is not None
        assert called.failure.message == "tavily: failed; brave: failed"
        assert outcome.checks[0].status == "unavailable"
