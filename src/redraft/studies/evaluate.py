"""A policy measured over data rows: each row is run, then its draft and its answer are scored against the gold.

The gold stays on this side: what runs a row is handed the `Task` alone. Finished rows are appended to a file at once, in row order, so that an
interrupted evaluation goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from redraft.errors import InputError, UsageError
from redraft.outcome import UNVERIFIED_MARK, to_json
from redraft.studies.faults import fault_of
from redraft.studies.informative import informativeness, reference_of
from redraft.studies.metrics import Metric
from redraft.studies.rows import BadRow, Row
from redraft.studies.running import OpenRunner, Result, run_tasks
from redraft.studies.stats import bootstrap_interval, mcnemar_exact, paired_interval
from redraft.types import Outcome

__all__ = ["Results", "Setting", "evaluate", "is_abstention", "rightness", "score_outcome", "summarise", "total_usage", "usable"]

USAGE_COUNTS = ("llm_calls", "tool_calls", "input_tokens", "output_tokens", "cached_tokens")
OURS = ("outcome", "score", "run")


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What makes two evaluated rows comparable."""

    metric: str
    policy: str
    policy_hash: str
    model: str
    seed: int
    tolerance: float | None = None

    def plain(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


class Results:
    """The rows of an evaluation, kept in a file of JSON lines where one is given. Only whole lines count; a torn last line is dropped."""

    def __init__(self, setting: Setting, path: Path | None = None) -> None:
        self._setting = setting
        self._path = path
        self.done: dict[str, dict[str, Any]] = {}
        self._handle = -1
        if path is not None:
            self._resume(path)

    def add(self, record: dict[str, Any]) -> None:
        """Keep one finished row, on disk before this returns.

        Raises:
            InputError: the file cannot be written.
        """
        self.done[record["run"]["key"]] = record
        if self._path is None:
            return
        line = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "backslashreplace")
        try:
            while line:
                line = line[os.write(self._handle, line) :]
            os.fsync(self._handle)
        except OSError as error:
            raise InputError(f"cannot write {self._path}: {error.strerror or error}; choose another file with -o") from None

    def _resume(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: it is not a file of its own; choose another file with -o")
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
            weakref.finalize(self, os.close, self._handle)
            _lock(self._handle, path)
            content = b"".join(iter(lambda: os.read(self._handle, 1 << 20), b""))
            whole = content[: content.rfind(b"\n") + 1]
            if len(whole) != len(content):
                os.ftruncate(self._handle, len(whole))
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}; choose another file with -o") from None
        for number, line in enumerate(whole.split(b"\n"), start=1):
            if line.strip():
                record = self._record(line, path, number)
                self.done[record["run"]["key"]] = record

    def _record(self, line: bytes, path: Path, number: int) -> dict[str, Any]:
        try:
            record: Any = json.loads(line)
            run = dict(record["run"])
            key, score, usage = run.pop("key"), record["score"], record["outcome"]["usage"]
            complete = [float(score["before"]), float(score["after"]), score["abstained"], len(record["outcome"]["turns"]), int(usage["llm_calls"])]
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{path}, line {number} is not a row of an evaluation; choose another file with -o") from None
        if run != self._setting.plain():
            differing = ", ".join(f"{name} {value!r}" for name, value in run.items() if value != self._setting.plain().get(name))
            raise UsageError(f"{path} holds rows of another evaluation ({differing}); choose another file with -o, or delete it to start afresh")
        assert isinstance(key, str)
        assert complete
        return cast("dict[str, Any]", record)


def _lock(handle: int, path: Path) -> None:
    """Keep other processes from the file until it is closed: two at once would run the same rows and take each other's last line for a torn one.

    Raises:
        InputError: another process has it.
    """
    try:
        import fcntl
    except ImportError:  # not on this platform
        return
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise InputError(f"another process is writing to {path}; wait until it has ended, or choose another file with -o") from None
    except OSError:
        return  # a file system without locks


def usable(rows: Sequence[Row], metric: Metric) -> tuple[list[Row], list[BadRow]]:
    """The rows that have what the metric compares with, and the others with the reason."""
    good: list[Row] = []
    bad: list[BadRow] = []
    for row in rows:
        if not metric.needs or (row.gold.answers if metric.needs == "answers" else row.gold.hidden_tests.strip()):
            good.append(row)
        else:
            bad.append(BadRow(line=row.line, message=f"has no {metric.needs!r}, which the metric {metric.name!r} compares with"))
    return good, bad


def evaluate(
    rows: Sequence[Row],
    open_runner: OpenRunner,
    metric: Metric,
    results: Results,
    setting: Setting,
    *,
    concurrency: int = 1,
    on_row: Callable[[Row, Mapping[str, Any] | str], None] = lambda row, record: None,
) -> list[dict[str, Any]]:
    """Run and score the rows that `results` does not hold yet; the records of all of them, in row order.

    A row that cannot be run as it is (an unreadable table) is reported to `on_row` with a message in place of a record, and skipped.
    """
    waiting = [row for row in rows if row.key not in results.done]
    for row in rows:
        if row.key in results.done:
            on_row(row, results.done[row.key])

    def take(index: int, result: Result) -> None:
        row = waiting[index]
        if isinstance(result, UsageError):
            on_row(row, str(result))
            return
        try:
            record = score_outcome(row, result, metric, setting)
        except UsageError as error:  # what scores it gave no score
            on_row(row, str(error))
            return
        results.add(record)
        on_row(row, record)

    run_tasks([row.task for row in waiting], open_runner, take, concurrency=concurrency)
    return [results.done[row.key] for row in rows if row.key in results.done]


