"""Small wordings that several commands share."""

from __future__ import annotations

import json
import re
import sys

__all__ = ["counted", "json_text"]


def counted(number: int, noun: str) -> str:
    """ "1 turn", "2 turns", "1,200 model calls"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def json_text(value: object, *, indent: int | None = None) -> str:
    """JSON with letters as they are, where standard output is UTF-8; what no terminal should be sent (controls, marks of direction) stays escaped."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "").replace("_", "")
    text = json.dumps(value, indent=indent, ensure_ascii=encoding not in ("utf8", "utf8sig"))
    return _NOT_ASCII.sub(lambda match: match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1], text)


_NOT_ASCII = re.compile(r"[^\x00-\x7e]")
