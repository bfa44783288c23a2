"""Sources of evidence: how far each is trusted, which are independent of each other, and which side of a disagreement weighs more. Pure.

A mirror is no second source: what has the same registrable domain, or nearly the same text, counts once. Where it cannot be told whether two
sources are independent, they are taken for one, so that a doubt never helps to overturn an answer.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from redraft.claims.words import words
from redraft.types import Evidence

__all__ = ["Side", "host_of", "independent", "newest", "origin", "outweighs", "same_text", "side", "trusted"]

_HOST = re.compile(
    r"^(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#@\s]*@)?(?P<host>\[[0-9a-f:.]+\]|[^/?#:\s]+)|^(?P<bare>(?:[\w-]+\.)+[a-z]{2,24})(?=[/?#:]|$)",
    re.IGNORECASE,
)
_FILE = re.compile(r"\.(?:txt|md|html?|pdf|docx?|xlsx?|pptx?|csv|tsv|jsonl?|parquet|rst|xml)$", re.IGNORECASE)
_SECOND_LEVEL = frozenset("ac co com edu go gob gouv gov govt gv mil ne net nhs nom or org police sch web".split())
"""Labels under which a country's registry gives out names: `bbc.co.uk` is one registrant, `co.uk` is none."""
_SHINGLE = 5
_FEWEST_WORDS = 8
"""Texts with fewer words are one only if they are equal: a short sentence is easily written twice."""
_SHARED = 0.6
"""Share of the shorter text's shingles that makes two texts one."""
_MOST_TRUST = 0.97
"""No source is trusted beyond this when sides are weighed, so that a second independent one always counts."""
_MARGIN = 0.05
_TIME = re.compile(r"\s*(\d{4})(?:-?(\d\d))?(?:-?(\d\d))?(?:[T ](\d\d):?(\d\d))?")


def host_of(source: str) -> str:
    """The host of an address, in lower case; empty where the source is a file or a name."""
    found = _HOST.match(source.strip())
    if found is None:
        return ""
    host = (found["host"] or found["bare"]).lower().rstrip(".")
    return "" if found["bare"] and _FILE.search(host) else host


def origin(item: Evidence) -> str:
    """Who stands behind a piece of evidence: its registrable domain, else its file without the place in it, else its title, else itself."""
    host = host_of(item.source)
    if host:
        return _registrable(host)
    place = item.source.partition("#")[0].strip()
    return place or item.title.strip().lower() or item.id


def _registrable(host: str) -> str:
    labels = host.split(".")
    if len(labels) < 3 or host.startswith("[") or all(label.isdigit() for label in labels):
        return host
    country = len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if country else -2 :])


def trusted(item: Evidence, trust: Mapping[str, float]) -> Evidence:
    """The evidence with the trust that the mapping gives its source; the longest pattern that fits counts, and without one nothing changes.

    A pattern is a domain, which also stands for all below it (`nature.com`), or has wildcards (`*.gov`, or `*/blog/*` for a path or a file).
    """
    if not trust:
        return item
    host = host_of(item.source)
    fitting = [pattern for pattern in trust if _fits(pattern.lower(), host, item.source.lower())]
    if not fitting:
        return item
    return dataclasses.replace(item, trust=min(max(trust[max(fitting, key=len)], 0.0), 1.0))


def _fits(pattern: str, host: str, source: str) -> bool:
    if host and (fnmatchcase(host, pattern) or host == pattern or host.endswith("." + pattern) or pattern == "*." + host):
        return True
    return ("/" in pattern or not host) and fnmatchcase(source, pattern)


def same_text(one: str, other: str) -> bool:
    """Whether two texts are copies of each other, or one is an extract of the other: most runs of five words of the shorter stand in the longer."""
    a, b = _words(one), _words(other)
    if min(len(a), len(b)) < _FEWEST_WORDS:
        return a == b and bool(a)
    first, second = _shingles(a), _shingles(b)
    return len(first & second) >= _SHARED * min(len(first), len(second))


def _words(text: str) -> list[str]:
    return [word.text.lower() for word in words(text)]


def _shingles(found: Sequence[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(found[start : start + _SHINGLE]) for start in range(len(found) - _SHINGLE + 1))


def independent(items: Sequence[Evidence]) -> tuple[tuple[Evidence, ...], ...]:
    """The evidence in groups that are independent of each other: one group for all that shares a source or a text, directly or through others."""
    groups: list[list[Evidence]] = []
    for item in items:
        near = [group for group in groups if any(origin(item) == origin(other) or same_text(item.text, other.text) for other in group)]
        merged = [item for group in near for item in group]
        groups = [group for group in groups if group not in near]
        groups.append([*merged, item])
    return tuple(tuple(group) for group in groups)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One side of a disagreement: its evidence, how many independent sources that is, their joint weight, and the date of the newest."""

    evidence: tuple[Evidence, ...]
    sources: int
    weight: float
    """The chance that not all of them are wrong, if each were right as often as it is trusted."""
    time: str

    def __str__(self) -> str:
        best = max((item.trust for item in self.evidence), default=0.0)
        shown = f"{self.sources} source{'' if self.sources == 1 else 's'}, trust {best:.2g}"
        return f"{shown}, {self.time[:10]}" if self.time else shown


def side(items: Sequence[Evidence]) -> Side:
    """What speaks for one side."""
    groups = independent(items)
    doubt = math.prod(1 - min(max(item.trust for item in group), _MOST_TRUST) for group in groups)
    return Side(evidence=tuple(items), sources=len(groups), weight=1 - doubt if groups else 0.0, time=newest(item.time for item in items))


def outweighs(one: Side, other: Side) -> bool:
    """Whether the first side is stronger or more independent: by doubt that remains, and where that is about equal by the newer date. A tie is no."""
    if not other.sources:
        return one.sources > 0
    left, right = math.log(max(1 - one.weight, 1e-9)), math.log(max(1 - other.weight, 1e-9))
    if abs(left - right) > _MARGIN * max(abs(left), abs(right), 1e-9):
        return left < right
    return _later(one.time, other.time)


def newest(times: Iterable[str]) -> str:
    """The latest of some ISO 8601 dates; what is no date is left out, and no date at all is empty."""
    return max((time for time in times if _TIME.match(time)), key=_moment, default="")


def _moment(time: str) -> tuple[int, ...]:
    found = _TIME.match(time)
    return tuple(int(part) for part in found.groups() if part) if found else ()


def _later(one: str, other: str) -> bool:
    """Whether the first date is certainly later: compared only as far as both say it ("2020" and "2020-05" may be the same day)."""
    a, b = _moment(one), _moment(other)
    shared = min(len(a), len(b))
    return a[:shared] > b[:shared]
