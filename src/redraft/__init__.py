"""Redraft checks an answer against real tools, rewrites only what the evidence contradicts, and records why.

    from redraft import Refiner, Task

The names below are imported when they are first used, so that `import redraft` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, whose import would be most of the time before the command line can take a Ctrl-C

if TYPE_CHECKING:
    from typing import Any

    from redraft.errors import RedraftError, UsageError
    from redraft.models import open_model
    from redraft.policy import Policy
    from redraft.refiner import Refiner
    from redraft.types import Check, Claim, Evidence, Outcome, Task

__all__ = ["Check", "Claim", "Evidence", "Outcome", "Policy", "RedraftError", "Refiner", "Task", "UsageError", "__version__", "open_model"]

__version__ = "0.1.0"

_HOMES = {
    "errors": ("RedraftError", "UsageError"),
    "models": ("open_model",),
    "policy": ("Policy",),
    "refiner": ("Refiner",),
    "types": ("Check", "Claim", "Evidence", "Outcome", "Task"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"redraft.{home}"), name)
    raise AttributeError(f"module 'redraft' has no attribute {name!r}")
