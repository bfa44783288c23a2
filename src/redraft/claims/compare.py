"""Comparing a claim with a passage, explicitly: words, dates, quantities, names, negation and comparatives.

Similarity is not entailment. A claim is supported only where one sentence of the passage covers all of it; it is contradicted only where a sentence is
certainly about the same thing and differs in exactly one deciding place. Everything else is unclear, which is never an accusation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from redraft.claims.segment import clauses, sentences
from redraft.claims.sentence import Sentence, Token, changed, read_sentence, same_word
from redraft.claims.slots import Relation, Slot, date_relation, names, quantity_relation
from redraft.claims.words import stem
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


def compare(claim: str, passage: str, *, focus: str = "", title: str = "", subject: str = "") -> Comparison:
    """What the passage says of the claim; `focus` is the part of the claim that decides it, `title` what the passage is about.

    `subject` names what the claim's pronoun or definite phrase stands for: the passage, or its title, must be about that too.

    With a focus, a contradiction elsewhere in the claim is not reported: it is another claim's affair.
    """
    said = read_sentence(claim)
    if not said.tokens:
        return Comparison(verdict="unclear", reason="the claim has no words that carry content")
    if subject and not _about(subject, f"{title} {passage}"):
        return Comparison(verdict="unclear", reason=f"the passage is not about {subject}")
    spans = sentences(passage)[:MAX_SENTENCES]
    read = [read_sentence(passage[start:end], known=said.names) for start, end in spans]
    before = [*read_sentence(title).tokens, *_topic(read)]
    best = Comparison(verdict="unclear", reason="no sentence of the passage is about the same thing")
    found: list[Comparison] = []
    for (start, end), source in zip(spans, read, strict=True):
        result = _against(said, source, before, claim)
        before.extend(source.tokens)
        if result.verdict != "unclear":
            moved = tuple((start + a, start + b) for a, b in result.words_passage)
            found.append(replace(result, words_passage=moved, quote=passage[start:end]))
        elif result.coverage > best.coverage:
            best = result
    return _verdict(found, claim, focus) or best


def _about(subject: str, text: str) -> bool:
    """Whether every word of the name is in the text."""
    wanted = read_sentence(subject).tokens
    there = read_sentence(text).tokens
    return all(any(same_word(token, other) for other in there) for token in wanted if not token.light)


def _topic(read: Sequence[Sentence]) -> list[Token]:
    """The name that a passage is about: the one that is most often the subject, where that is one name."""
    names = [token for sentence in read for token in sentence.tokens if token.name and token.subject]
    counts = Counter(token.stem for token in names)
    most = max(counts.values(), default=0)
    topic = [token for token in names if counts[token.stem] == most]
    return topic if most > 1 or len({token.stem for token in topic}) <= 3 else []


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
    context = list(before)
    options = [(token, [other for other in source.tokens if same_word(token, other)]) for token in said.tokens]
    sure = sorted(found[0].index for _, found in options if len(found) == 1)
    middle = sure[len(sure) // 2] if sure else None
    used: set[int] = set()
    for token, found in options:
        free = [other for other in found if other.index not in used] or found
        if free:
            match = free[0] if middle is None else min(free, key=lambda other: abs(other.index - middle))
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
    if (holder := _other_holder(said, source, alignment)) is not None:
        return holder
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
    if not _together(said, source, alignment):
        return covered
    in_order = _in_order(said, source, alignment)
    changes = [(token, other, changed(source, other) - changed(said, token)) for token, other in alignment.pairs]
    if any(words for _, _, words in changes):
        token, other, words = next(change for change in changes if change[2])
        if words == frozenset({"non-"}) and in_order and not said.negated and not source.negated and token.predicate:
            return Comparison(verdict="contradicted", words_claim=(token.span,), words_passage=(other.span,), coverage=1.0, reason="one of the two is negated")
        return covered
    if said.negated != _negated_there(source, alignment):
        denied = None if said.hedged or not in_order or said.restricting - source.restricting else _negates(said, source, alignment)
        if denied is None:
            return covered
        token, other = denied
        ours, theirs = said.polarity or (token.span,), source.polarity or (other.span,)
        return Comparison(verdict="contradicted", words_claim=ours, words_passage=theirs, coverage=1.0, reason="one of the two is negated")
    if roles := _reversed(said, source, alignment):
        ours, theirs = tuple(token.span for token, _ in roles), tuple(other.span for _, other in roles)
        return Comparison(verdict="contradicted", words_claim=ours, words_passage=theirs, coverage=1.0, reason="the roles are the other way round")
    if (
        said.restricting - source.restricting
        or (said.restricting and source.one_of and not said.one_of)
        or not in_order
        or not _attached(said, source, alignment)
    ):
        return covered
    return Comparison(
        verdict="supported",
        words_claim=((0, len(claim)),),
        words_passage=tuple(other.span for _, other in alignment.pairs),
        coverage=1.0,
        reason="every word, figure, date and name of the claim is in the sentence",
    )


def _together(said: Sentence, source: Sentence, alignment: _Alignment) -> bool:
    """Whether the words stand close enough to be one statement, and those of one name beside each other."""
    places = [other.index for _, other in alignment.pairs]
    if max(places) - min(places) > 4 * len(said.tokens) + 12:
        return False
    for (token, other), (after, other_after) in pairwise(alignment.pairs):
        if token.name and after.name and after.index == token.index + 1 and token.after == after.after and abs(other_after.index - other.index) > 3:
            return False
    return True


def _negates(said: Sentence, source: Sentence, alignment: _Alignment) -> tuple[Token, Token] | None:
    """The word that both have and that the one negation of the two stands beside: what it negates is the statement itself."""
    if len(said.polarity) + len(source.polarity) != 1:
        return None
    there = bool(source.polarity)
    start, end = (source.polarity or said.polarity)[0]
    text = source.text if there else said.text
    places = [(pair[1] if there else pair[0], pair) for pair in alignment.pairs]
    if not any(token.span[1] <= start for token, _ in places):
        return None
    beside = [pair for token, pair in places if token.span[0] >= end and len(text[end : token.span[0]].split()) <= 2]
    return beside[0] if beside else None


def _other_holder(said: Sentence, source: Sentence, alignment: _Alignment) -> Comparison | None:
    """Somebody else holds the one place that the claim gives its subject: "the 45th president", "the largest producer"."""
    unique = {
        word for word in said.restricting & source.restricting if word[0].isdigit() or word.endswith("st") or word in ("second", "third", "fourth", "fifth")
    }
    missing = [token for token in alignment.missing if not token.light]
    subject = [token for token in said.tokens if token.subject and token.name]
    if not unique or not missing or said.negated or source.negated or source.hedged or source.one_of or said.one_of:
        return None
    if missing != [token for token in subject if not token.light] or not (said.copular or said.serving) or alignment.by_context:
        return None
    word = next(iter(unique))
    place = re.search(rf"\b{word}\b", source.text, re.IGNORECASE)
    if place is None:
        return None
    holders = [span for span in names(source.text, known=said.names) if span[1] <= place.start() and _HOLDS.fullmatch(source.text[span[1] : place.start()])]
    if not holders:
        return None
    name = source.text[holders[-1][0] : holders[-1][1]]
    return Comparison(
        verdict="contradicted", words_claim=((subject[0].span[0], subject[-1].span[1]),), words_passage=(holders[-1],), coverage=alignment.coverage, expected=name,
        reason=f"the sentence names “{name}”",
    )  # fmt: skip


_HOLDS = re.compile(r"(?:\s*\([^()]*\))?\s*,?\s*(?:is|was|became|has been|served as|as)?\s*(?:the|our|its|their)?\s*", re.IGNORECASE)


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
    if pivot.stem in _SYMMETRIC and not said.comparing:
        return None
    left = [pair for pair in alignment.pairs if pair[0].index < said.pivot]
    right = [pair for pair in alignment.pairs if pair[0].index > said.pivot and pair[0].index <= said.object_end]
    if not left or not right or alignment.by_context:
        return None
    if all(other.index > pivot.index for _, other in left) and all(other.index < pivot.index for _, other in right):
        return left[0], right[0]
    return None


_SYMMETRIC = frozenset(
    stem(word)
    for word in (
        "marry meet equal resemble join merge border adjoin differ face date combine mix play share be have contain include involve become see know relate connect "
        "associate cooperate compete fight negotiate communicate correspond agree match neighbour neighbor touch cross link accompany mean"
    ).split()
)
"""Relations that hold either way round, or that bind nothing: another order of their sides is no contradiction."""


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
        taken = [other for ours in said.slots if ours is not slot for other in _relate(ours, source)[2]]
        rivals = [other for other in source.slots if other.kind == slot.kind and other not in agreeing and other not in taken and _rival(slot, other)]
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
    if alignment.coverage < 0.8 or said.restricting - source.restricting or not _predicate_there(alignment):
        return None
    if not _in_order(said, source, alignment) or _negated_there(source, alignment):
        return None
    ours, theirs = ([other for other in sentence.slots if other.kind == "date"] for sentence in (said, source))
    if slot.kind == "date":
        once = any(token.predicate and token.stem in _ONCE for token, _ in alignment.pairs)
        if len(theirs) > 1 or len(ours) > 1 or not once:
            return None  # what happens more than once has more than one date
    elif len(theirs) > len(ours):
        return None  # a figure of another time
    expected = others[0].text if len(others) == 1 else None
    return Comparison(
        verdict="contradicted",
        words_claim=(slot.span,),
        words_passage=tuple(other.span for other in others),
        coverage=alignment.coverage,
        expected=expected,
        reason=f"the sentence has “{others[0].text}” where the claim has “{slot.text}”",
    )


_ONCE = frozenset(
    "bear die found establish open publish releas complet built build discover invent launch creat incorporat premier debut abolish assassinat ratifi adopt "
    "begin end construct erect coin patent introduc form dissolv independ demolish inaugurat marri canoniz crown commission".split()
)
"""Stems of what happens to a thing once: only there does another date exclude the claim's."""


