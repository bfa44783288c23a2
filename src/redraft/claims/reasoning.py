"""Where a chain of reasoning first goes wrong: every result must follow from what was given or derived before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from redraft.claims.expression import Run, Token, tokens
from redraft.claims.figures import plain, read, read_at
from redraft.claims.numbers import agrees
from redraft.claims.runs import runs

__all__ = ["first_wrong"]

_ANSWER = re.compile(r"\b(?:answer|result)\b(?: \w+){0,2}? (?:is|=|equals|:)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-zα-ωΑ-Ω]")


def first_wrong(steps: Sequence[str], task: str = "") -> int | None:
    """Index of the first step (from 0) whose result is not what it is computed from, or which copies a value wrongly; None if none does.

    A step is judged by what later steps take from it: a slip inside a chain of equalities that is made good before its end is no wrong result.
    Names that a step defines ("A = (3 + 4)") keep their value in later steps. `task` is the expression to be worked out, where there is one.
    """
    known: dict[str, Fraction] = {}
    goal = _goal(task)
    for index, step in enumerate(steps):
        if _wrong(step, known, goal):
            return index
    return None


def _goal(task: str) -> Fraction | None:
    """The value of the task, if it is one expression."""
    line = [token for token in tokens(plain(task)) if not (token.kind == "eq" or token.text == "?")]
    found = list(runs(line))
    return found[0].value if len(found) == 1 and not found[0].single and found[0].last - found[0].first == len(line) else None


def _wrong(step: str, known: dict[str, Fraction], goal: Fraction | None) -> bool:
    flat = plain(step)
    line = tokens(flat)
    _define(line, known)
    bound = _bind(line, known)
    found = list(runs(bound))
    last: Fraction | None = None
    for chain in _chains(bound, found):
        if not _equal(step, chain[0], chain[-1]):
            return True
        last = chain[-1].value
    if goal is not None and any(_is_formula(run, line, bound) and run.value not in (None, goal) for run in found):
        return True
    answer = _ANSWER.search(flat)
    if answer is not None and last is not None:
        stated = read(step[answer.end() :])
        if stated and not agrees(last, stated[0]):
            return True
    return False


def _define(line: list[Token], known: dict[str, Fraction]) -> None:
    """Takes up the names that this step gives a value to: the first side of "A = (3 + 4) = …"."""
    for place in range(len(line) - 2):
        name, sign = line[place], line[place + 1]
        if not (_is_name(line, place) and sign.kind == "eq") or name.text in known:
            continue
        before = line[place - 1] if place else None
        if before is not None and before.kind in ("op", "power", "num", "eq", "mark"):
            continue
        sides = _bind(line[place + 2 : place + 400], known)
        run = next(iter(runs(sides)), None)
        if run is not None and run.first == 0 and run.value is not None:
            known[name.text] = run.value


def _is_name(line: list[Token], place: int) -> bool:
    token = line[place]
    return token.kind == "word" and bool(_NAME.fullmatch(token.text)) and not (place and line[place - 1].kind == "num" and line[place - 1].end == token.start)


def _bind(line: list[Token], known: dict[str, Fraction]) -> list[Token]:
    """The line with every known name replaced by its value in brackets."""
    bound: list[Token] = []
    for place, token in enumerate(line):
        if not (_is_name(line, place) and token.text in known):
            bound.append(token)
            continue
        value, at = known[token.text], (token.start, token.end)
        bound.append(Token("open", "(", *at))
        if value < 0:
            bound.append(Token("op", "-", *at))
        bound.append(Token("num", str(abs(value.numerator)), *at))
        if value.denominator != 1:
            bound += [Token("op", "/", *at), Token("num", str(value.denominator), *at)]
        bound.append(Token("close", ")", *at))
    return bound


def _chains(line: list[Token], found: list[Run]) -> Iterator[list[Run]]:
    chain: list[Run] = []
    for run in found:
        if chain and not (run.first == chain[-1].last + 1 and line[chain[-1].last].kind == "eq"):
            if len(chain) > 1:
                yield chain
            chain = []
        chain.append(run)
    if len(chain) > 1:
        yield chain


def _equal(step: str, left: Run, right: Run) -> bool:
    a, b = left.value, right.value
    if a is None or b is None or a == b:
        return True
    if right.single and right.operands[0].decimals:
        shown = read_at(step, right.operands[0].span[0])
        return shown is None or agrees(abs(a), shown) is not False
    return False


def _is_formula(run: Run, line: list[Token], bound: list[Token]) -> bool:
    """Whether a run is made of names alone: the way the task is said to be built."""
    names = {token.start for place, token in enumerate(line) if _is_name(line, place)}
    figures = [token for token in bound[run.first : run.last] if token.kind == "num"]
    return len(figures) > 1 and all(token.start in names for token in figures)
