"""Hostile evidence: what reads like an order to a model is taken out where a tool's result enters the run, and what is left of it decides nothing alone.

One wrapper around the tools that bring in other people's text. Everything behind it, rules, judges, prompts, records, sees the screened text only,
so that no quotation can be taken from an order and no verdict can rest on one.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from redraft.claims.sources import host_of
from redraft.claims.suspicion import WITHHELD, is_hostile, suspicions, withheld
from redraft.protocols import Tool
from redraft.types import EXACT_TOOLS, Evidence, Failure, ToolCall, ToolResult, Verdict

__all__ = ["HOSTILE_TRUST", "NOTE", "OWN_WORDS", "ScreenedTool", "clean", "decided", "hostile", "screened"]

HOSTILE_TRUST = 0.1
"""What is left of a source's trust once it has tried to give orders."""
OWN_WORDS = EXACT_TOOLS - {"table"}
"""Tools that say nothing but what they worked out from their input."""
NOTE = "what was found holds text that reads like an order to a model, so it decides nothing by itself"
_DATE = re.compile(r"[\d:.TZ+\s-]{4,40}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}|\d{1,2} [A-Za-z]{3,9}\.? \d{4}")


class ScreenedTool:
    """A tool whose results are screened. It says of itself what the tool says, as far as that is no order."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    @property
    def name(self) -> str:
        return self._tool.name

    @property
    def summary(self) -> str:
        return withheld(" ".join(self._tool.summary.split()))

    @property
    def timeout_seconds(self) -> float:
        return self._tool.timeout_seconds

    @property
    def down(self) -> bool:
        """Whether the tool has stopped answering."""
        return bool(getattr(self._tool, "down", False))

    async def run(self, call: ToolCall) -> ToolResult:
        return screened(await self._tool.run(call))

    async def close(self) -> None:
        await self._tool.close()


def screened(result: ToolResult) -> ToolResult:
    """The result without orders to a model, each marked where it stood; its trust lowered where one was given."""
    if isinstance(result, Failure):
        return dataclasses.replace(result, message=withheld(result.message)) if suspicions(result.message) else result
    return tuple(_screened(item) for item in result)


def hostile(item: Evidence) -> bool:
    """Whether an order to a model stands, or stood, in what a model would be shown of this evidence."""
    if item.tool in OWN_WORDS:
        return False
    value = "" if item.value[:1] in "[{" else item.value
    return any(is_hostile(part) for part in (item.text, item.title, item.source, value) if part)


def clean(results: Sequence[ToolResult]) -> list[ToolResult]:
    """The results without hostile evidence; one that had nothing else becomes a failure that says so."""
    kept: list[ToolResult] = []
    for result in results:
        if isinstance(result, Failure) or not any(hostile(item) for item in result):
            kept.append(result)
            continue
        left = tuple(item for item in result if not hostile(item))
        kept.append(left or Failure(tool=result[0].tool, input=result[0].input, kind="empty", message=NOTE))
    return kept


def decided(decide: Callable[[Sequence[ToolResult]], Verdict | None], results: Sequence[ToolResult]) -> Verdict | None:
    """What the rule makes of the results, if that does not rest on hostile evidence; else what it positively finds in the rest, or `insufficient`."""
    verdict = decide(results)
    if verdict is None or not any(hostile(item) for item in verdict.evidence):
        return verdict
    rest = clean(results)
    again = decide(rest) if any(not isinstance(result, Failure) for result in rest) else None
    if again is not None and again.status in ("supported", "contradicted") and again.evidence and (again.status == verdict.status or again.quote):
        return again
    return Verdict(status="insufficient", evidence=verdict.evidence, note=NOTE)


def _screened(item: Evidence) -> Evidence:
    changed = dataclasses.replace(
        item,
        text=withheld(item.text),
        title=withheld(item.title),
        source=(host_of(item.source) or WITHHELD) if suspicions(item.source) else item.source,
        value=_value(item.value),
        time=item.time if _DATE.fullmatch(item.time.strip()) else "",
    )
    if any(is_hostile(part) for part in (item.text, item.title, item.source) if part):
        return dataclasses.replace(
            changed, trust=min(item.trust, HOSTILE_TRUST), text=changed.text if WITHHELD in changed.text else f"{WITHHELD}\n{changed.text}"
        )
    return changed


def _value(value: str) -> str:
    """The value screened; of one that is JSON its strings, so that it stays what it is."""
    if not suspicions(value):
        return value
    if value[:1] in "[{":
        try:
            return json.dumps(_leaves(json.loads(value)), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    return withheld(value)


def _leaves(value: Any) -> Any:
    if isinstance(value, str):
        return withheld(value)
    if isinstance(value, list):
        return [_leaves(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {withheld(str(key)): _leaves(item) for key, item in cast("dict[Any, Any]", value).items()}
    return value
