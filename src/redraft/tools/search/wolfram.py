"""WolframAlpha, for what is computed or looked up as a figure. Its shape is from documents: tried against a local mimic, never against the real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redraft.tools.search.hits import Hit, entries, table_of, text_of
from redraft.tools.search.http import Refused, Request
from redraft.tools.search.web import WebSearch

__all__ = ["Wolfram"]

MOST_PODS = 6


class Wolfram(WebSearch):
    """`GET /v2/query` as JSON. How the input was understood stands before the result, so that a judge sees which question was answered."""

    name = "wolfram"
    summary = "Computes and looks up figures (WolframAlpha); input: a short question or an expression, in English."
    key_name = "WOLFRAM_APP_ID"
    address = "https://api.wolframalpha.com"

    def request(self, query: str, attempt: int) -> Request:
        if attempt:
            raise Refused("empty", "found nothing more")
        params: dict[str, str | int] = {"input": query, "output": "json", "format": "plaintext", "units": "metric"}
        return Request(url=f"{self._url}/v2/query", params=params, secret_params={"appid": self._key})

    def hits(self, body: Mapping[str, Any], query: str) -> Iterator[Hit]:
        result = table_of(body, "queryresult")
        if "success" not in result:
            raise Refused("broken", "gave a reply without a result")
        error = result.get("error")
        if error:
            code = str(table_of(error).get("code")) if isinstance(error, dict) else ""
            if code in ("1", "2"):
                raise Refused("denied", f"refused the key; check {self.key_name}")
            raise Refused("unreachable", "failed to compute")
        if result["success"] is not True:
            return
        lines: list[str] = []
        for pod in entries(result, "pods")[:MOST_PODS]:
            texts = [text for part in entries(pod, "subpods") if (text := text_of(part, "plaintext"))]
            if texts:
                lines.append(f"{text_of(pod, 'title')}: {'; '.join(texts)}")
        if len(lines) > 1:  # the interpretation alone answers nothing
            yield Hit(title="WolframAlpha", text="\n".join(lines), score=0.9, trust=0.8)  # it answers what it understood, whatever the words
