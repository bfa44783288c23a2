"""Statuses, verdicts, rules and stop reasons in words that need no manual."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from redraft.policy import StopReason

__all__ = ["METHODS", "RULES", "SIGNS", "STATUSES", "STOPS", "VERDICTS", "amount", "counted", "duration", "moment", "said_stop"]

STATUSES: Mapping[str, str] = {
    "verified": "Everything that was to be checked is supported; the text is as it was.",
    "corrected": "The text was changed, and everything that was to be checked is supported.",
    "disputed": "Something in the returned text is still contradicted.",
    "unverified": "Nothing in it was shown to be true.",
    "failed": "There is no answer.",
    "": "The record has no end.",
}
SIGNS: Mapping[str, str] = {
    "verified": "✔", "corrected": "✎", "disputed": "✘", "unverified": "?", "failed": "!", "": "…",
    "supported": "✔", "contradicted": "✘", "insufficient": "?", "unavailable": "–", "skipped": "·",
}  # fmt: skip
"""A shape for each status and verdict, so that colour is never alone."""
VERDICTS: Mapping[str, str] = {
    "contradicted": "contradicted",
    "supported": "supported",
    "insufficient": "not enough evidence",
    "unavailable": "could not be checked",
    "skipped": "not to be checked",
}
METHODS: Mapping[str | None, str] = {
    "computed": "computed",
    "executed": "run as code",
    "quoted": "compared with the words of a source",
    "judged": "judged by a model",
}
STOPS: Mapping[StopReason, str] = {
    "cancelled": "it was cancelled",
    "no_answer": "there was no answer to work on",
    "nothing_to_check": "nothing in the text could be checked",
    "verified": "everything that was to be checked is supported",
    "no_problem": "nothing was left that the evidence contradicts",
    "breaker_open": "no tool that it needed could be reached any more",
    "deadline": "its time was up",
    "token_budget": "its tokens were spent",
    "cost_budget": "its money was spent",
    "call_budget": "its calls were spent",
    "target": "the score reached the target",
    "unchanged": "rewriting changed nothing any more",
    "cycle": "a rewrite came back to an earlier text",
    "rejections": "too many rewrites in a row were refused",
    "stagnation": "the score did not rise any more",
    "stable": "the score hardly moved any more",
    "hard_cap": "all turns that the policy allows were used",
    "checked": "the policy only checks",
}
RULES: Mapping[str, str] = {
    "hard_fail": "nothing that was right may break",
    "scope": "only what a problem names may change",
    "veto": "the evaluator must not reject it",
    "critical_guard": "no critical score may fall",
    "repair": "a contradicted claim must be repaired",
    "gain": "the score must rise enough",
    "always": "every rewrite is taken",
    "latest": "the latest rewrite is taken",
    "falls": "the safety score must fall",
    "no_guard": "the guard was switched off",
    "checks": "the checks must speak more for it",
    "vote": "the answer of most samples is taken",
    "no_problem": "there was nothing to rewrite",
}


def said_stop(reason: str) -> str:
    """Why a run ended, in words; a reason that this version does not know is named as it is."""
    known: Mapping[str, str] = {str(name): words for name, words in STOPS.items()}
    return known.get(reason, reason.replace("_", " "))


def counted(number: int, noun: str) -> str:
    """`1 claim`, `2 claims`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def duration(seconds: float) -> str:
    """A length of time for people."""
    if seconds < 1:
        return f"{seconds * 1000:.{1 if 0 < seconds < 0.01 else 0}f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def amount(cost_usd: float | None) -> str:
    """Money, or a dash where no price is known."""
    return "–" if cost_usd is None else "$0" if cost_usd == 0 else f"${cost_usd:.4f}" if cost_usd < 1 else f"${cost_usd:.2f}"


def moment(seconds: float) -> str:
    """A time of day in UTC, to the minute."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
