"""What a premise excludes is refused, sentence by sentence; what its author says himself is not."""

from __future__ import annotations

from tests.campaign.enrich.premises import make_campaign

from narratoria.campaign.enrich.exclusions import Exclusions, find_exclusions
from narratoria.campaign.enrich.premise import read_premise


def exclusions(text: str) -> Exclusions:
    return find_exclusions(read_premise(make_campaign("untitled", text)))


def test_there_are_no_boats_in_space():
    gate = exclusions("You are the ship's cat on an ore hauler in deep space.")
    assert gate.remove_excluded("The hull ticks. A boat is made fast outside.") == "The hull ticks."
    assert gate.remove_excluded("A boat is made fast outside.") == ""


def test_a_loaf_has_no_hands():
    gate = exclusions("I am a loaf of bread.")
    assert gate.excludes("You put it in your pocket.")
    assert not gate.excludes("The cook puts it in her pocket.")


def test_a_word_of_the_authors_is_not_excluded():
    gate = exclusions("A space station with a rowing boat in the airlock.")
    assert not gate.excludes("The boat knocks against the wall.")
    assert gate.excludes("There is a beach.")


def test_what_the_author_says_is_not_there_is_excluded():
    gate = exclusions("You are a wizard in a tower. There are no dragons left.")
    assert gate.excludes("Two dragons sit on the roof.")


def test_paragraphs_stay_apart():
    gate = exclusions("I am a loaf of bread.")
    assert gate.remove_excluded("One. Your hand shakes.\n\nTwo.") == "One.\n\nTwo."
