"""The `fetch` tool: the text of one web page as its reader sees it, from a public address only, within bounds of size, time, redirects and type.

The name is resolved once for every hop, each address is checked, and the connection goes to the checked address itself, so that a name that resolves
differently a moment later changes nothing. No proxy, cookie or credential is ever used.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit, urlunsplit

from redraft.errors import InputError, MissingExtra
from redraft.tools.addresses import AllowList, Resolver, resolve
from redraft.tools.documents import DocumentsTool
from redraft.tools.extract import Document, decode, read_document, text_document
from redraft.tools.extract_html import html_text
from redraft.tools.search.hits import trust_of
from redraft.tools.search.http import Refused, bounded_body, client_options, retry_after_seconds, user_agent
from redraft.types import Evidence, Failure, FailureKind, ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from httpx2 import AsyncClient, Response

    from redraft.protocols import Clock

__all__ = ["FetchLimits", "FetchTool", "host_of_call"]

PIECE = 2000
"""Characters of one piece of evidence of a page without a question."""
PIECES = 5
ADDRESSES_TRIED = 3
HTML = frozenset({"text/html", "application/xhtml+xml"})
PLAIN = frozenset({"text/plain", "text/markdown", "text/x-markdown", "text/csv", "application/json", "text/x-rst"})
PDF = frozenset({"application/pdf"})
CHARSET = re.compile(
    r"(?:us-)?ascii|utf-?8|utf-?16(?:le|be)?|iso-?8859-\d{1,2}|latin-?\d|windows-\d{3,4}|cp\d{3,4}|gb\w*|big5\S*|shift[_-]jis|sjis|euc-\w+|koi8-\w",
    re.IGNORECASE,
)
"""What a server or a page may name: codecs that turn bytes into something else than text of the web are none of its business."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchLimits:
    timeout_seconds: float = 15.0
    """For everything: all hops, the body, and reading it."""
    max_bytes: int = 8 << 20
    """Unpacked."""
    max_redirects: int = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class _Target:
    """Where one hop goes: `host` is named to the server and in its certificate, `addresses` are what is connected to."""

    url: str
    scheme: str
    host: str
    port: int
    addresses: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Page:
    url: str
    media_type: str
    charset: str
    data: bytes


