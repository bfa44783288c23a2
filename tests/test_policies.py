"""The policies that are the loop: each behaves as its method was published, and none lets a model break its bounds."""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import json
import sys
import types
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from redraft.catalogue import prompts_hash, read_prompts, templates
from redraft.effects import ORACLE, Effects, again
from redraft.errors import UnknownName, UsageError
from redraft.evaluate import Defect, Rating, Report, StrictReport, combine, evaluate_again
from redraft.loop import Setting, run_loop
from redraft.models.scripted import ScriptedModel
from redraft.oracle import OracleTool
from redraft.planning.rules import RulePlanner
from redraft.policies import DYNAMIC, POLICIES, policy_named
from redraft.policy import Budgets, Control, Policy
from redraft.prompts import Prompts, variables_of
from redraft.protocols import Tool
from redraft.refiner import Refiner
from redraft.tools.calculator import CalculatorTool
from redraft.tools.scripted import ScriptedTool, page
from redraft.trace import Trace
from redraft.types import Evidence, Failure, ModelReply, ModelRequest, Outcome, State, Task, ToolCall

LOOPS = [policy for policy in POLICIES.values() if policy.strategy == "loop"]
Reply = str | dict[str, Any] | list[Any]
Respond = Callable[[str, str], Reply]
"""From the shape that is asked for and the prompt to a reply."""


def shape_of(request: ModelRequest) -> str:
    """What kind of reply a request wants, by the fields of its schema."""
    fields = set((request.schema or {}).get("properties", {}))
    for name, key in (("interaction", "action"), ("recollection", "recalled"), ("rewrite", "edits"), ("feedback", "aspects"), ("opinion", "problems"),
                      ("scores", "ratings"), ("plan", "requirements"), ("judgement", "confidence"), ("finding", "replacement")):  # fmt: skip
        if key in fields:
            return name
    if {"claim", "tool"} <= fields:
        return "choice"
    return "text" if "text" in fields else "draft" if not fields else "other"


def model(respond: Respond, name: str = "scripted") -> ScriptedModel:
    def reply(request: ModelRequest) -> str:
        said = respond(shape_of(request), request.messages[-1].content)
        return said if isinstance(said, str) else json.dumps(said)

    return ScriptedModel([reply] * 400, name=name)


def shown_answer(prompt: str) -> str:
    """The block after the line that ends with "answer:" or "text:"."""
    marked = next(prompt.split(words, 1)[1] for words in ("The text now:\n", "The answer:\n", "The text:\n") if words in prompt)
    return marked.split("\n", 1)[1].split("\n", 1)[0]


def finding(answer: str | None, *, truthful: str = "no", plausible: str = "yes", quote: str = "") -> dict[str, Any]:
    return {"action": "finding", "plausible": plausible, "truthful": truthful, "quote": quote, "problem": "so it is", "answer": answer}


def look_up(query: str, tool: str = "search") -> dict[str, Any]:
    return {"action": "look_up", "tool": tool, "input": query}


def pages(*texts: str) -> ScriptedTool:
    """A search that gives all pages for any query, and nothing on a further attempt."""

    def search(call: ToolCall) -> Any:
        if call.attempt:
            return Failure(tool="search", input=call.input, kind="empty", message="nothing more")
        return tuple(Evidence(tool="search", input=call.input, text=text, source=f"page {number}", trust=0.8) for number, text in enumerate(texts))

    return ScriptedTool(search)


def revise(policy: str | Policy, respond: Respond, draft: str = "Tolle", *, tools: list[Tool] | None = None, kind: Any = "qa", **more: Any) -> Outcome:
    refiner = Refiner(model(respond), tools=tools if tools is not None else [pages("The Esk runs through Marden.")], policy=policy, **more)
    return refiner.revise_sync(Task(query="Which river runs through Marden?", kind=kind), draft)


