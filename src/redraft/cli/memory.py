"""memory: what was paid for and is recalled; to look at, and to forget."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from redraft.cli.inform import print_json
from redraft.cli.safe import one_line, safe
from redraft.errors import UsageError
from redraft.memory import FILE_NAME, Memory, Remembered, moment
from redraft.settings import home_folder

__all__ = ["memory_command"]

SHOWN = 50
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("memory", short_help="List, show or forget verdicts that are kept.", context_settings={"help_option_names": ["-h", "--help"]})
def memory_command() -> None:
    """Verdicts that `ask`, `check` and `fix` paid a judge or a search for are kept, each until it is stale, and recalled where the same claim comes up.

    `--no-memory`, or `enabled = false` under [memory] in redraft.toml, keeps and recalls none.
    """


@memory_command.command("list", short_help="List what is kept.")
@click.option("--limit", type=click.IntRange(min=1), default=SHOWN, metavar="N", help=f"At most so many, the newest first (default {SHOWN}).")
@JSON
def list_command(limit: int, as_json: bool) -> None:
    """List what is kept, what was checked last first."""
    memory = _memory()
    now = time.time()
    entries = memory.entries(limit)
    _say(memory)
    if as_json:
        print_json([_row(entry, now) for entry in entries])
        return
    if not entries:
        sys.stdout.write("Nothing is kept.\n")
    for entry in entries:
        stale = "" if entry.expires > now else " (stale)"
        sys.stdout.write(f"{entry.key[:12]}  {_day(entry.checked)}  {entry.status}{stale}  {one_line(entry.statement, 120)}\n")


@memory_command.command("show", short_help="Show one verdict with its evidence.")
@click.argument("key", metavar="KEY")
@JSON
def show_command(key: str, as_json: bool) -> None:
    """Show the verdict under KEY, or the beginning of one, with its evidence.

    Exit code 2 if there is none, or more than one.
    """
    memory = _memory()
    found = [entry for entry in memory.entries() if key and entry.key.startswith(key)]
    _say(memory)
    if len(found) != 1:
        raise UsageError(f"{'more than one verdict begins with' if found else 'nothing is kept under'} {key!r}; redraft memory list shows the keys")
    entry, now = found[0], time.time()
    if as_json:
        print_json(_row(entry, now) | {"fact": entry.fact})
        return
    fact = entry.fact
    lines = [
        one_line(entry.statement),
        f"{entry.status} (confidence {entry.confidence:.2f}), checked {_day(entry.checked)}, holds until {_day(entry.expires)}",
        f"judge: {one_line(entry.judge)}; tools: {one_line(entry.tools)}",
        f"because: “{one_line(str(fact.get('quote') or ''))}”",
    ]
    lines += [f"instead: {one_line(str(fact['expected']))}"] if fact.get("expected") else []
    sys.stdout.write("\n".join(lines) + "\n")
    for item in entry.evidence:
        title = " ".join(filter(None, (one_line(part) for part in (item.tool, item.title, item.source))))
        sys.stdout.write(f"\n{title}\n{safe(item.text)}\n")


@memory_command.command("clear", short_help="Forget everything, or one verdict.")
@click.argument("key", metavar="[KEY]", required=False)
@JSON
def clear_command(key: str | None, as_json: bool) -> None:
    """Forget everything that is kept, or with KEY (as `list` shows it) that one verdict."""
    memory = _memory()
    if key is None:
        count = memory.clear()
    else:
        found = [entry.key for entry in memory.entries() if key and entry.key.startswith(key)]
        if len(found) != 1:
            raise UsageError(f"{'more than one verdict begins with' if found else 'nothing is kept under'} {key!r}; redraft memory list shows the keys")
        count = memory.forget(found[0])
    _forgot(memory, count, as_json=as_json)


@memory_command.command("prune", short_help="Forget what is stale.")
@JSON
def prune_command(as_json: bool) -> None:
    """Forget what is stale. It is never recalled as it is; this makes room."""
    memory = _memory()
    _forgot(memory, memory.prune(time.time()), as_json=as_json)


def _memory() -> Memory:
    return Memory(home_folder() / FILE_NAME)


def _forgot(memory: Memory, count: int, *, as_json: bool) -> None:
    _say(memory)
    if as_json:
        print_json({"forgotten": count})
    else:
        sys.stdout.write(f"{count} verdict{'' if count == 1 else 's'} forgotten.\n")


def _say(memory: Memory) -> None:
    if memory.problem:
        sys.stderr.write(f"redraft: {one_line(memory.problem)}\n")


def _row(entry: Remembered, now: float) -> dict[str, Any]:
    return {
        "key": entry.key,
        "claim": entry.statement,
        "kind": entry.kind,
        "status": entry.status,
        "confidence": entry.confidence,
        "judge": entry.judge,
        "tools": entry.tools,
        "checked": _time(entry.checked),
        "expires": _time(entry.expires),
        "stale": entry.expires <= now,
    }


def _time(seconds: float) -> str:
    return moment(seconds).isoformat(timespec="seconds")


def _day(seconds: float) -> str:
    return moment(seconds).date().isoformat()
