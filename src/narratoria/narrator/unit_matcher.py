"""Says which units of the repertoire are a fitting reply to a player's words, by their meaning."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.numpy_encoder import Encoder, Thin, open_encoder, thin_of
from narratoria.inference.shipped_weights import read_shipped_weights
from narratoria.narrator.repertoire import Unit, fill_slots, person_slots, thing_slots

UNIT_MATCHER_FILE = "2c45c7bc727c9766.npz"  # in narratoria/weights
MOST_SUITED = 12  # units of each outcome that are kept with a turn
ALIKE = 0.6  # at least: of words and an answer about oneself that is about the same thing
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
    """Compares words with units by an adapted copy of the embedder; units that ship are encoded already."""

    encoder: Encoder
    thin: Thin
    scale: float  # of the likeness
    vectors: Mapping[str, NDArray[np.float32]]  # of the units that ship, by id
    _others: dict[str, NDArray[np.float32]] = field(default_factory=dict)  # of a campaign's own

    def find_suited(
        self, words: str, acts: Sequence[str], units: Iterable[Unit], people: Container[str] = ()
    ) -> dict[str, float]:
        """Return the units of these acts that suit the words best, beside the very best, which counts 1.

        Units that were written for one person count only where that person is among `people`.
        """
        candidates = [
            unit
            for unit in units
            if any(act in unit.acts for act in acts) and (unit.person == "" or unit.person in people)
        ]
        if not candidates:
            return {}
        likeness = self._vectors_of(candidates) @ self._encode([words])[0]
        is_own = np.array([unit.evidence == "own" for unit in candidates])
        fits = np.exp(self.scale * (likeness - _best_likeness(likeness, is_own)))
        suited: dict[str, float] = {}
        counts: dict[tuple[str, bool], int] = {}
        for at in np.argsort(-fits):
            unit = candidates[int(at)]
            group = (unit.outcome, unit.evidence == "own")
            if counts.setdefault(group, 0) < MOST_SUITED:
                counts[group] += 1
                suited[unit.id] = round(float(fits[at]), 3)
        return suited

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


def _best_likeness(likeness: NDArray[np.float32], is_own: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return for each unit the likeness that counts 1: answers about oneself compete with each other alone.

    Most of those are about one small thing each, and none may be told of another because it is the nearest.
    """
    best_own = max(float(likeness[is_own].max(initial=0.0)), ALIKE)
    best = float(likeness[~is_own].max(initial=-1.0))
    return np.where(is_own, best_own, best).astype(np.float32)


@cache
def _load_weights() -> tuple[Thin, float, Mapping[str, NDArray[np.float32]]]:
    data = read_shipped_weights(UNIT_MATCHER_FILE)
    with np.load(BytesIO(data), allow_pickle=False) as stored:
        thin = thin_of(
            [{part: stored[part].astype(np.float32) for part in stored.files if part.startswith("blk.")}]
        )
        scale = float(stored["task.u"][0])
        rows = stored["vectors"].astype(np.float32) / 127
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return thin, scale, dict(zip(map(str, stored["ids"]), rows, strict=True))


def open_unit_matcher(folder: Path) -> UnitMatcher | None:
    """Return the matcher on the embedder in `folder`; ModelUnavailable when there is none."""
    if not files("narratoria").joinpath("weights", UNIT_MATCHER_FILE).is_file():
        return None
    return UnitMatcher(open_encoder(folder), *_load_weights())
