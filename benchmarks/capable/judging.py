"""Judge drawn claims and sentences with a capable model, and score the verdicts: precision, spans, quotations that are really there.

    python benchmarks/capable/judging.py --data ../shared/data --model http://127.0.0.1:8098/v1#hand --json
    python benchmarks/capable/judging.py --data ../shared/data --items

Thirty items by seed: fifteen claims of Factcheck-Bench, each with one piece of evidence as the only document (five that it supports, five that it refutes,
five that it does neither for), and fifteen statements about passages of Wikipedia with the passage as the only document: right ones, and wrong ones in
which the answer to a question about the passage is replaced by the answer to another question that is of the same type. The gold label never reaches the
model. A row says which model answered; figures of a model that was answered by hand must say so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from record import FixedDay

from redraft import Outcome, Refiner, Task, open_model
from redraft.claims.questions import read_question
from redraft.claims.segment import sentences
from redraft.claims.slots import slots
from redraft.protocols import Model
from redraft.tools.documents import DocumentsTool

SEED, EACH = 17, 15
OPEN = re.compile(r"(?:about|after|almost|around|at|before|between|by|from|in|less|more|nearly|over|since|some|until)\b", re.IGNORECASE)
"""An answer that begins so may be true beside the right one: put in its place it makes no wrong statement for certain."""
KINDS = {"person": "name", "place": "name", "date": "date", "number": "quantity"}
STANCES = {"completely-support": "supported", "refute": "contradicted"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One statement with its only document; `gold` is what the document says of it: `supported`, `contradicted` or `neither`."""

    id: str
    statement: str
    document: str
    gold: str


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def drawn(data: Path) -> list[Item]:
    """The items of the trial, by seed."""
    chance = random.Random(SEED)
    return [*_claims(rows(data / "factcheck_bench" / "claim_evidence_stance.jsonl"), chance), *_statements(data / "corpus_wiki", chance)]


def _claims(pairs: Sequence[dict[str, Any]], chance: random.Random) -> list[Item]:
    found: list[Item] = []
    for gold in ("supported", "contradicted", "neither"):
        of_gold = [row for row in pairs if STANCES.get(row["stance"], "neither") == gold]
        found += [
            Item(id=f"factcheck-{gold}-{number}", statement=row["claim"], document=row["evidence"], gold=gold)
            for number, row in enumerate(chance.sample(of_gold, EACH // 3))
        ]
    return found


def _type(row: dict[str, Any]) -> str:
    """What a question asks for, where its answer is of that kind."""
    kinds = {slot.kind for slot in slots(f"in {row['answers'][0]}")}
    asked = read_question(row["question"]).type
    return asked if kinds == {KINDS.get(asked, "")} else "other"


def _statements(folder: Path, chance: random.Random) -> list[Item]:
    """The sentence of a passage that has the answer to a question, as it stands or with another answer of the same type from the same article."""
    passages = {row["id"]: row for row in rows(folder / "passages.jsonl") if row["lang"] == "en"}
    asked = [row for row in rows(folder / "xquad_en_questions.jsonl") if row["passage_id"] in passages]
    answers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in asked:
        answers[passages[row["passage_id"]]["title"], _type(row)].add(row["answers"][0])
    chance.shuffle(asked)
    found: list[Item] = []
    used: set[str] = set()
    for row in asked:
        passage, answer = passages[row["passage_id"]], row["answers"][0]
        start = row["answer_start"][0] if isinstance(row["answer_start"], list) else row["answer_start"]
        span = next(((a, b) for a, b in sentences(passage["text"]) if a <= start and start + len(answer) <= b), None)
        others = sorted(answers[passage["title"], _type(row)] - {answer})
        others = [other for other in others if not OPEN.match(other) and other.lower() not in passage["text"].lower() and answer.lower() not in other.lower()]
        if (
            span is None
            or passage["text"][start : start + len(answer)] != answer
            or not passage["text"][slice(*span)].strip()[-2:-1].isalnum()
            or _type(row) == "other"
            or not others
            or passage["id"] in used
        ):
            continue
        used.add(passage["id"])
        wrong = len(found) % 2 == 1
        begin, end = span
        given = chance.choice(others) if wrong else answer
        statement = f"{passage['text'][begin:start]}{given}{passage['text'][start + len(answer) : end]}".strip()
        gold = "contradicted" if wrong else "supported"
        found.append(
            Item(id=f"wiki-{gold}-{len(found)}", statement=statement, document=f"# {passage['title'].replace('_', ' ')}\n\n{passage['text']}", gold=gold)
        )
        if len(found) == EACH:
            break
    return found


async def judged(item: Item, model: Model) -> Outcome:
    """The verdicts on one item, the document being the only evidence."""
    tools = [DocumentsTool(texts={"document.txt": item.document})]
    return await Refiner(model, tools=tools, clock=FixedDay()).check(Task(query="", kind="report"), item.statement)


def verdict(outcome: Outcome) -> str:
    """Of the whole item: one contradicted claim contradicts it, all check-worthy ones supported support it."""
    statuses = [check.status for check in outcome.checks if check.status != "skipped"]
    if "contradicted" in statuses:
        return "contradicted"
    return "supported" if statuses and all(status == "supported" for status in statuses) else "undecided"


def scored(items: Sequence[Item], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Precision of both verdicts over the items, and over all claims the share of exact spans and the quotations that are not in the evidence."""
    counts = Counter((verdict(outcome), item.gold) for item, outcome in zip(items, outcomes, strict=True))
    checks = [(item, outcome, check) for item, outcome in zip(items, outcomes, strict=True) for check in outcome.checks]
    exact = sum(item.statement[check.claim.span[0] : check.claim.span[1]] == check.claim.text for item, _, check in checks)
    judged_checks = [(item, check) for item, _, check in checks if check.method == "judged" and check.status in ("supported", "contradicted")]
    baseless = sum(not check.quote.strip() or check.quote not in item.document for item, check in judged_checks)
    found: dict[str, Any] = {"n": len(items), "claims": len(checks), "spans_exact": share(exact, len(checks))}
    for name in ("contradicted", "supported"):
        decided = sum(count for (ours, _), count in counts.items() if ours == name)
        of_gold = sum(item.gold == name for item in items)
        right = counts[name, name]
        found[name] = {"decided": decided, "right": right, "precision": share(right, decided), "recall": share(right, of_gold)}
    found["judged"] = {"claims": len(judged_checks), "without_a_quotation_that_is_there": baseless}
    found["model_calls"] = sum(outcome.usage.llm_calls for outcome in outcomes)
    return found


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--model", default="none")
    parser.add_argument("--timeout", default="1500", help="seconds that one reply may take")
    parser.add_argument("--items", action="store_true", help="print the items, with their gold labels, and stop")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"{options.data} is not a folder", file=sys.stderr)
        return 2
    items = drawn(options.data)
    if options.items:
        for item in items:
            print(json.dumps({"id": item.id, "gold": item.gold, "statement": item.statement}, ensure_ascii=False))
        return 0
    model = open_model(options.model, settings={"timeout_seconds": options.timeout}) if options.model.startswith("http") else open_model(options.model)
    gate = asyncio.Semaphore(8)

    async def one(item: Item) -> Outcome:
        async with gate:
            outcome = await judged(item, model)
            print(f"{item.id}: {verdict(outcome)}", file=sys.stderr)
            return outcome

    outcomes = await asyncio.gather(*(one(item) for item in items))
    await model.close()
    found = {"model": model.name, **scored(items, outcomes)}
    print(json.dumps(found) if options.json else json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
