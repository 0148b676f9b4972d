"""Locates the user's Narratoria home and the files that ship with the package, and writes files safely."""

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
    """Return `NARRATORIA_HOME`, or the platform's folder for application data."""
    if named := os.environ.get("NARRATORIA_HOME"):
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("narratoria", appauthor=False)


def shared_home() -> Path:
    """Return `NARRATORIA_SHARED`, a folder that several servers share, or the home."""
    named = os.environ.get("NARRATORIA_SHARED")
    return Path(named).expanduser() if named else home()


def account_folder(root: Path, account: str) -> Path:
    """Return the folder in which an account keeps its settings and campaigns; the home's own is the root."""
    return root / "people" / account if account else root


def account_folders(root: Path) -> tuple[Path, ...]:
    """Return the folders of all accounts, the home's own first."""
    return (root, *sorted(root.glob("people/*/")))


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents, readable by the user only; existing ones keep their mode."""
    # a mode given to `mkdir` is for the last folder alone: those above it would be open to everyone
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)


def make_folder(folder: Path) -> None:
    """Create a folder anywhere; if that creates the home, the home is private."""
    if folder.is_relative_to(home()):
        make_private(home())
    folder.mkdir(parents=True, exist_ok=True)


def write_atomically(file: Path, data: bytes) -> None:
    """Replace a file atomically: a reader, or another writer, never sees half of it."""
    partial = file.with_name(f"{file.name}.{os.getpid()}-{get_ident()}.part")
    try:
        partial.write_bytes(data)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def open_private(path: str, flags: int) -> int:
    """Open for `open(…, opener=…)`, creating files readable by the user only."""
    return os.open(path, flags, 0o600)


def model_roots() -> tuple[Path, ...]:
    """Return the folders of model files: the user's own first, then those installed beside the program."""
    return home() / "models", INSTALLED_MODELS
