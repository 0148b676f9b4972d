"""Detects the kind of a foreign file and writes what it holds as files of a campaign."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from narratoria.campaign.authoring import README, readme_text
from narratoria.campaign.folder import MANIFEST, scan_folder, stem_of
from narratoria.campaign.importers.card import (
    PNG,
    card_in_png,
    is_card,
    is_lorebook,
    read_card,
    read_lorebook,
)
from narratoria.campaign.importers.draft import (
    Content,
    ImportDraft,
    ImportReport,
    MappedPart,
    import_error,
    single_line,
)
from narratoria.campaign.importers.ink import read_beside, read_ink
from narratoria.campaign.importers.story_archive import open_story_archive
from narratoria.campaign.importers.twee import read_twee, read_twine
from narratoria.campaign.importers.twine_page import is_twine_page
from narratoria.campaign.load import BEATS, PEOPLE
from narratoria.paths import make_folder

MOST = 64 * 2**20  # bytes of a file
ZIP = b"PK\x03\x04"
KINDS = ("card", "lorebook", "twee", "twine", "ink")
TITLES = {
    "card": "a character card",
    "lorebook": "a lorebook",
    "twee": "Twee 3",
    "twine": "a page of Twine",
    "ink": "ink",
}
PAGES = (".html", ".htm")


def import_into(
    file: Path, folder: Path, kind: str | None = None, *, leave_out: bool = False
) -> ImportReport:
    """Import a file without overwriting any; raise ContractViolation for an unknown or broken one.

    A story whose code cannot all be kept is refused by line, unless that may be left out.
    """
    content = _content(file)
    source = single_line(file.name, 100) or "a file"
    there = scan_folder(folder).files
    used_names = {stem_of(name) for name in there}
    used_names |= {name.split("/")[2] for name in there if name.startswith(f"{PEOPLE}/")}
    format_name, draft = _read(content, file, source, kind, used_names, leave_out=leave_out)
    if format_name == "card" and content.startswith(PNG):
        _portrait(draft, content)
    written = _write(draft, folder, file)
    return ImportReport(
        TITLES[format_name], source, str(folder), tuple(written), tuple(draft.mapped), tuple(draft.unmapped)
    )


def _content(file: Path) -> bytes:
    try:
        if file.stat().st_size > MOST:
            raise import_error(str(file), f"is larger than {MOST // 2**20} MiB, which no such file is")
        return file.read_bytes()
    except OSError as reason:
        raise import_error(str(file), f"cannot be read: {reason.strerror}") from reason


def _read(
    content: bytes,
    file: Path,
    source: str,
    kind: str | None,
    used_names: set[str],
    *,
    leave_out: bool,
) -> tuple[str, ImportDraft]:
    if kind is not None and kind not in KINDS:
        raise import_error(source, f"there is no kind {kind!r}; use {', '.join(KINDS)}")
    if content.startswith(PNG):
        return "card", read_card(card_in_png(content, source), source, used_names)
    if content.startswith(ZIP):
        with open_story_archive(file, source) as story:
            content, name = _content(story), single_line(story.name, 100)
            if content.startswith((ZIP, PNG)):
                raise import_error(source, f"holds no text in {name}")
            return _read(content, story, name, kind, used_names, leave_out=leave_out)
    return _read_text(_text(content, source), file, source, kind, used_names, leave_out=leave_out)


def _read_text(
    text: str,
    file: Path,
    source: str,
    kind: str | None,
    used_names: set[str],
    *,
    leave_out: bool,
) -> tuple[str, ImportDraft]:
    ending = file.suffix.lower()
    if kind == "twine" or (kind is None and (ending in PAGES or is_twine_page(text))):
        return "twine", read_twine(text, source, leave_out=leave_out)
    if kind == "twee" or (kind is None and ending in (".twee", ".tw")):
        return "twee", read_twee(text, source, leave_out=leave_out)
    if kind == "ink" or (kind is None and ending == ".ink"):
        return "ink", read_ink(text, source, read_beside(file), leave_out=leave_out)
    document = _document(text, source)
    if kind == "card" or (kind is None and is_card(document)):
        return "card", read_card(document, source, used_names)
    if kind == "lorebook" or is_lorebook(document):
        return "lorebook", read_lorebook(_book(document), source, used_names)
    raise import_error(source, f"is nothing that is known here; --as says what it is ({', '.join(KINDS)})")


def _book(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the lorebook, also from a V3 wrapper."""
    data = document.get("data")
    wrapped = document.get("spec") == "lorebook_v3" and isinstance(data, Mapping)
    return data if wrapped and isinstance(data, Mapping) else document


def _text(content: bytes, source: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        raise import_error(source, f"is not UTF-8 (byte {reason.start}); save it as UTF-8") from None
    if "\0" in text:
        raise import_error(source, "holds binary data; a text is expected")
    return text


def _document(text: str, source: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as reason:
        raise import_error(source, f"is not JSON: {reason}") from None
    if not isinstance(document, dict):
        raise import_error(source, "an object is expected")
    return document


def _portrait(draft: ImportDraft, content: bytes) -> None:
    home = next(name.rpartition("/")[0] for name in draft.files if name.endswith("/profile.json"))
    draft.files[f"{home}/portrait.png"] = content
    draft.mapped.append(MappedPart("the picture", f"{home}/portrait.png"))


def _write(draft: ImportDraft, folder: Path, file: Path) -> list[str]:
    there = scan_folder(folder).files if folder.is_dir() else {}
    title = draft.title or _title_of(file.stem) or "An import"
    if MANIFEST not in there:
        manifest = {"title": title, "version": "0.1.0", **draft.fields}
        draft.files = {MANIFEST: manifest, README: readme_text(title), **draft.files}
    _join_beats(draft, folder)
    written = []
    for name, content in draft.files.items():
        if name in there and name != BEATS:
            draft.skip(name, "there is such a file in the campaign; it stays as it is")
            draft.mapped[:] = [one for one in draft.mapped if one.to != name]
            continue
        path = folder / name
        if not path.resolve().is_relative_to(
            folder.resolve()
        ):  # or somebody's link decides what is overwritten
            raise import_error(str(path), "leads out of the campaign by a link; remove the link")
        try:
            make_folder(path.parent)
            path.write_bytes(_bytes(content))
        except OSError as reason:
            raise import_error(str(path), f"cannot be written: {reason.strerror}") from reason
        written.append(name)
    return written


def _title_of(stem: str) -> str:
    """Return a file's name as a title: `TheDrownedBell` and `the_drowned_bell` are words."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", stem)
    return single_line(words.replace("_", " ").replace("-", " "), 80)


def _join_beats(draft: ImportDraft, folder: Path) -> None:
    """Drop imported beats where the author has some."""
    if BEATS in draft.files and (folder / BEATS).exists():
        del draft.files[BEATS]
        draft.skip(BEATS, "the campaign has beats of its own; import into a new folder and copy some")
        draft.mapped[:] = [one for one in draft.mapped if not one.to.startswith(BEATS)]


def _bytes(content: Content) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()
