"""The loop: examine, criticise, correct, examine again, decide. Everything it does to the world goes through `Effects`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from redraft.claims.edits import same_but_space
from redraft.claims.refusal import is_refusal
from redraft.control import anchor_of, decide
from redraft.correct import correct
from redraft.critique import critique
from redraft.effects import Effects
from redraft.errors import Stopped
from redraft.evaluate import evaluate, evaluate_again
from redraft.events import Corrected, Criticised, Decided, Drafted, Scored, StoppedRun, Verified
from redraft.generate import generate
from redraft.interact import interact
from redraft.policy import Policy
from redraft.probe import probe
from redraft.protocols import Planner
from redraft.stopping import Moment, status_of, stop
from redraft.types import Candidate, Check, Claim, Decision, Problem, State, Status, Task, Turn
from redraft.verify import verify

__all__ = ["Ending", "Setting", "bounded", "examine", "moment", "nothing_found", "run_loop", "unexamined"]


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
    setting = dataclasses.replace(setting, policy=setting.policy.for_kind(setting.task.kind))
    task, policy, effects = setting.task, setting.policy, setting.effects
    draft = task.answer or ""
    state = initial = State(text=draft)
    history: list[Turn] = []
    try:
        if task.answer is None:
            draft = bounded(policy, await generate(task, effects), "", effects)
        effects.emit(Drafted(text=draft, given=task.answer is not None))
        state = initial = unexamined(draft)
        state = initial = await examine(setting, Candidate(text=draft), None, ())
        while (reason := stop(policy, state, history, effects.usage, moment(effects))) is None:
            problems = await critique(task, policy, state, effects, history)
            effects.emit(Criticised(turn=len(history) + 1, problems=problems))
            if not problems:
                history.append(nothing_found(state, len(history) + 1))
                continue
            candidate = await correct(task, state, problems, history, effects, policy)
            candidate = dataclasses.replace(candidate, text=bounded(policy, candidate.text, state.text, effects))
            effects.emit(Corrected(turn=len(history) + 1, text=candidate.text, edits=candidate.edits))
            new = await examine(setting, candidate, state, problems, turn=len(history) + 1)
            decision = decide(policy, state, new, problems, anchor_of(policy, initial, history, state))
            if decision.accepted and decision.rule == "gain" and policy.control.confirm:
                decision = await confirmed(setting, state, new, problems, decision)
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
    """Checks and scorecard of a text. A text equal to the retained one keeps what was already paid for, except where a critic looks for more each
    turn; a hard fail is not evaluated."""
    policy, effects = setting.policy, setting.effects
    unchanged = retained is not None and same_but_space(candidate.text, retained.text)
    if retained is not None and unchanged and policy.checks not in ("search", "claim"):
        same = {check.claim.id: check.claim.id for check in retained.checks}
        return dataclasses.replace(retained, text=candidate.text, matching=same, vague=frozenset(), confirmed_flips=frozenset())
    state = await checked(setting, candidate, retained, turn)
    effects.emit(Verified.of(turn, state))
    if retained is not None and decide(policy, retained, state, problems).rule == "hard_fail":
        return state
    scorecard = await evaluate(setting.task, policy, state, effects)
    if scorecard is None:
        return state
    effects.emit(Scored(turn=turn, scorecard=scorecard))
    return dataclasses.replace(state, scorecard=scorecard)


async def checked(setting: Setting, candidate: Candidate, retained: State | None, turn: int) -> State:
    """The text with its checks, made in the policy's way."""
    task, policy, effects = setting.task, setting.policy, setting.effects
    match policy.checks:
        case "search":
            return await interact(task, policy, candidate.text, retained, effects, turn=turn)
        case "claim":
            return await probe(task, policy, candidate.text, retained, effects, turn=turn)
        case "model" | "none":
            return State(text=candidate.text, refusal=is_refusal(candidate.text))
        case _:
            return await verify(task, policy, candidate, retained, setting.planner, effects)


async def confirmed(setting: Setting, retained: State, candidate: State, problems: Sequence[Problem], decision: Decision) -> Decision:
    """The decision on a gain again, by fresh scores of both texts; where there are none, as it was. The guard's anchor is the retained text's fresh score."""
    policy = setting.policy
    old, new = await evaluate_again(setting.task, policy, (retained, candidate), setting.effects)
    if old is None or new is None:
        return decision
    return decide(policy, dataclasses.replace(retained, scorecard=old), dataclasses.replace(candidate, scorecard=new), problems)


def bounded(policy: Policy, text: str, otherwise: str, effects: Effects) -> str:
    """The text, unless it is longer than the policy takes: then what stands in for it."""
    if len(text) <= max(policy.max_chars, len(otherwise)):
        return text
    effects.warn(f"a text of {len(text):,} characters was not taken; the policy takes {policy.max_chars:,} (max_chars)")
    return otherwise


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
