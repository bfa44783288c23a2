"""How many of something: a number whose noun stands earlier in the sentence, or is cut short, excludes the claim's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.claims.alignment import Alignment, lacking, negated_there
from redraft.claims.conflicts import Conflict
from redraft.claims.sentence import Sentence
from redraft.claims.slots import Slot, quantity_relation
from redraft.claims.words import words

__all__ = ["counted_otherwise"]


def counted_otherwise(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """The sentence counts the claim's things, of the claim's subject and verb, and comes to another number."""
    ours = [slot for slot in said.slots if slot.kind == "quantity" and slot.counts]
    if len(ours) != 1 or ours[0].dimension or said.negated or said.hedged or source.hedged or source.conditional or negated_there(source, alignment):
        return None
    slot = ours[0]
    if said.pivot is None or not any(token.index == said.pivot for token, _ in alignment.pairs):
        return None
    counted = {token.index for token in said.tokens if token.stem in slot.counts and token.span[0] >= slot.span[1]}
    if any(token.index not in counted for token in lacking(said, source, alignment)):
        return None
    theirs = [*_elliptic(slot, source, said, alignment), *_short(slot, source, said)]
    if not theirs or any(quantity_relation(_bare(slot), _bare(other)) != "conflict" for other in theirs):
        return None
    other = theirs[0]
    return Conflict(
        words_claim=(slot.span,), words_passage=(other.span,), expected=other.text if len(theirs) == 1 else None,
        reason=f"the sentence has “{other.text}” where the claim has “{slot.text}”",
    )  # fmt: skip


def _bare(slot: Slot) -> Slot:
    return Slot(kind="quantity", span=slot.span, text=slot.text, quantity=slot.quantity)


def _elliptic(slot: Slot, source: Sentence, said: Sentence, alignment: Alignment) -> Iterator[Slot]:
    """ "A has five albums, B has only two": the number ends its clause, which has the claim's subject and verb."""
    quantities = [other for other in source.slots if other.kind == "quantity"]
    verb = next((token.stem for token in said.tokens if token.index == said.pivot), "")
    for place, other in enumerate(quantities):
        alone = not other.counts and re.match(r"\s*(?:[.,;)]|$)", source.text[other.span[1] :])
        if not alone or not any(slot.counts[-1] in before.counts for before in quantities[:place]):
            continue
        begin = max((match.end() for match in re.finditer(r"[,;]\s", source.text[: other.span[0]])), default=0)
        inside = [token for token, mate in alignment.pairs if begin <= mate.span[0] < other.span[0]]
        last = [word.stem for word in words(source.text[begin : other.span[0]]) if word.content and word.text.lower() not in ("only", "just")][-1:]
        if any(token.subject and token.name for token in inside) and last == [verb]:
            yield other


def _short(slot: Slot, source: Sentence, said: Sentence) -> Iterator[Slot]:
    """ "five Leagues" for "five league titles": a name in place of the noun that it is short for; with the same dates on both sides."""
    dates = [[other.date for other in sentence.slots if other.kind == "date"] for sentence in (said, source)]
    if dates[0] != dates[1] or not dates[0] or len(slot.counts) < 2:
        return
    for other in source.slots:
        if other.kind == "quantity" and other.counts[:1] == slot.counts[:1] and len(other.counts) == 1 and not other.dimension:
            yield other
