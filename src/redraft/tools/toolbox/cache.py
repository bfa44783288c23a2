"""What was already answered, for a while; and what was already shown for a query, so that a further attempt brings something new."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from redraft.protocols import Clock
from redraft.tools.toolbox.queries import likeness
from redraft.types import Failure, ToolCall, ToolResult

__all__ = ["Key", "ResultCache", "Unseen"]

Key = tuple[str, int]
"""Normal form of the input, and the attempt."""


@dataclass(frozen=True, slots=True)
class _Entry:
    result: ToolResult
    until: float


class ResultCache:
    """Results by input and attempt, each until its time is up; the least recently used go first. Lives in memory only."""

    def __init__(self, clock: Clock, *, size: int = 1024, similarity: float | None = None) -> None:
        self._clock = clock
        self._size = size
        self._similarity = similarity
        self._entries: OrderedDict[Key, _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Key) -> ToolResult | None:
        """The result of this input, or of one that is similar enough where that is allowed."""
        entry = self._entry(key)
        if entry is None and self._similarity is not None:
            alike = [(likeness(key[0], other[0]), other) for other in self._entries if other[1] == key[1]]
            best = max(alike, default=(0.0, key))
            entry = self._entry(best[1]) if best[0] >= self._similarity else None
        return entry.result if entry else None

    def _entry(self, key: Key) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.until <= self._clock.monotonic():
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return entry

    def put(self, key: Key, result: ToolResult, ttl_seconds: float) -> None:
        if ttl_seconds <= 0 or self._size <= 0:
            return
        self._entries[key] = _Entry(result, self._clock.monotonic() + ttl_seconds)
        self._entries.move_to_end(key)
        while len(self._entries) > self._size:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        self._entries.clear()


class Unseen:
    """Remembers which sources earlier attempts of a query brought, and leaves them out of the later ones."""

    def __init__(self, size: int = 1024) -> None:
        self._size = size
        self._given: OrderedDict[str, dict[int, frozenset[str]]] = OrderedDict()

    def fresh(self, key: Key, call: ToolCall, result: ToolResult) -> ToolResult:
        """The evidence whose source no earlier attempt gave; what has no source stays."""
        if isinstance(result, Failure):
            return result
        query, attempt = key
        given = self._given.setdefault(query, {})
        self._given.move_to_end(query)
        while len(self._given) > self._size:
            self._given.popitem(last=False)
        seen = frozenset[str]().union(*(sources for number, sources in given.items() if number < attempt))
        new = tuple(item for item in result if not item.source or item.source not in seen)
        given[attempt] = frozenset(item.source for item in new if item.source)
        return new or Failure(tool=call.tool, input=call.input, kind="empty", message="nothing was found that earlier attempts had not brought")

    def clear(self) -> None:
        self._given.clear()
