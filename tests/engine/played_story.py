"""A bundled story that is begun in a library and played for some turns."""

from __future__ import annotations

from narratoria.engine.persistence.library import Library
from narratoria.engine.story_session import StorySession

STORY = "comet-tea-room"


async def begin_story(library: Library, *choices: int, seed: int = 7) -> StorySession:
    session = await library.begin(STORY, {"name": "Ada"}, seed=seed)
    await session.resume()
    for choice in choices:
        await session.choose(choice)
    return session
