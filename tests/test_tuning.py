"""calibrate: the grid is what replaying each setting gives, the gain is held out, the default stays unless it is beaten; thresholds are promises."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import random
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from redraft.cli import run
from redraft.errors import InputError
from redraft.models import open_model
from redraft.policies import DYNAMIC, POLICIES, policy_from_mapping
from redraft.policy import Policy
from redraft.prompts import Prompts
from redraft.refiner import Refiner
from redraft.replay import History, grid, history_of
from redraft.settings import Settings, find_policy
from redraft.studies.controllers import controller_settings, default_ends, price_of, shortlist
from redraft.studies.metrics import metric_named
from redraft.studies.prefixes import judged_prefixes, retained_texts
from redraft.studies.qualities import cluster_by, gold_scores
from redraft.studies.recommending import MARK, policy_toml
from redraft.studies.rows import row_from_mapping
from redraft.studies.simulate import SimulatedEvaluator, SimulatedJudge, SimulatedWriter, World, quality_in, simulated_policy
from redraft.studies.threshold import Labelled, answer_confidence, binomial_p_value, learn_then_test, rows_needed
from redraft.studies.tuning import LEAST_HELD, choose, split, stop_grid
from redraft.trace import Record, jsonl
from redraft.types import Message, ModelRequest, Task
from tests.mimics import Mimic, OpenAIApi

WORLD = World(turns=6, repair=0.25, regress=0.4, bias=0.05, noise=0.06)
QUESTIONS = 24


def recorded(world: World, number: int, policy: Policy | None = None) -> tuple[Record, ...]:
    """A hard-cap record of the simulated models on one question."""
    writer, evaluator = SimulatedWriter("writer", world, number), SimulatedEvaluator("evaluator", world, number)
    refiner = Refiner(writer, tools=[], policy=policy or simulated_policy(world), evaluator=evaluator, calibration="none")
    asyncio.run(refiner.run(Task(query=f"What is proposed for case {number}?", kind="report")))
    return refiner.trace.records


def true_quality(task: Task, text: str) -> float | None:
    return quality_in(text)[0]


@pytest.fixture(scope="module")
def records() -> list[tuple[Record, ...]]:
    return [recorded(WORLD, number) for number in range(QUESTIONS)]


@pytest.fixture(scope="module")
def histories(records: list[tuple[Record, ...]]) -> list[History]:
    return [history_of(events) for events in records]


def named(histories: Sequence[History]) -> list[tuple[str, History]]:
    return [(f"r{place}", history) for place, history in enumerate(histories)]


DEFAULT = dataclasses.replace(POLICIES["controlled"], stops=DYNAMIC, max_turns=6)


class TestGrid:
    def test_every_setting_ends_where_its_replay_ends(self, histories: list[History]) -> None:
        found = stop_grid(histories, DEFAULT, 6)
        assert len(found) == 5 * 2 * 5 * 4 * 5 * 6
        drawn = random.Random(0).sample(range(len(found)), 60)
        policies = [found.policy(index) for index in drawn]
        for record, row in enumerate(grid(histories, [*policies, found.default])):
            for index, ended in zip([*drawn, len(found)], row, strict=True):
                assert ended.exact
                assert found.stops[index, record] == ended.turns, found.label(index)
        assert len({int(stop) for stop in found.stops[drawn].ravel()}) > 3

    def test_a_default_that_goes_on_longer_than_the_records_is_refused(self, histories: list[History]) -> None:
        with pytest.raises(InputError, match="goes on for up to 8 turns"):
            stop_grid(histories, POLICIES["controlled"], 6)

    def test_a_policy_that_rewrites_nothing_has_nothing_to_stop(self, histories: list[History]) -> None:
        with pytest.raises(InputError, match="nothing to stop"):
            stop_grid(histories, POLICIES["direct"], 6)

    def test_a_default_whose_other_settings_are_not_those_of_the_records_is_refused(self, histories: list[History]) -> None:
        with pytest.raises(InputError, match=r"other settings than those of 'guarded' \(checks, critique,"):
            stop_grid(histories, dataclasses.replace(POLICIES["guarded"], max_turns=3), 6)

    def test_records_of_another_controller_are_refused(self, histories: list[History]) -> None:
        other = history_of(recorded(WORLD, 99, dataclasses.replace(simulated_policy(WORLD), strict_scores=False)))
        with pytest.raises(InputError, match=r"differ in more than when to stop.*strict_scores.*one at a time"):
            stop_grid([*histories[:1], other, *histories[1:2]], DEFAULT, 6)


class TestPrefixes:
    def test_quality_and_cost_are_those_of_each_boundary(self, histories: list[History]) -> None:
        found = judged_prefixes(named(histories), true_quality)
        assert (len(found), found.cap) == (QUESTIONS, 6)
        for row, history in enumerate(histories):
            assert list(found.quality[row]) == [quality_in(text)[0] for text in retained_texts(history)]
        assert (found.tokens[:, 1:] >= found.tokens[:, :-1]).all()  # a text that scores in full is not rewritten
        assert found.calls[0, -1] == histories[0].boundaries[-1].usage.llm_calls

    def test_what_cannot_be_used_is_named(self, histories: list[History]) -> None:
        dynamic = history_of(recorded(dataclasses.replace(WORLD, rejections=1), 0, simulated_policy(dataclasses.replace(WORLD, rejections=1), dynamic=True)))
        assert dynamic.reason == "rejections"

        def partly(task: Task, text: str) -> float | None:
            return None if task.query == histories[1].task.query else quality_in(text)[0]

        found = judged_prefixes([*named(histories[:3]), ("early", dynamic)], partly)
        assert found.names == ("r0", "r2")
        assert "r1: nobody judged" in found.left_out[0]
        assert "early ended by rejections" in found.left_out[1]
        with pytest.raises(InputError, match="no record can be used"):
            judged_prefixes([("early", dynamic)], true_quality)
        with pytest.raises(InputError, match=r"quality lies in \[0, 1\]"):
            judged_prefixes(named(histories[:1]), lambda task, text: 70.0)


class TestChoice:
    def arrays(self, n: int, better: float) -> tuple[Any, Any, Any, list[str]]:
        """Two settings and the default: stopping at turn 1 is better by so much than the default's two turns, at half the price."""
        import numpy as np

        draw = np.random.default_rng(0)
        quality = np.clip(0.4 + draw.normal(0, 0.05, (n, 3)), 0, 1)
        quality[:, 1] += better
        stops = np.array([[1] * n, [0] * n, [2] * n])
        return stops, quality, np.array([[0.0, 500.0, 1000.0]] * n), [f"q{place}" for place in range(n)]

    def test_a_better_setting_is_recommended_with_its_held_out_gain(self) -> None:
        stops, quality, tokens, names = self.arrays(40, 0.1)
        found = choose(stops, quality, tokens, names, seed=1)
        _, held = split(names, 1)
        assert (found.chosen, found.recommended) == (0, 0)
        assert found.gain.mean == pytest.approx(float((quality[held, 1] - quality[held, 2]).mean()))
        assert found.gain.interval[0] > 0
        assert found.gain.tokens == -500
        assert "on 20 held-out questions it gains" in found.gain.reason
        assert [point.tokens for point in found.front] == [0.0, 500.0, 1000.0]

    def test_the_choosing_half_has_no_part_in_the_gain(self) -> None:
        stops, quality, tokens, names = self.arrays(40, 0.1)
        choosing, held = split(names, 1)
        quality[held, 1] = quality[held, 2] - 0.05
        found = choose(stops, quality, tokens, names, seed=1)
        assert (found.chosen, found.recommended) == (0, 2)
        assert found.gain.mean == pytest.approx(-0.05)
        assert "lower bound of the held-out gain is not above 0" in found.gain.reason
        assert set(choosing) | set(held) == set(range(40))

    def test_few_questions_recommend_nothing(self) -> None:
        stops, quality, tokens, names = self.arrays(2 * LEAST_HELD - 2, 0.2)
        found = choose(stops, quality, tokens, names)
        assert found.recommended == 2
        assert f"at least {2 * LEAST_HELD} questions" in found.gain.reason
        with pytest.raises(InputError, match="at least two questions"):
            choose(stops[:, :1], quality[:1], tokens[:1], names[:1])

    def test_more_regressions_are_refused_even_where_the_mean_rises(self) -> None:
        stops, quality, tokens, names = self.arrays(40, 0.3)
        for place in split(names, 1)[1][:3]:
            quality[place] = [0.5, 0.45, 0.5]
        quality[:, 0] = [min(first, default) for first, default in zip(quality[:, 0], quality[:, 2], strict=True)]
        found = choose(stops, quality, tokens, names, seed=1)
        assert found.gain.interval[0] > 0
        assert found.recommended == 2
        assert "more held-out drafts are made worse" in found.gain.reason

    def test_what_is_equally_good_and_cheaper_pays_where_tokens_have_a_price(self) -> None:
        stops, quality, tokens, names = self.arrays(40, 0.0)
        quality[:, 1] = quality[:, 2]
        quality[:, 0] = quality[:, 1]
        free, priced = choose(stops[[0, 2]], quality, tokens, names), choose(stops[[0, 2]], quality, tokens, names, price=0.05)
        assert (free.recommended, priced.recommended) == (1, 0)
        assert priced.gain.mean == pytest.approx(0.025)

    def test_questions_of_a_cluster_stay_together(self) -> None:
        names = [f"d{place % 7}" for place in range(40)]
        choosing, held = split(names, 3)
        assert not {names[place] for place in choosing} & {names[place] for place in held}

    @given(st.integers(0, 50), st.integers(20, 40))
    @hypothesis_settings(max_examples=15, deadline=None)
    def test_what_is_recommended_was_chosen_or_is_the_default(self, seed: int, n: int) -> None:
        stops, quality, tokens, names = self.arrays(n, 0.01)
        found = choose(stops, quality, tokens, names, seed=seed)
        assert found.recommended in (found.chosen, 2)
        assert found == choose(stops, quality, tokens, names, seed=seed)


