"""replay: a run again from its record."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, get_args

import click

from redraft.cli.files import write_stdout
from redraft.cli.trace import opened_records, read_run
from redraft.cli.wording import counted, json_text
from redraft.privacy import PrivacyMode

if TYPE_CHECKING:
    from redraft.events import Started
    from redraft.replay import Live, Replayed
    from redraft.settings import Settings

__all__ = ["opened_live", "replay_command"]


@click.command("replay", short_help="Run a recorded run again, without a model and without tools.")
@click.argument("run")
@click.option("--policy", metavar="NAME", default=None, help="Under another policy, as far as the record reaches: a name, or a .toml file.")
@click.option("--continue", "go_on", is_flag=True, help="Where the record ends, go on with the model and the tools that were recorded.")
@click.option("--privacy", type=click.Choice(get_args(PrivacyMode)), default="off", help="With --continue: what third parties and the new record are told.")
@click.option("--trusted", is_flag=True, help="With --continue: open the addresses and files that a record from elsewhere names.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def replay_command(run: str, policy: str | None, go_on: bool, privacy: PrivacyMode, trusted: bool, as_json: bool) -> int:
    """Run RUN (an id, the beginning of one, `last`, or an exported FILE) again over what its model and its tools said then.

    Exits with 0 if every event is the recorded one, or with --policy and --continue if the run came to an end; else with 1.
    """
    from redraft.records import IMPORTED
    from redraft.replay import replay
    from redraft.settings import find_policy, load_settings
    from redraft.trace import read_jsonl

    settings = load_settings()
    data = read_run(run)
    records = opened_records()
    found = read_jsonl(data if data is not None else records.export(run))
    chosen = find_policy(policy, settings) if policy is not None else None
    if not go_on:
        replayed = asyncio.run(replay(found, policy=chosen))
        name = ""
    else:
        if not trusted and (data is not None or records.get(run).id.startswith(IMPORTED)):
            _ask_for_trust(found)
        replayed, name = asyncio.run(_continued(found, chosen, settings, privacy))
    _print(replayed, name, as_json=as_json, own=policy is None and not go_on)
    return 0 if (replayed.same if policy is None and not go_on else replayed.outcome is not None) else 1


def _ask_for_trust(found: Any) -> None:
    """A record from elsewhere says what this machine would open, and whom it would tell.

    Raises:
        UsageError: it names an address or a file.
    """
    from redraft.errors import UsageError
    from redraft.records.reading import event_of

    started: Any = event_of(found[0].payload)
    named = [name for name in dict.fromkeys(started.models.values()) if "://" in name or name.startswith(("local:", "scripted:"))]
    named += [*started.task.documents, *started.task.tables]
    if named:
        shown = ", ".join(repr(name)[:80] for name in named[:5])
        raise UsageError(f"this record comes from elsewhere and would have {shown} opened; if you know that it may, say so with --trusted")


async def _continued(found: Any, policy: Any, settings: Settings, privacy: PrivacyMode) -> tuple[Replayed, str]:
    """The replay that goes on live, and the id under which its record is kept."""
    from uuid import uuid4

    from redraft.records.reading import event_of
    from redraft.replay import replay

    started: Any = event_of(found[0].payload)
    live = opened_live(started, settings, privacy)
    name = f"r{uuid4().hex[:16]}"
    keeper = opened_records().keeper(name)
    try:
        replayed = await replay(found, policy=policy, live=live, keeper=keeper, run_id=name)
    finally:
        for part in (*live.models.values(), *live.tools.values()):
            await part.close()
        warning = keeper.finish()
        if warning:
            sys.stderr.write(f"redraft: {warning}\n")
    return replayed, name


def opened_live(started: Started, settings: Settings, privacy: PrivacyMode) -> Live:
    """The models and tools that were recorded, opened anew.

    Raises:
        UsageError: one of them cannot be opened.
    """
    import os

    from redraft.errors import UsageError
    from redraft.models import open_model
    from redraft.privacy import Shield
    from redraft.replay import Live
    from redraft.screening import OWN_WORDS, ScreenedTool
    from redraft.tools import open_tools

    if any(name.startswith("mcp:") for name in started.tools):
        raise UsageError("the record names an MCP server; a record cannot start a program")  # no record of ours does: it holds names of tools
    shield = Shield(privacy, started.task, secrets=tuple(settings.keys.values()), seed=started.seed)
    names = dict.fromkeys(started.models[part] for part in ("writer", "judge", "evaluator"))
    opened = {name: shield.model(open_model(name, settings=settings.for_models)) for name in names}
    tools = open_tools(started.task, started.tools or None, {**settings.keys, **os.environ})
    return Live(
        models={part: opened[started.models[part]] for part in ("writer", "judge", "evaluator")},
        tools={tool.name: shield.tool(tool if tool.name in OWN_WORDS else ScreenedTool(tool)) for tool in tools},
        sink=shield.sink,
    )


def _print(replayed: Replayed, name: str, *, as_json: bool, own: bool) -> None:
    from redraft.cli.safe import safe
    from redraft.outcome import to_json

    outcome, needed = replayed.outcome, replayed.needed
    if as_json:
        call = None if needed is None else {"kind": needed.kind, "name": needed.name, "turn": needed.turn, "asked": needed.excerpt, "key": needed.key}
        value = {
            "same": replayed.same,
            "decided_alike": replayed.decided_alike,
            "difference": replayed.difference,
            "decisions": replayed.decisions,
            "needed": call,
            "outcome": None if outcome is None else to_json(outcome),
        }
        write_stdout(json_text(value).encode() + b"\n")
        return
    if needed is not None:
        lines = [f"the record does not reach: {needed.in_words()}", f"{replayed.decisions} decisions before; --continue goes on from there"]
    else:
        assert outcome is not None
        if own:
            other = "decided alike, but not the same" if replayed.decided_alike else "not the recorded run"
            ended = "every event and the answer are the recorded ones" if replayed.same else f"{other}: {replayed.difference}"
        else:
            ended = "as recorded" if replayed.same else replayed.difference
        lines = [
            outcome.answer,
            "",
            f"{outcome.status} ({outcome.stop_reason}), {counted(len(outcome.turns), 'turn')}, {counted(replayed.decisions, 'decision')}; {ended}",
        ]
    if name:
        lines.append(f"recorded as {name}")
    sys.stdout.write(safe("\n".join(lines)) + "\n")
