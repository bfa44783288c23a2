"""The `documents` tool: passages of the given files by BM25, quotations looked up verbatim, and whether a source is among them.

Everything stays in memory (SQLite FTS5). A document's words are evidence and nothing else: no input can name a file that was not given.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import os
import re
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from redraft.claims.quotes import Located, locate
from redraft.claims.segment import sentences
from redraft.claims.words import CJK, content_words, words
from redraft.errors import InputError, MissingExtra
from redraft.tools.extract import FORMATS, Document, Section, read_document, text_document
from redraft.tools.meaning import near_words, similarities
from redraft.types import Evidence, Failure, ToolCall, ToolResult

__all__ = ["DocumentsTool", "read_sources"]

HITS = 5
NEAR = 8
SENTENCES = 12
MAX_FILES = 5000
MAX_DEPTH = 12
MAX_TERMS = 60
MAX_INPUT = 4000
LEAST_WORDS, MOST_WORDS = 100, 180
TITLE_WEIGHT = 2.0
ELSEWHERE = 10
PAIRS_SHARE = 0.75
"""Exponent that brings shares of character pairs, half of which straddle two words, to the scale of shares of words (measured on XQuAD: en and zh agree)."""


def read_sources(paths: Sequence[str | Path]) -> tuple[tuple[Document, ...], tuple[str, ...]]:
    """All documents at the given paths, and notes on what was left out or guessed.

    A file named by itself must be readable; those in a folder that are not are passed over.

    Raises:
        InputError: a path cannot be used, or nothing readable is there.
        MissingExtra: a format needs an optional dependency.
    """
    documents: list[Document] = []
    notes: list[str] = []
    seen: set[str] = set()
    for given in paths:
        path = Path(given)
        if not path.is_dir():
            documents.append(read_document(path, str(given)))
            continue
        found = 0
        for file in _files(path, seen, notes):
            try:
                documents.append(read_document(file, str(file)))
                found += 1
            except (InputError, MissingExtra) as error:
                notes.append(f"left out: {error}")
        if not found:
            raise InputError(f"{given}: has no document that can be read (known: {', '.join(FORMATS)})")
    return tuple(documents), (*notes, *(note for document in documents for note in document.notes))


def _files(folder: Path, seen: set[str], notes: list[str]) -> Iterator[Path]:
    """Readable suffixes below a folder in a fixed order; links to folders are not followed, so that no loop can hold us."""
    count = 0
    for place, folders, names in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if depth < MAX_DEPTH else []
        for name in sorted(names):
            path = Path(place) / name
            if name.startswith(".") or path.suffix.lower().lstrip(".") not in FORMATS or not path.is_file():
                continue
            real = os.path.realpath(path)
            if real in seen:
                continue
            if count >= MAX_FILES:
                notes.append(f"{folder}: has more than {MAX_FILES} documents; the rest was left out")
                return
            seen.add(real)
            count += 1
            yield path


@dataclass(frozen=True, slots=True)
class _Passage:
    document: int
    title: str
    label: str
    text: str


class _Index:
    """Passages with their full-text index; not thread-safe by itself."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.passages: list[_Passage] = []
        for number, document in enumerate(documents):
            self.passages.extend(_passages(number, document))
        self.database = sqlite3.connect(":memory:", check_same_thread=False)
        self.database.execute("CREATE VIRTUAL TABLE passages USING fts5(title, body, content='', tokenize='porter unicode61 remove_diacritics 2')")
        rows = ((number, _spaced(passage.title), _spaced(passage.text)) for number, passage in enumerate(self.passages))
        self.database.executemany("INSERT INTO passages(rowid, title, body) VALUES (?, ?, ?)", rows)
        self._having: dict[str, frozenset[int]] = {}
        self._kept = 0
        self._vocabulary: tuple[str, ...] | None = None

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All content words of the documents in lower case, one form of each."""
        if self._vocabulary is None:
            forms: dict[str, str] = {}
            for passage in self.passages:
                for word in content_words(f"{passage.title} {passage.text}"):
                    forms.setdefault(word.stem, word.text.lower())
            self._vocabulary = tuple(forms.values())
        return self._vocabulary

    def opening(self, number: int) -> str:
        """The first line of a passage's document where it is short as a heading is, and says more than the title."""
        passage = self.passages[number]
        first = next(other for other in self.passages if other.document == passage.document)
        line = first.text.strip().partition("\n")[0].lstrip("# ").strip()
        return line if len(line) <= 100 and not re.search(r"[.!?]$", line) and line not in passage.title else ""

    def having(self, term: str) -> frozenset[int]:
        """Passages with a term."""
        known = self._having.get(term)
        if known is None:
            if self._kept > 2_000_000:
                self._having.clear()
                self._kept = 0
            known = frozenset(row[0] for row in self.database.execute("SELECT rowid FROM passages WHERE passages MATCH ?", (term,)))
            self._having[term] = known
            self._kept += len(known)
        return known

    def search(self, query: str, limit: int, offset: int = 0) -> list[tuple[int, float]]:
        """Passages best first, each with the share of the query's weight (inverse document frequency) that it covers."""
        terms = _terms(query)
        if not terms:
            return []
        match = " OR ".join(terms)
        sql = f"SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages, {TITLE_WEIGHT}, 1.0), rowid LIMIT ? OFFSET ?"
        hits = [int(row[0]) for row in self.database.execute(sql, (match, limit, offset))]
        weights = {term: self._rarity(term) for term in terms}
        mass = sum(weights.values())
        shares = [(hit, sum(weight for term, weight in weights.items() if hit in self.having(term)) / mass) for hit in hits]
        return [(hit, share**PAIRS_SHARE) for hit, share in shares] if re.search(f"[{CJK}]", query) else shares

    def _rarity(self, term: str) -> float:
        """Inverse document frequency, as if `ELSEWHERE` passages more were there and one of them had the term: in a handful of passages a word that is
        missing would otherwise outweigh all words that are there."""
        total, having = len(self.passages) + ELSEWHERE, len(self.having(term)) + 1
        return math.log(1 + (total - having + 0.5) / (having + 0.5))


