"""The few names of pytest that plain tests use, for a place where pytest is not installed."""

# pyright: basic
# Values of unknown programs pass through here: there is nothing to say of their types

from __future__ import annotations

import math
import re
from typing import Any

__all__ = ["Unsupported", "approx", "fail", "raises", "skip"]


class Unsupported(Exception):
    """A test that needs more than there is here."""


class raises:
    """`with pytest.raises(ValueError, match="...")`."""

    def __init__(self, expected: Any, *args: Any, match: str | None = None, **keywords: Any) -> None:
        self.expected = expected
        self.match_text = match
        self.value: Any = None
        self.type: Any = None
        if args:
            with self:
                args[0](*args[1:], **keywords)

    def __enter__(self) -> raises:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if kind is None:
            raise AssertionError(f"did not raise {self.expected!r}")
        if not issubclass(kind, self.expected):
            return False
        self.type, self.value = kind, error
        if self.match_text is not None and not re.search(self.match_text, str(error)):
            raise AssertionError(f"{str(error)!r} does not match {self.match_text!r}")
        return True

    def match(self, pattern: str) -> bool:
        return bool(re.search(pattern, str(self.value)))


class approx:
    """Equality of numbers, and of lists and dictionaries of numbers, within a tolerance."""

    def __init__(self, expected: Any, rel: float | None = None, abs: float | None = None) -> None:
        self.expected = expected
        self.relative = (0.0 if abs is not None else 1e-6) if rel is None else rel
        self.absolute = 1e-12 if abs is None else abs

    def __eq__(self, other: Any) -> bool:
        return self._close(self.expected, other)

    def _close(self, expected: Any, other: Any) -> bool:
        if isinstance(expected, dict):
            return isinstance(other, dict) and other.keys() == expected.keys() and all(self._close(expected[key], other[key]) for key in expected)
        if isinstance(expected, (list, tuple)):
            return isinstance(other, (list, tuple)) and len(other) == len(expected) and all(map(self._close, expected, other))
        if isinstance(expected, bool) or not isinstance(expected, (int, float)) or not isinstance(other, (int, float)):
            return bool(expected == other)
        return expected == other or math.isclose(expected, other, rel_tol=self.relative, abs_tol=self.absolute)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"approx({self.expected!r})"


def fail(reason: str = "", *_: Any) -> None:
    raise AssertionError(reason)


def skip(reason: str = "", *_: Any) -> None:
    raise Unsupported(f"the test asks to be skipped: {reason}")


class _Mark:
    def __getattr__(self, name: str) -> Any:
        return lambda *args, **keywords: args[0] if len(args) == 1 and callable(args[0]) and not keywords else lambda function: function


mark = _Mark()


def fixture(*args: Any, **keywords: Any) -> Any:
    raise Unsupported("fixtures need pytest")
