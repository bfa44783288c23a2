"""What all safety scorers share: a text in, one piece of evidence with the worst score out, and every failure typed and in our words.

A score lies in [0, 1]: 0 harmless, 1 worst. A text is scored in pieces where it is longer than the scorer takes, and the worst piece counts; a text that
is too long altogether is not scored at all, for half a look clears nothing.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, cast

from redraft.effects import SystemClock
from redraft.errors import MissingExtra
from redraft.protocols import Clock
from redraft.tools.search.http import Refused
from redraft.types import Evidence, Failure, FailureKind, ToolCall, ToolResult

__all__ = ["MOST_PIECES", "SafetyScorer", "listed", "pieces", "share", "worst"]

MOST_PIECES = 32
SHOWN = 20
_NAME = re.compile(r"[A-Za-z][A-Za-z/_-]{0,39}")
_SPACE = re.compile(r"\s+")


class SafetyScorer(ABC):
    """A scorer as a tool."""

    name: str
    summary: str
    key_name: ClassVar[str] = ""
    """The environment variable of its key; empty where it needs none."""
    url_name: ClassVar[str] = ""
    """The environment variable that sets another address."""
    address: ClassVar[str] = ""
    """Of the real service."""
    trust: ClassVar[float] = 0.8
    """How far a score is trusted. Below one half the scorer is a signal only: a low score of it clears nothing."""
    concurrency: ClassVar[int] = 4
    piece: ClassVar[int] = 6000
    """Characters of one piece."""

    def __init__(self, key: str = "", *, url: str = "", timeout_seconds: float = 8.0, clock: Clock | None = None) -> None:
        self._key = key
        self._url = (url or self.address).rstrip("/")
        self.timeout_seconds = timeout_seconds
        self._clock = clock or SystemClock()

    def __repr__(self) -> str:
        return f"<safety {self.name}>"

    async def run(self, call: ToolCall) -> ToolResult:
        """One piece of evidence: `value` the worst score, `title` its attribute, `text` all scores, worst first; or why there is none."""
        text = call.input.encode("utf-8", "replace").decode().strip()
        if not text:
            return self._failure(call, "bad_input", "there is no text to score")
        parts = pieces(text, self.piece)
        if len(parts) > MOST_PIECES:
            return self._failure(call, "too_large", f"the text is longer than the {MOST_PIECES * self.piece:,} characters that are scored")
        try:
            scores = worst(await self.score(parts))
        except Refused as refused:
            return self._failure(call, refused.kind, refused.message, refused.retry_after_seconds)
        except MissingExtra as error:
            return self._failure(call, "unsupported", str(error))
        if not scores:
            return self._failure(call, "broken", "gave no score")
        attribute, score = next(iter(scores.items()))
        shown = listed(scores)
        return (Evidence(tool=call.tool, input=call.input, text=shown, value=f"{score:.4f}", title=attribute, source=self.name, trust=self.trust),)

    async def close(self) -> None:  # noqa: B027  (a scorer may hold something open; none does so far)
        """Nothing is kept open between calls."""

    @abstractmethod
    async def score(self, parts: Sequence[str]) -> Iterable[Mapping[str, float]]:
        """For each piece of a text its scores by attribute.

        Raises:
            Refused: the scorer did not answer, said no, or cannot score such a text.
            MissingExtra: what it needs is not installed.
        """

    def _failure(self, call: ToolCall, kind: FailureKind, message: str, retry_after_seconds: float | None = None) -> Failure:
        return Failure(tool=call.tool, input=call.input, kind=kind, message=message, retry_after_seconds=retry_after_seconds)


def pieces(text: str, size: int) -> tuple[str, ...]:
    """The text in pieces of at most `size` characters, cut at white space where there is any near the end."""
    found: list[str] = []
    while len(text) > size:
        spaces = [match.start() for match in _SPACE.finditer(text, size // 2, size)]
        cut = spaces[-1] if spaces else size
        found.append(text[:cut])
        text = text[cut:].lstrip()
    return tuple(found) + ((text,) if text else ())


def worst(scored: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The worst score of each attribute over all pieces, worst first."""
    merged: dict[str, float] = {}
    for scores in scored:
        for name, value in scores.items():
            merged[name] = max(value, merged.get(name, 0.0))
    return dict(sorted(merged.items(), key=lambda item: (-item[1], item[0])))


def listed(scores: Mapping[str, float]) -> str:
    """The scores in words that are ours: `toxicity 0.8312, insult 0.1200`."""
    return ", ".join(f"{name} {value:.4f}" for name, value in list(scores.items())[:SHOWN])


def share(name: Any, value: Any) -> tuple[str, float]:
    """An attribute and its score as a service names them; a name is a word, never a sentence.

    Raises:
        Refused: it is no name, or no number in [0, 1].
    """
    if isinstance(name, str) and _NAME.fullmatch(name) and isinstance(value, int | float) and not isinstance(value, bool):
        number = float(cast("float", value))
        if math.isfinite(number) and 0.0 <= number <= 1.0:
            return name.lower(), number
    raise Refused("broken", "gave something that is no score between 0 and 1")
