"""Routes for what can be computed: one for each arithmetic statement of a text, decided by an exact tool and the digits shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache

from redraft.claims.inequalities import relates
from redraft.claims.numbers import Quantity, agrees, read, show
from redraft.claims.segment import claim_id
from redraft.claims.statement import Statement
from redraft.claims.statements import finding
from redraft.claims.steps import Steps, finished
from redraft.claims.unit_names import read_unit, unit_names
from redraft.protocols import Route
from redraft.types import CheckStatus, Claim, Evidence, ToolCall, ToolResult, Verdict

__all__ = ["routes", "routing"]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNIT_MARK = re.compile(r"[^\W\d_]|[$€£¥]")
WORD = re.compile(r"[a-zµμω°ºå]+")
WORD_AFTER = re.compile(r"(?:(?<=[\d½⅓⅔¼¾⅛])|(?<=lion)|(?<=sand)|(?<=dred)|(?<=zen))[ \u202f-]?([a-zµμω°ºå]+)")
"""The word behind a figure, be it in digits or with a scale word (5 million km)."""
MONEY = re.compile(r"[$€£¥]")
UNIT_ROOM = 16
"""Characters after an equation in which its last unit stands."""
CURRENCIES = {
    word: name
    for name, words in {"usd": "$ dollar dollars usd", "eur": "€ euro euros eur", "gbp": "£ gbp", "jpy": "¥ yen jpy"}.items()
    for word in words.split()
}
MONEYS = frozenset(CURRENCIES.values())


def routes(text: str) -> tuple[Route, ...]:
    """One route for each arithmetic statement of the text, in order; the plan is a rule, the verdict computed."""
    return finished(routing(text))


def routing(text: str) -> Steps[tuple[Route, ...]]:
    """`routes` in steps: one for each line, and one for each statement."""
    seen: Counter[str] = Counter()
    made: list[Route] = []
    derived: dict[str, list[tuple[int, str]]] = {}
    for statement in (yield from finding(text)):
        yield
        if statement.kind == "equation" and not same_measure(text, statement):
            continue
        words = text[statement.span[0] : statement.span[1]]
        identity = claim_id(words, "number", seen[words])
        seen[words] += 1
        claim = Claim(
            id=identity,
            text=words,
            span=statement.span,
            focus=statement.focus,
            kind="number",
            depends_on=_links(text, statement, derived),
        )
        if statement.shown is not None:
            _note(derived.setdefault(_bare(statement.shown.text), []), statement.focus[1], identity)
        calls = tuple(ToolCall(tool=statement.tool, input=expression) for expression in _inputs(statement))
        made.append(Route(claim=claim, calls=calls, plan="rule", decide=_decide(statement)))
    return tuple(made)


def same_measure(text: str, statement: Statement) -> bool:
    """Whether the figures alone decide an equation: they do not where its units change with it ("100 km / 2 h = 50 m/s", "12 euros * 3 = 36 dollars")."""
    start, end = statement.span
    if not UNIT_MARK.search(text, start, end):
        return True
    if unit_words().isdisjoint(WORD_AFTER.findall(text[start : end + UNIT_ROOM].lower())):
        marks = MONEY.findall(text, start, end)
        if len(set(marks)) < 2 and len(marks) - len(MONEY.findall(text, *statement.focus)) < 2:
            return True  # no unit, and one amount of money at most
    focus = statement.focus[0] - start
    operands: list[str] = []
    results: set[str] = set()
    for quantity in read(text[start : end + UNIT_ROOM]):
        unit = _measure(quantity.unit)
        if quantity.span[0] >= end - start or not unit:
            continue
        if quantity.span[0] <= focus < quantity.span[1]:
            results.add(unit)
        else:
            operands.append(unit)
    if not operands:
        return True
    if len(MONEYS.intersection(operands)) > 1:
        return False
    product = any(mark in statement.left for mark in "*/×÷·x")
    return results <= set(operands) and not (product and len(operands) > 1)


@cache
def unit_words() -> frozenset[str]:
    """Words with which the name of a unit or a currency can begin, in lower case."""
    return frozenset(word for name in unit_names() for word in WORD.findall(name.lower())[:1]) | CURRENCIES.keys()


def _measure(unit: str) -> str:
    """The unit in one spelling, or nothing where the word is no unit of measurement or currency."""
    word = unit.strip(".").lower()
    if word in CURRENCIES:
        return CURRENCIES[word]
    found = read_unit(unit)
    return "" if found is None or found[1] != len(unit) else found[0].expression


def _inputs(statement: Statement) -> tuple[str, ...]:
    other = (statement.other,) if statement.other else ()
    points = tuple(side for pair in statement.points for side in pair)
    return (statement.expression, *other, *points, *statement.also)


def _note(sources: list[tuple[int, str]], end: int, identity: str) -> None:
    """Add a statement that derives a figure ending here; the first two tell whether a later use has one source or several."""
    sources.append((end, identity))
    sources.sort()
    del sources[2:]


def _links(text: str, statement: Statement, derived: Mapping[str, Sequence[tuple[int, str]]]) -> tuple[str, ...]:
    """The earlier statements whose derived figure is used here: an operand that shows the same figure, where only one statement derives it."""
    found: list[str] = []
    for start, end in statement.operands:
        sources = [identity for ended, identity in derived.get(_bare(text[start:end]), ()) if ended <= start]
        if len(sources) == 1 and sources[0] not in found:
            found += sources
    return tuple(found)


def _bare(figure: str) -> str:
    """A figure without currency and thousands separators."""
    return figure.strip("$€£¥ ").replace(",", "")


def _decide(statement: Statement) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        found = [result[0] if isinstance(result, tuple) and result else None for result in results]
        evidence = tuple(item for item in found if item is not None)
        if not found or found[0] is None:
            return None
        if statement.word:
            return _word(statement, found[0], evidence)
        values = [_value(item) for item in found]
        if statement.relation:
            return _related(statement, values, evidence)
        if statement.other:
            return _compared(statement, values, evidence)
        return _figure(statement, statement.shown, values, evidence) if statement.shown is not None and values[0] is not None else None

    return decide


def _value(item: Evidence | None) -> Fraction | None:
    """The exact value of a tool's evidence."""
    if item is None:
        return None
    try:
        return Fraction(item.value)
    except (ValueError, ZeroDivisionError):
        return None


