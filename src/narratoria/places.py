"""Where things are: the user's home for Narratoria, and what came with the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import get_ident

PACKAGE = Path(__file__).parent
BUNDLED_SKILLS = PACKAGE / "bundled" / "skills"
INSTALLED_MODELS = Path(sys.prefix) / "share" / "narratoria" / "models"
BUNDLED_CAMPAIGNS = PACKAGE / "bundled" / "campaigns"


def home() -> Path:
    """`NARRATORIA_HOME`, or the platform's place for an application's data."""
    if named := os.environ.get("NARRATORIA_HOME"):
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("narratoria", appauthor=False)


def make_private(folder: Path) -> None:
    """Makes a folder and what is missing above it, for the user's own eyes; what is there stays as it is."""
    # a mode given to `mkdir` is for the last folder alone: those above it would be open to everybody
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)


def make_folder(folder: Path) -> None:
    """Makes a folder that may be anywhere; a home that has to be made for it is private all the same."""
    if folder.is_relative_to(home()):
        make_private(home())
    folder.mkdir(parents=True, exist_ok=True)


def write_whole(file: Path, data: bytes) -> None:
    """All of it or nothing, for whoever reads meanwhile and beside whoever writes the same file."""
    partial = file.with_name(f"{file.name}.{os.getpid()}-{get_ident()}.part")
    try:
        partial.write_bytes(data)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def open_private(path: str, flags: int) -> int:
    """For `open(…, opener=…)`: a file that is made is for the user's own eyes."""
    return os.open(path, flags, 0o600)


def model_roots() -> tuple[Path, ...]:
    """Where model files are looked for: the user's own first, then those installed beside the program."""
    return home() / "models", INSTALLED_MODELS
