"""Several search engines as one tool: the first that answers is enough."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from redraft.course import failing
from redraft.errors import UsageError
from redraft.protocols import Tool
from redraft.tools.toolbox.cache import Unseen
from redraft.tools.toolbox.queries import normal_query
from redraft.types import Failure, FailureKind, ToolCall, ToolResult

__all__ = ["SearchChain", "together"]


class SearchChain:
    """Asks the tools in order and takes the first answer: the next is asked where one failed, and where one found nothing only if `on_empty`.

    A repeated query never brings a source again that an earlier attempt gave, whichever engine it came from.
    """

    def __init__(self, tools: Sequence[Tool], *, name: str = "search", on_empty: bool = False) -> None:
        if not tools:
            raise UsageError("a chain of search engines needs at least one")
        self.name = name
        self.tools = tuple(tools)
        self._on_empty = on_empty
        self._unseen = Unseen()

    def __repr__(self) -> str:
        return f"<{self.name}: {', '.join(tool.name for tool in self.tools)}>"

    @property
    def summary(self) -> str:
        return "Searches the web; input: a question or statement."

    @property
    def timeout_seconds(self) -> float:
        return sum(tool.timeout_seconds for tool in self.tools)

    @property
    def down(self) -> bool:
        """Whether none of the engines would be asked."""
        return all(getattr(tool, "down", False) for tool in self.tools)

    @property
    def price_usd(self) -> float | None:
        """Of one call at most, where the first engine answers; None where no engine's price is known."""
        prices = [price for tool in self.tools if (price := getattr(tool, "price_usd", None)) is not None]
        return max(prices, default=None)

    @property
    def fingerprint(self) -> str:
        """What tells it apart from a chain of other engines."""
        return ", ".join(tool.name for tool in self.tools)

    async def run(self, call: ToolCall) -> ToolResult:
        """The first engine's evidence, or one failure that says what became of each."""
        failures: list[Failure] = []
        for tool in self.tools:
            result = await tool.run(dataclasses.replace(call, tool=tool.name))
            if not isinstance(result, Failure):
                key = (normal_query(call.input), max(0, call.attempt))
                return self._unseen.fresh(key, call, tuple(dataclasses.replace(item, tool=call.tool) for item in result))
            failures.append(result)
            failing(result)
            if result.kind == "empty" and not self._on_empty:
                break
        return together(call, failures)

    async def close(self) -> None:
        for tool in self.tools:
            await tool.close()


def together(call: ToolCall, failures: Sequence[Failure]) -> Failure:
    """One failure for a chain: nothing found by one of its tools is more than no answer by the others; else the first one's kind holds."""
    kind: FailureKind = "empty" if any(failure.kind == "empty" for failure in failures) else failures[0].kind
    waits = [failure.retry_after_seconds for failure in failures if failure.retry_after_seconds is not None]
    message = "; ".join(dict.fromkeys(f"{failure.tool}: {failure.message}" for failure in failures))
    return Failure(tool=call.tool, input=call.input, kind=kind, message=message, retry_after_seconds=min(waits, default=None))
