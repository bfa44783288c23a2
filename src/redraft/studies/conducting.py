"""Conducting a study: what it costs at most, said beforehand; then questions, arms, judges and statistics, in one result that equal replies make equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from redraft.errors import InputError, UsageError
from redraft.protocols import Model
from redraft.studies.blind import BlindJudge, Case, check_independence, gathered, model_identity, presentable, verdict_of
from redraft.studies.calls import CallStore, StoredModel, StudyClock
from redraft.studies.contrasts import arm_figures, figures_of_tests, judged_of
from redraft.studies.judged import JudgeErrors
from redraft.studies.power import power_statement
from redraft.studies.questions import Question, questions_hash
from redraft.studies.rows import read_lines
from redraft.studies.trials import DIRECT, Bench, Design, Judgement, Progress, Setting, Trial, judge_texts, run_trials, usable_trials

__all__ = ["CHARACTERS_A_TOKEN", "MARK_TOKENS", "PROMPT_TOKENS", "Label", "conduct", "estimate", "list_price", "read_labels", "study_warnings"]

SCHEMA = 1
ANSWER_TOKENS, REPLY_TOKENS, MARK_TOKENS, PROMPT_TOKENS = 400, 450, 80, 700
"""What the estimate takes an answer, a reply of writer or evaluator, a judge's reply and the words around them to be long."""
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """An answer of which people know whether it is right."""

    case: Case
    right: bool


def read_labels(path: Path) -> tuple[Label, ...]:
    """Labelled answers, one JSON object a line: `query`, `answer`, and `label`, true or false.

    Raises:
        InputError: the file cannot be read, or a line is something else.
    """
    found: list[Label] = []
    lines, bad = read_lines(path)
    if bad:
        raise InputError(f"{path}, line {bad[0].line}: {bad[0].message}")
    for number, values in lines:
        query, answer, label = values.get("query"), values.get("answer"), values.get("label")
        if not isinstance(query, str) or not query.strip() or not isinstance(answer, str) or not isinstance(label, bool):
            raise InputError(f'{path}, line {number}: a label looks like {{"query": "…", "answer": "…", "label": true}}')
        found.append(Label(case=Case(question=query, answer=presentable(answer)), right=label))
    if not {True, False} <= {label.right for label in found}:
        raise InputError(f"{path} needs answers that are right and answers that are wrong, so that both kinds of the judge's errors are known")
    return tuple(found)


def study_warnings(design: Design, judges: Sequence[str], *, allow_same: bool) -> tuple[str, ...]:
    """What makes the judges less independent than they ought to be.

    Raises:
        UsageError: a judge is the writer or an evaluator, and that was not allowed; or no judge, or one twice.
    """
    if not judges:
        raise UsageError("a study needs a judge that took no part in it; name one with --judge")
    if len({model_identity(judge) for judge in judges}) < len(judges):
        raise UsageError("one judge is named twice; judges are asked again anyway, see --retest")
    return tuple(warning for judge in judges for warning in check_independence(judge, design.roles, allow_same=allow_same))


