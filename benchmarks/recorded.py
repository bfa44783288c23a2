"""Recorded rewrites and attempts through the controller and the stopping rules, without any model.

    python benchmarks/recorded.py --data ../shared/data [--json] [--limit N] [--every N] [--only pairs|series] [--out docs/recorded.md]

Pairs: texts before and after a rewrite that was really made (MBPP and HumanEval with gpt-4 and text-davinci-003, GSM8K programs of Self-Refine), each
through the real checks, with the tests executed in the sandbox, and decided about in three ways: always accept, unless it fails hard or leaves its
scope, the whole controller. `visible_half`: of each problem's assertions the first, third, … are the signal, and the figures are made of the others.
Series: recorded Reflexion attempts on HotpotQA through the real loop, under every loop policy with its stop rules switched on one by one; each run must
be the exact prefix of its hard-cap run.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import subprocess
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from redraft.policies import POLICIES
from redraft.policy import with_turns
from redraft.studies.recorded import RULES, Pair, gsm_pairs, human_eval_pairs, judged_pair, mbpp_pairs, tallied
from redraft.studies.recorded import KeptTool as Kept
from redraft.studies.series import LOOP_POLICIES, difference, dynamic_policies, hotpot_series, replayed
from redraft.tools.python import PythonTool

TURNS = 8


async def pairs(data: Path, limit: int | None) -> list[dict[str, Any]]:
    """One row for each set of pairs and way to decide."""
    sets: dict[str, list[Pair]] = {
        "mbpp": mbpp_pairs(data, limit=limit),
        "mbpp visible_half": mbpp_pairs(data, half=True, limit=limit),
        "humaneval": human_eval_pairs(data, limit=limit),
        "humaneval visible_half": human_eval_pairs(data, half=True, limit=limit),
        "selfrefine_gsm, result as test": gsm_pairs(data, gold=True)[:limit],
        "selfrefine_gsm, no test": gsm_pairs(data, gold=False)[:limit],
    }
    tool = Kept(PythonTool())
    rows: list[dict[str, Any]] = []
    for name, found in sets.items():
        began = time.monotonic()
        whole = [pair for pair in found if pair.hidden]
        judged = [await judged_pair(pair, tool) for pair in whole]
        seconds = round(time.monotonic() - began, 1)
        for rule_name, rule in RULES.items():
            rows.append({"set": f"{name}: {rule_name}", **tallied(judged, rule), "cannot_be_split": len(found) - len(whole), "seconds": seconds})
    await tool.close()
    return rows


def series(data: Path, every: int) -> list[dict[str, Any]]:
    """One row for each policy: how many dynamic runs were no exact prefix of their hard-cap run, and how they ended."""
    found = hotpot_series(data, every=every)
    rows: list[dict[str, Any]] = []
    for name in LOOP_POLICIES:
        began = time.monotonic()
        reasons: Counter[str] = Counter()
        runs = differing = saved = spent = 0
        for one in found:
            whole = replayed(one, dataclasses.replace(with_turns(POLICIES[name], TURNS), stops=("hard_cap",)))
            for policy in dynamic_policies(name, TURNS):
                run = replayed(one, policy)
                runs += 1
                differing += difference(run, whole) != ""
                reasons[run.outcome.stop_reason] += 1
                spent += whole.outcome.usage.llm_calls
                saved += whole.outcome.usage.llm_calls - run.outcome.usage.llm_calls
        rows.append(
            {
                "set": f"reflexion_hotpot, {name}", "series": len(found), "runs": runs, "no_prefix": differing,
                "calls_saved": round(saved / max(1, spent), 3), "ended": dict(sorted(reasons.items())), "seconds": round(time.monotonic() - began, 1),
            }
        )  # fmt: skip
    return rows


def page(rows: list[dict[str, Any]], command: str) -> str:
    """The page of the docs."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    lines = [
        "# Recorded rewrites through the controller",
        "",
        f"Written by `{command}` on {datetime.now(UTC).date().isoformat()} at commit {commit}. No model is asked; tests are executed in the sandbox.",
        "",
        "## Is the controller worth it?",
        "",
        "The same rewrites, decided about in three ways: accept always; refuse what fails hard or leaves its scope; the whole controller. Repairs are rewrites",
        "that pass where the text before failed, damages the reverse; net is the change in texts that pass, and in single assertions that pass.",
        "`visible_half`: the first, third, … assertion of each problem is what the controller sees, and all figures are made of the others.",
        "",
        "| set | way to decide | pairs | accepted | repairs kept | damages refused | net texts | net assertions |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in (row for row in rows if "net" in row):
        name, _, rule = row["set"].partition(": ")
        kept, refused = f"{row['repairs_kept']}/{row['repairs']}", f"{row['damages_refused']}/{row['damages']}"
        cells = (name, rule, row["n"], row["accepted"], kept, refused, f"{row['net']:+d}", f"{row['net_assertions']:+d}")
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    lines += [
        "",
        "Where the second and the third way end at the same net, what the rest of the controller adds is that it accepts fewer rewrites: only those that",
        "repair something. Without any test as signal it keeps every draft, whatever the rewrite is worth; in the set of Self-Refine that costs most, since",
        "its authors chose the rows and all of them are repairs.",
        "",
        "## A run that stops early is the exact prefix of its hard-cap run",
        "",
        "Recorded Reflexion attempts on HotpotQA through the real loop, every loop policy with each of its rules about the history switched on alone, with its",
        "own rules, and with those of `controlled` when dynamic. Compared are state, usage and log.",
        "",
        "| policy | series | dynamic runs | not a prefix | model calls saved |",
        "|---|---|---|---|---|",
    ]
    for row in (row for row in rows if "runs" in row):
        lines.append(f"| {row['set'].rpartition(', ')[2]} | {row['series']} | {row['runs']} | {row['no_prefix']} | {row['calls_saved']:.1%} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--limit", type=int, help="pairs of each set")
    parser.add_argument("--every", type=int, default=1, help="take every n-th series")
    parser.add_argument("--only", choices=("pairs", "series"))
    parser.add_argument("--out", type=Path, help="write the page here")
    options = parser.parse_args()
    rows = [] if options.only == "series" else asyncio.run(pairs(options.data, options.limit))
    rows += [] if options.only == "pairs" else series(options.data, options.every)
    if options.out is not None:
        options.out.write_text(page(rows, "python benchmarks/recorded.py"), encoding="utf-8")
    if options.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print("  ".join(f"{key}={value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
