"""What validation says about things that no text can hold: links, devices, names, sizes."""

from __future__ import annotations

from pathlib import Path

from tests.campaign.mill import PROVENANCE, added, build

from narratoria.campaign.validate import validate_campaign


def found(folder: Path) -> list[str]:
    return [finding.as_line(Path()) for finding in validate_campaign(folder).problems]


def test_a_campaign_with_little_in_it_is_told_that_the_rest_is_invented(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"title": "x", "version": "1.0.0"}')
    (finding,) = validate_campaign(tmp_path).problems
    assert (finding.code, finding.severity) == ("sparse", "info")
    assert validate_campaign(tmp_path).ok


def test_what_was_generated_is_counted_file_by_file(tmp_path: Path) -> None:
    person = {
        "name": "Ida",
        "role": "Ferrywoman",
        "personality": {},
        "generated": True,
        "provenance": PROVENANCE,
    }
    sidecar = {"alt_text": "A hat.", "generated": True, "provenance": PROVENANCE}
    folder = build(
        tmp_path,
        added("characters/npcs/ida/profile_generated.json", person),
        added("art/characters/ida_generated.png", b"\x89PNG\r\n\x1a\n0"),
        added("art/characters/ida_generated.png.metadata.json", sidecar),
    )
    report = validate_campaign(folder)
    (finding,) = report.problems
    assert finding.message == (
        "Campaign contains 2 AI-generated asset(s). "
        "Review generated flags and provenance metadata to verify correctness."
    )
    assert report.campaign is not None
    assert report.campaign.people["ida"].portrait == "art/characters/ida_generated.png"
    assert set(report.campaign.generated) == {
        "characters/npcs/ida/profile_generated.json",
        "art/characters/ida_generated.png",
    }
