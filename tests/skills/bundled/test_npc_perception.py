"""The perception skill: what single people think of the player, and what that does to the dice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.story_host import Tale, configure, step, tale

UPDATE, QUERY = "npc-perception/update-perception", "npc-perception/query-perception"
MEET = "npc-perception/initialize-perception"
BACKENDS = ("shared", "files")


async def opinion(story: Tale, npc: str, **given: Any) -> dict[str, Any]:
    (one,) = (await story.ask(QUERY, npcs=[npc], **given))["perceptions"]
    found: dict[str, Any] = one
    return found


@pytest.mark.parametrize("backend", BACKENDS)
async def test_an_opinion_changes_with_its_reason_and_outlasts_the_sitting(file: Path, backend: str) -> None:
    configure("npc-perception", storageBackend=backend)
    async with tale(file) as story:
        changes = [{"npc": "aldric", "change": 45}, {"npc": "pell", "change": -20, "reason": "left standing"}]
        answer = await story.ask(UPDATE, changes=changes, reason="mended the anvil")
        assert story.state.get("perception") == {"aldric": 45, "pell": -20}
    assert [(one["npc"], one["change"], one["reason"]) for one in answer["updated"]] == [
        ("aldric", 45, "mended the anvil"),
        ("pell", -20, "left standing"),
    ]
    async with tale(file) as story:
        held = await opinion(story, "aldric")
    assert (held["perception"], held["sentiment"], held["modifier"]) == (45, 0.45, 1)
    assert (held["tone"], held["known"]) == ("warm", True)
    assert [one["reason"] for one in held["reasons"]] == ["mended the anvil"]


MODIFIERS = {
    **dict.fromkeys((-100, -77), -3),
    **dict.fromkeys((-76, -54), -2),
    **dict.fromkeys((-53, -31), -1),
    **dict.fromkeys((-30, 0, 30), 0),
    **dict.fromkeys((31, 53), 1),
    **dict.fromkeys((54, 76), 2),
    **dict.fromkeys((77, 100), 3),
}


async def test_an_opinion_is_worth_one_to_three_on_the_dice(file: Path) -> None:
    async with tale(file) as story:
        changes = [{"npc": f"at {score}", "perception": score} for score in MODIFIERS]
        updated = (await story.ask(UPDATE, changes=changes))["updated"]
    assert {one["perception"]: one["modifier"] for one in updated} == MODIFIERS


@pytest.mark.parametrize(("scale", "given", "rolled"), [(0, 0, 0), (0.5, 1.5, 2), (1, 3, 3), (3, 9, 9)])
async def test_the_scale_of_modifiers_is_a_setting_and_the_dice_roller_uses_what_it_gives(
    file: Path, scale: float, given: float, rolled: int
) -> None:
    configure("npc-perception", modifierScale=scale)
    async with tale(file) as story:
        await story.ask(UPDATE, npc="aldric", perception=80)
        assert (await opinion(story, "aldric"))["modifier"] == given
        result = await story.play(
            step("opinion", QUERY, {"npcs": ["aldric"]}),
            step(
                "roll",
                "dice-roller/roll-dice",
                {"formula": "2d6", "opinion": {"$from": "opinion"}},
                ["opinion"],
            ),
        )
    roll = result.tool_results[1].output
    assert roll is not None
    assert roll["total"] == sum(roll["rolls"]) + rolled


async def test_who_was_helped_thinks_far_better_of_the_player_than_who_was_betrayed(file: Path) -> None:
    async with tale(file) as story:
        people = [{"id": "helped", "faction": "Smiths"}, {"id": "betrayed", "faction": "Smiths"}]
        await story.ask(MEET, npcs=people, persona={})
        await story.ask(UPDATE, npc="helped", change=25, reason="saved the forge")
        await story.ask(UPDATE, npc="betrayed", change=-40, reason="sold the secret")
        helped, betrayed = await opinion(story, "helped"), await opinion(story, "betrayed")
    assert helped["perception"] - betrayed["perception"] > 30


@pytest.mark.parametrize("backend", BACKENDS)
async def test_opinions_fade_by_a_tenth_a_week_and_strong_ones_by_half_of_that(
    file: Path, backend: str
) -> None:
    configure("npc-perception", storageBackend=backend)
    async with tale(file) as story:
        await story.ask(UPDATE, changes=[{"npc": "aldric", "change": 40}, {"npc": "pell", "change": -80}])
        await story.weeks_later(1)
        later = {"gameTime": 7 * 24 * 60}
        assert (await opinion(story, "aldric", **later))["perception"] == pytest.approx(36)
        assert (await opinion(story, "pell", **later))["perception"] == pytest.approx(-76)


# first impressions


async def meet(story: Tale, npc: str = "guard", **given: Any) -> dict[str, Any]:
    answer = await story.ask(MEET, **{"npcs": [{"id": npc, "faction": "Watch"}], "persona": {}, **given})
    (one,) = answer["initialized"]
    found: dict[str, Any] = one
    return found


async def test_a_first_opinion_is_half_the_factions_three_tenths_sight_and_two_tenths_chance(
    file: Path,
) -> None:
    async with tale(file) as story:
        await story.ask("reputation/update-reputation", faction="Watch", change=80, reason="caught a thief")
        fine = {"traits": ["elegant", "kind"], "items": ["medal", "flowers"]}
        one = await meet(story, persona=fine)
    assert one["parts"]["faction"] == 40
    assert one["parts"]["seen"] == 30
    assert -20 <= one["parts"]["chance"] <= 20
    assert one["perception"] == pytest.approx(sum(one["parts"].values()), abs=0.11)
    assert "Watch speaks well of you" in one["because"]
    assert "elegant" in one["because"]


async def test_chance_is_the_same_in_every_telling_and_differs_between_people(file: Path) -> None:
    async with tale(file) as story:
        first = await story.call(MEET, {"npcs": ["a", "b"], "persona": {}}, seed=11)
    async with tale(file.with_name("other.db")) as story:
        again = await story.call(MEET, {"npcs": ["a", "b"], "persona": {}}, seed=11)
    assert first.output is not None
    assert again.output == first.output
    a, b = (one["perception"] for one in first.output["initialized"])
    assert a != b


async def test_the_weight_of_the_faction_is_a_setting(file: Path) -> None:
    configure("npc-perception", factionInfluenceWeight=1)
    async with tale(file) as story:
        one = await meet(story, reputation={"The Watch": -70}, persona={"traits": ["charming"]})
    assert one["parts"] == {"faction": -70, "seen": 0, "chance": 0}


async def test_what_one_person_likes_another_may_not(file: Path) -> None:
    async with tale(file) as story:
        persona = {"items": ["a fiddle"], "traits": []}
        fond = await meet(story, npcs=[{"id": "fond", "likes": ["fiddle"]}], persona=persona)
        cold = await meet(story, npcs=[{"id": "cold", "dislikes": ["fiddle"]}], persona=persona)
        rough = await meet(story, npcs=[{"id": "rough"}], persona={"items": ["bloodstained axe"]})
    assert fond["parts"]["seen"] > 0 > cold["parts"]["seen"]
    assert rough["parts"]["seen"] < 0


async def test_what_the_state_says_of_the_player_counts_where_the_plan_says_nothing(file: Path) -> None:
    async with tale(file) as story:
        patch = {"persona": {"traits": ["charming"]}, "reputation": {"Watch": -50}}
        story.state = story.state.apply_patch(patch)
        (one,) = (await story.ask(MEET, npcs=[{"id": "guard", "faction": "Watch"}]))["initialized"]
    assert one["parts"]["faction"] == -25
    assert one["parts"]["seen"] > 0


async def test_who_has_an_opinion_keeps_it(file: Path) -> None:
    async with tale(file) as story:
        await story.ask(UPDATE, npc="guard", perception=-60)
        answer = await story.ask(MEET, npcs=["guard", "cook"])
    assert [one["npc"] for one in answer["initialized"]] == ["cook"]
    assert [(one["npc"], one["perception"]) for one in answer["known"]] == [("guard", -60)]


@pytest.mark.parametrize(
    ("script", "given"),
    [
        (UPDATE, {}),
        (UPDATE, {"changes": 7}),
        (UPDATE, {"changes": [{"npc": "", "change": 1}]}),
        (UPDATE, {"npc": "a", "change": "a lot"}),
        (UPDATE, {"npc": "a", "perception": 101}),
        (UPDATE, {"npc": "a", "change": 1, "perception": 1}),
        (QUERY, {"npcs": [7]}),
        (MEET, {}),
        (MEET, {"npcs": [{"name": "nobody"}]}),
    ],
)
async def test_input_that_makes_no_sense_is_refused(file: Path, script: str, given: dict[str, Any]) -> None:
    async with tale(file) as story:
        result = await story.call(script, given)
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
