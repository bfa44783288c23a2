"""What is known of a model's confidence: a file of curves for each model, made by `redraft calibrate checks`.

    {"schema": 1, "model": "openai:gpt-5-mini", "seed": 0, "made": "2025-05-01", "methods": {"judged": {"n": 812, "curve": [[0.5, 0.41], …], "held_out": {…}}}}

A method without a `curve` was measured, but its confidence is left as it is stated.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from redraft.claims.confidence import CEILING, Curve
from redraft.errors import InputError, UsageError
from redraft.settings import home_folder

__all__ = ["METHODS", "calibration_path", "curves_for", "read_calibration"]

METHODS = ("judged", "chosen", "entailed", "refuted")
"""Kinds of confidence that are calibrated: a judge's, that of a tool call that a model chose, and the local verifier's of either side."""


def calibration_path(model: str, home: Path | None = None) -> Path:
    """Where the calibration of a model is kept unless said otherwise; different names never share a file."""
    plain = re.sub(r"[^\w.-]+", "_", model).strip("._")[:80]
    mark = "" if plain == model else "-" + hashlib.sha256(model.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return (home or home_folder()) / "calibration" / f"{plain or 'model'}{mark}.json"


def curves_for(names: Mapping[str, str], given: str | Path | None) -> Mapping[str, Curve]:
    """The curves that hold in a run, for each method the name of the model whose confidence it is: of the file given, else of each model's own file.

    "none" asks for confidence as it is stated.

    Raises:
        UsageError: a file cannot be used, or the one given was made for a model that is not in the run.
    """
    if given == "none":
        return {}
    if given is not None:
        made_for, curves = read_calibration(Path(given))
        if made_for not in names.values():
            used = ", ".join(dict.fromkeys(names.values()))
            raise UsageError(f"{given} calibrates {made_for!r}, and this run uses {used}: confidence means something else in each model")
        return {method: curve for method, curve in curves.items() if names.get(method) == made_for}
    found: dict[str, Curve] = {}
    for name in dict.fromkeys(names.values()):
        path = calibration_path(name)
        if path.is_file():
            made_for, curves = read_calibration(path)
            found |= {method: curve for method, curve in curves.items() if names.get(method) == made_for == name}
    return found


def read_calibration(path: Path) -> tuple[str, Mapping[str, Curve]]:
    """The model that a calibration was made for, and its curves.

    Raises:
        InputError: the file cannot be read, or is no calibration.
    """
    try:
        values: Any = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read the calibration {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON; make a calibration with: redraft calibrate checks DATA.jsonl -o {path.name}") from None
    try:
        if values["schema"] != 1 or not isinstance(values["model"], str):
            raise ValueError("schema")
        methods = cast("dict[str, Any]", values["methods"])
        return values["model"], {name: _curve(found["curve"]) for name, found in methods.items() if found.get("curve")}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path} is not a calibration of this version; make one with: redraft calibrate checks DATA.jsonl -o {path.name}") from None


def _curve(points: Any) -> Curve:
    curve = tuple((float(raw), float(worth)) for raw, worth in points)
    rising = all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(curve))
    if not rising or not all(math.isfinite(raw) and 0 <= worth <= CEILING for raw, worth in curve):
        raise ValueError("a curve rises, and stays below certainty")
    return curve
