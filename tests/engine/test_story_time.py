"""The day that is shown follows the mornings that were told."""

from __future__ import annotations

import pytest

from narratoria.engine.story_time import advance_time
from narratoria.sdk.decay import DAY


@pytest.mark.parametrize(
    "text",
    [
        "In the morning there is a skin of ice along the piles.",
        "The snow stops. Towards morning it is light.",
        "Somewhere behind the mist it has become morning, because a knuckle goes along the doors.",
        "It is tomorrow, and there is nothing in the bag.",
        "You sleep until tomorrow morning. You dream nothing.",
        "“Good night,” says Pike. The next morning he is gone.",
    ],
)
def test_a_morning_that_is_told_begins_another_day(text: str) -> None:
    assert advance_time(400.0, 30.0, [text]) == DAY
    assert advance_time(DAY + 700.0, 30.0, ["You nod.", text]) == 2 * DAY


@pytest.mark.parametrize(
    "text",
    [
        "“In the morning we cast,” says Ottoline. “You wait until morning.”",
        "There is a girl in Easterby who has until morning.",
        "She comes every morning.",
        "You wait. Nothing comes of it.",
    ],
)
def test_a_morning_that_is_only_spoken_of_does_not(text: str) -> None:
    assert advance_time(400.0, 30.0, [text]) == 430.0


def test_the_same_morning_told_twice_is_one_day() -> None:
    first = advance_time(400.0, 30.0, ["In the morning there is ice."])
    assert advance_time(first, 30.0, ["In the morning there is a boy on the landing."]) == first + 30.0
