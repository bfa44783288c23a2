"""The store: what it keeps while a run goes on, how it lists, what it finds altered, and that a run goes on where it cannot keep anything."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redraft.errors import InputError, UsageError
from redraft.events import Drafted
from redraft.records import Filters, Records, open_records
from redraft.records.database import SqliteDatabase
from redraft.records.reading import event_of, events_of
from redraft.refiner import Refiner
from redraft.trace import Trace, verify

WRONG = "17% of 2,340 is 400. The sky is blue."
LONG = "Nothing is said here. " * 100
FIRST_PORT = 55440


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL server of our own, where one is installed; CI installs it."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = str(places[-1]) if places else shutil.which("initdb")
    if found is None:
        pytest.skip("PostgreSQL is not installed (its initdb was not found)")
    binaries, folder = Path(found).parent, Path(tempfile.mkdtemp(prefix="redraft-pg-", dir="/tmp" if Path("/tmp").is_dir() else None))
    port = FIRST_PORT + os.getpid() % 2000
    prefix: list[str] = []
    if os.geteuid() == 0:
        folder.chmod(0o755)
        shutil.chown(folder, "postgres")
        prefix = ["runuser", "-u", "postgres", "--"]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = [*prefix, str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-w", "-t", "30"]
    create = [*prefix, found, "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"]
    subprocess.run(create, check=True, capture_output=True, cwd=folder)
    subprocess.run([*control, "-l", str(folder / "log"), "-o", options, "start"], check=True, capture_output=True, cwd=folder)
    yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd=folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    """An empty store of each kind."""
    if request.param == "sqlite":
        opened = open_records(home=tmp_path)
    else:
        import sqlalchemy

        url = request.getfixturevalue("server")
        name = f"t{abs(hash(str(tmp_path)))}"
        engine = sqlalchemy.create_engine(url.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(sqlalchemy.text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
            connection.execute(sqlalchemy.text(f"CREATE SCHEMA {name}"))
        engine.dispose()
        opened = open_records(f"{url}?options=-csearch_path%3D{name}%2Cpublic")
    yield opened
    opened.close()


def run(records: Records, text: str = WRONG, query: str = "") -> tuple[str, Trace]:
    refiner = Refiner("none", records=records)
    outcome = refiner.revise_sync(query, text)
    assert outcome.warnings == ()
    return outcome.run_id, refiner.trace


class TestKeeping:
    def test_a_run_is_kept_under_the_id_and_the_hash_of_its_outcome(self, records: Records) -> None:
        name, trace = run(records, WRONG + LONG)
        row = records.get(name)
        assert (row.trace_hash, row.events, row.complete, row.changed) == (trace.hash, len(trace.records), True, True)
        assert (row.status, row.stop_reason, row.policy, row.model, row.turns) == ("unverified", "no_problem", "guarded", "none", 1)
        assert (row.supported, row.contradicted) == (1, 0)
        assert records.export(name) == trace.to_jsonl()
        assert records.verify(name, trace.hash).complete
        assert [record.line for record in records.events(name, after=2)] == [record.line for record in trace.records[3:]]

    def test_every_event_is_there_before_the_next_one(self, tmp_path: Path) -> None:
        records, seen = open_records(home=tmp_path), []
        other = open_records(home=tmp_path)
        refiner = Refiner("none", records=records, on_event=lambda event: seen.append(other.list().rows[0].events))
        refiner.revise_sync("", WRONG)
        assert seen == list(range(1, len(seen) + 1))
        assert len(seen) > 5

    def test_long_texts_are_stored_once_for_all_runs(self, records: Records) -> None:
        for _ in range(3):
            run(records, LONG)
        found = records._database.read("SELECT COUNT(*), SUM(LENGTH(content)) FROM redraft_texts", {})  # pyright: ignore[reportPrivateUsage]
        assert found[0][0] >= 1
        texts = records._database.read("SELECT content FROM redraft_texts", {})  # pyright: ignore[reportPrivateUsage]
        assert sum(bytes(row[0]) == LONG.encode() for row in texts) == 1
        assert all(records.verify(row.id).ok for row in records.list().rows)

    def test_a_run_that_is_killed_leaves_a_record_up_to_that_moment(self, tmp_path: Path) -> None:
        program = f"""
import os, signal, sys
from pathlib import Path
from redraft.records import open_records
from redraft.refiner import Refiner
seen = []
def kill(event):
    seen.append(event)
    if len(seen) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
