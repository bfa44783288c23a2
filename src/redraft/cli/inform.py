"""policies, tools: what there is to choose from."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, cast, get_args

import click

from redraft.cli.safe import one_line
from redraft.cli.wording import json_text
from redraft.events import plain
from redraft.policy import STOP_ORDER, Policy
from redraft.types import TaskKind

__all__ = ["effective", "policies_command", "print_json", "print_lines", "tools_command"]


class _Policies(click.Group):
    """Without a command it lists; a word that is no command is most likely a policy."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise click.UsageError(f"unknown command {args[0]!r}; to see a policy: redraft policies show {args[0]}", ctx)
        return super().resolve_command(ctx, args)


@click.group("policies", cls=_Policies, invoke_without_command=True, short_help="List the policies, show one in full, or compare two.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list.")
@click.pass_context
def policies_command(ctx: click.Context, as_json: bool) -> None:
    """List the policies, show one with all its settings, or say where two differ. A name may be a .toml file."""
    if ctx.invoked_subcommand is not None:
        ctx.obj = as_json
        return
    from redraft.policies import POLICIES
    from redraft.settings import find_policy, load_settings

    settings = load_settings()
    known = [*POLICIES.values(), *(find_policy(name, settings) for name in settings.policies if name not in POLICIES)]
    rows = [{"name": policy.name, "summary": policy.summary, "source": policy.source} for policy in known]
    if as_json:
        print_json(rows)
    else:
        _print_rows(rows)


@policies_command.command("show", short_help="All settings of a policy, its bound and its hash.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def show_command(listed_as_json: bool, name: str, as_json: bool) -> None:
    """All effective settings of a policy: with its bound on model calls, its thresholds on the evaluator's scale of 0 to 100, and its hash."""
    shown = effective(_found(name))
    if as_json or listed_as_json:
        print_json(shown)
    else:
        print_lines(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in _flat(shown).items())


@policies_command.command("diff", short_help="Where two policies differ.")
@click.argument("first")
@click.argument("second")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: for each setting that differs its two values.")
@click.pass_obj
def diff_command(listed_as_json: bool, first: str, second: str, as_json: bool) -> None:
    """Every effective setting in which two policies differ."""
    old, new = (_flat(effective(_found(name))) for name in (first, second))
    differing = {key: [old.get(key), new.get(key)] for key in dict.fromkeys((*old, *new)) if old.get(key) != new.get(key)}
    if as_json or listed_as_json:
        print_json(differing)
    else:
        print_lines(f"{key}: {json.dumps(was, ensure_ascii=False)} → {json.dumps(now, ensure_ascii=False)}" for key, (was, now) in differing.items())


def effective(policy: Policy) -> dict[str, Any]:
    """All that a policy does, worked out: its settings, and what follows from them."""
    control, kinds = policy.control, get_args(TaskKind)
    scale = {
        "gain": control.gain,
        "tolerance": control.tolerance,
        "penalty_contradicted": control.penalty_contradicted,
        "penalty_minor": control.penalty_minor,
        "target": policy.target,
        "stable_change": policy.stable_change,
    }
    return plain(policy) | {
        "bound": policy.bound(),
        "bound_by_kind": {kind: policy.bound(kind) for kind in kinds if policy.bound(kind) != policy.bound()},
        "turns_by_kind": {kind: policy.turns(kind) for kind in kinds},
        "all_stops": [reason for reason in STOP_ORDER if reason in policy.stop_rules],
        "scale_0_to_100": {name: round(100 * value, 6) for name, value in scale.items()},
        "hash": policy.hash,
    }


def _found(name: str) -> Policy:
    from redraft.settings import find_policy, load_settings

    return find_policy(name, load_settings())


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
    """One JSON value on standard output."""
    sys.stdout.write(json_text(value, indent=2) + "\n")


def print_lines(lines: Any) -> None:
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
