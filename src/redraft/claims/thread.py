"""What was spoken of before each sentence of a passage: what a later pronoun, definite phrase or part of a name may stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from redraft.claims.sentence import Sentence, Token, read_sentence

__all__ = ["Before", "keys_of", "thread", "with_subject"]


@dataclass(frozen=True, slots=True)
class Before:
    """The keys of all words said before, of what was spoken of, and of the nouns that the claim's subject was called by."""

    context: frozenset[str]
    topics: frozenset[str]
    kinds: frozenset[str]


def thread(said: Sentence, read: Sequence[Sentence], title: str) -> Iterator[tuple[Sentence, Before]]:
    """Each sentence with what was spoken of before it, its title and the passage's topic included."""
    headed = read_sentence(title).tokens
    topics = keys_of(_standing([*headed, *_topic(read)], said))
    context = topics | keys_of(headed)
    kinds = keys_of(token for token in headed if not token.name) | _kinds(said.tokens, said)
    ours = keys_of(_subject(said))
    for source in read:
        yield source, Before(frozenset(context), frozenset(topics), frozenset(kinds))
        kinds |= _kinds(source.tokens, source) if source.copular and not keys_of(_subject(source)).isdisjoint(ours) else set[str]()
        context |= source.by_key.keys()
        topics |= keys_of(_standing([token for token in source.tokens if token.subject], said))


def with_subject(said: Sentence, subject: str) -> Sentence:
    """The claim with what its pronoun stands for as words of its own, which have no place in its text."""
    named = [token for token in read_sentence(subject).tokens if token.keys.isdisjoint(key for other in said.tokens for key in other.keys)]
    extra = tuple(
        replace(token, index=place - len(named), span=(0, 0), name=True, subject=True, predicate=False, after="") for place, token in enumerate(named)
    )
    return replace(said, tokens=extra + said.tokens)


def keys_of(tokens: Iterable[Token]) -> set[str]:
    """The keys of all the words."""
    return {key for token in tokens for key in token.keys}


def _subject(sentence: Sentence) -> list[Token]:
    return [token for token in sentence.tokens if token.subject and not token.light]


def _kinds(tokens: Sequence[Token], sentence: Sentence) -> set[str]:
    """What a sentence calls its subject by: the noun that ends the subject's name, and what a copula says that it is."""
    said = [token for token in tokens if sentence.copular and sentence.pivot is not None and sentence.pivot < token.index < sentence.object_end]
    return keys_of([*_subject(sentence)[-1:], *(token for token in said if not token.name)])


def _standing(tokens: Iterable[Token], said: Sentence) -> list[Token]:
    """The words that may stand for the claim's subject.

    A subject of one word is not the first word of a longer name: "Love" is not "Love and Theft".
    """
    subject = [token for token in said.tokens if token.subject and not token.light]
    return [token for token in tokens if len(subject) != 1 or token.ends or not token.name]


def _topic(read: Sequence[Sentence]) -> list[Token]:
    """The name that a passage is about: the one that is most often the subject, where that is one name."""
    names = [token for sentence in read for token in sentence.tokens if token.name and token.subject]
    counts = Counter(token.stem for token in names)
    most = max(counts.values(), default=0)
    topic = [token for token in names if counts[token.stem] == most]
    return topic if most > 1 or len({token.stem for token in topic}) <= 3 else []
