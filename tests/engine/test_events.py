"""The events of a story as documents: each has its own type, and is read back as it was written."""

from __future__ import annotations

import msgspec
import pytest

from narratoria.engine import events
from narratoria.engine.events import StoryEvent
from narratoria.engine.scene import Choice

EVENTS: list[StoryEvent] = [
    events.TurnStarted(choice=Choice(text="Wait", kind="wait")),
    events.NarrationDelta(text="A bell rings."),
    events.NarrationDiscarded(reason="told anew"),
    events.DiceRolled(formula="2d6", total=7),
    events.StateChanged(patch={"weather": None}),
    events.Notice(kind="store", message="The disk is full."),
    events.ReplanExhausted(attempts=2, errors=("a", "b")),
    events.TurnCancelled(),
    events.TurnUndone(scene=None),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_read_back_as_it_was_written(event: StoryEvent) -> None:
    document = msgspec.json.encode(event)

    assert msgspec.json.decode(document, type=StoryEvent) == event


def test_every_kind_of_event_has_a_type_of_its_own() -> None:
    types = [msgspec.to_builtins(event)["type"] for event in EVENTS]

    assert len(set(types)) == len(types)


def test_an_event_of_an_unknown_type_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"type": "nobody-knows"}', type=StoryEvent)
