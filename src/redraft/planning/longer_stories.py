"""Small stories with three amounts or more: groups and what is added or taken, prices with counts, proportions, payments, lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redraft.planning.story import PEOPLE, STOPS, Amount, Proposal, Story, has, holds, stem
from redraft.planning.vocabulary import classes_of

__all__ = ["longer"]

TIMES = frozenset({"second", "minute", "hour", "day", "week", "month"})
WORKERS = PEOPLE | frozenset("machine pump painter builder tap pipe printer robot horse cow cat dog carpenter cleaner gardener tractor printers".split())
RECEIVED = frozenset("earned earns got gets received receives found finds won wins refund refunded deposits deposited saved gained gains given".split())
PRICED = frozenset("cost costs pay pays price spend spent much total charge charged bill come owe worth altogether".split())
CARRIED = frozenset({"and", "then", "but"})


def longer(story: Story, amounts: list[Amount]) -> Iterator[Proposal]:
    """Expressions over three or more amounts, none of them a percentage."""
    yield from payments(story, amounts)
    yield from priced(story, amounts)
    if len(amounts) == 3:
        yield from three_amounts(story, amounts)
        yield from proportion(story, amounts)
    else:
        yield from several(story, amounts)


def three_amounts(story: Story, amounts: list[Amount]) -> Iterator[Proposal]:
    """Groups with something added or taken away, or three amounts in a row of gains and losses."""
    a, b, c = (amount.text for amount in amounts)
    x, y, z = amounts
    grouped = list(groups(story, amounts))
    yield from grouped
    if grouped:
        return
    if not any(amount.per for amount in amounts):
        yield from several(story, amounts)
        if not has(story.question, "difference") and (x.nouns & y.nouns or y.nouns & z.nouns or not y.nouns):
            signs = signed(amounts)
            if "-" in signs:
                weight = 0.7 if has(story.question, "remain") or has(story.question, "total") else 0.5
                yield Proposal(expression=f"{a} {signs[0]} {b} {signs[1]} {c}", label=f"change({a}, {signs[0]}{b}, {signs[1]}{c})", weight=weight)
    dimensions = {"long", "wide", "high", "tall", "deep", "length", "width", "height", "depth", "sides", "by", "x"} & set(story.words)
    if has(story.question, "volume") and dimensions:
        yield Proposal(expression=f"{a} * {b} * {c}", label=f"volume({a}, {b}, {c})", weight=0.9)


def signed(amounts: Sequence[Amount]) -> list[str]:
    """Whether each amount after the first comes or goes; `and 9 to Ann` goes as the one before it does."""
    signs: list[str] = []
    for amount in amounts[1:]:
        gain, loss = has(amount.clause, "gain"), has(amount.clause, "loss")
        silent = not gain and not loss and signs and not set(amount.clause) & {"has", "have", "had", "is", "are"}
        signs.append(signs[-1] if silent else "-" if loss and not gain else "+")
    return signs


def groups(story: Story, amounts: list[Amount]) -> Iterator[Proposal]:
    """So many groups of so many, with an amount beside them: `6 rows of 20, 15 are taken`, `a rope of 25 m, less 8 pieces of 1.5 m each`."""
    losing = has(story.question, "remain") or "change" in story.question
    for rate, count, other in ((1, 0, 2), (2, 1, 0), (1, 2, 0), (0, 1, 2)):
        r, k, o = amounts[rate], amounts[count], amounts[other]
        if not (r.per or holds(r)) or k.per or o.per or (k.nouns & r.nouns and not holds(r)):
            continue
        linked = k.nouns & r.per or r.per == frozenset({""}) or holds(r) or (not k.nouns and r.per)
        if not linked or not alike(r, o):
            continue
        product = k.value * r.value
        call = f"multiply({k.text}, {r.text})"
        if losing or (other == 2 and has(o.clause, "loss")):
            if other == 0 or product < o.value:
                if product <= o.value:
                    yield Proposal(expression=f"{o.text} - {k.text} * {r.text}", label=f"subtract({o.text}, {call})", weight=0.8 if losing else 0.5)
            else:
                yield Proposal(expression=f"{k.text} * {r.text} - {o.text}", label=f"subtract({call}, {o.text})", weight=0.75)
            return
        if other == 2 or has(story.question, "total") or {"now", "then"} & set(story.question):
            yield Proposal(expression=f"{k.text} * {r.text} + {o.text}", label=f"add({call}, {o.text})", weight=0.7)
            return


def alike(one: Amount, other: Amount) -> bool:
    """Whether two amounts can be added: money with money, things with the same things; amounts without a noun go with any but money."""
    if ("money" in one.nouns) != ("money" in other.nouns):
        return False
    return bool(one.nouns & other.nouns) or not one.nouns or not other.nouns


def proportion(story: Story, amounts: list[Amount]) -> Iterator[Proposal]:
    """At the same rate: `4 kg cost 9.20; what do 7 kg cost?`. More workers do not need more time: no reading."""
    x, y, z = amounts
    if any(amount.per or holds(amount) for amount in amounts) or not (asked_about(story, z) or has(z.clause, "times")):
        return
    for base, result in ((x, y), (y, x)):
        same = bool(base.nouns & z.nouns) or (not base.nouns and base.after[:1] == ("for",) and "money" in result.nouns and "money" not in z.nouns)
        if not same or result.nouns & z.nouns or not base.value:
            continue
        if (result.nouns & TIMES and base.nouns & WORKERS) or (base.nouns & TIMES and {"left", "remain"} & set(story.question)):
            return
        if "money" in result.nouns:
            wanted = bool(PRICED & set(story.question)) and "change" not in story.question
        else:
            lasting = bool(result.nouns & TIMES) and "long" in story.question
            named = result.nouns | {stem(word) for word in result.after[:4] if word not in STOPS}
            wanted = lasting or bool(named & (story.asked_noun | story.asked)) or "far" in story.question
        if wanted and not has(story.question, "difference"):
            expression = f"{result.text} / {base.text} * {z.text}"
            yield Proposal(expression=expression, label=f"multiply(divide({result.text}, {base.text}), {z.text})", weight=0.85)


def asked_about(story: Story, amount: Amount) -> bool:
    """Whether the amount stands in the question, or in the condition right before it."""
    return amount.token.text.lower() in story.question or bool({"if", "how", "what", "for"} & set(amount.clause))


def payments(story: Story, amounts: list[Amount]) -> Iterator[Proposal]:
    """What is left of one sum after several others are paid."""
    if len(amounts) < 3 or any("money" not in amount.nouns or amount.per for amount in amounts) or RECEIVED & set(story.words):
        return
    if not (has(story.question, "remain") or "change" in story.question) or "each" in story.words:
        return
    given = max(amounts, key=lambda amount: amount.value)
    others = [amount for amount in amounts if amount is not given]
    first = given is amounts[0] or {"from", "with", "note", "bill", "had", "have"} & {*given.before[-4:], *given.after[:2]}
    if first and sum(amount.value for amount in others) <= given.value:
        listed = ", ".join(amount.text for amount in others)
        expression = " - ".join([given.text, *(amount.text for amount in others)])
        yield Proposal(expression=expression, label=f"subtract({given.text}, sum({listed}))", weight=0.85)


def priced(story: Story, amounts: list[Amount]) -> Iterator[Proposal]:
    """Prices and how many of each are bought: paired by what they are for, or side by side."""
    if not PRICED & set(story.question) or has(story.question, "remain") or "change" in story.question:
        return
    prices = [amount for amount in amounts if "money" in amount.nouns]
    counts = [amount for amount in amounts if "money" not in amount.nouns]
    if len(prices) < 2 or not counts or len(counts) > len(prices):
        return
    pairs = by_name(story, prices, counts) or side_by_side(amounts)
    if pairs:
        expression = " + ".join(f"{count} * {price.text}" for count, price in pairs)
        label = f"add({', '.join(f'multiply({count}, {price.text})' for count, price in pairs)})"
        yield Proposal(expression=expression, label=label, weight=0.9)


def by_name(story: Story, prices: list[Amount], counts: list[Amount]) -> list[tuple[str, Amount]]:
    """Each price with the count of the thing it is for, one where the question has `a coffee`; empty where not all are certain."""
    pairs: list[tuple[str, Amount]] = []
    used: list[Amount] = []
    for price in prices:
        names = price.per | label_of(price)
        fitting = [count for count in counts if count.nouns & names]
        others = [other for other in prices if other is not price and (other.per | label_of(other)) & names & frozenset().union(*(c.nouns for c in fitting))]
        if len(fitting) > 1 or others:
            return []
        if fitting:
            used.append(fitting[0])
            pairs.append((fitting[0].text, price))
        elif any(stem(word) in names and story.question[place - 1] in ("a", "an", "one") for place, word in enumerate(story.question) if place):
            pairs.append(("1", price))
        else:
            return []
    return pairs if len(used) == len(counts) and len({id(count) for count in used}) == len(counts) else []


def label_of(price: Amount) -> frozenset[str]:
    """The words between the amount before and this price: `adults $12`, `a coffee costs $3`."""
    taken: list[str] = []
    for word in reversed(price.before):
        if word[:1].isdigit() or word in (",", ";"):
            break
        if word.isalpha() and word not in STOPS and word not in classes_of("total"):
            taken.append(stem(word))
    if price.after[:1] in (("for",), ("per",)):
        taken = [stem(word) for word in price.after[1:3] if word.isalpha() and word not in STOPS] + taken
    return frozenset(taken[:3])


def side_by_side(amounts: list[Amount]) -> list[tuple[str, Amount]]:
    """`3 pens at $2 and 2 pads at $5`: only where every price is said to be for one."""
    pairs: list[tuple[str, Amount]] = []
    for count, price in zip(amounts[::2], amounts[1::2], strict=False):
        lead = [word for word in price.before if word not in ("$", "€", "£")][-1:]
        if "money" in count.nouns or "money" not in price.nouns or not (price.per or lead in (["at"], ["@"])):
            return []
        pairs.append((count.text, price))
    return pairs if 2 * len(pairs) == len(amounts) else []


def several(story: Story, amounts: list[Amount]) -> Iterator[Proposal]:
    listed = ", ".join(amount.text for amount in amounts)
    money = {"money" in amount.nouns for amount in amounts}
    if has(story.question, "average") and len(money) == 1:
        yield Proposal(expression=f"mean({listed})", label=f"average({listed})", weight=0.9)
    elif has(story.question, "total") and not any(has(amount.clause, "loss") or amount.per for amount in amounts) and "some" not in story.words:
        kinds = [amount.nouns for amount in amounts if amount.nouns]
        same = len({noun for kind in kinds for noun in kind}) <= len(amounts) + 1
        yield Proposal(expression=f"sum({listed})", label=f"sum({listed})", weight=0.3 if len(money) > 1 else 0.8 if same else 0.5)
