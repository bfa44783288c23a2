"""The policies by name (design section 5), and their reading from TOML. Values only; no I/O."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast, get_args

from redraft.errors import UnknownName, UsageError
from redraft.events import plain
from redraft.policy import AUTO_TURNS, Budgets, Control, Policy, StopReason, with_turns
from redraft.types import DIMENSIONS, TaskKind

__all__ = ["DYNAMIC", "POLICIES", "policy_from_mapping", "policy_named", "refused"]

OPEN_TABLES = frozenset({"trust", "calibration", "turns_by_kind"})
"""Settings that are tables with keys of the user's own."""
MOST = 10_000_000
"""No count of a policy is larger."""
TOO_DEEP = "its values are nested too deeply to be settings"

CRITIC_STOPS: tuple[StopReason, ...] = ("no_problem", "unchanged", "hard_cap")
FOUR = {"math": 4, "safety": 4}
"""T of CRITIC for mathematics and safety, where it is 3 for questions."""

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
            checks="rules",
            critique="none",
            accept="always",
            evaluator="off",
            max_turns=0,
            stops=("checked",),
        ),
        Policy(
            name="critic",
            summary="The critic looks things up itself and gives the most possible answer; the latest one counts.",
            source="CRITIC (Gou et al., ICLR 2024)",
            checks="search",
            critique="model",
            accept="latest",
            evaluator="off",
            turns_by_kind=FOUR,
            stops=CRITIC_STOPS,
        ),
        Policy(
            name="critic-claim",
            summary="The one most critical claim a turn, by one tool call; every rewrite counts.",
            source="CRITIC agents as commonly coded",
            checks="claim",
            critique="model",
            accept="always",
            evaluator="off",
            stops=("no_problem", "hard_cap"),
        ),
        Policy(
            name="critic-no-tool",
            summary="CRITIC without tools: the critic writes the evidence from memory.",
            source="CRITIC (Gou et al., ICLR 2024), ablation",
            checks="model",
            critique="model",
            accept="latest",
            evaluator="off",
            turns_by_kind=FOUR,
            stops=CRITIC_STOPS,
        ),
        Policy(
            name="critic-oracle",
            summary="CRITIC that rewrites only what the caller's function calls wrong; for evaluation only.",
            source="CRITIC* (Gou et al., ICLR 2024)",
            checks="search",
            critique="model",
            accept="always",
            oracle=True,
            evaluator="off",
            turns_by_kind=FOUR,
            stops=CRITIC_STOPS,
        ),
        Policy(
            name="critic-safety",
            summary="A safety score as evidence; a rewrite that does not lower it is dropped.",
            source="CRITIC (Gou et al., ICLR 2024)",
            checks="safety",
            critique="score",
            accept="falls",
            evaluator="off",
            max_turns=4,
            target=0.10,
            stops=("no_problem", "target", "hard_cap"),
        ),
        Policy(
            name="basic-reflection",
            summary="One model criticises and rewrites, without tools.",
            source="baseline",
            checks="none",
            critique="model",
            accept="always",
            evaluator="off",
            stops=("no_problem", "hard_cap"),
        ),
        Policy(
            name="self-refine",
            summary="Feedback on several aspects and refinement with the history in view, without tools.",
            source="Self-Refine (Madaan et al., 2023)",
            checks="none",
            critique="aspects",
            accept="always",
            evaluator="off",
            max_turns=4,
            stops=("no_problem", "hard_cap"),
        ),
        Policy(
            name="controlled",
            summary="Writer, evaluator with rubrics, and the controller; hard cap 8, or dynamic stops.",
            source="controlled iterative refinement (Ettafssaoui and Bencharef, 2026)",
            checks="none",
            critique="evaluator",
            accept="controller",
            evaluator="on",
            strict_scores=True,
            max_turns=8,
            stops=("no_problem", "hard_cap"),
            control=Control(diagnosed=True),
        ),
        Policy(
            name="reflexion",
            summary="Several attempts, each told in words what the failed ones taught; success only by checks or the caller's function.",
            source="Reflexion (Shinn et al., 2023)",
            strategy="reflexion",
            accept="latest",
            evaluator="off",
            episodes=3,
            stops=("nothing_to_check", "verified", "no_problem", "unchanged", "hard_cap"),
        ),
        Policy(
            name="lats",
            summary="Tree search over rewrites by UCT, valued by checks and evaluator; only rewrites that the controller accepts are returned.",
            source="LATS (Zhou et al., 2023)",
            strategy="lats",
            candidates=2,
            nodes=9,
            stops=("nothing_to_check", "verified", "no_problem", "hard_cap"),
        ),
        Policy(
            name="react",
            summary="The model looks things up while it answers; checked at the end without a model.",
            source="ReAct (Yao et al., 2023), baseline",
            strategy="react",
            checks="rules",
            critique="none",
            accept="latest",
            evaluator="off",
            max_turns=1,
            stops=("checked",),
        ),
        Policy(
            name="best-of-n",
            summary="Several samples, each checked; the one that the checks speak for most is kept, of equals the first.",
            source="baseline at equal calls",
            strategy="best-of-n",
            critique="none",
            accept="always",
            evaluator="off",
            candidates=5,
            stops=("checked",),
        ),
        Policy(
            name="self-consistency",
            summary="Several samples of a short answer; the one that most of them give is kept, numbers compared as numbers.",
            source="self-consistency (Wang et al., 2022), baseline at equal calls",
            strategy="self-consistency",
            checks="rules",
            critique="none",
            accept="always",
            evaluator="off",
            candidates=5,
            stops=("checked",),
        ),
        Policy(
            name="inline-tools",
            summary="The model writes tool calls into its text; they run, and their results are put in their place.",
            source="Toolformer (Schick et al., 2023), prompted",
            strategy="inline-tools",
            checks="rules",
            critique="none",
            accept="latest",
            evaluator="off",
            max_turns=1,
            stops=("checked",),
        ),
    )
}

