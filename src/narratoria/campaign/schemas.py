"""The contracts of a campaign's files as editors want them: each by itself, with nothing to fetch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from narratoria import contracts

# the contract, and the files it is for
PUBLISHED: Mapping[str, str] = {
    "manifest": "manifest.json",
    "npc-profile": "characters/npcs/*/profile.json",
    "plot-beats": "plot/beats.json",
    "player-template": "characters/player/template.json",
    "campaign-rules": "world/rules.md, in its block of rules",
    "asset-sidecar": "art/**/*.metadata.json",
    "asset-metadata": "what is kept of a file",
}
SHARED = "urn:narratoria:contract:asset-metadata#/$defs/provenance"


def published(name: str) -> dict[str, Any]:
    """A contract with what it takes from others inside it."""
    schema = contracts.load(name)
    text = json.dumps(schema)
    if SHARED in text:
        schema = json.loads(text.replace(SHARED, "#/$defs/provenance"))
        shared = contracts.load("asset-metadata")["$defs"]["provenance"]
        schema["$defs"] = {**schema.get("$defs", {}), "provenance": shared}
    return schema


def write_schemas(folder: Path) -> tuple[Path, ...]:
    """Each contract as `<name>.schema.json` in the folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in PUBLISHED:
        path = folder / f"{name}.schema.json"
        path.write_text(json.dumps(published(name), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written.append(path)
    return tuple(written)
