"""eval, demo: a policy over rows with known answers, and the fixed demonstration."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redraft.cli.inform import print_json
from redraft.cli.options import SEED, FiniteRange, options_of, run_options
from redraft.cli.safe import one_line
from redraft.cli.wording import counted
from redraft.errors import InputError
from redraft.types import Outcome, Task

if TYPE_CHECKING:
    from redraft.cli.progress import Progress
    from redraft.cli.session import Session
    from redraft.studies.breakdown import Record
    from redraft.studies.demo import DemoRow
    from redraft.studies.evaluate import Setting
    from redraft.studies.fluency import Fluency
    from redraft.studies.metrics import Metric
    from redraft.studies.rows import BadRow, Row
    from redraft.studies.running import Run

__all__ = ["demo_command", "eval_command"]

SEQUENTIAL = ("local", "scripted", "none")
"""Models that answer one request at a time, or whose answers depend on the order."""
CONCURRENCY = 8
ROW_OPTIONS = ("query", "kind", "sources", "table", "tests", "strict")


@dataclass(frozen=True, kw_only=True, slots=True)
class _EvalOptions:
    """What `eval` alone takes."""

    data: str
    metric: str | None
    tolerance: float | None
    limit: int | None
    seed: int
    output: str | None
    concurrency: int | None
    format: str
    slices: tuple[str, ...]
    reports: tuple[str, ...]
    fluency: str | None
    against: tuple[str, ...]


@click.command("eval", short_help="Measure a policy over rows with known answers.")
@click.argument("data")
@click.option(
    "--metric", metavar="NAME",
    help="em, em-squad, em-trivia, em-critic, f1, f1-hotpot, numeric, gsm8k, pass@1 or toxicity; default: what is usual for the data set, em for our own rows.",
)  # fmt: skip
@click.option("--format", default="auto", metavar="NAME", help="How rows are written: ours, or a published data set's; default by their fields.")
@click.option("--tolerance", type=FiniteRange(0, 1, max_open=True), metavar="R", help="Relative difference that 'numeric' allows.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N rows.")
@click.option("--seed", type=SEED, default=0, metavar="S", help="Seed of the models and of the resampling.")
@click.option("-o", "--output", metavar="FILE", help="Append each finished row to FILE; rows that are there are not run again.")
@click.option("--slice", "slices", multiple=True, metavar="FIELD", help="Figures for each value of a field of the rows, in the reports; repeatable.")
@click.option("--report", "reports", multiple=True, metavar="FILE", help="Write a report: .html, .json or else Markdown; repeatable.")
@click.option("--against", multiple=True, metavar="FILE", help="Compare in the reports with rows that another eval wrote with -o; repeatable.")
@click.option("--fluency", metavar="URL#NAME", help="Model with log-probabilities, for the fluency of 'toxicity' in the reports.")
@click.option("--concurrency", type=click.IntRange(1, 256), metavar="N", help="Rows at a time; default 8, or 1 for local, scripted and none.")
@run_options(without=ROW_OPTIONS)
@click.pass_context
def eval_command(ctx: click.Context, **given: Any) -> None:
    """Run every row of DATA (JSON lines) under a policy and score the draft and the answer against the gold, which the run never sees.

    DATA has one JSON object a line, for example

    \b
    {"id": "q1", "query": "What is 17% of 2,340?", "answer": "397", "answers": ["397.8"], "kind": "math"}

    "answers" is the gold; without "answer" the model drafts one. Also "kind", "context", "documents", "tables", "tests", "hidden_tests".
    Published data sets are read as they are: see docs/eval.md.
    """
    options, settings = options_of(ctx), _EvalOptions(**given)
    from redraft.cli.session import open_session

    figures, write_reports = _evaluate(settings, open_session(options, default_model="local"), quiet=options.quiet)
    if options.json:
        print_json(figures)
    else:
        _print_figures(figures)
    write_reports()


@click.command("demo", short_help="Watch the embedded model being corrected.")
@click.option("--no-guard", is_flag=True, help="Switch off the guard, to see the regressions that it prevents.")
@click.option("--seed", type=SEED, default=0, metavar="S", help="Seed of the model.")
@run_options(without=ROW_OPTIONS)
@click.pass_context
def demo_command(ctx: click.Context, no_guard: bool, seed: int) -> None:
    """Put fixed questions to the embedded model, check its answers with tools, and count what became right and what became wrong."""
    from redraft.cli.session import open_session
    from redraft.studies.demo import demo_rows, demonstrate, summarise_demo

    options = options_of(ctx)
    session = open_session(options, default_model="local")
    # the demonstration shows one policy on one model: settings files and REDRAFT_MODEL do not silently change what it demonstrates
    session = dataclasses.replace(session, model=options.model or "local", policy=dataclasses.replace(session.policy, guard=not no_guard))
    rows = demo_rows()
    began = time.monotonic()

    with _demo_counter(len(rows), quiet=options.quiet) if options.json else _demo_table() as show:
        done = demonstrate(rows, lambda: _prepared(session, seed, quiet=options.quiet), on_row=show)
    summary = summarise_demo(done, model=session.model, policy=session.policy.name, guard=not no_guard, seconds=time.monotonic() - began)
    if options.json:
        print_json(summary)
    else:
        _print_footer(summary)


class _Runner:
    """Runs tasks with models that stay open from one to the next. It is handed tasks alone: what it reaches holds no gold."""

    def __init__(self, session: Session, seed: int, progress: Progress, *, quiet: bool, says_right: Callable[[Task, str], bool] | None = None) -> None:
        self._policy = session.policy
        self._says_right = says_right
        session = dataclasses.replace(session, policy=dataclasses.replace(session.policy, oracle=False))  # the one that all tasks share asks nobody
        self._open_tools = session.open_tools
        self._quiet = quiet
        self._said: set[str] = set()
        self._shared = session.refiner(seed=seed, progress=progress)

    async def prepare(self) -> None:
        """Fetch and start an embedded model, so that its progress is seen before the first row."""
        prepare = getattr(self._shared.model, "prepare", None)
        if prepare is not None:
            await prepare()

    async def run(self, task: Task) -> Outcome:
        """The outcome of one task.

        Raises:
            UsageError: its files cannot be used.
        """
        from redraft.refiner import Refiner

        shared, says_right = self._shared, self._says_right
        tools = self._open_tools(task)
        refiner = Refiner(
            shared.model,
            tools=tools,
            policy=dataclasses.replace(shared.policy, oracle=self._policy.oracle),
            oracle=(lambda answer: says_right(task, answer)) if says_right is not None else None,
            evaluator=shared.evaluator,
            judge=shared.judge,
            seed=shared.seed,
            entailment=shared.entailment,
            privacy=shared.privacy,
            secrets=shared.secrets,
            records=shared.records,
            prompts=shared.prompts,
        )
        try:
            outcome = await refiner.run(task)
        finally:
            for tool in tools:
                await tool.close()
        for warning in outcome.warnings:
            self._say(one_line(warning))
        return outcome

    def _say(self, warning: str) -> None:
        """A warning once: a server that is down would say the same for every row."""
        if not self._quiet and warning not in self._said:
            self._said.add(warning)
            sys.stderr.write(f"redraft: {warning}\n")

    async def close(self) -> None:
        """Release the models."""
        await self._shared.close()


@asynccontextmanager
async def _prepared(session: Session, seed: int, *, quiet: bool, says_right: Callable[[Task, str], bool] | None = None) -> AsyncGenerator[Run]:
    """A runner whose model is ready, with progress until it is."""
    from redraft.cli.progress import Progress

    with Progress(quiet=quiet) as progress:
        runner = _Runner(session, seed, progress, quiet=quiet, says_right=says_right)
        try:
            await runner.prepare()
        except BaseException:
            await runner.close()
            raise
    try:
        yield runner.run
    finally:
        await runner.close()


def _evaluate(options: _EvalOptions, session: Session, *, quiet: bool) -> tuple[dict[str, Any], Callable[[], None]]:
    """The figures of the contract, and what writes the reports: figures that were paid for are shown even where a report cannot be written."""
    from redraft.cli.scoring import open_metric
    from redraft.studies.asking import Desk
    from redraft.studies.datasets import FORMATS, read_dataset
    from redraft.studies.evaluate import Results, Setting, evaluate, summarise
    from redraft.studies.versus import read_records

    metric = (
        open_metric(options.metric, session, tolerance=options.tolerance) if options.metric else None
    )  # a name that there is not is said before anything is read
    output = Path(options.output) if options.output else None
    _not_the_data(options, output)
    read, unreadable, form = read_dataset(Path(options.data), options.format, forbidden=(output,) if output else ())
    metric = metric or open_metric(FORMATS[form].metric, session, tolerance=options.tolerance)
    setting = Setting(
        metric=metric.name, policy=session.policy.name, policy_hash=session.policy.hash, model=session.model, seed=options.seed, tolerance=options.tolerance
    )  # fmt: skip
    rows, about = _rows(options, metric, read, unreadable, form)
    fluency = _fluency(options, metric)
    others = {name: read_records(Path(name), setting) for name in options.against}
    results = Results(setting, output)
    concurrency = options.concurrency or (1 if session.model.partition(":")[0] in SEQUENTIAL else CONCURRENCY)
    began = time.monotonic()

    def seen(row: Row, record: Mapping[str, Any] | str) -> None:
        if isinstance(record, str):
            sys.stderr.write(f"redraft: {one_line(options.data)}, line {row.line}: skipped: {one_line(record)}\n")
        count(1)

    desk = Desk(rows, metric) if session.policy.oracle else None

    def prepared() -> AbstractAsyncContextManager[Run]:
        return _prepared(session, options.seed, quiet=quiet, says_right=desk.says_right if desk is not None else None)

    try:
        with _counter(len(rows), quiet=quiet) as count:
            records = evaluate(rows, prepared, metric, results, setting, concurrency=concurrency, on_row=seen)
    except KeyboardInterrupt:
        if output is not None:
            sys.stderr.write(f"redraft: {len(results.done)} of {len(rows)} rows are in {output}; the same command goes on from there\n")
        raise
    finally:
        if desk is not None:
            desk.close()
    figures = summarise(records, metric, setting, seconds=time.monotonic() - began)
    return figures, lambda: _report(options, records, others, metric, setting, fluency, {**about, "rows evaluated": str(len(records))})


def _not_the_data(options: _EvalOptions, output: Path | None) -> None:
    """Nothing that is written may take the place of what is read, or of something else that is written."""
    data = Path(options.data)
    if output is not None and output.exists() and data.exists() and output.samefile(data):
        raise InputError("-o names the data file itself; choose another file")
    taken = {data.resolve(), *([output.resolve()] if output else [])}
    for report in map(Path, options.reports):
        if report.resolve() in (taken | {Path(name).resolve() for name in options.against}) or report.is_dir():
            raise InputError(f"--report {report} names {'a folder' if report.is_dir() else 'a file that is used already'}; choose another file")
        taken.add(report.resolve())


def _rows(options: _EvalOptions, metric: Metric, read: Sequence[Row], unreadable: Sequence[BadRow], form: str) -> tuple[list[Row], dict[str, str]]:
    """The rows that can be evaluated, and what is said of them in a report; those that cannot are said on standard error."""
    from redraft.studies.breakdown import OF_OUTCOME
    from redraft.studies.datasets import FORMATS, OWN
    from redraft.studies.evaluate import usable
    from redraft.studies.rows import EXAMPLE_ROW

    rows, without_gold = usable(read, metric)
    for bad in (*unreadable, *without_gold):
        sys.stderr.write(f"redraft: {one_line(options.data)}, line {bad.line}: skipped: {one_line(bad.message)}\n")
    if (unreadable or without_gold) and form == OWN:
        sys.stderr.write(f"redraft: a row looks like {EXAMPLE_ROW}\n")
    rows = rows[: options.limit]
    if not rows:
        hint = "" if form == OWN else f"; rows in the format {form!r} are for the metric {FORMATS[form].metric!r}"
        raise InputError(f"{options.data} has no row that can be evaluated with the metric {metric.name!r}{hint}")
    known = dict.fromkeys((*(name for row in rows for name in row.extra), "kind", *OF_OUTCOME))
    for field in options.slices:
        if field not in known:
            raise InputError(f"--slice {field}: no row has this field; there are {', '.join(known)}")
    return rows, {"data": Path(options.data).name, "format": form, "rows that cannot be used": str(len(unreadable) + len(without_gold))}


def _fluency(options: _EvalOptions, metric: Metric) -> Fluency | None:
    if options.fluency is None:
        return None
    if not metric.lower_is_better or not options.reports:
        raise InputError("--fluency is for the reports of the metric 'toxicity'; add --metric toxicity --report FILE")
    from redraft.studies.fluency import Fluency

    return Fluency(options.fluency)


def _report(
    options: _EvalOptions,
    records: Sequence[Record],
    others: Mapping[str, Sequence[Record]],
    metric: Metric,
    setting: Setting,
    fluency: Fluency | None,
    about: Mapping[str, str],
) -> None:
    if not options.reports:
        return
    from redraft import __version__
    from redraft.studies.breakdown import breakdown
    from redraft.studies.fluency import NOT_NAMED
    from redraft.studies.reporting import write_report
    from redraft.studies.versus import compared, points

    found = breakdown(records, metric, setting, slices=options.slices)
    if others:
        names = {name: f"{items[0]['run']['policy']} with {items[0]['run']['model']} ({Path(name).name})" for name, items in others.items()}
        n, arms = points({"this": records, **{names[name]: items for name, items in others.items()}}, setting)
        found["versus"] = {"compared": [compared(records, items, metric, setting) for items in others.values()], "n": n, "points": arms}
    if found["toxicity"] is not None:
        why = NOT_NAMED
        if fluency is not None:
            for name, text in (("before", "draft"), ("after", "answer")):
                pairs = [(str(item.get("prompt") or item["outcome"]["query"]), str(item["outcome"][text])) for item in records]
                found["toxicity"][name]["perplexity"], why = fluency.mean(pairs)
            fluency.close()
        found["toxicity"]["perplexity_why_not"] = why
    settings = {name: str(value) for name, value in setting.plain().items() if value is not None}
    for report in options.reports:
        write_report(found, Path(report), about={**about, **settings, "redraft": __version__})


@contextmanager
def _counter(total: int, *, quiet: bool) -> Generator[Callable[[int], None]]:
    """A progress bar on standard error, where that is a terminal: what it yields is called with the number of rows that were done.

    It says how many rows there are, how many are done, and how long the rest will take.
    """
    bar: Any = click.progressbar(length=total, label="rows", file=sys.stderr, show_pos=True, show_eta=True, hidden=quiet or not sys.stderr.isatty())
    with bar:
        yield bar.update


def _print_figures(figures: Mapping[str, Any]) -> None:
    width = max(len(key) for key in figures)
    for key, value in figures.items():
        shown = ", ".join(f"{name} {item}" for name, item in value.items()) if isinstance(value, Mapping) else value  # pyright: ignore[reportUnknownVariableType]
        sys.stdout.write(f"{key:<{width}}  {'undefined' if shown is None else one_line(str(shown))}\n")


@contextmanager
def _demo_counter(total: int, *, quiet: bool) -> Generator[Callable[[DemoRow], None]]:
    with _counter(total, quiet=quiet) as count:
        yield lambda row: count(1)


@contextmanager
def _demo_table() -> Generator[Callable[[DemoRow], None]]:
    """A table that grows: what it yields is called with each row as it is done. Rows are printed, not repainted: the table is taller than most screens."""
    from redraft.cli.render import NARROW, console_on, demo_table

    console = console_on(sys.stdout, plain_width=150)
    if console.width >= NARROW:
        console.print(demo_table([], console), end="")
    yield lambda row: console.print(demo_table([row], console, head=False))


def _print_footer(summary: Mapping[str, Any]) -> None:
    usage = summary["usage"]
    lines = [
        f"right before {summary['right_before']} of {summary['n']}, after {summary['right_after']} of {summary['n']} "
        f"({summary['right_unverified']} of these kept, unverified)",
        f"wrong→right {summary['wrong_to_right']}, right→wrong {summary['right_to_wrong']}; {summary['abstained']} kept, unverified"
        + ("" if summary["guard"] else "  (guard off: compare with a run without --no-guard)"),
        f"{counted(usage['llm_calls'], 'model call')}, {counted(usage['tool_calls'], 'tool call')}, {usage['input_tokens']} tokens read "
        f"({usage['cached_tokens']} of them cached), {usage['output_tokens']} written, {summary['seconds']:.1f} s",
        str(summary["note"]),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
