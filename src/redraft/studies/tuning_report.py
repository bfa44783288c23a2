"""The report of a calibration of stopping rules: what is recommended and why, the front with held-out intervals, and quality turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

from redraft.studies.plots import Plot, Point, Rate, TurnScore, quality_against_cost, regressions, score_by_turn
from redraft.studies.prefixes import Prefixes
from redraft.studies.report import Points, Report, Section, Table, figure_of
from redraft.studies.stats import bootstrap_interval
from redraft.studies.tuning import Calibration, Gain, StopGrid, split
from redraft.studies.tuning import Point as HeldOut

__all__ = ["calibration_report"]


def calibration_report(grid: StopGrid, found: Calibration, prefixes: Prefixes, *, live: Sequence[tuple[str, Gain]] = (), made_by: str = "") -> Report:
    """All figures are of the held-out half; `live`: settings of the controller that were run, and what they gain."""
    gain = found.gain
    label = grid.label(found.recommended)
    summary = (
        f"{f'Recommended: {label}. ' if gain.recommended else ''}{gain.reason[0].upper()}{gain.reason[1:]}.",
        f"{len(prefixes)} records of {prefixes.cap} turns, {gain.n} of them held out in {gain.clusters} clusters; {found.settings:,} stopping settings, "
        f"{found.distinct:,} of which differ on these records; seed {found.seed}; 1,000 tokens are worth {found.price:g} of quality. {made_by}".strip(),
    )
    sections = [
        Section(title="Quality against cost", blocks=(_front(found), _cost_plot(found))),
        Section(title="Drafts made worse", blocks=(_regressions(found),)),
        Section(title="Turn by turn", blocks=(_by_turn(prefixes, found.seed),)),
    ]
    if live:
        sections.append(Section(title="Settings of the controller, run live", blocks=(_live(live),)))
    limits = [
        "It holds for questions like those, this model and these tools.",
        "Settings of the front are on it by the choosing half; held out, they may not be.",
    ]
    sections.append(Section(title="What it does not say", blocks=(Points(items=(*limits, *(f"Left out: {reason}." for reason in prefixes.left_out))),)))
    return Report(title="Calibration of stopping rules", summary=summary, sections=tuple(sections))


def _front(found: Calibration) -> Table:
    rows = tuple(
        (
            mark,
            point.label,
            figure_of(point.quality),
            f"{point.quality_interval[0]:.4f} to {point.quality_interval[1]:.4f}",
            f"{point.tokens:,.0f}",
            f"{point.tokens_interval[0]:,.0f} to {point.tokens_interval[1]:,.0f}",
            f"{point.regressions} of {point.n}",
        )
        for mark, point in _marked(found)
    )
    head = ("", "setting", "quality", "95 %", "tokens a question", "95 %", "made worse")
    return Table(head=head, rows=rows, caption=f"The front of the choosing half, measured on the {found.gain.n} held-out questions.")


def _marked(found: Calibration) -> list[tuple[str, HeldOut]]:
    """The points of the front with a short mark each, by which figures name what the table says in full."""
    return [("default" if point.index == found.settings else str(place), point) for place, point in enumerate(found.front, start=1)]


def _cost_plot(found: Calibration) -> Plot:
    points = [
        Point(label=mark, cost=point.tokens, quality=point.quality, interval=point.quality_interval, cost_interval=point.tokens_interval)
        for mark, point in _marked(found)
    ]
    return quality_against_cost(points, n=found.gain.n, title="Stopping settings by their mark in the table, held out", quality="quality (0 to 1)")


def _regressions(found: Calibration) -> Plot:
    rates = [Rate(label=mark, count=point.regressions, n=point.n) for mark, point in _marked(found)]
    return regressions(rates, title="Drafts made worse by setting, held out", what="drafts that ended worse than they began")


def _by_turn(prefixes: Prefixes, seed: int) -> Plot:
    _, held = split(prefixes.clusters, seed)
    columns = [[float(prefixes.quality[row, turn]) for row in held] for turn in range(prefixes.cap + 1)]
    scores = [
        TurnScore(turn=turn, mean=sum(values) / len(values), n=len(values), interval=bootstrap_interval(values, seed=seed))
        for turn, values in enumerate(columns)
    ]
    return score_by_turn({"retained text": scores}, title="Quality of the retained text by turn, held out", score="quality (0 to 1)")


def _live(live: Sequence[tuple[str, Gain]]) -> Table:
    rows = tuple(
        (
            label,
            figure_of(gain.mean, sign=True),
            f"{gain.interval[0]:+.4f} to {gain.interval[1]:+.4f}",
            f"{gain.p_value:.4f}",
            f"{gain.tokens:+,.0f}",
            gain.reason,
        )
        for label, gain in live
    )
    level = f"{live[0][1].level:.1%}"
    return Table(head=("setting", "gain", level, "p", "tokens a question", "so"), rows=rows, caption="Against the default, on held-out questions.")
