"""One server and the talk with it, in a thread with an event loop of its own: runs come and go with theirs, and the server stays until nobody needs it.

A server that died is started again with the next call; how often is the guard's business. Every way it can fail is a `Refused` in our words.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mcp import Client, MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, Implementation

from redraft import __version__
from redraft.errors import UsageError
from redraft.tools.mcp.offers import Offer, read_offer
from redraft.tools.mcp.transport import http_transport, stdio_transport
from redraft.tools.search.http import Refused

if TYPE_CHECKING:
    from redraft.tools.mcp import ServerAddress

__all__ = ["Connection"]

T = TypeVar("T")

MOST_TOOLS = 64
MOST_PAGES = 8
START_SECONDS = 20.0
"""For a server to start, or to be reached, and to say what it offers."""
END_SECONDS = 5.0


class Connection:
    """The talk with one server. `users` counts the tools that need it; when the last is closed it ends, and its process with it."""

    def __init__(self, address: ServerAddress, environment: Mapping[str, str], *, timeout_seconds: float = 20.0, start_seconds: float = START_SECONDS) -> None:
        self.timeout_seconds = timeout_seconds
        self.users = 1
        self._address = address
        self._start_seconds = start_seconds
        names = [name.strip() for name in environment.get("REDRAFT_MCP_ENV", "").split(",") if name.strip()]
        self._given = {name: value for name in names if (value := environment.get(name, os.environ.get(name)))}
        self._token = environment.get(address.token_name, "").strip() if address.url else ""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"mcp {address.label}", daemon=True)
        self._session: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._end = asyncio.Event()
        self._opening = asyncio.Lock()
        self._calls = 0
        self._stopped = False

    def start(self) -> tuple[Offer, ...]:
        """Start or reach the server, and read what it offers. Blocks.

        Raises:
            UsageError: it cannot be, or does not answer in time.
        """
        self._thread.start()
        try:
            return self._in_thread(self._offers()).result(self._start_seconds + END_SECONDS)
        except Refused as refused:
            raise UsageError(f"the MCP server {self._address.label} {refused.message}") from None
        except TimeoutError:
            raise UsageError(f"the MCP server {self._address.label} gave no answer within {self._start_seconds:g} s") from None

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """One call, from whatever loop; giving it up gives up the call."""
        if self._stopped:
            raise Refused("unreachable", "is closed")
        return await asyncio.wrap_future(self._in_thread(self._call(tool, dict(arguments))))

    async def release(self) -> None:
        self.users -= 1
        if self.users <= 0:
            await asyncio.to_thread(self.stop)

    def stop(self) -> None:
        """End the talk and the server's process. Blocks, for a bounded time; may be called twice."""
        if self._stopped:
            return
        self._stopped = True
        if self._thread.is_alive():
            with contextlib.suppress(Exception):
                self._in_thread(self._close()).result(END_SECONDS)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(END_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def _in_thread(self, work: Coroutine[Any, Any, T]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _offers(self) -> tuple[Offer, ...]:
        try:
            async with asyncio.timeout(self._start_seconds):
                client = await self._opened()
                found: dict[str, Offer] = {}
                cursor: str | None = None
                for _ in range(MOST_PAGES):
                    page = await client.list_tools(cursor=cursor)
                    for tool in page.tools:
                        offer = read_offer(tool.name, tool.description, tool.input_schema)
                        if offer is not None and len(found) < MOST_TOOLS:
                            found.setdefault(offer.name.lower(), offer)
                    cursor = page.next_cursor
                    if cursor is None:
                        break
                return tuple(found.values())
        except TimeoutError:
            raise Refused("timeout", f"gave no answer within {self._start_seconds:g} s") from None
        except Refused:
            raise
        except Exception as error:
            raise _refused(error) from None

    async def _call(self, tool: str, arguments: dict[str, Any]) -> Any:
        self._calls += 1
        try:
            async with asyncio.timeout(self.timeout_seconds):
                client = await self._opened()
                return await client.call_tool(tool, arguments)
        except TimeoutError:
            if self._calls == 1:  # nobody else waits for it: a server that hangs is not asked again in this state
                await self._close()
            raise Refused("timeout", f"gave no answer within {self.timeout_seconds:g} s") from None
        except Refused:
            raise
        except Exception as error:
            refused = _refused(error)
            if refused.kind == "unreachable":
                await self._close()
            raise refused from None
        finally:
            self._calls -= 1

    async def _opened(self) -> Client:
        """The client of the open talk, or of a new one."""
        async with self._opening:
            if self._client is not None and self._session is not None and not self._session.done():
                return self._client
            self._end = asyncio.Event()
            ready: asyncio.Future[Client] = self._loop.create_future()
            self._session = asyncio.create_task(self._talk(ready, self._end))
            try:
                self._client = await ready
            except BaseException:
                self._session.cancel()
                raise
            return self._client

    async def _talk(self, ready: asyncio.Future[Client], end: asyncio.Event) -> None:
        """Holds the talk open in one task, as the library wants it, until `end`."""
        address = self._address
        if address.url:
            transport = http_transport(address.url, self._token, self.timeout_seconds)
        else:
            transport = stdio_transport(address.command, self._given)
        try:
            async with Client(transport, client_info=Implementation(name="redraft", version=__version__), cache=None) as client:
                if not ready.done():
                    ready.set_result(client)
                await end.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(_refused(error))
                ready.exception()
            if not isinstance(error, Exception):
                raise

    async def _close(self) -> None:
        session, self._session, self._client = self._session, None, None
        if session is None:
            return
        self._end.set()
        done, _ = await asyncio.wait({session}, timeout=END_SECONDS - 1)
        if not done:
            session.cancel()
            await asyncio.wait({session}, timeout=1)


def _refused(error: BaseException) -> Refused:
    """What became of a call, without a word of the server's."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    if isinstance(error, Refused):
        return error
    if isinstance(error, FileNotFoundError):
        return Refused("unreachable", "cannot be started: there is no such program")
    if isinstance(error, PermissionError):
        return Refused("unreachable", "cannot be started: the program may not be run")
    if isinstance(error, MCPError):
        if error.error.code == CONNECTION_CLOSED:
            return Refused("unreachable", "ended, or closed the connection")
        if error.error.code == REQUEST_TIMEOUT:
            return Refused("timeout", "gave no answer in time")
        return Refused("broken", "answered with an error")
    if type(error).__module__.startswith(("httpx2", "httpcore2")) or isinstance(error, OSError):
        return Refused("unreachable", "cannot be reached")
    if isinstance(error, asyncio.CancelledError):
        return Refused("unreachable", "was given up")
    return Refused("broken", "sent something that is not what the protocol wants")
