"""Which hosts are answered, and the headers of every answer. Texts of models and tools are on these pages: nothing in them may run, load or be framed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["ANY_HOST", "HEADERS", "LOOPBACK", "Guarded"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ANY_HOST = "*"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: tuple[tuple[str, str], ...] = (
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
)


class Guarded:
    """Answers requests for known hosts only, and puts the headers on every answer.

    A page of another site that points its own name at this machine (DNS rebinding) sends that name as Host, and is refused. `*` answers every host: for a
    service whose proxy has checked it already.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = LOOPBACK) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                added = [(name.encode(), value.encode()) for name, value in HEADERS if name.encode() not in given]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        if not self._known(scope):
            from starlette.responses import PlainTextResponse

            words = "This viewer answers only to the names of this machine. To reach it under another name, start it with --allow-host NAME.\n"
            await PlainTextResponse(words, status_code=421)(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _known(self, scope: Scope) -> bool:
        if ANY_HOST in self._hosts:
            return True
        values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        return len(values) == 1 and _name(values[0]) in self._hosts


def _name(host: str) -> str:
    """The name in a Host header, without the port."""
    name = host.strip().lower()
    return name[: name.index("]") + 1] if name.startswith("[") and "]" in name else name.rsplit(":", 1)[0] if name.count(":") == 1 else name
