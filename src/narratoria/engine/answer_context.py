"""Answers an action that no beat answers: asks the narrator for each way its roll can end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Place, Profile
from narratoria.engine import beats
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.conflict import tone_at
from narratoria.engine.content_limits import Stop, means_death, rate_units, units_within
from narratoria.engine.happenings import find_happening, state_of_thing
from narratoria.engine.likely_things import is_likely_thing, is_own_thing
from narratoria.engine.own_matter import TOUCHING, find_own_matter
from narratoria.engine.people import people_at, place_of, pronoun_for
from narratoria.engine.reading import Understanding
from narratoria.engine.travel import neighbour_of, ways_out
from narratoria.narrator.abilities import Ability, find_missing
from narratoria.narrator.answer import LOOKS, answer_request, begin_with, join_answers, manners_of, outcome_of
from narratoria.narrator.answer_request import Answer, AnswerContext, Listener
from narratoria.narrator.answer_request import AnswerRequest as Request
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.grammar import as_wish, call_name
from narratoria.narrator.remark import describe_thing, load_remarks, make_remark
from narratoria.narrator.repertoire import Outcome, Unit, load_campaign_units, load_repertoire, strip_article
from narratoria.narrator.turned_aside import turn_aside
from narratoria.planner.intent import Intent, load_acts

WORLD_WORDS: Mapping[str, tuple[str, ...]] = {  # what a campaign's own words say of its world
    "sea": ("ship", "sea", "harbour", "sailor", "boat", "island", "tide", "deck"),
    "space": ("spaceship", "starship", "orbit", "planet", "airlock", "comet", "station", "hull", "asteroid"),
    "court": ("king", "queen", "palace", "court", "duke", "throne", "castle", "prince"),
    "village": ("village", "farm", "hamlet", "parish", "barn", "mill", "inn"),
    "city": ("police", "apartment", "flat", "subway", "taxi", "bus", "neon", "phone", "elevator", "internet"),
    "wilderness": ("forest", "mountain", "desert", "wilderness", "jungle", "swamp", "trail", "glacier"),
    "school": ("school", "classroom", "teacher", "pupil", "headmaster", "academy", "university"),
    "work": ("office", "factory", "workshop", "manager", "shift", "clerk", "company"),
    "magic": ("magic", "wizard", "witch", "spell", "enchanted", "sorcerer", "dragon", "fairy"),
    "horror": ("horror", "haunted", "ghost", "blood", "dread", "corpse", "nightmare", "curse"),
}
ASKED_PLAINLY = frozenset(
    ("accuse", "persuade", "beg", "order")
)  # acts that are questions in a question's form
_QUESTION = re.compile(  # that wants an answer, and not a favour: “would you hold this?” is one
    r"(?:^|[.!?,:;“”\"‘—-]\s*)(?:(?:and|but|so|now|then)\s+)?"
    r"(?:who|what|where|when|why|how|which|whose|did|do|does|is|are|was|were|have|has|isn't|aren't|wasn't)\b"
    r"[^.!?]*\?|\btell me\b(?![^.!?]*\bor\b)",
    re.IGNORECASE,
)
CERTAIN = 1.0  # the relevance of what a picked choice names
_INDOORS = re.compile(
    r"\b(?:room|hall|ceiling|roofed|walls?|floor|door|corridor|cellar|stair|kitchen|shelf|shelves|cabin|counter|hut|"
    r"indoors|inside|chamber|vault)\b",
    re.IGNORECASE,
)
_OUTDOORS = re.compile(
    r"\b(?:sky|street|road|field|forest|wood|river|lake|sea|shore|hill|mountain|bridge|garden|snow|rain|mist|wind|quay|"
    r"outdoors|outside|path|square|market)\b",
    re.IGNORECASE,
)


_LIGHT = re.compile(
    r"\b(?:comic|comedy|comedic|funny|humou?r|humorous|light|light-?hearted|whimsical|whimsy|playful|silly|"
    r"farce|farcical|absurd\w*|gentle)\b",
    re.IGNORECASE,
)


def as_plain_question(intent: Intent) -> Intent:
    """Return what is only asked as a question: nobody needs luck to ask “Did you do that?”."""
    is_question = intent.act in ASKED_PLAINLY and _QUESTION.search(intent.text) is not None
    return msgspec.structs.replace(intent, act="ask", kind="") if is_question and intent.person else intent


def is_risky(intents: Sequence[Intent], situation: StorySituation, place: Place) -> bool:
    """Return whether dice decide: always for some acts, for others where somebody is there to resist."""
    present = people_at(place.id, situation.campaign, situation.progress)
    for intent in map(as_plain_question, intents):
        act = load_acts().get(intent.act)
        if act is None or act.risk == "never":
            continue
        if act.needs == "person" and (intent.person is None or intent.person.id not in present):
            continue  # nobody is there to resist
        if act.risk == "always" or present:
            return True
    return False


def answer_intents(
    understanding: Understanding,
    situation: StorySituation,
    place: Place,
    ends: Sequence[str],
    *,
    stop: Stop | None = None,
    seed: str,
    offers: Sequence[str] = (),
    journal: Sequence[str] = (),
) -> dict[str, Answer]:
    """Return what is told for each way the roll can end; empty where the repertoire has nothing for it."""
    context = answer_context(situation, place, seed=seed, offers=offers, journal=journal)
    bands = [band.name for band in situation.campaign.rules.bands]
    opening = None if stop and stop.at == 0 else _opening(understanding, situation, context)
    if opening and is_idle_talk(understanding):
        return dict.fromkeys(ends, opening)
    answers = {}
    for end in ends:
        parts: list[Answer] = []
        for at, intent in enumerate(map(as_plain_question, understanding.intents)):
            if stop and at == stop.at:
                parts.append(turn_aside(stop.barrier, stop.person, context, situation.limits))
                break
            act = load_acts().get(intent.act)
            outcome = outcome_of(end, bands) if act and act.risk != "never" else "none"
            request = _request(understanding, at, outcome, situation, place)
            answer = _see_ruin(intent, situation, seed) or answer_request(request, _after(parts, context))
            if answer is None or is_retold(answer, parts):
                continue
            parts.append(answer)
            if answer.is_attempt:
                break  # what was to come after it does not
        parts = _without_evasions(parts)
        if parts:
            answer = join_answers(parts)
            answers[end] = begin_with(opening, answer) if opening else answer
    return answers


def _after(parts: Sequence[Answer], context: AnswerContext) -> AnswerContext:
    """Return the context in which what was told before in the same turn is used already."""
    units = {unit: context.turn for part in parts for unit in part.units}
    return replace(context, used={**context.used, **units}) if units else context


def _without_evasions(parts: list[Answer]) -> list[Answer]:
    """Return the answers of a turn; where one question is answered, that another is not goes unsaid."""
    is_any_told = any(part.evidence for part in parts)
    answering = [part for part in parts if part.evidence or not part.is_evasion]
    return answering if is_any_told and answering else parts


def _opening(
    understanding: Understanding, situation: StorySituation, context: AnswerContext
) -> Answer | None:
    """Return what somebody who is spoken to says first of what has happened since they last were."""
    intent = understanding.intents[0] if understanding.intents else None
    speaker = context.people.get(intent.person.id) if intent and intent.person else None
    if intent is None or speaker is None or intent.act not in load_remarks().acts:
        return None
    evidence = understanding.evidence[0] if understanding.evidence else ()
    happening = find_happening(speaker.id, situation, intent, evidence)
    remark = make_remark(happening, speaker, context) if happening else None
    if happening is None or remark is None:
        return None
    return Answer(
        text=remark.text,
        fact=f"The player talked with {speaker.name}.",
        source=f"happening:{happening.id}",
        units=(remark.line,) if remark.line else (),
    )


def is_idle_talk(understanding: Understanding) -> bool:
    """Return whether somebody is talked to about nothing in particular, and has nothing to say of it."""
    return [one.act for one in understanding.intents] == ["talk"] and not any(understanding.evidence)


def _see_ruin(intent: Intent, situation: StorySituation, seed: str) -> Answer | None:
    """Return what is seen of a thing that was burnt or broken before; None for any other thing."""
    if intent.act not in LOOKS or intent.thing is None:
        return None
    name = intent.thing.name or intent.thing.text
    state = state_of_thing(name, situation.state)
    if not state:
        return None
    text = describe_thing(name, state, seed)
    return Answer(text=text, fact=text, source=f"state:{strip_article(name)}")


def _request(
    understanding: Understanding, at: int, outcome: Outcome, situation: StorySituation, place: Place
) -> Request:
    """Return what the narrator is to answer: one of the intents, with what was found for it."""
    intent = as_plain_question(understanding.intents[at])
    evidence = understanding.evidence[at] if at < len(understanding.evidence) else ()
    suited = understanding.suited[at] if at < len(understanding.suited) else {}
    is_read = at < len(understanding.replies)  # by the model that says what somebody would reply
    reply = understanding.replies[at] if is_read else find_own_matter(intent, situation)
    person, thing = intent.person, intent.thing
    name = (thing.name or thing.text) if thing else ""
    return Request(
        act=intent.act,
        kind=intent.kind,
        suited=suited,
        matter=intent.matter,
        person=person.id if person else "",
        person_text=person.text if person and not person.id else "",
        thing=name,
        is_thing_known=bool(thing and thing.id),
        is_thing_likely=bool(name)
        and (
            is_own_thing(name, intent.text)
            or is_likely_thing(name, situation, place, is_looked_at=intent.act in LOOKS)
        ),
        topic=intent.topic or intent.text,
        words=intent.text,
        bystander="" if person else _bystander(intent, situation, place),
        outcome=outcome,
        evidence=tuple(evidence),
        own=_picked_matter(intent, evidence) or reply,
        is_deadly=means_death(intent),
    )


def _picked_matter(intent: Intent, evidence: Sequence[Evidence]) -> Evidence | None:
    """Return what a picked deed says that somebody will speak of; a question is answered with it instead."""
    person = intent.person.id if intent.person else ""
    first = evidence[0] if evidence else None
    is_said = first is not None and first.relevance >= CERTAIN and bool(first.spoken) and not first.secret
    return first if first and is_said and first.owner == person and intent.act in TOUCHING else None


def is_retold(answer: Answer, parts: Sequence[Answer]) -> bool:
    """Return whether an answer is the same passage or unit as one before it in the same turn."""
    sources = {*answer.evidence, *answer.units}
    return bool(sources) and any(sources <= {*part.evidence, *part.units} for part in parts)


def _bystander(intent: Intent, situation: StorySituation, place: Place) -> str:
    """Return who sees what is done to nobody, every other time: not everything is remarked on."""
    act = load_acts().get(intent.act)
    present = list(people_at(place.id, situation.campaign, situation.progress))
    turn = situation.progress.scene
    if not present or act is None or act.needs == "person" or turn % 2:
        return ""
    return present[turn // 2 % len(present)]


def answer_context(
    situation: StorySituation,
    place: Place,
    *,
    seed: str,
    offers: Sequence[str] = (),
    journal: Sequence[str] = (),
) -> AnswerContext:
    """Return where an answer is given and who hears it, as values for the narrator."""
    campaign, progress, state = situation.campaign, situation.progress, situation.state
    present = people_at(place.id, campaign, progress)
    outside = campaign.places.get(neighbour_of(place.id, campaign, progress.visits))
    units = units_within(units_of(campaign, rated=situation.limits.is_set), situation.limits)
    return AnswerContext(
        place=place.in_a_sentence,
        # nearly all are open whatever is set, and there are some ten thousand
        units=tuple(
            unit for unit in units if not (unit.when or unit.unless) or unit.is_open(situation.flags)
        ),
        people={name: _listener(name, profile, situation, place.id) for name, profile in present.items()},
        outside=outside.in_a_sentence if outside else "",
        ways=tuple(campaign.places[way.to].in_a_sentence for way in place.ways if way.to in campaign.places)[
            :3
        ],
        onward=_way_onward(place, situation),
        premise=tuple(campaign.premise[:2]),
        is_light=is_light(campaign),
        last_seen={
            name: at.in_a_sentence
            for name in campaign.people
            if name not in present and (at := campaign.places.get(place_of(name, campaign, progress)))
        },
        names={name: profile.name for name, profile in campaign.people.items()},
        world=world_of(campaign, place),
        items=tuple(strip_article(item) for item in items_of(state)),
        used=progress.units,
        turn=progress.scene + 1,
        seed=seed,
        journal=tuple(journal),
        offers=tuple(as_wish(offer) or offer for offer in offers),
    )


def _way_onward(place: Place, situation: StorySituation) -> str:
    """Return the place next door that is nearest to something that cannot wait, or to anything."""
    distances = ways_out(place, situation)
    leading = [to for to, (_, steps) in distances.items() if steps is not None]
    if not leading:
        return ""
    nearest = min(
        leading, key=lambda to: (distances[to][0] is None, distances[to][0] or distances[to][1] or 0)
    )
    return situation.campaign.places[nearest].in_a_sentence


_UNITS: dict[tuple[str, bool], tuple[Unit, ...]] = {}


def units_of(campaign: Campaign, *, rated: bool = False) -> tuple[Unit, ...]:
    """Return the units a story may use: the campaign's own, then the repertoire without those it replaces.

    Rating takes longer than everything else, and only content limits need it.
    """
    key = (str(campaign.folder), rated)
    if key not in _UNITS:
        campaign_units = load_campaign_units(campaign.folder)
        replaced_ids = {unit.id for unit in campaign_units}
        units = (*campaign_units, *(unit for unit in load_repertoire() if unit.id not in replaced_ids))
        _UNITS[key] = rate_units(units) if rated else units
    return _UNITS[key]


def _listener(name: str, profile: Profile, situation: StorySituation, place: str) -> Listener:
    personality = profile.personality
    notes = (
        *personality.traits,
        *personality.flaws,
        *personality.virtues,
        profile.speech_patterns.style,
        profile.role,
        profile.age,
    )
    world = situation.state.get("world")
    feeling = tone_at(name, place, situation)
    if isinstance(world, Mapping) and (world.get("hurt") or {}).get(name):
        feeling = "cold"
    return Listener(
        name,
        profile.name,
        call_name(profile.name),
        pronoun_for(profile),
        manners_of(notes),
        feeling,
        _cannot(profile, notes),
    )


def _cannot(profile: Profile, notes: Sequence[str]) -> frozenset[Ability]:
    """Return what somebody is unable to do: what the author lists, or else what the profile speaks of."""
    if profile.cannot:
        return frozenset(profile.cannot)
    examples = profile.speech_patterns.examples
    return find_missing(profile.role, (profile.appearance, *notes), has_sayings=bool(examples))


def is_light(campaign: Campaign) -> bool:
    """Return whether a campaign calls itself a light one."""
    manifest = campaign.manifest
    return bool(_LIGHT.search(" ".join((manifest.genre, manifest.tone, *manifest.tags))))


def world_of(campaign: Campaign, place: Place) -> frozenset[str]:
    """Return the kinds of world a place belongs to, by the campaign's own words."""
    manifest = campaign.manifest
    text = " ".join((manifest.genre, manifest.tone, *manifest.tags, campaign.setting[:2000])).casefold()
    words = set(re.findall(r"[a-z]+", text))
    tags = {
        tag
        for tag, signs in WORLD_WORDS.items()
        if sum(sign in words or f"{sign}s" in words for sign in signs)
        >= (1 if tag in ("magic", "horror", "space") else 2)
    }
    here = " ".join((place.name, place.arrival, *place.details))
    inside, outside = len(_INDOORS.findall(here)), len(_OUTDOORS.findall(here))
    tags.add("indoors" if inside > outside else "outdoors")
    return frozenset(tags)


def suggestions(openings: Sequence[Beat], ways: Sequence[Place]) -> list[str]:
    """Return what could be done next, in words: what the author offers here, then the ways out."""
    offers = [beats.offer_of(beat) for beat in openings]
    return [*offers, *(f"Go to {place.in_a_sentence}" for place in ways)][:3]