class FetchTool:
    """Fetches a page. Input: its address, or the address, a space and a question: then the passages that have most to do with the question.

    `allow` names hosts, addresses and networks that need not be public. `attempt` n gives the n-th further part of the page.
    """

    name = "fetch"
    summary = "Reads a web page; input: its address (http or https), optionally followed by a space and what to look for in it."

    def __init__(self, *, allow: Sequence[str] = (), limits: FetchLimits | None = None, resolver: Resolver = resolve, clock: Clock | None = None) -> None:
        from redraft.effects import SystemClock

        self._allow = AllowList.of(allow)
        self._limits = limits or FetchLimits()
        self._resolver = resolver
        self._clock = clock or SystemClock()

    @property
    def timeout_seconds(self) -> float:
        return self._limits.timeout_seconds

    async def run(self, call: ToolCall) -> ToolResult:
        """Parts of the page in its order, or best first where a question is given, or why there are none."""
        url, _, question = call.input.strip().partition(" ")
        try:
            async with asyncio.timeout(self._limits.timeout_seconds):
                page = await self._fetched(url)
                document = await asyncio.to_thread(_read, page)
                return await _evidence(call, page.url, document, question.strip())
        except TimeoutError:
            return self._failure(call, "timeout", f"the page was not there within {self._limits.timeout_seconds:g} s")
        except Refused as refused:
            return self._failure(call, refused.kind, refused.message, refused.retry_after_seconds)
        except MissingExtra as error:
            return self._failure(call, "unsupported", str(error))
        except InputError:
            return self._failure(call, "unsupported", "the page is not in a form that can be read as text")

    async def close(self) -> None:
        """Nothing is kept open between calls."""

    def _failure(self, call: ToolCall, kind: FailureKind, message: str, retry_after_seconds: float | None = None) -> Failure:
        return Failure(tool=call.tool, input=call.input, kind=kind, message=message, retry_after_seconds=retry_after_seconds)

    async def _fetched(self, url: str) -> _Page:
        for _ in range(self._limits.max_redirects + 1):
            target = await self._target(url)
            found = await self._hop(target)
            if isinstance(found, _Page):
                return found
            url = _joined(target.url, found)
        raise Refused("broken", f"the page leads on through more than {self._limits.max_redirects} redirects")

    async def _target(self, url: str) -> _Target:
        """The hop to an address, its host resolved and every one of its addresses checked."""
        scheme, host, port, clean = _parts(url)
        try:
            found = await self._resolver(host, port)
            addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in found]
        except (OSError, ValueError):
            raise Refused("unreachable", "there is no such host") from None
        if not addresses:
            raise Refused("unreachable", "there is no such host")
        if not all(self._allow.admits(host, address) for address in addresses):
            raise Refused("denied", "the address is not one of the open web; a host inside a network must be allowed by name")
        return _Target(url=clean, scheme=scheme, host=host, port=port, addresses=tuple(map(str, addresses[:ADDRESSES_TRIED])))

    async def _hop(self, target: _Target) -> _Page | str:
        """The page, or where it says it has moved."""
        try:
            import httpx2
        except ImportError:
            raise MissingExtra("fetching pages", "search") from None
        try:
            async with httpx2.AsyncClient(**client_options(self._limits.timeout_seconds, direct=True)) as client:
                response = await _connected(client, target)
                try:
                    return await self._page(target, response)
                finally:
                    await response.aclose()
        except httpx2.TimeoutException:
            raise Refused("timeout", f"the page was not there within {self._limits.timeout_seconds:g} s") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError):
            raise Refused("unreachable", "the host cannot be reached") from None

    async def _page(self, target: _Target, response: Response) -> _Page | str:
        if response.status_code in REDIRECTS:
            moved = response.headers.get("location", "")
            if not moved:
                raise Refused("broken", "the page has moved, and does not say where")
            return moved
        headers = {name.lower(): value for name, value in response.headers.items()}
        problem = _status_problem(response.status_code, retry_after_seconds(headers, self._clock.now()))
        if problem is not None:
            raise problem
        media_type, charset = _content_type(headers)
        if media_type and media_type not in HTML | PLAIN | PDF:
            raise Refused("unsupported", "the page is of a kind that has no text to read")
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limits.max_bytes:
            raise Refused("too_large", f"the page has more than the {self._limits.max_bytes} bytes that are read")
        return _Page(url=target.url, media_type=media_type, charset=charset, data=await bounded_body(response, self._limits.max_bytes))


