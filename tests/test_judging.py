"""Judged verdicts end to end, with a scripted judge and scripted pages: sources on both sides, second looks, follow-up look-ups, plausibility."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from redraft.models.scripted import ScriptedModel
from redraft.policy import Budgets, Policy
from redraft.refiner import Refiner
from redraft.tools.scripted import ScriptedTool
from redraft.types import Check, Evidence, Failure, ModelRequest, Outcome, Task, ToolCall, ToolResult

Pages = Sequence[Mapping[str, Any]]
STATEMENT = "Ada Marsh was born in Aldon."
AGAINST = "Ada Marsh was born in Berley in the spring, as the town's own register has it."
AGAIN = "According to her daughter, the painter came into the world at Berley and never saw Aldon before her tenth year."
STANDING = "Every biography agrees: she was born in Aldon, in the house above the bakery."


def hit(text: str, source: str, *, trust: float = 0.8, time: str = "", relevance: float = 1.0) -> dict[str, Any]:
    return {"text": text, "source": source, "trust": trust, "time": time, "relevance": relevance}


def searching(table: Mapping[str, Pages | Failure]) -> ScriptedTool:
    """A search that gives the hits under its input; nothing where there are none."""

    def search(call: ToolCall) -> ToolResult:
        found = table.get(call.input if not call.attempt else f"{call.input}#{call.attempt}", ())
        if isinstance(found, Failure):
            return found
        if not found:
            return Failure(tool="search", input=call.input, kind="empty", message="nothing was found")
        return tuple(Evidence(tool="search", input=call.input, **item) for item in found)

    return ScriptedTool(search)


def verdict(status: str, quote: str = "", **more: Any) -> dict[str, Any]:
    return {"verdict": status, "quote": quote, "confidence": 0.9, "reason": "so it says"} | more


def judged(
    judge: Callable[[str, ModelRequest], Any] | list[Any], search: ScriptedTool, *, query: str = "", answer: str = STATEMENT, **policy: Any
) -> tuple[Check, Outcome, list[ModelRequest]]:
    """The check of the one claim of an answer, the outcome, and what the judge was asked."""
    replies = list(judge) if isinstance(judge, list) else None

    def respond(request: ModelRequest) -> str:
        if request.role == "planner":
            claim = {"quote": answer, "focus": answer, "statement": STATEMENT if not query else f"{query} {answer}", "tool": "search", "input": "birthplace"}
            return json.dumps({"claims": [claim], "requirements": []})
        prompt = request.messages[-1].content
        reply = replies.pop(0) if replies is not None else judge(prompt, request)  # type: ignore[operator]
        return json.dumps(reply)

    model = ScriptedModel([respond] * 60)
    task = Task(query=query, kind="qa" if query else "report")
    outcome = Refiner(model, tools=[search], policy=Policy(**policy)).check_sync(task, answer)
    requests = [request for request in model.requests if request.role == "judge"]
    return next(check for check in outcome.checks if check.claim.kind != "coverage"), outcome, requests


def said(judgements: Mapping[str, dict[str, Any]]) -> Callable[[str, ModelRequest], Any]:
    """A judge that says of each page what stands under its words, and knows nothing of others."""

    def judge(prompt: str, request: ModelRequest) -> Any:
        evidence = prompt.split("Evidence 1", 1)[1]
        return next((reply for text, reply in judgements.items() if text in evidence), verdict("insufficient"))

    return judge


class TestSources:
    def test_an_uncontested_contradiction_stands(self) -> None:
        check, _, _ = judged(said({AGAINST: verdict("contradicted", "born in Berley", replacement="Berley")}), searching({"birthplace": [hit(AGAINST, "a")]}))
        assert (check.status, check.expected, check.quote) == ("contradicted", "Berley", "born in Berley")

    def both(self, against: dict[str, Any], standing: dict[str, Any], **policy: Any) -> tuple[Check, Outcome]:
        judge = said({AGAINST: verdict("contradicted", "born in Berley"), STANDING: verdict("supported", "born in Aldon")})
        check, outcome, _ = judged(judge, searching({"birthplace": [against], STATEMENT: [standing]}), **policy)
        return check, outcome

    def test_equal_sources_that_disagree_leave_the_answer_and_both_are_shown(self) -> None:
        check, outcome = self.both(hit(AGAINST, "https://a.org/1"), hit(STANDING, "https://b.org/1"))
        assert check.status == "insufficient"
        assert "sources disagree" in check.note
        assert "born in Berley" in check.note
        assert "born in Aldon" in check.note
        assert {item.source for item in outcome.evidence if item.id in check.evidence} == {"https://a.org/1", "https://b.org/1"}

    def test_a_better_source_overturns_and_the_conflict_is_still_reported(self) -> None:
        check, outcome = self.both(hit(AGAINST, "https://a.org/1", trust=0.95), hit(STANDING, "https://b.org/1", trust=0.4))
        assert check.status == "contradicted"
        assert "sources disagree" in check.note
        assert {item.source for item in outcome.evidence if item.id in check.evidence} == {"https://a.org/1", "https://b.org/1"}

    def test_a_worse_source_does_not_overturn(self) -> None:
        assert self.both(hit(AGAINST, "https://a.org/1", trust=0.4), hit(STANDING, "https://b.org/1", trust=0.95))[0].status == "insufficient"

    def test_trust_by_domain_is_the_policys(self) -> None:
        trust = {"a.org": 0.95, "b.org": 0.2}
        check, outcome = self.both(hit(AGAINST, "https://a.org/1"), hit(STANDING, "https://www.b.org/1"), trust=trust)
        assert check.status == "contradicted"
        assert {item.source: item.trust for item in outcome.evidence} == {"https://a.org/1": 0.95, "https://www.b.org/1": 0.2}

    @pytest.mark.parametrize(
        ("ours", "theirs", "status"), [("2024-03", "2001", "contradicted"), ("2001", "2024-03", "insufficient"), ("2024", "", "insufficient")]
    )
    def test_at_equal_trust_the_newer_source_decides(self, ours: str, theirs: str, status: str) -> None:
        assert self.both(hit(AGAINST, "a", time=ours), hit(STANDING, "b", time=theirs))[0].status == status

    def test_sources_that_disagree_within_one_search_need_no_second_one_to_be_reported(self) -> None:
        pages = searching({"birthplace": [hit(AGAINST, "a"), hit(STANDING, "b")]})
        reply = verdict("contradicted", "born in Berley", opposing=["born in Aldon"])
        check, _, _ = judged(said({AGAINST: reply}), pages, counter_search=False)
        assert check.status == "insufficient"
        assert "sources disagree" in check.note

    def test_a_supported_claim_with_an_equal_source_against_it_is_open(self) -> None:
        pages = searching({"birthplace": [hit(STANDING, "a"), hit(AGAINST, "b")]})
        check, _, _ = judged(said({STANDING: verdict("supported", "born in Aldon", opposing=["born in Berley"])}), pages)
        assert check.status == "insufficient"
        assert "sources disagree" in check.note

    def test_what_is_quoted_for_the_other_side_and_is_not_there_counts_for_nothing(self) -> None:
        pages = searching({"birthplace": [hit(STANDING, "a"), hit(AGAINST, "b")]})
        check, _, _ = judged(said({STANDING: verdict("supported", "born in Aldon", opposing=["born in Corwick"], also=["and so on"])}), pages)
        assert check.status == "supported"


class TestSeveralSourcesNeeded:
    def run(self, first: Pages, more: Pages = (), **reply: Any) -> Check:
        judge = said({AGAINST: verdict("contradicted", "born in Berley", **reply), AGAIN: verdict("contradicted", "came into the world at Berley")})
        return judged(judge, searching({"birthplace": first, STATEMENT: more}), min_sources=2)[0]

    def test_one_source_is_not_enough(self) -> None:
        check = self.run([hit(AGAINST, "https://a.org/1")])
        assert check.status == "insufficient"
        assert check.note == "contradicted by 1 independent source, but 2 are needed"

    def test_a_second_one_from_the_same_search_is_counted_where_it_is_quoted(self) -> None:
        pages = [hit(AGAINST, "https://a.org/1"), hit(AGAIN, "https://b.org/1")]
        assert self.run(pages, also=["came into the world at Berley"]).status == "contradicted"
        assert self.run(pages).status == "insufficient"

    def test_a_second_one_from_the_counter_search_is_counted(self) -> None:
        assert self.run([hit(AGAINST, "https://a.org/1")], [hit(AGAIN, "https://b.org/1")]).status == "contradicted"

    def test_two_pages_of_one_site_are_one_source(self) -> None:
        assert self.run([hit(AGAINST, "https://a.org/1")], [hit(AGAIN, "https://www.a.org/2")]).status == "insufficient"

    def test_a_copy_on_another_site_is_no_second_source(self) -> None:
        copy = "Reprinted with thanks. " + AGAINST
        assert self.run([hit(AGAINST, "https://a.org/1")], [hit(copy, "https://mirror.net/2")]).status == "insufficient"


class TestTheOtherSide:
    def test_where_its_search_cannot_run_the_answer_is_not_overturned(self) -> None:
        down = Failure(tool="search", input=STATEMENT, kind="unreachable", message="no connection")
        check, _, _ = judged(said({AGAINST: verdict("contradicted", "born in Berley")}), searching({"birthplace": [hit(AGAINST, "a")], STATEMENT: down}))
        assert check.status == "insufficient"
        assert "could not run" in check.note

    def test_where_it_was_found_but_may_not_be_judged_the_answer_is_not_overturned(self) -> None:
        judge = said({AGAINST: verdict("contradicted", "born in Berley"), STANDING: verdict("supported", "born in Aldon")})
        pages = searching({"birthplace": [hit(AGAINST, "a")], STATEMENT: [hit(STANDING, "b")]})
        check, _, requests = judged(judge, pages, budgets=Budgets(judgements=1))
        assert check.status == "insufficient"
        assert len(requests) == 1

    def test_a_policy_may_do_without(self) -> None:
        pages = searching({"birthplace": [hit(AGAINST, "a")], STATEMENT: [hit(STANDING, "b")]})
        check, _, _ = judged(said({AGAINST: verdict("contradicted", "born in Berley")}), pages, counter_search=False)
        assert check.status == "contradicted"
        assert [call.input for call in pages.calls] == ["birthplace"]


class TestSecondLook:
    def run(self, replies: list[Any], **policy: Any) -> tuple[Check, list[ModelRequest]]:
        check, _, requests = judged(replies, searching({"birthplace": [hit(AGAINST, "a")]}), **policy)
        return check, requests

    def test_little_confidence_asks_again_and_agreement_stands(self) -> None:
        low = verdict("contradicted", "born in Berley", confidence=0.55, replacement="Berley")
        check, requests = self.run([low, low])
        assert (check.status, check.confidence, check.expected) == ("contradicted", 0.55, "Berley")
        assert [request.sample for request in requests] == [0, 1]
        assert requests[0].messages == requests[1].messages

    @pytest.mark.parametrize("second", [verdict("supported", "born in Berley"), verdict("insufficient"), verdict("contradicted", "not there")])
    def test_anything_but_agreement_is_insufficient(self, second: Any) -> None:
        check, _ = self.run([verdict("contradicted", "born in Berley", confidence=0.55), second])
        assert check.status == "insufficient"
        assert "second look" in check.note

    def test_two_that_agree_on_the_conflict_but_not_on_the_repair_repair_nothing(self) -> None:
        check, _ = self.run([verdict("contradicted", "born in Berley", confidence=0.55, replacement=name) for name in ("Berley", "the spring")])
        assert (check.status, check.expected) == ("contradicted", None)

    @pytest.mark.parametrize(("confidence", "asked"), [(0.6, 1), (0.59, 2), (59, 2), (95, 1)])
    def test_the_threshold_and_confidence_in_percent(self, confidence: float, asked: int) -> None:
        _, requests = self.run([verdict("contradicted", "born in Berley", confidence=confidence)] * 2)
        assert len(requests) == asked

    def test_it_is_the_calibrated_confidence_that_counts(self) -> None:
        check, requests = self.run([verdict("contradicted", "born in Berley")] * 2, calibration={"judged": ((0.9, 0.5),)})
        assert len(requests) == 2
        assert check.confidence == 0.5

    @pytest.mark.parametrize("status", ["supported", "contradicted"])
    @pytest.mark.parametrize(("confidence", "stands"), [(0.5, True), (0.49, False), (49, False), (0, False), (-3, False), (float("nan"), False)])
    def test_a_judgement_that_is_worth_less_than_a_half_decides_nothing(self, status: str, confidence: float, stands: bool) -> None:
        check, _ = self.run([verdict(status, "born in Berley", confidence=confidence)] * 2, counter_search=False)
        assert check.status == (status if stands else "insufficient")
        assert stands or not check.confidence

    def test_a_curve_may_take_a_judgement_below_a_half(self) -> None:
        check, _ = self.run([verdict("contradicted", "born in Berley")] * 2, calibration={"judged": ((0.9, 0.4),)})
        assert check.status == "insufficient"

    def test_without_a_judgement_left_it_is_insufficient(self) -> None:
        check, requests = self.run([verdict("contradicted", "born in Berley", confidence=0.55)], budgets=Budgets(judgements=1))
        assert check.status == "insufficient"
        assert len(requests) == 1


class TestChains:
    WINNER = "The cup of 1931 went to Ada Marsh, who won by a length."
    HOME = "Ada Marsh came from Aldon and stayed there all her life."

    def judge(self, prompt: str, request: ModelRequest) -> Any:
        evidence = prompt.split("Evidence 1", 1)[1]
        if self.HOME in evidence:
            return verdict("supported", "came from Aldon")
        if "winner of the cup" in evidence:
            return verdict("insufficient", "", next_query="where from")
        return verdict("insufficient", "went to Ada Marsh", next_query="Where is Ada Marsh from?")

    def run(self, table: Mapping[str, Pages | Failure], judge: Any = None, **policy: Any) -> tuple[Check, ScriptedTool, list[ModelRequest]]:
        search = searching(table)
        check, _, requests = judged(judge or self.judge, search, answer="The winner of the cup of 1931 was from Aldon.", **policy)
        return check, search, requests

    def test_who_won_and_then_where_the_winner_is_from(self) -> None:
        check, search, requests = self.run({"birthplace": [hit(self.WINNER, "a")], "Where is Ada Marsh from?": [hit(self.HOME, "b")]})
        assert check.status == "supported"
        assert check.quote == "came from Aldon"
        assert [call.input for call in search.calls] == ["birthplace", "Where is Ada Marsh from?"]
        assert self.WINNER in requests[1].messages[-1].content
        assert "Where is Ada Marsh from?" in check.note

    def test_the_step_and_what_is_new_are_shown_before_what_was_seen(self) -> None:
        many = [hit(f"Page {i} about the cup has nothing on the matter.", f"p{i}") for i in range(6)]
        first = [*many[:5], hit(self.WINNER, "a"), *many[5:]]
        check, _, _ = self.run({"birthplace": first, "Where is Ada Marsh from?": [hit(self.HOME, "b")]})
        assert check.status == "supported"

    def test_only_as_many_steps_as_the_policy_allows(self) -> None:
        replies = [verdict("insufficient", "", next_query=f"step {i}") for i in range(9)]
        table = {"birthplace": [hit(self.WINNER, "a")]} | {f"step {i}": [hit(f"Another step, number {i}, of the long way.", f"s{i}")] for i in range(9)}
        for chain in (0, 1, 3):
            check, search, requests = self.run(table, list(replies), chain=chain)
            assert check.status == "insufficient"
            assert len(search.calls) == 1 + chain
            assert len(requests) == 1 + chain

    def test_the_same_query_is_not_made_twice(self) -> None:
        check, search, _ = self.run({"birthplace": [hit(self.WINNER, "a")]}, [verdict("insufficient", next_query="Birthplace ")] * 3, chain=3)
        assert check.status == "insufficient"
        assert len(search.calls) == 1

    def test_a_look_up_that_finds_nothing_new_costs_no_judgement(self) -> None:
        check, search, requests = self.run({"birthplace": [hit(self.WINNER, "a")]})
        assert check.status == "insufficient"
        assert (len(search.calls), len(requests)) == (2, 1)

    def test_the_bound_on_judgements_holds(self) -> None:
        table = {"birthplace": [hit(self.WINNER, "a")], "Where is Ada Marsh from?": [hit(self.HOME, "b")]}
        check, _, requests = self.run(table, budgets=Budgets(judgements=1))
        assert check.status == "insufficient"
        assert len(requests) == 1

    @pytest.mark.parametrize("nothing", [None, "", "  "])
    def test_a_reply_without_a_next_query_goes_nowhere(self, nothing: str | None) -> None:
        reply = verdict("insufficient", "", next_query=nothing, also=None, opposing=None, denies_premise=None)
        check, search, requests = self.run({"birthplace": [hit(self.WINNER, "a")]}, [reply])
        assert check.status == "insufficient"
        assert (len(search.calls), len(requests)) == (1, 1)

    def test_the_contradiction_at_the_end_of_a_chain_still_hears_the_other_side(self) -> None:
        elsewhere = "Ada Marsh came from Corwick, where her house still stands."
        replies = [
            verdict("insufficient", "went to Ada Marsh", next_query="where from"),
            verdict("contradicted", "came from Corwick"),
            verdict("supported", "came from Aldon"),
        ]
        check, search, _ = self.run({"birthplace": [hit(self.WINNER, "a")], "where from": [hit(elsewhere, "b")], STATEMENT: [hit(self.HOME, "c")]}, replies)
        assert check.status == "insufficient"
        assert "sources disagree" in check.note
        assert len(search.calls) == 3


class TestPlausibility:
    QUERY = "How many pizzas did they order?"
    PAGE = "They ordered -4 pizzas, the till says, and none of them was ever eaten."

    def run(self, reply: dict[str, Any], *, query: str = "", answer: str = "-4") -> tuple[Check, list[ModelRequest]]:
        check, _, requests = judged(lambda prompt, request: reply, searching({"birthplace": [hit(self.PAGE, "a")]}), query=query or self.QUERY, answer=answer)
        return check, requests

    def test_a_judgement_alone_does_not_make_an_implausible_answer_right(self) -> None:
        check, requests = self.run(verdict("supported", "They ordered -4 pizzas"))
        assert check.status == "insufficient"
        assert "a count cannot be negative" in check.note
        assert check.claim.importance == 3
        assert "a count cannot be negative" in requests[0].messages[-1].content

    def test_a_contradiction_says_it_too(self) -> None:
        check, _ = self.run(verdict("contradicted", "They ordered -4 pizzas"))
        assert check.status == "contradicted"
        assert "a count cannot be negative" in check.note

    def test_denying_the_premise_with_a_quotation_that_is_there_waives_it(self) -> None:
        check, _ = self.run(verdict("supported", "none of them was ever eaten", denies_premise=True))
        assert check.status == "supported"
        assert check.claim.importance == 2

    def test_denying_it_with_one_that_is_not_there_waives_nothing(self) -> None:
        check, _ = self.run(verdict("supported", "no pizza was ordered", denies_premise=True))
        assert check.status == "insufficient"
        assert check.claim.importance == 3

    def test_a_plausible_answer_is_judged_as_before_and_nothing_is_said_of_doubt(self) -> None:
        check, requests = self.run(verdict("supported", "They ordered -4 pizzas"), answer="4")
        assert check.status == "supported"
        assert "A first look" not in requests[0].messages[-1].content

    def test_a_rule_that_computed_it_is_not_overruled(self) -> None:
        outcome = Refiner("none").check_sync("How many degrees is 3 - 7?", "-4")
        assert all(check.status != "insufficient" for check in outcome.checks)


def test_what_a_chosen_exact_tool_contradicts_needs_the_judge_to_agree() -> None:
    """Nothing of the weighing applies to exact tools: there is no other side to a calculation."""
    from redraft.tools.calculator import CalculatorTool

    def respond(request: ModelRequest) -> str:
        if request.role == "planner":
            claim = {"quote": "43 rooms", "focus": "43", "statement": "It has 43 rooms.", "tool": "calculator", "input": "7*6"}
            return json.dumps({"claims": [claim], "requirements": []})
        return json.dumps(verdict("contradicted", "42", confidence=0.5))

    search = searching({})
    outcome = Refiner(ScriptedModel([respond] * 9), tools=[CalculatorTool(), search]).check_sync(Task(query="", kind="report"), "It has 43 rooms.")
    assert outcome.checks[0].status == "contradicted"
    assert search.calls == []
