"""The typed places of a sentence that decide whether two sentences agree: dates, quantities with what they count, and names.

Vocabularies of the language (months, units, connecting words), no sentence patterns. A four-digit number that could be a year or a count is marked as open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from redraft.claims.numbers import Quantity, agrees, read
from redraft.claims.words import Word, words
from redraft.types import Span

__all__ = ["COUNTRIES", "Date", "Relation", "Slot", "date_relation", "names", "quantity_relation", "slots"]

Relation = Literal["same", "covers", "conflict", "open"]
"""Of a claim's value to the source's: the same or shown by it; too coarse or hedged to tell (`open`); excluded by it (`conflict`)."""

MONTHS = {
    name: number
    for number, forms in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|november nov|december dec".split("|"), 1
    )
    for name in forms.split()
}
_MONTH = (
    r"(?P<{0}>Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?|Aug(?:ust|\.)?"
    r"|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
_DATE = re.compile(
    rf"\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH.format('m1')}(?:,? (?P<y1>\d{{3,4}}))?\b(?!:)"
    rf"|\b{_MONTH.format('m2')} (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:|\d)(?:,? (?P<y2>\d{{4}})\b)?"
    rf"|\b{_MONTH.format('m3')},? (?P<y3>\d{{4}})\b"
    r"|\b(?P<y4>\d{4})-(?P<m4>\d{1,2})-(?P<d4>\d{1,2})\b"
    r"|(?P<y5>\d{4})年(?:(?P<m5>\d{1,2})月(?:(?P<d5>\d{1,2})[日号])?)?"
    r"|\b(?P<decade>\d{3}0)['’]?s\b"
    r"|\b(?P<century>\d{1,2})(?:st|nd|rd|th)[ -]century\b(?: (?P<era>BCE?|B\.C\.))?"
    r"|(?P<low>\b[12]\d{3})\s?[-–—/]\s?(?P<high>\d{4}|\d{2})\b(?!-)"
    r"|(?<![\d.,$€£¥-])\b(?P<year>[12]\d{3})\b(?![.,]\d|\s?[%°]|-\d)"
)
_YEAR_BEFORE = re.compile(
    r"\b(?:in|since|by|from|to|until|till|during|of|early|late|mid|before|after|year|circa|ca\.?|c\.|and|between|the|spring|summer|autumn|fall|winter|season"
    r"|January|February|March|April|May|June|July|August|September|October|November|December)\s*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s+(?!(?:was|is|has|as|us|this|its|his|does)\b)(?:[a-z-]+ )?(?:[a-z]{2,}s|people|men|women|children|miles?|feet|metres?|meters?|km|kg|tons?)\b"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Date:
    """What is known of a date; a decade, a century or a range of years has `last` too."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    last: int | None = None
    """The last year, where it is more than one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    """One typed place; `counts` are the stems of what a quantity counts or measures, `open` says that its type is not certain."""

    kind: Literal["date", "quantity", "name"]
    span: Span
    text: str
    date: Date | None = None
    quantity: Quantity | None = None
    counts: tuple[str, ...] = ()
    dimension: str = ""
    unit: str = ""
    open: bool = False


_UNITS: dict[str, tuple[str, Fraction]] = {
    name: (dimension, Fraction(factor))
    for dimension, table in {
        "length": {
            "1/1000": "mm millimetre millimeter", "1/100": "cm centimetre centimeter", "1": "m metre meter", "1000": "km kilometre kilometer",
            "127/5000": "inch in", "381/1250": "foot feet ft", "1143/1250": "yard yd", "201168/125": "mile mi",
        },
        "mass": {
            "1/1000": "g gram gramme", "1": "kg kilogram kilo", "45359237/100000000": "lb pound", "45359237/1600000000": "oz ounce",
        },
        "area": {"10000": "ha hectare", "316160658/78125": "acre"},
        "volume": {"1/1000": "ml", "1": "l litre liter"},
        "time": {"1": "second sec s", "60": "minute min", "3600": "hour hr h", "86400": "day", "604800": "week"},
        "years": {"1/12": "month", "1": "year", "10": "decade", "100": "century"},
        "power": {"1": "w watt", "1000": "kw kilowatt", "1000000": "mw megawatt", "1000000000": "gw gigawatt"},
        "speed": {"1": "kmh kph", "201168/125000": "mph"},
    }.items()
    for factor, names in table.items()
    for name in names.split()
}  # fmt: skip
_MONEY = re.compile(r"[A-Z$]*[$€£¥₹]|\w*(?:元|円)|dollars?|euros?|yen|yuan|usd|eur|gbp|jpy|cny", re.IGNORECASE)


def slots(sentence: str, *, known: frozenset[str] = frozenset()) -> tuple[Slot, ...]:
    """All dates, quantities and names in order; `known` are stems that are names elsewhere, for the word that begins a sentence.

    A number that belongs to a name (Apollo 11, U-30) is no quantity: it tells things apart.
    """
    found = list(_dates(sentence))
    taken = [slot.span for slot in found]
    for quantity in read(sentence):
        if not _touches(taken, quantity.span) and not _LABEL.search(sentence[: quantity.span[0]]):
            found.append(_quantity(sentence, quantity))
    taken = [slot.span for slot in found]
    found += [Slot(kind="name", span=span, text=sentence[span[0] : span[1]]) for span in names(sentence, known=known) if not _touches(taken, span)]
    return tuple(sorted(found, key=lambda slot: slot.span))


_NO_LABEL = (
    "In The A An About Over Only And Some Of At By From With Between After Before Nearly Almost These Those All Both More Than Up To For Its Their His Her Our "
    "Around Approximately Roughly Exactly Just Another Every Each Until Since During On Under Last First Next Around Contains Has Have Had Is Are Was Were "
    "January February March April May June July August September October November December"
)
_LABEL = re.compile(rf"(?:[A-Za-z]-|\b(?!(?:{'|'.join(dict.fromkeys(_NO_LABEL.split()))})\b)[A-Z][A-Za-z]*|\b(?:No|Nos|Vol|Nr)\.) ?$")


def _touches(taken: list[Span], span: Span) -> bool:
    return any(start < span[1] and span[0] < end for start, end in taken)


def _dates(sentence: str) -> Iterator[Slot]:
    for match in _DATE.finditer(sentence):
        fields = match.groupdict()
        date, unsure = _date(fields), False
        if date is None:
            continue
        if fields["year"]:
            counted = _COUNTED.match(sentence, match.end())
            led = _YEAR_BEFORE.search(sentence[: match.start()])
            if counted and not led:
                continue
            apart = re.search(r"[(,;–—-]\s*$", sentence[: match.start()]) or re.match(r"\s*(?:[).,;:?!–—]|$)", sentence[match.end() :])
            unsure = bool(counted) or not (led or apart)
        yield Slot(kind="date", span=match.span(), text=match[0], date=date, open=unsure)


def _date(fields: dict[str, str | None]) -> Date | None:
    for number in "12345":
        month, year, day = fields.get(f"m{number}"), fields.get(f"y{number}"), fields.get(f"d{number}")
        if not (month or year):
            continue
        value = (int(month) if month.isdigit() else MONTHS[month.lower().rstrip(".")]) if month else None
        if (value is not None and not 1 <= value <= 12) or (day and not 1 <= int(day) <= 31):
            return None
        return Date(year=int(year) if year else None, month=value, day=int(day) if day else None)
    if fields["decade"]:
        return Date(year=int(fields["decade"]), last=int(fields["decade"]) + 9)
    if fields["century"]:
        century = int(fields["century"])
        return Date(year=-100 * century, last=-100 * century + 99) if fields["era"] else Date(year=100 * century - 99, last=100 * century)
    if fields["low"] and fields["high"]:
        low = int(fields["low"])
        high = int(fields["high"]) if len(fields["high"]) == 4 else low - low % 100 + int(fields["high"])
        return Date(year=low, last=high) if low < high else None
    return Date(year=int(fields["year"] or 0))


def _quantity(sentence: str, quantity: Quantity) -> Slot:
    """With what it counts: the content words that follow until the noun phrase ends, and its dimension where it is measured in a unit."""
    tail = re.match(r"[^.,;:!?()\[\]]{0,60}", sentence[quantity.span[1] :])
    following = (quantity.unit + " " if quantity.unit and quantity.text.lower().endswith(quantity.unit) else "") + (tail[0] if tail else "")
    counted: list[str] = []
    for word in words(following):
        if not word.content or len(counted) == 4:
            break
        counted.append(word.stem)
    unit = _unit(quantity, following)
    dimension = _UNITS[unit][0] if unit else "money" if _MONEY.fullmatch(quantity.unit) else ""
    return Slot(kind="quantity", span=quantity.span, text=quantity.text, quantity=quantity, counts=tuple(counted), dimension=dimension, unit=unit)


def _unit(quantity: Quantity, following: str) -> str:
    """The unit's name in the table, or empty where it is none, or one that is composed (per, square, cubic)."""
    following = following.strip().lower()
    if re.match(r"(?:miles?|mi)(?: per |/| an )h|mph\b", following):
        return "mph"
    if re.match(r"(?:km|kilomet(?:re|er)s?)(?: per |/| an | ?)h", following):
        return "kmh"
    if re.match(r"\S+ per\b|\S+/|square\b|cubic\b|\S*[²³]", following):
        return ""
    name = quantity.unit.rstrip(".")
    return name if name in _UNITS else name[:-1] if name.endswith("s") and name[:-1] in _UNITS else ""


