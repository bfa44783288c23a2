"""Executed verdicts on recorded solutions of HumanEval and MBPP against what running them gave.

    python benchmarks/code.py --data ../shared/data --json

A solution counts as passing if every test claim is supported, as failing if one is contradicted, else as undecided. Undecided is never agreement.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from redraft.effects import Effects
from redraft.errors import ModelRefused
from redraft.planning.code import routes
from redraft.policy import Budgets
from redraft.tools.python import PythonTool
from redraft.types import ModelReply, ModelRequest, Task

SETS = ("humaneval_solutions", "mbpp_solutions", "factool")


class NoModel:
    """Nothing here asks a model."""

    name = "none"
    ability = "none"

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise ModelRefused("there is no model")

    async def close(self) -> None:
        return None


class NoSink:
    def write(self, event: object) -> None:
        return None


def rows(data: Path, name: str, limit: int | None) -> list[dict[str, Any]]:
    """Rows as answer, prompt, tests and label."""
    problems = {row["task_id"]: row for row in lines(data / "humaneval" / "HumanEval.jsonl")}
    if name == "mbpp_solutions":
        found = [(row["name"], row["solution"], row["prompt"], row["test"], row["pass_reexec"]) for row in lines(data / name / "solutions.jsonl")]
    else:
        file, field = ("solutions.jsonl", "solution") if name == "humaneval_solutions" else ("code.jsonl", "response")
        found = []
        for row in lines(data / name / file):
            problem = problems[row["task_id"]]
            tests = f"{problem['test']}\ncheck({problem['entry_point']})\n"
            found.append((row["task_id"], row[field], problem["prompt"], tests, row["pass_reexec"]))
    keys = ("id", "answer", "prompt", "tests", "passes")
    return [dict(zip(keys, row, strict=True)) for row in found[:limit]]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


async def verdict(row: dict[str, Any], tool: PythonTool) -> tuple[bool | None, list[str]]:
    """Whether the tests say that it passes; None if they do not decide. And the notes of what was not supported."""
    task = Task(query=row["prompt"], kind="code", tests=row["tests"])
    effects = Effects(writer=NoModel(), tools={"python": tool}, sink=NoSink(), budgets=Budgets())
    statuses: list[str] = []
    notes: list[str] = []
    for route in await routes(row["answer"], task, effects):
        if not route.claim.requirement:
            continue
        found = route.decide([await effects.use(call) for call in route.calls])
        assert found is not None
        statuses.append(found.status)
        if found.status != "supported":
            notes.append(f"{found.status}: {found.note}")
    if "contradicted" in statuses:
        return False, notes
    return (True if statuses and set(statuses) == {"supported"} else None), notes


async def measure(data: Path, limit: int | None, sandbox: Any, names: Sequence[str] = SETS) -> dict[str, Any]:
    tool = PythonTool(sandbox)
    figures: dict[str, Any] = {"sandboxes": {name: list(state) for name, state in tool.available().items()}}
    for name in names:
        began = time.monotonic()
        given = rows(data, name, limit)
        counts: Counter[str] = Counter()
        differing: list[dict[str, Any]] = []
        for row in given:
            found, notes = await verdict(row, tool)
            counts["agree" if found is row["passes"] else "undecided" if found is None else "false_alarm" if row["passes"] else "missed"] += 1
            if found is not row["passes"]:
                differing.append({"id": row["id"], "label": row["passes"], "found": found, "notes": notes[:2]})
        seconds = time.monotonic() - began
        figures[name] = {"n": len(given), "agreement": counts["agree"] / max(1, len(given)), **counts, "seconds": round(seconds, 1), "differing": differing}
    await tool.close()
    return figures


def main() -> None:
    # This file is called like a module of the standard library, which others must still find
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--set", action="append", choices=SETS, help="may be given more than once; all of them by default")
    parser.add_argument("--sandbox", default="auto", choices=("auto", "monty", "bubblewrap"))
    options = parser.parse_args()
    chosen = tuple(options.set or SETS)
    figures = asyncio.run(measure(options.data, options.limit, options.sandbox, chosen))
    if options.json:
        print(json.dumps(figures))
        return
    for name in chosen:
        found = figures[name]
        print(f"{name}: agreement {found['agreement']:.4f} of {found['n']} in {found['seconds']} s")
        for row in found["differing"]:
            print("  ", row)


if __name__ == "__main__":
    main()
