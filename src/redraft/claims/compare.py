"""Comparing a claim with a passage, explicitly: words, dates, quantities, names, negation and comparatives.

Similarity is not entailment. A claim is supported only where one sentence of the passage covers all of it; it is contradicted only where a sentence is
certainly about the same thing and differs in exactly one deciding place. Everything else is unclear, which is never an accusation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from redraft.claims.segment import clauses, sentences
from redraft.claims.sentence import Sentence, Token, read_sentence, same_word
from redraft.claims.slots import Relation, Slot, date_relation, quantity_relation
from redraft.types import Span

__all__ = ["Comparison", "compare"]

MAX_SENTENCES = 400


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


def compare(claim: str, passage: str, *, focus: str = "", title: str = "") -> Comparison:
    """What the passage says of the claim; `focus` is the part of the claim that decides it, `title` what the passage is about.

    With a focus, a contradiction elsewhere in the claim is not reported: it is another claim's affair.
    """
    said = read_sentence(claim)
    if not said.tokens:
        return Comparison(verdict="unclear", reason="the claim has no words that carry content")
    spans = sentences(passage)[:MAX_SENTENCES]
    context = read_sentence(title)
    names_before: list[Token] = [*context.tokens]
    best = Comparison(verdict="unclear", reason="no sentence of the passage is about the same thing")
    found: list[Comparison] = []
    for start, end in spans:
        source = read_sentence(passage[start:end], known=said.names)
        result = _against(said, source, names_before, claim)
        names_before.extend(token for token in source.tokens if token.name)
        moved = tuple((start + a, start + b) for a, b in result.words_passage)
        result = Comparison(
            verdict=result.verdict,
            words_claim=result.words_claim,
            words_passage=moved,
            quote=passage[start:end] if result.verdict != "unclear" else "",
            expected=result.expected,
            coverage=result.coverage,
            reason=result.reason,
        )
        if result.verdict != "unclear":
            found.append(result)
        elif result.coverage > best.coverage:
            best = result
    return _verdict(found, claim, focus) or best


def _verdict(found: Sequence[Comparison], claim: str, focus: str) -> Comparison | None:
    """A passage that speaks for and against the claim decides nothing."""
    if not found:
        return None
    if len({result.verdict for result in found}) > 1:
        return Comparison(verdict="unclear", coverage=max(result.coverage for result in found), reason="the passage says both")
    result = found[0]
    if result.verdict == "contradicted":
        if len({result.expected for result in found}) > 1:
            result = Comparison(
                verdict="contradicted",
                words_claim=result.words_claim,
                words_passage=result.words_passage,
                quote=result.quote,
                coverage=1.0,
                reason=result.reason,
            )
        place = claim.find(focus) if focus else -1
        if place >= 0 and not any(start < place + len(focus) and place < end for start, end in result.words_claim):
            return Comparison(verdict="unclear", coverage=result.coverage, reason="the passage differs elsewhere than in the focus")
    return result


@dataclass(frozen=True, slots=True)
class _Alignment:
    """Which words of the claim the sentence has (claim token → sentence token), which the context gives, and which are missing."""

    pairs: tuple[tuple[Token, Token], ...]
    by_context: tuple[Token, ...]
    missing: tuple[Token, ...]

    @property
    def coverage(self) -> float:
        total = len(self.pairs) + len(self.by_context) + len(self.missing)
        return (total - len(self.missing)) / total if total else 1.0


def _align(said: Sentence, source: Sentence, before: Iterable[Token]) -> _Alignment:
    pairs: list[tuple[Token, Token]] = []
    by_context: list[Token] = []
    missing: list[Token] = []
    used: set[int] = set()
    context = list(before)
    for token in said.tokens:
        match = next((other for other in source.tokens if other.index not in used and same_word(token, other)), None)
        match = match or next((other for other in source.tokens if same_word(token, other)), None)
        if match is not None:
            used.add(match.index)
            pairs.append((token, match))
        elif token.light:
            continue
        elif (token.name or token.subject) and any(same_word(token, other) for other in context):
            by_context.append(token)
        else:
            missing.append(token)
    return _Alignment(tuple(pairs), tuple(by_context), tuple(missing))


def _against(said: Sentence, source: Sentence, before: Iterable[Token], claim: str) -> Comparison:
    alignment = _align(said, source, before)
    coverage = alignment.coverage
    unclear = Comparison(verdict="unclear", coverage=coverage, reason="the nearest sentence does not cover the claim")
    if source.question or not alignment.pairs or coverage < 0.6:
        return unclear
    if alignment.by_context and not _refers(source, alignment):
        return unclear
    related = [_relate(slot, source) for slot in said.slots]
    conflicts = [(slot, others) for slot, relation, others in related if relation == "conflict"]
    settled = all(relation in ("same", "covers") for _, relation, _ in related)
    if settled and not alignment.missing:
        return _whole(said, source, alignment, claim)
    if said.hedged != source.hedged or said.conditional or source.conditional:
        return unclear
    if settled:
        return _opposite(said, source, alignment, coverage) or unclear
    others_hold = sum(relation in ("same", "covers") for _, relation, _ in related) == len(related) - 1
    if len(conflicts) == 1 and others_hold and said.negated == source.negated and not said.negated:
        return _conflict(said, source, alignment, *conflicts[0]) or unclear
    return unclear


def _refers(source: Sentence, alignment: _Alignment) -> bool:
    """Whether the sentence points back to what the context names: by a pronoun, a definite phrase at its head, or a part of the name."""
    names = [token for token in alignment.by_context if token.name]
    partly = any(token.name for token, _ in alignment.pairs)
    return source.anaphoric or (bool(names) and partly)


def _relate(slot: Slot, source: Sentence) -> tuple[Slot, Relation | None, tuple[Slot, ...]]:
    """What the sentence says of one slot of the claim: the best relation among the slots of its kind that stand in for it."""
    relations: list[tuple[Relation, Slot]] = []
    for other in source.slots:
        if slot.kind == "date" and other.kind == "date" and slot.date and other.date:
            relations.append((date_relation(slot.date, other.date), other))
        elif slot.kind == other.kind == "quantity":
            relation = quantity_relation(slot, other) if slot.dimension or _same_count(slot, other) else None
            if relation is not None:
                relations.append((relation, other))
    for wanted in ("same", "covers", "open"):
        holding = tuple(other for relation, other in relations if relation == wanted)
        if holding:
            return slot, wanted, holding
    if not relations:
        return slot, None, ()
    unsure = slot.open or any(other.open for _, other in relations)
    return slot, "open" if unsure else "conflict", tuple(other for _, other in relations)


def _same_count(ours: Slot, theirs: Slot) -> bool:
    """Whether both count the same: the nouns that follow have the same head, or share a word where one is cut short."""
    if not ours.counts or not theirs.counts:
        return not ours.counts and not theirs.counts
    return bool(set(ours.counts) & set(theirs.counts))


def _whole(said: Sentence, source: Sentence, alignment: _Alignment, claim: str) -> Comparison:
    """All of the claim is in the sentence: it is supported, unless polarity, roles or a qualifier turn it round or leave it open."""
    covered = Comparison(verdict="unclear", coverage=1.0, reason="the sentence has the claim's words, but in other roles or under a condition")
    if source.conditional or said.conditional or (source.hedged and not said.hedged):
        return covered
    marks = tuple(other.span for _, other in alignment.pairs)
    extra = source.qualifiers - said.qualifiers
    lacking = said.qualifiers - source.qualifiers
    ours, theirs = said.negated, _negated_there(source, alignment)
    if ours != theirs:
        if extra or lacking or alignment.by_context or not _in_order(said, source, alignment) or said.negations + source.negations != 1:
            return covered
        return Comparison(verdict="contradicted", words_claim=said.polarity, words_passage=source.polarity, coverage=1.0, reason="one of the two is negated")
    if ours and not _in_order(said, source, alignment):
        return covered
    reversed_roles = _reversed(said, source, alignment)
    if reversed_roles:
        left, right = reversed_roles
        return Comparison(
            verdict="contradicted", words_claim=tuple(t.span for t, _ in (left, right)), words_passage=tuple(o.span for _, o in (left, right)), coverage=1.0,
            reason="the roles are the other way round",
        )  # fmt: skip
    if extra or lacking or not _in_order(said, source, alignment) or not _attached(said, source, alignment):
        return covered
    return Comparison(
        verdict="supported",
        words_claim=((0, len(claim)),),
        words_passage=marks,
        coverage=1.0,
        reason="every word, figure, date and name of the claim is in the sentence",
    )


def _negated_there(source: Sentence, alignment: _Alignment) -> bool:
    """Whether the clause that has the claim's words is negated; a negation in another clause of the sentence is not about it."""
    if not source.negated:
        return False
    places = [other.span[0] for _, other in alignment.pairs]
    for start, end in clauses(source.text, (0, len(source.text))):
        inside = sum(start <= place < end for place in places)
        if inside * 5 >= len(places) * 4:
            return any(start <= place < end for place, _ in source.polarity)
    return True


