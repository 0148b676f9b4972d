"""A skill's health: four states, seven transitions, and no others."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.skills.health import (
    Observation,
    SessionHealth,
    SkillErrorState,
    SkillHealth,
    classify_failure,
)

OBSERVATIONS: tuple[Observation, ...] = get_args(Observation)
STATES: tuple[SkillErrorState, ...] = get_args(SkillErrorState)

# within a session; the seventh is a new session
TRANSITIONS = {
    ("healthy", "temporaryFailure"),
    ("healthy", "degraded"),
    ("degraded", "healthy"),
    ("degraded", "permanentFailure"),
    ("temporaryFailure", "healthy"),
    ("temporaryFailure", "permanentFailure"),
}


def after(*invocations: list[Observation], exhausted: bool = True) -> SessionHealth:
    health = SessionHealth()
    for runs in invocations:
        health = health.after("dice", runs, exhausted=exhausted)
    return health


@pytest.mark.parametrize(
    ("invocations", "state"),
    [
        ([], "healthy"),
        ([["success"]], "healthy"),
        ([["failure"], ["failure"]], "healthy"),
        # a timeout or a network error
        ([["transient", "success"], ["success"]], "healthy"),
        # three failures in a row
        ([["failure"], ["failure"], ["failure"]], "degraded"),
        ([["failure", "failure", "failure"]], "degraded"),
        ([["failure", "failure", "success"], ["failure"]], "healthy"),
        ([["failure"] * 2, ["success"], ["failure"] * 2], "healthy"),
        # a degraded skill succeeds
        ([["failure"] * 3, ["success"]], "healthy"),
        ([["failure"] * 4, ["failure", "success"]], "healthy"),
        # three more failures, of any kind
        ([["failure"] * 3, ["failure"] * 2], "degraded"),
        ([["failure"] * 3, ["failure"] * 3], "permanentFailure"),
        ([["failure"] * 6], "permanentFailure"),
        ([["failure"] * 3, ["transient"] * 3], "permanentFailure"),
        ([["failure"] * 3, ["failure", "transient"]], "degraded"),
        # it failed while the host kept it waiting, which says nothing about the skill
        ([["late", "late"]], "healthy"),
        ([["late"]] * 9, "healthy"),
        ([["failure"] * 2, ["late"], ["failure"]], "degraded"),
        # a retry succeeds
        ([["transient", "success"]], "healthy"),
        ([["transient", "failure", "transient", "success"]], "healthy"),
        # the retries are used up
        ([["transient"]], "permanentFailure"),
        ([["transient", "transient"]], "permanentFailure"),
        ([["transient", "failure"]], "permanentFailure"),
        ([["failure", "transient"]], "permanentFailure"),
        # and that is for good
        ([["transient"], ["success"]], "permanentFailure"),
        ([["failure"] * 6, ["success"], ["success"]], "permanentFailure"),
    ],
)
def test_the_health_after_these_invocations(
    invocations: list[list[Observation]], state: SkillErrorState
) -> None:
    health = after(*invocations)
    assert health.of("dice").state == state
    assert (health.disabled == {"dice"}) == (state == "permanentFailure")


def test_a_timeout_makes_a_healthy_skill_a_temporary_failure() -> None:
    assert SkillHealth().after("transient").state == "temporaryFailure"
    assert SkillHealth("healthy", 2).after("transient").state == "temporaryFailure"


def test_a_temporary_failure_lasts_until_a_success_or_the_last_retry() -> None:
    health = SkillHealth()
    for observation in ("transient", "failure", "transient", "failure", "failure"):
        health = health.after(observation)
        assert health.state == "temporaryFailure"
        assert health.can_select
    assert health.given_up().state == "permanentFailure"
    assert health.after("success") == SkillHealth()


def test_only_a_temporary_failure_is_given_up() -> None:
    for state in STATES:
        expected = "permanentFailure" if state == "temporaryFailure" else state
        assert SkillHealth(state).given_up().state == expected


def test_a_plan_that_was_over_before_the_last_retry_gives_nothing_up() -> None:
    health = after(["transient"], exhausted=False)
    assert health.of("dice").state == "temporaryFailure"
    assert health.disabled == frozenset()
    assert health.after("dice", ["success"]).of("dice").state == "healthy"
    assert health.after("dice", ["failure"]).of("dice").state == "permanentFailure"


def test_a_restarted_session_knows_of_no_failure() -> None:
    assert after(["transient"]).disabled == {"dice"}
    assert SessionHealth().of("dice") == SkillHealth("healthy", 0)


def test_another_chance_makes_only_what_was_given_up_as_good_as_new() -> None:
    health = SessionHealth().after("dice", ["transient"]).after("memory", ["failure"] * 3)
    again = health.with_another_chance()
    assert again.of("dice") == SkillHealth()
    assert again.of("memory").state == "degraded"


def test_all_but_permanent_failures_can_be_selected() -> None:
    assert [SkillHealth(state).can_select for state in STATES] == [
        state != "permanentFailure" for state in STATES
    ]


def test_skills_are_watched_apart_and_earlier_values_stay() -> None:
    first = SessionHealth().after("dice", ["transient"])
    second = first.after("memory", ["failure"] * 3).after("dice", ["success"])
    assert first.skills.keys() == {"dice"}
    assert {name: health.state for name, health in second.skills.items()} == {
        "dice": "permanentFailure",
        "memory": "degraded",
    }
    assert second.disabled == {"dice"}


@pytest.mark.parametrize(
    ("category", "code", "observation"),
    [
        ("timeout", "TIMEOUT", "transient"),
        ("timeout", "RUNNER_GUARDRAIL", "transient"),
        ("timeout", "PLAN_DEADLINE", "transient"),
        ("tool_failure", "NETWORK_ERROR", "transient"),
        ("tool_failure", "network_unreachable", "transient"),
        ("tool_failure", "NETWORK", "transient"),
        ("tool_failure", "NO_NETWORK_CARD", "failure"),
        ("tool_failure", "NO_LUCK", "failure"),
        ("invalid_json", "INVALID_LINE", "failure"),
        ("process_error", "NONZERO_EXIT", "failure"),
    ],
)
def test_how_a_failure_counts(category: str, code: str, observation: Observation) -> None:
    assert classify_failure(category, code) == observation


def test_from_every_state_every_observation_leads_where_the_table_says_or_nowhere() -> None:
    for state, failures, observation in product(STATES, range(4), OBSERVATIONS):
        health = SkillHealth(state, failures)
        following = health.after(observation)
        assert following.state == state or (state, following.state) in TRANSITIONS


@given(st.lists(st.tuples(st.lists(st.sampled_from(OBSERVATIONS), min_size=1, max_size=4), st.booleans())))
def test_whatever_happens_only_the_specified_transitions_do(
    invocations: list[tuple[list[Observation], bool]],
) -> None:
    health = SkillHealth()
    session = SessionHealth()
    for runs, exhausted in invocations:
        for observation in runs:
            following = health.after(observation)
            assert following.state == health.state or (health.state, following.state) in TRANSITIONS
            if observation == "success" and health.state != "permanentFailure":
                assert following == SkillHealth()
            health = following
        if exhausted and runs[-1] not in ("success", "late"):
            given_up = health.given_up()
            assert given_up.state == health.state or (health.state, given_up.state) in TRANSITIONS
            health = given_up
        session = session.after("dice", runs, exhausted=exhausted)
        assert session.of("dice") == health
        assert health.failures < 3 or health.state == "temporaryFailure"
