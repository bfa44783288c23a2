"""Records that somebody made up: the chain holds, since anybody can hash anything, and nothing in them is what it should be. Every command says so in words."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from redraft.cli import run
from redraft.errors import InputError
from redraft.payloads import json_bytes
from redraft.records.reading import event_of
from redraft.refiner import Refiner
from redraft.trace import read_jsonl, verify

TEXT = "In all, 2 + 2 = 5. <b>The</b> tower was built in 1889. " + "Word for word. " * 100
FORGERIES = 40
EVIL: tuple[Any, ...] = (
    None, True, -1, 1e308, 10**400, "", "x" * 3000, "<script>alert(1)</script>", "../../etc/passwd", "\x00\x1b[31m", [], {}, [[]], {"a": 1}, ["x"], [5, 1],
    [-5, 10**9], {"$blob": "0" * 64}, {"$blob": 5}, {"$blob": ["x"]}, {"$literal": 5}, "2026-99-99T99:99:99", "nan", [None], [{}], "stopped",
)  # fmt: skip
COMMANDS = (
    ["trace", "show"], ["trace", "show", "--json"], ["trace", "verify"], ["trace", "import"], ["replay"], ["replay", "--policy", "direct", "--json"],
    *(["export", "--format", form] for form in ("sft", "inspect", "html")), ["export", "--format", "dpo", "--judged"],
    *(["export", "--format", "csv", "--table", table] for table in ("runs", "claims", "turns", "calls")),
)  # fmt: skip


def chained(payloads: list[Any], headers: dict[int, dict[str, Any]] | None = None, dump: Callable[[Any], bytes] = json_bytes) -> bytes:
    """The payloads as a record whose chain holds."""
    previous, lines = "0" * 64, list[bytes]()
    for seq, payload in enumerate(payloads):
        header = {"seq": seq, "at": "2026-01-01T00:00:00+00:00", "previous": previous} | (headers or {}).get(seq, {})
        body = b'"header":' + json.dumps(header).encode() + b',"payload":' + dump(payload) + b"}"
        previous = hashlib.sha256(body).hexdigest()
        lines.append(b'{"hash":"' + previous.encode() + b'",' + body + b"\n")
    return b"".join(lines)


@pytest.fixture(scope="module")
def payloads() -> list[dict[str, Any]]:
    refiner = Refiner("none")
    refiner.revise_sync("", TEXT)
    return [record.payload for record in refiner.trace.records]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of a payload, but for itself."""
    for key in list(value) if isinstance(value, dict) else range(min(3, len(value))) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(value[key], (*path, key))


def changed(payload: Any, path: tuple[Any, ...], value: Any) -> Any:
    result = inner = copy.deepcopy(payload)
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return result


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("seed", range(FORGERIES))
def test_whatever_stands_in_a_record_no_command_breaks_on_it(seed: int, payloads: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(seed)
    forged = list(payloads)
    for _ in range(chance.choice((1, 1, 2))):
        place = chance.randrange(len(forged))
        where = chance.choice(list(places(forged[place])))
        forged[place] = changed(forged[place], where, chance.choice(EVIL))
    Path("forged.jsonl").write_bytes(chained(forged))
    for command in COMMANDS:
        code = run([*command, "forged.jsonl"])
        told = capsys.readouterr()
        assert code in (0, 1, 2), (command, told.err)
        assert "internal error" not in told.err
        assert "<script>alert" not in told.out or "html" not in command
        if code == 2:
            assert told.err.startswith(("redraft: ", "Usage: "))


@pytest.mark.parametrize(
    "header", [{"at": "yesterday"}, {"at": 5}, {"at": "9999-12-31T23:59:59+00:00"}, {"seq": True}, {"seq": 1.0}, {"seq": "1"}, {"previous": None}]
)
def test_a_header_that_is_none_is_found(header: dict[str, Any], payloads: list[dict[str, Any]]) -> None:
    found = verify(chained(payloads, {1: header}))
    assert not found.ok
    assert found.first_bad_seq in (0, 1)


def test_depth_and_numbers_that_no_record_has_are_found(payloads: list[dict[str, Any]]) -> None:
    deep = json.loads("[" * 300 + "]" * 300)
    for value, dump in ((deep, json_bytes), (float("nan"), lambda value: json.dumps(value).encode())):
        found = verify(chained([*payloads[:1], payloads[1] | {"more": value}, *payloads[2:]], dump=dump))
        assert (found.ok, found.first_bad_seq) == (False, 1)
        assert "no record of an event" in found.problem


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": 5}, "str expected, not 5"),
        ({"given": "yes"}, "bool expected"),
        ({"given": None}, "bool expected"),
        ({"type": "dreamt"}, "does not know; update it"),
    ],
)
def test_a_field_of_another_type_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        event_of({"type": "drafted", "version": 1, "text": "a", "given": True} | change, 3)


def test_a_template_in_a_record_reaches_no_further_than_one_of_a_user(payloads: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    start = payloads[0] | {"prompts": {"hash": "", "replaced": {"generate.system": "{date.__class__} {form}"}}}
    Path("forged.jsonl").write_bytes(chained([start, *payloads[1:]]))
    assert run(["replay", "forged.jsonl"]) == 2
    assert "is not a plain variable" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        {"models": {"writer": "http://127.0.0.1:9/v1#m", "judge": "none", "evaluator": "none"}},
        {"models": {"writer": "scripted:secrets.txt", "judge": "none", "evaluator": "none"}},
        {"task": {"documents": ["secrets.txt"]}},
    ],
)
def test_a_record_from_elsewhere_opens_no_address_and_no_file_unless_it_is_trusted(
    change: dict[str, Any], payloads: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("secrets.txt").write_text("the password is swordfish")
    start = payloads[0] | {key: payloads[0][key] | value for key, value in change.items()}
    Path("forged.jsonl").write_bytes(data := chained([start, *payloads[1:]]))
    assert read_jsonl(data)
    assert run(["replay", "forged.jsonl", "--policy", "critic", "--continue"]) == 2
    assert "--trusted" in capsys.readouterr().err
    assert run(["trace", "import", "forged.jsonl"]) == 0
    name = capsys.readouterr().out.strip()
    assert run(["replay", name, "--policy", "critic", "--continue"]) == 2
    told = capsys.readouterr()
    assert "--trusted" in told.err
    assert "swordfish" not in told.out + told.err
