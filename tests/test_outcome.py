"""What a run returns, as JSON and as the policy wants it shown."""

from __future__ import annotations

import dataclasses
import json

import pytest

from redraft.outcome import UNVERIFIED_MARK, to_json
from redraft.policy import Policy
from redraft.refiner import Refiner
from redraft.types import Outcome, Task

PAGE = "The mayor is Ann Dole. We sold 12 * 3 = 36 boxes."


def outcome(policy: Policy, page: str = PAGE) -> Outcome:
    return Refiner("none", policy=policy).revise_sync(Task(query="", kind="report"), page)


def test_the_json_has_exactly_the_keys_of_the_contract() -> None:
    value = json.loads(json.dumps(to_json(outcome(Policy(), "1 + 1 = 3"))))
    assert list(value) == [
        "schema", "run_id", "status", "changed", "query", "draft", "answer", "stop_reason", "checks", "draft_checks", "evidence", "turns", "usage", "policy",
        "model", "trace_hash",
    ]  # fmt: skip
    assert list(value["checks"][0]) == [
        "claim", "span", "focus", "kind", "importance", "status", "method", "plan", "confidence", "evidence", "depends_on", "note",
    ]  # fmt: skip
    assert list(value["evidence"][0]) == ["id", "tool", "input", "title", "source", "text", "trust"]
    assert list(value["turns"][0]["decision"]) == ["accepted", "rule", "failed", "figures"]
    assert (value["answer"], value["status"], value["changed"]) == ("1 + 1 = 2", "corrected", True)


def test_spans_are_code_points_of_the_text_they_belong_to() -> None:
    page = "🙂 Überblick: 12 * 3 = 35."
    found = outcome(Policy(), page)
    check = next(check for check in found.draft_checks if check.status == "contradicted")
    assert page[slice(*check.claim.span)] == "12 * 3 = 35"
    assert check.claim.focus is not None
    assert page[slice(*check.claim.focus)] == "35"


def test_what_could_not_be_verified_is_kept_by_default() -> None:
    found = outcome(Policy())
    assert (found.answer, found.status, found.changed) == (PAGE, "unverified", False)


def test_what_could_not_be_verified_can_be_marked() -> None:
    found = outcome(Policy(when_unverified="mark"))
    assert found.answer == f"The mayor is Ann Dole.{UNVERIFIED_MARK} We sold 12 * 3 = 36 boxes."
    assert found.status == "unverified"


def test_what_could_not_be_verified_can_be_withheld() -> None:
    found = outcome(Policy(when_unverified="abstain"))
    assert found.answer.startswith("This could not be verified.")
    assert "Ann Dole" not in found.answer
    assert found.changed


@pytest.mark.parametrize("when", ["keep", "mark", "abstain"])
def test_a_verified_answer_is_shown_as_it_is(when: str) -> None:
    policy = dataclasses.replace(Policy(), when_unverified=when)  # type: ignore[arg-type]
    found = outcome(policy, "12 * 3 = 36")
    assert (found.answer, found.status) == ("12 * 3 = 36", "verified")
