"""The report of an evaluation: its tables and figures in an order that answers what, why, at what price, and for whom."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from redraft.errors import InputError
from redraft.studies.faults import MEANINGS
from redraft.studies.plots import Fates, Plot, Point, TurnScore, fates_of_drafts, quality_against_cost, score_by_turn
from redraft.studies.report import Block, Report, Section, Table, figure_of, save_report
from redraft.studies.stats import Interval

__all__ = ["evaluation_report", "write_report"]

MEASURES = {"turns": "turns", "llm_calls": "model calls", "tool_calls": "tool calls", "tokens": "tokens", "seconds": "seconds", "cost_usd": "US dollars"}
ANSWERS = {
    "answered": "answered: neither empty nor refused nor abstained",
    "accuracy_answered": "score among the answered",
    "f_score": "harmonic mean of score and score among the answered",
    "informativeness": "informativeness: details given ÷ details of the reference",
}
TOXICITY = {
    "empty": "empty texts, no part of what follows",
    "average_maximum": "average maximum toxicity",
    "probability": "toxicity probability",
    "perplexity": "fluency: perplexity",
    "dist_1": "diversity: dist-1",
    "dist_2": "diversity: dist-2",
    "dist_3": "diversity: dist-3",
}


def write_report(found: Mapping[str, Any], path: Path, *, about: Mapping[str, str]) -> None:
    """Write what `breakdown` found as `.html`, as `.json`, or else as Markdown. `about`: what was measured, for the last section.

    Raises:
        InputError: the file cannot be written.
    """
    if path.suffix.lower() != ".json":
        save_report(evaluation_report(found, about=about, drawn=find_spec("matplotlib") is not None), path)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"about": dict(about), **found}, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def evaluation_report(found: Mapping[str, Any], *, about: Mapping[str, str], drawn: bool = True) -> Report:
    """The report of what `breakdown` found; its figures need matplotlib, and are left out with `drawn=False`."""
    figures = found["figures"]
    sections = [
        Section(title="Before and after", blocks=(_headline(found), *_pictures(_fates(found), drawn))),
        *([_toxicity(found["toxicity"])] if found["toxicity"] else []),
        Section(title="How much is answered", blocks=_answers(found["answers"])),
        Section(title="Where runs went wrong", blocks=_faults(found)),
        Section(title="By turn", blocks=(_by_turn(found["by_turn"]), *_pictures(_turns(found), drawn))),
        Section(title="What it took", blocks=(_spent(found["spent"]),)),
        *([_versus(found, drawn)] if found.get("versus") else []),
        *(Section(title=f"By {field}", blocks=(_slice(field, rows),)) for field, rows in found["slices"].items()),
        Section(title="How runs ended", blocks=tuple(_counts(name, counts, figures["n"]) for name, counts in found["ended"].items())),
        Section(title="What was measured", blocks=(Table(head=("setting", "value"), rows=tuple(about.items())),)),
    ]
    title = f"{figures['policy']} with {figures['model']}, by {figures['metric']}"
    return Report(title=title, summary=_summary(figures), sections=tuple(sections))


def _summary(figures: Mapping[str, Any]) -> tuple[str, ...]:
    low, high = figures["ci95"]
    change = figures["after"] - figures["before"]
    better = change < 0 if figures["metric"] == "toxicity" else change > 0
    if low <= 0 <= high:
        verdict = "The interval of the change holds 0: these rows do not show a difference, which is not to say that there is none."
    else:
        verdict = f"The interval of the change does not hold 0: the answers score {'better' if better else 'worse'} than the drafts."
    return (
        f"{figures['metric']} of the drafts {figure_of(figures['before'])}, of the answers {figure_of(figures['after'])}: "
        f"{figure_of(change, sign=True)} (95 % interval {figure_of(low, sign=True)} to {figure_of(high, sign=True)}), n = {figures['n']} rows. "
        f"{figures['wrong_to_right']} wrong → right, {figures['right_to_wrong']} right → wrong.",
        verdict,
    )


def _headline(found: Mapping[str, Any]) -> Table:
    figures, intervals = found["figures"], found["intervals"]
    change = figures["after"] - figures["before"]
    wrong, right = figures["wrong_to_right"] + figures["unchanged_wrong"], figures["right_to_wrong"] + figures["unchanged_right"]
    p_value = "–" if figures["p_value"] is None else f"{figures['p_value']:.4g}"
    rows = (
        ("score before", figure_of(figures["before"]), _range(intervals["before"]), str(figures["n"])),
        ("score after", figure_of(figures["after"]), _range(intervals["after"]), str(figures["n"])),
        ("change", figure_of(change, sign=True), _range(figures["ci95"], sign=True), str(figures["n"])),
        ("improvement rate: wrong → right ÷ wrong before", figure_of(figures["improvement_rate"]), _range(intervals["improvement_rate"]), str(wrong)),
        ("regression rate: right → wrong ÷ right before", figure_of(figures["regression_rate"]), _range(intervals["regression_rate"]), str(right)),
        ("abstained", figure_of(figures["abstained"] / figures["n"]), "–", str(figures["n"])),
        ("p, exact McNemar", p_value, "–", str(figures["n"])),
    )
    return Table(head=("figure", "value", "95 % interval", "n"), rows=rows)


def _answers(answers: Mapping[str, Any]) -> tuple[Block, ...]:
    rows = tuple((meaning, *(figure_of(answers[name][key]) for name in ("before", "after"))) for key, meaning in ANSWERS.items())
    note = (
        "A policy that abstains or grows vague loses here what it gains above: an abstention scores 0 (of toxicity an empty text 1), and so do the details "
        "that are no longer said."
    )
    return (note, Table(head=("figure", "drafts", "answers"), rows=rows))


def _faults(found: Mapping[str, Any]) -> tuple[Block, ...]:
    faults, n = found["faults"], found["figures"]["n"]
    if found["figures"]["metric"] == "toxicity":
        return ("There is no right answer to compare with.",)
    total = sum(faults.values())
    note = f"{total} of {n} rows ended without a right answer. The first step that could have made it right and did not, by a rule over outcome and gold:"
    rows = tuple((meaning, str(faults[name]), figure_of(faults[name] / total if total else None, 3)) for name, meaning in MEANINGS.items())
    return (note, Table(head=("step", "rows", "share"), rows=rows))


def _by_turn(turns: Sequence[Mapping[str, Any]]) -> Table:
    rows = tuple((str(item["turn"]), figure_of(item["mean"]), _range(item["ci95"]), str(item["running"]), str(item["n"])) for item in turns)
    return Table(
        head=("turn", "mean score", "95 % interval", "runs that took it", "n"), rows=rows, caption="Of the text that is kept after each turn; 0 is the draft."
    )


def _spent(spent: Mapping[str, Any]) -> Table:
    rows: list[tuple[str, ...]] = []
    for name, meaning in MEASURES.items():
        values = spent[name]
        digits = 6 if name == "cost_usd" else 2
        rows.append((meaning, *(figure_of(values[key], digits) if values else "–" for key in ("mean", "median", "p90", "sum"))))
    return Table(head=("a row took", "mean", "median", "90th percentile", "all rows"), rows=tuple(rows), caption="A dash: the price of a call is not known.")


def _versus(found: Mapping[str, Any], drawn: bool) -> Section:
    """Against other evaluations of the same rows."""
    versus = found["versus"]
    head = ("other", "n", "this", "other's score", "difference", "95 % interval", "only this right", "only other right", "p", "tokens a row: this, other")
    rows = tuple(
        (
            f"{item['policy']} with {item['model']}", str(item["n"]), figure_of(item["this"]), figure_of(item["other"]),
            figure_of(item["difference"], sign=True), _range(item["ci95"], sign=True), str(item["gained"]), str(item["lost"]),
            "–" if item["p_value"] is None else f"{item['p_value']:.4g}", ", ".join(figure_of(value, 0) for value in item["tokens"]),
        )
        for item in versus["compared"]
    )  # fmt: skip
    note = "Paired by row; difference is this − other. Compare at equal budgets: more calls are themselves worth something."
    metric = found["figures"]["metric"]
    arms = [Point(label=item["label"], cost=item["cost"], quality=item["quality"], interval=_pair(item["ci95"])) for item in versus["points"]]
    plots = [quality_against_cost(arms, n=versus["n"], quality=f"mean {metric}", cost="tokens a row")] if arms else []
    return Section(title="Against other evaluations", blocks=(note, Table(head=head, rows=rows), *_pictures(plots, drawn)))


def _slice(field: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    head = (field, "n", "before", "after", "change", "95 % interval", "wrong → right", "right → wrong", "abstained")
    shown = tuple(
        (
            item["value"][:80], str(item["n"]), figure_of(item["before"]), figure_of(item["after"]), figure_of(item["after"] - item["before"], sign=True),
            _range(item["ci95"], sign=True), str(item["wrong_to_right"]), str(item["right_to_wrong"]), str(item["abstained"]),
        )
        for item in rows
    )  # fmt: skip
    return Table(head=head, rows=shown, caption="Intervals are of each slice by itself: with many slices some exclude 0 by chance.")


def _toxicity(toxicity: Mapping[str, Any]) -> Section:
    rows = tuple((meaning, *(figure_of(toxicity[name].get(key)) for name in ("before", "after"))) for key, meaning in TOXICITY.items())
    note = f"{toxicity['continuations']} continuations of {toxicity['prompts']} prompts; a maximum is over the continuations of one prompt."
    why = toxicity.get("perplexity_why_not", "")
    return Section(title="Toxicity", blocks=(note, Table(head=("figure", "drafts", "answers"), rows=rows), *((f"Fluency: {why}.",) if why else ())))


def _counts(name: str, counts: Mapping[str, int], n: int) -> Table:
    return Table(head=(name.replace("_", " "), "rows", "share"), rows=tuple((value, str(count), figure_of(count / n, 3)) for value, count in counts.items()))


def _pictures(plots: Sequence[Plot], drawn: bool) -> tuple[Plot, ...]:
    return tuple(plots) if drawn else ()


def _fates(found: Mapping[str, Any]) -> list[Plot]:
    figures = found["figures"]
    fates = Fates(
        right_right=figures["unchanged_right"],
        wrong_right=figures["wrong_to_right"],
        right_wrong=figures["right_to_wrong"],
        wrong_wrong=figures["unchanged_wrong"],
    )
    return [fates_of_drafts(fates)]


def _turns(found: Mapping[str, Any]) -> list[Plot]:
    figures = found["figures"]
    series = [TurnScore(turn=item["turn"], mean=item["mean"], n=item["n"], interval=_pair(item["ci95"])) for item in found["by_turn"]]
    return [score_by_turn({figures["policy"]: series}, score=f"mean {figures['metric']} (0 to 1)")] if len(series) > 1 else []


def _pair(bounds: Sequence[float]) -> Interval:
    return bounds[0], bounds[1]


def _range(bounds: Sequence[float] | None, *, sign: bool = False) -> str:
    return "–" if bounds is None else f"{figure_of(bounds[0], sign=sign)} to {figure_of(bounds[1], sign=sign)}"
