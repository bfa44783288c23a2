"""Rented machines as sandboxes: E2B and Modal. One fresh machine for each run, without a network, ended by us and, failing that, by its own lifetime.

Both services do one thing here: start a machine and run our driver in it with a job. All that is promised of a run (time, memory, output, tests apart
from the program) is kept by the driver and by limits on this side. Never run against the real services: tried with stand-ins that take the same calls.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, cast

from redraft.claims.suites import Suite
from redraft.tools.sandbox import Available, Execution, Limits, StepResult, all_steps
from redraft.tools.sandbox.looks import SLOW_FACTOR, agreed, execution_of, second_look, step_results

__all__ = ["E2b", "Modal", "Problem", "RemoteSandbox", "Service", "driver_source"]

START_SECONDS = 30.0
"""For a machine to be there."""
END_SECONDS = 10.0
SPARE_SECONDS = 3.0
"""What the driver may take to start and to end, on top of the programs' own time."""
ANSWER_BYTES = 8 << 20
"""Of the driver's line: report and output, coded."""
FOLDER = "/root"
"""Of the rented machine: nobody but root reads it."""
GUEST = Path(__file__).parent / "guest"


class Problem(Exception):
    """The service gave no answer; the message is ours."""


class Service(Protocol):
    """A place to rent a machine."""

    @property
    def name(self) -> str: ...

    def missing(self) -> str:
        """What is missing to use it here, and what adds it; empty if nothing is."""
        ...

    async def execute(self, driver: str, job: str, *, seconds: float, most: int) -> str:
        """Start a machine without a network, run the driver in it as root with the job, end the machine, and return what was printed, at most so much.

        Raises:
            Problem: the service refused, failed or sent too much.
        """
        ...


class RemoteSandbox:
    """Runs code on a rented machine. Nothing is run anywhere else where the service does not answer: the outcome is `crashed`, with the reason."""

    def __init__(self, service: Service, *, start_seconds: float = START_SECONDS) -> None:
        self.name = service.name
        self._service = service
        self._start_seconds = start_seconds

    def available(self) -> Available:
        why = self._service.missing()
        return (False, why) if why else (True, "chosen; the service itself is not asked until code is run")

    async def run(self, code: str, limits: Limits) -> Execution:
        """Run a program; what the service does wrong is `crashed`."""
        job = {"what": "run", "program": code, "seconds": limits.seconds, "wall": limits.seconds + 1.0, "output": limits.output_bytes}
        try:
            answer = await self._answer(job, limits)
        except Problem as problem:
            return Execution(outcome="crashed", error_message=str(problem))
        stdout = answer.stdout.decode("utf-8", "replace")
        if answer.ended != "closed":
            return Execution(outcome="output" if answer.ended == "full" else "timeout", stdout=stdout, seconds=answer.seconds)
        return execution_of(answer.report, stdout, answer.status, (answer.seconds, limits.seconds))

    async def check(self, suite: Suite, limits: Limits) -> tuple[StepResult, ...]:
        """Run a test suite; failures are looked at twice, on a second machine."""
        try:
            first = await self._suite(suite, limits, apart=True)
            apart = second_look(suite, first)
            if apart is None:
                return tuple(result for result, _ in first)
            second = await self._suite(suite, replace(limits, seconds=SLOW_FACTOR * limits.seconds), apart=apart)
        except Problem as problem:
            return all_steps(suite, StepResult(outcome="crashed", message=str(problem)))
        return tuple(agreed(one, two, apart=apart) for (one, _), (two, _) in zip(first, second, strict=True))

    async def close(self) -> None:
        """Nothing is kept between runs."""

    async def _suite(self, suite: Suite, limits: Limits, *, apart: bool) -> tuple[tuple[StepResult, bool], ...]:
        tests: dict[str, Any] = {"names": suite.names, "seconds": limits.seconds, "steps": [asdict(step) for step in suite.steps]}
        tests["program"] = "" if apart else suite.program
        job = {"what": "check", "apart": apart, "program": suite.program, "tests": json.dumps(tests), "seconds": limits.seconds, "wall": limits.total_seconds}
        answer = await self._answer(job, limits)
        return step_results(answer.report, suite, "deadline" if answer.ended == "deadline" else "")

    async def _answer(self, job: Mapping[str, Any], limits: Limits) -> _Answer:
        whole = {**job, "memory": max(limits.memory_bytes, 256 << 20), "files": _guest_files()}
        seconds = float(job["wall"]) + SPARE_SECONDS
        try:
            async with asyncio.timeout(self._start_seconds + seconds + END_SECONDS):
                printed = await self._service.execute(driver_source(), json.dumps(whole), seconds=seconds, most=ANSWER_BYTES)
        except TimeoutError:
            raise Problem(f"{self.name} gave no answer in time") from None
        except Problem as problem:
            raise Problem(f"{self.name} {problem}") from None
        except Exception as error:  # whatever the service's library raises
            raise Problem(f"{self.name} failed ({type(error).__name__})") from None
        return _Answer.read(printed, self.name, limits)


