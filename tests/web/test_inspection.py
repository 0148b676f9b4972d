"""A turn is looked into with its own events."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from narratoria.engine import events
from narratoria.engine.persistence.event_log import EventLog
from narratoria.engine.scene import Choice, Scene
from narratoria.web import inspection


def test_the_status_of_the_model_belongs_to_no_turn() -> None:
    log = EventLog()
    choice = Choice(text="Wait", kind="wait")
    scene = Scene(number=1, action="Wait", place="mill", paragraphs=("It rains.",), choices=(choice,))
    status = events.ModelStatus(model="smollm2-135m", tier="scores", state="ready")
    for event in (events.TurnStarted(choice=choice), status, events.SceneReady(scene=scene), status):
        log.append(event, turn=1)
    session: Any = SimpleNamespace(log=log)
    kinds = [type(event) for event in inspection._events_of(session, 1)]
    assert kinds == [events.TurnStarted, events.SceneReady]
