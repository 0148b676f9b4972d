"""Whether a home is encrypted is read from what the kernel says of mounts and devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.cli.disk_encryption import find_encryption


def mounts_at(tmp_path: Path, *lines: str) -> Path:
    file = tmp_path / "mountinfo"
    file.write_text("\n".join(lines))
    return file


@pytest.mark.parametrize(
    ("inner", "answer"), [("ext4", ""), ("fuse.gocryptfs", "gocryptfs"), ("ecryptfs", "ecryptfs")]
)
def test_the_innermost_mount_counts(tmp_path: Path, inner: str, answer: str) -> None:
    home = tmp_path / "a home"
    home.mkdir()
    place = str(tmp_path).replace(" ", "\\040")
    mounts = mounts_at(
        tmp_path,
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
        f"2 1 0:9 / {place} rw shared:1 - {inner} x rw",
        "3 1 0:10 / /elsewhere rw - fuse.cryfs y rw",
    )
    assert find_encryption(home / "not made yet", mounts=mounts, devices=tmp_path / "none") == answer


@pytest.mark.parametrize(
    ("uuid", "answer"), [("CRYPT-LUKS2-1a2b-root", "dm-crypt"), ("LVM-1a2b", ""), (None, "")]
)
@pytest.mark.parametrize("is_below", [True, False])
def test_a_disk_is_encrypted_where_it_or_what_it_is_made_of_is(
    tmp_path: Path, uuid: str | None, answer: str, *, is_below: bool
) -> None:
    device = tmp_path / "block" / "253:1"
    device.mkdir(parents=True)
    crypt = device / "slaves" / "dm-0" if is_below else device
    (crypt / "dm").mkdir(parents=True)
    if uuid is not None:
        (crypt / "dm" / "uuid").write_text(uuid)
    mounts = mounts_at(tmp_path, "1 0 253:1 / / rw - ext4 /dev/mapper/root rw")
    assert find_encryption(tmp_path, mounts=mounts, devices=tmp_path / "block") == answer


def test_a_system_that_does_not_say_is_not_guessed_at(tmp_path: Path) -> None:
    assert find_encryption(tmp_path, mounts=tmp_path / "none") is None
