"""What a question asks for, and which spans of a sentence could answer it.

By question word, head noun and the vocabulary of kinds, never by the wording of a question as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from redraft.claims.sentence import root
from redraft.claims.slots import names
from redraft.claims.words import CJK, Word, content_words, fold, stem, words

__all__ = [
    "LIFE",
    "LIFESPAN",
    "MEANING",
    "AnswerType",
    "Question",
    "coverage",
    "equivalent",
    "lifespan",
    "names_covered",
    "only_kind",
    "read_question",
    "share_of",
]

AnswerType = Literal["person", "place", "date", "number", "name", "choice", "yes_no", "phrase"]

_HEADS: dict[str, AnswerType] = {}
for _kind_, _line in cast(
    "tuple[tuple[AnswerType, str], ...]",
    (
        (
            "date",
            "year date day month century decade time era period birthday season",
        ),
        (
            "number",
            "number percentage percent amount age population height length weight distance price cost speed size area depth width total "
            "rate sum score temperature duration",
        ),
        (
            "place",
            "city country state county river place location town village region continent capital province island district street area "
            "lake mountain nation borough territory headquarters birthplace neighborhood neighbourhood suburb sea ocean municipality "
            "peninsula shire",
        ),
        (
            "person",
            "man woman actor actress author writer president singer person player director king queen emperor scientist artist founder "
            "composer musician coach politician inventor poet philosopher general leader architect producer painter host manager ruler "
            "pope minister engineer physicist chemist explorer quarterback character rapper captain owner wife husband son daughter "
            "brother sister father mother chancellor mayor senator governor ceo chairman people songwriter athlete driver drummer "
            "guitarist model comedian journalist lawyer designer screenwriter novelist",
        ),
        (
            "name",
            "company band team organization organisation film movie book song album magazine newspaper university school club group party "
            "series show station game network language religion nationality award prize war battle ship bridge building museum church "
            "label studio brand agency league stadium airline novel title name tribe dynasty law treaty theory airport college store chain "
            "publication documentary play musical",
        ),
    ),
):
    _HEADS.update(dict.fromkeys(_line.split(), _kind_))
_ASKS = frozenset("who whom whose which what when where why how".split())
_AUXILIARY = frozenset("is are was were be been do does did has have had can could will would shall should may might must".split())
_MEASURES = frozenset("long far tall high deep wide old big large fast heavy hot cold thick often soon late early broad".split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question as the rules need it."""

    text: str
    type: AnswerType
    head: frozenset[str]
    """Stems of the noun that the question word asks about."""
    kinds: frozenset[str]
    """Those of them that only say the kind ("which city"): a text need not have them."""
    content: tuple[Word, ...]
    """Its content words, without those that only ask."""
    names: tuple[str, ...]
    choices: tuple[str, ...] = ()
    year: bool = False
    """Whether a year is asked for."""
    measure: bool = False


def read_question(text: str) -> Question:
    """The kind of answer that a question asks for."""
    found = words(text)
    lowered = [word.text.lower() for word in found]
    content = tuple(content_words(text, question=True))
    named = tuple(text[start:end] for start, end in names(text) if text[start:end].lower() not in _ASKS)
    named = tuple(re.sub(r"^(?:Who|What|When|Where|Which|How|In|On|At|Did|Does|Is|Was|Were)\s+", "", name) for name in named)
    place = _question_word(found)
    choices = _choices(text) if place is None or lowered[place] in ("which", "who", "what", "where") else ()
    if place is None:
        kind: AnswerType = (
            _cjk_type(text) if re.search(f"[{CJK}]", text) else "choice" if choices else "yes_no" if lowered[:1] and lowered[0] in _AUXILIARY else "phrase"
        )
        return Question(
            text=text, type=kind, head=frozenset(), kinds=frozenset(), content=content, names=named, choices=choices, year="哪一年" in text or "哪年" in text
        )
    asked = lowered[place]
    head = _head(found, place)
    kind, measure = _kind(asked, head, lowered, place)
    if choices:
        kind = "choice"
    year = kind == "date" and ("year" in head or asked == "when")
    direct = asked in ("which", "what") and lowered[place + 1 : place + 2] == head[:1]
    return Question(
        text=text,
        type=kind,
        head=frozenset(stem(word) for word in head),
        kinds=frozenset(stem(word) for word in head if direct and word in _HEADS),
        content=content,
        names=named,
        choices=choices,
        year="year" in head if not year else year,
        measure=measure,
    )


