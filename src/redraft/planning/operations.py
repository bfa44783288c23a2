"""The local grammar of operations: `the sum of 3 and 5`, `subtract 17 from 403`, `250 increased by 12%`, `half of the difference between 80 and 36`.

A question is read as numbers and classes of operation words. A frame names an operation by the classes beside its numbers, and says in which order
they go; frames reduce numbers to expressions, innermost first, until nothing moves. What is left over says how sure the reading is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from redraft.planning.literals import Token, number_text
from redraft.planning.vocabulary import CARRIERS, DETERMINERS, phrases

__all__ = ["Reading", "read_operation"]

# One frame a line: classes and numbers (n: plain, p: percentage, f: fraction of one, m: any, list: two or more), then the expression.
# Earlier groups bind closer.
FRAMES = """
( m ) : ($1)
ROOT OF? n : sqrt($1)
CUBEROOT OF? n : cbrt($1)
ABSOLUTE OF? n : abs($1)
n SQUARED : ($1)^2
n CUBED : ($1)^3
SQUARE OF n : ($1)^2
CUBE OF n : ($1)^3
FACTORIAL OF? n : factorial($1)
n FACTORIAL : factorial($1)
n TIMES ITSELF : ($1)^2
n IS? MULTIPLIED BY ITSELF : ($1)^2
MULTIPLY n BY ITSELF : ($1)^2
n IS? ADDED TO ITSELF : 2*$1
INCREASE? n POWER n : ($1)^($2)
INCREASE? n TO n POWERNOUN : ($1)^($2)
DOUBLE OF? n : 2*$1
TRIPLE OF? n : 3*$1
QUADRUPLE OF? n : 4*$1
HALVE OF? n : $1/2
n IS? DOUBLED : 2*$1
n IS? TRIPLED : 3*$1
n IS? HALVED : $1/2
p OF p : $1/100*$2/100*100
p OF n : $1/100*$2
f OF n : $1*$2
--
BY WHAT|HOWMUCH IS n MORE THAN n : $1-$2
BY WHAT|HOWMUCH IS n LESS THAN n : $2-$1
n TIMES NUMBER IS|GET n : $2/$1
NUMBER TIMES n IS|GET n : $2/$1
NUMBER IS? MULTIPLIED BY n IS|GET n : $2/$1
NUMBER IS? DIVIDED BY n IS|GET n : $1*$2
NUMBER PLUS n IS|GET n : $2-$1
n PLUS NUMBER IS|GET n : $2-$1
NUMBER MINUS n IS|GET n : $1+$2
n MINUS NUMBER IS|GET n : $1-$2
n IS? ADDED TO NUMBER IS|GET n : $2-$1
n IS? SUBTRACTED FROM NUMBER IS|GET n : $1+$2
n MORE THAN NUMBER IS|GET n : $2-$1
n LESS THAN NUMBER IS|GET n : $1+$2
PRODUCT OF n AND NUMBER IS|GET n : $2/$1
PRODUCT OF NUMBER AND n IS|GET n : $2/$1
SUM OF n AND NUMBER IS|GET n : $2-$1
SUM OF NUMBER AND n IS|GET n : $2-$1
p OF NUMBER IS n : $2/($1/100)
f OF NUMBER IS n : $2/$1
GCD OF|BETWEEN? list : gcd
LCM OF|BETWEEN? list : lcm
SUM OF|FOR|BETWEEN list : +
PRODUCT OF|BETWEEN list : *
AVERAGE OF|BETWEEN|FOR list : mean
MEDIAN OF list : median
MAX OF list : max
MIN OF list : min
PERCENT DIFFERENCE|CHANGE BETWEEN n AND n : ($2-$1)/$1*100
PERCENT INCREASE|DECREASE|CHANGE FROM n TO n : abs($2-$1)/$1*100
DIFFERENCE BETWEEN|OF|IN list : difference
DIFFERENCE FROM n TO n : $2-$1
QUOTIENT OF n AND|BY n : $1/$2
RATIO OF n TO n : $1/$2
REMAINDER OF|WHEN|IF|AFTER? n IS? DIVIDED BY n : mod($1, $2)
REMAINDER OF|WHEN|IF|AFTER? DIVIDE n BY n : mod($1, $2)
REMAINDER OF n OVER n : mod($1, $2)
REMAINDER INTO n OF n : mod($2, $1)
n IS? DIVIDED BY n GET? WHAT|HOWMUCH? IS? REMAINDER : mod($1, $2)
DIVIDE n BY n GET? WHAT|HOWMUCH? IS? REMAINDER : mod($1, $2)
--
n TIMES m : $1*$2
n IS? MULTIPLIED BY|AND m : $1*$2
n IS? DIVIDED BY|INTO n : $1/$2
n IS? DIVIDED n WAYS : $1/$2
DIVIDE n n WAYS : $1/$2
n OVER n : $1/$2
n MOD n : mod($1, $2)
--
n PLUS n : $1+$2
n PLUS p : $1*(1+$2/100)
n MINUS n : $1-$2
n MINUS p : $1*(1-$2/100)
p PLUS p : $1+$2
p MINUS p : $1-$2
n IS? ADDED TO n : $1+$2
list IS? ADDED : +
n IS? SUBTRACTED|DEDUCTED FROM|OFF n : $2-$1
n LESS THAN n : $2-$1
n MORE THAN n : $1+$2
p LESS THAN n : $2*(1-$1/100)
p MORE THAN n : $2*(1+$1/100)
n LESS n : $1-$2
n LESS p : $1*(1-$2/100)
n IS? INCREASED BY n : $1+$2
n IS? INCREASED|MORE BY? p : $1*(1+$2/100)
n INCREASE BY? p : $1*(1+$2/100)
n IS? DECREASED BY n : $1-$2
n IS? DECREASED BY? p : $1*(1-$2/100)
n DECREASE BY? p : $1*(1-$2/100)
--
ADD list : +
n AND? ADD n : $1+$2
n AND? SUBTRACT n : $1-$2
n AND? MULTIPLY BY n : $1*$2
n AND? DIVIDE BY n : $1/$2
ADD n TO|AND|ON n : $1+$2
ADD p TO|ON n : $2*(1+$1/100)
SUBTRACT n AWAY? FROM|OFF n : $2-$1
SUBTRACT p AWAY? FROM|OFF n : $2*(1-$1/100)
MULTIPLY list : *
MULTIPLY n BY|AND|TO n : $1*$2
DIVIDE|DIVIDED n BY|INTO|BETWEEN n : $1/$2
INCREASE|INCREASED n BY n : $1+$2
INCREASE|INCREASED n BY p : $1*(1+$2/100)
DECREASE|DECREASED n BY n : $1-$2
DECREASE|DECREASED n BY p : $1*(1-$2/100)
p INCREASE ON|OF|TO|IN|FROM n : $2*(1+$1/100)
p DECREASE ON|OF|TO|IN|FROM n : $2*(1-$1/100)
INCREASE OF p ON|TO n : $2*(1+$1/100)
p OFF OF? n : $2*(1-$1/100)
n OFF OF? n : $2-$1
--
WHAT|HOWMUCH PERCENT OF n IS n : $2/$1*100
WHAT|HOWMUCH PERCENT IS n OF n : $1/$2*100
PERCENT OF n IS n : $2/$1*100
n IS WHAT|HOWMUCH PERCENT OF n : $1/$2*100
n AS PERCENT OF n : $1/$2*100
n AS OF n : $1/$2
n OUTOF n AS PERCENT : $1/$2*100
n OUTOF n IS WHAT|HOWMUCH PERCENT : $1/$2*100
WHAT|HOWMUCH PERCENT IS n OUTOF n : $1/$2*100
n IS p OF WHAT|HOWMUCH NUMBER? : $1/($2/100)
p OF WHAT|HOWMUCH NUMBER? IS n : $2/($1/100)
n IS f OF WHAT|HOWMUCH NUMBER? : $1/$2
f OF WHAT|HOWMUCH NUMBER? IS n : $2/$1
WHAT|HOWMUCH MORE IS n THAN n : $1-$2
WHAT|HOWMUCH LESS IS n THAN n : $2-$1
WHAT|HOWMUCH IS n EXCEED n : $1-$2
WHAT|HOWMUCH IS n GOES INTO n : $2/$1
n GOES INTO n : $2/$1
WHAT|HOWMUCH n IS IN n : $2/$1
WHAT|HOWMUCH TIMES IS n GOES INTO|IN n : $2/$1
WHAT|HOWMUCH TIMES n GOES INTO|IN n : $2/$1
n INTO n : $2/$1
list WHAT|HOWMUCH IS IS : +
WHAT|HOWMUCH IS? TO? ADDED TO n TO? GET|IS|MAKE n : $2-$1
WHAT|HOWMUCH IS? TO? ADD TO n TO? GET|IS|MAKE n : $2-$1
WHAT|HOWMUCH IS? TO? SUBTRACTED|SUBTRACT FROM n TO? GET|IS n : $1-$2
WHAT|HOWMUCH IS? MULTIPLIED BY n TO? GET|IS n : $2/$1
WHAT|HOWMUCH TIMES n IS n : $2/$1
n TIMES WHAT|HOWMUCH NUMBER? IS n : $2/$1
n PLUS WHAT|HOWMUCH NUMBER? IS n : $2-$1
n MINUS WHAT|HOWMUCH NUMBER? IS n : $1-$2
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """A number or expression (`expression` set), or a word with its class ("" for none)."""

    name: str
    text: str
    expression: str = ""
    percent: bool = False
    part: bool = False
    """Whether it is a fraction of one, written as such."""
    atomic: bool = True
    start: int = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What the grammar made of a question: the expression, how many frames it took, and the words that no class explains."""

    expression: str
    operations: int
    percent: bool
    """Whether the result counts hundredths (the question asks for a percentage)."""
    unexplained: tuple[str, ...]
    classes: tuple[str, ...]
    """Operation words that no frame used: a sign that the reading is not complete."""


Frame = tuple[tuple[tuple[frozenset[str], bool], ...], str]


@cache
def frames() -> tuple[tuple[Frame, ...], ...]:
    groups: list[list[Frame]] = [[]]
    for line in FRAMES.strip().splitlines():
        if line == "--":
            groups.append([])
            continue
        left, _, right = line.rpartition(" : ")
        parts = tuple((frozenset(part.removesuffix("?").split("|")), part.endswith("?")) for part in left.split())
        groups[-1].append((parts, right))
    return tuple(tuple(group) for group in groups)


ORDINAL_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def listed_count(tokens: Sequence[Token], position: int) -> bool:
    """Whether the number only says how many numbers follow: `the three numbers 4, 8 and 9`."""
    token = tokens[position]
    following = tokens[position + 1].lower if position + 1 < len(tokens) else ""
    rest = sum(item.kind == "number" for item in tokens[position + 1 :])
    return token.kind == "number" and token.value == rest and following in ("numbers", "values", "figures", "terms", "amounts")


def items_of(tokens: Sequence[Token]) -> list[Item]:
    """Tokens with operation phrases joined and classed; determiners dropped."""
    known = phrases()
    items: list[Item] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if listed_count(tokens, position):
            position += 1
            continue
        if token.kind == "number" and token.value is not None:
            part = 0 < token.value < 1 and not token.percent and ("/" in token.text or token.spelled)
            items.append(Item(name="n", text=token.text, expression=number_text(token.value), percent=token.percent, part=part, start=token.start))
            position += 1
            continue
        if token.lower in ORDINAL_WORDS and position + 1 < len(tokens) and tokens[position + 1].lower == "power":
            items.append(Item(name="n", text=token.text, expression=str(ORDINAL_WORDS.index(token.lower) + 1), start=token.start))
            position += 1
            continue
        for length in (5, 4, 3, 2, 1):
            words = " ".join(item.lower for item in tokens[position : position + length])
            if length == 1 or (words in known and all(item.kind in ("word", "mark") for item in tokens[position : position + length])):
                if words == "power":
                    items.append(Item(name="POWERNOUN", text=words, start=token.start))
                elif words not in DETERMINERS and token.text not in "$€£¥":
                    items.append(Item(name=known.get(words, ""), text=words, start=token.start))
                position += min(length, len(tokens) - position)
                break
    return [item for index, item in enumerate(items) if not (item.name == "" and item.text in ("'s", "s") and index and items[index - 1].name == "n")]


def read_operation(tokens: Sequence[Token], *, loose: bool = False) -> Reading | None:
    """The question as one expression over all of its numbers, or None. `loose` looks past words of no class (nouns, verbs of a story)."""
    items = items_of([token for token in tokens if not (token.kind == "mark" and token.text in "?'\"`¿…")])
    items = [item for item in items if not (item.name == "" and item.text in (".", ":"))]
    unexplained = tuple(item.text for item in items if item.name == "" and item.text not in CARRIERS)
    if loose:
        items = [item for item in items if item.name != ""]
    else:
        items = [item for item in items if item.name != "" or item.text not in CARRIERS]
    if not any(item.name == "n" for item in items):
        return None
    operations = 0
    while (reduced := reduce(items)) is not None:
        items = reduced
        operations += 1
        if operations > 60:
            return None
    numbers = [item for item in items if item.name == "n"]
    if len(numbers) != 1 or operations == 0:
        return None
    over = tuple(item.name for item in items if item.name not in ("n", "", "WHAT", "IS", ",", "NUMBER", "HOWMUCH", "OF", "AND", "BY", "TO", "AS", "IN", "GET"))
    return Reading(expression=numbers[0].expression, operations=operations, percent=numbers[0].percent, unexplained=unexplained, classes=over)


def reduce(items: list[Item]) -> list[Item] | None:
    """One frame applied, the closest binding first and then the leftmost; None where none fits."""
    for depth, group in enumerate(frames()):
        for start in range(len(items)):
            for parts, result in group:
                matched = match(items, start, parts)
                if matched is not None and not contested(items, start, matched[0], depth):
                    end, numbers = matched
                    return [*items[:start], build(result, numbers), *items[end:]]
    return None


CLOSER: tuple[frozenset[str], ...] = (
    frozenset({"POWER"}),
    frozenset({"POWER", "SQUARED", "CUBED"}),
    frozenset({"POWER", "SQUARED", "CUBED", "ROOT", "CUBEROOT", "("}),
    frozenset({"POWER", "SQUARED", "CUBED", "ROOT", "CUBEROOT", "(", "TIMES", "OVER", "MULTIPLIED", "MOD"}),
)
"""For each group of frames, the operations that bind a number beside it more closely, so that the frame must wait."""


def contested(items: list[Item], start: int, end: int, depth: int) -> bool:
    """Whether a closer operation beside the frame claims its first or last number."""
    closer = CLOSER[min(depth, len(CLOSER) - 1)]
    after = items[end] if end < len(items) else None
    if after is not None and after.name in closer and after.name != "(" and items[end - 1].name == "n" and items[start].name != "(":
        return True
    before = items[start - 1] if start else None
    return before is not None and items[start].name == "n" and before.name in closer and before.name != "(" and depth > 0


def match(items: list[Item], start: int, parts: Sequence[tuple[frozenset[str], bool]]) -> tuple[int, list[Item]] | None:
    """Where the frame ends and the numbers it takes, if it begins at this item. Commas may stand between its parts."""
    position, numbers = start, list[Item]()
    for index, (names, optional) in enumerate(parts):
        if index and position < len(items) and items[position].name == "," and "list" not in names:
            position += 1
        if "list" in names:
            found = listed(items, position)
            if found is None:
                return None
            position, members = found
            numbers += members
            continue
        item = items[position] if position < len(items) else None
        if item is not None and fits(item, names):
            if item.name == "n":
                numbers.append(item)
            position += 1
        elif not optional:
            return None
    return position, numbers


def fits(item: Item, names: frozenset[str]) -> bool:
    if item.name != "n":
        return item.name in names
    if "m" in names:
        return True
    if "p" in names:
        return item.percent
    if "f" in names:
        return item.part
    return "n" in names and not item.percent


def listed(items: list[Item], position: int) -> tuple[int, list[Item]] | None:
    """Two or more numbers with commas and `and` between them."""
    members: list[Item] = []
    while position < len(items) and items[position].name == "n":
        members.append(items[position])
        position += 1
        following = position
        while following < len(items) and items[following].name in (",", "AND"):
            following += 1
        if following == position or following >= len(items) or items[following].name != "n":
            break
        position = following
    return (position, members) if len(members) > 1 else None


JOINED: dict[str, Callable[[list[str]], str]] = {
    "+": lambda parts: " + ".join(parts),
    "*": lambda parts: " * ".join(parts),
    "difference": lambda parts: f"abs({parts[0]} - {parts[1]})" if len(parts) == 2 else f"max({', '.join(parts)}) - min({', '.join(parts)})",
}


def build(result: str, numbers: list[Item]) -> Item:
    plain = [item.expression if item.atomic else f"({item.expression})" for item in numbers]
    if "$" not in result:
        joined = JOINED[result](plain) if result in JOINED else f"{result}({', '.join(item.expression for item in numbers)})"
        return Item(
            name="n", text="", expression=joined, atomic=joined.endswith(")") and " " not in joined.partition("(")[0], percent=all(i.percent for i in numbers)
        )
    text = result
    for index, part in enumerate(plain, 1):
        text = text.replace(f"${index}", part)
    hundredths = result in ("$1+$2", "$1-$2", "($1)") and all(item.percent for item in numbers)
    functional = result[0] not in "$(" and result.endswith(")")
    return Item(name="n", text="", expression=text, percent=hundredths, part=result == "($1)" and numbers[0].part, atomic=functional or result == "($1)")
