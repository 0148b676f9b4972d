"""The memory of a scene: who was there, how it went, what people think after it, and none twice."""

from __future__ import annotations

from typing import Any

from tests.engine.small_story import beat, begin, story

from narratoria.campaign.campaign import BeatOutcome, Conditions, Effects, Window
from narratoria.engine.action import ResolvedAction, choose
from narratoria.engine.memory.save import make_saver, reset_records, save_scene, scene_records
from narratoria.engine.persistence.turn_record import MemoryRecord
from narratoria.engine.scene import Choice, Roll, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.errors import RecordExists, StoreUnavailable
from narratoria.state import SessionState

GATE = beat(
    "gate",
    Conditions(player_choice="Lift the gate"),
    outcomes=(
        BeatOutcome("success", "yes", effects=Effects(perception={"ada": 10}, reputation={"guild": -5})),
        BeatOutcome("failure", "no"),
    ),
    tags=("river",),
)
TALE = story(GATE)
LIFT = Choice(text="Lift the gate", kind="beat", beat="gate")


def scene_of(action: ResolvedAction, outcome: str = "") -> Scene:
    return Scene(
        number=2,
        action=action.choice.text,
        place=action.place.id,
        paragraphs=("Ada looks on.",),
        choices=(),
        roll=Roll("2d6", 9, outcome) if outcome else None,
    )


def records(choice: Choice, outcome: str = "") -> list[MemoryRecord]:
    session = begin(TALE)
    action = choose(choice, session, TALE)
    return scene_records(scene_of(action, outcome), action, session, TALE)


def test_a_triumph_is_saved_with_its_witnesses_and_what_people_think_of_it() -> None:
    memory, perception, reputation = records(LIFT, "success")

    assert (memory.data_type, memory.identifier) == ("memory", "scene-2")
    assert memory.body["witnesses"] == ["player", "ada"]
    assert memory.body["characterIds"] == ["player", "ada"]
    assert (memory.body["episodic"], memory.body["outcome"]) == (True, "triumph")
    assert memory.body["semanticTags"] == ["river"]
    assert perception.body == {"npcId": "ada", "change": 10, "reason": "Lift the gate"}
    assert reputation.body == {"factionId": "guild", "change": -5, "reason": "Lift the gate"}
    assert len({record.identifier for record in (memory, perception, reputation)}) == 3


def test_a_failure_changes_no_opinion_that_hangs_on_success() -> None:
    (memory,) = records(LIFT, "failure")

    assert memory.body["outcome"] == "failure"


def test_who_begins_again_is_thought_of_as_at_first() -> None:
    state = SessionState({"perception": {"ada": 12, "bo": 0.2}, "reputation": {"guild": -7}})
    before = StorySnapshot(id="s", campaign="t", seed=1, state=state)
    action = choose(Choice(text="Begin again", kind="again"), before, TALE)

    changes = [
        (record.data_type, record.body["change"]) for record in reset_records(scene_of(action), before)
    ]
    assert changes == [("perception", -12), ("reputation", 7)]


class Stored:
    """A scope that takes records, or raises what it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.records: list[Any] = []

    async def store_all(self, items: list[Any]) -> None:
        if self.error:
            raise self.error
        self.records += items


async def test_a_scene_that_is_saved_already_is_not_saved_again_and_a_beginning_has_no_memory() -> None:
    session = begin(TALE)
    action = choose(LIFT, session, TALE)
    beginning = choose(Choice(text="Begin", kind="begin"), session, TALE)
    scope: Any = Stored()
    taken: Any = Stored(RecordExists("it is there"))

    await save_scene(scene_of(beginning), beginning, session, TALE, scope)
    assert scope.records == []
    await save_scene(scene_of(action, "success"), action, session, TALE, taken)
    await save_scene(scene_of(action, "success"), action, session, TALE, scope)
    assert [record.data_type for record in scope.records] == ["memory", "perception", "reputation"]


async def test_what_the_store_does_not_take_waits_for_it() -> None:
    session = begin(TALE)
    action = choose(LIFT, session, TALE)
    pending: list[MemoryRecord] = []

    async def away() -> Any:
        raise StoreUnavailable("it is away")

    await make_saver(away, TALE, pending)(scene_of(action, "success"), action, session)
    assert [record.identifier for record in pending] == ["scene-2", "scene-2-1-ada", "scene-2-1-guild"]


def test_what_comes_by_itself_elsewhere_is_remembered_of_the_place_it_led_to() -> None:
    flood = beat("flood", Conditions(scene_count=Window(min=2)), effects=Effects(move_to="inn"))
    tale = story(flood)
    session = begin(tale)
    action = choose(Choice(text="Wait", kind="wait"), session, tale)
    memory, *_ = scene_records(scene_of(action), action, session, tale)
    assert [one.id for one in action.due_beats] == ["flood"]
    assert memory.body["location"] == "inn"
    lift = choose(LIFT, begin(TALE), TALE)
    assert scene_records(scene_of(lift), lift, begin(TALE), TALE)[0].body["location"] == "mill"
