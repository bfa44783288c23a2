"""Replay: every decision again without a model or a tool, another policy as far as the record reaches, and grids that say what a real run would have done."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from redraft.errors import InputError, ModelUnreachable, UsageError
from redraft.models.scripted import ScriptedModel
from redraft.planning.rules import RulePlanner
from redraft.policies import POLICIES
from redraft.policy import Budgets, Policy
from redraft.protocols import Route
from redraft.records import open_records
from redraft.refiner import Refiner
from redraft.replay import Live, Replayed, grid, history_of, replay
from redraft.tools.calculator import CalculatorTool
from redraft.tools.scripted import ScriptedTool, page
from redraft.trace import Record, Trace
from redraft.types import Outcome, Task

RUNS = 84
"""Of the thousand that benchmarks/records.py replays; a multiple of the number of policies and of the kinds of budgets."""


def scripted_runs() -> ModuleType:
    place = Path(__file__).resolve().parents[1] / "benchmarks" / "scripted_runs.py"
    spec = importlib.util.spec_from_file_location("scripted_runs", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["scripted_runs"] = module
    spec.loader.exec_module(module)
    return module


CHANCE = scripted_runs()


def again(records: Any, **more: Any) -> Replayed:
    return asyncio.run(replay(records, **more))


def recorded(**parts: Any) -> tuple[Outcome, tuple[Record, ...]]:
    task = parts.pop("task")
    refiner = Refiner(**parts)
    return asyncio.run(refiner.run(task)), refiner.trace.records


def searched(policy: Policy | str = "guarded", rewrites: int = 3, **more: Any) -> tuple[Outcome, tuple[Record, ...]]:
    """A run with a model that plans, judges and corrects, and a search."""

    def reply(request: Any) -> str:
        if request.role == "planner":
            quote = next(name for name in ("Aldon", "Berley", "Corwick", "Dorn") if name in request.messages[-1].content.split("Tools:")[0])
            return json.dumps({"claims": [{"quote": quote, "focus": quote, "statement": f"born in {quote}", "tool": "search", "input": quote}]})
        if request.role == "judge":
            return json.dumps({"verdict": "contradicted", "quote": "born elsewhere", "confidence": 0.9})
        return json.dumps({"text": next(names, "Aldon")})

    names = iter(["Berley", "Corwick", "Dorn"][:rewrites])
    search = ScriptedTool(lambda call: page(call, f"The mayor of {call.input} was born elsewhere.", source=call.input))
    model = ScriptedModel([reply] * 60)
    return recorded(model=model, tools=[CalculatorTool(), search], policy=policy, task=Task(query="Where was he born?", answer="Aldon"), **more)


class TestTheSamePolicy:
    @pytest.mark.parametrize("seed", range(0, RUNS, 12))
    def test_every_decision_and_the_answer_of_scripted_runs_come_again(self, seed: int) -> None:
        decisions = 0
        for case in CHANCE.cases(12, seed):
            outcome, records = recorded(task=case.task, **case.parts())
            replayed = again(records)
            assert (replayed.same, replayed.difference, replayed.needed) == (True, "", None), case
            assert replayed.outcome is not None
            assert (replayed.outcome.answer, replayed.outcome.status, replayed.outcome.stop_reason) == (outcome.answer, outcome.status, outcome.stop_reason)
            assert [turn.decision for turn in replayed.outcome.turns] == [turn.decision for turn in outcome.turns]
            assert replayed.outcome.checks == outcome.checks
            decisions += replayed.decisions
        assert decisions > 0

    def test_no_model_and_no_tool_is_asked(self) -> None:
        outcome, records = searched()
        assert outcome.usage.llm_calls > 5
        stored = Trace.from_jsonl(b"".join(line + b"\n" for line in _lines(records)))
        replayed = again(stored.records)
        assert replayed.same
        assert replayed.outcome is not None
        assert replayed.outcome.usage.llm_calls == outcome.usage.llm_calls
        assert replayed.outcome.usage.tool_calls == outcome.usage.tool_calls

    def test_failed_calls_fail_again(self) -> None:
        model = ScriptedModel([ModelUnreachable("no connection")])
        outcome, records = recorded(model=model, tools=[], policy="guarded", task=Task(query="Where?"))
        replayed = again(records)
        assert outcome.status == "failed"
        assert replayed.same
        assert replayed.outcome is not None
        assert replayed.outcome.warnings == outcome.warnings

    def test_a_run_that_was_cancelled_ends_there_again(self) -> None:
        refiner = Refiner("none", on_event=lambda event: refiner.cancel() if event.type == "verified" else None)
        outcome = refiner.revise_sync("", "2 + 2 = 5. 3 + 3 = 7.")
        assert outcome.stop_reason == "cancelled"
        assert again(refiner.trace.records).same

    def test_what_privacy_hid_is_replayed_as_it_was_recorded(self) -> None:
        refiner = Refiner("none", privacy="on")
        refiner.revise_sync("", "Write to ada.marsh@example.org. 17% of 2,340 is 400.")
        replayed = again(refiner.trace.records)
        assert replayed.decided_alike
        assert replayed.decisions == 1
        assert "ada.marsh" not in json.dumps([record.payload for record in replayed.trace.records])

    def test_a_killed_run_is_replayed_up_to_the_call_that_was_under_way(self) -> None:
        _, records = searched()
        place = next(record.seq for record in records if record.payload["type"] == "model_called" and record.payload["request"]["role"] == "corrector")
        replayed = again(records[:place])
        assert replayed.outcome is None
        assert replayed.needed is not None
        assert (replayed.needed.kind, replayed.needed.name, replayed.needed.turn) == ("model", "corrector", 1)
        assert "turn 1 needs a corrector call of the model" in replayed.difference
        assert [record.payload["type"] for record in replayed.trace.records] == [record.payload["type"] for record in records[:place]]

    def test_an_altered_reply_is_seen(self) -> None:
        _, records = searched()
        trace = Trace()
        from redraft.records.reading import events_of

        for event in events_of(records):
            trace.write(dataclasses.replace(event, text="Corwick") if event.type == "corrected" else event)  # pyright: ignore[reportCallIssue]
        assert "(corrected) is another one: text differs" in again(trace.records).difference


def _lines(records: tuple[Record, ...]) -> list[bytes]:
    from redraft.trace import jsonl

    return jsonl(list(records)).splitlines()


class TestAnotherPolicy:
    def test_an_earlier_stop_is_found_without_a_call(self) -> None:
        _, records = searched(Policy(max_turns=3, stops=("hard_cap",)))
        replayed = again(records, policy=Policy(max_turns=2, stops=("hard_cap",)))
        assert replayed.outcome is not None
        assert (len(replayed.outcome.turns), replayed.needed) == (2, None)

    def test_the_first_missing_call_is_named(self) -> None:
        _, records = searched(Policy(max_turns=2, stops=("hard_cap",)))
        replayed = again(records, policy=Policy(max_turns=5, stops=("hard_cap",)))
        assert (replayed.outcome, replayed.decisions) == (None, 2)
        assert replayed.needed is not None
        assert (replayed.needed.name, replayed.needed.turn) == ("corrector", 3)
        assert "refused" in replayed.needed.excerpt or "question" in replayed.needed.excerpt

    def test_going_on_live_makes_the_missing_calls_alone(self) -> None:
        _, records = searched(Policy(max_turns=1, stops=("hard_cap",)))
        model = ScriptedModel([json.dumps({"text": "Dorn"}), json.dumps({"claims": []})] + [json.dumps({"verdict": "insufficient"})] * 9)
        search = ScriptedTool(lambda call: page(call, "nothing of the kind"))
        live = Live(models={"writer": model, "judge": model}, tools={"search": search})
        replayed = again(records, policy=Policy(max_turns=2, stops=("hard_cap",)), live=live)
        assert replayed.outcome is not None
        assert len(replayed.outcome.turns) == 2
        assert replayed.outcome.turns[1].candidate.text == "Dorn"
        assert model.requests[0].role == "corrector"
        assert replayed.trace.records[-1].payload["type"] == "stopped"

    def test_a_planner_of_the_callers_own_must_be_given(self) -> None:
        class Own:
            name = "own"

            async def plan(self, *arguments: Any) -> tuple[Route, ...]:
                return await RulePlanner().plan(*arguments)

        _, records = recorded(model="none", planner=Own(), task=Task(query="", kind="report", answer="2 + 2 = 5."))
        with pytest.raises(UsageError, match="planner 'own'"):
            again(records)
        assert again(records, planner=Own()).same

    def test_what_is_no_record_of_a_run(self) -> None:
        _, records = searched()
        for part in ((), records[1:]):
            with pytest.raises(InputError, match="does not begin with its start"):
                again(part)


BASE = dataclasses.replace(POLICIES["controlled"], stops=("hard_cap",), max_turns=7)


@pytest.fixture(scope="module")
def hard_cap() -> list[tuple[Record, ...]]:
    """Records that went on for seven turns whatever happened."""
    task = Task(query="Where was he born?", answer="Aldon.")
    cases = [CHANCE.Case(seed=seed, policy=BASE, task=task, evaluator=True, clock=None) for seed in range(4)]
    return [recorded(task=case.task, **case.parts())[1] for case in cases]


class TestGrid:
    def changed(self, **settings: Any) -> Policy:
        return dataclasses.replace(BASE, **settings)

    def test_stopping_rules_end_where_a_real_run_under_them_ends(self, hard_cap: list[tuple[Record, ...]]) -> None:
        rules = [("rejections",), ("stagnation",), ("stable",), ("unchanged", "cycle"), ("target", "rejections", "stagnation", "stable"), ()]
        policies = [self.changed(stops=(*names, "hard_cap"), rejections=number, window=number) for names in rules for number in (2, 3)]
        policies += [self.changed(max_turns=3), self.changed(budgets=Budgets(llm_calls=6)), self.changed(target=0.5, stops=("target", "hard_cap"))]
        reasons = set[str]()
        for records, row in zip(hard_cap, grid([history_of(records) for records in hard_cap], policies), strict=True):
            for policy, ended in zip(policies, row, strict=True):
                reasons.add(ended.reason)
                if ended.reason == "call_budget":
                    continue  # a real run may have been stopped within the turn before
                real = again(records, policy=policy).outcome
                assert real is not None
                assert ended.exact
                assert (ended.turns, ended.reason, ended.answer, ended.status) == (len(real.turns), real.stop_reason, real.answer, real.status)
        assert {"rejections", "stagnation", "hard_cap", "call_budget"} <= reasons

    def test_controller_settings_are_followed_up_to_the_first_decision_that_differs(self, hard_cap: list[tuple[Record, ...]]) -> None:
        policies = [
            self.changed(control=dataclasses.replace(BASE.control, gain=gain, tolerance=tolerance)) for gain in (0, 0.02, 0.3) for tolerance in (0.05, 1)
        ]
        policies += [self.changed(accept="always"), self.changed(guard=False)]
        exact = differs = 0
        for records, row in zip(hard_cap, grid([history_of(records) for records in hard_cap], policies), strict=True):
            for policy, ended in zip(policies, row, strict=True):
                real = again(records, policy=policy)
                exact, differs = exact + ended.exact, differs + (ended.differs_at is not None)
                if ended.exact:
                    assert real.outcome is not None
                    assert (ended.turns, ended.reason, ended.answer) == (len(real.outcome.turns), real.outcome.stop_reason, real.outcome.answer)
                else:
                    assert "turn" in ended.note
        assert exact
        assert differs

    def test_a_record_that_ends_too_early_says_so(self, hard_cap: list[tuple[Record, ...]]) -> None:
        ((ended,),) = grid([history_of(hard_cap[0])], [self.changed(max_turns=20)])
        assert (ended.exact, ended.turns, ended.note) == (False, 7, "the record ends after 7 turns (hard_cap)")

    def test_settings_that_decide_what_is_called_are_refused(self, hard_cap: list[tuple[Record, ...]]) -> None:
        with pytest.raises(UsageError, match="critique: a record answers for other stopping rules"):
            list(grid([history_of(hard_cap[0])], [self.changed(critique="model")]))

    def test_strategies_are_no_grid(self) -> None:
        _, records = recorded(model=ScriptedModel(["2 + 2 = 4."] * 9), policy="best-of-n", tools=[CalculatorTool()], task=Task(query="Add.", kind="report"))
        with pytest.raises(InputError, match="not the loop"):
            history_of(records)

    def test_the_reconstructed_run_has_the_turns_and_the_bill_of_the_real_one(self) -> None:
        outcome, records = searched(Policy(max_turns=3, stops=("hard_cap",)))
        history = history_of(records)
        assert [turn.decision for turn in history.turns] == [turn.decision for turn in outcome.turns]
        assert [turn.candidate.checks for turn in history.turns] == [turn.candidate.checks for turn in outcome.turns]
        last = history.boundaries[-1].usage
        assert (last.llm_calls, last.tool_calls, last.input_tokens) == (outcome.usage.llm_calls, outcome.usage.tool_calls, outcome.usage.input_tokens)
        assert history.reason == "hard_cap"


class TestCommandLine:
    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
        monkeypatch.chdir(tmp_path)
        return tmp_path / "home"

    def redraft(self, *arguments: str) -> int:
        from redraft.cli import run

        return run(arguments)

    def test_a_run_again_under_another_policy_and_going_on(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        Path("page.md").write_text("Rent: 150 * 40 = 6,200 euros. With fees, 6,200 + 4,800 = 11,000 euros are due.")
        self.redraft("check", "page.md", "--quiet")
        capsys.readouterr()
        assert self.redraft("replay", "last") == 0
        assert "every event and the answer are the recorded ones" in capsys.readouterr().out
        assert self.redraft("replay", "last", "--policy", "guarded", "--json") == 1
        told = json.loads(capsys.readouterr().out)
        assert (told["outcome"], told["needed"]["kind"]) == (None, "tool")
        assert self.redraft("replay", "last", "--policy", "guarded", "--continue") == 0
        shown = capsys.readouterr().out
        assert shown.startswith("Rent: 150 * 40 = 6,000 euros. With fees, 6,000 + 4,800 = 10,800 euros are due.")
        name = shown.split("recorded as ")[1].strip()
        assert open_records(home=home).verify(name).complete
        assert self.redraft("replay", name) == 0
        assert self.redraft("trace", "export", name, "-o", "run.jsonl") == 0
        assert self.redraft("replay", "run.jsonl") == 0


class TestTheDemonstration:
    async def test_its_first_questions_are_replayed(self) -> None:
        from redraft.models import open_model
        from redraft.models.weights import weights_path
        from redraft.studies.demo import demo_rows

        if importlib.util.find_spec("xllamacpp") is None:
            (pytest.fail if os.environ.get("CI") else pytest.skip)("the embedded model is not installed; run: pip install 'redraft[local]'")
        if not os.environ.get("CI") and not weights_path(os.environ).is_file():
            pytest.skip(f"the embedded model is not at {weights_path(os.environ)}; any use of it fetches it")
        model = open_model("local")
        try:
            for row in demo_rows()[:2]:
                refiner = Refiner(model)
                await refiner.run(row.task)
                assert (await replay(refiner.trace.records)).same
        finally:
            await model.close()
