"""What a run returns, as JSON and as the policy wants it shown."""

from __future__ import annotations

import dataclasses
import json
import re
from xml.etree import ElementTree

import pytest

from redraft.cli.formats import to_junit, to_markdown, to_sarif
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


HOSTILE = [
    "12 * 3 = 35.",
    "销售额：12 × 3 = 35。",
    "🙂 مرحبا 12 * 3 = 35. \u202e x | y <b>&amp;</b> `code` [link](javascript:x) \x1b[31m ]]> \x00 \ud800.",
    "A " + "very " * 3_000 + "long sentence: 12 * 3 = 35.",
    "\r\n\r\n# Title\r\n\r\n- 12 * 3 = 35\r\n- 2 + 2 = 4\r\n",
]


@pytest.mark.parametrize("page", HOSTILE)
def test_sarif_has_the_structure_that_version_2_1_0_requires(page: str) -> None:
    """Required properties, enumerations and minima as in the schema of SARIF 2.1.0 (OASIS, sections 3.13 to 3.30)."""
    found = Refiner("none").check_sync(Task(query="", kind="report"), page)
    log = json.loads(to_sarif(found, "a b/报告 #1.md", strict=True))
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert isinstance(run["tool"]["driver"]["name"], str)
    assert len({rule["id"] for rule in run["tool"]["driver"]["rules"]}) == len(run["tool"]["driver"]["rules"])
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    assert all(isinstance(each["executionSuccessful"], bool) for each in run["invocations"])
    assert any(result["kind"] == "fail" for result in run["results"])
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["kind"] in ("notApplicable", "pass", "fail", "review", "open", "informational")
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["level"] == "none" or result["kind"] == "fail"
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "a%20b/%E6%8A%A5%E5%91%8A%20%231.md"
        region = place["region"]
        assert min(region["startLine"], region["startColumn"], region["endLine"], region["endColumn"]) >= 1
        assert (region["startLine"], region["startColumn"]) < (region["endLine"], region["endColumn"])
        assert region["charOffset"] >= 0


@pytest.mark.parametrize("page", HOSTILE)
def test_junit_is_xml_whose_counts_are_those_of_its_cases(page: str) -> None:
    found = Refiner("none").check_sync(Task(query="", kind="report"), page)
    root = ElementTree.fromstring(to_junit(found, '报告 <1> & "2".md').encode())
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    for counted in (root, suite):
        assert int(counted.attrib["tests"]) == len(suite.findall("testcase"))
        assert int(counted.attrib["failures"]) == len(suite.findall("testcase/failure")) >= 1
        assert int(counted.attrib["skipped"]) == len(suite.findall("testcase/skipped"))
        assert counted.attrib["errors"] == "0"
        assert float(counted.attrib["time"]) >= 0
    assert all(case.attrib["name"] and case.attrib["classname"] and len(case.attrib["name"]) < 300 for case in suite.findall("testcase"))


@pytest.mark.parametrize("page", HOSTILE)
def test_a_markdown_report_is_one_table_whatever_the_text_says(page: str) -> None:
    found = Refiner("none").check_sync(Task(query="", kind="report"), page)
    lines = to_markdown(found, "r.md").splitlines()
    rows = [line for line in lines if line.startswith("|")][2:]
    assert rows
    assert len(rows) == len([check for check in found.checks if check.status != "skipped"])
    for row in rows:
        assert len(re.split(r"(?<!\\)\|", row)) == 6
        assert not re.search(r"[\x00-\x1f\x7f\u202e]|(?<!\\)<|(?<!\\)`", row)
