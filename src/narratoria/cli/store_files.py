"""`narratoria store backup`, `restore` and `check`: the store as a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from narratoria.terminal import say

WRONG = 1


@click.command(short_help="Copy the store to a file.")
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, and nothing else.")
def backup(*, target: Path, force: bool, as_json: bool) -> None:
    """Copy the store to FILE: a whole copy, also while a story is played.

    FILE is there completely or not at all. `narratoria store restore FILE` brings it back.
    """
    from narratoria.errors import StoreUnavailable
    from narratoria.store.backup import copy_database, find_damage

    source = _there()
    if target.is_dir():
        raise StoreUnavailable(f"{target} is a folder; name the file to write")
    if target.exists() and target.samefile(source):
        raise StoreUnavailable(f"{target} is the store itself; name another file")
    if target.exists() and not force:
        raise StoreUnavailable(f"{target} is there already; name another file, or replace it with --force")
    if damage := find_damage(source):
        raise StoreUnavailable(f"{source} is damaged ({damage[0]}); a backup of it would be none")
    copy_database(source, target)
    size = target.stat().st_size
    _tell({"backup": str(target), "bytes": size}, f"{target} is a copy of it ({size:,} bytes).", as_json)


@click.command(short_help="Put a backup in the store's place.")
@click.argument("backup", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, and nothing else.")
def restore(*, backup: Path, as_json: bool) -> None:
    """Put the backup FILE in the place of the store.

    What is there now is kept under another name beside it. A damaged backup, one of a newer version, and a
    store in use are refused, and nothing is changed.
    """
    from narratoria.store.restore import restore as put_back

    file = _file()
    aside = put_back(file, backup)
    kept = f" What was there is kept as {aside}." if aside else ""
    about = {"restored": str(file), "from": str(backup), "keptAside": str(aside) if aside else None}
    _tell(about, f"{file} is now a copy of {backup}.{kept}", as_json)


@click.command(short_help="Look through the file for damage.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, and nothing else.")
@click.pass_context
def check(ctx: click.Context, *, as_json: bool) -> None:
    """Look through the whole store for damage; nothing is changed.

    \b
    Exit code:
      0  it is whole
      1  it is damaged: what was found is told
      2  there is no store
    """
    from narratoria.store.backup import find_damage, latest_backup

    file = _there()
    damage, latest = find_damage(file), latest_backup(file)
    if not damage:
        words = f"{file} is whole."
    else:
        advice = f"The latest backup beside it is {latest}." if latest else "There is no backup beside it."
        words = "\n".join([f"{file} is damaged:", *(f"  {line}" for line in damage), advice])
        words += "\n`narratoria store restore FILE` puts a backup in its place and keeps this file."
    about = {"file": str(file), "whole": not damage, "damage": damage}
    _tell({**about, "latestBackup": str(latest) if latest else None}, words, as_json)
    ctx.exit(WRONG if damage else 0)


def _file() -> Path:
    from narratoria import app
    from narratoria.errors import StoreUnavailable
    from narratoria.store.store import file_of

    place = app.store_place()
    if isinstance(place, str) and place.startswith("postgres"):
        raise StoreUnavailable(
            "this store is a server's (NARRATORIA_DATABASE_URL); use the server's own tools"
        )
    return file_of(place)


def _there() -> Path:
    from narratoria.errors import StoreUnavailable

    file = _file()
    if not file.is_file():
        raise StoreUnavailable(f"there is no store yet ({file}); the first story that is played makes it")
    return file


def _tell(about: Mapping[str, object], words: str, as_json: bool) -> None:
    import msgspec

    say(msgspec.json.encode(about).decode() if as_json else words)
