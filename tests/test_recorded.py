"""Recorded rewrites and attempts through the real checks, the controller and the stopping rules; whole sets are measured by benchmarks/recorded.py."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.policies import POLICIES
from redraft.policy import Policy, with_turns
from redraft.studies.recorded import RULES, Judged, KeptTool, Pair, gsm_pairs, halves, human_eval_pairs, judged_pair, mbpp_pairs, tallied
from redraft.studies.series import HISTORY_RULES, LOOP_POLICIES, Series, difference, dynamic_policies, hotpot_series, replayed
from redraft.tools.python import PythonTool

TESTS = "def check(candidate):\n    assert candidate(0) == 0\n    assert candidate(3) == 6\n    assert candidate(-1) == -2\n\ncheck(twice)\n"
GOOD, BAD, WORSE = (f"def twice(x):\n    return {body}\n" for body in ("x + x", "x", "x + 7"))


def judged(pairs: list[Pair]) -> list[Judged]:
    async def run() -> list[Judged]:
        tool = KeptTool(PythonTool())
        try:
            return [await judged_pair(pair, tool) for pair in pairs]
        finally:
            await tool.close()

    return asyncio.run(run())


def pair(before: str, after: str, tests: str = TESTS, hidden: str = TESTS) -> Pair:
    return Pair(id="p", query="Write twice(x).", before=before, after=after, tests=tests, hidden=hidden)


class TestPairs:
    def test_a_repair_is_kept_and_a_damage_refused_by_the_tests_alone(self) -> None:
        found = judged([pair(BAD, GOOD), pair(GOOD, BAD), pair(BAD, WORSE), pair(GOOD, GOOD + "\n")])
        assert [one.decision.accepted for one in found] == [True, False, False, False]
        assert tallied(found, RULES["controller"])["net"] == 1
        assert tallied(found, RULES["always"]) | {"net": 0, "damages_refused": 0} == tallied(found, RULES["always"])

    def test_the_controller_sees_the_visible_half_alone(self) -> None:
        """What passes the visible assertions and fails the hidden ones is beyond it: the figures say so."""
        visible, hidden = halves(TESTS)
        cheat = "def twice(x):\n    return {0: 0, -1: -2}.get(x)\n"
        (one,) = judged([pair(BAD, cheat, visible, hidden)])
        assert one.decision.accepted
        assert (one.before, one.after, one.total) == (False, False, 1)

    def test_the_assertions_are_split_by_turns(self) -> None:
        visible, hidden = halves(TESTS)
        assert [part.count("assert") for part in (visible, hidden)] == [2, 1]
        assert "candidate(3)" in hidden
        assert "check(twice)" in visible
        assert "check(twice)" in hidden
        assert halves("def check(candidate):\n    assert candidate() == 1\n\ncheck(f)\n")[1] == ""

    def test_an_execution_is_paid_once(self) -> None:
        class Counting(PythonTool):
            runs = 0

            async def run(self, call):  # type: ignore[no-untyped-def]
                Counting.runs += 1
                return await super().run(call)

        async def twice() -> None:
            tool = KeptTool(Counting())
            await judged_pair(pair(BAD, GOOD), tool)
            before = Counting.runs
            await judged_pair(pair(BAD, GOOD), tool)
            assert Counting.runs == before
            await tool.close()

        asyncio.run(twice())

    def test_absent_data_are_said_to_be_absent(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="cannot read the recorded data"):
            mbpp_pairs(tmp_path)


SLOW = frozenset({"mbpp_100_next_smallest_palindrome"})
"""Its rewrite runs into the time limit; benchmarks/recorded.py has it."""


class TestRecordedPairs:
    """The pairs that decide: those where the record says that a rewrite repaired or damaged something."""

    def test_on_mbpp_every_repair_is_kept_and_every_damage_refused(self, shared_data: Path) -> None:
        labels: dict[str, dict[str, bool]] = {}
        for line in (shared_data / "mbpp_solutions" / "solutions.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            labels.setdefault(row["name"], {})[row["strategy"]] = row["pass_reexec"]
        changed = {name for name, found in labels.items() if len(set(found.values())) == 2} - SLOW
        counts = tallied(judged([one for one in mbpp_pairs(shared_data) if one.id in changed]), RULES["controller"])
        assert counts["repairs"] + counts["damages"] == len(changed) > 10
        assert counts["repairs_kept"] == counts["repairs"]
        assert counts["damages_refused"] == counts["damages"]

    def test_with_half_of_the_assertions_hidden_nothing_is_lost_on_the_hidden_ones(self, shared_data: Path) -> None:
        found = judged([one for one in mbpp_pairs(shared_data, half=True, limit=25) if one.hidden])
        counts = tallied(found, RULES["controller"])
        assert counts["net"] >= 0
        assert counts["net_assertions"] >= 0

    def test_the_other_sets_are_read(self, shared_data: Path) -> None:
        assert len(human_eval_pairs(shared_data)) > 150
        found = judged(gsm_pairs(shared_data, gold=True)[:4])
        assert tallied(found, RULES["controller"])["repairs_kept"] == 4


ATTEMPTS = Series(
    id="s", query="Which town?", answers=("Aldon", "Berley", "Berley", "Aldon", "Corwick", "Corwick", "Dunmoor"), right=(False,) * 4 + (True, True, False)
)


class TestSeries:
    @pytest.mark.parametrize("name", LOOP_POLICIES)
    def test_a_run_that_stops_early_is_the_exact_prefix(self, name: str) -> None:
        whole = replayed(ATTEMPTS, hard_cap(name))
        assert (whole.outcome.stop_reason, len(whole.outcome.turns)) == ("hard_cap", 8)
        for policy in dynamic_policies(name, 8):
            assert difference(replayed(ATTEMPTS, policy), whole) == "", policy.stops

    def test_every_history_rule_ends_some_run(self) -> None:
        ended = {replayed(one, policy).outcome.stop_reason for one in (ATTEMPTS, CALM) for name in LOOP_POLICIES for policy in dynamic_policies(name, 8)}
        assert set(HISTORY_RULES) <= ended

    def test_another_run_is_no_prefix(self) -> None:
        whole = replayed(ATTEMPTS, hard_cap("guarded"))
        assert difference(replayed(ATTEMPTS, hard_cap("controlled")), whole) == "log"
        other = dataclasses.replace(ATTEMPTS, answers=("Aldon", "Corwick", *ATTEMPTS.answers[2:]))
        assert difference(replayed(other, hard_cap("guarded")), whole) == "log"
        run = replayed(ATTEMPTS, dynamic_policies("guarded", 8)[4])
        assert difference(dataclasses.replace(run, outcome=dataclasses.replace(run.outcome, answer="Dunmoor")), whole) == "state"
        spent = dataclasses.replace(run.outcome.usage, llm_calls=99)
        assert difference(dataclasses.replace(run, outcome=dataclasses.replace(run.outcome, usage=spent)), whole) == "usage"

    def test_recorded_attempts_keep_to_it(self, shared_data: Path) -> None:
        for one in hotpot_series(shared_data, every=90):
            for name in ("guarded", "critic", "controlled"):
                whole = replayed(one, hard_cap(name))
                assert [difference(replayed(one, policy), whole) for policy in dynamic_policies(name, 8)] == [""] * (len(HISTORY_RULES) + 2)


CALM = Series(id="c", query="Which town?", answers=("Aldon", "Corwick", "Corwick", "Corwick", "Corwick"), right=(False, True, True, True, True))


def hard_cap(name: str) -> Policy:
    return dataclasses.replace(with_turns(POLICIES[name], 8), stops=("hard_cap",))
