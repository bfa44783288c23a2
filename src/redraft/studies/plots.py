"""The laboratory's figures: quality against cost, score by turn, the fate of every draft, regressions by setting, calibration, differences.

Every figure states its units and its n, is told apart by shape as well as by colour, and is drawn for the page that it stands on: in SVG whatever is
ink takes the colour of the text around it, so that one file reads in print and in dark mode. matplotlib (the extra `lab`) is imported when a figure is
drawn. Nothing is random and nothing dated: equal values give equal bytes.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redraft.studies.stats import Interval, laboratory, wilson_interval

__all__ = [
    "Bin",
    "Difference",
    "Fates",
    "Plot",
    "Point",
    "Rate",
    "TurnScore",
    "calibration",
    "differences",
    "fates_of",
    "fates_of_drafts",
    "quality_against_cost",
    "regressions",
    "score_by_turn",
]

INK = "#010203"
"""What stands for the colour of the text around until the drawing is finished."""
COLOURS = ("#3b82c4", "#d97a1e", "#2f9e6e", "#a06bc4", "#d14b4b", "#8a8f98")
"""Told apart on white and on black, and by the most common kinds of colour blindness where the marks differ too."""
MARKS = ("o", "s", "^", "D", "v", "P")
GOOD, BAD = COLOURS[2], COLOURS[4]
STYLE: Mapping[str, Any] = {
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "redraft",
    "font.family": "sans-serif",
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.linewidth": 0.8,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """A figure that is drawn when it is asked for. `caption` says what is seen, with units and n."""

    title: str
    caption: str
    draw: Callable[[Any, str], None]
    """Draws on a matplotlib figure with this ink."""
    size: tuple[float, float] = (7.2, 4.2)
    """Inches."""

    def svg(self) -> str:
        """The figure for an HTML page, without an XML head; its ink is `currentColor`.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        text = self._rendered("svg", ink=INK).decode("utf-8")
        return text[text.index("<svg") :].replace(INK, "currentColor")

    def png(self, *, dark: bool = False) -> bytes:
        """The figure as a picture, on white or on nearly black.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        return self._rendered("png", ink="#e8eaed" if dark else "#1b1d20", paper="#15181c" if dark else "#ffffff")

    def _rendered(self, form: str, *, ink: str, paper: str = "none") -> bytes:
        matplotlib = laboratory("matplotlib")
        style = {**STYLE, **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), ink)}
        with matplotlib.rc_context(style):
            figure = laboratory("matplotlib.figure").Figure(figsize=self.size, layout="constrained")
            self.draw(figure, ink)
            written = io.BytesIO()
            stamp: dict[str, Any] = {"Date": None, "Creator": "redraft"} if form == "svg" else {"Software": "redraft"}
            figure.savefig(written, format=form, dpi=160, facecolor=paper, metadata=stamp)
        return written.getvalue()


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """An arm: its mean cost and mean quality, each with an interval where there is one."""

    label: str
    cost: float
    quality: float
    interval: Interval | None = None
    cost_interval: Interval | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnScore:
    """Mean score after a turn over n items; turn 0 is the draft."""

    turn: int
    mean: float
    n: int
    interval: Interval | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Fates:
    """What became of the drafts."""

    right_right: int
    wrong_right: int
    right_wrong: int
    wrong_wrong: int

    @property
    def n(self) -> int:
        return self.right_right + self.wrong_right + self.right_wrong + self.wrong_wrong


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """`count` of `n`, under a setting."""

    label: str
    count: int
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Bin:
    """Rows whose confidence is about equal: their mean confidence, and how many of them were right."""

    confidence: float
    right: int
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """A difference of two arms with its interval; `note` is written beside it.

    `shown` says whether a test bears it out: what is not is drawn hollow and grey. None leaves that to the interval.
    """

    label: str
    mean: float
    interval: Interval
    note: str = ""
    shown: bool | None = None


def fates_of(before: Sequence[bool], after: Sequence[bool]) -> Fates:
    """The fates of drafts of which it is known whether they were right, before and after."""
    pairs = list(zip(before, after, strict=True))
    return Fates(
        right_right=pairs.count((True, True)),
        wrong_right=pairs.count((False, True)),
        right_wrong=pairs.count((True, False)),
        wrong_wrong=pairs.count((False, False)),
    )


def quality_against_cost(
    points: Sequence[Point], *, n: int, title: str = "Quality against cost", quality: str = "blind quality (0 to 1)", cost: str = "tokens a question"
) -> Plot:
    """Each arm at its mean cost and mean quality; bars are intervals."""

    def draw(figure: Any, ink: str) -> None:
        axes = figure.add_subplot()
        for place, point in enumerate(points):
            colour, mark = COLOURS[place % len(COLOURS)], MARKS[place % len(MARKS)]
            across = _bars(point.cost, point.cost_interval)
            axes.errorbar(
                [point.cost], [point.quality], yerr=_bars(point.quality, point.interval), xerr=across, fmt=mark, color=colour, markersize=8,
                capsize=4, elinewidth=1.6, label=point.label,
            )  # fmt: skip
        _finish(axes, ink, x=f"{cost} (n = {n} questions)", y=quality)
        axes.margins(0.12)
        if all(point.cost >= 0 for point in points):
            axes.set_xlim(left=0)
        _legend(axes)

    return Plot(title=title, caption=f"{quality} against {cost}; means over n = {n} questions, bars are 95 % intervals of the mean.", draw=draw)


def score_by_turn(series: Mapping[str, Sequence[TurnScore]], *, title: str = "Score by turn", score: str = "blind quality (0 to 1)") -> Plot:
    """How the retained text's mean score changes from turn to turn."""

    counts = sorted({item.n for scores in series.values() for item in scores})
    n = f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}" if counts else "n = 0"

    def draw(figure: Any, ink: str) -> None:
        axes = figure.add_subplot()
        for place, (label, scores) in enumerate(series.items()):
            colour, mark = COLOURS[place % len(COLOURS)], MARKS[place % len(MARKS)]
            turns = [item.turn for item in scores]
            axes.plot(turns, [item.mean for item in scores], marker=mark, color=colour, linewidth=1.8, markersize=6.5, label=label)
            if all(item.interval is not None for item in scores):
                lows, highs = zip(*(item.interval or (0.0, 0.0) for item in scores), strict=True)
                axes.fill_between(turns, lows, highs, color=colour, alpha=0.16, linewidth=0)
        _finish(axes, ink, x=f"turn (0 is the draft; {n} questions)", y=score)
        axes.xaxis.get_major_locator().set_params(integer=True)
        _legend(axes)

    caption = f"{score} of the text that is retained after each turn; means over {n} questions, bands are 95 % intervals."
    return Plot(title=title, caption=caption, draw=draw)


