"""export: records as training data, tables, logs, or a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redraft.cli.files import write_stdout
from redraft.cli.trace import opened_records, read_run, write_file

if TYPE_CHECKING:
    from redraft.exporting import Run

__all__ = ["export_command"]

FORMATS = ("sft", "dpo", "claims", "inspect", "csv", "parquet", "html")
TABLE_NAMES = ("runs", "claims", "turns", "calls")
PAGE = 500


@click.command("export", short_help="Turn records into training data, tables, logs or a page.")
@click.argument("runs", nargs=-1)
@click.option("--format", "form", type=click.Choice(FORMATS), required=True, help="What to make of the runs.")
@click.option("--all", "everything", is_flag=True, help="All complete runs.")
@click.option("--search", default="", help="All complete runs whose question and answer have these words.")
@click.option("--table", type=click.Choice(TABLE_NAMES), default="runs", help="Of csv and parquet: which table.")
@click.option("--judged", is_flag=True, help="Of sft, dpo and claims: also what a model judged or chose to look up.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), default=None, metavar="FILE", help="Write to this file instead of standard output.")
def export_command(runs: tuple[str, ...], form: str, everything: bool, search: str, table: str, judged: bool, output: str | None) -> int:
    """Export RUNS (ids, beginnings of ids, `last`, or exported FILES) in another form; incomplete ones are left out.

    sft, dpo, claims: JSON lines for training and for verification sets, by default only where a check computed, executed or quoted decided.
    inspect: a log for Inspect. csv, parquet: tables for analysts. html: one run as a page that opens without a server.
    """
    if not runs and not everything and not search:
        raise click.UsageError("say which runs: their ids, --search WORDS or --all")
    if form == "html" and (len(runs) != 1 or everything or search):
        raise click.UsageError("--format html takes one run")
    found = _found(runs, everything, search)
    if form == "parquet":
        from redraft.exporting import parquet_of

        if output is None:
            raise click.UsageError("--format parquet needs a file: -o FILE")
        count = parquet_of(table, found, Path(output))
        sys.stderr.write(f"{count} rows in {output}\n")
        return 0
    data = _made(form, found, table=table, judged=judged)
    if output is None:
        write_stdout(data)
    else:
        write_file(Path(output), data)
    if form in ("sft", "dpo", "claims"):
        sys.stderr.write(_rows_said(data))
    return 0


def _rows_said(data: bytes) -> str:
    count = data.count(b"\n")
    return f"{count} row{'' if count == 1 else 's'}\n"


def _made(form: str, runs: Iterator[Run], *, table: str, judged: bool) -> bytes:
    from redraft import exporting

    if form == "inspect":
        return json.dumps(exporting.inspect_log(runs), indent=1).encode("ascii")
    if form == "csv":
        return exporting.csv_of(table, runs)
    if form == "html":
        return exporting.certificate(next(runs))
    rows: Callable[..., Iterable[dict[str, Any]]] = {"sft": exporting.sft_rows, "dpo": exporting.dpo_rows, "claims": exporting.claim_rows}[form]
    return b"".join(json.dumps(row).encode("ascii") + b"\n" for row in rows(runs, judged=judged))


def _found(names: tuple[str, ...], everything: bool, search: str) -> Iterator[Run]:
    """The runs that were asked for, oldest first where they are not named.

    Raises:
        InputError: a named one is not there, or is damaged.
    """
    from redraft.exporting import read_runs, run_of
    from redraft.records import Filters
    from redraft.trace import read_jsonl

    records = opened_records()
    for name in names:
        data = read_run(name)
        if data is not None:
            yield run_of(Path(name).stem, read_jsonl(data))
        else:
            yield from read_runs(records, [name])
    cursor = None
    while everything or search:
        page = records.list(search=search, filters=Filters(complete=True), descending=False, limit=PAGE, cursor=cursor)
        yield from read_runs(records, [row.id for row in page.rows])
        cursor = page.next
        if cursor is None:
            return
