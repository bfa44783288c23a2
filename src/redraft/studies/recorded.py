"""Recorded answers as a test bench: what the controller makes of rewrites that other systems really made, without any model.

Pairs are a text before and after somebody's rewrite, checked by tests that are executed. (Series of attempts: `series.py`.)
"""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redraft.claims.edits import diff_edits
from redraft.control import decide
from redraft.critique import critique
from redraft.effects import Effects
from redraft.errors import InputError
from redraft.events import Event
from redraft.models.none import NoModel
from redraft.planning.rules import RulePlanner
from redraft.policies import policy_named
from redraft.policy import Budgets
from redraft.protocols import Tool
from redraft.types import Candidate, Decision, State, Task, ToolCall, ToolResult
from redraft.verify import verify

__all__ = ["RULES", "Judged", "KeptTool", "Pair", "Rule", "gsm_pairs", "halves", "human_eval_pairs", "judged_pair", "mbpp_pairs", "passes", "tallied"]

Rule = Callable[[Decision], bool]
RULES: dict[str, Rule] = {
    "always": lambda decision: bool(decision.figures),
    "hard_fail_and_scope": lambda decision: not {"hard_fail", "scope"} & set(decision.failed),
    "controller": lambda decision: decision.accepted,
}
"""Ways to decide about the same candidate: accept it always, unless it fails hard or changes what no problem names, or as the whole controller does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """A rewrite that was really made. `tests` are those that the controller may see, `hidden` those that only the figures are made of."""

    id: str
    query: str
    before: str
    after: str
    tests: str
    hidden: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What became of a pair: the decision, and what passes before and after by the hidden tests (all assertions, and how many of them)."""

    pair: Pair
    decision: Decision
    before: bool
    after: bool
    before_count: int
    after_count: int
    total: int

    def final(self, rule: Rule) -> tuple[bool, int]:
        """Whether the text that this rule leaves passes, and how many assertions it passes."""
        return (self.after, self.after_count) if rule(self.decision) else (self.before, self.before_count)


