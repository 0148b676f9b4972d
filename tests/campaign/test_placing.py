"""Where people are when a story begins, and how validation lists it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.mill import added, build

from narratoria.campaign.campaign import Campaign
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign

INN = "# The Crooked Inn\n\nA low room with a fire in it.\n\n## Ways\n\n- [Mill](mill.md): up the lane\n"


def somebody(person: str, role: str = "A stranger", **others: Any) -> Any:
    profile = {"name": person.title(), "role": role, "personality": {}, **others}
    return added(f"characters/npcs/{person}/profile.json", profile)


def campaign_with(folder: Path, *changes: Any) -> Campaign:
    return load_campaign(build(folder, added("lore/locations/inn.md", INN), *changes))


def with_beat(**fields: Any) -> Any:
    def change(files: dict[str, bytes]) -> None:
        document = json.loads(files["plot/beats.json"])
        beat = {"id": "supper", "title": "Supper", "description": "They eat.", "location": "inn", **fields}
        document["beats"].append(beat)
        files["plot/beats.json"] = json.dumps(document).encode()

    return change


def test_who_has_a_first_appearance_is_there_whatever_else_names_them(tmp_path: Path) -> None:
    campaign = campaign_with(
        tmp_path, somebody("ida", metadata={"first_appearance": "weir"}), with_beat(npcs=["ida"])
    )

    assert campaign.home_of("ida") == "weir"
    assert campaign.placements["ida"].kind == "written"


@pytest.mark.parametrize(
    "fields",
    [
        {"npcs": ["ida"]},
        {"dialogue": [{"speaker": "ida", "text": "Sit down."}]},
        {"description": "Ida puts the soup on the table."},
    ],
)
def test_a_beat_that_names_somebody_places_them_where_it_happens(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    placement = campaign_with(tmp_path, somebody("ida"), with_beat(**fields)).placements["ida"]

    assert (placement.place, placement.reason) == ("inn", "the beat 'supper' names them there")


def test_a_thing_of_somebodys_in_a_beat_does_not_put_them_there(tmp_path: Path) -> None:
    campaign = campaign_with(tmp_path, somebody("ida"), with_beat(description="Ida's coat hangs here."))

    assert campaign.home_of("ida") == ""


def test_the_page_of_a_place_and_the_lore_place_whom_they_name(tmp_path: Path) -> None:
    campaign = campaign_with(
        tmp_path,
        somebody("ida"),
        somebody("orm"),
        added("lore/locations/yard.md", "# The yard\n\nIda counts barrels.\n"),
        added("lore/feud.md", "# The feud\n\nSince the feud Orm has lived at the crooked inn.\n"),
    )

    assert campaign.placements["ida"].place == "yard"
    assert (campaign.placements["orm"].place, campaign.placements["orm"].kind) == ("inn", "lore")


def test_a_trade_leads_to_where_it_is_practised(tmp_path: Path) -> None:
    campaign = campaign_with(
        tmp_path, somebody("ida", "Innkeeper"), somebody("orm", "Sweeper of the crooked inn")
    )

    assert campaign.placements["ida"].reason == "one finds the innkeeper there"
    assert campaign.home_of("ida") == campaign.home_of("orm") == "inn"


def test_the_main_person_of_a_card_is_where_the_story_begins(tmp_path: Path) -> None:
    metadata = {"importance": "major", "tags": ["imported"]}
    campaign = campaign_with(tmp_path, somebody("ida", "Innkeeper", metadata=metadata))

    assert campaign.home_of("ida") == campaign.start == "mill"


def test_somebody_is_beside_whom_they_are_tied_to_unless_the_tie_is_a_feud(tmp_path: Path) -> None:
    campaign = campaign_with(
        tmp_path,
        somebody("ida", "Innkeeper"),
        somebody("orm", relationships={"ida": "Her husband"}),
        somebody("ulf", relationships={"orm": "His apprentice"}),
        somebody("eda", relationships={"ida": "Her enemy since the flood"}),
    )

    assert [campaign.home_of(name) for name in ("orm", "ulf", "eda")] == ["inn", "inn", ""]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"metadata": {"importance": "antagonist"}}, "away"),
        ({"metadata": {"tags": ["hidden"]}}, "away"),
        ({"role": "The villain of the valley"}, "away"),
        ({"metadata": {"tags": ["unborn"]}}, "gone"),
        ({"role": "The late innkeeper"}, "gone"),
        ({"background": "Ida died in the flood."}, "gone"),
    ],
)
def test_antagonists_and_the_dead_stay_away_though_a_beat_names_them(
    tmp_path: Path, fields: dict[str, Any], kind: str
) -> None:
    campaign = campaign_with(tmp_path, somebody("ida", **fields), with_beat(npcs=["ida"]))

    assert (campaign.home_of("ida"), campaign.placements["ida"].kind) == ("", kind)


def test_validation_lists_who_is_placed_how_and_who_nowhere(tmp_path: Path) -> None:
    folder = build(
        tmp_path,
        added("lore/locations/inn.md", INN),
        somebody("ida"),
        somebody("orm"),
        somebody("ulf", metadata={"tags": ["villain"]}),
        with_beat(npcs=["ida"]),
    )
    problems = [one for one in validate_campaign(folder).problems if one.code.startswith("placed")]

    assert {one.severity for one in problems} == {"info"}
    assert {one.pointer for one in problems} == {"/metadata/first_appearance"}
    assert {(one.file.split("/")[2], one.code, one.message) for one in problems} == {
        ("ida", "placed", "Ida is placed at inn, because the beat 'supper' names them there"),
        ("miller", "placed", "Jonah Reed is placed at mill (first_appearance)"),
        ("weir-keeper", "placed", "Tam is placed at weir (first_appearance)"),
        ("orm", "placed-nowhere", "Orm is placed nowhere: say where with metadata.first_appearance"),
        ("ulf", "placed-nowhere", "Ulf is placed nowhere until a beat brings them: tagged 'villain'"),
    }
    assert json.dumps([one.as_document() for one in problems])
