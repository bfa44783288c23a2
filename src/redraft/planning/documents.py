"""Checking a text against the given documents by rule: quotations looked up verbatim, citations that exist and support, statements compared explicitly.

What the rules do not decide is left to a judge (`decide` returns None). A document that was not given decides nothing.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Sequence

from redraft.claims.compare import Comparison, compare
from redraft.claims.quotes import Citation, Quotation, citations, locate, quotations
from redraft.claims.segment import claim_id, claims
from redraft.claims.sentence import Sentence, read_sentence
from redraft.claims.slots import names
from redraft.claims.words import content_words, stem, stems, words
from redraft.effects import Effects
from redraft.planning.answers import verify_answer
from redraft.protocols import Route
from redraft.types import Claim, ClaimKind, Evidence, Failure, Span, Task, ToolCall, ToolResult, Verdict

__all__ = ["answer_route", "routes"]

TOOL = "documents"
RELEVANCE = 0.35
MAX_STATEMENTS = 400


async def routes(text: str, effects: Effects, *, relevance: float = RELEVANCE) -> tuple[Route, ...]:
    """How each quotation, citation and statement of a text is checked against the documents, in the order of the text; none without documents."""
    if TOOL not in effects.tools:
        return ()
    found = [*_quotation_routes(text), *_citation_routes(text, relevance), *_statement_routes(text, relevance)]
    return tuple(sorted(found, key=lambda route: route.claim.span))


async def answer_route(task: Task, effects: Effects, *, relevance: float = RELEVANCE) -> Route | None:
    """How a bare answer is checked together with its question: supported where the answer stands in a sentence that the question is about.

    None without documents, question or answer. The rule never contradicts: another answer in the documents may be as good.
    """
    answer = (task.answer or "").strip()
    if TOOL not in effects.tools or not task.query.strip() or not answer:
        return None
    start = (task.answer or "").index(answer)
    span = (start, start + len(answer))
    claim = Claim(id=claim_id(answer, "fact"), text=answer, span=span, focus=span, query=f"{task.query} {answer}")
    calls = tuple(ToolCall(tool=TOOL, input=query) for query in dict.fromkeys((task.query, claim.query)))

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        evidence = _evidence(results, 0.0)
        verdict = verify_answer(task.query, answer, evidence)
        return verdict or _unavailable(results)

    return Route(claim=claim, calls=calls, decide=decide)


def _evidence(results: Sequence[ToolResult], relevance: float) -> list[Evidence]:
    """All evidence above the threshold, best first within each result, each passage once."""
    found: dict[tuple[str, str], Evidence] = {}
    for result in results:
        if not isinstance(result, Failure):
            for item in result:
                if item.relevance >= relevance:
                    found.setdefault((item.source, item.text), item)
    return list(found.values())


def _unavailable(results: Sequence[ToolResult]) -> Verdict | None:
    """That no tool could run, where that is so; nothing found is not it."""
    failures = [result for result in results if isinstance(result, Failure) and result.kind != "empty"]
    if failures and len(failures) == len(results):
        return Verdict(status="unavailable", note=f"the documents could not be searched: {failures[0].message}")
    return None


def _claim(text: str, span: Span, kind: ClaimKind, seen: Counter[str], *, focus: Span | None = None, query: str = "") -> Claim:
    words = text[span[0] : span[1]]
    number = seen[f"{kind}\x1f{words}"]
    seen[f"{kind}\x1f{words}"] += 1
    return Claim(id=claim_id(words, kind, number), text=words, span=span, focus=focus, kind=kind, query=query)


# Quotations


def _quotation_routes(text: str) -> list[Route]:
    seen: Counter[str] = Counter()
    found: list[Route] = []
    for quotation in quotations(text):
        claim = _claim(text, quotation.span, "quote", seen, focus=quotation.inner)
        found.append(Route(claim=claim, calls=(ToolCall(tool=TOOL, input=f"quote: {quotation.text}"),), decide=_decide_quotation(quotation)))
    return found


_SOURCES = (
    r"(?:documents?|reports?|sources?|texts?|articles?|papers?|passages?|files?|pages?|contracts?|policy|minutes|speech|letter|study|statement|transcript)"
)
_NAMING = re.compile(
    rf"\b(?:according to|in|from|of) (?:the|this|its|their|our)\s+(?:[\w-]+\s+){{0,2}}{_SOURCES}\b"
    rf"|\bthe\s+(?:[\w-]+\s+){{0,2}}{_SOURCES}\s+"
    r"(?:says?|said|states?|stated|reads?|writes?|wrote|notes?|noted|concludes?|concluded|reports?|reported|puts?|describes?|described|defines?|defined)\b"
    r"|(?:报告|文件|文章|论文|原文|资料)(?:中|里|说|称|指出|写道|表示)",
    re.IGNORECASE,
)


def _decide_quotation(quotation: Quotation) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        result = results[0]
        if isinstance(result, Failure):
            if result.kind != "empty":
                return _unavailable(results)
            return Verdict(status="insufficient", note="the quotation is not in the given documents, and nothing near it")
        for item in result:
            there = locate(quotation.text, item.text)
            if there is not None and there.exact:
                return Verdict(
                    status="supported",
                    method="quoted",
                    confidence=1.0,
                    evidence=(item,),
                    quote=item.text[there.span[0] : there.span[1]],
                    note=f"verbatim in {item.source}",
                )
        return _near_miss(quotation, result)

    return decide


def _near_miss(quotation: Quotation, result: Sequence[Evidence]) -> Verdict | None:
    for item in result:
        there = locate(quotation.text, item.text)
        if there is None:
            continue
        wording = item.text[there.span[0] : there.span[1]]
        note = f"not verbatim: {there.difference} ({item.source})"
        if there.ratio >= 0.75 and _is_of(quotation, item):
            return Verdict(
                status="contradicted", method="quoted", confidence=0.95, evidence=(item,), quote=wording, note=note, expected=_closed(wording, quotation)
            )
        return Verdict(
            status="insufficient", evidence=(item,), quote=wording, note=f"{note}; whether that is the source meant is not said", alternatives=(wording,)
        )
    return Verdict(status="insufficient", note="the quotation is not in the given documents, and nothing near it")


_CLOSING = re.compile(r"[,.;:!?…，。、；：！？]+\s*$")


def _closed(wording: str, quotation: Quotation) -> str:
    """The source's wording with the mark that the text has before the closing quotation mark: that is the text's own."""
    mark = _CLOSING.search(quotation.text)
    return wording + mark[0].rstrip() if mark and not _CLOSING.search(wording) else wording


def _is_of(quotation: Quotation, item: Evidence) -> bool:
    """Whether the text gives the quotation as this source's: by naming the source, the documents, or the speaker that the source names there too."""
    said = quotation.attribution
    if _NAMING.search(said):
        return True
    words = stems(content_words(said))
    file = item.source.partition("#")[0].rpartition("/")[2]
    for name in (item.title, file.rpartition(".")[0]):
        title = stems(content_words(name.replace("_", " ").replace("-", " ")))
        if title and title <= words:
            return True
    speakers = [stems(content_words(said[start:end])) for start, end in names(said)]
    there = stems(content_words(f"{item.title} {item.text}"))
    return any(speaker and speaker <= there for speaker in speakers)


