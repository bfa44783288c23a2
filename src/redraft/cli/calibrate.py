"""calibrate: what pays off for a user's own questions. Here: what a model's confidence is worth, measured on labelled rows and kept for the runs to come."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redraft.cli.inform import print_json
from redraft.cli.options import SEED, RunOptions, options_of, run_options
from redraft.cli.safe import one_line
from redraft.cli.threshold import answers_command
from redraft.cli.tuning import stopping_command
from redraft.errors import InputError, UsageError
from redraft.types import Outcome, Task

if TYPE_CHECKING:
    from redraft.claims.confidence import Labelled
    from redraft.cli.session import Session
    from redraft.protocols import Tool
    from redraft.refiner import Refiner
    from redraft.studies.calibration import Fitted, LabelledRow
    from redraft.studies.running import Run

__all__ = ["calibrate_command", "checks_command"]

SEQUENTIAL = ("local", "scripted", "none")
CONCURRENCY = 8
LEAST = 40
"""The smallest minimum that can be asked for: halves of twenty rows measure nothing."""


class _Calibrations(click.Group):
    """Without the name of a calibration, what follows are records: `calibrate RECORDS…` is `calibrate stopping RECORDS…`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["stopping", *args]
        return super().parse_args(ctx, args)


@click.group("calibrate", cls=_Calibrations, short_help="Find the settings that pay off for your own questions.")
def calibrate_command() -> None:
    """Find what pays off for your own questions: when to stop, what to keep, what a confidence is worth, and from which one on to answer.

    `redraft calibrate RECORDS|DATA...` is short for `redraft calibrate stopping RECORDS|DATA...`.
    """


calibrate_command.add_command(stopping_command)
calibrate_command.add_command(answers_command)


@calibrate_command.command("checks", short_help="Calibrate the confidence of checks on labelled rows.")
@click.argument("data")
@click.option("-o", "--output", metavar="FILE", help="Where the calibration goes; default: where later runs with this model find it.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only N rows, drawn by the seed.")
@click.option("--minimum", type=click.IntRange(min=LEAST), metavar="N", help="Decided rows that a method needs; default 100.")
@click.option("--seed", type=SEED, default=0, metavar="S", help="Seed of the halves and of the models.")
@run_options(without=("query", "kind", "sources", "table", "tests", "strict", "judge", "evaluator", "max_turns"))
@click.pass_context
def checks_command(ctx: click.Context, data: str, output: str | None, limit: int | None, minimum: int | None, seed: int) -> None:
    """Check the labelled rows of DATA (JSON lines), compare verdicts with labels, and save how far each confidence can be believed.

    A row is a claim with a passage ("claim", "evidence", "stance"), a task row with a "label" or with "claims" that have one, or a confidence that was
    recorded before ("method", "confidence", "right"); those need no run, only the --model they are of.
    """
    from redraft.cli.session import open_session
    from redraft.models.calibration import calibration_path
    from redraft.studies.calibration import LEAST_ROWS, fit, read_labelled, save_calibration

    options = options_of(ctx)
    reading = read_labelled(Path(data))
    for bad in reading.bad:
        sys.stderr.write(f"redraft: {one_line(data)}, line {bad.line}: skipped: {one_line(bad.message)}\n")
    session = open_session(options, default_model="none")
    rows, model = _drawn(reading.rows, limit, seed), session.model
    found: Mapping[str, Sequence[Labelled]] = reading.recorded
    if rows:
        model, measured = _measured(rows, session, options, seed)
        found = {method: (*reading.recorded.get(method, ()), *measured.get(method, ())) for method in {*reading.recorded, *measured}}
    elif not reading.recorded:
        left_out = f"{len(reading.bad)} cannot be used, {reading.partial} have no label or one that is partly true"
        raise InputError(f"no row of {one_line(data)} can be calibrated on: {left_out}; give rows with a label (supported, contradicted or insufficient)")
    elif model == "none":
        raise UsageError("--model is missing: name the model that the recorded confidences are of")
    fitted = fit(found, seed=seed, minimum=minimum or LEAST_ROWS)
    target = Path(output) if output else calibration_path(model)
    usable = [item for item in fitted if item.curve]
    if usable:
        save_calibration(target, fitted, model=model, seed=seed, made=date.today().isoformat())
    left_out = {"unusable": len(reading.bad), "partly_true": reading.partial, "rows": len(rows)}
    if options.json:
        print_json(
            {"model": model, "seed": seed, "saved": str(target) if usable else None, **left_out, "methods": {item.method: item.plain() for item in fitted}}
        )
    else:
        _print(fitted, target if usable else None)
    if not usable:
        counts = "; ".join(f"{item.method}: {item.why}" for item in fitted) or "no row was decided by a model"
        raise InputError(f"nothing was saved, confidence stays as it is stated ({counts})")


