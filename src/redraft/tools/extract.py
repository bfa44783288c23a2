"""Reading a document of any supported format as plain text: what a reader of the page would see, and nothing that a page hides from them.

Text is decoded tolerantly and said so; what cannot be read is refused in words, with the way out. No macro, script or link is ever followed.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from redraft.errors import InputError, MissingExtra
from redraft.tools.extract_html import html_text

__all__ = ["FORMATS", "Document", "Section", "decode", "read_document", "text_document"]

FORMATS = ("txt", "text", "md", "markdown", "rst", "html", "htm", "xhtml", "pdf", "docx", "xlsx", "pptx", "jsonl", "csv", "tsv", "log", "tex", "org")
"""Suffixes that are read when a folder is searched; a file named by itself is tried whatever it is called."""

MAX_BYTES = 64 << 20
MAX_UNPACKED_BYTES = 512 << 20
MAX_PAGES = 5000

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad\x00"))
_CONTROL = dict.fromkeys([*range(0, 9), *range(14, 32), 11, 12, 127], " ")


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of a document that is cited by itself: a page, a slide, a sheet, a row; the whole text where there are none."""

    text: str
    """Headings are lines that start with `#`; paragraphs are separated by an empty line."""
    title: str = ""
    label: str = ""
    """`page=3`; empty where the document has no such parts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """One source as text. `notes` say what was lost or guessed in reading it."""

    source: str
    title: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()


def read_document(path: Path, source: str = "") -> Document:
    """The text of one file; `source` is how it is cited (by default its path as given).

    Raises:
        InputError: it cannot be read as text: missing, empty, binary, encrypted, scanned, damaged or too large.
        MissingExtra: its format needs an optional dependency.
    """
    source = os.fsencode(source or str(path)).decode("utf-8", "replace")  # a name need not be text, but it is cited
    try:
        if path.is_dir():
            raise InputError(f"{source}: is a folder, not a file")
        if not path.is_file() and path.exists():
            raise InputError(f"{source}: is a pipe or a device; save what it gives as a file")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise InputError(f"{source}: has {size >> 20} MB, more than the {MAX_BYTES >> 20} MB that are read; split it")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror or error}); check the path and its permissions") from None
    if not data.strip():
        raise InputError(f"{source}: is empty")
    reader = _reader(data, path, source)
    document = reader(data, source, Path(source).stem.replace("_", " "))
    if not any(section.text.strip() for section in document.sections):
        raise InputError(f"{source}: has no text in it")
    return document


def text_document(source: str, text: str, title: str = "") -> Document:
    """A text that is already at hand, as a document."""
    return Document(source=source, title=title, sections=(Section(text=_clean(text)),))


def decode(data: bytes, source: str) -> tuple[str, str]:
    """The text of some bytes and a note on how it was guessed (empty for UTF-8, or where a byte order mark says it).

    Raises:
        InputError: the bytes are no text.
    """
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\x00\x00", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            try:
                return data.decode(encoding), ""
            except UnicodeDecodeError:
                break
    if b"\x00" in data:
        raise InputError(f"{source}: is binary (it contains NUL bytes), or text in an encoding without a byte order mark; save it as UTF-8")
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        pass
    text = data.decode("utf-8", "surrogateescape")
    invalid = sum("\udc80" <= char <= "\udcff" for char in text)
    chinese = _chinese(data) if invalid * 2 > sum(byte > 127 for byte in data) else ""
    if chinese:
        return chinese, f"{source}: is not UTF-8 and was read as GB18030"
    text = re.sub("[\udc80-\udcff]", lambda match: bytes([ord(match[0]) - 0xDC00]).decode("cp1252", "replace"), text)
    return text, f"{source}: {invalid} bytes are not UTF-8 and were read as Latin-1"


def _chinese(data: bytes) -> str:
    """The text as GB18030, where that is sure: every pair is of the basic set, which accented Latin letters between plain ones never form."""
    try:
        text = data.decode("gb2312")
    except UnicodeDecodeError:
        return ""
    foreign = [char for char in text if char > "\x7f"]
    return text if len(foreign) >= 4 and 2 * len(foreign) == sum(byte > 127 for byte in data) else ""


def _clean(text: str) -> str:
    """Without characters that have no width and no meaning; control characters are spaces."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_INVISIBLE).translate(_CONTROL)


Reader = Callable[[bytes, str, str], Document]


