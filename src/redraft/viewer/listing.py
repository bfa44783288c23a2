"""What the address of a list asks for: filters, order, place. Anything malformed is left out, because people edit addresses by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast, get_args
from urllib.parse import urlencode

from redraft.records import Filters, Sort

__all__ = ["PAGE_ROWS", "SORTS", "Asked", "asked"]

PAGE_ROWS = 50
LONGEST_SEARCH = 400
MOST_VALUES = 20
SORTS: Mapping[str, str] = {
    "started": "newest", "seconds": "slowest", "cost_usd": "dearest", "tokens": "most tokens", "llm_calls": "most model calls", "turns": "most turns",
    "contradicted": "most contradicted", "undecided": "most undecided", "status": "status", "policy": "policy", "model": "model",
}  # fmt: skip
CHOICES = ("status", "policy", "model", "stop_reason")


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A list that was asked for."""

    search: str
    filters: Filters
    sort: Sort
    descending: bool
    cursor: str | None
    given: tuple[tuple[str, str], ...]
    """What the address says, without the cursor."""

    def address(self, **other: str | None) -> str:
        """The query part of the address of this list, with other values for some names; None takes a name out."""
        pairs = [(name, value) for name, value in self.given if name not in other]
        pairs += [(name, value) for name, value in other.items() if value is not None]
        return urlencode(pairs, errors="replace")

    def chosen(self, name: str) -> tuple[str, ...]:
        """The values that a filter has."""
        return tuple(value for key, value in self.given if key == name)

    @property
    def filtered(self) -> bool:
        """Whether a filter is set, besides the search."""
        return self.filters != Filters()

    @property
    def narrowed(self) -> bool:
        """Whether anything is filtered or searched for."""
        return bool(self.search) or self.filtered


def asked(pairs: Sequence[tuple[str, str]]) -> Asked:
    """The list that these names and values ask for."""
    values: dict[str, list[str]] = {}
    for name, given in pairs:
        if value := given.replace("\x00", "\ufffd").strip():  # no database takes a NUL
            values.setdefault(name, []).append(value)
    one = {name: found[0] for name, found in values.items()}
    search = one.get("q", "")[:LONGEST_SEARCH]
    sort = one.get("sort", "started") if one.get("sort") in get_args(Sort) else "started"
    descending = one.get("order") != "asc"
    # A run without an end has no status yet; a form cannot send an empty value, so it is called `none`.
    choices = {name: tuple("" if value == "none" and name == "status" else value for value in values.get(name, [])[:MOST_VALUES]) for name in CHOICES}
    flags = {name: {"yes": True, "no": False}.get(one.get(name, "")) for name in ("changed", "contradicted", "undecided", "complete")}
    days = {name: _day(one.get(name, "")) for name in ("since", "until")}
    until = days["until"]
    more: dict[str, Any] = {**choices, **flags, "since": _seconds(days["since"]), "until": None if until is None else _seconds(until + timedelta(days=1))}
    kept = [("q", search), *((name, "none" if value == "" else value) for name in CHOICES for value in choices[name])]
    kept += [(name, one[name]) for name, flag in flags.items() if flag is not None]
    kept += [(name, day.strftime("%Y-%m-%d")) for name, day in days.items() if day is not None]
    kept += [("tag", one.get("tag", ""))]
    kept += [("sort", sort if sort != "started" else ""), ("order", "" if descending else "asc")]
    return Asked(
        search=search,
        filters=Filters(tag=one.get("tag", ""), **more),
        sort=cast("Sort", sort),
        descending=descending,
        cursor=one.get("cursor"),
        given=tuple((name, value) for name, value in kept if value),
    )


def _day(text: str) -> datetime | None:
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return day if 1970 < day.year < 9999 else None


def _seconds(day: datetime | None) -> float | None:
    return None if day is None else day.timestamp()
