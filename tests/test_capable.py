"""The recorded trial with a capable model: every reply is used as it was meant, no right answer is broken, and calls stay within the bound."""

from __future__ import annotations

import importlib.util
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from redraft.effects import call_key
from redraft.policies import policy_named
from redraft.studies.metrics import exact_match
from redraft.types import ModelReply, ModelRequest, Outcome

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "capable"
SPEC = importlib.util.spec_from_file_location("record", FOLDER / "record.py")
assert SPEC is not None
assert SPEC.loader is not None
record = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(record)


class Replayed:
    """Gives the recorded reply to the request of the equal key."""

    name = "hand"
    ability = "capable"

    def __init__(self, item: str, replies: dict[str, str]) -> None:
        self.item, self.replies, self.used = item, replies, set[str]()

    async def complete(self, request: ModelRequest) -> ModelReply:
        key = call_key(request)
        if key not in self.replies:
            pytest.fail(f"{self.item}: no reply is recorded for this {request.role} request; a prompt has changed: record the trial again")
        self.used.add(key)
        return ModelReply(text=self.replies[key])

    async def close(self) -> None:
        """Nothing to release."""


@pytest.fixture(name="tape", scope="module")
def read_tape() -> dict[str, dict[str, dict[str, str]]]:
    tape: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for line in (FOLDER / "recorded.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        tape[row["item"]][row["key"]] = row
    return tape


@pytest.mark.parametrize("row", record.drawn(), ids=lambda row: row["id"])
async def test_the_recorded_item_ends_right(row: dict[str, Any], tape: dict[str, dict[str, dict[str, str]]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    replies = tape[row["id"]]
    model = Replayed(row["id"], {key: line["reply"] for key, line in replies.items()})
    outcome: Outcome = await record.run_item(row, model)
    assert any(exact_match(outcome.answer, gold) for gold in row["answers"]), (row["answer"], outcome.answer)
    assert outcome.status in ("verified", "corrected")
    assert outcome.usage.repairs == 0, "every reply is read as it was meant"
    judged = sum(line["role"] == "judge" for line in replies.values())
    assert outcome.usage.llm_calls - judged <= policy_named("guarded").bound()
    assert model.used == set(replies), "no recorded reply is left over"
