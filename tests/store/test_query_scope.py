"""What a query is about: which turn it sees, and what may be written there."""

from __future__ import annotations

import pytest
from tests.store.test_playthroughs import tell, told

from narratoria.errors import ContractViolation
from narratoria.store import Playthrough, Scope, Store
from narratoria.store.query_scope import QueryScope


async def test_a_campaign_keeps_nothing_that_belongs_to_a_story(store: Store) -> None:
    with pytest.raises(ContractViolation, match="a memory record belongs to a playthrough"):
        await store.campaign("mill").store("memory", {"summary": "a"})


async def test_a_scope_of_an_earlier_turn_sees_the_story_as_it_was_then(
    store: Store, story: Playthrough
) -> None:
    await tell(store, story.id, "one", "two", "three")
    assert await told(store.at(story.id, turn=2)) == ["one", "two"]
    assert await told(store.at(story.id, turn=0)) == []


async def test_what_happened_before_the_fork_cannot_be_written_from_the_branch(
    store: Store, story: Playthrough
) -> None:
    await tell(store, story.id, "one", "two")
    branch = await store.playthroughs.branch(story.id, 2)
    with pytest.raises(ContractViolation, match="was told on another branch"):
        await store.at(branch.id, turn=1).store("memory", {"summary": "a forgery"})


async def test_without_a_data_type_every_kind_that_knows_the_field_is_asked(scope: Scope) -> None:
    await scope.store("memory", {"summary": "a", "characterIds": ["ada"]}, "memory")
    await scope.store("portrait", {"characterId": "ada", "imagePath": "a", "descriptionHash": "b"}, "face")
    await scope.store("perception", {"npcId": "ada", "change": 1})
    assert [entry.identifier for entry in await scope.exact_match(None, {"character": "ada"})] == [
        "memory",
        "face",
    ]
    assert len(await scope.exact_match()) == 3
    with pytest.raises(ContractViolation, match="no such field"):
        await scope.exact_match(None, {"colour": "red"})


async def test_a_playthrough_reads_lore_and_cannot_change_it(store: Store, scope: Scope) -> None:
    with pytest.raises(ContractViolation, match="lore belongs to the campaign"):
        await scope.store("lore", {"filePath": "a.md", "chunkIndex": 0, "content": "Forged."})


async def test_what_has_no_text_cannot_be_searched_by_meaning(scope: Scope) -> None:
    with pytest.raises(ContractViolation, match="use exactMatch"):
        await scope.semantic_search("rain", "session")


def test_a_log_tells_where_a_query_looked_and_never_what_for() -> None:
    fields = QueryScope(playthrough="p", session_id="s", turn=3, skill="memory").log_fields(
        {"location": "the secret room", "character": ["ada"]}
    )
    assert fields == {
        "playthrough": "p",
        "session": "s",
        "turn": 3,
        "skill": "memory",
        "filters": ["character", "location"],
    }
