"""Looks up the vectors of the bundled campaigns' texts, which ship so that nobody waits for them.

They hold for one embedding model and one matcher; with any others every text is encoded as usual.
`python -m evals.retrieval.ship` writes them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from narratoria.errors import ModelUnavailable
from narratoria.inference.shipped_weights import read_shipped_weights

Use: TypeAlias = Literal["search", "match"]  # by the embedder as it is, or by the copy that matches texts
VECTORS_FILE = "b02879e5669f6b6d.npz"  # in narratoria/weights, named by its content
KEY_BYTES = 16
DIMENSIONS = 384


@dataclass(frozen=True, slots=True)
class ShippedVectors:
    """Vectors of length one of one use, by their texts."""

    model: str  # what made them
    rows: NDArray[np.float16]
    _places: Mapping[bytes, int]

    def find(self, text: str) -> NDArray[np.float32] | None:
        """Return the vector of a text, or None where it does not ship."""
        place = self._places.get(text_key(text))
        return None if place is None else self.rows[place].astype(np.float32)


def text_key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).digest()


@cache
def load_shipped_vectors(use: Use, model: str) -> ShippedVectors | None:
    """Return the vectors that ship for a use, or None where another model made them."""
    stored = _load_file()
    if stored is None or str(stored[f"{use}.model"]) != model:
        return None
    keys = stored[f"{use}.keys"].tobytes()
    places = {keys[at : at + KEY_BYTES]: at // KEY_BYTES for at in range(0, len(keys), KEY_BYTES)}
    return ShippedVectors(model, stored[f"{use}.rows"].astype(np.float16, copy=False), places)


def encode_shipped_vectors(tables: Mapping[Use, tuple[str, Mapping[bytes, NDArray[np.float16]]]]) -> bytes:
    """Return the file that holds for each use the model that made the vectors, and their rows by key."""
    arrays: dict[str, NDArray[np.generic]] = {}
    for use, (model, rows) in tables.items():
        keys = sorted(rows)
        arrays[f"{use}.model"] = np.array(model)
        arrays[f"{use}.keys"] = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, KEY_BYTES)
        arrays[f"{use}.rows"] = np.stack([rows[key] for key in keys])
    buffer = BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


@cache
def _load_file() -> dict[str, NDArray[np.generic]] | None:
    try:
        with np.load(BytesIO(read_shipped_weights(VECTORS_FILE)), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except ModelUnavailable:
        return None  # everything is encoded as usual


def fingerprint_model(path: Path) -> str:
    """Return the first digits of a model file's hash; a file that does not change is read once."""
    about = path.stat()
    state = (path, about.st_size, about.st_mtime_ns)
    if state not in _fingerprints:
        with path.open("rb") as file:
            _fingerprints[state] = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    return _fingerprints[state]


_fingerprints: dict[tuple[Path, int, int], str] = {}
