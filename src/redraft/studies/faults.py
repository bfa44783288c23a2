"""Where a run went wrong: a pure rule over its outcome and the gold, applied after the run.

It names the first step that could have made the answer right and did not, in the order of the loop: was anything found to check, was anything found that
bears on it, was the verdict right, was a rewrite right, was the decision right. It sees what is recorded, so it is a diagnosis and no proof: evidence that
holds the gold in other words counts as evidence without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from redraft.studies.metrics import normalise
from redraft.types import Check, Outcome

__all__ = ["FAULTS", "MEANINGS", "Fault", "fault_of"]

Fault = Literal["no_answer", "abstained", "claim_missed", "wrong_query", "verdict_missed", "wrong_verdict", "bad_rewrite", "wrong_decision"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
MEANINGS: dict[Fault, str] = {
    "no_answer": "no draft: the model gave none",
    "abstained": "abstained: no answer was given in the end",
    "claim_missed": "claim missed: nothing in the draft was checked",
    "wrong_query": "wrong tool or query: no evidence that holds the gold was found",
    "verdict_missed": "verdict missed: evidence that holds the gold was found, and the claim left undecided",
    "wrong_verdict": "wrong verdict: something right was contradicted, or something false supported",
    "bad_rewrite": "bad rewrite: the draft was found wrong, and no rewrite was right",
    "wrong_decision": "wrong decision: a right rewrite was refused, or a right text given up",
}
"""What each fault means, in words."""


def fault_of(outcome: Outcome, golds: Sequence[str], *, abstained: bool, right: Callable[[str], bool]) -> Fault | None:
    """The step at which the run went wrong; None where its answer is right. `right` says whether a text is."""
    if not outcome.draft.strip():
        return "no_answer"
    if not abstained and outcome.answer.strip() and right(outcome.answer):
        return None
    if any(right(turn.candidate.text) for turn in outcome.turns if turn.candidate.text.strip()):
        return "wrong_decision"
    contradicted = any(check.status == "contradicted" for check in outcome.draft_checks) or any(turn.problems for turn in outcome.turns)
    if right(outcome.draft):
        if contradicted:
            return "wrong_verdict"
        return "abstained" if abstained else "wrong_decision"
    if abstained:
        return "abstained"
    return _of_wrong_draft(outcome, golds, contradicted)


def _of_wrong_draft(outcome: Outcome, golds: Sequence[str], contradicted: bool) -> Fault:
    """A wrong draft that ended in a wrong answer, with no right text on the way."""
    checked = [check for check in outcome.draft_checks if check.status != "skipped" and check.claim.checkworthy]
    if contradicted:
        return "bad_rewrite" if _decided_by_computing(outcome.draft_checks) or _holds(outcome, golds) else "wrong_query"
    if not checked:
        return "claim_missed"
    if any(check.status == "supported" for check in checked) and not any(check.undecided for check in checked):
        return "wrong_verdict"
    return "verdict_missed" if _holds(outcome, golds) else "wrong_query"


def _decided_by_computing(checks: Sequence[Check]) -> bool:
    return any(check.status == "contradicted" and check.method in ("computed", "executed") for check in checks)


def _holds(outcome: Outcome, golds: Sequence[str]) -> bool:
    """Whether some evidence has a gold answer in it, word for word after normalisation."""
    wanted = [f" {form} " for gold in golds if (form := normalise(gold, "squad"))]
    texts = [f" {normalise(' '.join((item.title, item.text)), 'squad')} " for item in outcome.evidence]
    return any(form in text or (not form.isascii() and form.strip() in text) for form in wanted for text in texts)
