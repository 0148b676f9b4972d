"""Defines the state of an ink story between two choices, and writes it as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from narratoria.campaign.ink.values import InkList, ListItem, Reference, Target, Value

FrameKind: TypeAlias = Literal["story", "tunnel", "function"]


@dataclass(slots=True)
class Frame:
    """Holds where a part of the story goes on, and its temporary variables."""

    kind: FrameKind
    address: int
    temporary: dict[str, Value] = field(default_factory=dict)

    def copy(self) -> Frame:
        return Frame(self.kind, self.address, dict(self.temporary))


@dataclass(slots=True)
class OfferedChoice:
    text: str
    address: int
    frames: list[Frame]
    tags: tuple[str, ...] = ()
    is_fallback: bool = False


@dataclass(slots=True)
class RunState:
    """Holds everything that a run is made of besides its program."""

    seed: int
    turn: int = -1
    random: int = 0  # the last number of chance
    variables: dict[str, Value] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    last_turns: dict[str, int] = field(default_factory=dict)  # in which a place was visited last
    choices: list[OfferedChoice] = field(default_factory=list)
    has_ended: bool = False


def write_state(state: RunState, digest: str) -> dict[str, Any]:
    """Return the state as plain data, with the digest of the story it belongs to."""
    return {
        "story": digest,
        "seed": state.seed,
        "turn": state.turn,
        "random": state.random,
        "variables": {name: _write_value(value) for name, value in sorted(state.variables.items())},
        "visits": dict(sorted(state.visits.items())),
        "lastTurns": dict(sorted(state.last_turns.items())),
        "choices": [
            {
                "text": one.text,
                "to": one.address,
                "frames": [_write_frame(frame) for frame in one.frames],
                **({"tags": list(one.tags)} if one.tags else {}),
            }
            for one in state.choices
        ],
        "ended": state.has_ended,
    }


def read_state(data: Mapping[str, Any]) -> RunState:
    """Return the state that was written; raise ValueError for data that is none."""
    try:
        return RunState(
            seed=int(data["seed"]),
            turn=int(data["turn"]),
            random=int(data["random"]),
            variables={name: _read_value(value) for name, value in data["variables"].items()},
            visits={name: int(count) for name, count in data["visits"].items()},
            last_turns={name: int(turn) for name, turn in data["lastTurns"].items()},
            choices=[
                OfferedChoice(
                    str(one["text"]),
                    int(one["to"]),
                    [_read_frame(frame) for frame in one["frames"]],
                    tuple(one.get("tags", ())),
                )
                for one in data["choices"]
            ],
            has_ended=bool(data["ended"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"this is no state of an ink story: {error}") from None


def _write_frame(frame: Frame) -> dict[str, Any]:
    values = {name: _write_value(value) for name, value in sorted(frame.temporary.items())}
    return {"kind": frame.kind, "at": frame.address, **({"temporary": values} if values else {})}


def _read_frame(data: Mapping[str, Any]) -> Frame:
    values = {name: _read_value(value) for name, value in data.get("temporary", {}).items()}
    return Frame(data["kind"], int(data["at"]), values)


def _write_value(value: Value) -> Any:
    match value:
        case InkList():
            items = [[item.origin, item.name, item.value] for item in value.sorted_items()]
            return {"list": items, "of": list(value.origins)}
        case Target(name=name):
            return {"place": name}
        case Reference(name=name, frame=frame):
            return {"variable": name, "frame": frame}
        case float():
            return {"float": value}  # JSON may give 2.0 back as 2
    return value


def _read_value(data: Any) -> Value:
    match data:
        case {"list": items, "of": origins}:
            return InkList(frozenset(ListItem(*one) for one in items), tuple(origins))
        case {"place": str(name)}:
            return Target(name)
        case {"variable": str(name), "frame": int(frame)}:
            return Reference(name, frame)
        case {"float": float() | int() as number}:
            return float(number)
        case None | bool() | int() | float() | str():
            return data
    raise ValueError("this is no value of an ink story")
