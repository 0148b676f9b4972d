"""Problems of a campaign: in order, once each, and in a form that editors find."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.campaign.problems import (
    error,
    from_problem,
    info,
    raise_errors,
    sort_problems,
    warning,
)
from narratoria.errors import ContractViolation, Problem

HOME = Path("/campaigns/mill")


def test_a_problem_is_printed_as_compilers_do() -> None:
    problem = warning("missing-file", "there is no file", "plot/beats.json", "/beats/2", 14, 3)
    assert problem.as_line(HOME) == (
        "/campaigns/mill/plot/beats.json:14:3: warning: there is no file [missing-file]"
    )
    assert info("sparse", "has little in it").as_line(HOME) == (
        "/campaigns/mill:1:1: info: has little in it [sparse]"
    )


def test_problems_stand_by_file_and_place_and_each_once() -> None:
    first = error("a", "first", "a.md", "", 2, 1)
    later, same_place = warning("b", "later", "a.md", "", 10, 1), error("c", "worse", "a.md", "", 10, 1)
    other = info("d", "other", "b.md")
    assert sort_problems([other, later, same_place, first, later]) == (first, same_place, later, other)


def test_only_errors_are_raised_and_all_of_them() -> None:
    raise_errors([warning("a", "a"), info("b", "b")], HOME)
    problems = [error("a", "one", "x.md"), warning("b", "no"), error("c", "two")]
    with pytest.raises(ContractViolation) as raised:
        raise_errors(problems, HOME)
    assert [(problem.message, problem.file) for problem in raised.value.problems] == [
        ("one", "/campaigns/mill/x.md"),
        ("two", "/campaigns/mill"),
    ]


def test_a_problem_of_a_contract_keeps_its_place() -> None:
    problem = from_problem(Problem("no", "/a", "x.json", 3, 4), "error", "schema")
    assert problem.as_document() == {
        "severity": "error",
        "code": "schema",
        "message": "no",
        "file": "x.json",
        "pointer": "/a",
        "line": 3,
        "column": 4,
    }
