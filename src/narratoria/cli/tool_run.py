"""Runs one tool by hand: as the script of its skill where it belongs to one, with a store and a channel."""

from __future__ import annotations

import asyncio
import codecs
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import click

from narratoria.cli.tool import MANIFEST, diagnosis, event_lines, exit_code, timing
from narratoria.errors import ContractViolation, NarratoriaException, NotRunnable
from narratoria.protocol.command import Command, command_for
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.events import Event
from narratoria.protocol.orphans import reap_orphans
from narratoria.protocol.process import run as run_process
from narratoria.run_host import RunHost, open_run_host
from narratoria.skills.host.transport import open_channel
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import InvocationRequest, RunContext, nest_contexts
from narratoria.skills.skill import Skill, SkillScript
from narratoria.terminal import MAX_BACKLOG_BYTES, BackgroundWriter, StopOnSignal, paint, visible

DESCRIPTIONS = ("skill.json", "SKILL.md")
BARE_PERMISSIONS = Permissions(frozenset(("store:read", "store:write", "embed")))  # in a store of its own


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What is run by hand, and how."""

    path: Path
    input: dict[str, Any]
    operation: str
    as_json: bool
    limits: Limits
    story: str | None = None
    is_agreed: bool = False  # that it may run without a box


def run_tool(given: ToolRun) -> int:
    """Run the tool, show its events and return the exit code; KeyboardInterrupt after Ctrl-C."""
    path = given.path
    if path.name == MANIFEST or (path / MANIFEST).exists():
        raise NotRunnable(f"{path}: is an m-control tool; run it with `mctl run`")
    command = command_for(path)
    owner = find_owner(path)
    if owner and owner[1].protocol == "mcp":
        advice = f'narratoria skills try {owner[0].name} "what the player does"'
        raise NotRunnable(f"{path}: is an MCP server, which is no tool by itself; try: {advice}")
    if owner:
        _refuse_unfit_input(owner[1], given.input)
    if not given.is_agreed and not is_boxed(owner):
        _ask_to_run(path)
    with reap_orphans():
        return asyncio.run(_run(given, command, owner))


def find_owner(path: Path) -> tuple[Skill, SkillScript] | None:
    """Return the skill and the script that a file is; None for a tool that belongs to no valid skill."""
    from narratoria.skills.discovery import read_skill

    file = path.resolve()
    for folder in list(file.parents)[:4]:
        if any((folder / name).is_file() for name in DESCRIPTIONS):
            try:
                skill = read_skill(folder)
            except ContractViolation:
                return None
            script = next((one for one in skill.scripts if one.path.resolve() == file), None)
            return (skill, script) if script else None
    return None


def is_boxed(owner: tuple[Skill, SkillScript] | None) -> bool:
    """Return whether a script runs in a box: that of an installed skill does, where this system has one."""
    from narratoria import app
    from narratoria.skills.sandbox import probe

    if owner is None or not probe().isolates:
        return False
    folder = owner[0].folder.resolve()
    return any(folder.parent == root.resolve() for root in app.skill_roots())


def _ask_to_run(path: Path) -> None:
    """Ask whoever sits at a terminal before something runs without a box."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        question = f"{visible(str(path))} runs without a box: it can do what you can do. Run it?"
        click.confirm(question, abort=True, err=True)


def _refuse_unfit_input(script: SkillScript, given: dict[str, Any]) -> None:
    from narratoria.skills.input_schema import check_input

    if script.input_schema is None:
        return
    if problems := check_input(script.input_schema, given):
        reasons = "; ".join(f"{one.pointer.lstrip('/') or 'input'}: {one.message}" for one in problems)
        raise NarratoriaException(f"{script.path.name} is not run, its input does not fit: {reasons}")


