"""The calculator: exact rational arithmetic on an expression as people write it, within bounds that make every call quick.

`simpleeval` walks the expression; here it is narrowed to four operators, bounded powers and a dozen functions, and every literal is a `Fraction`,
so that 0.1 + 0.2 is 3/10. Roots that are not rational are worked out to 40 significant digits and marked as inexact.
"""

from __future__ import annotations

import ast
import math
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, cast

from redraft.claims.decimals import shown
from redraft.tools.notation import MAX_DIGITS, ExpressionError, readable
from redraft.types import Evidence, Failure, ToolCall, ToolResult

__all__ = ["CalculatorTool", "ExpressionError", "calculate", "evaluate", "exact_text"]

MAX_BITS = 250_000
"""Of any intermediate numerator or denominator: enough for 5000!, and still multiplied in under a millisecond."""
MAX_EXPONENT = 100_000
MAX_FACTORIAL = 5000
ROOT_DIGITS = 40
PI = Fraction("3.1415926535897932384626433832795028841971693993751")
EULER = Fraction("2.7182818284590452353602874713526624977572470936999")


# Evaluating: simpleeval over fractions.


class _State(threading.local):
    """The evaluator of this thread, and whether its present result is exact."""

    evaluator: Any = None
    exact: bool = True


_state = _State()


def bounded(value: Fraction) -> Fraction:
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise ExpressionError("the numbers become too large", "too_large")
    return value


def add(a: Fraction, b: Fraction) -> Fraction:
    return bounded(a + b)


def subtract(a: Fraction, b: Fraction) -> Fraction:
    return bounded(a - b)


def multiply(a: Fraction, b: Fraction) -> Fraction:
    return bounded(a * b)


def divide(a: Fraction, b: Fraction) -> Fraction:
    if not b:
        raise ExpressionError("division by zero")
    return bounded(a / b)


