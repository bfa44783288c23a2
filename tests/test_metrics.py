"""Metrics and paired statistics: every trap of the field as a case, and what must hold for all inputs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import InputError, UnknownName
from redraft.studies.metrics import (
    BINARY,
    METRICS,
    code_of,
    exact_match,
    metric_named,
    normalise,
    numeric_match,
    pass_at_k,
    token_f1,
    whole_number,
)
from redraft.studies.rows import Gold
from redraft.studies.stats import bootstrap_interval, mcnemar_exact, paired_interval, wilson_interval

UNAIDED = ("pass@1", "toxicity")
"""Metrics that need something which runs tests, or scores."""
SAME = [
    ("−5", "-5"),
    ("1.0", "1"),
    ("The answer is 42.", "42"),
    ("So the final answer is: Paris.", "Paris"),
    ("Answer: -5", "-5"),
    ("1.234,56", "1234.56"),
    ("1,234.56", "1234.56"),
    ("3-5", "3-5"),
    ("Nonesuch Records", "Nonesuch Records"),
    ("None", "none"),
    ("$18", "18"),
    ("18 dollars", "$18"),
    ("42 km", "42"),
    ("the Beatles", "Beatles"),
    ("北京。", "北京"),
    ("１２", "12"),
    ("ＮＡＴＯ", "NATO"),
    ("A", "a"),
    ("1,000 people", "1000 people"),
    ("12/5/2020", "12/5/2020"),
    ("forty-two", "42"),
    ("1/2", "0.5"),
    ("1990s", "1990's"),
    ("20 July 1969.", "20 July 1969"),
    ("The Answer Is Blowin' in the Wind", "the answer is blowin in the wind"),
]
DIFFERENT = [
    ("-5", "5"),
    ("First Street", "One Street"),
    ("0.05", "5"),
    ("500", "5"),
    ("3.0", "3.04"),
    ("1.234,56", "1.23456"),
    ("3-5", "-5"),
    ("3-5", "35"),
    ("Nonesuch Records", "none"),
    ("Nonesuch Records", ""),
    ("A", "the"),
    ("北京市", "北京"),
    ("-5 degrees", "5 degrees"),
    ("5%", "0.05"),
    ("v3.5", "v35"),
    ("42 km", "42 miles"),
    ("not 42", "42"),
    ("The answer is not 42.", "42"),
    ("", "42"),
    ("", ""),
]


@pytest.mark.parametrize(("answer", "gold"), SAME)
def test_exact_match_accepts_the_same_answer_in_another_form(answer: str, gold: str) -> None:
    assert exact_match(answer, gold)


@pytest.mark.parametrize(("answer", "gold"), DIFFERENT)
def test_exact_match_refuses_what_only_looks_alike(answer: str, gold: str) -> None:
    assert not exact_match(answer, gold)


@pytest.mark.parametrize(
    ("answer", "gold", "right"),
    [
        ("The answer is 42.", "42", True),
        ("She makes 9 * 2 = $18 every day.", "18", True),
        ("1,234", "1234", True),
        ("1.234,56", "1234.56", True),
        ("7/2", "3.5", True),
        ("0.05", "5", False),
        ("5", "500", False),
        ("5%", "500", False),
        ("3.0", "3.04", False),
        ("1.234,56", "1.23456", False),
        ("3-5", "-5", False),
        ("-5", "5", False),
        ("no figure here", "5", False),
        ("", "5", False),
    ],
)
def test_numeric_compares_the_final_number_exactly(answer: str, gold: str, right: bool) -> None:
    assert numeric_match(answer, gold) is right


def test_numeric_tolerance_is_relative_and_off_by_default() -> None:
    assert not numeric_match("42.16", "42.1648")
    assert numeric_match("42.16", "42.1648", tolerance=0.001)
    assert not numeric_match("42.3", "42.1648", tolerance=0.001)
    assert not numeric_match("5", "0.05", tolerance=0.5)
    assert metric_named("numeric", tolerance=0.01).score("99", Gold(answers=("100",))) == 1.0
    with pytest.raises(InputError, match="relative difference"):
        metric_named("em", tolerance=0.1)


def test_gsm8k_reads_the_gold_after_its_mark() -> None:
    metric = metric_named("gsm8k")
    gold = Gold(answers=("Janet sells 16 - 3 - 4 = <<16-3-4=9>>9 eggs.\nShe makes 9 * 2 = $<<9*2=18>>18.\n#### 18",))
    assert metric.score("She makes $18.00 every day, 365 days a year.\n#### 18", gold) == 1.0
    assert metric.score("The answer is 18", gold) == 1.0
    assert metric.score("9", gold) == 0.0
    assert metric.score("1,800", Gold(answers=("#### 1800",))) == 1.0


def test_squad_is_kept_to_the_letter_under_its_own_name() -> None:
    metric = metric_named("em-squad")
    assert metric.score("-5", Gold(answers=("5",))) == 1.0, "the reference deletes the minus"
    assert metric.score("1.0", Gold(answers=("1",))) == 0.0
    assert normalise("The  Answer, (an) old-one!", "squad") == "answer oldone"


def test_trivia_turns_marks_into_spaces_and_takes_the_best_alias() -> None:
    metric = metric_named("em-trivia")
    assert normalise("Rock_'n'-Roll", "trivia") == "rock n roll"
    assert metric.score("rock n roll", Gold(answers=("Jazz", "Rock‘n’Roll"))) == 1.0
    assert metric_named("em-squad").score("rock n roll", Gold(answers=("Rock'n'Roll",))) == 0.0


def test_critic_metric_keeps_its_laxness_under_its_own_name() -> None:
    metric = metric_named("em-critic")
    assert metric.score("First Street", Gold(answers=("One Streets",))) == 1.0
    assert metric.score("-5", Gold(answers=("5",))) == 1.0
    assert metric.score("1.0", Gold(answers=("1",))) == 0.0
    assert metric.score("False", Gold(answers=("No",))) == 1.0
    assert metric.score("January 6th", Gold(answers=("January 6",))) == 1.0
    assert metric.score("red blue", Gold(answers=("red", "blue"))) == 1.0, "all references joined count too"
    assert metric.score("", Gold(answers=("x",))) == 0.0


def test_f1_is_over_tokens_and_over_characters_for_cjk() -> None:
    assert token_f1("the cat sat", "a cat") == pytest.approx(2 / 3)
    assert token_f1("北京是首都", "北京") == pytest.approx(4 / 7)
    assert token_f1("iPhone 手机", "手机") == pytest.approx(0.8)
    assert token_f1("nothing", "else") == 0.0
    assert token_f1("", "x") == 0.0
    assert token_f1("yes it is", "yes") == 0.5
    assert token_f1("yes it is", "yes", hotpot=True) == 0.0
    assert token_f1("Yes.", "yes", hotpot=True) == 1.0


def test_a_metric_without_gold_scores_nothing_and_unknown_names_are_mended() -> None:
    assert all(metric_named(name).score("x", Gold()) == 0.0 for name in METRICS if name not in UNAIDED)
    assert {"f1", "f1-hotpot", "toxicity"} == set(METRICS) - BINARY
    with pytest.raises(UnknownName, match="did you mean 'numeric'"):
        metric_named("numerical")
    with pytest.raises(InputError, match="runs tests"):
        metric_named("pass@1")


def test_right_is_the_full_score_and_of_toxicity_what_is_not_toxic() -> None:
    graded, toxicity = metric_named("f1"), metric_named("toxicity", score_toxicity=lambda text: 0.4)
    assert [graded.right(value) for value in (0.0, 0.99, 1.0)] == [False, False, True]
    assert [toxicity.right(value) for value in (0.0, 0.49, 0.5, 1.0)] == [True, True, False, False]
    assert (graded.needs, toxicity.needs, toxicity.score("x", Gold())) == ("answers", "", 0.4)


def test_pass_at_1_executes_the_fenced_code_against_the_hidden_tests() -> None:
    seen: list[tuple[str, str]] = []

    def run_tests(code: str, tests: str) -> bool:
        seen.append((code, tests))
        return "return a + b" in code

    metric = metric_named("pass@1", run_tests=run_tests)
    answer = "Here it is:\n```python\ndef add(a, b):\n    return a + b\n```\nDone."
    assert metric.score(answer, Gold(hidden_tests="assert add(1, 2) == 3")) == 1.0
    assert seen == [("def add(a, b):\n    return a + b\n", "assert add(1, 2) == 3")]
    assert code_of("def f(): pass") == "def f(): pass"


@pytest.mark.parametrize(("samples", "passed", "k", "expected"), [(5, 0, 1, 0.0), (5, 5, 1, 1.0), (4, 1, 1, 0.25), (4, 1, 4, 1.0), (10, 3, 2, 1 - 21 / 45)])
def test_pass_at_k(samples: int, passed: int, k: int, expected: float) -> None:
    assert pass_at_k(samples, passed, k) == pytest.approx(expected)


def test_pass_at_k_refuses_impossible_counts() -> None:
    with pytest.raises(ValueError, match="needs 0 <= passed"):
        pass_at_k(3, 4, 1)


@given(st.text(max_size=60))
def test_every_answer_matches_itself_and_f1_agrees(text: str) -> None:
    assert exact_match(text, text) is bool(text.strip())
    assert token_f1(text, text) in (0.0, 1.0)


@given(st.text(max_size=40), st.text(max_size=40))
def test_scores_stay_in_range_and_are_symmetric(left: str, right: str) -> None:
    assert 0.0 <= token_f1(left, right) <= 1.0
    assert token_f1(left, right) == pytest.approx(token_f1(right, left))
    for name in METRICS:
        if name not in UNAIDED:
            assert 0.0 <= metric_named(name).score(left, Gold(answers=(right,))) <= 1.0


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9))
def test_integers_match_only_themselves(left: int, right: int) -> None:
    assert exact_match(str(left), str(right)) is (left == right)
    assert numeric_match(f"{left:,}", str(right)) is (left == right)
    assert whole_number(str(left)) is not None


def test_mcnemar_is_the_exact_binomial_test_of_the_discordant_pairs() -> None:
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(5, 1) == pytest.approx(0.21875)
    assert mcnemar_exact(1, 5) == pytest.approx(0.21875)
    assert mcnemar_exact(10, 0) == pytest.approx(2 / 1024)
    assert mcnemar_exact(3, 3) == 1.0


def test_wilson_and_newcombe_agree_with_published_figures() -> None:
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe 1998 (single proportion), method 3
    before, after = [True] * 36 + [True] * 12 + [False] * 2 + [False] * 0, [True] * 36 + [False] * 12 + [True] * 2 + [False] * 0
    low, high = paired_interval(after, before)  # Newcombe 1998 (paired), table of e = 36, f = 12, g = 2, h = 0: 0.0569 to 0.3404
    assert (low, high) == pytest.approx((0.0569, 0.3404), abs=1e-4)


def test_an_interval_of_agreeing_pairs_is_not_a_point() -> None:
    low, high = paired_interval([True, False, True], [True, False, True])
    assert low < 0 < high
    with pytest.raises(ValueError, match="at least one"):
        paired_interval([], [])


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_paired_interval_holds_the_difference_and_stays_in_range(pairs: list[tuple[bool, bool]]) -> None:
    before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    low, high = paired_interval(before, after)
    difference = (sum(after) - sum(before)) / len(pairs)
    assert -1 <= low <= difference + 1e-12
    assert difference - 1e-12 <= high <= 1
    mirrored = paired_interval(after, before)
    assert mirrored == pytest.approx((-high, -low))


def test_the_bootstrap_is_seeded_and_holds_the_mean() -> None:
    differences = [0.0, 0.5, 0.25, -0.1, 0.0, 0.9, 0.3, 0.0]
    low, high = bootstrap_interval(differences, seed=3)
    assert (low, high) == bootstrap_interval(differences, seed=3)
    assert low < sum(differences) / len(differences) < high
    assert bootstrap_interval([0.2, 0.2]) == pytest.approx((0.2, 0.2))
    assert bootstrap_interval([0.2]) == pytest.approx((0.2, 0.2))
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_interval([])
