"""The small interpreter (pydantic-monty): a Python in Rust without files, network or processes, in worker processes of its own.

It lacks much of Python (inheritance, generators, most of the standard library): such code is `unsupported` here and goes to the next sandbox.
A test suite runs in two sessions: the program in one, the tests in the other, and only plain values pass between them.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn, cast

from redraft.claims.suites import Step, Suite
from redraft.tools.sandbox import Available, Execution, Limits, Outcome, StepOutcome, StepResult, all_steps

__all__ = ["MontySandbox"]

REQUEST_SECONDS = 8.0
WORKERS = 4
"""A test suite takes two; half as many programs as workers run at once, so that no suite waits for a worker of another."""
MAX_RECURSION = 300
MAX_SLEEP_SECONDS = 1.0
MAX_EXAMPLE_BYTES = 64 << 10
SHOWN = 300
LACKING = frozenset({"NotImplementedError", "ModuleNotFoundError", "ImportError", "AttributeError", "PermissionError", "RecursionError"})
"""Errors that may only mean that the small interpreter is small: another one has to say."""
LACKING_TEXTS = ("not supported in this environment", "Internal error in monty", "cannot create '")
PLAIN = (bool, int, float, str, bytes, type(None))


class MontySandbox:
    """Runs code in pydantic-monty. The worker pool starts with the first run."""

    name = "monty"

    def __init__(self) -> None:
        self._pool: Any = None
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(WORKERS // 2)

    def available(self) -> Available:
        try:
            import pydantic_monty
        except ImportError:
            return False, "pydantic-monty is not installed; run: pip install 'redraft[sandbox]'"
        return True, f"pydantic-monty {pydantic_monty.__version__}"

    async def run(self, code: str, limits: Limits) -> Execution:
        """Run a program. Never raises for what the program does; a pool that cannot start is `crashed`."""
        return await asyncio.to_thread(self._run, code, limits)

    async def check(self, suite: Suite, limits: Limits) -> tuple[StepResult, ...]:
        """Run a test suite. Whatever monty may not do as CPython does comes back as `unsupported`."""
        return await asyncio.to_thread(self._check, suite, limits)

    async def close(self) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.__exit__, None, None, None)

    def _checkout(self, limits: Limits) -> Any:
        from pydantic_monty import Monty

        with self._lock:
            if self._pool is None:
                pool = Monty(request_timeout=REQUEST_SECONDS, max_processes=WORKERS, checkout_timeout=REQUEST_SECONDS)
                pool.__enter__()
                self._pool = pool
            return self._pool.checkout(
                limits={
                    "max_feed_duration_secs": limits.seconds,
                    "max_memory": limits.memory_bytes,
                    "max_recursion_depth": MAX_RECURSION,
                    "max_total_sleep_secs": MAX_SLEEP_SECONDS,
                }
            )

    def _run(self, code: str, limits: Limits) -> Execution:
        from pydantic_monty import MontyError

        began = time.monotonic()
        printed = _Printed(limits.output_bytes)
        try:
            with self._slots, self._checkout(limits) as session:
                value = session.feed_run(code, print_callback=printed)
        except MontyError as error:
            outcome, kind, message = _read_error(error)
            return Execution(
                outcome="output" if printed.full else outcome,
                stdout=printed.text,
                error_type=kind,
                error_message=message,
                error_line=_line(error),
                seconds=time.monotonic() - began,
            )
        except (OSError, RuntimeError, TimeoutError) as error:  # the pool, not the program
            return Execution(
                outcome="crashed", error_type=type(error).__name__, error_message="the interpreter did not start", seconds=time.monotonic() - began
            )
        if not _plain(value):
            return Execution(outcome="unsupported", stdout=printed.text, error_type="NotImplementedError", seconds=time.monotonic() - began)
        return Execution(outcome="ok", stdout=printed.text, value="" if value is None else repr(value), seconds=time.monotonic() - began)

    def _check(self, suite: Suite, limits: Limits) -> tuple[StepResult, ...]:
        from pydantic_monty import MontyError

        if _order_matters(suite.program):
            return all_steps(suite, StepResult(outcome="unsupported", message="sets come in another order here"))
        if suite.reaches_out or len({step.group for step in suite.steps if step.group}) > 1:
            return all_steps(suite, StepResult(outcome="unsupported", message="tests of several groups need the full interpreter"))
        printed = _Printed(limits.output_bytes)
        try:
            with self._slots, self._checkout(limits) as answer, self._checkout(limits) as tests:
                try:
                    answer.feed_run(suite.program, print_callback=printed)
                except MontyError as error:
                    outcome, kind, message = _read_error(error)
                    return all_steps(suite, StepResult(outcome="output" if printed.full else _step_outcome(outcome), message=f"{kind}: {message}"))
                return _Bridge(answer, tests, suite, limits).results()
        except MontyError as error:  # a worker died between two feeds
            return all_steps(suite, StepResult(outcome="crashed", message=type(error).__name__))
        except (OSError, RuntimeError, TimeoutError) as error:
            return all_steps(suite, StepResult(outcome="crashed", message=type(error).__name__))


class _Printed:
    """Collects what is printed up to a bound; one byte more ends the program."""

    def __init__(self, max_bytes: int) -> None:
        self.room = max_bytes
        self.parts: list[str] = []
        self.full = False

    def __call__(self, stream: str, text: str) -> None:
        self.room -= len(text.encode("utf-8", "surrogatepass"))
        if self.room < 0:
            self.full = True
            raise MemoryError("output limit exceeded")
        self.parts.append(text)

    @property
    def text(self) -> str:
        return "".join(self.parts)


class _Bridge:
    """Runs test steps in one session; names that they leave undefined are looked up in the session of the program.

    What cannot cross as a plain value, or would act differently from inside one program, ends the run as `unsupported`.
    """

    def __init__(self, answer: Any, tests: Any, suite: Suite, limits: Limits) -> None:
        self.answer = answer
        self.tests = tests
        self.suite = suite
        self.deadline = time.monotonic() + limits.total_seconds
        self.answer_printed = _Printed(limits.output_bytes)
        self.tests_printed = _Printed(limits.output_bytes)
        self.ended: StepResult | None = None
        self.functions, self.values = _top_level(suite.program)

    def results(self) -> tuple[StepResult, ...]:
        results: list[StepResult] = []
        broken: StepResult | None = None
        for step in self.suite.steps:
            if self.ended is None and time.monotonic() > self.deadline:
                self.ended = StepResult(outcome="not_run", message="no time was left")
            ended = StepResult(outcome="not_run", message="an earlier step ended the run") if self.ended else None
            results.append(broken or ended or self._step(step))
            if step.kind == "setup" and results[-1].outcome != "passed":
                broken = results[-1]  # what was not prepared cannot be tested
        return tuple(results)

    def _step(self, step: Step) -> StepResult:
        from pydantic_monty import MontyError

        if step.kind == "doctest":
            return self._example(step)
        source = f"_left_ = ({step.left})\n_right_ = ({step.right})\nassert _left_ == _right_" if step.left else step.source
        try:
            self._feed(source)
        except MontyError as error:
            if self.ended is not None:
                return self.ended
            outcome, kind, message = _read_error(error)
            if outcome != "error":
                self.ended = StepResult(outcome="output" if self.tests_printed.full else _step_outcome(outcome), message=f"{kind}: {message}")
                return self.ended
            failed = kind == "AssertionError"
            left, right = self._sides() if failed and step.left else ("", "")
            return StepResult(outcome="failed" if failed else "error", message=f"{kind}: {message}".rstrip(": "), left=left, right=right)
        return self.ended or StepResult(outcome="passed")

    def _example(self, step: Step) -> StepResult:
        """An example of the program's own, in its session: what it prints and the value it shows."""
        from pydantic_monty import MontyError

        from redraft.tools.sandbox.guest.answer import SAME_OUTPUT

        printed = _Printed(MAX_EXAMPLE_BYTES)
        try:
            value = self.answer.feed_run(step.source, print_callback=printed)
        except MontyError as error:
            outcome, kind, message = _read_error(error)
            if outcome != "error":
                self.ended = StepResult(outcome="output" if printed.full else _step_outcome(outcome), message=f"{kind}: {message}")
                return self.ended
            got, same = f"{kind}: {message}", step.want.startswith("Traceback") and step.want.rstrip().split("\n")[-1].split(":")[0] == kind
        else:
            if not _plain(value):
                self.ended = StepResult(outcome="unsupported", message="a value that is not plain")
                return self.ended
            got = printed.text + ("" if value is None else repr(value))
            same = SAME_OUTPUT.check_output(step.want, got, 0)
        return StepResult(outcome="passed") if same else StepResult(outcome="failed", left=got[:SHOWN], right=step.want[:SHOWN])

    def _feed(self, source: str) -> Any:
        lookup: dict[str, Any] = {name: self._function(name) for name in self.functions if name in self.suite.names}
        lookup.update({name: self._value(name) for name in self.values if name in self.suite.names})
        return self.tests.feed_run(source, external_lookup=lookup, print_callback=self.tests_printed)

    def _function(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **keywords: Any) -> Any:
            if self.ended is not None:  # the tests caught what ended the run
                raise RuntimeError("the run has ended")
            before = repr((args, keywords))
            if not _plain(args) or not _plain(keywords):
                self._end("unsupported", "an argument that is not a plain value")
            result, args_after, keywords_after = self._ask(f"({name}(*_args_, **_keywords_), _args_, _keywords_)", {"_args_": args, "_keywords_": keywords})
            if not _plain(result) or repr((args_after, keywords_after)) != before:
                self._end("unsupported", "a result that is not a plain value, or an argument that was changed in place")
            return result

        return call

    def _value(self, name: str) -> Any:
        value = self._ask(name, {})
        if not _plain(value):
            self._end("unsupported", f"{name} is not a plain value")
        return value

    def _ask(self, expression: str, inputs: dict[str, Any]) -> Any:
        from pydantic_monty import MontyError

        try:
            return self.answer.feed_run(expression, inputs=inputs, print_callback=self.answer_printed)
        except MontyError as error:
            outcome, kind, message = _read_error(error)
            if outcome != "error":
                self._end("output" if self.answer_printed.full else outcome, f"{kind}: {message}")
            raise error.exception() from None

    def _end(self, outcome: Outcome, message: str) -> NoReturn:
        self.ended = StepResult(outcome=_step_outcome(outcome), message=message)
        raise RuntimeError(message)

    def _sides(self) -> tuple[str, str]:
        left, right = self.tests.feed_run("(repr(_left_), repr(_right_))", print_callback=self.tests_printed)
        return left, right


