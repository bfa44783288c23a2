"""Finding the expressions of a line: alternately an operand and an operator, in one pass, whatever the line holds.

Unbalanced brackets, 10,000-digit numbers and towers of powers end an expression, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from redraft.claims.expression import Operand, Run, Token
from redraft.claims.operands import OperandReader

__all__ = ["runs"]

MAX_RUN = 600


"""Tokens of one expression at most."""


MAX_DEPTH = 40


_OPERATORS = {"×": "*", "÷": "/", "·": "*", "∙": "*", "⋅": "*", "–": "-", "∕": "/", "⁄": "/", "^": "**"}


_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


_NO_UNIT = frozenset(
    "and or but is are was were be has have had equals equal gives makes so then thus hence therefore because since if when while which that who it"
    " he she they we you i the"
    " to from by than as not no plus minus times divided multiplied x".split()
)


def runs(line: list[Token], mark: str = "") -> Iterator[Run]:
    """The maximal expressions of a line, left to right; `mark` is the decimal mark of the text."""
    partner = _brackets(line)
    position = 0
    while position < len(line):
        kind = line[position].kind
        if kind in ("num", "mark", "open", "cur", "frac") or (kind == "op" and line[position].text in "+-"):
            run = _Reader(line, partner, position, mark).read()
            if run is not None:
                yield run
                position = run.last
                continue
        position += 1


def _brackets(line: list[Token]) -> dict[int, int]:
    """Matching brackets that hold no relation sign and are not nested beyond reason."""
    partner: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(line):
        if token.kind == "open":
            opened.append(index)
        elif token.kind == "close":
            if opened:
                begin = opened.pop()
                if len(opened) < MAX_DEPTH:
                    partner[begin] = index
                    partner[index] = begin
        elif token.kind in ("eq", "rel"):
            opened.clear()
    return partner


def _signed(digits: str) -> list[Fraction | str]:
    if digits.startswith("-"):
        return ["~", Fraction(int(digits[1:]))]
    return [Fraction(int(digits.lstrip("+")))]


class _Reader(OperandReader):
    """Reads one run: alternately an operand and an operator, remembering the last place outside brackets where it could end."""

    def __init__(self, line: list[Token], partner: dict[int, int], first: int, mark: str) -> None:
        super().__init__(line, first, mark)
        self.partner = partner
        self.first: int = first
        self.items: list[Fraction | str] = []
        self.operands: list[Operand] = []
        self.operators: int = 0
        self.opened: list[str] = []
        self.uncertain = False
        self.best: Run | None = None

    def read(self) -> Run | None:
        limit = min(len(self.line), self.first + MAX_RUN)
        operand: bool | None = False
        while self.at < limit:
            operand = self._after_operand() if operand else self._before_operand()
            if operand is None:
                break
        return self.best

    def _note(self) -> None:
        if not self.opened:
            self.best = Run(
                self.line[self.first].start,
                self.line[self.at - 1].end,
                self.first,
                self.at,
                list(self.items),
                list(self.operands),
                self.operators,
                self.uncertain,
            )

    def _before_operand(self) -> bool | None:
        token = self.line[self.at]
        if token.kind == "op" and token.text in "+-":
            follows = self.peek(1)
            if follows is None or (self.items and self.items[-1] == "~" and len(self.items) > 1 and self.items[-2] == "~"):
                return None
            if token.text == "-":
                self.items.append("~")
            self.at += 1
            return False
        if token.kind == "open" and self.at in self.partner:
            self.opened.append("(")
            self.items.append("(")
            self.at += 1
            return False
        if token.kind == "frac" and self._fraction_ahead():
            self.items.append("(")
            self.opened.append("f")
            self.at += 1
            return False
        if token.kind == "cur":
            follows = self.peek(1)
            if follows is None or not (follows.kind == "num" or (follows.kind == "op" and follows.text == "-")):
                return None
            self.at += 1
            if follows.kind == "op":
                self.items.append("~")
                self.at += 1
            return self._number(token.text)
        if token.kind in ("num", "mark"):
            return self._number("")
        return None

    def _fraction_ahead(self) -> bool:
        opening = self.at + 1
        closing = self.partner.get(opening)
        return closing is not None and self.line[opening].text == "{" and closing + 1 in self.partner and self.line[closing + 1].text == "{"

    def _number(self, currency: str) -> bool | None:
        if self.at >= len(self.line):
            return None
        token = self.line[self.at]
        if token.kind not in ("num", "mark") or (
            self.glued(self.at) and self.line[self.at - 1].kind == "word" and self.at > 0 and self.line[self.at - 1].text not in "xX"
        ):
            return None
        operand = self.operand(token, currency)
        if operand is None:
            return None
        self.operands.append(operand)
        bottom = self._bottom()
        if bottom is not None:
            self.items += ["(", operand.value, "/", Fraction(int(bottom.text)), ")"]
            self.operands.append(Operand((bottom.start, bottom.end), Fraction(int(bottom.text)), bottom.text))
            self.operators += 1
            self.at += 2
        else:
            self.items.append(operand.value)
        self._note()
        return True

    def _bottom(self) -> Token | None:
        """The denominator of a fraction written without spaces behind a division written with them: 3 / 1/2 is six."""
        slash, bottom, divided = self.peek(), self.peek(1), self.at - 2
        if slash is None or bottom is None or slash.text != "/" or bottom.kind != "num" or not bottom.text.isdigit() or len(bottom.text) > 9:
            return None
        spaced = self.items and self.items[-1] in ("/", "**") and divided >= 0 and not self.glued(divided + 1) and not self.glued(divided)
        return bottom if spaced and self.glued(self.at) and self.glued(self.at + 1) else None

    def _after_operand(self) -> bool | None:
        token = self.line[self.at]
        if token.kind == "close":
            if not self.opened or self.at not in self.partner:
                return None
            self._close(token)
            return True if self.opened or self.items[-1] == ")" else None
        if token.kind == "sup":
            self.items += ["**", *_signed(token.text.translate(_SUPERSCRIPT))]
            self.operators += 1
            self.at += 1
            self._note()
            return True
        if (
            token.kind == "open"
            and self.at in self.partner
            and self.glued(self.at)
            and token.text == "("
            and self.items
            and self.line[self.at - 1].kind in ("num", "close")
        ):
            self.uncertain = self.uncertain or "/" in self.items  # 6/2(1+2) is read both ways
            return self._operator("*", 0)
        if token.kind in ("op", "power"):
            return self._symbol(token)
        if token.kind == "word":
            return self._word(token)
        return None

    def _close(self, token: Token) -> None:
        kind = self.opened.pop()
        self.items.append(")")
        self.at += 1
        follows = self.peek()
        if token.text == "}" and self.opened and self.opened[-1] == "f" and follows is not None and follows.text == "{" and self.at in self.partner:
            self.opened[-1] = "g"
            self.items += ["/", "("]
            self.operators += 1
            self.opened.append("(")
            self.at += 1
            self.items.append("")  # the state machine goes on in front of an operand
            self.items.pop()
            self._denominator()
            return
        if self.opened and self.opened[-1] == "g" and kind == "(" and token.text == "}":
            self.opened.pop()
            self.items.append(")")
        self._note()

    def _denominator(self) -> None:
        """Reads the second part of a LaTeX fraction, whose bracket is open: up to its closing bracket."""
        operand: bool | None = False
        depth = len(self.opened)
        while operand is not None and self.at < len(self.line) and len(self.opened) >= depth:
            operand = self._after_operand() if operand else self._before_operand()
        if operand is None:
            self.opened.append("broken")

    def _symbol(self, token: Token) -> bool | None:
        symbol = _OPERATORS.get(token.text, token.text)
        follows = self.peek(1)
        if follows is None or token.text == "•":
            return None
        tight_before, tight_after = self.glued(self.at), self.glued(self.at + 1)
        if symbol in ("*", "**") and token.text in ("*", "**") and tight_before != tight_after and follows.kind not in ("num", "open", "cur", "frac"):
            return None
        if symbol == "/" and (follows.text == "/" or follows.kind == "word"):
            return self._per() if follows.kind == "word" and tight_before and tight_after else None
        if symbol == "**" and follows.kind == "open" and follows.text == "{" and self.at + 1 not in self.partner:
            return None
        if token.text == "–" and tight_before and tight_after:
            self.uncertain = True
        if symbol == "-" and tight_before and not tight_after:
            self.uncertain = True
        return self._operator(symbol, 1)

    def _operator(self, symbol: str, width: int) -> bool:
        self.items.append(symbol)
        self.operators += 1
        self.at += width
        return False

    def _per(self) -> bool | None:
        """A unit such as "$5/glass": no division."""
        self.at += 2
        self._skip_words(2)
        self._note()
        return True

    def _word(self, token: Token) -> bool | None:
        if token.text in ("x", "X"):
            follows = self.peek(1)
            if follows is not None and follows.kind in ("num", "open", "cur", "frac"):
                return self._operator("*", 1)
            return None
        if token.text.lower() == "of":
            follows = self.peek(1)
            share = self.operands[-1].percent or (len(self.items) >= 2 and self.items[-2] == "/")
            if share and follows is not None and follows.kind in ("num", "open", "cur"):
                return self._operator("*", 1)
            return None
        return self._units()

    def _units(self) -> bool | None:
        """Skips the unit words behind a figure where an operator, a bracket or the end of the side follows them."""
        begin = self.at
        count = self._skip_words(4)
        follows = self.peek()
        if follows is None or not count:
            self.at = begin
            return None
        words = [t.text for t in self.line[begin : self.at]]
        if len(words[0]) == 1:
            if self.glued(begin):
                self.at = begin
                return None
            self.uncertain = True  # 5 g may be grams, or five times g
        if follows.kind == "op" and follows.text in "-–" and (count > 1 or not self._spaced_pair()):
            self.uncertain = True
        if follows.kind in ("op", "eq") or (follows.kind == "close" and self.opened) or (follows.kind == "word" and follows.text in ("x", "X")):
            if self.operands:
                last = self.operands[-1]
                unit = " ".join(words).lower()
                self.operands[-1] = last._replace(unit=unit)
            self._note()
            return True
        self.at = begin
        return None

    def _spaced_pair(self) -> bool:
        return not self.glued(self.at) and not self.glued(self.at + 1)

    def _skip_words(self, most: int) -> int:
        count = 0
        while count < most:
            token = self.peek()
            if token is not None and token.kind == "word" and token.text.lower() not in _NO_UNIT and (len(token.text) > 1 or token.text in "mgshlLKCF"):
                self.at += 1
                count += 1
                follows, then = self.peek(), self.peek(1)
                if follows is not None and follows.text == "/" and self.glued(self.at) and self.glued(self.at + 1) and then is not None and then.kind == "word":
                    self.at += 2
            else:
                break
        return count
