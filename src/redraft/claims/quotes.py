"""Quotations and citations in a text, and where a quotation stands in a source: verbatim up to white space and typographic marks, or nearly.

Nothing here is ever read as a pattern: a quotation may contain any character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from redraft.claims.segment import blocks, sentences
from redraft.types import Span

__all__ = ["Citation", "Located", "Quotation", "citations", "locate", "quotations"]

_MARKS = {
    **dict.fromkeys("‘’‚‛′`´＇", "'"),
    **dict.fromkeys('"“”„‟″«»「」『』＂〝〞', "'"),  # which marks stand inside depends on those outside
    **dict.fromkeys("‐‑‒–—―−－﹣", "-"),
    "…": "...",
}
_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\x00")
_CJK_SPACE = re.compile(r"(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]) | (?=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])")
_OMISSION = re.compile(r"\s*(?:[\[(]\s*(?:\.\.\.|\. \. \.)\s*[\])]|(?:\.\.\.|\. \. \.)+\.?)\s*")
_INSERTION = re.compile(r"\[([^\[\]]{0,60})\]")
_ENDS = " '-,;:.!?。，；：！？、"
MAX_GAP = 1500
NEAR = 0.80


@dataclass(frozen=True, kw_only=True, slots=True)
class Located:
    """Where a quotation stands in a passage; where not `exact`, `difference` says in words how the source differs and `ratio` how near it is."""

    span: Span
    exact: bool
    difference: str = ""
    ratio: float = 1.0


@lru_cache(maxsize=256)
def _plain(text: str) -> tuple[str, tuple[int, ...]]:
    """The text with one kind of quotation mark, dash, ellipsis and space, without invisible characters, and for each character its place in the text."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char in _INVISIBLE:
            continue
        shown = _MARKS.get(char) or (char if char < "\x80" else unicodedata.normalize("NFKC", char))
        for part in shown:
            if part.isspace():
                if chars and chars[-1] != " ":
                    chars.append(" ")
                    places.append(place)
            else:
                chars.append(_MARKS.get(part, part)[:1])
                places.append(place)
    plain = "".join(chars)
    drop = {match.start() for match in _CJK_SPACE.finditer(plain)}
    if drop:
        kept = [number for number in range(len(plain)) if number not in drop]
        return "".join(plain[number] for number in kept), tuple(places[number] for number in kept)
    return plain, tuple(places)


def locate(quote: str, passage: str) -> Located | None:
    """Where the quotation stands in the passage: verbatim up to white space, typographic marks, omissions and editorial brackets, else the nearest wording.

    None if nothing near it is there. A near miss needs at least five words (or ten characters of a script without spaces).
    """
    plain, places = _plain(passage)
    literal = _plain(quote)[0].strip(_ENDS)
    parts = _parts(_plain(quote)[0])
    if not parts or not plain:
        return None
    spans = _in_order([literal], plain) or _in_order(parts, plain)
    if spans:
        return Located(span=(places[spans[0][0]], places[spans[-1][1] - 1] + 1), exact=True)
    return _nearest(parts, plain, places)


def _parts(quote: str) -> list[str]:
    """What must stand in the source in this order: the quotation without marks at its ends, cut where words were left out or put in."""
    quote = _INSERTION.sub(lambda match: match[1] if len(match[1]) == 1 else "..." if match[1].casefold() != "sic" else "", quote)
    parts = [part.strip(_ENDS) for part in _OMISSION.split(" ".join(quote.split()))]
    return [part for part in parts if re.search(r"\w", part)]


def _in_order(parts: list[str], plain: str) -> list[Span]:
    """The first places where all parts stand one after the other, at borders of words; a first letter may differ in case."""
    begin = 0
    while True:
        spans: list[Span] = []
        place = begin
        for part in parts:
            found = _find(part, plain, place)
            if found < 0 or (spans and found - spans[-1][1] > MAX_GAP):
                break
            spans.append((found, found + len(part)))
            place = found + len(part)
        if len(spans) == len(parts):
            return spans
        if not spans:
            return []
        begin = spans[0][0] + 1


def _find(part: str, plain: str, begin: int) -> int:
    for first in dict.fromkeys((part[0], part[0].swapcase())):
        wanted, place = first + part[1:], begin
        while (place := plain.find(wanted, place)) >= 0:
            if _at_border(plain, place) and _at_border(plain, place + len(wanted)):
                return place
            place += 1
    return -1