def _order_matters(program: str) -> bool:
    """Whether a program makes sets: here they keep the order of insertion, which makes programs pass that elsewhere fail."""
    nodes = ast.walk(ast.parse(program))
    return any(isinstance(node, (ast.Set, ast.SetComp)) or (isinstance(node, ast.Name) and node.id in ("set", "frozenset")) for node in nodes)


def _top_level(program: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the functions and of the other values that a program defines at its top level."""
    functions: set[str] = set()
    values: set[str] = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions.add(node.name)
        elif isinstance(node, ast.ClassDef):
            values.add(node.name)
    top = [target for node in ast.parse(program).body for target in ast.walk(node) if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)]
    values.update(target.id for target in top)
    return tuple(sorted(functions - values)), tuple(sorted(values))


def _plain(value: Any) -> bool:
    """Whether a value of the sandbox is the same value here: built-in types all the way down."""
    if isinstance(value, PLAIN):
        return True
    if type(value) in (list, tuple, set, frozenset):
        items: list[Any] = list(value)
        return all(_plain(item) for item in items)
    if type(value) is not dict:
        return False
    pairs = cast("dict[Any, Any]", value)
    return all(_plain(key) and _plain(item) for key, item in pairs.items())


def _read_error(error: Any) -> tuple[Outcome, str, str]:
    """Outcome, type name and message of what monty raised."""
    from pydantic_monty import MontyCrashedError

    if isinstance(error, MontyCrashedError):
        return ("timeout", "TimeoutError", "did not finish") if error.timed_out else ("crashed", "MontyCrashedError", "the interpreter died")
    inner = error.exception()
    kind, message = type(inner).__name__, str(inner)
    if kind == "TimeoutError" and "limit exceeded" in message:
        return "timeout", kind, message
    if kind == "MemoryError":
        # The cap of what was printed is reported in the same words as the cap of the heap, against its own bound
        return "memory", kind, message
    missing = kind == "NameError" and message.split("'")[1:2] and hasattr(builtins, message.split("'")[1])
    if kind in LACKING or missing or any(text in message for text in LACKING_TEXTS):
        return "unsupported", kind, message
    return "error", kind, message


def _line(error: Any) -> int | None:
    frames: list[Any] = []
    with contextlib.suppress(AttributeError):
        frames = error.traceback()
    return int(frames[-1].line) if frames else None


def _step_outcome(outcome: Outcome) -> StepOutcome:
    return "error" if outcome in ("ok", "error") else outcome