def _verdict(status: CheckStatus, evidence: tuple[Evidence, ...], note: str, expected: str | None = None, alternatives: tuple[str, ...] = ()) -> Verdict:
    return Verdict(status=status, method="computed", confidence=1.0, evidence=evidence, note=note, expected=expected, alternatives=alternatives)


def _word(statement: Statement, item: Evidence, evidence: tuple[Evidence, ...]) -> Verdict | None:
    """A weekday or a yes or no, as the dates tool gives it."""
    right = item.value.lower() == statement.word.lower()
    if item.value.capitalize() in WEEKDAYS:
        right = bool(statement.holds) and right
    if right:
        return _verdict("supported", evidence, item.text)
    if not statement.certain or statement.holds:
        return None
    return _verdict("contradicted", evidence, item.text, statement.amended or (item.value if item.value.capitalize() in WEEKDAYS else None))


def _related(statement: Statement, values: Sequence[Fraction | None], evidence: tuple[Evidence, ...]) -> Verdict | None:
    """A comparison of two expressions, or of one with the figure shown."""
    left, right = values[0], statement.shown.value if statement.shown is not None else values[1]
    if left is None or right is None:
        return None
    note = f"{' '.join(statement.left.split())} is {show(left)}" + ("" if statement.shown is not None else f", the other side is {show(right)}")
    if relates(left, statement.relation, right):
        return _verdict("supported", evidence, note)
    return _verdict("contradicted", evidence, note) if statement.certain else None


def _compared(statement: Statement, values: Sequence[Fraction | None], evidence: tuple[Evidence, ...]) -> Verdict | None:
    """Two expressions, or the two sides of an identity at several points."""
    sides = values[: 2 + 2 * len(statement.points)]
    if any(value is None for value in sides):
        return None
    a, b = sides[0], sides[1]
    assert a is not None
    assert b is not None
    left = " ".join(statement.left.split())
    if all(one == two for one, two in zip(sides[::2], sides[1::2], strict=True)):
        return _verdict("supported", evidence, f"{left} is the same" if statement.points else f"{left} is {show(a)}")
    return _verdict("contradicted", evidence, f"{left} is {show(a)}, the other side is {show(b)}") if statement.certain else None


def _figure(statement: Statement, shown: Quantity, values: Sequence[Fraction | None], evidence: tuple[Evidence, ...]) -> Verdict | None:
    known = [value for value in values if value is not None]
    answers = [agrees(value, shown) for value in (known if statement.either else known[:1])]
    written = show(known[0], shown)
    note = f"{' '.join(statement.left.split())} is {written}"
    if True in answers:
        return _verdict("supported", evidence, note)
    if None in answers or not statement.certain or len(known) < len(values):
        return None
    repairs = tuple(dict.fromkeys(show(value, shown) for value in known))
    unique = len(repairs) == 1 and statement.unique
    return _verdict("contradicted", evidence, note, written if unique else None, () if unique else repairs)
