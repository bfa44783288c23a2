"""The demonstration: fixed questions, a small model's drafts, what the tools said, and what became of the answer. All figures are computed live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from redraft.claims.numbers import read
from redraft.claims.statements import find
from redraft.errors import UsageError
from redraft.studies.evaluate import total_usage
from redraft.studies.metrics import exact_match, normalise, numeric_match, whole_number
from redraft.studies.rows import Row, read_rows
from redraft.studies.running import OpenRunner, Result, run_tasks
from redraft.types import Check, CheckStatus, Evidence, Outcome

__all__ = ["PLAIN_SENTENCE", "Action", "DemoRow", "demo_rows", "demonstrate", "is_right", "summarise_demo"]

DATA = Path(__file__).parent / "demo_data"
Action = Literal["kept", "corrected", "abstained"]
PLAIN_SENTENCE = (
    "A model of 135 million parameters is bad at these tasks. The gain comes from the tools and from checking again, not from the model; "
    "what the tools cannot decide stays as it was, and stays marked."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoRow:
    """One question and what became of it. `abstained`: nothing could be verified, so the draft stands, marked as unverified."""

    id: str
    family: str
    question: str
    draft: str
    answer: str
    tool: str
    call: str
    result: str
    verdict: CheckStatus
    action: Action
    right_before: bool
    right: bool
    note: str
    usage: Mapping[str, Any]
    seconds: float


def demo_rows(path: Path | None = None) -> list[Row]:
    """The questions, with their gold beside them, out of reach of what runs the tasks."""
    rows, bad = read_rows(path or DATA / "questions.jsonl")
    assert not bad, bad
    return rows


def demonstrate(rows: Sequence[Row], open_runner: OpenRunner, *, on_row: Callable[[DemoRow], None] = lambda row: None) -> list[DemoRow]:
    """Run the questions one after the other; `on_row` sees each as soon as it is done, in another thread."""
    done: list[DemoRow] = []

    def take(index: int, result: Result) -> None:
        if isinstance(result, UsageError):
            raise result
        done.append(_judge_row(rows[index], result))
        on_row(done[-1])

    run_tasks([row.task for row in rows], open_runner, take)
    return done


def _judge_row(row: Row, outcome: Outcome) -> DemoRow:
    """What became of one question, compared with its gold."""
    check, evidence = _deciding(outcome)
    tolerance = cast("float | None", row.extra.get("tolerance"))
    usage = outcome.usage
    return DemoRow(
        id=row.id,
        family=str(row.extra.get("family", "")),
        question=row.task.query,
        draft=outcome.draft,
        answer=outcome.answer,
        tool=evidence.tool if evidence else "",
        call=evidence.input if evidence else "",
        result=evidence.text if evidence else (check.note if check else ""),
        verdict=check.status if check else "unavailable",
        action=_action(outcome),
        right_before=is_right(row.task.query, outcome.draft, row.gold.answers, tolerance),
        right=is_right(row.task.query, outcome.answer, row.gold.answers, tolerance),
        note=str(row.extra.get("note", "")),
        usage={
            "llm_calls": usage.llm_calls, "tool_calls": usage.tool_calls, "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens, "cached_tokens": usage.cached_tokens, "cost_usd": usage.cost_usd, "seconds": usage.seconds,
        },
        seconds=round(usage.seconds, 3),
    )  # fmt: skip


def is_right(question: str, answer: str, golds: Sequence[str], tolerance: float | None = None) -> bool:
    """Whether the answer says a gold and nothing but the gold, besides words of the question: "The capital of France is Paris" says "Paris".

    Stricter than the metrics, because drafts here are sentences: of an answer in figures every figure that the question does not bring must be the gold,
    within `tolerance` where the question leaves the rounding open, and no equation in it may be false. A yes or no is the first word.
    """
    if any(exact_match(answer, gold) for gold in golds):
        return True
    for gold in golds:
        words, wanted = normalise(answer, "squad").split(), normalise(gold, "squad").split()
        if whole_number(gold) is not None:
            right = _says_figure(question, answer, gold, tolerance)
        elif wanted in (["yes"], ["no"]):
            right = words[:1] == wanted
        else:
            asked = set(normalise(question, "squad").split())
            right = [word for word in words if word not in asked or word in wanted] == wanted
        if right:
            return True
    return False


def _says_figure(question: str, answer: str, gold: str, tolerance: float | None) -> bool:
    asked = {figure.value for figure in read(question)}
    brought = [figure.text for figure in read(answer) if figure.value not in asked] or [answer]
    return all(numeric_match(figure, gold, tolerance=tolerance) for figure in brought) and all(statement.holds is not False for statement in find(answer))


def _deciding(outcome: Outcome) -> tuple[Check | None, Evidence | None]:
    """The check of the draft that decided, and its first evidence: contradictions before support before what stayed open."""
    order = {"contradicted": 0, "supported": 1, "insufficient": 2, "unavailable": 3, "skipped": 4}
    checks = sorted(outcome.draft_checks or outcome.checks, key=lambda check: (order[check.status], not check.evidence))
    if not checks:
        return None, None
    known = {item.id: item for item in outcome.evidence}
    return checks[0], next((known[item] for item in checks[0].evidence if item in known), None)


def summarise_demo(rows: Sequence[DemoRow], *, model: str, policy: str, guard: bool, seconds: float) -> dict[str, Any]:
    """The footer, as figures; with `rows`, what `--json` prints."""
    moves = Counter((row.right_before, row.right) for row in rows)
    return {
        "n": len(rows),
        "model": model,
        "policy": policy,
        "guard": guard,
        "right_before": sum(row.right_before for row in rows),
        "right_after": sum(row.right for row in rows),
        "wrong_to_right": moves[False, True],
        "right_to_wrong": moves[True, False],
        "abstained": sum(row.action == "abstained" for row in rows),
        "right_unverified": sum(row.action == "abstained" and row.right for row in rows),
        "usage": total_usage([row.usage for row in rows]),
        "seconds": round(seconds, 3),
        "note": PLAIN_SENTENCE,
        "rows": [asdict(row) for row in rows],
    }


def _action(outcome: Outcome) -> Action:
    if outcome.status in ("unverified", "failed"):
        return "corrected" if outcome.changed else "abstained"
    return "corrected" if outcome.changed else "kept"
