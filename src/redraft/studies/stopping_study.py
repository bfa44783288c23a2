"""The stopping study: two evaluators (the writer itself, another model) × two ways to stop (the hard cap, dynamic).

For each evaluator one master trajectory is run, up to the hard cap. What would have been the dynamic run is its exact prefix (design section 4), found by the
stopping rules over the record, and costs no generation. The texts that are retained after each turn are judged too, so that the score by turn is seen.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping

from redraft.errors import UsageError
from redraft.policies import DYNAMIC, POLICIES
from redraft.policy import Policy, with_turns
from redraft.protocols import Model
from redraft.replay import grid, history_of
from redraft.studies.blind import model_identity
from redraft.studies.questions import Question
from redraft.studies.trials import DIRECT, Arm, Attempt, Bench, Design, Test

__all__ = ["stopping", "stopping_arms"]

EVALUATORS = {"same": "same evaluator", "cross": "other evaluator"}
STOPS = {"hard": "hard cap", "dynamic": "dynamic"}


def stopping_arms(max_turns: int) -> tuple[Arm, ...]:
    """The four arms of the 2 × 2, and `direct`."""
    master = with_turns(POLICIES["controlled"], max_turns)
    policies = {"hard": master, "dynamic": dataclasses.replace(master, stops=DYNAMIC)}
    arms = [
        Arm(name=f"{evaluator}-{how}", label=f"{whose}, {words}", policy=policies[how])
        for evaluator, whose in EVALUATORS.items()
        for how, words in STOPS.items()
    ]
    return (*arms, Arm(name=DIRECT, label="direct"))


def stopping(*, writer: Model, evaluator: Model, max_turns: int) -> Design:
    """The design with these models.

    Raises:
        UsageError: the other evaluator is the writer.
    """
    if model_identity(evaluator.name) == model_identity(writer.name):
        raise UsageError("this study compares two evaluators, the writer itself and another model: name that one with --evaluator")
    arms = stopping_arms(max_turns)
    dynamic = next(arm.policy for arm in arms if arm.name == "same-dynamic")
    assert dynamic is not None

    async def attempt(bench: Bench, question: Question, draft: Attempt) -> Mapping[str, Attempt]:
        models = {"same": writer, "cross": evaluator}
        found = await asyncio.gather(*(_both(bench, question, draft, dynamic, models[whose]) for whose in EVALUATORS))
        return {f"{whose}-{how}": one for whose, pair in zip(EVALUATORS, found, strict=True) for how, one in zip(STOPS, pair, strict=True)}

    return Design(
        name="stopping",
        title="Stopping: two evaluators, the hard cap against dynamic stops",
        arms=arms,
        tests=stopping_tests(arms),
        attempt=attempt,
        calls={"writer": 1 + 2 * max_turns + (max_turns + 1), "evaluator": max_turns + 1},  # the writer evaluates itself in one of the two masters
        texts=1 + 2 * max_turns,
        pairs=min(4, 2 * max_turns),
        roles={"writer": writer.name, "evaluator": evaluator.name},
    )


def stopping_tests(arms: tuple[Arm, ...]) -> tuple[Test, ...]:
    """The primary test is the one that a user decides by: what stopping early costs, over both evaluators."""
    early = {"same-dynamic": 0.5, "cross-dynamic": 0.5, "same-hard": -0.5, "cross-hard": -0.5}
    return (
        Test(name="dynamic − hard cap, over both evaluators", family="primary", weights=early, question="Does stopping early cost quality?"),
        Test(
            name="interaction: (other dynamic − other hard cap) − (same dynamic − same hard cap)", family="interaction",
            weights={"cross-dynamic": 1.0, "cross-hard": -1.0, "same-dynamic": -1.0, "same-hard": 1.0},
            question="Does it cost more under one evaluator than under the other?",
        ),
        Test(name="dynamic − hard cap, same evaluator", family="stopping", weights={"same-dynamic": 1.0, "same-hard": -1.0},
             question="Does stopping early cost quality where the writer evaluates itself?"),
        Test(name="dynamic − hard cap, other evaluator", family="stopping", weights={"cross-dynamic": 1.0, "cross-hard": -1.0},
             question="Does stopping early cost quality where another model evaluates?"),
        Test(name="other − same evaluator, hard cap", family="evaluators", weights={"cross-hard": 1.0, "same-hard": -1.0},
             question="Is another evaluator better under the hard cap?"),
        Test(name="other − same evaluator, dynamic", family="evaluators", weights={"cross-dynamic": 1.0, "same-dynamic": -1.0},
             question="Is another evaluator better under dynamic stops?"),
        *(
            Test(name=f"{arm.label} − direct", family="against direct", weights={arm.name: 1.0, DIRECT: -1.0}, question=f"Does “{arm.label}” pay off?")
            for arm in arms if arm.policy is not None
        ),
    )  # fmt: skip


async def _both(bench: Bench, question: Question, draft: Attempt, dynamic: Policy, evaluator: Model) -> tuple[Attempt, Attempt]:
    """The master trajectory, and the prefix of it that the dynamic run is."""
    hard = dataclasses.replace(dynamic, stops=POLICIES["controlled"].stops)
    whole, records = await bench.refine(question.task, draft, hard, evaluator)
    history = history_of(records)
    policies = [hard, dynamic, *(with_turns(hard, turns) for turns in range(whole.turns + 1))]
    (ended, early, *prefixes), *_ = grid([history], policies)
    if not (ended.exact and early.exact and ended.answer == whole.answer):
        raise UsageError(
            f"the record of {question.id} does not answer for its own stops ({early.note or ended.note}); the stopping rules must look at the history alone"
        )
    texts = tuple(prefix.answer for prefix in prefixes)
    sooner = Attempt.of(early.answer, early.usage, draft, turns=early.turns, stop=early.reason, by_turn=texts[: early.turns + 1])
    return dataclasses.replace(whole, by_turn=texts), dataclasses.replace(sooner, scored=whole.scored)
