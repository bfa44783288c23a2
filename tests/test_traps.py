"""The traps of common implementations, each by its name; those of metrics are in test_metrics, those of reading replies in test_structured."""

from __future__ import annotations

import json
from typing import Any

import pytest

from redraft.models.scripted import ScriptedModel
from redraft.planning.structured import Reading
from redraft.policy import Policy
from redraft.refiner import Refiner
from redraft.structured import parse
from redraft.tools.calculator import CalculatorTool
from redraft.tools.python import PythonTool
from redraft.tools.scripted import ScriptedTool, page
from redraft.types import Failure, ModelRequest, Task, ToolCall


@pytest.mark.parametrize("reply", ["No revision needed.", "There is no problem with the name, but the year is wrong.", "It is correct, save for the date."])
def test_a_verdict_is_never_read_from_words_in_a_reply(reply: str) -> None:
    assert parse(reply, Reading) is None


async def test_a_claim_and_a_tool_input_of_several_lines_arrive_whole() -> None:
    answer = "First line\nand second line\nof one claim."
    source = "total = 0\nfor n in range(4):\n    total += n\ntotal"
    plan = {"claims": [{"quote": answer, "focus": "one claim", "statement": answer, "tool": "python", "input": source}], "requirements": []}
    verdict = {"verdict": "insufficient", "quote": "", "reason": "it is about something else"}

    def respond(request: ModelRequest) -> str:
        return json.dumps(plan if request.role == "planner" else verdict)

    tool = PythonTool()
    outcome = await Refiner(ScriptedModel([respond] * 9), tools=[tool]).check(Task(query="What?", kind="report"), answer)
    await tool.close()
    assert answer in [check.claim.text for check in outcome.checks]
    assert [item.input for item in outcome.evidence if item.tool == "python"] == [source]


def test_the_text_of_a_tools_error_is_never_evidence() -> None:
    down = ScriptedTool(lambda call: Failure(tool="search", input=call.input, kind="broken", message="Paris is the capital of Spain"))
    plan = {"claims": [{"quote": "Paris", "focus": "Paris", "statement": "The capital is Paris", "tool": "search", "input": "capital"}], "requirements": []}
    outcome = Refiner(ScriptedModel([json.dumps(plan)] * 9), tools=[down]).check_sync(Task(query="What is the capital?"), "Paris")
    assert outcome.evidence == ()
    assert {check.status for check in outcome.checks} == {"unavailable"}


def test_an_empty_result_proves_nothing() -> None:
    nothing = ScriptedTool(lambda call: Failure(tool="search", input=call.input, kind="empty", message="nothing was found"))
    plan = {"claims": [{"quote": "Paris", "focus": "Paris", "statement": "The capital is Paris", "tool": "search", "input": "capital"}], "requirements": []}
    outcome = Refiner(ScriptedModel([json.dumps(plan)] * 9), tools=[nothing]).revise_sync(Task(query="What is the capital?"), "Paris")
    assert (outcome.answer, outcome.status) == ("Paris", "unverified")


def test_the_last_rewrite_is_never_returned_unverified() -> None:
    rewrites = iter(["Town 1", "Town 2", "Town 3", "Town 4"])

    def respond(request: ModelRequest) -> str:
        prompt = request.messages[-1].content
        if request.role == "planner":
            town = next(name for name in ("Town 1", "Town 2", "Town 3", "Town 4", "Old Town") if name in prompt)
            plan: Any = {
                "claims": [{"quote": town, "focus": town, "statement": f"It is {town}", "tool": "search", "input": f"is it {town}"}],
                "requirements": [],
            }
            return json.dumps(plan)
        if request.role == "corrector":
            return json.dumps({"edits": [], "text": next(rewrites)})
        return json.dumps({"verdict": "contradicted", "quote": "It is another town", "reason": "says the page"})

    search = ScriptedTool(lambda call: page(call, f"About {call.input}: It is another town.", source=call.input))
    policy = Policy(guard=False, stops=("verified", "no_problem", "hard_cap"), counter_search=False)
    outcome = Refiner(ScriptedModel([respond] * 60), tools=[search], policy=policy).revise_sync(Task(query="Which town?"), "Old Town")
    assert outcome.stop_reason == "hard_cap"
    assert outcome.checks
    assert all(outcome.answer[slice(*check.claim.span)] == check.claim.text for check in outcome.checks if not check.claim.requirement)
    assert outcome.status == "disputed"


async def test_a_comprehension_sees_the_names_around_it() -> None:
    tool = PythonTool()
    result = await tool.run(ToolCall(tool="python", input="limit = 3\ndef small(xs):\n    return [x for x in xs if x < limit]\nsmall([1, 2, 3, 4])"))
    await tool.close()
    assert not isinstance(result, Failure)
    assert "[1, 2]" in result[0].text


def test_a_run_that_comes_back_to_its_draft_is_not_taken_for_unchanged() -> None:
    """Equal to an earlier text other than the retained one is a cycle, and says so."""
    texts = iter(["1 + 1 = 4", "1 + 1 = 5"])

    def respond(request: ModelRequest) -> str:
        if request.role == "corrector":
            return json.dumps({"edits": [], "text": next(texts, "1 + 1 = 3")})
        return json.dumps({"claims": [], "requirements": []})

    policy = Policy(max_turns=6, rejections=9, stops=("verified", "no_problem", "unchanged", "cycle", "hard_cap"))
    outcome = Refiner(ScriptedModel([respond] * 60), tools=[CalculatorTool()], policy=policy).revise_sync(Task(query="", kind="report"), "1 + 1 = 3")
    assert outcome.answer == "1 + 1 = 2"
    assert outcome.stop_reason == "verified"
