"""Text of users, tools and models inside a prompt: always data between two markers that it cannot contain, never an instruction."""

from __future__ import annotations

from redraft.effects import Effects
from redraft.types import EXACT_TOOLS, Evidence

__all__ = ["evidence_block", "quoted_block"]

CALL_LIMIT = 1200
"""Characters of the call that a model is shown above its result."""
PASSAGE_LIMIT = 2400
"""Characters of one piece of evidence that a model is shown."""


def quoted_block(text: str, effects: Effects) -> str:
    """Text between two markers that derive from the run's seed and the text itself."""
    mark = effects.marker(text)
    return f"[{mark}\n{text}\n{mark}]"


def evidence_block(number: int, item: Evidence, effects: Effects) -> str:
    """One piece of evidence, numbered, with where it comes from and its date; what an exact tool returned, with the call that it answers."""
    place = ", ".join(part for part in (item.title, item.source) if part)
    where = f"{item.tool}: {item.input[:CALL_LIMIT]}" if item.tool in EXACT_TOOLS or not place else place
    date = f" ({item.time})" if item.time else ""
    text = item.text if len(item.text) <= PASSAGE_LIMIT else item.text[:PASSAGE_LIMIT] + " […]"
    block = quoted_block(f"{where}\n{text}", effects)
    return f"Evidence {number}{date}:\n{block}"
