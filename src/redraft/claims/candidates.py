"""Which spans of a sentence could answer a question: of the kind asked for, not in the question itself, best first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from redraft.claims.questions import LIFE, LIFESPAN, MEANING, AnswerType, Question
from redraft.claims.slots import COUNTRIES, Slot, slots
from redraft.claims.words import NEGATIONS, Word, fold, stem, words
from redraft.types import Span

__all__ = ["Candidate", "candidates"]

_PLACE_WORDS = frozenset(
    "river lake mount mountain island street county city valley bay sea ocean park square bridge avenue road peninsula province desert forest coast".split()
)
_ORGANIZATION = frozenset(
    "university college school company corporation corp inc ltd institute association club band council committee party church museum bank group agency team "
    "department ministry society league union party press records studios".split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A span of a sentence that could answer; `fit` in [0, 1] says how well its kind and place suit the question."""

    text: str
    span: Span
    kind: AnswerType
    fit: float


def candidates(question: Question, sentence: str) -> tuple[Candidate, ...]:
    """The spans of a sentence that are of the kind asked for and not in the question itself, best first."""
    asked = {word.stem for word in words(question.text)}
    wanted = asked | {meant for word in question.content for meant in MEANING.get(word.stem, ())}
    matched = [word.span for word in words(sentence) if word.content and word.stem in wanted]
    if question.type == "date" and wanted & LIFE and (pair := LIFESPAN.search(sentence)):
        matched.append((pair.start(), pair.start() + 1))
    found: list[Candidate] = []
    headed: set[Span] = set()
    for span, kind, typed in _spans(question, sentence):
        text = sentence[span[0] : span[1]]
        own = [word.stem for word in words(text) if word.content]
        if question.type != "choice" and (not own or all(word in asked for word in own)):
            continue
        named = all(word.capital for word in words(text) if word.content)
        if not named and len(own) > 1 and any(word in wanted for word in own) and not _CODE.fullmatch(text):
            continue  # it takes in a part of the question
        if (
            kind in ("name", "place", "person")
            and text[0].isupper()
            and (stem(_led(sentence, span)) in question.head or (question.head & set(own) and len(own) > 1))
        ):
            typed = 1.0  # "which prize": the Atwell Prize; "which company": the company Pharmenta
            headed.add(span)
        found.append(Candidate(text=text, span=span, kind=kind, fit=round(typed * (0.5 + 0.5 * _nearness(span, matched)), 4)))
    best: dict[str, Candidate] = {}
    for candidate in found:
        if headed and candidate.span not in headed:
            candidate = replace(candidate, fit=round(0.7 * candidate.fit, 4))
        known = best.get(fold(candidate.text))
        if known is None or candidate.fit > known.fit:
            best[fold(candidate.text)] = candidate
    return tuple(sorted(best.values(), key=lambda item: (-item.fit, item.span[0], -item.span[1])))


def _nearness(span: Span, matched: list[Span]) -> float:
    """1 beside the question's words, falling with the distance in characters to the nearest three of them."""
    gaps = sorted(max(0, start - span[1], span[0] - end) for start, end in matched if not (span[0] <= start < span[1]))[:3]
    return sum(1 / (1 + gap / 15) for gap in gaps) / len(gaps) if gaps else 0.0


_Typed = tuple[Span, AnswerType, float]


def _typed(spans: Iterable[Span], kind: AnswerType, fit: float) -> Iterator[_Typed]:
    for span in spans:
        yield span, kind, fit


def _spans(question: Question, sentence: str) -> Iterator[_Typed]:
    """Typed spans, each with how well its type fits."""
    kind, typed = question.type, slots(sentence)
    of_kind = {wanted: [slot.span for slot in typed if slot.kind == wanted] for wanted in ("name", "quantity", "date")}
    titles = [match.span(1) for match in _TITLE.finditer(sentence)] + [match.span() for match in _CODE.finditer(sentence)]
    if kind == "choice":
        places = [(sentence.find(choice), len(choice)) for choice in question.choices]
        yield from _typed([(place, place + length) for place, length in places if place >= 0], kind, 1.0)
    elif kind == "date":
        yield from _dated(question, sentence, of_kind["date"])
    elif kind == "number":
        yield from _numbers(question, sentence, typed)
    elif kind in ("person", "place", "name"):
        for span in of_kind["name"]:
            yield span, kind, _name_fit(kind, sentence, span)
        yield from _typed(titles, kind, 0.9 if kind == "name" else 0.4)
        for span in _phrases(sentence):
            yield span, kind, 0.45 if kind == "name" else 0.5 if _led(sentence, span) in _LEADS[kind] else 0.2
    elif kind == "phrase":
        yield from _typed(of_kind["name"], "name", 0.75)
        yield from _typed(of_kind["quantity"], "number", 0.5)
        yield from _typed(of_kind["date"], "date", 0.4)
        yield from _typed(titles, "name", 0.9)
        yield from _typed(_phrases(sentence), "phrase", 0.8)


