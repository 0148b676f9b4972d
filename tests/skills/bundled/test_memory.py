"""The memory skill: events are stored, found again by meaning, and kept across sittings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.story_host import NAME, configure, step, tale

from narratoria import paths

ANVIL = {
    "summary": "Player helped blacksmith repair anvil",
    "characters": ["player", "blacksmith_aldric"],
    "location": "blacksmith_shop",
    "significance": "high",
}
STORE, RECALL = "memory/store-memory", "memory/recall-memory"


async def test_an_event_is_stored_as_the_specification_writes_it_and_found_as_it_asks(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        kept = await story.ask(STORE, **ANVIL)
        await story.ask(STORE, summary="The player bought a lantern from Old Mag", location="market")
        answer = await story.ask(
            RECALL, query="interactions with blacksmith", limit=3, filters={"location": "blacksmith_shop"}
        )
        record = (await story.store.at(NAME).get("memory", kept["id"])).record
    (memory,) = answer["memories"]
    assert memory["summary"] == ANVIL["summary"]
    assert memory["relevance"] >= 0.7
    assert memory["timestamp"]
    assert memory["id"] == kept["id"]
    assert record.character_ids == ("player", "blacksmith_aldric")
    assert (record.location, record.significance, record.episodic) == ("blacksmith_shop", "high", True)
    assert record.witnesses == ("player", "blacksmith_aldric")


async def test_what_nothing_answers_is_answered_with_nothing(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        assert await story.ask(RECALL, query="the dragon's hoard") == {"memories": []}
        await story.ask(STORE, **ANVIL)
        assert await story.ask(RECALL, query="sailing to the southern islands") == {"memories": []}
        assert await story.ask(RECALL, query="the anvil", filters={"location": "harbour"}) == {"memories": []}


async def test_a_memory_knows_its_witnesses(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        await story.ask(
            STORE, summary="Pell saw the player take the ledger", witnesses=["pell"], characters=["player"]
        )
        seen = await story.ask(RECALL, query="the ledger that was taken", filters={"witnesses": "pell"})
        unseen = await story.ask(RECALL, query="the ledger that was taken", filters={"witnesses": "hob"})
    assert [memory["witnesses"] for memory in seen["memories"]] == [["pell"]]
    assert unseen["memories"] == []


@pytest.mark.parametrize(
    ("significance", "episodic"), [("low", False), ("medium", False), ("high", True), ("critical", True)]
)
async def test_what_matters_much_is_kept_for_good(file: Path, significance: str, episodic: bool) -> None:
    async with tale(file, by_meaning=True) as story:
        kept = await story.ask(STORE, **{**ANVIL, "significance": significance})
    assert kept["episodic"] is episodic


async def test_asked_what_happened_last_time_it_tells_the_latest_that_matters_in_order(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        for number, weight in enumerate(["medium", "low", "medium", "high"]):
            await story.ask(STORE, summary=f"Event number {number}", significance=weight)
        told = await story.ask(RECALL, query="What happened last time?", limit=3)
    assert [memory["summary"][-1] for memory in told["memories"]] == ["0", "2", "3"]


async def test_memories_outlast_the_sitting(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        await story.ask(STORE, **ANVIL)
    async with tale(file, by_meaning=True) as story:
        found = await story.ask(RECALL, query="the blacksmith's anvil")
    assert [memory["summary"] for memory in found["memories"]] == [ANVIL["summary"]]


async def test_an_event_that_is_stored_again_in_the_same_turn_is_kept_once(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        first = await story.call(STORE, ANVIL, seed=7)
        again = await story.call(STORE, ANVIL, seed=7)
        later = await story.call(STORE, ANVIL, seed=8)
    assert first.output is not None
    assert again.output == first.output
    assert later.output is not None
    assert later.output["id"] != first.output["id"]


async def test_the_settings_do_what_they_say(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        for number in range(4):
            await story.ask(STORE, **{**ANVIL, "summary": f"{ANVIL['summary']}, the {number}. time"})
        configure("memory", maxContextEvents=2, episodicFrom="critical")
        assert len((await story.ask(RECALL, query="blacksmith anvil", limit=4))["memories"]) == 2
        assert (await story.ask(STORE, **ANVIL))["episodic"] is False
        configure("memory", similarityThreshold=1.0)
        assert (await story.ask(RECALL, query="a smith and his anvil"))["memories"] == []
        configure("memory", similarityThreshold=0.0)
        assert (await story.ask(RECALL, query="a smith and his anvil"))["memories"]


async def test_kept_in_files_memories_are_found_by_meaning_too_and_the_database_has_none(file: Path) -> None:
    configure("memory", storageBackend="files")
    async with tale(file, by_meaning=True) as story:
        kept = await story.ask(STORE, **ANVIL)
        await story.ask(STORE, summary="The player bought a lantern from Old Mag", location="market")
        (found,) = (await story.ask(RECALL, query="repairing the anvil with the blacksmith"))["memories"]
        assert await story.store.at(NAME).exact_match("memory") == ()
        assert (await story.ask(RECALL, query="the lantern", filters={"location": "harbour"}))[
            "memories"
        ] == []
    assert (found["id"], found["summary"]) == (kept["id"], ANVIL["summary"])
    assert list((paths.home() / "skills" / "memory" / "data").glob("memories-*.jsonl"))


async def test_half_a_line_that_a_crash_left_costs_no_other_memory(file: Path) -> None:
    configure("memory", storageBackend="files")
    async with tale(file, by_meaning=True) as story:
        await story.ask(STORE, **ANVIL)
        (kept,) = (paths.home() / "skills" / "memory" / "data").glob("memories-*.jsonl")
        with kept.open("ab") as lines:
            lines.write(b'{"id": "memory-half", "summ')
        await story.ask(STORE, summary="The player bought a lantern from Old Mag")
        found = (await story.ask(RECALL, query="What happened last time?"))["memories"]
    assert [one["summary"] for one in found] == [ANVIL["summary"], "The player bought a lantern from Old Mag"]


async def test_another_step_of_a_plan_gets_what_was_recalled(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        await story.ask(STORE, **ANVIL)
        result = await story.play(
            step("recall", RECALL, {"query": "the blacksmith's anvil"}),
            step("again", STORE, {"summary": {"$from": "recall", "path": "/memories/0/summary"}}, ["recall"]),
        )
    assert result.success
    assert result.tool_results[1].output is not None
    assert result.tool_results[1].output["summary"] == ANVIL["summary"]


@pytest.mark.parametrize(
    ("script", "given", "field"),
    [
        (STORE, {}, "summary"),
        (STORE, {"summary": ""}, "summary"),
        (STORE, {"summary": 7}, "summary"),
        (STORE, {**ANVIL, "significance": "enormous"}, "significance"),
        (STORE, {**ANVIL, "characters": 7}, "characters"),
        (STORE, {**ANVIL, "gameTime": -1}, "gameTime"),
        (RECALL, {}, "query"),
        (RECALL, {"query": ["anvil"]}, "query"),
        (RECALL, {"query": "anvil", "limit": 0}, "limit"),
        (RECALL, {"query": "anvil", "filters": {"colour": "red"}}, "filters/colour"),
        (RECALL, {"query": "anvil", "filters": []}, "filters"),
    ],
)
async def test_input_that_makes_no_sense_is_refused_by_the_name_of_its_field(
    file: Path, script: str, given: dict[str, Any], field: str
) -> None:
    async with tale(file) as story:
        result = await story.call(script, given)
    assert not result.ok
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    assert result.error.message.startswith(f"{field}:")
