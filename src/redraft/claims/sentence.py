"""One sentence read for comparison: its content words with their roles, its slots, its polarity and what qualifies it.

Roles are read from the small closed classes of the language (prepositions, auxiliaries, pronouns), never from sentence patterns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from redraft.claims.signature import negated
from redraft.claims.slots import Slot, slots
from redraft.claims.words import Word, stem, words
from redraft.types import Span

__all__ = ["Sentence", "Token", "changed", "keys", "read_sentence", "root"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """One content word outside dates and quantities, with the role it plays."""

    index: int
    """Its place among all words of the sentence."""
    text: str
    span: Span
    stem: str
    keys: frozenset[str]
    """Two tokens with a key in common are forms of one word: the stem (one spelling of it), and the root it derives from."""
    name: bool = False
    ends: bool = False
    """Whether it is the last word of its name: by that one a bearer may be called alone."""
    subject: bool = False
    """Whether it stands before the verb."""
    predicate: bool = False
    """Whether it is the main verb or what a quantity counts."""
    light: bool = False
    after: str = ""
    """The preposition it hangs on."""
    genitive: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A sentence as compare needs it."""

    text: str
    tokens: tuple[Token, ...]
    slots: tuple[Slot, ...]
    names: frozenset[str]
    by_key: Mapping[str, tuple[Token, ...]] = field(default_factory=dict[str, tuple[Token, ...]])
    """Its tokens by the keys of their words."""
    negated: bool = False
    negations: int = 0
    polarity: tuple[Span, ...] = ()
    hedged: bool = False
    conditional: bool = False
    question: bool = False
    anaphoric: bool = False
    passive: bool = False
    copular: bool = False
    comparing: bool = False
    serving: bool = False
    """Whether the subject holds an office ("served as")."""
    pivot: int | None = None
    """Place of the main verb, or of the word that is compared before "than"."""
    object_end: int = 10**6
    """Last place of what follows the pivot directly, before the next preposition."""
    restricting: frozenset[str] = frozenset()
    """Ordinals, superlatives and words such as "only"."""
    one_of: bool = False


