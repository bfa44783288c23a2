"""A true figure that the words do not explain is left open, not contradicted: each kind was a false alarm once. Wrong ones are still found."""

from __future__ import annotations

from pathlib import Path

import pytest

from redraft.claims.measures import conversions
from tests.table_runs import check, only

ROADS = "District,2019,2020,2021\nAshford,214,161,187\nElmsworth,305,226,264\nDunmore,67,49,58\n"
DELIVERIES = (
    "Carrier,Route,Shipments,On time,Cost per parcel (USD)\nNord,Oslo-Kiel,960,842,8.15\nNord,Oslo-Malmo,1840,1711,7.40\nBlue,Kiel-Graz,2210,2144,6.05\n"
)
BUDGET = "Department,Budget (k€),Actual (k€),Headcount\nSales,1450,1512,18\nMarketing,820,764,9\nIT,1980,2105,24\n"
DISHES = "Dish,Price,Sold,Vegetarian\nTomato soup,6.50,412,yes\nGarlic prawns,9.80,287,no\nMushroom risotto,16.50,530,yes\nRibeye steak,31.50,276,no\n"
FIELDS = "Field,Crop,Rain (mm),Yield\nF1,Wheat,412,7.8\nF2,Wheat,388,6.9\nF4,Maize,455,9.4\n"
APPS = "app,platform,downloads_millions\nSkycast,iOS,8.9\nSkycast,Android,19.5\nBudgetBee,iOS,0.6\n"
FRAMES = "target,exposures,exposure_s\nM51,60,150\nM67,30,60\nM81,55,150\n"


STATIONS = "Station,Max temp (°C),Min temp (°C),Sunshine (h)\nAlder,31.4,9.8,221\nCairn,24.6,1.3,176\nBrook,33.9,7.1,248\n"
MARKS = "class,subject,pass_rate\n7A,Maths,89%\n7A,Science,86%\n8B,Maths,71%\n8B,Science,79%\n"


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (STATIONS, "Cairn stayed coolest with a maximum of 24.6 °C."),
        (STATIONS, "Alder had 221 hours of sunshine and a minimum of 9.8 °C."),
        (MARKS, "The lowest pass rate in Science was 79%."),
        (ROADS, "In Ashford the figure peaked at 214 in 2019."),
        (DELIVERIES, "Nord delivered 842 parcels on time on Oslo-Kiel."),
        (BUDGET, "Marketing stayed 56 k€ under budget."),
        (BUDGET, "IT exceeded its budget by 6.3%, Sales by 4.3%."),
        (DISHES, "Vegetarian dishes made up 942 of the dishes sold."),
        (FIELDS, "Rain ranged between 388 mm (F2) and 455 mm (F4)."),
        (APPS, "Across platforms we have 29.0 million downloads."),
        (FRAMES, "M67 got 30 exposures of 60 s."),
        (BUDGET, "The headcount of IT was 24, a team that cost 2,105 k€."),
        (DELIVERIES, "Shipments of Nord on Oslo-Kiel weighed 61,000 kg."),
    ],
)
async def test_a_true_figure_said_in_a_way_that_no_rule_has_is_not_contradicted(tmp_path: Path, table: str, text: str) -> None:
    found = await check(tmp_path, {"t": table}, text)
    assert not only(found, "contradicted"), found


@pytest.mark.parametrize(
    ("table", "text", "focus"),
    [
        (ROADS, "Ashford had 197 in 2021.", "197"),
        (FIELDS, "Rain on F2 was 368 mm.", "368"),
        (APPS, "Skycast had 19.9 million downloads on Android.", "19.9 million"),
        (DELIVERIES, "Blue handled 2,120 shipments.", "2,120"),
        (FRAMES, "M81 had 65 exposures.", "65"),
        (FIELDS, "The highest rain was 465 mm.", "465"),
        (DELIVERIES, "Shipments totalled 5,110.", "5,110"),
        (STATIONS, "Alder had the highest sunshine.", "Alder"),
        (MARKS, "8B had the highest pass rate in Maths.", "8B"),
    ],
)
async def test_a_wrong_figure_beside_its_measure_and_rows_is_still_found(tmp_path: Path, table: str, text: str, focus: str) -> None:
    found = await check(tmp_path, {"t": table}, text)
    assert only(found, "contradicted") == [focus], found


@pytest.mark.parametrize(
    "text", ["M67 got 30 exposures of 60 s, or 30 minutes.", "Each took 60 s (30 min in total).", "We made 12 cuts at 5 cm, or 0.6 m altogether."]
)
def test_a_measurement_of_one_of_several_is_not_set_equal_to_that_of_all(text: str) -> None:
    assert not list(conversions(text))


def test_an_aside_in_another_unit_is_still_read() -> None:
    assert [one.holds for one in conversions("The path is 5 km (about 3.1 miles) long.")] == [True]