def _spaced(text: str) -> str:
    """With a space around every character of a script without spaces, so that the index sees it as a word."""
    return re.sub(f"([{CJK}])", r" \1 ", text)


def _terms(query: str) -> list[str]:
    """Quoted terms of the index's query language: words that carry content, and pairs of neighbouring characters where words are not spaced."""
    found = content_words(query, question=True) or words(query)
    single = re.compile(f"[{CJK}]")
    terms: list[str] = []
    paired: set[int] = set()
    for place, word in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        if not single.match(word.text):
            terms.append('"' + word.text.replace('"', " ") + '"')
        elif after is not None and single.match(after.text) and after.span[0] == word.span[1]:
            terms.append(f'"{word.text} {after.text}"')
            paired.add(after.span[0])
        elif word.span[0] not in paired:
            terms.append(f'"{word.text}"')
    return list(dict.fromkeys(terms))[:MAX_TERMS]


def _size(text: str) -> float:
    """Length in words; two characters of a script without spaces count as one."""
    single = len(re.findall(f"[{CJK}]", text))
    return single / 2 + len(re.sub(f"[{CJK}]", " ", text).split())


def _passages(number: int, document: Document) -> Iterator[_Passage]:
    for section in document.sections:
        title = (
            " · ".join(dict.fromkeys(part for part in (document.title, section.title) if part))
            if not section.label.startswith(("id=", "row="))
            else section.title
        )
        yield from (_Passage(number, heading, section.label, text) for heading, text in _chunks(section, title))


def _chunks(section: Section, title: str) -> Iterator[tuple[str, str]]:
    """Whole paragraphs of together at least LEAST_WORDS; a longer paragraph is cut between sentences; a heading begins a new passage."""
    heading, held, size = title, list[str](), 0.0
    for block in re.split(r"\n\s*\n|\n(?=#{1,6} )", section.text):
        block = block.strip()
        mark = re.match(r"#{1,6} +([^\n]+)\n?", block)
        if mark and held:
            yield heading, "\n\n".join(held)
            held, size = [], 0.0
        if mark:
            heading = f"{title} · {mark[1].strip()}" if title and mark[1].strip() != title else mark[1].strip()
            block = block[mark.end() :].strip() or block
        for piece in _pieces(block):
            if held and size + _size(piece) > MOST_WORDS:
                yield heading, "\n\n".join(held)
                held, size = [], 0.0
            held.append(piece)
            size += _size(piece)
            if size >= LEAST_WORDS:
                yield heading, "\n\n".join(held)
                held, size = [], 0.0
    if held:
        yield heading, "\n\n".join(held)


def _pieces(block: str) -> Iterator[str]:
    if _size(block) <= MOST_WORDS:
        if block:
            yield block
        return
    held, size = "", 0.0
    for sentence in re.split(r"(?<=[.!?][\s\"”’)])(?=\S)|(?<=[。！？])|(?<=\n)", block):
        while len(sentence) > 4000:  # no sentence at all: a table without line ends, an encoded blob
            yield (held + sentence[:4000]).strip()
            held, size, sentence = "", 0.0, sentence[4000:]
        if held and size + _size(sentence) > MOST_WORDS:
            yield held.strip()
            held, size = "", 0.0
        held += sentence
        size += _size(sentence)
    if held.strip():
        yield held.strip()


