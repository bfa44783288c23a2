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
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from scripted_runs import ChanceModel, ChanceTool, cases

from redraft.events import Event
from redraft.models import open_model
from redraft.policies import POLICIES
from redraft.records import Filters, Records, open_records
from redraft.records.keeping import RunKeeper, write_records
from redraft.records.rows import COLUMNS, RunRow
from redraft.refiner import Refiner
from redraft.replay import History, grid, history_of, replay
from redraft.studies.demo import demo_rows
from redraft.tools.calculator import CalculatorTool
from redraft.trace import Record, Trace
from redraft.types import ModelReply, ModelRequest, Task

CALL_SECONDS = 0.05
SUBJECTS = "revenue profit margin growth churn latency capacity rainfall population turnout yield inventory exports wages rents".split()
PLACES = "Lisbon Osaka Nairobi Lima Quebec Perth Tallinn Porto Kyoto Bergen Cusco 東京 北京 大阪 上海".split()
MODELS = ("local", "openai:small", "openai:large", "anthropic:mid", "none")
NAMES = ("guarded", "direct", "critic", "self-refine")
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
            policy=chance.choices(NAMES, (70, 20, 7, 3))[0],
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
                write_records(execute, None, {name: getattr(row, name) for name in COLUMNS}, [], body)


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


class SlowModel(ChanceModel):
    """Answers after 50 ms, as a fast service does."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(CALL_SECONDS)
        return await super().complete(request)


class Timed:
    """A keeper that adds up its processor time."""

    def __init__(self, keeper: RunKeeper) -> None:
        self.keeper, self.spent, self.events = keeper, 0.0, 0

    def keep(self, record: Record, payload: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        began = time.thread_time()
        self.keeper.keep(record, payload, texts)
        self.spent += time.thread_time() - began
        self.events += 1


def overhead() -> dict[str, Any]:
    """Processor time of an event, hashing and writing apart; and a run of 50 ms calls with its record against the same run without one."""
    seen: list[Event] = []
    for case in cases(60):
        asyncio.run(Refiner(on_event=seen.append, **case.parts()).run(case.task))
    with tempfile.TemporaryDirectory() as folder:
        records = open_records(home=Path(folder))
        keepers: list[Timed] = []
        trace = Trace()
        began = time.process_time()
        for event in seen:
            if event.type == "started":
                keepers.append(Timed(records.keeper(f"r{len(keepers)}")))
                trace = Trace(keeper=keepers[-1])
            trace.write(event)
        both = time.process_time() - began
        ratios = [_run_ratio(records, seed) for seed in range(12)]
        records.close()
    kept = sum(keeper.spent for keeper in keepers)
    figures = {
        "events": len(seen),
        "ms_per_event": round(1000 * both / len(seen), 3),
        "ms_per_event_hashing": round(1000 * (both - kept) / len(seen), 3),
        "ms_per_event_writing": round(1000 * kept / len(seen), 3),
        "run_with_record_to_run_without": round(statistics.median(ratios), 4),
    }
    return figures | {"within": figures["ms_per_event"] <= 0.3 and figures["run_with_record_to_run_without"] <= 1.05}


def _run_ratio(records: Records, seed: int) -> float:
    task = Task(query="Where was the mayor of Aldon born?", answer="17 * 3 = 50. The mayor of Aldon was born in Berley.")
    policy = replace(POLICIES["controlled"], stops=("hard_cap",), max_turns=4)

    def seconds(store: Records | None) -> float:
        model = SlowModel(seed)
        refiner = Refiner(model, evaluator=model, tools=[CalculatorTool(), ChanceTool(seed)], policy=policy, records=store)
        began = time.perf_counter()
        asyncio.run(refiner.run(task))
        return time.perf_counter() - began

    seconds(None)
    return seconds(records) / seconds(None)


def replays(count: int) -> dict[str, Any]:
    """Scripted runs under every policy, recorded and replayed; then grids over records of ten turns, in two processes."""
    alike = same = decisions = 0
    for case in cases(count):
        refiner = Refiner(**case.parts())
        asyncio.run(refiner.run(case.task))
        replayed = asyncio.run(replay(Trace.from_jsonl(refiner.trace.to_jsonl()).records))
        same, alike, decisions = same + replayed.same, alike + replayed.decided_alike, decisions + replayed.decisions
    with ProcessPoolExecutor(2) as pool:
        done = list(pool.map(_grid, (0, 1)))
    evaluated = sum(number for number, _ in done)
    return {
        "runs": count,
        "same": same,
        "decided_alike": alike,
        "decisions": decisions,
        "grid_replays": evaluated,
        "grid_replays_per_second_on_two_cores": round(sum(number / seconds for number, seconds in done)),
        "grid_replays_per_processor_second": round(evaluated / sum(seconds for _, seconds in done)),
    }


def _grid(part: int) -> tuple[int, float]:
    base = replace(POLICIES["controlled"], stops=("hard_cap",), max_turns=10)
    task = Task(query="Where was he born?", answer="Aldon lies near the river. " * 20)
    histories: list[History] = []
    for seed in range(part * 100, part * 100 + 40):
        refiner = Refiner(ChanceModel(seed), evaluator=ChanceModel(seed + 1), tools=[CalculatorTool()], policy=base, seed=seed)
        asyncio.run(refiner.run(task))
        histories.append(history_of(refiner.trace.records))
    rules = ((), ("rejections",), ("stagnation",), ("stable",), ("unchanged", "cycle"), ("target", "rejections", "stagnation", "stable", "unchanged", "cycle"))
    policies = [
        replace(base, stops=(*names, "hard_cap"), rejections=number, window=window, stable_change=change)
        for names in rules
        for number in (2, 3, 4)
        for window in (2, 3, 4)
        for change in (0.005, 0.01, 0.02)
    ]
    histories = [history for history in histories if len(history.turns) == 10]
    began = time.process_time()
    count = sum(len(row) for row in grid(histories, policies))
    return count, time.process_time() - began


def demonstration() -> dict[str, Any]:
    """The questions of `redraft demo`, answered by the embedded model, recorded and replayed."""

    async def whole() -> dict[str, Any]:
        model, same, decisions, different = open_model("local"), 0, 0, list[str]()
        rows = demo_rows()
        try:
            for row in rows:
                refiner = Refiner(model)
                await refiner.run(row.task)
                replayed = await replay(refiner.trace.records)
                same, decisions = same + replayed.same, decisions + replayed.decisions
                if not replayed.same:
                    different.append(f"{row.id}: {replayed.difference}")
        finally:
            await model.close()
        return {"runs": len(rows), "same": same, "decisions": decisions, "different": different}

    return asyncio.run(whole())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("list", "overhead", "replay", "demo"))
    parser.add_argument("--runs", type=int, default=None)
    parser.add_argument("--url", default=None)
    options = parser.parse_args()
    match options.what:
        case "list":
            figures = lists(options.runs or 100_000, options.url)
        case "overhead":
            figures = overhead()
        case "replay":
            figures = replays(options.runs or 1000)
        case _:
            figures = demonstration()
    print(json.dumps(figures, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
