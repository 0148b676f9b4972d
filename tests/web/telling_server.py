"""The real server with a local model that is ready at once and tells every scene in the same words.

`telling_server.py play …`; what the model adds to each story is `ADDED`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

from narratoria.cli import main
from narratoria.narrator.local_model import ModelService
from narratoria.skills.host.services import Caller, Generation, HostModelStatus, TextPiece

ADDED = "A brass weathervane shaped like a heron creaks above the copper gutter."
TOLD = f"You wait, and the afternoon goes on without you. {ADDED}"


def about(_: ModelService) -> HostModelStatus:
    return HostModelStatus(name="heron-3b", tier="narrates", state="ready")


async def generate(_: ModelService, _caller: Caller, _request: Generation) -> AsyncGenerator[TextPiece, None]:
    yield TextPiece(TOLD, "stop")


if __name__ == "__main__":
    ModelService.about = about  # type: ignore[method-assign]
    ModelService.generate = generate  # type: ignore[assignment,method-assign]
    main()