def fates_of_drafts(fates: Fates, *, title: str = "The fate of every draft", what: str = "drafts") -> Plot:
    """A flow from right and wrong drafts to right and wrong answers; heights are counts."""
    total = max(1, fates.n)
    gap = 0.08 * total

    def draw(figure: Any, ink: str) -> None:
        axes = figure.add_subplot()
        axes.set_axis_off()
        right_before, wrong_before = fates.right_right + fates.right_wrong, fates.wrong_right + fates.wrong_wrong
        right_after, wrong_after = fates.right_right + fates.wrong_right, fates.right_wrong + fates.wrong_wrong
        left, right = {"right": wrong_before + gap, "wrong": 0.0}, {"right": wrong_after + gap, "wrong": 0.0}
        for side, across, places, counts in (
            ("draft", -0.03, dict(left), {"right": right_before, "wrong": wrong_before}),
            ("answer", 1.0, dict(right), {"right": right_after, "wrong": wrong_after}),
        ):
            for name, bottom in places.items():
                axes.bar(across + 0.015, counts[name], width=0.03, bottom=bottom, color=GOOD if name == "right" else BAD, linewidth=0)
                words = f"{side} {name}\n{counts[name]} ({counts[name] / total:.0%})"
                at = -0.06 if side == "draft" else 1.06
                axes.text(at, bottom + counts[name] / 2, words, ha="right" if side == "draft" else "left", va="center", color=ink)
        # from the bottom of each bar upwards, so that ribbons leave and arrive in the same order and cross once
        for before, after, count, colour, hatch in (
            ("wrong", "wrong", fates.wrong_wrong, COLOURS[5], ""),
            ("wrong", "right", fates.wrong_right, GOOD, ""),
            ("right", "wrong", fates.right_wrong, BAD, "////"),
            ("right", "right", fates.right_right, COLOURS[0], ""),
        ):
            if not count:
                continue
            _ribbon(axes, left[before], right[after], count, colour, hatch)
            apart = 0.25 if (before, after) == ("right", "wrong") else 0.75 if (before, after) == ("wrong", "right") else 0.5
            across, up = _on_curve(apart)
            middle = left[before] + (right[after] - left[before]) * up + count / 2
            axes.text(across, middle, f"{before} → {after}: {count}", ha="center", va="center", color=ink, fontsize=9.5)
            left[before] += count
            right[after] += count
        axes.text(0.5, -0.03 * total, f"n = {fates.n} {what}", ha="center", va="top", color=ink, fontsize=9.5)
        axes.set_xlim(-0.34, 1.36)
        axes.set_ylim(-0.1 * total, total + gap + 0.02 * total)

    caption = f"What became of n = {fates.n} {what}: {fates.wrong_right} wrong → right, {fates.right_wrong} right → wrong; heights are counts."
    return Plot(title=title, caption=caption, draw=draw, size=(7.2, 3.6))


