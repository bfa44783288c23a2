"""What records cost, and how fast 100,000 of them are listed.

    python benchmarks/records.py list [--runs 100000] [--url URL]     time of each kind of list, in milliseconds
    python benchmarks/records.py overhead                             processor time of an event, and a run with 50 ms calls with and without its record
    python benchmarks/records.py replay [--runs 1000]                 scripted runs replayed, and stopping rules over hard-cap records
    python benchmarks/records.py demo                                 the demonstration of the embedded model, recorded and replayed

Bounds: any list under 300 ms; 0.3 ms of processor an event and 5 % of a run; every decision replayed; 5,000 replays a second of ten turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from redraft.records import Filters, Records, open_records
from redraft.records.keeping import write_records
from redraft.records.rows import RunRow

SUBJECTS = "revenue profit margin growth churn latency capacity rainfall population turnout yield inventory exports wages rents".split()
PLACES = "Lisbon Osaka Nairobi Lima Quebec Perth Tallinn Porto Kyoto Bergen Cusco 東京 北京 大阪 上海".split()
MODELS = ("local", "openai:small", "openai:large", "anthropic:mid", "none")
POLICIES = ("guarded", "direct", "critic", "self-refine")
STATUSES = ("verified", "corrected", "disputed", "unverified", "failed")


def generated(count: int, seed: int = 0) -> Iterator[tuple[RunRow, str]]:
    """Rows as of runs over three months, with the text that a search looks through."""
    chance = random.Random(seed)
    for number in range(count):
        subject, place, share = chance.choice(SUBJECTS), chance.choice(PLACES), chance.randrange(1, 99)
        query = f"What was the {subject} of {place} in {chance.randrange(1950, 2026)}, and what is {share}% of {chance.randrange(100, 99999):,}?"
        answer = f"The {subject} of {place} was {chance.randrange(10_000)}. {share}% of it is {chance.randrange(5000)}. " * chance.randrange(1, 4)
        turns = chance.randrange(4)
        row = RunRow(
            id=f"r{number:016x}",
            started=1_780_000_000 + number * 78 + chance.random(),
            ended=1_780_000_000 + number * 78 + 9.5,
            query=query,
            answer=answer[:500],
            kind="qa",
            status=chance.choices(STATUSES, (40, 20, 5, 34, 1))[0],
            stop_reason="verified",
            policy=chance.choices(POLICIES, (70, 20, 7, 3))[0],
            policy_hash="0" * 16,
            model=chance.choice(MODELS),
            changed=chance.random() < 0.2,
            supported=chance.randrange(9),
            contradicted=int(chance.random() < 0.05),
            undecided=chance.randrange(3),
            turns=turns,
            llm_calls=2 * turns + 1,
            tokens=chance.randrange(20_000),
            cost_usd=None if chance.random() < 0.3 else chance.random() / 100,
            seconds=chance.random() * 30,
            events=12,
            complete=True,
            trace_hash="0" * 64,
        )
        yield row, f"{query}\n{answer}"


def filled(records: Records, count: int) -> None:
    """Put generated rows into an empty store."""
    if records.count() >= count:
        return
    batch = list(generated(count))
    for start in range(0, count, 5000):
        with records._database.write() as execute:  # pyright: ignore[reportPrivateUsage]
            for row, body in batch[start : start + 5000]:
                write_records(execute, None, row, [], body)


def milliseconds(act: Callable[[], Any], times: int = 5) -> float:
    spent: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        spent.append(1000 * (time.perf_counter() - began))
    return round(statistics.median(spent), 1)


def lists(count: int, url: str | None) -> dict[str, float]:
    """Milliseconds of each kind of list over `count` runs."""
    with tempfile.TemporaryDirectory() as folder:
        records = open_records(url, Path(folder))
        filled(records, count)
        deep = records.list(limit=50)
        for _ in range(40):
            deep = records.list(limit=50, cursor=deep.next)
        rare = Filters(status=("failed",), policy=("self-refine",), model=("local",))
        kinds: dict[str, Callable[[], Any]] = {
            "newest": records.list,
            "a later page": lambda: records.list(cursor=deep.next),
            "by cost": lambda: records.list(sort="cost_usd"),
            "by model, ascending": lambda: records.list(sort="model", descending=False),
            "filtered, many": lambda: records.list(filters=Filters(status=("disputed", "corrected"), changed=True)),
            "filtered, few, by seconds": lambda: records.list(filters=rare, sort="seconds"),
            "search, in every run": lambda: records.list(search="what was the"),
            "search, some": lambda: records.list(search="rainfall lima", sort="tokens"),
            "search, none": lambda: records.list(search="zzzzqqq"),
            "search, two characters": lambda: records.list(search="東京"),
            "search, two of two characters": lambda: records.list(search="東京 7%"),
            "search in every run, few filtered": lambda: records.list(search="what was the", filters=rare),
            "search and filter": lambda: records.list(search="margin", filters=Filters(status=("disputed",))),
            "count": records.count,
            "count of a search": lambda: records.count(search="growth"),
            "count, search in every run": lambda: records.count(search="what was the"),
            "facets": records.facets,
        }
        figures = {name: milliseconds(act) for name, act in kinds.items()}
        records.close()
        return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("list",))
    parser.add_argument("--runs", type=int, default=None)
    parser.add_argument("--url", default=None)
    options = parser.parse_args()
    print(json.dumps(lists(options.runs or 100_000, options.url), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