def _question_word(found: Sequence[Word]) -> int | None:
    """The place of the word that asks: the first one where the question begins with it, else the last one that is no relative pronoun."""
    places = [at for at, word in enumerate(found) if word.text.lower() in _ASKS]
    if not places:
        return None
    if places[0] <= 2:
        return places[0]
    strong = [at for at in places if found[at].text.lower() in ("what", "how") or (found[at].text.lower() == "which" and _kinded(found, at))]
    prepositional = [
        at
        for at in places
        if at and found[at - 1].text.lower() in ("in", "of", "by", "for", "to", "with", "on", "from", "at", "and", "is", "was", "but", "the")
    ]
    return (strong or prepositional or places)[-1]


def _kinded(found: Sequence[Word], place: int) -> bool:
    return any(word in _HEADS or word.removesuffix("s") in _HEADS for word in _head(found, place))


def _head(found: Sequence[Word], place: int) -> list[str]:
    """The noun phrase after the question word, up to the verb; for "what is the X of" the X."""
    head: list[str] = []
    at = place + 1
    while at < len(found) and (found[at].text.lower() in _AUXILIARY or found[at].text.lower() in ("the", "a", "an", "many", "much", "of", "other")):
        at += 1
    while at < len(found) and found[at].content and found[at].text.lower() not in _AUXILIARY and len(head) < 4:
        head.append(found[at].text.lower())
        at += 1
    return head


def _kind(asked: str, head: list[str], lowered: list[str], place: int) -> tuple[AnswerType, bool]:
    if asked in ("who", "whom", "whose"):
        return "person", False
    if asked == "where":
        return "place", False
    if asked == "when":
        return "date", False
    after = lowered[place + 1] if place + 1 < len(lowered) else ""
    if asked == "how":
        if after in ("many", "much"):
            return "number", False
        return ("number", True) if after in _MEASURES else ("phrase", False)
    if asked == "why":
        return "phrase", False
    for word in reversed(head):
        kind = _HEADS.get(word) or _HEADS.get(word.removesuffix("s")) or (_HEADS.get(word[:-3] + "y") if word.endswith("ies") else None)
        if kind:
            return kind, kind == "number"
    return "phrase", False


def _cjk_type(text: str) -> AnswerType:
    patterns: tuple[tuple[AnswerType, str], ...] = (
        ("person", "谁|哪位|何人|誰"),
        ("date", "何时|什么时候|哪一?年|哪天|几月|几年|何年|いつ|什么时间|哪个世纪"),
        ("place", "哪里|哪儿|何处|在哪|什么地方|哪个(?:国家|城市|地区|省|州)|どこ"),
        ("number", "多少|几[个位次名只条家]|百分之几|多[大高长远深]|いくつ|何人"),
        ("yes_no", "吗[？?]?$"),
    )
    for kind, pattern in patterns:
        if re.search(pattern, text):
            return kind
    return "phrase"


def _choices(text: str) -> tuple[str, ...]:
    """The alternatives of "A or B", where both are names."""
    for match in re.finditer(r"\bor\b", text):
        spans = list(names(text))
        before = [span for span in spans if span[1] <= match.start()]
        after = [span for span in spans if span[0] >= match.end()]
        if before and after and match.start() - before[-1][1] <= 3 and after[0][0] - match.end() <= 6:
            return text[before[-1][0] : before[-1][1]], text[after[0][0] : after[0][1]]
    return ()


_SYNONYMS = [
    frozenset(stem(word) for word in line.split())
    for line in (
        "write author written writer pen, found establish start form create set, invent inventor devis create, build construct erect, locat situat lie lay "
        "stand find, bear birth birthplac nativ, die death dead, direct director film, play star portray act, paint painter artist, compos composer, marri "
        "wife husband spous, design architect designer, discover discoverer discovery, lead leader head, rul king queen emperor reign, win winner victory "
        "victor, begin start open, end finish close stop, buy purchas acquir, pay cost price, live resid inhabitant, big larg, make produc "
        "manufactur, use utiliz, show display, help assist aid, kill murder assassinat, near close, job occupation profession, own owner belong, teach "
        "teacher taught, study studi, speak languag spoken, tall high height, long length, wide width, deep depth, heavy weigh weight, old age, hold host, "
        "name call known, movi film, car automobil, country nation, employ employee worker staff, sell sale sold, earn revenu incom, publish releas issu, "
        "say state claim, leav depart, arriv reach come,"
    ).split(", ")
]
"""Words that ask for and state one relation: enough to find the sentence, never enough to decide a claim."""
MEANING: dict[str, frozenset[str]] = {}
for _group in _SYNONYMS:
    for _word in _group:
        MEANING[_word] = MEANING.get(_word, frozenset()) | _group


