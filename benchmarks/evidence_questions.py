"""Questions whose evidence comes with them, by seed: a table of its own or a folder of documents. Gold is worked out without the tools under test."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

import tables

from redraft.studies.metrics import exact_match
from redraft.types import Task

__all__ = ["EVIDENCE_FAMILIES", "Asked", "asked"]

EVIDENCE_FAMILIES = ("tables", "documents")
DOCUMENTS = Path(__file__).resolve().parent / "documents_questions.jsonl"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One question with its evidence and its gold answers; `fact` is set where the answer is a figure or a name of a table."""

    task: Task
    golds: tuple[str, ...]
    fact: tables.Fact | None = None

    def right(self, answer: str) -> bool:
        if self.fact is not None and self.golds[0] not in ("yes", "no"):
            return tables.same(answer, self.golds[0], self.fact)
        return any(exact_match(answer, gold) for gold in self.golds)


def asked(family: str, n: int, seed: int, folder: Path) -> list[Asked]:
    """`n` questions; their tables or documents are written into `folder`."""
    chance = random.Random(f"{family}/{seed}")
    return _of_tables(n, chance, folder) if family == "tables" else _of_documents(n, chance, folder)


def _of_documents(n: int, chance: random.Random, folder: Path) -> list[Asked]:
    home = folder / "documents"
    home.mkdir(exist_ok=True)
    found: list[Asked] = []
    for number, line in enumerate(DOCUMENTS.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        (home / f"{number:02}.txt").write_text(f"{row['title']}\n\n{row['text']}\n", encoding="utf-8")
        found += [Asked(task=Task(query=query, documents=(str(home),)), golds=tuple(golds)) for query, golds in row["questions"]]
    return chance.sample(found, min(n, len(found)))


def _of_tables(n: int, chance: random.Random, folder: Path) -> list[Asked]:
    found: list[Asked] = []
    while len(found) < n:
        made = tables.make(chance.choice(tables.KINDS), chance)
        path = folder / f"{made.kind.name}-{len(found)}.csv"
        tables.write(made, path)
        pool = [fact for fact in tables.facts(made, chance) if tables.HELD_QUESTIONS.get(fact.type)]
        for fact in chance.sample(pool, min(4, len(pool))):
            gold = "yes" if fact.type == "more" else fact.names[0] if fact.names else fact.shown
            text = tables.capital(chance.choice(tables.HELD_QUESTIONS[fact.type]).format(v="", **fact.words))
            found.append(Asked(task=Task(query=text, tables=(str(path),)), golds=(gold,), fact=fact))
    return found[:n]
