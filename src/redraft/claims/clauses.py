"""Which clause of a sentence a question is about: of "began in March and was finished in May" the second, where it asks when something was finished."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from redraft.claims.questions import MEANING, Question
from redraft.claims.sentence import root
from redraft.claims.slots import names
from redraft.claims.words import Word, words
from redraft.types import Span

__all__ = ["asked_clause", "of_another_part"]

_BORDER = re.compile(r"; |, (?:and |but |while |whereas |which |who )|\b(?:and|but|while|whereas|which|who) ")
_AUXILIARY = frozenset("is are was were be been being has have had can could will would may might must also then later finally".split())
_OPENING = frozenset("the a an this that these those its his her their our my your he she it they we you each every one all some any no".split())


def asked_clause(question: Question, sentence: str) -> Span | None:
    """The part of a sentence, after a conjunction or a relative pronoun, whose verb is a word of the question; None where no part stands out so.

    A part with a subject of its own has to have two words of the question and more of them than the rest.
    """
    asked = [word for word in question.content if not any(word.text in name for name in question.names)]
    joined = {root(word.stem) for before, word in pairwise(words(question.text)) if before.text.lower() in ("and", "or")}
    borders = [0, *(match.end() for match in _BORDER.finditer(sentence)), len(sentence)]
    parts = [(start, end) for start, end in pairwise(borders) if start < end]
    found: list[Span] = []
    for part in parts[1:]:
        inside = words(sentence[part[0] : part[1]])
        outside = [word for other in parts if other != part for word in words(sentence[other[0] : other[1]])]
        lead = next((word for word in inside if word.text.lower() not in _AUXILIARY and not word.text[0].isdigit()), None)
        if lead is None:
            continue
        if lead.text.lower() in _OPENING or lead.capital:
            theirs = [word for word in asked if _said(word, inside) and not _said(word, outside)]
            ours = [word for word in asked if _said(word, outside) and not _said(word, inside)]
            stands_out = len(theirs) > max(1, len(ours))
        else:
            stands_out = root(lead.stem) not in joined and any(_said(word, [lead]) > _said(word, outside) for word in asked)
        if stands_out:
            found.append(part)
    return found[0] if len(found) == 1 else None


def _said(word: Word, there: Sequence[Word]) -> int:
    """2 for a form of the word itself, 1 for one that may stand for it."""
    if root(word.stem) in {root(other.stem) for other in there}:
        return 2
    return int(bool(MEANING.get(word.stem, frozenset()) & {other.stem for other in there}))


def of_another_part(question: Question, sentence: str, span: Span) -> bool:
    """Whether a span stands in a part, set off by a semicolon, about another named thing than the question, whose names another part has."""
    parts: list[Span] = []
    for match in re.finditer(r"[^;]+", sentence):
        parts.append(match.span())
    if len(parts) < 2 or not question.names:
        return False
    named = {word.stem for name in question.names for word in words(name) if word.content}
    mine = next((part for part in parts if part[0] <= span[0] < part[1]), parts[0])
    own = [sentence[mine[0] + start : mine[0] + end] for start, end in names(sentence[mine[0] : mine[1]]) if (mine[0] + start, mine[0] + end) != span]
    others = [{word.stem for word in words(sentence[part[0] : part[1]])} for part in parts if part != mine]
    here = {word.stem for word in words(sentence[mine[0] : mine[1]])}
    return bool(own) and not named & here and any(named <= other for other in others)
