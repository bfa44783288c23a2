"""From what a search engine found to evidence: plain text, a checked address, a date, how far it is trusted and how much it has to do with the query."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import Any, cast
from urllib.parse import urlsplit

from redraft.claims.words import CJK, content_words, words
from redraft.claims.written_dates import find_dates
from redraft.tools.extract import text_document
from redraft.tools.search.http import Refused
from redraft.types import Evidence, ToolCall

__all__ = ["Hit", "entries", "evidence_of", "host_of", "iso_date", "plain", "relevance", "table_of", "text_of", "trust_of"]

MAX_TEXT = 4000
MAX_TITLE = 300
MAX_ADDRESS = 2000
DEFAULT_TRUST = 0.6
KINDS: tuple[tuple[float, frozenset[str]], ...] = (
    (0.8, frozenset("gov mil edu int gov.uk ac.uk gov.au edu.au gov.cn edu.cn ac.jp go.jp gov.in europa.eu who.int".split())),
    (0.7, frozenset("wikipedia.org wikidata.org britannica.com nature.com nih.gov".split())),
    (
        0.5,
        frozenset(
            "reddit.com quora.com facebook.com x.com twitter.com tiktok.com instagram.com youtube.com pinterest.com medium.com substack.com blogspot.com "
            "wordpress.com tumblr.com zhihu.com weibo.com baidu.com answers.com fandom.com stackexchange.com".split()
        ),
    ),
)
"""Trust by the ending of the host: public bodies, edited reference works, and places where anybody may write."""
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One result as the provider gave it; `score` where it has one in [0, 1]."""

    text: str
    title: str = ""
    url: str = ""
    time: str = ""
    score: float | None = None
    trust: float | None = None


def evidence_of(call: ToolCall, query: str, hit: Hit) -> Evidence:
    """The hit as evidence of this call."""
    text, title, source = plain(hit.text)[:MAX_TEXT], plain(hit.title).replace("\n", " ")[:MAX_TITLE], _address(hit.url)
    share = relevance(query, f"{title}\n{text}") if hit.score is None else min(1.0, max(0.0, hit.score))
    trust = trust_of(source) if hit.trust is None else hit.trust
    return Evidence(tool=call.tool, input=call.input, text=text, title=title, source=source, time=hit.time, trust=trust, relevance=round(share, 4))


def plain(text: str) -> str:
    """Without mark-up, entities, characters that do not show, and halves of surrogate pairs."""
    text = html.unescape(_TAG.sub("", text))
    text = text_document("", text.encode("utf-8", "replace").decode()).sections[0].text
    return re.sub(r"[^\S\n]+", " ", re.sub(r"\s*\n\s*", "\n", text)).strip()


def _address(url: str) -> str:
    """The address if it is one of the web, else nothing."""
    url = url.strip()
    if len(url) > MAX_ADDRESS or not url.isprintable() or " " in url:
        return ""
    return url if url.lower().startswith(("http://", "https://")) and host_of(url) else ""


def host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def trust_of(url: str) -> float:
    """A first guess by the kind of the source, in [0.5, 0.8]: what it says is still to be compared with others."""
    labels = host_of(url).split(".")
    endings = {".".join(labels[place:]) for place in range(len(labels))}
    return next((trust for trust, hosts in KINDS if endings & hosts), DEFAULT_TRUST)


def relevance(query: str, text: str) -> float:
    """Share of the query's content words that a text has; in scripts without spaces, of its pairs of neighbouring characters."""
    wanted = _terms(query, question=True)
    return len(wanted & _terms(text, question=False)) / len(wanted) if wanted else 0.0


def _terms(text: str, *, question: bool) -> frozenset[str]:
    found = (content_words(text, question=True) or words(text)) if question else words(text)
    single = re.compile(f"[{CJK}]")
    terms = {word.stem for word in found if not single.match(word.text)}
    characters = [word for word in found if single.match(word.text)]
    pairs = {one.text + other.text for one, other in pairwise(characters) if one.span[1] == other.span[0]}
    return frozenset(terms | (pairs or {word.text for word in characters}))


def iso_date(text: object) -> str:
    """The day as ISO 8601, of a date in any common notation; empty where there is none that can be read in one way."""
    if not isinstance(text, str) or not text.strip():
        return ""
    given = text.strip()[:60]
    if re.match(r"[A-Za-z]{3}, \d", given):
        try:
            date = parsedate_to_datetime(given)
        except (ValueError, TypeError, IndexError):
            return ""
        return (date.astimezone(UTC) if date.tzinfo else date).date().isoformat()
    found = next((item.value for item in find_dates(re.sub(r"(\d{4}-\d\d-\d\d)[T ].*", r"\1", given)) if item.value), None)
    return found.isoformat() if found else ""


def table_of(value: Any, *path: str) -> Mapping[str, Any]:
    """The JSON object at the end of a path; empty where something on the way is absent or null.

    Raises:
        Refused: something on the way is not an object.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Refused("broken", "gave a reply of an unknown shape")
    table = cast("dict[str, Any]", value)
    return table_of(table.get(path[0]), *path[1:]) if path else table


def entries(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The objects of a list; none where it is absent or null.

    Raises:
        Refused: it is no list of objects.
    """
    found = table.get(name)
    if found is None:
        return []
    if not isinstance(found, list):
        raise Refused("broken", "gave a reply of an unknown shape")
    return [table_of(item) for item in cast("list[Any]", found)]


def text_of(table: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds a text; empty where none does."""
    return next((value for name in names if isinstance(value := table.get(name), str) and value.strip()), "")
