"""The record of a run: append-only, each record chained to the one before by a SHA-256 over the exact bytes that are stored.

One record is one JSON line: `{"hash":"…","header":{"seq":0,"at":"…","previous":"…"},"payload":{…}}`. The hash covers every byte after its own comma, so that
the number, the time, the link to the record before and the payload cannot be changed unseen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from redraft.effects import SystemClock
from redraft.errors import InputError
from redraft.events import Event
from redraft.protocols import Clock

__all__ = ["GENESIS", "Record", "Trace", "Verification", "verify"]

GENESIS = "0" * 64
"""What the first record names as the one before it, and the hash of an empty trace."""
_OPEN, _CLOSE = b'{"hash":"', b'",'
_BODY_AT = len(_OPEN) + 64 + len(_CLOSE)
_TIMES = frozenset({"started_seconds", "seconds"})
_SETTINGS = frozenset({"policy", "policy_hash"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """One stored event. `line` is the exact stored line without its line feed."""

    seq: int
    at: str
    previous: str
    hash: str
    line: bytes

    @property
    def payload(self) -> dict[str, Any]:
        """The event's fields with `type` and `version`, as JSON values."""
        return json.loads(self.line)["payload"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What re-hashing found. `ok`: the chain holds (and ends as expected); `complete`: it ends with its stop event; `problem` in words, or empty."""

    ok: bool
    complete: bool
    problem: str = ""
    first_bad_seq: int | None = None


class Trace:
    """A record in memory; what the loop writes to (`protocols.TraceSink`). `on_event` is told of each event once it is recorded."""

    def __init__(self, clock: Clock | None = None, on_event: Callable[[Event], None] | None = None) -> None:
        self._clock = clock or SystemClock()
        self._on_event = on_event
        self._records: list[Record] = []

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(self._records)

    @property
    def hash(self) -> str:
        """The hash of the last record: it stands for the whole record."""
        return self._records[-1].hash if self._records else GENESIS

    def write(self, event: Event) -> None:
        """Append one event."""
        seq, at, previous = len(self._records), self._clock.now().isoformat(), self.hash
        header = _json({"seq": seq, "at": at, "previous": previous})
        body = b'"header":' + header + b',"payload":' + _json(event.payload()) + b"}"
        digest = hashlib.sha256(body).hexdigest()
        line = _OPEN + digest.encode() + _CLOSE + body
        self._records.append(Record(seq=seq, at=at, previous=previous, hash=digest, line=line))
        if self._on_event is not None:
            self._on_event(event)

    def to_jsonl(self) -> bytes:
        """The stored bytes: one record a line."""
        return b"".join(record.line + b"\n" for record in self._records)

    @classmethod
    def from_jsonl(cls, data: bytes, clock: Clock | None = None) -> Trace:
        """The trace that these bytes store; it may be incomplete, and can be appended to.

        Raises:
            InputError: the chain does not hold; the message names the first bad record.
        """
        found = verify(data)
        if not found.ok:
            raise InputError(f"this is not an intact trace: {found.problem}")
        trace = cls(clock)
        trace._records.extend(_read(line) for line in data.split(b"\n")[:-1])
        return trace

    def comparable(self) -> list[bytes]:
        """The payloads without what may differ between a run and its prefix: settings, stop event, times. Headers and hashes are not in them."""
        return [_json(_comparable(payload)) for record in self._records if (payload := record.payload)["type"] != "stopped"]


def _comparable(payload: dict[str, Any]) -> dict[str, Any]:
    left_out = {"started": _SETTINGS, "model_called": _TIMES, "tool_called": _TIMES}.get(payload["type"], frozenset[str]())
    return {key: value for key, value in payload.items() if key not in left_out}


def verify(data: bytes, expect: str | None = None) -> Verification:
    """Re-hash a stored record and name the first one that was altered, taken out or moved; `expect` is the hash it must end with."""
    lines = data.split(b"\n")
    tail = lines.pop()
    if not lines and not tail:
        return _bad(0, "the record is empty")
    records: list[Record] = []
    for index, line in enumerate(lines):
        try:
            records.append(_read(line))
        except ValueError:
            return _bad(index, f"record {index} was altered: its bytes do not give its hash")
    complete = bool(records) and records[-1].payload.get("type") == "stopped"
    problem = _first_break(records)
    if problem is not None:
        return _bad(*problem)
    if tail:
        return _bad(len(lines), f"record {len(lines)} is cut off: its line does not end")
    if any(record.payload.get("type") == "stopped" for record in records[:-1]):
        index = next(index for index, record in enumerate(records) if record.payload.get("type") == "stopped")
        return _bad(index + 1, f"record {index + 1} was added after the stop event")
    if expect is not None and records[-1].hash != expect:
        return _unexpected(records, expect)
    return Verification(ok=True, complete=complete, problem="" if complete else "incomplete: there is no stop event at its end")


def _bad(seq: int, problem: str) -> Verification:
    return Verification(ok=False, complete=False, problem=problem, first_bad_seq=seq)


def _read(line: bytes) -> Record:
    """The record of one line, re-hashed.

    Raises:
        ValueError: it is not one, or its hash does not fit its bytes.
    """
    digest, body = line[len(_OPEN) : len(_OPEN) + 64], line[_BODY_AT:]
    if not line.startswith(_OPEN) or line[len(_OPEN) + 64 : _BODY_AT] != _CLOSE or hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("altered")
    value: Any = json.loads(line)
    try:
        header, payload = value["header"], value["payload"]
        record = Record(seq=header["seq"], at=header["at"], previous=header["previous"], hash=digest.decode(), line=line)
    except (KeyError, TypeError) as error:
        raise ValueError("not a record") from error
    if not isinstance(payload, dict):
        raise ValueError("not a record")
    return record


def _first_break(records: list[Record]) -> tuple[int, str] | None:
    """The first place where numbers or links do not follow each other."""
    previous = GENESIS
    numbers = [record.seq for record in records]
    for index, record in enumerate(records):
        if record.seq != index:
            if index in numbers:
                return index, f"record {index} was moved: record {record.seq} stands in its place"
            return index, f"record {index} is missing"
        if record.previous != previous:
            # A record that its successor still names is as it was written: then the one before it was replaced.
            intact = index + 1 >= len(records) or records[index + 1].previous == record.hash
            bad = index - 1 if intact and index > 0 else index
            return bad, f"record {bad} was replaced: its hash is not the one that its neighbours name"
        previous = record.hash
    return None


def _unexpected(records: list[Record], expect: str) -> Verification:
    for record in records:
        if record.hash == expect:
            return _bad(record.seq + 1, f"record {record.seq + 1} was added after the record had ended")
    return _bad(len(records), f"the last record is not the expected one: record {len(records)} is missing, or the whole chain was rewritten")


def _json(value: Any) -> bytes:
    """Compact JSON in UTF-8; what UTF-8 or JSON cannot carry is escaped or spelled out, never an error."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (UnicodeEncodeError, ValueError, TypeError):
        return json.dumps(_storable(value), ensure_ascii=True, separators=(",", ":")).encode()


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _storable(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_storable(item) for item in cast("list[Any]", value)]
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    return str(value)