_BE = frozenset("is are was were be been being am 's".split())
_AUXILIARY = _BE | frozenset("has have had do does did will would can could shall should must may might".split())
_PREPOSITIONS = frozenset(
    "of by to from than against over under after before between for in at on with into onto upon through during within without among across near "
    "as about via per".split()
)
_PRONOUNS = frozenset("he she it they his her its their him them who which this these those".split())
_LIGHT = frozenset(
    "total number approximately roughly located situated called named known also currently various several certain located part member being "
    "later then official officially commonly typically generally full served serves serve serving".split()
)
_RESTRICTING = frozenset(
    "only all every each always never none first last second third fourth fifth sixth seventh eighth ninth tenth final sole most least alone "
    "exclusively entire largest biggest smallest oldest youngest longest shortest highest lowest tallest best worst fastest earliest latest "
    "greatest".split()
)
"""What makes a statement say more: where the claim has one of them, the sentence must have it too."""
_CHANGING = frozenset(
    "former formerly vice deputy assistant acting honorary half few fictional planned proposed attempted failed alleged unsuccessful candidate "
    "nominee would-be aspiring future prospective fake false imitation mock pseudo quasi semi partial partly".split()
)
"""What takes something away from the word beside it: where the sentence has one of them beside a word of the claim, the claim must have it too."""
_CHANGING_PREFIX = re.compile(r"\b(?:non|anti|ex|co|un|pre|pseudo|quasi|semi|half|sub|vice)-$", re.IGNORECASE)
_HEDGES = re.compile(
    r"\b(?:(?-i:may)|might|could|perhaps|possibly|probably|presumably|supposedly|reportedly|allegedly|apparently|rumou?red|said to|believed|"
    r"thought to|claim(?:s|ed)?|"
    r"suggest(?:s|ed)?|expected|plan(?:s|ned)? to|propos(?:es|ed)|predict(?:s|ed)?|hop(?:es|ed)|would|myth|legend|disputed|unclear|uncertain|"
    r"likely|seems?|appears?|estimated)\b",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(r"\b(?:if|unless|suppose|assuming|whether|had it not|as if|as though)\b|如果|假如|若|もし", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not(?!\s+only\b|\s+just\b)|\w+n['’]t|cannot|never|neither|nor|none|nobody|nothing|nowhere|no(?!\s*\.?\s*\d)|without|lacks?|lacked|lacking|"
    r"false|untrue|incorrect|den(?:y|ies|ied)|fail(?:s|ed)? to|refus(?:es|ed) to|unable to)\b|[不没沒未非無无]",
    re.IGNORECASE,
)
_DENIALS = frozenset("not cannot never no none neither nor".split())
_NAME_TITLES = frozenset("mr mrs ms dr sir lord lady prof professor president king queen prince princess saint justice judge general captain minister".split())
_SAME = {
    "usa": "us", "unitedstat": "us", "america": "us", "american": "us", "uk": "britain", "british": "britain", "kilometr": "km",
    "kilometer": "km", "percent": "%", "meter": "metr", "tonn": "ton", "grey": "gray", "color": "colour", "center": "centr", "sulphat": "sulfat",
}  # fmt: skip


_COMPOUND = re.compile(
    r"(?<=[^\W_])-(?=(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|miles?|kilomet(?:er|re)s?|met(?:er|re)s?|feet|foot|inch|pages?|seats?|storey|story|"
    r"member|man|person|volume|part|point|percent|dollar|degree|acre|ton|tonne|pound|old|long|tall|high|wide|deep)\b)",
    re.IGNORECASE,
)


def read_sentence(text: str, known: frozenset[str] = frozenset()) -> Sentence:
    """The sentence with everything that its comparison with another one needs; `known` are stems that are names, for the word it begins with."""
    if not known:
        return _read(text, known)
    first = re.search(r"\w+", text)
    return _read(text, known & {stem(first[0])} if first else frozenset[str]())


@lru_cache(maxsize=16384)
def _read(text: str, known: frozenset[str]) -> Sentence:
    text = _COMPOUND.sub(" ", text)  # equally long: places keep their meaning
    found = slots(text, known=known)
    name_spans = [slot.span for slot in found if slot.kind == "name"]
    typed = [slot for slot in found if slot.kind != "name"]
    every = words(text)
    pivot, copular, comparing = _pivot(every, text, typed)
    tokens = tuple(_tokens(every, text, name_spans, typed, pivot))
    lowered = [word.text.lower() for word in every]
    passive = any(word in _BE and _participle(lowered, place) for place, word in enumerate(lowered)) and "by" in lowered
    marks = tuple(match.span() for match in _NEGATION.finditer(text))
    after_pivot = [place for place in range((pivot or 0) + 1, len(lowered)) if lowered[place] in _PREPOSITIONS and lowered[place] != "than"]
    first_words = lowered[:4]
    return Sentence(
        text=text,
        tokens=tokens,
        slots=tuple(typed),
        names=frozenset(token.stem for token in tokens if token.name),
        by_key=_by_key(tokens),
        negated=negated(text) or bool(marks),
        negations=len(marks),
        polarity=marks,
        hedged=bool(_HEDGES.search(text)),
        conditional=bool(_CONDITIONAL.search(text)),
        question=bool(re.search(r"[?？][\"'”’)\]]*\s*$", text)),
        anaphoric=bool(_PRONOUNS & set(lowered)) or (bool(first_words) and first_words[0] == "the"),
        passive=passive,
        copular=copular,
        comparing=comparing,
        serving=pivot is not None and every[pivot].stem in ("serv", "becom", "act") and lowered[pivot + 1 : pivot + 2] == ["as"],
        pivot=pivot,
        object_end=after_pivot[0] if after_pivot else 10**6,
        restricting=_RESTRICTING & set(lowered) | set(_ORDINAL.findall(text.lower())),
        one_of=bool(re.search(r"\bone of\b|\bamong(?:st)? the\b|\bsome of\b", text, re.IGNORECASE)),
    )


def _by_key(tokens: Sequence[Token]) -> Mapping[str, tuple[Token, ...]]:
    found: dict[str, list[Token]] = {}
    for token in tokens:
        for key in token.keys:
            found.setdefault(key, []).append(token)
    return {key: tuple(held) for key, held in found.items()}


_ORDINAL = re.compile(r"\b\d{1,3}(?:st|nd|rd|th)\b(?! century)")


def changed(sentence: Sentence, token: Token) -> frozenset[str]:
    """The words beside a token that take something away from it ("vice" president, "non-" renewable)."""
    before = sentence.text[: token.span[0]]
    found = set(_CHANGING & {word.text.lower() for word in words(before[-40:])[-2:]})
    following = words(sentence.text[token.span[1] : token.span[1] + 20])[:1]
    found |= {word.text.lower() for word in following} & {"candidate", "nominee"}
    if match := _CHANGING_PREFIX.search(before):
        found.add(match[0].lower())
    return frozenset(found)


def _participle(lowered: list[str], place: int) -> bool:
    following = lowered[place + 1 : place + 3]
    return any(_PAST.search(word) for word in following)


_PAST = re.compile(r"(?:ed|en|wn|rn|ne|ught|ung|ade|eld|uilt|old|ept|ost|ound|aid|urnt|oken|osen|iven|itten)$")


def _pivot(every: Sequence[Word], text: str, typed: list[Slot]) -> tuple[int | None, bool, bool]:
    """The place of the main verb among the words, whether it is a copula, and whether the sentence compares with "than"."""
    lowered = [word.text.lower() for word in every]
    if "than" in lowered[1:]:
        place = lowered.index("than", 1)
        return place - 1, False, True
    inside = [slot.span for slot in typed]
    for place, word in enumerate(lowered):
        if place == 0 or any(start <= every[place].span[0] < end for start, end in inside):
            continue
        if word in _AUXILIARY:
            for ahead in range(place + 1, min(place + 5, len(lowered))):
                if (
                    lowered[ahead] in _AUXILIARY
                    or (lowered[ahead].endswith("ly") and len(lowered[ahead]) > 5)
                    or lowered[ahead] in ("not", "also", "never", "first", "then")
                ):
                    continue
                if _PAST.search(lowered[ahead]) or lowered[ahead].endswith("ing") or (word not in _BE and every[ahead].content and not every[ahead].capital):
                    return ahead, False, False
                break
            return place, word in _BE, False
        before = lowered[place - 1]
        verbal = re.fullmatch(
            r"[a-z]{2,}(?:s|ed)|won|wrote|made|became|began|led|took|gave|held|grew|fell|rose|sold|went|came|saw|ran|sang|fought|lost|left|met|beat|built|found",
            word,
        )
        if (
            verbal
            and not every[place].capital
            and before not in _PREPOSITIONS | {"the", "a", "an", "and", "or", "its", "his", "her", "their"}
            and every[place].content
        ):
            return place, False, False
    return None, False, False


def _tokens(every: Sequence[Word], text: str, name_spans: list[Span], typed: list[Slot], pivot: int | None) -> list[Token]:
    found: list[Token] = []
    preposition, reach = "", 0
    counted = [(slot.span[1], slot.span[1] + 30, slot.counts, slot.dimension) for slot in typed if slot.kind == "quantity"]
    for place, word in enumerate(every):
        lowered = word.text.lower()
        if lowered in _PREPOSITIONS:
            preposition, reach = lowered, 0
        elif lowered in _AUXILIARY or (place and re.search(r"[,;:()]", text[every[place - 1].span[1] : word.span[0]])):
            preposition = ""
        if any(start <= word.span[0] < end for start, end in (slot.span for slot in typed)):
            continue
        if not word.content or lowered in _DENIALS or lowered.endswith(("n't", "n’t")) or (place and word.stem == "stat" and every[place - 1].stem == "unit"):
            continue
        stem_ = word.stem
        if stem_ == "unit" and place + 1 < len(every) and every[place + 1].stem in ("stat", "kingdom"):
            stem_ = "us" if every[place + 1].stem == "stat" else "britain"
        name = any(start <= word.span[0] < end for start, end in name_spans)
        measured = any(begin <= word.span[0] < end and word.stem in counts for begin, end, counts, dimension in counted if dimension)
        if measured:
            continue
        head = any(begin <= word.span[0] < end and word.stem in counts for begin, end, counts, _ in counted)
        reach += 1
        found.append(
            Token(
                index=place,
                text=word.text,
                span=word.span,
                stem=stem_,
                keys=keys(stem_),
                name=name,
                ends=any(end == word.span[1] for _, end in name_spans),
                subject=pivot is not None and place < pivot,
                predicate=place == pivot or head,
                light=lowered in _LIGHT
                or (name and lowered.rstrip(".") in _NAME_TITLES)
                or (name and len(word.text) == 1 and text[word.span[1] : word.span[1] + 1] == ".")
                or _sign(text, word),
                after=preposition if reach <= 4 else "",
                genitive=bool(re.match(r"['’]s?(?=\W|$)", text[word.span[1] :])) or word.text.lower().endswith(("'s", "’s")),
            )
        )
    return found


def _sign(text: str, word: Word) -> bool:
    """Whether a word stands alone in brackets after another, as its sign or short form: "copper (Cu)"."""
    start, end = word.span
    return text[start - 1 : start] == "(" and text[end : end + 1] == ")" and start > 2 and word.capital and len(word.text) <= 5


_SUFFIX = re.compile(
    r"(?:ization|isation|ation|ition|ment|ance|ence|ness|ship|sion|tion|ally|able|abl|ible|ibl|ity|ive|ion|ous|ful|ist|ism|ant|ent|al|er|or|ly|ic)$"
)


@lru_cache(maxsize=65536)
def root(stem_: str) -> str:
    """The stem without the ending that makes a noun of a verb or an adjective of a noun, where at least five letters stay."""
    if not stem_.isascii() or not stem_.isalpha():
        return stem_
    cut = _SUFFIX.sub("", stem_)
    cut = cut if len(cut) >= 5 else stem_
    return cut[:-1] if len(cut) > 5 and cut[-1] in "etcs" else cut


@lru_cache(maxsize=65536)
def keys(stem_: str) -> frozenset[str]:
    """What the forms of one word have in common: its stem in one spelling, and its root."""
    one = _SAME.get(stem_, stem_)
    return frozenset({one, root(one) + "-"}) if len(one) >= 5 else frozenset({one})
