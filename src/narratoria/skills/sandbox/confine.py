"""The one door into the box."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from narratoria.protocol.command import Command
from narratoria.skills.permissions import NOTHING, Permissions
from narratoria.skills.sandbox.place import Resources, furnish, why_not_runnable
from narratoria.skills.sandbox.probe import probe
from narratoria.skills.sandbox.wrap import Backend, wrap


@contextlib.contextmanager
def confine(
    command: Command,
    *,
    home: Path,
    permissions: Permissions = NOTHING,
    read_only: Iterable[Path] = (),
    writable: Iterable[Path] = (),
    resources: Resources = Resources(),
    backend: Backend | None = None,
) -> Iterator[Command]:
    """The command that runs this one in a box, while the context lasts.

    `home` is the folder the tool may call its own. Without a `backend`, the best that works here is taken.
    """
    if obstacle := why_not_runnable(command):
        yield replace(command, obstacle=obstacle)  # behind a wrapper this would look like the tool's own exit
        return
    place = furnish(command, permissions, home=home, read_only=read_only, writable=writable)
    with wrap(backend or probe().best, command, place, resources) as wrapped:
        yield wrapped
