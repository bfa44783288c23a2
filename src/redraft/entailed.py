"""What a local entailment verifier makes of a claim: supported or contradicted by one quoted sentence of the evidence, or nothing.

The verifier is no judge: it sees a sentence and a statement, knows no context, and its scores are trusted only at their upper end. Thresholds and
the curves that calibrate the scores are the policy's. Its calls go through the effects like a tool's, so that they are metered and recorded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from redraft.claims.confidence import CEILING, calibrated
from redraft.claims.segment import sentences
from redraft.claims.words import content_words, stems
from redraft.effects import ENTAILMENT, Effects
from redraft.policy import Policy
from redraft.types import CheckStatus, Claim, Evidence, Failure, Task, ToolCall, Verdict

__all__ = ["entailed"]

MOST_WINDOWS = 12
"""Sentences, or pairs of them, that the verifier reads for one claim."""
LONGEST_WINDOW = 1200
LEAST_COVERAGE = 0.5
"""A sentence that has fewer of the claim's content words is about something else: it cannot contradict."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Window:
    """One or two sentences of a piece of evidence, and the share of the claim's content words they have."""

    item: Evidence
    text: str
    coverage: float


async def entailed(claim: Claim, task: Task, policy: Policy, evidence: Sequence[Evidence], effects: Effects) -> Verdict | None:
    """The verdict of the local verifier on a claim of fact; None where there is no verifier, or it says too little.

    Raises:
        Stopped: a budget forbids the call.
    """
    hypothesis = " ".join((claim.query or claim.text).split())
    if effects.entailment is None or claim.kind != "fact" or (task.bare and (not claim.query or claim.query.startswith(task.query))):
        return None
    windows = _windows(hypothesis, evidence)
    if not windows:
        return None
    given = json.dumps({"hypothesis": hypothesis, "premises": [window.text for window in windows]}, ensure_ascii=False)
    result = await effects.use(ToolCall(tool=ENTAILMENT, input=given))
    scores = None if isinstance(result, Failure) else _scores(result[0].value, len(windows))
    if scores is None or isinstance(result, Failure):
        return None
    return _read(windows, scores, result[0], policy)


def _windows(hypothesis: str, evidence: Sequence[Evidence]) -> list[_Window]:
    """Sentences and pairs of neighbours, those with most of the claim's words first."""
    asked = stems(content_words(hypothesis))
    found: dict[str, _Window] = {}
    for item in evidence:
        spans = sentences(item.text)
        for place, (start, end) in enumerate(spans):
            for begin in dict.fromkeys((start, spans[place - 1][0] if place else start)):
                text = item.text[begin:end]
                if text.strip() and len(text) <= LONGEST_WINDOW and text not in found:
                    coverage = len(asked & stems(content_words(text))) / len(asked) if asked else 0.0
                    found[text] = _Window(item=item, text=text, coverage=coverage)
    ranked = sorted(found.values(), key=lambda window: (-window.coverage, len(window.text)))
    return [window for window in ranked if window.coverage > 0][:MOST_WINDOWS]


def _read(windows: Sequence[_Window], scores: Sequence[tuple[float, float, float]], reading: Evidence, policy: Policy) -> Verdict | None:
    pairs = list(zip(windows, scores, strict=True))
    best, support = max(((window, score[0]) for window, score in pairs), key=lambda pair: pair[1])
    about = [(window, score[2]) for window, score in pairs if window.coverage >= LEAST_COVERAGE]
    worst, conflict = max(about, key=lambda pair: pair[1], default=(best, 0.0))
    supports = calibrated(policy.calibration, "entailed", support)
    conflicts = calibrated(policy.calibration, "refuted", conflict)
    if supports >= policy.entailed and conflicts >= policy.refuted:
        note = f"the local verifier finds both support and conflict: “{best.text[:120]}” and “{worst.text[:120]}”"
        return Verdict(status="insufficient", method="judged", evidence=(best.item, worst.item, reading), note=note)
    if supports >= policy.entailed:
        return _verdict("supported", best, supports, reading)
    if conflicts >= policy.refuted and supports < 0.5:
        return _verdict("contradicted", worst, conflicts, reading)
    return None


def _verdict(status: CheckStatus, window: _Window, confidence: float, reading: Evidence) -> Verdict:
    says = "entails it" if status == "supported" else "contradicts it"
    return Verdict(
        status=status,
        method="judged",
        confidence=min(confidence, CEILING),
        evidence=(window.item, reading),
        quote=window.text,
        note=f"the local verifier finds that this {says} ({confidence:.2f})",
    )


def _scores(value: str, count: int) -> list[tuple[float, float, float]] | None:
    """One (entail, neutral, contradict) for each premise; None where the verifier did not give that."""
    try:
        rows: Any = json.loads(value)
        scores = [cast("tuple[float, float, float]", tuple(float(part) for part in row)) for row in rows]
    except (ValueError, TypeError):
        return None
    usable = len(scores) == count and all(len(score) == 3 and all(math.isfinite(part) and 0 <= part <= 1 for part in score) for score in scores)
    return scores if usable else None
