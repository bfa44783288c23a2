"""All settings of a run as one frozen value: loadable from TOML, printable, comparable, and hashed into every record.

The table of policies is design section 5. This file holds values and their reading; it performs no I/O.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from redraft.errors import UnknownName, UsageError
from redraft.events import plain

__all__ = ["POLICIES", "STOP_ORDER", "Budgets", "Control", "Policy", "StopReason", "policy_from_mapping", "policy_named", "with_budgets"]

StopReason = Literal[
    "cancelled", "no_answer", "nothing_to_check", "verified", "no_problem", "breaker_open", "deadline", "token_budget", "cost_budget",
    "call_budget", "target", "unchanged", "cycle", "rejections", "stagnation", "stable", "hard_cap", "checked",
]  # fmt: skip
STOP_ORDER: tuple[StopReason, ...] = (
    "cancelled", "no_answer", "nothing_to_check", "verified", "no_problem", "breaker_open", "deadline", "token_budget", "cost_budget",
    "call_budget", "target", "unchanged", "cycle", "rejections", "stagnation", "stable", "hard_cap", "checked",
)  # fmt: skip
OPEN_TABLES = frozenset({"trust", "calibration"})
"""Settings that are tables with keys of the user's own."""
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
    checks: Literal["tools", "search", "claim", "model", "safety", "none"] = "tools"
    critique: Literal["composed", "model", "aspects", "evaluator", "score", "none"] = "composed"
    accept: Literal["controller", "latest", "always", "falls"] = "controller"
    evaluator: Literal["off", "optional", "on"] = "optional"
    samples: int = 1
    """k: evaluator samples per text (mean per dimension, majority for the veto)."""
    max_turns: int = 3
    """T: the hard cap."""
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


POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            name="guarded",
            summary="Tool-verified, many claims at once, span edits, and a controller that refuses what makes the answer worse.",
        ),
        Policy(
            name="direct",
            summary="One generation; checked at the end without a model.",
            source="baseline",
            checks="none",
            critique="none",
            accept="always",
            evaluator="off",
            max_turns=0,
            stops=("checked",),
        ),
    )
}


def policy_named(name: str) -> Policy:
    """The policy of the design's table with this name.

    Raises:
        UnknownName: there is none; the message names the nearest.
    """
    if name not in POLICIES:
        raise UnknownName("policy", name, POLICIES)
    return POLICIES[name]


def policy_from_mapping(values: Mapping[str, Any], *, where: str = "policy") -> Policy:
    """A policy from the values of a TOML file: `base` names the policy to start from, the rest overrides it.

    Raises:
        UsageError: an unknown key, with the nearest valid one, or a value of the wrong type or range.
    """
    from pydantic import TypeAdapter, ValidationError

    given = dict(values)
    base = policy_named(str(given.pop("base", given.get("name") if given.get("name") in POLICIES else "guarded")))
    merged: dict[str, Any] = _merge(plain(base), given, where)
    try:
        return TypeAdapter(Policy).validate_python(merged)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {place}: {first['msg']} (got {first['input']!r})") from None


def _merge(base: dict[str, Any], given: Mapping[str, Any], where: str) -> dict[str, Any]:
    result = dict(base)
    for key, value in given.items():
        if key not in base:
            raise UnknownName(f"setting in {where}", key, base)
        if key in OPEN_TABLES and isinstance(value, Mapping):
            result[key] = {**base[key], **cast("Mapping[str, Any]", value)}
        elif not isinstance(base[key], dict):
            result[key] = value
        elif isinstance(value, Mapping):
            result[key] = _merge(base[key], cast("Mapping[str, Any]", value), f"{where}.{key}")
        else:
            raise UsageError(f"{where}: {key} is a table of settings, not {value!r}")
    return result


def with_budgets(policy: Policy, **bounds: Any) -> Policy:
    """The policy with some bounds replaced; None leaves a bound as it is."""
    given = {key: value for key, value in bounds.items() if value is not None}
    return dataclasses.replace(policy, budgets=dataclasses.replace(policy.budgets, **given)) if given else policy
