"""The one seam between the loop and the world: every model call, tool call, clock reading and random number of a run goes through `Effects`.

What is passed in may itself be a wrapper (a journal for durability, a record for replay). Here calls are metered against the policy's budgets,
equal calls are paid once, and every call becomes an event. Parallel branches are logged in the order they were given, not the order they ended.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime
from hashlib import sha256
from json import dumps
from typing import Any, TypeVar

from redraft.course import COURSE, Course, sound
from redraft.errors import ModelBroken, ModelError, ModelUnreachable, Stopped
from redraft.events import Event, ModelCalled, ToolCalled, plain
from redraft.policy import Budgets
from redraft.prompts import Prompts
from redraft.protocols import Clock, Model, Tool, TraceSink
from redraft.types import Failure, ModelReply, ModelRequest, ToolCall, ToolResult, Usage

__all__ = ["ENTAILMENT", "MEMORY", "ORACLE", "Effects", "SystemClock", "again", "call_key"]

ENTAILMENT = "entailment"
"""Name under which the local entailment verifier is called; it is no tool that a planner may choose."""
ORACLE = "oracle"
"""Name under which the caller's function is asked whether an answer is right; no planner may choose it either."""

MEMORY = "memory"
"""Name under which the memory of verified facts is asked and told; no planner may choose it, and it is no call of a budget."""

T = TypeVar("T")

MENDABLE = frozenset({"quota", "denied", "unsupported"})
"""Failures of one engine that the user is told of although another one answered: they do not go away by themselves."""


_again: ContextVar[Callable[[], None] | None] = ContextVar("redraft_again", default=None)
_branch: ContextVar[list[Event] | None] = ContextVar("redraft_branch", default=None)


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        return datetime.now().astimezone()

    def monotonic(self) -> float:
        return time.monotonic()


