"""Keeps one row for each story: what lists show of it, and where it stands."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, delete, func, insert, select, tuple_, update

from narratoria.errors import NoSuchRecord, StoryConflict
from narratoria.store.engines.database import Database, Writing
from narratoria.store.lineage import view_of
from narratoria.store.positions import Position
from narratoria.store.tables import playthrough, scene, story, story_reader, turn

LONGEST_NAME = 60  # characters of whoever is played
PAGE = 60  # stories in a list


class StorySummary(msgspec.Struct, frozen=True, kw_only=True):
    """Describes a story without reading its turns."""

    id: str
    line: str
    root: str
    campaign: str
    title: str
    number: int
    player: str
    seed: str
    created_at: str
    played_at: str
    turn: int
    mark: str
    place: str
    ended: str
    seconds_played: float
    parent: str | None
    branched_at: int | None
    holder: str
    fence: int
    owner: str
    display_title: str = ""  # unlike those of all other stories

    @property
    def position(self) -> Position:
        return Position(self.line, self.turn, self.mark)


class Stories:
    """Lists stories and looks them up, by index and without reading their turns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(
        self,
        *,
        limit: int | None = PAGE,
        after: tuple[str, str] | None = None,
        campaign: str | None = None,
        owner: str | None = None,
    ) -> tuple[StorySummary, ...]:
        """Return some stories, the one played last first; `after` is (played_at, id) of the last one seen."""
        statement = select(story).order_by(story.c.played_at.desc(), story.c.id.desc()).limit(limit)
        if owner is not None:
            statement = statement.where(story.c.owner == owner)
        if campaign is not None:
            statement = statement.where(story.c.campaign == campaign)
        if after is not None:
            statement = statement.where(tuple_(story.c.played_at, story.c.id) < tuple_(*after))
        return await self._database.read(lambda link: _summaries(link, statement))

    async def count(self, owner: str | None = None) -> int:
        """Return how many stories there are, or how many are this account's."""
        statement = select(func.count()).select_from(story)
        if owner is not None:
            statement = statement.where(story.c.owner == owner)
        return await self._database.read(lambda link: link.execute(statement).scalar_one())

    async def shared_with(self, account: str, *, limit: int = PAGE) -> tuple[StorySummary, ...]:
        """Return the stories of others that this account may read, the one played last first."""
        statement = (
            select(story)
            .join(story_reader, story_reader.c.story == story.c.id)
            .where(story_reader.c.account == account)
            .order_by(story.c.played_at.desc(), story.c.id.desc())
            .limit(limit)
        )
        return await self._database.read(lambda link: _summaries(link, statement))

    async def readers(self, story_id: str) -> frozenset[str]:
        """Return the accounts that may read a story besides its owner."""
        statement = select(story_reader.c.account).where(story_reader.c.story == story_id)
        return await self._database.read(lambda link: frozenset(link.execute(statement).scalars()))

    async def set_readers(self, story_id: str, accounts: Iterable[str]) -> None:
        """Let these accounts read a story, and no others; raise NoSuchRecord without such a story."""
        rows = [{"story": story_id, "account": account} for account in sorted(set(accounts))]

        def work(writing: Writing) -> None:
            link = writing.connection
            if link.execute(select(story.c.id).where(story.c.id == story_id)).first() is None:
                raise NoSuchRecord(f"there is no story {story_id!r}")
            link.execute(delete(story_reader).where(story_reader.c.story == story_id))
            if rows:
                link.execute(insert(story_reader), rows)

        await self._database.write(work)

    async def give_all(self, owner: str, to: str) -> None:
        """Make all stories of one account another's, and take from the first what it could read."""

        def work(writing: Writing) -> None:
            writing.connection.execute(update(story).where(story.c.owner == owner).values(owner=to))
            writing.connection.execute(delete(story_reader).where(story_reader.c.account == owner))

        await self._database.write(work)

    async def get(self, story_id: str) -> StorySummary:
        """Return a story by its id; raise NoSuchRecord without one."""
        (summary,) = await self._database.read(
            lambda link: _summaries(link, select(story).where(story.c.id == story_id))
        ) or (None,)
        if summary is None:
            raise NoSuchRecord(f"there is no story {story_id!r}")
        return summary

    async def of_branch(self, branch: str) -> str | None:
        """Return the id of the story that a branch belongs to, or None."""
        return await self._database.read(
            lambda link: link.execute(select(playthrough.c.story).where(playthrough.c.id == branch)).scalar()
        )

    async def at_branch(self, branch: str) -> StorySummary:
        """Return the story that a branch belongs to; raise NoSuchRecord without one."""

        def work(link: Connection) -> StorySummary:
            return StorySummary(**row_of_branch(link, branch)._mapping)

        return await self._database.read(work)

    async def family(self, story_id: str) -> tuple[StorySummary, ...]:
        """Return every story that shares a beginning with this one, itself included, the oldest first."""
        root = select(story.c.root).where(story.c.id == story_id).scalar_subquery()
        statement = select(story).where(story.c.root == root).order_by(story.c.created_at, story.c.id)
        return await self._database.read(lambda link: _summaries(link, statement))

    async def has_branches(self, story_id: str) -> bool:
        """Return whether another story branched off this one."""
        statement = select(story.c.id).where(story.c.parent == story_id).limit(1)
        return await self._database.read(lambda link: link.execute(statement).first() is not None)


