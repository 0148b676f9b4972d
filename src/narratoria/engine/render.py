"""Renders the scene the player sees from the tools' results: never blank, true, with something to do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import msgspec

from narratoria.campaign.campaign import Band, Place, Rules
from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.action import AFTER_THE_END, ResolvedAction
from narratoria.engine.content_limits import is_choice_within, limits_of
from narratoria.engine.receipts import has_words_of
from narratoria.engine.rules import UNDECIDED, band
from narratoria.engine.scene import (
    ENDED_CHOICES,
    GENERIC_CHOICES,
    LOOKED_BACK_CHOICES,
    Author,
    Choice,
    Kind,
    Passage,
    Receipt,
    Roll,
    Scene,
    Source,
    read_roll,
)
from narratoria.engine.skill_results import SkillResult, offered_choices
from narratoria.engine.stand_in_choices import list_stand_ins
from narratoria.engine.told_by_model import add_told_choices, read_fact, told_choices
from narratoria.narrator.composer import compose_fallback
from narratoria.narrator.content import find_excess
from narratoria.narrator.gate import ContinuityLedger as Ledger
from narratoria.narrator.gate import find_problems
from narratoria.narrator.story_knowledge import NO_KNOWLEDGE, StoryKnowledge
from narratoria.planner.plan_scripts import CHOICES, step_id
from narratoria.planning.aggregate import Aggregate
from narratoria.planning.replan import Fallback, PlanOutcome

MAX_PARAGRAPHS = 3
NOT_TOLD = "The storyteller's text contradicted the story and was not used."
_log = logging.getLogger(__name__)
MAX_CHOICES = 6  # the most that are shown
# where a skill offers no two: so many from what the engine knows, and generic ones only up to so many
STAND_INS, USUAL_CHOICES = 4, 3
GENERIC_KINDS = tuple(choice.kind for choice in GENERIC_CHOICES)
_REASONS: Mapping[Kind, str] = {  # what is true of a choice of each kind wherever it is offered
    "begin": "the story begins at {place}",
    "beat": "the story offers it at {place}",
    "go": "a way leads there from {place}",
    "talk": "there is somebody to talk to at {place}",
    "look": "you are at {place}",
    "wait": "you are at {place}, and may stay",
    "continue": "the story goes on from {place}",
    "free": "a skill thought of it for {place}",
    "look-back": "the story is over; it ended at {place}",
    "branch": "the story is over; it ended at {place}",
    "again": "the story is over; it ended at {place}",
    "leave": "the story is over; it ended at {place}",
}


@dataclass(frozen=True, slots=True)
class _Narration:
    paragraphs: tuple[str, ...]
    source: Source
    notices: tuple[str, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()  # of each paragraph: who wrote it, and what is said about that

    @property
    def is_by_model(self) -> bool:
        return any(by == "model" for by, _ in self.sources)


def render(
    number: int,
    action: ResolvedAction,
    outcome: PlanOutcome | Fallback,
    aggregate: Aggregate,
    facts: SceneFacts,
    *,
    skill_results: Sequence[SkillResult] = (),
    knowledge: Callable[[], StoryKnowledge] = lambda: NO_KNOWLEDGE,
) -> Scene:
    payloads = {
        event.event: event.payload
        for tool, event in aggregate.ui_events
        if event.event != "narrative_choice" or tool == step_id(CHOICES)
    }
    roll = _roll(payloads.get("dice_roll", {}), facts)
    skill_text = " ".join(one.text for one in skill_results if one.text)
    narration = payloads.get("narration", {})
    prose = _prose(outcome, narration, facts, roll, skill_text, knowledge=knowledge)
    offers = offered_choices(skill_results, number)
    told_on = told_choices(narration, facts, roll.outcome if roll else "") if prose.is_by_model else ()
    after = ("look-back", "branch", "leave")
    closing = ENDED_CHOICES if facts.ending else LOOKED_BACK_CHOICES if action.choice.kind in after else ()
    beat = action.beats[-1] if action.beats else None
    return Scene(
        number=number,
        action=action.choice.text,
        place=action.place.id,
        paragraphs=prose.paragraphs,
        choices=tuple(
            _add_reason(choice, action.place)
            for choice in closing
            or _choices(payloads.get("narrative_choice", {}), facts, roll, offers, told_on)
        ),
        roll=roll,
        beats=tuple(beat.id for beat in action.beats),
        source=prose.source,
        type=facts.scene_type,
        mood=next((beat.mood for beat in reversed(action.beats) if beat.mood), ""),
        music=next((beat.music for beat in reversed(action.beats) if beat.music), action.place.music),
        background=(beat.background if beat and beat.background else action.place.art),
        people=tuple(person.id for person in facts.people),
        portraits=dict(_portraits(aggregate)),
        assets=aggregate.assets,
        passages=tuple(
            _passage(text, facts, source)
            for text, source in zip_longest(prose.paragraphs, prose.sources, fillvalue=("", ""))
            if isinstance(text, str)
        ),
        ending=facts.ending.id if facts.ending else "",
        game_time=float(facts.game_time),
        notices=prose.notices,
        limit_note=action.limit_note,
        fact=read_fact(narration, facts) if prose.is_by_model else "",
    )


def _portraits(aggregate: Aggregate) -> Iterator[tuple[str, str]]:
    """Yield the person and the asset of each portrait that a skill has made."""
    for asset in aggregate.assets:
        person = asset.metadata.get("characterId")
        if asset.media_type.startswith("image/") and isinstance(person, str) and person:
            yield person, asset.asset_id


def _prose(
    outcome: PlanOutcome | Fallback,
    narration: Mapping[str, Any],
    facts: SceneFacts,
    roll: Roll | None,
    skill_text: str = "",
    *,
    knowledge: Callable[[], StoryKnowledge],
) -> _Narration:
    plain = compose_fallback(facts, roll.outcome if roll else "")
    notices: tuple[str, ...] = ()
    if paragraphs := _paragraphs(narration.get("text")):
        sources = _sources(narration.get("passages"), len(paragraphs))
        if skill_text and not any(by == "model" for by, _ in sources):
            return _Narration(plain, "storyteller")  # the draft around what a skill has said
        if skill_text and not has_words_of("\n\n".join(paragraphs), skill_text):
            paragraphs = (*paragraphs[: MAX_PARAGRAPHS - 1], skill_text)
            sources = (*sources[: MAX_PARAGRAPHS - 1], ("composer", "a skill says so"))
        errors = _find_errors(paragraphs, sources, plain, facts, roll=roll, knowledge=knowledge)
        if not errors:
            return _Narration(paragraphs, "storyteller", sources=sources)
        for reason in errors:  # for whoever writes the story; a player is not shown what was refused
            _log.warning("the storyteller's text is not told: %s", reason)
        notices = (NOT_TOLD,)
    if isinstance(outcome, Fallback):
        return _Narration((outcome.narration, *plain)[:MAX_PARAGRAPHS], "fallback", notices)
    narrative = _paragraphs(outcome.plan.narrative) if roll is None and not notices else ()
    return _Narration(narrative or plain, "narrator", notices)


def _sources(passages: Any, many: int) -> tuple[tuple[str, str], ...]:
    """Return who a storyteller says wrote each paragraph, or nothing unless it says so of all of them."""
    if not isinstance(passages, list) or len(passages) != many:
        return ()
    entries = [passage if isinstance(passage, dict) else {} for passage in passages]
    return tuple((str(one.get("source") or ""), str(one.get("because") or "")) for one in entries)


def _find_errors(
    paragraphs: Sequence[str],
    sources: Sequence[tuple[str, str]],
    plain: Sequence[str],
    facts: SceneFacts,
    *,
    roll: Roll | None,
    knowledge: Callable[[], StoryKnowledge],
) -> list[str]:
    """Return what contradicts the ledger; what the author or the composer wrote is not checked."""
    if tuple(paragraphs) == tuple(plain):
        return []
    known_texts = {*plain, *_author_texts(facts)}
    pairs = zip_longest(paragraphs, sources, fillvalue=("", ""))
    strange = [
        str(text)
        for text, source in pairs
        if text not in known_texts and source[0] not in ("author", "composer")
    ]
    if not strange:
        return []
    text = "\n\n".join(strange)
    excess = find_excess(text, limits_of(facts))
    roll_facts = {"roll": {"outcome": roll.outcome}} if roll else {}
    ledger = Ledger.of({**facts.to_json_values(), **roll_facts}, knowledge())
    return [
        *(str(finding) for finding in find_problems(text, ledger)),
        *([f"it goes beyond the content limit of {excess}"] if excess else ()),
    ]


def _author_texts(facts: SceneFacts) -> Iterator[str]:
    """Yield every text of the scene that the author wrote word for word."""
    yield from facts.action.premise
    for beat in (facts.beat, facts.due, *facts.also_due):
        if beat:
            yield beat.description
            yield from beat.outcomes.values()
    if facts.ending:
        yield from (*facts.ending.paragraphs, *facts.ending.epilogue)


def _passage(text: str, facts: SceneFacts, source: tuple[str, str]) -> Passage:
    """Return where a paragraph comes from: the author word for word, a model, or the composer."""
    by: Author = "model" if source[0] == "model" else "composer"
    if any(text == author_text for author_text in _author_texts(facts)):
        by = "author"
    memories = [memory for memory in facts.remembered if memory in text]
    beats = [beat for beat in (facts.beat, facts.due) if beat and beat.description in text]
    return Passage(
        by=by,
        model=source[1] if by == "model" else "",
        because=(
            *(Receipt("beat", beat.id, beat.title) for beat in beats),
            *(Receipt("state", memory, memory) for memory in memories),
        ),
    )


def _paragraphs(text: Any) -> tuple[str, ...]:
    if not isinstance(text, str):
        return ()
    return tuple(" ".join(block.split()) for block in text.split("\n\n") if block.strip())[:MAX_PARAGRAPHS]


def _roll(payload: Mapping[str, Any], facts: SceneFacts) -> Roll | None:
    """Return the roll, ended in one of the campaign's own bands, whatever the dice say it means."""
    roll = read_roll(payload)
    if roll is None:  # none, or not in a form that can be shown
        return None
    bands = tuple(Band(each.name, each.min) for each in facts.rules.bands)
    rules = Rules(bands=bands) if bands else Rules()
    names = {each.name for each in rules.bands}
    # whoever does not want to see single dice is shown none of them, and the total stands
    believable = not roll.rolls or roll.total == sum(roll.rolls) + roll.modifier
    outcome = roll.outcome if roll.outcome in names else band(roll.total, rules) if believable else UNDECIDED
    modifiers = {one.text: one.value for one in facts.action.modifiers}
    return msgspec.structs.replace(
        roll,
        outcome=outcome,
        modifiers=roll.modifiers or modifiers,
    )