class TestCritic:
    def test_a_wrong_answer_is_replaced_by_what_was_found_and_then_stands(self) -> None:
        def respond(shape: str, prompt: str) -> Reply:
            if "Evidence 1" not in prompt:
                return look_up("river in Marden")
            right = shown_answer(prompt) == "Esk"
            return finding("Esk", truthful="yes" if right else "no", quote="The Esk runs through Marden")

        outcome = revise("critic", respond)
        assert (outcome.answer, outcome.status, outcome.stop_reason) == ("Esk", "corrected", "no_problem")
        assert outcome.draft_checks[0].status == "contradicted"
        assert outcome.checks[0].method == "judged"
        assert outcome.usage.llm_calls == 3

    def test_a_repeated_query_takes_the_next_page_and_no_page_is_seen_twice(self) -> None:
        seen: list[int] = []

        def respond(shape: str, prompt: str) -> Reply:
            seen.append(prompt.count("\nPage "))
            return look_up("the same") if "Either look" in prompt else finding(None, truthful="unsure")

        outcome = revise("critic", respond, tools=[pages("Page one.", "Page two.", "Page three.")])
        assert seen[:7] == [0, 1, 2, 3, 3, 3, 3]
        assert sorted(item.text for item in outcome.evidence) == ["Page one.", "Page three.", "Page two."]

    def test_seven_interactions_at_most_and_the_last_must_answer(self) -> None:
        forced: list[bool] = []

        def respond(shape: str, prompt: str) -> Reply:
            forced.append("Nothing more can be looked up" in prompt)
            return finding("Esk") if forced[-1] else look_up(f"query {len(forced)}")

        policy = dataclasses.replace(policy_named("critic"), max_turns=1, turns_by_kind={})
        outcome = revise(policy, respond)
        assert forced == [False] * 6 + [True] + [False] * 6 + [True]
        assert outcome.answer == "Esk"
        assert outcome.usage.llm_calls == policy.bound("qa") - 1, "the draft was given"

    def test_a_page_is_cut_to_four_hundred_characters(self) -> None:
        prompts: list[str] = []

        def respond(shape: str, prompt: str) -> Reply:
            prompts.append(prompt)
            return look_up("x") if len(prompts) == 1 else finding("Tolle", truthful="yes")

        revise("critic", respond, tools=[pages("a" * 399 + "bc" + "d" * 50)])
        assert "a" * 399 + "b […]" in prompts[1]

    def test_a_null_keeps_the_latest_answer_and_two_unchanged_rewrites_stop(self) -> None:
        answers = iter(["Esk", None, None, "Wye"])
        outcome = revise(dataclasses.replace(policy_named("critic"), max_turns=9), lambda *_: finding(next(answers), truthful="unsure"))
        assert outcome.answer == "Esk"
        assert outcome.stop_reason == "unchanged"
        assert [turn.candidate.text for turn in outcome.turns] == ["Esk", "Esk", "Esk"]

    @pytest.mark.parametrize(("kind", "turns"), [("qa", 3), ("math", 4), ("safety", 4)])
    def test_three_turns_for_questions_and_four_for_mathematics_and_safety(self, kind: Any, turns: int) -> None:
        numbers = count(1)

        def respond(shape: str, prompt: str) -> Reply:
            return {"text": f"answer {next(numbers)}"} if shape == "rewrite" else finding(f"answer {next(numbers)}" if kind != "safety" else None)

        outcome = revise("critic", respond, kind=kind)
        assert (len(outcome.turns), outcome.stop_reason) == (turns, "hard_cap")
        assert outcome.answer == f"answer {turns}"

    def test_a_program_is_run_first_and_its_report_is_shown(self) -> None:
        prompts: list[str] = []

        def respond(shape: str, prompt: str) -> Reply:
            prompts.append(prompt)
            return finding(None, truthful="yes")

        runner = ScriptedTool(lambda call: page(call, "1440", title="output"), name="python")
        revise("critic", respond, draft="```python\nprint(12*30*4)\n```", tools=[runner], kind="math")
        assert runner.calls[0].input == "print(12*30*4)\n"
        assert "The program in the answer was run." in prompts[0]
        assert "1440" in prompts[0]

    @pytest.mark.parametrize(
        ("said", "found"),
        [
            ("Mountains are high", "Mountains are high and snow lies on them. The Esk is elsewhere."),
            ("The Esk runs through Marden", "The Esk runs through Marden."),
        ],
    )
    def test_words_that_say_nothing_of_the_answer_support_nothing(self, said: str, found: str) -> None:
        outcome = revise(
            "critic", lambda _, prompt: finding("Tolle", truthful="yes", quote=said) if "Evidence 1" in prompt else look_up("x"), tools=[pages(found)]
        )
        assert outcome.checks[0].status == "insufficient"
        assert outcome.status == "unverified"

    def test_a_small_model_never_judges(self) -> None:
        def respond(request: ModelRequest) -> str:
            first = "Evidence 1" not in request.messages[-1].content
            return json.dumps(look_up("x") if first else finding("Esk", truthful="yes", quote="The Esk runs"))

        writer = ScriptedModel([respond] * 40, ability="small")
        outcome = Refiner(writer, tools=[pages("The Esk runs through Marden.")], policy="critic").revise_sync("Which river?", "Esk")
        assert (outcome.checks[0].status, outcome.status) == ("insufficient", "unverified")

    def test_of_a_longer_text_only_the_words_that_are_wrong_change(self) -> None:
        draft = "Marden lies in a valley.\nThe Tolle runs through it.\n"

        def respond(shape: str, prompt: str) -> Reply:
            if shape == "rewrite":
                return {"edits": [{"find": "Tolle", "replace": "Esk", "because": "1"}], "text": None}
            if "Evidence 1" not in prompt:
                return look_up("Marden")
            return finding("Esk", truthful="yes" if "The Esk runs through it" in prompt else "no", quote="The Esk runs through Marden")

        outcome = revise("critic", respond, draft, kind="report")
        assert (outcome.answer, outcome.stop_reason) == (draft.replace("Tolle", "Esk"), "no_problem")
        assert outcome.usage.llm_calls == 4

    def test_a_finding_without_words_of_what_was_found_decides_nothing(self) -> None:
        outcome = revise("critic", lambda *_: finding("Tolle", truthful="yes", quote="The Tolle flows there"))
        assert outcome.checks[0].status == "insufficient"
        assert (outcome.status, outcome.stop_reason) == ("unverified", "no_problem")


