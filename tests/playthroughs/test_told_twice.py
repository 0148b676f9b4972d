"""Every bundled story, told in one go and by programs that are killed after every scene: the same story."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec
import pytest

from narratoria.engine.snapshot import StorySnapshot

Tell = Callable[..., AbstractAsyncContextManager[Any]]
# of the first five scenes, what each way of telling came to; both have to be there for a comparison
told_before: dict[str, StorySnapshot] = {}


@pytest.mark.slow
@pytest.mark.parametrize("campaign", ["comet-tea-room", "harrowmere", "tomorrows-post"])
async def test_the_same_choices_tell_the_same_story_plain_and_killed_between_turns(
    campaign: str, tell: Tell
) -> None:
    async with tell(campaign, seed=5) as teller:
        for choice in (0, 1, 2, 0):
            scene = await teller.choose(choice)
            assert scene.paragraphs
        session: StorySnapshot = await teller.session()
    assert [scene.number for scene in session.scenes] == [1, 2, 3, 4, 5]
    other = told_before.setdefault(campaign, session)
    assert msgspec.json.encode(session.scenes) == msgspec.json.encode(other.scenes)
    assert session.state == other.state
    assert msgspec.json.encode(session.progress) == msgspec.json.encode(other.progress)
