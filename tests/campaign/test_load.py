"""Reading a campaign: little is required, and what is broken is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.campaign import mill

from narratoria import paths
from narratoria.campaign.campaign import Aftermath, Way
from narratoria.campaign.load import generated_content_warning, load_campaign
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


def test_a_place_is_read_from_its_page(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            "manifest.json": MANIFEST,
            "lore__locations__mill.md": "# The mill\n\nIt stands\nby the weir.\n\nA second look.\n\n"
            "## Moments\n\n- The wheel\n  turns.\n- Dust.\n\n## Ways\n\n- [Weir](weir.md): down the steps\n"
            "- [Gone](gone.md): nowhere\n- no link\n",
            "lore__locations__weir.md": "# Long Weir\n",
        },
    )
    house, weir = load_campaign(tmp_path).places.values()
    assert (house.id, house.in_a_sentence, house.arrival) == ("mill", "the mill", "It stands by the weir.")
    assert house.details == ("A second look.",)
    assert house.moments == ("The wheel turns.", "Dust.")
    assert house.ways == (Way("weir", "down the steps"),)
    assert weir.in_a_sentence == "Long Weir"
    assert weir.arrival


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "plot__beats.json",
            '{"beats": [{"id": "a", "title": "A", "description": "…", "priority": "urgent"}]}',
            "/beats/0/priority",
        ),
        ("plot__beats.json", '{"beats": ', "beats.json"),
        ("characters__npcs__miller__profile.json", '{"name": "Miller"}', "role"),
        ("characters__player__template.json", '{"starting_location": 7}', "/starting_location"),
    ],
)
def test_a_broken_file_is_told_with_its_place(name: str, text: str, complaint: str, tmp_path: Path) -> None:
    write(tmp_path, **{"manifest.json": MANIFEST, name: text})
    with pytest.raises(ContractViolation) as refused:
        load_campaign(tmp_path)
    assert complaint in str(refused.value)
    assert name.rpartition("__")[2] in str(refused.value)


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


def test_generated_files_fill_the_gaps_and_an_authors_own_have_the_last_word(tmp_path: Path) -> None:
    marks = {"generated": True, "provenance": mill.PROVENANCE}
    page = "---\ngenerated: true\nprovenance:\n" + FIELDS + "---\n"
    beat = {"id": "g", "title": "G", "description": "Generated."}
    campaign = load_campaign(
        mill.build(
            tmp_path,
            mill.removed("plot/beats.json"),
            mill.removed("world/setting.md"),
            mill.added("plot/beats_generated.json", {"beats": [beat], **marks}),
            mill.added("world/setting_generated.md", f"{page}# A guess\n"),
            mill.added("plot/premise_generated.md", f"{page}Never read.\n"),
            mill.added("plot/endings/dusk_generated.md", f"{page}# Dusk\n\nDark.\n"),
        )
    )
    assert [(beat.id, beat.generated) for beat in campaign.beats] == [("g", True)]
    assert campaign.setting == "# A guess"
    assert campaign.premise[0] == "You hear it before you see it."
    assert set(campaign.endings) == {"dusk", "morning"}
    assert set(campaign.generated) == {
        "plot/beats_generated.json",
        "world/setting_generated.md",
        "plot/premise_generated.md",
        "plot/endings/dusk_generated.md",
    }
    assert campaign.generated["world/setting_generated.md"].seed_data == "A mill."
    assert generated_content_warning(campaign) == (
        "Campaign contains 4 AI-generated asset(s). "
        "Review generated flags and provenance metadata to verify correctness."
    )


def test_line_ends_and_byte_order_marks_make_no_difference(tmp_path: Path) -> None:
    def from_windows(files: dict[str, bytes]) -> None:
        for name, content in files.items():
            if name.endswith((".md", ".json")):
                files[name] = b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")

    here, there = (
        load_campaign(mill.build(tmp_path / "a")),
        load_campaign(mill.build(tmp_path / "b", from_windows)),
    )
    assert replace(here, folder=tmp_path) == replace(there, folder=tmp_path)


def test_places_are_known_by_their_titles_too(tmp_path: Path) -> None:
    start = mill.edited("characters/player/template.json", lambda d: d.update(starting_location="The Weir"))
    beat = mill.edited("plot/beats.json", lambda d: d["beats"][0].update(location="the mill"))
    campaign = load_campaign(mill.build(tmp_path, start, beat))
    assert (campaign.start, campaign.beats[0].location) == ("weir", "mill")
