"""Products and quotients of measurements whose unit changes with them: 100 km / 2 h = 50 km/h, 60 W × 10 h = 0.6 kWh, 180 km in 2 hours.

The figures alone do not decide these: the units tool does. What names a unit that is not understood, or measures something else than its factors do,
is no such statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from redraft.claims.context import doubtful
from redraft.claims.figures import Quantity
from redraft.claims.numbers import agrees
from redraft.claims.statement import Statement
from redraft.claims.unit_names import Dimension, UnitPhrase, read_unit

__all__ = ["products"]

BEFORE = 40
"""Characters in front of a product that tell whether it begins there."""
_GAP = re.compile(r"[ \u202f-]?")
_TIMES = re.compile(r"\s*(?:[*×·⋅∙]|\\times|\bx\b|\btimes\b|\bmultiplied by\b)\s*")
_OVER = re.compile(r"\s*(?:[/÷∕]|\bdivided by\b)\s*")
_COVERED = re.compile(r"\s+(?:in|over)\s+(?:(?:exactly|just)\s+)?")
_EQUALS = re.compile(r"\s*(?:=|≈|\\approx|(?:is|equals|gives|makes|comes to)\b)\s*(?P<hedge>(?:about|approximately|roughly|around|≈|~)\s?)?")
_AT_SPEED = re.compile(r"[^.;:\n]{0,50}?\b(?:average|mean) speed\s+(?:of|is|was|=|:)\s*(?:exactly |about |approximately |roughly |around )?", re.IGNORECASE)
_BEGINS = re.compile(r"(?:^|[(:;.,!?\"“=≈|>])\s*$|^\s*(?:[-*•]|\d+[.)])\s+$|(?<![-+*/×÷·^] )(?<![-+*/×÷·^\d])\b[A-Za-z]{2,}:?,? $|\b[aAI] $")
_OPEN = re.compile(r"\b(?:half|twice|double|triple|thrice|of|times|plus|minus|by|over|per|to|than|divided|multiplied|square|cube|root|and) $", re.IGNORECASE)
_GOES_ON = re.compile(r"\s*(?:[*/×÷·⋅^+]|[-–] ?\d|,? ?(?:and )?\d|(?:times|plus|minus|divided|multiplied|per)\b|or\b|[²³])")
_BYTES = frozenset({"B"})
"""What is counted in thousands by some and in 1024s by others."""
_SCALE_ZERO = frozenset({"degree_Celsius", "degree_Fahrenheit"})


@dataclass(frozen=True, slots=True)
class _Term:
    """A figure with the unit behind it, and where both end."""

    figure: Quantity
    unit: UnitPhrase | None
    end: int


def products(line: str, figures: Sequence[Quantity]) -> Iterator[Statement]:
    """The statements of one line that say what a product or quotient of measurements is, with its unit."""
    terms = [_term(line, figure) for figure in figures]
    first, signs = 0, list[str]()
    said_of: tuple[Sequence[_Term], Sequence[str], int] = (), (), 0
    for place in range(1, len(terms)):
        before, term = terms[place - 1], terms[place]
        gap = line[before.end : term.figure.span[0]] if term.figure.span[0] >= before.end else "\n"
        sign = "*" if _TIMES.fullmatch(gap) else "/" if _OVER.fullmatch(gap) or (_COVERED.fullmatch(gap) and not signs) else ""
        if sign:
            signs.append(sign)
            continue
        if not signs and said_of[2] == place - 1 and _EQUALS.fullmatch(gap):
            yield from _statement(line, said_of[0], said_of[1], term, loose="≈" in gap)
            said_of = said_of[0], said_of[1], place
        if signs:
            speed = _AT_SPEED.fullmatch(gap)
            said = _EQUALS.fullmatch(gap)
            covered = _COVERED.fullmatch(line[terms[first].end : terms[first + 1].figure.span[0]]) is not None
            if (said and not covered) or (speed and covered):
                yield from _statement(line, terms[first:place], signs, term, loose=covered or "≈" in gap or bool(said and said["hedge"]))
                said_of = terms[first:place], list(signs), place
        first, signs = place, []


def _term(line: str, figure: Quantity) -> _Term:
    gap = _GAP.match(line, figure.span[1])
    found = read_unit(line, gap.end() if gap else figure.span[1])
    return _Term(figure, found[0], found[1]) if found else _Term(figure, None, figure.span[1])


def _statement(line: str, factors: Sequence[_Term], signs: Sequence[str], result: _Term, *, loose: bool) -> Iterator[Statement]:
    measured = [factor.unit for factor in factors if factor.unit is not None]
    unit = result.unit
    if unit is None or not measured or (len(measured) == 1 and measured[0].factors == unit.factors):
        return
    if not all(_plain(term) for term in (*factors, result)) or _dimension(factors, signs) != unit.dimension:
        return
    start, end = factors[0].figure.span[0], result.end
    before = line[max(0, start - BEFORE) : start]
    if _BEGINS.search(before) is None or _OPEN.search(before) or _GOES_ON.match(line, end):
        return
    shown = result.figure
    figures = _in_figures(factors, signs, shown)
    yield Statement(
        span=(start, end),
        kind="measure",
        left=line[start : factors[-1].end],
        expression=f"{_written(line, factors, signs)} to {unit.text}",
        tool="units",
        shown=replace(shown, approximate=True) if loose else shown,
        focus=shown.span,
        unique=not figures,
        operands=tuple(factor.figure.span for factor in factors),
        certain=not (figures and len(measured) == 1)  # bare figures turn one unit into another: 2 hours * 60 = 120 minutes
        and not any(one.reading or _BYTES & {base for base, _ in one.dimension} for one in (*measured, unit))
        and not shown.bound
        and not doubtful(line, start, end),
    )


def _in_figures(factors: Sequence[_Term], signs: Sequence[str], shown: Quantity) -> bool:
    """Whether the figures give the one shown, whatever their units: then it is the unit that may be wrong."""
    value = Fraction(1)
    for sign, factor in zip(("*", *signs), factors, strict=True):
        if sign == "/" and not factor.figure.value:
            return False
        value = value * factor.figure.value if sign == "*" else value / factor.figure.value
    return agrees(value, shown) is not False


def _plain(term: _Term) -> bool:
    """Whether a term is one exact figure, of a unit that multiplies (temperatures on a scale with a zero of its own do not)."""
    figure = term.figure
    whole = figure.high is None and not figure.percent and not figure.approximate and figure.style != "words"
    return whole and not (term.unit is not None and any(name in _SCALE_ZERO for name, _ in term.unit.factors))


def _dimension(factors: Sequence[_Term], signs: Sequence[str]) -> Dimension:
    powers: dict[str, int] = {}
    for sign, factor in zip(("*", *signs), factors, strict=True):
        for base, power in factor.unit.dimension if factor.unit else ():
            powers[base] = powers.get(base, 0) + (power if sign == "*" else -power)
    return tuple(sorted((base, power) for base, power in powers.items() if power))


def _written(line: str, factors: Sequence[_Term], signs: Sequence[str]) -> str:
    """In the syntax of the units tool, each factor in brackets."""
    parts: list[str] = []
    for sign, factor in zip(("", *signs), factors, strict=True):
        value = factor.figure.value
        number = str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
        parts += [f" {sign} " if sign else "", f"({number} {factor.unit.text})" if factor.unit else f"({number})"]
    return "".join(parts)