def host_of_call(call: ToolCall) -> str:
    """Who answers a call of this tool: the host of its address, for limits and breakers of their own."""
    try:
        return (urlsplit(call.input.strip().partition(" ")[0]).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def _parts(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and the address without its fragment."""
    try:
        split = urlsplit(url)
        scheme, host, port = split.scheme.lower(), (split.hostname or "").rstrip("."), split.port
    except ValueError:
        raise Refused("bad_input", "this is no address of a page") from None
    if scheme not in ("http", "https"):
        raise Refused("bad_input", "only addresses that begin with http:// or https:// are read")
    if not host or len(url) > 2048 or re.search(r"[\s\\\x00-\x1f]", url):
        raise Refused("bad_input", "this is no address of a page")
    if split.username is not None or split.password is not None:
        raise Refused("bad_input", "an address with a user name or a password is not read")
    try:
        host = host if ":" in host else host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise Refused("bad_input", "this is no address of a page") from None
    number = (443 if scheme == "https" else 80) if port is None else port
    shown = f"[{host}]" if ":" in host else host
    place = shown if port is None else f"{shown}:{port}"
    return scheme, host, number, urlunsplit((scheme, place, split.path or "/", split.query, ""))


def _joined(url: str, moved: str) -> str:
    try:
        return urljoin(url, moved)
    except ValueError:
        raise Refused("broken", "the page has moved to what is no address") from None


async def _connected(client: AsyncClient, target: _Target) -> Response:
    """The response of the first of the checked addresses that can be connected to."""
    import httpx2

    split = urlsplit(target.url)
    headers = {
        "host": split.netloc,
        "user-agent": user_agent(),
        "accept": "text/html,application/xhtml+xml,text/plain;q=0.9,application/pdf;q=0.8,*/*;q=0.1",
        "accept-encoding": "gzip, deflate",
    }
    last: Exception = OSError("no address")
    for address in target.addresses:
        place = f"[{address}]" if ":" in address else address
        url = urlunsplit((target.scheme, f"{place}:{target.port}", split.path, split.query, ""))
        try:
            request = client.build_request("GET", url, headers=headers, extensions={"sni_hostname": target.host})
            return await client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            last = error
    raise last


def _status_problem(status: int, wait: float | None) -> Refused | None:
    match status:
        case status if 200 <= status < 300:
            return None
        case 404 | 410:
            return Refused("empty", f"there is no such page (HTTP {status})")
        case 401 | 402 | 403 | 407 | 451:
            return Refused("denied", f"the host does not show the page (HTTP {status})")
        case 429:
            return Refused("quota", "the host is asked too often", 1.0 if wait is None else wait)
        case status if status >= 500:
            return Refused("unreachable", f"the host failed (HTTP {status})", wait)
        case status:
            return Refused("broken", f"the host gave an unexpected answer (HTTP {status})")


def _content_type(headers: Mapping[str, str]) -> tuple[str, str]:
    """Type and charset; of a charset that no page is written in, nothing."""
    kind, _, rest = headers.get("content-type", "").partition(";")
    found = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", rest, re.IGNORECASE)
    charset = found[1] if found and CHARSET.fullmatch(found[1]) else ""
    return kind.strip().lower(), "gb18030" if charset.lower().startswith("gb") else charset


def _read(page: _Page) -> Document:
    """The page as text, whatever its name and type say; runs in a thread."""
    if page.data.lstrip()[:5] == b"%PDF-":
        return _stored(page, ".pdf")
    if page.media_type in PDF:
        raise InputError("it is no PDF")
    if not page.data.strip():
        raise Refused("empty", "the page is empty")
    text = _decoded(page)
    if page.media_type in HTML or (not page.media_type and re.match(r"\s*<(?:!doctype\s+html|html|head|body)\b", text, re.IGNORECASE)):
        title, text = html_text(text)
        return text_document(page.url, text, title)
    return text_document(page.url, text)


def _stored(page: _Page, suffix: str) -> Document:
    with tempfile.TemporaryDirectory(prefix="redraft-") as folder:
        path = Path(folder) / f"page{suffix}"
        path.write_bytes(page.data)
        return read_document(path, page.url)


def _decoded(page: _Page) -> str:
    """By byte order mark, by what the server says, by what the page says, else by what its bytes look like."""
    marked = page.data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    declared = re.search(rb"""<meta[^>]{1,200}?charset=["']?\s*([\w-]{1,30})""", page.data[:4096], re.IGNORECASE) if page.media_type not in PLAIN else None
    inside = declared[1].decode("ascii") if declared else ""
    for charset in () if marked else (page.charset, inside if CHARSET.fullmatch(inside) else ""):
        try:
            if charset:
                text = page.data.decode("gb18030" if charset.lower().startswith("gb") else charset)
                if "\x00" not in text:
                    return text
        except (LookupError, UnicodeDecodeError):
            continue
    return decode(page.data, page.url)[0]


async def _evidence(call: ToolCall, url: str, document: Document, question: str) -> ToolResult:
    attempt = max(0, call.attempt)
    text = "\n\n".join(section.text for section in document.sections).strip()
    trust = trust_of(url)
    nothing = Failure(tool=call.tool, input=call.input, kind="empty", message="the page has no further text" if attempt else "the page has no text")
    if not text:
        return nothing
    if question:
        finder = DocumentsTool(texts={url: text}, trust=trust)
        try:
            found = await finder.run(ToolCall(tool=call.tool, input=question, attempt=attempt))
        finally:
            await finder.close()
        if isinstance(found, Failure):
            return Failure(tool=call.tool, input=call.input, kind=found.kind, message="nothing on the page has to do with that")
        pieces = [(item.text, item.relevance) for item in found]
    else:
        pieces = [(piece, 1.0) for piece in _pieces(text)[attempt * PIECES : (attempt + 1) * PIECES]]
    return (
        tuple(
            Evidence(tool=call.tool, input=call.input, text=piece, title=document.title[:300], source=url, trust=trust, relevance=share)
            for piece, share in pieces
        )
        or nothing
    )


def _pieces(text: str) -> list[str]:
    """Whole paragraphs, as many as fit; a longer one is cut between words."""
    pieces: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        while block:
            part = block if len(block) <= PIECE else block[:PIECE].rsplit(" ", 1)[0] or block[:PIECE]
            block = block[len(part) :].strip()
            if pieces and len(pieces[-1]) + len(part) + 2 <= PIECE:
                pieces[-1] += "\n\n" + part
            elif part.strip():
                pieces.append(part)
    return pieces
