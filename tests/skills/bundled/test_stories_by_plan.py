"""What the specification's players do, end to end: words become plans, and plans run with a real store."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.story_host import NAME, Tale, step, tale

from narratoria import paths
from narratoria.errors import ModelUnavailable
from narratoria.planner.patterns import PatternPlanner
from narratoria.planner.planner import TurnPlanner
from narratoria.planning.aggregate import aggregate_results
from narratoria.planning.plan import PlanRequest
from narratoria.planning.result import ExecutionResult
from narratoria.skills.config import change_config, config_file
from narratoria.skills.discovery import discover
from narratoria.skills.resolve import Tools
from narratoria.store import NewRecord

ALDRIC = {"id": "aldric", "name": "Aldric", "role": "blacksmith", "met": True, "unheard": 1}
SMITHY = {
    "id": "smithy",
    "name": "the smithy",
    "arrival": "The forge glows.",
    "moments": ["Sparks rise."],
    "unseen": 1,
}


@pytest.fixture
async def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tale]:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    async with tale(tmp_path / "narratoria.db", by_meaning=True) as begun:
        yield begun


async def act(
    story: Tale, words: str, planner: PatternPlanner | TurnPlanner | None = None, **context: Any
) -> tuple[list[str], dict[str, dict[str, Any]], ExecutionResult]:
    """A player types this: the steps of the plan, what the tools showed, and what became of it."""
    scene = {"action": {"kind": "free", "text": words}, "place": SMITHY, "people": [], **context}
    planner = planner or PatternPlanner()
    plan = await planner.generate(PlanRequest(words, story.tools.offered(), context=scene))
    result = await story.play(*plan.tools)
    shown = {
        event.event: dict(event.payload)
        for _, event in aggregate_results(result.tool_results, story.state).ui_events
    }
    return [call.tool_id for call in plan.tools], shown, result


def output(result: ExecutionResult, step_id: str) -> dict[str, Any]:
    (found,) = [one for one in result.tool_results if one.tool_id == step_id]
    assert found.ok, found.error
    assert found.output is not None
    return found.output


# user story 1: basic interactive storytelling


async def test_an_ancient_door_is_examined_and_told_with_choices(story: Tale) -> None:
    steps, shown, result = await act(story, "I examine the ancient door")
    assert result.success
    assert "narrate" in steps
    assert shown["narration"]["text"].strip()
    assert 3 <= len(shown["narrative_choice"]["choices"]) <= 4


async def test_picking_a_lock_is_rolled_for_and_told_by_the_roll(story: Tale) -> None:
    steps, shown, result = await act(story, "I roll to pick the lock")
    assert result.success
    assert steps.index("roll") < steps.index("narrate")
    assert shown["dice_roll"]["outcome"] in ("failure", "partial success", "success")
    assert shown["narration"]["text"].strip()


async def test_when_the_planner_fails_patterns_plan_the_scene_and_the_reason_is_logged(
    story: Tale, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken() -> None:
        raise ModelUnavailable("the model cannot be read")

    with caplog.at_level(logging.INFO):
        steps, shown, result = await act(story, "I roll to pick the lock", planner=TurnPlanner(broken))
    assert result.success
    assert "roll" in steps
    assert shown["narration"]["text"].strip()
    assert "the model cannot be read" in caplog.text


# user story 2: configuration


async def test_a_setting_is_saved_under_the_skills_name_and_used_by_the_next_plan(story: Tale) -> None:
    (skill,) = [one for one in discover([paths.BUNDLED_SKILLS]).skills if one.name == "player-choices"]
    change_config(skill, paths.home(), {"maxOptions": 2, "minOptions": 2})
    assert config_file(paths.home(), "player-choices").is_file()
    _, shown, _ = await act(story, "I look around")
    assert len(shown["narrative_choice"]["choices"]) == 2


# user story 4: memory and continuity


async def test_what_matters_is_stored_and_comes_back_when_it_is_asked_for(story: Tale) -> None:
    steps, _, result = await act(
        story, "I swear to Aldric that I will bring back his hammer", people=[ALDRIC]
    )
    assert "store" in steps
    assert result.success
    (kept,) = await story.store.at(NAME).exact_match("memory")
    assert "hammer" in kept.record.summary
    assert kept.record.significance == "high"
    assert await story.store.at(NAME).vectors("memory", kept.identifier)

    steps, shown, result = await act(story, "What did I promise Aldric about his hammer?", people=[ALDRIC])
    assert "recall" in steps
    (memory,) = output(result, "recall")["memories"]
    assert memory["id"] == kept.identifier
    assert shown["narration"]["text"].strip()
    receipts = [one for detail in shown["narrative_choice"]["details"] for one in detail.get("because", [])]
    assert kept.identifier in {one["id"] for one in receipts}


async def test_asked_what_happened_last_time_the_story_recalls_it(story: Tale) -> None:
    await story.ask(
        "memory/store-memory", summary="The player befriended the blacksmith", significance="high"
    )
    steps, _, result = await act(story, "What happened last time?")
    assert "recall" in steps
    assert output(result, "recall")["memories"][0]["summary"] == "The player befriended the blacksmith"


async def test_among_more_than_a_thousand_events_the_right_one_is_recalled(story: Tale) -> None:
    walks = [
        NewRecord(
            "memory",
            {"summary": f"Walked to milestone {number % 20}", "significance": "low"},
            f"walk-{number}",
        )
        for number in range(1000)
    ]
    await story.store.at(NAME, "evening").store_all(walks)
    await story.ask("memory/store-memory", summary="The player befriended the blacksmith Aldric")
    (found,) = (await story.ask("memory/recall-memory", query="What happened with the blacksmith?"))[
        "memories"
    ]
    assert found["summary"] == "The player befriended the blacksmith Aldric"


# user story 5: reputation and consequence


async def test_stealing_from_a_merchant_lowers_the_standing_with_the_guild(story: Tale) -> None:
    factions = ["Merchants Guild"]
    steps, shown, _ = await act(story, "I steal a purse from the Merchants Guild", factions=factions)
    assert "restand" in steps
    assert story.state.get("reputation.Merchants Guild") < 0
    assert shown["reputation_changed"]["factions"][0]["faction"] == "Merchants Guild"

    steps, _, result = await act(story, "I ask the Merchants Guild for a favour", factions=factions)
    assert "standing" in steps
    (held,) = output(result, "standing")["reputations"]
    assert held["score"] < 0
    assert held["reasons"][0]["reason"].startswith("I steal a purse")


async def test_a_deed_that_touches_two_factions_changes_both_and_time_heals(story: Tale) -> None:
    changes = [{"faction": "Merchants Guild", "change": -20}, {"faction": "Thieves Guild", "change": 20}]
    result = await story.play(
        step("both", "reputation/update-reputation", {"changes": changes, "reason": "theft"})
    )
    assert result.success
    await story.weeks_later(1)
    told = await story.ask("reputation/query-reputation")
    assert told["reputation"] == {"Merchants Guild": pytest.approx(-18), "Thieves Guild": pytest.approx(18)}


# advanced skills: they hear of each other through the plan alone


async def test_choices_follow_standing_opinion_and_memory_that_other_steps_looked_up(story: Tale) -> None:
    await story.ask(
        "memory/store-memory",
        summary="The player betrayed the Thieves Guild to the Watch",
        characters=["player"],
        significance="high",
    )
    await story.ask(
        "reputation/update-reputation", faction="Thieves Guild", change=-60, reason="betrayed them"
    )
    await story.ask("npc-perception/update-perception", npc="aldric", change=55, reason="mended the anvil")
    offers = [{"beat": "a", "text": "Ask for guild assistance"}, {"beat": "b", "text": "Bar the door"}]
    result = await story.play(
        step("recall", "memory/recall-memory", {"query": "the Thieves Guild"}),
        step("standing", "reputation/query-reputation", {"factions": ["Thieves Guild"]}),
        step("opinion", "npc-perception/query-perception", {"npcs": ["aldric"]}),
        step(
            "choices",
            "player-choices/generate-choices",
            {
                "place": SMITHY,
                "people": [ALDRIC],
                "next": {"": {"openings": offers}},
                **{name: {"$from": name} for name in ("recall", "standing", "opinion")},
            },
            ["recall", "standing", "opinion"],
        ),
    )
    texts = output(result, "choices")["choices"]
    assert "Ask for guild assistance" not in texts
    assert "Bar the door" in texts
    assert any(text.startswith("Ask Aldric") for text in texts)


async def test_a_stranger_is_met_with_what_their_faction_says(story: Tale) -> None:
    await story.ask("reputation/update-reputation", faction="Watch", change=-80, reason="broke out of gaol")
    result = await story.play(
        step("standing", "reputation/query-reputation", {"factions": ["Watch"]}),
        step(
            "first-opinion",
            "npc-perception/initialize-perception",
            {"npcs": [{"id": "guard", "faction": "Watch"}], "standing": {"$from": "standing"}},
            ["standing"],
        ),
    )
    (met,) = output(result, "first-opinion")["initialized"]
    assert met["parts"]["faction"] == -40
    assert met["perception"] < 0


async def test_a_skill_that_fails_leaves_the_scene_its_choices(story: Tale) -> None:
    result = await story.play(
        step("opinion", "npc-perception/query-perception", {"npcs": [7]}),
        step("choices", "player-choices/generate-choices", {"opinion": {"$from": "opinion"}}, ["opinion"]),
    )
    assert len(output(result, "choices")["choices"]) == 3


async def test_without_a_store_opinions_last_as_long_as_the_sitting() -> None:
    story = Tale(None, Tools(discover([paths.BUNDLED_SKILLS])))  # type: ignore[arg-type]  # there is none
    await story.ask("reputation/update-reputation", faction="Watch", change=-20, reason="a brawl")
    again = await story.ask("reputation/update-reputation", faction="Watch", change=-90)
    assert (again["updated"][0]["before"], again["updated"][0]["score"]) == (-20, -100)
    met = await story.ask("npc-perception/initialize-perception", npcs=[{"id": "guard", "faction": "Watch"}])
    assert met["initialized"][0]["parts"]["faction"] == -50
    told = await story.ask("npc-perception/query-perception")
    assert told["perceptions"][0]["npc"] == "guard"
    assert (await story.ask("reputation/query-reputation"))["reputation"] == {"Watch": -100}