def date_relation(claim: Date, source: Date) -> Relation:
    """What the source's date says of the claim's: "in 1998" is covered by "3 May 1998", the reverse stays open."""
    if claim.last is not None or source.last is not None:
        if claim.year is None or source.year is None:
            return "open"
        claim_last, source_last = claim.last or claim.year, source.last or source.year
        if (claim.year, claim_last) == (source.year, source_last):
            return "same"
        if claim.last is not None and claim.year <= source.year and source_last <= claim_last:
            return "covers"
        return "conflict" if claim_last < source.year or source_last < claim.year else "open"
    pairs = [(claim.year, source.year), (claim.month, source.month), (claim.day, source.day)]
    if any(ours is not None and theirs is not None and ours != theirs for ours, theirs in pairs):
        return "conflict"
    if all(ours == theirs for ours, theirs in pairs):
        return "same"
    return "covers" if all(ours is None or theirs is not None for ours, theirs in pairs) else "open"


def _amounts(claim: Slot, source: Slot) -> tuple[Quantity, Fraction] | None:
    """Both in one unit: the claim's quantity, and the source's exact amount in the claim's unit."""
    ours, theirs = claim.quantity, source.quantity
    if ours is None or theirs is None or ours.percent != theirs.percent or claim.dimension != source.dimension:
        return None
    if claim.dimension == "money":
        return (ours, theirs.value) if ours.unit == theirs.unit else None
    factor = _UNITS[source.unit][1] / _UNITS[claim.unit][1] if claim.unit and source.unit else Fraction(1)
    return ours, theirs.value * factor


