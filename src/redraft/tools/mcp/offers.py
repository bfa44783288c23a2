"""What a server offers and returns, read as untrusted data: names, descriptions and arguments of its tools, and their results as evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

from redraft.tools.search.hits import Hit, evidence_of, plain
from redraft.tools.search.http import Refused
from redraft.types import Evidence, Failure, ToolCall, ToolResult

__all__ = ["BadInput", "Caller", "McpTool", "Offer", "arguments_for", "evidence_from", "read_offer"]

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,63}")
DESCRIPTION = 240
PROPERTIES = 12
BLOCKS = 5
TRUST = 0.6


class BadInput(Exception):
    """An input that is not what the tool takes; the message is ours."""


class Caller(Protocol):
    """Where calls of a server's tools go."""

    timeout_seconds: float

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """The result as the protocol gives it.

        Raises:
            Refused: there is none; the message is ours.
        """
        ...

    async def release(self) -> None:
        """One tool less that needs the server."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """One tool of a server, as far as it can be used."""

    name: str
    description: str
    """One line, shortened; data."""
    properties: Mapping[str, str]
    """Names of arguments with their types."""
    required: frozenset[str]

    @property
    def sole(self) -> str:
        """The argument that a plain text goes to: the only required one, or the only one at all; empty where there is no such one."""
        names = tuple(self.required) if self.required else tuple(self.properties)
        return names[0] if len(names) == 1 and self.properties.get(names[0]) in ("string", "number", "integer", "") else ""

    @property
    def searches(self) -> bool:
        """Whether a statement can be its input."""
        return bool(self.sole) and self.properties[self.sole] in ("string", "")

    @property
    def takes(self) -> str:
        """What the input looks like, in our words."""
        if not self.properties:
            return "{}"
        if self.sole:
            return f"the {self.sole} as plain text" if self.searches else f"the {self.sole} as a number"
        listed = [f'"{name}" ({kind or "any"}{"" if name in self.required else ", optional"})' for name, kind in self.properties.items()]
        return f"a JSON object with {', '.join(listed)}"


def read_offer(name: Any, description: Any, schema: Any) -> Offer | None:
    """A tool as a server describes it; None where its name or its arguments are no names."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return None
    table = cast("dict[str, Any]", schema) if isinstance(schema, dict) else {}
    given = table.get("properties")
    properties: dict[str, str] = {}
    for key, value in (cast("dict[str, Any]", given) if isinstance(given, dict) else {}).items():
        kind = cast("dict[str, Any]", value).get("type") if isinstance(value, dict) else ""
        if NAME.fullmatch(key) and len(properties) < PROPERTIES:
            properties[key] = kind if kind in ("string", "number", "integer", "boolean", "array", "object") else ""
    wanted = table.get("required")
    required = frozenset(str(key) for key in cast("list[Any]", wanted)) if isinstance(wanted, list) else frozenset[str]()
    if not required <= properties.keys():
        return None
    text = " ".join(plain(description[: 8 * DESCRIPTION]).split()) if isinstance(description, str) else ""
    shown = text if len(text) <= DESCRIPTION else text[: DESCRIPTION - 1] + "…"
    return Offer(name=name, description=shown.replace('"', "'"), properties=properties, required=required)


def arguments_for(offer: Offer, text: str) -> dict[str, Any]:
    """The arguments of a call from its input: a JSON object, or a plain text where one argument takes it.

    Raises:
        BadInput: neither.
    """
    given = text.strip()
    if given.startswith("{"):
        try:
            value: Any = json.loads(given)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            table = cast("dict[str, Any]", value)
            if set(table) <= set(offer.properties) and offer.required <= set(table):
                return table
            if not offer.sole:
                raise BadInput(f"the input must be {offer.takes}")
    if offer.sole and given:
        return {offer.sole: given if offer.searches else _number(offer, given)}
    if not offer.properties:
        return {}
    raise BadInput(f"the input must be {offer.takes}")


def _number(offer: Offer, text: str) -> int | float:
    try:
        return float(text) if offer.properties[offer.sole] == "number" else int(text)
    except ValueError:
        raise BadInput(f"the input must be {offer.takes}") from None


def evidence_from(call: ToolCall, result: Any, *, source: str, title: str, by_words: bool) -> tuple[Evidence, ...]:
    """The texts of a result as evidence, shortened and without mark-up; pictures, sounds and links are left out.

    Raises:
        Refused: the tool reports an error, or there is no text.
    """
    if bool(getattr(result, "is_error", False)):
        raise Refused("broken", "reported an error")
    blocks: list[Any] = list(getattr(result, "content", None) or ())
    texts = [text for block in blocks[: 4 * BLOCKS] if isinstance(text := getattr(block, "text", None), str) and text.strip()][:BLOCKS]
    structured = getattr(result, "structured_content", None)
    if not texts and isinstance(structured, dict) and any(value not in ("", None) for value in cast("dict[str, Any]", structured).values()):
        texts = [json.dumps(structured, ensure_ascii=False, default=str)]
    found: list[Evidence] = []
    for text in texts:
        hit = Hit(text=text[:20_000], title=title, trust=TRUST, score=None if by_words else 1.0)
        item = evidence_of(call, call.input, hit)
        if item.text:
            found.append(_from(item, source))
    if not found:
        raise Refused("empty", "returned no text")
    return tuple(found)


def _from(item: Evidence, source: str) -> Evidence:
    return Evidence(tool=item.tool, input=item.input, text=item.text, title=item.title, source=source, trust=item.trust, relevance=item.relevance)


class McpTool:
    """One tool of a server. Its summary quotes what the server says of it, as somebody's words."""

    def __init__(self, offer: Offer, caller: Caller, *, name: str, label: str, bound: bool = False) -> None:
        self.name = name
        self.timeout_seconds = caller.timeout_seconds
        self._offer = offer
        self._caller = caller
        self._label = label
        self._bound = bound
        self._released = False

    def __repr__(self) -> str:
        return f"<{self.name} of {self._label}>"

    @property
    def summary(self) -> str:
        said = f', which says of itself: "{self._offer.description}"' if self._offer.description else ""
        return f"A tool of the MCP server {self._label}{said}; input: {self._offer.takes}."

    async def run(self, call: ToolCall) -> ToolResult:
        """Evidence in the order of the server, or why there is none."""
        try:
            arguments = arguments_for(self._offer, call.input)
            result = await self._caller.call(self._offer.name, arguments)
            return evidence_from(call, result, source=f"mcp:{self._label}", title=self._offer.name, by_words=self._bound)
        except BadInput as problem:
            return Failure(tool=call.tool, input=call.input, kind="bad_input", message=str(problem))
        except Refused as refused:
            return Failure(tool=call.tool, input=call.input, kind=refused.kind, message=refused.message, retry_after_seconds=refused.retry_after_seconds)

    async def close(self) -> None:
        if not self._released:
            self._released = True
            await self._caller.release()
