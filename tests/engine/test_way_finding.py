"""Which way a going means: the only one out, one by its description, or to somebody who is elsewhere."""

from __future__ import annotations

import pytest

from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import choose, situation_of
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.people import place_of
from narratoria.engine.reading import Understanding, reading_context
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.way_finding import find_way, rest_of_walk
from narratoria.inference.text_matcher import TextMatcher
from narratoria.planner.intent import Intent, Mention
from narratoria.planner.read import ReadAction


async def way_of(words: str, act: str, place: str, campaign: Campaign, matcher: TextMatcher | None) -> str:
    story = StorySnapshot(id="s", campaign=campaign.name, seed=1, progress=Progress(place=place, scene=3))
    situation = situation_of(story, campaign)
    reading = ReadAction((Intent(act=act, text=words),))
    read = await find_way(words, reading, situation, reading_context(situation, ()), matcher)
    first = read.intents[0]
    return first.place.id if first.act == "go" and first.place else ""


async def test_leaving_by_the_only_way_needs_no_description(
    harrowmere: Campaign, matcher: TextMatcher
) -> None:
    assert await way_of("get out of here", "go", "under-choir", harrowmere, matcher) == "abbey"


async def test_a_way_is_meant_by_its_description(harrowmere: Campaign, matcher: TextMatcher) -> None:
    assert await way_of("up the wet stair", "go", "landing", harrowmere, matcher) == "market"
    assert (
        await way_of("off to the one with the smoking chimney", "go", "landing", harrowmere, matcher)
        == "foundry"
    )


async def test_climbing_a_stair_that_leads_somewhere_is_going_there(harrowmere: Campaign) -> None:
    assert await way_of("climb up the wet stair", "climb", "landing", harrowmere, None) == "market"
    assert await way_of("climb the mast of the skiff", "climb", "ferry-house", harrowmere, None) == ""


async def test_climbing_to_a_place_that_is_named_is_going_there(harrowmere: Campaign) -> None:
    story = StorySnapshot(
        id="s", campaign=harrowmere.name, seed=1, progress=Progress(place="landing", scene=3)
    )
    situation = situation_of(story, harrowmere)
    words = "climb up to the market"
    reading = ReadAction((Intent(act="climb", text=words, place=Mention("market", "market", "the market")),))
    (going,) = (await find_way(words, reading, situation, reading_context(situation, ()), None)).intents
    assert (going.act, going.place and going.place.id) == ("go", "market")


async def test_a_going_to_somebody_who_is_elsewhere_goes_where_they_are(harrowmere: Campaign) -> None:
    place = place_of("brother-osk", harrowmere, Progress(place="landing", scene=3))
    start = next(name for name in harrowmere.places if name != place)
    assert await way_of("take me to where Osk is", "persuade", start, harrowmere, None) == place
    assert await way_of("what do you think of Osk", "ask", start, harrowmere, None) == ""


async def test_a_going_that_names_a_place_already_is_left_as_it_is(harrowmere: Campaign) -> None:
    story = StorySnapshot(
        id="s", campaign=harrowmere.name, seed=1, progress=Progress(place="landing", scene=3)
    )
    situation = situation_of(story, harrowmere)
    reading = ReadAction(
        (Intent(act="go", text="to the market", place=Mention("market", "market", "Market")),)
    )
    assert (
        await find_way("to the market", reading, situation, reading_context(situation, ()), None) == reading
    )


async def test_climbing_a_part_of_a_place_is_not_going_there(harrowmere: Campaign) -> None:
    """“of the foundry” says whose wall it is, and not where to go."""
    words = "I climb up the wet outer wall of the foundry"
    story = StorySnapshot(id="s", campaign="harrowmere", seed=1, progress=Progress(place="landing", scene=3))
    situation = situation_of(story, harrowmere)
    foundry = Mention(words, "foundry", "The Bell Foundry")
    reading = ReadAction((Intent(act="climb", text=words, place=foundry),))
    read = await find_way(words, reading, situation, reading_context(situation, ()), None)
    assert read.intents[0].act == "climb"


@pytest.mark.parametrize(
    ("words", "act", "there"),
    [
        ("go to the foundry and tell Dame Ottoline everything", "tell", "foundry"),
        ("I creep quietly to the foundry", "sneak", "foundry"),
        ("I limp to the bell foundry and ask the first person I see", "ask", "foundry"),
        ("I tell Pike about the foundry", "tell", ""),
        ("I point to the foundry", "show", ""),
        ("I go to ask Pike about the foundry", "ask", ""),
    ],
)
async def test_who_sets_out_for_a_place_goes_there_whatever_is_to_be_done(
    harrowmere: Campaign, words: str, act: str, there: str
) -> None:
    story = StorySnapshot(id="s", campaign="harrowmere", seed=1, progress=Progress(place="landing", scene=3))
    situation = situation_of(story, harrowmere)
    reading = ReadAction((Intent(act=act, text=words, place=Mention(words, "foundry", "The Bell Foundry")),))
    first = (await find_way(words, reading, situation, reading_context(situation, ()), None)).intents[0]
    assert (first.place.id if first.act == "go" and first.place else "") == there


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        ("go to the market and ask Senna about her ring", "ask Senna about her ring"),
        ("I walk over to the stilt market, then hug Senna", "hug Senna"),
        ("head for the market to buy a glove", "buy a glove"),
        ("go to the market", ""),
    ],
)
def test_what_is_to_be_done_at_a_place_is_what_follows_its_name(
    words: str, rest: str, harrowmere: Campaign
) -> None:
    assert rest_of_walk(words, harrowmere.places["market"]) == rest


def test_who_goes_somewhere_to_ask_somebody_asks_there(harrowmere: Campaign) -> None:
    question = Intent(
        act="ask", text="ask her about her ring", person=Mention("", "senna-rook", "Senna Rook")
    )
    meaning = Understanding(intents=(question,), evidence=((),), walk_to="market")
    story = StorySnapshot(
        id="s", campaign=harrowmere.name, seed=1, progress=Progress(place="landing", scene=3)
    )
    typed = Choice(text="go to the market and ask her about her ring")
    action = choose(typed, story, harrowmere, RecallResult(understanding=meaning))

    assert (action.place.id, action.person, action.understanding) == ("market", "senna-rook", meaning)
    assert action.route


@pytest.mark.parametrize(
    "words", ["ok, get out of here", "I'm getting sleepy, get out of here", "head back up"]
)
async def test_a_direction_alone_is_the_way_that_leads_there(words: str, harrowmere: Campaign) -> None:
    assert await way_of(words, "tell", "under-choir", harrowmere, None) == "abbey"
    assert await way_of("go through the letters", "read", "under-choir", harrowmere, None) == ""


async def test_a_way_here_goes_before_a_place_that_only_has_something_of_the_sort(
    harrowmere: Campaign,
) -> None:
    story = StorySnapshot(
        id="s", campaign=harrowmere.name, seed=1, progress=Progress(place="landing", scene=3)
    )
    situation = situation_of(story, harrowmere)
    words = "leave by the wet stair to where they sell things"
    far = Mention("stair", "under-choir", "the Under-Choir")  # which has a stair, too
    reading = ReadAction((Intent(act="go", text=words, place=far),))
    (going,) = (await find_way(words, reading, situation, reading_context(situation, ()), None)).intents
    assert (going.place and going.place.id) == "market"
