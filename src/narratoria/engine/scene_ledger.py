"""Builds the ledger of a scene: who is there, what the player has and what its prose must not contradict."""

from __future__ import annotations

from narratoria.campaign.campaign import Beat
from narratoria.contracts.scene_facts import LedgerFacts
from narratoria.engine.action import ResolvedAction, effects_of
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.people import named_in, people_at


def build_ledger(action: ResolvedAction, situation: StorySituation) -> LedgerFacts:
    """Return what prose must not contradict."""
    campaign, progress = situation.campaign, situation.progress
    present = people_at(action.place.id, campaign, progress)
    arriving = {who for beat in action.beats for who in beat.npcs} | {
        who for beat in action.beats for who in named_in(_full_text(beat), campaign)
    }
    arriving |= {
        who for effect in effects_of(action, "") for who, to in effect.moves.items() if to == action.place.id
    }
    names = {who: profile.name for who, profile in campaign.people.items()}
    return LedgerFacts(
        present=tuple(
            names[who] for who in names if who in present or (who in arriving and who not in progress.dead)
        ),
        absent=tuple(
            names[who]
            for who in names
            if who not in present and who not in arriving and who not in progress.dead
        ),
        dead=tuple(names[who] for who in names if who in progress.dead),
        items=tuple(items_of(situation.state)),
        place=action.place.name,
        places=tuple(place.name for place in campaign.places.values()),
        factions=tuple(faction.name for faction in campaign.factions.values()),
        constraints=tuple(campaign.constraints),
        title=campaign.title,
    )


def _full_text(beat: Beat) -> str:
    return " ".join((beat.description, *(outcome.description for outcome in beat.outcomes)))
