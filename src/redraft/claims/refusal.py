"""Whether a text declines to answer. A vocabulary of inability in the first person, not a list of sentences; conservative, because a refusal is refused."""

from __future__ import annotations

import re

__all__ = ["is_refusal"]

SHORT = 400
"""A longer text that also says what it cannot do is an answer with a reservation."""

_INABILITY = re.compile(
    r"""\b(?:i|we)\b [^.!?\n]{0,40}? \b(?:can\s?not|can['’]t|could\s+not|couldn['’]t|do\s+not|don['’]t|am\s+not|are\s+not|['’]m\s+not|unable
        |won['’]t|have\s+no)\b
        [^.!?\n]{0,40}? \b(?:know|answer|say|tell|provide|determine|verify|confirm|able|access|aware|sure|certain|find|information
        |help|assist|idea|data|predict|comply)\b
      | \bas\s+an\s+(?:ai|artificial|assistant|language)\b [^.!?\n]{0,80}? \b(?:cannot|can['’]t|not|unable)\b
      | \b(?:unable|impossible)\s+(?:for\s+me\s+)?to\s+(?:know|answer|say|tell|determine|provide)\b
      | ^\s*(?:i\s+)?(?:don['’]?t|do\s+not)\s+know\b
      | ^\s*(?:unknown|no\s+idea|not\s+sure|no\s+information)\s*\.?\s*$
      | 无法(?:回答|知道|确定|得知|提供|确认) | 我?不(?:知道|清楚|确定)[^。]{0,12}[。.]?\s*$ | 没有(?:相关)?信息
      | (?:分|わ)かりません | お?答え(?:でき|られ)ません | 存じません | 知りません""",
    re.IGNORECASE | re.VERBOSE,
)


def is_refusal(text: str) -> bool:
    """Whether a short text says that its writer cannot answer."""
    stripped = text.strip()
    return bool(stripped) and len(stripped) <= SHORT and _INABILITY.search(stripped) is not None
