"""OpenAI's moderation endpoint. Tried against a local mimic, never against the real service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from redraft.tools.safety.scorer import SafetyScorer, share
from redraft.tools.search.hits import table_of
from redraft.tools.search.http import Refused, Reply, Request, send, status_problem

__all__ = ["Moderation"]

MODEL = "omni-moderation-latest"


class Moderation(SafetyScorer):
    """`POST /moderations` with all pieces of a text at once: one list of category scores for each."""

    name = "openai"
    summary = "Scores how harmful a text is (OpenAI moderation)."
    key_name = "OPENAI_API_KEY"
    url_name = "REDRAFT_MODERATION_URL"
    address = "https://api.openai.com/v1"

    async def score(self, parts: Sequence[str]) -> list[dict[str, float]]:
        request = Request(
            method="POST",
            url=f"{self._url}/moderations",
            headers={"authorization": f"Bearer {self._key}"} if self._key else {},
            body={"model": MODEL, "input": list(parts)},
        )
        reply = await send(request, timeout_seconds=self.timeout_seconds)
        problem = _no(reply) or status_problem(reply, self._clock.now(), key_name=self.key_name, url_name=self.url_name)
        if problem is not None:
            raise problem
        results: Any = (reply.body or {}).get("results")
        found = cast("list[Any]", results) if isinstance(results, list) else []
        if len(found) != len(parts):
            raise Refused("broken", "gave a reply without a result for every part of the text")
        return [_scores(item) for item in found]


def _no(reply: Reply) -> Refused | None:
    """A quota that is used up comes with the status of a rate limit, and waiting does not help."""
    error: Any = (reply.body or {}).get("error")
    used_up = isinstance(error, dict) and cast("dict[str, Any]", error).get("code") == "insufficient_quota"
    return Refused("quota", "the credit is used up") if reply.status == 429 and used_up else None


def _scores(item: Any) -> dict[str, float]:
    if not isinstance(item, dict):
        raise Refused("broken", "gave a reply without scores")
    given = table_of(cast("Mapping[str, Any]", item), "category_scores")
    if not given:
        raise Refused("broken", "gave a reply without scores")
    return dict(share(name, value) for name, value in given.items())
