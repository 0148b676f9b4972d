"""The files of a campaign's folder: no link leads out of it, and nothing keeps the reader waiting."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.campaign.mill import added, build, problems_in
from tests.campaign.test_validate import found

from narratoria.campaign.folder import LARGE_ASSET
from narratoria.campaign.validate import validate_campaign


def test_a_link_out_of_the_campaign_is_refused_and_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("# Not yours\n")
    folder = build(tmp_path / "mill")
    (folder / "lore" / "leak.md").symlink_to(secret)
    (folder / "lore" / "all").symlink_to(tmp_path)
    refused = "1:1: error: is a link that leads out of the campaign; put the file itself there [link-out]"
    assert found(folder) == [f"lore/all:{refused}", f"lore/leak.md:{refused}"]


def test_a_link_within_the_campaign_is_a_file_like_any_other(tmp_path: Path) -> None:
    folder = build(tmp_path)
    (folder / "lore" / "again.md").symlink_to(folder / "lore" / "history" / "flood.md")
    assert found(folder) == []


def test_links_that_lead_nowhere_to_themselves_or_to_folders_are_refused(tmp_path: Path) -> None:
    folder = build(tmp_path)
    (folder / "lore" / "gone.md").symlink_to(folder / "nothing.md")
    (folder / "lore" / "round.md").symlink_to(folder / "lore" / "round.md")
    (folder / "lore" / "loop").symlink_to(folder)
    assert found(folder) == [
        "lore/gone.md:1:1: error: is a link that leads nowhere; remove it [broken-link]",
        "lore/loop:1:1: error: is a link to a folder; put the folder itself there [folder-link]",
        "lore/round.md:1:1: error: is a link that leads nowhere; remove it [broken-link]",
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    folder = build(tmp_path)
    os.mkfifo(folder / "lore" / "pipe.md")
    expected = "lore/pipe.md:1:1: error: is not an ordinary file; a campaign holds nothing else [not-a-file]"
    assert found(folder) == [expected]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    folder = build(tmp_path)
    Path(os.fsdecode(os.fsencode(folder) + b"/lore/\xff.md")).write_text("# ?\n")
    assert found(folder) == ["lore/?.md:1:1: error: has a name that is not UTF-8; rename it [bad-name]"]


def test_a_large_picture_is_warned_about(tmp_path: Path) -> None:
    folder = build(tmp_path)
    os.truncate(folder / "art" / "items" / "sack.png", LARGE_ASSET + 2**20)
    expected = (
        "art/items/sack.png:1:1: warning: is 65 MiB large; more than 64 take long to load [large-asset]"
    )
    assert found(folder) == [expected]


def test_folders_without_end_are_not_followed_to_it(tmp_path: Path) -> None:
    folder = build(tmp_path)
    (folder / "lore" / "/".join("d" * 40)).mkdir(parents=True)
    (finding,) = problems_in(validate_campaign(folder))
    assert (finding.code, finding.severity) == ("too-deep", "error")


def test_hidden_files_are_nobodys_business(tmp_path: Path) -> None:
    folder = build(tmp_path, added(".git/hooks/run.sh", "x"), added("lore/.draft.md", b"\xff"))
    assert found(folder) == []


def test_a_folder_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    (line,) = found(tmp_path / "nowhere")
    assert "there is no such folder" in line
