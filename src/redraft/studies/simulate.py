"""A writer, an evaluator and a judge whose truth is known: what they would find is planted, so that statistics can be seen to find it, or not.

An answer has a quality between 0 and 1. A rewrite is better with the chance `repair`, worse with the chance `regress`, and else the same. The evaluator sees
the quality with noise, and with a bias for each rewrite that a text went through, as a writer's own model has; the judge sees it with noise of its own,
and not how it came about. A candidate is kept where its observed score gains at least γ (design section 3, rule 6).

Twice: as arrays, for thousands of studies in a second (`trajectories`), and as models that go through the real loop and the real blind judge
(`SimulatedWriter`, `SimulatedEvaluator`, `SimulatedJudge`), to show that the arrays are what the loop does.
"""

from __future__ import annotations

import dataclasses
import json
import random
import re
from dataclasses import dataclass
from typing import Any

from redraft.policies import POLICIES
from redraft.policy import Policy, with_turns
from redraft.studies.blind import CRITERIA, HIGHEST, LOWEST
from redraft.studies.stats import laboratory
from redraft.types import DIMENSIONS, Ability, ModelReply, ModelRequest

__all__ = [
    "SimulatedEvaluator",
    "SimulatedJudge",
    "SimulatedWriter",
    "Trajectories",
    "World",
    "judge_scores",
    "quality_in",
    "simulated_policy",
    "trajectories",
    "two_by_two",
]

GRAIN = 10_000
"""Qualities are written into texts as so many parts."""
_WORTH = re.compile(r"Proposal (\d+)(?: \(\d+\))? is worth (\d+) parts")
_FEEDBACK = "What was said of it:"
DRAFT_TOKENS, TURN_TOKENS = 600, 1500


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """What is true of the simulated models. `repair` and `regress` are chances per rewrite, `step` the mean size of a change, noises standard deviations."""

    turns: int = 8
    draft_mean: float = 0.55
    draft_sd: float = 0.12
    repair: float = 0.3
    regress: float = 0.2
    step: float = 0.08
    bias: float = 0.0
    noise: float = 0.04
    judge_noise: float = 0.06
    gain: float = 0.02
    rejections: int = 3
    """Consecutive rejections after which a dynamic run stops."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trajectories:
    """True quality of what is retained (n × turns + 1), whether each candidate was kept (n × turns), where a dynamic run stops (n), and tokens by then."""

    quality: Any
    accepted: Any
    dynamic: Any
    tokens: Any

    def at(self, stop: Any) -> Any:
        """Quality at each trajectory's stop."""
        np = laboratory("numpy")
        return self.quality[np.arange(len(self.quality)), stop]


def trajectories(world: World, n: int, draw: Any, *, draft: Any = None) -> Trajectories:
    """n hard-cap runs. `draw` is a numpy Generator; `draft` are qualities to begin with, so that arms can share them."""
    np = laboratory("numpy")
    quality = np.empty((n, world.turns + 1))
    accepted = np.zeros((n, world.turns), dtype=bool)
    quality[:, 0] = _drafts(world, n, draw) if draft is None else draft
    depth = np.zeros(n)
    seen = np.clip(quality[:, 0] + draw.normal(0, world.noise, n), 0, 1)
    for turn in range(world.turns):
        chance, size = draw.random(n), world.step * draw.exponential(1, n)
        change = np.where(chance < world.repair, size, np.where(chance > 1 - world.regress, -size, 0.0))
        candidate = np.clip(quality[:, turn] + change, 0, 1)
        score = np.clip(candidate + world.bias * (depth + 1) + draw.normal(0, world.noise, n), 0, 1)
        kept = score - seen >= world.gain - 1e-9
        quality[:, turn + 1] = np.where(kept, candidate, quality[:, turn])
        seen, depth, accepted[:, turn] = np.where(kept, score, seen), depth + kept, kept
    return Trajectories(
        quality=quality,
        accepted=accepted,
        dynamic=_dynamic_stops(accepted, world),
        tokens=DRAFT_TOKENS + TURN_TOKENS * np.arange(world.turns + 1) * np.ones((n, 1)),
    )


def judge_scores(quality: Any, world: World, draw: Any) -> Any:
    """What the blind judge gives: the mean of whole points from 1 to 7 on its criteria, each seen with noise, taken to 0 to 1."""
    np = laboratory("numpy")
    seen = quality[..., None] + draw.normal(0, world.judge_noise, (*quality.shape, len(CRITERIA)))
    return np.clip(np.rint(seen * (HIGHEST - LOWEST)), 0, HIGHEST - LOWEST).mean(axis=-1) / (HIGHEST - LOWEST)


