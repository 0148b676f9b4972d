"""Reads and writes the files of a campaign for a client that may name any path: only those inside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from narratoria import paths
from narratoria.errors import NarratoriaException
from narratoria.files import replace_file

TEXT_ENDINGS = frozenset((".json", ".md", ".txt"))
LARGEST_FILE = 1024 * 1024  # bytes
MOST_FILES = 2000  # of a campaign that are listed
LONGEST_PATH = 240  # characters
_PART = re.compile(r"[^\x00-\x1f\x7f<>:\"|?*\\/]{1,120}")


def list_files(folder: Path) -> list[tuple[str, int]]:
    """Return the files of a campaign with their sizes, less hidden ones."""
    return [
        (path.relative_to(folder).as_posix(), path.stat().st_size) for path in sorted(_visible_files(folder))
    ][:MOST_FILES]


def read_text_file(folder: Path, relative: str) -> str:
    """Return the text of a file; NarratoriaException for a path that leads out, and for what is no text."""
    path = find_path(folder, relative)
    if not path.is_file():
        raise NarratoriaException(
            f"there is no file '{relative}' in the campaign; list_campaign_files has them"
        )
    if path.suffix.lower() not in TEXT_ENDINGS:
        raise NarratoriaException(f"'{relative}' is no text; only {_endings()} can be read")
    content = path.read_bytes()
    if len(content) > LARGEST_FILE:
        raise NarratoriaException(f"'{relative}' is longer than {LARGEST_FILE // 1024} KiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NarratoriaException(f"'{relative}' is not UTF-8 text (byte {error.start})") from None


def write_text_file(folder: Path, relative: str, text: str) -> bool:
    """Write a file whole, and return whether it is new; NarratoriaException where it may not be written."""
    path = find_path(folder, relative)
    if folder.resolve().is_relative_to(paths.BUNDLED_CAMPAIGNS.resolve()):
        message = (
            f"'{folder.name}' came with Narratoria and stays as it is; create_campaign makes one of yours"
        )
        raise NarratoriaException(message)
    if path.suffix.lower() not in TEXT_ENDINGS:
        raise NarratoriaException(f"'{relative}' may not be written; a campaign's text is in {_endings()}")
    if path.is_dir():
        raise NarratoriaException(f"'{relative}' is a folder")
    content = text.encode("utf-8", errors="replace")
    if len(content) > LARGEST_FILE:
        raise NarratoriaException(
            f"{len(content)} bytes are too much for one file; {LARGEST_FILE} are allowed"
        )
    is_new = not path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content, private=False)
    except OSError as error:
        raise NarratoriaException(f"'{relative}' cannot be written: {error.strerror or error}") from None
    return is_new


def find_path(folder: Path, relative: str) -> Path:
    """Return where a path leads in the folder, links followed; NarratoriaException where it leads out."""
    parts = relative.split("/")
    is_plain = len(relative) <= LONGEST_PATH and all(
        _PART.fullmatch(part) and not part.startswith(".") and part == part.strip(" .") for part in parts
    )
    if not is_plain:
        advice = "write a path inside the campaign, such as world/setting.md"
        raise NarratoriaException(f"'{relative[:LONGEST_PATH]}' is no path for a file here; {advice}")
    root = folder.resolve()
    try:
        path = (root / relative).resolve()
    except (OSError, RuntimeError):
        path = Path("/")  # links that lead in a circle
    if not path.is_relative_to(root) or path == root:
        raise NarratoriaException(f"'{relative}' leads out of the campaign's folder")
    return path


def _visible_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def _endings() -> str:
    return ", ".join(f"*{ending}" for ending in sorted(TEXT_ENDINGS))