def estimate(design: Design, questions: Sequence[Question], setting: Setting, judges: Sequence[str], *, labels: int = 0) -> dict[str, Any]:
    """Calls at most, and tokens and dollars if it came to that; None where the price of a model is not known. Replies that are kept cost nothing again."""
    n, asked = len(questions), sum(len(question.task.query) + len(question.task.context) for question in questions) / max(1, len(questions))
    told = round(asked / CHARACTERS_A_TOKEN) + ANSWER_TOKENS + PROMPT_TOKENS
    texts = design.texts * n
    judged = texts + (min(texts, max(round(setting.retest * texts), 3)) if setting.retest > 0 else 0) + design.pairs * n + labels
    rows = [(role, design.roles[role], count * n, REPLY_TOKENS) for role, count in design.calls.items()]
    rows += [(f"judge {place}" if len(judges) > 1 else "judge", judge, judged, MARK_TOKENS) for place, judge in enumerate(judges, 1)]
    parts: list[dict[str, Any]] = [
        {
            "part": part,
            "model": model,
            "calls": calls,
            "input_tokens": calls * told,
            "output_tokens": calls * said,
            "usd": list_price(model, calls * told, calls * said),
        }
        for part, model, calls, said in rows
    ]
    prices: list[float | None] = [part["usd"] for part in parts]
    known = [price for price in prices if price is not None]
    return {
        "study": design.name,
        "questions": n,
        "calls_at_most": sum(part["calls"] for part in parts),
        "usd_at_most": sum(known) if len(known) == len(prices) else None,
        "parts": parts,
        "assumed": (
            f"{told} tokens told and {REPLY_TOKENS} (judges {MARK_TOKENS}) said in a call; equal calls are paid once; "
            "repairs of unreadable replies and hidden reasoning come on top"
        ),
    }


