"""Who takes part in an act: who is addressed, who is there, and who is only spoken of."""

from __future__ import annotations

import pytest

from narratoria.planner.intent import KnownPerson, ReadingContext
from narratoria.planner.participants import find_participant

ADA = KnownPerson(
    "ada", "Ada Finch", "Ada", "she", descriptions=("Harbour master", "A tall woman in oilskins")
)
NED = KnownPerson("ned", "Ned", "Ned", "he", descriptions=("Cabin boy", "A thin boy with a torch"))
COLE = KnownPerson(
    "cole", "Mr. Cole", "Mr. Cole", "he", present=False, descriptions=("Pilot", "A man with a rope")
)
SELLER = KnownPerson("isa", "Isa", "Isa", "she", descriptions=("Keeper of the chandler's shop",))
COMPANY = ReadingContext(people=(ADA, NED, COLE, SELLER))


@pytest.mark.parametrize(
    ("clause", "act", "person"),
    [
        ("I take the rope", "take", ""),
        ("climb up the signal tower", "climb", ""),
        ("ask the harbour master about the boy", "ask", "ada"),
        ("what has Ned done wrong?", "ask", "ada"),
        ("what is Mr. Cole like?", "ask", "ada"),
        ("two candles, please", "buy", "isa"),
        ("follow the boy", "follow", "ned"),
        ("thank him", "thank", "ned"),
        ("I shout at Mr. Cole", "attack", "cole"),
    ],
)
def test_who_is_addressed_or_present_takes_part(clause: str, act: str, person: str) -> None:
    mention = find_participant(clause, clause, act, COMPANY, "")
    assert (mention.id if mention else "") == person


def test_a_pronoun_goes_back_to_who_was_spoken_of_in_the_same_line() -> None:
    line = "I kneel down by the boy and ask him whether the harbour master is kind to him"
    mention = find_participant(line.partition(" and ")[2], line, "ask", COMPANY, "ned")
    assert mention is not None
    assert mention.id == "ned"


def test_whoever_was_dealt_with_last_listens() -> None:
    context = ReadingContext(people=(ADA, NED), last_person="ned")
    mention = find_participant("is the tide out?", "is the tide out?", "ask", context, "")
    assert mention is not None
    assert mention.id == "ned"


def test_with_nobody_there_nobody_takes_part() -> None:
    assert (
        find_participant("is the tide out?", "is the tide out?", "ask", ReadingContext(people=(COLE,)), "")
        is None
    )


@pytest.mark.parametrize(
    ("clause", "act"),
    [
        ("Mr. Cole, a word please", "persuade"),
        ("why won't you go to the tower, Mr. Cole?", "ask"),
        ("Cole, where were you?", "ask"),
        ("ask Mr. Cole about the boy", "ask"),
        ("show Mr. Cole the letter", "show"),
        ("I give the rope to Cole", "give"),
        ("I talk to Mr. Cole", "talk"),
        ("tell Cole that the boat is gone", "tell"),
    ],
)
def test_who_is_spoken_to_by_name_takes_part_from_elsewhere(clause: str, act: str) -> None:
    mention = find_participant(clause, clause, act, COMPANY, "")
    assert mention is not None
    assert mention.id == "cole"


@pytest.mark.parametrize(
    ("clause", "act"),
    [
        ("ask about Mr. Cole", "ask"),
        ("tell Ada about Mr. Cole", "tell"),
        ("show Cole's letter to Ada", "show"),
        ("where is Cole?", "ask"),
        ("Ada, what do you know about Cole?", "ask"),
    ],
)
def test_who_is_only_spoken_of_does_not_take_part(clause: str, act: str) -> None:
    mention = find_participant(clause, clause, act, COMPANY, "")
    assert mention is not None
    assert mention.id == "ada"


@pytest.mark.parametrize(
    ("line", "person"),
    [
        ("Herr Ned, forgive me for asking, but what did you build?", "ned"),
        ("You call yourself a keeper?", "isa"),
        ("you are the cabin boy, aren't you", "ned"),
        ("you are a liar", "ada"),  # which nobody here is by trade
    ],
)
def test_whoever_is_told_what_they_are_is_spoken_to(line: str, person: str) -> None:
    mention = find_participant(line, line, "ask", COMPANY, "")
    assert mention is not None
    assert mention.id == person
