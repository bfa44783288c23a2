"""Figures and superlatives in prose against tables: what is supported, what is contradicted, and above all what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.table_runs import check, only


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("sales", "Revenue in North grew 12.4% from Q1 to Q2, reaching 1,259."),
        ("sales", "South's revenue slipped to 880 in Q2."),
        ("sales", "North accounted for 45.7% of total revenue."),
        ("sales", "Average units per row were 25.2."),
        ("sales", "The median revenue was 900."),
        ("sales", "North sold 27 more units than South."),
        ("sales", "Revenue excluding East was 6,409."),
        ("sales", "The gap in revenue between North and East was 2,029."),
        ("sales", "North's revenue in Q1 was 1.12 thousand."),
        ("sales", "Two of the regions saw revenue rise from Q1 to Q2."),
        ("cities", "Lisbon is home to 550,000 people."),
        ("cities", "Spain's cities have 4.84 million inhabitants in total."),
        ("cities", "France accounts for 31.8% of the total population."),
        ("cities", "Madrid has about 14 times the population of Porto."),
        ("staff", "All salaries together total €304,900."),
        ("staff", "Engineering salaries are 39% higher than those in Sales."),
        ("staff", "Emil Berg's salary is 63.4k."),
        ("exports", "Finland's exports grew 30% in 2022."),
        ("exports", "Norway made up nearly half of the exports in 2023 (49.8%)."),
        ("exports", "Total exports in 2023 were 3,010."),
    ],
)
async def test_a_right_figure_is_supported_by_its_derivation(tmp_path: Path, table: str, text: str) -> None:
    found = await check(tmp_path, table, text)
    assert found
    assert {status for _, status, _ in found} == {"supported"}, found


@pytest.mark.parametrize(
    ("table", "text", "focus", "expected"),
    [
        ("sales", "In Q2, North's revenue was 1,359.", "1,359", "1,259"),
        ("sales", "Revenue in North grew 14.2% from Q1 to Q2.", "14.2%", "12.4%"),
        ("sales", "Total revenue was 8,159.", "8,159", "8,059"),
        ("sales", "North accounted for 48.1% of total revenue.", "48.1%", "45.7%"),
        ("sales", "East came to a revenue of 545 in Q2.", "545", "540"),
        ("sales", "The average revenue in South was 920.", "920", "910"),
        ("cities", "The population of Madrid is 3.52 million.", "3.52 million", "3.22 million"),
        ("cities", "Three cities are in Spain.", "Three", None),
        ("staff", "The highest salary is €75,200.", "€75,200", "€72,500"),
        ("exports", "Norway's exports were 1,450 in 2022.", "1,450", "1,350"),
        ("exports", "In 2023, Denmark had the highest exports.", "Denmark", "Norway"),
        ("sales", "The highest revenue in Q3 was in South.", "South", "North"),
        ("sales", "South ranks first in units in Q1.", "South", "North"),
        ("sales", "Revenue in South rose from Q1 to Q2.", "rose", None),
        ("sales", "East sold more units than South.", "more", None),
    ],
)
async def test_a_wrong_figure_or_name_is_contradicted_and_the_right_one_given(tmp_path: Path, table: str, text: str, focus: str, expected: str | None) -> None:
    found = await check(tmp_path, table, text)
    wrong = [(at, put) for at, status, put in found if status == "contradicted"]
    assert [at for at, _ in wrong] == [focus], found
    if expected is not None:
        assert wrong[0][1] == expected


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("sales", "In 2023, revenue in North was 3,100."),
        ("sales", "South's 2019 revenue was 2,000."),
        ("sales", "The revenue target for North in Q3 was 1,500."),
        ("sales", "Online revenue in North reached 700 in Q2."),
        ("sales", "We expect revenue in North to reach 1,400 next quarter."),
        ("sales", "Our 12 sales managers in North sold 105 units."),
        ("sales", "The company employs 40 people in South."),
        ("sales", "North returned 5 units in Q1."),
        ("sales", "North did not reach a revenue of 1,400 in Q3."),
        ("sales", "For every unit, North earned about 35."),
        ("sales", "Revenue in North has tripled since 2015, from 1,200."),
        ("sales", "North had a profit margin of 22%."),
        ("sales", "One of the highest revenues in Q3 was in South."),
        ("sales", "Revenue in Acme's North division was 700."),
        ("cities", "Lisbon had a population of 0.65 million in 1990."),
        ("cities", "The population density of Paris is 19,924 per square kilometre."),
        ("cities", "Lisbon's airport handles 33 million passengers."),
        ("cities", "Three of the six cities have more than 1 million inhabitants."),
        ("founded", "Porto, founded in 1123, covers 41.4 km2 and has 302 stations."),
        ("staff", "Anna Schmidt is 45 years old."),
        ("staff", "Chen Wei has been here 8 years."),
        ("staff", "Emil received a bonus of €5,000."),
        ("staff", "Dana Novak's salary will rise to €55,000."),
        ("staff", "Five employees are listed, three of them remote."),
        ("staff", "Nobody earns a salary of less than €49,000."),
        ("exports", "Norway's imports in 2022 were 3,000."),
        ("exports", "Exports rose from 2,500 in 2021 to 3,010 in 2023."),
        ("exports", "In 2022, Finland overtook Norway in tourism with 12 million visitors."),
        ("sales", "Nothing here speaks of the table: 17 + 4 = 21, and 1 to 31 March is 31 days."),
        ("sales", "Chapter 3, page 12: see First Street 5."),
        ("sales", "1.234,56 \x00 \u200b \u202e North 9**9**9 [ ( 10" + "0" * 5000),
    ],
)
async def test_what_the_table_does_not_decide_is_never_contradicted(tmp_path: Path, table: str, text: str) -> None:
    assert only(await check(tmp_path, table, text), "contradicted") == []


@pytest.mark.parametrize(
    "text", ["North did not reach a revenue of 1,300 in Q3.", "The revenue target for North in Q3 was 1,300.", "No region earned less than 400."]
)
async def test_denials_and_plans_are_not_supported_by_an_equal_figure(tmp_path: Path, text: str) -> None:
    assert only(await check(tmp_path, "sales", text), "supported") == []


async def test_headings_say_which_rows_are_meant(tmp_path: Path) -> None:
    text = "# Staff\n\n## Engineering\n\n- The average salary is €70,250.\n\n## Sales\n\n- The average salary is €70,250.\n"
    found = await check(tmp_path, "staff", text)
    assert [(status, expected) for _, status, expected in found] == [("supported", None), ("contradicted", "€50,500")]


async def test_figures_go_with_the_names_beside_them(tmp_path: Path) -> None:
    found = await check(tmp_path, "sales", "In Q1, North had a revenue of 1,120, South 900 and East 530.")
    assert [(focus, status) for focus, status, _ in found] == [("1,120", "supported"), ("900", "supported"), ("530", "contradicted")]


async def test_rounding_is_judged_by_the_digits_shown(tmp_path: Path) -> None:
    found = await check(tmp_path, "cities", "The average area is 166.8 km2. The average area is 167 km2. The average area is 166.7 km2.")
    assert [status for _, status, _ in found] == ["supported", "supported", "supported"]
    assert only(await check(tmp_path, "cities", "The average area is 166.9 km2."), "contradicted") == ["166.9"]


async def test_the_table_that_is_spoken_of_is_found_among_several(tmp_path: Path) -> None:
    found = await check(tmp_path, "sales cities staff", "The population of Porto is 0.23 million. The salary of Chen Wei is €51,900.")
    assert [status for _, status, _ in found] == ["supported", "contradicted"]


async def test_a_table_with_broken_rows_contradicts_nothing(tmp_path: Path) -> None:
    found = await check(tmp_path, {"t": "Region,Revenue\nNorth,10,x\nSouth,20\nEast,30\n"}, "Total revenue was 70. The revenue of East is 30.")
    assert [status for _, status, _ in found] == ["insufficient", "supported"]


async def test_a_row_of_totals_is_left_out_of_sums(tmp_path: Path) -> None:
    table = {"t": "Region,Revenue\nNorth,1000\nSouth,2000\nTotal,3000\n"}
    found = await check(tmp_path, table, "Total revenue was 3,000. The average revenue was 1,500. The highest revenue was in South.")
    assert [status for _, status, _ in found] == ["supported", "supported", "supported"]


async def test_odd_tables_are_read_or_left_alone(tmp_path: Path) -> None:
    wide = {"t": "name," + ",".join(f"c{n}" for n in range(100)) + "\nAda," + ",".join(map(str, range(100))) + "\n"}
    assert await check(tmp_path, wide, "The c7 of Ada is 7.") == [("7", "supported", None)]
    assert await check(tmp_path, {"t": "select,from\nO'Brien,12\nSmith,15\n"}, "The from of O'Brien is 12.") == [("12", "supported", None)]
    assert await check(tmp_path, {"t": "Region,Revenue\n"}, "The revenue of North is 5.") == []
    assert await check(tmp_path, {"t": "Stadt;Umsatz\nBonn;1.234,50\nKöln;99,00\n"}, "Der Umsatz in Bonn: Umsatz 1.234,50.") == [
        ("1.234,50", "supported", None)
    ]


async def test_an_empty_text_has_no_routes(tmp_path: Path) -> None:
    assert await check(tmp_path, "sales", "") == []


RIGHT_BY_OTHER_MEANS = [
    ("quarters", "North kept 34.9% of its revenue in Q3 2025."),
    ("shops", "Oak's sales rose from 500 to 620 in 2024."),
    ("shops", "Sales were 900 in 2024, or 75 a month."),
    ("shops", "Oak had sales of 620 in 2024, a record."),
    ("shops", "Oak's sales were 620 in 2024 (280 + 340)."),
    ("shops", "Oak had sales of 620 in 2024; the average sale was 31 euros."),
    ("quarters", "North earned 74,900 euros in Q3 2025 (214,700 - 139,800), a margin of 34.9%."),
    ("quarters", "Average order value in the North was 123.04 euros in Q3 2025."),
    ("quarters", "All three regions grew their revenue in Q3."),
]
WRONG_THOUGH_NEAR = [
    ("shops", "Oak doubled its sales to 620 in 2024."),
    ("shops", "Oak's average sale was 620 in 2024."),
    ("shops", "Elm's sales rose to 280 in 2024."),
    ("shops", "Oak lost 620 in 2024."),
    ("shops", "Oak's sales tax was 620 in 2024."),
    ("shops", "Oak's sales per day were 620 in 2024."),
    ("shops", "Online sales of Oak were 620 in 2024."),
    ("shops", "Elm's sales were below 250 in 2024."),
    ("shops", "Elm had sales of 280 in 2024, more than Oak."),
    ("quarters", "North earned 214,700 euros of profit in Q3 2025."),
    ("quarters", "North's revenue was 214,700 dollars in Q3 2025."),
    ("quarters", "North had the most orders in every quarter."),
    ("quarters", "Revenue in the North fell from 195,300 euros in Q2 2025 to 214,700 euros in Q3 2025."),
]


@pytest.mark.parametrize(("table", "text"), RIGHT_BY_OTHER_MEANS)
async def test_what_the_table_does_not_account_for_is_never_contradicted(tmp_path: Path, table: str, text: str) -> None:
    assert not only(await check(tmp_path, table, text), "contradicted")


@pytest.mark.parametrize(("table", "text"), WRONG_THOUGH_NEAR)
async def test_a_figure_of_something_else_is_never_supported(tmp_path: Path, table: str, text: str) -> None:
    assert not only(await check(tmp_path, table, text), "supported")


@pytest.mark.parametrize(
    ("table", "text", "status"),
    [
        ("shops", "Oak's sales rose to 620 in 2024.", "supported"),
        ("shops", "Elm's sales fell to 280 in 2024.", "supported"),
        ("shops", "Oak's sales rose from 500 to 620 in 2024.", "supported"),
        ("shops", "Oak had sales of 640 in 2024.", "contradicted"),
        ("quarters", "North's revenue was 214,700 euros in Q3 2025.", "supported"),
        ("quarters", "Revenue in the North rose from 195,300 euros in Q2 2025 to 214,700 euros in Q3 2025.", "supported"),
    ],
)
async def test_a_sentence_that_is_accounted_for_is_decided(tmp_path: Path, table: str, text: str, status: str) -> None:
    assert {found for _, found, _ in await check(tmp_path, table, text)} == {status}
