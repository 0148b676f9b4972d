"""A story that comes from elsewhere with all its turns: the store has all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from narratoria.store.database import Writing
from narratoria.store.playthroughs import Playthrough, create_line, get_line
from narratoria.store.scope import Item
from narratoria.store.turns import begin_turn, finish_turn

if TYPE_CHECKING:
    from narratoria.store.store import Store

SESSION = "imported"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedTurn:
    choice: dict[str, Any]
    scene: dict[str, Any]
    state: dict[str, Any]
    game_time: float
    remembered: Sequence[tuple[str, Sequence[Item]]] = ()  # the skill that stored it, in the order of storing


async def take_in(
    store: Store, line: str, turns: Sequence[ArrivedTurn], *, campaign: str, title: str, seed: int
) -> Playthrough:
    """ContractViolation for what is no record; RecordExists for a name that is taken."""
    # what is remembered gets its vectors before: nobody else's writing waits for a model
    adding = [
        [await store.at(line, SESSION, number, skill=skill).adding(items) for skill, items in turn.remembered]
        for number, turn in enumerate(turns, start=1)
    ]

    def work(writing: Writing) -> Playthrough:
        create_line(writing, line, campaign=campaign, title=title, seed=seed)
        for turn, records in zip(turns, adding, strict=True):
            _write(writing, line, turn, records)
        return get_line(writing.connection, line)

    return await store.database.write(work)


def _write(
    writing: Writing, line: str, turn: ArrivedTurn, records: Sequence[Callable[[Writing], object]]
) -> None:
    begun, _ = begin_turn(writing, line, turn.choice, SESSION)
    for add in records:
        add(writing)
    finish_turn(writing, begun, turn.scene, turn.state, turn.game_time)
