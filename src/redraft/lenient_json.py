"""JSON values in the text of a model: read strictly where they are JSON, tolerantly where they nearly are.

One linear pass finds the outermost values of a text, so that no text, however hostile, takes long or fails with an exception. What was cut off is
dropped, not guessed; what stands inside a JSON string is kept as it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

__all__ = ["DEEPEST", "OPENING", "Found", "find_json"]

DEEPEST = 100
"""Nesting beyond this is no reply to anything that we ask."""
MOST_STARTS = 4000
"""A text with more opening brackets outside of values is not a reply either."""
LONGEST_NUMBER = 400

TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+)
      | (?P<comment>//[^\n]*|\#[^\n]*)
      | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])
      | (?P<word>[A-Za-z_$][\w$]*)
      | (?P<mark>[{}\[\]:,])""",
    re.VERBOSE | re.DOTALL,
)
OPENING = re.compile(r"[{\[]")
LITERALS: Mapping[str, Any] = {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    "null": None, "None": None, "undefined": None, "NaN": None, "Infinity": None,
}  # fmt: skip
THINKING = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "analysis", "scratchpad")
THINKS = re.compile(r"\s*<(" + "|".join(THINKING) + r")>", re.IGNORECASE)
THOUGHT = re.compile(r"</(?:" + "|".join(THINKING) + r")>", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A place in a text where a JSON object or list begins, and what became of it."""

    state: Literal["complete", "cut off", "broken"]
    """`cut off`: the text ended first, and the value is what was complete of it. `broken`: it began as an object and then was none."""
    value: Any
    """None where nothing of it could be read."""
    start: int
    end: int


def find_json(text: str) -> list[Found]:
    """All outermost JSON objects and lists of a text, in order, and the places where one was begun and spoilt."""
    text = text.removeprefix("\ufeff")
    try:
        value = json.loads(text, strict=False, parse_constant=lambda name: None, parse_float=_number)
        return [Found(state="complete", value=value, start=0, end=len(text))]
    except (ValueError, RecursionError):
        pass  # not JSON as it stands: that is what the rest of this file is for
    found: list[Found] = []
    opening = OPENING.search(text, _after_thoughts(text))
    starts = 0
    while opening is not None and starts < MOST_STARTS:
        starts += 1
        scan = _Scan(text, opening.start())
        end = scan.run()
        if scan.result is not None:
            found.append(scan.result)
        opening = OPENING.search(text, max(end, opening.end()))
    return found


def _after_thoughts(text: str) -> int:
    """Where the reply begins: after what a model thought aloud. Thoughts that never ended are followed by nothing."""
    thinks = THINKS.match(text)
    position = 0
    while thinks is not None:
        thought = THOUGHT.search(text, thinks.end())
        if thought is None:
            return len(text)
        position = thought.end()
        thinks = THINKS.match(text, position)
    first = OPENING.search(text, position)
    unopened = THOUGHT.search(text, position, len(text) if first is None else first.start())
    return position if unopened is None else unopened.end()


@dataclass(slots=True)
class _Frame:
    container: dict[str, Any] | list[Any]
    expects: str
    """`key`, `colon`, `value` or `comma`; a closing mark may stand for a key, a comma, or a value of a list."""
    key: str = ""


class _Scan:
    """One JSON value, read with tolerance: comments, trailing commas, single quotes, bare keys, Python's literals, line breaks inside strings."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start
        self.frames: list[_Frame] = []
        self.value: Any = None
        self.result: Found | None = None

    def run(self) -> int:
        """Read on until the value ends, the text ends, or what stands there cannot be JSON. Returns where reading stopped."""
        position, text = self.start, self.text
        while position < len(text):
            if text.startswith("/*", position):
                ends = text.find("*/", position)
                if ends < 0:
                    break
                position = ends + 2
                continue
            token = TOKEN.match(text, position)
            if token is None:
                if text[position] in "\"'" or (text[position] in "-+." and position + 1 == len(text)):
                    break  # a string or a number that was cut off
                return self._spoilt(position)
            kind, written = cast("str", token.lastgroup), token.group()
            if token.end() == len(text) and kind in ("number", "word") and self.frames:
                break  # more of it may have been cut off
            if kind not in ("space", "comment") and not self._take(kind, written):
                return self._spoilt(position)
            position = token.end()
            if not self.frames:
                self.result = Found(state="complete", value=self.value, start=self.start, end=position)
                return position
        self._cut_off()
        return len(text)

    def _spoilt(self, position: int) -> int:
        """An object of which a key was read was meant as a value; a bracket in prose was not."""
        if any(frame.expects != "key" or frame.container for frame in self.frames if isinstance(frame.container, dict)):
            self.result = Found(state="broken", value=None, start=self.start, end=position)
        return position

    def _take(self, kind: str, written: str) -> bool:
        """Take one token; False if it cannot stand here."""
        top = self.frames[-1] if self.frames else None
        if kind == "mark":
            return self._mark(written, top)
        if top is None:
            return False
        if top.expects == "key" and kind in ("string", "word"):
            key = _string(written) if kind == "string" else written
            if key is None:
                return False
            top.key, top.expects = key, "colon"
            return True
        if top.expects != "value":
            return False
        if kind == "word":
            return written in LITERALS and self._put(LITERALS[written])
        value = _string(written) if kind == "string" else _number(written)
        return value is not None and self._put(value)

    def _mark(self, mark: str, top: _Frame | None) -> bool:
        if mark in "{[":
            if (top is not None and top.expects != "value") or len(self.frames) >= DEEPEST:
                return False
            self.frames.append(_Frame({}, "key") if mark == "{" else _Frame([], "value"))
            return True
        if top is None:
            return False
        if mark == ":":
            fits, top.expects = top.expects == "colon", "value"
            return fits
        if mark == ",":
            fits, top.expects = top.expects == "comma", "key" if isinstance(top.container, dict) else "value"
            return fits
        listed = isinstance(top.container, list)
        if listed != (mark == "]") or top.expects not in (("value", "comma") if listed else ("key", "comma")):
            return False
        self.frames.pop()
        return self._put(top.container)

    def _put(self, value: Any) -> bool:
        if not self.frames:
            self.value = value
            return True
        top = self.frames[-1]
        if isinstance(top.container, list):
            top.container.append(value)
        else:
            top.container[top.key] = value
        top.expects = "comma"
        return True

    def _cut_off(self) -> None:
        """Keep what was complete: whole members, whole list items. An item is kept whole or not at all, and a list without one is not an empty list."""
        kept: dict[str, Any] | list[Any] | None = None
        for depth in range(len(self.frames) - 1, -1, -1):
            frame = self.frames[depth]
            if kept is not None and isinstance(frame.container, dict):
                frame.container[frame.key] = kept
            item = depth > 0 and isinstance(self.frames[depth - 1].container, list)
            kept = None if item or not frame.container else frame.container
        self.result = Found(state="cut off", value=kept, start=self.start, end=len(self.text))


def _string(written: str) -> str | None:
    if written[0] == "'":
        written = '"' + re.sub(r'(?<!\\)"', r"\"", written[1:-1].replace("\\'", "'")) + '"'
    for attempt in (written, re.sub(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})', r"\\\\", written)):
        try:
            return json.loads(attempt, strict=False)
        except ValueError:
            continue
    return None


def _number(written: str) -> int | float | None:
    """None for what is no finite number, or has more digits than any reply of ours needs."""
    if len(written) > LONGEST_NUMBER:
        return None
    try:
        return int(written)
    except ValueError:
        number = float(written)
        return number if math.isfinite(number) else None
