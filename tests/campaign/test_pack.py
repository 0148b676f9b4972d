"""A packed campaign is the same bytes for the same folder, and nothing in an archive is believed."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.campaign import mill

from narratoria.campaign.ingest import checksum
from narratoria.campaign.load import load_campaign
from narratoria.campaign.pack import CHECKSUMS, archive_name, install_archive, pack_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.errors import ContractViolation, NarratoriaException


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def packed(tmp_path):
    return pack_campaign(mill.build(tmp_path / "the-mill"), tmp_path / "mill.zip").path


def _with(archive: Path, change: Callable[[dict[str, tuple[zipfile.ZipInfo, bytes]]], None]) -> Path:
    """The archive with its entries changed, by somebody who means harm."""
    with zipfile.ZipFile(archive) as opened:
        entries = {info.filename: (info, opened.read(info)) for info in opened.infolist()}
    change(entries)
    target = archive.with_name("changed.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        for info, content in entries.values():
            written.writestr(info, content, zipfile.ZIP_DEFLATED)
    return target


def _added(name: str, content: bytes = b"x", mode: int = 0o100644) -> Callable[[dict[str, object]], None]:
    def change(entries: dict[str, object]) -> None:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        entries[name] = (info, content)

    return change


def _listed(name: str, content: bytes) -> Callable[[dict[str, object]], None]:
    """Added, and in the list of checksums too."""
    import hashlib

    def change(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
        _added(f"the-mill/{name}", content)(entries)  # type: ignore[arg-type]
        info, listing = entries[f"the-mill/{CHECKSUMS}"]
        document = json.loads(listing)
        document["files"][name] = f"sha256:{hashlib.sha256(content).hexdigest()}"
        entries[f"the-mill/{CHECKSUMS}"] = (info, json.dumps(document).encode())

    return change  # type: ignore[return-value]


def test_the_same_folder_gives_the_same_bytes_whenever_and_wherever(tmp_path, packed):
    folder = mill.build(tmp_path / "elsewhere/the-mill")
    for path in folder.rglob("*"):
        os.utime(path, (0, 10**9))

    assert pack_campaign(folder, tmp_path / "again.zip").path.read_bytes() == packed.read_bytes()


def test_what_was_packed_is_installed_as_it_was(tmp_path, home, packed):
    folder, contents = install_archive(packed)

    assert folder == home / "campaigns/the-mill"
    original = tmp_path / "the-mill"
    assert {file: checksum(folder / file) for file in contents.files} == contents.files
    assert load_campaign(folder).beats == load_campaign(original).beats
    assert validate_campaign(folder).files == validate_campaign(original).files
    assert not [path for path in (home / "campaigns").iterdir() if path.name.startswith(".")]


def test_one_that_is_there_stays_unless_it_is_to_be_replaced(home, packed):
    folder, _ = install_archive(packed)
    (folder / "plot/premise.md").write_text("Mine.\n")

    with pytest.raises(ContractViolation, match="is there already"):
        install_archive(packed)
    assert (folder / "plot/premise.md").read_text() == "Mine.\n"
    assert install_archive(packed, name="mill-two")[0].name == "mill-two"

    install_archive(packed, replace=True)
    assert (folder / "plot/premise.md").read_text() != "Mine.\n"


def test_nothing_that_is_installed_can_be_executed(home, packed):
    def change(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
        for info, _ in entries.values():
            info.external_attr = 0o100755 << 16

    folder, _ = install_archive(_with(packed, change))

    assert not [path for path in folder.rglob("*") if path.is_file() and path.stat().st_mode & 0o111]


REFUSED = {
    "a path that leads out": (_added("../escape.md"), "leads out"),
    "an absolute path": (_added("/tmp/escape.md"), "absolute"),
    "a link": (_added("the-mill/link.md", b"/etc/passwd", stat.S_IFLNK | 0o777), "is a link"),
    "a bomb": (_added("the-mill/lore/bomb.md", b"0" * (40 * 2**20)), "would grow"),
    "a file that nobody listed": (_added("the-mill/lore/extra.md"), "is there and not listed"),
    "a program": (_listed("lore/run.sh", b"#!/bin/sh\n"), "is a program"),
    "a skill": (_listed("lore/skill.json", b"{}"), "is a skill"),
    "a broken campaign": (_listed("lore/half_generated.md", b"who wrote this?"), "does not say so"),
    "a hidden file": (_added("the-mill/.hidden"), "is there and not listed"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_it_refuses(home, packed, why):
    change, told = REFUSED[why]
    with pytest.raises(ContractViolation, match=told):
        install_archive(_with(packed, change))

    assert list((home / "campaigns").iterdir()) == []


def test_a_file_that_was_changed_since_is_named(home, packed):
    def change(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
        name = "the-mill/plot/premise.md"
        entries[name] = (entries[name][0], b"Something else.\n")

    with pytest.raises(ContractViolation, match=r"plot/premise\.md' is not what was packed"):
        install_archive(_with(packed, change))


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04" + bytes(200)])
def test_what_is_no_archive_is_refused(tmp_path, home, content):
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(ContractViolation, match="not a sound zip"):
        install_archive(tmp_path / "x.zip")


def test_an_archive_without_checksums_or_of_another_format_is_refused(home, packed):
    listing = f"the-mill/{CHECKSUMS}"
    with pytest.raises(ContractViolation, match="has no checksums"):
        install_archive(_with(packed, lambda entries: entries.pop(listing)))

    def later(entries: dict[str, tuple[zipfile.ZipInfo, bytes]]) -> None:
        info, content = entries[listing]
        entries[listing] = (info, content.replace(b'"format": 1', b'"format": 2'))

    with pytest.raises(ContractViolation, match="format 2"):
        install_archive(_with(packed, later))


def test_a_campaign_with_errors_is_not_packed(tmp_path):
    folder = mill.build(tmp_path / "the-mill")
    (folder / "plot/beats.json").write_text("{")
    with pytest.raises(ContractViolation):
        pack_campaign(folder, tmp_path / "mill.zip")
    assert not (tmp_path / "mill.zip").exists()


def test_an_archive_is_not_written_into_the_campaign_it_packs(tmp_path):
    folder = mill.build(tmp_path / "the-mill")
    with pytest.raises(NarratoriaException, match="lies in the campaign"):
        pack_campaign(folder, folder / "mill.zip")


@pytest.mark.parametrize(
    ("title", "name"), [("Tomorrow's Post", "tomorrows-post"), ("Über Öl", "ber-l"), ("  A  b ", "a-b")]
)
def test_a_title_becomes_a_name_for_a_folder(title, name):
    assert archive_name(title) == name
    assert archive_name("日本").startswith("campaign-")