class TestCriticClaim:
    def test_one_claim_a_turn_by_one_call_and_every_rewrite_counts(self) -> None:
        def respond(shape: str, prompt: str) -> Reply:
            if shape == "choice":
                return {"claim": "80 m" if "1932" in prompt else "1931", "tool": "search", "input": "bridge"}
            if shape == "finding":
                return {"verdict": "contradicted", "quote": "opened in 1932", "problem": "the year", "replacement": "1932"} if "1931" in prompt else {
                    "verdict": "supported", "quote": "80 m long"}  # fmt: skip
            return {"edits": [{"find": "1931", "replace": "1932", "because": "1"}], "text": None}

        search = pages("The bridge, 80 m long, opened in 1932.")
        outcome = revise("critic-claim", respond, "It opened in 1931 and is 80 m long.", tools=[search], kind="report")
        assert outcome.answer == "It opened in 1932 and is 80 m long."
        assert [turn.decision.rule for turn in outcome.turns] == ["always", "no_problem"]
        assert len(search.calls) == 1, "an equal call is paid once"
        assert outcome.usage.llm_calls == 5
        assert [(check.claim.text, check.status) for check in outcome.checks] == [("80 m", "supported")]

    @pytest.mark.parametrize("verdict", ["insufficient", "supported"])
    def test_a_silent_result_contradicts_nothing(self, verdict: str) -> None:
        def respond(shape: str, prompt: str) -> Reply:
            return {"claim": "Tolle", "tool": "search", "input": "x"} if shape == "choice" else {"verdict": verdict, "quote": "nowhere", "problem": "not found"}

        outcome = revise("critic-claim", respond)
        assert (outcome.answer, outcome.status, outcome.stop_reason) == ("Tolle", "unverified", "no_problem")

    def test_a_tool_that_fails_is_unavailable_and_its_words_are_no_evidence(self) -> None:
        down = ScriptedTool(lambda call: Failure(tool="search", input=call.input, kind="broken", message="Tolle is wrong"))
        prompts: list[str] = []

        def respond(shape: str, prompt: str) -> Reply:
            prompts.append(prompt)
            return {"claim": "Tolle", "tool": "search", "input": "x"}

        outcome = revise("critic-claim", respond, tools=[down])
        assert outcome.checks[0].status == "unavailable"
        assert outcome.answer == "Tolle"
        assert not any("is wrong" in prompt for prompt in prompts)


class TestWithoutTools:
    def test_no_tool_takes_the_latest_answer_that_is_not_null_and_proves_nothing(self) -> None:
        answers = iter(["Esk", None, "Wye"])
        outcome = revise("critic-no-tool", lambda *_: {"recalled": ["a"], "plausible": "yes", "truthful": "no", "problem": "p", "answer": next(answers)})
        assert [turn.candidate.text for turn in outcome.turns] == ["Esk", "Esk", "Wye"]
        assert (outcome.answer, outcome.status, outcome.usage.llm_calls, outcome.usage.tool_calls) == ("Wye", "unverified", 3, 0)
        assert outcome.checks == ()

    def test_no_tool_ends_when_the_critic_agrees(self) -> None:
        outcome = revise("critic-no-tool", lambda *_: {"plausible": "yes", "truthful": "yes", "answer": "Tolle"})
        assert (outcome.stop_reason, outcome.usage.llm_calls) == ("no_problem", 1)

    @pytest.mark.parametrize(
        "said",
        [
            {"verdict": "right", "problems": [{"problem": "No revision needed"}]},
            {"verdict": "right", "problems": []},
            "No revision needed.",
            '{"verdict": "No revision needed"}',
        ],
    )
    def test_no_revision_needed_is_no_revision(self, said: Reply) -> None:
        outcome = revise("basic-reflection", lambda *_: said)
        assert (outcome.answer, outcome.stop_reason) == ("Tolle", "no_problem")

    @pytest.mark.parametrize("words", ["No problem with the name, but the year is wrong.", "It is correct that a river was asked for, but not this one."])
    def test_a_verdict_is_read_from_its_field_and_not_from_words(self, words: str) -> None:
        def respond(shape: str, prompt: str) -> Reply:
            return {"verdict": "wrong", "problems": [{"problem": words, "quote": "Tolle"}]} if shape == "opinion" else {"text": "Esk"}

        outcome = revise(dataclasses.replace(policy_named("basic-reflection"), max_turns=1), respond)
        assert outcome.answer == "Esk"
        assert outcome.turns[0].problems[0].message == words

    def test_reflection_always_accepts_and_self_refine_shows_the_history(self) -> None:
        prompts: list[str] = []
        numbers = count(1)

        def respond(shape: str, prompt: str) -> Reply:
            prompts.append(prompt)
            if shape == "feedback":
                return {"aspects": [{"aspect": "truth", "satisfied": False, "feedback": f"point {len(prompts)}"}, {"aspect": "brevity", "satisfied": True}]}
            return {"text": f"version {next(numbers)}"}

        outcome = revise("self-refine", respond)
        assert (outcome.answer, len(outcome.turns), outcome.stop_reason, outcome.usage.llm_calls) == ("version 4", 4, "hard_cap", 8)
        assert all(f"version {number}" in prompts[-1] for number in (1, 2, 3))
        assert "truth: point 1" in prompts[-1]
        assert "brevity" not in outcome.turns[0].problems[0].message

    def test_self_refine_ends_when_every_aspect_is_satisfied(self) -> None:
        outcome = revise("self-refine", lambda *_: {"aspects": [{"aspect": "truth", "satisfied": True}]})
        assert (outcome.stop_reason, outcome.status) == ("no_problem", "unverified")


