"""Reading `name(argument, …)`, the input of the date and text tools: literals only, parsed and never evaluated."""

from __future__ import annotations

import ast
import re

from redraft.types import FailureKind

__all__ = ["CallError", "read_call"]

MAX_CHARACTERS = 100_000
BARE_DATE = re.compile(r"(?<![\w\"'./-])(\d{4}-\d{1,2}-\d{1,2})(?![\w\"'-])")


class CallError(ValueError):
    """The input is no call that the tool can make; `kind` says which failure it is."""

    def __init__(self, message: str, kind: FailureKind = "bad_input") -> None:
        self.kind: FailureKind = kind
        super().__init__(message)


def read_call(text: str) -> tuple[str, tuple[str | int, ...]]:
    """Name and arguments; dates like 2024-03-01 need no quotation marks.

    Raises:
        CallError: it is anything but one call with texts and whole numbers.
    """
    if len(text) > MAX_CHARACTERS:
        raise CallError(f"at most {MAX_CHARACTERS} characters are taken", "too_large")
    source = text.strip()
    if not source:
        raise CallError("the input is empty", "empty")
    head = source[: source.find("(") + 1]
    if not re.fullmatch(r"[A-Za-z_]\w*\s*\(", head):
        raise CallError('write a call, such as name("text", 3)')
    if '"' not in source and "'" not in source:
        source = BARE_DATE.sub(r'"\1"', source)
    try:
        node = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        node = ast.parse("0", mode="eval").body
        quoted = BARE_DATE.sub(r'"\1"', source)
        if quoted != source:
            try:
                node = ast.parse(quoted, mode="eval").body
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                raise CallError('the call is not well formed; texts stand in quotation marks: name("text", 3)') from None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        raise CallError('the call is not well formed; texts stand in quotation marks: name("text", 3)')
    return node.func.id, tuple(argument(item) for item in node.args)


def argument(node: ast.expr) -> str | int:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and sign == 1:
            return node.value
        if type(node.value) is int:
            return sign * node.value
    raise CallError("the arguments are texts in quotation marks, dates and whole numbers only")
