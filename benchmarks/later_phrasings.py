"""A third list for development: once held out, since looked at. Names as in `family_questions`."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction as F

__all__ = ["LATER"]

Rule = Callable[..., F | int | str | date]


LATER: dict[str, list[tuple[str, Rule]]] = {
    "arithmetic": [
        ("What is {a} plus {b} minus {c}?", lambda a, b, c: a + b - c),
        ("compute {a} x {q}", lambda a, q: a * q),
        ("How much is {big} minus {b}?", lambda big, b: big - b),
        ("What's {n} divided by {b2}?", lambda n, b2: F(n, b2)),
        ("Solve: ({b} + {c}) * {q}", lambda b, c, q: (b + c) * q),
        ("{p}% of {a} is how much?", lambda p, a: F(a * p, 100)),
        ("What percent of {m} is {b}?", lambda m, b: F(100 * b, m)),
        ("What do you get if {m} is increased by {p}%?", lambda m, p: F(m * (100 + p), 100)),
        ("If {m} drops by {p} percent, what is left?", lambda m, p: F(m * (100 - p), 100)),
        ("A phone priced at ${m} has a {p}% discount. What is the sale price?", lambda m, p: F(m * (100 - p), 100)),
        ("Sales tax is {p}%. What is the tax on a ${m} purchase?", lambda m, p: F(m * p, 100)),
        ("The bill comes to ${a} and we want to add a {p}% tip. What's the total?", lambda a, p: F(a * (100 + p), 100)),
        ("In a school of {m} students, {p}% are boys. How many boys are there?", lambda m, p: F(m * p, 100)),
        ("A team played {m2} matches and won {b0}. What percentage of the matches did it win?", lambda m2, b0: F(100 * b0, m2)),
        ("The price rose from ${m} to ${mp}. What was the percentage increase?", lambda m, mp: F(100 * (mp - m), m)),
        ("Maria has {a} beads. She buys {b} more. How many beads does she have now?", lambda a, b: a + b),
        ("A shelf has {a} books. {b0} are borrowed. How many remain on the shelf?", lambda a, b0: a - b0),
        ("Paul collected {big} shells and Mia collected {b}. How many more shells did Paul collect?", lambda big, b: big - b),
        ("There are {q} boxes with {c} oranges in each. How many oranges are there altogether?", lambda q, c: q * c),
        ("A worker is paid ${b} per hour. How much does he earn for {q} hours of work?", lambda b, q: b * q),
        ("{n} candies are divided equally among {b2} kids. How many candies does each kid receive?", lambda n, b2: F(n, b2)),
        ("A bus can carry {b2} passengers. How many buses are needed for {n} passengers?", lambda b2, n: F(n, b2)),
        ("A car travels at {b} km/h for {q} hours. How far does it go?", lambda b, q: b * q),
        ("{q} apples cost ${nq}. How much does one apple cost?", lambda q, nq: F(nq, q)),
        ("A rectangle has a length of {a} cm and a width of {q} cm. What is its area?", lambda a, q: a * q),
        ("Lisa is {c4} years younger than Mark. Mark is {b}. How old is Lisa?", lambda c4, b: b - c4),
        ("Kevin had ${big}. He spent ${b} on a game. How much money does he have left?", lambda big, b: big - b),
        ("What's the mean of {a}, {b} and {c}?", lambda a, b, c: F(a + b + c, 3)),
        ("What is {f} of {m}?", lambda f, m: F(f) * m),
        ("Find the product of {b} and {q}", lambda b, q: b * q),
        ("What's the difference between {big} and {b}?", lambda big, b: big - b),
        ("Add {a} and {b}, then subtract {c}.", lambda a, b, c: a + b - c),
        ("A movie starts with {a} people in the room, and {c} people walk out. How many people stay?", lambda a, c: a - c),
        ("One pack contains {q} batteries. How many batteries are in {c} packs?", lambda q, c: q * c),
        ("If you save ${b} every week, how much will you have saved after {q} weeks?", lambda b, q: b * q),
        ("A {n}-page book is read in {b2} days, the same number of pages each day. How many pages per day?", lambda n, b2: F(n, b2)),
        ("What is the cube of {q}?", lambda q: q**3),
        ("How many minutes does it take to walk {nq} blocks at {q} blocks per minute?", lambda nq, q: F(nq, q)),
    ],
    "units": [
        ("How do you write {x} km in miles?", lambda x: F(x) / F("1.609344")),
        ("What's the metric equivalent in kg of {x} pounds?", lambda x: F(x) * F("0.45359237")),
        ("{x} feet to inches", lambda x: F(x) * 12),
        ("If a film runs {x} minutes, how many hours is it?", lambda x: F(x) / 60),
        ("Body temperature of {x} °C in Fahrenheit?", lambda x: F(x) * 9 / 5 + 32),
        ("A jug has {x} litres of juice, how many millilitres is that?", lambda x: F(x) * 1000),
        ("How many ounces does {x} pounds equal?", lambda x: F(x) * 16),
        ("How many miles per hour is {x} kilometers per hour?", lambda x: F(x) / F("1.609344")),
        ("Express a length of {x} cm in metres.", lambda x: F(x) / 100),
        ("How many sq ft are there in {x} sq m?", lambda x: F(x) / F("0.09290304")),
    ],
    "letters": [
        ("How many times is the letter {letter} in {w}?", lambda w, letter: w.count(letter)),
        ("Count how many {letter}'s appear in the word \"{w}\".", lambda w, letter: w.count(letter)),
        ("What's the letter count for '{letter}' in '{w}'?", lambda w, letter: w.count(letter)),
        ("How many letters does '{w}' contain?", lambda w: len(w)),
        ("Give the length of the word {w}.", lambda w: len(w)),
        ("Write '{w}' backwards.", lambda w: w[::-1]),
        ("What is the reverse of {w}?", lambda w: w[::-1]),
        ("Reverse '{w}'", lambda w: w[::-1]),
        ("How many vowels are in {w}?", lambda w: sum(c in "aeiou" for c in w)),
        ("What is the first letter of '{w}'?", lambda w: w[0]),
    ],
    "dates": [
        ("What weekday is {d}?", lambda d: calendar.day_name[d.weekday()]),
        ("On what weekday was {d}?", lambda d: calendar.day_name[d.weekday()]),
        ("What is the date {n} days before {d}?", lambda d, n: d - timedelta(n)),
        ("If it is {d}, what date will it be {n} days later?", lambda d, n: d + timedelta(n)),
        ("How many days from {d} to {e}?", lambda d, e: (e - d).days),
        ("Find the number of days between {d} and {e}.", lambda d, e: (e - d).days),
        ("How many days does the month {my} have?", lambda my: calendar.monthrange(*my)[1]),
        ("Is {y} a leap year or a common year? Yes if leap, no if common.", lambda y: "yes" if calendar.isleap(y) else "no"),
        ("Which day of the week is it on {d}?", lambda d: calendar.day_name[d.weekday()]),
        ("What will the date be {k} weeks after {d}?", lambda d, k: d + timedelta(7 * k)),
    ],
}  # fmt: skip