class TestControllers:
    def test_a_short_list_is_what_replay_prefers_and_its_price_what_the_records_spent(self, histories: list[History]) -> None:
        base = dataclasses.replace(histories[0].policy, stops=("hard_cap",))
        found = shortlist(histories, base, true_quality, size=3)
        assert len(found) == 3
        assert all(item.differs > 0 for item in found)
        assert [item.seen for item in found] == sorted((item.seen for item in found if item.seen is not None), reverse=True)
        price = price_of(histories, found)
        assert price.runs == sum(item.differs for item in found)
        assert price.replayed == 3 * QUESTIONS - price.runs
        assert 0 < price.calls <= price.most_calls
        assert f"{price.runs} live runs" in price.in_words()

    def test_levels_of_strictness_come_on_top_and_are_live_throughout(self, histories: list[History]) -> None:
        found = shortlist(histories[:4], histories[0].policy, true_quality, size=1, strictness=True)
        assert [item.label for item in found[1:]] == ["strictness low", "strictness high"]
        assert price_of(histories[:4], found[1:]).runs == 8

    def test_no_setting_is_the_base_itself(self) -> None:
        found = controller_settings(POLICIES["controlled"])
        assert len(found) == 239
        assert POLICIES["controlled"].control not in [policy.control for _, policy in found]
        assert all(label for label, _ in found)

    def test_under_its_own_settings_a_record_ends_as_it_did(self, histories: list[History]) -> None:
        assert [ended.turns for ended in default_ends(histories, histories[0].policy)] == [6] * QUESTIONS


