"""Whether a draft that differs from what was picked from the documents stands in them as well: then they do not contradict it.

A small model (or a rule) picks the right words from the best sentence in most cases, not in all. A draft whose own deciding words stand in a passage
about the question is at least as likely to be right as the pick, so the claim stays undecided: a right answer must not be made wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from redraft.claims.words import content_words, fold, words
from redraft.types import Evidence

__all__ = ["stands"]

LEAST_RELEVANCE = 0.35
MOST_WORDS = 12
"""A longer draft is a sentence of a model, not an answer that would stand in a passage in these words."""


def stands(query: str, draft: str, passages: Sequence[Evidence]) -> bool:
    """Whether the words of the draft that the question does not give stand close together in a relevant passage."""
    asked = {word.stem for word in content_words(query)}
    found = content_words(draft)
    own = [word for word in found if word.stem not in asked] or list(found)
    if not own or len(words(draft)) > MOST_WORDS:
        return False
    wanted = {word.stem for word in own}
    for item in passages:
        if item.relevance < LEAST_RELEVANCE:
            continue
        if fold(draft).strip(" .") in fold(item.text):
            return True
        places = [number for number, word in enumerate(content_words(item.text)) if word.stem in wanted]
        roots = [word.stem for word in content_words(item.text)]
        width = 2 * len(wanted) + 2
        if wanted <= set(roots) and any(wanted <= set(roots[place : place + width]) for place in places):
            return True
    return False
