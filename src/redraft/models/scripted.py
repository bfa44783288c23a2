"""The shipped fake: answers written beforehand, given in order. For tests and demonstrations, ours and yours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from redraft import errors
from redraft.errors import InputError, ModelBroken, ModelError
from redraft.types import Ability, ModelReply, ModelRequest, Role

__all__ = ["Reply", "ScriptedModel", "read_script"]

FAILURES: dict[str, type[ModelError]] = {
    "unreachable": errors.ModelUnreachable,
    "denied": errors.ModelDenied,
    "quota": errors.ModelQuota,
    "refused": errors.ModelRefused,
    "broken": errors.ModelBroken,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One answer of the script. With `role` or `contains` it is kept for the first request that has that role and contains those words."""

    text: str = ""
    role: Role | None = None
    contains: str | None = None
    error: str | None = None
    """Instead of an answer, fail: `unreachable`, `denied`, `quota`, `refused` or `broken`."""

    def fits(self, request: ModelRequest) -> bool:
        """Whether this answer may be given to the request."""
        if self.role is not None and request.role != self.role:
            return False
        return self.contains is None or any(self.contains in message.content for message in request.messages)


Line = str | Reply | Exception | Callable[[ModelRequest], str]


class ScriptedModel:
    """Gives each request the first unused answer that fits it, and keeps what it was asked in `requests`.

    An answer may be a text, a `Reply` with conditions, an exception to raise, or a function of the request.
    """

    def __init__(self, replies: Sequence[Line], ability: Ability = "capable", name: str = "scripted") -> None:
        self.name = name
        self.ability: Ability = ability
        self.requests: list[ModelRequest] = []
        self._left: list[Line] = list(replies)
        self._total = len(self._left)

    @property
    def left(self) -> int:
        """How many answers have not been used."""
        return len(self._left)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The next answer that fits the request. Tokens are counted as words, so that budgets can be tried.

        Raises:
            ModelError: the script says so, or has no answer left for this request.
        """
        self.requests.append(request)
        place = next((i for i, line in enumerate(self._left) if not isinstance(line, Reply) or line.fits(request)), None)
        if place is None:
            unused = f"{len(self._left)} of its {self._total} answers are left, and none fits" if self._left else f"all of its {self._total} answers were used"
            raise ModelBroken(f"the script of {self.name} has no answer for request {len(self.requests)} ({request.role}): {unused}")
        line = self._left.pop(place)
        if isinstance(line, Exception):
            raise line
        if isinstance(line, Reply) and line.error is not None:
            raise FAILURES[line.error](line.text or f"the script says: {line.error}")
        text = line if isinstance(line, str) else line.text if isinstance(line, Reply) else line(request)
        words = sum(len(message.content.split()) for message in request.messages)
        return ModelReply(text=text, input_tokens=words, output_tokens=len(text.split()), cost_usd=0.0, model=self.name)

    async def close(self) -> None:
        """Nothing to release."""


def read_script(path: str | Path) -> list[Line]:
    """The answers of a JSON lines file: each line a string, or an object with `text` and, where wanted, `role`, `contains`, `error`.

    Raises:
        InputError: the file cannot be read, or a line is neither; the line is named.
    """
    try:
        content = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(f"cannot read the script {path}: {error}") from None
    # split at line feeds only: a JSON string may hold the other line separators of Unicode as they are
    numbered = [(number, line) for number, line in enumerate(content.split("\n"), start=1) if line.strip()]
    if not numbered:
        raise InputError(f"the script {path} is empty; each line is a JSON string or an object with a text")
    return [_line(line, f"{path}, line {number}") for number, line in numbered]


def _line(text: str, where: str) -> Line:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error})") from None
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise InputError(f"{where}: a JSON string or an object with a text is wanted")
    fields = cast("dict[str, Any]", value)
    for key, item in fields.items():
        if key not in ("text", "role", "contains", "error"):
            raise InputError(f"{where}: unknown key {key!r}; known: text, role, contains, error")
        if not isinstance(item, str):
            raise InputError(f"{where}: {key} must be a string")
    _one_of(fields.get("role"), get_args(Role), f"{where}: role")
    _one_of(fields.get("error"), FAILURES, f"{where}: error")
    if "text" not in fields and "error" not in fields:
        raise InputError(f"{where}: neither a text nor an error")
    return Reply(**fields)


def _one_of(value: str | None, known: Iterable[str], where: str) -> None:
    names = list(known)
    if value is not None and value not in names:
        raise InputError(f"{where} {value!r} is not known; one of: {', '.join(names)}")