class TestFile:
    @pytest.mark.parametrize("index", [0, 17, 940, 3001, 5999])
    def test_it_reads_back_as_the_same_settings(self, histories: list[History], index: int, tmp_path: Path) -> None:
        found = stop_grid(histories, DEFAULT, 6)
        policy = found.policy(index)
        text = policy_toml(policy, base="controlled", name="mine", summary="a “quoted” summary", reasons=["One reason\nover two lines. " * 9])
        target = tmp_path / "mine.toml"
        target.write_text(text, encoding="utf-8")
        again = find_policy(str(target), Settings(home=tmp_path))
        assert dataclasses.replace(again, name=policy.name, summary=policy.summary, source=policy.source) == policy
        assert (again.name, again.summary) == ("mine", "a “quoted” summary")
        assert text.startswith(MARK)
        assert all(line.startswith("#") for line in text.split("\n\n")[0].splitlines())

    @pytest.mark.parametrize("name", list(POLICIES))
    def test_every_named_policy_can_be_said_as_differences_from_another(self, name: str) -> None:
        policy = dataclasses.replace(POLICIES[name], max_turns=2) if name != "direct" else POLICIES[name]
        for base in ("controlled", name):
            values = tomllib.loads(policy_toml(policy, base=base, name="mine", summary="", reasons=["because"]))
            again = policy_from_mapping(values)
            assert dataclasses.replace(again, name=name, summary=policy.summary, source=policy.source) == policy


