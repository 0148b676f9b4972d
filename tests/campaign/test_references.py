"""References in a campaign: what is not there is named, with what was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaign.mill import OGG, PNG

from narratoria.campaign.folder import Folder, scan_folder
from narratoria.campaign.references import (
    check_asset_path,
    check_file_types,
    check_name,
    leaves_campaign,
    suggest_name,
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    for name, content in (
        ("art/mill.png", PNG),
        ("music/wheel.ogg", OGG),
        ("art/odd.png", OGG),
        ("art/none.png", b""),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return scan_folder(tmp_path)


def test_a_name_that_is_not_there_is_told_with_the_nearest() -> None:
    (problem,) = check_name("place", "mil", ["mill", "weir"], "beats.json", "/beats/0/location")
    assert (problem.severity, problem.code) == ("warning", "unknown-place")
    assert problem.message == "there is no place 'mil'; did you mean 'mill'?"
    assert list(check_name("place", "mill", ["mill"], "", "")) == []
    assert list(check_name("place", "", ["mill"], "", "")) == []


def test_where_nothing_is_near_what_there_is_is_listed() -> None:
    assert suggest_name("Old Mill", ["old-mill"]) == "; did you mean 'old-mill'?"
    assert suggest_name("x", []) == "; there are none"
    assert suggest_name("zzz", ["b", "a"]) == "; there are a, b"
    assert suggest_name("zzz", [f"place-{n:02}" for n in range(20)]).endswith("place-07, …")


@pytest.mark.parametrize(
    ("reference", "code", "words"),
    [
        ("art/mil.png", "missing-file", "did you mean 'art/mill.png'"),
        ("mill.png", "missing-file", "did you mean 'art/mill.png'"),
        ("art/sea.webp", "missing-file", "add it, or take the reference out"),
        ("music/wheel.ogg", "wrong-kind", "is no picture"),
        ("../secret.png", "path-escape", "does not stay in the campaign"),
        ("http://example/a.png", "path-escape", "does not stay in the campaign"),
    ],
)
def test_a_picture_that_cannot_be_shown_is_told(
    folder: Folder, reference: str, code: str, words: str
) -> None:
    (problem,) = check_asset_path(reference, "picture", folder, "manifest.json", "/cover")
    assert problem.code == code
    assert words in problem.message
    assert problem.is_error == (code == "path-escape")


def test_a_picture_that_is_there_and_none_at_all_are_no_problem(folder: Folder) -> None:
    assert list(check_asset_path("art/mill.png", "picture", folder, "", "")) == []
    assert list(check_asset_path("", "picture", folder, "", "")) == []


@pytest.mark.parametrize("reference", ["/a", "a/../../b", "..", "a\\b", "a\0b", "C:a", "file:a", "data:,x"])
def test_a_path_that_may_lead_elsewhere_leaves_the_campaign(reference: str) -> None:
    assert leaves_campaign(reference)


@pytest.mark.parametrize("reference", ["a/b.png", "a..b.png", "./a.png", "ä ö.png"])
def test_a_path_within_does_not(reference: str) -> None:
    assert not leaves_campaign(reference)


def test_a_file_is_what_its_ending_says(folder: Folder) -> None:
    files = ["art/mill.png", "music/wheel.ogg", "art/odd.png", "art/none.png", "art/gone.png"]
    found = {problem.file: problem.code for problem in check_file_types(folder, files)}
    assert found == {"art/odd.png": "wrong-kind", "art/none.png": "empty-file", "art/gone.png": "unreadable"}
