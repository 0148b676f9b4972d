"""`narratoria replay`: a story told again from its log."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from narratoria.terminal import say, visible

if TYPE_CHECKING:
    from narratoria.engine.persistence.replay import Replayed

DIFFERENT = 1
MOST_SHOWN = 20


@click.command(short_help="Tell a story again from its log, and say where it would differ.")
@click.argument("story")
@click.option(
    "--live", is_flag=True, help="Run the planner and the skills again, without the story's memory."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def replay(ctx: click.Context, *, story: str, live: bool, as_json: bool) -> None:
    """Tell STORY again from its log: the same choices, the same dice, what every tool said then.

    \b
    Exit code:
      0  every turn comes out byte for byte
      1  some would differ; each is named
    """
    import msgspec

    done = asyncio.run(_replay(story, live))
    if as_json:
        say(msgspec.json.format(msgspec.json.encode(done), indent=2).decode())
    else:
        turns = "1 turn" if done.turns == 1 else f"{done.turns} turns"
        say(f"{done.same} of {turns} come out byte for byte.")
        for each in done.differences[:MOST_SHOWN]:
            say(f"  {visible(str(each))}")
        if len(done.differences) > MOST_SHOWN:
            say(f"  … and {len(done.differences) - MOST_SHOWN} more")
    ctx.exit(0 if done.exact else DIFFERENT)


async def _replay(story: str, live: bool) -> Replayed:
    from narratoria import app

    async with app.open_library() as library:
        return await library.replay(story, live=live)
