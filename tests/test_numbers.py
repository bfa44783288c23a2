"""Figures: read in every notation, compared exactly, judged by the digits shown, written back in their own format."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.numbers import agrees, decimal_mark, equal, final, plain, read, rounds_to, show

F = Fraction


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,234.56", [F("1234.56")]),
        ("1.234,56", [F("1234.56")]),
        ("1 234", [F(1234)]),
        ("12,34,567", [F(1234567)]),
        ("1'234'567", [F(1234567)]),
        ("1_000", [F(1000)]),
        ("1.234", [F("1.234")]),
        ("1.234 und 3,50", [F(1234), F("3.5")]),
        ("-5", [F(-5)]),
        ("−7 and -$5 and $-5", [F(-7), F(-5), F(-5)]),
        ("3/4 of it, ½ cup, 2½, 3 1/2", [F(3, 4), F(1, 2), F(5, 2), F(7, 2)]),
        ("1.5e6, 1.5×10^6, 2 x 10⁻³", [F(1500000), F(1500000), F(1, 500)]),
        ("US$5 million, €1.2bn, $3M, 3.5亿, 120万", [F(5000000), F(1200000000), F(3000000), F(350000000), F(1200000)]),
        ("10km and 5 kg", [F(10), F(5)]),
        ("two hundred and five; twenty-one; three million", [F(205), F(21), F(3000000)]),
        ("half a million, two thirds, a dozen", [F(500000), F(2, 3), F(12)]),
        ("一百二十 and 三千五百万", [F(120), F(35000000)]),
        ("１２３．５", [F("123.5")]),
        ("٣٤", [F(34)]),
    ],
)
def test_values(text: str, values: list[Fraction]) -> None:
    assert [quantity.value for quantity in read(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "First Street",
        "the twenty-first century",
        "21st",
        "2024-03-01",
        "3/4/2024",
        "9:30",
        "1.2.3",
        "555-123-4567",
        "3D A4 x2 5x",
        "the 1990s",
        "24/7",
        "one of them",
        "万一",
        "第三",
        "1,2,3",
    ],
)
def test_what_is_no_amount(text: str) -> None:
    assert read(text) == ()


@pytest.mark.parametrize("text", ["3-5", "3–5", "3—5"])
def test_a_dash_between_figures_is_a_range_and_no_sign(text: str) -> None:
    (quantity,) = read(text)
    assert (quantity.value, quantity.high) == (3, 5)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("17%", "percent", True),
        ("17 per cent", "percent", True),
        ("百分之二十", "percent", True),
        ("about 400", "approximate", True),
        ("约400", "approximate", True),
        ("400左右", "approximate", True),
        ("nearly 400", "approximate", True),
        ("more than 400", "bound", ">"),
        ("up to 400", "bound", "<"),
        ("they add up to 400", "bound", ""),
        ("0.666...", "truncated", True),
        ("$5", "unit", "$"),
        ("5 km", "unit", "km"),
        ("5 and 6", "unit", ""),
        ("3.50", "decimals", 2),
    ],
)
def test_what_is_known_of_a_figure(text: str, field: str, value: object) -> None:
    assert getattr(read(text)[0], field) == value


def test_convention_is_decided_by_the_text_around() -> None:
    assert decimal_mark("1.234,56") == ","
    assert decimal_mark("1,234.56") == "."
    assert decimal_mark("1.234") == ""
    assert decimal_mark("1.234,56 and 1,234.56") == ""


def test_equal_is_exact() -> None:
    def one(text: str):
        return read(text)[0]

    assert equal(one("1.0"), one("1"))
    assert equal(one("17%"), one("0.17"))
    assert not equal(one("-5"), one("5"))
    assert not equal(one("3.0"), one("3.04"))
    assert not equal(one("0.05"), one("5"))
    assert not equal(one("1.234,56"), one("1.23456"))
    assert not equal(one("3-5"), one("-5"))


@pytest.mark.parametrize(
    ("exact", "shown", "verdict"),
    [
        (F(10, 3), "3.3", True),
        (F(10, 3), "3.4", False),
        (F(10, 3), "3", True),
        (F(10, 3), "3.33", True),
        (F(5, 2), "3", True),
        (F(5, 2), "2", True),
        (F(2, 3), "0.67", True),
        (F(2, 3), "0.66", None),
        (F(2, 3), "0.66...", True),
        (F(2, 3), "0.65", False),
        (F(20, 3), "6.666666666666666", True),
        (F("397.8"), "about 400", True),
        (F("397.8"), "about 430", None),
        (F("397.8"), "about 500", False),
        (F("397.8"), "over 390", True),
        (F("397.8"), "over 400", None),
        (F(3900000), "4 million", True),
        (F(3400000), "4 million", False),
        (F(5, 6), "5/6", True),
        (F(4), "3-5", True),
    ],
)
def test_rounding_is_judged_by_the_digits_shown(exact: Fraction, shown: str, verdict: bool | None) -> None:
    quantity = read(shown)[0]
    assert agrees(exact, quantity) is verdict
    assert rounds_to(exact, quantity) is (verdict is True)


@pytest.mark.parametrize(
    ("value", "like", "expected"),
    [
        (F("397.8"), "400", "397.8"),
        (F(10, 3), "3.4", "3.333"),
        (F(6000), "6,200", "6,000"),
        (F("1235.56"), "1.236,56", "1.235,56"),
        (F("13.5"), "$13.00", "$13.50"),
        (F(100, 3), "$33.00", "$33.33"),
        (F(25), "20%", "25%"),
        (F(3000000), "4 million", "3 million"),
        (F(5, 6), "2/5", "5/6"),
        (F(5, 2), "2 1/4", "2 1/2"),
        (F(-3), "5", "-3"),
        (F(4), "five", "4"),
        (F(1, 3000), "0.1", "0.0003333"),
        (F(1235), "1 236", "1 235"),
    ],
)
def test_a_value_is_written_in_the_format_of_the_figure(value: Fraction, like: str, expected: str) -> None:
    assert show(value, read(like)[0]) == expected


@given(st.integers(-(10**12), 10**12), st.integers(0, 4), st.sampled_from(["1,234.5", "12.25", "$5", "7", "1.234,5", "5 %"]))
def test_what_is_written_is_read_back_exactly(number: int, decimals: int, like: str) -> None:
    value = F(number, 10**decimals)
    (pattern,) = read(like)
    mark = "1.000,5 " if pattern.mark == "," else "1,000.5 "
    assert read(mark + show(value, pattern))[-1].value == value


@given(st.text(alphabet="0123456789.,-+ %$€½/eE×^−一百万twohndrethirty–~约()", max_size=60))
def test_every_span_is_its_text(text: str) -> None:
    end = 0
    for quantity in read(text):
        a, b = quantity.span
        assert text[a:b] == quantity.text
        assert a >= end
        end = b


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#### 1,234", 1234),
        ("Two steps.\nA: 90,000", 90000),
        ("The answer is 42.", 42),
        ("So the answer is: 3 * 4 = 12.", 12),
        ("The final answer is \\boxed{17}.", 17),
        ("First 3, then 4.", 4),
        ("答案是42。", 42),
        ("The answer is forty-two.", 42),
        ("The answer is -129025", -129025),
    ],
)
def test_final_answer(text: str, expected: int) -> None:
    quantity = final(text)
    assert quantity is not None
    assert quantity.value == expected


def test_no_final_answer_without_a_figure() -> None:
    assert final("I do not know.") is None


def test_plain_text_keeps_its_length() -> None:
    text = "１＋１＝２ − × \u00a0"
    assert len(plain(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "9" * 10_000,
        "1," * 20_000,
        "1e999999999",
        "1 × 10^99999999",
        "-" * 20_000 + "1",
        "one hundred and " * 3_000,
        "一百" * 20_000,
        "1\x002",
        "\u202e12\u202c",
    ],
)
def test_hostile_figures_are_read_or_left(text: str) -> None:
    assert all(quantity.value.numerator.bit_length() < 5000 for quantity in read(text))


@pytest.mark.parametrize(
    ("text", "value", "approximate"),
    [
        ("It was 2.4x that of last year.", Fraction(12, 5), False),
        ("Sales were 1.5x.", Fraction(3, 2), False),
        ("Some 25.1 % of it", Fraction(251, 10), False),
        ("about 3.5 hours", Fraction(7, 2), False),
        ("some 25 people", Fraction(25), True),
    ],
)
def test_a_multiple_is_read_and_some_before_decimals_hedges_nothing(text: str, value: Fraction, approximate: bool) -> None:
    (figure,) = read(text)
    assert (figure.value, figure.approximate) == (value, approximate)


@pytest.mark.parametrize("text", ["2.4x + y", "2x + y", "2.4xy"])
def test_the_x_of_algebra_is_no_multiple(text: str) -> None:
    assert read(text) == ()
