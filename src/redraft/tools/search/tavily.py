"""Tavily: search for language models, with a score for every hit. Tried against a local mimic, never against the real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redraft.tools.search.hits import Hit, entries, iso_date, text_of
from redraft.tools.search.http import Refused, Reply, Request
from redraft.tools.search.web import HITS, WebSearch

__all__ = ["Tavily"]

MOST = 20


class Tavily(WebSearch):
    """`POST /search`. Its own `answer` is not asked for: a sentence that a model wrote is no evidence."""

    name = "tavily"
    summary = "Searches the web (Tavily); input: a question or statement."
    key_name = "TAVILY_API_KEY"
    address = "https://api.tavily.com"

    def request(self, query: str, attempt: int) -> Request:
        body = {"query": query, "search_depth": "basic", "max_results": min(MOST, HITS * (attempt + 1))}
        return Request(method="POST", url=f"{self._url}/search", headers={"authorization": f"Bearer {self._key}"}, body=body)

    def problem(self, reply: Reply) -> Refused | None:
        return Refused("quota", "the limit of the plan is reached") if reply.status in (432, 433) else None

    def hits(self, body: Mapping[str, Any], query: str) -> Iterator[Hit]:
        if "results" not in body:
            raise Refused("broken", "gave a reply without results")
        for item in entries(body, "results"):
            score = item.get("score")
            value = float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None
            yield Hit(
                title=text_of(item, "title"), url=text_of(item, "url"), text=text_of(item, "content"), time=iso_date(item.get("published_date")), score=value
            )