def _reader(data: bytes, path: Path, source: str) -> Reader:
    """By what is inside first: a suffix may lie."""
    suffix = path.suffix.lower().lstrip(".")
    if data.lstrip()[:5] == b"%PDF-":
        return _pdf
    if data[:4] == b"PK\x03\x04":
        return _office(path, source)
    if data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise InputError(f"{source}: is an encrypted or an old Office file; save it without a password as .docx, .xlsx or .pptx")
    if suffix in ("pdf", "docx", "xlsx", "pptx"):
        raise InputError(f"{source}: is not a {suffix.upper()} file, whatever its name says; it may be damaged")
    if suffix in ("html", "htm", "xhtml") or re.match(rb"\s*(?:<!doctype html|<html[\s>])", data[:500], re.IGNORECASE):
        return _html
    return _jsonl if suffix == "jsonl" else _text


def _office(path: Path, source: str) -> Reader:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError):
        raise InputError(f"{source}: is a damaged archive") from None
    if any(info.flag_bits & 1 for info in infos):
        raise InputError(f"{source}: is encrypted; save it without a password")
    if sum(info.file_size for info in infos) > MAX_UNPACKED_BYTES:
        raise InputError(f"{source}: unpacks to more than {MAX_UNPACKED_BYTES >> 20} MB; it is not read")
    names = {info.filename for info in infos}
    for part, reader in (("word/document.xml", _docx), ("xl/workbook.xml", _xlsx), ("xl/workbook.bin", _xlsx), ("ppt/presentation.xml", _pptx)):
        if part in names:
            return reader
    raise InputError(f"{source}: is an archive without a document that can be read (known: DOCX, XLSX, PPTX)")


def _text(data: bytes, source: str, name: str) -> Document:
    text, note = decode(data, source)
    heading = re.search(r"^#{1,3}\s+(.+)$", text[:2000], re.MULTILINE)
    return Document(source=source, title=heading[1].strip("# ") if heading else name, sections=(Section(text=_clean(text)),), notes=(note,) if note else ())


def _jsonl(data: bytes, source: str, name: str) -> Document:
    """Rows with `text` and, where given, `title` and `id`; other rows are left out and counted."""
    text, note = decode(data, source)
    sections: list[Section] = []
    odd = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except ValueError:
            odd += 1
            continue
        fields = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
        if not isinstance(fields.get("text"), str):
            odd += 1
            continue
        title = str(fields.get("title") or "").replace("_", " ")
        sections.append(Section(text=_clean(fields["text"]), title=title, label=f"id={fields['id']}" if "id" in fields else f"row={number}"))
    if not sections:
        raise InputError(f"{source}: has no row with a text; each line must be a JSON object with a `text`, and may have a `title`")
    notes = [note] if note else []
    if odd:
        notes.append(f"{source}: {odd} rows without a text were left out")
    return Document(source=source, title=name, sections=tuple(sections), notes=tuple(notes))


