"""Reading one operand of an expression: a figure with its currency, scale word, fraction and percent sign."""

from __future__ import annotations

import re
from fractions import Fraction

from redraft.claims.expression import Operand, Token
from redraft.claims.numerals import VULGAR
from redraft.claims.separators import MAX_DIGITS, read_figure

__all__ = ["OperandReader"]

_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "万": 10**4, "亿": 10**8, "億": 10**8, "万亿": 10**12, "dozen": 12}
_MONEY_SCALES = {"k": 10**3, "K": 10**3, "m": 10**6, "M": 10**6, "bn": 10**9, "B": 10**9, "b": 10**9, "T": 10**12, "mn": 10**6}


class OperandReader:
    """A place in the tokens of a line (`at`), from which operands are read; `mark` is the decimal mark of the text."""

    def __init__(self, line: list[Token], at: int, mark: str) -> None:
        self.line: list[Token] = line
        self.at: int = at
        self.mark: str = mark

    def peek(self, ahead: int = 0) -> Token | None:
        index = self.at + ahead
        return self.line[index] if index < len(self.line) else None

    def glued(self, index: int) -> bool:
        """Whether no space stands before the token at this index."""
        return 0 < index < len(self.line) and self.line[index - 1].end == self.line[index].start

    def operand(self, token: Token, currency: str) -> Operand | None:
        """The figure here with scale word, percent sign and unit; moves behind the figure, its scale and its percent sign."""
        if token.kind == "mark":
            self.at += 1
            return Operand((token.start, token.end), VULGAR[token.text], token.text)
        literal, _, exponent = token.text.replace("E", "e").partition("e")
        if len(literal) > MAX_DIGITS:
            return None
        parsed = read_figure(literal, self.mark)
        if parsed is None:
            return None
        value, decimals, _, _ = parsed
        ambiguous = not self.mark and len(literal) < 8 and bool(re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", literal))
        if exponent:
            if abs(int(exponent)) > 400:
                return None
            value *= Fraction(10) ** int(exponent)
        start, end = token.start, token.end
        if currency and self.at and self.line[self.at - 1].kind == "cur":
            start = self.line[self.at - 1].start
        self.at += 1
        scale = 1
        follows = self.peek()
        if follows is not None and follows.kind == "mark" and decimals == 0:
            value, end = value + VULGAR[follows.text], follows.end
            self.at += 1
        elif follows is not None and follows.kind == "word":
            glued = self.glued(self.at)
            scale = _SCALES.get(follows.text.lower(), 0) or (_MONEY_SCALES.get(follows.text, 0) if glued and currency else 0)
            if scale:
                value, end = value * scale, follows.end
                self.at += 1
            else:
                scale = 1
                if glued and not self._unit_or_times(follows):
                    return None
        elif follows is not None and follows.kind == "num":
            part = self._mixed(literal, follows)
            if part is None:
                return None if follows.start == end else self._percent(Operand((start, end), value, literal, decimals, False, currency, "", 1, ambiguous))
            value, end = value + part, self.line[self.at - 1].end
        elif follows is not None and follows.text in (":", "_", "#") and self.glued(self.at) and self.glued(self.at + 1):
            return None
        return self._percent(Operand((start, end), value, literal, decimals, False, currency, "", scale, ambiguous))

    def _percent(self, operand: Operand) -> Operand:
        follows = self.peek()
        if follows is None or follows.kind != "pct":
            return operand
        self.at += 1
        return operand._replace(span=(operand.span[0], follows.end), value=operand.value / 100, percent=True)

    def _mixed(self, whole: str, top: Token) -> Fraction | None:
        """The fraction of a mixed number such as 1 1/2, whose second part is the next token; moves behind it."""
        slash, bottom = self.peek(1), self.peek(2)
        if slash is None or bottom is None or slash.text != "/" or bottom.kind != "num" or top.end != slash.start or slash.end != bottom.start:
            return None
        if not (whole.isdigit() and top.text.isdigit() and bottom.text.isdigit() and len(bottom.text) < 4) or not 0 < int(top.text) < int(bottom.text):
            return None
        self.at += 3
        return Fraction(int(top.text), int(bottom.text))

    def _unit_or_times(self, word: Token) -> bool:
        follows = self.peek(1)
        if word.text in ("x", "X"):
            return follows is not None and follows.kind in ("num", "open", "cur") and follows.start <= word.end + 1
        return len(word.text) > 1 or not word.text.isascii()
