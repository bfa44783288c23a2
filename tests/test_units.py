"""Conversions are exact, and ambiguous units come with the reading that was taken."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.unit_names import exact_names, read_unit
from redraft.tools.units import UnitError, UnitsTool, convert
from redraft.types import Evidence, Failure, ToolCall


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("100 km to mi", "781250/12573"),
        ("5 ft 11 in to cm", "180.34"),
        ("5'11\" to cm", "180.34"),
        ("10 in in cm", "25.4"),
        ("98.6 °F to °C", "37"),
        ("98.6 F in celsius", "37"),
        ("-40 C to F", "-40"),
        ("0 K to C", "-273.15"),
        ("90 km/h to m/s", "25"),
        ("60 miles per hour to kilometres per hour", "96.56064"),
        ("2 1/2 hours to minutes", "150"),
        ("2 hours and 30 minutes to seconds", "9000"),
        ("1,500 m to km", "1.5"),
        ("500 sq ft to m²", "46.4515200"),
        ("3 cubic meters to liters", "3000"),
        ("1 kg/m^3 to g/cm3", "0.001"),
        ("2 acres to hectares", "158080329/195312500"),
        ("5 GB to MB", "5000"),
        ("100 Mbps to MB/s", "12.5"),
        ("3 years to months", "36"),
        ("3 years to days", "1095"),
        ("200 kcal to kJ", "836.8"),
        ("3 stone 5 pounds to pounds", "47"),
    ],
)
def test_conversion_is_exact(text: str, value: str) -> None:
    assert convert(text).value == Fraction(value)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("2 gallons to litres", "US liquid gallon"),
        ("8 ounces to ml", "US fluid ounce"),
        ("5 tons to kg", "US short ton"),
        ("3 cups to ml", "US cup"),
        ("3 years to days", "365 days"),
    ],
)
def test_an_ambiguous_unit_is_answered_with_its_reading(text: str, reading: str) -> None:
    assert reading in convert(text).reading


@pytest.mark.parametrize("text", ["2 imperial gallons to litres", "2 US gallons to litres", "3 years to months", "8 ounces to grams", "5 tonnes to kg"])
def test_a_unit_that_is_clear_needs_no_reading(text: str) -> None:
    assert convert(text).reading == ""


def test_two_units_share_the_result() -> None:
    assert convert("180 cm to feet and inches").text == "5 feet 10.8661 inches"
    assert convert("10000 seconds to hours and minutes and seconds").text == "2 hours 46 minutes 40 seconds"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "bad_input"),
        ("x to y", "bad_input"),
        ("10 km to kg", "bad_input"),
        ("10 foo to bar", "bad_input"),
        ("-300 C to F", "bad_input"),
        ("1/0 km to m", "bad_input"),
        ("1e9999 km to m", "too_large"),
        ("9**9**9 km to m", "bad_input"),
        ("9" * 100 + " km to m", "too_large"),
        ("1 km to m " * 100, "too_large"),
        ("5 C 3 C to F", "bad_input"),
    ],
)
async def test_what_cannot_be_converted_fails_in_words(text: str, kind: str) -> None:
    result = await UnitsTool().run(ToolCall(tool="units", input=text))
    assert isinstance(result, Failure)
    assert result.kind == kind


async def test_evidence_states_both_sides() -> None:
    result = await UnitsTool().run(ToolCall(tool="units", input="2 gallons to litres"))
    assert not isinstance(result, Failure)
    assert isinstance(result[0], Evidence)
    assert result[0].text == "2 gallons ≈ 7.57082 litres (gallon read as the US liquid gallon)"
    assert Fraction(result[0].value) == Fraction("7.570823568")


def test_every_spelling_of_the_vocabulary_converts_to_itself() -> None:
    units = {unit.pint: name for name, unit in exact_names().items() if name[0].isalpha() and name.isascii() and not name.endswith(".")}
    for name in units.values():
        assert convert(f"7 {name} to {name}").value == 7, name


@given(st.sampled_from(sorted(exact_names())), st.text(max_size=5))
def test_reading_a_unit_never_fails_and_ends_inside_the_text(name: str, tail: str) -> None:
    text = f"{name} {tail}"
    found = read_unit(text)
    assert found is None or 0 < found[1] <= len(text)


@given(
    st.fractions(min_value=-1000, max_value=1000, max_denominator=100),
    st.sampled_from([("km", "mi"), ("lb", "kg"), ("°F", "°C"), ("gal", "l"), ("mph", "m/s")]),
)
def test_there_and_back_is_the_same(value: Fraction, pair: tuple[str, str]) -> None:
    one, other = pair
    try:
        there = convert(f"{value} {one} to {other}").value
    except UnitError:
        assert one == "°F"  # below absolute zero
        return
    assert convert(f"{there} {other} to {one}").value == value


@given(st.text(max_size=40))
def test_any_text_is_converted_or_refused(text: str) -> None:
    with suppress(UnitError):
        convert(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("100 km / 2 h to km/h", Fraction(50)),
        ("(60 W) * (10 h) to kWh", Fraction(3, 5)),
        ("(3 m) × (50 cm) to m²", Fraction(3, 2)),
        ("2 kg * 9.8 m/s² to N", Fraction(98, 5)),
        ("3 / 4 cup to cups", Fraction(3, 4)),
    ],
)
def test_products_of_measurements_are_converted(text: str, value: Fraction) -> None:
    assert convert(text).value == value


@pytest.mark.parametrize(("text", "words"), [("100 km / 2 h to kg", "does not measure what kg does"), ("20 °C * 2 to °C", "do not multiply")])
def test_products_that_measure_something_else_are_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(UnitError, match=words):
        convert(text)
