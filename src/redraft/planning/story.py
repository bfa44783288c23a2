"""Small stories: what each amount counts, what it is for one of, and what is asked for. Nothing here matches a sentence; amounts get the nouns beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from redraft.planning.literals import Token, number_text
from redraft.planning.vocabulary import classes_of

__all__ = ["ASKING", "MULTIPLES", "PEOPLE", "STOPS", "Amount", "Proposal", "Story", "asks_amount", "has", "holds", "read_story", "stem"]

STOPS = frozenset(
    """
        a an the of in on at to from by with for and or but if then than as is are was were be been has have had he she it they we i you his her its
        their there that which who each every per more less fewer another additional extra other only just so when while after before into onto how
        many much what not no will would can could did do does altogether total now left cost costs pay pays paid gives gave sells sold buys bought
        weighs weigh travels travelled traveled drives drove walks walked runs ran reads read out up off away equally evenly these those this them
        him me my our your some any all both plus minus times
    """.split()
)
ASKING = frozenset("how what which find calculate determine work compute whats what's".split())
ENDS = frozenset({".", "?", "!", ";"})
IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "mice": "mouse", "geese": "goose", "teeth": "tooth",
    "leaves": "leaf", "loaves": "loaf", "shelves": "shelf", "knives": "knife", "halves": "half", "buses": "bus", "cents": "money", "pounds": "pound",
} | dict.fromkeys("dollar dollars euro euros money cost price bill earnings revenue income".split(), "money")  # fmt: skip
PEOPLE = frozenset(
    """
        person child kid student friend pupil boy girl man woman worker employee player guest member teacher sibling brother sister cousin customer
        visitor passenger adult
    """.split()
)
MULTIPLES = {"twice": 2, "double": 2, "triple": 3, "thrice": 3, "half": Fraction(1, 2)}


VERBS = classes_of("gain") | classes_of("loss") | classes_of("remain")


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount:
    """One number of the story with what it counts."""

    token: Token
    value: Fraction
    nouns: frozenset[str]
    per: frozenset[str]
    """What the amount is for one of; `{""}` where that is not named ("each")."""
    clause: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def part(self) -> bool:
        """Whether it is a fraction of the other amount: `a third of`, `3/4 of`."""
        return 0 < self.value < 1 and self.after[:1] == ("of",) and not self.token.percent

    @property
    def text(self) -> str:
        return number_text(self.value * 100 if self.part else self.value)

    @property
    def percent(self) -> bool:
        return self.token.percent or self.part


@dataclass(frozen=True, kw_only=True, slots=True)
class Story:
    amounts: tuple[Amount, ...]
    asked: frozenset[str]
    """Stems of the words in the question clause before its first amount."""
    asked_noun: frozenset[str]
    question: tuple[str, ...]
    words: tuple[str, ...]
    """All words, in order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """An expression that could answer, named operation first, and how strongly the words call for it."""

    expression: str
    label: str
    weight: float


def stem(word: str) -> str:
    word = word.lower().replace("’", "'").removesuffix("'s")
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us")) and word not in ("this", "basis", "analysis", "tennis") else word
    )


