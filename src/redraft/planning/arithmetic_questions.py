"""Arithmetic questions: every expression that the numbers of the question can form and its words allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from redraft.claims.unit_names import read_unit
from redraft.effects import Effects
from redraft.planning.literals import Token, asks_otherwise, asks_truth, number_text, tokens
from redraft.planning.operations import Reading, read_operation
from redraft.planning.options import Option
from redraft.planning.rounding import read_rounding
from redraft.planning.stories import proposals
from redraft.planning.story import Proposal, Story, asks_amount, read_story
from redraft.planning.vocabulary import CARRIERS, phrases
from redraft.types import Failure, Task, ToolCall

__all__ = ["options"]

MAX_QUERY = 1500
SYMBOLS = re.compile(r"[\d(√\-−][\d\s.,()\[\]+\-−–*/×÷·^%!²³√xX]*[\d)%!²³]")
OPERATOR = re.compile(r"[\d)%²³!]\s*(?:[+*/×÷·^−–x]|-\s|-(?=\d))\s*[\d(√\-]|√|\d\s*!|[²³]|\d\s*\(")


CERTAIN = re.compile(r"[\d)%²³!]\s*[*×÷·^+]\s*[\d(√-]|√")
"""Signs that stand in sums only; a dash or a slash may also be a range, a score or a fraction."""
ALTERING = frozenset(
    """
        remainder left leftover percent percentage half double twice square squared root cube cubed average mean digits digit factor factors prime times
        plus minus divided multiplied added subtracted sum difference product quotient inverse reciprocal negative opposite than bigger larger smaller
        more less between least most how's odd even hex binary
    """.split()
)


async def options(task: Task, effects: Effects) -> tuple[Option, ...]:
    """Calculations that could answer, executed, the likeliest first; none where nothing in the question asks for one.

    Raises:
        Stopped: a budget forbids a call.
    """
    if "calculator" not in effects.tools or len(task.query) > MAX_QUERY:
        return ()
    rounding, query = read_rounding(task.query)
    found: list[Option] = []
    for proposal in propose(query):
        call = ToolCall(tool="calculator", input=counted(proposal.expression, query))
        result = await effects.use(call)
        if isinstance(result, Failure) or any(option.result[0].value == result[0].value for option in found):
            continue
        value = exact(result[0].value)
        if value is None or implausible(value, query) or uneven(value, query):
            continue
        found.append(Option(call=call, label=proposal.label, result=result, answer=rounding.shown(value), fit=proposal.weight))
    return tuple(found[:8])


def propose(query: str) -> list[Proposal]:
    """Expressions by every reading, strongest first."""
    read = tokens(query)
    if any(token.kind == "date" for token in read) or asks_otherwise(read) or asks_truth(read) or mixed_money(query):
        return []
    found = [*symbolic(query, read), *worded(spoken(read))]
    if not found or found[0].weight < 0.9:
        story = read_story(read)
        if story is not None and asks_amount(story) and not mixed_units(query, story):
            found += proposals(story)
    best: dict[str, Proposal] = {}
    for proposal in found:
        if proposal.expression not in best or best[proposal.expression].weight < proposal.weight:
            best[proposal.expression] = proposal
    return sorted(best.values(), key=lambda item: -item.weight)[:12]


def symbolic(query: str, read: tuple[Token, ...]) -> Iterator[Proposal]:
    """An expression in symbols that holds every number of the question."""
    for match in SYMBOLS.finditer(query):
        text = match.group().strip()
        inside = [token for token in read if token.kind == "number" and match.start() <= token.start < match.end()]
        numbers = [token for token in read if token.kind == "number"]
        words = [token.lower for token in read if token.kind == "word" and token.lower not in CARRIERS and token.lower not in ("x", "result", "off")]
        if CERTAIN.search(text) and not ALTERING & set(words):
            words = []  # a sum that is written out is what is asked for, whatever the story around it
        if OPERATOR.search(text) and len(inside) == len(numbers):
            yield Proposal(expression=text, label=f"calculate({text})", weight=1.0 if not words else 0.8 if len(words) < 2 else 0.3)


def worded(read: tuple[Token, ...]) -> Iterator[Proposal]:
    """The question as operation words around its numbers; words that no class explains make the reading less sure."""
    spans = [token for token in read if token.kind == "number"]
    ranged = any(token.text == "-" and any(n.end == token.start for n in spans) and any(n.start == token.end for n in spans) for token in read)
    if ranged and any(token.kind == "word" and token.lower not in CARRIERS for token in read):
        return  # a score, a range or a name, such as 24-10
    strict = read_operation(read)
    if len(spans) == 1 and strict is None:
        yield from dozens(read, spans[0])
    if strict is not None:
        yield Proposal(expression=strict.expression, label=f"calculate({strict.expression})", weight=sureness(strict, 1.0))
        if sureness(strict, 1.0) >= 0.9:
            return
    loose = read_operation(read, loose=True)
    if loose is not None and (strict is None or loose.expression != strict.expression):
        yield Proposal(expression=loose.expression, label=f"calculate({loose.expression})", weight=sureness(loose, 0.7))


def spoken(read: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens without the sentences before the first number, where those say nothing about what to do: `My calculator broke. 58 take away 9?`."""
    first = next((index for index, token in enumerate(read) if token.kind == "number"), 0)
    start = max((index + 1 for index, token in enumerate(read[:first]) if token.kind == "mark" and token.text in ".:!?;"), default=0)
    before = {token.lower for token in read[:start] if token.kind == "word"}
    return read if any(phrases().get(word, "IS") not in SILENT for word in before) else read[start:]