# Citations


def _citation_routes(text: str, relevance: float) -> list[Route]:
    seen: Counter[str] = Counter()
    found: list[Route] = []
    for citation in citations(text):
        start, end = citation.sentence if citation.sentence[1] > citation.sentence[0] else citation.span
        span = (min(start, citation.span[0]), max(end, citation.span[1]))
        statement = _without_references(text[start:end])
        claim = _claim(text, span, "citation", seen, focus=citation.span, query=statement)
        calls = [ToolCall(tool=TOOL, input=f"source: {name}") for name in _source_names(citation)]
        search = ToolCall(tool=TOOL, input=statement) if content_words(statement) else None
        found.append(Route(claim=claim, calls=(*calls, *((search,) if search else ())), decide=_decide_citation(citation, statement, len(calls), relevance)))
    return found


def _without_references(sentence: str) -> str:
    bare = re.sub(r"\[\^?[\w ,;–-]{1,40}\](?:\([^()]*\))?|https?://\S+|\((?:see |cf\. )?[^()]*(?:(?:1[5-9]|20)\d\d[a-z]?|\.[a-z]{2,5})\)", "", sentence)
    return re.sub(r"\s+([.,;:])", r"\1", " ".join(bare.split()))


def _source_names(citation: Citation) -> list[str]:
    """What the cited source may be called among the documents."""
    if citation.kind in ("file", "url"):
        return [citation.key]
    named = [match[0] for match in re.finditer(r"[\w./-]+\.(?:txt|md|html?|pdf|docx?|xlsx?|pptx?|csv|jsonl?)\b|https?://\S+", citation.entry)]
    title = re.search(r"[“\"*_]([^“”\"*_]{4,200})[”\"*_]", citation.entry)
    whole = [title[1].strip(" .")] if title else []
    plain = re.sub(r"https?://\S+", "", citation.entry).strip(" .")
    found = [*named, *whole, plain, citation.key if citation.kind == "author" else ""]
    return [name for name in dict.fromkeys(found) if name][:4]


