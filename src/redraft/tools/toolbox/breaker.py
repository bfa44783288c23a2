"""A circuit breaker: after some failures in a row a provider is left alone for a while, then one call tries whether it is back."""

from __future__ import annotations

from typing import Literal

from redraft.protocols import Clock

__all__ = ["Admission", "Breaker"]

Admission = Literal["refused", "call", "probe"]


class Breaker:
    """Closed, open, or half open with a single probe under way.

    Of the libraries tried, each lets all waiting calls through when half open, and reads its own clock; this one admits one probe and is told the time.
    The cool-down doubles with every probe that fails, up to a bound, so that a long outage is asked about ever more rarely.
    """

    def __init__(self, clock: Clock, *, threshold: int = 5, cooldown_seconds: float = 30.0, longest_cooldown_seconds: float = 600.0) -> None:
        self._clock = clock
        self._threshold = max(1, threshold)
        self._first_cooldown = cooldown_seconds
        self._longest_cooldown = longest_cooldown_seconds
        self._cooldown = cooldown_seconds
        self._failures = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def failures(self) -> int:
        """Failures in a row."""
        return self._failures

    @property
    def down(self) -> bool:
        """Whether a call made now would be refused."""
        return self._opened_at is not None and (self._probing or self.wait_seconds > 0)

    @property
    def wait_seconds(self) -> float:
        """Until a probe may go; 0 where it may go now, or where the breaker is closed."""
        return 0.0 if self._opened_at is None else max(0.0, self._opened_at + self._cooldown - self._clock.monotonic())

    def admit(self) -> Admission:
        """Whether a call may go now; half open, the first to ask becomes the probe. What is admitted must end in one of the three methods below."""
        if self.down:
            return "refused"
        if self._opened_at is None:
            return "call"
        self._probing = True
        return "probe"

    def succeeded(self) -> None:
        """The provider answered: whatever was wrong is over."""
        self._failures, self._opened_at, self._probing, self._cooldown = 0, None, False, self._first_cooldown

    def failed(self, admission: Admission) -> None:
        """The provider failed: one more in a row, or a probe in vain. A straggler that began before the breaker opened changes nothing."""
        self._failures += 1
        if self._opened_at is None:
            if self._failures >= self._threshold:
                self._opened_at = self._clock.monotonic()
        elif admission == "probe":
            self._probing = False
            self._opened_at = self._clock.monotonic()
            self._cooldown = min(self._longest_cooldown, 2 * self._cooldown)

    def released(self, admission: Admission) -> None:
        """The call was given up before it could tell anything: after a probe, the next one may probe."""
        if admission == "probe":
            self._probing = False
