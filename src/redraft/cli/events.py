"""Stored events as one line each, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from redraft.cli.safe import one_line

__all__ = ["event_line"]

SHOWN = 100


def event_line(payload: Mapping[str, Any]) -> str:
    """What happened, on one line that is harmless for a terminal."""
    kind = str(payload.get("type"))
    return f"{kind.replace('_', ' '):<12}  {one_line(_said(kind, payload), 160)}".rstrip()


def _said(kind: str, payload: Mapping[str, Any]) -> str:
    match kind:
        case "started":
            return f"{payload['policy'].get('name')} with {payload['models'].get('writer')}: {payload['task']['query'] or '(a text)'}"
        case "model_called":
            reply = payload["reply"]
            what = f"{reply['input_tokens']} + {reply['output_tokens']} tokens: {reply['text'][:SHOWN]}" if reply else f"failed: {payload['error']}"
            return f"{payload['request']['role']} of {payload['model']}, {payload['seconds']:.2f} s, {what}"
        case "tool_called":
            call, failure = payload["call"], payload["failure"]
            found = f"{failure['kind']}: {failure['message']}" if failure else "; ".join(item["text"][:SHOWN] for item in payload["evidence"][:2])
            return f"{call['tool']}({call['input'][:SHOWN]}), {payload['seconds']:.2f} s → {found}"
        case "drafted" | "corrected":
            return str(payload["text"])
        case "verified":
            counts = Counter(check["status"] for check in payload["checks"])
            return f"turn {payload['turn']}: " + (", ".join(f"{count} {status}" for status, count in counts.most_common()) or "no claims")
        case "scored":
            return f"turn {payload['turn']}: " + ", ".join(f"{name} {score:.2f}" for name, score in payload["scorecard"]["scores"].items())
        case "criticised":
            return f"turn {payload['turn']}: " + ("; ".join(problem["message"] for problem in payload["problems"]) or "no problem")
        case "decided":
            decision = payload["decision"]
            return f"turn {payload['turn']}: {'accepted' if decision['accepted'] else 'refused'} ({decision['rule']}): {decision['reason']}"
        case "stopped":
            return f"{payload['reason']}: {payload['status']}: {payload['answer']}"
        case _:
            return ""