class TestThreshold:
    def test_worked_examples(self) -> None:
        assert rows_needed(0.05, 0.05) == 59  # .95^59 = .0485, .95^58 = .0510
        assert binomial_p_value(0, 59, 0.05) == pytest.approx(0.95**59)
        assert binomial_p_value(1, 10, 0.5) == pytest.approx(11 / 1024)
        assert rows_needed(0.1, 0.1, expected=0.05) > rows_needed(0.1, 0.1, expected=0.02) > rows_needed(0.1, 0.1)
        with pytest.raises(ValueError, match="no number of rows would do"):
            rows_needed(0.05, 0.1, expected=0.05)

    def rows(self, n: int, seed: int = 0) -> list[Labelled]:
        draw = random.Random(seed)
        return [Labelled(confidence=(c := draw.random()), right=draw.random() < (0.98 if c > 0.5 else 0.5)) for _ in range(n)]

    def test_a_threshold_lets_through_what_keeps_the_bound(self) -> None:
        found = learn_then_test(self.rows(800), at_most=0.1)
        assert 0.4 < found.threshold < 0.75
        assert found.mistakes / found.passed < 0.1
        assert found.passes(found.threshold)
        assert not found.passes(found.threshold - 1e-9)
        assert "wrong answers among those given are at most 10.0%, with probability 90%" in found.in_words()
        assert found == learn_then_test(list(reversed(self.rows(800))), at_most=0.1)

    def test_too_few_rows_are_refused_with_the_number_that_would_do(self) -> None:
        with pytest.raises(InputError, match=r"40 labelled rows are too few: .* 45 of those must pass .* label at least 90"):
            learn_then_test(self.rows(40), at_most=0.05)
        with pytest.raises(InputError, match=r"about \d+ labelled rows would do"):
            learn_then_test(self.rows(100), at_most=0.03, delta=0.25)
        with pytest.raises(InputError, match="whatever the number"):
            learn_then_test([Labelled(confidence=0.9, right=place % 2 == 0) for place in range(200)], at_most=0.05)

    def test_regressions_are_counted_among_rewrites_alone(self) -> None:
        untouched = [Labelled(confidence=0.9, right=False) for _ in range(300)]
        rewritten = [Labelled(confidence=0.9, right=True, right_before=place % 2 == 0) for place in range(200)]
        found = learn_then_test([*untouched, *rewritten], risk="regressions", at_most=0.05)
        assert (found.n, found.mistakes) == (100, 0)
        with pytest.raises(InputError, match="whose draft was rewritten are too few"):
            learn_then_test(untouched, risk="regressions")

    def test_confidence_is_that_of_the_weakest_support(self) -> None:
        assert answer_confidence("verified", [("supported", 0.9), ("supported", 0.7), ("skipped", 0.0)]) == 0.7
        assert answer_confidence("unverified", [("supported", 0.9)]) == 0.0
        assert answer_confidence("disputed", [("supported", 0.9), ("contradicted", 0.9)]) == 0.0


