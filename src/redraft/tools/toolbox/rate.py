"""A rate limit with an injected clock, and the wait that a provider asked for: both hold for every caller of that provider."""

from __future__ import annotations

from redraft.protocols import Clock

__all__ = ["Rate"]


class Rate:
    """At most `per_second` calls a second on average, `burst` of them at once (GCRA). It belongs to no event loop, so it outlives runs.

    It only says how long to wait: the caller waits.
    """

    def __init__(self, clock: Clock, per_second: float | None = None, burst: int = 1) -> None:
        self._clock = clock
        self._interval = 1 / per_second if per_second else 0.0
        self._slack = (max(1, burst) - 1) * self._interval
        self._due = float("-inf")
        self._held_until = float("-inf")

    @property
    def wait_seconds(self) -> float:
        """Before a call that is made now may go."""
        now = self._clock.monotonic()
        return max(0.0, self._held_until - now, self._due - self._slack - now)

    def take(self) -> float:
        """Book the next call; returns how long to wait before it may go."""
        wait = self.wait_seconds
        if self._interval:
            self._due = max(self._due, self._clock.monotonic()) + self._interval
        return wait

    def hold(self, seconds: float) -> None:
        """The provider asks to be left alone for so long."""
        self._held_until = max(self._held_until, self._clock.monotonic() + seconds)
