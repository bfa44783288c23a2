"""mcp: Redraft as an MCP server, over standard input and output or over HTTP on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from redraft.cli.options import FileCommand, options_of, run_options
from redraft.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from redraft.cli.session import Session
    from redraft.protocols import Tool
    from redraft.refiner import Refiner
    from redraft.types import Outcome, Task

__all__ = ["mcp_command"]

HOST = "127.0.0.1"
BODY_BYTES = 4 << 20
TOKEN = "REDRAFT_MCP_SERVER_TOKEN"


@click.command("mcp", cls=FileCommand, short_help="Offer checking and correcting to MCP clients.")
@click.option("--http", "port", type=click.IntRange(0, 65535), default=None, metavar="PORT", help="Serve HTTP on 127.0.0.1 instead; 0: any free port.")
@click.option("--recorded", is_flag=True, help="Let explain_run look into the store of recorded runs too, not only those of this session.")
@run_options(without=("query", "tests", "json", "quiet", "strict", "kind"))
@click.pass_context
def mcp_command(ctx: click.Context, port: int | None, recorded: bool) -> int:
    """Serve the tools check_answer, fix_answer and explain_run to an MCP client.

    Files are named here and nowhere else: redraft mcp --sources docs/ --table q3.csv. A client cannot name any. With REDRAFT_MCP_SERVER_TOKEN set, HTTP
    clients must send it as a bearer token.
    """
    from redraft.cli.session import open_session, task_from

    options = options_of(ctx)
    try:
        import mcp  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        raise MissingExtra("the MCP server", "mcp") from None
    session = open_session(options, default_model="none")
    task = task_from(options, query="", default_kind="report")
    for tool in session.open_tools(task):  # what is wrong with files and tools is said now, not to the first client
        asyncio.run(tool.close())
    asyncio.run(_serve(session, task, port, recorded=recorded))
    return 0


async def _serve(session: Session, files: Task, port: int | None, *, recorded: bool) -> None:
    from redraft.mcp import Runs, build_server

    shared = session.refiner()
    runs = Runs(lambda task, change: _act(session, shared, task, change=change), files=files, stored=_stored(session) if recorded else None)
    server = build_server(runs)
    try:
        if port is None:
            from mcp.server.stdio import stdio_server

            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        else:
            await _serve_http(server, port)
    finally:
        await shared.close()
        if session.records is not None:
            session.records.close()


async def _act(session: Session, shared: Refiner, task: Task, *, change: bool) -> Outcome:
    """One run with tools of its own; models are shared."""
    from redraft.refiner import Refiner

    tools = await _opened(session, task)
    refiner = Refiner(
        shared.model,
        tools=tools,
        policy=shared.policy,
        evaluator=shared.evaluator,
        judge=shared.judge,
        entailment=shared.entailment,
        privacy=shared.privacy,
        secrets=shared.secrets,
        records=shared.records,
        memory=session.memory,
    )
    try:
        return await (refiner.revise(task, task.answer or "") if change else refiner.check(task, task.answer or ""))
    finally:
        await _closed(tools)


async def _opened(session: Session, task: Task) -> Sequence[Tool]:
    """The tools for a task, opened beside the event loop; given up half-way, they are closed once they are there."""
    opening = asyncio.create_task(asyncio.to_thread(session.open_tools, task))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close_later)
        raise


def _close_later(opened: asyncio.Task[tuple[Tool, ...]]) -> None:
    if not opened.cancelled() and opened.exception() is None:
        closing = asyncio.get_running_loop().create_task(_closed(opened.result()))
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)


_closing: set[asyncio.Task[None]] = set()


async def _closed(tools: Sequence[Tool]) -> None:
    for tool in tools:
        with contextlib.suppress(Exception):
            await tool.close()


def _stored(session: Session) -> Callable[[str], str | None]:
    """How a recorded run is explained: from its events, or None where there is no such run."""
    from redraft.errors import InputError
    from redraft.mcp.explain import explain_events
    from redraft.records import open_records
    from redraft.records.reading import events_of

    records = session.records or open_records()

    def explain(run_id: str) -> str | None:
        try:
            return explain_events(run_id, events_of(records.events(run_id)))
        except InputError:
            return None

    return explain


async def _serve_http(server: Any, port: int) -> None:
    """Streamable HTTP on the loopback address; other hosts and other web pages are turned away by the library's check of Host and Origin."""
    import uvicorn

    application: Any = server.streamable_http_app(host=HOST, max_request_body_size=BODY_BYTES)
    token = os.environ.get(TOKEN, "").strip()
    listening = uvicorn.Server(uvicorn.Config(_guarded(application, token) if token else application, host=HOST, port=port, log_level="error"))
    config = listening.config
    try:
        socket = config.bind_socket()
    except SystemExit:
        raise UsageError(f"port {port} on {HOST} cannot be used; is it taken? --http 0 takes any free port") from None
    sys.stderr.write(f"redraft: MCP server at http://{HOST}:{socket.getsockname()[1]}/mcp{'' if token else f' (no token: set {TOKEN} to ask for one)'}\n")
    sys.stderr.flush()
    await listening.serve(sockets=[socket])


def _guarded(application: Any, token: str) -> Any:
    """The application behind a bearer token, compared in constant time."""
    import hmac

    wanted = f"Bearer {token}".encode()

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not hmac.compare_digest(given, wanted):
                await send({"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]})
                await send({"type": "http.response.body", "body": b""})
                return
        await application(scope, receive, send)

    return guarded