async def conduct(
    design: Design,
    questions: Sequence[Question],
    judges: Sequence[StoredModel],
    store: CallStore,
    writer: Model,
    setting: Setting,
    *,
    labels: Sequence[Label] = (),
    warnings: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run the study, and give all that was found. Nothing in it depends on when it was interrupted, or how often.

    Raises:
        Interrupted: a model did not answer; the same call goes on from there.
        InputError: too few questions could be run and judged.
    """
    told = progress or Progress()
    bench = Bench(writer, seed=setting.seed, clock=StudyClock(store.began))
    trials = await run_trials(design, bench, questions, setting, told)
    whole = [item for item in trials if isinstance(item, Trial)]
    blind = [BlindJudge(model, seed=setting.seed, concurrency=setting.concurrency) for model in judges]
    judgement = await judge_texts(blind, whole, setting, told)
    errors = await _errors(blind, labels, setting) if labels else None
    good = usable_trials(trials, judgement)
    return {
        "schema": SCHEMA,
        "study": design.name,
        "title": design.title,
        "models": {**design.roles, "judges": [judge.name for judge in blind]},
        "setting": {name: value for name, value in asdict(setting).items() if name != "concurrency"},
        "began": store.began.date().isoformat(),
        "questions_hash": questions_hash(questions),
        "n": len(good),
        "left_out": _left_out(questions, trials, good, judgement),
        **_found(design, good, judgement, setting, errors),
        "judging": _judging(judgement, errors),
        "warnings": list(warnings),
    }


def _found(design: Design, trials: Sequence[Trial], judgement: Judgement, setting: Setting, errors: JudgeErrors | None) -> dict[str, Any]:
    judged = judged_of(trials, design.arms, judgement)
    arms: dict[str, Any] = {}
    for arm in design.arms:
        attempts = [trial.attempts[arm.name] for trial in trials]
        costs, turns = [attempt.cost_usd for attempt in attempts], [attempt.turns for attempt in attempts]
        arms[arm.name] = arm_figures(judged, arm, setting, costs=costs, turns=turns, labels=errors)
        stops: dict[str, int] = {}
        for attempt in attempts:
            stops[attempt.stop] = stops.get(attempt.stop, 0) + 1
        arms[arm.name]["stops"] = dict(sorted(stops.items()))
        arms[arm.name]["unscored"] = sum(not attempt.scored for attempt in attempts)
    tests = figures_of_tests(judged, design.tests, setting)
    return {
        "arms": arms,
        "primary": next(row["name"] for row in tests if row["primary"]),
        "tests": tests,
        "power": power_statement(judged.n, alpha=setting.alpha),
        "by_turn": _by_turn(design, trials, judgement),
        "rows": [_row(trial, judgement, design) for trial in trials],
    }


def _row(trial: Trial, judgement: Judgement, design: Design) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for arm in design.arms:
        attempt = trial.attempts[arm.name]
        cells[arm.name] = {
            "quality": judgement.quality(trial.question, attempt.answer),
            "right": judgement.right(trial.question, attempt.answer),
            "tokens": attempt.tokens,
            "calls": attempt.calls,
            "turns": attempt.turns,
            "stop": attempt.stop,
            "answer": attempt.answer,
        }
    return {"id": trial.question.id, "domain": trial.question.domain, "query": trial.question.task.query, "arms": cells}


def _by_turn(design: Design, trials: Sequence[Trial], judgement: Judgement) -> dict[str, list[list[float]]]:
    """For each arm with recorded prefixes, turn by turn the quality of each question's retained text; one that has ended keeps its last.

    A question of which a prefix could not be judged is left out of its arm.
    """
    found: dict[str, list[list[float]]] = {}
    for arm in design.arms:
        rows: list[list[float]] = []
        for trial in trials:
            texts = trial.attempts[arm.name].by_turn
            scores = [judgement.quality(trial.question, text) for text in texts]
            known = [score for score in scores if score is not None]
            if texts and len(known) == len(scores):
                rows.append(known)
        if rows and arm.name != DIRECT:
            found[arm.name] = rows
    longest = max((len(row) for rows in found.values() for row in rows), default=0)
    return {name: [[row[min(turn, len(row) - 1)] for row in rows] for turn in range(longest)] for name, rows in found.items()}


async def _errors(judges: Sequence[BlindJudge], labels: Sequence[Label], setting: Setting) -> JudgeErrors:
    """How often the judges, voting as they do in the study, agree with people."""
    known = {(label.case.question, label.case.answer): label for label in labels}
    by_judge = [await gathered([partial(judge.score, label.case) for label in known.values()], concurrency=setting.concurrency) for judge in judges]
    said: list[tuple[bool, bool]] = []
    for label, marks in zip(known.values(), zip(*by_judge, strict=True), strict=True):
        given = [mark for mark in marks if mark is not None]
        if len(given) == len(marks):
            said.append((label.right, verdict_of(given)))
    try:
        return JudgeErrors(
            right_called_right=said.count((True, True)), right=sum(label for label, _ in said),
            wrong_called_wrong=said.count((False, False)), wrong=sum(not label for label, _ in said),
        )  # fmt: skip
    except ValueError as error:
        raise InputError(f"--judge-labels: {error}") from None


def _judging(judgement: Judgement, errors: JudgeErrors | None) -> dict[str, Any]:
    return {
        "texts": len(judgement.scores) + judgement.unjudged,
        "unjudged": judgement.unjudged,
        "agreement": None if judgement.agreement is None else asdict(judgement.agreement),
        "retests": {name: asdict(retest) for name, retest in judgement.retests.items()},
        "guesses": {name: asdict(guesses) for name, guesses in judgement.guesses.items()},
        "labels": None if errors is None else {**asdict(errors), "sensitivity": errors.sensitivity, "specificity": errors.specificity},
    }


def _left_out(questions: Sequence[Question], trials: Sequence[Trial | Question], good: Sequence[Trial], judgement: Judgement) -> list[dict[str, str]]:
    kept, drafted = {trial.question.id for trial in good}, {item.question.id for item in trials if isinstance(item, Trial)}
    reasons = {True: "an arm's answer was not judged", False: "no draft could be had"}
    return [{"id": question.id, "why": reasons[question.id in drafted]} for question in questions if question.id not in kept]


def list_price(model: str, told: int, said: int) -> float | None:
    """US dollars by the provider's list, 0 for what runs on this machine, None where nobody says."""
    provider, _, name = model.partition(":")
    if provider in ("local", "scripted", "none"):
        return 0.0
    if provider not in ("openai", "anthropic", "google", "bedrock"):
        return None
    from genai_prices import Usage, calc_price

    try:
        usage = Usage(input_tokens=told, output_tokens=said)
        return float(calc_price(usage, model_ref=name, provider_id={"bedrock": "aws"}.get(provider, provider)).total_price)
    except (LookupError, ValueError):
        return None
