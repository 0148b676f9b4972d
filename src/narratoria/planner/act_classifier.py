"""Opens the reader of typed words on the model that scores acts and their kinds."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from narratoria.inference.reading_model import open_reading_model
from narratoria.planner.read import IntentReader, Mend

MOST_KEPT = 4096  # texts whose scores are kept


def open_reader(folder: Path, mend: Mend | None = None) -> IntentReader:
    """Return the reader on the embedder in `folder`; ModelUnavailable when it cannot be opened."""
    model = open_reading_model(folder)
    return IntentReader(
        lru_cache(maxsize=MOST_KEPT)(model.score_labels), mend=mend, words=model.encoder.words
    )
