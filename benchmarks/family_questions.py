"""Questions by seed for the families that the embedded model plans: two disjoint lists of phrasings, written after the vocabularies.

The phrasings here, in `more_phrasings` and in `later_phrasings` are what the vocabularies may be improved on;
those of `held_out_phrasings` are only ever measured.
Gold answers are worked out here, without the tools.
"""

from __future__ import annotations

import calendar
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction as F

from held_out_phrasings import HELD_OUT
from later_phrasings import LATER
from more_phrasings import MORE

__all__ = ["FAMILIES", "Question", "questions"]

FAMILIES = ("arithmetic", "units", "letters", "dates")


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question with its gold: a fraction, a text or a date."""

    query: str
    gold: F | str | date
    template: str


Rule = Callable[..., F | int | str | date]
# Arithmetic and percent: names a, b, c are numbers that fit the rule; q (small), p (a whole percentage), n (a multiple of b).
ARITHMETIC: dict[str, list[tuple[str, Rule]]] = {
    "dev": [
        ("What is {a} plus {b}?", lambda a, b: a + b),
        ("How much is {f} of {m}?", lambda f, m: F(f) * m),
        ("If {a} people each pay ${q}, what is collected?", lambda a, q: a * q),
        ("What's {a} increased by {p}%?", lambda a, p: F(a * (100 + p), 100)),
        ("Take {b} away from {big}", lambda b, big: big - b),
        ("What is {p}% of {a}?", lambda p, a: F(a * p, 100)),
        ("Calculate {a} * {q} - {b}", lambda a, q, b: a * q - b),
        ("Multiply {a} by {q}.", lambda a, q: a * q),
        ("A shop sells {a} rolls in the morning and {b} in the afternoon. How many rolls does it sell in total?", lambda a, b: a + b),
        ("There are {big} seats in a hall and {b} of them are taken. How many are free?", lambda big, b: big - b),
        ("{n} sweets are shared equally among {b2} children. How many does each child get?", lambda n, b2: F(n, b2)),
        ("A jacket costs ${a}. It is reduced by {p}%. What is the new price?", lambda a, p: F(a * (100 - p), 100)),
        ("What percentage of {m} is {b}?", lambda m, b: F(100 * b, m)),
        ("Divide {n} by {b2}.", lambda n, b2: F(n, b2)),
        ("Find the average of {a}, {b} and {c}.", lambda a, b, c: F(a + b + c, 3)),
        ("What is the remainder when {big} is divided by {q}?", lambda big, q: big % q),
        ("Emma has {a} stickers and gives {b0} to her brother. How many stickers does she have left?", lambda a, b0: a - b0),
        ("A car drives {n} km in {b2} hours. What is its average speed in km per hour?", lambda n, b2: F(n, b2)),
        ("A box holds {q} eggs. How many eggs are in {a} boxes?", lambda q, a: a * q),
        ("What is the square of {q2}?", lambda q2: q2 * q2),
    ],
    "more": [
        ("{a} + {b} = ?", lambda a, b: a + b),
        ("Could you tell me the sum of {a} and {b}?", lambda a, b: a + b),
        ("what do i get if i subtract {b} from {big}", lambda b, big: big - b),
        ("By how much is {big} greater than {b}?", lambda big, b: big - b),
        ("{p} percent of {a} equals what?", lambda p, a: F(a * p, 100)),
        ("Work out {a} × {q}.", lambda a, q: a * q),
        ("{q} lots of {a}", lambda q, a: a * q),
        ("How many groups of {b2} can be made from {n} students?", lambda b2, n: F(n, b2)),
        ("I earn ${q} an hour. How much do I earn in {a} hours?", lambda q, a: a * q),
        ("A farmer plants {a} rows of {q} cabbages. How many cabbages is that?", lambda a, q: a * q),
        ("Ben is {q} years old and his uncle is {a} years older. How old is the uncle?", lambda q, a: q + a),
        ("{big} passengers were on a train. At the station {b} got off. How many passengers stayed on?", lambda big, b: big - b),
        ("Laura scored {big} points and Kim scored {b}. How many more points did Laura score than Kim?", lambda big, b: big - b),
        ("The price of a ${a} phone goes up by {p}%. What does it cost now?", lambda a, p: F(a * (100 + p), 100)),
        ("With a {p}% discount, what do you pay for a ${a} bag?", lambda a, p: F(a * (100 - p), 100)),
        ("{b0} out of {m2} students walk to school. What percent is that?", lambda b0, m2: F(100 * b0, m2)),
        ("A restaurant bill is ${a}. If you leave a tip of {p}%, how many dollars is the tip?", lambda a, p: F(a * p, 100)),
        ("{p}% of {m} employees work from home. How many employees is that?", lambda p, m: F(m * p, 100)),
        ("If {q} notebooks cost ${nq}, what is the price of one notebook?", lambda q, nq: F(nq, q)),
        ("Evaluate ({a} - {b0}) / {q}", lambda a, b0, q: F(a - b0, q)),
        ("double {a}, then add {b}", lambda a, b: 2 * a + b),
        ("What number do you get when you halve {m}?", lambda m: F(m, 2)),
        ("What's {q2} squared?", lambda q2: q2 * q2),
        ("The temperature was {q} degrees and rose by {c} degrees. What is the temperature now?", lambda q, c: q + c),
        ("A tank contains {big} litres. {b} litres leak out. How many litres remain?", lambda big, b: big - b),
        ("Each carton has {q} bottles. We bought {a} cartons. How many bottles did we buy?", lambda q, a: a * q),
        ("A book of {n} pages is read at {b2} pages per day. How many days does it take to finish?", lambda n, b2: F(n, b2)),
        ("Mean of the numbers {a}, {b}, {c}, {q}", lambda a, b, c, q: F(a + b + c + q, 4)),
        ("Sam saved ${a} in May and ${b} in June. How much did he save altogether?", lambda a, b: a + b),
        ("What must I add to {b} to reach {big}?", lambda b, big: big - b),
        ("{b} less than {big} is what number?", lambda b, big: big - b),
        ("A rectangular garden measures {a} m by {q} m. What is its area in square metres?", lambda a, q: a * q),
        ("A salary of ${m} is cut by {p} percent. What is the salary after the cut?", lambda m, p: F(m * (100 - p), 100)),
        ("A town grew from {m} to {mp} inhabitants. By what percentage did it grow?", lambda m, mp: F(100 * (mp - m), m)),
        ("Find {f} of {m}", lambda f, m: F(f) * m),
        ("Split {n} euros evenly between {b2} friends. How much does each friend receive?", lambda n, b2: F(n, b2)),
        ("If a pen costs {q} dollars, how many pens can I buy with {nq} dollars?", lambda q, nq: F(nq, q)),
        ("What is the product of {a} and {q}?", lambda a, q: a * q),
        ("Anna had ${big} and spent ${b} on books. How much money does she still have?", lambda big, b: big - b),
        ("What is {m} minus {p}%?", lambda m, p: F(m * (100 - p), 100)),
        ("{b0} is what percent of {m2}?", lambda b0, m2: F(100 * b0, m2)),
        ("Seven friends each bring {a} cards. How many cards are there in all?", lambda a: 7 * a),
    ],
}  # fmt: skip
# Units: x is a number; the rule gives the factor or the converted value.
UNITS: dict[str, list[tuple[str, Rule]]] = {
    "dev": [
        ("Convert {x} km to miles.", lambda x: F(x) / F("1.609344")),
        ("How many grams are {x} pounds?", lambda x: F(x) * F("453.59237")),
        ("What is {x} degrees Celsius in Fahrenheit?", lambda x: F(x) * 9 / 5 + 32),
        ("Convert {s} ft {t} in to centimetres", lambda s, t: (F(s) * 12 + t) * F("2.54")),
        ("How many minutes are there in {x} hours?", lambda x: F(x) * 60),
        ("Express {x} metres in feet.", lambda x: F(x) / F("0.3048")),
        ("{x} litres in US gallons", lambda x: F(x) / F("3.785411784")),
        ("What is {x} mph in km/h?", lambda x: F(x) * F("1.609344")),
        ("How many square feet is {x} square metres?", lambda x: F(x) / F("0.3048") ** 2),
        ("A parcel weighs {x} kg. What is that in pounds?", lambda x: F(x) / F("0.45359237")),
    ],
    "more": [
        ("{x} miles is how many kilometers?", lambda x: F(x) * F("1.609344")),
        ("Change {x} inches into centimeters.", lambda x: F(x) * F("2.54")),
        ("how many feet in {x} yards", lambda x: F(x) * 3),
        ("I ran {x} kilometres this morning. How far is that in miles?", lambda x: F(x) / F("1.609344")),
        ("My suitcase is {x} lbs. How many kilograms does it weigh?", lambda x: F(x) * F("0.45359237")),
        ("The oven should be at {x}°F. What temperature is this in °C?", lambda x: (F(x) - 32) * 5 / 9),
        ("If it's {x} celsius outside, what is it in fahrenheit?", lambda x: F(x) * 9 / 5 + 32),
        ("What would {x} ounces be in grams?", lambda x: F(x) * F("28.349523125")),
        ("A recipe needs {x} cups of milk. How many millilitres is that?", lambda x: F(x) * F("236.5882365")),
        ("How long is {x} minutes in hours?", lambda x: F(x) / 60),
        ("How many seconds are in {x} minutes?", lambda x: F(x) * 60),
        ("Turn {x} m/s into km/h", lambda x: F(x) * F("3.6")),
        ("Give the equivalent of {x} hectares in acres", lambda x: F(x) * 10000 / F("4046.8564224")),
        ("{x} stone in kilograms?", lambda x: F(x) * F("6.35029318")),
        ("The film lasts {x} hours. How many minutes is that?", lambda x: F(x) * 60),
        ("What's the height in metres of someone who is {s} feet {t} inches tall?", lambda s, t: (F(s) * 12 + t) * F("0.0254")),
        ("How many hours are there in {x} days?", lambda x: F(x) * 24),
        ("Please convert {x} gallons to liters", lambda x: F(x) * F("3.785411784")),
        ("A marathon is {x} km; express this distance in metres.", lambda x: F(x) * 1000),
        ("How heavy is {x} kilograms in ounces?", lambda x: F(x) / F("0.028349523125")),
        ("what is {x} cm expressed in inches", lambda x: F(x) / F("2.54")),
        ("Write {x} kilobytes in bytes", lambda x: F(x) * 1000),
        ("A tank holds {x} cubic metres of water. How many litres does it hold?", lambda x: F(x) * 1000),
        ("How many kilojoules are {x} kilocalories?", lambda x: F(x) * F("4.184")),
        ("The speed limit is {x} km/h. What's that in miles per hour?", lambda x: F(x) / F("1.609344")),
        ("A plot measures {x} acres. How many square metres is it?", lambda x: F(x) * F("4046.8564224")),
        ("How many weeks are {x} days?", lambda x: F(x) / 7),
        ("{x} tablespoons equals how many teaspoons?", lambda x: F(x) * 3),
        ("Find the number of millimetres in {x} metres.", lambda x: F(x) * 1000),
        ("How many pints are in {x} quarts?", lambda x: F(x) * 2),
        ("Convert a temperature of {x} kelvin to degrees celsius.", lambda x: F(x) - F("273.15")),
        ("A rope is {x} feet long. What is its length in meters?", lambda x: F(x) * F("0.3048")),
        ("How many nautical miles are there in {x} kilometres?", lambda x: F(x) / F("1.852")),
        ("{x} psi to bar", lambda x: F(x) * F("0.0689475729")),
    ],
}  # fmt: skip
# Letters: w a word, letter a letter of it.
LETTERS: dict[str, list[tuple[str, Rule]]] = {
    "dev": [
        ("How many {letter}'s are in {w}?", lambda w, letter: w.count(letter)),
        ('How many times does the letter {letter} occur in "{w}"?', lambda w, letter: w.count(letter)),
        ("How long is the word '{w}'?", lambda w: len(w)),
        ("spell '{w}' backwards", lambda w: w[::-1]),
        ('How many vowels does "{w}" have?', lambda w: sum(c in "aeiou" for c in w)),
        ("Reverse the word {w}.", lambda w: w[::-1]),
        ("What is the third letter of '{w}'?", lambda w: w[2]),
        ("How many letters are in the word {w}?", lambda w: len(w)),
    ],
    "more": [
        ("Count the {letter}s in '{w}'.", lambda w, letter: w.count(letter)),
        ('In the word "{w}", how often does "{letter}" appear?', lambda w, letter: w.count(letter)),
        ("what's the number of times {letter} shows up in {w}", lambda w, letter: w.count(letter)),
        ("Tell me how many letter {letter}s there are in the word {w}", lambda w, letter: w.count(letter)),
        ("How many occurrences of '{letter}' does '{w}' contain?", lambda w, letter: w.count(letter)),
        ("How many characters are there in '{w}'?", lambda w: len(w)),
        ("What is the length of \"{w}\"?", lambda w: len(w)),
        ("How many letters make up {w}?", lambda w: len(w)),
        ("Number of letters in '{w}'", lambda w: len(w)),
        ("Write {w} in reverse.", lambda w: w[::-1]),
        ("What do you get when you spell {w} backward?", lambda w: w[::-1]),
        ("Reverse this string: {w}", lambda w: w[::-1]),
        ("How is '{w}' written from right to left?", lambda w: w[::-1]),
        ("If you read \"{w}\" from back to front, what do you get?", lambda w: w[::-1]),
        ("Count the vowels in {w}.", lambda w: sum(c in "aeiou" for c in w)),
        ("How many consonants are there in the word '{w}'?", lambda w: sum(c not in "aeiou" for c in w)),
        ("Which letter is the second one in '{w}'?", lambda w: w[1]),
        ("What's the last letter of {w}?", lambda w: w[-1]),
        ("Give me the 4th character of '{w}'", lambda w: w[3]),
        ("Put the word {w} into capital letters.", lambda w: w.upper()),
        ("Sort the letters of '{w}' alphabetically.", lambda w: "".join(sorted(w))),
        ("Does the word {w} contain the letter {letter}?", lambda w, letter: "yes"),
        ("how many {letter} in {w}", lambda w, letter: w.count(letter)),
        ("{w}: how many times do we see the letter {letter}?", lambda w, letter: w.count(letter)),
        ("Is '{w}' a palindrome?", lambda w: "yes" if w == w[::-1] else "no"),
        ("How many different letters are used in '{w}'?", lambda w: len(set(w))),
    ],
}  # fmt: skip
# Dates: d, e dates (e later) in a form; n a number of days.
DATES: dict[str, list[tuple[str, Rule]]] = {
    "dev": [
        ("What date is {n} days after {d}?", lambda d, n: d + timedelta(n)),
        ("Which weekday was {d}?", lambda d: calendar.day_name[d.weekday()]),
        ("How many days are there between {d} and {e}?", lambda d, e: (e - d).days),
        ("Is {y} a leap year?", lambda y: "yes" if calendar.isleap(y) else "no"),
        ("How many days does {my} have?", lambda my: calendar.monthrange(*my)[1]),
        ("What date was {n} days before {d}?", lambda d, n: d - timedelta(n)),
        ("On what day of the week does {d} fall?", lambda d: calendar.day_name[d.weekday()]),
    ],
    "more": [
        ("What day of the week was it on {d}?", lambda d: calendar.day_name[d.weekday()]),
        ("{d} is which day of the week?", lambda d: calendar.day_name[d.weekday()]),
        ("Tell me the weekday of {d}.", lambda d: calendar.day_name[d.weekday()]),
        ("A baby was born on {d}. What day of the week was that?", lambda d: calendar.day_name[d.weekday()]),
        ("If today is {d}, what will the date be in {n} days?", lambda d, n: d + timedelta(n)),
        ("Add {n} days to {d}.", lambda d, n: d + timedelta(n)),
        ("A parcel sent on {d} arrives {n} days later. On what date does it arrive?", lambda d, n: d + timedelta(n)),
        ("What is the date {k} weeks after {d}?", lambda d, k: d + timedelta(7 * k)),
        ("Which date comes {n} days prior to {d}?", lambda d, n: d - timedelta(n)),
        ("Subtract {n} days from {d}", lambda d, n: d - timedelta(n)),
        ("Counting from {d}, how many days is it until {e}?", lambda d, e: (e - d).days),
        ("How many days passed from {d} to {e}?", lambda d, e: (e - d).days),
        ("number of days between {d} and {e}", lambda d, e: (e - d).days),
        ("A project started on {d} and ended on {e}. How many days did it last?", lambda d, e: (e - d).days),
        ("Was {y} a leap year, yes or no?", lambda y: "yes" if calendar.isleap(y) else "no"),
        ("Does the year {y} have 366 days?", lambda y: "yes" if calendar.isleap(y) else "no"),
        ("How many days were there in {my}?", lambda my: calendar.monthrange(*my)[1]),
        ("What's the number of days in {my}?", lambda my: calendar.monthrange(*my)[1]),
        ("How old was a person born on {d} on {e}?", lambda d, e: e.year - d.year - ((e.month, e.day) < (d.month, d.day))),
        ("What day of the year is {d}?", lambda d: d.timetuple().tm_yday),
        ("My rent is due {n} days from {d}. When is that?", lambda d, n: d + timedelta(n)),
        ("which day of the week will {d} be", lambda d: calendar.day_name[d.weekday()]),
        ("What is the day after {d}?", lambda d: d + timedelta(1)),
        ("What was the date {k} weeks before {d}?", lambda d, k: d - timedelta(7 * k)),
        ("How many days are in the year {y}?", lambda y: 366 if calendar.isleap(y) else 365),
        ("How many full weeks are there from {d} to {e}?", lambda d, e: (e - d).days // 7),
        ("Give the date exactly {n} days following {d}.", lambda d, n: d + timedelta(n)),
        ("The meeting on {d} was moved {k} weeks later. What is its new date?", lambda d, k: d + timedelta(7 * k)),
    ],
}  # fmt: skip
SETS = {
    family: {"dev": lists["dev"] + lists["more"] + MORE[family] + LATER[family], "held-out": HELD_OUT[family]}
    for family, lists in {"arithmetic": ARITHMETIC, "units": UNITS, "letters": LETTERS, "dates": DATES}.items()
}
WORDS = """
    strawberry encyclopedia planet mississippi banana orchestra umbrella parallel committee bookkeeper window lantern molecule giraffe adventure
    chocolate avocado balloon cinnamon dinosaur elephant festival gallery harmony illusion jubilee kangaroo lemonade marathon necklace octopus
    pineapple rainbow saxophone telescope volcano whistle yesterday zeppelin level rotator
