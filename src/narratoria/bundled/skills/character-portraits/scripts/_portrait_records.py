"""Defines the settings of a portrait, and saves, finds and compares the portraits of a story."""

from __future__ import annotations

import hashlib
import os
import re

import _portrait_drawing as drawing
from _portrait_colours import rgb
from _portrait_look import Look, read
from _portrait_people import PICTURES, PortrayedPerson
from _portrait_words import MEN, WOMEN

from narratoria import sdk
from narratoria.sdk import host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

OUT_OF_REACH = ("NOT_AVAILABLE", "NO_HOST", "TIMEOUT")
SIZES = (256, 512, 1024)
NOBODY = "nobody-in-particular"
NEARLY = 70  # steps of red, green or blue
LONG = frozenset({"long", "wavy", "locs", "plait", "plaits", "ponytail", "bun", "topknot", "afro"})
COMMON = frozenset(
    re.findall(
        r"\w+",
        "the a an of in on with and who is was that this his her their he she they it at to from by for as "
        "had has one man woman person somebody someone again there same seen saw met before you me my i",
    )
)
# what can be seen of a change, and how much of a new face it makes
WEIGHTS = {
    "species": 1.0,
    "sex": 0.5,
    **dict.fromkeys(("skin", "hair", "style", "beard", "patch", "scar"), 0.3),
    **dict.fromkeys(("build", "eyes", "hat", "garment", "cloth", "glasses"), 0.15),
}


class PortraitSettings:
    """Holds how this skill is set, with the call's own wishes."""

    def __init__(self, request: sdk.Request, palette: Sequence[str]) -> None:
        config, given = request.config, request.input
        self.preset = given.get("preset", given.get("stylePreset", config.get("stylePreset", "realistic")))
        if self.preset not in drawing.PRESETS:
            raise sdk.InvalidInput("preset", f"expected one of {', '.join(drawing.PRESETS)}")
        self.size = given.get("resolution", config.get("resolution", 512))
        if self.size not in SIZES or isinstance(self.size, bool):
            raise sdk.InvalidInput("resolution", "expected 256, 512 or 1024")
        self.timeout_s = float(config.get("timeout", 15))
        self.hosted = config.get("imageProvider") == "hosted"
        self.change = float(config.get("changeThreshold", 0.3))
        self.match = float(config.get("matchThreshold", 0.45))
        self.palette = tuple(palette)
        self.folder = _folder(request, str(config.get("storageLocation") or "portraits"))


def _folder(request: sdk.Request, place: str) -> str:
    """Inside the skill's data folder; other places cannot be shown."""
    home = os.path.realpath(request.data_dir or request.asset_dir or ".")
    folder = os.path.realpath(os.path.join(home, place))
    if folder != home and not folder.startswith(home + os.sep):
        sdk.log(f"storageLocation {place!r} leads out of the skill's data folder; portraits is used", "warn")
        folder = os.path.join(home, "portraits")
    os.makedirs(folder, exist_ok=True)
    return folder


def hash_of(description: str) -> str:
    return hashlib.sha256(" ".join(description.lower().split()).encode()).hexdigest()[:32]


def file_name(person: PortrayedPerson, settings: PortraitSettings) -> str:
    """Return one name for one person, description and settings: what is there is not drawn again."""
    identity = "\n".join(
        (person.id, hash_of(person.description), settings.preset, *settings.palette, str(settings.hosted))
    )
    slug = re.sub(r"[^a-z0-9]+", "-", person.id.lower()).strip("-")[:40] or NOBODY
    return f"{slug}-{settings.preset}-{settings.size}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"


def find_record(identifier: str) -> dict[str, Any] | None:
    """Return the portrait of somebody in this story."""
    if not identifier:
        return None
    try:
        entries = host.exact_match({"characterId": identifier}, "portrait", limit=1, newest_first=True)
    except host.HostError as refusal:
        if refusal.code in OUT_OF_REACH:
            return None
        raise
    return entries[0] if entries else None


def find_earlier_record(person: PortrayedPerson, settings: PortraitSettings) -> dict[str, Any] | None:
    """Return the portrait of a person; of one without an id, that which the description means best."""
    if person.id:
        return find_record(person.id)
    match = search(person.description, settings)
    if match is None:
        return None
    record = match[0]["record"]
    old = str(record.get("description") or "")
    is_other = difference(old, person.description, record["characterId"]) >= settings.change
    return None if old and is_other else match[0]  # who has other hair is somebody else


