"""The planner for small models: which call a question gets, when it gets none, and how the draft is compared."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.effects import Effects
from redraft.models import Reply, ScriptedModel
from redraft.models.none import NoModel
from redraft.planning.comparison import compare
from redraft.planning.enumerate import EnumeratingPlanner, choose, options
from redraft.planning.literals import number_text, tokens
from redraft.planning.options import Option
from redraft.planning.rounding import Rounding, read_rounding
from redraft.policy import Budgets
from redraft.protocols import Model
from redraft.studies.datasets import read_dataset
from redraft.tools import open_tools
from redraft.tools.calculator import evaluate
from redraft.trace import Trace
from redraft.types import Evidence, Task, ToolCall, Verdict

EXACT = ["calculator", "units", "dates", "text"]


def effects_for(task: Task, writer: Model | None = None) -> Effects:
    return Effects(writer=writer or NoModel(), tools={tool.name: tool for tool in open_tools(task, EXACT)}, sink=Trace(), budgets=Budgets())


async def answered(query: str, draft: str = "?") -> tuple[str, Verdict] | None:
    """The corrected text and the verdict, or None where there is no route."""
    task = Task(query=query)
    routes = await EnumeratingPlanner().plan(task, draft, effects_for(task), {})
    if not routes:
        return None
    assert len(routes) == 1
    route = routes[0]
    verdict = route.decide(route.results or ())
    assert verdict is not None
    assert route.claim.span == (0, len(draft))
    focus = route.claim.focus or route.claim.span
    return (draft if verdict.expected is None else draft[: focus[0]] + verdict.expected + draft[focus[1] :]), verdict


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("How much is 3/4 of 96?", "72"),
        ("If 45 people each pay $12, what is collected?", "540"),
        ("What's 250 increased by 12%?", "280"),
        ("Take 17 away from 403", "386"),
        ("What is 5 less than 12?", "7"),
        ("By how much is 138 greater than 26?", "112"),
        ("Half of the difference between 80 and 36", "22"),
        ("the sum of 12 and 7, times 3", "57"),
        ("Subtract 17 from the product of 4 and 5", "3"),
        ("100 - 3 * (2 + 4)", "82"),
        ("What is 2^3^2?", "512"),
        ("47 divided by 6 leaves what remainder?", "5"),
        ("20 is what percent of 80?", "25"),
        ("15 is 30% of what number?", "50"),
        ("If 14 times a number is 322, what is the number?", "23"),
        ("What is 10/3 to two decimal places?", "3.33"),
        ("What is 2/3 of 100, rounded to the nearest whole number?", "67"),
        ("A shirt costs $40 and is discounted by 25%. What is the final price?", "30"),
        ("A book has 320 pages. Anna reads 20 pages a day. How many days does she need?", "16"),
        ("A train travels 240 km in 4 hours. What is its average speed?", "60"),
        ("Tom had 50 marbles and gave away 18. How many are left?", "32"),
        ("Tom is 12. His sister is 5 years older. How old is she?", "17"),
        ("If 40% of the 30 students are girls, how many are boys?", "18"),
        ("Convert 5 ft 11 in to centimetres", "180.34"),
        ("How many feet are in a mile?", "5280"),
        ("What is 90 km/h in m/s?", "25"),
        ("If a bag weighs 3 kg and another 500 g, how many grams in total?", "3500"),
        ("180 cm in feet and inches", "5 feet 10.87 inches"),
        ("how many r's are in strawberry", "3"),
        ("How long is the word 'encyclopedia'?", "12"),
        ("spell 'planet' backwards", "tenalp"),
        ("Which letter comes last in 'monkey'?", "y"),
        ("Does the word 'rhythm' contain the letter e?", "no"),
        ("What date is 45 days after 3 March 2024?", "17 April 2024"),
        ("Which weekday was 1999-12-31?", "Friday"),
        ("What day was it 100 days before December 25, 2023?", "Saturday"),
        ("How many days lie between 3 March and 17 June 2024?", "106"),
        ("Was the year 1900 a leap year?", "no"),
        ("How old is someone born on 5 May 1990 on 1 January 2024?", "33"),
        ("My son's worksheet has 75 ÷ 6 on it. Which decimal goes there?", "12.5"),
        ("Lemons are 5 for £2. What do 20 lemons cost?", "8"),
        ("A recipe for 4 people needs 300 g of rice. How much rice is needed for 10 people?", "750"),
        ("Eggs come 12 to a box. How many boxes do I need for 60 eggs?", "5"),
        ("A 4-pack of batteries costs £5.20. How much per battery?", "1.3"),
        ("I paid $68 for shoes after a 15% discount. What was the original price?", "80"),
        ("The price including 20% VAT is £60. What is it without VAT?", "50"),
        ("I paid with a £20 note for a roll at £3.85 and a drink at £1.60. How much change do I get?", "14.55"),
        ("A coffee costs 3 euros and a cake 4.50 euros. How much for two coffees and a cake?", "10.5"),
        ("3 pens at $2 each and 2 pads at $5 each: what's the total?", "16"),
        ("A cable is 30 m long and I cut off 4 pieces of 2.5 m each. How many metres remain?", "20"),
        ("My scores in five games were 10, 12, 14, 9 and 15. What was my average score?", "12"),
        ("We need 40 rolls, sold in packs of 6. How many packs must we buy?", "7"),
        ("What do 6 stamps at 85 cents each cost in dollars?", "5.1"),
        ("How many eggs are in 7 dozen?", "84"),
        ("12 miles in km? three decimals please", "19.312"),
        ("A pan at 400°F. Nearest whole degree Celsius?", "204"),
        ("Five foot seven in inches", "67"),
        ("300 K in Celsius, two decimals", "26.85"),
        ("It's 20 degrees below zero Celsius. In Fahrenheit?", "-4"),
        ("What would an American thermometer say at 30 Celsius?", "86"),
        ("How many KB are in 5 MB if 1 MB is 1024 KB?", "5120"),
        ("With 1 TB = 1000 GB, how many gigabytes are 2.5 TB?", "2500"),
        ("What is 60 miles an hour in km/h?", "96.56064"),
        ("How many vowels (a, e, i, o, u) has 'education'?", "5"),
        ("can u count the letters in pineapple", "9"),
        ("My daughter is practising the word giraffe. How many f's does she need?", "2"),
        ("The password is dolphin; spell it in reverse.", "nihplod"),
        ('What\'s the 2nd last letter of "orchard"?', "r"),
        ("Which letter is in position 3 of 'planet'?", "a"),
        ("A fortnight after 20 May 2025 is what date?", "3 June 2025"),
        ("A 90-day visa issued on 3 April 2026 runs out when?", "2 July 2026"),
        ("With January 1 as day 1, which day of the year is 1 March 2024?", "61"),
        ("How many nights from 3 to 9 August 2025?", "6"),
        ("Did February 2023 have 29 days?", "no"),
        ("8 June 2021 - mon, tue or wed?", "Tuesday"),
        ("The label says '9 May 2027'. Which weekday is that?", "Sunday"),
    ],
)
async def test_a_question_gets_the_answer_its_literals_and_words_ask_for(query: str, answer: str) -> None:
    result = await answered(query)
    assert result is not None, query
    assert result[0].lower() == answer.lower()
    assert result[1].status == "contradicted"
    assert result[1].method == "computed"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "What is the capital of France?",
        "Who won the 1998 World Cup?",
        "How many moons does Mars have?",
        "How many people live in the 5 largest cities of the 3 countries?",
        "What is the population of Tokyo in 2020?",
        "In 1914 or 1939, which war began?",
        "When did season 2 episode 12 come out?",
        "who won game 4 of the 2000 nba finals",
        "How many seats does the audi r8 have?",
        "How long did the plague last?",
        "What day of the week is 03/04/2024?",
        "What happened on 44 BC?",
        "wolf of wall street number of f words",
        "In what year did a four day storm hit?",
        "9" * 3000,
        "9**9**9 or not?",
        "Is 17 a prime number?",
        "Is 5 km more than 3 miles?",
        "6 workers take 4 days to paint a house. How long would 3 workers take?",
        "Me and 3 friends split a $60 bill evenly. What does each pay?",
        "How many 250 ml glasses can be filled from 2 litres?",
        "I pay 3 stamps of 85 cents with $5. How much change do I get?",
        "A rope is 3 m long and 50 cm are cut off. How much is left?",
        "How many kilobytes are 3 MB in binary?",
        "How many letters are in the capital of France?",
        "How many words may a letter to the editor have at most?",
        "How many words must a speech have?",
        "How long may her letter to the council be?",
        "How many letters did Kafka write to Felice in Prague?",
        "How many characters appear in Hamlet?",
        "How many a's and e's are in pancake?",
        "How many capital letters are in 'NaCl'?",
        "What are the first two letters of 'garden'?",
        "Does September 2025 have 31 days?",
        "Is it more than 100 days from 1 May 2025 to 1 June 2025?",
    ],
)
async def test_a_question_of_another_kind_gets_no_route(query: str) -> None:
    assert await answered(query) is None


@pytest.mark.parametrize(
    ("draft", "status", "text"),
    [
        ("540", "supported", "540"),
        ("$540", "supported", "$540"),
        ("540 dollars", "supported", "540 dollars"),
        ("45 × 12 = 540", "supported", "45 × 12 = 540"),
        ("The answer is 400.", "contradicted", "The answer is 540."),
        ("$400", "contradicted", "$540"),
        ("57", "contradicted", "540"),
        ("It is 540, no, 541", "contradicted", "540"),
        ("45 people collect 12 times 3 dollars", "contradicted", "540"),
        ("a lot of money", "contradicted", "540"),
    ],
)
async def test_only_the_figure_changes_where_the_rest_is_a_frame(draft: str, status: str, text: str) -> None:
    result = await answered("If 45 people each pay $12, what is collected?", draft)
    assert result is not None
    assert (result[1].status, result[0]) == (status, text)


@pytest.mark.parametrize(
    ("draft", "answer", "query", "agrees"),
    [
        ("62.14 miles", "62.1371", "100 km in miles?", True),
        ("62", "62.1371", "100 km in miles?", False),
        ("3.33", "3.33333", "10/3?", True),
        ("3.34", "3.33333", "10/3?", False),
        ("6.5 GB = 1000 MB", "6500", "Using decimal prefixes (1 GB = 1000 MB), how many megabytes are in 6.5 GB?", False),
        ("9 km", "5.59234", "9 km in miles?", False),
        ("398", "397.8", "17% of 2340?", False),
        ("-5", "5", "", False),
        ("5.0", "5", "", True),
        ("five", "5", "", True),
        ("3-5", "5", "", False),
        ("Friday", "Friday", "", True),
        ("It was a Friday.", "Friday", "", True),
        ("It was not a Friday.", "Friday", "", False),
        ("Thursday, not Friday", "Friday", "", False),
        ("Yes, it is.", "yes", "", True),
        ("1988 is a leap year.", "yes", "", True),
        ("1988 is not a leap year.", "yes", "", False),
        ("No", "yes", "", False),
        ("April 17, 2024", "17 April 2024", "", True),
        ("17 April 2023", "17 April 2024", "", False),
        ("hello", "HELLO", "Write 'hello' in capital letters", False),
        ("HELLO", "HELLO", "Write 'hello' in capital letters", True),
        ("Tenalp.", "tenalp", "spell 'planet' backwards", True),
        ("tenal", "tenalp", "spell 'planet' backwards", False),
        ("≈ 3.143", "3.14286", "What do you get when you divide 22 by 7?", True),
        ("roughly 29.8 miles", "29.8258", "Convert 48 km to miles.", True),
        ("roughly 29.3 miles", "29.8258", "Convert 48 km to miles.", False),
    ],
)
def test_comparison_of_a_draft_with_the_answer(draft: str, answer: str, query: str, agrees: bool) -> None:
    assert compare(draft, answer, query).agrees is agrees


def option(label: str, answer: str, fit: float) -> Option:
    evidence = Evidence(tool="calculator", input=label, text=answer, value=answer)
    return Option(call=ToolCall(tool="calculator", input=label), label=label, result=(evidence,), answer=answer, fit=fit)


async def test_one_option_far_ahead_is_chosen_by_rule() -> None:
    task = Task(query="?")
    assert await choose([option("add(1, 2)", "3", 0.4), option("multiply(1, 2)", "2", 0.9)], task, effects_for(task)) == (
        option("multiply(1, 2)", "2", 0.9),
        "rule",
    )


async def test_the_model_picks_among_options_that_are_close() -> None:
    task = Task(query="?")
    model = ScriptedModel([Reply(text="add(1, 2)")], ability="small")
    chosen, plan = await choose([option("add(1, 2)", "3", 0.5), option("multiply(1, 2)", "2", 0.55)], task, effects_for(task, model))
    assert (chosen and chosen.label, plan) == ("add(1, 2)", "chosen")


async def test_a_reply_that_is_no_label_leaves_the_likeliest() -> None:
    task = Task(query="?")
    model = ScriptedModel([Reply(text="I think it is three.")], ability="small")
    chosen, plan = await choose([option("add(1, 2)", "3", 0.5), option("multiply(1, 2)", "2", 0.55)], task, effects_for(task, model))
    assert (chosen and chosen.label, plan) == ("multiply(1, 2)", "chosen")


async def test_without_a_model_close_options_are_left_undecided() -> None:
    task = Task(query="?")
    assert await choose([option("add(1, 2)", "3", 0.5), option("multiply(1, 2)", "2", 0.55)], task, effects_for(task)) == (None, "rule")


async def test_who_picks_from_documents_sees_the_sentences() -> None:
    task = Task(query="Which river does the bridge cross?")
    model = ScriptedModel([Reply(text="Orn", contains="The bridge crosses the Orn.")], ability="small")
    found = [
        Option(
            call=ToolCall(tool="documents", input=task.query),
            label=name,
            result=(Evidence(tool="documents", input=task.query, text=text, value=name),),
            answer=name,
            fit=fit,
        )
        for name, text, fit in (("Ilm", "The Ilm is near.", 0.55), ("Orn", "The bridge crosses the Orn.", 0.5))
    ]
    chosen, plan = await choose(found, task, effects_for(task, model))
    assert (chosen and chosen.answer, plan) == ("Orn", "chosen")


async def test_options_that_hardly_fit_are_no_reading() -> None:
    task = Task(query="?")
    assert await choose([option("add(1, 2)", "3", 0.2)], task, effects_for(task)) == (None, "rule")


async def test_a_report_is_left_to_the_rules() -> None:
    task = Task(query="", kind="report")
    routes = await EnumeratingPlanner().plan(task, "17% of 2,340 is 400.", effects_for(task), {})
    assert routes
    assert routes[0].plan == "rule"


def test_rounding_words_are_read_and_cut_out() -> None:
    rounding, rest = read_rounding("What is 10/3, rounded to 2 decimal places?")
    assert (rounding.places, rounding.shown(Fraction(10, 3))) == (2, "3.33")
    assert "2" not in rest
    assert read_rounding("What is 1234 to 2 significant figures?")[0].shown(Fraction(1234)) == "1200"
    assert read_rounding("5 acres in hectares (two decimals)")[0].shown(Fraction(2)) == "2.00"
    assert read_rounding("350 °F, nearest whole degree Celsius?", keep_unit=True) == (Rounding(places=0), "350 °F to degree Celsius?")
    assert read_rounding("9 miles, at least two decimals")[0] == Rounding()
    assert read_rounding("hours as a decimal")[0] == Rounding()
    assert read_rounding("How far is the nearest town?") == (Rounding(), "How far is the nearest town?")
    assert read_rounding("34 to the nearest ten")[0].shown(Fraction(34)) == "30"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2 1/2 cups and two and a half litres", ["5/2", "5/2"]),
        ("half of the twenty-five apples", ["1/2", "25"]),
        ("3-5 or -5 or 5 - 3", ["3", "5", "-5", "5", "3"]),
        ("$1,234.50 or 2 million", ["2469/2", "2000000"]),
        ("one of them", []),
    ],
)
def test_literals(text: str, values: list[str]) -> None:
    assert [str(token.value) for token in tokens(text) if token.kind == "number"] == values


@given(st.fractions())
def test_a_number_written_for_the_calculator_has_its_value(value: Fraction) -> None:
    assert evaluate(number_text(value)) == value


@given(st.text(max_size=80))
async def test_any_question_ends_without_an_error(query: str) -> None:
    task = Task(query=query)
    assert all(option.answer for option in await options(task, effects_for(task)))


@given(st.lists(st.sampled_from("what is how many the of and 12 7% 3.5 km miles $ sum times - + ( ) left each 2024-03-01 'cat' r's days".split()), max_size=14))
async def test_any_mixture_of_operation_words_ends_without_an_error(words: list[str]) -> None:
    task = Task(query=" ".join(words))
    routes = await EnumeratingPlanner().plan(task, "12", effects_for(task), {})
    assert all("12"[slice(*route.claim.span)] == route.claim.text for route in routes)


@pytest.mark.parametrize(
    ("query", "answer", "status"),
    [
        ("Nora picked some plums. She gave 30 of them away. If she still has 12 plums left, how many plums did Nora pick?", "42", "insufficient"),
        ("Tom reads for 3 hours each morning and 2 hours each night. If he reads for 5 days, how many hours does he read at night?", "10", "insufficient"),
        ("Three 'plum jam' jars stand on a shelf. If 4 more 'plum jam' jars come and 5 go, how many are left?", "2", "insufficient"),
        ("A crate holds 24 cans. How many cans are in 5 crates?", "120", "supported"),
        ("What is 48 times 27?", "1300", "contradicted"),
        ("What is 20% off 50 dollars?", "45", "contradicted"),
        ("How many kilometres are 26.2 miles?", "40", "contradicted"),
    ],
)
async def test_a_reading_of_a_story_overturns_no_answer_that_was_given(query: str, answer: str, status: str) -> None:
    task = Task(query=query, kind="math", answer=answer)
    routes = await EnumeratingPlanner().plan(task, answer, effects_for(task), {})
    verdict = routes[0].decide(routes[0].results or ())
    assert verdict is not None
    assert (verdict.status, verdict.expected is None) == (status, status != "contradicted")


async def test_a_small_writers_own_draft_gives_way_to_a_reading_of_the_story() -> None:
    task = Task(query="A crate holds 24 cans. How many cans are in 5 crates?", kind="math")
    routes = await EnumeratingPlanner().plan(task, "100", effects_for(task), {})
    verdict = routes[0].decide(routes[0].results or ())
    assert verdict is not None
    assert (verdict.status, verdict.expected) == ("contradicted", "120")


@pytest.mark.parametrize(("file", "step"), [("svamp/SVAMP.jsonl", 12), ("gsm8k/test.jsonl", 12)])
async def test_right_answers_to_word_problems_are_left_alone(shared_data: Path, file: str, step: int) -> None:
    rows, _, _ = read_dataset(shared_data / file)
    overturned: list[str] = []
    for row in rows[::step]:
        answer = row.gold.answers[0].rpartition("####")[2].strip().removesuffix(".0")
        task = replace(row.task, answer=answer)
        for route in await EnumeratingPlanner().plan(task, answer, effects_for(task), {}):
            verdict = route.decide(route.results or ())
            overturned += [task.query] if verdict is not None and verdict.status == "contradicted" else []
    assert overturned == []
