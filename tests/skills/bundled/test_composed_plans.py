"""Every bundled script in a plan that was put together for it runs on the real store, and does its part."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.story_host import Tale, tale

from narratoria.planner.plan import add_groups, build_plan
from narratoria.planner.plan_scripts import find_offers
from narratoria.planner.player_action import read_action
from narratoria.planning.plan import Plan, PlanRequest
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.result import ExecutionResult

SCENE: dict[str, Any] = {
    "place": {"id": "inn", "name": "the inn", "arrival": "A low room.", "moments": [], "unseen": 0},
    "people": [
        {"id": "maud", "name": "Maud", "role": "innkeeper", "appearance": "grey-haired, in an apron"},
        {
            "id": "fenn",
            "name": "Fenn",
            "role": "pedlar",
            "appearance": "a scar across the nose",
            "met": False,
        },
    ],
    "persona": {"name": "Ada", "stats": {"stealth": 17, "charm": 5}, "traits": ["quick"], "items": []},
    "statRange": {"low": 1, "high": 20},
    "ledger": {"present": ["Maud", "Fenn"], "factions": ["Greycloaks"], "items": [], "title": "A tale"},
    "memories": [],
    "gameTime": 90,
    "sceneType": "dialogue",
}


@pytest.fixture
async def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tale]:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    async with tale(tmp_path / "narratoria.db") as begun:
        yield begun


def planned(story: Tale, words: str, wanted: Collection[str], **scene: Any) -> Plan:
    context = {**SCENE, "action": {"kind": "free", "text": words}, **scene}
    request = add_groups(PlanRequest(words, story.tools.offered(), context=context))
    return build_plan(
        request, wanted, read_action(words, request.context), "resolution", find_offers(request)
    )


async def done(story: Tale, words: str, *wanted: str, **scene: Any) -> dict[str, Any]:
    """What each step of the plan answered; all of them succeeded."""
    result: ExecutionResult = await story.play(*planned(story, words, wanted, **scene).tools)
    assert [(tool.tool_id, tool.error) for tool in result.tool_results if not tool.ok] == []
    return {tool.tool_id: tool.output for tool in result.tool_results}


async def test_what_was_stored_is_recalled(story: Tale) -> None:
    kept = await done(story, "I swear to Maud that I will find her ring", "memory/store-memory")
    assert kept["store"]["characters"] == ["player", "maud"]
    assert kept["store"]["witnesses"] == ["player", "maud", "fenn"]
    assert kept["store"]["significance"] == "high"
    told = await done(story, "What did I swear to Maud about her ring?", "memory/recall-memory")
    assert "ring" in told["recall"]["memories"][0]["summary"]


async def test_a_group_that_only_the_ledger_names_is_robbed_and_then_asked(story: Tale) -> None:
    robbed = await done(story, "I rob the Greycloaks", "reputation/update-reputation")
    (change,) = robbed["restand"]["updated"]
    assert change["faction"] == "Greycloaks"
    assert change["score"] < 0
    asked = await done(story, "I ask the Greycloaks for shelter", "reputation/query-reputation")
    assert asked["standing"]["reputation"]["Greycloaks"] < 0


async def test_a_person_is_met_given_something_and_asked_what_they_think(story: Tale) -> None:
    met = await done(story, "I greet Fenn", "npc-perception/initialize-perception")
    assert [one["npc"] for one in met["first-opinion"]["perceptions"]] == ["fenn"]
    given = await done(story, "I give Maud my warm coat", "npc-perception/update-perception")
    (change,) = given["reopinion"]["updated"]
    assert (change["npc"], change["name"]) == ("maud", "Maud")
    assert change["change"] > 0
    asked = await done(story, "What does Maud think of me?", "npc-perception/query-perception")
    (view,) = asked["opinion"]["perceptions"]
    assert view["perception"] == change["perception"]


async def test_what_speaks_for_a_typed_deed_is_weighed_once_and_counts_on_the_dice(story: Tale) -> None:
    told = await done(story, "I sneak past Maud", "dice-roller/roll-dice", "npc-perception/query-perception")
    assert {"name": "stealth", "value": 1} in [
        {"name": one["name"], "value": one["value"]} for one in told["odds"]["modifiers"]
    ]
    assert told["roll"]["modifier"] == sum(one["value"] for one in told["odds"]["modifiers"])
    assert told["narrate"]["paragraphs"]
    assert 3 <= len(told["choices"]["choices"]) <= 4


async def test_a_deed_that_is_risky_by_itself_rolls_the_formula_that_was_counted(story: Tale) -> None:
    action = {"kind": "beat", "text": "Climb the wall", "risky": True, "formula": "2d6+2"}
    told = await done(story, "Climb the wall", "dice-roller/roll-dice", action=action)
    assert "odds" not in told
    assert told["roll"]["modifier"] == 2


async def test_somebody_new_is_drawn_and_found_again(story: Tale) -> None:
    if not any(skill.name == "character-portraits" for skill in story.tools.offered()):
        pytest.skip("no skill draws portraits here")
    drawn = await done(story, "I look closely at Fenn", "character-portraits/generate-portrait")
    assert drawn["portrait"]["characterId"] == "fenn"
    found = await done(story, "Show me Fenn", "character-portraits/lookup-portrait")
    assert found["portrait-found"]["found"]
    again = await done(story, "I cut my hair short", "character-portraits/update-portrait")
    assert again["portrait-again"]["characterId"] == "player"


async def test_who_comes_into_a_room_full_of_strangers_sees_one_of_them(story: Tale) -> None:
    plan = planned(story, "Go to the inn", (), action={"kind": "go", "text": "Go to the inn"})
    drawn = [call for call in plan.tools if call.tool_path.endswith("/generate-portrait")]
    offered = any(skill.name == "character-portraits" for skill in story.tools.offered())
    assert [call.input["characterId"] for call in drawn] == (["fenn"] if offered else [])
    assert not any(call.required for call in drawn)


def launches_in_a_row(plan: Plan) -> int:
    """How many processes the longest chain of steps starts one after the other."""
    length: dict[str, int] = {}
    for call in plan.tools:  # in the order of a plan nobody comes before whom they wait for
        length[call.tool_id] = 1 + max((length[other] for other in call.dependencies), default=0)
    return max(length.values())


@pytest.mark.parametrize(
    ("words", "wanted", "in_a_row"),
    [
        ("I look around", (), 1),
        ("What did Maud tell me?", ("memory/recall-memory", "npc-perception/query-perception"), 2),
        ("I give Maud my coat", ("npc-perception/update-perception", "reputation/query-reputation"), 2),
        ("I swear it to Maud", ("memory/store-memory", "npc-perception/update-perception"), 2),
        ("I sneak past Maud", ("npc-perception/query-perception", "dice-roller/roll-dice"), 4),
    ],
)
async def test_what_is_independent_does_not_wait(
    story: Tale, words: str, wanted: tuple[str, ...], in_a_row: int
) -> None:
    plan = planned(story, words, wanted)
    assert plan.parallel
    assert all(call.async_ for call in plan.tools)
    assert launches_in_a_row(plan) == in_a_row
    prepared = prepare_plan(plan, story.tools.resolve)
    after = prepared.graph.all_dependents
    steps = {call.tool_id for call in plan.tools}
    for first, then in (
        ("recall", "narrate"),
        ("opinion", "roll"),
        ("roll", "narrate"),
        ("narrate", "store"),
    ):
        if {first, then} <= steps:
            assert then in after(first)


async def test_the_kind_of_scene_is_the_engines_unless_something_is_rolled(story: Tale) -> None:
    for wanted, kind in (((), "dialogue"), (("dice-roller/roll-dice",), "danger")):
        plan = planned(story, "I speak to Maud", wanted)
        (narrate,) = [call for call in plan.tools if call.tool_id == "narrate"]
        assert narrate.input["sceneType"] == kind


async def test_a_whole_turn_of_everything_succeeds_at_once(story: Tale) -> None:
    request = add_groups(
        PlanRequest("I lie to Maud about the Greycloaks", story.tools.offered(), context={**SCENE})
    )
    every = {label for label in find_offers(request) if not label.startswith("character-portraits/")}
    player_action = read_action(request.player_input, request.context)
    plan = build_plan(request, every, player_action, "dialogue", find_offers(request))
    result = await story.play(*plan.tools)
    assert [tool.tool_id for tool in result.tool_results if tool.error and not tool.ok] == []
