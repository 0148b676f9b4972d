"""From what the tools said to the scene the player sees: never blank, always with something to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from narratoria.engine.deed import Deed
from narratoria.engine.rules import OUTCOMES, UNDECIDED
from narratoria.engine.scene import GENERIC_CHOICES, Choice, Receipt, Roll, Scene, Source
from narratoria.narrator.fallback import tell
from narratoria.planning.aggregate import Aggregate, aggregate
from narratoria.planning.replan import Carried, Fallback
from narratoria.state import SessionState

MAX_PARAGRAPHS = 3
MIN_CHOICES, MAX_CHOICES = 3, 4


def render(
    number: int, deed: Deed, carried: Carried | Fallback, told: Aggregate, facts: Mapping[str, Any]
) -> Scene:
    payloads = {event.event: event.payload for _, event in told.ui_events}
    roll = _roll(payloads.get("dice_roll", {}))
    paragraphs, source = _prose(carried, payloads.get("narration", {}), facts, roll)
    return Scene(
        number=number,
        action=deed.choice.text,
        place=deed.place.id,
        paragraphs=paragraphs,
        choices=_choices(payloads.get("narrative_choice", {})),
        roll=roll,
        beats=tuple(beat.id for beat in deed.told),
        source=source,
    )


def said(carried: Carried | Fallback, state: SessionState) -> Aggregate:
    """What the tools said that count: those of the plan that came to its end, or of the last one that ran."""
    result = carried.result if isinstance(carried, Carried) else carried.partial
    return aggregate(result.tool_results, state) if result else Aggregate(state)


def _prose(
    carried: Carried | Fallback, narration: Mapping[str, Any], facts: Mapping[str, Any], roll: Roll | None
) -> tuple[tuple[str, ...], Source]:
    if paragraphs := _paragraphs(narration.get("text")):
        return paragraphs, "storyteller"
    plain = tell(facts, roll.outcome if roll else "")
    if isinstance(carried, Fallback):
        return (carried.narration, *plain)[:MAX_PARAGRAPHS], "fallback"
    planned = _paragraphs(carried.plan.narrative) if roll is None else ()  # written before the dice fell
    return planned or plain, "narrator"


def _paragraphs(text: Any) -> tuple[str, ...]:
    if not isinstance(text, str):
        return ()
    return tuple(" ".join(block.split()) for block in text.split("\n\n") if block.strip())[:MAX_PARAGRAPHS]


def _roll(payload: Mapping[str, Any]) -> Roll | None:
    try:
        roll = msgspec.convert(payload, Roll)
    except msgspec.ValidationError:  # none, or not in a form that can be shown
        return None
    return roll if roll.outcome in OUTCOMES else msgspec.structs.replace(roll, outcome=UNDECIDED)


def _choices(payload: Mapping[str, Any]) -> tuple[Choice, ...]:
    """Three or four that differ, the generic ones where there are too few."""
    choices: dict[str, Choice] = {}
    for choice in (*_offered(payload), *GENERIC_CHOICES):
        wanted = MAX_CHOICES if choice not in GENERIC_CHOICES else MIN_CHOICES
        if len(choices) < wanted:
            choices.setdefault(choice.text.casefold(), choice)
    return tuple(choices.values())


def _offered(payload: Mapping[str, Any]) -> Iterator[Choice]:
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


def _receipt(reason: Any) -> Any:
    """A name alone is a beat's."""
    return Receipt("beat", reason) if isinstance(reason, str) else reason
