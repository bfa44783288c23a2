"""Task rows: JSON lines in, tasks out, with the gold kept apart.

A `Row` holds the `Task`, which is all that the loop, the tools and the models ever get, and beside it the `Gold`, which only metrics read.
A row that cannot be used becomes a `BadRow` with its line number; nothing is dropped silently.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from redraft.errors import InputError
from redraft.types import Task, TaskKind

__all__ = ["EXAMPLE_ROW", "BadRow", "Gold", "Line", "Row", "Shape", "read_lines", "read_rows", "row_from_mapping", "rows_from"]

Line = tuple[int, Mapping[str, Any]]
"""An object of a file, with the number of its line."""
Shape = Callable[[Mapping[str, Any]], Sequence[Mapping[str, Any]]]
"""Gives the rows in our own format for an object of another one; raises InputError where it is none."""

KINDS: tuple[str, ...] = get_args(TaskKind)
KNOWN = frozenset({"id", "query", "answer", "answers", "kind", "context", "documents", "tables", "tests", "hidden_tests", "hidden_setup"})
LARGEST_LINE = 8 << 20
EXAMPLE_ROW = '{"id": "q1", "query": "What is 17% of 2,340?", "answer": "397", "answers": ["397.8"], "kind": "math"}'
"""One line of a file of rows, for help and messages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Gold:
    """What only metrics may read."""

    answers: tuple[str, ...] = ()
    hidden_tests: str = ""
    hidden_setup: str = ""
    """Code that stands before the answer where the hidden tests run: imports, functions that are given, the head of the function that is asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One usable row. `key` addresses its content, so that a changed row counts as a new one when an evaluation resumes."""

    id: str
    line: int
    key: str
    task: Task
    gold: Gold
    extra: Mapping[str, Any]
    """Unknown keys, copied to the output row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BadRow:
    """A line that cannot be used, and why."""

    line: int
    message: str


def read_rows(path: Path, *, forbidden: Iterable[Path] = ()) -> tuple[list[Row], list[BadRow]]:
    """All rows of a file of our own format, in order, and the lines that are none.

    Relative paths in a row count from the folder of the file, or else from the current folder. Evidence must not contain the gold: a row whose
    documents include the file itself, or one of `forbidden`, is bad.

    Raises:
        InputError: the file cannot be read, is not UTF-8 text, or is empty.
    """
    lines, unreadable = read_lines(path)
    rows, bad = rows_from(lines, path, forbidden=forbidden)
    return rows, sorted((*unreadable, *bad), key=lambda item: item.line)


def read_lines(path: Path) -> tuple[list[Line], list[BadRow]]:
    """The objects of a file of JSON lines, or of one JSON array of objects, each with its line (in an array: its place, from 1).

    Raises:
        InputError: the file cannot be read, is not UTF-8 text, or is empty.
    """
    text = _read(path)
    array = _array(text)
    if array is not None:
        objects = [(place, cast("Mapping[str, Any]", item)) for place, item in enumerate(array, start=1) if isinstance(item, dict)]
        return objects, [BadRow(line=place, message="not a JSON object") for place, item in enumerate(array, start=1) if not isinstance(item, dict)]
    lines = list[Line]()
    bad = list[BadRow]()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            lines.append((number, _parse(line)))
        except InputError as error:
            bad.append(BadRow(line=number, message=str(error)))
    if not lines and not bad:
        raise InputError(f"{path} is empty; give a file of JSON lines, one task a line")
    return lines, bad


def rows_from(lines: Iterable[Line], path: Path, *, forbidden: Iterable[Path] = (), shape: Shape | None = None) -> tuple[list[Row], list[BadRow]]:
    """The rows that the objects of the file at `path` are, and those that are none. `shape` gives our rows for an object of another format."""
    rows: list[Row] = []
    bad: list[BadRow] = []
    seen: dict[str, int] = {}
    private = (path.resolve(), *(item.resolve() for item in forbidden))
    for number, values in lines:
        try:
            found = [row_from_mapping(item, line=number, folder=path.parent) for item in ((values,) if shape is None else shape(values))]
            for row in found:
                _keep_gold_out(row.task, private)
        except InputError as error:
            bad.append(BadRow(line=number, message=str(error)))
            continue
        if len(found) > 1:
            found = [row if row.id != str(number) else dataclasses.replace(row, id=f"{number}.{place}") for place, row in enumerate(found, start=1)]
        for row in found:
            seen[row.key] = occurrence = seen.get(row.key, 0) + 1
            rows.append(row if occurrence == 1 else dataclasses.replace(row, key=f"{row.key}-{occurrence}"))
    return rows, bad


def row_from_mapping(values: Mapping[str, Any], *, line: int = 0, folder: Path = Path(".")) -> Row:
    """One row from its JSON object.

    Raises:
        InputError: a value is missing or of the wrong type; the message names the key.
    """
    query = _text(values, "query")
    if not query.strip():
        raise InputError("'query' is missing or empty")
    kind = _text(values, "kind") or ("code" if values.get("tests") or values.get("hidden_tests") else "qa")
    if kind not in KINDS:
        raise InputError(f"'kind' is {kind!r}; it must be one of {', '.join(KINDS)}")
    given = values.get("answer")
    if given is not None and not isinstance(given, str):
        given = _figure(given, "answer")
    task = Task(
        query=query,
        kind=cast("TaskKind", kind),
        answer=given,
        context=_text(values, "context"),
        documents=_paths(values, "documents", folder),
        tables=_paths(values, "tables", folder),
        tests=_text(values, "tests"),
    )
    gold = Gold(answers=_answers(values), hidden_tests=_text(values, "hidden_tests"), hidden_setup=_text(values, "hidden_setup"))
    canonical = json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    key = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    name = values.get("id")
    extra = {key: value for key, value in values.items() if key not in KNOWN}
    return Row(id=str(name) if name is not None else str(line), line=line, key=key, task=task, gold=gold, extra=extra)


def _read(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; give a file of JSON lines, one task a line") from None
    if b"\x00" in content:
        raise InputError(f"{path} is a binary file; give a file of JSON lines, one task a line")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}); convert it to UTF-8") from None


def _array(text: str) -> list[object] | None:
    """The items of a file that is one JSON array of objects, or one object that holds such an array under `Data`; None for JSON lines."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        value = next((held for name, held in cast("dict[str, Any]", value).items() if name.lower() == "data"), None)
    items = cast("list[object]", value) if isinstance(value, list) else []
    return items if items and isinstance(items[0], dict) else None


