"""Asking whether an answer is right where the gold is out of reach: for policies that are told so (`critic-oracle`).

The gold stays in a thread of its own. Whoever asks holds a queue to it, and gets back one bit for each question.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from queue import SimpleQueue
from typing import NamedTuple

from redraft.studies.metrics import Metric
from redraft.studies.rows import Gold, Row
from redraft.types import Task

__all__ = ["Desk"]


class _Question(NamedTuple):
    task: Task
    answer: str
    said: SimpleQueue[bool]


class Desk:
    """Says of an answer to one of the rows' tasks whether the metric calls it right in full. Close it to end its thread."""

    def __init__(self, rows: Sequence[Row], metric: Metric) -> None:
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()
        golds = {row.task: row.gold for row in rows}
        threading.Thread(target=_answer, args=(golds, metric, self._questions), name="redraft-desk", daemon=True).start()

    def says_right(self, task: Task, answer: str) -> bool:
        """Whether this answer to this task is right; waits for it."""
        said: SimpleQueue[bool] = SimpleQueue()
        self._questions.put(_Question(task, answer, said))
        return said.get()

    def close(self) -> None:
        self._questions.put(None)


def _answer(golds: Mapping[Task, Gold], metric: Metric, questions: SimpleQueue[_Question | None]) -> None:
    while (question := questions.get()) is not None:
        gold = golds.get(question.task)
        try:
            right = gold is not None and bool(question.answer.strip()) and metric.right(metric.score(question.answer, gold))
        except Exception:  # whoever asked is waiting, and is not to see what the gold broke
            right = False
        question.said.put(right)