def _decide_citation(citation: Citation, statement: str, named: int, relevance: float) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        if citation.listed is False:
            return Verdict(status="contradicted", method="computed", confidence=1.0, note=f"the list of sources has no entry [{citation.key}]", quote="")
        sources = _evidence(results[:named], 0.0)
        if not sources:
            return _unavailable(results) or Verdict(
                status="insufficient", note=f"the cited source ({citation.entry or citation.key}) is not among the given documents"
            )
        cited = {item.source.partition("#")[0] for item in sources}
        passages = [item for item in _evidence(results[named:], relevance) if item.source.partition("#")[0] in cited]
        verdict = _compared(statement, "", passages)
        if verdict is None:
            return None
        return dataclasses.replace(verdict, note=f"the cited source exists; {verdict.note}", expected=None)

    return decide


# Statements


def _statement_routes(text: str, relevance: float) -> list[Route]:
    """Statements with a subject that is named, in themselves or by what they refer back to; others could be of anything."""
    quoted = [quotation.span for quotation in quotations(text)]
    found: list[Route] = []
    subject, introduced = "", ""
    for claim in claims(text)[:MAX_STATEMENTS]:
        sentence = read_sentence(claim.text)
        inside = any(start <= claim.span[0] and claim.span[1] <= end for start, end in quoted)
        named = _subject(claim.text, sentence)
        lent = "" if named else subject
        about = "" if _of_another_kind(claim.text, introduced) else lent
        complete = sentence.pivot is not None and len(sentence.tokens) + len(sentence.slots) >= 2
        if claim.checkworthy and claim.kind == "fact" and complete and not inside and (named or lent):
            query = _in_full(claim.text, about)
            asked = dataclasses.replace(claim, query=query if about else "")
            decide = _decide_statement(claim, text, about, relevance) if named or about else _unavailable
            found.append(Route(claim=asked, calls=(ToolCall(tool=TOOL, input=query),), decide=decide))
        if named:
            introduced = claim.text
        elif _PRONOUN.match(claim.text):
            introduced += f" {claim.text}"
        elif not subject and not claim.checkworthy:
            introduced = ""  # a heading or a fragment: it introduces nothing of a kind
        subject = named or subject or ("" if claim.checkworthy else claim.text.strip())
    return found


_DEFINITE = re.compile(r"(?:The|This|That|These|Those)\s+(?P<noun>[a-z]\w*)\b(?!-)")
_PRONOUN = re.compile(r"(?:It|He|She|They)\b|(?P<of>Its|His|Her|Their)\b(?=\s+[a-z])")


def _of_another_kind(statement: str, introduced: str) -> bool:
    """Whether it begins with a noun ("The company …") that the statement which named the last subject ("Anna Berg was born in Oslo.") does not have."""
    match = _DEFINITE.match(statement)
    if match is None:
        return False
    return stem(match["noun"]) not in stems(words(introduced))


def _in_full(statement: str, about: str) -> str:
    """The statement with the name in the place of its pronoun or noun; before it where it has neither."""
    match = (_PRONOUN.match(statement) or _DEFINITE.match(statement)) if about else None
    if match is None:
        return f"{about} {statement}".strip()
    return about + ("'s" if match.groupdict().get("of") else "") + statement[match.end() :]


