"""`narratoria campaign new`, `list`, `pack`, `install` and `import`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from narratoria import paths
from narratoria.cli.campaign_found import folder_of
from narratoria.terminal import counted, painted, say, visible

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
    from narratoria.campaign.authoring import Beginning, begin_campaign

    asking = sys.stdin.isatty()
    name = title or (click.prompt("What is it called") if asking else folder.name.replace("-", " ").title())
    said = {key: value or "" for key, value in given.items()}
    if asking and title is None:
        for key, question in QUESTIONS.items():
            said[key] = said[key] or click.prompt(question, default="", show_default=False)
    for file in begin_campaign(folder, Beginning(title=name, **said)):
        say(f"  {visible(str(folder / file))}")
    say(f"Play it: narratoria play {visible(str(folder))}")


@click.command("list")
@AS_JSON
def list_campaigns(*, as_json: bool) -> None:
    """The campaigns there are: yours, and those that came with Narratoria."""
    from narratoria.campaign.validate import validate

    roots = {"yours": paths.home() / "campaigns", "bundled": paths.BUNDLED_CAMPAIGNS}
    rows: list[dict[str, str | int]] = []
    for whose, root in roots.items():
        for folder in sorted(root.glob("*/")):
            if folder.name[0] in "._" or folder.name in {row["name"] for row in rows}:
                continue
            report = validate(folder)
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
        wrong = painted(f"  {counted(int(str(row['errors'])), 'error')}", sys.stdout, fg="red")
        more = wrong if row["errors"] else ""
        more += f"  {row['generated']} generated" if row["generated"] else ""
        say(f"  {row['name']:<20} {visible(str(row['title']))} {row['version']} ({row['whose']}){more}")


@click.command()
@click.argument("campaign", default=".")
@click.option("--to", "target", type=click.Path(path_type=Path), help="The file to write.")
@AS_JSON
def pack(*, campaign: str, target: Path | None, as_json: bool) -> None:
    """Pack a campaign into one file to pass on, with a checksum for everything in it.

    The same folder gives the same bytes on every machine, so that its checksum says what it is.
    """
    from narratoria.campaign.pack import pack as write

    packed = write(folder_of(campaign), target)
    if as_json:
        document = {
            "file": str(packed.path),
            "sha256": packed.sha256,
            "files": len(packed.contents.files),
            "generated": packed.contents.generated,
        }
        say(json.dumps(document, indent=2))
        return
    say(f"{packed.path}: {counted(len(packed.contents.files), 'file')}, sha256 {packed.sha256}")
    if packed.contents.generated:
        say(f"It says of {counted(packed.contents.generated, 'file')} that a program made them.")


@click.command()
@click.argument("archive", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--name", default="", help="Under another name than its own.")
@click.option("--replace", is_flag=True, help="Put it in the place of one that has its name.")
def install(*, archive: Path, name: str, replace: bool) -> None:
    """Install a packed campaign among yours, once everything in it has been checked.

    Refused, with nothing changed: files that lead out of the archive, links, programs, an archive that
    unpacks to too much, a file that is not what was packed, a campaign with errors.
    """
    from narratoria.campaign.pack import install as put

    folder, contents = put(archive, name=name, replace=replace)
    say(f"{visible(contents.title)} {contents.version}: {counted(len(contents.files), 'file')} in {folder}")
    if contents.generated:
        say(f"{counted(contents.generated, 'file')} in it were made by a program; see who wrote what:")
        say(f"  narratoria campaign provenance {folder.name}")
    say(f"Play it: narratoria play {folder.name}")


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--into", "folder", type=click.Path(path_type=Path), required=True, help="The campaign's folder."
)
@click.option("--as", "kind", help="What it is, if its name does not say: card, lorebook, twee or ink.")
@AS_JSON
def import_file(*, file: Path, folder: Path, kind: str | None, as_json: bool) -> None:
    """Bring in what was written for another program: a character card, a lorebook, Twee 3, or ink.

    What maps becomes people, lore, beats and endings of the campaign in the folder, which is begun if need
    be; the report says what did not. Each file says what it was imported from. Files that are there stay.
    """
    from narratoria.campaign.importers import import_into

    report = import_into(file, folder, kind)
    if as_json:
        say(json.dumps(report.as_document(), ensure_ascii=False, indent=2))
        return
    for line in report.lines():
        say(visible(line))
