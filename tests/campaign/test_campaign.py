"""A campaign as a value: what an author wrote, by name."""

from __future__ import annotations

from pathlib import Path

from tests.campaign import mill

from narratoria.campaign.load import load_campaign


def test_places_are_known_by_their_titles_too(tmp_path: Path) -> None:
    start = mill.edited("characters/player/template.json", lambda d: d.update(starting_location="The Weir"))
    beat = mill.edited("plot/beats.json", lambda d: d["beats"][0].update(location="the mill"))
    campaign = load_campaign(mill.build(tmp_path, start, beat))
    assert (campaign.start, campaign.beats[0].location) == ("weir", "mill")
