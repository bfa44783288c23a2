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
from redraft.tools.sandbox import Available, Execution, Limits, Outcome, StepOutcome, StepResult, all_steps
from redraft.tools.sandbox.process import Process, Run, paths, read_capped
from redraft.tools.sandbox.seccomp import filter_bytes

__all__ = ["BubblewrapSandbox"]

T = TypeVar("T")

START_SECONDS = 1.5
"""What a sandbox may take to start and to end, on top of the program's own time."""
SLOW_FACTOR = 5
"""A test that does not finish gets so many times its time in the second look: slow is not wrong."""
REPORT_BYTES = 8 << 20
FAILING: frozenset[StepOutcome] = frozenset({"failed", "error", "timeout", "memory", "output", "crashed"})
BOOT = "import sys; sys.path.insert(0, '/run/redraft'); from guest import {module}; {module}.{call}"


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
        return _execution(texts[reader], stdout, process.status, (seconds, limits.seconds))

    def _check(self, suite: Suite, limits: Limits, stop: threading.Event) -> tuple[StepResult, ...]:
        first = self._suite(suite, limits, time.monotonic() + limits.total_seconds, stop, apart=True)
        if not any(result.outcome in FAILING or result.outcome == "undecidable" for result, _ in first):
            return tuple(result for result, _ in first)
        if all(result.message.startswith("SyntaxError") for result, _ in first):
            return tuple(result for result, _ in first)
        # A value that stays with the program acts through a proxy: what fails that way must also fail without one before it counts as failed
        apart = not (suite.reaches_out or any(remote for _, remote in first))
        more = replace(limits, seconds=SLOW_FACTOR * limits.seconds)
        second = self._suite(suite, more, time.monotonic() + more.total_seconds, stop, apart=apart)
        return tuple(_agreed(one, two, apart=apart) for (one, _), (two, _) in zip(first, second, strict=True))

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
        return _results(texts[reader], suite, "deadline" if ended == "deadline" else "")

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


def _execution(report: bytes, stdout: str, status: int | None, times: tuple[float, float]) -> Execution:
    """What the guest reported of its program; without a report, how it died."""
    seconds, allowed = times
    try:
        result: dict[str, Any] = json.loads(report)
        kind, message, line = result.get("error") or ("", "", None)
        value = str(result.get("value", ""))
    except (ValueError, TypeError, AttributeError):
        # Gone without a word after its time: the limit of processor time has ended it
        gone: Outcome = "timeout" if seconds >= allowed else "crashed"
        return Execution(outcome=gone, stdout=stdout, error_message=f"ended without a report (status {status})", seconds=seconds)
    outcome = "memory" if kind == "MemoryError" else "error" if kind else "ok"
    return Execution(outcome=outcome, stdout=stdout, value=value, error_type=kind, error_message=message, error_line=line, seconds=seconds)


def _results(report: bytes, suite: Suite, cut: str) -> tuple[tuple[StepResult, bool], ...]:
    """One result for each step, and whether a proxy took part in it. Steps without a line did not run."""
    results: list[tuple[StepResult, bool]] = []
    with contextlib.suppress(ValueError):  # a last line that was cut off
        for line in report.decode("utf-8", "replace").splitlines():
            entry: dict[str, Any] = json.loads(line)
            result = StepResult(
                outcome=entry["outcome"], message=entry["message"] if "message" in entry else "", left=entry.get("left", ""), right=entry.get("right", "")
            )
            if entry.get("load"):
                return tuple((one, False) for one in all_steps(suite, result))
            results.append((result, bool(entry.get("remote"))))
    if len(results) < len(suite.steps) and not cut and not (results and results[-1][0].outcome in ("timeout", "crashed")):
        results.append((StepResult(outcome="crashed"), False))
    missing = len(suite.steps) - len(results)
    return (*results, *((StepResult(outcome="not_run", message="an earlier step ended the run"), False) for _ in range(missing)))


def _agreed(one: StepResult, two: StepResult, *, apart: bool) -> StepResult:
    """What two runs say together: a failure counts if it comes back, and what the program could have disturbed never makes it pass."""
    if one.outcome == "passed":
        return StepResult(outcome="undecidable", message="passed once and failed once") if apart and two.outcome in FAILING else one
    if one.outcome == "timeout" and two.outcome in ("timeout", "not_run"):  # not run: its time went into an earlier step
        return one if two.outcome == "not_run" else two
    if one.outcome in ("timeout", "not_run") and two.outcome == "passed" and apart:  # slow is not wrong
        return two
    if one.outcome in FAILING:
        if two.outcome in FAILING or (one.outcome == "crashed" and not one.message):  # without a message it was the sandbox, not the program
            return one
        return StepResult(outcome="undecidable", message=f"failed, and did not fail again ({one.message})")
    return two if one.outcome == "undecidable" and not apart and two.outcome in FAILING else one


@contextlib.contextmanager
def _closing(descriptor: int) -> Generator[None]:
    try:
        yield
    finally:
        os.close(descriptor)
