"""The policies by name (design section 5), and their reading from TOML. Values only; no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from redraft.errors import UnknownName, UsageError
from redraft.events import plain
from redraft.policy import Policy

__all__ = ["POLICIES", "policy_from_mapping", "policy_named"]

OPEN_TABLES = frozenset({"trust", "calibration"})
"""Settings that are tables with keys of the user's own."""

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
