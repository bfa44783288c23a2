"""What a question asks for, and which spans of a sentence could answer it.

By question word, head noun and the vocabulary of kinds, never by the wording of a question as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from redraft.claims.sentence import root
from redraft.claims.slots import COUNTRIES, Slot, names, slots
from redraft.claims.words import CJK, NEGATIONS, Word, content_words, fold, stem, words
from redraft.types import Span

__all__ = ["AnswerType", "Candidate", "Question", "candidates", "coverage", "equivalent", "lifespan", "names_covered", "only_kind", "read_question", "share_of"]

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
_ORGANIZATION = frozenset(
    "university college school company corporation corp inc ltd institute association club band council committee party church museum bank group agency team "
    "department ministry society league union party press records studios".split()
)
_PLACE_WORDS = frozenset(
    "river lake mount mountain island street county city valley bay sea ocean park square bridge avenue road peninsula province desert forest coast".split()
)


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A span of a sentence that could answer; `fit` in [0, 1] says how well its kind and place suit the question."""

    text: str
    span: Span
    kind: AnswerType
    fit: float


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
_MEANING: dict[str, frozenset[str]] = {}
for _group in _SYNONYMS:
    for _word in _group:
        _MEANING[_word] = _MEANING.get(_word, frozenset()) | _group


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
    return sum(bool(_forms(word) & there) or bool(_MEANING.get(word.stem, frozenset()) & there) for word in wanted) / len(wanted)


def only_kind(question: Question, word: Word) -> bool:
    """Whether a word of the question only says what kind of answer is wanted ("which city", "how tall")."""
    return word.stem in question.kinds or (question.measure and word.text.lower() in _MEASURES)


def lifespan(question: Question, text: str) -> bool:
    """Whether a text gives in brackets the dates of a life, where a question asks when it began or ended."""
    return question.type == "date" and bool({word.stem for word in question.content} & _LIFE) and bool(_LIFESPAN.search(text))


def names_covered(question: Question, text: str) -> bool:
    """Whether a text has every name that the question has: its words, up to initials and titles."""
    there = {word.stem for word in words(text)}
    for name in question.names:
        parts = [word for word in words(name) if word.content and len(word.text) > 1 and word.text.lower() not in _TITLES]
        if not all(word.stem in there for word in parts):
            return False
    return True


def candidates(question: Question, sentence: str) -> tuple[Candidate, ...]:
    """The spans of a sentence that are of the kind asked for and not in the question itself, best first."""
    asked = {word.stem for word in words(question.text)}
    wanted = asked | {meant for word in question.content for meant in _MEANING.get(word.stem, ())}
    matched = [word.span for word in words(sentence) if word.content and word.stem in wanted]
    if question.type == "date" and wanted & _LIFE and (pair := _LIFESPAN.search(sentence)):
        matched.append((pair.start(), pair.start() + 1))
    found: list[Candidate] = []
    headed: set[Span] = set()
    for span, kind, typed in _spans(question, sentence):
        text = sentence[span[0] : span[1]]
        own = [word.stem for word in words(text) if word.content]
        if question.type != "choice" and (not own or all(word in asked for word in own)):
            continue
        named = all(word.capital for word in words(text) if word.content)
        if not named and len(own) > 1 and any(word in wanted for word in own) and not _CODE.fullmatch(text):
            continue  # it takes in a part of the question
        if (
            kind in ("name", "place", "person")
            and text[0].isupper()
            and (stem(_led(sentence, span)) in question.head or (question.head & set(own) and len(own) > 1))
        ):
            typed = 1.0  # "which prize": the Atwell Prize; "which company": the company Pharmenta
            headed.add(span)
        found.append(Candidate(text=text, span=span, kind=kind, fit=round(typed * (0.5 + 0.5 * _nearness(span, matched)), 4)))
    best: dict[str, Candidate] = {}
    for candidate in found:
        if headed and candidate.span not in headed:
            candidate = replace(candidate, fit=round(0.7 * candidate.fit, 4))
        known = best.get(fold(candidate.text))
        if known is None or candidate.fit > known.fit:
            best[fold(candidate.text)] = candidate
    return tuple(sorted(best.values(), key=lambda item: (-item.fit, item.span[0], -item.span[1])))


def _nearness(span: Span, matched: list[Span]) -> float:
    """1 beside the question's words, falling with the distance in characters to the nearest three of them."""
    gaps = sorted(max(0, start - span[1], span[0] - end) for start, end in matched if not (span[0] <= start < span[1]))[:3]
    return sum(1 / (1 + gap / 15) for gap in gaps) / len(gaps) if gaps else 0.0


_Typed = tuple[Span, AnswerType, float]


def _typed(spans: Iterable[Span], kind: AnswerType, fit: float) -> Iterator[_Typed]:
    for span in spans:
        yield span, kind, fit


