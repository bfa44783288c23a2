"""Questions that ask for a measurement in another unit: what is given, what unit is asked for, and every conversion between them that is well typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from redraft.claims.decimals import shown
from redraft.claims.unit_names import UnitPhrase, read_unit
from redraft.effects import Effects
from redraft.planning.literals import Token, asks_otherwise, asks_truth, number_text, tokens
from redraft.planning.options import Option
from redraft.planning.rounding import Rounding, read_rounding
from redraft.types import Failure, Task, ToolCall

__all__ = ["options"]

MAX_QUERY = 1500
ONE = re.compile(r"\b(?:a|an|one|per|each|every|single)\s+(?:single\s+|full\s+|whole\s+)?$", re.IGNORECASE)
LEADING = re.compile(r"(?:\b(?:to|in|into|as|many|much|of)|[=→?]|->)\s*$", re.IGNORECASE)
WHICH = re.compile(r"\b(?:what|which|this|that|last|next|first)\s+$", re.IGNORECASE)
GAP = re.compile(r"\s*-?\s*(?:of\s+an?\s+|an?\s+)?")
JOINT = re.compile(r"\s*(?:,\s*(?:and\s+)?|and\s+|&\s*)?")
MIXED = re.compile(r"\s*(?:,|and|&|plus)\s*(?:the\s+remaining\s+)?", re.IGNORECASE)
WORDLIKE = frozenset(
    """
        in a c d t l h m s g k v w n j b at as st are second hand rod chain league bar turn mil pc kt ac c. ct pt rad gon au mi degree degrees # ' " ′ ″
        foot minute min sec stones i f bit peck rev grain
    """.split()
)
"""Spellings that are ordinary words or letters too: units only beside a number, or directly after `to`, `in` or `how many`."""
PREPOSITIONS = frozenset({"in", "at", "as", "a"})
VOLUME, MASS = (("L", 3),), (("M", 1),)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """One given measurement, of one or more parts (`5 ft 11 in`)."""

    parts: tuple[tuple[Fraction, UnitPhrase], ...]
    start: int
    end: int
    implied: bool = False
    """Whether it is the one of `a mile`."""

    @property
    def text(self) -> str:
        return " ".join(f"{number_text(value).strip('()')} {unit.text}" for value, unit in self.parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A unit that stands without a number, or several that the result is to be given in."""

    units: tuple[UnitPhrase, ...]
    start: int
    asked: bool
    """Whether it stands where what is asked for stands: after `to`, `in`, `into`, `as` or `how many`."""

    @property
    def text(self) -> str:
        return " and ".join(unit.text for unit in self.units)


async def options(task: Task, effects: Effects) -> tuple[Option, ...]:
    """Conversions that could answer, executed, the likeliest first.

    Raises:
        Stopped: a budget forbids a call.
    """
    if "units" not in effects.tools or len(task.query) > MAX_QUERY:
        return ()
    rounding, query = read_rounding(task.query, keep_unit=True)
    query = BELOW_ZERO.sub(r"minus \1", query)
    read = tokens(query, quotes=False)
    if any(token.kind == "date" for token in read) or asks_otherwise(read) or asks_truth(read):
        return ()
    given, definitions = defined(query, measurements(query, read))
    if definitions:
        for definition in definitions:
            query = query[: definition.start] + " " * (definition.end - definition.start) + query[definition.end :]
        read = tokens(query, quotes=False)
        given = measurements(query, read)
    elif {"binary", "1024"} & {token.lower for token in read} and any("byte" in item.parts[0][1].factors[0][0] for item in given):
        return ()  # whether a kilobyte has 1000 or 1024 bytes is what the question turns on
    targets = standing(query, read, given)
    numbers = sum(token.kind == "number" and not token.ordinal for token in read)
    loose = numbers - sum(len(item.parts) for item in given if not item.implied)
    pairs = [(item, target) for item in given for target in targets if fits(item, target)]
    if TOTAL & {token.lower for token in read}:
        pairs = [(joined(given, item), target) for item, target in pairs[:1]] or pairs
    found: list[Option] = []
    for item, target in pairs:
        call = conversion(item, target, definitions)
        if call is None or call.tool not in effects.tools:
            continue
        result = await effects.use(call)
        if isinstance(result, Failure):
            continue
        answer = answered(result[0].value, result[0].text, target, rounding)
        fit = sureness(item, target, pairs, loose, given)
        found.append(Option(call=call, label=f"convert({item.text}, {target.text})", result=result, answer=answer, fit=fit))
    return tuple(sorted(found, key=lambda option: -option.fit)[:8])


