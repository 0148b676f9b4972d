"""Steps of writing a story into the store that can be done again when nobody heard whether they were."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from narratoria.engine.persistence.turn_record import MemoryRecord
from narratoria.engine.persistence.unsaved_turns import UnsavedTurnsHeader
from narratoria.errors import NarratoriaException, RecordExists, StoreUnavailable, StoryConflict
from narratoria.store.positions import Position

if TYPE_CHECKING:
    from narratoria.store import Playthrough, Store

_log = logging.getLogger(__name__)


async def undo_to(
    store: Store, branch: str, turn: int, *, follows: Position | None = None, session_id: str = ""
) -> Playthrough:
    """Undo every turn after `turn`, and return the branch on which the story goes on.

    With `follows`, StoryConflict is raised rather than undoing a turn that another session has told since.
    """
    playthrough, has_moved = await store.playthroughs.get(branch), False
    while playthrough.superseded_by is not None:  # an undo that timed out has come through
        playthrough, has_moved = await store.playthroughs.get(playthrough.superseded_by), True
    position = None
    if follows is not None and playthrough.turn > turn:
        position = (await store.stories.at_branch(playthrough.id)).position
        if has_moved:
            _refuse(playthrough.turn > playthrough.fork_turn)
        else:
            await _require_own_since(store, follows, session_id)
        _refuse(position.turn != playthrough.turn)
    while playthrough.turn > turn:
        playthrough = await store.playthroughs.undo(playthrough.id, follows=position, session_id=session_id)
        if follows is not None and playthrough.turn > turn:
            position = (await store.stories.at_branch(playthrough.id)).position
            _refuse(position.turn != playthrough.turn)
    return playthrough


async def require_own_turn(store: Store, position: Position, session_id: str) -> None:
    """Raise StoryConflict unless this session has told the scene of a position."""
    stored = await store.turns.get(position.branch, position.turn)
    _refuse(stored.session_id != session_id or mark_scene(stored.scene or {}) != position.mark)


async def _require_own_since(store: Store, follows: Position, session_id: str) -> None:
    for stored in await store.turns.history(follows.branch, first=max(follows.turn, 1)):
        if stored.number == follows.turn:
            _refuse(mark_scene(stored.scene or {}) != follows.mark)
        else:
            _refuse(stored.session_id != session_id)


def _refuse(is_elsewhere: bool) -> None:
    if is_elsewhere:
        raise StoryConflict("the story has gone on elsewhere; it is loaded anew")


def mark_scene(scene: Mapping[str, Any]) -> str:
    """Return the mark that the store gives a scene."""
    from narratoria.store.stories import scene_mark  # imported with the store, which takes long

    return scene_mark(scene)


async def create_story(store: Store, header: UnsavedTurnsHeader) -> None:
    """Create the story in the store, unless it is there."""
    with contextlib.suppress(RecordExists):  # a write that timed out has come through
        await store.playthroughs.create(
            header.campaign,
            title=header.title,
            seed=header.seed,
            identifier=header.branch,
            owner=header.owner,
        )


async def save_records(
    store: Store,
    branch: str,
    session_id: str,
    turn: int,
    records: Sequence[MemoryRecord],
    *,
    fence: int | None = None,
) -> None:
    """Save the memories of a turn; a record that is refused does not keep the turn from being written."""
    if not records:
        return
    try:
        await store.at(branch, session_id, turn, fence=fence).store_all(records)
    except (StoreUnavailable, StoryConflict):
        raise
    except NarratoriaException as error:
        _log.info("turn %d of %s is not remembered: %s", turn, branch, error)
