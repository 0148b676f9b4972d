"""The reputation skill: deeds change what factions think, all at once, with reasons, and time heals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.story_host import Tale, configure, step, tale

from narratoria.protocol.events import UiEvent

UPDATE, QUERY = "reputation/update-reputation", "reputation/query-reputation"
BACKENDS = ("shared", "files")


async def standing(story: Tale, faction: str, **given: Any) -> dict[str, Any]:
    (one,) = (await story.ask(QUERY, factions=[faction], **given))["reputations"]
    found: dict[str, Any] = one
    return found


@pytest.mark.parametrize("backend", BACKENDS)
async def test_stealing_from_a_merchant_costs_twenty_points_and_is_remembered_with_its_reason(
    file: Path, backend: str
) -> None:
    configure("reputation", storageBackend=backend)
    async with tale(file) as story:
        result = await story.call(
            UPDATE, {"faction": "Merchants Guild", "change": -20, "reason": "stole from a merchant"}
        )
        assert result.ok, result.error
        assert story.state.get("reputation") == {"Merchants Guild": -20}
    async with tale(file) as story:
        held = await standing(story, "Merchants Guild")
    shown = [event for event in result.events if isinstance(event, UiEvent)]
    assert [event.event for event in shown] == ["reputation_changed"]
    assert (held["score"], held["standing"], held["tone"]) == (-20, "frowned upon", "neutral")
    assert held["sentence"] == "The Merchants Guild frowns upon you."
    assert [(one["change"], one["reason"]) for one in held["reasons"]] == [(-20, "stole from a merchant")]


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_deed_that_touches_several_factions_changes_them_in_one_step(
    file: Path, backend: str
) -> None:
    configure("reputation", storageBackend=backend)
    async with tale(file) as story:
        answer = await story.ask(
            UPDATE,
            changes=[
                {"faction": "Merchants Guild", "change": -20},
                {"faction": "Thieves Guild", "change": 10, "reason": "a neat piece of work"},
            ],
            reason="robbed a stall",
        )
        assert [(one["faction"], one["score"], one["reason"]) for one in answer["updated"]] == [
            ("Merchants Guild", -20, "robbed a stall"),
            ("Thieves Guild", 10, "a neat piece of work"),
        ]
        refused = await story.call(
            UPDATE, {"changes": [{"faction": "Merchants Guild", "change": 50}, {"faction": "", "change": 1}]}
        )
        assert not refused.ok
        told = await story.ask(QUERY)
    assert told["reputation"] == {"Merchants Guild": -20, "Thieves Guild": 10}


@pytest.mark.parametrize("backend", BACKENDS)
async def test_what_a_faction_thinks_fades_as_configured(file: Path, backend: str) -> None:
    configure("reputation", storageBackend=backend, decayRate=0.2)
    async with tale(file) as story:
        await story.ask(
            UPDATE, changes=[{"faction": "Watch", "change": 40}, {"faction": "Court", "change": -80}]
        )
        await story.weeks_later(1)
        later = {"gameTime": 7 * 24 * 60}
        watch, court = await standing(story, "Watch", **later), await standing(story, "Court", **later)
    assert watch["score"] == pytest.approx(32)
    assert court["score"] == pytest.approx(-72), "a strong opinion fades half as fast"


async def test_without_decay_nothing_is_forgotten(file: Path) -> None:
    configure("reputation", decayRate=0)
    async with tale(file) as story:
        await story.ask(UPDATE, faction="Watch", change=40)
        await story.weeks_later(52)
        assert (await standing(story, "Watch"))["score"] == 40


@pytest.mark.parametrize("backend", BACKENDS)
async def test_another_rate_of_fading_holds_from_the_next_question_on(file: Path, backend: str) -> None:
    configure("reputation", storageBackend=backend, decayRate=0.2)
    week = 7 * 24 * 60
    async with tale(file) as story:
        await story.ask(UPDATE, faction="Watch", change=40)
        configure("reputation", decayRate=0)
        await standing(story, "Watch")
        await story.weeks_later(1)
        assert (await standing(story, "Watch", gameTime=week))["score"] == 40
        assert len((await standing(story, "Watch", gameTime=week))["reasons"]) == 0


@pytest.mark.parametrize("low", [0, -100])
async def test_a_stranger_is_neutral_on_any_scale(file: Path, low: int) -> None:
    configure("reputation", reputationScale={"min": low, "max": 10})
    async with tale(file) as story:
        assert (await standing(story, "Watch"))["standing"] == "neutral"
        (answer,) = (await story.ask(UPDATE, faction="Watch", change=8))["updated"]
    assert (answer["score"], answer["standing"]) == (8, "revered")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_standings_stay_on_the_scale_and_words_follow_it(file: Path, backend: str) -> None:
    configure("reputation", storageBackend=backend, reputationScale={"min": -5, "max": 5})
    async with tale(file) as story:
        answer = await story.ask(
            UPDATE, changes=[{"faction": "Watch", "change": 40}, {"faction": "Court", "score": -2}]
        )
    assert [(one["score"], one["standing"]) for one in answer["updated"]] == [
        (5, "revered"),
        (-2, "distrusted"),
    ]


WORDS = {
    -100: "hated",
    -75: "hated",
    -74: "hostile",
    -50: "hostile",
    -49: "distrusted",
    -31: "distrusted",
    -30: "frowned upon",
    -11: "frowned upon",
    -10: "neutral",
    0: "neutral",
    10: "neutral",
    11: "well regarded",
    30: "well regarded",
    31: "trusted",
    50: "honoured",
    75: "revered",
    100: "revered",
}


async def test_every_standing_has_a_word(file: Path) -> None:
    async with tale(file) as story:
        changes = [{"faction": f"at {score}", "score": score} for score in WORDS]
        updated = (await story.ask(UPDATE, changes=changes))["updated"]
    assert {one["score"]: one["standing"] for one in updated} == WORDS


async def test_only_listed_factions_are_kept_track_of_however_they_are_spelled(file: Path) -> None:
    configure("reputation", factionList=["Merchants Guild", "Watch"])
    async with tale(file) as story:
        (one,) = (await story.ask(UPDATE, faction="the merchants-guild", change=5))["updated"]
        refused = await story.call(UPDATE, {"faction": "Pirates", "change": 5})
        told = await story.ask(QUERY)
    assert one["faction"] == "Merchants Guild"
    assert refused.error is not None
    assert refused.error.code == "UNKNOWN_FACTION"
    assert "Merchants Guild, Watch" in refused.error.message
    assert told["reputation"] == {"Merchants Guild": 5, "Watch": 0}


async def test_a_favour_that_failed_counts_half_and_an_offence_in_full(file: Path) -> None:
    async with tale(file) as story:
        changes = [{"faction": "Watch", "change": 10}, {"faction": "Court", "change": -10}]
        answer = await story.ask(UPDATE, changes=changes, roll={"outcome": "failure"})
    assert [one["score"] for one in answer["updated"]] == [5, -10]


async def test_a_change_that_is_made_again_in_the_same_turn_counts_once(file: Path) -> None:
    async with tale(file) as story:
        for _ in range(2):
            await story.call(UPDATE, {"faction": "Watch", "change": 10}, seed=3)
        assert (await standing(story, "Watch"))["score"] == 10


async def test_nobody_has_an_opinion_of_a_stranger(file: Path) -> None:
    async with tale(file) as story:
        held = await standing(story, "Watch")
    assert (held["score"], held["standing"], held["reasons"]) == (0, "neutral", [])


async def test_a_later_step_of_the_plan_gets_the_standing(file: Path) -> None:
    async with tale(file) as story:
        await story.ask(UPDATE, faction="Watch", change=-60, reason="broke a window")
        result = await story.play(
            step("standing", QUERY, {"factions": ["Watch"]}),
            step(
                "mirror",
                UPDATE,
                {"faction": "Court", "score": {"$from": "standing", "path": "/reputation/Watch"}},
                ["standing"],
            ),
        )
        assert result.success
        assert (await standing(story, "Court"))["score"] == -60


@pytest.mark.parametrize(
    ("script", "given"),
    [
        (UPDATE, {}),
        (UPDATE, {"changes": "Watch"}),
        (UPDATE, {"changes": [7]}),
        (UPDATE, {"changes": [{"faction": "Watch"}]}),
        (UPDATE, {"changes": [{"faction": "Watch", "change": "much"}]}),
        (UPDATE, {"changes": [{"faction": "Watch", "change": True}]}),
        (UPDATE, {"changes": [{"faction": "Watch", "change": 1, "score": 1}]}),
        (UPDATE, {"faction": "Watch", "change": 1, "reason": ["because"]}),
        (QUERY, {"factions": 7}),
        (QUERY, {"factions": [None]}),
    ],
)
async def test_input_that_makes_no_sense_is_refused(file: Path, script: str, given: dict[str, Any]) -> None:
    async with tale(file) as story:
        result = await story.call(script, given)
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
