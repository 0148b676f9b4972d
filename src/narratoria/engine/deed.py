"""What a choice comes to, here and now, and where the story stands after it."""

from __future__ import annotations

from collections import deque
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Place
from narratoria.engine import beats
from narratoria.engine.scene import Choice
from narratoria.engine.session import Progress, Session


@dataclass(frozen=True, slots=True)
class Deed:
    """A choice, with everything it names found in the campaign."""

    choice: Choice
    place: Place  # where the player is afterwards
    route: str = ""
    person: str = ""
    beat: Beat | None = None  # what the choice sets off
    due: Beat | None = None  # what comes by itself meanwhile

    @property
    def told(self) -> tuple[Beat, ...]:
        return tuple(beat for beat in (self.beat, self.due) if beat)


def choose(choice: Choice, session: Session, campaign: Campaign) -> Deed:
    """A choice that fits nothing here is still a deed: it is told by its words."""
    if choice.kind == "continue":
        choice = _next_step(session, campaign)
    deed = _found(choice, session, campaign)
    if choice.kind == "begin":
        return deed  # the premise has the first scene to itself
    certain = deed.beat.consequences if deed.beat and not deed.beat.is_risky else ()
    after = progress_after(deed, session.progress, campaign)
    return replace(deed, due=beats.due(campaign, after, session.flags | {*certain}))


def _found(choice: Choice, session: Session, campaign: Campaign) -> Deed:
    here = _here(session, campaign)
    if choice.kind == "beat":
        beat = next((beat for beat in _openings_at(here, session, campaign) if beat.id == choice.beat), None)
        if beat:
            return Deed(choice, here, beat=beat)
    elif choice.kind == "go":
        way = next((way for way in here.ways if way.to == choice.target), None)
        if way:
            return Deed(choice, campaign.places[way.to], route=way.route)
    elif choice.kind == "talk":
        if choice.target in campaign.people_at(here.id):
            return Deed(choice, here, person=choice.target)
    else:
        return Deed(choice, here)
    return Deed(Choice(text=choice.text), here)


def _next_step(session: Session, campaign: Campaign) -> Choice:
    """Where the story itself would go: what is open here, or the way to what is open elsewhere."""
    here = _here(session, campaign)
    for beat in _openings_at(here, session, campaign):
        return Choice(text=beat.conditions.player_choice, kind="beat", beat=beat.id, risky=beat.is_risky)
    distances = ways_out(here, campaign, session.progress, session.flags)
    leading = {to: steps for to, (_, steps) in distances.items() if steps is not None}
    if leading:
        nearest = min(leading, key=lambda to: (distances[to][0] or len(campaign.places), leading[to]))
        return Choice(text=f"Go to {campaign.places[nearest].in_a_sentence}", kind="go", target=nearest)
    return Choice(text="Wait", kind="wait")


def ways_out(
    place: Place, campaign: Campaign, progress: Progress, flags: AbstractSet[str]
) -> dict[str, tuple[int | None, int | None]]:
    """Where one can go, and how many steps it is that way to something critical, and to anything at all."""
    elsewhere = [beat for beat in beats.openings(campaign, progress, flags) if beat.location != place.id]
    critical = {beat.location for beat in elsewhere if beat.priority == "critical"}
    any_at_all = {beat.location for beat in elsewhere}
    return {
        way.to: (
            _steps(way.to, critical, place.id, campaign),
            _steps(way.to, any_at_all, place.id, campaign),
        )
        for way in place.ways
    }


def _steps(start: str, wanted: AbstractSet[str], barred: str, campaign: Campaign) -> int | None:
    queue, seen = deque([(start, 1)]), {start, barred}
    while queue:
        place, steps = queue.popleft()
        if place in wanted:
            return steps
        for way in campaign.places[place].ways:
            if way.to not in seen:
                seen.add(way.to)
                queue.append((way.to, steps + 1))
    return None


def progress_after(deed: Deed, progress: Progress, campaign: Campaign, outcome: str = "") -> Progress:
    place, kind = deed.place.id, deed.choice.kind
    met = dict.fromkeys((*progress.met, *campaign.people_at(place)))
    endings = {beat.id: outcome if beat.is_risky else "" for beat in deed.told}
    return msgspec.structs.replace(
        progress,
        scene=progress.scene + 1,
        place=place,
        visits=_counted(progress.visits, place if kind in ("begin", "go") else ""),
        told={**progress.told, **endings},
        met=tuple(met),
        heard=_counted(progress.heard, deed.person),
        seen=_counted(progress.seen, place if kind == "look" else ""),
    )


def flags_after(deed: Deed, flags: AbstractSet[str], outcome: str = "") -> AbstractSet[str]:
    return flags | {flag for beat in deed.told for flag in beats.consequences(beat, outcome)}


def _here(session: Session, campaign: Campaign) -> Place:
    return campaign.places.get(session.progress.place) or campaign.places[campaign.start]


def _openings_at(place: Place, session: Session, campaign: Campaign) -> list[Beat]:
    found = beats.openings(campaign, session.progress, session.flags)
    return [beat for beat in found if beat.location in ("", place.id)]


def _counted(counts: dict[str, int], name: str) -> dict[str, int]:
    return {**counts, name: counts.get(name, 0) + 1} if name else counts