def regressions(rates: Sequence[Rate], *, title: str = "Regressions by setting", what: str = "right drafts that became wrong") -> Plot:
    """For each setting the share that regressed, with Wilson's interval."""

    def draw(figure: Any, ink: str) -> None:
        axes = figure.add_subplot()
        for place, rate in enumerate(rates):
            share = rate.count / rate.n if rate.n else math.nan
            colour = COLOURS[place % len(COLOURS)]
            axes.barh(place, share if rate.n else 0.0, color=colour, alpha=0.55, height=0.55, linewidth=0)
            if rate.n:
                interval = wilson_interval(rate.count, rate.n)
                axes.errorbar([share], [place], xerr=_bars(share, interval), fmt="|", color=ink, capsize=4, elinewidth=1.3)
            edge = wilson_interval(rate.count, rate.n)[1] if rate.n else 0.0
            axes.annotate(f" {rate.count} of {rate.n}", (edge, place), xytext=(5, 0), textcoords="offset points", va="center", color=ink, fontsize=9.5)
        _finish(axes, ink, x=f"share of {what}", y="")
        axes.set_yticks(range(len(rates)), [rate.label for rate in rates])
        axes.invert_yaxis()
        axes.set_xlim(0, min(1.15, max([0.05, *(wilson_interval(rate.count, rate.n)[1] for rate in rates if rate.n)]) * 1.25))

    counts = f"n from {min(rate.n for rate in rates)} to {max(rate.n for rate in rates)}" if rates else "n = 0"
    caption = f"Share of {what}; {counts} right drafts a setting, bars are 95 % intervals (Wilson)."
    return Plot(title=title, caption=caption, draw=draw, size=(7.2, 1.3 + 0.5 * max(1, len(rates))))


