"""Questions that ask for a measurement in another unit: what is given, what unit is asked for, and every conversion between them that is well typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from redraft.effects import Effects
from redraft.planning.literals import Token, asks_otherwise, number_text, tokens
from redraft.planning.options import Option
from redraft.planning.rounding import Rounding, read_rounding
from redraft.claims.decimals import shown
from redraft.claims.unit_names import UnitPhrase, read_unit
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
    rounding, query = read_rounding(task.query)
    read = tokens(query, quotes=False)
    if any(token.kind == "date" for token in read) or asks_otherwise(read):
        return ()
    given = measurements(query, read)
    targets = standing(query, read, given)
    numbers = sum(token.kind == "number" and not token.ordinal for token in read)
    loose = numbers - sum(len(item.parts) for item in given if not item.implied)
    pairs = [(item, target) for item in given for target in targets if fits(item, target)]
    if TOTAL & {token.lower for token in read}:
        pairs = [(joined(given, item), target) for item, target in pairs[:1]] or pairs
    found: list[Option] = []
    for item, target in pairs:
        call = ToolCall(tool="units", input=f"{item.text} to {target.text}")
        result = await effects.use(call)
        if isinstance(result, Failure):
            continue
        answer = answered(result[0].value, result[0].text, target, rounding)
        fit = sureness(item, target, pairs, loose, given)
        found.append(Option(call=call, label=f"convert({item.text}, {target.text})", result=result, answer=answer, fit=fit))
    return tuple(sorted(found, key=lambda option: -option.fit)[:8])


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
        gap = GAP.match(query, token.end)
        place = gap.end() if gap else token.end
        unit = read_unit(query, place)
        decade = unit is not None and unit[0].text == "s" and token.value >= 1000
        if unit is None or decade or (unit[0].text.lower() in PREPOSITIONS and not inches(query, unit[0].text, unit[1])):
            continue
        part = (token.value, unit[0])
        last = found[-1] if found else None
        joint = JOINT.fullmatch(query, last.end, token.start) if last else None
        if (
            last
            and joint is not None
            and last.parts[0][1].dimension == part[1].dimension
            and last.parts[-1][1].factors != part[1].factors
            and "K" not in str(part[1].dimension)
        ):
            found[-1] = Measurement(parts=(*last.parts, part), start=last.start, end=unit[1])
        else:
            found.append(Measurement(parts=(part,), start=token.start, end=unit[1]))
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
    unique = {tuple(unit.factors for unit in target.units): target for target in sorted(found, key=lambda item: item.asked)}
    return list(unique.values())


def answered(value: str, text: str, target: Target, rounding: Rounding) -> str:
    """The figure in the unit asked for; figures with their units where several are asked for."""
    if len(target.units) == 1:
        return rounding.shown(Fraction(value))
    said = re.split(r" [=≈] ", text, maxsplit=1)[-1].split(" (")[0]
    return re.sub(r"\d+\.\d+", lambda match: shown(Rounding.rounded(Fraction(match.group()), 2 if rounding.places is None else rounding.places)), said)
