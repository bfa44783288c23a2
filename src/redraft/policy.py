"""All settings of a run as one frozen value: printable, comparable, and hashed into every record. The named ones are in `policies.py`."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from redraft.events import plain

__all__ = ["STOP_ORDER", "Budgets", "Control", "Policy", "StopReason", "Strategy", "with_budgets"]

StopReason = Literal[
    "cancelled", "no_answer", "nothing_to_check", "verified", "no_problem", "breaker_open", "deadline", "token_budget", "cost_budget",
    "call_budget", "target", "unchanged", "cycle", "rejections", "stagnation", "stable", "hard_cap", "checked",
]  # fmt: skip
STOP_ORDER: tuple[StopReason, ...] = (
    "cancelled", "no_answer", "nothing_to_check", "verified", "no_problem", "breaker_open", "deadline", "token_budget", "cost_budget",
    "call_budget", "target", "unchanged", "cycle", "rejections", "stagnation", "stable", "hard_cap", "checked",
)  # fmt: skip
Strategy = Literal["loop", "reflexion", "lats", "react", "best-of-n", "self-consistency", "inline-tools"]
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """All settings of a run."""

    name: str = "guarded"
    summary: str = ""
    source: str = "ours"
    strategy: Strategy = "loop"
    """`loop` for all policies that are the one loop under different settings; the others live in `strategies/`."""
    checks: Literal["tools", "search", "claim", "model", "safety", "none"] = "tools"
    critique: Literal["composed", "model", "aspects", "evaluator", "score", "none"] = "composed"
    accept: Literal["controller", "latest", "always", "falls"] = "controller"
    evaluator: Literal["off", "optional", "on"] = "optional"
    samples: int = 1
    """k: evaluator samples per text (mean per dimension, majority for the veto)."""
    max_turns: int = 3
    """T: the hard cap."""
    candidates: int = 1
    """n of best-of-n and self-consistency; children of a node of lats."""
    episodes: int = 1
    """Episodes of reflexion."""
    nodes: int = 1
    """Nodes of lats, the root included."""
    interactions: int = 7
    """Tool interactions of one turn of critic, or of one answer of react and inline-tools, at most."""
    stops: tuple[StopReason, ...] = ("nothing_to_check", "verified", "no_problem", "unchanged", "cycle", "rejections", "hard_cap")
    """Stop reasons that apply besides the resource rules, which always do."""
    target: float = 0.95
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

    def bound(self) -> int:
        """Model calls of one run at most, without judgements of single claims, tool choices and repairs (design section 2)."""
        if self.name == "direct":
            return 1
        return 3 * self.max_turns + 2


def with_budgets(policy: Policy, **bounds: Any) -> Policy:
    """The policy with some bounds replaced; None leaves a bound as it is."""
    given = {key: value for key, value in bounds.items() if value is not None}
    return dataclasses.replace(policy, budgets=dataclasses.replace(policy.budgets, **given)) if given else policy