def _parse(line: str) -> Mapping[str, Any]:
    if len(line) > LARGEST_LINE:
        raise InputError(f"the line is longer than {LARGEST_LINE >> 20} MB")
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {getattr(error, 'msg', 'nested too deeply')}") from None
    if not isinstance(value, dict):
        raise InputError("not a JSON object")
    return cast("dict[str, Any]", value)


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{key!r} must be text")
    return value


def _figure(value: object, key: str) -> str:
    """A JSON number where a text is expected is taken as it is written; anything else is refused."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{key!r} must be text")
    return repr(value)


def _answers(values: Mapping[str, Any]) -> tuple[str, ...]:
    value = values.get("answers")
    if value is None:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    return tuple(item if isinstance(item, str) else _figure(item, "answers") for item in items)


def _paths(values: Mapping[str, Any], key: str, folder: Path) -> tuple[str, ...]:
    value = values.get(key)
    if value is None:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    paths: list[str] = []
    for item in items:
        if not isinstance(item, str) or not item or "\x00" in item:
            raise InputError(f"{key!r} must be a list of paths")
        beside = folder / item
        found = beside if beside.exists() else Path(item)
        if not found.exists():
            raise InputError(f"{key!r}: there is no {item!r} in {folder} or in the current folder")
        paths.append(str(found))
    return tuple(paths)


def _keep_gold_out(task: Task, private: tuple[Path, ...]) -> None:
    for item in (*task.documents, *task.tables):
        place = Path(item).resolve()
        for path in private:
            if path == place or place in path.parents:
                raise InputError(f"{item!r} contains {path.name}, which holds the gold answers; keep evidence in a folder of its own")
