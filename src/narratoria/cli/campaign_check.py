"""`narratoria campaign validate` and `check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from narratoria.cli.campaign_found import SOMETHING_WRONG, by_file, folder_of
from narratoria.terminal import counted, say, visible

if TYPE_CHECKING:
    from narratoria.campaign.check import Compiled
    from narratoria.campaign.validate import Report

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
SETTLE_MS = 200  # an editor that saves several files is waited for


@click.command()
@click.argument("campaign", default=".")
@AS_JSON
@click.option(
    "--watch", is_flag=True, help="Check again after every change; one line a finding, for editors."
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
    from narratoria.campaign.validate import validate as look

    folder = folder_of(campaign)
    if watch:
        _watch(folder)
        return
    report = look(folder)
    if as_json:
        _say_json(_document(report))
    else:
        say("\n".join([*by_file(report.findings), _summary(report)]))
    ctx.exit(0 if report.ok else SOMETHING_WRONG)


def _document(report: Report) -> dict[str, object]:
    return {
        "ok": report.ok,
        "folder": str(report.folder),
        "files": report.files,
        "errors": report.count("error"),
        "warnings": report.count("warning"),
        "findings": [finding.as_document() for finding in report.findings],
    }


def _summary(report: Report) -> str:
    errors, warnings = report.count("error"), report.count("warning")
    found = [counted(errors, "error")] if errors else []
    found += [counted(warnings, "warning")] if warnings else []
    return f"{counted(report.files, 'file')} checked: {' and '.join(found) or 'nothing is wrong'}."


def _watch(folder: Path) -> None:
    """Until it is interrupted. The first and the last line of a round let an editor tell rounds apart."""
    from watchfiles import watch

    from narratoria.campaign.validate import validate as look

    def tell() -> None:
        report = look(folder)
        lines = [visible(finding.as_line(folder)) for finding in report.findings]
        say("\n".join([f"checking {folder}", *lines, f"done: {_summary(report)}"]))

    tell()
    for _ in watch(folder, debounce=SETTLE_MS, step=50, raise_interrupt=False):
        tell()


@click.command()
@click.argument("campaign", default=".")
@AS_JSON
@click.option("--all", "everything", is_flag=True, help="Show notes and every beat too.")
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
    from narratoria.campaign.check import check as compile_campaign

    compiled = compile_campaign(folder_of(campaign))
    if as_json:
        _say_json(_compiled_document(compiled))
    else:
        say("\n".join(_page(compiled, everything=everything)))
    ctx.exit(0 if compiled.ok else SOMETHING_WRONG)


def _compiled_document(compiled: Compiled) -> dict[str, object]:
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
        "findings": [finding.as_document() for finding in compiled.findings],
    }


def _page(compiled: Compiled, *, everything: bool) -> list[str]:
    shown = [f for f in compiled.findings if everything or f.severity != "info" or f.code == "unclear"]
    lines = list(by_file(shown))
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
            lines.append(f"{counted(len(fates), kind)}: {reached} can be reached{more}.")
    if not compiled.beats:
        lines.append("There are no beats to look at." if compiled.ok else "Mend the errors first.")
    return lines


def _say_json(document: object) -> None:
    import json

    say(json.dumps(document, ensure_ascii=False, indent=2))
