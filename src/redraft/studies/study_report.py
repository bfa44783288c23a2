"""The report of a study: what was found, what cannot be concluded, and how far the judges can be relied on. Made of the result alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from redraft.studies.contrasts import p_in_words
from redraft.studies.plots import (
    Difference,
    Fates,
    Plot,
    Point,
    Rate,
    TurnScore,
    differences,
    fates_of_drafts,
    quality_against_cost,
    regressions,
    score_by_turn,
)
from redraft.studies.report import NOT_KNOWN, Block, Points, Report, Section, Table, figure_of
from redraft.studies.stats import bootstrap_interval

__all__ = ["plots_of", "study_report"]


def study_report(result: Mapping[str, Any]) -> Report:
    """The report of what `conducting.conduct` gave."""
    plots = plots_of(result)
    tests = result["tests"]
    open_ones = [row["conclusion"] for row in tests if not row["shown"] and not row["equivalence"]["shown"]]
    shown = [row["conclusion"] for row in tests if row["shown"] or row["equivalence"]["shown"]]
    primary = next(row for row in tests if row["primary"])
    models = result["models"]
    summary = (
        f"n = {result['n']} questions. Writer {models['writer']}, evaluator {models['evaluator']}, blind judge {', '.join(models['judges'])}; "
        f"seed {result['setting']['seed']}, hard cap {result['setting']['max_turns']}, begun {result['began']}.",
        f"Primary test, named beforehand. {primary['question']} {primary['conclusion']}",
    )
    sections = [
        Section(title="Arms", blocks=(_arms(result), *(plots[name] for name in ("quality_cost",) if name in plots))),
        Section(title="What is shown", blocks=(Points(items=tuple(shown)) if shown else "Nothing.",)),
        Section(title="What cannot be concluded", blocks=(Points(items=tuple([*open_ones, *_limits(result)])), result["power"])),
        Section(title="Tests", blocks=(_tests(result), plots["differences"], _beside(result))),
        Section(title="Right and wrong", blocks=(_rates(result), *(plots[name] for name in plots if name.startswith(("fates", "regressions"))))),
    ]
    if "by_turn" in plots:
        sections.append(Section(title="Turn by turn", blocks=(plots["by_turn"],)))
    sections.append(Section(title="The judging", blocks=_judging(result)))
    return Report(title=result["title"], summary=summary, sections=tuple(sections))


def plots_of(result: Mapping[str, Any]) -> dict[str, Plot]:
    """The figures of a study by name."""
    arms, n = result["arms"], result["n"]
    points = [
        Point(label=arm["label"], cost=arm["tokens"], quality=arm["quality"], interval=_pair(arm["quality_ci95"]), cost_interval=_pair(arm["tokens_ci95"]))
        for arm in arms.values()
    ]
    rows = [
        Difference(
            label=row["name"].partition(":")[0], mean=row["mean"], interval=_pair(row["ci95"]), note=f"Holm {p_in_words(row['p_holm'])}", shown=row["shown"]
        )
        for row in result["tests"]
    ]
    plots = {
        "quality_cost": quality_against_cost(points, n=n),
        "differences": differences(rows, n=n, bound=result["setting"]["bound"], title="The tests"),
    }
    refined = {name: arm for name, arm in arms.items() if arm["policy"] is not None}
    first = next(iter(refined))
    fates = {key: refined[first][name] for key, name in FATES.items()}
    plots["fates"] = fates_of_drafts(Fates(**fates), title=f"The fate of every draft: {refined[first]['label']}")
    rates = [Rate(label=arm["label"], count=arm["right_to_wrong"], n=arm["right_to_wrong"] + arm["unchanged_right"]) for arm in refined.values()]
    plots["regressions"] = regressions(rates)
    if result["by_turn"]:
        seed = result["setting"]["seed"]
        series = {arms[name]["label"]: [_turn(turn, scores, seed) for turn, scores in enumerate(turns)] for name, turns in result["by_turn"].items()}
        plots["by_turn"] = score_by_turn(series)
    return plots


FATES = {"right_right": "unchanged_right", "wrong_right": "wrong_to_right", "right_wrong": "right_to_wrong", "wrong_wrong": "unchanged_wrong"}


def _turn(turn: int, scores: Sequence[float], seed: int) -> TurnScore:
    return TurnScore(turn=turn, mean=fmean(scores), n=len(scores), interval=bootstrap_interval(scores, seed=seed))


def _arms(result: Mapping[str, Any]) -> Table:
    head = ("arm", "blind quality (95 % interval)", "tokens", "gained per 1,000 tokens (95 % interval)", "US dollars", "turns", "characters", "ended by")
    rows: list[tuple[str, ...]] = []
    for arm in result["arms"].values():
        gained = _with(figure_of(arm["efficiency"], 5, sign=True), arm["efficiency_ci95"], 5)
        stops = ", ".join(f"{why} {count}" for why, count in arm["stops"].items())
        cells = (arm["label"], _with(figure_of(arm["quality"]), arm["quality_ci95"]), f"{arm['tokens']:,.0f}", gained, figure_of(arm["cost_usd"]))
        rows.append((*cells, figure_of(arm["turns"], 2), f"{arm['characters']:,.0f}", stops))
    caption = (
        f"Means over n = {result['n']} questions. Tokens are what writer and evaluator were told and said, the draft included; gained is more than direct."
    )
    return Table(head=head, rows=tuple(rows), caption=caption)


def _tests(result: Mapping[str, Any]) -> Table:
    head = ("test", "family", "difference (95 % interval)", "permutation p", "Holm p", "Wilcoxon p", "dz", "better / tied / worse", "equality p")
    rows: list[tuple[str, ...]] = []
    for row in result["tests"]:
        values = (_p(row["p_permutation"]), _p(row["p_holm"]), _p(row["p_wilcoxon"]), figure_of(row["dz"], 2, sign=True))
        parts = f"{row['better']:.0%} / {row['tied']:.0%} / {row['worse']:.0%}"
        rows.append((row["name"], row["family"], _with(figure_of(row["mean"], sign=True), row["ci95"]), *values, parts, _p(row["equivalence"]["p_value"])))
    bound = result["setting"]["bound"]
    caption = f"Paired over n = {result['n']} questions; intervals are BCa; equality means within ±{bound:g} (two one-sided tests)."
    return Table(head=head, rows=tuple(rows), caption=caption)


def _beside(result: Mapping[str, Any]) -> Table:
    head = (
        "test",
        "tokens more",
        "at equal length (95 % interval)",
        "by domain p (95 % interval)",
        "domains",
        "design effect",
        "Cliff's delta",
        "F of interaction",
    )
    rows: list[tuple[str, ...]] = []
    for row in result["tests"]:
        length, domain, contrast = _part(row, "at_equal_length"), _part(row, "by_domain"), _part(row, "interaction")
        cells = (row["name"], f"{row['tokens']:+,.0f}", _with(figure_of(length.get("mean"), sign=True), length.get("ci95")))
        cells += (_with(_p(domain.get("p_permutation")), domain.get("ci95")), str(domain.get("domains", "–")), figure_of(domain.get("design_effect"), 2))
        shown = f"{contrast['F']:.2f} ({p_in_words(contrast['p'])})" if contrast.get("F") is not None else "–"
        rows.append((*cells, figure_of(row["cliffs_delta"], 2, sign=True), shown))
    return Table(head=head, rows=tuple(rows), caption="The same differences adjusted for length, and with whole domains exchanged and drawn.")


def _rates(result: Mapping[str, Any]) -> Table:
    corrected = result["judging"]["labels"] is not None
    head = ("arm", "judged right (95 % interval)", "more than direct (95 % interval)", "McNemar p", "wrong → right", "right → wrong", "improvement rate")
    head += ("regression rate",)
    rows: list[tuple[str, ...]] = []
    for arm in result["arms"].values():
        cells = (arm["label"], _with(f"{arm['right']:.1%}", arm["right_ci95"], 3))
        if arm["policy"] is not None:
            cells += (_with(figure_of(arm["change_in_right"], 3, sign=True), arm["change_in_right_ci95"], 3), _p(arm["p_mcnemar"]))
        else:
            cells += (NOT_KNOWN, NOT_KNOWN)
        cells += (str(arm["wrong_to_right"]), str(arm["right_to_wrong"]))
        cells += (figure_of(arm["improvement_rate"], 3), figure_of(arm["regression_rate"], 3))
        rows.append((*cells, _with(figure_of(arm.get("right_corrected"), 3), arm.get("right_corrected_ci95"), 3)) if corrected else cells)
    head += ("right, corrected for the judge (95 % interval)",) if corrected else ()
    return Table(head=head, rows=tuple(rows), caption=f"By the judges' verdicts, n = {result['n']} questions; a verdict of unsure is not right.")


def _judging(result: Mapping[str, Any]) -> tuple[Block, ...]:
    judging = result["judging"]
    items = [f"{judging['texts']} different texts were judged, in an order drawn by seed; {judging['unjudged']} got no usable score."]
    for name, retest in judging["retests"].items():
        items.append(
            f"{name}, asked again about {retest['n']} texts: noise of one score {retest['noise']:.4f} (standard deviation), "
            f"mean change {retest['mean_change']:+.4f}, rank correlation {figure_of(retest['spearman'], 3)}, verdict kept {retest['verdicts_kept']:.0%}."
        )
    for name, guesses in judging["guesses"].items():
        seen = "it tells them apart: read its scores with care" if guesses["p_value"] < 0.05 else "no better or worse than a coin can be shown"
        items.append(
            f"{name} guessed which of two answers had been refined {guesses['right']} of {guesses['n']} times ({guesses['accuracy']:.0%}, 95 % interval "
            f"{_interval(guesses['interval'], 2)}, {p_in_words(guesses['p_value'])}): {seen}."
        )
    agreement = judging["agreement"]
    if agreement is None:
        items.append("One judge: how far another would agree is not known. Name --judge twice or more to know it.")
    else:
        items.append(
            f"{agreement['judges']} judges. Verdicts: Cohen's kappa {figure_of(agreement['kappa'], 3)}, Krippendorff's alpha "
            f"{figure_of(agreement['alpha_verdicts'], 3)}. "
            f"Scores: alpha {figure_of(agreement['alpha_scores'], 3)}, Spearman {figure_of(agreement['spearman'], 3)}."
        )
    labels = judging["labels"]
    if labels is not None:
        items.append(
            f"Against labels: sensitivity {labels['sensitivity']:.3f} ({labels['right_called_right']} of {labels['right']}), specificity "
            f"{labels['specificity']:.3f} ({labels['wrong_called_wrong']} of {labels['wrong']})."
            + ("" if labels["sensitivity"] + labels["specificity"] > 1 else " That is no better than chance: rates cannot be corrected, nor believed.")
        )
    return (Points(items=tuple(items)),)


def _limits(result: Mapping[str, Any]) -> list[str]:
    """What no statistic of this study can make good."""
    limits = [*result["warnings"]]
    limits += (
        [f"{len(result['left_out'])} question(s) are left out: " + "; ".join(f"{item['id']} ({item['why']})" for item in result["left_out"][:5])]
        if result["left_out"]
        else []
    )
    limits += [
        f"{arm['label']}: on {arm['unscored']} of {result['n']} questions the evaluator gave no score that could be read. There the arm is the draft, and says "
        "nothing of what refining is worth; name an evaluator that answers in the form it is asked for."
        for arm in result["arms"].values()
        if arm["unscored"]
    ]
    if result["judging"]["labels"] is None:
        limits.append("No labels were given: whether the judge is right is not known, only what it says. See --judge-labels.")
    limits.append("What holds for these questions, models and settings need not hold for others.")
    return limits


def _part(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of a test's figures; empty where there is none."""
    found: Mapping[str, Any] | None = row.get(name)
    return found or {}


def _pair(values: Sequence[float]) -> tuple[float, float]:
    return values[0], values[1]


def _interval(values: Sequence[float] | None, digits: int = 4) -> str:
    return "–" if values is None else f"{values[0]:.{digits}f} to {values[1]:.{digits}f}"


def _with(figure: str, interval: Sequence[float] | None, digits: int = 4) -> str:
    return figure if interval is None else f"{figure} ({_interval(interval, digits)})"


def _p(value: float | None) -> str:
    return "–" if value is None else "< 0.0001" if value < 0.0001 else f"{value:.4f}"
