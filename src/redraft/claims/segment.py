"""Cutting a text into blocks, sentences, clauses and claims: every span is the source text itself, without white space around it.

Works for English, Chinese and Japanese, and for Markdown with lists, tables, headings, quotations and fenced code.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from redraft.claims.steps import Steps, finished
from redraft.types import Claim, ClaimKind, Span

__all__ = ["Block", "BlockKind", "blocks", "claim_id", "claiming", "claims", "clauses", "sentences"]

BlockKind = Literal["paragraph", "heading", "list_item", "table_row", "code", "quote"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """One block of Markdown. `span` is its content: without bullet, hashes, quotation marks or fences."""

    kind: BlockKind
    span: Span
    language: str = ""
    """Info string of fenced code, in lower case."""
    fenced: bool = False
    """Of code: whether it stands between fences, not merely indented."""
    cells: tuple[Span, ...] = ()
    """Contents of the cells of a table row."""


_FENCE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)*(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})[ \t]*([^\s`{]*)[^\n`]*$")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_UNDERLINE = re.compile(r"[ \t]{0,3}(?:=+|-+)[ \t]*$")
_BULLET = re.compile(
    r"[ \t]*(?:[-*+•‣◦·–][ \t]+|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)、][ \t]+"
    r"|\d{1,2}、|[（(][一二三四五六七八九十\d]{1,2}[)）][ \t]*|[①-⑳][ \t]*)(?:\[[ xX]\][ \t]+)?"
)
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text (or of plain text) in order."""
    return tuple(_blocks(text))


def _blocks(text: str) -> Iterator[Block]:
    lines = [(m.start(), m.end()) for m in re.finditer(r"[^\n]*(?:\n|$)", text) if m.end() > m.start()]
    kind: BlockKind | None = None
    after: BlockKind | None = None
    begin = end = 0
    index = 0

    def flush() -> Iterator[Block]:
        if kind is not None:
            span = _trim(text, begin, end)
            if span[0] < span[1]:
                yield Block(kind=kind, span=span)

    while index < len(lines):
        start, stop = lines[index]
        line = text[start:stop].rstrip("\r\n")
        if (fence := _FENCE.match(line)) is not None:
            yield from flush()
            kind = None
            index, block = _code(text, lines, index, fence)
            yield block
            continue
        if kind is None and after != "list_item" and _INDENTED.match(line):
            index, block = _indented(text, lines, index)
            yield block
            continue
        index += 1
        found, offset = _line_kind(line)
        if not (after == "list_item" and _INDENTED.match(line)):  # what is indented under a list item belongs to the list
            after = found or after
        if found is None:
            yield from flush()
            kind = None
        elif found == "table_row":
            yield from flush()
            kind = None
            yield from _row(text, start, start + len(line))
        elif found == "paragraph" and kind in ("paragraph", "list_item", "quote"):
            if kind == "paragraph" and _UNDERLINE.match(line):
                kind = "heading"
                yield from flush()
                kind = None
            else:
                end = stop
        else:
            if not (found == "quote" and kind == "quote"):
                yield from flush()
                kind, begin = found, start + offset
            end = stop
            if kind == "heading":
                end = start + len(line.rstrip().rstrip("#"))
                yield from flush()
                kind = None
    yield from flush()


def _indented(text: str, lines: list[Span], index: int) -> tuple[int, Block]:
    """An indented code block: its lines, and the empty ones among them."""
    start = end = lines[index][0]
    while index < len(lines):
        line = text[slice(*lines[index])]
        if line.strip() and not _INDENTED.match(line):
            break
        if line.strip():
            end = lines[index][0] + len(line.rstrip())
        index += 1
    return index, Block(kind="code", span=(start, end))


def _line_kind(line: str) -> tuple[BlockKind | None, int]:
    if not line.strip() or (_RULE.match(line) and "=" not in line and not _UNDERLINE.match(line)):
        return None, 0
    if match := _HEADING.match(line):
        return "heading", match.end()
    if line.lstrip().startswith("|") or (line.count("|") >= 1 and _TABLE_RULE.match(line) and "-" in line and "|" in line):
        return "table_row", 0
    if match := _QUOTE.match(line):
        return "quote", match.end()
    if match := _BULLET.match(line):
        return "list_item", match.end()
    return "paragraph", 0


def _code(text: str, lines: list[Span], index: int, fence: re.Match[str]) -> tuple[int, Block]:
    begin = end = lines[index][1]
    closing = re.compile(rf"[ \t>]*{fence[1][0]}{{{len(fence[1])},}}[ \t]*$")
    index += 1
    while index < len(lines):
        start, stop = lines[index]
        index += 1
        if closing.match(text[start:stop].rstrip("\r\n")):
            break
        end = stop
    return index, Block(kind="code", span=(begin, max(begin, end)), language=fence[2].lower(), fenced=True)