async def _run(given: ToolRun, command: Command, owner: tuple[Skill, SkillScript] | None) -> int:
    stop = StopOnSignal()
    out, err = (
        BackgroundWriter(sys.stdout, stop.on_broken),
        BackgroundWriter(sys.stderr, most=MAX_BACKLOG_BYTES),
    )
    path = given.path
    try:
        async with open_run_host(given.story) as run_host:
            context = {**run_host.context, "state": run_host.state, **_skill_context(owner, run_host)}
            request = InvocationRequest(str(uuid.uuid4()), given.input, context)
            around = nest_contexts(_channel(owner, run_host, given.limits), _box(owner))
            async with around(command, request) as launched:
                outcome = await run_process(
                    launched,
                    encode_request(
                        request_id=request.request_id,
                        tool=path.stem,
                        operation=given.operation,
                        input=given.input,
                        context=context,
                    ),
                    NARRATORIA_V0,
                    limits=given.limits,
                    on_events=None if given.as_json else lambda events: _print_events(events, out),
                    on_bytes=_filtered(out, sys.stdout) if given.as_json else None,
                    on_stderr=_filtered(err, sys.stderr),
                    on_warnings=lambda warnings: _print_warnings(warnings, err),
                )
        if outcome.ok and not given.as_json:
            out.say(paint(f"✓ {path.name} succeeded {timing(outcome)}", sys.stdout, fg="green"))
        await out.wait_finished()
        for line in diagnosis(path, outcome):
            err.say(line)
        await err.wait_finished()
    except asyncio.CancelledError:
        if not stop.asked:
            raise
        return stop.exit_code()
    return exit_code(outcome)


def _skill_context(owner: tuple[Skill, SkillScript] | None, run_host: RunHost) -> dict[str, Any]:
    """Return what a skill's script is told besides: its settings, and its own data in a named story."""
    if owner is None:
        return {}
    from narratoria import paths
    from narratoria.skills.decisions import load_decisions
    from narratoria.skills.health import check_readiness
    from narratoria.skills.skill import data_dir

    skill, _ = owner
    effective = check_readiness(skill, paths.shared_home(), load_decisions(paths.shared_home())).effective
    config = {"config": effective.values} if effective else {}
    return config if run_host.is_thrown_away else {**config, "dataDir": str(data_dir(skill.name))}


def _channel(owner: tuple[Skill, SkillScript] | None, run_host: RunHost, limits: Limits) -> RunContext:
    """Return what opens the channel: to all that is asked for in a throw-away store, else what is granted."""
    name = owner[0].name if owner else "tool"
    if owner is None:
        allowed = BARE_PERMISSIONS
    elif run_host.is_thrown_away:
        allowed = owner[0].permissions
    else:
        from narratoria.skills.resolve import effective_permissions

        allowed = effective_permissions(owner[0])
    return partial(
        open_channel, skill=name, permissions=allowed, host=run_host.host, run_seconds=limits.timeout
    )


def _box(owner: tuple[Skill, SkillScript] | None) -> RunContext:
    """Return the box of an installed skill's script: its folder to read, the data of this run to write."""

    @asynccontextmanager
    async def around(command: Command, request: InvocationRequest) -> AsyncIterator[Command]:
        if owner is None or not is_boxed(owner):
            yield command
            return
        from narratoria.skills.resolve import effective_permissions
        from narratoria.skills.sandbox import confine

        skill, _ = owner
        with confine(
            command,
            home=Path(request.context["dataDir"]),
            permissions=effective_permissions(skill),
            read_only=[skill.folder],
            writable=[Path(request.context["assetDir"])],
        ) as confined:
            yield confined

    return around


def _filtered(writer: BackgroundWriter, stream: TextIO) -> Callable[[bytes], None]:
    """Return what writes a tool's own bytes: to a terminal without what would steer it."""
    if not stream.isatty():
        return writer.write
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return lambda chunk: writer.write(visible(decoder.decode(chunk)).encode())


def _print_warnings(warnings: Sequence[str], writer: BackgroundWriter) -> None:
    for warning in warnings:
        writer.say(paint(f"! {visible(warning)}", sys.stderr, fg="yellow"))


def _print_events(events: Sequence[Event], writer: BackgroundWriter) -> None:
    for event in events:
        for label, text, style in event_lines(event):
            writer.say(f"{paint(f'{label:<6}', sys.stdout, **style)} {visible(text)}")
