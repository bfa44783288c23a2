"""Runs one program: what it prints goes to standard output, the value of its last expression or its error to the report.

Started as `program.run(descriptor of the report)`, with the source on standard input.
"""

# pyright: basic
# Values of unknown programs pass through here: there is nothing to say of their types

from __future__ import annotations

import ast
import io
import json
import os
import sys
import traceback
from typing import Any

__all__ = ["run"]

SHOWN = 60_000


def run(report: int) -> None:
    """Run the program on standard input as `__main__`, in one set of globals."""
    source = sys.stdin.read()
    sys.stdin = io.StringIO()
    result = _execute(source)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # the program closed it
        result.setdefault("error", None)
    with os.fdopen(report, "w", encoding="utf-8", errors="replace") as lines:
        lines.write(json.dumps(result))


def _execute(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    try:
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "program.py", "exec"), names)
        if last is None:
            return {}
        assert isinstance(last, ast.Expr)
        value = eval(compile(ast.Expression(last.value), "program.py", "eval"), names)
        return {} if value is None else {"value": repr(value)[:SHOWN]}
    except SystemExit as error:
        return {} if error.code in (None, 0) else {"error": ["SystemExit", str(error.code)[:500], None]}
    except BaseException as error:  # whatever ends the program is its result
        return {"error": [type(error).__name__, _text(error), _line(error)]}


def _text(error: BaseException) -> str:
    try:
        return (error.msg if isinstance(error, SyntaxError) else str(error))[:500]
    except Exception:  # an exception whose text raises
        return ""


def _line(error: BaseException) -> int | None:
    if isinstance(error, SyntaxError) and error.filename in ("<unknown>", "program.py"):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__, limit=-500) if frame.filename == "program.py"]
    return lines[-1] if lines else None
