"""Files that hold tables, made into typed DuckDB tables: CSV in any usual dialect, spreadsheets, Parquet.

Every cell is first read as text; a column gets a type only if each of its cells has it. So nothing is guessed from a sample, and a figure keeps its
exact decimal value. What was left out or could not be told apart is said in the notes of the table.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redraft.errors import InputError, MissingExtra
from redraft.tools.column_types import NUMBER_ENGLISH, literal, quoted, typed_columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from python_calamine import CalamineSheet

__all__ = ["Column", "LoadedTable", "inspect", "load"]

SAMPLE_BYTES = 256 * 1024
CHUNK_BYTES = 1 << 20
MAX_BYTES = 400 * CHUNK_BYTES
"""Larger files would keep a run waiting for more than half a minute."""
DELIMITERS = (",", ";", "\t", "|")
SPREADSHEETS = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
SUFFIXES = frozenset({".csv", ".tsv", ".txt", ".tab", ".parquet"}) | SPREADSHEETS
MAGIC = ((b"PK\x03\x04", "an office document or a ZIP archive"), (b"PAR1", "a Parquet file"), (b"%PDF", "a PDF"), (b"\x1f\x8b", "a gzip archive"))
OLE = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    name: str
    kind: str
    """`number`, `text`, `date` or `other`."""
    sql_type: str
    unit: str = ""
    """What stood beside every figure of the column: `%`, `€`, `kg`; empty if nothing did."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedTable:
    name: str
    source: str
    rows: int
    columns: tuple[Column, ...]
    broken_rows: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Dialect:
    encoding: str
    delimiter: str
    skip: int
    names: tuple[str, ...]


def _identifier(text: str, taken: set[str]) -> str:
    """A short lower-case name for a table, unlike those taken."""
    base = re.sub(r"\W+", "_", text.lower()).strip("_")[:40] or "table"
    if base[0].isdigit():
        base = "t_" + base
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name)
    return name


