"""Why the answer changed, or did not: one sentence, composed from the decisions of the record and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redraft.claims.edits import same_but_space
from redraft.exporting.marking import word_changes
from redraft.exporting.runs import Turn
from redraft.types import Check
from redraft.viewer.wording import counted

__all__ = ["Reason", "Replacement", "reason_of"]

REPLACEMENTS = 3
EVERY = frozenset({"always", "latest", "no_guard"})
"""Rules that accept whatever is not empty."""
NOTHING_FOUND = "no_problem"
"""The rule of a turn in which a critic found nothing to rewrite."""
LONGEST = 90
_BY = {
    "computed": "a computation contradicts",
    "executed": "running the code contradicts",
    "quoted": "the words of a source contradict",
    "judged": "a source, as a model judged it, contradicts",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Replacement:
    """Words that went and words that came."""

    gone: str
    new: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """The sentence, what was replaced, and what the evidence says of it."""

    sentence: str
    changed: bool
    replacements: tuple[Replacement, ...] = ()
    more: int = 0
    notes: tuple[str, ...] = ()


def reason_of(turns: Sequence[Turn], checks: Sequence[Check], *, draft: str, answer: str, ended: bool) -> Reason:
    """The reason for a run of these turns, whose retained text is `answer` with these checks."""
    accepted = [turn for turn in turns if turn.decision.accepted and turn.candidate.text != turn.retained.text]
    if draft != answer and accepted:
        return _changed(accepted, draft, answer)
    if draft != answer:
        return Reason(sentence="The answer is shown in another form than the draft, because it could not be verified.", changed=True)
    return Reason(sentence=_unchanged(turns, checks, ended), changed=False)


def _changed(accepted: Sequence[Turn], draft: str, answer: str) -> Reason:
    turn = next((turn for turn in accepted if turn.decision.rule == "repair"), accepted[-1])
    replaced = _replacements(draft, answer)
    short = tuple(item for item in replaced if len(item.gone) <= LONGEST and len(item.new) <= LONGEST)[:REPLACEMENTS]
    return Reason(
        sentence=_because(turn, accepted),
        changed=True,
        replacements=short,
        more=len(replaced) - len(short),
        notes=tuple(dict.fromkeys(note for turn in accepted for note in _notes(turn)))[:REPLACEMENTS],
    )


def _because(turn: Turn, accepted: Sequence[Turn]) -> str:
    decision = turn.decision
    if decision.rule == "repair":
        named = {problem.claim.id for item in accepted for problem in item.problems}
        methods = [check.method for item in accepted for check in item.retained.checks if check.claim.id in named and check.status == "contradicted"]
        number = max(1, len(set(decision.figures.get("fixed") or ()) or named))
        by = _BY.get(methods[0] or "", "the evidence contradicts") if methods else "the evidence contradicts"
        return f"The answer changed because {by} {counted(number, 'claim')} of the draft."
    gain = decision.figures.get("gain")
    if decision.rule == "gain" and isinstance(gain, float):
        thresholds = decision.figures.get("thresholds")
        needed = thresholds.get("gain") if isinstance(thresholds, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        by = f", where {needed:g} is needed" if isinstance(needed, int | float) else ""
        return f"The answer changed because the evaluator scored the rewrite higher: {gain:+.3f}{by}."
    if decision.rule == "falls":
        return "The answer changed because the rewrite has a lower safety score."
    if decision.rule in EVERY:
        return "The answer changed because this policy takes every rewrite; no rule compared the two."
    return f"The answer changed. {decision.reason}"


def _replacements(before: str, after: str) -> list[Replacement]:
    """The words that went and came; of two short texts that have little in common the whole texts."""
    found: list[Replacement] = []
    gone = ""
    for kind, words in [*word_changes(before, after), ("equal", "")]:
        if kind == "gone":
            if gone:
                found.append(Replacement(gone=gone, new=""))
            gone = words.strip()
        elif kind == "new":
            found.append(Replacement(gone=gone, new=words.strip()))
            gone = ""
        elif gone:
            found.append(Replacement(gone=gone, new=""))
            gone = ""
    if len(found) > 1 and max(len(before), len(after)) <= LONGEST:
        return [Replacement(gone=before.strip(), new=after.strip())]
    return [item for item in found if item.gone or item.new]


def _notes(turn: Turn) -> list[str]:
    """What the checks of the problems say, or the problems themselves."""
    notes = {check.claim.id: check.note for check in turn.retained.checks if check.note and check.status == "contradicted"}
    return [notes.get(problem.claim.id) or problem.message for problem in turn.problems]


def _unchanged(turns: Sequence[Turn], checks: Sequence[Check], ended: bool) -> str:
    refused = [
        turn
        for turn in turns
        if not turn.decision.accepted and turn.decision.rule != NOTHING_FOUND and not same_but_space(turn.candidate.text, turn.retained.text)
    ]  # a rewrite that is the text itself is none
    if refused:
        number = "one rewrite was" if len(refused) == 1 else f"{len(refused)} rewrites were"
        return f"The answer {'did' if ended else 'has'} not change{'' if ended else 'd'}: {number} refused. {refused[-1].decision.reason}".strip()
    if any(turn.decision.accepted for turn in turns):
        return "The answer did not change in the end: the rewrites that were accepted say the same as the draft."
    begin = "The answer did not change: " if ended else "So far: "
    counts = {status: sum(check.status == status for check in checks) for status in ("supported", "contradicted")}
    if counts["contradicted"]:
        what = "no rewrite was proposed" if ended else "no rewrite was decided on"
        return f"{begin}{counted(counts['contradicted'], 'claim')} contradicted, and {what}."
    if counts["supported"]:
        return f"{begin}nothing that was checked contradicts it."
    return f"{begin}nothing in it could be checked."
