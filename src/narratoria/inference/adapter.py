"""What was trained beside a model's weights: it goes with one file, and no other is given it."""

from __future__ import annotations

from pathlib import Path

from narratoria.inference.catalogue import ENTRIES

FOLDER = Path(__file__).with_name("adapters")


def adapter_of(sha256: str) -> Path | None:
    """By the hash that the model's file is held to when it is loaded."""
    entry = next((entry for entry in ENTRIES if sha256 and entry.sha256 == sha256), None)
    file = FOLDER / f"{entry.name}.gguf" if entry else None
    return file if file and file.is_file() else None
