"""Which operation the words of a small story call for, with two amounts; those with more are in `longer_stories`.

The asked noun and the words of the question clause are compared with the nouns of the amounts, and each cue adds weight to one operation.
Operations whose amounts do not fit (adding a price to a number of people) get none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from redraft.planning.literals import number_text
from redraft.planning.longer_stories import longer
from redraft.planning.story import ASKING, MULTIPLES, PEOPLE, STOPS, Amount, Proposal, Story, has, holds, stem
from redraft.planning.vocabulary import classes_of

__all__ = ["proposals"]

PERIODS = {
    ("year", "month"): 12,
    ("week", "day"): 7,
    ("day", "hour"): 24,
    ("hour", "minute"): 60,
    ("minute", "second"): 60,
    ("year", "week"): 52,
    ("year", "quarter"): 4,
}
BEGINNING = frozenset("originally initially first start began begin beginning before original initial started previously earlier".split())


def proposals(story: Story) -> list[Proposal]:
    """Expressions that could answer, each once with its greatest weight, strongest first."""
    best: dict[str, Proposal] = {}
    percents = [amount for amount in story.amounts if amount.percent]
    plain = [amount for amount in story.amounts if not amount.percent]
    found: list[Proposal] = []
    if len(percents) == 1 and len(plain) == 1:
        found += percent_of_amount(story, percents[0], plain[0])
    elif not percents and len(plain) == 2:
        found += two_amounts(story, plain[0], plain[1])
    elif not percents and len(plain) == 1:
        found += one_amount(story, plain[0])
    elif not percents:
        found += longer(story, plain)
    for proposal in found:
        known = best.get(proposal.expression)
        if known is None or known.weight < proposal.weight:
            best[proposal.expression] = proposal
    return sorted(best.values(), key=lambda item: -item.weight)


SHARED = frozenset(
    "tax tip discount interest vat commission save saved saving savings gratuity markup raise deducted off increase reduction deposit fee".split()
)
"""What a percentage of an amount is called, where that part itself is asked for."""
SUMMED = frozenset("total altogether pay cost costs price new final now after including bill with salary worth population value sale".split())
ORIGINAL = BEGINNING | frozenset("regular normal normally usual usually full list undiscounted old pre former ticket".split())
NET = frozenset("without excluding net ex pretax pre exclusive excl".split())


def percent_of_amount(story: Story, percent: Amount, amount: Amount) -> Iterator[Proposal]:
    p, n = percent.text, amount.text
    near, asked = percent.clause, story.question
    off, on = has(near, "off") or has(story.words, "off"), has(near, "on") or has(story.words, "on")
    compared = percent.after[:1] and percent.after[0]
    on = on or compared in ("more", "higher", "greater", "larger", "dearer", "longer", "taller", "heavier", "bigger", "faster")
    off = (off or compared in ("less", "lower", "cheaper", "smaller", "fewer", "shorter", "lighter", "slower")) and compared != "more"
    part = Proposal(expression=f"{p}/100 * {n}", label=f"percent_of({p}, {n})", weight=0.5)
    lower = Proposal(expression=f"{n} * (1 - {p}/100)", label=f"decrease_by_percent({n}, {p})", weight=0.0)
    higher = Proposal(expression=f"{n} * (1 + {p}/100)", label=f"increase_by_percent({n}, {p})", weight=0.0)
    whole = Proposal(expression=f"{n} / ({p}/100)", label=f"whole_from_percent({p}, {n})", weight=0.0)
    words = set(asked)
    if words & {"that", "it", "this"} and not words & (SHARED | SUMMED) - {"that"}:
        words |= set(percent.before[-3:]) | set(story.words[:2])  # `a tip of 18% on $65, how much is that`: what is named first
    share, total = bool(words & SHARED), bool(words & SUMMED)
    told = {word for word in words if story.words.count(word) > asked.count(word)}
    rest = bool(
        (words - told)
        & {"not", "rest", "remain", "remains", "remaining", "left", "other", "others", "aren't", "don't", "didn't", "without", "still", "isn't", "won't"}
    )
    included = bool(set(story.words) & {"including", "includes", "included", "inclusive", "incl"} and words & NET)
    before = included or bool(set(asked) & ORIGINAL and not set(asked) & {"now", "after"} and reached(story, amount))
    fresh = (
        {stem(word) for word in words if word.isalpha() and word not in STOPS and word not in ASKING}
        - {stem(word) for word in story.words[: -len(asked)]}
        - {"there"}
    )
    if before and (off or on or included):
        sign = "-" if off and not included else "+"
        yield Proposal(expression=f"{n} / (1 {sign} {p}/100)", label=f"before_percent({n}, {p})", weight=0.85)
        return
    if not off and not on and (words & {"total", "all", "whole", "altogether"} or "of" not in near):
        yield weighted(whole, 0.55 if words & {"total", "all", "whole", "altogether"} else 0.2)
    if rest and not on:
        yield weighted(lower, 0.85)
        yield weighted(part, 0.3)
    elif share and not (total and words & {"after", "including", "total", "altogether"}):
        yield weighted(part, 0.85)
        yield weighted(higher if on else lower, 0.2)
    elif off or on:
        change = total or not has(asked, "share")
        yield weighted(lower if off and not (on and not has(near, "off")) else higher, 0.85 if change else 0.5)
        yield weighted(part, 0.3)
    elif fresh and (story.asked_noun & fresh or "many are" in " ".join(asked) or "many were" in " ".join(asked)) and "of" in percent.after[:2]:
        yield weighted(lower, 0.75)
        yield weighted(part, 0.5)
    else:
        yield weighted(part, 0.7 if "of" in percent.after[:2] or "many" in words else 0.5)


def reached(story: Story, amount: Amount) -> bool:
    """Whether the amount is what it came to, so that a question for the price before goes backwards; not where it is itself called the price before."""
    return not ORIGINAL & {*amount.before[-5:], *amount.after[:3]} - {"first", "before"}


def weighted(proposal: Proposal, weight: float) -> Proposal:
    return Proposal(expression=proposal.expression, label=proposal.label, weight=weight)


def calls(one: Amount, other: Amount) -> dict[str, Proposal]:
    """The well-typed operations on two amounts; the smaller is taken from the greater unless stated."""
    a, b = one.text, other.text
    great, small = (a, b) if one.value >= other.value else (b, a)
    return {
        "add": Proposal(expression=f"{a} + {b}", label=f"add({a}, {b})", weight=0),
        "subtract": Proposal(expression=f"{great} - {small}", label=f"subtract({great}, {small})", weight=0),
        "multiply": Proposal(expression=f"{a} * {b}", label=f"multiply({a}, {b})", weight=0),
        "divide": Proposal(expression=f"{great} / {small}", label=f"divide({great}, {small})", weight=0),
        "first_by_second": Proposal(expression=f"{a} / {b}", label=f"divide({a}, {b})", weight=0),
        "second_by_first": Proposal(expression=f"{b} / {a}", label=f"divide({b}, {a})", weight=0),
    }


def two_amounts(story: Story, one: Amount, other: Amount) -> Iterator[Proposal]:
    made = calls(one, other)
    if sharing_self(story):
        return
    if asked_of(story, one) or asked_of(story, other):
        if one.nouns & other.nouns:
            yield weighted(made["divide"], 0.9)
        return
    if has(story.question, "percent"):
        yield from percent_asked(story, one, other)
        return
    yield from geometry(story, one, other)
    yield from compared(story, one, other, made)
    yield from grouped(story, one, other, made)
    yield from changed(story, one, other, made)
    alike = one.nouns & other.nouns or not one.nouns or not other.nouns
    for name, weight in (("add", 0.42), ("subtract", 0.42)) if alike and not one.per | other.per else (("multiply", 0.42), ("divide", 0.4)):
        yield weighted(made[name], weight)
    if {"average", "mean"} & set(story.question) and not one.per | other.per and (one.nouns & other.nouns or not one.nouns | other.nouns):
        yield Proposal(expression=f"mean({one.text}, {other.text})", label=f"average({one.text}, {other.text})", weight=0.7)


def asked_of(story: Story, amount: Amount) -> bool:
    """Whether the amount stands right after `how many`: `how many 250 ml glasses`; it says what the other is divided by."""
    places = [place for place, word in enumerate(story.question) if word == "many"]
    return any(story.question[place + 1 : place + 2] == (amount.token.text.lower(),) for place in places) and "percent" not in story.question


def sharing_self(story: Story) -> bool:
    """Whether the one who asks shares too, `me and 3 friends`: then the number is not how many share."""
    words = story.words
    near = {*pairwise(words)}
    others = {("me", "and"), ("i", "and"), ("and", "i"), ("and", "me"), ("myself", "and"), ("with", "my"), ("and", "myself")}
    return has(words, "share") and bool(near & others)


CHANGING = frozenset(
    """
        change changed increase increased decrease decreased rise rises rose risen raise raised fall falls fell fallen drop drops dropped grow grows grew
        grown went gone shrank shrunk up down gain loss reduced reduction discount profit cut climbed declined
    """.split()
)


def percent_asked(story: Story, one: Amount, other: Amount) -> Iterator[Proposal]:
    a, b = one.text, other.text
    small, great = (a, b) if one.value <= other.value else (b, a)
    changing = bool(CHANGING & set(story.words)) or ({"was", "now"} <= set(story.words) and "off" in story.question)
    moved = ("from" in story.words and "to" in story.words) or ({"was", "now"} <= set(story.words) and "off" in story.question)
    weight = 0.95 if moved and changing else 0.6 if changing and "out" not in story.words else 0.1
    yield Proposal(expression=f"abs({b} - {a}) / {a} * 100", label=f"percent_change({a}, {b})", weight=weight)
    yield Proposal(expression=f"{small} / {great} * 100", label=f"percentage({small}, {great})", weight=0.95 - weight if weight > 0.5 else 0.9)


def geometry(story: Story, one: Amount, other: Amount) -> Iterator[Proposal]:
    a, b = one.text, other.text
    sides = {"by", "long", "wide", "length", "width", "sides", "x", "×", "tall", "high", "base", "height", "rectangle", "rectangular", "breadth"} & set(
        story.words
    )
    if not sides:
        return
    if "area" in story.asked or (has(story.question, "area") and "many" not in story.question):
        half = "triangle" in story.words or "triangular" in story.words
        yield Proposal(expression=f"{a} * {b} / 2" if half else f"{a} * {b}", label=f"area({a}, {b})", weight=0.95)
    if "perimeter" in story.words or (has(story.question, "perimeter") and "area" not in story.question):
        yield Proposal(expression=f"2 * ({a} + {b})", label=f"perimeter({a}, {b})", weight=0.95)


def compared(story: Story, one: Amount, other: Amount, made: dict[str, Proposal]) -> Iterator[Proposal]:
    """Differences that are asked for, and amounts given by comparison with another."""
    question = list(story.question)
    place = next((i for i, word in enumerate(question) if word in ("many", "much", "what")), None)
    window = question[place + 1 : place + 4] if place is not None else []
    if "times" in window:
        yield weighted(made["divide"], 0.9)
        return
    comparative = [word for word in window if word in classes_of("difference")] or (
        question[:1] == ["how"] and question[1:2] and question[1] in classes_of("difference")
    )
    if comparative or {"difference", "gap"} & set(question) or (question[:1] == ["by"] and place is not None):
        yield weighted(made["subtract"], 0.9)
        return
    for amount, base in ((one, other), (other, one)):
        words = amount.after[:5]
        if "times" in words[:2] or amount.token.lower in MULTIPLES:
            yield weighted(made["multiply"], 0.8)
            yield weighted(made["first_by_second"] if base is one else made["second_by_first"], 0.25)
        elif ("than" in amount.after and base.value) or set(words[:3]) & ADJECTIVES:
            lower = bool({"fewer", "less", "younger", "shorter", "cheaper", "lighter", "lower", "smaller", "slower", "below", "colder"} & set(words))
            than = amount.after.index("than") if "than" in amount.after else None
            named = next((word for word in amount.after[than + 1 :] if word not in STOPS and word.isalpha()), "") if than is not None else ""
            backwards = named != "" and stem(named) in {stem(word) for word in story.question}
            lower = lower != backwards  # what is asked is what the amount is compared with
            name = "subtract" if lower else "add"
            yield weighted(made[name], 0.75)
            yield weighted(made["add" if lower else "subtract"], 0.3)


ADJECTIVES = frozenset("older younger taller shorter longer heavier lighter cheaper warmer colder bigger smaller higher lower dearer faster slower".split())


def grouped(story: Story, one: Amount, other: Amount, made: dict[str, Proposal]) -> Iterator[Proposal]:
    """Equal groups: so many of something for each of something else."""
    for rate, count, forward in ((one, other, False), (other, one, True)):
        divided = made["first_by_second"] if forward else made["second_by_first"]
        held = holds(rate) and bool({stem(rate.before[-2])} & (story.asked_noun | count.nouns | count.per))
        if not rate.per and not held:
            continue
        container = frozenset({stem(rate.before[-2])}) if held else rate.per
        same = bool(rate.nouns & count.nouns)
        asks_groups = bool(story.asked_noun & container) or (
            "long" in story.question and container & {"hour", "day", "minute", "week", "month", "year", "second"}
        )
        one_of = {
            stem(word) for word, previous in zip(story.question[1:], story.question, strict=False) if previous in ("one", "each", "per", "every", "a", "single")
        }
        if (count.per and not held) or (held and one_of & rate.nouns):
            continue
        if asks_groups and not (container & count.nouns):
            yield weighted(divided, 0.9)
            yield weighted(made["multiply"], 0.3)
        elif same and not held and not (container & count.nouns):
            yield weighted(divided, 0.8)
            yield weighted(made["multiply"], 0.35)
        else:
            yield weighted(made["multiply"], 0.9)
            yield weighted(divided, 0.2)
    asks_each = has(story.question, "each") or "one" in story.question or "speed" in story.asked or "average" in story.asked or "fast" in story.question
    sharing = has(story.words, "share")
    if (asks_each or sharing) and not (one.per or other.per):
        numerator_first = "money" in one.nouns or bool(other.nouns & PEOPLE) or bool({"among", "between", "into", "by"} & set(other.before[-3:]))
        numerator_second = "money" in other.nouns or bool(one.nouns & PEOPLE)
        asked_per = {
            stem(word) for index, word in enumerate(story.question) if index and story.question[index - 1] in ("per", "each", "every", "one", "a", "an")
        }
        if asked_per & one.nouns:
            numerator_first, numerator_second = False, True
        elif asked_per & other.nouns:
            numerator_first, numerator_second = True, False
        name = "divide" if numerator_first == numerator_second else "first_by_second" if numerator_first else "second_by_first"
        if "over" not in story.question and "left" not in story.question:
            yield weighted(made[name], 0.9 if asks_each else 0.65)
        else:
            great, small = sorted((one.value, other.value), reverse=True)
            yield Proposal(
                expression=f"mod({number_text(great)}, {number_text(small)})", label=f"remainder({number_text(great)}, {number_text(small)})", weight=0.85
            )


def changed(story: Story, one: Amount, other: Amount, made: dict[str, Proposal]) -> Iterator[Proposal]:
    """One amount that grows or shrinks by another, or two that are put together."""
    alike = one.nouns & other.nouns or not one.nouns or not other.nouns or ("money" in one.nouns) == ("money" in other.nouns)
    if one.per or other.per or not alike:
        factor = 0.4
    else:
        factor = 1.0
    add, subtract = movement(story, other)
    add, subtract = unknowns(story, one, other, add, subtract)
    if add:
        yield weighted(made["add"], min(0.9, add) * factor)
    if subtract:
        yield weighted(made["subtract"], min(0.9, subtract) * factor)


def movement(story: Story, other: Amount) -> tuple[float, float]:
    """How strongly the words say that the second amount comes to the first, and that it goes from it."""
    question, second = story.question, other.clause
    comparing = "than" in second  # weighed by what is compared with what
    gain, loss, remain = has(second, "gain") and not comparing, has(second, "loss") and not comparing, has(question, "remain")
    add = 0.65 if gain else 0.0
    subtract = (0.65 if loss else 0.0) + (0.75 if remain else 0.0)
    if has(question, "total") and "than" not in question:
        add += 0.75
    elif {"now", "new", "then"} & set(question) and not loss:
        add += 0.4
    if remain:
        add *= 0.5
    if "years" in second and "ago" in story.words:
        subtract += 0.4
    return add, subtract


NOT = frozenset({"not", "didn't", "don't", "haven't", "hasn't", "weren't", "aren't", "isn't", "wasn't"})


def unknowns(story: Story, one: Amount, other: Amount, add: float, subtract: float) -> tuple[float, float]:
    """The same weights where what is asked for is the beginning, the change, or the part that is not named."""
    question, second = story.question, other.clause
    if set(question) & BEGINNING:
        add, subtract = (add + 0.3 if subtract >= add else 0.2), (subtract if add > subtract else 0.2)
    unknown = "some" in story.words or (bool({"did", "were"} & set(question)) and bool({"now", "then", "left"} & set(second)))
    if unknown and not has(question, "remain"):
        add, subtract = add * 0.5, subtract + 0.6
    if any("total" in amount.clause or "altogether" in amount.clause for amount in (one, other)) and not has(question, "total"):
        add, subtract = add * 0.4, subtract + 0.6
    asked = {stem(word) for word in question}
    if {"out", "of"} <= set(one.before) and not asked & {stem(word) for word in other.after if word not in STOPS}:
        add, subtract = add * 0.5, subtract + 0.7
    if NOT & set(question) and "of" in one.after:
        add, subtract = 0.0, subtract + 0.85
    return add, subtract


def one_amount(story: Story, amount: Amount) -> Iterator[Proposal]:
    """A rate for one period that is asked for another, and shapes with equal sides."""
    n = amount.text
    if "square" in story.words and amount.value:
        if "area" in story.question:
            yield Proposal(expression=f"{n}^2", label=f"square_area({n})", weight=0.9)
        if "perimeter" in story.question:
            yield Proposal(expression=f"4 * {n}", label=f"square_perimeter({n})", weight=0.9)
    for (long, short), factor in PERIODS.items():
        if long in amount.per and short in story.asked:
            yield Proposal(expression=f"{n} / {factor}", label=f"divide({n}, {factor})", weight=0.7)
        if short in amount.per and long in story.asked:
            yield Proposal(expression=f"{n} * {factor}", label=f"multiply({n}, {factor})", weight=0.7)
