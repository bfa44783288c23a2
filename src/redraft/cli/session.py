"""From options and settings to a task and a Refiner, and from a Refiner to an Outcome: what all commands that run something share."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from redraft.catalogue import read_prompts
from redraft.cli.files import read_tests
from redraft.cli.options import RunOptions
from redraft.cli.progress import Progress
from redraft.errors import InputError, UnknownName
from redraft.events import Event
from redraft.policy import Policy, with_budgets, with_turns
from redraft.privacy import PrivacyMode
from redraft.prompts import Prompts
from redraft.protocols import Tool
from redraft.refiner import Refiner
from redraft.settings import Settings, find_policy, load_settings
from redraft.tools import open_tools
from redraft.types import Outcome, Task, TaskKind

if TYPE_CHECKING:
    from redraft.memory import Memory
    from redraft.records import Records

__all__ = ["Session", "open_session", "task_from"]

NOTES_SHOWN = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """Everything a command needs to run tasks."""

    model: str
    evaluator: str | None
    judge: str | None
    entailment: str | None
    privacy: PrivacyMode
    policy: Policy
    prompts: Prompts
    tools: tuple[str, ...] | None
    settings: Settings
    records: Records | None = None
    """Where its runs are kept; None: nowhere."""
    memory: Memory | None = None
    """Verdicts that were paid for, for single answers; measurements never recall one."""

    def refiner(
        self, tools: Sequence[Tool] | None = None, *, seed: int = 0, progress: Progress | None = None, on_event: Callable[[Event], None] | None = None
    ) -> Refiner:
        """A Refiner with these tools, or with none yet; closing it closes its models and tools.

        Raises:
            UsageError: an unknown model, a missing key or extra.
        """
        from redraft.models import open_model

        settings = self.settings.for_models
        models = [
            None if name is None else open_model(name, settings=settings, progress=progress and progress.fetching)
            for name in (self.model, self.evaluator, self.judge)
        ]
        return Refiner(
            models[0] or "none",
            tools=tools,
            policy=self.policy,
            prompts=self.prompts,
            evaluator=models[1],
            judge=models[2],
            seed=seed,
            on_event=self._listening(on_event),
            entailment=self.entailment,
            privacy=self.privacy,
            secrets=tuple(self.settings.keys.values()),
            records=self.records,
        )

    def _listening(self, on_event: Callable[[Event], None] | None) -> Callable[[Event], None] | None:
        """What hears of the events of one run: the caller, and the collector that the settings name."""
        if self.settings.telemetry is None:
            return on_event
        from redraft.telemetry import open_telemetry

        spans = open_telemetry(self.settings.telemetry)

        def heard(event: Event) -> None:
            spans.event(event)
            if on_event is not None:
                on_event(event)

        return heard

    def open_tools(self, task: Task) -> tuple[Tool, ...]:
        """The tools for a task; keys of search engines come from the environment, else from the settings file.

        Raises:
            UsageError: an unknown tool, a missing extra or key, a file that cannot be used.
        """
        return open_tools(task, self.tools, {**self.settings.for_tools, **os.environ}, safety=self.policy.checks == "safety")

    def run(self, task: Task, act: Callable[[Refiner], Awaitable[Outcome]], *, quiet: bool) -> Outcome:
        """Run one task to its outcome, with progress on standard error where that is a terminal; warnings are said there too."""

        async def whole(progress: Progress, tools: Sequence[Tool]) -> Outcome:
            refiner = self.refiner(tools, progress=progress, on_event=progress.event)
            refiner.memory = self.memory
            try:
                return await act(refiner)
            finally:
                await refiner.close()
                if self.records is not None:
                    self.records.close()

        with Progress(quiet=quiet) as progress:
            tools = self.open_tools(task)  # reads files: outside the event loop Ctrl-C ends it at once
            if not quiet:
                _say_notes(tools)
            outcome = asyncio.run(whole(progress, tools))
        if not quiet:
            from redraft.cli.safe import one_line

            for warning in outcome.warnings:
                sys.stderr.write(f"redraft: {one_line(warning)}\n")
        return outcome


def _say_notes(tools: Sequence[Tool]) -> None:
    """What was left out of the given files, or guessed in reading them: evidence that is not there decides nothing, and that must not go unsaid."""
    from redraft.cli.safe import one_line

    notes = [note for tool in tools for note in getattr(tool, "notes", ())]
    for note in notes[:NOTES_SHOWN]:
        sys.stderr.write(f"redraft: {one_line(note)}\n")
    if len(notes) > NOTES_SHOWN:
        sys.stderr.write(f"redraft: and {len(notes) - NOTES_SHOWN} more of the kind\n")


def open_session(options: RunOptions, *, default_model: str) -> Session:
    """The session that flags, environment and settings files ask for, in this order.

    Raises:
        UsageError: an unknown name or a malformed settings file.
    """
    settings = load_settings()
    _check_prices(settings)
    policy = with_budgets(find_policy(options.policy, settings), deadline_seconds=options.deadline, tokens=options.budget_tokens, cost_usd=options.budget_usd)
    if options.max_turns is not None:
        policy = with_turns(policy, options.max_turns)
    model, judge = options.model or settings.model or default_model, options.judge or settings.judge
    return Session(
        model=model,
        evaluator=options.evaluator or settings.evaluator,
        judge=judge,
        entailment=options.entailment,
        privacy=options.privacy,
        policy=policy,
        prompts=read_prompts(options.prompts),
        tools=options.tool or settings.tools,
        settings=settings,
        memory=_memory(settings, judge or model) if options.memory else None,
        records=_records(settings) if options.record and settings.record else None,
    )


def _memory(settings: Settings, judge: str) -> Memory | None:
    """The memory of verified facts, where verdicts are paid for: what no model judges, or one that costs nothing, is found out again as well."""
    from redraft.memory import FILE_NAME, Memory
    from redraft.privacy import LOCAL_MODELS

    given = settings.memory
    if not given.get("enabled", True) or judge.partition(":")[0] in LOCAL_MODELS:
        return None
    return Memory(settings.home / FILE_NAME, max_entries=given.get("max_entries", 10_000), max_bytes=int(given.get("max_megabytes", 64) * (1 << 20)))


def _check_prices(settings: Settings) -> None:
    if not settings.prices:
        return
    from redraft.tools.search import ENGINES

    for name in settings.prices:
        if name not in ENGINES:
            raise UnknownName("priced tool", name, ENGINES, "from [tools.NAME] usd_per_call")


def _records(settings: Settings) -> Records:
    """The store that the settings name. Nothing is opened before the first event of a run."""
    from redraft.records import open_records

    return open_records(settings.database_url, settings.home)


def task_from(options: RunOptions, *, query: str, default_kind: TaskKind) -> Task:
    """The task that the options describe.

    Raises:
        InputError: a file cannot be used.
    """
    for flag, paths in (("--sources", options.sources), ("--table", options.table)):
        for path in paths:
            if not path.strip() or "\x00" in path or not Path(path).exists():
                raise InputError(f"{flag}: there is no file or folder {path!r}")
    tests = read_tests(options.tests) if options.tests else ""
    kind = options.kind or ("code" if tests else default_kind)
    return Task(query=query, kind=kind, documents=options.sources, tables=options.table, tests=tests)
