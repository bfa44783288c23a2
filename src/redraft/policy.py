"""All settings of a run as one frozen value: printable, comparable, and hashed into every record. The named ones are in `policies.py`."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from redraft.events import plain
from redraft.types import TaskKind

__all__ = ["AUTO_TURNS", "STOP_ORDER", "Budgets", "Control", "Policy", "StopReason", "Strategy", "with_budgets", "with_turns"]

StopReason = Literal[
    "cancelled", "no_answer", "nothing_to_check", "verified", "no_problem", "breaker_open", "deadline", "token_budget", "cost_budget",
    "call_budget", "target", "unchanged", "cycle", "rejections", "stagnation", "stable", "hard_cap", "checked",
]  # fmt: skip
STOP_ORDER: tuple[StopReason, ...] = (
    "cancelled", "no_answer", "nothing_to_check", "verified", "no_problem", "breaker_open", "deadline", "token_budget", "cost_budget",
    "call_budget", "target", "unchanged", "cycle", "rejections", "stagnation", "stable", "hard_cap", "checked",
)  # fmt: skip
Strategy = Literal["loop", "reflexion", "lats", "react", "best-of-n", "self-consistency", "inline-tools"]
BARE = frozenset({"qa", "math"})
"""Kinds whose answer is bare: a critic that looks things up, or remembers them, gives the new one itself."""
AUTO_TURNS = 8
"""The hard cap where `max_turns` is "auto"."""
ALWAYS: tuple[StopReason, ...] = ("cancelled", "no_answer", "deadline", "token_budget", "cost_budget", "call_budget", "breaker_open")


@dataclass(frozen=True, kw_only=True, slots=True)
class Budgets:
    """Bounds of one run; None switches a bound off. `llm_calls` counts every model call, repairs and failed ones included."""

    llm_calls: int | None = None
    tool_calls: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    deadline_seconds: float | None = None
    repairs: int = 4
    """Repairs of unparsable replies: T + 1 where the policy does not say otherwise."""
    judgements: int = 40
    """Judgements of single claims by a model, at most, over the run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Control:
    """Settings of the controller (design section 3). γ, τ: controlled iterative refinement; the penalties are ours."""

    gain: float = 0.02
    """γ: the least gain of the penalised score, inclusive to 1e-9."""
    tolerance: float = 0.05
    """τ: how far factuality and grounding may fall below the anchor."""
    anchor: Literal["retained", "best", "initial"] = "retained"
    gain_kind: Literal["absolute", "headroom"] = "absolute"
    penalty_contradicted: float = 0.10
    """λ for a contradicted claim, an arithmetic error or a failed test."""
    penalty_minor: float = 0.05
    """λ for a citation mismatch or a lost claim."""
    critical: tuple[str, ...] = ("factuality", "grounding")
    diagnosed: bool = False
    """Whether defects that the evaluator diagnosed, quoting the words, are penalised like those that checks found."""
    confirm: bool = False
    """Whether a gain counts only if fresh samples of both texts show it too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """All settings of a run."""

    name: str = "guarded"
    summary: str = ""
    source: str = "ours"
    strategy: Strategy = "loop"
    """`loop` for all policies that are the one loop under different settings; the others live in `strategies/`."""
    checks: Literal["tools", "rules", "search", "claim", "model", "safety", "none"] = "tools"
    """How a text is examined: `tools`: many claims, each by its tool; `rules`: as far as that needs no model; `search`: the critic looks things up itself;
    `claim`: the one most critical claim, by one call; `model`: the critic writes the evidence itself, which proves nothing; `safety`: a score; `none`."""
    critique: Literal["composed", "model", "aspects", "evaluator", "score", "none"] = "composed"
    accept: Literal["controller", "latest", "always", "falls"] = "controller"
    oracle: bool = False
    """Whether the caller's function says of each text if it is right, and what it calls right is left alone; for evaluation only."""
    evaluator: Literal["off", "optional", "on"] = "optional"
    samples: int = 1
    """k: evaluator samples per text (mean per dimension, majority for the veto)."""
    strict_scores: bool = False
    """Rubric and strict evaluation: a score above a half counts as a half unless it quotes its reason from the text or the evidence."""
    max_turns: int = 3
    """T: the hard cap."""
    turns_by_kind: Mapping[str, int] = field(default_factory=dict[str, int])
    """T for kinds of tasks that have another."""
    auto_turns: bool = False
    """`max_turns = "auto"`: two turns, and one more for each turn that left fewer problems than it found, at most `max_turns`."""
    candidates: int = 1
    """n of best-of-n and self-consistency; children of a node of lats."""
    episodes: int = 1
    """Episodes of reflexion."""
    nodes: int = 1
    """Nodes of lats, the root included."""
    interactions: int = 7
    """Interactions of one examination of critic, the last of which must answer, or of one answer of react and inline-tools, at most."""
    stops: tuple[StopReason, ...] = ("nothing_to_check", "verified", "no_problem", "unchanged", "cycle", "rejections", "hard_cap")
    """Stop reasons that apply besides the resource rules, which always do."""
    target: float = 0.95
    """The penalised score from which, or where `accept` is `falls` the safety score below which, the text is good enough."""
    rejections: int = 3
    stable_change: float = 0.01
    window: int = 3
    """Turns over which `stagnation` looks at the net gain."""
    control: Control = field(default_factory=Control)
    budgets: Budgets = field(default_factory=Budgets)
    when_unverified: Literal["keep", "mark", "abstain"] = "keep"
    strictness: Literal["low", "normal", "high", "auto"] = "normal"
    min_sources: int = 1
    """Independent sources a judged contradiction needs before it overturns an answer."""
    trust: Mapping[str, float] = field(default_factory=dict[str, float])
    """How far a source is trusted, 0 to 1, by domain or pattern (`nature.com`, `*.gov`); others keep what their tool says."""
    counter_search: bool = True
    chain: int = 1
    """Follow-up look-ups for one claim at most, where what was found gives only a step towards it."""
    second_look: float = 0.6
    """A judged contradiction with less confidence is judged a second time, and stands only if both agree."""
    entailed: float = 0.95
    """Confidence from which a local entailment verifier supports a claim."""
    refuted: float = 0.98
    """Confidence from which it contradicts one."""
    calibration: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict[str, tuple[tuple[float, float], ...]])
    """For each kind of confidence the curve from what is stated to what it is worth (`redraft calibrate checks`); none: as stated."""
    relevance: float = 0.35
    """Evidence below this relevance counts as none."""
    coverage: float = 0.7
    """Grounding guard: share of the question's content words that a passage must cover before it may replace an answer."""
    guard: bool = True
    """Whether the controller and the grounding guard decide; False shows what they prevent."""
    max_claims: int = 400
    max_chars: int = 400_000
    """Longest text of a model that is taken for a draft or a rewrite, so that memory stays bounded."""
    concurrency: int = 8

    @property
    def hash(self) -> str:
        """SHA-256 over the canonical JSON of all settings: equal on every machine."""
        text = json.dumps(plain(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def stop_rules(self) -> frozenset[StopReason]:
        """All stop reasons that this policy knows, the resource rules included."""
        return frozenset((*self.stops, *ALWAYS))

    def turns(self, kind: str | None = None) -> int:
        """T for tasks of this kind; None: the most for any kind."""
        return max((self.max_turns, *self.turns_by_kind.values())) if kind is None else self.turns_by_kind.get(kind, self.max_turns)

    def for_kind(self, kind: str) -> Policy:
        """The policy with the T that holds for this kind of task as its `max_turns`."""
        return dataclasses.replace(self, max_turns=self.turns(kind), turns_by_kind={}) if self.turns_by_kind else self

    def bound(self, kind: str | None = None) -> int:
        """Model calls of one run at most (design section 2); for policies that are the loop:

            1 + (T + 1)·(looks + scores) + T·(opinions + rewrites)     [+ 2·k·T with `control.confirm`]

        The draft and T rewrites are examined: `looks` is 1 plan with tools, `interactions` of a critic that searches, 2 for one claim (choose, judge);
        `scores` is k with an evaluator. `opinions` and `rewrites` are the calls of a turn that criticise and that rewrite; a critic gives a new bare answer
        without a call of its own. Without a kind it is the most for any. On top come judgements of single claims and choices of a tool
        (`budgets.judgements`), repairs of unreadable replies (`budgets.repairs`), one plan for each further 6,000 characters of a text, and k·(T + 1)
        scores where an `optional` evaluator was passed.
        """
        if kind is None and self.strategy == "loop":
            return max(self.bound(one) for one in get_args(TaskKind))
        turns = self.turns(kind)
        looks = {"tools": 1, "search": self.interactions, "claim": 2}.get(self.checks, 0)
        scores = self.samples if self.evaluator == "on" else 0
        opinions = 1 if self.critique in ("model", "aspects", "composed") and self.checks in ("model", "none", "tools") else 0
        bare = kind in BARE and self.checks in ("search", "model")
        confirmations = 2 * self.samples if self.control.confirm and scores else 0
        if self.strategy != "loop":
            return self._strategy_bound(looks + scores, opinions, confirmations)
        return 1 + (turns + 1) * (looks + scores) + turns * (opinions + (0 if bare else 1) + confirmations)

    def _strategy_bound(self, examination: int, opinions: int, confirmations: int) -> int:
        """The bound of what is no loop: every draft, lesson, step, sample and rewrite is one call, every examined text `examination` more."""
        match self.strategy:
            case "reflexion":  # a draft; for each further episode critique, lesson and attempt
                return 1 + self.episodes * examination + (self.episodes - 1) * (opinions + 2 + confirmations)
            case "lats":  # the root; every further node is one rewrite, every node is criticised once
                return 1 + self.nodes * (examination + opinions) + (self.nodes - 1) * (1 + confirmations)
            case "best-of-n":
                return self.candidates * (1 + examination)
            case "self-consistency":  # the first sample and the one that wins are examined
                return self.candidates + 2 * examination
            case "react":  # its steps, a plain draft where they lead nowhere; a given answer is examined too
                return self.interactions + 1 + 2 * examination + confirmations
            case "inline-tools":  # written twice at most
                return 2 + 2 * examination + confirmations
            case "loop":
                raise AssertionError("the loop has its own bound")


def with_turns(policy: Policy, turns: int) -> Policy:
    """The policy with this hard cap, for every kind of task."""
    return dataclasses.replace(policy, max_turns=turns, turns_by_kind={}, auto_turns=False)


def with_budgets(policy: Policy, **bounds: Any) -> Policy:
    """The policy with some bounds replaced; None leaves a bound as it is."""
    given = {key: value for key, value in bounds.items() if value is not None}
    return dataclasses.replace(policy, budgets=dataclasses.replace(policy.budgets, **given)) if given else policy
