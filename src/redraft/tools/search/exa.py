"""Exa: search by meaning, with passages of the pages. Tried against a local mimic, never against the real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from redraft.tools.search.hits import Hit, entries, iso_date, text_of
from redraft.tools.search.http import Refused, Request
from redraft.tools.search.web import HITS, WebSearch

__all__ = ["Exa"]

MOST = 50


class Exa(WebSearch):
    """`POST /search` with highlights. Its score says how a hit compares with the others, not how well it fits, so relevance is counted in words."""

    name = "exa"
    summary = "Searches the web by meaning (Exa); input: a question or statement."
    key_name = "EXA_API_KEY"
    address = "https://api.exa.ai"

    def request(self, query: str, attempt: int) -> Request:
        contents = {"highlights": True, "text": {"maxCharacters": 1500}}
        body = {"query": query, "numResults": min(MOST, HITS * (attempt + 1)), "contents": contents}
        return Request(method="POST", url=f"{self._url}/search", headers={"x-api-key": self._key}, body=body)

    def hits(self, body: Mapping[str, Any], query: str) -> Iterator[Hit]:
        if "results" not in body:
            raise Refused("broken", "gave a reply without results")
        for item in entries(body, "results"):
            given = item.get("highlights")
            passages = [part for part in cast("list[Any]", given) if isinstance(part, str)] if isinstance(given, list) else []
            text = "\n".join(passages) or text_of(item, "text")
            yield Hit(title=text_of(item, "title"), url=text_of(item, "url"), text=text, time=iso_date(item.get("publishedDate")))