def _predicate_there(alignment: _Alignment) -> bool:
    """Whether what the claim says of its subject is in the sentence: no verb and no counted noun may be missing."""
    return not any(token.predicate for token in alignment.missing)


_OPPOSITES = [
    frozenset(pair.split())
    for pair in (
        "large small, larg small, larger smaller, largest smallest, more less, most least, high low, higher lower, highest lowest, long short, longer shorter, "
        "longest shortest, old young, older younger, oldest youngest, old new, older newer, oldest newest, early late, earlier later, earliest latest, fast "
        "slow, faster slower, fastest slowest, big small, bigger smaller, biggest smallest, heavy light, heavier lighter, heaviest lightest, increas decreas, "
        "increase decrease, rise fall, gain lose, grow shrink, win lose, accept reject, allow forbid, legal illegal, male female, man woman, north south, east "
        "west, northern southern, eastern western, northeast southwest, northwest southeast, before after, first last, begin end, open close, import export, "
        "buy sell, hot cold, hotter colder, warm cool, warmer cooler, wet dry, rich poor, left right, inside outside, above below, major minor, majority "
        "minority, maximum minimum, positive negativ, guilty innocent, true false, public privat"
    ).split(", ")
]


def _opposite(said: Sentence, source: Sentence, alignment: _Alignment, coverage: float) -> Comparison | None:
    """The sentence has the claim's every word but one, and in the place of that one its opposite."""
    missing = [token for token in alignment.missing if not token.light]
    if len(missing) != 1 or len(alignment.pairs) < 3 or alignment.by_context or said.negated or source.negated or said.restricting != source.restricting:
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
