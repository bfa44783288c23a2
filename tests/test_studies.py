"""The studies end to end with simulated models: arms from one draft, dynamic runs as exact prefixes, equal bytes however often interrupted."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner

from redraft.cli.app import app
from redraft.errors import InputError, MissingKey, UsageError
from redraft.models.scripted import ScriptedModel
from redraft.policies import DYNAMIC, POLICIES, refused
from redraft.refiner import Refiner
from redraft.studies.ablation import ablation, ablation_arms
from redraft.studies.calls import CallStore, StoredModel, StudyClock
from redraft.studies.conducting import conduct, estimate, read_labels
from redraft.studies.contrasts import Judged, efficiency, figures_of_tests
from redraft.studies.questions import DOMAINS, Question, read_questions
from redraft.studies.report import to_html, to_markdown
from redraft.studies.stats import mcnemar_exact
from redraft.studies.stopping_study import stopping, stopping_arms
from redraft.studies.study_report import study_report
from redraft.studies.trials import DIRECT, Design, Setting, Test
from redraft.types import ModelReply, ModelRequest, Task
from tests.study_models import Simulated, SimulatedServer

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SMALL = Setting(max_turns=2, concurrency=1, retest=0.2)


class Cast:
    """The models of one study and its store."""

    def __init__(self, store: CallStore | None = None, wrap: Any = lambda model: model) -> None:
        self.store = store or CallStore(None, NOW)
        self.models = {name: Simulated(name, noise=noise) for name, noise in (("writer", 0.15), ("evaluator", 0.05), ("judge", 0.06), ("second", 0.1))}
        self.stored = {name: StoredModel(wrap(model), self.store) for name, model in self.models.items()}

    def design(self, name: str, turns: int) -> Design:
        make = ablation if name == "ablation" else stopping
        return make(writer=self.stored["writer"], evaluator=self.stored["evaluator"], max_turns=turns)

    def conduct(self, name: str, questions: tuple[Question, ...], setting: Setting = SMALL, **more: Any) -> dict[str, Any]:
        judges = more.pop("judges", [self.stored["judge"]])
        return asyncio.run(conduct(self.design(name, setting.max_turns), questions, judges, self.store, self.stored["writer"], setting, **more))


@pytest.fixture(scope="module")
def ablated() -> tuple[dict[str, Any], Cast]:
    cast = Cast()
    return cast.conduct("ablation", read_questions(limit=10), SMALL), cast


@pytest.fixture(scope="module")
def stopped() -> tuple[dict[str, Any], Cast]:
    cast = Cast()
    return cast.conduct("stopping", read_questions(limit=8), dataclasses.replace(SMALL, max_turns=6)), cast


class TestQuestions:
    def test_our_own_are_twenty_in_eight_domains(self):
        questions = read_questions()
        assert len(questions) == 20
        assert tuple(Counter(item.domain for item in questions)) == DOMAINS
        assert len({item.task.query for item in questions}) == 20
        assert {item.task.kind for item in questions} == {"report"}
        assert all(item.task.query.endswith(("?", ".")) and item.task.answer is None for item in questions)

    def test_a_file_of_ones_own_and_no_gold_in_the_task(self, tmp_path: Path):
        path = tmp_path / "questions.jsonl"
        path.write_text('{"query": "Why?", "domain": "law", "answers": ["secret"], "answer": "given"}\n{"query": "How?", "kind": "qa"}\n')
        first, second = read_questions(path)
        assert (first.domain, first.task.kind, first.task.answer) == ("law", "report", None)
        assert (second.domain, second.task.kind) == ("2", "qa")
        assert "secret" not in repr(first)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ('{"domain": "law"}', "line 1: 'query' is missing"),
            ("nonsense", "line 1: not JSON"),
            ('{"query": "a", "domain": 3}', "'domain' must be text"),
            ('{"query": "a", "id": "x"}\n{"query": "b", "id": "x"}', "two questions have the id 'x'"),
            ("", "is empty"),
            ('{"query": "a"}', "holds one question"),
            ('{"query": "a", "id": "x"}\n{"query": "a", "id": "y"}', "'x' and 'y' ask the same"),
        ],
    )
    def test_what_is_no_question_is_named(self, tmp_path: Path, content: str, message: str):
        path = tmp_path / "questions.jsonl"
        path.write_text(content)
        with pytest.raises(InputError, match=re.escape(message)):
            read_questions(path)


class TestArms:
    def test_each_arm_lacks_one_part(self):
        full, ensemble, guard, strict, direct = ablation_arms(8)
        policies = [arm.policy for arm in (full, ensemble, guard, strict)]
        assert all(policy is not None and refused(policy) == "" and policy.max_turns == 8 for policy in policies)
        base = policies[0]
        assert base is not None
        assert (base.samples, base.strict_scores, base.control.critical) == (3, True, ("factuality", "grounding"))
        changed = [
            {field.name for field in dataclasses.fields(base) if getattr(policy, field.name) != getattr(base, field.name)} - {"name", "summary"}
            for policy in policies[1:]
        ]
        assert changed == [{"samples"}, {"control"}, {"strict_scores"}]
        assert direct.policy is None

    def test_stopping_is_two_by_two(self):
        arms = {arm.name: arm.policy for arm in stopping_arms(8)}
        assert list(arms) == ["same-hard", "same-dynamic", "cross-hard", "cross-dynamic", "direct"]
        assert arms["same-dynamic"] is not None
        assert arms["same-dynamic"].stops == DYNAMIC
        assert arms["same-hard"] is not None
        assert arms["same-hard"].stops == POLICIES["controlled"].stops

    def test_two_evaluators_must_be_two(self):
        model = Simulated("one")
        with pytest.raises(UsageError, match="name that one with --evaluator"):
            stopping(writer=model, evaluator=model, max_turns=2)

    @pytest.mark.parametrize("name", ["ablation", "stopping"])
    def test_one_primary_test_is_named_beforehand_and_weights_add_up_to_nothing(self, name: str):
        design = Cast().design(name, 3)
        assert [test.family for test in design.tests].count("primary") == 1
        assert design.tests[0].family == "primary"
        names = {arm.name for arm in design.arms}
        assert all(abs(sum(test.weights.values())) < 1e-12 and set(test.weights) <= names for test in design.tests)
        assert len({test.name for test in design.tests}) == len(design.tests)


class TestAblation:
    def test_all_arms_begin_with_the_same_draft_and_are_charged_for_it(self, ablated: tuple[dict[str, Any], Cast]):
        result, cast = ablated
        drafts = [request for request in cast.models["writer"].requests if request.role == "writer"]
        assert len(drafts) == result["n"] == 10
        for row in result["rows"]:
            arms = row["arms"]
            assert arms[DIRECT]["answer"].startswith("The draft has quality")
            assert arms[DIRECT]["tokens"] > 0
            assert all(arms[name]["tokens"] > arms[DIRECT]["tokens"] for name in arms if name != DIRECT)
            assert arms["full"]["tokens"] > arms["no-ensemble"]["tokens"], "three evaluations a text cost more than one"

    def test_arms_that_ask_the_same_share_the_reply_and_each_pays(self, ablated: tuple[dict[str, Any], Cast]):
        result, cast = ablated
        charged = sum(cell["calls"] for row in result["rows"] for cell in row["arms"].values())
        made = sum(len(cast.models[name].requests) for name in ("writer", "evaluator"))
        assert made < charged
        for name in ("writer", "evaluator"):
            requests = [repr(request) for request in cast.models[name].requests]
            assert len(requests) == len(set(requests)), "nothing was asked twice"

    def test_figures_are_those_of_the_rows(self, ablated: tuple[dict[str, Any], Cast]):
        result, _ = ablated
        rows, full = result["rows"], result["arms"]["full"]
        gains = [row["arms"]["full"]["quality"] - row["arms"][DIRECT]["quality"] for row in rows]
        tokens = [row["arms"]["full"]["tokens"] for row in rows]
        assert full["efficiency"] == pytest.approx(fmean(gains) / (fmean(tokens) / 1000), abs=1e-15)
        assert result["tests"][0]["mean"] == pytest.approx(fmean(gains), abs=1e-12)
        before, after = [row["arms"][DIRECT]["right"] for row in rows], [row["arms"]["full"]["right"] for row in rows]
        assert full["wrong_to_right"] == sum(not a and b for a, b in zip(before, after, strict=True))
        assert full["right_to_wrong"] == sum(a and not b for a, b in zip(before, after, strict=True))
        assert full["improvement_rate"] == pytest.approx(full["wrong_to_right"] / before.count(False))
        assert full["change_in_right"] == pytest.approx((after.count(True) - before.count(True)) / len(rows))
        assert full["change_in_right_ci95"][0] <= full["change_in_right"] <= full["change_in_right_ci95"][1]
        assert full["p_mcnemar"] == mcnemar_exact(full["wrong_to_right"], full["right_to_wrong"])
        assert result["arms"][DIRECT]["efficiency"] is None

    def test_a_planted_gain_is_found_and_what_is_not_known_is_said(self, ablated: tuple[dict[str, Any], Cast]):
        result, _ = ablated
        primary = result["tests"][0]
        assert primary["primary"]
        assert primary["shown"]
        assert "a gain is shown" in primary["conclusion"]
        assert "With n = 10 pairs" in result["power"]
        text = to_markdown(study_report(result))
        assert "## What cannot be concluded" in text
        assert "whether the judge is right is not known" in text
        assert "How far another would agree" in text or "how far another would agree" in text

    def test_domains_are_clusters(self, ablated: tuple[dict[str, Any], Cast]):
        result, _ = ablated
        found = result["tests"][0]["by_domain"]
        assert found["domains"] == len({row["domain"] for row in result["rows"]})
        assert found["p_permutation"] >= 2 / 2 ** found["domains"]

    def test_no_more_calls_than_the_plan_said(self, ablated: tuple[dict[str, Any], Cast]):
        _, cast = ablated
        plan = estimate(cast.design("ablation", 2), read_questions(limit=10), SMALL, ["judge"])
        parts = {part["part"]: part["calls"] for part in plan["parts"]}
        for name in ("writer", "evaluator", "judge"):
            assert 0 < len(cast.models[name].requests) <= parts[name]
        assert plan["calls_at_most"] == sum(parts.values())


class TestStopping:
    def test_a_derived_dynamic_run_is_the_run_that_would_have_been(self, stopped: tuple[dict[str, Any], Cast]):
        """The dynamic policy really run, against what was derived from the master trajectory: answer, turns, tokens, calls and reason are equal."""
        result, cast = stopped
        arms = {arm.name: arm.policy for arm in stopping_arms(6)}
        earlier = 0
        for question, row in zip(read_questions(limit=8), result["rows"], strict=True):
            for whose, evaluator in (("same", "writer"), ("cross", "evaluator")):
                policy = arms[f"{whose}-dynamic"]
                assert policy is not None
                live = Refiner(
                    cast.stored["writer"], tools=(), policy=policy, evaluator=cast.stored[evaluator], clock=StudyClock(NOW), calibration="none"
                ).revise_sync(Task(query=question.task.query, kind="report"), row["arms"][DIRECT]["answer"])
                derived, draft = row["arms"][f"{whose}-dynamic"], row["arms"][DIRECT]
                assert derived["answer"] == live.answer
                assert (derived["turns"], derived["stop"]) == (len(live.turns), live.stop_reason)
                assert derived["tokens"] - draft["tokens"] == live.usage.input_tokens + live.usage.output_tokens
                assert derived["calls"] - draft["calls"] == live.usage.llm_calls
                earlier += derived["turns"] < row["arms"][f"{whose}-hard"]["turns"]
        assert earlier >= 4, "the comparison is empty if nothing stops early"

    def test_dynamic_runs_cost_no_generation(self, stopped: tuple[dict[str, Any], Cast]):
        result, cast = stopped
        masters = sum(row["arms"][f"{whose}-hard"]["calls"] - row["arms"][DIRECT]["calls"] for row in result["rows"] for whose in ("same", "cross"))
        drafts = sum(row["arms"][DIRECT]["calls"] for row in result["rows"])
        made = cast.store.asked - len(cast.models["judge"].requests)
        assert made <= masters + drafts

    def test_prefixes_are_judged_turn_by_turn(self, stopped: tuple[dict[str, Any], Cast]):
        result, _ = stopped
        for name, turns in result["by_turn"].items():
            assert len(turns) == 7
            assert turns[0] == [row["arms"][DIRECT]["quality"] for row in result["rows"]]
            assert turns[-1] == [row["arms"][name]["quality"] for row in result["rows"]]

    def test_the_interaction_is_the_contrast_of_contrasts(self, stopped: tuple[dict[str, Any], Cast]):
        result, _ = stopped
        row = next(test for test in result["tests"] if test["family"] == "interaction")
        quality = {name: arm["quality"] for name, arm in result["arms"].items()}
        contrast = (quality["cross-dynamic"] - quality["cross-hard"]) - (quality["same-dynamic"] - quality["same-hard"])
        assert row["mean"] == pytest.approx(contrast, abs=1e-12)
        assert row["interaction"]["F"] == pytest.approx(row["interaction"]["t"] ** 2)

    def test_the_page_has_its_figures_and_no_script(self, stopped: tuple[dict[str, Any], Cast]):
        page = to_html(study_report(stopped[0]))
        assert page.count("<figure>") == 5
        assert "<script" not in page


class Killed(BaseException):
    """The process is gone."""


class Mortal:
    """A model in whose n-th call the process ends, before or after the answer came."""

    def __init__(self, model: Simulated, life: list[int], *, answered: bool) -> None:
        self.name, self.ability = model.name, model.ability
        self._model, self._life, self._answered = model, life, answered

    async def complete(self, request: ModelRequest) -> ModelReply:
        self._life[0] -= 1
        if self._life[0] < 0 and not self._answered:
            raise Killed
        reply = await self._model.complete(request)
        if self._life[0] < 0:
            raise Killed
        return reply

    async def close(self) -> None: ...


def rendered(result: dict[str, Any]) -> bytes:
    return json.dumps(result).encode() + to_markdown(study_report(result)).encode()


class TestResuming:
    @pytest.mark.parametrize("name", ["ablation", "stopping"])
    def test_killed_in_every_single_call_it_comes_to_the_same_bytes(self, name: str, tmp_path: Path):
        """Each run lives for one call more than is known, then dies in the next; the last one ends, with what an undisturbed one gives."""
        questions, setting = read_questions(limit=2), Setting(max_turns=1, concurrency=1)
        whole = Cast()
        expected = rendered(whole.conduct(name, questions, setting))
        died = 0
        while True:
            life = [1]
            cast = Cast(CallStore(tmp_path / "calls.sqlite", NOW), lambda model, life=life, died=died: Mortal(model, life, answered=died % 2 == 0))
            try:
                found = rendered(cast.conduct(name, questions, setting))
            except Killed:
                died += 1
                assert died < 500
                continue
            finally:
                cast.store.close()
            break
        assert died >= whole.store.asked - 1 > 15
        assert found == expected

    @pytest.mark.parametrize("every", [7, 19])
    def test_killed_after_every_kth_call(self, every: int, tmp_path: Path):
        questions, setting = read_questions(limit=3), Setting(max_turns=2, concurrency=4)
        expected = rendered(Cast().conduct("stopping", questions, setting))
        for _ in range(200):
            life = [every]
            cast = Cast(CallStore(tmp_path / "calls.sqlite", NOW), lambda model, life=life: Mortal(model, life, answered=True))
            try:
                assert rendered(cast.conduct("stopping", questions, setting)) == expected
                return
            except Killed:
                continue
            finally:
                cast.store.close()
        pytest.fail("it never ended")

    def test_more_questions_later_reuse_what_was_paid(self, tmp_path: Path):
        path = tmp_path / "calls.sqlite"
        first = Cast(CallStore(path, NOW))
        first.conduct("ablation", read_questions(limit=2), SMALL)
        first.store.close()
        second, alone = Cast(CallStore(path, NOW)), Cast()
        assert second.conduct("ablation", read_questions(limit=3), SMALL) == alone.conduct("ablation", read_questions(limit=3), SMALL)
        assert second.store.asked < alone.store.asked
        second.store.close()


class TestJudging:
    def test_labels_correct_the_rates(self, tmp_path: Path):
        path = tmp_path / "labels.jsonl"
        lines = [{"query": f"q{n}", "answer": f"quality {300 + 25 * n:03d}", "label": 300 + 25 * n >= 550} for n in range(20)]
        path.write_text("\n".join(map(json.dumps, lines)))
        result = Cast().conduct("ablation", read_questions(limit=6), labels=read_labels(path))
        labels = result["judging"]["labels"]
        assert (labels["right_called_right"], labels["right"], labels["wrong_called_wrong"], labels["wrong"]) == (10, 10, 8, 10)
        full = result["arms"]["full"]
        expected = (full["right"] + labels["specificity"] - 1) / (labels["sensitivity"] + labels["specificity"] - 1)
        assert full["right_corrected"] == pytest.approx(max(0.0, min(1.0, expected)))
        shrunk = labels["sensitivity"] + labels["specificity"] - 1
        assert full["change_in_right_corrected"] == pytest.approx(full["change_in_right"] / shrunk)
        text = to_markdown(study_report(result))
        assert "sensitivity 1.000 (10 of 10), specificity 0.800 (8 of 10)" in text
        assert "No labels were given" not in text

    def test_two_judges_are_compared(self):
        cast = Cast()
        result = cast.conduct("ablation", read_questions(limit=6), judges=[cast.stored["judge"], cast.stored["second"]])
        assert result["judging"]["agreement"]["judges"] == 2
        assert "Krippendorff's alpha" in to_markdown(study_report(result))

    def test_a_question_without_draft_or_score_is_left_out_and_named(self):
        questions = read_questions(limit=4)
        cast = Cast()
        silent = questions[1].task.query

        class Silent(Simulated):
            def _reply(self, request: ModelRequest, prompt: str) -> str:
                return "" if request.role == "writer" and silent in prompt else super()._reply(request, prompt)

        class Dumb(Simulated):
            def _reply(self, request: ModelRequest, prompt: str) -> str:
                return "no JSON" if questions[2].task.query in prompt or request.role == "repair" else super()._reply(request, prompt)

        cast.stored["writer"] = StoredModel(Silent("writer"), cast.store)
        cast.stored["judge"] = StoredModel(Dumb("judge"), cast.store)
        result = cast.conduct("ablation", questions)
        assert result["n"] == 2
        assert result["left_out"] == [{"id": questions[1].id, "why": "no draft could be had"}, {"id": questions[2].id, "why": "an arm's answer was not judged"}]
        assert "2 question(s) are left out" in to_markdown(study_report(result))

    def test_too_few_judged_questions_are_refused(self):
        cast = Cast()
        cast.stored["judge"] = StoredModel(ScriptedModel(["no"] * 1000, name="judge"), cast.store)
        with pytest.raises(
            InputError, match=r"only 0 of 3 questions have a judged answer in every arm.*could not be read\): 0; without a score of every judge: 3"
        ):
            cast.conduct("ablation", read_questions(limit=3))

    def test_arms_whose_evaluator_could_not_be_read_are_named(self):
        class Garbled(Simulated):
            def _reply(self, request: ModelRequest, prompt: str) -> str:
                return "<<<"

        cast = Cast()
        cast.stored["evaluator"] = StoredModel(Garbled("evaluator"), cast.store)
        result = cast.conduct("stopping", read_questions(limit=3))
        assert {name: arm["unscored"] for name, arm in result["arms"].items()} == {
            "same-hard": 0, "same-dynamic": 0, "cross-hard": 3, "cross-dynamic": 3, DIRECT: 0
        }  # fmt: skip
        text = to_markdown(study_report(result))
        assert text.count("on 3 of 3 questions the evaluator gave no score that could be read") == 2


class TestStatistics:
    TESTS = (Test(name="b − a", family="primary", weights={"b": 1.0, "a": -1.0}, question="?"),)

    def judged(self, first: list[float], second: list[float]) -> Judged:
        n = len(first)
        return Judged(
            domains=tuple(f"d{place}" for place in range(n)),
            quality={"a": first, "b": second},
            right={"a": [True] * n, "b": [True] * n},
            tokens={"a": [100] * n, "b": [200] * n},
            lengths={"a": [50] * n, "b": [50] * n},
        )

    def test_no_difference_found_is_not_said_to_be_none(self):
        first = [0.5, 0.6, 0.4, 0.7, 0.5, 0.6]
        second = [0.7, 0.4, 0.5, 0.6, 0.6, 0.5]
        (row,) = figures_of_tests(self.judged(first, second), self.TESTS, Setting())
        assert not row["shown"]
        assert not row["equivalence"]["shown"]
        assert "nothing can be concluded, neither a difference nor equality within ±0.05" in row["conclusion"]
        assert "With 6 questions a true effect of dz ≥ 1.43 is found with 80 % probability" in row["conclusion"]

    def test_equality_is_said_only_where_it_is_shown(self):
        first = [0.5 + place / 100 for place in range(30)]
        second = [value + (0.004 if place % 2 else -0.004) for place, value in enumerate(first)]
        (row,) = figures_of_tests(self.judged(first, second), self.TESTS, Setting())
        assert "equal within ±0.05 is shown" in row["conclusion"]

    @pytest.mark.parametrize(("changed", "at_most"), [(0, "26%"), (2, "51%")])
    def test_ties_alone_show_no_equality(self, changed: int, at_most: str):
        """Two arms that gave the same texts ten times may differ on the eleventh question: the t tests' p of 0 means nothing here."""
        first = [0.5 + place / 50 for place in range(10)]
        second = [value + (0.01 if place < changed else 0.0) for place, value in enumerate(first)]
        (row,) = figures_of_tests(self.judged(first, second), self.TESTS, Setting())
        assert row["equivalence"]["p_value"] < 0.01
        assert not row["equivalence"]["shown"]
        assert f"scored alike on {10 - changed} of 10 questions" in row["conclusion"]
        assert f"they differ on at most {at_most} of such questions" in row["conclusion"]

    def test_efficiency_is_gain_per_thousand_tokens(self):
        found, interval = efficiency([0.6, 0.8], [0.5, 0.5], [1000, 3000])
        assert found == pytest.approx(0.4 / 4)
        assert interval is not None
        assert interval[0] <= found <= interval[1]
        assert efficiency([0.5], [0.5], [0]) == (None, None)


