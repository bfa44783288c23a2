"""The exception tree. Exceptions are for wrong use and for calls that failed; a failing run still ends with an Outcome.

    RedraftError
    ├── UsageError              wrong arguments; the command line exits with 2
    │   ├── UnknownName         no model, tool, policy or option of that name (the nearest valid one is named)
    │   ├── MissingExtra        an optional dependency is not installed (the command that adds it is named)
    │   ├── MissingKey          a provider's key is not set (the variable is named)
    │   └── InputError          a file that cannot be read, is empty, binary or malformed
    └── ModelError              a model call failed; the loop degrades
        ├── ModelUnreachable    no connection, or no answer in time
        ├── ModelDenied         the key was refused
        ├── ModelQuota          rate or quota limit
        ├── ModelRefused        the request was not accepted (unknown model, context too long, filtered)
        └── ModelBroken         a reply that is no reply: empty, malformed, cut off

`Stopped` is not an error: the metered effects raise it before a call that a budget forbids, and `loop.py` turns it into a stop reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "InputError",
    "MissingExtra",
    "MissingKey",
    "ModelBroken",
    "ModelDenied",
    "ModelError",
    "ModelQuota",
    "ModelRefused",
    "ModelUnreachable",
    "RedraftError",
    "Stopped",
    "UnknownName",
    "UsageError",
]


class RedraftError(Exception):
    """Base of all errors that Redraft raises on purpose. The message says what happened and how to mend it."""


class UsageError(RedraftError):
    """Wrong use: nothing was run."""


class UnknownName(UsageError):
    """A name that is not known; the message names the nearest valid one."""

    def __init__(self, what: str, name: str, known: Iterable[str], hint: str = "") -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        shown = ", ".join(names[:30])
        remedy = f"did you mean {near[0]!r}?" if near else f"known: {shown}"
        super().__init__(f"unknown {what} {name!r}; {remedy}" + (f" ({hint})" if hint else ""))


class MissingExtra(UsageError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs an extra that is not installed; run: pip install 'redraft[{extra}]'")


class MissingKey(UsageError):
    """The key of a provider is not set."""

    def __init__(self, provider: str, variable: str) -> None:
        super().__init__(f"{provider} needs a key; set the environment variable {variable} (keys are never taken from the command line)")


class InputError(UsageError):
    """A file or a text that cannot be used as it is."""


class ModelError(RedraftError):
    """A model call failed. `retryable` says whether the same call may succeed later."""

    retryable = False

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        self.retry_after_seconds = retry_after_seconds
        super().__init__(message)


class ModelUnreachable(ModelError):
    """No connection, or no answer in time."""

    retryable = True


class ModelDenied(ModelError):
    """The key was refused."""


class ModelQuota(ModelError):
    """A rate or quota limit was hit."""

    retryable = True


class ModelRefused(ModelError):
    """The request was not accepted: unknown model, context too long, filtered content."""


class ModelBroken(ModelError):
    """The server answered with something that is not a reply."""

    retryable = True


class Stopped(Exception):  # a signal, not an error
    """A budget, the deadline or the caller forbids the next call; `reason` is a stop reason of the policy."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
