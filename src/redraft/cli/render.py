"""Outcomes for people: each claim with its verdict and its evidence, old and new wording side by side. All foreign text passes through `safe`."""

from __future__ import annotations

import difflib
import os
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import IO, TYPE_CHECKING

from rapidfuzz.distance import Levenshtein
from rich.box import ASCII2, SIMPLE_HEAD, Box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from redraft.claims.edits import diff_edits
from redraft.cli.safe import one_line, safe
from redraft.cli.wording import counted
from redraft.types import Check, CheckStatus, Edit, Evidence, Outcome, Span, Status

if TYPE_CHECKING:
    from redraft.studies.demo import DemoRow

__all__ = [
    "ACTION_MARKS",
    "NARROW",
    "box_for",
    "changes_table",
    "console_on",
    "demo_table",
    "print_outcome",
    "stamp",
    "unified_diff",
    "verdict_stamp",
    "yes_or_no",
]

Mark = tuple[str, str, str, str]
"""Symbol, its ASCII form, the word, the style."""
MARKS: dict[CheckStatus, Mark] = {
    "supported": ("✔", "+", "supported", "green"),
    "contradicted": ("✘", "x", "contradicted", "bold red"),
    "insufficient": ("?", "?", "insufficient", "yellow"),
    "unavailable": ("○", "o", "not checkable", "yellow"),
    "skipped": ("·", ".", "skipped", "dim"),
}
STATUS_MARKS: dict[Status, Mark] = {
    "verified": ("✔", "+", "verified", "bold green"),
    "corrected": ("✎", "*", "corrected", "bold green"),
    "disputed": ("✘", "x", "disputed", "bold red"),
    "unverified": ("?", "?", "unverified", "bold yellow"),
    "failed": ("✘", "x", "failed", "bold red"),
}
ACTION_MARKS: dict[str, Mark] = {
    "kept": ("=", "=", "kept", "dim"),
    "corrected": ("✎", "*", "corrected", "green"),
    "abstained": ("○", "o", "kept, unverified", "yellow"),
}
DEMO_COLUMNS = (("question", 4, None), ("draft", 3, None), ("tool call → result", 4, None), ("verdict", None, 15), ("answer", 3, None), ("right?", None, 15))
MOVES: dict[tuple[bool, bool], Mark] = {
    (True, True): ("✔", "+", "right", "green"),
    (False, False): ("✘", "x", "wrong", "red"),
    (False, True): ("✔", "+", "wrong→right", "bold green"),
    (True, False): ("✘", "x", "right→wrong", "bold red"),
}
LONGEST_CLAIM = 400
LONGEST_EVIDENCE = 300
PLAIN_WIDTH = 110
NARROW = 110
"""Below this many columns a question of the demonstration is a block of lines, not a row."""
LEAST_WIDTH = 20
LEAST_COLUMNS = 50
"""Below this width verdict, claim and evidence do not fit beside each other."""
MOST_ROWS = 2000
LINES_TOGETHER = 20
"""So many changed lines in a row are one row of the table; more are a row each."""
READABLE_TABLE, LARGEST_TABLE = 250_000, 1_000_000_000
"""Pieces times pieces up to which two texts are compared the readable way, and up to which at all."""
LEAST_SHARED = 0.5
"""Two wordings that share less than this are shown whole: marks around single words would only be in the way."""


def console_on(stream: IO[str], *, plain_width: int = PLAIN_WIDTH) -> Console:
    """A console that adds colour on terminals only, and is wide enough to read where there is none; COLUMNS sets the width of what is piped."""
    asked = os.environ.get("COLUMNS", "")
    columns = int(asked) if asked.isdecimal() and len(asked) < 6 else 0
    width = None if stream.isatty() else columns if columns >= LEAST_WIDTH else plain_width
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)


def stamp(mark: Mark, console: Console) -> Text:
    """A verdict as symbol and word, never colour alone."""
    symbol, ascii_symbol, word, style = mark
    return Text(f"{symbol if _unicode(console) else ascii_symbol} {word}", style=style)


