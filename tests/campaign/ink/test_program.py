"""A program knows its places, and what they are given."""

from __future__ import annotations

from narratoria.campaign.ink.program import Label
from narratoria.campaign.ink.story import parse_ink


def test_a_program_has_a_place_for_every_knot_stitch_and_label():
    story, problems = parse_ink("a.ink", "- (top) x\n== k(a, ref b)\n- (lab) x\n= s\nx\n")

    assert problems == []
    places = story.program.places
    assert set(places) == {"top", "k", "k.lab", "k.s"}
    assert places["k"].parameters == (("a", False), ("b", True))
    assert all(place.label.address >= 0 for place in places.values())
    assert Label().address == -1
