"""One run as a page that opens without a server and asks nobody for anything: no script, no image, no font of its own; every text is escaped.

What it shows is what the record says: the draft with its claims marked by verdict, the evidence, a word-level diff of each turn, what the controller
decided by which figures, and the hash of every event. A policy in the page forbids everything but its own style.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from redraft import __version__
from redraft.exporting.marking import RANK, verdict_stretches, word_changes
from redraft.exporting.runs import Run, Text, Turn
from redraft.types import Check

__all__ = ["certificate"]

VERDICTS: Mapping[str, tuple[str, str]] = {
    "contradicted": ("✘", "contradicted"),
    "supported": ("✔", "supported"),
    "insufficient": ("?", "not enough evidence"),
    "unavailable": ("–", "could not be checked"),
    "skipped": ("·", "no claim"),
}
_UNSEEN = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def certificate(run: Run) -> bytes:
    """The page, in UTF-8."""
    title = run.task.query or "A text"
    parts = [
        f"<h1>{_text(title)}</h1>",
        _summary(run),
        f"<section><h2>{'Draft' if run.draft.text != run.final.text else 'Answer'}</h2>{_marked(run.draft)}{_verdicts(run, run.draft, 'd')}</section>",
        *(_turn(turn) for turn in run.turns),
    ]
    if run.draft.text != run.final.text:
        parts.append(f"<section><h2>Answer</h2>{_marked(run.final)}{_verdicts(run, run.final, 'a')}</section>")
    parts += [_evidence(run), _proof(run)]
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{_text(title[:80])}: {_text(run.status)}</title>\n<style>{_style()}</style>\n</head>\n"
    )
    return f"{head}<body>\n<main>\n{chr(10).join(parts)}\n</main>\n</body>\n</html>\n".encode("utf-8", "replace")


def _style() -> str:
    return Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


def _text(value: object) -> str:
    """Text made harmless: escaped, and controls that would hide or turn words written out."""
    return escape(_UNSEEN.sub(lambda match: f"<U+{ord(match[0]):04X}>", str(value).replace("\r\n", "\n")), quote=True)


def _summary(run: Run) -> str:
    usage = run.usage
    cost = "unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    calls = f"{usage.llm_calls} model calls, {usage.tool_calls} tool calls, {usage.input_tokens + usage.output_tokens:,} tokens"
    rows = {
        "Status": f'<strong class="status {_text(run.status)}">{_text(run.status)}</strong>',
        "Stopped": f"{_text(run.reason)} after {len(run.turns)} turns",
        "Policy": f"{_text(run.policy.get('name', ''))} <code>{_text(run.policy_hash)}</code>",
        "Models": _text(", ".join(f"{part} {name}" for part, name in run.models.items())),
        "Began": _text(run.at),
        "Spent": f"{calls}, {usage.seconds:.1f} s, cost {cost}",
        "Run": f"<code>{_text(run.id)}</code>",
    }
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows.items()) + "</dl>"


def _marked(text: Text) -> str:
    """The text with the words of its claims marked, the worst verdict where claims overlap."""
    pieces: list[str] = []
    for start, end, number in verdict_stretches(text.text, text.checks):
        piece = _text(text.text[start:end])
        if number is None:
            pieces.append(piece)
        else:
            status = text.checks[number].status
            sign, words = VERDICTS[status]
            pieces.append(f'<mark class="{status}">{piece}<span class="sign" role="img" aria-label="{words}">{sign}</span></mark>')
    return f'<div class="text">{"".join(pieces)}</div>'


def _verdicts(run: Run, text: Text, prefix: str) -> str:
    shown = [check for check in text.checks if check.status != "skipped"]
    if not shown:
        return "<p>Nothing in it was checked.</p>"
    items = "".join(_verdict(run, check) for check in sorted(shown, key=lambda check: (RANK.index(check.status), check.claim.span)))
    return f'<ol class="checks" id="{prefix}">{items}</ol>'


def _verdict(run: Run, check: Check) -> str:
    sign, words = VERDICTS[check.status]
    method = f"{check.method}, confidence {check.confidence:.2f}" if check.method else ""
    links = " ".join(f'<a href="#{_text(name)}">{_text(name)}</a>' for name in check.evidence if name in run.evidence)
    expected = f"<br>the evidence gives <strong>{_text(check.expected)}</strong>" if check.expected is not None else ""
    quote = f"<br><q>{_text(check.quote)}</q>" if check.quote else ""
    claim = f'<br><span class="claim">{_text(check.claim.text)}</span>'
    note = f"<br>{_text(check.note)}" if check.note else ""
    return f'<li class="{check.status}"><b>{sign} {words}</b> {_text(method)}{claim}{note}{expected}{quote} {links}</li>'


def _turn(turn: Turn) -> str:
    decision = turn.decision
    problems = "".join(f"<li>{_text(problem.message)}</li>" for problem in turn.problems)
    failed = f" Rules that failed: {_text(', '.join(decision.failed))}." if decision.failed else ""
    verdict = "accepted" if decision.accepted else "refused"
    return (
        f'<section class="turn"><h2>Turn {turn.number}: {verdict}</h2><p><b>{_text(decision.rule)}</b>. {_text(decision.reason)}{failed}</p>'
        f"<h3>Problems</h3><ul>{problems}</ul><h3>What the rewrite changes</h3>{_diff(turn.retained.text, turn.candidate.text)}"
        f"{_figures(decision.figures)}</section>"
    )


def _diff(before: str, after: str) -> str:
    """The rewrite word by word; texts too long to compare stand one after the other."""
    if before == after:
        return "<p>Nothing.</p>"
    tags = {"equal": ("", ""), "gone": ("<del>", "</del>"), "new": ("<ins>", "</ins>")}
    pieces = [f"{tags[kind][0]}{_text(words)}{tags[kind][1]}" for kind, words in word_changes(before, after)]
    return f'<div class="text">{"".join(pieces)}</div>'


def _figures(figures: Mapping[str, Any]) -> str:
    rows: list[tuple[str, str]] = []
    for side in ("retained", "candidate"):
        value = figures.get(side)
        if isinstance(value, Mapping):
            rows += [(f"{side}: {name}", _number(item)) for name, item in _items(value) if name != "text"]
    for name in ("gain", "thresholds"):
        value = figures.get(name)
        rows += (
            [(item, _number(number)) for item, number in _items(value)] if isinstance(value, Mapping) else [(name, _number(value))] if value is not None else []
        )
    if not rows:
        return ""
    body = "".join(f"<tr><th scope=row>{_text(name)}</th><td>{_text(value)}</td></tr>" for name, value in rows)
    return f"<details><summary>Figures of the decision</summary><table>{body}</table></details>"


def _items(value: Any) -> Sequence[tuple[str, Any]]:
    return [(str(name), item) for name, item in value.items()]


def _number(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_number(item)}" for name, item in _items(value))
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _evidence(run: Run) -> str:
    named = {name for text in (run.draft, run.final, *(turn.candidate for turn in run.turns)) for check in text.checks for name in check.evidence}
    items = [
        f'<li id="{_text(name)}"><b>{_text(item.tool)}</b> <code>{_text(name)}</code> <code>{_text(item.input)}</code>'
        f"<br>{_text(item.title)} <span class=source>{_text(item.source)}</span> {_text(item.time)}<blockquote>{_text(item.text)}</blockquote></li>"
        for name, item in run.evidence.items()
        if name in named
    ]
    return f"<section><h2>Evidence</h2><ul class=evidence>{''.join(items)}</ul></section>" if items else ""


def _proof(run: Run) -> str:
    rows = "".join(f"<tr><td>{place}</td><td>{_text(kind)}</td><td><code>{_text(digest)}</code></td></tr>" for place, (kind, digest) in enumerate(run.hashes))
    digest = _text(run.trace_hash)
    return (
        f"<section><h2>Record</h2><p>The record of this run ends with the hash <code class=hash>{digest}</code>. Each event is hashed together with the hash "
        "of the one before it; whoever has the record can prove that it is this one: "
        f"<code>redraft trace verify FILE --expect {digest}</code></p><details><summary>{len(run.hashes)} events</summary>"
        f"<table><tr><th scope=col>#</th><th scope=col>event</th><th scope=col>hash</th></tr>{rows}</table></details>"
        f"<footer>Made by redraft {_text(__version__)} from the record alone. "
        "A verdict says what the evidence says; a text that could not be checked is not thereby true.</footer></section>"
    )
