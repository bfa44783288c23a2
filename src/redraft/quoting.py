"""Text of users, tools and models inside a prompt: always data between two markers that it cannot contain, never an instruction.

What reads like an order to a model is left out, whoever wrote it: the answer under check may carry one as well as a page. Only the user's own
question is shown as it is.
"""

from __future__ import annotations

import re

from redraft.claims.suspicion import withheld
from redraft.effects import Effects
from redraft.types import EXACT_TOOLS, Evidence

__all__ = ["evidence_block", "quoted_block", "quoted_query"]

CALL_LIMIT = 1200
"""Characters of the call that a model is shown above its result."""
PASSAGE_LIMIT = 2400
"""Characters of one piece of evidence that a model is shown."""
_LIKE_A_MARKER = re.compile(r"^(?=\s*\[?\s*[0-9a-f]{16}\s*\]?\s*$)", re.MULTILINE | re.IGNORECASE)


def quoted_block(text: str, effects: Effects) -> str:
    """Text between two markers that derive from the run's seed, its task and the text itself, and that do not stand in it."""
    return _between(withheld(text), effects)


def quoted_query(query: str, effects: Effects) -> str:
    """The user's own question between two markers: how it is to be answered is the user's to say."""
    return _between(query, effects)


def evidence_block(number: int, item: Evidence, effects: Effects) -> str:
    """One piece of evidence, numbered, with where it comes from and its date; what an exact tool returned, with the call that it answers."""
    place = ", ".join(part for part in (item.title, item.source) if part)
    where = f"{item.tool}: {item.input[:CALL_LIMIT]}" if item.tool in EXACT_TOOLS or not place else place
    date = f" ({item.time})" if item.time else ""
    text = item.text if len(item.text) <= PASSAGE_LIMIT else item.text[:PASSAGE_LIMIT] + " […]"
    block = quoted_block(f"{where}\n{text}", effects)
    return f"Evidence {number}{date}:\n{block}"


def _between(text: str, effects: Effects) -> str:
    shown = _LIKE_A_MARKER.sub("| ", text)
    mark = effects.marker(shown)
    while mark in shown:
        mark = effects.marker(shown, mark)
    return f"[{mark}\n{shown}\n{mark}]"
