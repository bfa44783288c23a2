"""Calibration of confidence on labelled data, so that 0.9 means 0.9: what was stated, whether it was right, and the curve between the two.

Three shapes of row, told apart by their keys:

    {"method": "judged", "confidence": 0.9, "right": true}                              recorded before; nothing is run
    {"claim": "…", "evidence": "…", "stance": "refute"}                                 a claim judged against one passage
    {"query": "…", "answer": "…", "label": false} or with "claims": [{"claim", "label"}]  a task row, checked with its documents and tables

Half of the rows, drawn by seed, measures; the curve that is measured is fitted to the other half, and the one that is kept to all of them. A method
with too few rows is refused, and one that the held-out half says is not helped keeps its confidence as it is stated.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from redraft.claims.confidence import Curve, Labelled, brier, calibrated, expected_calibration_error, isotonic
from redraft.claims.edits import align
from redraft.effects import ENTAILMENT, Effects
from redraft.errors import InputError, UsageError
from redraft.models.calibration import METHODS
from redraft.protocols import Route
from redraft.studies.rows import BadRow, row_from_mapping
from redraft.studies.running import OpenRunner, Result, run_tasks
from redraft.types import Check, CheckStatus, Claim, Evidence, Outcome, Task, ToolResult, Verdict

__all__ = ["LEAST_ROWS", "Fitted", "LabelledRow", "PairPlanner", "Reading", "fit", "is_pair", "measure", "read_labelled", "save_calibration"]

LEAST_ROWS = 100
"""Decided rows of a method below which a curve says more about chance than about the model."""

STATUS: Mapping[str, CheckStatus | None] = {
    **dict.fromkeys(("supported", "true", "support", "supports", "completely support", "entailment"), "supported"),
    **dict.fromkeys(("contradicted", "false", "refute", "refutes", "refuted", "contradiction"), "contradicted"),
    **dict.fromkeys(("insufficient", "irrelevant", "neutral", "not enough info", "nei", "not supported", "unrelated"), "insufficient"),
    **dict.fromkeys(("partially support", "partially supported", "partially supports", "partial"), None),
}
"""What labels mean as a verdict; None: partly true, so that neither verdict is right or wrong, and the row is left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledRow:
    """A task with what is known of its claims. The labels never reach what checks it."""

    line: int
    task: Task
    labels: tuple[tuple[str, CheckStatus], ...]
    """Words of the answer and their true verdict; empty words stand for the whole answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A file of labelled rows: what was recorded already, what is to be run, what is partly true and left out, and the lines that cannot be used."""

    recorded: Mapping[str, tuple[Labelled, ...]]
    rows: tuple[LabelledRow, ...]
    partial: int
    bad: tuple[BadRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fitted:
    """What was found of one method. `curve` is empty where it was refused, and `why` says why."""

    method: str
    n: int
    right: int
    curve: Curve = ()
    why: str = ""
    held_out: Mapping[str, float | int] | None = None

    def plain(self) -> dict[str, Any]:
        """As it stands in the file."""
        curve = [list(point) for point in self.curve]
        return {"n": self.n, "right": self.right, "curve": curve, "why": self.why, "held_out": dict(self.held_out) if self.held_out else None}


class PairPlanner:
    """One claim, the whole text, against the one passage that came with it: left to the judge or to the local verifier."""

    name = "pair"

    async def plan(self, task: Task, text: str, effects: Effects, known: Mapping[str, Check]) -> tuple[Route, ...]:
        claim = Claim(id="claim", text=text, span=(0, len(text)))
        passage = Evidence(tool="given", input="", text=task.context, source="the passage given with the claim")

        def decide(results: Sequence[ToolResult]) -> Verdict | None:
            return None

        return (Route(claim=claim, results=((passage,),), decide=decide),)


def is_pair(task: Task) -> bool:
    """Whether a task is a claim with its passage, for `PairPlanner`."""
    return not task.query and bool(task.context)


def read_labelled(path: Path) -> Reading:
    """All labelled rows of a JSON lines file.

    Raises:
        InputError: the file cannot be read, is not UTF-8 text, or has no line.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; give a file of JSON lines, one labelled row a line") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}); convert it to UTF-8") from None
    recorded: dict[str, list[Labelled]] = {}
    rows: list[LabelledRow] = []
    bad: list[BadRow] = []
    partial = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values = _object(line)
            if "confidence" in values:
                method, row = _recorded(values)
                recorded.setdefault(method, []).append(row)
                continue
            found = _labelled(values, number, path.parent)
        except InputError as error:
            bad.append(BadRow(line=number, message=str(error)))
            continue
        if found.labels:
            rows.append(found)
        else:
            partial += 1
    if not (recorded or rows or partial or bad):
        raise InputError(f"{path} is empty; give a file of JSON lines, one labelled row a line")
    return Reading(recorded={method: tuple(items) for method, items in recorded.items()}, rows=tuple(rows), partial=partial, bad=tuple(bad))


def measure(
    rows: Sequence[LabelledRow], open_runner: OpenRunner, on_row: Callable[[LabelledRow, str], None], *, concurrency: int = 1
) -> Mapping[str, tuple[Labelled, ...]]:
    """Check every row and compare what was decided with its labels: for each method the confidence as stated, and whether the verdict was right.

    `on_row` is told of each row, and why it could not be run, or an empty text.
    """
    found: dict[str, list[Labelled]] = {}

    def take(index: int, result: Result) -> None:
        row = rows[index]
        if isinstance(result, UsageError):
            on_row(row, str(result))
            return
        for method, labelled in _compared(row, result):
            found.setdefault(method, []).append(labelled)
        on_row(row, "")

    run_tasks([row.task for row in rows], open_runner, take, concurrency=concurrency)
    return {method: tuple(items) for method, items in found.items()}


def fit(rows: Mapping[str, Sequence[Labelled]], *, seed: int = 0, minimum: int = LEAST_ROWS) -> tuple[Fitted, ...]:
    """For each method the curve, and how well stated and calibrated confidence do on the half of the rows that the measured curve has not seen."""
    return tuple(_fitted(method, rows[method], seed, minimum) for method in METHODS if rows.get(method))


def save_calibration(path: Path, fitted: Sequence[Fitted], *, model: str, seed: int, made: str) -> None:
    """Write a calibration that a Refiner can apply.

    Raises:
        InputError: the file cannot be written.
    """
    content = {"schema": 1, "model": model, "seed": seed, "made": made, "methods": {item.method: item.plain() for item in fitted}}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def _fitted(method: str, rows: Sequence[Labelled], seed: int, minimum: int) -> Fitted:
    count, right = len(rows), sum(label for _, label in rows)
    if count < minimum:
        return Fitted(method=method, n=count, right=right, why=f"too few: {count} decided rows, at least {minimum} are needed")
    if right in (0, count):
        why = f"all {count} decided rows are {'right' if right else 'wrong'}: rows of one kind do not say how far a confidence tells one from the other"
        return Fitted(method=method, n=count, right=right, why=why)
    drawn = sorted(rows)
    random.Random(seed).shuffle(drawn)
    learnt, held = drawn[: count // 2], drawn[count // 2 :]
    curves = {method: isotonic(learnt)}
    after = [(calibrated(curves, method, confidence), label) for confidence, label in held]
    figures: dict[str, float | int] = {"n": len(held)}
    for name, items in (("before", held), ("after", after)):
        figures[f"brier_{name}"] = round(brier(items) or 0.0, 4)
        figures[f"ece_{name}"] = round(expected_calibration_error(items) or 0.0, 4)
    if figures["brier_after"] > figures["brier_before"]:
        return Fitted(method=method, n=count, right=right, why="left as stated: on the held-out half a curve does not help", held_out=figures)
    return Fitted(method=method, n=count, right=right, curve=isotonic(rows), held_out=figures)


def _compared(row: LabelledRow, outcome: Outcome) -> Iterable[tuple[str, Labelled]]:
    """Each decided check that a label speaks of, by the method whose confidence it states."""
    passages = {item.id: item for item in outcome.evidence}
    whole = next((status for words, status in row.labels if not words), None)
    spans = [(span, status) for words, status in row.labels if words and (span := align(words, outcome.draft)) is not None]
    for check in outcome.draft_checks:
        if check.status not in ("supported", "contradicted") or check.claim.kind == "coverage":
            continue
        local = any(passages[name].tool == ENTAILMENT for name in check.evidence if name in passages)
        if local:
            method = "entailed" if check.status == "supported" else "refuted"
        elif check.method == "judged" or check.plan == "chosen":
            method = "judged" if check.method == "judged" else "chosen"
        else:
            continue
        start, end = check.claim.span
        near = {status for span, status in spans if 2 * (min(end, span[1]) - max(start, span[0])) > max(end - start, span[1] - span[0])}
        truth = next(iter(near)) if len(near) == 1 else whole
        if truth is not None:
            yield method, (check.confidence, check.status == truth)


def _object(line: str) -> Mapping[str, Any]:
    try:
        values: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("not JSON") from None
    if not isinstance(values, dict):
        raise InputError("not a JSON object")
    return cast("dict[str, Any]", values)


def _recorded(values: Mapping[str, Any]) -> tuple[str, Labelled]:
    method, confidence, right = values.get("method", "judged"), values["confidence"], values.get("right")
    if method not in METHODS:
        raise InputError(f"'method' is {method!r}; it must be one of {', '.join(METHODS)}")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not math.isfinite(confidence) or not 0 <= confidence <= 1:
        raise InputError("'confidence' must be a number from 0 to 1")
    if not isinstance(right, bool):
        raise InputError("'right' must be true or false")
    return method, (float(confidence), right)


def _labelled(values: Mapping[str, Any], line: int, folder: Path) -> LabelledRow:
    """A row to be run; without labels where all that is said of it is that it is partly true."""
    if "evidence" in values:
        claim, evidence = values.get("claim"), values["evidence"]
        if not isinstance(claim, str) or not claim.strip() or not isinstance(evidence, str) or not evidence.strip():
            raise InputError("'claim' and 'evidence' must be texts that are not empty")
        status = _status(values.get("stance", values.get("label")))
        task = Task(query="", kind="report", answer=claim, context=evidence)
        return LabelledRow(line=line, task=task, labels=((("", status),) if status else ()))
    row = row_from_mapping(values, line=line, folder=folder)
    if not (row.task.answer or "").strip():
        raise InputError("'answer' is missing: labels are about an answer")
    labels: list[tuple[str, CheckStatus]] = []
    if "label" in values and (status := _status(values["label"])):
        labels.append(("", status))
    given: Any = values.get("claims", [])
    for item in cast("list[Any]", given) if isinstance(given, list) else []:
        entry = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        words = entry.get("claim", entry.get("text"))
        if not isinstance(words, str) or not words.strip():
            raise InputError("each of 'claims' needs a 'claim' (words of the answer) and a 'label'")
        if status := _status(entry.get("label")):
            labels.append((words, status))
    if not labels and "label" not in values and not given:
        raise InputError("neither a 'label' nor 'claims' with labels")
    return LabelledRow(line=line, task=row.task, labels=tuple(labels))


def _status(label: object) -> CheckStatus | None:
    name = " ".join(str(label).lower().replace("_", " ").replace("-", " ").split())
    if name not in STATUS:
        raise InputError(f"the label {label!r} is not known; use true, false, supported, contradicted or insufficient")
    return STATUS[name]
