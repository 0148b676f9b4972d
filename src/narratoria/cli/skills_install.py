"""Defines `narratoria skills new`, `install` and `remove`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from narratoria import paths
from narratoria.app import open_skills
from narratoria.cli.skills import print_problems
from narratoria.errors import NarratoriaException, Problem
from narratoria.skills import install as installation
from narratoria.skills.decisions import (
    change_decisions,
    load_decisions,
    requested_permissions,
    select_permissions,
)
from narratoria.skills.discovery import Catalogue, read_skill
from narratoria.skills.install import LANGUAGES, create_server_skill, create_skill
from narratoria.skills.manifest import MANIFEST_FILE
from narratoria.skills.permissions import Permissions
from narratoria.skills.resolve import effective_permissions
from narratoria.skills.skill import Skill
from narratoria.terminal import say, visible

DECLINED = 1
YES = click.option("--yes", "-y", is_flag=True, help="Answer yes to every question.")


@click.command(short_help="Create a skill.")
@click.argument("name")
@click.option(
    "--language",
    type=click.Choice([*LANGUAGES]),
    default="python",
    show_default=True,
    help="Language of its first script.",
)
@click.option(
    "--dir",
    "into",
    type=click.Path(path_type=Path),
    default=Path("skills"),
    show_default=True,
    metavar="D",
    help="Folder to create it in.",
)
@click.option(
    "--mcp", metavar="COMMAND|URL", help="Make a skill of an MCP server: what starts it, or its address."
)
def new(*, name: str, language: str, into: Path, mcp: str | None) -> None:
    """Begin a skill called NAME: lowercase letters, digits and hyphens.

    What is written works as it stands: a manifest, a script that keeps to the protocol, settings, a prompt,
    and a SKILL.md for other programs that use Agent Skills. In ./skills it is found by the next command.
    With --mcp it is a manifest alone, which names the server.

    \b
    Exit code:
      0  it is there
      2  it cannot be: the name will not do, or is taken
    """
    if mcp is not None:
        folder = create_server_skill(name, mcp, into)
        say(f"{folder} is a skill now. Say in its {MANIFEST_FILE} what it does, and write down its tools:")
        say(f"  narratoria skills inputs {shlex.quote(str(folder))} --write")
        return
    folder = create_skill(name, language, into)
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    script = shlex.quote(str(next(folder / path for path in files if path.parts[0] == "scripts")))
    say("\n".join([f"{folder} is a skill now:", *(f"  {path}" for path in files)]))
    say(f"""\nTry it:\n  narratoria tool run {script} --input '{{"who": "Ada"}}'""")
    say(f"Have it checked:\n  narratoria tool check {script}\n  narratoria skills validate {folder}")


@click.command(short_help="Install a skill from a zip archive or a folder.")
@click.argument("source", metavar="PATH.zip|DIR", type=click.Path(exists=True, path_type=Path))
@YES
@click.option(
    "--grant",
    multiple=True,
    metavar="PERMISSION",
    help="Grant only this permission of those it asks for; can be repeated.",
)
@click.pass_context
def install(ctx: click.Context, *, source: Path, yes: bool, grant: tuple[str, ...]) -> None:
    """Install the skill in a zip archive or a folder, or upgrade the one that is there.

    You are shown what it asks to be allowed, and decide. --yes grants all of it, unless --grant says what.
    An upgrade keeps the skill's settings and its data. What cannot be trusted to unpack is refused: paths
    that lead out of the archive, links, more than it should grow to, names that are told apart by case alone.

    \b
    Exit code:
      0  it is installed
      1  you decided against it
      2  it is refused; nothing was changed
    """
    catalogue, root = open_skills(), paths.shared_home() / "skills"
    with installation.stage_skill(source, root) as skill:
        requested = select_permissions(skill, grant) if grant else None
        before = _find_installed(skill, catalogue, root)
        say("\n".join(_format_introduction(skill, before)))
        granted = _ask_permissions(skill, before, requested, yes=yes)
        if granted is None:
            say("Nothing was installed.")
            ctx.exit(DECLINED)
        folder = installation.install_skill(skill, root)
    change_decisions(paths.shared_home(), lambda settings: settings.with_granted(skill.name, granted))
    allowed = f"; it may use {', '.join(granted)}" if granted else ""
    say(f"{skill.name} {skill.version} is installed in {folder}{allowed}.")
    installed = read_skill(folder)
    if installed.mcp and not any(script.protocol == "mcp" for script in installed.scripts):
        installed = _read_server_tools(installed)
    print_problems(installed.warnings, "!")


def _read_server_tools(skill: Skill) -> Skill:
    """Return a skill with its MCP server's tools written down, as far as the server can be asked now."""
    from narratoria.cli.skills_try import ask_server, write_server_tools

    server = skill.mcp
    if server and server.permission and not effective_permissions(skill).allows(server.permission):
        return skill  # the user decided against it, and is told how to change that
    try:
        write_server_tools(skill, ask_server(skill, yes=True))
    except NarratoriaException as reason:
        print_problems([Problem(str(reason), "/mcp", str(skill.folder / MANIFEST_FILE))], "!")
    return read_skill(skill.folder)


