"""Which verbatim spans of a sentence are of the kind that a question wants, each with how well it fits: by kind, by head noun, by place in the sentence.

Where the kind has a vocabulary or a form (dates, amounts, colours, names) only such spans are offered: no span is better than one of the wrong kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from redraft.claims.amounts import AMOUNTS, Graded, Kin, amounts, clocks, dates, weekdays, when, with_unit
from redraft.claims.categories import MEMBERS, OCCUPATIONS
from redraft.claims.clauses import asked_clause, of_another_part
from redraft.claims.noun_phrases import noun_phrases
from redraft.claims.questions import MEANING, Question
from redraft.claims.sentence import root
from redraft.claims.slots import COUNTRIES, slots
from redraft.claims.thesaurus import alike
from redraft.claims.wanted import COLOURS, KIND_NOUNS, Wanted
from redraft.claims.words import NEGATIONS, Word, fold, stem, words
from redraft.types import Span

__all__ = ["Kin", "Offer", "offers"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """A span that could answer; `fit` in [0, 1]."""

    text: str
    span: Span
    fit: float


def offers(question: Question, want: Wanted, sentence: str, kin: Kin) -> tuple[Offer, ...]:
    """The spans of a sentence that could answer, best first; what the question itself says is none."""
    asked = {word.stem for word in words(question.text)}
    near = asked | {other for word in question.content for other in (*MEANING.get(word.stem, ()), *alike(word.stem), *kin.get(word.stem, {}))}
    matched = [word for word in words(sentence) if word.content and word.stem in near]
    best: dict[str, Offer] = {}
    spans = list(_spans(question, want, sentence, kin))
    clause = asked_clause(question, sentence)
    inside = max((fit for span, fit in spans if clause and clause[0] <= span[0] < clause[1]), default=0.0)
    if inside < 0.8 * max((fit for _, fit in spans), default=0.0):
        clause = None
    for (start, end), fit in spans:
        text = sentence[start:end]
        own = [word for word in words(text) if word.content or word.text.isdigit()]
        if not own or all(word.stem in asked for word in own) or (want.want in AMOUNTS and _of_another(question, sentence[:start], asked)):
            continue
        if of_another_part(question, sentence, (start, end)) or (want.want == "person" and _already_named(question, own)):
            continue
        placed = _placed((start, end), matched, sentence)
        if clause:
            placed = max(placed, 0.9) if clause[0] <= start < clause[1] else 0.5 * placed
        offer = Offer(
            text=text, span=(start, end), fit=round(min(1.0, fit) * (0.6 + 0.4 * placed) * (1.0 if not clause or clause[0] <= start < clause[1] else 0.6), 4)
        )
        known = best.get(fold(text))
        if known is None or offer.fit > known.fit:
            best[fold(text)] = offer
    return tuple(sorted(best.values(), key=lambda item: (-item.fit, item.span[0], -item.span[1])))


def _already_named(question: Question, own: Sequence[Word]) -> bool:
    """Whether a person is one whom the question itself names, by the surname at least."""
    return any(words(name)[-1:] and words(name)[-1].stem == own[-1].stem for name in question.names)


_RELATIVE = re.compile(r"((?:[A-Z][\w'-]+ ?)+),? (?:which|who|whose) [^,;.]*$")


def _of_another(question: Question, before: str, asked: set[str]) -> bool:
    """Whether an amount stands in a relative clause about something that the question, which names another, does not name."""
    match = _RELATIVE.search(before)
    return bool(question.names and match) and not any(word.stem in asked for word in words(match[1] if match else ""))


_CLAUSE = re.compile(
    r"[;:]|, (?:and|but|as|because|while|although|though|when|where|which|who|whose|so|after|before|until)\b|\b(?:because|while|although|but|and then|when)\b|—"
)


def _placed(span: Span, matched: Sequence[Word], sentence: str) -> float:
    """1 beside the question's words, less the further they are; a border of clauses between counts as a long way."""
    gaps: list[float] = []
    for word in matched:
        if span[0] <= word.span[0] < span[1]:
            continue
        first, second = (word.span[1], span[0]) if word.span[0] < span[0] else (span[1], word.span[0])
        between = sentence[first:second]
        gaps.append(len(words(between)) + 6 * len(_CLAUSE.findall(between)))
    nearest = sorted(gaps)[:3]
    return sum(1 / (1 + gap / 4) for gap in nearest) / len(nearest) if nearest else 0.0


