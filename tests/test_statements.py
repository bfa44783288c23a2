"""Arithmetic statements: found in symbols and in words, with the derived figure as focus; what can be read two ways is never certain."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.evaluation import evaluate, written
from redraft.claims.expression import tokens
from redraft.claims.plausible import implausible
from redraft.claims.reasoning import first_wrong
from redraft.claims.runs import runs
from redraft.claims.statements import find


def holding(text: str) -> list[tuple[str, bool | None]]:
    """Derived words and our own verdict, for the statements that could be contradicted or that hold."""
    return [(text[s.focus[0] : s.focus[1]], s.holds if s.certain or s.holds else None) for s in find(text)]


TRUE = [
    "5 + 3 = 8",
    "3-5 = -2",
    "-5 + 3 = -2",
    "2^10 = 1024",
    "10³ = 1,000",
    "(5 + 3) × 2 = 16",
    "60/100 * 5 = $<<60/100*5=3>>3.",
    "17% of 2,340 = 397.8",
    "5/20 = 25%",
    "50% + 30% = 80%",
    "80 + 10% = 88",
    "$100 - 25% = $75",
    "1.234,56 + 1,00 = 1.235,56",
    "1.000 - 1 = 999",
    "10/3 = 3.3",
    "2/3 ≈ 0.67",
    "1/2 = 2/4 = 4/8",
    "1/2^99 = 1.5777218104420236e-30",
    "0.1 + 0.2 = 0.30000000000000004",
    "2 1/2 + 1 1/2 = 4",
    r"\frac{1}{2} + \frac{3}{4} = 1.25",
    r"\left(1 + 2\right) \times 3 = 9",
    "2 hours + 30 minutes = 2.5 hours",
    "5 million + 2 million = 7 million",
    "3 x 4 = 12",
    "100 / 3 = 33 remainder 1",
    "√16 = 4",
    "5! = 120",
    "3(5 - x) = 15 - 3x",
    "17% of 2,340 is 397.8.",
    "45 of the 60 students (75%) passed.",
    "Revenue rose from 80 to 100, an increase of 25%.",
    "The price fell 20% from $50 to $40.",
    "It grew from 1,200 to 1,500, a 25% increase.",
    "Turnout rose from 60% to 66%, up 10%.",
    "The sum of 3 and 4 is 7.",
    "3, 4 and 5 add up to 12.",
    "$5, $10 and $15, for a total of $30.",
    "The average of 2, 4 and 6 is 4.",
    "The median of 1, 9 and 4 is 4.",
    "Two plus two is four.",
    "Half of 10 is 5.",
    "The square root of 2 is 1.414.",
    "5 squared is 25.",
    "The ratio of 6 to 4 is 1.5.",
    "5 feet is 60 inches.",
    "100 km (62 mi)",
    "1 week has 7 days.",
    "-40 °C (-40 °F)",
    "March 1, 2024 was a Friday.",
    "1 to 31 March is 31 days.",
    "1 to 31 March is 30 days.",
    "From 1 January 2024 to 1 March 2024 is 60 days.",
    "February 2024 has 29 days.",
    "1900 was not a leap year.",
    "3加5等于8。",
    "一百二十加三十等于一百五十。",
    "100的17%是17。",
    "从100增加到150，增长了50%。",
    "3、4和5的平均数是4。",
    "200的一半是100。",
    "3と5の和は8です。",
]

FALSE = {
    "150 * 40 = 6,200": "6,200",
    "2 + 2 = 5": "5",
    "10/3 = 3.4": "3.4",
    "Total = $5.00 + $3.25 = $8.52": "$8.52",
    "**5 + 5 = 11**": "11",
    "x = 5 + 3 = 9": "9",
    "1.234,56 + 1,00 = 1.236,56": "1.236,56",
    "1/2 + 1/3 = 2/5": "2/5",
    "1 kg + 500 g = 501 kg": "501",
    "5! = 121": "121",
    "<<12*3=37>>": "37",
    "17% of 2,340 is 400.": "400",
    "45 out of 60 is 70%.": "70%",
    "Revenue rose from 80 to 100, an increase of 20%.": "20%",
    "The sum of 3, 4 and 5 is 13.": "13",
    "He bought 10 apples, 20 pears and 30 plums, for a total of 70 fruits.": "70",
    "The average of 2, 4 and 6 is 5.": "5",
    "Two plus two is five.": "five",
    "Twice 4 is 9.": "9",
    "The square root of 16 is 5.": "5",
    "5 feet is 61 inches.": "61",
    "98.6 °F is 38 °C.": "38",
    "March 1, 2024 was a Monday.": "Monday",
    "1 to 31 March is 40 days.": "40",
    "April has 31 days.": "31",
    "2023 is a leap year.": "2023",
    "3加5等于9。": "9",
}

NEVER_CONTRADICTED = [
    "First Street is 5 blocks long.",
    "pages 3-5 = 3 pages",
    "It is not true that 2 + 2 = 5.",
    "2 + 2 = 5 is wrong.",
    "If 2 + 2 = 5, then pigs fly.",
    "Is 2 + 2 = 5?",
    "Does 5 plus 5 equal 11?",
    '"2 + 2 = 5" is a slogan.',
    "He was told that two plus two is five.",
    "In binary, 1 + 1 = 10.",
    "7 + 8 = 3 (mod 12)",
    "9 + 4 = 1 o'clock",
    "x + 5 = 8",
    "2x + 3 = 7",
    "X*6 + 9 = 87",
    "2g + 80 - 4g = 70",
    "3 apples = $6",
    "5 + 3 = 8 * 2 = 16",
    "6/2(1+2) = 1",
    "-3^2 = 9",
    "8 degrees = 2 - 8 = -6 degrees",
    "12*1=12 inches=1 foot",
    "half of 6 + 2 = 5",
    "a skein of yarn * 364 yards = 364 / 4 yards",
    "2/3 = 0.66",
    "100/7 = 14.28",
    "9**9**9 = 5",
    "12 / 0 = 5",
    "= 5",
    "5 =",
    "1 + 2 + ... + 10 = 55",
    "10 % 3 = 1",
    "- 4 + 5 = 1",
    "3 * (4 + 5 = 27",
    "2 hr + 45 min = 2 hr 45 min",
    "1.5 × 10^8 / 3 × 10^5 = 500",
    "About 60% of 1,000 people are 18 or older.",
    "10% of 2020 revenue is 5 million.",
    "5% of 18-year-olds are 6 feet tall.",
    "3 squared plus 4 squared is 25.",
    "Twice 3 plus 4 is 10.",
    "10 plus 5 times 2 is 30.",
    "From 2010 to 2020, sales rose 15%.",
    "The share rose from 20% to 25%, an increase of 5%.",
    "He is 6 ft 2 in (188 cm) tall.",
    "a 5-10 km (3-6 mi) walk",
    "a difference of 10 °C (18 °F)",
    "100 km2 (39 sq mi)",
    "1 mile = 1.609 km = 5,280 feet",
    "The Declaration was signed on Friday, July 4, 1776.",
    "20% off $50 is $40.",
    "The ratio of 12 to 8 is 3:2.",
    "25 cents × 4 = $1",
    "```\nassert 2 + 2 == 5\n```",
    "48 = 100% + 20%",
]


@pytest.mark.parametrize("text", TRUE)
def test_what_is_true_is_found_and_holds(text: str) -> None:
    found = holding(text)
    assert found
    assert all(holds for _, holds in found)


@pytest.mark.parametrize(("text", "focus"), FALSE.items())
def test_what_is_false_is_found_at_its_derived_figure(text: str, focus: str) -> None:
    assert (focus, False) in holding(text)


@pytest.mark.parametrize("text", NEVER_CONTRADICTED)
def test_what_can_be_read_two_ways_is_never_certain_and_false(text: str) -> None:
    assert not any(statement.certain and statement.holds is False for statement in find(text))


def test_operands_are_never_the_focus() -> None:
    for text in (*TRUE, *FALSE):
        for statement in find(text):
            assert all(operand[1] <= statement.focus[0] or statement.focus[1] <= operand[0] for operand in statement.operands) or statement.kind == "identity"


def test_a_chain_is_checked_figure_by_figure() -> None:
    text = "5 + 3 = 9 = 2 * 4 = 9"
    assert [(text[s.focus[0] : s.focus[1]], s.holds) for s in find(text)] == [("9", False), ("9", False)]


def test_two_expressions_said_to_be_equal() -> None:
    (statement,) = find("(7 - 28) * 2 = 7 * 3 - 62")
    assert (statement.kind, statement.holds, statement.certain) == ("identity", False, True)


def test_an_annotation_and_the_prose_around_it_are_both_found() -> None:
    text = "He pays 60/100 * 5 = $<<60/100*5=3>>4."
    assert holding(text) == [("3", True), ("4", False)]


@given(st.integers(-99, 99), st.integers(-99, 99), st.sampled_from("+-*"), st.integers(-3, 3))
def test_any_equality_of_whole_numbers_is_judged_rightly(a: int, b: int, operator: str, error: int) -> None:
    value = {"+": a + b, "-": a - b, "*": a * b}[operator] + error
    (statement,) = find(f"So we get ({a}) {operator} ({b}) = {value}.")
    assert statement.holds is (error == 0)


@given(
    st.recursive(
        st.integers(0, 30).map(str),
        lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        max_leaves=8,
    )
)
def test_expressions_have_the_value_that_python_gives(expression: str) -> None:
    (run,) = runs(tokens(expression))
    try:
        import re

        expected = eval(re.sub(r"\d+", r"Fraction(\g<0>)", expression), {"Fraction": Fraction})
    except ZeroDivisionError:
        expected = None
    assert run.value == expected
    assert expected is None or eval(re.sub(r"\d+", r"Fraction(\g<0>)", written(run.items)), {"Fraction": Fraction}) == expected


@pytest.mark.parametrize(
    ("items", "value"),
    [(["~", 2, "**", 2], -4), ([2, "**", 3, "**", 2], 512), ([2, "**", "~", 3], Fraction(1, 8)), ([1, "/", 0], None), ([9, "**", 9, "**", 9], None)],
)
def test_precedence_and_bounds(items: list[int | str], value: Fraction | int | None) -> None:
    assert evaluate([Fraction(item) if isinstance(item, int) else item for item in items]) == value


HOSTILE = [
    "(" * 10_000 + "1+1" + ")" * 10_000 + " = 2",
    "(" * 20_000 + " 1 + 1 = 3",
    "1+" * 20_000 + "1 = 3",
    "9" * 10_000 + " + 1 = " + "9" * 10_000,
    "2^99999999 = 4",
    "1 = " * 10_000,
    "5% of " * 5_000 + " 3 is 4",
    "1, " * 10_000 + "and 3 add up to 4",
    "1 plus " * 10_000 + "2 is 3",
    "from 1 to " * 5_000,
    "<<1+1=3>>" * 2_000,
    "<<" * 20_000,
    "\\frac{" * 5_000 + "1",
    "1\x00 + 1 = 3\x00",
    "\u202e1 + 1 = 3\u202c شلونك " * 300,
    "1\u200b + 1\u200b = 2",
    "x + 1 = x + 2 " * 500,
    "50% (approx",
    "2⁹⁹⁹⁹⁹⁹⁹ = 3",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_ends_quickly_and_quietly(text: str) -> None:
    find(text)
    first_wrong([text])


# Reasoning.


def test_the_first_wrong_step_is_named() -> None:
    steps = ["A = (3 + 4), B = (2 * 5).", "A = (3 + 4) = 7.", "B = (2 * 5) = 12.", "A + B = 7 + 12 = 19. So the answer is 19."]
    assert first_wrong(steps) == 2
    assert first_wrong([*steps[:2], "B = (2 * 5) = 10.", "A + B = 7 + 10 = 17. So the answer is 17."]) is None


def test_a_value_copied_wrongly_is_a_wrong_step() -> None:
    assert first_wrong(["A = (3 + 4) = 7.", "B = 2 * 5 = 10.", "A + B = 8 + 10 = 18."]) == 2
    assert first_wrong(["A = (3 - -4).", "A = (3 - 4) = -1."]) == 1


def test_an_answer_that_is_not_what_was_derived_is_wrong() -> None:
    assert first_wrong(["A = 2 * 3 = 6.", "Then A + 1 = 6 + 1 = 7. So the answer is 8"]) == 1


def test_a_decomposition_that_does_not_give_the_task_is_wrong_where_the_task_is_known() -> None:
    steps = ['This can be written as "A + B", where A = (3 + 4) and B = (2 * 5).', "A = (3 + 4) = 7."]
    assert first_wrong(steps, "(3 + 4) * (2 * 5) =") == 0
    assert first_wrong(steps) is None


def test_nothing_to_check_is_nothing_wrong() -> None:
    assert first_wrong([]) is None
    assert first_wrong(["The sky is blue.", ""]) is None


# Plausibility.


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("How many pizzas are left?", "-4"),
        ("How many pizzas are left?", "Paris"),
        ("How many people came?", "3.5"),
        ("How many of the 50 students passed?", "60"),
        ("How far is it in km?", "10 miles"),
        ("What is the probability of heads?", "150%"),
        ("Is Paris in France?", "42"),
        ("How old is he?", "-3"),
        ("In what year did it end?", "Napoleon"),
    ],
)
def test_what_cannot_be_an_answer(query: str, answer: str) -> None:
    assert implausible(query, answer)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("How many pizzas are left?", "None"),
        ("How many pizzas are left?", "twelve"),
        ("How many people on average live there?", "3.5"),
        ("What is the temperature?", "-4"),
        ("How many degrees did it fall below zero?", "-4"),
        ("Who created the stamp and in what year?", "Rowland Hill"),
        ("How many people were on board?", "unmanned"),
        ("Is it 3 or 4?", "4"),
        ("How far is it in km?", "16 km"),
        ("How many of the 50 students passed?", "60%"),
        ("When did it end?", "after the war"),
        ("How many?", "I cannot know how many there are, because the report does not say it."),
    ],
)
def test_what_may_be_an_answer(query: str, answer: str) -> None:
    assert implausible(query, answer) is None
