from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MakeSkill = Callable[..., Path]


@pytest.fixture
def make_skill() -> MakeSkill:
    """Writes a skill folder; `files` are its files by their place in it, `fields` stand in its manifest."""

    def make(root: Path, name: str, files: dict[str, str] | None = None, **fields: Any) -> Path:
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        manifest = {"name": name, "version": "1.0.0", "description": f"What {name} does.", **fields}
        (folder / "skill.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
        for place, text in (files or {}).items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return make
