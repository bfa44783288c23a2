"""The server of `redraft view`: one process, on this machine, until it is interrupted."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from redraft.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

__all__ = ["Server"]


class Server:
    """Bound at once, so that its address is known before it serves."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Bind.

        Raises:
            UsageError: the address cannot be had.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
            self._socket.listen(64)
        except (OSError, OverflowError, UnicodeError) as error:
            self._socket.close()
            raise UsageError(
                f"cannot serve on {host} port {port}: {getattr(error, 'strerror', None) or error}; take another one with --port or --host"
            ) from None
        self._host = f"[{host}]" if ":" in host else host

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://{self._host}:{self._socket.getsockname()[1]}/"

    def serve(self, app: ASGIApp, ready: Callable[[], None] | None = None) -> None:
        """Serve until an interrupt; returns then. `ready` is called once requests are answered.

        Raises:
            MissingExtra: the extra `viewer` is not installed.
        """
        try:
            import uvicorn
        except ImportError:
            raise MissingExtra("the viewer", "viewer") from None

        class Told(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                if ready is not None:
                    ready()

        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2, lifespan="off")
        try:
            Told(config).run(sockets=[self._socket])
        except KeyboardInterrupt:
            pass
        finally:
            self._socket.close()
