"""A run's record while it is being written: every event is in the database before the next one happens, so that a killed run has its record so far.

What cannot be written now waits, and is tried once more at the end of the run; if that fails too, the run has a warning, never an error.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from concurrent.futures import Executor, Future
from typing import Any, cast

from redraft.errors import RedraftError
from redraft.records.database import Database, Execute
from redraft.records.rows import COLUMNS, Progress, RunRow, advanced
from redraft.records.schema import migrate
from redraft.trace import Record

__all__ = ["SEARCHED_CHARACTERS", "RunKeeper", "row_values", "said", "size_of", "stored_values", "write_records"]

SEARCHED_CHARACTERS = 20_000
"""How much of a query and of an answer can be searched for."""
_INSERT = f"INSERT INTO redraft_runs ({', '.join(COLUMNS)}) VALUES ({', '.join(':' + name for name in COLUMNS)}) RETURNING number"
_EVENT = "INSERT INTO redraft_events (run, seq, line) VALUES (:run, :seq, :line)"

Waiting = list[tuple[Record, Mapping[str, str]]]


class RunKeeper:
    """Keeps one run (`trace.RecordKeeper`). With an `executor`, writing happens there, and `keep` returns at once."""

    def __init__(self, database: Database, run_id: str, executor: Executor | None = None) -> None:
        self.run_id = run_id
        self.problem = ""
        """Why the record could not be kept, or empty."""
        self._database = database
        self._executor = executor
        self._progress = Progress(run_id)
        self._waiting: Waiting = []
        self._number: int | None = None
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._writing: Future[None] | None = None

    def keep(self, record: Record, payload: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        """Keep one record; returns when it is in the database, or when it is clear that it cannot be now."""
        with self._lock:
            advanced(self._progress, payload, record.at, record.hash, size_of(record, texts))
            self._waiting.append((record, texts))
        if self.problem:
            return
        if self._executor is None:
            self._write()
        elif self._writing is None or self._writing.done():
            self._writing = self._executor.submit(self._write)

    def finish(self) -> str:
        """Write what still waits. Returns what to warn of, or nothing."""
        if self._writing is not None:
            self._writing.result()
        self.problem = ""
        while self._waiting and not self.problem:
            self._write()
        return f"the record of this run could not be kept: {self.problem}" if self.problem else ""

    @property
    def remote(self) -> bool:
        """Whether `finish` may have to wait for a server."""
        return self._executor is not None

    def _write(self) -> None:
        with self._turn:
            while True:
                with self._lock:
                    waiting, changed = list(self._waiting), set(self._progress.changed)
                    values = {name: self._progress.values[name] for name in changed}
                    self._progress.changed.clear()
                    body = (self._progress.query[:SEARCHED_CHARACTERS], self._progress.answer[:SEARCHED_CHARACTERS])
                if not waiting:
                    self._progress.changed |= changed
                    return
                try:
                    if self._number is None:
                        migrate(self._database)
                    with self._database.write() as execute:
                        number = write_records(execute, self._number, values, waiting, "\n".join(body))
                except Exception as error:  # whatever a database driver or a disk comes up with: the run goes on
                    self._progress.changed |= changed
                    self.problem = said(error, self._database.shown)
                    return
                self._number = number
                with self._lock:
                    del self._waiting[: len(waiting)]


def write_records(execute: Execute, number: int | None, values: Mapping[str, Any], waiting: Waiting, body: str) -> int:
    """Write records and the list entry that they lead to; returns the run's number. `values` are those of the entry, all of a new one, else those that
    changed; `body` is what a search looks through."""
    if number is None:
        number = int(execute(_INSERT, stored_values(values))[0][0])
        execute("INSERT INTO redraft_search (rowid, body) VALUES (:run, :body)", {"run": number, "body": body})
    else:
        changes = ", ".join(f"{name} = :{name}" for name in sorted(values))
        execute(f"UPDATE redraft_runs SET {changes} WHERE number = :number", {**stored_values(values), "number": number})
        if values.get("complete"):
            execute("UPDATE redraft_search SET body = :body WHERE rowid = :run", {"run": number, "body": body})
    for record, texts in waiting:
        for address, text in texts.items():
            content = text.encode("utf-8", "surrogatepass")
            values = {"run": number, "address": address, "content": content}
            execute("INSERT INTO redraft_texts (address, content) VALUES (:address, :content) ON CONFLICT DO NOTHING", values)
            execute("INSERT INTO redraft_uses (run, address) VALUES (:run, :address) ON CONFLICT DO NOTHING", values)
        execute(_EVENT, {"run": number, "seq": record.seq, "line": record.line})
    return number


def row_values(row: RunRow) -> dict[str, Any]:
    """A whole row as the table holds it."""
    return stored_values({name: getattr(row, name) for name in COLUMNS})


def stored_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a row as the table holds them: truth as 0 and 1, tags between commas, texts as any database can hold them."""
    return {name: _stored(value) for name, value in values.items()}


def _stored(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, tuple):
        tags = cast("tuple[str, ...]", value)
        return f",{','.join(tags)}," if tags else ""
    return _storable(value) if isinstance(value, str) else value


def _storable(text: str) -> str:
    """The text without what a database's text cannot hold: halves of surrogate pairs and NUL."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


def size_of(record: Record, texts: Mapping[str, str]) -> int:
    return len(record.line) + sum(len(text.encode("utf-8", "surrogatepass")) for text in texts.values())


def said(error: Exception, place: str) -> str:
    """Why a database cannot be used, in words that say how to mend it; neither statements nor values are in them."""
    if isinstance(error, RedraftError):
        return str(error)
    if isinstance(error, OSError):
        return f"{place}: {error.strerror or error}; set REDRAFT_HOME to a folder that can be written"
    cause = getattr(error, "orig", None) or error
    text = str(cause).strip().split("\n")[0]
    if isinstance(cause, sqlite3.Error):
        if "not a database" in text or "malformed" in text:
            return f"{place} is damaged ({text}); move it away, and the next run begins a new one"
        if "readonly" in text or "unable to open" in text:
            return f"{place} cannot be written ({text}); set REDRAFT_HOME to a folder that can"
        if "full" in text:
            return f"{place}: the disk is full; make room, or thin the records out (redraft trace prune)"
        if "disk I/O" in text:  # reading too needs room, for the file beside it that several readers share
            return f"{place} cannot be used ({text}): the disk is full or broken, or a limit on the size of files is too low"
        if "locked" in text:
            return f"{place} is in use by another program, and did not become free in time"
        if "no such module: fts5" in text or "tokenizer" in text:
            return f"{place}: this Python's SQLite ({sqlite3.sqlite_version}) lacks the trigram search; use one with SQLite 3.34 or later"
    return f"{place}: {text}" if text else f"{place}: {type(cause).__name__}"
