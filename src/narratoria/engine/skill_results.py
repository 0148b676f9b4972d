"""Makes what skills say part of the answer: it is told, kept, has effects, and offers choices.

A skill that came with Narratoria has its own place in a turn. This is for all others: whatever they say in
`done` and in their patches of the state becomes an answer, with the skill as its source.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.action import ResolvedAction
from narratoria.engine.content_limits import limits_of
from narratoria.engine.scene import Choice, Receipt
from narratoria.engine.snapshot import SkillFinding
from narratoria.narrator.answer import join_answers
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.content import find_excess
from narratoria.narrator.effect_types import Effect, parse_effect
from narratoria.narrator.gate import ContinuityLedger, find_problems
from narratoria.narrator.skill_prose import CONTAINERS, as_prose, as_words, tell_result
from narratoria.narrator.story_knowledge import NO_KNOWLEDGE, StoryKnowledge
from narratoria.planner.plan_scripts import FAMILIAR
from narratoria.planning.result import ToolResult
from narratoria.protocol.events import DoneEvent, StatePatchEvent, UiEvent

SOURCE = "skill:"  # begins the source of an answer that a skill gave
MOST_CHOICES = 2  # of one scene that skills offer beside the others
MOST_EFFECTS = 8  # of one skill in one scene
# a skill may tell of anything, in its own way, and be short
NOT_ASKED_OF_SKILLS = ("unrelated", "outcome", "loop")
_UNANSWERED = ("unit:", "journal", "offers")  # sources of answers that a skill's own answer replaces
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SkillResult:
    """What one skill has said in a turn, as far as a story can use it."""

    label: str  # skill/script
    text: str = ""
    fact: str = ""
    about: str = ""
    effects: tuple[Effect, ...] = ()
    choices: tuple[Choice, ...] = ()
    problems: tuple[str, ...] = ()  # what could not be used, for whoever wrote the skill

    def as_answer(self) -> Answer:
        return Answer(text=self.text, fact=self.fact, source=f"{SOURCE}{self.label}", effects=self.effects)


def read_skill_results(
    results: Iterable[ToolResult],
    facts: SceneFacts,
    knowledge: Callable[[], StoryKnowledge] = lambda: NO_KNOWLEDGE,
) -> tuple[SkillResult, ...]:
    """Return what the skills that the engine does not know have said, without what contradicts the scene."""
    strangers = [result for result in results if result.ok and result.skill and result.skill not in FAMILIAR]
    if not strangers:
        return ()
    read_results = [_check_result(_read_result(result), facts, knowledge()) for result in strangers]
    for one in read_results:
        for problem in one.problems:
            _log.warning("%s: %s", one.label, problem)
    return tuple(read_results)


def _read_result(result: ToolResult) -> SkillResult:
    output = result.output or {}
    patches = [event.patch for event in result.events if isinstance(event, StatePatchEvent)]
    summary = next((event.summary for event in result.events if isinstance(event, DoneEvent)), "")
    label = f"{result.skill}/{result.tool_path.rpartition(f'{result.skill}/')[2]}"
    text = tell_result(output, patches, summary)
    effects, problems = _read_effects(output.get("effects"))
    offers = [output.get("choices"), *(_offered_by_event(event) for event in result.events)]
    return SkillResult(
        label=label,
        text=text,
        fact=as_prose(output.get("fact")) or text.replace("\n\n", " "),
        about=_subject_of(output, patches),
        effects=effects,
        choices=tuple(choice for offer in offers for choice in _read_choices(offer, label)),
        problems=tuple(problems),
    )


def _subject_of(output: Mapping[str, Any], patches: Sequence[Mapping[str, Any]]) -> str:
    """Return what a result is about: as it says, or the one thing whose state it changed."""
    about = output.get("about")
    if isinstance(about, str):
        return about.strip()
    keys = {key for patch in patches for key, value in patch.items() if isinstance(value, Mapping)}
    return as_words(keys.pop()) if len(keys) == 1 and not keys & CONTAINERS else ""


def _offered_by_event(event: object) -> Any:
    is_offer = isinstance(event, UiEvent) and event.event == "narrative_choice"
    return event.payload.get("choices") if is_offer and isinstance(event, UiEvent) else None


def _read_choices(offer: Any, label: str) -> Iterator[Choice]:
    """Yield choices that are given as texts, or as objects with a text."""
    for one in offer if isinstance(offer, list) else ():
        text = one.get("text") if isinstance(one, Mapping) else one
        if isinstance(text, str) and text.strip():
            hint = one.get("hint") if isinstance(one, Mapping) else ""
            yield Choice(
                text=" ".join(text.split())[:120], hint=hint if isinstance(hint, str) else "", skill=label
            )


def _read_effects(document: Any) -> tuple[tuple[Effect, ...], list[str]]:
    """Return the effects of the closed list, and why others cannot be carried out."""
    effects, problems = [], []
    for one in document[:MOST_EFFECTS] if isinstance(document, list) else ():
        try:
            effects.append(parse_effect(one if isinstance(one, Mapping) else {}))
        except ValueError as error:
            problems.append(f"an effect is left out: {error}")
    if document is not None and not isinstance(document, list):
        problems.append('effects are a list, such as [{"takes": "the lamp"}]')
    return tuple(effects), problems


def _check_result(result: SkillResult, facts: SceneFacts, knowledge: StoryKnowledge) -> SkillResult:
    """Return the result without a text that contradicts the scene or goes beyond the content limits."""
    excess = find_excess(f"{result.text} {result.fact}", limits_of(facts)) if result.text else None
    ledger = ContinuityLedger.of(facts.to_json_values(), knowledge)
    objections = [
        str(one) for one in find_problems(result.text, ledger) if one.kind not in NOT_ASKED_OF_SKILLS
    ]
    if excess:
        objections.append(f"it goes beyond the content limit of {excess}")
    if not objections:
        return result
    refused = tuple(f"its text is not told: {objection}" for objection in objections)
    return replace(result, text="", fact="", effects=(), problems=(*result.problems, *refused))


def add_skill_answers(
    action: ResolvedAction, results: Sequence[SkillResult], *, is_rolled: bool
) -> ResolvedAction:
    """Return the action as the skills answer it.

    What a skill says stands for a unit of the repertoire, and beside everything the author wrote; where dice
    decided, it stands beside the outcome.
    """
    answers = [one.as_answer() for one in results if one.text]
    if not answers or action.choice.kind == "begin":
        return action
    if not action.answers:
        return replace(action, answers={"": join_answers(answers)})
    return replace(
        action,
        answers={
            outcome: join_answers(
                answers if _is_replaceable(answer) and not is_rolled else _join_new(answer, answers)
            )
            for outcome, answer in action.answers.items()
        },
    )


def _join_new(answer: Answer, answers: Sequence[Answer]) -> list[Answer]:
    """Return an answer and those of skills behind it; what it says already is not said twice."""
    return [answer, *(one for one in answers if one.text not in answer.text)]


def _is_replaceable(answer: Answer) -> bool:
    parts = answer.parts or (answer,)
    return all(part.source.startswith(_UNANSWERED) and not part.evidence for part in parts) and not (
        answer.limit_note or answer.is_attempt
    )


def offered_choices(results: Sequence[SkillResult], scene: int) -> tuple[Choice, ...]:
    """Return what skills offer to do next, each with what the skill found as its reason."""
    return tuple(
        msgspec.structs.replace(choice, because=(Receipt("memory", record_id(scene, one.label), one.fact),))
        if one.fact
        else choice
        for one in results
        for choice in one.choices
    )[:MOST_CHOICES]


def record_id(scene: int, label: str) -> str:
    """Return the id under which the store keeps what a skill said in a scene."""
    return f"scene-{scene}-skill-{label}"


def skill_answers(answer: Answer | None) -> list[Answer]:
    """Return the parts of an answer that skills gave."""
    parts = (answer.parts or (answer,)) if answer else ()
    return [part for part in parts if part.source.startswith(SOURCE)]


def list_findings(results: Sequence[SkillResult], scene: int, place: str) -> list[SkillFinding]:
    """Return what the story keeps of what skills said."""
    return [
        SkillFinding(scene=scene, source=one.label, text=one.fact, about=one.about, place=place)
        for one in results
        if one.fact
    ]
