"""Replies of models kept on disk by what was asked, so that a study pays for no call twice.

Whatever follows from the replies (runs, scores, statistics, reports) is computed anew each time, so that a study which was interrupted at any point and is
started again comes to the same bytes. Arms of a study that ask the same thing get the same reply: they share their random numbers, and each is charged as if
it had paid. Of a request only its hash is kept.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from redraft.effects import call_key
from redraft.errors import InputError, ModelBroken, ModelError, ModelRefused, RedraftError
from redraft.protocols import Model
from redraft.types import Ability, ModelReply, ModelRequest

__all__ = ["CallStore", "Interrupted", "StoredModel", "StudyClock"]

VERSION = 1
FAILURES: dict[str, type[ModelError]] = {"ModelRefused": ModelRefused, "ModelBroken": ModelBroken}
"""Failures that belong to a request, and so are kept; the others go away, and end the study until then."""


class Interrupted(RedraftError):
    """A model did not answer. What was answered is kept: the same command goes on from there."""


class CallStore:
    """A file of replies; without a path they are kept in memory. One store serves any number of studies, also at the same time. So many calls are made at
    a time, over all models of the study.

    `began` is the moment of the first study in it: models are told its date whenever they are asked again, since another date is another question.

    Raises:
        InputError: the file cannot be opened, or is not such a store.
    """

    def __init__(self, path: Path | None, now: datetime, *, concurrency: int = 8) -> None:
        self._path = path
        self._concurrency = concurrency
        self._slots: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None
        self.asked = 0
        """Calls that were made."""
        self.recalled = 0
        """Calls that were answered from the store."""
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path or ":memory:", timeout=30, isolation_level=None)
            self.began = self._opened(now)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise InputError(f"cannot use {path} as a store of replies: {error}; choose another folder with -o") from None

    def get(self, key: str) -> tuple[ModelReply | None, str, str] | None:
        """The reply, or the name and the words of the failure; None where this was never asked."""
        row = self._database.execute("SELECT reply, failure, message FROM calls WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        return (ModelReply(**json.loads(row[0])) if row[0] is not None else None), row[1], row[2]

    def put(self, key: str, model: str, reply: ModelReply | None, failure: str = "", message: str = "") -> None:
        """Keep what a model answered, before this returns. What another process kept first stays."""
        text = json.dumps(asdict(reply), ensure_ascii=True) if reply is not None else None
        try:
            self._database.execute("INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?)", (key, model, text, failure, message))
        except sqlite3.Error as error:
            raise InputError(f"cannot write {self._path}: {error}") from None

    def slot(self) -> asyncio.Semaphore:
        """To be held while a model is asked."""
        loop = asyncio.get_running_loop()
        if self._slots is None or self._slots[0] is not loop:
            self._slots = (loop, asyncio.Semaphore(self._concurrency))
        return self._slots[1]

    def close(self) -> None:
        self._database.close()

    def _opened(self, now: datetime) -> datetime:
        run = self._database.execute
        version = run("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION) or (version == 0 and run("SELECT count(*) FROM sqlite_master").fetchone()[0]):
            raise ValueError("it is another kind of file, or of another version")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        run("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, model TEXT, reply TEXT, failure TEXT, message TEXT) WITHOUT ROWID")
        run("CREATE TABLE IF NOT EXISTS begun (one INTEGER PRIMARY KEY CHECK (one = 1), at TEXT)")
        run(f"PRAGMA user_version = {VERSION}")
        run("INSERT OR IGNORE INTO begun VALUES (1, ?)", (now.isoformat(),))
        return datetime.fromisoformat(run("SELECT at FROM begun").fetchone()[0])


class StoredModel:
    """A model whose replies are kept; an equal request is answered from the store, also while the first one is still under way.

    A failure that belongs to the request (refused, unreadable) is kept like a reply. Any other ends the study with `Interrupted`, because a run that went
    on without its model would be another run.
    """

    def __init__(self, model: Model, store: CallStore) -> None:
        self.name = model.name
        self.ability: Ability = model.ability
        self._model, self._store = model, store
        self._under_way: dict[str, asyncio.Future[None]] = {}

    async def complete(self, request: ModelRequest) -> ModelReply:
        key = f"{call_key(request)}@{self.name}"
        while (waiting := self._under_way.get(key)) is not None:
            await asyncio.wait([waiting])
        known = self._store.get(key)
        if known is None:
            await self._asked(key, request)
            known = self._store.get(key)
            assert known is not None
        else:
            self._store.recalled += 1
        reply, failure, message = known
        if reply is None:
            raise FAILURES[failure](message)
        return reply

    async def close(self) -> None:
        await self._model.close()

    async def _asked(self, key: str, request: ModelRequest) -> None:
        self._under_way[key] = done = asyncio.get_running_loop().create_future()
        try:
            async with self._store.slot():
                reply = await self._model.complete(request)
        except (ModelRefused, ModelBroken) as error:
            self._store.put(key, self.name, None, type(error).__name__, str(error))
        except ModelError as error:
            raise Interrupted(f"{self.name} did not answer ({error}); what was answered is kept, and the same command goes on from there") from None
        else:
            self._store.put(key, self.name, reply)
        finally:
            self._store.asked += 1
            del self._under_way[key]
            done.set_result(None)


class StudyClock:
    """The date of the study's beginning, for ever: a study that goes on the next day asks the same questions. No time passes."""

    def __init__(self, began: datetime) -> None:
        self._began = began

    def now(self) -> Any:
        return self._began

    def monotonic(self) -> float:
        return 0.0
