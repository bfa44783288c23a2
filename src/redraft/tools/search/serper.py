"""Serper: Google's results. Tried against a local mimic, never against the real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redraft.tools.search.hits import Hit, entries, iso_date, table_of, text_of
from redraft.tools.search.http import Refused, Reply, Request
from redraft.tools.search.web import HITS, WebSearch

__all__ = ["Serper"]

PAGE = 10
MOST = 100


class Serper(WebSearch):
    """`POST /search`. What Google shows above the results (an answer box, a panel) comes first, and from the page it was taken from."""

    name = "serper"
    summary = "Searches Google (Serper); input: a question or statement."
    key_name = "SERPER_API_KEY"
    address = "https://google.serper.dev"

    def request(self, query: str, attempt: int) -> Request:
        wanted = -(-HITS * (attempt + 1) // PAGE) * PAGE  # whole pages: more than ten cost more
        return Request(method="POST", url=f"{self._url}/search", headers={"x-api-key": self._key}, body={"q": query, "num": min(MOST, wanted)})

    def problem(self, reply: Reply) -> Refused | None:
        if reply.status == 400 and "credit" in text_of(reply.body or {}, "message").lower():
            return Refused("quota", "the credit is used up")
        return None

    def hits(self, body: Mapping[str, Any], query: str) -> Iterator[Hit]:
        if "organic" not in body and "searchParameters" not in body:
            raise Refused("broken", "gave a reply without results")
        box, panel = table_of(body, "answerBox"), table_of(body, "knowledgeGraph")
        if box:
            text = "\n".join(part for part in (text_of(box, "answer"), text_of(box, "snippet")) if part)
            yield Hit(title=text_of(box, "title"), url=text_of(box, "link"), text=text, time=iso_date(box.get("date")))
        if panel:
            facts = [f"{name}: {value}" for name, value in table_of(panel, "attributes").items() if isinstance(value, str)]
            head = " · ".join(part for part in (text_of(panel, "title"), text_of(panel, "type")) if part)
            text = "\n".join(part for part in (text_of(panel, "description"), *facts) if part)
            yield Hit(title=head, url=text_of(panel, "descriptionLink", "website"), text=text)
        for item in entries(body, "organic"):
            yield Hit(title=text_of(item, "title"), url=text_of(item, "link"), text=text_of(item, "snippet"), time=iso_date(item.get("date")))
