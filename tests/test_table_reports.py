"""Sentences as analysts write them, each of a kind that once was flagged though true, or passed though wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.table_runs import check, only

STOCK = """SKU,Item,Category,Stock,Unit price
A-1,Hammer,Tools,140,12.90
A-2,Drill,Tools,18,89.00
B-1,Paint,Paint,64,31.20
B-2,Brush,Paint,210,7.80
C-1,Spade,Garden,22,27.40
"""
PEOPLE = """Employee ID,Name,Department,Location,Salary,Start date
1001,Alice Baker,Engineering,Berlin,82000,2017-03-01
1002,David Kim,Engineering,Berlin,91000,2015-09-01
1003,Elena Petrova,Sales,Berlin,58000,2018-11-12
1004,Grace Lee,Sales,London,61200,2016-05-20
1005,Jonas Weber,Marketing,London,49900,2023-01-16
"""
WEATHER = """Station,Month,Mean temp (°C),Rainfall (mm),Sunshine (h)
Ashby,January,2.1,88.4,48
Ashby,July,17.3,61.0,201
Barrow,January,3.4,121.6,39
Barrow,July,15.8,84.1,171
"""
LEAGUE = """Team,Played,Won,Drawn,Lost,Goals for,Goals against,Points
Harwick Rovers,30,21,5,4,64,27,68
Eastmoor United,30,19,6,5,58,31,63
Kelham City,30,3,6,21,22,78,15
"""
CLOUD = """Service,Team,Month,Cost (USD),Budget (USD)
Compute,Search,2024-01,12480.50,12000
Compute,Search,2024-02,13105.20,12000
Storage,Search,2024-01,3120.00,3000
Storage,Search,2024-02,3250.60,3000
"""
VOTES = """District,Party,Votes 2019,Votes 2023,Seats 2019,Seats 2023
Northvale,Progress,18240,20110,3,4
Northvale,Union,15980,14220,3,2
Riverside,Progress,9870,10230,2,2
Riverside,Union,12450,12980,3,3
"""
PROJECTS = """Project,Lead,Budget,Complete,Start
Atlas,Ana Ruiz,650000,0.8,2023-05-01
Beacon,Nora Lund,300000,0.95,2023-02-15
Comet,Ivo Kral,180000,0.4,2024-09-01
"""
COUNTRIES = """Country,Capital,Population (millions)
Austria,Vienna,9.1
Portugal,Lisbon,10.5
Croatia,Zagreb,3.9
"""
ORDERS = """Order,Customer,Product,Quantity,Unit price
1001,Acme,Desk,4,320
1002,Birch,Chair,12,95
1003,Acme,Lamp,20,24
1004,Cedar,Desk,2,310
1005,Dune,Chair,30,89
"""
MUSEUM = "Year,Visitors,Exhibitions\n2021,195000,8\n2022,351000,12\n2023,428000,15\n"
PLAYERS = "Player,Team,Games,Points\nJordan Mills,Hawks,28,612\nTyrese Cole,Hawks,30,498\nIvan Petrov,Wolves,30,705\n"
CARS = "Model,Range (km),Price (EUR),Rating\nAlpha,480,49900,4.3\nBeta,520,46500,4.6\nGamma,340,31900,4.1\n"
SALES = "Region,Quarter,Revenue,Units\nNorth,Q1,120400,3010\nNorth,Q2,131250,3281\nSouth,Q1,98600,2465\nSouth,Q2,101900,2547\n"
CHINESE = "地区,季度,销售额（万元）,订单数\n华东,第一季度,1250,3120\n华东,第二季度,1380,3410\n华南,第一季度,980,2650\n华南,第二季度,1010,2710\n"
GERMAN = (
    "Filiale;Monat;Umsatz (€);Kunden\n"
    "Köln;Januar 2024;45.230,50;3.210\nKöln;März 2024;48.115,20;3.340\nBonn;Januar 2024;28.940,75;2.150\nBonn;März 2024;30.470,00;2.265\n"
)

TRUE = [
    (STOCK, "We hold 140 hammers at a unit price of €12.90."),
    (STOCK, "Garden items in stock number 22."),
    (PEOPLE, "David Kim earns the most; Jonas Weber, who joined in 2023, earns the least."),
    (CLOUD, "The average monthly cost was $15,978.15."),
    (PROJECTS, "In 2023 the portfolio had 11 projects."),
    (PROJECTS, "Atlas' lead, Ana Ruiz, has 14 people."),
    (LEAGUE, "Kelham City finished last. Their goal difference was −56."),
    (VOTES, "Union came first in Riverside with 12,980 votes, or 55.9%, ahead of Progress with 10,230."),
    (SALES, "South sold 5,012 units, less than half of the total of 11,303."),
    (SALES, "Revenue grew 9.0% in North, from $120,400 in Q1 to $131,250 in Q2."),
    (SALES, "North came to $131,250 in Q2, against a budget of $140,000."),
    (MUSEUM, "Over the three years, 974,000 visitors came, an average of 324,667 a year."),
    (COUNTRIES, "Portugal has the largest population of the three, 10.5 million."),
    (COUNTRIES, "Portugal has 10.5 million inhabitants; its capital, Lisbon, has 550,000."),
    (COUNTRIES, "Vienna is home to two million people."),
    (ORDERS, "In total 68 items were ordered, of which 42 were chairs."),
    (ORDERS, "The unit price of chairs ranged from 89 to 95."),
    (ORDERS, "Order 1003 was for 20 lamps."),
    (PLAYERS, "Jordan Mills scored 612 points for the Hawks; he averaged 21.9 points a game."),
    (CARS, "Beta scored 4.6 out of 5, the best rating."),
    (CARS, "In our winter test, the Beta managed 390 km, 25% less than stated."),
    (VOTES, "In 2023 Progress won 30,340 votes. Union won 27,200 votes in all."),
    (MUSEUM, "From 2022 to 2023 the museum had 779,000 visitors."),
    ("Line,2022,2023\nRevenue,4200,4620\nCost of sales,2500,2700\nOperating costs,1100,1180\n", "Total costs were 3,880 in 2023."),
    ("School,Students,Pass rate (%)\nOakwood,640,91\nElmhurst,520,87\n", "Oakwood passed 91% of its students, that is 582."),
    (CHINESE, "公司计划明年销售额达到15000万元。"),
    (CHINESE, "前两季度总销售额为4620万元。"),
    (GERMAN, "Im Vorjahr lag der Umsatz in Köln bei 41.000,00 €."),
]


@pytest.mark.parametrize(("table", "text"), TRUE)
async def test_a_true_sentence_is_never_flagged(tmp_path: Path, table: str, text: str) -> None:
    assert not only(await check(tmp_path, {"t": table}, text), "contradicted")


WRONG = [
    (STOCK, "The stock of hammers is 104, the second highest of all items.", "104"),
    (PEOPLE, "Salaries in Engineering average €69,100, about 45% more than in Sales.", "€69,100"),
    (PEOPLE, "The average salary is €86,420.", "€86,420"),
    (PEOPLE, "Three people work in Berlin and four in London.", "four"),
    (PEOPLE, "Grace Lee joined in May 2016 and earns €62,100.", "€62,100"),
    (WEATHER, "Rainfall at Ashby in January was 84.8 mm.", "84.8"),
    (WEATHER, "The mean temperature at Barrow was 4.3 °C in January.", "4.3"),
    (WEATHER, "Ashby had 210 hours of sunshine in July.", "210"),
    (LEAGUE, "Harwick Rovers collected 86 points.", "86"),
    (LEAGUE, "Kelham City collected 15 points. They drew 8 times and scored 22 goals and lost 12 times.", None),
    (VOTES, "In Riverside, Union received 12,450 votes in 2023.", "12,450"),
    (VOTES, "In Northvale, Progress won 20,110 votes in 2023, 1,780 more than in 2019.", "1,780"),
    (PROJECTS, "Atlas is 60% complete.", "60%"),
    (SALES, "North's revenue came to $113,250 in Q2, against a budget of $140,000.", "$113,250"),
    (SALES, "Revenue ranged from $98,600 to $113,250.", "$113,250"),
    (SALES, "Total revenue came to $462,150.", "$462,150"),
    (CHINESE, "华东第二季度销售额为1830万元。", "1830万"),
    (CHINESE, "华南第一季度订单数为2560。", "2560"),
    (GERMAN, "Der Umsatz in Köln betrug im Januar 2024 54.230,50 €.", "54.230,50 €"),
    (GERMAN, "Der Gesamtumsatz betrug 125.756,45 €.", "125.756,45 €"),
]


@pytest.mark.parametrize(("table", "text", "focus"), WRONG)
async def test_a_wrong_figure_is_flagged_and_no_other(tmp_path: Path, table: str, text: str, focus: str | None) -> None:
    found = only(await check(tmp_path, {"t": table}, text), "contradicted")
    assert found == ([focus] if focus else []), found


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (SALES, "Revenue ranged from $98,600 to $131,250."),
        (VOTES, "In Northvale, Progress won 20,110 votes in 2023, 1,870 more than in 2019."),
        (WEATHER, "Barrow had 39 hours of sunshine in January."),
        (PROJECTS, "Beacon is 95% complete."),
        (CLOUD, "The average monthly cost was $15,978.15."),
        (CHINESE, "华东销售额最高，占总销售额的56.9%。"),
        (GERMAN, "Die Kunden in Bonn: im Januar 2024 waren es 2.150 Kunden."),
    ],
)
async def test_a_true_sentence_of_these_kinds_is_supported(tmp_path: Path, table: str, text: str) -> None:
    found = await check(tmp_path, {"t": table}, text)
    assert found
    assert {status for _, status, _ in found} == {"supported"}, found


async def test_a_pronoun_takes_up_the_subject_before(tmp_path: Path) -> None:
    found = await check(tmp_path, {"t": LEAGUE}, "Eastmoor United collected 63 points. They scored 58 goals. Their points: 36 points.")
    assert [(focus, status) for focus, status, _ in found] == [("63", "supported"), ("58", "supported"), ("36", "contradicted")]


async def test_a_name_of_something_a_row_has_is_not_the_row(tmp_path: Path) -> None:
    assert not only(await check(tmp_path, {"t": COUNTRIES}, "Lisbon has 10.5 million inhabitants."), "supported")


async def test_a_first_column_with_gaps_contradicts_nothing(tmp_path: Path) -> None:
    table = "Region,City,Sales\nNorth,Oslo,1200\n,Bergen,1800\nSouth,Rome,900\n"
    assert not only(await check(tmp_path, {"t": table}, "Sales in North were 3,000."), "contradicted")
