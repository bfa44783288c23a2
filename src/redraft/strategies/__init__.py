"""The policies that are not the one loop, built from the same steps. Each is found by its name and imported when chosen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module

from redraft.loop import Ending, Setting, run_loop
from redraft.policy import Strategy

__all__ = ["Runner", "runner_of"]

Runner = Callable[[Setting], Awaitable[Ending]]
PLACES: dict[Strategy, tuple[str, str]] = {
    "reflexion": ("reflexion", "run"),
    "lats": ("lats", "run"),
    "react": ("react", "run"),
    "best-of-n": ("best_of_n", "run"),
    "self-consistency": ("best_of_n", "run_vote"),
    "inline-tools": ("inline_tools", "run"),
}
"""File and function of each strategy."""


def runner_of(strategy: Strategy) -> Runner:
    """What takes a run of this strategy to its end."""
    if strategy == "loop":
        return run_loop
    module, function = PLACES[strategy]
    return getattr(import_module(f"{__name__}.{module}"), function)
