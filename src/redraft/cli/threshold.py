"""calibrate answers: from which confidence on to answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from redraft.cli.inform import print_json
from redraft.cli.options import SEED, FiniteRange
from redraft.cli.safe import one_line, safe
from redraft.errors import InputError

if TYPE_CHECKING:
    from redraft.studies.threshold import Labelled

__all__ = ["answers_command"]

RIGHT = 1 - 1e-9
SHARE = FiniteRange(0, 1, min_open=True, max_open=True)


@click.command("answers", short_help="Find the confidence from which to answer, for a named risk.")
@click.argument("rows", metavar="ROWS")
@click.option("--risk", type=click.Choice(["error", "regressions"]), default="error", help="Wrong answers among those given, or right drafts made wrong.")
@click.option("--at-most", type=SHARE, default=0.05, metavar="R", help="The bound of the risk; default 0.05.")
@click.option("--delta", type=SHARE, default=0.1, metavar="D", help="The chance that the bound does not hold; default 0.1.")
@click.option("--seed", type=SEED, default=0, metavar="S", help="Seed of the split.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def answers_command(rows: str, risk: Any, at_most: float, delta: float, seed: int, as_json: bool) -> None:
    """Find the lowest confidence from which on a risk is shown to be at most R, with a chance of D to be wrong about that (Learn-then-Test).

    ROWS is what redraft eval wrote with -o, or JSON lines {"confidence", "right"} with "right_before" where a draft was rewritten. Half of the rows
    calibrate; where they are too few, nothing is promised, and the number that would do is named. The confidence of a run is the least among its supported
    claims, and 0 where something is contradicted or undecided.
    """
    from redraft.events import plain
    from redraft.studies.threshold import learn_then_test

    found = learn_then_test(_labelled(Path(rows)), risk=risk, at_most=at_most, delta=delta, seed=seed)
    if as_json:
        print_json({**plain(found), "share": found.share, "in_words": found.in_words()})
    else:
        sys.stdout.write(safe(found.in_words()) + "\n")


def _labelled(path: Path) -> list[Labelled]:
    """The rows of a file. A line that is neither is reported and skipped.

    Raises:
        InputError: the file cannot be read, or has no usable row.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}; give the rows that redraft eval wrote with -o") from None
    found: list[Labelled] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            sys.stderr.write(f"redraft: {one_line(str(path))}, line {number}: skipped: neither a row of redraft eval nor an object with confidence and right\n")
        else:
            found.append(row)
    if not found:
        raise InputError(f"{path} has no labelled row; give the rows that redraft eval wrote with -o")
    return found


def _row(line: str) -> Labelled | None:
    from redraft.studies.threshold import Labelled, answer_confidence

    try:
        value: Any = json.loads(line)
        row = cast("dict[str, Any]", value)
        if "confidence" in row:
            before = row.get("right_before")
            if not isinstance(row["right"], bool) or not isinstance(before, bool | None) or isinstance(row["confidence"], bool):
                return None
            return Labelled(confidence=float(row["confidence"]), right=row["right"], right_before=before)
        outcome, score = row["outcome"], row["score"]
        confidence = answer_confidence(str(outcome["status"]), [(check["status"], float(check["confidence"])) for check in outcome["checks"]])
        before = float(score["before"]) >= RIGHT if outcome["changed"] else None
        return Labelled(confidence=confidence, right=float(score["after"]) >= RIGHT, right_before=before)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
