"""Where a story is heading, and how it ends: the ending's own words, and an epilogue of what happened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from narratoria.campaign.campaign import Beat, Campaign, Ending
from narratoria.engine.beats import consequences
from narratoria.engine.conditions import Situation, phrases
from narratoria.engine.memory.compress import History, keepsakes
from narratoria.engine.snapshot import Progress

LEANING = 0.5  # of what leads to an ending has happened: the story leans that way
LOOKED_BACK = 3  # triumphs and failures in an epilogue


@dataclass(frozen=True, slots=True)
class Leaning:
    """The ending that the player's choices lead towards, and the beats that are missing."""

    ending: str
    share: float  # of what leads there, that has happened
    missing: tuple[str, ...]


def leaning(situation: Situation) -> Leaning | None:
    """The nearest ending that can still come, once half of the way is behind the player."""
    campaign, progress = situation.campaign, situation.progress
    if progress.ended:
        return None
    best: Leaning | None = None
    for beat in campaign.beats:
        if not beat.ending or beat.id in progress.told or beat.id in progress.skipped:
            continue
        way = _way_to(beat, campaign)
        if way & progress.skipped.keys() and not way & progress.told.keys():
            continue
        done = way & progress.told.keys()
        share = len(done) / len(way) if way else 0.0
        if share >= LEANING and (best is None or share > best.share):
            best = Leaning(beat.ending, share, tuple(sorted({*(way - done), beat.id})))
    return best


def _way_to(beat: Beat, campaign: Campaign) -> set[str]:
    """The beats that lead to this one: those it requires, and those that bring about what it requires."""
    makers: dict[str, list[str]] = {}
    for other in campaign.beats:
        for flag in (*other.consequences, *(each for end in other.outcomes for each in end.consequences)):
            makers.setdefault(flag, []).append(other.id)
    found: set[str] = set()
    queue = [beat]
    while queue:
        needs = queue.pop().conditions
        wanted = [needs.requires_beat, *needs.requires_any_beat]
        for phrase in (*phrases(needs.player_state), *phrases(needs.world_state)):
            wanted += makers.get(phrase, [])
        for name in wanted:
            if name and name not in found and name != beat.id and (other_beat := campaign.beat(name)):
                found.add(name)
                queue.append(other_beat)
    return found


def ending_of(told: Iterable[Beat], campaign: Campaign) -> Ending | None:
    """The ending that one of these beats brings."""
    name = next((beat.ending for beat in told if beat.ending), "")
    return campaign.endings.get(name) if name else None


def epilogue(ending: Ending, situation: Situation) -> tuple[str, ...]:
    """The author's sentences that fit what happened."""
    return tuple(
        line.text
        for line in ending.epilogue
        if not line.when.strip() or _happened(line.when.strip(), situation)
    )


def _happened(when: str, situation: Situation) -> bool:
    negated = when.startswith("not ")
    name = when.removeprefix("not ").strip()
    beat, _, outcome = name.partition(":")
    told = situation.progress.told
    so = (
        situation.is_so(name) or name in told or (bool(outcome) and told.get(beat.strip()) == outcome.strip())
    )
    return so is not negated


def looking_back(campaign: Campaign, progress: Progress, history: History) -> tuple[str, ...]:
    """What the player did that weighs most: what was rolled for, then promises and debts."""
    lines = []
    for beat_id, outcome in progress.told.items():
        beat = campaign.beat(beat_id)
        if beat and beat.is_risky and (left := consequences(beat, outcome)):
            lines.append(left[-1])
    kept = [keepsake.text for keepsake in keepsakes(history, "promise", "debt")]
    return tuple(dict.fromkeys([*lines[-LOOKED_BACK:], *kept[:LOOKED_BACK]]))
