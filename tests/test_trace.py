"""The trace: what is stored can be read back and re-hashed, and the first record that was touched is named."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.errors import InputError
from redraft.events import Decided, Drafted, Event, ModelCalled, Scored, Started, StoppedRun, ToolCalled
from redraft.payloads import LONG_CHARACTERS, address_of
from redraft.protocols import TraceSink
from redraft.trace import GENESIS, Trace, verify
from redraft.types import Decision, Evidence, Message, ModelReply, ModelRequest, Scorecard, Task, ToolCall, Usage


class Ticking:
    """A clock that moves by one second at each reading."""

    def __init__(self, start: int = 0) -> None:
        self.seconds = start

    def now(self) -> datetime:
        self.seconds += 1
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return float(self.seconds)


def events(seconds: float = 0.5, policy_hash: str = "p", reason: str = "verified") -> list[Event]:
    request = ModelRequest(role="writer", messages=(Message(role="user", content="What is 17% of 2,340?"),))
    return [
        Started(task=Task(query="q"), policy={"name": policy_hash}, policy_hash=policy_hash, models={}, tools=(), seed=7),
        ModelCalled(key="k", model="m", request=request, reply=ModelReply(text="400"), started_seconds=seconds, seconds=seconds),
        Drafted(text="400", given=False),
        ToolCalled(
            key="t", call=ToolCall(tool="calculator", input="2340*17/100"), evidence=(Evidence(tool="calculator", input="x", text="397.8"),), seconds=seconds
        ),
        Decided(turn=1, decision=Decision(accepted=True, rule="repair", figures={"gain": 0.1, "fixed": ["a"]})),
        StoppedRun(reason=reason, status="corrected", answer="397.8", usage=Usage(llm_calls=1, seconds=seconds)),
    ]


def written(found: list[Event] | None = None, start: int = 0) -> Trace:
    trace = Trace(clock=Ticking(start))
    for event in events() if found is None else found:
        trace.write(event)
    return trace


DATA = written().to_jsonl()
LINES = DATA.splitlines(keepends=True)


def test_an_intact_record_verifies_and_its_hash_is_that_of_its_last_record():
    trace = written()
    found = verify(DATA, expect=trace.hash)
    assert (found.ok, found.complete, found.problem, found.first_bad_seq) == (True, True, "", None)
    assert trace.hash == trace.records[-1].hash != GENESIS
    assert [record.seq for record in trace.records] == list(range(6))
    assert trace.records[0].previous == GENESIS
    assert isinstance(trace, Trace)
    sink: TraceSink = trace
    assert sink is trace


def test_the_hash_is_over_the_exact_stored_bytes():
    for line, record in zip(LINES, written().records, strict=True):
        assert line == record.line + b"\n"
        assert sha256(line.removesuffix(b"\n").split(b",", 1)[1]).hexdigest() == record.hash
        stored = json.loads(line)
        assert list(stored) == ["hash", "header", "payload"]
        assert stored["header"] == {"seq": record.seq, "at": record.at, "previous": record.previous}
        assert stored["payload"] == record.payload


def test_it_is_read_back_byte_for_byte_and_can_go_on():
    trace = Trace.from_jsonl(b"".join(LINES[:3]), clock=Ticking(3))
    for event in events()[3:]:
        trace.write(event)
    assert trace.to_jsonl() == DATA


def test_listeners_hear_of_each_event_once_it_is_recorded():
    heard: list[tuple[Event, int]] = []
    trace = Trace(clock=Ticking(), on_event=lambda event: heard.append((event, len(trace.records))))
    trace.write(events()[0])
    assert heard == [(events()[0], 1)]


@pytest.mark.parametrize("count", range(1, 6))
def test_a_record_without_its_stop_event_is_incomplete(count: int):
    found = verify(b"".join(LINES[:count]))
    assert (found.ok, found.complete) == (True, False)
    assert found.problem == "incomplete: there is no stop event at its end"


@pytest.mark.parametrize("index", range(6))
def test_an_altered_record_is_named(index: int):
    line = LINES[index].replace(b'"version":1', b'"version":2')
    found = verify(b"".join([*LINES[:index], line, *LINES[index + 1 :]]))
    assert (found.ok, found.first_bad_seq) == (False, index)
    assert found.problem == f"record {index} was altered: its bytes do not give its hash"


@pytest.mark.parametrize("index", range(5))
def test_a_missing_record_is_named(index: int):
    found = verify(b"".join([*LINES[:index], *LINES[index + 1 :]]))
    assert (found.ok, found.first_bad_seq, found.problem) == (False, index, f"record {index} is missing")


def test_missing_last_records_are_found_by_the_expected_hash():
    found = verify(b"".join(LINES[:4]), expect=written().hash)
    assert (found.ok, found.first_bad_seq) == (False, 4)
    assert "record 4 is missing" in found.problem


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 3), (2, 5)])
def test_reordered_records_are_named(first: int, second: int):
    lines = list(LINES)
    lines[first], lines[second] = lines[second], lines[first]
    found = verify(b"".join(lines))
    assert (found.ok, found.first_bad_seq) == (False, first)
    assert found.problem == f"record {first} was moved: record {second} stands in its place"


@pytest.mark.parametrize("index", range(6))
def test_a_record_replaced_together_with_its_hash_is_named(index: int):
    forged = forge(LINES[index], b'"version":1', b'"version":3')
    found = verify(b"".join([*LINES[:index], forged, *LINES[index + 1 :]]), expect=written().hash)
    assert not found.ok
    assert found.first_bad_seq == (index if index < 5 else 6)


@pytest.mark.parametrize("index", range(1, 6))
def test_a_record_with_another_link_is_named(index: int):
    forged = forge(LINES[index], b'"previous":"', b'"previous":"f')
    found = verify(b"".join([*LINES[:index], forged, *LINES[index + 1 :]]))
    assert (found.ok, found.first_bad_seq) == (False, index if index < 5 else 4)


def test_a_first_record_that_names_one_before_it_is_replaced():
    found = verify(forge(LINES[0], b'"previous":"', b'"previous":"f'))
    assert (found.ok, found.first_bad_seq) == (False, 0)


def forge(line: bytes, old: bytes, new: bytes) -> bytes:
    body = line.removesuffix(b"\n").split(b",", 1)[1].replace(old, new)
    return b'{"hash":"' + sha256(body).hexdigest().encode() + b'",' + body + b"\n"


def test_records_added_at_the_end_are_named():
    trace = written()
    end = trace.hash
    trace.write(Drafted(text="more", given=False))
    assert verify(trace.to_jsonl()).problem == "record 6 was added after the stop event"
    open_end = written(events()[:3])
    end = open_end.hash
    open_end.write(Drafted(text="more", given=False))
    found = verify(open_end.to_jsonl(), expect=end)
    assert (found.ok, found.first_bad_seq, found.problem) == (False, 3, "record 3 was added after the record had ended")


def test_a_repeated_record_is_named():
    found = verify(b"".join([*LINES[:3], LINES[2], *LINES[3:]]))
    assert (found.ok, found.first_bad_seq) == (False, 3)


@pytest.mark.parametrize(
    ("data", "seq", "words"),
    [
        (b"", 0, "empty"),
        (b"\n", 0, "altered"),
        (b"no json\n", 0, "altered"),
        (DATA[:-10], 5, "cut off"),
        (DATA[:40], 0, "cut off"),
        (b"\xff\xfe\x00" * 50 + b"\n", 0, "altered"),
        (DATA.replace(b"\n", b"\r\n"), 0, "altered"),
    ],
)
def test_bytes_that_are_no_record(data: bytes, seq: int, words: str):
    found = verify(data)
    assert (found.ok, found.complete, found.first_bad_seq) == (False, False, seq)
    assert words in found.problem
    with pytest.raises(InputError, match=words):
        Trace.from_jsonl(data)


@pytest.mark.parametrize(
    "body", [b"[]", b'"header":{"seq":0},"payload":{}}', b'"header":{"seq":0,"at":"","previous":""},"payload":[]}', b'"header":1,"payload":{}}', b"x}"]
)
def test_a_hash_that_fits_does_not_make_a_record(body: bytes):
    line = b'{"hash":"' + sha256(body).hexdigest().encode() + b'",' + body + b"\n"
    assert verify(line).first_bad_seq == 0


def test_an_empty_trace():
    trace = Trace()
    assert (trace.hash, trace.records, trace.to_jsonl(), trace.comparable()) == (GENESIS, (), b"", [])


def test_runs_that_differ_in_settings_times_and_stop_event_only_are_comparable():
    a = written(events(seconds=0.5, policy_hash="p"))
    b = written(events(seconds=9.0, policy_hash="other", reason="hard_cap"), start=100)
    assert a.hash != b.hash
    assert a.comparable() == b.comparable()
    assert len(a.comparable()) == 5
    shorter = written([*events()[:3], events()[5]])
    assert shorter.comparable() == a.comparable()[: len(shorter.comparable())]


def test_what_else_differs_is_seen():
    changed = events()
    changed[2] = Drafted(text="401", given=False)
    assert written(changed).comparable() != written().comparable()
    seeded = [dataclasses.replace(events()[0], seed=8), *events()[1:]]
    assert written(seeded).comparable() != written().comparable()


@pytest.mark.parametrize("text", ["\ud800 lone surrogate", "\x00\x1b\u202e", "a\nb\r\n\u2028", "汉字 かな ☃", '{"hash":"', "x" * 100_000])
def test_any_text_can_be_recorded(text: str):
    trace = written([Drafted(text=text, given=True)])
    assert verify(trace.to_jsonl(), expect=trace.hash).ok
    assert trace.records[0].payload["text"] == text
    assert Trace.from_jsonl(trace.to_jsonl()).records == trace.records
    assert trace.to_jsonl().count(b"\n") == (1 if len(text) < LONG_CHARACTERS else 2)


def test_values_that_json_cannot_carry_are_spelled_out():
    odd = {"bytes": b"\xff\x00a", "nan": float("nan"), "inf": float("-inf"), "at": datetime(2026, 1, 1, tzinfo=UTC), 3: None, "list": [1, True, 0.5, "\ud800"]}
    trace = written([Decided(turn=1, decision=Decision(accepted=False, rule="x", figures=odd)), Scored(turn=1, scorecard=Scorecard(scores={"depth": 0.5}))])
    figures = trace.records[0].payload["decision"]["figures"]
    assert figures == {
        "bytes": "\\xff\x00a",
        "nan": "nan",
        "inf": "-inf",
        "at": "2026-01-01 00:00:00+00:00",
        "3": None,
        "list": [1, True, 0.5, "\ud800"],
    }
    assert verify(trace.to_jsonl()).ok


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
@settings(max_examples=300, deadline=None)
def test_no_changed_byte_goes_unseen(at: int, by: int):
    changed = bytearray(DATA)
    changed[at] = (changed[at] + by) % 256
    found = verify(bytes(changed), expect=written().hash)
    assert not found.ok
    assert found.problem
    assert found.first_bad_seq is not None


@given(st.lists(st.text(max_size=20), max_size=5))
@settings(max_examples=100, deadline=None)
def test_equal_events_under_equal_clocks_give_equal_bytes(texts: list[str]):
    found: list[Event] = [Drafted(text=text, given=True) for text in texts]
    assert written(found).to_jsonl() == written(found).to_jsonl()


LONG = "0123456789 " * 200
OTHER = "汉字 \ud800 " * 300


def with_long_texts() -> Trace:
    request = ModelRequest(role="writer", messages=(Message(role="system", content=LONG), Message(role="user", content="short")))
    calls = [ModelCalled(key=str(number), model="m", request=request, reply=ModelReply(text=OTHER)) for number in range(3)]
    return written([events()[0], *calls, *events()[2:]])


def test_a_long_text_is_stored_once_and_read_back_where_it_was():
    trace = with_long_texts()
    data = trace.to_jsonl()
    lines = data.splitlines()
    assert data.count(LONG.encode()) == 1
    assert [line.startswith(b'{"blob":"') for line in lines] == [False, True, True, False, False, False, False, False, False, False]
    assert trace.records[1].addresses == (address_of(LONG), address_of(OTHER))
    back = Trace.from_jsonl(data)
    assert back.records[3].payload["request"]["messages"][0]["content"] == LONG
    assert back.records[3].payload["reply"]["text"] == OTHER
    assert back.to_jsonl() == data
    assert verify(data, expect=trace.hash).ok


def test_a_table_that_looks_like_an_address_comes_back_as_it_was():
    odd = {"$blob": "0" * 64, "x": {"$literal": {"$blob": "1"}}, "y": [{"$blob": LONG}], "z": {"$literal": 1, "a": 2}}
    trace = written([Decided(turn=1, decision=Decision(accepted=False, rule="x", figures=odd))])
    assert trace.records[0].payload["decision"]["figures"] == odd
    assert verify(trace.to_jsonl()).ok
    assert Trace.from_jsonl(trace.to_jsonl()).records[0].payload["decision"]["figures"] == odd


LONG_DATA = with_long_texts().to_jsonl()
LONG_LINES = LONG_DATA.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("lines", "seq", "words"),
    [
        ([*LONG_LINES[:1], *LONG_LINES[2:]], 1, "is missing"),
        ([*LONG_LINES[:2], LONG_LINES[1], *LONG_LINES[2:]], 1, "stands twice"),
        ([LONG_LINES[1], *LONG_LINES], 0, "none of its own"),
        ([*LONG_LINES[:5], *LONG_LINES[1:2], *LONG_LINES[5:]], 3, "stands twice"),
        ([*LONG_LINES[:2]], 1, "only a text of it"),
        ([*LONG_LINES[:1], LONG_LINES[1].replace(b"0123", b"0124", 1), *LONG_LINES[2:]], 1, "does not give its address"),
        ([*LONG_LINES[:1], LONG_LINES[1].replace(b'","text"', b'", "text"'), *LONG_LINES[2:]], 1, "does not give its address"),
        ([*LONG_LINES[:1], b'{"blob":"' + b"[" * 100_000 + b"\n", *LONG_LINES[2:]], 1, "altered"),
    ],
)
def test_a_long_text_that_was_touched_is_named_by_the_record_that_holds_it(lines: list[bytes], seq: int, words: str):
    found = verify(b"".join(lines))
    assert (found.ok, found.first_bad_seq) == (False, seq)
    assert words in found.problem


@given(st.integers(0, len(LONG_DATA) - 1), st.integers(1, 255))
@settings(max_examples=300, deadline=None)
def test_no_changed_byte_of_a_long_text_goes_unseen(at: int, by: int):
    changed = bytearray(LONG_DATA)
    changed[at] = (changed[at] + by) % 256
    assert not verify(bytes(changed), expect=with_long_texts().hash).ok
