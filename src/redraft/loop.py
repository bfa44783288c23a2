"""The loop: examine, criticise, correct, examine again, decide. Everything it does to the world goes through `Effects`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from redraft.claims.edits import same_but_space
from redraft.control import anchor_of, decide
from redraft.correct import correct
from redraft.critique import critique
from redraft.effects import Effects
from redraft.errors import Stopped
from redraft.evaluate import evaluate
from redraft.events import Corrected, Criticised, Decided, Drafted, Scored, StoppedRun, Verified
from redraft.generate import generate
from redraft.policy import Policy
from redraft.protocols import Planner
from redraft.stopping import Moment, status_of, stop
from redraft.types import Candidate, Check, Claim, Decision, Problem, State, Status, Task, Turn
from redraft.verify import verify

__all__ = ["Ending", "Setting", "examine", "moment", "nothing_found", "run_loop", "unexamined"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What stays the same for all turns of a run."""

    task: Task
    policy: Policy
    planner: Planner
    effects: Effects


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How a run ended: the draft and its state, the retained state, the turns, and why it stopped."""

    draft: str
    initial: State
    state: State
    history: tuple[Turn, ...]
    reason: str
    status: Status


async def run_loop(setting: Setting) -> Ending:
    """Run the task to its end. Failures degrade, and whatever stops the run, the best text so far is returned with its checks."""
    task, policy, effects = setting.task, setting.policy, setting.effects
    draft = task.answer or ""
    state = initial = State(text=draft)
    history: list[Turn] = []
    try:
        if task.answer is None:
            draft = await generate(task, effects)
        effects.emit(Drafted(text=draft, given=task.answer is not None))
        state = initial = unexamined(draft)
        state = initial = await examine(setting, Candidate(text=draft), None, ())
        while (reason := stop(policy, state, history, effects.usage, moment(effects))) is None:
            problems = await critique(task, policy, state, effects)
            effects.emit(Criticised(turn=len(history) + 1, problems=problems))
            if not problems:
                history.append(nothing_found(state, len(history) + 1))
                continue
            candidate = await correct(task, state, problems, history, effects)
            effects.emit(Corrected(turn=len(history) + 1, text=candidate.text, edits=candidate.edits))
            new = await examine(setting, candidate, state, problems, turn=len(history) + 1)
            decision = decide(policy, state, new, problems, anchor_of(policy, initial, history, state))
            effects.emit(Decided(turn=len(history) + 1, decision=decision))
            history.append(Turn(number=len(history) + 1, problems=problems, candidate=new, decision=decision, edits=candidate.edits))
            if decision.accepted:
                state = new
    except Stopped as stopped:
        reason = stopped.reason
    status = status_of(state if state.text.strip() else None, draft)
    usage = dataclasses.replace(effects.usage, seconds=effects.elapsed_seconds)
    effects.emit(StoppedRun(reason=reason, status=status, answer=state.text, usage=usage))
    return Ending(draft=draft, initial=initial, state=state, history=tuple(history), reason=reason, status=status)


async def examine(setting: Setting, candidate: Candidate, retained: State | None, problems: Sequence[Problem], *, turn: int = 0) -> State:
    """Checks and scorecard of a text. A text equal to the retained one keeps what was already paid for; a hard fail is not evaluated."""
    policy, effects = setting.policy, setting.effects
    if retained is not None and same_but_space(candidate.text, retained.text):
        same = {check.claim.id: check.claim.id for check in retained.checks}
        return dataclasses.replace(retained, text=candidate.text, matching=same, vague=frozenset(), confirmed_flips=frozenset())
    state = await verify(setting.task, policy, candidate, retained, setting.planner, effects)
    effects.emit(Verified.of(turn, state))
    if retained is not None and decide(policy, retained, state, problems).rule == "hard_fail":
        return state
    scorecard = await evaluate(setting.task, policy, state, effects)
    if scorecard is None:
        return state
    effects.emit(Scored(turn=turn, scorecard=scorecard))
    return dataclasses.replace(state, scorecard=scorecard)


def moment(effects: Effects) -> Moment:
    """What the stopping rules may know of the world: the time that passed, and whether the caller or the tools gave up."""
    return Moment(elapsed_seconds=effects.elapsed_seconds, cancelled=effects.cancelled, tools_down=effects.tools_down)


def nothing_found(state: State, number: int) -> Turn:
    """The turn of a critic that found no problem: the next stop() reads it as `no_problem`."""
    return Turn(number=number, problems=(), candidate=state, decision=Decision(accepted=False, rule="no_problem", reason="The critic found no problem."))


def unexamined(text: str) -> State:
    """A text of which nothing is known yet: what remains if the run is stopped before its first check ends."""
    claim = Claim(id="whole", text=text, span=(0, len(text)))
    return State(text=text, checks=(Check(claim=claim, status="unavailable", note="the run was stopped before this could be checked"),))
