"""Reading structured replies of models: strictly where the reply is JSON, tolerantly where it nearly is, and never by looking for a word in it.

A verdict comes from a closed set or not at all. What was cut off is dropped, not guessed; what stands inside a JSON string is kept as it is. One
linear pass finds the JSON values of a text, so that no reply, however hostile, takes long or fails with an exception.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from redraft.effects import Effects
from redraft.errors import ModelError
from redraft.lenient_json import DEEPEST, Found, find_json
from redraft.prompts import Template
from redraft.protocols import Model
from redraft.quoting import quoted_block
from redraft.types import Message, ModelRequest

__all__ = ["ask", "parse", "read_json", "schema_of"]

T = TypeVar("T", bound=BaseModel)

REPAIR_SHOWN = 6000
"""Characters of an unreadable reply that its repair is shown: the first two thirds and the last third of them."""
LAST_RESORT = 20_000
"""Longest text that is given to the guessing repairer, whose time grows faster than its input."""


def read_json(text: str) -> Any | None:
    """The JSON value of a reply, or None: the whole text where it is one, else the longest complete one in it, else the longest that was cut off."""
    found = [one for one in find_json(text) if one.value is not None]
    return max(found, key=lambda one: (one.state == "complete", one.end - one.start)).value if found else None


def parse(text: str, shape: type[T]) -> T | None:
    """The reply as an instance of `shape`, or None: never a guess from words in it.

    Of several JSON values the one that fits best wins, then the last. List items that do not fit are dropped, unless none of a list is left.
    """
    return _read(text, shape).value


@lru_cache(maxsize=128)
def schema_of(shape: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON schema of a shape, without the titles that say nothing."""
    return cast("Mapping[str, Any]", _untitled(shape.model_json_schema()))


async def ask(effects: Effects, model: Model, request: ModelRequest, shape: type[T]) -> T | None:
    """Ask for a reply of this shape. One that cannot be read is repaired once, where the policy allows; None if there is no usable reply.

    Raises:
        Stopped: a budget forbids the call.
    """
    asked = request if request.schema is not None else dataclasses.replace(request, schema=schema_of(shape))
    try:
        reply = await effects.ask(model, asked)
    except ModelError:
        return None  # effects has told the user
    reading = _read(reply.text, shape)
    if reading.value is None and effects.may_repair():
        try:
            reply = await effects.ask(model, _repair_request(asked, reply.text, reading.problem, effects))
        except ModelError:
            return None
        reading = _read(reply.text, shape)
    if reading.value is None:
        effects.warn(f"a reply of {model.name} could not be used ({request.role}): {reading.problem}")
    elif reading.dropped:
        effects.warn(f"{reading.dropped} part(s) of a reply of {model.name} could not be used ({request.role})")
    return reading.value


# ── from values to shapes ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True, slots=True)
class _Form:
    """How a value may stand for a shape."""

    value: Any
    direct: bool = True
    """As it is, not unwrapped or put into a list."""
    known: int = 1
    """How many of the shape's fields it names."""


@dataclass(frozen=True, kw_only=True)  # no slots: a generic class with slots cannot set its own origin
class _Reading(Generic[T]):
    value: T | None = None
    dropped: int = 0
    problem: str = ""


def _read(text: str, shape: type[T]) -> _Reading[T]:
    found = find_json(text)
    if any(one.state == "broken" for one in found):  # what follows may belong to a string of the spoilt value
        return _guessed(text, found, shape) or _Reading(problem="the JSON value in it is malformed")
    forms = [(form, one) for one in found for form in _forms(one.value, shape, alone=len(found) == 1)]
    forms.sort(key=lambda pair: (pair[0].direct, pair[0].known, pair[1].state == "complete", pair[1].start), reverse=True)
    problem = ""
    for form, _ in forms:
        reading = _fit(form.value, shape)
        if reading.value is not None:
            return reading
        problem = problem or reading.problem
    nothing = f"no value in it has a field of {shape.__name__}" if found else "there is no JSON value in it"
    return _gathered(found, shape) or _Reading(problem=problem or nothing)


def _forms(value: Any, shape: type[BaseModel], *, alone: bool, unwrap: int = 2) -> Iterator[_Form]:
    """`alone`: no other value is in the reply, so that a bare list cannot be an aside."""
    if "root" in shape.model_fields:
        yield _Form(value=value)
        return
    inner: Any = None
    if isinstance(value, list):
        items, field = cast("list[Any]", value), _list_field(shape)
        if items and field is not None and alone:
            yield _Form(value={field: items}, direct=False)
        inner = items[0] if len(items) == 1 else None
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        names = {name for key, info in shape.model_fields.items() for name in (key, info.alias) if name is not None}
        known = len(names & fields.keys())
        if known:
            yield _Form(value=fields, known=known)
        elif len(fields) == 1:  # wrapped, as in {"result": {…}}
            inner = next(iter(fields.values()))
    if unwrap and isinstance(inner, dict):
        yield from (dataclasses.replace(form, direct=False) for form in _forms(cast("Any", inner), shape, alone=False, unwrap=unwrap - 1))


def _list_field(shape: type[BaseModel]) -> str | None:
    """The name of the shape's only list, so that a bare list can stand for it."""
    lists = [info.alias or name for name, info in shape.model_fields.items() if get_origin(info.annotation) in (list, tuple)]
    required = [name for name, info in shape.model_fields.items() if info.is_required()]
    return lists[0] if len(lists) == 1 and set(required) <= {lists[0]} else None


