"""Spans that are no names: days, reasons, colours, codes and things, each with how well it fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redraft.claims.amounts import Graded, Kin, dates, weekdays, with_unit
from redraft.claims.categories import MEMBERS, OCCUPATIONS
from redraft.claims.name_spans import TIMES, TITLED, led_by, linked, name_spans
from redraft.claims.noun_phrases import noun_phrases
from redraft.claims.questions import Question
from redraft.claims.slots import slots
from redraft.claims.thesaurus import alike
from redraft.claims.wanted import COLOURS, Wanted
from redraft.claims.words import NEGATIONS, Word, stem, words
from redraft.types import Span

__all__ = ["codes", "colours", "days", "reasons", "things", "weekday_spans"]


def days(question: Question, want: Wanted, sentence: str) -> Iterator[Graded]:
    yield from dates(sentence, day=True)
    if want.head == stem("day"):
        yield from ((span, 0.9 * fit) for span, fit in weekday_spans(question, sentence))


def weekday_spans(question: Question, sentence: str) -> Iterator[Graded]:
    """Days of the week; what lasts from one to another is none where one day is asked for."""
    several = bool(re.search(r"\b(?:week)?days\b", question.text, re.IGNORECASE))
    yield from ((span, fit if several or not re.search(r" to |[–-]", sentence[span[0] : span[1]]) else 0.3) for span, fit in weekdays(sentence))


_REASON = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|on account of) ((?:[^,;.]|(?<=\d)[.,](?=\d))+)"
    r"|\b((?:out of (?:concern|fear|respect|love|a |necessity|pity|spite|gratitude)|for (?:fear|lack|want|the sake) of|so that|in order (?:to|not to)|"
    r"so as (?:to|not to)|"
    r"in (?:memory|honour|honor) of)\b(?:[^,;.]|(?<=\d)[.,](?=\d))*)"
)


def reasons(sentence: str) -> Iterator[Graded]:
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


def colours(sentence: str) -> Iterator[Graded]:
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


def codes(want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    yield from ((match.span(), 1.0) for match in _CODE.finditer(sentence))
    yield from ((match.span(1), 0.8) for match in TITLED.finditer(sentence))


_JOB = re.compile(r"\b(?:as|became|becoming|an?) (?:an? |the )?((?:[a-z'’-]+ ){0,2}[a-z-]+(?: of (?:[a-z-]+ ?){1,2})?)")


def _thing_fit(want: Wanted, span: Span, sentence: str, near: set[str]) -> float:
    last = words(sentence[span[0] : span[1]])
    own, led, fit = {word.stem for word in last}, led_by(sentence, span), 0.7
    members = MEMBERS.get(want.want) or MEMBERS.get(want.head) or frozenset[str]()
    if want.want == "job":
        fit = 1.0 if led == "as" or own & OCCUPATIONS else 0.4
    elif members and {word.text.lower() for word in last} & TIMES:
        fit = 0.2
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
    spans = [*(match.span(1) for match in TITLED.finditer(sentence)), *name_spans(sentence), *noun_phrases(sentence)]
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


def _nominal(span: Span, sentence: str) -> float:
    """Less than 1 for what reads as a verb ("is sold") or begins with one ("serves lentil soup")."""
    found = words(sentence[span[0] : span[1]])
    if re.fullmatch(r"(?:is|was|are|were|been|be)", led_by(sentence, span)) and len(found) == 1 and found[0].text[:3].lower() != found[0].stem[:3]:
        return 0.3
    verb = len(found) > 1 and re.search(r"[a-z]{2}s$", found[0].text) and not found[0].capital and re.search(r"\w $", sentence[: span[0]])
    return 0.9 if verb else 1.0


def things(question: Question, want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    """Noun phrases; for a kind with a vocabulary (animal, food, material, job) those that have such a word, or that the sentence puts in that place."""
    near = {want.head, *alike(want.head), *kin.get(want.head, {})} - {""}
    asked = {word.stem for word in question.content}
    for match in _CODE.finditer(sentence):
        yield match.span(), 0.7
    for match in TITLED.finditer(sentence):
        yield match.span(1), 0.85
    for span in name_spans(sentence):
        yield span, 0.8 if want.head and linked(want, span, sentence, kin) else 0.55
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
        fit *= _nominal(span, sentence)
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
