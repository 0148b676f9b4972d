"""What was trained beside a model's weights: it goes with one file, and no other is given it."""

from __future__ import annotations

from pathlib import Path

from narratoria.inference.catalogue import CATALOGUE

FOLDER = Path(__file__).parents[1] / "weights"


def adapters_of(sha256: str) -> tuple[Path, ...]:
    """By the hash that the model's file is held to when it is loaded; each was trained for itself."""
    entry = next((entry for entry in CATALOGUE if sha256 and entry.sha256 == sha256), None)
    return tuple(sorted(FOLDER.glob(f"{entry.name}-[0-9].gguf"))) if entry else ()
