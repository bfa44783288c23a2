"""Which claim of a rewrite stands for which claim of the retained text: by place, by wording, then by meaning.

One to one, and rather none than a wrong one: a claim without a match counts as gone, and what stands there instead as new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from redraft.claims.edits import diff_edits
from redraft.claims.signature import Signature, hedges, keeps, keeps_but_figures, signature
from redraft.claims.words import fold, words
from redraft.types import Claim, Edit, Span

__all__ = ["Matching", "Signature", "match", "signature"]

_LEAST_AT_PLACE = 0.3
_LEAST_SAME_SIGNATURE = 0.5
_LEAST_OTHER_SIGNATURE = 0.7
"""Shares of words in common, ours: at the place the edits lead to, elsewhere with equal figures, names and negation, elsewhere without."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Matching:
    """What stands for what in the rewrite."""

    pairs: dict[str, str] = field(default_factory=dict[str, str])
    """Id of a retained claim → id of the candidate claim that stands for it."""
    vague: frozenset[str] = frozenset()
    """Retained ids whose match has lost a figure or a name, or has become hedged."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Side:
    """A claim with what it is compared by; `place` is its span in the new text (for a retained claim: where the edits lead)."""

    claim: Claim
    place: Span
    folded: str
    stems: frozenset[str]
    whole: bool
    """Whether it spans the whole text, as a bare answer does."""
    focused: bool
    """Whether the edits inside it stay inside its focus."""


def match(retained: Sequence[Claim], old_text: str, candidate: Sequence[Claim], new_text: str, edits: Sequence[Edit] = ()) -> Matching:
    """Match the claims of the retained text with those of its rewrite; `edits` lead from one text to the other, and are worked out where not given."""
    moves = tuple(sorted(edits, key=lambda edit: edit.span)) or diff_edits(old_text, new_text)
    old = [_side(claim, _moved(claim.span, moves), len(old_text.strip()), _focused(claim, moves)) for claim in retained]
    new = [_side(claim, claim.span, len(new_text.strip()), False) for claim in candidate]
    pairs: dict[int, int] = {}
    _pair(pairs, old, new, lambda a, b: float(a.claim.id == b.claim.id), requirements=True)
    for score in (_at_place, _same_wording, _same_meaning):
        _pair(pairs, old, new, score)
    vague = {old[a].claim.id for a, b in pairs.items() if not old[a].claim.requirement and _vaguer(old[a].claim.text, new[b].claim.text)}
    return Matching(pairs={old[a].claim.id: new[b].claim.id for a, b in sorted(pairs.items())}, vague=frozenset(vague))


def _side(claim: Claim, place: Span, length: int, focused: bool) -> _Side:
    found = words(claim.text)
    stems = frozenset(word.stem for word in found if word.content and not word.text[0].isdigit()) or frozenset(word.stem for word in found)
    whole = claim.span[1] - claim.span[0] >= length
    return _Side(claim=claim, place=place, folded=" ".join(fold(claim.text).split()), stems=stems, whole=whole, focused=focused)


def _pair(pairs: dict[int, int], old: Sequence[_Side], new: Sequence[_Side], score: Callable[[_Side, _Side], float], *, requirements: bool = False) -> None:
    """Add the best pairs above 0 among what is still free; equal scores go to what comes first in the texts."""
    taken = set(pairs.values())
    free_old = [index for index, side in enumerate(old) if index not in pairs and side.claim.requirement == requirements]
    free_new = [index for index, side in enumerate(new) if index not in taken and side.claim.requirement == requirements]
    scored = sorted((-value, abs(a - b), a, b) for a in free_old for b in free_new if (value := score(old[a], new[b])) > 0)
    for _, _, a, b in scored:
        if a not in pairs and b not in taken:
            pairs[a] = b
            taken.add(b)


def _moved(span: Span, edits: Sequence[Edit]) -> Span:
    """Where the edits lead the span; an edit across one of its ends takes it along."""
    ends: list[int] = []
    for at, last in ((span[0], False), (span[1], True)):
        shift = 0
        for edit in edits:
            low, high = edit.span
            if high < at or (high == at and (low < at or not last)):
                shift += len(edit.replacement) - (high - low)
            elif low < at:
                shift += (low + len(edit.replacement) if last else low) - at
        ends.append(at + shift)
    return ends[0], max(ends)


def _focused(claim: Claim, edits: Sequence[Edit]) -> bool:
    inside = [edit.span for edit in edits if edit.span[0] < claim.span[1] and edit.span[1] > claim.span[0]]
    return claim.focus is not None and all(claim.focus[0] <= low and high <= claim.focus[1] for low, high in inside)


def _at_place(old: _Side, new: _Side) -> float:
    shared = min(old.place[1], new.place[1]) - max(old.place[0], new.place[0])
    if shared <= 0:
        return 0.0
    union = max(old.place[1], new.place[1]) - min(old.place[0], new.place[0])
    likeness = _likeness(old, new)
    # what stands at exactly the same place and differs in figures alone is the same claim: a statement of nothing but figures has no other words
    recomputed = shared == union and keeps_but_figures(old.claim.text, new.claim.text)
    if shared / union < 0.5 or not (likeness >= _LEAST_AT_PLACE or recomputed or old.focused or (old.whole and new.whole)):
        return 0.0
    return shared / union + likeness + (0.5 if old.claim.kind == new.claim.kind else 0.0)


def _same_wording(old: _Side, new: _Side) -> float:
    if old.folded != new.folded:
        return 0.0
    return 2.0 if old.claim.kind == new.claim.kind else 1.0


def _same_meaning(old: _Side, new: _Side) -> float:
    likeness = _likeness(old, new)
    if likeness < _LEAST_SAME_SIGNATURE or signature(old.claim.text).negated != signature(new.claim.text).negated:
        return 0.0
    if keeps(old.claim.text, new.claim.text):
        return 1.0 + likeness
    return likeness if likeness >= _LEAST_OTHER_SIGNATURE else 0.0


def _likeness(old: _Side, new: _Side) -> float:
    """Share of content words in common, figures left out (Jaccard over stems)."""
    union = len(old.stems | new.stems)
    return len(old.stems & new.stems) / union if union else 0.0


def _vaguer(old: str, new: str) -> bool:
    """Whether the statement has lost a figure or a name without another in its place, or has become hedged."""
    if old == new:
        return False
    before, after = signature(old), signature(new)
    lost_figure = len(after.figures) < len(before.figures) and not set(before.figures) <= set(after.figures)
    there = frozenset(fold(word.text) for word in words(new))
    lost_name = len(after.names) < len(before.names) and not before.names <= (after.names | there)
    return lost_figure or lost_name or bool(hedges(new) - hedges(old))
