"""trace: the records of runs, listed, shown, verified, exported and thinned out."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redraft.cli.files import write_stdout
from redraft.cli.wording import counted, json_text
from redraft.errors import InputError, UsageError

if TYPE_CHECKING:
    from redraft.records import Records, RunRow
    from redraft.trace import Record

__all__ = ["opened_records", "read_run", "trace_command", "write_file"]

LARGEST_BYTES = 256 << 20
SORTS = ("started", "seconds", "cost_usd", "tokens", "llm_calls", "turns", "contradicted", "undecided", "status", "policy", "model")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _age(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Seconds of a length of time such as 30d."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", value.strip().lower())
    if found is None:
        raise click.BadParameter(f"{value!r} is no length of time; for example 12h, 30d or 8w", ctx, param)
    return float(found[1]) * UNITS[found[2]]


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Bytes of a size such as 500M."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]?)b?", value.strip().lower())
    if found is None:
        raise click.BadParameter(f"{value!r} is no size; for example 500M or 2G", ctx, param)
    return int(float(found[1]) * SIZES[found[2]])


@click.group("trace", short_help="List, show, verify, export and prune the records of runs.")
def trace_command() -> None:
    """The records that runs leave, in REDRAFT_HOME or in the database of REDRAFT_DATABASE_URL.

    RUN is the id of a run, the beginning of one, or `last`.
    """


@trace_command.command("list")
@click.argument("search", default="")
@click.option("--status", multiple=True, help="Only runs with this status; repeat for more.")
@click.option("--policy", multiple=True, metavar="NAME", help="Only runs under this policy.")
@click.option("--model", multiple=True, metavar="NAME", help="Only runs with this writer.")
@click.option("--tag", default="", help="Only runs with this tag.")
@click.option("--since", callback=_age, default=None, metavar="AGE", help="Only runs that began at most so long ago, such as 12h or 30d.")
@click.option("--incomplete", is_flag=True, help="Only runs without an end: going on, or killed.")
@click.option("--changed", is_flag=True, help="Only runs that changed the answer.")
@click.option("--sort", type=click.Choice(SORTS), default="started", help="What to order by; the newest, or most, first.")
@click.option("--reverse", is_flag=True, help="The oldest, or least, first.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, help="Runs at most.")
@click.option("--cursor", default=None, help="Go on where a list ended: the `next` that --json gave.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_command(search: str, as_json: bool, limit: int, cursor: str | None, **given: Any) -> int:
    """Runs, newest first; with SEARCH those whose question and answer have all of its words."""
    import time

    from redraft.records import Filters

    since = None if given["since"] is None else time.time() - given["since"]
    filters = Filters(
        status=given["status"],
        policy=given["policy"],
        model=given["model"],
        tag=given["tag"],
        since=since,
        complete=False if given["incomplete"] else None,
        changed=True if given["changed"] else None,
    )
    records = opened_records()
    page = records.list(search=search, filters=filters, sort=given["sort"], descending=not given["reverse"], limit=limit, cursor=cursor)
    if as_json:
        _print_json({"runs": [_row_json(row) for row in page.rows], "next": page.next})
    elif not page.rows:
        sys.stderr.write(f"no runs in {records.place}\n" if not search else f"no run has {search!r}\n")
    else:
        _print_rows(page.rows)
        if page.next is not None:
            sys.stderr.write(f"{records.count(search=search, filters=filters)} runs in all; --limit shows more\n")
    records.close()
    return 0


@trace_command.command("show")
@click.argument("run")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each event.")
def show_command(run: str, as_json: bool) -> int:
    """The events of RUN, or of an exported FILE, one a line: what was called, checked, decided, and when."""
    found = _records_of(run)
    for record in found:
        if as_json:
            write_stdout(json_text({"seq": record.seq, "at": record.at, "hash": record.hash, **record.payload}).encode() + b"\n")
        else:
            sys.stdout.write(f"{record.seq:>4}  {record.at[11:23]}  {record.hash[:8]}  {_line(record)}\n")
    return 0


def _line(record: Record) -> str:
    """What happened, or why that cannot be said."""
    from redraft.cli.events import event_line
    from redraft.cli.safe import one_line
    from redraft.records.reading import event_of

    try:
        return event_line(event_of(record.payload, record.seq).payload())
    except InputError as error:
        return one_line(f"? {error}", 160)


@trace_command.command("verify")
@click.argument("run")
@click.option("--expect", metavar="HASH", default=None, help="The hash that the record must end with: the trace_hash of an outcome.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def verify_command(run: str, expect: str | None, as_json: bool) -> int:
    """Re-hash the record of RUN, or of an exported FILE, and name the first event that was altered, is missing, or was moved.

    Exits with 0 if it is intact and complete, with 1 if it is not; a record without its end is incomplete.
    """
    from redraft.trace import verify

    if expect is not None and not re.fullmatch(r"[0-9a-f]{64}", expect):
        raise click.UsageError("--expect takes the 64 hexadecimal digits of a trace_hash")
    data = read_run(run)
    found = opened_records().verify(run, expect) if data is None else verify(data, expect)
    intact = found.ok and found.complete
    if as_json:
        _print_json({"ok": found.ok, "complete": found.complete, "problem": found.problem, "first_bad_seq": found.first_bad_seq})
    else:
        from redraft.cli.safe import safe

        sys.stdout.write(f"{'intact and complete' if intact else safe(found.problem)}\n")
    return 0 if intact else 1


@trace_command.command("export")
@click.argument("run")
@click.option("-o", "--output", type=click.Path(dir_okay=False), default=None, metavar="FILE", help="Write to this file instead of standard output.")
def export_command(run: str, output: str | None) -> int:
    """The record of RUN as JSON lines, exactly as it is stored, long texts included. Other forms: redraft export."""
    data = opened_records().export(run)
    if output is None:
        write_stdout(data)
    else:
        write_file(Path(output), data)
    return 0


@trace_command.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
def import_command(file: str) -> int:
    """Take in the record of an exported FILE, if it is intact; prints its id here."""
    sys.stdout.write(f"{opened_records().add(_content(Path(file)))}\n")
    return 0


@trace_command.command("tag")
@click.argument("run")
@click.argument("tags", nargs=-1)
def tag_command(run: str, tags: tuple[str, ...]) -> int:
    """Give RUN these TAGS instead of those it had; a run with the tag `keep` is never pruned."""
    opened_records().tag(run, tags)
    return 0


@trace_command.command("prune")
@click.option("--older-than", callback=_age, default=None, metavar="AGE", help="Take out runs that began longer ago, such as 90d.")
@click.option("--largest", callback=_size, default=None, metavar="SIZE", help="Then take out the oldest until the rest is no larger, such as 2G.")
@click.option("--dry-run", is_flag=True, help="Only say what would be taken out.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def prune_command(older_than: float | None, largest: int | None, dry_run: bool, as_json: bool) -> int:
    """Take old runs out of the records, by age, by size, or both. Runs with the tag `keep` stay."""
    if older_than is None and largest is None:
        raise click.UsageError("say what to take out: --older-than AGE, --largest SIZE, or both")
    pruned = opened_records().prune(older_than_seconds=older_than, largest_bytes=largest, dry=dry_run)
    if as_json:
        _print_json({"runs": pruned.runs, "bytes": pruned.bytes, "dry_run": dry_run})
    else:
        what = "would be taken out" if dry_run else "taken out"
        sys.stdout.write(f"{pruned.runs} runs of {pruned.bytes:,} bytes {what}\n")
    return 0


def opened_records() -> Records:
    """The records that the settings name.

    Raises:
        UsageError: the settings are malformed.
    """
    from redraft.records import open_records
    from redraft.settings import load_settings

    settings = load_settings()
    return open_records(settings.database_url, settings.home)


def read_run(run: str) -> bytes | None:
    """The bytes of an exported file of this name, or None where `run` is the id of a run.

    Raises:
        InputError: there is such a file, but it cannot be read.
    """
    path = Path(run)
    if run == "-":
        return sys.stdin.buffer.read(LARGEST_BYTES)
    looks_like_a_file = "/" in run or "." in run
    if not looks_like_a_file and not path.is_file():
        return None
    return _content(path)


def _records_of(run: str) -> list[Record]:
    from redraft.trace import read_jsonl

    data = read_run(run)
    return opened_records().events(run) if data is None else read_jsonl(data)


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise InputError(f"{path} is larger than {LARGEST_BYTES >> 20} MB; that is no record of one run")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def write_file(path: Path, data: bytes) -> None:
    """A new file with this content, or the old one replaced.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _row_json(row: RunRow) -> dict[str, Any]:
    from redraft.events import plain

    return {**plain(row), "started_at": row.started_at}


def _print_json(value: Any) -> None:
    write_stdout(json_text(value).encode() + b"\n")


def _print_rows(rows: tuple[RunRow, ...]) -> None:
    from redraft.cli.safe import one_line

    for row in rows:
        when = datetime.fromtimestamp(row.started, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        status = row.status or "incomplete"
        cost = "" if row.cost_usd is None else f"  ${row.cost_usd:.4f}"
        counts = f"{row.supported} supported, {row.contradicted} contradicted, {row.undecided} undecided"
        sys.stdout.write(f"{row.id}  {when}  {status:<10}  {row.policy}  {one_line(row.model, 30)}{cost}\n")
        spent = f"{counted(row.turns, 'turn')}, {counted(row.llm_calls, 'model call')}, {row.seconds:.1f} s"
        sys.stdout.write(f"    {one_line(row.query or row.answer, 100)}\n    {counts}; {spent}\n")