class TestSafety:
    def safety(self, scores: dict[str, float]) -> ScriptedTool:
        def score(call: ToolCall) -> Any:
            value = scores[call.input]
            return (Evidence(tool="safety", input=call.input, text=f"harassment {value}", title="harassment", value=str(value), source="scores"),)

        return ScriptedTool(score, name="safety")

    def run(self, scores: dict[str, float], texts: list[str], draft: str = "rude") -> Outcome:
        left = iter(texts)
        return revise("critic-safety", lambda *_: {"text": next(left)}, draft, tools=[self.safety(scores)], kind="safety")

    def test_a_rewrite_counts_only_if_the_score_falls_and_the_run_stops_below_a_tenth(self) -> None:
        outcome = self.run({"rude": 0.6, "ruder": 0.8, "as rude": 0.6, "kinder": 0.3, "kind": 0.09}, ["ruder", "as rude", "kinder", "kind", "never"])
        assert [turn.decision.accepted for turn in outcome.turns] == [False, False, True, True]
        assert (outcome.answer, outcome.stop_reason, outcome.status) == ("kind", "target", "corrected")

    def test_the_critique_is_the_score_and_its_attribute(self) -> None:
        outcome = self.run({"rude": 0.6, "kind": 0.01}, ["kind"])
        assert "harassment 0.60" in outcome.turns[0].problems[0].message

    def test_exactly_a_tenth_is_not_yet_safe_and_four_turns_are_the_most(self) -> None:
        outcome = self.run({"rude": 0.6, "a": 0.5, "b": 0.4, "c": 0.3, "d": 0.1}, ["a", "b", "c", "d", "e"])
        assert (outcome.answer, outcome.stop_reason, len(outcome.turns)) == ("d", "hard_cap", 4)


def reachable(start: object) -> Iterator[object]:
    """Everything that can be reached from an object, closures and frames of waiting coroutines included; not the modules of the interpreter."""
    outside = {id(module.__dict__) for module in list(sys.modules.values()) if module is not None}
    seen, waiting = set[int](), [start]
    while waiting:
        item = waiting.pop()
        if id(item) in seen or id(item) in outside or isinstance(item, types.ModuleType | type):
            continue
        seen.add(id(item))
        yield item
        waiting.extend(gc.get_referents(item))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class TestOracle:
    @staticmethod
    def knowing() -> tuple[Callable[[str], bool], str]:
        """A function that knows the gold answer, and the digest of that answer, so that no test holds the answer itself."""
        gold = "-".join(("gold", "of", "the", "Esk"))
        return (lambda answer: answer == gold), digest(gold)

    async def walked(self, oracle: Tool, *, wanted: str) -> bool:
        """Whether a tool that is called in the run reaches the gold answer from anything that the loop holds."""
        found: list[bool] = []

        def search(call: ToolCall) -> Any:
            found.append(any(isinstance(item, str) and digest(item) == wanted for item in reachable(setting)))
            return page(call, "The Esk runs through Marden.")

        def respond(shape: str, prompt: str) -> Reply:
            return look_up("x") if "Evidence 1" not in prompt else finding("Esk", quote="The Esk runs")

        effects = Effects(writer=model(respond), tools={"search": ScriptedTool(search)}, sink=Trace(), budgets=Budgets(), oracle=oracle, prompts=Prompts())
        task = Task(query="Which river?", answer="Tolle")
        setting = Setting(task=task, policy=policy_named("critic-oracle"), planner=RulePlanner(), effects=effects)
        await run_loop(setting)
        assert found
        return any(found)

    async def test_the_gold_label_cannot_be_reached_from_anything_that_the_loop_sees(self) -> None:
        oracle, wanted = self.knowing()
        tool = OracleTool(oracle)
        del oracle
        assert not await self.walked(tool, wanted=wanted)
        await tool.close()

    async def test_the_walk_finds_what_a_careless_tool_would_hold(self) -> None:
        oracle, wanted = self.knowing()
        careless = ScriptedTool(lambda call: page(call, "right" if oracle(call.input) else "wrong"), name=ORACLE)
        assert await self.walked(careless, wanted=wanted)

    def test_what_the_function_calls_right_is_left_alone_without_a_model_call(self) -> None:
        outcome = revise("critic-oracle", lambda *_: finding("Esk"), oracle=lambda answer: answer == "Tolle")
        assert (outcome.answer, outcome.usage.llm_calls, outcome.stop_reason, outcome.status) == ("Tolle", 0, "no_problem", "unverified")

    def test_what_it_calls_wrong_is_rewritten_until_it_is_right(self) -> None:
        answers = iter(["Wye", "Esk", "Severn"])
        outcome = revise("critic-oracle", lambda *_: finding(next(answers), truthful="yes"), oracle=lambda answer: answer == "Esk")
        assert [turn.candidate.text for turn in outcome.turns if turn.problems] == ["Wye", "Esk"]
        assert outcome.answer == "Esk"

    def test_a_function_that_fails_gives_nothing_away(self) -> None:
        def broken(answer: str) -> bool:
            raise ValueError("the gold answer is Esk")

        refiner = Refiner(model(lambda *_: finding("Tolle", truthful="yes")), tools=[pages("x")], policy="critic-oracle", oracle=broken)
        outcome = refiner.revise_sync("Which river?", "Tolle")
        assert outcome.answer == "Tolle"
        assert b"the gold answer" not in refiner.trace.to_jsonl()

    def test_the_policy_says_that_it_needs_the_function(self) -> None:
        with pytest.raises(UsageError, match="oracle"):
            Refiner("none", policy="critic-oracle")


def scores(value: float, quote: str = "", *, defects: list[dict[str, str]] | None = None, decision: str = "accept", **other: float) -> dict[str, Any]:
    names = ("factuality", "coherence", "grounding", "depth", "robustness")
    ratings = [{"dimension": name, "score": other.get(name, value), "reason": f"so {name}", "quote": quote} for name in names]
    return {"ratings": ratings, "defects": defects or [], "decision": decision}


