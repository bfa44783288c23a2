"""What the laboratory's statistics find of planted truth, and how fast stopping rules are calibrated.

    python benchmarks/lab.py [--seed 0] [--scale 1.0] [--json] [--write docs/statistics.md] [--only NAME …]

Every share is over simulated studies and has its own (Monte-Carlo) 95 % interval. All but the times repeat with the same seed. `--scale 0.05` is a quick
look. `--write` puts the tables between the two marks of the page.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import math
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from redraft.policies import DYNAMIC, POLICIES
from redraft.refiner import Refiner
from redraft.replay import grid, history_of
from redraft.studies.planted import (
    Share,
    broken_promises,
    coverage,
    false_positives,
    family_errors,
    interaction_study,
    null_calibrations,
    planted_calibrations,
    planted_power,
)
from redraft.studies.prefixes import judged_prefixes, retained_texts
from redraft.studies.simulate import SimulatedEvaluator, SimulatedWriter, World, quality_in, simulated_policy, trajectories
from redraft.studies.tuning import calibrate_stopping
from redraft.trace import jsonl, read_jsonl
from redraft.types import Task

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
Figures = Mapping[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0, help="times the number of simulated studies")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--only", choices=SECTIONS, action="append")
    options = parser.parse_args()
    found: dict[str, Figures] = {}
    for name in options.only or SECTIONS:
        print(f"{name} …", file=sys.stderr, flush=True)
        began = time.monotonic()
        found[name] = SECTIONS[name](options.seed, lambda count: max(20, round(count * options.scale)))
        print(f"{name}: {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps({name: {key: plain(value) for key, value in figures.items()} for name, figures in found.items()}, indent=2, ensure_ascii=False))
    if options.write is not None:
        write(options.write, found, options.seed)
    elif not options.json:
        print("\n".join(table(name, figures) for name, figures in found.items()))
    return 0


def errors_of_the_first_kind(seed: int, count: Callable[[int], int]) -> Figures:
    return {f"n = {n}: {name}": share for n in (20, 50) for name, share in false_positives(n, count(10_000), seed=seed + n).items()}


def families(seed: int, count: Callable[[int], int]) -> Figures:
    return {f"n = 50: {name}": share for name, share in family_errors(50, count(4000), seed=seed).items()}


def power(seed: int, count: Callable[[int], int]) -> Figures:
    return {f"n = {n}: {name}": share for n, effect in ((20, 0.66), (50, 0.40)) for name, share in planted_power(n, effect, count(5000), seed=seed + n).items()}


def interactions(seed: int, count: Callable[[int], int]) -> Figures:
    return {f"n = {n}: {name}": value for n in (50, 100) for name, value in interaction_study(n, count(3000), intervals=count(400), seed=seed + n).items()}


def intervals(seed: int, count: Callable[[int], int]) -> Figures:
    return {f"n = {n}: {name}": share for n in (20, 50) for name, share in coverage(n, count(400), seed=seed + n).items()}


def calibrations(seed: int, count: Callable[[int], int]) -> Figures:
    figures: dict[str, Any] = {}
    for kind, binary in (("graded", False), ("right or wrong", True)):
        figures[f"2,520 equal settings, 50 questions, {kind}: another than the default recommended"] = null_calibrations(
            50, count(500), binary=binary, seed=seed
        )
    for slope in (0.02, 0.05):
        figures[f"quality falls by {slope:g} a turn, 60 questions: a better setting recommended"] = planted_calibrations(60, count(100), slope=slope, seed=seed)
    return figures


def thresholds(seed: int, count: Callable[[int], int]) -> Figures:
    return {f"{n} labelled rows, bound 10 %, δ = 10 %: {name}": share for n in (400, 2000) for name, share in broken_promises(n, count(400), seed=seed).items()}


def loop(seed: int, count: Callable[[int], int]) -> Figures:
    """Simulated models through the real loop, against the arrays: mean true quality at each boundary, and the share of candidates kept."""
    world, runs = World(bias=0.02, noise=0.05), count(300)
    histories = [history_of(record(world, seed * 10_000 + number)) for number in range(runs)]
    ours = np.array([[quality_in(text)[0] for text in retained_texts(history)] for history in histories])
    kept = np.array([[turn.decision.accepted for turn in history.turns] for history in histories])
    arrays = trajectories(world, 200_000, np.random.default_rng(seed))
    error = ours.std(axis=0, ddof=1) / math.sqrt(runs)
    figures: dict[str, Any] = {
        f"mean quality after turn {turn}: loop": f"{ours[:, turn].mean():.4f} ± {1.96 * error[turn]:.4f}, arrays {arrays.quality[:, turn].mean():.4f}"
        for turn in (0, 1, 4, 8)
    }
    figures["candidates kept: loop"] = f"{kept.mean():.4f} of {kept.size}, arrays {arrays.accepted.mean():.4f}"
    dynamic = [dataclasses.replace(history.policy, stops=("rejections", "hard_cap"), rejections=world.rejections) for history in histories[:1]]
    stops = [row[0].turns for row in grid(histories, dynamic)]
    figures["turns until three rejections in a row: loop"] = (
        f"{np.mean(stops):.3f} ± {1.96 * np.std(stops) / math.sqrt(runs):.3f}, arrays {arrays.dynamic.mean():.3f}"
    )
    return figures


def speed(seed: int, count: Callable[[int], int]) -> Figures:
    """50 records of ten turns, read from their exported form, judged and replayed under 10,000 stopping settings."""
    world = World(turns=10, bias=0.02, noise=0.05)
    files = [jsonl(list(record(world, seed * 10_000 + number))) for number in range(50)]
    default = dataclasses.replace(POLICIES["controlled"], stops=DYNAMIC, max_turns=10)
    began = time.perf_counter()
    histories = [(str(number), history_of(read_jsonl(data))) for number, data in enumerate(files)]
    read = time.perf_counter()
    prefixes = judged_prefixes(histories, lambda task, text: quality_in(text)[0])
    stop_grid, found = calibrate_stopping(prefixes, default, seed=seed)
    done = time.perf_counter()
    policies = [stop_grid.policy(index) for index in range(0, len(stop_grid), 97)]
    rows = list(grid(prefixes.histories, policies))
    replayed = time.perf_counter()
    differing = sum(
        int(stop_grid.stops[index, place]) != row[k].turns or not row[k].exact
        for place, row in enumerate(rows)
        for k, index in enumerate(range(0, len(stop_grid), 97))
    )
    return {
        "settings": found.settings,
        "records": len(prefixes),
        "reading the records, seconds": read - began,
        "grid, choice, held-out intervals and front, seconds": done - read,
        "settings replayed one by one as well": len(policies) * len(prefixes),
        "of these, ending elsewhere": differing,
        "replays a second, one by one": len(policies) * len(prefixes) / (replayed - done),
    }


def record(world: World, number: int) -> tuple[Any, ...]:
    """The record of one hard-cap run of the simulated models."""
    writer, evaluator = SimulatedWriter("writer", world, number), SimulatedEvaluator("evaluator", world, number)
    refiner = Refiner(writer, tools=[], policy=simulated_policy(world), evaluator=evaluator, calibration="none")
    asyncio.run(refiner.run(Task(query=f"What is proposed for case {number}?", kind="report")))
    return refiner.trace.records


SECTIONS: dict[str, Callable[[int, Callable[[int], int]], Figures]] = {
    "false positives": errors_of_the_first_kind,
    "families": families,
    "power": power,
    "interaction": interactions,
    "intervals": intervals,
    "calibrations": calibrations,
    "thresholds": thresholds,
    "loop": loop,
    "speed": speed,
}
TITLES = {
    "false positives": "Where nothing is planted (p ≤ 0.05)",
    "families": "Four comparisons with one control, nothing planted",
    "power": "Where an effect is planted",
    "interaction": "A planted interaction of evaluator and stopping",
    "intervals": "Intervals of 95 %: how often they hold the truth",
    "calibrations": "Calibrations of stopping rules",
    "thresholds": "Thresholds by Learn-then-Test",
    "loop": "The simulated models through the real loop",
    "speed": "Speed",
}


def plain(value: Any) -> Any:
    if isinstance(value, Share):
        return {"share": value.share, "interval": value.interval, "found": value.found, "total": value.total, "stated": value.stated}
    return value


def table(name: str, figures: Figures) -> str:
    rows = [f"### {TITLES[name]}", ""]
    if any(isinstance(value, Share) for value in figures.values()):
        rows += ["| simulated | share | 95 % | of | stated |", "|---|---|---|---|---|"]
    else:
        rows += ["| measured | value |", "|---|---|"]
    several = rows[-1].count("|") > 3
    for key, value in figures.items():
        if isinstance(value, Share):
            low, high = value.interval
            rows.append(f"| {key} | {value.share:.4f} | {low:.4f} to {high:.4f} | {value.total:,} | {'' if value.stated is None else f'{value.stated:.4f}'} |")
        else:
            shown = f"{value:.4f}" if isinstance(value, float) and abs(value) < 100 else f"{value:,.0f}" if isinstance(value, float) else str(value)
            rows.append(f"| {key} | {shown} |" + (" | | |" if several else ""))
    return "\n".join(rows) + "\n"


def write(path: Path, found: Mapping[str, Figures], seed: int) -> None:
    """Put the tables between the marks; sections that were not measured now keep their old table."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    old, _, tail = rest.partition(END)
    kept = {name: piece for name, title in TITLES.items() for piece in old.split("\n### ") if piece.startswith(title)}
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=path.resolve().parent, capture_output=True, text=True, check=False).stdout.strip()
    command = f"python benchmarks/lab.py --seed {seed} --write docs/statistics.md"
    made = f"Made by `{command}` at commit {commit}, Python {platform.python_version()}, {platform.machine()}."
    tables = [table(name, found[name]) if name in found else f"### {kept[name].rstrip()}\n" for name in TITLES if name in found or name in kept]
    path.write_text(f"{head}{BEGIN}\n{made}\n\n" + "\n".join(tables) + f"\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
