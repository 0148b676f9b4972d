"""Rewrites a draft tersely, vividly or poetically with the words that are there, without a model."""

from __future__ import annotations

import random
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SENTENCE = re.compile(r".+?(?:[.!?…]+[”’\"')]*(?=\s)\s+|$)", re.DOTALL)
TERSE = 170  # characters of a paragraph
ENOUGH = 700  # characters of a scene that needs no more
# each fits any hour and any weather: nothing may be said here that the story does not know
CADENCES = {
    "travel": (
        "Every road is longer on foot than in the telling.",
        "What lies behind you is already becoming a story.",
        "There is a kind of patience that only walking teaches.",
    ),
    "dialogue": (
        "Between two people there is always a third thing, and it does the listening.",
        "Words are small boats; one never sees what they carry below the waterline.",
        "Some silences are doors, and some are only walls with a draught.",
    ),
    "danger": (
        "Time, which is generous with the idle, counts out its coins now one by one.",
        "The heart is a poor clock, and it is the only one you have.",
        "There are moments that are thinner than others, and this is one.",
    ),
    "resolution": (
        "Some things end like a held breath.",
        "What is done lies down at last beside what was meant.",
        "Afterwards, even the small sounds seem to have been forgiven.",
    ),
    "": (
        "The moment stands there like a cup filled to the brim.",
        "Nothing in the world is quite as still as a thing that is about to change.",
        "All of it could have been otherwise, and none of it is.",
    ),
}


def apply_style(draft: Sequence[str], style: str, facts: dict[str, Any], seed: object) -> list[str]:
    """Return the draft in this style; its events, its order and its speech stay as they are."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in draft if paragraph.strip()]
    if style == "terse":
        return [terse(paragraph) for paragraph in paragraphs]
    if style == "poetic":
        return poetic(paragraphs, str(facts.get("sceneType") or ""), seed)
    return vivid(paragraphs, facts, seed)


def terse(paragraph: str) -> str:
    """Return a paragraph's beginning and its last sentence, where things end; speech is never cut."""
    sentences = [sentence.strip() for sentence in SENTENCE.findall(paragraph) if sentence.strip()]
    if len(paragraph) <= TERSE or len(sentences) < 3:
        return paragraph
    chosen, length = {len(sentences) - 1}, len(sentences[-1])
    for number, sentence in enumerate(sentences[:-1]):
        spoken = bool(re.search(r"[“”\"]", sentence))
        if spoken or length + len(sentence) <= TERSE:
            chosen.add(number)
            length += len(sentence)
    return " ".join(sentence for number, sentence in enumerate(sentences) if number in chosen)


def vivid(paragraphs: list[str], facts: dict[str, Any], seed: object) -> list[str]:
    """Add one more thing to be seen or heard there, in the campaign's words, if there is room for it."""
    place = facts.get("place")
    moments = place.get("moments") if isinstance(place, dict) else None
    scene_text = "\n".join(paragraphs)
    fresh = [moment for moment in moments or [] if isinstance(moment, str) and moment not in scene_text]
    if not fresh or len(paragraphs) >= 3 or len(scene_text) > ENOUGH or facts.get("beat"):
        return paragraphs
    moment = random.Random(f"{seed}/vivid").choice(fresh)
    return [*paragraphs[:-1], f"{paragraphs[-1]} {moment}"] if len(paragraphs) > 1 else [*paragraphs, moment]


def poetic(paragraphs: list[str], scene: str, seed: object) -> list[str]:
    """Add a cadence before the last paragraph, or after it if somebody speaks there."""
    line = random.Random(f"{seed}/poetic").choice(CADENCES.get(scene) or CADENCES[""])
    *before, last = paragraphs
    return [*before, f"{last} {line}" if re.search(r"[“\"]", last) else f"{line} {last}"]
