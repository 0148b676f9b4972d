"""Builds the brief of a scene: what a capable model needs besides the other facts in order to tell it.

Nothing is in it that the plot still keeps: of what people hold back it says that they do, and not what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from narratoria.campaign.campaign import Campaign
from narratoria.contracts.scene_facts import (
    BriefFacts,
    DecidedFacts,
    EvidenceFacts,
    SceneFacts,
    ToldScene,
)
from narratoria.engine import effects
from narratoria.engine.action import AFTER_THE_END, ResolvedAction
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at, place_of
from narratoria.engine.played_story import find_turn
from narratoria.engine.scene import Scene
from narratoria.engine.stand_in_choices import list_stand_ins
from narratoria.narrator.answer import TRUSTED
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.composer import MAX_PARAGRAPHS
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.grammar import call_name
from narratoria.narrator.owed import SURE

TOLD_AT_ONCE = 6  # scenes that leave the brief together, so that a model's cache holds the rest meanwhile
EVIDENCE, OPTIONS = 8, 8  # the most of each
LEAST_RELEVANCE = 0.05  # of a passage that may bear on the action
MOSTLY = 0.6  # of a paragraph that is the author's
CLOSED_KINDS = frozenset(("begin", *AFTER_THE_END))  # scenes that the author or the composer tells alone


def build_brief(
    facts: SceneFacts, action: ResolvedAction, situation: StorySituation, scenes: Sequence[Scene]
) -> BriefFacts:
    """Return the scenes told lately, who is elsewhere, and what is decided for each way the roll can end."""
    campaign, progress = situation.campaign, situation.progress
    present = people_at(action.place.id, campaign, progress)
    # where somebody is whom the player has neither met nor heard of is the plot's
    spoken_of = " ".join(
        (action.text, *(text for scene in scenes[-TOLD_AT_ONCE:] for text in scene.paragraphs))
    )
    return BriefFacts(
        scenes=tuple(
            ToldScene(action=scene.action, paragraphs=scene.paragraphs) for scene in _latest(scenes)
        ),
        elsewhere=tuple(
            f"{profile.name} ({profile.role or 'elsewhere'}) is at {there.in_a_sentence}"
            for who, profile in campaign.people.items()
            if who not in present and who not in progress.dead
            if who in progress.met_people or call_name(profile.name) in spoken_of
            if (there := campaign.places.get(place_of(who, campaign, progress)))
        ),
        ways=tuple(
            f"{there.in_a_sentence} ({way.route})" if way.route else there.in_a_sentence
            for way in action.place.ways
            if (there := campaign.places.get(way.to))
        ),
        decided={end: _decide(end, facts, action, situation) for end in facts.drafts},
    )


def _latest(scenes: Sequence[Scene]) -> Sequence[Scene]:
    """Return the latest scenes, at least so many once there are; several are left out at one time."""
    return scenes[max(0, (len(scenes) - TOLD_AT_ONCE) // TOLD_AT_ONCE * TOLD_AT_ONCE) :]


def _decide(end: str, facts: SceneFacts, action: ResolvedAction, situation: StorySituation) -> DecidedFacts:
    answer = action.answer_for(end)
    draft = facts.drafts[end]
    is_own = find_turn(action.choice, action.beat, situation.campaign) is not None
    is_closed = facts.action.kind in CLOSED_KINDS or facts.ending or action.stop or action.release or is_own
    names = {person.id: person.name for person in facts.people}
    listeners = _people_asked(action) or frozenset(names)
    passages = list(_passages(action))
    candidates = [one for one in passages if one.owner in listeners or not one.owner]
    evidence = _find_tellable(candidates, facts, is_won=_is_won(end, situation.campaign))
    changes = effects.describe_answer(answer, situation.progress, situation.campaign) if answer else ()
    return DecidedFacts(
        effects=tuple(_without_contradictions(changes)),
        evidence=tuple(
            EvidenceFacts(
                id=one.id,
                source=one.source,
                text=one.answer or one.text,
                person=names.get(one.owner, ""),
            )
            for one in evidence[:EVIDENCE]
        ),
        kept_back=tuple(
            dict.fromkeys(
                names[one.owner] for one in candidates if one not in evidence and one.owner in names
            )
        ),
        leads=tuple(dict.fromkeys(_leads(passages, names, situation))),
        **_divide(draft, [] if is_closed else list(_find_open(draft, facts, end, answer))),
        options=tuple(choice.text for choice in list_stand_ins(facts, end)[:OPTIONS]),
    )


def _passages(action: ResolvedAction) -> Iterator[Evidence]:
    """Yield what bears on the action, each once, the best for each of its acts first."""
    ids: set[str] = set()
    for evidence in action.understanding.evidence if action.understanding else ():
        for one in evidence:
            if one.id not in ids and one.relevance >= LEAST_RELEVANCE:
                ids.add(one.id)
                yield one


def _people_asked(action: ResolvedAction) -> frozenset[str]:
    """Return whom the player addresses."""
    intents = action.understanding.intents if action.understanding else ()
    return frozenset(filter(None, (action.person, *(one.person.id for one in intents if one.person))))


def _find_tellable(candidates: Sequence[Evidence], facts: SceneFacts, *, is_won: bool) -> list[Evidence]:
    """Return what may be told: all that is no secret, and a secret that is surely asked for and not kept."""
    trusted = {person.id for person in facts.people if person.tone in TRUSTED}
    return [
        one
        for at, one in enumerate(candidates)
        # how much trust a topic asks for is the author's to say
        if not one.secret
        or (not at and one.relevance >= SURE and (is_won or (one.owner in trusted and one.source != "topic")))
    ]


def _leads(
    passages: Sequence[Evidence], present: Mapping[str, str], situation: StorySituation
) -> Iterator[str]:
    """Yield who else knows something about it, and not what: whoever is asked may send the player there."""
    campaign, progress = situation.campaign, situation.progress
    for one in passages:
        profile = campaign.people.get(one.owner)
        if profile and one.owner not in present and one.owner not in progress.dead and one.relevance >= SURE:
            yield profile.name


def _without_contradictions(changes: Sequence[str]) -> Iterator[str]:
    """Yield what changes, without two opinions that take each other back."""
    better, worse = " thinks better of you", " thinks worse of you"
    both = {
        one.removesuffix(better)
        for one in changes
        if one.endswith(better) and one.replace(better, worse) in changes
    }
    for one in changes:
        if one.removesuffix(better).removesuffix(worse) not in both:
            yield one


def _is_won(end: str, campaign: Campaign) -> bool:
    """Return whether a roll that ends so is the best there is."""
    bands = campaign.rules.bands
    return bool(bands) and end == max(bands, key=lambda band: band.min).name


def _divide(draft: tuple[str, ...], open_places: list[int]) -> dict[str, Any]:
    """Return which paragraphs of a draft are told as they stand, before and after what a model tells."""
    if not open_places:
        return {"before": draft, "room": 0}
    authored = [at for at in range(len(draft)) if at not in open_places]
    before = tuple(draft[at] for at in authored if at < open_places[0])
    after = tuple(draft[at] for at in authored if at > open_places[0])
    room = MAX_PARAGRAPHS - len(authored)
    return {"before": before, "after": after, "room": min(room, 1) if before else room}


def _find_open(draft: Sequence[str], facts: SceneFacts, end: str, answer: Answer | None) -> Iterator[int]:
    """Yield the places of a draft's paragraphs that are not mostly the author's own words."""
    texts = [text for text in _author_texts(facts, end, answer) if text]
    for at, paragraph in enumerate(draft):
        authored = sum(len(text) for text in texts if text in paragraph)
        is_inside = any(paragraph in text for text in texts)
        if not is_inside and authored < MOSTLY * len(paragraph):
            yield at


def _author_texts(facts: SceneFacts, end: str, answer: Answer | None) -> Iterator[str]:
    """Yield what the author wrote to be told in this scene: beats, a first arrival, a look, a topic."""
    for beat in (facts.beat, facts.due, *facts.also_due):
        if beat:
            yield beat.description
            yield beat.outcomes.get(end, "") or beat.outcomes.get(beat.fate, "")
            yield from (line.text for line in beat.dialogue)
    if not facts.place.visits and facts.action.route:
        yield facts.place.arrival
    if facts.action.kind == "look":
        yield facts.action.detail
    yield from _answered_by_author(answer)


def _answered_by_author(answer: Answer | None) -> Iterator[str]:
    parts: Iterable[Answer] = (answer.parts or (answer,)) if answer else ()
    for part in parts:
        if part.source.startswith("topic:"):
            yield from (text for text in part.text.split("\n\n") if text)
