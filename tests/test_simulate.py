"""Planted truth: what the simulated models do is what the arrays do, and the statistics find what is there as often as stated, and nothing else."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from redraft.refiner import Refiner
from redraft.replay import grid, history_of
from redraft.studies.blind import BlindJudge, Case
from redraft.studies.planted import (
    CROSS,
    SAME,
    Share,
    broken_promises,
    coverage,
    false_positives,
    family_errors,
    interaction_study,
    null_calibrations,
    planted_calibrations,
    planted_power,
)
from redraft.studies.prefixes import retained_texts
from redraft.studies.simulate import (
    SimulatedEvaluator,
    SimulatedJudge,
    SimulatedWriter,
    World,
    judge_scores,
    quality_in,
    simulated_policy,
    trajectories,
    two_by_two,
)
from redraft.types import Task

WORLD = World(turns=6, bias=0.02, noise=0.05)
RUNS = 80


def looped(world: World, runs: int) -> list[tuple[list[float], list[bool]]]:
    """Runs of the simulated models through the real loop: true quality retained at each boundary, and what was kept."""
    found = []
    for number in range(runs):
        writer, evaluator = SimulatedWriter("writer", world, number), SimulatedEvaluator("evaluator", world, number)
        refiner = Refiner(writer, tools=[], policy=simulated_policy(world), evaluator=evaluator, calibration="none")
        asyncio.run(refiner.run(Task(query=f"What is proposed for case {number}?", kind="report")))
        history = history_of(refiner.trace.records)
        found.append(([quality_in(text)[0] for text in retained_texts(history)], [turn.decision.accepted for turn in history.turns]))
        if number == 0:  # where a dynamic run stops is what the arrays' rule says of the decisions
            ((ended,),) = grid([history], [dataclasses.replace(history.policy, stops=("rejections", "hard_cap"), rejections=world.rejections)])
            assert ended.exact
    return found


def agrees(share: Share) -> bool:
    """Whether the stated rate lies within the simulation's own error (a 99.99 % interval)."""
    assert share.stated is not None
    return abs(share.share - share.stated) <= 3.9 * math.sqrt(share.stated * (1 - share.stated) / share.total)


class TestTheLoopAndTheArraysAgree:
    def test_on_the_quality_by_turn_and_on_what_is_kept(self) -> None:
        runs = looped(WORLD, RUNS)
        ours = np.array([quality for quality, _ in runs])
        kept = np.array([accepted for _, accepted in runs])
        arrays = trajectories(WORLD, 40_000, np.random.default_rng(0))
        assert ours.shape == (RUNS, WORLD.turns + 1)
        error = np.hypot(ours.std(axis=0) / math.sqrt(RUNS), arrays.quality.std(axis=0) / 200)
        assert (np.abs(ours.mean(axis=0) - arrays.quality.mean(axis=0)) < 4 * error).all()
        share = arrays.accepted.mean()
        assert abs(kept.mean() - share) < 4 * math.sqrt(share * (1 - share) / kept.size)
        assert 0.05 < share < 0.95

    def test_on_what_the_blind_judge_gives(self) -> None:
        judge = BlindJudge(SimulatedJudge("judge", WORLD, 1))
        texts = [f"Proposal 2 is worth {parts} parts." for parts in range(2000, 9000, 50)]

        async def scored() -> list[float]:
            found = [await judge.score(Case(question="What?", answer=text)) for text in texts]
            return [score.quality for score in found if score is not None]

        ours = np.array(asyncio.run(scored()))
        true = np.array([quality_in(text)[0] for text in texts])
        assert len(ours) == len(texts)
        arrays = judge_scores(np.repeat(true[:, None], 400, axis=1), WORLD, np.random.default_rng(2))
        assert abs((ours - true).mean() - (arrays - true[:, None]).mean()) < 4 * (ours - true).std() / math.sqrt(len(ours))
        assert (ours - true).std() == pytest.approx((arrays - true[:, None]).std(), rel=0.25)

    def test_a_prefix_is_a_prefix(self) -> None:
        found = trajectories(WORLD, 2000, np.random.default_rng(1))
        assert (found.dynamic <= WORLD.turns).all()
        assert (found.dynamic < WORLD.turns).any()
        for run in range(50):
            stop, kept = int(found.dynamic[run]), found.accepted[run]
            rejected = [not any(kept[end - WORLD.rejections : end]) for end in range(WORLD.rejections, WORLD.turns + 1)]
            assert stop == next((place + WORLD.rejections for place, three in enumerate(rejected) if three), WORLD.turns)

    def test_no_simulated_text_is_read_into_another(self) -> None:
        with pytest.raises(ValueError, match="no simulated text"):
            quality_in("Something else.")


