"""The benchmark page of the docs: what was measured here, and beside it what was published, each figure with where it is from.

`page` is called by `run.py`; what it is given is all that it knows. Figures that nobody checked against a paper say so in their own row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from redraft.studies.report import NOT_KNOWN

__all__ = ["page"]

Documents = Sequence[Mapping[str, Any]]


def page(measured: Mapping[str, Mapping[str, Any]], references: Mapping[str, Any], *, titles: Mapping[str, str]) -> str:
    """`measured`: for each run its documents, the command, the commit and the class of machine; `references`: `references.json`."""
    parts = [
        "# Benchmarks",
        "Written by `make bench`, which measures on the machine it runs on, with the embedded model and with recorded data, without a model of any provider. "
        "All figures but times repeat. All measures and their commands are in `benchmarks/RESULTS.md`, what falls short in its notes.",
        "## Ours",
        *_answers(_documents(measured, "families")),
        *_rewrites(_documents(measured, "recorded")),
        *_prefixes(_documents(measured, "recorded")),
        "### When and where",
        _table(("measure", "commit", "machine"), ((titles[name], f"`{found['commit']}`", found["machine"]) for name, found in measured.items())),
        "At a commit that ends in `-dirty` the files were changed beside it.",
        "## Published",
        "None of these is comparable with ours in its level: other models, other questions, other budgets. What can be compared is the shape: how many drafts "
        "are mended for each that is spoilt, what tools add, what stopping early saves. `redraft eval` measures the first two and `redraft study` the last, "
        "on your model and your questions; with a capable model none of them has been measured for this page.",
    ]
    for work in references["works"]:
        rows = ((measure, figures, references["provenance"][mark]) for measure, figures, mark in work["rows"])
        parts += [f"### {work['work']}", work["setting"] + ".", _table(("measure", "figures", "provenance"), rows)]
    return "\n\n".join(parts) + "\n"


def _answers(documents: Documents) -> Iterator[str]:
    yield "### Bare answers of the embedded model (SmolLM2-135M), corrected by tools"
    if not documents:
        yield "Not measured."
        return
    head = ("family", "n", "right before", "right after", "right → wrong", "seed")
    yield _table(head, ((row["family"], row["n"], _share(row["before"]), _share(row["after"]), row["right_to_wrong"], row["seed"]) for row in documents))
    right = sum(round(row["before"] * row["n"]) for row in documents)
    lost, total = sum(int(row["right_to_wrong"]) for row in documents), sum(int(row["n"]) for row in documents)
    yield f"{lost} of {right} right drafts became wrong (n = {total} questions). The questions are generated, in phrasings that were written after the rules."


def _rewrites(documents: Documents) -> Iterator[str]:
    yield "### Rewrites that other systems really made, decided about by the controller"
    rows = [row for row in documents if "net" in row]
    if not rows:
        yield "Not measured. Earlier figures are in [recorded rewrites](recorded.md)."
        return
    head = ("set", "way to decide", "pairs", "repairs kept", "damages refused", "net texts that pass")
    cells = [(*_split(row["set"]), row["n"], _of(row, "repairs_kept", "repairs"), _of(row, "damages_refused", "damages"), f"{row['net']:+d}") for row in rows]
    yield _table(head, cells)
    yield "Published beside it: Reflexion's own acceptance of the same kind of rewrites on MBPP, 27 pass → fail against 13 fail → pass (below)."


def _prefixes(documents: Documents) -> Iterator[str]:
    rows = [row for row in documents if "runs" in row]
    if not rows:
        return
    yield "### What stopping early saves, on recorded attempts"
    head = ("policy", "series", "dynamic runs", "not an exact prefix", "model calls saved")
    yield _table(head, ((row["set"].rpartition(", ")[2], row["series"], row["runs"], row["no_prefix"], _share(row["calls_saved"])) for row in rows))
    yield "Published beside it: 51.9 % and 55.8 % of the tokens in the study of controlled refinement (below), with live models and dynamic stops."


def _documents(measured: Mapping[str, Mapping[str, Any]], name: str) -> Documents:
    return measured.get(name, {}).get("documents", ())


def _split(name: str) -> tuple[str, str]:
    before, _, after = name.partition(": ")
    return before, after


def _of(row: Mapping[str, Any], part: str, whole: str) -> str:
    return f"{row[part]} of {row[whole]}"


def _share(value: float | None) -> str:
    return NOT_KNOWN if value is None else f"{value:.1%}"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)