def floor_divide(a: Fraction, b: Fraction) -> Fraction:
    if not b:
        raise ExpressionError("division by zero")
    return Fraction(a // b)


def remainder(a: Fraction, b: Fraction) -> Fraction:
    if not b:
        raise ExpressionError("division by zero")
    return a % b


def power(a: Fraction, b: Fraction) -> Fraction:
    if b.denominator != 1:
        if abs(b.numerator) > 1000 or b.denominator > 1000:
            raise ExpressionError("the exponent is too large", "too_large")
        return power(root(a, b.denominator), Fraction(b.numerator))
    exponent = b.numerator
    if a == 0 and exponent < 0:
        raise ExpressionError("division by zero")
    if a in (0, 1, -1):
        return a ** (exponent % 2 + 2) if exponent else Fraction(1)
    bits = max(a.numerator.bit_length(), a.denominator.bit_length())
    if abs(exponent) > MAX_EXPONENT or bits * abs(exponent) > MAX_BITS:
        raise ExpressionError("the power is too large", "too_large")
    return a**exponent


def root(value: Fraction, degree: int) -> Fraction:
    """The real root: exact where it is rational, else to 40 significant digits, and then the result counts as inexact."""
    if value < 0:
        raise ExpressionError("the root of a negative number is not real")
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 20_000:
        raise ExpressionError("the number under the root is too large", "too_large")
    above, below = whole_root(value.numerator, degree), whole_root(value.denominator, degree)
    if above**degree == value.numerator and below**degree == value.denominator:
        return Fraction(above, below)
    _state.exact = False
    scale = 10 ** max(0, ROOT_DIGITS - (value.numerator.bit_length() - value.denominator.bit_length()) * 3 // (10 * degree))
    return Fraction(whole_root(value.numerator * scale**degree // value.denominator, degree), scale)


def whole_root(value: int, degree: int) -> int:
    """The greatest whole number whose power does not exceed the value (Newton's method)."""
    if degree == 2:
        return math.isqrt(value)
    if value < 2:
        return value
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def whole(value: Fraction, what: str) -> int:
    if value.denominator != 1:
        raise ExpressionError(f"{what} takes whole numbers only")
    return value.numerator


def factorial(value: Fraction) -> Fraction:
    n = whole(value, "factorial")
    if n < 0:
        raise ExpressionError("factorial takes no negative numbers")
    if n > MAX_FACTORIAL:
        raise ExpressionError(f"factorial takes at most {MAX_FACTORIAL}", "too_large")
    return Fraction(math.factorial(n))


def rounded(value: Fraction, digits: Fraction = Fraction(0)) -> Fraction:
    """Half away from zero, as people round."""
    places = whole(digits, "round")
    if abs(places) > 100:
        raise ExpressionError("round takes at most 100 places")
    scale = Fraction(10) ** places
    nearest = math.floor(abs(value) * scale + Fraction(1, 2)) / scale
    return nearest if value >= 0 else -nearest


def total(first: Fraction, *values: Fraction) -> Fraction:
    return bounded(sum(values, first))


def mean(first: Fraction, *values: Fraction) -> Fraction:
    return bounded(sum(values, first) / (1 + len(values)))


def median(first: Fraction, *values: Fraction) -> Fraction:
    ordered = sorted((first, *values))
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def absolute(value: Fraction) -> Fraction:
    return abs(value)


def ceiling(value: Fraction) -> Fraction:
    return Fraction(math.ceil(value))


def floor(value: Fraction) -> Fraction:
    return Fraction(math.floor(value))


def square_root(value: Fraction) -> Fraction:
    return root(value, 2)


def cube_root(value: Fraction) -> Fraction:
    return root(value, 3) if value >= 0 else -root(-value, 3)


def common_divisor(*values: Fraction) -> Fraction:
    return Fraction(math.gcd(*(whole(value, "gcd") for value in values)))


def common_multiple(*values: Fraction) -> Fraction:
    return bounded(Fraction(math.lcm(*(whole(value, "lcm") for value in values))))


def greatest(first: Fraction, *values: Fraction) -> Fraction:
    return max((first, *values))


def least(first: Fraction, *values: Fraction) -> Fraction:
    return min((first, *values))


def negative(value: Fraction) -> Fraction:
    return -value


def positive(value: Fraction) -> Fraction:
    return value


FUNCTIONS: Mapping[str, Callable[..., Fraction]] = {
    "abs": absolute, "cbrt": cube_root, "ceil": ceiling, "factorial": factorial, "floor": floor, "gcd": common_divisor, "lcm": common_multiple, "max": greatest,
    "mean": mean, "median": median, "min": least, "mod": remainder, "round": rounded, "sqrt": square_root, "sum": total,
}  # fmt: skip
OPERATORS: Mapping[type[ast.AST], Callable[..., Fraction]] = {
    ast.Add: add, ast.Sub: subtract, ast.Mult: multiply, ast.Div: divide, ast.FloorDiv: floor_divide, ast.Mod: remainder, ast.Pow: power,
    ast.USub: negative, ast.UAdd: positive,
}  # fmt: skip
NAMES: Mapping[str, Fraction] = {"pi": PI, "e": EULER}
KNOWN = FUNCTIONS.keys() | NAMES.keys()


def whole_literal(node: ast.Constant) -> Fraction:
    if type(node.value) is not int:
        raise ExpressionError("only numbers are taken")
    return bounded(Fraction(node.value))


def named(node: ast.Name) -> Fraction:
    if node.id not in NAMES:
        raise ExpressionError(f"{node.id[:40]!r} is not a number")
    _state.exact = False
    return NAMES[node.id]


def evaluator() -> Any:
    """This thread's simpleeval instance, with every node but arithmetic taken out."""
    if _state.evaluator is None:
        import simpleeval  # pyright: ignore[reportMissingTypeStubs]  # here: a run that computes nothing does not pay for it

        made = cast("Any", simpleeval).SimpleEval(operators=dict(OPERATORS), functions=dict(FUNCTIONS), names={})
        kept = (ast.UnaryOp, ast.BinOp, ast.Call)
        made.nodes = {node: made.nodes[node] for node in kept} | {ast.Constant: whole_literal, ast.Name: named}
        _state.evaluator = made
    return _state.evaluator


def calculate(expression: str) -> tuple[Fraction, bool]:
    """The value, and whether it is exact (no irrational root and no π in it).

    Raises:
        ExpressionError: it is not arithmetic, has no value, or is out of bounds.
    """
    text = readable(expression, KNOWN)
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError("this is not a well-formed expression") from None
    walker = evaluator()
    _state.exact = True
    try:
        value = walker.eval(text, previously_parsed=tree)
    except ExpressionError:
        raise
    except RecursionError:
        raise ExpressionError("the expression is nested too deeply", "too_large") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ExpressionError(f"a function was given the wrong arguments ({type(error).__name__})") from None
    except Exception as error:  # simpleeval's own errors share no base with each other
        raise ExpressionError(f"only arithmetic is taken ({type(error).__name__})") from None
    if not isinstance(value, Fraction):
        raise ExpressionError("only arithmetic is taken")
    return value, _state.exact


def evaluate(expression: str) -> Fraction:
    """The exact value of an arithmetic expression.

    Raises:
        ExpressionError: a ValueError; it is not arithmetic, has no value, or is out of bounds.
    """
    return calculate(expression)[0]


# Showing.


def exact_text(value: Fraction) -> str:
    """`p/q`, or `p` for a whole number.

    Raises:
        ExpressionError: it has more digits than can be written out.
    """
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_DIGITS * 10 // 3:
        raise ExpressionError("the result has too many digits to be written out", "too_large")
    return str(value)


class CalculatorTool:
    """Exact arithmetic on one expression."""

    name = "calculator"
    summary = "Exact arithmetic on one expression, such as `17% of 2340`, `(3/4 + 2)^2`, `mean(3, 4, 8)`; also sqrt, round, min, max, sum, gcd, lcm, factorial."
    timeout_seconds = 2.0

    async def run(self, call: ToolCall) -> ToolResult:
        """Evidence whose value is the exact `p/q`, or a Failure."""
        try:
            value, exact = calculate(call.input)
            written = exact_text(value) if exact else shown(value, significant=30)
            decimal = shown(value)
        except ExpressionError as error:
            return Failure(tool=self.name, input=call.input, kind=error.kind, message=str(error))
        if not exact:
            text = f"≈ {decimal}"
        elif value.denominator == 1:
            text = decimal if decimal == written else f"{written} ≈ {decimal}"
        else:
            text = f"{written} {'=' if same(decimal, value) else '≈'} {decimal}"
        return (Evidence(tool=self.name, input=call.input, text=text, value=written),)

    async def close(self) -> None:
        """Nothing is held."""


def same(decimal: str, value: Fraction) -> bool:
    return Fraction(decimal) == value