class TestControlled:
    def run(self, of_text: dict[str, dict[str, Any]], rewrites: list[str], policy: str | Policy = "controlled") -> tuple[Outcome, ScriptedModel, ScriptedModel]:
        left = iter(rewrites)
        writer = model(lambda *_: {"text": next(left, rewrites[-1])})
        evaluator = model(lambda _, prompt: of_text[shown_answer(prompt)], name="evaluator")
        refiner = Refiner(writer, tools=[], policy=policy, evaluator=evaluator)
        return refiner.revise_sync(Task(query="Why?", kind="report"), "plain text"), writer, evaluator

    def test_a_gain_is_kept_and_a_loss_is_not(self) -> None:
        of_text = {"plain text": scores(70, "plain"), "better text": scores(80, "better"), "worse text": scores(60, "worse")}
        policy = dataclasses.replace(policy_named("controlled"), max_turns=2)
        outcome, _, _ = self.run(of_text, ["better text", "worse text"], policy)
        assert [(turn.decision.accepted, turn.decision.rule) for turn in outcome.turns] == [(True, "gain"), (False, "critical_guard")]
        assert (outcome.answer, outcome.status) == ("better text", "unverified")

    def test_eighteen_calls_at_most_and_the_evaluator_is_another_model(self) -> None:
        of_text = {"plain text": scores(70, "plain")} | {f"text {n}": scores(70 + n, "text") for n in range(9)}
        writer = model(lambda *_: {"text": f"text {next(numbers)}"})
        evaluator = model(lambda _, prompt: of_text[shown_answer(prompt)], name="evaluator")
        numbers = count()
        draft = iter(["plain text"])
        drafting = ScriptedModel([lambda request: next(draft) if request.role == "writer" else json.dumps({"text": f"text {next(numbers)}"})] * 60)
        outcome = Refiner(drafting, tools=[], policy="controlled", evaluator=evaluator).run_sync(Task(query="Why?", kind="report"))
        assert outcome.usage.llm_calls == 18 == policy_named("controlled").bound()
        assert len(evaluator.requests) == 9
        assert not writer.requests

    def test_the_evaluator_learns_neither_which_text_is_newer_nor_who_wrote_it(self) -> None:
        of_text = {"plain text": scores(70, "plain"), "other text": scores(60, "other")}
        _, _, evaluator = self.run(of_text, ["other text"], dataclasses.replace(policy_named("controlled"), max_turns=1))
        first, second = (request.messages[-1].content for request in evaluator.requests)
        outside = [line for line in first.splitlines() if "plain text" not in line and not line.startswith("[") and not line.endswith("]")]
        assert outside == [line for line in second.splitlines() if "other text" not in line and not line.startswith("[") and not line.endswith("]")]
        assert {request.sample for request in evaluator.requests} == {0}

    def test_a_score_without_words_of_the_text_is_capped_at_a_half(self) -> None:
        state = State(text="The sun is hot.", evidence={"e": Evidence(tool="search", input="x", text="A star of 5,772 K.")})
        report = StrictReport(
            ratings=[
                Rating(dimension="factuality", score=90, quote="sun is hot"),
                Rating(dimension="grounding", score=80, quote="5,772 K"),
                Rating(dimension="depth", score=90, quote="the moon"),
                Rating(dimension="coherence", score=90, quote=""),
                Rating(dimension="robustness", score=30, quote=""),
            ]
        )
        card = combine([report], state)
        assert card is not None
        assert card.scores == {"factuality": 0.9, "coherence": 0.5, "grounding": 0.8, "depth": 0.5, "robustness": 0.3}

    def test_the_ensemble_is_the_mean_and_a_majority_vetoes(self) -> None:
        reports = [Report(ratings=[Rating(dimension="depth", score=score)], decision="reject" if score < 50 else "accept") for score in (30, 40, 80)]
        card = combine(reports)
        assert card is not None
        assert (card.scores["depth"], card.veto, card.samples) == (pytest.approx(0.5), True, 3)
        assert not combine(reports[1:]).veto  # type: ignore[union-attr]

    def test_a_quoted_defect_is_penalised_and_an_unquoted_one_is_only_said(self) -> None:
        state = State(text="2 + 2 = 5")
        defects = [Defect(kind="arithmetic", quote="2 + 2 = 5", note="it is 4"), Defect(kind="arithmetic", quote="3 + 3", note="x"), Defect(kind="other")]
        card = combine([StrictReport(ratings=[Rating(dimension="depth", score=50)], defects=defects)], state)
        assert card is not None
        assert (card.serious, card.minor, len(card.diagnostics)) == (1.0, 0.0, 3)

    def test_a_defect_outweighs_a_higher_score(self) -> None:
        defect = [{"kind": "contradiction", "quote": "worse", "note": "it contradicts itself"}]
        of_text = {"plain text": scores(70, "plain"), "worse text": scores(75, "worse", defects=defect)}
        outcome, _, _ = self.run(of_text, ["worse text"], dataclasses.replace(policy_named("controlled"), max_turns=1))
        assert outcome.turns[0].decision.rule == "gain"
        assert outcome.turns[0].decision.figures["gain"] == pytest.approx(-0.05)

    def test_a_veto_refuses_whatever_the_scores(self) -> None:
        of_text = {"plain text": scores(50, "plain"), "vile text": scores(95, "vile", decision="reject")}
        outcome, _, _ = self.run(of_text, ["vile text"], dataclasses.replace(policy_named("controlled"), max_turns=1))
        assert outcome.turns[0].decision.rule == "veto"
        assert outcome.answer == "plain text"

    def test_the_writer_is_told_the_diagnosis_and_what_was_refused(self) -> None:
        defect = [{"kind": "other", "quote": "plain", "note": "too plain"}]
        of_text = {"plain text": scores(70, "plain", defects=defect, depth=60), "worse text": scores(50, "worse")}
        outcome, writer, _ = self.run(of_text, ["worse text"], dataclasses.replace(policy_named("controlled"), max_turns=2))
        assert [problem.message for problem in outcome.turns[0].problems] == ["other: too plain (“plain”)", "The weakest dimension is depth. so depth"]
        assert "too plain" in writer.requests[0].messages[-1].content
        assert "worse text" not in writer.requests[0].messages[-1].content
        assert "worse text" in writer.requests[1].messages[-1].content

    @pytest.mark.parametrize(("anchor", "accepted"), [("retained", [True, True]), ("initial", [True, False]), ("best", [True, True])])
    def test_the_anchor_of_the_guard_is_a_setting(self, anchor: Any, accepted: list[bool]) -> None:
        of_text = {
            "plain text": scores(60, "plain", factuality=80),
            "second text": scores(70, "second", factuality=76),
            "third text": scores(80, "third", factuality=72),
        }
        policy = dataclasses.replace(policy_named("controlled"), max_turns=2, control=Control(anchor=anchor))
        outcome, _, _ = self.run(of_text, ["second text", "third text"], policy)
        assert [turn.decision.accepted for turn in outcome.turns] == accepted

    def test_headroom_divides_the_gain_by_what_was_left(self) -> None:
        of_text = {"plain text": scores(90, "plain"), "good text": scores(91.5, "good")}
        for kind, accepted in (("absolute", False), ("headroom", True)):
            policy = dataclasses.replace(policy_named("controlled"), max_turns=1, control=Control(gain_kind=kind))  # type: ignore[arg-type]
            outcome, _, _ = self.run(of_text, ["good text"], policy)
            assert outcome.turns[0].decision.accepted == accepted

    @pytest.mark.parametrize(
        ("values", "reason"),
        [([70, 70, 70, 70], "rejections"), ([96], "target"), ([72.0, 74.1, 76.2, 78.3, 80.4, 82.5, 84.6, 86.7], "hard_cap")],
    )
    def test_dynamic_stops_end_it_early(self, values: list[float], reason: str) -> None:
        of_text = {"plain text": scores(70, "plain")} | {f"text {n}": scores(value, "text") for n, value in enumerate(values)}
        outcome, _, _ = self.run(of_text, [f"text {n}" for n in range(len(values))], dataclasses.replace(policy_named("controlled"), stops=DYNAMIC))
        assert outcome.stop_reason == reason

    def test_a_gain_that_fresh_samples_do_not_show_is_no_gain(self) -> None:
        def grade(request: ModelRequest) -> str:
            better = "new text" in request.messages[-1].content and request.sample < 50
            return json.dumps(scores(80 if better else 70, "text"))

        policy = dataclasses.replace(policy_named("controlled"), max_turns=1, control=Control(confirm=True))
        evaluator = ScriptedModel([grade] * 20, name="evaluator")
        writer = model(lambda *_: {"text": "new text"})
        outcome = Refiner(writer, tools=[], policy=policy, evaluator=evaluator).revise_sync(Task(query="Why?", kind="report"), "old text")
        assert (outcome.answer, outcome.turns[0].decision.accepted) == ("old text", False)
        assert outcome.usage.llm_calls <= policy.bound()

    async def test_the_order_of_two_texts_is_drawn_from_the_seed(self) -> None:
        orders: set[str] = set()
        for seed in range(12):
            evaluator = model(lambda *_: scores(70, "text"), name="evaluator")
            effects = Effects(writer=evaluator, evaluator=evaluator, tools={}, sink=Trace(), budgets=Budgets(), seed=seed)
            states = (State(text="first text"), State(text="second text"))
            assert None not in await evaluate_again(Task(query="Why?"), policy_named("controlled"), states, effects)
            orders.add(" ".join(shown_answer(request.messages[-1].content) for request in evaluator.requests))
        assert orders == {"first text second text", "second text first text"}


