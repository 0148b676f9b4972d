"""A premise is read for its kind of world, who the player is, who and what is there, and what cannot be."""

from __future__ import annotations

import pytest
from tests.campaign.enrich.premises import PREMISES, make_campaign

from narratoria.campaign.enrich.player_in_text import bodies
from narratoria.campaign.enrich.premise import Premise, kinds_of_world, read_premise


def read(text: str) -> Premise:
    return read_premise(make_campaign("untitled", text))


@pytest.mark.parametrize("name", PREMISES)
def test_a_premise_is_of_its_kind_of_world(name):
    text, kind = PREMISES[name]
    assert read(text).kind == kind


def test_without_an_embedder_the_words_are_enough(monkeypatch):
    monkeypatch.setattr("narratoria.inference.installed_models.find_embedder", lambda: None)
    monkeypatch.setattr("narratoria.campaign.enrich.likeness._vectors", {})
    kinds = {name: read(text).kind for name, (text, _) in PREMISES.items()}
    assert kinds == {name: kind for name, (_, kind) in PREMISES.items()}


@pytest.mark.parametrize(
    ("text", "word", "body"),
    [
        ("I am a loaf of bread.", "loaf", "thing"),
        ("You are the ship's cat on an ore hauler.", "ship's cat", "animal"),
        ("You are the night watchman in a museum.", "night watchman", "person"),
        ("A retired spy in a suburb.", "retired spy", "person"),
        ("You are a ghost in a boarding school.", "ghost", "spirit"),
        ("Two soldiers share a trench.", "soldier", "person"),
        ("We are a crew of four on a whaler.", "crew", "crew"),
        ("The king has died.", "petitioner", "person"),
        ("You are Biscuit, the ship's cat on an ore hauler.", "ship's cat", "animal"),
        ("You have been given a letter on the road.", "passenger", "person"),
        ("You carry letters between the settlements.", "letter carrier", "person"),
        ("You have been made captain of a schooner.", "captain", "person"),
    ],
)
def test_who_the_player_is_and_what_body_they_have(text, word, body):
    premise = read(text)
    assert (premise.player.word, premise.body) == (word, body)


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("You are the ship's cat on an ore hauler in deep space.", "ore hauler"),
        ("A school on a glacier.", "school"),
        ("Four flatmates in a city tower block find a door.", "city tower block"),
        ("The dead of the village come home for supper.", "village"),
        ("The first baby on Mars is due.", "Mars"),
    ],
)
def test_where_it_plays(text, home):
    assert read(text).home.word == home


def test_what_the_author_says_there_is_none_of_cannot_be():
    assert read("You are a dragon. There are no knights left.").absences == ("knights",)


def test_what_nobody_has_done_is_not_what_there_is_none_of():
    assert read("You are a loaf. Nobody has bought you.").absences == ()
    assert read("There are no cars that run.").absences == ()
    assert read("A village. There is no fuel, and nobody has shoes.").absences == ("fuel", "shoes")


def test_what_is_not_there_is_not_where_it_plays():
    assert read("You walk between the settlements. There are no cars.").home.word != "car"
    assert read("You walk between the settlements. There are no cars that run.").home.word != "car"


def test_a_player_with_a_name_is_nobody_else():
    premise = read("You are Captain Ilse Brand, the last captain of the schooner Petrel.")
    assert premise.player_name == "Captain Ilse Brand"
    assert premise.people == ()


@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("You are a stoker on a whaler.", "ship"),
        ("You are the keeper of a lighthouse on an island.", "shore"),
        ("You are the night watchman in a museum.", "museum"),
        ("You are a clerk in an office.", "house"),
    ],
)
def test_the_ground_is_told_by_where_it_plays(text, ground):
    assert read(text).ground == ground


def test_a_title_is_no_part_of_the_place():
    campaign = make_campaign("The Understudy", "The school play opens tomorrow.")
    assert read_premise(campaign).home.word == "school"


def test_tone_and_scale_come_from_the_words():
    premise = read("A cosy, gentle wedding in a small cottage.")
    assert (premise.tone, premise.scale) == ("warm", "house")
    assert read("Grief and loss across the whole empire.").scale == "country"


def test_a_loaf_has_no_hands_and_a_person_has():
    assert any("hands" in pattern for pattern in bodies().bodies["thing"].excludes)
    assert bodies().bodies["person"].excludes == ()


def test_every_kind_of_world_has_words_that_cannot_be_in_it():
    assert len(kinds_of_world()) >= 14
    for kind in kinds_of_world().values():
        assert kind.excludes
        assert not kind.words & set(kind.excludes), "what is a sign of it can be in it"
