"""Creates, branches, undoes, renames and deletes stories."""

from __future__ import annotations

import contextlib
import re
import secrets
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update

from narratoria.errors import ContractViolation, NoSuchRecord, Problem, RecordExists, StoreUnavailable
from narratoria.store.engines.database import Database, Writing
from narratoria.store.leases import Presence
from narratoria.store.lineage import view_of
from narratoria.store.positions import Position
from narratoria.store.record_versions import remove_rows
from narratoria.store.stories import (
    add_story,
    refresh_story,
    refuse_other_choice,
    rename_story,
    require_position,
    row_of_branch,
)
from narratoria.store.tables import change, clock, playthrough, record, scene, story, story_reader, turn
from narratoria.store.validation import now

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Playthrough(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes a story in progress, or one branch of it."""

    id: str
    campaign: str
    title: str
    parent_id: str | None
    fork_turn: int  # the last turn it shares with its parent
    seed: str
    created_at: str
    superseded_by: str | None  # the branch that an undo went on with
    turn: int  # the last one that was finished


class Playthroughs:
    def __init__(self, database: Database, presence: Presence) -> None:
        self._database, self._presence = database, presence

    async def create(
        self,
        campaign: str,
        *,
        title: str = "",
        seed: str | int = "",
        identifier: str | None = None,
        owner: str = "",
    ) -> Playthrough:
        """Create a story at its beginning; raise RecordExists when the identifier is taken."""
        name = identifier or f"{_plain(campaign)}-{secrets.token_hex(4)}"

        def work(writing: Writing) -> Playthrough:
            create_playthrough(writing, name, campaign=campaign, title=title, seed=seed, owner=owner)
            return get_playthrough(writing.connection, name)

        return await self._database.write(work)

    async def get(self, playthrough_id: str) -> Playthrough:
        return await self._database.read(lambda link: get_playthrough(link, playthrough_id))

    async def all(self, campaign: str | None = None, *, undone: bool = False) -> tuple[Playthrough, ...]:
        """Return the stories, the newest first; those that an undo left behind only if asked for."""
        statement = _rows().order_by(playthrough.c.created_at.desc(), playthrough.c.id)
        if campaign is not None:
            statement = statement.where(playthrough.c.campaign == campaign)
        if not undone:
            statement = statement.where(playthrough.c.superseded_by.is_(None))
        return await self._database.read(
            lambda link: tuple(_playthrough(link, row) for row in link.execute(statement))
        )

    async def rename(self, playthrough_id: str, title: str) -> Playthrough:
        def work(writing: Writing) -> Playthrough:
            get_playthrough(writing.connection, playthrough_id)
            writing.connection.execute(
                update(playthrough).where(playthrough.c.id == playthrough_id).values(title=title)
            )
            rename_story(writing, playthrough_id, title)
            return get_playthrough(writing.connection, playthrough_id)

        return await self._database.write(work)

    async def branch(self, playthrough_id: str, at_turn: int, *, title: str | None = None) -> Playthrough:
        """Branch the story after this turn; the turns before it are shared."""
        return await self._database.write(
            lambda writing: _branch(writing, playthrough_id, at_turn, title=title)
        )

    async def undo(
        self, playthrough_id: str, *, follows: Position | None = None, session_id: str = ""
    ) -> Playthrough:
        """Return the story as it was before its last turn, which stays on the branch left behind.

        Raises StoryConflict when the story does not stand where `follows` says, or when a choice of another
        session waits there to be told."""

        def work(writing: Writing) -> Playthrough:
            story_id = self._writable(writing, playthrough_id, follows, session_id)
            old = get_playthrough(writing.connection, playthrough_id)
            if old.turn == 0:
                message = f"{playthrough_id!r} has no turn to undo"
                raise ContractViolation([Problem(message)])
            if row_of_branch(writing.connection, playthrough_id).line != playthrough_id:
                # the story goes on elsewhere: what an undo left behind becomes another story
                return _branch(writing, playthrough_id, old.turn - 1, title=old.title)
            new = _branch(writing, playthrough_id, old.turn - 1, title=old.title, story_id=story_id)
            writing.connection.execute(
                update(playthrough).where(playthrough.c.id == playthrough_id).values(superseded_by=new.id)
            )
            refresh_story(writing, story_id, new.id)
            return new

        return await self._database.write(work)

    async def undone(self, playthrough_id: str) -> Playthrough | None:
        """Return the branch that the last undo left behind, while nothing was told since."""
        return await self._database.read(lambda link: _undone(link, playthrough_id))

    async def redo(
        self, playthrough_id: str, *, follows: Position | None = None, session_id: str = ""
    ) -> Playthrough:
        """Return the story with the turn that the last undo took back, on the branch left behind then.

        Raises StoryConflict as `undo` does."""

        def work(writing: Writing) -> Playthrough:
            link = writing.connection
            story_id = self._writable(writing, playthrough_id, follows, session_id)
            own, left = get_playthrough(link, playthrough_id), _undone(link, playthrough_id)
            if left is None:
                message = f"{playthrough_id!r} has no undone turn to bring back"
                raise ContractViolation([Problem(message)])
            values = {"superseded_by": None, "title": own.title}
            link.execute(update(playthrough).where(playthrough.c.id == left.id).values(**values))
            refresh_story(writing, story_id, left.id)
            _delete(writing, playthrough_id)
            return get_playthrough(link, left.id)

        redone = await self._database.write(work)
        self._database.removals += 1
        return redone

    async def delete(self, playthrough_id: str) -> None:
        """Removes a story and what was undone of it; what its branches share with it is kept for them."""

        def work(writing: Writing) -> None:
            get_playthrough(writing.connection, playthrough_id)
            row = row_of_branch(writing.connection, playthrough_id)
            self._presence.refuse_held(writing.connection, row.holder)
            if row.line == playthrough_id:
                _delete_story(writing.connection, row.id)
            _delete(writing, playthrough_id)

        await self._database.write(work)
        self._database.removals += 1
        with contextlib.suppress(StoreUnavailable):  # it is removed, though its traces may last a while
            await self._database.erase()

    def _writable(
        self, writing: Writing, playthrough_id: str, follows: Position | None, session_id: str
    ) -> str:
        """Return the id of a story that may be changed now."""
        row = row_of_branch(writing.connection, playthrough_id)
        require_position(row, follows)
        self._presence.refuse_held(writing.connection, row.holder)
        if follows is not None and self._database.is_shared:
            refuse_other_choice(writing.connection, row, session_id)
        return str(row.id)


def create_playthrough(
    writing: Writing, name: str, *, campaign: str, title: str, seed: str | int, owner: str = ""
) -> None:
    if not _NAME.fullmatch(name):
        message = f"{name!r} is no identifier; use up to 100 letters, digits, - . and _"
        raise ContractViolation([Problem(message, "/identifier")])
    if writing.connection.execute(select(playthrough).where(playthrough.c.id == name)).first():
        raise RecordExists(f"there is already a playthrough {name!r}")
    values = {"parent_id": None, "fork_turn": 0, "fork_seq": 0}
    shown = {"campaign": campaign, "title": title or campaign, "seed": str(seed), "created_at": now()}
    _insert(writing, name, story=name, **values, **shown)
    add_story(writing, name, owner=owner, **shown)


def last_turn(connection: Connection, playthrough_id: str) -> int:
    """Return the number of the last finished turn that a playthrough sees."""
    view = view_of(connection, playthrough_id)
    for part in view.parts(scene):
        if number := connection.execute(select(func.max(scene.c.turn)).where(part)).scalar():
            return int(number)
    return 0


def _branch(
    writing: Writing, parent_id: str, at_turn: int, *, title: str | None, story_id: str | None = None
) -> Playthrough:
    """Create a branch: of the story itself where it is given, of a new story otherwise."""
    link = writing.connection
    parent = get_playthrough(link, parent_id)
    if not 0 <= at_turn <= parent.turn:
        message = f"{parent_id!r} has turns 0 to {parent.turn}; it cannot be branched after turn {at_turn}"
        raise ContractViolation([Problem(message, "/turn")])
    # seen from the branch that told the turn, so that undoing again and again makes no long chain
    branch, seq = parent_id, link.execute(select(clock.c.seq)).scalar_one()
    while (above := _fork(link, branch)).parent_id is not None and (
        at_turn < above.fork_turn or (at_turn == above.fork_turn and not _has_rows(link, branch, at_turn))
    ):
        branch, seq = above.parent_id, min(seq, above.fork_seq)
    name = f"{_plain(parent.campaign)}-{secrets.token_hex(4)}"
    shown = {
        "campaign": parent.campaign,
        "title": parent.title if title is None else title,
        "seed": parent.seed,
        "created_at": now(),
    }
    values = {"parent_id": branch, "fork_turn": at_turn, "fork_seq": seq}
    _insert(writing, name, story=story_id or name, **values, **shown)
    if story_id is None:
        add_story(writing, name, owner=row_of_branch(link, parent_id).owner, **shown)
        refresh_story(writing, name, name)
    return get_playthrough(link, name)


def _fork(connection: Connection, playthrough_id: str) -> Row[*tuple[Any, ...]]:
    return connection.execute(select(playthrough).where(playthrough.c.id == playthrough_id)).one()


def _undone(connection: Connection, playthrough_id: str) -> Playthrough | None:
    own = get_playthrough(connection, playthrough_id)
    row = connection.execute(_rows().where(playthrough.c.superseded_by == playthrough_id)).first()
    left = _playthrough(connection, row) if row is not None else None
    return left if left is not None and left.turn == own.turn + 1 else None


def _has_rows(connection: Connection, branch: str, turn_number: int) -> bool:
    """Return whether a branch has rows of its own up to a turn."""
    return any(
        connection.execute(
            select(table.c.seq).where(table.c.line == branch, table.c.turn <= turn_number).limit(1)
        ).first()
        for table in (turn, scene, change, record)
    )


def _insert(writing: Writing, name: str, **values: Any) -> None:
    writing.connection.execute(insert(playthrough).values(id=name, **values))


def _delete_story(link: Connection, story_id: str) -> None:
    link.execute(delete(story).where(story.c.id == story_id))
    link.execute(delete(story_reader).where(story_reader.c.story == story_id))
    link.execute(update(story).where(story.c.parent == story_id).values(parent=None))


def _delete(writing: Writing, playthrough_id: str) -> None:
    link = writing.connection
    branches = [playthrough_id]
    for branch in branches:  # and on to those that undoing left behind, which may be many
        link.execute(update(playthrough).where(playthrough.c.id == branch).values(deleted_at=now()))
        undone = select(playthrough.c.id).where(
            playthrough.c.superseded_by == branch, playthrough.c.deleted_at.is_(None)
        )
        branches += link.execute(undone).scalars()
    for branch in reversed(branches):
        above: str | None = branch
        while above is not None:
            above = _prune(link, above)


def _prune(link: Connection, playthrough_id: str) -> str | None:
    """Remove the rows of a deleted story that none of its branches shares; return whom to prune next.

    A story that shares nothing is removed itself, and then its parent may go as well.
    """
    own = link.execute(select(playthrough).where(playthrough.c.id == playthrough_id)).first()
    if own is None or own.deleted_at is None:
        return None
    branches = link.execute(select(playthrough).where(playthrough.c.parent_id == playthrough_id)).all()
    shared_turn = max((branch.fork_turn for branch in branches), default=-1)
    shared_seq = max((branch.fork_seq for branch in branches), default=-1)

    for table in (turn, scene, change):
        link.execute(
            delete(table).where(
                table.c.line == playthrough_id, (table.c.turn > shared_turn) | (table.c.seq > shared_seq)
            )
        )
    rest = select(record.c.seq).where(
        record.c.line == playthrough_id, (record.c.turn > shared_turn) | (record.c.seq > shared_seq)
    )
    remove_rows(link, playthrough_id, list(link.execute(rest).scalars()))
    if branches:
        return None
    link.execute(delete(playthrough).where(playthrough.c.id == playthrough_id))
    parent: str | None = own.parent_id
    return parent


def _rows() -> Select[*tuple[Any, ...]]:
    return select(playthrough).where(playthrough.c.deleted_at.is_(None))


def get_playthrough(connection: Connection, playthrough_id: str) -> Playthrough:
    row = connection.execute(_rows().where(playthrough.c.id == playthrough_id)).first()
    if row is None:
        raise NoSuchRecord(f"there is no playthrough {playthrough_id!r}; it may have been deleted")
    return _playthrough(connection, row)


def _playthrough(connection: Connection, row: Row[*tuple[Any, ...]]) -> Playthrough:
    return Playthrough(
        id=row.id,
        campaign=row.campaign,
        title=row.title,
        parent_id=row.parent_id,
        fork_turn=row.fork_turn,
        seed=row.seed,
        created_at=row.created_at,
        superseded_by=row.superseded_by,
        turn=last_turn(connection, row.id),
    )


def _plain(campaign: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", campaign.casefold()).strip("-")[:60] or "story"