def _at_border(text: str, place: int) -> bool:
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    spaced = before.isalnum() and after.isalnum() and before < "\u2e80" and after < "\u2e80"
    return not spaced


def _nearest(parts: list[str], plain: str, places: tuple[int, ...]) -> Located | None:
    from rapidfuzz import fuzz

    quote = " ".join(parts)
    if len(re.findall(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+", quote)) < (10 if re.search(r"[\u3040-\u9fff]", quote) else 5):
        return None
    found = fuzz.partial_ratio_alignment(quote.casefold(), plain.casefold(), score_cutoff=100 * NEAR) if len(plain.casefold()) == len(plain) else None
    if found is None:
        return None
    reach = 20 + len(quote) // 6
    start, end = max(0, found.dest_start - reach), min(len(plain), found.dest_end + reach)
    ours, theirs = [match[0] for match in _CUT.finditer(quote)], [(match[0], match.span()) for match in _CUT.finditer(plain, start, end)]
    steps = _steps([_bare(word) for word in ours], [_bare(word) for word, _ in theirs])
    if not steps:
        return None
    first, last = theirs[steps[0][3]], theirs[steps[-1][4] - 1]
    same = sum(step[2] - step[1] for step in steps if step[0] == "equal")
    ratio = same / max(len(ours), steps[-1][4] - steps[0][3])
    if ratio < NEAR - 0.15:
        return None
    difference = "; ".join(_differences(steps, ours, [word for word, _ in theirs]))
    start, end = first[1][0], last[1][1]
    while start < end and not plain[start].isalnum():
        start += 1
    while end > start and not plain[end - 1].isalnum():
        end -= 1
    span = (places[start], places[end - 1] + 1)
    return Located(span=span, exact=not difference, difference=difference, ratio=round(ratio, 4))


_CUT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+")
_Step = tuple[str, int, int, int, int]


def _bare(word: str) -> str:
    return word.strip("'\",.;:!?()[]-。，；：！？、").casefold() or word


def _steps(ours: list[str], theirs: list[str]) -> list[_Step]:
    """How the quotation's words become the source's, without what the source has before the first and after the last of them."""
    from rapidfuzz.distance import Indel

    steps = [(op.tag, op.src_start, op.src_end, op.dest_start, op.dest_end) for op in Indel.opcodes(ours, theirs)]
    merged: list[_Step] = []
    for step in steps:
        if merged and step[0] != "equal" and merged[-1][0] != "equal":
            merged[-1] = ("replace", merged[-1][1], step[2], merged[-1][3], step[4])
        else:
            merged.append(step)
    if merged and merged[0][0] == "insert":
        merged = merged[1:]
    if merged and merged[-1][0] == "insert":
        merged = merged[:-1]
    merged = [_fitted(step, place == 0) if place in (0, len(merged) - 1) else step for place, step in enumerate(merged)]
    return [step for step in merged if step[4] > step[3] or step[2] > step[1]] if any(step[0] == "equal" for step in merged) else []


def _fitted(step: _Step, at_start: bool) -> _Step:
    """At an end of the quotation a word stands for a word: the source's further words there belong to its own sentence."""
    tag, a, b, c, d = step
    if tag != "replace":
        return step
    return (tag, a, b, max(c, d - (b - a)), d) if at_start else (tag, a, b, c, min(d, c + (b - a)))


def _differences(steps: list[_Step], ours: list[str], theirs: list[str]) -> Iterator[str]:
    for tag, a, b, c, d in steps:
        said, there = (_CJK_SPACE.sub("", " ".join(part)) for part in (ours[a:b], theirs[c:d]))
        if tag == "equal":
            continue
        if said and there:
            yield f"the source has “{there}” where the quotation has “{said}”"
        else:
            yield f"the source does not have “{said}”" if said else f"the quotation leaves out “{there}”"


@dataclass(frozen=True, kw_only=True, slots=True)
class Quotation:
    """Words that a text gives as somebody's own."""

    span: Span
    """With its quotation marks; a block quotation has none."""
    inner: Span
    text: str
    attribution: str = ""
    """What the same sentence says outside the quotation; for a block quotation the paragraph before it or its last line after a dash."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A reference to a source: `[1]`, `[^note]`, `(Smith, 2020)`, a file name, an address."""

    span: Span
    kind: Literal["number", "note", "author", "file", "url"]
    key: str
    """What identifies the source: the number, the name and year, the file name, the address."""
    entry: str = ""
    """The text of the list of sources for this key, where the text has one."""
    sentence: Span = (0, 0)
    """The sentence that the citation stands in or directly follows."""
    listed: bool | None = None
    """Whether the list of sources has the key; None where the text has no such list."""


_PAIRS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "‘": "’", "‹": "›"}
_LEAST_WORDS, _LEAST_CHARACTERS = 4, 8


def quotations(text: str) -> tuple[Quotation, ...]:
    """The quotations of a text that can be checked, in order: not single words, scare quotes, titles, or what stands in code."""
    found: list[Quotation] = []
    whole = sentences(text)
    paragraphs = [block for block in blocks(text) if block.kind != "code"]
    before, listed = "", False
    for block in paragraphs:
        start, end = block.span
        if block.kind == "paragraph" and not listed and _indented(text, start, end):
            continue
        listed = block.kind == "list_item" or (listed and _indented(text, start, end))
        if block.kind == "quote":
            quote = _block_quotation(text, start, end, before)
            if quote is not None:
                found.append(quote)
            continue
        for span, inner in _marked(text, start, end):
            if _is_quotation(text[inner[0] : inner[1]]):
                around = next(((a, b) for a, b in whole if a <= span[0] < b), (start, end))
                outside = text[around[0] : span[0]] + " " + text[span[1] : max(span[1], around[1])]
                found.append(Quotation(span=span, inner=inner, text=text[inner[0] : inner[1]], attribution=" ".join(outside.split())))
        before = text[start:end]
    return tuple(found)


def _indented(text: str, start: int, end: int) -> bool:
    """Whether all lines of a paragraph are indented as code is, which is not so of the paragraphs of a list."""
    begin = text.rfind("\n", 0, start) + 1
    return all(line.startswith(("    ", "\t")) for line in text[begin:end].split("\n") if line.strip())


def _block_quotation(text: str, start: int, end: int, before: str) -> Quotation | None:
    body = text[start:end]
    source = re.search(r"\n[ \t>]*(?:[—–]|--)[ \t]*([^\n]+)\s*$", body)
    if source:
        end = start + source.start()
    words = re.sub(r"\n[ \t]*>[ \t]?", "\n", text[start:end])
    if not _is_quotation(words):
        return None
    return Quotation(span=(start, end), inner=(start, end), text=words, attribution=source[1].strip() if source else " ".join(before.split())[-300:])


def _marked(text: str, start: int, end: int) -> Iterator[tuple[Span, Span]]:
    """Outermost pairs of quotation marks; an opening mark without its closing one in the same block is left alone."""
    place = start
    while place < end:
        char = text[place]
        if char == "`":
            close = text.find("`", place + 1, end)
            place = close + 1 if close >= 0 else place + 1
            continue
        closing = -1
        if text[place : place + 2] == '""':
            place += 2
            continue
        if char == '"' and _opens(text, place):
            closing = next((at for at in range(place + 1, end) if text[at] == '"' and not _opens(text, at)), -1)
        elif char in _PAIRS and not (char == "‘" and text[max(0, place - 1) : place].isalnum()):
            closing = _closing(text, place, end)
        if closing > place + 1:
            yield (place, closing + 1), (place + 1, closing)
            place = closing
        place += 1


def _opens(text: str, place: int) -> bool:
    before, after = text[max(0, place - 1) : place], text[place + 1 : place + 2]
    return bool(after) and not after.isspace() and not (before and (before.isalnum() or before in ".,;:!?…)]"))


def _closing(text: str, place: int, end: int) -> int:
    depth, opening, closers = 0, text[place], _PAIRS[text[place]]
    for at in range(place + 1, end):
        if text[at] == opening and opening not in closers:
            depth += 1
        elif text[at] in closers and not (text[at] == "’" and text[at + 1 : at + 2].isalnum()):
            if not depth:
                return at
            depth -= 1
    return -1


_LOWER_IN_TITLES = frozenset("a an the of in on at to for and or but nor by with from as is de la le el von und et".split())


def _is_quotation(words: str) -> bool:
    """Whether these are somebody's words rather than a term or a title."""
    spaceless = len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff]", words))
    if spaceless >= _LEAST_CHARACTERS:
        return True
    found = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", words)
    if len(found) < _LEAST_WORDS:
        return False
    plain = [word for word in found[1:] if word.lower() not in _LOWER_IN_TITLES]
    return not plain or any(word[0].islower() for word in plain)


