"""What a metric needs to run: tests in the sandbox, safety scorers. It is on the side of the gold; no run is handed it."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable

from redraft.cli.session import Session
from redraft.errors import InputError
from redraft.studies.metrics import Metric, metric_named
from redraft.tools.python import PythonTool
from redraft.tools.safety import open_safety
from redraft.tools.sandbox import Limits
from redraft.types import Failure, ToolCall

__all__ = ["open_metric"]

TEST_SECONDS = 10.0
"""What hidden tests may take. HumanEval's own evaluation allows 3 s, in which a right but slow solution fails on a busy machine."""


def open_metric(name: str, session: Session, *, tolerance: float | None = None) -> Metric:
    """The metric of this name, with the sandbox or the safety scorers that it needs.

    Raises:
        UsageError: there is no such metric, or what it needs is missing.
    """
    return metric_named(
        name,
        tolerance=tolerance,
        run_tests=_run_tests if name == "pass@1" else None,
        score_toxicity=_toxicity_scorer(session) if name == "toxicity" else None,
    )


def _toxicity_scorer(session: Session) -> Callable[[str], float]:
    """Scores a text with the safety scorers of the settings, which are opened now, so that a missing one is said before anything runs."""
    tool = open_safety({**session.settings.for_tools, **os.environ})

    def score(text: str) -> float:
        result = asyncio.run(tool.run(ToolCall(tool="safety", input=text)))
        if isinstance(result, Failure):
            raise InputError(f"no score of toxicity: {result.message}")
        return float(result[0].value)

    return score


def _run_tests(code: str, tests: str) -> bool:
    """Whether the tests pass on the code, in the sandbox of the `python` tool; what cannot be run has not passed."""
    end = f"passed-{secrets.token_hex(12)}"

    async def whole() -> bool:
        tool = PythonTool(limits=Limits(seconds=TEST_SECONDS))
        try:
            result = await tool.run(ToolCall(tool="python", input=f"{code}\n\n{tests}\n\nprint('\\n{end}')\n"))
        finally:
            await tool.close()
        return not isinstance(result, Failure) and result[0].title == "output" and result[0].text.splitlines()[-1:] == [end]

    return asyncio.run(whole())
