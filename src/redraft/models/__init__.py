"""Language models by name, each imported when chosen."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from redraft.errors import InputError, MissingExtra, UnknownName, UsageError
from redraft.models.none import NoModel
from redraft.models.scripted import Reply, ScriptedModel, read_script
from redraft.models.weights import Progress, ensure_weights, weights_path
from redraft.protocols import Model

__all__ = ["Reply", "ScriptedModel", "open_model"]


def open_model(name: str, *, settings: Mapping[str, Any] | None = None, progress: Progress | None = None) -> Model:
    kind, _, rest = name.partition(":")
    values = {**{str(k): str(v) for k, v in (settings or {}).items()}, **os.environ}
    if name == "none":
        return NoModel()
    if kind == "scripted":
        return ScriptedModel(read_script(rest), name=name)
    if kind == "local":
        return _local(name, rest, values, progress)
    raise UnknownName("model", name, ["local", "none"])


def _local(name: str, rest: str, values: Mapping[str, str], progress: Progress | None) -> Model:
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtra("the embedded model", "local")
    from redraft.models.local import LocalModel

    threads = int(values.get("REDRAFT_THREADS") or 0) or None

    def locate(given_up: threading.Event) -> Path:
        if rest:
            path = Path(rest).expanduser()
            if not path.is_file():
                raise InputError(f"no file {path}")
            return path
        return ensure_weights(weights_path(values), progress=progress, cancelled=given_up)

    return LocalModel(name, locate, threads=threads)
