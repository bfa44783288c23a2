"""The options that commands share. Each command takes the same ones, so that what was learnt with one holds for all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar, get_args

import click

from redraft.privacy import PrivacyMode
from redraft.types import TaskKind

__all__ = ["SEED", "FileCommand", "FiniteRange", "RunOptions", "options_of", "run_options"]

Function = TypeVar("Function", bound=Callable[..., Any])
META = "redraft.options"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOptions:
    """What was said on the command line about a run; None where nothing was said."""

    model: str | None = None
    evaluator: str | None = None
    judge: str | None = None
    entailment: str | None = None
    privacy: PrivacyMode = "off"
    policy: str | None = None
    prompts: str | None = None
    tool: tuple[str, ...] = ()
    query: str | None = None
    kind: TaskKind | None = None
    sources: tuple[str, ...] = ()
    table: tuple[str, ...] = ()
    tests: str | None = None
    max_turns: int | None = None
    deadline: float | None = None
    budget_tokens: int | None = None
    budget_usd: float | None = None
    record: bool = True
    memory: bool = True
    strict: bool = False
    json: bool = False
    quiet: bool = False


class FiniteRange(click.FloatRange):
    """A range of numbers that neither infinity nor "not a number" slips through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


SEED = click.IntRange(0, 2**63 - 1)
"""A seed that every generator of random numbers, provider and record takes."""
POSITIVE = FiniteRange(min=0, min_open=True)
SPECIFIC: dict[str, tuple[str, dict[str, Any]]] = {
    "model": ("--model", {"metavar": "NAME", "help": "The writer: local, openai:NAME, http://HOST:PORT/v1#NAME, scripted:FILE, none, ..."}),
    "evaluator": ("--evaluator", {"metavar": "NAME", "help": "The model that scores answers; default: the writer."}),
    "judge": ("--judge", {"metavar": "NAME", "help": "The model that judges what tools cannot decide; default: the writer."}),
    "entailment": ("--entailment", {"metavar": "PATH", "help": "Folder of a local entailment verifier (ONNX) for claims that no rule decides."}),
    "privacy": (
        "--privacy",
        {
            "type": click.Choice(get_args(PrivacyMode)),
            "default": "off",
            "help": "Hide personal data and secrets from remote models, search engines and records.",
        },
    ),
    "policy": ("--policy", {"metavar": "NAME", "help": "How to check and correct: a name, or a .toml file. See: redraft policies."}),
    "prompts": ("--prompts", {"metavar": "DIR", "help": "Folder of prompt templates that replace our own. See: redraft prompts export."}),
    "tool": ("--tool", {"multiple": True, "metavar": "NAME", "help": "Use this tool; repeat for more. Default: all that fit."}),
    "query": ("--query", {"metavar": "TEXT", "help": "The question that the text answers."}),
    "kind": ("--kind", {"type": click.Choice(get_args(TaskKind)), "help": "What kind of answer it is."}),
    "sources": ("--sources", {"multiple": True, "metavar": "PATH...", "help": "Documents, or folders of them, that are evidence."}),
    "table": ("--table", {"multiple": True, "metavar": "PATH...", "help": "CSV, XLSX or Parquet files that are evidence."}),
    "tests": ("--tests", {"metavar": "PATH", "help": "Python file with tests for the code in the answer."}),
    "max_turns": ("--max-turns", {"type": click.IntRange(0, 100), "metavar": "N", "help": "Rewrites at most."}),
    "deadline": ("--deadline", {"type": POSITIVE, "metavar": "SECONDS", "help": "Stop after this time with the best answer so far."}),
    "budget_tokens": ("--budget-tokens", {"type": click.IntRange(min=1), "metavar": "N", "help": "Stop when so many tokens are spent."}),
    "budget_usd": ("--budget-usd", {"type": POSITIVE, "metavar": "USD", "help": "Stop when so much money is spent."}),
    "memory": (
        "--no-memory",
        {"flag_value": False, "default": True, "type": bool, "help": "Neither recall nor keep verdicts that were paid for. See: redraft memory."},
    ),
    "record": ("--no-record", {"flag_value": False, "default": True, "type": bool, "help": "Keep no record of this run. See: redraft trace."}),
    "strict": ("--strict", {"is_flag": True, "help": "Exit with 3 if something is undecided."}),
    "json": ("--json", {"is_flag": True, "help": "Print one JSON object on standard output, and nothing else there."}),
    "quiet": ("--quiet", {"is_flag": True, "help": "No progress, notes or report: of `check` the exit code alone, of `ask` the answer, of `fix` the text."}),
}


def run_options(*, without: tuple[str, ...] = ()) -> Callable[[Function], Function]:
    """Add the shared options to a command, but those named; `options_of` reads them."""

    def keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        ctx.meta.setdefault(META, {})[param.name] = value

    def decorate(function: Function) -> Function:
        for name, (flag, settings) in reversed(SPECIFIC.items()):
            if name not in without:
                function = click.option(flag, name, expose_value=False, callback=keep, **settings)(function)
        return function

    return decorate


def options_of(ctx: click.Context) -> RunOptions:
    """The shared options of the command that is running."""
    given = ctx.meta.get(META, {})
    return RunOptions(**{field.name: given[field.name] for field in fields(RunOptions) if field.name in given})


class FileCommand(click.Command):
    """A command that takes one FILE, and lets `--sources` and `--table` take several paths after it, as a shell's `*.csv` gives them."""

    greedy: ClassVar[frozenset[str]] = frozenset({"--sources", "--table"})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._spread(ctx, args))

    def _spread(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`FILE --table a b` becomes `FILE --table a --table b`. Before FILE, an option takes one path, because the next word may be FILE."""
        takes_value = {flag for param in self.get_params(ctx) if isinstance(param, click.Option) and not param.is_flag for flag in param.opts}
        result: list[str] = []
        current, file_seen, place = "", False, 0
        while place < len(args):
            word = args[place]
            if word == "--":
                return [*result, *args[place:]]
            if word in takes_value and place + 1 < len(args):
                result += [word, args[place + 1]]
                current, place = (word if word in self.greedy else ""), place + 2
                continue
            if word.startswith("-") and word != "-":
                current = ""
                result.append(word)
            elif current and file_seen:
                result += [current, word]
            else:
                file_seen = True
                result.append(word)
            place += 1
        return result
