"""What stands around each run of a skill's script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from narratoria.protocol.command import Command
from narratoria.skills.data import data_dir
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import Around, Request
from narratoria.skills.sandbox.confine import confine
from narratoria.skills.sandbox.place import Resources
from narratoria.skills.sandbox.wrap import Backend


def enclosed(
    skill: str,
    folder: Path,
    permissions: Permissions,
    *,
    resources: Resources = Resources(),
    backend: Backend | None = None,
) -> Around:
    """Runs the scripts of the skill in this folder in a box: the folder and the campaign to read, its data
    and the assets of this invocation to write."""

    @asynccontextmanager
    async def around(command: Command, request: Request) -> AsyncIterator[Command]:
        campaign, assets = (request.context.get(name) for name in ("campaignDir", "assetDir"))
        with confine(
            command,
            home=data_dir(skill),
            permissions=permissions,
            read_only=[folder, *((Path(campaign),) if campaign else ())],
            writable=[Path(assets)] if assets else [],
            resources=resources,
            backend=backend,
        ) as confined:
            yield confined

    return around
