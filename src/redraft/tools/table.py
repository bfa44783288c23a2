"""The table tool: SQL over the caller's CSV, XLSX and Parquet files, read only, in a database that can reach nothing else."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
import threading
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from redraft.errors import InputError, MissingExtra
from redraft.tools.column_types import literal, quoted
from redraft.tools.table_files import LoadedTable, inspect, load
from redraft.types import Evidence, Failure, FailureKind, ToolCall, ToolResult

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["SCAN_CELLS", "TableTool"]

MAX_SQL = 60_000
SAMPLE_VALUES = 30
SCAN_CELLS = 60_000
"""A table with at most this many cells is given whole to who asks with `scan NAME`."""
TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "repeat_row"})
SCALAR_FUNCTIONS_REFUSED = re.compile(
    r"^(getenv|current_setting|query|query_table|read_|write_|glob|pg_|duckdb_|nextval|setseed|getvariable|in_search_path|.*_secret)"
)
RESERVED_INPUT = re.compile(r"(schema|scan)\b\s*(.*)", re.DOTALL)


class _Refused(Exception):
    """The query is not one that may run; the message says why, and what may."""


class TableTool:
    """Answers SQL (one SELECT) over the given files; see `summary` for its two other inputs. Files are loaded on first use."""

    name = "table"

    def __init__(self, paths: Sequence[str | Path], *, timeout_seconds: float = 30.0, max_rows: int = 100, max_chars: int = 8_000, memory: str = "1GB") -> None:
        self.paths = tuple(Path(path) for path in paths)
        self.timeout_seconds = timeout_seconds
        self._max_rows = max_rows
        self._max_chars = max_chars
        self._memory = memory
        self._connection: DuckDBPyConnection | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._loaded: tuple[LoadedTable, ...] = ()
        self._lock = threading.Lock()

    @property
    def summary(self) -> str:
        names = ", ".join(path.name for path in self.paths)
        return f"Figures from tables ({names}). Input: one SELECT in DuckDB's SQL; `schema` lists tables, columns and values; `scan NAME` gives one whole."

    @classmethod
    def validate(cls, paths: Sequence[str | Path]) -> None:
        """Refuse, before a run and in words, what cannot be a table.

        Raises:
            InputError: a file is missing, empty, binary, encrypted or of another format; the message says how to mend it.
            MissingExtra: the database is not installed.
        """
        for path in paths:
            inspect(Path(path))
        _duckdb()

    def load(self) -> None:
        """Read all files now. For those who want a broken file said before a run begins: to a run it is but a tool that failed.

        Raises:
            InputError: a file cannot be read as a table.
            MissingExtra: its format needs an optional dependency.
        """
        with self._lock:
            try:
                self._open()
            except BaseException as error:
                self._discard()
                if not isinstance(error, InputError | MissingExtra) and "Query interrupted" in str(error):
                    raise KeyboardInterrupt from None  # the database swallows Ctrl-C and says so in its own way
                raise

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or could not be told apart in reading, once it was read."""
        return tuple(f"{table.source}: {note}" for table in self._loaded for note in table.notes)

    def _discard(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    async def run(self, call: ToolCall) -> ToolResult:
        work = asyncio.create_task(asyncio.to_thread(self._run, call))
        try:
            async with asyncio.timeout(self.timeout_seconds * 0.95):
                return await asyncio.shield(work)
        except TimeoutError:
            await self._interrupt(work)
            return _failure(call, "timeout", f"the query did not end within {self.timeout_seconds:g} s and was stopped; ask for less, or give a smaller table")
        except asyncio.CancelledError:
            await self._interrupt(work)
            raise

    async def close(self) -> None:
        self._discard()

    async def _interrupt(self, work: asyncio.Task[ToolResult]) -> None:
        """Stop the running query and wait for its thread: an abandoned thread would go on using the machine."""
        while not work.done():
            connection = self._connection
            if connection is not None:
                connection.interrupt()
            await asyncio.wait({work}, timeout=0.05)

    def _run(self, call: ToolCall) -> ToolResult:
        try:
            with self._lock:
                connection = self._open()
                reserved = RESERVED_INPUT.fullmatch(call.input.strip())
                if reserved and reserved[1] == "schema":
                    return self._schema(call, connection)
                if reserved:
                    return self._scan(call, connection, reserved[2].strip().strip('"'))
                return self._select(call, connection)
        except _Refused as refusal:
            return _failure(call, "denied", str(refusal))
        except InputError as error:
            return _failure(call, "bad_input", str(error))
        except MissingExtra as error:
            return _failure(call, "unsupported", str(error))
        except Exception as error:
            return self._explained(call, error)

    def _open(self) -> DuckDBPyConnection:
        if self._connection is not None and self._loaded:
            return self._connection
        duckdb = _duckdb()
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="redraft-table-", ignore_cleanup_errors=True)
        root = Path(self._folder.name)
        spill = root / "spill"
        spill.mkdir(exist_ok=True)
        connection = duckdb.connect(":memory:")
        self._connection = connection
        connection.execute(
            f"SET memory_limit={literal(self._memory)}; SET temp_directory={literal(str(spill))}; SET max_temp_directory_size='8GB'; SET threads=2"
        )
        connection.execute("SET enable_progress_bar=false; SET autoinstall_known_extensions=false; SET preserve_insertion_order=true")
        taken: set[str] = set()
        loaded: list[LoadedTable] = []
        for number, path in enumerate(self.paths):
            workplace = root / f"file{number}"
            workplace.mkdir(exist_ok=True)
            loaded += load(connection, path, workplace, taken)
        if not loaded:
            raise InputError("no table was given; name a CSV, XLSX or Parquet file with --table")
        connection.execute("SET enable_external_access=false; SET lock_configuration=true")
        self._loaded = tuple(loaded)
        return connection

    def _select(self, call: ToolCall, connection: DuckDBPyConnection) -> ToolResult:
        sql = call.input.strip().rstrip(";").strip()
        _check_query(connection, sql, {table.name for table in self._loaded})
        cursor = connection.execute(sql)
        names = [str(column[0]) for column in cursor.description or ()]
        rows = cursor.fetchmany(self._max_rows + 1)
        if not rows:
            return _failure(call, "empty", "the query found no rows")
        cut = len(rows) > self._max_rows
        rows = rows[: self._max_rows]
        value = ""
        if len(rows) == 1 and len(rows[0]) == 1:
            if rows[0][0] is None:
                return _failure(call, "empty", "the query's result is empty (NULL)")
            value = exact(rows[0][0])
        if len(rows) == 1 and not _reads(connection, sql, {table.name for table in self._loaded}):
            raise _Refused("the query gives a constant and no figure of a table; select columns, or aggregates of them, from a table: " + self._title())
        text = self._cut(_rendered(names, rows), cut)
        return (Evidence(tool=self.name, input=call.input, text=text, value=value, title=self._title(), source=", ".join(path.name for path in self.paths)),)

    def _title(self) -> str:
        return ", ".join(table.name for table in self._loaded[:5])

    def _cut(self, text: str, cut: bool) -> str:
        if len(text) > self._max_chars:
            text, cut = text[: self._max_chars].rsplit("\n", 1)[0], True
        return text + (f"\n… (cut: no more than {self._max_rows} rows and {self._max_chars} characters are shown)" if cut else "")

    def _schema(self, call: ToolCall, connection: DuckDBPyConnection) -> ToolResult:
        tables = [_catalog(connection, table) for table in self._loaded]
        lines = [
            f"{table['name']} ({table['rows']} rows): " + ", ".join(f"{column['name']} {column['sql_type']}" for column in table["columns"]) for table in tables
        ]
        lines += [f"{table['name']}: {note}" for table in tables for note in table["notes"]]
        text = self._cut("\n".join(lines), False)
        value = json.dumps({"tables": tables}, ensure_ascii=False)
        return (Evidence(tool=self.name, input=call.input, text=text, value=value, title=self._title(), source=", ".join(path.name for path in self.paths)),)

    def _scan(self, call: ToolCall, connection: DuckDBPyConnection, name: str) -> ToolResult:
        table = next((table for table in self._loaded if table.name == name), None)
        if table is None:
            return _failure(call, "bad_input", f"there is no table {name!r}; there are: {', '.join(table.name for table in self._loaded)}")
        if table.rows * len(table.columns) > SCAN_CELLS:
            return _failure(call, "too_large", f"{name} has more than {SCAN_CELLS} cells; use SELECT")
        rows = connection.execute(f"SELECT * FROM {quoted(name)}").fetchall()
        value = json.dumps([[None if cell is None else exact(cell) for cell in row] for row in rows], ensure_ascii=False)
        text = f"{name}: {len(rows)} rows, {len(table.columns)} columns"
        return (Evidence(tool=self.name, input=call.input, text=text, value=value, title=name, source=table.source),)

    def _explained(self, call: ToolCall, error: Exception) -> Failure:
        """A database error as a typed failure that tells a planner what to write instead."""
        duckdb = _duckdb()
        known = "; ".join(f"{table.name}({', '.join(column.name for column in table.columns[:30])})" for table in self._loaded)[:1500]
        if isinstance(error, duckdb.InterruptException):
            return _failure(call, "timeout", "the query was stopped because it took too long")
        if isinstance(error, duckdb.OutOfMemoryException):
            return _failure(call, "too_large", "the query needs more memory than is set aside for tables; ask for less")
        if isinstance(error, duckdb.PermissionException):
            return _failure(call, "denied", "files, the network and settings are out of reach here; query the tables only: " + known)
        if isinstance(error, (duckdb.CatalogException, duckdb.BinderException)):
            return _failure(call, "bad_input", f"the query names a table, column or function that does not exist; tables and columns: {known}")
        if isinstance(error, duckdb.ParserException):
            return _failure(call, "bad_input", "the query is not valid SQL; write one SELECT, with names that hold spaces in double quotes")
        if isinstance(error, (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException)):
            return _failure(call, "bad_input", "a value in the query does not fit the type of the column; see `schema` for the types")
        return _failure(call, "broken", f"the table database failed ({type(error).__name__})")