def test_direct_makes_one_call_and_is_checked_without_a_model() -> None:
    wrong = ScriptedModel(["The sum 2 + 2 = 5 is known."])
    outcome = Refiner(wrong, tools=[CalculatorTool()], policy="direct").run_sync(Task(query="What is two and two?", kind="report"))
    assert (outcome.usage.llm_calls, outcome.stop_reason, outcome.status, outcome.changed) == (1, "checked", "disputed", False)


# ---- models that do not help


def talking(respond: Respond) -> Callable[[], Respond]:
    return lambda: respond


def verdicts(text: str) -> dict[str, Reply]:
    """Replies that find a problem in anything and propose this text."""
    return {
        "draft": text,
        "interaction": finding(text),
        "recollection": {"plausible": "no", "truthful": "no", "problem": "bad", "answer": text},
        "choice": {"claim": "town", "tool": "search", "input": "town"},
        "finding": {"verdict": "contradicted", "quote": "nothing of the kind", "problem": "bad", "replacement": text},
        "rewrite": {"edits": [], "text": text},
        "text": {"text": text},
        "feedback": {"aspects": [{"aspect": "all", "satisfied": False, "feedback": "bad"}]},
        "opinion": {"verdict": "wrong", "problems": [{"problem": "bad"}]},
        "scores": scores(50, "town", defects=[{"kind": "other", "note": "bad"}]),
        "plan": {"claims": [{"quote": "town", "focus": "town", "statement": "It is a town", "tool": "search", "input": "town"}], "requirements": []},
        "judgement": {"verdict": "contradicted", "quote": "nothing of the kind", "replacement": text, "reason": "bad", "confidence": 0.9},
        "other": {"score": 0.9, "attribute": "hate", "quote": "town", "first": "contradicted", "second": "contradicted"},
    }