_NUMBERED = re.compile(r"\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\](?!\()|\[\^([\w-]{1,40})\](?!:)")
_AUTHOR = re.compile(
    r"\(((?:see |cf\. |e\.g\.,? )?[^\W\d_a-z][^()\d]{1,80}?,? (?:1[5-9]|20)\d\d[a-z]?(?:; [^()]{1,120})?(?:, pp?\. ?[\d–-]+)?)\)"
    r"|\b([^\W\d_a-z][\w’'-]+(?: (?:and|&) [^\W\d_a-z][\w’'-]+| et al\.?)?) \(((?:1[5-9]|20)\d\d[a-z]?)\)"
)
_SUFFIXES = "txt|md|markdown|rst|html?|pdf|docx?|xlsx?|pptx?|csv|jsonl?"
_FILE = re.compile(
    rf"(?<=[(`\"“])([\w][\w .-]{{0,80}}\.(?:{_SUFFIXES}))(?=[)`\"”,#])|(?<![\w@/.-])([\w-][\w./-]{{0,120}}\.(?:{_SUFFIXES}))(?![\w-])", re.IGNORECASE
)
_URL = re.compile(r"https?://[^\s<>\"'“”「」『』（），。]+")
_ENTRY = re.compile(r"^[ \t]*(?:\[(\d{1,3})\]|\[\^([\w-]{1,40})\]:|(\d{1,3})[.)])[ \t]+(\S[^\n]*)$", re.MULTILINE)
_LIST = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*)?\**(?:references|sources|bibliography|works cited|notes|footnotes|参考文献|资料来源|引用|出典)\**:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