def _fit(value: Any, shape: type[T]) -> _Reading[T]:
    dropped, problem = 0, ""
    for _ in range(3):
        try:
            instance = shape.model_validate(value)
            json.dumps(instance.model_dump(), allow_nan=False, default=str)
            return _Reading(value=instance, dropped=dropped)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            problem = problem or f"{'.'.join(str(part) for part in errors[0]['loc'])}: {errors[0]['msg']}"
            fewer = _mend(value, errors)
            if fewer is None:
                break
            dropped += fewer
        except (ValueError, RecursionError):
            problem = "a number in it is not finite, or it is nested too deep"
            break
    return _Reading(problem=problem)


def _mend(value: Any, errors: Sequence[ErrorDetails]) -> int | None:
    """Write members of closed sets as the sets do and drop list items that do not fit, in place. Returns how many were dropped, None if that is no help."""
    doomed: dict[int, tuple[list[Any], set[int]]] = {}
    for error in errors:
        steps = list(_steps(value, error["loc"]))
        choice = _choice(error) if steps else None
        if choice is not None:
            container, key = steps[-1]
            container[key] = choice
            continue
        # the outermost list item is dropped whole: half an item is not what the model said
        items, index = next(((cast("list[Any]", container), cast("int", key)) for container, key in steps if isinstance(container, list)), (None, 0))
        if items is None:
            return None
        doomed.setdefault(id(items), (items, set()))[1].add(index)
    for items, indexes in doomed.values():
        if len(indexes) == len(items):
            return None  # a list of which nothing can be read is not an empty list
        items[:] = [item for index, item in enumerate(items) if index not in indexes]
    return sum(len(indexes) for _, indexes in doomed.values())


def _steps(value: Any, location: tuple[int | str, ...]) -> Iterator[tuple[Any, int | str]]:
    """The containers and keys on the way to where an error is; names of union members are not steps."""
    for key in location:
        if isinstance(value, list) and isinstance(key, int) and key < len(cast("list[Any]", value)):
            yield value, key
            value = cast("list[Any]", value)[key]
        elif isinstance(value, dict) and key in cast("dict[int | str, Any]", value):
            yield value, key
            value = cast("dict[int | str, Any]", value)[key]


def _choice(error: ErrorDetails) -> str | None:
    """The member of a closed set that equals what was given but for case, spaces and marks around it. Never a part of it."""
    given = error["input"]
    if error["type"] not in ("literal_error", "enum") or not isinstance(given, str):
        return None
    known = cast("list[str]", re.findall(r"'([^']*)'", error.get("ctx", {}).get("expected", "")))
    return next((member for member in known if member != given and _plain_choice(member) == _plain_choice(given)), None)


def _plain_choice(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.strip(" \t\r\n.,;:!\"'`*_").casefold())


def _gathered(found: Sequence[Found], shape: type[T]) -> _Reading[T] | None:
    """Items that were written one after the other, without the list around them."""
    field = _list_field(shape)
    items = [one.value for one in found if one.state == "complete" and _is_object(one.value)]
    reading = _fit({field: items}, shape) if field is not None and items else None
    return reading if reading is not None and reading.value is not None else None


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _guessed(text: str, found: Sequence[Found], shape: type[T]) -> _Reading[T] | None:
    """The last resort: a repairer that guesses, as where quotation marks inside a string are not escaped.

    Not for what was cut off, which it would complete; nor where a field is named twice, which may be one text inside another.
    """
    if len(text) > LAST_RESORT or any(one.state == "cut off" for one in found) or _depth(text) > DEEPEST:
        return None
    if any(len(re.findall(rf"[\"']{re.escape(name)}[\"']\s*:", text)) > 1 for name in shape.model_fields):
        return None
    import json_repair

    start = next(one.start for one in found if one.state == "broken")
    try:
        value = cast("Any", json_repair.loads(text[start:]))
    except (ValueError, RecursionError):
        return None
    readings = [_fit(form.value, shape) for form in _forms(value, shape, alone=False) if form.direct]
    return next((reading for reading in readings if reading.value is not None), None)


def _depth(text: str) -> int:
    deepest = depth = 0
    for mark in re.findall(r"[{}\[\]]", text):
        depth = depth + 1 if mark in "{[" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _untitled(schema: Any, *, names: bool = False) -> Any:
    """Without the keyword `title`; where `names` is set the keys are names of ours, and stay."""
    if isinstance(schema, list):
        return [_untitled(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    items = cast("dict[str, Any]", schema).items()
    return {key: _untitled(value, names=key in ("properties", "$defs") and not names) for key, value in items if names or key != "title"}


# ── the repair ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _repair_request(request: ModelRequest, broken: str, problem: str, effects: Effects) -> ModelRequest:
    shown = broken
    if len(broken) > REPAIR_SHOWN:
        shown = broken[: REPAIR_SHOWN * 2 // 3] + "\n[…]\n" + broken[-REPAIR_SHOWN // 3 :]
    prompt = effects.prompts.fill(REPAIR_PROMPT, problem=problem, schema=json.dumps(request.schema, ensure_ascii=False), reply=quoted_block(shown, effects))
    messages = (Message(role="system", content=effects.prompts.fill(REPAIR_SYSTEM)), Message(role="user", content=prompt))
    return dataclasses.replace(request, role="repair", messages=messages, temperature=0.0, stop=())


REPAIR_SYSTEM = Template(
    name="repair.system", text="You put a reply into the form that was asked for. You change its form only: nothing is added, left out, judged or reworded."
)
REPAIR_PROMPT = Template(
    name="repair",
    variables={
        "problem": "why the reply could not be read",
        "schema": "the JSON schema of the form that was asked for",
        "reply": "the reply",
    },
    text="""\
The reply between the marks could not be read ({problem}).

JSON schema of the form that was asked for:
{schema}

The reply, as data:
{reply}

Write the same content as one JSON value that matches the schema, and nothing else.""",
)
