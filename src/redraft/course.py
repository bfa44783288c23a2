"""What happens in the course of one tool call beside its result: what it cost, what failed on the way, and whether what came back is a result at all."""

from __future__ import annotations

import dataclasses
import math
from contextvars import ContextVar
from typing import Any, cast

from redraft.types import Evidence, Failure, ToolResult

__all__ = ["COURSE", "Course", "charge", "failing", "sound"]

MOST_FAILED = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Course:
    """What happens in the course of one call of a tool, beside its result."""

    costs: list[float] = dataclasses.field(default_factory=list[float])
    failed: dict[Failure, None] = dataclasses.field(default_factory=dict[Failure, None])


COURSE: ContextVar[Course | None] = ContextVar("redraft_course", default=None)
"""Of the call that is being made; tasks that the tool starts write on the same one."""


def charge(cost_usd: float) -> None:
    """Put the price of a call that goes out now on the bill of the run that made it; called by whatever stands before a priced service."""
    course = COURSE.get()
    if course is not None:
        course.costs.append(cost_usd)


def failing(failure: Failure) -> None:
    """Have a failure recorded after which something else is tried; called by whatever repeats a call or asks another service instead."""
    course = COURSE.get()
    if course is not None and len(course.failed) < MOST_FAILED:
        course.failed[failure] = None


def sound(result: Any) -> ToolResult | None:
    """The result if it is what a tool may return, else None; scores outside [0, 1] and those that are no numbers are brought there."""
    if isinstance(result, Failure):
        return result
    if not isinstance(result, tuple) or not result or not all(isinstance(item, Evidence) and _texts(item) for item in cast("tuple[Any, ...]", result)):
        return None
    return tuple(dataclasses.replace(item, trust=_share(item.trust), relevance=_share(item.relevance)) for item in cast("tuple[Evidence, ...]", result))


def _texts(item: Evidence) -> bool:
    parts: tuple[Any, ...] = (item.tool, item.input, item.text, item.value, item.title, item.source, item.time)
    return all(isinstance(part, str) for part in parts)


def _share(value: Any) -> float:
    return min(1.0, max(0.0, float(value))) if isinstance(value, int | float) and not math.isnan(value) else 0.0