def _reversed(said: Sentence, source: Sentence, alignment: _Alignment) -> tuple[tuple[Token, Token], tuple[Token, Token]] | None:
    """The two words that changed sides of an asymmetric relation (A displaces B; A is larger than B), with the sentence's words for them."""
    if said.pivot is None or source.passive or said.passive:
        return None
    pivot = next((other for token, other in alignment.pairs if token.index == said.pivot), None)
    if pivot is None or (said.comparing != source.comparing):
        return None
    left = [pair for pair in alignment.pairs if pair[0].index < said.pivot]
    right = [pair for pair in alignment.pairs if pair[0].index > said.pivot and pair[0].index <= said.object_end]
    if not left or not right or alignment.by_context:
        return None
    if all(other.index > pivot.index for _, other in left) and all(other.index < pivot.index for _, other in right):
        return left[0], right[0]
    return None


def _in_order(said: Sentence, source: Sentence, alignment: _Alignment) -> bool:
    """Whether names and the words around them stand in the same relation: the same order, or a voice or a copula that allows the other one."""
    if said.pivot is None:
        return True
    left = [other.index for token, other in alignment.pairs if token.index < said.pivot]
    right = [other.index for token, other in alignment.pairs if token.index > said.pivot]
    if not left or not right or said.copular:
        return True
    flipped = sum(left) / len(left) > sum(right) / len(right)
    return not flipped or said.passive != source.passive


