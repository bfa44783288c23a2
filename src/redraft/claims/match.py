"""Which claim of a rewrite stands for which claim of the retained text: by place, by wording, then by meaning; one to one, and rather none than a wrong one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from redraft.claims.edits import diff_edits, map_span
from redraft.claims.signature import Signature, fold, hedged, keeps, negated, signature, words
from redraft.types import Claim, Edit, Span

__all__ = ["Matching", "Signature", "keeps", "match", "signature"]

_LEAST_OVERLAP_AT_PLACE = 0.3
_LEAST_OVERLAP_SAME_SIGNATURE = 0.5
_LEAST_OVERLAP = 0.7


@dataclass(frozen=True, kw_only=True, slots=True)
class Matching:
    """What stands for what in the rewrite."""

    pairs: dict[str, str] = field(default_factory=dict[str, str])
    """Id of a retained claim → id of the candidate claim that stands for it."""
    vague: frozenset[str] = frozenset()
    """Retained ids whose match has lost a figure or a name, or has become hedged."""


def match(retained: Sequence[Claim], old_text: str, candidate: Sequence[Claim], new_text: str, edits: Sequence[Edit] = ()) -> Matching:
    """Match the claims of the retained text with those of its rewrite; a claim without a pair is gone, or new."""
    moves = tuple(edits) or diff_edits(old_text, new_text)
    pairs: dict[str, Claim] = {}
    _pair(pairs, retained, candidate, lambda old, new: float(old.requirement and new.requirement and old.id == new.id))
    _pair(pairs, retained, candidate, lambda old, new: _at_place(old, new, moves, (len(old_text), len(new_text))))
    _pair(pairs, retained, candidate, _same_wording)
    _pair(pairs, retained, candidate, _same_meaning)
    by_id = {claim.id: claim for claim in retained}
    vague = frozenset(key for key, new in pairs.items() if not new.requirement and _vaguer(by_id[key].text, new.text))
    return Matching(pairs={key: claim.id for key, claim in pairs.items()}, vague=vague)


def _pair(pairs: dict[str, Claim], retained: Sequence[Claim], candidate: Sequence[Claim], score: Callable[[Claim, Claim], float]) -> None:
    """Add the best pairs by score, above 0, among the claims that are still free."""
    taken = {claim.id for claim in pairs.values()}
    scored: list[tuple[float, int, int]] = []
    for index, old in enumerate(retained):
        for other, new in enumerate(candidate):
            if old.id not in pairs and new.id not in taken and (value := score(old, new)) > 0:
                scored.append((-value, index, other))
    for _, index, other in sorted(scored):
        old, new = retained[index], candidate[other]
        if old.id not in pairs and new.id not in taken:
            pairs[old.id] = new
            taken.add(new.id)


def _at_place(old: Claim, new: Claim, edits: Sequence[Edit], lengths: tuple[int, int]) -> float:
    if old.requirement or new.requirement:
        return 0.0
    span = map_span(old.span, edits)
    if span is None or span[0] == span[1]:
        return 0.0
    shared = _overlap_of_spans(span, new.span)
    if shared < 0.5:
        return 0.0
    whole = old.span == (0, lengths[0]) and new.span == (0, lengths[1])
    likeness = _likeness(old.text, new.text)
    if not whole and likeness < _LEAST_OVERLAP_AT_PLACE and not _only_focus_changed(old, edits):
        return 0.0
    return shared + likeness + (0.5 if old.kind == new.kind else 0.0)


def _overlap_of_spans(a: Span, b: Span) -> float:
    shared = min(a[1], b[1]) - max(a[0], b[0])
    return max(0, shared) / max(1, max(a[1], b[1]) - min(a[0], b[0]))


def _only_focus_changed(claim: Claim, edits: Sequence[Edit]) -> bool:
    focus = claim.focus
    inside = [edit.span for edit in edits if edit.span[0] < claim.span[1] and edit.span[1] > claim.span[0]]
    return focus is not None and all(focus[0] <= low and high <= focus[1] for low, high in inside)


def _same_wording(old: Claim, new: Claim) -> float:
    if old.requirement or new.requirement or fold(old.text) != fold(new.text):
        return 0.0
    return 2.0 if old.kind == new.kind else 1.0


def _same_meaning(old: Claim, new: Claim) -> float:
    if old.requirement or new.requirement or negated(old.text) != negated(new.text):
        return 0.0
    likeness = _likeness(old.text, new.text)
    if likeness >= _LEAST_OVERLAP_SAME_SIGNATURE and keeps(old.text, new.text):
        return 1.0 + likeness
    return likeness if likeness >= _LEAST_OVERLAP else 0.0


def _likeness(a: str, b: str) -> float:
    """Share of words in common, figures left out (Jaccard)."""
    first, second = ({word for word in words(text) if not word[0].isdigit()} for text in (a, b))
    return len(first & second) / len(first | second) if first or second else 0.0


def _vaguer(old: str, new: str) -> bool:
    before, after = signature(old), signature(new)
    lost_figure = len(after.figures) < len(before.figures)
    lost_name = not before.names <= set(words(new)) and len(after.names) < len(before.names)
    return lost_figure or lost_name or bool(hedged(new) - hedged(old))
