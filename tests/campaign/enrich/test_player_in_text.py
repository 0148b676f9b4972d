"""Who the player is, is found in a premise by what it calls them, or by what it says that they do."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.nouns import Noun
from narratoria.campaign.enrich.player_in_text import PlayerInText, body_of, find_player


@pytest.mark.parametrize(
    ("text", "player"),
    [
        ("You are Biscuit, the ship's cat on a hauler.", PlayerInText(Noun("ship's cat"), "Biscuit")),
        ("You are Captain Ilse Brand of the Petrel.", PlayerInText(Noun("captain"), "Captain Ilse Brand")),
        ("You work as a nurse.", PlayerInText(Noun("nurse"))),
        ("It is your first day as a clown.", PlayerInText(Noun("clown"))),
        ("You have been made captain.", PlayerInText(Noun("captain"))),
        ("I run a noodle stall.", PlayerInText(Noun("shopkeeper"))),
        ("You keep the lighthouse.", PlayerInText(Noun("keeper"))),
    ],
)
def test_the_player_is_found_with_a_name_where_there_is_one(text, player):
    assert find_player(text) == player


def test_what_was_given_to_the_player_is_not_the_player():
    assert find_player("You have been given a letter.") is None


def test_a_player_with_a_name_is_known_by_parts_of_it():
    player = PlayerInText(Noun("captain"), "Captain Ilse Brand")
    assert player.is_called("Ilse Brand")
    assert not player.is_called("Ilse Vogt")


@pytest.mark.parametrize(
    ("text", "noun", "name", "body"),
    [
        (
            "I should like to play Layla bint Hasan, a widow of some means.",
            "widow",
            "Layla bint Hasan",
            "person",
        ),
        ("We play the whole parish council of a small town.", "parish council", "", "crew"),
        ("I'm Doctor Dismal, supervillain (retired).", "supervillain", "Doctor Dismal", "person"),
        ("I'm the Night Heron, superhero.", "superhero", "the Night Heron", "person"),
        ("You are a well digger called Ilyas.", "well digger", "Ilyas", "person"),
        ("im a mum who runs the football", "mum", "", "person"),
    ],
)
def test_a_player_is_read_as_people_write_of_themselves(text, noun, name, body):
    player = find_player(text)
    assert player is not None
    assert (player.noun.word, player.name, body_of(player.noun)) == (noun, name, body)
