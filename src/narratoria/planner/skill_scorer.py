"""Scores for every offered script whether an action needs it; none has to win.

The bundled skills have a head fitted on labelled actions (`weights/`; `python -m evals.planning fit` makes
it). Any other skill is judged by its own manifest: the action must mean what one of its examples means, more
than it means what other skills are for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.numpy_encoder import open_encoder, thin_of
from narratoria.inference.reading_model import open_reading_model
from narratoria.inference.shipped_weights import read_shipped_weights
from narratoria.planner.foreign_skills import ForeignSkillScorer
from narratoria.planner.plan_scripts import (
    FAMILIAR,
    PORTRAITS,
    SCENE_TYPES,
    SceneType,
    Score,
    ScriptOffer,
    SkillScores,
)
from narratoria.planner.player_action import PlayerAction
from narratoria.planner.spelling import Spelling
from narratoria.skills.skill import Skill

Vectors = NDArray[np.float32]

SCORER_FILE = "f428979f660783f6.npz"  # in narratoria/weights, named by its content
SCALE = 2.0  # of a vector of length one beside signs that are 0 or 1
SHARE_IN_RECALL = 0.4  # of how much a foreign skill is needed, where the player only thinks back


@dataclass(frozen=True, slots=True)
class AdaptedCopy:
    """A copy of the embedder, adapted to choosing, with the weights of its answers."""

    matrices: Mapping[str, Vectors]
    weights: NDArray[np.float64]  # (dimensions + signs + 1) × (2 × labels + scenes)


@dataclass(frozen=True, slots=True)
class ScorerHead:
    """Fitted parameters: for each label how likely it is needed, and how likely it does no harm."""

    labels: tuple[str, ...]
    signs: tuple[str, ...]
    copies: tuple[AdaptedCopy, ...]  # several, as they err about different actions
    levels: NDArray[np.float64]  # of each label: from where choosing is likelier right than leaving out
    words: tuple[str, ...] = ()  # that players use

    def scores(self, vectors: Sequence[Vectors], player_action: PlayerAction) -> NDArray[np.float64]:
        """Return the probabilities of all labels; `vectors` are the action as each copy encodes it."""
        logits = [
            features(vector[None, :], [player_action], self.signs) @ copy.weights
            for vector, copy in zip(vectors, self.copies, strict=True)
        ]
        return np.asarray(_sigmoids(np.mean(logits, axis=0))[0])


class Encoders:
    """The embedder's layers, as they are and as each adapted copy has them."""

    def __init__(self, folder: Path, head: ScorerHead) -> None:
        """Load the embedder; raise ModelUnavailable when there is none in the folder."""
        self._base = open_encoder(folder)
        self._thin = thin_of([copy.matrices for copy in head.copies])
        self._vectors: dict[str, Vectors] = {}  # manifests are asked about at every turn
        self.spelling = Spelling(self._base.words, head.words)

    def encode_adapted(self, text: str) -> list[Vectors]:
        return list(self._base.encode_adapted(text, self._thin))

    def embed(self, texts: Sequence[str]) -> Vectors:
        for text in texts:
            if text not in self._vectors:
                self._vectors[text] = self.vector(text)
        return np.stack([self._vectors[text] for text in texts])

    def vector(self, text: str) -> Vectors:
        """Return the text's embedding, of length one."""
        vector = self._base.encode(text)
        scaled: Vectors = vector / np.linalg.norm(vector)
        return scaled


