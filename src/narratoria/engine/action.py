"""Resolves a choice against the campaign, and works out where the story stands after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Effects, Place
from narratoria.engine import beats, endings, rules
from narratoria.engine.answer_context import answer_intents, is_risky, suggestions
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.conflict import Hold, held_by, keep_back, release
from narratoria.engine.content_limits import Stop, find_stop, text_within
from narratoria.engine.encounters import draw_encounter
from narratoria.engine.memory.recall import NOTHING, RecallResult
from narratoria.engine.people import brought_people, people_at, place_of
from narratoria.engine.played_story import find_turn, stage_campaign
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.travel import describe_path, path_to
from narratoria.narrator.answer import join_answers
from narratoria.narrator.answer_request import Answer
from narratoria.planner.intent import Intent
from narratoria.planner.mentions import content_words
from narratoria.state import SessionState

AFTER_THE_END = ("look-back", "again", "branch", "leave")
# forgotten by who begins again
OF_AN_EARLIER_LIFE = ("flags", "perception", "impressions", "reputation", "playerChoices", "world")
ANSWERED_KINDS = ("free", "talk", "wait", "look")  # kinds of choice that the walk of an answer answers
SAME_WORDS = 0.75  # of an offer's words are in a typed action: it is that offer
ANSWERS = 0.5  # of a relevance: a passage shows what is looked at
_WORD = re.compile(r"[^\W\d_]{3,}")
_GO = re.compile(
    r"^\W*(?:i )?(?:go|walk|head|return|run|travel|climb|ride|move|make my way)\b", re.IGNORECASE
)
_TALK = re.compile(r"^\W*(?:i )?(?:talk|speak|chat)(?: (?:to|with))?\b", re.IGNORECASE)
_LOOK = re.compile(
    r"^\W*(?:i )?(?:look (?:around|about)|look|search the (?:room|place)|explore)\W*$", re.IGNORECASE
)
_WAIT = re.compile(
    r"^\W*(?:i )?(?:wait|rest|listen|do nothing|wait and listen)\b\W*(?:a while|here)?\W*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ResolvedAction:
    """Holds a choice, with everything it names looked up in the campaign."""

    choice: Choice
    place: Place  # where the player is when it is told
    route: str = ""
    person: str = ""
    beat: Beat | None = None  # what the choice sets off
    due_beats: tuple[Beat, ...] = ()  # what comes by itself meanwhile
    chance_outcomes: Mapping[str, str] = field(default_factory=dict)  # how beats end that chance decides
    understanding: Understanding | None = None  # what the words mean, where no beat answers them
    rolls: bool = False  # whether dice decide what the understanding comes to
    stop: Stop | None = None  # where a limit stops the acts of the understanding
    answers: Mapping[str, Answer] = field(default_factory=dict)  # by how the roll ends; "" without one
    release: Answer | None = None  # how the player, who was held, is let go
    answered_at: str = ""  # the place where the understanding is answered; empty: where the action ends

    @property
    def due_beat(self) -> Beat | None:
        return self.due_beats[0] if self.due_beats else None

    @property
    def beats(self) -> tuple[Beat, ...]:
        return (self.beat, *self.due_beats) if self.beat else self.due_beats

    @property
    def is_risky(self) -> bool:
        return self.choice.risky or self.rolls or any(beat.is_risky for beat in self.beats)

    @property
    def text(self) -> str:
        """Return what the player does, as far as the content limits let it be done."""
        if self.stop and self.understanding:
            return text_within(self.understanding.intents, self.stop)
        return self.choice.text

    @property
    def limit_note(self) -> str:
        return next((answer.limit_note for answer in self.answers.values()), "")

    def outcome_of(self, beat: Beat, roll_outcome: str) -> str:
        return roll_outcome if beat.is_risky else self.chance_outcomes.get(beat.id, "")

    def answer_for(self, outcome: str) -> Answer | None:
        """Return what is told when the roll ends so; the one answer there is where nothing is rolled."""
        answer = self.answers.get(outcome) or self.answers.get("") or next(iter(self.answers.values()), None)
        return join_answers([answer, self.release]) if answer and self.release else answer or self.release


def situation_of(
    session: StorySnapshot, campaign: Campaign, recall_result: RecallResult = NOTHING
) -> StorySituation:
    return StorySituation(
        stage_campaign(campaign, session).apply_changes(session.flags),
        session.progress,
        session.flags,
        session.state.to_dict(),
        recall_result.borne_out,
        session.limits,
    )


def choose(
    choice: Choice, session: StorySnapshot, campaign: Campaign, recall_result: RecallResult = NOTHING
) -> ResolvedAction:
    """Resolve a choice; one that fits nothing here is still an action, told by its words."""
    situation = situation_of(session, campaign, recall_result)
    if situation.progress.ending and choice.kind not in AFTER_THE_END:
        return _resolve(endings.choose_after_the_end(choice), situation)
    if hold := held_by(situation):
        return _choose_while_held(choice, hold, situation, recall_result, session.seed)
    if choice.kind == "continue":
        choice = Choice(text=choice.text, kind="wait")  # time passes; what to do is the player's to say
    elif choice.kind == "free" and not choice.skill:  # what a skill offers means that skill
        if recall_result.understanding:
            choice = _apply_understanding(choice, recall_result.understanding, situation)
        else:
            choice = _resolve_by_words(choice, situation)
    action = _resolve(choice, situation)
    meaning = recall_result.understanding
    if meaning and action.beat is None and is_answered(choice, situation):
        if choice.kind == "look":  # be it that the words were a walk to where one is
            meaning = Understanding(intents=(Intent(act="look", text=choice.text),), evidence=((),))
        stop = find_stop(meaning.intents, campaign, session.limits)
        rolls = is_risky(meaning.undecided(stop.at if stop else None), situation, action.place)
        action = replace(action, understanding=meaning, rolls=rolls, stop=stop)
    elif meaning and choice.kind == "go" and _walk_afterwards(meaning, situation) == choice.target:
        action = replace(action, understanding=meaning.before_last(), answered_at=here_of(situation).id)
    if choice.kind in ("begin", *AFTER_THE_END) and not choice.beat:
        return action  # the premise has the first scene to itself, and what is over has no more to come
    seed = f"{session.seed}/{session.progress.scene + 1}"
    if action.beat:
        action = replace(action, chance_outcomes={action.beat.id: beats.outcome_by_chance(action.beat, seed)})
    return _with_due_beats(action, situation, seed)


def _choose_while_held(
    choice: Choice, hold: Hold, situation: StorySituation, recall_result: RecallResult, seed: int
) -> ResolvedAction:
    """Resolve the choice of somebody who is held: nobody gets away, and the scene ends with being let go."""
    here, meaning = here_of(situation), recall_result.understanding
    turn = f"{seed}/{situation.progress.scene + 1}"
    meant_choice = _apply_understanding(choice, meaning, situation) if meaning else choice
    action = ResolvedAction(Choice(text=choice.text), here, release=release(hold, situation, turn))
    if meant_choice.kind in ("go", "beat", "continue"):
        return replace(action, answers={"": keep_back(hold, situation, turn)})
    if meaning is None:
        return action
    stop = find_stop(meaning.intents, situation.campaign, situation.limits)
    rolls = is_risky(meaning.undecided(stop.at if stop else None), situation, here)
    return replace(action, understanding=meaning, rolls=rolls, stop=stop)


def is_answered(choice: Choice, situation: StorySituation) -> bool:
    """Return whether the walk of an answer answers a choice; a place shows what its author wrote first."""
    if situation.progress.ending:
        return False
    if choice.kind == "look" and held_by(situation) is None:
        here = here_of(situation)
        return situation.progress.detail_counts.get(here.id, 0) >= len(here.details)
    return choice.kind in ANSWERED_KINDS


def _with_due_beats(action: ResolvedAction, situation: StorySituation, seed: str) -> ResolvedAction:
    """Add what comes by itself once the action is done; after one that ends the story nothing does."""
    if action.beat and action.beat.ending:
        return action
    certain = {
        flag
        for beat in action.beats
        for flag in beats.consequences(beat, action.chance_outcomes.get(beat.id, ""))
    }
    after = replace(
        situation,
        progress=progress_after(action, situation.progress, situation.campaign),
        flags={*situation.flags, *certain},
    )
    due_beats = beats.due_now(after, room_for_a_roll=not action.is_risky)
    is_walk = action.choice.kind == "go" and action.place.id != situation.progress.place
    if is_walk and not action.beat and not due_beats and (encounter := draw_encounter(after, seed)):
        due_beats = (encounter,)
    return replace(
        action,
        due_beats=due_beats,
        chance_outcomes={
            **action.chance_outcomes,
            **{beat.id: beats.outcome_by_chance(beat, seed) for beat in due_beats},
        },
    )


def _apply_understanding(choice: Choice, meaning: Understanding, situation: StorySituation) -> Choice:
    """Return the choice that own words mean: a beat, a walk, or an act to be answered."""
    if find_stop(meaning.intents, situation.campaign, situation.limits):
        return choice  # whatever else it means
    openings = openings_at(here_of(situation), situation) if meaning.beat else ()
    if meaning.beat and (beat := next((one for one in openings if one.id == meaning.beat), None)):
        return Choice(text=choice.text, kind="beat", beat=beat.id, risky=beat.is_risky)
    if _is_look_around(meaning, situation):
        return Choice(text=choice.text, kind="look")
    if meaning.walk_to and (person := meaning.intents[0].person):
        about = next((one.id for one in (meaning.evidence or ((),))[0]), f"{person.id}/{meaning.walk_to}")
        return Choice(text=choice.text, kind="talk", target=person.id, topic=about)
    target = _destination_of(meaning, situation) or _walk_afterwards(meaning, situation)
    if target == situation.progress.place:
        return Choice(text=choice.text, kind="look")  # one is there already
    return Choice(text=choice.text, kind="go", target=target) if target else choice


def _is_look_around(meaning: Understanding, situation: StorySituation) -> bool:
    """Return whether own words look at the place as a whole, and it has more to show."""
    here = here_of(situation)
    first = meaning.intents[0] if len(meaning.intents) == 1 else None
    return (
        first is not None
        and first.act in ("look", "search", "examine")
        and not first.person
        and (not first.thing or first.act == "search")  # who searches finds what there is
        and not any(one.relevance >= ANSWERS for one in (meaning.evidence or ((),))[0])
        and situation.progress.detail_counts.get(here.id, 0) < len(here.details)
    )


def _walk_afterwards(meaning: Understanding, situation: StorySituation) -> str:
    """Return the place that own words go to once something else is done, where no dice decide that."""
    earlier, last = meaning.intents[:-1], meaning.intents[-1:]
    to = next((one.place.id for one in last if one.act == "go" and one.place), "")
    is_other = to != situation.progress.place and to in situation.campaign.places
    if not earlier or not is_other or any(one.act == "go" for one in earlier):
        return ""
    return "" if is_risky(earlier, situation, here_of(situation)) else to


def _destination_of(meaning: Understanding, situation: StorySituation) -> str:
    """Return the place that own words lead to: one they name, or where whoever they look for is."""
    first = meaning.intents[0] if meaning.intents else None
    if first and first.act in ("go", "flee", "ride") and first.place and first.place.id:
        return first.place.id
    if first and first.act in ("go", "follow") and first.person and first.person.id:
        at = place_of(first.person.id, situation.campaign, situation.progress)
        return at if at != situation.progress.place else ""
    return ""


def find_offered_beat(text: str, openings: Iterable[Beat]) -> Beat | None:
    """Return the first open beat that has most words of one of its offers in a typed action."""
    action_words = set(content_words(text))
    for beat in openings:
        for offer in beats.offers_of(beat):
            words = set(content_words(offer))
            if words and len(words & action_words) >= SAME_WORDS * len(words):
                return beat
    return None


def _resolve_by_words(choice: Choice, situation: StorySituation) -> Choice:
    """Return a typed action that nothing has read as the choice its words name, if they clearly name one."""
    text, words = choice.text, _words(choice.text)
    here = here_of(situation)
    if beat := find_offered_beat(text, openings_at(here, situation)):
        return Choice(text=text, kind="beat", beat=beat.id, risky=beat.is_risky)
    campaign, progress = situation.campaign, situation.progress
    if _GO.match(text):
        for way in here.ways:
            if _words(campaign.places[way.to].name) <= words:
                return Choice(text=text, kind="go", target=way.to)
    if _TALK.match(text):
        for person, profile in people_at(here.id, campaign, progress).items():
            if _words(profile.name) & words:
                return Choice(text=text, kind="talk", target=person)
    if _LOOK.match(text):
        return Choice(text=text, kind="look")
    return Choice(text=text, kind="wait") if _WAIT.match(text) else choice


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)} - {"the", "and", "with", "for", "you", "your"}


def _resolve(choice: Choice, situation: StorySituation) -> ResolvedAction:
    here, campaign, progress = here_of(situation), situation.campaign, situation.progress
    if choice.kind in ("begin", "again"):
        return ResolvedAction(choice, campaign.places.get(choice.target) or campaign.places[campaign.start])
    if choice.kind == "beat":
        beat = next((beat for beat in openings_at(here, situation) if beat.id == choice.beat), None)
        if beat:
            return ResolvedAction(choice, here, beat=beat)
    elif choice.kind == "go":
        if path := path_to(here, choice.target, campaign):
            route = describe_path(here, path, campaign)
            return ResolvedAction(choice, campaign.places[choice.target], route=route)
    elif choice.kind == "talk":
        there = place_of_talk(choice, situation)
        path = path_to(here, there.id, campaign)
        if choice.target in people_at(there.id, campaign, progress) and (path or there is here):
            route = describe_path(here, path, campaign)
            return ResolvedAction(choice, there, route=route, person=choice.target)
    else:
        return ResolvedAction(choice, here)
    return ResolvedAction(Choice(text=choice.text), here)


def prepare_answers(
    action: ResolvedAction, story: StorySnapshot, campaign: Campaign, recall_result: RecallResult = NOTHING
) -> ResolvedAction:
    """Return the action with what is told for each way its roll can end, where no beat tells it."""
    if action.understanding is None:
        return action
    here = campaign.places.get(action.answered_at) or action.place
    situation = situation_of(story, campaign, recall_result).move_to(here.id)
    outcomes = (
        rules.bands_for(action.beats[0] if action.beats else None, campaign) if action.is_risky else ("",)
    )
    openings = openings_at(here, situation)
    ways = [campaign.places[way.to] for way in here.ways if way.to in campaign.places]
    answers = answer_intents(
        action.understanding,
        situation,
        here,
        outcomes,
        stop=action.stop,
        seed=f"{story.seed}/{story.progress.scene + 1}",
        offers=suggestions(openings, ways),
        journal=[summary.told_to_player for summary in story.progress.history.recent],
    )
    return replace(action, answers=answers)


def progress_after(
    action: ResolvedAction, progress: Progress, campaign: Campaign, outcome: str = ""
) -> Progress:
    """Return where the story stands when an action has been told, and its roll has ended like that."""
    kind = action.choice.kind
    if kind == "again":
        progress = Progress(
            scene=progress.scene, began_after=progress.scene, used_sentences=progress.used_sentences
        )
    number = progress.scene + 1
    outcomes = {beat.id: action.outcome_of(beat, outcome) for beat in action.beats}
    changes = effects_of(action, outcome)
    place = next(
        (effect.move_to for effect in reversed(changes) if effect.move_to in campaign.places), action.place.id
    )
    is_walk = kind in ("begin", "go", "again") or action.place.id != progress.place
    company = {who: place for who in progress.company if who not in progress.dead}
    positions = {
        **progress.moved_people,
        **brought_people(action.beats, place, campaign, progress),
        **(company if place != progress.place else {}),
        **{who: to for effect in changes for who, to in effect.moves.items()},
    }
    dead = tuple(dict.fromkeys((*progress.dead, *(who for effect in changes for who in effect.dies))))
    after = msgspec.structs.replace(progress, moved_people=positions, dead=dead)
    if ink_turn := find_turn(action.choice, action.beat, campaign):
        after = msgspec.structs.replace(after, ink=dict(ink_turn.state))
    present = tuple(people_at(action.place.id, campaign, progress))
    people_met = (*progress.met_people, *present, *people_at(place, campaign, after))
    return msgspec.structs.replace(
        after,
        scene=number,
        place=place,
        visits=_increment(
            _increment(progress.visits, action.place.id if is_walk else ""),
            place if place != action.place.id else "",
        ),
        beat_outcomes={**progress.beat_outcomes, **outcomes},
        beat_scenes={**progress.beat_scenes, **dict.fromkeys(outcomes, number)},
        witnesses={**progress.witnesses, **({action.beat.id: present} if action.beat else {})},
        called_beats=_called_beats(action, outcome, progress),
        waiting={beat: since for beat, since in progress.waiting.items() if beat not in outcomes},
        ending=next((beat.ending for beat in action.beats if beat.ending), progress.ending),
        met_people=tuple(dict.fromkeys(people_met)),
        saying_counts=_increment(progress.saying_counts, "" if action.choice.topic else action.person),
        detail_counts=_increment(progress.detail_counts, action.place.id if kind == "look" else ""),
    )


def _called_beats(action: ResolvedAction, outcome: str, progress: Progress) -> tuple[str, ...]:
    """Return the beats that the outcomes of an action call for, with those called for before."""
    beat_ids = {beat.id for beat in action.beats}
    next_ones = (
        end.next_beat
        for beat in action.beats
        if (end := beat.outcome(action.outcome_of(beat, outcome))) and end.next_beat
    )
    return tuple(name for name in dict.fromkeys((*progress.called_beats, *next_ones)) if name not in beat_ids)


def first_state(session: StorySnapshot, campaign: Campaign) -> SessionState:
    """Return the state of who begins again: nobody knows them, and what they found on the way is gone."""
    progress, state = session.progress, session.state.apply_patch(dict.fromkeys(OF_AN_EARLIER_LIFE))
    items = items_of(state.to_dict())
    for name, outcome in reversed(progress.beat_outcomes.items()):
        for effect in beats.effects(beat, outcome) if (beat := campaign.beat(name)) else ():
            items = [item for item in items if item not in effect.gain]
            items += [item for item in effect.lose if item not in items]
            state = state.apply_patch(_take_back({**effect.state, **effect.add}))
    return state.apply_patch({"persona": {"items": items}}) if items_of(state.to_dict()) != items else state


def _take_back(changes: Mapping[str, object]) -> dict[str, None]:
    """Return the patch that takes back the plain values which a beat has set."""
    return {key: None for key, value in changes.items() if not isinstance(value, Mapping)}


def effects_of(action: ResolvedAction, outcome: str) -> tuple[Effects, ...]:
    return tuple(
        each for beat in action.beats for each in beats.effects(beat, action.outcome_of(beat, outcome))
    )


def place_of_event(action: ResolvedAction, outcome: str, campaign: Campaign) -> str:
    """Return where what a scene is remembered for came to pass: where a beat that came by itself has led."""
    if action.beat is not None:
        return action.place.id
    led_to = (effect.move_to for effect in reversed(effects_of(action, outcome)))
    return next((to for to in led_to if to in campaign.places), action.place.id)


def flags_after(action: ResolvedAction, flags: AbstractSet[str], outcome: str = "") -> AbstractSet[str]:
    return flags | {
        flag for beat in action.beats for flag in beats.consequences(beat, action.outcome_of(beat, outcome))
    }


def place_of_talk(choice: Choice, situation: StorySituation) -> Place:
    """Return where somebody is spoken to: here, or where they are sought out with a question."""
    campaign, progress = situation.campaign, situation.progress
    at = place_of(choice.target, campaign, progress) if choice.topic else ""
    return campaign.places.get(at) or here_of(situation)


def here_of(situation: StorySituation) -> Place:
    places = situation.campaign.places
    return places.get(situation.progress.place) or places[situation.campaign.start]


def openings_at(place: Place, situation: StorySituation) -> list[Beat]:
    """Return what can be set off at a place; what leads to the ending that the story leans to comes first."""
    leans = endings.leaning(situation)
    openings = beats.openings(situation, leans.missing if leans else ())
    return [beat for beat in openings if beat.location in ("", place.id)]


def _increment(counts: dict[str, int], name: str) -> dict[str, int]:
    return {**counts, name: counts.get(name, 0) + 1} if name else counts
