"""The judging trial itself: what it draws, what it asks of the model and how it scores, with a scripted model."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from redraft.models.scripted import ScriptedModel
from redraft.types import ModelRequest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "capable"


def loaded(name: str) -> ModuleType:
    """A script of the trials as a module, under the name by which the others import it."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


loaded("record")
trial = loaded("judging")

DOCUMENT = "The Orrin mill burned twice and was repaired late. Rain kept the second fire small, and the owner had it mended within a year."


def answering(verdict: str, quote: str) -> ScriptedModel:
    def reply(request: ModelRequest) -> str:
        if request.role == "planner":
            claim = {"quote": "The Orrin mill", "statement": "The Orrin mill was never repaired.", "tool": "documents", "input": "Orrin mill repaired"}
            return json.dumps({"claims": [claim | {"quote": "The Orrin mill was never repaired."}], "requirements": []})
        return json.dumps({"verdict": verdict, "quote": quote, "confidence": 0.9, "reason": "so it says"})

    return ScriptedModel([reply] * 20)


async def score(verdict: str, quote: str, gold: str) -> dict[str, Any]:
    item = trial.Item(id="one", statement="The Orrin mill was never repaired.", document=DOCUMENT, gold=gold)
    return trial.scored([item], [await trial.judged(item, answering(verdict, quote))])


async def test_a_verdict_with_a_quotation_that_is_there_counts() -> None:
    found = await score("contradicted", "The Orrin mill burned twice and was repaired late", "contradicted")
    assert found["contradicted"] == {"decided": 1, "right": 1, "precision": 1.0, "recall": 1.0}
    assert found["judged"] == {"claims": 1, "without_a_quotation_that_is_there": 0}
    assert found["spans_exact"] == 1.0
    assert found["model_calls"] >= 2


async def test_a_verdict_without_such_a_quotation_is_none() -> None:
    found = await score("contradicted", "the owner rebuilt everything", "contradicted")
    assert found["contradicted"]["decided"] == 0
    assert found["judged"]["claims"] == 0


async def test_a_wrong_verdict_lowers_the_precision() -> None:
    found = await score("contradicted", "The Orrin mill burned twice and was repaired late", "supported")
    assert found["contradicted"]["precision"] == 0.0


def test_the_items_are_drawn_by_seed_and_say_nothing_of_their_gold_label_to_the_model(shared_data: Path) -> None:
    items = trial.drawn(shared_data)
    assert items == trial.drawn(shared_data)
    assert len(items) == len({item.id for item in items}) == 30
    assert all(item.statement.strip() and item.document.strip() for item in items)
    right = [item for item in items if item.id.startswith("wiki-supported")]
    wrong = [item for item in items if item.id.startswith("wiki-contradicted")]
    assert len(right) == 8
    assert len(wrong) == 7
    assert all(item.statement in item.document for item in right)
    assert not any(item.statement in item.document for item in wrong)
