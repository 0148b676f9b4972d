"""What the store remembers reaches the scene: with the real store and the real embedding model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from tests.engine.small_story import beat, begin, story

from narratoria.app import judge_statement
from narratoria.campaign.campaign import BeatOutcome, Conditions, Effects
from narratoria.engine.action import choose
from narratoria.engine.advance import advance_story
from narratoria.engine.facts import build_facts
from narratoria.engine.memory.recall import NOTHING, RecallResult, StoreSearch, make_recaller, search_memories
from narratoria.engine.memory.save import save_scene, scene_records
from narratoria.engine.scene import Choice, Roll, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.errors import StoreUnavailable
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder
from narratoria.skills.health import SessionHealth
from narratoria.store import Scope, Store

RESCUE = beat(
    "rescue",
    Conditions(player_choice="Pull the miller's boy out of the water"),
    outcomes=(
        BeatOutcome(
            "success",
            "Out.",
            consequences=("the miller's boy is safe",),
            effects=Effects(perception={"ada": 30}),
        ),
        BeatOutcome("failure", "Lost.", consequences=("the boat is lost",)),
    ),
    tags=("river",),
    location="mill",
)
THANKS = beat("thanks", Conditions(player_state="the player saved a child from drowning"))
TALE = story(RESCUE, THANKS)


@pytest.fixture
async def scope(tmp_path: Path) -> AsyncIterator[Scope]:
    folder = find_embedder()
    assert folder is not None, "make sets the embedding model up"
    embedder = Embedder(folder)
    store = await Store.open(tmp_path / "n.db", embedder)
    try:
        await store.playthroughs.create("t", identifier="s")
        yield store.at("s", "sitting", None)
    finally:
        await store.close()
        await embedder.close()


async def told(session: StorySnapshot, choice: Choice, scope: Scope, outcome: str = "") -> StorySnapshot:
    deed = choose(choice, session, TALE)
    scene = Scene(
        number=session.progress.scene + 1,
        action=choice.text,
        place=deed.place.id,
        paragraphs=("Ada watches.", "It happens."),
        choices=(),
        roll=Roll("2d6", 11, outcome) if outcome else None,
    )
    after = advance_story(scene, deed, session, TALE, state=session.state, health=SessionHealth())
    await save_scene(scene, deed, session, TALE, scope)
    await save_scene(scene, deed, session, TALE, scope)  # a scene that is kept again is kept once
    return after


async def test_a_triumph_is_kept_with_who_saw_it_comes_back_when_it_matters_and_counts(scope: Scope) -> None:
    session = begin(TALE)
    chosen = Choice(text="Pull the miller's boy out of the water", kind="beat", beat="rescue", risky=True)
    session = await told(session, chosen, scope, "success")
    session = await told(session, Choice(text="Look at the flour sacks", kind="look"), scope)
    assert len(await scope.exact_match("memory")) == 2
    (opinion,) = await scope.exact_match("perception")
    assert opinion.identifier == "ada"
    recall = StoreSearch(scope)
    known = await search_memories(
        Choice(text="Save the child who fell into the river"), session, TALE, recall
    )
    assert known.memories[0].outcome == "triumph"
    assert known.by_witness["ada"], "Ada was there"
    assert "bo" not in known.by_witness
    deed = choose(Choice(text="Swim out to the child", risky=True), session, TALE, known)
    told_facts = build_facts(deed, session, TALE, known)
    assert told_facts.memories[0].episodic
    assert told_facts.action.formula == "2d6+1", "what went well before helps"
    assert told_facts.people[0].tone == "warm"
    assert msgspec.convert(msgspec.to_builtins(known), RecallResult) == known, "it can be kept with the turn"


async def test_a_memory_bears_out_a_condition_that_is_written_in_prose(scope: Scope) -> None:
    session = begin(TALE)
    await scope.store("memory", {"summary": "The player saved a child from drowning in the mill race."})
    known = await search_memories(
        Choice(text="Wait", kind="wait"), session, TALE, StoreSearch(scope), judge_statement
    )
    assert known.borne_out == {"the player saved a child from drowning"}
    assert [due.id for due in choose(Choice(text="Wait", kind="wait"), session, TALE, known).due_beats] == [
        "thanks"
    ]
    assert choose(Choice(text="Wait", kind="wait"), session, TALE, NOTHING).due_beats == ()


async def test_a_memory_that_only_speaks_of_a_condition_does_not_bear_it_out(scope: Scope) -> None:
    wait, session = Choice(text="Wait", kind="wait"), begin(TALE)
    await scope.store("memory", {"summary": "You asked Ada who saved the child from drowning."})
    await scope.store("memory", {"summary": "You tried to save a child from drowning. It went wrong."})
    known = await search_memories(wait, session, TALE, StoreSearch(scope), judge_statement)
    assert known.borne_out == frozenset()


async def test_without_a_model_that_reads_no_memory_decides(scope: Scope) -> None:
    wait, session = Choice(text="Wait", kind="wait"), begin(TALE)
    await scope.store("memory", {"summary": "The player saved a child from drowning."})
    assert (await search_memories(wait, session, TALE, StoreSearch(scope))).borne_out == frozenset()


async def test_a_store_that_is_not_there_costs_the_memories_and_nothing_else() -> None:
    async def no_scope() -> Scope:
        raise StoreUnavailable("the disk is full")

    session = begin(TALE)
    known = await make_recaller(no_scope, TALE)(Choice(text="Wait", kind="wait"), session)
    assert known.memories == ()
    assert "the disk is full" in known.notes[0]


def test_people_remember_only_what_they_saw() -> None:
    session = begin(TALE)
    deed = choose(Choice(text="Wait", kind="wait"), session, TALE)
    scene = Scene(number=2, action="Wait", place="mill", paragraphs=("Bo is far away.",), choices=())
    (record,) = scene_records(scene, deed, session, TALE)
    assert record[1]["witnesses"] == ["player", "ada"]
    assert record[1]["characterIds"] == ["player", "bo"]
