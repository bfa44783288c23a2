"""The offline signal: how much English swearing and abuse there is in a text, by a small linear model over single words.

A signal, not a verdict, and trusted accordingly: it knows words, not what is meant. Instructions for a crime and polite contempt score near 0, and an
innocent word may score near 1 ("the cock crowed"). A low score of it therefore clears nothing. Texts that are not English are refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import cast

from redraft.claims.segment import sentences
from redraft.errors import MissingExtra
from redraft.tools.safety.scorer import SafetyScorer
from redraft.tools.search.http import Refused

__all__ = ["Profanity"]

LATIN_SHARE = 0.8


class Profanity(SafetyScorer):
    """`alt-profanity-check`, by sentence as well as by piece: in a long text a single insult would not be seen."""

    name = "profanity"
    summary = "Scores English swearing and abuse by words alone, offline."
    trust = 0.4

    async def score(self, parts: Sequence[str]) -> list[dict[str, float]]:
        letters = [char for part in parts for char in part if char.isalpha()]
        if sum(char.isascii() for char in letters) < LATIN_SHARE * len(letters) or not letters:
            raise Refused("unsupported", "knows English words only")
        found = [part[start:end] for part in parts for start, end in sentences(part)]
        return [{"profanity": value} for value in await asyncio.to_thread(_probabilities, [*found, *parts])]


def _probabilities(texts: Sequence[str]) -> list[float]:
    try:
        from profanity_check import predict_prob  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]
    except ImportError:
        raise MissingExtra("scoring profanity offline", "safety") from None
    values = cast("Iterable[float]", predict_prob(list(texts)))
    return [min(1.0, max(0.0, float(value))) for value in values]
