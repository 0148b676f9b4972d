"""Plays a story that its author wrote in ink: what it offers now are beats, told word for word.

The state of the ink story is plain data in the progress of the story around it, so that it is saved, undone,
branched and replayed with that. What a choice leads to is worked out when it is offered, and told when it is
picked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Conditions, Ending, PlayedStory
from narratoria.campaign.ink.story import InkStory, InkTurn
from narratoria.engine.content_limits import is_choice_within
from narratoria.engine.scene import Choice, Passage, Receipt, Scene
from narratoria.engine.snapshot import StorySnapshot

CHANGED = (
    "The ink file of this campaign is another one than when this story began, so that it cannot go on. "
    "Put the old file back, or begin a new story."
)

ENDED, TO_THE_END = "The story ends here.", "The end"


def stage_campaign(campaign: Campaign, story: StorySnapshot) -> Campaign:
    """Return the campaign with what its ink story offers where this story stands; as it is without one."""
    if campaign.ink is None or campaign.played is not None:
        return campaign
    played = _list_turns(campaign.ink, _encode(story.progress.ink), story.seed, story.progress.scene + 1)
    turns = {} if story.progress.ending else played.turns
    beats = tuple(_as_beat(beat_id, turn, played) for beat_id, turn in turns.items())
    premise = played.beginning.paragraphs or campaign.premise
    endings = {played.ending: Ending(id=played.ending, title=TO_THE_END, paragraphs=()), **campaign.endings}
    return replace(campaign, beats=(*beats, *campaign.beats), premise=premise, endings=endings, played=played)


def tell_as_written(
    scene: Scene, choice: Choice, beat: Beat | None, campaign: Campaign, story: StorySnapshot
) -> Scene:
    """Return a scene of an ink story with its author's paragraphs, and with the choices it offers next."""
    played = campaign.played
    if campaign.ink is None or played is None:
        return scene
    turn = find_turn(choice, beat, campaign)
    if turn is not None and (paragraphs := find_paragraphs(choice, beat, campaign)):
        because = (Receipt("beat", beat.id, choice.text),) if beat else ()
        scene = msgspec.structs.replace(
            scene,
            paragraphs=paragraphs,
            passages=(Passage(by="author", because=because), *(Passage(by="author") for _ in paragraphs[1:])),
            source="storyteller",
            notices=(*scene.notices, *([turn.problem] if turn.problem else [])),
        )
    if scene.ending or story.progress.ending:
        return scene
    state = turn.state if turn is not None else story.progress.ink
    if not campaign.ink.owns(state):
        scene = msgspec.structs.replace(scene, notices=(*scene.notices, CHANGED))
    return msgspec.structs.replace(scene, choices=_choices_after(state, scene, campaign, story))


def find_turn(choice: Choice, beat: Beat | None, campaign: Campaign) -> InkTurn | None:
    """Return what the ink story says to a choice and its beat; None where it is none of its own."""
    played = campaign.played
    if played is None:
        return None
    if choice.kind in ("begin", "again") and not choice.target:
        return played.beginning
    return played.turns.get(beat.id) if beat else None


def _choices_after(
    state: Mapping[str, Any], scene: Scene, campaign: Campaign, story: StorySnapshot
) -> tuple[Choice, ...]:
    assert campaign.ink is not None
    after = _list_turns(campaign.ink, _encode(state), story.seed, scene.number + 1)
    choices = tuple(
        Choice(
            text=after.offers[beat_id],
            kind="beat",
            beat=beat_id,
            because=(Receipt("beat", beat_id, "the story offers it"),),
        )
        for beat_id in after.turns
    )
    within = tuple(one for one in choices if is_choice_within(one.text, one.act, story.limits))
    return within or choices or scene.choices


def find_paragraphs(choice: Choice, beat: Beat | None, campaign: Campaign) -> tuple[str, ...]:
    """Return what is told word for word; nothing where the ink story says nothing to this."""
    turn = find_turn(choice, beat, campaign)
    if turn is None:
        return ()
    if beat is None:
        return turn.paragraphs or campaign.premise
    return turn.paragraphs or (f"You choose: {beat.title}",)


def _as_beat(beat_id: str, turn: InkTurn, played: PlayedStory) -> Beat:
    offer = played.offers[beat_id]
    return Beat(
        id=beat_id,
        title=offer,
        description=" ".join(turn.paragraphs) or offer,
        conditions=Conditions(player_choice=offer),
        priority="high",
        ending=played.ending if turn.has_ended else "",
    )


def _encode(state: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(state) if state else b""


@lru_cache(maxsize=64)
def _list_turns(ink: InkStory, state: bytes, seed: int, number: int) -> PlayedStory:
    """Return what the ink story leads to from here, by the ids of the beats that stand for its choices."""
    beginning = ink.begin(seed)
    if not state:
        return PlayedStory(beginning)
    now = msgspec.json.decode(state)
    turns: dict[str, InkTurn] = {}
    offers: dict[str, str] = {}
    if now.get("ended"):  # the beginning was all of it
        turns[f"ink-{number}-end"] = InkTurn((ENDED,), (), now, has_ended=True)
        offers[f"ink-{number}-end"] = TO_THE_END
    for index, offer in enumerate(ink.offers_of(now)):
        beat_id = f"ink-{number}-{index + 1}"
        turns[beat_id] = ink.choose(now, index)
        offers[beat_id] = offer
    return PlayedStory(beginning, turns, offers)
