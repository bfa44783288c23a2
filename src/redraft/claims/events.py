"""When what happens to a thing once did happen: another date of the same event excludes the claim's.

An event is read from one word of a family (found, establish, set up), its date is the one that hangs on that word. Vocabulary, no sentence patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redraft.claims.alignment import RELATIONS, Alignment, lacking, negated_there, of_antecedent
from redraft.claims.conflicts import Conflict
from redraft.claims.sentence import Sentence, Token
from redraft.claims.slots import Date, Slot, date_relation
from redraft.claims.words import stem, words
from redraft.types import Span

__all__ = ["dated_otherwise"]

_FAMILIES = tuple(
    frozenset(map(stem, line.split()))
    for line in (
        "born birth",
        "died death dies deceased",
        "founded established formed created incorporated founding formation inception",
        "published released issued release publication premiered premiere debuted",
        "appointed nominated appointment nomination",
        "retired retirement",
        "graduated graduation",
        "discovered discovery",
        "invented invention",
        "built constructed erected completed construction completion",
        "opened inaugurated opening inauguration",
        "abolished dissolved disbanded dissolution",
        "demolished destroyed destruction demolition",
        "assassinated assassination murdered executed execution",
        "ratified adopted enacted ratification adoption enactment",
        "launched launch commissioned",
        "married wedding marriage",
        "acquired acquisition bought purchased",
        "merged merger",
        "sank sunk sinking",
        "canonized beatified",
        "coined patented",
        "ended ending conclusion concluded",
        "began beginning started commenced",
    )
)
_OF_ITSELF = frozenset(map(stem, "born birth died death dies deceased".split()))
"""Events that need no other party to be told apart."""
_VERB = re.compile(
    r"\b(?:[a-z]{3,}ed|[a-z]{3,}ing|moved|became|began|went|won|made|took|left|held|sold|met|came|ran|got|led|wrote|is|are|has|have|until|till)\b"
)
_REACH = 90
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|her|them|his|its|their|who|which|that)\b", re.IGNORECASE)
_LIFE = re.compile(r"\(\s*(?:c\.\s*)?(?P<birth>1\d{3}|20\d\d)\s?[-–—]\s?(?P<death>1\d{3}|20\d\d)\s*\)")


def dated_otherwise(said: Sentence, source: Sentence, alignment: Alignment, dates: Sequence[Date]) -> Conflict | None:
    """The sentence gives the claim's one-time event another date; `dates` are all of the passage, none of which may agree with the claim's."""
    ours = [slot for slot in said.slots if slot.kind == "date"]
    if len(ours) != 1 or said.restricting - source.restricting:
        return None
    slot, date = ours[0], ours[0].date
    if date is None or slot.open or any(date_relation(date, other) in ("same", "covers") for other in dates):
        return None
    event = _event(said, slot)
    if event is None or not _same_thing(said, source, alignment, event):
        return None
    family = next(family for family in _FAMILIES if event.stem in family)
    found = list(_dated(source, family, alignment)) + list(_lifespan(said, source, family))
    if not found or any(other.open or not other.date or date_relation(date, other.date) != "conflict" for other, _ in found):
        return None
    if any(word != event.stem and not _apart(date, other.date, 2) for other, word in found):
        return None
    expected = found[0][0].text if len(found) == 1 else None
    return Conflict(
        words_claim=(slot.span,), words_passage=tuple(other.span for other, _ in found), expected=expected,
        reason=f"the sentence has “{found[0][0].text}” where the claim has “{slot.text}”",
    )  # fmt: skip


def _apart(ours: Date, theirs: Date | None, years: int) -> bool:
    """Whether so many years lie between: a nomination and an appointment may fall into neighbouring ones."""
    return theirs is not None and ours.year is not None and theirs.year is not None and abs(ours.year - theirs.year) >= years


def _event(said: Sentence, slot: Slot) -> Token | None:
    """The one event word of the claim; several would leave open which the date is of."""
    events = [token for token in said.tokens if not token.name and any(token.stem in family for family in _FAMILIES)]
    return events[0] if len(events) == 1 and abs(events[0].span[0] - slot.span[0]) <= 2 * _REACH else None


def _same_thing(said: Sentence, source: Sentence, alignment: Alignment, event: Token) -> bool:
    """Whether the sentence is about the claim's subject and the other parties of the event."""
    if said.pivot is None or negated_there(source, alignment):
        return False
    missing = [token for token in lacking(said, source, alignment) if token.index != event.index]
    if any(token.subject or token.name for token in missing if not (event.stem in _OF_ITSELF and not token.subject)):
        return False
    others = [token for token in said.tokens if token.index != event.index and not token.light]
    if not any(token.subject and token.name for token in others):
        return False
    return event.stem in _OF_ITSELF or len(missing) * 3 <= len(others)


