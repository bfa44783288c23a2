"""How good a text is as the answer to a recorded question: by a metric against gold, by scores that somebody gave before, or by a blind judge now.

Whatever it is, it looks at the question and the text alone. Records hold no gold: questions are matched by their words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from redraft.errors import InputError
from redraft.studies.blind import BlindJudge, Case, gathered, presentable
from redraft.studies.metrics import Metric
from redraft.studies.prefixes import Score
from redraft.studies.rows import Gold, Row
from redraft.types import Task

__all__ = ["blind_cases", "cluster_by", "given_scores", "gold_scores", "judge_cases", "judged_scores"]


def gold_scores(rows: Sequence[Row], metric: Metric) -> Score:
    """Scores by a metric, for questions that are among the rows (equal query and context)."""
    golds: dict[tuple[str, str], Gold] = {(row.task.query, row.task.context): row.gold for row in rows}
    known: dict[tuple[str, str, str], float] = {}

    def score(task: Task, text: str) -> float | None:
        gold = golds.get((task.query, task.context))
        if gold is None:
            return None
        key = (task.query, task.context, text)
        if key not in known:
            known[key] = metric.score(text, gold) if text.strip() else 0.0
        return known[key]

    return score


def given_scores(path: Path) -> Score:
    """Scores from a file of JSON lines: {"query", "answer", "score"}, score in [0, 1].

    Raises:
        InputError: the file cannot be read, is empty, or a line is something else; the line is named.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    found: dict[tuple[str, str], float] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            query, answer, value = _given(line, f"{path}, line {number}")
            if found.setdefault((query, answer), value) != value:
                raise InputError(f"{path}, line {number}: the same answer to the same question has another score above; give their mean once")
    if not found:
        raise InputError(f"{path} is empty; give JSON lines such as " + '{"query": "…", "answer": "…", "score": 0.8}')
    return lambda task, text: found.get((task.query, text))


def blind_cases(asked: Iterable[tuple[Task, str]]) -> list[Case]:
    """What a blind judge would have to be shown, each once, in an order that does not depend on where it came from."""
    return sorted({Case(question=task.query, answer=presentable(text)) for task, text in asked}, key=lambda case: (case.question, case.answer))


async def judge_cases(judge: BlindJudge, cases: Sequence[Case], *, concurrency: int = 8, done: Callable[[], None] = lambda: None) -> dict[Case, float]:
    """The judge's quality of each case; what it gave no usable reply to is absent."""

    def asking(case: Case) -> Any:
        return lambda: judge.score(case)

    scores = await gathered([asking(case) for case in cases], concurrency=concurrency, done=done)
    return {case: score.quality for case, score in zip(cases, scores, strict=True) if score is not None}


def judged_scores(judged: Mapping[Case, float]) -> Score:
    """Scores from what a judge gave."""
    return lambda task, text: judged.get(Case(question=task.query, answer=presentable(text)))


def cluster_by(rows: Sequence[Row], name: str) -> Callable[[Task], str]:
    """The value of one of the rows' own fields, for each question.

    Raises:
        InputError: no row has the field.
    """
    found = {(row.task.query, row.task.context): str(row.extra[name]) for row in rows if name in row.extra}
    if not found:
        known = sorted({key for row in rows for key in row.extra})
        raise InputError(f"no row has the field {name!r} to group by; " + (f"there is {', '.join(known)}" if known else "the rows have none of their own"))
    return lambda task: found.get((task.query, task.context), task.query)


def _given(line: str, where: str) -> tuple[str, str, float]:
    try:
        values: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{where}: not JSON") from None
    fields = cast("dict[str, Any]", values) if isinstance(values, dict) else {}
    query, answer, score = fields.get("query"), fields.get("answer"), fields.get("score")
    if not isinstance(query, str) or not isinstance(answer, str) or isinstance(score, bool) or not isinstance(score, int | float):
        raise InputError(f"{where}: " + 'an object with "query", "answer" and "score" is wanted')
    if not 0 <= score <= 1:
        raise InputError(f"{where}: a score lies in [0, 1]; divide scores of another scale by their maximum")
    return query, answer, float(score)
