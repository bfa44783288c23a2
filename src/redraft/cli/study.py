"""study: what refining is worth for a model and a task, before blind judges, with the statistics that say what may be concluded."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redraft.cli.inform import print_json
from redraft.cli.options import SEED, FiniteRange
from redraft.cli.safe import one_line
from redraft.errors import InputError, UsageError

if TYPE_CHECKING:
    from redraft.protocols import Model
    from redraft.studies.trials import Design, Progress
    from redraft.types import Ability, ModelReply, ModelRequest

__all__ = ["study_command"]

SEQUENTIAL = ("local", "scripted")
"""Models that answer one request at a time, or whose answers depend on the order."""
STORE, RESULT = "calls.sqlite", "results.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Options:
    """What was asked for."""

    model: str | None
    evaluator: str | None
    judge: tuple[str, ...]
    questions: str | None
    judge_labels: str | None
    limit: int | None
    seed: int
    max_turns: int
    bound: float
    retest: float
    concurrency: int | None
    output: str
    allow_same_judge: bool
    dry_run: bool
    png: bool
    json: bool
    quiet: bool


def _options(function: Any) -> Any:
    """The options that both studies take."""
    for add in reversed((
        click.option("--model", metavar="NAME", help="The writer. Default: REDRAFT_MODEL or the settings file."),
        click.option("--evaluator", metavar="NAME", help="The model that scores rewrites in the loop; default: the writer (of stopping: required)."),
        click.option("--judge", multiple=True, metavar="NAME", help="A blind judge that takes no other part; repeat for more, which also measures agreement."),
        click.option("--questions", metavar="FILE", help="JSON lines with query and domain; default: our own 20 questions in 8 domains."),
        click.option("--judge-labels", metavar="FILE", help="JSON lines with query, answer and label (true or false): correct rates for the judge's errors."),
        click.option("--limit", type=click.IntRange(min=2), metavar="N", help="Only the first N questions."),
        click.option("--seed", type=SEED, default=0, metavar="S", help="Seed of models, orders and resampling."),
        click.option("--max-turns", type=click.IntRange(1, 32), default=8, show_default=True, metavar="N", help="The hard cap."),
        click.option("--bound", type=FiniteRange(0, 1, min_open=True), default=0.05, show_default=True, help="Differences up to this much count as equal."),
        click.option("--retest", type=FiniteRange(0, 1), default=0.2, show_default=True, help="Share of the texts that are judged a second time."),
        click.option("--concurrency", type=click.IntRange(1, 256), metavar="N", help="Calls at a time; default 8, or 1 for local and scripted."),
        click.option("-o", "--output", default="redraft-study", show_default=True, metavar="DIR", help="Folder of replies, results and reports."),
        click.option("--allow-same-judge", is_flag=True, help="Let the writer or the evaluator judge, and warn of it."),
        click.option("--dry-run", is_flag=True, help="Say how many calls it takes and what they may cost; ask no model."),
        click.option("--png", is_flag=True, help="Write the figures as PNG files too."),
        click.option("--json", is_flag=True, help="Print one JSON object on standard output, and nothing else there."),
        click.option("--quiet", is_flag=True, help="No progress."),
    )):  # fmt: skip
        function = add(function)
    return function


@click.group("study", short_help="Measure what refining is worth, before blind judges.")
def study_command() -> None:
    """Measure what refining is worth for a model and a task, before blind judges that see the question and the final answer only."""


@study_command.command("ablation", short_help="What each part of controlled refinement is worth.")
@_options
def ablation_command(**given: Any) -> None:
    """Full refinement, without its ensemble, without its critical guard, without strict evaluation, and the draft itself.

    Replies are kept in DIR: interrupted at any point, the same command goes on from there and comes to the same bytes.
    """
    _study("ablation", _Options(**given))


@study_command.command("stopping", short_help="Two evaluators, the hard cap against dynamic stops.")
@_options
def stopping_command(**given: Any) -> None:
    """Two evaluators (the writer itself, and --evaluator) × two ways to stop: at the hard cap, or dynamically.

    A dynamic run is the exact prefix of the hard-cap run, and costs no generation. Interrupted, the same command goes on.
    """
    _study("stopping", _Options(**given))


def _study(name: str, options: _Options) -> None:
    from redraft.settings import load_settings
    from redraft.studies.conducting import estimate, read_labels, study_warnings
    from redraft.studies.questions import read_questions
    from redraft.studies.trials import Setting

    settings = load_settings()
    writer = options.model or settings.model
    if writer is None:
        raise UsageError("a study needs a writer; name one with --model, or set REDRAFT_MODEL")
    judges = options.judge or ((settings.judge,) if settings.judge else ())
    evaluator = options.evaluator or settings.evaluator or writer
    models = {model: _opened(model, settings.for_models, planned=options.dry_run) for model in dict.fromkeys((writer, evaluator, *judges))}
    design = _design(name, models[writer], models[evaluator], options.max_turns)
    warnings = study_warnings(design, judges, allow_same=options.allow_same_judge)
    questions = read_questions(Path(options.questions) if options.questions else None, limit=options.limit)
    labels = read_labels(Path(options.judge_labels)) if options.judge_labels else ()
    one = any(model.partition(":")[0] in SEQUENTIAL for model in models)
    setting = Setting(
        seed=options.seed, max_turns=options.max_turns, concurrency=options.concurrency or (1 if one else 8), retest=options.retest, bound=options.bound
    )
    plan = estimate(design, questions, setting, judges, labels=len(labels))
    for warning in warnings:
        sys.stderr.write(f"redraft: {one_line(warning)}\n")
    if options.dry_run:
        print_json(plan) if options.json else sys.stdout.write(_plan_in_words(plan))
        return
    if not options.quiet:
        sys.stderr.write(_plan_in_words(plan))
    folder = Path(options.output)
    _check_folder(folder, name)
    result = _conducted(folder, models, (writer, evaluator, judges), setting, questions, labels, warnings, name, quiet=options.quiet)
    _written(folder, result, png=options.png)
    if options.json:
        print_json(result)
    else:
        _print(result, folder)


def _check_folder(folder: Path, name: str) -> None:
    """Results that something else wrote are not written over; said before a call is paid.

    Raises:
        InputError: they are there.
    """
    import json

    path = folder / RESULT
    try:
        content = path.read_bytes() if path.exists() else None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; choose another folder with -o") from None
    if content is None:
        return
    try:
        found: Any = json.loads(content)
        whose = found["study"]
    except (ValueError, KeyError, TypeError, RecursionError):
        whose = None
    if whose != name:
        what = f"the results of another study ({one_line(str(whose))})" if whose is not None else "something that no study wrote"
        raise InputError(f"{path} holds {what}; choose another folder with -o")


@dataclass(frozen=True, slots=True)
class _Planned:
    """A model that is only counted: a plan needs no key."""

    name: str
    ability: Ability = "capable"

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise AssertionError("a plan asks no model")

    async def close(self) -> None:
        """Nothing to release."""


def _opened(name: str, settings: Mapping[str, Any], *, planned: bool) -> Model:
    from redraft.errors import MissingExtra, MissingKey
    from redraft.models import open_model

    try:
        model = open_model(name, settings=settings)
    except (MissingKey, MissingExtra):
        if planned:
            return _Planned(name)
        raise
    if model.ability != "capable":
        raise UsageError(f"{name} is too small a model for a study: it can neither rewrite on a diagnosis nor score; name a capable one")
    return model


def _design(name: str, writer: Model, evaluator: Model, max_turns: int) -> Design:
    if name == "ablation":
        from redraft.studies.ablation import ablation

        return ablation(writer=writer, evaluator=evaluator, max_turns=max_turns)
    from redraft.studies.stopping_study import stopping

    return stopping(writer=writer, evaluator=evaluator, max_turns=max_turns)


def _conducted(
    folder: Path, models: Mapping[str, Model], roles: tuple[str, str, tuple[str, ...]], setting: Any, questions: Any, labels: Any, warnings: Any, name: str,
    *, quiet: bool,
) -> dict[str, Any]:  # fmt: skip
    from redraft.effects import SystemClock
    from redraft.studies.calls import CallStore, StoredModel
    from redraft.studies.conducting import conduct

    store = CallStore(folder / STORE, SystemClock().now(), concurrency=setting.concurrency)
    stored = {model: StoredModel(opened, store) for model, opened in models.items()}
    writer, evaluator, judges = roles
    design = _design(name, stored[writer], stored[evaluator], setting.max_turns)

    async def whole(progress: Progress) -> dict[str, Any]:
        try:
            return await conduct(
                design, questions, [stored[judge] for judge in judges], store, stored[writer], setting, labels=labels, warnings=warnings, progress=progress
            )
        finally:
            for model in stored.values():
                await model.close()

    try:
        with _Bars(len(questions), quiet=quiet) as bars:
            return asyncio.run(whole(bars.progress))
    except KeyboardInterrupt:
        sys.stderr.write(f"redraft: {store.asked} replies were added to {folder / STORE}; the same command goes on from there\n")
        raise
    finally:
        if not quiet:
            sys.stderr.write(f"redraft: {store.asked} calls were made, {store.recalled} replies were there already\n")
        store.close()


class _Bars:
    """Progress on standard error, where that is a terminal: questions first, then texts, each with the time that is left."""

    def __init__(self, questions: int, *, quiet: bool) -> None:
        self._hidden = quiet or not sys.stderr.isatty()
        self._bar = self._opened(questions, "questions")

    def __enter__(self) -> _Bars:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.render_finish()

    @property
    def progress(self) -> Progress:
        from redraft.studies.trials import Progress

        return Progress(question_done=self._step, judging=self._judging, text_done=self._step)

    def _opened(self, total: int, label: str) -> Any:
        bar: Any = click.progressbar(length=total, label=label, file=sys.stderr, hidden=self._hidden, show_eta=True, show_pos=True)
        bar.render_progress()
        return bar

    def _step(self) -> None:
        self._bar.update(1)

    def _judging(self, total: int) -> None:
        self._bar.render_finish()
        self._bar = self._opened(total, "texts judged")


def _written(folder: Path, result: Mapping[str, Any], *, png: bool) -> None:
    import json

    from redraft.errors import MissingExtra
    from redraft.studies.report import save_report, to_markdown
    from redraft.studies.study_report import plots_of, study_report

    report = study_report(result)
    try:
        part = folder / f"{RESULT}.part"
        part.write_text(json.dumps(result, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
        part.replace(folder / RESULT)  # never half of them: what no study wrote would stop the study that goes on
        (folder / "report.md").write_bytes(to_markdown(report).encode("utf-8", "backslashreplace"))
        save_report(report, folder / "report.html")
        for name, plot in plots_of(result).items() if png else ():
            (folder / f"{name}.png").write_bytes(plot.png())
    except MissingExtra as error:
        sys.stderr.write(f"redraft: no figures, and so no HTML report: {one_line(str(error))}\n")
    except OSError as error:
        raise InputError(f"cannot write into {folder}: {error.strerror or error}; choose another folder with -o") from None


def _plan_in_words(plan: Mapping[str, Any]) -> str:
    lines = [f"{plan['study']} over {plan['questions']} questions: at most {plan['calls_at_most']:,} model calls"]
    for part in plan["parts"]:
        price = "price not known" if part["usd"] is None else f"about ${part['usd']:,.2f}"
        lines.append(
            f"  {part['part']:<10} {one_line(part['model'])}: {part['calls']:,} calls, {part['input_tokens']:,} + {part['output_tokens']:,} tokens, {price}"
        )
    total = "not known" if plan["usd_at_most"] is None else f"${plan['usd_at_most']:,.2f}"
    lines.append(f"  cost at most: {total} ({plan['assumed']})")
    return "\n".join(lines) + "\n"


def _print(result: Mapping[str, Any], folder: Path) -> None:
    write = sys.stdout.write
    for arm in result["arms"].values():
        low, high = arm["quality_ci95"]
        gained = "" if arm["efficiency"] is None else f", {arm['efficiency']:+.5f} per 1,000 tokens"
        write(f"{arm['label']:<28} quality {arm['quality']:.4f} ({low:.4f} to {high:.4f}), {arm['tokens']:,.0f} tokens{gained}\n")
    write("\n")
    for row in result["tests"]:
        write(f"{'* ' if row['primary'] else '  '}{one_line(row['conclusion'])}\n")
    write(f"\nReport: {folder / 'report.html'}, {folder / 'report.md'}, {folder / RESULT}\n")
