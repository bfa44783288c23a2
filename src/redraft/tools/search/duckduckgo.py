"""DuckDuckGo by reading its pages (`ddgs`): the last resort, without a key and without a promise. Never run against the real service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from redraft.errors import MissingExtra
from redraft.protocols import Clock
from redraft.tools.search.hits import Hit
from redraft.tools.search.http import Refused
from redraft.tools.search.web import HITS, SearchProvider

__all__ = ["DuckDuckGo"]

PAGE = 10
Look = Callable[[str, int], list[dict[str, Any]]]
"""Query and page (from 1) to results with `title`, `href` and `body`."""


class DuckDuckGo(SearchProvider):
    """Results of DuckDuckGo's page for people; it may change or refuse at any time. `look` replaces the library, in tests."""

    name = "duckduckgo"
    summary = "Searches the web without a key (DuckDuckGo); input: a question or statement."
    rate_per_second = 0.5
    concurrency = 1
    price_usd = 0.0

    def __init__(self, *, look: Look | None = None, timeout_seconds: float = 8.0, clock: Clock | None = None) -> None:
        super().__init__(timeout_seconds=timeout_seconds, clock=clock)
        self._look = look or self._asked

    async def search(self, query: str, attempt: int) -> list[Hit]:
        try:
            from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
        except ImportError:
            raise MissingExtra("searching DuckDuckGo", "search") from None
        page, skip = attempt * HITS // PAGE, attempt * HITS % PAGE
        try:
            found = await asyncio.to_thread(self._look, query, page + 1)
        except RatelimitException:
            raise Refused("quota", "too many requests", 5.0) from None
        except TimeoutException:
            raise Refused("timeout", f"gave no answer within {self.timeout_seconds:g} s") from None
        except DDGSException as error:
            if str(error) == "No results found.":
                return []
            raise Refused("unreachable", "cannot be reached, or refuses to answer") from None
        texts = [{key: value for key, value in item.items() if isinstance(value, str)} for item in found]
        return [Hit(title=item.get("title", ""), url=item.get("href", ""), text=item.get("body", "")) for item in texts[skip : skip + HITS]]

    def _asked(self, query: str, page: int) -> list[dict[str, Any]]:
        from ddgs.ddgs import DDGS

        return DDGS(timeout=max(1, int(self.timeout_seconds))).text(query, max_results=PAGE, page=page, backend="duckduckgo")
