"""SerpAPI: the results of Google and other engines. Its shape is from documents: tried against a local mimic, never against the real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redraft.tools.search.hits import Hit, entries, iso_date, table_of, text_of
from redraft.tools.search.http import Refused, Request
from redraft.tools.search.web import HITS, WebSearch

__all__ = ["SerpApi"]

PAGE = 10


class SerpApi(WebSearch):
    """`GET /search.json`. A search without a hit is a success with an `error`; the key is part of the address and is kept out of logs."""

    name = "serpapi"
    summary = "Searches Google (SerpAPI); input: a question or statement."
    key_name = "SERPAPI_API_KEY"
    address = "https://serpapi.com"

    def request(self, query: str, attempt: int) -> Request:
        params: dict[str, str | int] = {"engine": "google", "q": query}
        start = attempt * HITS // PAGE * PAGE
        return Request(url=f"{self._url}/search.json", params={**params, "start": start} if start else params, secret_params={"api_key": self._key})

    def skipped(self, attempt: int) -> int:
        return attempt * HITS % PAGE

    def hits(self, body: Mapping[str, Any], query: str) -> Iterator[Hit]:
        succeeded = table_of(body, "search_metadata").get("status") == "Success"
        if "organic_results" not in body and not succeeded:
            raise Refused("broken", "failed to search")
        for item in entries(body, "organic_results"):
            yield Hit(title=text_of(item, "title"), url=text_of(item, "link"), text=text_of(item, "snippet"), time=iso_date(item.get("date")))