def inspect(path: Path) -> None:
    """Refuse, in words, a file that cannot be a table; reads no more than its beginning.

    Raises:
        InputError: missing, a folder, empty, binary, encrypted, or of another format.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name the CSV, XLSX or Parquet file itself")
        if not path.is_file() and path.exists():
            raise InputError(f"{path} is a pipe or a device; save what it gives as a file")
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(SAMPLE_BYTES)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}; check the spelling of the path given with --table") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or type(error).__name__}); check its permissions") from None
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path} is not a kind of table that can be read; save it as CSV, XLSX or Parquet")
    if size == 0:
        raise InputError(f"{path} is empty (0 bytes); a table needs at least a header row")
    if size > MAX_BYTES:
        raise InputError(
            f"{path} has {size >> 20} MB and tables are read up to {MAX_BYTES >> 20} MB; give an extract with the rows and columns that the text speaks of"
        )
    if suffix == ".parquet":
        if not head.startswith(b"PAR1"):
            why = "encrypted; write it again without encryption" if head.startswith(b"PARE") else "no Parquet file, whatever its name says; export it again"
            raise InputError(f"{path} is {why}")
    elif suffix in SPREADSHEETS:
        if head.startswith(OLE) and suffix != ".xls":
            raise InputError(f"{path} is encrypted with a password; save an unprotected copy, or export the sheet as CSV")
        if not head.startswith((b"PK\x03\x04", OLE)):
            raise InputError(f"{path} is no spreadsheet, whatever its name says; open it and save it again as XLSX or CSV")
    else:
        _inspect_text(path, head)


def _inspect_text(path: Path, head: bytes) -> None:
    for magic, kind in (*MAGIC, (OLE, "an old or encrypted office document")):
        if head.startswith(magic):
            raise InputError(f"{path} is {kind}, not CSV; export the table as CSV, or give it its proper ending")
    if not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        controls = sum(head.count(bytes([code])) for code in (*range(1, 9), *range(14, 32))) + head.count(0)
        if controls > max(8, len(head) // 100):
            raise InputError(f"{path} is a binary file, not CSV; export the table as CSV, XLSX or Parquet")
    if not head.strip(b"\xef\xbb\xbf \t\r\n\x00"):
        raise InputError(f"{path} holds nothing but white space; a table needs at least a header row")


def load(connection: DuckDBPyConnection, path: Path, workplace: Path, taken: set[str]) -> list[LoadedTable]:
    """Read the file into the database: one table, or one for each sheet that is not empty. `workplace` is an empty folder for copies.

    Raises:
        InputError: the file cannot be read as a table.
        MissingExtra: a spreadsheet, and its reader is not installed.
    """
    inspect(path)
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return [_load_parquet(connection, path, workplace, taken)]
    if suffix not in SPREADSHEETS:
        return [_load_text(connection, path, path, workplace, _identifier(path.stem, taken))]
    sheets, left_out = _sheets(path, workplace)
    hidden = ", ".join(left_out)
    note = (f"hidden sheets were left out: {hidden}",) if hidden else ()
    loaded: list[LoadedTable] = []
    for title, copy in sheets:
        name = _identifier(path.stem if len(sheets) == 1 else f"{path.stem}_{title}", taken)
        loaded.append(_load_text(connection, copy, path, workplace, name, note))
    return loaded


def _load_parquet(connection: DuckDBPyConnection, path: Path, workplace: Path, taken: set[str]) -> LoadedTable:
    import duckdb

    link, name = _linked(path, workplace, ".parquet"), _identifier(path.stem, taken)
    try:
        connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM read_parquet({literal(str(link))})")
    except duckdb.Error as error:
        _refuse(path, error)
        raise InputError(f"{path} is a damaged or encrypted Parquet file; export it again") from None
    return _described(connection, name, path, (), {}, 0)


def _refuse(path: Path, error: Exception) -> None:
    import duckdb

    if isinstance(error, duckdb.InterruptException):
        raise error
    if isinstance(error, (duckdb.OutOfMemoryException, duckdb.IOException)) and "memory" in str(error).lower():
        raise InputError(f"{path} does not fit into the memory set aside for tables; give a smaller extract, or only the columns needed") from None


def _linked(path: Path, workplace: Path, suffix: str) -> Path:
    """A plain name for the file: the readers take `*`, `?` and `[` in a path as wildcards."""
    link = workplace / f"input{len(list(workplace.iterdir()))}{suffix}"
    try:
        link.symlink_to(path.resolve())
    except OSError:
        return path
    return link


def _sheets(path: Path, workplace: Path) -> tuple[list[tuple[str, Path]], list[str]]:
    """The sheets that are shown and hold something, each as CSV, and the names of those that are hidden."""
    try:
        import python_calamine
    except ImportError:
        raise MissingExtra("reading spreadsheets", "tables") from None
    try:
        book = python_calamine.CalamineWorkbook.from_path(str(path))  # pyright: ignore[reportUnknownMemberType]
        shown = [sheet.name for sheet in book.sheets_metadata if sheet.visible == python_calamine.SheetVisibleEnum.Visible] or book.sheet_names
        contents = [(title, _unmerged(book.get_sheet_by_name(title))) for title in shown]
    except python_calamine.PasswordError:
        raise InputError(f"{path} is encrypted with a password; save an unprotected copy, or export the sheet as CSV") from None
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a spreadsheet ({type(error).__name__}); open it and save it again as XLSX or CSV") from None
    sheets: list[tuple[str, Path]] = []
    for number, (title, rows) in enumerate(contents):
        if not any(any(cell not in ("", None) for cell in row) for row in rows):
            continue
        copy = workplace / f"sheet{number}.csv"
        with copy.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([_cell_text(cell) for cell in row] for row in rows)
        sheets.append((title, copy))
    if not sheets:
        raise InputError(f"{path} has no sheet with anything in it")
    return sheets, [title for title in book.sheet_names if title not in shown]


def _unmerged(sheet: CalamineSheet) -> list[list[Any]]:
    """The rows of a sheet, with a label that is merged over several rows in each of them; a figure stays in its first."""
    rows: list[list[Any]] = sheet.to_python(skip_empty_area=True)
    if sheet.start is None:
        return rows
    top, left = sheet.start
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        if last > first and 0 <= first - top < len(rows) and 0 <= column - left < len(rows[first - top]):
            label = rows[first - top][column - left]
            for row in rows[first - top + 1 : last - top + 1]:
                if isinstance(label, str) and row[column - left] in ("", None):
                    row[column - left] = label
    return rows


def _cell_text(cell: object) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}"
    isoformat = getattr(cell, "isoformat", None)
    if isoformat is not None:
        text = str(isoformat())
        return text.removesuffix("T00:00:00")
    return str(cell if cell is not None else "").replace("\x00", "")


def _load_text(connection: DuckDBPyConnection, path: Path, source: Path, workplace: Path, name: str, already: tuple[str, ...] = ()) -> LoadedTable:
    import duckdb

    with path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
    encoding = _encoding(path, head)
    plain, notes = _linked(path, workplace, ".csv"), list(already)
    if encoding != "utf-8" or b"\x00" in head:
        plain = workplace / f"copy{len(list(workplace.iterdir()))}.csv"
        _transcode(path, plain, encoding)
    dialect = _dialect(source, head.decode(encoding, "replace").replace("\x00", "").lstrip("\ufeff"), encoding, len(head) == SAMPLE_BYTES)
    columns = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in dialect.names)
    raw = quoted(name + " raw")
    try:
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {raw} AS SELECT * FROM read_csv({literal(str(plain))}, delim={literal(dialect.delimiter)}, quote='\"', escape='\"',"
            f" header=false, skip={dialect.skip}, columns={{{columns}}}, auto_detect=false, null_padding=true, ignore_errors=true, store_rejects=true,"
            " parallel=false, max_line_size=4000000)"
        )
        rejects = connection.execute("SELECT DISTINCT line FROM reject_errors ORDER BY line").fetchall()
        connection.execute("DROP TABLE IF EXISTS reject_errors; DROP TABLE IF EXISTS reject_scans")
        short = _short_rows(connection, raw, dialect.names)
        if rejects:
            lines = ", ".join(str(line) for (line,) in rejects[:10])
            notes.append(f"{len(rejects)} broken rows were left out (lines {lines}{', …' if len(rejects) > 10 else ''})")
        typing = typed_columns(connection, raw, dialect.names, semicolons=dialect.delimiter == ";")
        connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT {', '.join(typing.expressions)} FROM {raw}")
        notes += typing.notes
        connection.execute(f"DROP TABLE {raw}")
    except duckdb.Error as error:
        _refuse(source, error)
        raise InputError(f"{source} cannot be read as a table; open it and save it again as CSV (UTF-8, comma separated)") from None
    return _described(connection, name, source, tuple(notes), typing.units, len(rejects) + short)


def _short_rows(connection: DuckDBPyConnection, raw: str, names: tuple[str, ...]) -> int:
    """Rows whose every column but the first is empty: a line that was cut, or a caption inside the table."""
    if len(names) < 3:
        return 0
    rest = " AND ".join(f"{quoted(name)} IS NULL" for name in names[1:])
    row = connection.execute(f"SELECT count(*) FROM {raw} WHERE {quoted(names[0])} IS NOT NULL AND {rest}").fetchone()
    connection.execute(f"DELETE FROM {raw} WHERE {rest}")
    return int(row[0]) if row else 0


def _encoding(path: Path, head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                decoder.decode(chunk)
        decoder.decode(b"", True)
        return "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return "cp1252"
    best = from_bytes(head[:65536], cp_isolation=["cp1252", "gb18030", "big5", "shift_jis", "euc_kr", "cp1251", "cp1250"]).best()
    return best.encoding if best is not None else "cp1252"


def _transcode(path: Path, copy: Path, encoding: str) -> None:
    with path.open("r", encoding=encoding, errors="replace", newline="") as source, copy.open("w", encoding="utf-8", newline="") as target:
        while chunk := source.read(CHUNK_BYTES):
            target.write(chunk.replace("\x00", ""))


def _dialect(path: Path, text: str, encoding: str, cut: bool) -> _Dialect:
    if cut:
        text = text[: text.rfind("\n") + 1] or text
    best: tuple[float, str, list[list[str]]] = (-1.0, ",", [])
    for delimiter in DELIMITERS:
        rows = _parsed(text, delimiter)
        widths = Counter(len(row) for row in rows if row)
        if not widths:
            continue
        width, count = max(widths.items(), key=lambda item: (item[1] * (item[0] > 1), item[0]))
        score = (count / sum(widths.values())) * (1 + min(width, 20) / 100) if width > 1 else 0.01
        if score > best[0]:
            best = (score, delimiter, rows)
    _, delimiter, rows = best
    if not rows:
        raise InputError(f"{path} has no rows; a table needs at least a header row")
    widths = Counter(len(row) for row in rows if len(row) > 1) or Counter([1])
    width = max(widths.items(), key=lambda item: (item[1], item[0]))[0]
    top = next((index for index, row in enumerate(rows) if len(row) == width and sum(bool(cell.strip()) for cell in row) > (width > 2)), 0)
    header = rows[top]
    titled = any(cell.strip() and not re.fullmatch(NUMBER_ENGLISH, cell.strip()) for cell in header)
    names = _column_names(header if titled else [""] * width)
    line = _line_of(text, delimiter, top) + (1 if titled else 0)
    return _Dialect(encoding=encoding, delimiter=delimiter, skip=line, names=names)


def _parsed(text: str, delimiter: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(io.StringIO(text), delimiter=delimiter)][:2000]
    except csv.Error:
        return [line.split(delimiter) for line in text.splitlines()[:2000]]


def _line_of(text: str, delimiter: str, row: int) -> int:
    """How many lines of the file stand before that row: a quoted cell may hold line breaks."""
    try:
        reader = csv.reader(io.StringIO(text), delimiter=delimiter)
        for _ in range(row):
            next(reader)
        before = reader.line_num
        next(reader)
        return reader.line_num - 1 if reader.line_num - before == 1 else before
    except (csv.Error, StopIteration):
        return row


def _column_names(header: list[str]) -> tuple[str, ...]:
    names, taken = list[str](), set[str]()
    for number, cell in enumerate(header, 1):
        base = re.sub(r"\s+", " ", cell.replace("\ufeff", "")).strip() or f"column_{number}"
        name, copy = base, 2
        while name.casefold() in taken:
            name, copy = f"{base}_{copy}", copy + 1
        taken.add(name.casefold())
        names.append(name)
    return tuple(names)


def _described(connection: DuckDBPyConnection, name: str, source: Path, notes: tuple[str, ...], units: Mapping[str, str], broken: int) -> LoadedTable:
    described = connection.execute(f"DESCRIBE {quoted(name)}").fetchall()
    count = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()
    columns = tuple(Column(name=str(row[0]), kind=_kind(str(row[1])), sql_type=str(row[1]), unit=units.get(str(row[0]), "")) for row in described)
    return LoadedTable(
        name=name,
        source=os.fsencode(source.name).decode("utf-8", "replace"),
        rows=int(count[0]) if count else 0,
        columns=columns,
        broken_rows=broken,
        notes=notes,
    )


def _kind(sql_type: str) -> str:
    if sql_type.removeprefix("U").startswith(("DECIMAL", "BIGINT", "INTEGER", "SMALLINT", "TINYINT", "HUGEINT", "DOUBLE", "FLOAT")):
        return "number"
    if sql_type.startswith(("DATE", "TIMESTAMP")):
        return "date"
    return "text" if sql_type.startswith(("VARCHAR", "ENUM")) else "other"
