"""Safety scorers by name, and the tool `safety`: the first of them that answers, in the user's order."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec

from redraft.errors import MissingExtra, MissingKey, UnknownName, UsageError
from redraft.protocols import Tool
from redraft.tools.safety.moderation import Moderation
from redraft.tools.safety.perspective import Perspective
from redraft.tools.safety.profanity import Profanity
from redraft.tools.safety.scorer import SafetyScorer
from redraft.tools.search.chain import together
from redraft.tools.toolbox.guarded import Guarded, GuardSettings
from redraft.tools.toolbox.queries import unchanged
from redraft.types import Failure, ToolCall, ToolResult

__all__ = ["BY_SEARCH", "NO_SCORER", "SCORERS", "SafetyChain", "open_safety", "scorer_names"]

SCORERS: Mapping[str, type[SafetyScorer]] = {scorer.name: scorer for scorer in (Moderation, Perspective, Profanity)}
"""In the order of preference where the user names none."""
BY_SEARCH = "search"
"""In `REDRAFT_SAFETY`: a search and a capable judge, where no scorer gives a score. It is no scorer: `planning.safety` does it."""
NO_SCORER = "set OPENAI_API_KEY, or run: pip install 'redraft[safety]' for the offline signal"


def scorer_names(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The scorers that are asked: those that `REDRAFT_SAFETY` names, in its order, else those with a key, then the offline signal where it is installed.

    Raises:
        UnknownName: `REDRAFT_SAFETY` names a scorer that there is not.
        UsageError: `search` does not stand last in it.
    """
    values = os.environ if environment is None else environment
    named = tuple(dict.fromkeys(part.strip().lower() for part in values.get("REDRAFT_SAFETY", "").split(",") if part.strip()))
    for name in named:
        if name not in SCORERS and name != BY_SEARCH:
            raise UnknownName("safety scorer", name, (*SCORERS, BY_SEARCH), "from REDRAFT_SAFETY")
    if BY_SEARCH in named[:-1]:
        raise UsageError("REDRAFT_SAFETY: 'search' comes last, where no scorer gives a score")
    if named:
        return tuple(name for name in named if name != BY_SEARCH)
    return tuple(name for name, scorer in SCORERS.items() if (values.get(scorer.key_name) if scorer.key_name else find_spec("profanity_check")))


class SafetyChain:
    """Asks the scorers in order and takes the first score."""

    name = "safety"
    summary = "Scores how harmful a whole text is, 0 to 1; it says nothing about facts. Input: the text."

    def __init__(self, scorers: Sequence[Tool]) -> None:
        if not scorers:
            raise UsageError(f"the tool 'safety' has no scorer; {NO_SCORER}")
        self.scorers = tuple(scorers)

    def __repr__(self) -> str:
        return f"<safety: {', '.join(scorer.name for scorer in self.scorers)}>"

    @property
    def timeout_seconds(self) -> float:
        return sum(scorer.timeout_seconds for scorer in self.scorers)

    @property
    def down(self) -> bool:
        """Whether none of the scorers would be asked."""
        return all(getattr(scorer, "down", False) for scorer in self.scorers)

    async def run(self, call: ToolCall) -> ToolResult:
        """The first scorer's evidence, or one failure that says what became of each."""
        failures: list[Failure] = []
        for scorer in self.scorers:
            result = await scorer.run(dataclasses.replace(call, tool=scorer.name))
            if not isinstance(result, Failure):
                return tuple(dataclasses.replace(item, tool=call.tool) for item in result)
            failures.append(result)
        return together(call, failures)

    async def close(self) -> None:
        for scorer in self.scorers:
            await scorer.close()


def open_safety(environment: Mapping[str, str] | None = None) -> Tool:
    """The tool `safety`; the scorers are the same objects for every run of the process, with their breakers, limits and caches.

    Raises:
        UsageError: there is no scorer, or `REDRAFT_SAFETY` names one that does not exist, lacks its key or is not installed.
    """
    values = os.environ if environment is None else environment
    return SafetyChain(tuple(_open(name, values) for name in scorer_names(values)))


def _open(name: str, values: Mapping[str, str]) -> Tool:
    scorer = SCORERS[name]
    key = values.get(scorer.key_name, "").strip() if scorer.key_name else ""
    url = values.get(scorer.url_name, "").strip() if scorer.url_name else ""
    if scorer.key_name and not key and not url:
        raise MissingKey(f"safety scorer {name}", scorer.key_name)
    if scorer is Profanity and find_spec("profanity_check") is None:
        raise MissingExtra("the safety scorer 'profanity'", "safety")
    return _shared(name, key, url)


@lru_cache(maxsize=16)
def _shared(name: str, key: str, url: str) -> Guarded:
    scorer = SCORERS[name](key, url=url)
    settings = GuardSettings(timeout_seconds=scorer.timeout_seconds, concurrency=scorer.concurrency, retries=1)
    return Guarded(scorer, settings, normal=unchanged)
