"""Baselines that spend their calls on samples: best-of-n keeps the sample that the checks speak for, self-consistency the answer that most samples give.

A given answer counts as the first sample. Ties go to the first, so that nothing is replaced without a reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from redraft.claims import numbers
from redraft.control import score_of
from redraft.errors import Stopped
from redraft.events import Corrected, Verified
from redraft.generate import generate
from redraft.loop import Ending, Setting, bounded, examine
from redraft.strategies.course import Course, finish
from redraft.types import Candidate, Decision, State, Task

__all__ = ["ballot", "merit", "run", "run_vote"]

ARTICLES = re.compile(r"\b(?:a|an|the)\b")


async def run(setting: Setting) -> Ending:
    """`policy.candidates` samples, each checked; the one with the fewest contradicted and the most supported claims is kept."""
    return await finish(setting, _best)


async def run_vote(setting: Setting) -> Ending:
    """`policy.candidates` samples; the answer that most of them give is kept, and only that one is checked besides the first (Wang et al., 2203.11171)."""
    return await finish(setting, _vote)


async def _best(course: Course) -> str:
    setting = course.setting
    texts, stopped = await _samples(course)
    await course.begin(texts[0] if texts else "")
    best = course.state
    for text in texts[1:]:
        if not text.strip():
            continue
        setting.effects.emit(Corrected(turn=len(course.history) + 1, text=text))
        new = await _examined(course, text)
        better = merit(setting, new) > merit(setting, best)
        reason = (
            "The checks speak for this sample more than for the one kept." if better else "The checks do not speak for this sample more than for the one kept."
        )
        figures = {"kept": list(merit(setting, best)), "sample": list(merit(setting, new))}
        rule = "checks"
        course.record((), new, Decision(accepted=better, rule=rule, failed=() if better else (rule,), figures=figures, reason=reason), Candidate(text=text))
        if better:
            course.state = best = new
    if stopped is not None:
        raise stopped
    return course.reason(0) or "checked"


async def _vote(course: Course) -> str:
    setting = course.setting
    texts, stopped = await _samples(course)
    await course.begin(texts[0] if texts else "")
    votes = [ballot(setting.task, text) for text in texts if text.strip()]
    counts = Counter(votes)
    winner = max(counts, key=lambda vote: counts[vote], default="")  # of equal counts the first, as Counter keeps their order
    chosen = next((text for text in texts if text.strip() and ballot(setting.task, text) == winner), None)
    if chosen is not None and ballot(setting.task, course.draft) != winner:
        setting.effects.emit(Corrected(turn=1, text=chosen))
        new = await _examined(course, chosen)
        figures = {"votes": counts[winner], "samples": len(votes)}
        reason = f"{counts[winner]} of {len(votes)} samples give this answer."
        course.record((), new, Decision(accepted=True, rule="vote", figures=figures, reason=reason), Candidate(text=chosen))
        course.state = new
    if stopped is not None:
        raise stopped
    return course.reason(0) or "checked"


async def _samples(course: Course) -> tuple[list[str], Stopped | None]:
    """The samples that could be had, the given answer first, and what stopped the others."""
    task, policy, effects = course.setting.task, course.setting.policy, course.setting.effects
    given = [] if task.answer is None else [task.answer]
    more = range(len(given), max(1, policy.candidates))
    replies = await effects.together([generate(task, effects, sample=number) for number in more])
    stopped = next((reply for reply in replies if isinstance(reply, Stopped)), None)
    return [*given, *(bounded(policy, reply, "", effects) for reply in replies if not isinstance(reply, Stopped))], stopped


async def _examined(course: Course, text: str) -> State:
    """The checks of a sample, on its own: an equal text keeps what was paid for."""
    same = next((state for state in (course.initial, *(turn.candidate for turn in course.history)) if state.text == text), None)
    if same is None:
        return await examine(course.setting, Candidate(text=text), None, (), turn=len(course.history) + 1)
    course.setting.effects.emit(Verified(turn=len(course.history) + 1, text=text, checks=same.checks))
    return same


def merit(setting: Setting, state: State) -> tuple[float, ...]:
    """How much speaks for a text, to be compared from the left: it is an answer, few claims contradicted, many supported, and the penalised score."""
    worthy = [check for check in state.checks if check.claim.checkworthy]
    contradicted = sum(check.status == "contradicted" for check in state.checks)
    supported = sum(check.status == "supported" for check in worthy)
    share = supported / len(worthy) if worthy else 0.0
    score = score_of(setting.policy, state)
    return (float(bool(state.text.strip()) and not state.refusal), -contradicted / max(1, len(state.checks)), share, -1.0 if score is None else score)


def ballot(task: Task, text: str) -> str:
    """What a sample votes for: a number as a number, with its unit, else the words without case, articles and punctuation."""
    final = _number(task, text)
    if final is not None:
        return final
    words = unicodedata.normalize("NFKC", text).casefold()
    plain = ARTICLES.sub(" ", re.sub(r"[^\w\s.,+/%-]", " ", words))
    return " ".join(re.sub(r"[.,-]+(?=\s|$)", " ", plain).split()) or " ".join(words.split())


def _number(task: Task, text: str) -> str | None:
    """The one figure that a bare answer is, or the final one of a calculation; None where the words decide."""
    found: Sequence[numbers.Quantity] = numbers.read(text)
    final = numbers.final(text) if task.kind == "math" else found[0] if len(found) == 1 and task.kind == "qa" else None
    if final is None or final.high is not None or final.bound:
        return None
    rest = (text[: final.span[0]] + text[final.span[1] :]).strip(" \t\n.!$€£")
    if task.kind != "math" and rest.casefold() not in ("", final.unit, "%"):
        return None
    return f"{final.value}{'%' if final.percent else ''} {final.unit}".strip()