_GENERIC = re.compile(
    r"(?:The )?(?:County|City|State|University|College|Company|Club|Department|Government|Court|Census|Church|House|School|Council|Party|League|Army)"
)
_ADJUNCT = re.compile(
    r"\b(?:in|on|at|by|from|during|after|before|since|until|with|within|for|to|as of|as|under|against|near|than|among)\s+(?:the\s+|an?\s+)?(?:\d{4}\s+)?$",
    re.IGNORECASE,
)


def _subject(text: str, sentence: Sentence) -> str:
    """The name that is the subject of a statement, which later ones may refer back to; empty where that is a pronoun or a common noun.

    A single capitalised word that begins the statement is taken for a name where a verb follows.
    """
    before = next((word.span[0] for place, word in enumerate(words(text)) if place == sentence.pivot), 0)
    spans = [(start, end) for start, end in names(text) if end <= before and not _ADJUNCT.search(text[:start])]
    if spans:
        name = text[spans[0][0] : spans[0][1]]
        return "" if _GENERIC.fullmatch(name) else name
    first = next(iter(sentence.tokens), None)
    plain = first is not None and first.index == 0 and first.text[0].isupper() and first.subject and not re.search(r"(?:ing|ly|s)$", first.text)
    return first.text if first is not None and plain and sentence.pivot is not None and sentence.pivot <= 2 else ""


def _decide_statement(claim: Claim, text: str, about: str, relevance: float) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    verbatim = text[claim.span[0] : claim.span[1]] == claim.text

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        verdict = _unavailable(results) or _compared(claim.text, about, _evidence(results, relevance))
        if verdict is None or verdict.focus is None:
            return verdict
        start, end = verdict.focus
        focus = (claim.span[0] + start, claim.span[0] + end) if verbatim else None
        return dataclasses.replace(verdict, focus=focus)

    return decide


def _replaceable(statement: str, found: Comparison) -> Span | None:
    """The figure or date of the statement that the expected one can stand in for as it is: one place, written in the same form."""
    if found.expected is None or len(found.words_claim) != 1:
        return None
    start, end = found.words_claim[0]
    form = _form(statement[start:end])
    return (start, end) if "0" in form and form == _form(found.expected) else None


def _form(figure: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d(?:[\d.,]*\d)?", "0", " ".join(figure.split())))


def _compared(statement: str, about: str, passages: Sequence[Evidence]) -> Verdict | None:
    """What the passages say of a statement, where they agree; sources that disagree decide nothing and are named."""
    said: dict[str, list[tuple[Evidence, Comparison]]] = {"supported": [], "contradicted": []}
    for item in passages:
        comparison = compare(statement, item.text, title=item.title, subject=about)
        if comparison.verdict != "unclear":
            said[comparison.verdict].append((item, comparison))
    supports, conflicts = said["supported"], said["contradicted"]
    if supports and conflicts:
        both = (supports[0][0], conflicts[0][0])
        note = f"the sources disagree: {both[0].source} supports it, {both[1].source} does not"
        return Verdict(status="insufficient", evidence=both, note=note, quote=supports[0][1].quote)
    if not supports and not conflicts:
        return None
    item, comparison = (supports or conflicts)[0]
    evidence = tuple(dict.fromkeys(item for item, _ in supports or conflicts))
    if supports:
        return Verdict(
            status="supported", method="quoted", confidence=0.97, evidence=evidence, quote=comparison.quote, note=f"{item.source}: {comparison.reason}"
        )
    wordings = {found.expected for _, found in conflicts}
    expected = comparison.expected if len(wordings) == 1 else None
    alternatives = tuple(sorted(wording for wording in wordings if wording)) if expected is None else ()
    return Verdict(
        status="contradicted",
        method="quoted",
        confidence=0.95,
        evidence=evidence,
        quote=comparison.quote,
        note=f"{item.source}: {comparison.reason}",
        expected=expected,
        alternatives=alternatives,
        focus=_replaceable(statement, comparison) if expected is not None else None,
    )
