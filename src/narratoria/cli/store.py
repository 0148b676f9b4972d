"""Defines `narratoria store` and its commands that read the store: stats, search, export."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from narratoria.cli.commands import CommandTable, LazyGroup
from narratoria.terminal import say, visible

if TYPE_CHECKING:
    from narratoria.store import Playthrough, SearchHit, Store

SUBCOMMANDS: CommandTable = {
    "stats": ("narratoria.cli.store:stats", "Show what the store holds, and how long queries took."),
    "search": ("narratoria.cli.store:search", "Find memories and lore by what they are about."),
    "export": ("narratoria.cli.store:export", "Export everything as lines of JSON."),
    "retention": (
        "narratoria.cli.store_maintenance:retention",
        "Set what may be forgotten, and see what would go.",
    ),
    "check": ("narratoria.cli.store_maintenance:check", "Check the file for damage."),
    "backup": ("narratoria.cli.store_maintenance:backup", "Copy the store to a file."),
    "restore": ("narratoria.cli.store_maintenance:restore", "Restore a backup."),
}


NOTHING_FOUND = 1
WIDTH = 100  # characters of a memory that are shown
PAGE = 500  # records read at a time
BY_WORDS = "The embedding model is not installed: this search compares words, not meaning."
T = TypeVar("T")


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def store() -> None:
    """See, search, limit, back up, restore and check what stories remember.

    It is one file, narratoria.db in your home for Narratoria (NARRATORIA_HOME, if set), or what
    NARRATORIA_DATABASE_URL names. While a story is played, it belongs to that story: `backup` and `check`
    work nevertheless, the others ask you to close it first.

    \b
    Exit code, of every command here:
      0  done
      1  something was found wrong, or nothing was found
      2  what was asked for cannot be done: a file that cannot be used, a story that does not exist
    """


@click.command(short_help="Show what the store holds, and how long queries took.")
@click.option("--json", "as_json", is_flag=True, help="Print only a JSON object.")
def stats(*, as_json: bool) -> None:
    """What the store holds, and how long queries have taken, from its log."""
    import msgspec

    from narratoria import paths
    from narratoria.store.query_log import read_query_stats

    stock = with_store(lambda store: store.inventory())
    queries = read_query_stats(paths.home() / "logs")
    if as_json:
        say(msgspec.json.encode({"inventory": stock, "queries": queries}).decode())
        return
    say(f"{stock.playthroughs} stories, {stock.turns} turns, {stock.bytes:,} bytes")
    for kind, count in sorted(stock.records.items()):
        say(f"  {kind:<12}{count:>9,}")
    if stock.pending:
        say(f"  {stock.pending:,} of them wait for the embedding model, and are found by words until then")
    if not queries:
        say("No query has been logged yet.")
        return
    say(f"\n{'query':<16}{'calls':>8}{'failed':>8}{'p50 ms':>10}{'p95 ms':>10}{'p99 ms':>10}{'max ms':>10}")
    for method, cost in queries.items():
        figures = "".join(f"{value:>10.2f}" for value in (cost.p50_ms, cost.p95_ms, cost.p99_ms, cost.max_ms))
        say(f"{method:<16}{cost.calls:>8,}{cost.failures:>8,}{figures}")


@click.command(short_help="Find memories and lore by what they are about.")
@click.argument("text")
@click.option("--playthrough", metavar="P", help="Search only this story.  [default: all]")
@click.option("--type", "data_type", type=click.Choice(["memory", "lore"]), help="Only of this type.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    metavar="N",
    help="Number of results at most.  [default: 10]",
)
@click.option("--json", "as_json", is_flag=True, help="Print only JSON objects, one per line.")
@click.pass_context
def search(
    ctx: click.Context,
    *,
    text: str,
    playthrough: str | None,
    data_type: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Find what stories remember about TEXT, the most relevant first.

    Without the embedding model words are compared instead of meaning, and that is said.

    \b
    Exit code:
      0  something was found
      1  nothing was
      2  there is no such story, or the store cannot be used
    """
    import msgspec

    from narratoria.inference.installed_models import find_embedder

    if find_embedder() is None:
        click.echo(f"narratoria: {BY_WORDS}", err=True)
    matches = with_store(lambda store: _search(store, text, playthrough, data_type, limit), embed=True)
    for where, hit in matches:
        if as_json:
            say(msgspec.json.encode({"playthrough": where, **msgspec.to_builtins(hit)}).decode())
        else:
            say(f"{hit.relevance:.2f}  {where}  {hit.data_type} {hit.identifier}\n      {_format_match(hit)}")
    if not matches and not as_json:
        say("Nothing was found.")
    ctx.exit(0 if matches else NOTHING_FOUND)


