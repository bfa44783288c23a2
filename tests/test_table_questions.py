"""Questions about tables: the calls they may mean, executed, the best first."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from redraft.effects import Effects
from redraft.events import Event
from redraft.planning.options import Option
from redraft.planning.table_questions import options
from redraft.policy import Budgets
from redraft.tools.table import TableTool
from redraft.types import ModelReply, ModelRequest, Task

SALES = """Region,Quarter,Revenue,Units
North,Q1,1120,30
North,Q2,1259,35
South,Q1,900,25
South,Q2,880,24
East,Q1,500,12
East,Q2,540,14
"""
CITIES = """City,Country,Population,Area_km2,Mayor
Lisbon,Portugal,550000,100.1,Ana Sousa
Porto,Portugal,230000,41.4,Rui Lima
Madrid,Spain,3220000,604.3,Eva Cano
Paris,France,2100000,105.4,Luc Petit
Lyon,France,520000,47.9,Zoe Roux
"""
EXPORTS = "Country,2021,2022,2023\nNorway,1200,1350,1500\nDenmark,800,760,900\nFinland,500,650,610\n"
BOATS = """Boat,Harbour,Launched,Length (m),Ticket (EUR),Fault rate,Leaves
Heron,Westhaven,1988,24.5,12.50,2.1%,07:15
Tern,Westhaven,2007,31.0,18.00,4.4%,09:40
Gull,Oldport,2016,28.2,15.25,1.3%,12:05
Skua,Northquay,1979,19.8,9.90,3.7%,16:30
"""
FILES = {"boats": BOATS, "sales": SALES, "cities": CITIES, "exports": EXPORTS}


class NoTrace:
    def write(self, event: Event) -> None:
        """Nothing is recorded."""


class NoModel:
    name = "none"
    ability: Literal["none"] = "none"

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise AssertionError("rules ask no model")

    async def close(self) -> None:
        """Nothing to close."""


async def ask(folder: Path, name: str, question: str) -> tuple[Option, ...]:
    path = folder / f"{name}.csv"
    path.write_text(FILES[name], encoding="utf-8")
    tool = TableTool([path])
    effects = Effects(writer=NoModel(), tools={"table": tool}, sink=NoTrace(), budgets=Budgets())
    found = await options(Task(query=question, tables=(str(path),)), effects)
    await tool.close()
    return found


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        ("sales", "What was the revenue of North in Q2?", "1259"),
        ("sales", "How many units did South sell in Q1?", "25"),
        ("sales", "What is the total revenue of South?", "1780"),
        ("sales", "Which region had the highest revenue in Q1?", "North"),
        ("sales", "In which quarter did South have the most units?", "Q1"),
        ("sales", "How much more revenue did North make than South in Q2?", "379"),
        ("sales", "What is the average number of units?", "23.33"),
        ("sales", "By what percentage did East's revenue grow from Q1 to Q2?", "8%"),
        ("cities", "How many people live in Porto?", "230000"),
        ("cities", "Which city has the second largest area?", "Paris"),
        ("cities", "How many cities have more than 1 million inhabitants?", "2"),
        ("cities", "How many cities are in France?", "2"),
        ("cities", "What share of the population lives in Madrid, in percent?", "48.64%"),
        ("cities", "Who is the mayor of Lyon?", "Zoe Roux"),
        ("cities", "Which country is Porto in?", "Portugal"),
        ("cities", "Is Paris more populous than Madrid?", "no"),
        ("cities", "What is the smallest area in the table?", "41.4"),
        ("cities", "Which city in Portugal has the largest population?", "Lisbon"),
        ("boats", "oldest boat?", "Skua"),
        ("boats", "Which ship is dearer, Heron or Gull?", "Gull"),
        ("boats", "At what time does the Tern set off?", "09:40"),
        ("boats", "Which of them leaves last?", "Skua"),
        ("boats", "How many boats were launched before 2007?", "2"),
        ("boats", "How many leave after 9 am?", "3"),
        ("boats", "Which boat has the worst fault rate?", "Tern"),
        ("boats", "What is the fault rate of Gull in percent?", "1.3"),
        ("boats", "How many boats lie in Westhaven?", "2"),
        ("boats", "In how many different harbours do they lie?", "3"),
        ("boats", "Leaving Tern aside, which boat is longest?", "Gull"),
        ("boats", "Mean ticket price? One decimal, please.", "13.9"),
        ("boats", "How many boats are 25 metres long or longer?", "2"),
        ("boats", "What is the length of the cheapest boat?", "19.8"),
        ("boats", "Which boat has the second-highest number of metres in length?", "Gull"),
        ("boats", "Who is third in length?", "Heron"),
        ("exports", "What were Denmark's exports in 2022?", "760"),
        ("exports", "What is the sum of exports in 2023?", "3010"),
        ("exports", "Which country had the lowest exports in 2021?", "Finland"),
    ],
)
async def test_the_best_option_answers_the_question(tmp_path: Path, table: str, question: str, answer: str) -> None:
    found = await ask(tmp_path, table, question)
    assert found
    assert found[0].answer == answer, [(option.label, option.answer, option.fit) for option in found]
    assert all(option.result for option in found)


async def test_options_are_few_ordered_and_name_the_operation_first(tmp_path: Path) -> None:
    found = await ask(tmp_path, "sales", "What about the revenue of North?")
    assert 1 < len(found) <= 8
    assert [option.fit for option in found] == sorted((option.fit for option in found), reverse=True)
    assert all(0 <= option.fit <= 1 for option in found)
    assert all("(" in option.label for option in found)


@pytest.mark.parametrize("question", ["", "   ", "Who won the 2024 election?", "How many letters are in banana?", "\x00\u202e?", "What is 17% of 2,340?"])
async def test_a_question_that_is_not_about_the_table_has_no_sure_option(tmp_path: Path, question: str) -> None:
    assert all(option.fit < 0.5 for option in await ask(tmp_path, "sales", question))


FILES["quarters"] = """region,quarter,revenue_eur,cost_eur,orders
North,Q1 2025,180000,120000,1500
North,Q2 2025,195300,130000,1600
North,Q3 2025,214700,139800,1745
South,Q1 2025,150000,110000,1900
South,Q2 2025,148000,109000,1850
South,Q3 2025,146200,108000,1800
West,Q1 2025,90000,70000,700
West,Q2 2025,95000,72000,760
West,Q3 2025,99000,74000,800
"""


@pytest.mark.parametrize(
    "question",
    [
        "How many employees does North have?",
        "What was the revenue of East in Q3 2025?",
        "What was the revenue of the North in Q4 2025?",
        "What was North's profit in Q3 2025?",
        "What was the average order value in the North in Q3 2025?",
        "What was the revenue per order in the North in Q3 2025?",
        "How many employees work in the North in Q3 2025?",
        "What was the profit of the North?",
        "Which region had the highest profit?",
        "What was the average order value?",
        "What is North's margin in Q3 2025?",
        "What were the revenues in Q4?",
        "What was East's revenue?",
        "How many customers did North have in Q3 2025?",
    ],
)
async def test_a_question_the_table_cannot_answer_has_no_option(tmp_path: Path, question: str) -> None:
    assert not await ask(tmp_path, "quarters", question)
