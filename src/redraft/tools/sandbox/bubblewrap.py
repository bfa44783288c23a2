"""The full interpreter: CPython under bubblewrap, with a seccomp filter and resource limits. Linux only.

Each program gets its own namespaces, an empty writable memory file system and nothing of the host but /usr, read only. It starts with a clean
environment (`--clearenv` alone leaves the host's in /proc/1/environ). A test suite takes two such sandboxes joined by a local socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import asdict, replace
from typing import Any, TypeVar

from redraft.claims.suites import Suite
from redraft.tools.sandbox import Available, Execution, Limits, StepResult
from redraft.tools.sandbox.looks import SLOW_FACTOR, agreed, execution_of, second_look, step_results
from redraft.tools.sandbox.process import SHELF, Process, Run, paths, read_capped
from redraft.tools.sandbox.seccomp import filter_bytes

__all__ = ["BubblewrapSandbox"]

T = TypeVar("T")

START_SECONDS = 1.5
"""What a sandbox may take to start and to end, on top of the program's own time."""
REPORT_BYTES = 8 << 20
BOOT = f"import sys; sys.path.insert(0, '/run/redraft'); sys.path.append('{SHELF}'); from guest import {{module}}; {{module}}.{{call}}"


class BubblewrapSandbox:
    """Runs code in CPython under bubblewrap."""

    name = "bubblewrap"

    def __init__(self) -> None:
        self._running: set[Process] = set()

    def available(self) -> Available:
        return _available()

    async def run(self, code: str, limits: Limits) -> Execution:
        """Run a program. A sandbox that does not start is `crashed`; cancelling kills the program."""
        return await _in_thread(lambda stop: self._run(code, limits, stop))

    async def check(self, suite: Suite, limits: Limits) -> tuple[StepResult, ...]:
        """Run a test suite; failures are looked at twice, and one that does not come back is `undecidable`."""
        return await _in_thread(lambda stop: self._check(suite, limits, stop))

    async def close(self) -> None:
        for process in tuple(self._running):
            process.kill()

    def _run(self, code: str, limits: Limits, stop: threading.Event) -> Execution:
        began = time.monotonic()
        reader, writer = os.pipe()
        with _closing(reader):
            try:
                process = self._start("program", f"run({writer})", code, limits.seconds, (writer,), printing=True)
            finally:
                os.close(writer)
            with process:
                assert process.child.stdout is not None
                output = process.child.stdout.fileno()
                caps = {output: limits.output_bytes, reader: REPORT_BYTES}
                texts, ended = read_capped(caps, began + limits.seconds + START_SECONDS, stop)
                process.kill()
        seconds = time.monotonic() - began
        stdout = texts[output].decode("utf-8", "replace")
        if ended != "closed":
            return Execution(outcome="output" if ended == "full" else "timeout", stdout=stdout, seconds=seconds)
        return execution_of(texts[reader], stdout, process.status, (seconds, limits.seconds))

    def _check(self, suite: Suite, limits: Limits, stop: threading.Event) -> tuple[StepResult, ...]:
        first = self._suite(suite, limits, time.monotonic() + limits.total_seconds, stop, apart=True)
        apart = second_look(suite, first)
        if apart is None:
            return tuple(result for result, _ in first)
        more = replace(limits, seconds=SLOW_FACTOR * limits.seconds)
        second = self._suite(suite, more, time.monotonic() + more.total_seconds, stop, apart=apart)
        return tuple(agreed(one, two, apart=apart) for (one, _), (two, _) in zip(first, second, strict=True))

    def _suite(self, suite: Suite, limits: Limits, deadline: float, stop: threading.Event, *, apart: bool) -> tuple[tuple[StepResult, bool], ...]:
        tests: dict[str, Any] = {"names": suite.names, "seconds": limits.seconds, "steps": [asdict(step) for step in suite.steps]}
        tests["program"] = "" if apart else suite.program
        reader, writer = os.pipe()
        with _closing(reader), contextlib.ExitStack() as stack:
            try:
                ours, theirs = socket.socketpair()
                with ours, theirs:
                    connection = theirs.fileno() if apart else -1
                    passed = (writer, connection) if apart else (writer,)
                    stack.enter_context(self._start("suite", f"run({writer}, {connection})", json.dumps(tests), limits.total_seconds, passed))
                    if apart:
                        call = f"serve({ours.fileno()}, {limits.seconds})"
                        stack.enter_context(self._start("answer", call, suite.program, limits.total_seconds, (ours.fileno(),)))
            finally:
                os.close(writer)
            texts, ended = read_capped({reader: REPORT_BYTES}, deadline, stop)
        return step_results(texts[reader], suite, "deadline" if ended == "deadline" else "")

    def _start(self, module: str, call: str, stdin: str, seconds: float, descriptors: tuple[int, ...], *, printing: bool = False) -> Process:
        code = BOOT.format(module=module, call=call)
        run = Run(code, stdin, seconds, descriptors, printing)
        process = Process(run, self._running.discard)
        self._running.add(process)
        return process


@functools.cache
def _available() -> Available:
    programs = paths()
    if isinstance(programs, str):
        return False, programs
    try:
        filter_bytes()
    except ImportError:
        return False, "pyseccomp is not installed; run: pip install 'redraft[sandbox]'"
    except (OSError, RuntimeError):
        return False, "libseccomp is not installed; run: apt-get install libseccomp2"
    execution = BubblewrapSandbox()._run("21 * 2", Limits(seconds=10), threading.Event())  # pyright: ignore[reportPrivateUsage]
    if execution.value != "42":
        return False, "bubblewrap cannot start a sandbox here (user namespaces may be switched off)"
    version = subprocess.run([programs.bwrap, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return True, version or "bubblewrap"


async def _in_thread(work: Callable[[threading.Event], T]) -> T:
    """Do blocking work in a thread, and tell it to stop when the caller is cancelled."""
    stop = threading.Event()
    try:
        return await asyncio.to_thread(work, stop)
    finally:
        stop.set()


@contextlib.contextmanager
def _closing(descriptor: int) -> Generator[None]:
    try:
        yield
    finally:
        os.close(descriptor)
