"""Launches the scripts of skills: each run in a box, with a channel to the host.

A process is started for its run, or was started ahead and waits for its one request (`warm_pool`). Both get
the same box and the same end of a channel; what they may ask of the host is decided with the request.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narratoria import paths
from narratoria.protocol.child import Child
from narratoria.protocol.command import Command
from narratoria.protocol.process import end_child
from narratoria.skills.host.services import Host
from narratoria.skills.host.transport import HostEndpoint, make_channel, with_waiting_time
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import InvocationRequest
from narratoria.skills.sandbox import Box, plan_skill_box
from narratoria.skills.sandbox.policy import clean_environment
from narratoria.skills.skill import Skill

if TYPE_CHECKING:
    from narratoria.skills.warm_pool import WarmPool

MOST_FILES = 500  # of a skill whose processes may be started ahead: they are looked at for every run
_NOT_CODE = frozenset({"data", "__pycache__", "node_modules"})

FileStamp = tuple[str, int, int, int]  # path, device or time, inode, size


class PreparedLaunch:
    """Holds what one process is started with, and the process itself once it was started ahead."""

    def __init__(self, command: Command, box: Box) -> None:
        self._stack = ExitStack()
        try:
            self.endpoint = HostEndpoint()
            self._stack.callback(self.endpoint.close)
            self.command = self._stack.enter_context(box.wrap(self.endpoint.add_to(command)))
        except BaseException:
            self._stack.close()
            raise

    def start(self) -> Child:
        """Start the process, which waits for its request; OSError or ValueError when that cannot be done."""
        child = Child(self.command)
        self.command = replace(self.command, started=child)
        self.endpoint.let_go()
        return child

    async def close(self) -> None:
        """End the process, at once where it still waits, and let go of everything it was started with."""
        try:
            if self.command.started is not None:
                self.command.started.kill()  # an end of its input would be a request to it
                await end_child(self.command.started, 0)
        finally:
            self._stack.close()


@dataclass(frozen=True, slots=True)
class LaunchIdentity:
    """Identifies a launch: two with the same identity start the same program in the same box.

    The files are looked at, not only named: one that was replaced is another, also under its old name."""

    script: str
    command: Command
    box: Box
    environment: Mapping[str, str]
    config: Mapping[str, Any]
    permissions: Permissions
    shown: tuple[FileStamp, ...]
    code: tuple[FileStamp, ...]


@dataclass(frozen=True, slots=True)
class ScriptLauncher:
    """Launches the runs of one script, as a context around each of them."""

    script: str  # its path in plans
    skill: Skill
    permissions: Permissions
    host: Host
    timeout: float
    config: Mapping[str, Any]
    starts_among_assets: bool  # so that a relative asset path means the right place
    pool: WarmPool | None = None  # of processes started ahead, for a script that may be

    @asynccontextmanager
    async def __call__(self, command: Command, request: InvocationRequest) -> AsyncIterator[Command]:
        """Provide the command of one run, whose process may be there already."""
        command = self._place(command, request)
        box = self._plan_box(command, request)
        launch = self._take_warm(command, box, request) or PreparedLaunch(command, box)
        channel = make_channel(
            request,
            skill=self.skill.name,
            permissions=self.permissions,
            host=self.host,
            run_seconds=self.timeout,
        )
        try:
            async with launch.endpoint.serve(channel):
                yield with_waiting_time(launch.command, channel)
        finally:
            await launch.close()

    def _place(self, command: Command, request: InvocationRequest) -> Command:
        """Return the command, started where its files go; the folder is made."""
        assets = request.context.get("assetDir")
        if not (self.starts_among_assets and assets and _make_folder(Path(assets))):
            return command
        return replace(command, cwd=Path(assets))

    def identify(self, command: Command, request: InvocationRequest) -> LaunchIdentity | None:
        """Return what a launch would be now, with nothing made for it; None where it is not made ahead."""
        assets = request.context.get("assetDir")
        if self.starts_among_assets and assets:
            if not Path(assets).is_dir():
                return None  # of a story that is gone, or has not begun
            command = replace(command, cwd=Path(assets))
        return self._identify(command, self._plan_box(command, request))

    def _take_warm(self, command: Command, box: Box, request: InvocationRequest) -> PreparedLaunch | None:
        if self.pool is None or not self.pool.note_run(self.script, request.context):
            return None
        identity = self._identify(command, box)
        return self.pool.take(identity) if identity else None

    def _plan_box(self, command: Command, request: InvocationRequest) -> Box:
        return plan_skill_box(
            command,
            request,
            skill=self.skill.name,
            folder=self.skill.folder,
            permissions=self.permissions,
        )

    def _identify(self, command: Command, box: Box) -> LaunchIdentity | None:
        code = tuple(_list_code(self.skill.folder))
        if box.place is None or len(code) > MOST_FILES:
            return None
        return LaunchIdentity(
            script=self.script,
            command=command,
            box=box,
            environment=clean_environment(box.place, "", command.env),
            config=self.config,
            permissions=self.permissions,
            shown=tuple(map(_stamp_place, (*box.place.read_only, *box.place.writable))),
            code=code,
        )


def _make_folder(folder: Path) -> bool:
    try:
        paths.make_private(folder)
    except OSError:
        return False  # the tool may need no files, and says so if it does
    return True


def _stamp_place(path: str) -> FileStamp:
    """Identify what a box shows: a folder that was made anew is another one."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return path, 0, 0, 0
    return path, status.st_dev, status.st_ino, 0


def _list_code(folder: Path) -> Iterator[FileStamp]:
    """Yield the files of a skill with their times and sizes, few more than may be looked at."""
    folders, count = [str(folder)], 0
    while folders and count <= MOST_FILES:
        try:
            entries = sorted(os.scandir(folders.pop()), key=lambda entry: entry.name)
        except OSError:
            continue  # gone meanwhile
        for entry in entries:
            if entry.name in _NOT_CODE or entry.name.startswith("."):
                continue
            try:
                if entry.is_dir():
                    folders.append(entry.path)
                    continue
                status = entry.stat()
            except OSError:
                continue
            count += 1
            yield entry.path, status.st_mtime_ns, status.st_ino, status.st_size
