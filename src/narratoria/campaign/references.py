"""Checks the references in a campaign's files: people, places, beats and files that do not exist."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath

from narratoria.campaign.assets import slug
from narratoria.campaign.folder import AUDIO, IMAGES, Folder
from narratoria.campaign.problems import CampaignProblem, error, warning
from narratoria.contracts.messages import closest_match

MAX_LISTED = 8
KINDS = {"picture": IMAGES, "piece of music": AUDIO}
# how files of these formats begin; other beginnings are those of something else under their name
BEGINNINGS = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".webp": (b"RIFF",),
    ".wav": (b"RIFF",),
    ".ogg": (b"OggS",),
    ".flac": (b"fLaC", b"ID3"),
    ".mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xfa"),
}


def check_name(
    kind: str, name: str, names: Collection[str], file: str, pointer: str
) -> Iterator[CampaignProblem]:
    """Warn about a name that does not exist."""
    if name and name not in names:
        code = f"unknown-{kind}"
        yield warning(code, f"there is no {kind} '{name}'{suggest_name(name, names)}", file, pointer)


def suggest_name(name: str, names: Collection[str]) -> str:
    near = closest_match(name, names) or next((each for each in names if slug(each) == slug(name)), "")
    if near:
        return f"; did you mean '{near}'?"
    if not names:
        return "; there are none"
    listed = sorted(names)
    more = ", …" if len(listed) > MAX_LISTED else ""
    return f"; there are {', '.join(listed[:MAX_LISTED])}{more}"


def check_asset_path(
    reference: str, kind: str, folder: Folder, file: str, pointer: str
) -> Iterator[CampaignProblem]:
    """Report a path that leaves the campaign as an error, and one that leads to nothing as a warning."""
    if not reference:
        return
    if leaves_campaign(reference):
        message = f"'{reference}' does not stay in the campaign; write a path such as art/cover.png"
        yield error("path-escape", message, file, pointer)
    elif reference not in folder.files:
        same_kind = [name for name in folder.files if name.lower().endswith(KINDS[kind])]
        near = closest_match(reference, same_kind) or next(
            (name for name in same_kind if name.rpartition("/")[2] == reference.rpartition("/")[2]), ""
        )
        advice = f"; did you mean '{near}'?" if near else "; add it, or take the reference out"
        yield warning("missing-file", f"there is no file '{reference}'{advice}", file, pointer)
    elif not reference.lower().endswith(KINDS[kind]):
        endings = ", ".join(ending[1:] for ending in KINDS[kind])
        yield warning("wrong-kind", f"'{reference}' is no {kind} ({endings})", file, pointer)


def leaves_campaign(reference: str) -> bool:
    path = PurePosixPath(reference)
    return (
        path.is_absolute()
        or ".." in path.parts
        or "\\" in reference
        or "\0" in reference
        or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", reference) is not None
    )


def check_file_types(folder: Folder, files: Iterable[str]) -> Iterator[CampaignProblem]:
    """Warn about pictures and music whose content does not match their ending."""
    for file in files:
        beginnings = BEGINNINGS.get(PurePosixPath(file).suffix.lower())
        try:
            with (folder.root / file).open("rb") as opened:
                start = opened.read(16)
        except OSError as reason:
            yield error("unreadable", f"cannot be read ({reason.strerror})", file)
            continue
        if not start:
            yield warning("empty-file", "is empty", file)
        elif beginnings and not start.startswith(beginnings):
            ending = PurePosixPath(file).suffix[1:]
            yield warning("wrong-kind", f"does not begin as a {ending} file does; save it as one", file)
