"""A recommended policy as a TOML file: the settings that differ from a named policy, and above them in words why."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from redraft.errors import InputError
from redraft.events import plain
from redraft.policies import POLICIES
from redraft.policy import Policy

__all__ = ["MARK", "policy_toml"]

MARK = "# Written by `redraft calibrate`."
"""The first line of every file that is written, by which an older one may be replaced."""
WIDTH = 118
UNSAID = frozenset({"name", "summary", "source"})
Values = Mapping[str, Any]


def policy_toml(policy: Policy, *, base: str, name: str, summary: str, reasons: Sequence[str]) -> str:
    """The file. `base` is the policy to start from where there is one of that name, else the nearest.

    Raises:
        InputError: the settings cannot be said as differences from any named policy.
    """
    wanted = plain(policy)
    differences = {known: _changed(plain(POLICIES[known]), wanted) for known in ([base] if base in POLICIES else POLICIES)}
    possible = {known: found for known, found in differences.items() if found is not None}
    if not possible:
        raise InputError(f"the recommended settings cannot be written as differences from {base}: one of them is switched off there that the base sets")
    nearest = min(possible, key=lambda known: len(json.dumps(possible[known])))
    changed: Values = possible[nearest]
    lines = [MARK, *(line for reason in reasons for line in _comment(reason)), "", f"name = {_value(name)}", f"base = {_value(nearest)}"]
    lines += [f"summary = {_value(summary)}"]
    tables = {key: cast("Values", value) for key, value in changed.items() if isinstance(value, Mapping)}
    if "turns_by_kind" in tables or policy.max_turns != POLICIES[nearest].max_turns or POLICIES[nearest].turns_by_kind != policy.turns_by_kind:
        changed = {**changed, "max_turns": policy.max_turns}  # a T that is given holds for every kind of task
        tables = {**tables, "turns_by_kind": policy.turns_by_kind}
    lines += [f"{key} = {_value(value)}" for key, value in changed.items() if key not in tables]
    for key, table in tables.items():
        if table:
            lines += ["", f"[{key}]", *(f"{name} = {_value(value)}" for name, value in table.items())]
    return "\n".join(lines) + "\n"


def _changed(base: Values, wanted: Values) -> Values | None:
    """What differs, tables within tables; None where a value that the base has is to be none, which TOML cannot say."""
    found: dict[str, Any] = {}
    for key, value in wanted.items():
        if key in UNSAID or value == base.get(key):
            continue
        if value is None:
            return None
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping):
            inner = _changed(base[key], cast("Values", value))
            if inner is None:
                return None
            found[key] = inner
        else:
            found[key] = value
    return found


def _value(value: Any) -> str:
    """A value as TOML: JSON writes text, truth, numbers and lists the same way."""
    if isinstance(value, Mapping):
        raise InputError("tables within tables of a policy cannot be written")
    return json.dumps(value, ensure_ascii=False)


def _comment(text: str) -> list[str]:
    """Words as comment lines; control characters, line ends among them, become spaces."""
    lines, line = list[str](), ""
    for word in "".join(char if char.isprintable() else " " for char in text).split():
        if line and len(line) + len(word) > WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
    return [f"# {line}" for line in [*lines, line] if line]
