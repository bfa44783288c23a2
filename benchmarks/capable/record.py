"""Run the drawn items with a capable model and keep every reply, so that `tests/test_capable.py` can run them again without one.

    python benchmarks/capable/record.py --model http://127.0.0.1:8099/v1#hand

The recording in the repository was answered by hand (a capable model that saw the requests only; n = 24, eight each of documents, tables and arithmetic,
drawn by seed 11). A changed prompt makes its replies unusable: record again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from redraft import Outcome, Refiner, Task, open_model
from redraft.effects import call_key
from redraft.protocols import Model
from redraft.types import ModelReply, ModelRequest

HERE = Path(__file__).resolve().parent
TAPE = HERE / "recorded.jsonl"
SEED, EACH = 11, 8


class FixedDay:
    """The day of the recording: prompts name the date."""

    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class Recorder:
    """Passes requests on to a model and keeps its replies by the key of the call."""

    ability = "capable"

    def __init__(self, model: Model, item: str, kept: list[dict[str, str]]) -> None:
        self.name = "hand"
        self._model, self._item, self._kept = model, item, kept

    async def complete(self, request: ModelRequest) -> ModelReply:
        reply = await self._model.complete(request)
        self._kept.append({"item": self._item, "role": request.role, "key": call_key(request), "reply": reply.text})
        return reply

    async def close(self) -> None:
        """The model outlives the item."""


def drawn() -> list[dict[str, Any]]:
    """The items of the trial: eight of each slice, by seed."""
    rows = [json.loads(line) for line in (HERE / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    chance = random.Random(SEED)
    chosen = [row for name in ("documents", "tables", "arithmetic") for row in chance.sample([row for row in rows if row["slice"] == name], EACH)]
    chance.shuffle(chosen)
    return chosen


async def run_item(row: dict[str, Any], model: Model) -> Outcome:
    """One item, with paths as its row gives them (the folder of the items must be the current one: prompts name the sources)."""
    task = Task(query=row["query"], kind=row["kind"], answer=row["answer"], documents=tuple(row.get("documents", ())), tables=tuple(row.get("tables", ())))
    return await Refiner(model, clock=FixedDay()).run(task)


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--timeout", default="1500", help="seconds that one reply may take")
    options = parser.parse_args()
    os.chdir(HERE)
    model = open_model(options.model, settings={"timeout_seconds": options.timeout})
    kept: list[dict[str, str]] = []
    slots = asyncio.Semaphore(8)

    async def one(row: dict[str, Any]) -> None:
        async with slots:
            outcome = await run_item(row, Recorder(model, row["id"], kept))
            print(f"{row['id']}: {row['answer']} -> {outcome.answer} (gold {row['answers'][0]}), {outcome.status}", file=sys.stderr)

    await asyncio.gather(*(one(row) for row in drawn()))
    await model.close()
    TAPE.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in sorted(kept, key=lambda line: line["item"])), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
