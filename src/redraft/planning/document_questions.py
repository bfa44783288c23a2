"""What the documents offer a small model to choose from: best passages, best sentences, typed spans of them, and only under the grounding guard.

A 135M model that sees a whole passage picks right in .42 of cases, one that sees the best sentence in .87 (notes); it never sees what the guard keeps back.
If the documents do not have the answer there must be no option.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from redraft.claims.candidates import Candidate, candidates
from redraft.claims.questions import Question, coverage, equivalent, lifespan, names_covered, only_kind, read_question, share_of
from redraft.claims.segment import sentences
from redraft.claims.sentence import read_sentence
from redraft.claims.words import stems, words
from redraft.effects import Effects
from redraft.planning.options import Option
from redraft.types import Evidence, Failure, Task, ToolCall

__all__ = ["best_sentences", "options"]

TOOL = "documents"
MAX_OPTIONS = 8
RELEVANCE = 0.35
ASKED = 0.5
"""A sentence must have more than this share of what is asked of the thing named: half of it may be said of another thing."""
BEHIND = 0.6
WEAKEST = 0.45
"""Share of the best option's fit below which a span is not offered."""


async def options(task: Task, effects: Effects, *, coverage_needed: float = 0.7, guard: bool = True) -> tuple[Option, ...]:
    """Answers that the documents could give to the task's question, best first; none where no passage is about it.

    `coverage_needed` is the share of the question's content words that a passage must have, besides the names in the question. Without the guard
    every relevant passage is offered, which shows what it prevents.
    """
    question = read_question(task.query)
    if TOOL not in effects.tools or question.type == "yes_no" or not question.content:
        return ()
    call = ToolCall(tool=TOOL, input=task.query)
    result = await effects.use(call)
    if isinstance(result, Failure):
        return ()
    found: list[Option] = []
    for rank, item in enumerate(result):
        if guard and not _grounded(question, item, coverage_needed):
            continue
        for sentence, share in best_sentences(question, item, least=ASKED if guard else 0.0):
            for candidate in candidates(question, sentence)[:MAX_OPTIONS]:
                found.append(_option(call, item, sentence, candidate, share * 0.9**rank))
    return tuple(_distinct(sorted(found, key=lambda option: -option.fit), question))


def _grounded(question: Question, item: Evidence, needed: float) -> bool:
    """The grounding guard: relevant, about enough of the question, and naming all that the question names."""
    about = f"{item.title}. {item.text}"
    share = max(coverage(question, about), 1.0 if lifespan(question, item.text) else 0.0)
    return item.relevance >= RELEVANCE and share >= needed and names_covered(question, about)


def best_sentences(question: Question, item: Evidence, count: int = 2, *, least: float = 0.0) -> list[tuple[str, float]]:
    """The sentences of a passage that have most of the question, each with its share.

    What the passage is about (its title, the names of the question) counts less than what is asked of it: "its director is" answers for the museum of
    the title. Sentences without a span of the kind asked for do not count. A second sentence is kept only where it comes close to the first.
    """
    topic = stems(words(item.title)) | stems(word for name in question.names for word in words(name))
    asked = [word for word in question.content if word.stem not in topic and not only_kind(question, word)]
    found: list[tuple[str, float]] = []
    for start, end in sentences(item.text):
        sentence = item.text[start:end]
        if not read_sentence(sentence).question and candidates(question, sentence):
            whole = share_of(question.content, sentence)
            share = 1.0 if lifespan(question, sentence) else share_of(asked, sentence)
            if asked and share <= least:
                continue
            found.append((sentence, 0.7 * share + 0.3 * whole if asked else whole))
    found.sort(key=lambda pair: -pair[1])
    return [pair for pair in found[:count] if pair[1] > 0 and pair[1] >= 0.75 * found[0][1]]


def _option(call: ToolCall, item: Evidence, sentence: str, candidate: Candidate, share: float) -> Option:
    """The evidence of an option is the one sentence that gives it."""
    narrowed = dataclasses.replace(item, text=sentence, value=candidate.text)
    return Option(call=call, label=candidate.text, result=(narrowed,), answer=candidate.text, fit=round(min(1.0, candidate.fit * share), 4))


def _distinct(found: Iterable[Option], question: Question) -> list[Option]:
    """Each answer once, and none that is much weaker than the best.

    Where the kind of answer is known the order by rule is right far more often than a small model's choice (.93 to .80 on our own questions), so the
    others stand back.
    """
    kept: list[Option] = []
    for option in found:
        if kept and option.fit < WEAKEST * kept[0].fit:
            break
        if not any(equivalent(option.answer, other.answer) for other in kept):
            kept.append(option)
        if len(kept) == MAX_OPTIONS:
            break
    if question.type == "phrase":
        return kept
    return kept[:1] + [dataclasses.replace(option, fit=round(BEHIND * option.fit, 4)) for option in kept[1:]]
