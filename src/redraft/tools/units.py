"""Conversion of measurements with pint, exactly: `100 km to mi`, `5 ft 11 in to cm`, `98.6 °F in celsius`, `90 km/h to m/s`, `100 km / 2 h to km/h`.

Numbers are evaluated first and units are read with the vocabulary of `unit_names`; pint never sees the raw text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, cast

from redraft.claims.decimals import shown
from redraft.claims.unit_names import UnitPhrase, read_unit
from redraft.tools.calculator import exact_text
from redraft.tools.notation import ExpressionError
from redraft.types import Evidence, Failure, FailureKind, ToolCall, ToolResult

__all__ = ["Conversion", "UnitError", "UnitsTool", "convert"]

MAX_CHARACTERS = 300
NUMBER = re.compile(r"[+\-−]?\s*(?:\d+\s+\d+\s*/\s*\d+|\d[\d,]*(?:\.\d+)?(?:\s*[/⁄]\s*\d+(?:\.\d+)?)?(?:[eE][+-]?\d+)?|\.\d+|\d*[½⅓⅔¼¾⅛])")
SEPARATOR = re.compile(r"(?<=\s)(?:to|in|into|as|=)(?=\s)|->|→|=", re.IGNORECASE)
BETWEEN = re.compile(r"\s*(?:,|and|&)?\s*", re.IGNORECASE)
MIXED = re.compile(r"\s*(?:,|and|&|\+)\s*", re.IGNORECASE)
OPERATOR = re.compile(r"(?<=[\w)²³'\"°])\s+([*/×÷·⋅])\s+(?=[(\d.½⅓⅔¼¾⅛])")
"""What multiplies or divides measurements: a sign with space on both sides, unlike that of a unit such as km/h."""
VULGAR = {"½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅛": Fraction(1, 8)}
TEMPERATURE = (("K", 1),)
VOLUME = (("L", 3),)
CALENDAR = ("common_month", "common_year", "common_decade", "common_century", "common_millennium")


class UnitError(ValueError):
    """The text is no conversion that can be made; `kind` says which failure it is."""

    def __init__(self, message: str, kind: FailureKind = "bad_input") -> None:
        self.kind: FailureKind = kind
        super().__init__(message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversion:
    """A measurement in another unit: `value` is exact, `parts` has one value for each unit asked for (`feet and inches`)."""

    value: Fraction
    parts: tuple[Fraction, ...]
    units: tuple[UnitPhrase, ...]
    given: str
    reading: str = ""

    @property
    def text(self) -> str:
        """The result as people write it: `62.1371 mi`, `5 feet 11 inches`."""
        return " ".join(f"{shown(part)} {unit.text}" for part, unit in zip(self.parts, self.units, strict=True))


@cache
def registry() -> Any:
    """Pint's registry over exact fractions, built once when first needed."""
    import pint

    made = cast("Any", pint).UnitRegistry(non_int_type=Fraction, cache_folder=None)
    made.define("common_year = 365 * day")
    made.define("common_month = 365 / 12 * day")
    made.define("common_decade = 3650 * day")
    made.define("common_century = 36500 * day")
    made.define("metric_cup = 250 * milliliter")
    made.define("statute_acre = 43560 * foot ** 2")
    made.define("common_millennium = 365000 * day")
    return made


def read_number(text: str) -> Fraction:
    """A plain number, a fraction or a mixed number: `1,200.5`, `3/4`, `2 1/2`, `2½`."""
    spelled = text.replace(",", "").replace("−", "-").replace("⁄", "/").strip()
    sign = -1 if spelled.startswith("-") else 1
    spelled = spelled.lstrip("+- ")
    if spelled[-1] in VULGAR:
        return sign * (Fraction(spelled[:-1] or 0) + VULGAR[spelled[-1]])
    whole, _, rest = spelled.partition(" ") if re.match(r"\d+\s+\d+\s*/", spelled) else ("0", "", spelled)
    above, _, below = rest.replace(" ", "").partition("/")
    exponent = re.search(r"[eE]([+-]?\d+)", rest)
    if len(spelled) > 60 or (exponent and abs(int(exponent.group(1))) > 300):
        raise UnitError("the number is too large", "too_large")
    if below and not Fraction(below):
        raise UnitError("a fraction of nothing has no value")
    return sign * (Fraction(whole) + Fraction(above) / Fraction(below or 1))


