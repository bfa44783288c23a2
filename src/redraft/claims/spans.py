"""Which verbatim spans of a sentence are of the kind that a question wants, each with how well it fits: by kind, by head noun, by place in the sentence.

Where the kind has a vocabulary or a form (dates, amounts, colours, names) only such spans are offered: no span is better than one of the wrong kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from redraft.claims.amounts import AMOUNTS, Graded, Kin, amounts, clocks, dates, when
from redraft.claims.clauses import asked_clause, of_another_part
from redraft.claims.name_spans import CLAUSE_BORDER, named_things, persons, places
from redraft.claims.questions import MEANING, Question
from redraft.claims.thesaurus import alike
from redraft.claims.thing_spans import codes, colours, days, reasons, things, weekday_spans
from redraft.claims.wanted import Wanted
from redraft.claims.words import Word, fold, words
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


def _placed(span: Span, matched: Sequence[Word], sentence: str) -> float:
    """1 beside the question's words, less the further they are; a border of clauses between counts as a long way."""
    gaps: list[float] = []
    for word in matched:
        if span[0] <= word.span[0] < span[1]:
            continue
        first, second = (word.span[1], span[0]) if word.span[0] < span[0] else (span[1], word.span[0])
        between = sentence[first:second]
        gaps.append(len(words(between)) + 6 * len(CLAUSE_BORDER.findall(between)))
    nearest = sorted(gaps)[:3]
    return sum(1 / (1 + gap / 4) for gap in nearest) / len(nearest) if nearest else 0.0


def _spans(question: Question, want: Wanted, sentence: str, kin: Kin) -> Iterator[Graded]:
    finders: dict[str, Callable[[], Iterator[Graded]]] = {
        "person": lambda: persons(want, sentence, kin),
        "place": lambda: places(want, sentence),
        "year": lambda: dates(sentence, year=True),
        "day": lambda: days(question, want, sentence),
        "weekday": lambda: weekday_spans(question, sentence),
        "reason": lambda: reasons(sentence),
        "when": lambda: when(question, sentence),
        "clock": lambda: clocks(sentence),
        "name": lambda: named_things(want, sentence, kin),
        "colour": lambda: colours(sentence),
        "code": lambda: codes(want, sentence, kin),
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
        yield from things(question, want, sentence, kin)
