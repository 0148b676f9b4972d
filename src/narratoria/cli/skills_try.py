"""Defines `narratoria skills try` and `inputs`: for whoever works on a skill."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from narratoria.cli.skills import AS_JSON, find_skill, say_json
from narratoria.cli.tool import event_lines
from narratoria.errors import ContractViolation, NarratoriaException
from narratoria.protocol.command import command_for
from narratoria.skills.discovery import read_skill
from narratoria.skills.input_schema import find_schema_problem
from narratoria.skills.manifest import MANIFEST_FILE
from narratoria.skills.mcp.manifest import script_name, write_tools
from narratoria.skills.mcp.server import find_launch_problem
from narratoria.skills.resolve import effective_permissions, list_server_tools
from narratoria.skills.skill import Skill, SkillScript
from narratoria.terminal import paint, say, visible

if TYPE_CHECKING:
    from narratoria.skill_trial import SkillTrial

CAMPAIGN = "comet-tea-room"
NOT_USED = 1
DESCRIBE_TIMEOUT_S = 10.0
WIDTH = 100


@click.command("try", short_help="Play an action with a skill and without it.")
@click.argument("name", metavar="SKILL")
@click.argument("action")
@click.option(
    "--campaign", default=CAMPAIGN, show_default=True, metavar="C", help="Campaign to play the action in."
)
@click.option("--seed", type=int, default=7, show_default=True, metavar="N", help="Seed of the story.")
@AS_JSON
@click.pass_context
def try_command(
    ctx: click.Context, *, name: str, action: str, campaign: str, seed: int, as_json: bool
) -> None:
    """Play what the player does, ACTION, once with the skill and once without it.

    SKILL is the name of a skill or its folder. Shown are the plan, the skill's input, what it says, what that
    changes, and both scenes. It is played in a new story that is thrown away, and the skill runs even where
    the planner would not have chosen it.

    \b
    Exit code:
      0  the skill ran, and the scene is another one with it
      1  it failed, was left out, or makes no difference
      2  there is no such skill or campaign
    """
    from narratoria.skill_trial import try_skill

    skill = _open_skill(name)
    trial = asyncio.run(try_skill(skill, action, campaign=campaign, seed=seed))
    say_json(_trial_document(trial)) if as_json else say("\n".join(_format_trial(trial, skill)))
    is_of_use = trial.result is not None and trial.result.ok and trial.scene.text != trial.scene_without.text
    if not skill.scripts:
        is_of_use = trial.was_chosen
    ctx.exit(0 if is_of_use else NOT_USED)


def _open_skill(name: str) -> Skill:
    try:
        if Path(name).is_dir():
            return read_skill(Path(name).resolve())
    except ContractViolation as violation:
        raise NarratoriaException(str(violation)) from None
    return find_skill(name).skill


def _format_trial(trial: SkillTrial, skill: Skill) -> Iterator[str]:
    score = next((one for one in trial.scores if one.label == trial.label), None)
    need = f", needed {score.needed:.0%}" if score else ""
    verdict = "chosen" if trial.was_chosen else "not chosen: it runs only because you try it"
    if not skill.scripts:
        verdict = "chosen" if trial.was_chosen else "not chosen"
        verdict += ": it has no scripts, and advises a model that tells"
    yield f"{_head('plan')} {trial.label} is {verdict} ({trial.by}{need})"
    yield from (f"{'':7} {visible(reason)}" for reason in trial.reasons)
    if not trial.was_chosen:
        where = "under “examples” in its skill.json" if skill.scripts else "in its description"
        yield f"{'':7} What players say when they mean it belongs {where}."
    if trial.call is None and skill.scripts:
        yield f"{_head('input')} none: it was left out of the plan"
    elif trial.call is not None:
        yield f"{_head('input')} {visible(_shorten(trial.call.input))}"
    if trial.result is not None:
        for event in trial.result.events:
            for label, text, style in event_lines(event):
                yield f"{paint(f'{label:<7}', sys.stdout, **style)} {visible(text)}"
        if trial.result.error is not None:
            reason = f"{trial.result.error.code}: {trial.result.error.message}"
            yield f"{paint('failed ', sys.stdout, fg='red')} {visible(reason)}"
    yield from (f"{paint('refused', sys.stdout, fg='yellow')} {visible(reason)}" for reason in trial.refused)
    yield from (f"{_head('effect')} {visible(effect)}" for effect in trial.scene.effects)
    yield from (f"{_head('kept')} {visible(one.text)} (by {one.source})" for one in trial.findings)
    yield from (
        f"{_head('offers')} {visible(one.text)}" for one in trial.scene.choices if one.skill == trial.label
    )
    is_same = trial.scene.text == trial.scene_without.text
    yield f"\n{_head(f'with {skill.name}')}"
    yield from _paragraphs(trial.scene.paragraphs)
    yield f"\n{_head(f'without {skill.name}')}" + (" the same" if is_same else "")
    if not is_same:
        yield from _paragraphs(trial.scene_without.paragraphs)


def _head(word: str) -> str:
    return paint(f"{word:<7}", sys.stdout, bold=True)


def _paragraphs(paragraphs: tuple[str, ...]) -> Iterator[str]:
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ""
        yield textwrap.indent(textwrap.fill(visible(paragraph), WIDTH), "  ")


def _shorten(values: Mapping[str, Any], longest: int = 400) -> str:
    text = json.dumps(values, ensure_ascii=False)
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters; --json shows all)"


def _trial_document(trial: SkillTrial) -> dict[str, Any]:
    import msgspec

    return {
        "script": trial.label,
        "chosen": trial.was_chosen,
        "plannedBy": trial.by,
        "reasons": list(trial.reasons),
        "input": trial.call.input if trial.call else None,
        "result": msgspec.to_builtins(trial.result) if trial.result else None,
        "refused": list(trial.refused),
        "effects": list(trial.scene.effects),
        "findings": [msgspec.to_builtins(one) for one in trial.findings],
        "choices": [one.text for one in trial.scene.choices if one.skill == trial.label],
        "scene": list(trial.scene.paragraphs),
        "sceneWithout": list(trial.scene_without.paragraphs),
    }


@click.command("inputs", short_help="Show or write down what a skill's scripts take.")
@click.argument("name", metavar="SKILL")
@click.option("--write", is_flag=True, help="Write the schemas into its skill.json.")
@click.option("--yes", "-y", is_flag=True, help="Ask a server on another machine without asking you first.")
def inputs(*, name: str, write: bool, yes: bool) -> None:
    """Print the JSON Schema of the input of every script of a skill, by the script's own account.

    SKILL is the name of a skill or its folder. A script that calls `sdk.run` with a typed function tells what
    it takes; for others, the schema that stands in skill.json is shown. An MCP server is started, or reached
    at its address, and asked for its tools; --write writes them down, and takes out those it has no more.

    \b
    Exit code:
      0  done
      2  there is no such skill, a script cannot be run, or there is no skill.json to write to
    """
    skill = _open_skill(name)
    scripts = [script for script in skill.scripts if script.protocol != "mcp"]
    schemas = {script.name: _describe(script) or script.input_schema for script in scripts}
    if skill.mcp:
        tools = ask_server(skill, yes=yes)
        schemas |= {script_name(tool["name"]): tool["input"] for tool in tools}
        if write:
            write_server_tools(skill, tools)
    if write:
        _write(skill, {script: schema for script, schema in schemas.items() if schema})
        return
    say_json(schemas)


def ask_server(skill: Skill, *, yes: bool) -> list[dict[str, Any]]:
    """Return the tools that a skill's MCP server lists; NarratoriaException for one that does not answer."""
    server = skill.mcp
    assert server is not None
    if reason := find_launch_problem(server):
        raise NarratoriaException(f"{skill.name}: {reason}")
    permissions = effective_permissions(skill)
    may_ask = yes or not server.permission or permissions.allows(server.permission)
    if not may_ask and not click.confirm(f"Ask {server.host} for its tools?", default=False):
        raise NarratoriaException(f"{server.host} was not asked")
    tools = asyncio.run(list_server_tools(skill, permissions=permissions))
    if not tools:
        raise NarratoriaException(f"{skill.name}: the MCP server lists no tools")
    return tools


