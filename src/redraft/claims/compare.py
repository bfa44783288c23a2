"""Comparing a claim with a passage, explicitly: words, dates, quantities, names, negation and comparatives.

Similarity is not entailment. A claim is supported only where one sentence of the passage covers all of it; it is contradicted only where a sentence is
certainly about the same thing and differs in exactly one deciding place. Everything else is unclear, which is never an accusation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from redraft.claims.alignment import Alignment, align, attached, in_order, lends, negated_there, refers, relate, together
from redraft.claims.conflicts import Conflict, altered, conflict, negates, opposite, other_holder, reversed_roles
from redraft.claims.exclusion import excluded
from redraft.claims.segment import sentences
from redraft.claims.sentence import Sentence, read_sentence
from redraft.claims.thread import Before, keys_of, thread, with_subject
from redraft.claims.words import content_words, stems, words
from redraft.types import Span

__all__ = ["Comparison", "compare", "graded", "uncovered"]

MAX_SENTENCES = 400
LEAST_COVERAGE = 0.6
"""Share of the claim's content words below which a sentence is not about the same thing."""
NEARLY_ALL = 0.8
ABOUT = 0.3


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What a passage says of a claim, with the deciding words marked on both sides and the deciding sentence verbatim."""

    verdict: Literal["supported", "contradicted", "unclear"]
    words_claim: tuple[Span, ...] = ()
    words_passage: tuple[Span, ...] = ()
    quote: str = ""
    expected: str | None = None
    """What the passage has in place of the claim's deciding words, where that is one wording."""
    coverage: float = 0.0
    """Share of the claim's content words that the nearest sentence has."""
    reason: str = ""


def compare(claim: str, passage: str, *, focus: str = "", title: str = "", subject: str = "") -> Comparison:
    """What the passage says of the claim; `focus` is the part of the claim that decides it, `title` what the passage is about.

    `subject` names what the claim's pronoun or definite phrase stands for: the passage, or its title, must be about that too.

    With a focus, a contradiction elsewhere in the claim is not reported: it is another claim's affair.
    """
    said = read_sentence(claim)
    if not said.tokens:
        return Comparison(verdict="unclear", reason="the claim has no words that carry content")
    if subject:
        said = with_subject(said, subject)
    spans = sentences(passage)[:MAX_SENTENCES]
    read = [read_sentence(passage[start:end], known=said.names) for start, end in spans]
    known = said.names.union(*(sentence.names for sentence in read))
    said = said if subject else read_sentence(claim, known=known)
    read = [read_sentence(passage[start:end], known=known) for start, end in spans]
    best = Comparison(verdict="unclear", reason="no sentence of the passage is about the same thing")
    found: list[Comparison] = []
    for (start, end), (source, before) in zip(spans, thread(said, read, title), strict=True):
        result = _against(said, source, before, claim)
        if result.verdict != "unclear":
            found.append(_placed(result, start, passage[start:end]))
        elif result.coverage > best.coverage:
            best = result
    if not any(result.verdict == "contradicted" for result in found):
        for place, conflict, coverage in excluded(claim, passage, spans, title=title, subject=subject):
            sentence = passage[slice(*spans[place])]
            found = [*(result for result in found if result.quote != sentence), _placed(_contradicted(conflict, coverage), spans[place][0], sentence)]
    return _verdict(found, claim, focus) or best


def _placed(result: Comparison, start: int, sentence: str) -> Comparison:
    """The result of a sentence, with its places in the passage."""
    return replace(result, words_passage=tuple((start + a, start + b) for a, b in result.words_passage), quote=sentence)


def _verdict(found: Sequence[Comparison], claim: str, focus: str) -> Comparison | None:
    """A passage that speaks for and against the claim decides nothing."""
    if not found:
        return None
    if len({result.verdict for result in found}) > 1:
        return Comparison(verdict="unclear", coverage=max(result.coverage for result in found), reason="the passage says both")
    result = found[0]
    if result.verdict == "contradicted":
        if len({result.expected for result in found}) > 1:
            result = replace(result, expected=None)
        place = claim.find(focus) if focus else -1
        if place >= 0 and not any(start < place + len(focus) and place < end for start, end in result.words_claim):
            return Comparison(verdict="unclear", coverage=result.coverage, reason="the passage differs elsewhere than in the focus")
    return result


