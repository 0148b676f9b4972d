"""The page about an encrypted home does what it says, where gocryptfs and FUSE are here."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.blocks import REPOSITORY

PAGE = (REPOSITORY / "docs" / "how-to" / "encrypt-a-home.md").read_text(encoding="utf-8")
IS_HERE = all(map(shutil.which, ("gocryptfs", "fusermount3"))) and os.access("/dev/fuse", os.W_OK)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not IS_HERE, reason="needs gocryptfs, fuse3 and /dev/fuse"),
]
PASSPHRASE = "a lake town drowned its bells"


@contextlib.contextmanager
def opened(vault: Path, folder: Path, *options: str, key: str = PASSPHRASE) -> Iterator[None]:
    command = ["gocryptfs", "-q", "-nosyslog", *options, str(vault), str(folder)]
    # it goes on behind: a pipe that it were given would never end
    subprocess.run(
        command, input=key.encode(), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        subprocess.run(["fusermount3", "-u", str(folder)], check=True)


def narratoria(home: Path, *arguments: str, said: str = "") -> str:
    environment = {**os.environ, "NARRATORIA_HOME": str(home), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "narratoria.cli", *arguments]
    done = subprocess.run(command, env=environment, input=said, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (arguments, done.stdout[-500:], done.stderr[-500:])
    return done.stdout


@pytest.fixture
def vault(tmp_path: Path) -> tuple[Path, str]:
    """A vault, and its recovery key, which gocryptfs shows at a terminal alone."""
    folder = tmp_path / "stories.vault"
    folder.mkdir()
    (tmp_path / "stories").mkdir()
    subprocess.run(
        ["gocryptfs", "-q", "-init", "-scryptn", "10", str(folder)],
        input=PASSPHRASE.encode(),
        check=True,
        capture_output=True,
    )
    dumped = subprocess.run(
        ["gocryptfs-xray", "-dumpmasterkey", str(folder / "gocryptfs.conf")],
        input=PASSPHRASE.encode(),
        check=True,
        capture_output=True,
    )
    digits = re.search(rb"[0-9a-f]{64}", dumped.stdout)
    assert digits
    key = digits[0].decode()
    return folder, "-".join(key[at : at + 8] for at in range(0, 64, 8))


def test_a_home_in_an_encrypted_folder_plays_and_gives_nothing_away(
    tmp_path: Path, vault: tuple[Path, str]
) -> None:
    folder, recovery_key = vault
    old, home = tmp_path / "old", tmp_path / "stories"
    narratoria(old, "play", "tomorrows-post", "--new", "--seed", "7", "--title", "The letter", said="1\n2\n")
    with opened(folder, home):
        shutil.copytree(old, home, dirs_exist_ok=True)
        assert "whole" in narratoria(home, "store", "check")
        assert "The letter" in narratoria(home, "stories", "list")
        narratoria(home, "play", "tomorrows-post", said="1\n")
        assert "4 scenes" in narratoria(home, "stories", "list")
        assert "your home is encrypted (gocryptfs)" in narratoria(home, "doctor")
    assert not any(home.iterdir())
    for file in folder.rglob("*"):
        assert not file.is_file() or b"The letter" not in file.read_bytes()
        assert "narratoria" not in file.name
    with pytest.raises(subprocess.CalledProcessError), opened(folder, home, key="another"):
        pass
    with opened(folder, home, "-masterkey=stdin", key=recovery_key):
        assert "4 scenes" in narratoria(home, "stories", "list"), "the recovery key opens it too"


def test_the_page_names_the_commands_that_are_tried_here() -> None:
    for command in (
        "gocryptfs -init",
        "gocryptfs stories.vault stories",
        "-masterkey=stdin",
        "fusermount3 -u",
    ):
        assert command in PAGE
