"""Reports of the laboratory, written once: as Markdown, or as one HTML file that needs nothing else and reads in print and in dark mode.

Whatever stands in a report is data: it is escaped wherever it is shown, and no script is in the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from redraft.errors import InputError
from redraft.studies.plots import Plot

__all__ = ["NOT_KNOWN", "Block", "Points", "Report", "Section", "Table", "figure_of", "save_report", "to_html", "to_markdown"]

NOT_KNOWN = "–"
"""What stands where there is no figure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows of texts under a head. Columns whose cells are figures stand to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Points:
    """Sentences, one below the other."""

    items: tuple[str, ...]


Block = str | Table | Points | Plot
"""A paragraph, a table, a list or a figure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """A title, what it comes to in a few sentences, and the sections."""

    title: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]


def figure_of(value: float | None, digits: int = 4, *, sign: bool = False) -> str:
    """A figure as it is shown; a dash where there is none."""
    if value is None:
        return NOT_KNOWN
    return f"{value:{'+' if sign else ''}.{digits}f}"


def to_markdown(report: Report) -> str:
    """The report as Markdown; of its figures the captions."""
    parts = [f"# {_plain(report.title)}", *(_plain(line) for line in report.summary)]
    for section in report.sections:
        parts.append(f"## {_plain(section.title)}")
        parts += [_markdown_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def to_html(report: Report) -> str:
    """The report as one HTML file, its figures in it.

    Raises:
        MissingExtra: it has figures, and matplotlib is not installed.
    """
    body = [f"<h1>{escape(report.title)}</h1>", *(f'<p class="lead">{escape(line)}</p>' for line in report.summary)]
    for section in report.sections:
        inner = "".join(_html_block(block) for block in section.blocks)
        body.append(f"<section><h2>{escape(section.title)}</h2>{inner}</section>")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(report.title)}</title><style>{CSS}</style>"
    )
    content = "\n".join(body)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body><main>\n{content}\n</main></body></html>\n'


def save_report(report: Report, path: Path) -> None:
    """Write the report in the form that the name of the file asks for: `.html`, else Markdown.

    Raises:
        InputError: the file cannot be written.
        MissingExtra: it has figures, and matplotlib is not installed.
    """
    text = to_html(report) if path.suffix.lower() in (".html", ".htm") else to_markdown(report)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def _html_block(block: Block) -> str:
    match block:
        case Table():
            right = _right(block)
            head = "".join(f"<th{_side(right[place])}>{escape(name)}</th>" for place, name in enumerate(block.head))
            rows = "".join("<tr>" + "".join(f"<td{_side(right[place])}>{escape(cell)}</td>" for place, cell in enumerate(row)) + "</tr>" for row in block.rows)
            caption = f"<caption>{escape(block.caption)}</caption>" if block.caption else ""
            return f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
        case Points():
            return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in block.items) + "</ul>"
        case Plot():
            label = escape(f"{block.title}. {block.caption}", quote=True)
            picture = block.svg().replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
            return f"<figure><figcaption><b>{escape(block.title)}.</b> {escape(block.caption)}</figcaption>{picture}</figure>"
        case _:
            return f"<p>{escape(block)}</p>"


def _markdown_block(block: Block) -> str:
    match block:
        case Table():
            right = _right(block)
            lines = [_line(block.head), "|" + "|".join("---:" if side else "---" for side in right) + "|", *(_line(row) for row in block.rows)]
            return "\n".join(lines) + (f"\n\n{_plain(block.caption)}" if block.caption else "")
        case Points():
            return "\n".join(f"- {_plain(item)}" for item in block.items)
        case Plot():
            return f"Figure, in the HTML report: {_plain(block.title)}. {_plain(block.caption)}"
        case _:
            return _plain(block)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_plain(cell).replace("|", "\\|") for cell in cells) + " |"


_MARKS = re.compile(r"([\\`*_<>\[\]#])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _plain(text: str) -> str:
    """Text on one line in which no sign means anything to Markdown."""
    return _MARKS.sub(r"\\\1", _CONTROLS.sub("", " ".join(text.split())))


_FIGURE = re.compile(r"(?:[+\-−–→±\d.,\s%()\[\];:/<≤]|to|e(?=[+\-]?\d))*")


def _right(table: Table) -> list[bool]:
    """Which columns hold figures alone."""
    columns = range(len(table.head))
    return [bool(table.rows) and all(_FIGURE.fullmatch(row[place]) is not None for row in table.rows) for place in columns]


def _side(right: bool) -> str:
    return ' class="n"' if right else ""


CSS = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1d20;--soft:#5d6470;--line:#d9dde3;--band:#f5f6f8}
@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e8eaed;--soft:#a3aab5;--line:#343a43;--band:#1d2127}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:74rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2.4rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}
.lead{font-size:1.05rem}p,li{max-width:50rem}.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:.4rem}
th,td{text-align:left;padding:.32rem .55rem;border-bottom:1px solid var(--line);vertical-align:top}
td:first-child{min-width:8.5rem}th{background:var(--band);vertical-align:bottom}.n{text-align:right}td.n{white-space:nowrap}
figure{margin:1.4rem 0;break-inside:avoid}figcaption{color:var(--soft);font-size:.92rem;margin-bottom:.4rem}
figure svg{max-width:100%;height:auto;color:var(--ink)}
@media print{:root{--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--band:#f2f2f2}main{max-width:none;padding:0}
table{font-size:.7rem}th,td{padding:.2rem .3rem}tr{break-inside:avoid}.wide{overflow:visible}}
""".strip()