def exact(cell: object) -> str:
    """The canonical form of a cell: shortest exact decimal for numbers, ISO for dates, the text itself otherwise."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, Decimal):
        text = format(cell, "f")
        return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"
    if isinstance(cell, Fraction):
        return str(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, date):
        return cell.isoformat()
    return str(cell)


def _rendered(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    if len(rows) == 1 and len(names) == 1:
        return f"{names[0]}: {exact(rows[0][0])}" if len(names[0]) <= 60 else exact(rows[0][0])
    lines = [" | ".join(names)]
    lines += [" | ".join("" if cell is None else exact(cell).replace("\n", " ") for cell in row) for row in rows]
    return "\n".join(lines)


def _failure(call: ToolCall, kind: FailureKind, message: str) -> Failure:
    return Failure(tool=call.tool, input=call.input, kind=kind, message=message)


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("reading tables", "tables") from None
    return duckdb


def _check_query(connection: DuckDBPyConnection, sql: str, tables: set[str]) -> None:
    """Let only one SELECT over the loaded tables through; judged on the database's own syntax tree, not on the text."""
    duckdb = _duckdb()
    if not sql:
        raise _Refused("the input is empty; write one SELECT, or `schema` to see the tables")
    if len(sql) > MAX_SQL:
        raise _Refused(f"the query has more than {MAX_SQL} characters")
    if "\x00" in sql:
        raise _Refused("the query holds a NUL character; leave it out")
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise _Refused("only one statement is run; write a single SELECT")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise _Refused("only reading is allowed; write a single SELECT")
    row = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    tree: Any = json.loads(row[0]) if row else {"error": True}
    if tree.get("error"):
        raise _Refused("only a plain SELECT is run (no PIVOT statement, no PRAGMA)")
    for node in _nodes(tree):
        kind = node.get("type")
        if kind == "TABLE_FUNCTION" and str(cast(dict[str, Any], node.get("function") or {}).get("function_name", "")).lower() not in TABLE_FUNCTIONS:
            raise _Refused("functions that read files, settings or other queries are not available; query the tables by name")
        if kind == "FUNCTION" and SCALAR_FUNCTIONS_REFUSED.match(str(node.get("function_name", "")).lower()):
            raise _Refused("functions that read files, settings or other queries are not available; query the tables by name")
        if kind == "BASE_TABLE" and (str(node.get("schema_name") or "main").lower() not in ("main", "temp") or node.get("catalog_name")):
            raise _Refused(f"only these tables are available: {', '.join(sorted(tables))}")