@click.command(short_help="Remove an installed skill.")
@click.argument("name")
@click.option("--keep-data", is_flag=True, help="Keep its settings and its data.")
@YES
@click.pass_context
def remove(ctx: click.Context, *, name: str, keep_data: bool, yes: bool) -> None:
    """Remove the installed skill NAME, with its settings, its data and what it was allowed.

    \b
    Exit code:
      0  it is gone
      1  you decided against it
      2  there is no such skill, or it is not one that was installed
    """
    folder = _find_removable(name, open_skills(), paths.shared_home() / "skills")
    lost = "" if keep_data else ", with its settings and its data"
    if not yes and not _confirm(f"Remove {folder}{lost}?"):
        say("Nothing was removed.")
        ctx.exit(DECLINED)
    installation.remove_skill(folder, keep_data=keep_data)
    change_decisions(paths.shared_home(), lambda settings: settings.without(name))
    note = "; its settings and its data are kept" if keep_data and folder.exists() else ""
    say(f"{name} is removed{note}.")


# what is asked for, and what is there


def _find_installed(skill: Skill, catalogue: Catalogue, root: Path) -> Skill | None:
    """Return the installed version; NarratoriaException if the name belongs to another skill."""
    there = catalogue.skill(skill.name)
    if there is None or there.folder.parent == root:
        return there
    if there.folder.is_relative_to(paths.BUNDLED_SKILLS):
        raise NarratoriaException(
            f"a skill called '{skill.name}' comes with Narratoria and cannot be replaced"
        )
    if there.folder.is_relative_to(root):
        raise NarratoriaException(
            f"a skill called '{skill.name}' is in {there.folder} already; remove that one"
        )
    return None  # in a project: what is installed comes first from now on


def _find_removable(name: str, catalogue: Catalogue, root: Path) -> Path:
    if re.fullmatch(r"[^/\\\0.][^/\\\0]*", name):
        folder = root / name
        own = {*installation.USERS_OWN}
        if folder.is_symlink() or (
            folder.is_dir() and any(p.name not in own and p.name[0] != "." for p in folder.iterdir())
        ):
            return folder
    there = catalogue.skill(name)
    if there is None:
        raise NarratoriaException(f"there is no skill '{name}' among those that were installed, in {root}")
    if there.folder.is_relative_to(paths.BUNDLED_SKILLS):
        advice = f"`narratoria skills disable {name}` turns it off"
        raise NarratoriaException(f"'{name}' comes with Narratoria and cannot be removed; {advice}")
    raise NarratoriaException(f"'{name}' was not installed; it is in {there.folder}, where you can delete it")


# what the user sees and decides


def _format_introduction(skill: Skill, before: Skill | None) -> Iterator[str]:
    by = f", by {visible(skill.author)}" if skill.author else ""
    licence = f", {visible(skill.license)}" if skill.license else ""
    title = visible(skill.display_name or skill.name)
    named = f" ({skill.name})" if title != skill.name else ""
    yield f"{title} {visible(skill.version)}{named}{by}{licence}"
    yield f"  {visible(skill.description.strip().partition(chr(10))[0])}"
    if skill.compatibility:
        yield f"  needs: {visible(skill.compatibility)}"
    if skill.scripts:
        yield f"  scripts: {', '.join(visible(script.name) for script in skill.scripts)}"
    if before:
        yield f"  {_format_replacement(skill, before)}"
    requested = requested_permissions(skill)
    if not requested:
        yield "It asks for no permissions."
        return
    held = set(load_decisions(paths.shared_home()).granted(skill.name) or ()) if before else set()
    yield "It asks to:"
    for name, meaning in zip(requested, requested.describe(), strict=True):
        new = "  (new)" if before and name not in held else ""
        yield f"  {meaning}  [{name}]{new}"


def _format_replacement(skill: Skill, before: Skill) -> str:
    if skill.version == before.version:
        return f"replaces the same version, {before.version}"
    older = _version_order(skill.version) < _version_order(before.version)
    return f"replaces {before.version}" + (", which is newer: this is a downgrade" if older else "")


def _version_order(version: str) -> tuple[tuple[int, ...], bool, list[tuple[bool, int, str]]]:
    """Return a sort key by semantic versioning: a pre-release comes before its release."""
    release, _, pre = version.partition("+")[0].partition("-")
    numbers = tuple(int(part) for part in release.split(".") if part.isdecimal())
    parts = [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in pre.split(".")]
    return numbers, not pre, parts if pre else []


def _ask_permissions(
    skill: Skill, before: Skill | None, granted: Permissions | None, *, yes: bool
) -> list[str] | None:
    """Ask for the permissions to grant; None means not to install."""
    if yes:
        return [*(requested_permissions(skill) if granted is None else granted)]
    if granted is not None or not requested_permissions(skill):
        question = "Replace it?" if before else "Install it?"
        return [*(granted or ())] if _confirm(question) else None
    try:
        answer = click.prompt("Grant", type=click.Choice(["all", "none", "cancel"]), default="cancel")
    except click.Abort:
        say("")
        return None
    return None if answer == "cancel" else [*requested_permissions(skill)] if answer == "all" else []


def _confirm(question: str) -> bool:
    try:
        return click.confirm(question, default=False)
    except click.Abort:  # nobody is there to answer
        say("")
        return False
