"""`narratoria campaign ingest`, `enrich` and `provenance`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from narratoria.cli.campaign_found import SOMETHING_WRONG, folder_of
from narratoria.terminal import counted, painted, say, visible

if TYPE_CHECKING:
    from narratoria.campaign.enrich.enrichment import Enriched
    from narratoria.campaign.ingest import Ingested

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")


def _progress(verb: str) -> Callable[[int, int, str], None]:
    """One line that is written over, for somebody who sits at a terminal."""
    if not sys.stderr.isatty():
        return lambda *_: None

    def show(done: int, of: int, file: str) -> None:
        line = f"{verb} {done}/{of} {visible(file)}"[:78]
        click.echo(f"\r{line:<78}" if done < of else f"\r{'':<78}\r", nl=False, err=True)

    return show


@click.command()
@click.argument("campaign", default=".")
@AS_JSON
def ingest(*, campaign: str, as_json: bool) -> None:
    """Take a campaign into the store: its lore in parts that can be found, and what is known of every file.

    A story does this by itself when it is begun. What has not changed since the last time costs nothing; all
    of it is taken in, or nothing.
    """
    done = asyncio.run(_ingest(folder_of(campaign)))
    if as_json:
        say(json.dumps(done.as_document(), ensure_ascii=False, indent=2))
        return
    changes = [
        f"{len(files)} {word}"
        for word, files in (("new", done.added), ("changed", done.changed), ("gone", done.removed))
        if files
    ]
    told = ", ".join(changes) or "nothing has changed"
    holds = f"{counted(done.files, 'file')}, {counted(done.chunks, 'part')} of lore"
    say(f"{holds}: {told} ({done.seconds:.1f} s).")
    if done.warning:
        say(done.warning)


async def _ingest(folder: Path) -> Ingested:
    from narratoria import app
    from narratoria.campaign.ingest import ingest as take_in

    async with app.use_store(embed=True) as store:
        done = await take_in(folder, store, on_step=_progress("taking in"))
        if store.embeddings.embedder is not None:
            await store.reembed_pending()
        return done


@click.command()
@click.argument("campaign", default=".")
@click.option("--seed", type=int, default=0, metavar="N", help="Another seed invents others.")
@click.option("--again", is_flag=True, help="Throw away what was generated before, and generate it anew.")
@click.option("--no-model", is_flag=True, help="Leave every choice to the seed: the same files every time.")
@AS_JSON
def enrich(*, campaign: str, seed: int, again: bool, no_model: bool, as_json: bool) -> None:
    """Fill up a campaign of fewer than three content files, so that it can be played.

    What is missing is made from the author's own words and written beside them as NAME_generated files, each
    of which says what made it, when and from what. No file of yours is touched; delete or replace what you
    do not like. A campaign that came with Narratoria is copied into your campaigns first.
    """
    from narratoria.campaign.enrich import enrichment as enriching
    from narratoria.campaign.folder import is_sparse, look_at

    folder = folder_of(campaign)
    target = enriching.place_for(folder)
    if again and target.is_dir():
        enriching.forget(target)
    if not is_sparse(look_at(folder)):
        say("Its author has written enough: there is nothing to fill up.")
        return
    made = asyncio.run(_enrich(folder, seed, no_model=no_model))
    if as_json:
        say(enriching.as_json(made))
        return
    if not made.written:
        say(f"{made.folder}: it was filled up before; --again does it anew.")
        return
    for file in made.written:
        say(f"  {file}")
    say(f"{counted(len(made.written), 'file')} written in {made.folder} by {made.source_model}.")
    say(f"{counted(len(made.kept), 'file')} of the author's: unchanged.")


async def _enrich(folder: Path, seed: int, *, no_model: bool) -> Enriched:
    from narratoria.campaign.enrich.enrichment import enrich as fill_up
    from narratoria.campaign.enrich.enrichment import enrich_with, open_judge

    judge = None if no_model else open_judge()
    if judge is None:
        return fill_up(folder, seed=seed, on_step=_progress("writing"))
    try:
        return await enrich_with(judge, folder, seed=seed, on_step=_progress("writing"))
    finally:
        await judge.close()


@click.command()
@click.argument("campaign", default=".")
@AS_JSON
@click.pass_context
def provenance(ctx: click.Context, *, campaign: str, as_json: bool) -> None:
    """Who wrote what: which files people made, which a program, from what, and which came from elsewhere.

    \b
    Exit code:
      0  every file says truly who made it
      1  one does not: it is called generated and not marked, or marked without its provenance
    """
    from narratoria.campaign.load import load_warning, read_campaign
    from narratoria.campaign.provenance import origins

    folder = folder_of(campaign)
    reading = read_campaign(folder)
    broken = [f for f in reading.findings() if f.code in ("provenance", "unmarked")]
    found = origins(reading)
    warning = load_warning(reading.campaign) if reading.campaign else ""
    if as_json:
        document = {
            "folder": str(folder),
            "warning": warning,
            "files": [origin.as_document() for origin in found],
            "problems": [finding.as_document() for finding in broken],
        }
        say(json.dumps(document, ensure_ascii=False, indent=2))
        ctx.exit(SOMETHING_WRONG if broken else 0)
    for origin in found:
        by = origin.provenance
        told = f"{by.source_model}, {by.generated_at}" if by else origin.source
        aside = f" (replaced by {origin.replaced_by})" if origin.replaced_by else ""
        say(f"  {origin.who:<9}  {visible(origin.path)}{aside}" + (f"  {visible(told)}" if told else ""))
    counts = Counter(origin.who for origin in found)
    say("")
    say(", ".join(f"{count} {who}" for who, count in sorted(counts.items())) + ".")
    if warning:
        say(warning)
    for finding in broken:
        say(painted(visible(finding.as_line(folder)), sys.stdout, fg="red"))
    ctx.exit(SOMETHING_WRONG if broken else 0)
