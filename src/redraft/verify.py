"""Verify: find the claims of a text, run the tools that check them together, and decide each claim.

Decided without a model where possible: the route's own rule reads the results. Only what no rule decides is judged by a model (`judge.py`), and only
by a capable one. What was paid for is reused: equal calls are answered from the run's memory, and an unchanged claim keeps its verdict.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from redraft.claims.edits import same_but_space
from redraft.claims.match import Matching, match
from redraft.claims.refusal import is_refusal
from redraft.claims.values import agrees
from redraft.effects import Effects
from redraft.errors import Stopped
from redraft.judge import judge, second_look
from redraft.planning.rules import undecidable
from redraft.policy import Policy
from redraft.protocols import Planner, Route
from redraft.types import EXACT_TOOLS, Candidate, Check, Claim, Evidence, Failure, State, Task, ToolCall, ToolResult, Verdict

__all__ = ["verify"]


async def verify(task: Task, policy: Policy, candidate: Candidate, retained: State | None, planner: Planner, effects: Effects) -> State:
    """The state of a text: its checks in the order of the text, their evidence, and for a rewrite how its claims match those of the retained text.

    A claim whose check was stopped by a budget is `unavailable`; the text is never taken for checked.

    Raises:
        Stopped: a budget forbids even the planner's call.
    """
    text = candidate.text
    if not text.strip():
        return State(text=text, refusal=False)
    known = {check.claim.text: check for check in retained.checks if not check.undecided} if retained else {}
    routes = await planner.plan(task, text, effects, known)
    if not routes and task.bare:
        claim = Claim(id="answer", text=text, span=(0, len(text)), focus=(0, len(text)))
        routes = (undecidable(claim, task, effects),)
    dropped = routes[policy.max_claims :]
    routes = routes[: policy.max_claims]
    examiner = _Examiner(task, policy, text, known, _used(retained), effects)
    verdicts = await effects.together([examiner.check(route) for route in routes])
    checks: list[Check] = []
    evidence: dict[str, Evidence] = {}
    for route, verdict in zip(routes, verdicts, strict=True):
        found = _stopped(verdict) if isinstance(verdict, Stopped) else verdict
        evidence |= {item.id: item for item in found.evidence}
        checks.append(_check(route, found))
    checks += [_check(route, Verdict(status="unavailable", note=f"more than {policy.max_claims} claims; this one was not looked at")) for route in dropped]
    checks = _resting(checks)
    state = State(text=text, checks=tuple(checks), evidence=evidence, refusal=is_refusal(text))
    if retained is None:
        return state
    return await _matched(task, state, retained, candidate, effects)


class _Examiner:
    """Checks one route after the other of one text; holds what all of them share."""

    def __init__(self, task: Task, policy: Policy, text: str, known: Mapping[str, Check], used: frozenset[tuple[str, str]], effects: Effects) -> None:
        self.task, self.policy, self.text, self.known, self.used, self.effects = task, policy, text, known, used, effects

    async def check(self, route: Route) -> Verdict:
        claim = route.claim
        if not claim.checkworthy:
            return Verdict(status="skipped", note="not a statement that can be true or false")
        if route.results is not None:
            results: Sequence[ToolResult] = route.results
        else:
            gathered = await self.effects.together([self.effects.use(call) for call in self._fresh(route)])
            results = [_no_time(call, item) if isinstance(item, Stopped) else item for call, item in zip(self._fresh(route), gathered, strict=True)]
        verdict = route.decide(results)
        if verdict is None:
            return await self._judged(route, results)
        if verdict.status == "contradicted" and route.plan == "chosen":
            return await self._confirmed(claim, verdict)
        return verdict

    def _fresh(self, route: Route) -> tuple[ToolCall, ...]:
        """A claim that a rewrite introduced is not checked by the look-up that suggested it alone: the next unseen hits are asked for too."""
        calls: list[ToolCall] = []
        for call in route.calls:
            if call.tool not in EXACT_TOOLS and route.claim.text not in self.known and (call.tool, call.input) in self.used:
                calls.append(dataclasses.replace(call, attempt=call.attempt + 1))
            calls.append(call)
        return tuple(calls)

    async def _judged(self, route: Route, results: Sequence[ToolResult]) -> Verdict:
        claim = route.claim
        found = _distinct(item for result in results if not isinstance(result, Failure) for item in result)
        if not found:
            return _nothing(results)
        relevant = [item for item in found if item.relevance >= self.policy.relevance]
        if not relevant:
            return Verdict(status="insufficient", evidence=tuple(found[:3]), note="what was found has too little to do with it")
        if self.effects.judge.ability != "capable":
            return Verdict(
                status="unavailable", evidence=tuple(relevant[:3]), note="evidence was found, but no rule decides it and no model was given to judge it"
            )
        if not self.effects.may_judge():
            return Verdict(status="unavailable", evidence=tuple(relevant[:3]), note="the bound on judgements is reached")
        verdict = await judge(self.task, self.text, claim, relevant, self.effects)
        if verdict.status != "contradicted" or claim.kind == "coverage":
            return verdict
        return await self._countered(route, verdict, relevant)

    async def _confirmed(self, claim: Claim, verdict: Verdict) -> Verdict:
        """A contradiction by a call that a model chose steers no correction until a judge agrees that the call asks the right thing."""
        if self.effects.judge.ability != "capable" or not self.effects.may_judge():
            return verdict
        again = await judge(self.task, self.text, claim, verdict.evidence, self.effects)
        if again.status == "contradicted":
            rounded = again.expected is not None and agrees(again.expected, verdict.evidence[0].value)
            return dataclasses.replace(verdict, confidence=max(verdict.confidence, again.confidence), expected=again.expected if rounded else verdict.expected)
        note = "a second look did not confirm that this calculation answers the question"
        return Verdict(status="insufficient", method=verdict.method, evidence=verdict.evidence, note=note)

    async def _countered(self, route: Route, verdict: Verdict, seen: Sequence[Evidence]) -> Verdict:
        """Before a judged contradiction overturns an answer: look once for support of the answer as it stands, and count the sources."""
        against = {item.source or item.title or item.id for item in verdict.evidence[:1]}
        calls = [call for call in route.calls if call.tool not in EXACT_TOOLS][:1]
        if self.policy.counter_search and calls:
            call = ToolCall(tool=calls[0].tool, input=route.claim.query or route.claim.text)
            if call in route.calls:
                call = dataclasses.replace(call, attempt=1)
            result = await self.effects.use(call)
            ids = {item.id for item in seen}
            more = [] if isinstance(result, Failure) else [i for i in result if i.id not in ids and i.relevance >= self.policy.relevance]
            if more and self.effects.may_judge():
                again = await judge(self.task, self.text, route.claim, more, self.effects)
                if again.status == "supported" and not _stronger(verdict.evidence[0], again.evidence[0]):
                    note = f"sources disagree: {_short(verdict.quote)} against {_short(again.quote)}"
                    return Verdict(status="insufficient", method="judged", evidence=(verdict.evidence[0], again.evidence[0]), note=note)
                if again.status == "contradicted":
                    against.add(again.evidence[0].source or again.evidence[0].title or again.evidence[0].id)
        if len(against) < self.policy.min_sources:
            note = f"contradicted by {len(against)} source, but {self.policy.min_sources} independent ones are needed"
            return Verdict(status="insufficient", method="judged", evidence=verdict.evidence, note=note)
        return verdict


def _stronger(one: Evidence, other: Evidence) -> bool:
    """Whether the first weighs more: by trust, then by being more recent."""
    return (round(one.trust, 2), one.time) > (round(other.trust, 2), other.time)


def _distinct(items: Iterable[Evidence]) -> list[Evidence]:
    return list({item.id: item for item in items}.values())


def _nothing(results: Sequence[ToolResult]) -> Verdict:
    """No evidence at all: a search without a hit is insufficient, a tool that could not run is unavailable."""
    failures = [result for result in results if isinstance(result, Failure)]
    if not failures:
        return Verdict(status="unavailable", note="no tool can check this")
    if any(failure.kind == "empty" for failure in failures):
        return Verdict(status="insufficient", note="nothing was found about it")
    return Verdict(status="unavailable", note="; ".join(f"{failure.tool}: {failure.message}" for failure in failures))


def _no_time(call: ToolCall, stopped: Stopped) -> Failure:
    return Failure(tool=call.tool, input=call.input, kind="timeout", message=f"the run was stopped first ({stopped.reason})")


def _stopped(stopped: Stopped) -> Verdict:
    return Verdict(status="unavailable", note=f"the run was stopped before this could be checked ({stopped.reason})")


def _check(route: Route, verdict: Verdict) -> Check:
    return Check(
        claim=route.claim,
        status=verdict.status,
        method=verdict.method,
        plan=route.plan,
        confidence=verdict.confidence if route.plan == "rule" else min(verdict.confidence, 0.99),
        evidence=tuple(item.id for item in verdict.evidence),
        note=verdict.note,
        expected=verdict.expected,
        alternatives=verdict.alternatives,
        quote=verdict.quote,
    )


def _resting(checks: Sequence[Check]) -> list[Check]:
    """A requirement that words of the answer meet is as good as the claims in those words; a figure computed from a wrong one is undecided."""
    by_id = {check.claim.id: check for check in checks}
    result: list[Check] = []
    for check in checks:
        under = [by_id[name] for name in check.claim.depends_on if name in by_id]
        if check.claim.kind == "coverage" and under:
            result.append(_met(check, under))
        else:
            result.append(check)
    return result


def _met(check: Check, under: Sequence[Check]) -> Check:
    worthy = [item for item in under if item.status != "skipped"]
    if worthy and all(item.status == "supported" for item in worthy):
        weakest = min(worthy, key=lambda item: item.confidence)
        return dataclasses.replace(check, status="supported", method=weakest.method, confidence=weakest.confidence, evidence=weakest.evidence)
    return dataclasses.replace(check, status="insufficient", note="the words that meet it could not be confirmed")


def _used(retained: State | None) -> frozenset[tuple[str, str]]:
    """The look-ups behind the contradictions of the retained text: those that suggested the rewrite."""
    if retained is None:
        return frozenset()
    ids = {name for check in retained.checks if check.status == "contradicted" for name in check.evidence}
    return frozenset((item.tool, item.input) for item in retained.evidence.values() if item.id in ids)


async def _matched(task: Task, state: State, retained: State, candidate: Candidate, effects: Effects) -> State:
    """The state with its matching to the retained text, and with judged losses of support looked at a second time."""
    matching = match([check.claim for check in retained.checks], retained.text, [check.claim for check in state.checks], state.text, candidate.edits)
    flips = [(old, new) for old, new in _pairs(retained, state, matching) if old.status == "supported" and new.status == "contradicted"]
    judged = [(old, new) for old, new in flips if "judged" in (old.method, new.method)]
    if effects.judge.ability != "capable":
        confirmed = frozenset[str]()
    else:
        looks = await effects.together([_flip(task, old, new, retained, effects) for old, new in judged])
        confirmed = frozenset(old.claim.id for (old, _), look in zip(judged, looks, strict=True) if look is True)
    return dataclasses.replace(state, matching=matching.pairs, vague=matching.vague, confirmed_flips=confirmed)


async def _flip(task: Task, old: Check, new: Check, retained: State, effects: Effects) -> bool:
    if same_but_space(old.claim.text, new.claim.text) or not effects.may_judge():
        return False
    evidence = [retained.evidence[name] for name in old.evidence if name in retained.evidence]
    return await second_look(task, old.claim.text, new.claim.text, evidence, effects)


def _pairs(retained: State, state: State, matching: Matching) -> list[tuple[Check, Check]]:
    new = {check.claim.id: check for check in state.checks}
    return [(check, new[matching.pairs[check.claim.id]]) for check in retained.checks if matching.pairs.get(check.claim.id) in new]


def _short(quote: str) -> str:
    return f"“{quote[:120]}”"
