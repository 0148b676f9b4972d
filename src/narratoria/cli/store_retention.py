"""`narratoria store retention`: what stories may forget, what would go, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from narratoria.terminal import say, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narratoria.store import Retention, Store
    from narratoria.store.retention import Removal

SHOWN = 20  # memories that are told of one by one
WIDTH = 70  # characters of a memory that are shown
LIMIT = "N|none"
OPENINGS = {
    "max_age_days": "days a memory is kept",
    "max_records": "memories of a story that are kept, the newest",
    "max_bytes": "bytes that the memories of a story may take",
    "deleted_after_days": "days until what was deleted is gone for good",
}


@click.command(short_help="What stories may forget, and what would go.")
@click.option("--max-age-days", metavar=LIMIT, help="Save: forget memories that are older than N days.")
@click.option("--max-records", metavar=LIMIT, help="Save: keep the newest N memories of each story.")
@click.option("--max-bytes", metavar=LIMIT, help="Save: keep the newest memories of each story in N bytes.")
@click.option("--deleted-after-days", metavar=LIMIT, help="Save: N days after it was deleted, it is gone.")
@click.option("--now", is_flag=True, help="Carry it out at once, and tell what went.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, and nothing else.")
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
    from narratoria.cli.store_look import with_store
    from narratoria.engine.memory.retention import change_policy, read_policy
    from narratoria.errors import StoreUnavailable

    changes = {_key(name): _number(name, text) for name, text in limits.items() if text is not None}
    policy = change_policy(paths.home(), changes) if changes else read_policy(paths.home())
    if not as_json:
        _say_policy(policy)
    try:
        removals, kept = with_store(lambda store: _look(store, policy, carry_out=now))
    except StoreUnavailable as error:
        if changes:
            raise StoreUnavailable(f"the limits are saved; what would go cannot be told: {error}") from error
        raise
    if as_json:
        about = {"policy": policy, "carriedOut": now, "removals": removals, "kept": kept}
        say(msgspec.json.encode(about).decode())
        return
    _say_removals(removals, kept, gone=now)


async def _look(store: Store, policy: Retention, *, carry_out: bool) -> tuple[tuple[Removal, ...], int]:
    """What would go, or went, and how many memories are kept."""
    report = await store.plan_retention(policy)
    if not carry_out:
        return report.removals, report.kept
    gone = await store.carry_out(report)
    if gone:
        await store.compact()
    return gone, report.kept


def _say_policy(policy: Retention) -> None:
    for name, opening in OPENINGS.items():
        limit = getattr(policy, name)
        say(f"{name.replace('_', '-'):<20}{'none' if limit is None else _plain(limit):>12}  {opening}")


def _say_removals(removals: Sequence[Removal], kept: int, *, gone: bool) -> None:
    verb = "went" if gone else "would go"
    if not removals:
        say(f"\nNothing {verb}; {_memories(kept)} kept.")
        return
    size = sum(removal.bytes for removal in removals)
    say(f"\n{_memories(len(removals))} {verb} ({size:,} bytes); {_memories(kept)} kept:")
    for removal in removals[:SHOWN]:
        say(f"  {removal.timestamp[:10]}  {removal.reason:<8}{_words(removal)}")
    if len(removals) > SHOWN:
        say(f"  and {len(removals) - SHOWN:,} more; --json names them all")
    if not gone:
        say("This happens while nobody plays, or at once with --now.")


def _memories(count: int) -> str:
    return f"{count:,} {'memory' if count == 1 else 'memories'}"


def _plain(limit: float) -> str:
    return f"{limit:,}".removesuffix(".0")


def _words(removal: Removal) -> str:
    text = (removal.text or removal.identifier).replace("\n", " ")
    return visible(text if len(text) <= WIDTH else text[: WIDTH - 1] + "…")


def _key(name: str) -> str:
    """As the file spells it."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _number(name: str, text: str) -> float | None:
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
