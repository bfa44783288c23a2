"""The questions of a study: our own twenty in eight domains, or a file of rows. Gold answers, where a row has any, are left out: the judge is blind."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from redraft.errors import InputError
from redraft.studies.rows import read_lines, row_from_mapping
from redraft.types import Task

__all__ = ["DOMAINS", "OWN", "Question", "questions_hash", "read_questions"]

DOMAINS = ("science", "law", "ethics", "economics", "medicine", "history", "computing", "public policy")
OWN = "questions.jsonl"
LEAST = 2
"""Questions of a study."""
EXAMPLE = '{"id": "q1", "domain": "law", "query": "What makes a contract void?"}'


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, and the group that it belongs to (its domain); questions without one are a group of their own."""

    id: str
    domain: str
    task: Task


def read_questions(path: Path | None = None, *, limit: int | None = None) -> tuple[Question, ...]:
    """The questions of a JSON lines file, or our own; the first `limit` of them. Without a `kind` an answer is a text (`report`).

    Raises:
        InputError: the file cannot be read, or a line is no question; the line is named.
    """
    where = str(path) if path is not None else OWN
    if path is None:
        with as_file(files("redraft.studies").joinpath(OWN)) as own:
            lines, bad = read_lines(own)
    else:
        lines, bad = read_lines(path)
    if bad:
        raise InputError(f"{where}, line {bad[0].line}: {bad[0].message}; a line looks like {EXAMPLE}")
    folder = path.parent if path is not None else Path(".")
    found = [_question(values, number, folder, where) for number, values in lines][:limit]
    if not found:
        raise InputError(f"{where} holds no question; a line looks like {EXAMPLE}")
    if len(found) < LEAST:
        raise InputError(f"{where} holds one question; a study compares the arms over at least {LEAST}, and sees little below twenty")
    seen: set[str] = set()
    asked: dict[tuple[str, str], str] = {}
    for question in found:
        if question.id in seen:
            raise InputError(f"{where}: two questions have the id {question.id!r}")
        seen.add(question.id)
        same = asked.setdefault((question.task.context, question.task.query), question.id)
        if same != question.id:
            raise InputError(f"{where}: {same!r} and {question.id!r} ask the same; equal requests get equal replies, so that it would be counted twice")
    return tuple(found)


def questions_hash(questions: Sequence[Question]) -> str:
    """Equal for equal questions in the same order."""
    text = json.dumps([[item.id, item.domain, item.task.query, item.task.kind, item.task.context] for item in questions], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _question(given: Mapping[str, Any], number: int, folder: Path, where: str) -> Question:
    domain = given.get("domain")
    if domain is not None and not isinstance(domain, str):
        raise InputError(f"{where}, line {number}: 'domain' must be text")
    kept = {key: value for key, value in given.items() if key not in ("answer", "answers", "hidden_tests", "domain")}
    try:
        row = row_from_mapping({"kind": "report", **kept}, line=number, folder=folder)
    except InputError as error:
        raise InputError(f"{where}, line {number}: {error}") from None
    return Question(id=row.id, domain=domain or row.id, task=row.task)
