"""Text that tools and models wrote, made harmless for a terminal: what would move the cursor, change colours or reverse the order is shown, not obeyed."""

from __future__ import annotations

import unicodedata

__all__ = ["one_line", "safe"]

KEPT = "\n\t"
INVISIBLE = frozenset("\u200b\u2060\ufeff\u00ad\u180e\u2028\u2029")


def safe(text: str) -> str:
    """The text with control characters, bidirectional controls and invisible characters written out, such as `<U+202E>`; line feeds and tabs stay.

    Joiners stay: Persian, Hindi and emoji need them.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(mark if _harmless(mark) else "" if mark == "\r" else f"<U+{ord(mark):04X}>" for mark in text)


def one_line(text: str, limit: int = 0) -> str:
    """The safe text on one line, cut with an ellipsis beyond `limit` characters (0: never)."""
    line = " ".join(safe(text).split())
    return line if not limit or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _harmless(mark: str) -> bool:
    if mark in KEPT:
        return True
    if mark in INVISIBLE:
        return False
    category = unicodedata.category(mark)
    if category == "Cf":
        return mark in "\u200c\u200d" or "\u0600" <= mark <= "\u0605"
    return category not in ("Cc", "Cs", "Co")
