"""How far a sentence bears on a question: what it has of what is asked, in the same words, in others of that meaning, or in what stands before it.

What picks one of several ("first", "the year before"), the verb and the role that is asked for have to be there: the guard against answering a question
that a text only comes near to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from redraft.claims.questions import MEANING, Question, lifespan
from redraft.claims.sentence import root
from redraft.claims.spans import Kin
from redraft.claims.thesaurus import alike
from redraft.claims.wanted import Wanted
from redraft.claims.words import Word, stem, stems, words

__all__ = ["Bearing", "bearing"]


NEEDED = 0.7
"""What a word that may not be missing must reach: itself, one that may stand for it, or one that is very near in meaning."""


CARRIED = 0.25
"""Share that a sentence must have itself for half of what stands just before it to count as its own: it goes on about the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bearing:
    """`own` and `around` are shares in [0, 1] of what is asked: of the sentence itself, and with its title and the sentence before."""

    own: float
    around: float
    named: bool
    """Whether every name of the question is in the sentence, before it or in the title."""
    exact: bool
    """Whether nothing is missing that may not be: restricting words, the verb, the role."""


def bearing(question: Question, want: Wanted, sentence: str, around: str, kin: Kin) -> Bearing:
    """What a sentence has of a question; `around` is the sentence with its title, opening and the sentence before."""
    own, all_around = stems(words(sentence)), stems(words(f"{around} {sentence}"))
    named = [word for name in question.names if not _SPEAKING.fullmatch(name) for word in words(re.sub(r"['’]s\b", "", name))]
    topic = stems(named) | stems(words(around.partition(". ")[0]))
    asked = [word for word in question.content if word.stem not in topic and word.text.lower() not in _LIGHT and not _SPEAKING.fullmatch(word.text)]
    asked = [word for word in asked if word.stem != want.head or want.role or want.want in ("count", "phrase")]
    if want.verb in _CREATING and _BY.search(sentence):
        asked = [word for word in asked if word.stem != want.verb]  # "a play by" says who wrote it
    alone, together = _share(asked, own, kin), _share(asked, all_around, kin)
    return Bearing(
        own=1.0 if lifespan(question, sentence) else alone + (0.5 * (together - alone) if alone >= CARRIED else 0.0),
        around=together,
        named=all(word.stem in all_around for word in named if word.content and len(word.text) > 1),
        exact=_restricted(question, sentence, around) and not _contrary(question, sentence, around) and _related(want, asked, sentence, kin),
    )


_SPEAKING = re.compile(r"I(?:['’](?:m|ve|d|ll))?")
_LIGHT = frozenset("please thing things one take place give get put kind sort exactly last lasted name names".split())


def _share(asked: Sequence[Word], there: frozenset[str], kin: Kin) -> float:
    return sum(_had(word, there, kin) for word in asked) / len(asked) if asked else 1.0


def _had(word: Word, there: frozenset[str], kin: Kin) -> float:
    """1 for the word or a form of it, less for words that may stand for it or are near it in meaning."""
    if word.stem in there or root(word.stem) in {root(other) for other in there} or MEANING.get(word.stem, frozenset()) & there:
        return 1.0
    if alike(word.stem) & there:
        return 0.85
    best = max((score for other, score in kin.get(word.stem, {}).items() if other in there), default=0.0)
    return min(0.8, best / 0.5) if best >= 0.25 else 0.0


_RESTRICTING = tuple(
    frozenset(line.split())
    for line in (
        "first earliest original originally initial initially",
        "last final latest",
        "second",
        "third",
        "fourth",
        "fifth",
        "next following coming",
        "previous previously before earlier prior preceding former formerly predecessor",
        "eldest oldest",
        "youngest",
        "tallest highest",
        "largest biggest greatest",
        "smallest tiniest",
        "longest",
        "shortest",
        "fastest quickest",
        "deepest",
        "only sole",
        "after later since afterwards",
        "best",
        "worst",
        "most",
        "least fewest",
        "average averages averaged averaging mean typical typically usually normally",
    )
)
"""Words that pick one of several; one of a group may stand for another."""
_RELATIVE = frozenset("before after since later most".split())
"""Those that restrict only at the end of a question ("the year before"), and join clauses elsewhere."""


def _restricted(question: Question, sentence: str, around: str) -> bool:
    spoken = {word.text.lower() for word in words(sentence)}
    passed = {word.text.lower() for word in words(around.partition(". ")[0])} | {word.text.lower() for name in question.names for word in words(name)}
    found = words(question.text)
    for place, word in enumerate(found):
        lowered, final = word.text.lower(), place == len(found) - 1
        if lowered in ("most", "least") and place and found[place - 1].text.lower() == "at":
            continue  # "at most" sets a limit and picks none
        if lowered in passed or (final and lowered == "last") or (not final and lowered in _RELATIVE):
            continue
        if any(lowered in group and not group & spoken for group in _RESTRICTING):
            return False
    return True


_CONTRARY = tuple(
    tuple(frozenset(stem(word) for word in kind.split()) for kind in line.split(","))
    for line in (
        "adult grown-up,child children junior kid youngster youth minor,student pupil,senior pensioner",
        "winter,spring,summer,autumn",
        "morning,afternoon,evening,night",
        "man men,woman women",
    )
)
"""Kinds of one thing: what is said of one holds of no other."""


def _contrary(question: Question, sentence: str, around: str) -> bool:
    """Whether the question is about one of several kinds and the sentence about others of them only."""
    asked, there = {word.stem for word in question.content}, stems(words(sentence))
    said = there | stems(words(around))
    return any(any(kind & asked and not kind & said for kind in kinds) and any(kind & there and not kind & asked for kind in kinds) for kinds in _CONTRARY)


_CREATING = frozenset(stem(word) for word in "write compose paint design build create direct sculpt draw invent carve author produce".split())


_BY = re.compile(r"\bby (?:the [a-z' ]+)?[A-Z]")


def _related(want: Wanted, asked: Sequence[Word], sentence: str, kin: Kin) -> bool:
    """Whether the sentence has the verb, and the noun where that says more than the kind of answer."""
    own = stems(words(sentence))
    needed = {want.verb}
    if (want.role or want.want == "phrase") and (want.want in ("person", "name", "phrase", "place") or want.head == "population"):
        needed.add(want.head)
    return all(_had(word, own, kin) >= NEEDED for word in asked if word.stem in needed)
