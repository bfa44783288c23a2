"""The loop end to end, with a scripted model, scripted pages and the real exact tools: the golden cases of the design."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from redraft import trace
from redraft.effects import Effects
from redraft.models.scripted import ScriptedModel
from redraft.planning.rules import RulePlanner
from redraft.policies import policy_named
from redraft.policy import Budgets, Policy
from redraft.protocols import Route
from redraft.refiner import Refiner
from redraft.tools.calculator import CalculatorTool
from redraft.tools.scripted import ScriptedTool, page
from redraft.types import Check, Claim, Failure, ModelReply, ModelRequest, Outcome, Task, ToolCall, Verdict

Respond = Callable[[str], Any]


def said(request: ModelRequest) -> str:
    return request.messages[-1].content


def model(**roles: Respond | list[Any]) -> ScriptedModel:
    """A capable model that answers by role: a function of the prompt, or a list of replies in order."""
    queues = {role: list(replies) if isinstance(replies, list) else replies for role, replies in roles.items()}

    def respond(request: ModelRequest) -> str:
        given = queues[request.role]
        reply = given.pop(0) if isinstance(given, list) else given(said(request))
        return reply if isinstance(reply, str) else json.dumps(reply)

    return ScriptedModel([respond] * 200)


def claim(quote: str, focus: str = "", statement: str = "", tool: str = "search", input: str = "look it up", **more: Any) -> dict[str, Any]:
    return {"quote": quote, "focus": focus, "statement": statement or quote, "tool": tool, "input": input, **more}


def verdict(status: str, quote: str = "", replacement: str | None = None, reason: str = "so it says", confidence: float = 0.9) -> dict[str, Any]:
    return {"verdict": status, "quote": quote, "replacement": replacement, "reason": reason, "confidence": confidence}


def pages(table: dict[str, str]) -> ScriptedTool:
    """A search whose page for a call is the first whose key stands in the input; `key#1` for a second attempt."""

    def search(call: ToolCall) -> Any:
        for key, text in table.items():
            word, _, attempt = key.partition("#")
            if word in call.input and int(attempt or 0) == call.attempt:
                return page(call, text, source=f"page:{key}")
        return Failure(tool="search", input=call.input, kind="empty", message="nothing was found")

    return ScriptedTool(search)


def refine(scripted: ScriptedModel, search: ScriptedTool | None, draft: str, query: str = "Where?", **more: Any) -> Outcome:
    tools = [CalculatorTool(), *([search] if search else [])]
    return Refiner(scripted, tools=tools, **more).revise_sync(Task(query=query, kind=more.pop("kind", "qa")), draft)


def answer_in(prompt: str) -> str:
    """The answer block of a planner's or judge's prompt."""
    after = prompt.split("answer", 1)[1]
    return after.split("[", 1)[1].split("\n", 1)[1].split("\n", 1)[0]


def test_a_draft_that_refuses_is_answered_from_the_search() -> None:
    def plan(prompt: str) -> Any:
        if "I cannot know" in prompt:
            return {"claims": [], "requirements": [{"requirement": "the winner of 2024", "met_by": "", "tool": "search", "input": "cup winner 2024"}]}
        return {
            "claims": [claim("Ferrona", "Ferrona", "Ferrona won the 2024 cup", input="who won the 2024 cup")],
            "requirements": [{"requirement": "the winner of 2024", "met_by": "Ferrona"}],
        }

    def judge(prompt: str) -> Any:
        if "seems not to give it" in prompt:
            return verdict("contradicted", "Ferrona won the cup in 2024", "Ferrona")
        return verdict("supported", "Ferrona lifted the 2024 cup")

    search = pages({"cup winner 2024": "In May Ferrona won the cup in 2024.", "who won": "Ferrona lifted the 2024 cup."})
    outcome = refine(
        model(planner=plan, judge=judge, corrector=[{"edits": [], "text": "Ferrona"}]), search, "I cannot know the 2024 winner.", "Who won the cup in 2024?"
    )
    assert outcome.answer == "Ferrona"
    assert outcome.status == "corrected"
    assert outcome.stop_reason == "verified"
    assert outcome.turns[0].decision.rule == "repair"


def test_a_changed_claim_is_checked_by_a_fresh_search_and_the_run_ends_right() -> None:
    def plan(prompt: str) -> Any:
        town = next(name for name in ("Aldon", "Berley", "Corwick") if name in prompt.split("Tools:")[0])
        return {
            "claims": [claim(town, town, f"Ada Marsh was born in {town}", input=f"Ada Marsh birthplace {town}" if town != "Aldon" else "Ada Marsh birthplace")],
            "requirements": [{"requirement": "the birthplace", "met_by": town}],
        }

    def judge(prompt: str) -> Any:
        evidence, asked = prompt.split("Evidence 1", 1)[1], prompt.split("Evidence 1", 1)[0]
        right = next((name for name in ("Corwick", "Berley") if f"born in {name}" in evidence), None)
        if right is None:
            return verdict("insufficient")
        quote = f"born in {right}"
        return verdict("supported", quote) if f"born in {right}" in asked else verdict("contradicted", quote, right)

    search = pages(
        {
            "birthplace Berley": "The parish book shows that Ada Marsh was born in Corwick.",
            "birthplace Corwick": "Ada Marsh was born in Corwick, says the register.",
            "Ada Marsh birthplace": "A fan page: Ada Marsh was born in Berley.",
        }
    )
    rewrites = [{"text": "Berley"}, {"text": "Corwick"}]
    outcome = refine(model(planner=plan, judge=judge, corrector=rewrites), search, "Aldon", "Where was Ada Marsh born?")
    assert [turn.decision.accepted for turn in outcome.turns] == [False, True]
    assert outcome.answer == "Corwick"
    assert outcome.status == "corrected"


def test_denying_a_false_premise_with_a_quotation_is_an_answer() -> None:
    denial = "There was no 1916 race: it was cancelled because of the war."

    def plan(prompt: str) -> Any:
        return {
            "claims": [claim(denial, "no 1916 race", denial, input="race 1916 cancelled")],
            "requirements": [{"requirement": "the winner of 1916", "met_by": denial}],
        }

    search = pages({"1916": "The race of 1916 was cancelled because of the war."})
    outcome = refine(model(planner=plan, judge=lambda _: verdict("supported", "was cancelled because of the war")), search, denial, "Who won the 1916 race?")
    assert outcome.status == "verified"
    assert not outcome.changed
    assert outcome.usage.llm_calls == 2


def test_when_the_tool_is_down_nothing_is_supported_and_nothing_is_rewritten() -> None:
    down = ScriptedTool(lambda call: Failure(tool="search", input=call.input, kind="unreachable", message="no connection"))
    plan = {"claims": [claim("Paris", "Paris", "The capital is Paris")], "requirements": [{"requirement": "the capital", "met_by": "Paris"}]}
    outcome = refine(model(planner=[plan]), down, "Paris", "What is the capital?")
    assert outcome.answer == "Paris"
    assert outcome.status == "unverified"
    assert {check.status for check in outcome.checks} <= {"unavailable", "insufficient"}
    assert any("no connection" in warning for warning in outcome.warnings)


def test_both_derived_figures_change_together_and_no_operand_does() -> None:
    page_text = "Rent: 150 * 40 = 6,200 euros.\nWith fees, 6,200 + 4,800 = 11,000 euros are due.\n"
    outcome = Refiner("none").revise_sync(Task(query="", kind="report"), page_text)
    assert outcome.answer == "Rent: 150 * 40 = 6,000 euros.\nWith fees, 6,000 + 4,800 = 10,800 euros are due.\n"
    assert outcome.turns[0].decision.accepted
    assert len({edit.group for edit in outcome.turns[0].edits}) == 1


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "Rent: 150 * 40 = 6,200 euros.\nWith fees, 6,200 + 4,800 = 11,000 euros are due.\n3 July 2024 was a Monday.\n",
            "Rent: 150 * 40 = 6,000 euros.\nWith fees, 6,000 + 4,800 = 10,800 euros are due.\n3 July 2024 was a Wednesday.\n",
        ),
        ("租金：150 × 40 = 6200元。\n加上费用，6200 + 4800 = 11000元。\n", "租金：150 × 40 = 6000元。\n加上费用，6000 + 4800 = 10800元。\n"),
    ],
)
def test_a_repair_carries_through_sentences_that_nothing_decides(tmp_path: Path, wrong: str, right: str) -> None:
    """The sentence around a figure that follows is a claim of its own where there is something to look it up in."""
    (tmp_path / "note.txt").write_text("The harbour museum opened in 1987.", encoding="utf-8")
    outcome = Refiner("none").revise_sync(Task(query="", kind="report", documents=(str(tmp_path),)), wrong)
    assert outcome.answer == right
    assert [turn.decision.rule for turn in outcome.turns] == ["repair"]


def test_a_statement_that_a_table_decides_is_not_listed_again_as_not_found_in_documents(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The harbour museum opened in 1987.", encoding="utf-8")
    (tmp_path / "sales.csv").write_text("region,units\nNorth,1240\nSouth,980\n", encoding="utf-8")
    task = Task(query="", kind="report", documents=(str(tmp_path / "note.txt"),), tables=(str(tmp_path / "sales.csv"),))
    told = Refiner("none").check_sync(task, "The North sold 1,240 units. The museum is closed on Mondays.").checks
    assert [(check.claim.text, check.status) for check in told] == [
        ("The North sold 1,240 units.", "supported"),
        ("The museum is closed on Mondays.", "insufficient"),
    ]


def test_a_repair_that_is_refused_takes_no_other_down_with_it() -> None:
    """The note above the sum stands only as long as the sum does: the first rewrite is refused, and the repair elsewhere is made without it."""

    class Strict(RulePlanner):
        async def plan(self, task: Task, text: str, effects: Effects, known: Mapping[str, Check]) -> tuple[Route, ...]:
            verdict = Verdict(status="supported" if "6,200" in text else "insufficient", method="quoted", confidence=1.0)
            span = (0, text.index("\n"))
            note = Claim(id="note", text=text[slice(*span)], span=span)
            return (*await super().plan(task, text, effects, known), Route(claim=note, decide=lambda _: verdict))

    text = "Rent for all is due, 150 * 40 = 6,200.\n3 July 2024 was a Monday.\n"
    outcome = Refiner("none", planner=Strict()).revise_sync(Task(query="", kind="report"), text)
    assert [turn.decision.accepted for turn in outcome.turns[:2]] == [False, True]
    assert outcome.answer == text.replace("Monday", "Wednesday")


class TestModelsThatDoNotHelp:
    """An always-objecting model, a never-changing one, one that returns A, B, C, A: the bounds hold and the answer stays."""

    def objecting(self, rewrites: list[Any] | Respond, **more: Any) -> Outcome:
        def plan(prompt: str) -> Any:
            text = answer_in(prompt)
            return {"claims": [claim(text, text, f"It is {text}", input=f"is it {text}")], "requirements": []}

        search = ScriptedTool(lambda call: page(call, f"This page about {call.input} says that it is nothing of the kind.", source=call.input))
        objector = model(planner=plan, judge=lambda _: verdict("contradicted", "it is nothing of the kind"), corrector=rewrites)
        return refine(objector, search, "A town", "Which town?", **more)

    def test_an_always_objecting_model_changes_nothing_and_keeps_the_bound(self) -> None:
        outcome = self.objecting([{"text": f"Town {number}"} for number in range(9)])
        assert outcome.answer == "A town"
        assert outcome.status == "disputed"
        assert outcome.stop_reason in ("rejections", "hard_cap")
        judged = 2 * 4
        assert outcome.usage.llm_calls <= policy_named("guarded").bound() + judged

    def test_a_model_that_never_changes_the_text_stops_as_unchanged(self) -> None:
        outcome = self.objecting(lambda _: {"edits": [], "text": "A town"})
        assert outcome.stop_reason == "unchanged"
        assert len(outcome.turns) == 2

    def test_a_model_that_goes_round_in_a_circle_stops_as_cycle(self) -> None:
        policy = Policy(max_turns=8, rejections=8, stops=("verified", "no_problem", "unchanged", "cycle", "hard_cap"), guard=False)
        outcome = self.objecting([{"text": "B town"}, {"text": "C town"}, {"text": "A town"}, {"text": "B town"}], policy=policy)
        assert outcome.stop_reason == "cycle"

    @pytest.mark.parametrize("reply", ["", "garbage", "{", "```json\n[1, 2]\n```", "x" * 100_000, "не могу", '{"edits": 5}'])
    def test_a_corrector_that_returns_rubbish_leaves_the_answer(self, reply: str) -> None:
        replies = {
            "planner": json.dumps({"claims": [claim("A town", "A town", "It is A town", input="town")], "requirements": []}),
            "judge": json.dumps(verdict("contradicted", "other")),
        }
        script = ScriptedModel([lambda request: replies.get(request.role, reply)] * 60)
        search = ScriptedTool(lambda call: page(call, "It is the other one."))
        outcome = refine(script, search, "A town", "Which town?")
        assert outcome.answer == "A town"
        assert outcome.status == "disputed"


def arithmetic_page(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_one_contradiction_fixed_while_a_supported_figure_is_broken_is_refused() -> None:
    draft = arithmetic_page("The mayor is Ann Dole.", "Costs: 12 + 30 = 42 euros.")
    broken = arithmetic_page("The mayor is Eve Hart.", "Costs: 12 + 30 = 45 euros.")

    def plan(prompt: str) -> Any:
        name = "Ann Dole" if "Ann Dole" in prompt else "Eve Hart"
        return {"claims": [claim(f"The mayor is {name}.", name, input=f"mayor {name}")], "requirements": []}

    def judge(prompt: str) -> Any:
        asked = prompt.split("Evidence 1", 1)[0].split("decide it", 1)[1]
        return verdict("supported", "mayor Eve Hart") if "Eve Hart" in asked else verdict("contradicted", "mayor Eve Hart", "Eve Hart")

    search = ScriptedTool(lambda call: page(call, "In the hall mayor Eve Hart spoke.", source="hall"))
    scripted = model(planner=plan, judge=judge, corrector=lambda _: {"edits": [], "text": broken})
    outcome = Refiner(scripted, tools=[CalculatorTool(), search]).revise_sync(Task(query="", kind="report"), draft)
    assert outcome.answer == draft
    assert outcome.turns[0].decision.rule == "hard_fail"


def test_six_contradictions_of_which_three_are_fixed_is_accepted() -> None:
    names = ["Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir"]
    draft = arithmetic_page(*(f"The {name} grows in bay {index}." for index, name in enumerate(names, 1)))
    fixed = arithmetic_page(*(f"The {name} grows in bay {index + 10 if index <= 3 else index}." for index, name in enumerate(names, 1)))

    def plan(prompt: str) -> Any:
        answer = prompt.split("Tools:")[0]
        lines = [line for line in answer.splitlines() if line.startswith("The ") and "grows" in line]
        return {"claims": [claim(line, line.split("bay ")[1].rstrip("."), line, input=line.split(" grows")[0]) for line in lines], "requirements": []}

    def judge(prompt: str) -> Any:
        head, evidence = prompt.split("Evidence 1", 1)
        number = next(word for word in evidence.replace(".", " ").split() if word.isdigit() and len(word) == 2)
        asked = head.split("decide it:", 1)[1]
        return verdict("supported", f"bay {number}") if number in asked else verdict("contradicted", f"bay {number}", number)

    def search(call: ToolCall) -> Any:
        index = next(number for number, name in enumerate(names, 11) if name in call.input)
        return page(call, f"The garden plan puts it in bay {index}.", source=f"plan:{index}")

    scripted = model(planner=plan, judge=judge, corrector=[{"edits": [], "text": fixed}, *[{"edits": []}] * 5])
    policy = Policy(counter_search=False)
    outcome = Refiner(scripted, tools=[CalculatorTool(), ScriptedTool(search)], policy=policy).revise_sync(Task(query="", kind="report"), draft)
    assert outcome.turns[0].decision.accepted
    assert outcome.turns[0].decision.rule == "repair"
    assert outcome.answer == fixed
    assert outcome.status == "disputed"


def test_deleting_everything_that_is_undecided_is_refused() -> None:
    draft = arithmetic_page("Costs: 12 + 30 = 45 euros.", "The hall was built by monks.", "Its tower leans.")
    pruned = arithmetic_page("Costs: 12 + 30 = 42 euros.")

    def plan(prompt: str) -> Any:
        lines = [line for line in ("The hall was built by monks.", "Its tower leans.") if line in prompt.split("Tools:")[0]]
        return {"claims": [claim(line, line.split()[-1].rstrip("."), line, input=line) for line in lines], "requirements": []}

    search = ScriptedTool(lambda call: Failure(tool="search", input=call.input, kind="empty", message="nothing was found"))
    scripted = model(planner=plan, corrector=lambda _: {"edits": [], "text": pruned})
    outcome = Refiner(scripted, tools=[CalculatorTool(), search]).revise_sync(Task(query="", kind="report"), draft)
    assert "The hall was built by monks." in outcome.answer
    assert "42 euros" in outcome.answer
    assert outcome.status == "unverified"


def test_a_budget_ends_the_run_with_the_answer_so_far() -> None:
    plan = {"claims": [claim("Paris", "Paris", "The capital is Paris")], "requirements": []}
    policy = Policy(budgets=Budgets(llm_calls=1))
    search = ScriptedTool(lambda call: page(call, "The capital is Lyon.", source="atlas"))
    outcome = refine(model(planner=[plan]), search, "Paris", "What is the capital?", policy=policy)
    assert outcome.answer == "Paris"
    assert outcome.usage.llm_calls == 1
    assert outcome.status == "unverified"


@pytest.mark.parametrize("failing", ["writer", "planner", "judge", "corrector"])
@pytest.mark.parametrize("kind", ["unreachable", "denied", "quota", "refused", "broken"])
def test_a_model_error_at_any_call_ends_in_an_outcome(failing: str, kind: str) -> None:
    from redraft.models.scripted import FAILURES

    def respond(request: ModelRequest) -> str:
        if request.role == failing:
            raise FAILURES[kind]("it went wrong")
        replies: dict[str, Any] = {
            "writer": "Paris",
            "planner": {"claims": [claim("Paris", "Paris", "The capital is Paris")], "requirements": []},
            "judge": verdict("contradicted", "Lyon", "Lyon"),
            "corrector": {"text": "Lyon"},
            "repair": "",
        }
        reply = replies[request.role]
        return reply if isinstance(reply, str) else json.dumps(reply)

    search = ScriptedTool(lambda call: page(call, "The capital is Lyon.", source=call.input))
    outcome = Refiner(ScriptedModel([respond] * 100), tools=[search]).run_sync(Task(query="What is the capital?"))
    assert outcome.status == ("failed" if failing == "writer" else outcome.status)
    assert outcome.status != "verified"
    assert outcome.warnings


def test_every_run_leaves_a_complete_record_that_verifies() -> None:
    refiner = Refiner("none")
    outcome = refiner.revise_sync(Task(query="", kind="report"), "We sold 12 * 3 = 35 boxes.")
    data = refiner.trace.to_jsonl()
    found = trace.verify(data, expect=outcome.trace_hash)
    assert found.ok
    assert found.complete


def test_equal_runs_leave_equal_records() -> None:
    def run() -> list[bytes]:
        refiner = Refiner("none")
        refiner.revise_sync(Task(query="", kind="report"), "We sold 12 * 3 = 35 boxes, then 35 + 5 = 40, and 2 + 2 = 4.")
        return refiner.trace.comparable()

    assert run() == run()


async def test_stream_yields_events_and_then_the_outcome() -> None:
    seen = [item async for item in Refiner("none").stream(Task(query="", kind="report", answer="1 + 1 = 3"))]
    assert isinstance(seen[-1], Outcome)
    assert seen[-1].answer == "1 + 1 = 2"
    assert [type(item).__name__ for item in seen[:2]] == ["Started", "Drafted"]


@pytest.mark.parametrize("reply", [None, 42, "a bare text", {"text": "x"}, ModelReply(text=None)])  # type: ignore[arg-type]
def test_a_model_that_gives_no_reply_with_a_text_is_broken_and_the_run_ends(reply: Any) -> None:
    class Odd:
        name = "odd"
        ability = "capable"

        async def complete(self, request: ModelRequest) -> Any:
            return reply

        async def close(self) -> None:
            """Nothing to release."""

    outcome = Refiner(Odd(), tools=[]).run_sync("What is 17% of 2,340?")  # type: ignore[arg-type]
    assert (outcome.status, outcome.answer, outcome.stop_reason) == ("failed", "", "no_answer")
    assert any("no reply with a text" in warning for warning in outcome.warnings)
