"""ask, check, fix: one task, one Outcome."""

from __future__ import annotations

import sys
from typing import Literal, get_args

import click

from redraft.cli.files import Source, read_source, replace_file, write_stdout
from redraft.cli.options import FileCommand, RunOptions, options_of, run_options
from redraft.cli.wording import json_text
from redraft.errors import InputError, UsageError
from redraft.outcome import to_json
from redraft.types import Outcome

__all__ = ["ask_command", "check_command", "fix_command"]

Format = Literal["text", "json", "markdown", "sarif", "junit"]
ASK_CODES = {"verified": 0, "corrected": 0, "disputed": 1, "unverified": 3, "failed": 4}


@click.command("ask", short_help="Answer a question, check the answer, correct it.")
@click.argument("query")
@run_options(without=("query",))
@click.pass_context
def ask_command(ctx: click.Context, query: str) -> int:
    """Answer QUERY (`-`: read it from standard input), check the answer with tools, correct what they contradict.

    Exits with 0 if the answer is verified or corrected, 1 if it is disputed, 3 if it could not be verified, 4 if there is none.
    """
    from redraft.cli.session import open_session, task_from

    options = options_of(ctx)
    question = (read_source("-", may_be_empty=True).text if query == "-" else query).strip()
    if not question:
        raise InputError('the question is empty; for example: redraft ask "What is 17% of 2,340?"')
    session = open_session(options, default_model="local")
    if session.model == "none":
        raise UsageError("ask needs a model to write the answer: give --model NAME, for example --model local; redraft check works without one")
    task = task_from(options, query=question, default_kind="qa")
    outcome = session.run(task, lambda refiner: refiner.run(task), quiet=options.quiet)
    if options.json:
        _print_json(outcome)
    elif options.quiet:
        _print_answer(outcome.answer)
    else:
        _print_report(outcome, to_stderr=False, show_answer=True)
    return ASK_CODES[outcome.status]


@click.command("check", cls=FileCommand, short_help="Check a text; change nothing.")
@click.argument("file", default="-")
@click.option("--format", "form", type=click.Choice(get_args(Format)), default=None, help="How to print the verdicts; json is --json.")
@run_options()
@click.pass_context
def check_command(ctx: click.Context, file: str, form: Format | None) -> int:
    """Check the text in FILE (`-`, the default: standard input) and print a verdict for every claim; nothing is changed.

    Exits with 1 if something is contradicted, with --strict 3 if something is undecided, else 0. With --quiet that is all it says, unless a format is
    asked for.
    """
    from redraft.cli.session import open_session, task_from

    options = options_of(ctx)
    if options.json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} exclude each other", ctx)
    source = read_source(file)
    session = open_session(options, default_model="none")
    task = task_from(options, query=options.query or "", default_kind="report")
    outcome = session.run(task, lambda refiner: refiner.check(task, source.text), quiet=options.quiet)
    if options.json or form or not options.quiet:
        _print_as("json" if options.json else form or "text", outcome, "stdin" if source.path is None else file, strict=options.strict)
    return _code(outcome, options)


@click.command("fix", cls=FileCommand, short_help="Check a text and correct what is contradicted.")
@click.argument("file", default="-")
@click.option("--diff", is_flag=True, help="Print a unified diff instead of the text.")
@click.option("--write", is_flag=True, help="Replace FILE by the corrected text instead of printing it.")
@run_options()
@click.pass_context
def fix_command(ctx: click.Context, file: str, diff: bool, write: bool) -> int:
    """Check the text in FILE (`-`, the default: standard input) and correct what is contradicted; every other byte stays.

    The corrected text alone goes to standard output, the report to standard error. Exit codes as for check, of the corrected text.
    """
    from redraft.cli.session import open_session, task_from

    options = options_of(ctx)
    if write and file == "-":
        raise click.UsageError("--write needs a FILE to replace", ctx)
    if diff and options.json:
        raise click.UsageError("--diff and --json exclude each other: both go to standard output", ctx)
    source = read_source(file)
    session = open_session(options, default_model="none")
    task = task_from(options, query=options.query or "", default_kind="report")
    outcome = session.run(task, lambda refiner: refiner.revise(task, source.text), quiet=options.quiet)
    if write and outcome.changed:
        replace_file(source, outcome.answer)
    if options.json:
        _print_json(outcome)
    elif diff:
        from redraft.cli.render import unified_diff

        _print_source(source, unified_diff(source.text, outcome.answer, file if source.path else "stdin"), mark=b"")
    elif not write:
        _print_source(source, outcome.answer, mark=source.mark)
    if not (options.quiet or options.json):
        _print_report(outcome, to_stderr=True, show_answer=False)
    return _code(outcome, options)


def _code(outcome: Outcome, options: RunOptions) -> int:
    if any(check.status == "contradicted" for check in outcome.checks):
        return 1
    return 3 if options.strict and any(check.undecided for check in outcome.checks) else 0


def _print_as(form: Format, outcome: Outcome, name: str, *, strict: bool) -> None:
    if form == "text":
        _print_report(outcome, to_stderr=False, show_answer=False)
        return
    if form == "json":
        _print_json(outcome)
        return
    from redraft.cli.formats import to_junit, to_markdown, to_sarif

    match form:
        case "markdown":
            text = to_markdown(outcome, name)
        case "sarif":
            text = to_sarif(outcome, name, strict=strict)
        case "junit":
            text = to_junit(outcome, name)
    write_stdout(text.encode("utf-8", "replace"))


def _print_json(outcome: Outcome) -> None:
    """One line of JSON, harmless on every terminal."""
    write_stdout(json_text(to_json(outcome)).encode() + b"\n")


def _print_answer(answer: str) -> None:
    """The answer alone, as one text that ends with a line feed."""
    if not answer:
        return
    if sys.stdout.isatty():
        from redraft.cli.safe import safe

        answer = safe(answer)
    write_stdout((answer if answer.endswith("\n") else answer + "\n").encode("utf-8", "replace"))


def _print_report(outcome: Outcome, *, to_stderr: bool, show_answer: bool) -> None:
    from redraft.cli.render import console_on, print_outcome

    print_outcome(outcome, console_on(sys.stderr if to_stderr else sys.stdout), show_answer=show_answer)


def _print_source(source: Source, text: str, *, mark: bytes) -> None:
    """The text byte for byte where it goes to a file or a program; made harmless where it goes to a terminal."""
    if sys.stdout.isatty():
        from redraft.cli.safe import safe

        sys.stdout.write(safe(text))
        sys.stdout.flush()
    else:
        write_stdout(mark + text.encode(source.encoding, "surrogatepass"))
