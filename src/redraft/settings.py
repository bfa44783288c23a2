"""Settings from `redraft.toml`, the environment and the command line: flags win over environment, environment over file.

Two files are read, the later one winning: `redraft.toml` in the folder of `REDRAFT_HOME`, and `redraft.toml` in the current folder.

    model = "openai:gpt-5-mini"
    policy = "careful"
    tools = ["calculator", "table"]
    database_url = "postgresql://…"
    timeout_seconds = 60        # of one model call
    retries = 2                 # of a model call that failed and may succeed later
    record = false              # keep no records of runs (redraft trace)
    telemetry = "http://127.0.0.1:4318"   # spans of runs to an OpenTelemetry collector, without content

    [policies.careful]
    base = "guarded"
    min_sources = 2

    [memory]                    # of verified facts (redraft memory)
    enabled = false
    max_entries = 10000
    max_megabytes = 64

    [tools]                     # instead of the list above, where prices are given too
    use = ["calculator", "tavily"]

    [tools.tavily]
    usd_per_call = 0.008        # counts in cost_usd, and against --budget-usd

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
TEXTS = ("model", "evaluator", "judge", "policy", "database_url", "telemetry")
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
    telemetry: str | None = None
    """Address of an OpenTelemetry collector that spans of runs are sent to."""
    record: bool = True
    """Whether the command line keeps records."""
    memory: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`enabled`, `max_entries` and `max_megabytes` of the memory of verified facts."""
    prices: Mapping[str, float] = field(default_factory=dict[str, float])
    """US dollars of one call, by the name of the tool."""
    policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Policies of the user's own, by name."""
    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Providers' keys by the name of their environment variable; never shown."""
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])
    """`timeout_seconds` and `retries` of model calls."""

    @property
    def for_tools(self) -> dict[str, str]:
        """What `redraft.tools.open_tools` takes as its environment, besides the process's own, which wins."""
        return {**self.keys, **{f"REDRAFT_{name.upper()}_PRICE_USD": repr(price) for name, price in self.prices.items()}}

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
            if key == "tools":
                merged["prices"] = {**merged.get("prices", {}), **_prices(value)}
                value = cast("dict[str, Any]", value).get("use", merged.get("tools")) if isinstance(value, dict) else value
                if place.parent != home and any(name.startswith("mcp:") for name in value or ()):
                    raise UsageError(f"{place}: a settings file of a folder cannot start an MCP server; name it with --tool, or in {home / CONFIG_NAME}")
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
        telemetry=merged.get("telemetry"),
        record=merged.get("record", True),
        memory=merged.get("memory", {}),
        prices=merged.get("prices", {}),
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
    known = {*TEXTS, *NUMBERS, "record", "memory", "tools", "policies", "keys"}
    for key, value in values.items():
        if key not in known:
            raise UnknownName(f"setting in {path}", key, known)
        if key in TEXTS and not isinstance(value, str):
            raise UsageError(f'{path}: {key} must be text, for example {key} = "..."')
        if key in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf")):
            raise UsageError(f"{path}: {key} must be a number that is not negative")
        if key == "record" and not isinstance(value, bool):
            raise UsageError(f"{path}: record must be true or false")
        if key == "tools":
            _check_tools(path, value)
        if key == "memory":
            _check_memory(path, value)
        if key in ("policies", "keys") and not isinstance(value, dict):
            raise UsageError(f"{path}: {key} must be a table, for example [{key}]")
    for name, policy in cast("dict[str, object]", values.get("policies", {})).items():
        if not isinstance(policy, dict):
            raise UsageError(f"{path}: policies.{name} must be a table of settings")
    for name, key in cast("dict[str, object]", values.get("keys", {})).items():
        if not isinstance(key, str) or not KEY_NAME.fullmatch(name) or not name.endswith(("_KEY", "_TOKEN", "_SECRET", "_ID", "_REGION")):
            raise UsageError(f"{path}: keys.{name} must be the name of a key's environment variable, such as OPENAI_API_KEY, with a text")
    return values


def _check_tools(path: Path, value: object) -> None:
    """A list of names; or a table with that list as `use`, and a table with `usd_per_call` under the name of a tool."""
    if not isinstance(value, dict):
        if not _texts(value):
            raise UsageError(f'{path}: tools must be a list of names, for example tools = ["calculator"]')
        return
    for name, given in cast("dict[str, object]", value).items():
        if name == "use":
            if not _texts(given):
                raise UsageError(f'{path}: tools.use must be a list of names, for example use = ["calculator"]')
        elif not isinstance(given, dict) or set(cast("dict[str, object]", given)) != {"usd_per_call"}:
            raise UsageError(f"{path}: tools.{name} must be a table with usd_per_call and nothing else")
        elif not _amount(cast("dict[str, object]", given)["usd_per_call"]):
            raise UsageError(f"{path}: tools.{name}.usd_per_call must be a number that is not negative")


def _check_memory(path: Path, value: object) -> None:
    given = cast("dict[str, object]", value) if isinstance(value, dict) else None
    if given is None:
        raise UsageError(f"{path}: memory must be a table, for example [memory]")
    known = {"enabled", "max_entries", "max_megabytes"}
    for key, item in given.items():
        if key not in known:
            raise UnknownName(f"setting in {path}, memory", key, known)
        if key == "enabled" and not isinstance(item, bool):
            raise UsageError(f"{path}: memory.enabled must be true or false")
        if key != "enabled" and (not _amount(item) or not item or (key == "max_entries" and not isinstance(item, int))):
            raise UsageError(f"{path}: memory.{key} must be a {'whole ' if key == 'max_entries' else ''}number above 0")


def _amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _prices(tools: object) -> dict[str, float]:
    given = cast("dict[str, dict[str, float]]", tools) if isinstance(tools, dict) else {}
    return {name: float(values["usd_per_call"]) for name, values in given.items() if name != "use"}


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
    except RecursionError:
        raise InputError(f"{path} is nested too deeply") from None
