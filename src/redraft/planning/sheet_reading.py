"""From the table tool"s listing (or a table of the text) to sheets: roles of columns, periods, rows of totals left out, wide tables as long ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

from redraft.effects import Effects
from redraft.planning.sheets import Field, Period, Sheet, column_words, period_of, quoted_name, text_literal
from redraft.planning.table_words import ABBREVIATIONS, TOTALS, root
from redraft.types import Failure, ToolCall

__all__ = ["both_forms", "load_sheets", "made_sheet"]

MAX_VALUES = 3_000
_ID = re.compile(r"(?:^|[\s_])(?:id|ids|no|nr|code|zip|postcode|phone|sku|isbn|index|key|latitude|longitude)$", re.IGNORECASE)
_PERIOD_NAME = re.compile(r"\b(?:year|quarter|month|week|day|period|date|jahr|monat|fy|hour)\b", re.IGNORECASE)
_DATED = frozenset(
    root(word)
    for word in (
        "year founded established opened built inaugurated launched released introduced created born birth since erected completed discovered start "
        "first ascent premiere debut formed commissioned"
    ).split()
)
"""Words of columns whose figures are years."""


async def load_sheets(effects: Effects) -> tuple[Sheet, ...]:
    """All tables of the run that are small enough to be held, each also as a long table where its columns are periods."""
    if "table" not in effects.tools:
        return ()
    listing = await effects.use(ToolCall(tool="table", input="schema"))
    if isinstance(listing, Failure):
        return ()
    sheets: list[Sheet] = []
    for entry in json.loads(listing[0].value)["tables"]:
        if not entry["rows"]:
            continue
        scan = await effects.use(ToolCall(tool="table", input=f"scan {entry['name']}"))
        if isinstance(scan, Failure):
            continue
        sheets.extend(both_forms(_sheet(entry, json.loads(scan[0].value))))
    return tuple(sheets)


def both_forms(sheet: Sheet) -> tuple[Sheet, ...]:
    """The table, and a table whose columns are periods also as a long one."""
    long = _long(sheet)
    return (sheet,) if long is None else (_without(sheet, long), long)


def made_sheet(entry: dict[str, Any], rows: list[list[str | None]], *, place: str, about: str) -> Sheet:
    """The sheet of a table that no tool holds, described as the table tool would."""
    sheet = _sheet(entry, rows)
    sheet.place = place
    sheet.stems = tuple(root(word) for word in column_words(about))
    return sheet


def _sheet(entry: dict[str, Any], rows: list[list[str | None]]) -> Sheet:
    notes = " ".join(entry["notes"])
    fields: list[Field] = []
    cells: list[tuple[Any, ...]] = []
    scales: list[int] = []
    rows, where, balanced = _without_totals(entry, rows)
    for index, column in enumerate(entry["columns"]):
        raw = [row[index] for row in rows]
        scale = 1
        if column["kind"] == "number":
            figures = [None if cell is None else _fraction(cell) for cell in raw]
            scale = _common_scale([figure for figure in figures if figure is not None])
            raw = [None if figure is None else figure.numerator * scale // figure.denominator for figure in figures]
        made = _field(column, raw, scale)
        if repr(column["name"]) in notes and made.role == "measure":
            made = Field(name=made.name, sql=made.sql, role="other", unit=made.unit, stems=made.stems, numeric=True)
        fields.append(made)
        cells.append(tuple(raw))
        scales.append(scale)
        if column["kind"] == "date":
            for extra, values in _calendar(column["name"], raw):
                fields.append(extra)
                cells.append(values)
                scales.append(1)
    return Sheet(
        name=entry["name"],
        source=quoted_name(entry["name"]),
        where=where,
        fields=tuple(fields),
        cells=tuple(cells),
        scales=tuple(scales),
        certain=balanced and not entry["broken_rows"] and not _grouped(entry, rows),
        stems=tuple(root(word) for word in column_words(entry["name"])),
        count=len(rows),
    )


def _grouped(entry: dict[str, Any], rows: Sequence[Sequence[str | None]]) -> bool:
    """Whether the first column leaves out labels below others, as a report does that writes each only once: they cannot be told from missing ones."""
    return bool(rows) and entry["columns"][0]["kind"] == "text" and rows[0][0] is not None and any(row[0] is None for row in rows)


def _fraction(cell: str) -> Fraction | None:
    try:
        return Fraction(cell)
    except (ValueError, ZeroDivisionError):
        return None


def _common_scale(figures: Sequence[Fraction]) -> int:
    return lcm(*{figure.denominator for figure in figures})


def _without_totals(entry: dict[str, Any], rows: list[list[str | None]]) -> tuple[list[list[str | None]], str, bool]:
    """The rows without a row of totals, the condition that leaves it out, and whether it agrees with the other rows."""
    for index, column in enumerate(entry["columns"][:3]):
        if column["kind"] != "text":
            continue
        label = next((row[index] for row in rows if (row[index] or "").strip().lower() in TOTALS), None)
        if label is None or len(rows) < 3 or sum(row[index] == label for row in rows) > len(rows) // 2:
            continue
        kept = [row for row in rows if row[index] != label]
        totals = [row for row in rows if row[index] == label]
        balanced = len(totals) == 1 and any(
            _fraction(totals[0][place] or "x") == sum((_fraction(row[place] or "0") or Fraction(0)) for row in kept)
            for place, other in enumerate(entry["columns"])
            if other["kind"] == "number"
        )
        return kept, f"{quoted_name(column['name'])} <> {text_literal(label)}", balanced
    return rows, "", True


def _numbered(raw: Sequence[Any]) -> bool:
    """Whether a column only numbers its rows."""
    return len(raw) > 4 and None not in raw and list(raw) == list(range(int(raw[0]), int(raw[0]) + len(raw)))


def _field(column: dict[str, Any], raw: Sequence[Any], scale: int) -> Field:
    name, kind = str(column["name"]), str(column["kind"])
    stems = tuple(root(ABBREVIATIONS.get(word.lower(), word)) for word in column_words(name))
    present = [str(cell) for cell in raw if cell is not None]
    distinct = list(dict.fromkeys(present))
    years = scale == 1 and bool(present) and all(re.fullmatch(r"(?:19|20)\d\d", cell) for cell in distinct)
    if kind == "number":
        label = years and (bool(_PERIOD_NAME.search(" ".join(column_words(name)))) or len(distinct) < len(present))
        label = label or (scale == 1 and bool(re.fullmatch(r"(?:month|quarter|week|day|year|hour)", name.strip(), re.IGNORECASE)))
        identity = scale == 1 and (bool(_ID.search(name)) or _numbered(raw))
        if not label:
            role = "other" if identity else "measure"
            dates = scale == 1 and bool(present) and all(re.fullmatch(r"1\d{3}|20\d\d", cell) for cell in distinct) and bool(set(stems) & _DATED)
            return Field(name=name, sql=quoted_name(name), role=role, unit=str(column["unit"]), stems=stems, numeric=True, years=dates)
    elif kind not in ("text", "date"):
        return Field(name=name, sql=quoted_name(name), role="other", stems=stems)
    if len(distinct) > MAX_VALUES:
        return Field(name=name, sql=quoted_name(name), role="other", stems=stems, numeric=kind == "number")
    periods = tuple(_period(value, name) for value in distinct)
    if distinct and all(period is not None for period in periods):
        order = sorted(range(len(distinct)), key=lambda place: ((periods[place] or ("", 0, 0))[1] or 0, (periods[place] or ("", 0, 0))[2]))
        distinct, periods = [distinct[place] for place in order], tuple(periods[place] for place in order)
    elif kind == "date":
        distinct = sorted(distinct)
    return Field(name=name, sql=quoted_name(name), role="dimension", stems=stems, values=tuple(distinct), periods=periods, numeric=kind == "number")


def _period(value: str, name: str) -> Period | None:
    found = period_of(value)
    if found is None and value.isdigit() and (match := re.fullmatch(r"(month|quarter)", name.strip(), re.IGNORECASE)):
        return match[1].lower(), None, int(value)
    return found


def _calendar(name: str, raw: Sequence[Any]) -> Iterable[tuple[Field, tuple[Any, ...]]]:
    """Year, quarter and month of a date column, as dimensions of their own."""
    for kind in ("year", "quarter", "month"):
        sql = f"{kind}({quoted_name(name)})"
        values = tuple(None if cell is None else str(_part_of_date(str(cell), kind)) for cell in raw)
        distinct = sorted({value for value in values if value is not None}, key=int)
        if 0 < len(distinct) <= 200:
            periods: tuple[Period | None, ...] = tuple((kind, int(value) if kind == "year" else None, int(value)) for value in distinct)
            yield Field(name=f"{kind} of {name}", sql=sql, role="dimension", stems=(kind,), values=tuple(distinct), periods=periods, numeric=True), values


def _part_of_date(date: str, kind: str) -> int:
    year, month = int(date[:4]), int(date[5:7])
    return year if kind == "year" else month if kind == "month" else (month + 2) // 3


def _named_periods(sheet: Sheet) -> list[tuple[int, Period, str, tuple[str, ...]]]:
    """The measures whose names hold a period: column, period, as written, and the other words of the name."""
    named: list[tuple[int, Period, str, tuple[str, ...]]] = []
    for index in sheet.measures:
        words = column_words(sheet.fields[index].name)
        for first, last in [(0, len(words)), *combinations(range(len(words) + 1), 2)]:
            period = period_of(" ".join(words[first:last]))
            if period is not None:
                named.append((index, period, " ".join(words[first:last]), words[:first] + words[last:]))
                break
    return sorted(named, key=lambda item: (item[1][1] or 0, item[1][2]))


def _long(sheet: Sheet) -> Sheet | None:
    """A table whose measures are periods (`Q1`, `Q2`; `revenue 2022`, `revenue 2023`, `cost 2022`, …) with one row for each period instead."""
    named = _named_periods(sheet)
    families: dict[tuple[str, ...], dict[Period, int]] = {}
    for index, period, _, rest in named:
        families.setdefault(rest, {})[period] = index
    labels = {period: label for _, period, label, _ in named}
    complete = all(set(family) == set(labels) for family in families.values())
    if len(labels) < 2 or not complete or len({period[0] for period in labels}) != 1:
        return None
    used = {item[0] for item in named}
    carried = [index for index, column in enumerate(sheet.fields) if index not in used and column.role != "other" and "(" not in column.sql]
    picked = "".join(f"{sheet.fields[index].sql}, " for index in carried)
    condition = f" WHERE {sheet.where}" if sheet.where else ""
    amounts = ["amount" if len(families) == 1 else f"amount_{place}" for place in range(1, len(families) + 1)]
    parts = [
        f"SELECT {picked}{text_literal(label)} AS period, "
        + ", ".join(f"{sheet.fields[family[period]].sql} AS {name}" for name, family in zip(amounts, families.values(), strict=True))
        + f" FROM {sheet.source}{condition}"
        for period, label in labels.items()
    ]
    scales = [lcm(*(sheet.scales[index] for index in family.values())) for family in families.values()]
    columns: list[list[Any]] = [[] for _ in range(len(carried) + 1 + len(families))]
    for period, label in labels.items():
        for row in range(sheet.count):
            for place, source in enumerate(carried):
                columns[place].append(sheet.cells[source][row])
            columns[len(carried)].append(label)
            for place, (family, scale) in enumerate(zip(families.values(), scales, strict=True), len(carried) + 1):
                cell = sheet.cells[family[period]][row]
                columns[place].append(None if cell is None else cell * scale // sheet.scales[family[period]])
    kind = named[0][1][0]
    period_field = Field(name="period", sql="period", role="dimension", stems=(kind,), values=tuple(labels.values()), periods=tuple(labels))
    measures = [
        Field(
            name=" ".join(rest) or "amount",
            sql=name,
            role="measure",
            unit=sheet.fields[next(iter(family.values()))].unit,
            stems=tuple(root(ABBREVIATIONS.get(word.lower(), word)) for word in rest),
            numeric=True,
        )
        for name, (rest, family) in zip(amounts, families.items(), strict=True)
    ]
    return Sheet(
        name=sheet.name,
        source="(" + " UNION ALL ".join(parts) + ") AS long",
        where="",
        fields=(*(_demoted(sheet.fields[index]) for index in carried), period_field, *measures),
        cells=tuple(tuple(column) for column in columns),
        scales=(*(sheet.scales[index] for index in carried), 1, *scales),
        certain=sheet.certain,
        stems=sheet.stems,
        count=sheet.count * len(labels),
        place=sheet.place,
    )


def _without(sheet: Sheet, long: Sheet) -> Sheet:
    """The wide table without the measures that its long form has."""
    fields = tuple(_demoted(column) if column.role == "measure" and f"{column.sql} AS amount" in long.source else column for column in sheet.fields)
    return replace(sheet, fields=fields, _rows={})


def _demoted(column: Field) -> Field:
    """Other measures of a wide table would be counted once for each period: they are left to the wide form."""
    return column if column.role == "dimension" else Field(name=column.name, sql=column.sql, role="other", stems=column.stems, numeric=column.numeric)
