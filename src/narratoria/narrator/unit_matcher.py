"""Says which units of the repertoire are a fitting reply to a player's words, by their meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.numpy_encoder import Encoder, Thin, open_encoder, thin_of
from narratoria.inference.text_matcher import TextMatcher
from narratoria.narrator.repertoire import Unit, fill_slots, person_slots, thing_slots

UNIT_MATCHER_FILE = "51d944684ca6e888.npz"  # in narratoria/weights
MOST_READ = 6  # units of each outcome that are read together with the words
BATCH = 8  # units that are encoded in one go
_PLAIN_SLOTS = (
    person_slots("Robin", "Robin", "she")
    | thing_slots("thing")
    | {"matter": "that", "topic": "that", "place": "the place", "other": "somebody", "deed": "", "try": ""}
)


def describe_unit(unit: Unit) -> str:
    """Return a unit as the matcher reads it: what happens, then how it is told."""
    return f"{fill_slots(unit.fact, _PLAIN_SLOTS)} {fill_slots(unit.text, _PLAIN_SLOTS)}".strip()


@dataclass(frozen=True, slots=True)
class UnitMatcher:
    """Finds the likeliest units by an adapted copy of the embedder, which has encoded those that ship, and
    lets the text matcher read them together with the words."""

    encoder: Encoder
    thin: Thin
    vectors: Mapping[str, NDArray[np.float32]]  # of the units that ship, by id
    matcher: TextMatcher  # reads the likeliest units together with the words
    _others: dict[str, NDArray[np.float32]] = field(default_factory=dict)  # of a campaign's own

    def find_suited(self, words: str, units: Sequence[Unit]) -> dict[str, float]:
        """Return how probably the likeliest units of each outcome answer the words."""
        if not units:
            return {}
        likeness = self._vectors_of(units) @ self._encode([words])[0]
        likely: list[Unit] = []
        counts: dict[str, int] = {}
        for at in np.argsort(-likeness):
            unit = units[int(at)]
            count = counts[unit.outcome] = counts.get(unit.outcome, 0) + 1
            if count <= MOST_READ:
                likely.append(unit)
        texts = [describe_unit(unit) for unit in likely]
        fits = self.matcher.read_together(words, texts, [0.0] * len(texts), "unit")
        return {unit.id: round(float(fit), 3) for unit, fit in zip(likely, fits, strict=True)}

    def _vectors_of(self, units: Sequence[Unit]) -> NDArray[np.float32]:
        missing = [unit for unit in units if unit.id not in self.vectors and unit.id not in self._others]
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            rows = self._encode([describe_unit(unit) for unit in batch])
            self._others.update(zip((unit.id for unit in batch), rows, strict=True))
        return np.stack(
            [self.vectors[one.id] if one.id in self.vectors else self._others[one.id] for one in units]
        )

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = self.encoder.encode_batch([(text, "") for text in texts], self.thin)
        unit_length: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit_length


@cache
def _load_weights() -> tuple[Thin, Mapping[str, NDArray[np.float32]]]:
    data = files("narratoria").joinpath("weights", UNIT_MATCHER_FILE).read_bytes()
    with np.load(BytesIO(data), allow_pickle=False) as stored:
        thin = thin_of(
            [{part: stored[part].astype(np.float32) for part in stored.files if part.startswith("blk.")}]
        )
        rows = stored["vectors"].astype(np.float32) / 127
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return thin, dict(zip(map(str, stored["ids"]), rows, strict=True))


def open_unit_matcher(folder: Path, matcher: TextMatcher) -> UnitMatcher:
    """Return the matcher on the embedder in `folder`; ModelUnavailable when there is none."""
    return UnitMatcher(open_encoder(folder), *_load_weights(), matcher)
