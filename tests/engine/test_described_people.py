"""Somebody who is described and not named is known by the description."""

from __future__ import annotations

import pytest

from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import situation_of
from narratoria.engine.described_people import find_aliases, find_descriptions
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.inference.text_matcher import TextMatcher


async def find_described(words: str, campaign: Campaign, matcher: TextMatcher | None) -> list[str]:
    progress = Progress(place="landing", scene=3)
    story = StorySnapshot(id="s", campaign=campaign.name, seed=1, progress=progress)
    return [one.person for one in await find_aliases(words, situation_of(story, campaign), matcher)]


@pytest.mark.parametrize(
    ("words", "descriptions"),
    [
        ("that big woman who shovels the coal, do you like her?", ["that big woman who shovels the coal"]),
        ("whats the kid who does the lamps like", ["the kid who does the lamps"]),
        ("ask whoever sells the tickets", ["whoever sells the tickets"]),
        ("look at the door behind the counter", []),
        ("hit the man", []),
    ],
)
def test_a_description_is_more_than_a_word_for_people(words: str, descriptions: list[str]) -> None:
    assert find_descriptions(words) == descriptions


@pytest.mark.parametrize(
    ("words", "person"),
    [
        ("what do you think of the old woman who casts the bells", "ottoline-carrow"),
        ("the boy in the big waistcoat, is he honest?", "pike"),
        ("who is the woman with the gloves at the market", "senna-rook"),
    ],
)
async def test_people_are_known_by_what_they_are_and_wear(
    words: str, person: str, harrowmere: Campaign, matcher: TextMatcher
) -> None:
    assert await find_described(words, harrowmere, matcher) == [person]


async def test_without_the_model_nobody_is_guessed_at(harrowmere: Campaign) -> None:
    assert await find_described("the boy in the big waistcoat", harrowmere, None) == []


async def test_somebody_the_story_does_not_know_is_nobody(harrowmere: Campaign, matcher: TextMatcher) -> None:
    assert await find_described("the astronaut with the purple laser", harrowmere, matcher) == []
