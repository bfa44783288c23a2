"""Whether passages bear out a bare answer to a question, by rule.

The answer stands there verbatim, in a sentence about what was asked, and is of the kind asked for; of two alternatives only one has what the question
asks of it; "yes" holds where each of the things named has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from redraft.claims.alignment import of_another
from redraft.claims.candidates import candidates
from redraft.claims.questions import Question, coverage, equivalent, read_question
from redraft.claims.segment import sentences
from redraft.claims.sentence import read_sentence, root
from redraft.claims.slots import names, slots
from redraft.claims.words import Word, content_words, fold, stems, words
from redraft.types import Evidence, Span, Verdict

__all__ = ["verify_answer"]

MAX_ANSWER_WORDS = 12
LEAST_COVERAGE = 0.3
"""Share of the question's content words that the passage must have."""
WHOLE = 0.75
"""Coverage from which a passage counts as being about the question as a whole."""
TYPED = frozenset({"number", "date", "person", "place"})
"""Kinds of answers of which a question that one sentence answers has one."""
DIRECT = 0.8
"""Coverage from which one sentence alone answers the question."""
MARGIN = 0.3
"""By how much more of the question such a sentence must have than the one with the answer."""
SURE = 0.5
CLOSE = 0.8
"""In such a sentence an answer must fit nearly as well as its best candidate."""
MOST = 0.74
"""Share of what is asked that is said of the right one of two, at least."""
APART = 0.3
"""By how much that share exceeds the other one's, at least."""
RIVAL = 0.3
"""An answer whose fit is below this share of the best candidate's of its sentence is not what the sentence answers."""


def verify_answer(query: str, answer: str, evidence: Sequence[Evidence], *, least: float = LEAST_COVERAGE) -> Verdict | None:
    """Supported with the sentence that has the answer, or None: a passage that has another answer is no proof against this one."""
    question = read_question(query)
    bare = answer.strip().strip("\"'“”‘’").rstrip(".。!").strip()
    if not bare or len(words(bare)) > MAX_ANSWER_WORDS:
        return None
    if question.type == "yes_no":
        return _alike(question, bare, evidence) or (_both(question, evidence) if bare.lower() == "yes" else None)
    if question.type == "choice":
        return _chosen(question, bare, evidence)
    if not _fits(question, bare):
        return _chosen(question, bare, evidence) if _alternatives(question, bare) else None
    for item in evidence:
        about = f"{item.title} {item.text}"
        if coverage(question, about) < least:
            continue
        spans = [(start, end) for start, end in sentences(item.text) if _has(item.text[start:end], bare)]
        best = max(spans, key=lambda span: coverage(question, item.text[span[0] : span[1]]), default=None)
        if best is None:
            continue
        sentence = item.text[best[0] : best[1]]
        if _answers(question, sentence, bare, coverage(question, about)) and not _outdone(question, item.text, spans, bare):
            note = f"{item.source}: the sentence has the answer and is about what was asked"
            return Verdict(status="supported", method="quoted", confidence=0.8, evidence=(item,), quote=sentence, note=note)
    return None


def _fits(question: Question, answer: str) -> bool:
    """Whether the answer is of the kind asked for, where kinds exclude each other, and says more than the question does."""
    kinds = {slot.kind for slot in slots(answer)}
    if question.type == "number" and "quantity" not in kinds and not re.search(r"\d|\b(?:one|no|none|zero)\b", answer, re.IGNORECASE):
        return False
    if question.type == "date" and question.year and not re.search(r"\d{3}|century|世纪|年", answer):
        return False
    asked = {word.stem for word in words(question.text)}
    own = [word.stem for word in content_words(answer)]
    return not own or any(word not in asked for word in own)


