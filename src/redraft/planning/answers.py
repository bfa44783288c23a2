"""Whether passages bear out a bare answer to a question, by rule.

The answer stands there verbatim, in a sentence about what was asked, and is of the kind asked for; of two alternatives only one has what the question
asks of it; "yes" holds where each of the things named has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redraft.claims.alignment import of_another
from redraft.claims.candidates import candidates
from redraft.claims.questions import Question, coverage, equivalent, read_question
from redraft.claims.segment import sentences
from redraft.claims.sentence import read_sentence, root
from redraft.claims.slots import slots
from redraft.claims.words import Word, content_words, fold, stems, words
from redraft.types import Evidence, Verdict

__all__ = ["verify_answer"]

MAX_ANSWER_WORDS = 12
LEAST_COVERAGE = 0.3
"""Share of the question's content words that the passage must have."""
WHOLE = 0.75
"""Coverage from which a passage counts as being about the question as a whole."""
RIVAL = 0.5
"""An answer whose fit is below this share of the best candidate's of its sentence is not what the sentence answers."""


def verify_answer(query: str, answer: str, evidence: Sequence[Evidence], *, least: float = LEAST_COVERAGE) -> Verdict | None:
    """Supported with the sentence that has the answer, or None: a passage that has another answer is no proof against this one."""
    question = read_question(query)
    bare = answer.strip().strip("\"'“”‘’").rstrip(".。!").strip()
    if not bare or len(words(bare)) > MAX_ANSWER_WORDS:
        return None
    if question.type == "yes_no":
        return _both(question, evidence) if bare.lower() == "yes" else None
    if question.type == "choice":
        return _chosen(question, bare, evidence)
    if not _fits(question, bare):
        return None
    for item in evidence:
        about = f"{item.title} {item.text}"
        if coverage(question, about) < least:
            continue
        spans = [(start, end) for start, end in sentences(item.text) if _has(item.text[start:end], bare)]
        best = max(spans, key=lambda span: coverage(question, item.text[span[0] : span[1]]), default=None)
        if best is None:
            continue
        sentence = item.text[best[0] : best[1]]
        if _answers(question, sentence, bare, coverage(question, about)):
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
    return bool(own) and max(own) >= RIVAL * found[0].fit


def _denied(sentence: str, answer: str) -> bool:
    """Whether a negation stands shortly before the answer, in the same clause."""
    place = fold(sentence).find(fold(answer))
    before = re.split(r"[,;:，；：]", sentence[:place])[-1] if place >= 0 else sentence
    return read_sentence(" ".join(before.split()[-6:])).negated


# Two things compared


def _about(name: str, item: Evidence) -> str:
    """What a passage says of a thing: the sentences that name it, and those after that name nothing else and point back."""
    wanted = {word.stem for word in content_words(name)}
    said: list[str] = []
    inside = False
    for start, end in sentences(item.text):
        text = item.text[start:end]
        read = read_sentence(text)
        named = wanted <= {word.stem for word in words(text)}
        inside = named or (inside and read.anaphoric and not any(token.name and token.subject for token in read.tokens))
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
    ours = next((choice for choice in question.choices if equivalent(choice, answer)), None)
    other = next((choice for choice in question.choices if choice != ours), None)
    if ours is None or other is None:
        return None
    said = {name: [(item, text) for item in evidence if (text := _about(name, item))] for name in (ours, other)}
    if not said[ours] or not said[other]:
        return None
    lowered = {word.text.lower() for word in words(question.text)}
    texts = {name: " ".join(text for _, text in found) for name, found in said.items()}
    if lowered & _ORDERED:
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
        if len(asked) == 0 or shares[ours] < 1 or shares[other] > 0.75:
            return None
        note = f"what is asked is said of {ours}, not of {other}"
    items = tuple(dict.fromkeys(item for found in said.values() for item, _ in found))
    return Verdict(status="supported", method="quoted", confidence=0.85, evidence=items, quote=said[ours][0][1] if len(said[ours]) == 1 else "", note=note)


def _share(asked: Sequence[Word], text: str) -> float:
    there = {form for word in words(text) for form in (word.stem, root(word.stem))}
    return sum(word.stem in there or root(word.stem) in there for word in asked) / len(asked) if asked else 0.0


def _year(text: str, name: str) -> int | None:
    """The first year that is given of a thing: of its birth, founding or appearance, as encyclopaedic sentences put it."""
    place = max(0, text.find(words(name)[0].text if words(name) else name))
    dates = [slot.date for slot in slots(text[place:]) if slot.kind == "date" and slot.date and slot.date.year]
    return dates[0].year if dates else None


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
