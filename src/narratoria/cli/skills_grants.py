"""`narratoria skills grant` and `revoke`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import click

from narratoria import paths
from narratoria.cli.skills_found import find, tell
from narratoria.errors import NarratoriaException
from narratoria.skills.permissions import Permissions, normal
from narratoria.skills.settings import (
    Settings,
    asked_by,
    change_settings,
    chosen,
    granted_to,
    how_to_grant,
    is_bundled,
    left_to_the_user,
    load_settings,
)
from narratoria.skills.skill import Skill
from narratoria.terminal import painted, say, visible

Edit: TypeAlias = Callable[[Iterable[str]], Iterable[str]]


@click.command(short_help="Let a skill do what it asks for.")
@click.argument("name")
@click.argument("permissions", metavar="[PERMISSION…]", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Grant all that it asks for.")
def grant(*, name: str, permissions: tuple[str, ...], everything: bool) -> None:
    """Let the skill NAME do what it asks for: each PERMISSION, or --all. Without either, show how it stands.

    Only what the skill declares can be granted. It holds from its next run on.

    \b
    Examples:
      narratoria skills grant weather network
      narratoria skills grant weather --all

    \b
    Exit code:
      0  done, also when it was so already
      2  there is no such skill, or it does not ask for that; nothing was changed
    """
    skill = _deciding(name)
    if permissions and everything:
        raise click.UsageError("give PERMISSIONs or --all, not both")
    wanted = asked_by(skill) if everything else chosen(skill, permissions)
    if wanted:
        _save(skill, lambda held: [*held, *wanted])
    say("\n".join(_state(skill)))


@click.command(short_help="Take back what a skill was granted.")
@click.argument("name")
@click.argument("permissions", metavar="[PERMISSION…]", nargs=-1)
def revoke(*, name: str, permissions: tuple[str, ...]) -> None:
    """Take back what the skill NAME was granted: each PERMISSION, or all of them when none is named.

    \b
    Exit code:
      0  done
      2  there is no such skill, or that was not granted; nothing was changed
    """
    skill = _deciding(name)
    held = load_settings(paths.home()).granted(name) or ()
    if unknown := [one for one in permissions if one not in held and normal(one) not in held]:
        listed = ", ".join(held) or "nothing"
        raise NarratoriaException(f"{name} was not granted {', '.join(unknown)}; it was granted {listed}")
    gone = {*permissions, *map(normal, permissions)} if permissions else {*held}
    _save(skill, lambda held: [one for one in held if one not in gone])
    say("\n".join(_state(skill)))


def _deciding(name: str) -> Skill:
    """The skill; NarratoriaException for one about which there is nothing to decide."""
    skill = find(name).skill
    if is_bundled(skill) and not left_to_the_user(skill):
        advice = f"`narratoria skills disable {name}` turns it off"
        raise NarratoriaException(f"'{name}' comes with Narratoria and has what it asks for; {advice}")
    return skill


def _save(skill: Skill, edit: Edit) -> None:
    def decided(settings: Settings) -> Settings:
        return settings.with_granted(skill.name, edit(settings.granted(skill.name) or ()))

    broken = load_settings(paths.home()).problems
    change_settings(paths.home(), decided)
    tell(broken, "!")


def _state(skill: Skill) -> Iterator[str]:
    asked, granted = asked_by(skill), granted_to(skill, load_settings(paths.home()))
    if not asked:
        yield f"{skill.name} asks for nothing."
        return
    yield f"{skill.name} may:" if granted else f"{skill.name} may do nothing beyond its own folder."
    for name, meaning in zip(granted, granted.describe(), strict=True):
        yield f"  {painted('✓', sys.stdout, fg='green')} {visible(meaning)}  [{visible(name)}]"
    missing = Permissions(frozenset(one for one in asked if not granted.allows(one)))
    if missing:
        yield "It asks for, and may not:"
    for name, meaning in zip(missing, missing.describe(), strict=True):
        yield f"  – {visible(meaning)}  [{visible(name)}]"
    if missing:
        yield f"`{how_to_grant(skill.name, *missing)}` lets it."
