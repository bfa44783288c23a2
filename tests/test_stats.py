"""Statistics: equal to scipy and statsmodels on random data, and by hand on worked examples."""

from __future__ import annotations

import math
import random
import sys
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from redraft.errors import MissingExtra
from redraft.studies.clustering import cluster_interval, cluster_permutation_test, design_effect
from redraft.studies.judged import JudgeErrors, corrected_difference, corrected_rate
from redraft.studies.power import (
    detectable,
    power_mcnemar,
    power_paired,
    power_statement,
    power_tost,
    required_n,
    required_n_mcnemar,
    required_n_tost,
)
from redraft.studies.stats import (
    bca_interval,
    bootstrap_interval,
    cliffs_delta,
    dz,
    effect,
    holm,
    interaction,
    mcnemar_exact,
    odds,
    permutation_test,
    resampled_means,
    shares,
    tost,
    wilcoxon_test,
    wilson_interval,
)

SEEDS = range(12)
floats = st.floats(-100, 100, allow_nan=False).map(lambda value: round(value, 3))


def sample(seed: int, size: int, *, ties: bool = False) -> list[float]:
    values = np.random.default_rng(seed).normal(0.3, 1, size)
    return [float(value) for value in (np.round(values) if ties else values)]


def close(ours: float, theirs: float) -> bool:
    return math.isclose(ours, float(theirs), rel_tol=1e-12, abs_tol=1e-12)


def mean_of(values: Any, axis: int) -> Any:
    return np.mean(values, axis=axis)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ties", [False, True])
class TestAgainstScipyAndStatsmodels:
    def test_the_permutation_test_where_all_sign_changes_are_counted(self, seed: int, ties: bool) -> None:
        values = sample(seed, 6 + seed % 6, ties=ties)
        theirs = scipy_stats.permutation_test((values,), mean_of, permutation_type="samples", vectorized=True, n_resamples=np.inf)
        ours = permutation_test(values)
        assert close(ours.p_value, theirs.pvalue)
        assert close(ours.statistic, theirs.statistic)

    def test_wilcoxon(self, seed: int, ties: bool) -> None:
        values = sample(seed, 25, ties=ties)
        ours, theirs = wilcoxon_test(values), scipy_stats.wilcoxon(values, zero_method="pratt")
        assert close(ours.p_value, theirs.pvalue)
        assert close(ours.statistic, theirs.statistic)

    def test_the_bca_interval_of_one_bootstrap_distribution(self, seed: int, ties: bool) -> None:
        """The draws are ours; what is made of them is compared: bias, acceleration, quantiles."""
        values = sample(seed, 30, ties=ties)
        drawn = SimpleNamespace(bootstrap_distribution=np.array(resampled_means(values, seed=seed)))
        theirs = scipy_stats.bootstrap((values,), np.mean, n_resamples=0, method="BCa", bootstrap_result=drawn).confidence_interval
        low, high = bootstrap_interval(values, seed=seed)
        assert close(low, theirs.low)
        assert close(high, theirs.high)

    def test_mcnemar_and_wilson_and_odds(self, seed: int, ties: bool) -> None:
        from statsmodels.stats.contingency_tables import mcnemar
        from statsmodels.stats.proportion import proportion_confint

        draw = random.Random(seed + 100 * ties)
        gained, lost = draw.randrange(1, 40), draw.randrange(1, 40)
        assert close(mcnemar_exact(gained, lost), mcnemar([[9, lost], [gained, 9]], exact=True).pvalue)
        theirs = proportion_confint(gained, gained + lost, method="wilson")
        assert all(close(one, other) for one, other in zip(wilson_interval(gained, gained + lost), theirs, strict=True))
        exact = proportion_confint(gained, gained + lost, method="beta")
        found = odds(gained, lost)
        assert found.high is not None
        assert close(found.low / (1 + found.low), exact[0])
        assert close(found.high / (1 + found.high), exact[1])

    def test_holm(self, seed: int, ties: bool) -> None:
        from statsmodels.stats.multitest import multipletests

        draw = random.Random(seed)
        family = {str(number): round(draw.random() ** 3, 2 if ties else 9) for number in range(1 + seed)}
        theirs = multipletests(list(family.values()), method="holm")[1]
        assert all(close(one, other) for one, other in zip(holm({"all": family})["all"].values(), theirs, strict=True))

    def test_equivalence(self, seed: int, ties: bool) -> None:
        from statsmodels.stats.weightstats import ttost_paired

        values = sample(seed, 20, ties=ties)
        ours = tost(values, 0.5)
        p_value, (_, below, _), (_, above, _) = ttost_paired(np.array(values), np.zeros(20), -0.5, 0.5)
        assert close(ours.p_value, p_value)
        assert close(ours.below, below)
        assert close(ours.above, above)
        assert ours.equivalent == (-0.5 < ours.interval[0] and ours.interval[1] < 0.5)

    def test_the_interaction_is_that_of_the_analysis_of_variance(self, seed: int, ties: bool) -> None:
        import pandas as pd
        from statsmodels.stats.anova import AnovaRM

        arms = {name: sample(seed * 7 + place, 15, ties=ties) for place, name in enumerate(("cross_dynamic", "cross_hard", "same_dynamic", "same_hard"))}
        rows = [
            {"item": item, "evaluator": name.split("_")[0], "stop": name.split("_")[1], "score": score}
            for name, scores in arms.items()
            for item, score in enumerate(scores)
        ]
        table = AnovaRM(pd.DataFrame(rows), "score", "item", within=["evaluator", "stop"]).fit().anova_table
        found = interaction(**arms)
        assert close(found.f_value, table.loc["evaluator:stop", "F Value"])
        assert close(found.p_value, table.loc["evaluator:stop", "Pr > F"])
        contrast = [(a - b) - (c - d) for a, b, c, d in zip(*arms.values(), strict=True)]
        theirs = scipy_stats.ttest_1samp(contrast, 0.0)
        assert close(found.t_value, theirs.statistic)
        assert close(found.p_value, theirs.pvalue)


