"""Reading a campaign: little is required, and what is broken is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria import places
from narratoria.campaign.campaign import Way
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate
from narratoria.errors import ContractViolation

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
    mill, weir = load_campaign(tmp_path).places.values()
    assert (mill.id, mill.in_a_sentence, mill.arrival) == ("mill", "the mill", "It stands by the weir.")
    assert mill.details == ("A second look.",)
    assert mill.moments == ("The wheel turns.", "Dust.")
    assert mill.ways == (Way("weir", "down the steps"),)
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


@pytest.mark.parametrize("folder", sorted(places.BUNDLED_CAMPAIGNS.iterdir()), ids=lambda folder: folder.name)
def test_a_bundled_campaign_has_nothing_that_an_author_would_be_told_to_mend(folder: Path) -> None:
    report = validate(folder)
    assert [finding.as_line(folder) for finding in report.findings if finding.severity != "info"] == []
