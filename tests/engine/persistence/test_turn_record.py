"""What the log holds of a turn: its keys stay those of version 0.1, and a trace survives packing."""

from __future__ import annotations

import base64
import zlib

import msgspec
import pytest

from narratoria.engine.memory.recall import NOTHING, Memory, RecallResult
from narratoria.engine.persistence.turn_record import (
    MemoryRecord,
    TurnInput,
    TurnOutput,
    TurnRecord,
    TurnTrace,
    expand,
    snapshot_after,
)
from narratoria.engine.scene import BEGIN, Choice, Scene
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.planning.replan import Fallback
from narratoria.skills.health import SessionHealth

FALLBACK = Fallback("Nothing stirs.", SessionHealth(), ())
SCENE = Scene(number=1, action="Begin", place="mill", paragraphs=("A mill.",), choices=(Choice(text="Wait"),))


def pack(document: bytes) -> str:
    return base64.b85encode(zlib.compress(document)).decode()


def test_a_trace_survives_packing_with_what_was_recalled() -> None:
    recall_result = RecallResult(
        memories=(Memory("m1", "You paid.", 0.5),),
        by_witness={"ada": (Memory("m2", "You sang.", 0.4),)},
        borne_out=frozenset({"you once sang"}),
    )
    trace = TurnTrace.of(FALLBACK, recall_result)

    assert TurnTrace.unpack(trace.pack()) == trace
    assert trace.outcome == FALLBACK


def test_a_trace_has_the_keys_of_0_1_and_none_for_a_turn_that_recalled_nothing() -> None:
    witnessed = RecallResult(by_witness={"ada": ()})

    assert set(msgspec.to_builtins(TurnTrace.of(FALLBACK, RecallResult()))) == {"fallback"}
    assert msgspec.to_builtins(TurnTrace.of(FALLBACK, witnessed))["recalled"] == {"witnessed": {"ada": ()}}
    read = TurnTrace.read(msgspec.json.encode({"fallback": FALLBACK, "recalled": {"notes": ["late"]}}))
    assert read.recall_result == RecallResult(notes=("late",))
    assert TurnTrace.read(msgspec.json.encode({"fallback": FALLBACK})).recall_result == NOTHING


@pytest.mark.parametrize(
    "text",
    [
        "no base 85 \u2603",
        base64.b85encode(b"not compressed").decode(),
        pack(b"not JSON"),
        pack(b"{}"),
        pack(b'{"fallback": 3}'),
    ],
)
def test_a_text_that_holds_no_trace_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        TurnTrace.unpack(text)


def test_a_trace_is_not_expanded_beyond_its_limit() -> None:
    assert expand(pack(b"x" * 1000), most=10) == b"x" * 10


def test_a_turn_and_its_progress_keep_the_keys_of_0_1() -> None:
    progress = Progress(beat_outcomes={"gate": "success"}, saying_counts={"ada": 1}, ending="home")
    record = TurnRecord(
        number=1,
        input=TurnInput(choice=BEGIN),
        output=TurnOutput(scene=SCENE, progress=progress),
        state={},
        begun_at="a",
        finished_at="b",
    )
    document = msgspec.to_builtins(record)

    assert set(document) == {"number", "chosen", "ended", "state", "begunAt", "finishedAt"}
    assert set(document["ended"]["progress"]) == {
        *(
            "scene",
            "begun",
            "place",
            "visits",
            "told",
            "met",
            "heard",
            "seen",
            "told_in",
            "waiting",
            "called",
        ),
        *(
            "skipped",
            "moved",
            "dead",
            "closed",
            "ended",
            "game_time",
            "company",
            "units",
            "evidence",
            "last_person",
        ),
        *("last_thing", "used", "history"),
        *(
            "witnesses",
            "spoken",
            "player_acts",
            "findings",
            "notes",
            "pinned",
            "struck",
            "bookmarks",
            "ink",
        ),  # of later versions, empty where a story is older
    }
    assert msgspec.convert(document, TurnRecord) == record


def test_a_memory_that_waits_is_a_list_in_json() -> None:
    record = MemoryRecord("memory", {"summary": "You sang."}, "scene-1")

    assert msgspec.json.encode(record) == b'["memory",{"summary":"You sang."},"scene-1"]'
    assert msgspec.json.decode(msgspec.json.encode(record), type=MemoryRecord) == record


def test_the_snapshot_after_a_turn_has_its_scene_its_progress_and_its_state() -> None:
    before = StorySnapshot(id="s", campaign="t", seed=1)
    record = TurnRecord(
        number=1,
        input=TurnInput(choice=BEGIN),
        output=TurnOutput(scene=SCENE, progress=Progress(scene=1)),
        state={"weather": "snow"},
        begun_at="",
        finished_at="",
    )
    after = snapshot_after(before, record)

    assert (after.scenes, after.progress.scene, after.state.to_dict()) == ((SCENE,), 1, {"weather": "snow"})
    assert before.scenes == ()