def verdict_stamp(status: CheckStatus, console: Console) -> Text:
    """A verdict as symbol and word."""
    return stamp(MARKS[status], console)


def yes_or_no(good: bool, console: Console) -> Text:
    """Whether something is there, as symbol and word."""
    return stamp(("✔", "+", "yes", "green") if good else ("○", "-", "no", "yellow"), console)


def print_outcome(outcome: Outcome, console: Console, *, show_answer: bool) -> None:
    """The outcome as a report: answer or changes, status, and every claim with its verdict and evidence."""
    if show_answer:
        console.print(Text(safe(outcome.answer) or "(no answer)", style="bold"))
        console.print()
    if outcome.changed:
        corrections, whole = _corrections(outcome)
        if not whole:
            console.print(changes_table(outcome.draft, outcome.answer, console))
        if corrections:
            console.print(_corrections_table(outcome, corrections, console))
    console.print(_checks_table(outcome, console))
    console.print(_summary_line(outcome, console))


def _corrections(outcome: Outcome) -> tuple[list[tuple[Check, str, str]], bool]:
    """The contradicted claims of the draft that were changed, each as it was and as it reads now, and whether they are all that was changed."""
    edits = diff_edits(outcome.draft, outcome.answer)
    starts, ends = [edit.span[0] for edit in edits], [edit.span[1] for edit in edits]
    grown = [0, *accumulate(map(_growth, edits))]
    covered: set[Span] = set()
    found: dict[tuple[str, str], Check] = {}
    for check in outcome.draft_checks:
        if check.status != "contradicted" or check.claim.requirement:
            continue
        start, end = check.claim.span
        inside = edits[bisect_right(ends, start) : bisect_left(starts, end)]
        if not inside:
            continue
        covered |= {edit.span for edit in inside}
        start, end = min(start, inside[0].span[0]), max(end, inside[-1].span[1])
        moved = grown[bisect_right(ends, start)]
        now = outcome.answer[start + moved : end + moved + sum(map(_growth, inside))]
        found.setdefault((outcome.draft[start:end], now), check)
    return [(check, was, now) for (was, now), check in found.items()], covered == {edit.span for edit in edits}


def _growth(edit: Edit) -> int:
    return len(edit.replacement) - (edit.span[1] - edit.span[0])


def _corrections_table(outcome: Outcome, corrections: Sequence[tuple[Check, str, str]], console: Console) -> Table:
    """What the draft said, its verdict and the evidence that changed it, and what stands there now."""
    known = {item.id: item for item in outcome.evidence}
    table = Table(box=box_for(console), expand=False, pad_edge=False)
    for title, ratio in (("was", 3), ("evidence against it", 4), ("now", 3)):
        table.add_column(title, ratio=ratio, overflow="fold")
    for check, was, now in corrections[:MOST_ROWS]:
        left, right = _marked(one_line(was, LONGEST_CLAIM), one_line(now, LONGEST_CLAIM))
        old = stamp(MARKS[check.status], console).append("\n").append_text(left)
        table.add_row(old, _grounds(check, known), right if now.strip() else Text("(removed)", style="dim"))
    if len(corrections) > MOST_ROWS:
        table.add_row("", f"and {len(corrections) - MOST_ROWS:,} more; --json has all", "")
    return table


def _checks_table(outcome: Outcome, console: Console) -> Table:
    """Claims in the order of the text. What was not worth a check (greetings, questions, opinions) is left to the JSON.

    On a console too narrow for columns each claim is a block of lines; of very many, what is contradicted comes first and the rest is counted.
    """
    known = {item.id: item for item in outcome.evidence}
    checks = [check for check in outcome.checks if check.status != "skipped"]
    left_out = max(0, len(checks) - MOST_ROWS)
    if left_out:
        ordered = sorted(checks, key=lambda check: check.status != "contradicted")
        checks = sorted(ordered[:MOST_ROWS], key=lambda check: check.claim.span)
    table = Table(box=box_for(console), expand=False, show_lines=False, pad_edge=False)
    table.add_column("verdict", no_wrap=True)
    narrow = console.width < LEAST_COLUMNS
    if not narrow:
        table.add_column("claim", ratio=3, overflow="fold")
        table.add_column("evidence", ratio=4, overflow="fold")
    else:
        table = Table.grid()
        table.add_column(overflow="fold")
    for check in checks:
        cells = (stamp(MARKS[check.status], console), _claim(check, outcome.answer), _grounds(check, known))
        if narrow:
            for cell in (*cells, ""):
                table.add_row(cell)
        else:
            table.add_row(*cells)
    if left_out:
        table.add_row(f"and {left_out:,} more claims; --json has all")
    return table


