"""What rules leave unchecked is said to be unchecked, and figures decide an equation only where its units let them."""

from __future__ import annotations

import pytest

from redraft.refiner import Refiner
from redraft.types import Outcome, Task


def checked(text: str) -> Outcome:
    return Refiner("none").check_sync(Task(query="", kind="report"), text)


@pytest.mark.parametrize(
    "text",
    [
        "The bridge is 100 m (328 ft) long and was built by Napoleon in 1999.",
        "The heater ran 36 hours (2,160 minutes) at 1.5 kW and used 99 kWh.",
        "Paris, capital of Spain, has 20 * 5 = 100 districts.",
        "Released on Tuesday, 4 March 2025, the app is the most downloaded in history.",
        "He was paid by Group A. Rome fell in 1976 and 2 + 2 = 4.",
    ],
)
def test_a_sentence_that_says_more_than_its_figure_is_not_verified_by_it(text: str) -> None:
    outcome = checked(text)
    assert outcome.status == "unverified"
    assert {check.status for check in outcome.checks} == {"supported", "unavailable"}


@pytest.mark.parametrize("text", ["17% of 2,340 is 397.8.", "With shipping, 14,880 + 310 = 15,190 euros are due.", "Rent: 150 * 40 = 6,000 euros."])
def test_a_few_words_around_a_checked_figure_are_no_statement_of_their_own(text: str) -> None:
    assert checked(text).status == "verified"


@pytest.mark.parametrize(
    "text",
    [
        "100 km / 2 h = 50 kg.",
        "100 km / 2 zorks = 50 m/s.",
        "3 m x 4 m = 12 m.",
        "25 min * 3 = 75 h",
        "12 euros * 3 = 36 dollars.",
        "$32 - $20 = 12 euros",
    ],
)
def test_an_equation_whose_unit_does_not_follow_from_those_of_its_figures_is_left_undecided(text: str) -> None:
    assert {check.status for check in checked(text).checks} <= {"unavailable", "insufficient"}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("12 euros * 3 = 36 euros", "supported"),
        ("12 euros * 3 = 35 euros", "contradicted"),
        ("2 kg + 3 kg = 6 kg", "contradicted"),
        ("1.5 m + 20 cm = 1.7 m", "supported"),
        ("1,240 * 12 = 14,780 euros", "contradicted"),
        ("$32 - $20 = $300", "contradicted"),
        ("80 euros - 15% = 68 euros", "supported"),
    ],
)
def test_an_equation_that_keeps_its_unit_is_computed(text: str, status: str) -> None:
    assert [check.status for check in checked(text).checks] == [status]


@pytest.mark.parametrize("text", ["Run it: `2 + 2 = 5`.", "Text.\n\n    3 + 3 = 7\n\nMore.", "```\n4 + 4 = 9\n```"])
def test_figures_in_code_are_no_statements_of_the_text(text: str) -> None:
    assert "contradicted" not in {check.status for check in checked(text).checks}
