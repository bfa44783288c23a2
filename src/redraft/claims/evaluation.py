"""Exact evaluation of arithmetic given as values and operators in order, within bounds, and its spelling for the calculator."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["evaluate", "written"]

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "~": 3, "**": 4}


MAX_BITS = 20_000


def written(items: Sequence[Fraction | str]) -> str:
    """Items as an expression for the calculator: decimals stay decimals where they are exact."""
    return "".join(_item(item) if isinstance(item, Fraction) else {"~": "-"}.get(item, f" {item} " if item in "+-" else item) for item in items).strip()


def _item(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    rest, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        places = max(places, power)
    if rest != 1 or places > 30:
        return f"({value.numerator}/{value.denominator})"
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return digits[:-places] + "." + digits[-places:]


def evaluate(items: Sequence[Fraction | str]) -> Fraction | None:
    """The exact value by the usual precedence (powers to the right, -2**2 is -4); None if there is none or it is out of bounds."""
    values: list[Fraction] = []
    stack: list[str] = []
    try:
        for item in items:
            if isinstance(item, Fraction):
                values.append(item)
            elif item == "(":
                stack.append(item)
            elif item == ")":
                while stack and stack[-1] != "(":
                    _apply(stack.pop(), values)
                if not stack:
                    return None
                stack.pop()
            else:
                if item != "~":
                    rank = _PRECEDENCE[item]
                    while stack and stack[-1] != "(" and (_PRECEDENCE[stack[-1]] > rank or (_PRECEDENCE[stack[-1]] == rank and item != "**")):
                        _apply(stack.pop(), values)
                stack.append(item)
        while stack:
            _apply(stack.pop(), values)
    except (IndexError, KeyError, ZeroDivisionError, OverflowError):
        return None
    return values[0] if len(values) == 1 else None


def _apply(operator: str, values: list[Fraction]) -> None:
    right = values.pop()
    if operator == "~":
        values.append(-right)
        return
    left = values.pop()
    if operator == "+":
        result = left + right
    elif operator == "-":
        result = left - right
    elif operator == "*":
        result = left * right
    elif operator == "/":
        result = left / right
    elif operator == "**":
        if right.denominator != 1 or abs(right) * max(left.numerator.bit_length(), left.denominator.bit_length()) > MAX_BITS:
            raise OverflowError
        result = left ** int(right)
    else:
        raise KeyError(operator)
    if result.numerator.bit_length() > MAX_BITS or result.denominator.bit_length() > MAX_BITS:
        raise OverflowError
    values.append(result)