class DocumentsTool:
    """Looks things up in the files and texts that the user gave: read and indexed on the first call, or by `load`."""

    def __init__(
        self, paths: Sequence[str | Path] = (), context: str = "", texts: Mapping[str, str] | None = None, *, trust: float = 1.0, timeout_seconds: float = 60.0
    ) -> None:
        self.paths = tuple(paths)
        self.notes: tuple[str, ...] = ()
        """What was left out or guessed in reading, once it was read."""
        self._given = [text_document("context", context)] if context.strip() else []
        self._given += [text_document(source, text) for source, text in (texts or {}).items() if text.strip()]
        self._trust = trust
        self._timeout_seconds = timeout_seconds
        self._index: _Index | None = None
        self._broken = ""
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return "documents"

    @property
    def summary(self) -> str:
        return "Finds passages in the given documents; input: a question or statement, or `quote: WORDS` for a verbatim look-up, or `source: NAME`."

    @property
    def timeout_seconds(self) -> float:
        return self._timeout_seconds

    def load(self) -> tuple[str, ...]:
        """Read and index everything now; returns the notes. For the command line, so that a bad path is said before a run begins.

        Raises:
            InputError: a given file cannot be used.
            MissingExtra: its format needs an optional dependency.
        """
        with self._lock:
            self._load()
        return self.notes

    def _load(self) -> _Index:
        if self._index is None:
            documents, self.notes = read_sources(self.paths)
            self._index = _Index((*self._given, *documents))
        return self._index

    @property
    def fingerprint(self) -> str:
        """A hash of all that can be found here: another content is another one. Reads the files where that was not done yet.

        Raises:
            InputError: a given file cannot be used.
            MissingExtra: its format needs an optional dependency.
        """
        with self._lock:
            index = self._load()
            digest = hashlib.sha256()
            for document in index.documents:
                for part in (document.source, *(piece for section in document.sections for piece in (section.title, section.label, section.text))):
                    digest.update(part.encode("utf-8", "surrogatepass") + b"\x1f")
            return digest.hexdigest()[:24]

    async def run(self, call: ToolCall) -> ToolResult:
        """Passages best first with the share of the query that they cover; `attempt` n gives the n-th further set of hits."""
        if not call.input.strip():
            return Failure(tool=self.name, input=call.input, kind="bad_input", message="there is nothing to look up")
        return await asyncio.to_thread(self._answer, call)

    async def close(self) -> None:
        with self._lock:
            if self._index is not None:
                self._index.database.close()
                self._index = None

    def _answer(self, call: ToolCall) -> ToolResult:
        with self._lock:
            if self._broken:
                return Failure(tool=self.name, input=call.input, kind="bad_input", message=self._broken)
            try:
                index = self._load()
            except (InputError, MissingExtra) as error:
                self._broken = str(error)
                return Failure(tool=self.name, input=call.input, kind="bad_input", message=self._broken)
            request = re.match(r"\s*(quote|source|nearest|related)\s*:\s*(.+)", call.input, re.IGNORECASE | re.DOTALL)
            look_up = {"quote": self._quotation, "source": self._source, "nearest": self._nearest, "related": self._related}
            try:
                found = look_up[request[1].lower()](index, call, request[2].strip()) if request else self._passages(index, call)
            except MissingExtra as error:
                return Failure(tool=self.name, input=call.input, kind="unsupported", message=str(error))
        if not found:
            searched = f"{len(index.documents)} document{'' if len(index.documents) == 1 else 's'}"
            return Failure(tool=self.name, input=call.input, kind="empty", message=f"nothing found in {searched}")
        return found

    def _evidence(self, index: _Index, call: ToolCall, number: int, *, text: str = "", value: str = "", relevance: float = 1.0) -> Evidence:
        passage = index.passages[number]
        document = index.documents[passage.document]
        first = next(place for place in range(number, -1, -1) if place == 0 or index.passages[place - 1].document != passage.document)
        label = passage.label or f"p{number - first + 1}"
        return Evidence(
            tool=self.name,
            input=call.input,
            text=text or passage.text,
            value=value,
            title=passage.title,
            source=f"{document.source}#{label}",
            trust=self._trust,
            relevance=round(relevance, 4),
        )

    def _passages(self, index: _Index, call: ToolCall) -> tuple[Evidence, ...]:
        hits = index.search(call.input[:MAX_INPUT], HITS, max(0, call.attempt) * HITS)
        return tuple(self._evidence(index, call, number, relevance=share) for number, share in hits)

    def _related(self, index: _Index, call: ToolCall, query: str) -> tuple[Evidence, ...]:
        """For each content word of the query the words of the documents that are near it in meaning; the value is "WORD COSINE, …"."""
        asked = list(dict.fromkeys(word.text.lower() for word in content_words(query[:MAX_INPUT], question=True)))
        near = near_words(asked, index.vocabulary)
        return tuple(
            Evidence(
                tool=self.name,
                input=call.input,
                title=word,
                text=f"{word}: near it in meaning are {', '.join(other for other, _ in close)}",
                value=", ".join(f"{other} {score}" for other, score in close),
                trust=self._trust,
            )
            for word, close in near.items()
        )

    def _nearest(self, index: _Index, call: ToolCall, query: str) -> tuple[Evidence, ...]:
        """The sentences that are nearest to a question in meaning, from the passages that share words with it or with what its words are near to.

        The text is the sentence (the value) after the document's opening line and the sentence before it, to which a pronoun may refer.
        """
        related = " ".join(other for item in self._related(index, call, query) for other in re.findall(r"[a-z][a-z'-]+", item.value)[:3])
        hits = [number for number, _ in index.search(query[:MAX_INPUT], NEAR)]
        hits += [number for number, _ in index.search(f"{query[:MAX_INPUT]} {related}", NEAR)]
        hits += range(len(index.passages)) if len(index.passages) <= NEAR else ()
        found: list[tuple[int, str, str]] = []
        for number in dict.fromkeys(hits):
            text, opening = index.passages[number].text, index.opening(number)
            spans = sentences(text)
            for place, (start, end) in enumerate(spans):
                begin = spans[place - 1][0] if place else start
                found.append((number, text[start:end], f"{opening}\n{text[begin:end]}".strip()))
        scores = similarities(query, [f"{index.opening(number) or index.passages[number].title}. {sentence}" for number, sentence, _ in found])
        ranked = sorted(zip(scores, range(len(found)), strict=True), key=lambda pair: (-pair[0], pair[1]))[:SENTENCES]
        return tuple(self._evidence(index, call, found[at][0], text=found[at][2], value=found[at][1], relevance=max(0.0, score)) for score, at in ranked)

    def _quotation(self, index: _Index, call: ToolCall, quotation: str) -> tuple[Evidence, ...]:
        """Where it stands verbatim; else the nearest wording, which the value says."""
        near: list[tuple[float, int, str, Located]] = []
        verbatim: list[Evidence] = []
        for number, _share in index.search(quotation[:MAX_INPUT], 4 * HITS):
            passage = index.passages[number]
            neighbour = index.passages[number + 1] if number + 1 < len(index.passages) else None
            text = passage.text + ("\n\n" + neighbour.text if neighbour and neighbour.document == passage.document else "")
            found = locate(quotation, text)
            if found is None or found.span[0] >= len(passage.text):
                continue
            if found.exact:
                verbatim.append(self._evidence(index, call, number, text=_around(text, found), value="verbatim"))
            else:
                near.append((-found.ratio, number, text, found))
        if verbatim:
            return tuple(verbatim[call.attempt * HITS : (call.attempt + 1) * HITS])
        near.sort(key=lambda item: item[:2])
        chosen = near[call.attempt * HITS : (call.attempt + 1) * HITS]
        return tuple(
            self._evidence(index, call, number, text=_around(text, found), value="near miss", relevance=found.ratio) for _, number, text, found in chosen
        )

    def _source(self, index: _Index, call: ToolCall, wanted: str) -> tuple[Evidence, ...]:
        """The first passage of each document of that name or title; the value says whether the whole of it was read."""
        found: list[Evidence] = []
        for number, document in enumerate(index.documents):
            if _named(wanted, document):
                first = next((place for place, passage in enumerate(index.passages) if passage.document == number), None)
                if first is not None:
                    found.append(self._evidence(index, call, first, value="partial" if document.notes else "complete"))
        return tuple(found[:HITS])


def _named(wanted: str, document: Document) -> bool:
    """Whether a document goes by that name: its path, its file name with or without suffix, or its title."""
    path = Path(document.source)
    names = {document.source, path.name, path.stem, document.title}
    plain = {re.sub(r"[\W_]+", " ", name).strip().casefold() for name in names if name}
    return re.sub(r"[\W_]+", " ", wanted).strip().casefold() in plain - {""}


def _around(text: str, found: Located) -> str:
    """The sentences that hold what was found."""
    start = max((match.end() for match in re.finditer(r"[.!?。！？]['\"”’)]*\s+|[。！？]|\n\s*\n", text[: found.span[0]])), default=0)
    end = re.search(r"[.!?。！？]['\"”’)]*(?=\s|$)|[。！？]|\n\s*\n", text[max(found.span[0], found.span[1] - 1) :])
    return text[start : (max(found.span[0], found.span[1] - 1) + end.end()) if end else len(text)].strip()
