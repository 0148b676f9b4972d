"""Pictures and music of a campaign: found by what is written, or by how their files are called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from narratoria.campaign.folder import AUDIO, IMAGES, Folder
from narratoria.campaign.reading import stem_of

SIDECAR = ".metadata.json"
KEYWORDS = ".keywords.txt"


@dataclass(frozen=True, slots=True)
class Shelf:
    """The pictures and pieces by folder and name."""

    pictures: Mapping[tuple[str, str], str]  # (the folder under art, the name as a slug): the file
    music: Mapping[str, str]  # by slug

    def picture(self, folder: str, *names: str) -> str:
        """The picture in this folder of `art/` that bears one of the names; nothing if there is none."""
        found = (self.pictures.get((folder, slug(name))) for name in names)
        return next((file for file in found if file), "")

    def piece(self, *names: str) -> str:
        return next((file for name in names if (file := self.music.get(slug(name)))), "")


def shelve(folder: Folder) -> Shelf:
    pictures: dict[tuple[str, str], str] = {}
    for file in folder.under("art", *IMAGES):
        group = file.removeprefix("art/").rpartition("/")[0].partition("/")[0]
        pictures.setdefault((group, slug(stem_of(file))), file)
    music: dict[str, str] = {}
    for file in folder.under("music", *AUDIO):
        music.setdefault(slug(stem_of(file)), file)
    return Shelf(pictures, music)


def slug(name: str) -> str:
    """One spelling for a name: `npc_Old Wizard` is `old-wizard`."""
    plain = unicodedata.normalize("NFC", name).casefold()
    return re.sub(r"[\s_'’.-]+", "-", plain).strip("-").removeprefix("npc-")


def portrait_beside(folder: Folder, home: str) -> str:
    """`portrait.png` in a person's folder, or with another ending."""
    return next((file for file in folder.directly_in(home, *IMAGES) if stem_of(file) == "portrait"), "")


def all_assets(folder: Folder) -> Iterator[str]:
    """Every picture and piece, wherever it lies."""
    for file in folder.files:
        if file.lower().endswith((*IMAGES, *AUDIO)):
            yield file


def described(folder: Folder, file: str) -> bool:
    """Whether words stand beside it that it can be found by."""
    return f"{file}{KEYWORDS}" in folder.files
