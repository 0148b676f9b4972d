"""Somebody who is described and not named is known by the description."""

from __future__ import annotations

import msgspec
import pytest

from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import situation_of
from narratoria.engine.described_people import as_introduction, find_aliases, find_descriptions
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.inference.text_matcher import TextMatcher
from narratoria.planner.intent import Alias, Intent, Mention


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
        ("who is that girl lying on the floor", ["that girl lying on the floor"]),
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


def test_who_asks_somebody_who_they_are_by_their_looks_is_told_by_them() -> None:
    pike = Mention("that boy", "pike", "Pike")
    asked = Intent(act="ask", text="who is that boy in the waistcoat?", person=pike)
    aliases = (Alias("that boy in the waistcoat", "pike"),)
    assert as_introduction(asked, aliases).topic == "who are you?"
    assert as_introduction(asked, (Alias("that boy in the waistcoat", "osk"),)) is asked
    given = msgspec.structs.replace(asked, text="who gave that boy in the waistcoat his hook?")
    assert as_introduction(given, aliases) is given
