"""The vocabulary of units: how people write them, which unit of pint each spelling means, and its dimension. Pure; pint itself is not needed here.

A unit phrase is factors joined by `per`, `/` or `*`, each factor a name with `square`, `cubic`, `²`, `^3` around it: `kilometres per hour`, `sq ft`, `kg/m³`.
Spellings with several meanings get the common reading, and the reading is stated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

__all__ = ["Dimension", "UnitPhrase", "read_unit", "unit_names", "unit_starts"]

Dimension = tuple[tuple[str, int], ...]

# dimension | name in pint | symbols | names (singular; plurals are formed, irregular ones given) | reading, where the spelling is ambiguous
TABLE = """
L1|meter|m|metre,meter
L1|inch|in,in.,″,"|inch,inches
L1|foot|ft,ft.,′,'|foot,feet
L1|yard|yd,yds,yd.|yard
L1|mile|mi,mi.|mile,statute mile
L1|nautical_mile|nmi,NM|nautical mile
L1|light_year|ly|light year,light-year,lightyear
L1|astronomical_unit|au,AU|astronomical unit
L1|parsec|pc|parsec
L1|angstrom|Å|angstrom,ångström
L1|micrometer|μm,µm,um|micron,micrometre,micrometer
L1|furlong||furlong
L1|fathom||fathom
L1|league||league
L1|hand||hand
L1|chain||chain
L1|rod||rod
M1|gram|g,gr.,gm|gram,gramme
M1|kilogram|kg,kgs|kilo,kilogram,kilogramme
M1|metric_ton|t|tonne,metric ton,metric tonne
M1|ton||ton,short ton,us ton|ton read as the US short ton of 2000 pounds
M1|long_ton||long ton,imperial ton,uk ton,british ton
M1|pound|lb,lbs,lb.,lbs.,#|pound
M1|ounce|oz,oz.|ounce
M1|stone|st|stone,stones,stone
M1|grain||grain
M1|carat|ct|carat
M1|troy_ounce|ozt|troy ounce
M1|slug||slug
T1|second|s,sec,secs,sec.|second
T1|minute|min,mins,min.|minute
T1|hour|h,hr,hrs,hr.|hour
T1|day|d|day
T1|week|wk,wks|week
T1|fortnight||fortnight
T1|common_month||month|month read as a twelfth of a year of 365 days
T1|common_year|yr,yrs|year|year read as 365 days
T1|common_decade||decade|year read as 365 days
T1|common_century||century,centuries|year read as 365 days
T1|common_millennium||millennium,millennia,millenniums|year read as 365 days
L3|liter|l,L,ℓ|litre,liter
L3|gallon|gal,gal.|gallon,us gallon,u.s. gallon,american gallon|gallon read as the US liquid gallon
L3|imperial_gallon||imperial gallon,uk gallon,british gallon
L3|quart|qt,qts|quart,us quart|quart read as the US liquid quart
L3|imperial_quart||imperial quart,uk quart
L3|pint|pt,pts|pint,us pint|pint read as the US liquid pint
L3|imperial_pint||imperial pint,uk pint,british pint
L3|cup|c.|cup,us cup|cup read as the US cup
L3|metric_cup||metric cup
L3|fluid_ounce|fl oz,fl. oz.,floz,fl.oz.|fluid ounce,us fluid ounce|fluid ounce read as the US one
L3|imperial_fluid_ounce||imperial fluid ounce,uk fluid ounce
L3|tablespoon|tbsp,tbs,Tbsp|tablespoon|tablespoon read as the US one
L3|teaspoon|tsp|teaspoon|teaspoon read as the US one
L3|cubic_centimeter|cc,ccm|cc
L3|oil_barrel|bbl|barrel,oil barrel|barrel read as the oil barrel of 42 US gallons
L3|gill||gill
L3|bushel||bushel
L3|peck||peck
L2|hectare|ha|hectare
L2|statute_acre|ac|acre
L2|are||are unit
K1|degree_Celsius|°C,C,℃,ºC,degC,deg C|celsius,degree celsius,degrees celsius,centigrade,degrees centigrade,degree centigrade,degrees c,degree c
K1|degree_Fahrenheit|°F,F,℉,ºF,degF,deg F|fahrenheit,degree fahrenheit,degrees fahrenheit,degrees f,degree f
K1|kelvin|K,°K|kelvin,kelvins,degrees kelvin
K1|degree_Rankine|°R|rankine,degrees rankine
L1 T-1|mile / hour|mph,MPH|
L1 T-1|kilometer / hour|kph,kmph,kmh,KPH|
L1 T-1|meter / second|mps|
L1 T-1|foot / second|fps|
L1 T-1|knot|kn,kt,kts|knot
L-2|mile / gallon|mpg,MPG||gallon read as the US liquid gallon
B1|bit|bit|bit
B1|byte|B|byte
B1 T-1|kilobit / second|kbps,Kbps|
B1 T-1|megabit / second|Mbps,mbps|
B1 T-1|gigabit / second|Gbps,gbps|
B1|kibibyte|KiB|kibibyte
B1|mebibyte|MiB|mebibyte
B1|gibibyte|GiB|gibibyte
B1|tebibyte|TiB|tebibyte
M1 L2 T-2|joule|J|joule
M1 L2 T-2|calorie|cal|calorie,small calorie
M1 L2 T-2|kilocalorie|kcal,Cal|kilocalorie,food calorie,large calorie
M1 L2 T-2|watt_hour|Wh|watt hour,watt-hour
M1 L2 T-2|kilowatt_hour|kWh,kwh,KWh|kilowatt hour,kilowatt-hour
M1 L2 T-2|megawatt_hour|MWh|megawatt hour,megawatt-hour
M1 L2 T-2|british_thermal_unit|BTU,Btu,btu|british thermal unit
M1 L2 T-2|electron_volt|eV|electron volt,electronvolt
M1 L2 T-2|erg||erg
M1 L2 T-2|foot_pound|ft-lb|foot pound,foot-pound
M1 L2 T-3|watt|W|watt
M1 L2 T-3|horsepower|hp,HP,bhp|horsepower,horsepower
M1 L1 T-2|newton|N|newton
M1 L1 T-2|force_pound|lbf|pound force,pound-force
M1 L1 T-2|kilogram_force|kgf|kilogram force,kilogram-force
M1 L1 T-2|dyne|dyn|dyne
M1 L-1 T-2|pascal|Pa|pascal
M1 L-1 T-2|bar|bar|bar
M1 L-1 T-2|millibar|mbar|millibar
M1 L-1 T-2|atmosphere|atm|atmosphere,atm
M1 L-1 T-2|pound_force_per_square_inch|psi,PSI|pound per square inch,pounds per square inch
M1 L-1 T-2|millimeter_Hg|mmHg|millimetre of mercury,millimeter of mercury,millimetres of mercury,millimeters of mercury
M1 L-1 T-2|torr|Torr|torr
T-1|hertz|Hz|hertz,hertz
A1|degree|°,deg|degree,angular degree
A1|radian|rad,rads|radian
A1|gradian|gon|gradian
A1|turn|rev|turn,revolution,full turn
A1|arcminute|arcmin|arcminute,arc minute,minute of arc,minutes of arc
A1|arcsecond|arcsec|arcsecond,arc second,second of arc,seconds of arc
M1 L2 T-3 I-1|volt|V|volt
I1|ampere|A|ampere,amp
M1 L2 T-3 I-2|ohm|Ω|ohm
"""
PREFIXED = {
    "meter": "milli centi deci deca hecto kilo nano pico", "gram": "milli centi deci deca hecto kilo micro nano",
    "liter": "milli centi deci deca hecto kilo micro", "second": "milli micro nano pico", "byte": "kilo mega giga tera peta", "bit": "kilo mega giga tera",
    "watt": "milli kilo mega giga", "joule": "milli kilo mega giga", "pascal": "hecto kilo mega giga", "hertz": "kilo mega giga tera",
    "newton": "milli kilo mega", "volt": "milli kilo mega", "ampere": "milli micro kilo", "ohm": "milli kilo mega", "electron_volt": "kilo mega giga",
    "calorie": "kilo",
}  # fmt: skip
PREFIX_SYMBOLS = {
    "pico": "p", "nano": "n", "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "deca": "da", "hecto": "h", "kilo": "k", "mega": "M", "giga": "G",
    "tera": "T", "peta": "P",
}  # fmt: skip
CASELESS_READINGS = {"kb": "kilobyte", "mb": "megabyte", "gb": "gigabyte", "tb": "terabyte", "pb": "petabyte"}
POWERS_BEFORE = {"square": 2, "sq": 2, "sq.": 2, "cubic": 3, "cu": 3, "cu.": 3}
POWERS_AFTER = {"squared": 2, "cubed": 3, "²": 2, "³": 3, "^2": 2, "^3": 3, "**2": 2, "**3": 3, "2": 2, "3": 3}
POWER_AFTER = re.compile(r"\s+(squared|cubed)\b|(²|³|\^2|\^3|\*\*2|\*\*3|(?<=[^\W\d_])[23](?![\w.,]\d|\w))")
POWER_BEFORE = re.compile(r"(square|sq\.?|cubic|cu\.?)[\s-]+", re.IGNORECASE)
JOINED_BY = re.compile(r"\s*(?:/|\bper\b|\b(?:an|a)\b(?=\s+(?:hour|second|minute)\b)|\bevery\b(?=\s+(?:hour|second|minute)\b))\s*|\s*([*·⋅])\s*", re.IGNORECASE)
WORDS = re.compile(r"[^\W\d_²³]+\.?(?:[ \t\u00a0-]+(?:of\s+)?[^\W\d_²³]+\.?){0,4}|[\"'″′#°º]\s?[CFKR]?(?![^\W\d_])|[°º]\s?[CFKR]\b|℃|℉|°")


WORD_ENDS = re.compile(r"[\s.\u00a0-]|(?<=[\"'°])")


@dataclass(frozen=True, kw_only=True, slots=True)
class UnitPhrase:
    """A unit as it was written: `factors` are pint's names with their powers, `dimension` its base dimensions, `reading` what was assumed."""

    text: str
    factors: tuple[tuple[str, int], ...]
    dimension: Dimension
    reading: str = ""

    @property
    def expression(self) -> str:
        """The unit in pint's spelling, made of known names only."""
        return " * ".join(f"({name}) ** {power}" for name, power in self.factors)


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    pint: str
    dimension: Dimension
    reading: str = ""


