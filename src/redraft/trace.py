"""The record of a run: append-only, each record chained to the one before by a SHA-256 over the exact bytes that are stored.

One record is one JSON line: `{"hash":"…","header":{"seq":0,"at":"…","previous":"…"},"payload":{…}}`. The hash covers every byte after its own comma, so that
the number, the time, the link to the record before and the payload cannot be changed unseen.

A long text (`payloads.LONG_CHARACTERS` or more) is stored once, under the SHA-256 of its bytes. The payload holds `{"$blob":"<address>"}` there, and among
JSON lines the text stands as `{"blob":"<address>","text":"…"}` before the first record that names it: the chain covers it through its address.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, cast

from redraft.effects import SystemClock
from redraft.errors import InputError
from redraft.events import Event
from redraft.payloads import address_of, json_bytes, marked, named, stored, whole
from redraft.protocols import Clock

__all__ = [
    "GENESIS",
    "Record",
    "RecordKeeper",
    "Trace",
    "Verification",
    "jsonl",
    "read_jsonl",
    "read_line",
    "stored_jsonl",
    "verify",
]

GENESIS = "0" * 64
"""What the first record names as the one before it, and the hash of an empty trace."""
_OPEN, _CLOSE = b'{"hash":"', b'",'
_NO_RECORD = "what stands there is no record of an event"
_DEEPEST = 100
_YEARS = (1900, 9000)
_BODY_AT = len(_OPEN) + 64 + len(_CLOSE)
_TEXT_OPEN = b'{"blob":"'
_TIMES = frozenset({"started_seconds", "seconds"})
_LEFT_OUT: Mapping[str, frozenset[str]] = {
    "started": frozenset({"policy", "policy_hash"}),
    "model_called": _TIMES,
    "tool_called": _TIMES,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """One stored event. `line` is the exact stored line without its line feed; `texts` are the long texts of its record, by address."""

    seq: int
    at: str
    previous: str
    hash: str
    line: bytes
    texts: Mapping[str, str] = field(default_factory=dict[str, str], compare=False, repr=False)

    @property
    def payload(self) -> dict[str, Any]:
        """The event's fields with `type` and `version`, as JSON values, long texts in their places.

        Raises:
            KeyError: a long text is not there.
        """
        payload = json.loads(self.line)["payload"]
        return whole(payload, self.texts) if marked(self.line) else payload

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses of the long texts that this record names."""
        return tuple(dict.fromkeys(named(json.loads(self.line)["payload"]))) if marked(self.line) else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What re-hashing found. `ok`: the chain holds (and ends as expected); `complete`: it ends with its stop event; `problem` in words, or empty."""

    ok: bool
    complete: bool
    problem: str = ""
    first_bad_seq: int | None = None


class RecordKeeper(Protocol):
    """Where records are kept as they are written. It never raises: a run does not end because its record cannot be kept."""

    def keep(self, record: Record, payload: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        """Keep one record; `payload` is whole, and `texts` are the long texts that no record before it has named."""
        ...


class Trace:
    """A record in memory; what the loop writes to (`protocols.TraceSink`). `on_event` is told of each event once it is recorded and given to `keeper`."""

    def __init__(self, clock: Clock | None = None, on_event: Callable[[Event], None] | None = None, keeper: RecordKeeper | None = None) -> None:
        self._clock = clock or SystemClock()
        self._on_event = on_event
        self._keeper = keeper
        self._records: list[Record] = []
        self._texts: dict[str, str] = {}

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(self._records)

    @property
    def hash(self) -> str:
        """The hash of the last record: it stands for the whole record."""
        return self._records[-1].hash if self._records else GENESIS

    def write(self, event: Event) -> None:
        """Append one event."""
        payload = event.payload()
        content, found = stored(payload)
        seq, at, previous = len(self._records), self._clock.now().isoformat(), self.hash
        body = b'"header":' + json_bytes({"seq": seq, "at": at, "previous": previous}) + b',"payload":' + content + b"}"
        digest = hashlib.sha256(body).hexdigest()
        fresh = {address: text for address, text in found.items() if address not in self._texts}
        self._texts |= fresh
        record = Record(seq=seq, at=at, previous=previous, hash=digest, line=_OPEN + digest.encode() + _CLOSE + body, texts=self._texts)
        self._records.append(record)
        if self._keeper is not None:
            self._keeper.keep(record, payload, fresh)
        if self._on_event is not None:
            self._on_event(event)

    def to_jsonl(self) -> bytes:
        """The stored bytes: one record a line, and before it a line for each long text that it is the first to name."""
        return jsonl(self._records)

    @classmethod
    def from_jsonl(cls, data: bytes, clock: Clock | None = None) -> Trace:
        """The trace that these bytes store; it may be incomplete, and can be appended to.

        Raises:
            InputError: the chain does not hold; the message names the first bad record.
        """
        trace = cls(clock)
        trace._records.extend(read_jsonl(data))
        trace._texts = dict(trace._records[0].texts)
        trace._records = [Record(seq=r.seq, at=r.at, previous=r.previous, hash=r.hash, line=r.line, texts=trace._texts) for r in trace._records]
        return trace

    def comparable(self) -> list[bytes]:
        """The payloads without what may differ between a run and its prefix: settings, stop event, times. Headers and hashes are not in them."""
        return [json_bytes(_comparable(payload)) for record in self._records if (payload := record.payload)["type"] != "stopped"]


def _comparable(payload: dict[str, Any]) -> dict[str, Any]:
    left_out = _LEFT_OUT.get(payload["type"], frozenset[str]())
    return {key: value for key, value in payload.items() if key not in left_out}


def jsonl(records: list[Record]) -> bytes:
    """Records as JSON lines, each long text before the first record that names it."""
    lines: list[bytes] = []
    written: set[str] = set()
    for record in records:
        for address in record.addresses:
            if address not in written and address in record.texts:
                written.add(address)
                lines.append(_text_line(record.texts[address]))
        lines.append(record.line)
    return b"".join(line + b"\n" for line in lines)


def stored_jsonl(lines: Sequence[bytes], texts: Mapping[str, bytes]) -> bytes:
    """JSON lines of what a store holds, whatever it is: lines in their order, and long texts under the address that they are stored by, to be verified."""
    written: set[str] = set()
    result: list[bytes] = []
    for line in lines:
        try:
            own = list(named(json.loads(line)["payload"])) if marked(line) else []
        except (ValueError, KeyError, TypeError, RecursionError):
            own = []
        for address in own:
            if address in texts and address not in written:
                written.add(address)
                result.append(json_bytes({"blob": address, "text": _decoded(texts[address])}))
        result.append(line)
    return b"".join(line + b"\n" for line in result)


def _decoded(content: bytes) -> str:
    """A stored text; bytes that are none are spelled out, so that they cannot fit their address."""
    try:
        return content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return content.decode("utf-8", "backslashreplace")


def read_jsonl(data: bytes) -> list[Record]:
    """The records that these bytes store; there is at least one.

    Raises:
        InputError: the chain does not hold; the message names the first bad record.
    """
    found = verify(data)
    if not found.ok:
        raise InputError(f"this is not an intact trace: {found.problem}")
    texts: dict[str, str] = {}
    records: list[Record] = []
    for line in data.split(b"\n")[:-1]:
        if line.startswith(_TEXT_OPEN):
            address, text = _read_text(line)
            texts[address] = text
        else:
            records.append(read_line(line, texts))
    return records


def verify(data: bytes, expect: str | None = None) -> Verification:
    """Re-hash a stored record and name the first one that was altered, taken out or moved; `expect` is the hash it must end with."""
    lines = data.split(b"\n")
    tail = lines.pop()
    if not lines and not tail:
        return _bad(0, "the record is empty")
    records: list[Record] = []
    for step in _reading(lines, records):
        if isinstance(step, Verification):
            return step
    complete = bool(records) and _type_of(records[-1]) == "stopped"
    problem = _first_break(records)
    if problem is not None:
        return _bad(*problem)
    if tail:
        return _bad(len(records), f"record {len(records)} is cut off: its line does not end")
    stop = next((index for index, record in enumerate(records[:-1]) if _type_of(record) == "stopped"), None)
    if stop is not None:
        return _bad(stop + 1, f"record {stop + 1} was added after the stop event")
    if expect is not None and records[-1].hash != expect:
        return _unexpected(records, expect)
    return Verification(ok=True, complete=complete, problem="" if complete else "incomplete: there is no stop event at its end")


def _reading(lines: list[bytes], records: list[Record]) -> Iterator[Verification | None]:
    """Read all lines into `records`; yields what is wrong with a line. A text belongs before the record that is the first to name it, and nowhere else."""
    texts: dict[str, str] = {}
    waiting: set[str] = set()
    for line in lines:
        index = len(records)
        try:
            if line.startswith(_TEXT_OPEN):
                address, text = _read_text(line)
                if address in texts:
                    yield _bad(index, f"record {index} was altered: a text before it stands twice")
                texts[address] = text
                waiting.add(address)
                continue
            record = read_line(line, texts)
        except ValueError as error:
            what = "a text that it holds does not give its address" if line.startswith(_TEXT_OPEN) else "its bytes do not give its hash"
            what = _NO_RECORD if str(error) == _NO_RECORD else what
            yield _bad(index, f"record {index} was altered: {what}")
            return
        records.append(record)
        own = set(record.addresses)
        missing = next((address for address in record.addresses if address not in texts), None)
        if missing is not None and _first_break(records) is None:
            yield _bad(index, f"record {index} is not whole: its text {missing[:16]}… is missing")
        if waiting - own and _first_break(records) is None:
            yield _bad(index, f"record {index} was altered: a text before it is none of its own")
        waiting.clear()
    if waiting:
        yield _bad(len(records), f"record {len(records)} is missing: only a text of it is there")


def _type_of(record: Record) -> object:
    return json.loads(record.line)["payload"].get("type")


def _bad(seq: int, problem: str) -> Verification:
    return Verification(ok=False, complete=False, problem=problem, first_bad_seq=seq)


def read_line(line: bytes, texts: Mapping[str, str]) -> Record:
    """The record of one stored line, re-hashed.

    Raises:
        ValueError: it is not one, or its hash does not fit its bytes.
    """
    digest, body = line[len(_OPEN) : len(_OPEN) + 64], line[_BODY_AT:]
    if not line.startswith(_OPEN) or line[len(_OPEN) + 64 : _BODY_AT] != _CLOSE or hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("altered")
    value = _parsed(line)
    try:
        header, payload = value["header"], value["payload"]
        record = Record(seq=header["seq"], at=header["at"], previous=header["previous"], hash=digest.decode(), line=line, texts=texts)
        dated = _YEARS[0] <= datetime.fromisoformat(record.at).year < _YEARS[1]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(_NO_RECORD) from error
    if not dated or type(record.seq) is not int or not isinstance(payload, dict) or _too_deep(value):
        raise ValueError(_NO_RECORD)
    return record


def _too_deep(value: Any) -> bool:
    """Whether tables and lists stand in each other deeper than any event has them: who reads them would not come to an end of it."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        inner = (cast("dict[str, Any]", outer).values() if isinstance(outer, dict) else cast("list[Any]", outer) for outer in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_number(name: str) -> None:
    """What is no number in JSON is never written (`payloads.json_bytes`)."""
    raise ValueError(_NO_RECORD)


def _text_line(text: str) -> bytes:
    return json_bytes({"blob": address_of(text), "text": text})


def _read_text(line: bytes) -> tuple[str, str]:
    """Address and text of a line that stores a long text.

    Raises:
        ValueError: it is not one, or is not written as this program writes it.
    """
    value = _parsed(line)
    text = value.get("text")
    if not isinstance(text, str) or _text_line(text) != line:
        raise ValueError("altered")
    return value["blob"], text


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
