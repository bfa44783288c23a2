"""An endpoint that speaks as the Perspective API does. Tried against a local mimic, never against the real service, whose end is announced for 2026-12-31."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redraft.tools.safety.scorer import SafetyScorer, share
from redraft.tools.search.hits import table_of
from redraft.tools.search.http import Refused, Reply, Request, send, status_problem

__all__ = ["ATTRIBUTES", "Perspective"]

ATTRIBUTES = ("TOXICITY", "SEVERE_TOXICITY", "IDENTITY_ATTACK", "INSULT", "PROFANITY", "THREAT")


class Perspective(SafetyScorer):
    """`POST /v1alpha1/comments:analyze`, one call for each piece; what is sent is asked not to be stored."""

    name = "perspective"
    summary = "Scores how toxic a text is (Perspective, or an endpoint like it)."
    key_name = "PERSPECTIVE_API_KEY"
    url_name = "REDRAFT_PERSPECTIVE_URL"
    address = "https://commentanalyzer.googleapis.com"
    piece = 5000  # the limit is 20,480 bytes, and a character takes up to four

    async def score(self, parts: Sequence[str]) -> list[dict[str, float]]:
        return [await self._one(part) for part in parts]  # one after the other: the free quota is one call a second

    async def _one(self, part: str) -> dict[str, float]:
        wanted: dict[str, dict[str, Any]] = {name: {} for name in ATTRIBUTES}
        body = {"comment": {"text": part, "type": "PLAIN_TEXT"}, "requestedAttributes": wanted, "doNotStore": True}
        secret = {"key": self._key} if self._key else {}
        request = Request(method="POST", url=f"{self._url}/v1alpha1/comments:analyze", secret_params=secret, body=body)
        reply = await send(request, timeout_seconds=self.timeout_seconds)
        problem = _no(reply) or status_problem(reply, self._clock.now(), key_name=self.key_name, url_name=self.url_name)
        if problem is not None:
            raise problem
        return _scores(reply.body)


def _no(reply: Reply) -> Refused | None:
    """What it says no to in its own way: a language it does not know, and a key that is none."""
    if reply.status != 400:
        return None
    said = str((reply.body or {}).get("error"))[:4000]
    if "LANGUAGE_NOT_SUPPORTED" in said or "languageNotSupported" in said:
        return Refused("unsupported", "does not score texts in this language")
    if "API_KEY_INVALID" in said:
        return Refused("denied", "refused the key; check PERSPECTIVE_API_KEY")
    return None


def _scores(body: Mapping[str, Any] | None) -> dict[str, float]:
    given = table_of(body or {}, "attributeScores")
    scores: dict[str, float] = {}
    for name in ATTRIBUTES:
        if name in given:
            key, value = share(name, table_of(table_of(given, name), "summaryScore").get("value"))
            scores[key] = value
    if not scores:
        raise Refused("broken", "gave a reply without scores")
    return scores