class TestWorkedExamples:
    """Numbers small enough to be checked with a pencil."""

    def test_five_differences(self) -> None:
        """1, 2, 3, 4, −1, all 32 sign changes written out."""
        values = [1.0, 2.0, 3.0, 4.0, -1.0]
        sums = [sum(sign * abs(value) for sign, value in zip(signs, values, strict=True)) for signs in product((1, -1), repeat=5)]
        # sums of ±1 ±2 ±3 ±4 ±1: 11 once, 9 twice (either 1 turned), 7 twice (2 turned, or both ones); so 9 or more 3 times of 32 on each side
        assert sorted(sums)[-5:] == [7, 7, 9, 9, 11]
        assert permutation_test(values).p_value == 6 / 32
        assert permutation_test(values).how == "all 32 sign changes"
        # ranks of |d|: 1 and 1 share 1.5; 2, 3, 4 have 3, 4, 5; the negative one's rank sum is 1.5
        assert wilcoxon_test(values).statistic == 1.5
        # mean 1.8; squares of deviations .64 + .04 + 1.44 + 4.84 + 7.84 = 14.8; variance 3.7
        assert dz(values) == pytest.approx(1.8 / math.sqrt(3.7), rel=1e-14)
        assert shares(values) == shares([9.0, 9.0, 9.0, 9.0, -9.0])
        assert (shares(values).better, shares(values).worse, shares(values).tied) == (0.8, 0.2, 0.0)

    def test_ten_answers_gained_two_lost(self) -> None:
        # 2 × (C(12,0) + C(12,1) + C(12,2)) ÷ 2^12 = 2 × 79 ÷ 4096
        assert mcnemar_exact(10, 2) == 158 / 4096
        assert odds(10, 2).ratio == 5.0
        # Holm: .01 × 3, then max(.03, .02 × 2), then max(.04, .03 × 1)
        assert holm({"f": {"a": 0.01, "b": 0.02, "c": 0.03}})["f"] == pytest.approx({"a": 0.03, "b": 0.04, "c": 0.04}, rel=1e-14)
        # against {1, 2}: of the four pairs with {2, 3} three are more, one is equal
        assert cliffs_delta([1, 2], [2, 3]) == 0.75

    def test_a_judge_that_errs(self) -> None:
        # of 100 answers the judge calls 65 right; it sees 9 of 10 right ones, and 8 of 10 wrong ones: (.65 + .8 − 1) ÷ (.9 + .8 − 1) = .45 ÷ .7
        found = corrected_rate(65, 100, JudgeErrors(right_called_right=90, right=100, wrong_called_wrong=80, wrong=100))
        assert found.observed == 0.65
        assert found.rate == pytest.approx(0.45 / 0.7, rel=1e-14)
        assert found.interval[0] < found.rate < found.interval[1]
        difference, interval = corrected_difference(0.07, (0.0, 0.14), JudgeErrors(right_called_right=9, right=10, wrong_called_wrong=8, wrong=10))
        assert (difference, interval) == (pytest.approx(0.1), (0.0, pytest.approx(0.2)))

    def test_the_interaction_of_two_items(self) -> None:
        # contrasts (5 − 4) − (3 − 3) = 1 and (6 − 3) − (2 − 2) = 3: mean 2, deviation √2, t = 2 ÷ (√2 ÷ √2) = 2, F = 4
        found = interaction(cross_dynamic=[5, 6], cross_hard=[4, 3], same_dynamic=[3, 2], same_hard=[3, 2])
        assert (found.mean, found.t_value, found.f_value) == (2.0, pytest.approx(2.0), pytest.approx(4.0))
        assert found.permutation.p_value == 0.5


