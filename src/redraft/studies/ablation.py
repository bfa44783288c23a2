"""The ablation study: what each part of controlled refinement is worth, by taking it away.

Full has an ensemble of three evaluations a text, the critical guard and strict scores; each other arm lacks one of them; `direct` is the draft. What the
published study calls these parts it does not define in full: ours are said in the docs, and named as ours.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping

from redraft.policies import POLICIES
from redraft.policy import Policy, with_turns
from redraft.protocols import Model
from redraft.studies.questions import Question
from redraft.studies.trials import DIRECT, Arm, Attempt, Bench, Design, Test

__all__ = ["ENSEMBLE", "ablation", "ablation_arms"]

ENSEMBLE = 3
"""Evaluations of one text under Full."""
FULL = "full"


def ablation_arms(max_turns: int) -> tuple[Arm, ...]:
    """Full, without each of its parts, and `direct`, in this order."""
    full = dataclasses.replace(with_turns(POLICIES["controlled"], max_turns), samples=ENSEMBLE)

    def arm(name: str, label: str, policy: Policy) -> Arm:
        return Arm(name=name, label=label, policy=dataclasses.replace(policy, name=name, summary=label))

    return (
        arm(FULL, "full", full),
        arm("no-ensemble", "without the ensemble", dataclasses.replace(full, samples=1)),
        arm("no-guard", "without the critical guard", dataclasses.replace(full, control=dataclasses.replace(full.control, critical=()))),
        arm("no-strict", "without strict evaluation", dataclasses.replace(full, strict_scores=False)),
        Arm(name=DIRECT, label="direct"),
    )


def ablation(*, writer: Model, evaluator: Model, max_turns: int) -> Design:
    """The design with these models."""
    arms = ablation_arms(max_turns)
    refined = [arm for arm in arms if arm.policy is not None]

    async def attempt(bench: Bench, question: Question, draft: Attempt) -> Mapping[str, Attempt]:
        found = await asyncio.gather(*(bench.refine(question.task, draft, arm.policy, evaluator) for arm in refined if arm.policy is not None))
        return {arm.name: one for arm, (one, _) in zip(refined, found, strict=True)}

    tests = (
        Test(name="full − direct", family="primary", weights={FULL: 1.0, DIRECT: -1.0}, question="Does refining pay off at all?"),
        *(
            Test(
                name=f"full − {arm.label}", family="components", weights={FULL: 1.0, arm.name: -1.0},
                question=f"Is an answer better with the part that the arm “{arm.label}” lacks?",
            )
            for arm in refined[1:]
        ),
        *(
            Test(name=f"{arm.label} − direct", family="against direct", weights={arm.name: 1.0, DIRECT: -1.0}, question=f"Does “{arm.label}” pay off?")
            for arm in refined[1:]
        ),
    )  # fmt: skip

    return Design(
        name="ablation",
        title="Ablation: what each part of controlled refinement is worth",
        arms=arms,
        tests=tests,
        attempt=attempt,
        calls={"writer": 1 + len(refined) * max_turns, "evaluator": sum(arm.policy.samples for arm in refined if arm.policy is not None) * (max_turns + 1)},
        texts=len(arms),
        pairs=len(refined),
        roles={"writer": writer.name, "evaluator": evaluator.name},
    )
