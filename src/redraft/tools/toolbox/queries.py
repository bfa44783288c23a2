"""When two queries are the same search: as written but for case, spaces and punctuation, or, where that is asked for, in nearly the same words."""

from __future__ import annotations

import re
import unicodedata

from redraft.claims.words import NEGATIONS, content_words, words

__all__ = ["likeness", "normal_query", "unchanged"]

_DASHES = re.compile("[\u2010-\u2015\u2212]")
_QUOTES = str.maketrans("‘’‚‛“”„‟«»", '\'\'\'\'""""""')
_AT_THE_END = re.compile(r"[.,;:!?…。，、；：！？]+(?=\s|$)|(?<=[。，、；：！？])")


def normal_query(text: str) -> str:
    """The query in the form that the cache knows it by: compatible characters, case, spaces and closing punctuation made one.

    Signs inside words stay (`C++`, `-5`, `3.14`, `site:a.org`, quotation marks), for a search engine reads them.
    """
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    text = _DASHES.sub("-", text).casefold()
    return " ".join(_AT_THE_END.sub(" ", text).split())


def unchanged(text: str) -> str:
    """For tools whose input means what it says, to the letter."""
    return text.strip()


def likeness(one: str, other: str) -> float:
    """Share of content words that two queries have in common, in [0, 1]; 0 where figures, negations or the order of names differ.

    Word sets cannot tell who beat whom, so the words must also come in the same order: then reuse costs a wrong page only where a word is missing.
    """
    first, second = content_words(one, question=True), content_words(other, question=True)
    if not first or not second or _marks(one) != _marks(other):
        return 0.0
    left, right = [word.stem for word in first], [word.stem for word in second]
    shared = set(left) & set(right)
    if list(dict.fromkeys(word for word in left if word in shared)) != list(dict.fromkeys(word for word in right if word in shared)):
        return 0.0
    return len(shared) / len(set(left) | set(right))


def _marks(text: str) -> tuple[list[str], list[str]]:
    """Figures and negations: what may never differ."""
    found = words(text)
    figures = sorted(word.stem for word in found if any(char.isdigit() for char in word.text))
    return figures, sorted(word.text.lower() for word in found if word.text.lower() in NEGATIONS)