def _summary_line(outcome: Outcome, console: Console) -> Text:
    """Status, counts, and what it cost."""
    counts: dict[str, int] = {}
    for check in outcome.checks:
        word = MARKS[check.status][2]
        counts[word] = counts.get(word, 0) + 1
    usage = outcome.usage
    line = Text().append_text(stamp(STATUS_MARKS[outcome.status], console))
    line.append(f"  ({outcome.stop_reason})", style="dim")
    if counts:
        line.append("  " + ", ".join(f"{number} {word}" for word, number in counts.items()), style="")
    line.append(
        f"\n{counted(len(outcome.turns), 'turn')}, {counted(usage.llm_calls, 'model call')}, {counted(usage.tool_calls, 'tool call')}, "
        f"{counted(usage.input_tokens + usage.output_tokens, 'token')}, {usage.seconds:.1f} s",
        style="dim",
    )
    return line


def changes_table(old: str, new: str, console: Console) -> Table:
    """Old and new wording of every changed line side by side, the changed words marked by brackets as well as by colour."""
    table = Table(box=box_for(console), expand=False, pad_edge=False)
    table.add_column("old", ratio=1, overflow="fold")
    table.add_column("new", ratio=1, overflow="fold")
    before, after = old.splitlines(), new.splitlines()
    for tag, a1, a2, b1, b2 in _differences(before, after):
        if tag == "equal":
            continue
        if a2 - a1 == b2 - b1 > LINES_TOGETHER:
            for left, right in zip(before[a1:a2], after[b1:b2], strict=True):
                table.add_row(*_marked(left, right))
        else:
            table.add_row(*_marked(" / ".join(before[a1:a2]), " / ".join(after[b1:b2])))
    return table