def clauses(tokens: Sequence[Token]) -> list[list[Token]]:
    """Parts of sentences: split at full stops, and at commas and `and` that stand between two amounts."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        numbers_here = any(item.kind == "number" for item in parts[-1])
        parts[-1].append(token)
        if (token.kind == "mark" and token.text in ENDS) or (token.text in (",", "and", "but", "if", "when") and numbers_here):
            parts.append([])
    return [part for part in parts if part]


def read_story(tokens: Sequence[Token]) -> Story | None:
    """The amounts of a question and what it asks for; None where it has no amount or more than four."""
    amounts: list[Amount] = []
    for clause in clauses(tokens):
        amounts += [amount for index, token in enumerate(clause) if (amount := read_amount(clause, index, token)) is not None]
    if len(amounts) > 2:
        amounts = [amount for amount in amounts if not (amount.after[1:2] == ("ago",) and stem(amount.after[0]) in PAST)]
    if not 1 <= len(amounts) <= 6:
        return None
    question = question_clause(tokens)
    words = tuple(token.lower for token in tokens if token.kind in ("word", "mark", "number"))
    amounts = settled(listed_apart(amounts, question), asked_noun(question))
    return Story(
        amounts=tuple(amounts),
        asked=frozenset(stem(token.lower) for token in question if token.kind == "word" and token.lower not in STOPS),
        asked_noun=asked_noun(question),
        question=tuple(token.lower for token in question),
        words=words,
    )


PAST = frozenset({"year", "month", "week", "day", "decade", "hour"})
"""`Ten years ago` is when something was so, where other amounts are compared."""


def listed_apart(amounts: list[Amount], question: Sequence[Token]) -> list[Amount]:
    """The amounts to average without the number that only says how many they are: `71, 84 and 88 on three tests`."""
    if not {"average", "mean"} & {token.lower for token in question}:
        return amounts
    counts = [amount for amount in amounts if amount.value == len(amounts) - 1 and amount.nouns and (amount.token.spelled or amount.before[-1:] != ())]
    others = [amount for amount in amounts if amount not in counts]
    if len(counts) == 1 and not any(amount.nouns & counts[0].nouns for amount in others) and not any(amount.nouns for amount in others[:-1]):
        return others
    return amounts


def settled(amounts: list[Amount], asked: frozenset[str]) -> list[Amount]:
    """`a pen costs 17 dollars` is a rate for one pen only where pens are counted or asked for elsewhere."""
    made: list[Amount] = []
    for amount in amounts:
        maybe = {name[1:] for name in amount.per if name.startswith("?")}
        if maybe:
            counted = {noun for noun in maybe - amount.nouns if noun in asked or any(noun in other.nouns for other in amounts if other is not amount)}
            amount = replace(amount, per=frozenset(counted))
        made.append(amount)
    return made


def read_amount(clause: Sequence[Token], index: int, token: Token) -> Amount | None:
    multiple = (
        MULTIPLES.get(token.lower)
        if token.kind == "word" and index + 1 < len(clause) and clause[index + 1].lower in ("as", "the", "that", "his", "her")
        else None
    )
    if multiple is not None:
        value = Fraction(multiple)
    elif token.kind == "number" and token.value is not None and not token.ordinal and not named(clause, index):
        value = token.value
    else:
        return None
    after = clause[index + 1 :]
    nouns: list[str] = ["money"] if token.money else []
    for following in after[:4]:
        if following.text == "-":
            continue
        if following.kind == "word" and following.lower.endswith("ed") and len(following.text) > 4:
            continue  # "47 moved away", "12 boiled eggs": no noun
        if following.kind != "word" or following.lower in STOPS or len(nouns) > 2 or (following.lower in VERBS and following.lower not in ("needs", "rest")):
            break
        nouns.append(stem(following.lower))
    return Amount(
        token=token,
        value=value,
        nouns=frozenset(nouns),
        per=per_nouns(clause, index),
        clause=tuple(item.lower for item in clause),
        before=tuple(item.lower for item in clause[:index]),
        after=tuple(item.lower for item in after),
    )


def named(clause: Sequence[Token], index: int) -> bool:
    """Whether the number is a name rather than an amount: `season 2`, `in 1998`, a part of `ps4`."""
    token = clause[index]
    before = clause[index - 1] if index else None
    after = clause[index + 1] if index + 1 < len(clause) else None
    if before is None or token.money or token.percent:
        return False
    touching = before.kind == "word" and before.end == token.start
    label = before.lower in classes_of("labels") and not (after is not None and after.kind == "word" and after.lower not in STOPS)
    if before.lower in ("from", "to", "between", "and"):
        others = [place for place, item in enumerate(clause) if item.kind == "number" and item is not token]
        moving = any(item.lower == "from" and place and clause[place - 1].lower in VERBS for place, item in enumerate(clause))
        return touching or label or (bool(others) and not moving and all(bare_year(clause, place) for place in (index, *others)))
    return touching or label or (before.lower in DATED and bare_year(clause, index))


DATED = frozenset("in since during until by of year the late early".split())


def bare_year(clause: Sequence[Token], index: int) -> bool:
    """Whether the number looks like a year and counts nothing."""
    token, after = clause[index], clause[index + 1] if index + 1 < len(clause) else None
    bare = after is None or after.kind != "word" or after.lower in STOPS or after.lower in VERBS
    year = token.value is not None and 1500 <= token.value <= 2100 and token.text.isdigit() and len(token.text) == 4
    return year and bare and not token.money


def asks_amount(story: Story) -> bool:
    """Whether the question clause asks for an amount: how many, how old, or what some measurable thing is."""
    words = story.question
    if "how" in words and words.index("how") + 1 < len(words):
        return words[words.index("how") + 1] in HOW
    if {"per", "each", "apiece"} & set(words) and {"what", "what's", "whats"} & set(words):
        return True
    return has(words, "measurable") or has(words, "remain") or has(words, "total") or has(words, "difference")


HOW = frozenset("many much far old tall long fast heavy high wide deep big large few often warm cold hot thick".split())


def per_nouns(clause: Sequence[Token], index: int) -> frozenset[str]:
    """What the amount is for one of: the noun after `per`, `each`, `every`, `a`; `{""}` for a bare `each` or `apiece`."""
    numbers = [place for place, token in enumerate(clause) if token.kind == "number"]
    following = [place for place in numbers if place > index]
    end = following[0] if following else len(clause)
    for place in range(index + 1, end):
        word = clause[place].lower
        joined = place + 1 < len(clause) and clause[place + 1].lower in ("plus", "and", ",", "with", "minus", "but", ";")
        if word in ("each", "every") and following and place > index + 1 and following[0] - place <= 4 and not joined:
            break  # it belongs to the amount that follows: `45 people each pay $12`
        if word in ("one", "a", "an", "single") and place > index + 1 and clause[place - 1].lower in ("in", "for", "on", "at"):
            noun = next((stem(item.lower) for item in clause[place + 1 : place + 3] if item.kind == "word" and item.lower not in STOPS), "")
            if noun:
                return frozenset({f"?{noun}"})
        if word == "to" and place == index + 1 and place + 2 < len(clause) and clause[place + 1].lower in ("a", "an", "each", "every", "one", "per"):
            return frozenset({stem(clause[place + 2].lower)})  # `16 to a tin`
        if word == "to" and place == index + 2 and clause[place + 1 : place + 2] and clause[place + 1].lower in ("a", "an", "each", "every", "one"):
            if place + 2 < len(clause) and not any(item.lower in VERBS for item in clause[:index]):
                return frozenset({f"?{stem(clause[place + 2].lower)}"})  # `5 rolls to a bag`, not `gave 5 rolls to a friend`
        if word == "per" and place + 1 < len(clause) and clause[place + 1].kind == "number":
            continue  # `6 litres per 100 km` is a proportion
        if word in ("per", "each", "every", "apiece", "/") or (word in ("a", "an") and place - index <= 2 and clause[place - 1].lower not in STOPS):
            noun = next((stem(item.lower) for item in clause[place + 1 : place + 3] if item.kind == "word" and item.lower not in STOPS), "")
            if word in ("a", "an") and (not noun or (place + 1 < len(clause) and clause[place + 1].kind != "word")):
                continue
            return frozenset({noun})
        if word in ("hourly", "daily", "weekly", "monthly", "yearly"):
            return frozenset({{"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}[word]})
    return leading_per(clause, index, numbers)


def leading_per(clause: Sequence[Token], index: int, numbers: Sequence[int]) -> frozenset[str]:
    """The same from what stands before the amount: `each pays 12`, `one bag weighs 5`; a noun after `a` is marked as not certain."""
    limits = [place for place in range(index) if place in numbers or clause[place].lower in ("if", "when", ",", "and", *ASKING)]
    before = max(limits, default=-1)
    candidates: list[str] = []
    for place in range(before + 1, index):
        if clause[place].lower not in ("each", "every", "per", "one", "single", "a", "an"):
            continue
        if clause[place + 1].lower in ("plus", "and", ",", "with", "minus"):
            continue  # `6 chairs each plus 5`
        if clause[place].lower in ("a", "an") and any(item.lower in ASKING for item in clause[:index]):
            continue
        named_here: Sequence[Token] = clause[place + 1 : min(place + 3, index - (clause[index - 1].text == "$"))]
        if clause[place].lower in ("each", "every") and len(named_here) == 1 and named_here[0].kind == "word":
            named_here = ()  # what stands right before the amount is the verb: `each bring 20`
        noun = next((stem(item.lower) for item in named_here if item.kind == "word" and item.lower not in STOPS and item.lower not in VERBS), "")
        shared = noun == "" and clause[place].lower in ("each", "every") and clause[place - 1].lower not in ("in", "for", "of", "on")
        if before in numbers and not shared:
            continue
        if shared or (noun and clause[place].lower not in ("a", "an")):
            return frozenset({noun})
        if noun:
            candidates.append(f"?{noun}")
    return frozenset(candidates)


def question_clause(tokens: Sequence[Token]) -> list[Token]:
    """From the last asking word to the next amount, condition or end; where none asks, the last sentence."""
    following = [token.lower for token in tokens[1:]] + [""]
    asking = [index for index, token in enumerate(tokens) if token.lower in ASKING and (token.lower != "work" or following[index] == "out")]
    if not asking:
        return list(tokens[-12:])
    start = asking[0]
    for index in asking[1:]:
        between = tokens[start:index]
        if any(token.text in ENDS or token.kind == "number" or token.text == "," for token in between):
            start = index
    taken: list[Token] = []
    for token in tokens[start:]:
        if taken and (token.text in ENDS or token.lower in ("if", "when", "given", "assuming")):
            break
        taken.append(token)
    return taken


def asked_noun(question: Sequence[Token]) -> frozenset[str]:
    first = next((index for index, token in enumerate(question) if token.kind == "number" and index > 1), len(question))
    question = question[:first]
    words = [token.lower for token in question]
    if "many" in words:
        found: list[str] = []
        for token in question[words.index("many") + 1 :][:4]:
            if token.kind != "word" or (token.lower in STOPS and token.lower not in ("more", "fewer", "other")):
                break
            found.append(stem(token.lower))
        return frozenset(found) - {"more", "fewer", "other"}
    nouns = {stem(word) for word in words}
    money = {"money", "pay", "spend", "spent", "earn", "collected", "owe", "worth", "charge", "fee", "salary", "wage", "save", "raise", "raised", "tip", "tax"}
    return frozenset({"money"}) if nouns & money else frozenset(stem(word) for word in words if word not in STOPS and word not in ASKING)


def has(words: Sequence[str] | frozenset[str], name: str) -> bool:
    """Whether one of the words, or two neighbours of them, is of the class."""
    known = classes_of(name)
    if any(word in known for word in words):
        return True
    listed = list(words)
    return any(f"{one} {two}" in known for one, two in pairwise(listed))


def holds(amount: Amount) -> bool:
    """Whether the amount is what a container holds: `boxes of 12`; not `a total of 12`."""
    return len(amount.before) > 1 and amount.before[-1] == "of" and amount.before[-2] not in UNHELD and amount.before[-2].isalpha()


UNHELD = frozenset(
    """
        bill prize budget loan debt fine
        total sum out some lot all none most many each half distance speed cost price rate average rest weight length width height number amount
        area perimeter profit loss gain discount tax tip fee salary population product difference because instead increase decrease rise fall at
        price
    """.split()
)
