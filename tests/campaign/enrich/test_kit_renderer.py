"""Texts of a kit are filled in with the nouns and people of one premise."""

from __future__ import annotations

from tests.campaign.enrich.premises import PREMISES, make_campaign

from narratoria.campaign.enrich.casting import cast_plot
from narratoria.campaign.enrich.exclusions import find_exclusions
from narratoria.campaign.enrich.kit_renderer import KitRenderer
from narratoria.campaign.enrich.kits import load_kit
from narratoria.campaign.enrich.premise import read_premise


def story(text: str) -> KitRenderer:
    premise = read_premise(make_campaign("untitled", text))
    kit = load_kit(premise.kind)
    return KitRenderer(premise, kit, cast_plot(premise, kit, kit.plots[0], 0), find_exclusions(premise))


def test_a_person_has_the_whole_name_first_and_the_first_name_after():
    made = story(PREMISES["hauler"][0])
    member = made.cast.members[0]
    filled = made.text("{a} looks up. “Well,” says {a}, and {a.they} waits.")
    assert filled == f"{member.name} looks up. “Well,” says {member.first}, and {member.they} waits."


def test_nouns_of_the_premise_stand_in_the_form_a_sentence_needs():
    made = story("You are the ship's cat on an ore hauler in deep space. You have a sealed letter.")
    filled = made.text("{home:The} hums. {thing:A} lies there; it is nothing to {me:a}.")
    assert filled == "The ore hauler hums. A sealed letter lies there; it is nothing to a ship's cat."


def test_an_authors_braces_are_text_and_no_template():
    made = story("You are a knight at the court of the king. {nobody} speaks of the crown.")
    frame = "{p} nods. “{sentence}.”"
    told = made.hearsay(frame, made.premise.nouns[0], "{nobody} speaks of it", made.cast.members[0])
    assert "{nobody} speaks of it" in told


def test_excluded_sentences_are_left_out_of_what_is_told():
    made = story(PREMISES["loaf"][0])
    assert made.told("The tap drips. You close your hand.") == "The tap drips."


def test_the_place_it_begins_at_is_no_second_place():
    made = story("You are a goblin in the garden of the queen, and the king has gone.")
    assert made.start == made.place("garden") == made.place("start")
    assert made.place("kitchens") == "kitchens"