def _forms(word: Word) -> frozenset[str]:
    return frozenset({word.stem, root(word.stem)})


def coverage(question: Question, text: str) -> float:
    """Share of the question's content words that a text has, forms and near synonyms of a word included; what only says the kind asked for is not counted."""
    return share_of([word for word in question.content if not only_kind(question, word)] or question.content, text)


def share_of(wanted: Sequence[Word], text: str) -> float:
    """Share of some words that a text has, in one form or another."""
    there = {form for word in words(text) for form in _forms(word)}
    if not wanted:
        return 0.0
    return sum(bool(_forms(word) & there) or bool(MEANING.get(word.stem, frozenset()) & there) for word in wanted) / len(wanted)


def only_kind(question: Question, word: Word) -> bool:
    """Whether a word of the question only says what kind of answer is wanted ("which city", "how tall")."""
    return word.stem in question.kinds or (question.measure and word.text.lower() in _MEASURES)


LIFE = frozenset(stem(word) for word in ("born", "died"))
LIFESPAN = re.compile(r"\((?:[^()]*\d{3,4}\s*[–—-]\s*(?:[^()]*\d{3,4})|(?:born|b\.) [^()]*\d{3,4})\)")


def lifespan(question: Question, text: str) -> bool:
    """Whether a text gives in brackets the dates of a life, where a question asks when it began or ended."""
    return question.type == "date" and bool({word.stem for word in question.content} & LIFE) and bool(LIFESPAN.search(text))


def names_covered(question: Question, text: str) -> bool:
    """Whether a text has every name that the question has: its words, up to initials and titles."""
    there = {word.stem for word in words(text)}
    for name in question.names:
        parts = [word for word in words(name) if word.content and len(word.text) > 1 and word.text.lower() not in _TITLES]
        if not all(word.stem in there for word in parts):
            return False
    return True


def equivalent(first: str, second: str) -> bool:
    """Whether two bare answers name the same: equal up to articles, case, accents and punctuation, or one is the other with what contains or details it.

    "Paris" and "Paris, France" are; "First Street" and "Second Street", "3" and "3.5", "New York" and "York" are not.
    """
    ours, theirs = _bare(first), _bare(second)
    if not ours or not theirs:
        return False
    if ours == theirs:
        return True
    figures = [re.findall(r"(?<!\d)-?\d+(?:[.,]\d+)*", text.replace("−", "-")) for text in (first, second)]
    if figures[0] != figures[1]:
        return False
    short, long = (first, second) if len(ours) <= len(theirs) else (second, first)
    head = re.split(r"\s*(?:,|\(|（)\s*", long, maxsplit=1)
    if len(head) == 2 and _bare(head[0]) == _bare(short):
        return True
    a, b = _bare(short).split(), _bare(long).split()
    people = len(a) >= 2 and len(b) > len(a) and a[0] == b[0] and a[-1] == b[-1] and all(word in b for word in a)
    titled = b[-len(a) :] == a and all(word in _TITLES for word in b[: -len(a)])
    return people or titled


_TITLES = frozenset(
    "mr mrs ms dr sir dame lord lady prof professor president king queen prince princess saint st general captain justice judge senator".split()
)


def _bare(text: str) -> str:
    plain = re.sub(r"[^\w\s.,%$€£¥+-]", " ", fold(text))
    plain = re.sub(r"(?<!\d)[.,]|[.,](?!\d)|-(?!\d)|(?<=[^\s\d])-", " ", plain.replace("−", "-"))
    plain = re.sub(r"^(?:in|on|at|by|from)\s+(?=\S)", "", " ".join(plain.split()))
    return " ".join(word for word in plain.split() if word not in ("the", "a", "an"))
