"""The oracle: the caller's function that says whether an answer is right, asked through a tool that holds nothing of it. For evaluation only.

The function, and whatever it compares with, lives in a thread of its own. The tool has a queue of questions to that thread and gets back one word, so
that no object that a run can reach leads to a gold answer.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple

from redraft.types import Evidence, Failure, ToolCall, ToolResult

__all__ = ["Oracle", "OracleTool"]

Oracle = Callable[[str], bool]
"""Whether this answer is right."""
WORDS = {True: "right", False: "wrong"}


class _Question(NamedTuple):
    text: str
    loop: asyncio.AbstractEventLoop
    said: asyncio.Future[bool | None]


class OracleTool:
    """Asks the oracle; its evidence has the value `right` or `wrong`. It serves any number of runs, and its thread ends when nothing holds it any more."""

    name = "oracle"
    summary = "Says whether an answer is right; for evaluation only."
    timeout_seconds = 60.0

    def __init__(self, oracle: Oracle) -> None:
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()
        threading.Thread(target=_desk, args=(oracle, self._questions), name="redraft-oracle", daemon=True).start()
        weakref.finalize(self, self._questions.put, None)

    async def run(self, call: ToolCall) -> ToolResult:
        loop = asyncio.get_running_loop()
        said: asyncio.Future[bool | None] = loop.create_future()
        self._questions.put(_Question(call.input, loop, said))
        verdict = await said
        if verdict is None:
            return Failure(tool=self.name, input=call.input, kind="broken", message="the caller's function failed")
        return (Evidence(tool=self.name, input=call.input, text=WORDS[verdict], value=WORDS[verdict]),)

    async def close(self) -> None:
        """Nothing to release before it is collected."""


def _desk(oracle: Oracle, questions: SimpleQueue[_Question | None]) -> None:
    """Answer questions until told to end. What the function raises is not passed on: a traceback would lead to what the function knows."""
    while (question := questions.get()) is not None:
        try:
            verdict: bool | None = bool(oracle(question.text))
        except Exception:
            verdict = None
        try:
            question.loop.call_soon_threadsafe(_answer, question.said, verdict)
        except RuntimeError:
            continue  # the run that asked is over


def _answer(said: asyncio.Future[bool | None], verdict: bool | None) -> None:
    if not said.done():
        said.set_result(verdict)
