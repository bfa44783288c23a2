"""What metrics make of answers that people or tests have judged: EfficientQA's rated predictions, recorded programs and recorded solutions of GSM8K.

    python benchmarks/metrics.py [--data ../shared/data] [--json]

Without a model. A metric that is right calls definitely correct predictions right and definitely incorrect ones wrong; none of these predictions equals an
annotated answer after SQuAD's normalisation, for those were not put before raters.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from redraft.cli.options import RunOptions
from redraft.cli.scoring import open_metric
from redraft.cli.session import open_session
from redraft.studies.datasets import read_dataset
from redraft.studies.metrics import METRICS, metric_named
from redraft.studies.rows import Gold

RATINGS = {"def_correct_predictions": "definitely correct", "poss_correct_predictions": "possibly correct", "def_incorrect_predictions": "definitely incorrect"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    results = [*rated(options.data / "nq_open" / "efficientqa_test_rated.jsonl"), *recorded(options.data)]
    if options.json:
        print(json.dumps(results, indent=1))
        return 0
    for result in results:
        print("  ".join(f"{name} {value}" for name, value in result.items()))
    return 0


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rated(path: Path) -> Iterator[dict[str, Any]]:
    """Mean score of the predictions of each rating, by every metric that needs no help."""
    metrics = {name: metric_named(name) for name in METRICS if name not in ("pass@1", "toxicity")}
    rows = lines(path)
    for field, rating in RATINGS.items():
        pairs = [(prediction, Gold(answers=tuple(row["answer"]))) for row in rows for prediction in row[field]]
        means = {name: round(sum(metric.score(*pair) for pair in pairs) / len(pairs), 4) for name, metric in metrics.items()}
        yield {"set": f"EfficientQA, {rating}", "n": len(pairs)} | means


def recorded(data: Path) -> Iterator[dict[str, Any]]:
    """How often a metric agrees with the verdict that was recorded."""
    session = open_session(RunOptions(record=False, memory=False), default_model="none")
    passes, gsm8k = open_metric("pass@1", session), metric_named("gsm8k")
    problems = lines(data / "humaneval" / "HumanEval.jsonl")
    golds = {row.id: row.gold for row in read_dataset(data / "humaneval" / "HumanEval.jsonl")[0]}
    yield agreement("HumanEval, reference solutions", "pass@1", [(passes.score(row["canonical_solution"], golds[row["task_id"]]), True) for row in problems])
    programs = lines(data / "humaneval_solutions" / "solutions.jsonl")
    yield agreement("HumanEval, recorded programs", "pass@1", [(passes.score(row["solution"], golds[row["task_id"]]), row["pass_reexec"]) for row in programs])
    path = data / "mbpp_solutions" / "solutions.jsonl"
    rows = zip(read_dataset(path)[0], lines(path), strict=True)
    yield agreement("MBPP, recorded programs", "pass@1", [(passes.score(row.task.answer or "", row.gold), label["pass_reexec"]) for row, label in rows])
    path = data / "gsm8k" / "model_solutions.jsonl"
    verdicts = [value["is_correct"] for row in lines(path) for value in row.values() if isinstance(value, dict)]
    scores = [gsm8k.score(row.task.answer or "", row.gold) for row in read_dataset(path)[0]]
    yield agreement("GSM8K, recorded solutions", "gsm8k", list(zip(scores, verdicts, strict=True)))


def agreement(name: str, metric: str, pairs: list[tuple[float, bool]]) -> dict[str, Any]:
    return {"set": name, "n": len(pairs), "metric": metric, "agree": sum(bool(score) == label for score, label in pairs)}


if __name__ == "__main__":
    sys.exit(main())
