"""Whether an author has left so much open that a campaign is filled up before it is played."""

from __future__ import annotations

from collections.abc import Iterable

from narratoria.campaign.assets import KEYWORDS, SIDECAR
from narratoria.campaign.folder import Folder
from narratoria.campaign.reading import is_generated_name

SPARSE = 3  # content files; with fewer, a campaign is filled up
FOLDERS = ("world", "characters", "plot", "lore", "art", "music")


def is_sparse(folder: Folder) -> bool:
    return len(own_files(content_files(folder))) < SPARSE


def content_files(folder: Folder) -> list[str]:
    """What is written and drawn: all but the manifest, the README and notes on files."""
    return [
        file
        for file in folder.files
        if file.partition("/")[0] in FOLDERS and not file.endswith((KEYWORDS, SIDECAR))
    ]


def own_files(files: Iterable[str]) -> list[str]:
    """Those of the author, without what was generated."""
    return [file for file in files if not is_generated_name(file)]
