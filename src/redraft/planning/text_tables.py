"""The Markdown tables of a text, read like the caller's: evidence for the prose beside them, and rows that must agree with their own totals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from redraft.claims.numbers import Quantity, read
from redraft.claims.segment import blocks
from redraft.planning.sheet_reading import both_forms, made_sheet
from redraft.planning.sheets import Sheet
from redraft.planning.table_words import TOTALS
from redraft.types import Span

__all__ = ["Cell", "TextTable", "text_sheets", "text_tables"]

MAX_ROWS = 400
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_MISSING = frozenset(("", "-", "–", "—", "n/a", "na", "none", "nan", "?", "...", "…", ".", "/"))
_MARKS = re.compile(r"^[*_`~ ]+|[*_`~ ]+$|\[\^?\w{1,3}\]$|<br\s*/?>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One cell: its place in the text, its words without marks of emphasis, and its figure where it is one and nothing else."""

    span: Span
    text: str
    figure: Quantity | None = None

    @property
    def empty(self) -> bool:
        return self.text.lower() in _MISSING


@dataclass(frozen=True, kw_only=True, slots=True)
class TextTable:
    """One table of a text: its header and its rows, all of one width."""

    line: int
    caption: str
    """The heading above it and the line before it: what its figures are of, where its columns do not say so."""
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def column(self, place: int, rows: Sequence[int] | None = None) -> list[Cell]:
        return [self.rows[at][place] for at in (rows if rows is not None else range(len(self.rows)))]

    def is_total(self, row: int) -> bool:
        """Whether a row is named like one of totals."""
        return any(_total_label(cell.text) for cell in self.rows[row][:2] if cell.figure is None)


def _total_label(text: str) -> bool:
    low = text.lower().rstrip(":")
    return low in TOTALS or bool(
        re.match(r"(?:grand |sub-?)?total\b|sum\b|subtotal\b|average\b|mean\b|median\b|all\b|gesamt|summe|mittelwert|合计|总计|平均", low)
    )


def text_tables(text: str) -> tuple[TextTable, ...]:
    """The tables with a header, at least two rows and no row of another width; a table in code is none."""
    return tuple(_tables(text)) if "|" in text else ()


def _tables(text: str) -> Iterator[TextTable]:
    lines: list[Span] = []
    captions: dict[int, str] = {}
    heading = before = ""
    for block in blocks(text):
        said = text[slice(*block.span)]
        if block.kind == "heading":
            heading, before = said, ""
        elif block.kind != "table_row":
            before = said if (len(said) <= 120 and said.rstrip("*_ ").endswith((":", "："))) or said.startswith(("Table", "**Table", "表")) else ""
        else:
            captions[text.rfind("\n", 0, block.span[0]) + 1] = f"{heading} {before}"
        if block.kind == "table_row":
            start = text.rfind("\n", 0, block.span[0]) + 1
            end = text.find("\n", block.span[1])
            lines.append((start, end if end >= 0 else len(text)))
    runs: list[list[Span]] = []
    for line in lines:
        between = text[runs[-1][-1][1] + 1 : line[0]] if runs else ""
        follows = bool(runs) and (line[0] == runs[-1][-1][1] + 1 or (between.endswith("\n") and bool(_RULE.match(between[:-1]))))
        if follows:
            runs[-1].append(line)
        else:
            runs.append([line])
    for run in runs:
        if len(run) < 3 or len(run) > MAX_ROWS or not _RULE.match(text[run[0][1] + 1 : max(run[0][1] + 1, run[1][0] - 1)]):
            continue
        header, *rows = [_cells(text, line) for line in run]
        if len(header) > 1 and all(len(row) == len(header) for row in rows):
            yield TextTable(line=text.count("\n", 0, run[0][0]) + 1, caption=captions[run[0][0]], header=tuple(cell.text for cell in header), rows=tuple(rows))


def _cells(text: str, line: Span) -> tuple[Cell, ...]:
    start, end = line
    while start < end and text[start] in " \t":
        start += 1
    while end > start and text[end - 1] in " \t\r":
        end -= 1
    start += text[start : start + 1] == "|"
    end -= text[end - 1 : end] == "|" and text[end - 2 : end - 1] != "\\"
    edges = [start - 1, *(match.start() for match in re.finditer(r"(?<!\\)\|", text[:end]) if match.start() >= start), end]
    return tuple(_cell(text, edges[at] + 1, edges[at + 1]) for at in range(len(edges) - 1))


def _cell(text: str, start: int, end: int) -> Cell:
    said = text[start:end]
    bare = _MARKS.sub("", said.strip()).strip()
    at = said.find(bare) if bare else -1
    if at < 0:
        return Cell(span=(start, end), text=bare)
    span = (start + at, start + at + len(bare))
    found = read(bare)
    whole = found[0] if len(found) == 1 and found[0].high is None and found[0].style == "digits" else None
    if whole is not None and (bare[: whole.span[0]].strip("+-−±$€£¥ ") or bare[whole.span[1] :].strip("*†‡%€$£¥ ")):
        whole = None
    return Cell(span=span, text=bare, figure=whole)


def text_sheets(tables: Sequence[TextTable]) -> tuple[tuple[int, tuple[Sheet, ...]], ...]:
    """Where each table begins, and the table as sheets: a column holds figures where every cell that is not empty is one, all in per cent or none."""
    found = [(table.rows[0][0].span[0], sheet) for number, table in enumerate(tables, 1) if (sheet := _sheet(table, number)) is not None]
    return tuple((start, both_forms(sheet)) for start, sheet in found)


def _sheet(table: TextTable, number: int) -> Sheet | None:
    columns: list[dict[str, Any]] = []
    for place, name in enumerate(table.header):
        present = [cell for cell in table.column(place) if not cell.empty]
        numeric = bool(present) and all(cell.figure is not None for cell in present) and len({cell.figure.percent for cell in present if cell.figure}) == 1
        units = {cell.figure.unit for cell in present if cell.figure and cell.figure.unit} if numeric else set[str]()
        unit = "%" if numeric and present[0].figure and present[0].figure.percent else next(iter(units)) if len(units) == 1 else ""
        columns.append({"name": name or f"column_{place + 1}", "kind": "number" if numeric else "text", "unit": unit})
    if not any(column["kind"] == "number" for column in columns) or (columns[0]["kind"] == "number" and len(columns) < 2):
        return None
    rows = [[_value(cell, columns[place]["kind"]) for place, cell in enumerate(row)] for row in table.rows]
    entry = {"name": f"table_{number}_of_the_text", "columns": columns, "notes": [], "broken_rows": 0, "rows": len(rows)}
    return made_sheet(entry, rows, place=f"the table in line {table.line} of the text", about=table.caption)


def _value(cell: Cell, kind: str) -> str | None:
    if cell.empty:
        return None
    return str(cell.figure.value) if kind == "number" and cell.figure is not None else cell.text