""".split()


def questions(family: str, phrasings: str, n: int, seed: int) -> list[Question]:
    """`n` questions of a family, every phrasing about equally often."""
    source = random.Random(f"{family}/{phrasings}/{seed}")
    templates = list(SETS[family][phrasings])
    source.shuffle(templates)
    made: list[Question] = []
    for index in range(n):
        template, rule = templates[index % len(templates)]
        values, shown = draw(source)
        names = rule.__code__.co_varnames[: rule.__code__.co_argcount]
        gold = rule(**{name: values[name] for name in names})
        made.append(Question(query=template.format(**shown), gold=F(gold) if isinstance(gold, int | F) else gold, template=template))
    return made


def draw(source: random.Random) -> tuple[dict[str, object], dict[str, object]]:
    """Values for every name a template may use, and how they are written."""
    a, b, c, q = source.randint(110, 990), source.randint(12, 109), source.randint(3, 60), source.randint(4, 19)
    b2, m, p = source.randint(3, 16), 20 * source.randint(10, 90), source.choice((5, 8, 10, 12, 15, 20, 25, 30, 40, 60))
    values: dict[str, object] = {
        "a": a, "b": b, "c": c, "q": q, "b2": b2, "n": b2 * source.randint(8, 60), "m": m, "p": p, "b0": min(b, a - 5), "big": source.randint(120, 4000),
        "q2": source.randint(6, 35), "f": source.choice(("3/4", "2/5", "1/2", "7/10")), "m2": 20 * source.randint(6, 40), "nq": q * source.randint(3, 24),
        "mp": m + m * source.choice((5, 10, 25)) // 100, "s": source.randint(4, 6), "t": source.randint(1, 11), "k": source.randint(2, 12),
        "x": source.choice((str(source.randint(2, 250)), f"{source.randint(2, 80)}.{source.randint(1, 9)}")), "c2": source.randint(3, 30),
        "y": source.choice((1900, 2000, 2024, 2023, 1996, 2100, 1988, 1970, 2028)), "m3": 3 * source.randint(20, 300), "m4": 4 * source.randint(20, 300),
        "c3": source.randint(3, 11), "c4": source.randint(2, 9), "a2": a + 100, "sq": source.randint(4, 40) ** 2,
    }  # fmt: skip
    word = source.choice(WORDS)
    start = date(1950, 1, 1) + timedelta(source.randint(0, 28000))
    later = start + timedelta(source.randint(3, 1500))
    values |= {"w": word, "letter": source.choice(word), "d": start, "e": later, "my": (source.randint(1950, 2030), source.randint(1, 12))}
    shown = dict(values)
    for name in ("big", "m"):
        number = values[name]
        shown[name] = f"{number:,}" if source.random() < 0.3 else str(number)
    form = source.choice(("%Y-%m-%d", "{d} {m} {y}", "{m} {d}, {y}", "the {o} of {m} {y}", "{m} {o}, {y}"))
    shown |= {"d": written(start, form), "e": written(later, form), "my": f"{calendar.month_name[values['my'][1]]} {values['my'][0]}"}  # type: ignore[index]
    return values, shown


def written(day: date, form: str) -> str:
    if "%" in form:
        return day.strftime(form)
    ending = "th" if 10 <= day.day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return form.format(d=day.day, m=calendar.month_name[day.month], y=day.year, o=f"{day.day}{ending}")
