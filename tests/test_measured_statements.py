"""Products of measurements, comparisons in signs, times of day, days that no month has, conversions in brackets: decided by the real tools."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from redraft.claims.segment import claiming
from redraft.planning.arithmetic import routes, routing
from redraft.planning.pace import unhurried
from redraft.protocols import Route
from redraft.tools.calculator import CalculatorTool
from redraft.tools.dates import DatesTool
from redraft.tools.units import UnitsTool
from redraft.types import Verdict

TOOLS = {"calculator": CalculatorTool(), "units": UnitsTool(), "dates": DatesTool()}


async def check(text: str) -> list[tuple[Route, Verdict | None]]:
    found: list[tuple[Route, Verdict | None]] = []
    for route in routes(text):
        results = [await TOOLS[call.tool].run(call) for call in route.calls]
        found.append((route, route.decide(results)))
    return found


async def statuses(text: str) -> list[str]:
    return [verdict.status if verdict else "undecided" for _, verdict in await check(text)]


@pytest.mark.parametrize(
    "text",
    [
        "100 km / 2 h = 50 km/h",
        "3 m * 4 m = 12 m²",
        "The room is 3 m × 4 m = 12 square metres.",
        "60 W * 10 h = 0.6 kWh",
        "12 items * $3.50 = $42",
        "5 m/s * 10 s = 50 m",
        "240 miles ÷ 4 hours = 60 mph",
        "2 kg * 9.8 m/s² = 19.6 N",
        "12 V × 2 A = 24 W",
        "Density: 2.50 kg / 450 cm³ = 5.56 g/cm³.",
        "10 kg / 4 L = 2.5 g/mL",
        "1 kg * 1000 = 1 t",
        "They drove 150 km in 2.5 hours, at an average speed of 60 km/h.",
        "3 × 14 > 40",
        "17% of 300 ≤ 52",
        "2^10 ≥ 1000",
        "7 * 6 ≠ 43",
        "1/3 < 1/2",
        "20 °C (68 °F)",
        "20 °C (68°F) and 5 miles (8 km)",
        "12 kg (26.5 lb)",
        "10–12 km (6–7 miles)",
        "From 9:40 to 11:15 is 1 hour 35 minutes.",
        "The train departs 22:30, arrives 01:15, so the trip takes 2 h 45 min.",
        "8:30 pm plus 45 minutes is 9:15 pm.",
        "Between 10:30 and 1:15 is 2 hours 45 minutes.",
        "45 minutes before 09:15 is 08:30.",
        "The film starts at 19:30, runs 2 h 10 min and is over at 21:40.",
        "1 to 31 March is 31 days",
    ],
)
async def test_true_statements_with_measures_are_supported(text: str) -> None:
    found = await statuses(text)
    assert found
    assert set(found) == {"supported"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("100 km / 2 h = 60 km/h", "50"),
        ("100 km / 2 h = 50 m/s", None),
        ("3 m x 4 m = 13 square metres", "12"),
        ("60 miles / 2 h = 30 km/h.", None),
        ("2 kW * 3 h = 6 MWh.", None),
        ("60 miles / 2 h = 40 km/h.", "48.28032"),
        ("12 V * 2 A = 25 W", "24"),
        ("12 items * $3.50 = $43", "$42"),
        ("20 °C (72 °F)", "68"),
        ("From 9:40 to 11:15 is 1 hour 45 minutes.", "1 hour 35 minutes"),
        ("From 9:40 to 11:15 is 105 minutes.", "95 minutes"),
        ("8:30 pm plus 45 minutes is 9:25 pm.", "9:15 pm"),
        ("The train departs at 08:30, arrives at 10:05, so the trip takes 2 h 35 min.", "1 h 35 min"),
        ("3 × 14 > 43", None),
        ("17% of 300 ≤ 50", None),
        ("2^10 > 1024", None),
        ("7 * 6 ≠ 42", None),
        ("The report is due on 29 February 2025.", None),
        ("The report is due on 31 June.", None),
        ("It was filed on 2025-02-30.", None),
        ("会议定于2025年2月30日。", None),
        ("Die Frist endet am 31.06.2025.", None),
        ("The offer ends on Monday, 3 March 2026.", "Tuesday"),
    ],
)
async def test_false_statements_with_measures_are_contradicted(text: str, expected: str | None) -> None:
    ((route, verdict),) = await check(text)
    assert verdict is not None
    assert (verdict.status, verdict.expected) == ("contradicted", expected)
    if expected is not None and route.claim.focus is not None:
        start, end = route.claim.focus
        assert await statuses(text[:start] + expected + text[end:]) == ["supported"]


@pytest.mark.parametrize(
    "text",
    [
        "100 km / 2 h = 50 kg",
        "12 euros * 3 = 36 dollars",
        "100 km / 2 zorks = 60 m/s",
        "They ran 100 km in 2 hours at a top speed of 60 km/h.",
        "If 3 * 14 > 43, stop.",
        "Settings > 2 > 3",
        "Python 3.11 > 3.9",
        "1/2/2024 > 3",
        "1-2 < 0-3",
        "while x < 10: y = 3 -> 4",
        "> 3 * 4 is twelve",
        "The oven is at 180 °C (350 °F).",
        "20 °C (70 °F)",
        "There is no 31 June.",
        "29 February 2025 does not exist.",
        "The parser rejects 2025-02-30.",
        "“31 June” is what the form said.",
        "In June 31 people came.",
        "We shipped 31 June orders.",
        "On 29 February 1900 the Russian calendar still had that day.",
        "The flight departs at 10:00, arrives at 13:00, so it takes 8 hours.",
        "The train departs Paris at 10:00, arrives in London at 11:20, so the trip takes 2 h 20 min.",
        "From 9:00 to 17:00 is 7 hours of work with a lunch break.",
        "Open from 9:00 to 17:00, each visit takes 1 hour.",
        "From 9:40 to 11:15 EST is 5 hours.",
        "It would not be right that 8:30 pm plus 45 minutes is 9:25 pm.",
    ],
)
async def test_what_is_not_certainly_false_is_not_contradicted(text: str) -> None:
    assert "contradicted" not in await statuses(text)


SENTENCES = [line for line in (Path(__file__).parent / "true_sentences.txt").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
"""What people write about money, science, sport, cooking, software, law and travel, in several languages: true, or not stated as a fact."""


async def test_no_sentence_that_is_true_is_contradicted() -> None:
    assert len(SENTENCES) > 400
    assert [sentence for sentence in SENTENCES if "contradicted" in await statuses(sentence)] == []


async def test_true_sentences_stay_true_side_by_side() -> None:
    text = "\n".join(sentence for sentence in SENTENCES if sentence.isascii())
    assert "contradicted" not in await statuses(text)


@pytest.mark.parametrize(
    "text",
    [
        "Memory use fell 30%, from 1.0 GB to 700 MB.",
        "The ferry runs from 9:00 to 17:00, a crossing takes 1 hour.",
        "The class from 10:30 to 12:00 lasts an hour and a half.",
        "2 hours * 60 = 120 minutes",
        "3 ft × 12 = 36 in.",
    ],
)
async def test_a_figure_in_another_unit_or_of_another_thing_is_not_held_against_the_first(text: str) -> None:
    assert "contradicted" not in await statuses(text)


async def test_other_tasks_run_while_a_long_page_is_planned() -> None:
    turns, planned = 0, False

    async def turning() -> None:
        nonlocal turns
        while not planned:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.ensure_future(turning())
    found = await unhurried(routing("\n\n".join(f"{n} + 1 = {n + 1}" for n in range(2000))))
    claimed = await unhurried(claiming("One thing is so.\n\n" * 1000))
    planned = True
    await other
    assert (len(found), len(claimed)) == (2000, 1000)
    assert turns > 60