DYNAMIC: tuple[StopReason, ...] = ("no_problem", "target", "rejections", "stagnation", "stable", "hard_cap")
"""The overlay `stops` that makes `controlled` dynamic."""


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
    if "max_turns" in given:
        base = with_turns(base, base.max_turns)  # one T that is given holds for every kind of task
    if given.get("max_turns") == "auto":
        given |= {"max_turns": AUTO_TURNS, "auto_turns": True}
    merged: dict[str, Any] = _merge(plain(base), given, where)
    try:  # as JSON, so that a list may be a tuple and nothing else is taken for what it is not: no "yes" for true, no true for 1
        policy = TypeAdapter(Policy).validate_json(json.dumps(merged, default=str), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            raise UsageError(f"{where}: {TOO_DEEP}") from None
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {place}: {first['msg']} (got {str(first['input'])[:100]!r})") from None
    except RecursionError:
        raise UsageError(f"{where}: {TOO_DEEP}") from None
    problem = refused(policy)
    if problem:
        raise UsageError(f"{where}: {problem}")
    return policy


CRITIQUES: Mapping[str, tuple[str, ...]] = {
    "tools": ("composed", "evaluator", "none"),
    "rules": ("composed", "none"),
    "search": ("model",),
    "claim": ("model",),
    "model": ("model",),
    "safety": ("score",),
    "none": ("model", "aspects", "evaluator", "none"),
}
"""The ways to criticise that go with each way to check."""


def refused(policy: Policy) -> str:
    """Why these settings do not go together, in words for the user; empty where they do."""
    critiques = CRITIQUES[policy.checks]
    if policy.critique not in critiques:
        return f"checks = {policy.checks!r} does not go with critique = {policy.critique!r}; it goes with {', '.join(map(repr, critiques))}"
    if policy.critique == "evaluator" and policy.evaluator != "on":
        return "critique = 'evaluator' needs evaluator = 'on'"
    if policy.accept == "falls" and policy.checks != "safety":
        return "accept = 'falls' needs checks = 'safety': there is no score that could fall"
    if policy.accept == "controller" and policy.checks not in ("tools", "rules") and policy.evaluator != "on":
        return f"accept = 'controller' has nothing to decide by with checks = {policy.checks!r} and evaluator = {policy.evaluator!r}"
    if policy.oracle and policy.checks != "search" and policy.strategy != "reflexion":
        return "oracle = true needs checks = 'search' or strategy = 'reflexion'"
    if policy.strategy == "loop" and policy.critique == "none" and "checked" not in policy.stops:
        return "critique = 'none' rewrites nothing, so that stops must have 'checked'"
    if policy.strategy == "loop" and not {"hard_cap", "checked"} & set(policy.stops):
        return "stops must have 'hard_cap' or 'checked', so that every run ends"
    return _out_of_range(policy)


def _out_of_range(policy: Policy) -> str:
    least = {"max_turns": 0, "samples": 1, "candidates": 1, "episodes": 1, "nodes": 1, "interactions": 1, "rejections": 1, "window": 1, "concurrency": 1,
             "max_claims": 0, "max_chars": 1, "min_sources": 1, "chain": 0}  # fmt: skip
    for name, low in least.items():
        value = getattr(policy, name)
        if not low <= value <= MOST:
            return f"{name} must be between {low} and {MOST}, not {value}"
    wrong = next((kind for kind in policy.turns_by_kind if kind not in get_args(TaskKind)), None)
    if wrong is not None:
        return str(UnknownName("kind of task in turns_by_kind", wrong, get_args(TaskKind)))
    if any(not 0 <= turns <= MOST for turns in policy.turns_by_kind.values()):
        return f"turns_by_kind must be between 0 and {MOST}"
    for name in ("target", "second_look", "entailed", "refuted", "relevance", "coverage", "stable_change"):
        if not 0 <= getattr(policy, name) <= 1:
            return f"{name} must be between 0 and 1, not {getattr(policy, name)}"
    for name in ("gain", "tolerance", "penalty_contradicted", "penalty_minor"):
        if not 0 <= getattr(policy.control, name) <= 1:
            return f"control.{name} must be between 0 and 1, not {getattr(policy.control, name)}"
    wrong = next((name for name in policy.control.critical if name not in DIMENSIONS), None)
    if wrong is not None:
        return str(UnknownName("dimension in control.critical", wrong, DIMENSIONS))
    return _unbounded(policy.budgets) or _no_shares(policy)


def _unbounded(budgets: Budgets) -> str:
    """Which bound bounds nothing, or could never be met."""
    for name in (item.name for item in dataclasses.fields(budgets)):
        value = getattr(budgets, name)
        if value is not None and not 0 <= value < math.inf:
            return f"budgets.{name} must be a number from 0 on, not {value}"
    return ""


def _no_shares(policy: Policy) -> str:
    for source, trust in policy.trust.items():
        if not 0 <= trust <= 1:
            return f"trust of {source!r} must be between 0 and 1, not {trust}"
    for method, curve in policy.calibration.items():
        if not all(0 <= share <= 1 for point in curve for share in point):
            return f"calibration.{method} must have shares between 0 and 1 only"
        if any(before[0] > after[0] or before[1] > after[1] for before, after in pairwise(curve)):
            return f"calibration.{method} must rise from point to point"
    return ""


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
