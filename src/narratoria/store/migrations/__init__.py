"""Brings a database to the tables of this version, in one transaction."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

FOLDER = Path(__file__).parent
VERSIONS = "versions"


def known_revisions(folder: Path = FOLDER) -> list[str]:
    """Return the names of all migrations in order, each the number at the start of a file's name."""
    return sorted(path.name[:4] for path in (folder / VERSIONS).glob("[0-9]*.py"))


def revision_of(connection: Connection) -> str | None:
    """Return the last migration that a database went through; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def upgrade(connection: Connection, folder: Path = FOLDER) -> None:
    """Runs what is missing, inside the caller's transaction."""
    from alembic import command  # only here: a database that is up to date does not wait for the import
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
