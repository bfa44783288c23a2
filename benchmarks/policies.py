"""Policies against each other at equal calls, on generated questions, with the same model: accuracy, intervals and exact paired tests.

    python benchmarks/policies.py --model local --n 40 --seed 11 --calls 3 [--out docs/policies_compared.md] [--rows rows.jsonl] [--json]

Every method may spend `--calls` model calls on a question; best-of-n draws as many samples, and the calls that choose among calculations to check them
come on top. Equal requests of different methods are answered once: all start from the same draft. Rows are kept in `--rows`, and a run that was
interrupted goes on from there. The questions are those of `family_questions.py`, in phrasings that no rule was written for, and those of
`evidence_questions.py`, which bring a table or documents with them.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evidence_questions import EVIDENCE_FAMILIES, asked
from families import right
from family_questions import FAMILIES, Question, questions

from redraft.effects import call_key
from redraft.models import open_model
from redraft.policies import policy_named
from redraft.policy import Budgets, Policy
from redraft.protocols import Model
from redraft.refiner import Refiner
from redraft.studies.stats import mcnemar_exact, paired_interval, wilson_interval
from redraft.types import ModelReply, ModelRequest, Task

COMPARED = ("direct", "guarded", "self-refine", "best-of-n", "self-consistency", "critic-no-tool", "basic-reflection")
PAIRS = (
    ("guarded", "direct"), ("guarded", "self-refine"), ("guarded", "best-of-n"), ("guarded", "self-consistency"), ("guarded", "critic-no-tool"),
    ("basic-reflection", "direct"),
)  # fmt: skip
ALL_FAMILIES = (*FAMILIES, *EVIDENCE_FAMILIES)
Row = dict[str, Any]
Posed = tuple[Task, Callable[[str], bool]]
"""A task, and whether an answer to it is right."""


class Remembering:
    """The model, with equal requests answered from memory: a draft that seven methods share is made once."""

    def __init__(self, model: Model) -> None:
        self._model, self.name, self.ability = model, model.name, model.ability
        self._known: dict[str, ModelReply] = {}

    async def complete(self, request: ModelRequest) -> ModelReply:
        key = call_key(request)
        if key not in self._known:
            self._known[key] = await self._model.complete(request)
        return self._known[key]

    async def close(self) -> None:
        await self._model.close()


def at_calls(name: str, calls: int) -> Policy:
    """The policy with its share of calls; samples are as many as calls."""
    policy = dataclasses.replace(policy_named(name), candidates=calls)
    return policy if name == "best-of-n" else dataclasses.replace(policy, budgets=dataclasses.replace(Budgets(), llm_calls=calls))


def posed(family: str, n: int, seed: int, folder: Path) -> list[Posed]:
    if family in EVIDENCE_FAMILIES:
        return [(item.task, item.right) for item in asked(family, n, seed, folder)]
    return [(Task(query=question.query), _judge(question)) for question in questions(family, "held-out", n, seed)]


def _judge(question: Question) -> Callable[[str], bool]:
    return lambda answer: right(answer, question)


async def measured(items: Sequence[Posed], family: str, name: str, model: Model, calls: int) -> list[Row]:
    """All questions of a family under one policy, at once: calls of one kind then follow each other, and share the beginning of their prompts."""
    policy = at_calls(name, calls)
    outcomes = await asyncio.gather(*(Refiner(model, policy=policy, calibration="none").run(task) for task, _ in items))
    return [
        {
            "family": family, "number": number, "policy": name, "right": judge(outcome.answer), "calls": outcome.usage.llm_calls,
            "changed": outcome.changed, "answer": outcome.answer[:200],
        }
        for number, ((_, judge), outcome) in enumerate(zip(items, outcomes, strict=True))
    ]  # fmt: skip


async def run(options: argparse.Namespace, folder: Path) -> list[Row]:
    rows = [json.loads(line) for line in options.rows.read_text(encoding="utf-8").splitlines()] if options.rows and options.rows.exists() else []
    done = {(row["family"], row["policy"]) for row in rows}
    model = Remembering(open_model(options.model))
    try:
        for family in ALL_FAMILIES:
            items = posed(family, options.n, options.seed, folder)
            for name in COMPARED:
                if (family, name) in done:
                    continue
                fresh = await measured(items, family, name, model, options.calls)
                rows += fresh
                if options.rows:
                    with options.rows.open("a", encoding="utf-8") as file:
                        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in fresh)
    finally:
        await model.close()
    return rows


def figures(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Accuracy of each method with Wilson's interval, and the paired comparisons with Newcombe's interval and exact McNemar tests."""
    accuracy: list[Row] = []
    compared: list[Row] = []
    for family in (*ALL_FAMILIES, "all"):
        of = {name: _flags(rows, family, name) for name in COMPARED}
        for name, flags in of.items():
            calls = [row["calls"] for row in rows if row["policy"] == name and family in (row["family"], "all")]
            low, high = wilson_interval(sum(flags), len(flags))
            accuracy.append(
                {"family": family, "policy": name, "n": len(flags), "right": sum(flags), "low": low, "high": high, "calls": sum(calls) / len(calls)}
            )
        for first, second in PAIRS:
            gained = sum(a and not b for a, b in zip(of[first], of[second], strict=True))
            lost = sum(b and not a for a, b in zip(of[first], of[second], strict=True))
            low, high = paired_interval(of[second], of[first])
            difference = (gained - lost) / len(of[first])
            p = mcnemar_exact(gained, lost)
            compared.append(
                {"family": family, "first": first, "second": second, "gained": gained, "lost": lost, "difference": difference, "low": low, "high": high, "p": p}
            )
    return {"accuracy": accuracy, "compared": compared}