Refiner("none", records=open_records(home=Path({str(tmp_path)!r})), on_event=kill).revise_sync("", {WRONG!r})
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, timeout=60)
        assert done.returncode == -signal.SIGKILL
        records = open_records(home=tmp_path)
        (row,) = records.list().rows
        found = records.verify(row.id)
        assert (row.events, row.complete, row.status) == (4, False, "")
        assert (found.ok, found.complete, found.problem) == (True, False, "incomplete: there is no stop event at its end")
        assert records.list(filters=Filters(complete=False)).rows == (row,)

    def test_several_writers_at_once_lose_nothing(self, records: Records) -> None:
        def work(number: int) -> None:
            asyncio.run(Refiner("none", records=records).revise("", f"{number} + 1 = {number + 2}. {LONG}"))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert records.count() == 6
        assert all(records.verify(row.id).complete for row in records.list().rows)

    def test_two_processes_make_the_tables_once(self, tmp_path: Path) -> None:
        program = f"from redraft.records import open_records; from pathlib import Path; print(open_records(home=Path({str(tmp_path)!r})).count())"
        started = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
        assert [(process.communicate(timeout=60)[0].strip(), process.returncode) for process in started] == [(b"0", 0)] * 3

    def test_a_new_file_is_its_owners_alone(self, tmp_path: Path) -> None:
        run(open_records(home=tmp_path / "new"))
        assert (tmp_path / "new" / "records.sqlite").stat().st_mode & 0o077 == 0
        assert (tmp_path / "new").stat().st_mode & 0o077 == 0


class TestTrouble:
    """Whatever happens to the store, the run goes on and says so."""

    def warned(self, records: Records) -> str:
        outcome = Refiner("none", records=records).revise_sync("", WRONG)
        assert outcome.answer.startswith("17% of 2,340 is 397.8.")
        (warning,) = outcome.warnings
        assert warning.startswith("the record of this run could not be kept: ")
        return warning

    def test_a_file_that_is_no_database(self, tmp_path: Path) -> None:
        (tmp_path / "records.sqlite").write_bytes(b"not a database at all" * 500)
        assert "is damaged" in self.warned(open_records(home=tmp_path))
        with pytest.raises(UsageError, match="is damaged"):
            open_records(home=tmp_path).list()

    def test_a_home_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "home").write_text("x")
        assert "set REDRAFT_HOME" in self.warned(open_records(home=tmp_path / "home"))

    @pytest.mark.parametrize("words", ["database or disk is full", "attempt to write a readonly database", "database is locked"])
    def test_a_disk_that_fills_up_in_the_middle(self, tmp_path: Path, words: str) -> None:
        class Failing(SqliteDatabase):
            writes = 0

            def write(self, *, alone: bool = False) -> Any:
                self.writes += 1
                if self.writes > 4:
                    raise sqlite3.OperationalError(words)
                return super().write(alone=alone)

        records = Records(Failing(tmp_path / "records.sqlite"))
        warning = self.warned(records)
        assert any(remedy in warning for remedy in ("make room", "set REDRAFT_HOME", "in use by another"))
        (row,) = records.list().rows
        assert records.verify(row.id).ok
        assert not row.complete

    def test_what_could_not_be_written_for_a_moment_is_written_at_the_end(self, tmp_path: Path) -> None:
        class Busy(SqliteDatabase):
            writes = 0

            def write(self, *, alone: bool = False) -> Any:
                self.writes += 1
                if self.writes == 4:
                    raise sqlite3.OperationalError("database is locked")
                return super().write(alone=alone)

        records = Records(Busy(tmp_path / "records.sqlite"))
        name, trace = run(records)
        assert records.verify(name, trace.hash).complete

    def test_a_server_that_is_not_there(self) -> None:
        records = open_records("postgresql://user:secret@127.0.0.1:1/none")
        warning = self.warned(records)
        assert "secret" not in warning
        assert "secret" not in records.place
        records.close()

    def test_tables_of_a_later_version(self, tmp_path: Path) -> None:
        records = open_records(home=tmp_path)
        run(records)
        with records._database.write() as execute:  # pyright: ignore[reportPrivateUsage]
            execute("INSERT INTO redraft_migrations (number) VALUES (99)", {})
        assert "later version" in self.warned(open_records(home=tmp_path))

    @pytest.mark.parametrize("url", ["mysql://host/db", "no url", "sqlite:records", "sqlite://relative"])
    def test_a_url_that_is_none(self, url: str) -> None:
        with pytest.raises(UsageError):
            open_records(url)


