"""A replay from the log: what differs is named with its turn and its place, and hides nothing after it."""

from __future__ import annotations

import msgspec
import pytest
from tests.engine.small_story import WAIT, story

from narratoria.engine.memory.recall import NOTHING
from narratoria.engine.persistence.replay import replay
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput, TurnRecord, TurnTrace
from narratoria.engine.scene import BEGIN, Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.turn import replay_turn
from narratoria.planning.replan import Fallback
from narratoria.skills.health import SessionHealth

TALE = story()
BEGINNING = StorySnapshot(id="s", campaign="t", seed=1)
TRACE = TurnTrace.of(Fallback("Nothing stirs.", SessionHealth(), ()), NOTHING)


def log_of(*choices: Choice) -> list[TurnRecord]:
    """Return the log of a story in which no plan ever succeeded."""
    snapshot, turns = BEGINNING, []
    for number, choice in enumerate(choices, start=1):
        snapshot = replay_turn(snapshot, choice, TALE, TRACE)
        assert snapshot.scene is not None
        output = TurnOutput(scene=snapshot.scene, progress=snapshot.progress, trace=TRACE.pack())
        turns.append(
            TurnRecord(
                number=number,
                input=TurnInput(choice=choice),
                output=output,
                state=snapshot.state.to_dict(),
                begun_at="",
                finished_at="",
            )
        )
    return turns


LOG = log_of(BEGIN, WAIT, WAIT)


def with_output(turn: TurnRecord, output: TurnOutput) -> TurnRecord:
    return msgspec.structs.replace(turn, output=output)


def test_an_untouched_log_replays_exactly() -> None:
    report = replay(BEGINNING, LOG, TALE)

    assert (report.turns, report.same, report.differences, report.exact) == (3, 3, (), True)


def test_a_forged_scene_is_found_where_it_differs_and_nowhere_else() -> None:
    output = LOG[1].output
    scene = msgspec.structs.replace(output.scene, paragraphs=("Forged.", *output.scene.paragraphs[1:]))
    forged = with_output(LOG[1], msgspec.structs.replace(output, scene=scene))
    report = replay(BEGINNING, [LOG[0], forged, LOG[2]], TALE)

    (difference,) = report.differences
    assert (difference.turn, difference.part, difference.pointer) == (2, "scene", "/paragraphs/0")
    assert difference.was == '"Forged."'
    assert str(difference).startswith("turn 2, scene /paragraphs/0: was")
    assert (report.same, report.exact) == (2, False)


@pytest.mark.parametrize("trace", ["", "not a trace"])
def test_a_turn_without_a_readable_trace_is_a_difference_and_the_next_is_replayed(trace: str) -> None:
    unreadable = with_output(LOG[1], msgspec.structs.replace(LOG[1].output, trace=trace))
    report = replay(BEGINNING, [LOG[0], unreadable, LOG[2]], TALE)

    assert [(one.turn, one.part) for one in report.differences] == [(2, "trace")]


def test_a_state_that_was_changed_is_found_by_its_key() -> None:
    changed = msgspec.structs.replace(LOG[2], state={**LOG[2].state, "weather": "snow"})
    (difference,) = replay(BEGINNING, [*LOG[:2], changed], TALE).differences

    assert (difference.part, difference.pointer, difference.now) == ("state", "/weather", "null")
