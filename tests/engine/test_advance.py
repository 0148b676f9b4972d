"""A finished scene moves the story on: its state, its progress, and one line of its history."""

from __future__ import annotations

import msgspec
import pytest
from tests.engine.small_story import WAIT, beat, begin, play, story

from narratoria.campaign.campaign import BeatOutcome, Conditions, Effects
from narratoria.engine.action import choose
from narratoria.engine.advance import address_player
from narratoria.engine.scene import Choice


def test_an_outcome_changes_what_can_be_counted_and_calls_the_next_beat() -> None:
    effects = Effects(
        state={"weather": "snow"},
        perception={"ada": -30},
        gain=("a rope",),
        lose=("a lamp",),
        dies=("bo",),
        moves={"ada": "inn"},
        move_to="inn",
    )
    campaign = story(
        beat(
            "fall",
            Conditions(player_choice="Fall"),
            outcomes=(
                BeatOutcome("failure", "no", effects=effects, next_beat="wake"),
                BeatOutcome("success", "yes"),
            ),
        ),
        beat("wake", Conditions(requires_beat="nothing-ever")),
    )
    session = begin(campaign)
    session = msgspec.structs.replace(
        session, state=session.state.apply_patch({"persona": {"items": ["a lamp", "a key"]}})
    )
    session = play(session, Choice(text="Fall", kind="beat", beat="fall"), campaign, "failure")
    assert session.state.get("weather") == "snow"
    assert session.state.get("perception.ada") == -30
    assert session.state.get("persona.items") == ["a key", "a rope"]
    assert session.progress.place == "inn"
    assert session.progress.dead == ("bo",)
    action = choose(WAIT, session, campaign)
    assert [each.id for each in action.due_beats] == ["wake"]
    assert choose(Choice(text="Talk", kind="talk", target="bo"), session, campaign).person == ""
    assert choose(Choice(text="Talk", kind="talk", target="ada"), session, campaign).person == "ada"


def test_a_scene_is_summed_up_by_what_was_done_how_it_went_and_what_is_so() -> None:
    ends = (BeatOutcome("success", "yes", consequences=("the gate is open",)), BeatOutcome("failure", "no"))
    campaign = story(beat("gate", Conditions(player_choice="Lift the gate"), outcomes=ends))
    lift = Choice(text="Lift the gate", kind="beat", beat="gate")

    won = play(begin(campaign), lift, campaign, "success").progress.history.recent[-1]
    lost = play(begin(campaign), lift, campaign, "failure").progress.history.recent[-1]

    assert won.text == "You lifted the gate. It worked. The gate is open."
    assert lost.text == "You tried to lift the gate. It went wrong."
    assert won.weight > 0.3


def test_time_goes_by_with_every_scene() -> None:
    campaign = story()
    first = begin(campaign)

    assert play(first, WAIT, campaign).progress.game_time > first.progress.game_time


def test_a_fact_about_the_player_is_put_in_the_second_person() -> None:
    assert address_player("The player has the key, and the player's coat is wet.") == (
        "You have the key, and your coat is wet."
    )


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (
            "The player looked out for a long time and was sure that nobody was to be seen.",
            "You looked out for a long time and were sure that nobody was to be seen.",
        ),
        (
            "The player ate the bun, was sick, and knows now that it is nothing to eat.",
            "You ate the bun, were sick, and know now that it is nothing to eat.",
        ),
        (
            "The player got past Hob, who heard something and was listening now.",
            "You got past Hob, who heard something and was listening now.",
        ),
        ("The player attacked Hob and was knocked down.", "You attacked Hob and were knocked down."),
        ("The player put on their coat and went.", "You put on your coat and went."),
        ("The player broke the lamp, and somebody was heard.", "You broke the lamp, and somebody was heard."),
        ("Hob saw that the player was hurt.", "Hob saw that you were hurt."),
        ("Hob was sure. The player is tired and has a cold.", "Hob was sure. You are tired and have a cold."),
    ],
)
def test_every_verb_of_the_player_is_addressed_to_the_player(fact: str, line: str) -> None:
    assert address_player(fact) == line


def test_a_recap_tells_what_was_done_and_reads_out_no_consequence() -> None:
    gift = beat(
        "gift", Conditions(player_choice="Give Ada the lamp"), consequences=("the mill is lit at night",)
    )
    campaign = story(gift)
    session = play(begin(campaign), Choice(text="Give Ada the lamp", kind="beat", beat="gift"), campaign)
    summary = session.progress.history.recent[-1]
    assert summary.text == "You gave Ada the lamp. The mill is lit at night."
    assert summary.told_to_player == "You gave Ada the lamp."


def test_what_came_by_itself_is_recapped_by_what_is_so_since() -> None:
    campaign = story(beat("ice", consequences=("the ice has come",)))
    session = play(begin(campaign), Choice(text="Look around", kind="look"), campaign)
    assert session.progress.history.recent[-1].told_to_player == "The ice has come."


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Brother Osk, may I see?", "You asked: “Brother Osk, may I see?”"),
        ("“Is it late?”", "You asked: “Is it late?”"),
        ("I ask whether it is late?", "You asked whether it is late?"),
    ],
)
def test_what_was_said_is_kept_as_said(typed: str, kept: str) -> None:
    """A name at the beginning is no verb: nobody “brothered” anybody."""
    campaign = story()
    after = play(begin(campaign), Choice(text=typed), campaign)
    assert after.progress.history.recent[-1].text.startswith(kept)
