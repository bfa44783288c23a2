"""One evaluation against others over the same rows: which policy, or which model, does better, and at what price. Paired by row, from their output files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from redraft.errors import InputError
from redraft.studies.breakdown import Record
from redraft.studies.evaluate import Setting, rightness
from redraft.studies.metrics import Metric
from redraft.studies.stats import bootstrap_interval, mcnemar_exact, paired_interval, shares

__all__ = ["compared", "points", "read_records"]


def read_records(path: Path, setting: Setting) -> list[Record]:
    """The rows that another evaluation wrote with `-o`, whatever its policy, model and seed.

    Raises:
        InputError: the file cannot be read, holds something else, or rows of another metric.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}; name a file that eval wrote with -o") from None
    records: list[Record] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = cast("dict[str, Any]", json.loads(line))
            run, usage = record["run"], record["outcome"]["usage"]
            _ = (
                float(record["score"]["after"]),
                int(usage["input_tokens"]),
                str(run["key"]),
                bool(record["score"]["abstained"]),
                str(record["outcome"]["draft"]),
            )
            measured = run["metric"], run["tolerance"]
        except (ValueError, KeyError, TypeError):
            if number == len(lines):
                continue  # a last line that was being written
            raise InputError(f"{path}, line {number} is not a row of an evaluation; name a file that eval wrote with -o") from None
        if measured != (setting.metric, setting.tolerance):
            raise InputError(f"{path} holds rows of the metric {measured[0]!r}; compare with rows of the metric {setting.metric!r}")
        records.append(record)
    if not records:
        raise InputError(f"{path} has no row; name a file that eval wrote with -o")
    return records


def compared(records: Sequence[Record], others: Sequence[Record], metric: Metric, setting: Setting) -> dict[str, Any]:
    """These answers against the others', over the rows that both have: the difference is this − other, and gained are rows that only these have right.

    Raises:
        InputError: they have no row in common.
    """
    mine, theirs = _common(records, others)
    ours, other = [_after(item) for item in mine], [_after(item) for item in theirs]
    differences = [first - second for first, second in zip(ours, other, strict=True)]
    right, right_there = rightness(mine, metric)[1], rightness(theirs, metric)[1]
    pairs = list(zip(right_there, right, strict=True))
    gained, lost = pairs.count((False, True)), pairs.count((True, False))
    interval = paired_interval(right_there, right) if metric.binary else bootstrap_interval(differences, seed=setting.seed)
    parts = shares([-value if metric.lower_is_better else value for value in differences])
    return {
        "policy": theirs[0]["run"]["policy"],
        "model": theirs[0]["run"]["model"],
        "n": len(mine),
        "this": round(math.fsum(ours) / len(ours), 6),
        "other": round(math.fsum(other) / len(other), 6),
        "difference": round(math.fsum(differences) / len(differences), 6),
        "ci95": [round(interval[0], 6), round(interval[1], 6)],
        "gained": gained,
        "lost": lost,
        "p_value": float(f"{mcnemar_exact(gained, lost):.6g}") if metric.binary else None,
        "shares": {"better": parts.better, "worse": parts.worse, "tied": parts.tied},
        "tokens": [round(_mean_tokens(items), 3) for items in (mine, theirs)],
    }


def points(arms: Mapping[str, Sequence[Record]], setting: Setting) -> tuple[int, list[dict[str, Any]]]:
    """Mean score and mean tokens of each arm over the rows that all of them have, and how many these are."""
    by_key = {name: {str(item["run"]["key"]): item for item in items} for name, items in arms.items()}
    shared = set[str]().union(*map(set, by_key.values())).intersection(*by_key.values())
    if not shared:
        return 0, []
    found: list[dict[str, Any]] = []
    for name, items in by_key.items():
        kept = [items[key] for key in sorted(shared)]
        scores = [_after(item) for item in kept]
        interval = bootstrap_interval(scores, seed=setting.seed)
        found.append({"label": name, "quality": math.fsum(scores) / len(scores), "cost": _mean_tokens(kept), "ci95": list(interval)})
    return len(shared), found


def _common(records: Sequence[Record], others: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    there = {str(item["run"]["key"]): item for item in others}
    mine = [item for item in records if str(item["run"]["key"]) in there]
    if not mine:
        raise InputError("the evaluations have no row in common; compare evaluations of the same data")
    return mine, [there[str(item["run"]["key"])] for item in mine]


def _after(record: Record) -> float:
    return float(record["score"]["after"])


def _mean_tokens(records: Sequence[Record]) -> float:
    usages = [item["outcome"]["usage"] for item in records]
    return sum(int(usage["input_tokens"]) + int(usage["output_tokens"]) for usage in usages) / len(usages)
