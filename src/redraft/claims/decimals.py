"""Writing an exact number for people: whole and short decimal values exactly, others rounded, never with fewer than the digits asked for."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

__all__ = ["plain_decimal", "scientific", "shown"]


def shown(value: Fraction, *, significant: int = 6) -> str:
    """The value as people write it: whole and short decimal values exactly, others rounded to at least `significant` digits."""
    if value.denominator == 1:
        return str(value.numerator) if abs(value.numerator) < 10**21 else scientific(value, significant)
    remaining = value.denominator
    for prime in (2, 5):
        while remaining % prime == 0:
            remaining //= prime
    if remaining == 1 and value.denominator <= 10**9 and (value.denominator.bit_length() <= 7 or value * 10**6 % 1 == 0):
        return plain_decimal(Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator)))
    size = abs(value)
    if size >= 10**15 or size < Fraction(1, 10**9):
        return scientific(value, significant)
    digits_before = len(str(int(size))) if size >= 1 else 0
    return plain_decimal(Context(prec=max(significant, digits_before + 2)).divide(Decimal(value.numerator), Decimal(value.denominator)))


def scientific(value: Fraction, significant: int) -> str:
    exact = Context(prec=50, Emax=999_999, Emin=-999_999)
    quotient = Context(prec=significant, Emax=999_999, Emin=-999_999).divide(exact.create_decimal(value.numerator), exact.create_decimal(value.denominator))
    figures, _, exponent = f"{quotient:E}".partition("E")
    return f"{plain_decimal(Decimal(figures))}e{int(exponent)}"


def plain_decimal(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
