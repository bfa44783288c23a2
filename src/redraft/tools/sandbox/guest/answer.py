"""Holds the untrusted program and does what the tests ask: look a name up, call it, use what it returned. It never sees the tests.

Started as `answer.serve(file descriptor of the connection, seconds of processor time for one request)`, with the program on standard input.
"""

# pyright: basic
# Values of unknown programs pass through here: there is nothing to say of their types

from __future__ import annotations

import ast
import doctest
import io
import signal
import socket
import sys
import types
from collections.abc import Callable
from typing import Any

from .wire import OPERATIONS, Ended, Peer, StepTimeout

__all__ = ["SAME_OUTPUT", "Program", "run_example", "serve", "timed"]

MAX_PRINTED = 64 << 10
AGAIN_SECONDS = 0.5
"""A program that swallows the time-out gets it again."""


class TooMuchOutput(BaseException):
    """The program printed more than it may."""


class Printed(io.StringIO):
    """Standard output of the program, bounded."""

    total = 0

    def write(self, text: str) -> int:
        self.total += len(text)
        if self.total > MAX_PRINTED:
            raise TooMuchOutput
        return super().write(text)

    def take(self) -> str:
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


class Program:
    """The program in a module of its own, named `solution`; one set of globals, so that a comprehension sees the names around it."""

    def __init__(self, source: str) -> None:
        self.module = types.ModuleType("solution")
        self.names: dict[str, Any] = vars(self.module)
        sys.modules["solution"] = self.module
        exec(compile(source, "solution.py", "exec"), self.names)

    def look_up(self, name: str) -> Any:
        if name not in self.names:
            raise NameError(f"name {name!r} is not defined")
        return self.names[name]

    def example(self, source: str, want: str) -> list[Any]:
        return list(run_example(source, want, self.names))


class SameOutput(doctest.OutputChecker):
    """The usual comparison, and equality as literals: quotes and spaces inside a list are not the point of an example."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags | doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS):
            return True
        try:
            return bool(ast.literal_eval(want.strip()) == ast.literal_eval(got.strip()))
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return False


SAME_OUTPUT = SameOutput()


def run_example(source: str, want: str, names: dict[str, Any]) -> tuple[bool, str]:
    """Whether an example prints what it shows, and what it prints."""
    example = doctest.DocTestParser().get_examples(_as_example(source, want))
    got: list[str] = []

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out: Any, test: Any, example: Any, got_text: str) -> None:
            got.append(got_text)

        def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
            if not isinstance(exc_info[1], Exception):
                raise exc_info[1]
            got.append(f"{exc_info[0].__name__}: {exc_info[1]}")

    test = doctest.DocTest(example, {}, "example", None, None, None)
    test.globs = names
    kept = sys.stdout
    Runner(checker=SAME_OUTPUT, verbose=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test, out=lambda text: None, clear_globs=False)
    sys.stdout = kept
    return not got, got[0].rstrip("\n") if got else want


def _as_example(source: str, want: str) -> str:
    first, *rest = source.rstrip("\n").split("\n")
    return "\n".join([f">>> {first}", *(f"... {line}" for line in rest), want])


def _alarm(number: int, frame: Any) -> None:
    raise StepTimeout("the time is over")


def timed(apply: Callable[..., Any], seconds: float) -> Callable[..., Any]:
    """A function that is interrupted after so many seconds of processor time."""

    def call(*args: Any, **keywords: Any) -> Any:
        signal.signal(signal.SIGPROF, _alarm)
        signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_SECONDS)
        try:
            return apply(*args, **keywords)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    return call


def serve(descriptor: int, seconds: float) -> None:
    """Answer the requests of the tests until they go away."""
    source = sys.stdin.read()
    sys.stdin = io.StringIO()
    sys.stdout = printed = Printed()
    program: list[Program] = []

    def load() -> list[str]:
        program.append(Program(source))
        return sorted(name for name in program[0].names if not name.startswith("__"))

    operations: dict[str, Callable[..., Any]] = {
        **OPERATIONS,
        "load": load,
        "name": lambda name: program[0].look_up(name),
        "example": lambda source, want: program[0].example(source, want),
    }
    stream = socket.socket(fileno=descriptor).makefile("rwb")
    peer = Peer(stream, {name: timed(apply, seconds) for name, apply in operations.items()})
    peer.before_reply = printed.take
    try:
        while True:
            peer.serve(peer.receive())
    except Ended:
        return
