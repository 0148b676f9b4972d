"""Where the home and the shared folder are; files in them are written whole and for the user alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from narratoria import paths


def test_without_a_shared_folder_the_home_is_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NARRATORIA_SHARED", raising=False)
    assert paths.home() == paths.shared_home() == tmp_path / "home"
    monkeypatch.setenv("NARRATORIA_SHARED", str(tmp_path / "shared"))
    assert (paths.home(), paths.shared_home()) == (tmp_path / "home", tmp_path / "shared")


def test_an_account_has_a_folder_and_the_home_s_own_is_the_root(tmp_path: Path) -> None:
    assert paths.account_folder(tmp_path, "") == tmp_path
    assert paths.account_folder(tmp_path, "ada-1") == tmp_path / "people" / "ada-1"


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_private_folder_and_its_new_parents_are_the_user_s_alone(tmp_path: Path) -> None:
    paths.make_private(tmp_path / "a" / "b")
    assert {(tmp_path / name).stat().st_mode & 0o077 for name in ("a", "a/b")} == {0}


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"before")
    paths.write_atomically(tmp_path / "x", b"after")
    assert (tmp_path / "x").read_bytes() == b"after"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
