"""`Records`: where runs are kept, in SQLite or on a PostgreSQL server."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args

from redraft.errors import InputError, RedraftError, UnknownName, UsageError
from redraft.records.database import Database, Execute, open_database
from redraft.records.keeping import SEARCHED_CHARACTERS, RunKeeper, row_values, said, size_of, write_records
from redraft.records.reading import event_of
from redraft.records.rows import COLUMNS, Filters, Page, Progress, RunRow, Sort, advanced
from redraft.records.schema import migrate
from redraft.trace import Record, Verification, read_jsonl, read_line, stored_jsonl, verify

__all__ = ["FILE_NAME", "IMPORTED", "KEPT_TAG", "Pruned", "Records", "open_records"]

FILE_NAME = "records.sqlite"
"""The file of the records in REDRAFT_HOME, where no database URL is set."""
IMPORTED = "i"
"""How the ids of runs begin that were made elsewhere."""
KEPT_TAG = "keep"
"""A run with this tag is never pruned."""
NO_FILTERS = Filters()
LAST = "last"
_SHORTEST_SUBSTRING = 3
_MANY = 20_000
"""Matches of an index from which a search goes through the list instead of collecting them; `_MANY_READ` where texts are read."""
_MANY_READ = 500
_SELECT = f"SELECT number, {', '.join(COLUMNS)} FROM redraft_runs"
_BATCH = 200
_UNPRICED = -1
_ALTERNATIVES = ("status", "stop_reason", "policy", "model", "kind")


@dataclass(frozen=True, kw_only=True, slots=True)
class Pruned:
    """What was taken out: runs, and bytes of their lines and texts."""

    runs: int
    bytes: int


class Records:
    """A store of runs. Nothing is opened before the first use; it may be used from several threads, and by several processes at once.

        records = open_records()
        Refiner("openai:gpt-5", records=records).run_sync("…")
        for row in records.list(search="17%", sort="started").rows: ...

    Methods raise `UsageError` where the database cannot be used, with what to do about it, and `InputError` for a run that is not there.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ready = False
        self._executor: Executor | None = None

    @property
    def place(self) -> str:
        """Where the records are, without a password."""
        return self._database.shown

    def keeper(self, run_id: str) -> RunKeeper:
        """What a `Trace` writes a new run to. It never raises."""
        if self._database.dialect != "sqlite" and self._executor is None:
            from concurrent.futures import ThreadPoolExecutor

            self._executor = ThreadPoolExecutor(max_workers=4, thread_name_prefix="redraft-records")
        return RunKeeper(self._database, run_id, self._executor)

    def list(
        self, *, search: str = "", filters: Filters = NO_FILTERS, sort: Sort = "started", descending: bool = True, limit: int = 50, cursor: str | None = None
    ) -> Page:
        """Runs in order, at most `limit` of them; `cursor` is the `next` of the page before. `search`: every word of it occurs in query or answer."""
        if sort not in get_args(Sort):
            raise UnknownName("order", sort, get_args(Sort))
        expression = f"COALESCE(cost_usd, {_UNPRICED})" if sort == "cost_usd" else sort
        conditions, values = self._conditions(search, filters)
        if cursor is not None:
            place, number = _read_cursor(cursor, sort)
            conditions.append(f"({expression}, number) {'<' if descending else '>'} (:place, :after)")
            values |= {"place": place, "after": number}
        way = "DESC" if descending else "ASC"
        statement = f"{_SELECT}{_where(conditions)} ORDER BY {expression} {way}, number {way} LIMIT :most"
        found = self._read(statement, values | {"most": max(1, limit) + 1})
        rows = [_row(line) for line in found[: max(1, limit)]]
        if len(found) <= len(rows):
            return Page(rows=tuple(rows))
        last = getattr(rows[-1], sort)
        return Page(rows=tuple(rows), next=_cursor(_UNPRICED if last is None else last, found[len(rows) - 1][0]))

    def count(self, *, search: str = "", filters: Filters = NO_FILTERS) -> int:
        """How many runs a list has."""
        conditions, values = self._conditions(search, filters, all_of_them=True)
        return int(self._read(f"SELECT COUNT(*) FROM redraft_runs{_where(conditions)}", values)[0][0])

    def facets(self) -> dict[str, tuple[tuple[str, int], ...]]:
        """The values of `status`, `stop_reason`, `policy` and `model` that occur, each with its number of runs, most frequent first."""
        result: dict[str, tuple[tuple[str, int], ...]] = {}
        for name in ("status", "stop_reason", "policy", "model"):
            found = self._read(f"SELECT {name}, COUNT(*) FROM redraft_runs GROUP BY {name}", {})
            result[name] = tuple(sorted(((str(value), int(count)) for value, count in found), key=lambda item: (-item[1], item[0])))
        return result

    def get(self, run: str) -> RunRow:
        """The row of a run: by its id, the beginning of it that no other run has, or `last`.

        Raises:
            InputError: there is none, or several.
        """
        return _row(self._find(run))

    def export(self, run: str) -> bytes:
        """The record as JSON lines, exactly as it is stored; it may be damaged (`verify`)."""
        return self._stored(self._find(run)[0])[0]

    def events(self, run: str, *, after: int = -1) -> list[Record]:
        """The records of a run whose number is greater than `after`: for one who follows a run that goes on.

        Raises:
            InputError: a record is damaged.
        """
        number = self._find(run)[0]
        lines = self._read("SELECT line FROM redraft_events WHERE run = :run AND seq > :after ORDER BY seq", {"run": number, "after": after})
        try:
            texts = {address: content.decode("utf-8", "surrogatepass") for address, content in self._texts(number).items()}
            return [read_line(bytes(line[0]), texts) for line in lines]
        except ValueError:
            raise InputError(f"the record of {run} is damaged; see: redraft trace verify {run}") from None

    def verify(self, run: str, expect: str | None = None) -> Verification:
        """Re-hash a stored record: its lines, its texts, and the row of the list, which says nothing but what the record says."""
        line = self._find(run)
        row = _row(line)
        data, numbers = self._stored(line[0])
        found = verify(data, expect or (row.trace_hash or None))
        if not found.ok:
            return found
        if numbers != list(range(len(numbers))):
            first = next(place for place, number in enumerate(numbers) if place != number)
            return Verification(ok=False, complete=False, first_bad_seq=first, problem=f"record {first} was moved: it is stored as number {numbers[first]}")
        try:
            told = replace(row_of(row.id, read_jsonl(data)), tags=row.tags)
        except InputError as error:
            return Verification(ok=False, complete=False, problem=str(error))
        for name, value in row_values(told).items():
            if row_values(row)[name] != value:
                return Verification(ok=False, complete=found.complete, problem=f"the list entry was altered: {name} is not what the record says")
        return found

    def add(self, data: bytes, run: str | None = None) -> str:
        """Take in an exported record, under its own id or the one given; returns the id.

        Raises:
            InputError: it is not intact, or a run of that id is there already.
        """
        records = read_jsonl(data)
        name = run or f"{IMPORTED}{records[-1].hash[:16]}"
        progress = _progress(name, records)
        waiting: list[tuple[Record, Mapping[str, str]]] = []
        seen: set[str] = set()
        for record in records:
            fresh = {address: record.texts[address] for address in record.addresses if address not in seen}
            seen |= fresh.keys()
            waiting.append((record, fresh))
        with self._words():
            self._prepare()
            if self._database.read("SELECT 1 FROM redraft_runs WHERE id = :id", {"id": name}):
                raise InputError(f"there is a run {name} already")
            with self._database.write() as execute:
                write_records(execute, None, progress.values, waiting, f"{progress.query[:SEARCHED_CHARACTERS]}\n{progress.answer[:SEARCHED_CHARACTERS]}")
        return name

    def tag(self, run: str, tags: Sequence[str]) -> None:
        """Set the tags of a run, instead of those it had; `keep` protects it from pruning.

        Raises:
            InputError: a tag is empty or has a comma.
        """
        bad = next((tag for tag in tags if not tag.strip() or "," in tag), None)
        if bad is not None:
            raise InputError(f"{bad!r} is no tag: a tag is a word without a comma")
        number = self._find(run)[0]
        joined = f",{','.join(dict.fromkeys(tags))}," if tags else ""
        with self._words(), self._database.write() as execute:
            execute("UPDATE redraft_runs SET tags = :tags WHERE number = :number", {"tags": joined, "number": number})

    def prune(self, *, older_than_seconds: float | None = None, largest_bytes: int | None = None, now: float | None = None, dry: bool = False) -> Pruned:
        """Take out runs that began longer ago, then the oldest ones until the rest takes no more room; what is tagged `keep` stays. `dry`: only say which.

        A text that several runs share counts for each of them.
        """
        moment = time.time() if now is None else now
        found = self._read("SELECT number, started, bytes, tags FROM redraft_runs ORDER BY started, number", {})
        room = sum(int(size) for _, _, size, _ in found)
        doomed: list[int] = []
        freed = 0
        for number, started, size, tags in found:
            old = older_than_seconds is not None and float(started) < moment - older_than_seconds
            if f",{KEPT_TAG}," not in tags and (old or (largest_bytes is not None and room - freed > largest_bytes)):
                doomed.append(int(number))
                freed += int(size)
        if not dry and doomed:
            self._delete(doomed)
        return Pruned(runs=len(doomed), bytes=freed)

    def close(self) -> None:
        """Close the database; may be called twice, and the store may be used again."""
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None
        self._database.close()

    def _delete(self, numbers: Sequence[int]) -> None:
        with self._words():
            for start in range(0, len(numbers), _BATCH):
                names = ", ".join(str(number) for number in numbers[start : start + _BATCH])
                with self._database.write() as execute:
                    for table, column in (("events", "run"), ("uses", "run"), ("search", "rowid"), ("runs", "number")):
                        execute(f"DELETE FROM redraft_{table} WHERE {column} IN ({names})", {})

            def sweep(execute: Execute) -> None:
                execute("DELETE FROM redraft_texts WHERE NOT EXISTS (SELECT 1 FROM redraft_uses WHERE redraft_uses.address = redraft_texts.address)", {})

            self._database.attempt(sweep)  # a run that just now came to use one of them keeps it; it goes the next time
            self._database.reclaim()

    def _conditions(self, search: str, filters: Filters, *, all_of_them: bool = False) -> tuple[list[str], dict[str, Any]]:
        conditions: list[str] = []
        values: dict[str, Any] = {}
        for name in _ALTERNATIVES:
            wanted: Sequence[str] = getattr(filters, name)
            names = [f"{name}{place}" for place in range(len(wanted))]
            if wanted:
                conditions.append(f"{name} IN ({', '.join(':' + item for item in names)})")
                values |= dict(zip(names, wanted, strict=True))
        for name in ("changed", "complete"):
            if (flag := getattr(filters, name)) is not None:
                conditions.append(f"{name} = :{name}")
                values[name] = int(flag)
        for name in ("contradicted", "undecided"):
            if (flag := getattr(filters, name)) is not None:
                conditions.append(f"{name} {'>' if flag else '='} 0")
        if filters.tag:
            conditions.append("tags LIKE :tag ESCAPE '!'")
            values["tag"] = f"%,{_unwild(filters.tag)},%"
        for name, way in (("since", ">="), ("until", "<")):
            if (moment := getattr(filters, name)) is not None:
                conditions.append(f"started {way} :{name}")
                values[name] = moment
        found = self._searching(search, all_of_them)
        if found is not None:
            conditions.append(found[0])
            values |= found[1]
        return conditions, values

    def _searching(self, search: str, all_of_them: bool) -> tuple[str, dict[str, Any]] | None:
        """The condition of a search and its values. Words of three letters and more are found by the index of SQLite, the others by reading."""
        words = search.replace("\x00", " ").encode("utf-8", "replace").decode().split()
        sqlite = self._database.dialect == "sqlite"
        long = [word for word in words if sqlite and len(word) >= _SHORTEST_SUBSTRING]
        short = [word for word in words if word not in long]
        if not words:
            return None
        values: dict[str, Any] = {f"word{place}": f"%{_unwild(word)}%" for place, word in enumerate(short)}
        tests = [f"body {'LIKE' if sqlite else 'ILIKE'} :{name} ESCAPE '!'" for name in values]
        if long:
            tests.insert(0, "redraft_search MATCH :words")
            values["words"] = " ".join('"' + word.replace('"', '""') + '"' for word in long)
        told = " AND ".join(tests)
        if sqlite and not all_of_them:
            most = _MANY if long else _MANY_READ
            found = self._read(f"SELECT rowid FROM redraft_search WHERE {told} LIMIT {most}", values)
            if len(found) == most:
                # So many that going through the list in its order meets a page of them sooner than collecting and sorting them all.
                return f"EXISTS (SELECT 1 FROM redraft_search WHERE rowid = number AND {told})", values
            if not long:  # all texts were read to find these: not a second time
                return f"number IN ({', '.join(str(int(row[0])) for row in found)})", {}
        return f"number IN (SELECT rowid FROM redraft_search WHERE {told})", values

    def _find(self, run: str) -> Sequence[Any]:
        """The stored row of a run, with its number in front."""
        if run == LAST:
            found = self._read(f"{_SELECT} ORDER BY started DESC, number DESC LIMIT 1", {})
        else:
            found = self._read(f"{_SELECT} WHERE id = :id", {"id": run})
            if not found and run:
                found = self._read(f"{_SELECT} WHERE id LIKE :id ESCAPE '!' LIMIT 2", {"id": f"{_unwild(run)}%"})
        if len(found) > 1:
            raise InputError(f"several runs begin with {run!r}; give more of the id")
        if not found:
            what = "there are no runs" if run == LAST else f"there is no run {run!r}"
            raise InputError(f"{what} in {self.place}; redraft trace list shows what there is")
        return found[0]

    def _stored(self, number: int) -> tuple[bytes, list[int]]:
        lines = self._read("SELECT seq, line FROM redraft_events WHERE run = :run ORDER BY seq", {"run": number})
        return stored_jsonl([bytes(line) for _, line in lines], self._texts(number)), [int(seq) for seq, _ in lines]

    def _texts(self, number: int) -> dict[str, bytes]:
        statement = "SELECT t.address, t.content FROM redraft_uses u JOIN redraft_texts t ON t.address = u.address WHERE u.run = :run"
        return {address: bytes(content) for address, content in self._read(statement, {"run": number})}

    def _read(self, statement: str, values: Mapping[str, Any]) -> list[Sequence[Any]]:
        with self._words():
            self._prepare()
            return self._database.read(statement, values)

    def _prepare(self) -> None:
        if not self._ready:
            migrate(self._database)
            self._ready = True

    @contextmanager
    def _words(self) -> Generator[None]:
        try:
            yield
        except RedraftError:
            raise
        except Exception as error:
            raise UsageError(f"the records cannot be used: {said(error, self.place)}") from None


