"""Memory of verified facts: what a run found out with paid calls, kept in one SQLite file for the runs after it, until its evidence is stale.

Any number of processes may use the file at once. It never fails a run: what cannot be read is not remembered, a damaged file is set aside and said so,
and the oldest use goes first when it is full. It holds the words of claims and of their evidence; keys and, where privacy is on, personal data never.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from redraft.effects import MEMORY, SystemClock
from redraft.protocols import Clock
from redraft.types import Evidence, Failure, FailureKind, ToolCall, ToolResult

__all__ = ["FILE_NAME", "Memory", "MemoryTool", "Remembered", "moment"]

FILE_NAME = "memory.sqlite3"
VERSION = 1
BUSY_SECONDS = 5.0
CLOCKS_DIFFER_SECONDS = 86_400.0
LARGEST_FACT = 100_000
"""Characters of one fact; what is larger is not remembered."""
LAST_SECOND = 253_402_300_799.0
"""Of the year 9999."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    key TEXT PRIMARY KEY, statement TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, confidence REAL NOT NULL, judge TEXT NOT NULL,
    tools TEXT NOT NULL, checked REAL NOT NULL, expires REAL NOT NULL, used REAL NOT NULL, size INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS facts_used ON facts (used);
"""
NUMBERS = frozenset({"confidence", "checked", "expires", "used"})
COLUMNS = "key, statement, kind, status, confidence, judge, tools, checked, expires, used, body"


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    """One remembered verdict. `checked`, `expires`, `used`: seconds since 1970; `body`: the verdict with its evidence, as it was told."""

    key: str
    statement: str
    kind: str
    status: str
    confidence: float
    judge: str
    tools: str
    checked: float
    expires: float
    used: float
    body: str

    @property
    def fact(self) -> dict[str, Any]:
        """The verdict and its evidence as JSON values; empty where the body is none."""
        try:
            value: Any = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {}

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence of the verdict; nothing where any of it is not what evidence is like."""
        return _evidence(self.fact.get("evidence"))


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as a time; what no calendar has is brought to the nearest end of it."""
    return datetime.fromtimestamp(min(max(seconds, 0.0), LAST_SECOND), UTC)


class Memory:
    """The file. No method raises for what the file is like; `problem` says in words why the last one could do nothing, or is empty."""

    def __init__(self, path: str | Path, *, max_entries: int = 10_000, max_bytes: int = 64 << 20) -> None:
        self.path = Path(path)
        self.problem = ""
        self._max_entries, self._max_bytes = max(1, max_entries), max(1, max_bytes)

    def get(self, key: str, now: float) -> Remembered | None:
        """What is remembered under the key and not stale yet. What was checked in the future was dated by a wrong clock, so that nobody knows its age."""
        if not self.path.exists():
            return None
        with self._opened() as database:
            if database is None:
                return None
            latest = now + CLOCKS_DIFFER_SECONDS
            row = database.execute(f"SELECT {COLUMNS} FROM facts WHERE key = ? AND expires > ? AND checked <= ?", (key, now, latest)).fetchone()
            if row is None:
                return None
            database.execute("UPDATE facts SET used = ? WHERE key = ?", (now, key))
            return next(_remembered([row]), None)
        return None

    def put(self, fact: Remembered) -> bool:
        """Keep a verdict; what was used longest ago goes where there is no more room. Whether it is kept."""
        if len(fact.body) > LARGEST_FACT or fact.expires <= fact.checked:
            return False
        values = [getattr(fact, name) for name in COLUMNS.split(", ")]
        with self._opened() as database:
            if database is None:
                return False
            database.execute(
                f"INSERT OR REPLACE INTO facts ({COLUMNS}, size) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, len(fact.body.encode("utf-8", "surrogatepass")) + 500),
            )
            self._bounded(database, fact.checked)
            return True
        return False

    def _bounded(self, database: sqlite3.Connection, now: float) -> None:
        count, size = database.execute("SELECT count(*), coalesce(sum(size), 0) FROM facts").fetchone()
        if count <= self._max_entries and size <= self._max_bytes:
            return
        database.execute("DELETE FROM facts WHERE expires <= ?", (now,))
        while True:
            count, size = database.execute("SELECT count(*), coalesce(sum(size), 0) FROM facts").fetchone()
            if count <= 1 or (count <= self._max_entries and size <= self._max_bytes):
                return
            fewer = max(1, count - self._max_entries, count // 20)
            database.execute("DELETE FROM facts WHERE key IN (SELECT key FROM facts ORDER BY used LIMIT ?)", (fewer,))

    def entries(self, limit: int | None = None) -> tuple[Remembered, ...]:
        """What is remembered, what was checked last first, stale facts included."""
        if not self.path.exists():
            return ()
        with self._opened() as database:
            if database is not None:
                rows = database.execute(f"SELECT {COLUMNS} FROM facts ORDER BY checked DESC, key LIMIT ?", (-1 if limit is None else limit,)).fetchall()
                return tuple(_remembered(rows))
        return ()

    def clear(self) -> int:
        """Forget everything; how many facts that were."""
        return self._deleted("1 = 1", ())

    def forget(self, key: str) -> int:
        """Forget one fact; how many that were."""
        return self._deleted("key = ?", (key,))

    def prune(self, now: float) -> int:
        """Forget what is stale; how many facts that were."""
        return self._deleted("expires <= ?", (now,))

    def _deleted(self, where: str, values: tuple[Any, ...]) -> int:
        if not self.path.exists():
            return 0
        with self._opened() as database:
            if database is not None:
                return database.execute(f"DELETE FROM facts WHERE {where}", values).rowcount
        return 0

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection | None]:
        """The database in one transaction; None, with the problem said, where it cannot be opened. A problem in the middle ends the block."""
        self.problem = ""
        try:
            with closing(self._connected()) as database, database:
                yield database
        except sqlite3.OperationalError as error:
            self.problem = f"the memory {self.path} cannot be used ({error}); nothing is recalled or kept"
        except sqlite3.DatabaseError:
            self._set_aside()
        except _Unusable as error:
            self.problem = str(error)
            yield None
        except OSError as error:
            self.problem = f"the memory {self.path} cannot be used ({error.strerror or type(error).__name__}); nothing is recalled or kept"
            yield None

    def _connected(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level="IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise _Unusable(f"the memory {self.path} cannot be opened ({error}); nothing is recalled or kept") from None
        try:
            self._prepared(database)
        except sqlite3.OperationalError as error:
            database.close()
            raise _Unusable(f"the memory {self.path} cannot be used ({error}); nothing is recalled or kept") from None
        except sqlite3.DatabaseError:
            database.close()
            self._set_aside()
            raise _Unusable(self.problem) from None
        except BaseException:
            database.close()
            raise
        return database

    def _prepared(self, database: sqlite3.Connection) -> None:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version == VERSION:
            return
        if version != 0:
            raise _Unusable(f"the memory {self.path} was written by another version of redraft; move it away to begin a new one")
        os.chmod(self.path, 0o600)
        database.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")

    def _set_aside(self) -> None:
        """A file that is no database, or damaged, is kept under another name for whoever wants to know, and a new one is begun."""
        number = next(number for number in range(1, 1_000_000) if not self.path.with_name(f"{self.path.name}.damaged-{number}").exists())
        aside = self.path.with_name(f"{self.path.name}.damaged-{number}")
        try:
            os.replace(self.path, aside)
            self.path.with_name(f"{self.path.name}-journal").unlink(missing_ok=True)
        except OSError as error:
            self.problem = f"the memory {self.path} is damaged and cannot be moved away ({error.strerror or type(error).__name__}); nothing is recalled or kept"
            return
        self.problem = f"the memory {self.path} was damaged; it was set aside as {aside.name}, and a new one is begun"


class _Unusable(Exception):
    """The file cannot be used; the message says why."""


def _remembered(rows: Iterable[tuple[Any, ...]]) -> Iterator[Remembered]:
    """The rows that are what we write; SQLite lets anything stand in any column."""
    for row in rows:
        values = dict(zip(COLUMNS.split(", "), row, strict=True))
        if all(isinstance(value, str if name not in NUMBERS else int | float) for name, value in values.items()):
            yield Remembered(**values)


class MemoryTool:
    """The memory as one run reaches it: asked and told in JSON (see `redraft.recalled`). What this run told it is not recalled in it.

    `identities`: what tells the tools of the run apart from others of their name, by name (documents: their content); it is part of every key.
    `private`: whether a text holds what may not be kept; such facts are neither told nor asked for.
    """

    name = MEMORY
    summary = "Verdicts of earlier runs."
    timeout_seconds = 3 * BUSY_SECONDS

    def __init__(
        self, memory: Memory, identities: Mapping[str, Callable[[], str]], *, private: Callable[[str], bool] = lambda text: False, clock: Clock | None = None
    ) -> None:
        self.memory = memory
        self._identities = dict(identities)
        self._known: str | None = None
        self._private = private
        self._clock = clock or SystemClock()
        self._own: set[str] = set()

    async def run(self, call: ToolCall) -> ToolResult:
        """The fact with its evidence, or that nothing is remembered; told a fact, what was kept."""
        if self._private(call.input):
            return self._failure(call, "empty", "the claim or its evidence holds what privacy keeps from records")
        return await asyncio.to_thread(self._answer, call)

    async def close(self) -> None:
        """Nothing is kept open between calls."""

    def _answer(self, call: ToolCall) -> ToolResult:
        try:
            asked: dict[str, Any] = json.loads(call.input)
            question: dict[str, str] = asked.get("recall") or asked["remember"]
            key = self._key(question)
        except (ValueError, KeyError, TypeError, AttributeError):
            return self._failure(call, "bad_input", "it is asked in a way that it does not know")
        except Exception as error:  # a document that cannot be read has no identity
            return self._failure(call, "unsupported", f"the tools of this run cannot be told apart from others ({type(error).__name__})")
        return self._recalled(call, key) if "recall" in asked else self._kept(call, key, question, asked)

    def _key(self, question: Mapping[str, str]) -> str:
        if self._known is None:
            self._known = json.dumps({name: identity() for name, identity in sorted(self._identities.items())})
        text = json.dumps([question, self._known], ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def _recalled(self, call: ToolCall, key: str) -> ToolResult:
        if key in self._own:
            return self._failure(call, "empty", "it was found out in this run")
        entry = self.memory.get(key, self._clock.now().timestamp())
        if entry is None:
            return self._failure(call, "broken" if self.memory.problem else "empty", self.memory.problem or "nothing is remembered of it")
        evidence = entry.evidence
        if not evidence:
            return self._failure(call, "empty", "what is remembered of it cannot be read")
        fact = {name: value for name, value in entry.fact.items() if name != "evidence"}
        checked = moment(entry.checked).isoformat(timespec="seconds")
        head = Evidence(tool=MEMORY, input=call.input, text=f"{entry.status}, checked {checked}", value=json.dumps({**fact, "checked": checked}))
        return (head, *evidence)

    def _kept(self, call: ToolCall, key: str, question: Mapping[str, str], asked: Mapping[str, Any]) -> ToolResult:
        now, fact = self._clock.now().timestamp(), asked["fact"]
        entry = Remembered(
            key=key,
            statement=question["statement"].encode("utf-8", "replace").decode(),
            kind=question["kind"],
            status=fact["status"],
            confidence=fact["confidence"],
            judge=question["judge"],
            tools=", ".join(sorted(self._identities)),
            checked=now,
            expires=now + asked["seconds"],
            used=now,
            body=json.dumps(fact),
        )
        self._own.add(key)
        if not self.memory.put(entry):
            return self._failure(call, "broken" if self.memory.problem else "empty", self.memory.problem or "it is too large to be kept")
        return (Evidence(tool=MEMORY, input=call.input, text=f"kept until {moment(entry.expires).date().isoformat()}"),)

    def _failure(self, call: ToolCall, kind: FailureKind, message: str) -> Failure:
        return Failure(tool=MEMORY, input=call.input, kind=kind, message=message)


def _evidence(items: Any) -> tuple[Evidence, ...]:
    """The remembered evidence; nothing where any of it is not what evidence is like."""
    texts = [field.name for field in dataclasses.fields(Evidence) if field.name not in ("trust", "relevance")]
    found: list[Evidence] = []
    for item in cast("list[Any]", items) if isinstance(items, list) else ():
        values = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        shares = [values.get(name) for name in ("trust", "relevance")]
        if not all(isinstance(values.get(name), str) for name in texts) or not all(isinstance(share, int | float) and 0 <= share <= 1 for share in shares):
            return ()
        found.append(Evidence(**{name: values[name] for name in (*texts, "trust", "relevance")}))
    return tuple(found)
