"""Endings: the story leans towards one, ends there for good, and looks back on what happened."""

from __future__ import annotations

from tests.engine.small_story import WAIT, beat, begin, play, situation, story

from narratoria.campaign.campaign import Aftermath, Beat, BeatOutcome, Campaign, Conditions, Ending, Window
from narratoria.engine import endings
from narratoria.engine.action import choose, openings_at
from narratoria.engine.facts import build_facts
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress


def choice(of: Beat) -> Choice:
    return Choice(text=of.conditions.player_choice, kind="beat", beat=of.id)


FIND = beat("find", Conditions(player_choice="Find it"), consequences=("the ring is found",))
SWEAR = beat(
    "swear",
    Conditions(player_choice="Swear to return it"),
    consequences=("you have sworn to return the ring",),
)
CLIMB = beat(
    "climb",
    Conditions(player_choice="Climb", player_state="the ring is found"),
    outcomes=(
        BeatOutcome("success", "Up.", consequences=("you climbed the tower",)),
        BeatOutcome("failure", "Down.", consequences=("you fell from the tower",)),
    ),
)
HOME = beat(
    "home", Conditions(player_choice="Go home", requires_beat="climb"), ending="peace", priority="low"
)
OTHER = beat("other", Conditions(player_choice="Do something else"), priority="low")
PEACE = Ending(
    "peace",
    "Peace",
    ("It is over.", "The lamps go out."),
    (
        Aftermath("the ring is found", "The ring lies on the sill."),
        Aftermath("climb:failure", "Your leg never quite heals."),
        Aftermath("other", "The other thing is remembered too."),
        Aftermath("not other", "Nobody asks about the other thing."),
        Aftermath("", "Spring comes."),
    ),
)


def campaign() -> Campaign:
    return story(OTHER, FIND, SWEAR, CLIMB, HOME, endings={"peace": PEACE})


def test_a_story_leans_towards_the_ending_that_the_choices_lead_to() -> None:
    tale = campaign()
    assert endings.leaning(situation(tale)) is None
    halfway = situation(
        tale,
        Progress(place="mill", scene=4, beat_outcomes={"find": "", "climb": "success"}),
        frozenset({"the ring is found"}),
    )
    leaning = endings.leaning(halfway)
    assert leaning is not None
    assert (leaning.ending, leaning.missing) == ("peace", ("home",))
    assert openings_at(tale.places["mill"], halfway)[0].id != "other"
    same_priority = [each.id for each in openings_at(tale.places["mill"], halfway) if each.priority == "low"]
    assert same_priority == ["home", "other"], "what leads to the ending comes first among its equals"


def test_the_end_is_told_with_an_epilogue_of_what_happened_and_nothing_comes_after_it() -> None:
    tale = campaign()
    session = begin(tale)
    session = play(session, choice(FIND), tale)
    session = play(session, choice(SWEAR), tale)
    session = play(session, choice(CLIMB), tale, "failure")
    deed = choose(choice(HOME), session, tale)
    known = build_facts(deed, session, tale)
    assert known.scene_type == "resolution"
    text = "\n".join(known.draft)
    assert 2 <= len(known.draft) <= 3
    for line in (
        "It is over. The lamps go out.",
        "The ring lies on the sill.",
        "never quite heals",
        "Spring comes.",
    ):
        assert line in text
    assert "Nobody asks about the other thing." in text
    assert "remembered too" not in text
    assert "you fell from the tower" in text, "what the player did is part of it"
    session = play(session, choice(HOME), tale)
    assert session.progress.ending == "peace"
    after = choose(Choice(text="Continue", kind="continue"), session, tale)
    assert after.choice.kind == "look-back"
    back = build_facts(after, session, tale).draft
    assert "you swore to return it" in " ".join(back), back


def test_a_story_that_begins_again_has_forgotten_the_first_life() -> None:
    tale = campaign()
    session = play(play(begin(tale), choice(FIND), tale), WAIT, tale)
    session = play(session, Choice(text="Begin again", kind="again"), tale)
    assert session.progress.beat_outcomes == {}
    assert session.flags == frozenset()
    assert session.progress.scene == 4, "scenes are counted on"


def test_a_story_that_begins_again_waits_for_its_beats_as_the_first_time() -> None:
    early = beat("early", Conditions(player_choice="Catch the boat", scene_count=Window(1, 3)))
    tale = story(OTHER, FIND, early)
    session = begin(tale)
    for _ in range(6):
        session = play(session, WAIT, tale)
    assert "early" in session.progress.skipped_beats
    session = play(session, Choice(text="Begin again", kind="again"), tale)
    assert session.progress.age == 1
    ahead = build_facts(choose(WAIT, session, tale), session, tale).next[""]
    assert "Catch the boat" in [opening.text for opening in ahead.openings]


def test_a_line_of_an_epilogue_may_ask_for_several_things() -> None:
    ending = Ending(
        "e",
        "E",
        (),
        (Aftermath("it rains && not it snows", "It rained."), Aftermath("not it rains", "It was dry.")),
    )
    campaign = story()
    assert endings.epilogue(ending, situation(campaign, flags=frozenset({"it rains"}))) == ("It rained.",)
    assert endings.epilogue(ending, situation(campaign, flags=frozenset({"it rains", "it snows"}))) == ()
    assert endings.epilogue(ending, situation(campaign)) == ("It was dry.",)


def test_nobody_who_is_dead_goes_on_living_in_an_epilogue() -> None:
    ending = Ending(
        "e",
        "E",
        (),
        (
            Aftermath("", "Ada bakes."),
            Aftermath("Ada died at the mill", "They speak of Ada."),
            Aftermath("", "Bo sleeps."),
        ),
    )
    progress = Progress(place="mill", dead=("ada",))
    after = situation(story(), progress, frozenset({"Ada died at the mill"}))
    assert endings.epilogue(ending, after) == ("They speak of Ada.", "Bo sleeps.")