def quantity_relation(claim: Slot, source: Slot) -> Relation | None:
    """What the source's quantity says of the claim's; None where they are not of one kind.

    A rounding of the source's figure is covered by it; where the source is coarser, hedged or a bound that the claim meets, it stays open.
    """
    both = _amounts(claim, source)
    theirs = source.quantity
    if both is None or theirs is None:
        return None
    ours, exact = both
    if ours.high is not None or theirs.high is not None:
        return _ranges(ours, theirs)
    if theirs.bound:
        if ours.bound == theirs.bound and ours.value == exact:
            return "same"
        holds = ours.value >= exact if theirs.bound == ">" else ours.value <= exact
        return "open" if holds or ours.bound or ours.approximate else "conflict"
    if ours.bound:
        return "covers" if (exact >= ours.value if ours.bound == ">" else exact <= ours.value) else "conflict"
    if ours.value == exact and (ours.approximate or not theirs.approximate):
        return "same"
    if agrees(exact, ours) is True:
        return "open" if theirs.approximate and not ours.approximate else "covers"
    error, size = abs(exact - ours.value), max(abs(exact), abs(ours.value))
    converted = claim.unit != source.unit
    near = Fraction(1, 10) if theirs.approximate or ours.approximate else Fraction(2, 100) if converted else Fraction(1, 100)
    coarse = theirs.quantum and abs(error) * 2 <= theirs.quantum * (exact / theirs.value if theirs.value else 1)
    counted = not claim.dimension and size < 100 and ours.value.denominator == 1 and not (theirs.approximate or ours.approximate)
    return "open" if (error <= near * size and not counted) or coarse else "conflict"


