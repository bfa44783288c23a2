"""Which stopping rules pay off for a user's own questions: a grid of them over judged hard-cap records, exactly, in seconds.

Of a run under several rules the first that holds ends it, and whether one holds at a boundary depends on the record alone. So each rule is replayed once
with each of its parameters, and a setting of the grid ends where the first of its rules does: ten thousand settings are a minimum over some thirty replays.

One half of the questions (or clusters), drawn by seed, chooses a setting; the other half, which had no part in the choice, says what it gains. The default
stays unless the lower bound of that gain is above 0, the permutation test agrees, and no more right drafts are made wrong.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from redraft.errors import InputError
from redraft.policy import Policy, StopReason
from redraft.replay.grids import History, grid
from redraft.studies.clustering import cluster_interval, cluster_permutation_test
from redraft.studies.prefixes import Prefixes
from redraft.studies.stats import Interval, bootstrap_interval, laboratory, permutation_test, wilson_interval

__all__ = [
    "LEAST_HELD",
    "Calibration",
    "Gain",
    "Option",
    "Point",
    "StopGrid",
    "calibrate_stopping",
    "choose",
    "held_out_gain",
    "split",
    "stop_grid",
    "stopping_axes",
    "under_rules_of",
]

LEAST_HELD = 10
"""Held-out clusters below which nothing is recommended: an interval over fewer says little, whatever its level."""
FRONT = 6
"""Points of the front that are shown at most."""
SAME = 1e-9
TUNED: tuple[StopReason, ...] = ("target", "unchanged", "cycle", "rejections", "stagnation", "stable", "hard_cap")
"""Rules that the grid sets; what else a policy stops for stays."""
TARGETS, SAFE_TARGETS = (0.80, 0.85, 0.90, 0.95), (0.05, 0.10, 0.20, 0.30)
UNCOMPARED = frozenset({"name", "summary", "source", "budgets", "calibration"})
"""Settings in which a default may differ from the records, beside the rules: they name a policy, or belong to the world."""
RULE_FIELDS = ("stops", "max_turns", "turns_by_kind", "auto_turns", "target", "rejections", "stable_change", "window")


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One value of one axis: the rules that it switches on, and their parameters."""

    label: str
    rules: tuple[StopReason, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])


