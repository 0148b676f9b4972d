from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MANIFEST = {
    "manifestVersion": 1,
    "id": "lamp",
    "version": "1.2.3",
    "name": "Lamp",
    "description": "Lights a lamp.",
    "runtime": "python",
    "entry": "main.py",
}


@pytest.fixture
def write_manifest() -> Callable[..., Path]:
    """Writes a manifest into a folder, with fields changed; a field set to ... is left out."""

    def write(folder: Path, **changes: Any) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        document = {key: value for key, value in {**MANIFEST, **changes}.items() if value is not ...}
        path = folder / "manifest.json"
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
        return path

    return write


@pytest.fixture
def write_config() -> Callable[..., Path]:
    """Writes `.m-control/config.json` into a folder, of version 1 unless it says otherwise."""

    def write(folder: Path, **sections: Any) -> Path:
        path = folder / ".m-control" / "config.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"configVersion": 1, **sections}, indent=1), encoding="utf-8")
        return path

    return write
