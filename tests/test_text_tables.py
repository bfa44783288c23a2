"""The Markdown tables of a text: evidence for its prose, in agreement with themselves, and with the tables given."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.planning.text_tables import text_sheets, text_tables
from tests.table_runs import check, only

REGIONS = """# Sales

| Region | Q1 | Q2 | Total |
|---|---:|---:|---:|
| North | 1,120 | 1,259 | 2,379 |
| South | 900 | 880 | 1,780 |
| East | 500 | 540 | 1,040 |
| **Total** | **2,520** | **2,679** | **5,199** |
"""
GIVEN = "Region,Quarter,Sales\nNorth,Q1,1120\nNorth,Q2,1259\nSouth,Q1,900\nSouth,Q2,880\nEast,Q1,500\nEast,Q2,540\nWest,Q1,70\nWest,Q2,75\n"


async def test_prose_is_checked_against_the_table_beside_it(tmp_path: Path) -> None:
    prose = "\nNorth's sales were 1,259 in Q2. South had sales of 890 in Q2. In Q2, South had the highest sales. Total sales in Q1 were 2,520.\n"
    found = await check(tmp_path, {}, REGIONS + prose)
    assert found[-4:] == [("1,259", "supported", None), ("890", "contradicted", "880"), ("South", "contradicted", "North"), ("2,520", "supported", None)]


async def test_a_right_table_agrees_with_its_totals(tmp_path: Path) -> None:
    found = await check(tmp_path, {}, REGIONS)
    assert len(found) >= 6
    assert {status for _, status, _ in found} == {"supported"}


@pytest.mark.parametrize(
    ("old", "new", "flagged"),
    [("**2,679**", "**2,769**", ["**2,769**"]), ("1,780", "1,870", ["1,870"]), ("**5,199**", "**5,919**", ["**5,919**"])],
)
async def test_a_wrong_total_is_flagged_and_what_follows_from_it_is_not(tmp_path: Path, old: str, new: str, flagged: list[str]) -> None:
    found = only(await check(tmp_path, {}, REGIONS.replace(old, new)), "contradicted")
    assert found == [each.strip("*") for each in flagged]


@pytest.mark.parametrize(
    ("table", "flagged", "expected"),
    [
        ("| Item | Quantity | Unit price | Amount |\n|---|---|---|---|\n| Desk | 4 | 320.00 | 1,280.00 |\n| Chair | 12 | 95.00 | 1,140.00 |\n"
         "| Lamp | 20 | 24.50 | 450.00 |\n", "450.00", "490.00"),
        ("| Product | 2022 | 2023 | Change (%) |\n|---|---|---|---|\n| A | 120 | 150 | 25.0% |\n| B | 200 | 190 | -5.0% |\n| C | 310 | 341 | 12.0% |\n",
         "12.0%", "10.0%"),
        ("| City | Visitors | Share |\n|---|---|---|\n| Rome | 500 | 50% |\n| Pisa | 300 | 30% |\n| Bari | 200 | 25% |\n", "25%", "20%"),
        ("| 地区 | 销售额 | 占比 |\n|---|---|---|\n| 华东 | 500 | 50% |\n| 华南 | 300 | 30% |\n| 华北 | 200 | 25% |\n", "25%", "20%"),
        ("| Shop | Sales | Staff |\n|---|---|---|\n| Oak | 620 | 4 |\n| Elm | 280 | 3 |\n| Ash | 415 | 5 |\n| 合计 | 1,351 | 12 |\n", "1,351", "1,315"),
        ("| Unit | Score | Cost |\n|---|---|---|\n| a | 10 | 40 |\n| b | 20 | 60 |\n| Average | 15 | 55 |\n", "55", "50"),
    ],
)  # fmt: skip
async def test_a_cell_that_the_others_do_not_give_is_flagged(tmp_path: Path, table: str, flagged: str, expected: str) -> None:
    found = await check(tmp_path, {}, table)
    assert [(focus, put) for focus, status, put in found if status == "contradicted"] == [(flagged, expected)], found


@pytest.mark.parametrize(
    "table",
    [
        "| Region | Revenue (m) |\n|---|---|\n| North | 1.3 |\n| South | 2.4 |\n| East | 1.4 |\n| Total | 5.0 |\n",
        "| Team | Sales | Average age |\n|---|---|---|\n| A | 10 | 40 |\n| B | 20 | 50 |\n| Total | 30 | 47 |\n",
        "| Item | Amount |\n|---|---|\n| a | 10 |\n| b | – |\n| c | 20 |\n| Total | 45 |\n",
        "| Item | Amount |\n|---|---|\n| a | 10 |\n| b | 20 |\n| Subtotal | 30 |\n| c | 5 |\n| Total | 35 |\n",
        "| Month | New | Cumulative |\n|---|---|---|\n| May | 10 | 10 |\n| June | 20 | 30 |\n| July | 5 | 35 |\n| Total | 35 | 35 |\n",
        "| Arm | N | Responders (%) |\n|---|---|---|\n| a | 100 | 20% |\n| b | 300 | 40% |\n| All patients | 400 | 35% |\n",
        "| Selected items | Amount |\n|---|---|\n| a | 10 |\n| b | 20 |\n| Total assets | 900 |\n",
        "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | 5 | 9 |\n| 7 | 8 | 11 |\n",
        "| Year | Value | Change |\n|---|---|---|\n| 2021 | 195 | – |\n| 2022 | 351 | +80.0% |\n| 2023 | 428 | +21.9% |\n",
        "| x |\n|---|\n| 1 |\n",
        "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| 4 |\n",
        "```\n| a | total |\n|---|---|\n| 1 | 2 |\n| Total | 9 |\n```\n",
    ],
)
async def test_what_may_be_rounded_missing_weighted_or_partial_is_never_flagged(tmp_path: Path, table: str) -> None:
    assert not only(await check(tmp_path, {}, table), "contradicted")


async def test_cells_are_compared_with_the_tables_given(tmp_path: Path) -> None:
    table = "| Region | Sales | Q1 |\n|---|---:|---:|\n| North | 2,379 | 1.12 |\n| South | 1,870 | 0.90 |\n| East | 1,040 | 0.50 |\n| West | 145 | 0.07 |\n"
    found = await check(tmp_path, {"sales": GIVEN}, table)
    assert ("1,870", "contradicted", "1,780") in found
    assert [focus for focus, status, _ in found if status == "supported"] == ["2,379", "1.12", "0.90", "1,040", "0.50", "145", "0.07"]


async def test_figures_that_are_not_those_of_the_table_given_are_left_alone(tmp_path: Path) -> None:
    table = "| Region | Sales |\n|---|---:|\n| North | 3,100 |\n| South | 2,200 |\n| East | 1,300 |\n| West | 160 |\n"
    assert not await check(tmp_path, {"sales": GIVEN}, table)


@given(st.text(alphabet="|-: \n*a1.,%—合`\\", max_size=200))
def test_any_text_is_read_as_tables_or_none(text: str) -> None:
    for table in text_tables(text):
        assert all(len(row) == len(table.header) for row in table.rows)
        assert all(text[slice(*cell.span)] == cell.text or not cell.text for row in table.rows for cell in row)
    assert all(forms for _, forms in text_sheets(text_tables(text)))


@pytest.mark.parametrize("label", ["Total", "Summe", "合计"])
async def test_a_slip_in_the_total_of_two_rows_is_flagged(label: str, tmp_path: Path) -> None:
    found = await check(tmp_path, {}, f"| Item | Amount |\n|---|---|\n| A | 100 |\n| B | 150 |\n| {label} | 240 |\n")
    assert [(focus, status, expected) for focus, status, expected in found if status == "contradicted"] == [("240", "contradicted", "250")]


@pytest.mark.parametrize(
    "table",
    [
        "| Item | Amount |\n|---|---|\n| Income | 500 |\n| Expenses | 20 |\n| Total | 480 |\n",
        "| Item | Amount |\n|---|---|\n| Price | 500 |\n| Discount | 12 |\n| Total | 490 |\n",
        "| Item | Amount |\n|---|---|\n| A | 500 |\n| B | 20 |\n| Total | 480 |\n",
        "| Item | Amount |\n|---|---|\n| A | 100 |\n| B | 150 |\n| Total | 900 |\n",
        "| Language | Speakers |\n|---|---|\n| French | 100 |\n| Dutch | 150 |\n| Total | 240 |\n",
    ],
)
async def test_two_rows_that_may_not_add_up_to_their_total_are_left_open(table: str, tmp_path: Path) -> None:
    assert not only(await check(tmp_path, {}, table), "contradicted")
