"""Spans that are names: of persons, of places and of what a question asks the name of, each with how well it fits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.claims.amounts import Graded, Kin
from redraft.claims.noun_phrases import noun_phrases
from redraft.claims.slots import COUNTRIES, slots
from redraft.claims.thesaurus import alike
from redraft.claims.wanted import KIND_NOUNS, Wanted
from redraft.claims.words import stem, words
from redraft.types import Span

__all__ = ["CLAUSE_BORDER", "TIMES", "TITLED", "led_by", "linked", "name_spans", "named_things", "persons", "places"]

CLAUSE_BORDER = re.compile(
    r"[;:]|, (?:and|but|as|because|while|although|though|when|where|which|who|whose|so|after|before|until)\b|\b(?:because|while|although|but|and then|when)\b|—"
)

TITLED = re.compile(r"[\"“‘*_]+([^\"“”‘’*_\n]{2,60})[\"”’*_]+")
_ORGANIZATION = frozenset(
    "university college school company corporation corp inc ltd institute association club band council committee party church museum "
    "bank group agency team "
    "department ministry society league union press records studios foundation trust brothers daughters sons partners works house fund "
    "guild bureau office "
    "hall cooperative firm hotel inn shipyard yard brewery bakery brewers engineering".split()
)
_PLACE_WORDS = frozenset(
    "river lake mount mountain island street county city valley bay sea ocean park square bridge avenue road peninsula province desert "
    "forest coast castle "
    "hill hills cliff cliffs gardens harbour port meadow field fields stair hall house market lane wood woods moor heath station".split()
)
_PERSONAL = frozenset(
    "mr mrs ms dr sir dame lord lady prof professor president king queen prince princess saint captain mayor judge senator sister father".split()
)
_PLACING = frozenset("in at near from to into outside across beside around behind through throughout towards toward on above below under along between".split())


def led_by(sentence: str, span: Span) -> str:
    before = re.search(r"(\w+)[ ,*\"“]*(?:(?:the|a|an|his|her|their|its) )?$", sentence[: span[0]], re.IGNORECASE)
    return before[1].lower() if before else ""


def name_spans(sentence: str) -> list[Span]:
    return [slot.span for slot in slots(sentence) if slot.kind == "name"]


def persons(want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    for start, end in name_spans(sentence):
        of = re.search(r" of (?:the )?", sentence[start:end])
        if of and not re.match(r"(?:King|Queen|Duke|Duchess|Earl|Prince|Princess|Saint)", sentence[start:end]):
            end = start + of.start()
        end -= len(re.search(r"(?:['’]s)?$", sentence[start:end])[0])  # type: ignore[index]
        text = sentence[start:end]
        parts = [part.lower() for part in re.findall(r"[^\W\d_]+", text)]
        if not parts or (len(text) < 4 and text.isupper()) or set(parts) <= _CALENDAR or (_DEMONYM.search(text) and re.match(r" [a-z]", sentence[end:])):
            continue
        led, titled = led_by(sentence, (start, end)), parts[0] in _PERSONAL
        noun = led if KIND_NOUNS.get(led) == "person" or re.search(r"(?:ist|er|or|ian|man|smith|ess)$", led) else ""
        fit = 1.0 if titled or noun else 0.95 if 2 <= len(parts) <= 4 else 0.7
        if set(parts) & _ORGANIZATION:
            fit = 0.7 if led == "by" else 0.45
        elif not titled and (set(parts) & _PLACE_WORDS or any(part in COUNTRIES for part in parts) or re.search(r"['’]s\b", text)):
            fit = 0.25
        elif led in _PLACING - {"to"} and len(parts) < 2:
            fit = 0.25
        elif not titled and re.search(r"\b[Tt]he $", sentence[:start]):
            fit = 0.5
        if want.role:
            fit *= 1.0 if linked(want, (start, end), sentence, kin) else 0.3
        elif want.head and noun and want.head != stem(noun) and stem(noun) not in kin.get(want.head, {}) and want.head not in ("person", "peopl"):
            fit *= 0.85
        yield (start, end), fit
    if not want.role and re.search(r"\bby\b", sentence):
        for span in noun_phrases(sentence):
            if led_by(sentence, span) == "by" and not sentence[span[0]].isupper():
                yield span, 0.5


def linked(want: Wanted, span: Span, sentence: str, kin: Kin) -> bool:
    """Whether the noun asked about stands beside the span as its apposition, title or predicate, with no border of clauses between."""
    near = {want.head, *alike(want.head), *kin.get(want.head, {})}
    for word in words(sentence):
        if word.stem not in near or span[0] <= word.span[0] < span[1]:
            if span[0] <= word.span[0] < span[1] and word.stem in near and word.stem != want.head:
                return True
            continue
        first, second = (word.span[1], span[0]) if word.span[0] < span[0] else (span[1], word.span[0])
        between = sentence[first:second]
        if len(words(between)) <= 7 and not CLAUSE_BORDER.search(between) and not re.search(r"\b(?:of|from|near|with|for|who|that)\b", between):
            return True
        if (
            re.search(r"\b(?:is|was|are|were|named|called|been|under|by|to)\b(?: \w+){0,2}\W*$", between)
            and not CLAUSE_BORDER.search(between)
            and word.span[0] < span[0]
        ):
            return True
    return False


_DEMONYM = re.compile(r"^\w+(?:[ai]an|ish|ese|ch|tch|eek|iss)$")
_CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january "
    "february march april may "
    "june july august september october november december easter christmas".split()
)
_SETTLEMENTS = frozenset(
    stem(word) for word in "city town village country county state borough capital province nation municipality island river street road avenue lane".split()
)
TIMES = frozenset(
    "age time year years month months week weeks day days hour hours minute minutes morning evening night noon spring summer autumn "
    "winter century end "
    "beginning january february march april may june july august september october november december".split()
)
_FIRMS = frozenset(
    "brewery bakery firm company foundry shipyard factory publisher charity trust builder builders maker makers manufacturer dealer mill".split()
)
_FIRM_HEADS = frozenset(stem(word) for word in "company business firm organisation organization agency institution manufacturer supplier".split())
_FIRM_WORDS = frozenset(stem(word) for word in _ORGANIZATION)
_NAMING = re.compile(
    r"\b(?:called|named|call|calls|known (?:\w+ )?as|nicknamed|dubbed|christened|entitled|titled|code-?named|baptised|term(?:ed)?|name is|name was)"
    r"(?: it| them| him| her)?(?: the| a| an)?[ ,:*\"“‘]*$"
)


def named_things(want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    titles = [match.span(1) for match in TITLED.finditer(sentence)]
    spans = [span for span in name_spans(sentence) if not any(start <= span[0] and span[1] <= end for start, end in titles)]
    near = {want.head, *alike(want.head), *kin.get(want.head, {})} - {""}
    for span in (*titles, *spans):
        start, end = span
        if span not in titles and (of := re.search(r" of (?:the )?", sentence[start:end])):
            yield (start, start + of.start()), 0.6
        named = bool(_NAMING.search(sentence[:start]))
        own = {word.stem for word in words(sentence[start:end])}
        beside = bool({word.stem for word in words(sentence[:start])[-2:]} & near) and not re.search(r"[,;] *$", sentence[:start])
        headed = bool(own & near) or beside
        led = led_by(sentence, span)
        apposed = KIND_NOUNS.get(led) == "name" or (led in _FIRMS)
        fit = 1.0 if named or headed else 0.9 if apposed else 0.85 if span in titles or led == "by" or own & _FIRM_WORDS else 0.6
        if want.head in _FIRM_HEADS and not own & _FIRM_WORDS and KIND_NOUNS.get(led) == "person":
            fit *= 0.4  # "the architect Ida Holm" is no company
        if want.naming and not (named or headed or linked(want, span, sentence, kin)):
            fit *= 0.45
        yield span, fit
    for span in noun_phrases(sentence):
        if _NAMING.search(sentence[: span[0]]):
            yield span, 1.0 if want.naming else 0.7
        elif not want.naming:
            yield span, 0.35


def places(want: Wanted, sentence: str) -> Iterator[Graded]:
    found = [span for span in name_spans(sentence) if not {word.text.lower() for word in words(sentence[span[0] : span[1]])} <= _CALENDAR]
    for span in found:
        text = sentence[span[0] : span[1]]
        parts = {part.lower() for part in re.findall(r"[^\W\d_]+", text)}
        led = led_by(sentence, span)
        kind = want.head and stem(led if led != "of" else led_by(sentence, (sentence[: span[0]].rstrip().rfind(" "), 0))) == want.head
        if led == "of":
            noun = words(sentence[: span[0]])[-2:-1]
            kind = bool(want.head and noun and noun[0].stem == want.head)
            town = bool(noun and KIND_NOUNS.get(noun[0].text.lower()) == "place")
        else:
            town = False
        place = led in _PLACING or town or bool(parts & _PLACE_WORDS) or bool(parts & COUNTRIES)
        yield span, 1.0 if kind or town else 0.95 if place and (not parts & _PERSONAL or parts & _PLACE_WORDS) else 0.45
    for start, end in noun_phrases(sentence) if want.head not in _SETTLEMENTS else ():
        if (
            led_by(sentence, (start, end)) not in _PLACING
            or TIMES & {word.text.lower() for word in words(sentence[start:end])}
            or re.search(r"\d", sentence[start:end])
        ):
            continue
        of = re.match(r" of (?:the )?", sentence[end:])
        named = next((name for name in found if of and name[0] == end + of.end()), None)
        noun = words(sentence[start:end])[-1:]
        if named and not (noun and KIND_NOUNS.get(noun[0].text.lower()) == "place"):
            yield (start, named[1]), 1.0
        elif not any(name[0] <= start < name[1] for name in found):
            yield (start, end), 0.8
            beside = re.match(r" (?:on|in|at|above|below|behind|beside|under|outside) (?:the|a|an|its|his|her|their) (?=[a-z])", sentence[end:])
            after = next((other for other in noun_phrases(sentence) if beside and other[0] == end + beside.end()), None)
            if after and not TIMES & {word.text.lower() for word in words(sentence[after[0] : after[1]])}:
                yield (start, after[1]), 0.85
