"""Defines `narratoria campaign` and its commands that read a campaign: validate, check, info, schemas."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from narratoria import paths
from narratoria.cli.commands import CommandTable, LazyGroup
from narratoria.errors import NarratoriaException
from narratoria.terminal import count_noun, paint, say, visible

if TYPE_CHECKING:
    from narratoria.campaign.campaign import Campaign
    from narratoria.campaign.check import CheckReport
    from narratoria.campaign.problems import CampaignProblem
    from narratoria.campaign.validate import ValidationReport

SUBCOMMANDS: CommandTable = {
    "validate": ("narratoria.cli.campaign:validate", "Check its files; problems with file and line."),
    "check": ("narratoria.cli.campaign:check", "Check which beats and endings can be reached."),
    "info": ("narratoria.cli.campaign:info", "Show what a campaign contains."),
    "questions": (
        "narratoria.cli.campaign_answers:questions",
        "List what players asked and it could not answer.",
    ),
    "answer": ("narratoria.cli.campaign_answers:answer", "Explain how words are read and answered."),
    "list": ("narratoria.cli.campaign_files:list_campaigns", "List yours and the bundled ones."),
    "new": ("narratoria.cli.campaign_files:new", "Create one, with a few questions."),
    "enrich": ("narratoria.cli.campaign_files:enrich", "Fill in what a sparse one leaves open."),
    "ingest": ("narratoria.cli.campaign_files:ingest", "Load its lore and files into the store."),
    "provenance": ("narratoria.cli.campaign_files:provenance", "Show who wrote what."),
    "pack": ("narratoria.cli.campaign_files:pack", "Pack it into one file."),
    "read": ("narratoria.cli.campaign_files:read", "Look into a packed one, without installing it."),
    "install": ("narratoria.cli.campaign_files:install", "Install a packed one."),
    "import": ("narratoria.cli.campaign_files:import_file", "Import what was written for another program."),
    "schemas": ("narratoria.cli.campaign:schemas", "Write the JSON Schemas of its files, for an editor."),
}


PROBLEMS_FOUND = 1
COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
NAMES = {"error": "error", "warning": "warning", "info": "note"}
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
SETTLE_MS = 200  # an editor that saves several files is waited for


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def campaign() -> None:
    """Write, check and look at campaigns: the folders that stories are told from.

    CAMPAIGN is a folder, or the name of one among yours and those that came with Narratoria.

    \b
    Exit code, of every command here:
      0  done, or nothing is wrong (there may be warnings)
      1  something is wrong
      2  what was asked for cannot be done, such as finding a campaign of that name
    """


def find_campaign_folder(name: str) -> Path:
    """Return the folder at this path, or that of the campaign of this name."""
    if Path(name).is_dir():
        return Path(name)
    roots = (paths.shared_home() / "campaigns", paths.BUNDLED_CAMPAIGNS)
    for root in roots:
        if (root / name).is_dir() and Path(name).name == name:
            return root / name
    names = sorted({at.name for root in roots for at in root.glob("*/") if not at.name.startswith(".")})
    message = f"there is no campaign '{name}'; give the path of its folder, or one of: {', '.join(names)}"
    raise NarratoriaException(message)


def format_by_file(problems: Iterable[CampaignProblem]) -> Iterator[str]:
    """Yield the problems as lines under the name of their file."""
    for file, group in groupby(problems, key=lambda finding: finding.file):
        yield paint(visible(file or "the campaign"), sys.stdout, bold=True)
        for finding in group:
            place = f"{finding.line}:{finding.column}" if finding.line else "-"
            severity = paint(f"{NAMES[finding.severity]:<7}", sys.stdout, fg=COLOURS[finding.severity])
            yield f"  {place:>7}  {severity}  {visible(finding.message)}"
            if finding.pointer:
                yield paint(f"{'':>20}{visible(finding.pointer)}", sys.stdout, dim=True)
        yield ""


@click.command()
@click.argument("campaign", default=".")
@AS_JSON
@click.option(
    "--watch", is_flag=True, help="Check again after every change; one line per problem, for editors."
)
@click.pass_context
def validate(ctx: click.Context, *, campaign: str, as_json: bool, watch: bool) -> None:
    """Find what is wrong with the files of a campaign: each finding with its file, line and what to do.

    Errors keep a campaign from being played. Warnings are about what its author will not have meant: names
    that nobody bears, files that are not there or that nothing uses, conditions that cannot be met.

    \b
    Exit code:
      0  no errors (there may be warnings)
      1  errors
      2  there is no such campaign
    """
    from narratoria.campaign.validate import validate_campaign as validate_folder

    folder = find_campaign_folder(campaign)
    if watch:
        _watch(folder)
        return
    report = validate_folder(folder)
    if as_json:
        _say_json(_report_document(report))
    else:
        say("\n".join([*format_by_file(report.problems), _report_summary(report)]))
    ctx.exit(0 if report.ok else PROBLEMS_FOUND)


def _report_document(report: ValidationReport) -> dict[str, object]:
    return {
        "ok": report.ok,
        "folder": str(report.folder),
        "files": report.files,
        "errors": report.count("error"),
        "warnings": report.count("warning"),
        "findings": [finding.as_document() for finding in report.problems],
    }


def _report_summary(report: ValidationReport) -> str:
    errors, warnings = report.count("error"), report.count("warning")
    counts = [count_noun(errors, "error")] if errors else []
    counts += [count_noun(warnings, "warning")] if warnings else []
    return f"{count_noun(report.files, 'file')} checked: {' and '.join(counts) or 'nothing is wrong'}."


def _watch(folder: Path) -> None:
    """Validate after every change until interrupted; an editor tells rounds apart by first and last line."""
    from watchfiles import watch

    from narratoria.campaign.validate import validate_campaign as validate_folder

    def print_round() -> None:
        report = validate_folder(folder)
        lines = [visible(finding.as_line(folder)) for finding in report.problems]
        say("\n".join([f"checking {folder}", *lines, f"done: {_report_summary(report)}"]))

    print_round()
    for _ in watch(folder, debounce=SETTLE_MS, step=50, raise_interrupt=False):
        print_round()


@click.command()
@click.argument("campaign", default=".")
@AS_JSON
@click.option("--all", "everything", is_flag=True, help="Also show notes and every beat.")
@click.pass_context
def check(ctx: click.Context, *, campaign: str, as_json: bool, everything: bool) -> None:
    """Find out which beats and endings a story can reach, and why it cannot reach the others.

    Looks at what beats require, at the scenes they wait for, at what brings about the states and flags they
    ask for, at expressions, places and outcomes. What is called unreachable cannot be reached by any playing.
    Where a memory may decide, it says that it cannot tell.

    \b
    Exit code:
      0  all that matters can be reached
      1  it cannot: a critical beat, one that may not be skipped, or an ending; or a file is broken
      2  there is no such campaign
    """
    from narratoria.campaign.check import check_campaign as compile_campaign

    compiled = compile_campaign(find_campaign_folder(campaign))
    if as_json:
        _say_json(_check_document(compiled))
    else:
        say("\n".join(_format_check(compiled, everything=everything)))
    ctx.exit(0 if compiled.ok else PROBLEMS_FOUND)


def _check_document(compiled: CheckReport) -> dict[str, object]:
    from narratoria.campaign.check import VERDICTS

    return {
        "ok": compiled.ok,
        "folder": str(compiled.folder),
        "summary": {
            "beats": {verdict: compiled.count(verdict, "beats") for verdict in VERDICTS},
            "endings": {verdict: compiled.count(verdict, "endings") for verdict in VERDICTS},
        },
        "beats": [fate.as_document() for fate in compiled.beats],
        "endings": [fate.as_document() for fate in compiled.endings],
        "findings": [finding.as_document() for finding in compiled.problems],
    }


def _format_check(compiled: CheckReport, *, everything: bool) -> list[str]:
    shown = [f for f in compiled.problems if everything or f.severity != "info" or f.code == "unclear"]
    lines = list(format_by_file(shown))
    if everything:
        for fate in (*compiled.beats, *compiled.endings):
            when = f"from scene {fate.earliest} on" if fate.earliest else ""
            lines.append(f"  {fate.verdict:<11}  {visible(fate.id)}  {when}".rstrip())
        lines.append("")
    for kind, fates in (("beat", compiled.beats), ("ending", compiled.endings)):
        if fates:
            reached, unclear, never = (
                sum(fate.verdict == verdict for fate in fates)
                for verdict in ("reachable", "unclear", "unreachable")
            )
            more = f", {unclear} cannot be told" if unclear else ""
            more += f", {never} can never be reached" if never else ""
            lines.append(f"{count_noun(len(fates), kind)}: {reached} can be reached{more}.")
    if not compiled.beats:
        lines.append("There are no beats to look at." if compiled.ok else "Mend the errors first.")
    return lines


def _say_json(document: object) -> None:
    import json

    say(json.dumps(document, ensure_ascii=False, indent=2))


@click.command()
@click.argument("campaign", default=".")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def info(*, campaign: str, as_json: bool) -> None:
    """What a campaign is and holds: people, places, beats, endings, lore, pictures, music."""
    import json

    from narratoria.campaign.folder import scan_folder
    from narratoria.campaign.load import load_campaign

    folder = find_campaign_folder(campaign)
    story = load_campaign(folder)
    document = _info_document(story, scan_folder(folder).files)
    if as_json:
        say(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        say("\n".join(_format_info(story, document)))


def _info_document(story: Campaign, files: Any) -> dict[str, Any]:
    import msgspec

    from narratoria.campaign.folder import AUDIO, IMAGES
    from narratoria.campaign.load import generated_content_warning

    return {
        "name": story.folder.resolve().name,
        "folder": str(story.folder),
        "manifest": msgspec.to_builtins(story.manifest),
        "start": story.start,
        "people": {name: profile.name for name, profile in story.people.items()},
        "places": {name: place.name for name, place in story.places.items()},
        "factions": {name: faction.name for name, faction in story.factions.items()},
        "beats": [beat.id for beat in story.beats],
        "endings": {name: ending.title for name, ending in story.endings.items()},
        "lore": sum(file.startswith("lore/") and file.endswith(".md") for file in files),
        "pictures": sum(file.lower().endswith(IMAGES) for file in files),
        "music": sum(file.lower().endswith(AUDIO) for file in files),
        "generated": {file: msgspec.to_builtins(by) for file, by in story.generated.items()},
        "warning": generated_content_warning(story),
    }


def _format_info(story: Campaign, about: dict[str, Any]) -> Iterator[str]:
    manifest = story.manifest
    yield f"{paint(visible(manifest.title), sys.stdout, bold=True)} {manifest.version}"
    if manifest.description:
        yield visible(manifest.description)
    yield ""
    hours = f"{manifest.estimated_playtime_hours:g} h" if manifest.estimated_playtime_hours else ""
    facts = {
        "author": manifest.author,
        "genre": manifest.genre,
        "tone": manifest.tone,
        "rating": manifest.content_rating,
        "warnings": ", ".join(manifest.content_warnings),
        "length": hours,
        "licence": manifest.license,
        "folder": str(story.folder),
        "holds": ", ".join(
            (
                count_noun(len(story.people), "person", "people"),
                count_noun(len(about["places"]), "place"),
                count_noun(len(story.beats), "beat"),
                count_noun(len(story.endings), "ending"),
                count_noun(about["lore"], "lore file"),
                count_noun(about["pictures"], "picture"),
                count_noun(about["music"], "piece of music", "pieces of music"),
            )
        ),
    }
    yield from (f"  {name:<8} {visible(value)}" for name, value in facts.items() if value)
    if about["warning"]:
        yield f"\n{about['warning']}"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def schemas(*, folder: Path) -> None:
    """Write the contracts of a campaign's files into FOLDER as JSON Schemas, for an editor to check by."""
    from narratoria.campaign.authoring import PUBLISHED_SCHEMAS, write_schemas

    for path, files in zip(write_schemas(folder), PUBLISHED_SCHEMAS.values(), strict=True):
        say(f"{path}  for {files}")
