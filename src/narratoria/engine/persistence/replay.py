"""Replays a story from its turn log and reports where the result differs from the log.

From the log alone nothing is run: the plans, the tools' words and what was recalled are those of then. Each
turn starts from what the log says of the one before, so that one difference does not hide the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.persistence.turn_record import TurnRecord, TurnTrace, snapshot_after
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.turn import TurnDependencies, play_turn, replay_turn

Part = Literal["scene", "state", "progress", "trace"]


class Difference(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One difference between a logged turn and its replay."""

    turn: int
    part: Part
    pointer: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"turn {self.turn}, {self.part} {self.pointer}: was {self.was}, now {self.now}"


class ReplayReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    turns: int
    same: int  # turns that came out byte for byte
    differences: tuple[Difference, ...]

    @property
    def exact(self) -> bool:
        return self.same == self.turns


def replay(beginning: StorySnapshot, turns: Sequence[TurnRecord], campaign: Campaign) -> ReplayReport:
    """Replay a story from its log; nothing is run."""
    snapshot, found = beginning, list[Difference]()
    for told in turns:
        try:
            trace = TurnTrace.unpacked(told.output.trace)
        except ValueError as error:
            found.append(Difference(turn=told.number, part="trace", pointer="", was=str(error), now=""))
        else:
            found += _differences(told, _again(snapshot, told, campaign, trace))
        snapshot = snapshot_after(snapshot, told.output, told.state)
    return _summary(turns, found)


async def replay_live(
    beginning: StorySnapshot, turns: Sequence[TurnRecord], stage: TurnDependencies
) -> ReplayReport:
    """Replay a story with the present planner and skills."""
    snapshot, found = beginning, list[Difference]()
    for told in turns:
        chosen = told.input
        again, _ = await play_turn(snapshot, chosen.choice, stage, take=chosen.take, luck=chosen.luck)
        found += _differences(told, again)
        snapshot = snapshot_after(snapshot, told.output, told.state)
    return _summary(turns, found)


def _again(snapshot: StorySnapshot, told: TurnRecord, campaign: Campaign, trace: TurnTrace) -> StorySnapshot:
    return replay_turn(snapshot, told.input.choice, campaign, trace, take=told.input.take)


def _summary(turns: Sequence[TurnRecord], found: Sequence[Difference]) -> ReplayReport:
    other = {each.turn for each in found}
    return ReplayReport(turns=len(turns), same=len(turns) - len(other), differences=tuple(found))


def _differences(told: TurnRecord, again: StorySnapshot) -> Iterator[Difference]:
    parts: tuple[tuple[Part, object, object], ...] = (
        ("scene", told.output.scene, again.scene),
        ("state", told.state, again.state.to_dict()),
        ("progress", told.output.progress, again.progress),
    )
    for part, was, now in parts:
        if msgspec.json.encode(was) != msgspec.json.encode(now):
            yield _first(told.number, part, msgspec.to_builtins(was), msgspec.to_builtins(now))


def _first(turn: int, part: Part, was: object, now: object, pointer: str = "") -> Difference:
    """Return the first difference between two documents."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in (*was, *now):
            if was.get(key) != now.get(key) or (key in was) != (key in now):
                return _first(turn, part, was.get(key), now.get(key), f"{pointer}/{key}")
        return Difference(turn=turn, part=part, pointer=pointer or "/", was="in this order", now="in another")
    if isinstance(was, list | tuple) and isinstance(now, list | tuple):
        for index, (ours, theirs) in enumerate(zip(was, now, strict=False)):
            if ours != theirs:
                return _first(turn, part, ours, theirs, f"{pointer}/{index}")
        return Difference(
            turn=turn, part=part, pointer=pointer, was=f"{len(was)} entries", now=f"{len(now)} entries"
        )
    return Difference(turn=turn, part=part, pointer=pointer, was=_short(was), now=_short(now))


def _short(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else f"{text[:79]}…"