class TestCommand:
    def arguments(self, url: str, folder: Path, *more: str) -> list[str]:
        models = ["--model", f"{url}#writer", "--evaluator", f"{url}#evaluator", "--judge", f"{url}#judge"]
        return ["study", "ablation", *models, "--limit", "2", "--max-turns", "1", "--concurrency", "2", "-o", str(folder), "--quiet", *more]

    def test_a_dry_run_asks_nobody(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path)
        arguments = self.arguments("http://127.0.0.1:9/v1", tmp_path / "out", "--dry-run")
        shown = CliRunner().invoke(app, arguments)
        assert shown.exit_code == 0, shown.output
        # 2 questions: a draft and a rewrite in each of 4 arms; 3 + 1 + 3 + 3 samples of 2 texts; 5 texts, 3 again, 4 pairs
        assert "ablation over 2 questions: at most 71 model calls" in shown.output
        assert "cost at most: not known" in shown.output
        plan = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
        assert [(part["part"], part["calls"]) for part in plan["parts"]] == [("writer", 10), ("evaluator", 40), ("judge", 21)]
        assert not (tmp_path / "out").exists()

    def test_a_plan_needs_no_key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path))
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        monkeypatch.chdir(tmp_path)
        arguments = ["study", "ablation", "--model", "openai:gpt-5", "--judge", "http://127.0.0.1:9/v1#judge", "--json"]
        plan = json.loads(CliRunner().invoke(app, [*arguments, "--dry-run"]).stdout)
        assert plan["questions"] == 20
        assert plan["parts"][0]["usd"] > 0
        assert plan["usd_at_most"] is None, "of one model nobody knows the price"
        assert isinstance(CliRunner().invoke(app, arguments).exception, MissingKey)

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ('{"study": "stopping"}', "the results of another study (stopping)"),
            ('{"mine": 1}', "something that no study wrote"),
            ("nonsense", "something that no study wrote"),
            ("[1]", "something that no study wrote"),
        ],
    )
    def test_results_of_another_origin_are_not_written_over(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, words: str):
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path)
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "results.json").write_text(content)
        found = CliRunner().invoke(app, self.arguments("http://127.0.0.1:9/v1", tmp_path / "out"))
        assert isinstance(found.exception, InputError)
        assert words in str(found.exception)
        assert (tmp_path / "out" / "results.json").read_text() == content
        assert not (tmp_path / "out" / "calls.sqlite").exists()

    def test_a_study_that_was_killed_while_it_wrote_its_results_goes_on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path)

        def killed(path: Path, target: Path) -> Path:
            raise Killed

        models = {name: Simulated(name) for name in ("writer", "evaluator", "judge")}
        with SimulatedServer(models) as server:
            arguments = self.arguments(server.url, tmp_path / "out")
            with monkeypatch.context() as dying:
                dying.setattr(Path, "replace", killed)
                with pytest.raises(Killed):
                    CliRunner().invoke(app, arguments, catch_exceptions=False)
            assert not (tmp_path / "out" / "results.json").exists()
            asked = server.count
            assert CliRunner().invoke(app, arguments).exit_code == 0
            assert server.count == asked
        assert sorted(path.name for path in (tmp_path / "out").glob("re*")) == ["report.html", "report.md", "results.json"]

    @pytest.mark.parametrize(
        "command",
        [["study", "ablation"], ["study", "stopping"], ["calibrate", "stopping"], ["calibrate", "answers", "x"], ["calibrate", "checks", "x"], ["eval", "x"]],
    )
    @pytest.mark.parametrize("seed", ["-5", str(2**63)])
    def test_a_seed_that_no_generator_takes_is_refused_before_anything_is_paid(self, command: list[str], seed: str):
        found = CliRunner().invoke(app, [*command, "--seed", seed])
        assert found.exit_code == 2
        assert "'--seed'" in found.output

    def test_wrong_use_is_said(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path))
        monkeypatch.delenv("REDRAFT_MODEL", raising=False)
        monkeypatch.chdir(tmp_path)
        for arguments, message in (
            (["ablation"], "a study needs a writer"),
            (["ablation", "--model", "http://127.0.0.1:9/v1#w"], "a study needs a judge"),
            (["ablation", "--model", "http://127.0.0.1:9/v1#w", "--judge", "http://127.0.0.1:9/v1#w"], "--allow-same-judge"),
            (["stopping", "--model", "http://127.0.0.1:9/v1#w", "--judge", "http://127.0.0.1:9/v1#j"], "name that one with --evaluator"),
        ):
            result = CliRunner().invoke(app, ["study", *arguments, "--dry-run"])
            assert isinstance(result.exception, UsageError)
            assert message in str(result.exception)

    def test_a_killed_command_goes_on_to_the_same_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        for name, value in (("REDRAFT_HOME", str(tmp_path / "home")), ("NO_PROXY", "127.0.0.1")):
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        running: list[subprocess.Popen[bytes]] = []

        def after(count: int) -> None:
            if count == 25 and running:
                running[0].send_signal(signal.SIGKILL)

        def run(folder: Path) -> None:
            done = CliRunner().invoke(app, self.arguments(server.url, folder))
            assert done.exit_code == 0, done.output
            assert "full − direct" in done.stdout

        models = {name: Simulated(name) for name in ("writer", "evaluator", "judge")}
        whole, killed = tmp_path / "whole", tmp_path / "killed"
        with SimulatedServer(models, after) as server:
            run(whole)
            needed, server.count = server.count, 0
            command = [sys.executable, "-m", "redraft.cli", *self.arguments(server.url, killed)]
            running.append(subprocess.Popen(command, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            assert running[0].wait(timeout=120) == -signal.SIGKILL
            running.clear()
            assert not (killed / "results.json").exists()
            run(killed)
        assert needed > 30
        assert server.count <= needed + 2, "what was answered before is not paid for again, but for calls that were under way"
        names = sorted(path.name for path in whole.iterdir() if not path.name.startswith("calls.sqlite"))
        assert names == ["report.html", "report.md", "results.json"]
        for name in names:
            assert (killed / name).read_bytes() == (whole / name).read_bytes(), name