def read_dimension(text: str) -> Dimension:
    return tuple(sorted((part[0], int(part[1:])) for part in text.split()))


@cache
def exact_names() -> dict[str, Named]:
    """Symbols as written (case matters) and names in lower case, with plurals and SI prefixes."""
    names: dict[str, Named] = {}
    for line in TABLE.strip().splitlines():
        dimension, pint_name, symbols, words, *reading = line.split("|")
        unit = Named(pint=pint_name, dimension=read_dimension(dimension), reading=reading[0] if reading else "")
        for word in filter(None, words.split(",")):
            qualified = word.startswith(("us ", "u.s. ", "short ", "american ", "oil "))
            spelled = unit if not qualified else Named(pint=unit.pint, dimension=unit.dimension)
            names.setdefault(word, spelled)
            names.setdefault(plural(word), spelled)
        for symbol in filter(None, symbols.split(",")):
            names.setdefault(symbol, unit)
        for prefix in PREFIXED.get(pint_name, "").split():
            made = Named(pint=prefix + pint_name, dimension=unit.dimension)
            for word in filter(None, words.split(",")):
                names.setdefault(prefix + word, made)
                names.setdefault(plural(prefix + word), made)
            for symbol in (part for part in symbols.split(",") if part in SI_SYMBOLS):
                names.setdefault(PREFIX_SYMBOLS[prefix] + symbol, made)
    names["mcg"] = names["microgram"]
    names["KB"] = names["kilobyte"]
    return names


