"""One HTTP call to a provider's API, bounded in time and size, and every way it can fail as a `Refused` in our words.

Redirects are not followed (a key would travel with them), replies are JSON, and no more of a reply is ever unpacked than is taken. A key that a provider
wants in the address is sent there without standing in the URL that the HTTP library writes to its log.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast
from urllib.parse import urlencode, urlsplit

from redraft import __version__
from redraft.errors import MissingExtra
from redraft.types import FailureKind

if TYPE_CHECKING:
    import ssl

    from httpx2 import Response

__all__ = [
    "MAX_REPLY_BYTES",
    "Refused",
    "Reply",
    "Request",
    "bounded_body",
    "client_options",
    "is_loopback",
    "retry_after_seconds",
    "send",
    "status_problem",
    "user_agent",
]

MAX_REPLY_BYTES = 4 << 20
UNKNOWN_WAIT_SECONDS = 1.0
"""Where a rate limit is hit and nobody says for how long."""
LONGEST_WAIT_SECONDS = 86_400.0


class Refused(Exception):
    """A call that brought no reply, or one that says no. The message is ours: nothing of what the provider wrote is in it."""

    def __init__(self, kind: FailureKind, message: str, retry_after_seconds: float | None = None) -> None:
        self.kind: FailureKind = kind
        self.message = message
        self.retry_after_seconds = retry_after_seconds
        super().__init__(message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What is asked. `secret_params` are part of the address too, but of no log; headers may hold keys and are never shown."""

    url: str
    method: Literal["GET", "POST"] = "GET"
    params: Mapping[str, str | int] = field(default_factory=dict[str, str | int])
    secret_params: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any] | None
    """The JSON object; None where the reply is none."""


def user_agent(contact: str = "") -> str:
    """How we name ourselves; some providers want to know whom to write to."""
    return f"redraft/{__version__}" + (f" ({contact})" if contact else "")


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """The machine's certificates, read once."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


def client_options(timeout_seconds: float, *, direct: bool) -> dict[str, Any]:
    """How a client is made: `direct` ignores the proxies of the environment."""
    return {"verify": _trust(), "trust_env": not direct, "timeout": timeout_seconds, "follow_redirects": False}


async def send(request: Request, *, timeout_seconds: float, max_bytes: int = MAX_REPLY_BYTES) -> Reply:
    """Make the call.

    Raises:
        Refused: there is no reply: no connection, no answer in time, too much of it, or one that cannot be unpacked.
        MissingExtra: the HTTP library is not installed.
    """
    try:
        import httpx2
    except ImportError:
        raise MissingExtra("searching the web", "search") from None
    target = urlsplit(request.url)
    headers = {"accept": "application/json", "accept-encoding": "gzip, deflate", "user-agent": user_agent(), **request.headers}
    query = urlencode({**request.params, **request.secret_params})
    extensions = {"target": f"{target.path or '/'}?{query}".encode("ascii")} if query else {}
    options = client_options(timeout_seconds, direct=is_loopback(target.hostname or ""))
    try:
        async with asyncio.timeout(timeout_seconds), httpx2.AsyncClient(**options) as client:
            built = client.build_request(request.method, request.url, json=request.body, headers=headers, extensions=extensions)
            response = await client.send(built, stream=True)
            try:
                data = await bounded_body(response, max_bytes)
            finally:
                await response.aclose()
    except (httpx2.TimeoutException, TimeoutError):
        raise Refused("timeout", f"gave no answer within {timeout_seconds:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError):
        raise Refused("unreachable", "cannot be reached; check the network") from None
    return Reply(status=response.status_code, headers={name.lower(): value for name, value in response.headers.items()}, body=_value(data))


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def bounded_body(response: Response, max_bytes: int) -> bytes:
    """The body, unpacked as far as the limit and not a byte further: what unpacks to gigabytes costs no more than the limit.

    Raises:
        Refused: it is longer, cut off, damaged, or packed in a way that was not asked for.
    """
    unpack = _unpacker(response.headers.get("content-encoding", ""))
    data = bytearray()
    async for chunk in response.aiter_raw():
        data += unpack(chunk, max_bytes + 1 - len(data))
        if len(data) > max_bytes:
            raise Refused("too_large", f"sent more than the {_size(max_bytes)} that are taken")
    unpack(b"", 1)
    return bytes(data)


def _size(count: int) -> str:
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count} bytes"


def _unpacker(coding: str) -> Callable[[bytes, int], bytes]:
    """Called with a chunk and the most bytes to give; with an empty chunk at the end."""
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return lambda chunk, _: chunk
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise Refused("broken", "sent a reply that is packed in an unknown way")
    machine = zlib.decompressobj(wbits=47)  # gzip or zlib, whichever it is
    raw = False

    def unpack(chunk: bytes, most: int) -> bytes:
        nonlocal machine, raw
        if not chunk:
            return _ended(machine.eof)
        try:
            return machine.decompress(chunk, most)
        except zlib.error:
            if coding != "deflate" or raw:
                _damaged()
            machine, raw = zlib.decompressobj(wbits=-15), True  # some servers leave the header off
            try:
                return machine.decompress(chunk, most)
            except zlib.error:
                _damaged()

    return unpack


def _ended(whole: bool) -> bytes:
    if not whole:
        _damaged()
    return b""


def _damaged() -> NoReturn:
    raise Refused("broken", "sent a reply that is damaged or cut off") from None


def _value(data: bytes) -> Mapping[str, Any] | None:
    try:
        value: Any = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long the server asks to wait: `Retry-After` in seconds or as a date, else the windows of `X-RateLimit-Reset` that are used up."""
    given = headers.get("retry-after", "").strip()
    if given:
        seconds = _seconds(given)
        if seconds is None:
            try:
                date = parsedate_to_datetime(given)
            except (ValueError, TypeError, IndexError):
                return None
            seconds = ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
        return min(LONGEST_WAIT_SECONDS, max(0.0, seconds))
    resets = [_seconds(part) for part in headers.get("x-ratelimit-reset", "").split(",")]
    left = [_seconds(part) for part in headers.get("x-ratelimit-remaining", "").split(",")]
    waits = [reset for reset, rest in zip(resets, left, strict=False) if reset is not None and rest == 0]
    return min(LONGEST_WAIT_SECONDS, max(0.0, *waits, 0.0)) if waits else None


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def status_problem(reply: Reply, now: datetime, *, key_name: str = "", url_name: str = "") -> Refused | None:
    """What the status means where the provider has no rule of its own; None where the call went well."""
    wait = retry_after_seconds(reply.headers, now)
    match reply.status:
        case status if 200 <= status < 300:
            return None
        case 400 | 422:
            return Refused("bad_input", f"did not accept the query (HTTP {reply.status})")
        case 401 | 403:
            return Refused("denied", f"refused the key (HTTP {reply.status}); check {key_name}" if key_name else f"refused to answer (HTTP {reply.status})")
        case 402:
            return Refused("quota", "the credit is used up")
        case 408 | 504:
            return Refused("timeout", f"gave no answer in time (HTTP {reply.status})", wait)
        case 413 | 414:
            return Refused("bad_input", "the query is too long for it")
        case 429:
            return Refused("quota", "too many requests", UNKNOWN_WAIT_SECONDS if wait is None else wait)
        case status if 300 <= status < 400:
            return Refused("broken", f"answered with a redirect, which is not followed (HTTP {status}); check {url_name}")
        case status if status >= 500:
            return Refused("unreachable", f"failed (HTTP {status})", wait)
        case status:
            return Refused("broken", f"gave an unexpected answer (HTTP {status}); check {url_name}")
