"""Verify: find the claims of a text, run the tools that check them together, and decide each claim.

Decided without a model where possible: the route's own rule reads the results. Only what no rule decides is judged by a model (`weighing.py`), and
only by a capable one. What was paid for is reused: equal calls are answered from the run's memory, and an unchanged claim keeps its verdict.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from redraft.claims.confidence import calibrated
from redraft.claims.edits import same_but_space
from redraft.claims.match import Matching, match
from redraft.claims.plausible import implausible
from redraft.claims.refusal import is_refusal
from redraft.claims.segment import claims, sentences
from redraft.effects import Effects
from redraft.errors import Stopped
from redraft.judge import second_look
from redraft.planning.rules import merge, undecidable
from redraft.policy import Policy
from redraft.protocols import Planner, Route
from redraft.recalled import recalled, remember
from redraft.screening import clean, decided
from redraft.types import EXACT_TOOLS, Candidate, Check, Claim, Evidence, Failure, Span, State, Task, ToolCall, ToolResult, Verdict
from redraft.weighing import Case, corroborated, looked_up, weigh

__all__ = ["verify"]

LISTED_CLAIMS = 50_000
"""A text with more claims is no text that anybody reads: what follows them is one undecided claim, so that time and memory stay bounded."""
FREE_TOOLS = frozenset({"calculator", "units", "dates", "text"})
"""Tools whose calls do not count against a policy's number of claims: they take less time than to say that they were left out."""


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
    if retained is not None and not task.kind == "code":
        routes = merge(text, routes, [undecidable(claim, task, effects) for claim in _unlisted(text, retained.text, routes)])
    if not routes and task.bare:
        claim = Claim(id="answer", text=text, span=(0, len(text)), focus=(0, len(text)))
        routes = (undecidable(claim, task, effects),)
    routes, dropped, rest = _bounded(text, routes, policy.max_claims)
    doubt = (implausible(task.query, text) or "") if task.bare and task.query else ""
    examiner = _Examiner(lambda route: Case(task=task, policy=policy, text=text, route=route, effects=effects, doubt=doubt), known, _used(retained))
    verdicts = await effects.together([examiner.check(route) for route in routes])
    checks: list[Check] = []
    evidence: dict[str, Evidence] = {}
    for route, verdict in zip(routes, verdicts, strict=True):
        found = _stopped(verdict) if isinstance(verdict, Stopped) else verdict
        evidence |= {item.id: item for item in found.evidence}
        checks.append(_doubted(_check(route, found), doubt))
    if dropped:
        unseen = Verdict(status="unavailable", note=f"more than {policy.max_claims} claims; this one was not looked at")
        checks = sorted([*checks, *(_check(route, unseen) for route in dropped)], key=_place)
    checks = [*_resting(_told_once(checks)), *rest]
    state = State(text=text, checks=tuple(checks), evidence=evidence, refusal=is_refusal(text))
    if retained is None:
        return state
    return await _matched(task, state, retained, candidate, effects)


def _bounded(text: str, routes: Sequence[Route], most: int) -> tuple[list[Route], list[Route], tuple[Check, ...]]:
    """The routes that are taken, those that are one too many, and a check of all that lies behind the last claim that is listed at all.

    What costs no more than a calculation, and what is no claim, does not count.
    """
    taken: list[Route] = []
    dropped: list[Route] = []
    counted = 0
    for route in routes[:LISTED_CLAIMS]:
        free = not route.claim.checkworthy or (bool(route.calls) and all(call.tool in FREE_TOOLS for call in route.calls))
        counted += not free
        (taken if free or counted <= most else dropped).append(route)
    if len(routes) <= LISTED_CLAIMS:
        return taken, dropped, ()
    start = min(route.claim.span[0] for route in routes[LISTED_CLAIMS:])
    claim = Claim(id="rest", text=text[start:], span=(start, len(text)))
    return taken, dropped, (Check(claim=claim, status="unavailable", note=f"more than {LISTED_CLAIMS:,} claims; what follows was not looked at"),)


def _told_once(checks: Sequence[Check]) -> list[Check]:
    """The checks without those of whole statements in which nothing was found, where another tool decides the very same words by rule."""
    decided = {check.claim.span for check in checks if check.status in ("supported", "contradicted") and check.plan == "rule" and check.method == "computed"}
    return [check for check in checks if not (_blank(check) and check.claim.span in decided)]


