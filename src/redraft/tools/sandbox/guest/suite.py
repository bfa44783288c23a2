"""Runs the steps of a test suite and reports each. The program under test is in another process: only its names are reached, through `wire`.

Started as `suite.run(descriptor of the report, descriptor of the connection or -1)`, with the suite as JSON on standard input. With -1 the program
runs in this very process: a second look at failures only, since there it could disturb the tests.
"""

# pyright: basic
# Values of unknown programs pass through here: there is nothing to say of their types

from __future__ import annotations

import builtins
import io
import json
import os
import signal
import socket
import sys
import types
from collections.abc import Callable
from typing import Any

from . import shim
from .answer import Program, timed
from .wire import OPERATIONS, Ended, Peer, StepTimeout, Undecidable

__all__ = ["run"]

SHOWN = 300
BEYOND = (shim.Unsupported, ModuleNotFoundError, OSError, EOFError)
"""Errors that say more of the sandbox (no such library, no file, no network, no input) than of the program."""
WALL_FACTOR = 2
INTERNALS = ("_", "gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_")


class Names(dict):  # type: ignore[type-arg]
    """Globals of one group of steps: names that the tests do not define come from the program, if the suite takes them from there."""

    def __init__(self, taken: set[str], look_up: Callable[[str], Any], start: dict[str, Any]) -> None:
        super().__init__(start)
        self.taken = taken
        self.look_up = look_up

    def __missing__(self, name: str) -> Any:
        if name in self.taken:
            return self.look_up(name)
        try:
            return getattr(builtins, name)
        except AttributeError:
            raise KeyError(name) from None


class Runner:
    def __init__(self, suite: dict[str, Any], report: Any, connection: int) -> None:
        self.steps: list[dict[str, Any]] = suite["steps"]
        self.seconds = float(suite["seconds"])
        self.report = report
        self.peer: Peer | None = None
        self.program: Program | None = None
        if connection >= 0:
            self.peer = Peer(socket.socket(fileno=connection).makefile("rwb"), ALLOWED)
            self.peer.on_output = lambda text: print(text, end="") if text else None
            self.look_up: Callable[[str], Any] = lambda name: self.peer.request("name", None, (name,)) if self.peer else None
        else:
            self.look_up = lambda name: self.program.look_up(name) if self.program else None
        self.taken = set(suite["names"])
        self.groups: dict[int, Names] = {}
        self.broken: dict[int, dict[str, Any]] = {}
        sys.modules["pytest"] = shim

    def run(self, source: str) -> None:
        """Load the program, then do the steps in order. What ends the program ends the run."""
        began = self._guarded(lambda: self._load(source))
        if began["outcome"] != "passed":
            self.tell({**began, "load": True})
            return
        for step in self.steps:
            if self.peer:
                self.peer.used_remote = False
            group = step.get("group", 0)
            broken = self.broken.get(0) or self.broken.get(group)
            result = dict(broken) if broken else self._guarded(lambda step=step: self._step(step))
            if step["kind"] == "setup" and result["outcome"] != "passed" and not broken:
                self.broken[group] = {key: result[key] for key in ("outcome", "message") if key in result}
            result["remote"] = bool(self.peer and self.peer.used_remote)
            self.tell(result)
            if result.pop("ended", False):
                return

    def tell(self, result: dict[str, Any]) -> None:
        self.report.write(json.dumps(result) + "\n")
        self.report.flush()

    def _load(self, source: str) -> dict[str, Any]:
        if self.peer:
            self.peer.request("load")
        else:
            self.program = Program(source)
        return {"outcome": "passed"}

    def _guarded(self, apply: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        signal.signal(signal.SIGALRM, _alarm)
        signal.setitimer(signal.ITIMER_REAL, self.seconds * WALL_FACTOR, 1.0)
        try:
            return apply() if self.peer else timed(apply, self.seconds)()
        except Ended:
            return {"outcome": "crashed", "message": "the program ended before the test did", "ended": True}
        except HardTimeout:
            return {"outcome": "timeout", "message": f"{self.seconds * WALL_FACTOR:g} s", "ended": True}
        except StepTimeout:
            return {"outcome": "timeout", "message": f"{self.seconds:g} s"}
        except Undecidable as error:
            return {"outcome": "undecidable", "message": str(error)}
        except MemoryError:
            return {"outcome": "memory", "message": ""}
        except BaseException as error:  # the verdict of the step
            return _described(error)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _names(self, group: int) -> Names:
        if group not in self.groups:
            start = {} if group == 0 else dict(self._names(0))
            self.groups[group] = Names(self.taken, self.look_up, {"__name__": "tests", "__builtins__": builtins, **start})
        return self.groups[group]

    def _step(self, step: dict[str, Any]) -> dict[str, Any]:
        names = self._names(step.get("group", 0))
        if step["kind"] == "doctest":
            return self._example(step)
        if not step.get("left"):
            exec(compile(step["source"], "tests.py", "exec"), names)
            return {"outcome": "passed"}
        left = eval(compile(step["left"], "tests.py", "eval"), names)
        right = eval(compile(step["right"], "tests.py", "eval"), names)
        if left == right:
            return {"outcome": "passed"}
        return {"outcome": "failed", "message": "AssertionError", "left": _shown(left), "right": _shown(right)}

    def _example(self, step: dict[str, Any]) -> dict[str, Any]:
        if self.peer:
            same, got = self.peer.request("example", None, (step["source"], step.get("want", "")))
        else:
            assert self.program is not None
            same, got = self.program.example(step["source"], step.get("want", ""))
        if same is True:
            return {"outcome": "passed"}
        return {"outcome": "failed", "message": "", "left": str(got)[:SHOWN], "right": step.get("want", "").rstrip("\n")[:SHOWN]}


class HardTimeout(BaseException):
    """The wall time of a step is over: the program does not answer."""


def _alarm(number: int, frame: Any) -> None:
    raise HardTimeout


def _described(error: BaseException) -> dict[str, Any]:
    kind = type(error).__name__
    text = str(getattr(error, "_text", "") or _text(error))[:SHOWN]
    message = f"{kind}: {text}" if text else kind
    if kind == "TooMuchOutput":
        return {"outcome": "output", "message": ""}
    if isinstance(error, BEYOND) or (isinstance(error, ImportError) and not getattr(error, "_from_answer", False)):
        return {"outcome": "unsupported", "message": message}
    return {"outcome": "failed" if isinstance(error, AssertionError) else "error", "message": message}


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # the text of an exception may be code of the answer
        return ""


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except (Exception, MemoryError):
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _attribute(target: Any, name: str, *default: Any) -> Any:
    if isinstance(target, (type, types.FunctionType, types.MethodType, types.ModuleType, types.BuiltinFunctionType)) or name.startswith(INTERNALS):
        raise AttributeError(name)
    return getattr(target, name, *default)


def _allowed() -> dict[str, Callable[..., Any]]:
    """What the program may do with objects of the tests: call, compare, iterate and read them, without a way to the tests themselves."""
    refused = {"setattr", "delattr", "dir", "enter", "exit", "getattr"}
    return {**{name: apply for name, apply in OPERATIONS.items() if name not in refused}, "getattr": _attribute}


ALLOWED = _allowed()


def run(report: int, connection: int) -> None:
    """Run the suite on standard input; one line of JSON for each step goes to the report."""
    suite = json.loads(sys.stdin.read())
    sys.stdin = io.StringIO()
    sys.stdout = io.StringIO()
    with os.fdopen(report, "w", encoding="utf-8") as lines:
        Runner(suite, lines, connection).run(suite.get("program", ""))
