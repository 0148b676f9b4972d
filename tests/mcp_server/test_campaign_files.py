"""A client that may name any path reads and writes inside its campaign alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria import paths
from narratoria.errors import NarratoriaException
from narratoria.mcp_server.campaign_files import find_path, list_files, read_text_file, write_text_file


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    folder = tmp_path / "quay"
    (folder / "world").mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    (folder / "world" / "setting.md").write_text("The quay, at low water.\n", encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    (folder / "cover.png").write_bytes(b"\x89PNG")
    (tmp_path / "secret.md").write_text("the combination is 4711")
    return folder


OUTSIDE = [
    "../secret.md",
    "world/../../secret.md",
    "/etc/passwd",
    "./world/setting.md",
    "world//setting.md",
    "..",
    "",
    ".git/config",
    "world/.hidden.md",
    "C:/secret.md",
    "world\\..\\..\\secret.md",
    "world/setting.md\0",
    "world/ setting.md",
    "world/setting.md.",
    "a" * 300 + ".md",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_out_or_hides_is_refused(campaign: Path, path: str) -> None:
    with pytest.raises(NarratoriaException):
        read_text_file(campaign, path)
    with pytest.raises(NarratoriaException):
        write_text_file(campaign, path, "mine now")
    assert (campaign.parent / "secret.md").read_text() == "the combination is 4711"
    assert (campaign / ".git" / "config").read_text() == "secret"


def test_a_link_that_leads_out_is_refused(campaign: Path) -> None:
    (campaign / "out.md").symlink_to(campaign.parent / "secret.md")
    (campaign / "outside").symlink_to(campaign.parent)
    (campaign / "circle.md").symlink_to(campaign / "circle.md")
    for path in ("out.md", "outside/secret.md", "outside/new.md", "circle.md"):
        with pytest.raises(NarratoriaException):
            find_path(campaign, path)
        with pytest.raises(NarratoriaException):
            write_text_file(campaign, path, "mine now")
    assert not (campaign.parent / "new.md").exists()


def test_a_file_is_written_whole_and_read_again(campaign: Path) -> None:
    assert write_text_file(campaign, "lore/tides/spring.md", "High at noon – always.\n")
    assert not write_text_file(campaign, "lore/tides/spring.md", "Low at noon.\n")
    assert read_text_file(campaign, "lore/tides/spring.md") == "Low at noon.\n"
    assert [path for path, _ in list_files(campaign)] == [
        "cover.png",
        "lore/tides/spring.md",
        "manifest.json",
        "world/setting.md",
    ]


def test_only_text_is_read_and_written(campaign: Path) -> None:
    with pytest.raises(NarratoriaException, match="is no text"):
        read_text_file(campaign, "cover.png")
    for path in ("scripts/run.py", "run.sh", "cover.png"):
        with pytest.raises(NarratoriaException, match="may not be written"):
            write_text_file(campaign, path, "x")
    with pytest.raises(NarratoriaException, match="too much"):
        write_text_file(campaign, "long.md", "x" * (1024 * 1024 + 1))


def test_a_bundled_campaign_stays_as_it_is() -> None:
    with pytest.raises(NarratoriaException, match="came with Narratoria"):
        write_text_file(paths.BUNDLED_CAMPAIGNS / "harrowmere", "world/setting.md", "mine now")
