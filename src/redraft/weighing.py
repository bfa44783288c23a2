"""Weigh what no rule decides: judge it with proof, take one more step where the evidence gives only a step, hear the other side before overturning.

A contradiction stands only if every look agrees with it: a second judgement where the first was unsure, a search for support of the answer as it
stands, the sources on either side weighed against each other, and the local entailment verifier where there is one. Whatever remains in doubt is
`insufficient`, with both sides in its evidence.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from redraft.claims.confidence import CEILING, FLOOR, calibrated
from redraft.claims.sources import Side, outweighs, side, trusted
from redraft.claims.values import agrees
from redraft.effects import Effects
from redraft.entailed import entailed
from redraft.judge import Judged, Question, judge
from redraft.planning.choosing import sources_needed
from redraft.policy import Policy
from redraft.protocols import Route
from redraft.screening import NOTE as HOSTILE
from redraft.screening import hostile
from redraft.types import Evidence, Failure, Task, ToolCall, ToolResult, Verdict, is_search

__all__ = ["Case", "confirm", "corroborated", "looked_up", "weigh"]

SHOWN_FRESH = 4
"""Pieces of evidence of a follow-up look-up that the judge is shown before those he has seen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One claim that no rule decides, and what is needed to weigh it."""

    task: Task
    policy: Policy
    text: str
    route: Route
    effects: Effects
    doubt: str = ""
    """Why the answer cannot be one to this question, where the first look says so."""

    @property
    def capable(self) -> bool:
        """Whether a model is there that may judge."""
        return self.effects.judge.ability == "capable"

    async def use(self, call: ToolCall) -> ToolResult:
        """The tool's evidence, with the trust that the policy gives its source.

        Raises:
            Stopped: a budget forbids it.
        """
        return self.believed(await self.effects.use(call))

    def believed(self, result: ToolResult) -> ToolResult:
        """The result with the trust that the policy gives its sources."""
        return result if isinstance(result, Failure) else tuple(trusted(item, self.policy.trust) for item in result)

    async def judge(self, evidence: Sequence[Evidence], *, sample: int = 0) -> Judged | None:
        """A judgement with calibrated confidence, `insufficient` where that is below a half; None where the bound on judgements is reached.

        Raises:
            Stopped: a budget forbids it.
        """
        if not self.effects.may_judge():
            return None
        question = Question(task=self.task, answer=self.text, claim=self.route.claim, doubt=self.doubt, sample=sample)
        judged = await judge(question, evidence, self.effects)
        if judged.verdict.status == "insufficient":
            return judged
        confidence = calibrated(self.policy.calibration, "judged", judged.verdict.confidence)
        if not confidence >= FLOOR:  # what is no number is not enough either
            note = f"judged {judged.verdict.status} with a confidence of less than {FLOOR:g}, which decides nothing"
            return dataclasses.replace(judged, verdict=Verdict(status="insufficient", method="judged", evidence=judged.verdict.evidence, note=note))
        return dataclasses.replace(judged, verdict=dataclasses.replace(judged.verdict, confidence=confidence))

    def relevant(self, result: ToolResult, seen: Iterable[Evidence] = ()) -> list[Evidence]:
        """What a look-up gave that is relevant, gives no orders, and was not seen before."""
        known = {item.id for item in seen}
        found = () if isinstance(result, Failure) else result
        return [item for item in found if item.relevance >= self.policy.relevance and item.id not in known and not hostile(item)]


async def weigh(case: Case, results: Sequence[ToolResult]) -> Verdict:
    """The verdict on a claim whose own rule does not decide it.

    Raises:
        Stopped: a budget forbids a call.
    """
    found = list({item.id: item for result in results if not isinstance(result, Failure) for item in result}.values())
    if not found:
        return _nothing(results)
    relevant = [item for item in found if item.relevance >= case.policy.relevance]
    if not relevant:
        return Verdict(status="insufficient", evidence=tuple(found[:3]), note="what was found has too little to do with it")
    if not case.capable:
        note = "evidence was found, but no rule decides it and no model was given to judge it"
        return await entailed(case.route.claim, case.task, case.policy, relevant, case.effects) or _open(relevant, note)
    judged, seen = await _judged(case, relevant)
    if judged is None:
        return _open(relevant, "the bound on judgements is reached")
    verdict = await _settled(case, judged, seen)
    if verdict.status not in ("supported", "contradicted"):
        return verdict
    return _unless_opposed(verdict, await entailed(case.route.claim, case.task, case.policy, relevant, case.effects))


async def looked_up(case: Case) -> Verdict | None:
    """What the local verifier makes of a claim that no rule takes, after one search for it; None without a verifier or a search, or where it says too little.

    Raises:
        Stopped: a budget forbids a call.
    """
    claim, search = case.route.claim, _search(case)
    if case.effects.entailment is None or search is None or claim.kind != "fact" or (case.task.bare and not claim.query):
        return None
    found = case.relevant(await case.use(ToolCall(tool=search, input=claim.query or claim.text)))
    return await entailed(claim, case.task, case.policy, found, case.effects)


async def confirm(case: Case, verdict: Verdict) -> Verdict:
    """A contradiction by a call that a model chose steers no correction until a judge agrees that the call asks the right thing.

    Raises:
        Stopped: a budget forbids the call.
    """
    judged = await case.judge(verdict.evidence) if case.capable else None
    if judged is None:
        return verdict
    again = judged.verdict
    if again.status == "contradicted":
        rounded = again.expected is not None and agrees(again.expected, verdict.evidence[0].value)
        return dataclasses.replace(verdict, confidence=max(verdict.confidence, again.confidence), expected=again.expected if rounded else verdict.expected)
    note = "a second look did not confirm that this calculation answers the question"
    return Verdict(status="insufficient", method=verdict.method, evidence=verdict.evidence, note=note)


async def corroborated(case: Case, verdict: Verdict, results: Sequence[ToolResult]) -> Verdict:
    """The computed verdict of a call that a model chose, beside what the other tools that were asked about the claim found.

    Where they say the same it is surer; where they say the opposite it stands only if what it was computed from weighs more, and both are shown.

    Raises:
        Stopped: a budget forbids the call.
    """
    others = [item for result in results for item in case.relevant(result, verdict.evidence) if is_search(item.tool)]
    judged = await case.judge(others) if others and case.capable else None
    if judged is None or judged.verdict.status not in ("supported", "contradicted"):
        return await confirm(case, verdict) if verdict.status == "contradicted" else verdict
    both = dataclasses.replace(verdict, quote=verdict.quote or verdict.note, evidence=_distinct(verdict.evidence, judged.deciding))
    if judged.verdict.status == verdict.status:
        return dataclasses.replace(both, quote=verdict.quote, confidence=strengthened(verdict.confidence, 1 + side(judged.deciding).sources))
    weighed = _weighed(both, side(verdict.evidence), side(judged.deciding), [judged.verdict.quote])
    if weighed.status == "contradicted":
        weighed = await confirm(case, dataclasses.replace(weighed, evidence=verdict.evidence))
    return dataclasses.replace(weighed, quote=verdict.quote if weighed.status == verdict.status else weighed.quote, evidence=both.evidence)


def strengthened(confidence: float, sources: int) -> float:
    """Confidence in what several independent sources say: each after the first halves the doubt that is left. A judgement is never certain."""
    return max(confidence, min(CEILING, 1 - (1 - confidence) * 0.5 ** max(0, sources - 1)))


async def _judged(case: Case, relevant: Sequence[Evidence]) -> tuple[Judged | None, list[Evidence]]:
    """The judgement, after following at most `policy.chain` steps that the evidence only points to; and all evidence seen on the way."""
    evidence = list(relevant)
    judged = await case.judge(evidence)
    asked = {call.input.strip().casefold() for call in case.route.calls}
    for _ in range(case.policy.chain):
        if judged is None or judged.verdict.status != "insufficient" or not judged.next_query or judged.next_query.casefold() in asked:
            break
        asked.add(judged.next_query.casefold())
        search = _search(case)
        fresh = case.relevant(await case.use(ToolCall(tool=search, input=judged.next_query)), evidence) if search else []
        if not fresh:
            break
        ahead = [*judged.deciding, *fresh[:SHOWN_FRESH]]
        evidence = list({item.id: item for item in (*ahead, *evidence, *fresh)}.values())
        further = await case.judge(evidence)
        if further is None:
            break
        note = f"{further.verdict.note} (after a further look-up: {judged.next_query})".strip()
        judged = dataclasses.replace(further, verdict=dataclasses.replace(further.verdict, note=note))
    return judged, evidence


async def _settled(case: Case, judged: Judged, seen: Sequence[Evidence]) -> Verdict:
    """The judgement, once it has passed all further looks that its status asks for."""
    verdict = judged.verdict
    if verdict.status == "supported":
        if case.doubt and not judged.denies_premise:
            return _doubtful(verdict, f"{case.doubt}; a judgement alone does not make that answer right")
        against = judged.opposing
        return _weighed(verdict, side(judged.deciding), side([item for item, _ in against]), [quote for _, quote in against])
    if verdict.status == "contradicted" and verdict.confidence < case.policy.second_look:
        again = await case.judge(verdict.evidence, sample=1)
        if again is None or again.verdict.status != "contradicted":
            return _doubtful(verdict, "contradicted with little confidence, and a second look did not confirm it")
        if again.verdict.expected != verdict.expected:
            verdict = dataclasses.replace(verdict, expected=None)
    if verdict.status != "contradicted" or case.route.claim.kind == "coverage":
        return verdict
    return await _heard(case, dataclasses.replace(judged, verdict=verdict), seen)


async def _heard(case: Case, judged: Judged, seen: Sequence[Evidence]) -> Verdict:
    """The contradiction, after one search for support of the answer as it stands, with the independent sources of both sides weighed."""
    verdict, against = judged.verdict, list(judged.deciding)
    support = [item for item, _ in judged.opposing]
    quotes = [quote for _, quote in judged.opposing]
    call = _counter_call(case)
    if call is not None:
        result = await case.use(call)
        if isinstance(result, Failure) and result.kind not in ("empty", "bad_input", "unsupported"):
            return _doubtful(verdict, f"the search for support of the answer as it stands could not run ({result.message})")
        more = case.relevant(result, seen)
        again = await case.judge(more) if more else None
        if more and again is None:
            return _doubtful(verdict, "the other side was found, but the bound on judgements is reached")
        if again is not None and again.verdict.status == "supported":
            support += again.deciding
            quotes.append(again.verdict.quote)
            against += [item for item, _ in again.opposing]
        elif again is not None and again.verdict.status == "contradicted":
            against += again.deciding
            support += [item for item, _ in again.opposing]
            quotes += [quote for _, quote in again.opposing]
    ours = side(against)
    needed = sources_needed(case.route.claim.importance, case.policy.strictness, case.policy.min_sources)
    if ours.sources < needed:
        plural = "" if ours.sources == 1 else "s"
        return _doubtful(
            dataclasses.replace(verdict, evidence=_distinct(against, support, verdict.evidence)),
            f"contradicted by {ours.sources} independent source{plural}, but {needed} are needed",
        )
    return _weighed(verdict, ours, side(support), quotes)


def _weighed(verdict: Verdict, ours: Side, theirs: Side, quotes: Sequence[str]) -> Verdict:
    """The verdict, if the sources that speak for it weigh more than those against it; a conflict between them is in its note either way."""
    verdict = dataclasses.replace(verdict, evidence=_distinct(ours.evidence, theirs.evidence, verdict.evidence))
    if not theirs.sources:
        return dataclasses.replace(verdict, confidence=strengthened(verdict.confidence, ours.sources))
    note = f"sources disagree: {_short(verdict.quote)} ({ours}) against {_short(quotes[0])} ({theirs})"
    if not outweighs(ours, theirs):
        return Verdict(status="insufficient", method="judged", evidence=_distinct(ours.evidence, theirs.evidence), note=note)
    return dataclasses.replace(verdict, note=f"{verdict.note}; {note}; the former weigh more".lstrip("; "))


def _unless_opposed(verdict: Verdict, local: Verdict | None) -> Verdict:
    """The judge's verdict, unless the local verifier firmly reads the same evidence the other way."""
    if local is None or local.status not in ("supported", "contradicted") or local.status == verdict.status:
        return verdict
    both = dataclasses.replace(verdict, evidence=_distinct(verdict.evidence[:1], local.evidence))
    return _doubtful(both, f"the judge says {verdict.status}, the local verifier {local.status}: {_short(local.quote)}")


