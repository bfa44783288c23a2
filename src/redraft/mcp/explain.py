"""A run in words: what was found wrong, on what evidence, what was changed, what was refused and why. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from redraft.events import Decided, Drafted, Event, Started, StoppedRun, Verified
from redraft.types import Check, Decision, Evidence, Outcome

__all__ = ["brief", "explain_events", "explain_outcome"]

LISTED = 40
SHOWN = 200


def brief(outcome: Outcome) -> str:
    """The verdicts in a few lines: what a client shows beside the outcome."""
    wrong = [check for check in outcome.checks if check.status == "contradicted"]
    lines = [f"{outcome.status}: {_counted(outcome.checks)} ({outcome.stop_reason}); run {outcome.run_id}"]
    lines += [f"- contradicted: {_short(check.claim.text)}{_instead(check)}" for check in wrong[:LISTED]]
    if outcome.changed:
        lines.append("The answer was changed; the corrected one is `answer` of the outcome.")
    return "\n".join(lines)


def explain_outcome(outcome: Outcome) -> str:
    """One paragraph for each step of the run."""
    evidence = {item.id: item for item in outcome.evidence}
    lines = [f"Run {outcome.run_id} with policy {outcome.policy_name} and model {outcome.model}: {outcome.status}, ended by {outcome.stop_reason}."]
    lines += ["", "The draft:", *_verdicts(outcome.draft_checks, evidence)]
    for turn in outcome.turns:
        lines += ["", _decision(turn.number, turn.decision)]
        lines += [f"- {_short(problem.claim.text)}: {_short(problem.message)}" for problem in turn.problems[:LISTED]]
    if outcome.changed:
        lines += ["", "The answer that is returned:", *_verdicts(outcome.checks, evidence)]
    lines += [f"Warning: {_short(warning)}" for warning in outcome.warnings[:LISTED]]
    return "\n".join(lines)


def explain_events(run_id: str, events: Iterable[Event]) -> str:
    """The same of a recorded run, from its events; of one that has not ended, as far as it went."""
    evidence: dict[str, Evidence] = {}
    lines: list[str] = [f"Run {run_id}: the record has no beginning."]
    ended = "it has not ended"
    for event in events:
        match event:
            case Started():
                models = ", ".join(dict.fromkeys(event.models.values()))
                lines[0] = f"Run {run_id} with policy {event.policy.get('name', '?')} and {models}"
            case Drafted():
                lines += ["", "The draft was given." if event.given else "The draft was written by the model."]
            case Verified():
                evidence |= {item.id: item for item in event.evidence}
                lines += ["", "The draft:" if event.turn == 0 else f"The rewrite of turn {event.turn}:", *_verdicts(event.checks, evidence)]
            case Decided():
                lines.append(_decision(event.turn, event.decision))
            case StoppedRun():
                ended = f"{event.status}, ended by {event.reason}"
            case _:
                pass
    return "\n".join([f"{lines[0]}: {ended}.", *lines[1:]])


def _verdicts(checks: Sequence[Check], evidence: Mapping[str, Evidence]) -> list[str]:
    lines: list[str] = []
    for check in checks[:LISTED]:
        found = next((evidence[name] for name in check.evidence if name in evidence), None)
        because = f"; {found.tool}: {_short(found.text)}" if found is not None else f"; {_short(check.note)}" if check.note else ""
        lines.append(f"- {check.status}: {_short(check.claim.text)}{_instead(check)}{because}")
    if len(checks) > LISTED:
        lines.append(f"- and {len(checks) - LISTED} more")
    return lines or ["- no claim that could be checked"]


def _decision(turn: int, decision: Decision) -> str:
    return f"Turn {turn}: the rewrite was {'accepted' if decision.accepted else 'refused'} ({decision.rule}). {_short(decision.reason)}".rstrip()


def _instead(check: Check) -> str:
    return f" (should be {_short(check.expected)})" if check.status == "contradicted" and check.expected else ""


def _counted(checks: Sequence[Check]) -> str:
    order = ("supported", "contradicted", "insufficient", "unavailable", "skipped")
    counts = {status: sum(check.status == status for check in checks) for status in order}
    return ", ".join(f"{number} {status}" for status, number in counts.items() if number) or "nothing to check"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else flat[: SHOWN - 1] + "…"
