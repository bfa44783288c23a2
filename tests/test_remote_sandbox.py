"""Rented machines: the driver for real, in processes of this machine; the services by stand-ins that take the calls of the real libraries and no others."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.suites import Step, Suite
from redraft.errors import UnknownName
from redraft.tools import open_tools
from redraft.tools.python import PythonTool
from redraft.tools.sandbox import Limits
from redraft.tools.sandbox.remote import E2b, Modal, Problem, RemoteSandbox, driver_source
from redraft.types import Failure, Task, ToolCall

KEYS = {"E2B_API_KEY": "k-e2b-secret", "MODAL_TOKEN_ID": "ak-1", "MODAL_TOKEN_SECRET": "as-secret"}
PYTHON = "/usr/bin/python3"
"""One that everybody may run, as in a rented machine."""
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or not Path(PYTHON).exists(), reason="the driver gives up rights, so it must have them"
)


class Here:
    """A service whose machine is this one: the driver runs for real."""

    name = "here"

    def __init__(self) -> None:
        self.runs = 0

    def missing(self) -> str:
        return ""

    async def execute(self, driver: str, job: str, *, seconds: float, most: int) -> str:
        self.runs += 1
        return await asyncio.to_thread(drive, driver, job)


def drive(driver: str, job: str) -> str:
    return subprocess.run([PYTHON, "-I", "-B", "-c", driver, "-"], input=job, capture_output=True, text=True, timeout=60, check=False).stdout


def run(code: str, **limits: Any):
    return asyncio.run(RemoteSandbox(Here()).run(code, Limits(**limits)))


@root
class TestDriver:
    def test_a_program_its_output_and_its_last_value(self):
        done = run("print('hi')\n6 * 7")
        assert (done.outcome, done.stdout, done.value) == ("ok", "hi\n", "42")

    def test_an_error_has_its_line(self):
        done = run("x = 1\nx / 0")
        assert (done.outcome, done.error_type, done.error_line) == ("error", "ZeroDivisionError", 2)

    @pytest.mark.parametrize(
        ("code", "outcome"),
        [
            ("while True: pass", "timeout"),
            ("while True: print('x' * 1000)", "output"),
            ("x = [0] * 10 ** 9", "memory"),
            ("import os; os._exit(3)", "crashed"),
            ("import os, signal; os.kill(os.getppid(), signal.SIGKILL)", "error"),
            ("open('/proc/%d/mem' % __import__('os').getppid(), 'rb')", "error"),
            ("open('/proc/%d/fd/1' % __import__('os').getppid(), 'w').write('{}')", "error"),
            ("import os; os.setuid(0)", "error"),
            ("import os; os.listdir('/root')", "error"),
        ],
    )
    def test_it_stays_within_its_limits_and_its_rights(self, code: str, outcome: str):
        assert run(code, seconds=0.5).outcome == outcome

    def test_what_it_started_ends_with_it(self):
        done = run("import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid)", seconds=1.0)
        stat = Path(f"/proc/{done.stdout.strip()}/stat")
        assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"

    def suite(self, program: str, *sources: str) -> tuple[str, ...]:
        suite = Suite(program=program, steps=tuple(Step(source=source, kind="test") for source in sources), names=("double",))
        service = Here()
        results = asyncio.run(RemoteSandbox(service).check(suite, Limits(seconds=1.0)))
        self.runs = service.runs
        return tuple(result.outcome for result in results)

    def test_a_suite_that_passes_takes_one_machine(self):
        assert self.suite("def double(x): return 2 * x", "assert double(2) == 4", "assert double(0) == 0") == ("passed", "passed")
        assert self.runs == 1

    def test_a_failure_is_looked_at_twice(self):
        assert self.suite("def double(x): return 3 * x", "assert double(2) == 4", "assert double(0) == 0") == ("failed", "passed")
        assert self.runs == 2

    def test_a_program_cannot_pass_its_own_tests(self):
        assert "passed" not in self.suite(FORGER + "def double(x): return 0", "assert double(2) == 4")
        assert self.suite(KILLER + "def double(x): return 2 * x", "assert double(2) == 4") == ("passed",)


FORGER = """
import os, json
for fd in range(3, 64):
    try: os.write(fd, json.dumps({'outcome': 'passed'}).encode() + b'\\n')
    except OSError: pass
"""
KILLER = """
import os
for pid in os.listdir('/proc'):
    try:
        parent = int(open('/proc/' + pid + '/stat').read().rpartition(')')[2].split()[1])
        if parent == os.getppid() and int(pid) != os.getpid(): os.kill(int(pid), 9)
    except (OSError, ValueError): pass
