"""Arithmetic routes, decided by the real tools: verdict, replacement of the derived figure, links between figures."""

from __future__ import annotations

import pytest

from redraft.planning.arithmetic import routes
from redraft.protocols import Route
from redraft.tools.calculator import CalculatorTool
from redraft.tools.dates import DatesTool
from redraft.tools.units import UnitsTool
from redraft.types import Failure, Verdict

TOOLS = {"calculator": CalculatorTool(), "units": UnitsTool(), "dates": DatesTool()}


async def check(text: str) -> list[tuple[Route, Verdict | None]]:
    found: list[tuple[Route, Verdict | None]] = []
    for route in routes(text):
        results = [await TOOLS[call.tool].run(call) for call in route.calls]
        found.append((route, route.decide(results)))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("150 * 40 = 6,200", "6,000"),
        ("The total is $5.00 + $3.25 = $8.52.", "$8.25"),
        ("17% of 2,340 is 400.", "397.8"),
        ("10/3 = 3.4", "3.333"),
        ("1.234,56 + 1,00 = 1.236,56", "1.235,56"),
        ("1/2 + 1/3 = 2/5", "5/6"),
        ("Revenue rose from 80 to 100, an increase of 20%.", "25%"),
        ("Two plus two is five.", "4"),
        ("√16 = 5", "4"),
        ("5! = 121", "120"),
        ("5 feet is 61 inches.", "60"),
        ("March 1, 2024 was a Monday.", "Friday"),
        ("April has 31 days.", "30"),
        ("3加5等于9。", "8"),
    ],
)
async def test_only_the_derived_figure_is_replaced_in_its_own_format(text: str, expected: str) -> None:
    ((route, verdict),) = await check(text)
    assert verdict is not None
    assert (verdict.status, verdict.method, verdict.confidence, verdict.expected) == ("contradicted", "computed", 1.0, expected)
    assert route.claim.focus is not None
    start, end = route.claim.focus
    ((_, mended),) = await check(text[:start] + expected + text[end:])
    assert mended is not None
    assert mended.status == "supported"


@pytest.mark.parametrize(
    ("text", "alternatives"),
    [
        ("90 is 25% of 400", ("100",)),
        ("1 to 31 March is 40 days", ("30", "31")),
        ("1.234 + 1 = 2.236", ("2.234",)),
        ("7 / 2 = 3 R 2", ("1",)),
        ("2023 is a leap year", ()),
        ("(7 - 28) * 2 = 7 * 3 - 62", ()),
    ],
)
async def test_a_repair_that_is_not_unique_is_only_noted(text: str, alternatives: tuple[str, ...]) -> None:
    ((_, verdict),) = await check(text)
    assert verdict is not None
    assert (verdict.status, verdict.expected, verdict.alternatives) == ("contradicted", None, alternatives)


@pytest.mark.parametrize(
    "text",
    [
        "17% of 2,340 is 397.8.",
        "10/3 = 3.3",
        "1/2^99 = 1.5777218104420236e-30",
        "1 to 31 March is 31 days",
        "1 to 31 March is 30 days",
        "3-5 = -2",
        "-5 + 3 = -2",
        "100 km (62 mi)",
        "1900 was not a leap year.",
        "3(5 - x) = 15 - 3x",
        "The square root of 2 is 1.414.",
        "2 hours + 30 minutes = 2.5 hours",
        "about half of 11 is 5.5",
        "2/3 = 67%",
    ],
)
async def test_what_is_right_is_supported(text: str) -> None:
    found = await check(text)
    assert found
    assert all(verdict is not None and verdict.status == "supported" for _, verdict in found)


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9 = 5",
        "12 / 0 = 5",
        "2 + 2 = 5 is wrong",
        "6/2(1+2) = 1",
        "2/3 = 0.66",
        "In binary, 1 + 1 = 10.",
        "The Declaration was signed on Friday, July 4, 1776.",
    ],
)
async def test_what_is_open_gets_no_verdict(text: str) -> None:
    assert [verdict for _, verdict in await check(text)] == [None]


async def test_the_page_whose_second_sum_uses_the_first_result() -> None:
    text = "150 * 40 = 6,200 crates were sold.\nWith the 4,800 of last year, that is 6,200 + 4,800 = 11,000."
    (first, wrong), (second, right) = await check(text)
    assert wrong is not None
    assert right is not None
    assert (wrong.status, wrong.expected, right.status) == ("contradicted", "6,000", "supported")
    assert second.claim.depends_on == (first.claim.id,)
    assert first.claim.depends_on == ()


async def test_a_figure_that_two_statements_derive_is_no_certain_link() -> None:
    found = await check("2 + 3 = 5. 1 + 4 = 5. 5 * 2 = 10.")
    assert found[2][0].claim.depends_on == ()


async def test_every_figure_of_a_chain_is_mended_alone() -> None:
    found = await check("2 * 3 = 7 = 8")
    assert [verdict.expected for _, verdict in found if verdict] == ["6", "6"]


async def test_a_chain_that_disagrees_with_itself_is_not_mended() -> None:
    found = await check("2 * 3 = 4 + 4 = 9")
    assert [(verdict.status, verdict.expected) for _, verdict in found if verdict] == [("contradicted", None), ("contradicted", None)]


async def test_the_note_says_what_is_right() -> None:
    ((_, verdict),) = await check("We know that 17% of 2,340 is 400.")
    assert verdict is not None
    assert verdict.note == "17% of 2,340 is 397.8"


def test_a_tool_that_failed_proves_nothing() -> None:
    (route,) = routes("2 + 2 = 5")
    assert route.decide([Failure(tool="calculator", input="2 + 2", kind="timeout", message="no answer")]) is None


def test_claims_are_the_words_of_the_text_with_stable_ids() -> None:
    text = "2 + 2 = 4, and again 2 + 2 = 4."
    found = routes(text)
    assert all(text[r.claim.span[0] : r.claim.span[1]] == r.claim.text for r in found)
    assert len({r.claim.id for r in found}) == 2
    assert routes("2 + 2 = 4")[0].claim.id == found[0].claim.id
    assert all(r.plan == "rule" and r.claim.kind == "number" for r in found)


def test_fenced_code_is_not_read() -> None:
    assert routes("```python\nassert 2 + 2 == 5\n```") == ()