def _has(sentence: str, answer: str) -> bool:
    """Whether the answer stands in the sentence between borders of words, up to case, accents and articles."""
    bare = re.sub(r"^(?:the|a|an)\s+", "", fold(answer))
    there = fold(sentence)
    place = there.find(bare)
    while place >= 0:
        end = place + len(bare)
        before, after = there[place - 1 : place], there[end : end + 1]
        spaceless = bool(re.match(r"[\u3040-\u9fff]", bare))
        clean = not (before.isalnum() and bare[0].isalnum()) and not (after.isalnum() and bare[-1].isalnum())
        figure = bool(re.match(r"[.,]\d", there[end : end + 2]) and bare[-1].isdigit()) or bool(re.search(r"\d[.,]$|-$", there[:place]) and bare[0].isdigit())
        if (clean or spaceless) and not figure:
            return True
        place = there.find(bare, place + 1)
    return False


def _answers(question: Question, sentence: str, answer: str, covered: float) -> bool:
    """Whether the sentence says this of what was asked: it is no question and not negated there, shares a word with the question, and has no better candidate.

    A sentence that shares no word may still answer where the whole passage is about the question (`covered`): two facts that are read together.
    """
    read = read_sentence(sentence)
    if read.question or read.conditional or (_denied(sentence, answer) and not read_sentence(question.text).negated):
        return False
    if of_another(question.names, stems(words(question.text)), sentence, answer, strictly=False):
        return False
    if coverage(question, sentence) <= 0 and covered < WHOLE:
        return False
    found = candidates(question, sentence)
    if not found:
        return True
    own = [item.fit for item in found if _has(item.text, answer) or _has(answer, item.text)]
    direct = question.type in TYPED and coverage(question, sentence) >= DIRECT
    return bool(own) and max(own) >= (CLOSE if direct else RIVAL) * found[0].fit


def _outdone(question: Question, text: str, spans: Sequence[Span], answer: str) -> bool:
    """Whether a sentence that has more of the question, and not the answer, has a candidate of its own that fits better."""
    if question.type not in TYPED:
        return False
    ours = max((coverage(question, text[start:end]) for start, end in spans), default=0.0)
    for start, end in _sentences(text):
        sentence = text[start:end]
        if any(start < b and a < end for a, b in spans) or coverage(question, sentence) < max(DIRECT, ours + MARGIN):
            continue
        if any(item.fit >= SURE and not equivalent(item.text, answer) for item in candidates(question, sentence)):
            return True
    return False


def _denied(sentence: str, answer: str) -> bool:
    """Whether a negation stands shortly before the answer, in the same clause."""
    place = fold(sentence).find(fold(answer))
    before = re.split(r"[,;:，；：]", sentence[:place])[-1] if place >= 0 else sentence
    return read_sentence(" ".join(before.split()[-6:])).negated


# Two things compared

_GLUED = re.compile(r"(?<=[a-z]{3}[.)\]\"”])(?<![.]{3})(?=[A-Z][a-z])|(?<=\d\.)(?=[A-Z][a-z])|(?<=[a-z]\)\.)(?=[A-Z][a-z])")
"""Where two sentences have been joined without a space between them."""


def _sentences(text: str) -> Iterator[Span]:
    for start, end in sentences(text):
        places = [match.start() for match in _GLUED.finditer(text, start, end) if text[match.start() - 1] == "."]
        yield from pairwise([start, *places, end])


def _about(name: str, item: Evidence) -> str:
    """What a passage says of a thing: the sentences that name it, and those after that name nothing else and point back.

    A person may be named there with other first names ("Kenneth Loach" for "Ken Loach") where nothing has the whole name.
    """
    wanted = {word.stem for word in content_words(name)}
    return _said_of(wanted, item) or (_said_of({content_words(name)[-1].stem}, item) if len(wanted) > 1 else "")


def _said_of(wanted: set[str], item: Evidence) -> str:
    said: list[str] = []
    inside = False
    for start, end in _sentences(item.text):
        text = item.text[start:end]
        read = read_sentence(text)
        named = wanted <= {word.stem for word in words(text)}
        inside = named or (inside and read.anaphoric and not any(token.name and token.subject and token.stem not in wanted for token in read.tokens))
        if inside:
            said.append(text)
    return " ".join(said)