def citations(text: str) -> tuple[Citation, ...]:
    """The references to sources in the running text, in order; the list of sources at the end is read for what they stand for, not cited itself."""
    entries, begin = _entries(text)
    body = text[:begin]
    whole = sentences(body)
    found: list[Citation] = []

    def add(span: Span, kind: Literal["number", "note", "author", "file", "url"], key: str) -> None:
        inside = [(a, b) for a, b in whole if a <= span[0]]
        around = inside[-1] if inside else (0, 0)
        if len(inside) > 1 and not re.search(r"\w", body[around[0] : span[0]]):
            around = inside[-2]  # a reference after the full stop belongs to the sentence before
        if not any(a < span[1] and span[0] < b for a, b in (known.span for known in found) if (a, b) != span):
            listed = (key in entries) if entries and kind in ("number", "note") else None
            found.append(Citation(span=span, kind=kind, key=key, entry=entries.get(key, ""), sentence=around, listed=listed))

    for match in _URL.finditer(body):
        address = match[0].rstrip(".,;:!?)]*_")
        add((match.start(), match.start() + len(address)), "url", address)
    for match in _NUMBERED.finditer(body):
        if match[2]:
            add(match.span(), "note", match[2])
        for key in _numbers(match[1] or ""):
            add(match.span(), "number", key)
    for match in _AUTHOR.finditer(body):
        add(match.span(), "author", match[1] or f"{match[2]}, {match[3]}")
    for match in _FILE.finditer(body):
        name = match[1] or match[2]
        add((match.end() - len(name), match.end()), "file", name)
    return tuple(sorted(found, key=lambda citation: (citation.span, citation.key)))


def _numbers(marked: str) -> list[str]:
    numbers: list[str] = []
    for part in re.split(r"\s*[,;]\s*", marked):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        if len(ends) == 2 and 0 < ends[1] - ends[0] < 30:
            numbers.extend(str(number) for number in range(ends[0], ends[1] + 1))
        else:
            numbers.extend(str(number) for number in ends)
    return numbers


def _entries(text: str) -> tuple[dict[str, str], int]:
    """The list of sources by key, and where the running text ends."""
    headings = list(_LIST.finditer(text))
    begin = headings[-1].start() if headings else len(text)
    entries: dict[str, str] = {}
    for match in _ENTRY.finditer(text):
        if match[2] or (headings and match.start() >= begin):
            entries.setdefault(match[1] or match[2] or match[3], match[4].strip())
    if not headings and (notes := re.search(r"^[ \t]*\[\^[\w-]+\]:", text, re.MULTILINE)):
        begin = notes.start()
    return entries, begin
