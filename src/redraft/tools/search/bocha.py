"""Bocha: search of the Chinese web. Tried against a local mimic, never against the real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redraft.tools.search.hits import Hit, entries, iso_date, table_of, text_of
from redraft.tools.search.http import Refused, Reply, Request, retry_after_seconds
from redraft.tools.search.web import HITS, WebSearch

__all__ = ["Bocha"]

MOST = 50


class Bocha(WebSearch):
    """`POST /v1/web-search`. The code in the body counts, whatever the status; dates are Beijing's, also where they are marked as UTC."""

    name = "bocha"
    summary = "Searches the web, the Chinese one above all (Bocha); input: a question or statement."
    key_name = "BOCHA_API_KEY"
    address = "https://api.bochaai.com"

    def request(self, query: str, attempt: int) -> Request:
        body = {"query": query, "freshness": "noLimit", "summary": True, "count": min(MOST, HITS * (attempt + 1))}
        return Request(method="POST", url=f"{self._url}/v1/web-search", headers={"authorization": f"Bearer {self._key}"}, body=body)

    def problem(self, reply: Reply) -> Refused | None:
        code = str((reply.body or {}).get("code") or "")
        match code or str(reply.status):
            case "200":
                return None
            case "400":
                return Refused("bad_input", "did not accept the query")
            case "401":
                return Refused("denied", f"refused the key; check {self.key_name}")
            case "403":
                return Refused("quota", "the credit is used up, or the key may not search")
            case "429":
                wait = retry_after_seconds(reply.headers, self._clock.now())
                return Refused("quota", "too many requests", 1.0 if wait is None else wait)
            case _ if code and reply.status < 400:
                return Refused("unreachable" if code.startswith("5") else "broken", "failed to search")
            case _:
                return None

    def hits(self, body: Mapping[str, Any], query: str) -> Iterator[Hit]:
        if "data" not in body:
            raise Refused("broken", "gave a reply without results")
        for item in entries(table_of(body, "data", "webPages"), "value"):
            date = iso_date(text_of(item, "datePublished", "dateLastCrawled")[:10])
            yield Hit(title=text_of(item, "name"), url=text_of(item, "url"), text=text_of(item, "summary", "snippet"), time=date)
