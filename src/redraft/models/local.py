"""The embedded model: llama.cpp in this process, behind its own loopback server, asked like any other model.

One path for all models: the server has a random key and a random port, one slot, and a fixed number of threads, so that temperature 0 with a
seed gives the same text again on the same machine. It starts with the first request. Leaving while a request is in flight would crash the
process, so requests are ended, and waited for, before the server goes.
"""

from __future__ import annotations

import asyncio
import atexit
import dataclasses
import importlib
import os
import secrets
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from redraft.errors import ModelBroken, ModelUnreachable
from redraft.models.remote import CallOptions, RemoteModel
from redraft.types import Ability, ModelReply, ModelRequest

if TYPE_CHECKING:
    from pydantic_ai.models import Model as PydanticModel

__all__ = ["LocalModel", "default_threads"]

CONTEXT_TOKENS = 4096
ENDING_SECONDS = 10.0


def default_threads() -> int:
    """One core is left to everything else: with all of them the speed falls to a fifteenth on a busy machine."""
    return max(1, (os.cpu_count() or 2) - 1)


class LocalModel:
    """A GGUF file, run in this process.

    `locate` gives the path of the file; it may take its time and is called once, from a worker thread, with an event that asks it to give up.
    """

    def __init__(
        self,
        name: str,
        locate: Callable[[threading.Event], Path],
        *,
        ability: Ability = "small",
        threads: int | None = None,
        options: CallOptions | None = None,
    ) -> None:
        self.name = name
        self.ability: Ability = ability
        self._locate = locate
        self._asked = RemoteModel(name, self._connect, ability=ability, takes_grammar=True, priced=False, options=options)
        self._engine = _Engine(threads or default_threads(), self._asked.close)
        self._turn: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"<model {self.name}>"

    async def prepare(self) -> None:
        """Fetch the weights and start, before the first request does.

        Raises:
            ModelError: the weights cannot be had, or are no model.
        """
        if self._engine.running:
            return
        given_up = threading.Event()
        try:
            await asyncio.to_thread(self._engine.start, self.name, self._locate, given_up)
        except asyncio.CancelledError:
            given_up.set()
            raise

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer the request; requests wait for each other in the order they came.

        Raises:
            ModelError: the model cannot be started, or the call failed.
        """
        await self.prepare()
        turn = self._turn.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with turn:
            with self._engine.request():
                reply = await self._asked.complete(request)
        return dataclasses.replace(reply, model=self.name, cost_usd=0.0)

    async def close(self) -> None:
        """End requests in flight and stop the server; the next request would start it again."""
        await self._asked.close()
        await asyncio.to_thread(self._engine.stop)

    def _connect(self) -> AsyncGenerator[PydanticModel]:
        from redraft.models.providers import openai_compatible

        address, key = self._engine.address
        return openai_compatible(self.name, base_url=f"{address}/v1", key=key, loopback=True)()


class _Engine:
    """The server in this process, and the requests it is answering."""

    def __init__(self, threads: int, disconnect: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._threads = threads
        self._disconnect = disconnect
        self._starting = threading.Lock()
        self._server: Any = None
        self._key = ""
        self._flights: set[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = set()
        self._idle = threading.Condition()

    @property
    def running(self) -> bool:
        return self._server is not None

    @property
    def address(self) -> tuple[str, str]:
        server = self._server
        if server is None:
            raise ModelUnreachable("the embedded model has been stopped")
        return server.listening_address, self._key

    def start(self, name: str, locate: Callable[[threading.Event], Path], given_up: threading.Event) -> None:
        """Start unless started. Called from a worker thread; raises ModelError."""
        with self._starting:
            if self._server is not None or given_up.is_set():
                return
            path = locate(given_up)
            if given_up.is_set():
                return
            self._key = secrets.token_urlsafe(24)
            self._server = _serve(name, path, self._threads, self._key)
            atexit.register(self.stop)

    @contextmanager
    def request(self) -> Generator[None]:
        """Count the current task as a request in flight, so that stopping can end it and wait for it."""
        task = asyncio.current_task()
        assert task is not None
        flight = (asyncio.get_running_loop(), task)
        with self._idle:
            self._flights.add(flight)
        try:
            yield
        finally:
            with self._idle:
                self._flights.discard(flight)
                self._idle.notify_all()

    def stop(self) -> None:
        """End the requests in flight, then the server."""
        with self._starting:
            if self._server is None:
                return
            for loop, task in tuple(self._flights):
                self._end(loop, task)
            with self._idle:
                idle = self._idle.wait_for(lambda: not self._flights, timeout=ENDING_SECONDS)
            if idle:  # else it is left running: destroying it under a request would never return
                self._server = None
            atexit.unregister(self.stop)

    def _end(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
        if loop.is_closed():
            return
        if loop.is_running():
            loop.call_soon_threadsafe(task.cancel)
            return
        task.cancel()  # its loop was abandoned, as by an interrupt: run it once more, so that the connection is closed
        loop.run_until_complete(asyncio.wait({task}))
        loop.run_until_complete(self._disconnect())


def _serve(name: str, path: Path, threads: int, key: str) -> Any:
    xllamacpp: Any = importlib.import_module("xllamacpp")  # has no type information
    p: Any = xllamacpp.CommonParams()
    p.model.path = str(path)
    p.verbosity = 0
    p.hostnames = ["127.0.0.1"]
    p.api_keys = [key]  # without a key the port would answer every program and every web page
    p.cors_origins = ""
    p.n_parallel = 1
    p.n_ctx = CONTEXT_TOKENS
    p.cache_ram_mib = 0
    p.cpuparams.n_threads = threads
    p.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(p)
    except RuntimeError:
        raise ModelBroken(f"{name}: {path} is not a model that llama.cpp can load; is it a complete GGUF file, and is there memory for it?") from None