SI_SYMBOLS = frozenset({"m", "g", "l", "L", "s", "B", "bit", "W", "J", "Pa", "Hz", "N", "V", "A", "Ω", "eV", "cal"})


@cache
def caseless_names() -> dict[str, Named]:
    names: dict[str, Named] = {}
    for name, unit in exact_names().items():
        names.setdefault(name.lower(), unit)
    for symbol, name in CASELESS_READINGS.items():
        names[symbol] = exact_names()[name]
    return names


def unit_names() -> frozenset[str]:
    """All spellings, in lower case where case does not matter."""
    return frozenset(exact_names()) | frozenset(caseless_names())


def plural(word: str) -> str:
    if word.endswith(("s", "feet", "centigrade", "fahrenheit", "hertz", "ia", "power")):
        return word
    return word + ("es" if word.endswith(("ch", "x")) else "s")


def lookup(words: str) -> Named | None:
    spelled = re.sub(r"[\s\u00a0]+", " ", words.strip())
    plain = spelled.replace("-", " ")
    return exact_names().get(spelled) or exact_names().get(spelled.lower()) or exact_names().get(plain.lower()) or caseless_names().get(plain.lower())


def read_name(text: str, start: int) -> tuple[Named, int] | None:
    """The longest unit name that begins exactly here, and where it ends."""
    match = WORDS.match(text, start)
    if match is None:
        return None
    piece = match.group()
    places = {len(piece), *(found.start() for found in WORD_ENDS.finditer(piece)), *(found.end() for found in re.finditer(r"\.", piece))}
    for end in sorted(places, reverse=True):
        unit = lookup(piece[:end]) if piece[:end].strip() else None
        if unit is not None and not runs_on(text, start + end):
            return unit, start + end
    return None


