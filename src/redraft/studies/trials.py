"""Running a study: every question under every arm from one draft, then every text before the blind judges in an order that says nothing of its arm.

All arms of a question begin with the same draft, the same seed and the same date, and ask through one store of replies: where two arms ask the same thing
they get the same reply (common random numbers), and each is charged for it. What an arm spends is what its writer and its evaluator were told and said, the
draft included; the judges belong to the study, not to an arm.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from redraft.errors import InputError, UsageError
from redraft.policies import POLICIES
from redraft.policy import Policy
from redraft.protocols import Clock, Model
from redraft.refiner import Refiner
from redraft.replay import history_of
from redraft.studies.agreement import Agreement, Guesses, Retest, agreement_of, guesses_of, retest_of
from redraft.studies.blind import NO_ANSWER, BlindJudge, BlindScore, Case, gathered, presentable, shuffled, verdict_of
from redraft.studies.questions import Question
from redraft.trace import Record
from redraft.types import Task, Usage

__all__ = [
    "DIRECT",
    "Arm",
    "Attempt",
    "Bench",
    "Design",
    "Judgement",
    "Progress",
    "Setting",
    "Test",
    "Trial",
    "asked_of",
    "judge_texts",
    "run_trials",
    "usable_trials",
]

DIRECT = "direct"
"""The arm that is the draft itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What a study is run with, besides its questions and its models."""

    seed: int = 0
    max_turns: int = 8
    concurrency: int = 8
    retest: float = 0.2
    """Share of the texts that are judged a second time."""
    bound: float = 0.05
    """Differences in blind quality up to this much count as equivalent."""
    alpha: float = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Arm:
    """A way to an answer."""

    name: str
    label: str
    policy: Policy | None = None
    """None for `direct`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Test:
    """A contrast of arms in blind quality, named before the study is run: the sum of weight × quality, tested against 0, within a family."""

    __test__ = False  # not a test of pytest

    name: str
    family: str
    weights: Mapping[str, float]
    question: str
    """What it answers, in words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """What an arm made of a question, and what that cost it."""

    answer: str
    tokens: int
    calls: int
    cost_usd: float | None
    turns: int
    stop: str
    by_turn: tuple[str, ...] = ()
    """The retained text after each turn, the draft first, where the study looks at that."""
    scored: bool = True
    """Whether the evaluator gave the draft a score that could be read; where it did not, nothing was refined, and the arm is the draft."""

    @staticmethod
    def of(answer: str, usage: Usage, draft: Attempt | None, *, turns: int, stop: str, by_turn: tuple[str, ...] = ()) -> Attempt:
        """The attempt with the draft's cost added to its own."""
        before = draft or Attempt(answer="", tokens=0, calls=0, cost_usd=0.0, turns=0, stop="")
        cost = None if (usage.cost_usd is None and usage.llm_calls) or before.cost_usd is None else (usage.cost_usd or 0.0) + before.cost_usd
        return Attempt(
            answer=answer, tokens=usage.input_tokens + usage.output_tokens + before.tokens, calls=usage.llm_calls + before.calls, cost_usd=cost,
            turns=turns, stop=stop, by_turn=by_turn,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One question with what each arm made of it, `direct` among them."""

    question: Question
    attempts: Mapping[str, Attempt]


@dataclass(frozen=True, kw_only=True, slots=True)
class Design:
    """A study: its arms, the tests that were named beforehand (the first is the primary one), and how a question is gone through."""

    name: str
    title: str
    arms: tuple[Arm, ...]
    tests: tuple[Test, ...]
    attempt: Callable[[Bench, Question, Attempt], Awaitable[Mapping[str, Attempt]]]
    """All arms but `direct`, from the draft."""
    calls: Mapping[str, int]
    """Model calls for one question at most, by the model's part in the study; repairs of unreadable replies come on top."""
    texts: int
    """Different texts of one question that are judged at most."""
    pairs: int
    """Of these, refined answers that are set beside the draft."""
    roles: Mapping[str, str]
    """Models of the study by their part in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """What is told of a study while it runs: how many questions are done, then how many texts are to be judged and are."""

    question_done: Callable[[], None] = lambda: None
    judging: Callable[[int], None] = lambda total: None
    text_done: Callable[[], None] = lambda: None


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What the judges said of each (question id, presentable text), and how far they can be relied on."""

    scores: Mapping[tuple[str, str], tuple[BlindScore, ...]]
    """Only texts that every judge gave a usable score."""
    unjudged: int
    agreement: Agreement | None
    retests: Mapping[str, Retest]
    guesses: Mapping[str, Guesses]

    def quality(self, question: Question, answer: str) -> float | None:
        """Mean over the judges."""
        found = self.scores.get((question.id, presentable(answer)))
        return None if found is None else fmean(score.quality for score in found)

    def right(self, question: Question, answer: str) -> bool:
        """Whether most judges call it right."""
        return verdict_of(self.scores[question.id, presentable(answer)])


class Bench:
    """What an attempt needs: the writer, the seed and the date that all arms share."""

    def __init__(self, writer: Model, *, seed: int, clock: Clock) -> None:
        self.writer = writer
        self._seed, self._clock = seed, clock

    async def draft(self, task: Task) -> Attempt:
        """One generation: the arm `direct`, and where all others begin."""
        refiner = self._refiner(POLICIES["direct"], None)
        outcome = await refiner.run(dataclasses.replace(task, answer=None))
        return Attempt.of(outcome.answer, outcome.usage, None, turns=0, stop=outcome.stop_reason)

    async def refine(self, task: Task, draft: Attempt, policy: Policy, evaluator: Model) -> tuple[Attempt, tuple[Record, ...]]:
        """The draft refined under a policy, and the record of that."""
        refiner = self._refiner(policy, evaluator)
        outcome = await refiner.revise(dataclasses.replace(task, answer=None), draft.answer)
        attempt = Attempt.of(outcome.answer, outcome.usage, draft, turns=len(outcome.turns), stop=outcome.stop_reason)
        records = tuple(refiner.trace.records)
        return dataclasses.replace(attempt, scored=history_of(records).initial.scorecard is not None), records

    def _refiner(self, policy: Policy, evaluator: Model | None) -> Refiner:
        return Refiner(self.writer, tools=(), policy=policy, evaluator=evaluator, seed=self._seed, clock=self._clock, calibration="none")


def asked_of(task: Task) -> str:
    """The question as a judge sees it: what the writer was asked, with the background that came with it."""
    return f"{task.context}\n\n{task.query}" if task.context else task.query


async def run_trials(design: Design, bench: Bench, questions: Sequence[Question], setting: Setting, progress: Progress) -> list[Trial | Question]:
    """Every question gone through; one of which no draft could be had is given back as it is."""

    async def one(question: Question) -> Trial | Question:
        draft = await bench.draft(question.task)
        if not draft.answer.strip():
            return question
        others = await design.attempt(bench, question, draft)
        return Trial(question=question, attempts={DIRECT: draft, **others})

    return await gathered([partial(one, item) for item in questions], concurrency=setting.concurrency, done=progress.question_done)


async def judge_texts(judges: Sequence[BlindJudge], trials: Sequence[Trial], setting: Setting, progress: Progress) -> Judgement:
    """All different texts before all judges, in an order drawn by seed; some of them again; and the guesses which of two was refined.

    Raises:
        UsageError: no judge.
    """
    if not judges:
        raise UsageError("a study needs a judge; name one with --judge")
    cases: dict[tuple[str, str], Case] = {}
    for trial in trials:
        for attempt in trial.attempts.values():
            for text in dict.fromkeys((attempt.answer, *attempt.by_turn)):
                shown = presentable(text)
                cases[trial.question.id, shown] = Case(question=asked_of(trial.question.task), answer=shown)
    order = shuffled(cases, setting.seed, key="\x1f".join)
    again = order[: min(len(order), max(round(setting.retest * len(order)), 3))] if setting.retest > 0 else []
    pairs = _refined_pairs(trials, setting.seed)
    progress.judging(len(judges) * (len(order) + len(again) + len(pairs)))
    run = partial(gathered, concurrency=setting.concurrency, done=progress.text_done)
    by_judge: list[list[BlindScore | None]] = [await run([partial(judge.score, cases[key]) for key in order]) for judge in judges]
    retests: dict[str, Retest] = {}
    guesses: dict[str, Guesses] = {}
    for judge, first in zip(judges, by_judge, strict=True):
        second = await run([partial(judge.score, cases[key], again=1) for key in again])
        both = [(one, two) for one, two in zip(first, second, strict=False) if one is not None and two is not None]
        if both:
            qualities = [one.quality for one, _ in both], [two.quality for _, two in both]
            retests[judge.name] = retest_of(*qualities, [(one.verdict, two.verdict) for one, two in both])
        said = [found for found in await run([partial(judge.guess, *pair) for pair in pairs]) if found is not None]
        if said:
            guesses[judge.name] = guesses_of(sum(said), len(said))
    scores = {key: _all(marks) for key, marks in zip(order, zip(*by_judge, strict=True), strict=True)}
    agreement = None
    if len(judges) > 1:
        verdicts = [[None if score is None else score.verdict for score in row] for row in by_judge]
        agreement = agreement_of(verdicts, [[None if score is None else score.quality for score in row] for row in by_judge])
    usable = {key: marks for key, marks in scores.items() if marks is not None}
    return Judgement(scores=usable, unjudged=len(scores) - len(usable), agreement=agreement, retests=retests, guesses=guesses)


def _all(marks: Sequence[BlindScore | None]) -> tuple[BlindScore, ...] | None:
    known = tuple(mark for mark in marks if mark is not None)
    return known if len(known) == len(marks) else None


def _refined_pairs(trials: Sequence[Trial], seed: int) -> list[tuple[str, str, str]]:
    """Question, draft and refined answer wherever these two differ, each once, in an order drawn by seed."""
    found: dict[tuple[str, str, str], None] = {}
    for trial in trials:
        draft = presentable(trial.attempts[DIRECT].answer)
        for attempt in trial.attempts.values():
            refined = presentable(attempt.answer)
            if refined != draft and NO_ANSWER not in (refined, draft):
                found[asked_of(trial.question.task), draft, refined] = None
    return shuffled(found, seed, key="\x1f".join)


def usable_trials(trials: Sequence[Trial | Question], judgement: Judgement) -> list[Trial]:
    """The trials of which every arm was judged.

    Raises:
        InputError: fewer than two.
    """
    good = [
        item
        for item in trials
        if isinstance(item, Trial) and all(judgement.quality(item.question, attempt.answer) is not None for attempt in item.attempts.values())
    ]
    if len(good) < 2:
        undrafted = sum(not isinstance(item, Trial) for item in trials)
        raise InputError(
            f"only {len(good)} of {len(trials)} questions have a judged answer in every arm; a study needs at least two. Without a draft (the writer refused, "
            f"or what it sent could not be read): {undrafted}; without a score of every judge: {len(trials) - undrafted - len(good)}. Such replies are kept: "
            "mend the model or its name, and begin in another folder (-o)"
        )
    return good
