"""The Outcome as JSON (design section 6): what `--json` prints, what a batch line and an HTTP body carry."""

from __future__ import annotations

from typing import Any

from redraft.policy import Policy
from redraft.types import Check, Evidence, Outcome, Problem, State, Status, Turn

__all__ = ["SCHEMA", "UNVERIFIED_MARK", "presented", "to_json"]

SCHEMA = 1
UNVERIFIED_MARK = " [unverified]"
FOUND_SHOWN = 3


def presented(policy: Policy, state: State, status: Status) -> str:
    """The text as the policy wants an answer shown that could not be verified: as it is, with the undecided claims marked, or an honest abstention."""
    if policy.when_unverified == "keep" or status not in ("unverified", "disputed"):
        return state.text
    if policy.when_unverified == "abstain":
        found = [item for item in state.evidence.values() if item.relevance >= policy.relevance][:FOUND_SHOWN]
        lines = [f"- {item.title or item.source or item.tool}: {item.text[:200]}" for item in found]
        return "\n".join(["This could not be verified.", *(["What was found:"] if lines else []), *lines])
    text = state.text
    ends = {check.claim.span[1] for check in state.checks if check.claim.checkworthy and check.undecided and check.claim.kind != "coverage"}
    for end in sorted(ends, reverse=True):
        text = text[:end] + UNVERIFIED_MARK + text[end:]
    return text


def to_json(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain JSON values, exactly the keys of the contract."""
    usage = outcome.usage
    return {
        "schema": SCHEMA,
        "run_id": outcome.run_id,
        "status": outcome.status,
        "changed": outcome.changed,
        "query": outcome.query,
        "draft": outcome.draft,
        "answer": outcome.answer,
        "stop_reason": outcome.stop_reason,
        "checks": [_check(check) for check in outcome.checks],
        "draft_checks": [_check(check) for check in outcome.draft_checks],
        "evidence": [_evidence(item) for item in outcome.evidence],
        "turns": [_turn(turn) for turn in outcome.turns],
        "usage": {
            "llm_calls": usage.llm_calls,
            "tool_calls": usage.tool_calls,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
            "cost_usd": usage.cost_usd,
            "seconds": round(usage.seconds, 3),
        },
        "policy": {"name": outcome.policy_name, "hash": outcome.policy_hash},
        "model": outcome.model,
        "trace_hash": outcome.trace_hash,
    }


def _check(check: Check) -> dict[str, Any]:
    claim = check.claim
    return {
        "claim": claim.text,
        "span": list(claim.span),
        "focus": list(claim.focus) if claim.focus else None,
        "kind": claim.kind,
        "importance": claim.importance,
        "status": check.status,
        "method": check.method,
        "plan": check.plan,
        "confidence": round(check.confidence, 4),
        "evidence": list(check.evidence),
        "depends_on": list(claim.depends_on),
        "note": check.note,
    }


def _evidence(item: Evidence) -> dict[str, Any]:
    return {
        "id": item.id,
        "tool": item.tool,
        "input": item.input,
        "title": item.title,
        "source": item.source,
        "text": item.text,
        "trust": item.trust,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {"claim": problem.claim.text, "span": list(problem.claim.span), "message": problem.message, "evidence": list(problem.evidence)}


def _turn(turn: Turn) -> dict[str, Any]:
    decision = turn.decision
    return {
        "turn": turn.number,
        "problems": [_problem(problem) for problem in turn.problems],
        "candidate": turn.candidate.text,
        "decision": {
            "accepted": decision.accepted,
            "rule": decision.rule,
            "failed": list(decision.failed),
            "figures": dict(decision.figures),
        },
    }