_LEADS = {"person": frozenset({"by"}), "place": frozenset("in at on near from to along".split())}
_CODE = re.compile(r"(?<![\w/])[\w-]+(?:\.[a-z]{2,5}\b(?![ ]?[A-Z])|/[\w./-]+)")


def _led(sentence: str, span: Span) -> str:
    """The word before a span, articles left out."""
    before = re.search(r"(\w+)[ ,]*(?:(?:the|a|an|his|her|their|its) )?$", sentence[: span[0]], re.IGNORECASE)
    return before[1].lower() if before else ""


def _dated(question: Question, sentence: str, dates: list[Span]) -> Iterator[_Typed]:
    """Dates; of a pair in brackets after a name the first is of birth, the second of death."""
    asked = {word.stem for word in question.content}
    for place, span in enumerate(dates):
        opens = sentence[: span[0]].rstrip().endswith(("(", "born", "(b."))
        closes = bool(re.match(r"\s*\)", sentence[span[1] :])) and place > 0 and bool(re.fullmatch(r"\s*[–—-]\s*", sentence[dates[place - 1][1] : span[0]]))
        born, died = stem("born") in asked, stem("died") in asked
        yield span, "date", 0.4 if (died and opens) or (born and closes) else 1.0


_TITLE = re.compile(r"[\"“‘]([^\"”’]{2,60})[\"”’]")


def _numbers(question: Question, sentence: str, typed: tuple[Slot, ...]) -> Iterator[_Typed]:
    """Quantities; those that count what is asked for first, with their unit where a measure is asked for."""
    percent = bool(re.search(r"percent|per cent|share|proportion", question.text, re.IGNORECASE))
    for slot in typed:
        if slot.kind != "quantity" or slot.quantity is None:
            continue
        counted = bool(set(slot.counts) & question.head)
        fit = 1.0 if counted else 0.85 if question.measure and slot.dimension else 0.6
        if slot.quantity.percent != percent:
            fit *= 0.6
        end = slot.span[1]
        unit = re.match(r"[ -](?:[a-z]+)\b", sentence[end:])
        named = slot.unit[:3] if question.measure else slot.quantity.unit if slot.dimension == "money" else ""
        if unit and named and unit[0].strip(" -").startswith(named):
            end += unit.end()
        yield (slot.span[0], end), "number", fit


def _name_fit(kind: AnswerType, sentence: str, span: Span) -> float:
    """How well a name suits a person, a place or a thing, by its own words and the preposition before it."""
    text = sentence[span[0] : span[1]]
    parts = [part.lower() for part in re.findall(r"\w+", text)]
    if len(parts) == 1 and _DEMONYM.search(text) and re.match(r" [a-z]", sentence[span[1] :]):
        return 0.25  # "the Canadian writer": an adjective, not the answer
    led = _led(sentence, span)
    place = (
        bool(_PLACE_WORDS & set(parts))
        or any(part in COUNTRIES for part in parts)
        or led in ("in", "near", "at", "from", "to", "throughout", "outside", "across")
    )
    organization = bool(_ORGANIZATION & set(parts))
    person = not place and not organization and 2 <= len(parts) <= 4
    if kind == "place":
        return 1.0 if place else 0.5 if not person else 0.45
    if kind == "person":
        return 1.0 if person or led == "by" else 0.7 if not place and not organization else 0.6 if organization else 0.35
    return 0.9


_DEMONYM = re.compile(r"(?:[ai]an|ish|ese|ch|tch|ic|eek|iss)$")
_BREAK = re.compile(r"[,;:.()\[\]\"“”!?—–]| - ")


_FILLERS = frozenset("now mainly mostly about approximately roughly nearly almost later soon often usually currently previously originally today".split())


def _phrases(sentence: str) -> Iterator[Span]:
    """Runs of content words: the noun phrases of a sentence, and their last words."""
    found = words(sentence)
    run: list[Word] = []
    for place, word in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        filler = word.text.lower() in _FILLERS | NEGATIONS or (word.text.lower().endswith("ly") and len(word.text) > 4)
        if word.content and not filler:
            run.append(word)
        gap = sentence[word.span[1] : after.span[0]] if after else "."
        if run and (not word.content or filler or _BREAK.search(gap) or after is None):
            yield run[0].span[0], run[-1].span[1]
            if len(run) > 1:
                yield run[-1].span[0], run[-1].span[1]
                yield run[0].span[0], run[0].span[1]
            if len(run) > 2:
                yield run[-2].span[0], run[-1].span[1]
            run = []