DEFINES = re.compile(
    r"\s*(?:(?:is|are|equals?|=|being|has|have|contains?|makes?|counts\s+as|at|:|means|weighs|holds|measures)\s*)+(?:exactly|about|to|equal|taken|as|worth|defined|\s)*",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """What the question itself says a unit is: `1 GB = 1000 MB`."""

    whole: UnitPhrase
    part: UnitPhrase
    number: Fraction
    start: int
    end: int


def defined(query: str, given: list[Measurement]) -> tuple[list[Measurement], list[Definition]]:
    """The measurements asked about, and the definitions among them; a question of one measurement defines nothing."""
    found: list[Definition] = []
    for one, other in pairwise(sorted(given, key=lambda item: item.start)):
        number, source = one.parts[0]
        wanted = other.parts[0][1]
        single = number == 1 and len(one.parts) == 1 and len(other.parts) == 1 and not other.implied
        alike = source.dimension == wanted.dimension and source.factors != wanted.factors and "K" not in dict(source.dimension)
        if single and alike and DEFINES.fullmatch(query, one.end, other.start):
            found.append(Definition(whole=source, part=wanted, number=other.parts[0][0], start=one.start, end=other.end))
    spans = [(item.start, item.end) for item in found]
    rest = [item for item in given if not any(start <= item.start < end for start, end in spans)]
    return (rest, found) if any(not item.implied for item in rest) else (given, [])


def conversion(item: Measurement, target: Target, definitions: Sequence[Definition]) -> ToolCall | None:
    """The call that converts; with what the question says a unit is, where it says so. None where a definition is there that does not link the two."""
    if not definitions:
        return ToolCall(tool="units", input=f"{item.text} to {target.text}")
    if len(item.parts) != 1 or len(target.units) != 1:
        return None
    value, source, wanted = number_text(item.parts[0][0]), item.parts[0][1].factors, target.units[0].factors
    for definition in definitions:
        number = number_text(definition.number)
        if (source, wanted) == (definition.whole.factors, definition.part.factors):
            return ToolCall(tool="calculator", input=f"{value} * {number}")
        if (source, wanted) == (definition.part.factors, definition.whole.factors):
            return ToolCall(tool="calculator", input=f"{value} / {number}")
    return None


TOTAL = frozenset({"total", "altogether", "combined", "together", "all", "sum"})


def joined(given: Sequence[Measurement], item: Measurement) -> Measurement:
    """All given measurements of this one's kind as one, where they are added up."""
    alike = [other for other in given if not other.implied and other.parts[0][1].dimension == item.parts[0][1].dimension]
    parts = tuple(part for other in alike for part in other.parts)
    return Measurement(parts=parts, start=item.start, end=item.end) if len(parts) > 1 else item


def fits(item: Measurement, target: Target) -> bool:
    """Whether both measure the same thing and the unit changes; an ounce may be fluid."""
    source, wanted = item.parts[0][1], target.units[0]
    ounces = {unit.factors for unit in (source, wanted)} & {(("ounce", 1),)}
    same = source.dimension == wanted.dimension or (bool(ounces) and {source.dimension, wanted.dimension} == {VOLUME, MASS})
    return same and (len(item.parts) > 1 or len(target.units) > 1 or source.factors != wanted.factors)


def sureness(item: Measurement, target: Target, pairs: Sequence[tuple[Measurement, Target]], loose: int, given: Sequence[Measurement]) -> float:
    fit = 1.0 if target.asked else 0.75
    rivals = [pair for pair in pairs if pair[0] is not item and not (pair[0].implied and not item.implied)]
    alike = [other for other in given if not other.implied and other.parts[0][1].dimension == item.parts[0][1].dimension]
    if rivals or sum(len(other.parts) for other in alike) > len(item.parts):
        fit -= 0.4
    if any(other is not target and other.asked for _, other in pairs):
        fit -= 0.3 if target.asked else 0.5
    if item.implied and any(not other.implied for other in given):
        fit -= 0.4
    if loose > 0:
        fit -= 0.45
    elif len({other.parts[0][1].dimension for other in given if not other.implied}) > 1:
        fit -= 0.2
    return max(fit, 0.05)


def measurements(query: str, read: Sequence[Token]) -> list[Measurement]:
    """Numbers with the units that follow them, neighbours of one dimension joined; and the one of `a mile`."""
    found: list[Measurement] = []
    for token in read:
        if token.kind != "number" or token.value is None or token.percent or token.ordinal or token.money:
            continue
        part, end = measured(query, read, token)
        if part is None:
            smaller = remainder(query, token, found[-1]) if found else None
            if smaller is not None:
                found[-1] = Measurement(parts=(*found[-1].parts, smaller), start=found[-1].start, end=token.end)
            continue
        last = found[-1] if found else None
        joint = JOINT.fullmatch(query, last.end, token.start) if last else None
        if (
            last
            and joint is not None
            and token.start >= last.end
            and last.parts[0][1].dimension == part[1].dimension
            and last.parts[-1][1].factors != part[1].factors
            and "K" not in str(part[1].dimension)
        ):
            found[-1] = Measurement(parts=(*last.parts, part), start=last.start, end=end)
        else:
            found.append(Measurement(parts=(part,), start=token.start, end=end))
    for token in read:
        if token.kind == "word" and ONE.search(query[: token.start]) and not inside(token.start, found):
            unit = read_unit(query, token.start)
            if unit is not None and unit[0].text.lower() not in WORDLIKE - {
                "second",
                "foot",
                "minute",
                "stone",
                "rod",
                "chain",
                "league",
                "bar",
                "degree",
                "hand",
            }:
                found.append(Measurement(parts=((Fraction(1), unit[0]),), start=token.start, end=unit[1], implied=True))
    return found


def measured(query: str, read: Sequence[Token], token: Token) -> tuple[tuple[Fraction, UnitPhrase] | None, int]:
    """The number with the unit that follows it, and where that ends; None where it has no unit."""
    value = token.value or Fraction(0)
    warm = any(other.lower.startswith(SCALES_OF_WARMTH) for other in read)
    if warm and token.text[-1] in "kK" and (kelvin := read_unit("kelvin")) is not None:
        return (value / 1000, kelvin[0]), token.end
    gap = GAP.match(query, token.end)
    place = gap.end() if gap else token.end
    unit = read_unit(query, place)
    decade = unit is not None and unit[0].text == "s" and value >= 1000
    if unit is None or decade or (unit[0].text.lower() in PREPOSITIONS and not inches(query, unit[0].text, unit[1])):
        return None, token.end
    phrase, end = unit
    if phrase.reading and BRITISH & {other.lower for other in read} and (imperial := read_unit(f"imperial {phrase.text}")) is not None:
        phrase = imperial[0]
    if phrase.factors == (("degree", 1),) and warm:
        # Bare degrees of a temperature: the scale is the one that is not asked for.
        scales = {name for name in ("celsius", "fahrenheit", "kelvin") if any(other.lower == name for other in read)}
        other = {"fahrenheit": "celsius", "celsius": "fahrenheit"}.get(next(iter(scales))) if len(scales) == 1 else None
        scale = read_unit(other) if other is not None and LEADING.search(query[: query.lower().find(next(iter(scales)))]) else None
        phrase = scale[0] if scale is not None else phrase
    if dict(phrase.dimension).get("K") and len(phrase.factors) == 1 and MINUS.search(query[: token.start]):
        value = -value
    return (value, phrase), end


BRITISH = frozenset({"uk", "imperial", "british"})
SCALES_OF_WARMTH = ("celsius", "fahrenheit", "centigrade", "kelvin")
MINUS = re.compile(r"(?:\bminus|\bnegative|−)\s*$", re.IGNORECASE)
BELOW_ZERO = re.compile(r"(\b[\w.]+\s*(?:°|degrees?)?\s*(?:celsius|fahrenheit|centigrade|[CF]\b)?)\s+below\s+(?:zero|0)\b", re.IGNORECASE)
SMALLER = {"foot": ("inches", 12), "stone": ("pounds", 14), "hour": ("minutes", 60)}


def remainder(query: str, token: Token, last: Measurement) -> tuple[Fraction, UnitPhrase] | None:
    """The `two` of `six foot two`: a bare number right after a unit that people divide further."""
    smaller = SMALLER.get(last.parts[-1][1].factors[0][0]) if len(last.parts) == 1 and not last.implied else None
    if smaller is None or token.value is None or token.value >= smaller[1] or query[last.end : token.start].strip() or "." in token.text:
        return None
    unit = read_unit(smaller[0])
    return None if unit is None else (token.value, unit[0])


def inches(query: str, text: str, end: int) -> bool:
    """Whether `in` after a number is the inch: what follows is no noun but the end, a preposition or another sign."""
    if text.lower() != "in":
        return False
    rest = query[end:].lstrip(" .")
    return (
        not rest
        or not rest[0].isalnum()
        or re.match(r"(?:to|in|into|is|are|as|equal|equals|long|wide|tall|high|deep|by|and|how|what|when|tv|screen)\b", rest) is not None
    )


def inside(position: int, found: Sequence[Measurement]) -> bool:
    return any(item.start <= position < item.end for item in found)


def standing(query: str, read: Sequence[Token], given: Sequence[Measurement]) -> list[Target]:
    """Units that stand without a number; `feet and inches` is one target."""
    found: list[Target] = []
    end = 0
    for token in read:
        if token.start < end or inside(token.start, given) or token.kind == "number":
            continue
        unit = read_unit(query, token.start)
        if unit is None or not any(character.isalpha() or character in "°℃℉" for character in unit[0].text):
            continue
        before = query[: token.start]
        asked = LEADING.search(before) is not None
        if unit[0].dimension == (("T", 1),) and WHICH.search(before):
            continue  # "in what year" asks for a date
        if unit[0].text.lower() in PREPOSITIONS or (unit[0].text.lower() in WORDLIKE and not asked):
            continue
        units, end = [unit[0]], unit[1]
        while (joint := MIXED.match(query, end)) is not None and (more := read_unit(query, joint.end())) is not None:
            if more[0].dimension != unit[0].dimension or more[0].text.lower() in PREPOSITIONS or len(units) > 2:
                break
            units.append(more[0])
            end = more[1]
        found.append(Target(units=tuple(units), start=token.start, asked=asked))
    for match in THERMOMETER.finditer(query):
        scale = read_unit("fahrenheit" if match.group(1).lower() in ("american", "us", "u.s.") else "celsius")
        if scale is not None and not any(item.parts[0][1].factors == scale[0].factors for item in given):
            found.append(Target(units=(scale[0],), start=match.start(), asked=True))
    unique = {tuple(unit.factors for unit in target.units): target for target in sorted(found, key=lambda item: item.asked)}
    return list(unique.values())


THERMOMETER = re.compile(r"\b(american|us|u\.s\.|european|british|french|german)\s+(?:\w+\s+)?thermometer", re.IGNORECASE)


def answered(value: str, text: str, target: Target, rounding: Rounding) -> str:
    """The figure in the unit asked for; figures with their units where several are asked for."""
    if len(target.units) == 1:
        return rounding.shown(Fraction(value))
    said = re.split(r" [=≈] ", text, maxsplit=1)[-1].split(" (")[0]
    return re.sub(r"\d+\.\d+", lambda match: shown(Rounding.rounded(Fraction(match.group()), 2 if rounding.places is None else rounding.places)), said)
