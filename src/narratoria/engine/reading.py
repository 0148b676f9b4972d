"""Defines what a player's words are read against, and the understanding that comes of reading them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Place
from narratoria.engine import beats
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.effects import WORLD
from narratoria.engine.people import people_at, pronoun_for
from narratoria.engine.travel import distances_from
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.grammar import call_name
from narratoria.narrator.repertoire import strip_article
from narratoria.planner.intent import (
    Intent,
    KnownPerson,
    KnownPlace,
    KnownThing,
    Offer,
    Question,
    ReadingContext,
    load_place_kinds,
)
from narratoria.planner.mentions import content_words, noun_phrases


class Understanding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Holds the intents in order, the beat they set off, the evidence for each, or a question asked back."""

    intents: tuple[Intent, ...] = ()
    beat: str = ""  # an offered beat that the words mean
    evidence: tuple[tuple[Evidence, ...], ...] = ()  # for each intent, best first
    suited: tuple[dict[str, float], ...] = ()  # for each intent, units by how well each suits
    replies: tuple[Evidence | None, ...] = ()  # for each intent, what is said to it by whom it is done to
    walk_to: str = ""  # the place where the intents are carried out, once the player has gone there
    question: Question | None = None

    def undecided(self, most: int | None = None) -> tuple[Intent, ...]:
        """Return the first of the intents, without those whose end the author of the place has written."""
        return tuple(
            intent
            for at, intent in enumerate(self.intents[:most])
            if not any(one.is_place_deed for pieces in self.evidence[at : at + 1] for one in pieces)
        )

    def before_last(self) -> Understanding:
        """Return it without the last of its intents."""
        most = len(self.intents) - 1
        return msgspec.structs.replace(
            self,
            intents=self.intents[:most],
            evidence=self.evidence[:most],
            suited=self.suited[:most],
            replies=self.replies[:most],
        )


def reading_context(
    situation: StorySituation, openings: Sequence[Beat], *, last_person: str = "", last_thing: str = ""
) -> ReadingContext:
    """Return everything the player's words may point at, as values for the reader."""
    campaign, progress = situation.campaign, situation.progress
    here = campaign.places.get(progress.place) or campaign.places[campaign.start]
    present = people_at(here.id, campaign, progress)
    distances = distances_from(here, campaign)
    return ReadingContext(
        people=tuple(
            KnownPerson(
                id=name,
                name=profile.name,
                short=call_name(profile.name),
                pronoun=pronoun_for(profile),
                present=name in present,
                alive=name not in progress.dead,
                descriptions=(profile.role, profile.appearance, profile.metadata.faction),
            )
            for name, profile in sorted(campaign.people.items(), key=lambda one: one[0] not in present)
        ),
        things=tuple(_with_offered_things(things_at(here, situation), openings)),
        places=tuple(
            KnownPlace(
                place.id,
                place.name,
                distances.get(place.id),
                _kinds_of(place),
                _words_of(place, here, campaign),
            )
            for place in campaign.places.values()
        ),
        offers=tuple(Offer(beat.id, beats.offers_of(beat), beat.npcs) for beat in openings),
        last_person=last_person,
        last_thing=last_thing,
        place_name=here.in_a_sentence,
    )


def _kinds_of(place: Place) -> frozenset[str]:
    """Return what kind of place it is, by the words of its description."""
    return load_place_kinds().intersection(content_words(place.arrival))


def _words_of(place: Place, here: Place, campaign: Campaign) -> frozenset[str]:
    """Return the words of a place's description and of the way there from where the player is."""
    routes = [way.route for way in here.ways if way.to == place.id]
    owners = [one.name for one in campaign.people.values()]
    names = {word for text in (*owners, here.name) for word in content_words(text)}
    return frozenset(content_words(" ".join((place.arrival, *place.details, *routes)))) - names


def things_at(here: Place, situation: StorySituation) -> list[KnownThing]:
    """Return the objects one can speak of: carried, held by who is here, lying here, part of the place."""
    campaign, progress, state = situation.campaign, situation.progress, situation.state
    known_things = [KnownThing(item, item, "player") for item in items_of(state)]
    for person, profile in people_at(here.id, campaign, progress).items():
        known_things += [
            KnownThing(strip_article(item), strip_article(item), person) for item in profile.inventory
        ]
    world = state.get(WORLD)
    things = world.get("things", {}) if isinstance(world, Mapping) else {}
    gone_names = {name for name, one in things.items() if one.get("holder")}
    known_things += [KnownThing(name, name) for name, one in things.items() if one.get("place") == here.id]
    gone_names |= {
        item
        for name in progress.beat_outcomes
        if (beat := campaign.beat(name))
        for effect in beats.effects(beat, progress.beat_outcomes[name])
        for item in effect.lose
    } - set(items_of(state))
    here_names = [name for look in here.things for name in look.names]
    own_names = [
        name
        for profile in people_at(here.id, campaign, progress).values()
        for look in profile.things
        for name in look.names
    ]
    known_things += [KnownThing(name, name) for name in (*here_names, *own_names) if name not in gone_names]
    text = " ".join((here.arrival, *here.details, *here.moments, *campaign.premise))
    for phrase in noun_phrases(text):
        name = " ".join(phrase.split()[-2:])
        if not any(one.endswith(name) for one in gone_names) and len(name) >= 3 and content_words(name):
            known_things.append(KnownThing(name, name))
    return list({thing.id: thing for thing in reversed(known_things)}.values())[::-1]


def _with_offered_things(things: list[KnownThing], openings: Sequence[Beat]) -> list[KnownThing]:
    """Return the objects of a place, and those that an offer speaks of: the player has them or sees them."""
    names = {thing.name for thing in things}
    offered_things = [
        KnownThing(phrase, phrase, "player" if re.search(rf"\byour {re.escape(phrase)}", text) else "")
        for beat in openings
        for text in (beats.offer_of(beat),)
        for phrase in noun_phrases(text)
        if content_words(phrase)
    ]
    return [*things, *(thing for thing in offered_things if thing.name not in names)]
