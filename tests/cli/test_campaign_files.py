"""The files of campaigns from the command line: made, listed, packed, and who made them."""

from __future__ import annotations

import json

from click.testing import CliRunner
from tests.campaign import mill

from narratoria.campaign.authoring import NewCampaign, create_campaign
from narratoria.campaign.enrich.enrichment import enrich_campaign
from narratoria.cli.campaign import campaign as command


def _run(*arguments: str):
    return CliRunner().invoke(command, list(arguments))


def test_the_command_lists_them_and_fails_where_something_is_hidden(tmp_path):
    create_campaign(tmp_path / "salt", NewCampaign("Salt"))
    enrich_campaign(tmp_path / "salt")
    told = _run("provenance", str(tmp_path / "salt"), "--json")
    document = json.loads(told.output)
    assert told.exit_code == 0
    assert document["warning"].startswith("Campaign contains ")
    assert {file["who"] for file in document["files"]} == {"author", "generated"}

    (tmp_path / "salt/lore/hidden_generated.md").write_text("Who wrote this?\n")
    assert _run("provenance", str(tmp_path / "salt")).exit_code == 1


def test_the_list_names_what_is_there_and_what_is_wrong_with_it(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    mill.build(tmp_path / "campaigns/the-mill")
    (tmp_path / "campaigns/broken").mkdir()
    rows = {row["name"]: row for row in json.loads(_run("list", "--json").output)["campaigns"]}

    assert {"the-mill", "broken", "harrowmere", "tomorrows-post", "comet-tea-room"} <= set(rows)
    assert (rows["the-mill"]["whose"], rows["the-mill"]["errors"]) == ("yours", 0)
    assert rows["broken"]["errors"] == 1
    assert rows["harrowmere"]["whose"] == "bundled"
