"""Creates a new campaign that can be played at once, and writes the schemas of its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narratoria import contracts
from narratoria.campaign.assets import slug
from narratoria.campaign.folder import MANIFEST
from narratoria.campaign.load import CONSTRAINTS, PEOPLE, PREMISE, SETTING, TEMPLATE
from narratoria.campaign.pages import PLACES
from narratoria.errors import ContractViolation, Problem

README = "README.md"
PROMISES = (
    ("Respect for the makers.", "A machine may lend a hand here. It does not take anybody's place."),
    (
        "Nothing hidden.",
        "Whatever a model writes into this folder says so, in `generated: true` and in where it came from.",
    ),
    ("The author decides.", "Anything generated may be changed, replaced or thrown away at any time."),
    ("Credit where it is due.", "Passed on, this folder names what was generated, and from what."),
    (
        "True to what is written.",
        "Where something is missing, what is made up for it follows the author's own words.",
    ),
)


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """Holds the author's answers before the first file is written; only the title is needed."""

    title: str
    author: str = ""
    description: str = ""
    genre: str = ""
    tone: str = ""
    setting: str = ""
    premise: str = ""
    place: str = ""  # the name of the place it begins at
    person: str = ""  # the name of somebody who is there
    role: str = ""
    never: str = ""  # what must not happen in it


def create_campaign(folder: Path, answers: NewCampaign) -> tuple[str, ...]:
    """Write the files and return their names; raise ContractViolation for a folder that is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = "is there already, and is not empty; give another place"
        raise ContractViolation([Problem(message, file=str(folder))])
    files = new_campaign_files(answers)
    try:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    except OSError as reason:
        problem = Problem(f"cannot be written: {reason.strerror}", file=str(folder))
        raise ContractViolation([problem]) from reason
    return tuple(files)


def new_campaign_files(answers: NewCampaign) -> dict[str, str]:
    place = slug(answers.place)
    files = {MANIFEST: _json(new_manifest(answers)), README: readme_text(answers.title, answers.description)}
    if answers.setting:
        files[SETTING] = f"# {answers.place or answers.title}\n\n{answers.setting.strip()}\n"
    if answers.premise:
        files[PREMISE] = f"{answers.premise.strip()}\n"
    if answers.never:
        files[CONSTRAINTS] = f"# What never happens\n\n- {answers.never.strip()}\n"
    if place:
        files[f"{PLACES}/{place}.md"] = (
            f"# {answers.place}\n\n{answers.setting.strip() or f'This is {answers.place}.'}\n\n## Moments\n\n"
            "- For a moment nothing happens, and one can hear it.\n"
        )
        files[TEMPLATE] = _json({"starting_location": place})
    if answers.person:
        files[f"{PEOPLE}/{slug(answers.person)}/profile.json"] = _json(
            {
                "name": answers.person,
                "role": answers.role or "Somebody who is there",
                "personality": {"traits": []},
                **({"metadata": {"first_appearance": place}} if place else {}),
            }
        )
    return files


def new_manifest(answers: NewCampaign) -> dict[str, Any]:
    optional = {
        "author": answers.author,
        "description": answers.description,
        "genre": answers.genre,
        "tone": answers.tone,
    }
    return {
        "title": answers.title,
        "version": "0.1.0",
        **{name: text for name, text in optional.items() if text},
    }


def readme_text(title: str, description: str = "") -> str:
    creeds = "\n".join(f"{number}. **{name}** {text}" for number, (name, text) in enumerate(PROMISES, 1))
    about = f"{description.strip()}\n\n" if description else ""
    return (
        f"# {title}\n\n{about}"
        "A campaign for Narratoria. `narratoria campaign validate` finds what is wrong with its files,\n"
        "`narratoria campaign check` what cannot be reached in it, and `narratoria campaign provenance`\n"
        "who wrote what.\n\n"
        f"## What this campaign promises\n\n{creeds}\n"
    )


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


# the contract, and the files it is for
PUBLISHED_SCHEMAS: Mapping[str, str] = {
    "manifest": "manifest.json",
    "npc-profile": "characters/npcs/*/profile.json",
    "plot-beats": "plot/beats.json",
    "player-template": "characters/player/template.json",
    "campaign-rules": "world/rules.md, in its block of rules",
    "asset-sidecar": "art/**/*.metadata.json",
    "asset-metadata": "what is kept of a file",
}
SHARED = "urn:narratoria:contract:asset-metadata#/$defs/provenance"


def standalone_schema(name: str) -> dict[str, Any]:
    """Return a contract with the definitions it takes from others inlined."""
    schema = contracts.load(name)
    text = json.dumps(schema)
    if SHARED in text:
        schema = json.loads(text.replace(SHARED, "#/$defs/provenance"))
        shared = contracts.load("asset-metadata")["$defs"]["provenance"]
        schema["$defs"] = {**schema.get("$defs", {}), "provenance": shared}
    return schema


def write_schemas(folder: Path) -> tuple[Path, ...]:
    """Write each contract as `<name>.schema.json` into the folder, which is created if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in PUBLISHED_SCHEMAS:
        path = folder / f"{name}.schema.json"
        path.write_text(
            json.dumps(standalone_schema(name), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        written.append(path)
    return tuple(written)
