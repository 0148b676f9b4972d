"""A row for each story, who tells it, and on a server one table for the records of all stories.

Version 0001 kept three partitions for each story on a server. They are renamed here; `engines.partitions`
moves their rows afterwards, some at a time: a server cannot lock all of them in one transaction.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

SEQ = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
AT_ONCE = 500  # rows

RENAME_PARTED = (
    *(f"ALTER TABLE {name} RENAME TO {name}_parted" for name in ("record", "label", "embedding")),
    *(
        f"ALTER INDEX {name} RENAME TO {name}_parted"
        for name in (
            "record_pkey",
            "record_name",
            "record_later",
            "record_words",
            "label_record",
            "label_value",
            "label_name",
            "embedding_pkey",
        )
    ),
)
PLAIN = (
    "CREATE TABLE record (LIKE record_parted INCLUDING GENERATED, PRIMARY KEY (seq))",
    "CREATE INDEX record_place ON record (line, data_type)",
    "CREATE INDEX record_name ON record USING hash (id)",
    "CREATE INDEX record_later ON record USING hash (id) WHERE version > 0",
    "CREATE INDEX record_words ON record USING gin (words)",
    """CREATE TRIGGER record_is_a_log BEFORE UPDATE ON record
        FOR EACH ROW EXECUTE FUNCTION refuse_update('record')""",
    "CREATE TABLE label (LIKE label_parted)",
    "CREATE INDEX label_record ON label (seq)",
    "CREATE INDEX label_place ON label (line, data_type, name)",
    "CREATE TABLE embedding (LIKE embedding_parted, PRIMARY KEY (seq, model, part))",
    "CREATE INDEX embedding_place ON embedding (line, model)",
)


def upgrade() -> None:
    op.add_column("playthrough", sa.Column("story", TEXT, nullable=False, server_default=""))
    op.create_index("playthrough_superseded", "playthrough", ["superseded_by"])
    _story_table()
    op.create_table(
        "server", sa.Column("id", TEXT, primary_key=True), sa.Column("seen_at", sa.Float, nullable=False)
    )
    link = op.get_bind()
    _fill_stories(link)
    if link.dialect.name == "postgresql":
        for statement in (*RENAME_PARTED, *PLAIN):
            link.exec_driver_sql(statement)


def _story_table() -> None:
    op.create_table(
        "story",
        sa.Column("id", TEXT, primary_key=True),
        *map(_text, ("line", "root", "campaign", "title")),
        sa.Column("number", sa.Integer, nullable=False),
        *map(_text, ("player", "seed", "created_at", "played_at")),
        sa.Column("turn", SEQ, nullable=False),
        *map(_text, ("mark", "place", "ended")),
        sa.Column("seconds_played", sa.Float, nullable=False),
        sa.Column("parent", TEXT),
        sa.Column("branched_at", SEQ),
        _text("holder"),
        sa.Column("fence", SEQ, nullable=False),
    )
    op.create_index("story_played", "story", ["played_at", "id"])
    op.create_index("story_campaign", "story", ["campaign", "played_at", "id"])
    op.create_index("story_title", "story", ["title", "player", "number"])
    op.create_index("story_root", "story", ["root"])
    op.create_index("story_parent", "story", ["parent"])


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, TEXT, nullable=False)


def _fill_stories(link: sa.Connection) -> None:
    branches = {row.id: row for row in link.execute(sa.text("SELECT * FROM playthrough"))}
    before = {row.superseded_by: row.id for row in branches.values() if row.superseded_by in branches}
    stories = {name: _first(name, before) for name in branches}
    named = sa.text("UPDATE playthrough SET story = :story WHERE id = :id")
    for some in _in_groups([{"id": name, "story": first} for name, first in stories.items()]):
        link.execute(named, some)
    numbers: dict[tuple[str, str], int] = {}
    rows = []
    present = (row for row in branches.values() if row.superseded_by is None and row.deleted_at is None)
    for row in sorted(present, key=lambda row: (branches[stories[row.id]].created_at, row.id)):
        values = _summary(link, row, branches, stories)
        key = values["title"], values["player"]
        numbers[key] = values["number"] = numbers.get(key, 0) + 1
        rows.append(values)
    if rows:
        names = list(rows[0])
        add = sa.text(f"INSERT INTO story ({', '.join(names)}) VALUES ({', '.join(f':{n}' for n in names)})")
        for some in _in_groups(rows):
            link.execute(add, some)


def _in_groups(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    return (rows[at : at + AT_ONCE] for at in range(0, len(rows), AT_ONCE))


def _first(name: str, before: Mapping[str, str]) -> str:
    while name in before:
        name = before[name]
    return name


def _summary(
    link: sa.Connection, row: Any, branches: Mapping[str, Any], stories: Mapping[str, str]
) -> dict[str, Any]:
    story = stories[row.id]
    created_at = branches[story].created_at
    parent, branched_at = _origin(row, story, branches, stories)
    last = _last_scene(link, row, branches)
    shown, state = (_json(last.scene), _json(last.state)) if last is not None else ({}, {})
    progress = _object(shown.get("progress"))
    if last is None:
        state = _json(_first_choice(link, row.id))
    return {
        "id": story,
        "line": row.id,
        "root": _root(row, branches),
        "campaign": row.campaign,
        "title": row.title,
        "number": 1,
        "player": _player(state.get("persona")),
        "seed": row.seed,
        "created_at": created_at,
        "played_at": max(last.finished_at, created_at) if last is not None else created_at,
        "turn": last.turn if last is not None else 0,
        "mark": hashlib.sha256(last.scene.encode()).hexdigest()[:32] if last is not None else "",
        "place": str(progress.get("place") or ""),
        "ended": str(progress.get("ended") or ""),
        "seconds_played": float(shown.get("seconds") or 0.0),
        "parent": parent,
        "branched_at": branched_at,
        "holder": "",
        "fence": 0,
    }


def _origin(
    row: Any, story: str, branches: Mapping[str, Any], stories: Mapping[str, str]
) -> tuple[str | None, int | None]:
    while row.parent_id is not None:
        if stories[row.parent_id] != story:
            is_there = branches[row.parent_id].deleted_at is None
            return (stories[row.parent_id] if is_there else None), row.fork_turn
        row = branches[row.parent_id]
    return None, None


def _root(row: Any, branches: Mapping[str, Any]) -> str:
    while row.parent_id is not None:
        row = branches[row.parent_id]
    return str(row.id)


def _last_scene(link: sa.Connection, row: Any, branches: Mapping[str, Any]) -> Any:
    latest = sa.text(
        "SELECT turn, scene, state, finished_at FROM scene WHERE line = :line AND turn <= :turn "
        "AND seq <= :seq ORDER BY turn DESC LIMIT 1"
    )
    turn = seq = 2**62
    while row is not None:
        last = link.execute(latest, {"line": row.id, "turn": turn, "seq": seq}).first()
        if last is not None:
            return last
        turn, seq = min(turn, row.fork_turn), min(seq, row.fork_seq)
        row = branches.get(row.parent_id) if row.parent_id else None
    return None


def _first_choice(link: sa.Connection, line: str) -> str:
    chosen = sa.text("SELECT choice FROM turn WHERE line = :line ORDER BY turn, seq DESC LIMIT 1")
    return link.execute(chosen, {"line": line}).scalar() or "{}"


def _json(text: str) -> dict[str, Any]:
    return _object(json.loads(text))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _player(persona: object) -> str:
    name = persona.get("name") if isinstance(persona, dict) else None
    return " ".join(name.split())[:60] if isinstance(name, str) else ""
