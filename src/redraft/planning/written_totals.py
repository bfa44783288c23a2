"""Tables of a text against themselves: a row of totals against its rows, a column of shares, changes, products or sums against the columns it comes from.

A cell is contradicted only where the rest of the table shows by what rule it is made: another column whose total agrees, or all other rows of its column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

from redraft.claims.numbers import Quantity, show
from redraft.claims.segment import claim_id
from redraft.planning.derivations import plain
from redraft.planning.text_tables import Cell, TextTable
from redraft.protocols import Route
from redraft.types import Claim, ToolCall, ToolResult, Verdict

__all__ = ["cell_route", "table_routes"]

MAX_PAIRS = 30
_SUM = re.compile(r"(?:grand )?totals?\b|sum\b|all (?:regions|products|departments)$|gesamt\b|summe\b|insgesamt\b|合计|总计|合計|总额", re.IGNORECASE)
_MEAN = re.compile(r"(?:overall )?(?:average|mean|avg)\b|durchschnitt|mittelwert|平均", re.IGNORECASE)
_RATE = re.compile(
    r"%|\b(?:rate|share|average|avg|mean|median|price|per|ratio|margin|index|age|rank|score|rating|growth|change|year|percent|pct|max|min|cumulative|running"
    r"|temperature|unique|distinct)\b|率|比|均",
    re.IGNORECASE,
)
_CUES = {
    "share": re.compile(r"%|\bshare|percent|proportion|anteil|占比|比重", re.IGNORECASE),
    "change": re.compile(r"%|change|growth|δ|increase|decrease|\bvar\b|variance|yoy|qoq|veränderung|增长|变化", re.IGNORECASE),
    "difference": re.compile(r"change|diff|gap|δ|increase|variance|\bnet\b|margin|profit|balance|surplus|differenz|差", re.IGNORECASE),
    "product": re.compile(r"total|amount|cost|value|revenue|sum|price|betrag|金额", re.IGNORECASE),
    "ratio": re.compile(r"\bper\b|average|avg|ratio|mean|/", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class _Formula:
    """How one cell of a row comes from others: the exact value of what they show, and an expression of it."""

    words: str
    inputs: Callable[[int], tuple[Quantity, ...] | None]
    value: Callable[[Sequence[Fraction]], Fraction | None]
    expression: Callable[[Sequence[str]], str]
    percent: bool = False


def table_routes(text: str, tables: Sequence[TextTable]) -> Iterator[Route]:
    """The routes of all cells that are certainly made from others of their table."""
    for table in tables:
        corrected: dict[tuple[int, int], Fraction] = {}
        yield from _columns(text, table, corrected)
        yield from _totals(text, table, corrected)


def _totals(text: str, table: TextTable, corrected: Mapping[tuple[int, int], Fraction]) -> Iterator[Route]:
    """The row of totals, if there is one of sums and nothing but that (and one of means) is named like one.

    A cell that its own row contradicts counts as what it must be: its total is not wrong for that.
    """
    named = [row for row in range(len(table.rows)) if table.is_total(row)]
    rows = [row for row in range(len(table.rows)) if row not in named]
    sums = [row for row in named if _SUM.match(_label(table, row))]
    means = [row for row in named if _MEAN.match(_label(table, row))]
    if len(rows) < 2 or len(sums) > 1 or len(means) > 1 or len(sums) + len(means) < len(named) or (named and named[0] < rows[-1]):
        return
    for row, mean in [*((row, False) for row in sums), *((row, True) for row in means)]:
        found = [(place, *judged) for place in range(1, len(table.header)) if (judged := _total(table, row, rows, place, mean, corrected)) is not None]
        agreed = sum(right for _, right, _, _ in found)
        for place, right, exact, parts in found:
            cell = table.rows[row][place]
            figure = cell.figure
            assert figure is not None
            additive = not _RATE.search(table.header[place]) and not figure.percent
            near = exact != 0 and (_slip(table, rows, place, figure, exact) if len(rows) == 2 else Fraction(1, 2) <= figure.value / exact <= 2)
            sure = additive and (agreed > 0 or (len(found) == 1 and near)) and (not mean or agreed > 0)
            if right or sure:
                words = "the mean of the rows" if mean else "the sum of the rows"
                listed = " + ".join(parts)
                yield cell_route(text, cell, right, exact, words, _calculation(f"({listed}) / {len(rows)}" if mean else listed))


def _slip(table: TextTable, rows: Sequence[int], place: int, figure: Quantity, exact: Fraction) -> bool:
    """Whether the total of two rows is wrong by little, and is neither their difference nor that of rows which may be counted against each other."""
    parts = [cell.figure.value for cell in table.column(place, rows) if cell.figure is not None]
    other = {abs(parts[0] - parts[-1]), *parts}
    opposed = any(_AGAINST.search(table.rows[row][0].text) for row in rows) or bool(_TWICE.search(table.header[place]))
    return min(parts) > 0 and not opposed and figure.value not in other and Fraction(9, 10) <= figure.value / exact <= Fraction(11, 10)


_AGAINST = re.compile(
    r"\b(?:costs?|expens\w+|spend\w*|tax\w*|discounts?|refunds?|returns?|loss\w*|fees?|deduct\w+|less|minus|net|both|of which|incl\w*|kosten|rabatt\w*)\b"
    r"|\b(?:steuer|ausgaben|abz\w+|davon|beide)\b|成本|支出|费用|税|折扣|其中",
    re.IGNORECASE,
)
"""Rows that are taken off others, or counted in them."""
_TWICE = re.compile(
    r"\b(?:users?|customers?|visitors?|people|persons?|members?|students?|speakers?|patients?|respondents?|votes?|personen)\b|人", re.IGNORECASE
)
"""Who may be in both of two rows, so that the total is less than their sum."""


def _label(table: TextTable, row: int) -> str:
    return next((cell.text for cell in table.rows[row][:2] if cell.figure is None and cell.text), "")


def _total(
    table: TextTable, row: int, rows: Sequence[int], place: int, mean: bool, corrected: Mapping[tuple[int, int], Fraction]
) -> tuple[bool, Fraction, list[str]] | None:
    figure = table.rows[row][place].figure
    parts = [cell.figure for cell in table.column(place, rows)]
    found = [part for part in parts if part is not None]
    if figure is None or len(found) < len(parts) or len({part.percent for part in found} | {figure.percent}) > 1:
        return None
    values = [corrected.get((at, place), part.value) for at, part in zip(rows, found, strict=True)]
    exact = sum(values, Fraction(0))
    slack = sum((part.quantum for part in found), figure.quantum) / 2
    if mean:
        exact, slack = exact / len(found), (slack - figure.quantum / 2) / len(found) + figure.quantum / 2
    if not mean and figure.value == found[-1].value and exact != figure.value:
        return None  # a column that adds up as it goes
    return abs(exact - figure.value) <= slack, exact, [plain(value) for value in values]


def _columns(text: str, table: TextTable, corrected: dict[tuple[int, int], Fraction]) -> Iterator[Route]:
    rows = [row for row in range(len(table.rows)) if not table.is_total(row)]
    numeric = [place for place in range(len(table.header)) if sum(table.rows[row][place].figure is not None for row in rows) >= 3]
    for place in numeric[1:] if len(numeric) > 1 else ():
        best: tuple[list[int], list[int], _Formula] | None = None
        for formula in _formulas(table, place, [other for other in numeric if other != place], rows):
            right, wrong = _tried(table, place, rows, formula)
            if len(right) >= 2 and len(wrong) <= 1 and len(right) + len(wrong) >= 3 and (best is None or len(right) > len(best[0])):
                best = right, wrong, formula
        if best is None or len({table.rows[row][place].text for row in best[0]}) < 2:
            continue
        right, wrong, formula = best
        for row in (*right, *wrong):
            inputs = formula.inputs(row) or ()
            exact = formula.value([one.value for one in inputs])
            if exact is not None:
                if row in wrong:
                    corrected[row, place] = exact
                expression = formula.expression([plain(one.value) for one in inputs])
                yield cell_route(text, table.rows[row][place], row in right, exact, formula.words, _calculation(expression))


def _tried(table: TextTable, place: int, rows: Sequence[int], formula: _Formula) -> tuple[list[int], list[int]]:
    """The rows whose cell the formula gives within the rounding of all that is shown, and those where it does not."""
    right, wrong = list[int](), list[int]()
    for row in rows:
        figure, inputs = table.rows[row][place].figure, formula.inputs(row)
        if figure is None or inputs is None or figure.percent != formula.percent:
            continue
        corners = [formula.value(corner) for corner in product(*([one.value - one.quantum / 2, one.value + one.quantum / 2] for one in inputs))]
        ends = [value for value in corners if value is not None]
        slack = figure.quantum / 2
        fits = bool(ends) and len(ends) == len(corners) and min(ends) - slack <= figure.value <= max(ends) + slack
        (right if fits else wrong).append(row)
    return right, wrong


def _formulas(table: TextTable, place: int, others: Sequence[int], rows: Sequence[int]) -> Iterator[_Formula]:
    header = table.header[place]
    percent = next((figure.percent for row in rows if (figure := table.rows[row][place].figure)), False)

    def cells(*places: int) -> Callable[[int], tuple[Quantity, ...] | None]:
        def read(row: int) -> tuple[Quantity, ...] | None:
            found = [table.rows[row][other].figure for other in places]
            return None if any(one is None or one.percent for one in found) else tuple(one for one in found if one is not None)

        return read

    left = [other for other in others if other < place]
    if _SUM.match(header) and len(left) >= 2:
        yield _Formula("the sum of the row", cells(*left[:8]), lambda v: sum(v, Fraction(0)), " + ".join)
    if percent and _CUES["share"].search(header):
        for other in others:
            column = [cell.figure for cell in table.column(other, rows)]
            if any(one is None or one.percent or one.value < 0 for one in column):
                continue
            whole = sum((one.value for one in column if one is not None), Fraction(0))
            if whole:
                yield _Formula(
                    f"the share of the row in {table.header[other]}",
                    cells(other),
                    lambda v, whole=whole: v[0] * 100 / whole,
                    lambda v, whole=whole: f"{v[0]} / {plain(whole)} * 100",
                    True,
                )
    pairs = [(one, other) for one, other in permutations(others, 2)][:MAX_PAIRS]
    for one, other in pairs:
        names = f"{table.header[one]} and {table.header[other]}"
        read = cells(one, other)
        if percent and _CUES["change"].search(header) and one < other:
            yield _Formula(
                f"the change between {names}",
                read,
                lambda v: (v[1] - v[0]) * 100 / abs(v[0]) if v[0] else None,
                lambda v: f"({v[1]} - {v[0]}) / {v[0]} * 100",
                True,
            )
        if not percent and _CUES["difference"].search(header):
            yield _Formula(f"the difference of {names}", read, lambda v: v[1] - v[0], lambda v: f"{v[1]} - {v[0]}")
        if not percent and _CUES["product"].search(header) and one < other:
            yield _Formula(f"the product of {names}", read, lambda v: v[0] * v[1], lambda v: f"{v[0]} * {v[1]}")
        if not percent and _CUES["ratio"].search(header):
            yield _Formula(f"the quotient of {names}", read, lambda v: v[0] / v[1] if v[1] else None, lambda v: f"{v[0]} / {v[1]}")


def cell_route(text: str, cell: Cell, right: bool, exact: Fraction, words: str, call: ToolCall) -> Route:
    """The route of one cell: what it must be is known, and the call shows how it comes about."""
    figure = cell.figure
    assert figure is not None
    start = text.rfind("\n", 0, cell.span[0]) + 1
    end = text.find("\n", cell.span[1])
    line = text[start : end if end >= 0 else len(text)].strip(" \t\r|")
    at = text.find(line, start)
    span = (at, at + len(line)) if at <= cell.span[0] and cell.span[1] <= at + len(line) else cell.span
    said = text[slice(*span)]
    claim = Claim(
        id=claim_id(f"{said} @{cell.span[0] - span[0]}", "number", text.count(said, 0, span[0])), text=said, span=span, focus=cell.span, kind="number"
    )
    note = f"{words} is {show(exact)}" + ("" if right else f", not {cell.text}")

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        evidence = [item for result in results if isinstance(result, tuple) for item in result]
        if not evidence:
            return Verdict(status="insufficient", note="the calculation could not be run")
        status = "supported" if right else "contradicted"
        expected = None if right else _like(exact, figure)
        return Verdict(status=status, method="computed", confidence=1.0, evidence=tuple(evidence[:1]), note=note, expected=expected)

    return Route(claim=claim, calls=(call,), decide=decide)


def _calculation(expression: str) -> ToolCall:
    return ToolCall(tool="calculator", input=expression)


def _like(exact: Fraction, figure: Quantity) -> str:
    """The value rounded as the figure is."""
    step = Fraction(figure.scale, 10**figure.decimals)
    rounded = Fraction(int(abs(exact) / step + Fraction(1, 2))) * step
    return show(rounded if exact >= 0 else -rounded, figure)