class _Answer:
    """What the driver said, checked: it comes from a machine where unknown code ran."""

    def __init__(self, report: bytes, stdout: bytes, ended: str, status: int | None, seconds: float) -> None:
        self.report, self.stdout, self.ended, self.status, self.seconds = report, stdout, ended, status, seconds

    @classmethod
    def read(cls, printed: str, name: str, limits: Limits) -> _Answer:
        lines = printed.strip().splitlines()
        try:
            value: Any = json.loads(lines[-1]) if lines else None
            table = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            if table.get("problem") == "rights":
                raise Problem(f"{name} does not let the programs run without rights, so nothing was run")
            report, stdout = (base64.b64decode(str(table[key]), validate=True) for key in ("report", "stdout"))
            seconds, ended, status = float(table["seconds"]), table["ended"], int(table["status"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Problem(f"{name} sent something that is not the driver's answer") from None
        if ended not in ("closed", "full", "deadline") or not (math.isfinite(seconds) and seconds >= 0):
            raise Problem(f"{name} sent something that is not the driver's answer")
        return cls(report, stdout[: limits.output_bytes], ended, status, seconds)


@lru_cache(maxsize=1)
def driver_source() -> str:
    """The program that runs a job inside the machine."""
    return (GUEST / "driver.py").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _guest_files() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(GUEST.glob("*.py")) if path.name != "driver.py"}


class E2b:
    """E2B: a machine of the code interpreter's template, through the official SDK."""

    name = "e2b"
    keys = ("E2B_API_KEY",)

    def __init__(self, sdk: Any = None, environment: Mapping[str, str] | None = None) -> None:
        self._sdk = sdk
        self._environment = environment

    def missing(self) -> str:
        return _missing(self.name, "e2b", self.keys, self._environment, given=self._sdk is not None)

    async def execute(self, driver: str, job: str, *, seconds: float, most: int) -> str:
        sdk = self._sdk or _module("e2b")
        key = (os.environ if self._environment is None else self._environment).get("E2B_API_KEY", "")
        parts: list[str] = []
        left = most

        def keep(text: str) -> None:
            nonlocal left
            left -= len(text)
            if left >= 0:
                parts.append(text)

        try:
            machine = await sdk.AsyncSandbox.create(
                template="code-interpreter-v1", timeout=math.ceil(seconds + END_SECONDS), allow_internet_access=False, secure=True, api_key=key
            )
            try:
                await machine.files.write(f"{FOLDER}/driver.py", driver, user="root")
                await machine.files.write(f"{FOLDER}/job.json", job, user="root")
                command = f"python3 -I -B {FOLDER}/driver.py {FOLDER}/job.json"
                await machine.commands.run(command, user="root", on_stdout=keep, timeout=seconds, retain_output=False)
            finally:
                await _ended(machine.kill())
        except sdk.AuthenticationException:
            raise Problem("refused the key; check E2B_API_KEY") from None
        except sdk.RateLimitException:
            raise Problem("allows no more machines for now") from None
        except sdk.TimeoutException:
            raise Problem("gave no answer in time") from None
        if left < 0:
            raise Problem("sent more than is taken")
        return "".join(parts)


class Modal:
    """Modal: a container with nothing but Python, through the official SDK."""

    name = "modal"
    keys = ("MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET")

    def __init__(self, sdk: Any = None, environment: Mapping[str, str] | None = None) -> None:
        self._sdk = sdk
        self._environment = environment

    def missing(self) -> str:
        return _missing(self.name, "modal", self.keys, self._environment, given=self._sdk is not None)

    async def execute(self, driver: str, job: str, *, seconds: float, most: int) -> str:
        sdk = self._sdk or _module("modal")
        values = os.environ if self._environment is None else self._environment
        whole = math.ceil(seconds + END_SECONDS)
        try:
            client = await sdk.Client.from_credentials.aio(*(values.get(key, "") for key in self.keys))
            app = await sdk.App.lookup.aio("redraft-sandbox", create_if_missing=True, client=client)
            image = sdk.Image.debian_slim(python_version="3.12")
            machine = await sdk.Sandbox.create.aio(app=app, image=image, timeout=whole, block_network=True, cpu=2.0, memory=1024, client=client)
            try:
                process = await machine.exec.aio("python3", "-I", "-B", "-c", driver, "-", timeout=math.ceil(seconds))
                process.stdin.write(job)
                process.stdin.write_eof()
                await process.stdin.drain.aio()
                return await _limited(process.stdout, most)
            finally:
                await _ended(machine.terminate.aio())
        except sdk.exception.AuthError:
            raise Problem("refused the key; check MODAL_TOKEN_ID and MODAL_TOKEN_SECRET") from None
        except sdk.exception.ResourceExhaustedError:
            raise Problem("allows no more machines for now") from None


async def _limited(stream: Any, most: int) -> str:
    parts: list[str] = []
    async for text in stream:
        most -= len(text)
        if most < 0:
            raise Problem("sent more than is taken")
        parts.append(text)
    return "".join(parts)


async def _ended(ending: Any) -> None:
    """The end of a machine, also where the run is given up; if the service does not answer, its lifetime ends it."""
    task = asyncio.ensure_future(ending)
    with contextlib.suppress(Exception):
        async with asyncio.timeout(END_SECONDS):
            await asyncio.shield(task)
    if not task.done():
        task.cancel()


def _missing(name: str, module: str, keys: Sequence[str], environment: Mapping[str, str] | None, *, given: bool) -> str:
    if not given and find_spec(module) is None:
        return f"{module} is not installed; run: pip install 'redraft[{name}]'"
    values = os.environ if environment is None else environment
    unset = [key for key in keys if not values.get(key)]
    return f"set {' and '.join(unset)}" if unset else ""


def _module(name: str) -> Any:
    from importlib import import_module

    return import_module(name)
