"""The planner for small models: enumerate every well-typed call, execute it, then choose (notes on small models: they cannot write a call, but can pick one).

The answer to a bare task is one claim. Vocabularies and grammar rules choose first; where more than one call is left, the model picks by its label.
Where nothing fits there is no route, and nothing looks checked that was not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from redraft.claims.segment import claim_id
from redraft.claims.words import content_words, stems
from redraft.effects import Effects
from redraft.errors import ModelError
from redraft.planning import arithmetic_questions, date_questions, text_questions, unit_questions
from redraft.planning.comparison import compare
from redraft.planning.options import Option
from redraft.planning.standing import stands
from redraft.protocols import Route
from redraft.types import EXACT_TOOLS, Check, Claim, Failure, Message, ModelRequest, Plan, Task, ToolCall, ToolResult, Verdict

__all__ = ["EnumeratingPlanner", "choose"]

SURE = 0.65
"""Fit from which an option may stand alone."""
LEAD = 0.2
"""How far it must be ahead of the next one with another answer."""
LEAST = 0.45
"""Below it no option is a reading of the question."""
WINDOW = 0.25
MOST = 8
OVERTURNS = 0.78
"""Fit from which a pick from the documents overturns a short draft; what a small model only rambles about gives way to any pick."""
ANSWER_WORDS = 5
WRITTEN_OUT = 0.96
"""Fit of a calculation that the question spells out."""
BRIEF_WORDS = 12
STORY_WORDS = 20
SENTENCE_END = re.compile(r"[.?!;]\s+\S")
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


class EnumeratingPlanner:
    """One route for a bare answer, by enumeration; texts that are more than an answer are left to the rules.

    `guard` and `coverage` are those of the grounding guard over documents. Without `asking`, no model picks among readings.
    """

    name = "enumerate"

    def __init__(self, *, guard: bool = True, coverage: float = 0.7, asking: bool = True) -> None:
        self.asking = asking
        self.guard = guard
        self.coverage = coverage

    async def plan(self, task: Task, text: str, effects: Effects, known: Mapping[str, Check]) -> tuple[Route, ...]:
        """The route of the answer, or none where no call fits the question.

        Raises:
            Stopped: a budget forbids a call.
        """
        if not task.bare:
            from redraft.planning.rules import RulePlanner

            return await RulePlanner().plan(task, text, effects, known)
        offered = await options(task, effects, guard=self.guard, coverage=self.coverage)
        option, plan = await choose(offered, task, effects, asking=self.asking)
        quoted = option is not None and option.call.tool == "documents"
        if option is None or (
            self.guard and quoted and (doubted(text, option) or adds(text, option.answer, task.query) or await self._in_documents(task, text, effects))
        ):
            return await self._as_it_stands(task, text, option, plan, effects)
        return (route(task, text, option, plan),)

    async def _in_documents(self, task: Task, text: str, effects: Effects) -> bool:
        passages = await effects.use(ToolCall(tool="documents", input=task.query))
        return not isinstance(passages, Failure) and stands(task.query, text, passages)

    async def _as_it_stands(self, task: Task, text: str, option: Option | None, plan: Plan, effects: Effects) -> tuple[Route, ...]:
        """The draft's own words looked up with the question: supported or undecided, never contradicted by another pick from the same documents."""
        if option is not None and compare(text, option.answer, task.query).agrees and not adds(text, option.answer, task.query):
            return (route(task, text, option, plan),)
        from redraft.planning.documents import answer_route

        found = await answer_route(replace(task, answer=text), effects)
        return () if found is None else (found,)


def adds(draft: str, answer: str, query: str) -> bool:
    """Whether the draft gives the answer and says more, of which the answer is no proof."""
    given = stems(content_words(answer)) | stems(content_words(query))
    return compare(draft, answer, query).agrees and bool(stems(content_words(draft)) - given)


def doubted(draft: str, option: Option) -> bool:
    """Whether the draft reads like somebody's answer and the pick from the documents is not sure: what the documents lack may be known from elsewhere."""
    return option.fit < OVERTURNS and len(draft.split()) <= ANSWER_WORDS


async def options(task: Task, effects: Effects, *, guard: bool = True, coverage: float = 0.7) -> tuple[Option, ...]:
    """The options of all families that the task's question and material allow, the likeliest first."""
    found: list[Option] = []
    if "table" in effects.tools:
        from redraft.planning import table_questions

        found += await table_questions.options(task, effects)
    if "documents" in effects.tools:
        from redraft.planning import document_questions

        found += await document_questions.options(task, effects, guard=guard, coverage_needed=coverage)
    given = bool(found)
    for family in (text_questions, date_questions, unit_questions, arithmetic_questions):
        if family is arithmetic_questions and any(option.fit >= 0.9 for option in found):
            continue  # numbers that are dates, measurements or places in a word are no operands
        for option in await family.options(task, effects):
            # A question that comes with material is about the material: figures of the question alone rarely answer it.
            found.append(replace(option, fit=option.fit - 0.3) if given else option)
    return tuple(sorted(found, key=lambda option: -option.fit))


