"""An author's "I" is the player's "you"."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.retelling import address_player


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("I am a loaf of bread.", "You are a loaf of bread."),
        (
            "When I woke, my hat was gone and nobody told me.",
            "When you woke, your hat was gone and nobody told you.",
        ),
        ("The clock has stopped.", "The clock has stopped."),
        ("She said: “I am late.”", "She said: “I am late.”"),
    ],
)
def test_the_first_person_becomes_the_second(written, told):
    assert address_player(written) == told
