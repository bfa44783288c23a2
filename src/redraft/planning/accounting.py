"""The last gate before a verdict or an answer from a table: every content word, figure, unit and direction must be accounted for, else nothing is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from redraft.claims.numbers import Quantity, agrees
from redraft.claims.words import STOP_WORDS, Word
from redraft.planning import derivations
from redraft.planning.answer_types import PERSONS, denotes, key_of
from redraft.planning.derivations import Derivation
from redraft.planning.figure_bounds import BOUND, multiplier, operator_before
from redraft.planning.mentions import Reading
from redraft.planning.sheets import Filter, Sheet
from redraft.planning.table_readings import Meaning
from redraft.planning.table_words import EXCLUDING, root

__all__ = ["CLAIM_NOTE", "claim_doubt", "earlier_value", "name_doubt", "question_doubt", "said_currencies", "unaccounted"]

CLAIM_NOTE = "the sentence says something that the table does not account for"
_NARROWING = frozenset("record records net gross margin margins profit profits loss losses operating online offline tax taxes".split())
"""Words that other vocabularies let pass and that make another figure of the one named."""
_ARTICLES = frozenset("per der die das den dem des im war le la les el los".split())
_COMPOUND = frozenset("value price cost costs size rate charge charges margin tax fee fees income profit".split())
"""Nouns that make another measure of the column name before them: "order value"."""
_UNIT_OF_TIME = r"(?:hour|day|week|month|quarter|year|night)"
_RATE = re.compile(rf"\b(?:(?:a|an|per|each|every)\s+{_UNIT_OF_TIME}|(?:hourly|daily|weekly|monthly))\b|\bper\s+(?!cent\b)\w+", re.IGNORECASE)
_QUANTIFIED = re.compile(r"\b(?:every|always|each|never|consistently|throughout|continually|constantly|any|both|all|steadily)\b", re.IGNORECASE)
_REACHED = re.compile(r"\b(?:to|at|reaching|reached|hitting|hit)\s+(?:(?:about|around|nearly|almost|roughly)\s+)?[$€£]?$", re.IGNORECASE)
_MOVED = re.compile(r"\bfrom\s*$", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?:than|ahead of|behind|exceed\w*|outs\w+|surpass\w*|beat\w*|overtook|overtak\w+)\b", re.IGNORECASE)
_CURRENCIES = {
    "$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd", "€": "eur", "eur": "eur", "euro": "eur", "euros": "eur", "£": "gbp", "gbp": "gbp",
    "pound": "gbp", "pounds": "gbp", "sterling": "gbp", "¥": "jpy", "jpy": "jpy", "yen": "jpy", "chf": "chf", "franc": "chf", "francs": "chf",
    "元": "cny", "人民币": "cny", "美元": "usd", "欧元": "eur", "英镑": "gbp", "日元": "jpy", "円": "jpy", "港元": "hkd", "港币": "hkd",
    "₹": "inr", "inr": "inr", "rupee": "inr", "rupees": "inr", "cny": "cny", "rmb": "cny", "yuan": "cny",
}  # fmt: skip
_MONEY = frozenset(
    root(word)
    for word in "revenue sales turnover takings cost expense spending budget profit earnings salary wage pay income price fare fee charge gdp export import"
    " exports imports payroll ticket rent value debt donation fund funding investment spent spend actual paid amount balance invoice margin premium".split()
)
_CJK_MONEY = re.compile(
    "收入|销售额|营业额|营收|成本|费用|支出|预算|利润|工资|薪|价|金额|房租|租金|余额|売上|収入|費用|支出|予算|利益|給与|給料|金額|家賃|残高"
)
"""Names of amounts of money in Chinese and Japanese, also as a part of a name: "月销售额"."""
_CURRENCY_MARK = re.compile(r"[a-z]+|人民币|[美欧日港]元|港币|英镑|[$€£¥₹元円]")
_WHOLE = frozenset("sum average median max min count distinct share rank difference ratio".split())


def unaccounted(reading: Reading, figures: Sequence[Quantity]) -> tuple[Word, ...]:
    """Content words that name nothing of the table and nothing of the vocabulary; an adverb of manner narrows nothing."""
    measures = [mention.span for mention in reading.columns]
    without = {part for entry in EXCLUDING for part in entry} if any(mention.excluded for mention in reading.values) else set[str]()
    found = [
        word
        for word in reading.unexplained(figures)
        if word.stem not in without and word.text.lower() not in _ARTICLES and not (word.text.islower() and word.text.endswith("ly"))
    ]
    for place, word in enumerate(reading.words):
        low = word.text.lower()
        if any(start <= word.span[0] < end for start, end in measures):
            continue
        before = reading.words[place - 1].span if place else None
        compound = low in _COMPOUND and before is not None and word.span[0] - before[1] == 1 and any(end == before[1] for _, end in measures)
        if low in _NARROWING - reading.table or compound:
            found.append(word)
    return tuple(found)


def claim_doubt(text: str, figure: Quantity, figures: Sequence[Quantity], meaning: Meaning, derivation: Derivation | None) -> str:
    """Why no verdict may be given on the figure: with the derivation that would support it, or with none for a contradiction."""
    reading = meaning.reading
    said = text[reading.span[0] : reading.span[1]]
    if unaccounted(reading, figures) or reading.unresolved or _rate(said, meaning) or _one_of_them(text, figure, meaning):
        return CLAIM_NOTE
    if re.search(r"\bout of\s+$", text[: figure.span[0]]) and not meaning.counting:
        return "the figure is the end of a scale"
    if _of_an_attribute(meaning, any if derivation is None else all):
        return "the name is that of something beside the rows of the table"
    half = derivation is not None and derivation.operation == "share" and bool(re.search(r"\bhalf of\b", said, re.IGNORECASE))
    if meaning.foreign and not half and (derivation is None or derivation.operation not in ("change", "difference")):
        return CLAIM_NOTE
    measure = derivation.measure if derivation is not None else meaning.measures[0][0] if meaning.measures else None
    if not _same_unit(text, figure, meaning.sheet, measure, sure=derivation is None):
        return "the figure has another unit than the column"
    if _quantity_of_all(said, text, figure, derivation):
        return "the sentence speaks of every one of several, which is not computed"
    if derivation is None:
        if _RATE.search(said) and not figure.percent and not meaning.each:
            return "the figure is one for each of several, and more than one reading of that is possible"
        if figure.percent and re.match(r"\s*of (?:its|their|his|her|our)\b", text[figure.span[1] :]):
            return CLAIM_NOTE
        earn = bool(re.search(r"\b(?:earn|earns|earned|earning|made|makes|lost|loses)\b", said, re.IGNORECASE))
        return CLAIM_NOTE if _moved_from(text, figure) or (earn and not _paid(meaning) and max((each for _, each in meaning.measures), default=0) < 0.7) else ""
    between = derivation.operation == "difference" or (derivation.operation == "change" and not figure.percent)
    if operator_before(text, figure, reading.span) and (not figure.bound or (between and meaning.level != "by")):
        return "the figure is a bound that is not computed"
    if derivation.operation not in ("difference", "ratio", "change", "count", "distinct") and _compared(text, meaning, figures):
        return "the sentence compares with something else"
    if "ratio" in meaning.operations and derivation.operation not in ("ratio", "change", "share"):
        return "the sentence says how many times one is the other"
    if derivation.operation in ("average", "median") and len(list(meaning.sheet.rows(derivation.filters))) < 2:
        return "one row has no average"
    if "average" in meaning.operations and derivation.operation == "cell" and not _averaged(meaning.sheet, derivation.measure):
        return "one row has no average"
    return _against(text, figure, figures, meaning, derivation)


def _averaged(sheet: Sheet, measure: int | None) -> bool:
    """Whether the column itself holds averages: "Avg salary", "Mean SBP"."""
    return measure is not None and bool(re.search(r"\b(?:avg|average|mean|median)\b", sheet.fields[measure].name.replace("_", " "), re.IGNORECASE))


_APIECE = re.compile(r"\s*(?:[a-z]+\s+)?(?:(?:a|an)\s+(?!(?:total|further|year-on-year)\b)[a-z]+\b|each\b|apiece\b)")
_ATTRIBUTES = frozenset(
    root(word)
    for word in "capital lead leader manager owner author head mayor ceo captain coach contact president director chair supervisor founder winner".split()
)
"""Columns whose labels name something that a row has, not what the row is about."""


def _one_of_them(text: str, figure: Quantity, meaning: Meaning) -> bool:
    """Whether the figure is said for each of something: "21.9 points a game", "35 each"."""
    return not meaning.each and bool(_APIECE.match(text, figure.span[1]))


def _of_an_attribute(meaning: Meaning, how: Callable[[Iterable[object]], bool]) -> bool:
    """Whether the rows are chosen by what they have, at all or only: the capital of a country has not its population."""
    fields = [meaning.sheet.fields[place] for group in meaning.groups for place in group[0].fields if not meaning.sheet.fields[place].ordered]
    return bool(fields) and how(set(column.stems) & _ATTRIBUTES for column in fields)


def _paid(meaning: Meaning) -> bool:
    return bool(meaning.measures) and bool(set(meaning.sheet.fields[meaning.measures[0][0]].stems) & _PAY)


_PAY = frozenset(root(word) for word in "salary wage pay income earnings compensation".split())


def _rate(said: str, meaning: Meaning) -> bool:
    return _unnamed_rate(said, meaning.sheet)


def _unnamed_rate(said: str, sheet: Sheet) -> bool:
    """Whether something is said per a thing that is no column and no row of the table."""
    apart = [column for column in sheet.fields if column.role == "dimension" or re.search(r"\bper\b|/", column.name.replace("_", " ").lower())]
    names = {part for column in apart for part in column.stems} | {"row", root("entry")}
    ends = [re.sub(r"ly$", "", match.group().split()[-1].lower()) for match in _RATE.finditer(said)]
    return any(root(end) not in names for end in ends)


def _quantity_of_all(said: str, text: str, figure: Quantity, derivation: Derivation | None) -> bool:
    said = re.sub(r"\bthan (?:any|all|every)(?: of the)? others?\b", "", said, flags=re.IGNORECASE)
    found = [match for match in _QUANTIFIED.finditer(said)]
    if not found:
        return False
    strict = any(match.group().lower() not in ("all", "both", "throughout") for match in found)
    whole = derivation is None or derivation.operation in _WHOLE
    return strict or not whole or bool(re.search(r"\b(?:all|both)\s+$", text[: figure.span[0]], re.IGNORECASE))


def name_doubt(text: str, clause: Reading, figures: Sequence[Quantity]) -> str:
    """Why no verdict may be given on a superlative or comparison: a word is not accounted for, or it is said of every one of several."""
    said = text[clause.span[0] : clause.span[1]]
    rest = re.sub(r"\b(?:any|every|all)(?:\s+\w+)?\s+(?:other|others|else)\b|\b(?:of|among) all\b", "", said, flags=re.IGNORECASE)
    rate = re.search(r"\bper\b|\ba (?:day|week|month|year)\b", said, re.IGNORECASE)
    return CLAIM_NOTE if rate or unaccounted(clause, figures) or clause.unresolved or _QUANTIFIED.search(rest) else ""


def said_currencies(text: str, figure: Quantity) -> set[str]:
    """The currency that stands with the figure."""
    following = text[figure.span[1] - len(figure.unit) * text[: figure.span[1]].endswith(figure.unit) :].lower()
    tail = re.match(r"\s*(?:(?:thousand|million|billion|m|bn|k)\s+)?([a-z]+)\b|(人民币|[美欧日港]元|港币|英镑)", following)
    marks = [figure.before.strip().lower(), figure.after.strip().lower(), figure.unit.strip().lower(), next(filter(None, tail.groups())) if tail else ""]
    return {code for mark in marks for part in _CURRENCY_MARK.findall(mark) if (code := _CURRENCIES.get(part))}


def _same_unit(text: str, figure: Quantity, sheet: Sheet, measure: int | None, *, sure: bool) -> bool:
    """Whether the currency said with the figure may be that of the column."""
    said = said_currencies(text, figure)
    if not said or measure is None:
        return True
    own = _currencies(sheet, measure)
    if own:
        return bool(own & said)
    column = sheet.fields[measure]
    amount = bool(set(column.stems) & _MONEY or _CJK_MONEY.search(column.name))
    return amount and (not sure or _said_currencies(text) == said)


@lru_cache(maxsize=16)
def _said_currencies(text: str) -> set[str]:
    """The currencies of the whole text: where it has but one, a table without any is in that one."""
    return {code for mark in _CURRENCY_MARK.findall(text.lower()) if (code := _CURRENCIES.get(mark))}


def _currencies(sheet: Sheet, field: int) -> set[str]:
    column = sheet.fields[field]
    return {code for part in _CURRENCY_MARK.findall(f"{column.name} {column.unit}".lower()) if (code := _CURRENCIES.get(part))}


def _compared(text: str, meaning: Meaning, figures: Sequence[Quantity]) -> bool:
    """Whether a comparison is said that is no bound of a figure."""
    bounds = [match.span() for match in BOUND.finditer(text, *meaning.reading.span)]
    bounds = [span for span in bounds if any(0 <= figure.span[0] - span[1] <= 12 for figure in figures)]
    return any(not any(start <= match.start() < end for start, end in bounds) for match in _COMPARED.finditer(text, *meaning.reading.span))


def _moved_from(text: str, figure: Quantity) -> bool:
    return bool(_MOVED.search(text[: figure.span[0] - len(figure.before) if figure.before.strip() else figure.span[0]]))


def _before(sheet: Sheet, derivation: Derivation) -> tuple[Filter, ...] | None:
    """The rows of the derivation one period earlier."""
    found: list[tuple[Filter, ...]] = []
    for place, condition in enumerate(derivation.filters):
        column = sheet.fields[condition.field]
        if condition.operator == "=" and column.ordered and len(condition.values) == 1 and condition.values[0] in column.values:
            at = column.values.index(condition.values[0])
            if at:
                earlier = Filter(condition.field, (column.values[at - 1],), "=")
                found.append((*derivation.filters[:place], earlier, *derivation.filters[place + 1 :]))
    return found[0] if len(found) == 1 else None


def _against(text: str, figure: Quantity, figures: Sequence[Quantity], meaning: Meaning, derivation: Derivation) -> str:
    """Whether the direction that the words give the figure is not the one of the table."""
    note = "the direction that the words say is not that of the figures"
    if not meaning.direction:
        return ""
    if derivation.operation in ("change", "difference"):
        return note if derivation.direction and derivation.direction != meaning.direction else ""
    if derivation.operation in ("count", "distinct", "share", "rank"):
        return ""
    pair = _pair(text, figures, figure)
    if pair is not None:
        moved = pair[1].value - pair[0].value
        return "" if (moved > 0) - (moved < 0) == meaning.direction else note
    reached = meaning.level == "to" or _reached(text, figure)
    earlier = _before(meaning.sheet, derivation)
    before = meaning.sheet.total(derivation.measure, earlier) if earlier is not None and derivation.measure is not None else None
    if not reached or before is None:
        return note if not _stands_apart(text, figure, meaning) else ""
    moved = derivation.value - before
    return "" if (moved > 0) - (moved < 0) == meaning.direction else note


def _reached(text: str, figure: Quantity) -> bool:
    return bool(_REACHED.search(text[: figure.span[0]]))


def _stands_apart(text: str, figure: Quantity, meaning: Meaning) -> bool:
    """Whether the figure has a verb of its own that only states it ("was 620, up 24%"), so that the movement belongs to another figure."""
    clause = text[meaning.reading.span[0] : figure.span[0]]
    return bool(re.search(r"\b(?:was|were|is|are|of|totall?ed|stood at|came to|amounted to)\s+[$€£]?$", clause, re.IGNORECASE))


def _pair(text: str, figures: Sequence[Quantity], figure: Quantity) -> tuple[Quantity, Quantity] | None:
    """The two figures of "from X to Y", if the figure is one of them."""
    for one, other in pairwise(figures):
        if figure in (one, other) and _moved_from(text, one) and re.search(r"\bto\s+[$€£]?$", text[one.span[1] : other.span[0]]):
            if one.percent == other.percent:
                return one, other
    return None


def earlier_value(text: str, figure: Quantity, figures: Sequence[Quantity], meaning: Meaning, reached: Derivation) -> Derivation | None:
    """What "from X" is where "to Y in 2024" is `reached` and X has no period of its own: the value of the period before, if that is X."""
    pair = _pair(text, figures, figure)
    earlier = _before(meaning.sheet, reached)
    if pair is None or pair[0] is not figure or earlier is None or reached.measure is None:
        return None
    factor: Fraction = multiplier(meaning.sheet, reached.measure)
    for derivation in derivations.amounts(meaning.sheet, reached.measure, earlier):
        if derivation.operation in (reached.operation, "cell", "sum") and agrees(derivation.value * factor, figure) is True:
            return derivation
    return None


_ASKING = frozenset(
    root(word)
    for word in "how what which who whose when where please tell many much name list answer give question long far old add up work based table"
    " something anything someone somebody use used uses using flow flows appear appears contain contains exist square cubic kilometre kilometres kilometer"
    " kilometers km metre metres meter meters mile miles foot feet gram grams kilogram kilograms tonne tonnes ton tons litre litres liter liters hectare"
    " hectares minute minutes hour hours second degree degrees celsius box office decimal decimals digit digits".split()
)
"""Words of asking, plain verbs, and units of measurement."""
_ACTIONS = frozenset("production consumption output use usage generation intake".split())
"""Nouns that say no more than the measure before them does."""


def question_doubt(question: str, sheet: Sheet, reading: Reading, figures: Sequence[Quantity]) -> bool:
    """Whether the question says something that neither the table nor the vocabulary accounts for."""
    asked = {code for word in _CURRENCY_MARK.findall(question.lower()) if (code := _CURRENCIES.get(word))}
    known = {code for field in range(len(sheet.fields)) for code in _currencies(sheet, field)}
    if reading.unresolved or (known and asked - known) or re.match(r"\W*(?:why|how come)\b", question, re.IGNORECASE):
        return True
    written = {part for column in sheet.fields for part in re.findall(r"[^\W\d_]+", f"{column.name} {column.unit}".lower())}
    key = key_of(sheet)
    persons = key is not None and bool(set(sheet.fields[key].stems) & PERSONS)
    for word in unaccounted(reading, figures):
        low = word.text.lower()
        named = low in written or any(denotes(word, column) for column in sheet.fields)
        if word.stem in _ASKING or low in STOP_WORDS or named or (low == "date" and any(column.temporal for column in sheet.fields)):
            continue
        if low in _ACTIONS and any(0 < word.span[0] - mention.span[1] <= 1 for mention in reading.measures(sheet)):
            continue
        priced = low in ("price", "fee", "fare", "charge", "cost") and any(
            0 < word.span[0] - mention.span[1] <= 1 and _currencies(sheet, mention.field) for mention in reading.measures(sheet)
        )
        if priced or (low in ("people", "persons") and persons):
            continue
        return True
    return _unnamed_rate(question, sheet)
