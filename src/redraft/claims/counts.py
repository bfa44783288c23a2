"""How many of something: a number whose noun stands earlier in the sentence, or is cut short, excludes the claim's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.claims.alignment import Alignment, lacking, negated_there
from redraft.claims.conflicts import Conflict
from redraft.claims.sentence import Sentence
from redraft.claims.slots import Slot, quantity_relation
from redraft.claims.words import stem, words

__all__ = ["counted_otherwise", "measured_otherwise"]


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
    return _counted(slot, theirs[0])


def _counted(slot: Slot, other: Slot) -> Conflict:
    return Conflict(
        words_claim=(slot.span,), words_passage=(other.span,), expected=other.text, reason=f"the sentence has “{other.text}” where the claim has “{slot.text}”"
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


_MEASURES = tuple(
    frozenset(map(stem, line.split()))
    for line in (
        "height tall high elevation altitude rises",
        "length long",
        "width wide breadth",
        "depth deep",
        "weight weigh weighs weighed heavy mass",
        "area covers",
        "age aged old",
        "speed fast",
        "population inhabitants residents",
        "displacement displaced displaces",
        "capacity seats",
    )
)
_OF_AGE = re.compile(r"\b(?:aged|at (?:the )?age(?: of)?)\s+$|\b(?:died|dies|death)\s+at\s+$", re.IGNORECASE)
_REACH = 40


def measured_otherwise(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """The sentence gives the claim's subject another size of one kind: height, length, weight, age at death; every such figure of it excludes the claim's."""
    ours = [slot for slot in said.slots if slot.kind == "quantity"]
    kinds = [kind for kind in _MEASURES if any(word.stem in kind for word in words(said.text) if word.content)]
    if len(ours) != 1 or len(kinds) != 1 or said.negated or source.negated or said.restricting - source.restricting:
        return None
    slot, kind = ours[0], kinds[0]
    dying = stem("died") in {word.stem for word in words(said.text)}
    named = any(token.subject and token.name for token in said.tokens)
    needed = [token for token in lacking(said, source, alignment) if token.stem not in kind and token.stem not in slot.counts]
    if not named or needed or (stem("age") in kind and not dying) or (dying and stem("died") not in {word.stem for word in words(source.text)}):
        return None
    dates = [[other.date for other in sentence.slots if other.kind == "date"] for sentence in (said, source)]
    if len(dates[1]) > len(dates[0]) and not dying:
        return None  # a figure of another time
    theirs = [other for other in source.slots if other.kind == "quantity" and _measures(other, source, kind, dying)]
    comparable = [(other, quantity_relation(slot, other) if not dying else quantity_relation(_bare(slot), _bare(other))) for other in theirs]
    comparable = [(other, relation) for other, relation in comparable if relation is not None]
    if not comparable or any(relation != "conflict" for _, relation in comparable) or (not dying and not slot.dimension and not slot.counts):
        return None
    other = comparable[0][0]
    return Conflict(
        words_claim=(slot.span,), words_passage=(other.span,), expected=other.text if len(comparable) == 1 else None,
        reason=f"the sentence has “{other.text}” where the claim has “{slot.text}”",
    )  # fmt: skip


def _measures(slot: Slot, source: Sentence, kind: frozenset[str], dying: bool) -> bool:
    before = source.text[: slot.span[0]]
    if dying:
        return _OF_AGE.search(before) is not None
    if re.match(r"[^,;.]{0,20}\b(?:in|of)\s+(?:width|height|length|depth|breadth|weight)\b", source.text[slot.span[1] :]):
        return any(word.stem in kind for word in words(source.text[slot.span[1] : slot.span[1] + 30]))
    clause = re.split(r"[,;:]\s|\band\b", source.text[max(0, slot.span[0] - _REACH) : slot.span[0]])[-1]
    return any(word.stem in kind for word in (*words(clause), *words(re.split(r"[,;:]", source.text[slot.span[1] : slot.span[1] + 25])[0])))
