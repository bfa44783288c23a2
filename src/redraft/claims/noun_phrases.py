"""The noun phrases of a sentence, read off the closed classes of the language: no tagger ships with this package."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.claims.words import NEGATIONS, Word, words
from redraft.types import Span

__all__ = ["noun_phrases"]

_BREAK = re.compile(r"[,;:.()\[\]\"“”!?*—–]| - ")
_FILLERS = frozenset("now mainly mostly about approximately roughly nearly almost later soon often usually currently previously originally today only".split())
_VERBAL = re.compile(r"(?:ed|s|ing)$")
_DETERMINERS = frozenset("the a an this that these those its his her their our my your every each some any no".split())


def noun_phrases(sentence: str) -> tuple[Span, ...]:
    """Runs of content words, without a verb at either border: a last word that a determiner follows, a first word in -ed or -ing after a noun."""
    found = words(sentence)
    result: list[Span] = []
    run: list[Word] = []
    for place, word in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        filler = word.text.lower() in _FILLERS | NEGATIONS or (word.text.lower().endswith("ly") and len(word.text) > 4)
        if word.content and not filler:
            run.append(word)
        gap = sentence[word.span[1] : after.span[0]] if after else "."
        if run and (not word.content or filler or _BREAK.search(gap) or after is None):
            following = after.text.lower() if after and word is run[-1] and not _BREAK.search(gap) else word.text.lower() if word is not run[-1] else ""
            result.extend(_trimmed(run, following, sentence))
            run = []
    return tuple(dict.fromkeys(result))


def _trimmed(run: list[Word], following: str, sentence: str) -> Iterator[Span]:
    kept = list(run)
    if len(kept) > 1 and following in _DETERMINERS | {"by", "to", "it", "them", "him"} and _VERBAL.search(kept[-1].text):
        kept.pop()
    if len(kept) > 1 and following == "as" and kept[-1].text.lower() == "known":
        kept.pop()
    before = words(sentence[: kept[0].span[0]])[-1:]
    determined = bool(before) and (before[0].text.lower() in _DETERMINERS or before[0].text[0].isdigit())
    if len(kept) > 1 and not determined and re.search(r"(?:ed|ing|s)$", kept[0].text) and not kept[0].capital:
        yield kept[1].span[0], kept[-1].span[1]
    if (
        len(kept) == 1
        and not determined
        and re.search(r"(?:ed|ing)$", kept[0].text)
        and not re.search(r"\b(?:of|in|for|by|with|from)\W*$", sentence[: kept[0].span[0]])
    ):
        return
    verb = next((at for at, word in enumerate(kept[1:-1], 1) if re.search(r"(?:ed|ing)$", word.text)), None)
    if verb:
        yield kept[0].span[0], kept[verb - 1].span[1]
        yield kept[verb + 1].span[0], kept[-1].span[1]
    yield kept[0].span[0], kept[-1].span[1]