def _asked(question: Question) -> list[Word]:
    """The words of the question that say what is asked of the things it names."""
    named = {word.stem for name in (question.choices or question.names) for word in words(name)}
    return [word for word in question.content if word.stem not in named and word.text.lower() not in _COMPARING]


_COMPARING = frozenset("following both either same one two".split())
_EARLIER = frozenset("first earlier older oldest earliest elder before".split())
_LATER = frozenset("later younger youngest latest recent recently newer last".split())
_ORDERED = _EARLIER | _LATER | frozenset("more most fewer less larger longer higher taller bigger smaller further closer".split())


def _chosen(question: Question, answer: str, evidence: Sequence[Evidence]) -> Verdict | None:
    """Of two alternatives the one that alone has what is asked, or that has the earlier or later date."""
    choices = question.choices or _alternatives(question, answer)
    ours = next((choice for choice in choices if _names(choice, answer)), None)
    other = next((choice for choice in choices if choice != ours), None)
    if ours is None or other is None:
        return None
    said = {name: [(item, text) for item in evidence if (text := _about(name, item))] for name in (ours, other)}
    if not said[ours] or not said[other]:
        return None
    lowered = {word.text.lower() for word in words(question.text)}
    texts = {name: " ".join(text for _, text in found) for name, found in said.items()}
    if lowered & _ORDERED:
        counted = _counted(question, texts) if lowered & {"more", "most", "fewer", "less"} else None
        if counted is not None:
            more = counted[ours] > counted[other]
            if counted[ours] == counted[other] or more != bool(lowered & {"more", "most"}):
                return None
            return _of_two(ours, said, f"{ours}: {counted[ours]}; {other}: {counted[other]}")
        if not lowered & (_EARLIER | _LATER) or bool(lowered & _EARLIER) == bool(lowered & _LATER):
            return None
        years = {name: _year(text, name) for name, text in texts.items()}
        first, second = years[ours], years[other]
        if first is None or second is None or first == second or (first < second) != bool(lowered & _EARLIER):
            return None
        note = f"{ours}: {first}; {other}: {second}"
    else:
        asked = _asked(question)
        shares = {name: _share(asked, text) for name, text in texts.items()}
        if len(asked) == 0 or shares[ours] < MOST or shares[ours] - shares[other] < APART:
            return None
        note = f"what is asked is said of {ours}, not of {other}"
    return _of_two(ours, said, note)


def _of_two(ours: str, said: Mapping[str, Sequence[tuple[Evidence, str]]], note: str) -> Verdict:
    items = tuple(dict.fromkeys(item for found in said.values() for item, _ in found))
    return Verdict(status="supported", method="quoted", confidence=0.85, evidence=items, quote=said[ours][0][1] if len(said[ours]) == 1 else "", note=note)


def _names(choice: str, answer: str) -> bool:
    """Whether the answer is that alternative, perhaps with more of its name."""
    wanted, given = stems(content_words(choice)), stems(content_words(answer))
    return equivalent(choice, answer) or (bool(wanted) and wanted <= given and len(given) <= len(wanted) + 2)


def _alternatives(question: Question, answer: str) -> tuple[str, ...]:
    """The two things that a question of another form lets choose between: the answer and the one other name it is set beside."""
    asked = question.text
    place = fold(asked).find(fold(answer))
    if place < 0:
        return ()
    own = (place, place + len(answer))
    others = [span for span in names(asked) if (span[1] <= own[0] or span[0] >= own[1]) and any(word.content for word in words(asked[slice(*span)]))]
    beside = [span for span in others if _JOINED.fullmatch(asked[min(span[1], own[1]) : max(span[0], own[0])])]
    return (asked[slice(*own)], asked[slice(*beside[0])]) if len(beside) == 1 else ()


_JOINED = re.compile(r",?\s+(?:or|and)\s+(?:the\s+)?", re.IGNORECASE)


