"""A blind judge of recorded texts: counted and priced first, asked only where that was said."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from redraft.cli.inform import print_json
from redraft.cli.safe import one_line, safe

if TYPE_CHECKING:
    from redraft.cli.tuning import Material, Request
    from redraft.settings import Settings
    from redraft.studies.blind import Case
    from redraft.studies.prefixes import Score
    from redraft.types import Task

__all__ = ["judged_now", "makers_of"]


def makers_of(material: Material) -> set[tuple[str, str]]:
    """Part and name of the models that made the records: writers and evaluators."""
    named = [events[0].payload.get("models", {}) for events in material.records.values()]
    return {(part, str(models[part])) for models in named for part in ("writer", "evaluator") if models.get(part)}


def judged_now(request: Request, asked: Sequence[tuple[Task, str]], makers: Iterable[tuple[str, str]], settings: Settings) -> Score | None:
    """What the judge gives each text; None where its calls were only counted. Replies are kept, so that no text is judged twice.

    `makers`: part and name of each model that made the records.

    Raises:
        UsageError: the judge is one of these, and that was not allowed.
    """
    from datetime import UTC, datetime

    from redraft.models import open_model
    from redraft.studies.blind import BlindJudge, check_independence
    from redraft.studies.calls import CallStore, StoredModel
    from redraft.studies.qualities import blind_cases, judge_cases, judged_scores

    assert request.judge is not None
    warnings = sorted({text for part, name in makers for text in check_independence(request.judge, {part: name}, allow_same=request.allow_same_judge)})
    cases = blind_cases(asked)
    if not request.yes:
        usd = _price_of(request.judge, cases)
        price = "price not known" if usd is None else f"about ${usd:,.2f}"
        message = f"{request.judge} would judge {len(cases)} different texts, one call each, {price} (none is paid twice); --yes makes the calls"
        if request.as_json:
            print_json({"judge": request.judge, "calls": len(cases), "usd": usd, "dry_run": True})
        else:
            sys.stdout.write(safe(message) + "\n")
        return None
    for warning in warnings:
        sys.stderr.write(f"redraft: {one_line(warning)}\n")
    store = CallStore(settings.home / "judgements.sqlite", datetime.now(UTC))
    model = StoredModel(open_model(request.judge, settings=settings.for_models), store)

    async def whole(done: Callable[[], None]) -> Any:
        try:
            return await judge_cases(BlindJudge(model, seed=request.seed), cases, done=done)
        finally:
            await model.close()

    bar: Any = click.progressbar(length=len(cases), label="judged", file=sys.stderr, hidden=request.quiet or not sys.stderr.isatty())
    try:
        with bar:
            return judged_scores(asyncio.run(whole(lambda: bar.update(1))))
    finally:
        store.close()


def _price_of(judge: str, cases: Sequence[Case]) -> float | None:
    """US dollars for a call each, by the provider's list; None where nobody says."""
    from redraft.studies.conducting import CHARACTERS_A_TOKEN, MARK_TOKENS, PROMPT_TOKENS, list_price

    told = sum(len(case.question) + len(case.answer) for case in cases) // CHARACTERS_A_TOKEN + PROMPT_TOKENS * len(cases)
    return list_price(judge, told, MARK_TOKENS * len(cases))