def calibration(curves: Mapping[str, Sequence[Bin]], *, title: str = "Calibration") -> Plot:
    """Of the rows with about one confidence, how many were right; on the diagonal confidence is worth what it says."""

    def draw(figure: Any, ink: str) -> None:
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=ink, linewidth=0.9, linestyle=(0, (4, 3)), alpha=0.6)
        for place, (label, bins) in enumerate(curves.items()):
            colour, mark = COLOURS[place % len(COLOURS)], MARKS[place % len(MARKS)]
            known = [item for item in bins if item.n]
            if not known:
                continue
            across, up = [item.confidence for item in known], [item.right / item.n for item in known]
            bars = [_bars(share, wilson_interval(item.right, item.n)) for share, item in zip(up, known, strict=True)]
            both = [[bar[0][0] for bar in bars if bar], [bar[1][0] for bar in bars if bar]]
            axes.errorbar(
                across, up, yerr=both, marker=mark, color=colour, linewidth=1.4, markersize=6.5, capsize=3, elinewidth=1.1,
                label=f"{label} (n = {sum(item.n for item in known)})",
            )  # fmt: skip
        _finish(axes, ink, x="stated confidence", y="share that was right")
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_aspect("equal")
        _legend(axes)

    total = ", ".join(f"{label} n = {sum(item.n for item in bins)}" for label, bins in curves.items())
    caption = f"Share that was right among rows of about one confidence ({total}); bars are 95 % intervals (Wilson), the dashed line is perfect calibration."
    return Plot(title=title, caption=caption, draw=draw, size=(6.4, 4.4))


def differences(rows: Sequence[Difference], *, n: int, bound: float | None = None, title: str = "Differences", unit: str = "blind quality") -> Plot:
    """Differences with their intervals, one below the other; the band is what counts as equivalent."""

    def draw(figure: Any, ink: str) -> None:
        axes = figure.add_subplot()
        if bound is not None:
            axes.axvspan(-bound, bound, color=COLOURS[5], alpha=0.18, linewidth=0)
        axes.axvline(0, color=ink, linewidth=0.9, alpha=0.7)
        for place, row in enumerate(rows):
            low, high = row.interval
            shown = row.shown if row.shown is not None else low > 0 or high < 0
            colour = COLOURS[5] if not shown else GOOD if row.mean > 0 else BAD
            fill = colour if shown else "none"
            across = _bars(row.mean, row.interval)
            axes.errorbar([row.mean], [place], xerr=across, fmt=MARKS[0], color=colour, markerfacecolor=fill, capsize=4, elinewidth=1.8, markersize=7)
            if row.note:
                axes.text(1.02, place, row.note, transform=axes.get_yaxis_transform(), va="center", color=ink, fontsize=9.5)
        _finish(axes, ink, x=f"difference in {unit} (n = {n} pairs)", y="")
        axes.set_yticks(range(len(rows)), [row.label for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.margins(x=0.12)

    band = f", the band is ±{bound:g}, which counts as equivalent" if bound is not None else ""
    caption = f"Mean differences in {unit} over n = {n} paired questions; bars are 95 % intervals (BCa){band}; hollow marks are differences that are not shown."
    return Plot(title=title, caption=caption, draw=draw, size=(7.2, 1.3 + 0.48 * max(1, len(rows))))


def _finish(axes: Any, ink: str, *, x: str, y: str) -> None:
    axes.set_facecolor("none")
    axes.grid(color=ink, alpha=0.14, linewidth=0.7)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def _legend(axes: Any) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=1.6, borderaxespad=0.3)


def _bars(middle: float, interval: Interval | None) -> list[list[float]] | None:
    """What matplotlib wants for one error bar: how far it goes down and up."""
    if interval is None:
        return None
    return [[max(0.0, middle - interval[0])], [max(0.0, interval[1] - middle)]]


def _on_curve(t: float) -> tuple[float, float]:
    """Where a ribbon's middle line is at this parameter, across and up, both from 0 to 1: the Bézier curve with both handles half-way."""
    return 1.5 * t * (1 - t) + t**3, t * t * (3 - 2 * t)


def _ribbon(axes: Any, start: float, end: float, height: float, colour: str, hatch: str) -> None:
    path = laboratory("matplotlib.path").Path
    up = [(0.0, start + height), (0.5, start + height), (0.5, end + height), (1.0, end + height)]
    down = [(1.0, end), (0.5, end), (0.5, start), (0.0, start)]
    codes = [path.MOVETO, *[path.CURVE4] * 3, path.LINETO, *[path.CURVE4] * 3, path.CLOSEPOLY]
    shape = path([*up, *down, up[0]], codes)
    axes.add_patch(laboratory("matplotlib.patches").PathPatch(shape, facecolor=colour, alpha=0.38, edgecolor=colour, linewidth=0.6, hatch=hatch))