def open_records(url: str | None = None, home: Path | None = None) -> Records:
    """The store of a database URL, or of the file in a folder (default: REDRAFT_HOME). Nothing is opened yet.

    Raises:
        UsageError: the URL is none.
        MissingExtra: a server without the extra `postgres`.
    """
    if url:
        return Records(open_database(url))
    if home is None:
        from redraft.settings import home_folder

        home = home_folder()
    from redraft.records.database import SqliteDatabase

    return Records(SqliteDatabase(home / FILE_NAME))


def row_of(run_id: str, records: Sequence[Record]) -> RunRow:
    """The list entry that a record leads to."""
    return _progress(run_id, records).row


def _progress(run_id: str, records: Sequence[Record]) -> Progress:
    progress = Progress(run_id)
    seen: set[str] = set()
    for record in records:
        fresh = {address: record.texts[address] for address in record.addresses if address not in seen}
        seen |= fresh.keys()
        advanced(progress, event_of(record.payload, record.seq).payload(), record.at, record.hash, size_of(record, fresh))
    return progress


def _row(line: Sequence[Any]) -> RunRow:
    values = dict(zip(COLUMNS, line[1:], strict=True))
    values["tags"] = tuple(tag for tag in str(values["tags"]).split(",") if tag)
    for item in fields(RunRow):
        if item.type == "bool":
            values[item.name] = bool(values[item.name])
    return RunRow(**values)


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _unwild(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _cursor(place: object, number: object) -> str:
    return base64.urlsafe_b64encode(json.dumps([place, number]).encode()).decode().rstrip("=")


def _read_cursor(cursor: str, sort: str) -> tuple[Any, int]:
    try:
        place, number = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError):
        raise InputError("this is no cursor of a list") from None
    right = isinstance(place, str) if sort in ("status", "policy", "model") else isinstance(place, int | float) and not isinstance(place, bool)
    if not right or not isinstance(number, int):
        raise InputError(f"this cursor belongs to a list in another order than {sort}")
    return place, number
