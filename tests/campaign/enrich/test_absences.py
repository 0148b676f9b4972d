"""What an author does not want is read out of the premise, and is no part of the story."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.absences import find_absences, list_meant, without_wishes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No magic or murders, just normal life.", {"magic", "murders"}),
        ("no magic no murders just nice", {"magic", "murders"}),
        ("Please no elves or knights or taverns!", {"elves", "knights", "taverns"}),
        ("Hard sf, no aliens, no FTL.", {"aliens", "ftl"}),
        ("There is no fuel.", {"fuel"}),
        ("I have no idea, and no choice.", set()),
    ],
)
def test_what_is_not_wanted_is_found(text, words):
    assert set(find_absences(text)) == words


def test_a_word_stands_for_those_that_mean_the_same():
    assert "murderer" in list_meant("murders")
    assert "wizard" in list_meant("magic")
    assert list_meant("fuel") == ("fuel",)


def test_a_wish_is_no_part_of_the_story():
    kept = without_wishes(
        "A quiet street. No dragons or knights, please. I should like to play Ada, a baker."
    )
    assert "dragon" not in kept
    assert "play" not in kept
    assert "Ada, a baker" in kept
    assert "no idea" in without_wishes("You have no idea.")
