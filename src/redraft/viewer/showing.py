"""Texts cut into what a template shows: marked stretches, the evidence of a check around its deciding words, the words that a rewrite changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from redraft.exporting.marking import RANK, Change, placed, verdict_stretches, word_changes
from redraft.exporting.runs import Text
from redraft.types import Check, Evidence

__all__ = ["CARDS", "CHARACTERS", "Card", "Difference", "Piece", "Source", "TextView", "cards_of", "difference", "text_view"]

CHARACTERS = 12_000
"""Of a text that are shown at once."""
CARDS = 60
"""Checks of a text that are shown at once."""
AROUND = 220
"""Characters of evidence around its deciding words."""
WHOLE = 8_000
"""Characters of evidence that are shown when all of it is asked for."""
UNCHANGED = 160
"""Characters of an unchanged stretch of a difference at each end; the rest is folded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A stretch of a text; `card` is the number of the check that is shown there."""

    text: str
    status: str = ""
    card: int | None = None
    last: bool = True
    """Whether the claim ends here; others that lie within it cut it into several pieces."""
    loaded: bool = True
    """Whether the card is on the page."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """One piece of evidence of a check, as an excerpt in pieces: whether they decide, and their words."""

    tool: str
    input: str
    title: str
    address: str
    time: str
    excerpt: tuple[tuple[bool, str], ...]
    cut: bool
    whole: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """A check with what it rests on."""

    number: int
    check: Check
    words: str
    """What the claim says, in the text's own words."""
    sources: tuple[Source, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class TextView:
    """A text of a run, or the part of it that begins at `start`."""

    key: str
    start: int
    length: int
    pieces: tuple[Piece, ...]
    cards: tuple[Card, ...]
    more_cards: int
    next: int | None
    counts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """What leads from one text to another; a folded stretch has its middle left out."""

    pieces: tuple[tuple[Change | str, str], ...]
    same: bool
    cut: bool = False


def text_view(key: str, text: Text, evidence: Mapping[str, Evidence], start: int = 0, first_card: int = 0) -> TextView:
    """The part of a text from `start` on, with its claims, and its checks from the one at place `first_card` on, the worst first."""
    start = max(0, min(start, len(text.text)))
    end = _end(text.text, start)
    order = _order(text.checks)
    shown = order[first_card : first_card + CARDS]
    pieces: list[Piece] = []
    stretches = list(verdict_stretches(text.text, text.checks))
    ends = {number: last for _, last, number in stretches}
    for first, last, number in stretches:
        first, last = max(first, start), min(last, end)
        if first >= last:
            continue
        words = text.text[first:last]
        if number is None:
            pieces.append(Piece(text=words))
        else:
            pieces.append(Piece(text=words, status=text.checks[number].status, card=number, last=last == ends[number], loaded=start == 0 and number in shown))
    counts = {status: sum(check.status == status for check in text.checks) for status in RANK if status != "skipped"}
    cards = tuple(_card(number, text, evidence) for number in shown)
    return TextView(
        key=key,
        start=start,
        length=len(text.text),
        pieces=tuple(pieces),
        cards=cards,
        more_cards=max(0, len(order) - first_card - len(cards)),
        next=end if end < len(text.text) else None,
        counts={status: count for status, count in counts.items() if count},
    )


def cards_of(text: Text, evidence: Mapping[str, Evidence], numbers: Sequence[int]) -> tuple[Card, ...]:
    """The cards of these checks."""
    return tuple(_card(number, text, evidence) for number in numbers if 0 <= number < len(text.checks))


def difference(before: str, after: str) -> Difference:
    """The words that a rewrite changes, long stretches that stay folded."""
    if before == after:
        return Difference(pieces=(), same=True)
    pieces: list[tuple[str, str]] = []
    changes = word_changes(before, after)
    room = 4 * CHARACTERS
    for place, (kind, words) in enumerate(changes):
        if kind == "equal" and len(words) > 3 * UNCHANGED:
            head = "" if place == 0 else words[:UNCHANGED]
            tail = "" if place == len(changes) - 1 else words[-UNCHANGED:]
            pieces += [("equal", head), ("folded", words[len(head) : len(words) - len(tail)]), ("equal", tail)]
        else:
            pieces.append((kind, words[:room]))
        room -= len(words) if kind != "equal" else min(len(words), 2 * UNCHANGED)
        if room <= 0:
            return Difference(pieces=tuple(pieces), same=False, cut=True)
    return Difference(pieces=tuple(piece for piece in pieces if piece[1]), same=False)


def _end(text: str, start: int) -> int:
    """Where the part that begins at `start` ends: at the end of a line or word, if one is near."""
    end = start + CHARACTERS
    if end >= len(text):
        return len(text)
    for mark in ("\n", " "):
        place = text.rfind(mark, end - 400, end)
        if place > start:
            return place + 1
    return end


def _order(checks: Sequence[Check]) -> list[int]:
    shown = [number for number, check in enumerate(checks) if check.status != "skipped"]
    return sorted(shown, key=lambda number: (RANK.index(checks[number].status), checks[number].claim.span, number))


def _card(number: int, text: Text, evidence: Mapping[str, Evidence]) -> Card:
    check = text.checks[number]
    where = next(((start, end) for start, end, place in placed((check,), len(text.text)) if place == 0), None)
    focus = text.text[where[0] : where[1]] if where and check.claim.focus else ""
    found = [evidence[name] for name in check.evidence if name in evidence]
    different = {(item.text, item.source): item for item in reversed(found)}  # the same page may have been found by several queries
    sources = tuple(_source(item, check, focus) for item in found if different[item.text, item.source] is item)
    return Card(number=number, check=check, words=focus if len(focus) <= 80 else "", sources=sources)


def _source(item: Evidence, check: Check, focus: str) -> Source:
    deciding = next((words for words in (check.quote, check.expected or "", focus, item.value) if words and words in item.text), "")
    at = item.text.find(deciding) if deciding else 0
    first, last = max(0, at - AROUND), min(len(item.text), at + len(deciding) + AROUND)
    if len(item.text) <= 2 * AROUND:
        first, last = 0, len(item.text)
    pieces = [(False, item.text[first:at]), (True, deciding), (False, item.text[at + len(deciding) : last])]
    if first > 0:
        pieces.insert(0, (False, "… "))
    if last < len(item.text):
        pieces.append((False, " …"))
    address = item.source if item.source != item.title else ""
    if address.startswith("/") or address[1:3] == ":\\":  # a file: its name is enough here, the record has its path
        address = address.replace("\\", "/").rsplit("/", 1)[-1]
    return Source(
        tool=item.tool,
        input=item.input,
        title=item.title,
        address=address,
        time=item.time,
        excerpt=tuple(piece for piece in pieces if piece[1]),
        cut=first > 0 or last < len(item.text),
        whole=item.text[:WHOLE] + (" …" if len(item.text) > WHOLE else ""),
    )
