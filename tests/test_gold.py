"""A gold answer that only the caller's function knows is out of reach of everything that a run can follow: models, tools, policy, task, the loop's frames."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import redraft
from redraft.models.scripted import ScriptedModel
from redraft.planning.rules import RulePlanner
from redraft.refiner import Refiner
from redraft.tools.calculator import CalculatorTool
from redraft.tools.scripted import ScriptedTool, page
from redraft.types import ModelRequest, Task, ToolCall, ToolResult

PACKAGE = Path(redraft.__file__).parent
OPAQUE = (types.ModuleType, type, threading.Thread, types.BuiltinFunctionType)
"""Where the walk ends: modules and classes lead to all of the interpreter, which holds every object there is."""


class Gold(str):
    """The planted label. Found by identity of its class, so that an equal text elsewhere is no false alarm."""

    __slots__ = ()


def referents(item: object) -> Iterable[object]:
    """What an object leads to: what it refers to, but of a function its closure and defaults and not the module around it."""
    if isinstance(item, types.FunctionType):
        return [item.__closure__, item.__defaults__, item.__kwdefaults__, item.__dict__]
    if isinstance(item, types.FrameType):
        return list(item.f_locals.values())
    if isinstance(item, types.CoroutineType):
        return [item.cr_frame, item.cr_await]
    if isinstance(item, asyncio.AbstractEventLoop):
        return [*vars(item).values()]
    return gc.get_referents(item)


def reachable(roots: Iterable[object]) -> Iterator[object]:
    seen: set[int] = set()
    waiting = list(roots)
    keep: list[object] = []
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, OPAQUE) or item is None:
            continue
        seen.add(id(item))
        keep.append(item)
        yield item
        waiting.extend(referents(item))


def frames() -> list[types.FrameType]:
    """All frames of the run that is asking, from the innermost out, as far as this package and this run go."""
    found: list[types.FrameType] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            found.append(frame)
        frame = frame.f_back
    return found


class Spy:
    """A model and a tool that look for the label in all they can follow."""

    def __init__(self) -> None:
        self.looked = 0
        self.objects = 0
        self.found: list[object] = []

    def look(self, *extra: object) -> None:
        roots: list[object] = [self, *extra, *frames(), asyncio.current_task(), asyncio.get_running_loop(), *asyncio.all_tasks()]
        self.looked += 1
        for item in reachable(roots):
            self.objects += 1
            if isinstance(item, Gold):
                self.found.append(item)


def run(policy: str, query: str, replies: dict[str, Any], gold: Gold, draft: str | None) -> tuple[Spy, Any]:
    spy = Spy()

    def reply(request: ModelRequest) -> str:
        spy.look(request)
        given = replies[request.role]
        return given if isinstance(given, str) else json.dumps(given)

    def search(call: ToolCall) -> ToolResult:
        spy.look(call)
        return page(call, "Nothing bears on it.")

    def right(answer: str, gold: Gold = gold) -> bool:
        return answer == str(gold) or answer.endswith(gold)

    refiner = Refiner(
        ScriptedModel([reply] * 60), tools=[CalculatorTool(), ScriptedTool(search)], policy=policy, planner=RulePlanner(), oracle=right,
        on_event=lambda event: spy.look(event),
    )  # fmt: skip
    del right
    task = Task(query=query, kind="report" if policy == "reflexion" else "qa")
    return spy, refiner.run_sync(task) if draft is None else refiner.revise_sync(task, draft)


@pytest.mark.parametrize("policy", ["critic-oracle", "reflexion"])
def test_the_planted_label_is_out_of_reach(policy: str) -> None:
    gold = Gold("the golden answer of Corwick")
    finding = {"action": "finding", "plausible": "no", "truthful": "no", "problem": "It is wrong.", "answer": "Berley"}
    replies = {"critic": finding | {"lesson": "Try another town."}, "writer": "A town called Aldon.", "corrector": {"text": "Berley"}}
    spy, outcome = run(policy, "Which town?", replies, gold, "Aldon")
    assert spy.looked > 5
    assert spy.objects > 1000
    assert spy.found == []
    assert outcome.turns


def test_the_walk_finds_a_label_that_is_in_reach() -> None:
    gold = Gold("gold")

    def closure() -> str:
        return gold

    class Holder:
        def __init__(self) -> None:
            self.inner = {"a": [closure]}

    assert any(isinstance(item, Gold) for item in reachable([Holder()]))
    spy = Spy()

    async def asks() -> None:
        label = gold  # in a frame of the task
        spy.look(label)

    asyncio.run(asks())
    assert spy.found
