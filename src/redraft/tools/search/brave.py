"""Brave Search. Tried against a local mimic, never against the real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redraft.tools.search.hits import Hit, entries, iso_date, table_of, text_of
from redraft.tools.search.http import Refused, Reply, Request
from redraft.tools.search.web import HITS, WebSearch

__all__ = ["Brave"]

PAGE = 20
LAST_PAGE = 9


class Brave(WebSearch):
    """`GET /res/v1/web/search`: pages of 20, the tenth is the last. A refused key comes as 422, and the limits of two windows as lists."""

    name = "brave"
    summary = "Searches the web (Brave); input: a question or statement."
    key_name = "BRAVE_API_KEY"
    address = "https://api.search.brave.com"
    rate_per_second = 1.0  # of the free plan

    def request(self, query: str, attempt: int) -> Request:
        page = attempt * HITS // PAGE
        if page > LAST_PAGE:
            raise Refused("empty", "found nothing more")
        params: dict[str, str | int] = {"q": query, "count": PAGE, "text_decorations": "false"}
        return Request(
            url=f"{self._url}/res/v1/web/search",
            params={**params, "offset": page} if page else params,
            headers={"x-subscription-token": self._key},
        )

    def skipped(self, attempt: int) -> int:
        return attempt * HITS % PAGE

    def problem(self, reply: Reply) -> Refused | None:
        code = text_of(table_of((reply.body or {}).get("error")), "code")
        if reply.status == 422 and "TOKEN" in code.upper():
            return Refused("denied", f"refused the key; check {self.key_name}")
        if reply.status in (402, 429) and code == "QUOTA_LIMITED":
            return Refused("quota", "the limit of the plan is reached")
        return None

    def hits(self, body: Mapping[str, Any], query: str) -> Iterator[Hit]:
        if "web" not in body and body.get("type") != "search":
            raise Refused("broken", "gave a reply without results")
        for item in entries(table_of(body, "web"), "results"):
            yield Hit(title=text_of(item, "title"), url=text_of(item, "url"), text=text_of(item, "description"), time=iso_date(item.get("page_age")))