@click.command(short_help="Export everything as lines of JSON.")
@click.option("--playthrough", metavar="P", help="Export only this story.  [default: all]")
@click.option("--format", "_form", type=click.Choice(["jsonl"]), default="jsonl", help="One object per line.")
def export(*, playthrough: str | None, _form: str) -> None:
    """Write everything that stories keep to stdout, one JSON object a line.

    Each has a `kind`: a `playthrough`, and after it its `turn`s, its `record`s and the `change`s of its
    standings, each with everything it shares with the story it was branched from; a `campaign`'s records come
    first.
    """
    import msgspec

    async def work(store: Store) -> None:
        async for kind, value in _read_everything(store, await _stories(store, playthrough)):
            say(msgspec.json.encode({"kind": kind, **msgspec.to_builtins(value)}).decode())

    with_store(work)


async def _search(
    store: Store, text: str, playthrough: str | None, data_type: str | None, limit: int
) -> list[tuple[str, SearchHit]]:
    best: dict[tuple[str, str], tuple[str, SearchHit]] = {}
    for story in reversed(await _stories(store, playthrough)):
        kinds = [data_type] if data_type else ["memory", "lore"]
        for kind in kinds:
            for hit in await store.at(story.id).semantic_search(text, kind, limit):
                best[kind, hit.identifier] = (story.id, hit)  # what branches share is one thing
    return sorted(best.values(), key=lambda pair: -pair[1].relevance)[:limit]


async def _stories(store: Store, playthrough: str | None) -> tuple[Playthrough, ...]:
    if playthrough is not None:
        return (await store.playthroughs.get(playthrough),)
    return await store.playthroughs.all(undone=True)


async def _read_everything(store: Store, stories: tuple[Playthrough, ...]) -> AsyncIterator[tuple[str, Any]]:
    from narratoria.store.validation import CAMPAIGN_ONLY, DATA_TYPES, LEDGERS

    for campaign in sorted({story.campaign for story in stories}):
        for data_type in (*CAMPAIGN_ONLY, "asset"):
            async for entry in _read_pages(store.campaign(campaign).exact_match, data_type):
                yield "campaign", {"campaign": campaign, "entry": entry}
    for story in stories:
        yield "playthrough", story
        for turn in await store.turns.history(story.id):
            yield "turn", turn
        scope = store.at(story.id)
        for data_type in DATA_TYPES:
            if data_type in CAMPAIGN_ONLY:
                continue
            async for entry in _read_pages(scope.exact_match, data_type):
                yield "record", {"playthroughId": story.id, "entry": entry}
                if data_type in LEDGERS:
                    for change in await scope.history(data_type, entry.identifier):
                        yield "change", {"playthroughId": story.id, "dataType": data_type, "entry": change}


async def _read_pages(read: Callable[..., Awaitable[tuple[Any, ...]]], data_type: str) -> AsyncIterator[Any]:
    offset = 0
    while entries := await read(data_type, {}, limit=PAGE, offset=offset):
        for entry in entries:
            yield entry
        offset += PAGE


def with_store(work: Callable[[Store], Awaitable[T]], *, embed: bool = False) -> T:
    from narratoria import app

    async def opened() -> T:
        async with app.use_store(embed=embed) as store:
            return await work(store)

    return asyncio.run(opened())


def _format_match(hit: SearchHit) -> str:
    body = hit.record
    text = str(getattr(body, "summary", "") or getattr(body, "content", "")).replace("\n", " ")
    return visible(text if len(text) <= WIDTH else text[: WIDTH - 1] + "…")
