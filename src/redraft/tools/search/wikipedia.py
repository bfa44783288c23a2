"""Wikipedia's own search, without a key. Tried against a local mimic, never against the real service."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from redraft.tools.search.hits import Hit, entries, iso_date, table_of, text_of
from redraft.tools.search.http import Refused, Reply, Request, retry_after_seconds, user_agent
from redraft.tools.search.web import HITS, WebSearch

__all__ = ["Wikipedia", "language_of"]

SCRIPTS = (("[\u3040-\u30ff]", "ja"), ("[\uac00-\ud7af]", "ko"), ("[\u4e00-\u9fff]", "zh"), ("[\u0400-\u04ff]", "ru"), ("[\u0600-\u06ff]", "ar"))
"""The first script found in a query names the Wikipedia to ask; else the English one."""
OVERLOADED = ("maxlag", "ratelimited", "cirrussearch-too-busy-error")


class Wikipedia(WebSearch):
    """`GET /w/api.php` with `list=search`. Errors are in the body; requests come one after the other, from somebody who says how to be reached
    (`REDRAFT_CONTACT`, an address of mail or web)."""

    name = "wikipedia"
    summary = "Searches Wikipedia; input: a question, a statement or a name."
    address = "https://{language}.wikipedia.org"
    concurrency = 1
    price_usd = 0.0

    def request(self, query: str, attempt: int) -> Request:
        params: dict[str, str | int] = {
            "action": "query", "list": "search", "srsearch": query, "srlimit": HITS, "sroffset": attempt * HITS, "srprop": "snippet|timestamp",
            "format": "json", "formatversion": 2, "maxlag": 5,
        }  # fmt: skip
        return Request(url=f"{self._site(query)}/w/api.php", params=params, headers={"user-agent": user_agent(os.environ.get("REDRAFT_CONTACT", ""))})

    def _site(self, query: str) -> str:
        return self._url.replace("{language}", language_of(query))

    def skipped(self, attempt: int) -> int:
        return 0

    def problem(self, reply: Reply) -> Refused | None:
        if reply.status == 403:
            return Refused("denied", "refused to answer; set REDRAFT_CONTACT to an address of mail or web, so that it knows whom to write to")
        if reply.body is None or "error" not in reply.body:
            return None
        code = str(table_of(reply.body, "error").get("code", ""))
        if code in OVERLOADED:
            wait = retry_after_seconds(reply.headers, self._clock.now())
            return Refused("quota", "is busy", 5.0 if wait is None else wait)
        if code.startswith("internal_api_error") or code in ("readonly", "search-backend-error"):
            return Refused("unreachable", "failed to search")
        return Refused("bad_input", "did not accept the query")

    def hits(self, body: Mapping[str, Any], query: str) -> Iterator[Hit]:
        found = table_of(body, "query")
        if "search" not in found:
            raise Refused("broken", "gave a reply without results")
        for item in entries(found, "search"):
            url = f"{self._site(query)}/?curid={item['pageid']}" if isinstance(item.get("pageid"), int) else ""
            yield Hit(title=text_of(item, "title"), url=url, text=text_of(item, "snippet"), time=iso_date(item.get("timestamp")), trust=0.7)


def language_of(query: str) -> str:
    """The Wikipedia that is most likely written in the query's language."""
    return next((language for script, language in SCRIPTS if re.search(script, query)), "en")
