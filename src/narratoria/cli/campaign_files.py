"""Defines the `narratoria campaign` commands that write campaigns, list them, or trace their authors."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from narratoria import paths
from narratoria.cli.campaign import PROBLEMS_FOUND, find_campaign_folder
from narratoria.terminal import count_noun, paint, say, visible

if TYPE_CHECKING:
    from narratoria.campaign.enrich.enrichment import EnrichmentReport
    from narratoria.campaign.ingest import IngestReport
    from narratoria.campaign.pack import ArchivedCampaign

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
QUESTIONS = {
    "author": "Who are you (may stay empty)",
    "description": "In one sentence, what is it about",
    "genre": "What kind of story is it",
    "tone": "How does it feel",
    "place": "What is the place called where it begins",
    "setting": "What does one see there",
    "premise": "What has just happened when it begins",
    "person": "Who is there (a name; may stay empty)",
}


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--title", help="What it is called.")
@click.option("--author", help="Who writes it.")
@click.option("--description", help="One sentence.")
@click.option("--genre", help="Such as Mystery.")
@click.option("--tone", help="Such as: light, melancholy.")
@click.option("--setting", help="The world, in a paragraph.")
@click.option("--premise", help="The first scene.")
@click.option("--place", help="The place where it begins.")
@click.option("--person", help="Somebody who is there.")
@click.option("--role", help="What that person is.")
@click.option("--never", help="Something that must not happen.")
def new(*, folder: Path, title: str | None, **given: str | None) -> None:
    """Begin a campaign in FOLDER: a few questions, or as many options as you like.

    Where somebody sits at the terminal, what is not given is asked for; an empty answer leaves it out.
    """
    from narratoria.campaign.authoring import NewCampaign, create_campaign

    asking = sys.stdin.isatty()
    name = title or (click.prompt("What is it called") if asking else folder.name.replace("-", " ").title())
    answers = {key: value or "" for key, value in given.items()}
    if asking and title is None:
        for key, question in QUESTIONS.items():
            answers[key] = answers[key] or click.prompt(question, default="", show_default=False)
    for file in create_campaign(folder, NewCampaign(title=name, **answers)):
        say(f"  {visible(str(folder / file))}")
    say(f"Play it: narratoria play {visible(str(folder))}")


@click.command("list")
@AS_JSON
def list_campaigns(*, as_json: bool) -> None:
    """The campaigns there are: yours, and those that came with Narratoria."""
    from narratoria.campaign.validate import validate_campaign

    roots = {"yours": paths.shared_home() / "campaigns", "bundled": paths.BUNDLED_CAMPAIGNS}
    rows: list[dict[str, str | int]] = []
    for whose, root in roots.items():
        for folder in sorted(root.glob("*/")):
            if folder.name[0] in "._" or folder.name in {row["name"] for row in rows}:
                continue
            report = validate_campaign(folder)
            manifest = report.campaign.manifest if report.campaign else None
            rows.append(
                {
                    "name": folder.name,
                    "title": manifest.title if manifest else "",
                    "version": manifest.version if manifest else "",
                    "whose": whose,
                    "folder": str(folder),
                    "errors": report.count("error"),
                    "generated": len(report.campaign.generated) if report.campaign else 0,
                }
            )
    if as_json:
        say(json.dumps({"campaigns": rows}, ensure_ascii=False, indent=2))
        return
    for row in rows:
        wrong = paint(f"  {count_noun(int(str(row['errors'])), 'error')}", sys.stdout, fg="red")
        more = wrong if row["errors"] else ""
        more += f"  {row['generated']} generated" if row["generated"] else ""
        say(f"  {row['name']:<20} {visible(str(row['title']))} {row['version']} ({row['whose']}){more}")


@click.command()
@click.argument("campaign", default=".")
@click.option("--to", "target", type=click.Path(path_type=Path), help="The file to write.")
@click.option("--sign", "signed", is_flag=True, help="Sign it with your key (narratoria maker create).")
@AS_JSON
def pack(*, campaign: str, target: Path | None, signed: bool, as_json: bool) -> None:
    """Pack a campaign into one file to pass on, with a checksum for everything in it.

    The same folder gives the same bytes on every machine, so that its checksum says what it is.
    """
    from narratoria.campaign.pack import pack_campaign as write

    packed = write(find_campaign_folder(campaign), target, signed=signed)
    if as_json:
        document = {
            "file": str(packed.path),
            "sha256": packed.sha256,
            "files": len(packed.contents.files),
            "generated": packed.contents.generated,
        }
        say(json.dumps(document, indent=2))
        return
    say(f"{packed.path}: {count_noun(len(packed.contents.files), 'file')}, sha256 {packed.sha256}")
    if packed.contents.generated:
        say(f"It says of {count_noun(packed.contents.generated, 'file')} that a program made them.")


@click.command()
@click.argument("archive", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def read(*, archive: Path) -> None:
    """Show what a packed campaign is and who has signed it; nothing is installed, nothing is run.

    It is refused for the same reasons as by `install`.
    """
    from narratoria.campaign.pack import open_archive

    with open_archive(archive) as opened:
        _show_archive(opened)


def _show_archive(opened: ArchivedCampaign) -> None:
    from narratoria.campaign.load import load_campaign
    from narratoria.cli.maker import describe_maker

    about = load_campaign(opened.folder)
    manifest = about.manifest
    author = f", by {visible(manifest.author)}" if manifest.author else ""
    say(f"“{visible(manifest.title)}” {manifest.version}{author}: {visible(manifest.description)}")
    say(f"It is {describe_maker(opened.maker)}.")
    parts = ((len(about.places), "place"), (len(about.people), "person", "people"))
    counts = [count_noun(*part) for part in parts]
    say(f"It has {', '.join(counts)} and {count_noun(len(opened.contents.files), 'file')}.")
    if opened.contents.generated:
        say(f"It says of {count_noun(opened.contents.generated, 'file')} that a program made them.")
    say("\n" + "\n\n".join(map(visible, about.premise)))


@click.command()
@click.argument("archive", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--name", default="", help="Install it under another name.")
@click.option("--replace", is_flag=True, help="Replace the campaign of the same name.")
@click.option("--yes", is_flag=True, help="Do not ask, whoever made it.")
def install(*, archive: Path, name: str, replace: bool, yes: bool) -> None:
    """Install a packed campaign among yours, once everything in it has been checked.

    Refused, with nothing changed: files that lead out of the archive, links, programs, an archive that
    unpacks to too much, a file that is not what was packed or signed, a campaign with errors. At a terminal,
    one of somebody whom you do not know is shown first, and you are asked.
    """
    from narratoria.campaign.pack import install_archive as put
    from narratoria.campaign.pack import open_archive
    from narratoria.cli.maker import confirm_stranger

    with open_archive(archive) as opened:
        confirm_stranger(opened.maker, lambda: _show_archive(opened), yes=yes)
    folder, contents = put(archive, name=name, replace=replace)
    say(
        f"{visible(contents.title)} {contents.version}: {count_noun(len(contents.files), 'file')} in {folder}"
    )
    if contents.generated:
        say(f"{count_noun(contents.generated, 'file')} in it were made by a program; see who wrote what:")
        say(f"  narratoria campaign provenance {folder.name}")
    say(f"Play it: narratoria play {folder.name}")


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--into", "folder", type=click.Path(path_type=Path), required=True, help="The campaign's folder."
)
@click.option(
    "--as", "kind", help="The format, if the file's name does not tell: card, lorebook, twee, twine or ink."
)
@click.option("--leave-out", is_flag=True, help="Bring in a story without the lines that cannot be kept.")
@AS_JSON
def import_file(*, file: Path, folder: Path, kind: str | None, leave_out: bool, as_json: bool) -> None:
    """Bring in what was written for another program: a character card, a lorebook, Twine, or ink.

    Cards and lorebooks become people and lore of the campaign in the folder, which is begun if need be;
    stories of Twine (Twee 3, or a published page) and ink, alone or in a zip file, are played as they are
    written. What is not understood of a story is refused, line by line; the report says what else was left.
    Files that are there stay.
    """
    from narratoria.campaign.importers import import_into

    report = import_into(file, folder, kind, leave_out=leave_out)
    if as_json:
        say(json.dumps(report.as_document(), ensure_ascii=False, indent=2))
        return
    for line in report.lines():
        say(visible(line))


def _progress_line(verb: str) -> Callable[[int, int, str], None]:
    """Return a function that shows progress in one line, in a terminal."""
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
    report = asyncio.run(_ingest(find_campaign_folder(campaign)))
    if as_json:
        say(json.dumps(report.as_document(), ensure_ascii=False, indent=2))
        return
    changes = [
        f"{len(files)} {word}"
        for word, files in (("new", report.added), ("changed", report.changed), ("gone", report.removed))
        if files
    ]
    summary = ", ".join(changes) or "nothing has changed"
    holds = f"{count_noun(report.files, 'file')}, {count_noun(report.chunks, 'part')} of lore"
    say(f"{holds}: {summary} ({report.seconds:.1f} s).")
    if report.warning:
        say(report.warning)


async def _ingest(folder: Path) -> IngestReport:
    from narratoria import app
    from narratoria.campaign.ingest import ingest_campaign

    async with app.use_store(embed=True) as store:
        report = await ingest_campaign(folder, store, on_step=_progress_line("taking in"))
        if store.embeddings.embedder is not None:
            await store.reembed_pending()
        return report


@click.command()
@click.argument("campaign", default=".")
@click.option("--seed", type=int, default=0, metavar="N", help="Seed for what is invented.")
@click.option("--again", is_flag=True, help="Discard what was generated before, and generate it again.")
@click.option("--no-model", is_flag=True, help="Decide by the seed alone: the same files every time.")
@AS_JSON
def enrich(*, campaign: str, seed: int, again: bool, no_model: bool, as_json: bool) -> None:
    """Fill up a campaign of fewer than three content files, so that it can be played.

    What is missing is made from the author's own words and written beside them as NAME_generated files, each
    of which says what made it, when and from what. No file of yours is touched; delete or replace what you
    do not like. A campaign that came with Narratoria is copied into your campaigns first.
    """
    from narratoria.campaign.enrich import enrichment as enriching
    from narratoria.campaign.folder import is_sparse, scan_folder

    folder = find_campaign_folder(campaign)
    target = enriching.enrichment_folder(folder)
    if again and target.is_dir():
        enriching.delete_generated_files(target)
    if not is_sparse(scan_folder(folder)):
        say("Its author has written enough: there is nothing to fill up.")
        return
    report = asyncio.run(_enrich(folder, seed, no_model=no_model))
    if as_json:
        say(enriching.report_as_json(report))
        return
    if not report.written:
        say(f"{report.folder}: it was filled up before; --again does it anew.")
        return
    for file in report.written:
        say(f"  {file}")
    say(f"{count_noun(len(report.written), 'file')} written in {report.folder} by {report.source_model}.")
    say(f"{count_noun(len(report.author_files), 'file')} of the author's: unchanged.")


async def _enrich(folder: Path, seed: int, *, no_model: bool) -> EnrichmentReport:
    from narratoria.campaign.enrich.enrichment import enrich_campaign as fill_up
    from narratoria.campaign.enrich.enrichment import enrich_with_model, open_judge

    judge = None if no_model else open_judge()
    if judge is None:
        return fill_up(folder, seed=seed, on_step=_progress_line("writing"))
    try:
        return await enrich_with_model(judge, folder, seed=seed, on_step=_progress_line("writing"))
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
    from narratoria.campaign.load import generated_content_warning, read_campaign
    from narratoria.campaign.provenance import list_origins

    folder = find_campaign_folder(campaign)
    reading = read_campaign(folder)
    broken = [f for f in reading.problems() if f.code in ("provenance", "unmarked")]
    file_origins = list_origins(reading)
    warning = generated_content_warning(reading.campaign) if reading.campaign else ""
    if as_json:
        document = {
            "folder": str(folder),
            "warning": warning,
            "files": [origin.as_document() for origin in file_origins],
            "problems": [finding.as_document() for finding in broken],
        }
        say(json.dumps(document, ensure_ascii=False, indent=2))
        ctx.exit(PROBLEMS_FOUND if broken else 0)
    for origin in file_origins:
        by = origin.provenance
        source = f"{by.source_model}, {by.generated_at}" if by else origin.source
        aside = f" (replaced by {origin.replaced_by})" if origin.replaced_by else ""
        say(f"  {origin.who:<9}  {visible(origin.path)}{aside}" + (f"  {visible(source)}" if source else ""))
    counts = Counter(origin.who for origin in file_origins)
    say("")
    say(", ".join(f"{count} {who}" for who, count in sorted(counts.items())) + ".")
    if warning:
        say(warning)
    for finding in broken:
        say(paint(visible(finding.as_line(folder)), sys.stdout, fg="red"))
    ctx.exit(PROBLEMS_FOUND if broken else 0)
