"""Stopping: each reason at its edge, their order, and that a run which stops early is the exact prefix of one that goes on."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.control import decide
from redraft.policies import policy_named
from redraft.policy import STOP_ORDER, Budgets, Policy, StopReason
from redraft.stopping import Moment, status_of, stop
from redraft.types import Check, CheckStatus, Claim, Decision, Evidence, Problem, Scorecard, State, Turn, Usage

NOW = Moment(elapsed_seconds=1.0)
SPENT = Usage(llm_calls=3, tool_calls=2, input_tokens=60, output_tokens=40, cost_usd=0.5)


def check(status: CheckStatus, text: str = "12 is 12.", **fields: Any) -> Check:
    return Check(claim=Claim(id=text, text=text, span=(0, len(text)), **fields), status=status, method="computed")


def state(*statuses: CheckStatus, text: str = "12 is 12.", score: float | None = None) -> State:
    card = None if score is None else Scorecard(scores={"factuality": score})
    return State(text=text, checks=tuple(check(status, f"claim {n}") for n, status in enumerate(statuses)), scorecard=card)


def turn(text: str, *, accepted: bool = False, score: float | None = None, problems: bool = True, figures: dict[str, Any] | None = None) -> Turn:
    candidate = state("contradicted", text=text, score=score)
    named = (Problem(claim=candidate.checks[0].claim, message="wrong"),) if problems else ()
    return Turn(number=1, problems=named, candidate=candidate, decision=Decision(accepted=accepted, rule="x", figures=figures or {}))


def only(*reasons: StopReason, **fields: Any) -> Policy:
    return Policy(stops=reasons, **fields)


def asked(policy: Policy, of: State | None = None, history: tuple[Turn, ...] = (), usage: Usage = SPENT, now: Moment = NOW) -> str | None:
    return stop(policy, state("contradicted") if of is None else of, history, usage, now)


class TestChecks:
    def test_no_answer(self):
        assert asked(only(), State(text=" \n")) == "no_answer"
        assert asked(only()) is None

    def test_nothing_to_check(self):
        policy = only("nothing_to_check")
        assert asked(policy, state()) == "nothing_to_check"
        greeting = State(text="Hello!", checks=(check("skipped", checkworthy=False),))
        assert asked(policy, greeting) == "nothing_to_check"
        assert asked(policy, state("skipped")) is None

    @pytest.mark.parametrize(
        ("statuses", "done"),
        [
            (("supported",), True),
            (("supported", "supported"), True),
            (("supported", "insufficient"), False),
            (("supported", "unavailable"), False),
            (("supported", "skipped"), False),
            (("contradicted", "supported"), False),
            ((), False),
        ],
    )
    def test_verified_needs_every_checkworthy_claim_supported(self, statuses: tuple[CheckStatus, ...], done: bool):
        assert (asked(only("verified"), state(*statuses)) == "verified") == done

    def test_what_is_not_worth_checking_does_not_keep_a_text_from_being_verified(self):
        of = State(text="Hi. 12 is 12.", checks=(check("skipped", "Hi.", checkworthy=False), check("supported")))
        assert asked(only("verified"), of) == "verified"

    def test_no_problem_for_a_composed_critique_is_nothing_contradicted(self):
        policy = only("no_problem")
        assert asked(policy, state("insufficient", "supported")) == "no_problem"
        assert asked(policy, state("insufficient", "contradicted")) is None

    def test_no_problem_for_a_model_s_critique_is_a_turn_without_problems(self):
        policy = only("no_problem", critique="model")
        assert asked(policy, state("insufficient")) is None
        assert asked(policy, state("contradicted"), (turn("B"), turn("A", problems=False))) == "no_problem"
        assert asked(policy, state("contradicted"), (turn("A", problems=False), turn("B"))) is None


class TestResources:
    @pytest.mark.parametrize(
        ("budgets", "reason"),
        [
            (Budgets(deadline_seconds=1.0), "deadline"),
            (Budgets(deadline_seconds=1.1), None),
            (Budgets(tokens=100), "token_budget"),
            (Budgets(tokens=101), None),
            (Budgets(cost_usd=0.5), "cost_budget"),
            (Budgets(cost_usd=0.51), None),
            (Budgets(llm_calls=3), "call_budget"),
            (Budgets(llm_calls=4), None),
            (Budgets(tool_calls=2), "call_budget"),
            (Budgets(tool_calls=3), None),
        ],
    )
    def test_bounds_are_inclusive(self, budgets: Budgets, reason: str | None):
        assert asked(only(budgets=budgets)) == reason

    def test_an_unknown_price_is_not_counted(self):
        assert asked(only(budgets=Budgets(cost_usd=0.1)), usage=dataclasses.replace(SPENT, cost_usd=None)) is None

    def test_cancelled_and_tools_down(self):
        assert asked(only(), now=Moment(elapsed_seconds=0, cancelled=True)) == "cancelled"
        assert asked(only(), now=Moment(elapsed_seconds=0, tools_down=True)) == "breaker_open"


class TestAutomaticTurns:
    """`max_turns = "auto"`: two turns, and one more for each turn that left fewer problems than it found."""

    def turns(self, *problems: int) -> tuple[Turn, ...]:
        named = Problem(claim=check("contradicted").claim, message="wrong")
        return tuple(dataclasses.replace(turn(f"text {n}"), problems=(named,) * count) for n, count in enumerate(problems))

    def ends(self, of: State, *problems: int) -> bool:
        return asked(only("hard_cap", auto_turns=True, max_turns=8), of, self.turns(*problems)) == "hard_cap"

    def test_two_turns_where_nothing_disappears(self):
        assert not self.ends(state("contradicted"), 1)
        assert self.ends(state("contradicted"), 1, 1)

    def test_each_turn_that_mends_something_earns_another(self):
        left = state(*["contradicted"] * 3)
        assert not self.ends(left, 5, 4)
        assert not self.ends(left, 5, 4, 4)
        assert self.ends(left, 5, 4, 4, 3)

    def test_what_the_last_turn_mended_counts_at_once(self):
        assert self.ends(state(*["contradicted"] * 4), 4, 4)
        assert not self.ends(state(*["contradicted"] * 3), 4, 4)

    def test_the_hard_cap_stays(self):
        assert self.ends(state("contradicted"), *range(9, 1, -1))

    @given(st.lists(st.integers(1, 9), max_size=12), st.integers(0, 9))
    def test_it_ends_by_the_cap_and_grants_a_turn_only_for_a_turn_that_helped(self, problems: list[int], left: int):
        of = state(*["contradicted"] * left)
        helped = sum(after < before for before, after in zip([*problems], [*problems[1:], left], strict=True)) if problems else 0
        assert self.ends(of, *problems) == (len(problems) >= min(8, 2 + helped))


class TestTarget:
    @pytest.mark.parametrize(("score", "done"), [(0.95, True), (0.95 - 5e-10, True), (0.949, False), (None, False)])
    def test_the_penalised_score_reaches_it(self, score: float | None, done: bool):
        assert (asked(only("target"), state("supported", score=score)) == "target") == done

    def test_contradicted_claims_are_taken_off(self):
        assert asked(only("target"), state("contradicted", score=1.0)) is None

    @pytest.mark.parametrize(("value", "done"), [("0.09", True), ("0.1", False), ("", False)])
    def test_for_safety_the_score_must_fall_below_it(self, value: str, done: bool):
        evidence = Evidence(tool="safety", input="x", text="score", value=value)
        measured = Check(claim=Claim(id="s", text="x", span=(0, 1), kind="safety"), status="supported", evidence=(evidence.id,))
        of = State(text="x", checks=(measured,), evidence={evidence.id: evidence})
        assert (asked(only("target", accept="falls", target=0.10), of) == "target") == done


class TestHistory:
    def test_unchanged_takes_two_candidates_equal_to_the_retained_text(self):
        policy, of = only("unchanged"), state("contradicted", text="A b")
        assert asked(policy, of, (turn("A b"),)) is None
        assert asked(policy, of, (turn("A b"), turn("A  b\n"))) == "unchanged"
        assert asked(policy, of, (turn("A b"), turn("C"), turn("A b"))) is None

    def test_a_candidate_that_came_back_to_an_accepted_one_is_unchanged_once(self):
        policy, of = only("unchanged"), state("contradicted", text="B")
        assert asked(policy, of, (turn("B", accepted=True), turn("B"))) is None
        assert asked(policy, of, (turn("B", accepted=True), turn("B"), turn("B"))) == "unchanged"

    def test_unchanged_candidates_count_where_the_policy_accepts_everything(self):
        policy = Policy(accept="always", stops=("unchanged",))
        retained = state("contradicted", text="A")
        problems = (Problem(claim=retained.checks[0].claim, message="wrong"),)
        history: list[Turn] = []
        for number in (1, 2):
            decision = decide(policy, retained, retained, problems)
            history.append(Turn(number=number, problems=problems, candidate=retained, decision=decision))
            assert decision.accepted
        assert stop(policy, retained, history[:1], SPENT, NOW) is None
        assert stop(policy, retained, history, SPENT, NOW) == "unchanged"

    def test_round_three_equal_to_round_zero_ends_nothing_unless_the_policy_names_cycles(self):
        history = played(Policy(accept="always"), "A", ["B", "C", "A"])
        of = history[-1].candidate
        assert asked(only("unchanged", accept="always"), of, history) is None
        assert asked(only("unchanged", "cycle", accept="always"), of, history) == "cycle"

    def test_cycle_is_an_earlier_text_other_than_the_retained(self):
        policy, of = only("cycle"), state("contradicted", text="A")
        assert asked(policy, of) is None
        assert asked(policy, of, (turn("A"),)) is None
        assert asked(policy, of, (turn("B"), turn("C"))) is None
        assert asked(policy, of, (turn("B"), turn("C"), turn("B "))) == "cycle"

    def test_a_first_text_that_the_history_does_not_tell_is_not_guessed(self):
        assert asked(only("cycle"), state("contradicted", text="A"), (turn("B", accepted=True), turn("A", accepted=True))) is None
        assert asked(only("unchanged"), state("contradicted", text="A"), (turn("A", accepted=True), turn("A", accepted=True))) is None

    def test_rejections_in_a_row(self):
        policy = only("rejections")
        assert asked(policy, history=(turn("B"), turn("C"))) is None
        assert asked(policy, history=(turn("B"), turn("C"), turn("D"))) == "rejections"
        assert asked(policy, history=(turn("B"), turn("C", accepted=True), turn("D"), turn("E"))) is None
        assert asked(only("rejections", rejections=0), history=(turn("B"),)) is None

    def test_stagnation_is_too_little_net_gain_over_the_window(self):
        policy = only("stagnation")
        begun = {"retained": {"P": 0.40}}
        three = (turn("B", accepted=True, figures=begun), turn("C"), turn("D"))
        assert asked(policy, state(score=0.41), three) == "stagnation"
        assert asked(policy, state(score=0.42), three) is None
        assert asked(policy, state(score=0.41), three[:2]) is None
        assert asked(policy, state(), three) is None
        assert asked(policy, state(score=0.4), (turn("B", accepted=True), turn("C"), turn("D"))) is None
        assert asked(policy, state(), (turn("B"), turn("C"), turn("D"))) == "stagnation"
        assert asked(only("stagnation", window=0), state(), three) is None

    @pytest.mark.parametrize(
        ("scores", "done"),
        [([0.50, 0.51, 0.50], True), ([0.50, 0.52, 0.52], False), ([0.50, 0.51, 0.53], False), ([0.50, 0.50], False), ([0.5, None, 0.5], False)],
    )
    def test_stable_is_two_small_changes_between_candidates(self, scores: list[float | None], done: bool):
        history = tuple(turn(f"text {n}", score=score) for n, score in enumerate(scores))
        assert (asked(only("stable"), history=history) == "stable") == done

    def test_hard_cap_and_checked(self):
        assert asked(only("hard_cap"), history=(turn("B"), turn("C"))) is None
        assert asked(only("hard_cap"), history=(turn("B"), turn("C"), turn("D"))) == "hard_cap"
        assert asked(policy_named("direct"), state("contradicted")) == "checked"
        assert asked(policy_named("direct"), State(text="")) == "no_answer"


def test_the_first_reason_in_the_order_wins_and_a_policy_names_what_applies():
    everything = Policy(stops=STOP_ORDER, budgets=Budgets(llm_calls=0, tokens=0, cost_usd=0, deadline_seconds=0), max_turns=0)
    now = Moment(elapsed_seconds=9, cancelled=True, tools_down=True)
    of = state("supported", score=1.0)
    assert asked(everything, of, now=now) == "cancelled"
    now = dataclasses.replace(now, cancelled=False)
    assert asked(everything, of, now=now) == "verified"
    assert asked(dataclasses.replace(everything, stops=("hard_cap", "target")), of, now=now) == "breaker_open"
    now = dataclasses.replace(now, tools_down=False)
    found: list[str | None] = []
    for budgets in (everything.budgets, Budgets(llm_calls=0, tokens=0, cost_usd=0), Budgets(llm_calls=0, cost_usd=0), Budgets(llm_calls=0), Budgets()):
        found.append(asked(dataclasses.replace(everything, stops=("checked", "hard_cap", "target"), budgets=budgets), of, now=now))
    assert found == ["deadline", "token_budget", "cost_budget", "call_budget", "target"]
    assert asked(dataclasses.replace(everything, stops=("checked", "hard_cap"), budgets=Budgets()), of, now=now) == "hard_cap"
    assert asked(dataclasses.replace(everything, stops=("checked",), budgets=Budgets()), of, now=now) == "checked"
    assert asked(dataclasses.replace(everything, stops=(), budgets=Budgets()), of, now=now) is None


@pytest.mark.parametrize(
    ("of", "draft", "status"),
    [
        (None, "A", "failed"),
        (State(text=" "), "A", "failed"),
        (state("contradicted", "supported", "insufficient", text="A"), "A", "disputed"),
        (state("supported", "insufficient", text="A"), "A", "unverified"),
        (state("supported", "unavailable", text="A"), "B", "unverified"),
        (state("skipped", text="A"), "B", "unverified"),
        (state(text="A"), "A", "unverified"),
        (state("supported", text="A"), "B", "corrected"),
        (state("supported", "skipped", text="A"), "A", "verified"),
    ],
)
def test_status(of: State | None, draft: str, status: str):
    assert status_of(of, draft) == status


def test_an_undecided_claim_that_is_not_worth_checking_does_not_make_a_text_unverified():
    of = State(text="A", checks=(check("supported"), check("insufficient", "I like it.", checkworthy=False)))
    assert status_of(of, "A") == "verified"


# A run under the rules, as the loop plays it, over recorded candidates


def played(policy: Policy, first: str, texts: list[str]) -> tuple[Turn, ...]:
    return run(policy, state("contradicted", text=first), [state("contradicted", text=text) for text in texts])[1]


def run(policy: Policy, first: State, candidates: list[State]) -> tuple[State, tuple[Turn, ...], str | None]:
    retained, history = first, list[Turn]()
    for candidate in candidates:
        reason = stop(policy, retained, history, SPENT, NOW)
        if reason is not None:
            return retained, tuple(history), reason
        problems = tuple(Problem(claim=item.claim, message="wrong") for item in retained.checks if item.status == "contradicted")
        matched = dataclasses.replace(candidate, matching={item.claim.id: item.claim.id for item in retained.checks})
        decision = decide(policy, retained, matched, problems)
        history.append(Turn(number=len(history) + 1, problems=problems, candidate=matched, decision=decision))
        before = retained
        if decision.accepted:
            retained = matched
        assert decision.accepted or retained is before
    return retained, tuple(history), stop(policy, retained, history, SPENT, NOW)


TEXTS = st.sampled_from(["A", "B", "C", "A "])
STATES = st.builds(
    lambda text, statuses, score: state(*statuses, text=text, score=score),
    TEXTS,
    st.lists(st.sampled_from(["supported", "contradicted", "insufficient"]), max_size=2),
    st.none() | st.integers(0, 100).map(lambda n: n / 100),
)
HISTORY_RULES: tuple[StopReason, ...] = ("nothing_to_check", "verified", "no_problem", "target", "unchanged", "cycle", "rejections", "stagnation", "stable")


@given(STATES, st.lists(STATES, min_size=8, max_size=8), st.sets(st.sampled_from(HISTORY_RULES)), st.sampled_from(["controller", "always", "latest"]))
@settings(max_examples=250, deadline=None)
def test_a_dynamic_run_is_the_exact_prefix_of_the_hard_cap_run(first: State, candidates: list[State], rules: set[StopReason], accept: Any):
    hard = Policy(stops=("hard_cap",), max_turns=8, accept=accept)
    dynamic = dataclasses.replace(hard, stops=(*rules, "hard_cap"))
    _, whole, reason = run(hard, first, candidates)
    retained, part, _ = run(dynamic, first, candidates)
    assert part == whole[: len(part)]
    assert len(whole) == 8
    assert reason == "hard_cap"
    kept = [entry.candidate for entry in part if entry.decision.accepted]
    assert retained == (kept[-1] if kept else first)


@given(STATES, st.lists(STATES, max_size=5), st.floats(0, 1e6), st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_history_rules_look_at_nothing_else_and_change_nothing(first: State, candidates: list[State], seconds: float, tokens: int):
    policy = Policy(stops=(*HISTORY_RULES, "hard_cap"), max_turns=5)
    retained, history, reason = run(policy, first, candidates)
    before = copy.deepcopy((retained, history))
    usage = Usage(input_tokens=tokens, cost_usd=1.0)
    again = stop(policy, retained, history, usage, Moment(elapsed_seconds=seconds))
    assert again == reason
    assert (retained, history) == before
