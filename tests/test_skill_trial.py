"""The script of a skill that is tried is the likeliest one, and only its own calls count."""

from __future__ import annotations

from pathlib import Path

from narratoria.planner.plan_scripts import Score
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.skill_trial import find_calls, pick_label
from narratoria.skills.skill import Skill, SkillScript

OMENS = Skill(
    "omens",
    "1.0.0",
    "Omens.",
    Path("omens"),
    scripts=(SkillScript("draw", Path("draw.py")), SkillScript("read", Path("read.py"))),
)


def test_the_likeliest_script_is_tried_and_the_first_where_none_is_likely():
    assert pick_label(OMENS, [Score("omens/read", 0.4, 0.4, "")]) == "omens/read"
    assert pick_label(OMENS, []) == "omens/draw"


def test_only_the_calls_of_the_skill_itself_are_found():
    calls = [
        ToolInvocation(tool_id=name, tool_path=f"skills/{name}") for name in ("omens/draw", "omens-2/draw")
    ]
    plan = Plan(request_id="r", tools=tuple(calls))
    assert [call.tool_id for call in find_calls(plan, "omens")] == ["omens/draw"]
