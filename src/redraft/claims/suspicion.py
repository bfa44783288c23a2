"""Marks text that reads like an order to a model: in several languages, plain or disguised. Pure, deterministic, and only a signal.

What is marked is kept from models and proves nothing; what is not marked is still only data. The defence is the structure around it: quoted blocks,
verdicts with quotations, calls that only a planner writes, rewrites that are checked anew. Imperatives of recipes, manuals and exercises are not
orders to a model, and a text that quotes such an order to speak about it is no order either: it is marked as a `mention`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from redraft.claims.disguise import INVISIBLE, decoded, letters, plainly, readings
from redraft.claims.orders import DIRECTIVE, EITHER_OR, RULES
from redraft.types import Span

__all__ = ["WITHHELD", "Suspicion", "directives", "is_hostile", "suspicions", "withheld"]

Kind = Literal["order", "mention"]
WITHHELD = "[withheld: reads like an order to a model]"
"""What stands in a prompt, and in evidence, where such text stood."""
LONGEST = 200_000
"""Characters of one text that are read; what lies beyond is marked whole, since nobody looked at it."""
LONGEST_PIECE = 1_500
_PIECE = re.compile(r"[^\n]*?(?:[.!?][\"'”’»)\]]*(?=\s)|[。！？][」』”）]*|(?=\n)|$)", re.S)
_QUOTED = re.compile(
    r"“[^“”]{3,300}”|\"[^\"\n]{3,300}\"|「[^「」]{3,300}」|『[^『』]{3,300}』|«[^«»]{3,300}»|`[^`\n]{3,300}`|‘[^‘’]{3,300}’|(?<!\w)'[^'\n]{6,300}'(?!\w)"
)
_STRONG = re.compile(r"ignor|disregard|forget|instruct|prompt|verdict|supported|contradicted|insufficient|answer|system|claim|policy|python|repl[yi]|respond")
"""What a disguised reading must have to be read at all: by chance it says nothing."""
_SQUEEZED = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|everything|the|your|of|my|these|those|other)*"
    r"(?:previous|prior|above|earlier|preceding|system|original|your|initial)(?:and|system|or|given|of|the)*(?:instruction|prompt|directive|rule"
    r"|command|message|guideline)"
    r"|(?:reveal|print|show|leak|repeat|output)(?:me|us)?(?:your|the)(?:system|hidden|initial|secret)?(?:prompt|apikey|instructions)"
    r"|(?:mark|rate|label|judge|report|treat|declare|classify|accept)(?:this|the|every|all|that|each)*(?:claim|statement|answer|draft)s?(?:as|to"
    r"|be)+(?:supported|contradicted|verified)"
    r"|(?:answer|reply|respond|say|output)(?:only|just|with|exactly)+(?:noproblem|supported|contradicted)"
)
"""What is left of the plainest orders when spaces, marks and lines are taken out."""

_MENTION = re.compile(
    r"\b(?:attack\w*|inject\w*|jailbreak\w*|phrase|such\sas|e\.g|for\sexample|wording|string|hidden|quoted?|adversar\w*|malicious|hijack\w*"
    r"|researchers?|trick\w*|fool\w*"
    r"|wrote|typed|writes?|types?|contain\w*|says|said|slogan|poster|song|titled)\b|注入|攻击|攻擊|例如|比如|インジェクション|攻撃|例えば|という"
)
"""Words of somebody who speaks about an order instead of giving it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Suspicion:
    """Text that reads like an order to a model. A `mention` is quoted by a text that speaks about it; an `order` is given."""

    span: Span
    kind: Kind = "order"


@lru_cache(maxsize=2048)
def suspicions(text: str) -> tuple[Suspicion, ...]:
    """The pieces of the text that read like orders to a model, in order and apart; a piece is a sentence or a line."""
    if not text.strip():
        return ()
    head = text[:LONGEST]
    found: dict[Span, Kind | None] = {span: _piece(head[span[0] : span[1]]) for span in _pieces(head)}
    marked: dict[Span, Kind] = {span: kind for span, kind in found.items() if kind is not None}
    spans = list(found)
    for span in _across(head):
        for piece in spans:
            if piece[0] < span[1] and span[0] < piece[1]:
                marked.setdefault(piece, "order")
    if len(text) > LONGEST:
        marked[(LONGEST, len(text))] = "mention"
    return tuple(Suspicion(span=span, kind=marked[span]) for span in sorted(marked))


@lru_cache(maxsize=2048)
def directives(text: str) -> tuple[Span, ...]:
    """The pieces that are addressed to a reader or speak of verdicts and answers: most are harmless, and an order that is not marked is among them."""
    return tuple(span for span in _pieces(text[:LONGEST]) if DIRECTIVE.holds(plainly(text[span[0] : span[1]])))


def is_hostile(text: str) -> bool:
    """Whether an order to a model is given in the text, not merely spoken about; text from which one was taken out counts as well."""
    return WITHHELD in text or any(found.kind == "order" for found in suspicions(text))


def withheld(text: str) -> str:
    """The text as models may see it: each marked piece replaced by `WITHHELD`, everything else as it was."""
    parts: list[str] = []
    at = 0
    for found in suspicions(text):
        start, end = found.span
        if not (parts and parts[-1] == WITHHELD and not text[at:start].strip()):
            parts += (text[at:start], WITHHELD)
        at = end
    return "".join((*parts, text[at:])) if parts else text


def _pieces(text: str) -> Iterator[Span]:
    """Sentences and lines; cells of a row by themselves; a piece without an end is cut."""
    at = 0
    for match in _PIECE.finditer(text):
        for start in range(match.start(), match.end(), LONGEST_PIECE):
            end = min(start + LONGEST_PIECE, match.end())
            lead = len(text[start:end]) - len(text[start:end].lstrip())
            trail = len(text[start:end].rstrip())
            if lead < trail:
                yield start + lead, start + trail
        at = match.end()
    assert at == len(text)


def _piece(text: str) -> Kind | None:
    """What one sentence or line is."""
    if not _reads_as_order(text):
        return None
    outside = _QUOTED.sub(" … ", text)
    if outside == text or _reads_as_order(outside):
        return "order"
    spoken = len(re.findall(r"\w+", outside)) >= 4 or len(re.findall(r"[\u3040-\u9fff]", outside)) >= 6
    return "mention" if spoken and _MENTION.search(outside.lower()) else "order"


def _reads_as_order(text: str) -> bool:
    for number, reading in enumerate(dict.fromkeys(readings(text))):
        if number and not (_STRONG.search(reading) or not reading.isascii()):
            continue
        shown = EITHER_OR.sub(" … ", reading)
        if any(rule.holds(shown) for rule in RULES):
            return True
    return False


def _across(text: str) -> Iterator[Span]:
    """Orders that no single line shows: written over several, with something between their letters, or encoded over several."""
    bare, places = letters(text)
    for match in _SQUEEZED.finditer(bare):
        yield places[match.start()], places[match.end() - 1] + 1
    if "\n" in text and any(_reads_as_order(piece) for piece in decoded(text)):
        yield 0, len(text)
    if INVISIBLE.search(text):
        clean = INVISIBLE.sub("", text)
        if clean.strip() and len(clean) < len(text) * 0.5 and len(text) > 200:
            yield 0, len(text)
