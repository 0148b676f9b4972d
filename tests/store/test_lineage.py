"""Whatever is told, changed, branched and deleted: every playthrough sees what a simple model says it sees.

The model keeps no versions and no lineage: a branch is a copy of what its parent did up to the turn.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import event
from tests.store.telling import WordCounts

from narratoria.errors import RecordExists
from narratoria.store import Scope, Store, lineage
from narratoria.store.ledger import UNIT, decay

NAMES = ["bridge", "inn", "well", "mill"]
PEOPLE = ["ada", "bea"]
PLACES = ["north", "south"]


@dataclass
class Line:
    """A story as the model knows it: deeds in order, each with its turn."""

    turn: int = 0  # the last finished one
    fork: int = 0
    open: bool = False
    deeds: list[tuple[int, str, str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)  # after each turn

    @property
    def now(self) -> int:
        return self.turn + 1 if self.open else self.turn

    @property
    def time(self) -> float:
        return self.times[-1] if self.times else 0.0

    def add(self, kind: str, name: str, value: Any = None) -> None:
        self.deeds.append((self.now, kind, name, value))

    def memories(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for _, kind, name, value in self.deeds:
            match kind:
                case "store" | "update":
                    found[name] = value
                case "delete":
                    found.pop(name, None)
        return found

    def opinions(self) -> dict[str, float]:
        held: dict[str, tuple[float, float]] = {}
        for _, kind, name, value in self.deeds:
            if kind == "change":
                change, at = value
                score, since = held.get(name, (0.0, at))
                held[name] = (max(-100, min(100, decay(score, at - since) + change)), max(at, since))
            elif kind == "forget":
                held.pop(name, None)
        return {name: decay(score, self.time - since) for name, (score, since) in held.items()}

    def copied(self, turn: int) -> Line:
        deeds = [deed for deed in self.deeds if deed[0] <= turn]
        return Line(turn=turn, fork=turn, deeds=copy.deepcopy(deeds), times=self.times[:turn])


class Stories(RuleBasedStateMachine):
    places: Callable[[], AbstractContextManager[str | Path]]

    def __init__(self) -> None:
        super().__init__()
        self.rest = ExitStack()
        self.place = self.rest.enter_context(type(self).places())
        self.runner = asyncio.Runner()
        self.store = self.run(Store.open(self.place, WordCounts()))
        self.lines: dict[str, Line] = {}
        self.looked = 0
        self.begin_story()

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def pick(self, number: int) -> tuple[str, Line]:
        return list(self.lines.items())[number % len(self.lines)]

    @rule()
    def begin_story(self) -> None:
        if len(self.lines) < 6:
            self.lines[self.run(self.store.playthroughs.create("mill")).id] = Line()

    @rule(which=st.integers(0, 20), weeks=st.sampled_from([0, 0.5, 3]))
    def finish_turn(self, which: int, weeks: float) -> None:
        name, line = self.pick(which)
        begun = self.run(self.store.turns.unfinished(name))
        assert (begun is not None) == line.open
        if begun is None:
            begun = self.run(self.store.turns.begin(name, {"text": "on"}))
        line.times.append(line.time + weeks * UNIT)
        line.turn, line.open = line.turn + 1, False
        self.run(self.store.turns.finish(begun, {"n": line.turn}, {}, game_time=line.time))

    @rule(which=st.integers(0, 20))
    def begin_turn(self, which: int) -> None:
        """Begun anew, a turn loses what it had."""
        name, line = self.pick(which)
        begun = self.run(self.store.turns.begin(name, {"text": "on"}))
        assert begun.number == line.turn + 1
        line.deeds = [deed for deed in line.deeds if deed[0] != begun.number]
        line.open = True

    @rule(which=st.integers(0, 20), name=st.sampled_from(NAMES), place=st.sampled_from(PLACES))
    def store_memory(self, which: int, name: str, place: str) -> None:
        story, line = self.pick(which)
        record = {"summary": f"{name} at {place}", "location": place}
        work = self.store.at(story).store("memory", record, name)
        if name in line.memories():
            with pytest.raises(RecordExists):
                self.run(work)
        else:
            self.run(work)
            line.add("store", name, (record["summary"], place))

    @rule(which=st.integers(0, 20), number=st.integers(0, 9), place=st.sampled_from(PLACES))
    def update_memory(self, which: int, number: int, place: str) -> None:
        story, line = self.pick(which)
        if known := line.memories():
            name, (summary, _) = list(known.items())[number % len(known)]
            summary += "!"
            self.run(self.store.at(story).update("memory", name, {"summary": summary, "location": place}))
            line.add("update", name, (summary, place))

    @rule(which=st.integers(0, 20), name=st.sampled_from(NAMES))
    def delete_memory(self, which: int, name: str) -> None:
        story, line = self.pick(which)
        assert self.run(self.store.at(story).delete("memory", name)) == (name in line.memories())
        line.add("delete", name)

    @rule(which=st.integers(0, 20), who=st.sampled_from(PEOPLE), change=st.integers(-80, 80))
    def change_opinion(self, which: int, who: str, change: int) -> None:
        story, line = self.pick(which)
        self.run(self.store.at(story).store("perception", {"npcId": who, "change": change}))
        line.add("change", who, (change, line.time))

    @rule(which=st.integers(0, 20), who=st.sampled_from(PEOPLE))
    def forget_opinion(self, which: int, who: str) -> None:
        story, line = self.pick(which)
        assert self.run(self.store.at(story).delete("perception", who)) == (who in line.opinions())
        line.add("forget", who)

    @rule(which=st.integers(0, 20), turn=st.integers(0, 20))
    def branch(self, which: int, turn: int) -> None:
        name, line = self.pick(which)
        if len(self.lines) < 8:
            made = self.run(self.store.playthroughs.branch(name, turn % (line.turn + 1)))
            self.lines[made.id] = line.copied(turn % (line.turn + 1))

    @rule(which=st.integers(0, 20), number=st.integers(0, 9), here=st.booleans(), gone=st.booleans())
    def change_one_of_two_branches(self, which: int, number: int, here: bool, gone: bool) -> None:
        name, line = self.pick(which)
        known = line.memories()
        if not known or line.open or len(self.lines) >= 8:
            return
        self.branch(which, line.turn)
        changed, model = (name, line) if here else list(self.lines.items())[-1]
        memory = list(known)[number % len(known)]
        if gone:
            self.run(self.store.at(changed).delete("memory", memory))
            model.add("delete", memory)
        else:
            self.run(self.store.at(changed).update("memory", memory, {"location": "south"}))
            model.add("update", memory, (known[memory][0], "south"))

    @rule(which=st.integers(0, 20))
    def undo(self, which: int) -> None:
        name, line = self.pick(which)
        if line.turn and len(self.lines) < 8:
            self.lines[self.run(self.store.playthroughs.undo(name)).id] = line.copied(line.turn - 1)

    @precondition(lambda self: len(self.lines) > 2)
    @rule(which=st.integers(0, 20))
    def delete_story(self, which: int) -> None:
        name, _ = self.pick(which)
        self.run(self.store.playthroughs.delete(name))
        left = {story.id for story in self.run(self.store.playthroughs.all(undone=True))}
        assert name not in left
        self.lines = {name: line for name, line in self.lines.items() if name in left}
        if not self.lines:
            self.begin_story()

    @rule()
    def reopen(self) -> None:
        self.run(self.store.close())
        self.store = self.run(Store.open(self.place, WordCounts()))

    @invariant()
    def one_of_them_sees_what_it_should(self) -> None:
        self.looked += 1  # each in its turn; all at the end
        self.compare(*self.pick(self.looked))

    def compare(self, name: str, line: Line) -> None:
        self.compare_seen(self.store.at(name), line)
        turns = self.run(self.store.turns.history(name))
        assert [turn.game_time for turn in turns] == line.times
        earlier = self.looked % (line.turn + 1)
        self.compare_seen(self.store.at(name, turn=earlier), line.copied(earlier))

    def compare_seen(self, scope: Scope, line: Line) -> None:
        seen = {
            entry.identifier: (entry.record.summary, entry.record.location)
            for entry in self.run(scope.exact_match("memory"))
        }
        assert seen == line.memories()
        south = {entry.identifier for entry in self.run(scope.exact_match("memory", {"location": "south"}))}
        assert south == {key for key, (_, place) in line.memories().items() if place == "south"}
        held = {entry.identifier: entry.record for entry in self.run(scope.exact_match("perception"))}
        assert {who: record.perception_score for who, record in held.items()} == pytest.approx(
            line.opinions()
        )
        found = self.run(scope.semantic_search("bridge at north", "memory", limit=50, min_relevance=0))
        assert {entry.identifier for entry in found} <= set(line.memories())

    def teardown(self) -> None:
        for name, line in self.lines.items():
            self.compare(name, line)
        self.run(self.store.close())
        self.runner.close()
        self.rest.close()


@pytest.mark.parametrize("joined", [8, 0], ids=["few branches", "many branches"])
def test_every_playthrough_sees_what_the_model_says(
    places: Callable[[], AbstractContextManager[str | Path]], joined: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineage, "MOST_JOINED", joined)  # up to which segments are joined by OR
    run_state_machine_as_test(
        type("Stories", (Stories,), {"places": staticmethod(places)}),
        settings=settings(
            max_examples=12,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


class CountedStatements:
    """Counts what a store asks its database."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        event.listen(store.database._readers, "before_cursor_execute", self._add)

    def _add(self, *_: Any) -> None:
        self.count += 1


