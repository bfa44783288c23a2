"""The ways in which a sentence that is about the same thing excludes a claim: negation, roles, another holder, another figure, an opposite word."""

from __future__ import annotations

import re
from dataclasses import dataclass

from redraft.claims.alignment import Alignment, in_order, lacking, negated_there, of_antecedent, spaceless
from redraft.claims.sentence import Sentence, Token, changed
from redraft.claims.slots import Slot, names
from redraft.claims.words import stem, words
from redraft.types import Span

__all__ = ["Conflict", "altered", "conflict", "denied", "negates", "never", "opposite", "other_holder", "reversed_roles"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """The words on both sides that exclude each other, and what stands in place of the claim's where that is one wording."""

    words_claim: tuple[Span, ...]
    words_passage: tuple[Span, ...]
    reason: str
    expected: str | None = None


def negates(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """One of the two is negated, beside a word that both have: what it negates is the statement itself."""
    if len(said.polarity) + len(source.polarity) != 1:
        return None
    there = bool(source.polarity)
    start, end = (source.polarity or said.polarity)[0]
    text = source.text if there else said.text
    places = [(pair[1] if there else pair[0], pair) for pair in alignment.pairs]
    if not any(token.span[1] <= start for token, _ in places):
        return None
    beside = [pair for token, pair in places if token.span[0] >= end and len(text[end : token.span[0]].split()) <= 2]
    if not beside or (there and not _general(source, alignment, *_denied_clause(source, start, end))):
        return None
    token, other = beside[0]
    return Conflict(words_claim=said.polarity or (token.span,), words_passage=source.polarity or (other.span,), reason="one of the two is negated")


def altered(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | bool:
    """Whether a word beside a shared one takes something away from it ("vice" president).

    The conflict itself where that word negates what the claim says ("non-renewable").
    """
    changes = [(token, other, changed(source, other) - changed(said, token)) for token, other in alignment.pairs]
    for token, other, found in changes:
        if found == frozenset({"non-"}) and token.predicate and not said.negated and not source.negated and in_order(said, source, alignment):
            return Conflict(words_claim=(token.span,), words_passage=(other.span,), reason="one of the two is negated")
        if found:
            return True
    return False


_NONE = re.compile(
    r"\bno\s+(?:option|possibility|chance|right|provision|prospect|scope)s?\s+(?:for|of|to)\s+(?:an? |any |be |get )?$|\bnon-$",
    re.IGNORECASE,
)
_QUALITY = re.compile(r"(?:able|ible|al|ive|ary|ic|ant|ent|ous|ing|ed)$")


def denied(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """What the claim speaks of as a fact, its subject or its verb, is said not to be: "non-renewable", "no option for renewal" against "the renewal is"."""
    if said.negated or said.hedged or said.conditional or source.hedged or source.conditional or said.pivot is None:
        return None
    if not any(token.name for token in said.tokens) or any(token.name for token in lacking(said, source, alignment)):
        return None
    for token, other in alignment.pairs:
        match = None if token.name or not (token.subject or token.predicate) else _NONE.search(source.text[: other.span[0]])
        if match is None or (match[0].lower() == "non-" and not _QUALITY.search(other.text)) or _NONE.search(said.text[: token.span[0]]):
            continue
        if match[0].lower() == "non-" and any(form is not other and form.stem[:6] == other.stem[:6] for form in source.tokens):
            continue  # both kinds are spoken of
        place = (match.start(), other.span[1])
        return Conflict(words_claim=(token.span,), words_passage=(place,), reason=f"the sentence says “{source.text[place[0] : place[1]]}”")
    return None


def never(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """The sentence denies the claim's verb of its subject, and of no more than the claim says it of: "cannot swim" against "can swim far"."""
    if said.negated or said.hedged or said.copular or said.pivot is None or len(source.polarity) != 1 or not source.negated or alignment.by_context:
        return None
    start, end = source.polarity[0]
    pair = next((pair for pair in alignment.pairs if pair[0].index == said.pivot), None)
    if pair is None or end > pair[1].span[0] or source.text[end : pair[1].span[0]].split() not in ([], ["be"], ["have"], ["been"]):
        return None
    begin, stop = _denied_clause(source, start, end)
    subject = [token for token in said.tokens if token.subject and not token.light]
    sided = [other for token, other in alignment.pairs if token.subject and not token.light]
    if not subject or len(sided) != len(subject) or not all(begin <= other.span[0] < start for other in sided) or not _general(source, alignment, begin, stop):
        return None
    return Conflict(
        words_claim=(pair[0].span,), words_passage=((start, pair[1].span[1]),), reason=f"the sentence says “{source.text[start : pair[1].span[1]]}”"
    )  # fmt: skip


def _denied_clause(source: Sentence, start: int, end: int) -> Span:
    """The clause that a negation stands in: what comes after a ground or an aside is not denied."""
    begin = max((match.end() for match in re.finditer(r"[,;:.]\s|\b(?:but|because|while)\s", source.text[:start])), default=0)
    after = re.search(r"[,;:.](?:\s|$)|\b(?:but|because|while|as|since)\b", source.text[end:])
    return begin, end + after.start() if after else len(source.text)


def _general(source: Sentence, alignment: Alignment, begin: int, stop: int) -> bool:
    """Whether a clause says nothing that the claim does not: denying more than the claim says denies it not."""
    ours = {other.index for _, other in alignment.pairs}
    extra = [token for token in source.tokens if begin <= token.span[0] < stop and token.index not in ours and not token.light]
    limits = re.search(r"\b(?:until|unless|when|if|without|second|third|all|every|always|both)\b", source.text[begin:stop], re.IGNORECASE)
    return not extra and limits is None


def other_holder(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """Somebody else holds the one place that the claim gives its subject: "the 45th president", "the largest producer"."""
    unique = {
        word for word in said.restricting & source.restricting if word[0].isdigit() or word.endswith("st") or word in ("second", "third", "fourth", "fifth")
    }
    missing = [token for token in alignment.missing if not token.light]
    subject = [token for token in said.tokens if token.subject and token.name]
    if not unique or not missing or said.negated or source.negated or source.hedged or said.one_of:
        return None
    if missing != [token for token in subject if not token.light] or not (said.copular or said.serving) or alignment.by_context:
        return None
    word = next(iter(unique))
    place = re.search(rf"\b{word}\b", source.text, re.IGNORECASE)
    if place is None or re.search(r"\b(?:one of|among)\s+(?:\w+\s+)?$", source.text[: place.start()], re.IGNORECASE):
        return None
    before = [span for span in names(source.text, known=said.names | source.names) if span[1] <= place.start()]
    holders = [span for span in before if _HOLDS.fullmatch(source.text[span[1] : place.start()])]
    if not holders:
        return None
    name = source.text[holders[-1][0] : holders[-1][1]]
    if {word.stem for word in words(name)} & {token.stem for token in said.tokens if token.name}:
        return None
    return Conflict(
        words_claim=((subject[0].span[0], subject[-1].span[1]),), words_passage=(holders[-1],), expected=name,
        reason=f"the sentence names “{name}”",
    )  # fmt: skip


_HOLDS = re.compile(r"(?:\s*\([^()]*\))?\s*,?\s*(?:is|was|became|has been|served as|as)?\s*(?:the|our|its|their)?\s*", re.IGNORECASE)


def reversed_roles(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """The two sides of an asymmetric relation changed places (A displaces B; A is larger than B)."""
    if said.pivot is None or source.passive or said.passive or said.comparing != source.comparing or alignment.by_context:
        return None
    pivot = next((other for token, other in alignment.pairs if token.index == said.pivot), None)
    if pivot is None or (pivot.stem in _SYMMETRIC and not said.comparing):
        return None
    left = [pair for pair in alignment.pairs if 0 <= pair[0].index < said.pivot]
    right = [pair for pair in alignment.pairs if said.pivot < pair[0].index <= said.object_end]
    if not left or not right or not all(other.index > pivot.index for _, other in left) or not all(other.index < pivot.index for _, other in right):
        return None
    if any(token.index <= said.object_end and not token.light for token in alignment.missing) or said.negated != negated_there(source, alignment):
        return None
    sides = (left[0], right[0])
    return Conflict(
        words_claim=tuple(token.span for token, _ in sides), words_passage=tuple(other.span for _, other in sides), reason="the roles are the other way round"
    )


_SYMMETRIC = frozenset(
    stem(word)
    for word in (
        "marry meet equal resemble join merge border adjoin differ face date combine mix play share be have contain include involve become see know "
        "relate connect associate cooperate compete fight negotiate communicate correspond agree match neighbour neighbor touch cross link accompany "
        "mean"
    ).split()
)
"""Relations that hold either way round, or that bind nothing: another order of their sides is no contradiction."""


def conflict(said: Sentence, source: Sentence, alignment: Alignment, slot: Slot, others: tuple[Slot, ...]) -> Conflict | None:
    """A date or quantity that the sentence, about the same thing, excludes."""
    if alignment.coverage < 0.8 or said.restricting - source.restricting or not _predicate_there(alignment):
        return None
    if not in_order(said, source, alignment) or negated_there(source, alignment):
        return None
    if any((token.name or token.subject or spaceless(token)) and not token.light for token in alignment.missing):
        return None  # of another bearer
    named = any(token.subject and token.name for token in said.tokens)
    if named and slot.dimension and slot.dimension not in ("time", "money") and not any(not token.subject for token, _ in alignment.pairs):
        return None  # which of its measures is not said
    bearer = [other for token, other in alignment.pairs if token.subject and token.name]
    if slot.kind == "quantity" and bearer and not said.copular and bearer[-1].span[0] > others[0].span[0] and bearer[-1].after not in ("by", "of", "for"):
        return None  # said before the bearer is named, of another one
    if of_antecedent(source, alignment, 0, others[0].span[0]):
        return None
    ours, theirs = ([other for other in sentence.slots if other.kind == "date"] for sentence in (said, source))
    if slot.kind == "date":
        once = any(token.predicate and token.stem in _ONCE for token, _ in alignment.pairs)
        if len(theirs) > 1 or len(ours) > 1 or not once:
            return None  # what happens more than once has more than one date
    elif len(theirs) > len(ours):
        return None  # a figure of another time
    expected = others[0].text if len(others) == 1 else None
    return Conflict(
        words_claim=(slot.span,),
        words_passage=tuple(other.span for other in others),
        expected=expected,
        reason=f"the sentence has “{others[0].text}” where the claim has “{slot.text}”",
    )


_ONCE = frozenset(
    stem(word)
    for word in (
        "born died founded established opened published released completed built discovered invented launched created incorporated premiered debuted abolished "
        "assassinated ratified adopted began ended constructed erected coined patented introduced formed dissolved demolished canonized commissioned written"
    ).split()
)
"""What happens to a thing once: only there does another date exclude the claim's."""


def _predicate_there(alignment: Alignment) -> bool:
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


def opposite(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """The sentence has the claim's every word but one, and in the place of that one its opposite."""
    missing = [token for token in alignment.missing if not token.light]
    if len(missing) != 1 or len(alignment.pairs) < 3 or alignment.by_context or said.negated or source.negated or said.restricting != source.restricting:
        return None
    word = missing[0]
    forms = {word.stem, word.text.lower()}
    for other in source.tokens:
        theirs = {other.stem, other.text.lower()}
        if any((forms & pair) and (theirs & pair) and (forms & pair) != (theirs & pair) for pair in _OPPOSITES):
            if _neighbours(said, word) & _neighbours(source, other) and in_order(said, source, alignment):
                return Conflict(
        words_claim=(word.span,), words_passage=(other.span,), expected=other.text.lower(),
                    reason=f"the sentence has “{other.text}” where the claim has “{word.text}”",
                )  # fmt: skip
    return None


def _neighbours(sentence: Sentence, token: Token) -> set[str]:
    return {other.stem for other in sentence.tokens if 0 < abs(other.index - token.index) <= 1}