def _differences(before: Sequence[str], after: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """What is equal and what is not, as difflib says it; in bounded time for long sequences, where difflib may take the cube of their length."""
    if len(before) * len(after) <= READABLE_TABLE:
        return difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    if len(before) * len(after) > LARGEST_TABLE:
        return [("replace", 0, len(before), 0, len(after))]
    found: list[tuple[str, int, int, int, int]] = []
    for step in Levenshtein.opcodes(before, after):
        tag = "equal" if step.tag == "equal" else "replace"
        if found and found[-1][0] == tag:
            _, a1, _, b1, _ = found.pop()
            found.append((tag, a1, step.src_end, b1, step.dest_end))
        else:
            found.append((tag, step.src_start, step.src_end, step.dest_start, step.dest_end))
    return found


def demo_table(rows: Sequence[DemoRow], console: Console, *, head: bool = True) -> Table:
    """One row a question: draft, tool call and result, verdict, what became of it, right or wrong. Widths are fixed, so that rows line up.

    On a narrow console a question is a block of lines instead.
    """
    if console.width < NARROW:
        return _demo_blocks(rows, console)
    table = Table(box=box_for(console), pad_edge=False, show_header=head, show_edge=False, expand=True)
    for title, ratio, width in DEMO_COLUMNS:
        table.add_column(title, ratio=ratio, width=width, overflow="fold")
    for row in rows:
        table.add_row(*_demo_cells(row, console))
    return table


def _demo_blocks(rows: Sequence[DemoRow], console: Console) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold", ratio=1)
    for row in rows:
        for (title, _, _), cell in zip(DEMO_COLUMNS, _demo_cells(row, console), strict=True):
            table.add_row("tool" if title.startswith("tool") else title, cell)
        table.add_row("", "")
    return table


def _demo_cells(row: DemoRow, console: Console) -> tuple[Text, ...]:
    question = Text(one_line(row.question, 120))
    if row.note:
        question.append(f" ({row.note})", style="dim")
    call = f"{one_line(row.tool)}: {one_line(row.call, 80)} → {one_line(row.result, 100)}" if row.tool else one_line(row.result, 160) or "–"
    answer = stamp(ACTION_MARKS[row.action], console)
    answer.append("" if row.answer == row.draft else f": {one_line(row.answer, 100)}", style="")
    move = stamp(MOVES[row.right_before, row.right], console)
    return question, Text(one_line(row.draft, 100)), Text(call), verdict_stamp(row.verdict, console), answer, move


def unified_diff(old: str, new: str, name: str) -> str:
    """A diff that `patch` takes, line endings kept."""
    before, after = _lines(old), _lines(new)
    parts: list[str] = []
    for line in difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"):
        parts.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(parts)


def _claim(check: Check, answer: str) -> Text:
    """The claim with the part that decides underlined; whole where it is the answer's own words."""
    claim = check.claim
    start, end = claim.span
    whole = answer[start:end] if 0 <= start < end <= len(answer) else claim.text
    text = Text(one_line(whole or claim.text, LONGEST_CLAIM))
    if claim.focus is not None:
        part = one_line(answer[claim.focus[0] : claim.focus[1]])
        place = text.plain.find(part) if part else -1
        if place >= 0:
            text.stylize("underline", place, place + len(part))
    return text


def _grounds(check: Check, known: dict[str, Evidence]) -> Text:
    text = Text(one_line(check.note, LONGEST_EVIDENCE))
    for identity in check.evidence[:3]:
        item = known.get(identity)
        if item is not None:
            text.append("\n" if text.plain else "")
            text.append(_evidence_line(item), style="dim")
    if check.expected is not None and check.status == "contradicted":
        text.append(f"\nexpected: {one_line(check.expected, LONGEST_EVIDENCE)}", style="bold")
    for alternative in check.alternatives[:4]:
        text.append(f"\npossible: {one_line(alternative, LONGEST_EVIDENCE)}")
    if check.method == "judged":
        text.append(f"\njudged by a model, confidence {check.confidence:.2f}", style="dim italic")
    return text


def _evidence_line(item: Evidence) -> str:
    place = item.source or item.title
    where = f" ({one_line(place, 80)})" if place else ""
    return f"{one_line(item.tool)}: {one_line(item.input, 120)} → {one_line(item.text, LONGEST_EVIDENCE)}{where}"


_TOKEN = re.compile(r"\d\w*(?:[.,]\d\w*)*|\w+|\s+|[^\w\s]")
"""A figure is one token, its separators and decimals included."""


def _marked(old: str, new: str) -> tuple[Text, Text]:
    before, after = _TOKEN.findall(safe(old)), _TOKEN.findall(safe(new))
    left, right = Text(), Text()
    opcodes = _differences(before, after)
    shared = 2 * sum(1 for tag, a1, a2, _, _ in opcodes if tag == "equal" for token in before[a1:a2] if token[0].isalnum())
    words = sum(1 for token in (*before, *after) if token[0].isalnum())
    if shared < LEAST_SHARED * words:
        opcodes = [("replace", 0, len(before), 0, len(after))]
    for tag, a1, a2, b1, b2 in opcodes:
        gone, come = "".join(before[a1:a2]), "".join(after[b1:b2])
        if tag == "equal":
            left.append(gone)
            right.append(come)
            continue
        if gone:
            left.append(f"[-{gone}-]", style="red")
        if come:
            right.append(f"[+{come}+]", style="green")
    return left, right


def _lines(text: str) -> list[str]:
    """Lines with their line feeds; a lone carriage return does not end a line of a diff."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def box_for(console: Console) -> Box:
    """The lines of a table, in ASCII where the terminal has nothing else."""
    return SIMPLE_HEAD if _unicode(console) else ASCII2


def _unicode(console: Console) -> bool:
    encoding = (getattr(console.file, "encoding", None) or sys.getdefaultencoding()).lower().replace("-", "")
    return encoding.startswith("utf")