SILENT = frozenset({"IS", "WHAT", "AND", "OF", "IN", "ON", "TO", "FROM", "BY", "AS", "GET", "HOWMUCH", "BETWEEN", "NUMBER"})


def dozens(read: tuple[Token, ...], number: Token) -> Iterator[Proposal]:
    """How many are in so many dozen, and how many dozen so many are."""
    words = [token.lower for token in read if token.kind == "word"]
    if not {"many", "much"} & set(words) or number.value is None or len(words) > 9:
        return
    if "dozen" in number.text.lower():
        yield Proposal(expression=f"{number_text(number.value / 12)} * 12", label=f"multiply({number_text(number.value / 12)}, 12)", weight=0.9)
    elif {"dozen", "dozens"} & set(words):
        yield Proposal(expression=f"{number_text(number.value)} / 12", label=f"divide({number_text(number.value)}, 12)", weight=0.9)


def sureness(reading: Reading, most: float) -> float:
    strange = len(reading.unexplained)
    if strange > 1 and reading.operations == 1:
        most = min(most, 0.55)  # a story: its other words decide
    return max(0.1, min(most, 1.0 if strange < 2 else 0.65) - min(0.4, 0.05 * strange) - 0.25 * len(reading.classes))


def exact(value: str) -> Fraction | None:
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


def implausible(value: Fraction, query: str) -> bool:
    """Counted things are not negative."""
    return value < 0 and "how many" in query.lower() and "-" not in query


CENTS = re.compile(r"\d\s*(?:cents?\b|pence\b|p\b|¢)", re.IGNORECASE)
MAJOR_GIVEN = re.compile(r"[$€£]\s?\d|\d\s*(?:dollars?|euros?|pounds?|bucks)\b", re.IGNORECASE)
MAJOR_ASKED = re.compile(r"\b(?:in|many)\s+(?:dollars|euros|pounds)\b", re.IGNORECASE)
NEEDED = re.compile(r"\b(?:needs?|needed|must|have to|has to|required?|order|buy|take[sn]?|necessary|minimum|at least)\b", re.IGNORECASE)
FILLED = re.compile(r"\b(?:full|fill(?:ed)?|complete|completely|entire|whole|afford|can)\b", re.IGNORECASE)
MANY = re.compile(r"\bhow many\s+", re.IGNORECASE)
SINGLE = re.compile(r"[\d.]+ / [\d.]+")


def mixed_money(query: str) -> bool:
    """Whether cents stand beside whole dollars: the sum would need a conversion first."""
    return CENTS.search(query) is not None and MAJOR_GIVEN.search(query) is not None


def mixed_units(query: str, story: Story) -> bool:
    """Whether two amounts are of one kind in different units, `3 m` and `50 cm`, that cannot be added as they stand."""
    if any(amount.per for amount in story.amounts):
        return False
    units = [
        unit[0]
        for amount in story.amounts
        if (unit := read_unit(query, amount.token.end + len(query[amount.token.end :]) - len(query[amount.token.end :].lstrip(" -"))))
    ]
    real = [unit for unit in units if unit.text.lower() not in ("in", "at", "as", "a", "second", "hand", "t", "s")]
    return any(one.dimension == other.dimension and one.factors != other.factors for one, other in combinations(real, 2))


def counted(expression: str, query: str) -> str:
    """The expression as it is asked for: in dollars where cents are given, and in whole packs where so many are needed or can be filled."""
    if CENTS.search(query) and MAJOR_ASKED.search(query):
        return f"({expression}) / 100"
    if SINGLE.fullmatch(expression) and things(query):
        great, _, small = expression.partition(" / ")
        if exact_quotient(great, small).denominator != 1 and FILLED.search(query) is not None and NEEDED.search(query) is None:
            return f"floor({expression})"
        if exact_quotient(great, small) > 1 and NEEDED.search(query) is not None and FILLED.search(query) is None:
            return f"ceil({expression})" if exact_quotient(great, small).denominator != 1 else expression
    return expression


def exact_quotient(great: str, small: str) -> Fraction:
    return Fraction(great) / Fraction(small) if Fraction(small) else Fraction(0)


def things(query: str) -> bool:
    """Whether things are counted that do not come in parts: `how many packs`, not `how many litres`."""
    match = MANY.search(query)
    return match is not None and read_unit(query, match.end()) is None and PARTED.match(query, match.end()) is None


PARTED = re.compile(r"(?:dollars?|euros?|pounds?|percent|points?|degrees?|units|times|dozen|calories|portions?|servings?)\b", re.IGNORECASE)


def uneven(value: Fraction, query: str) -> bool:
    """Things that do not come in parts are not counted in parts."""
    return value.denominator != 1 and things(query) and not re.search(r"\baverage|\bmean\b|\beach\b|\bper\b|\bevery\b", query, re.IGNORECASE)