def scene_mark(scene_shown: Mapping[str, Any]) -> str:
    """Return a digest that tells a scene from any other."""
    return mark_of_text(msgspec.json.encode(scene_shown).decode())


def mark_of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def row_of_branch(link: Connection, branch: str) -> Row[*tuple[Any, ...]]:
    """Return the row of the story that a branch belongs to; raise NoSuchRecord without one."""
    statement = select(story).join(playthrough, playthrough.c.story == story.c.id)
    row = link.execute(statement.where(playthrough.c.id == branch)).first()
    if row is None:
        raise NoSuchRecord(f"there is no playthrough {branch!r}; it may have been deleted")
    return row


def require_position(row: Row[*tuple[Any, ...]], follows: Position | None) -> None:
    """Raise StoryConflict when a story does not stand where the writer believes."""
    if follows is not None and (row.line, row.turn, row.mark) != (follows.branch, follows.turn, follows.mark):
        raise StoryConflict(f"the story {row.id!r} has gone on elsewhere: it is at scene {row.turn} now")


def require_fence(link: Connection, branch: str, fence: int | None) -> None:
    """Raise StoryConflict when somebody else has taken or changed the story since `fence` was given out."""
    if fence is None:
        return
    row = row_of_branch(link, branch)
    if row.fence != fence or row.line != branch:
        raise StoryConflict(f"another server goes on with the story {row.id!r}; nothing was written here")


def add_story(writing: Writing, branch: str, **values: Any) -> None:
    """Write the row of a new story, whose first branch is in the table already."""
    link, created_at = writing.connection, values["created_at"]
    link.execute(
        insert(story).values(
            id=branch,
            line=branch,
            root=_root(link, branch),
            player="",
            number=_next_number(link, values["owner"], values["title"], "", branch),
            played_at=created_at,
            turn=0,
            mark="",
            place="",
            ended="",
            seconds_played=0.0,
            parent=None,
            branched_at=None,
            holder="",
            fence=0,
            **values,
        )
    )


def refresh_story(writing: Writing, story_id: str, branch: str) -> None:
    """Write a story's row anew from its log, after its branch has changed; who held it does so no more."""
    link = writing.connection
    row = link.execute(select(story).where(story.c.id == story_id)).one()
    last = _last_scene(link, branch)
    parent, branched_at = _origin(link, branch, story_id)
    values: dict[str, Any] = {
        "line": branch,
        "parent": parent,
        "branched_at": branched_at,
        "turn": last.turn if last is not None else 0,
        "mark": mark_of_text(last.scene) if last is not None else "",
        "holder": "",
        "fence": row.fence + 1,
    }
    shown, state = (
        msgspec.json.decode(text) for text in ((last.scene, last.state) if last else ("{}", "{}"))
    )
    values |= summarize(shown, state)
    values["played_at"] = max(last.finished_at, row.created_at) if last is not None else row.created_at
    _write(link, row, values)