_BOUND = frozenset("of by to from than against over under after before between for in at".split())


def _attached(said: Sentence, source: Sentence, alignment: _Alignment) -> bool:
    """Whether each name that hangs on a preposition in the claim hangs on the same one in the sentence, or on a genitive, or is its subject by voice."""
    for token, other in alignment.pairs:
        if not token.name or not token.after or token.after not in _BOUND:
            continue
        same = token.after == other.after or other.after == "" or (other.genitive and token.after in ("of", "in"))
        place = token.after in ("in", "at") and other.after in ("in", "at", "of")
        if not (same or place or said.passive != source.passive):
            return False
    return _nearest_slots(said, source, alignment)


def _nearest_slots(said: Sentence, source: Sentence, alignment: _Alignment) -> bool:
    """Where the sentence has several figures of one kind, the one that agrees must be the one nearest to the claim's words."""
    places = [other.span[0] for _, other in alignment.pairs]
    for slot in said.slots:
        _, _, agreeing = _relate(slot, source)
        rivals = [other for other in source.slots if other.kind == slot.kind and other not in agreeing and _rival(slot, other)]
        if not rivals or not places:
            continue
        reach = min(_distance(other, places) for other in agreeing)
        if any(_distance(other, places) < reach for other in rivals):
            return False
    return True


