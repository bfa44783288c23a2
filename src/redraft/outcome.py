"""The Outcome as JSON (design section 6): what `--json` prints, what a batch line and an HTTP body carry."""

from __future__ import annotations

from typing import Any

from redraft.types import Check, Evidence, Outcome, Problem, Turn

__all__ = ["SCHEMA", "to_json"]

SCHEMA = 1


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
