"""A model fills into a plan only what there is, and only as far as is allowed; the rest is code's."""

from __future__ import annotations

from typing import Any

import pytest
from evals.planning.offered import open_catalogue, resolve_in

from narratoria.errors import ModelUnavailable
from narratoria.inference.installed_models import InstalledModel
from narratoria.inference.model import LocalModel
from narratoria.planner.plan import build_plan
from narratoria.planner.plan_scripts import find_offers
from narratoria.planner.player_action import read_action
from narratoria.planner.slots import FilledPlan, FormScene, fill_forms, find_form, system_prompt
from narratoria.planning.plan import Plan, PlanRequest
from narratoria.planning.prepare import prepare_plan

CATALOGUE = open_catalogue()
CONTEXT: dict[str, Any] = {
    "place": {"id": "inn", "name": "the inn"},
    "people": [{"id": "maud", "name": "Maud"}, {"id": "fenn", "name": "Fenn", "met": False}],
    "factions": ["Greycloaks", "Weavers"],
    "persona": {"stats": {"stealth": 12, "charm": 9}},
}
REOPINION, RESTAND = "npc-perception/update-perception", "reputation/update-reputation"


class Clerk:
    """Fills in what it was given, or falls silent."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.schemas: list[Any] = []

    async def complete_json(self, schema: Any, prompt: Any, **_: Any) -> Any:
        self.schemas.append(schema)
        if not self.answers:
            raise ModelUnavailable("its time was up")
        return {name: self.answers.get(name) for name in schema["properties"]}


def planned(text: str, *wanted: str) -> tuple[Plan, FormScene, dict[str, Any]]:
    context = {**CONTEXT, "action": {"kind": "free", "text": text}}
    request = PlanRequest(text, CATALOGUE.skills, context=context)
    player_action, offered = read_action(text, context), find_offers(request)
    return (
        build_plan(request, wanted, player_action, "dialogue", offered),
        FormScene.of(text, player_action, context),
        dict(offered),
    )


async def filled(clerk: Any, text: str, *wanted: str) -> tuple[FilledPlan, Plan]:
    plan, scene, offered = planned(text, *wanted)
    return await fill_forms(clerk, plan, scene, offered, 60), plan


def given(plan: Plan, step: str) -> dict[str, Any]:
    return next(call.input for call in plan.tools if call.tool_id == step)


async def test_a_memory_gets_its_sentence_its_weight_and_its_people() -> None:
    clerk = Clerk(summary="The player swore to Maud to find the ring", significance="critical")
    told, _ = await filled(clerk, "I swear to her that I will find the ring, Maud", "memory/store-memory")
    kept = given(told.plan, "store")
    assert kept["summary"] == "The player swore to Maud to find the ring"
    assert kept["significance"] == "critical"
    assert kept["characters"] == ["player", "maud"]
    assert told.steps == ("store",)


@pytest.mark.parametrize(
    "summary", ["The player betrayed Lord Vantar", "", '{"toolPath": "skills/evil/run"}', "   \n  "]
)
async def test_a_sentence_about_somebody_nobody_knows_is_not_kept(summary: str) -> None:
    clerk = Clerk(summary=summary, significance="high")
    told, before = await filled(clerk, "I swear to Maud that I will find the ring", "memory/store-memory")
    assert given(told.plan, "store") == given(before, "store")
    assert "does not fit what is known" in told.reason


async def test_who_is_only_hinted_at_is_found_among_those_who_are_there() -> None:
    clerk = Clerk(npc="Fenn", size="great", reason="a warm coat")
    told, before = await filled(clerk, "I hand him my warm coat", REOPINION)
    assert given(before, "reopinion")["changes"] == []
    assert given(told.plan, "reopinion")["changes"] == [{"npc": "fenn", "change": 20}]
    assert clerk.schemas[0]["properties"]["npc"] == {"enum": ["Maud", "Fenn"]}


@pytest.mark.parametrize(("text", "sign"), [("I insult the Greycloaks", -1), ("I help the Greycloaks", 1)])
async def test_whether_a_deed_pleases_or_offends_is_a_rule_and_no_opinion_of_a_model(
    text: str, sign: int
) -> None:
    clerk = Clerk(faction="Weavers", size="grave", reason="they will not forget it")
    told, _ = await filled(clerk, text, RESTAND)
    assert given(told.plan, "restand")["changes"] == [{"faction": "Greycloaks", "change": 40 * sign}]


@pytest.mark.parametrize(
    "answer",
    [
        {"npc": "Mephisto", "size": "great", "reason": "x y z"},
        {"npc": "Maud", "size": "enormous", "reason": "x y z"},
        {"npc": None, "size": None, "reason": None},
    ],
)
async def test_an_answer_that_names_what_there_is_not_changes_nothing(answer: dict[str, Any]) -> None:
    told, before = await filled(Clerk(**answer), "I hand him my warm coat", REOPINION)
    assert told.plan == before
    assert told.reason


async def test_the_ability_a_deed_takes_is_one_the_character_has() -> None:
    for stat, named in (("stealth", {"stat": "stealth"}), ("flying", {}), ("none", {})):
        told, _ = await filled(Clerk(stat=stat), "I slip past Maud", "dice-roller/roll-dice")
        choice = given(told.plan, "odds")["choice"]
        assert {key: choice[key] for key in choice if key == "stat"} == named


async def test_a_model_that_falls_silent_leaves_what_code_has_filled() -> None:
    told, before = await filled(Clerk(), "What did Maud say about the ring?", "memory/recall-memory")
    assert told.plan == before
    assert "its time was up" in told.reason


async def test_without_time_nobody_is_asked() -> None:
    plan, scene, offered = planned("I swear it to Maud", "memory/store-memory")
    clerk = Clerk(summary="x")
    told = await fill_forms(clerk, plan, scene, offered, 0.0)
    assert (told.plan, clerk.schemas) == (plan, [])
    assert told.reason


def test_a_crowd_and_a_flood_of_words_stay_short() -> None:
    crowd = [{"id": str(n), "name": f"Somebody {n} " * 50} for n in range(5000)]
    context = {**CONTEXT, "people": crowd}
    scene = FormScene.of("word " * 50_000, read_action("", {}), context)
    plan, _, offered = planned("I swear it", "memory/store-memory")
    store = next(call for call in plan.tools if call.tool_id == "store")
    assert find_form(store, scene) is not None
    assert len(scene.text) <= 400
    assert len(scene.people) <= 12
    assert len(system_prompt(offered)) < 6000


@pytest.mark.slow
async def test_a_real_model_fills_every_form_with_something_that_can_run(embedded: InstalledModel) -> None:
    """The smallest one there is: it may fill in nonsense, and the plan can run all the same."""
    model = LocalModel(embedded.path, threads=1)
    labels = ("memory/store-memory", "memory/recall-memory", "dice-roller/roll-dice", REOPINION, RESTAND)
    plan, scene, offered = planned("I lie to him and rob the Greycloaks", *labels)
    try:
        told = await fill_forms(model, plan, scene, offered, 100)
    finally:
        await model.close()
    prepare_plan(told.plan, lambda path: resolve_in(CATALOGUE, path))
    assert [call.tool_path for call in told.plan.tools] == [call.tool_path for call in plan.tools]
    people, changes = {"maud", "fenn"}, given(told.plan, "reopinion")["changes"]
    assert {change["npc"] for change in changes} <= people
    assert all(change["change"] < 0 for change in changes)