def score_outcome(row: Row, outcome: Outcome, metric: Metric, setting: Setting) -> dict[str, Any]:
    """The output row: the input's id, unknown keys and gold, the outcome, and the scores. An abstention is not right.

    `score` holds the score of the draft, of the answer, and of the text that was kept after each turn; how much draft and answer say, where that is defined;
    and where the run went wrong, if it did. Our own marks of what is unverified are no part of an answer.

    Raises:
        UsageError: a text could not be scored.
    """
    abstained = is_abstention(outcome)
    known: dict[str, float] = {}

    def score(text: str) -> float:
        if not text.strip():
            return metric.worst
        if text not in known:
            known[text] = metric.score(text, row.gold)
        return known[text]

    answer = outcome.answer.replace(UNVERIFIED_MARK, "")
    given = bool(answer.strip()) and (not abstained or metric.lower_is_better)
    kept, by_turn = outcome.draft, [score(outcome.draft)]
    for turn in outcome.turns:
        kept = turn.candidate.text if turn.decision.accepted else kept
        by_turn.append(score(kept))
    reference = reference_of(outcome.draft, row.gold.answers)
    told = (
        None
        if metric.needs != "answers"
        else {"before": informativeness(outcome.draft, reference), "after": 0.0 if abstained else informativeness(answer, reference)}
    )
    extra = {f"input_{key}" if key in OURS else key: value for key, value in row.extra.items()}
    return {
        "id": row.id,
        **extra,
        "kind": row.task.kind,
        "answers": list(row.gold.answers),
        "score": {
            "before": score(outcome.draft),
            "after": score(answer) if given else metric.worst,
            "abstained": abstained,
            "by_turn": by_turn,
            "informative": told,
            "fault": fault_of(outcome, row.gold.answers, abstained=abstained, right=lambda text: metric.right(score(text.replace(UNVERIFIED_MARK, "")))),
        },
        "outcome": to_json(outcome),
        "run": {"key": row.key, **setting.plain()},
    }


def is_abstention(outcome: Outcome) -> bool:
    """Whether the run put an honest "could not be verified" in place of an answer, or gave none."""
    if outcome.status == "failed" or not outcome.answer.strip():
        return True
    shown = outcome.answer.replace(UNVERIFIED_MARK, "")
    return outcome.status == "unverified" and shown != outcome.draft and not any(turn.decision.accepted for turn in outcome.turns)


def summarise(records: Sequence[Mapping[str, Any]], metric: Metric, setting: Setting, *, seconds: float) -> dict[str, Any]:
    """The figures of an evaluation, with exactly the keys of the contract; what is undefined is None.

    Right means the full score, so for a graded metric an answer that only improved counts as unchanged; the means and the interval show it.

    Raises:
        InputError: there is no record.
    """
    if not records:
        raise InputError("no row could be evaluated; the reasons are above")
    befores, afters = [float(item["score"]["before"]) for item in records], [float(item["score"]["after"]) for item in records]
    right_before, right_after = rightness(records, metric)
    pairs = list(zip(right_before, right_after, strict=True))
    gained, lost = pairs.count((False, True)), pairs.count((True, False))
    total = len(records)
    if metric.binary:
        interval = paired_interval(right_before, right_after)
    else:
        interval = bootstrap_interval([after - before for before, after in zip(befores, afters, strict=True)], seed=setting.seed)
    return {
        "n": total,
        "metric": metric.name,
        "policy": setting.policy,
        "model": setting.model,
        "before": _rounded(sum(befores) / total),
        "after": _rounded(sum(afters) / total),
        "wrong_to_right": gained,
        "right_to_wrong": lost,
        "unchanged_right": pairs.count((True, True)),
        "unchanged_wrong": pairs.count((False, False)),
        "abstained": sum(bool(item["score"]["abstained"]) for item in records),
        "improvement_rate": _share(gained, right_before.count(False)),
        "regression_rate": _share(lost, right_before.count(True)),
        "mean_turns": _rounded(sum(len(item["outcome"]["turns"]) for item in records) / total),
        "ci95": [_rounded(interval[0]), _rounded(interval[1])],
        "p_value": float(f"{mcnemar_exact(gained, lost):.6g}") if metric.binary else None,  # a small one is not 0
        "usage": total_usage([item["outcome"]["usage"] for item in records]),
        "seconds": round(seconds, 3),
    }


def rightness(records: Sequence[Mapping[str, Any]], metric: Metric) -> tuple[list[bool], list[bool]]:
    """Whether each record's draft and its answer are right; an abstention is not, whatever it says."""
    before = [bool(str(item["outcome"]["draft"]).strip()) and metric.right(float(item["score"]["before"])) for item in records]
    return before, [not item["score"]["abstained"] and metric.right(float(item["score"]["after"])) for item in records]


def total_usage(usages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of usages; the cost is None as soon as one price is unknown."""
    costs = [usage.get("cost_usd") for usage in usages]
    total: dict[str, Any] = {name: sum(int(usage[name]) for usage in usages) for name in USAGE_COUNTS}
    total["cost_usd"] = None if any(cost is None for cost in costs) else sum(float(cost) for cost in costs if cost is not None)
    total["seconds"] = round(sum(float(usage["seconds"]) for usage in usages), 3)
    return total


def _share(part: int, whole: int) -> float | None:
    return _rounded(part / whole) if whole else None


def _rounded(value: float) -> float:
    return round(value, 6)