def _spans(question: Question, sentence: str) -> Iterator[_Typed]:
    """Typed spans, each with how well its type fits."""
    kind, typed = question.type, slots(sentence)
    of_kind = {wanted: [slot.span for slot in typed if slot.kind == wanted] for wanted in ("name", "quantity", "date")}
    titles = [match.span(1) for match in _TITLE.finditer(sentence)] + [match.span() for match in _CODE.finditer(sentence)]
    if kind == "choice":
        places = [(sentence.find(choice), len(choice)) for choice in question.choices]
        yield from _typed([(place, place + length) for place, length in places if place >= 0], kind, 1.0)
    elif kind == "date":
        yield from _dated(question, sentence, of_kind["date"])
    elif kind == "number":
        yield from _numbers(question, sentence, typed)
    elif kind in ("person", "place", "name"):
        for span in of_kind["name"]:
            yield span, kind, _name_fit(kind, sentence, span)
        yield from _typed(titles, kind, 0.9 if kind == "name" else 0.4)
        for span in _phrases(sentence):
            yield span, kind, 0.45 if kind == "name" else 0.5 if _led(sentence, span) in _LEADS[kind] else 0.2
    elif kind == "phrase":
        yield from _typed(of_kind["name"], "name", 0.75)
        yield from _typed(of_kind["quantity"], "number", 0.5)
        yield from _typed(of_kind["date"], "date", 0.4)
        yield from _typed(titles, "name", 0.9)
        yield from _typed(_phrases(sentence), "phrase", 0.8)


_LEADS = {"person": frozenset({"by"}), "place": frozenset("in at on near from to along".split())}
_CODE = re.compile(r"(?<![\w/])[\w-]+(?:\.[a-z]{2,5}\b(?![ ]?[A-Z])|/[\w./-]+)")


def _led(sentence: str, span: Span) -> str:
    """The word before a span, articles left out."""
    before = re.search(r"(\w+)[ ,]*(?:(?:the|a|an|his|her|their|its) )?$", sentence[: span[0]], re.IGNORECASE)
    return before[1].lower() if before else ""


_LIFE = frozenset(stem(word) for word in ("born", "died"))
_LIFESPAN = re.compile(r"\((?:[^()]*\d{3,4}\s*[–—-]\s*(?:[^()]*\d{3,4})|(?:born|b\.) [^()]*\d{3,4})\)")


def _dated(question: Question, sentence: str, dates: list[Span]) -> Iterator[_Typed]:
    """Dates; of a pair in brackets after a name the first is of birth, the second of death."""
    asked = {word.stem for word in question.content}
    for place, span in enumerate(dates):
        opens = sentence[: span[0]].rstrip().endswith(("(", "born", "(b."))
        closes = bool(re.match(r"\s*\)", sentence[span[1] :])) and place > 0 and bool(re.fullmatch(r"\s*[–—-]\s*", sentence[dates[place - 1][1] : span[0]]))
        born, died = stem("born") in asked, stem("died") in asked
        yield span, "date", 0.4 if (died and opens) or (born and closes) else 1.0


_TITLE = re.compile(r"[\"“‘]([^\"”’]{2,60})[\"”’]")


def _numbers(question: Question, sentence: str, typed: tuple[Slot, ...]) -> Iterator[_Typed]:
    """Quantities; those that count what is asked for first, with their unit where a measure is asked for."""
    percent = bool(re.search(r"percent|per cent|share|proportion", question.text, re.IGNORECASE))
    for slot in typed:
        if slot.kind != "quantity" or slot.quantity is None:
            continue
        counted = bool(set(slot.counts) & question.head)
        fit = 1.0 if counted else 0.85 if question.measure and slot.dimension else 0.6
        if slot.quantity.percent != percent:
            fit *= 0.6
        end = slot.span[1]
        unit = re.match(r"[ -](?:[a-z]+)\b", sentence[end:])
        named = slot.unit[:3] if question.measure else slot.quantity.unit if slot.dimension == "money" else ""
        if unit and named and unit[0].strip(" -").startswith(named):
            end += unit.end()
        yield (slot.span[0], end), "number", fit


def _name_fit(kind: AnswerType, sentence: str, span: Span) -> float:
    """How well a name suits a person, a place or a thing, by its own words and the preposition before it."""
    text = sentence[span[0] : span[1]]
    parts = [part.lower() for part in re.findall(r"\w+", text)]
    if len(parts) == 1 and _DEMONYM.search(text) and re.match(r" [a-z]", sentence[span[1] :]):
        return 0.25  # "the Canadian writer": an adjective, not the answer
    led = _led(sentence, span)
    place = (
        bool(_PLACE_WORDS & set(parts))
        or any(part in COUNTRIES for part in parts)
        or led in ("in", "near", "at", "from", "to", "throughout", "outside", "across")
    )
    organization = bool(_ORGANIZATION & set(parts))
    person = not place and not organization and 2 <= len(parts) <= 4
    if kind == "place":
        return 1.0 if place else 0.5 if not person else 0.45
    if kind == "person":
        return 1.0 if person or led == "by" else 0.7 if not place and not organization else 0.6 if organization else 0.35
    return 0.9


_DEMONYM = re.compile(r"(?:[ai]an|ish|ese|ch|tch|ic|eek|iss)$")
_BREAK = re.compile(r"[,;:.()\[\]\"“”!?—–]| - ")


_FILLERS = frozenset("now mainly mostly about approximately roughly nearly almost later soon often usually currently previously originally today".split())


def _phrases(sentence: str) -> Iterator[Span]:
    """Runs of content words: the noun phrases of a sentence, and their last words."""
    found = words(sentence)
    run: list[Word] = []
    for place, word in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        filler = word.text.lower() in _FILLERS | NEGATIONS or (word.text.lower().endswith("ly") and len(word.text) > 4)
        if word.content and not filler:
            run.append(word)
        gap = sentence[word.span[1] : after.span[0]] if after else "."
        if run and (not word.content or filler or _BREAK.search(gap) or after is None):
            yield run[0].span[0], run[-1].span[1]
            if len(run) > 1:
                yield run[-1].span[0], run[-1].span[1]
                yield run[0].span[0], run[0].span[1]
            if len(run) > 2:
                yield run[-2].span[0], run[-1].span[1]
            run = []


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
