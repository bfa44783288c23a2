"""Plausibility: answers that can be right are never doubted; those that cannot be are, whatever the documents say."""

from __future__ import annotations

import pytest

from redraft.claims.plausible import implausible

MAY_BE = [
    ("How many pizzas did Anna order?", "4"),
    ("How many people live in Vatican City?", "about 800"),
    ("What percentage of the class passed?", "85%"),
    ("How many hours are there in a day?", "24"),
    ("In which year did the war end?", "1945"),
    ("Who wrote Hamlet?", "Shakespeare"),
    ("Where was Napoleon born?", "Ajaccio"),
    ("How tall is the Eiffel Tower in metres?", "330 m"),
    ("What is the temperature on Mars at night?", "-73 °C"),
    ("How much did profits change?", "-12%"),
    ("By what percentage did the price rise?", "250%"),
    ("How many of the 30 pupils passed?", "27"),
    ("What is the probability of heads?", "0.5"),
    ("How old is Paul?", "42"),
    ("How many children did she have?", "none"),
    ("Is 7 a prime number?", "yes"),
    ("When was the bridge opened?", "12 May 1937"),
    ("What year was the first Olympic games held?", "776 BC"),
    ("How many hours did she work this week?", "38.5"),
    ("How many minutes are in two hours?", "120 minutes"),
    ("How many days does February have in 2024?", "29"),
    ("How far is the Moon?", "384,400 km"),
    ("What share of voters chose Labour?", "31.5 percent"),
    ("How many legs does a spider have?", "eight"),
    ("What is 3 minus 10?", "-7"),
    ("How much does the laptop cost?", "$899.99"),
    ("Which team won in 2022?", "49ers"),
    ("Who is number 7?", "007"),
    ("How many people on average live in a household?", "2.3"),
    ("How many times larger is it, in percent?", "300%"),
    ("What time does the train leave?", "17:45"),
    ("How many hours does the flight from London to Sydney take?", "22"),
    ("In what year will the comet return?", "2061"),
    ("How many megabytes are in a gigabyte?", "1024"),
    ("How deep is the Mariana Trench?", "-10,935 m below sea level"),
    ("What is the elevation of the Dead Sea shore?", "-430 m"),
    ("How many eggs are in a dozen?", "12"),
    ("How long is the film?", "2 hours 15 minutes"),
    ("What fraction of the cake is left?", "3/8"),
    ("How many goals did he score per game?", "0.8"),
    ("In what year was Rome founded?", "753 BC"),
    ("How many calories are in an apple?", "95 kcal"),
    ("What percentage of its 2010 sales did it reach in 2020?", "140%"),
    ("How many hours of sun are there in July?", "248"),
    ("What percentage of the girls is the number of boys?", "120%"),
    ("What percentage of its seats did the airline sell?", "103%"),
    ("How many hours a day do the machines run?", "64"),
    ("How many hours are there in a day on Venus?", "5832"),
    ("In which year of the Holocene calendar did it land?", "11969"),
    ("How old is the oldest tree?", "4,800 years"),
    ("What percentage of people voted, relative to 2016?", "105%"),
    ("How many minutes in the hour of code were used?", "55"),
    ("How many days a week is the museum open?", "6"),
    ("How old was the youngest player?", "17"),
    ("How many days in May were dry?", "31"),
    ("In what year will the probe arrive?", "40272"),
    ("How much of the budget was spent, in percent?", "104%"),
    ("How far is it in hours?", "3 h"),
    ("How many of the 12 apostles were fishermen?", "four"),
]
CANNOT_BE = [
    ("How many pizzas did Anna order?", "-4"),
    ("How many pupils passed?", "Maria"),
    ("What percentage of the class passed?", "250 %"),
    ("How many hours a day does he sleep?", "30"),
    ("In which year did the war end?", "20255"),
    ("How many children did she have?", "2.5"),
    ("How many of the 30 pupils passed?", "34"),
    ("What is the probability of rain?", "140%"),
    ("How old is Paul?", "-3"),
    ("Is 7 a prime number?", "42"),
    ("Who wrote Hamlet?", "37.5"),
    ("Where was Napoleon born?", "$300"),
    ("How tall is the tower in metres?", "330 kg"),
    ("What year was he born?", "1875.5"),
    ("How many eggs are left?", "blue"),
    ("How many days are there in that week?", "9"),
    ("What percentage of the students are girls?", "-20%"),
    ("How old was the oldest pupil of the school?", "350 years"),
    ("How many minutes of that hour did she wait?", "75"),
    ("How much did the ticket cost?", "Berlin"),
    ("What is the probability that it rains?", "-0.2"),
    ("How many days of February were wet?", "31"),
    ("What share of the voters chose Labour?", "130 percent"),
    ("How many months of the year is the pass closed?", "14"),
    ("What percentage of the answers were right?", "101%"),
]


@pytest.mark.parametrize(("query", "answer"), MAY_BE)
def test_an_answer_that_may_be_right_is_not_doubted(query: str, answer: str) -> None:
    assert implausible(query, answer) is None


@pytest.mark.parametrize(("query", "answer"), CANNOT_BE)
def test_an_answer_that_cannot_be_is_doubted_in_words(query: str, answer: str) -> None:
    assert implausible(query, answer)
