"""Evaluation over rows: the counts, what survives an interruption, and that nothing given to a run can reach the gold."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import json
import types
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from redraft.errors import InputError, UsageError
from redraft.events import Event
from redraft.refiner import Refiner
from redraft.studies.demo import demo_rows, demonstrate, is_right, summarise_demo
from redraft.studies.evaluate import Results, Setting, evaluate, is_abstention, summarise, usable
from redraft.studies.metrics import metric_named
from redraft.studies.rows import Row, row_from_mapping
from redraft.studies.running import OpenRunner, run_tasks
from redraft.types import Decision, Evidence, ModelReply, ModelRequest, Outcome, State, Task, ToolCall, ToolResult, Turn, Usage

SETTING = Setting(metric="em", policy="guarded", policy_hash="h", model="scripted:x", seed=0)
KEYS = [
    "n", "metric", "policy", "model", "before", "after", "wrong_to_right", "right_to_wrong", "unchanged_right", "unchanged_wrong", "abstained",
    "improvement_rate", "regression_rate", "mean_turns", "ci95", "p_value", "usage", "seconds",
]  # fmt: skip


def outcome(draft: str, answer: str, **changes: Any) -> Outcome:
    turn = Turn(number=1, problems=(), candidate=State(text=answer), decision=Decision(accepted=True, rule="repair"))
    base = Outcome(
        run_id="r", status="corrected" if draft != answer else "verified", changed=draft != answer, query="q", draft=draft, answer=answer,
        stop_reason="verified", checks=(), draft_checks=(), evidence=(), turns=(turn,) if draft != answer else (),
        usage=Usage(llm_calls=2, tool_calls=1, input_tokens=10, output_tokens=5, cost_usd=0.0, seconds=0.5), policy_name="guarded", policy_hash="h",
        model="scripted:x", trace_hash="t",
    )  # fmt: skip
    return dataclasses.replace(base, **changes)


def rows_of(*pairs: tuple[str, str]) -> list[Row]:
    return [row_from_mapping({"id": f"q{i}", "query": f"query {i}", "answers": [gold], "note": i}) for i, (_, gold) in enumerate(pairs)]


def opening(run: Callable[[Task], Awaitable[Outcome]]) -> OpenRunner:
    @asynccontextmanager
    async def opened() -> AsyncGenerator[Callable[[Task], Awaitable[Outcome]]]:
        yield run

    return opened


def run_from(pairs: dict[str, Outcome]) -> OpenRunner:
    async def run(task: Task) -> Outcome:
        await asyncio.sleep(0)
        return pairs[task.query]

    return opening(run)


FOUR = [(outcome("1", "2"), "2"), (outcome("3", "4"), "3"), (outcome("5", "5"), "5"), (outcome("6", "6"), "7")]


def test_the_four_moves_are_counted_and_the_keys_are_those_of_the_contract() -> None:
    rows = [row_from_mapping({"query": f"query {i}", "answers": [gold]}) for i, (_, gold) in enumerate(FOUR)]
    run = run_from({f"query {i}": item for i, (item, _) in enumerate(FOUR)})
    metric = metric_named("em")
    records = evaluate(rows, run, metric, Results(SETTING), SETTING)
    figures = summarise(records, metric, SETTING, seconds=1.0)
    assert list(figures) == KEYS
    assert (figures["n"], figures["before"], figures["after"]) == (4, 0.5, 0.5)
    assert [figures[key] for key in ("wrong_to_right", "right_to_wrong", "unchanged_right", "unchanged_wrong")] == [1, 1, 1, 1]
    assert (figures["improvement_rate"], figures["regression_rate"], figures["mean_turns"], figures["p_value"]) == (0.5, 0.5, 0.5, 1.0)
    assert figures["ci95"][0] < 0 < figures["ci95"][1]
    assert figures["usage"] == {
        "llm_calls": 8, "tool_calls": 4, "input_tokens": 40, "output_tokens": 20, "cached_tokens": 0, "cost_usd": 0.0, "seconds": 2.0
    }  # fmt: skip


def test_what_is_undefined_is_null_and_nothing_is_an_error() -> None:
    metric = metric_named("em")
    rows = [row_from_mapping({"query": "query 2", "answers": ["5"]})]
    records = evaluate(rows, run_from({"query 2": FOUR[2][0]}), metric, Results(SETTING), SETTING)
    figures = summarise(records, metric, SETTING, seconds=1.0)
    assert figures["improvement_rate"] is None
    assert figures["regression_rate"] == 0.0
    graded = metric_named("f1")
    assert summarise(records, graded, SETTING, seconds=1.0)["p_value"] is None
    with pytest.raises(InputError, match="no row could be evaluated"):
        summarise([], metric, SETTING, seconds=0.0)


def test_an_abstention_is_not_right_and_an_unknown_price_stays_unknown() -> None:
    refused = Turn(number=1, problems=(), candidate=State(text="x"), decision=Decision(accepted=False, rule="gain"))
    abstaining = outcome("5", "This could not be verified.", status="unverified", turns=(refused,), usage=Usage(cost_usd=None))
    failed = outcome("", "", status="failed", changed=False)
    assert is_abstention(abstaining)
    assert is_abstention(failed)
    assert not is_abstention(outcome("5", "5", status="unverified"))
    rows = [row_from_mapping({"query": "a", "answers": ["5"]}), row_from_mapping({"query": "b", "answers": ["5"]})]
    metric = metric_named("em")
    records = evaluate(rows, run_from({"a": abstaining, "b": failed}), metric, Results(SETTING), SETTING)
    figures = summarise(records, metric, SETTING, seconds=1.0)
    assert (figures["abstained"], figures["right_to_wrong"], figures["unchanged_wrong"], figures["after"]) == (2, 1, 1, 0.0)
    assert figures["usage"]["cost_usd"] is None


def test_finished_rows_are_on_disk_in_order_and_are_not_run_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    rows = [row_from_mapping({"id": f"q{i}", "query": f"query {i}", "answers": [gold], "topic": i}) for i, (_, gold) in enumerate(FOUR)]
    metric = metric_named("em")
    calls: list[str] = []

    async def run(task: Task) -> Outcome:
        calls.append(task.query)
        return {f"query {i}": item for i, (item, _) in enumerate(FOUR)}[task.query]

    for index in range(2):
        evaluate(rows[: index + 1], opening(run), metric, Results(SETTING, path), SETTING)
    with path.open("ab") as file:
        file.write(b'{"id": "q2", "torn')
    assert calls == ["query 0", "query 1"]
    calls.append("again")
    records = evaluate(rows, opening(run), metric, Results(SETTING, path), SETTING)
    assert calls == ["query 0", "query 1", "again", "query 2", "query 3"]
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [line["id"] for line in lines] == [record["id"] for record in records] == ["q0", "q1", "q2", "q3"]
    assert [line["topic"] for line in lines] == [0, 1, 2, 3]
    assert lines[0]["outcome"]["answer"] == "2"


def test_a_file_of_another_evaluation_is_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    metric = metric_named("em")
    rows = [row_from_mapping({"query": "query 0", "answers": ["2"]})]
    evaluate(rows, run_from({"query 0": FOUR[0][0]}), metric, Results(SETTING, path), SETTING)
    with pytest.raises(UsageError, match="another evaluation"):
        Results(dataclasses.replace(SETTING, policy_hash="other"), path)
    path.write_text('{"id": "mine"}\n')
    with pytest.raises(UsageError, match="line 1 is not a row of an evaluation"):
        Results(SETTING, path)
    with pytest.raises(InputError, match="cannot write"):
        Results(SETTING, tmp_path / "absent" / "out.jsonl")


def test_a_row_that_cannot_be_run_is_reported_and_skipped() -> None:
    async def run(task: Task) -> Outcome:
        if task.query == "query 1":
            raise InputError("t.csv is not a table")
        return FOUR[0][0]

    rows = [row_from_mapping({"query": f"query {i}", "answers": ["2"]}) for i in range(3)]
    seen: list[Any] = []
    records = evaluate(rows, opening(run), metric_named("em"), Results(SETTING), SETTING, concurrency=3, on_row=lambda row, record: seen.append(record))
    assert len(records) == 2
    assert seen[1] == "t.csv is not a table"


def test_an_interrupt_still_takes_what_is_complete_and_an_error_of_the_taker_stops_the_run() -> None:
    tasks = [Task(query=str(i)) for i in range(5)]
    taken: list[int] = []
    begun: list[str] = []

    async def run(task: Task) -> Outcome:
        begun.append(task.query)
        if task.query == "2":
            raise KeyboardInterrupt
        return FOUR[0][0]

    with pytest.raises(KeyboardInterrupt):
        run_tasks(tasks, opening(run), lambda index, result: taken.append(index))
    assert taken == [0, 1]

    async def slow(task: Task) -> Outcome:
        begun.append(task.query)
        for _ in range(50):
            await asyncio.sleep(0)
        return FOUR[0][0]

    def refuse(index: int, result: object) -> None:
        raise InputError("the disk is full")

    with pytest.raises(InputError, match="the disk is full"):
        run_tasks(tasks, opening(slow), refuse)


def test_rows_without_the_gold_of_the_metric_are_bad_rows() -> None:
    rows = [row_from_mapping({"query": "a", "answers": ["1"]}), row_from_mapping({"query": "b", "hidden_tests": "assert f()"}, line=2)]
    good, bad = usable(rows, metric_named("em"))
    assert [row.task.query for row in good] == ["a"]
    assert bad[0].line == 2
    assert "'answers'" in bad[0].message
    good, _ = usable(rows, metric_named("pass@1", run_tests=lambda code, tests: True))
    assert [row.task.query for row in good] == ["b"]


GOLD = "the-gold-that-nobody-may-see-4711"
HIDDEN = "assert secret_test_0815()"


def reachable_texts(*roots: object) -> str:
    """Every text that can be reached from the objects by following references, but not through modules, classes and the globals of functions."""
    seen: set[int] = set()
    waiting: list[object] = list(roots)
    texts: list[str] = []
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, types.ModuleType | type | types.FrameType):
            continue
        seen.add(id(item))
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, types.FunctionType):
            waiting += [cell.cell_contents for cell in item.__closure__ or () if not_empty(cell)]
            waiting += [item.__defaults__, item.__kwdefaults__, item.__dict__]
        else:
            waiting += gc.get_referents(item)
    return "\n".join(texts)


def not_empty(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


class ProbingModel:
    """A model that looks for gold in everything it was given."""

    name = "probe"
    ability = "capable"

    def __init__(self) -> None:
        self.found: list[str] = []
        self.refiner: Refiner | None = None

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.found.append(reachable_texts(self.refiner, request, asyncio.get_running_loop(), asyncio.all_tasks()))
        return ModelReply(text="It is 2 + 2 = 5.", cost_usd=0.0)

    async def close(self) -> None: ...


class ProbingTool:
    """A tool that does the same."""

    name = "calculator"
    summary = "probe"
    timeout_seconds = 5.0

    def __init__(self, model: ProbingModel) -> None:
        self.model = model

    async def run(self, call: ToolCall) -> ToolResult:
        self.model.found.append(reachable_texts(self.model.refiner, call, asyncio.get_running_loop(), asyncio.all_tasks()))
        return (Evidence(tool="calculator", input=call.input, text="4", value="4"),)

    async def close(self) -> None: ...


def test_the_walk_finds_what_can_be_reached() -> None:
    task = Task(query="q")
    assert GOLD in reachable_texts([{"x": (GOLD,)}])
    closure = GOLD + ""

    def holds() -> str:
        return closure

    assert GOLD in reachable_texts(holds)
    assert GOLD not in reachable_texts(task)


def test_the_gold_cannot_be_reached_from_anything_the_run_is_given() -> None:
    rows = [row_from_mapping({"query": "How much is 2 + 2?", "answers": [GOLD], "hidden_tests": HIDDEN, "extra": GOLD, "kind": "report"})]
    model = ProbingModel()
    events: list[Event] = []
    refiner = model.refiner = Refiner(model, tools=[ProbingTool(model)], judge=model, evaluator=model, on_event=events.append)
    metric = metric_named("em")
    records = evaluate(rows, opening(refiner.run), metric, Results(SETTING), SETTING)
    assert model.found, "the run called its model"
    assert records[0]["answers"] == [GOLD], "the record for people has it"
    for text in (*model.found, reachable_texts(refiner, refiner.trace, events)):
        assert "How much is 2 + 2?" in text
        assert GOLD not in text
        assert "secret_test_0815" not in text


def test_the_demo_has_every_family_and_its_documents_hold_no_gold_for_the_missing_one() -> None:
    rows = demo_rows()
    families = {str(row.extra["family"]) for row in rows}
    assert families == {"arithmetic", "percent", "units", "letters", "dates", "tables", "documents"}
    assert 24 <= len(rows) <= 30
    assert all(row.gold.answers and row.task.answer is None for row in rows)
    folder = Path(rows[-1].task.documents[0])
    texts = " ".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert rows[-1].gold.answers[0] not in texts


@pytest.mark.parametrize(
    ("question", "answer", "golds", "tolerance", "right"),
    [
        ("What is the capital of France?", "The capital of France is Paris.", ["Paris"], None, True),
        ("What is the capital of France?", "Lyon, not Paris", ["Paris"], None, False),
        ("What is 48 times 27?", "48 times 27 is 1296.", ["1296"], None, True),
        ("What is 48 times 27?", "1297", ["1296"], None, False),
        ("How many kilometres are 26.2 miles?", "42.16 km", ["42.1648"], 0.001, True),
        ("Was the year 1900 a leap year?", "No, 1900 was not a leap year.", ["no"], None, True),
        ("Was the year 1900 a leap year?", "Yes, it was no problem.", ["no"], None, False),
        ("Spell the word lantern backwards.", "nretnal", ["nretnal"], None, True),
        ("Which port handled the most containers?", "Porto Alvor", ["Nordhafen"], None, False),
        ("How many seats remain of 34 rows of 18, without 57?", "There are 34 - 57 = 555 seats left", ["555"], None, False),
        ("How many seats remain of 34 rows of 18, without 57?", "There are 34 * 18 - 57 = 555 seats left", ["555"], None, True),
        ("How many r are in strawberry?", "There are 5 in strawberry and 3 in raspberry.", ["3"], None, False),
        ("How many r are in strawberry?", "There are three.", ["3"], None, True),
        ("How many is 3?", "It is 3.", ["3"], None, True),
        ("q", "", ["x"], None, False),
        ("q", "", ["3"], None, False),
    ],
)
def test_the_demo_counts_an_answer_as_right_only_if_it_says_the_gold_alone(
    question: str, answer: str, golds: list[str], tolerance: float | None, right: bool
) -> None:
    assert is_right(question, answer, golds, tolerance) is right


def test_the_demo_counts_what_happened() -> None:
    rows = demo_rows()[:3]
    answers = {
        rows[0].task.query: outcome("1300", "1296"),
        rows[1].task.query: outcome("555", "555"),
        rows[2].task.query: outcome("7", "7", status="unverified"),
    }
    seen: list[str] = []
    done = demonstrate(rows, run_from(answers), on_row=lambda row: seen.append(row.action))
    figures = summarise_demo(done, model="scripted", policy="guarded", guard=True, seconds=1.0)
    assert seen == ["corrected", "kept", "abstained"]
    assert (figures["right_before"], figures["right_after"], figures["wrong_to_right"], figures["right_to_wrong"], figures["abstained"]) == (1, 2, 1, 0, 1)
    assert "135 million" in figures["note"]
    assert len(figures["rows"]) == 3
    assert json.dumps(figures)


def test_a_policy_is_measured_end_to_end_without_a_model(tmp_path: Path) -> None:
    rows = [row_from_mapping({"query": "Say something about sums.", "answers": ["2 + 2 = 4"], "answer": "2 + 2 = 5", "kind": "report"})]
    refiner = Refiner("none")
    metric = metric_named("em")
    records = evaluate(rows, opening(refiner.run), metric, Results(SETTING, tmp_path / "o.jsonl"), SETTING)
    figures = summarise(records, metric, SETTING, seconds=0.1)
    assert (figures["wrong_to_right"], figures["right_to_wrong"]) == (1, 0)