def two_by_two(same: World, cross: World, n: int, draw: Any) -> dict[str, Any]:
    """Blind scores of the four arms and of the draft over n questions: one master trajectory for each evaluator, from one draft; dynamic runs are prefixes."""
    draft = _drafts(same, n, draw)
    arms: dict[str, Any] = {"direct": judge_scores(draft, same, draw)}
    for name, world in (("same", same), ("cross", cross)):
        found = trajectories(world, n, draw, draft=draft)
        hard, dynamic = found.quality[:, -1], found.at(found.dynamic)
        scores = judge_scores(hard, world, draw)
        arms[f"{name}_hard"] = scores
        arms[f"{name}_dynamic"] = laboratory("numpy").where(dynamic == hard, scores, judge_scores(dynamic, world, draw))  # one text is judged once
    return arms


def simulated_policy(world: World, *, dynamic: bool = False) -> Policy:
    """`controlled` as the world has it: γ, the hard cap, and where asked the stop after rejections."""
    policy = with_turns(POLICIES["controlled"], world.turns)
    control = dataclasses.replace(policy.control, gain=world.gain)
    return dataclasses.replace(policy, control=control, rejections=world.rejections, stops=("rejections", "hard_cap") if dynamic else ("hard_cap",))


def quality_in(text: str) -> tuple[float, int]:
    """True quality of a simulated text, and through how many rewrites it went.

    Raises:
        ValueError: it is no simulated text.
    """
    found = _WORTH.findall(text)
    if not found:
        raise ValueError(f"no simulated text: {text[:80]!r}")
    depth, parts = found[-1]
    return int(parts) / GRAIN, int(depth)


class _Simulated:
    """A capable model that answers from the world, the seed and what it is shown, and from nothing else."""

    ability: Ability = "capable"

    def __init__(self, name: str, world: World, seed: int) -> None:
        self.name = name
        self._world = world
        self._seed = seed

    async def close(self) -> None:
        """Nothing to release."""

    def _draw(self, *parts: object) -> random.Random:
        return random.Random("\x1f".join(map(str, (self.name, self._seed, *parts))))

    def _reply(self, request: ModelRequest, text: str, tokens: int) -> ModelReply:
        said = len(text.split())
        return ModelReply(text=text, input_tokens=max(0, tokens - said), output_tokens=said, cost_usd=0.0, model=self.name)


class SimulatedWriter(_Simulated):
    """Writes drafts and rewrites whose quality is drawn as the world says."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        prompt, world = request.messages[-1].content, self._world
        draw = self._draw(request.sample, prompt)
        if request.role != "corrector":
            return self._reply(request, _text(min(1.0, max(0.0, draw.gauss(world.draft_mean, world.draft_sd))), 0, draw), DRAFT_TOKENS)
        quality, depth = quality_in(prompt.partition(_FEEDBACK)[0])
        chance, size = draw.random(), world.step * draw.expovariate(1)
        change = size if chance < world.repair else -size if chance > 1 - world.regress else 0.0
        return self._reply(request, json.dumps({"text": _text(min(1.0, max(0.0, quality + change)), depth + 1, draw)}), TURN_TOKENS)


class SimulatedEvaluator(_Simulated):
    """Scores a text by its quality, with noise, and with a bias for each rewrite that it went through."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        prompt = request.messages[-1].content
        quality, depth = quality_in(prompt)
        score = min(1.0, max(0.0, quality + self._world.bias * depth + self._draw(request.sample, prompt).gauss(0, self._world.noise)))
        ratings = [{"dimension": name, "score": 100 * score, "reason": "It says so.", "quote": "is worth"} for name in DIMENSIONS]
        return self._reply(request, json.dumps({"ratings": ratings, "defects": [], "decision": "accept"}), 0)


class SimulatedJudge(_Simulated):
    """Marks a text by its quality with noise, not knowing how it came about; right is what is worth more than a half."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        prompt = request.messages[-1].content
        quality, _ = quality_in(prompt)
        draw, scale = self._draw(request.sample, prompt), HIGHEST - LOWEST
        points = [LOWEST + min(scale, max(0, round((quality + draw.gauss(0, self._world.judge_noise)) * scale))) for _ in CRITERIA]
        marks = [{"criterion": name, "points": value} for name, value in zip(CRITERIA, points, strict=True)]
        return self._reply(request, json.dumps({"marks": marks, "verdict": "right" if quality > 0.5 else "wrong"}), 0)


def _text(quality: float, depth: int, draw: random.Random) -> str:
    """A text unlike any other: of two equal ones the evaluator would say the same, and the second would have no noise of its own."""
    return f"Proposal {depth} ({draw.randrange(10**9)}) is worth {round(quality * GRAIN)} parts."


def _drafts(world: World, n: int, draw: Any) -> Any:
    return laboratory("numpy").clip(draw.normal(world.draft_mean, world.draft_sd, n), 0, 1)


def _dynamic_stops(accepted: Any, world: World) -> Any:
    """The first boundary after as many rejections in a row, or the hard cap."""
    np = laboratory("numpy")
    in_a_row = np.zeros(len(accepted), dtype=int)
    stops = np.full(len(accepted), world.turns)
    for turn in range(world.turns):
        in_a_row = np.where(accepted[:, turn], 0, in_a_row + 1)
        stops = np.where((in_a_row >= world.rejections) & (stops == world.turns), np.minimum(stops, turn + 1), stops)
    return stops