class KeptTool:
    """A tool whose results are kept for equal calls, for as long as the bench runs: an execution is paid once, whatever looks at it."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._kept: dict[str, ToolResult] = {}
        self.name, self.summary, self.timeout_seconds = tool.name, tool.summary, tool.timeout_seconds

    async def run(self, call: ToolCall) -> ToolResult:
        if call.input not in self._kept:
            self._kept[call.input] = await self._tool.run(call)
        return self._kept[call.input]

    async def close(self) -> None:
        await self._tool.close()


class _Unrecorded:
    def write(self, event: Event) -> None:
        """Nothing is kept."""


# ── pairs ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def judged_pair(pair: Pair, tool: Tool) -> Judged:
    """The pair through the real `verify`, `critique` and `decide`, and both texts by the hidden tests."""
    policy, planner = policy_named("guarded"), RulePlanner()
    task = Task(query=pair.query, kind="code", tests=pair.tests)
    effects = Effects(writer=NoModel(), tools={tool.name: tool}, sink=_Unrecorded(), budgets=Budgets())
    retained = await verify(task, policy, Candidate(text=pair.before), None, planner, effects)
    problems = await critique(task, policy, retained, effects)
    candidate = Candidate(text=pair.after, edits=diff_edits(pair.before, pair.after))
    new = await verify(task, policy, candidate, retained, planner, effects)
    decision = decide(policy, retained, new, problems)
    hidden = pair.hidden or pair.tests
    (before, before_count, total), (after, after_count, _) = [await passes(text, pair.query, hidden, tool) for text in (pair.before, pair.after)]
    return Judged(pair=pair, decision=decision, before=before, after=after, before_count=before_count, after_count=after_count, total=total)


async def passes(answer: str, query: str, tests: str, tool: Tool) -> tuple[bool, int, int]:
    """Whether a program passes all tests, how many of their assertions it passes, and how many there are."""
    task = Task(query=query, kind="code", tests=tests)
    effects = Effects(writer=NoModel(), tools={tool.name: tool}, sink=_Unrecorded(), budgets=Budgets())
    state: State = await verify(task, policy_named("guarded"), Candidate(text=answer), None, RulePlanner(), effects)
    statuses = [check.status for check in state.checks if check.claim.requirement]
    passed = statuses.count("supported")
    return bool(statuses) and passed == len(statuses), passed, len(statuses)


def tallied(judged: Iterable[Judged], rule: Rule) -> dict[str, int]:
    """What a rule makes of all pairs: fail→pass kept and refused, pass→fail kept and refused, and the net change in texts and in assertions."""
    counts = {"n": 0, "repairs": 0, "repairs_kept": 0, "damages": 0, "damages_refused": 0, "accepted": 0, "net": 0, "net_assertions": 0}
    for one in judged:
        taken = rule(one.decision)
        final, count = one.final(rule)
        counts["n"] += 1
        counts["accepted"] += taken
        counts["repairs"] += one.after and not one.before
        counts["repairs_kept"] += one.after and not one.before and taken
        counts["damages"] += one.before and not one.after
        counts["damages_refused"] += one.before and not one.after and not taken
        counts["net"] += final - one.before
        counts["net_assertions"] += count - one.before_count
    return counts


def halves(tests: str) -> tuple[str, str]:
    """Visible and hidden tests of a suite with a function `check(candidate)`: its assertions by turns, the first, third, … are visible.

    What is no assertion stays in both. Of a single assertion, which cannot be split, the hidden half is empty.
    """
    parts: list[str] = []
    for parity in (0, 1):
        tree = ast.parse(tests)
        number = 0
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "check":
                kept: list[ast.stmt] = []
                for statement in node.body:
                    if not isinstance(statement, ast.Assert):
                        kept.append(statement)
                        continue
                    if number % 2 == parity:
                        kept.append(statement)
                    number += 1
                node.body = kept or [ast.Pass()]
        parts.append(ast.unparse(tree) if number > parity else "")
    return parts[0], parts[1]


def mbpp_pairs(data: Path, *, half: bool = False, limit: int | None = None) -> list[Pair]:
    """gpt-4's single shot and what Reflexion made of the same problem. `half`: the controller sees the visible half of the assertions, the figures the rest.

    Raises:
        InputError: the data are not there.
    """
    by_name: dict[str, dict[str, dict[str, Any]]] = {}
    for row in _rows(data / "mbpp_solutions" / "solutions.jsonl"):
        by_name.setdefault(row["name"], {})[row["strategy"]] = row
    pairs: list[Pair] = []
    for name, found in by_name.items():
        if "simple" in found and "reflexion" in found:
            first = found["simple"]
            pairs.append(_split(name, first["prompt"], first["solution"], found["reflexion"]["solution"], first["test"], half))
    return pairs[:limit]


HUMAN_EVAL_RUNS = (
    ("simple_human_eval_py_logging", "reflexion_humaneval_py_pass_at_1"),
    ("simple_test_run text-davinci-003", "reflexion_test_run text-davinci-003"),
    ("simple_humaneval_py_hardest50", "reflexion_humaneval_py_hardest50"),
    ("simple_humaneval_py_hardest50", "immediate_reflexion_humaneval_py_hardest50"),
    ("simple_humaneval_py_hardest50", "immediate_refinement_humaneval_py_hardest50"),
)
"""Recorded runs before and after, of one model each."""


def human_eval_pairs(data: Path, *, half: bool = False, limit: int | None = None) -> list[Pair]:
    """Single shots and rewrites of the same HumanEval problems by the same model; those without a recorded draft are left out.

    Raises:
        InputError: the data are not there.
    """
    problems = {row["task_id"]: row for row in _rows(data / "humaneval" / "HumanEval.jsonl")}
    runs: dict[str, dict[str, str]] = {}
    for row in _rows(data / "humaneval_solutions" / "solutions.jsonl"):
        runs.setdefault(row["run"], {})[row["task_id"]] = row["solution"]
    pairs: list[Pair] = []
    for before, after in HUMAN_EVAL_RUNS:
        for task_id in sorted(runs.get(before, {}).keys() & runs.get(after, {}).keys()):
            problem = problems[task_id]
            tests = f"{problem['test']}\ncheck({problem['entry_point']})\n"
            if not runs[before][task_id].strip():
                continue  # no draft was recorded: a run ends there as `no_answer`, and there is nothing to decide
            pairs.append(_split(f"{after}/{task_id}", problem["prompt"], runs[before][task_id], runs[after][task_id], tests, half))
    return pairs[:limit]


def gsm_pairs(data: Path, *, gold: bool) -> list[Pair]:
    """Programs before and after Self-Refine. `gold`: the controller sees the right result as a test; else it sees no test at all.

    Raises:
        InputError: the data are not there.
    """
    pairs: list[Pair] = []
    for row in _rows(data / "selfrefine_gsm" / "trajectories.jsonl"):
        test = f"def check(candidate):\n    assert abs(float(candidate()) - {float(row['target'])!r}) < 1e-6\n\ncheck(solution)\n"
        pairs.append(Pair(id=str(row["id"]), query=row["question"], before=row["before"], after=row["after"], tests=test if gold else "", hidden=test))
    return pairs


def _split(name: str, prompt: str, before: str, after: str, tests: str, half: bool) -> Pair:
    pair = Pair(id=name, query=prompt, before=before, after=after, tests=tests, hidden=tests)
    if not half:
        return pair
    visible, hidden = halves(tests)
    return dataclasses.replace(pair, tests=visible, hidden=hidden)


def _rows(path: Path) -> Sequence[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except OSError as error:
        raise InputError(f"cannot read the recorded data {path}: {error.strerror or error}") from None