async def test_undone_turns_make_no_further_questions(store: Store) -> None:
    """Each turn undone after others were told leaves a branch; all of them are asked at once."""
    story = (await store.playthroughs.create("mill")).id
    asked: dict[int, int] = {}
    told: list[str] = []
    statements = CountedStatements(store)
    for undone in range(61):
        if undone:
            story = (await store.playthroughs.undo(story)).id
            told.pop()
        for name in (f"{undone} first", f"{undone} then"):
            turn = await store.turns.begin(story, {"text": "on"})
            record = {"summary": f"{name}: the bridge", "location": "north" if undone % 2 else "south"}
            await store.at(story).store("memory", record)
            await store.turns.finish(turn, {"n": turn.number}, {}, game_time=0)
            told.append(f"{name}: the bridge")
        if undone in (20, 60):
            await store.at(story).semantic_search("the bridge", "memory")  # the vectors are read once
            statements.count = 0
            north = await store.at(story).exact_match("memory", {"location": "north"})
            elsewhere = await store.at(story).exact_match("memory", {"location": ["south", None]})
            await store.at(story).semantic_search("the bridge", "memory")
            assert await store.turns.history(story)
            asked[undone] = statements.count
            assert {one.record.summary for one in (*north, *elsewhere)} == set(told)
            assert {one.record.summary for one in north} == {
                text for text in told if int(text.split()[0]) % 2
            }
    assert asked[60] == asked[20]
