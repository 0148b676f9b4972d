"""What stays when the scene is over: the state, where the story stands, the story so far, and the scene."""

from __future__ import annotations

import re

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine import beats
from narratoria.engine.action import ResolvedAction, effects_of, first_state, flags_after, progress_after
from narratoria.engine.conditions import Situation
from narratoria.engine.memory import compress, significance
from narratoria.engine.people import named_in
from narratoria.engine.rules import UNDECIDED, outcome_for
from narratoria.engine.scene import Scene
from narratoria.engine.scene_type import minutes, scene_type
from narratoria.engine.snapshot import StorySnapshot
from narratoria.narrator.grammar import as_wish, in_the_past
from narratoria.narrator.phrase_memory import remember_phrases
from narratoria.skills.health import SessionHealth
from narratoria.state import SessionState

LONGEST = 200  # characters of a summary
HOW_IT_WENT = {"success": "It worked", "partial success": "It worked, at a price", "failure": "It went wrong"}


def advance_story(
    scene: Scene,
    action: ResolvedAction,
    session: StorySnapshot,
    campaign: Campaign,
    *,
    state: SessionState,
    health: SessionHealth,
) -> StorySnapshot:
    outcome = outcome_of(scene, action, campaign)
    if action.choice.kind == "again":
        state = first_state(msgspec.structs.replace(session, state=state), campaign)
    state = _state_after(action, outcome, state)
    progress = progress_after(action, session.progress, campaign, outcome)
    progress = msgspec.structs.replace(
        progress,
        game_time=progress.game_time + minutes(scene_type(action, campaign), campaign),
        used=remember_phrases(progress.used, scene.paragraphs, scene.number),
        history=compress.add(
            progress.history,
            summary_of(scene, action, campaign, outcome),
            outcome=significance.episodic(action, scene),
        ),
    )
    session = msgspec.structs.replace(session, progress=progress, state=state, health=health)
    tidied = beats.tidy(Situation(campaign, progress, session.flags, state.to_dict()))
    if tidied.reports:
        scene = msgspec.structs.replace(scene, notices=(*scene.notices, *tidied.reports))
    return msgspec.structs.replace(session, progress=tidied.progress, scenes=(*session.scenes, scene))


def outcome_of(scene: Scene, action: ResolvedAction, campaign: Campaign) -> str:
    """How the roll ended, in the words of the beat it was for."""
    rolled = scene.roll.outcome if scene.roll else UNDECIDED
    risky = next((beat for beat in action.beats if beat.is_risky), None)
    return outcome_for(risky, rolled, campaign.rules) if risky else rolled


def _state_after(action: ResolvedAction, outcome: str, state: SessionState) -> SessionState:
    flags = flags_after(action, frozenset(), outcome)
    if not isinstance(state.get("flags", {}), dict):
        state = state.apply_patch({"flags": None})  # a skill has put something else there
    patch = beats.patch(effects_of(action, outcome), state.to_dict())
    return state.apply_patch(patch).apply_patch({"flags": dict.fromkeys(sorted(flags), True)})


def summary_of(scene: Scene, action: ResolvedAction, campaign: Campaign, outcome: str) -> compress.Summary:
    """One line: what the player did, where, how it ended, and what is so from then on."""
    place = campaign.places[scene.place].name if scene.place in campaign.places else scene.place
    did = as_wish(_cut(action.choice.text))
    failed = bool(scene.roll and action.is_risky and scene.roll.outcome == "failure")
    done = (
        f"You tried to {did}"
        if did and failed
        else f"You {in_the_past(did)}"
        if did
        else f"{place}: {_cut(action.choice.text).rstrip('.')}"
    )
    left = [
        flag for beat in action.beats for flag in beats.consequences(beat, action.outcome_of(beat, outcome))
    ]
    # a walk during which something came to pass is remembered for that, and not for the walk
    parts = [] if left and not action.beat and action.choice.kind != "free" else [done]
    if scene.roll and action.is_risky:
        parts.append(HOW_IT_WENT.get(scene.roll.outcome, f"It ended in {scene.roll.outcome}"))
    parts += [_sentence(_cut(flag)) for flag in left if not _says_the_same(flag, parts[:1])]
    people = [campaign.people[who].name for who in named_in(scene.text, campaign)]
    return compress.Summary(
        scene=scene.number,
        text=". ".join(part.rstrip(".") for part in parts) + ".",
        weight=significance.weight(action, scene),
        people=tuple(people),
    )


def _says_the_same(flag: str, told: list[str]) -> bool:
    """“You have shared your bread with Pike” after “You shared your bread with Pike”."""
    said = {word[:5] for word in re.findall(r"\w{4,}", flag.casefold()) if word != "have"}
    return bool(said) and any(
        said <= {word[:5] for word in re.findall(r"\w{4,}", one.casefold())} for one in told
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
