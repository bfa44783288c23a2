"""Payloads of events as JSON bytes: a long text is taken out and stored once, under the SHA-256 of its bytes, and put back when the payload is read.

`{"$blob":"<address>"}` stands in its place. A table of the payload that itself has such a key is wrapped as `{"$literal":{…}}`, so that what comes back is
what went in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

__all__ = ["LONG_CHARACTERS", "address_of", "json_bytes", "marked", "named", "stored", "whole"]

LONG_CHARACTERS = 1024
"""Texts of this length and more are stored once, by their address."""
_BLOB, _LITERAL = "$blob", "$literal"
_MARKS = (b'"$blob"', b'"$literal"')


def address_of(text: str) -> str:
    """The address under which a long text is stored: SHA-256 of its UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stored(payload: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    """The payload as it is stored, and the long texts that were taken out of it."""
    whole = json_bytes(payload)
    if len(whole) < LONG_CHARACTERS and not marked(whole):
        return whole, {}
    texts: dict[str, str] = {}
    short = _shortened(payload, texts)
    return (json_bytes(short), texts) if texts or marked(whole) else (whole, {})


def marked(data: bytes) -> bool:
    """Whether the payload in these bytes may hold an address, or a table that looks like one."""
    return any(mark in data for mark in _MARKS)


def _shortened(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, str):
        if len(value) < LONG_CHARACTERS:
            return value
        address = address_of(value)
        texts[address] = value
        return {_BLOB: address}
    if isinstance(value, dict):
        inner = {str(key): _shortened(item, texts) for key, item in cast("dict[Any, Any]", value).items()}
        return {_LITERAL: inner} if _BLOB in value or _LITERAL in value else inner
    if isinstance(value, list):
        return [_shortened(item, texts) for item in cast("list[Any]", value)]
    return value


def whole(value: Any, texts: Mapping[str, str], *, literal: bool = False) -> Any:
    """The payload with its long texts back in their places.

    Raises:
        KeyError: one of them is not among `texts`.
    """
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        if not literal and _addressed(table):
            return texts[table[_BLOB]]
        if not literal and set(table) == {_LITERAL}:
            return whole(table[_LITERAL], texts, literal=True)
        return {key: whole(item, texts) for key, item in table.items()}
    if isinstance(value, list):
        return [whole(item, texts) for item in cast("list[Any]", value)]
    return value


def named(value: Any, *, literal: bool = False) -> Iterator[str]:
    """The addresses of the long texts of a payload, in order; one may come twice."""
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        if not literal and _addressed(table):
            yield table[_BLOB]
        elif not literal and set(table) == {_LITERAL}:
            yield from named(table[_LITERAL], literal=True)
        else:
            for item in table.values():
                yield from named(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from named(item)


def _addressed(table: Mapping[str, Any]) -> bool:
    """Whether the table stands for a long text."""
    return set(table) == {_BLOB} and isinstance(table[_BLOB], str)


def json_bytes(value: Any) -> bytes:
    """Compact JSON in UTF-8; what UTF-8 or JSON cannot carry is escaped or spelled out, never an error."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (UnicodeEncodeError, ValueError, TypeError):
        return json.dumps(_storable(value), ensure_ascii=True, separators=(",", ":")).encode()


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _storable(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_storable(item) for item in cast("list[Any]", value)]
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    return str(value)