def read_quantity(text: str) -> list[tuple[Fraction, UnitPhrase]] | None:
    """All of the text as one measurement of one or more parts (`5 ft 11 in`), or None."""
    parts: list[tuple[Fraction, UnitPhrase]] = []
    position = 0
    while position < len(text):
        number = NUMBER.match(text, position)
        if number is None:
            return None
        gap = re.compile(r"[\s-]*").match(text, number.end())
        found = read_unit(text, gap.end() if gap else number.end())
        if found is None:
            return None
        unit, end = found
        parts.append((read_number(number.group()), unit))
        rest = BETWEEN.match(text, end)
        position = rest.end() if rest and rest.end() < len(text) else len(text) if not text[end:].strip() else -1
        if position < 0:
            return None
    return parts or None


def read_targets(text: str) -> tuple[UnitPhrase, ...] | None:
    """All of the text as the unit asked for, or as units of one dimension, greater first (`feet and inches`), or None."""
    units: list[UnitPhrase] = []
    position = 0
    while position < len(text):
        found = read_unit(text, position)
        if found is None:
            return None
        unit, position = found
        units.append(unit)
        if not text[position:].strip():
            break
        joint = MIXED.match(text, position)
        if joint is None or not joint.group().strip() or len(units) > 2:
            return None
        position = joint.end()
    return tuple(units) or None


def split(text: str) -> tuple[list[tuple[Fraction, UnitPhrase]], tuple[UnitPhrase, ...]]:
    """The measurement and the unit asked for: the last separator on both of whose sides everything is read."""
    for separator in reversed(list(SEPARATOR.finditer(text))):
        targets = read_targets(text[separator.end() :].strip())
        quantity = read_quantity(text[: separator.start()].strip()) if targets else None
        if quantity and targets:
            return quantity, targets
    raise UnitError("not read as a measurement, `to`, and a unit; write it like `100 km to mi`")


def calculated(text: str) -> Conversion | None:
    """A product or quotient of measurements in the unit asked for (`(100 km) / (2 h) to km/h`), or None where the text is none.

    Raises:
        UnitError: the result does not measure what the unit asked for does.
    """
    for separator in reversed(list(SEPARATOR.finditer(text))):
        targets = read_targets(text[separator.end() :].strip())
        factors = read_factors(text[: separator.start()].strip()) if targets else None
        if factors and targets and len(targets) == 1:
            break
    else:
        return None
    made = registry()
    result, given, readings = made.Quantity(Fraction(1)), "", list[str]()
    for sign, value, unit in factors:
        if unit is not None and unit.dimension == TEMPERATURE and unit.factors[0][0] != "kelvin":
            raise UnitError("temperatures on a scale with a zero of its own do not multiply")
        part = made.Quantity(value, product(unit) if unit else made.Unit("dimensionless"))
        result = result / part if sign == "/" else result * part
        given += f" {sign} {shown(value)}" + (f" {unit.text}" if unit else "")
        readings += [unit.reading] if unit and unit.reading else []
    target = targets[0]
    if not result.is_compatible_with(product(target)):
        raise UnitError(f"{given[3:]} does not measure what {target.text} does")
    value = in_unit(result, target)
    readings += [target.reading] if target.reading else []
    return Conversion(value=value, parts=(value,), units=targets, given=given[3:], reading="; ".join(dict.fromkeys(readings)))


def read_factors(text: str) -> list[tuple[str, Fraction, UnitPhrase | None]] | None:
    """All of the text as two factors or more, each a plain number or a measurement, perhaps in brackets, with the sign before it; or None."""
    pieces = ["*", *OPERATOR.split(text)]
    factors: list[tuple[str, Fraction, UnitPhrase | None]] = []
    for sign, piece in zip(pieces[::2], pieces[1::2], strict=True):
        bare = piece[1:-1].strip() if piece.startswith("(") and piece.endswith(")") else piece
        quantity = read_quantity(bare)
        if quantity is not None and len(quantity) == 1:
            value, unit = quantity[0]
        elif (number := NUMBER.fullmatch(bare)) is not None:
            value, unit = read_number(number.group()), None
        else:
            return None
        factors.append(("/" if sign in "/÷" else "*", value, unit))
    return factors if len(factors) > 1 else None


def fluid(unit: UnitPhrase, dimensions: set[tuple[tuple[str, int], ...]]) -> UnitPhrase:
    """An ounce beside a volume is a fluid ounce."""
    if unit.factors == (("ounce", 1),) and VOLUME in dimensions:
        return UnitPhrase(text=unit.text, factors=(("fluid_ounce", 1),), dimension=VOLUME, reading="ounce read as the US fluid ounce")
    return unit


def in_unit(quantity: Any, unit: UnitPhrase) -> Fraction:
    made = registry()
    return Fraction(quantity.to(made.Unit(unit.factors[0][0]) if unit.dimension == TEMPERATURE else product(unit)).magnitude)


