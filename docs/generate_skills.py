"""The skills that come along, as their manifests and their schemas describe them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from generate import fields_table

from narratoria.paths import BUNDLED_SKILLS
from narratoria.skills.permissions import MEANINGS


def bundled_skills() -> str:
    return "\n\n".join(_described(folder) for folder in sorted(BUNDLED_SKILLS.iterdir()) if folder.is_dir())


def _described(folder: Path) -> str:
    manifest = _read(folder / "skill.json")
    parts = [f"## {manifest['name']}", manifest["description"]]
    rows = [
        f"| `{script['name']}` | {script['description']} | {script['timeout'] / 1000:g} s |"
        for script in manifest["scripts"]
    ]
    parts.append("\n".join(["| script | what it does | its time |", "| --- | --- | ---: |", *rows]))
    asked = manifest.get("permissions") or []
    told = "; ".join(f"`{name}` ({MEANINGS.get(name, name)})" for name in asked)
    parts.append(f"It asks for: {told}." if told else "It asks for no permissions.")
    schema = _read(folder / "config-schema.json")
    properties = dict(_settings(schema["properties"]))
    parts.append(fields_table({**schema, "properties": properties}).replace("| field |", "| setting |", 1))
    return "\n\n".join(parts)


def _settings(properties: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every setting by its key on the command line, those of groups too."""
    for key, field in properties.items():
        if field["type"] == "object":
            yield from _settings(field["properties"], f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", field


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))