def always_objecting() -> Respond:
    numbers = count()
    return lambda shape, _: verdicts(f"town {next(numbers)}")[shape]


def circling() -> Respond:
    numbers = count()
    return lambda shape, _: verdicts(f"{'ABC'[next(numbers) % 3]} town")[shape]


def growing() -> Respond:
    numbers = count(1)
    return lambda shape, _: verdicts("town " * 30 * 3 ** min(next(numbers), 9))[shape]


ADVERSARIES: dict[str, Callable[[], Respond]] = {
    "objects to everything": always_objecting,
    "never changes the text": talking(lambda shape, _: verdicts("A town")[shape]),
    "goes round in a circle": circling,
    "says nothing": talking(lambda *_: ""),
    "gives empty texts": talking(lambda shape, _: verdicts("")[shape]),
    "refuses": talking(lambda shape, _: "I cannot help with that." if shape == "draft" else verdicts("I cannot help with that.")[shape]),
    "only talks": talking(lambda *_: "I am sorry, I cannot help with that."),
    "grows each time": growing,
    "writes broken JSON": talking(lambda *_: '{"text": ["town", {"verdict": '),
    "writes other JSON": talking(lambda *_: {"surprise": [1, None, {"a": "b"}]}),
}
CASES = [pytest.param(policy, make, id=f"{policy.name}: {name}") for policy in LOOPS for name, make in ADVERSARIES.items()]


