"""Planning a long page lets other tasks run meanwhile, so that an interrupt or a time limit is not kept waiting."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TypeVar

from redraft.claims.steps import Steps

__all__ = ["unhurried"]

STEPS_AT_ONCE = 50
"""A few hundredths of a second for lines of ordinary length."""
T = TypeVar("T")


async def unhurried(steps: Steps[T]) -> T:
    """The result of the steps, with a turn for other tasks every now and then."""
    for step in count(1):
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        if step % STEPS_AT_ONCE == 0:
            await asyncio.sleep(0)
    raise AssertionError  # count() does not end
