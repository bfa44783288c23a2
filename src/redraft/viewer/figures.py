"""What the charts draw: the scores of a decision against their thresholds, and the calls of a run over time. Plain values, for the page's own script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from redraft.events import ModelCalled, ToolCalled
from redraft.viewer.wording import duration

__all__ = ["DRAWN_CALLS", "CallLine", "Figure", "calls_of", "figures_of", "summed"]

DRAWN_CALLS = 80
LISTED_CALLS = 400
SHORT = 160


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One score before and after; `threshold` is what the candidate must reach, None where nothing asks for it."""

    name: str
    retained: float
    candidate: float
    threshold: float | None = None

    @property
    def passes(self) -> bool:
        return self.threshold is None or self.candidate >= self.threshold - 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class CallLine:
    """One call of a model or a tool; times in seconds since the run began."""

    number: int
    kind: str
    name: str
    what: str
    begin: float
    end: float
    failed: str
    detail: str
    tokens: int
    lane: int
    """How many calls were running when it began: calls of different lanes ran together."""


def figures_of(figures: Mapping[str, Any], policy: Mapping[str, Any], initial: Mapping[str, float]) -> tuple[Figure, ...]:
    """The scores of a decision; `initial` are those of the draft, for policies that compare with it."""
    old, new, thresholds, control = (
        _table(value) for value in (figures.get("retained"), figures.get("candidate"), figures.get("thresholds"), policy.get("control"))
    )
    before, after = _table(old.get("scores")), _table(new.get("scores"))
    anchor = {"retained": before, "initial": initial}.get(str(control.get("anchor")), {})
    tolerance, gain = float(thresholds.get("tolerance", 0)), float(thresholds.get("gain", 0))
    result: list[Figure] = []
    for name in (name for name in before if name in after):
        guarded = name in control.get("critical", ()) and name in anchor
        result.append(Figure(name=name, retained=before[name], candidate=after[name], threshold=anchor[name] - tolerance if guarded else None))
    if "P" in old and "P" in new:
        least = old["P"] + gain * (1.0 if thresholds.get("gain_kind") == "absolute" else max(0.0, 1 - old["P"]))
        result.append(Figure(name="penalised mean", retained=old["P"], candidate=new["P"], threshold=least))
    return tuple(result)


def _table(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def calls_of(calls: Sequence[ModelCalled | ToolCalled]) -> tuple[CallLine, ...]:
    """The calls in the order in which they began."""
    lines: list[CallLine] = []
    running: list[float] = []
    begun = min((call.started_seconds for call in calls), default=0.0)
    for number, call in enumerate(sorted(calls, key=lambda call: call.started_seconds)):
        begin, end = call.started_seconds - begun, call.started_seconds - begun + max(0.0, call.seconds)
        running = [moment for moment in running if moment > begin + 1e-6]
        lines.append(_line(number, call, begin, end, len(running)))
        running.append(end)
    return tuple(lines)


def summed(lines: Sequence[CallLine]) -> str:
    """What the calls took and what ran together, in one sentence."""
    if not lines:
        return "No model and no tool was called."
    total = max(line.end for line in lines)
    models, tools = (_covered([line for line in lines if line.kind == kind]) for kind in ("model", "tool"))
    together = 1 + max(line.lane for line in lines)
    parallel = f"up to {together} calls ran together" if together > 1 else "each call waited for the one before it" if len(lines) > 1 else "there was one call"
    return f"{duration(total)} from the first call to the last: models worked for {duration(models)}, tools for {duration(tools)}; {parallel}."


def _covered(lines: Sequence[CallLine]) -> float:
    """Seconds in which at least one of them ran."""
    seconds, until = 0.0, 0.0
    for line in sorted(lines, key=lambda line: line.begin):
        seconds += max(0.0, line.end - max(line.begin, until))
        until = max(until, line.end)
    return seconds


def _line(number: int, call: ModelCalled | ToolCalled, begin: float, end: float, lane: int) -> CallLine:
    if isinstance(call, ModelCalled):
        reply = call.reply
        tokens = reply.input_tokens + reply.output_tokens if reply else 0
        return CallLine(
            number=number, kind="model", name=call.request.role, what=call.model, begin=begin, end=end, tokens=tokens, lane=lane,
            failed="" if reply else call.error or call.error_type or "failed", detail=_short(reply.text if reply else ""),
        )  # fmt: skip
    failed = f"{call.failure.kind.replace('_', ' ')}: {call.failure.message}" if call.failure else ""
    found = "; ".join(item.text for item in call.evidence[:3])
    return CallLine(
        number=number, kind="tool", name=call.call.tool, what=_short(call.call.input), begin=begin, end=end, tokens=0, lane=lane, failed=failed,
        detail=_short(found),
    )  # fmt: skip


def _short(text: str) -> str:
    flat = " ".join(text[: 4 * SHORT].split())
    return flat if len(flat) <= SHORT else flat[: SHORT - 1] + "…"
