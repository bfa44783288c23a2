"""Which claim of a rewrite stands for which claim of the retained text: by place, by wording, then by meaning.

One to one, and rather none than a wrong one: a claim without a match counts as gone, and what stands there instead as new.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from redraft.claims.edits import diff_edits
from redraft.claims.signature import Signature, hedges, keeps, keeps_but_figures, signature
from redraft.claims.words import fold, words
from redraft.types import Claim, Edit, Span

__all__ = ["Matching", "Signature", "match", "signature"]

_LEAST_AT_PLACE = 0.3
_LEAST_SAME_SIGNATURE = 0.5
_LEAST_OTHER_SIGNATURE = 0.7
"""Shares of words in common, ours: at the place the edits lead to, elsewhere with equal figures, names and negation, elsewhere without."""
_BLOCK = 256


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
    moves = _Moves(tuple(edits) or diff_edits(old_text, new_text))
    old = [_side(claim, moves.place(claim.span), len(old_text.strip()), moves.focused(claim)) for claim in retained]
    new = [_side(claim, claim.span, len(new_text.strip()), False) for claim in candidate]
    pairs: dict[int, int] = {}
    _pair(pairs, old, new, lambda a, b: float(a.claim.id == b.claim.id), lambda side: (side.claim.id,), requirements=True)
    _pair(pairs, old, new, _at_place, _blocks)
    _pair(pairs, old, new, _same_wording, lambda side: (side.folded,))
    _pair(pairs, old, new, _same_meaning, _rarest((*old, *new)))
    vague = {old[a].claim.id for a, b in pairs.items() if not old[a].claim.requirement and _vaguer(old[a].claim.text, new[b].claim.text)}
    return Matching(pairs={old[a].claim.id: new[b].claim.id for a, b in sorted(pairs.items())}, vague=frozenset(vague))


def _side(claim: Claim, place: Span, length: int, focused: bool) -> _Side:
    found = words(claim.text)
    stems = frozenset(word.stem for word in found if word.content and not word.text[0].isdigit()) or frozenset(word.stem for word in found)
    whole = claim.span[1] - claim.span[0] >= length
    return _Side(claim=claim, place=place, folded=" ".join(fold(claim.text).split()), stems=stems, whole=whole, focused=focused)


def _pair(
    pairs: dict[int, int],
    old: Sequence[_Side],
    new: Sequence[_Side],
    score: Callable[[_Side, _Side], float],
    keys: Callable[[_Side], Iterable[Hashable]],
    *,
    requirements: bool = False,
) -> None:
    """Add the best pairs above 0 among what is still free; equal scores go to what comes first in the texts.

    Only sides that share a key can score above 0: a long text is not compared claim by claim with all of the other.
    """
    taken = set(pairs.values())
    at_key: dict[Hashable, list[int]] = {}
    for index, side in enumerate(new):
        if index not in taken and side.claim.requirement == requirements:
            for key in keys(side):
                at_key.setdefault(key, []).append(index)
    scored: list[tuple[float, int, int, int]] = []
    for index, side in enumerate(old):
        if index not in pairs and side.claim.requirement == requirements:
            near = {other for key in keys(side) for other in at_key.get(key, ())}
            scored += [(-value, abs(index - other), index, other) for other in near if (value := score(side, new[other])) > 0]
    for _, _, a, b in sorted(scored):
        if a not in pairs and b not in taken:
            pairs[a] = b
            taken.add(b)


def _blocks(side: _Side) -> Iterable[Hashable]:
    """The stretches of the new text that its place touches: what overlaps shares one."""
    return range(side.place[0] // _BLOCK, side.place[1] // _BLOCK + 1)


def _rarest(sides: Sequence[_Side]) -> Callable[[_Side], Iterable[Hashable]]:
    """The rarest stems of a side, so many that sides with enough in common share one of them (prefix filter for a Jaccard threshold)."""
    counts = Counter(stem for side in sides for stem in side.stems)

    def keys(side: _Side) -> Iterable[Hashable]:
        ordered = sorted(side.stems, key=lambda stem: (counts[stem], stem))
        return ordered[: len(ordered) - math.ceil(_LEAST_SAME_SIGNATURE * len(ordered)) + 1]

    return keys


class _Moves:
    """The edits from one text to the other, in order, and where they lead what stood in the first."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = sorted(edits, key=lambda edit: edit.span)
        self._ends = [edit.span[1] for edit in self._edits]
        self._shifts = [0, *accumulate(len(edit.replacement) - (edit.span[1] - edit.span[0]) for edit in self._edits)]

    def place(self, span: Span) -> Span:
        """Where the edits lead the span; an edit across one of its ends takes it along."""
        start, end = self._moved(span[0], last=False), self._moved(span[1], last=True)
        return start, max(start, end)

    def focused(self, claim: Claim) -> bool:
        """Whether the edits inside the claim stay inside its focus."""
        if claim.focus is None:
            return False
        for index in range(bisect_right(self._ends, claim.span[0]), len(self._edits)):
            low, high = self._edits[index].span
            if low >= claim.span[1]:
                return True
            if low < claim.focus[0] or high > claim.focus[1]:
                return False
        return True

    def _moved(self, at: int, *, last: bool) -> int:
        place = bisect_left(self._ends, at)
        shift = self._shifts[place]
        for index in range(place, len(self._edits)):
            edit = self._edits[index]
            low, high = edit.span
            if low > at or (low == at and high > at):
                break
            if high == at and (low < at or not last):
                shift += len(edit.replacement) - (high - low)
            elif low < at:
                shift += (low + len(edit.replacement) if last else low) - at
        return at + shift


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
