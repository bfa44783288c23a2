"""What hard-cap records say of stopping earlier: for each record, after each turn, how good the retained text was and what it had cost by then.

The quality is a score in [0, 1] of the retained text alone, by a metric against gold or by a blind judge: it is looked up, never guessed. A record that
lacks one is left out, and said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redraft.errors import InputError
from redraft.replay.grids import History
from redraft.stopping import FEWEST_TURNS
from redraft.studies.stats import laboratory
from redraft.types import Task

__all__ = ["LEAST_TURNS", "Prefixes", "Score", "hard_capped", "judged_prefixes", "retained_texts"]

Score = Callable[[Task, str], float | None]
"""Quality of a text as the answer to a task; None where nobody judged it."""
LEAST_TURNS = FEWEST_TURNS
"""Turns below which a record has nothing to stop earlier."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prefixes:
    """Judged hard-cap records. The arrays have one row a record and one column a boundary: 0 is the draft, `cap` the hard cap."""

    names: tuple[str, ...]
    histories: tuple[History, ...]
    clusters: tuple[str, ...]
    """What each record belongs to; records of one cluster are never on both sides of the split."""
    quality: Any
    tokens: Any
    calls: Any
    cost_usd: Any
    """NaN where a price is unknown."""
    seconds: Any
    left_out: tuple[str, ...] = ()
    """Why records were not used, one sentence each."""

    @property
    def cap(self) -> int:
        return int(self.quality.shape[1]) - 1

    def __len__(self) -> int:
        return len(self.histories)


def hard_capped(history: History) -> bool:
    """Whether a record went on to its hard cap, so that it says what would have followed each earlier stop."""
    return history.reason == "hard_cap" and len(history.turns) >= LEAST_TURNS


def retained_texts(history: History) -> list[str]:
    """The text that was retained at each boundary: the draft, then after each turn."""
    texts = [history.initial.text]
    for turn in history.turns:
        texts.append(turn.candidate.text if turn.decision.accepted else texts[-1])
    return texts


def judged_prefixes(histories: Iterable[tuple[str, History]], score: Score, *, cluster_of: Callable[[Task], str] | None = None) -> Prefixes:
    """The records that went on to a hard cap and whose every retained text is judged; the others are named in `left_out`.

    `histories`: name and reading of each record. Without `cluster_of` each question is a cluster, so that several records of it stay together.

    Raises:
        InputError: no record is left, with the reasons.
    """
    kept: dict[str, History] = {}
    qualities: list[list[float]] = []
    left_out: list[str] = []
    for name, history in histories:
        if not hard_capped(history):
            left_out.append(
                f"{name} ended by {history.reason or 'no stop at all'} after {len(history.turns)} turns: it is no hard-cap record, and does not say what "
                f"would have followed (run with stops = ['hard_cap'] and at least {LEAST_TURNS} turns)"
            )
            continue
        scores = [score(history.task, text) for text in retained_texts(history)]
        if None in scores:
            left_out.append(f"{name}: nobody judged the text that was retained after turn {scores.index(None)}")
            continue
        values = [float(value) for value in scores if value is not None]
        if not all(0 <= value <= 1 for value in values):
            raise InputError(f"{name}: a quality lies in [0, 1]; divide scores of another scale by their maximum")
        kept[name] = history
        qualities.append(values)
    if not kept:
        raise InputError("no record can be used: " + ("; ".join(left_out[:3]) or "none was given"))
    return _arrays(kept, qualities, tuple((cluster_of or _question)(history.task) for history in kept.values()), left_out)


def _question(task: Task) -> str:
    return task.query


def _arrays(named: Mapping[str, History], qualities: Sequence[Sequence[float]], clusters: tuple[str, ...], left_out: Sequence[str]) -> Prefixes:
    kept = tuple(named.values())
    np, cap = laboratory("numpy"), min(len(history.turns) for history in kept)

    def spent(read: Callable[[Any], float]) -> Any:
        return np.array([[read(boundary) for boundary in history.boundaries[: cap + 1]] for history in kept], dtype=float)

    return Prefixes(
        names=tuple(named),
        histories=kept,
        clusters=clusters,
        quality=np.array([values[: cap + 1] for values in qualities], dtype=float),
        tokens=spent(lambda boundary: boundary.usage.input_tokens + boundary.usage.output_tokens),
        calls=spent(lambda boundary: boundary.usage.llm_calls),
        cost_usd=spent(lambda boundary: float("nan") if boundary.usage.cost_usd is None else boundary.usage.cost_usd),
        seconds=spent(lambda boundary: boundary.elapsed_seconds),
        left_out=tuple(left_out),
    )
