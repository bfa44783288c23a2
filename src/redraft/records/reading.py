"""Stored payloads back to events: the types say what each field was. Fields that a later version added take their default, those it knows not are left out.

That the chain of a record holds says who wrote nothing: anybody can hash anything. So nothing is taken for what it is not, here, for all who read records.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, cast, get_args

from redraft import events
from redraft.errors import InputError
from redraft.events import Decided, Event, ModelCalled, StoppedRun, ToolCalled
from redraft.trace import Record
from redraft.types import Status

__all__ = ["event_of", "events_of", "restored"]

Reader = Callable[[Any], Any]
EVENTS: Mapping[str, type[Event]] = {
    kind.type: kind for name in events.__all__ if isinstance(kind := getattr(events, name), type) and issubclass(kind, Event) and kind.type
}
"""The types of events by their tag."""
LONGEST_SECONDS = 1e9
LARGEST_INTEGER = 2**63


def events_of(records: Sequence[Record]) -> list[Event]:
    """The events of a record, in order.

    Raises:
        InputError: one of them is of a kind that this version does not know; its number is named.
    """
    return [event_of(record.payload, record.seq) for record in records]


def event_of(payload: Mapping[str, Any], seq: int = 0) -> Event:
    """The event of one payload.

    Raises:
        InputError: it is none.
    """
    kind = EVENTS.get(str(payload.get("type")))
    if kind is None:
        raise InputError(f"record {seq} is of the kind {payload.get('type')!r}, which this version of redraft does not know; update it")
    try:
        event: Event = restored(kind, payload)
        _possible(event)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise InputError(f"record {seq} is no {kind.type!r} event: {error}") from None
    return event


def _possible(event: Event) -> None:
    """Times can be added to a date, and the repaired claims of a decision are names.

    Raises:
        ValueError: they are not.
    """
    match event:
        case Decided():
            fixed = event.decision.figures.get("fixed", [])
            if not all(isinstance(name, str) for name in _list(fixed)):
                raise ValueError("what a rewrite repaired is no list of claims")
            return
        case ModelCalled() | ToolCalled():
            times = (event.started_seconds, event.seconds)
        case StoppedRun():
            if event.status not in get_args(Status):
                raise ValueError(f"{event.status!r:.60} is no status of a run")
            times = (event.usage.seconds,)
        case _:
            return
    wrong = next((one for one in times if not 0 <= one <= LONGEST_SECONDS), None)
    if wrong is not None:
        raise ValueError(f"{wrong} is no time in seconds")


def restored(kind: Any, value: Any) -> Any:
    """A value of this type from JSON values, as `events.plain` wrote them."""
    return _reader(kind)(value)


@cache
def _reader(kind: Any) -> Reader:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _dataclass_reader(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _union_reader(inner)
    if origin is tuple:
        return _tuple_reader(inner)
    if origin is frozenset:
        return lambda value: frozenset(map(_reader(inner[0]), _list(value)))
    if origin in (dict, collections.abc.Mapping):
        return _mapping_reader(inner[1])
    if kind is float:
        return _float
    if kind is int:
        return _int
    if kind in (str, bool):
        return lambda value: value if isinstance(value, kind) else _unlike(value, kind.__name__)
    if origin is Literal:
        known = frozenset(inner)
        return lambda value: value if isinstance(value, str | int) and value in known else _unlike(value, f"one of {', '.join(map(str, inner))}")
    if kind in (Any, type(None)):
        return _same
    raise TypeError(f"no way to read {kind}")


def _same(value: Any) -> Any:
    return value


def _float(value: Any) -> float:
    """A number; what JSON cannot carry was spelled out."""
    return float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else _unlike(value, "number")


def _int(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_INTEGER else _unlike(value, "integer")


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else _unlike(value, "list")


def _unlike(value: Any, wanted: str) -> typing.NoReturn:
    raise TypeError(f"{wanted} expected, not {repr(value)[:60]}")


def _dataclass_reader(kind: type) -> Reader:
    hints = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]))
    readers: dict[str, Reader] = {}

    def read(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise TypeError(f"{kind.__name__} is a table, not {value!r:.60}")
        if not readers:  # made at the first use, because types may name each other
            readers.update({item.name: _reader(hints[item.name]) for item in dataclasses.fields(kind) if item.init})
        table = cast("Mapping[str, Any]", value)
        return kind(**{name: reader(table[name]) for name, reader in readers.items() if name in table})

    return read


def _union_reader(kinds: Sequence[Any]) -> Reader:
    others = [kind for kind in kinds if kind is not type(None)]
    if len(others) == 1:
        reader = _reader(others[0])
        return lambda value: None if value is None else reader(value)
    return _same


def _tuple_reader(kinds: Sequence[Any]) -> Reader:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        reader = _reader(kinds[0])
        return lambda value: tuple(map(reader, _list(value)))
    readers = [_reader(kind) for kind in kinds]
    return lambda value: tuple(reader(item) for reader, item in zip(readers, _list(value), strict=True))


def _mapping_reader(kind: Any) -> Reader:
    reader = _reader(kind)
    return lambda value: {str(key): reader(item) for key, item in value.items()}
