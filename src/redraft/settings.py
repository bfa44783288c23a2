"""Settings from `redraft.toml`, the environment and the command line: flags win over environment, environment over file.

Two files are read, the later one winning: `redraft.toml` in the folder of `REDRAFT_HOME`, and `redraft.toml` in the current folder.

    model = "openai:gpt-5-mini"
    policy = "careful"
    tools = ["calculator", "table"]
    database_url = "postgresql://…"
    timeout_seconds = 60        # of one model call
    retries = 2                 # of a model call that failed and may succeed later
    record = false              # keep no records of runs (redraft trace)

    [policies.careful]
    base = "guarded"
    min_sources = 2

    [keys]                      # used where the environment variable of that name is not set
    OPENAI_API_KEY = "…"
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from redraft.errors import InputError, UnknownName, UsageError
from redraft.policies import POLICIES, policy_from_mapping
from redraft.policy import Policy

__all__ = ["CONFIG_NAME", "Settings", "find_policy", "home_folder", "load_settings"]

CONFIG_NAME = "redraft.toml"
NUMBERS = ("timeout_seconds", "retries")
TEXTS = ("model", "evaluator", "judge", "policy", "database_url")
KEY_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What the files and the environment say. None: nothing was said."""

    home: Path
    """Cache and records."""
    model: str | None = None
    evaluator: str | None = None
    judge: str | None = None
    policy: str | None = None
    tools: tuple[str, ...] | None = None
    database_url: str | None = None
    record: bool = True
    """Whether the command line keeps records."""
    policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Policies of the user's own, by name."""
    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Providers' keys by the name of their environment variable; never shown."""
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])
    """`timeout_seconds` and `retries` of model calls."""

    @property
    def for_models(self) -> dict[str, Any]:
        """What `redraft.models.open_model` takes; an environment variable of the same name wins there."""
        return {**self.keys, **self.numbers}


def home_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of the cache and the records: `REDRAFT_HOME`, or the platform's user data folder. It is not created here."""
    values = os.environ if environment is None else environment
    named = values.get("REDRAFT_HOME")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("redraft", appauthor=False)


def load_settings(folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """The settings that hold in a folder (default: the current one).

    Raises:
        UsageError: a settings file is malformed or has an unknown key; the message names file and key.
    """
    values = os.environ if environment is None else environment
    home = home_folder(values)
    merged: dict[str, Any] = {}
    for place in dict.fromkeys((home / CONFIG_NAME, (folder or Path.cwd()) / CONFIG_NAME)):
        for key, value in _read(place).items():
            merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
    tools = merged.get("tools")
    return Settings(
        home=home,
        model=values.get("REDRAFT_MODEL") or merged.get("model"),
        evaluator=merged.get("evaluator"),
        judge=merged.get("judge"),
        policy=merged.get("policy"),
        tools=tuple(tools) if tools is not None else None,
        database_url=values.get("REDRAFT_DATABASE_URL") or merged.get("database_url"),
        policies=merged.get("policies", {}),
        keys=merged.get("keys", {}),
        record=merged.get("record", True),
        numbers={name: merged[name] for name in NUMBERS if name in merged},
    )


def find_policy(name: str | None, settings: Settings) -> Policy:
    """A policy by name (the user's own first), or from a TOML file where the name ends in `.toml`; None is the settings' or `guarded`.

    Raises:
        UsageError: there is none, or it is malformed.
    """
    wanted = name or settings.policy or "guarded"
    if wanted.endswith(".toml"):
        values = _parse_toml(Path(wanted), must_exist=True)
        return policy_from_mapping({"name": Path(wanted).stem, **values}, where=wanted)
    if wanted in settings.policies:
        values = dict(settings.policies[wanted])
        if "base" not in values and wanted not in POLICIES:
            values["base"] = "guarded"
        return policy_from_mapping({"name": wanted, **values}, where=f"policies.{wanted}")
    if wanted not in POLICIES:
        raise UnknownName("policy", wanted, [*POLICIES, *settings.policies], "redraft policies lists them; a path to a .toml file also works")
    return POLICIES[wanted]


def _read(path: Path) -> dict[str, Any]:
    values = _parse_toml(path, must_exist=False)
    known = {*TEXTS, *NUMBERS, "record", "tools", "policies", "keys"}
    for key, value in values.items():
        if key not in known:
            raise UnknownName(f"setting in {path}", key, known)
        if key in TEXTS and not isinstance(value, str):
            raise UsageError(f'{path}: {key} must be text, for example {key} = "..."')
        if key in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf")):
            raise UsageError(f"{path}: {key} must be a number that is not negative")
        if key == "record" and not isinstance(value, bool):
            raise UsageError(f"{path}: record must be true or false")
        if key == "tools" and not _texts(value):
            raise UsageError(f'{path}: tools must be a list of names, for example tools = ["calculator"]')
        if key in ("policies", "keys") and not isinstance(value, dict):
            raise UsageError(f"{path}: {key} must be a table, for example [{key}]")
    for name, policy in cast("dict[str, object]", values.get("policies", {})).items():
        if not isinstance(policy, dict):
            raise UsageError(f"{path}: policies.{name} must be a table of settings")
    for name, key in cast("dict[str, object]", values.get("keys", {})).items():
        if not isinstance(key, str) or not KEY_NAME.fullmatch(name) or not name.endswith(("_KEY", "_TOKEN", "_SECRET", "_ID", "_REGION")):
            raise UsageError(f"{path}: keys.{name} must be the name of a key's environment variable, such as OPENAI_API_KEY, with a text")
    return values


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in cast("list[object]", value))


def _parse_toml(path: Path, *, must_exist: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        if must_exist:
            raise InputError(f"there is no file {path}") from None
        return {}
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} is not valid TOML: {error}") from None
