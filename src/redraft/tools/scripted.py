"""A tool with prepared results, for tests and demonstrations: ours and the users'."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redraft.types import Evidence, Failure, ToolCall, ToolResult

__all__ = ["ScriptedTool", "page"]


class ScriptedTool:
    """Answers calls from a function, or from a list in order; `calls` records what was asked."""

    timeout_seconds = 5.0

    def __init__(
        self, results: Callable[[ToolCall], ToolResult] | Sequence[ToolResult], *, name: str = "search", summary: str = "Searches prepared pages."
    ) -> None:
        self.name = name
        self.summary = summary
        self.calls: list[ToolCall] = []
        self._results = results

    async def run(self, call: ToolCall) -> ToolResult:
        self.calls.append(call)
        if callable(self._results):
            return self._results(call)
        number = len(self.calls) - 1
        if number < len(self._results):
            return self._results[number]
        return Failure(tool=self.name, input=call.input, kind="empty", message="nothing was found")

    async def close(self) -> None:
        """Nothing to release."""


def page(call: ToolCall, text: str, *, title: str = "", source: str = "", trust: float = 0.8, relevance: float = 1.0) -> ToolResult:
    """One page as the result of a call."""
    return (Evidence(tool=call.tool, input=call.input, text=text, title=title, source=source, trust=trust, relevance=relevance),)
