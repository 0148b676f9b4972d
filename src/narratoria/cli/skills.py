"""Defines `narratoria skills` and its commands that read skills: list, show, validate."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from narratoria import paths
from narratoria.app import open_skills
from narratoria.cli.commands import CommandTable, LazyGroup
from narratoria.contracts.messages import closest_match
from narratoria.errors import ContractViolation, NarratoriaException, Problem
from narratoria.skills.config_schema import ConfigField
from narratoria.skills.decisions import (
    grant_command,
    granted_permissions,
    load_decisions,
    requested_permissions,
)
from narratoria.skills.discovery import Catalogue, read_skill
from narratoria.skills.health import Readiness, check_readiness
from narratoria.skills.manifest import read_instructions
from narratoria.skills.review import find_misspelt_keys, find_script_problems
from narratoria.terminal import paint, say, visible

SUBCOMMANDS: CommandTable = {
    "list": ("narratoria.cli.skills:list_skills", "List the skills, and whether they can be used."),
    "show": (
        "narratoria.cli.skills:show",
        "Show a skill: its scripts, settings and problems.",
    ),
    "config": ("narratoria.cli.skills_settings:config", "Show and change a skill's settings."),
    "enable": ("narratoria.cli.skills_settings:enable", "Let plans use a skill."),
    "disable": ("narratoria.cli.skills_settings:disable", "Stop plans from using a skill."),
    "grant": ("narratoria.cli.skills_settings:grant", "Grant a skill permissions."),
    "revoke": ("narratoria.cli.skills_settings:revoke", "Revoke a skill's permissions."),
    "validate": ("narratoria.cli.skills:validate", "Check manifests, config schemas and settings."),
    "try": ("narratoria.cli.skills_try:try_command", "Play an action with a skill and without it."),
    "inputs": ("narratoria.cli.skills_try:inputs", "Show or write down what a skill's scripts take."),
    "new": ("narratoria.cli.skills_install:new", "Create a skill."),
    "install": ("narratoria.cli.skills_install:install", "Install a skill from a zip archive or a folder."),
    "remove": ("narratoria.cli.skills_install:remove", "Remove an installed skill."),
}


SIGNS = {"ready": ("on", "green"), "disabled": ("off", "yellow"), "misconfigured": ("needs attention", "red")}
PROBLEMS_FOUND = 1
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def skills() -> None:
    """List, configure, enable and check skills.

    Skills are found among those of the package, then in your home for Narratoria (NARRATORIA_HOME, if
    set), then in ./skills. What you set is kept in your home, for every skill in its own config.json.

    \b
    Exit code, of every command here:
      0  done
      1  something was found wrong, or there is no such value
      2  what was asked for cannot be done: no such skill, a value that does not fit, a broken file
    """


def find_skill(name: str, catalogue: Catalogue | None = None) -> Readiness:
    """Return the skill of this name; NarratoriaException says what is wrong with it, or which there are."""
    catalogue = catalogue or open_skills()
    skill = catalogue.skill(name)
    if skill is None and (broken := _problems_of(name, catalogue)):
        raise ContractViolation(broken)
    if skill is None:
        names = sorted(skill.name for skill in catalogue.skills)
        near = closest_match(name, names)
        advice = f"did you mean '{near}'?" if near else f"there are: {', '.join(names) or 'none'}"
        raise NarratoriaException(f"there is no skill '{name}'; {advice}")
    return check_readiness(skill, paths.shared_home(), load_decisions(paths.shared_home()))


def format_condition(of: Readiness) -> str:
    words, colour = SIGNS[of.condition]
    return paint(f"{words:<15}", sys.stdout, fg=colour)


def format_value(value: Any) -> str:
    """Format a value on one line; texts without quotes."""
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def as_documents(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(problem) for problem in problems]


def say_json(document: Any) -> None:
    say(json.dumps(document, indent=2, ensure_ascii=False))


def print_problems(problems: Iterable[Problem], sign: str = "✗") -> None:
    """Print problems or warnings to stderr."""
    colour = "red" if sign == "✗" else "yellow"
    for problem in problems:
        click.echo(f"{paint(sign, sys.stderr, fg=colour, bold=True)} {visible(str(problem))}", err=True)


@click.command("list", short_help="List the skills, and whether they can be used.")
@AS_JSON
def list_skills(*, as_json: bool) -> None:
    """List the skills, and whether they can be used.

    \b
    In the list:
      on               plans may use it
      off              you disabled it
      needs attention  its settings do not do: `narratoria skills show NAME` says why

    What is wrong goes to standard error, and into the JSON object. The exit code is 0 all the same.
    """
    catalogue, settings = open_skills(), load_decisions(paths.shared_home())
    skills_found = [check_readiness(skill, paths.shared_home(), settings) for skill in catalogue.skills]
    problems = (*catalogue.problems, *settings.problems)
    if as_json:
        say_json({"skills": [_skill_summary(of) for of in skills_found], "problems": as_documents(problems)})
        return
    name_width = max((len(of.skill.name) for of in skills_found), default=0)
    version_width = max((len(of.skill.version) for of in skills_found), default=0)
    for of in skills_found:
        skill = of.skill
        columns = f"{skill.name:<{name_width}}  {skill.version:<{version_width}}  {format_condition(of)}"
        say(f"{columns}  {_first_line(skill.description)}")
    if not skills_found:
        say("There are no skills.")
    print_problems(problems)
    for of in skills_found:
        print_problems(of.problems if of.enabled else ())


@click.command(short_help="Show a skill: its scripts, settings and problems.")
@click.argument("name")
@AS_JSON
@click.option("--instructions", is_flag=True, help="Print only the text of its SKILL.md.")
def show(*, name: str, as_json: bool, instructions: bool) -> None:
    """Everything about the skill NAME: its scripts, its settings, and what is wrong with it.

    Secrets are never shown: •••• stands for one that is set.
    """
    of = find_skill(name)
    if instructions:
        text = read_instructions(of.skill)
        say_json({"instructions": text}) if as_json else say("\n".join(map(visible, text.splitlines())))
    elif as_json:
        say_json(_skill_document(of))
    else:
        say("\n".join(_format_skill(of)))
        print_problems(of.problems)
        print_problems(of.warnings, "!")


@click.command(short_help="Check manifests, config schemas and settings.")
@click.argument("what", metavar="[NAME|DIR]", required=False)
@AS_JSON
@click.pass_context
def validate(ctx: click.Context, *, what: str | None, as_json: bool) -> None:
    """Check manifests, config schemas and settings: of all skills, of the skill NAME, or of the one in DIR.

    Also found: misspelt keys, scripts that cannot be started here or lack their executable bit, and modules
    that a script imports and that are not installed.

    \b
    Exit code:
      0  nothing is wrong (there may be warnings)
      1  something is; each problem with its file, its line and what to do
      2  there is no such skill
    """
    names, problems, warnings = _collect_problems(what)
    if as_json:
        document = {"skills": names, "problems": as_documents(problems), "warnings": as_documents(warnings)}
        say_json({"ok": not problems, **document})
    else:
        print_problems(problems)
        print_problems(warnings, "!")
        checked = f"{len(names)} skill{'' if len(names) == 1 else 's'} checked"
        verdict = (
            f"{len(problems)} problem{'' if len(problems) == 1 else 's'}" if problems else "nothing is wrong"
        )
        say(f"{checked}: {verdict}.")
    ctx.exit(PROBLEMS_FOUND if problems else 0)


def _collect_problems(what: str | None) -> tuple[list[str], list[Problem], list[Problem]]:
    catalogue, settings = open_skills(), load_decisions(paths.shared_home())
    problems = list(settings.problems)
    if what is None:
        problems += catalogue.problems
        checked = [check_readiness(skill, paths.shared_home(), settings) for skill in catalogue.skills]
    elif catalogue.skill(what):
        checked = [find_skill(what, catalogue)]
    else:
        broken = _problems_of(what, catalogue)
        if broken:
            folders = {Path(problem.file).parent for problem in broken}
            slips = [slip for folder in folders for slip in find_misspelt_keys(folder)]
            return [what], [*problems, *broken, *slips], []
        if not Path(what).is_dir():
            find_skill(what, catalogue)  # says that there is none, and which there are
        try:
            checked = [check_readiness(read_skill(Path(what)), paths.shared_home(), settings)]
        except ContractViolation as violation:
            return [what], [*problems, *violation.problems, *find_misspelt_keys(Path(what))], []
    problems += [problem for of in checked for problem in of.problems]
    warnings = [warning for of in checked for warning in of.warnings]
    for of in checked:
        script_problems, odd = find_script_problems(of.skill)
        problems += [*find_misspelt_keys(of.skill.folder), *script_problems]
        warnings += odd
    return [of.skill.name for of in checked], problems, warnings


def _problems_of(name: str, catalogue: Catalogue) -> list[Problem]:
    return [problem for problem in catalogue.problems if Path(problem.file).parent.name == name]


# as JSON


def _skill_summary(of: Readiness) -> dict[str, Any]:
    skill = of.skill
    return {
        "name": skill.name,
        "displayName": skill.display_name or skill.name,
        "version": skill.version,
        "description": skill.description,
        "folder": str(skill.folder),
        "enabled": of.enabled,
        "condition": of.condition,
        "configurable": bool(of.config and of.config.schema.fields),
        "problems": as_documents(of.problems),
        "warnings": as_documents(of.warnings),
    }


def _skill_document(of: Readiness) -> dict[str, Any]:
    skill = of.skill
    granted = load_decisions(paths.shared_home()).granted(skill.name)
    scripts = [
        {"name": script.name, "path": str(script.path), "description": script.description}
        for script in skill.scripts
    ]
    return {
        **_skill_summary(of),
        "author": skill.author,
        "license": skill.license,
        "capabilities": list(skill.capabilities),
        "priority": skill.priority,
        "scripts": scripts,
        "permissions": list(requested_permissions(skill)),
        "granted": None if granted is None else list(granted),
        "configFile": str(of.config.file) if of.config else None,
        "settings": [
            {**msgspec.to_builtins(field), "widget": field.widget, "value": value, "source": source}
            for field, value, source in _settings(of)
        ],
    }


def _settings(of: Readiness) -> Iterator[tuple[ConfigField, Any, str | None]]:
    if of.config and of.effective:
        shown = of.config.shown(of.effective)
        for field in of.config.schema.fields:
            yield field, shown.get(field.key), of.effective.sources.get(field.key)


# as a page


def _format_skill(of: Readiness) -> Iterator[str]:
    skill = of.skill
    title = paint(visible(skill.display_name or skill.name), sys.stdout, bold=True)
    yield f"{title} {skill.version}  {format_condition(of)}".rstrip()
    yield visible(skill.description)
    yield ""
    facts = {
        "name": skill.name,
        "author": skill.author,
        "licence": skill.license,
        "needs": skill.compatibility,
        "folder": str(skill.folder),
    }
    facts["asks for"] = "; ".join(requested_permissions(skill).describe())
    granted = load_decisions(paths.shared_home()).granted(skill.name)
    if granted is not None:
        facts["granted"] = ", ".join(granted) or "nothing"
    if not set(requested_permissions(skill)) <= set(
        granted_permissions(skill, load_decisions(paths.shared_home()))
    ):
        facts["to grant"] = grant_command(skill.name, "--all")
    yield from (f"  {name:<8} {visible(value)}" for name, value in facts.items() if value)
    if skill.scripts:
        yield "\nScripts"
        width = max(len(script.name) for script in skill.scripts)
        yield from (f"  {s.name:<{width}}  {_first_line(s.description)}".rstrip() for s in skill.scripts)
    if of.config and of.config.schema.fields:
        yield f"\nSettings, kept in {of.config.file}"
        yield from _setting_lines(list(_settings(of)))


def _setting_lines(settings: Sequence[tuple[ConfigField, Any, str | None]]) -> Iterator[str]:
    width = max(len(field.key) for field, _, _ in settings)
    categories = dict.fromkeys(field.category for field, _, _ in settings)
    for category in sorted(categories, key=bool):  # what has no heading first
        if category:
            yield paint(f"  {visible(category)}", sys.stdout, underline=True)
        for field, value, source in settings:
            if field.category != category:
                continue
            shown = "–" if value is None else format_value(value)
            origin = {"environment": f" (from {field.env_var})", "default": " (default)"}.get(
                source or "", ""
            )
            yield f"  {field.key:<{width}}  {shown}{origin}"
            about = " · ".join(filter(None, (_first_line(field.description), field.expectation)))
            yield paint(f"  {'':<{width}}  {about}", sys.stdout, dim=True)


def _first_line(text: str) -> str:
    return visible(text.strip().partition("\n")[0])