def _blank(check: Check) -> bool:
    claim = check.claim
    return check.undecided and check.method is None and claim.focus is None and claim.kind == "fact" and not claim.requirement


def _place(check: Check) -> tuple[Span, Span]:
    return check.claim.span, check.claim.focus or check.claim.span


def _unlisted(text: str, before: str, routes: Sequence[Route]) -> list[Claim]:
    """Sentences that a rewrite brought and no route takes: nothing new passes unseen because a planner left it out."""
    known = {" ".join(before[start:end].split()) for start, end in sentences(before)}
    taken = bytearray(len(text))
    for route in routes:
        if route.claim.kind != "coverage":
            start, end = route.claim.span
            taken[start:end] = b"\x01" * (end - start)
    return [claim for claim in claims(text) if " ".join(claim.text.split()) not in known and taken.find(1, *claim.span) < 0]


class _Examiner:
    """Checks one route after the other of one text; holds what all of them share."""

    def __init__(self, case: Callable[[Route], Case], known: Mapping[str, Check], used: frozenset[tuple[str, str]]) -> None:
        self._case, self._known, self._used = case, known, used

    async def check(self, route: Route) -> Verdict:
        """The verdict on the route's claim, with a calibrated confidence where a model had a part in it.

        Raises:
            Stopped: a budget forbids a call that it needs.
        """
        if not route.claim.checkworthy:
            return Verdict(status="skipped", note="not a statement that can be true or false")
        case = self._case(route)
        known = await recalled(case)
        if known is not None:
            return known
        verdict = await self._found(case, route)
        await remember(case, verdict)
        return verdict

    async def _found(self, case: Case, route: Route) -> Verdict:
        if route.results is not None:
            results: Sequence[ToolResult] = [case.believed(result) for result in route.results]
        else:
            calls = self._fresh(route)
            gathered = await case.effects.together([case.use(call) for call in calls])
            results = [_no_time(call, item) if isinstance(item, Stopped) else item for call, item in zip(calls, gathered, strict=True)]
        verdict = decided(route.decide, results)
        if verdict is None:
            return await weigh(case, clean(results))
        if route.plan == "chosen" and verdict.status in ("supported", "contradicted"):
            verdict = dataclasses.replace(verdict, confidence=calibrated(case.policy.calibration, "chosen", verdict.confidence))
            return await corroborated(case, verdict, results)
        if verdict.status == "unavailable" and not route.calls and route.results is None:
            return await looked_up(case) or verdict
        return verdict

    def _fresh(self, route: Route) -> tuple[ToolCall, ...]:
        """A claim that a rewrite introduced is not checked by the look-up that suggested it alone: the next unseen hits are asked for too."""
        calls: list[ToolCall] = []
        for call in route.calls:
            if call.tool not in EXACT_TOOLS and route.claim.text not in self._known and (call.tool, call.input) in self._used:
                calls.append(dataclasses.replace(call, attempt=call.attempt + 1))
            calls.append(call)
        return tuple(calls)


def _no_time(call: ToolCall, stopped: Stopped) -> Failure:
    return Failure(tool=call.tool, input=call.input, kind="timeout", message=f"the run was stopped first ({stopped.reason})")


def _stopped(stopped: Stopped) -> Verdict:
    return Verdict(status="unavailable", note=f"the run was stopped before this could be checked ({stopped.reason})")


def _check(route: Route, verdict: Verdict) -> Check:
    claim = route.claim
    if claim.focus is None and verdict.focus is not None:
        claim = dataclasses.replace(claim, focus=verdict.focus)
    return Check(
        claim=claim,
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


def _doubted(check: Check, doubt: str) -> Check:
    """An answer that does not fit its question, and is not shown to be right all the same, matters most, and its note says why it was doubted."""
    if not doubt or check.status in ("supported", "skipped") or check.claim.kind == "coverage":
        return check
    note = check.note if doubt in check.note else f"{check.note}; {doubt}".lstrip("; ")
    return dataclasses.replace(check, claim=dataclasses.replace(check.claim, importance=3), note=note)


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