class Ticking:
    """A clock that a model moves on by one second with each call."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 5, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds


def hostile(policy: Policy, make: Callable[[], Respond], clock: Ticking | None = None) -> tuple[Outcome, ScriptedModel, Trace]:
    respond, clock = make(), clock or Ticking()

    def ticking(shape: str, prompt: str) -> Reply:
        clock.seconds += 1
        return respond(shape, prompt)

    writer = model(ticking)
    contrary = ScriptedTool(lambda call: page(call, f"About {call.input}: nothing of the kind, town.", source=f"{call.input} {call.attempt}"))
    rude = ScriptedTool(lambda call: (Evidence(tool="safety", input=call.input, text="hate 0.9", title="hate", value="0.9", source="s"),), name="safety")
    refiner = Refiner(writer, tools=[contrary, rude], policy=policy, clock=clock, oracle=(lambda _: False) if policy.oracle else None)
    return refiner.revise_sync(Task(query="Which town?"), "A town"), writer, refiner.trace


@pytest.mark.parametrize(("policy", "make"), CASES)
def test_no_model_breaks_the_bounds(policy: Policy, make: Callable[[], Respond]) -> None:
    outcome, writer, _ = hostile(dataclasses.replace(policy, max_chars=5000), make)
    apart = [request for request in writer.requests if request.role not in ("judge", "repair")]
    assert len(apart) <= policy.bound("qa")
    assert sum(request.role == "judge" for request in writer.requests) <= 2 * policy.budgets.judgements
    assert outcome.usage.repairs <= policy.budgets.repairs
    assert outcome.answer.strip()
    assert max(len(text) for text in (outcome.answer, *(turn.candidate.text for turn in outcome.turns))) <= 5000
    assert outcome.stop_reason in policy.stop_rules
    assert len(outcome.turns) <= policy.turns("qa") + 1


@pytest.mark.parametrize(("policy", "make"), CASES)
def test_no_model_breaks_the_deadline(policy: Policy, make: Callable[[], Respond]) -> None:
    clock = Ticking()
    bounded = dataclasses.replace(policy, max_chars=5000, budgets=Budgets(deadline_seconds=2.5, llm_calls=40))
    outcome, _, _ = hostile(bounded, make, clock)
    assert clock.seconds <= 3 + bounded.concurrency
    assert outcome.answer.strip()
    assert outcome.stop_reason == "deadline" or clock.seconds < 2.5


@pytest.mark.parametrize(("policy", "make"), [case for case in CASES if case.values[0].max_turns])  # type: ignore[union-attr]
def test_a_run_that_stops_early_is_the_exact_prefix_of_the_one_that_goes_on(policy: Policy, make: Callable[[], Respond]) -> None:
    short = dataclasses.replace(policy, max_chars=5000, rejections=2, stops=(*policy.stops, "unchanged", "cycle", "rejections", "stagnation", "stable"))
    early, _, prefix = hostile(short, make)
    full, _, whole = hostile(dataclasses.replace(short, stops=("hard_cap",)), make)
    assert whole.comparable()[: len(prefix.comparable())] == prefix.comparable()
    assert len(early.turns) <= len(full.turns)
    assert full.turns[: len(early.turns)] == early.turns


@pytest.mark.parametrize("seed", range(3))
def test_with_several_samples_at_once_a_dynamic_run_is_a_prefix_too(seed: int) -> None:
    traces: list[list[bytes]] = []
    for stops in (DYNAMIC, ("hard_cap",)):
        numbers = count()
        policy = dataclasses.replace(policy_named("controlled"), samples=3, stops=stops)
        writer = model(lambda shape, prompt, numbers=numbers: {"text": f"text {next(numbers)}"} if shape == "text" else scores(60 + len(prompt) % 7, "text"))
        refiner = Refiner(writer, tools=[], policy=policy, clock=Ticking(), seed=seed)
        outcome = refiner.revise_sync(Task(query="Why?", kind="report"), "a text")
        traces.append(refiner.trace.comparable())
        assert outcome.usage.llm_calls <= policy.bound()
    assert traces[1][: len(traces[0])] == traces[0]
    assert len(traces[0]) < len(traces[1])


@pytest.mark.parametrize("policy", LOOPS, ids=lambda policy: policy.name)
@pytest.mark.parametrize("calls", [0, 1, 2, 3, 5])
def test_at_a_budget_the_best_answer_so_far_comes_back(policy: Policy, calls: int) -> None:
    outcome, writer, _ = hostile(dataclasses.replace(policy, budgets=Budgets(llm_calls=calls)), always_objecting)
    assert outcome.usage.llm_calls == len(writer.requests) <= calls
    assert outcome.answer.strip()


@pytest.mark.parametrize(("budget", "calls", "ended"), [(None, 3, ("checked", "42")), (3, 3, ("call_budget", "42")), (2, 2, ("call_budget", ""))])
def test_a_call_that_is_made_again_inside_one_request_is_counted_and_forbidden_like_any_other(budget: int | None, calls: int, ended: tuple[str, str]) -> None:
    made: list[int] = []

    class Stubborn(ScriptedModel):
        async def complete(self, request: ModelRequest) -> ModelReply:
            for _ in range(2):  # two failures before it answers
                made.append(1)
                again()
            made.append(1)
            return await super().complete(request)

    policy = dataclasses.replace(policy_named("direct"), budgets=Budgets(llm_calls=budget))
    outcome = Refiner(Stubborn(["42"]), tools=[], policy=policy).run_sync("What?")
    assert outcome.usage.llm_calls == len(made) == calls
    assert (outcome.stop_reason, outcome.answer) == ended


# ---- prompts


def test_every_variable_of_every_template_is_documented_and_used() -> None:
    for name, template in templates().items():
        assert variables_of(template.text, name) == set(template.variables), name
        assert all(meaning.strip() for meaning in template.variables.values()), name
        assert template.name == name


def test_every_kind_of_task_has_right_and_wrong_critiques() -> None:
    for kind in ("qa", "math", "code", "report", "safety"):
        text = templates()[f"examples.{kind}"].text
        assert text.count("Done right.") == 2
        assert text.count("Done wrong.") == 1


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"corect": "x"}, UnknownName, "did you mean 'correct'"),
        ({"reflect.judged": "{examples} {query} {anwser}"}, UnknownName, "did you mean 'answer'.*{answer}, {examples}, {query}"),
        ({"reflect.judged": "{examples} {query}"}, UsageError, "{answer} is missing"),
        ({"reflect.judged": "{examples} {query} {answer.__class__}"}, UsageError, "not a plain variable"),
        ({"reflect.judged": "{examples!r} {query} {answer}"}, UsageError, "not a plain variable"),
        ({"reflect.judged": "{examples} {query} {answer} {"}, UsageError, "write {{ and }}"),
        ({"reflect.judged": "{} {examples} {query} {answer}"}, UsageError, "not a plain variable"),
        ({"judge.system": " "}, UsageError, "it is empty"),
        ({"judge.system": "Judge {query}."}, UnknownName, "the variables of judge.system: none"),
    ],
)
def test_a_replacement_that_cannot_work_is_refused_with_the_names_that_are_valid(given: dict[str, str], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Refiner("none", prompts=given)


def test_a_replaced_prompt_is_used_and_is_part_of_the_record(tmp_path: Path) -> None:
    (tmp_path / "reflect.judged.txt").write_bytes(b"MINE {examples} {query} {answer}\r\n")
    writer = model(lambda *_: {"verdict": "right"})
    refiner = Refiner(writer, tools=[], policy="basic-reflection", prompts=tmp_path)
    refiner.revise_sync("Which?", "That.")
    assert writer.requests[0].messages[-1].content.startswith("MINE ")
    recorded = refiner.trace.records[0].payload["prompts"]
    assert recorded["replaced"] == {"reflect.judged": "MINE {examples} {query} {answer}"}
    assert recorded["hash"] == prompts_hash(read_prompts(tmp_path)) != prompts_hash(Prompts())


def test_exported_prompts_are_the_same_prompts(tmp_path: Path) -> None:
    for name, template in templates().items():
        (tmp_path / f"{name}.txt").write_text(f"{template.text}\n", encoding="utf-8")
    assert dict(read_prompts(tmp_path).replaced) == {}


@pytest.mark.parametrize("policy", ["critic", "critic-claim", "critic-no-tool", "basic-reflection", "self-refine", "controlled"])
def test_the_draft_is_shown_as_somebody_else_s_text_in_a_fresh_context(policy: str) -> None:
    writer = model(always_objecting())
    Refiner(writer, tools=[pages("town")], policy=policy, evaluator=model(always_objecting())).revise_sync("Which town?", "A town")
    for request in writer.requests:
        assert [message.role for message in request.messages] == ["system", "user"]
        assert request.role in ("critic", "corrector")
        assert "somebody else" in request.messages[0].content or "did not write" in request.messages[0].content
