"""policies, tools: what there is to choose from."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, cast

import click

from redraft.cli.safe import one_line

__all__ = ["policies_command", "print_json", "tools_command"]


@click.command("policies", short_help="List the policies, or show one in full.")
@click.argument("names", nargs=-1, metavar="[NAME [NAME]]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list, or with a NAME all its settings.")
def policies_command(names: tuple[str, ...], as_json: bool) -> None:
    """List the policies. With one NAME (or .toml file) show all its settings and its hash, with two show where they differ."""
    from redraft.events import plain
    from redraft.policies import POLICIES
    from redraft.settings import find_policy, load_settings

    settings = load_settings()
    if len(names) > 2:
        raise click.UsageError("give at most two names")
    if not names:
        known = [*POLICIES.values(), *(find_policy(name, settings) for name in settings.policies if name not in POLICIES)]
        rows = [{"name": policy.name, "summary": policy.summary, "source": policy.source} for policy in known]
        if as_json:
            print_json(rows)
        else:
            _print_rows(rows)
        return
    shown = [(policy := find_policy(name, settings), _flat(plain(policy)) | {"hash": policy.hash}) for name in names]
    figures = [values for _, values in shown]
    if len(figures) == 1:
        if as_json:
            print_json(plain(shown[0][0]) | {"hash": shown[0][0].hash})
        else:
            _print_lines(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in figures[0].items())
        return
    differing = {key: [values.get(key) for values in figures] for key in figures[0] if figures[0].get(key) != figures[1].get(key)}
    if as_json:
        print_json(differing)
    else:
        _print_lines(f"{key}: {json.dumps(old, ensure_ascii=False)} → {json.dumps(new, ensure_ascii=False)}" for key, (old, new) in differing.items())


@click.command("tools", short_help="List the tools and whether they can be used.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of objects.")
def tools_command(as_json: bool) -> None:
    """List the tools, whether each can be used here, and what adds those that cannot."""
    from redraft.tools import TOOLS

    rows: list[dict[str, Any]] = []
    for info in TOOLS.values():
        why_not = info.why_not
        rows.append({"name": info.name, "summary": info.summary, "available": why_not is None, "why_not": why_not})
    if as_json:
        print_json(rows)
    else:
        _print_rows([{**row, "available": "yes" if row["available"] else f"no: {row['why_not']}"} for row in rows], leave_out="why_not")


def print_json(value: object) -> None:
    """One JSON value on standard output, ASCII, so that it is the same in every locale."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _print_lines(lines: Any) -> None:
    for line in lines:
        sys.stdout.write(one_line(line) + "\n")


def _print_rows(rows: list[dict[str, Any]], *, leave_out: str = "") -> None:
    from rich.table import Table
    from rich.text import Text

    from redraft.cli.render import box_for, console_on

    console = console_on(sys.stdout)
    keys = [key for key in rows[0] if key != leave_out]
    table = Table(*keys, box=box_for(console), pad_edge=False)
    for row in rows:
        table.add_row(*(Text(one_line(str(row[key]))) for key in keys))
    console.print(table)


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(cast("Mapping[str, Any]", value), f"{before}{key}.")
        else:
            flat[before + key] = value
    return flat
