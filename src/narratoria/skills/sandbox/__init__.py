"""Runs a command, or each run of a skill's script, in a sandbox."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

from narratoria.protocol.command import Command
from narratoria.skills.permissions import NOTHING, Permissions
from narratoria.skills.runnable import InvocationRequest, RunContext
from narratoria.skills.sandbox.backends import Backend, wrap_command
from narratoria.skills.sandbox.policy import Resources, SandboxPolicy, build_policy, why_not_runnable
from narratoria.skills.sandbox.probe import SandboxSupport, probe
from narratoria.skills.skill import data_dir


@dataclass(frozen=True, slots=True)
class Box:
    """Describes the box of one run: what it may reach and use, and what holds it."""

    place: SandboxPolicy | None  # None: it must not be started, for the reason that `obstacle` gives
    resources: Resources
    backend: Backend
    obstacle: str = ""

    @contextlib.contextmanager
    def wrap(self, command: Command) -> Iterator[Command]:
        """Provide the command that runs this one in the box, while the context lasts."""
        if self.place is None:
            # behind a wrapper this would look like the tool's own exit
            yield replace(command, obstacle=self.obstacle)
            return
        with wrap_command(self.backend, command, self.place, self.resources) as wrapped:
            yield wrapped


class AnyBox(TypedDict, total=False):
    """Names what may be said of every box; without a `backend`, the best that works here is taken."""

    programs: Iterable[str]  # those that the tool starts itself
    resources: Resources
    backend: Backend | None


class CommandBox(AnyBox, total=False):
    """Names what may be said of the box of a command."""

    permissions: Permissions
    read_only: Iterable[Path]
    writable: Iterable[Path]


def plan_box(command: Command, *, home: Path, **about: Unpack[CommandBox]) -> Box:
    """Return the box of a command as things are now; `home` is the folder the tool may call its own."""
    backend, resources = about.get("backend") or probe().best, about.get("resources", Resources())
    if obstacle := why_not_runnable(command):
        return Box(None, resources, backend, obstacle)
    place = build_policy(
        command,
        about.get("permissions", NOTHING),
        home=home,
        read_only=about.get("read_only", ()),
        writable=about.get("writable", ()),
        programs=about.get("programs", ()),
    )
    return Box(place, resources, backend)


def confine(
    command: Command, *, home: Path, **about: Unpack[CommandBox]
) -> contextlib.AbstractContextManager[Command]:
    """Provide the command that runs this one in the box that `plan_box` returns, while the context lasts."""
    return plan_box(command, home=home, **about).wrap(command)


def plan_skill_box(
    command: Command,
    request: InvocationRequest,
    *,
    skill: str,
    folder: Path,
    permissions: Permissions,
    **about: Unpack[AnyBox],
) -> Box:
    """Return the box of a script of the skill in this folder: the folder and the campaign to read, its data
    and the assets of this invocation to write."""
    campaign, assets = (request.context.get(name) for name in ("campaignDir", "assetDir"))
    return plan_box(
        command,
        home=data_dir(skill),
        permissions=permissions,
        read_only=[folder, *((Path(campaign),) if campaign else ())],
        writable=[Path(assets)] if assets else [],
        **about,
    )


def run_confined(skill: str, folder: Path, permissions: Permissions, **about: Unpack[AnyBox]) -> RunContext:
    """Runs the scripts of a skill in the box that `plan_skill_box` describes."""

    @asynccontextmanager
    async def around(command: Command, request: InvocationRequest) -> AsyncIterator[Command]:
        box = plan_skill_box(command, request, skill=skill, folder=folder, permissions=permissions, **about)
        with box.wrap(command) as confined:
            yield confined

    return around


__all__ = [
    "Box",
    "Resources",
    "SandboxSupport",
    "confine",
    "plan_box",
    "plan_skill_box",
    "probe",
    "run_confined",
]
