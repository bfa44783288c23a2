"""A text cut into stretches for a page: where its claims lie, and what a rewrite changes, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from rapidfuzz.distance import Indel

from redraft.types import Check, CheckStatus

__all__ = ["MOST_WORDS", "RANK", "Change", "placed", "verdict_stretches", "word_changes"]

RANK: tuple[CheckStatus, ...] = ("contradicted", "supported", "insufficient", "unavailable", "skipped")
"""Which verdict is shown where claims overlap: the first."""
Change = Literal["equal", "gone", "new"]
_SCRIPT_WITHOUT_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS = re.compile(rf"\s+|[{_SCRIPT_WITHOUT_SPACES}]|[^\W\d_{_SCRIPT_WITHOUT_SPACES}]+|\d(?:[\d.,]*\d)?|.", re.DOTALL)
MOST_WORDS = 20_000
"""Longer texts are not compared but stand one after the other."""


def placed(checks: Sequence[Check], length: int) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of each check whose words stand in a text of this length."""
    for number, check in enumerate(checks):
        if check.status == "skipped" or check.claim.kind == "coverage":
            continue
        start, end = check.claim.focus or check.claim.span
        start, end = max(0, start), min(end, length)
        if start < end:
            yield start, end, number


def verdict_stretches(text: str, checks: Sequence[Check]) -> Iterator[tuple[int, int, int | None]]:
    """The whole text in order as stretches: start, end, and the number of the check that is shown there, or None."""
    shown: list[int | None] = [None] * len(text)
    for start, end, number in placed(checks, len(text)):
        rank = RANK.index(checks[number].status)
        for place in range(start, end):
            there = shown[place]
            if there is None or rank < RANK.index(checks[there].status):
                shown[place] = number
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or shown[place] != shown[start]:
            yield start, place, shown[start]
            start = place


def word_changes(before: str, after: str) -> list[tuple[Change, str]]:
    """What leads from one text to the other, word by word, and character by character in scripts that put no spaces between words."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > MOST_WORDS:
        return [("equal", before)] if before == after else [("gone", before), ("new", after)]
    runs: list[list[str]] = []  # in turn what is equal, gone and new
    for step in Indel.opcodes(old, new):
        gone, came = "".join(old[step.src_start : step.src_end]), "".join(new[step.dest_start : step.dest_end])
        if step.tag == "equal" and (gone.strip() or not runs):
            runs.append([gone, "", ""])
            continue
        # A blank between two changed words belongs to the change: whole phrases are easier to read than words in turn.
        runs = runs or [["", "", ""]]
        runs[-1][1] += gone
        runs[-1][2] += came
    kinds: tuple[Change, ...] = ("equal", "gone", "new")
    return [(kind, words) for run in runs for kind, words in zip(kinds, run, strict=True) if words]