def write_server_tools(skill: Skill, tools: list[dict[str, Any]]) -> None:
    """Write the tools of a skill's MCP server into its manifest, and say what has changed."""
    new, gone = write_tools(skill.folder / MANIFEST_FILE, tools)
    for tool in tools:
        takes = ", ".join(tool["input"].get("properties", ())) or "nothing"
        mark = " (new)" if tool["name"] in new and len(new) < len(tools) else ""
        say(visible(f"{skill.name}/{script_name(tool['name'])} takes {takes}{mark}"))
    for name in gone:
        say(visible(f"{skill.name}/{script_name(name)} is gone"))


def _describe(script: SkillScript) -> dict[str, Any] | None:
    """Return the schema that a script prints of its own input; None for one that prints none."""
    if script.path.suffix != ".py" or "sdk" not in script.path.read_text(encoding="utf-8", errors="replace"):
        return None
    command = command_for(script.path)
    done = subprocess.run(
        [*command.argv, "--input-schema"],
        cwd=script.path.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DESCRIBE_TIMEOUT_S,
        check=False,
    )
    try:
        schema = json.loads(done.stdout)
    except ValueError:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise NarratoriaException(
            f"{script.path}: cannot say what it takes: {reason[-1] if reason else 'it printed no schema'}"
        ) from None
    where, problem = find_schema_problem(schema)
    if problem:
        raise NarratoriaException(f"{script.path}: {where or '/'}: {problem}")
    return schema if isinstance(schema, dict) and schema.get("properties") else None


def _write(skill: Skill, schemas: Mapping[str, Mapping[str, Any]]) -> None:
    file = skill.folder / MANIFEST_FILE
    if not file.is_file():
        raise NarratoriaException(f"{skill.folder} has no {MANIFEST_FILE} to write to")
    document = json.loads(file.read_text(encoding="utf-8"))
    for entry in document.get("scripts", []):
        if entry["name"] in schemas:
            entry["input"] = schemas[entry["name"]]
            say(f"{skill.name}/{entry['name']} takes {', '.join(schemas[entry['name']]['properties'])}")
    file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
