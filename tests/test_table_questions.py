"""Questions about tables: the calls they may mean, executed, the best first."""

from __future__ import annotations

from pathlib import Path

import pytest

from redraft.planning.options import Option
from redraft.planning.table_questions import options
from redraft.types import Task
from tests.table_runs import TABLES, effects_over, written


async def ask(folder: Path, name: str, question: str) -> tuple[Option, ...]:
    paths = written(folder, {name: TABLES[name]})
    effects = effects_over(paths)
    found = await options(Task(query=question, tables=(str(paths[0]),)), effects)
    await effects.tools["table"].close()
    return found


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        ("half_sales", "What was the revenue of North in Q2?", "1259"),
        ("half_sales", "How many units did South sell in Q1?", "25"),
        ("half_sales", "What is the total revenue of South?", "1780"),
        ("half_sales", "Which region had the highest revenue in Q1?", "North"),
        ("half_sales", "In which quarter did South have the most units?", "Q1"),
        ("half_sales", "How much more revenue did North make than South in Q2?", "379"),
        ("half_sales", "What is the average number of units?", "23.33"),
        ("half_sales", "By what percentage did East's revenue grow from Q1 to Q2?", "8%"),
        ("mayors", "How many people live in Porto?", "230000"),
        ("mayors", "Which city has the second largest area?", "Paris"),
        ("mayors", "How many cities have more than 1 million inhabitants?", "2"),
        ("mayors", "How many cities are in France?", "2"),
        ("mayors", "What share of the population lives in Madrid, in percent?", "48.64%"),
        ("mayors", "Who is the mayor of Lyon?", "Zoe Roux"),
        ("mayors", "Which country is Porto in?", "Portugal"),
        ("mayors", "Is Paris more populous than Madrid?", "no"),
        ("mayors", "What is the smallest area in the table?", "41.4"),
        ("mayors", "Which city in Portugal has the largest population?", "Lisbon"),
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
    found = await ask(tmp_path, "half_sales", "What about the revenue of North?")
    assert 1 < len(found) <= 8
    assert [option.fit for option in found] == sorted((option.fit for option in found), reverse=True)
    assert all(0 <= option.fit <= 1 for option in found)
    assert all("(" in option.label for option in found)


@pytest.mark.parametrize("question", ["", "   ", "Who won the 2024 election?", "How many letters are in banana?", "\x00\u202e?", "What is 17% of 2,340?"])
async def test_a_question_that_is_not_about_the_table_has_no_sure_option(tmp_path: Path, question: str) -> None:
    assert all(option.fit < 0.5 for option in await ask(tmp_path, "half_sales", question))


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
