"""The calculator is exact, quick on hostile input, and refuses what can be read in two ways."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.decimals import shown
from redraft.tools.calculator import CalculatorTool, ExpressionError, calculate, evaluate
from redraft.types import Evidence, Failure, ToolCall


async def run(expression: str) -> Evidence | Failure:
    result = await CalculatorTool().run(ToolCall(tool="calculator", input=expression))
    return result if isinstance(result, Failure) else result[0]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("17% of 2340", "1989/5"),
        ("17% of 2,340", "1989/5"),
        ("20 percent of 50", "10"),
        ("3/4 of 96", "72"),
        ("½ of 96", "48"),
        ("0.1 + 0.2", "3/10"),
        ("12 × 5 ÷ 4", "15"),
        ("2^10 − 24", "1000"),
        ("2(3+4)", "14"),
        ("3 x 4", "12"),
        ("17 % 5", "2"),
        ("50%*20", "10"),
        ("10% + 5%", "3/20"),
        ("5!", "120"),
        ("5000!/4998!", "24995000"),
        ("sqrt(16) + √9", "7"),
        ("8^(1/3)", "2"),
        ("-2^2", "-4"),
        ("5 - -3", "8"),
        ("1/2^99", str(Fraction(1, 2**99))),
        ("1.234,56 * 2", "61728/25"),
        ("1,234,567 + 1", "1234568"),
        ("3\u202f000 + 1", "3001"),
        ("$12 * 5 =", "60"),
        ("007 + 1", "8"),
        ("1.5e3", "1500"),
        ("mean(3, 4, 8)", "5"),
        ("mean(3,4,8)", "5"),
        ("max(1, 200)", "200"),
        ("gcd(12, 18) + lcm(4, 6)", "18"),
        ("round(2.5) + floor(7/2) + ceil(7/2) + abs(-1)", "11"),
        ("round(10/3, 2)", "333/100"),
        ("median(4, 1, 3)", "3"),
        ("mod(47, 6)", "5"),
        ("[2 + {3}] * 2", "10"),
    ],
)
def test_value_is_exact(expression: str, value: str) -> None:
    assert evaluate(expression) == Fraction(value)


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("9**9**9", "too_large"),
        ("9^9^9^9", "too_large"),
        ("1e5000", "too_large"),
        ("99999!", "too_large"),
        ("1" * 10_000, "too_large"),
        ("-" * 1500 + "1", "too_large"),
        ("(" * 500 + "1" + ")" * 500, "bad_input"),
        ("((1)", "bad_input"),
        ("1/0", "bad_input"),
        ("0^-1", "bad_input"),
        ("sqrt(-1)", "bad_input"),
        ("1,5", "bad_input"),
        ("max(1,200)", "bad_input"),
        ("200 + 10%", "bad_input"),
        ("0x10", "bad_input"),
        ("__import__('os').system('id')", "bad_input"),
        ("(1).__class__", "bad_input"),
        ("'a' * 9", "bad_input"),
        ("lambda: 1", "bad_input"),
        ("1 if 1 else 2", "bad_input"),
        ("[1, 2]", "bad_input"),
        ("x + 1", "bad_input"),
        ("sum()", "bad_input"),
        ("round(1, 2, 3)", "bad_input"),
        ("factorial(1/2)", "bad_input"),
        ("1\x00+1", "bad_input"),
    ],
)
async def test_what_is_no_arithmetic_fails_in_words(expression: str, kind: str) -> None:
    result = await run(expression)
    assert isinstance(result, Failure)
    assert result.kind == kind
    assert result.message


async def test_evidence_shows_the_fraction_and_the_decimal() -> None:
    result = await run("2340*17/100")
    assert isinstance(result, Evidence)
    assert (result.text, result.value) == ("1989/5 = 397.8", "1989/5")


async def test_inexact_values_are_marked_and_shown_with_at_least_four_digits() -> None:
    third, root = await run("10/3"), await run("sqrt(2)")
    assert isinstance(third, Evidence)
    assert third.text == "10/3 ≈ 3.33333"
    assert isinstance(root, Evidence)
    assert root.text == "≈ 1.41421"
    assert root.value.startswith("1.41421356237309504880168872")


async def test_a_result_too_long_to_write_out_is_refused() -> None:
    result = await run("5000!")
    assert isinstance(result, Failure)
    assert result.kind == "too_large"


@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
def test_sums_products_and_quotients_equal_those_of_fractions(a: Fraction, b: Fraction) -> None:
    assert evaluate(f"({a}) + ({b})") == a + b
    assert evaluate(f"({a}) * ({b})") == a * b
    if b:
        assert evaluate(f"({a}) / ({b})") == a / b


@given(st.text(max_size=60))
def test_any_text_gives_a_value_or_an_expression_error(text: str) -> None:
    try:
        value, _ = calculate(text)
    except ExpressionError:
        return
    assert isinstance(value, Fraction)


@given(st.text(alphabet="0123456789+-*/().,% ^!x", max_size=30))
def test_any_arithmetic_like_text_gives_a_value_or_an_expression_error(text: str) -> None:
    with suppress(ExpressionError):
        assert isinstance(evaluate(text), Fraction)


@given(st.fractions())
def test_what_is_shown_is_within_one_part_in_a_hundred_thousand(value: Fraction) -> None:
    assert abs(Fraction(shown(value)) - value) <= abs(value) / 100_000