def _choices(
    payload: Mapping[str, Any],
    facts: SceneFacts,
    roll: Roll | None,
    offers: Sequence[Choice] = (),
    by_model: Sequence[Choice] = (),
) -> tuple[Choice, ...]:
    """Return the different choices, with stand-ins where there are fewer than two, and what others offer.

    `offers` are those of skills, and `by_model` those of a model that told the scene.
    """
    choices: dict[str, Choice] = {}
    limits = limits_of(facts)
    for choice in _parse_choices(payload):
        is_open = choice.kind not in AFTER_THE_END and is_choice_within(choice.text, choice.act, limits)
        if len(choices) < MAX_CHOICES and is_open:
            choices.setdefault(choice.text.casefold(), choice)
    particular = {text: choice for text, choice in choices.items() if choice.kind not in GENERIC_KINDS}
    if (
        len(choices) < 2 or not particular
    ):  # what the engine knows to be open leads on, whatever a skill thought of
        stand_ins = tuple(
            choice
            for choice in list_stand_ins(facts, roll.outcome if roll else "")
            if is_choice_within(choice.text, choice.act, limits)
        )[: STAND_INS - len(particular)]
        if stand_ins:
            choices = {**{choice.text.casefold(): choice for choice in stand_ins}, **particular}
        for choice in GENERIC_CHOICES[1:] if stand_ins else GENERIC_CHOICES:
            if len(choices) < USUAL_CHOICES:
                choices.setdefault(choice.text.casefold(), choice)
    by_model = [one for one in by_model if is_choice_within(one.text, one.act, limits)]
    first = add_told_choices(by_model, list(choices.values()))[: MAX_CHOICES - len(offers)]
    beside = [one for one in offers if is_choice_within(one.text, one.act, limits)]
    return tuple({choice.text.casefold(): choice for choice in (*first, *beside)}.values())