class TestQualities:
    def test_gold_is_found_by_the_question(self) -> None:
        row = row_from_mapping({"query": "How much?", "answers": ["42"], "domain": "sums"})
        score = gold_scores([row], metric_named("em"))
        assert (score(Task(query="How much?"), "42"), score(Task(query="How much?"), "41"), score(Task(query="Else?"), "42")) == (1.0, 0.0, None)
        assert cluster_by([row], "domain")(Task(query="How much?")) == "sums"
        with pytest.raises(InputError, match="no row has the field 'topic' to group by; there is domain"):
            cluster_by([row], "topic")


@pytest.fixture
def folder(records: list[tuple[Record, ...]], histories: list[History], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Exported records and what a judge gave each text, in an empty home."""
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    judged: dict[tuple[str, str], float] = {}
    for number, (events, history) in enumerate(zip(records, histories, strict=True)):
        (tmp_path / "runs" / f"r{number:02}.jsonl").write_bytes(jsonl(list(events)))
        texts = [*retained_texts(history), *(turn.candidate.text for turn in history.turns)]
        judged |= {(history.task.query, text): quality_in(text)[0] for text in texts}
    lines = [json.dumps({"query": query, "answer": text, "score": score}) for (query, text), score in judged.items()]
    (tmp_path / "judged.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "dynamic.toml").write_text('base = "controlled"\nmax_turns = 6\nstops = ["no_problem", "rejections", "hard_cap"]\n', encoding="utf-8")
    return tmp_path


class Server(Mimic):
    """The simulated models behind one address: which of them is asked, the name of the model says."""

    def __init__(self, world: World) -> None:
        super().__init__([])
        self.api = OpenAIApi()
        simulated = {"writer": SimulatedWriter, "evaluator": SimulatedEvaluator, "judge": SimulatedJudge}
        self.models = {name: kind(name, world, 1) for name, kind in simulated.items()}
        self.asked: dict[str, int] = {}

    def answer(self, handler: Any, content: bytes) -> None:
        body = json.loads(content)
        name, messages = body["model"], [Message(role=item["role"], content=item["content"]) for item in body["messages"]]
        self.asked[name] = self.asked.get(name, 0) + 1
        role = "corrector" if "What was said of it:" in messages[-1].content else "writer"
        reply = asyncio.run(self.models[name].complete(ModelRequest(role=role, messages=tuple(messages))))
        self.answers = [self.api.reply(reply.text)]
        super().answer(handler, content)


class TestLive:
    def test_a_short_list_goes_on_where_the_records_end_and_pays_for_no_call_twice(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
        monkeypatch.chdir(tmp_path)
        world = dataclasses.replace(WORLD, turns=4)
        with Server(world) as server:
            writer, evaluator = (open_model(f"{server.url}/v1#{name}") for name in ("writer", "evaluator"))
            (tmp_path / "runs").mkdir()
            policy = dataclasses.replace(simulated_policy(world), name="controlled")
            for number in range(6):
                refiner = Refiner(writer, tools=[], policy=policy, evaluator=evaluator, calibration="none", prompts=Prompts({}))
                asyncio.run(refiner.run(Task(query=f"What is proposed for case {number}?", kind="report")))
                (tmp_path / "runs" / f"r{number}.jsonl").write_bytes(jsonl(list(refiner.trace.records)))
            (tmp_path / "four.toml").write_text('base = "controlled"\nmax_turns = 4\n', encoding="utf-8")
            before = dict(server.asked)
            command = ["calibrate", "runs", "--judge", f"{server.url}/v1#judge", "--policy", "four.toml", "--live", "--shortlist", "1", "--yes", "--json"]
            assert run(command) == 0
            captured = capsys.readouterr()
            found = json.loads(captured.out)["controller"]
            assert not found["dry_run"]
            assert len(found["gains"]) == len(found["shortlist"]) == 1
            assert all(gain["n"] == 3 for gain in found["gains"])
            assert all("too few to recommend" in gain["reason"] for gain in found["gains"])
            live = {name: count - before.get(name, 0) for name, count in server.asked.items()}
            assert 0 < live["writer"] + live["evaluator"] <= found["price"]["most_calls"]
            assert live["judge"] > 0
            after = dict(server.asked)
            assert run(command) == 0
            assert server.asked == after
            assert json.loads(capsys.readouterr().out)["controller"] == found


class TestCommand:
    def test_records_become_a_policy_file_with_its_reason(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["calibrate", "runs", "--judged", "judged.jsonl", "--policy", "dynamic.toml", "-o", "best.toml", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["n"], found["settings"]) == (QUESTIONS, 6000)
        assert len(found["front"]) >= 2
        text = (folder / "best.toml").read_text(encoding="utf-8")
        assert f"# n = {QUESTIONS} records, 12 of them held out" in text
        assert "seed 0" in text
        assert found["recommended"]["reason"][20:60] in text.replace("\n# ", " ")
        assert find_policy("best.toml", Settings(home=folder)).max_turns <= 6
        assert (
            run(["calibrate", "stopping", "runs", "--judged", "judged.jsonl", "--policy", "dynamic.toml", "-o", "best.toml"]) == 0
        )  # its own file is replaced
        assert "6,000 stopping settings over 24 records of 6 turns" in capsys.readouterr().out

    def test_a_report_is_written_as_a_page_or_as_markdown(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        command = ["calibrate", "runs", "--judged", "judged.jsonl", "--policy", "dynamic.toml", "--report"]
        assert run([*command, "out.html"]) == 0
        page = (folder / "out.html").read_text(encoding="utf-8")
        assert page.count("<svg") == 3
        assert "Calibration of stopping rules" in page
        assert "http://" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace("http://creativecommons.org", "")
        assert run([*command, "out.md"]) == 0
        assert "| setting | quality |" in (folder / "out.md").read_text(encoding="utf-8")

    def test_gold_rows_score_records_of_their_questions(self, folder: Path, histories: list[History], capsys: pytest.CaptureFixture[str]) -> None:
        rows = [{"query": history.task.query, "answers": [retained_texts(history)[-1]], "topic": str(place % 12)} for place, history in enumerate(histories)]
        (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        assert run(["calibrate", "runs", "rows.jsonl", "--cluster", "topic", "--policy", "dynamic.toml", "--metric", "em-squad", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["gain"]["clusters"] == 6
        assert found["front"][-1]["quality"] > found["front"][0]["quality"]

    def test_a_file_of_another_origin_is_not_overwritten(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "mine.toml").write_text('base = "guarded"\n', encoding="utf-8")
        assert run(["calibrate", "runs", "--judged", "judged.jsonl", "--policy", "dynamic.toml", "-o", "mine.toml"]) == 2
        assert "was not written by calibrate" in capsys.readouterr().err
        assert (folder / "mine.toml").read_text(encoding="utf-8") == 'base = "guarded"\n'

    def test_live_runs_are_priced_and_nothing_is_called(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["calibrate", "runs", "--judged", "judged.jsonl", "--policy", "dynamic.toml", "--live", "--json"]) == 0
        controller = json.loads(capsys.readouterr().out)["controller"]
        assert controller["dry_run"]
        assert controller["price"]["runs"] > 0
        assert controller["shortlist"]
        assert not (folder / "home" / "calibration.sqlite").exists()

    @pytest.mark.parametrize("part", ["writer", "evaluator"])
    def test_a_model_that_made_the_records_does_not_judge_them(
        self, folder: Path, records: list[tuple[Record, ...]], capsys: pytest.CaptureFixture[str], part: str
    ) -> None:
        command = ["calibrate", "runs", "--judge", records[0][0].payload["models"][part], "--policy", "dynamic.toml"]
        assert run(command) == 2
        assert f"is the {part} too" in capsys.readouterr().err
        assert run([*command, "--allow-same-judge"]) == 0
        assert "--yes makes the calls" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("policy", "kept", "words"),
        [("guarded", 24, "made under other settings"), ("controlled", 24, "the records end after 6"), ("dynamic.toml", 1, "at least two questions")],
    )
    def test_no_judge_is_paid_for_records_that_cannot_be_compared(
        self, folder: Path, capsys: pytest.CaptureFixture[str], policy: str, kept: int, words: str
    ) -> None:
        for path in sorted((folder / "runs").glob("*.jsonl"))[kept:]:
            path.unlink()
        assert run(["calibrate", "runs", "--judge", "http://127.0.0.1:9/v1#judge", "--policy", policy, "--yes"]) == 2
        assert words in capsys.readouterr().err
        assert not (folder / "home" / "judgements.sqlite").exists()

    @pytest.mark.parametrize("option", ["-o", "--report"])
    def test_nothing_is_paid_where_what_comes_of_it_cannot_be_kept(self, folder: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
        assert run(["calibrate", "runs", "--judge", "http://127.0.0.1:9/v1#judge", "--policy", "dynamic.toml", "--yes", option, "nowhere/file"]) == 2
        assert "cannot write nowhere/file" in capsys.readouterr().err
        assert not (folder / "home" / "judgements.sqlite").exists()

    def test_a_judges_price_is_told_first(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["calibrate", "runs", "--judge", "openai:gpt-4o", "--policy", "dynamic.toml", "--json"]) == 0
        plan = json.loads(capsys.readouterr().out)
        assert plan["calls"] > 0
        assert plan["usd"] > 0

    def test_a_judge_is_counted_before_it_is_asked(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["calibrate", "runs", "--judge", "openai:judge", "--policy", "dynamic.toml"]) == 0
        out = capsys.readouterr().out
        assert "openai:judge would judge" in out
        assert "--yes makes the calls" in out
        assert not (folder / "policy.toml").exists()

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ([], "there is no record to calibrate on; make some"),
            (["runs"], "what says how good an answer is"),
            (["runs", "--judged", "judged.jsonl", "--judge", "openai:x"], "name one"),
            (["runs", "--judged", "missing.jsonl"], "cannot read missing.jsonl"),
            (["nothing.jsonl"], "cannot read nothing.jsonl"),
            (["runs", "--judged", "dynamic.toml"], "not JSON"),
        ],
    )
    def test_wrong_use_says_how_to_mend_it(self, folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
        assert run(["calibrate", *arguments, "--policy", "dynamic.toml"] if arguments else ["calibrate", "stopping"]) == 2
        assert words in capsys.readouterr().err

    def test_answers_from_labelled_rows(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        draw = random.Random(4)
        outcome = {"status": "verified", "changed": True, "checks": [{"status": "supported", "confidence": 0.9}]}
        rows = [{"outcome": outcome, "score": {"before": 0.0, "after": 1.0, "abstained": False}}] * 50
        rows += [{"confidence": (c := draw.random()), "right": draw.random() < (0.99 if c > 0.4 else 0.4)} for _ in range(600)]
        (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\nrubbish\n", encoding="utf-8")
        assert run(["calibrate", "answers", "rows.jsonl", "--at-most", "0.1", "--json"]) == 0
        found = capsys.readouterr()
        assert json.loads(found.out)["threshold"] < 0.9
        assert "line 651: skipped" in found.err
        assert run(["calibrate", "answers", "rows.jsonl", "--risk", "regressions"]) == 2
        assert "whose draft was rewritten are too few" in capsys.readouterr().err
