"""Run drawn drafts of a recorded system under several policies with a capable model over the same documents, and count what became of them.

    python benchmarks/capable/policies.py --data ../shared/data --model http://127.0.0.1:8097/v1#hand --policy critic-claim --policy guarded --json

Twenty-four first answers of `reflexion_hotpot`, drawn by seed, half of them right by exact match with the gold, all of them answers (no empty ones). The
documents are the English passages of `corpus_wiki`, so that a search really has to find something. The gold label never reaches a run. A row says which
model answered; figures of a model that was answered by hand must say so. `--keep FOLDER` writes every outcome, to look at.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from record import FixedDay

from redraft import Outcome, Refiner, Task, open_model
from redraft.outcome import to_json
from redraft.protocols import Model
from redraft.studies.metrics import exact_match, token_f1
from redraft.tools.documents import DocumentsTool

SEED, EACH = 23, 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One recorded draft with its question; the gold is for the count alone."""

    id: str
    question: str
    draft: str
    gold: str

    @property
    def right(self) -> bool:
        return exact_match(self.draft, self.gold)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def drawn(data: Path) -> list[Item]:
    """Twelve right and twelve wrong first answers, one a question, by seed."""
    found: dict[str, Item] = {}
    trajectories = rows(data / "reflexion_hotpot" / "trajectories.jsonl")
    chance = random.Random(SEED)
    chance.shuffle(trajectories)
    for row in trajectories:
        draft = (row["trials"][0]["answer"] or "").strip()
        if draft and row["id"] not in found:
            found[row["id"]] = Item(id=row["id"], question=row["question"], draft=draft, gold=row["gold"])
    right = [item for item in found.values() if item.right][:EACH]
    wrong = [item for item in found.values() if not item.right][:EACH]
    chosen = [*right, *wrong]
    chance.shuffle(chosen)
    return chosen


def corpus(data: Path) -> dict[str, str]:
    """The English passages by the name under which a search shows them."""
    passages = [row for row in rows(data / "corpus_wiki" / "passages.jsonl") if row["lang"] == "en"]
    return {f"{row['id']}.txt": f"# {row['title'].replace('_', ' ')}\n\n{row['text']}" for row in passages}


async def run_item(item: Item, policy: str, texts: dict[str, str], model: Model) -> Outcome:
    tools = [DocumentsTool(texts=texts)]
    return await Refiner(model, tools=tools, policy=policy, clock=FixedDay()).revise(Task(query=item.question, kind="qa"), item.draft)


def counted(items: Sequence[Item], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Fates by exact match, mean token F1 before and after, and what it cost."""
    fates = Counter((item.right, exact_match(outcome.answer, item.gold)) for item, outcome in zip(items, outcomes, strict=True))
    n = len(items)
    return {
        "n": n,
        "right_before": sum(item.right for item in items),
        "right_after": fates[True, True] + fates[False, True],
        "wrong_to_right": fates[False, True],
        "right_to_wrong": fates[True, False],
        "f1_before": round(sum(token_f1(item.draft, item.gold) for item in items) / n, 4),
        "f1_after": round(sum(token_f1(outcome.answer, item.gold) for item, outcome in zip(items, outcomes, strict=True)) / n, 4),
        "calls_an_item": round(sum(outcome.usage.llm_calls for outcome in outcomes) / n, 2),
        "most_calls": max(outcome.usage.llm_calls for outcome in outcomes),
        "repairs": sum(outcome.usage.repairs for outcome in outcomes),
        "tokens_an_item": round(sum(outcome.usage.input_tokens + outcome.usage.output_tokens for outcome in outcomes) / n),
        "tool_calls_an_item": round(sum(outcome.usage.tool_calls for outcome in outcomes) / n, 2),
        "statuses": dict(Counter(outcome.status for outcome in outcomes)),
    }


async def trial(items: Sequence[Item], policy: str, texts: dict[str, str], model: Model, keep: Path | None) -> dict[str, Any]:
    gate = asyncio.Semaphore(6)

    async def one(item: Item) -> Outcome:
        async with gate:
            outcome = await run_item(item, policy, texts, model)
        after = "right" if exact_match(outcome.answer, item.gold) else "wrong"
        print(f"{policy} {item.id}: {'right' if item.right else 'wrong'} -> {after}, {outcome.status}, {outcome.usage.llm_calls} calls", file=sys.stderr)
        if keep is not None:
            (keep / f"{policy}-{item.id}.json").write_text(json.dumps(to_json(outcome), ensure_ascii=False, indent=1), encoding="utf-8")
        return outcome

    return {"policy": policy, "model": model.name, **counted(items, await asyncio.gather(*(one(item) for item in items)))}


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--model", required=True)
    parser.add_argument("--policy", action="append", required=True)
    parser.add_argument("--timeout", default="1500", help="seconds that one reply may take")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"{options.data} is not a folder", file=sys.stderr)
        return 2
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    items, texts = drawn(options.data), corpus(options.data)
    model = open_model(options.model, settings={"timeout_seconds": options.timeout}) if options.model.startswith("http") else open_model(options.model)
    found = await asyncio.gather(*(trial(items, policy, texts, model, options.keep) for policy in options.policy))
    await model.close()
    print(json.dumps(found) if options.json else json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
