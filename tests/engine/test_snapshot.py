"""A story in the middle of being told."""

from __future__ import annotations

import pytest

from narratoria.engine.snapshot import StorySnapshot
from narratoria.state import SessionState


@pytest.mark.parametrize("flags", [None, "none", ["a"], {"a": False}])
def test_whatever_a_skill_does_to_the_flags_they_can_be_read(flags: object) -> None:
    assert (
        StorySnapshot(id="s", campaign="s", seed=1, state=SessionState({"flags": flags})).flags == frozenset()
    )