def _against(said: Sentence, source: Sentence, before: Before, claim: str) -> Comparison:
    alignment = align(said, source, before.context, before.topics)
    unclear = Comparison(verdict="unclear", coverage=alignment.coverage, reason="the nearest sentence does not cover the claim")
    if source.question or not alignment.pairs or alignment.coverage < LEAST_COVERAGE:
        return unclear
    found = other_holder(said, source, alignment)
    if found is None and alignment.by_context and not (refers(source, alignment) and lends(said, source, alignment, before.kinds)):
        return unclear
    related = [relate(slot, source) for slot in said.slots]
    holding = sum(relation in ("same", "covers") for _, relation, _ in related)
    if found is None and holding == len(related) and not alignment.missing:
        return _whole(said, source, alignment, claim)
    if found is None and (said.hedged != source.hedged or said.conditional or source.conditional):
        return unclear
    if found is None and holding == len(related):
        found = opposite(said, source, alignment) or (reversed_roles(said, source, alignment) if alignment.coverage >= NEARLY_ALL else None)
    conflicts = [(slot, others) for slot, relation, others in related if relation == "conflict"]
    if found is None and len(conflicts) == 1 and holding == len(related) - 1 and not (said.negated or source.negated):
        found = conflict(said, source, alignment, *conflicts[0])
    return _contradicted(found, alignment.coverage) if found is not None else unclear


def _contradicted(found: Conflict, coverage: float) -> Comparison:
    return Comparison(
        verdict="contradicted",
        words_claim=found.words_claim,
        words_passage=found.words_passage,
        expected=found.expected,
        coverage=coverage,
        reason=found.reason,
    )


def _whole(said: Sentence, source: Sentence, alignment: Alignment, claim: str) -> Comparison:
    """All of the claim is in the sentence: it is supported, unless polarity, roles or a qualifier turn it round or leave it open."""
    covered = Comparison(verdict="unclear", coverage=1.0, reason="the sentence has the claim's words, but in other roles or under a condition")
    if source.conditional or said.conditional or (source.hedged and not said.hedged) or not together(said, source, alignment):
        return covered
    lacking = bool(said.restricting - source.restricting)
    ordered = in_order(said, source, alignment)
    found: Conflict | bool | None = altered(said, source, alignment)
    if not found and said.negated != negated_there(source, alignment):
        found = (None if said.hedged or not ordered or lacking else negates(said, source, alignment)) or True
    found = found or reversed_roles(said, source, alignment)
    if isinstance(found, Conflict):
        return _contradicted(found, 1.0)
    if found or lacking or not ordered or (said.restricting and source.one_of and not said.one_of) or not attached(said, source, alignment):
        return covered
    return Comparison(
        verdict="supported",
        words_claim=((0, len(claim)),),
        words_passage=tuple(other.span for _, other in alignment.pairs),
        coverage=1.0,
        reason="every word, figure, date and name of the claim is in the sentence",
    )


def graded(claim: str, passage: str) -> float:
    """How much of a claim a passage bears out, in [0, 1]: the share of its content words that stand anywhere in it, a figure counting twice.

    Nothing where the passage excludes the claim. A measure for ranking and for degrees of support, never a verdict.
    """
    if compare(claim, passage).verdict == "contradicted":
        return 0.0
    there = stems(words(passage))
    weights = [(2 if any(char.isdigit() for char in word.text) else 1, word.stem in there) for word in content_words(claim)]
    return sum(weight for weight, found in weights if found) / sum(weight for weight, _ in weights) if weights else 1.0


def uncovered(claim: str, passage: str, *, title: str = "") -> tuple[Span, ...]:
    """The parts of a claim that no sentence of the passage which is about it has: content words, figures and names, with the small words between them."""
    said = read_sentence(claim)
    read = [read_sentence(passage[start:end], known=said.names) for start, end in sentences(passage)[:MAX_SENTENCES]]
    named = [token for sentence in read for token in sentence.tokens if token.name]
    context = keys_of([*read_sentence(title).tokens, *named])
    aligned = [(align(said, source, context, context), source) for source in read]
    related = [(alignment, source) for alignment, source in aligned if alignment.coverage >= ABOUT and alignment.pairs]
    there = {token.index for alignment, _ in related for token, _ in alignment.pairs}
    given = {token.index for alignment, _ in related for token in alignment.by_context}
    open_words = [token.span for token in said.tokens if token.index not in there | given and not token.light]
    holding = {slot.span for _, source in related for slot in said.slots if relate(slot, source)[1] in ("same", "covers")}
    spans = sorted([*open_words, *(slot.span for slot in said.slots if slot.span not in holding)])
    held = sorted([token.span for token in said.tokens if token.index in there | given] + list(holding))
    merged: list[Span] = []
    for start, end in spans:
        if merged and not any(merged[-1][1] <= place < start for place, _ in held):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)
