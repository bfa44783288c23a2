"""Corrected runs as training data. A row is made only where a check decided that takes no model's word for it, unless judged ones are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from redraft.exporting.runs import EXACT, Run, Text, Turn
from redraft.types import Check

__all__ = ["CORRECT", "claim_rows", "dpo_rows", "sft_rows"]

CORRECT = "Correct what is wrong in this text, and change nothing else.\n\n"
"""What stands before a draft where there was no question: the task is then to correct the text."""


def sft_rows(runs: Iterable[Run], *, judged: bool = False) -> Iterator[dict[str, Any]]:
    """One row for each answer whose check-worthy claims are all supported: `messages`, and where it comes from. Where there was no question, the row is a
    correction, and there is one only if something in the draft was contradicted."""
    for run in runs:
        wrong = any(check.status == "contradicted" and _counts(check, judged) for check in run.draft.checks)
        if not _proved(run.final, judged) or not (run.task.query or (wrong and run.final.text != run.draft.text)):
            continue
        messages = [{"role": "user", "content": _prompt(run)}, {"role": "assistant", "content": run.final.text}]
        yield {"messages": messages, **_origin(run), "methods": _methods(run.final)}


def dpo_rows(runs: Iterable[Run], *, judged: bool = False) -> Iterator[dict[str, Any]]:
    """Pairs: what was accepted because it repaired a contradicted claim before what it replaced, and what was kept before a rewrite that was refused
    because a check contradicts it."""
    for run in runs:
        for turn in run.turns:
            pair = _repaired(turn, judged) if turn.decision.accepted else _spoilt(turn, judged)
            if pair is not None:
                chosen, rejected, because = pair
                yield {
                    "prompt": _prompt(run),
                    "chosen": chosen,
                    "rejected": rejected,
                    **_origin(run),
                    "turn": turn.number,
                    "rule": turn.decision.rule,
                    "because": [_reason(check) for check in because],
                }


def claim_rows(runs: Iterable[Run], *, judged: bool = False) -> Iterator[dict[str, Any]]:
    """One row for each claim that was decided, of the draft, the answer and every rewrite: the claim, its text, verdict, evidence and the words that decide."""
    for run in runs:
        texts = {text.text: text for text in (run.draft, *(turn.candidate for turn in run.turns), run.final)}
        for text in texts.values():
            for check in text.checks:
                if check.status in ("supported", "contradicted") and _counts(check, judged):
                    yield _claim_row(run, text, check)


def _claim_row(run: Run, text: Text, check: Check) -> dict[str, Any]:
    found = [run.evidence[name] for name in check.evidence if name in run.evidence]
    return {
        "claim": check.claim.text,
        "text": text.text,
        "span": list(check.claim.span),
        "query": run.task.query,
        "verdict": check.status,
        "kind": check.claim.kind,
        "method": check.method,
        "plan": check.plan,
        "confidence": check.confidence,
        "expected": check.expected,
        "quote": check.quote,
        "evidence": [{"tool": item.tool, "input": item.input, "title": item.title, "source": item.source, "text": item.text} for item in found],
        **_origin(run),
    }


def _proved(text: Text, judged: bool) -> bool:
    worthy = [check for check in text.checks if check.claim.checkworthy]
    whole = bool(worthy) and all(check.status == "supported" and _counts(check, judged) for check in worthy)
    return whole and not any(check.status == "contradicted" for check in text.checks)


def _counts(check: Check, judged: bool) -> bool:
    """Whether a check may decide a row. A tool call that a model chose is no proof either: it may have asked something else."""
    return judged or (check.method in EXACT and check.plan == "rule")


def _repaired(turn: Turn, judged: bool) -> tuple[str, str, list[Check]] | None:
    fixed = set(turn.decision.figures.get("fixed", ()))
    because = [check for check in turn.retained.checks if check.status == "contradicted" and check.claim.id in fixed and _counts(check, judged)]
    still_wrong = any(check.status == "contradicted" for check in turn.candidate.checks)
    return None if not because or still_wrong else (turn.candidate.text, turn.retained.text, because)


def _spoilt(turn: Turn, judged: bool) -> tuple[str, str, list[Check]] | None:
    """A refused rewrite that a check contradicts where the text that was kept is not contradicted as often."""
    because = [check for check in turn.candidate.checks if check.status == "contradicted" and _counts(check, judged)]
    before = sum(check.status == "contradicted" for check in turn.retained.checks)
    if len(because) <= before or turn.candidate.text == turn.retained.text or not turn.candidate.text.strip():
        return None
    return turn.retained.text, turn.candidate.text, because


def _prompt(run: Run) -> str:
    if not run.task.query:
        return CORRECT + run.draft.text
    return f"{run.task.context}\n\n{run.task.query}" if run.task.context else run.task.query


def _origin(run: Run) -> dict[str, Any]:
    return {"run": run.id, "trace_hash": run.trace_hash, "policy": run.policy.get("name", ""), "model": run.models.get("writer", "")}


def _methods(text: Text) -> list[str]:
    return sorted({check.method for check in text.checks if check.method is not None and check.status == "supported"})


def _reason(check: Check) -> dict[str, Any]:
    return {"claim": check.claim.text, "method": check.method, "note": check.note, "expected": check.expected}
