"""Verdicts that were paid for before: what is asked of the memory, what is told to it, and what of its answers is believed.

The memory is reached through the effects like a tool, so that each look into it is an event and a replay needs no memory. Only what costs money to find
out again is remembered: verdicts on claims that a search or a judge decided. What is computed is free, what could not be decided is no fact.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from contextlib import suppress
from typing import Any, cast, get_args

from redraft.claims.confidence import CEILING, FLOOR
from redraft.claims.lasting import Lasting, dated, lasting, stands_alone
from redraft.effects import MEMORY
from redraft.errors import Stopped
from redraft.events import plain
from redraft.judge import is_verbatim
from redraft.planning.choosing import sources_needed, tools_allowed
from redraft.screening import hostile
from redraft.types import EXACT_TOOLS, CheckStatus, Evidence, Failure, Method, ToolCall, Verdict
from redraft.weighing import Case

__all__ = ["recalled", "remember"]

DAY = 86_400.0
SECONDS: dict[Lasting, tuple[float, float]] = {
    "moment": (DAY / 4, DAY),
    "year": (DAY, 7 * DAY),
    "open": (30 * DAY, 90 * DAY),
    "past": (180 * DAY, 365 * DAY),
}
"""How long a verdict holds, by what its claim speaks of: found on the web, and found in the user's own documents (whose change makes another key)."""
REMEMBERED: tuple[CheckStatus, ...] = ("supported", "contradicted")


async def recalled(case: Case) -> Verdict | None:
    """The verdict that an earlier run came to on the same claim with the same tools, judge and settings, if it still holds and its proof is there.

    Raises:
        Stopped: the run was cancelled, or its time is up.
    """
    if not _fits(case):
        return None
    result = await case.effects.use(ToolCall(tool=MEMORY, input=_written({"recall": _question(case)})))
    if isinstance(result, Failure):
        return None
    evidence = case.believed(result[1:])
    return None if isinstance(evidence, Failure) else _believed(result[0].value, evidence, case)


async def remember(case: Case, verdict: Verdict) -> None:
    """Tell the memory a verdict that was paid for; what is computed, undecided or without proof is not told, nor anything once the run is to end."""
    if not _fits(case) or verdict.status not in REMEMBERED or verdict.method not in ("judged", "quoted") or not verdict.evidence or verdict.focus is not None:
        return
    claim = case.route.claim
    own = all(item.tool == "documents" for item in verdict.evidence)
    seconds = SECONDS[lasting(claim.query or claim.text, case.effects.clock.now().date())][own]
    said = {"status": verdict.status, "method": verdict.method, "confidence": verdict.confidence, "note": verdict.note, "expected": verdict.expected}
    fact = {**said, "quote": verdict.quote, "evidence": plain(verdict.evidence)}
    with suppress(Stopped):  # a verdict is a verdict, whether or not it can be kept
        await case.effects.use(ToolCall(tool=MEMORY, input=_written({"remember": _question(case), "seconds": seconds, "fact": fact})))


def _fits(case: Case) -> bool:
    """Whether the claim is one that a search is needed for, and that means the same wherever it stands."""
    route = case.route
    searched = route.plan == "chosen" and bool(route.calls) and all(call.tool not in EXACT_TOOLS for call in route.calls)
    return case.effects.memory is not None and searched and route.claim.kind not in ("coverage", "code", "safety") and not case.doubt


def _question(case: Case) -> dict[str, Any]:
    """What makes two claims the same: their words free of context and with their date, the words that decide, and all that a verdict hangs on.

    Words that mean something only where they stand ("it was finished in 1889") are the same in the same answer to the same question alone.
    """
    claim, policy, effects = case.route.claim, case.policy, case.effects
    statement = dated(claim.query or claim.text, effects.clock.now().date())
    whole = "\x1f".join((case.task.query, case.text))
    context = "" if stands_alone(claim.query) else hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    settings = (
        policy.relevance, policy.counter_search, policy.chain, policy.second_look, policy.entailed, policy.refuted, policy.coverage,
        plain(policy.trust), plain(policy.calibration), sources_needed(claim.importance, policy.strictness, policy.min_sources),
        tools_allowed(claim.importance, policy.strictness),
    )  # fmt: skip
    return {
        "statement": " ".join(statement.split()),
        "focus": " ".join(case.text[slice(*claim.focus)].split()) if claim.focus else "",
        "kind": claim.kind,
        "context": context,
        "judge": " + ".join(filter(None, (effects.judge.name if case.capable else "", effects.entailment.name if effects.entailment else ""))),
        "settings": hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16],
    }


def _written(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _believed(value: str, evidence: tuple[Evidence, ...], case: Case) -> Verdict | None:
    """The remembered verdict, if it is whole and its quotation stands in its evidence; a file can be changed by anybody."""
    try:
        said: Any = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    fact = cast("dict[str, Any]", said)
    status, method, confidence = fact.get("status"), fact.get("method"), fact.get("confidence")
    if status not in REMEMBERED or method not in get_args(Method) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        return None
    if method == "judged" and confidence < FLOOR:
        return None
    texts = {name: str(fact.get(name) or "") for name in ("note", "quote", "expected", "checked")}
    if not evidence or any(hostile(item) for item in evidence) or not texts["quote"] or not any(is_verbatim(texts["quote"], item.text) for item in evidence):
        return None
    note = f"{texts['note']} (from memory: checked on {texts['checked'][:10]})".strip()
    return Verdict(
        status=status,
        method=method,
        confidence=min(float(confidence), CEILING),
        evidence=tuple(dataclasses.replace(item) for item in evidence),
        note=note,
        expected=texts["expected"] or None,
        quote=texts["quote"],
    )
