"""A branch shares its parent's past up to the fork and nothing after; undo is a branch."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select

from narratoria.errors import ContractViolation, NoSuchRecord, RecordExists
from narratoria.store import Playthrough, Scope, Store
from narratoria.store.lineage import Segment, View
from narratoria.store.tables import scene


async def told(scope: Scope) -> list[str]:
    return [entry.record.summary for entry in await scope.exact_match("memory")]


async def tell(store: Store, playthrough_id: str, *summaries: str) -> None:
    """A turn for each."""
    for summary in summaries:
        begun = await store.turns.begin(playthrough_id, {"text": summary})
        await store.at(playthrough_id).store("memory", {"summary": summary})
        await store.turns.finish(begun, {"text": summary}, {"last": summary}, game_time=begun.number)


async def test_a_branch_shares_the_past_up_to_the_fork(store: Store, story: Playthrough) -> None:
    await tell(store, story.id, "one", "two", "three")
    branch = await store.playthroughs.branch(story.id, 2, title="Otherwise")
    assert (branch.parent_id, branch.fork_turn, branch.turn, branch.title) == (story.id, 2, 2, "Otherwise")
    assert await told(store.at(branch.id)) == ["one", "two"]
    await tell(store, branch.id, "drei")
    await tell(store, story.id, "four")
    assert await told(store.at(branch.id)) == ["one", "two", "drei"]
    assert await told(store.at(story.id)) == ["one", "two", "three", "four"]
    assert [turn.number for turn in await store.turns.history(branch.id)] == [1, 2, 3]
    assert (await store.turns.get(branch.id, 3)).state == {"last": "drei"}


async def test_what_the_parent_adds_to_a_shared_turn_later_is_not_shared(
    store: Store, story: Playthrough
) -> None:
    await tell(store, story.id, "one")
    branch = await store.playthroughs.branch(story.id, 1)
    await store.at(story.id).store("memory", {"summary": "an afterthought"})
    assert await told(store.at(branch.id)) == ["one"]


async def test_a_branch_from_before_a_change_shows_what_was_there_before(
    store: Store, story: Playthrough
) -> None:
    scope = store.at(story.id)
    await store.turns.begin(story.id, {})
    await scope.store("memory", {"summary": "The bridge stands."}, "bridge")
    await scope.store("memory", {"summary": "The inn is open."}, "inn")
    begun = await store.turns.unfinished(story.id)
    assert begun is not None
    await store.turns.finish(begun, {}, {}, game_time=0)
    second = await store.turns.begin(story.id, {})
    await scope.update("memory", "bridge", {"summary": "The bridge fell."})
    await scope.delete("memory", "inn")
    await store.turns.finish(second, {}, {}, game_time=0)
    assert await told(scope) == ["The bridge fell."]
    before = await store.playthroughs.branch(story.id, 1)
    after = await store.playthroughs.branch(story.id, 2)
    assert await told(store.at(before.id)) == ["The bridge stands.", "The inn is open."]
    assert await told(store.at(after.id)) == ["The bridge fell."]
    await store.at(before.id).update("memory", "bridge", {"summary": "The bridge was painted."})
    assert await told(store.at(before.id)) == ["The bridge was painted.", "The inn is open."]
    assert await told(scope) == ["The bridge fell."]


async def test_undo_goes_back_one_turn_and_loses_nothing(store: Store, story: Playthrough) -> None:
    await tell(store, story.id, "one", "two", "three")
    once = await store.playthroughs.undo(story.id)
    twice = await store.playthroughs.undo(once.id)
    assert await told(store.at(once.id)) == ["one", "two"]
    assert await told(store.at(twice.id)) == ["one"]
    assert await told(store.at(story.id)) == ["one", "two", "three"]
    assert twice.parent_id == story.id  # no chain of branches in which nothing was told
    assert await store.playthroughs.all() == (twice,)
    assert {line.id for line in await store.playthroughs.all(undone=True)} == {story.id, once.id, twice.id}


async def test_a_turn_that_is_told_anew_again_and_again_makes_no_long_chain(
    store: Store, story: Playthrough
) -> None:
    await tell(store, story.id, "one", "two")
    line = await store.playthroughs.undo(story.id)
    for summary in ("zwei", "deux", "due"):
        await tell(store, line.id, summary)
        line = await store.playthroughs.undo(line.id)
    assert (line.parent_id, line.fork_turn) == (story.id, 1)
    await store.at(line.id).store("memory", {"summary": "an afterthought"})
    await tell(store, line.id, "dos")
    after = await store.playthroughs.undo(line.id)
    assert await told(store.at(after.id)) == ["one", "an afterthought"], "what stands beside a turn stays"


async def test_a_story_can_be_read_though_it_was_undone_more_than_a_thousand_times(
    store: Store, story: Playthrough
) -> None:
    await tell(store, story.id, "one")
    undone = tuple(Segment(f"undone-{number}", number, number) for number in range(1100))
    view = View(story.id, (Segment(story.id), *undone), story.campaign)
    seen = select(scene.c.turn).where(view.covers(scene), scene.c.turn > 0)
    assert await store.database.read(lambda link: link.execute(seen).scalars().all()) == [1]


async def test_the_beginning_cannot_be_undone(store: Store, story: Playthrough) -> None:
    with pytest.raises(ContractViolation, match="has no turn to undo"):
        await store.playthroughs.undo(story.id)


@pytest.mark.parametrize("turn", [-1, 2])
async def test_a_story_is_branched_only_after_turns_it_has(
    store: Store, story: Playthrough, turn: int
) -> None:
    await tell(store, story.id, "one")
    with pytest.raises(ContractViolation, match=f"has turns 0 to 1; it cannot be branched after turn {turn}"):
        await store.playthroughs.branch(story.id, turn)


async def test_a_deleted_story_is_gone_and_its_branches_keep_their_past(
    store: Store, story: Playthrough
) -> None:
    await tell(store, story.id, "one", "two", "three")
    await store.at(story.id).store("perception", {"npcId": "ada", "change": 5})
    branch = await store.playthroughs.branch(story.id, 1)
    await store.playthroughs.delete(story.id)
    with pytest.raises(NoSuchRecord, match="there is no playthrough"):
        await store.at(story.id).exact_match()
    assert await store.playthroughs.all() == (branch,)
    assert await told(store.at(branch.id)) == ["one"]
    assert (await store.inventory()).records == {"memory": 1}
    await store.playthroughs.delete(branch.id)
    inventory = await store.inventory()
    assert (inventory.records, inventory.turns, inventory.playthroughs) == ({}, 0, 0)


async def test_of_a_deleted_story_every_branch_keeps_its_own_part(store: Store, story: Playthrough) -> None:
    await tell(store, story.id, "one", "two", "three")
    early, late = [await store.playthroughs.branch(story.id, turn) for turn in (1, 2)]
    again = await store.playthroughs.branch(late.id, 2)
    await store.playthroughs.delete(story.id)
    await store.playthroughs.delete(late.id)
    assert await told(store.at(early.id)) == ["one"]
    assert await told(store.at(again.id)) == ["one", "two"]
    assert (await store.inventory()).records == {"memory": 2}
    await store.playthroughs.delete(again.id)
    assert await told(store.at(early.id)) == ["one"]


async def test_with_a_story_goes_what_was_undone_of_it(store: Store, story: Playthrough) -> None:
    await tell(store, story.id, "one", "two")
    undone = await store.playthroughs.undo(story.id)
    await store.playthroughs.delete(undone.id)
    assert await store.playthroughs.all(undone=True) == ()
    assert (await store.inventory()).records == {}


async def test_stories_are_listed_by_campaign_and_can_be_renamed(store: Store, story: Playthrough) -> None:
    other = await store.playthroughs.create("forge", seed=7, identifier="forge-1")
    assert (other.seed, other.title) == ("7", "forge")
    assert await store.playthroughs.all("forge") == (other,)
    renamed = await store.playthroughs.rename(story.id, "The Old Mill")
    assert await store.playthroughs.all("mill") == (renamed,)
    with pytest.raises(RecordExists, match="already a playthrough 'forge-1'"):
        await store.playthroughs.create("forge", identifier="forge-1")
    with pytest.raises(ContractViolation, match="is no identifier"):
        await store.playthroughs.create("forge", identifier="campaign:forge")


async def test_playthroughs_of_one_campaign_know_nothing_of_each_other(store: Store) -> None:
    one, other = [await store.playthroughs.create("mill") for _ in range(2)]
    await asyncio.gather(
        *(
            store.at(line.id).store(
                "memory", {"summary": f"{line.id} {number}", "characterIds": ["ada"]}, str(number)
            )
            for line in (one, other)
            for number in range(10)
        )
    )
    for line in (one, other):
        scope = store.at(line.id)
        entries = await scope.exact_match("memory", {"character": "ada"})
        assert len(entries) == 10
        found = await scope.semantic_search("3", "memory", limit=50, min_relevance=0)
        assert {entry.record.playthrough_id for entry in (*entries, *found)} == {line.id}
        assert all(entry.record.summary.startswith(line.id) for entry in (*entries, *found))
    await store.at(one.id).delete("memory", "3")
    assert await store.at(other.id).get("memory", "3")