class TestPermutation:
    def test_drawn_sign_changes_come_near_the_exact_p_value(self) -> None:
        values = sample(5, 18)
        exact = scipy_stats.permutation_test((values,), mean_of, permutation_type="samples", vectorized=True, n_resamples=np.inf, batch=1 << 14).pvalue
        found = permutation_test(values, seed=1)
        assert "drawn with seed 1" in found.how
        assert abs(found.p_value - exact) < 4 * math.sqrt(exact * (1 - exact) / 9_999) + 1e-4
        assert found == permutation_test(values, seed=1)

    def test_ties_change_nothing(self) -> None:
        values = sample(3, 9)
        assert permutation_test([*values, *[0.0] * 40]).p_value == permutation_test(values).p_value
        assert permutation_test([0.0, 0.0]).p_value == 1.0
        assert wilcoxon_test([0.0, 0.0]).p_value == 1.0

    @given(st.lists(floats, min_size=1, max_size=12))
    @settings(max_examples=60, deadline=None)
    def test_p_is_a_probability_and_has_no_side(self, values: list[float]) -> None:
        found = permutation_test(values).p_value
        assert 0 < found <= 1
        assert found == permutation_test([-value for value in values]).p_value
        assert found >= 2 / 2 ** len(values)


class TestClusters:
    def test_clusters_of_one_are_items(self) -> None:
        values = sample(2, 12)
        names = list(range(12))
        assert cluster_permutation_test(values, names).p_value == permutation_test(values).p_value
        assert cluster_interval(values, names, seed=4) == pytest.approx(bootstrap_interval(values, seed=4), rel=1e-12)
        assert design_effect(values, names) == 1.0

    def test_copies_within_a_cluster_are_no_evidence(self) -> None:
        values = sample(2, 8)
        copied, names = [value for value in values for _ in range(5)], [name for name in range(8) for _ in range(5)]
        assert cluster_permutation_test(copied, names).p_value == permutation_test(values).p_value
        assert permutation_test(copied).p_value < permutation_test(values).p_value
        assert design_effect(copied, names) == pytest.approx(5.0)
        own, naive = cluster_interval(copied, names), bootstrap_interval(copied)
        assert own[1] - own[0] > 1.5 * (naive[1] - naive[0])

    def test_few_clusters_are_named_as_such(self) -> None:
        found = cluster_permutation_test([1.0, 1.2, 0.9, 1.1], ["law", "law", "ethics", "ethics"])
        assert found.p_value == 0.5
        assert "p cannot be below 0.5" in found.how
        with pytest.raises(ValueError, match="at least two clusters"):
            cluster_interval([1.0, 2.0], ["law", "law"])


