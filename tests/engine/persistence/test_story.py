"""Stories in a list: whatever they are called, the player can tell them apart."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.engine.persistence.library import Library
from narratoria.engine.persistence.story import Story, player_of, with_unique_titles

OpenLibrary = Callable[[], AbstractAsyncContextManager[Library]]
TITLES = st.sampled_from(["The Mill", "The Mill (Ada)", "The Mill (2)", "The Mill (Ada, 2)", "A Lamp"])
WRITTEN = st.tuples(TITLES, st.sampled_from(["", "Ada", "Bo"]), st.integers(0, 3))


def story(number: int, title: str, player: str = "", made: int = 0) -> Story:
    return Story(id=f"s{number}", title=title, campaign="mill", player=player, created_at=str(made))


@given(st.lists(WRITTEN, max_size=12))
def test_no_two_stories_of_a_list_have_one_title_and_one_that_is_alone_keeps_its_own(
    written: list[tuple[str, str, int]],
) -> None:
    stories = [story(number, *about) for number, about in enumerate(written)]
    shown = with_unique_titles(stories)
    assert [one.id for one in shown] == [one.id for one in stories]
    assert len({one.title for one in shown}) == len(stories)
    own = [one.title for one in stories]
    assert all(new.title.startswith(old.title) for new, old in zip(shown, stories, strict=True))
    assert all(
        new.title == old.title for new, old in zip(shown, stories, strict=True) if own.count(old.title) == 1
    )


def test_who_is_played_stands_beside_a_title_that_several_have_and_else_a_number() -> None:
    shown = with_unique_titles(
        [
            story(1, "The Mill", made=5),
            story(2, "The Mill", "Ada", made=4),
            story(3, "The Mill", "Ada", made=3),
            story(4, "The Mill", made=2),
            story(5, "The Lamp", "Ada", made=1),
        ]
    )
    assert [one.title for one in shown] == [
        "The Mill (2)",
        "The Mill (Ada, 2)",
        "The Mill (Ada)",
        "The Mill",
        "The Lamp",
    ]


@pytest.mark.parametrize("persona", [None, [], "Ada", {}, {"name": 3}, {"name": " \n"}])
def test_a_persona_that_names_nobody_is_nobody(persona: object) -> None:
    assert player_of(persona) == ""


async def test_stories_of_one_campaign_are_told_apart_in_the_list_and_keep_their_titles_elsewhere(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        told = [await library.begin("comet-tea-room", {"name": name}, seed=7) for name in ("Ada", "Bo")]
        await told[0].resume()  # the other one has no scene yet
        title = told[0].story.title
        for campaign in (None, "comet-tea-room"):
            shown = {one.id: one.title for one in await library.stories(campaign)}
            assert shown == {told[0].story.id: f"{title} (Ada)", told[1].story.id: f"{title} (Bo)"}
        branch = await library.branch(told[0].story.id, 1)
        assert branch.title == title
        assert [one.title for one in await library.branches(branch.id)] == [
            f"{title} (Ada)",
            f"{title} (Ada, 2)",
        ]
        await library.rename(branch.id, "Otherwise")
        assert "Otherwise" in {one.title for one in await library.stories()}
