"""A script that declares its input gets just that, or is left out of the plan with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from evals.planning.offered import open_catalogue

from narratoria.planner.plan import build_plan, is_required
from narratoria.planner.plan_scripts import ScriptOffer, find_offers
from narratoria.planner.player_action import read_action
from narratoria.planning.plan import Plan, PlanRequest
from narratoria.skills.skill import Skill, SkillScript

CONTEXT: dict[str, Any] = {"place": {"id": "inn", "name": "the inn"}, "people": []}


def plan_with(schema: dict[str, Any] | None, **more: Any) -> Plan:
    script = SkillScript("draw", Path("draw.py"), required=False, input_schema=schema)
    omens = Skill("omens", "1.0.0", "Omens.", Path("omens"), scripts=(script,), **more)
    text = "I look at the stars"
    context = {**CONTEXT, "action": {"kind": "free", "text": text}}
    request = PlanRequest(text, [*open_catalogue().skills, omens], context=context)
    return build_plan(request, {"omens/draw"}, read_action(text, context), "dialogue", find_offers(request))


@pytest.mark.parametrize("required", [True, False])
def test_a_plan_fails_with_a_foreign_script_where_its_manifest_says_so(required: bool):
    script = SkillScript("draw", Path("draw.py"), required=required)
    assert is_required(ScriptOffer(Skill("omens", "1", "Omens.", Path("o")), script)) is required
    assert is_required(ScriptOffer(Skill("memory", "1", "Memory.", Path("m")), script)) is False
    assert is_required(ScriptOffer(Skill("omens", "1", "Omens.", Path("o")), script), {"omens"}) is False


def call(plan: Plan, tool_id: str) -> Any:
    return next((one for one in plan.tools if one.tool_id == tool_id), None)


def test_a_declared_input_holds_what_is_declared_and_nothing_else():
    plan = plan_with({"type": "object", "properties": {"place": {"type": "string"}}})
    assert call(plan, "omens/draw").input == {"place": "the inn"}
    assert call(plan, "narrate").input["findings"] == {"omens/draw": {"$from": "omens/draw"}}


def test_without_a_declared_input_a_script_gets_all_it_could_want():
    assert call(plan_with(None), "omens/draw").input["place"] == CONTEXT["place"]


def test_a_script_whose_input_cannot_be_filled_is_left_out_and_nobody_waits_for_it():
    plan = plan_with({"properties": {"spell": {"type": "string"}}, "required": ["spell"]})
    assert call(plan, "omens/draw") is None
    assert plan.metadata.reasons == ("omens/draw is left out: input: 'spell' is missing; add it",)
    assert "omens/draw" not in call(plan, "narrate").dependencies
    assert "findings" not in call(plan, "narrate").input


def test_what_a_chosen_skill_says_in_its_skill_md_reaches_the_storyteller(tmp_path: Path):
    (tmp_path / "SKILL.md").write_text("---\nname: omens\ndescription: Omens.\n---\nNever explain an omen.\n")
    script = SkillScript("draw", Path("draw.py"), required=False)
    omens = Skill("omens", "1", "Omens.", tmp_path, scripts=(script,), instructions=tmp_path / "SKILL.md")
    context = {**CONTEXT, "action": {"kind": "free", "text": "I look up"}}
    request = PlanRequest("I look up", [*open_catalogue().skills, omens], context=context)
    action, offers = read_action("I look up", context), find_offers(request)
    chosen = build_plan(request, {"omens/draw"}, action, "dialogue", offers)
    assert call(chosen, "narrate").input["advice"][0] == "Never explain an omen."
    assert "advice" not in call(build_plan(request, (), action, "dialogue", offers), "narrate").input or (
        "Never explain an omen."
        not in call(build_plan(request, (), action, "dialogue", offers), "narrate").input["advice"]
    )