def finish_story_turn(
    writing: Writing, branch: str, *, turn_number: int, mark: str, at: str, summary: dict[str, Any]
) -> None:
    """Write where a story stands after a turn; a branch that an undo left behind changes nothing."""
    row = row_of_branch(writing.connection, branch)
    if row.line == branch:
        values = {"turn": turn_number, "mark": mark, "played_at": max(at, row.created_at), "holder": ""}
        _write(writing.connection, row, {**values, **summary})


def rename_story(writing: Writing, branch: str, title: str) -> None:
    row = row_of_branch(writing.connection, branch)
    if row.line == branch:
        _write(writing.connection, row, {"title": title})


def set_player(writing: Writing, row: Row[*tuple[Any, ...]], choice: Mapping[str, Any]) -> None:
    """Write who plays, as the first choice of a story says."""
    _write(writing.connection, row, {"player": player_in(choice.get("persona"))})


def summarize(scene_shown: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what lists show of a story from its last scene and the state after it."""
    progress = scene_shown.get("progress")
    progress = progress if isinstance(progress, Mapping) else {}
    seconds = scene_shown.get("seconds")
    return {
        "place": _text(progress.get("place")),
        "ended": _text(progress.get("ended")),  # as `Progress.ending` is written
        "seconds_played": float(seconds) if isinstance(seconds, int | float) else 0.0,
        "player": player_in(state.get("persona")),
    }


def player_in(persona: object) -> str:
    """Return the name in a persona, which a skill may have changed into anything."""
    name = persona.get("name") if isinstance(persona, Mapping) else None
    return " ".join(name.split())[:LONGEST_NAME] if isinstance(name, str) else ""


def _write(link: Connection, row: Row[*tuple[Any, ...]], values: dict[str, Any]) -> None:
    title, player = values.get("title", row.title), values.get("player", row.player)
    if (title, player) != (row.title, row.player):
        values["number"] = _next_number(link, row.owner, title, player, row.id)
    link.execute(update(story).where(story.c.id == row.id).values(**values))


def _next_number(link: Connection, owner: str, title: str, player: str, but: str) -> int:
    last = select(func.max(story.c.number)).where(
        story.c.title == title, story.c.player == player, story.c.owner == owner, story.c.id != but
    )
    return (link.execute(last).scalar() or 0) + 1


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _root(link: Connection, branch: str) -> str:
    while (above := _parent(link, branch)) is not None:
        branch = above
    return branch


def _parent(link: Connection, branch: str) -> str | None:
    return link.execute(select(playthrough.c.parent_id).where(playthrough.c.id == branch)).scalar()


def _origin(link: Connection, branch: str, story_id: str) -> tuple[str | None, int | None]:
    """Return the story that a branch left, and the last turn they share."""
    while True:
        row = link.execute(select(playthrough).where(playthrough.c.id == branch)).one()
        if row.parent_id is None:
            return None, None
        above = link.execute(select(playthrough).where(playthrough.c.id == row.parent_id)).one()
        if above.story != story_id:
            return (above.story if above.deleted_at is None else None), row.fork_turn
        branch = above.id


def _last_scene(link: Connection, branch: str) -> Row[*tuple[Any, ...]] | None:
    for part in view_of(link, branch).parts(scene):
        latest = select(scene).where(part).order_by(scene.c.turn.desc(), scene.c.seq.desc()).limit(1)
        if (row := link.execute(latest).first()) is not None:
            return row
    return None


def latest_unfinished(link: Connection, branch: str, number: int) -> Row[*tuple[Any, ...]] | None:
    """Return the row of the choice that was made after the last finished turn, if one was."""
    statement = select(turn).where(turn.c.line == branch, turn.c.turn == number).order_by(turn.c.seq.desc())
    return link.execute(statement.limit(1)).first()


def refuse_other_choice(
    link: Connection,
    row: Row[*tuple[Any, ...]],
    session_id: str,
    resumes: int | None = None,
    choice: Mapping[str, Any] | None = None,
) -> None:
    """Raise StoryConflict when another session's choice waits to be told, or the one to resume does not.

    With a `choice`, no other one of the same session may wait either: it may be one that the session took up
    for a server that had accepted it, and did not hear that it was written."""
    waiting = latest_unfinished(link, row.line, row.turn + 1)
    if waiting is None or waiting.seq == resumes:
        is_other = False
    elif waiting.session_id == session_id:
        is_other = choice is not None and msgspec.json.decode(waiting.choice) != choice
    else:
        is_other = True
    if is_other:
        raise StoryConflict(f"in the story {row.id!r} another choice was made before; it is told first")
    if waiting is None and resumes is not None:
        raise StoryConflict(f"the choice that waited in the story {row.id!r} was taken back")


def raise_fence(writing: Writing, row: Row[*tuple[Any, ...]]) -> int:
    """Give a story a higher fence, so that whoever has it open notices a change, and return that."""
    fence = int(row.fence) + 1
    writing.connection.execute(update(story).where(story.c.id == row.id).values(fence=fence))
    return fence


def give_back(writing: Writing, branch: str) -> None:
    """Write that nobody tells a turn of a story now."""
    row = row_of_branch(writing.connection, branch)
    if row.line == branch and row.holder:
        writing.connection.execute(update(story).where(story.c.id == row.id).values(holder=""))


def _summaries(link: Connection, statement: Select[*tuple[Any, ...]]) -> tuple[StorySummary, ...]:
    rows = [StorySummary(**row._mapping) for row in link.execute(statement)]
    titles = _display_titles(link, rows)
    return tuple(msgspec.structs.replace(row, display_title=titles[row.id]) for row in rows)


def _display_titles(link: Connection, rows: Sequence[StorySummary]) -> dict[str, str]:
    """Return titles unlike the owner's others: the character is added to equal ones, then a number."""
    titles: dict[str, str] = {}
    for owner in {row.owner for row in rows}:
        titles |= _titles_of_owner(link, owner, [row for row in rows if row.owner == owner])
    return titles


def _titles_of_owner(link: Connection, owner: str, rows: Sequence[StorySummary]) -> dict[str, str]:
    shared = {title for title in {row.title for row in rows} if _is_shared(link, owner, title)}
    candidates = {row.id: _with_player(row) for row in rows if row.title in shared}
    taken = _existing(link, owner, set(candidates.values()))
    return {
        row.id: row.title
        if row.title not in shared
        else candidates[row.id]
        if row.number == 1 and (candidates[row.id] == row.title or candidates[row.id] not in taken)
        else _with_number(row)
        for row in rows
    }


def _with_player(row: StorySummary) -> str:
    return f"{row.title} ({row.player})" if row.player else row.title


def _with_number(row: StorySummary) -> str:
    return f"{row.title} ({f'{row.player}, ' if row.player else ''}{row.number})"


def _is_shared(link: Connection, owner: str, title: str) -> bool:
    equal = select(story.c.id).where(story.c.title == title, story.c.owner == owner).limit(2)
    return len(link.execute(equal).all()) > 1


def _existing(link: Connection, owner: str, titles: set[str]) -> set[str]:
    some = sorted(titles)
    taken: set[str] = set()
    for at in range(0, len(some), 500):
        statement = select(story.c.title).where(story.c.title.in_(some[at : at + 500]))
        taken |= set(link.execute(statement.where(story.c.owner == owner).distinct()).scalars())
    return taken
