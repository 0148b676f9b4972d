"""Files of a campaign: read with their places, whoever wrote them and however they end their lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.campaign import mill
from tests.campaign.test_load import FIELDS, MANIFEST, write

from narratoria.campaign.load import generated_content_warning, load_campaign
from narratoria.errors import ContractViolation


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
