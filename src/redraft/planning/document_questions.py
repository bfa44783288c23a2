"""What the documents offer as the answer to a question: typed spans of the nearest sentences, and only under the grounding guard.

A 135M model that sees a whole passage picks right in .42 of cases, one that sees the best sentence in .87 (notes); rules that know the kind of span do
better still, so they pick, and what the guard keeps back is never seen. If the documents do not have the answer there must be no option.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from redraft.claims.alignment import of_another
from redraft.claims.bearing import Bearing, bearing
from redraft.claims.questions import equivalent, read_question
from redraft.claims.segment import sentences
from redraft.claims.sentence import read_sentence
from redraft.claims.spans import Kin, Offer, offers
from redraft.claims.wanted import wanted
from redraft.claims.words import stem, stems, words
from redraft.effects import Effects
from redraft.planning.options import Option
from redraft.types import Evidence, Failure, Task, ToolCall, ToolResult

__all__ = ["options"]

TOOL = "documents"
MAX_OPTIONS = 6
MAX_SPANS = 3
"""Spans of one sentence that are considered."""
COVERAGE = 0.7
LEAST = 0.5
"""Score below which nothing is offered; a question without a kind of answer needs more."""
LEAST_PHRASE = 0.62
OWN = 0.45
"""Share of what is asked that the sentence itself must have, in one wording or another."""
NEAREST, OWN_OF_NEAREST, WITHIN = 0.85, 0.2, 0.005
"""A sentence that is the nearest in meaning (within a hair) and near enough may have less of it."""
SPREAD = 0.06
"""Distance in cosine from the nearest sentence at which nearness counts nothing any more."""
BEHIND = 0.5
"""What is taken off the options after the first: the order by rule is right far more often than a small model's choice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sentence:
    """A sentence of the documents with what it may refer back to; `near` is its cosine to the question, 0 where that is not known."""

    item: Evidence
    text: str
    context: str
    near: float


@dataclass(frozen=True, kw_only=True, slots=True)
class _Graded:
    sentence: _Sentence
    offer: Offer
    bears: Bearing
    score: float


async def options(task: Task, effects: Effects, *, coverage_needed: float = COVERAGE, guard: bool = True) -> tuple[Option, ...]:
    """Answers that the documents could give to the task's question, best first; none where no sentence is about it.

    `coverage_needed` is the share of what is asked that a sentence must have where words alone decide; where meaning is known too, the thresholds (for
    .7 those of this file) move in proportion. Without the guard the best span is offered whatever its sentence has of the question, which shows what
    the guard prevents.

    Raises:
        Stopped: a budget forbids a call.
    """
    question = read_question(task.query)
    if TOOL not in effects.tools or question.type == "yes_no" or not question.content:
        return ()
    call = ToolCall(tool=TOOL, input=f"nearest: {task.query}")
    nearest = await effects.use(call)
    if isinstance(nearest, Failure):
        call = ToolCall(tool=TOOL, input=task.query)
        found = _of_passages(await effects.use(call))
    else:
        found = [_Sentence(item=item, text=item.value, context=item.text, near=item.relevance) for item in nearest]
    kin = _kin(await effects.use(ToolCall(tool=TOOL, input=f"related: {task.query}")))
    graded = _graded(task.query, found, kin)
    best = max((item.near for item in found), default=0.0)
    least = LEAST_PHRASE if wanted(task.query).want == "phrase" else LEAST
    scale = coverage_needed / COVERAGE
    asked = stems(words(task.query))

    def passes(item: _Graded) -> bool:
        lent = of_another(question.names, asked, item.sentence.text, item.offer.text)
        return item.score >= least * scale and not lent and _grounded(item, best, scale)

    passing = [item for item in graded if not guard or passes(item)]
    return tuple(_options(call, passing))


def _of_passages(result: ToolResult) -> list[_Sentence]:
    """The sentences of whole passages, where nothing is known of their meaning."""
    found: list[_Sentence] = []
    for item in () if isinstance(result, Failure) else result:
        spans = sentences(item.text)
        for place, (start, end) in enumerate(spans):
            found.append(_Sentence(item=item, text=item.text[start:end], context=item.text[spans[max(0, place - 1)][0] : end], near=0.0))
    return found


_SCORE = re.compile(r"[01](?:\.\d+)?")


def _kin(result: ToolResult) -> Kin:
    """What the tool says of words near in meaning, by stems."""
    found: dict[str, dict[str, float]] = {}
    for item in () if isinstance(result, Failure) else result:
        pairs = [pair.rpartition(" ") for pair in item.value.split(", ")]
        found[stem(item.title)] = {stem(word): float(score) for word, _, score in pairs if _SCORE.fullmatch(score)}
    return found


def _graded(query: str, found: Sequence[_Sentence], kin: Kin) -> list[_Graded]:
    """The spans of all sentences with how well they and their sentences suit the question, best first."""
    question, want = read_question(query), wanted(query)
    best = max((item.near for item in found), default=0.0)
    graded: list[_Graded] = []
    for item in found:
        if read_sentence(item.text).question or _heading(item):
            continue
        for offer in offers(question, want, item.text, kin)[:MAX_SPANS]:
            bears = bearing(question, want, item.text, f"{item.item.title}. {item.context}", kin)
            near = max(0.0, 1 - (best - item.near) / SPREAD) if best else bears.own
            score = (0.45 * near + 0.3 * bears.own + 0.25 * bears.around) * (0.3 + 0.7 * offer.fit)
            graded.append(_Graded(sentence=item, offer=offer, bears=bears, score=score))
    return sorted(graded, key=lambda item: -item.score)


def _heading(item: _Sentence) -> bool:
    title = item.text.strip("# ")
    return stems(words(title)) <= stems(words(item.item.title)) or item.context.startswith(f"{title}\n")


def _grounded(item: _Graded, best: float, scale: float) -> bool:
    """The grounding guard: the names of the question, what picks one of several, the verb or role, and enough of the rest."""
    if not (item.bears.named and item.bears.exact):
        return False
    near = item.sentence.near
    if not best:
        return item.bears.own >= COVERAGE * scale
    return item.bears.own >= OWN * scale or (near >= NEAREST and near >= best - WITHIN and item.bears.own >= OWN_OF_NEAREST * scale)


def _options(call: ToolCall, graded: Iterable[_Graded]) -> list[Option]:
    """Each answer once, the first far ahead; the evidence of an option is the one sentence that gives it."""
    kept: list[Option] = []
    for item in graded:
        if any(equivalent(item.offer.text, other.answer) for other in kept):
            continue
        fit = min(0.89, 0.65 + 0.4 * max(0.0, item.score - LEAST)) * (BEHIND if kept else 1.0)
        narrowed = dataclasses.replace(item.sentence.item, text=item.sentence.text.strip(), value=item.offer.text)
        kept.append(Option(call=call, label=item.offer.text, result=(narrowed,), answer=item.offer.text, fit=round(fit, 4)))
        if len(kept) == MAX_OPTIONS:
            break
    return kept
