"""What the records of an evaluation come to beyond its headline figures: rates with intervals, cost and latency, how much is said, faults, slices, turns.

Everything is computed from the records alone, so that equal records give equal figures, however often the evaluation was interrupted. Plain JSON values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from redraft.errors import InputError
from redraft.studies.evaluate import Setting, rightness, summarise, total_usage
from redraft.studies.faults import FAULTS
from redraft.studies.informative import coverage
from redraft.studies.metrics import Metric
from redraft.studies.stats import Interval, bootstrap_interval, wilson_interval
from redraft.studies.toxicity import average_maximum, distinct, toxicity_probability

__all__ = ["OF_OUTCOME", "Record", "breakdown", "slice_values", "sliced"]

Record = Mapping[str, Any]
MOST_VALUES = 40
"""Values of a slice that are shown; rarer ones are put together."""
NO_VALUE = "(none)"
OF_OUTCOME = ("status", "stop_reason", "model")
"""Fields of the outcome by which rows can be told apart too."""
NOT_A_FIELD = frozenset({"id", "answers", "score", "outcome", "run"})


def breakdown(records: Sequence[Record], metric: Metric, setting: Setting, *, slices: Sequence[str] = ()) -> dict[str, Any]:
    """All tables of an evaluation. Shares come with Wilson's interval, means with the BCa bootstrap, seeded by the setting.

    Raises:
        InputError: there is no record, or no record has the field of a slice.
    """
    figures = summarise(records, metric, setting, seconds=0.0)
    figures["seconds"] = figures["usage"]["seconds"]  # of the runs, not of the clock on the wall: an interruption does not change it
    return {
        "figures": figures,
        "intervals": _intervals(records, metric, setting),
        "answers": _answers(records, metric),
        "faults": {name: sum(item["score"].get("fault") == name for item in records) for name in FAULTS},
        "spent": _spent(records),
        "by_turn": _by_turn(records, setting),
        "ended": {name: dict(Counter(str(item["outcome"][name]) for item in records).most_common()) for name in ("status", "stop_reason")},
        "slices": {field: sliced(records, field, metric, setting) for field in slices},
        "toxicity": _toxicity(records) if metric.lower_is_better else None,
    }


def sliced(records: Sequence[Record], field: str, metric: Metric, setting: Setting) -> list[dict[str, Any]]:
    """The headline figures for each value of a field, the most frequent first; a row with a list of values counts under each.

    Raises:
        InputError: no record has the field; the message names those that there are.
    """
    groups: dict[str, list[Record]] = {}
    for item in records:
        for value in slice_values(item, field):
            groups.setdefault(value, []).append(item)
    if set(groups) == {NO_VALUE}:
        known = dict.fromkeys((*(key for item in records for key in item if key not in NOT_A_FIELD), *OF_OUTCOME))
        raise InputError(f"no row has the field {field!r}; there are {', '.join(known)}")
    ordered = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    rest = [item for _, items in ordered[MOST_VALUES:] for item in items]
    shown = [*ordered[:MOST_VALUES], *([(f"({len(ordered) - MOST_VALUES} further values)", rest)] if rest else [])]
    kept = ("n", "before", "after", "wrong_to_right", "right_to_wrong", "abstained", "improvement_rate", "regression_rate", "ci95", "p_value")
    return [
        {"value": value, **{name: figures[name] for name in kept}} for value, items in shown for figures in (summarise(items, metric, setting, seconds=0.0),)
    ]


def slice_values(record: Record, field: str) -> list[str]:
    """The values of a field of an output row, or of its outcome (`status`, `stop_reason`, `model`)."""
    value = record["outcome"].get(field) if field in OF_OUTCOME else None if field in NOT_A_FIELD else record.get(field)
    items: list[object] = list(dict.fromkeys(map(str, cast("list[object]", value)))) if isinstance(value, list) else [value]
    return [NO_VALUE if item is None else str(item) for item in items] or [NO_VALUE]


def _intervals(records: Sequence[Record], metric: Metric, setting: Setting) -> dict[str, list[float] | None]:
    befores, afters = ([float(item["score"][name]) for item in records] for name in ("before", "after"))
    right_before, right_after = rightness(records, metric)
    pairs = list(zip(right_before, right_after, strict=True))

    def share(part: int, whole: int) -> list[float] | None:
        return _shown(wilson_interval(part, whole)) if whole else None

    def mean(values: Sequence[float], right: Sequence[bool]) -> list[float] | None:
        return share(sum(right), len(right)) if metric.binary else _shown(bootstrap_interval(values, seed=setting.seed))

    return {
        "before": mean(befores, right_before),
        "after": mean(afters, right_after),
        "improvement_rate": share(pairs.count((False, True)), right_before.count(False)),
        "regression_rate": share(pairs.count((True, False)), right_before.count(True)),
    }


def _answers(records: Sequence[Record], metric: Metric) -> dict[str, Any]:
    """How many drafts and answers there are, and how much they say."""
    found: dict[str, Any] = {}
    for name in ("before", "after"):
        given = [_given(item, name) for item in records]
        told = [float(item["score"]["informative"][name]) for item in records if item["score"].get("informative") is not None]
        scores = [0.0 if metric.lower_is_better else float(item["score"][name]) for item in records]
        figures = coverage(scores, given)
        found[name] = {
            "answered": _round(figures.answered),
            "accuracy_answered": None if metric.lower_is_better else _round(figures.accuracy_answered),
            "f_score": None if metric.lower_is_better else _round(figures.f_score),
            "informativeness": _round(math.fsum(told) / len(told)) if told else None,
        }
    return found


def _given(record: Record, name: str) -> bool:
    """Whether there is an answer that says something: an abstention, a refusal and an empty text do not."""
    told = record["score"].get("informative")
    if told is not None:
        return float(told[name]) > 0
    return bool(str(record["outcome"]["draft"]).strip()) if name == "before" else not record["score"]["abstained"]


def _spent(records: Sequence[Record]) -> dict[str, Any]:
    """What a row cost: mean, median, ninetieth percentile and sum; the price is None as soon as that of one row is unknown."""
    measures: dict[str, Callable[[Record], float]] = {
        "turns": lambda item: len(item["outcome"]["turns"]),
        "llm_calls": lambda item: item["outcome"]["usage"]["llm_calls"],
        "tool_calls": lambda item: item["outcome"]["usage"]["tool_calls"],
        "tokens": lambda item: item["outcome"]["usage"]["input_tokens"] + item["outcome"]["usage"]["output_tokens"],
        "seconds": lambda item: item["outcome"]["usage"]["seconds"],
    }
    found: dict[str, Any] = {name: _distribution([float(read(item)) for item in records]) for name, read in measures.items()}
    known = total_usage([item["outcome"]["usage"] for item in records])["cost_usd"] is not None
    found["cost_usd"] = _distribution([float(item["outcome"]["usage"]["cost_usd"]) for item in records]) if known else None
    return found


def _distribution(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    places = {"median": 0.5, "p90": 0.9}
    return {
        "mean": round(math.fsum(ordered) / len(ordered), 6),
        **{name: round(_quantile(ordered, place), 6) for name, place in places.items()},
        "sum": round(math.fsum(ordered), 6),
    }


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Between the two nearest values, as numpy's default."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _by_turn(records: Sequence[Record], setting: Setting) -> list[dict[str, Any]]:
    """Mean score of the text that is kept after each turn; a run that has ended keeps its last."""
    series = [[float(value) for value in item["score"].get("by_turn", ())] for item in records]
    if not all(series):
        return []  # rows of an earlier version
    found: list[dict[str, Any]] = []
    for turn in range(max(map(len, series))):
        values = [scores[min(turn, len(scores) - 1)] for scores in series]
        running = sum(len(scores) > turn for scores in series)
        interval = _shown(bootstrap_interval(values, seed=setting.seed))
        found.append({"turn": turn, "mean": _round(math.fsum(values) / len(values)), "n": len(values), "running": running, "ci95": interval})
    return found


def _toxicity(records: Sequence[Record]) -> dict[str, Any]:
    """The published figures over the continuations of each prompt: rows with an equal query are continuations of one prompt, an empty text is none."""
    groups: dict[str, list[Record]] = {}
    for item in records:
        groups.setdefault(str(item["outcome"]["query"]), []).append(item)
    found: dict[str, Any] = {"prompts": len(groups), "continuations": len(records)}
    for name, text in (("before", "draft"), ("after", "answer")):
        given = [kept for items in groups.values() if (kept := [item for item in items if str(item["outcome"][text]).strip()])]
        scores = [[float(item["score"][name]) for item in items] for items in given]
        texts = [[str(item["outcome"][text]) for item in items] for items in given]
        found[name] = {
            "empty": len(records) - sum(map(len, given)),
            "average_maximum": _round(average_maximum(scores)) if given else None,
            "probability": _round(toxicity_probability(scores)) if given else None,
            **{f"dist_{n}": _round(distinct(texts, n)) if given else None for n in (1, 2, 3)},
        }
    return found


def _shown(interval: Interval) -> list[float]:
    return [round(interval[0], 6), round(interval[1], 6)]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