def _counted(question: Question, texts: Mapping[str, str]) -> dict[str, Fraction] | None:
    """How many of what the question counts each of the two has, where one number is given of each."""
    lowered = [word for word in words(question.text)]
    place = next((place for place, word in enumerate(lowered) if word.text.lower() in ("more", "most", "fewer", "less")), None)
    wanted = [word.stem for word in lowered[(place or 0) + 1 : (place or 0) + 4] if word.content] if place is not None else []
    found: dict[str, Fraction] = {}
    for name, text in texts.items():
        values = {slot.quantity.value for slot in slots(text) if slot.kind == "quantity" and slot.quantity and set(slot.counts) & set(wanted[:2])}
        if len(values) != 1:
            return None
        found[name] = values.pop()
    return found


def _share(asked: Sequence[Word], text: str) -> float:
    there = {form for word in words(text) for form in (word.stem, root(word.stem))}
    return sum(word.stem in there or root(word.stem) in there for word in asked) / len(asked) if asked else 0.0


def _year(text: str, name: str) -> int | None:
    """The first year that is given of a thing: of its birth, founding or appearance, as encyclopaedic sentences put it."""
    place = max(0, text.find(words(name)[0].text if words(name) else name))
    apart = _GLUED_YEAR.sub(r"\1 \2", text[place:])
    dates = [slot.date for slot in slots(apart) if slot.kind == "date" and slot.date and slot.date.year]
    return dates[0].year if dates else None


_GLUED_YEAR = re.compile(r"\b([12]\d{3})(\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December)\b)")


_SAMENESS = re.compile(r"\b(?:the|a) (?:same|similar) (?P<what>[a-z]+)|\bof the same (?P<kind>[a-z]+)", re.IGNORECASE)


def _alike(question: Question, bare: str, evidence: Sequence[Evidence]) -> Verdict | None:
    """ "Are A and B from the same country?": by what the passages give of each, where that is one word; a value that is not given decides nothing."""
    asked = _SAMENESS.search(question.text)
    if asked is None or len(question.names) != 2 or bare.lower() not in ("yes", "no"):
        return None
    what = (asked["what"] or asked["kind"]).lower().removesuffix("s")
    found: list[tuple[Evidence, str]] = []
    for name in question.names:
        given = [(item, value) for item in evidence if (text := _about(name, item)) and (value := _value(what, text, name))]
        if not given:
            return None
        found.append(given[0])
    if (found[0][1] == found[1][1]) != (bare.lower() == "yes"):
        return None
    note = "; ".join(f"{name}: {value}" for name, (_, value) in zip(question.names, found, strict=True))
    return Verdict(status="supported", method="quoted", confidence=0.8, evidence=tuple(dict.fromkeys(item for item, _ in found)), note=note)


def _value(what: str, text: str, name: str) -> str:
    """The one value of a kind that a text gives first: a year, a family or genus, a nationality."""
    if what == "year":
        year = _year(text, name)
        return str(year) if year is not None else ""
    if what in ("family", "genus", "order"):
        match = re.search(rf"\b{what} (?P<value>[A-Z][a-z]+)", text)
        return match["value"] if match else ""
    if what in ("nationality", "country", "nation"):
        match = re.search(r"\b(?:is|was|are|were) an? (?:[a-z-]+ ){0,2}(?P<value>[A-Z][a-z]+(?:an|ish|ese|ch|ian|i|sh))\b", text)
        return match["value"] if match else ""
    return ""


def _both(question: Question, evidence: Sequence[Evidence]) -> Verdict | None:
    """ "Are both A and B directors?": yes, where the passages say all that is asked of each of them."""
    asked = _asked(question)
    if not asked or len(question.names) < 2 or {word.text.lower() for word in words(question.text)} & (_ORDERED | {"same", "or", "not"}):
        return None
    used: list[Evidence] = []
    for name in question.names:
        item = next((item for item in evidence if _share(asked, _about(name, item)) == 1 and not read_sentence(_about(name, item)).negated), None)
        if item is None:
            return None
        used.append(item)
    return Verdict(status="supported", method="quoted", confidence=0.85, evidence=tuple(dict.fromkeys(used)), note="what is asked is said of each of them")
