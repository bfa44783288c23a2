"""What became of the retained text's claims in a candidate: the facts that the controller's rules judge by. Pure.

Claims of the retained text (and of the task) are followed through the candidate's matching; claims that the candidate brings along can only count against it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from redraft.claims.edits import same_but_space
from redraft.claims.segment import sentences
from redraft.claims.signature import keeps, keeps_but_figures, signature
from redraft.claims.words import content_words, stems
from redraft.types import Check, Claim, Problem, Span, State

__all__ = ["Comparison", "Counts", "Fate", "compare", "counts_of"]

_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>()\"'”’]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """What the penalised score takes off: `contradicted` by the large λ, `citations` and `lost` by the small one."""

    contradicted: int = 0
    citations: int = 0
    lost: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Fate:
    """A claim of the retained text with its check there, and the check of the claim that stands for it in the candidate, or None."""

    old: Check
    new: Check | None
    named: bool
    """Whether a problem is about this very claim."""
    touched: bool
    """Whether a problem wants something inside it changed: it may be reworded, but not lost."""
    vague: bool
    unconfirmed: bool
    """Whether its loss of support is a judge's, and no second look confirmed it: such a flip counts for nothing."""

    @property
    def claim(self) -> Claim:
        return self.old.claim

    @property
    def lost_support(self) -> bool:
        """A claim that was supported is anything but supported; a claim of the task cannot be removed, so that its absence is a loss of support."""
        if self.old.status != "supported" or self.unconfirmed:
            return False
        return self.claim.requirement if self.new is None else self.new.status != "supported"

    @property
    def lost(self) -> bool:
        """A supported claim is gone that no problem named, or has become vague."""
        if self.old.status != "supported" or self.claim.requirement:
            return False
        return not self.named if self.new is None else self.vague

    @property
    def newly_contradicted(self) -> bool:
        return self.new is not None and self.new.status == "contradicted" and self.old.status != "contradicted" and not self.unconfirmed

    @property
    def fixed(self) -> bool:
        """A contradicted claim is supported now, or gone where the evidence offers nothing in its place."""
        if self.old.status != "contradicted":
            return False
        if self.new is None:
            return not self.claim.requirement and not self.replaceable
        # An answer's own doctest that was rewritten along with the code proves nothing.
        own_doctest = self.claim.kind == "code" and not self.claim.requirement and self.claim.text.lstrip().startswith(">>>")
        return self.new.status == "supported" and (not own_doctest or same_but_space(self.claim.text, self.new.claim.text))

    @property
    def replaceable(self) -> bool:
        """Whether the evidence offers what to put in its place."""
        return self.old.expected is not None or bool(self.old.alternatives)

    @property
    def counted(self) -> Check | None:
        """The check by which it counts in the candidate's score: taking out a contradicted claim that could be put right earns nothing."""
        if self.unconfirmed:
            return None
        return self.new if self.new is not None else self.old if self.replaceable else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Everything the rules look at, worked out once. Claims are named by their ids."""

    fates: tuple[Fate, ...]
    fixed: tuple[str, ...]
    newly_contradicted: tuple[str, ...]
    out_of_scope: tuple[str, ...]
    unasked: tuple[str, ...]
    """What the candidate brings in that no problem asked for and nothing bears out."""
    before: Counts
    after: Counts


def counts_of(checks: Sequence[Check], *, lost: int = 0) -> Counts:
    """Contradicted claims of a text: citations apart, since they weigh less."""
    contradicted = [check for check in checks if check.status == "contradicted"]
    citations = sum(check.claim.kind == "citation" for check in contradicted)
    return Counts(contradicted=len(contradicted) - citations, citations=citations, lost=lost)


def compare(retained: State, candidate: State, problems: Sequence[Problem]) -> Comparison:
    """Follow every claim of the retained text into the candidate."""
    fates = _fates(retained, candidate, problems)
    standing = {fate.new.claim.id for fate in fates if fate.new is not None}
    brought = [check for check in candidate.checks if check.claim.id not in standing]
    newly = [fate.claim.id for fate in fates if fate.newly_contradicted]
    counted = [check for fate in fates if (check := fate.counted) is not None]
    return Comparison(
        fates=fates,
        fixed=tuple(fate.claim.id for fate in fates if fate.fixed),
        newly_contradicted=(*newly, *(check.claim.id for check in brought if check.status == "contradicted")),
        out_of_scope=_out_of_scope(fates, problems, answers=retained.refusal and not candidate.refusal),
        unasked=_unasked(retained, candidate, problems, fates),
        before=counts_of(retained.checks),
        after=counts_of((*counted, *brought), lost=sum(fate.lost for fate in fates)),
    )


def _fates(retained: State, candidate: State, problems: Sequence[Problem]) -> tuple[Fate, ...]:
    named = {problem.claim.id: problem.expected for problem in problems}
    places = sorted(problem.claim.focus or problem.claim.span for problem in problems if not problem.claim.requirement)
    reached = list(accumulate((end for _, end in places), max))
    checks = {check.claim.id: check for check in candidate.checks}
    fates: list[Fate] = []
    for old in retained.checks:
        claim = old.claim
        new = checks.get(claim.id if claim.requirement else candidate.matching.get(claim.id, ""))
        judged = new is not None and old.method == "judged" and new.method in ("judged", None)
        flipped = new is not None and old.status == "supported" and new.status != "supported"
        fates.append(
            Fate(
                old=old if old.expected is not None else replace(old, expected=named.get(claim.id)),
                new=new,
                named=claim.id in named,
                touched=not claim.requirement and _touched(claim.span, places, reached),
                vague=claim.id in candidate.vague,
                unconfirmed=flipped and judged and claim.id not in candidate.confirmed_flips,
            )
        )
    return tuple(fates)


def _unasked(retained: State, candidate: State, problems: Sequence[Problem], fates: Sequence[Fate]) -> tuple[str, ...]:
    """What the candidate brings in that no problem asked for and nothing bears out: new claims that are undecided, and new addresses.

    A claim that was to be mended and is gone, though the evidence offers what to put there, may have one undecided claim in its place: it is not
    fixed, and other rules judge that. An address that neither the retained text nor any evidence has was not found by checking.
    """
    standing = {fate.new.claim.id for fate in fates if fate.new is not None}
    before = {_folded(retained.text, span) for span in sentences(retained.text)}
    known = stems(content_words(" ".join((retained.text, *(problem.expected or "" for problem in problems)))))
    undecided = [
        check.claim.text
        for check in candidate.checks
        if check.status not in ("supported", "contradicted") and check.claim.id not in standing and not check.claim.requirement
    ]
    strays = [text for text in undecided if " ".join(text.split()).casefold() not in before and not stems(content_words(text)) <= known]
    places = sum(fate.named and fate.new is None and fate.replaceable and not fate.claim.requirement for fate in fates)
    items = (*retained.evidence.values(), *candidate.evidence.values())
    found = " ".join((retained.text, *(problem.expected or "" for problem in problems), *(part for item in items for part in (item.text, item.source))))
    addresses = [address for address in dict.fromkeys(_ADDRESS.findall(candidate.text)) if address not in found]
    return (*(strays if len(strays) > places else ()), *addresses)


def _folded(text: str, span: Span) -> str:
    return " ".join(text[span[0] : span[1]].split()).casefold()


def _touched(span: Span, places: Sequence[Span], reached: Sequence[int]) -> bool:
    """Whether one of the places overlaps the span; they are in order, `reached` says how far the first so many of them reach."""
    before = bisect_left(places, (span[1],))
    return before > 0 and reached[before - 1] > span[0]


def _out_of_scope(fates: Sequence[Fate], problems: Sequence[Problem], *, answers: bool) -> tuple[str, ...]:
    """Claims that no problem names and that do not reappear with the same figures, names and negation; figures that follow from a repair may change.

    Where a refusal gives way to an answer (`answers`), what the refusal said need not reappear unless it was supported. A failed test does not say
    which lines are to change, so that it names the whole program: what the rewrite may not do is fail a test that passed.
    """
    program = any(problem.claim.kind == "code" and problem.claim.requirement for problem in problems)
    bound = [
        fate
        for fate in fates
        if not fate.claim.requirement and not fate.named and not (answers and fate.old.status != "supported") and not (program and fate.claim.kind == "code")
    ]
    gone = {fate.claim.id for fate in bound if fate.new is None and fate.claim.checkworthy and (fate.old.status == "supported" or not fate.touched)}
    changed = [fate for fate in bound if fate.new is not None and not fate.touched and not keeps(fate.claim.text, fate.new.claim.text)]
    outside = gone | ({fate.claim.id for fate in changed} - _linked(changed, fates, problems))
    return tuple(fate.claim.id for fate in fates if fate.claim.id in outside)


def _linked(changed: Sequence[Fate], fates: Sequence[Fate], problems: Sequence[Problem]) -> set[str]:
    """The changed claims whose new figures follow from a repair: computed anew and right, or a declared dependant that took over a repaired figure."""
    repaired = {problem.claim.id for problem in problems}
    removed, added = set[str](), set[str]()
    for fate in fates:
        if fate.named or fate.touched:
            gone, come = _figures_moved(fate)
            removed |= gone
            added |= come
    linked: set[str] = set()
    waiting = [fate for fate in changed if fate.new is not None and keeps_but_figures(fate.claim.text, fate.new.claim.text)]
    while waiting:
        settled = [fate.claim for fate in fates if fate.claim.id in repaired | linked]
        follows = [fate for fate in waiting if _follows(fate, repaired | linked, settled, removed, added)]
        if not follows:
            break
        for fate in follows:
            gone, come = _figures_moved(fate)
            removed |= gone
            added |= come
            linked.add(fate.claim.id)
        waiting = [fate for fate in waiting if fate.claim.id not in linked]
    return linked


def _follows(fate: Fate, repaired: set[str], settled: Sequence[Claim], removed: set[str], added: set[str]) -> bool:
    """Whether its new figures are the repaired ones: it was computed anew, depends on what was repaired, or is the sentence around it (`settled`)."""
    gone, come = _figures_moved(fate)
    if fate.new is not None and fate.new.status == "supported" and fate.new.method in ("computed", "executed"):
        return bool(gone & removed)
    start, end = fate.claim.span
    around = any(start <= claim.span[0] and claim.span[1] <= end and claim.text in fate.claim.text for claim in settled)
    return bool(gone) and gone <= removed and come <= added and (around or not repaired.isdisjoint(fate.claim.depends_on))


def _figures_moved(fate: Fate) -> tuple[set[str], set[str]]:
    """The figures that are gone from the claim, and those that came."""
    if fate.new is None:
        return set(), set()
    before, after = set(signature(fate.claim.text).figures), set(signature(fate.new.claim.text).figures)
    return before - after, after - before
