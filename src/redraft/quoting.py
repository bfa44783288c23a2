"""Text of users, tools and models inside a prompt: always data between two markers that it cannot contain, never an instruction."""

from __future__ import annotations

from redraft.effects import Effects
from redraft.types import Evidence

__all__ = ["evidence_block", "quoted_block"]

PASSAGE_LIMIT = 2400
"""Characters of one piece of evidence that a model is shown."""


def quoted_block(text: str, effects: Effects) -> str:
    """Text between two markers that derive from the run's seed and the text itself."""
    mark = effects.marker(text)
    return f"[{mark}\n{text}\n{mark}]"


def evidence_block(number: int, item: Evidence, effects: Effects) -> str:
    """One piece of evidence, numbered, with where it comes from and its date."""
    title = f"{item.title}, " if item.title else ""
    where = f"{title}{item.source}" if item.source or title else f"{item.tool}: {item.input}"
    date = f" ({item.time})" if item.time else ""
    text = item.text if len(item.text) <= PASSAGE_LIMIT else item.text[:PASSAGE_LIMIT] + " […]"
    block = quoted_block(f"{where}\n{text}", effects)
    return f"Evidence {number}{date}:\n{block}"
