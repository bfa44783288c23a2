"""Plainly: critique and rewrite asked of a small model, one line each, with examples before the question and a grammar that allows the given forms alone.

A small model never judges: what it says here makes no check and no verdict, only the problems of policies whose critique is the writer's own opinion. What
does not keep to its form is no problem, so that nothing is rewritten by a misreading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redraft.claims.suspicion import withheld
from redraft.effects import Effects
from redraft.errors import ModelError
from redraft.types import Message, ModelRequest, Role, Task

__all__ = ["memory_of", "objection", "rewritten", "wish"]

SHOWN = 1500
"""Characters of the answer and of a remark that a small model is shown."""
LINE = r"[^\n]{1,160}"
_OBJECTION = re.compile(r"Wrong: (\S.*)")
_WISH = re.compile(r"Improve: (\S.*)")
_MEMORY = re.compile(r"I remember: (.*)\nAnswer: (\S.*)")


async def objection(task: Task, text: str, effects: Effects, *, sample: int) -> str:
    """What the model says is wrong with the answer; empty where it calls it right, or keeps to no form.

    Raises:
        Stopped: a budget forbids the call.
    """
    said = await _line("critic", RIGHT_OR_WRONG, task, text, effects, grammar=f'root ::= "Right." | "Wrong: " {LINE}', sample=sample)
    found = _OBJECTION.fullmatch(said)
    return found[1] if found else ""


async def wish(task: Task, text: str, effects: Effects, *, sample: int) -> str:
    """What the model wants improved; empty where nothing.

    Raises:
        Stopped: a budget forbids the call.
    """
    said = await _line("critic", FEEDBACK, task, text, effects, grammar=f'root ::= "Nothing to improve." | "Improve: " {LINE}', sample=sample)
    found = _WISH.fullmatch(said)
    return found[1] if found else ""


async def memory_of(task: Task, text: str, effects: Effects, *, sample: int) -> tuple[str, str]:
    """What the model remembers about the question, and the answer that it then holds most possible; both empty where it keeps to no form.

    Raises:
        Stopped: a budget forbids the call.
    """
    said = await _line("critic", RECALL, task, text, effects, grammar=f'root ::= "I remember: " {LINE} "\\nAnswer: " {LINE}', sample=sample)
    found = _MEMORY.fullmatch(said)
    return (found[1], found[2]) if found else ("", "")


async def rewritten(task: Task, text: str, feedback: Sequence[str], effects: Effects, *, sample: int) -> str:
    """The new answer; the old one where the model gives none.

    Raises:
        Stopped: a budget forbids the call.
    """
    remark = " ".join(feedback)[:SHOWN]
    said = await _line("corrector", REWRITE, task, f"{text[:SHOWN]}\nFeedback: {withheld(remark)}", effects, grammar=None, sample=sample)
    return said or text


async def _line(role: Role, shots: Sequence[tuple[str, str]], task: Task, text: str, effects: Effects, *, grammar: str | None, sample: int) -> str:
    """One reply; empty where the call failed."""
    asked = f"{task.query}\nAnswer: {withheld(text[:SHOWN])}"
    messages = [Message(role="system", content=SYSTEM)]
    for question, reply in (*shots, (asked, "")):
        messages.append(Message(role="user", content=question))
        if reply:
            messages.append(Message(role="assistant", content=reply))
    short = task.bare or role == "critic"
    stop = ("\n",) if short and role == "corrector" else ()
    request = ModelRequest(role=role, messages=tuple(messages), grammar=grammar, max_tokens=96 if short else 2048, stop=stop, seed=effects.seed, sample=sample)
    try:
        reply = await effects.ask(effects.writer, request)
    except ModelError:  # said to the user by the effects
        return ""
    return reply.text.strip()


SYSTEM = "You look at answers that somebody else wrote."

RIGHT_OR_WRONG = (
    ("How many legs do two dogs have?\nAnswer: 8", "Right."),
    ("What is the capital of Japan?\nAnswer: Osaka", "Wrong: the capital of Japan is Tokyo."),
    ("How much is 2.5 plus 1.25?\nAnswer: 3.75", "Right."),
    ("What is 12 times 12?\nAnswer: 122", "Wrong: 12 times 12 is 144."),
)
FEEDBACK = (
    ("How many legs do two dogs have?\nAnswer: 8", "Nothing to improve."),
    ("What is the capital of Japan?\nAnswer: Osaka", "Improve: the answer is not true, it should name Tokyo."),
    ("What is 12 times 12?\nAnswer: I think that it is a number.", "Improve: the answer should give the number."),
)
RECALL = (
    ("What is the capital of Japan?\nAnswer: Osaka", "I remember: Tokyo is the capital of Japan, Osaka is a large city.\nAnswer: Tokyo"),
    ("How many legs do two dogs have?\nAnswer: 8", "I remember: a dog has four legs.\nAnswer: 8"),
)
REWRITE = (
    ("What is the capital of Japan?\nAnswer: Osaka\nFeedback: the capital of Japan is Tokyo.", "Tokyo"),
    ("What is 12 times 12?\nAnswer: 122\nFeedback: 12 times 12 is 144.", "144"),
)
