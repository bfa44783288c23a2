"""One interpreter behind bubblewrap's walls: its command line, its life and its end, and reading what it writes within bounds."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from redraft.tools.sandbox.seccomp import filter_bytes

__all__ = ["SHELF", "Ended", "Paths", "Process", "Run", "paths", "read_capped"]

ADDRESS_SPACE = 512 << 20
FILE_BYTES = 32 << 20
SCRATCH_BYTES = 64 << 20
POLL_SECONDS = 0.1
GUEST = Path(__file__).parent / "guest"
LIBRARIES = ("sympy", "mpmath")
"""What a program may import besides the standard library, where it is installed here: plain Python, which any interpreter reads."""
SHELF = "/run/redraft/libraries"
ENVIRONMENT = {"PATH": "/usr/bin", "LANG": "C.UTF-8"}

Ended = Literal["closed", "full", "deadline"]


class Run(NamedTuple):
    """What to start: a line of Python, its standard input, its processor time, and the descriptors it keeps."""

    code: str
    stdin: str
    seconds: float
    descriptors: tuple[int, ...]
    printing: bool = False


class Process:
    """One sandboxed interpreter: killed with all it started when the block ends."""

    def __init__(self, run: Run, ended: Callable[[Process], None]) -> None:
        self._ended = ended
        self.status: int | None = None
        with _filter_file() as seccomp:
            self.child = subprocess.Popen(
                _command(run.code, run.seconds, seccomp),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if run.printing else subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=ENVIRONMENT,
                cwd="/",
                close_fds=True,
                pass_fds=(*run.descriptors, seccomp),
                start_new_session=True,
            )
        self._feeder = threading.Thread(target=self._feed, args=(run.stdin.encode("utf-8", "surrogatepass"),), daemon=True)
        self._feeder.start()

    def _feed(self, data: bytes) -> None:
        assert self.child.stdin is not None
        with contextlib.suppress(OSError), self.child.stdin as pipe:  # the program may be gone before it has read all
            pipe.write(data)

    def kill(self) -> None:
        """End the whole process group; a no-op when it has ended."""
        if self.child.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
        self.status = self.child.wait()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *raised: object) -> None:
        self.kill()
        self._feeder.join()
        if self.child.stdout is not None:
            self.child.stdout.close()
        self._ended(self)


class Paths(NamedTuple):
    prlimit: str
    bwrap: str
    python: str


@functools.cache
def paths() -> Paths | str:
    """The programs that the sandbox is made of, or what is missing."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap runs on Linux only"
    found = {name: shutil.which(name) for name in ("prlimit", "bwrap")}
    for name, path in found.items():
        if path is None:
            return f"{name} is not installed; run: apt-get install {'bubblewrap' if name == 'bwrap' else 'util-linux'}"
    if not Path("/usr/bin/python3").exists():
        return "there is no /usr/bin/python3"
    return Paths(str(found["prlimit"]), str(found["bwrap"]), "/usr/bin/python3")


@functools.cache
def _libraries() -> tuple[str, ...]:
    """The folders of the libraries, each shown read-only and alone: nothing else of this environment is seen."""
    found: list[str] = []
    for name in LIBRARIES:
        spec = importlib.util.find_spec(name)
        for place in (spec.submodule_search_locations or ())[:1] if spec is not None else ():
            found += ["--ro-bind", str(Path(place).resolve()), f"{SHELF}/{name}"]
    return tuple(found)


def _command(code: str, seconds: float, seccomp: int) -> list[str]:
    programs = paths()
    assert isinstance(programs, Paths)
    limits = f"--as={ADDRESS_SPACE} --cpu={int(seconds) + 4} --fsize={FILE_BYTES} --nofile=64 --core=0"
    walls = "--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --cap-drop ALL --clearenv"
    environment = "--setenv PATH /usr/bin --setenv LANG C.UTF-8 --setenv HOME /work --uid 65534 --gid 65534 --hostname sandbox"
    files = "--ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/bin /bin --proc /proc --dev /dev"
    work = f"--size {SCRATCH_BYTES} --tmpfs /tmp --size {SCRATCH_BYTES} --tmpfs /work"
    return [
        *(programs.prlimit, *limits.split(), programs.bwrap, *walls.split(), *environment.split(), *files.split(), *work.split()),
        *("--dir", "/run/redraft", "--ro-bind", str(GUEST), "/run/redraft/guest", "--dir", SHELF, *_libraries(), "--chdir", "/work"),
        *("--seccomp", str(seccomp), "--", programs.python, "-I", "-B", "-c", code),
    ]


@contextlib.contextmanager
def _filter_file() -> Generator[int]:
    reader, writer = os.pipe()
    try:
        try:
            os.write(writer, filter_bytes())
        finally:
            os.close(writer)
        yield reader
    finally:
        os.close(reader)


def read_capped(caps: Mapping[int, int], deadline: float, stop: threading.Event) -> tuple[dict[int, bytes], Ended]:
    """Read descriptors until all are closed, one has given more than its cap, the deadline has come, or somebody says stop."""
    texts = {descriptor: bytearray() for descriptor in caps}
    ended: Ended = "closed"
    with selectors.DefaultSelector() as selector:
        for descriptor in caps:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map() and ended == "closed":
            remaining = deadline - time.monotonic()
            if remaining <= 0 or stop.is_set():
                ended = "deadline"
            for key, _ in selector.select(max(0.0, min(remaining, POLL_SECONDS))):
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fd)
                texts[key.fd] += data
                if len(texts[key.fd]) > caps[key.fd]:
                    ended = "full"
    return {descriptor: bytes(text[: caps[descriptor]]) for descriptor, text in texts.items()}, ended