def _cancelled() -> bool:
    """Whether somebody asked this very task to end; if not, a cancellation that arrives is one that the work made up."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def again() -> None:
    """Said by a model's adapter before it makes a call once more inside one request (a retry, another form of it): it is counted like any other.

    Raises:
        Stopped: a budget forbids it.
    """
    once_more = _again.get()
    if once_more is not None:
        once_more()


def call_key(call: ModelRequest | ToolCall) -> str:
    """Address of a call: role + request + sample index for models, tool + input + attempt for tools."""
    text = dumps(plain(call), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Effects:
    """The effects of one run: models by role, tools by name, a clock, a seed, a sink for events, and the meter over all of them.

    `ask` and `use` raise `Stopped` instead of making a call that a budget, the deadline or a cancellation forbids.
    """

    def __init__(
        self,
        *,
        writer: Model,
        tools: Mapping[str, Tool],
        sink: TraceSink,
        budgets: Budgets,
        judge: Model | None = None,
        evaluator: Model | None = None,
        clock: Clock | None = None,
        seed: int = 0,
        concurrency: int = 8,
        marker_key: str = "",
        entailment: Tool | None = None,
        memory: Tool | None = None,
        prices: Mapping[str, float] | None = None,
        oracle: Tool | None = None,
        prompts: Prompts | None = None,
    ) -> None:
        self.writer = writer
        self.judge = judge or writer
        self.evaluator = evaluator or writer
        self.has_evaluator = evaluator is not None
        self.tools = dict(tools)
        self.entailment = entailment
        self.memory = memory
        self.memory_calls = 0
        """Looks into the memory, metered by themselves: they cost nothing."""
        self.prices = dict(prices or {})
        """What a call of a tool costs at most, by name; a tool without a price is free or unknown."""
        self.oracle = oracle
        self.prompts = prompts or Prompts()
        self.clock = clock or SystemClock()
        self.seed = seed
        self.random = random.Random(seed)  # reproducible choices, not secrets
        self.budgets = budgets
        self.usage = Usage()
        self.cancelled = False
        self.warnings: list[str] = []
        self._sink = sink
        self._marker_key = marker_key
        self._began = self.clock.monotonic()
        self._started_calls = 0
        self._judgements = 0
        self._unpriced = False
        self._spent_usd = 0.0
        self._reserved_usd = 0.0
        """For calls under way, whose price is not known to be due yet."""
        self._replies: dict[str, asyncio.Future[ModelReply]] = {}
        self._results: dict[str, asyncio.Future[ToolResult]] = {}
        self._slots = asyncio.Semaphore(concurrency)

    @property
    def elapsed_seconds(self) -> float:
        return self.clock.monotonic() - self._began

    @property
    def tools_down(self) -> bool:
        """Whether every tool of the run that was called has stopped answering (all its breakers open)."""
        return bool(self.tools) and all(getattr(tool, "down", False) for tool in self.tools.values())

    def marker(self, *parts: str) -> str:
        """A boundary for quoted data that the quoted text cannot guess: derived from the run's seed, its task and what is quoted."""
        return sha256("\x1f".join((str(self.seed), self._marker_key, *parts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def emit(self, event: Event) -> None:
        """Record an event, in the order of the branch it belongs to."""
        buffer = _branch.get()
        if buffer is None:
            self._sink.write(event)
        else:
            buffer.append(event)

    def warn(self, message: str) -> None:
        """Say something to the user that does not end the run; said once."""
        if message not in self.warnings:
            self.warnings.append(message)

    async def together(self, branches: Sequence[Coroutine[Any, Any, T]]) -> list[T | Stopped]:
        """Run independent branches at once; results and events come in the order given. A branch that was stopped yields its `Stopped`."""
        buffers: list[list[Event]] = [[] for _ in branches]

        async def run(buffer: list[Event], branch: Coroutine[Any, Any, T]) -> T | Stopped:
            _branch.set(buffer)
            try:
                return await branch
            except Stopped as stopped:
                return stopped

        tasks = [asyncio.create_task(run(buffer, branch)) for buffer, branch in zip(buffers, branches, strict=True)]
        results: list[T | Stopped] = []
        try:
            for task, buffer in zip(tasks, buffers, strict=True):
                results.append(await task)
                for event in buffer:
                    self.emit(event)
        finally:
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)
            for branch in branches:
                branch.close()  # one that was cancelled before it began would be warned about at exit
        return results

    def may_repair(self) -> bool:
        """Whether one more repair of an unparsable reply is within the policy's bound; counts it if so."""
        if self.usage.repairs >= self.budgets.repairs:
            return False
        self.usage = dataclasses.replace(self.usage, repairs=self.usage.repairs + 1)
        return True

    def may_judge(self) -> bool:
        """Whether one more judgement of a single claim is within the policy's bound; counts it if so."""
        if self._judgements >= self.budgets.judgements:
            return False
        self._judgements += 1
        return True

    async def ask(self, model: Model, request: ModelRequest) -> ModelReply:
        """The model's reply; an equal request of this run is answered from memory.

        Raises:
            ModelError: the call failed.
            Stopped: a budget forbids it.
        """
        key = call_key(request) + "@" + model.name
        known = self._replies.get(key)
        if known is not None:
            return await asyncio.shield(known)
        self._replies[key] = future = asyncio.get_running_loop().create_future()
        try:
            reply = await self._ask(model, request, key)
        except BaseException as error:
            del self._replies[key]
            if isinstance(error, Exception):
                future.set_exception(error)
                future.exception()
            else:
                future.cancel()
            raise
        future.set_result(reply)
        return reply

    async def use(self, call: ToolCall) -> ToolResult:
        """The tool's evidence or its typed failure; an equal call of this run is answered from memory, failures excepted.

        Raises:
            Stopped: a budget forbids it.
        """
        key = call_key(call)
        known = self._results.get(key)
        if known is not None:
            return await asyncio.shield(known)
        self._results[key] = future = asyncio.get_running_loop().create_future()
        try:
            result = await self._use(call, key)
        except BaseException as error:
            del self._results[key]
            if isinstance(error, Exception):
                future.set_exception(error)
                future.exception()
            else:
                future.cancel()
            raise
        if isinstance(result, Failure):
            self._results.pop(key, None)
        future.set_result(result)
        return result

    async def _ask(self, model: Model, request: ModelRequest, key: str) -> ModelReply:
        self._guard(model_call=True)
        self._started_calls += 1
        calls = 1

        def once_more() -> None:
            nonlocal calls
            self._guard(model_call=True)
            self._started_calls += 1
            calls += 1

        async with self._slots:
            began = self.clock.monotonic()
            reply, problem = None, None
            token = _again.set(once_more)
            try:
                async with asyncio.timeout(self._remaining_seconds()):
                    given: object = await model.complete(request)
                if not isinstance(given, ModelReply) or not isinstance(given.text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                    raise ModelBroken(f"{model.name} gave something that is no reply with a text")
                calls = max(calls, given.calls)
                reply = dataclasses.replace(given, calls=calls)
            except ModelError as error:
                problem = error
            except TimeoutError:
                if self._remaining_seconds() == 0:
                    raise Stopped("deadline") from None
                problem = ModelUnreachable(f"{model.name} did not answer in time")
            finally:
                _again.reset(token)
                self._count_model(reply, calls)
            seconds = self.clock.monotonic() - began
            self.emit(
                ModelCalled(
                    key=key,
                    model=model.name,
                    request=request,
                    reply=reply,
                    error=str(problem or ""),
                    error_type=type(problem).__name__ if problem else "",
                    started_seconds=began - self._began,
                    seconds=seconds,
                )
            )
        if reply is None:
            assert problem is not None
            self.warn(f"a model call failed ({request.role}): {problem}")
            raise problem
        return reply

    async def _use(self, call: ToolCall, key: str) -> ToolResult:
        tool = {ENTAILMENT: self.entailment, ORACLE: self.oracle, MEMORY: self.memory}.get(call.tool) or self.tools.get(call.tool)
        began = self.clock.monotonic()
        course = Course()
        if tool is None:
            result: ToolResult = Failure(tool=call.tool, input=call.input, kind="unsupported", message=f"there is no tool {call.tool!r} in this run")
        else:
            self._guard(model_call=False, tool=call.tool)
            price = self.prices.get(call.tool, 0.0)
            self._reserved_usd += price
            try:
                async with self._slots:
                    began = self.clock.monotonic()
                    result = await self._run_tool(tool, call, course)
            finally:
                self._reserved_usd -= price
                self._spent(sum(course.costs) if course.costs else None)
            if call.tool == MEMORY:
                self.memory_calls += 1
            else:
                self.usage = dataclasses.replace(self.usage, tool_calls=self.usage.tool_calls + 1)
        failure = result if isinstance(result, Failure) else None
        self.emit(
            ToolCalled(
                key=key,
                call=call,
                evidence=() if isinstance(result, Failure) else result,
                failure=failure,
                failed=tuple(item for item in course.failed if item != failure),
                cost_usd=sum(course.costs) if course.costs else None,
                started_seconds=began - self._began,
                seconds=self.clock.monotonic() - began,
            )
        )
        if failure is not None and failure.kind not in ("empty", "bad_input"):
            self.warn(f"{failure.tool}: {failure.message}")
        for item in course.failed if failure is None else ():
            if item.kind in MENDABLE:
                self.warn(f"{item.tool}: {item.message}")
        return result

    async def _run_tool(self, tool: Tool, call: ToolCall, course: Course) -> ToolResult:
        remaining = self._remaining_seconds()
        limit = tool.timeout_seconds if remaining is None else min(tool.timeout_seconds, remaining)
        token = COURSE.set(course)
        try:
            async with asyncio.timeout(limit):
                result: Any = await tool.run(call)
        except TimeoutError:
            if self._remaining_seconds() == 0:
                raise Stopped("deadline") from None
            return Failure(tool=call.tool, input=call.input, kind="timeout", message=f"gave no answer within {limit:g} s")
        except Exception as error:  # a tool that breaks its promise must not end the run
            return Failure(tool=call.tool, input=call.input, kind="broken", message=f"failed unexpectedly ({type(error).__name__})")
        except asyncio.CancelledError:
            if _cancelled():
                raise
            return Failure(tool=call.tool, input=call.input, kind="broken", message="gave up its own work")
        finally:
            COURSE.reset(token)
        return sound(result) or Failure(tool=call.tool, input=call.input, kind="broken", message="gave something that is neither evidence nor a failure")

    def _remaining_seconds(self) -> float | None:
        deadline = self.budgets.deadline_seconds
        return None if deadline is None else max(0.0, deadline - self.elapsed_seconds)

    def _guard(self, *, model_call: bool, tool: str = "") -> None:
        usage, limits = self.usage, self.budgets
        if self.cancelled:
            raise Stopped("cancelled")
        if self._remaining_seconds() == 0:
            raise Stopped("deadline")
        if tool == MEMORY:
            return
        if not model_call:
            price = self.prices.get(tool, 0.0)
            if price and limits.cost_usd is not None and self._spent_usd + self._reserved_usd + price > limits.cost_usd + 1e-9:
                raise Stopped("cost_budget")
            if limits.tool_calls is not None and usage.tool_calls >= limits.tool_calls:
                raise Stopped("call_budget")
            return
        if limits.tokens is not None and usage.input_tokens + usage.output_tokens >= limits.tokens:
            raise Stopped("token_budget")
        if limits.cost_usd is not None and self._spent_usd >= limits.cost_usd:
            raise Stopped("cost_budget")
        if limits.llm_calls is not None and self._started_calls >= limits.llm_calls:
            raise Stopped("call_budget")

    def _count_model(self, reply: ModelReply | None, calls: int) -> None:
        if reply is not None:
            self._unpriced = self._unpriced or reply.cost_usd is None
            self._spent(reply.cost_usd)
        usage = self.usage
        self.usage = dataclasses.replace(
            usage,
            llm_calls=usage.llm_calls + calls,
            input_tokens=usage.input_tokens + (reply.input_tokens if reply else 0),
            output_tokens=usage.output_tokens + (reply.output_tokens if reply else 0),
            cached_tokens=usage.cached_tokens + (reply.cached_tokens if reply else 0),
        )

    def _spent(self, cost_usd: float | None) -> None:
        """Add what a call cost, None where it cost nothing or nobody knows; a sum with an unknown part is no sum, but budgets hold for what is known."""
        self._spent_usd += cost_usd or 0.0
        shown = None if self._unpriced else self.usage.cost_usd if cost_usd is None else (self.usage.cost_usd or 0.0) + cost_usd
        self.usage = dataclasses.replace(self.usage, cost_usd=shown)