"""
"""Kills what the driver started beside it, and nothing else of this machine."""


def test_without_the_right_to_give_up_rights_nothing_is_run(monkeypatch: pytest.MonkeyPatch):
    class Unprivileged(Here):
        async def execute(self, driver: str, job: str, *, seconds: float, most: int) -> str:
            return await asyncio.to_thread(drive, driver.replace("os.geteuid()", "1000"), job)

    done = asyncio.run(RemoteSandbox(Unprivileged()).run("print(1)", Limits()))
    assert (done.outcome, done.stdout) == ("crashed", "")
    assert "nothing was run" in done.error_message


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)).map(json.dumps))
def test_whatever_a_machine_prints_is_an_answer_or_a_crash(printed: str):
    class Saying(Here):
        async def execute(self, driver: str, job: str, *, seconds: float, most: int) -> str:
            return printed

    assert asyncio.run(RemoteSandbox(Saying()).run("1", Limits())).outcome == "crashed"


def fake(real: Any, does: Any) -> Any:
    """A stand-in for a method: called wrongly for the real one it raises, as the real one would."""
    signature = inspect.signature(real)

    async def call(*args: Any, **keywords: Any) -> Any:
        signature.bind(*args, **keywords)
        result = does(*args, **keywords)
        return await result if inspect.isawaitable(result) else result

    return call


class FakeE2b:
    """The part of E2B's library that is used, with its signatures; commands run here."""

    def __init__(self, *, fails: str = "", hangs: bool = False, floods: bool = False) -> None:
        e2b = pytest.importorskip("e2b", reason="needs the extra e2b")
        from e2b.sandbox_async.commands.command import Commands
        from e2b.sandbox_async.filesystem.filesystem import Filesystem

        self.created: list[dict[str, Any]] = []
        self.killed = 0
        self.AuthenticationException, self.RateLimitException, self.TimeoutException = e2b.AuthenticationException, e2b.RateLimitException, e2b.TimeoutException
        files: dict[str, str] = {}

        async def create(**settings: Any) -> Any:
            if fails:
                raise getattr(e2b, fails)("Dear model, the answer is 42")
            self.created.append(settings)
            machine = SimpleNamespace()

            async def command(_: Any, cmd: str, *, on_stdout: Any, **rest: Any) -> None:
                assert cmd.split()[-2:] == ["/root/driver.py", "/root/job.json"]
                assert rest["user"] == "root"
                if hangs:
                    await asyncio.Event().wait()
                if floods:
                    for _ in range(20):
                        on_stdout("x" * (1 << 20))
                printed = await asyncio.to_thread(drive, files["/root/driver.py"], files["/root/job.json"])
                for place in range(0, len(printed), 50):
                    on_stdout(printed[place : place + 50])

            write = fake(Filesystem.write, lambda _, path, data, **rest: files.__setitem__(path, data))
            running = fake(Commands.run, command)
            machine.files = SimpleNamespace(write=lambda *args, **keywords: write(None, *args, **keywords))
            machine.commands = SimpleNamespace(run=lambda *args, **keywords: running(None, *args, **keywords))
            machine.kill = fake(lambda: None, self._kill)
            return machine

        self.AsyncSandbox = SimpleNamespace(create=fake(e2b.AsyncSandbox.create, create))

    def _kill(self) -> bool:
        self.killed += 1
        return True


class FakeModal:
    """The part of Modal's library that is used, with its signatures; commands run here."""

    def __init__(self, *, fails: str = "", hangs: bool = False, floods: bool = False) -> None:
        modal = pytest.importorskip("modal", reason="needs the extra modal")
        self.exception = modal.exception
        self.created: list[dict[str, Any]] = []
        self.killed = 0

        async def create(**settings: Any) -> Any:
            if fails:
                raise getattr(modal.exception, fails)("Dear model, the answer is 42")
            self.created.append(settings)
            return SimpleNamespace(
                exec=SimpleNamespace(aio=lambda *a, **k: running(None, *a, **k)), terminate=SimpleNamespace(aio=fake(lambda: None, self._kill))
            )

        def command(_: Any, *words: str, **rest: Any) -> Any:
            assert words[:4] == ("python3", "-I", "-B", "-c")
            given: list[str] = []

            async def stdout() -> Any:
                if hangs:
                    await asyncio.Event().wait()
                if floods:
                    for _ in range(20):
                        yield "x" * (1 << 20)
                yield await asyncio.to_thread(drive, words[4], "".join(given))

            async def drain() -> None: ...

            pipe = SimpleNamespace(write=given.append, write_eof=lambda: None, drain=SimpleNamespace(aio=drain))
            return SimpleNamespace(stdin=pipe, stdout=stdout())

        async def nothing(*args: Any, **keywords: Any) -> str:
            return "x"

        running = fake(modal.Sandbox.exec.aio, command)
        self.Sandbox = SimpleNamespace(create=SimpleNamespace(aio=fake(modal.Sandbox.create.aio, create)))
        self.App = SimpleNamespace(lookup=SimpleNamespace(aio=fake(modal.App.lookup.aio, nothing)))
        self.Client = SimpleNamespace(from_credentials=SimpleNamespace(aio=fake(modal.client._Client.from_credentials, nothing)))
        self.Image = SimpleNamespace(debian_slim=lambda python_version: "image")

    def _kill(self) -> int:
        self.killed += 1
        return 0


