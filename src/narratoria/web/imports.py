"""Brings in what a reader has as a file: a story, a pack, a character card, a lorebook, Twine or ink."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable, Sequence
from itertools import accumulate, count
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from narratoria import paths
from narratoria.campaign.importers import holds_story, import_into
from narratoria.campaign.load import load_campaign
from narratoria.campaign.pack import install_archive, open_archive
from narratoria.engine.persistence.save import FORMAT, open_save
from narratoria.signatures import Maker
from narratoria.web.app_state import AppState
from narratoria.web.authorization import require_room
from narratoria.web.campaigns import card_of, own_folder
from narratoria.web.operation import ApiError, Operations
from narratoria.web.stories import LARGEST_SAVE

T = TypeVar("T")
ZIP = b"PK\x03\x04"
LONGEST_NAME = 200
MOST_READ = 300_000  # characters of a file that are shown before it comes in

imports = Operations("Import", "What was made elsewhere, brought in from the page.")


class Imported(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a file became, and what of it did not map."""

    kind: Literal["story", "campaign"]
    id: str
    title: str
    playable: bool
    notes: tuple[str, ...] = ()  # the importer's report, a line each


class SentPassage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of a file from elsewhere, to be read before it comes in."""

    heading: str
    text: str


class SentFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is in a file from elsewhere, and who has signed it."""

    kind: Literal["story", "campaign"]
    title: str
    description: str
    parts: int  # scenes of a story, files of a campaign
    signed_by: str = ""  # as the signature says; empty where there is none
    key: str = ""
    known_as: str = ""  # by which name the owner knows the key; empty for a stranger
    passages: tuple[SentPassage, ...] = ()  # its scenes, or its premise
    more: bool = False  # whether there are passages beyond those


@imports.post("/imports/read", largest=LARGEST_SAVE)
async def read_file(
    app_state: AppState,
    body: bytes,
    name: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME, description="the file's name")] = "",
) -> SentFile:
    """Say what a file is, who has signed it and what can be read in it; nothing is brought in.

    What was changed after it was signed is refused, here and when it is brought in.
    """
    if _is_story(body):
        save, maker = await asyncio.to_thread(open_save, body, app_state.shared)
        scenes = [turn.output.scene for turn in save.turns]
        passages = [SentPassage(heading=f"{one.number}  {one.action}", text=one.text) for one in scenes]
        about = f"A story of {save.story.campaign}"
        return _sent("story", save.story.title, about, len(scenes), maker, passages)
    if _is_pack(body):
        return await asyncio.to_thread(_with_file, body, "campaign.zip", _read_archive)
    return await asyncio.to_thread(_with_file, body, Path(name).name, _read_foreign)


def _read_archive(file: Path) -> SentFile:
    with open_archive(file) as opened:
        return _sent_campaign(opened.folder, len(opened.contents.files), opened.maker)


def _read_foreign(file: Path) -> SentFile:
    """Say what a card, a lorebook or a text would become, by making it where nobody keeps it."""
    target = file.parent / "draft"
    import_into(file, target, leave_out=True)
    return _sent_campaign(target, sum(path.is_file() for path in target.rglob("*")), None)


def _sent_campaign(folder: Path, files: int, maker: Maker | None) -> SentFile:
    campaign = load_campaign(folder)
    manifest = campaign.manifest
    premise = [SentPassage(heading="", text=text) for text in campaign.premise]
    return _sent("campaign", manifest.title, manifest.description, files, maker, premise)


def _sent(  # noqa: PLR0917 - the fields of what is shown, in their order
    kind: Literal["story", "campaign"],
    title: str,
    description: str,
    parts: int,
    maker: Maker | None,
    passages: Sequence[SentPassage],
) -> SentFile:
    signed = {"signed_by": maker.name, "key": maker.key, "known_as": maker.known_as} if maker else {}
    lengths = accumulate(len(one.heading) + len(one.text) for one in passages)
    shown = tuple(one for one, length in zip(passages, lengths, strict=True) if length <= MOST_READ)
    return SentFile(
        kind=kind,
        title=title,
        description=description,
        parts=parts,
        passages=shown,
        more=len(shown) < len(passages),
        **signed,
    )


def _is_story(body: bytes) -> bool:
    return f'"{FORMAT}"'.encode() in body[:1000]


def _is_pack(body: bytes) -> bool:
    return body.startswith(ZIP) and not holds_story(body)


@imports.post("/imports", status=201, largest=LARGEST_SAVE)
async def import_file(
    app_state: AppState,
    body: bytes,
    name: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME, description="the file's name")] = "",
    partial: Annotated[bool, msgspec.Meta(description="without the lines that cannot be kept")] = False,
) -> Imported:
    """Bring in a file, which is the body: a story, a pack, a card, a lorebook, Twine or ink.

    A story of Twine is Twee 3 or a published page; it, or ink with what it includes, may be in a zip file.
    A card, a lorebook and a text become a campaign of their own, which may need more before it can be played.
    A text that would be another story without what cannot be kept is refused, line by line.
    """
    if _is_story(body):
        await require_room(app_state)
        story = await app_state.library.import_save(body, owner=app_state.account.id)
        return Imported(kind="story", id=story.id, title=story.title, playable=True)
    if not app_state.account.may("author"):
        raise ApiError(403, "not_allowed", "Only an author or the owner may bring in a campaign here.")
    home = own_folder(app_state)
    # two authors may have chosen one name, and what the store keeps of a campaign it keeps by its name
    ending = "" if app_state.account.may("owner") else f"-{app_state.account.id[-8:]}"
    if _is_pack(body):
        called = _free_name(home, Path(name).stem, ending) if ending else ""
        folder, _ = await asyncio.to_thread(
            _with_file, body, "campaign.zip", lambda file: install_archive(file, name=called, home=home)
        )
        return _imported(folder, ())
    target = home / _free_name(home, Path(name).stem, ending)
    report = await asyncio.to_thread(
        _with_file, body, Path(name).name, lambda file: import_into(file, target, leave_out=partial)
    )
    return _imported(target, tuple(report.lines()))


def _imported(folder: Path, notes: tuple[str, ...]) -> Imported:
    card = card_of(folder)
    return Imported(kind="campaign", id=folder.name, title=card.title, playable=card.playable, notes=notes)


def _with_file(content: bytes, name: str, work: Callable[[Path], T]) -> T:
    """Run something on a file of this content, under the last part of its name."""
    plain = re.sub(r"[^A-Za-z0-9._ -]+", "-", name).strip(". ")[-100:] or "file"
    with tempfile.TemporaryDirectory(prefix="narratoria-import-") as folder:
        file = Path(folder) / plain
        file.write_bytes(content)
        return work(file)


def _free_name(home: Path, text: str, ending: str = "") -> str:
    """Return a folder's name that no campaign of the home has."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:50] or "imported"
    names = (f"{plain}{'' if number == 1 else f'-{number}'}{ending}" for number in count(1))
    taken = {folder.name for folder in paths.BUNDLED_CAMPAIGNS.glob("*/")}
    return next(name for name in names if name not in taken and not (home / name).exists())