def _rival(ours: Slot, theirs: Slot) -> bool:
    if ours.kind == "date":
        return True
    return quantity_relation(ours, theirs) is not None and (bool(ours.dimension) or _same_count(ours, theirs) or not theirs.counts)


def _distance(slot: Slot, places: Sequence[int]) -> float:
    return sum(abs(place - slot.span[0]) for place in places) / len(places)


def _conflict(said: Sentence, source: Sentence, alignment: _Alignment, slot: Slot, others: tuple[Slot, ...]) -> Comparison | None:
    """A date or quantity that the sentence, about the same thing, excludes."""
    if alignment.coverage < 0.8 or source.qualifiers != said.qualifiers or not _predicate_there(said, alignment):
        return None
    if slot.kind == "date" and (len([other for other in source.slots if other.kind == "date"]) > 1 or len([s for s in said.slots if s.kind == "date"]) > 1):
        return None
    if not _in_order(said, source, alignment) or _negated_there(source, alignment):
        return None
    expected = others[0].text if len(others) == 1 else None
    return Comparison(
        verdict="contradicted",
        words_claim=(slot.span,),
        words_passage=tuple(other.span for other in others),
        coverage=alignment.coverage,
        expected=expected,
        reason=f"the sentence has “{others[0].text}” where the claim has “{slot.text}”",
    )


def _predicate_there(said: Sentence, alignment: _Alignment) -> bool:
    """Whether what the claim says of its subject is in the sentence: no verb and no counted noun may be missing."""
    return not any(token.predicate for token in alignment.missing)


_OPPOSITES = [
    frozenset(pair.split())
    for pair in (
        "large small", "larg small", "larger smaller", "largest smallest", "more less", "most least", "high low", "higher lower", "highest lowest", "long short",
        "longer shorter", "longest shortest", "old young", "older younger", "oldest youngest", "old new", "older newer", "oldest newest", "early late", "earlier later",
        "earliest latest", "fast slow", "faster slower", "fastest slowest", "big small", "bigger smaller", "biggest smallest", "heavy light", "heavier lighter",
        "heaviest lightest", "increas decreas", "increase decrease", "rise fall", "gain lose", "grow shrink", "win lose", "accept reject", "allow forbid", "legal illegal",
        "male female", "man woman", "north south", "east west", "northern southern", "eastern western", "northeast southwest", "northwest southeast", "before after",
        "first last", "begin end", "open close", "import export", "buy sell", "hot cold", "hotter colder", "warm cool", "warmer cooler", "wet dry", "rich poor", "left right",
        "inside outside", "above below", "major minor", "majority minority", "maximum minimum", "positive negativ", "guilty innocent", "true false", "public privat",
    )
]  # fmt: skip


def _opposite(said: Sentence, source: Sentence, alignment: _Alignment, coverage: float) -> Comparison | None:
    """The sentence has the claim's every word but one, and in the place of that one its opposite."""
    missing = [token for token in alignment.missing if not token.light]
    if len(missing) != 1 or len(alignment.pairs) < 3 or alignment.by_context or said.negated or source.negated or source.qualifiers != said.qualifiers:
        return None
    word = missing[0]
    forms = {word.stem, word.text.lower()}
    for other in source.tokens:
        theirs = {other.stem, other.text.lower()}
        if any((forms & pair) and (theirs & pair) and (forms & pair) != (theirs & pair) for pair in _OPPOSITES):
            if _neighbours(said, word) & _neighbours(source, other) and _in_order(said, source, alignment):
                return Comparison(
                    verdict="contradicted", words_claim=(word.span,), words_passage=(other.span,), coverage=coverage, expected=other.text.lower(),
                    reason=f"the sentence has “{other.text}” where the claim has “{word.text}”",
                )  # fmt: skip
    return None


def _neighbours(sentence: Sentence, token: Token) -> set[str]:
    return {other.stem for other in sentence.tokens if 0 < abs(other.index - token.index) <= 1}
