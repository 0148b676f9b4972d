"""Shows a whole campaign as text, and lets a reader write in one's own: problems by line as one types."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import msgspec

from narratoria import paths
from narratoria.campaign.validate import validate_campaign
from narratoria.files import replace_file
from narratoria.web.app_state import AppState
from narratoria.web.campaigns import Validation, ValidationProblem, folder_of, own_folder
from narratoria.web.files import file_not_found, find_inside
from narratoria.web.operation import ApiError, Operations

TEXTS = (".md", ".json", ".txt")
LARGEST_TEXT = 512 * 1024  # bytes of a file that is shown

campaign_text = Operations(
    "Campaign text", "A whole campaign to read, and one's own to write in.", role="author"
)


class TextFile(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    text: str


class CampaignText(msgspec.Struct, frozen=True, rename="camel"):
    """Every text of a campaign, its plot and its endings among them."""

    editable: bool  # whether it is one's own
    files: tuple[TextFile, ...]


class ChangedText(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    path: str  # of a file that is there
    text: Annotated[str, msgspec.Meta(max_length=LARGEST_TEXT)]


@campaign_text.get("/campaigns/{name}/text")
async def show_campaign_text(app_state: AppState, name: str) -> CampaignText:
    """All texts of a campaign. Whoever plays it may not want to read them first."""
    folder = folder_of(app_state, name)
    return CampaignText(is_own(app_state, folder), await asyncio.to_thread(_read_texts, folder))


@campaign_text.post("/campaigns/{name}/text/check")
async def check_campaign_text(app_state: AppState, name: str, body: ChangedText) -> Validation:
    """What would be wrong with a file if it read so, line by line; nothing is written."""
    folder = folder_of(app_state, name)
    _find_text(folder, body.path)
    return Validation(await asyncio.to_thread(_check, folder, body))


@campaign_text.put("/campaigns/{name}/text")
async def write_campaign_text(app_state: AppState, name: str, body: ChangedText) -> Validation:
    """Write a file of one's own campaign, and say what is wrong with it; 409 `not_yours` for any other."""
    folder = require_own(app_state, name)
    file = _find_text(folder, body.path)
    await asyncio.to_thread(replace_file, file, body.text.encode(), private=False)
    return Validation(await asyncio.to_thread(_check, folder, body))


def require_own(app_state: AppState, name: str) -> Path:
    """Return the folder of one's own campaign; ApiError for any other."""
    folder = folder_of(app_state, name)
    if not is_own(app_state, folder):
        message = "This campaign came with Narratoria and stays as it is."
        raise ApiError(409, "not_yours", message, "Copy its folder among your campaigns to change it.")
    return folder


def is_own(app_state: AppState, folder: Path) -> bool:
    """Return whether a campaign is the reader's own: in their home, or a folder they named."""
    return folder.parent != paths.BUNDLED_CAMPAIGNS and (
        folder.parent == own_folder(app_state)
        or (folder in app_state.campaigns and app_state.account.may("owner"))
    )


def _find_text(folder: Path, path: str) -> Path:
    file = find_inside(folder, path)
    if file is None or file.suffix not in TEXTS:
        raise file_not_found(path)
    return file


def _texts(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in TEXTS
        and find_inside(folder, path.relative_to(folder).as_posix())
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.stat().st_size <= LARGEST_TEXT
    ]


def _read_texts(folder: Path) -> tuple[TextFile, ...]:
    return tuple(
        TextFile(path.relative_to(folder).as_posix(), path.read_text("utf-8", "replace"))
        for path in _texts(folder)
    )


def _check(folder: Path, changed: ChangedText) -> tuple[ValidationProblem, ...]:
    """Return the problems of one file, in a copy of the campaign."""
    with tempfile.TemporaryDirectory(prefix="narratoria-check-") as aside:
        copy = Path(aside) / folder.name
        shutil.copytree(folder, copy, copy_function=_link_or_copy, ignore=shutil.ignore_patterns(".*"))
        (copy / changed.path).unlink()
        (copy / changed.path).write_text(changed.text, "utf-8")
        return tuple(
            ValidationProblem(
                one.severity, one.code, one.file, one.line, one.column, one.pointer, one.message
            )
            for one in validate_campaign(copy).problems
            if one.file == changed.path
        )


def _link_or_copy(source: str, target: str) -> None:
    """Give a file a second name where the disk can, so that pictures are not copied at every keystroke."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
