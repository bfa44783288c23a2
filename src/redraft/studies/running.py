"""Running tasks where the gold is out of reach, and judging what they gave where it is not.

The tasks run in the event loop of the calling thread, which is handed tasks and nothing else. Their outcomes go through a queue to a second
thread, where whoever compares them with the gold takes them. So nothing that a model, a tool or a callback of a run can follow leads to the gold,
not even through the event loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from queue import SimpleQueue

from redraft.errors import UsageError
from redraft.types import Outcome, Task

__all__ = ["OpenRunner", "Result", "Run", "run_tasks"]

Run = Callable[[Task], Awaitable[Outcome]]
OpenRunner = Callable[[], AbstractAsyncContextManager[Run]]
"""Opens what runs the tasks, in the event loop in which they run, and releases it afterwards."""
Result = Outcome | UsageError
"""The outcome of a task, or why it cannot be run as it is (an unreadable table)."""


def run_tasks(tasks: Sequence[Task], open_runner: OpenRunner, take: Callable[[int, Result], None], *, concurrency: int = 1) -> None:
    """Run the tasks, and hand each result with the task's index to `take`, in order, in another thread.

    Where `take` raises, no further task is begun, and the error is raised here. On an interrupt, what is complete is still taken.
    """
    results: SimpleQueue[tuple[int, Result] | None] = SimpleQueue()
    stopping = threading.Event()
    failures: list[Exception] = []

    def consume() -> None:
        early: dict[int, Result] = {}
        due = 0
        while (item := results.get()) is not None:
            early[item[0]] = item[1]
            while due in early and not failures:
                try:
                    take(due, early.pop(due))
                except Exception as error:  # raised below, in the caller's thread
                    failures.append(error)
                    stopping.set()
                due += 1

    consumer = threading.Thread(target=consume, name="judging", daemon=True)
    consumer.start()
    try:
        asyncio.run(_produce(tuple(tasks), open_runner, results.put, stopping.is_set, concurrency))
    finally:
        results.put(None)
        consumer.join()
    if failures:
        raise failures[0]


async def _produce(
    tasks: tuple[Task, ...], open_runner: OpenRunner, put: Callable[[tuple[int, Result]], None], stopped: Callable[[], bool], concurrency: int
) -> None:
    async with open_runner() as run:
        slots = asyncio.Semaphore(concurrency)

        async def one(index: int, task: Task) -> None:
            async with slots:
                if stopped():
                    return
                try:
                    result: Result = await run(task)
                except UsageError as error:
                    result = error
                put((index, result))

        await asyncio.gather(*(one(index, task) for index, task in enumerate(tasks)))
