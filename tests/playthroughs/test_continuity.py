"""What a story shows keeps to what was told in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from narratoria import app
from narratoria.engine.conditions import StorySituation
from narratoria.engine.endings import choose_after_the_end, epilogue, looking_back
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress
from narratoria.engine.story_session import StorySession
from narratoria.narrator.grammar import call_name

THEFT = "Pike has your founder's rule"
LOST = (
    "you have shared your bread with Pike",
    "the lot has fallen on Pike",
    "Pike does not know who he is",
)


@pytest.fixture
async def session(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[StorySession]:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("NARRATORIA_HOME", str(home))
    async with app.open_isolated_library(home) as library:
        session = await library.begin("harrowmere", None, seed=3)
        await session.resume()
        yield session


async def test_what_was_given_back_is_no_longer_said_to_be_held(session: StorySession) -> None:
    await session.choose(Choice(text="Look around", kind="look"))
    assert THEFT in session.snapshot.flags
    await session.choose(Choice(text="Go after the boy", kind="beat", beat="after-pike"))
    assert "founder's rule" in session.snapshot.state.get("persona.items")
    assert THEFT not in session.snapshot.flags
    assert THEFT not in session.snapshot.readable_state.get("flags")


async def test_flags_are_read_as_sentences_and_not_as_names_of_truth_values(session: StorySession) -> None:
    await session.choose(Choice(text="Look around", kind="look"))
    assert session.snapshot.readable_state.get("flags") == [THEFT]


async def test_a_typed_action_after_the_end_does_not_go_on_in_the_same_room(session: StorySession) -> None:
    ended = msgspec.structs.replace(session.snapshot.progress, ending="the-evening-boat")
    session.snapshot = msgspec.structs.replace(session.snapshot, progress=ended)
    scene = await session.say("I climb onto the roof and shout")
    assert [choice.kind for choice in scene.choices] == ["branch", "again", "leave"]
    assert not scene.beats
    assert "roof" not in scene.text
    assert "roof" not in session.snapshot.progress.history.recent[-1].text


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("start over", "again"),
        ("I want to choose differently", "branch"),
        ("leave it there", "leave"),
        ("I open the door", "look-back"),
    ],
)
def test_own_words_after_the_end_ask_for_what_is_left_to_do(words: str, kind: str) -> None:
    assert choose_after_the_end(Choice(text=words)).kind == kind


async def test_the_day_that_is_shown_follows_the_mornings_that_were_told(session: StorySession) -> None:
    times, told = [0.0], ""
    for words in (*["look around"] * 6, "I sleep until tomorrow morning"):
        scene = await session.say(words)
        assert scene.game_time == session.snapshot.progress.game_time > times[-1]
        times.append(scene.game_time)
        told += scene.text
    assert "it has become morning" in told
    assert [time // 1440 for time in times[-2:]] == [1, 2]


async def test_who_has_lost_his_name_does_not_talk_as_if_he_had_it(session: StorySession) -> None:
    lost = session.snapshot.state.apply_patch({"flags": dict.fromkeys(LOST, True)})
    session.snapshot = msgspec.structs.replace(session.snapshot, state=lost)
    told = (await session.choose(Choice(text="Talk to Pike", kind="talk", target="pike"))).text
    for words in ("I greet Pike", "I ask Pike about himself", "I ask Pike about his life", "wait", "wait"):
        told += (await session.say(words)).text
    profile = app.open_campaign("harrowmere").people["pike"]
    speech = profile.speech_patterns
    for line in (*speech.examples, *speech.greetings.values(), *profile.personality.habits):
        assert line not in told
    for word in ("Mudlark", "bun", "waistcoat", "furnace"):
        assert word not in told


def test_an_epilogue_looks_back_on_deeds_and_not_on_what_is_so_of_others() -> None:
    campaign = app.open_campaign("harrowmere")
    progress = Progress(beat_outcomes={"fetch-pike": "failure", "before-the-abbess": "partial success"})
    assert looking_back(campaign, progress, progress.history) == (
        "you could not get Pike out of the abbey",
        "you put what you know before the abbess",
    )
    traded = Progress(beat_outcomes={"after-pike": "partial success"})
    assert looking_back(campaign, traded, traded.history) == ("you and Pike traded fairly",)


async def test_who_is_spoken_to_says_first_what_has_happened_and_says_it_once(session: StorySession) -> None:
    pike = Choice(text="Talk to Pike", kind="talk", target="pike")
    await session.choose(Choice(text="Look around", kind="look"))
    await session.choose(Choice(text="Go after the boy", kind="beat", beat="after-pike"))
    beat = app.open_campaign("harrowmere").beat("after-pike")
    end = beat.outcome(session.snapshot.progress.beat_outcomes["after-pike"]) if beat else None
    assert end is not None
    remark = end.remarks["pike"].partition(".")[0]
    scene = await session.choose(pike)
    assert scene.paragraphs[0].startswith(f"“{remark},” says Pike.")
    assert any(one.kind == "beat" and one.id == "after-pike" for one in scene.passages[0].because)
    assert remark not in (await session.choose(pike)).text
    await session.undo()
    await session.undo()
    assert remark in (await session.say("I ask Pike about the weather")).text


def stand(session: StorySession, **progress: Any) -> None:
    """Let the story stand elsewhere than it has come by itself."""
    changed = msgspec.structs.replace(session.snapshot.progress, **progress)
    session.snapshot = msgspec.structs.replace(session.snapshot, progress=changed)


async def test_what_is_seen_on_the_landing_leaves_the_story_on_the_landing(session: StorySession) -> None:
    past = {"the-morning-question": "", "the-lot-falls": "", "weather-turns": "a thaw"}
    stand(session, scene=22, place="market", beat_outcomes=past)
    scene = await session.choose(Choice(text="Look around", kind="look"))
    assert "there is a boy on the landing" in scene.text
    assert session.snapshot.progress.place == "landing"
    assert "landing" not in [choice.target for choice in scene.choices]


async def test_a_place_from_which_one_is_led_away_at_once_is_told_once(session: StorySession) -> None:
    past = {"the-morning-question": "", "the-lot-falls": "", "weather-turns": "a thaw"}
    stand(session, scene=22, place="landing", beat_outcomes=past, visits={"landing": 1})
    market = app.open_campaign("harrowmere").places["market"]
    arrival = market.arrival.partition(".")[0]
    first = await session.choose(Choice(text="Go to the Stilt Market", kind="go", target="market"))
    assert "pike-is-lost" in first.beats
    assert arrival in first.text
    assert session.snapshot.progress.place == "landing"
    assert session.snapshot.progress.visits == {"landing": 2, "market": 1}
    again = await session.choose(Choice(text="Go to the Stilt Market", kind="go", target="market"))
    assert arrival not in again.text


async def test_what_was_seen_on_the_landing_is_told_elsewhere_as_past(session: StorySession) -> None:
    stand(session, scene=12, place="market", beat_outcomes={"the-morning-question": ""})
    scene = await session.choose(Choice(text="Look around", kind="look"))
    assert "the-lot-falls" in scene.beats
    assert "takes you over the landing" not in scene.text
    assert session.snapshot.progress.place == "market"


@pytest.mark.parametrize(
    ("beat", "places"),
    [
        ("fetch-pike", {"success": "foundry", "partial success": "foundry", "failure": "market"}),
        ("before-the-abbess", {"success": "abbey", "partial success": "abbey", "failure": "market"}),
    ],
)
async def test_who_is_led_out_of_the_abbey_in_words_is_out_of_it(
    beat: str, places: dict[str, str], session: StorySession
) -> None:
    past = {"the-morning-question": "", "the-lot-falls": "", "weather-turns": "a thaw"}
    stand(session, scene=15, place="abbey", beat_outcomes=past, moved_people={"pike": "abbey"})
    await session.choose(Choice(text="Do it", kind="beat", beat=beat, risky=True))
    progress = session.snapshot.progress
    assert progress.place == places[progress.beat_outcomes[beat]]


def told_at_the_end(campaign: str, ending: str, *flags: str, dead: tuple[str, ...] = ()) -> str:
    story = app.open_campaign(campaign)
    after = StorySituation(story, Progress(dead=dead), frozenset(flags))
    page = story.endings[ending]
    return " ".join((*page.paragraphs, *epilogue(page, after)))


def test_who_came_along_on_the_boat_writes_no_letter_from_where_they_were_left() -> None:
    assert "One autumn a letter comes" in told_at_the_end("harrowmere", "the-evening-boat")
    along = told_at_the_end("harrowmere", "the-evening-boat", "Pike is safe")
    assert "One autumn a letter comes" not in along
    assert "He makes a very fair apprentice" in along


def test_who_is_safe_has_not_lost_his_name_in_the_end() -> None:
    bread = "you have shared your bread with Pike"
    assert "a boy in a clean shirt" in told_at_the_end("harrowmere", "better-one", bread)
    assert "a boy in a clean shirt" not in told_at_the_end("harrowmere", "better-one", bread, "Pike is safe")


def test_a_wire_that_is_dead_until_april_does_not_chatter_the_next_day() -> None:
    dead = told_at_the_end("tomorrows-post", "it-is-tomorrow", "the wire is dead until April")
    assert "has the wire chattering" not in dead
    assert "has the wire chattering" in told_at_the_end("tomorrows-post", "it-is-tomorrow")


def test_who_died_at_the_pour_washes_no_walls() -> None:
    flags = ("Dame Ottoline died at the pour", "Dame Ottoline knows that her mother kept her name")
    ending = told_at_the_end("harrowmere", "a-name-for-it", *flags, dead=("ottoline-carrow",))
    assert "whitewashed" not in ending
    assert "cut Ottoline Carrow's name into the stem" in ending


@pytest.mark.parametrize("campaign", ["comet-tea-room", "harrowmere", "tomorrows-post"])
def test_no_epilogue_tells_of_the_dead_as_if_they_lived(campaign: str) -> None:
    story = app.open_campaign(campaign)
    for ending in story.endings.values():
        flags = frozenset(trigger for line in ending.epilogue for trigger in line.triggers)
        for who, profile in story.people.items():
            living = frozenset(flag for flag in flags if "died" not in flag)
            after = StorySituation(story, Progress(dead=(who,)), living)
            assert call_name(profile.name) not in " ".join(epilogue(ending, after)), (ending.id, who)