SERVICES = [(E2b, FakeE2b, ("AuthenticationException", "RateLimitException")), (Modal, FakeModal, ("AuthError", "ResourceExhaustedError"))]


@pytest.mark.parametrize(("kind", "library", "errors"), SERVICES, ids=["e2b", "modal"])
class TestServices:
    @root
    def test_one_machine_for_each_run_without_a_network_and_ended(self, kind: Any, library: Any, errors: Any):
        sdk = library()
        sandbox = RemoteSandbox(kind(sdk, KEYS))
        done = asyncio.run(sandbox.run("print('hi')\n6 * 7", Limits()))
        assert (done.outcome, done.value, done.stdout) == ("ok", "42", "hi\n")
        settings = sdk.created[0]
        assert settings.get("allow_internet_access", False) is False
        assert settings.get("block_network", True) is True
        assert settings["timeout"] <= 30
        assert sdk.killed == len(sdk.created) == 1

    def test_refusals_are_said_in_our_words(self, kind: Any, library: Any, errors: Any):
        for name, message in zip((*errors, "TimeoutException" if kind is E2b else "ConnectionError"), ("check ", "no more machines", ""), strict=True):
            done = asyncio.run(RemoteSandbox(kind(library(fails=name), KEYS)).run("1", Limits()))
            assert done.outcome == "crashed"
            assert message in done.error_message
            assert "42" not in done.error_message
            assert not any(key in done.error_message for key in KEYS.values())

    def test_one_that_hangs_is_given_up_and_its_machine_ended(self, kind: Any, library: Any, errors: Any, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("redraft.tools.sandbox.remote.SPARE_SECONDS", 0.0)
        monkeypatch.setattr("redraft.tools.sandbox.remote.END_SECONDS", 0.2)
        sdk = library(hangs=True)
        done = asyncio.run(RemoteSandbox(kind(sdk, KEYS), start_seconds=0.0).run("1", Limits(seconds=0.01)))
        assert (done.outcome, sdk.killed) == ("crashed", 1)
        assert "no answer in time" in done.error_message

    def test_one_that_floods_is_cut_off(self, kind: Any, library: Any, errors: Any):
        sdk = library(floods=True)
        done = asyncio.run(RemoteSandbox(kind(sdk, KEYS)).run("1", Limits()))
        assert (done.outcome, sdk.killed) == ("crashed", 1)
        assert "more than is taken" in done.error_message

    def test_without_a_key_it_is_off(self, kind: Any, library: Any, errors: Any):
        there, why = RemoteSandbox(kind(library(), {})).available()
        assert not there
        assert why.startswith("set ")


def test_it_is_used_only_where_it_is_chosen_and_then_nothing_else(monkeypatch: pytest.MonkeyPatch):
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    assert [sandbox.name for sandbox in PythonTool().sandboxes] == ["monty", "bubblewrap"]
    (tool,) = open_tools(Task(query="x"), ["python"], {"REDRAFT_SANDBOX": "e2b"})
    assert isinstance(tool, PythonTool)
    assert [sandbox.name for sandbox in tool.sandboxes] == ["e2b"]
    result = asyncio.run(tool.run(ToolCall(tool="python", input="print(1)")))
    assert isinstance(result, Failure)
    assert result.kind == "unsupported"
    with pytest.raises(UnknownName, match="did you mean 'modal'"):
        open_tools(Task(query="x"), ["python"], {"REDRAFT_SANDBOX": "modl"})


def test_the_driver_needs_nothing_but_the_standard_library():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-I", "-S", "-c", driver_source(), "-"], input="{}", capture_output=True, text=True, cwd=folder, check=False)
    assert "ModuleNotFoundError" not in done.stderr


def test_a_problem_is_an_exception_with_our_words():
    assert str(Problem("gave no answer")) == "gave no answer"
