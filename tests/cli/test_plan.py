"""`narratoria plan`: the plan for typed words, and the reasons for it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from narratoria.cli.commands import narratoria
from narratoria.contracts import check


def planned(*arguments: str) -> str:
    result = CliRunner().invoke(narratoria, ["plan", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_it_prints_a_plan_that_keeps_the_contract(form: tuple[str, ...]) -> None:
    told = planned("I pick the lock", "--planner", "patterns", *form)
    assert check("plan-json", told) == ()
    assert [tool["toolId"] for tool in json.loads(told)["tools"]] == ["odds", "roll", "narrate", "choices"]
    assert json.loads(told)["metadata"]["planner"] == "patterns"


def test_it_explains_in_words_who_planned_and_why() -> None:
    told = planned("I pick the lock", "--planner", "patterns", "--explain")
    assert "Planned by: patterns." in told
    assert "because the patterns were asked for" in told
    assert "dice-roller/roll-dice" in told


def test_the_scores_can_be_had_as_json() -> None:
    told = json.loads(planned("I pick the lock", "--explain", "--json"))
    assert told["by"] in ("model", "scorer", "patterns")
    assert check("plan-json", json.dumps(told["plan"])) == ()
    assert {"script", "chosen", "needed", "harmless", "why"} <= told["scores"][0].keys()


def test_a_model_that_cannot_be_found_is_a_reason_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_MODEL", "nope")
    told = json.loads(planned("I pick the lock", "--planner", "model", "--json"))
    assert told["metadata"]["planner"] in ("scorer", "patterns")
    assert "there is no model called 'nope'" in told["metadata"]["reasons"][0]


def test_it_plans_in_the_scene_of_a_campaign() -> None:
    told = json.loads(
        planned("I look around", "--campaign", "tomorrows-post", "--planner", "patterns", "--json")
    )
    narrate = next(tool for tool in told["tools"] if tool["toolId"] == "narrate")
    assert narrate["input"]["place"]["name"]
