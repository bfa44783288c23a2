"""What a run is doing, on standard error, while it does it."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from redraft.cli.wording import counted
from redraft.events import Corrected, Decided, Drafted, Event, ModelCalled, ToolCalled, Verified

if TYPE_CHECKING:
    from rich.status import Status as Spinner

__all__ = ["Progress"]

MEGABYTE = 1_000_000


class Progress:
    """A line that changes, where standard error is a terminal; elsewhere only a fetch of the embedded model is said, because it takes long."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._spinner: Spinner | None = None
        self._calls = [0, 0]
        self._doing = "working"
        self._said: set[str] = set()

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console

            self._spinner = Console(stderr=True, highlight=False).status("starting")
            self._spinner.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._spinner is not None:
            self._spinner.stop()

    def event(self, event: Event) -> None:
        """Show what happened last."""
        match event:
            case ModelCalled():
                self._calls[0] += 1
            case ToolCalled():
                self._calls[1] += 1
            case Drafted():
                self._doing = "checking the answer"
            case Verified():
                self._doing = f"{len(event.checks)} claims checked"
            case Corrected():
                self._doing = f"checking rewrite {event.turn}"
            case Decided():
                self._doing = f"rewrite {event.turn} {'accepted' if event.decision.accepted else 'refused'}"
            case _:
                return
        self._show(f"{self._doing} ({counted(self._calls[0], 'model call')}, {counted(self._calls[1], 'tool call')})")

    def fetching(self, what: str, done: int, total: int) -> None:
        """Show how far a download is; called from a worker thread."""
        share = f"{done / MEGABYTE:.0f} of {total / MEGABYTE:.0f} MB" if total else f"{done / MEGABYTE:.0f} MB"
        if self._spinner is None and not self._quiet and what not in self._said:
            self._said.add(what)
            sys.stderr.write(f"redraft: {what} ({total / MEGABYTE:.0f} MB)\n")
        self._show(f"{what}: {share}")

    def _show(self, text: str) -> None:
        if self._spinner is not None:
            from rich.text import Text

            self._spinner.update(Text(text))
