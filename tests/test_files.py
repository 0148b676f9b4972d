"""Files are replaced whole or not at all, keep their mode, and any path has an answer."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from narratoria.errors import ContractViolation
from narratoria.files import expand_home, file_lock, is_file, is_folder, real_path, replace_file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    for content in (b"one", b"two"):
        replace_file(file, content, private=False)
        assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_private_is_for_its_owner_and_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    replace_file(file, b"one", private=True)
    assert mode(file) == 0o600
    replace_file(file, b"two", private=False)
    assert mode(file) == 0o600


def test_a_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "real" / "file.json")
    replace_file(link, b"new", private=False)
    assert link.is_symlink()
    assert (tmp_path / "real" / "file.json").read_bytes() == b"new"


def test_a_file_that_cannot_be_written_is_told_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(ContractViolation, match="what was there before is unchanged") as refused:
        replace_file(tmp_path / "folder", b"x", private=False)
    assert refused.value.problems[0].file == str(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_what_somebody_who_died_has_begun_is_swept_away(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    (tmp_path / ".a.json.0123.tmp").write_bytes(b"half")
    (tmp_path / ".b.json.0123.tmp").write_bytes(b"another's")
    with file_lock(file):
        assert sorted(path.name for path in tmp_path.glob("*.tmp")) == [".b.json.0123.tmp"]


def test_changes_by_several_at_once_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "count"
    replace_file(file, b"0", private=False)

    def count() -> None:
        for _ in range(10):
            with file_lock(file):
                replace_file(file, str(int(file.read_bytes()) + 1).encode(), private=False)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.read_bytes() == b"40"


def test_a_lock_makes_its_folder_or_says_why_not(tmp_path: Path) -> None:
    with file_lock(tmp_path / "new" / "a.json"):
        assert (tmp_path / "new").is_dir()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ContractViolation, match="cannot be written"), file_lock(tmp_path / "file" / "a.json"):
        pass


@pytest.mark.parametrize("name", ["x" * 5000, "loop", "none/such"])
def test_any_path_is_a_file_or_it_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    path = tmp_path / name
    assert (is_file(path), is_folder(path)) == (False, False)
    assert real_path(path).is_absolute()


def test_a_home_of_nobody_stays_as_it_is_written() -> None:
    assert expand_home("~nobody-of-this-name/a") == Path("~nobody-of-this-name/a")
    assert expand_home("~/a").is_absolute()
