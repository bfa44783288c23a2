"""How long commands take to start, in wall and processor time: against `python -c pass` on the same machine, because absolute times depend on it.

    python benchmarks/startup.py [--runs N] [--json]

Bounds: `redraft --help` 0.25 s, `redraft check --model none` on a page 0.6 s.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARAGRAPH = (
    "In the first quarter 150 * 40 = 6,000 units were sold, and 6,000 + 4,800 = 10,800 with the second. "
    "That is 12.5% more than the 9,600 of the year before. 17% of 2,340 is 397.8. The new hall has 34 rows of 18 seats, 612 seats in all.\n\n"
)
BOUNDS = {"help": 0.25, "check a page": 0.6}


def seconds(command: list[str], runs: int) -> tuple[float, float]:
    """Median wall and processor time of a command. Its first run, which compiles and fills the file cache, does not count."""
    walls: list[float] = []
    processor: list[float] = []
    for _ in range(runs + 1):
        began, spent = time.perf_counter(), _children_seconds()
        done = subprocess.run(command, capture_output=True, check=False)
        walls.append(time.perf_counter() - began)
        processor.append(_children_seconds() - spent)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)} exited with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return statistics.median(walls[1:]), statistics.median(processor[1:])


def _children_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def measure(runs: int) -> dict[str, dict[str, float | bool]]:
    """Seconds, and the ratio to an interpreter that does nothing, for each command."""
    redraft = [sys.executable, "-m", "redraft.cli"]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.md"
        page.write_text("# Report\n\n" + PARAGRAPH * 12, encoding="utf-8")
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "help": [*redraft, "--help"],
            "policies": [*redraft, "policies", "--json"],
            "check a page": [*redraft, "check", str(page), "--model", "none", "--json"],
            "check a page, shown": [*redraft, "check", str(page), "--model", "none"],
        }
        times = {name: seconds(command, runs) for name, command in commands.items()}
    base = times["python -c pass"][0]
    return {
        name: {"seconds": round(wall, 3), "processor_seconds": round(spent, 3), "ratio": round(wall / base, 1)}
        | ({"within": wall <= BOUNDS[name]} if name in BOUNDS else {})
        for name, (wall, spent) in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.runs)
    if options.json:
        print(json.dumps(figures))
        return
    for name, row in figures.items():
        print(
            f"{name:<22} {row['seconds']:>7} s  {row['processor_seconds']:>7} s of processor  {row['ratio']:>6} x"
            + ("" if row.get("within", True) else "  over its bound")
        )


if __name__ == "__main__":
    main()
