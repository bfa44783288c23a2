"""Policies as values: read from settings, hashed, bounded."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from redraft.errors import UnknownName, UsageError
from redraft.policies import DYNAMIC, POLICIES, policy_from_mapping, policy_named, refused
from redraft.policy import AUTO_TURNS, STOP_ORDER, Budgets, Control, Policy, with_budgets, with_turns
from redraft.refiner import Refiner


def test_equal_settings_have_the_equal_hash_and_any_change_another() -> None:
    assert Policy().hash == Policy().hash
    assert dataclasses.replace(Policy(), max_turns=4).hash != Policy().hash
    assert dataclasses.replace(Policy(), budgets=Budgets(tokens=5)).hash != Policy().hash


def test_an_unknown_policy_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'guarded'"):
        policy_named("garded")


def test_a_mapping_overrides_its_base() -> None:
    policy = policy_from_mapping({"base": "guarded", "name": "mine", "max_turns": 5, "control": {"gain": 0.1}, "stops": ["verified", "hard_cap"]})
    assert (policy.name, policy.max_turns, policy.control.gain, policy.control.tolerance, policy.stops) == ("mine", 5, 0.1, 0.05, ("verified", "hard_cap"))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"max_turn": 3}, "did you mean 'max_turns'"),
        ({"control": {"gian": 1}}, "did you mean 'gain'"),
        ({"control": 3}, "control is a table of settings"),
        ({"max_turns": "many"}, "max_turns"),
        ({"anchor": "best"}, "setting in policy 'anchor'"),
        ({"stops": ["never"]}, "stops"),
    ],
)
def test_what_cannot_be_a_policy_says_why(values: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        policy_from_mapping(values)


def test_a_bound_that_is_not_given_stays() -> None:
    policy = with_budgets(policy_named("guarded"), tokens=10, cost_usd=None)
    assert policy.budgets == dataclasses.replace(policy_named("guarded").budgets, tokens=10)


BOUNDS = {
    "guarded": 11, "direct": 1, "critic": 40, "critic-claim": 12, "critic-no-tool": 9, "critic-oracle": 40, "critic-safety": 5, "basic-reflection": 7,
    "self-refine": 9, "controlled": 18,
}  # fmt: skip


@pytest.mark.parametrize(("name", "bound"), BOUNDS.items())
def test_the_bound_of_each_policy_of_the_loop(name: str, bound: int) -> None:
    assert policy_named(name).bound() == bound


def test_the_bound_follows_the_settings() -> None:
    controlled = policy_named("controlled")
    assert dataclasses.replace(controlled, samples=3).bound() == 1 + 9 * 3 + 8
    assert dataclasses.replace(controlled, control=Control(confirm=True)).bound() == 18 + 8 * 2
    assert policy_named("critic").bound("qa") == 1 + 4 * 7
    assert policy_named("critic").bound("math") == 1 + 5 * 7
    assert policy_named("critic").bound("report") == 1 + 4 * 7 + 3
    assert policy_named("critic-no-tool").bound("qa") == 1 + 3
    assert with_turns(policy_named("critic"), 1).bound("math") == 1 + 2 * 7
    assert dataclasses.replace(policy_named("critic-claim"), max_turns=2).bound() == 1 + 3 * 2 + 2


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"base": "critic", "critique": "composed"}, "checks = 'search' does not go with critique = 'composed'; it goes with 'model'"),
        ({"base": "guarded", "checks": "none"}, "checks = 'none' does not go with critique = 'composed'"),
        ({"base": "controlled", "evaluator": "off"}, "needs evaluator = 'on'"),
        ({"base": "guarded", "accept": "falls"}, "needs checks = 'safety'"),
        ({"base": "self-refine", "accept": "controller"}, "nothing to decide by"),
        ({"base": "guarded", "oracle": True}, "oracle"),
        ({"base": "guarded", "stops": ["verified"]}, "so that every run ends"),
        ({"base": "direct", "stops": ["hard_cap"]}, "must have 'checked'"),
        ({"max_turns": -1}, "max_turns must be between 0 and 10000000"),
        ({"base": "controlled", "samples": 0}, "samples must be between 1 and"),
        ({"turns_by_kind": {"maths": 4}}, "did you mean 'math'"),
        ({"target": 95}, "target must be between 0 and 1"),
        ({"control": {"gain": 2}}, "control.gain must be between 0 and 1"),
        ({"checks": "tool"}, "checks"),
        ({"max_turns": 10**23}, "max_turns"),
        ({"max_turns": True}, "max_turns: Input should be a valid integer (got 'True')"),
        ({"guard": "yes"}, "guard: Input should be a valid boolean"),
        ({"relevance": "0.3"}, "relevance: Input should be a valid number"),
        ({"turns_by_kind": {"qa": 10**9}}, "turns_by_kind must be between"),
        ({"control": {"critical": ["groundnig"]}}, "did you mean 'grounding'"),
        ({"control": {"gain": float("nan")}}, "control.gain must be between 0 and 1"),
        ({"budgets": {"llm_calls": -1}}, "budgets.llm_calls must be a number from 0 on, not -1"),
        ({"budgets": {"deadline_seconds": float("nan")}}, "budgets.deadline_seconds"),
        ({"budgets": {"cost_usd": float("inf")}}, "budgets.cost_usd"),
        ({"trust": {"a.org": 5}}, "trust of 'a.org' must be between 0 and 1"),
        ({"calibration": {"judged": [[0.1, 2.0]]}}, "calibration.judged must have shares"),
        ({"calibration": {"judged": [[0.5, float("nan")]]}}, "calibration.judged must have shares"),
        ({"calibration": {"judged": [[0.9, 0.1], [0.1, 0.5]]}}, "calibration.judged must rise"),
        ({"stops": json.loads("[" * 900 + "]" * 900)}, "nested too deeply"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        policy_from_mapping(values)


def test_a_run_with_such_settings_is_refused_too() -> None:
    with pytest.raises(UsageError, match="does not go with"):
        Refiner("none", policy=dataclasses.replace(policy_named("critic"), critique="composed"))


def test_every_named_policy_and_the_dynamic_overlay_are_accepted() -> None:
    assert {policy.name: refused(policy) for policy in POLICIES.values() if refused(policy)} == {}
    assert refused(dataclasses.replace(policy_named("controlled"), stops=DYNAMIC)) == ""


def test_turns_of_a_file_hold_for_every_kind_and_may_be_automatic() -> None:
    policy = policy_from_mapping({"base": "critic", "max_turns": 2})
    assert (policy.turns("qa"), policy.turns("math")) == (2, 2)
    policy = policy_from_mapping({"base": "critic", "max_turns": 2, "turns_by_kind": {"math": 5}})
    assert (policy.turns("qa"), policy.turns("math")) == (2, 5)
    policy = policy_from_mapping({"max_turns": "auto"})
    assert (policy.auto_turns, policy.max_turns) == (True, AUTO_TURNS)
    assert not policy_from_mapping({"max_turns": 4}).auto_turns


GUARDED = "526be32854b6f2be"
SCRIPT = """\
from redraft.policies import POLICIES
import json
print(json.dumps({name: policy.hash for name, policy in POLICIES.items()}))
"""


@pytest.mark.parametrize(("seed", "language"), [("0", "C"), ("4711", "tr_TR.UTF-8"), ("random", "de_DE.ISO-8859-1")])
def test_hashes_are_equal_in_a_process_with_another_hash_seed_and_locale(seed: str, language: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": language, "LANG": language}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == {name: policy.hash for name, policy in POLICIES.items()}


def test_the_hash_of_a_policy_does_not_change_unseen() -> None:
    """If this fails because a setting was added or a default changed, every recorded hash is another from now on: write the new one here on purpose."""
    assert policy_named("guarded").hash == GUARDED


def test_every_policy_states_its_bound_and_stops_in_the_known_order() -> None:
    for policy in POLICIES.values():
        assert policy.bound() >= 1
        assert policy.stop_rules <= set(STOP_ORDER)
    assert policy_named("direct").bound() == 1
    assert policy_named("guarded").bound() == 3 * 3 + 2


def test_the_bounds_in_the_documentation_are_those_of_the_code() -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "policies.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")]
    stated = {row[0].strip("`"): int(row[5]) for row in rows if len(row) == 6}
    assert stated == {name: policy.bound() for name, policy in POLICIES.items()}


def test_the_examples_in_the_documentation_are_policies() -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "policies.md").read_text(encoding="utf-8")
    policies = [policy_from_mapping(tomllib.loads(block.split("```")[0])) for block in page.split("```toml\n")[1:]]
    assert policies[0].stops == DYNAMIC
    assert (policies[1].auto_turns, policies[1].control.tolerance) == (True, 0.03)