def _counter_call(case: Case) -> ToolCall | None:
    """The search for the claim as it stands, with the tool that was searched; one that was made already is asked for its next unseen hits."""
    searched = next((call.tool for call in case.route.calls if is_search(call.tool)), None)
    if searched is None or not case.policy.counter_search:
        return None
    call = ToolCall(tool=searched, input=case.route.claim.query or case.route.claim.text)
    return dataclasses.replace(call, attempt=1) if call in case.route.calls else call


def _search(case: Case) -> str | None:
    """The tool for a follow-up look-up: the one that was searched, else any that searches."""
    names = (*(call.tool for call in case.route.calls), *case.effects.tools)
    return next((name for name in names if is_search(name) and name in case.effects.tools), None)


def _distinct(*parts: Iterable[Evidence]) -> tuple[Evidence, ...]:
    return tuple({item.id: item for part in parts for item in part}.values())


def _doubtful(verdict: Verdict, note: str) -> Verdict:
    return Verdict(status="insufficient", method="judged", evidence=verdict.evidence, note=note)


def _open(relevant: Sequence[Evidence], note: str) -> Verdict:
    return Verdict(status="unavailable", evidence=tuple(relevant[:3]), note=note)


def _nothing(results: Sequence[ToolResult]) -> Verdict:
    """No evidence at all: a search without a hit is insufficient, a tool that could not run is unavailable."""
    failures = [result for result in results if isinstance(result, Failure)]
    if not failures:
        return Verdict(status="unavailable", note="no tool can check this")
    if any(failure.kind == "empty" for failure in failures):
        note = next((failure.message for failure in failures if failure.message == HOSTILE), "nothing was found about it")
        return Verdict(status="insufficient", note=note)
    return Verdict(status="unavailable", note="; ".join(f"{failure.tool}: {failure.message}" for failure in failures))


def _short(quote: str) -> str:
    return f"“{quote[:120]}”"
