"""Compares two stories: the scenes they share, and how each goes on."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from narratoria.engine.scene import Scene


class SceneSummary(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    number: int
    action: str
    place: str
    opening: str  # its first sentence
    roll: str = ""  # how it ended
    beats: tuple[str, ...] = ()

    @classmethod
    def of(cls, scene: Scene) -> SceneSummary:
        return cls(
            number=scene.number,
            action=scene.action,
            place=scene.place,
            opening=_first_sentence(scene.paragraphs[0] if scene.paragraphs else ""),
            roll=scene.roll.outcome if scene.roll else "",
            beats=scene.beats,
        )


class Comparison(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    common: int  # scenes that are the same in both
    left: tuple[SceneSummary, ...]
    right: tuple[SceneSummary, ...]


def compare(left: Sequence[Scene], right: Sequence[Scene]) -> Comparison:
    common = 0
    for ours, theirs in zip(left, right, strict=False):
        if ours != theirs:
            break
        common += 1
    return Comparison(
        common=common,
        left=tuple(SceneSummary.of(scene) for scene in left[common:]),
        right=tuple(SceneSummary.of(scene) for scene in right[common:]),
    )


def _first_sentence(text: str) -> str:
    for index, character in enumerate(text):
        if character in ".!?…" and text[index + 1 : index + 2] in ("", " ", "”"):
            return text[: index + 1] + ("”" if text[index + 1 : index + 2] == "”" else "")
    return text
