"""A total of a period is compared with the rows of it only where the table has them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.table_runs import check

THIRD = "month,income\nJuly,2800\nAugust,3750\n"
WINTER = "month,income\nJan,2800\nFeb,3750\n"
SPRING = "month,income\nJan,2800\nFeb,3750\nApr,3000\n"
CHINESE = "月份,收入\n1月,2800\n2月,3750\n"
DATED = "month,year,income\nJan,2024,2800\nFeb,2024,3750\nMar,2024,3000\n"
QUARTERS = "quarter,income\nQ1 2024,2800\nQ2 2024,3750\nQ3 2024,3000\nQ1 2023,900\nQ2 2023,800\nQ3 2023,700\nQ4 2023,600\n"
DAYS = "day,income\n2024-07-01,280\n2024-07-02,375\n2024-07-03,300\n"
WEEK = "day,income\nMonday,280\nTuesday,375\nWednesday,300\n"


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (THIRD, "Total income in the third quarter was 9,800 euros."),
        (THIRD, "Average income in Q3 was 3,100."),
        (THIRD, "## Third quarter\n\nTotal income was 9,800 euros."),
        (THIRD, "Total income for the year was 29,800."),
        (THIRD, "Total income of the summer was 9,800."),
        (THIRD, "Total income in the third quarter was 6,550."),
        (THIRD, "Year-to-date total income was 22,000."),
        (THIRD, "Third-quarter income was 9,800 in total."),
        (WINTER, "Total income in the first quarter was 9,800."),
        (WINTER, "In Q1, total income was 9,800."),
        (SPRING, "Total income in the first half was 15,800."),
        (SPRING, "Total income in H1 was 15,800."),
        (CHINESE, "第一季度收入合计为9800。"),
        (CHINESE, "第一季度总收入为9800元。"),
        (DATED, "Total income in 2024 was 39,800."),
        (QUARTERS, "Total income in 2024 was 12,800."),
        (DAYS, "Total income in July was 9,800."),
        (WEEK, "Total income of the week was 1,980."),
    ],
)
async def test_a_period_with_missing_parts_is_never_decided(table: str, text: str, tmp_path: Path) -> None:
    verdicts = await check(tmp_path, {"incomes": table}, text)
    assert not {"contradicted", "supported"} & {status for _, status, _ in verdicts}


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (THIRD + "September,3000\n", "Total income in the third quarter was 9,800 euros."),
        (SPRING.replace("Apr", "Mar"), "Total income in Q1 was 9,800."),
        (SPRING + "Mar,100\nMay,100\nJun,100\n", "Total income in the first half was 10,800."),
        (CHINESE + "3月,3000\n", "第一季度收入合计为9800。"),
        (DATED, "Total income in the first quarter of 2024 was 9,800."),
        (QUARTERS, "Total income in 2023 was 3,800."),
        (WEEK + "Thursday,1\nFriday,1\nSaturday,1\nSunday,1\n", "Total income of the week was 1,980."),
        (THIRD, "Total income in July and August was 9,800."),
        (THIRD, "In the third quarter, income in July was 2,900."),
        (WINTER, "Year-to-date total income was 9,800."),
    ],
)
async def test_a_wrong_total_of_a_whole_period_is_contradicted(table: str, text: str, tmp_path: Path) -> None:
    verdicts = await check(tmp_path, {"incomes": table}, text)
    assert [status for _, status, _ in verdicts] == ["contradicted"]


async def test_a_total_beside_a_month_of_its_period_stays_open(tmp_path: Path) -> None:
    found = await check(tmp_path, {"incomes": THIRD}, "July's income of 2,800 was a part of the total income of 9,800 in Q3.")
    assert "contradicted" not in {status for _, status, _ in found}


@pytest.mark.parametrize(("total", "status"), [("2,220", "supported"), ("2,330", "contradicted")])
async def test_a_heading_names_the_time_of_a_table_that_has_no_periods(total: str, status: str, tmp_path: Path) -> None:
    table = "region,units\nNorth,1240\nSouth,980\n"
    found = await check(tmp_path, {"sales": table}, f"# Q3 report\n\nThe North sold 1,240 units. Total units came to {total}.")
    assert [status for _, status, _ in found] == ["supported", status]
