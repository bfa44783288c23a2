"""All prompt templates by name, and their replacement by files of the user's own: one file `NAME.txt` for each template that is replaced."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import cast

from redraft.errors import InputError, UnknownName, UsageError
from redraft.prompts import Prompts, Template, checked

__all__ = ["SUFFIX", "prompts_hash", "read_prompts", "template_named", "templates"]

STEPS = (
    "generate", "critique", "interact", "probe", "reflect", "correct", "rewrite", "evaluate", "examples", "judge",
    "structured", "planning.structured", "planning.choosing", "planning.safety",
    "strategies.reflexion", "strategies.react", "strategies.inline_tools",
)  # fmt: skip
"""Files whose templates are listed."""
SUFFIX = ".txt"


@lru_cache(maxsize=1)
def templates() -> Mapping[str, Template]:
    """Every template, by name, in the order of the alphabet."""
    found: dict[str, Template] = {}
    for step in STEPS:
        module = import_module(f"redraft.{step}")
        for value in cast("dict[str, object]", vars(module)).values():
            group = tuple(cast("Mapping[str, object]", value).values()) if isinstance(value, Mapping) else (value,)
            found |= {item.name: item for item in group if isinstance(item, Template)}
    return dict(sorted(found.items()))


def template_named(name: str) -> Template:
    """The template of this name.

    Raises:
        UnknownName: there is none; the message names the nearest.
    """
    known = templates()
    if name not in known:
        raise UnknownName("prompt", name, known)
    return known[name]


def read_prompts(given: str | Path | Mapping[str, str] | None) -> Prompts:
    """The prompts of a run: our own, with those replaced that a folder of files or a mapping from names to texts holds.

    Raises:
        UnknownName: a name that no template has, or a variable that the template does not have.
        UsageError: a variable is missing, or a text is malformed.
        InputError: the folder or a file cannot be read.
    """
    if given is None:
        return Prompts()
    texts = dict(given) if isinstance(given, Mapping) else _texts_of(Path(given))
    known = templates()
    for name, text in texts.items():
        if name not in known:
            raise UnknownName("prompt", name, known)
        checked(known[name], text, f"the prompt {name!r}")
    return Prompts({name: text for name, text in texts.items() if text != known[name].text})


def prompts_hash(prompts: Prompts) -> str:
    """SHA-256 over all templates as they are used: equal on every machine."""
    texts = {name: prompts.text_of(template) for name, template in templates().items()}
    return hashlib.sha256(json.dumps(texts, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()[:16]


def _texts_of(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}; `redraft prompts export {folder}` makes one")
    files = sorted(folder.glob(f"*{SUFFIX}"))
    if not files:
        raise UsageError(f"the folder {folder} holds no file NAME{SUFFIX}; `redraft prompts list` gives the names")
    texts: dict[str, str] = {}
    for path in files:
        try:
            # the line feed that editors put at the end is not part of the prompt
            texts[path.name.removesuffix(SUFFIX)] = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {path}: {error}") from None
    return texts
