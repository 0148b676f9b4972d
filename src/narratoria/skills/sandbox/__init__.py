"""Runs a command, or each run of a skill's script, in a sandbox."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from narratoria.protocol.command import Command
from narratoria.skills.permissions import NOTHING, Permissions
from narratoria.skills.runnable import InvocationRequest, RunContext
from narratoria.skills.sandbox.backends import Backend, wrap_command
from narratoria.skills.sandbox.policy import Resources, build_policy, why_not_runnable
from narratoria.skills.sandbox.probe import SandboxSupport, probe
from narratoria.skills.skill import data_dir


@contextlib.contextmanager
def confine(
    command: Command,
    *,
    home: Path,
    permissions: Permissions = NOTHING,
    read_only: Iterable[Path] = (),
    writable: Iterable[Path] = (),
    programs: Iterable[str] = (),
    resources: Resources = Resources(),
    backend: Backend | None = None,
) -> Iterator[Command]:
    """Provide the command that runs this one in a box, while the context lasts.

    `home` is the folder the tool may call its own; `programs` are those it starts itself.
    Without a `backend`, the best that works here is taken.
    """
    if obstacle := why_not_runnable(command):
        yield replace(command, obstacle=obstacle)  # behind a wrapper this would look like the tool's own exit
        return
    place = build_policy(
        command, permissions, home=home, read_only=read_only, writable=writable, programs=programs
    )
    with wrap_command(backend or probe().best, command, place, resources) as wrapped:
        yield wrapped


def run_confined(
    skill: str,
    folder: Path,
    permissions: Permissions,
    *,
    programs: Iterable[str] = (),
    resources: Resources = Resources(),
    backend: Backend | None = None,
) -> RunContext:
    """Runs the scripts of the skill in this folder in a box: the folder and the campaign to read, its data
    and the assets of this invocation to write."""

    @asynccontextmanager
    async def around(command: Command, request: InvocationRequest) -> AsyncIterator[Command]:
        campaign, assets = (request.context.get(name) for name in ("campaignDir", "assetDir"))
        with confine(
            command,
            home=data_dir(skill),
            permissions=permissions,
            read_only=[folder, *((Path(campaign),) if campaign else ())],
            writable=[Path(assets)] if assets else [],
            programs=programs,
            resources=resources,
            backend=backend,
        ) as confined:
            yield confined

    return around


__all__ = ["Resources", "SandboxSupport", "confine", "probe", "run_confined"]