def _ranges(ours: Quantity, theirs: Quantity) -> Relation:
    ours_high, theirs_high = ours.high if ours.high is not None else ours.value, theirs.high if theirs.high is not None else theirs.value
    if (ours.value, ours_high) == (theirs.value, theirs_high):
        return "same"
    apart = ours_high < theirs.value or theirs_high < ours.value
    return "conflict" if apart and not (ours.approximate or theirs.approximate or ours.bound or theirs.bound) else "open"


_JOINING = frozenset("of the de da do del di la le van von der den el al bin ibn y e und et du des zu for".split())


def names(sentence: str, *, known: frozenset[str] = frozenset()) -> Iterator[Span]:
    """Runs of capitalised words with the small words inside them; the word that begins the sentence only where its next is capitalised or it is known."""
    found = words(sentence)
    index = 0
    while index < len(found):
        if not _named(found, index, sentence, known):
            index += 1
            continue
        end = index + 1
        while end < len(found):
            gap = sentence[found[end - 1].span[1] : found[end].span[0]]
            if not re.fullmatch(r"[ \u00a0]|\. |-|'|’| & ", gap):
                break
            if found[end].capital or (found[end].text.isdigit() and len(found[end].text) < 3 and gap == " "):
                end += 1
            elif found[end].text in _JOINING and _joins(found, end, sentence):
                end += 2 if found[end + 1].capital else 3
            else:
                break
        yield found[index].span[0], found[end - 1].span[1]
        index = end


def _joins(found: Sequence[Word], place: int, sentence: str) -> bool:
    """Whether a small word stands inside a name: the next word, or the one after another small word, is capitalised."""
    after = found[place + 1 : place + 3]
    if after and after[0].capital:
        return sentence[found[place].span[1] : after[0].span[0]] == " "
    return len(after) == 2 and after[0].text in _JOINING and after[1].capital


def _named(found: Sequence[Word], index: int, sentence: str, known: frozenset[str]) -> bool:
    word = found[index]
    if not word.capital or not word.text[0].isalpha() or (not word.content and not (len(word.text) > 1 and word.text.isupper())):
        return False
    before = sentence[: word.span[0]].rstrip()
    starts = not before or before[-1] in ".!?:;\"“‘'(["
    if not starts:
        return True
    after = found[index + 1] if index + 1 < len(found) else None
    follows = after is not None and after.capital and sentence[word.span[1] : after.span[0]] in (" ", ". ")
    labelled = after is not None and after.text.isdigit() and sentence[word.span[1] : after.span[0]] == " " and bool(_LABEL.search(before + word.text + " "))
    return follows or labelled or word.stem in known or word.text.isupper()


COUNTRIES = frozenset(
    "afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas bahrain bangladesh barbados belarus "
    "belgium belize benin bhutan bolivia botswana brazil brunei bulgaria burundi cambodia cameroon canada chad chile china colombia croatia cuba "
    "cyprus denmark ecuador egypt england eritrea estonia ethiopia fiji finland france gabon gambia germany ghana greece grenada guatemala guinea "
    "guyana haiti honduras hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya kuwait laos "
    "latvia lebanon lesotho liberia libya lithuania luxembourg madagascar malawi malaysia mali malta mauritius mexico moldova monaco mongolia "
    "montenegro morocco mozambique myanmar namibia nepal netherlands nicaragua niger nigeria norway oman pakistan panama paraguay peru "
    "philippines poland portugal qatar romania russia rwanda scotland senegal serbia singapore slovakia slovenia somalia spain sudan suriname "
    "sweden switzerland syria taiwan tajikistan tanzania thailand togo tunisia turkey turkmenistan uganda ukraine uruguay uzbekistan venezuela "
    "vietnam wales yemen zambia zimbabwe".split()
)
"""Countries of one word, whose names exclude each other where a statement has room for one only (parts of the United Kingdom beside it, not in it)."""
