"""Errors say where, what and what next, in one line each."""

from __future__ import annotations

import pytest

from narratoria.errors import (
    ContractViolation,
    CyclicDependencyException,
    PlanRejected,
    Problem,
    ProtocolViolationException,
)


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (Problem("is missing"), "is missing"),
        (Problem("is missing", "/a"), "/a: is missing"),
        (Problem("is missing", "/a", "b.json"), "b.json /a: is missing"),
        (Problem("is missing", "/a", "b.json", 14, 3), "b.json:14 /a: is missing"),
        (Problem("is missing", "", "", 14), "is missing"),
    ],
)
def test_a_problem_names_its_place_as_far_as_it_is_known(problem: Problem, line: str) -> None:
    assert str(problem) == line


def test_a_violation_lists_every_problem() -> None:
    violation = ContractViolation([Problem("one"), Problem("two", "/b")])
    assert str(violation) == "one\n/b: two"


def test_a_circle_is_a_reason_to_reject_a_plan_and_is_drawn() -> None:
    circle = CyclicDependencyException(["a", "b", "a"])
    assert isinstance(circle, PlanRejected)
    assert str(circle) == "/tools: circular dependency: a → b → a"
    told = CyclicDependencyException(["a"], [Problem("in words", "/tools/0")])
    assert (told.cycle, str(told)) == (("a",), "/tools/0: in words")


def test_a_violation_of_the_protocol_names_its_line_and_its_field() -> None:
    assert str(ProtocolViolationException(3, "level", "is missing")) == "line 3: level: is missing"
    assert str(ProtocolViolationException(3, "", "is no JSON")) == "line 3: is no JSON"