def _html(data: bytes, source: str, name: str) -> Document:
    declared = re.search(rb"""<meta[^>]+charset=["']?\s*([\w-]+)""", data[:4096], re.IGNORECASE)
    text, note = "", ""
    if declared:
        try:
            text = data.decode(declared[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            text = ""
    if not text:
        text, note = decode(data, source)
    title, body = html_text(text)
    return Document(source=source, title=title or name, sections=(Section(text=_clean(body)),), notes=(note,) if note else ())


def _pdf(data: bytes, source: str, name: str) -> Document:
    try:
        import pypdfium2  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise MissingExtra("reading PDF", "documents") from None
    try:
        pdf: Any = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise InputError(f"{source}: is encrypted; save it without a password") from None
        raise InputError(f"{source}: is a damaged PDF") from None
    try:
        count = len(pdf)
        if count > MAX_PAGES:
            raise InputError(f"{source}: has {count} pages, more than the {MAX_PAGES} that are read; split it")
        pages = [_pdf_page(pdf, number) for number in range(count)]
        title = str(pdf.get_metadata_dict().get("Title", "")).strip()
    except pypdfium2.PdfiumError:
        raise InputError(f"{source}: is a damaged PDF") from None
    finally:
        pdf.close()
    blank = [number for number, page in enumerate(pages, 1) if not re.search(r"\w", page)]
    if len(blank) == count:
        raise InputError(f"{source}: has no text, its pages are images; run a text recognition on it first (for example ocrmypdf)")
    sections = tuple(Section(text=page, label=f"page={number}") for number, page in enumerate(pages, 1) if page.strip())
    notes = (f"{source}: {len(blank)} of {count} pages have no text",) if blank else ()
    return Document(source=source, title=_clean(title) or name, sections=sections, notes=notes)


def _pdf_page(pdf: Any, number: int) -> str:
    """Lines of one paragraph are joined again, words cut by a hyphen too; a PDF knows lines, not paragraphs."""
    page = pdf[number]
    textpage = page.get_textpage()
    try:
        text = str(textpage.get_text_bounded())
    finally:
        textpage.close()
        page.close()
    text = re.sub(r"(?<=\w)[\ufffe\x02\u00ad]\s*(?:\r?\n)?", "", text)
    lines = [line.strip() for line in _clean(text).split("\n")]
    parts: list[str] = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        ends = not line or not after or (len(line) < 60 and bool(re.search(r"[.!?:。！？]$", line)))
        joined = "" if re.search(r"[\u3000-\u9fff\uff00-\uffef]$", line) and re.match(r"[\u3000-\u9fff\uff00-\uffef]", after) else " "
        parts.append(line + ("\n\n" if ends else joined))
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()


def _docx(data: bytes, source: str, name: str) -> Document:
    try:
        import docx
    except ImportError:
        raise MissingExtra("reading DOCX", "documents") from None
    from io import BytesIO

    try:
        document: Any = docx.Document(BytesIO(data))
        text = "\n\n".join(_docx_blocks(document))
        title = str(document.core_properties.title or "")
    except Exception as error:  # the library raises what its parsers raise
        raise InputError(f"{source}: is a damaged DOCX file ({type(error).__name__})") from None
    return Document(source=source, title=title or name, sections=(Section(text=_clean(text)),))


def _docx_blocks(container: Any) -> Iterator[str]:
    for block in container.iter_inner_content():
        if hasattr(block, "rows"):
            for row in block.rows:
                yield " | ".join(dict.fromkeys(" ".join(cell.text.split()) for cell in row.cells))
            continue
        text = "".join(run.text for run in _docx_runs(block) if not run.font.hidden)
        style = str(block.style.name or "") if block.style is not None else ""
        level = re.match(r"(?:Heading|Title|标题)\s*(\d?)", style)
        yield ("#" * int(level[1] or 1) + " " if level and text.strip() else "") + text


def _docx_runs(paragraph: Any) -> Iterator[Any]:
    for item in paragraph.iter_inner_content():
        yield from item.runs if hasattr(item, "runs") else (item,)


def _pptx(data: bytes, source: str, name: str) -> Document:
    try:
        import pptx
    except ImportError:
        raise MissingExtra("reading PPTX", "documents") from None
    from io import BytesIO

    try:
        deck: Any = pptx.Presentation(BytesIO(data))
        shown = [(number, slide) for number, slide in enumerate(deck.slides, 1) if slide.element.get("show") != "0"]
        sections = tuple(Section(text=_clean("\n\n".join(_slide_lines(slide.shapes))), label=f"slide={number}") for number, slide in shown)
        title = str(deck.core_properties.title or "")
    except Exception as error:  # the library raises what its parsers raise
        raise InputError(f"{source}: is a damaged PPTX file ({type(error).__name__})") from None
    return Document(source=source, title=title or name, sections=tuple(section for section in sections if section.text.strip()))


def _slide_lines(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if shape.shape_type == 6:  # a group
            yield from _slide_lines(shape.shapes)
        elif shape.has_text_frame:
            yield shape.text_frame.text
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                yield " | ".join(" ".join(cell.text.split()) for cell in row.cells)


def _xlsx(data: bytes, source: str, name: str) -> Document:
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtra("reading XLSX", "documents") from None
    from io import BytesIO

    try:
        book = calamine.CalamineWorkbook.from_filelike(BytesIO(data))
        visible = [sheet.name for sheet in book.sheets_metadata if sheet.visible == calamine.SheetVisibleEnum.Visible]
        rows = [(sheet, book.get_sheet_by_name(sheet).to_python()) for sheet in visible]
    except calamine.PasswordError:
        raise InputError(f"{source}: is encrypted; save it without a password") from None
    except calamine.CalamineError:
        raise InputError(f"{source}: is a damaged XLSX file") from None
    sections = tuple(Section(text=_clean("\n\n".join(_sheet_lines(table))), title=sheet, label=f"sheet={sheet}") for sheet, table in rows if table)
    return Document(source=source, title=name, sections=sections)


def _sheet_lines(rows: list[list[Any]]) -> Iterator[str]:
    """One line a row, each value with the name of its column, so that a row can be read alone."""
    header = [_cell(value) for value in rows[0]]
    for row in rows[1:] or rows:
        cells = [(column, _cell(value)) for column, value in zip(header, row, strict=False)]
        yield "; ".join(f"{column}: {value}" if column and rows[1:] else value for column, value in cells if value)


def _cell(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
