"""Defines the `narratoria skills` commands for one skill: config, enable, disable, grant, revoke."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import click

from narratoria import paths
from narratoria.cli.skills import find_skill, format_value, print_problems, say_json
from narratoria.errors import ContractViolation, NarratoriaException
from narratoria.skills.config import EffectiveConfig, SkillConfig, change_config
from narratoria.skills.config_schema import ConfigField
from narratoria.skills.config_values import names_in, parse_value
from narratoria.skills.decisions import (
    SkillDecisions,
    change_decisions,
    grant_command,
    granted_permissions,
    is_bundled,
    load_decisions,
    requested_permissions,
    select_permissions,
    user_controlled_permissions,
)
from narratoria.skills.permissions import Permissions, normalise_permission
from narratoria.skills.skill import Skill
from narratoria.terminal import paint, say, visible

NO_VALUE = 1


EXIT_CODES = """

\b
Exit code:
  0  done, also when it was so already
  2  there is no such skill, or the decision cannot be written down
"""
Edit: TypeAlias = Callable[[Iterable[str]], Iterable[str]]


@click.group()
def config() -> None:
    """Show and change a skill's settings.

    A value may name environment variables as ${VAR_NAME}: they are replaced when the skill runs, and the
    file keeps the name. $${VAR_NAME} is the text ${VAR_NAME} itself.
    """


@config.command(short_help="Show a skill's settings.")
@click.argument("name")
@click.argument("key", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def get(ctx: click.Context, *, name: str, key: str | None, as_json: bool) -> None:
    """What the skill NAME is told: all of it, or the value of one KEY (of a group: GROUP.KEY).

    A value that was not set is its environment variable's, or its default. Secrets are never shown:
    •••• stands for one that is set.

    \b
    Exit code:
      0  here it is
      1  KEY has no value
      2  there is no such skill or key, or its files cannot be read
    """
    config, effective = _readable(name)
    shown = config.shown(effective)
    if key is not None:
        ctx.exit(_say_value(config, shown, key, as_json=as_json))
    if as_json:
        document = {"skill": name, "file": str(config.file), "values": shown}
        say_json({**document, "sources": dict(effective.sources)})
        return
    width = max((len(field) for field in shown), default=0)
    for field, value in shown.items():
        source = effective.sources.get(field, "not a setting of this skill")
        origin = "" if source == "config" else f"  ({source})"
        say(f"{field:<{width}} = {format_value(value)}{origin}")
    print_problems(effective.problems)
    print_problems(effective.warnings, "!")


def _say_value(config: SkillConfig, shown: dict[str, Any], key: str, *, as_json: bool) -> int:
    value: Any = shown
    for part in [key] if key in shown else key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if value is None:
        if config.schema.field(key) is None:
            raise NarratoriaException(_no_such_key(config, key))
        click.echo(f"narratoria: {key} has no value", err=True)
        return NO_VALUE
    if as_json:
        say_json(value)
    else:
        say(format_value(value))
    return 0


@config.command("set", short_help="Change a skill's settings.")
@click.argument("name")
@click.argument("pairs", metavar="KEY=VALUE …", nargs=-1)
@click.option("--unset", multiple=True, metavar="KEY", help="Reset a value to its default.")
@click.option(
    "--ask", multiple=True, metavar="KEY", help="Ask for a secret, or read it from a line of standard input."
)
def set_(*, name: str, pairs: Sequence[str], unset: Sequence[str], ask: Sequence[str]) -> None:
    """Tell the skill NAME something else. Everything is checked first, and all of it is saved or nothing.

    A VALUE is written plainly: a text, a number, true or false; a list as a,b,c or as JSON; a group as
    JSON, or one by one as GROUP.KEY=VALUE. A secret in a command line is seen by others: use --ask.

    \b
    Examples:
      narratoria skills config set dice-roller showIndividualRolls=false
      narratoria skills config set storyteller provider=claude 'apiKey=${ANTHROPIC_API_KEY}'
      narratoria skills config set storyteller --ask apiKey
      narratoria skills config set storyteller --unset provider

    \b
    Exit code:
      0  saved
      2  refused, with every reason; nothing was changed
    """
    if not (pairs or unset or ask):
        raise click.UsageError("nothing to set; give KEY=VALUE, --ask KEY or --unset KEY")
    before, _ = _readable(name)
    changes = dict(_pair(before, pair) for pair in pairs)
    changes |= {key: _value(_field(before, key), _ask(key)) for key in ask}
    after = change_config(find_skill(name).skill, paths.shared_home(), changes, unset=unset, in_terminal=True)
    effective = after.effective()
    shown = after.shown(effective)
    for key in dict.fromkeys(key.split(".")[0] for key in (*changes, *unset)):
        value = shown.get(key)
        say(f"{key} = {format_value(value)}" if value is not None else f"{key} has no value now")
    for key in after.cleared:
        say(f"{key} was cleared: it was given for {after.given_for[key]}. Set it again: --ask {key}")
    print_problems((*effective.problems, *effective.warnings), "!")


def _readable(name: str) -> tuple[SkillConfig, EffectiveConfig]:
    skill = find_skill(name)
    if skill.config is None or skill.effective is None:
        raise ContractViolation(skill.problems)
    return skill.config, skill.effective


def _pair(config: SkillConfig, pair: str) -> tuple[str, Any]:
    key, equals, text = pair.partition("=")
    if not (key and equals):
        raise click.UsageError(f"'{pair}' is not KEY=VALUE")
    return key, _value(_field(config, key), text)


def _field(config: SkillConfig, key: str) -> ConfigField:
    field = config.schema.field(key)
    if field is None:
        raise NarratoriaException(_no_such_key(config, key))
    return field


def _no_such_key(config: SkillConfig, key: str) -> str:
    from narratoria.contracts.messages import closest_match

    keys = [field.key for field in config.schema.fields]
    near = closest_match(key, keys)
    advice = f"did you mean '{near}'?" if near else f"it has: {', '.join(keys) or 'none'}"
    return f"'{key}' is not a setting of {config.skill}; {advice}"


def _value(field: ConfigField, text: str) -> Any:
    # a variable keeps its name in the file, and becomes a number or a list where it is used
    return text if any(names_in(text)) and field.type != "array" else parse_value(text, field.type)


def _ask(key: str) -> str:
    if sys.stdin.isatty():
        answer: str = click.prompt(key, hide_input=True, err=True)
        return answer
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise NarratoriaException(f"there is no line on standard input to set {key} to")
    return line


@click.command(short_help="Let plans use a skill.", help=f"Let plans use the skill NAME again.{EXIT_CODES}")
@click.argument("name")
def enable(*, name: str) -> None:
    _switch(name, enabled=True)
    say(f"{name} is on.")
    print_problems(find_skill(name).problems, "!")


@click.command(
    short_help="Stop plans from using a skill.",
    help=f"Stop plans from using the skill NAME. Its settings and its data stay.{EXIT_CODES}",
)
@click.argument("name")
def disable(*, name: str) -> None:
    _switch(name, enabled=False)
    say(f"{name} is off.")


def _switch(name: str, *, enabled: bool) -> None:
    find_skill(name)
    broken = load_decisions(paths.shared_home()).problems
    change_decisions(paths.shared_home(), lambda settings: settings.with_enabled(name, enabled))
    print_problems(broken, "!")


@click.command(short_help="Grant a skill permissions.")
@click.argument("name")
@click.argument("permissions", metavar="[PERMISSION…]", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Grant everything it asks for.")
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
    skill = _find_grantable(name)
    if permissions and everything:
        raise click.UsageError("give PERMISSIONs or --all, not both")
    selected = requested_permissions(skill) if everything else select_permissions(skill, permissions)
    if selected:
        _save_permissions(skill, lambda held: [*held, *selected])
    say("\n".join(_format_permissions(skill)))


@click.command(short_help="Revoke a skill's permissions.")
@click.argument("name")
@click.argument("permissions", metavar="[PERMISSION…]", nargs=-1)
def revoke(*, name: str, permissions: tuple[str, ...]) -> None:
    """Take back what the skill NAME was granted: each PERMISSION, or all of them when none is named.

    \b
    Exit code:
      0  done
      2  there is no such skill, or that was not granted; nothing was changed
    """
    skill = _find_grantable(name)
    held = load_decisions(paths.shared_home()).granted(name) or ()
    if unknown := [one for one in permissions if one not in held and normalise_permission(one) not in held]:
        listed = ", ".join(held) or "nothing"
        raise NarratoriaException(f"{name} was not granted {', '.join(unknown)}; it was granted {listed}")
    gone = {*permissions, *map(normalise_permission, permissions)} if permissions else {*held}
    _save_permissions(skill, lambda held: [one for one in held if one not in gone])
    say("\n".join(_format_permissions(skill)))


def _find_grantable(name: str) -> Skill:
    """Return the skill; NarratoriaException if its permissions are not the user's to decide."""
    skill = find_skill(name).skill
    if is_bundled(skill) and not user_controlled_permissions(skill):
        advice = f"`narratoria skills disable {name}` turns it off"
        raise NarratoriaException(f"'{name}' comes with Narratoria and has what it asks for; {advice}")
    return skill


def _save_permissions(skill: Skill, edit: Edit) -> None:
    def decided(settings: SkillDecisions) -> SkillDecisions:
        return settings.with_granted(skill.name, edit(settings.granted(skill.name) or ()))

    broken = load_decisions(paths.shared_home()).problems
    change_decisions(paths.shared_home(), decided)
    print_problems(broken, "!")


def _format_permissions(skill: Skill) -> Iterator[str]:
    requested, granted = (
        requested_permissions(skill),
        granted_permissions(skill, load_decisions(paths.shared_home())),
    )
    if not requested:
        yield f"{skill.name} asks for nothing."
        return
    yield f"{skill.name} may:" if granted else f"{skill.name} may do nothing beyond its own folder."
    for name, meaning in zip(granted, granted.describe(), strict=True):
        yield f"  {paint('✓', sys.stdout, fg='green')} {visible(meaning)}  [{visible(name)}]"
    missing = Permissions(frozenset(one for one in requested if not granted.allows(one)))
    if missing:
        yield "It asks for, and may not:"
    for name, meaning in zip(missing, missing.describe(), strict=True):
        yield f"  – {visible(meaning)}  [{visible(name)}]"
    if missing:
        yield f"`{grant_command(skill.name, *missing)}` lets it."
