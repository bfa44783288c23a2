"""How people write arithmetic, put into Python's spelling: `17% of 2,340` becomes `17/100*2340`, 0.5 becomes (5/10), × becomes *.

What can be read in two ways is refused: `1,5`, `max(1,200)`, `200 + 10%`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from redraft.types import FailureKind

__all__ = ["MAX_DIGITS", "ExpressionError", "readable"]

MAX_CHARACTERS = 2000
MAX_DIGITS = 4000
"""Of a literal or a result, so that it can be written out (Python refuses more than 4300 digits)."""


class ExpressionError(ValueError):
    """The expression cannot be evaluated; `kind` says which failure it is."""

    def __init__(self, message: str, kind: FailureKind = "bad_input") -> None:
        self.kind: FailureKind = kind
        super().__init__(message)


# Reading: what people write becomes what Python parses.

SPELLINGS = str.maketrans(
    {
        "×": "*", "·": "*", "∙": "*", "⋅": "*", "✕": "*", "✖": "*", "∗": "*", "＊": "*", "÷": "/", "∕": "/", "⁄": "/", "／": "/", "−": "-", "–": "-", "—": "-",
        "‒": "-", "－": "-", "＋": "+", "^": "**", "[": "(", "]": ")", "{": "(", "}": ")", "（": "(", "）": ")", "％": "%", "，": ",", "²": "**2", "³": "**3",
        "½": "(1/2)", "⅓": "(1/3)", "⅔": "(2/3)", "¼": "(1/4)", "¾": "(3/4)", "⅕": "(1/5)", "⅛": "(1/8)", "π": "pi", "√": "sqrt",
        "$": "", "€": "", "£": "", "¥": "",
        "\u200b": "", "\u200e": "", "\u200f": "", "\ufeff": "",
    }
)  # fmt: skip
PLAIN = re.compile(r"[\d+\-*/() ]*")
LEADING_ZERO = re.compile(r"(?<![\w.])0\d")
ALLOWED = re.compile(r"[\w+\-*/%().,! ]*")
GROUP_SPACES = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'’](?=\d{3}(?!\d))")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?:[eE][+-]?\d+(?!\w))?|(?<![\w.,])\.\d+")
ENGLISH_GROUPS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
EUROPEAN_GROUPS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}")
PLAIN_NUMBER = re.compile(r"(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?")
HEXADECIMAL = re.compile(r"(?<![\w.])0[xX]\w")
TIMES_LETTER = re.compile(r"(?<=[\d)])\s*[xX]\s*(?=[\d(.])|(?<=[\d)])\s+[xX]\s+(?=[a-z])")
PERCENT = re.compile(r"(\d[\d.]*|\))\s*(?:%|percent\b|per cent\b)(?!\s*[\d(a-np-z.])")
ADDED_PERCENT = re.compile(r"[+\-]\s*\d[\d.,]*\s*%(?!\s*[\d(a-np-z.])(?!\s*\w*\s*of\b)")
OF = re.compile(r"(?<=[\d)])\s*\bof\b\s*(?=[\d(.\-a-z])")
FACTORIAL = re.compile(r"(?<![\w.])(\d+)\s*!(?!=)")
ROOT_OF_NUMBER = re.compile(r"\bsqrt\s*(\d+)")
IMPLICIT = re.compile(r"(?<=[\d)])\s*(?=\()")
WORD = re.compile(r"[^\W\d_]\w*")


def readable(expression: str, known: Collection[str]) -> str:
    """The expression in Python's spelling, decimals as quotients of whole numbers; `known` are the names it may use.

    Raises:
        ExpressionError: it holds what is no arithmetic, or a figure that can be read in two ways.
    """
    if len(expression) > MAX_CHARACTERS:
        raise ExpressionError(f"the expression has {len(expression)} characters; at most {MAX_CHARACTERS} are taken", "too_large")
    text = expression.strip().rstrip("=").rstrip()
    if not text:
        raise ExpressionError("the expression is empty", "empty")
    if PLAIN.fullmatch(text) and not LEADING_ZERO.search(text):
        return IMPLICIT.sub("*", text) if "(" in text else text
    text = GROUP_SPACES.sub("", text.replace("\n", " ").replace("\t", " ")).translate(SPELLINGS)
    if not ALLOWED.fullmatch(text):
        raise ExpressionError("only numbers, + - * / ^ %, brackets and the named functions are taken")
    text = NUMBER.sub(lambda match: literal(match, text), text)
    if HEXADECIMAL.search(text):
        raise ExpressionError("hexadecimal numbers are not taken")
    text = TIMES_LETTER.sub("*", text)
    if ADDED_PERCENT.search(text) and not re.match(r"\(*\d[\d.]*\s*%", text):
        raise ExpressionError("adding or subtracting a percentage can be read in two ways; write a*(1 + p/100)")
    text = PERCENT.sub(r"\1/100", text)
    text = OF.sub("*", text)
    text = ROOT_OF_NUMBER.sub(r"sqrt(\1)", FACTORIAL.sub(r"factorial(\1)", text))
    text = IMPLICIT.sub("*", text)
    for name in WORD.findall(text):
        if name not in known:
            raise ExpressionError(f"{name[:40]!r} is not a function of the calculator; known: {', '.join(sorted(known))}")
    return text


def literal(match: re.Match[str], text: str) -> str:
    """One figure as whole numbers: thousands separators dropped where they can be nothing else."""
    figure = match.group()
    if "," in figure or figure.count(".") > 1:
        if ENGLISH_GROUPS.fullmatch(figure):
            if inside_call(text, match.start()):
                raise ExpressionError(f"{figure!r} inside a function can be one number or several; write a space after commas that separate")
            figure = figure.replace(",", "")
        elif EUROPEAN_GROUPS.fullmatch(figure):
            figure = figure.replace(".", "").replace(",", ".")
        elif inside_call(text, match.start()) and "." not in figure:
            return ", ".join(str(int(part)) for part in figure.split(","))
        else:
            raise ExpressionError(f"{figure[:40]!r} can be read in more than one way")
    found = PLAIN_NUMBER.fullmatch(figure)
    if found is None:
        raise ExpressionError(f"{figure[:40]!r} is not a number")
    whole, decimals, exponent = found.group(1), found.group(2), int(found.group(3) or 0)
    if abs(exponent) > MAX_DIGITS:
        raise ExpressionError("the exponent is too large", "too_large")
    shift = len(decimals) - exponent
    digits = (whole + decimals).lstrip("0") or "0"
    if shift > 0:
        return f"({digits}/1{'0' * shift})"
    return digits + ("0" * -shift if digits != "0" else "")


def inside_call(text: str, position: int) -> bool:
    """Whether the position is between the brackets of a function call, where commas separate arguments."""
    depth = 0
    for index in range(position - 1, -1, -1):
        if text[index] == ")":
            depth += 1
        elif text[index] == "(":
            if depth == 0 and index > 0 and text[:index].rstrip()[-1:].isalpha():
                return True
            depth = max(0, depth - 1)
    return False
