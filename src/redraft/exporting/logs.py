"""Runs as a log of Inspect (inspect.aisi.org.uk, EvalLog version 2, JSON form), so that its viewer and its data frames read them.

One run is one sample. Its score is the status of the run, not a comparison with gold: a record knows none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from redraft import __version__
from redraft.errors import InputError
from redraft.events import ModelCalled, ToolCalled
from redraft.exporting.runs import Run
from redraft.types import Check

__all__ = ["SCORES", "inspect_log"]

SCORES: Mapping[str, float] = {"verified": 1.0, "corrected": 1.0, "unverified": 0.5, "disputed": 0.0, "failed": 0.0}
"""What each status counts for in the mean that the log shows."""
_SCORER = "redraft_status"


def inspect_log(runs: Iterable[Run]) -> dict[str, Any]:
    """The log as JSON values.

    Raises:
        InputError: there are no runs.
    """
    found = sorted(runs, key=lambda run: run.at)
    if not found:
        raise InputError("there are no complete runs to export")
    first, models = found[0], Counter(run.models.get("writer", "none") for run in found)
    model = models.most_common(1)[0][0]
    mean = sum(SCORES[run.status] for run in found) / len(found)
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": first.trace_hash[:22],
            "run_id": first.trace_hash[22:44],
            "task_id": first.trace_hash[44:64],
            "created": _aware(first.at),
            "task": "redraft",
            "task_version": 0,
            "solver": str(first.policy.get("name", "")),
            "dataset": {"name": "redraft", "samples": len(found), "sample_ids": [run.id for run in found], "shuffled": False},
            "model": model,
            "config": {"epochs": 1},
            "packages": {"redraft": __version__},
            "metadata": {"policies": sorted({f"{run.policy.get('name')} {run.policy_hash}" for run in found}), "models": sorted(models)},
        },
        "plan": {"name": "redraft", "steps": [{"solver": "redraft", "params": dict(first.policy)}], "config": {}},
        "results": {
            "total_samples": len(found),
            "completed_samples": len(found),
            "scores": [
                {
                    "name": _SCORER,
                    "scorer": _SCORER,
                    "params": {},
                    "scored_samples": len(found),
                    "unscored_samples": 0,
                    "metrics": {"mean": {"name": "mean", "value": mean, "params": {}}},
                }
            ],
        },
        "stats": {"started_at": _aware(first.at), "completed_at": _aware(max(run.ended for run in found)), "model_usage": _usage(found)},
        "samples": [_sample(run) for run in found],
    }


def _sample(run: Run) -> dict[str, Any]:
    model = run.models.get("writer", "none")
    question = run.task.query or run.draft.text
    answer = {"role": "assistant", "content": run.final.text, "source": "generate", "model": model}
    return {
        "id": run.id,
        "epoch": 1,
        "input": question,
        "target": "",
        "messages": [{"role": "user", "content": question}, answer],
        "output": {"model": model, "choices": [{"message": answer, "stop_reason": "stop"}], "completion": run.final.text},
        "scores": {
            _SCORER: {
                "value": SCORES[run.status],
                "answer": run.final.text,
                "explanation": f"{run.status}: stopped for {run.reason} after {len(run.turns)} turns",
                "metadata": {"checks": [_check(check) for check in run.final.checks]},
            }
        },
        "metadata": {"status": run.status, "stop_reason": run.reason, "draft": run.draft.text, "kind": run.task.kind, "trace_hash": run.trace_hash},
        "store": {},
        "events": [_call(run, call) for call in run.calls] + [_turn(run, place) for place in range(len(run.turns))],
        "model_usage": _usage([run]),
        "started_at": _aware(run.at),
        "completed_at": _aware(run.ended),
        "total_time": run.usage.seconds,
        "uuid": run.id,
        "attachments": {},
    }


def _call(run: Run, call: ModelCalled | ToolCalled) -> dict[str, Any]:
    times = {
        "timestamp": _after(run.at, call.started_seconds),
        "working_start": call.started_seconds,
        "completed": _after(run.at, call.started_seconds + call.seconds),
        "working_time": call.seconds,
        "pending": False,
    }
    if isinstance(call, ToolCalled):
        failure = call.failure
        return times | {
            "event": "tool",
            "type": "function",
            "id": call.key[:22],
            "function": call.call.tool,
            "arguments": {"input": call.call.input, "attempt": call.call.attempt},
            "result": "\n\n".join(item.text for item in call.evidence),
            "error": None
            if failure is None
            else {"type": "timeout" if failure.kind == "timeout" else "unknown", "message": f"{failure.kind}: {failure.message}"},
            "events": [],
        }
    reply, request = call.reply, call.request
    message = {"role": "assistant", "content": reply.text if reply else "", "source": "generate", "model": call.model}
    output: dict[str, Any] = {"model": call.model, "choices": [{"message": message, "stop_reason": "stop"}] if reply else [], "time": call.seconds}
    if reply is not None:
        output |= {"completion": reply.text, "usage": _tokens(reply.input_tokens, reply.output_tokens, reply.cached_tokens, reply.cost_usd)}
    else:
        output["error"] = call.error
    return times | {
        "event": "model",
        "model": call.model,
        "role": request.role,
        "input": [{"role": item.role, "content": item.content} for item in request.messages],
        "tools": [],
        "tool_choice": "none",
        "config": {"max_tokens": request.max_tokens, "temperature": request.temperature, "seed": request.seed},
        "output": output,
        "error": call.error or None,
    }


def _turn(run: Run, place: int) -> dict[str, Any]:
    turn = run.turns[place]
    data = {
        "turn": turn.number,
        "problems": [problem.message for problem in turn.problems],
        "candidate": turn.candidate.text,
        "accepted": turn.decision.accepted,
        "rule": turn.decision.rule,
        "reason": turn.decision.reason,
    }
    return {"event": "info", "source": "redraft", "data": data, "timestamp": _aware(run.ended), "working_start": run.usage.seconds, "pending": False}


def _check(check: Check) -> dict[str, Any]:
    return {"claim": check.claim.text, "verdict": check.status, "method": check.method, "confidence": check.confidence, "note": check.note}


def _usage(runs: Sequence[Run]) -> dict[str, Any]:
    sums: dict[str, list[float]] = {}
    for run in runs:
        for call in run.calls:
            if isinstance(call, ModelCalled) and call.reply is not None:
                row = sums.setdefault(call.model, [0, 0, 0])
                for place, value in enumerate((call.reply.input_tokens, call.reply.output_tokens, call.reply.cached_tokens)):
                    row[place] += value
    return {name: _tokens(int(row[0]), int(row[1]), int(row[2]), None) for name, row in sums.items()}


def _tokens(into: int, out: int, cached: int, cost_usd: float | None) -> dict[str, Any]:
    usage: dict[str, Any] = {"input_tokens": into, "output_tokens": out, "total_tokens": into + out, "input_tokens_cache_read": cached}
    return usage if cost_usd is None else usage | {"total_cost": cost_usd}


def _aware(at: str) -> str:
    return datetime.fromisoformat(at).astimezone().isoformat()


def _after(at: str, seconds: float) -> str:
    return (datetime.fromisoformat(at) + timedelta(seconds=seconds)).astimezone().isoformat()
