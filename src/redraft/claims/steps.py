"""Long work in small steps: a generator that yields between them, so that whoever drives it may do something else meanwhile."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

__all__ = ["Steps", "finished"]

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Yields between steps; what it returns is the result."""


def finished(steps: Steps[T]) -> T:
    """The result, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
