"""The two databases under the store, with one set of statements: `:name` parameters, which SQLite reads as they are and SQLAlchemy translates.

SQLite goes through the standard library, because importing SQLAlchemy takes longer than checking a page; a server goes through SQLAlchemy, which knows
its pools, its reconnects and its URLs.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

from redraft.errors import MissingExtra, UsageError

__all__ = ["Database", "Execute", "ServerDatabase", "SqliteDatabase", "open_database"]

Row = Sequence[Any]
Execute = Callable[[str, Mapping[str, Any]], list[Row]]
BUSY_SECONDS = 3.0
"""How long a writer waits for another one."""


class Database(Protocol):
    """What the store asks of a database. Errors are the driver's own; the store turns them into words."""

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]: ...

    @property
    def shown(self) -> str:
        """Its place, without a password."""
        ...

    def read(self, statement: str, values: Mapping[str, Any]) -> list[Row]: ...

    def write(self, *, alone: bool = False) -> AbstractContextManager[Execute]:
        """One transaction; `alone`: no other process is in such a one."""
        ...

    def attempt(self, work: Callable[[Execute], None]) -> bool:
        """Do something that may fail without harm, in a transaction of its own."""
        ...

    def has_table(self, name: str) -> bool: ...

    def reclaim(self) -> None:
        """Give the room of deleted rows back to the disk, where the database does not do so by itself."""
        ...

    def close(self) -> None: ...


class SqliteDatabase:
    """A file, or memory for `:memory:`. Opened at its first use; a new file is its owner's alone to read."""

    dialect: Literal["sqlite", "postgresql"] = "sqlite"

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    @property
    def shown(self) -> str:
        return self._path

    def read(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        with self._lock:
            return self._open().execute(statement, values).fetchall()

    @contextmanager
    def write(self, *, alone: bool = False) -> Generator[Execute]:
        with self._lock:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield lambda statement, values: connection.execute(statement, values).fetchall()
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def attempt(self, work: Callable[[Execute], None]) -> bool:
        try:
            with self.write() as execute:
                work(execute)
        except sqlite3.Error:
            return False
        return True

    def has_table(self, name: str) -> bool:
        return bool(self.read("SELECT 1 FROM sqlite_master WHERE name = :name", {"name": name}))

    def reclaim(self) -> None:
        with self._lock:
            self._open().execute("PRAGMA incremental_vacuum").fetchall()
            self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            if self._path != ":memory:":
                Path(self._path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            try:
                for pragma in ("auto_vacuum=INCREMENTAL", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "cache_size=-16000"):
                    connection.execute(f"PRAGMA {pragma}").fetchall()
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection


class ServerDatabase:
    """A PostgreSQL server by its URL.

    Raises:
        UsageError: the URL is none, or names another kind of database.
        MissingExtra: SQLAlchemy or its driver is not installed.
    """

    dialect: Literal["sqlite", "postgresql"] = "postgresql"

    def __init__(self, url: str) -> None:
        try:
            import sqlalchemy
            from sqlalchemy.exc import ArgumentError, SQLAlchemyError
        except ImportError:
            raise MissingExtra("keeping records on a server", "postgres") from None
        try:
            parsed = sqlalchemy.make_url(url)
        except ArgumentError:
            raise UsageError("the database URL cannot be read; for example: postgresql://user@host/redraft") from None
        if parsed.get_backend_name() != "postgresql":
            raise UsageError(f"records are kept in SQLite or PostgreSQL, not in {parsed.get_backend_name()!r}; for example: postgresql://user@host/redraft")
        self.shown = parsed.render_as_string(hide_password=True)
        try:
            self._engine = sqlalchemy.create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, connect_args={"connect_timeout": 5})
        except ImportError:
            raise MissingExtra("keeping records on a server", "postgres") from None
        self._text = sqlalchemy.text
        self._failed: type[Exception] = SQLAlchemyError

    def read(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        with self._engine.connect() as connection:
            return [tuple(row) for row in connection.execute(self._text(statement), dict(values))]

    @contextmanager
    def write(self, *, alone: bool = False) -> Generator[Execute]:
        with self._engine.begin() as connection:

            def execute(statement: str, values: Mapping[str, Any]) -> list[Row]:
                result = connection.execute(self._text(statement), dict(values))
                return [tuple(row) for row in result] if result.returns_rows else []

            if alone:
                execute("SELECT pg_advisory_xact_lock(7203114)", {})
            yield execute

    def attempt(self, work: Callable[[Execute], None]) -> bool:
        try:
            with self.write() as execute:
                work(execute)
        except self._failed:
            return False
        return True

    def has_table(self, name: str) -> bool:
        return self.read("SELECT to_regclass(:name)", {"name": name})[0][0] is not None

    def reclaim(self) -> None:
        """The server does it by itself."""

    def close(self) -> None:
        self._engine.dispose()


def open_database(url: str) -> Database:
    """The database of a URL: `sqlite:///path`, `sqlite://` (in memory), `postgresql://…`.

    Raises:
        UsageError: another kind of URL.
        MissingExtra: a server without the extra.
    """
    if url.startswith("sqlite:"):
        _, mark, path = url.partition("://")
        if not mark or (path and not path.startswith("/")):
            raise UsageError("a SQLite URL has three slashes before the path, four where the path is absolute: sqlite:///records.sqlite")
        return SqliteDatabase(path.partition("?")[0][1:] or ":memory:")
    return ServerDatabase(url)
