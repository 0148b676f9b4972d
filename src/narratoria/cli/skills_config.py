"""`narratoria skills config get` and `set`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from narratoria import paths
from narratoria.cli.skills_found import as_text, find, say_json, tell
from narratoria.errors import ContractViolation, NarratoriaException
from narratoria.skills.config import Effective, SkillConfig, change_config
from narratoria.skills.config_schema import ConfigField
from narratoria.skills.config_values import from_text, names_in
from narratoria.terminal import say

NO_VALUE = 1


@click.group()
def config() -> None:
    """Get and set what a skill can be told.

    A value may name environment variables as ${VAR_NAME}: they are replaced when the skill runs, and the
    file keeps the name. $${VAR_NAME} is the text ${VAR_NAME} itself.
    """


@config.command(short_help="What a skill is told.")
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
        say(f"{field:<{width}} = {as_text(value)}{origin}")
    tell(effective.problems)
    tell(effective.warnings, "!")


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
        say(as_text(value))
    return 0


@config.command("set", short_help="Tell a skill something else.")
@click.argument("name")
@click.argument("pairs", metavar="KEY=VALUE …", nargs=-1)
@click.option(
    "--unset", multiple=True, metavar="KEY", help="Forget a value, so that its default holds again."
)
@click.option(
    "--ask", multiple=True, metavar="KEY", help="Ask for a secret, or read a line of standard input."
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
    after = change_config(find(name).skill, paths.home(), changes, unset=unset)
    effective = after.effective()
    shown = after.shown(effective)
    for key in dict.fromkeys(key.split(".")[0] for key in (*changes, *unset)):
        value = shown.get(key)
        say(f"{key} = {as_text(value)}" if value is not None else f"{key} has no value now")
    tell((*effective.problems, *effective.warnings), "!")


def _readable(name: str) -> tuple[SkillConfig, Effective]:
    found = find(name)
    if found.config is None or found.effective is None:
        raise ContractViolation(found.problems)
    return found.config, found.effective


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
    from narratoria.contracts.words import closest

    keys = [field.key for field in config.schema.fields]
    near = closest(key, keys)
    advice = f"did you mean '{near}'?" if near else f"it has: {', '.join(keys) or 'none'}"
    return f"'{key}' is not a setting of {config.skill}; {advice}"


def _value(field: ConfigField, text: str) -> Any:
    # a variable keeps its name in the file, and becomes a number or a list where it is used
    return text if any(names_in(text)) and field.type != "array" else from_text(text, field.type)


def _ask(key: str) -> str:
    if sys.stdin.isatty():
        answer: str = click.prompt(key, hide_input=True, err=True)
        return answer
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise NarratoriaException(f"there is no line on standard input to set {key} to")
    return line