def _reads(connection: DuckDBPyConnection, sql: str, tables: set[str]) -> bool:
    """Whether the query reads a loaded table (or lists them) and what it gives depends on it: `SELECT 42` and `SELECT 42 FROM sales` prove nothing."""
    row = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    tree: Any = json.loads(row[0]) if row else {"statements": []}
    known = {name.lower() for name in tables}
    if any(node.get("type") == "SHOW_REF" for node in _nodes(tree)):
        return True
    if not any(node.get("type") == "BASE_TABLE" and str(node.get("table_name", "")).lower() in known for node in _nodes(tree)):
        return False
    parts: list[dict[str, Any]] = [statement["node"] for statement in tree["statements"]]
    while parts:
        part = parts.pop()
        if "select_list" not in part:
            parts.extend(part.get("children") or [side for side in (part.get("left"), part.get("right")) if side])
            continue
        given = list(_nodes(part["select_list"]))
        if not any(node.get("class") in ("COLUMN_REF", "STAR", "SUBQUERY") or node.get("function_name") == "count_star" for node in given):
            return False
    return True


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield cast(dict[str, Any], node)
            stack.extend(cast(dict[str, Any], node).values())
        elif isinstance(node, list):
            stack.extend(cast(list[Any], node))


def _catalog(connection: DuckDBPyConnection, table: LoadedTable) -> dict[str, Any]:
    columns: list[dict[str, Any]] = []
    small = table.rows * len(table.columns) <= 2_000_000
    for column in table.columns:
        entry: dict[str, Any] = {"name": column.name, "kind": column.kind, "sql_type": column.sql_type, "unit": column.unit}
        name, source = quoted(column.name), quoted(table.name)
        distinct = f"count(DISTINCT {name})" if small else f"approx_count_distinct({name})"
        ends = f"min({name}), max({name})" if column.kind in ("number", "date") else "NULL, NULL"
        row = connection.execute(f"SELECT count({name}), {distinct}, {ends} FROM {source}").fetchone() or (0, 0, None, None)
        entry |= {"filled": row[0], "distinct": row[1]}
        if row[2] is not None:
            entry |= {"min": exact(row[2]), "max": exact(row[3])}
        if column.kind in ("text", "date"):
            found = connection.execute(
                f"SELECT {name} FROM {source} WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {SAMPLE_VALUES}"
            ).fetchall()
            entry["values"] = [exact(value)[:80] for (value,) in found]
        columns.append(entry)
    return {
        "name": table.name,
        "source": table.source,
        "rows": table.rows,
        "broken_rows": table.broken_rows,
        "notes": list(table.notes),
        "columns": columns,
    }