def product(unit: UnitPhrase) -> Any:
    made = registry()
    result = made.Unit("dimensionless")
    for name, power in unit.factors:
        for part, sign in zip(name.split(" / "), (1, -1), strict=False):
            result = result * made.Unit(part) ** (power * sign)
    return result


def measure(parts: list[tuple[Fraction, UnitPhrase]]) -> Any:
    made = registry()
    if parts[0][1].dimension == TEMPERATURE:
        if len(parts) > 1:
            raise UnitError("temperatures do not add up")
        return made.Quantity(parts[0][0], made.Unit(parts[0][1].factors[0][0]))
    sign = -1 if parts[0][0] < 0 else 1
    total = made.Quantity(parts[0][0], product(parts[0][1]))
    for value, unit in parts[1:]:
        total = total + made.Quantity(sign * value, product(unit))
    return total


def convert(text: str) -> Conversion:
    """The measurement in the unit asked for, exactly.

    Raises:
        UnitError: it is not read as a conversion, or the units do not measure the same thing.
    """
    if len(text) > MAX_CHARACTERS:
        raise UnitError(f"a conversion has at most {MAX_CHARACTERS} characters", "too_large")
    asked = text.strip().rstrip("?. ")
    try:
        return converted(*split(asked))
    except UnitError:
        result = calculated(asked) if OPERATOR.search(asked) else None
        if result is None:
            raise
        return result


def converted(parts: list[tuple[Fraction, UnitPhrase]], targets: tuple[UnitPhrase, ...]) -> Conversion:
    dimensions = {unit.dimension for _, unit in parts} | {unit.dimension for unit in targets}
    parts = [(value, fluid(unit, dimensions)) for value, unit in parts]
    targets = tuple(fluid(unit, dimensions) for unit in targets)
    dimensions = {unit.dimension for _, unit in parts} | {unit.dimension for unit in targets}
    if len(dimensions) > 1:
        raise UnitError(f"{parts[0][1].text} and {targets[0].text} do not measure the same thing")
    quantity = measure(parts)
    values = [in_unit(quantity, targets[-1])] if len(targets) == 1 else mixed(quantity, targets)
    if targets[0].dimension == TEMPERATURE and in_unit(quantity, UnitPhrase(text="K", factors=(("kelvin", 1),), dimension=TEMPERATURE)) < 0:
        raise UnitError("the temperature is below absolute zero")
    units = (*(unit for _, unit in parts), *targets)
    readings = [unit.reading for unit in units if unit.reading and needed(unit, units)]
    given = " ".join(f"{shown(value)} {unit.text}" for value, unit in parts)
    return Conversion(value=in_unit(quantity, targets[0]), parts=tuple(values), units=targets, given=given, reading="; ".join(dict.fromkeys(readings)))


def needed(unit: UnitPhrase, units: tuple[UnitPhrase, ...]) -> bool:
    """Whether the reading matters: years into months do not depend on the length of the year."""
    calendar = all(other.factors[0][0] in CALENDAR for other in units)
    return not calendar or unit.factors[0][0] not in CALENDAR


def mixed(quantity: Any, targets: tuple[UnitPhrase, ...]) -> list[Fraction]:
    """Whole numbers of the greater units, the remainder in the last."""
    rest, values = quantity, list[Fraction]()
    for unit in targets[:-1]:
        value = Fraction(int(in_unit(rest, unit)))
        values.append(value)
        rest = rest - registry().Quantity(value, product(unit))
    return [*values, in_unit(rest, targets[-1])]


class UnitsTool:
    """Conversions between units of measurement."""

    name = "units"
    summary = "Converts a measurement: `100 km to mi`, `5 ft 11 in to cm`, `98.6 °F to °C`, `90 km/h to m/s`; states how an ambiguous unit was read."
    timeout_seconds = 5.0

    async def run(self, call: ToolCall) -> ToolResult:
        """Evidence whose value is the exact number in the (first) unit asked for, or a Failure."""
        try:
            result = convert(call.input)
            value = exact_text(result.value)
        except (UnitError, ExpressionError) as error:
            return Failure(tool=self.name, input=call.input[:500], kind=error.kind, message=str(error))
        except (ArithmeticError, ValueError, OverflowError, TypeError) as error:
            return Failure(tool=self.name, input=call.input[:500], kind="bad_input", message=f"this conversion cannot be made ({type(error).__name__})")
        sign = "=" if all(Fraction(shown(part)) == part for part in result.parts) else "≈"
        note = f" ({result.reading})" if result.reading else ""
        return (Evidence(tool=self.name, input=call.input, text=f"{result.given} {sign} {result.text}{note}", value=value),)

    async def close(self) -> None:
        """Nothing is held."""
