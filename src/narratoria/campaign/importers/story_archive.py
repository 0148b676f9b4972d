"""Finds the one story in a zip file: ink with what it includes, Twee, or a published page of Twine."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from narratoria.campaign.importers.draft import import_error
from narratoria.skills.archive import MIB, PackageLimits, unpack_archive

LIMITS = PackageLimits(archive_bytes=64 * MIB, bytes=256 * MIB)
LARGEST_FILE = 4 * MIB  # bytes of a file that is looked through for what it includes
INK = (".ink",)
TWINE = (".twee", ".tw", ".html", ".htm")
CAMPAIGN = ("manifest.json", "checksums.json")


def holds_story(content: bytes) -> bool:
    """Return whether a zip file has a story in it, and is no campaign, which may have one, too."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [PurePosixPath(name) for name in archive.namelist()]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error):
        return False
    is_campaign = any(name.name in CAMPAIGN for name in names)
    return not is_campaign and any(name.suffix.casefold() in (*INK, *TWINE) for name in names)


@contextmanager
def open_story_archive(archive: Path, source: str) -> Iterator[Path]:
    """Yield the story's file in the archive, unpacked in a folder that is gone afterwards."""
    with TemporaryDirectory(prefix="narratoria-story-") as folder:
        home = Path(folder).resolve()
        unpack_archive(archive, home, LIMITS)
        yield _find_story(home, source)


def _find_story(home: Path, source: str) -> Path:
    """Return what no other file includes; ink goes before Twine, whose pages may show how it looks."""
    files = [file for file in sorted(home.rglob("*")) if file.is_file() and not file.name.startswith(".")]
    ink = [file for file in files if file.suffix.casefold() in INK]
    twine = [file for file in files if file.suffix.casefold() in TWINE]
    included = {target for file in ink for target in _included_by(file, ink)}
    stories = ([file for file in ink if file not in included] or ink) if ink else twine
    if not stories:
        raise import_error(source, "holds no file that ends in .ink, .twee or .html")
    if len(stories) > 1:
        names = ", ".join(file.relative_to(home).as_posix() for file in stories[:20])
        raise import_error(source, f"has several stories ({names}); put one into it, with what it includes")
    return stories[0]


def _included_by(file: Path, ink: list[Path]) -> set[Path]:
    """Return the files that a file includes, by names from its own folder or from one above it."""
    if file.stat().st_size > LARGEST_FILE:
        return set()
    lines = file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    names = [line.split("INCLUDE", 1)[1].strip() for line in lines if line.lstrip().startswith("INCLUDE ")]
    targets = {(folder / name).resolve() for name in names if name for folder in file.parents}
    return targets & set(ink)
