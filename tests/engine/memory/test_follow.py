"""What is remembered follows the player's edits; the whole way is in tests/engine/test_revise.py."""

from __future__ import annotations

import pytest
from tests.engine.conftest import OpenLibrary
from tests.engine.played_story import begin_story

from narratoria.engine.memory.follow import find_memory, follow_revision, plan_remembered_edit
from narratoria.errors import ContractViolation

MINE = "A postman on stilts hands you a green telegram."


async def test_following_an_edit_twice_changes_nothing_more(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        scene = session.snapshot.scenes[1]
        edit = await plan_remembered_edit(session.memory, session.snapshot, scene, 0, MINE)
        assert MINE in edit.summary
        for _ in range(2):
            await follow_revision(session.memory, edit, scene)
            assert (await find_memory(session.memory, "scene-2")).text == edit.summary
        with pytest.raises(ContractViolation):
            await find_memory(session.memory, "scene-99")
