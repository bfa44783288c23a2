"""The commands of `redraft` and what they are for. A command's module is imported when the command is called, not for `--help`."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import NoReturn

import click

from redraft import __version__

__all__ = ["COMMANDS", "app"]

COMMANDS: dict[str, tuple[str, str]] = {
    "ask": ("answer", "Answer a question, check the answer, correct it."),
    "check": ("answer", "Check a text; change nothing."),
    "fix": ("answer", "Check a text and correct what is contradicted."),
    "eval": ("measure", "Measure a policy over rows with known answers."),
    "study": ("study", "Measure what refining is worth, before blind judges."),
    "calibrate": ("calibrate", "Find the settings that pay off for your own questions."),
    "trace": ("trace", "List, show, verify, export and prune the records of runs."),
    "replay": ("replay", "Run a recorded run again, without a model and without tools."),
    "export": ("export", "Turn records into training data, tables, logs or a page."),
    "view": ("view", "Look at recorded runs in the browser."),
    "demo": ("measure", "Watch the embedded model being corrected."),
    "mcp": ("mcp", "Offer checking and correcting to MCP clients."),
    "memory": ("memory", "List, show or forget verdicts that are kept."),
    "policies": ("inform", "List the policies, show one in full, or compare two."),
    "prompts": ("prompts", "List, show or export the prompt templates."),
    "tools": ("inform", "List the tools and whether they can be used."),
    "doctor": ("doctor", "Say what is installed, what is missing and what adds it."),
}
"""Module and short help of each command, in the order of `--help`."""


class _LazyGroup(click.Group):
    """A group whose commands are found by name and loaded when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"redraft.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            self._unknown(ctx, args[0])
        return super().resolve_command(ctx, args)

    def _unknown(self, ctx: click.Context, name: str) -> NoReturn:
        near = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
        remedy = f"did you mean {near[0]!r}?" if near else f'known: {", ".join(COMMANDS)}; to ask a question: redraft ask "..."'
        raise click.UsageError(f"unknown command {name!r}; {remedy}", ctx)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 in order, 1 something is contradicted, 2 wrong use, 3 something could not be verified, 4 no answer, 130 interrupted.",
)
@click.version_option(__version__, "--version", message="redraft %(version)s")
def app() -> None:
    """Check answers of language models against real tools, and correct only what the evidence contradicts."""