class TestLists:
    @pytest.fixture
    def filled(self, records: Records) -> Records:
        for number in range(7):
            run(records, f"{number} * 2 = {2 * number + (number == 3)}.", query="" if number % 2 else f"What is {number} times 2, 東京?")
        return records

    def test_pages_follow_each_other_in_every_order(self, filled: Records) -> None:
        for sort in ("started", "seconds", "cost_usd", "tokens", "turns", "status", "model"):
            for descending in (True, False):
                names, cursor = [], None
                while True:
                    page = filled.list(sort=sort, descending=descending, limit=3, cursor=cursor)
                    names += [row.id for row in page.rows]
                    cursor = page.next
                    if cursor is None:
                        break
                assert len(names) == len(set(names)) == 7
                values = [getattr(filled.get(name), sort) or 0 for name in names]
                assert values == sorted(values, reverse=descending)

    @pytest.mark.parametrize(
        ("search", "count"),
        [
            ("times", 4),
            ("TIMES 2", 4),
            ("東京", 4),
            ("東", 4),
            ("3 * 2", 1),
            ("times nothing", 0),
            ("%", 0),
            ("' OR 1=1 --", 0),
            ('"', 0),
            ("\x00", 7),
            ("", 7),
        ],
    )
    def test_a_search_finds_runs_that_have_all_words(self, filled: Records, search: str, count: int) -> None:
        assert filled.count(search=search) == len(filled.list(search=search).rows) == count

    @pytest.mark.parametrize("search", ["times", "東", "東京 times", "2 times", "nothing", "3 *"])
    def test_a_search_that_many_runs_match_finds_the_same(self, filled: Records, search: str, monkeypatch: pytest.MonkeyPatch) -> None:
        filters = Filters(model=("none",))
        before = [row.id for row in filled.list(search=search, filters=filters, limit=3).rows]
        monkeypatch.setattr("redraft.records.store._MANY", 2)
        monkeypatch.setattr("redraft.records.store._MANY_READ", 2)
        assert [row.id for row in filled.list(search=search, filters=filters, limit=3).rows] == before

    def test_filters(self, filled: Records) -> None:
        changed = filled.list(filters=Filters(changed=True)).rows
        assert [row.answer for row in changed] == ["3 * 2 = 6."]
        assert filled.count(filters=Filters(status=("corrected", "disputed"))) == 1
        assert filled.count(filters=Filters(policy=("guarded",), model=("none",), complete=True, contradicted=False)) == 7
        assert filled.count(filters=Filters(since=0, until=1)) == 0
        assert filled.facets()["status"] == (("verified", 6), ("corrected", 1))

    def test_tags(self, filled: Records) -> None:
        name = filled.list().rows[0].id
        filled.tag(name, ["keep", "odd_one"])
        assert filled.get(name).tags == ("keep", "odd_one")
        assert filled.count(filters=Filters(tag="odd_one")) == 1
        assert filled.count(filters=Filters(tag="oddxone")) == 0
        assert filled.verify(name).ok
        with pytest.raises(InputError, match="no tag"):
            filled.tag(name, ["a,b"])

    def test_a_run_is_found_by_the_beginning_of_its_id(self, filled: Records) -> None:
        name = filled.list().rows[0].id
        assert filled.get(name[:12]).id == filled.get("last").id == name
        with pytest.raises(InputError, match="several runs"):
            filled.get("r")
        with pytest.raises(InputError, match="there is no run"):
            filled.get("nothing%")

    @pytest.mark.parametrize("cursor", ["", "x", "W10", "WzEsICIyIl0", "bnVsbA"])
    def test_a_cursor_that_is_none(self, filled: Records, cursor: str) -> None:
        with pytest.raises(InputError, match="cursor"):
            filled.list(cursor=cursor)

    def test_pruning_by_age_and_size_spares_what_is_to_be_kept(self, filled: Records) -> None:
        rows = filled.list(descending=False).rows
        filled.tag(rows[0].id, ["keep"])
        assert filled.prune(older_than_seconds=0, now=rows[3].started, dry=True).runs == 2
        assert filled.count() == 7
        assert filled.prune(older_than_seconds=0, now=rows[3].started).runs == 2
        assert [row.id for row in filled.list(descending=False).rows] == [rows[0].id, *(row.id for row in rows[3:])]
        room = rows[0].bytes + rows[6].bytes
        assert filled.prune(largest_bytes=room).runs == 3
        assert {row.id for row in filled.list().rows} == {rows[0].id, rows[6].id}
        assert all(filled.verify(row.id).ok for row in filled.list().rows)
        assert filled.count(search="3 * 2") == 0

    def test_texts_go_with_the_last_run_that_has_them(self, records: Records) -> None:
        run(records, LONG)
        second, _ = run(records, LONG)
        records.prune(older_than_seconds=0, now=records.get(second).started)
        assert records.verify(second).ok
        records.prune(largest_bytes=0)
        assert records._database.read("SELECT COUNT(*) FROM redraft_texts", {})[0][0] == 0  # pyright: ignore[reportPrivateUsage]

    def test_an_exported_record_can_be_taken_in_once(self, records: Records, tmp_path: Path) -> None:
        name, trace = run(records, WRONG + LONG)
        other = open_records(home=tmp_path / "other")
        taken = other.add(trace.to_jsonl())
        assert other.verify(taken, trace.hash).complete
        same = dataclasses.replace(records.get(name), id="", tags=())
        assert dataclasses.replace(other.get(taken), id="", tags=()) == same
        with pytest.raises(InputError, match="already"):
            other.add(trace.to_jsonl())
        with pytest.raises(InputError, match="not an intact trace"):
            other.add(trace.to_jsonl().replace(b"400", b"401"))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file with one run, and the run."""
    home = tmp_path_factory.mktemp("altered")
    records = open_records(home=home)
    name, _ = run(records, WRONG + LONG)
    records.close()
    return home / "records.sqlite", name


class TestAlterations:
    """Any altered byte of what is stored is found."""

    @given(data=st.data())
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_of_lines_and_texts(self, stored: tuple[Path, str], data: st.DataObject) -> None:
        path, name = stored
        table, key, column = data.draw(st.sampled_from([("redraft_events", "seq", "line"), ("redraft_texts", "address", "content")]))
        with closing(sqlite3.connect(path)) as database:
            rows = database.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
        place, content = data.draw(st.sampled_from(rows))
        at = data.draw(st.integers(0, len(content) - 1))
        changed = bytearray(content)
        changed[at] ^= data.draw(st.integers(1, 255))
        found = self.verified_with(path, name, f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (bytes(changed), place))
        assert not found.ok
        assert found.problem

    @pytest.mark.parametrize(
        ("statement", "seq", "words"),
        [
            ("DELETE FROM redraft_events WHERE seq = 2", 2, "record 2 is missing"),
            ("UPDATE redraft_events SET seq = seq + 10 WHERE seq > 3", 4, "record 4 was moved"),
            ("UPDATE redraft_events SET seq = -1 WHERE seq = 5", 0, "record 0 was moved"),
            ("DELETE FROM redraft_uses", 0, "is missing"),
            ("DELETE FROM redraft_events WHERE seq > 4", 5, "record 5 is missing"),
            ("UPDATE redraft_runs SET status = 'verified'", None, "status is not what the record says"),
            ("UPDATE redraft_runs SET answer = answer || '.'", None, "answer is not what the record says"),
            ("UPDATE redraft_runs SET started = started + 1", None, "started is not what the record says"),
            ("UPDATE redraft_runs SET trace_hash = ''", None, "trace_hash is not what the record says"),
        ],
    )
    def test_of_rows(self, stored: tuple[Path, str], statement: str, seq: int | None, words: str) -> None:
        found = self.verified_with(*stored, statement, ())
        assert (found.ok, found.first_bad_seq) == (False, seq)
        assert words in found.problem

    def verified_with(self, path: Path, name: str, statement: str, values: tuple[Any, ...]) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(path, folder)
            with closing(sqlite3.connect(Path(folder) / path.name, isolation_level=None)) as database:
                database.execute(statement, values)
            records = open_records(home=Path(folder))
            try:
                return records.verify(name)
            finally:
                records.close()


def test_stored_payloads_come_back_as_the_events_they_were() -> None:
    seen: list[Any] = []
    refiner = Refiner("none", on_event=seen.append)
    refiner.revise_sync("", WRONG + " 2 + 2 = 5.")
    assert events_of(refiner.trace.records) == seen
    with pytest.raises(InputError, match="does not know"):
        event_of({"type": "later"})
    with pytest.raises(InputError, match="record 3 is no 'drafted' event"):
        event_of({"type": "drafted"}, 3)
    assert event_of({"type": "drafted", "text": "x", "given": True, "added": 1}) == Drafted(text="x", given=True)


def test_nothing_is_kept_without_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
    Refiner("none").revise_sync("", WRONG)
    assert not (tmp_path / "home").exists()


class TestCommandLine:
    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
        monkeypatch.chdir(tmp_path)
        (tmp_path / "page.md").write_text(WRONG + LONG)
        return tmp_path / "home"

    def redraft(self, *arguments: str) -> int:
        from redraft.cli import run as command

        return command(arguments)

    def test_runs_are_recorded_unless_told_not_to(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.redraft("check", "page.md", "--no-record", "--quiet")
        assert not (home / "records.sqlite").exists()
        Path("redraft.toml").write_text("record = false\n")
        self.redraft("check", "page.md", "--quiet")
        assert not (home / "records.sqlite").exists()
        Path("redraft.toml").write_text("record = 5\n")
        assert self.redraft("check", "page.md", "--quiet") == 2
        Path("redraft.toml").unlink()
        self.redraft("check", "page.md", "--json")
        import json

        lines = capsys.readouterr().out.strip().split("\n")
        outcome = json.loads(lines[-1])
        assert open_records(home=home).verify(outcome["run_id"], outcome["trace_hash"]).complete

    def test_the_commands_of_trace(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        import json

        self.redraft("fix", "page.md", "--quiet")
        self.redraft("check", "page.md", "--quiet")
        capsys.readouterr()
        assert self.redraft("trace", "list", "--json", "--limit", "1") == 0
        page = json.loads(capsys.readouterr().out)
        (row,) = page["runs"]
        assert self.redraft("trace", "list", "--json", "--cursor", page["next"]) == 0
        (first,) = json.loads(capsys.readouterr().out)["runs"]
        assert (first["changed"], row["changed"]) == (True, False)
        assert self.redraft("trace", "show", first["id"]) == 0
        assert "accepted (repair)" in capsys.readouterr().out
        assert self.redraft("trace", "verify", first["id"], "--expect", first["trace_hash"]) == 0
        assert self.redraft("trace", "verify", first["id"], "--expect", row["trace_hash"]) == 1
        assert self.redraft("trace", "export", first["id"], "-o", "run.jsonl") == 0
        data = Path("run.jsonl").read_bytes()
        assert verify(data, first["trace_hash"]).complete
        assert self.redraft("trace", "verify", "run.jsonl") == 0
        Path("run.jsonl").write_bytes(data.replace(b'"turn":1', b'"turn":2', 1))
        capsys.readouterr()
        assert self.redraft("trace", "verify", "run.jsonl", "--json") == 1
        assert "was altered" in json.loads(capsys.readouterr().out)["problem"]
        Path("run.jsonl").write_bytes(b"".join(data.splitlines(keepends=True)[:-1]))
        assert self.redraft("trace", "verify", "run.jsonl") == 1
        assert capsys.readouterr().out == "incomplete: there is no stop event at its end\n"
        assert self.redraft("trace", "tag", first["id"], "keep") == 0
        assert self.redraft("trace", "prune", "--largest", "1k") == 0
        assert "1 runs" in capsys.readouterr().out
        assert open_records(home=home).count() == 1

    @pytest.mark.parametrize(
        "arguments",
        [
            ("trace", "verify", "nothing"),
            ("trace", "show", "no/such.jsonl"),
            ("trace", "prune"),
            ("trace", "prune", "--older-than", "soon"),
            ("trace", "prune", "--largest", "-1"),
            ("trace", "verify", "last", "--expect", "abc"),
            ("trace", "list", "--cursor", "x"),
            ("replay", "nothing"),
            ("export", "--format", "html"),
            ("export", "--format", "sft"),
            ("export", "nothing", "--format", "sft"),
        ],
    )
    def test_wrong_use_is_said(self, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
        assert self.redraft(*arguments) == 2
        assert "redraft: " in capsys.readouterr().err

    def test_keys_and_what_privacy_hides_never_reach_the_records(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-key-of-the-environment")
        Path("page.md").write_text("Write to ada.marsh@example.org with sk-key-of-the-environment. 2 + 2 = 5.")
        self.redraft("fix", "page.md", "--quiet", "--privacy", "on")
        open_records(home=home).close()
        stored = b"".join(path.read_bytes() for path in home.glob("records.sqlite*"))
        assert b"2 + 2" in stored
        assert b"sk-key-of" not in stored
        assert b"ada.marsh" not in stored
