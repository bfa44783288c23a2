"""Tools of MCP servers as tools of a run: `mcp:COMMAND …` (a process of ours, over its standard input and output) and `mcp:http://…` (streamable HTTP).

A name may end in `#TOOL,TOOL` to take only these tools of the server, and in `#search=TOOL` to bind one of them as the tool `search`, so that rules and
judges ask it too. Without that, only a capable model that plans in structure can choose such a tool, under the name `mcp.TOOL`.

What a server says, results and descriptions alike, is other people's text: screened, capped, timed out and typed like that of any other tool.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from redraft.errors import MissingExtra, UnknownName, UsageError
from redraft.protocols import Tool
from redraft.tools.mcp.offers import McpTool, Offer
from redraft.tools.toolbox.guarded import Guarded, GuardSettings
from redraft.tools.toolbox.queries import unchanged

if TYPE_CHECKING:
    from redraft.tools.mcp.connection import Connection

__all__ = ["PREFIX", "ServerAddress", "open_mcp", "open_servers", "parse_address"]

PREFIX = "mcp:"
_SELECTION = re.compile(r"\s*#([\w./-]+(?:=[\w./-]+)?(?:,[\w./-]+(?:=[\w./-]+)?)*)$")
_RUNNER = re.compile(r"(?:python[\d.]*|node|npx|uvx|deno|bun)(?:\.exe)?$", re.IGNORECASE)
_TOKEN_NAME = re.compile(r"[^A-Z0-9]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerAddress:
    """Where a server is, and which of its tools are wanted (none: all)."""

    command: tuple[str, ...] = ()
    url: str = ""
    only: tuple[str, ...] = ()
    search: str = ""
    """The tool that is bound as `search`."""

    @property
    def label(self) -> str:
        """How the server is called where it is spoken of: never with its arguments, which may hold a secret, but for the script of an interpreter."""
        if self.url:
            return urlsplit(self.url).hostname or ""
        words = [word for word in self.command[1:] if not word.startswith("-")] if _RUNNER.match(PurePath(self.command[0]).name) else []
        return PurePath(words[0] if words and "=" not in words[0] else self.command[0]).name

    @property
    def token_name(self) -> str:
        """The environment variable of the token that is sent to this host and to no other."""
        return f"REDRAFT_MCP_{_TOKEN_NAME.sub('_', self.label.upper())}_TOKEN"


def parse_address(name: str) -> ServerAddress:
    """The server that `mcp:…` names.

    Raises:
        UsageError: it names none, or not as a command or an address.
    """
    given = name.removeprefix(PREFIX).strip()
    selection = _SELECTION.search(given)
    only: list[str] = []
    search = ""
    if selection is not None:
        given = given[: selection.start()]
        for part in selection[1].split(","):
            alias, _, tool = part.rpartition("=")
            if alias not in ("", "search"):
                raise UsageError(f"{name!r}: a tool can be bound as 'search' only, not as {alias!r}")
            only.append(tool)
            search = tool if alias else search
    if re.match(r"https?:", given, re.IGNORECASE):
        return ServerAddress(url=_checked_url(given), only=tuple(only), search=search)
    try:
        command = tuple(shlex.split(given))
    except ValueError:
        raise UsageError(f"{name!r}: the command has an open quotation mark") from None
    if not command:
        raise UsageError("'mcp:' needs the command that starts a server, or its address: mcp:COMMAND … or mcp:http://HOST:PORT/mcp")
    return ServerAddress(command=command, only=tuple(only), search=search)


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = bool(parts.hostname) and (parts.port or 1) > 0 and url.isprintable() and " " not in url
    except ValueError:
        good, parts = False, None
    if not good or parts is None:
        raise UsageError("the address of an MCP server must look like http://HOST:PORT/mcp")
    if parts.username or parts.password:
        raise UsageError("the address of an MCP server holds no password; set the variable that `redraft tools` names for its host")
    return url


def open_servers(names: Sequence[str], environment: Mapping[str, str], taken: Collection[str] = ()) -> tuple[Tool, ...]:
    """The tools of several servers; where one name is used twice the later tool gets a number. What is opened is closed again if one server fails.

    Raises:
        UsageError: as `open_mcp`; `search` is bound twice, or beside the tool of that name.
    """
    addresses = [parse_address(name) for name in names]  # a malformed one starts no process
    if sum(bool(address.search) for address in addresses) + ("search" in taken) > 1:
        raise UsageError("one tool only can be bound as 'search'")
    opened: list[tuple[Connection, tuple[Tool, ...]]] = []
    used = set(taken)
    try:
        for address in addresses:
            opened.append(open_mcp(address, environment, used))
            used |= {tool.name for tool in opened[-1][1]}
    except BaseException:
        for connection, _ in opened:
            connection.stop()
        raise
    return tuple(tool for _, tools in opened for tool in tools)


def open_mcp(address: ServerAddress, environment: Mapping[str, str], taken: Collection[str] = ()) -> tuple[Connection, tuple[Tool, ...]]:
    """The talk with a server and its tools, each guarded; the server is started or reached now, and left when the last of them is closed.

    Raises:
        UsageError: the server cannot be started or reached, offers nothing that can be used, or lacks a tool that is named.
        MissingExtra: the MCP library is not installed.
    """
    try:
        from redraft.tools.mcp.connection import Connection
    except ImportError:
        raise MissingExtra("using MCP servers", "mcp") from None
    connection = Connection(address, environment)
    try:
        offers = _wanted(address, connection.start())
    except BaseException:
        connection.stop()
        raise
    used = set(taken)
    tools: list[McpTool] = []
    for offer in offers:
        tools.append(McpTool(offer, connection, name=_named(offer, address, used), label=address.label, bound=offer.name == address.search))
        used.add(tools[-1].name)
    connection.users = len(tools)
    settings = GuardSettings(timeout_seconds=tools[0].timeout_seconds, total_seconds=2 * tools[0].timeout_seconds, retries=0, threshold=3)
    return connection, tuple(Guarded(tool, settings, normal=unchanged) for tool in tools)


def _named(offer: Offer, address: ServerAddress, used: Collection[str]) -> str:
    name = "search" if offer.name == address.search else f"mcp.{offer.name.lower()}"
    numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(free for free in numbered if free not in used)


def _wanted(address: ServerAddress, offers: tuple[Offer, ...]) -> tuple[Offer, ...]:
    by_name = {offer.name: offer for offer in offers}
    for tool in address.only:
        if tool not in by_name:
            raise UnknownName(f"tool of the MCP server {address.label}", tool, by_name)
    if address.search and not by_name[address.search].searches:
        raise UsageError(f"the tool {address.search!r} of {address.label} does not take one text, so it cannot be bound as 'search'")
    chosen = tuple(by_name[tool] for tool in dict.fromkeys(address.only)) if address.only else offers
    if not chosen:
        raise UsageError(f"the MCP server {address.label} offers no tool that can be used")
    return chosen