class SkillScorer:
    def __init__(self, encoders: Encoders, head: ScorerHead, folder: Path) -> None:
        self._encoders, self._head = encoders, head
        self.foreign = ForeignSkillScorer(encoders.embed, encoders.vector, lambda: open_reading_model(folder))

    @classmethod
    def open(cls, folder: Path) -> SkillScorer:
        """Open the embedder in `folder`; raise ModelUnavailable when there is none."""
        head = load_head()
        return cls(Encoders(folder, head), head, folder)

    @property
    def spelling(self) -> Spelling:
        return self._encoders.spelling

    async def score_scripts(
        self,
        player_action: PlayerAction,
        offers: Mapping[str, ScriptOffer],
        advisers: Mapping[str, Skill] = {},
    ) -> SkillScores:
        """Return the scores of the offered scripts, and of skills that only advise, by their names."""
        if not player_action.text:
            return SkillScores((), "resolution")
        scores, scene = await asyncio.to_thread(self._weigh, player_action, offers, advisers)
        return SkillScores(tuple(scores), scene)

    def _weigh(
        self,
        player_action: PlayerAction,
        offers: Mapping[str, ScriptOffer],
        advisers: Mapping[str, Skill],
    ) -> tuple[list[Score], SceneType]:
        raw = self._head.scores(self._encoders.encode_adapted(player_action.masked), player_action)
        count = len(self._head.labels)
        score_of = {
            label: Score(
                label,
                float(raw[i]),
                float(max(raw[i], raw[count + i])),
                "learned from labelled actions",
                float(self._head.levels[i]),
            )
            for i, label in enumerate(self._head.labels)
        }
        scores = [score_of[label] for label in offers if label in score_of]
        if PORTRAITS in score_of:
            scores += _portraits(score_of[PORTRAITS], player_action, offers)
        scores += self._strangers(player_action, offers, advisers)
        return scores, SCENE_TYPES[int(np.argmax(raw[2 * count : 2 * count + len(SCENE_TYPES)]))]

    def _strangers(
        self,
        player_action: PlayerAction,
        offers: Mapping[str, ScriptOffer],
        advisers: Mapping[str, Skill],
    ) -> list[Score]:
        """Score skills of which only the manifest is known."""
        strange = {offer.skill.name: offer.skill for offer in offers.values()} | dict(advisers)
        strange = {name: skill for name, skill in strange.items() if name not in FAMILIAR}
        if not strange:
            return []
        own = self._encoders.vector(player_action.text)
        scores = []
        for name, foreign in self.foreign.score(player_action.text, list(strange.values())).items():
            # who thinks back on what a skill found does not do it again
            need = foreign.need * SHARE_IN_RECALL if player_action.has("recall") else foreign.need
            labels = [label for label, offer in offers.items() if offer.skill.name == name] or [name]
            best = self._best_script(own, strange[name], labels)
            scores += [Score(label, need if label == best else 0.0, need, foreign.why) for label in labels]
        return scores

    def _best_script(self, own: Vectors, skill: Skill, labels: Sequence[str]) -> str:
        if len(labels) == 1:
            return labels[0]
        texts = []
        for label in labels:
            script = skill.script(label.partition("/")[2])
            texts.append(f"{label.partition('/')[2]}: {script.description if script else ''}")
        rows = self._encoders.embed(texts)
        return labels[int(np.argmax(rows @ own))]


def features(
    vectors: Vectors, player_actions: Sequence[PlayerAction], signs: Sequence[str]
) -> NDArray[np.float64]:
    sign_values = np.array(
        [[player_action.signs.get(sign, 0.0) for sign in signs] for player_action in player_actions],
        np.float64,
    )
    return np.hstack([SCALE * vectors.astype(np.float64), sign_values, np.ones((len(player_actions), 1))])


def _sigmoids(values: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(values, -40, 40)))
    return result


def encode_head(head: ScorerHead) -> bytes:
    buffer = BytesIO()
    arrays: dict[str, NDArray[Any]] = {
        "labels": np.array(head.labels),
        "signs": np.array(head.signs),
        "levels": head.levels.astype(np.float32),
        "words": np.array(head.words),
    }
    for number, copy in enumerate(head.copies):
        arrays[f"{number}/head"] = copy.weights.astype(np.float32)
        arrays |= {f"{number}/{name}": array for name, array in copy.matrices.items()}
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def decode_head(data: bytes) -> ScorerHead:
    with np.load(BytesIO(data), allow_pickle=False) as archive:
        copies: dict[str, dict[str, Any]] = {}
        for name in archive.files:
            number, slash, rest = name.partition("/")
            if slash:
                copies.setdefault(number, {})[rest] = archive[name]
        return ScorerHead(
            tuple(map(str, archive["labels"])),
            tuple(map(str, archive["signs"])),
            tuple(AdaptedCopy(copy, copy.pop("head").astype(np.float64)) for copy in copies.values()),
            archive["levels"].astype(np.float64),
            tuple(map(str, archive["words"])),
        )


@cache
def load_head() -> ScorerHead:
    return decode_head(read_shipped_weights(SCORER_FILE))


def _portraits(score: Score, player_action: PlayerAction, offers: Mapping[str, ScriptOffer]) -> list[Score]:
    """Choose the portrait script: a changed look is drawn anew, somebody known is looked up."""
    is_look_changed = (
        player_action.has("face")
        and not player_action.known_people
        and not player_action.strangers
        and player_action.has("I")
    )
    names = (
        ["lookup-portrait", "generate-portrait"]
        if player_action.known_people and not player_action.strangers
        else ["generate-portrait"]
    )
    if is_look_changed and "my" in player_action.text.casefold().split():
        names.insert(0, "update-portrait")
    labels = [f"{PORTRAITS}/{name}" for name in names]
    due = next((label for label in labels if label in offers), None)
    return [replace(score, label=due)] if due else []
