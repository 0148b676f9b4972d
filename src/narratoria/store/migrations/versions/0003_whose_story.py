"""Whose each story is, and who else may read it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("story", sa.Column("owner", TEXT, nullable=False, server_default=""))
    op.create_index("story_owner", "story", ["owner", "played_at", "id"])
    op.drop_index("story_title", "story")  # titles are told apart among the stories of one owner
    op.create_index("story_title", "story", ["owner", "title", "player", "number"])
    op.create_table(
        "story_reader",
        sa.Column("story", TEXT, primary_key=True),
        sa.Column("account", TEXT, primary_key=True),
    )
    op.create_index("story_reader_account", "story_reader", ["account"])
