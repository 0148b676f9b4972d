"""What the player typed is told again as a sentence: done, tried, and as it is remembered."""

from __future__ import annotations

import pytest

from narratoria.narrator.deed import LONGEST, deed_of, deed_slots

NAMES = ("Iris Vane", "The Warden", "Old Tom", "Will May", "Mark Reed")


def did(text: str) -> str:
    return deed_slots(text, NAMES)["did"]


@pytest.mark.parametrize(
    ("typed", "deed"),
    [
        ("I climb over the rope.", "climb over the rope"),
        ("kick the door down!", "kick the door down"),
        ("i search my pockets", "search your pockets"),
        ("I cut myself because I'm careless", "cut yourself because you are careless"),
        ("go back to where I was", "go back to where you were"),
        ("I CLIMB THE TOWER", "climb the tower"),
        ("I walk over & wave", "walk over and wave"),
        ("quietly slip out the back", "quietly slip out the back"),
        ("Suddenly I jump up", "suddenly jump up"),
    ],
)
def test_a_typed_clause_stands_after_you(typed: str, deed: str) -> None:
    assert deed_of(typed) == deed


@pytest.mark.parametrize(
    "typed",
    [
        "I'll take the lantern",
        "I will take the lantern",
        "I'd like to take the lantern",
        "I want to take the lantern",
        "I'm going to take the lantern",
        "I'm gonna take the lantern",
        "let me take the lantern",
        "can I take the lantern",
        "okay, then I take the lantern",
        "I try to take the lantern",
        "attempt to take the lantern",
        "I can't see anything, so I take the lantern",
        "take lantern",
    ],
)
def test_a_lead_in_an_intention_or_a_reason_is_not_told(typed: str) -> None:
    assert deed_of(typed) == "take the lantern"


@pytest.mark.parametrize(
    "typed",
    [
        "can you open the door?",
        "open your bag",
        "please open the door",
        "let's go",
        "help me",
        "tell me about the mill",
        "I say “hello”",
        "Iris, open the door",
        "I am tired",
        "I'd rather die",
        "I must go",
        "I cannot do it",
        "I dunno",
        "I wish I had a sword",
        "I climbed the wall",
        "hmm",
        "the key",
        "je prends la clé",
        "I sit. The door opens",
        "",
        "I walk " + "on and " * LONGEST + "on",
    ],
)
def test_what_is_asked_said_or_felt_is_no_deed(typed: str) -> None:
    assert deed_of(typed) == ""
    assert deed_slots(typed) == {}


def test_a_purpose_stays_with_what_is_done() -> None:
    assert deed_of("I hide it so I can read it later") == "hide it so you can read it later"


def test_the_circumstance_that_was_typed_first_is_told_last_and_not_remembered() -> None:
    slots = deed_slots("while the guard sleeps, I steal his keys")

    assert slots["deed"] == "You steal his keys while the guard sleeps."
    assert slots["did"] == "The player stole his keys."


def test_the_means_that_were_typed_first_are_told_last_and_remembered() -> None:
    slots = deed_slots("With my knife I cut the rope")

    assert slots["deed"] == "You cut the rope with your knife."
    assert slots["did"] == "The player cut the rope with their knife."


def test_two_sentences_are_told_as_one() -> None:
    assert deed_of("I sit down. I drink my tea.") == "sit down, then drink your tea"
    assert deed_of("I go up the stairs and I open the door") == "go up the stairs and open the door"


@pytest.mark.parametrize(
    ("typed", "deed"),
    [
        ("i steal iris's purse", "steal Iris's purse"),
        ("hit vane", "hit Vane"),
        ("open the gate for the warden", "open the gate for the warden"),
        ("give old tom the key i will need", "give old Tom the key you will need"),
        ("mark the tree", "mark the tree"),
    ],
)
def test_names_are_spelt_as_the_story_does_and_ordinary_words_are_not(typed: str, deed: str) -> None:
    assert deed_of(typed, iter(NAMES)) == deed


@pytest.mark.parametrize(
    ("typed", "deed"),
    [
        ("use key on door", "use the key on the door"),
        ("examine desk", "examine the desk"),
        ("take cover", "take cover"),
        ("open it", "open it"),
        ("push hard", "push hard"),
        ("open doors", "open doors"),
        ("take iris", "take Iris"),
        ("use the key on my door", "use the key on your door"),
    ],
)
def test_terse_commands_are_given_their_articles(typed: str, deed: str) -> None:
    assert deed_of(typed, NAMES) == deed


@pytest.mark.parametrize(
    ("typed", "remembered"),
    [
        ("climb the tower and ring the bell", "climbed the tower and rang the bell"),
        ("I walk to the mill and knock", "walked to the mill and knocked"),
        ("shut my eyes and count to ten", "shut their eyes and counted to ten"),
        ("open the door, go in and close it", "opened the door, went in and closed it"),
        ("I wait, then search her desk", "waited, then searched her desk"),
        ("I take the bread and water", "took the bread and water"),
        ("I take the rope, knife and lamp", "took the rope, knife and lamp"),
        ("I stand there and do nothing", "stood there and did nothing"),
        ("I quietly slip out", "quietly slipped out"),
        ("take all the gold I can carry", "took all the gold they could carry"),
        ("I wave because he is late", "waved because he was late"),
        ("I wait for him to come to me", "waited for him to come to them"),
        ("I lie to Iris about my name", "lied to Iris about their name"),
        ("I lie down", "lay down"),
    ],
)
def test_a_deed_is_remembered_in_the_past_and_of_the_player(typed: str, remembered: str) -> None:
    assert did(typed) == f"The player {remembered}."


def test_a_deed_can_be_tried() -> None:
    slots = deed_slots("I try to lift the stone over my head")

    assert slots["deed"] == "You lift the stone over your head."
    assert slots["try"] == "You try to lift the stone over your head."
    assert slots["tried"] == "The player tried to lift the stone over their head."


@pytest.mark.parametrize(
    "typed", ["I think about my mother", "I hate this", "I want the crown", "do nothing"]
)
def test_nobody_tries_to_think_or_to_do_nothing(typed: str) -> None:
    assert set(deed_slots(typed)) == {"deed", "did"}


def test_who_is_to_be_quiet_does_nothing_that_could_be_told_again() -> None:
    assert deed_of("be quiet and listen") == ""


def test_a_question_after_a_deed_is_not_told_as_part_of_it() -> None:
    assert deed_slots("lay my palm on the chest, is it warm?")["deed"] == "You lay your palm on the chest."
    assert deed_slots("I take the cup, have a sip and sit down")["deed"].endswith("have a sip and sit down.")