def _row(text: str, start: int, end: int) -> Iterator[Block]:
    if _TABLE_RULE.match(text[start:end]):
        return
    cells: list[Span] = []
    position = start
    for match in re.finditer(r"(?<!\\)\||$", text[start:end]):
        span = _trim(text, position, start + match.start())
        if span[0] < span[1]:
            cells.append(span)
        position = start + match.end()
    if cells:
        yield Block(kind="table_row", span=(cells[0][0], cells[-1][1]), cells=tuple(cells))


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and (text[start].isspace() or text[start] in _INVISIBLE):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in _INVISIBLE):
        end -= 1
    return start, end


_INVISIBLE = "\u200b\ufeff\x00"
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st mt ft gen col capt lt sgt rev hon pres gov sen rep hr fr vs etc inc ltd co corp dept univ assn bros no nos vol vols"
    " pp p ed eds fig figs eq eqs sec"
    " ch art al cf ca approx est min max jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun e.g i.e a.m p.m u.s u.k u.n d.c"
    " ph.d m.d b.a m.a b.c a.d"
    " viz resp incl excl tel ext op cit ibid z.b d.h bzw usw nr".split()
)
_CONTINUES = frozenset("etc inc ltd co corp jr sr a.m p.m u.s u.k u.n d.c ph.d m.d b.a m.a b.c a.d al".split())
"""Abbreviations after which a sentence may end as well: it does if a capital letter that starts a new sentence follows."""
_STARTERS = frozenset(
    "the a an it its he she they we you i this that these those there in on at by for from but and however so then when while after before if as his"
    " her their our my your what who how why"
    " according although because since during today both each all many most some one two no not".split()
)
_CLOSERS = "\"'”’»)]}）】」』》*_"
_STOP = re.compile(r"[.!?…]+|[。！？｡]+|\n[ \t]*\n")
_WORD_BEFORE = re.compile(r"[^\s(\[\"“'‘]+$")


def sentences(text: str) -> tuple[Span, ...]:
    """Spans of the sentences of a text; Markdown structure ends a sentence, code blocks have none."""
    found: list[Span] = []
    for block in blocks(text):
        if block.kind == "code":
            continue
        if block.kind == "table_row":
            found.append(block.span)
        else:
            found.extend(_sentences(text, *block.span))
    return tuple(found)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    begin = start
    for match in _STOP.finditer(text, start, end):
        if match.start() < begin:
            continue
        stop = match.end()
        while stop < end and text[stop] in _CLOSERS and not (text[stop] in "\"'*_" and stop + 1 < end and text[stop + 1].isalnum()):
            stop += 1
        if _ends(text, begin, match, stop, end):
            span = _trim(text, begin, stop)
            if span[0] < span[1]:
                yield span
            begin = stop
    span = _trim(text, begin, end)
    if span[0] < span[1]:
        yield span


def _ends(text: str, begin: int, match: re.Match[str], stop: int, end: int) -> bool:
    """Whether the mark really ends a sentence."""
    mark = match.group()
    if mark[0] in "。！？｡\n":
        rest = text[stop : stop + 1]
        return not (stop > match.end() and rest in ("と", "的", "，", "、", ","))
    rest = text[stop : min(end, stop + 40)]
    if not rest.strip():
        return True
    if not rest[0].isspace():
        return stop > match.end() - 1 and ("\u3040" <= rest[0] <= "\u9fff")
    following = rest.lstrip()
    if mark[0] in "!?":
        return not (following[:1].islower() and stop > match.end())
    if following[:1].islower() or following[:1] in ",;:":
        return False
    word = _WORD_BEFORE.search(text, max(begin, match.start() - 24), match.start())
    before = word.group().lower() if word else ""
    if mark == ".":
        if before in _CONTINUES:
            return re.split(r"[^\w]", following.lower(), maxsplit=1)[0] in _STARTERS
        if before in _ABBREVIATIONS and not (
            before in ("no", "max", "min", "sun", "mar", "art", "may", "ed", "fig", "co", "est")
            and text[match.start() - len(before)].islower()
            and not following[:1].isdigit()
        ):
            return False
        if re.fullmatch(r"(?:[A-Za-z]\.)*[A-Z]", word.group() if word else "") and len(before) <= 3:
            return before == "i" or re.split(r"[^\w]", following.lower(), maxsplit=1)[0] in _STARTERS
        if before.isdigit() and len(before) <= 3 and _trim(text, begin, match.start())[0] == match.start() - len(before):
            return False
    return True


_CLAUSE = re.compile(
    r";|；|(?:,\s{0,3}|(?<=\S)\s{1,3})(?:but|whereas|while|although|though|however)(?=\s)|,\s{1,3}(?:and|or|so"
    r"|yet)\s{1,3}(?=\S{1,80}\s{1,3}\S{1,80}\s{1,3}\S)|(?<=\S)\s{1,3}[—–](?=\s)|——"
    r"|，(?:但是?|而|却|因此|所以|并且|然而)|、?が、"
)


