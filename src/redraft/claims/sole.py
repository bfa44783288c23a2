"""What a thing has one of: the school of a degree, the maker of a work, the country it is in. Another one excludes the claim's.

Only values of one type are held against each other (two countries, two schools, two makers' names), and never where the passage has the claim's value too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from redraft.claims.alignment import Alignment, lacking, negated_there
from redraft.claims.conflicts import Conflict
from redraft.claims.sentence import Sentence
from redraft.claims.slots import COUNTRIES, names
from redraft.claims.words import STOP_WORDS, stem
from redraft.types import Span

__all__ = ["another_value"]

_DEGREES = {
    "bachelor": re.compile(r"\b(?:bachelor(?:['’]?s)?\b|B\. ?(?:A|S|Sc|Eng)\b\.?|B(?:A|S|Sc)\b|undergraduate degree)", re.IGNORECASE),
    "master": re.compile(r"\bmaster['’]?s\b|\bmaster of\b|\bM\. ?(?:A|S|Sc|Phil)\b\.?|\bM(?:A|Sc|BA|S)\b"),
    "doctor": re.compile(r"\b(?:doctorate\b|doctoral degree\b|Ph\. ?D\b\.?|PhD\b|D\.Phil\b)", re.IGNORECASE),
}
_MAKING = frozenset(map(stem, "directed wrote written authored composed painted invented discovered sculpted illustrated coined founded".split()))
_CONTINENTS = frozenset("africa antarctica asia europe australia oceania".split())
_STATES = frozenset(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana iowa kansas kentucky louisiana maine "
    "maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont "
    "virginia wisconsin wyoming".split()
)
_PLACED = frozenset(map(stem, "born died located situated headquartered based lies buried raised".split()))
_ONE_TOWN = frozenset(map(stem, "born died headquartered based located situated".split()))
_TOWN = re.compile(r"\b(?:in|at)\s+(?P<town>[A-Z][\w'’.-]+(?: [A-Z][\w'’-]+){0,2}), (?=[A-Z][a-z]{2,})")
"""A town named together with what it lies in: two of those are of one type."""
_GENERIC = frozenset(
    map(stem, "university college institute school academy state technology science of at the and department faculty north south east west".split())
)


def another_value(said: Sentence, source: Sentence, alignment: Alignment, there: Set[str]) -> Conflict | None:
    """The sentence, about the claim's subject, gives it another school, maker or country; `there` has the stems of all words of the passage."""
    if said.negated or said.hedged or source.hedged or source.conditional or negated_there(source, alignment):
        return None
    for find in (_school, _maker, _place, _range):
        pair = find(said, source, alignment)
        if pair is None:
            continue
        ours, theirs = pair
        own, other = _stems(said.text[ours[0] : ours[1]]), _stems(source.text[theirs[0] : theirs[1]])
        if own and other and not own & there and not own & other:
            words = source.text[theirs[0] : theirs[1]]
            return Conflict(
                words_claim=(ours,), words_passage=(theirs,), expected=words,
                reason=f"the sentence has “{words}” where the claim has “{said.text[ours[0] : ours[1]]}”",
            )  # fmt: skip
    return None


def _stems(text: str) -> set[str]:
    found = {stem(word) for word in re.findall(r"[^\W_]+", text) if word.lower() not in STOP_WORDS}
    return found - _GENERIC


def _subject_there(said: Sentence, source: Sentence, alignment: Alignment) -> bool:
    named = any(token.subject and token.name for token in said.tokens)
    return named and not any(token.subject for token in lacking(said, source, alignment))


def _led(text: str, found: list[Span], begin: int, end: int, by: str) -> Iterator[Span]:
    """The names after one of the prepositions, between two places."""
    for match in re.finditer(rf"\b(?:{by})\s+(?:the\s+)?(?:director\s+|author\s+)?(?=[A-Z])", text[:end]):
        if match.start() >= begin:
            yield from (span for span in found if span[0] <= match.end() < span[1])


def _school(said: Sentence, source: Sentence, alignment: Alignment) -> tuple[Span, Span] | None:
    """The schools of the same degree of the same person."""
    levels = [(level, match) for level, pattern in _DEGREES.items() for match in pattern.finditer(said.text)]
    if len(levels) != 1 or not _subject_there(said, source, alignment):
        return None
    level, degree = levels[0]
    ours = next(_led(said.text, list(names(said.text)), degree.end(), len(said.text), "from|at"), None)
    places = sorted(match.span() for pattern in _DEGREES.values() for match in pattern.finditer(source.text))
    degrees = [match for match in _DEGREES[level].finditer(source.text)]
    if ours is None or len(degrees) != 1:
        return None
    end = next((start for start, _ in places if start >= degrees[0].end()), len(source.text))
    theirs = next(_led(source.text, list(names(source.text)), degrees[0].end(), min(end, degrees[0].end() + 90), "from|at"), None)
    return (ours, theirs) if theirs is not None else None


