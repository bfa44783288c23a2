"""How much an answer says, beside whether it is right: so that neither abstaining nor vagueness wins.

Two measures. Of a whole evaluation: how many questions were answered, how many of those rightly, and the harmonic mean of accuracy and accuracy among
the answered (the F-score that SimpleQA reports, Wei et al. 2024), which is 0 for whoever abstains always, and falls for whoever answers everything
wrongly. Of one answer: how many details it gives (figures, names, content words) against those of a reference, less where it is hedged; ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redraft.claims.refusal import is_refusal
from redraft.claims.signature import hedges
from redraft.claims.words import content_words, fold

__all__ = ["Coverage", "coverage", "details", "informativeness", "reference_of"]

LONG = 12
"""Details of a gold answer beyond which it is one phrasing of an open question, and no measure of how much must be said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """What share of n questions was answered, how much of that was right, and both in one figure; None where nothing was answered."""

    n: int
    answered: float
    accuracy: float
    accuracy_answered: float | None
    f_score: float


def coverage(scores: Sequence[float], answered: Sequence[bool]) -> Coverage:
    """The figures of scores in [0, 1] and of whether each question was answered; a question without an answer counts as score 0.

    Raises:
        ValueError: there is none, or the sequences differ in length.
    """
    pairs = list(zip(scores, answered, strict=True))
    if not pairs:
        raise ValueError("coverage needs at least one score")
    given = [score for score, said in pairs if said]
    accuracy, among = sum(given) / len(pairs), sum(given) / len(given) if given else None
    f_score = 2 * accuracy * among / (accuracy + among) if among and accuracy else 0.0
    return Coverage(n=len(pairs), answered=len(given) / len(pairs), accuracy=accuracy, accuracy_answered=among, f_score=f_score)


def details(text: str) -> frozenset[str]:
    """What a text says that can be told apart: its content words and figures, without the words that only make it less definite."""
    vague = {fold(word) for phrase in hedges(text) for word in phrase.split()}
    return frozenset(word.stem for word in content_words(text) if fold(word.text) not in vague)


def informativeness(answer: str, reference: str) -> float:
    """In [0, 1]: the details of the answer ÷ those of the reference, at most 1, divided by 1 + the hedges that the reference has not.

    A refusal and an empty answer say nothing: 0. Where the reference has no detail ("To be or not to be"), any answer says enough.
    """
    if not answer.strip() or is_refusal(answer):
        return 0.0
    needed = len(details(reference))
    share = min(1.0, len(details(answer)) / needed) if needed else 1.0
    return share / (1 + len(hedges(answer) - hedges(reference)))


def reference_of(draft: str, golds: Sequence[str]) -> str:
    """What an answer is held against: the gold that needs the fewest details, or the draft where there is no gold or only long ones (open questions)."""
    short = [gold for gold in golds if len(details(gold)) <= LONG]
    return min(short, key=lambda gold: (len(details(gold)), gold)) if short else draft