Axes = tuple[tuple[Option, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class StopGrid:
    """Where each setting ends each record: `stops` has one row a setting and one column a record. The last row is the default."""

    axes: Axes
    stops: Any
    base: Policy
    default: Policy

    def __len__(self) -> int:
        return int(self.stops.shape[0]) - 1

    def options(self, index: int) -> tuple[Option, ...]:
        """The option of each axis that a row stands for; none for the default."""
        if index == len(self):
            return ()
        places = laboratory("numpy").unravel_index(index, tuple(len(axis) for axis in self.axes))
        return tuple(axis[int(place)] for axis, place in zip(self.axes, places, strict=True))

    def policy(self, index: int) -> Policy:
        """The policy that a row stands for."""
        return self.default if index == len(self) else _combined(self.base, self.default, self.options(index))

    def label(self, index: int) -> str:
        """It in words."""
        return "the default" if index == len(self) else ", ".join(option.label for option in self.options(index) if option.label)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gain:
    """What a setting gains on held-out questions over the default, and whether that is enough. `level` is of `interval`, two-sided."""

    mean: float
    interval: Interval
    level: float
    p_value: float
    n: int
    clusters: int
    tokens: float
    """Mean change in tokens a run."""
    regressions: int
    """Right drafts, or better ones, that end worse than they began."""
    default_regressions: int
    recommended: bool
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """A setting of the front. It is on the front by the choosing half; every figure here is of the held-out half."""

    index: int
    label: str
    quality: float
    quality_interval: Interval
    tokens: float
    tokens_interval: Interval
    regressions: int
    regression_interval: Interval
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """What came out: the chosen row of the grid, what it gains, and the row that is recommended (the default's where that is not enough)."""

    chosen: int
    gain: Gain
    recommended: int
    front: tuple[Point, ...]
    settings: int
    distinct: int
    """Settings that end at least one record elsewhere than any other."""
    seed: int
    price: float
    """Quality that 1,000 tokens are worth."""


def stopping_axes(default: Policy, cap: int) -> Axes:
    """The options of each rule: 10,000 settings for ten turns. Ranges are ours."""
    targets = SAFE_TARGETS if default.accept == "falls" else TARGETS
    below = "below" if default.accept == "falls" else "from"
    repeated: tuple[StopReason, ...] = ("unchanged", "cycle")
    return (
        (Option(label=""), *(Option(label=f"target {below} {value:g}", rules=("target",), fields={"target": value}) for value in targets)),
        (Option(label=""), Option(label="unchanged or cycle", rules=repeated)),
        (Option(label=""), *(Option(label=f"{n} rejections", rules=("rejections",), fields={"rejections": n}) for n in (1, 2, 3, 4))),
        (Option(label=""), *(Option(label=f"stagnation over {n}", rules=("stagnation",), fields={"window": n}) for n in (2, 3, 4))),
        (Option(label=""), *(Option(label=f"stable to {x:g}", rules=("stable",), fields={"stable_change": x}) for x in (0.005, 0.01, 0.02, 0.05))),
        tuple(Option(label=f"hard cap {n}", rules=("hard_cap",), fields={"max_turns": n}) for n in range(1, cap + 1)),
    )


def under_rules_of(record: Policy, default: Policy) -> Policy:
    """What a record was made under, but with the stopping rules of `default`."""
    return dataclasses.replace(record, **{name: getattr(default, name) for name in RULE_FIELDS})


def stop_grid(histories: Sequence[History], default: Policy, cap: int, axes: Axes | None = None) -> StopGrid:
    """Where every setting ends every record.

    Raises:
        InputError: the default goes on longer than the records, is no loop that could stop, or has other settings than they were made under.
        UsageError: the records were made under policies that differ in more than when to stop.
    """
    np = laboratory("numpy")
    if "checked" in default.stops:
        raise InputError(f"the policy {default.name!r} rewrites nothing, so that there is nothing to stop; name another with --policy")
    base, axes = histories[0].policy, axes or stopping_axes(default, cap)
    made = {history.policy.hash: history.policy for history in histories}
    others = [item.name for item in dataclasses.fields(Policy) if item.name not in (*RULE_FIELDS, *UNCOMPARED)]
    if differing := [name for name in others if getattr(base, name) != getattr(default, name)]:
        raise InputError(
            f"the records were made under other settings than those of {default.name!r} ({', '.join(differing)}), so that they do not say what it would do; "
            "name the policy that they were made from with --policy, or make records with its settings and stops = ['hard_cap']"
        )
    for other in made.values():
        if mixed := [name for name in others if getattr(base, name) != getattr(other, name)]:
            raise InputError(
                f"the records were made under policies that differ in more than when to stop: {base.name!r} and {other.name!r} ({', '.join(mixed)}); "
                "calibrate the records of one at a time"
            )
    fixed: tuple[StopReason, ...] = tuple(reason for reason in default.stops if reason not in TUNED)
    atoms = [Option(label="", rules=fixed), *(option for axis in axes for option in axis)]
    rows = [_alone(base, option) for option in atoms]
    ends = list(grid(histories, [*rows, under_rules_of(base, default)]))
    beyond = cap + 1
    first = np.array([[ended.turns if ended.reason else beyond for ended in row] for row in ends]).T
    if (first[-1] > cap).any():
        raise InputError(
            f"the policy {default.name!r} goes on for up to {default.turns()} turns, but the records end after {cap}: make records with a higher hard cap, "
            "or name a policy with a lower one"
        )
    places = iter(range(1, len(rows)))
    tables = [first[[next(places) for _ in axis]] for axis in axes]
    stops = reduce(lambda done, table: np.minimum(done[:, None, :], table[None, :, :]).reshape(-1, len(histories)), tables, first[:1])
    return StopGrid(axes=axes, stops=np.minimum(np.vstack([stops, first[-1:]]), cap), base=base, default=under_rules_of(base, default))


def calibrate_stopping(prefixes: Prefixes, default: Policy, *, seed: int = 0, price: float = 0.0, axes: Axes | None = None) -> tuple[StopGrid, Calibration]:
    """Replay the grid, choose, and say what is gained."""
    grid_ = stop_grid(prefixes.histories, default, prefixes.cap, axes)
    return grid_, choose(grid_.stops, prefixes.quality, prefixes.tokens, prefixes.clusters, seed=seed, price=price, labels=grid_)


def split(clusters: Sequence[str], seed: int) -> tuple[list[int], list[int]]:
    """Indices of the choosing and of the held-out half: whole clusters, drawn by seed."""
    names = sorted(set(clusters))
    random.Random(seed).shuffle(names)
    choosing = set(names[: len(names) // 2])
    return [i for i, name in enumerate(clusters) if name in choosing], [i for i, name in enumerate(clusters) if name not in choosing]


def choose(
    stops: Any,
    quality: Any,
    tokens: Any,
    clusters: Sequence[str],
    *,
    seed: int = 0,
    price: float = 0.0,
    level: float = 0.95,
    labels: StopGrid | None = None,
    with_front: bool = True,
) -> Calibration:
    """The setting that the choosing half likes best, what the held-out half says of it, and the front. The default is the last row of `stops`.

    Raises:
        InputError: fewer than two clusters.
    """
    np = laboratory("numpy")
    if len(set(clusters)) < 2:
        raise InputError("at least two questions are needed, one to choose by and one to hold out; some 50 say something")
    choosing, held = split(clusters, seed)
    records, default = np.arange(stops.shape[1]), stops.shape[0] - 1
    distinct, where = np.unique(stops, axis=0, return_index=True)
    where = np.where((distinct == stops[default]).all(axis=1), default, where)  # what ends everywhere where the default does is the default
    ends, costs = quality[records, distinct], tokens[records, distinct]
    worth = np.round((ends - price * costs / 1000)[:, choosing].mean(axis=1), 12)
    cheap = costs[:, choosing].mean(axis=1)
    order = np.lexsort((where, cheap, where != default, -worth))
    best = int(order[0])
    worse = ends < quality[:, :1].T - SAME
    own = int(np.flatnonzero(where == default)[0])
    gain = held_out_gain(
        (ends - price * costs / 1000)[best, held] - (ends - price * costs / 1000)[own, held],
        [clusters[i] for i in held],
        tokens=float((costs[best, held] - costs[own, held]).mean()),
        regressions=int(worse[best, held].sum()),
        default_regressions=int(worse[own, held].sum()),
        same=best == own,
        seed=seed,
        level=level,
    )
    chosen = int(where[best])
    front = _thinned(_front(ends, costs, worse, choosing), own, costs[:, choosing].mean(axis=1)) if with_front else []
    points = tuple(_point(int(where[row]), ends[row, held], costs[row, held], worse[row, held], [clusters[i] for i in held], seed, labels) for row in front)
    return Calibration(
        chosen=chosen,
        gain=gain,
        recommended=chosen if gain.recommended else default,
        front=points,
        settings=int(stops.shape[0]) - 1,
        distinct=len(distinct),
        seed=seed,
        price=price,
    )


def held_out_gain(
    differences: Sequence[float],
    clusters: Sequence[str],
    *,
    tokens: float,
    regressions: int,
    default_regressions: int,
    same: bool = False,
    seed: int = 0,
    level: float = 0.95,
) -> Gain:
    """The gain over held-out questions and whether it is enough: lower bound above 0, permutation test at 1 − level, no more regressions than before."""
    values, groups = [float(value) for value in differences], len(set(clusters))
    n, mean = len(values), math.fsum(values) / len(values)
    if groups < 2:
        interval, p_value = (-math.inf, math.inf), 1.0
    else:
        interval = _interval(values, clusters, seed, level)
        single = groups == n
        p_value = (permutation_test(values, seed=seed) if single else cluster_permutation_test(values, clusters, seed=seed)).p_value
    refusal = _refusal(mean, interval, p_value, groups, regressions - default_regressions, level, same=same)
    enough = (
        f"on {n} held-out questions it gains {mean:+.4f} over the default ({level:.1%} interval {interval[0]:+.4f} to {interval[1]:+.4f}, "
        f"permutation p = {p_value:.4f}), and makes {regressions} drafts worse against {default_regressions}"
    )
    return Gain(
        mean=mean,
        interval=interval,
        level=level,
        p_value=p_value,
        n=n,
        clusters=groups,
        tokens=tokens,
        regressions=regressions,
        default_regressions=default_regressions,
        recommended=not refusal,
        reason=refusal or enough,
    )


def _refusal(mean: float, interval: Interval, p_value: float, groups: int, more: int, level: float, *, same: bool) -> str:
    """Why the default stays; empty if it does not."""
    if same:
        return "the default stays: on the choosing half no setting is better"
    if groups < LEAST_HELD:
        return f"the default stays: {groups} held-out questions are too few to recommend anything; at least {2 * LEAST_HELD} questions are needed in all"
    shown = f"{mean:+.4f}, {level:.1%} interval {interval[0]:+.4f} to {interval[1]:+.4f}, permutation p = {p_value:.4f}"
    if not interval[0] > 0:
        return f"the default stays: the lower bound of the held-out gain is not above 0 ({shown})"
    if p_value > 1 - level + SAME:
        return f"the default stays: too few held-out questions differ for the permutation test to agree ({shown})"
    if more > 0:
        return f"the default stays: {more} more held-out drafts are made worse than under it ({shown})"
    return ""


def _interval(values: Sequence[float], clusters: Sequence[str], seed: int, level: float = 0.95) -> Interval:
    if len(set(clusters)) == len(values):
        return bootstrap_interval(values, seed=seed, level=level)
    return cluster_interval(values, clusters, seed=seed, level=level)


def _point(index: int, ends: Any, costs: Any, worse: Any, clusters: Sequence[str], seed: int, labels: StopGrid | None) -> Point:
    several = len(set(clusters)) > 1
    quality, tokens, bad = [float(x) for x in ends], [float(x) for x in costs], int(worse.sum())
    return Point(
        index=index,
        label=labels.label(index) if labels is not None else str(index),
        quality=math.fsum(quality) / len(quality),
        quality_interval=_interval(quality, clusters, seed) if several else (0.0, 1.0),
        tokens=math.fsum(tokens) / len(tokens),
        tokens_interval=_interval(tokens, clusters, seed) if several else (0.0, math.inf),
        regressions=bad,
        regression_interval=wilson_interval(bad, len(quality)),
        n=len(quality),
    )


def _front(ends: Any, costs: Any, worse: Any, choosing: Sequence[int]) -> list[int]:
    """Rows that no other row beats or equals in all of quality, tokens and regressions and beats in one, by the choosing half."""
    np = laboratory("numpy")
    figures = np.stack([-ends[:, choosing].mean(axis=1), costs[:, choosing].mean(axis=1), worse[:, choosing].mean(axis=1)], axis=1).round(12)
    _, rows = np.unique(figures, axis=0, return_index=True)
    kept: list[int] = []
    for row in rows[np.lexsort((figures[rows, 2], figures[rows, 0], figures[rows, 1]))]:  # cheapest first: only what was kept can beat it
        if not kept or not (figures[kept] <= figures[row]).all(axis=1).any():
            kept.append(int(row))
    return kept


def _thinned(front: Sequence[int], own: int, costs: Any) -> list[int]:
    """At most `FRONT` rows, from the cheapest to the dearest, and the default."""
    step = max(1, math.ceil(len(front) / FRONT))
    rows = {*front[::step], *front[-1:], own}
    return sorted(rows, key=lambda row: (float(costs[row]), row))


def _alone(base: Policy, option: Option) -> Policy:
    """The record's policy with the rules of one option and no other."""
    return dataclasses.replace(base, stops=option.rules, turns_by_kind={}, auto_turns=False, **option.fields)


def _combined(base: Policy, default: Policy, options: Sequence[Option]) -> Policy:
    rules = {rule for option in options for rule in option.rules} | {rule for rule in default.stops if rule not in TUNED}
    fields = {name: value for option in options for name, value in option.fields.items()}
    kept = {name: getattr(default, name) for name in ("target", "rejections", "stable_change", "window")}
    stops = tuple(rule for rule in (*default.stops, *TUNED) if rule in rules)
    return dataclasses.replace(base, **{**kept, **fields}, stops=tuple(dict.fromkeys(stops)), turns_by_kind={}, auto_turns=False)
