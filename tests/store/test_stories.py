"""A row for each story says what lists show of it, and lists are read in pages."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text
from tests.store.telling import play

from narratoria.engine.snapshot import Progress
from narratoria.errors import NoSuchRecord
from narratoria.store import Playthrough, Store

PROGRESS = msgspec.to_builtins(Progress(place="inn", ending="peace"))  # as the engine writes it
SCENE = {"progress": PROGRESS, "seconds": 90}


async def test_a_story_is_described_by_its_last_scene(store: Store, story: Playthrough) -> None:
    begun = await store.turns.begin(story.id, {"persona": {"name": " Ada\n Byron "}})
    assert (await store.stories.get(story.id)).player == "Ada Byron"
    done = await store.turns.finish(begun, SCENE, {"persona": {"name": "Ada"}}, game_time=0)
    summary = await store.stories.get(story.id)
    assert (summary.place, summary.ended, summary.seconds_played, summary.player, summary.turn) == (
        "inn",
        "peace",
        90.0,
        "Ada",
        1,
    )
    assert summary.played_at == done.finished_at


async def test_an_undo_and_a_redo_keep_the_story_and_move_what_is_shown(
    store: Store, story: Playthrough
) -> None:
    await play(store, story.id)
    begun = await store.turns.begin(story.id, {})
    await store.turns.finish(begun, SCENE, {}, game_time=0)
    undone = await store.playthroughs.undo(story.id)
    summary = await store.stories.get(story.id)
    assert (summary.line, summary.turn, summary.place) == (undone.id, 1, "")
    assert await store.stories.of_branch(undone.id) == story.id
    await store.playthroughs.redo(undone.id)
    assert (await store.stories.get(story.id)).place == "inn"
    assert len(await store.stories.page()) == 1


async def test_pages_follow_each_other_without_a_gap_or_a_double(store: Store) -> None:
    for number in range(7):
        await store.playthroughs.create("mill", identifier=f"s{number}")
    for number in (3, 0, 5):
        await play(store, f"s{number}")
    read, after = [], None
    while page := await store.stories.page(limit=3, after=after):
        read += [one.id for one in page]
        after = (page[-1].played_at, page[-1].id)
    assert read[:3] == ["s5", "s0", "s3"]
    assert sorted(read) == [f"s{number}" for number in range(7)]


async def test_titles_differ_from_each_other_on_every_page(store: Store) -> None:
    for number, player in enumerate(("Ada", "Ada", "", "", "Bo")):
        await store.playthroughs.create("mill", title="The Mill", identifier=f"s{number}")
        await store.turns.begin(f"s{number}", {"persona": {"name": player}})
    await store.playthroughs.create("mill", title="The Inn", identifier="other")
    await store.playthroughs.create("mill", title="The Mill (Bo)", identifier="same")
    titles = {one.id: one.display_title for one in await store.stories.page()}
    assert titles == {
        "s0": "The Mill (Ada)",
        "s1": "The Mill (Ada, 2)",
        "s2": "The Mill",
        "s3": "The Mill (2)",
        "s4": "The Mill (Bo, 1)",
        "other": "The Inn",
        "same": "The Mill (Bo)",
    }
    assert [one.display_title for one in await store.stories.page(limit=1)] == [titles["same"]]


async def test_stories_that_share_a_beginning_are_a_family(store: Store, story: Playthrough) -> None:
    await play(store, story.id)
    branch = await store.playthroughs.branch(story.id, 1, title="Otherwise")
    deeper = await store.playthroughs.branch(branch.id, 1)
    await store.playthroughs.create("mill")
    assert {one.id for one in await store.stories.family(deeper.id)} == {story.id, branch.id, deeper.id}
    assert await store.stories.has_branches(story.id)
    summary = await store.stories.get(branch.id)
    assert (summary.parent, summary.branched_at) == (story.id, 1)
    await store.playthroughs.delete(story.id)
    assert (await store.stories.get(branch.id)).parent is None
    with pytest.raises(NoSuchRecord):
        await store.stories.get(story.id)


async def test_a_list_and_a_lookup_read_by_index(file: Path) -> None:
    store = await Store.open(file, None)
    for statement in (
        "SELECT * FROM story WHERE (played_at, id) < ('2026', 'x') ORDER BY played_at DESC, id DESC LIMIT 60",
        "SELECT * FROM story WHERE campaign = 'mill' ORDER BY played_at DESC, id DESC LIMIT 60",
        "SELECT * FROM story WHERE id = 'x'",
        "SELECT max(number) FROM story WHERE title = 'x' AND player = 'y'",
    ):
        plan = await store.database.read(
            lambda link, asked=statement: [
                row[3] for row in link.execute(text(f"EXPLAIN QUERY PLAN {asked}"))
            ]
        )
        assert all("SCAN story USING INDEX" in step or "SEARCH story USING" in step for step in plan), plan
    await store.close()
