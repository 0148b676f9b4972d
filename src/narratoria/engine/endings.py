"""Finds the ending a story is heading for, and its words: the author's, and an epilogue of what happened."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from narratoria.campaign.campaign import Aftermath, Beat, Campaign, Ending
from narratoria.engine.beats import consequences, offer_of
from narratoria.engine.conditions import StorySituation, phrases
from narratoria.engine.memory.compress import History, keepsakes
from narratoria.engine.otherwise import CLOSING_BEAT, default_ending
from narratoria.engine.scene import ENDED_CHOICES, LOOKED_BACK_CHOICES, Choice
from narratoria.engine.snapshot import Progress
from narratoria.narrator.grammar import as_wish, in_the_past
from narratoria.narrator.remark import names_person

_DEATH = re.compile(r"\b(?:died|dies|dead|killed|death)\b", re.IGNORECASE)
_HAVE_DONE = re.compile(  # “you and Pike have traded”: a flag says what is so, an epilogue what was done
    r"^(you(?: and \w+)?) have (\w+ed)\b"
)
LEANING = 0.5  # of what leads to an ending has happened: the story leans that way
LOOKED_BACK = 3  # triumphs and failures in an epilogue

_ASKS_FOR = {
    "again": re.compile(
        r"\b(?:begin|start|play|try)\b.*\b(?:again|anew|over|afresh)\b|\brestart\b", re.IGNORECASE
    ),
    "branch": re.compile(r"\botherwise\b|\bdifferently\b|\banother way\b", re.IGNORECASE),
    "leave": re.compile(r"^\W*(?:i )?(?:leave|stop|quit|the end|goodbye)\b", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Leaning:
    """Names the ending that the player's choices lead towards, and the beats that are missing."""

    ending: str
    share: float  # of what leads there, that has happened
    missing: tuple[str, ...]


def leaning(situation: StorySituation) -> Leaning | None:
    """Return the nearest ending that can still come, once half of the way is behind the player."""
    campaign, progress = situation.campaign, situation.progress
    if progress.ending:
        return None
    best: Leaning | None = None
    for beat in campaign.beats:
        if not beat.ending or beat.id in progress.beat_outcomes or beat.id in progress.skipped_beats:
            continue
        path = _path_to(beat, campaign)
        if path & progress.skipped_beats.keys() and not path & progress.beat_outcomes.keys():
            continue
        path_done = path & progress.beat_outcomes.keys()
        share = len(path_done) / len(path) if path else 0.0
        if share >= LEANING and (best is None or share > best.share):
            best = Leaning(beat.ending, share, tuple(sorted({*(path - path_done), beat.id})))
    return best


def _path_to(beat: Beat, campaign: Campaign) -> set[str]:
    """Return the beats that lead to this one: those it requires, and those that cause its conditions."""
    makers: dict[str, list[str]] = {}
    for other in campaign.beats:
        for flag in (*other.consequences, *(each for end in other.outcomes for each in end.consequences)):
            makers.setdefault(flag, []).append(other.id)
    beat_ids: set[str] = set()
    queue = [beat]
    while queue:
        needs = queue.pop().conditions
        names = [needs.requires_beat, *needs.requires_any_beat]
        for phrase in (*phrases(needs.player_state), *phrases(needs.world_state)):
            names += makers.get(phrase, [])
        for name in names:
            if name and name not in beat_ids and name != beat.id and (other_beat := campaign.beat(name)):
                beat_ids.add(name)
                queue.append(other_beat)
    return beat_ids


def ending_of(scene_beats: Iterable[Beat], situation: StorySituation) -> Ending | None:
    """Return the ending that one of these beats brings; a default one for a story that goes another way."""
    beat = next((beat for beat in scene_beats if beat.ending), None)
    if beat is None:
        return None
    ending = situation.campaign.endings.get(beat.ending)
    return ending or (default_ending(situation) if beat.id == CLOSING_BEAT else None)


def epilogue(ending: Ending, situation: StorySituation) -> tuple[str, ...]:
    """Return the author's sentences that fit what happened; of who is dead only what is said of the death."""
    campaign, dead = situation.campaign, situation.progress.dead
    names = [campaign.people[who].name for who in dead if who in campaign.people]
    return tuple(
        line.text
        for line in ending.epilogue
        if all(_has_happened(condition, situation) for condition in line.conditions)
        and not any(names_person(line.text, name) and not _is_death(line, name) for name in names)
    )


def _is_death(line: Aftermath, name: str) -> bool:
    """Return whether a line is told because somebody died."""
    return any(_DEATH.search(trigger) and names_person(trigger, name) for trigger in line.triggers)


def _has_happened(when: str, situation: StorySituation) -> bool:
    is_negated = when.startswith("not ")
    name = when.removeprefix("not ").strip()
    beat, _, outcome = name.partition(":")
    outcomes = situation.progress.beat_outcomes
    so = (
        situation.is_so(name)
        or name in outcomes
        or (bool(outcome) and outcomes.get(beat.strip()) == outcome.strip())
    )
    return so is not is_negated


def looking_back(campaign: Campaign, progress: Progress, history: History) -> tuple[str, ...]:
    """Return what the player did that weighs most: what was rolled for, then promises and debts."""
    lines = []
    for beat_id, outcome in progress.beat_outcomes.items():
        beat = campaign.beat(beat_id)
        if beat is None or not beat.is_risky or not (results := consequences(beat, outcome)):
            continue
        if results[-1].startswith("you "):
            lines.append(_HAVE_DONE.sub(r"\1 \2", results[-1]))
        elif wish := as_wish(offer_of(beat)):  # what is so of others was never meant to be read out
            lines.append(f"you tried to {wish}" if outcome == "failure" else f"you {in_the_past(wish)}")
    promises = [keepsake.text for keepsake in keepsakes(history, "promise", "debt")]
    return tuple(dict.fromkeys([*lines[-LOOKED_BACK:], *promises[:LOOKED_BACK]]))


def choose_after_the_end(choice: Choice) -> Choice:
    """Return what is left to do that a choice asks for; any other words look back on the story."""
    kind = next((kind for kind, words in _ASKS_FOR.items() if words.search(choice.text)), "look-back")
    return next(one for one in (*ENDED_CHOICES, *LOOKED_BACK_CHOICES) if one.kind == kind)
