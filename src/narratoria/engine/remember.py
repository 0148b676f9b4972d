"""What stays when the scene is over: for now the state, where the story stands, and the scene itself."""

from __future__ import annotations

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.deed import Deed, flags_after, progress_after
from narratoria.engine.rules import UNDECIDED
from narratoria.engine.scene import Scene
from narratoria.engine.session import Session
from narratoria.skills.health import SessionHealth
from narratoria.state import SessionState


def remember(
    scene: Scene,
    deed: Deed,
    session: Session,
    campaign: Campaign,
    *,
    state: SessionState,
    health: SessionHealth,
) -> Session:
    outcome = scene.roll.outcome if scene.roll else UNDECIDED
    flags = flags_after(deed, frozenset(), outcome)
    if not isinstance(state.get("flags", {}), dict):
        state = state.apply_patch({"flags": None})  # a skill has put something else there
    return msgspec.structs.replace(
        session,
        progress=progress_after(deed, session.progress, campaign, outcome),
        state=state.apply_patch({"flags": dict.fromkeys(sorted(flags), True)}),
        scenes=(*session.scenes, scene),
        health=health,
    )
