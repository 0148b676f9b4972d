"""Reading a campaign: little is required, and what is broken is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaign import mill

from narratoria import paths
from narratoria.campaign.campaign import Aftermath
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.errors import ContractViolation

FIELDS = "".join(f"  {key}: '{value}'\n" for key, value in mill.PROVENANCE.items())
MANIFEST = '{"title": "The Mill", "version": "1.0.0"}'


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_a_manifest_is_enough(tmp_path: Path) -> None:
    campaign = load_campaign(write(tmp_path, **{"manifest.json": MANIFEST}))
    assert campaign.title == "The Mill"
    assert campaign.premise == ("The Mill begins.",)
    assert campaign.places[campaign.start].arrival
    assert campaign.beats == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            None,
            "cannot be read (No such file or directory); a campaign is a folder with a manifest.json in it",
        ),
        ("{", "manifest.json:1"),
        ('{"version": "1.0.0"}', "title"),
        ('{"title": "x", "version": "one"}', "/version"),
        ('{"title": "x", "version": "1.0.0", "content_rating": "Nobody"}', "/content_rating"),
    ],
)
def test_a_missing_or_broken_manifest_is_told_with_its_file(
    text: str | None, complaint: str, tmp_path: Path
) -> None:
    if text is not None:
        write(tmp_path, **{"manifest.json": text})
    with pytest.raises(ContractViolation) as refused:
        load_campaign(tmp_path)
    assert complaint in str(refused.value)
    assert str(tmp_path / "manifest.json") in str(refused.value)


@pytest.mark.parametrize("folder", sorted(paths.BUNDLED_CAMPAIGNS.iterdir()), ids=lambda folder: folder.name)
def test_a_bundled_campaign_has_nothing_that_an_author_would_be_told_to_mend(folder: Path) -> None:
    report = validate_campaign(folder)
    assert [finding.as_line(folder) for finding in report.problems if finding.severity != "info"] == []


def test_everything_an_author_writes_is_read(tmp_path: Path) -> None:
    campaign = load_campaign(mill.build(tmp_path))
    assert campaign.setting == "# The valley\n\nA river, and one mill."
    assert campaign.constraints == ("Nobody drowns.",)
    assert campaign.start == "mill"
    assert campaign.people["miller"].secrets == "He stopped it himself."
    assert campaign.people["miller"].portrait == "art/characters/npc_miller.png"
    assert campaign.places["mill"].art == "art/locations/mill.png"
    assert campaign.factions["guild"].description == "Millers, mostly."
    assert campaign.endings["morning"].paragraphs == ("It turns.",)
    assert campaign.endings["morning"].epilogue == (
        Aftermath("the wheel turns", "Flour for all."),
        Aftermath("", "Rest."),
    )
    assert (campaign.rules.dice, campaign.rules.modifiers.stat, campaign.rules.time) == (
        "1d6",
        "half",
        {"travel": 2},
    )
    assert campaign.rules.prose == "# Rules\n\nOne die, and patience."
    assert campaign.template.presets[0].character_class == "Hand"
    assert campaign.generated == {}


def test_a_portrait_is_found_beside_its_profile_or_by_its_name(tmp_path: Path) -> None:
    beside = mill.added("characters/npcs/weir-keeper/portrait.webp", b"RIFF")
    by_name = mill.added("art/characters/Weir_Keeper.png", mill.PNG)
    assert load_campaign(mill.build(tmp_path / "a", beside, by_name)).people["weir-keeper"].portrait == (
        "characters/npcs/weir-keeper/portrait.webp"
    )
    assert load_campaign(mill.build(tmp_path / "b", by_name)).people["weir-keeper"].portrait == (
        "art/characters/Weir_Keeper.png"
    )
