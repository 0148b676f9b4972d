"""Opinions are sums of changes with their reasons, and fade with the story's time."""

from __future__ import annotations

import pytest

from narratoria.errors import RecordExists
from narratoria.store import Playthrough, Scope, Store
from narratoria.store.ledger import UNIT


async def score(
    store: Store, playthrough_id: str, who: str, *, weeks: float, turn: int | None = None
) -> float:
    scope = store.at(playthrough_id, turn=turn, game_time=weeks * UNIT)
    (entry,) = await scope.exact_match("perception", {"npc": who})
    return entry.record.perception_score


async def test_changes_add_up_and_fade_between(store: Store, story: Playthrough) -> None:
    for weeks, change in ((0, 40), (1, 10), (3, -6)):
        await store.at(story.id, game_time=weeks * UNIT).store(
            "perception", {"npcId": "ada", "change": change}
        )
    expected = (((40 * 0.9) + 10) * 0.81 - 6) * 0.9
    assert await score(store, story.id, "ada", weeks=4) == pytest.approx(expected)


async def test_ten_percent_go_in_a_week_and_five_of_a_strong_opinion(
    store: Store, story: Playthrough
) -> None:
    now = store.at(story.id, game_time=0)
    await now.store_all(
        [("perception", {"npcId": "ada", "change": 40}), ("perception", {"npcId": "bea", "change": -80})]
    )
    assert await score(store, story.id, "ada", weeks=1) == pytest.approx(36)
    assert await score(store, story.id, "bea", weeks=1) == pytest.approx(-76)


async def test_an_opinion_stays_on_its_scale(scope: Scope) -> None:
    await scope.store("perception", {"npcId": "ada", "change": 90})
    await scope.store("perception", {"npcId": "ada", "change": 90})
    after = await scope.store("perception", {"npcId": "ada", "change": -30})
    assert (after.record.perception_score, after.record.sentiment) == (70, 0.7)
    scale = {"min": -10, "max": 10}
    await scope.store("reputation", {"factionId": "guild", "change": 50, "scale": scale})
    after = await scope.store("reputation", {"factionId": "guild", "change": -3})
    assert after.record.current_score == 7


async def test_a_score_can_be_set_and_a_rate_chosen(store: Store, story: Playthrough) -> None:
    start = store.at(story.id, game_time=0)
    await start.store("reputation", {"factionId": "guild", "currentScore": 30, "decayRate": 0.5})
    later = store.at(story.id, game_time=UNIT)
    (faded,) = await later.exact_match("reputation")
    assert (faded.record.current_score, faded.record.decay_rate) == (15, 0.5)
    after = await later.update("reputation", "guild", {"currentScore": 20, "reason": "a new start"})
    assert after.record.current_score == pytest.approx(20)
    (change,) = (await later.history("reputation", "guild"))[1:]
    assert (change.change, change.score_before) == (pytest.approx(5), pytest.approx(15))


async def test_the_ledger_tells_why_somebody_thinks_so(store: Store, story: Playthrough) -> None:
    for weeks, change, reason in ((0, 20, "she mended the roof"), (2, -45, "she sold the roof")):
        scope = store.at(story.id, f"evening {weeks}", game_time=weeks * UNIT, skill="npc-perception")
        await scope.store("perception", {"npcId": "ada", "change": change, "reason": reason})
    first, second = await store.at(story.id).history("perception", "ada")
    assert (first.reason, first.score_before, first.score_after) == ("she mended the roof", 0, 20)
    assert second.reason == "she sold the roof"
    assert (second.score_before, second.score_after) == (pytest.approx(16.2), pytest.approx(-28.8))
    assert (second.session_id, second.skill, second.game_time) == ("evening 2", "npc-perception", 2 * UNIT)
    (entry,) = await store.at(story.id).exact_match("perception")
    assert entry.record.event_history == "she sold the roof; she mended the roof"


async def test_an_opinion_that_is_deleted_begins_anew(scope: Scope) -> None:
    await scope.store("perception", {"npcId": "ada", "change": 40, "decayRate": 0.9})
    assert await scope.delete("perception", "ada")
    assert await scope.exact_match("perception") == ()
    assert await scope.history("perception", "ada") == ()
    after = await scope.store("perception", {"npcId": "ada", "change": 1})
    assert (after.record.perception_score, after.record.decay_rate) == (1, 0.1)


async def test_a_change_with_a_name_counts_once(scope: Scope) -> None:
    await scope.store("reputation", {"factionId": "guild", "change": 5}, "deed-7")
    with pytest.raises(RecordExists, match="it counts once"):
        await scope.store("reputation", {"factionId": "guild", "change": 5}, "deed-7")
    (entry,) = await scope.exact_match("reputation")
    assert entry.record.current_score == 5


async def test_the_story_time_is_that_of_its_last_scene(
    store: Store, story: Playthrough, scope: Scope
) -> None:
    await scope.store("perception", {"npcId": "ada", "change": 10})
    begun = await store.turns.begin(story.id, {"text": "sleep for a week"})
    await store.turns.finish(begun, {}, {}, game_time=UNIT)
    (entry,) = await scope.exact_match("perception")
    assert entry.record.perception_score == pytest.approx(9)
    (before,) = await store.at(story.id, turn=0).exact_match("perception")
    assert before.record.perception_score == 10
