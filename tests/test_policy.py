"""Policies as values: read from settings, hashed, bounded."""

from __future__ import annotations

import dataclasses

import pytest

from redraft.errors import UnknownName, UsageError
from redraft.policies import POLICIES, policy_from_mapping, policy_named
from redraft.policy import STOP_ORDER, Budgets, Policy, with_budgets


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


def test_every_policy_states_its_bound_and_stops_in_the_known_order() -> None:
    for policy in POLICIES.values():
        assert policy.bound() >= 1
        assert policy.stop_rules <= set(STOP_ORDER)
    assert policy_named("direct").bound() == 1
    assert policy_named("guarded").bound() == 3 * 3 + 2
