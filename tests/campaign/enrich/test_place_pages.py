"""Places are written: the author's first, then those the plot needs, all of them connected."""

from __future__ import annotations

import re

from tests.campaign.enrich.premises import PREMISES, make_campaign

from narratoria.campaign.enrich.casting import seeded_pick
from narratoria.campaign.enrich.generate import generate_content
from narratoria.campaign.folder import Folder
from narratoria.campaign.load import PLACES


def pages(text: str) -> dict[str, str]:
    campaign = make_campaign("untitled", text)
    made = generate_content(campaign, Folder(campaign.folder, {}), seeded_pick("untitled", 0))
    return {
        file.removeprefix(f"{PLACES}/").removesuffix(".md"): str(page)
        for file, page in made.files.items()
        if file.startswith(PLACES)
    }


def test_every_way_leads_to_a_place_and_every_place_can_be_reached():
    written = pages(PREMISES["museum"][0])
    ways = {name: set(re.findall(r"\]\(([\w-]+)\.md\)", page)) for name, page in written.items()}
    assert set().union(*ways.values()) <= set(written)
    reached, waiting = {"museum"}, ["museum"]
    while waiting:
        for place in ways[waiting.pop()] - reached:
            reached.add(place)
            waiting.append(place)
    assert reached == set(written)
    assert len(written) >= 7


def test_a_place_that_the_premise_names_is_among_them():
    written = pages("You live in the village with the mill. Nobody goes up to Harrow Beacon after dark.")
    assert "Nobody goes up to Harrow Beacon after dark" in written["harrow-beacon"]
