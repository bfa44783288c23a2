"""Outcomes for other programs: annotated Markdown, SARIF 2.1.0 for code scanning, JUnit XML for test reports."""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from redraft import __version__
from redraft.cli.safe import one_line, safe
from redraft.types import Check, CheckStatus, Evidence, Outcome

__all__ = ["to_junit", "to_markdown", "to_sarif"]

WORDS: dict[CheckStatus, str] = {
    "supported": "✔ supported",
    "contradicted": "✘ contradicted",
    "insufficient": "? insufficient",
    "unavailable": "○ not checkable",
    "skipped": "· not checkable",
}
LEVELS: dict[CheckStatus, tuple[str, str]] = {
    "supported": ("pass", "none"),
    "contradicted": ("fail", "error"),
    "insufficient": ("open", "none"),
    "unavailable": ("open", "none"),
    "skipped": ("notApplicable", "none"),
}
"""SARIF's kind and level; a level other than `none` is allowed for the kind `fail` alone."""
RULES: dict[str, str] = {
    "fact": "A statement agrees with the evidence.",
    "number": "A figure agrees with its calculation or its source.",
    "quote": "A quotation stands verbatim in its source.",
    "citation": "A citation exists and supports what is said.",
    "code": "Code does what its tests and examples say.",
    "safety": "The text is free of what the safety check names.",
    "coverage": "The answer meets a requirement of the question.",
}
XML_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_markdown(outcome: Outcome, name: str) -> str:
    """A report with one row a claim."""
    known = _by_id(outcome)
    counts = _counts(outcome)
    lines = [
        f"# Redraft: {_cell(name)}",
        "",
        f"Status: **{outcome.status}** ({', '.join(f'{number} {word}' for word, number in counts.items()) or 'no claims'})",
        "",
        "| line | verdict | claim | evidence |",
        "|---:|---|---|---|",
    ]
    for check in _shown(outcome):
        line, _ = _position(outcome.answer, check.claim.span[0])
        lines.append(f"| {line} | {WORDS[check.status]} | {_cell(_words(check, outcome.answer), 300)} | {_cell(_grounds(check, known), 500)} |")
    return "\n".join(lines) + "\n"


def to_sarif(outcome: Outcome, name: str, *, strict: bool = False) -> str:
    """SARIF 2.1.0: one error for each contradicted claim; what was not decided is a notification, and with `strict` an open result too.

    Supported claims are no findings: a viewer would show them as alerts.
    """
    known = _by_id(outcome)
    uri = quote(PurePath(name).as_posix(), safe="/:-._~")
    undecided = [check for check in outcome.checks if check.undecided]
    invocation: dict[str, Any] = {"executionSuccessful": outcome.status != "failed"}
    if undecided:
        message = f"{len(undecided)} of {len(_shown(outcome))} claims could not be decided; they are not known to be true"
        invocation["toolExecutionNotifications"] = [{"level": "note", "message": {"text": message}}]
    found = [check for check in _shown(outcome) if check.status == "contradicted" or (strict and check.undecided)]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "redraft",
                "version": __version__,
                "rules": [{"id": kind, "shortDescription": {"text": text}} for kind, text in RULES.items()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [_result(check, outcome.answer, uri, known) for check in found],
        "properties": {
            "status": outcome.status, "counts": _counts(outcome), "runId": outcome.run_id, "policy": outcome.policy_name, "traceHash": outcome.trace_hash,
        },
    }  # fmt: skip
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def to_junit(outcome: Outcome, name: str) -> str:
    """JUnit XML with one test case a claim: contradicted fails, undecided is skipped."""
    known = _by_id(outcome)
    shown = _shown(outcome)
    failed = sum(check.status == "contradicted" for check in shown)
    skipped = sum(check.undecided for check in shown)
    seconds = f"{outcome.usage.seconds:.3f}"
    totals = f'tests="{len(shown)}" failures="{failed}" errors="0" skipped="{skipped}" time="{seconds}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="redraft" {totals}>', f"<testsuite name={_attribute(name)} {totals}>"]
    for check in shown:
        line, _ = _position(outcome.answer, check.claim.span[0])
        words = one_line(_words(check, outcome.answer), 200)
        lines.append(f'<testcase classname={_attribute(f"{name}.{check.claim.kind}")} name={_attribute(f"line {line}: {words}")} time="0">')
        grounds = _grounds(check, known)
        if check.status == "contradicted":
            lines.append(f'<failure type="contradicted" message={_attribute(one_line(check.note or "contradicted", 200))}>{_content(grounds)}</failure>')
        elif check.undecided:
            lines.append(f"<skipped message={_attribute(one_line(f'{check.status}: {check.note}', 200))}/>")
        else:
            lines.append(f"<system-out>{_content(grounds)}</system-out>")
        lines.append("</testcase>")
    return "\n".join([*lines, "</testsuite>", "</testsuites>"]) + "\n"


def _result(check: Check, answer: str, uri: str, known: dict[str, Evidence]) -> dict[str, Any]:
    kind, level = LEVELS[check.status]
    start, end = check.claim.focus or check.claim.span
    (line, column), (last_line, last_column) = _position(answer, start), _position(answer, end)
    region: dict[str, Any] = {"startLine": line, "startColumn": column, "endLine": last_line, "endColumn": last_column}
    region |= {"charOffset": start, "charLength": max(0, end - start)}
    if start < end <= len(answer):
        region["snippet"] = {"text": answer[start:end]}
    return {
        "ruleId": check.claim.kind,
        "ruleIndex": list(RULES).index(check.claim.kind),
        "kind": kind,
        "level": level,
        "message": {"text": f"{check.status}: {one_line(_words(check, answer), 300)}. {one_line(_grounds(check, known), 700)}".strip()},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "properties": {
            "status": check.status, "method": check.method, "plan": check.plan, "confidence": check.confidence,
            "importance": check.claim.importance, "evidence": list(check.evidence),
        },
    }  # fmt: skip


def _shown(outcome: Outcome) -> list[Check]:
    return [check for check in outcome.checks if check.status != "skipped"]


def _by_id(outcome: Outcome) -> dict[str, Evidence]:
    return {item.id: item for item in outcome.evidence}


def _counts(outcome: Outcome) -> dict[str, int]:
    counts: dict[str, int] = {}
    for check in _shown(outcome):
        counts[check.status] = counts.get(check.status, 0) + 1
    return counts


def _words(check: Check, answer: str) -> str:
    start, end = check.claim.span
    return answer[start:end] if 0 <= start < end <= len(answer) else check.claim.text


def _grounds(check: Check, known: dict[str, Evidence]) -> str:
    parts = [check.note] if check.note else []
    for identity in check.evidence[:3]:
        item = known.get(identity)
        if item is not None:
            place = f" ({item.source or item.title})" if item.source or item.title else ""
            parts.append(f"{item.tool}: {item.input} → {item.text}{place}")
    if check.expected is not None and check.status == "contradicted":
        parts.append(f"expected: {check.expected}")
    return "; ".join(parts)


def _position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1; a line ends at a line feed, as editors count."""
    before = text[: max(0, min(offset, len(text)))]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _cell(text: str, limit: int = 0) -> str:
    """Text that stays text in a Markdown table."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", one_line(text, limit))


def _attribute(text: str) -> str:
    return quoteattr(XML_FORBIDDEN.sub("�", safe(text)))


def _content(text: str) -> str:
    return escape(XML_FORBIDDEN.sub("�", safe(text)))