def runs_on(text: str, end: int) -> bool:
    """Whether the word goes on here, so that what was read is only a part of it: `m` of `men`, `I` of `I'd`."""
    after = text[end : end + 1]
    return text[end - 1].isalpha() and (after.isalpha() or (after != "" and after in "'’" and text[end + 1 : end + 2].isalpha()))


def read_factor(text: str, start: int) -> tuple[Named, int, int] | None:
    before = POWER_BEFORE.match(text, start)
    power = POWERS_BEFORE[before.group(1).lower()] if before else 1
    found = read_name(text, before.end() if before else start)
    if found is None:
        return None
    unit, end = found
    after = POWER_AFTER.match(text, end)
    if after is not None and power == 1:
        power, end = POWERS_AFTER[(after.group(1) or after.group(2)).lower()], after.end()
    return unit, power, end


def read_unit(text: str, start: int = 0) -> tuple[UnitPhrase, int] | None:
    """The longest unit phrase that begins exactly at `start`, and where it ends; None if none does."""
    found = read_factor(text, start)
    if found is None:
        return None
    unit, power, end = found
    factors, readings, dimensions = [(unit.pint, power)], [unit.reading], dict(times(unit.dimension, power))
    while (joint := JOINED_BY.match(text, end)) is not None and len(factors) < 5:
        following = read_factor(text, joint.end())
        if following is None or unit.dimension == (("K", 1),):
            break
        unit, power, end = following
        power = power if joint.group(1) else -power
        factors.append((unit.pint, power))
        readings.append(unit.reading)
        for base, exponent in times(unit.dimension, power):
            dimensions[base] = dimensions.get(base, 0) + exponent
    dimension = tuple(sorted((base, exponent) for base, exponent in dimensions.items() if exponent))
    reading = "; ".join(dict.fromkeys(reading for reading in readings if reading))
    return UnitPhrase(text=text[start:end].strip(), factors=tuple(factors), dimension=dimension, reading=reading), end


def times(dimension: Dimension, power: int) -> Dimension:
    return tuple((base, exponent * power) for base, exponent in dimension)


def unit_starts(text: str) -> list[int]:
    """Offsets where a unit phrase may begin: at words and at unit signs."""
    return [match.start() for match in re.finditer(r"(?<![^\W_])[^\W\d_]|(?<=\d)[^\W\d_]|[\"'″′°º#℃℉]", text)]
