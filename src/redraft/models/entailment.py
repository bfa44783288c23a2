"""An optional local entailment verifier: a cross-encoder for sequence classification, in a folder with `model.onnx`, `tokenizer.json` and `config.json`.

Such folders are what exports of natural language inference models (three labels) and of MiniCheck-like fact checkers (two labels) look like. Which
label means what is read from `id2label` in `config.json`; a folder that does not name its labels is refused, because a wrong guess would turn every
verdict round. This code was tested with a tiny model of its own making, never yet with a published one.
"""

from __future__ import annotations

import asyncio
import json
import math
import threading
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from redraft.effects import ENTAILMENT
from redraft.errors import InputError, MissingExtra
from redraft.types import Evidence, Failure, ToolCall, ToolResult

__all__ = ["Entailment", "EntailmentTool", "OnnxEntailment", "Scores"]

Scores = tuple[float, float, float]
"""Probabilities that the premise entails the hypothesis, says nothing of it, contradicts it."""

ENTAIL = frozenset({"entailment", "entail", "entails", "entailed", "supported", "support", "supports", "consistent", "true", "yes"})
CONTRADICT = frozenset({"contradiction", "contradict", "contradicts", "contradicted", "contradictory", "refuted", "refute", "refutes"})
NEUTRAL = frozenset({"neutral", "nei", "not enough info", "not entailment", "not entailed", "not supported", "unsupported", "inconsistent", "false", "no"})
"""What else the labels are called. Of two labels the second only says that the premise does not support: that is no contradiction."""
LONGEST_INPUT = 512
WEIGHTS = ("model.onnx", "onnx/model.onnx")


@runtime_checkable
class Entailment(Protocol):
    """Whatever says how a premise bears on a hypothesis. It may be a model of any kind; a verdict is made of its scores elsewhere."""

    @property
    def name(self) -> str: ...

    async def entails(self, premise: str, hypothesis: str) -> Scores: ...


class EntailmentTool:
    """An entailment verifier as the effects call it, so that its calls are metered and recorded like a tool's.

    The input is JSON, `{"hypothesis": …, "premises": [ … ]}`; the value of the evidence is one `[entail, neutral, contradict]` for each premise.
    """

    name = ENTAILMENT
    summary = "How sentences bear on a statement: the chance that each entails it, says nothing of it, contradicts it."
    timeout_seconds = 60.0

    def __init__(self, verifier: Entailment) -> None:
        self.verifier = verifier

    async def run(self, call: ToolCall) -> ToolResult:
        asked = json.loads(call.input)
        scores = [await self.verifier.entails(premise, asked["hypothesis"]) for premise in asked["premises"]]
        best = max(score[0] for score in scores)
        worst = max(score[2] for score in scores)
        text = f"{self.verifier.name}: entailment up to {best:.2f}, contradiction up to {worst:.2f} in {len(scores)} passages"
        if not all(len(score) == 3 and 0 <= part <= 1 for score in scores for part in score):
            return Failure(tool=self.name, input=call.input, kind="broken", message="the verifier's scores are no probabilities")
        return (Evidence(tool=self.name, input=call.input, text=text, value=json.dumps([list(score) for score in scores]), title=self.verifier.name),)

    async def close(self) -> None:
        """Nothing to release."""


class OnnxEntailment:
    """A sequence classification model in a local folder, run by onnxruntime on the processor.

    Raises:
        MissingExtra: onnxruntime or tokenizers is not installed.
        InputError: the folder is none, or its labels have no names.
    """

    def __init__(self, path: str | Path) -> None:
        folder = Path(path)
        self.name = f"{ENTAILMENT}:{folder.resolve().name}"
        weights = next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)
        if weights is None or not (folder / "tokenizer.json").is_file():
            raise InputError(f"{folder} is no entailment model: a folder with model.onnx, tokenizer.json and config.json is wanted")
        config = _config(folder)
        self._entail, self._contradict = _labels(config, folder)
        self._count = 2 if self._contradict is None else 3
        self._limit = min(int(config.get("max_position_embeddings") or LONGEST_INPUT), LONGEST_INPUT)
        self._session, self._tokenizer = _opened(weights, folder / "tokenizer.json", self._limit)
        self._inputs = {item.name for item in self._session.get_inputs()}
        unknown = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown:
            raise InputError(f"{weights} wants inputs that a sequence classification model does not have: {', '.join(sorted(unknown))}")
        self._lock = threading.Lock()

    async def entails(self, premise: str, hypothesis: str) -> Scores:
        """How the premise bears on the hypothesis. What is too long for the model is cut off the premise."""
        return await asyncio.to_thread(self._classify, premise, hypothesis)

    def _classify(self, premise: str, hypothesis: str) -> Scores:
        import numpy as np

        with self._lock:
            encoded = self._tokenizer.encode(premise, hypothesis)
            feeds = {"input_ids": encoded.ids, "attention_mask": encoded.attention_mask, "token_type_ids": encoded.type_ids}
            given = {name: np.array([value], dtype=np.int64) for name, value in feeds.items() if name in self._inputs}
            logits = [float(value) for value in self._session.run(None, given)[0][0]]
        if len(logits) != self._count:
            raise ValueError(f"{len(logits)} scores for {self._count} labels")
        top = max(logits)
        exponents = [math.exp(value - top) for value in logits]
        entail = exponents[self._entail] / sum(exponents)
        contradict = exponents[self._contradict] / sum(exponents) if self._contradict is not None else 0.0
        return (entail, max(0.0, 1.0 - entail - contradict), contradict)


def _config(folder: Path) -> dict[str, Any]:
    try:
        values: Any = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        values = None
    if not isinstance(values, dict):
        raise InputError(f"{folder / 'config.json'} is missing or not JSON; the order of the model's labels is read from it")
    return cast("dict[str, Any]", values)


def _labels(config: dict[str, Any], folder: Path) -> tuple[int, int | None]:
    """The places of the labels that mean entailment and contradiction; two labels have no contradiction.

    Raises:
        InputError: they are not named so that it is certain.
    """
    given = config.get("id2label")
    named = {int(key): _plain(str(value)) for key, value in cast("dict[str, Any]", given).items() if str(key).isdigit()} if isinstance(given, dict) else {}
    entail = [place for place, name in named.items() if name in ENTAIL]
    contradict = [place for place, name in named.items() if name in CONTRADICT]
    neutral = [place for place, name in named.items() if name in NEUTRAL]
    complete = sorted(named) == list(range(len(named))) and len(entail) == 1 and len(entail) + len(contradict) + len(neutral) == len(named)
    if complete and len(named) == 3 and len(contradict) == 1:
        return entail[0], contradict[0]
    if complete and len(named) == 2 and not contradict:
        return entail[0], None
    shown = ", ".join(f"{place}: {name}" for place, name in sorted(named.items())) or "none"
    raise InputError(f"{folder / 'config.json'} does not say which label means what; id2label must name entailment, neutral and contradiction (it has {shown})")


def _plain(label: str) -> str:
    return " ".join(label.lower().replace("_", " ").replace("-", " ").split())


def _opened(weights: Path, tokenizer: Path, limit: int) -> tuple[Any, Any]:
    """The session and the tokenizer, which cuts the premise and never the hypothesis."""
    try:
        import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("a local entailment verifier", "entailment") from None
    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = runtime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        reader: Any = Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # both libraries raise classes of their own
        raise InputError(f"{weights.parent} cannot be loaded as an entailment model ({type(error).__name__})") from None
    reader.enable_truncation(max_length=limit, strategy="only_first")
    reader.no_padding()
    return session, reader
