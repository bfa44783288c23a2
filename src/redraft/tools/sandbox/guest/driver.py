"""Runs a job inside a rented machine: starts the guest's interpreters as a user without rights, within limits, and prints what they reported.

Started as root with the job as JSON on standard input, or in a file that is named. The programs cannot reach this process, so that what it prints is
what they did. Nothing is started where the rights cannot be given up.
"""

# pyright: basic

from __future__ import annotations

import base64
import contextlib
import json
import os
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import Any

__all__ = ["main"]

NOBODY, TESTER = 65534, 65533
"""Users without rights: tests and the program under test are two, so that neither reaches the other but through the socket."""
REPORT_BYTES = 2 << 20
BOOT = "import sys; sys.path.insert(0, {folder!r}); from guest import {module}; {module}.{call}"


def main() -> None:
    """One job, one line of JSON."""
    source = sys.stdin.buffer if len(sys.argv) < 2 or sys.argv[1] == "-" else open(sys.argv[1], "rb")
    with source:
        job: dict[str, Any] = json.loads(source.read())
    if os.geteuid() != 0:
        print(json.dumps({"problem": "rights"}))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.mkdir(os.path.join(folder, "guest"))
        for name, text in job["files"].items():
            with open(os.path.join(folder, "guest", os.path.basename(name)), "w", encoding="utf-8") as file:
                file.write(text)
        print(json.dumps(_run(job, folder)))


def _run(job: dict[str, Any], folder: str) -> dict[str, Any]:
    began = time.monotonic()
    reader, writer = os.pipe()
    started: list[subprocess.Popen[bytes]] = []
    caps = {reader: REPORT_BYTES}
    try:
        if job["what"] == "run":
            child = _start(folder, "program", f"run({writer})", job["program"], job, (writer,), printing=True)
            started.append(child)
            assert child.stdout is not None
            caps[child.stdout.fileno()] = job["output"]
        else:
            ours, theirs = socket.socketpair()
            connection = theirs.fileno() if job["apart"] else -1
            passed = (writer, connection) if job["apart"] else (writer,)
            started.append(_start(folder, "suite", f"run({writer}, {connection})", job["tests"], job, passed))
            if job["apart"]:
                started.append(_start(folder, "answer", f"serve({ours.fileno()}, {job['seconds']})", job["program"], job, (ours.fileno(),)))
            ours.close()
            theirs.close()
        os.close(writer)
        texts, ended = _read(caps, began + job["wall"])
    finally:
        for child in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        statuses = [child.wait() for child in started]
    printed = next((text for descriptor, text in texts.items() if descriptor != reader), b"")
    seconds = time.monotonic() - began
    coded = {"report": base64.b64encode(texts[reader]).decode(), "stdout": base64.b64encode(printed).decode()}
    return {**coded, "ended": ended, "status": statuses[0], "seconds": seconds}


def _start(folder: str, module: str, call: str, text: str, job: dict[str, Any], kept: tuple[int, ...], printing: bool = False) -> subprocess.Popen[bytes]:
    user = TESTER if module == "suite" else NOBODY
    given = tempfile.TemporaryFile()
    given.write(text.encode("utf-8", "surrogatepass"))
    given.seek(0)

    def confine() -> None:
        for kind, most in (
            (resource.RLIMIT_AS, job["memory"]),
            (resource.RLIMIT_CPU, int(job["wall"]) + 2),
            (resource.RLIMIT_FSIZE, 32 << 20),
            (resource.RLIMIT_NOFILE, 64),
            (resource.RLIMIT_NPROC, 64),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(kind, (most, most))
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)

    with given:
        return subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", BOOT.format(folder=folder, module=module, call=call)],
            stdin=given,
            stdout=subprocess.PIPE if printing else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp"},
            cwd="/tmp",
            pass_fds=kept,
            preexec_fn=confine,
            start_new_session=True,
        )


def _read(caps: dict[int, int], deadline: float) -> tuple[dict[int, bytes], str]:
    texts = {descriptor: bytearray() for descriptor in caps}
    ended = "closed"
    with selectors.DefaultSelector() as selector:
        for descriptor in caps:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map() and ended == "closed":
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                ended = "deadline"
            for key, _ in selector.select(max(0.0, remaining)):
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fd)
                texts[key.fd] += data
                if len(texts[key.fd]) > caps[key.fd]:
                    ended = "full"
    return {descriptor: bytes(text[: caps[descriptor]]) for descriptor, text in texts.items()}, ended


if __name__ == "__main__":
    main()
