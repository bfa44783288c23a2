"""Which words, dates, quantities and names of a claim a sentence has, and whether they stand in it in the same relation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from redraft.claims.segment import clauses
from redraft.claims.sentence import Sentence, Token, read_sentence
from redraft.claims.slots import Relation, Slot, date_relation, quantity_relation
from redraft.claims.words import CJK, stem, words

__all__ = [
    "RELATIONS", "Alignment", "align", "attached", "called_alone", "in_order", "lacking", "lends", "negated_there", "of_another", "of_antecedent",
    "refers", "relate", "spaceless", "together",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which words of the claim the sentence has (claim token → sentence token), which the context gives, and which are missing."""

    pairs: tuple[tuple[Token, Token], ...]
    by_context: tuple[Token, ...]
    missing: tuple[Token, ...]
    called: frozenset[str] = frozenset()
    """The last words of names by which what was said before calls a bearer alone, and never another one."""

    @property
    def coverage(self) -> float:
        total = len(self.pairs) + len(self.by_context) + len(self.missing)
        return (total - len(self.missing)) / total if total else 1.0


def align(said: Sentence, source: Sentence, context: Set[str], topics: Set[str], called: frozenset[str] = frozenset()) -> Alignment:
    """Each content word of the claim with its form in the sentence; of several the one nearest to the others.

    `context` has the keys of words said before, which may stand for a name; `topics` those of what was spoken of, which may stand for the subject.
    """
    pairs: list[tuple[Token, Token]] = []
    by_context: list[Token] = []
    missing: list[Token] = []
    options = [(token, _forms(token, source)) for token in said.tokens]
    sure = sorted(found[0].index for _, found in options if len(found) == 1)
    middle = sure[len(sure) // 2] if sure else None
    used: set[int] = set()
    for token, found in options:
        if found:
            free = [other for other in found if other.index not in used] or found
            match = free[0] if middle is None else min(free, key=lambda other: abs(other.index - middle))
            used.add(match.index)
            pairs.append((token, match))
        elif token.light:
            continue
        elif (token.name or token.subject) and not token.keys.isdisjoint(topics if token.subject else context):
            by_context.append(token)
        else:
            missing.append(token)
    return Alignment(tuple(pairs), tuple(by_context), tuple(missing), called)


def called_alone(said: Sentence, read: Iterable[Sentence]) -> frozenset[str]:
    """The last words of the claim's names by which a bearer is called without the first ones, and never another bearer."""
    last = {token.stem for token in said.tokens if token.name and token.ends}
    alone: set[str] = set()
    others: set[str] = set()
    for sentence in read:
        run: list[Token] = []
        for token in sentence.tokens:
            run = [*run, token] if run and run[-1].name and not run[-1].ends and run[-1].index == token.index - 1 else [token]
            if token.name and token.stem in last:
                (alone if all(part.light or part.stem in said.names for part in run) else others).add(token.stem)
    return frozenset(alone - others)


def lacking(said: Sentence, source: Sentence, alignment: Alignment) -> list[Token]:
    """The words of the claim that the sentence lacks and needs.

    A bearer may be called by the last word of the name alone, an institution without its country; with another first word it is another one. A noun
    before a name only says what the name is.
    """
    names = {token.index for token in said.tokens if token.name}
    mates = {token.index: other for token, other in alignment.pairs}
    ours = {other.index for other in mates.values()}
    foreign = {token.index for token in source.tokens if token.name and not token.light and token.index not in ours}
    needed: list[Token] = []
    for token in alignment.missing:
        if token.light:
            continue
        run = _rest_of_name(token, said) if token.name else []
        there = [mates[index] for index in run if index in mates]
        alone = bool(there) and there[0].name and there[0].index - 1 not in foreign
        before = any(other.index in run and other.ends and other.stem in alignment.called for other in alignment.by_context)
        kind = not token.name and token.subject and token.index + 1 in names
        if not (kind or alone or before):
            needed.append(token)
    return needed


_RELATIVE = re.compile(r"\b(?:who|which|that|whose)\b", re.IGNORECASE)


def of_antecedent(source: Sentence, alignment: Alignment, begin: int, place: int) -> bool:
    """Whether a relative clause between two places hangs on a name that is not the claim's: "the daughter of Hale, who was born in"."""
    ours = {other.index for _, other in alignment.pairs}
    relative = max((match.start() for match in _RELATIVE.finditer(source.text, begin, place)), default=-1)
    nearest = [token for token in source.tokens if token.name and begin <= token.span[0] < relative]
    return bool(nearest) and nearest[-1].index not in ours


def _rest_of_name(token: Token, said: Sentence) -> list[int]:
    """The places of the words after this one in its name."""
    names = {other.index: other for other in said.tokens if other.name}
    found = [token.index]
    while not names[found[-1]].ends and (after := next((place for place in (found[-1] + 1, found[-1] + 2) if place in names), None)):
        found.append(after)
    return found[1:]


def _forms(token: Token, source: Sentence) -> list[Token]:
    found = {other.index: other for key in token.keys for other in source.by_key.get(key, ())}
    return [found[index] for index in sorted(found)]


def relate(slot: Slot, source: Sentence) -> tuple[Slot, Relation | None, tuple[Slot, ...]]:
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


def _rival(ours: Slot, theirs: Slot) -> bool:
    if ours.kind == "date":
        return True
    return quantity_relation(ours, theirs) is not None and (bool(ours.dimension) or _same_count(ours, theirs) or not theirs.counts)


def refers(source: Sentence, alignment: Alignment) -> bool:
    """Whether the sentence points back to what the context names: by a pronoun, a definite phrase at its head, or a part of the name."""
    names = [token for token in alignment.by_context if token.name]
    partly = any(token.name for token, _ in alignment.pairs)
    return source.anaphoric or (bool(names) and partly)


def lends(said: Sentence, source: Sentence, alignment: Alignment, kinds: Set[str]) -> bool:
    """Whether the sentence leaves its subject to what was said before: it has none of its own, or one that is a form of the claim's.

    `kinds` has the keys of the nouns that what was spoken of was called by ("the lamp"). Another name, or a noun that stands in relation to
    the one before ("its predecessor"), is another thing.
    """
    if not any(token.subject for token in alignment.by_context):
        return True
    border = next((other.index for token, other in alignment.pairs if token.index == said.pivot), source.pivot)
    if border is None:
        return True
    first = border if source.pivot is None else min(border, source.pivot)
    ours = {other.index for _, other in alignment.pairs}
    standing = [token for token in source.tokens if token.index < border and token.index not in ours and not token.light and not token.after]
    own = [token for token in standing if token.index < first]
    later = [token for token in standing if token.index >= first and token.name]
    definite = source.text.lower().startswith("the ")
    for token in own:
        if token.name or not definite or token.keys.isdisjoint(kinds) or token.stem in RELATIONS:
            return False
    return not later


RELATIONS = frozenset(
    map(
        stem,
        "predecessor successor deputy sister brother rival parent subsidiary wife husband son daughter mother father competitor partner colleague "
        "assistant founder owner sibling cousin neighbour neighbor counterpart sequel prequel maker manufacturer".split(),
    )
)
"""Nouns that name a thing by what it is to another one."""


def of_another(names: Iterable[str], asked: Set[str], sentence: str, answer: str, *, strictly: bool = True) -> bool:
    """Whether a sentence that lacks a name of the question says the answer of something else, which it names itself.

    `asked` has the stems of the question. Its subject is another where it stands in relation to the thing before ("its predecessor") or shares a part
    of its name only ("Aurora X1" for "Aurora X2"); strictly also where it has any other name. The answer may be the subject itself.
    """
    read = read_sentence(sentence)
    own = {token.stem for token in read.tokens}
    named = [[word.stem for word in words(name) if word.content] for name in names]
    lacking = [name for name in named if not own.issuperset(name)]
    place = sentence.find(answer)
    subject = [token for token in read.tokens if token.subject and not token.after and not token.light]
    if not lacking or not subject or 0 <= place <= subject[-1].span[0]:
        return False
    rest = [token for token in subject if token.stem not in asked]
    related = any(token.stem in RELATIONS for token in rest)
    others = [token for token in rest if token.name]
    shared = {token.index for token in subject if token.name and any(token.stem in name for name in lacking)}
    partly = any(token.index - 1 in shared or token.index + 1 in shared for token in others)
    pronoun = any(word.text.lower() in _OBJECTS for word in words(sentence[subject[-1].span[1] :]))
    return related or partly or (strictly and bool(others) and not pronoun)


_OBJECTS = frozenset("it him her them his its their".split())


def together(said: Sentence, source: Sentence, alignment: Alignment) -> bool:
    """Whether the words stand close enough to be one statement, and those of one name beside each other."""
    places = [other.index for _, other in alignment.pairs]
    if max(places) - min(places) > 4 * len(said.tokens) + 12:
        return False
    for (token, other), (after, other_after) in pairwise(alignment.pairs):
        if token.name and after.name and after.index == token.index + 1 and token.after == after.after and abs(other_after.index - other.index) > 3:
            return False
    return True


def in_order(said: Sentence, source: Sentence, alignment: Alignment) -> bool:
    """Whether names and the words around them stand in the same relation: the same order, or a voice or a copula that allows the other one."""
    if not _ranked_in_order(said, alignment) or not _characters_in_order(alignment):
        return False
    if said.pivot is None:
        return True
    left = [other.index for token, other in alignment.pairs if token.index < said.pivot]
    right = [other.index for token, other in alignment.pairs if token.index > said.pivot]
    if not left or not right or said.copular:
        return True
    flipped = sum(left) / len(left) > sum(right) / len(right)
    return not flipped or said.passive != source.passive


def _ranked_in_order(said: Sentence, alignment: Alignment) -> bool:
    """Where several ordinals or superlatives stand among names, which goes with which is told by their order."""
    ranks = [token for token in said.tokens if token.text.lower() in said.restricting]
    if len(ranks) < 2:
        return True
    chain = [other.index for token, other in alignment.pairs if token in ranks or (token.name and not token.subject)]
    return chain == sorted(chain)


def spaceless(token: Token) -> bool:
    """Whether a token is a character of a script without spaces, which is a word only together with its neighbours."""
    return bool(re.match(f"[{CJK}]", token.text))


def _characters_in_order(alignment: Alignment) -> bool:
    """Characters say the same only in the same order: there are no endings or small words that would tell roles apart otherwise."""
    places = [other.index for token, other in alignment.pairs if spaceless(token)]
    return places == sorted(places)


_BOUND = frozenset("of by to from than against over under after before between for in at".split())


def attached(said: Sentence, source: Sentence, alignment: Alignment) -> bool:
    """Whether each name that hangs on a preposition in the claim hangs on the same one in the sentence, or on a genitive, or is its subject by voice."""
    for token, other in alignment.pairs:
        if not token.name or not token.after or token.after not in _BOUND:
            continue
        same = token.after == other.after or other.after == "" or (other.genitive and token.after in ("of", "in"))
        place = token.after in ("in", "at") and other.after in ("in", "at", "of")
        if not (same or place or said.passive != source.passive):
            return False
    return _nearest_slots(said, source, alignment)


def _nearest_slots(said: Sentence, source: Sentence, alignment: Alignment) -> bool:
    """Where the sentence has several figures of one kind, the one that agrees must be the one nearest to the claim's words."""
    places = [other.span[0] for _, other in alignment.pairs]
    for slot in said.slots:
        _, _, agreeing = relate(slot, source)
        taken = [other for ours in said.slots if ours is not slot for other in relate(ours, source)[2]]
        rivals = [other for other in source.slots if other.kind == slot.kind and other not in agreeing and other not in taken and _rival(slot, other)]
        if not rivals or not places:
            continue
        reach = min(_distance(other, places) for other in agreeing)
        if any(_distance(other, places) < reach for other in rivals):
            return False
    return True


def _distance(slot: Slot, places: Sequence[int]) -> float:
    return sum(abs(place - slot.span[0]) for place in places) / len(places)


def negated_there(source: Sentence, alignment: Alignment) -> bool:
    """Whether the clause that has the claim's words is negated; a negation in another clause of the sentence is not about it."""
    if not source.negated:
        return False
    places = [other.span[0] for _, other in alignment.pairs]
    for start, end in clauses(source.text, (0, len(source.text))):
        inside = sum(start <= place < end for place in places)
        if inside * 5 >= len(places) * 4:
            return any(start <= place < end for place, _ in source.polarity)
    return True