def clauses(text: str, span: Span) -> tuple[Span, ...]:
    """Spans of the clauses of one sentence: parts with a statement of their own, or the sentence itself."""
    start, end = span
    parts: list[Span] = []
    begin = start
    inside = _bracketed(text, start, end)
    starts = [span[0] for span in inside]
    for match in _CLAUSE.finditer(text, start, end):
        around = bisect_left(starts, match.start()) - 1
        if around >= 0 and match.start() < inside[around][1]:
            continue
        left, right = _trim(text, begin, match.start()), _trim(text, match.end(), end)
        if not (_substantial(text, (max(left[0], left[1] - _NEAR), left[1])) and _substantial(text, (right[0], min(right[1], right[0] + _NEAR)))):
            continue
        parts.append(left)
        begin = match.end()
    parts.append(_trim(text, begin, end))
    return tuple(part for part in parts if part[0] < part[1])


_NEAR = 300
"""Characters on each side of a possible border between clauses that are looked at."""


def _bracketed(text: str, start: int, end: int) -> list[Span]:
    found: list[Span] = []
    opened: list[int] = []
    for match in re.finditer(r"[()\[\]（）「」『』“”]", text[start:end]):
        place = start + match.start()
        if match.group() in "([（「『“":
            opened.append(place)
        elif opened:
            begin = opened.pop()
            if not opened:
                found.append((begin, place))
    return found


_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|will|would|can|could|may|might|must|should|\w{3,}(?:ed|es)|won|wrote|made|became|began"
    r"|led|took|gave|held|grew|fell|rose|sold"
    r"|cost|left|went|came|saw|knew|lost|met|ran|said|built|bought|brought|taught|found|kept|paid|sent|spent|stood|told|thought|wore|drew|drove|flew"
    r"|spoke|chose|broke|got|put|set|read|sang"
    r"|\w+s)\b|=|[\u4e00-\u9fff]{3}|[\u3040-\u30ff]{2}",
    re.IGNORECASE,
)


def _substantial(text: str, span: Span) -> bool:
    part = text[span[0] : span[1]]
    cjk = sum("\u3040" <= c <= "\u9fff" for c in part)
    return (len(part.split()) >= 3 or cjk >= 4) and bool(_VERB.search(part))


_OPINION = re.compile(
    r"^(?:i (?:think|believe|feel|hope|guess|suppose|recommend|suggest|would)|in my (?:opinion|view)|personally|hopefully|perhaps you|we (?:hope"
    r"|recommend|suggest))\b|^(?:我(?:认为|觉得|想|希望|建议)|私は.*と思)",
    re.IGNORECASE,
)
_PHATIC = re.compile(
    r"^(?:hi|hello|hey|dear|greetings|thanks|thank you|good (?:morning|afternoon|evening|question)|great question|sure|certainly|of course|absolutely"
    r"|okay|ok|yes|no|you're welcome|welcome|sorry"
    r"|i(?:'m| am) (?:happy|glad|sorry|here|an ai)|i hope|let me (?:know|help|explain|think)|feel free|here(?:'s| is| are)|please|best regards"
    r"|kind regards|sincerely|cheers|let's|note that"
    r"|你好|您好|谢谢|不客气|当然|好的|希望|以下是|こんにちは|ありがとう|はい|もちろん|以下)\b",
    re.IGNORECASE,
)


def _checkworthy(sentence: str, kind: BlockKind) -> bool:
    bare = sentence.strip(" \t\"'“”*_").lower()
    if kind == "heading" or not re.search(r"\w", bare):
        return False
    if re.search(r"[?？][\"'”’)\]]*$", bare) or bare.endswith(("吗", "呢", "か")):
        return False
    if _OPINION.search(bare):
        return False
    phatic = _PHATIC.match(bare)
    if phatic and (len(bare) - phatic.end() < 60 and not re.search(r"\d", bare)):
        return re.match(r"(?:yes|no|sure|certainly|of course|absolutely)\b[,.:;—–-]? \S+(?: \S+){2}", bare) is not None
    return not bare.endswith((":", "："))


def claim_id(text: str, kind: str, occurrence: int = 0) -> str:
    """A stable id: equal for equal text, kind and occurrence within the answer."""
    return "c" + hashlib.sha256(f"{kind}\x1f{occurrence}\x1f{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


def claims(text: str) -> tuple[Claim, ...]:
    """One claim for each sentence, or clause with a statement of its own; greetings, opinions and questions are not check-worthy."""
    return finished(claiming(text))


def claiming(text: str) -> Steps[tuple[Claim, ...]]:
    """`claims` in steps, one for each block."""
    found: list[Claim] = []
    seen: Counter[str] = Counter()
    for block in blocks(text):
        if block.kind == "code":
            continue
        spans = [block.span] if block.kind in ("table_row", "heading") else list(_sentences(text, *block.span))
        for sentence in spans:
            worthy = _checkworthy(text[sentence[0] : sentence[1]], block.kind)
            parts = clauses(text, sentence) if worthy and block.kind != "table_row" else (sentence,)
            for span in parts:
                words = text[span[0] : span[1]]
                kind: ClaimKind = "fact"
                found.append(Claim(id=claim_id(words, kind, seen[words]), text=words, span=span, kind=kind, checkworthy=worthy))
                seen[words] += 1
        yield
    return tuple(found)
