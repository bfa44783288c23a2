"""Identities with one variable (3(x + 2) = 3x + 6): equal at more points than their degree allows, two polynomials are equal everywhere.

An equation to be solved (2x + 3 = 7) is no such identity; it is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.claims.expression import tokens
from redraft.claims.runs import runs
from redraft.claims.statement import Statement, exact

__all__ = ["identities"]

_IDENTITY = re.compile(r"(?<![\w.])(?P<left>[-+*/^()., \da-z]{1,200}?)\s*=\s*(?P<right>[-+*/^()., \da-z]{1,200})", re.IGNORECASE)
_VARIABLE = re.compile(r"(?<![A-Za-z])[a-zA-Z](?![A-Za-z])")
_POINTS = (7, 11, 13, 17, 19, 23)
_MAX_DEGREE = 4


def identities(text: str) -> Iterator[Statement]:
    """Statements that two polynomials in one variable are equal, as far as they hold."""
    for match in _IDENTITY.finditer(text):
        left, right = _tail(match["left"]), _head(match["right"])
        names = set(_VARIABLE.findall(left)) & set(_VARIABLE.findall(right))
        if len(names) != 1 or set(_VARIABLE.findall(left + right)) != names:
            continue
        name = names.pop()
        degree = _degree(left, name), _degree(right, name)
        if None in degree:
            continue
        points = _POINTS[: max(d or 0 for d in degree) + 2]
        pairs = tuple((_at(left, name, value), _at(right, name, value)) for value in points)
        if not all(a and b for a, b in pairs) or any(exact(a) != exact(b) or exact(a) is None for a, b in pairs):
            continue
        start = match.end("left") - len(left)
        end = match.start("right") + len(match["right"]) - len(match["right"].lstrip()) + len(right)
        yield Statement(
            span=(start, end),
            kind="identity",
            left=left,
            expression=pairs[0][0],
            other=pairs[0][1],
            points=pairs[1:],
            focus=(end - len(right), end),
            certain=False,
            holds=True,
        )


def _tail(side: str) -> str:
    """The end of the words in front of the sign that is an expression."""
    words = list(re.finditer(r"[A-Za-z]{2,}[,.]?", side))
    return (side[words[-1].end() :] if words else side).strip(" ,.")


def _head(side: str) -> str:
    word = re.search(r"[A-Za-z]{2,}|,|\.(?!\d)", side)
    return (side[: word.start()] if word else side).strip(" ,.")


def _degree(side: str, name: str) -> int | None:
    """An upper bound of the degree; None where the variable is divided by, or the bound is too high."""
    if re.search(rf"/\s*(?:\d*\s*{name}|\([^()]*{name})|\^\s*(?:{name}|\()|\*\*\s*(?:{name}|\()", side):
        return None
    powers = [int(p) for p in re.findall(r"(?:\^|\*\*)\s*(\d{1,3})", side)]
    terms = max((len(re.findall(name, term)) for term in re.split(r"(?<=[\w)\s])[-+]", side)), default=0) if "(" not in side else len(re.findall(name, side))
    degree = max(terms, 1) * max((*powers, 1))
    return degree if degree <= _MAX_DEGREE else None


def _at(side: str, name: str, value: int) -> str:
    """The side with the variable at a value, multiplication signs written out; "" where it is no whole expression."""
    spread = re.sub(rf"(?<=[\d)])\s*(?={name})", "*", side)
    spread = re.sub(rf"(?<={name})\s*(?=\()", "*", spread)
    spread = re.sub(rf"(?<={name})\s*(?={name})", "*", spread)
    written = spread.replace(name, f"({value})").replace("^", "**")
    line = tokens(written)
    found = next(iter(runs(line, ".")), None)
    return found.expression if found is not None and found.first == 0 and found.last == len(line) else ""