class TestPower:
    def test_the_published_sizes(self) -> None:
        """At 80 %, n = 20 sees dz ≥ 0.66 and n = 50 sees dz ≥ 0.40."""
        assert (round(detectable(20), 2), round(detectable(50), 2)) == (0.66, 0.40)
        assert "dz ≥ 0.66" in power_statement(20)
        assert required_n(0.4) == 52  # 51 gives .7969...
        assert power_paired(0.4, 52) >= 0.8 > power_paired(0.4, 51)

    def test_power_of_equivalence_is_what_simulation_gives(self) -> None:
        draws = np.random.default_rng(0).normal(0.1, 1, size=(20_000, 30))
        mean, error = draws.mean(axis=1), draws.std(axis=1, ddof=1) / math.sqrt(30)
        t = scipy_stats.t.ppf(0.95, 29)
        share = np.mean((mean - t * error > -0.6) & (mean + t * error < 0.6))
        assert power_tost(30, 0.6, true=0.1) == pytest.approx(share, abs=0.01)
        assert power_tost(required_n_tost(0.5), 0.5) >= 0.8 > power_tost(required_n_tost(0.5) - 1, 0.5)
        with pytest.raises(ValueError, match="whatever the sample"):
            required_n_tost(0.3, true=0.3)

    def test_power_of_mcnemar_is_what_counting_gives(self) -> None:
        total = sum(
            math.factorial(8) / (math.factorial(g) * math.factorial(h) * math.factorial(8 - g - h)) * 0.5**g * 0.05**h * 0.45 ** (8 - g - h)
            for g, h in product(range(9), repeat=2)
            if g + h <= 8 and mcnemar_exact(g, h) <= 0.05
        )
        assert power_mcnemar(8, 0.5, 0.05) == pytest.approx(total, rel=1e-9)
        assert power_mcnemar(required_n_mcnemar(0.2, 0.05), 0.2, 0.05) >= 0.8

    def test_no_effect_has_no_sample(self) -> None:
        with pytest.raises(ValueError, match="smallest effect that matters"):
            required_n(0.0)
        with pytest.raises(ValueError, match="at least two pairs"):
            power_paired(0.5, 1)


class TestJudge:
    @pytest.mark.parametrize(("rate", "labels"), [(0.3, 60), (0.6, 30), (0.9, 120)])
    def test_the_interval_holds_the_truth_as_often_as_it_says(self, rate: float, labels: int) -> None:
        draw = np.random.default_rng(7)
        held = 0
        for _ in range(1500):
            called = draw.binomial(120, rate * 0.85 + (1 - rate) * 0.25)
            judge = JudgeErrors(right_called_right=draw.binomial(labels, 0.85), right=labels, wrong_called_wrong=draw.binomial(labels, 0.75), wrong=labels)
            low, high = corrected_rate(int(called), 120, judge).interval
            held += low <= rate <= high
        assert held / 1500 >= 0.935

    def test_a_perfect_judge_changes_nothing(self) -> None:
        judge = JudgeErrors(right_called_right=500, right=500, wrong_called_wrong=500, wrong=500)
        assert corrected_rate(30, 50, judge).rate == pytest.approx(0.6)

    def test_a_judge_that_tosses_a_coin_is_refused(self) -> None:
        judge = JudgeErrors(right_called_right=5, right=10, wrong_called_wrong=5, wrong=10)
        for attempt in (lambda: corrected_rate(5, 10, judge), lambda: corrected_difference(0.1, (0, 1), judge)):
            with pytest.raises(ValueError, match="no better than chance"):
                attempt()


class TestWrongUse:
    @pytest.mark.parametrize(
        "call",
        [
            lambda: bootstrap_interval([]),
            lambda: permutation_test([]),
            lambda: wilcoxon_test([]),
            lambda: dz([]),
            lambda: cliffs_delta([], [1.0]),
            lambda: shares([]),
            lambda: tost([], 0.1),
            lambda: odds(0, 0),
            lambda: holm({"f": {}}),
            lambda: effect([], []),
            lambda: interaction(cross_dynamic=[], cross_hard=[], same_dynamic=[], same_hard=[]),
            lambda: cluster_interval([], []),
            lambda: cluster_permutation_test([], []),
            lambda: corrected_rate(0, 0, JudgeErrors(right_called_right=1, right=1, wrong_called_wrong=1, wrong=1)),
            lambda: JudgeErrors(right_called_right=0, right=0, wrong_called_wrong=1, wrong=1),
            lambda: permutation_test([1.0, math.nan]),
            lambda: effect([1.0], [1.0, 2.0]),
            lambda: holm({"f": {"a": 1.2}}),
        ],
    )
    def test_empty_or_senseless_input_is_an_error(self, call: Any) -> None:
        with pytest.raises(ValueError, match=r".{10}"):
            call()

    def test_a_missing_library_is_named_with_its_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "scipy.stats", None)
        with pytest.raises(MissingExtra, match=r"redraft\[lab\]"):
            wilcoxon_test([1.0, 2.0])


def test_what_cannot_vary_has_no_width() -> None:
    same = effect([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])
    assert same.dz is None
    assert same.interval == (pytest.approx(0.1), pytest.approx(0.1))
    assert tost([0.0, 0.0, 0.0], 0.1).equivalent
    assert not tost([0.2, 0.2, 0.2], 0.1).equivalent
    assert bca_interval([1.0, 1.0, 2.0, 2.0], 1.5, [1.5, 1.5]) == (1.0, 2.0)
