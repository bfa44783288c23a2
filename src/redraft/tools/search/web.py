"""What all search providers share: a query in, evidence best first out, and every failure typed and in our words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, ClassVar

from redraft.effects import SystemClock
from redraft.errors import MissingExtra
from redraft.protocols import Clock
from redraft.tools.search.hits import Hit, evidence_of
from redraft.tools.search.http import Refused, Reply, Request, send, status_problem
from redraft.types import Failure, FailureKind, ToolCall, ToolResult

__all__ = ["HITS", "SearchProvider", "WebSearch"]

HITS = 5
"""Hits of one attempt; the next attempt brings the next ones."""
LONGEST_QUERY = 400


class SearchProvider(ABC):
    """A search engine as a tool. `attempt` n gives the n-th further set of hits, so that a repeated query brings something unseen."""

    name: str
    summary: str
    key_name: ClassVar[str] = ""
    """The environment variable of its key; empty where it needs none."""
    address: ClassVar[str] = ""
    """Of the real service."""
    rate_per_second: ClassVar[float | None] = None
    concurrency: ClassVar[int] = 4
    price_usd: ClassVar[float | None] = None
    """Of one call; None: it depends on the plan."""

    def __init__(self, key: str = "", *, url: str = "", timeout_seconds: float = 8.0, clock: Clock | None = None) -> None:
        self._key = key
        self._url = (url or self.address).rstrip("/")
        self.timeout_seconds = timeout_seconds
        self._clock = clock or SystemClock()

    def __repr__(self) -> str:
        return f"<search {self.name}>"

    async def run(self, call: ToolCall) -> ToolResult:
        """Evidence best first, or why there is none."""
        query = " ".join(call.input.encode("utf-8", "replace").decode().split())
        if not query:
            return self._failure(call, "bad_input", "there is nothing to search for")
        attempt = max(0, call.attempt)
        try:
            hits = [hit for hit in await self.search(_shortened(query), attempt) if hit.text.strip()]
        except Refused as refused:
            return self._failure(call, refused.kind, refused.message, refused.retry_after_seconds)
        except MissingExtra as error:
            return self._failure(call, "unsupported", str(error))
        found = tuple(evidence_of(call, query, hit) for hit in hits)
        return tuple(item for item in found if item.text) or self._failure(call, "empty", "found nothing more" if attempt else "found nothing")

    async def close(self) -> None:  # noqa: B027  (a provider may hold something open; none does so far)
        """Nothing is kept open between calls."""

    @abstractmethod
    async def search(self, query: str, attempt: int) -> list[Hit]:
        """The hits of one attempt, best first.

        Raises:
            Refused: the provider did not answer, or said no.
        """

    def _failure(self, call: ToolCall, kind: FailureKind, message: str, retry_after_seconds: float | None = None) -> Failure:
        return Failure(tool=call.tool, input=call.input, kind=kind, message=message, retry_after_seconds=retry_after_seconds)


class WebSearch(SearchProvider):
    """A provider behind an HTTP API: one call, one reply. Subclasses say what to ask, what a no looks like, and how to read the hits."""

    async def search(self, query: str, attempt: int) -> list[Hit]:
        reply = await send(self.request(query, attempt), timeout_seconds=self.timeout_seconds)
        problem = self.problem(reply) or status_problem(reply, self._clock.now(), key_name=self.key_name, url_name=f"REDRAFT_{self.name.upper()}_URL")
        if problem is not None:
            raise problem
        if reply.body is None:
            raise Refused("broken", "gave a reply that is not the JSON it promises")
        skip = self.skipped(attempt)
        return list(islice(self.hits(reply.body, query), skip, skip + HITS))

    @abstractmethod
    def request(self, query: str, attempt: int) -> Request:
        """What to ask for this attempt."""

    @abstractmethod
    def hits(self, body: Mapping[str, Any], query: str) -> Iterable[Hit]:
        """All hits of a reply, best first.

        Raises:
            Refused: it is of an unknown shape, or says no in its body.
        """

    def problem(self, reply: Reply) -> Refused | None:
        """A no in this provider's own way; None leaves it to the status."""
        return None

    def skipped(self, attempt: int) -> int:
        """Hits at the head of the reply that earlier attempts gave: by default all of them, for an API that knows no second page."""
        return attempt * HITS


def _shortened(query: str) -> str:
    """As long as all engines take, whole words."""
    if len(query) <= LONGEST_QUERY:
        return query
    cut = query[:LONGEST_QUERY]
    return cut.rsplit(" ", 1)[0] if " " in cut else cut