def _spans(question: Question, want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    finders: dict[str, Callable[[], Iterator[Graded]]] = {
        "person": lambda: _persons(want, sentence, kin),
        "place": lambda: _places(want, sentence),
        "year": lambda: dates(sentence, year=True),
        "day": lambda: _days(question, want, sentence),
        "weekday": lambda: _weekdays(question, sentence),
        "reason": lambda: _reasons(sentence),
        "when": lambda: when(question, sentence),
        "clock": lambda: clocks(sentence),
        "name": lambda: _named(want, sentence, kin),
        "colour": lambda: _colours(sentence),
        "code": lambda: _codes(want, sentence, kin),
    }
    if question.choices:
        for choice in question.choices:
            place = sentence.find(choice)
            if place >= 0:
                yield (place, place + len(choice)), 1.0
    elif want.want in finders:
        yield from finders[want.want]()
    elif want.want in AMOUNTS:
        yield from amounts(want, sentence, kin)
    else:
        yield from _things(question, want, sentence, kin)


# Names

_TITLED = re.compile(r"[\"“‘*_]+([^\"“”‘’*_\n]{2,60})[\"”’*_]+")
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


def _led(sentence: str, span: Span) -> str:
    before = re.search(r"(\w+)[ ,*\"“]*(?:(?:the|a|an|his|her|their|its) )?$", sentence[: span[0]], re.IGNORECASE)
    return before[1].lower() if before else ""


def _name_spans(sentence: str) -> list[Span]:
    return [slot.span for slot in slots(sentence) if slot.kind == "name"]


def _persons(want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    for start, end in _name_spans(sentence):
        of = re.search(r" of (?:the )?", sentence[start:end])
        if of and not re.match(r"(?:King|Queen|Duke|Duchess|Earl|Prince|Princess|Saint)", sentence[start:end]):
            end = start + of.start()
        end -= len(re.search(r"(?:['’]s)?$", sentence[start:end])[0])  # type: ignore[index]
        text = sentence[start:end]
        parts = [part.lower() for part in re.findall(r"[^\W\d_]+", text)]
        if not parts or (len(text) < 4 and text.isupper()) or set(parts) <= _CALENDAR or (_DEMONYM.search(text) and re.match(r" [a-z]", sentence[end:])):
            continue
        led, titled = _led(sentence, (start, end)), parts[0] in _PERSONAL
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
            fit *= 1.0 if _linked(want, (start, end), sentence, kin) else 0.3
        elif want.head and noun and want.head != stem(noun) and stem(noun) not in kin.get(want.head, {}) and want.head not in ("person", "peopl"):
            fit *= 0.85
        yield (start, end), fit
    if not want.role and re.search(r"\bby\b", sentence):
        for span in noun_phrases(sentence):
            if _led(sentence, span) == "by" and not sentence[span[0]].isupper():
                yield span, 0.5


def _linked(want: Wanted, span: Span, sentence: str, kin: Kin) -> bool:
    """Whether the noun asked about stands beside the span as its apposition, title or predicate, with no border of clauses between."""
    near = {want.head, *alike(want.head), *kin.get(want.head, {})}
    for word in words(sentence):
        if word.stem not in near or span[0] <= word.span[0] < span[1]:
            if span[0] <= word.span[0] < span[1] and word.stem in near and word.stem != want.head:
                return True
            continue
        first, second = (word.span[1], span[0]) if word.span[0] < span[0] else (span[1], word.span[0])
        between = sentence[first:second]
        if len(words(between)) <= 7 and not _CLAUSE.search(between) and not re.search(r"\b(?:of|from|near|with|for|who|that)\b", between):
            return True
        if (
            re.search(r"\b(?:is|was|are|were|named|called|been|under|by|to)\b(?: \w+){0,2}\W*$", between)
            and not _CLAUSE.search(between)
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
_TIMES = frozenset(
    "age time year years month months week weeks day days hour hours minute minutes morning evening night noon spring summer autumn "
    "winter century end "
    "beginning january february march april may june july august september october november december".split()
)
_FIRMS = frozenset(
    "brewery bakery firm company foundry shipyard factory publisher charity trust builder builders maker makers manufacturer dealer mill".split()
)
_FIRM_WORDS = frozenset(stem(word) for word in _ORGANIZATION)
_NAMING = re.compile(
    r"\b(?:called|named|call|calls|known (?:\w+ )?as|nicknamed|dubbed|christened|entitled|titled|code-?named|baptised|term(?:ed)?|name is|name was)"
    r"(?: it| them| him| her)?(?: the| a| an)?[ ,:*\"“‘]*$"
)


def _named(want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    titles = [match.span(1) for match in _TITLED.finditer(sentence)]
    spans = [span for span in _name_spans(sentence) if not any(start <= span[0] and span[1] <= end for start, end in titles)]
    near = {want.head, *alike(want.head), *kin.get(want.head, {})} - {""}
    for span in (*titles, *spans):
        start, end = span
        if span not in titles and (of := re.search(r" of (?:the )?", sentence[start:end])):
            yield (start, start + of.start()), 0.6
        named = bool(_NAMING.search(sentence[:start]))
        own = {word.stem for word in words(sentence[start:end])}
        beside = bool({word.stem for word in words(sentence[:start])[-2:]} & near) and not re.search(r"[,;] *$", sentence[:start])
        headed = bool(own & near) or beside
        led = _led(sentence, span)
        apposed = KIND_NOUNS.get(led) == "name" or (led in _FIRMS)
        fit = 1.0 if named or headed else 0.9 if apposed else 0.85 if span in titles or led == "by" or own & _FIRM_WORDS else 0.6
        if want.naming and not (named or headed or _linked(want, span, sentence, kin)):
            fit *= 0.45
        yield span, fit
    for span in noun_phrases(sentence):
        if _NAMING.search(sentence[: span[0]]):
            yield span, 1.0 if want.naming else 0.7
        elif not want.naming:
            yield span, 0.35


def _places(want: Wanted, sentence: str) -> Iterator[Graded]:
    found = [span for span in _name_spans(sentence) if not {word.text.lower() for word in words(sentence[span[0] : span[1]])} <= _CALENDAR]
    for span in found:
        text = sentence[span[0] : span[1]]
        parts = {part.lower() for part in re.findall(r"[^\W\d_]+", text)}
        led = _led(sentence, span)
        kind = want.head and stem(led if led != "of" else _led(sentence, (sentence[: span[0]].rstrip().rfind(" "), 0))) == want.head
        if led == "of":
            noun = words(sentence[: span[0]])[-2:-1]
            kind = bool(want.head and noun and noun[0].stem == want.head)
            town = bool(noun and KIND_NOUNS.get(noun[0].text.lower()) == "place")
        else:
            town = False
        place = led in _PLACING or town or bool(parts & _PLACE_WORDS) or bool(parts & COUNTRIES)
        yield span, 1.0 if kind or town else 0.95 if place and not parts & _PERSONAL else 0.45
    for start, end in noun_phrases(sentence) if want.head not in _SETTLEMENTS else ():
        if (
            _led(sentence, (start, end)) not in _PLACING
            or _TIMES & {word.text.lower() for word in words(sentence[start:end])}
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
            if after and not _TIMES & {word.text.lower() for word in words(sentence[after[0] : after[1]])}:
                yield (start, after[1]), 0.85


# Colours, codes and everything else


def _days(question: Question, want: Wanted, sentence: str) -> Iterator[Graded]:
    yield from dates(sentence, day=True)
    if want.head == stem("day"):
        yield from ((span, 0.9 * fit) for span, fit in _weekdays(question, sentence))


def _weekdays(question: Question, sentence: str) -> Iterator[Graded]:
    """Days of the week; what lasts from one to another is none where one day is asked for."""
    several = bool(re.search(r"\b(?:week)?days\b", question.text, re.IGNORECASE))
    yield from ((span, fit if several or not re.search(r" to |[–-]", sentence[span[0] : span[1]]) else 0.3) for span, fit in weekdays(sentence))


_REASON = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|on account of) ((?:[^,;.]|(?<=\d)[.,](?=\d))+)"
    r"|\b((?:out of (?:concern|fear|respect|love|a |necessity|pity|spite|gratitude)|for (?:fear|lack|want|the sake) of|so that|in order (?:to|not to)|so as (?:to|not to)|"
    r"in (?:memory|honour|honor) of)\b(?:[^,;.]|(?<=\d)[.,](?=\d))*)"
)


def _reasons(sentence: str) -> Iterator[Graded]:
    """What a sentence gives as a ground or an end; without one it answers no why."""
    for match in _REASON.finditer(sentence):
        start, end = match.span(1) if match[1] else match.span(2)
        yield (start, start + len(sentence[start:end].rstrip())), 1.0


def _coordinated(spans: Sequence[Span], sentence: str) -> Iterator[Span]:
    """Spans with those that a list goes on with: "green and white" is one answer."""
    run: list[Span] = []
    for span in sorted(spans):
        if run and not re.fullmatch(r",? and |, | & |/", sentence[run[-1][1] : span[0]]):
            yield run[0][0], run[-1][1]
            run = []
        run.append(span)
    if run:
        yield run[0][0], run[-1][1]


def _colours(sentence: str) -> Iterator[Graded]:
    plain = [span for span, fit in _shades(sentence) if fit == 1.0]
    yield from ((span, 1.0) for span in _coordinated(plain, sentence))
    yield from ((span, fit) for span, fit in _shades(sentence) if fit < 1.0)


def _shades(sentence: str) -> Iterator[Graded]:
    found = words(sentence)
    for place, word in enumerate(found):
        parts = word.text.lower().split("-")
        if not set(parts) & COLOURS or (word.capital and place):
            continue
        first = last = place
        while first and re.fullmatch(r"[ -]", sentence[found[first - 1].span[1] : found[first].span[0]]) and _shading(found[first - 1]):
            first -= 1
        while (
            last + 1 < len(found)
            and re.fullmatch(r"[ -]", sentence[found[last].span[1] : found[last + 1].span[0]])
            and set(found[last + 1].text.lower().split("-")) & COLOURS
        ):
            last += 1
        yield (found[first].span[0], found[last].span[1]), 1.0
    for match in re.finditer(r"\b(?:painted|repainted|dyed|coloured|colored|in|tinted) (?:a |an |the )?((?:[a-z]+[ -]){0,2}[a-z]+)", sentence):
        tail = match[1].split()
        if tail[0] in ("deep", "pale", "dark", "light", "bright", "dull", "soft", "rich"):
            yield (match.start(1), match.start(1) + len(" ".join(tail[:2]))), 0.9


def _shading(word: Word) -> bool:
    text = word.text.lower()
    return word.content and not word.capital and not re.search(r"(?:ed|ing|s|ly)$", text) and text not in NEGATIONS


_CODE = re.compile(r"(?<![\w/])(?:[A-Z][\w]*(?:\+[\w]+)+|[\w.-]+@[\w.-]+\w|[\w-]+\.[a-z]{2,5}\b(?![ ]?[A-Z])|/?[\w-]+/[\w./-]+|[A-Z]{1,3}\d+\w*|F\d{1,2})")


def _codes(want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    yield from ((match.span(), 1.0) for match in _CODE.finditer(sentence))
    yield from ((match.span(1), 0.8) for match in _TITLED.finditer(sentence))


_JOB = re.compile(r"\b(?:as|became|becoming|an?) (?:an? |the )?((?:[a-z'’-]+ ){0,2}[a-z-]+(?: of (?:[a-z-]+ ?){1,2})?)")


def _thing_fit(want: Wanted, span: Span, sentence: str, near: set[str]) -> float:
    last = words(sentence[span[0] : span[1]])
    own, led, fit = {word.stem for word in last}, _led(sentence, span), 0.7
    members = MEMBERS.get(want.want) or MEMBERS.get(want.head) or frozenset[str]()
    if want.want == "job":
        fit = 1.0 if led == "as" or own & OCCUPATIONS else 0.4
    elif members:
        generic = last[-1].stem == want.head and len(own - _PLAIN) < 2
        fit = 0.4 if generic else 1.0 if last[-1].stem in members else 0.9 if own & members or own & near else 0.5
        fit = 0.75 if fit == 0.5 and want.want == "material" and led in ("of", "from", "with", "in") else fit
    elif want.head and last[-1].stem == want.head and not last[0].capital:
        fit = 0.4
    elif want.head and _predicated(near, span, sentence):
        fit = 1.0
    elif own & near and len(own) > 1:
        fit = 0.9
    return fit


def _name_after(span: Span, sentence: str) -> Span | None:
    """The name that stands behind a noun phrase: of "a softer cheese called Lady Maude" the last two words."""
    called = re.match(r",? (?:that is |which is |was |is )?(?:called|named|known (?:\w+ )?as|nicknamed|dubbed) (?:the )?(?=[\w\"“])", sentence[span[1] :])
    spans = [*(match.span(1) for match in _TITLED.finditer(sentence)), *_name_spans(sentence), *noun_phrases(sentence)]
    return next((other for other in spans if called and 0 <= other[0] - span[1] - called.end() <= 1), None)


def _listed(question: Question, want: Wanted, span: Span, near: set[str], sentence: str) -> int | None:
    """The end of what is listed with a thing: "paper and willow" after a preposition, or two members of one kind."""
    joint = re.match(r",? and (?=[a-z])", sentence[span[1] :])
    after = next((other for other in noun_phrases(sentence) if joint and other[0] == span[1] + joint.end()), None)
    if after is None or re.match(r"[ ]*(?:the|a|an|his|her|its|their|by)\b", sentence[after[1] :]):
        return None
    kind = MEMBERS.get(want.want) or MEMBERS.get(want.head)
    if kind:
        return after[1] if all(_thing_fit(want, other, sentence, near) == 1.0 for other in (span, after)) else None
    ending = re.search(r"\b(?:of|from|with)\W*$", question.text)
    return after[1] if (ending or not want.head) and re.search(r"\b(?:of|from|with) $", sentence[: span[0]]) else None


def _things(question: Question, want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    """Noun phrases; for a kind with a vocabulary (animal, food, material, job) those that have such a word, or that the sentence puts in that place."""
    near = {want.head, *alike(want.head), *kin.get(want.head, {})} - {""}
    asked = {word.stem for word in question.content}
    for match in _CODE.finditer(sentence):
        yield match.span(), 0.7
    for match in _TITLED.finditer(sentence):
        yield match.span(1), 0.85
    for span in _name_spans(sentence):
        yield span, 0.8 if want.head and _linked(want, span, sentence, kin) else 0.55
    for slot in slots(sentence):
        if slot.kind == "quantity" and want.head and want.want == "phrase":
            headed = any(word.stem in near for word in words(sentence[: slot.span[0]])[-4:])
            yield with_unit(slot, sentence), 0.9 if headed else 0.2
    for span in noun_phrases(sentence):
        last = words(sentence[span[0] : span[1]])
        fit = _thing_fit(want, span, sentence, near)
        if want.head and last[-1].stem in near and (apposed := re.match(r", (?:the|an?) ", sentence[span[1] :])):
            after = next((other for other in noun_phrases(sentence) if other[0] == span[1] + apposed.end()), None)
            if after:
                yield after, 1.1
        if want.head and last[-1].stem == want.head and (named := _name_after(span, sentence)):
            yield named, 1.1
        if want.head and last[-1].stem != want.head and last[-1].stem in asked and not last[-1].capital:
            fit *= 0.5  # the question speaks of it already, as another thing than it asks for
        if re.fullmatch(r"(?:is|was|are|were|been|be)", _led(sentence, span)) and len(last) == 1 and root(last[0].stem) != last[0].stem:
            fit *= 0.3  # "is sold" names no thing
        if len(last) > 1 and re.search(r"[a-z]{2}s$", last[0].text) and not last[0].capital and re.search(r"\w $", sentence[: span[0]]):
            fit *= 0.9  # "serves lentil soup"
        yield span, fit
        if (after := _listed(question, want, span, near, sentence)) is not None:
            yield (span[0], after), fit + 0.02
        of = re.match(r" of (?=[a-z])", sentence[span[1] :])
        if of and not (last[-1].stem in asked and last[-1].stem != want.head):
            after = next((other for other in noun_phrases(sentence) if other[0] == span[1] + of.end()), None)
            if after:
                yield (span[0], after[1]), fit + 0.02


def _predicated(near: set[str], span: Span, sentence: str) -> bool:
    """Whether the sentence says "the HEAD … is SPAN", with nothing but the noun's own complements between."""
    before = re.search(r"\b(?:is|was|are|were)\W+(?:(?:the|a|an|now|called)\W+){0,2}$", sentence[: span[0]])
    if not before:
        return False
    clause = re.split(r"[,;:]", sentence[: before.start()])[-1]
    return any(word.stem in near for word in words(clause))


_PLAIN = frozenset(stem(word) for word in "single certain new old small large big great main special local".split())
"""Adjectives that do not make an answer of the noun that was asked about ("a single insect")."""
