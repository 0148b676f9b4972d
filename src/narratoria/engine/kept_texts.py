"""Lists what the plot keeps for later, and what the author wrote in the open, for the gate."""

from __future__ import annotations

from collections.abc import Iterator

from narratoria.campaign.campaign import Campaign, Profile
from narratoria.engine.action import ResolvedAction
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import pronoun_for
from narratoria.engine.story_evidence import person_evidence
from narratoria.engine.topics import is_open
from narratoria.narrator.first_person import in_first_person
from narratoria.narrator.story_knowledge import KeptText, StoryKnowledge


def build_story_knowledge(action: ResolvedAction, situation: StorySituation) -> StoryKnowledge:
    """Return what prose about an action must not give away, and every text it may draw on."""
    telling = {f"beat/{beat.id}" for beat in action.beats}
    telling |= {f"ending/{beat.ending}" for beat in action.beats if beat.ending}
    told_ids = {*situation.progress.evidence, f"ending/{situation.progress.ending}"}
    return StoryKnowledge(
        kept_texts=tuple(one for one in list_kept_texts(situation) if one.id not in telling | told_ids),
        open_texts=tuple(list_open_texts(situation)),
        other_places=tuple(
            (place.name, " ".join((place.name, place.arrival, *place.details, *place.moments)))
            for place in situation.campaign.places.values()
            if place.id != action.place.id
        ),
    )


def list_kept_texts(situation: StorySituation) -> list[KeptText]:
    """Return what the plot keeps at this point: beats not told, endings, secrets, topics that are closed."""
    campaign = situation.campaign
    texts = [
        KeptText(f"beat/{beat.id}", text, next(iter(beat.npcs), ""))
        for beat in campaign.beats
        if beat.id not in situation.progress.beat_outcomes
        for text in (
            beat.description,
            *(line.text for line in beat.dialogue),
            *(end.description for end in beat.outcomes),
        )
        if text
    ]
    for ending in campaign.endings.values():
        sentences = [aftermath.text for aftermath in ending.epilogue]
        texts += [KeptText(f"ending/{ending.id}", text) for text in (*ending.paragraphs, *sentences)]
    for person, profile in campaign.people.items():
        texts += _list_secrets(person, profile, campaign)
        texts += _list_closed_topics(person, profile, situation)
    return texts


def _list_secrets(person: str, profile: Profile, campaign: Campaign) -> Iterator[KeptText]:
    for one in person_evidence(person, profile, campaign):
        if one.source == "secret":
            yield KeptText(one.id, one.text, person, one.spoken)


def _list_closed_topics(person: str, profile: Profile, situation: StorySituation) -> Iterator[KeptText]:
    who = pronoun_for(profile)
    for topic in profile.topics:
        if not is_open(topic, situation):
            for text in (topic.answer, topic.again, topic.fact):
                if text:
                    yield KeptText(f"{person}/topic/{topic.id}", text, person, in_first_person(text, who))


def list_open_texts(situation: StorySituation) -> list[str]:
    """Return what the author wrote in the open, and the beats that were told: no story can keep those."""
    campaign, told_beats = situation.campaign, situation.progress.beat_outcomes
    texts = [text for passage in campaign.lore for text in (passage.title, passage.text)]
    texts += [*campaign.premise, campaign.setting, campaign.manifest.description, campaign.title]
    texts += [text for faction in campaign.factions.values() for text in (faction.name, faction.description)]
    for place in campaign.places.values():
        texts += [place.name, place.arrival, *place.details, *place.moments]
        texts += [way.route for way in place.ways]
    for person, profile in campaign.people.items():
        texts += [profile.name, profile.appearance, profile.role, *profile.relationships.values()]
        texts += [*profile.motivations, *(goal.goal for goal in profile.goals)]
        for one in person_evidence(person, profile, campaign):
            if one.source not in ("secret", "thing"):
                texts += [one.text, one.spoken]
        for topic in profile.topics:
            texts.append(topic.ask)
            if is_open(topic, situation):
                texts += [topic.answer, topic.again, topic.fact]
    for beat in campaign.beats:
        texts += [beat.conditions.player_choice, *beat.conditions.player_choices]
        if beat.id in told_beats:
            texts += [beat.description, *(line.text for line in beat.dialogue)]
            if outcome := beat.outcome(told_beats[beat.id]):
                texts.append(outcome.description)
    return [text for text in texts if text]