async def choose(options: Sequence[Option], task: Task, effects: Effects, *, asking: bool = True) -> tuple[Option | None, Plan]:
    """The option to trust: by rule where one is unambiguous, else picked by the model among those that fit nearly as well; None where none fits.

    Without `asking`, no model picks.

    Raises:
        Stopped: a budget forbids the model's call.
    """
    ranked = sorted(options, key=lambda option: -option.fit)
    if not ranked or ranked[0].fit < LEAST:
        return None, "rule"
    best = ranked[0]
    rivals = [option for option in ranked[1:] if option.answer != best.answer]
    if best.fit >= SURE and (not rivals or best.fit - rivals[0].fit >= LEAD):
        return best, "rule"
    close = list({option.answer: option for option in reversed(ranked) if option.fit >= max(LEAST, best.fit - WINDOW)}.values())
    close = sorted(close, key=lambda option: -option.fit)[:MOST]
    if len(close) == 1:
        return best, "chosen"
    if not asking or effects.writer.ability == "none":
        return None, "rule"
    return await pick(close, task, effects), "chosen"


async def pick(close: Sequence[Option], task: Task, effects: Effects) -> Option | None:
    """The option whose label the model writes; the first where it cannot be asked or keeps to no label."""
    labels = [option.label for option in close]
    messages = (Message(role="system", content=SYSTEM), *SHOTS, Message(role="user", content=task.query))
    if any(quoted(option) for option in close):
        sentences = dict.fromkeys(option.result[0].text for option in close if quoted(option))
        content = f"{' '.join(sentences)}\n\n{task.query}"
        messages = (Message(role="system", content=READING), *READING_SHOTS, Message(role="user", content=content))
    grammar = "root ::= " + " | ".join(json.dumps(label, ensure_ascii=False) for label in labels)
    request = ModelRequest(role="chooser", messages=messages, grammar=grammar, max_tokens=64, seed=effects.seed)
    try:
        reply = await effects.ask(effects.writer, request)
    except ModelError:  # said to the user by the effects
        return close[0]
    said = reply.text.strip()
    return next((option for option in close if option.label == said), close[0])


def quoted(option: Option) -> bool:
    """Whether the option is a piece of a document: then the model sees the sentence that it is taken from."""
    return option.call.tool == "documents"


def read_out(query: str, option: Option) -> bool:
    """Whether the option is a reading of a story and not what the question spells out. Such a reading supports an answer, and overturns none that was given:
    of 2,314 right answers to word problems it would have called 374 wrong."""
    words, sentences = len(query.split()), 1 + len(SENTENCE_END.findall(query))
    if option.call.tool == "calculator":
        return option.fit < WRITTEN_OUT and (sentences > 1 or words > BRIEF_WORDS)
    return (
        option.call.tool in EXACT_TOOLS - {"table"} and len(FIGURE.findall(query)) > 0 and (words > STORY_WORDS or sentences > 1 < len(FIGURE.findall(query)))
    )


def route(task: Task, text: str, option: Option, plan: Plan) -> Route:
    """The bare answer as one claim, decided by comparing it with the option's answer."""
    result = compare(text, option.answer, task.query)
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    words = text[start:end]
    kind = "number" if option.answer[:1].isdigit() else "fact"
    claim = Claim(id=claim_id(words, kind), text=words, span=(start, end), focus=result.focus, kind=kind, query=f"{task.query} {words}")
    read = quoted(option)
    first = option.result[0]
    guessed = task.answer is not None and read_out(task.query, option)
    against = "insufficient" if guessed else "contradicted"

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        return Verdict(
            status="supported" if result.agrees else against,
            method="quoted" if read else "computed",
            confidence=1.0 if plan == "rule" and option.fit >= 0.9 else min(0.9, option.fit),
            evidence=option.result,
            note="" if read else f"{first.text}; read out of the question, not written in it" if guessed and not result.agrees else first.text,
            expected=None if result.agrees or guessed else result.expected,
            quote=first.text if read else "",
        )

    return Route(claim=claim, calls=(option.call,), plan=plan, decide=decide, results=(option.result,))


SYSTEM = "Write the one call that answers the question."

PAIRS = (
    ("A crate holds 24 cans. How many cans are in 5 crates?", "multiply(24, 5)"),
    ("Lena had 52 stamps and sold 17 of them. How many has she now?", "subtract(52, 17)"),
    ("96 chairs stand in 8 equal rows. How many chairs are in a row?", "divide(96, 8)"),
    ("A class has 13 boys and 16 girls. How many pupils is that?", "add(13, 16)"),
    ("35% of the 80 guests are vegetarians. How many guests are that?", "percent_of(35, 80)"),
    ("A bike costs 400 dollars and is sold at 15% off. What must be paid?", "decrease_by_percent(400, 15)"),
    ("A rent of 700 rises by 4%. What is it then?", "increase_by_percent(700, 4)"),
    ("9 of 36 eggs broke. What share is that in percent?", "percentage(9, 36)"),
)
SHOTS = tuple(message for question, call in PAIRS for message in (Message(role="user", content=question), Message(role="assistant", content=call)))

READING = "Answer the question with words of the text."

READING_PAIRS = (
    ("The Elm Bridge was opened in 1931 and crosses the river Orn.", "Which river does the Elm Bridge cross?", "Orn"),
    ("Mira Dahl, a chemist from Bergen, founded the firm in 1987.", "Who founded the firm?", "Mira Dahl"),
)
READING_SHOTS = tuple(
    message
    for text, question, answer in READING_PAIRS
    for message in (Message(role="user", content=f"{text}\n\n{question}"), Message(role="assistant", content=answer))
)
