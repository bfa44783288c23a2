"""Calibration: curves that turn what a model says into what it is worth, measured on labelled rows, saved, and applied to judged and chosen checks only."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.confidence import CEILING, Labelled, brier, calibrated, expected_calibration_error, isotonic
from redraft.cli import run
from redraft.errors import InputError, UsageError
from redraft.models.calibration import calibration_path, curves_for, read_calibration
from redraft.models.scripted import ScriptedModel
from redraft.policy import Policy
from redraft.refiner import Refiner
from redraft.studies.calibration import LEAST_ROWS, fit, read_labelled, save_calibration
from redraft.tools.calculator import CalculatorTool
from redraft.tools.scripted import ScriptedTool, page
from redraft.types import Task

SPOKEN_OF = [{"claim": "Ann is old.", "label": "supported"}, {"text": "Bob is young.", "label": False}]
STATED = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99)


def rows_of(worth: Callable[[float], float], n: int, seed: int = 1, stated: Sequence[float] | None = STATED) -> list[Labelled]:
    """Rows of a model whose stated confidence c is right with the chance worth(c)."""
    draw = random.Random(seed)
    confidences = [draw.choice(stated) if stated else draw.random() for _ in range(n)]
    return [(confidence, draw.random() < worth(confidence)) for confidence in confidences]


def only(rows: Sequence[Labelled], *, seed: int = 0, minimum: int = LEAST_ROWS, method: str = "judged") -> Any:
    return fit({method: rows}, seed=seed, minimum=minimum)[0]


class TestRecovery:
    @pytest.mark.parametrize("worth", [lambda c: c**3, lambda c: 0.5 + (c - 0.5) / 4, lambda c: max(0.05, 2 * c - 1.0), lambda c: min(0.97, c + 0.2)])
    @pytest.mark.parametrize("stated", [STATED, None])
    def test_a_known_miscalibration_is_undone_on_rows_that_were_not_seen(self, worth: Callable[[float], float], stated: Sequence[float] | None) -> None:
        found = only(rows_of(worth, 4000, stated=stated))
        assert found.held_out["ece_before"] > 0.1
        assert found.held_out["ece_after"] < 0.05
        assert found.held_out["brier_after"] < found.held_out["brier_before"]

    def test_nine_tenths_then_means_nine_tenths(self) -> None:
        curve = only(rows_of(lambda c: c**2, 6000)).curve
        fresh = rows_of(lambda c: c**2, 6000, seed=99)
        worth = [(calibrated({"judged": curve}, "judged", confidence), right) for confidence, right in fresh]
        near = [right for confidence, right in worth if 0.85 <= confidence <= 0.95]
        assert len(near) > 300
        assert abs(sum(near) / len(near) - 0.9) < 0.05

    def test_confidence_that_is_calibrated_already_is_not_made_worse(self) -> None:
        fresh = rows_of(lambda c: c, 5000, seed=7)
        curve = only(rows_of(lambda c: c, 5000)).curve
        after = [(calibrated({"judged": curve}, "judged", confidence), right) for confidence, right in fresh]
        assert (expected_calibration_error(after) or 0) < 0.03

    def test_a_model_that_always_says_the_same_gets_its_share_right(self) -> None:
        curve = only(rows_of(lambda c: 0.7, 1000, stated=(0.95,))).curve
        assert abs(calibrated({"judged": curve}, "judged", 0.95) - 0.7) < 0.05


class TestRefusal:
    def test_too_few_rows_give_no_curve_and_say_how_many_are_needed(self) -> None:
        found = only(rows_of(lambda c: c**3, LEAST_ROWS - 1))
        assert found.curve == ()
        assert found.why == f"too few: {LEAST_ROWS - 1} decided rows, at least {LEAST_ROWS} are needed"

    def test_a_curve_that_does_not_help_the_held_out_half_is_not_kept(self) -> None:
        worse = [seed for seed in range(20) if only(rows_of(lambda c: c, 120, seed=seed)).curve == ()]
        assert worse
        assert "does not help" in only(rows_of(lambda c: c, 120, seed=worse[0])).why

    def test_the_same_seed_gives_the_same_curve_whatever_the_order_of_the_rows(self) -> None:
        rows = rows_of(lambda c: c**3, 500)
        assert only(rows, seed=4) == only(rows[::-1], seed=4)

    def test_few_lucky_rows_do_not_become_certainty(self) -> None:
        curve = isotonic([(0.9, True)] * 3 + [(0.8, index % 2 == 0) for index in range(40)])
        assert calibrated({"judged": curve}, "judged", 0.9) < 0.6


labelled = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=80)


@given(labelled, st.floats(0, 1), st.floats(0, 1))
def test_a_curve_rises_and_never_gives_certainty(rows: list[Labelled], one: float, other: float) -> None:
    curves = {"judged": isotonic(rows)}
    low, high = sorted((one, other))
    assert calibrated(curves, "judged", low) <= calibrated(curves, "judged", high) + 1e-12
    if rows:
        assert 1 - CEILING - 1e-9 <= calibrated(curves, "judged", high) <= CEILING
    assert calibrated(curves, "chosen", one) == one


@given(labelled)
def test_pooling_is_never_further_from_its_own_rows_than_the_share_right(rows: list[Labelled]) -> None:
    if len(rows) < 20:
        return
    share = sum(right for _, right in rows) / len(rows)
    curves = {"judged": isotonic(rows)}
    fitted = [(calibrated(curves, "judged", confidence), right) for confidence, right in rows]
    assert (brier(fitted) or 0) <= (brier([(share, right) for _, right in rows]) or 0) + 2e-2


def test_scores_of_known_rows() -> None:
    rows = [(0.95, True), (0.95, False), (0.05, False), (1.0, True)]
    assert brier(rows) == pytest.approx((0.05**2 + 0.95**2 + 0.05**2) / 4)
    assert expected_calibration_error(rows) == pytest.approx((abs(0.95 + 0.95 + 1.0 - 2) + 0.05) / 4)
    assert brier([]) is None
    assert expected_calibration_error([]) is None


class TestFile:
    def save(self, path: Path, model: str = "m", method: str = "judged") -> None:
        save_calibration(path, fit({method: rows_of(lambda c: c**3, 600)}), model=model, seed=0, made="2025-01-01")

    def test_what_is_saved_is_read_again(self, tmp_path: Path) -> None:
        self.save(tmp_path / "new" / "c.json")
        model, curves = read_calibration(tmp_path / "new" / "c.json")
        assert model == "m"
        assert curves["judged"] == only(rows_of(lambda c: c**3, 600)).curve
        assert json.loads((tmp_path / "new" / "c.json").read_text())["methods"]["judged"]["held_out"]["n"] == 300

    def test_a_file_of_another_model_is_refused(self, tmp_path: Path) -> None:
        self.save(tmp_path / "c.json", "one")
        with pytest.raises(UsageError, match=r"calibrates 'one', and this run uses other"):
            curves_for({"judged": "other"}, tmp_path / "c.json")

    def test_only_the_confidence_of_its_own_model_is_touched(self, tmp_path: Path) -> None:
        self.save(tmp_path / "c.json", "writer", "judged")
        assert curves_for({"chosen": "writer", "judged": "judge"}, tmp_path / "c.json") == {}

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "{",
            "[]",
            "{}",
            '{"schema": 2, "model": "m", "methods": {}}',
            '{"schema": 1, "model": "m", "methods": {"judged": {"curve": [[0.9, 0.5], [0.1, 0.2]]}}}',
            '{"schema": 1, "model": "m", "methods": {"judged": {"curve": [[0.1, 2.0]]}}}',
            '{"schema": 1, "model": "m", "methods": {"judged": {"curve": "x"}}}',
            '{"schema": 1, "model": "m", "methods": {"judged": {"curve": [[0.1, 1.0]]}}}',
        ],
    )
    def test_a_file_that_is_none_is_refused_in_words(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "c.json").write_text(content)
        with pytest.raises(InputError, match="redraft calibrate checks"):
            read_calibration(tmp_path / "c.json")

    def test_names_of_models_never_share_a_file_and_never_leave_the_folder(self, tmp_path: Path) -> None:
        names = ["openai:a/b", "openai:a_b", "openai_a_b", "../../x", "http://h:1/v1#m", "", "…"]
        paths = [calibration_path(name, tmp_path) for name in names]
        assert len(set(paths)) == len(names)
        assert {path.parent for path in paths} == {tmp_path / "calibration"}


def judging(confidence: float, verdict: str = "supported", name: str = "scripted") -> ScriptedModel:
    def respond(request: Any) -> str:
        if request.role == "planner":
            claims = [{"quote": "The mayor is Ann Dole.", "focus": "Ann Dole", "statement": "The mayor is Ann Dole.", "tool": "search", "input": "mayor"}]
            claims += [{"quote": "It has 42 rooms.", "focus": "42", "statement": "It has 42 rooms.", "tool": "calculator", "input": "7*6"}]
            return json.dumps({"claims": claims, "requirements": []})
        return json.dumps({"verdict": verdict, "quote": "mayor Ann Dole", "confidence": confidence})

    return ScriptedModel([respond] * 20, name=name)


def search() -> ScriptedTool:
    return ScriptedTool(lambda call: page(call, "In the hall mayor Ann Dole spoke.", source="hall"))


@pytest.mark.parametrize(("right", "said"), [(True, "are right"), (False, "are wrong")])
def test_rows_of_one_kind_fit_no_curve(right: bool, said: str) -> None:
    """A curve of right verdicts alone would call every confidence certain, a stated 0 too."""
    (fitted,) = fit({"judged": [(place / 400, right) for place in range(400)]})
    assert not fitted.curve
    assert said in fitted.why


def test_curves_are_applied_to_judged_and_chosen_confidence_and_never_to_a_rule() -> None:
    draft = "The mayor is Ann Dole.\nIt has 42 rooms.\nIn all, 2 + 2 = 4."
    policy = Policy(calibration={"judged": ((0.9, 0.6),), "chosen": ((0.95, 0.7),)})
    outcome = Refiner(judging(0.9), tools=[search(), CalculatorTool()], policy=policy).check_sync(Task(query="", kind="report"), draft)
    found = {(check.method, check.plan): check.confidence for check in outcome.checks if check.status == "supported"}
    assert found["judged", "chosen"] == 0.6
    assert found["computed", "rule"] == 1.0
    assert found["computed", "chosen"] == 0.7


def test_the_file_kept_for_the_judge_is_found_and_recorded_in_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path))
    save_calibration(calibration_path("scripted"), fit({"judged": rows_of(lambda c: c**3, 600)}), model="scripted", seed=0, made="2025-01-01")
    with_file, without = Refiner(judging(0.9)), Refiner(judging(0.9), calibration="none")
    assert set(with_file.policy.calibration) == {"judged"}
    assert without.policy.calibration == {}
    assert with_file.policy.hash != without.policy.hash


class TestReading:
    def write(self, path: Path, *rows: Any) -> Path:
        path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n", encoding="utf-8")
        return path

    def test_the_three_shapes_and_what_cannot_be_used(self, tmp_path: Path) -> None:
        found = read_labelled(
            self.write(
                tmp_path / "d.jsonl",
                {"method": "chosen", "confidence": 0.8, "right": False},
                {"claim": "A is B.", "evidence": "A is C.", "stance": "refute"},
                {"claim": "A is B.", "evidence": "A is partly B.", "stance": "partially-support"},
                {"query": "Who?", "answer": "Ann", "label": True},
                {"query": "", "answer": "x", "label": True},
                {"query": "Who?", "label": True},
                {"query": "Tell me.", "answer": "Ann is old. Bob is young.", "claims": SPOKEN_OF},
                {"query": "Who?", "answer": "Ann", "label": "perhaps"},
                {"query": "Who?", "answer": "Ann"},
                {"confidence": 1.5, "right": True},
                {"confidence": 0.5, "right": "yes"},
                {"claim": "", "evidence": "x", "stance": "refute"},
                "not json",
                "[1]",
            )
        )
        assert found.recorded == {"chosen": ((0.8, False),)}
        assert [row.labels for row in found.rows] == [
            (("", "contradicted"),),
            (("", "supported"),),
            (("Ann is old.", "supported"), ("Bob is young.", "contradicted")),
        ]
        assert found.partial == 1
        assert [bad.line for bad in found.bad] == [5, 6, 8, 9, 10, 11, 12, 13, 14]

    def test_no_gold_in_the_task(self, tmp_path: Path) -> None:
        row = read_labelled(self.write(tmp_path / "d.jsonl", {"claim": "A is B.", "evidence": "A is C.", "stance": "refute"})).rows[0]
        assert "refute" not in repr(row.task)
        assert "contradicted" not in repr(row.task)

    @pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe\x00"])
    def test_an_unusable_file_is_refused_in_words(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "d.jsonl").write_bytes(content)
        with pytest.raises(InputError, match=r"JSON lines|UTF-8"):
            read_labelled(tmp_path / "d.jsonl")


class TestCommand:
    def script(self, path: Path, replies: Sequence[Any]) -> str:
        path.write_text("\n".join(json.dumps(json.dumps(reply)) for reply in replies) + "\n", encoding="utf-8")
        return f"scripted:{path}"

    def test_pairs_are_judged_and_an_overconfident_judge_is_found_out(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        n = 400
        data = [
            {"claim": f"Item {i} is red.", "evidence": f"Item {i} is red, they say.", "stance": "completely-support" if i % 5 < 3 else "irrelevant"}
            for i in range(n)
        ]
        replies = [{"verdict": "supported", "quote": f"Item {i} is red", "confidence": 0.95, "reason": "so"} for i in range(n)]
        (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, data)), encoding="utf-8")
        script = self.script(tmp_path / "s.jsonl", replies)
        code = run(["calibrate", "checks", str(tmp_path / "d.jsonl"), "--model", script, "-o", str(tmp_path / "c.json"), "--json", "--quiet"])
        figures = json.loads(capsys.readouterr().out)
        assert code == 0
        assert figures["methods"]["judged"]["n"] == n
        assert figures["methods"]["judged"]["right"] == 3 * n // 5
        held = figures["methods"]["judged"]["held_out"]
        assert held["ece_before"] > 0.25
        assert held["ece_after"] < 0.1
        _, curves = read_calibration(tmp_path / "c.json")
        assert calibrated(curves, "judged", 0.95) == pytest.approx(0.6)

    def test_labels_of_claims_in_an_answer(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Rows with too few decided claims: figures are printed, nothing is saved, the exit code says so."""
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "a.txt").write_text("Ann Dole became mayor of Aldon after a long campaign that the town remembers.", encoding="utf-8")
        row = {
            "query": "Tell me.",
            "answer": "Ann Dole runs Aldon.",
            "kind": "report",
            "documents": ["docs"],
            "claims": [{"claim": "Ann Dole runs Aldon.", "label": True}],
        }
        (tmp_path / "d.jsonl").write_text(json.dumps(row), encoding="utf-8")
        plan = {
            "claims": [
                {"quote": "Ann Dole runs Aldon.", "focus": "Ann Dole", "statement": "Ann Dole runs Aldon.", "tool": "documents", "input": "mayor Aldon"}
            ],
            "requirements": [],
        }
        verdict = {"verdict": "supported", "quote": "Ann Dole became mayor of Aldon", "confidence": 0.9}
        script = self.script(tmp_path / "s.jsonl", [plan, verdict, verdict])
        code = run(["calibrate", "checks", str(tmp_path / "d.jsonl"), "--model", script, "-o", str(tmp_path / "c.json"), "--json"])
        out, err = capsys.readouterr()
        assert code == 2
        assert json.loads(out)["methods"]["judged"] == {
            "n": 1,
            "right": 1,
            "curve": [],
            "why": "too few: 1 decided rows, at least 100 are needed",
            "held_out": None,
        }
        assert "nothing was saved" in err
        assert not (tmp_path / "c.json").exists()

    def test_recorded_rows_need_no_run_and_are_kept_where_later_runs_find_them(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
        rows = [{"method": "judged", "confidence": confidence, "right": right} for confidence, right in rows_of(lambda c: c**3, 1000)]
        (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        assert run(["calibrate", "checks", str(tmp_path / "d.jsonl")]) == 2
        assert "--model is missing" in capsys.readouterr().err
        assert run(["calibrate", "checks", str(tmp_path / "d.jsonl"), "--model", "openai:any"]) == 0
        assert "saved:" in capsys.readouterr().out
        assert set(curves_for({"judged": "openai:any"}, None)) == {"judged"}

    def test_without_a_model_nothing_is_judged_and_that_is_said(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "d.jsonl").write_text(json.dumps({"claim": "A is B.", "evidence": "A is C.", "stance": "refute"}), encoding="utf-8")
        assert run(["calibrate", "checks", str(tmp_path / "d.jsonl"), "--quiet"]) == 2
        assert "no row was decided by a model" in capsys.readouterr().err
