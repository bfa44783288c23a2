"""The command line. This file stays light: everything else is imported once it is certain to be needed, and under the protection of `run`.

app.py      the commands and their help, each loaded when called
options.py  the options that commands share
session.py  from options and settings to a task and a Refiner
answer.py   ask, check, fix
measure.py  eval, demo
study.py    study ablation, study stopping
calibrate.py  calibrate checks
inform.py   policies, tools
mcp.py      mcp
doctor.py   doctor
files.py    texts in and out, as bytes
render.py   outcomes for people
formats.py  outcomes as Markdown, SARIF and JUnit
trace.py    trace list, show, verify, export, import, tag, prune
replay.py   replay
export.py   export
view.py     view
events.py   stored events, one line each
safe.py     text of tools and models made harmless for a terminal
"""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False  # as in `typing`, which is imported later: until `main` runs, a Ctrl-C would show a traceback

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["INTERRUPTED", "main", "run"]

WRONG_USE = 2
FAILED = 4
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)


def main() -> None:
    """The console script."""
    try:
        code = _main()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code in (INTERRUPTED, BROKEN_PIPE, TERMINATED):
        os._exit(code)  # threads that are still in a call would keep the process alive, and a second Ctrl-C would show a traceback
    sys.exit(code)


def _main() -> int:
    terminated = _end_as_interrupted()
    code = run(sys.argv[1:])
    if terminated and code == INTERRUPTED:
        code = TERMINATED
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return _no_room(error)
        code = code or BROKEN_PIPE
    return code


def _end_as_interrupted() -> list[int]:
    """Let SIGTERM end the command as Ctrl-C does, so that temporary files and sandboxes go with it; the list is not empty once it came."""
    import signal

    came: list[int] = []

    def terminate(number: int, frame: object) -> None:
        came.append(number)
        signal.raise_signal(signal.SIGINT)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
    return came


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Nothing is raised: what goes wrong is said on standard error."""
    try:
        return _run(list(arguments))
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    except Exception as error:
        if os.environ.get("REDRAFT_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return _no_room(error)
        _say(f"internal error ({type(error).__name__}: {error}); set REDRAFT_DEBUG=1 to see where, and please report it")
        return FAILED


def _no_room(error: OSError) -> int:
    place = f" {error.filename!r}" if error.filename else ""
    _say(f"cannot write{place}: {error.strerror}; make room, or send the output elsewhere")
    _silence_stdout()
    return FAILED


def _run(arguments: list[str]) -> int:
    import click

    from redraft.cli.app import app
    from redraft.cli.safe import safe
    from redraft.errors import ModelError, RedraftError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    try:
        with app.make_context("redraft", arguments) as context:
            result = app.invoke(context)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.exceptions.NoArgsIsHelpError as help_:
        sys.stderr.write(f"{help_.format_message()}\n")
        return WRONG_USE
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        usage = f"{error.ctx.get_usage()}\n" if isinstance(error, click.UsageError) and error.ctx is not None else ""
        _say(safe(error.format_message()), before=usage)
        return WRONG_USE
    except ModelError as error:
        _say(safe(str(error)))
        return FAILED
    except RedraftError as error:
        _say(safe(str(error)))
        return WRONG_USE


def _say(message: str, *, before: str = "") -> None:
    try:
        sys.stderr.write(f"{before}redraft: {message}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # nobody is listening


def _silence_stdout() -> None:
    """Let the flush at exit go nowhere instead of to the closed pipe."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return  # standard output is no file, so nothing is flushed to one
