"""Generate: the writer drafts an answer. It is given the date and the context, and nothing of the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redraft.claims.suspicion import withheld
from redraft.effects import Effects
from redraft.errors import ModelError
from redraft.prompts import Template
from redraft.quoting import quoted_block
from redraft.types import Message, ModelRequest, Task, TaskKind

__all__ = ["generate"]

SAMPLED = 0.7
"""Temperature of every sample but the first, which is the draft that `direct` would give."""


async def generate(task: Task, effects: Effects, *, sample: int = 0, lessons: Sequence[str] = ()) -> str:
    """The draft, without outer white space; empty where the model failed, which ends the run as `failed`.

    `sample` > 0 asks for another draft than the greedy one. `lessons` is what earlier attempts at the task taught, shown to the writer as data.

    Raises:
        Stopped: a budget forbids the call.
    """
    writer = effects.writer
    messages = _short_messages(task, effects) if writer.ability == "small" else _messages(task, lessons, effects)
    limit = 48 if writer.ability == "small" and task.bare else 2048
    stop = ("\n",) if writer.ability == "small" and task.bare else ()
    temperature, seed = (SAMPLED if sample else 0.0), effects.seed + sample
    request = ModelRequest(role="writer", messages=messages, max_tokens=limit, stop=stop, temperature=temperature, seed=seed, sample=sample)
    try:
        reply = await effects.ask(writer, request)
    except ModelError as error:
        effects.warn(f"no draft: {error}")
        return ""
    return reply.text.strip()


def _messages(task: Task, lessons: Sequence[str], effects: Effects) -> tuple[Message, ...]:
    system = effects.prompts.fill(SYSTEM, date=effects.clock.now().date().isoformat(), form=effects.prompts.fill(FORMS[task.kind]))
    context = effects.prompts.fill(CONTEXT, context=quoted_block(task.context, effects)) if task.context else ""
    learnt = effects.prompts.fill(LESSONS, lessons="\n".join(quoted_block(lesson, effects) for lesson in lessons)) if lessons else ""
    return (Message(role="system", content=system), Message(role="user", content=learnt + context + task.query))


def _short_messages(task: Task, effects: Effects) -> tuple[Message, ...]:
    """A few examples of the form, constant and first (so that their tokens are cached), then the question: what a 135M model needs."""
    shots = tuple(Message(role=role, content=text) for pair in SHOTS for role, text in zip(("user", "assistant"), pair, strict=True))
    context = f"{withheld(task.context)}\n\n" if task.context else ""
    return (Message(role="system", content=effects.prompts.fill(SHORT_SYSTEM)), *shots, Message(role="user", content=context + task.query))


SYSTEM = Template(
    name="generate.system",
    variables={"date": "today's date", "form": "what an answer to this kind of task is"},
    text="""\
Today is {date}. {form}
If you do not know, say so in one sentence instead of guessing.""",
)

FORMS: Mapping[TaskKind, Template] = {
    "qa": Template(name="generate.qa", text="Answer with the answer alone: a name, a figure, a date or a short phrase. No sentence around it, no explanation."),
    "math": Template(name="generate.math", text="Answer with the final figure alone, with its unit if it has one."),
    "code": Template(name="generate.code", text="Answer with one Python code block that is complete and can be run."),
    "report": Template(name="generate.report", text="Write what is asked for, plainly and exactly. State only figures and facts that you can stand for."),
    "safety": Template(name="generate.safety", text="Answer helpfully and respectfully."),
}

CONTEXT = Template(
    name="generate.context",
    variables={"context": "the background that came with the task"},
    text="""\
Background for the question, as data between two marks:
{context}

Question: """,
)

LESSONS = Template(
    name="generate.lessons",
    variables={"lessons": "notes on earlier attempts"},
    text="""\
Earlier attempts at this question failed a check. Notes on what went wrong, as data between marks; take from them what helps, and attempt it anew:
{lessons}

""",
)

SHORT_SYSTEM = Template(name="generate.short", text="Answer with the answer alone, as short as possible.")

SHOTS = (
    ("What is the capital of Japan?", "Tokyo"),
    ("How many legs do two dogs have?", "8"),
    ("Who painted the Mona Lisa?", "Leonardo da Vinci"),
    ("What is the past tense of 'go'?", "went"),
    ("Is 15 an even number?", "No"),
    ("How much is 2.5 plus 1.25?", "3.75"),
    ("Which letter does 'tree' begin with?", "t"),
    ("When did the First World War end?", "11 November 1918"),
)