def _flags(rows: Sequence[Row], family: str, name: str) -> list[bool]:
    found = sorted((row for row in rows if row["policy"] == name and family in (row["family"], "all")), key=lambda row: (row["family"], row["number"]))
    return [bool(row["right"]) for row in found]


def page(found: dict[str, list[Row]], options: argparse.Namespace) -> str:
    """The page of the docs."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    n = next(row["n"] for row in found["accuracy"])
    command = f"python benchmarks/policies.py --model {options.model} --n {options.n} --seed {options.seed} --calls {options.calls}"
    lines = [
        "# Policies compared at equal calls",
        "",
        f"Written by `{command}` on {datetime.now(UTC).date().isoformat()} at commit {commit}, on a machine with {os.cpu_count()} {platform.machine()} cores.",
        f"Questions: {n} of each family, generated, in phrasings that no rule was written for; the gold answers are worked out without the tools.",
        "Those about documents are drawn from the 60 own ones, which were seen while the rules were made. Tables and documents are evidence",
        "for checks and stand in no writer's prompt, so that a method without tools cannot know what they say:",
        "there the comparison shows what tools are for, and nothing else.",
        "",
        f"Every method drafts with the same model and may spend {options.calls} model calls on a question; best-of-n draws {options.calls} samples and may ask",
        "the model on top which calculation checks them. What each really spent is in the table; no method has fewer calls than `guarded` at its disposal.",
        "The embedded model judges nothing under `guarded`, which decides with tools alone; the methods that criticise without tools have it as their critic,",
        "in plain one-line prompts with a grammar. Intervals are 95 %: Wilson's for shares, Newcombe's for paired differences; p is McNemar's exact test,",
        "not corrected for the number of comparisons. All families are of a kind that tools decide: the figures say nothing of open questions.",
        "",
        "## Right answers",
        "",
        "| family | policy | right | share | 95 % | calls a question |",
        "|---|---|---|---|---|---|",
    ]
    for row in found["accuracy"]:
        share = row["right"] / row["n"]
        lines.append(
            f"| {row['family']} | {row['policy']} | {row['right']}/{row['n']} | {share:.3f} | {row['low']:.3f} to {row['high']:.3f} | {row['calls']:.2f} |"
        )
    lines += ["", "## Paired differences", "", "| family | comparison | wrong→right | right→wrong | difference | 95 % | p |", "|---|---|---|---|---|---|---|"]
    for row in found["compared"]:
        lines.append(
            f"| {row['family']} | {row['first']} − {row['second']} | {row['gained']} | {row['lost']} | {row['difference']:+.3f} "
            f"| {row['low']:+.3f} to {row['high']:+.3f} | {row['p']:.2g} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local")
    parser.add_argument("--n", type=int, default=40, help="questions of each family")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--out", type=Path, help="write the page here")
    parser.add_argument("--rows", type=Path, help="keep the rows here, and go on from them")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = figures(asyncio.run(run(options, Path(folder))))
    if options.out is not None:
        options.out.write_text(page(found, options), encoding="utf-8")
    print(json.dumps([*found["accuracy"], *found["compared"]]) if options.json else page(found, options))


if __name__ == "__main__":
    main()
