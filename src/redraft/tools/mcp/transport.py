"""The two ways to a server, bounded: what it sends is read line by line up to a limit, and its process never outlives us.

The library's own ways read lines and replies of any length, so these stand in their place; the protocol itself is the library's.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import os
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

import anyio
import httpx2
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from redraft.tools.search.http import client_options, is_loopback, user_agent

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

__all__ = ["http_transport", "stdio_transport"]

Streams = tuple[
    anyio.abc.ObjectReceiveStream[SessionMessage | Exception],
    anyio.abc.ObjectSendStream[SessionMessage],
]

LINE_BYTES = 4 << 20
"""Of one message."""
TOTAL_BYTES = 64 << 20
"""Of all that a server sends over one connection."""
MOST_GARBAGE = 100
"""Lines that are no messages after which the server is taken for broken."""
GRACE_SECONDS = 0.5
"""For a server to end by itself once its input is closed."""

_groups: set[int] = set()


@asynccontextmanager
async def stdio_transport(command: Sequence[str], environment: Mapping[str, str]) -> AsyncGenerator[TransportStreams]:
    """A server as a child process in a group of its own, killed with all it started when the block ends.

    Its environment is what a program needs to run, and what `environment` adds; its error output is nobody's.

    Raises:
        OSError: it cannot be started.
    """
    _quiet()
    process = await asyncio.create_subprocess_exec(
        *_tied(command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**get_default_environment(), **environment},
        limit=LINE_BYTES,
        start_new_session=True,
    )
    _watch().add(process.pid)
    incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, sent = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        assert process.stdout is not None
        async with incoming:
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await _pump(process.stdout, incoming)

    async def write() -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError, anyio.ClosedResourceError):
            async for message in sent:
                process.stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8", "replace") + b"\n")
                await process.stdin.drain()

    tasks = [asyncio.create_task(read()), asyncio.create_task(write())]
    try:
        yield received, outgoing
    finally:
        for stream in (received, outgoing, incoming, sent):
            stream.close()
        await _ended(process)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _pump(stdout: asyncio.StreamReader, incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception]) -> None:
    """Messages as they come, until the end, a line that is too long, too much in all, or too much that is none."""
    total = garbage = 0
    while True:
        try:
            line = await stdout.readuntil(b"\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            return
        total += len(line)
        if total > TOTAL_BYTES or garbage > MOST_GARBAGE:
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except (ValueError, RecursionError):
            garbage += bool(line.strip())
            continue
        await incoming.send(SessionMessage(message))


async def _ended(process: asyncio.subprocess.Process) -> None:
    """The end of a process and of all that it started, whether or not it wants to end."""
    with contextlib.suppress(OSError, RuntimeError):
        assert process.stdin is not None
        process.stdin.close()
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await process.wait()
    finally:
        _kill(process.pid)
        _groups.discard(process.pid)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        transport = getattr(process, "_transport", None)  # a grandchild of its own session may hold the pipes: they are closed on our side
        if transport is not None:
            transport.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE_SECONDS):
            await process.wait()


def _tied(command: Sequence[str]) -> list[str]:
    """The command so that the kernel ends it when we are gone, even if we are killed; Linux only, elsewhere a server sees its input end."""
    setpriv = shutil.which("setpriv") if sys.platform.startswith("linux") else None
    program = shutil.which(command[0])
    if program is None:
        raise FileNotFoundError(command[0])
    return [setpriv, "--pdeathsig", "KILL", "--", program, *command[1:]] if setpriv else [program, *command[1:]]


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(group, signal.SIGKILL)


@lru_cache(maxsize=1)
def _watch() -> set[int]:
    """The groups that are running; what is left of them at exit is killed."""
    atexit.register(lambda: [_kill(group) for group in tuple(_groups)])
    return _groups


@lru_cache(maxsize=1)
def _quiet() -> None:
    """What a server says is not printed by the library where nobody set up logging."""
    for name in ("mcp", "client", "httpx2"):
        logging.getLogger(name).addHandler(logging.NullHandler())


@asynccontextmanager
async def http_transport(url: str, token: str, timeout_seconds: float) -> AsyncGenerator[TransportStreams]:
    """A server behind an address; the token goes to no other host, because redirects elsewhere are not followed.

    Raises:
        httpx2.HTTPError: it cannot be reached.
    """
    _quiet()
    headers = {"user-agent": user_agent(), "accept-encoding": "identity", **({"authorization": f"Bearer {token}"} if token else {})}
    options = client_options(timeout_seconds, direct=is_loopback(httpx2.URL(url).host))
    async with (
        httpx2.AsyncClient(**options, headers=headers, event_hooks={"response": [_capped]}) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=LINE_BYTES) as streams,
    ):
        yield streams


async def _capped(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise httpx2.DecodingError("packed, though that was not asked for", request=response.request)
    stream = response.stream
    if isinstance(stream, httpx2.AsyncByteStream):
        event_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        response.stream = _Capped(stream, TOTAL_BYTES if event_stream else LINE_BYTES)


class _Capped(httpx2.AsyncByteStream):
    """A body that ends with an error where it is longer than what is taken."""

    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream, self._most = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in self._stream:
            total += len(chunk)
            if total > self._most:
                raise httpx2.ReadError("more than is taken")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