def _maker(said: Sentence, source: Sentence, alignment: Alignment) -> tuple[Span, Span] | None:
    """Those who made the same work, each named alone."""
    making = [token for token in said.tokens if token.predicate and token.stem in _MAKING]
    if len(making) != 1:
        return None
    verb = making[0]
    theirs = [token for token in source.tokens if token.stem == verb.stem and not token.name]
    ours = _agent(said, verb.span)
    if ours is None or len(theirs) != 1:
        return None
    agent = _agent(source, theirs[0].span)
    needed = [token for token in lacking(said, source, alignment) if not ours[0] <= token.span[0] < ours[1]]
    work = [token for token in said.tokens if token.name and not token.light and not ours[0] <= token.span[0] < ours[1]]
    if agent is None or any(token.name or token.subject for token in needed) or not work or len(needed) * 3 > len(said.tokens):
        return None
    return ours, agent


def _agent(sentence: Sentence, verb: Span) -> Span | None:
    found = list(names(sentence.text, known=sentence.names))
    after = re.match(r"\s+(?:and \w+ )?by\s+", sentence.text[verb[1] :])
    if after:
        begin = verb[1] + after.end()
        agent = next((span for span in found if span[0] == begin), None)
    else:
        agent = next((span for span in found if span[1] <= verb[0] and sentence.text[span[1] : verb[0]].strip() in ("", "first", "also", "has", "had")), None)
    if agent is None or re.match(r"\s*(?:,|and|&)\s*(?:and\s+)?[A-Z]", sentence.text[agent[1] :]) or re.search(r"(?:and|&|,)\s*$", sentence.text[: agent[0]]):
        return None
    return agent if " " in sentence.text[agent[0] : agent[1]].strip() else None


def _place(said: Sentence, source: Sentence, alignment: Alignment) -> tuple[Span, Span] | None:
    """Two countries, two states of one country or two continents, where only one can hold."""
    verbs = {token.stem for token in said.tokens if token.stem in _PLACED and not token.name}
    if len(verbs) != 1 or not _subject_there(said, source, alignment):
        return None
    (verb,) = verbs
    there = [token for token in source.tokens if token.stem == verb and not token.name]
    if len(there) != 1 or any(token.name for token in lacking(said, source, alignment) if token.subject):
        return None
    begin = next(token.span[1] for token in said.tokens if token.stem == verb)
    for kind in (COUNTRIES, _STATES, _CONTINENTS):
        ours = _of_kind(said.text, begin, kind)
        theirs = _of_kind(source.text, there[0].span[1], kind)
        if ours and theirs and len(ours) == len(theirs) == 1:
            return ours[0], theirs[0]
    pair = _TOWN.search(said.text, begin), _TOWN.search(source.text, there[0].span[1])
    if pair[0] and pair[1] and verb in _ONE_TOWN and pair[1].start() - there[0].span[1] < 60:
        return pair[0].span("town"), pair[1].span("town")
    return None


_GROWING = re.compile(r"\b(?:native|endemic|habitat|found|occurs?|grows?|lives?|plant|species|inhabits?)\b", re.IGNORECASE)
_REGIONS = {
    "africa": {"africa"}, "eurasia": {"europe", "asia"}, "europe": {"europe"}, "asia": {"asia"}, "north america": {"north"}, "south america": {"south"},
    "the americas": {"north", "south"}, "australia": {"australia"}, "antarctica": {"antarctica"},
}  # fmt: skip
_REGION = re.compile(r"\b(?:Africa|Eurasia|Europe|Asia|North America|South America|(?:t|T)he Americas|Australia|Antarctica)\b")


def _range(said: Sentence, source: Sentence, alignment: Alignment) -> tuple[Span, Span] | None:
    """The parts of the world where a kind of plant or animal is at home."""
    ours, theirs = list(_REGION.finditer(said.text)), list(_REGION.finditer(source.text))
    if len(ours) != 1 or not theirs or not _GROWING.search(said.text[: ours[0].start()]) or not _GROWING.search(source.text[: theirs[0].start()]):
        return None
    if any(_REGIONS[ours[0][0].lower()] & _REGIONS[other[0].lower()] for other in theirs) or not _subject_there(said, source, alignment):
        return None
    return ours[0].span(), theirs[0].span()


_ENDS = re.compile(r"[;:]|[a-z]{3}\.\s|\b(?:and|but|before|where|when|who|which|to)\b")


def _of_kind(text: str, begin: int, kind: Set[str]) -> list[Span]:
    """The places of that kind which the rest of the clause names."""
    stop = _ENDS.search(text, begin)
    end = stop.start() if stop else len(text)
    return [match.span() for match in re.finditer(r"[A-Z][a-z]+", text) if begin <= match.start() < end and match[0].lower() in kind]