class TestTheStatistics:
    def test_find_nothing_where_nothing_is_planted(self) -> None:
        for name, share in false_positives(40, 800, seed=1).items():
            if share.stated is None:  # what ignoring the domains would do
                assert share.share > 2 * 0.05, name
            else:
                assert share.share <= 0.05 + 3.9 * math.sqrt(0.05 * 0.95 / share.total), name

    def test_holm_keeps_a_family_at_its_level(self) -> None:
        adjusted, unadjusted = family_errors(20, 600, seed=2).values()
        assert adjusted.share <= 0.05 + 3.9 * math.sqrt(0.05 * 0.95 / 600)
        assert unadjusted.share > 2 * adjusted.share

    def test_find_a_planted_effect_at_the_stated_power(self) -> None:
        shares = planted_power(50, 0.4, 1000, seed=3)
        assert agrees(shares["t finds dz = 0.4"])
        assert agrees(shares["equivalence within ±0.5 shown of equal arms"])
        for name in ("permutation", "Wilcoxon"):
            assert shares[f"{name} finds dz = 0.4"].share == pytest.approx(0.79, abs=0.06)

    def test_recover_a_planted_interaction(self) -> None:
        found = interaction_study(50, 300, truth_from=100_000, intervals=40, seed=4)
        planted, mean, error = found["planted"], found["mean estimate"], found["standard error of that mean"]
        assert isinstance(planted, float)
        assert isinstance(mean, float)
        assert isinstance(error, float)
        assert planted < -0.02
        assert abs(mean - planted) < 4 * error + 0.001
        share = found["permutation finds it"]
        assert isinstance(share, Share)
        assert share.stated is not None
        assert share.share == pytest.approx(share.stated, abs=0.12)

    def test_intervals_hold_what_they_say(self) -> None:
        for name, share in coverage(30, 80, seed=5).items():
            assert share.share >= 0.95 - 0.02 - 3.9 * math.sqrt(0.95 * 0.05 / 80), name

    def test_the_evaluator_that_is_the_writer_keeps_worse_texts(self) -> None:
        arms = two_by_two(SAME, CROSS, 30_000, np.random.default_rng(6))
        assert arms["cross_hard"].mean() > arms["same_hard"].mean() + 0.02
        assert arms["cross_hard"].mean() - arms["cross_dynamic"].mean() > arms["same_hard"].mean() - arms["same_dynamic"].mean() + 0.02


class TestCalibrations:
    @pytest.mark.parametrize("binary", [False, True])
    def test_of_equal_settings_the_default_stays(self, binary: bool) -> None:
        share = null_calibrations(40, 12, binary=binary, seed=7)
        assert share.share <= 0.05 + 3.9 * math.sqrt(0.05 * 0.95 / 12)

    def test_a_better_setting_is_found(self) -> None:
        assert planted_calibrations(60, 8, slope=0.08, seed=8).share >= 0.5

    def test_a_promised_risk_is_kept(self) -> None:
        found, broken = broken_promises(1000, 60, seed=9).values()
        assert found.share > 0.3
        assert broken.share <= 0.1


def test_the_page_keeps_the_sections_that_were_not_measured_anew(tmp_path: Path) -> None:
    place = Path(__file__).resolve().parents[1] / "benchmarks" / "lab.py"
    spec = importlib.util.spec_from_file_location("lab", place)
    assert spec is not None
    assert spec.loader is not None
    lab = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lab)
    page = tmp_path / "page.md"
    page.write_text(f"before\n{lab.BEGIN}\n{lab.END}\nafter\n", encoding="utf-8")
    lab.write(page, {"families": {"four": Share(found=1, total=20, stated=0.05)}, "speed": {"records": 50}}, 3)
    lab.write(page, {"speed": {"records": 51}}, 3)
    text = page.read_text(encoding="utf-8")
    assert "| four | 0.0500 | 0.0089 to 0.2361 | 20 | 0.0500 |" in text
    assert "| records | 51 |" in text
    assert "| records | 50 |" not in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")
