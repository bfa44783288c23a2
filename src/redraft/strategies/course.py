"""What all strategies share: the draft, the turns, what is retained, and how a run ends. The steps themselves are those of the loop."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Sequence

from redraft.claims.edits import diff_edits
from redraft.control import anchor_of, decide
from redraft.errors import Stopped
from redraft.events import Corrected, Criticised, Decided, Drafted, StoppedRun
from redraft.generate import generate
from redraft.loop import Ending, Setting, bounded, examine, moment, nothing_found, unexamined
from redraft.policy import StopReason
from redraft.stopping import status_of, stop
from redraft.types import Candidate, Decision, Problem, State, Turn

__all__ = ["Course", "finish"]


class Course:
    """The progress of one run: whatever stops it, `state` is the best text so far, with its checks."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.draft = setting.task.answer or ""
        self.initial = self.state = State(text=self.draft)
        self.history: list[Turn] = []

    async def begin(self, text: str | None = None) -> None:
        """Draft, unless the task brings an answer or a draft is given here, and examine it.

        Raises:
            Stopped: a budget forbids a call.
        """
        task, effects = self.setting.task, self.setting.effects
        if task.answer is None:
            self.draft = bounded(self.setting.policy, await generate(task, effects) if text is None else text, "", effects)
        effects.emit(Drafted(text=self.draft, given=task.answer is not None))
        self.initial = self.state = unexamined(self.draft)
        self.initial = self.state = await examine(self.setting, Candidate(text=self.draft), None, ())

    def reason(self, most_turns: int, *, without: frozenset[StopReason] = frozenset()) -> StopReason | None:
        """The first of the policy's stop rules that holds; `most_turns` is what the hard cap means for this strategy, `without` what does not count."""
        policy, effects = self.setting.policy, self.setting.effects
        rules = dataclasses.replace(policy, max_turns=most_turns, stops=tuple(rule for rule in policy.stops if rule not in without))
        return stop(rules, self.state, self.history, effects.usage, moment(effects))

    async def propose(self, candidate: Candidate, problems: Sequence[Problem], retained: State | None = None) -> Turn:
        """One turn as the loop takes it: examine a rewrite of `retained` (by default of what is kept) and decide. Keeping it is left to the caller.

        Raises:
            Stopped: a budget forbids a call.
        """
        policy, effects, number = self.setting.policy, self.setting.effects, len(self.history) + 1
        before = self.state if retained is None else retained
        effects.emit(Corrected(turn=number, text=candidate.text, edits=candidate.edits))
        new = await examine(self.setting, candidate, before, problems, turn=number)
        decision = decide(policy, before, new, problems, anchor_of(policy, self.initial, self.history, before))
        return self.record(problems, new, decision, candidate)

    def record(self, problems: Sequence[Problem], new: State, decision: Decision, candidate: Candidate) -> Turn:
        """Write a decision down as the next turn."""
        number = len(self.history) + 1
        self.setting.effects.emit(Decided(turn=number, decision=decision))
        self.history.append(Turn(number=number, problems=tuple(problems), candidate=new, decision=decision, edits=candidate.edits))
        return self.history[-1]

    def criticised(self, problems: Sequence[Problem]) -> None:
        """Note the critique of the next turn; one without problems is a turn of its own, which the stop rules read as `no_problem`."""
        number = len(self.history) + 1
        self.setting.effects.emit(Criticised(turn=number, problems=tuple(problems)))
        if not problems:
            self.history.append(nothing_found(self.state, number))

    def rewrite(self, text: str) -> Candidate:
        """A whole new text as a rewrite of the one that is kept."""
        new = bounded(self.setting.policy, text, self.state.text, self.setting.effects)
        return Candidate(text=new, edits=diff_edits(self.state.text, new))


async def finish(setting: Setting, steps: Callable[[Course], Awaitable[str]]) -> Ending:
    """Take the steps of a strategy to their end, which is the reason that they return or what stopped them. The one place where `Stopped` is caught."""
    course = Course(setting)
    try:
        reason = await steps(course)
    except Stopped as stopped:
        reason = stopped.reason
    state, effects = course.state, setting.effects
    status = status_of(state if state.text.strip() else None, course.draft)
    usage = dataclasses.replace(effects.usage, seconds=effects.elapsed_seconds)
    effects.emit(StoppedRun(reason=reason, status=status, answer=state.text, usage=usage))
    return Ending(draft=course.draft, initial=course.initial, state=state, history=tuple(course.history), reason=reason, status=status)
