"""Run all measurements; write benchmarks/RESULTS.md, each with the command that gave it, and the page docs/benchmarks.md with published figures beside them.

    python benchmarks/run.py [--data ../shared/data] [--model local] [--only NAME …]
    python benchmarks/run.py --render      write both anew from benchmarks/results.json

With `--only`, what was measured before stays as it is, at the commit and on the class of machine that it was measured on. Times depend on the machine and
its load, so they are given beside what they are measured against; all other figures repeat.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from page import page

HERE = Path(__file__).resolve().parent
KEPT = HERE / "results.json"
"""What was measured, from which both pages are written."""
RUNS: dict[str, tuple[str, list[str]]] = {
    "arithmetic": ("Arithmetic, without a model", ["arithmetic.py", "--data", "{data}"]),
    "documents": ("Documents, without a model", ["documents.py", "--data", "{data}"]),
    "code": ("Code, executed", ["code.py", "--data", "{data}"]),
    "recorded": ("Recorded rewrites and attempts, without a model", ["recorded.py", "--data", "{data}"]),
    "tables": ("Tables, by rule; phrasings written after the rules", ["tables.py", "--n", "200", "--seed", "42", "--phrasings", "held"]),
    "families": (
        "Questions answered with the embedded model; phrasings written after the rules",
        ["families.py", "--family", "all", "--n", "60", "--seed", "7", "--phrasings", "held-out", "--model", "{model}"],
    ),
    "metrics": ("Metrics against raters and tests", ["metrics.py", "--data", "{data}"]),
    "startup": ("Start-up", ["startup.py"]),
}
HIDDEN = frozenset({"by_type", "differing", "which", "sandboxes", "wrong", "misses"})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=str(HERE.parent.parent / "shared" / "data"))
    parser.add_argument("--model", default="local")
    parser.add_argument("--only", choices=RUNS, action="append")
    parser.add_argument("--render", action="store_true", help="measure nothing; write the pages from what was measured")
    options = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() and (options.render or options.only) else {}
    failed = False
    for name in () if options.render else options.only or RUNS:
        print(f"{name} …", file=sys.stderr, flush=True)
        found = measured(name, data=options.data, model=options.model)
        failed = failed or bool(found["failure"])
        kept[name] = found
        KEPT.write_text(json.dumps({key: kept[key] for key in RUNS if key in kept}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write(kept)
    return 1 if failed else 0


def measured(name: str, *, data: str, model: str) -> dict[str, Any]:
    """What one benchmark gives, with its command, the commit and the class of machine."""
    script, *words = RUNS[name][1]
    given = [word.format(data=data, model=model) for word in words]
    done = subprocess.run([sys.executable, str(HERE / script), *given, "--json"], capture_output=True, text=True, check=False)
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True, check=False).stdout.strip()
    return {
        "command": " ".join(["python", f"benchmarks/{script}", *(word.format(data="../shared/data", model=model) for word in words), "--json"]),
        "commit": commit,
        "machine": machine(),
        "failure": "" if done.returncode == 0 else " ".join(done.stderr.strip().splitlines()[-1:]) or f"exit code {done.returncode}",
        "documents": documents_in(done.stdout) if done.returncode == 0 else [],
    }


def machine() -> str:
    """The class of this machine: nothing that tells which one it is."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def write(kept: Mapping[str, Mapping[str, Any]]) -> None:
    """RESULTS.md and the page of the docs."""
    parts = ["# Results\n\nWritten by `make bench`.\n"]
    for name, found in kept.items():
        body = f"failed: {found['failure']}\n" if found["failure"] else table(found["documents"])
        parts.append(f"## {RUNS[name][0]}\n\n`{found['command']}` at commit {found['commit']} on {found['machine']}.\n\n{body}")
    notes = (HERE / "NOTES.md").read_text(encoding="utf-8")
    (HERE / "RESULTS.md").write_text("\n".join([*parts, notes]), encoding="utf-8")
    references = json.loads((HERE / "references.json").read_text(encoding="utf-8"))
    titles = {name: title for name, (title, _) in RUNS.items()}
    (HERE.parent / "docs" / "benchmarks.md").write_text(page(kept, references, titles=titles), encoding="utf-8")


def documents_in(text: str) -> list[Any]:
    """The JSON documents of an output, one after the other."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        found.extend(value if isinstance(value, list) else [value])
    return found


def table(documents: list[Any]) -> str:
    rows = ["| measure | value |", "|---|---|"]
    for document in documents:
        name = document.get("family") or document.get("set") or ""
        rows += [f"| {key} | {value} |" for key, value in flat(document, str(name))]
    return "\n".join(rows) + "\n"


def flat(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in HIDDEN:
                yield from flat(item, f"{name} · {key}" if name else str(key))
    elif not isinstance(value, list):
        yield name, f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