def save_record(person: PortrayedPerson, path: str) -> None:
    record = {
        "characterId": person.id,
        "imagePath": path,
        "descriptionHash": hash_of(person.description),
        "description": person.description[:LONGEST_KEPT],
    }
    try:
        old = find_record(person.id)
        if old is None:
            host.store("portrait", record)
        elif {name: old["record"].get(name) for name in record} != record:
            host.update("portrait", old["identifier"], record)
    except host.HostError as refusal:
        if refusal.code not in OUT_OF_REACH:
            raise
        sdk.log(f"The portrait is drawn but not kept in the story: {refusal.message}", "warn")


LONGEST_KEPT = 6000


def search(query: str, settings: PortraitSettings) -> tuple[dict[str, Any], float] | None:
    """Return the portrait that a few words mean best, and how surely."""
    try:
        entries = host.semantic_search(query, "portrait", limit=8, min_relevance=0.0)
    except host.HostError as refusal:
        if refusal.code in OUT_OF_REACH:
            return None
        raise
    scored = sorted(
        ((_score(query, one), index, one) for index, one in enumerate(entries)),
        key=lambda row: (-row[0], row[1]),
    )
    if not scored or scored[0][0] < settings.match:
        return None
    return scored[0][2], scored[0][0]


def _score(query: str, entry: dict[str, Any]) -> float:
    """Half by meaning, half by the words that both use; whom the words contradict is somebody else."""
    description = str(entry["record"].get("description") or "")
    asked, stated = _stems(query), _stems(f"{description} {entry['record']['characterId']}")
    shared = len(asked & stated) / len(asked) if asked else 0.0
    similar = entry.get("similarity")
    meaning = (
        max(0.0, min(1.0, (float(similar) - 0.1) / 0.5)) if similar is not None else float(entry["relevance"])
    )
    score = 0.45 * meaning + 0.55 * shared
    return score - 0.4 if {_sex(query), _sex(description)} == {"f", "m"} else score


def _sex(description: str) -> str:
    """Whom a text speaks of, if it says it."""
    women, men = (len(re.findall(pattern, description.lower())) for pattern in (WOMEN, MEN))
    return "" if women == men else "f" if women > men else "m"


def _stems(text: str) -> set[str]:
    words = re.findall(r"[a-z]{2,}", text.lower().replace("'s", ""))
    return {re.sub(r"(?:ing|ed|es|s|y)$", "", word) or word for word in words if word not in COMMON}


def difference(old: str, new: str, identity: str) -> float:
    """Return how much the new description contradicts what was drawn: 0 nothing, 1 another person."""
    before, after = read(identity, old), read(identity, new)
    stated = _stated(new)
    total = sum(
        weight for name, weight in WEIGHTS.items() if name in stated and _differs(name, before, after)
    )
    total += 0.2 * len(after.marks - before.marks)
    if after.age_said and abs(before.years - after.years) > 12:
        total += 0.3
    return min(1.0, total)


def _differs(name: str, before: Look, after: Look) -> bool:
    one, other = getattr(before, name), getattr(after, name)
    if name in ("skin", "hair", "eyes", "cloth"):  # two words for nearly one colour
        return max(abs(a - b) for a, b in zip(rgb(one), rgb(other), strict=True)) > NEARLY
    if name == "species":
        return other not in ("human", one)
    if name == "style":
        return (one in LONG) != (other in LONG) or (one == "bald") != (other == "bald")
    return bool(one != other)


def _stated(description: str) -> frozenset[str]:
    """Return what a description says, which is what is the same whoever it is about."""
    looks = [read(f"{NOBODY}-{number}", description) for number in range(6)]
    return frozenset(
        name for name in WEIGHTS if len({getattr(look, name) for look in looks} | _absent(name)) == 1
    )


def _absent(name: str) -> set[Any]:
    """Nothing said of a hat means no news of it, not that it is gone."""
    value = getattr(Look, name)
    return {value, None} if value in ("", False) else set()


def show(
    person: PortrayedPerson, path: str, settings: PortraitSettings, source: str, *, cached: bool
) -> dict[str, Any]:
    """Announces a picture that is there."""
    ending = os.path.splitext(path)[1].lower()
    version = hashlib.sha256(path.encode()).hexdigest()[:10]
    asset = f"portrait-{re.sub(r'[^A-Za-z0-9_-]+', '-', person.id)[:60] or NOBODY}-{version}"
    about = {
        "characterId": person.id,
        "name": person.name or person.id,
        "source": source,
        "preset": settings.preset,
        "resolution": settings.size,
    }
    sdk.asset(
        asset,
        path,
        kind="image",
        media_type=PICTURES[ending],
        metadata={**about, "alt": f"Portrait of {about['name']}"},
    )
    sdk.ui_event("portrait", {**about, "assetId": asset, "cached": cached})
    return {**about, "assetId": asset, "path": path, "cached": cached, "description": person.description}
