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
    """Holds one difference between a logged turn and its replay."""

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
    snapshot, differences = beginning, list[Difference]()
    for record in turns:
        try:
            trace = TurnTrace.unpack(record.output.trace)
        except ValueError as error:
            differences.append(
                Difference(turn=record.number, part="trace", pointer="", was=str(error), now="")
            )
        else:
            differences += _differences(record, _again(snapshot, record, campaign, trace))
        snapshot = snapshot_after(snapshot, record)
    return _summary(turns, differences)


async def replay_live(
    beginning: StorySnapshot, turns: Sequence[TurnRecord], dependencies: TurnDependencies
) -> ReplayReport:
    """Replay a story with the present planner and skills."""
    snapshot, differences = beginning, list[Difference]()
    for record in turns:
        turn_input = record.input
        again, _ = await play_turn(
            snapshot,
            turn_input.choice,
            dependencies,
            take=turn_input.take,
            luck=turn_input.luck,
            limits=turn_input.limits,
        )
        differences += _differences(record, again)
        snapshot = snapshot_after(snapshot, record)
    return _summary(turns, differences)


def _again(
    snapshot: StorySnapshot, record: TurnRecord, campaign: Campaign, trace: TurnTrace
) -> StorySnapshot:
    turn_input = record.input
    return replay_turn(
        snapshot, turn_input.choice, campaign, trace, take=turn_input.take, limits=turn_input.limits
    )


def _summary(turns: Sequence[TurnRecord], differences: Sequence[Difference]) -> ReplayReport:
    other = {each.turn for each in differences}
    return ReplayReport(turns=len(turns), same=len(turns) - len(other), differences=tuple(differences))


def _differences(record: TurnRecord, again: StorySnapshot) -> Iterator[Difference]:
    parts: tuple[tuple[Part, object, object], ...] = (
        ("scene", record.output.scene, again.scene),
        ("state", record.state, again.state.to_dict()),
        ("progress", record.output.progress, again.progress),
    )
    for part, was, now in parts:
        if msgspec.json.encode(was) != msgspec.json.encode(now):
            yield _first(record.number, part, msgspec.to_builtins(was), msgspec.to_builtins(now))


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
