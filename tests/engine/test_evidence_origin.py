"""The file of a campaign that evidence was written in, found by the evidence's id or its text."""

from __future__ import annotations

import pytest
from tests.engine.small_story import story

from narratoria import app, paths
from narratoria.campaign.campaign import LorePassage
from narratoria.campaign.load import load_campaign
from narratoria.engine.evidence_origin import find_origin, passage_of
from narratoria.narrator.evidence import Evidence


@pytest.mark.parametrize(
    ("identifier", "file", "field"),
    [
        ("pike/background/0", "characters/npcs/pike/profile.json", "background"),
        ("pike/says/0", "characters/npcs/pike/profile.json", "speech_patterns/examples"),
        ("pike/secret/0", "characters/npcs/pike/secrets.md", ""),
        ("who/pike", "characters/npcs/pike/profile.json", "role"),
        ("maren-tolliver/topic/the-oar", "characters/npcs/maren-tolliver/profile.json", "topics/the-oar"),
        ("place/abbey/0", "lore/locations/abbey.md", ""),
        ("lore/lore/customs/boat-names.md#0", "lore/customs/boat-names.md", ""),
    ],
)
def test_evidence_leads_to_the_campaigns_file(identifier: str, file: str, field: str) -> None:
    campaign = load_campaign(paths.BUNDLED_CAMPAIGNS / "harrowmere")
    origin = find_origin(identifier, campaign)

    assert origin is not None
    assert (origin.file, origin.field) == (file, field)
    assert (campaign.folder / file).is_file()


@pytest.mark.parametrize(
    "identifier", ["lore/nowhere#0", "place/nowhere/0", "nobody/background/0", "journal"]
)
def test_what_the_campaign_does_not_hold_has_no_file(identifier: str) -> None:
    assert find_origin(identifier, load_campaign(paths.BUNDLED_CAMPAIGNS / "harrowmere")) is None


def test_lore_that_a_search_cut_out_is_found_by_its_text() -> None:
    wheel = LorePassage("lore/wheel.md", 0, "The wheel", "It was carved from one oak. It has sixteen spokes.")
    campaign = story(lore=(wheel,))

    assert passage_of(Evidence(id="lore/x", text="It has sixteen spokes.", source="lore"), campaign) == wheel
    assert passage_of(Evidence(id="lore/x", text="It has nine.", source="lore"), campaign) is None


def test_a_closer_look_leads_to_the_page_of_its_place_or_to_a_profile() -> None:
    campaign = app.open_campaign("harrowmere")
    hands = next(look for look in campaign.people["pike"].things if "hands" in look.names)
    furnace = campaign.places["foundry"].things[0]
    place = find_origin(f"look/foundry/{furnace.names[0].replace(' ', '-')}", campaign)
    person = find_origin(f"look/pike/{hands.names[0]}", campaign)
    sense = find_origin("look/foundry/smell", campaign)

    assert place is not None
    assert (place.file, place.text) == ("lore/locations/foundry.md", furnace.text)
    assert person is not None
    assert (person.file, person.field, person.text) == (
        "characters/npcs/pike/profile.json",
        "things",
        hands.text,
    )
    assert sense is not None
    assert sense.text == campaign.places["foundry"].senses["smell"]
    assert find_origin("look/nowhere/thing", campaign) is None