def _clause(text: str, place: int) -> int:
    """Where the clause begins that has the place: after a semicolon, a full stop, or a comma that ends an adjunct."""
    return max((match.end() for match in re.finditer(r"[;:]\s|[a-z]{2}\.\s|,\s(?:and|but|while|whose)\s", text[:place])), default=0)


def _dated(source: Sentence, family: frozenset[str], alignment: Alignment) -> Iterator[tuple[Slot, str]]:
    """The dates that hang on words of the family whose subject is the claim's."""
    ours = {other.index for _, other in alignment.pairs}
    events = [token for token in source.tokens if not token.name and token.stem in family]
    for token in events:
        begin = _clause(source.text, token.span[0])
        before = [other for other in source.tokens if begin <= other.span[0] < token.span[0]]
        if any(other.stem in RELATIONS and other.index not in ours and _next(before, other).index not in ours for other in before):
            continue
        standing = [other for other in before if other.name]
        if of_antecedent(source, alignment, begin, token.span[0]):
            continue
        here = any(other.index in ours for other in standing) or bool(_PRONOUN.search(source.text[begin : token.span[1] + 60]))
        bare = not standing and not any(not other.light and other.index not in ours for other in before)
        bearers = [other for other in standing if not other.after and not other.light]
        if (bearers and bearers[-1].index not in ours) or not (here or bare):
            continue
        slot = _attached(source, token.span, begin)
        if slot is not None:
            yield slot, token.stem


def _next(tokens: Sequence[Token], token: Token) -> Token:
    """The word after, where that is a name in apposition ("his mother, Ruth"), else the word itself."""
    return next((other for other in tokens if other.index > token.index and other.name), token)


def _attached(source: Sentence, event: Span, begin: int) -> Slot | None:
    dates = [slot for slot in source.slots if slot.kind == "date"]
    for slot in dates:
        between = source.text[event[1] : slot.span[0]]
        if slot.span[0] >= event[1] and len(between) <= _REACH and not re.search(r"[;:]|[a-z]{2}\.\s[A-Z]", between) and not _VERB.search(between):
            return slot
    leading = [slot for slot in dates if begin <= slot.span[0] < event[0] and len(words(source.text[begin : slot.span[0]])) <= 2]
    return leading[0] if leading and not _VERB.search(source.text[leading[0].span[1] : event[0]].removesuffix("was ")) else None


def _lifespan(said: Sentence, source: Sentence, family: frozenset[str]) -> Iterator[tuple[Slot, str]]:
    """The year of birth or death in brackets after the subject's name."""
    side = "birth" if "born" in family or stem("born") in family else "death" if stem("died") in family else ""
    subject = {token.stem for token in said.tokens if token.subject and token.name}
    for match in _LIFE.finditer(source.text) if side else ():
        before = words(source.text[: match.start()])[-3:]
        if before and before[-1].stem in subject:
            yield Slot(kind="date", span=match.span(side), text=match[side], date=Date(year=int(match[side]))), stem("born" if side == "birth" else "died")