def _drawn(rows: Sequence[LabelledRow], limit: int | None, seed: int) -> list[LabelledRow]:
    import random

    if limit is None or limit >= len(rows):
        return list(rows)
    return sorted(random.Random(seed).sample(rows, limit), key=lambda row: row.line)


def _measured(rows: Sequence[LabelledRow], session: Session, options: RunOptions, seed: int) -> tuple[str, Mapping[str, Sequence[Labelled]]]:
    """The name of the model that was measured, and what it stated."""
    from redraft.studies.calibration import measure

    if options.entailment is not None and session.model != "none":
        raise UsageError("calibrate one at a time: --model NAME, or --entailment PATH with --model none")
    # as it is stated, every verdict is recorded: no second look, no curve, and of the local verifier all that it leans to
    policy = dataclasses.replace(session.policy, second_look=0.0, calibration={}, entailed=0.5, refuted=0.5)
    plain_session = dataclasses.replace(session, policy=policy)
    shared = plain_session.refiner(seed=seed)
    name = shared.entailment.name if shared.entailment is not None else shared.model.name

    def seen(row: LabelledRow, problem: str) -> None:
        if problem:
            sys.stderr.write(f"redraft: line {row.line}: skipped: {one_line(problem)}\n")
        bar.update(1)

    bar: Any = click.progressbar(length=len(rows), label="rows", file=sys.stderr, hidden=options.quiet or not sys.stderr.isatty())
    with bar:
        one = session.model.partition(":")[0] in SEQUENTIAL
        return name, measure(rows, lambda: _runner(shared, plain_session), seen, concurrency=1 if one else CONCURRENCY)


@asynccontextmanager
async def _runner(shared: Refiner, session: Session) -> AsyncGenerator[Run]:
    """Checks tasks with one set of models: a claim with its passage against that passage, any other with the tools that fit it."""
    from redraft.refiner import Refiner
    from redraft.studies.calibration import PairPlanner, is_pair

    async def run(task: Task) -> Outcome:
        pair = is_pair(task)
        tools: Sequence[Tool] = () if pair else session.open_tools(task)
        refiner = Refiner(
            shared.model,
            tools=tools,
            policy=shared.policy,
            planner=PairPlanner() if pair else None,
            seed=shared.seed,
            entailment=shared.entailment,
            calibration="none",
            prompts=shared.prompts,
        )
        try:
            return await refiner.check(task, task.answer or "")
        finally:
            for tool in tools:
                await tool.close()

    try:
        yield run
    finally:
        await shared.close()


def _print(fitted: Sequence[Fitted], saved: Path | None) -> None:
    for item in fitted:
        sys.stdout.write(f"{item.method}: {item.right} of {item.n} decided rows right\n")
        if item.held_out:
            held = item.held_out
            sys.stdout.write(
                f"  on {held['n']} held-out rows: Brier {held['brier_before']} → {held['brier_after']}, "
                f"calibration error {held['ece_before']} → {held['ece_after']}\n"
            )
        if item.why:
            sys.stdout.write(f"  {item.why}\n")
    if saved is not None:
        sys.stdout.write(f"saved: {saved} (fitted to all rows)\n")
