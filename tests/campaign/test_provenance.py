"""It can be told of every file of a campaign who made it."""

from __future__ import annotations

import json

from click.testing import CliRunner
from tests.campaign import mill

from narratoria.campaign.authoring import NewCampaign, create_campaign
from narratoria.campaign.enrich.enrichment import enrich_campaign
from narratoria.campaign.folder import scan_folder
from narratoria.campaign.load import read_campaign
from narratoria.campaign.provenance import list_origins
from narratoria.cli.campaign import campaign as command


def _run(*arguments: str):
    return CliRunner().invoke(command, list(arguments))


def test_every_file_that_players_come_upon_is_listed_with_its_maker(tmp_path):
    create_campaign(
        tmp_path / "salt", NewCampaign("Salt", description="A clock runs on salt.", premise="It stopped.")
    )
    enrich_campaign(tmp_path / "salt")
    reading = read_campaign(tmp_path / "salt")
    found = {origin.path: origin for origin in list_origins(reading)}

    assert set(found) == set(scan_folder(tmp_path / "salt").files)
    assert {path for path, origin in found.items() if origin.who == "generated"} == set(
        reading.reader.generated
    )
    assert found["plot/premise.md"].who == "author"
    assert found["plot/beats_generated.json"].provenance.seed_data.startswith("Salt.")


def test_a_part_of_a_file_that_a_program_made_is_listed_too(tmp_path):
    beats = json.loads(json.dumps(mill.BEATS))
    beats["beats"][1] |= {"generated": True, "provenance": mill.PROVENANCE}
    folder = mill.build(tmp_path, mill.added("plot/beats.json", beats))
    found = {origin.path: origin.who for origin in list_origins(read_campaign(folder))}

    assert found["plot/beats.json"] == "author"
    assert found["plot/beats.json#/beats/1"] == "generated"


def test_a_generated_file_that_the_authors_own_has_replaced_is_marked_so(tmp_path):
    create_campaign(tmp_path / "salt", NewCampaign("Salt"))
    enrich_campaign(tmp_path / "salt")
    (tmp_path / "salt/plot/premise.md").write_text("Mine.\n")
    found = {origin.path: origin for origin in list_origins(read_campaign(tmp_path / "salt"))}

    assert found["plot/premise_generated.md"].replaced_by == "plot/premise.md"
