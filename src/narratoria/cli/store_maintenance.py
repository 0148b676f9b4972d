"""Defines the `narratoria store` commands that keep the store in order: check, backup, restore, retention."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from narratoria.terminal import say, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narratoria.store import RetentionPolicy, Store
    from narratoria.store.retention import Removal

WRONG = 1


SHOWN = 20  # memories that are told of one by one
WIDTH = 70  # characters of a memory that are shown
LIMIT = "N|none"
OPENINGS = {
    "max_age_days": "days a memory is kept",
    "max_records": "memories of a story that are kept, the newest",
    "max_bytes": "bytes that the memories of a story may take",
    "deleted_after_days": "days until what was deleted is gone for good",
}


@click.command(short_help="Copy the store to a file.")
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print only a JSON object.")
def backup(*, target: Path, force: bool, as_json: bool) -> None:
    """Copy the store to FILE: a whole copy, also while a story is played.

    FILE is there completely or not at all. `narratoria store restore FILE` brings it back.
    """
    from narratoria.errors import StoreUnavailable
    from narratoria.store.engines.sqlite import copy_database, find_damage

    source = _existing_store_file()
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
    _print_result(
        {"backup": str(target), "bytes": size}, f"{target} is a copy of it ({size:,} bytes).", as_json
    )


@click.command(short_help="Restore a backup.")
@click.argument("backup", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print only a JSON object.")
def restore(*, backup: Path | None, as_json: bool) -> None:
    """Put the backup FILE in the place of the store; without FILE, the latest one that is whole.

    What is there now is kept under another name beside it. A damaged backup, one of a newer version, and a
    store in use are refused, and nothing is changed.
    """
    from narratoria.app import store_file
    from narratoria.store.engines.backups import restore_backup

    restored = restore_backup(store_file(), backup)
    aside = restored.kept_aside
    note = f" What was there is kept as {aside}." if aside else ""
    about = {
        "restored": str(restored.file),
        "from": str(restored.backup),
        "keptAside": str(aside) if aside else None,
    }
    _print_result(about, f"{restored.file} is now a copy of {restored.backup}.{note}", as_json)


@click.command(short_help="Check the file for damage.")
@click.option("--json", "as_json", is_flag=True, help="Print only a JSON object.")
@click.pass_context
def check(ctx: click.Context, *, as_json: bool) -> None:
    """Look through the whole store for damage; nothing is changed.

    \b
    Exit code:
      0  it is whole
      1  it is damaged: what was found is told
      2  there is no store
    """
    from narratoria.store.engines.sqlite import find_damage, latest_backup

    file = _existing_store_file()
    damage, latest = find_damage(file), latest_backup(file)
    if not damage:
        words = f"{file} is whole."
    else:
        advice = f"The latest backup beside it is {latest}." if latest else "There is no backup beside it."
        words = "\n".join([f"{file} is damaged:", *(f"  {line}" for line in damage), advice])
        words += "\n`narratoria store restore` puts the latest whole backup in its place and keeps this file."
    about = {"file": str(file), "whole": not damage, "damage": damage}
    _print_result({**about, "latestBackup": str(latest) if latest else None}, words, as_json)
    ctx.exit(WRONG if damage else 0)


def _existing_store_file() -> Path:
    from narratoria.app import store_file
    from narratoria.errors import StoreUnavailable

    file = store_file()
    if not file.is_file():
        raise StoreUnavailable(f"there is no store yet ({file}); the first story that is played makes it")
    return file


def _print_result(about: Mapping[str, object], words: str, as_json: bool) -> None:
    import msgspec

    say(msgspec.json.encode(about).decode() if as_json else words)


@click.command(short_help="Set what may be forgotten, and see what would go.")
@click.option("--max-age-days", metavar=LIMIT, help="Save: forget memories that are older than N days.")
@click.option("--max-records", metavar=LIMIT, help="Save: keep the newest N memories of each story.")
@click.option("--max-bytes", metavar=LIMIT, help="Save: keep the newest memories of each story in N bytes.")
@click.option("--deleted-after-days", metavar=LIMIT, help="Save: N days after it was deleted, it is gone.")
@click.option("--now", is_flag=True, help="Apply the limits at once, and show what went.")
@click.option("--json", "as_json", is_flag=True, help="Print only a JSON object.")
def retention(*, now: bool, as_json: bool, **limits: str | None) -> None:
    """Show what stories may forget, and what would go now, and why; nothing is changed unless you say so.

    Unless you decide otherwise, every memory is kept, and what was deleted is gone for good after 30 days.
    An option saves a limit (retention.json in your home for Narratoria), and `none` lifts it. Major events
    are kept whatever the limits are. What goes, goes while nobody plays, or with --now.

    \b
    Exit code:
      0  done
      2  a value that is no limit, a file that cannot be read, a store in use: nothing was forgotten
    """
    import msgspec

    from narratoria import paths
    from narratoria.cli.store import with_store
    from narratoria.engine.memory.retention import change_policy, read_policy
    from narratoria.errors import StoreUnavailable

    changes = {
        _policy_key(name): _parse_limit(name, text) for name, text in limits.items() if text is not None
    }
    policy = change_policy(paths.shared_home(), changes) if changes else read_policy(paths.shared_home())
    if not as_json:
        _print_policy(policy)
    try:
        removals, remaining = with_store(lambda store: _plan_or_apply(store, policy, carry_out=now))
    except StoreUnavailable as error:
        if changes:
            raise StoreUnavailable(f"the limits are saved; what would go cannot be told: {error}") from error
        raise
    if as_json:
        about = {"policy": policy, "carriedOut": now, "removals": removals, "kept": remaining}
        say(msgspec.json.encode(about).decode())
        return
    _print_removals(removals, remaining, gone=now)


async def _plan_or_apply(
    store: Store, policy: RetentionPolicy, *, carry_out: bool
) -> tuple[tuple[Removal, ...], int]:
    """Return what would go, or went, and how many memories are kept."""
    report = await store.plan_retention(policy)
    if not carry_out:
        return report.removals, report.kept_count
    gone = await store.remove_planned(report)
    if gone:
        await store.compact()
    return gone, report.kept_count


def _print_policy(policy: RetentionPolicy) -> None:
    for name, opening in OPENINGS.items():
        limit = getattr(policy, name)
        say(f"{name.replace('_', '-'):<20}{'none' if limit is None else _format_limit(limit):>12}  {opening}")


def _print_removals(removals: Sequence[Removal], remaining: int, *, gone: bool) -> None:
    verb = "went" if gone else "would go"
    if not removals:
        say(f"\nNothing {verb}; {_count_memories(remaining)} kept.")
        return
    size = sum(removal.bytes for removal in removals)
    say(f"\n{_count_memories(len(removals))} {verb} ({size:,} bytes); {_count_memories(remaining)} kept:")
    for removal in removals[:SHOWN]:
        say(f"  {removal.timestamp[:10]}  {removal.reason:<8}{_format_removal(removal)}")
    if len(removals) > SHOWN:
        say(f"  and {len(removals) - SHOWN:,} more; --json names them all")
    if not gone:
        say("This happens while nobody plays, or at once with --now.")


def _count_memories(count: int) -> str:
    return f"{count:,} {'memory' if count == 1 else 'memories'}"


def _format_limit(limit: float) -> str:
    return f"{limit:,}".removesuffix(".0")


def _format_removal(removal: Removal) -> str:
    text = (removal.text or removal.identifier).replace("\n", " ")
    return visible(text if len(text) <= WIDTH else text[: WIDTH - 1] + "…")


def _policy_key(name: str) -> str:
    """Return the option's name as the file spells it."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _parse_limit(name: str, text: str) -> float | None:
    if text == "none":
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        option = f"--{name.replace('_', '-')}"
        raise click.BadParameter(f"{text!r} is neither a number nor none", param_hint=option) from None
