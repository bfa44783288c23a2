"""Run all measurements and write them to benchmarks/RESULTS.md, each with the command that gave it.

    python benchmarks/run.py [--data ../shared/data] [--model local] [--only NAME …]

Times depend on the machine and its load, so they are given beside what they are measured against; all other figures repeat.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
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
    "startup": ("Start-up", ["startup.py"]),
}
HIDDEN = frozenset({"by_type", "differing", "which", "sandboxes", "wrong", "misses"})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=str(HERE.parent.parent / "shared" / "data"))
    parser.add_argument("--model", default="local")
    parser.add_argument("--only", choices=RUNS, action="append")
    options = parser.parse_args()
    target = HERE / "RESULTS.md"
    kept = {} if options.only is None else sections(target)
    for name in options.only or RUNS:
        title, command = RUNS[name]
        words = [word.format(data=options.data, model=options.model) for word in command]
        print(f"{name} …", file=sys.stderr, flush=True)
        done = subprocess.run([sys.executable, str(HERE / words[0]), *words[1:], "--json"], capture_output=True, text=True, check=False)
        shown = " ".join(["python", f"benchmarks/{command[0]}", *(word.format(data="../shared/data", model=options.model) for word in command[1:]), "--json"])
        body = table(documents_in(done.stdout)) if done.returncode == 0 else f"failed: {done.stderr.strip().splitlines()[-1:]}\n"
        kept[name] = f"## {title}\n\n`{shown}`\n\n{body}"
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False).stdout.strip()
    head = f"# Results\n\nWritten by `make bench` at commit {commit} on {platform.machine()}, Python {platform.python_version()}.\n"
    notes = (HERE / "NOTES.md").read_text(encoding="utf-8")
    target.write_text("\n".join([head, *(kept[name] for name in RUNS if name in kept), notes]), encoding="utf-8")
    return 0


def sections(path: Path) -> dict[str, str]:
    """The sections of an earlier run, so that one of them can be measured anew."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    pieces = ["## " + piece for piece in text.split("\n## ")[1:]]
    return {name: piece.rstrip() + "\n" for name, (title, _) in RUNS.items() for piece in pieces if piece.startswith(f"## {title}\n")}


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