def _parse_choices(payload: Mapping[str, Any]) -> Iterator[Choice]:
    texts, details = payload.get("choices"), payload.get("details")
    details = details if isinstance(details, list) else []
    for index, text in enumerate(texts if isinstance(texts, list) else ()):
        if isinstance(text, str) and text.strip():
            yield _choice(" ".join(text.split()), details[index] if index < len(details) else None)


def _choice(text: str, detail: Any) -> Choice:
    if isinstance(detail, dict) and isinstance(detail.get("because"), list):
        detail = {**detail, "because": [_receipt(reason) for reason in detail["because"]]}
    try:
        return msgspec.structs.replace(msgspec.convert(detail, Choice), text=text)
    except msgspec.ValidationError:  # told by its words alone
        return Choice(text=text)


def _add_reason(choice: Choice, place: Place) -> Choice:
    """Return the choice, with where the player is for a reason where nobody gave one."""
    if any(receipt.id for receipt in choice.because):
        return choice
    text = _REASONS[choice.kind].format(place=place.in_a_sentence)
    return msgspec.structs.replace(choice, because=(Receipt("place", place.id, text),))


def _receipt(reason: Any) -> Any:
    """Return a reason as a receipt where it is the name of a beat."""
    return Receipt("beat", reason) if isinstance(reason, str) else reason
